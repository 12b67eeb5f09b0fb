//! `--config`: settings from a TOML file. The keys are the long names of a command's arguments. The
//! settings become words of the command line, so that no setting is declared twice. Marks may be in
//! the same file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use clap::parser::ValueSource;
use clap::{ArgAction, Command, CommandFactory};
use thiserror::Error;
use toml::{Spanned, Value};
use waymesh::fields::{BAKE, JUMPS};

use crate::args::Program;
use crate::files;

/// A setting in a file that cannot be used.
#[derive(Debug, Error)]
#[error("{}: line {line}: {key} {why}", .file.display())]
pub(crate) struct BadSetting {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) key: String,
    why: String,
}

/// The sections of a file that are marks: see [`crate::marks`].
const MARK: &str = "mark";

/// Settings of the file of `--config` by the names of their arguments, with their places, so that
/// errors name what was written.
static FROM_FILE: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Name of the command that runs.
static COMMAND: OnceLock<String> = OnceLock::new();

/// Returns the argument of the command that sets a field of the library, if there is one.
pub(crate) fn argument_of(field: &str) -> Option<String> {
    let (last, all) = (field.rsplit('.').next().unwrap_or(field), field.replace('.', "_"));
    let jump = JUMPS.iter().find(|known| known.option == last && field.starts_with("jumps."));
    let bake = BAKE.iter().find(|known| known.option == field);
    // `agent.radius` is --agent-radius, `agent.max_slope` is --max-slope.
    let renamed = jump.and_then(|known| known.argument).or_else(|| bake.and_then(|known| known.argument));
    let names = [Some(all.as_str()), renamed, Some(last)];
    let program = Program::command();
    let command = program.find_subcommand(COMMAND.get()?)?;
    let has =
        |name: &String| command.get_arguments().any(|argument| argument.get_long() == Some(name.as_str()));
    names.into_iter().flatten().map(argument_name).find(has)
}

/// Returns the place of an argument in the file of `--config`.
pub(crate) fn place_in_file(argument: &str) -> Option<&'static str> {
    FROM_FILE.get()?.get(argument).map(String::as_str)
}

/// Returns the name of an argument for a message: its place in the file of `--config`, or the
/// option.
pub(crate) fn name_as_given(argument: &str) -> String {
    place_in_file(argument).map_or_else(|| format!("--{argument}"), str::to_owned)
}

/// Returns the name of an argument: in a file, words may also be joined by low lines.
fn argument_name(key: &str) -> String {
    key.replace('_', "-")
}

/// Returns `true` if some command has a setting of this name.
pub(crate) fn is_setting(key: &str) -> bool {
    !commands_with(&Program::command(), key).is_empty()
}

/// Returns the commands that have a setting of this name.
fn commands_with(program: &Command, key: &str) -> Vec<String> {
    let name = argument_name(key);
    let has = |command: &Command| command.get_arguments().any(|argument| argument.get_long() == Some(&name));
    let commands = program.get_subcommands().filter(|command| has(command));
    commands.map(|command| format!("`waymesh {}`", command.get_name())).collect()
}

/// Describes a key that is no setting of a command: those that have it, or the most similar one
/// that the command has.
fn unknown(program: &Command, command: &Command, key: &str) -> String {
    let owners = commands_with(program, key).join(", ");
    if !owners.is_empty() {
        return format!("is no setting of `waymesh {}`, but of {owners}", command.get_name());
    }
    let names =
        command.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
    let tip = match files::most_similar(&argument_name(key), names) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("`waymesh help {}` lists them", command.get_name()),
    };
    format!("is no setting of `waymesh {}`; {tip}", command.get_name())
}

/// Returns the command line with the settings of the file of `--config` added. Settings that are on
/// the command line too are left out.
pub(crate) fn expand(mut words: Vec<OsString>) -> Result<Vec<OsString>> {
    let program = Program::command();
    // The second parse reports errors: an argument may require a setting of the file.
    let found = program.clone().ignore_errors(true).try_get_matches_from(&words).ok();
    let Some((name, given)) = found.as_ref().and_then(|found| found.subcommand()) else { return Ok(words) };
    let _ = COMMAND.set(name.to_owned());
    let Some(file) = given.get_one::<PathBuf>("config") else { return Ok(words) };
    let Some(command) = program.find_subcommand(name) else { return Ok(words) };
    let text = files::read_text(file)?;
    let table: BTreeMap<Spanned<String>, Spanned<Value>> =
        toml::from_str(&text).with_context(|| format!("{} is not a settings file", file.display()))?;
    let mut settings: Vec<OsString> = Vec::new();
    let mut places = BTreeMap::new();
    for (key, value) in &table {
        let line = 1 + text[..key.span().start].matches('\n').count();
        let (key, value) = (key.as_ref(), value.as_ref());
        let refuse = |why| Err(BadSetting { file: file.clone(), line, key: key.clone(), why }.into());
        let is_marks = key == MARK && value.is_array();
        if !is_marks && value.is_table() {
            return refuse("is a section, but settings have no sections".to_owned());
        }
        let name = if is_marks { "marks".to_owned() } else { argument_name(key) };
        let Some(argument) = command.get_arguments().find(|argument| argument.get_long() == Some(&name))
        else {
            return refuse(unknown(&program, command, key));
        };
        if given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine) {
            continue;
        }
        if places.insert(name.clone(), place(file, line, key)).is_some() && !is_marks {
            return refuse("is given twice: words may be joined by - or by _".to_owned());
        }
        match (value, argument.get_action()) {
            _ if is_marks => settings.extend(["--marks".into(), file.clone().into()]),
            (Value::Boolean(true), ArgAction::SetTrue) => settings.push(format!("--{name}").into()),
            (Value::Boolean(false), ArgAction::SetTrue) => {}
            (_, ArgAction::SetTrue) => return refuse(format!("must be true or false, is {value}")),
            (Value::Array(values), ArgAction::Append) => {
                settings.extend(values.iter().map(|value| format!("--{name}={}", self::text(value)).into()));
            }
            _ => settings.push(format!("--{name}={}", self::text(value)).into()),
        }
    }
    let _ = FROM_FILE.set(places);
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, settings);
    Ok(words)
}

/// Describes the place of a setting.
fn place(file: &Path, line: usize, key: &str) -> String {
    format!("{}: line {line}: {key}", file.display())
}

/// Returns a value as it is written on the command line: text without quotes, lists with commas.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use waymesh_testkit::{Random, text::damaged};

    use super::*;

    /// For any bytes there are settings or an error.
    #[test]
    fn damaged_settings_never_panic() {
        const SETTINGS: &str = "cell-size = 0.1\nagent-radius = 0.4\npartition = \"watershed\"\njumps = true\n\
            tile = 64\nmemory = \"1GB\"\nseed = [\"1,2,3\", \"4,5,6\"]\narea = [\"water=river:5\"]\nkeep = \"largest\"\n";
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.toml");
        let mut random = Random::new(8);
        let (mut refused, mut read) = (0, 0);
        for _ in 0..400 {
            std::fs::write(&file, damaged(SETTINGS, &mut random)).expect("a file");
            let words = ["waymesh", "build", "level.obj", "-o", "level.wmesh", "--config"];
            let words = words.iter().map(OsString::from).chain([file.clone().into()]).collect();
            match expand(words).map(Program::try_parse_from) {
                Ok(Ok(_)) => read += 1,
                Ok(Err(_)) | Err(_) => refused += 1,
            }
        }
        // Some damage leaves settings, some does not.
        assert!(refused > 50 && read > 5, "{refused} refused, {read} read");
    }

    #[test]
    fn values_are_written_as_on_the_command_line() {
        let table: toml::Table =
            toml::from_str("a = 0.1\nb = \"x y\"\nc = [1, -2.5, 3]\nd = 7").expect("TOML");
        let found: Vec<String> = table.values().map(text).collect();
        assert_eq!(found, ["0.1", "x y", "1,-2.5,3", "7"]);
    }
}

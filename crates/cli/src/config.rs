//! `--config`: settings from a TOML file. The keys are the long names of a command's arguments. The
//! settings become words of the command line, so that no setting is declared twice. Marks may be in
//! the same file.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::parser::ValueSource;
use clap::{ArgAction, CommandFactory};
use toml::Value;

use crate::args::Program;
use crate::files;

/// A setting in a file that cannot be used.
#[derive(Debug)]
pub(crate) struct BadSetting {
    pub(crate) file: PathBuf,
    pub(crate) key: String,
    why: String,
}

impl std::fmt::Display for BadSetting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}: {}", self.file.display(), self.key, self.why)
    }
}

impl std::error::Error for BadSetting {}

/// The sections of a file that are marks: see [`crate::marks`].
const MARK: &str = "mark";

/// Returns `true` if some command has a setting of this name.
pub(crate) fn is_setting(key: &str) -> bool {
    let program = Program::command();
    program
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .any(|argument| argument.get_long() == Some(key))
}

/// Returns the command line with the settings of the file of `--config` added. Settings that are on
/// the command line too are left out.
pub(crate) fn expand(mut words: Vec<OsString>) -> Result<Vec<OsString>> {
    let program = Program::command();
    // The second parse reports errors: an argument may require a setting of the file.
    let found = program.clone().ignore_errors(true).try_get_matches_from(&words).ok();
    let Some((name, given)) = found.as_ref().and_then(|found| found.subcommand()) else { return Ok(words) };
    let Some(file) = given.get_one::<PathBuf>("config") else { return Ok(words) };
    let table: toml::Table = toml::from_str(&files::read_text(file)?)
        .with_context(|| format!("{} is not a settings file", file.display()))?;
    let mut settings: Vec<OsString> = Vec::new();
    for (key, value) in &table {
        let refuse = |why| Err(BadSetting { file: file.clone(), key: key.clone(), why }.into());
        let is_marks = key == MARK && value.is_array();
        let key = if is_marks { "marks" } else { key };
        let mut arguments =
            program.find_subcommand(name).into_iter().flat_map(|command| command.get_arguments());
        let Some(argument) = arguments.find(|argument| argument.get_long() == Some(key)) else {
            return refuse(format!("`waymesh {name}` has no such setting"));
        };
        if given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine) {
            continue;
        }
        match (value, argument.get_action()) {
            _ if is_marks => settings.extend(["--marks".into(), file.clone().into()]),
            (Value::Boolean(true), ArgAction::SetTrue) => settings.push(format!("--{key}").into()),
            (Value::Boolean(false), ArgAction::SetTrue) => {}
            (_, ArgAction::SetTrue) => return refuse(format!("must be true or false, is {value}")),
            (Value::Array(values), ArgAction::Append) => {
                settings.extend(values.iter().map(|value| format!("--{key}={}", text(value)).into()));
            }
            _ => settings.push(format!("--{key}={}", text(value)).into()),
        }
    }
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, settings);
    Ok(words)
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

//! Error messages, for people and as JSON for scripts.

use std::io::Write;
use std::process::ExitCode;

use clap::error::ContextKind;
use serde::Serialize;
use waymesh::bake::ConfigError;
use waymesh::core::GridError;
use waymesh::floorplan::{PlanError, PlanFormat};
use waymesh::graph::NavMeshError;
use waymesh::io::{self, IoError};
use waymesh::{BadField, BakeError, QueryError};
use waymesh_metrics::MetricsError;

use crate::config::{self, BadSetting};
use crate::files;
use crate::refusal::Refusal;

/// The value of the key `error` in the output of `--json`. Scripts rely on the names of the keys.
#[derive(Debug, Serialize)]
struct Failure {
    /// The kind of error, in one word.
    kind: &'static str,
    /// The message for people.
    message: String,
    /// The file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The place in that file, or the setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
}

impl Failure {
    fn new(error: &anyhow::Error) -> Self {
        let known = error.chain().find_map(known_cause);
        let (kind, file, element) = known.unwrap_or(("other", None, None));
        let file = file.map(|file| files::with_standard_input(&file));
        Self { kind, message: message(error), file, element }
    }

    fn print(self) {
        // Standard output may be closed. The exit code reports the failure then.
        drop(files::write_json(&mut std::io::stdout().lock(), &serde_json::json!({ "error": self })));
    }
}

/// Kind, file and element.
type Known = (&'static str, Option<String>, Option<String>);

/// Returns what is known of an error of the library.
fn known_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Known> {
    if let Some(bad) = bad_field(cause) {
        return Some(("setting", None, Some(bad.field.to_owned())));
    }
    if let Some(error) = cause.downcast_ref::<IoError>() {
        let file = error.file().map(|file| file.display().to_string());
        return Some((error.kind(), file, error.place().map(|place| place.to_string())));
    }
    if let Some(error) = cause.downcast_ref::<BakeError>() {
        return Some(match error {
            BakeError::OptionNotSupported { option, .. } => ("setting", None, Some((*option).to_owned())),
            _ => ("bake", None, None),
        });
    }
    if let Some(BadSetting { file, key, .. }) = cause.downcast_ref() {
        return Some(("setting", Some(file.display().to_string()), Some(key.clone())));
    }
    if let Some(error) = cause.downcast_ref::<toml::de::Error>() {
        return Some(("setting", None, error.span().map(|span| format!("byte {}", span.start))));
    }
    let kinds = [
        ("setting", cause.is::<Refusal>()),
        ("plan", cause.is::<PlanError>()),
        ("query", cause.is::<QueryError>()),
        ("evaluate", cause.is::<MetricsError>()),
        ("mesh", cause.is::<NavMeshError>()),
        ("file", cause.is::<std::io::Error>()),
    ];
    kinds.into_iter().find_map(|(kind, is_kind)| is_kind.then_some((kind, None, None)))
}

/// Returns the field that an error of the library is about. Most of those errors are transparent
/// for it.
fn bad_field<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a BadField> {
    macro_rules! look_into {
        ($($variant:path),+) => {
            $(if let Some($variant(inner)) = cause.downcast_ref() {
                return bad_field(inner);
            })+
        };
    }
    look_into!(BakeError::Config, ConfigError::Grid, ConfigError::BadField, GridError::BadField);
    look_into!(IoError::BadField, PlanError::BadField, QueryError::BadField, MetricsError::BadField);
    cause.downcast_ref()
}

/// Returns a message about a setting, whatever error wraps it, with the name of the
/// program's argument.
fn in_words_of_the_program(message: &str) -> String {
    let place = message.find(", but must be ").and_then(|end| {
        let is = message[..end].rfind(" is ")?;
        let start = message[..is].rfind(' ').map_or(0, |space| space + 1);
        Some((start, is))
    });
    // `agent.radius cannot be used with slices: ..`
    let place = place.or_else(|| Some((0, message.find(" cannot be used with ")?)));
    let Some((start, is)) = place else { return message.to_owned() };
    let field = &message[start..is];
    let Some(name) = config::argument_of(field) else { return message.to_owned() };
    let (before, name) = (&message[..start], config::name_as_given(&name));
    format!("{before}{name}{}", &message[is..])
}

/// Returns the error and its causes. A cause that the text before already holds is left out.
fn message(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| cause.to_string().trim_end().to_owned());
    let message = causes.fold(String::new(), |message, cause| {
        if message.is_empty() {
            cause
        } else if message.contains(&cause) {
            message
        } else {
            format!("{message}: {cause}")
        }
    });
    let message = in_words_of_the_program(&files::with_standard_input(&message));
    match error.chain().find_map(command_for) {
        Some(command) => format!("{message}; {command}"),
        None => message,
    }
}

/// Returns which command reads a file that was given to another one.
fn command_for(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    let file = match (cause.downcast_ref(), cause.downcast_ref()) {
        (Some(IoError::UnknownFormat { file }), _) => file,
        (Some(IoError::InvalidMesh { file, source: NavMeshError::UnknownFormat }), _) => file,
        (_, Some(PlanError::UnknownFormat { file, .. })) => file,
        _ => return None,
    };
    if io::SceneFormat::from_extension(file).is_some() {
        Some("`waymesh build` bakes a scene")
    } else if PlanFormat::of(file).is_some() {
        Some("`waymesh plan` bakes a floor plan")
    } else if io::mesh_format(file).is_ok() {
        Some("`waymesh info` and `waymesh path` read a mesh")
    } else {
        None
    }
}

/// Prints why a command failed: to stderr, and with `--json` to stdout too.
pub(crate) fn report(error: &anyhow::Error, json: bool) -> ExitCode {
    // A reader that stops early (`waymesh info | head`) is no failure.
    let is_closed = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    if error.chain().any(|cause| cause.downcast_ref().is_some_and(is_closed)) {
        return ExitCode::SUCCESS;
    }
    let failure = Failure::new(error);
    drop(writeln!(std::io::stderr(), "waymesh: {}", failure.message));
    if json {
        failure.print();
    }
    ExitCode::FAILURE
}

/// `true` if the command line has `--json`, also where it cannot be parsed.
pub(crate) fn is_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}

/// Prints the errors of the command line, or the requested help.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    drop(error.print());
    // `--cell-size <METRES>`: a value of the file of --config has its place there.
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    let argument = argument.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
    if let Some(place) = config::place_in_file(argument) {
        drop(writeln!(std::io::stderr(), "\nIt was read from {place}"));
    }
    if error.use_stderr() && is_json() {
        let message = error.to_string().trim_end().to_owned();
        Failure { kind: "usage", message, file: None, element: None }.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

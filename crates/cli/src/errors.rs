//! What the program says when it fails, for people and for scripts.

use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;
use waymesh::floorplan::PlanError;
use waymesh::io::IoError;
use waymesh::{BakeError, ConfigError, GridError, QueryError};

use crate::files;

/// What `--json` prints under the key `error`; its keys are a contract that scripts rely on.
#[derive(Debug, Serialize)]
struct Failure {
    /// What went wrong, in one word.
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
        Self { kind, message: message(error), file, element }
    }

    fn print(self) {
        // Nobody may be there to read it; the exit code stays.
        drop(files::write_json(&mut std::io::stdout().lock(), &serde_json::json!({ "error": self })));
    }
}

/// Kind, file and element.
type Known = (&'static str, Option<String>, Option<String>);

/// Tells what is known of an error of the library.
fn known_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Known> {
    if let Some(error) = cause.downcast_ref::<IoError>() {
        let file = error.file().map(|file| file.display().to_string());
        return Some((error.kind(), file, error.place().map(|place| place.to_string())));
    }
    if let Some(error) = cause.downcast_ref::<BakeError>() {
        return known_setting(error).or(Some(("bake", None, None)));
    }
    if let Some(error) = cause.downcast_ref::<toml::de::Error>() {
        return Some(("setting", None, error.span().map(|span| format!("byte {}", span.start))));
    }
    cause
        .is::<PlanError>()
        .then_some(("plan", None, None))
        .or_else(|| cause.is::<QueryError>().then_some(("query", None, None)))
}

/// The setting that a bake refuses. These errors pass for the one inside, which is not among the
/// causes then.
fn known_setting(error: &BakeError) -> Option<Known> {
    let BakeError::Config(ConfigError::BadField(bad) | ConfigError::Grid(GridError::BadField(bad))) = error
    else {
        return None;
    };
    Some(("setting", None, Some(bad.field.to_owned())))
}

/// The error and its causes. Some libraries repeat the cause in their own text; once is enough.
fn message(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |message, cause| {
        if message.is_empty() {
            cause
        } else if message.contains(&cause) {
            message
        } else {
            format!("{message}: {cause}")
        }
    })
}

/// Tells why a command failed: on stderr, and with `--json` on stdout too.
pub(crate) fn tell(error: &anyhow::Error, json: bool) -> ExitCode {
    // A reader that has seen enough (`waymesh info | head`) is no failure.
    let is_closed = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    if error.chain().any(|cause| cause.downcast_ref().is_some_and(is_closed)) {
        return ExitCode::SUCCESS;
    }
    let failure = Failure::new(error);
    // As above: there may be no reader.
    drop(writeln!(std::io::stderr(), "waymesh: {}", failure.message));
    if json {
        failure.print();
    }
    ExitCode::FAILURE
}

/// Tells what is wrong with the command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    drop(error.print());
    // Only a command line that was understood says whether JSON is wanted.
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let message = error.to_string().trim_end().to_owned();
        Failure { kind: "usage", message, file: None, element: None }.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

//! The programs of the tests, several at a time: cargo runs one after the other, and each waits for
//! its slowest test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread::{available_parallelism, scope};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::parts::{command, line, linted, printed};

/// A program of tests that was built.
pub(crate) struct Program {
    /// Name of the target in its package.
    pub(crate) target: String,
    /// Folder of its package, in which the tests run.
    pub(crate) package: PathBuf,
    file: PathBuf,
}

impl Program {
    /// A command that runs the tests.
    pub(crate) fn command(&self) -> Command {
        let mut command = command("", &self.file, "");
        command.current_dir(&self.package);
        command
    }

    fn bytes(&self) -> u64 {
        self.file.metadata().map_or(0, |file| file.len())
    }
}

/// Builds the tests that cargo selects by `words`.
pub(crate) fn build(words: &str) -> Result<Vec<Program>> {
    let words = format!("test {words} --no-run --message-format json-render-diagnostics");
    let mut build = linted(command("", "cargo", &words));
    eprintln!("$ {}", line(&build));
    let messages = printed(build.stderr(Stdio::inherit()))?;
    let messages = messages.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let program = |message: &Value| {
        let program = Program {
            target: message["target"]["name"].as_str()?.to_owned(),
            package: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
            file: message["executable"].as_str()?.into(),
        };
        (message["profile"]["test"] == true).then_some(program)
    };
    Ok(messages.iter().filter_map(program).collect())
}

/// Runs programs, as many at a time as there are cores, with the same variables. Prints what each
/// printed when it ends. All run, also if one fails.
pub(crate) fn run(mut programs: Vec<Program>, variables: &[(&str, &str)]) -> Result<()> {
    // The last ones are taken first: large programs have the most to do.
    programs.sort_by_key(Program::bytes);
    let (waiting, failed) = (Mutex::new(programs), Mutex::new(Vec::new()));
    let next = || waiting.lock().expect("no lane panics").pop();
    let lane = || -> Result<()> {
        while let Some(program) = next() {
            let mut command = program.command();
            command.envs(variables.iter().copied());
            let line = line(&command);
            let output = command.output().with_context(|| format!("cannot start {line}"))?;
            let [said, warned] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
            let mut failed = failed.lock().expect("no lane panics");
            eprintln!("$ {line}\n{warned}{said}");
            if !output.status.success() {
                failed.push(format!("{} of {}", program.target, program.package.display()));
            }
        }
        Ok(())
    };
    scope(|scope| {
        let lanes: Vec<_> = (0..available_parallelism()?.get()).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().try_for_each(|lane| lane.join().expect("no lane panics"))
    })?;
    let failed = failed.into_inner().expect("no lane panics");
    ensure!(failed.is_empty(), "tests failed: {}", failed.join(", "));
    Ok(())
}

//! `cargo xtask fuzz`: runs the fuzzers of the folder `fuzz`, which is a separate workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::parts::{command, output, run as run_command};
use crate::root;
use crate::tidy::names_in;

/// Shortest time for which a target is started: it reads its corpus first.
const LEAST_SECONDS: u64 = 20;
/// Most memory of a fuzzer, in MiB. Inputs are a few kilobytes.
const MEMORY_MIB: u32 = 2048;
/// Findings after which a target is given up.
const MOST_FINDINGS: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// Only the targets whose names contain this.
    #[arg(default_value = "")]
    target: String,
    /// Time of each target in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, conflicts_with = "hours")]
    seconds: u64,
    /// Time of all targets together in hours; of the processor where the system reports it, so that
    /// other work does not shorten a run.
    #[arg(long)]
    hours: Option<f64>,
    /// Longest that one input may take. A bake of the scenes that the fuzzers make takes
    /// milliseconds, but a farm of low priority may wait for its turn.
    #[arg(long, value_name = "SECONDS", default_value_t = 25)]
    input_seconds: u32,
    /// List the targets, and nothing else.
    #[arg(long)]
    list: bool,
}

impl FuzzArgs {
    /// Every target for this time.
    pub(crate) fn for_seconds(seconds: u64) -> Self {
        Self { target: String::new(), seconds, hours: None, input_seconds: 25, list: false }
    }
}

/// Result of a target.
struct Row {
    target: String,
    seconds: u64,
    executions: u64,
    /// Edges covered and features, as libFuzzer counts them.
    coverage: u64,
    features: u64,
    findings: usize,
}

/// Fails if there is a finding.
pub(crate) fn run(args: &FuzzArgs) -> Result<()> {
    let folder = root().join("fuzz");
    let targets = targets(&folder, &args.target)?;
    ensure!(!targets.is_empty(), "there is no target {:?}", args.target);
    if args.list {
        targets.iter().for_each(|target| eprintln!("{target}"));
        return Ok(());
    }
    let (each, clock): (_, fn() -> Duration) = match args.hours {
        Some(hours) => {
            let all = Duration::try_from_secs_f64(hours * 3600.0).context("a number of hours")?;
            (all / u32::try_from(targets.len())?, processor_time)
        }
        None => (Duration::from_secs(args.seconds), time),
    };
    build(&targets)?;
    let programs = folder.join("target").join(host()?).join("release");
    eprintln!(
        "{:<14} {:>8} {:>12} {:>8} {:>8} {:>8}",
        "target", "seconds", "executions", "cov", "ft", "findings"
    );
    let mut findings = 0;
    for target in targets {
        // Printed at once: the farm may be ended at any time.
        let row = fuzz(
            &folder,
            &programs.join(&target),
            target,
            Limits { each, clock, input: args.input_seconds },
        )?;
        findings += row.findings;
        let Row { target, seconds, executions, coverage, features, findings } = row;
        eprintln!("{target:<14} {seconds:>8} {executions:>12} {coverage:>8} {features:>8} {findings:>8}");
    }
    ensure!(findings == 0, "{findings} findings, in {}", folder.join("artifacts").display());
    Ok(())
}

/// The names of the files in `fuzz_targets`.
fn targets(folder: &Path, part: &str) -> Result<Vec<String>> {
    let names = names_in(&folder.join("fuzz_targets"))?;
    let target = |name: &String| name.trim_end_matches(".rs").to_owned();
    Ok(names.iter().map(target).filter(|target| target.contains(part)).collect())
}

/// Builds without a sanitizer: no crate of the workspace has unsafe code, and a fuzzer without one
/// sees twice as many inputs.
fn build(targets: &[String]) -> Result<()> {
    let only = if let [one] = targets { std::slice::from_ref(one) } else { &[] };
    run_command(command("fuzz", "cargo", "+nightly fuzz build --sanitizer none").args(only))
        .context("the fuzzers need `rustup toolchain install nightly` and `cargo install cargo-fuzz`")
}

/// The platform that is built for.
fn host() -> Result<String> {
    let text = output("rustc", "-vV")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// Time of a target, its clock, and the limit of one input, in seconds.
struct Limits {
    each: Duration,
    clock: fn() -> Duration,
    input: u32,
}

/// The time since the first call.
fn time() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// Returns the processor time of ended child programs; the wall time where the system does not
/// report it.
fn processor_time() -> Duration {
    // Fields 16 and 17 of proc_pid_stat(5), in hundredths of a second; the name before them may
    // hold blanks.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = |field: usize| fields.split_whitespace().nth(field - 3)?.parse::<u64>().ok();
    match (ticks(16), ticks(17)) {
        (Some(user), Some(system)) => Duration::from_millis(10 * (user + system)),
        _ => time(),
    }
}

/// Runs a target, again after each finding, until its time is over.
fn fuzz(folder: &Path, program: &Path, target: String, limits: Limits) -> Result<Row> {
    let Limits { each, clock, input } = limits;
    let artifacts = folder.join("artifacts").join(&target);
    let corpus = folder.join("corpus").join(&target);
    for folder in [&artifacts, &corpus] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let seeds = Some(folder.join("seeds").join(&target)).filter(|seeds| seeds.is_dir());
    let mut row = Row { target, seconds: 0, executions: 0, coverage: 0, features: 0, findings: 0 };
    let begin = clock();
    let spent = || clock().saturating_sub(begin);
    let mut left = each.as_secs().max(1);
    while left > 0 {
        let output = Command::new(program)
            .arg(&corpus)
            .args(&seeds)
            .arg(format!("-max_total_time={left}"))
            .arg(format!("-timeout={input}"))
            .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .args(["-max_len=16384", "-print_final_stats=1"])
            .env("RAYON_NUM_THREADS", "1")
            .current_dir(folder)
            .output()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stderr);
        row.note(&text);
        left =
            Some(each.saturating_sub(spent()).as_secs()).filter(|&left| left >= LEAST_SECONDS).unwrap_or(0);
        if output.status.success() {
            continue;
        }
        row.findings += 1;
        let artifact =
            text.lines().rev().find_map(|line| Some(PathBuf::from(line.split_once("written to ")?.1)));
        let Some(artifact) = artifact else {
            bail!("{} ended with {}:\n{text}", program.display(), output.status)
        };
        let why = text.lines().find(|line| line.contains("panicked at") || line.contains("ERROR"));
        eprintln!("finding: {} ({})", artifact.display(), why.unwrap_or("no panic").trim());
        fs::write(artifact.with_extension("log"), text.as_bytes())?;
        if row.findings == MOST_FINDINGS {
            break;
        }
    }
    row.seconds = spent().as_secs();
    Ok(row)
}

impl Row {
    /// Adds the figures that libFuzzer printed: of the last line with coverage, and of the end.
    fn note(&mut self, text: &str) {
        let number = |line: &str, key: &str| -> Option<u64> {
            line.split_once(key)?.1.split_whitespace().next()?.parse().ok()
        };
        for line in text.lines().rev() {
            if let (Some(coverage), Some(features)) = (number(line, " cov: "), number(line, " ft: ")) {
                self.coverage = self.coverage.max(coverage);
                self.features = self.features.max(features);
                break;
            }
        }
        let done = text.lines().rev().find_map(|line| {
            number(line, "stat::number_of_executed_units:")
                .or_else(|| line.strip_prefix('#')?.split_whitespace().next()?.parse().ok())
        });
        self.executions += done.unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_fuzzer_are_read() {
        let mut row =
            Row { target: "a".into(), seconds: 0, executions: 0, coverage: 0, features: 0, findings: 0 };
        row.note(
            "INFO: seed corpus\n#2\tINITED cov: 20 ft: 30 corp: 1/1b\n#4096\tpulse  cov: 421 ft: 900 corp: 2/9b\n\
             Done 5000 runs in 3 second(s)\nstat::number_of_executed_units: 5000\nstat::average_exec_per_sec: 9",
        );
        assert_eq!((row.coverage, row.features, row.executions), (421, 900, 5000));
        // A fuzzer that was ended by a finding prints no figures at its end.
        row.note("#2\tINITED cov: 20 ft: 30 corp: 1/1b\n#700\tNEW    cov: 400 ft: 950 corp: 2/9b\nthread panicked at");
        assert_eq!((row.coverage, row.features, row.executions), (421, 950, 5700));
    }
}

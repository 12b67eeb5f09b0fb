//! `cargo xtask cases FOLDER`: runs inputs that once gave a wrong result, and compares with the
//! right values.
//!
//! A case is a folder with inputs, `cmd.txt` (one command a line) and `expected.txt` (the right
//! value for people).

#![expect(clippy::print_stdout, reason = "the table is what the command is for")]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::Value;

use crate::tidy::names_in;
use crate::{cargo, target};

#[derive(Debug, Args)]
pub(crate) struct CasesArgs {
    /// Folder with a folder per case.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Only cases whose names begin with one of these.
    #[arg(value_name = "CASE")]
    only: Vec<String>,
    /// Python with the package `waymesh`, for cases with a program. Default: that of
    /// WAYMESH_PYTHON, or python3.
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
    /// Program to run instead of a build of this checkout.
    #[arg(long, value_name = "PROGRAM")]
    program: Option<PathBuf>,
    /// Print standard error of each command.
    #[arg(long)]
    notes: bool,
}

/// A property of the output of a case that a machine can check.
enum Want {
    /// Exit code of the last command.
    Exit(i32),
    /// Area of the mesh in square metres, within .5 %.
    Area(f64),
    /// Length of the last path in metres, within .5 %.
    Length(f64),
    /// Smallest number of points of the last path.
    Points(usize),
    /// A word of a warning or of an error, in any case.
    Says(&'static str),
    /// Numbers that the Python program prints, within 1 mm.
    Prints(&'static [f64]),
    /// Every number that the Python program prints is 1.
    PrintsOnes,
}

use Want::{Area, Exit, Length, Points, Prints, PrintsOnes, Says};

/// Right values of a case: one list of alternatives must hold as a whole.
struct Known {
    name: &'static str,
    any: &'static [&'static [Want]],
    /// Other inputs of the folder, which must give the same values.
    twins: &'static [&'static str],
}

const fn known(name: &'static str, any: &'static [&'static [Want]]) -> Known {
    Known { name, any, twins: &[] }
}

const KNOWN: &[Known] = &[
    known("D1-polygon-door", &[&[Exit(0)], &[Says("door")]]),
    known("G04-width-as-text", &[&[Area(78.4)], &[Says("width")]]),
    known("J1-jump-over-drop", &[&[Exit(0)]]),
    known("Q15a-step-along-wall", &[&[Prints(&[-8.3934, 0.0, 5.5934])]]),
    known("Q15b-step-at-corner", &[&[Prints(&[6.47, 0.0, -2.932, 4.192, 0.0, -2.932])]]),
    known("Q16-ray-along-path", &[&[PrintsOnes]]),
    known("S02-physical-size", &[&[Area(80.0)], &[Says("physical size")], &[Says("mm")]]),
    Known { twins: &["attribute.svg", "visibility.svg"], ..known("S03-hidden", &[&[Area(8000.0)]]) },
    Known { twins: &["px.svg"], ..known("S09-stroke-width-in-style", &[&[Area(7756.0)]]) },
    Known { twins: &["css.svg", "root.svg"], ..known("S13-fill-none-of-group", &[&[Area(7756.0)]]) },
    known("V04-headroom", &[&[Exit(0)]]),
    known("V06b-reversed-winding", &[&[Says("face down")], &[Says("faces down")], &[Says("facing down")]]),
    // The area of the same floor facing up, at cells of 0.1 m; without a grid it is 88.4 m2.
    known("V06d-double-sided", &[&[Area(84.64)], &[Says("both sides")], &[Says("doubleSided")]]),
    known("V12b-georeferenced", &[&[Exit(0)], &[Says("far from the origin")], &[Says("--origin")]]),
    // The mesh follows the hill within a level of 0.2 m: 29.0 to 29.2 m.
    known("V14a-path-through-hill", &[&[Length(29.1), Points(3)]]),
    known("V14c-ridge-or-flat", &[&[Length(20.99)]]),
    known("V18-z-up-room", &[&[Says("--up z")]]),
    Known {
        twins: &["in.ply", "triangles.obj"],
        ..known("V37a-concave-face", &[&[Area(72.0), Length(16.65)]])
    },
    known("V37d-utf16", &[&[Exit(0)], &[Says("UTF-16")]]),
    known("V40b-scene-without-nodes", &[&[Exit(0)]]),
];

/// Output of the commands of a case.
#[derive(Default)]
struct Found {
    codes: Vec<String>,
    exit: Option<i32>,
    area: Option<f64>,
    length: Option<f64>,
    points: usize,
    notes: String,
    numbers: Option<Vec<f64>>,
    /// A command that was not run, with the reason.
    skipped: Option<&'static str>,
}

/// Runs all cases and prints a table.
pub(crate) fn run(args: &CasesArgs) -> Result<()> {
    let program = match &args.program {
        Some(program) => std::path::absolute(program)?,
        None => {
            cargo(&["build", "--locked", "--package", "waymesh-cli"], &[])?;
            let program = target().join("debug").join(format!("waymesh{}", std::env::consts::EXE_SUFFIX));
            std::path::absolute(program)?
        }
    };
    let python = args.python.clone().or_else(|| std::env::var_os("WAYMESH_PYTHON").map(PathBuf::from));
    let python = python.unwrap_or_else(|| "python3".into());
    let has_package = Command::new(&python).args(["-c", "import waymesh"]).output();
    let python = has_package.is_ok_and(|output| output.status.success()).then_some(python);
    let mut names = names_in(&args.folder)?;
    names.retain(|name| args.folder.join(name).join("cmd.txt").is_file());
    names.retain(|name| args.only.is_empty() || args.only.iter().any(|start| name.starts_with(start)));
    ensure!(!names.is_empty(), "{} has no case", args.folder.display());
    println!("| case | expected | exit | found | verdict |");
    println!("|---|---|---|---|---|");
    let (mut wrong, mut skipped) = (Vec::new(), 0);
    for name in &names {
        let folder = args.folder.join(name);
        let expected = std::fs::read_to_string(folder.join("expected.txt")).unwrap_or_default();
        let known = KNOWN.iter().find(|known| known.name == name);
        let twins = known.map_or(&[][..], |known| known.twins);
        for twin in [None].into_iter().chain(twins.iter().copied().map(Some)) {
            let row = twin.map_or_else(|| name.clone(), |twin| format!("{name} ({twin})"));
            let found = run_case(&folder, twin, &program, python.as_deref())?;
            let verdict = match (known, found.skipped) {
                (_, Some(why)) => {
                    skipped += 1;
                    format!("SKIPPED: {why}")
                }
                (None, None) => "read it".to_owned(),
                (Some(known), None) if found.is_right(known.any) => "right".to_owned(),
                (Some(_), None) => {
                    wrong.push(row.clone());
                    "WRONG".to_owned()
                }
            };
            let expected = expected.trim().replace('\n', " ").replace('|', "/");
            let codes = found.codes.join(", ");
            println!("| {row} | {expected} | {codes} | {} | {verdict} |", found.figures());
            if args.notes {
                eprint!("{}", found.notes);
            }
        }
    }
    println!("\n{} cases, {} wrong, {skipped} skipped", names.len(), wrong.len());
    if !wrong.is_empty() {
        bail!("wrong: {}", wrong.join(", "));
    }
    Ok(())
}

/// Runs the commands of a case in an empty folder. `twin` takes the place of the input `in.*`.
fn run_case(folder: &Path, twin: Option<&str>, program: &Path, python: Option<&Path>) -> Result<Found> {
    let scratch = target().join("cases").join(folder.file_name().unwrap_or_default());
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).with_context(|| format!("cannot empty {}", scratch.display()))?;
    }
    std::fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        if file.is_file() {
            std::fs::copy(&file, scratch.join(file.file_name().unwrap_or_default()))?;
        }
    }
    let commands = std::fs::read_to_string(folder.join("cmd.txt"))?;
    let mut found = Found::default();
    for line in commands.lines().filter(|line| !line.trim().is_empty()) {
        let is_input = |word: &str| Path::new(word).file_stem().is_some_and(|stem| stem == "in");
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if let Some(twin) = twin {
            words.iter_mut().filter(|word| is_input(word)).for_each(|word| *word = twin);
        }
        let (first, words) = words.split_first().context("a line without a command")?;
        let mut command = match (*first, python) {
            ("waymesh", _) => {
                let mut command = Command::new(program);
                command.arg("--json");
                command
            }
            ("python", Some(python)) => Command::new(python),
            ("python", None) => {
                found.skipped = Some("no Python with the package waymesh (--python)");
                continue;
            }
            _ => bail!("{}: {first} is neither waymesh nor python", folder.display()),
        };
        let output = command.args(words).current_dir(&scratch).output();
        let output = output.with_context(|| format!("cannot start {first}"))?;
        let code = output.status.code();
        found.codes.push(code.map_or_else(|| "none".to_owned(), |code| code.to_string()));
        found.exit = code;
        found.notes += &String::from_utf8_lossy(&output.stderr);
        let text = String::from_utf8_lossy(&output.stdout);
        if *first == "python" {
            let words = text.split(|letter: char| letter.is_whitespace() || "[](),".contains(letter));
            found.numbers = Some(words.filter_map(|word| word.parse().ok()).collect());
        } else if let Ok(value) = serde_json::from_str::<Value>(&text) {
            found.area = value["mesh_area"].as_f64().or(found.area);
            found.length = value["length"].as_f64().or(found.length);
            found.points = value["points"].as_array().map_or(found.points, Vec::len);
        }
    }
    Ok(found)
}

impl Found {
    fn is_right(&self, any: &[&[Want]]) -> bool {
        any.iter().any(|all| all.iter().all(|want| self.has(want)))
    }

    fn has(&self, want: &Want) -> bool {
        let is_near = |found: Option<f64>, right: f64| {
            found.is_some_and(|found| (found - right).abs() <= right * 0.005)
        };
        match *want {
            Exit(code) => self.exit == Some(code),
            Area(area) => is_near(self.area, area),
            Length(length) => is_near(self.length, length),
            Points(count) => self.points >= count,
            Says(words) => self.notes.to_lowercase().contains(&words.to_lowercase()),
            Prints(right) => self.numbers.as_ref().is_some_and(|numbers| {
                numbers.len() == right.len()
                    && numbers.iter().zip(right).all(|(found, right)| (found - right).abs() <= 0.001)
            }),
            PrintsOnes => self.numbers.as_ref().is_some_and(|numbers| {
                !numbers.is_empty() && numbers.iter().all(|number| (number - 1.0).abs() < 1e-9)
            }),
        }
    }

    /// The key figures in words, and the first note.
    fn figures(&self) -> String {
        let area = self.area.map(|area| format!("{area:.2} m2"));
        let length = self.length.map(|length| format!("path {length:.3} m, {} points", self.points));
        let numbers = self.numbers.as_ref().map(|numbers| format!("printed {numbers:?}"));
        let mut notes = self.notes.lines().map(str::trim).filter(|line| !line.is_empty());
        let note = notes.next().map(|line| format!("\"{}\"", line.replace('|', "/")));
        let more = notes.count();
        let more = (more > 0).then(|| format!("{more} more lines of notes"));
        [area, length, numbers, note, more].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

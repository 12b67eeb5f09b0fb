//! Files by name; `-` is standard input or standard output.

use std::io::{BufWriter, Cursor, Error, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use waymesh::bake::HeadRoomReport;
use waymesh::graph::MeshFormat;
use waymesh::io::{IoError, SaveFormat};
use waymesh::{NavMesh, io};

use crate::refusal::Refusal;

/// Name of the temporary file for standard input, without its ending.
const STDIN: &str = "stdin";

/// Temporary file for standard input, so that messages do not show its name.
static STDIN_FILE: OnceLock<String> = OnceLock::new();

/// Returns a message with "standard input" in place of the name of its temporary file.
pub(crate) fn with_standard_input(message: &str) -> String {
    STDIN_FILE.get().map_or_else(|| message.to_owned(), |file| message.replace(file, "standard input"))
}

/// A writer that can seek, which some formats need.
pub(crate) trait WriteSeek: Write + Seek {}
impl<W: Write + Seek> WriteSeek for W {}

/// Returns `true` if the name means standard input or output.
pub(crate) fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

/// Checks that a file exists and is no folder. Standard input is fine.
pub(crate) fn check_input(file: &Path) -> Result<(), IoError> {
    if is_standard(file) {
        return Ok(());
    }
    let failed = |source| IoError::Read { file: file.to_path_buf(), source };
    match file.metadata() {
        Ok(data) if data.is_dir() => {
            Err(failed(Error::new(ErrorKind::IsADirectory, "it is a folder; name the files in it")))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let tip = similar_name(file).map_or_else(String::new, |name| format!("; there is {name}"));
            Err(failed(Error::new(ErrorKind::NotFound, format!("there is no such file{tip}"))))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Returns the name in the folder of a missing file that is most like its own.
fn similar_name(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let entries = std::fs::read_dir(folder_of(file)).ok()?;
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let similar = most_similar(name, names.iter().map(String::as_str))?;
    Some(file.with_file_name(similar).display().to_string())
}

/// Returns the candidate that is most like a word, if it may be a slip of it.
pub(crate) fn most_similar<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Least likeness (Jaro and Winkler) of a tip, as of those of clap for arguments.
    const LEAST: f64 = 0.8;
    let rated = candidates.map(|candidate| (strsim::jaro_winkler(word, candidate), candidate));
    rated.filter(|rated| rated.0 > LEAST).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, candidate)| candidate)
}

/// Returns the folder that a file is in.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that a command will write, and the option that names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output<'a> {
    pub(crate) option: &'static str,
    pub(crate) file: &'a Path,
    /// Endings that the name may have; empty for any, where others check it.
    pub(crate) endings: &'static [&'static str],
}

/// Checks files that a command will write, so that no work is lost: their endings, folders and
/// rights, that no two are the same, and that none is an input.
pub(crate) fn check_outputs(outputs: &[Output<'_>], inputs: &[PathBuf]) -> Result<()> {
    console(outputs.iter().map(|output| output.file))?;
    let mut names: Vec<(&str, PathBuf)> = Vec::new();
    let inputs: Vec<PathBuf> = inputs.iter().filter_map(|input| input.canonicalize().ok()).collect();
    for Output { option, file, endings } in outputs.iter().filter(|output| !is_standard(output.file)) {
        let failed = |why: String| unwritable(option, file, why);
        let refuse = |why: String| Err(Refusal(format!("{option} {}: {why}", file.display())).into());
        let old = file.metadata().ok();
        if old.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return failed("it is a folder; add the name of a file".to_owned());
        }
        // A device or a pipe takes what is written, whatever its name.
        if old.as_ref().is_some_and(|data| !data.is_file()) {
            continue;
        }
        let ending = file.extension().unwrap_or_default();
        if !endings.is_empty() && !endings.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
            return refuse(format!("the name of such a file ends in .{}", endings.join(" or .")));
        }
        let folder = folder_of(file);
        match folder.metadata() {
            Ok(data) if data.is_dir() => {}
            Ok(_) => return failed(format!("{} is no folder", folder.display())),
            Err(_) => {
                return failed(format!("the folder {} does not exist; make it first", folder.display()));
            }
        }
        check_rights(folder).or_else(failed)?;
        let name = folder.canonicalize()?.join(file.file_name().unwrap_or_default());
        let name = name.canonicalize().unwrap_or(name);
        if inputs.contains(&name) {
            return refuse("it would replace an input; give it another name".to_owned());
        }
        if let Some((other, _)) = names.iter().find(|(_, other)| *other == name) {
            return refuse(format!("{other} writes the same file; give one of them another name"));
        }
        names.push((option, name));
    }
    Ok(())
}

/// Checks that files can be made in a folder that a command will make or fill.
pub(crate) fn check_folder(option: &'static str, folder: &Path) -> Result<()> {
    let mut existing = folder;
    while !existing.exists() {
        existing = folder_of(existing);
    }
    let why = if existing.is_dir() {
        check_rights(existing)
    } else {
        Err(format!("{} is no folder", existing.display()))
    };
    why.or_else(|why| unwritable(option, folder, why))
}

fn unwritable(option: &'static str, file: &Path, why: String) -> Result<()> {
    let source = Error::other(why);
    Err(anyhow::Error::new(IoError::Write { file: file.to_path_buf(), source }).context(option))
}

/// Returns what the system says, without the name of a temporary file, if no file can be made in a
/// folder.
fn check_rights(folder: &Path) -> Result<(), String> {
    let reason = |error: Error| match error.raw_os_error() {
        Some(code) => Error::from_raw_os_error(code).to_string(),
        None => error.kind().to_string(),
    };
    tempfile::tempfile_in(folder)
        .map(drop)
        .map_err(|error| format!("no file can be made in the folder {}: {}", folder.display(), reason(error)))
}

/// Reads a whole file.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>> {
    if is_standard(file) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    check_input(file)?;
    Ok(std::fs::read(file).map_err(|source| IoError::Read { file: file.to_path_buf(), source })?)
}

/// Reads a text file.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    String::from_utf8(read(file)?).with_context(|| format!("{} is not a text file", file.display()))
}

/// Reads a mesh.
pub(crate) fn open_mesh(file: &Path) -> Result<NavMesh> {
    parse_mesh(file, read(file)?)
}

/// Reads a mesh from the bytes of a file. Warns of what a file of Detour loses.
pub(crate) fn parse_mesh(file: &Path, bytes: Vec<u8>) -> Result<NavMesh> {
    if !io::is_detour(&bytes) {
        return Ok(io::parse_mesh(file, bytes)?);
    }
    let read = io::parse_detour(file, &bytes)?;
    for loss in read.report.losses() {
        tracing::warn!("{}: {loss}", file.display());
    }
    Ok(read.mesh)
}

/// Returns a mesh as the bytes of a file. Warns of what a file of Detour has no place for: its
/// readers take their own defaults.
pub(crate) fn mesh_bytes(mesh: &NavMesh, format: SaveFormat, file: &Path) -> Result<Vec<u8>> {
    if format == SaveFormat::Detour {
        let has_costs = mesh.area_table().iter().any(|(_, area)| (area.cost - 1.0).abs() > 0.0);
        let losses = [
            (true, "the steepest slope of the agent"),
            (has_costs, "costs of areas"),
            (!mesh.links().is_empty(), "costs and kinds of links"),
            (!HeadRoomReport::all(mesh).is_empty(), "classes of head room"),
        ];
        let losses: Vec<_> =
            losses.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, what)| what).collect();
        tracing::warn!("{}: files of Detour do not have {}", file.display(), losses.join(", "));
    }
    Ok(format.bytes(mesh, file)?)
}

/// Returns the format that a mesh is written in: by the ending of the name, or `standard` for
/// standard output. Refuses any other ending.
pub(crate) fn mesh_format(file: &Path, standard: MeshFormat) -> Result<SaveFormat> {
    if is_standard(file) { Ok(SaveFormat::Own(standard)) } else { Ok(io::mesh_format(file)?) }
}

/// Makes a file, or replaces it, with what `write` writes: see [`io::write_file`].
pub(crate) fn write(
    file: &Path,
    write: impl FnOnce(&mut dyn WriteSeek) -> std::io::Result<()>,
) -> Result<()> {
    if !is_standard(file) {
        return Ok(io::write_file(file, |writer: &mut BufWriter<_>| write(writer))?);
    }
    let mut bytes = Cursor::new(Vec::new());
    write(&mut bytes)?;
    let mut out = std::io::stdout().lock();
    out.write_all(bytes.get_ref())?;
    Ok(out.flush()?)
}

/// `true` for `--quiet`: messages go nowhere.
static QUIET: OnceLock<bool> = OnceLock::new();

pub(crate) fn set_quiet(is_quiet: bool) {
    QUIET.get_or_init(|| is_quiet);
}

pub(crate) fn is_quiet() -> bool {
    QUIET.get().copied().unwrap_or(false)
}

fn unless_quiet(out: impl Write + 'static) -> Box<dyn Write> {
    if is_quiet() { Box::new(std::io::sink()) } else { Box::new(out) }
}

/// Returns where messages of a command go that writes no file: standard output, or nowhere with
/// `--quiet`.
pub(crate) fn stdout() -> Box<dyn Write> {
    unless_quiet(std::io::stdout().lock())
}

/// Returns where messages go: standard output, standard error if one of `files` is standard
/// output, or nowhere with `--quiet`.
pub(crate) fn console<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<Box<dyn Write>> {
    match files.into_iter().filter(|file| is_standard(file.as_ref())).count() {
        0 => Ok(stdout()),
        1 => Ok(unless_quiet(std::io::stderr().lock())),
        _ => Err(Refusal("only one file can go to standard output".into()).into()),
    }
}

/// Writes indented JSON.
pub(crate) fn write_json(out: &mut impl Write, value: &impl serde::Serialize) -> Result<()> {
    // An error of the writer: a closed pipe is no failure.
    serde_json::to_writer_pretty(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Prints the names of the files that were written, as lines or as JSON.
pub(crate) fn list(files: &[PathBuf], json: bool) -> Result<()> {
    let mut out = console(files)?;
    if json {
        return write_json(&mut out, &serde_json::json!({ "files": files }));
    }
    list_lines(&mut out, files)
}

/// Prints names of files, one per line, without standard output.
pub(crate) fn list_lines(out: &mut impl Write, files: &[PathBuf]) -> Result<()> {
    for file in files.iter().filter(|file| !is_standard(file)) {
        writeln!(out, "{}", file.display())?;
    }
    Ok(())
}

/// Input files. Standard input is stored in a temporary file, because some readers read twice.
#[derive(Debug)]
pub(crate) struct Inputs {
    /// The files to read.
    pub(crate) files: Vec<PathBuf>,
    _folder: Option<TempDir>,
}

impl Inputs {
    /// Stores standard input if it is among `files`, with the ending `format`.
    pub(crate) fn new(files: &[PathBuf], format: Option<&str>) -> Result<Self> {
        let mut files = files.to_vec();
        files.iter().try_for_each(|file| check_input(file))?;
        let mut standard = files.iter_mut().filter(|file| is_standard(file));
        let Some(file) = standard.next() else { return Ok(Self { files, _folder: None }) };
        if standard.next().is_some() {
            bail!(Refusal("standard input can be read once only".into()));
        }
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let bytes = read(file)?;
        *file = folder.path().join(STDIN).with_extension(format.unwrap_or_default());
        let _ = STDIN_FILE.set(file.display().to_string());
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { files, _folder: Some(folder) })
    }
}

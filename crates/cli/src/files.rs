//! Files by name; `-` is standard input or standard output.

use std::io::{BufWriter, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;
use waymesh::graph::MeshFormat;
use waymesh::io::SaveFormat;
use waymesh::{NavMesh, io};

use crate::errors::Refusal;

/// Name of the temporary file for standard input, without its ending.
const STDIN: &str = "stdin";

/// A writer that can seek, which some formats need.
pub(crate) trait WriteSeek: Write + Seek {}
impl<W: Write + Seek> WriteSeek for W {}

/// `true` if the name stands for standard input or output.
pub(crate) fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

/// Reads a whole file.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>> {
    if is_standard(file) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    Ok(std::fs::read(file).map_err(|source| io::IoError::Read { file: file.to_path_buf(), source })?)
}

/// Reads a text file.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    String::from_utf8(read(file)?).with_context(|| format!("{} is not a text file", file.display()))
}

/// Reads a mesh.
pub(crate) fn open_mesh(file: &Path) -> Result<NavMesh> {
    parse_mesh(file, read(file)?)
}

/// Reads a mesh from the bytes of a file.
pub(crate) fn parse_mesh(file: &Path, bytes: Vec<u8>) -> Result<NavMesh> {
    Ok(io::parse_mesh(file, bytes)?)
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

/// Returns where messages go: standard output, or standard error if one of `files` is standard
/// output.
pub(crate) fn console<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Result<Box<dyn Write>> {
    match files.into_iter().filter(|file| is_standard(file)).count() {
        0 => Ok(Box::new(std::io::stdout().lock())),
        1 => Ok(Box::new(std::io::stderr().lock())),
        _ => Err(Refusal("only one file can go to standard output".into()).into()),
    }
}

/// Writes indented JSON.
pub(crate) fn write_json(out: &mut impl Write, value: &impl serde::Serialize) -> Result<()> {
    // As an error of the writer: a closed pipe is no failure.
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
        let mut standard = files.iter_mut().filter(|file| is_standard(file));
        let Some(file) = standard.next() else { return Ok(Self { files, _folder: None }) };
        if standard.next().is_some() {
            return Err(Refusal("standard input can be read once only".into()).into());
        }
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let bytes = read(file)?;
        *file = folder.path().join(STDIN).with_extension(format.unwrap_or_default());
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { files, _folder: Some(folder) })
    }
}

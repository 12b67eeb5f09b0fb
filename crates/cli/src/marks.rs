//! `--marks`: volumes that give ground another area, from a TOML file. Settings may be in the same
//! file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use waymesh::AreaTable;
use waymesh::fields::{Entries, Value, shape_of};
use waymesh::io::{IoError, LoadOptions, load_with};
use waymesh::voxel::Mark;

use crate::refusal::Refusal;
use crate::{config, files};

/// Returns a value of TOML as one of a setting. A mesh may be a scene file; a relative name is
/// looked for in `folder`.
fn value_of(name: &str, value: &toml::Value, folder: &Path) -> Result<Value> {
    Ok(match value {
        toml::Value::String(file) if name == "mesh" => mesh_of(folder.join(file))?,
        toml::Value::Boolean(flag) => Value::from(*flag),
        toml::Value::Integer(number) => Value::from(*number as f64),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Array(values) => {
            Value::List(values.iter().map(|value| value_of("", value, folder)).collect::<Result<_>>()?)
        }
        toml::Value::Table(table) => Value::Entries(entries_of(table, folder)?),
        other => Value::Text(other.as_str().map_or_else(|| other.to_string(), str::to_owned)),
    })
}

fn entries_of(table: &toml::Table, folder: &Path) -> Result<Vec<(String, Value)>> {
    table.iter().map(|(name, value)| Ok((name.clone(), value_of(name, value, folder)?))).collect()
}

/// Returns the corners and triangles of a scene file.
fn mesh_of(file: PathBuf) -> Result<Value> {
    let failed = |source| IoError::Read { file: file.clone(), source };
    if !std::fs::metadata(&file).map_err(failed)?.is_file() {
        bail!(Refusal(format!("{} is no regular file", file.display())));
    }
    Ok(Value::from(&load_with(&[file], &LoadOptions::default())?))
}

/// Reads the marks of a file. Their areas, `NAME[:COST]` or `blocked`, join those of the table.
pub(crate) fn read(file: &Path, areas: &mut AreaTable) -> Result<Vec<Mark>> {
    of(&written(file)?, file, areas)
}

/// Reads the marks of a file as they are stored: with the meshes of other files in them.
pub(crate) fn stored(file: &Path) -> Result<Vec<toml::Value>> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let stored = |mark| Ok(toml::Value::try_from(value_of("", mark, folder)?)?);
    written(file)?.iter().map(stored).collect()
}

/// Reads the marks of a file as they are written.
fn written(file: &Path) -> Result<Vec<toml::Value>> {
    let text = files::read_text(file)?;
    let table: toml::Table =
        toml::from_str(&text).with_context(|| format!("{} is not a file of marks", file.display()))?;
    // `--config` reads the settings of the same file.
    let is_known =
        |key: &str, value: &toml::Value| key == "mark" || config::is_setting(key) && !is_section(value);
    if let Some((key, _)) = table.iter().find(|(key, value)| !is_known(key, value)) {
        bail!(Refusal(format!("{}: {key} is no setting; marks are [[mark]]", file.display())));
    }
    match table.get("mark") {
        None => Ok(Vec::new()),
        Some(toml::Value::Array(marks)) => Ok(marks.clone()),
        Some(_) => Err(Refusal(format!("{}: marks are [[mark]]", file.display())).into()),
    }
}

/// Returns marks that are written in a file.
pub(crate) fn of(marks: &[toml::Value], file: &Path, areas: &mut AreaTable) -> Result<Vec<Mark>> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let mark = |(number, mark): (usize, &toml::Value)| {
        let mark = mark.as_table().ok_or_else(|| Refusal("it is no table".to_owned()));
        let read = mark.map_err(Into::into).and_then(|mark| read_mark(mark, folder, areas));
        read.with_context(|| format!("{}: mark {}", file.display(), number + 1))
    };
    marks.iter().enumerate().map(mark).collect()
}

fn read_mark(mark: &toml::Table, folder: &Path, areas: &mut AreaTable) -> Result<Mark> {
    let given = entries_of(mark, folder)?;
    let mut entries = Entries::new("mark", &given);
    let area = entries.take("area").and_then(Value::to::<String>);
    let area =
        areas.named(&area.ok_or_else(|| Refusal("it needs an area: NAME[:COST] or blocked".to_owned()))?)?;
    let shape = shape_of(&mut entries)?;
    entries.finish()?;
    Ok(Mark::new(shape, area))
}

/// Returns `true` for a table and for a list of tables.
fn is_section(value: &toml::Value) -> bool {
    value.is_table() || value.as_array().is_some_and(|values| values.iter().any(toml::Value::is_table))
}

#[cfg(test)]
mod tests {
    use waymesh_testkit::{Random, text::damaged};

    use super::*;

    /// For any bytes there are marks or an error.
    #[test]
    fn damaged_marks_never_panic() {
        const MARKS: &str = r#"
[[mark]]
area = "mud:3"
box = { min = [0, -1, 0], max = [4, 1, 8] }
[[mark]]
area = "blocked"
cylinder = { base = [6, 0, 3], radius = 2, height = 1 }
[[mark]]
area = "water:2"
prism = { corners = [[10, 4], [12, 4], [12, 8]], heights = [-1, 1] }
[[mark]]
area = "water"
mesh = { corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
"#;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("marks.toml");
        let mut random = Random::new(9);
        let (mut refused, mut marks) = (0, 0);
        for _ in 0..2000 {
            std::fs::write(&file, damaged(MARKS, &mut random)).expect("a file");
            match super::read(&file, &mut AreaTable::default()) {
                Ok(found) => marks += found.len(),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 200 && marks > 50, "{refused} refused, {marks} marks");
    }
}

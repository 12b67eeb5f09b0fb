//! Types of settings for other languages, made from the tables of `waymesh::fields`: they stand
//! between marks such as `<settings>` and `</settings>` in files that are written by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use waymesh::fields::{BAKE, Field, FieldKind, JUMPS, LOAD, PLANS, READ, SLICES, STOREYS, VOXELS, Value};
use waymesh::floorplan::ReadOptions;
use waymesh::io::LoadOptions;
use waymesh::{FloorPlans, JumpConfig, Slices, Storeys, Voxels};

use crate::root;

const PYTHON: &str = "crates/python/python/waymesh/settings.py";
const WASM: &str = "crates/wasm/src/settings.d.ts";
const GUIDE: &str = "docs/book/src/all-settings.md";

/// Longest line of a text that is made.
const WIDTH: usize = 100;

/// A setting as another language has it.
struct Setting {
    name: &'static str,
    kind: FieldKind,
    /// Texts, each with the names of those whose setting it is about.
    about: Vec<(String, Vec<&'static str>)>,
}

/// Returns each file with what it should hold.
pub(crate) fn files() -> Result<Vec<(&'static str, String, String)>> {
    let jumps = list(JUMPS, &JumpConfig::default(), "");
    let bake: Vec<Setting> = BAKE.iter().map(of_bake).collect();
    let tiles = list(VOXELS, &Voxels::default(), "voxels");
    let pipelines = joined([
        list(&VOXELS[..1], &Voxels::default(), "voxels"),
        list(STOREYS, &Storeys::default(), "storeys"),
        list(SLICES, &Slices::default(), "slices"),
    ]);
    let plans = list(PLANS, &FloorPlans::default(), "plans");
    let scenes = list(LOAD, &LoadOptions::default(), "scenes");
    let read = list(READ, &ReadOptions::default(), "plans");
    // Maps of robots are not read in browsers: their parsers are large.
    let is_of_browsers = |setting: &Setting| !setting.name.starts_with("map_");
    let read_there: Vec<Setting> =
        list(READ, &ReadOptions::default(), "").into_iter().filter(is_of_browsers).collect();
    let mut made = vec![
        (WASM, "jumps", typescript(&jumps)),
        (WASM, "bake", typescript(&bake)),
        (WASM, "pipelines", typescript(&pipelines)),
        (WASM, "plans", typescript(&plans)),
        (WASM, "scenes", typescript(&list(LOAD, &LoadOptions::default(), ""))),
        (WASM, "read", typescript(&read_there)),
        (PYTHON, "jumps", python(&jumps)),
        (GUIDE, "bake", markdown(&bake)),
        (GUIDE, "jumps", markdown(&jumps)),
        (GUIDE, "pipelines", markdown(&pipelines)),
        (GUIDE, "tiles", markdown(&tiles[1..])),
        (GUIDE, "plans", markdown(&plans)),
        (GUIDE, "scenes", markdown(&scenes)),
        (GUIDE, "read", markdown(&read)),
    ];
    made.push((PYTHON, "settings", python(&joined([bake, pipelines, tiles, plans, scenes, read]))));
    let mut files: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for (file, mark, text) in made {
        if !files.contains_key(file) {
            let is = fs::read_to_string(root().join(file)).with_context(|| format!("cannot read {file}"))?;
            files.insert(file, (is.clone(), is));
        }
        let Some((_, should)) = files.get_mut(file) else { continue };
        // The marks are comments on separate lines.
        let place = should.find(&format!("<{mark}>")).and_then(|begin| {
            let start = begin + should[begin..].find('\n')? + 1;
            let end = start + should[start..].find(&format!("</{mark}>"))?;
            Some((start, should[start..end].rfind('\n').map_or(0, |line| line + 1)))
        });
        let (start, length) = place.with_context(|| format!("{file} has no <{mark}> and </{mark}>"))?;
        should.replace_range(start..start + length, &text);
    }
    Ok(files.into_iter().map(|(file, (is, should))| (file, is, should)).collect())
}

/// Writes all files.
pub(crate) fn write() -> Result<()> {
    for (file, _, should) in files()? {
        fs::write(root().join(file), should).with_context(|| format!("cannot write {file}"))?;
    }
    Ok(())
}

fn list<T>(fields: &[Field<T>], defaults: &T, owner: &'static str) -> Vec<Setting> {
    let setting = |field: &Field<T>| {
        let default = default_of(&[text_of(&field.get(defaults), field.kind)]);
        let about = vec![(format!("{}{default}", field.about), vec![owner])];
        Setting { name: field.name, kind: field.kind, about }
    };
    fields.iter().map(setting).collect()
}

fn of_bake(field: &Field<waymesh::BakeConfig>) -> Setting {
    let all = field.defaults();
    let common = &all[0].1;
    let mut defaults: Vec<String> = common.iter().map(|own| text_of(own, field.kind)).collect();
    let others = all.iter().filter(|(_, own)| own != common && *own != Some(Value::Unset));
    for (name, own) in others {
        defaults.push(match own {
            Some(own) => format!("{name} {}", text_of(own, field.kind)),
            None => format!("not for {name}"),
        });
    }
    let about = format!("{}{}", field.about, default_of(&defaults));
    Setting { name: field.name, kind: field.kind, about: vec![(about, vec![""])] }
}

/// Joins lists; settings of one name become the first of them, with the texts of all.
fn joined<const COUNT: usize>(lists: [Vec<Setting>; COUNT]) -> Vec<Setting> {
    let mut all: Vec<Setting> = Vec::new();
    for setting in lists.into_iter().flatten() {
        let Some(known) = all.iter_mut().find(|known| known.name == setting.name) else {
            all.push(setting);
            continue;
        };
        for (text, owners) in setting.about {
            match known.about.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => known.extend(owners),
                None => known.about.push((text, owners)),
            }
        }
    }
    all
}

impl Setting {
    /// Its types in Python and in TypeScript.
    fn types(&self) -> [String; 2] {
        if let FieldKind::Choice { choices } = self.kind {
            let words: Vec<String> = choices.iter().map(|word| format!("\"{word}\"")).collect();
            return [format!("Literal[{}]", words.join(", ")), words.join(" | ")];
        }
        let types = match (self.kind, self.name) {
            (FieldKind::Flag, _) => ["bool", "boolean"],
            (_, "threads") => ["int", "0 | 1"],
            (FieldKind::Count { .. }, _) | (_, "max_memory_bytes") => ["int", "number"],
            (FieldKind::Text, name) if name.ends_with("folder") => ["str | PathLike[str]", "string"],
            (FieldKind::Text, _) => ["str", "string"],
            (_, "keep") => [
                "Literal[\"all\", \"largest\"] | float | Sequence[Vec3]",
                "\"all\" | \"largest\" | number | readonly Point[]",
            ],
            (_, "areas") => [
                "Mapping[int, Area]",
                "Record<number, { name: string; cost?: number; colour?: readonly [number, number, number] }>",
            ],
            (_, "marks") => ["Sequence[Mark]", "readonly Mark[]"],
            (_, "jumps") => ["Jumps"; 2],
            (FieldKind::Structure { .. }, _) => ["Sequence[float]", "readonly number[]"],
            _ => ["float", "number"],
        };
        types.map(str::to_owned)
    }

    fn about(&self) -> String {
        let mut parts = Vec::new();
        for (text, owners) in &self.about {
            let mut owners: Vec<&str> = owners.iter().copied().filter(|owner| !owner.is_empty()).collect();
            owners.dedup();
            let owners = owners.join(", ");
            parts.push(if owners.is_empty() { text.clone() } else { format!("{text} For {owners}.") });
        }
        parts.join(" ")
    }
}

/// Returns a value with its unit.
fn text_of(value: &Value, kind: FieldKind) -> String {
    match (value, kind) {
        (Value::Unset, FieldKind::Structure { .. } | FieldKind::Text) => String::new(),
        (Value::Unset, _) => "automatic".to_owned(),
        (Value::List(values), _) if values.is_empty() => "none".to_owned(),
        (Value::Number(_), FieldKind::Number { unit, .. }) if !unit.is_empty() => format!("{value} {unit}"),
        _ => value.to_string(),
    }
}

fn default_of(texts: &[String]) -> String {
    let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { String::new() } else { format!(" Default {}.", texts.join(", ")) }
}

fn python(settings: &[Setting]) -> String {
    let mut text = String::new();
    for setting in settings {
        let (name, [of, _], about) = (setting.name, setting.types(), setting.about());
        let _ = writeln!(text, "    {name}: {of} | None = None");
        wrapped(&mut text, &format!("\"\"\"{about}\"\"\""));
    }
    text
}

fn typescript(settings: &[Setting]) -> String {
    let mut text = String::new();
    for setting in settings {
        let (name, [_, of], about) = (setting.name, setting.types(), setting.about());
        wrapped(&mut text, &format!("/** {about} */"));
        let _ = writeln!(text, "  {name}?: {of};");
    }
    // TypeScript is indented by two, and what is wrapped for Python by four.
    text.lines().map(|line| format!("  {}\n", line.trim_start())).collect()
}

/// Returns a table. The heading above it names the owner of a setting; rows name several.
fn markdown(settings: &[Setting]) -> String {
    let mut text = String::from("\n| name | value | purpose |\n|---|---|---|\n");
    for setting in settings {
        let value = match setting.kind {
            FieldKind::Flag => "true, false".to_owned(),
            FieldKind::Choice { choices } => choices.join(", "),
            FieldKind::Count { .. } => "whole number".to_owned(),
            FieldKind::Number { unit: "", .. } => "number".to_owned(),
            FieldKind::Number { unit, .. } => unit.to_owned(),
            FieldKind::Structure { form } => format!("`{}`", form.replace('|', "\\|")),
            _ => "text".to_owned(),
        };
        let several = setting.about.len() > 1 || setting.about.iter().any(|(_, owners)| owners.len() > 1);
        let about = if several { setting.about() } else { setting.about[0].0.clone() };
        let _ = writeln!(text, "| `{}` | {value} | {about} |", setting.name);
    }
    text + "\n"
}

/// Appends words as lines that are not too long.
fn wrapped(text: &mut String, words: &str) {
    let mut line = "   ".to_owned();
    for word in words.split(' ') {
        if line.len() + word.len() >= WIDTH {
            let _ = writeln!(text, "{line}");
            "   ".clone_into(&mut line);
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_files_have_the_settings_of_the_tables() {
        for (file, is, should) in super::files().expect("files with marks") {
            assert!(is == should, "the settings in {file} are old: run `cargo xtask settings`");
        }
    }
}

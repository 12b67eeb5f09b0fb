//! Settings as a file for the program.

use std::fmt::Write as _;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::fields::{BAKE, Field, JUMPS, PLANS, SLICES, STOREYS, VOXELS, Value};

use crate::convert::entries;
use crate::error::{Kind, Thrown};
use crate::settings::{SETTINGS, check};

/// Settings as a file for `waymesh build --config`, or with `"plans"` for `waymesh plan --config`,
/// with marks. A mesh of the program with this file has the same bytes. Settings that no bake takes
/// are refused.
#[wasm_bindgen(js_name = settingsToToml)]
pub fn settings_to_toml(
    #[wasm_bindgen(unchecked_param_type = "Settings | PlanSettings")] settings: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "\"plans\"")] front: Option<String>,
) -> Thrown<String> {
    let given = entries(SETTINGS, &settings)?;
    let is_plan = match front.as_deref() {
        None => false,
        Some("plans") => true,
        Some(other) => {
            return Err(Kind::Input.error(format_args!("front is {other:?}, but must be \"plans\"")));
        }
    };
    check(&given, is_plan)?;
    let mut text = String::new();
    let pipeline = get(&given, "pipeline").and_then(Value::to::<String>);
    // The program's agent is another one.
    let is_of_agent = !is_plan && pipeline.as_deref() != Some("slices");
    if is_of_agent && get(&given, "agent").is_none() {
        line(&mut text, "agent", &Value::from("recast"));
    }
    if let Some(pipeline) = pipeline.as_deref().filter(|name| ["slices", "storeys"].contains(name)) {
        line(&mut text, "pipeline", &Value::from(pipeline));
    }
    for (name, value) in &given {
        match (name.as_str(), value) {
            ("pipeline", _) | (_, Value::Unset) => {}
            ("max_memory_bytes", Value::Number(bytes)) => {
                line(&mut text, "max-memory", &Value::from((bytes / 1_048_576.0).ceil()));
            }
            ("jumps", Value::Entries(jumps)) => {
                line(&mut text, "jumps", &Value::Flag(true));
                for (name, value) in jumps {
                    let argument =
                        JUMPS.iter().find(|field| field.name == name).and_then(|field| field.argument);
                    line(&mut text, argument.unwrap_or(name), value);
                }
            }
            ("keep", Value::List(seeds)) => {
                let seed = |seed: &Value| {
                    let numbers = seed.to::<Vec<f64>>().unwrap_or_default();
                    Value::Text(numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
                };
                line(&mut text, "seed", &Value::List(seeds.iter().map(seed).collect()));
            }
            ("areas" | "marks", _) => {}
            (name, value) => line(&mut text, argument(name), value),
        }
    }
    write_marks(&mut text, &given);
    Ok(text)
}

/// The value of a name.
fn get<'a>(entries: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
    entries.iter().find(|(given, _)| given == name).map(|(_, value)| value)
}

/// The program's argument for a field; the name of the field where there is none.
fn argument(name: &str) -> &str {
    fn find<T>(fields: &[Field<T>], name: &str) -> Option<&'static str> {
        fields.iter().find(|field| field.name == name).and_then(|field| field.argument)
    }
    find(BAKE, name)
        .or_else(|| find(VOXELS, name))
        .or_else(|| find(STOREYS, name))
        .or_else(|| find(SLICES, name))
        .or_else(|| find(PLANS, name))
        .unwrap_or(name)
}

/// A line of TOML. Words are written as the program has them.
fn line(text: &mut String, name: &str, value: &Value) {
    let name = name.replace('_', "-");
    let value = match value {
        Value::Text(word) => Value::Text(word.replace('_', "-")),
        other => other.clone(),
    };
    let _ = writeln!(text, "{name} = {}", toml(&value));
}

/// A value as TOML writes it.
fn toml(value: &Value) -> String {
    match value {
        Value::Text(text) => {
            let escaped = |letter: char| match letter {
                '"' | '\\' => format!("\\{letter}"),
                control if control.is_control() => format!("\\u{:04X}", u32::from(control)),
                other => other.to_string(),
            };
            format!("\"{}\"", text.chars().map(escaped).collect::<String>())
        }
        Value::List(values) => format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The marks, each a section: they come after all other settings.
fn write_marks(text: &mut String, settings: &[(String, Value)]) {
    let no_areas = Vec::new();
    let areas = if let Some(Value::Entries(areas)) = get(settings, "areas") { areas } else { &no_areas };
    let Some(Value::List(marks)) = get(settings, "marks") else {
        if !areas.is_empty() {
            text.push_str("# areas: without marks, give the program area rules\n");
        }
        return;
    };
    for (number, mark) in (1..).zip(marks) {
        let Value::Entries(parts) = mark else { continue };
        let Some(area) = get(parts, "area").and_then(|area| area_text(area, areas)) else {
            let _ =
                writeln!(text, "# mark {number}: its area has no name, and the program knows areas by names");
            continue;
        };
        let shape = ["box", "cylinder", "prism", "mesh"].into_iter();
        let found = shape.filter_map(|shape| Some((shape, get(parts, shape)?))).next();
        let Some((shape, value)) = found else { continue };
        let area = toml(&Value::Text(area));
        let _ = writeln!(text, "[[mark]]\narea = {area}\n{shape} = {}", toml(value));
    }
}

/// An area as a file of marks names it: `NAME:COST`, or `blocked`.
fn area_text(area: &Value, areas: &[(String, Value)]) -> Option<String> {
    fn entry<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
        if let Value::Entries(parts) = value { get(parts, name) } else { None }
    }
    let name_of = |value: &Value| entry(value, "name").and_then(Value::to::<String>);
    let found = match area {
        Value::Number(number) => get(areas, &number.to_string()),
        Value::Text(text) => {
            areas.iter().map(|(_, value)| value).find(|value| name_of(value).as_ref() == Some(text))
        }
        _ => None,
    };
    if let Some(value) = found {
        let cost = entry(value, "cost").and_then(Value::to::<f64>).unwrap_or(1.0);
        return Some(format!("{}:{cost}", name_of(value)?));
    }
    match area {
        Value::Text(text) if text == "blocked" => Some(text.clone()),
        Value::Number(number) if number.abs() < f64::MIN_POSITIVE => Some("blocked".to_owned()),
        _ => None,
    }
}

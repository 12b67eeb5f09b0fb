//! Settings of bakes: objects of JavaScript with the names of `waymesh::fields`.

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::bake::{FrontEnd, Refused};
use waymesh::core::AreaTable;
use waymesh::fields::{
    self, AnyBaker, BAKE, Entries, Field, FieldError, JUMPS, PLANS, SLICES, STOREYS, VOXELS, Value, baker,
    shape_of,
};
use waymesh::floorplan::FloorPlan;
use waymesh::{Baker, FloorPlans, Slices, Storeys, Voxels};

use crate::convert::{entries, from_json, object, to_js};
use crate::error::{Kind, OrThrow, Thrown};

/// Name of these settings in errors.
pub(crate) const SETTINGS: &str = "settings";

/// Reads settings with `read`. Refuses names that it does not know, and more than the one thread of
/// WebAssembly.
fn read<T>(settings: &JsValue, read: impl FnOnce(&mut Entries<'_>) -> Result<T, FieldError>) -> Thrown<T> {
    read_entries(&entries(SETTINGS, settings)?, read)
}

fn read_entries<T>(
    given: &[(String, Value)],
    read: impl FnOnce(&mut Entries<'_>) -> Result<T, FieldError>,
) -> Thrown<T> {
    let mut entries = Entries::new(SETTINGS, given);
    match entries.take("threads") {
        Some(threads) if !matches!(threads.to::<usize>(), Some(0 | 1)) => {
            return Err(refused("threads", format!("{threads}: WebAssembly has one"))).or_throw();
        }
        _ => {}
    }
    let result = read(&mut entries).or_throw()?;
    entries.finish().or_throw()?;
    Ok(result)
}

fn refused(name: &str, value: String) -> FieldError {
    FieldError::Type { what: SETTINGS, name: name.to_owned(), value }
}

/// Returns the baker of triangles with these settings.
pub(crate) fn triangles(settings: &JsValue, areas: &AreaTable) -> Thrown<AnyBaker> {
    read(settings, |entries| any(entries, areas))
}

fn any(entries: &mut Entries<'_>, areas: &AreaTable) -> Result<AnyBaker, FieldError> {
    let baker = AnyBaker::of(entries, areas)?;
    if let AnyBaker::Voxels(voxels) = &baker {
        refuse_folders(voxels.front())?;
    }
    Ok(baker)
}

/// Refuses what no bake takes. Marks may name areas that only the scene knows.
pub(crate) fn check(given: &[(String, Value)], is_plan: bool) -> Thrown<()> {
    let (marks, others): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|(name, _)| name == "marks");
    let areas = AreaTable::default();
    if is_plan {
        read_entries(&others, |entries| baker(Baker::plans(), PLANS, entries, &areas))?.check()
    } else {
        match read_entries(&others, |entries| any(entries, &areas))? {
            AnyBaker::Voxels(baker) => baker.check(),
            AnyBaker::Storeys(baker) => baker.check(),
            AnyBaker::Slices(baker) => baker.check(),
            _ => Ok(()),
        }
    }
    .or_throw()?;
    for (_, marks) in &marks {
        let marks = match marks {
            Value::List(marks) => marks.as_slice(),
            Value::Unset => &[],
            other => return Err(refused("marks", other.to_string())).or_throw(),
        };
        for mark in marks {
            let parts = if let Value::Entries(parts) = mark { parts.as_slice() } else { &[] };
            let mut parts = Entries::new("mark", parts);
            parts.take("area");
            shape_of(&mut parts).and_then(|_| parts.finish()).or_throw()?;
        }
    }
    Ok(())
}

/// Returns the baker of voxels, for tiles, stages and worlds.
pub(crate) fn voxels(settings: &JsValue, areas: &AreaTable) -> Thrown<Baker<Voxels>> {
    read(settings, |entries| {
        let baker = fields::voxels(entries, areas)?;
        refuse_folders(baker.front())?;
        Ok(baker)
    })
}

fn refuse_folders(front: &Voxels) -> Result<(), FieldError> {
    let folders = [("folder", &front.folder), ("spill_folder", &front.spill_folder)];
    match folders.into_iter().find(|(_, folder)| folder.is_some()) {
        Some((name, _)) => Err(refused(name, "given: WebAssembly has no files".to_owned())),
        None => Ok(()),
    }
}

/// Returns the baker of a floor plan.
pub(crate) fn plan(settings: &JsValue, input: &FloorPlan) -> Thrown<Baker<FloorPlans>> {
    let plans = Baker::plans_for(input);
    let areas = plans.config().areas.clone();
    read(settings, |entries| baker(plans, PLANS, entries, &areas))
}

/// Appends the description of fields.
fn describe_fields<T>(
    fields: &[Field<T>],
    settings: &T,
    refused: Refused,
    group: &str,
    out: &Array,
) -> Thrown<()> {
    for field in fields {
        let kind = serde_json::to_string(&field.kind).map_err(|error| Kind::Bake.error(error))?;
        let reason = refused.iter().find(|(option, _)| *option == field.option).map(|(_, reason)| *reason);
        out.push(&object(&[
            ("name", field.name.into()),
            ("group", group.into()),
            ("about", field.about.into()),
            ("type", from_json(&kind)?),
            ("default", to_js(&field.get(settings))),
            ("refused", reason.map_or(JsValue::NULL, JsValue::from)),
        ]));
    }
    Ok(())
}

fn describe_front<F: FrontEnd>(fields: &[Field<F>], front: &F, out: &Array) -> Thrown<()> {
    describe_fields(BAKE, &F::defaults(), F::REFUSED, "bake", out)?;
    describe_fields(fields, front, &[], F::NAME, out)
}

/// Every setting of a pipeline, with its default, its unit, a range that is of use, and what it is
/// for. `"plans"` are those of floor plans.
#[wasm_bindgen(js_name = describeSettings, unchecked_return_type = "SettingInfo[]")]
pub fn describe_settings(
    #[wasm_bindgen(unchecked_param_type = "Pipeline | \"plans\"")] pipeline: &str,
) -> Thrown<JsValue> {
    let out = Array::new();
    match pipeline {
        "voxels" => describe_front(VOXELS, &Voxels::default(), &out)?,
        "storeys" => describe_front(STOREYS, &Storeys::default(), &out)?,
        "slices" => describe_front(SLICES, &Slices::default(), &out)?,
        "plans" => describe_front(PLANS, &FloorPlans::default(), &out)?,
        other => {
            let text = format_args!("pipeline is {other:?}, but must be voxels, storeys, slices or plans");
            return Err(Kind::Settings.error(text));
        }
    }
    describe_fields(JUMPS, &waymesh::JumpConfig::default(), &[], "jumps", &out)?;
    Ok(out.into())
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("settings.d.ts");

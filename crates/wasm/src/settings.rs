//! Settings of bakes: objects of JavaScript with the names of `waymesh::fields`.

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::bake::{FrontEnd, Refused};
use waymesh::core::AreaTable;
use waymesh::fields::{
    self, BAKE, Entries, Field, FieldError, JUMPS, PLANS, SLICES, STOREYS, TILES, Value, unknown_pipeline,
};
use waymesh::floorplan::FloorPlan;
use waymesh::{
    Bake, BakeConfig, BakeError, Baker, FloorPlans, Observer, Slices, Storeys, Tiles, TriangleSoup,
    TriangleSource, Voxels,
};

use crate::convert::{entries, from_json, object, to_js};
use crate::error::{Kind, OrThrow, Thrown};

/// Name of these settings in errors.
pub(crate) const SETTINGS: &str = "settings";

/// A bake that knows its settings and waits for its input.
type Job<I> = Box<dyn Fn(&I, &mut dyn Observer) -> Result<Bake, BakeError>>;

/// Returns a baker with the settings that are given, for the one thread of WebAssembly.
fn baker<F: FrontEnd + Clone>(
    baker: Baker<F>,
    fields: &[Field<F>],
    entries: &mut Entries<'_>,
    areas: &AreaTable,
) -> Result<Baker<F>, FieldError> {
    let baker = fields::baker(baker, fields, entries, areas)?;
    let config = on_one_thread(baker.config())?;
    Ok(baker.with_config(config))
}

fn on_one_thread(config: &BakeConfig) -> Result<BakeConfig, FieldError> {
    if config.threads > 1 {
        let (name, value) = ("threads".to_owned(), config.threads.to_string());
        let value = format!("{value}: WebAssembly has one");
        return Err(FieldError::Type { what: SETTINGS, name, value });
    }
    Ok(config.clone().with_threads(0))
}

fn job<F: FrontEnd<Input = TriangleSoup> + Clone + 'static>(
    of: Baker<F>,
    fields: &[Field<F>],
    entries: &mut Entries<'_>,
    areas: &AreaTable,
) -> Result<Job<TriangleSoup>, FieldError> {
    let baker = baker(of, fields, entries, areas)?;
    Ok(Box::new(move |soup, observer| baker.bake_observed(soup, observer)))
}

/// Returns the bake of triangles with these settings.
pub(crate) fn triangles(settings: &JsValue, areas: &AreaTable) -> Thrown<Job<TriangleSoup>> {
    let given = entries(settings)?;
    let mut entries = Entries::new(SETTINGS, &given);
    let pipeline = entries.take("pipeline").cloned().unwrap_or(Value::from("voxels"));
    let job = match pipeline.to::<String>().as_deref() {
        Some("voxels") => job(Baker::voxels(), &[], &mut entries, areas),
        Some("storeys") => job(Baker::storeys(), STOREYS, &mut entries, areas),
        Some("slices") => job(Baker::slices(), SLICES, &mut entries, areas),
        Some("tiles") => tiles(&mut entries, areas).map(|baker| -> Job<TriangleSoup> {
            Box::new(move |soup, observer| baker.bake_observed(soup as &dyn TriangleSource, observer))
        }),
        _ => Err(unknown_pipeline(SETTINGS, &pipeline)),
    };
    let job = job.or_throw()?;
    entries.finish().or_throw()?;
    Ok(job)
}

/// The settings of tiles that are built one by one.
pub(crate) fn tiles_apart(settings: &JsValue, areas: &AreaTable) -> Thrown<Baker<Tiles>> {
    let given = entries(settings)?;
    let mut entries = Entries::new(SETTINGS, &given);
    only(&mut entries, "tiles")?;
    let baker = tiles(&mut entries, areas).or_throw()?;
    entries.finish().or_throw()?;
    Ok(baker)
}

/// Refuses another pipeline than this one.
fn only(entries: &mut Entries<'_>, pipeline: &'static str) -> Thrown<()> {
    match entries.take("pipeline").filter(|name| **name != Value::from(pipeline)) {
        None => Ok(()),
        Some(other) => Err(Kind::Settings
            .error(format_args!("{SETTINGS}: pipeline is {other}, but must be {pipeline} here"))),
    }
}

fn tiles(entries: &mut Entries<'_>, areas: &AreaTable) -> Result<Baker<Tiles>, FieldError> {
    let baker = baker(Baker::tiles(), TILES, entries, areas)?;
    if baker.front().folder.is_some() || baker.front().spill_folder.is_some() {
        let (name, value) = ("folder".to_owned(), "given: WebAssembly has no files".to_owned());
        return Err(FieldError::Type { what: SETTINGS, name, value });
    }
    Ok(baker)
}

/// The settings of voxels, for stages and worlds.
pub(crate) fn voxels(settings: &JsValue, areas: &AreaTable) -> Thrown<Baker<Voxels>> {
    let given = entries(settings)?;
    let mut entries = Entries::new(SETTINGS, &given);
    only(&mut entries, "voxels")?;
    let baker = baker(Baker::voxels(), &[], &mut entries, areas).or_throw()?;
    entries.finish().or_throw()?;
    Ok(baker)
}

/// The bake of a floor plan.
pub(crate) fn plan(settings: &JsValue, input: &FloorPlan) -> Thrown<Baker<FloorPlans>> {
    let given = entries(settings)?;
    let mut entries = Entries::new(SETTINGS, &given);
    let plans = Baker::plans_for(input);
    let areas = plans.config().areas.clone();
    let baker = baker(plans, PLANS, &mut entries, &areas).or_throw()?;
    entries.finish().or_throw()?;
    Ok(baker)
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
        "voxels" => describe_front(&[], &Voxels, &out)?,
        "tiles" => describe_front(TILES, &Tiles::default(), &out)?,
        "storeys" => describe_front(STOREYS, &Storeys::default(), &out)?,
        "slices" => describe_front(SLICES, &Slices::default(), &out)?,
        "plans" => describe_front(PLANS, &FloorPlans::default(), &out)?,
        other => return Err(unknown_pipeline(SETTINGS, &Value::from(other))).or_throw(),
    }
    describe_fields(JUMPS, &waymesh::JumpConfig::default(), &[], "jumps", &out)?;
    Ok(out.into())
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("settings.d.ts");

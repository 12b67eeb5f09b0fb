//! Scenes and floor plans: from bytes to a mesh.

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use js_sys::{Array, Function, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::core::{AreaTable, SkippedTriangles};
use waymesh::fields::{Entries, LOAD, READ, Value};
use waymesh::floorplan::{EXAMPLE, FloorPlan, PlanFormat, ReadOptions, parse_plan};
use waymesh::io::{AreaRules, LoadOptions, parse_scene};
use waymesh::{AreaId, Bake, TriangleSoup};
use waymesh_scenes::{MAX_SCALE, SceneConfig};

use crate::bake::watched;
use crate::convert::{bytes, entries, flat, from_json, object, points, whole};
use crate::error::{Kind, OrThrow, Thrown};
use crate::mesh::NavMesh;
use crate::settings;

impl NavMesh {
    pub(crate) fn baked(bake: Bake) -> Thrown<Self> {
        let report = serde_json::to_string(&bake.report).map_err(|error| Kind::Bake.error(error))?;
        Ok(Self { report: Some(report), ..Self::from(Arc::new(bake.mesh)) })
    }
}

/// Triangles of a level, of which a mesh is baked.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Scene {
    pub(crate) soup: Arc<TriangleSoup>,
    pub(crate) areas: AreaTable,
}

fn load_options(entries: &mut Entries<'_>) -> Thrown<LoadOptions> {
    let mut load = LoadOptions::default();
    entries.apply(LOAD, &mut load).or_throw()?;
    load.validate().map_err(|error| Kind::Input.error(error))?;
    Ok(load)
}

#[wasm_bindgen]
impl Scene {
    /// Reads a file of a level: GLB, glTF with its buffers inside, OBJ, STL or PLY. The name tells
    /// the format and is in errors. The bytes are an `ArrayBuffer` or any view of one.
    pub fn read(
        name: &str,
        #[wasm_bindgen(js_name = bytes, unchecked_param_type = "ArrayBufferLike | ArrayBufferView")]
        given: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SceneOptions")] options: JsValue,
    ) -> Thrown<Scene> {
        let bytes = bytes(&given)?;
        let given = entries("options", &options)?;
        let mut entries = Entries::new("options", &given);
        let load = load_options(&mut entries)?;
        let rules: Option<Vec<String>> = entries.take("areaRules").map_or(Some(Vec::new()), Value::to);
        let rules = rules.ok_or_else(|| Kind::Input.error("options: areaRules must be a list of texts"))?;
        entries.finish().or_throw()?;
        let rules = AreaRules::parse(&rules).or_throw()?;
        let soup = parse_scene(Path::new(name), &bytes, &load, Some(&rules.map())).or_throw()?;
        Ok(Self { soup: Arc::new(soup), areas: rules.table().clone() })
    }

    /// Takes arrays: three numbers for a vertex, three vertices for a triangle, and for each
    /// triangle the number of its area. Triangles with a NaN or infinite vertex, and those without
    /// area, are left out: `skipped` has their numbers, and `report.warnings` of a mesh names them.
    /// An `origin` is subtracted in double precision: give far vertices in a `Float64Array`.
    #[wasm_bindgen(js_name = fromTriangles)]
    pub fn from_triangles(
        #[wasm_bindgen(unchecked_param_type = "ArrayLike<number>")] vertices: &[f64],
        triangles: &[u32],
        #[wasm_bindgen(unchecked_optional_param_type = "Uint8Array")] areas: Option<Vec<u8>>,
        #[wasm_bindgen(unchecked_optional_param_type = "LoadOptions")] options: JsValue,
    ) -> Thrown<Scene> {
        let given = entries("options", &options)?;
        let mut entries = Entries::new("options", &given);
        let load = load_options(&mut entries)?;
        entries.finish().or_throw()?;
        let vertices: &[DVec3] = bytemuck::try_cast_slice(vertices)
            .map_err(|_| Kind::Input.error("vertices must have three numbers each"))?;
        let triangles: &[[u32; 3]] = bytemuck::try_cast_slice(triangles)
            .map_err(|_| Kind::Input.error("triangles must have three vertices each"))?;
        let soup = load.soup(vertices.iter().copied(), triangles.to_vec());
        let soup = soup.and_then(|soup| match areas {
            Some(areas) => soup.with_areas(areas.into_iter().map(AreaId).collect()),
            None => Ok(soup),
        });
        let soup = soup.map_err(|error| Kind::Input.error(error))?;
        Ok(Self { soup: Arc::new(soup), areas: AreaTable::default() })
    }

    /// A scene of the package, by its name; `scale` lets its plan grow, by a whole factor from 1, the
    /// default, to 16 along both sides.
    pub fn builtin(name: &str, scale: Option<f64>) -> Thrown<Scene> {
        let scene = waymesh_scenes::Scene::from_name(name)
            .ok_or_else(|| Kind::Input.error(format_args!("there is no scene {name:?}")))?;
        let scale = scale.map_or(Ok(1), |scale| whole("scale", scale, 1..=MAX_SCALE))?;
        let config = SceneConfig::default().with_scale(scale);
        Ok(Self { soup: Arc::new(scene.build(&config)), areas: AreaTable::default() })
    }

    /// Names of the scenes of the package, and what they show.
    #[wasm_bindgen(js_name = builtins, unchecked_return_type = "{ name: string, summary: string }[]")]
    pub fn builtins() -> JsValue {
        let describe = |scene: waymesh_scenes::Scene| {
            object(&[("name", scene.name().into()), ("summary", scene.summary().into())])
        };
        waymesh_scenes::Scene::every().map(describe).collect::<Array>().into()
    }

    /// Number of triangles.
    #[wasm_bindgen(getter, js_name = triangleCount)]
    pub fn triangle_count(&self) -> usize {
        self.soup.triangles().len()
    }

    /// Number of triangles that cannot be used: with a NaN or infinite vertex, and without area.
    #[wasm_bindgen(getter, unchecked_return_type = "{ notFinite: number, degenerate: number }")]
    pub fn skipped(&self) -> JsValue {
        let SkippedTriangles { not_finite, degenerate } = self.soup.skipped();
        // A soup has fewer than 2^32 triangles.
        object(&[("notFinite", (not_finite as f64).into()), ("degenerate", (degenerate as f64).into())])
    }

    /// Positions of the vertices, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn vertices(&self) -> Vec<f32> {
        flat(self.soup.positions())
    }

    /// Vertices of the triangles, three each.
    #[wasm_bindgen(getter)]
    pub fn triangles(&self) -> Vec<u32> {
        self.soup.triangles().as_flattened().to_vec()
    }

    /// The least and the greatest corner.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Vec<f32> {
        let bounds = self.soup.bounds();
        flat(&[bounds.min, bounds.max])
    }

    /// Makes a navigation mesh. `progress` is called with a stage and the part of it that is done; it
    /// ends the bake if it returns `false` or throws, after the stage. To end one at once, bake in a
    /// worker and terminate it: see `BakeWorker`.
    pub fn bake(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings")] settings: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<Function>,
    ) -> Thrown<NavMesh> {
        let baker = settings::triangles(&settings, &self.areas)?;
        NavMesh::baked(watched(progress, |observer| baker.bake_observed(&*self.soup, observer))?)
    }
}

/// A floor plan, of which a mesh is baked.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Plan {
    plan: FloorPlan,
}

#[wasm_bindgen]
impl Plan {
    /// Reads a plan: TOML, GeoJSON, OpenStreetMap, WKT or SVG. The name tells the format and is in
    /// errors. The bytes are an `ArrayBuffer` or any view of one.
    pub fn read(
        name: &str,
        #[wasm_bindgen(js_name = bytes, unchecked_param_type = "ArrayBufferLike | ArrayBufferView")]
        given: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "PlanOptions")] options: JsValue,
    ) -> Thrown<Plan> {
        let bytes = bytes(&given)?;
        let given = entries("options", &options)?;
        let (mut entries, mut options) = (Entries::new("options", &given), ReadOptions::default());
        entries.apply(READ, &mut options).and_then(|()| entries.finish()).or_throw()?;
        let format = PlanFormat::of(Path::new(name)).ok_or_else(|| {
            Kind::File.error(format_args!("{name}: the ending is not that of a floor plan"))
        })?;
        Ok(Self { plan: parse_plan(name, &bytes, format, &options).or_throw()? })
    }

    /// An example of a plan, in TOML.
    pub fn example() -> String {
        EXAMPLE.to_owned()
    }

    /// Makes a navigation mesh: see `Scene.bake`.
    pub fn bake(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PlanSettings")] settings: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<Function>,
    ) -> Thrown<NavMesh> {
        let baker = settings::plan(&settings, &self.plan)?;
        NavMesh::baked(watched(progress, |observer| baker.bake_observed(&self.plan, observer))?)
    }
}

#[wasm_bindgen]
impl NavMesh {
    /// The figures of its bake; `null` for a mesh that was read.
    #[wasm_bindgen(getter, unchecked_return_type = "Report | null")]
    pub fn report(&self) -> Thrown<JsValue> {
        self.report.as_deref().map_or(Ok(JsValue::NULL), from_json)
    }
}

/// Numbers as an array.
pub(crate) fn numbers(found: &[u32]) -> JsValue {
    Uint32Array::from(found).into()
}

/// Two corners of a box, six numbers.
pub(crate) fn bounds(given: &[f32]) -> Thrown<waymesh::Bounds> {
    match points("bounds", given)? {
        [min, max] => Ok(waymesh::Bounds { min: *min, max: *max }),
        _ => Err(Kind::Input.error("bounds must have 6 numbers: the least and the greatest corner")),
    }
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** How the file of a scene is read. */
export interface SceneOptions extends LoadOptions {
  /** What surfaces are made of: "PATTERN=NAME[:COST]" or "PATTERN=blocked". */
  areaRules?: string[];
}

/** Hears how far a bake is; `false` ends it. */
export type Progress = (stage: string, done: number) => boolean | void;

/** The figures of a bake. */
export interface Report {
  triangles: number; polygons: number; portals: number; regions: number; contours: number; vertices: number;
  links: number; mesh_area: number; walkable_area: number; seconds: number;
  stages: { name: string; seconds: number }[];
  islands: { polygons: number; area: number; place: [number, number, number]; links: number; joined: number }[];
  warnings: string[];
  [figure: string]: unknown;
}
"#;

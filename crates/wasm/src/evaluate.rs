//! Judges meshes against their scenes.

use glam::Vec3;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh_metrics::{Detour, Judgement, MetricsConfig, MetricsError, Obstruction, Oracle};

use crate::bake::set_clock;
use crate::convert::{Fields, from_json, object, positions};
use crate::error::{IntoJs, Kind, OrThrow, Thrown};
use crate::mesh::NavMesh;
use crate::scene::Scene;

impl IntoJs for MetricsError {
    fn into_js(self) -> JsValue {
        match self {
            Self::BadField(error) => Kind::Settings.error(error),
            error => Kind::Input.error(error),
        }
    }
}

#[wasm_bindgen]
impl Scene {
    /// Judges a mesh of this scene: what of the ground it misses, where it is but nobody can stand,
    /// how much longer its paths are than need be. The agent is that of the mesh. Takes a second or
    /// more: do it in a worker.
    #[wasm_bindgen(unchecked_return_type = "Judgement")]
    pub fn evaluate(
        &self,
        mesh: &NavMesh,
        #[wasm_bindgen(unchecked_optional_param_type = "EvaluateOptions")] options: JsValue,
    ) -> Thrown<JsValue> {
        set_clock();
        let frame = mesh.mesh.frame();
        let mut config = MetricsConfig::default().with_scale(frame.cell_size, frame.level_height);
        let mut fields = Fields::new("options", &options)?;
        for (name, field) in [("samples", &mut config.samples), ("pairs", &mut config.pairs)] {
            if let Some(count) = fields.count(name)? {
                *field = count as usize;
            }
        }
        if let Some(seed) = fields.count("seed")? {
            config.seed = seed.into();
        }
        fields.finish()?;
        let oracle = Oracle::new(&self.soup, mesh.mesh.agent(), &config).or_throw()?;
        judgement(&oracle.evaluate_nav_mesh(&mesh.mesh, None))
    }
}

fn judgement(found: &Judgement) -> Thrown<JsValue> {
    let figures = serde_json::to_string(&found.evaluation).map_err(|error| Kind::Bake.error(error))?;
    let places = &found.places;
    let excess: Vec<Vec3> = places.excess.iter().map(|(place, _)| *place).collect();
    let reasons: Vec<u8> = places.excess.iter().map(|(_, reason)| number(*reason)).collect();
    let detour =
        |detour: &Detour| object(&[("points", positions(&detour.path)), ("excess", detour.excess.into())]);
    let remarks: Array = found.evaluation.remarks().into_iter().map(JsValue::from).collect();
    Ok(object(&[
        ("figures", from_json(&figures)?),
        ("remarks", remarks.into()),
        ("missed", positions(&places.missed)),
        ("missedSide", places.missed_side.into()),
        ("excess", positions(&excess)),
        ("excessSide", places.excess_side.into()),
        ("excessReasons", Uint8Array::from(reasons.as_slice()).into()),
        ("detours", places.detours.iter().map(detour).collect::<Array>().into()),
    ]))
}

/// The number of a reason in the types below.
fn number(reason: Obstruction) -> u8 {
    match reason {
        Obstruction::Solid => 0,
        Obstruction::Ceiling => 1,
        Obstruction::Wall => 2,
        Obstruction::Drop => 3,
    }
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** How closely a mesh is judged. */
export interface EvaluateOptions {
  /** Places on the ground of the scene, and as many on the mesh. Default 25,000. */
  samples?: number;
  /** Pairs of places for paths. Default 1,000. */
  pairs?: number;
  /** Of the random places. */
  seed?: number;
}

/** What is right and wrong about a mesh. */
export interface Judgement {
  /** The figures of `waymesh evaluate --json`. */
  figures: {
    samples: number; standable: number; uncertain: number;
    /** The share of the standable samples that the mesh covers; `null` where there are none. */
    coverage: number | null;
    /** The share of the mesh where nobody can stand, and why. */
    excess: { total: number | null; solid: number | null; ceiling: number | null; wall: number | null; drop: number | null };
    connectivity: { pairs: number; agree: number; false_links: number; missed_links: number; islands: number; components: number };
    height_error: { mean: number | null; p50: number | null; p95: number | null; max: number | null };
    clearance_error: { mean: number | null; p95: number | null; max: number | null };
    paths: { pairs: number; found: number; wrongly_missing: number; wrongly_found: number; excess_length: { mean: number | null; p95: number | null; max: number | null }; min_wall_distance: number | null };
    polygons: number; polygons_lower_bound: number; violations: number; t_junctions: number;
    [figure: string]: unknown;
  };
  /** What to know about the figures, as sentences. */
  remarks: string[];
  /**
   * Places on the ground that the mesh does not cover; each stands for a square of this side in
   * metres.
   */
  missed: Float32Array;
  missedSide: number;
  /**
   * Places on the mesh where nobody can stand, and why: 0 inside of a solid, 1 a low ceiling, 2 too
   * near a wall, 3 over a drop.
   */
  excess: Float32Array;
  excessSide: number;
  excessReasons: Uint8Array;
  /**
   * Paths that are longer than the shortest ones by more than 0.1 %, the worst first, and by what
   * share of those: 100 at most.
   */
  detours: { points: Float32Array; excess: number }[];
}
"#;

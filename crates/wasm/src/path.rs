//! Paths as objects of JavaScript.

use js_sys::{Array, Float32Array, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh_core::PolyId;
use waymesh_graph::{LinkUse, Outcome, Path, QueryError};

use crate::convert::{flat, object};
use crate::error::{Kind, Thrown};

/// The number of an outcome, as in `make.js`.
pub(crate) fn outcome(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Complete => 0,
        Outcome::Partial { .. } => 1,
        Outcome::Unreachable => 2,
        Outcome::Undecided => 3,
    }
}

/// The outcome of a pair with an end off the mesh.
const OFF_MESH: u8 = 4;

/// A link of a path.
pub(crate) fn link(link: &LinkUse) -> JsValue {
    object(&[
        // The numbers of links count up from 0: no double is too small for them.
        ("link", (link.link.0 as f64).into()),
        ("backwards", link.backwards.into()),
        ("point", (link.point as f64).into()),
    ])
}

#[wasm_bindgen(raw_module = "./make.js")]
extern "C" {
    #[wasm_bindgen(js_name = path)]
    fn make_path(
        outcome: u8,
        points: &[f32],
        polygons: &[u32],
        links: Option<Array>,
        length: f32,
        cost: f32,
        was_cut: bool,
        searched: Option<Uint32Array>,
    ) -> JsValue;

    #[wasm_bindgen(catch)]
    fn fill(out: &Float32Array, points: &[f32]) -> Result<(), JsValue>;
}

/// Copies the points of a path into an array of the caller, as many as fit.
pub(crate) fn fill_points(path: &Path, out: &Float32Array) -> Thrown<()> {
    // An exception that crossed this module would leave the mesh in use for ever.
    fill(out, bytemuck::cast_slice(&path.points))
        .map_err(|_| Kind::Input.error("out must be a Float32Array, and not transferred elsewhere"))
}

/// `Path` of the types.
pub(crate) fn path(path: &Path, searched: Option<&[PolyId]>) -> JsValue {
    make_path(
        outcome(path.outcome),
        bytemuck::cast_slice(&path.points),
        bytemuck::cast_slice(&path.polygons),
        (!path.links.is_empty()).then(|| path.links.iter().map(link).collect()),
        path.length,
        path.cost,
        path.was_cut,
        searched.map(|searched| Uint32Array::from(bytemuck::cast_slice::<_, u32>(searched))),
    )
}

/// `Paths` of the types.
pub(crate) fn paths(paths: &[Result<Path, QueryError>]) -> JsValue {
    let (mut points, mut starts) = (Vec::new(), vec![0_u32]);
    let (mut lengths, mut outcomes) = (Vec::new(), Vec::new());
    for found in paths {
        match found {
            Ok(path) => {
                points.extend_from_slice(&flat(&path.points));
                lengths.push(path.length);
                outcomes.push(outcome(path.outcome));
            }
            Err(_) => {
                lengths.push(f32::NAN);
                outcomes.push(OFF_MESH);
            }
        }
        starts.push(waymesh_core::to_u32(points.len() / 3));
    }
    object(&[
        ("points", Float32Array::from(points.as_slice()).into()),
        ("starts", Uint32Array::from(starts.as_slice()).into()),
        ("lengths", Float32Array::from(lengths.as_slice()).into()),
        ("outcomes", Uint8Array::from(outcomes.as_slice()).into()),
    ])
}

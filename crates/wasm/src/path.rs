//! Paths as objects of JavaScript.

use js_sys::{Array, Float32Array, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use waymesh_core::PolyId;
use waymesh_graph::{Outcome, Path, QueryError};

use crate::convert::{flat, object, positions};

/// Outcomes, in the order of their numbers in [`paths`].
const OUTCOMES: [&str; 5] = ["complete", "partial", "unreachable", "undecided", "off-mesh"];

fn outcome(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Complete => 0,
        Outcome::Partial { .. } => 1,
        Outcome::Unreachable => 2,
        Outcome::Undecided => 3,
    }
}

fn links(path: &Path) -> Array {
    let link = |link: &waymesh_graph::LinkUse| {
        object(&[
            // The numbers of links count up from 0: no double is too small for them.
            ("link", (link.link.0 as f64).into()),
            ("backwards", link.backwards.into()),
            ("point", (link.point as f64).into()),
        ])
    };
    path.links.iter().map(link).collect()
}

fn numbers(polygons: &[PolyId]) -> JsValue {
    let numbers: Vec<u32> = polygons.iter().map(|polygon| polygon.0).collect();
    Uint32Array::from(numbers.as_slice()).into()
}

/// `Path` of the types.
pub(crate) fn path(path: &Path, searched: Option<&[PolyId]>) -> JsValue {
    let mut fields = vec![
        ("outcome", OUTCOMES[usize::from(outcome(path.outcome))].into()),
        ("points", positions(&path.points)),
        ("polygons", numbers(&path.polygons)),
        ("links", links(path).into()),
        ("length", path.length.into()),
        ("cost", path.cost.into()),
        ("wasCut", path.was_cut.into()),
    ];
    fields.extend(searched.map(|searched| ("searched", numbers(searched))));
    object(&fields)
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
                outcomes.push(4);
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

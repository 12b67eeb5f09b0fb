//! Queries without Python, for the comparison in `benches/figures.py`.

use std::time::Instant;

use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use waymesh::graph::Location;
use waymesh::{Path, PathOptions, PathSearch, QueryScratch};

use crate::input::points;
use crate::mesh::PyNavMesh;
use crate::pool::pool;

/// Seconds that the queries of Rust take for all pairs, by name: the median of five rounds.
#[pyfunction]
pub(crate) fn rust_seconds<'py>(
    py: Python<'py>,
    mesh: &Bound<'py, PyNavMesh>,
    starts: &Bound<'py, PyAny>,
    ends: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let mesh = &mesh.get().mesh;
    let (starts, ends) = (points("starts", starts)?, points("ends", ends)?);
    let pairs: Vec<[Vec3; 2]> =
        starts.as_slice()?.iter().zip(ends.as_slice()?).map(|(&start, &end)| [start, end]).collect();
    let reach = mesh.default_reach();
    let places: Vec<Option<Location>> = pairs.iter().map(|pair| mesh.nearest(pair[0], &reach)).collect();
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let fast = PathOptions::default();
    let shortest = fast.with_search(PathSearch::Shortest);
    let pool = pool(py)?;
    let mut paths = Vec::new();
    let times = PyDict::new(py);
    times.set_item(
        "nearest",
        median(|| pairs.iter().filter_map(|pair| mesh.nearest(pair[0], &reach)).count()),
    )?;
    for (name, options) in [("find_path", fast), ("shortest", shortest)] {
        let find = |&[from, to]: &[Vec3; 2]| {
            mesh.query().options(options).memory(&mut scratch).path_into(from, to, &mut path).is_ok()
        };
        let mut find = find;
        times.set_item(name, median(|| pairs.iter().filter(|pair| find(pair)).count()))?;
    }
    let rays = || {
        let with_place =
            pairs.iter().zip(&places).filter_map(|(pair, place)| Some((pair[1], place.as_ref()?)));
        with_place.filter(|(to, place)| mesh.query().memory(&mut scratch).ray(*place, *to).is_ok()).count()
    };
    times.set_item("raycast", median(rays))?;
    let steps = || {
        let with_place =
            pairs.iter().zip(&places).filter_map(|(pair, place)| Some((pair[1], place.as_ref()?)));
        with_place.filter(|(to, place)| mesh.query().memory(&mut scratch).walk(*place, *to).is_ok()).count()
    };
    times.set_item("step", median(steps))?;
    let batch = || {
        pool.install(|| mesh.query().options(fast).memory(&mut scratch).paths_into(&pairs, &mut paths));
        paths.len()
    };
    times.set_item("find_paths", py.detach(|| median(batch)))?;
    Ok(times)
}

fn median(mut run: impl FnMut() -> usize) -> f64 {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(run());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[2]
}

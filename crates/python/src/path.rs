//! A path.

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use waymesh::graph::LinkUse;
use waymesh::{Outcome, Path};

use crate::output::{Pickled, positions};

#[doc = doc!("Path")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "Path")]
#[derive(Debug)]
pub(crate) struct PyPath {
    pub(crate) path: Path,
}

pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Partial { .. } => "partial",
        Outcome::Unreachable => "unreachable",
        Outcome::Undecided => "undecided",
    }
}

impl PyPath {
    /// A path of no points leads nowhere, at no length.
    fn if_found(&self, measure: f32) -> f32 {
        if self.path.points.is_empty() { f32::INFINITY } else { measure }
    }
}

#[pymethods]
impl PyPath {
    #[doc = doc!("Path.outcome")]
    #[getter]
    fn outcome(&self) -> &'static str {
        outcome_name(self.path.outcome)
    }

    #[doc = doc!("Path.is_complete")]
    #[getter]
    fn is_complete(&self) -> bool {
        self.path.outcome == Outcome::Complete
    }

    #[doc = doc!("Path.points")]
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        positions(py, &self.path.points)
    }

    #[doc = doc!("Path.polygons")]
    #[getter]
    fn polygons<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_vec(py, self.path.polygons.iter().map(|polygon| polygon.0).collect())
    }

    #[doc = doc!("Path.links")]
    #[getter]
    fn links(&self) -> Vec<(u64, bool, usize)> {
        let link = |link: &LinkUse| (link.link.0, link.backwards, link.point);
        self.path.links.iter().map(link).collect()
    }

    #[doc = doc!("Path.length")]
    #[getter]
    fn length(&self) -> f32 {
        self.if_found(self.path.length)
    }

    #[doc = doc!("Path.cost")]
    #[getter]
    fn cost(&self) -> f32 {
        self.if_found(self.path.cost)
    }

    #[doc = doc!("Path.was_cut")]
    #[getter]
    fn was_cut(&self) -> bool {
        self.path.was_cut
    }

    fn __len__(&self) -> usize {
        self.path.points.len()
    }

    fn __repr__(&self) -> String {
        let (count, length) = (self.path.points.len(), self.length());
        format!("<waymesh.Path: {}, {count} points, {length:.3} m>", outcome_name(self.path.outcome))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("the points of a path are copied into an array"));
        }
        let points = self.points(py)?.into_any();
        dtype.map_or(Ok(points.clone()), |dtype| points.call_method1("astype", (dtype,)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (PathParts,)> {
        Ok((slf.get_type().getattr("_of_parts")?, (parts_of(&slf.get().path),)))
    }

    #[staticmethod]
    fn _of_parts(parts: PathParts) -> Self {
        Self { path: of_parts(parts) }
    }
}

/// Pickled form of a path.
pub(crate) type PathParts = (String, Vec<[f32; 3]>, Vec<u32>, Vec<(u64, bool, usize)>, [f32; 2], bool);

pub(crate) fn parts_of(path: &Path) -> PathParts {
    (
        outcome_name(path.outcome).to_owned(),
        path.points.iter().map(Vec3::to_array).collect(),
        path.polygons.iter().map(|polygon| polygon.0).collect(),
        path.links.iter().map(|link| (link.link.0, link.backwards, link.point)).collect(),
        [path.length, path.cost],
        path.was_cut,
    )
}

pub(crate) fn of_parts((outcome, points, polygons, links, [length, cost], was_cut): PathParts) -> Path {
    let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
    let outcome = match (&*outcome, points.last()) {
        ("complete", _) => Outcome::Complete,
        ("partial", Some(&reached)) => Outcome::Partial { reached },
        ("undecided", _) => Outcome::Undecided,
        _ => Outcome::Unreachable,
    };
    let link = |(link, backwards, point)| LinkUse { link: waymesh::graph::LinkId(link), backwards, point };
    let mut path = Path::default();
    (path.outcome, path.points, path.length, path.cost) = (outcome, points, length, cost);
    path.polygons = polygons.into_iter().map(waymesh::PolyId).collect();
    path.links = links.into_iter().map(link).collect();
    path.was_cut = was_cut;
    path
}

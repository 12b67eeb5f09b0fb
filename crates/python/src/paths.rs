//! Many paths.

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use waymesh::{Outcome, Path};

use crate::output::{Pickled, positions};
use crate::path::{PathParts, PyPath, of_parts, parts_of};

#[doc = doc!("Paths")]
#[pyclass(frozen, sequence, module = "waymesh._waymesh", name = "Paths")]
#[derive(Debug)]
pub(crate) struct PyPaths {
    /// `None` for a pair with an end off the mesh.
    paths: Vec<Option<Path>>,
}

impl PyPaths {
    pub(crate) fn new(paths: Vec<Option<Path>>) -> Self {
        Self { paths }
    }

    /// A measure of each path, infinite where it does not lead to the goal.
    fn measures<'py>(&self, py: Python<'py>, measure: fn(&Path) -> f32) -> Bound<'py, PyArray1<f32>> {
        let of = |path: &Option<Path>| match path {
            Some(path) if path.outcome == Outcome::Complete => measure(path),
            _ => f32::INFINITY,
        };
        PyArray1::from_vec(py, self.paths.iter().map(of).collect())
    }

    fn points_of(path: &Option<Path>) -> &[Vec3] {
        path.as_ref().map_or(&[], |path| &path.points)
    }
}

#[pymethods]
impl PyPaths {
    fn __len__(&self) -> usize {
        self.paths.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(isize::try_from(self.paths.len())?)?;
            let places = (0..).map(|count| range.start + range.step * count).take(range.slicelength);
            let chosen = places.filter_map(|at| self.paths.get(usize::try_from(at).ok()?)).cloned();
            return Self::new(chosen.collect()).into_bound_py_any(py);
        }
        let index: isize = index.extract()?;
        let at =
            if index < 0 { self.paths.len().checked_add_signed(index) } else { usize::try_from(index).ok() };
        let path = at.and_then(|at| self.paths.get(at));
        let path = path.ok_or_else(|| PyIndexError::new_err(format!("there is no path {index}")))?;
        PyPath { path: path.clone().unwrap_or_default() }.into_bound_py_any(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (Vec<Option<PathParts>>,)> {
        let parts = slf.get().paths.iter().map(|path| path.as_ref().map(parts_of)).collect();
        Ok((slf.get_type().getattr("_of_parts")?, (parts,)))
    }

    #[staticmethod]
    fn _of_parts(parts: Vec<Option<PathParts>>) -> Self {
        Self::new(parts.into_iter().map(|parts| parts.map(of_parts)).collect())
    }

    fn __repr__(&self) -> String {
        format!("<waymesh.Paths: {}>", self.paths.len())
    }

    #[doc = doc!("Paths.lengths")]
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.measures(py, |path| path.length)
    }

    #[doc = doc!("Paths.costs")]
    #[getter]
    fn costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.measures(py, |path| path.cost)
    }

    #[doc = doc!("Paths.outcomes")]
    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let outcome = |path: &Option<Path>| match path {
            Some(path) => match path.outcome {
                Outcome::Complete => 0,
                Outcome::Partial { .. } => 1,
                _ => 2,
            },
            None => 3,
        };
        PyArray1::from_vec(py, self.paths.iter().map(outcome).collect())
    }

    #[doc = doc!("Paths.points")]
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let points: Vec<Vec3> = self.paths.iter().flat_map(Self::points_of).copied().collect();
        positions(py, &points)
    }

    #[doc = doc!("Paths.offsets")]
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let mut offsets = Vec::with_capacity(self.paths.len() + 1);
        let mut sum = 0;
        offsets.push(sum);
        for path in &self.paths {
            sum += Self::points_of(path).len() as u64;
            offsets.push(sum);
        }
        PyArray1::from_vec(py, offsets)
    }
}

//! Many paths.

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use waymesh::{Outcome, Path, QueryError};

use crate::output::positions;
use crate::path::PyPath;

#[doc = doc!("Paths")]
#[pyclass(frozen, sequence, module = "waymesh._waymesh", name = "Paths")]
#[derive(Debug)]
pub(crate) struct PyPaths {
    paths: Vec<Result<Path, QueryError>>,
}

impl PyPaths {
    pub(crate) fn new(paths: Vec<Result<Path, QueryError>>) -> Self {
        Self { paths }
    }

    fn points_of(path: &Result<Path, QueryError>) -> &[Vec3] {
        path.as_ref().map_or(&[], |path| &path.points)
    }
}

#[pymethods]
impl PyPaths {
    fn __len__(&self) -> usize {
        self.paths.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<PyPath> {
        let at =
            if index < 0 { self.paths.len().checked_add_signed(index) } else { usize::try_from(index).ok() };
        let path = at.and_then(|at| self.paths.get(at));
        let path = path.ok_or_else(|| PyIndexError::new_err(format!("there is no path {index}")))?;
        Ok(PyPath { path: path.as_ref().cloned().unwrap_or_default() })
    }

    fn __repr__(&self) -> String {
        format!("<waymesh.Paths: {}>", self.paths.len())
    }

    #[doc = doc!("Paths.lengths")]
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let length = |path: &Result<Path, QueryError>| match path {
            Ok(path) if path.outcome == Outcome::Complete => path.length,
            _ => f32::INFINITY,
        };
        PyArray1::from_vec(py, self.paths.iter().map(length).collect())
    }

    #[doc = doc!("Paths.outcomes")]
    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let outcome = |path: &Result<Path, QueryError>| match path {
            Ok(path) => match path.outcome {
                Outcome::Complete => 0,
                Outcome::Partial { .. } => 1,
                _ => 2,
            },
            Err(_) => 3,
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

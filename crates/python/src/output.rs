//! Results for Python: arrays, and objects of JSON.

use numpy::{PyArray2, PyArrayMethods as _, ToPyArray as _};
use pyo3::prelude::*;
use waymesh::core::glam::Vec3;

/// Pickled form of an object: what makes it again, and its arguments.
pub(crate) type Pickled<'py, T> = PyResult<(Bound<'py, PyAny>, T)>;

/// Positions as an array of shape (n, 3).
pub(crate) fn positions<'py>(py: Python<'py>, points: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f32>>> {
    rows(py, bytemuck::cast_slice(points), 3)
}

/// Numbers as rows of `width`.
pub(crate) fn rows<'py, T: numpy::Element + Copy>(
    py: Python<'py>,
    numbers: &[T],
    width: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    numbers.to_pyarray(py).reshape([numbers.len() / width, width])
}

/// A dictionary of JSON.
pub(crate) fn from_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

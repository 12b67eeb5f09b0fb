//! Numbers and arrays from Python, checked.

use glam::Vec3;
use numpy::{
    PyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::errors::Kind;

/// Points that Python lent, without a copy, or that had to be converted.
pub(crate) enum Points<'py> {
    Lent(PyReadonlyArray<'py, f32, numpy::IxDyn>),
    Owned(Vec<f32>),
}

impl Points<'_> {
    pub(crate) fn as_slice(&self) -> PyResult<&[Vec3]> {
        let numbers = match self {
            Self::Lent(array) => array.as_slice().map_err(|error| Kind::Input.error(error))?,
            Self::Owned(numbers) => numbers,
        };
        bytemuck::try_cast_slice(numbers).map_err(|error| Kind::Input.error(error))
    }
}

/// One point, or a row of points.
pub(crate) enum OneOrMany<'py> {
    One(Vec3),
    Many(Points<'py>),
}

fn describe(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    match (value.getattr("dtype"), value.getattr("shape")) {
        (Ok(dtype), Ok(shape)) => format!("an array of {dtype} of shape {shape}"),
        _ => kind,
    }
}

/// Returns any array-like of whole or floating numbers as an array of `f32` in C order.
fn as_floats<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
    let py = value.py();
    let bad = |what: &dyn std::fmt::Display| {
        Kind::Input.error(format!("{name} must be numbers of shape (3,) or (n, 3), not {what}"))
    };
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|_| bad(&describe(value)))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !["f", "i", "u"].contains(&kind.as_str()) {
        return Err(bad(&describe(&array)));
    }
    let options = pyo3::types::PyDict::new(py);
    options.set_item("dtype", numpy.getattr("float32")?)?;
    options.set_item("order", "C")?;
    // A number beyond single precision becomes infinite, and is refused as that.
    let quiet = pyo3::types::PyDict::new(py);
    quiet.set_item("over", "ignore")?;
    let guard = numpy.getattr("errstate")?.call((), Some(&quiet))?;
    guard.call_method0("__enter__")?;
    let array = numpy.getattr("array")?.call((array,), Some(&options));
    guard.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    array?.cast_into().map_err(|error| Kind::Input.error(error))
}

/// One point: an array of 3 floats, or any sequence of 3 numbers.
#[inline]
pub(crate) fn point(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    if let Ok(array) = value.cast::<PyArray1<f32>>()
        && array.len() == 3
    {
        let get = |index: usize| array.get_owned(index).unwrap_or(f32::NAN);
        return Ok(Vec3::new(get(0), get(1), get(2)));
    }
    if let Ok(list) = value.cast::<PyTuple>()
        && list.len() == 3
        && let (Ok(x), Ok(y), Ok(z)) =
            (number(list.get_item(0)?), number(list.get_item(1)?), number(list.get_item(2)?))
    {
        return Ok(Vec3::new(x, y, z));
    }
    if let Ok(list) = value.cast::<PyList>()
        && list.len() == 3
        && let (Ok(x), Ok(y), Ok(z)) =
            (number(list.get_item(0)?), number(list.get_item(1)?), number(list.get_item(2)?))
    {
        return Ok(Vec3::new(x, y, z));
    }
    let array = as_floats(name, value)?;
    if array.shape() != [3] {
        return Err(Kind::Input.error(format!("{name} must have shape (3,), not {:?}", array.shape())));
    }
    let read = array.readonly();
    let numbers = read.as_slice().map_err(|error| Kind::Input.error(error))?;
    Ok(Vec3::new(numbers[0], numbers[1], numbers[2]))
}

#[expect(clippy::cast_possible_truncation, reason = "positions are single precision")]
fn number(value: Bound<'_, PyAny>) -> PyResult<f32> {
    if value.is_instance_of::<pyo3::types::PyBool>() {
        return Err(Kind::Input.error("True and False are no numbers"));
    }
    Ok(value.extract::<f64>()? as f32)
}

/// Points of shape (n, 3). Arrays of `float32` in C order are not copied.
pub(crate) fn points<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Points<'py>> {
    let bad_shape =
        |shape: &[usize]| Kind::Input.error(format!("{name} must have shape (n, 3), not {shape:?}"));
    if let Ok(array) = value.cast::<PyArrayDyn<f32>>()
        && array.is_c_contiguous()
    {
        if array.shape().len() != 2 || array.shape()[1] != 3 {
            return Err(bad_shape(array.shape()));
        }
        if let Ok(lent) = array.try_readonly() {
            return Ok(Points::Lent(lent));
        }
    }
    let array = as_floats(name, value)?;
    if array.shape().len() != 2 || array.shape()[1] != 3 {
        return Err(bad_shape(array.shape()));
    }
    Ok(Points::Owned(array.readonly().to_vec().map_err(|error| Kind::Input.error(error))?))
}

/// One point, or points of shape (n, 3).
pub(crate) fn one_or_many<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<OneOrMany<'py>> {
    let may_be_one = value.cast::<PyArray1<f32>>().is_ok() || value.cast::<PyTuple>().is_ok();
    if may_be_one && let Ok(one) = point(name, value) {
        return Ok(OneOrMany::One(one));
    }
    if let Ok(array) = value.cast::<PyArrayDyn<f32>>()
        && array.shape().len() == 2
    {
        return points(name, value).map(OneOrMany::Many);
    }
    let array = as_floats(name, value)?;
    match *array.shape() {
        [3] => point(name, array.as_any()).map(OneOrMany::One),
        [_, 3] => points(name, array.as_any()).map(OneOrMany::Many),
        _ => {
            Err(Kind::Input.error(format!("{name} must have shape (3,) or (n, 3), not {:?}", array.shape())))
        }
    }
}

/// Refuses points that are NaN or infinite, by row.
pub(crate) fn finite<'a>(name: &str, points: &'a [Vec3]) -> PyResult<&'a [Vec3]> {
    match points.iter().position(|point| !point.is_finite()) {
        None => Ok(points),
        Some(row) => Err(Kind::Query.error(format!("{name}: row {row}, {}, is not finite", points[row]))),
    }
}

/// Triangles of shape (n, 3), of any whole numbers. Arrays of `uint32` need no conversion.
pub(crate) fn triangles(value: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let py = value.py();
    let bad = |what: &dyn std::fmt::Display| {
        Kind::Input.error(format!("triangles must be whole numbers of shape (n, 3), not {what}"))
    };
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|_| bad(&describe(value)))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = shape.contains(&0);
    if shape.len() != 2 || shape[1] != 3 || !(is_empty || ["i", "u"].contains(&kind.as_str())) {
        return Err(bad(&describe(&array)));
    }
    if let Ok(array) = array.cast::<PyArrayDyn<u32>>()
        && let Ok(read) = array.try_readonly()
        && let Ok(numbers) = read.as_slice()
        && let Ok(rows) = bytemuck::try_cast_slice(numbers)
    {
        return Ok(rows.to_vec());
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    let array: Bound<'_, PyArray<i64, numpy::IxDyn>> =
        array.cast_into().map_err(|error| Kind::Input.error(error))?;
    let read = array.readonly();
    let numbers = read.as_slice().map_err(|error| Kind::Input.error(error))?;
    let corner = |(at, &number): (usize, &i64)| {
        u32::try_from(number).map_err(|_| {
            Kind::Input.error(format!("triangle {} names vertex {number}, which cannot be", at / 3))
        })
    };
    let corners: Vec<u32> = numbers.iter().enumerate().map(corner).collect::<PyResult<_>>()?;
    Ok(corners.chunks_exact(3).map(|row| [row[0], row[1], row[2]]).collect())
}

/// An area per triangle.
pub(crate) fn areas(value: &Bound<'_, PyAny>) -> PyResult<Vec<waymesh::AreaId>> {
    let bad = || {
        Kind::Input.error(format!(
            "triangle_areas must be whole numbers from 0 to 255 of shape (n,), not {}",
            describe(value)
        ))
    };
    let py = value.py();
    let array = py.import("numpy")?.call_method1("asarray", (value,)).map_err(|_| bad())?;
    if let Ok(array) = array.extract::<PyReadonlyArray1<'_, u8>>() {
        return Ok(array.to_vec().map_err(|_| bad())?.into_iter().map(waymesh::AreaId).collect());
    }
    let numbers: Vec<i64> = array.call_method0("tolist")?.extract().map_err(|_| bad())?;
    numbers.into_iter().map(|number| u8::try_from(number).map(waymesh::AreaId).map_err(|_| bad())).collect()
}

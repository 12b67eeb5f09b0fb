//! Numbers and arrays from Python, checked.

use glam::Vec3;
use numpy::{
    Element, PyArrayDyn, PyArrayMethods, PyReadonlyArray, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyOverflowError;
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

/// A whole number of an argument, or the text of one that `T` does not have.
#[derive(Clone, Debug)]
pub(crate) struct Whole<T>(pub(crate) Result<T, String>);

impl<T> From<T> for Whole<T> {
    fn from(number: T) -> Self {
        Self(Ok(number))
    }
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Whole<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.extract::<T>().map_err(Into::<PyErr>::into) {
            Ok(number) => Ok(Self(Ok(number))),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                Ok(Self(Err(given.str()?.to_string())))
            }
            Err(error) => Err(error),
        }
    }
}

impl<T> Whole<T> {
    /// Returns the number, of an argument of this name.
    pub(crate) fn named(self, name: &str) -> PyResult<T> {
        let refuse = |given| {
            let limit = limit_of::<T>();
            Kind::Input.error(format!("{name} is {given}, but must be a whole number from 0 to {limit}"))
        };
        self.0.map_err(refuse)
    }
}

/// The largest number of an unsigned type.
fn limit_of<T>() -> u128 {
    (1 << (8 * size_of::<T>())) - 1
}

/// The kind of an argument, for errors.
pub(crate) fn describe(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    match (value.getattr("dtype"), value.getattr("shape")) {
        (Ok(dtype), Ok(shape)) => format!("an array of {dtype} of shape {shape}"),
        _ => kind,
    }
}

/// Returns any array-like as an array, and the kind of its numbers.
fn as_array<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, String)> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    let kind = array.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok((array, kind))
}

/// Returns a view of an array of `T` of at most two dimensions. `None` for another type, and where
/// the distance of neighbours is no multiple of their size, as in fields of packed records: views
/// are not able to express that.
fn view<'py, T: Element>(value: &Bound<'py, PyAny>) -> Option<PyReadonlyArrayDyn<'py, T>> {
    let array = value.cast::<PyArrayDyn<T>>().ok()?;
    let is_whole = |stride: &isize| stride.unsigned_abs().is_multiple_of(size_of::<T>());
    let is_fine = array.ndim() <= 2 && array.data().is_aligned() && array.strides().iter().all(is_whole);
    is_fine.then(|| array.try_readonly().ok()).flatten()
}

/// Returns the numbers of any array-like in row-major order, and its shape.
fn floats(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(Vec<f32>, Vec<usize>)> {
    let bad = |what: &dyn std::fmt::Display| {
        Kind::Input.error(format!("{name} must be numbers of shape (3,) or (n, 3), not {what}"))
    };
    if let Some(array) = view::<f32>(value) {
        return Ok((array.as_array().iter().copied().collect(), array.shape().to_vec()));
    }
    if let Some(array) = view::<f64>(value) {
        return Ok((array.as_array().iter().copied().map(single).collect(), array.shape().to_vec()));
    }
    let (array, kind) = as_array(value).map_err(|_| bad(&describe(value)))?;
    if !["f", "i", "u"].contains(&kind.as_str()) {
        return Err(bad(&describe(&array)));
    }
    let wide = array.call_method1("astype", ("float64",))?;
    let read = view::<f64>(&wide).ok_or_else(|| bad(&describe(&array)))?;
    Ok((read.as_array().iter().copied().map(single).collect(), read.shape().to_vec()))
}

/// Positions are single precision. A number beyond it becomes infinite, and is refused as that.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "positions are single precision")]
fn single(number: f64) -> f32 {
    number as f32
}

/// A number of an argument. One that is too large for a float becomes infinite, so that it is
/// refused by name wherever infinity is.
pub(crate) fn wide(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    match value.extract::<f64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            Ok(if value.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        number => number,
    }
}

/// [`wide`] in single precision.
pub(crate) fn real(value: &Bound<'_, PyAny>) -> PyResult<f32> {
    wide(value).map(single)
}

/// [`real`] of an argument that may be None.
pub(crate) fn real_or_none(value: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
    if value.is_none() { Ok(None) } else { real(value).map(Some) }
}

/// An array of three numbers of `T`.
#[inline]
fn triple<T: Element + Copy>(value: &Bound<'_, PyAny>, convert: fn(T) -> f32) -> Option<Vec3> {
    let array = view::<T>(value)?;
    let read = array.as_array();
    (read.shape() == [3]).then(|| Vec3::from([0, 1, 2].map(|at| convert(read[[at]]))))
}

/// A point in a usual form, which costs little: an array of the usual types, a tuple or a list.
#[inline]
fn usual_point(value: &Bound<'_, PyAny>) -> Option<Vec3> {
    if value.cast::<PyUntypedArray>().is_ok() {
        return triple::<f32>(value, |number| number)
            .or_else(|| triple::<f64>(value, single))
            .or_else(|| triple::<i64>(value, |number| number as f32));
    }
    let of = |[x, y, z]: [PyResult<Bound<'_, PyAny>>; 3]| {
        Some(Vec3::new(number(&x.ok()?).ok()?, number(&y.ok()?).ok()?, number(&z.ok()?).ok()?))
    };
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return if tuple.len() == 3 { of([0, 1, 2].map(|at| tuple.get_item(at))) } else { None };
    }
    let list = value.cast::<PyList>().ok()?;
    if list.len() == 3 { of([0, 1, 2].map(|at| list.get_item(at))) } else { None }
}

/// One point: an array of 3 numbers, or any sequence of them.
#[inline]
pub(crate) fn point(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    if let Some(point) = usual_point(value) {
        return Ok(point);
    }
    let (numbers, shape) = floats(name, value)?;
    match *shape {
        [3] => Ok(Vec3::new(numbers[0], numbers[1], numbers[2])),
        _ => Err(Kind::Input.error(format!("{name} must have shape (3,), not {shape:?}"))),
    }
}

fn number(value: &Bound<'_, PyAny>) -> PyResult<f32> {
    if value.is_instance_of::<pyo3::types::PyBool>() {
        return Err(Kind::Input.error("True and False are no numbers"));
    }
    real(value)
}

/// Points of shape (n, 3) that need no conversion: `float32` in row-major order.
fn lent<'py>(value: &Bound<'py, PyAny>) -> Option<Points<'py>> {
    let array = view::<f32>(value)?;
    (array.is_c_contiguous() && matches!(*array.shape(), [_, 3])).then(|| Points::Lent(array))
}

/// Points of shape (n, 3). Arrays of `float32` in row-major order are not copied.
pub(crate) fn points<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Points<'py>> {
    if let Some(points) = lent(value) {
        return Ok(points);
    }
    let (numbers, shape) = floats(name, value)?;
    match *shape {
        // An empty list has no second dimension.
        [0] | [_, 3] => Ok(Points::Owned(numbers)),
        _ => Err(Kind::Input.error(format!("{name} must have shape (n, 3), not {shape:?}"))),
    }
}

/// One point, or points of shape (n, 3).
pub(crate) fn one_or_many<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<OneOrMany<'py>> {
    if let Some(point) = usual_point(value) {
        return Ok(OneOrMany::One(point));
    }
    if let Some(points) = lent(value) {
        return Ok(OneOrMany::Many(points));
    }
    let (numbers, shape) = floats(name, value)?;
    match *shape {
        [3] => Ok(OneOrMany::One(Vec3::new(numbers[0], numbers[1], numbers[2]))),
        [0] | [_, 3] => Ok(OneOrMany::Many(Points::Owned(numbers))),
        _ => Err(Kind::Input.error(format!("{name} must have shape (3,) or (n, 3), not {shape:?}"))),
    }
}

/// Goals: one point, or points of shape (n, 3).
pub(crate) fn goals(value: &Bound<'_, PyAny>) -> PyResult<Vec<Vec3>> {
    match one_or_many("goals", value)? {
        OneOrMany::One(goal) => Ok(vec![goal]),
        OneOrMany::Many(goals) => Ok(goals.as_slice()?.to_vec()),
    }
}

/// Refuses points that are NaN or infinite, by row.
pub(crate) fn finite<'a>(name: &str, points: &'a [Vec3]) -> PyResult<&'a [Vec3]> {
    check_rows(name, points, Vec3::is_finite)
}

/// Refuses points that are infinite, by row. NaN is what queries return where there is no place,
/// and what they take back as that.
pub(crate) fn bounded<'a>(name: &str, points: &'a [Vec3]) -> PyResult<&'a [Vec3]> {
    check_rows(name, points, |point| point.is_finite() || point.is_nan())
}

fn check_rows<'a>(name: &str, points: &'a [Vec3], is_fine: fn(Vec3) -> bool) -> PyResult<&'a [Vec3]> {
    match points.iter().position(|&point| !is_fine(point)) {
        None => Ok(points),
        Some(row) => Err(Kind::Query.error(format!("{name}: row {row}, {}, is not finite", points[row]))),
    }
}

/// Whole numbers of `dimensions` in row-major order. `wanted` says what they must be, and `refuse`
/// makes the error for a number, by its place, that `T` cannot hold.
fn integers<T: Element + Copy + TryFrom<i128>>(
    value: &Bound<'_, PyAny>,
    is_shape: fn(&[usize]) -> bool,
    wanted: &str,
    refuse: impl Fn(usize, i128) -> PyErr,
) -> PyResult<Vec<T>> {
    let bad = |what: &Bound<'_, PyAny>| Kind::Input.error(format!("{wanted}, not {}", describe(what)));
    let (array, kind) = as_array(value).map_err(|_| bad(value))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    // An empty list has no whole numbers.
    if !is_shape(&shape) || !(shape.contains(&0) || ["i", "u"].contains(&kind.as_str())) {
        return Err(bad(&array));
    }
    if let Some(read) = view::<T>(&array) {
        return Ok(read.as_array().iter().copied().collect());
    }
    let narrow = |(at, number): (usize, i128)| T::try_from(number).map_err(|_| refuse(at, number));
    let wide = array.call_method1("astype", (if kind == "u" { "uint64" } else { "int64" },))?;
    if let Some(read) = view::<i64>(&wide) {
        return read.as_array().iter().map(|&number| i128::from(number)).enumerate().map(narrow).collect();
    }
    let read = view::<u64>(&wide).ok_or_else(|| bad(&array))?;
    read.as_array().iter().map(|&number| i128::from(number)).enumerate().map(narrow).collect()
}

/// Triangles of shape (n, 3), of any whole numbers.
pub(crate) fn triangles(value: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let refuse = |at, number| {
        let limit = "vertices are numbered from 0 to 4294967295";
        Kind::Input.error(format!("triangle {} names vertex {number}: {limit}", at / 3))
    };
    let is_shape = |shape: &[usize]| matches!(shape, [_, 3]);
    let corners: Vec<u32> =
        integers(value, is_shape, "triangles must be whole numbers of shape (n, 3)", refuse)?;
    Ok(corners.chunks_exact(3).map(|row| [row[0], row[1], row[2]]).collect())
}

/// A whole number per triangle or polygon.
pub(crate) fn labels<T: Element + Copy + TryFrom<i128>>(
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Vec<T>> {
    let wanted = format!("{name} must be whole numbers from 0 to {} of shape (n,)", limit_of::<T>());
    let refuse = |at, number| Kind::Input.error(format!("{wanted}: number {at} is {number}"));
    integers(value, |shape| shape.len() == 1, &wanted, refuse)
}

/// A boolean per polygon. Numbers are refused: they may be ids of polygons.
pub(crate) fn flags(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    let bad = |what: &Bound<'_, PyAny>| {
        let what = describe(what);
        Kind::Input.error(format!("{name} must be booleans of shape (n,), one for each polygon, not {what}"))
    };
    let (array, _) = as_array(value).map_err(|_| bad(value))?;
    let read = view::<bool>(&array).filter(|read| read.ndim() == 1).ok_or_else(|| bad(&array))?;
    Ok(read.as_array().iter().copied().collect())
}

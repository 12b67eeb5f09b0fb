//! From JavaScript's values and back.

use std::ops::RangeInclusive;

use glam::Vec3;
use js_sys::{Array, ArrayBuffer, Float32Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use waymesh_graph::Reach;

use crate::error::{Kind, Thrown};

/// A position of three numbers.
pub(crate) fn point(name: &str, numbers: &[f32]) -> Thrown<Vec3> {
    match *numbers {
        [x, y, z] => finite(name, Vec3::new(x, y, z)),
        _ => Err(Kind::Input.error(format_args!("{name} has {} numbers, but must have 3", numbers.len()))),
    }
}

fn finite(name: &str, point: Vec3) -> Thrown<Vec3> {
    if point.is_finite() {
        return Ok(point);
    }
    Err(Kind::Input.error(format_args!("{name} holds {point}, but must be finite")))
}

/// Positions of three numbers each.
pub(crate) fn points<'a>(name: &str, numbers: &'a [f32]) -> Thrown<&'a [Vec3]> {
    let points: &[Vec3] = bytemuck::try_cast_slice(numbers).map_err(|_| {
        Kind::Input
            .error(format_args!("{name} has {} numbers, but must have 3 for each point", numbers.len()))
    })?;
    if let Some(index) = points.iter().position(|point| !point.is_finite()) {
        finite(&format!("point {index} of {name}"), points[index])?;
    }
    Ok(points)
}

/// A whole number of a range.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
pub(crate) fn whole(name: &str, given: f64, range: RangeInclusive<u32>) -> Thrown<u32> {
    let (least, most) = range.into_inner();
    if (f64::from(least)..=f64::from(most)).contains(&given) && given.fract().abs() < f64::MIN_POSITIVE {
        return Ok(given as u32);
    }
    let text = format_args!("{name} is {given}, but must be a whole number from {least} to {most}");
    Err(Kind::Input.error(text))
}

/// Flags of a polygon, 16 bits.
pub(crate) fn flags(name: &str, given: f64) -> Thrown<u16> {
    // A larger number was refused.
    whole(name, given, 0..=u16::MAX.into()).map(|flags| u16::try_from(flags).unwrap_or(u16::MAX))
}

/// Copies the bytes of an `ArrayBuffer`, or of a view of one.
pub(crate) fn bytes(value: &JsValue) -> Thrown<Vec<u8>> {
    let field = |name: &str| Reflect::get(value, &name.into());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in 32-bit memory")]
    let number = |name: &str| Ok::<_, JsValue>(field(name)?.as_f64().unwrap_or_default() as u32);
    // The name, because a buffer of another frame or of a test's context is no instance of the class.
    let name =
        || value.is_object().then(|| value.unchecked_ref::<Object>().to_string().as_string()).flatten();
    let is_view = ArrayBuffer::is_view(value);
    if !is_view && !matches!(name().as_deref(), Some("[object ArrayBuffer]" | "[object SharedArrayBuffer]")) {
        return Err(Kind::Input.error("bytes must be an ArrayBuffer, or a view of one such as a Uint8Array"));
    }
    let length = number("byteLength")?;
    if length == 0 {
        return Err(Kind::Input.error("bytes is empty: nothing was read, or its buffer was transferred"));
    }
    if is_view {
        let (buffer, offset) = (field("buffer")?, number("byteOffset")?);
        return Ok(Uint8Array::new_with_byte_offset_and_length(&buffer, offset, length).to_vec());
    }
    Ok(Uint8Array::new(value).to_vec())
}

/// The numbers of positions.
pub(crate) fn flat(points: &[Vec3]) -> Vec<f32> {
    bytemuck::cast_slice(points).to_vec()
}

/// Positions as an array of JavaScript.
pub(crate) fn positions(points: &[Vec3]) -> JsValue {
    Float32Array::from(flat(points).as_slice()).into()
}

/// An object of named values. Only a plain object has all its values in its own fields: not a list,
/// a `Map`, or an object of a class with getters. Its prototype is none, or that of all objects, of
/// which each frame and test context has its own.
fn named(value: &JsValue) -> Option<&Object> {
    let prototype = |of: &JsValue| Reflect::get_prototype_of(of).map(JsValue::from).ok();
    let above = value.is_object().then(|| prototype(value))??;
    (above.is_null() || prototype(&above)?.is_null()).then(|| value.unchecked_ref())
}

/// An object of JavaScript of which every field must be used.
pub(crate) struct Fields {
    what: &'static str,
    object: JsValue,
    left: Vec<String>,
}

impl Fields {
    pub(crate) fn new(what: &'static str, object: &JsValue) -> Thrown<Self> {
        let mut left = Vec::new();
        if !object.is_undefined() && !object.is_null() {
            let Some(object) = named(object) else {
                return Err(Kind::Input.error(format_args!("{what} must be an object of names and values")));
            };
            left.extend(Object::keys(object).iter().filter_map(|key| key.as_string()));
        }
        Ok(Self { what, object: object.clone(), left })
    }

    /// The value of a field; `None` if it is not there, or `undefined` or `null`.
    fn take(&mut self, name: &str) -> Thrown<Option<JsValue>> {
        let Some(index) = self.left.iter().position(|left| left == name) else { return Ok(None) };
        self.left.swap_remove(index);
        // A getter may throw: its error is passed on.
        let value = Reflect::get(&self.object, &name.into())?;
        Ok((!value.is_undefined() && !value.is_null()).then_some(value))
    }

    fn taken<T>(
        &mut self,
        name: &str,
        what: &str,
        convert: impl FnOnce(&JsValue) -> Option<T>,
    ) -> Thrown<Option<T>> {
        let Some(value) = self.take(name)? else { return Ok(None) };
        match convert(&value) {
            Some(converted) => Ok(Some(converted)),
            None => Err(Kind::Input.error(format_args!("{}: {name} must be {what}", self.what))),
        }
    }

    pub(crate) fn flag(&mut self, name: &str, default: bool) -> Thrown<bool> {
        Ok(self.taken(name, "true or false", JsValue::as_bool)?.unwrap_or(default))
    }

    pub(crate) fn double(&mut self, name: &str) -> Thrown<Option<f64>> {
        self.taken(name, "a number", JsValue::as_f64)
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded to single precision")]
    pub(crate) fn number(&mut self, name: &str) -> Thrown<Option<f32>> {
        Ok(self.double(name)?.map(|number| number as f32))
    }

    pub(crate) fn text(&mut self, name: &str) -> Thrown<Option<String>> {
        self.taken(name, "a text", JsValue::as_string)
    }

    /// Sets the numbers that are given.
    #[cfg(feature = "crowd")]
    pub(crate) fn numbers<const N: usize>(&mut self, fields: [(&str, &mut f32); N]) -> Thrown<()> {
        for (name, field) in fields {
            if let Some(number) = self.number(name)? {
                *field = number;
            }
        }
        Ok(())
    }

    /// A whole number.
    #[cfg(any(feature = "bake", feature = "crowd"))]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    pub(crate) fn count(&mut self, name: &str) -> Thrown<Option<u32>> {
        let whole = |value: &JsValue| {
            let number = value.as_f64()?;
            let is_count =
                (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract().abs() < f64::MIN_POSITIVE;
            is_count.then_some(number as u32)
        };
        self.taken(name, "a whole number, 0 or more", whole)
    }

    /// Sets the whole numbers that are given.
    #[cfg(feature = "crowd")]
    pub(crate) fn counts<const N: usize>(&mut self, fields: [(&str, &mut u32); N]) -> Thrown<()> {
        for (name, field) in fields {
            if let Some(count) = self.count(name)? {
                *field = count;
            }
        }
        Ok(())
    }

    /// `reach`: metres, or metres to the side, up and down.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to single precision")]
    pub(crate) fn reach(&mut self) -> Thrown<Option<Reach>> {
        let convert = |value: &JsValue| -> Option<Reach> {
            if let Some(metres) = value.as_f64() {
                let metres = metres as f32;
                return Some(Reach::new(metres, metres, metres));
            }
            let numbers: Vec<f64> = Array::from(value).iter().filter_map(|number| number.as_f64()).collect();
            let [side, up, down] = numbers.as_slice() else { return None };
            Some(Reach::new(*side as f32, *up as f32, *down as f32))
        };
        let reach = self.taken("reach", "metres, or metres to the side, up and down", convert)?;
        if let Some(reach) = &reach {
            reach.validate().map_err(|error| Kind::Input.error(error))?;
        }
        Ok(reach)
    }

    /// An object of names and costs, each 0 or more.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to single precision")]
    pub(crate) fn costs(&mut self, name: &'static str) -> Thrown<Option<Vec<(String, f32)>>> {
        let Some(costs) = self.take(name)? else { return Ok(None) };
        let Some(costs) = named(&costs) else {
            return Err(Kind::Input.error(format_args!("{name} must be an object of names and costs")));
        };
        let one = |key: String| {
            let cost = Reflect::get(costs, &key.as_str().into())?.as_f64().filter(|&cost| cost >= 0.0);
            match cost {
                Some(cost) => Ok((key, cost as f32)),
                None => Err(Kind::Query
                    .error(format_args!("{name}: the cost of {key:?} must be a number, 0 or more"))),
            }
        };
        Object::keys(costs).iter().filter_map(|key| key.as_string()).map(one).collect::<Thrown<_>>().map(Some)
    }

    /// Refuses fields that nobody took.
    pub(crate) fn finish(&self) -> Thrown<()> {
        match self.left.first() {
            Some(name) => Err(Kind::Input.error(format_args!("{}: there is no option {name:?}", self.what))),
            None => Ok(()),
        }
    }
}

/// A plain object of names and values.
pub(crate) fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A new object takes every field.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

#[cfg(feature = "bake")]
mod values {
    use js_sys::{Array, ArrayBuffer, Object, Reflect};
    use wasm_bindgen::JsValue;
    use waymesh::fields::Value;

    use super::{Kind, Thrown};

    /// Deepest nesting of settings; the deepest that means anything is a mesh in a mark in a list.
    const DEEPEST: u32 = 16;

    /// The value of what has this name in errors.
    pub(crate) fn value(name: &str, js: &JsValue) -> Thrown<Value> {
        nested(name, js, 0)
    }

    fn nested(name: &str, js: &JsValue, depth: u32) -> Thrown<Value> {
        if depth > DEEPEST {
            return Err(Kind::Settings.error(format_args!("{name} is nested too deeply")));
        }
        if js.is_undefined() || js.is_null() {
            return Ok(Value::Unset);
        }
        if let Some(flag) = js.as_bool() {
            return Ok(Value::Flag(flag));
        }
        if let Some(number) = js.as_f64() {
            return Ok(Value::Number(number));
        }
        if let Some(text) = js.as_string() {
            return Ok(Value::Text(text));
        }
        if Array::is_array(js) || ArrayBuffer::is_view(js) {
            let values = Array::from(js);
            let values = values.iter().map(|value| nested(name, &value, depth + 1));
            return Ok(Value::List(values.collect::<Thrown<_>>()?));
        }
        if !js.is_object() {
            let kind = js.js_typeof().as_string().unwrap_or_default();
            return Err(Kind::Settings.error(format_args!("{name} cannot be a {kind}")));
        }
        entries_at(name, js, depth).map(Value::Entries)
    }

    /// The fields of an object, in order; its name is in errors.
    pub(crate) fn entries(name: &str, js: &JsValue) -> Thrown<Vec<(String, Value)>> {
        entries_at(name, js, 0)
    }

    fn entries_at(name: &str, js: &JsValue, depth: u32) -> Thrown<Vec<(String, Value)>> {
        if js.is_undefined() || js.is_null() {
            return Ok(Vec::new());
        }
        let Some(object) = super::named(js) else {
            let text = format_args!("{name} must be an object of names and values");
            return Err(Kind::Settings.error(text));
        };
        let entry = |key: JsValue| {
            let (value, key) = (Reflect::get(object, &key)?, key.as_string().unwrap_or_default());
            let value = nested(&key, &value, depth + 1)?;
            Ok((key, value))
        };
        Object::keys(object).iter().map(entry).collect()
    }

    /// Converts to a value of JavaScript.
    pub(crate) fn to_js(value: &Value) -> JsValue {
        match value {
            Value::Flag(flag) => (*flag).into(),
            Value::Number(number) => (*number).into(),
            Value::Text(text) => text.into(),
            Value::List(values) => values.iter().map(to_js).collect::<Array>().into(),
            Value::Entries(entries) => {
                let fields: Vec<(&str, JsValue)> =
                    entries.iter().map(|(name, value)| (name.as_str(), to_js(value))).collect();
                super::object(&fields)
            }
            _ => JsValue::NULL,
        }
    }

    /// JSON as a value of JavaScript.
    pub(crate) fn from_json(json: &str) -> Thrown<JsValue> {
        js_sys::JSON::parse(json)
    }
}

#[cfg(feature = "bake")]
pub(crate) use values::{entries, from_json, to_js, value};

/// A flag as an error if an argument's length is not that of another.
pub(crate) fn same_count(names: [&str; 2], counts: [usize; 2]) -> Thrown<()> {
    if counts[0] == counts[1] {
        return Ok(());
    }
    Err(Kind::Input.error(format_args!("{} {} and {} {}", counts[0], names[0], counts[1], names[1])))
}

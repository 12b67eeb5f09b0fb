//! The settings of bakes, by the names of `waymesh::fields`.

use std::ffi::c_char;

use serde_json::Value as Json;
use waymesh::AreaTable;
use waymesh::fields::{AnyBaker, Entries, FieldError, LOAD, Value};
use waymesh::io::LoadOptions;

use crate::memory::{slice, text_of};
use crate::status::{Failure, Status};

/// A setting of a bake, by its name. Start from zeros.
///
/// Names, units, ranges and defaults are those of Python and JavaScript; the guide has a table of
/// all. `pipeline` is one of voxels (the default), storeys and slices. Where a name is given
/// twice, the last one counts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name, such as agent_radius.
    pub name: *const c_char,
    /// Its value, if that is a number.
    pub number: f64,
    /// Its value, if that is a word, true or false, or a list or an object as JSON; else NULL.
    pub text: *const c_char,
    /// Its value, if that is a list of numbers, such as that of origin; else NULL.
    pub numbers: *const f64,
    /// Length of that list.
    pub count: usize,
}

/// Settings that were copied from C.
pub(crate) struct Settings(Vec<(String, Value)>);

impl Settings {
    /// Copies settings of the caller's.
    ///
    /// # Safety
    /// There are `count` settings, each with strings that end in a zero byte, and as many numbers as
    /// it says.
    pub(crate) unsafe fn read(first: *const Setting, count: usize) -> Result<Self, Failure> {
        // SAFETY: the caller promises it.
        let settings = unsafe { slice("settings", first, count)? };
        // SAFETY: likewise.
        settings.iter().map(|setting| unsafe { setting.read() }).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the settings, each of which must be used.
    pub(crate) fn entries(&self) -> Entries<'_> {
        Entries::new("settings", &self.0)
    }

    /// Returns how triangles are read, and the baker.
    pub(crate) fn baker(&self) -> Result<(LoadOptions, AnyBaker), Failure> {
        let mut entries = self.entries();
        let load = load_options(&mut entries)?;
        let baker = AnyBaker::of(&mut entries, &AreaTable::default())?;
        entries.finish()?;
        Ok((load, baker))
    }
}

/// Returns how triangles are read.
pub(crate) fn load_options(entries: &mut Entries<'_>) -> Result<LoadOptions, Failure> {
    let mut options = LoadOptions::default();
    entries.apply(LOAD, &mut options)?;
    options.validate().map_err(bad)?;
    Ok(options)
}

impl Setting {
    unsafe fn read(&self) -> Result<(String, Value), Failure> {
        // SAFETY: the caller promises it.
        let name = unsafe { text_of("settings.name", self.name)? }.to_owned();
        let value = if !self.numbers.is_null() {
            // SAFETY: likewise.
            let numbers = unsafe { slice("settings.numbers", self.numbers, self.count)? };
            Value::List(numbers.iter().copied().map(Value::Number).collect())
        } else if self.text.is_null() {
            Value::Number(self.number)
        } else {
            // SAFETY: likewise.
            let text = unsafe { text_of("settings.text", self.text)? };
            let is_json = text.starts_with(['[', '{']) || ["true", "false"].contains(&text);
            if is_json { value_of(parsed(&name, text)?) } else { Value::from(text) }
        };
        Ok((name, value))
    }
}

fn parsed(name: &str, text: &str) -> Result<Json, Failure> {
    serde_json::from_str(text).map_err(|error| bad(format!("{name} is not JSON: {error}")))
}

fn value_of(json: Json) -> Value {
    match json {
        Json::Null => Value::Unset,
        Json::Bool(flag) => Value::Flag(flag),
        Json::Number(number) => number.as_f64().map_or(Value::Unset, Value::Number),
        Json::String(text) => Value::Text(text),
        Json::Array(items) => Value::List(items.into_iter().map(value_of).collect()),
        Json::Object(entries) => {
            Value::Entries(entries.into_iter().map(|(name, json)| (name, value_of(json))).collect())
        }
    }
}

impl From<FieldError> for Failure {
    fn from(error: FieldError) -> Self {
        Self::new(Status::BadSetting, error.to_string())
    }
}

/// Returns the error for a setting.
pub(crate) fn bad(reason: impl std::fmt::Display) -> Failure {
    Failure::new(Status::BadSetting, format!("settings: {reason}"))
}

/// The error for a number that names nothing.
pub(crate) fn unknown(name: &'static str, number: u32) -> Failure {
    Failure::new(Status::BadSetting, format!("{name} is {number}, which names nothing"))
}

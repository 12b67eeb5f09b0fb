//! Every setting by its name, for those that read settings from outside: files, pages, other
//! languages. One list with types, units, useful ranges and what each is for.
//!
//! ```
//! use waymesh::BakeConfig;
//! use waymesh::fields::{BAKE, Entries, Value};
//!
//! let given = vec![("agent_radius".to_owned(), Value::from(0.4)), ("max_slope".to_owned(), Value::from(50.0))];
//! let mut config = BakeConfig::default();
//! let mut entries = Entries::new("settings", &given);
//! entries.apply(BAKE, &mut config)?;
//! entries.finish()?;
//! assert_eq!(config.agent.radius, 0.4);
//! # Ok::<(), waymesh::fields::FieldError>(())
//! ```

mod bake;
mod baker;
mod fronts;
mod shapes;
mod value;

use serde::Serialize;
use thiserror::Error;

pub use bake::{BAKE, JUMPS};
pub use baker::{AnyBaker, baker, named_radius, unknown_pipeline, voxels};
#[cfg(feature = "slices")]
pub use fronts::SLICES;
#[cfg(feature = "storeys")]
pub use fronts::STOREYS;
pub use fronts::{LOAD, VOXELS};
#[cfg(feature = "floorplan")]
pub use fronts::{PLANS, READ};
pub use shapes::{area_of, mark_of, shape_of, soup_of};
pub use value::{FromValue, Value};

use crate::bake::{BakeConfig, FrontEnd};
use crate::front::Voxels;

/// Type of a field, with a useful range for a slider. The bake checks the allowed range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FieldKind {
    /// `true` or `false`.
    Flag,
    /// A number.
    Number {
        /// Its unit, empty for none.
        unit: &'static str,
        /// Least useful value.
        low: f64,
        /// Greatest useful value.
        high: f64,
        /// Distance between two useful values.
        step: f64,
    },
    /// A whole number.
    Count {
        /// Least useful value.
        low: u32,
        /// Greatest useful value.
        high: u32,
    },
    /// One of a few words.
    Choice {
        /// The words.
        choices: &'static [&'static str],
    },
    /// Text.
    Text,
    /// A list or entries.
    Structure {
        /// Its notation.
        form: &'static str,
    },
}

/// Why a field does not take a value.
#[derive(Clone, Debug)]
pub(crate) enum Wrong {
    /// It is of another type.
    Type,
    /// For this reason.
    Because(String),
}

/// A field of the settings `T`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Field<T: 'static> {
    /// Its name in other languages.
    pub name: &'static str,
    /// The name of the field of [`crate::BakeConfig`], as
    /// [`OptionNotSupported`](crate::BakeError::OptionNotSupported) and
    /// [`FrontEnd::REFUSED`] have it.
    pub option: &'static str,
    /// The argument of the program `waymesh build` or `waymesh plan`; `None` where the program has
    /// none of the same values.
    pub argument: Option<&'static str>,
    /// Its purpose, in a sentence.
    pub about: &'static str,
    /// Its type.
    pub kind: FieldKind,
    get: fn(&T) -> Value,
    set: fn(&mut T, &Value) -> Result<(), Wrong>,
}

impl<T> Field<T> {
    /// Returns the value as it would be given; [`Value::Unset`] for one that is computed of others.
    #[must_use]
    pub fn get(&self, settings: &T) -> Value {
        (self.get)(settings)
    }
}

impl Field<BakeConfig> {
    /// Returns the default of each front end of triangles, by its name; `None` where it refuses the
    /// setting.
    #[must_use]
    pub fn defaults(&self) -> Vec<(&'static str, Option<Value>)> {
        Vec::from([
            self.default_of::<Voxels>(),
            #[cfg(feature = "storeys")]
            self.default_of::<crate::Storeys>(),
            #[cfg(feature = "slices")]
            self.default_of::<crate::Slices>(),
        ])
    }

    fn default_of<F: FrontEnd>(&self) -> (&'static str, Option<Value>) {
        let is_refused = F::REFUSED.iter().any(|(option, _)| *option == self.option);
        (F::NAME, (!is_refused).then(|| self.get(&F::defaults())))
    }
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A value of another type, or out of its type's range, of what is no field.
    #[error("{what}: {name} cannot be {value}")]
    Type {
        /// The settings.
        what: &'static str,
        /// The field.
        name: String,
        /// The given value.
        value: String,
    },
    /// A value that a field does not take.
    #[error("{what}: {name} cannot be {value}: {about}")]
    Field {
        /// The settings.
        what: &'static str,
        /// The field.
        name: &'static str,
        /// The given value.
        value: String,
        /// Its purpose.
        about: &'static str,
    },
    /// A word that is no choice.
    #[error("{what}: {name} is {value}, but must be one of {choices}")]
    Choice {
        /// The settings.
        what: &'static str,
        /// The field.
        name: &'static str,
        /// The given value.
        value: String,
        /// The allowed words.
        choices: String,
    },
    /// A name that no field has.
    #[error("{what}: there is no setting {name:?} here")]
    Unknown {
        /// The settings.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Another reason.
    #[error("{what}: {reason}")]
    Other {
        /// The settings.
        what: &'static str,
        /// The reason.
        reason: String,
    },
}

/// Settings by name, of which every one must be used.
#[derive(Debug)]
pub struct Entries<'a> {
    what: &'static str,
    entries: &'a [(String, Value)],
    used: Vec<bool>,
}

impl<'a> Entries<'a> {
    /// `what` names the settings in errors.
    #[must_use]
    pub fn new(what: &'static str, entries: &'a [(String, Value)]) -> Self {
        Self { what, entries, used: vec![false; entries.len()] }
    }

    /// Takes a value that is no field; `None` if it is not given.
    pub fn take(&mut self, name: &str) -> Option<&'a Value> {
        let mut found = None;
        for ((given, value), used) in self.entries.iter().zip(&mut self.used) {
            if given == name {
                *used = true;
                found = Some(value).filter(|value| **value != Value::Unset);
            }
        }
        found
    }

    /// Sets a variable, if it is given.
    ///
    /// # Errors
    /// Names it if it does not take its value.
    pub fn set<T: FromValue>(&mut self, name: &str, variable: &mut T) -> Result<(), FieldError> {
        let Some(value) = self.take(name) else { return Ok(()) };
        let (what, name) = (self.what, name.to_owned());
        *variable = value.to().ok_or_else(|| FieldError::Type { what, name, value: value.to_string() })?;
        Ok(())
    }

    /// Sets all fields that are given.
    ///
    /// # Errors
    /// Names the first one that does not take its value.
    pub fn apply<T>(&mut self, fields: &[Field<T>], settings: &mut T) -> Result<(), FieldError> {
        for field in fields {
            let Some(value) = self.take(field.name) else { continue };
            (field.set)(settings, value).map_err(|wrong| self.error(field, value, wrong))?;
        }
        Ok(())
    }

    fn error<T>(&self, field: &Field<T>, value: &Value, wrong: Wrong) -> FieldError {
        let (what, name, value) = (self.what, field.name, value.to_string());
        match (wrong, field.kind) {
            (Wrong::Because(reason), _) => FieldError::Other { what, reason },
            (Wrong::Type, FieldKind::Choice { choices }) => {
                FieldError::Choice { what, name, value, choices: choices.join(", ") }
            }
            (Wrong::Type, _) => {
                let about = field.about.split(". ").next().unwrap_or_default().trim_end_matches('.');
                FieldError::Field { what, name, value, about }
            }
        }
    }

    /// Refuses what nobody took.
    ///
    /// # Errors
    /// Names the first one.
    pub fn finish(&self) -> Result<(), FieldError> {
        let left =
            self.entries.iter().zip(&self.used).find(|((_, value), used)| !**used && *value != Value::Unset);
        match left {
            Some(((name, _), _)) => Err(FieldError::Unknown { what: self.what, name: name.clone() }),
            None => Ok(()),
        }
    }
}

/// A field whose values convert to and from the type of a variable: its name, the path of the
/// variable if it has another one, its kind, and its purpose. Its option and its argument have its
/// name unless others are given.
macro_rules! plain {
    ($name:ident, $($rest:tt)+) => { plain! { $name = $name, $($rest)+ } };
    (
        $name:ident = $($path:ident).+, $kind:expr
        $(, option $option:literal)? $(, argument $argument:tt)?, $about:literal
    ) => {
        Field {
            name: stringify!($name),
            option: [$($option,)? stringify!($name)][0],
            argument: [$(argument!($argument),)? Some(stringify!($name))][0],
            about: $about,
            kind: $kind,
            get: |of| Value::from(Clone::clone(&of.$($path).+)),
            set: |of, value| {
                of.$($path).+ = value.to().ok_or(Wrong::Type)?;
                Ok(())
            },
        }
    };
}

/// A field with one of a few words.
macro_rules! choice {
    (
        $name:ident, [$($word:literal => $value:expr),+] $(, argument $argument:tt)?, $about:literal
    ) => {
        Field {
            name: stringify!($name),
            option: stringify!($name),
            argument: [$(argument!($argument),)? Some(stringify!($name))][0],
            about: $about,
            kind: FieldKind::Choice { choices: &[$($word),+] },
            get: |of| {
                $(if of.$name == $value {
                    return Value::from($word);
                })+
                Value::Unset
            },
            set: |of, value| {
                of.$name = match value.to::<String>().as_deref() {
                    $(Some($word) => $value,)+
                    _ => return Err(Wrong::Type),
                };
                Ok(())
            },
        }
    };
}

/// The argument of a field, or none.
macro_rules! argument {
    (None) => {
        None
    };
    ($argument:literal) => {
        Some($argument)
    };
}

const fn number(unit: &'static str, low: f64, high: f64, step: f64) -> FieldKind {
    FieldKind::Number { unit, low, high, step }
}

pub(crate) use {argument, choice, plain};

#[cfg(test)]
mod tests;

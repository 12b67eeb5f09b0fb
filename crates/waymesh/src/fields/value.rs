//! Values of settings, as files, pages and other languages write them.

use std::fmt::{Display, Formatter};

use serde::{Serialize, Serializer};
use waymesh_core::nearest_f32;

/// A value of a setting before it is checked: what TOML, JSON, JavaScript and Python have in
/// common.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing: the setting keeps its default.
    #[default]
    Unset,
    /// `true` or `false`.
    Flag(bool),
    /// A number, whole or not.
    Number(f64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name, in the order they were given.
    Entries(Vec<(String, Value)>),
}

impl Display for Value {
    /// Writes it as JSON does, but for long lists, which are cut.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        /// Parts of a list that an error shows.
        const SHOWN: usize = 6;
        match self {
            Self::Unset => formatter.write_str("null"),
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::List(values) => {
                formatter.write_str("[")?;
                for (index, value) in values.iter().take(SHOWN).enumerate() {
                    write!(formatter, "{}{value}", if index == 0 { "" } else { ", " })?;
                }
                formatter.write_str(if values.len() > SHOWN { ", ...]" } else { "]" })
            }
            Self::Entries(entries) => {
                formatter.write_str("{")?;
                for (index, (name, value)) in entries.iter().take(SHOWN).enumerate() {
                    write!(formatter, "{}{name:?}: {value}", if index == 0 { "" } else { ", " })?;
                }
                formatter.write_str(if entries.len() > SHOWN { ", ...}" } else { "}" })
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unset => serializer.serialize_none(),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(values) => serializer.collect_seq(values),
            Self::Entries(entries) => {
                serializer.collect_map(entries.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl Value {
    /// Converts to the type of a field; `None` for another kind of value, a number that is not
    /// whole where it must be, or one beyond the type.
    #[must_use]
    pub fn to<T: FromValue>(&self) -> Option<T> {
        T::from_value(self)
    }
}

/// A type that a [`Value`] converts to.
pub trait FromValue: Sized {
    /// See [`Value::to`].
    fn from_value(value: &Value) -> Option<Self>;
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Flag(flag) = value { Some(*flag) } else { None }
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Number(number) = value { Some(*number) } else { None }
    }
}

impl FromValue for f32 {
    fn from_value(value: &Value) -> Option<Self> {
        value.to::<f64>().map(nearest_f32)
    }
}

impl FromValue for u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
    fn from_value(value: &Value) -> Option<Self> {
        /// The last whole number that doubles count up to without a gap.
        const LAST: f64 = 9_007_199_254_740_992.0;
        let number: f64 = value.to()?;
        (number.fract().abs() < f64::MIN_POSITIVE && (0.0..=LAST).contains(&number)).then_some(number as Self)
    }
}

/// Writes the conversions of whole numbers that convert from 64 bits.
macro_rules! whole_numbers {
    ($($number:ty),+) => {$(
        impl FromValue for $number {
            fn from_value(value: &Value) -> Option<Self> {
                value.to::<u64>()?.try_into().ok()
            }
        }

        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(number as f64)
            }
        }
    )+};
}

whole_numbers!(u8, u32, usize);

impl FromValue for String {
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Text(text) = value { Some(text.clone()) } else { None }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::List(values) = value { values.iter().map(Value::to).collect() } else { None }
    }
}

impl<T: FromValue, const N: usize> FromValue for [T; N] {
    fn from_value(value: &Value) -> Option<Self> {
        value.to::<Vec<T>>()?.try_into().ok()
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        value.to().map(Some)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Unset, Into::into)
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<f32> for Value {
    /// The shortest decimal that is this number: 0.3, not 0.30000001192.
    fn from(number: f32) -> Self {
        Self::Number(number.to_string().parse().unwrap_or_else(|_| number.into()))
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number as f64)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

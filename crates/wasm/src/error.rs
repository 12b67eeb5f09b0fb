//! From errors of waymesh to errors of JavaScript, with the same texts.

use js_sys::{Error, Reflect};
use wasm_bindgen::JsValue;
use waymesh_core::BadField;
use waymesh_graph::{NavMeshError, QueryError};

/// Kind of an error: the field `kind` of the thrown error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A setting is out of its range, or there is no such setting.
    #[cfg(any(feature = "bake", feature = "crowd"))]
    Settings,
    /// An argument is of another form than documented.
    Input,
    /// A file cannot be read.
    File,
    /// A bake failed.
    #[cfg(feature = "bake")]
    Bake,
    /// The callback ended the bake.
    #[cfg(feature = "bake")]
    Cancelled,
    /// There is no ground to walk on.
    #[cfg(feature = "bake")]
    NothingWalkable,
    /// No ground is near a position, or no room for a disc.
    NoMeshNear,
    /// A query cannot be answered.
    Query,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            #[cfg(any(feature = "bake", feature = "crowd"))]
            Self::Settings => "settings",
            Self::Input => "input",
            Self::File => "file",
            #[cfg(feature = "bake")]
            Self::Bake => "bake",
            #[cfg(feature = "bake")]
            Self::Cancelled => "cancelled",
            #[cfg(feature = "bake")]
            Self::NothingWalkable => "nothing-walkable",
            Self::NoMeshNear => "no-mesh-near",
            Self::Query => "query",
        }
    }

    /// Returns the error with this text.
    pub(crate) fn error(self, text: impl std::fmt::Display) -> JsValue {
        let error = Error::new(&text.to_string());
        error.set_name("WaymeshError");
        // An error is an object: it takes a field.
        let _ = Reflect::set(&error, &"kind".into(), &self.name().into());
        error.into()
    }
}

/// A result whose error JavaScript throws.
pub(crate) type Thrown<T> = Result<T, JsValue>;

/// The text about a field of queries and crowds, with the name that the option has in JavaScript.
fn of_option(error: &BadField) -> String {
    let (text, words) = (error.to_string(), error.field.split('_').enumerate());
    // Names are ASCII; the tables of Unicode would take 10 kB.
    let capital = |(index, word): (usize, &str)| match word.split_at_checked(1) {
        Some((first, others)) if index > 0 => first.to_ascii_uppercase() + others,
        _ => word.to_owned(),
    };
    words.map(capital).collect::<String>() + &text[error.field.len()..]
}

/// Conversion to an error of JavaScript.
pub(crate) trait IntoJs {
    fn into_js(self) -> JsValue;
}

impl IntoJs for NavMeshError {
    fn into_js(self) -> JsValue {
        Kind::File.error(self)
    }
}

impl IntoJs for QueryError {
    fn into_js(self) -> JsValue {
        let kind = match self {
            Self::NoMeshNear { .. } | Self::NoRoomNear { .. } => Kind::NoMeshNear,
            Self::NotFinite { .. } => Kind::Input,
            _ => Kind::Query,
        };
        if let Self::BadField(error) = self {
            return kind.error(of_option(&error));
        }
        kind.error(self)
    }
}

#[cfg(feature = "crowd")]
impl IntoJs for waymesh_crowd::CrowdError {
    fn into_js(self) -> JsValue {
        match self {
            Self::BadField(error) => Kind::Settings.error(of_option(&error)),
            Self::Query(error) => error.into_js(),
            _ => Kind::Input.error(self),
        }
    }
}

#[cfg(feature = "bake")]
mod bake {
    use super::{IntoJs, Kind};
    use wasm_bindgen::JsValue;
    use waymesh::BakeError;
    use waymesh::core::BadField;
    use waymesh::fields::FieldError;
    use waymesh::floorplan::PlanError;
    use waymesh::io::{AreaRuleError, IoError};

    macro_rules! of_kind {
        ($($error:ty => $kind:ident),+ $(,)?) => {
            $(impl IntoJs for $error {
                fn into_js(self) -> JsValue {
                    Kind::$kind.error(self)
                }
            })+
        };
    }

    of_kind! {
        AreaRuleError => Settings,
        BadField => Settings,
        FieldError => Settings,
        IoError => File,
        PlanError => File,
    }

    impl IntoJs for BakeError {
        fn into_js(self) -> JsValue {
            let kind = match &self {
                Self::Cancelled(_) => Kind::Cancelled,
                Self::Config(_) | Self::OptionNotSupported { .. } | Self::SeedOffGround { .. } => {
                    Kind::Settings
                }
                Self::Plan(_) => Kind::File,
                Self::NothingWalkable { .. } | Self::NoTriangles { .. } => Kind::NothingWalkable,
                _ => Kind::Bake,
            };
            kind.error(self)
        }
    }
}

/// `map_err(IntoJs::into_js)` in short.
pub(crate) trait OrThrow<T> {
    fn or_throw(self) -> Thrown<T>;
}

impl<T, E: IntoJs> OrThrow<T> for Result<T, E> {
    fn or_throw(self) -> Thrown<T> {
        self.map_err(IntoJs::into_js)
    }
}

//! From errors of waymesh to exceptions of `waymesh._errors`, with the same texts.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use waymesh::bake::ConfigError;
use waymesh::core::BadField;
use waymesh::fields::FieldError;
use waymesh::floorplan::PlanError;
use waymesh::io::{AreaRuleError, IoError};
use waymesh::tile::TileError;
use waymesh::{BakeError, NavMeshError, QueryError};

/// The exceptions, imported once.
static KINDS: [PyOnceLock<Py<PyType>>; 10] = [const { PyOnceLock::new() }; 10];

/// An exception of `waymesh._errors`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Config,
    Input,
    File,
    Mesh,
    Bake,
    Cancelled,
    NothingWalkable,
    Tile,
    Query,
    NoMeshNear,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Config => "ConfigError",
            Self::Input => "InputError",
            Self::File => "FileError",
            Self::Mesh => "MeshError",
            Self::Bake => "BakeError",
            Self::Cancelled => "Cancelled",
            Self::NothingWalkable => "NothingWalkableError",
            Self::Tile => "TileError",
            Self::Query => "QueryError",
            Self::NoMeshNear => "NoMeshNearError",
        }
    }

    /// Returns the exception with this text.
    pub(crate) fn error(self, text: impl std::fmt::Display) -> PyErr {
        let text = text.to_string();
        Python::attach(|py| match KINDS[self as usize].import(py, "waymesh._errors", self.name()) {
            Ok(kind) => PyErr::from_type(kind.clone(), PyString::new(py, &text).unbind()),
            Err(error) => error,
        })
    }
}

/// Conversion to an exception.
pub(crate) trait IntoPy {
    fn into_py(self) -> PyErr;
}

impl IntoPy for PyErr {
    fn into_py(self) -> PyErr {
        self
    }
}

impl IntoPy for BadField {
    fn into_py(self) -> PyErr {
        Kind::Config.error(self)
    }
}

impl IntoPy for ConfigError {
    fn into_py(self) -> PyErr {
        Kind::Config.error(self)
    }
}

impl IntoPy for FieldError {
    fn into_py(self) -> PyErr {
        Kind::Config.error(self)
    }
}

impl IntoPy for AreaRuleError {
    fn into_py(self) -> PyErr {
        Kind::Config.error(self)
    }
}

impl IntoPy for IoError {
    fn into_py(self) -> PyErr {
        match self {
            Self::InvalidMesh { .. } => Kind::Mesh,
            _ => Kind::File,
        }
        .error(self)
    }
}

impl IntoPy for PlanError {
    fn into_py(self) -> PyErr {
        Kind::File.error(self)
    }
}

impl IntoPy for NavMeshError {
    fn into_py(self) -> PyErr {
        Kind::Mesh.error(self)
    }
}

impl IntoPy for TileError {
    fn into_py(self) -> PyErr {
        Kind::Tile.error(self)
    }
}

impl IntoPy for QueryError {
    fn into_py(self) -> PyErr {
        match self {
            Self::NoMeshNear { .. } | Self::NoRoomNear { .. } => Kind::NoMeshNear,
            _ => Kind::Query,
        }
        .error(self)
    }
}

impl IntoPy for BakeError {
    fn into_py(self) -> PyErr {
        match &self {
            // The signal or the error of the callback that stopped it goes before this one.
            Self::Cancelled(_) => Kind::Cancelled,
            Self::Config(_) | Self::OptionNotSupported { .. } | Self::SeedOffGround { .. } => Kind::Config,
            // A shape is a setting, as it is where its file is read.
            Self::Stage(error) if matches!(error.stage, "obstacle" | "mark" | "marks") => Kind::Config,
            Self::Plan(_) => Kind::File,
            Self::Mesh(_) => Kind::Mesh,
            Self::NothingWalkable { .. } | Self::NoTriangles { .. } => Kind::NothingWalkable,
            Self::Tile(_) => Kind::Tile,
            _ => Kind::Bake,
        }
        .error(self)
    }
}

/// `map_err(IntoPy::into_py)` in short.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: IntoPy> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(IntoPy::into_py)
    }
}

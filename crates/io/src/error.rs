//! Errors of readers and writers.

use std::path::{Path, PathBuf};

use thiserror::Error;
use waymesh_core::BadField;
use waymesh_core::stage::StageError;
use waymesh_graph::NavMeshError;

/// The place of a problem in a file. Lines count from 1, everything else from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file, from 1.
    Line(usize),
    /// A byte offset.
    Byte(usize),
    /// A numbered element of the format: `accessor 3`, `face 17`, `section 2`.
    Element {
        /// Kind of the element.
        kind: &'static str,
        /// Its index, from 0.
        index: usize,
    },
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File => write!(formatter, "file"),
            Self::Line(line) => write!(formatter, "line {line}"),
            Self::Byte(byte) => write!(formatter, "byte {byte}"),
            Self::Element { kind, index } => write!(formatter, "{kind} {index}"),
        }
    }
}

/// Why a scene or a navigation mesh could not be read or written. Every variant about content names
/// the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IoError {
    /// The file is missing or the system refuses to read it.
    #[error("cannot read {}: {source}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file cannot be made or written.
    #[error("cannot write {}: {source}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An empty list of scene files.
    #[error("no scene file was given")]
    NoFiles,
    /// An option out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A format that is known neither from the name nor from the content.
    #[error("{}: unknown scene format; known are obj, gltf, glb, stl, ply, and height maps as asc, tif, png, raw and r16", .file.display())]
    UnknownFormat {
        /// The file.
        file: PathBuf,
    },
    /// A file of a format that this build does not read.
    #[error("{}: this program was built without the feature {feature:?}, which reads such files", .file.display())]
    FeatureOff {
        /// The file.
        file: PathBuf,
        /// Feature of this crate, and of those above it.
        feature: &'static str,
    },
    /// Content that the format does not allow.
    #[error("{}: {place}: expected {expected}, found {found}", .file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// Place in the file.
        place: Place,
        /// The expected content.
        expected: &'static str,
        /// The content that was found.
        found: String,
    },
    /// A part whose parser found it broken.
    #[error("{}: broken {part}: {source}", .file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Part of the file, such as `"JSON"`.
        part: &'static str,
        /// The error of the parser.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file ends too early.
    #[error("{}: {place}: needs {needed} bytes, but only {available} are there", .file.display())]
    Truncated {
        /// The file.
        file: PathBuf,
        /// Place in the file.
        place: Place,
        /// Bytes up to the end of what is missing.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// An index that leads nowhere.
    #[error("{}: {place}: {what} {index} does not exist, there are {count}", .file.display())]
    IndexOutOfRange {
        /// The file.
        file: PathBuf,
        /// Place of the reference.
        place: Place,
        /// Kind of the target: `"vertex"`, `"buffer view"` ...
        what: &'static str,
        /// The index as the file has it.
        index: i64,
        /// Number of elements.
        count: usize,
    },
    /// A feature that the reader does not know and that changes the geometry.
    #[error("{}: {feature} is not supported", .file.display())]
    Unsupported {
        /// The file.
        file: PathBuf,
        /// Name of the feature or extension.
        feature: String,
    },
    /// A scene without a single triangle.
    #[error("{}: no triangles", .file.display())]
    NoTriangles {
        /// The file.
        file: PathBuf,
    },
    /// More of something than can be held.
    #[error("{}: {count} {element}, the limit is {limit}", .file.display())]
    TooMany {
        /// The file.
        file: PathBuf,
        /// `"vertices"`, `"triangles"` ...
        element: &'static str,
        /// Number in the file.
        count: u64,
        /// Largest allowed number.
        limit: u64,
    },
    /// A file name without a known ending for meshes.
    #[error("{}: a navigation mesh is written as .wmesh, .wmrun or .navmesh", .file.display())]
    UnknownMeshFormat {
        /// The file.
        file: PathBuf,
    },
    /// A file that holds no navigation mesh, or one that is damaged or of another version.
    #[error("{}: {source}", .file.display())]
    InvalidMesh {
        /// The file.
        file: PathBuf,
        /// The fault.
        source: NavMeshError,
    },
}

impl From<IoError> for StageError {
    fn from(error: IoError) -> Self {
        Self::new("read", error)
    }
}

impl IoError {
    /// The file that the error is about.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::NoFiles | Self::BadField(_) => None,
            Self::Read { file, .. }
            | Self::Write { file, .. }
            | Self::UnknownFormat { file }
            | Self::FeatureOff { file, .. }
            | Self::Malformed { file, .. }
            | Self::Syntax { file, .. }
            | Self::Truncated { file, .. }
            | Self::IndexOutOfRange { file, .. }
            | Self::Unsupported { file, .. }
            | Self::NoTriangles { file }
            | Self::TooMany { file, .. }
            | Self::UnknownMeshFormat { file }
            | Self::InvalidMesh { file, .. } => Some(file),
        }
    }

    /// The place in the file, where it is known.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Malformed { place, .. }
            | Self::Truncated { place, .. }
            | Self::IndexOutOfRange { place, .. } => Some(*place).filter(|place| *place != Place::File),
            _ => None,
        }
    }

    /// One word for scripts: `read`, `write`, `setting`, `format` (not one that is known),
    /// `content` (a known format that is broken), `mesh`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Read { .. } => "read",
            Self::Write { .. } => "write",
            Self::NoFiles | Self::BadField(_) => "setting",
            Self::UnknownFormat { .. }
            | Self::UnknownMeshFormat { .. }
            | Self::FeatureOff { .. }
            | Self::Unsupported { .. } => "format",
            Self::InvalidMesh { .. } => "mesh",
            _ => "content",
        }
    }
}

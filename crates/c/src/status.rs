//! Statuses and errors of calls.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use waymesh::core::BadField;
use waymesh::graph::NavMeshError;
use waymesh::io::IoError;
use waymesh::{BakeError, QueryError};
use waymesh_crowd::CrowdError;

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// A pointer is NULL, a count is too large, a position is not finite, or a number names no
    /// polygon, link, agent, obstacle or mark.
    BadArgument = 1,
    /// A setting, a kind, a radius, a cost or a time is out of its range, or the pipeline has no such
    /// setting.
    BadSetting = 2,
    /// A file cannot be read or written, or is broken.
    BadFile = 3,
    /// There is no ground to walk on.
    NothingWalkable = 4,
    /// A bake failed for another reason.
    BakeFailed = 5,
    /// No ground is near a position, or no room for a disc.
    NoMeshNear = 6,
    /// A query cannot be answered.
    QueryFailed = 7,
    /// A buffer is too small; it holds what fits.
    BufferTooSmall = 8,
    /// The progress function ended the bake.
    Cancelled = 9,
    /// A defect of the library. Handles that the call was to change must be freed; others are fine.
    Panic = 10,
}

/// Bytes of the text of an error, with the zero at its end.
pub const WM_ERROR_TEXT: usize = 512;

/// An error.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Error {
    /// The status that the function returned.
    pub status: Status,
    /// The error as a sentence in UTF-8, cut at the end if it is too long. Ends in a zero byte.
    pub text: [c_char; WM_ERROR_TEXT],
}

/// An error on its way to C.
#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    fn to_c(&self) -> Error {
        let mut cut = self.text.len().min(WM_ERROR_TEXT - 1);
        while !self.text.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut text = [0; WM_ERROR_TEXT];
        for (slot, byte) in text.iter_mut().zip(self.text.bytes().take(cut)) {
            *slot = c_char::from_ne_bytes([byte]);
        }
        Error { status: self.status, text }
    }
}

impl From<BadField> for Failure {
    fn from(error: BadField) -> Self {
        Self::new(Status::BadSetting, error.to_string())
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Self {
        Self::new(Status::BadFile, error.to_string())
    }
}

impl From<NavMeshError> for Failure {
    fn from(error: NavMeshError) -> Self {
        Self::new(Status::BadFile, error.to_string())
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let status = match error {
            QueryError::NoMeshNear { .. } | QueryError::NoRoomNear { .. } => Status::NoMeshNear,
            QueryError::BadField(_) | QueryError::BadCost { .. } => Status::BadSetting,
            QueryError::NotFinite { .. } | QueryError::NoPolygon { .. } => Status::BadArgument,
            _ => Status::QueryFailed,
        };
        Self::new(status, error.to_string())
    }
}

impl From<CrowdError> for Failure {
    fn from(error: CrowdError) -> Self {
        match error {
            CrowdError::BadField(error) => error.into(),
            CrowdError::Query(error) => error.into(),
            other => Self::new(Status::BadArgument, other.to_string()),
        }
    }
}

impl From<BakeError> for Failure {
    fn from(error: BakeError) -> Self {
        let status = match &error {
            BakeError::Cancelled(_) => Status::Cancelled,
            BakeError::Config(_) | BakeError::OptionNotSupported { .. } => Status::BadSetting,
            BakeError::NothingWalkable { .. } | BakeError::NoTriangles { .. } => Status::NothingWalkable,
            _ => Status::BakeFailed,
        };
        Self::new(status, error.to_string())
    }
}

/// Runs a call: errors and panics become a status.
pub(crate) fn guard(
    error: Option<&mut MaybeUninit<Error>>,
    run: impl FnOnce() -> Result<(), Failure>,
) -> Status {
    // A handle that a panic left half changed must be freed, as the header says.
    let failure = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Failure::new(Status::Panic, text.unwrap_or("a panic without a text"))
        }
    };
    let status = failure.status;
    if let Some(error) = error {
        error.write(failure.to_c());
    }
    status
}

//! What can go wrong.

use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use waymesh_core::{BadField, GridError};

/// Why a plan cannot be read or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A configuration field out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A number of an element that cannot be used.
    #[error("{element}: {field} is {value}, but must be {expected}")]
    BadNumber {
        /// File and element.
        element: Arc<str>,
        /// Which number.
        field: String,
        /// Its value.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A coordinate beyond what can be computed with.
    #[error("{element}: {field} is {value} m, the limit is {limit} m")]
    TooFar {
        /// File and element.
        element: Arc<str>,
        /// Which number.
        field: String,
        /// Its value.
        value: f64,
        /// Largest size allowed.
        limit: f64,
    },
    /// A name that is not there.
    #[error("{element}: there is no storey {name:?}; there are {known}")]
    NoSuchStorey {
        /// File and element.
        element: Arc<str>,
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Two storeys of one name.
    #[error("there are two storeys {name:?}")]
    StoreyTwice {
        /// The name.
        name: String,
    },
    /// A storey that is not there.
    #[error("there is no storey {index}, the plan has {count}")]
    NoStorey {
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A plan without any walkable shape.
    #[error(
        "the plan has no walkable shape with an area ({walkable} walkable, {blocked} blocked shapes in all)"
    )]
    NothingWalkable {
        /// Walkable shapes in the plan.
        walkable: usize,
        /// Blocked shapes.
        blocked: usize,
    },
    /// More vertices than ids.
    #[error("the ground has {count} border vertices, the limit is {limit}")]
    TooMany {
        /// How many.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A grid that cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A file that cannot be opened or read.
    #[error("cannot read {}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that breaks its format.
    #[error("{file}: {message}")]
    Format {
        /// The file.
        file: String,
        /// What is wrong, with the place where known.
        message: String,
    },
    /// A file of a kind that this build cannot read.
    #[error("{file}: this program was built without the feature {feature:?}, which reads such files")]
    FeatureOff {
        /// The file.
        file: String,
        /// Feature of this crate, and of those above it.
        feature: &'static str,
    },
    /// A file of a kind that is not known.
    #[error("{}: unknown kind of floor plan, expected {expected}", file.display())]
    UnknownFormat {
        /// The file.
        file: PathBuf,
        /// Endings that are known.
        expected: &'static str,
    },
}

/// Something odd in a plan that was put right, or left out.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanNote {
    /// File and element.
    pub element: Arc<str>,
    /// What was done.
    pub kind: NoteKind,
}

/// What was done about an element of a plan.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A shape without area: left out.
    NoArea,
    /// A hole without area: left out.
    HoleWithoutArea {
        /// Which hole.
        hole: usize,
    },
    /// A hole that lies outside of its polygon: it takes nothing away.
    HoleOutside {
        /// Which hole.
        hole: usize,
    },
    /// A ring that crosses itself: all that it winds round was filled.
    CrossedItself {
        /// Area as it was filled, in square metres.
        area: f64,
        /// Area by the shoelace sum, in which parts wound the other way count less than nothing.
        signed_area: f64,
    },
    /// Points that repeat the one before: left out.
    RepeatedPoints {
        /// How many.
        points: usize,
    },
    /// Ground too small to be kept: left out.
    SmallPieces {
        /// How many pieces.
        pieces: usize,
        /// Their area in square metres.
        area: f64,
    },
    /// A door that is too narrow for the agent, or leads nowhere.
    DoorLeadsNowhere,
    /// An end of stairs or a stop of a lift without ground within reach: no link there.
    NoGroundNear {
        /// Name of the storey.
        storey: String,
        /// How far was looked, in metres.
        reach: f64,
    },
    /// An element of the file that nothing is made of.
    Ignored {
        /// What it is.
        what: String,
    },
    /// A plan so far from the origin that world coordinates are rounded coarsely.
    FarFromOrigin {
        /// Largest coordinate in metres.
        coordinate: f64,
        /// What it is rounded to, in metres.
        rounding: f64,
    },
}

impl std::fmt::Display for NoteKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoArea => formatter.write_str("has no area and is left out"),
            Self::HoleWithoutArea { hole } => write!(formatter, "hole {hole} has no area and is left out"),
            Self::HoleOutside { hole } => {
                write!(formatter, "hole {hole} lies outside and takes nothing away")
            }
            Self::CrossedItself { area, signed_area } => write!(
                formatter,
                "crosses itself; all it winds round is filled, {area:.3} m2 (shoelace sum {signed_area:.3} m2)"
            ),
            Self::RepeatedPoints { points } => write!(formatter, "{points} repeated points are left out"),
            Self::SmallPieces { pieces, area } => {
                write!(
                    formatter,
                    "{pieces} pieces of ground are too small and left out, {area:.4} m2 together"
                )
            }
            Self::DoorLeadsNowhere => {
                formatter.write_str("too narrow for the agent, or no ground on one of its sides: no link")
            }
            Self::NoGroundNear { storey, reach } => {
                write!(formatter, "no ground within {reach:.2} m on storey {storey:?}: no link there")
            }
            Self::Ignored { what } => write!(formatter, "{what} is ignored"),
            Self::FarFromOrigin { coordinate, rounding } => write!(
                formatter,
                "coordinates of {coordinate:.0} m are rounded to {rounding:.3} m in world positions; move the plan nearer to the origin"
            ),
        }
    }
}

impl std::fmt::Display for PlanNote {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.element, self.kind)
    }
}

//! Errors and notes of this crate.

use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use waymesh_core::{AreaError, BadField, GridError, counted};

/// Thickest part of a wall on one side of a door's line that the door cuts, in metres.
pub(crate) const MAX_WALL: f64 = 3.0;

/// Error of reading or using a plan.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A configuration field out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// An invalid number of an element.
    #[error("{element}: {field} is {value}, but must be {expected}")]
    BadNumber {
        /// File and element.
        element: Arc<str>,
        /// Name of the number.
        field: String,
        /// Its value.
        value: f64,
        /// The accepted form.
        expected: &'static str,
    },
    /// An area that cannot be.
    #[error("{element}: {source}")]
    Area {
        /// File and element.
        element: Arc<str>,
        /// The reason.
        source: AreaError,
    },
    /// A coordinate beyond the limit.
    #[error("{element}: {field} is {value} m, the limit is {limit} m")]
    TooFar {
        /// File and element.
        element: Arc<str>,
        /// Name of the number.
        field: String,
        /// Its value.
        value: f64,
        /// Largest absolute value.
        limit: f64,
    },
    /// An unknown name.
    #[error("{element}: there is no storey {name:?}; there are {known}")]
    NoSuchStorey {
        /// File and element.
        element: Arc<str>,
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A door that is not in the plan.
    #[error("the plan has no door {name:?}")]
    NoSuchDoor {
        /// The name.
        name: String,
    },
    /// Two storeys with the same name.
    #[error("there are two storeys {name:?}")]
    StoreyTwice {
        /// The name.
        name: String,
    },
    /// Two plans for different agents.
    #[error("one plan is for an agent with a {size} of {first} m, another for {second} m")]
    TwoAgents {
        /// `"radius"` or `"height"`.
        size: &'static str,
        /// Metres in the plan that was there.
        first: f32,
        /// Metres in the one that was to be added.
        second: f32,
    },
    /// Two plans in degrees around different places, whose positions do not fit together.
    #[error("one plan has 0, 0 at {}, {} degrees, another at {}, {}: give a geo_origin to both", first[0], first[1], second[0], second[1])]
    TwoOrigins {
        /// Longitude and latitude of the plan that was there.
        first: [f64; 2],
        /// Longitude and latitude of the plan that was to be added.
        second: [f64; 2],
    },
    /// More storeys than a plan may have.
    #[error("the plan has {count} storeys, the limit is {limit}")]
    TooManyStoreys {
        /// Number of elements.
        count: usize,
        /// Largest allowed number.
        limit: usize,
    },
    /// Borders that cross each other so often that their areas cannot be found in reasonable time
    /// and memory.
    #[error("{element}: the borders cross each other too often, the limit is about {limit} crossings")]
    TooManyCrossings {
        /// File and element, or the storey.
        element: Arc<str>,
        /// Approximate limit of crossings.
        limit: u64,
    },
    /// Doors that lie over each other.
    #[error("{door}: doors lie over each other, more than {limit} deep")]
    DoorsOverlap {
        /// Storey and door.
        door: Arc<str>,
        /// Largest allowed number.
        limit: usize,
    },
    /// A missing storey.
    #[error("there is no storey {index}, the plan has {count}")]
    NoStorey {
        /// Its index.
        index: usize,
        /// Number of elements.
        count: usize,
    },
    /// A plan without any walkable shape.
    #[error(
        "the plan has no walkable shape with an area ({walkable} walkable, {blocked} blocked shapes in all){noted}"
    )]
    NothingWalkable {
        /// Walkable shapes in the plan.
        walkable: usize,
        /// Blocked shapes.
        blocked: usize,
        /// The first notes about the plan, such as what was ignored, each after a semicolon.
        noted: String,
    },
    /// Too many vertices for 32-bit ids.
    #[error("the ground has {count} border vertices, the limit is {limit}")]
    TooMany {
        /// The number.
        count: usize,
        /// Largest allowed number.
        limit: usize,
    },
    /// The grid cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A file that cannot be opened or read.
    #[error("cannot read {}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file with an invalid format.
    #[error("{file}: {message}")]
    Format {
        /// The file.
        file: String,
        /// The fault, with its place if known.
        message: String,
    },
    /// A format that this build cannot read.
    #[error("{file}: this program was built without the feature {feature:?}, which reads such files")]
    FeatureOff {
        /// The file.
        file: String,
        /// Feature of this crate, and of the crates that depend on it.
        feature: &'static str,
    },
    /// A file with an unknown format.
    #[error("{}: unknown kind of floor plan, expected {expected}", file.display())]
    UnknownFormat {
        /// The file.
        file: PathBuf,
        /// Known file endings.
        expected: &'static str,
    },
}

/// A fault in a plan that was repaired, or an element that was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanNote {
    /// File and element.
    pub element: Arc<str>,
    /// Kind of the note.
    pub kind: NoteKind,
}

/// Treatment of an element of a plan.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NoteKind {
    /// Coordinates that were read as degrees.
    #[error("read as degrees, around longitude {} and latitude {}, which are 0, 0{}", origin[0], origin[1], if *is_guess { "; a scale of 1 makes them metres" } else { "" })]
    Degrees {
        /// Longitude and latitude of the position 0, 0.
        origin: [f64; 2],
        /// `true` if the file does not say that they are degrees.
        is_guess: bool,
    },
    /// A shape without area: left out.
    #[error("has no area and is left out")]
    NoArea,
    /// A hole without area: left out.
    #[error("hole {hole} has no area and is left out")]
    HoleWithoutArea {
        /// Index of the hole.
        hole: usize,
    },
    /// A hole outside of its polygon: it has no effect.
    #[error("hole {hole} lies outside and takes nothing away")]
    HoleOutside {
        /// Index of the hole.
        hole: usize,
    },
    /// A ring that crosses itself: everything that it encloses was filled.
    #[error("crosses itself; all it winds round is filled, {area:.3} m2 (shoelace sum {signed_area:.3} m2)")]
    CrossedItself {
        /// Area as it was filled, in square metres.
        area: f64,
        /// Area by the shoelace formula, in which parts with the other winding are negative.
        signed_area: f64,
    },
    /// Points that repeat the previous one: left out.
    #[error("{points} repeated points are left out")]
    RepeatedPoints {
        /// The number.
        points: usize,
    },
    /// Pieces of ground that are too small: left out.
    #[error("left out {} of ground below the least area, {area:.4} m2 together", counted(*pieces as u64, "piece"))]
    SmallPieces {
        /// Number of pieces.
        pieces: usize,
        /// Their area in square metres.
        area: f64,
    },
    /// A door that is too narrow for the agent, or has no ground on one side.
    #[error("{}", no_link(*width, *needed))]
    DoorLeadsNowhere {
        /// Length of its line in metres.
        width: f64,
        /// Diameter of the agent in metres.
        needed: f64,
    },
    /// Stairs that are too narrow for the agent.
    #[error(
        "{width:.2} m wide, but the agent needs more than {needed:.2} m: no link; make the stairs wider or the agent's radius smaller"
    )]
    StairsTooNarrow {
        /// Length of the shorter of their lines in metres.
        width: f64,
        /// Diameter of the agent in metres.
        needed: f64,
    },
    /// An end of stairs or a stop of a lift without ground within reach: no link there.
    #[error("no ground within {reach:.2} m on storey {storey:?}: no link there")]
    NoGroundNear {
        /// Name of the storey.
        storey: String,
        /// The search distance, in metres.
        reach: f64,
    },
    /// An element of the file that is ignored.
    #[error("{what} is ignored")]
    Ignored {
        /// Its description.
        what: String,
    },
    /// An element whose names give two kinds.
    #[error("the name {name:?} says {kind} and {other}; it is read as {kind}")]
    TwoKinds {
        /// Its names.
        name: String,
        /// The kind that it is read as.
        kind: &'static str,
        /// The other one.
        other: &'static str,
    },
    /// A feature without a kind whose kind is known from another property.
    #[error("has no kind; its {property} {value:?} makes it {kind}")]
    KindByWords {
        /// The property.
        property: &'static str,
        /// Its value.
        value: String,
        /// The kind that the feature is read as.
        kind: &'static str,
    },
    /// A drawing with a physical size that is read in its own units.
    #[error(
        "has a size of {width:.0} x {depth:.0} mm, of which a unit is {metres:.6} m, but units are read as metres: scale {metres:.6} makes it true to size"
    )]
    PhysicalSize {
        /// Width in millimetres.
        width: f64,
        /// Depth in millimetres.
        depth: f64,
        /// Metres of a unit by that size.
        metres: f64,
    },
    /// A drawing that gives no unit, or another one than it is read in.
    #[error("{}", unit(*declared, *used))]
    Unit {
        /// Metres of a unit by the drawing.
        declared: Option<f64>,
        /// Metres of a unit as it is read.
        used: f64,
    },
    /// A door whose line runs through the wall instead of along it: it was turned.
    #[error(
        "runs {depth:.2} m through the wall; it is read as a door of {width:.2} m width, from jamb to jamb"
    )]
    DoorTurned {
        /// Distance of the jambs in metres.
        width: f64,
        /// Length of the line as it was given in metres.
        depth: f64,
    },
    /// A plan far from the origin, so that world coordinates have a coarse rounding.
    #[error(
        "coordinates of {coordinate:.0} m are rounded to {rounding:.3} m in world positions; move the plan nearer to the origin"
    )]
    FarFromOrigin {
        /// Largest coordinate in metres.
        coordinate: f64,
        /// The rounding, in metres.
        rounding: f64,
    },
}

fn no_link(width: f64, needed: f64) -> String {
    if width <= needed + 0.01 {
        format!(
            "{width:.2} m wide, but the agent needs more than {needed:.2} m: no link; make the door wider or the agent's radius smaller"
        )
    } else {
        format!(
            "no ground within {MAX_WALL} m on one of its sides: no link; draw its line along a wall between two rooms, from jamb to jamb"
        )
    }
}

fn unit(declared: Option<f64>, used: f64) -> String {
    match declared {
        None => format!("gives no unit; a unit is read as {used} m, which the scale sets"),
        Some(declared) => format!(
            "gives units of {declared} m, but a unit is read as {used} m, by the scale; without one it has its own"
        ),
    }
}

impl std::fmt::Display for PlanNote {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.element, self.kind)
    }
}

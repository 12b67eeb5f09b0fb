//! Paths: both ends are located, a corridor of polygons is searched, and a string is pulled through
//! it.

pub(crate) mod any_angle;
pub(crate) mod distance;
pub(crate) mod ends;
pub(crate) mod frontier;
pub(crate) mod funnel;
pub(crate) mod ground;
mod link_places;
pub(crate) mod local;
mod look_up;
mod offset;
pub(crate) mod options;
mod partial;
pub(crate) mod portal;
pub(crate) mod progress;
pub(crate) mod queue;
pub(crate) mod relaxed;
pub(crate) mod result;
pub(crate) mod scratch;
mod search;
mod shortest;
pub(crate) mod steps;
mod write;

pub use distance::{DistanceMap, Heading};
pub use options::{PathOptions, PathSearch};
pub use relaxed::RelaxedPolygons;
pub use result::{LinkUse, Outcome, Path};

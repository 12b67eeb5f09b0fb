//! Memory of queries for discs.

use glam::DVec2;
use waymesh_core::PolyId;

use super::fit::Candidates;
use super::gates::Gates;
use super::memory::Memory;
use crate::marks::Marks;

/// The part of a [`crate::QueryScratch`] that is for any radius.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClearanceScratch {
    pub(crate) memory: Memory,
    pub(crate) passed: Vec<PolyId>,
    pub(crate) fit: Candidates,
    pub(crate) gates: Gates,
    /// The points of a path, in metres from the origin of the frame, and the corner that the line
    /// to each goes round.
    pub(crate) plan: Vec<(DVec2, Option<u32>)>,
    pub(crate) walls: Vec<[DVec2; 2]>,
    /// Least distance of the straight path from all walls, if the path is straight.
    pub(crate) straight: Option<f64>,
    pub(crate) seen: Marks,
}

//! Memory of the work on all agents.

use waymesh_graph::{QueryScratch, WallPiece};

use crate::orca::{HalfPlane, Program};

/// Number of agents that a thread takes at a time.
pub(crate) const AGENTS_AT_ONCE: usize = 32;

/// Scratch memory for the work on one agent. Its contents are not kept between agents.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) query: QueryScratch,
    pub(crate) walls: Vec<WallPiece>,
    pub(crate) planes: Vec<HalfPlane>,
    pub(crate) program: Program,
}

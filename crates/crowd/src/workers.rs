//! Memory of the work on all agents.

use waymesh_graph::{QueryScratch, WallPiece};

use crate::orca::{HalfPlane, Program};

/// Agents that one thread takes at a time.
pub(crate) const AGENTS_AT_ONCE: usize = 32;

/// What the work on an agent writes. Nothing in it outlives the work on one agent.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) query: QueryScratch,
    pub(crate) walls: Vec<WallPiece>,
    pub(crate) planes: Vec<HalfPlane>,
    pub(crate) program: Program,
}

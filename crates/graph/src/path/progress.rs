//! Progress and kind of a search.

use crate::locate::nearest::Spot;
use crate::mesh::nav_mesh::{Generation, NavMesh};

/// State of a search after some nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There are more nodes to open.
    Running,
    /// The goal is reached.
    Found,
    /// No path leads there.
    Nowhere,
}

impl From<bool> for Progress {
    fn from(is_found: bool) -> Self {
        if is_found { Self::Found } else { Self::Nowhere }
    }
}

/// The last search in the memory of paths, for reports of its opened nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSearch {
    pub(super) how: How,
    pub(super) start: u32,
    pub(super) generation: Generation,
    /// Stamp of the links.
    pub(super) links: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum How {
    /// None, or one that knows nothing of polygons.
    #[default]
    Unknown,
    /// Over edges.
    Edges,
    /// Over cones.
    Cones,
}

impl LastSearch {
    pub(super) fn new(how: How, mesh: &NavMesh, start: &Spot) -> Self {
        Self { how, start: start.polygon, generation: mesh.generation, links: mesh.links.stamp }
    }
}

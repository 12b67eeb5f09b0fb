//! What a bake is asked for.

use thiserror::Error;
pub use waymesh_contour::CornerChoice;
use waymesh_contour::SimplifyConfig;
use waymesh_core::{Agent, BadField, GridError, GridScale};

/// Which of the built-in partitions cuts the walkable surface into regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartitionKind {
    /// Watershed on the distance field (Mononen 2009): compact regions.
    Watershed,
    /// Row sweeps: faster, long thin regions.
    Monotone,
    /// Whole storeys: the surface is cut only where it lies over itself, so that every vertex of
    /// the mesh lies on a real border or on such a cut. The only one that can be baked in
    /// tiles. The default.
    #[default]
    Surfaces,
}

/// Which of the built-in decompositions turns triangles into convex polygons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecompositionKind {
    /// Portals from notches and a search for fewer: the fewest polygons. The default.
    #[default]
    NotchPortals,
    /// Merging of triangles: more polygons, in a fraction of the time.
    Greedy,
    /// Removal of edges that no notch needs: the least work, at most four times the fewest
    /// polygons.
    HertelMehlhorn,
}

/// Everything a [`crate::Pipeline`] needs to know. Lengths in metres, areas in square metres of
/// plan, angles in radians.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BakeConfig {
    /// Size of a voxel. Default 0.3 by 0.2.
    pub scale: GridScale,
    /// Who walks. Default: 2.0 high, 0.6 radius, steps of 0.9, slopes of 45 degrees.
    pub agent: Agent,
    /// Highest step that becomes a link ([`crate::graph::LinkKind::Step`]). Steps up to the agent's
    /// are walked over without one; from there up to this height, ground on both sides of a
    /// ledge is linked where the agent has room to climb. 0, or no more than the agent's step, for
    /// none. The pipeline of slices does not use it: there every step up to the agent's is a
    /// link. Default 0.
    pub max_climb: f32,
    /// Farthest that a simplified wall may lie from the traced one; `None` is 1.3 cells. Default
    /// `None`.
    pub max_edge_error: Option<f32>,
    /// Longest edge along a wall, 0 for no limit. Default 12.0.
    pub max_edge_length: f32,
    /// Farthest that a border between two regions of one kind of ground may be moved to run
    /// straight; nobody is stopped there, so it may move much farther than a wall. Default 5.0.
    pub max_seam_error: f32,
    /// Which points of a border become its corners. Default [`CornerChoice::Farthest`]; storeys,
    /// whose borders hold no steps of the grid, choose [`CornerChoice::FewestNotches`].
    pub corners: CornerChoice,
    /// Pieces of ground smaller than this are left out and reported. Default 0.05: less than the
    /// agent's centre needs to turn round, so that no room an agent can stand in is lost.
    pub min_region: f32,
    /// Watershed and monotone regions smaller than this are merged into a neighbour. Default 36.0.
    pub merge_region: f32,
    /// How the surface is cut into regions.
    pub partition: PartitionKind,
    /// How triangles become convex polygons.
    pub decomposition: DecompositionKind,
    /// Most corners of a polygon, 0 for no limit. Default 0.
    pub max_vertices: u32,
    /// Largest difference between the mesh's ground and the sampled ground, in levels. Default 1.0.
    pub max_height_error_levels: f32,
    /// Threads to use, 0 for one per core. Default 0. The result does not depend on it.
    pub threads: usize,
    /// Most memory that the heightfield may take, in bytes. The whole bake peaks at about
    /// four times as much. Default 2 GiB.
    pub max_memory_bytes: u64,
    /// Whether every stage's result is checked against its invariants. Default off: it costs about
    /// as much as the bake.
    pub validate_stages: bool,
}

impl Default for BakeConfig {
    fn default() -> Self {
        Self {
            scale: GridScale::default(),
            agent: Agent::default(),
            max_climb: 0.0,
            max_edge_error: None,
            max_edge_length: 12.0,
            max_seam_error: SimplifyConfig::MAX_SEAM_ERROR,
            corners: CornerChoice::default(),
            min_region: 0.05,
            merge_region: 36.0,
            partition: PartitionKind::default(),
            decomposition: DecompositionKind::default(),
            max_vertices: 0,
            max_height_error_levels: 1.0,
            threads: 0,
            max_memory_bytes: 2 << 30,
            validate_stages: false,
        }
    }
}

/// The first setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// About the grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A number out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
}

/// Default of [`BakeConfig::max_edge_error`] in cells, RecastDemo's.
const MAX_EDGE_ERROR_CELLS: f32 = 1.3;

impl BakeConfig {
    /// Sets the size of a voxel in metres.
    #[must_use]
    pub fn with_scale(mut self, cell_size: f32, level_height: f32) -> Self {
        self.scale = GridScale::new(cell_size, level_height);
        self
    }

    /// Sets the agent.
    #[must_use]
    pub fn with_agent(mut self, agent: Agent) -> Self {
        self.agent = agent;
        self
    }

    /// Sets the highest step that becomes a link, in metres, 0 for none.
    #[must_use]
    pub fn with_max_climb(mut self, metres: f32) -> Self {
        self.max_climb = metres;
        self
    }

    /// Sets how far a simplified wall may lie from the traced one, in metres.
    #[must_use]
    pub fn with_max_edge_error(mut self, metres: f32) -> Self {
        self.max_edge_error = Some(metres);
        self
    }

    /// Sets the longest edge along a wall in metres, 0 for no limit.
    #[must_use]
    pub fn with_max_edge_length(mut self, metres: f32) -> Self {
        self.max_edge_length = metres;
        self
    }

    /// Sets how far a border between two regions may be moved, in metres.
    #[must_use]
    pub fn with_max_seam_error(mut self, metres: f32) -> Self {
        self.max_seam_error = metres;
        self
    }

    /// Sets which points of a border become its corners.
    #[must_use]
    pub fn with_corners(mut self, corners: CornerChoice) -> Self {
        self.corners = corners;
        self
    }

    /// Sets the smallest piece of ground that is kept, in square metres.
    #[must_use]
    pub fn with_min_region(mut self, square_metres: f32) -> Self {
        self.min_region = square_metres;
        self
    }

    /// Sets the size below which regions are merged, in square metres.
    #[must_use]
    pub fn with_merge_region(mut self, square_metres: f32) -> Self {
        self.merge_region = square_metres;
        self
    }

    /// Sets the partition.
    #[must_use]
    pub fn with_partition(mut self, partition: PartitionKind) -> Self {
        self.partition = partition;
        self
    }

    /// Sets how triangles become convex polygons.
    #[must_use]
    pub fn with_decomposition(mut self, decomposition: DecompositionKind) -> Self {
        self.decomposition = decomposition;
        self
    }

    /// Sets the most corners of a polygon, 0 for no limit.
    #[must_use]
    pub fn with_max_vertices(mut self, corners: u32) -> Self {
        self.max_vertices = corners;
        self
    }

    /// Sets the number of threads, 0 for one per core.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the most memory that the heightfield may take, in bytes.
    #[must_use]
    pub fn with_max_memory_bytes(mut self, bytes: u64) -> Self {
        self.max_memory_bytes = bytes;
        self
    }

    /// Sets whether every stage's result is checked.
    #[must_use]
    pub fn with_validate_stages(mut self, validate: bool) -> Self {
        self.validate_stages = validate;
        self
    }

    /// The wall error in metres, the default filled in.
    #[must_use]
    pub fn edge_error(&self) -> f32 {
        self.max_edge_error.unwrap_or(MAX_EDGE_ERROR_CELLS * self.scale.cell_size)
    }

    /// Whether steps higher than the agent's become links.
    pub(crate) fn has_climbs(&self) -> bool {
        self.max_climb > self.agent.max_step
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first one that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.scale.validate()?;
        self.agent.validate()?;
        for (field, value) in [
            ("max_climb", self.max_climb),
            ("max_edge_error", self.edge_error()),
            ("max_edge_length", self.max_edge_length),
            ("max_seam_error", self.max_seam_error),
            ("min_region", self.min_region),
            ("merge_region", self.merge_region),
        ] {
            BadField::unless(value.is_finite() && value >= 0.0, field, value, "finite and at least 0")?;
        }
        let error = self.max_height_error_levels;
        let is_fine = error.is_finite() && error > 0.0;
        BadField::unless(is_fine, "max_height_error_levels", error, "finite and above 0")?;
        let is_fine = self.max_vertices == 0 || self.max_vertices >= 3;
        Ok(BadField::unless(is_fine, "max_vertices", self.max_vertices, "0 or at least 3")?)
    }
}

//! The settings of a bake.

use glam::Vec3;
pub use waymesh_contour::CornerChoice;
use waymesh_contour::SimplifyConfig;
use waymesh_core::{Agent, AreaTable, BadField, GridScale, HeadRooms, setters};
use waymesh_voxel::Mark;

use super::error::ConfigError;
use crate::links::JumpConfig;

/// The built-in partitions, which cut the walkable surface into regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PartitionKind {
    /// Watershed on the distance field (Mononen 2009): compact regions.
    Watershed,
    /// Row sweeps: faster, long thin regions.
    Monotone,
    /// Whole storeys: the surface is cut only where it lies over itself, so that every vertex of
    /// the mesh lies on a real border or on such a cut. The only one for
    /// tiles. The default.
    #[default]
    Surfaces,
}

/// The built-in decompositions, which turn triangles into convex polygons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// Treatment of ground inside of solids: walls, rocks and other bodies of a level are often hollow,
/// with ground in them that nobody can reach.
///
/// Decided per connected component over portals and the links of the input: ground that can be
/// walked to from outside is never inside. From places spread over a component, rays run up and
/// around. A component is inside of a solid if most of them leave a solid that they did not enter
/// ([`Leaves`](waymesh_solid::RayOutcome::Leaves)), and all rays around meet a triangle. That is
/// the case in bodies that face out, also if they are duplicated, have no bottom, hold other
/// bodies, or are buildings that were modelled from outside. The polygons of the component are then
/// judged one by one, so a component that is partly inside is cut along their edges. It is not the
/// case in rooms, below bridges and roofs, between two-sided walls, and where a door lets a ray
/// out. Bodies that face in are the same as rooms: ground in them is kept.
///
/// On 33 real levels, judged by rays from places in them, 84 % of the ground inside of solids is
/// removed, and less than 0.001 % of other ground. The rest of it is in components with a ray to
/// the open, or with bodies in front of most of its places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Enclosed {
    /// It is kept. The default.
    #[default]
    Keep,
    /// It is left out and reported.
    Remove,
    /// It is left out and reported, but for what can be reached: a component stays whole if a part of
    /// it lies outside of solids, or a place of [`Keep::ConnectedTo`] lies on it.
    RemoveUnreachable,
}

/// Selection of the ground to keep, by pieces connected over portals and links of all kinds, such
/// as doors, stairs, climbs and jumps. A link of one way also joins.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keep {
    /// All of it. The default.
    #[default]
    All,
    /// The piece of the largest area; of several, that with the first polygon.
    Largest,
    /// The pieces of at least this area, in square metres of plan. Finite, 0 or more.
    LargerThan(f32),
    /// The pieces that these places lie on. A place may lie as far from the mesh in plan as the
    /// agent's radius and two cells, and as far above or below it as a step and the radius: it may
    /// be nearer to a wall than the agent's centre could.
    ConnectedTo(Vec<Vec3>),
}

/// Passes all settings to a macro: each with its default, and its setter in [`BakeConfig`].
macro_rules! for_settings {
    ($each:ident) => {
        $each! {
            /// Size of a voxel. Default 0.3 by 0.2.
            pub scale: GridScale = GridScale::default();
            /// The agent. Default: 2.0 high, 0.6 radius, steps of 0.9, slopes of 45 degrees.
            pub agent: Agent = Agent::default(), with_agent(Agent);
            /// Highest ledge that becomes a climb link ([`crate::graph::LinkKind::Step`]). Steps up to
            /// [`Agent::max_step`] (Recast's `walkableClimb`) are walked over without a link; from there up
            /// to this height, ground on both sides of a ledge is linked where the agent has room to climb.
            /// 0, or no more than the agent's step, for none. Default 0.
            pub max_ledge: f32 = 0.0, with_max_ledge(f32);
            /// Farthest that a simplified wall may lie from the traced one; `None` is 1.3 cells. Default
            /// `None`; slices, whose borders are exact, 0.
            pub max_edge_error: Option<f32> = None, with_max_edge_error(Some(f32));
            /// Longest edge along a wall, 0 for no limit. Default 12.0; slices and floor plans 0.
            pub max_edge_length: f32 = 12.0, with_max_edge_length(f32);
            /// Farthest that a border between two regions of one kind of ground may be moved to run
            /// straight. Agents walk over it, so it may move much farther than a wall. Default 5.0.
            pub max_seam_error: f32 = SimplifyConfig::MAX_SEAM_ERROR, with_max_seam_error(f32);
            /// Choice of the points of a border that become its corners. Default [`CornerChoice::ByWidth`];
            /// storeys, whose borders hold no steps of the grid, choose [`CornerChoice::FewestNotches`]. On a
            /// grid that takes an eighth fewer polygons and loses less ground at thin places, but uses the
            /// whole `max_edge_error` towards walls.
            pub corners: CornerChoice = CornerChoice::default(), with_corners(CornerChoice);
            /// Pieces of ground smaller than this are left out and reported. Default 0.05: less than the
            /// agent's centre needs to turn round, so that no room an agent can stand in is lost. Slices,
            /// whose regions are small, 0.
            pub min_region: f32 = 0.05, with_min_region(f32);
            /// Watershed and monotone regions smaller than this are merged into a neighbour. Default 36.0.
            pub merge_region: f32 = 36.0, with_merge_region(f32);
            /// Partition of the surface into regions.
            pub partition: PartitionKind = PartitionKind::default(), with_partition(PartitionKind);
            /// Decomposition into convex polygons.
            pub decomposition: DecompositionKind = DecompositionKind::default(), with_decomposition(DecompositionKind);
            /// Most corners of a polygon, 0 for no limit. Default 0.
            pub max_vertices: u32 = 0, with_max_vertices(u32);
            /// Largest difference between the mesh's ground and the sampled ground, in levels. 0 means
            /// the rounding of the samples, 1/32; slices then are level, without slopes. Default 1.0.
            pub max_height_error_levels: f32 = 1.0, with_max_height_error_levels(f32);
            /// `false` for a mesh whose ground is only known at the vertices of its polygons. It takes less
            /// than half the bytes and saves the height stage; in the middle of a polygon, positions are
            /// then off by as much as the ground bulges there. Default `true`.
            #[doc(alias = "detail mesh")]
            pub height_detail: bool = true, with_height_detail(bool);
            /// Treatment of ground inside of solids. Default [`Enclosed::Keep`].
            pub enclosed: Enclosed = Enclosed::default(), with_enclosed(Enclosed);
            /// Ground to keep. Default all.
            pub keep: Keep = Keep::All, with_keep(Keep);
            /// Volumes that give the ground in them another area, or cut it out, in order; where they
            /// overlap, the last one counts. Borders of marks run along cells, those of floor plans along
            /// the shape, for a mesh along its section at the height of the storey. Ground that is cut out
            /// gets no margin of the agent's radius. Default none.
            pub marks: Vec<Mark> = Vec::new(), with_marks(Vec<Mark>);
            /// Names, costs and colours of areas, for the mesh. Default none.
            pub areas: AreaTable = AreaTable::default(), with_areas(AreaTable);
            /// Heights of agents that share the mesh, ascending, at most 8; the least is the agent's.
            /// Ground is divided where the head room passes one of them: an agent of that height may go
            /// where [`waymesh_graph::NavMesh::head_room`] is at least as much, which is the ground of a
            /// bake for it. Default none.
            pub height_classes: Vec<f32> = Vec::new();
            /// Jumps and drops to look for, which become links. Default none.
            pub jumps: Option<JumpConfig> = None, with_jumps(Some(JumpConfig));
            /// Threads to use, at most 1,024; 0 for one per core. Default 0. The result does not depend on
            /// it.
            pub threads: usize = 0, with_threads(usize);
            /// Memory to work in, in bytes. Default 2 GiB.
            /// - Voxels: what the whole bake works in. A scene that may need more is baked in tiles. With
            ///   settings that tiles do not have, it is the most that the heightfield may take, and the whole
            ///   bake peaks at about four times as much.
            /// - Tiles: what the whole bake works in, but one tile at least, of up to 2 GiB; its result
            ///   comes on top.
            /// - Storeys and slices: what the tiles that are worked on at the same time may take.
            pub max_memory_bytes: u64 = 2 << 30, with_max_memory_bytes(u64);
            /// `true` to check every stage's result against its invariants. Default `false`: it costs about
            /// as much as the bake.
            pub validate_stages: bool = false, with_validate_stages(bool);
        }
    };
}

pub(super) use for_settings;

/// Declares [`BakeConfig`] and its methods that set a setting.
macro_rules! declare {
    ($($(#[$attribute:meta])* pub $field:ident: $type:ty = $default:expr $(, $with:ident($($value:tt)+))?;)+) => {
        /// Everything a [`Baker`](crate::Baker) needs to know. Lengths in metres, areas in square
        /// metres of plan, angles in radians.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(default))]
        pub struct BakeConfig {
            $($(#[$attribute])* pub $field: $type,)+
        }

        impl Default for BakeConfig {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        setters! {
            impl BakeConfig {
                $($($with($field: $($value)+);)?)+
            }
        }

        impl BakeConfig {
            /// The name of every field, and whether it differs.
            #[expect(clippy::float_cmp, reason = "a setting is another one if a bit of it is")]
            fn different_fields(&self, other: &Self) -> Vec<(&'static str, bool)> {
                vec![$((stringify!($field), self.$field != other.$field)),+]
            }
        }
    };
}

for_settings!(declare);

/// Default of [`BakeConfig::max_edge_error`] in cells, RecastDemo's.
const MAX_EDGE_ERROR_CELLS: f32 = 1.3;

/// More than any machine runs at once; starting tens of thousands takes minutes.
const MOST_THREADS: u32 = 1024;

impl BakeConfig {
    /// Sets the size of a voxel in metres.
    #[must_use]
    pub fn with_scale(mut self, cell_size: f32, level_height: f32) -> Self {
        self.scale = GridScale::new(cell_size, level_height);
        self
    }

    /// Sets the heights of agents that share the mesh; the agent becomes as high as the least.
    #[must_use]
    pub fn with_height_classes(mut self, heights: impl Into<Vec<f32>>) -> Self {
        self.height_classes = heights.into();
        if let Some(&least) = self.height_classes.first() {
            self.agent.height = least;
        }
        self
    }

    /// Returns the table of areas of the mesh, with its classes of head room.
    pub(crate) fn area_table(&self) -> AreaTable {
        self.areas.clone().with_head_rooms(self.head_rooms())
    }

    /// The classes of head room; none if they cannot be used.
    pub(crate) fn head_rooms(&self) -> HeadRooms {
        HeadRooms::new(&self.height_classes).unwrap_or_default()
    }

    /// The wall error in metres, the default filled in.
    #[must_use]
    pub fn edge_error(&self) -> f32 {
        self.max_edge_error.unwrap_or(MAX_EDGE_ERROR_CELLS * self.scale.cell_size)
    }

    /// `true` if ledges higher than the agent's step become links.
    pub(crate) fn has_climbs(&self) -> bool {
        self.max_ledge > self.agent.max_step
    }

    /// `true` if ground inside of solids is left out.
    pub(super) fn removes_enclosed(&self) -> bool {
        self.enclosed != Enclosed::Keep
    }

    /// The name of every field, and whether it differs. Sizes of the agent and the grid that not
    /// every front end uses have names of their own.
    #[expect(clippy::float_cmp, reason = "a setting is another one if a bit of it is")]
    pub(crate) fn differences(&self, other: &Self) -> Vec<(&'static str, bool)> {
        let mut differences = self.different_fields(other);
        differences.push(("scale.level_height", self.scale.level_height != other.scale.level_height));
        differences.push(("agent.radius", self.agent.radius != other.agent.radius));
        differences
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first one that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.scale.validate()?;
        self.agent.validate()?;
        HeadRooms::new(&self.height_classes)?;
        if let Some(&least) = self.height_classes.first() {
            let is_same = least.total_cmp(&self.agent.height).is_eq();
            BadField::unless(is_same, "height_classes", least, "the agent's height, and higher ones")?;
        }
        for (field, value) in [
            ("max_ledge", self.max_ledge),
            ("max_edge_error", self.edge_error()),
            ("max_edge_length", self.max_edge_length),
            ("max_seam_error", self.max_seam_error),
            ("min_region", self.min_region),
            ("merge_region", self.merge_region),
        ] {
            BadField::unless(value.is_finite() && value >= 0.0, field, value, "finite and at least 0")?;
        }
        let error = self.max_height_error_levels;
        let is_fine = error.is_finite() && error >= 0.0;
        BadField::unless(is_fine, "max_height_error_levels", error, "finite and at least 0")?;
        let is_fine = self.max_vertices == 0 || self.max_vertices >= 3;
        BadField::unless(is_fine, "max_vertices", self.max_vertices, "0 or at least 3")?;
        let threads = u32::try_from(self.threads).unwrap_or(u32::MAX);
        BadField::unless(threads <= MOST_THREADS, "threads", threads, "at most 1024")?;
        if let Keep::LargerThan(least) = self.keep {
            BadField::unless(least.is_finite() && least >= 0.0, "keep", least, "finite and at least 0")?;
        }
        if let Keep::ConnectedTo(seeds) = &self.keep {
            BadField::unless(!seeds.is_empty(), "keep", 0.0, "connected to at least one place")?;
            for value in seeds.iter().flat_map(Vec3::to_array) {
                BadField::unless(value.is_finite(), "keep", value, "finite coordinates")?;
            }
        }
        Ok(self.jumps.map_or(Ok(()), |jumps| jumps.validate())?)
    }
}

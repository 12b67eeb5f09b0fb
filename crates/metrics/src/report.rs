//! The report: all figures of a mesh.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::Obstruction;

/// All figures of a mesh. A figure is `None` (`null` in JSON), never NaN, if there is nothing to
/// measure.
///
/// The JSON keys are a contract: they are not renamed, and new ones are added at the end. The only
/// exception are the keys with `polygon`, which were called `cell` before; the old names can still
/// be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// Samples on the walkable triangles of the scene.
    pub samples: usize,
    /// Samples where an agent can certainly stand.
    pub standable: usize,
    /// Samples too close to the deciding border. They count neither for nor against the mesh.
    pub uncertain: usize,
    /// Share of the standable samples that lie on the mesh, within the height tolerance. "Coverage"
    /// in van Toll et al. 2020.
    pub coverage: Option<f64>,
    /// Shares of the mesh's area where an agent certainly cannot stand.
    pub excess: Excess,
    /// Islands of the mesh compared with components of the surface. "Connectivity" in van Toll et
    /// al. 2020.
    pub connectivity: Connectivity,
    /// Height of the mesh above the ground at the standable samples that lie on it, in metres.
    pub height_error: HeightError,
    /// Distance between the mesh's border and its ideal position, in metres, which is at a distance
    /// of the radius from walls and drops.
    pub clearance_error: ClearanceError,
    /// Number of polygons.
    #[serde(alias = "cells")]
    pub polygons: usize,
    /// Edges between two polygons, each counted once.
    pub portals: usize,
    /// Vertices that polygons use. Vertices within a millimetre count as one.
    pub vertices: usize,
    /// Vertices that lie on no border edge. A border edge is an edge without neighbour.
    pub vertices_off_border: usize,
    /// Fewest convex polygons that the islands can be cut into: the sum of `ceil(notches / 2) + 1 -
    /// holes`, at least one each. A notch is a border vertex with more than half a turn of mesh
    /// around it. Chazelle and Dobkin 1985.
    #[serde(alias = "cells_lower_bound")]
    pub polygons_lower_bound: usize,
    /// Share of the polygons that are narrower than a grid cell or have an angle below ten degrees.
    pub slivers: Option<f64>,
    /// Smallest angle of all polygons, in degrees.
    pub min_angle: Option<f64>,
    /// Vertices inside an edge of a polygon that does not have them as corners, counted once for
    /// each such edge.
    pub t_junctions: usize,
    /// Number of faults of the mesh itself: the sum of [`Evaluation::violation_kinds`].
    pub violations: usize,
    /// Paths over the mesh.
    pub paths: Paths,
    /// Bytes in memory, if known.
    pub bytes_memory: Option<u64>,
    /// Bytes in the file, if known.
    pub bytes_file: Option<u64>,
    /// The violations by kind.
    pub violation_kinds: Violations,
    /// Figures of the polygons' shapes.
    pub shape: Shape,
    /// Share of the mesh's area that is inside of solids half the agent's height above it.
    /// [`Excess::solid`] is the same at the feet.
    pub enclosed: Option<f64>,
}

/// Shares of the mesh's area, from 0 to 1. Uncertain area is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Excess {
    /// The sum of the others.
    pub total: Option<f64>,
    /// Inside solids.
    pub solid: Option<f64>,
    /// Under low ceilings.
    pub ceiling: Option<f64>,
    /// Too close to walls, or on ground that is too steep.
    pub wall: Option<f64>,
    /// Too close to drops, or over no ground.
    pub drop: Option<f64>,
}

/// Connectivity of the mesh compared with that of the surface.
///
/// Components are found on a regular grid on all storeys. Its spacing is a cell, or more if
/// [`crate::MetricsConfig::grid_limit`] requires it. Neighbouring places are linked if an agent can
/// walk straight from one to the other.
/// - A pair is certainly linked if it is connected over certain places, with steps and room one
///   level stricter than the agent's.
/// - It is certainly apart if it is not connected even over uncertain places, with steps and room
///   one level more lenient. A grid with a spacing of more than 1.3 cells could miss a passage:
///   then no pair is called apart, and no link false.
/// - All other pairs are undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Connectivity {
    /// Random pairs of standable places on the mesh. Pairs that are not in the next three figures
    /// are undecided.
    pub pairs: usize,
    /// Pairs that are linked in both, or apart in both.
    pub agree: usize,
    /// Pairs that the mesh joins over edges and steps, and that are certainly apart.
    pub false_links: usize,
    /// Pairs that the mesh joins neither over edges nor over steps, and that are certainly linked.
    pub missed_links: usize,
    /// Islands of the mesh.
    pub islands: usize,
    /// Components of the surface that hold a standable place.
    pub components: usize,
}

/// Heights of the mesh above the ground in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeightError {
    /// Mean, negative if the mesh lies below the ground.
    pub mean: Option<f64>,
    /// Median of the absolute values.
    pub p50: Option<f64>,
    /// 95th percentile of the absolute values.
    pub p95: Option<f64>,
    /// Largest absolute value.
    pub max: Option<f64>,
}

/// Statistics of distances in metres, or of relative lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClearanceError {
    /// Mean.
    pub mean: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// Paths over the mesh between fixed random pairs of standable places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Paths {
    /// Queried pairs. 0 if there is no router.
    pub pairs: usize,
    /// Pairs with a complete path.
    pub found: usize,
    /// Pairs without a path, although there certainly is one.
    pub wrongly_missing: usize,
    /// Pairs with a path on foot, although there certainly is none. Links that are not crossed like
    /// an edge lead where an agent cannot walk: paths over them do not count.
    pub wrongly_found: usize,
    /// Relative excess of the length of the paths over the exact shortest path on the mesh, in the
    /// plan: 0.01 is one percent. Negative if they leave the mesh. Paths without links only.
    pub excess_length: ClearanceError,
    /// Smallest distance of the paths from what is certainly a wall in metres, at most twice the
    /// radius plus four cells. A rise that is a step for an agent with a level more of `max_step`
    /// does not count.
    pub min_wall_distance: Option<f64>,
    /// Time of a query in nanoseconds.
    pub query_ns: QueryTime,
}

/// Times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QueryTime {
    /// Median.
    pub p50: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
}

/// Faults of a mesh itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violations {
    /// Pairs of polygons that cover the same ground.
    pub overlaps: usize,
    /// Polygons that are not convex, or have no area.
    pub non_convex: usize,
    /// Edges to a neighbour that does not have the polygon as its neighbour.
    pub asymmetric: usize,
    /// Edges to a neighbour that do not coincide with an edge of it, or along which the heights
    /// differ by more than half a level.
    pub cracks: usize,
}

impl Violations {
    /// Total number of violations.
    #[must_use]
    pub fn total(&self) -> usize {
        self.overlaps + self.non_convex + self.asymmetric + self.cracks
    }
}

/// Figures of the polygons' shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shape {
    /// Plan area of all polygons in square metres.
    pub area: f64,
    /// Plan area of the largest polygon in square metres.
    #[serde(alias = "largest_cell")]
    pub largest_polygon: Option<f64>,
    /// Mean plan area of a polygon in square metres.
    #[serde(alias = "mean_cell")]
    pub mean_polygon: Option<f64>,
    /// Smallest width of all polygons in metres. A width is the distance of two parallel lines
    /// around a polygon, one along an edge.
    pub min_width: Option<f64>,
    /// Mean number of neighbours.
    pub mean_degree: Option<f64>,
    /// Number of polygons divided by [`Evaluation::polygons_lower_bound`]: at least 1.
    #[serde(alias = "cells_per_lower_bound")]
    pub polygons_per_lower_bound: Option<f64>,
}

impl Evaluation {
    /// Returns reasons why the figures mean little, one sentence each; empty if there are none.
    #[must_use]
    pub fn remarks(&self) -> Vec<&'static str> {
        let mut remarks = Vec::new();
        if self.samples == 0 {
            remarks.push("the scene has no walkable ground");
        } else if self.standable == 0 {
            remarks.push("there is no place where an agent can certainly stand");
        }
        if self.polygons == 0 {
            remarks.push("the mesh has no polygons");
        } else if self.coverage == Some(0.0) && self.excess.total.is_some_and(|excess| excess > 0.9) {
            remarks.push("the mesh lies elsewhere: was it baked from another scene?");
        }
        remarks
    }
}

/// The places of faults, for a picture.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Places {
    /// Standable samples that are not on the mesh.
    pub missed: Vec<Vec3>,
    /// Side in metres of the square in the plan that each of them represents.
    pub missed_side: f64,
    /// Places of the mesh where an agent cannot stand.
    pub excess: Vec<(Vec3, Obstruction)>,
    /// Side in metres of the square in the plan that each of them represents.
    pub excess_side: f64,
    /// Paths that are longer than they need be, the worst first: at most 100, of those that
    /// [`Paths::excess_length`] is about.
    pub detours: Vec<Detour>,
}

/// A path of the mesh that is longer than the shortest one on it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Detour {
    /// The corners of the path.
    pub path: Vec<Vec3>,
    /// Excess over the shortest length, as a share of that: more than 0.001.
    pub excess: f64,
}

impl Places {
    /// Most detours that are kept.
    const MOST_DETOURS: usize = 100;
    /// A path that is longer by a smaller share is none.
    const LEAST_DETOUR: f64 = 1e-3;

    /// Keeps the worst of these paths.
    pub(crate) fn keep_detours(&mut self, found: impl IntoIterator<Item = Detour>) {
        self.detours = found.into_iter().filter(|detour| detour.excess > Self::LEAST_DETOUR).collect();
        self.detours.sort_by(|a, b| b.excess.total_cmp(&a.excess));
        self.detours.truncate(Self::MOST_DETOURS);
    }
}

/// Sorted numbers, none of them NaN.
pub(crate) struct Sorted(Vec<f64>);

impl Sorted {
    pub(crate) fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    pub(crate) fn mean(&self) -> Option<f64> {
        share(self.0.iter().sum(), self.0.len())
    }

    /// The least value with at least so large a share of the values at or below it.
    pub(crate) fn percentile(&self, share: f64) -> Option<f64> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank in a table")]
        let rank = (share * self.0.len() as f64).ceil().max(1.0) as usize;
        self.0.get(rank - 1).copied()
    }

    pub(crate) fn max(&self) -> Option<f64> {
        self.0.last().copied()
    }

    pub(crate) fn summary(&self) -> ClearanceError {
        ClearanceError { mean: self.mean(), p95: self.percentile(0.95), max: self.max() }
    }
}

/// A share of a number, unless that is none.
pub(crate) fn share(sum: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

//! What is found out about a mesh.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::Obstruction;

/// Where there is nothing to measure a figure is `None` (`null` in JSON), never NaN.
///
/// The JSON keys are a contract: they are never renamed, and new ones are added at the end. What is
/// written can be read again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// Samples on the walkable triangles of the scene.
    pub samples: usize,
    /// Those where an agent can certainly stand.
    pub standable: usize,
    /// Those too close to the deciding border to say. They count neither for nor against the mesh.
    pub uncertain: usize,
    /// Share of the standable samples that lie on the mesh, within the height tolerance. "Coverage"
    /// in van Toll et al. 2020.
    pub coverage: Option<f64>,
    /// Shares of the mesh's area where an agent certainly cannot stand.
    pub excess: Excess,
    /// Islands of the mesh against components of the surface. "Connectivity" in van Toll et al.
    /// 2020.
    pub connectivity: Connectivity,
    /// Height of the mesh above the ground at the standable samples that lie on it, in metres.
    pub height_error: HeightError,
    /// Distance between the mesh's border and where it should be, in metres: as far from walls and
    /// drops as the radius.
    pub clearance_error: ClearanceError,
    /// Number of polygons.
    pub polygons: usize,
    /// Edges between two polygons, each counted once.
    pub portals: usize,
    /// Vertices that polygons use. Places a millimetre apart are one.
    pub vertices: usize,
    /// Vertices that lie on no border edge, which is one without neighbour.
    pub vertices_off_border: usize,
    /// Fewest convex polygons that the islands can be cut into: the sum of `ceil(notches / 2) + 1 -
    /// holes`, at least one each. A notch is a border vertex with more than half a turn of mesh
    /// around it. Chazelle and Dobkin 1985.
    pub polygons_lower_bound: usize,
    /// Share of the polygons that are narrower than a grid cell or have an angle under ten degrees.
    pub slivers: Option<f64>,
    /// Smallest angle of all polygons, in degrees.
    pub min_angle: Option<f64>,
    /// Vertices inside an edge of a polygon that does not have them, counted once for each such
    /// edge.
    pub t_junctions: usize,
    /// All that is wrong with the mesh itself: the sum of [`Evaluation::violation_kinds`].
    pub violations: usize,
    /// Ways over the mesh.
    pub paths: Paths,
    /// Bytes in memory, if known.
    pub bytes_memory: Option<u64>,
    /// Bytes in the file, if known.
    pub bytes_file: Option<u64>,
    /// What the violations are.
    pub violation_kinds: Violations,
    /// More figures of the polygons' shapes.
    pub shape: Shape,
}

/// Shares of the mesh's area, of 1. What is uncertain is not in them.
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

/// What is linked with what.
///
/// Components are found on a regular grid of a cell's spacing over all storeys, wider where
/// [`crate::MetricsConfig::grid_limit`] asks for it. Neighbouring places are linked if one can walk
/// straight from one to the other.
/// - A pair is surely linked by certain places only, with steps and room a level stricter than the
///   agent's.
/// - It is surely apart if not even uncertain places, and steps and room a level more lenient, link
///   it. A grid wider than 1.3 polygons could overlook a passage: there no pair is called apart, so
///   no link false.
/// - All other pairs are undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Connectivity {
    /// Random pairs of standable places on the mesh. Those not in the next three figures could not
    /// be decided.
    pub pairs: usize,
    /// Linked in both, or apart in both.
    pub agree: usize,
    /// On one island of the mesh, though there is no way.
    pub false_links: usize,
    /// On two islands, though there is a way.
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
    /// Mean, negative where the mesh lies below.
    pub mean: Option<f64>,
    /// Median of the sizes.
    pub p50: Option<f64>,
    /// 95th percentile of the sizes.
    pub p95: Option<f64>,
    /// Largest size.
    pub max: Option<f64>,
}

/// Distances in metres, or shares for lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClearanceError {
    /// Mean size.
    pub mean: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// Ways over the mesh between fixed random pairs of standable places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Paths {
    /// Pairs asked for. Zero if there was nobody to ask.
    pub pairs: usize,
    /// Pairs with a complete way.
    pub found: usize,
    /// Pairs without, though there certainly is one.
    pub wrongly_missing: usize,
    /// Pairs with one, though there certainly is none.
    pub wrongly_found: usize,
    /// By how much of the exact shortest way over the mesh the ways found are longer, in the plan:
    /// 0.01 is one percent. Negative if they leave the mesh.
    pub excess_length: ClearanceError,
    /// Least distance from the ways to a wall in metres, as far as twice the radius and four cells.
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

/// What is wrong with a mesh itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violations {
    /// Pairs of polygons that cover the same ground.
    pub overlaps: usize,
    /// Polygons that are not convex, or have no area.
    pub non_convex: usize,
    /// Edges to a neighbour that does not know of it.
    pub asymmetric: usize,
    /// Edges to a neighbour that lie apart from the neighbour's edge, or whose grounds differ by
    /// more than half a level.
    pub cracks: usize,
}

impl Violations {
    /// All of them.
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
    pub largest_polygon: Option<f64>,
    /// Mean plan area of a polygon in square metres.
    pub mean_polygon: Option<f64>,
    /// Smallest width of all polygons in metres: between two parallel lines, one along an edge.
    pub min_width: Option<f64>,
    /// Mean number of neighbours.
    pub mean_degree: Option<f64>,
    /// Polygons for each that there must be: at least 1.
    pub polygons_per_lower_bound: Option<f64>,
}

impl Evaluation {
    /// What keeps the figures from meaning much, one sentence each; empty if nothing does.
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

/// What is wrong where, for a picture.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Places {
    /// Standable samples that are not on the mesh.
    pub missed: Vec<Vec3>,
    /// Side in metres of the square that each of them stands for, in the plan.
    pub missed_side: f64,
    /// Places of the mesh where an agent cannot stand.
    pub excess: Vec<(Vec3, Obstruction)>,
    /// Side in metres of the square that each of them stands for, in the plan.
    pub excess_side: f64,
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

//! Borders that cross, touch, double back or nearly meet, made sound.

use waymesh_core::{BadField, Polygon, PolygonSet, RegionId, VertexId};

use crate::drawing::Drawing;
use crate::{TriangulateError, triangulate_cdt};

/// Configuration of [`repair_polygons`]. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairConfig {
    /// Vertices at most this far apart become one, and an edge at most this far from a vertex bends
    /// to it. At most `max_border_shift` is of use. Default 0: only what touches.
    pub near_distance: f32,
    /// How far a border may be moved, by points that become one and by crossings that are not on
    /// grid points. Default 0.01; less than a cell leaves little room for crossings.
    pub max_border_shift: f32,
}

impl Default for RepairConfig {
    fn default() -> Self {
        Self { near_distance: 0.0, max_border_shift: 0.01 }
    }
}

impl RepairConfig {
    /// With another distance for points that become one.
    #[must_use]
    pub fn with_near_distance(mut self, metres: f32) -> Self {
        self.near_distance = metres;
        self
    }

    /// With another freedom for borders.
    #[must_use]
    pub fn with_max_border_shift(mut self, metres: f32) -> Self {
        self.max_border_shift = metres;
        self
    }

    /// Checks the configuration.
    ///
    /// # Errors
    /// [`TriangulateError::BadField`] names the first bad field.
    pub fn validate(&self) -> Result<(), TriangulateError> {
        BadField::unless_length("near_distance", self.near_distance)?;
        Ok(BadField::unless_length("max_border_shift", self.max_border_shift)?)
    }
}

/// What [`repair_polygons`] did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RepairReport {
    /// Regions whose borders were redrawn, in order.
    pub repaired: Vec<RegionId>,
    /// Regions of which nothing was left, in order.
    pub vanished: Vec<RegionId>,
    /// Pieces that became regions of their own: the new region, and the one it was part of.
    pub split_off: Vec<[RegionId; 2]>,
    /// Points that became one with another.
    pub points_merged: usize,
    /// Places where an edge was bent to a vertex near it.
    pub edges_bent: usize,
    /// Places where edges crossed or touched, each counted once per edge that was cut there.
    pub edges_cut: usize,
    /// Farthest that a border was moved, in metres.
    pub border_shift: f32,
}

/// Makes every polygon sound enough to be triangulated, and says what it did.
///
/// A sound polygon stays as it is, vertex by vertex. Of any other, all edges are cut where they
/// meet; then those parts are kept that the outer border goes round and no hole does, whichever way
/// round they run: lobes of a border that crosses itself stay, overlaps count once, spikes and
/// doubled points go, holes outside go, and what of a hole sticks out is cut off.
///
/// # Guarantees
/// - No point of a border moves by more than `max_border_shift`, however often its edges are
///   merged, bent and cut: the new line and the old one lie that near to each other all along. Only
///   what covers itself, a spike or a hole in a hole, goes without a trace.
/// - With a `near_distance`, no two of the old vertices stay as near as that, and an edge stays
///   near one only where bending it again would move it too far.
/// - The order of the loops, and where they begin, does not matter to the points of the result.
/// - Regions keep their ids; pieces that come apart are new regions after all others.
/// - Old vertices keep their ids; new ones follow, their height in line with the edge they cut.
///
/// # Cost
/// As [`triangulate_cdt`] for polygons that are sound. For others `n log n` and the number of edges
/// that come near each other; what rounding and bending make anew is searched again, alone.
///
/// # Errors
/// - [`TriangulateError::CannotRepair`] where a border would have to move too far, with the place.
/// - The fault itself for a polygon with other regions beyond its border: they would no longer fit.
/// - For loops that name vertices that are not there, or lie beyond the grid; and
///   [`TriangulateError::BadField`].
///
/// # References
/// Hobby 1999, Practical segment intersection with finite precision output, <https://doi.org/10.1016/S0925-7721(99)00021-8> (snapping, and
/// why it has to be repeated). Chains that stay within reach of their edge: Guibas and Marimont
/// 1998, Rounding arrangements dynamically, <https://doi.org/10.1142/S0218195998000096>.
pub fn repair_polygons(
    polygons: &PolygonSet,
    config: &RepairConfig,
) -> Result<(PolygonSet, RepairReport), TriangulateError> {
    config.validate()?;
    let cell = f64::from(polygons.frame.cell_size);
    let mut result =
        PolygonSet { frame: polygons.frame, vertices: polygons.vertices.clone(), polygons: Vec::new() };
    let mut report = RepairReport::default();
    let mut pieces: Vec<(RegionId, Polygon)> = Vec::new();
    let mut worst = 0.0_f64;
    for polygon in &polygons.polygons {
        let bordered = polygon.loops().any(|polygon_loop| polygon_loop.beyond.iter().any(Option::is_some));
        let fault = match fault_of(polygons, polygon) {
            None if bordered || config.near_distance <= 0.0 => {
                result.polygons.push(polygon.clone());
                continue;
            }
            fault => fault,
        };
        let is_sound = fault.is_none();
        if let Some(error) = fault
            && (bordered
                || matches!(
                    error,
                    TriangulateError::UnknownVertex { .. } | TriangulateError::OutOfRange { .. }
                ))
        {
            return Err(error);
        }
        let [near, limit] =
            [config.near_distance, config.max_border_shift].map(|metres| f64::from(metres) / cell);
        let mut drawing = Drawing::new(polygon.region, near, limit);
        drawing.load(&result, polygon)?;
        drawing.cut(&mut result)?;
        if is_sound && drawing.is_untouched() {
            result.polygons.push(polygon.clone());
            continue;
        }
        report.points_merged += drawing.merged;
        report.edges_bent += drawing.bent;
        report.edges_cut += drawing.cuts;
        worst = worst.max(drawing.shift);
        let mut parts = drawing.fill(polygon)?;
        report.repaired.push(polygon.region);
        if parts.is_empty() {
            report.vanished.push(polygon.region);
            continue;
        }
        result.polygons.push(parts.remove(0));
        pieces.extend(parts.into_iter().map(|part| (polygon.region, part)));
    }
    let next = polygons.polygons.iter().map(|polygon| polygon.region.0 + 1).max().unwrap_or(0);
    for (region, (origin, mut piece)) in (next..).zip(pieces) {
        piece.region = RegionId(region);
        report.split_off.push([piece.region, origin]);
        result.polygons.push(piece);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a small length, for people")]
    let border_shift = (worst * cell) as f32;
    report.border_shift = border_shift;
    Ok((result, report))
}

/// What is wrong with a polygon by itself.
fn fault_of(set: &PolygonSet, polygon: &Polygon) -> Option<TriangulateError> {
    let mut alone = PolygonSet { frame: set.frame, vertices: Vec::new(), polygons: vec![polygon.clone()] };
    let Polygon { outer, holes, .. } = &mut alone.polygons[0];
    for polygon_loop in std::iter::once(outer).chain(holes) {
        for vertex in &mut polygon_loop.vertices {
            let Some(at) = set.vertices.get(vertex.index()) else {
                let (region, count) = (polygon.region, set.vertices.len());
                return Some(TriangulateError::UnknownVertex { region, vertex: *vertex, count });
            };
            *vertex = VertexId::from_index(alone.vertices.len());
            alone.vertices.push(*at);
        }
    }
    let limit = waymesh_core::MAX_PLAN_COORDINATE;
    if let Some(at) = alone.vertices.iter().find(|at| {
        at.point.x.abs_diff(0) > limit.unsigned_abs() || at.point.z.abs_diff(0) > limit.unsigned_abs()
    }) {
        return Some(TriangulateError::OutOfRange { region: polygon.region, point: at.point, limit });
    }
    triangulate_cdt(&alone).err()
}

//! Repair of borders that cross, touch, double back or nearly meet.

use waymesh_core::{BadField, Polygon, PolygonSet, RegionId, VertexId, checkpoint, nearest_f32};

use crate::drawing::Drawing;
use crate::{TriangulateError, triangulate_cdt};

/// Configuration of [`repair_polygons`]. Lengths are in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairConfig {
    /// Largest distance between vertices that are merged, and between a vertex and an edge that is
    /// bent to it. Values above `max_border_shift` have no effect. Default 0: only points that
    /// coincide are merged.
    pub near_distance: f32,
    /// Largest shift of a border that is caused by merged points or by a crossing that is not a
    /// grid point. Default 0.01. With less than a cell, few crossings can be rounded to the grid.
    pub max_border_shift: f32,
}

impl Default for RepairConfig {
    fn default() -> Self {
        Self { near_distance: 0.0, max_border_shift: 0.01 }
    }
}

waymesh_core::setters! {
    impl RepairConfig {
        with_near_distance(near_distance: f32);
        with_max_border_shift(max_border_shift: f32);
    }
}

impl RepairConfig {
    /// Checks the configuration.
    ///
    /// # Errors
    /// [`TriangulateError::BadField`] names the first bad field.
    pub fn validate(&self) -> Result<(), TriangulateError> {
        BadField::unless_length("near_distance", self.near_distance)?;
        Ok(BadField::unless_length("max_border_shift", self.max_border_shift)?)
    }
}

/// Statistics of [`repair_polygons`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RepairReport {
    /// Regions whose borders were redrawn, in order.
    pub repaired: Vec<RegionId>,
    /// Regions that vanished, in order.
    pub vanished: Vec<RegionId>,
    /// Pieces that became new regions: the new region, and its original region.
    pub split_off: Vec<[RegionId; 2]>,
    /// Points that were merged into another point.
    pub points_merged: usize,
    /// Number of bends of an edge to a nearby vertex.
    pub edges_bent: usize,
    /// Number of cuts where edges crossed or touched, counted for each edge that was cut.
    pub edges_cut: usize,
    /// Largest distance that a border was moved, in metres.
    pub border_shift: f32,
}

/// Repairs every polygon that cannot be triangulated, and reports what changed.
///
/// A valid polygon keeps all its vertices. In any other polygon, all edges are cut where they meet.
/// The result is the parts that the outer border encloses and no hole encloses, in either winding.
/// Lobes of a border that crosses itself stay, and overlaps count once. Spikes, repeated points and
/// holes outside the border are removed, and the part of a hole that lies outside is cut off.
///
/// # Guarantees
/// - No point of a border moves by more than `max_border_shift`, even if its edges are merged, bent
///   and cut repeatedly: the new line stays within that distance of the old line over its whole
///   length. Only parts that cover themselves (a spike, a hole in a hole) are removed without this
///   bound.
/// - No two old vertices stay within `near_distance` of each other. An edge stays within it of an
///   old vertex only where bending the edge again would move it too far.
/// - The points of the result do not depend on the order of the loops or on where each loop begins.
/// - Regions keep their ids. Pieces that are separated become new regions, numbered after all
///   others.
/// - Old vertices keep their ids. New vertices follow; their height is interpolated along the edge
///   that they cut.
///
/// # Cost
/// The cost of [`triangulate_cdt`] for valid polygons. For other polygons `n log n` plus the number
/// of pairs of edges close to each other. After rounding and bending, only the new edges are
/// searched again.
///
/// # Errors
/// - [`TriangulateError::CannotRepair`] if a border would have to move too far, with the position.
/// - The fault itself for a polygon with other regions beyond its border: a repair would separate
///   them.
/// - [`TriangulateError::UnknownVertex`] and [`TriangulateError::OutOfRange`] for bad vertices;
///   [`TriangulateError::BadField`].
///
/// # References
/// Hobby 1999, Practical segment intersection with finite precision output,
/// <https://doi.org/10.1016/S0925-7721(99)00021-8> (snapping, and the need to repeat it). Guibas
/// and Marimont 1998, Rounding arrangements dynamically,
/// <https://doi.org/10.1142/S0218195998000096> (chains that stay close to their edge).
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
        checkpoint();
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
    let border_shift = nearest_f32(worst * cell);
    report.border_shift = border_shift;
    Ok((result, report))
}

/// Returns the first fault of a single polygon, or `None` for a valid polygon.
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

//! Offsets of areas by the agent's radius, and the closing of gaps.

use geo::buffer::{BufferStyle, LineJoin};
use geo::{Area as _, Buffer, LineString, MultiPolygon, Orient, Polygon};
use waymesh_core::float;

use crate::area::{Region, arc_angle, corners, rings};
use crate::plan::{direction, way};
use crate::{Join, PlanConfig, PlanPosition};

/// Smallest [`Join::Miter`] limit with which no point is nearer than the radius: a very sharp
/// corner is then cut off at the radius from its tip.
const MITER_FLOOR: f64 = std::f64::consts::SQRT_2;

/// Turns below this, in radians, are not cut with [`Join::Square`]: the borders continue to where
/// they meet, at most 4 % farther than the radius.
const SHALLOW: f64 = std::f64::consts::FRAC_PI_6;

/// Returns everything within `config.radius` of `region`.
pub(crate) fn grow(region: &Region, config: &PlanConfig) -> Region {
    let radius = config.radius;
    if radius <= 0.0 || region.is_empty() {
        return region.clone();
    }
    match config.join {
        Join::Round => offset(region, radius, LineJoin::Round(arc_angle(radius, config.arc_error))),
        Join::Miter { limit } => {
            let sharpest = 2.0 * float::asin(1.0 / limit.max(MITER_FLOOR));
            offset(region, radius, LineJoin::Miter(sharpest))
        }
        Join::Square => {
            let caps = Region(caps(&region.0, radius));
            Region::union([&offset(region, radius, LineJoin::Bevel), &caps])
        }
    }
}

/// Returns a region with its borders moved outwards.
fn offset(region: &Region, by: f64, join: LineJoin<f64>) -> Region {
    Region(region.0.buffer_with_style(BufferStyle::new(by).line_join(join)))
}

/// Chords of the arcs of [`closed`] are cut short by this share of the radius.
const CLOSING_ARC: f64 = 0.01;
/// Corners sharper than this, in radians, are cut off by [`closed`] when it goes back.
const CLOSING_MITER: f64 = 0.05;

/// Returns a region with its gaps narrower than `distance` filled: the morphological closing by a
/// disc of that diameter, but for rounded corners. Serra 1982, Image Analysis and Mathematical
/// Morphology, chapter II.
///
/// Arcs in the dilation keep sharp corners from reaching over thicker walls, mitres in the erosion
/// restore the corners. Borders away from gaps stay as they are, to the last bit.
pub(crate) fn closed(region: &Region, distance: f64) -> Region {
    let (radius, extent) = (distance / 2.0, region.extent());
    let Some([min, max]) = extent.filter(|_| distance > 0.0) else { return region.clone() };
    // The overlay rounds to a grid over the whole extent.
    let rounding = (max[0] - min[0]).max(max[1] - min[1]) / f64::from(1 << 28);
    let outwards = offset(region, radius, LineJoin::Round(arc_angle(radius, CLOSING_ARC * radius)));
    let back = offset(&outwards, -radius, LineJoin::Miter(CLOSING_MITER));
    let added = back.minus(region);
    let has_width = |polygon: &Polygon<f64>| {
        let length: f64 = polygon.exterior().lines().map(|line| float::hypot(line.dx(), line.dy())).sum();
        2.0 * polygon.unsigned_area() > 4.0 * rounding * length
    };
    let gaps: Vec<Polygon<f64>> = added.0.into_iter().filter(has_width).collect();
    if gaps.is_empty() {
        return region.clone();
    }
    // With a margin on either side, so that no hairline of rounding is left.
    let gaps = Region(MultiPolygon::new(gaps));
    let around = offset(&gaps, 16.0 * rounding, LineJoin::Miter(1.0));
    Region::union([region, &back.within(&around)])
}

/// Returns what a square join adds to a bevel at each convex corner.
fn caps(polygons: &MultiPolygon<f64>, radius: f64) -> MultiPolygon<f64> {
    let polygons = polygons.orient(geo::orient::Direction::Default);
    let mut caps = Vec::new();
    for ring in rings(&polygons) {
        let points: Vec<PlanPosition> = corners(ring).collect();
        for (index, &corner) in points.iter().enumerate() {
            let before = points[(index + points.len() - 1) % points.len()];
            let after = points[(index + 1) % points.len()];
            caps.extend(cap(before, corner, after, radius));
        }
    }
    MultiPolygon::new(caps)
}

/// Returns the cap over one corner of a ring with its inside on the left; `None` where the ring
/// turns right.
fn cap(before: PlanPosition, corner: PlanPosition, after: PlanPosition, radius: f64) -> Option<Polygon<f64>> {
    let arriving = direction(way(before, corner))?;
    let leaving = direction(way(corner, after))?;
    let cross = arriving[0] * leaving[1] - arriving[1] * leaving[0];
    let dot = arriving[0] * leaving[0] + arriving[1] * leaving[1];
    let turn = float::atan2(cross, dot);
    if turn <= 1e-6 {
        return None;
    }
    // The outside is on the right.
    let at = |way: [f64; 2], along: f64| {
        [corner[0] + way[1] * radius + way[0] * along, corner[1] - way[0] * radius + way[1] * along]
    };
    let mut points = vec![corner, at(arriving, 0.0)];
    if turn < SHALLOW {
        points.push(at(arriving, radius * float::tan(turn / 2.0)));
    } else {
        let along = radius * float::tan(turn / 4.0);
        points.extend([at(arriving, along), at(leaving, -along)]);
    }
    points.push(at(leaving, 0.0));
    Some(Polygon::new(LineString::from_iter(points), Vec::new()))
}

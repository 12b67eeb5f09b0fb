//! Offsets of areas by the agent's radius.

use geo::buffer::{BufferStyle, LineJoin};
use geo::{Buffer, LineString, MultiPolygon, Orient, Polygon};

use crate::area::{Region, arc_angle};
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
    let style = BufferStyle::new(radius);
    match config.join {
        Join::Round => {
            let join = LineJoin::Round(arc_angle(radius, config.arc_error));
            Region(region.0.buffer_with_style(style.line_join(join)))
        }
        Join::Miter { limit } => {
            let sharpest = 2.0 * (1.0 / limit.max(MITER_FLOOR)).asin();
            Region(region.0.buffer_with_style(style.line_join(LineJoin::Miter(sharpest))))
        }
        Join::Square => {
            let grown = Region(region.0.buffer_with_style(style.line_join(LineJoin::Bevel)));
            let caps = Region(caps(&region.0, radius));
            Region::union([&grown, &caps])
        }
    }
}

/// Returns what a square join adds to a bevel at each convex corner.
fn caps(polygons: &MultiPolygon<f64>, radius: f64) -> MultiPolygon<f64> {
    let polygons = polygons.orient(geo::orient::Direction::Default);
    let mut caps = Vec::new();
    for ring in
        polygons.iter().flat_map(|polygon| std::iter::once(polygon.exterior()).chain(polygon.interiors()))
    {
        let points: Vec<PlanPosition> = ring.coords().skip(1).map(|&point| point.into()).collect();
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
    let arriving = direction(before, corner)?;
    let leaving = direction(corner, after)?;
    let cross = arriving[0] * leaving[1] - arriving[1] * leaving[0];
    let dot = arriving[0] * leaving[0] + arriving[1] * leaving[1];
    let turn = cross.atan2(dot);
    if turn <= 1e-6 {
        return None;
    }
    // The outside is on the right.
    let at = |way: [f64; 2], along: f64| {
        [corner[0] + way[1] * radius + way[0] * along, corner[1] - way[0] * radius + way[1] * along]
    };
    let mut points = vec![corner, at(arriving, 0.0)];
    if turn < SHALLOW {
        points.push(at(arriving, radius * (turn / 2.0).tan()));
    } else {
        let along = radius * (turn / 4.0).tan();
        points.extend([at(arriving, along), at(leaving, -along)]);
    }
    points.push(at(leaving, 0.0));
    Some(Polygon::new(LineString::from_iter(points), Vec::new()))
}

fn direction(from: PlanPosition, to: PlanPosition) -> Option<[f64; 2]> {
    let way = [to[0] - from[0], to[1] - from[1]];
    let length = way[0].hypot(way[1]);
    (length > 0.0).then(|| way.map(|value| value / length))
}

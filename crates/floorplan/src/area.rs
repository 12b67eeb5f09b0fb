//! Areas in the plane, based on geo, and the conversion of shapes to areas.

use std::sync::Arc;
use waymesh_core::{float, saturating_u32};

use geo::algorithm::concave_hull::ConcaveHullOptions;
use geo::buffer::{BufferStyle, LineCap, LineJoin};
use geo::{
    Area as _, BoundingRect, Buffer, ConcaveHull, ConvexHull, Distance, Euclidean, LineString, MultiPoint,
    MultiPolygon, Point, Polygon, Rect,
};

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;

use crate::plan::Extent;
use crate::{Fill, NoteKind, Outline, PlanConfig, PlanError, PlanNote, PlanPosition, Shape, tangle};

/// Largest coordinate in metres. The grid holds 2^30 cells per side, of 1 mm unless the plan is
/// larger.
pub(crate) const MAX_COORDINATE: f64 = 1e7;

/// An area below this, in square metres, is a rounding error.
const NO_AREA: f64 = 1e-9;

/// An area of the plane: polygons with holes that do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region(pub(crate) MultiPolygon<f64>);

impl Region {
    pub(crate) fn empty() -> Self {
        Self(MultiPolygon::new(Vec::new()))
    }

    pub(crate) fn rectangle([min, max]: Extent) -> Self {
        Self(MultiPolygon::new(vec![Rect::new(min, max).to_polygon()]))
    }

    pub(crate) fn polygon(points: &[PlanPosition]) -> Self {
        let ring = LineString::from_iter(points.iter().copied());
        Self(MultiPolygon::new(vec![Polygon::new(ring, Vec::new())])).filled(Fill::NonZero)
    }

    pub(crate) fn area(&self) -> f64 {
        self.0.unsigned_area()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    pub(crate) fn extent(&self) -> Option<Extent> {
        let bounds = self.0.bounding_rect()?;
        Some([bounds.min().into(), bounds.max().into()])
    }

    /// Returns the distance of a place from it: 0 inside.
    pub(crate) fn distance(&self, place: PlanPosition) -> f64 {
        Euclidean.distance(&Point::from(place), &self.0)
    }

    /// Returns the same set as polygons that do not cross themselves.
    fn filled(&self, fill: Fill) -> Self {
        let rule = match fill {
            Fill::NonZero => FillRule::NonZero,
            Fill::EvenOdd => FillRule::EvenOdd,
        };
        // The overlay does not accept rings with fewer than three corners.
        self.overlaid(&Self::empty(), OverlayRule::Subject, rule)
    }

    /// Returns the union of regions.
    pub(crate) fn union<'a>(regions: impl IntoIterator<Item = &'a Self>) -> Self {
        // All polygons have the same winding, so the non-zero rule fills the union in one pass.
        let polygons = regions.into_iter().flat_map(|region| region.0.0.iter().cloned()).collect();
        Self(MultiPolygon::new(polygons)).filled(Fill::NonZero)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        self.overlaid(other, OverlayRule::Difference, FillRule::NonZero)
    }

    pub(crate) fn within(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::empty();
        }
        self.overlaid(other, OverlayRule::Intersect, FillRule::NonZero)
    }

    /// An overlay as in `geo::BooleanOps`, except for one option. geo requests rings that touch
    /// neither themselves nor each other, which gave wrong areas where rings cross in a point
    /// (i_overlay 4.5.2, random rings that cross themselves).
    fn overlaid(&self, other: &Self, rule: OverlayRule, fill: FillRule) -> Self {
        let (subject, clip) = (self.rings(), other.rings());
        if subject.is_empty() {
            return Self::empty();
        }
        let shapes = FloatOverlay::with_subj_and_clip(&subject, &clip).overlay(rule, fill);
        let polygon = |shape: Vec<Vec<PlanPosition>>| {
            let mut rings = shape.into_iter().map(LineString::from_iter);
            Some(Polygon::new(rings.next()?, rings.collect()))
        };
        Self(MultiPolygon::new(shapes.into_iter().filter_map(polygon).collect()))
    }

    /// All rings with at least three corners, without the repeated first point.
    pub(crate) fn rings(&self) -> Vec<Vec<PlanPosition>> {
        rings(&self.0).map(|ring| corners(ring).collect()).filter(|ring: &Vec<_>| ring.len() > 2).collect()
    }
}

/// Returns the outer rings and the holes of polygons.
pub(crate) fn rings(polygons: &MultiPolygon) -> impl Iterator<Item = &LineString> {
    polygons.iter().flat_map(|polygon| std::iter::once(polygon.exterior()).chain(polygon.interiors()))
}

/// Returns the corners of a closed ring, without the repeated one.
pub(crate) fn corners(ring: &LineString) -> impl Iterator<Item = PlanPosition> {
    ring.coords().skip(1).map(|&point| point.into())
}

/// Converts shapes to regions, and collects notes on repairs.
pub(crate) struct Cleaner<'a> {
    arc_error: f64,
    /// Walls are at least as thick, so that rounding to the grid does not open them.
    min_width: f64,
    notes: &'a mut Vec<PlanNote>,
}

/// Least thickness of a wall in cells: rounding moves each of its sides by up to 0.71 cells.
const MIN_WALL_CELLS: f64 = 2.0;

impl<'a> Cleaner<'a> {
    pub(crate) fn new(config: &PlanConfig, notes: &'a mut Vec<PlanNote>) -> Self {
        Self { arc_error: config.arc_error, min_width: MIN_WALL_CELLS * config.cell_size, notes }
    }

    /// Returns the area of a shape, without crossings, for any winding of its rings.
    pub(crate) fn region(&mut self, shape: &Shape) -> Result<Region, PlanError> {
        let region = match &shape.outline {
            Outline::Polygon { outer, holes } => self.polygon(shape, outer, holes)?,
            Outline::Loops { loops, fill } => {
                let mut rings = Vec::with_capacity(loops.len());
                for points in loops {
                    rings.push(Polygon::new(self.ring(shape, points, None)?, Vec::new()));
                }
                tangle::check_lines(&shape.source, rings.iter().map(Polygon::exterior))?;
                Region(MultiPolygon::new(rings)).filled(*fill)
            }
            Outline::Wall { line, width } => {
                check_positive(&shape.source, "width", *width)?;
                let line = self.ring(shape, line, None)?;
                if line.0.len() < 2 {
                    self.note(shape, NoteKind::NoArea);
                    return Ok(Region::empty());
                }
                tangle::check_lines(&shape.source, [&line])?;
                let style = BufferStyle::new(width.max(self.min_width) / 2.0)
                    .line_cap(LineCap::Square)
                    .line_join(LineJoin::Miter(WALL_MITER));
                Region(line.buffer_with_style(style))
            }
            Outline::Disc { centre, radius } => {
                check_positive(&shape.source, "radius", *radius)?;
                check_point(&shape.source, "centre", *centre)?;
                disc(*centre, *radius, self.arc_error)
            }
            Outline::ConvexHull { points } => {
                let points = self.points(shape, points)?;
                Region(MultiPolygon::new(vec![points.convex_hull()])).filled(Fill::NonZero)
            }
            Outline::ConcaveHull { points, concavity } => {
                check_positive(&shape.source, "concavity", *concavity)?;
                let points = self.points(shape, points)?;
                let options = ConcaveHullOptions::default().concavity(*concavity);
                let hull = if points.0.len() < 4 {
                    points.convex_hull()
                } else {
                    points.concave_hull_with_options(options)
                };
                Region(MultiPolygon::new(vec![hull])).filled(Fill::NonZero)
            }
        };
        if region.area() < NO_AREA {
            self.note(shape, NoteKind::NoArea);
            return Ok(Region::empty());
        }
        Ok(region)
    }

    fn polygon(
        &mut self,
        shape: &Shape,
        outer: &[PlanPosition],
        holes: &[Vec<PlanPosition>],
    ) -> Result<Region, PlanError> {
        let ring = Polygon::new(self.ring(shape, outer, None)?, Vec::new());
        tangle::check_lines(&shape.source, [ring.exterior()])?;
        let signed_area = ring.unsigned_area();
        let region = Region(MultiPolygon::new(vec![ring])).filled(Fill::NonZero);
        let area = region.area();
        if area > NO_AREA && (area - signed_area).abs() > NO_AREA + 1e-6 * area {
            self.note(shape, NoteKind::CrossedItself { area, signed_area });
        }
        let mut regions = Vec::with_capacity(holes.len());
        for (index, hole) in holes.iter().enumerate() {
            let ring = Polygon::new(self.ring(shape, hole, Some(index))?, Vec::new());
            tangle::check_lines(&shape.source, [ring.exterior()])?;
            let hole = Region(MultiPolygon::new(vec![ring])).filled(Fill::NonZero);
            if hole.area() < NO_AREA {
                self.note(shape, NoteKind::HoleWithoutArea { hole: index });
            } else {
                regions.push((index, hole));
            }
        }
        if regions.is_empty() {
            return Ok(region);
        }
        check_crossings(&shape.source, regions.iter().map(|(_, hole)| hole).chain([&region]))?;
        let all = Region::union(regions.iter().map(|(_, hole)| hole));
        let left = region.minus(&all);
        // Only if some hole is not completely inside, find out which.
        if (area - left.area() - all.area()).abs() > NO_AREA + 1e-9 * area {
            for (hole, ring) in &regions {
                if region.within(ring).area() < NO_AREA {
                    self.note(shape, NoteKind::HoleOutside { hole: *hole });
                }
            }
        }
        Ok(left)
    }

    fn note(&mut self, shape: &Shape, kind: NoteKind) {
        self.notes.push(PlanNote { element: shape.source.clone(), kind });
    }

    fn points(&self, shape: &Shape, points: &[PlanPosition]) -> Result<MultiPoint<f64>, PlanError> {
        for (index, point) in points.iter().enumerate() {
            check_point(&shape.source, &format!("point {index}"), *point)?;
        }
        Ok(points.iter().map(|&[x, z]| Point::new(x, z)).collect())
    }

    /// Returns a line without repeated points.
    fn ring(
        &mut self,
        shape: &Shape,
        points: &[PlanPosition],
        hole: Option<usize>,
    ) -> Result<LineString<f64>, PlanError> {
        for (index, point) in points.iter().enumerate() {
            let name = match hole {
                Some(hole) => format!("point {index} of hole {hole}"),
                None => format!("point {index}"),
            };
            check_point(&shape.source, &name, *point)?;
        }
        let mut ring = points.to_vec();
        ring.dedup();
        if ring.len() < points.len() {
            self.note(shape, NoteKind::RepeatedPoints { points: points.len() - ring.len() });
        }
        Ok(LineString::from_iter(ring))
    }
}

/// Smallest angle of a corner of a wall, in radians, that is not cut off.
const WALL_MITER: f64 = 0.5;

/// Largest number of corners of a circle.
const MAX_CORNERS: f64 = 256.0;

/// Returns the largest angle of an arc's chords, in radians, with which they are at most `error`
/// inside.
pub(crate) fn arc_angle(radius: f64, error: f64) -> f64 {
    let cosine = (1.0 - error / radius).clamp(0.0, 1.0);
    (2.0 * float::acos(cosine)).clamp(std::f64::consts::TAU / MAX_CORNERS, std::f64::consts::FRAC_PI_4)
}

/// A regular polygon around a disc, which contains the disc.
fn disc(centre: PlanPosition, radius: f64, error: f64) -> Region {
    let corners = (std::f64::consts::TAU / arc_angle(radius, error)).ceil();
    let step = std::f64::consts::TAU / corners;
    let outer = radius / float::cos(step / 2.0);
    let points: Vec<PlanPosition> = (0..saturating_u32(corners))
        .map(|corner| {
            let (sin, cos) = float::sin_cos(f64::from(corner) * step);
            [centre[0] + outer * cos, centre[1] + outer * sin]
        })
        .collect();
    Region::polygon(&points)
}

fn check_positive(element: &Arc<str>, field: &str, value: f64) -> Result<(), PlanError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    let (element, field) = (element.clone(), field.to_owned());
    Err(PlanError::BadNumber { element, field, value, expected: "finite and above 0" })
}

pub(crate) fn check_point(element: &Arc<str>, name: &str, point: PlanPosition) -> Result<(), PlanError> {
    for (axis, value) in ["x", "z"].into_iter().zip(point) {
        let (element, field) = (element.clone(), format!("{axis} of {name}"));
        if !value.is_finite() {
            return Err(PlanError::BadNumber { element, field, value, expected: "finite" });
        }
        if value.abs() > MAX_COORDINATE {
            return Err(PlanError::TooFar { element, field, value, limit: MAX_COORDINATE });
        }
    }
    Ok(())
}

/// Checks areas that will be united or subtracted, as [`tangle::check_lines`] does for lines.
pub(crate) fn check_crossings<'a>(
    element: &Arc<str>,
    regions: impl IntoIterator<Item = &'a Region>,
) -> Result<(), PlanError> {
    tangle::check_lines(element, regions.into_iter().flat_map(|region| rings(&region.0)))
}

//! DXF drawings. Closed polylines and circles are shapes, lines and open polylines are walls. Their
//! layers tell their kind, and their area by [`super::LayerAreas`].

use std::collections::BTreeSet;
use waymesh_core::float;

use dxf::Drawing;
use dxf::entities::{Entity, EntityType};

use super::{Reader, Role, role};
use crate::{FloorPlan, NoteKind, Outline, PlanError, PlanPosition};

pub(super) fn parse(reader: &Reader<'_>, mut bytes: &[u8]) -> Result<FloorPlan, PlanError> {
    let drawing = Drawing::load(&mut bytes).map_err(|error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    let mut ignored = BTreeSet::new();
    for (index, entity) in drawing.entities().enumerate() {
        let layer = &entity.common.layer;
        let area = reader.options.layer_areas.as_ref().and_then(|areas| (areas.0)(layer));
        let kind = role(layer).or(area.is_some().then_some(Role::Mark));
        match (kind, outline(reader, entity)) {
            (Some(Role::Door), _) => {
                ignored.insert(format!("layer {layer:?} (doors are read from TOML, GeoJSON, WKT and SVG)"));
            }
            (Some(Role::Mark), _) if area.is_none() => {
                ignored.insert(format!("layer {layer:?}: no area is given for its marks"));
            }
            (Some(kind), Some(outline)) => {
                let is_wall = kind != Role::Mark && matches!(outline, Outline::Wall { .. });
                let kind = if is_wall { Role::Blocked } else { kind };
                let element = format!("entity {index} on layer {layer:?}");
                let area = reader.area(&mut plan, &element, kind, area.as_deref())?;
                reader.add(&mut plan, None, (kind, area), &element, outline);
            }
            (None, Some(_)) => {
                ignored.insert(format!("layer {layer:?}, whose name has no word such as floor or wall,"));
            }
            (_, None) => {
                ignored.insert(format!("layer {layer:?}: what is no line, polyline or circle"));
            }
        }
    }
    for what in ignored {
        reader.note(&mut plan, "drawing", NoteKind::Ignored { what });
    }
    Ok(plan)
}

/// Returns the area or wall of an entity.
fn outline(reader: &Reader<'_>, entity: &Entity) -> Option<Outline> {
    let width = reader.options.wall_width;
    let from_points = |points: Vec<(PlanPosition, f64)>, closed: bool| {
        let mut outer = bulged(&points, closed);
        if closed && outer.len() > 2 {
            Outline::Polygon { outer, holes: Vec::new() }
        } else {
            if closed && let Some(&first) = outer.first() {
                outer.push(first);
            }
            Outline::Wall { line: outer, width }
        }
    };
    match &entity.specific {
        EntityType::LwPolyline(line) => {
            let points = line.vertices.iter().map(|vertex| (reader.north(vertex.x, vertex.y), vertex.bulge));
            Some(from_points(points.collect(), line.flags & 1 != 0))
        }
        EntityType::Polyline(line) => {
            let points = line
                .vertices()
                .map(|vertex| (reader.north(vertex.location.x, vertex.location.y), vertex.bulge));
            Some(from_points(points.collect(), line.flags & 1 != 0))
        }
        EntityType::Line(line) => {
            let line = vec![reader.north(line.p1.x, line.p1.y), reader.north(line.p2.x, line.p2.y)];
            Some(Outline::Wall { line, width })
        }
        EntityType::Circle(circle) => Some(Outline::Disc {
            centre: reader.north(circle.center.x, circle.center.y),
            radius: circle.radius * reader.options.scale,
        }),
        _ => None,
    }
}

/// Number of chords of a full circle.
const CHORDS: f64 = 48.0;

/// Returns the points of a polyline, with its arcs as chords. A bulge is the tangent of a quarter
/// of the arc's angle, positive to the left in the file, where y points the other way.
fn bulged(points: &[(PlanPosition, f64)], closed: bool) -> Vec<PlanPosition> {
    let mut out = Vec::with_capacity(points.len());
    for (index, &(from, bulge)) in points.iter().enumerate() {
        out.push(from);
        let next = points.get(index + 1).or(if closed { points.first() } else { None });
        let Some(&(to, _)) = next else { continue };
        let angle = 4.0 * float::atan(bulge);
        let chords = (angle.abs() / std::f64::consts::TAU * CHORDS).ceil();
        if !(angle.is_finite() && chords > 1.0) {
            continue;
        }
        // For a positive bulge the arc lies to the right of the chord, seen with y up. Here y is
        // mirrored.
        let chord = [to[0] - from[0], to[1] - from[1]];
        let middle = [f64::midpoint(from[0], to[0]), f64::midpoint(from[1], to[1])];
        let height = 0.5 / float::tan(angle / 2.0);
        let centre = [middle[0] + chord[1] * height, middle[1] - chord[0] * height];
        let arm = [from[0] - centre[0], from[1] - centre[1]];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "2 to 48")]
        let chords = chords as u32;
        for step in 1..chords {
            let (sin, cos) = float::sin_cos(-angle * f64::from(step) / f64::from(chords));
            out.push([centre[0] + arm[0] * cos - arm[1] * sin, centre[1] + arm[0] * sin + arm[1] * cos]);
        }
    }
    out
}

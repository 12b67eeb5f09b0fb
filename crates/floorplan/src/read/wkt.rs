//! Well-known text: one geometry per line, after an optional word `walkable`, which is the default,
//! `blocked`, `door` or `mark`, and an optional `area=NAME:COST`. `#` begins a comment.

use waymesh_core::AreaId;
use wkt::Wkt;
use wkt::types::{LineString, Polygon};

use super::{Reader, Role, WALKABLE_LINE, role};
use crate::{FloorPlan, Outline, PlanError, PlanPosition};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let mut plan = FloorPlan::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let element = format!("line {number}");
        let first = line.split_whitespace().next().unwrap_or("");
        let stated = role(first);
        let geometry = if stated.is_some() { line[first.len()..].trim_start() } else { line };
        let kind = stated.unwrap_or(Role::Walkable);
        let (area, geometry) = match geometry.strip_prefix("area=") {
            Some(rest) => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
            None => ("", geometry),
        };
        let area = reader.area(&mut plan, &element, kind, Some(area).filter(|area| !area.is_empty()))?;
        let depth = deepest(geometry);
        if depth > MOST_NESTED {
            let message = format!("line {number}: nested {depth} deep, the limit is {MOST_NESTED}");
            return Err(reader.fault(message));
        }
        let geometry: Wkt<f64> =
            geometry.parse().map_err(|error| reader.fault(format!("line {number}: {error}")))?;
        add(reader, &mut plan, (stated, area), &element, &geometry);
    }
    Ok(plan)
}

/// The parser calls itself for each level; a multi-polygon has three.
const MOST_NESTED: usize = 64;

/// Returns the nesting depth of the parentheses of a text.
fn deepest(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn add(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    (stated, area): (Option<Role>, AreaId),
    element: &str,
    geometry: &Wkt<f64>,
) {
    let kind = (stated.unwrap_or(Role::Walkable), area);
    let line = |line: &LineString<f64>| -> Vec<PlanPosition> {
        line.coords().iter().map(|point| reader.north(point.x, point.y)).collect()
    };
    let polygon = |polygon: &Polygon<f64>| {
        let mut rings = polygon.rings().iter().map(line);
        Outline::Polygon { outer: rings.next().unwrap_or_default(), holes: rings.collect() }
    };
    let add_line = |plan: &mut FloorPlan, element: &str, points: &LineString<f64>| {
        if stated == Some(Role::Walkable) {
            reader.ignored(plan, element, WALKABLE_LINE);
        }
        let kind = match kind.0 {
            Role::Mark | Role::Door => kind,
            Role::Walkable | Role::Blocked => (Role::Blocked, AreaId::GROUND),
        };
        let width = reader.options.wall_width;
        reader.add(plan, None, kind, element, Outline::Wall { line: line(points), width });
    };
    match geometry {
        Wkt::Polygon(one) => reader.add(plan, None, kind, element, polygon(one)),
        Wkt::MultiPolygon(many) => {
            for (index, one) in many.polygons().iter().enumerate() {
                reader.add(plan, None, kind, &format!("{element}, polygon {index}"), polygon(one));
            }
        }
        // A line is a wall, unless it is a mark or a door.
        Wkt::LineString(one) => add_line(plan, element, one),
        Wkt::MultiLineString(many) => {
            for (index, one) in many.line_strings().iter().enumerate() {
                add_line(plan, &format!("{element}, line {index}"), one);
            }
        }
        Wkt::MultiPoint(many) => {
            let points = many.points().iter().filter_map(|point| point.coord());
            let points = points.map(|point| reader.north(point.x, point.y)).collect();
            reader.add(plan, None, kind, element, Outline::ConvexHull { points });
        }
        Wkt::GeometryCollection(many) => {
            for (index, one) in many.geometries().iter().enumerate() {
                add(reader, plan, (stated, area), &format!("{element}, geometry {index}"), one);
            }
        }
        Wkt::Point(_) => reader.ignored(plan, element, "a point"),
    }
}

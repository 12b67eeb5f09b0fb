//! GeoJSON: polygons, walls as lines, hulls of points, discs and doors. The properties tell the
//! kind of a feature.

use geojson::{Feature, GeoJson, GeometryValue, JsonObject, JsonValue, Position};

use super::{Reader, Role, role};
use crate::{Door, FloorPlan, NoteKind, Outline, PlanError, PlanPosition};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file: GeoJson = text.parse().map_err(|error: geojson::Error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    match &file {
        GeoJson::Geometry(geometry) => {
            add(reader, &mut plan, "geometry", &Properties::default(), &geometry.value)?;
        }
        GeoJson::Feature(one) => feature(reader, &mut plan, "feature", one)?,
        GeoJson::FeatureCollection(many) => {
            for (index, one) in many.features.iter().enumerate() {
                feature(reader, &mut plan, &format!("feature {index}"), one)?;
            }
        }
    }
    Ok(plan)
}

/// The properties of a feature.
#[derive(Default)]
struct Properties<'a> {
    map: Option<&'a JsonObject>,
}

impl<'a> Properties<'a> {
    fn text(&self, key: &str) -> Option<&'a str> {
        self.map?.get(key)?.as_str()
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.map?.get(key).and_then(JsonValue::as_f64)
    }
}

fn feature(reader: &Reader<'_>, plan: &mut FloorPlan, element: &str, one: &Feature) -> Result<(), PlanError> {
    let Some(geometry) = &one.geometry else {
        reader.note(plan, element, NoteKind::Ignored { what: "a feature without geometry".into() });
        return Ok(());
    };
    let properties = Properties { map: one.properties.as_ref() };
    let element = match properties.text("name") {
        Some(name) => format!("{element} {name:?}"),
        None => element.to_owned(),
    };
    add(reader, plan, &element, &properties, &geometry.value)
}

fn add(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    geometry: &GeometryValue,
) -> Result<(), PlanError> {
    let kind = match properties.text("kind") {
        Some(kind) => Some(role(kind).ok_or_else(|| {
            reader.fault(format!("{element}: kind is {kind:?}, but must be walkable, blocked or door"))
        })?),
        None => None,
    };
    let scale = reader.options.scale;
    let storey = properties
        .text("storey")
        .map(|name| (name, properties.number("elevation").unwrap_or(reader.options.elevation)));
    let point = |position: &Position| match *position.as_slice() {
        [x, y, ..] => Ok(reader.north(x, y)),
        _ => Err(reader.fault(format!("{element}: a position has fewer than two numbers"))),
    };
    let line = |positions: &Vec<Position>| positions.iter().map(point).collect::<Result<Vec<_>, _>>();
    let width = properties.number("width").map_or(reader.options.wall_width, |width| width * scale);
    let polygon = |rings: &Vec<Vec<Position>>| -> Result<Outline, PlanError> {
        let mut rings = rings.iter().map(line).collect::<Result<Vec<_>, _>>()?.into_iter();
        Ok(Outline::Polygon { outer: rings.next().unwrap_or_default(), holes: rings.collect() })
    };
    let area = kind.unwrap_or(Role::Walkable);
    let wall = |plan: &mut FloorPlan, element: &str, points: Vec<PlanPosition>| {
        if kind == Some(Role::Door) {
            return door(reader, plan, storey, element, properties, &points);
        }
        reader.add(plan, storey, Role::Blocked, element, Outline::Wall { line: points, width });
        Ok(())
    };
    match geometry {
        GeometryValue::Polygon { coordinates } => {
            reader.add(plan, storey, area, element, polygon(coordinates)?);
        }
        GeometryValue::MultiPolygon { coordinates } => {
            for (index, one) in coordinates.iter().enumerate() {
                reader.add(plan, storey, area, &format!("{element}, polygon {index}"), polygon(one)?);
            }
        }
        GeometryValue::LineString { coordinates } => wall(plan, element, line(coordinates)?)?,
        GeometryValue::MultiLineString { coordinates } => {
            for (index, one) in coordinates.iter().enumerate() {
                wall(plan, &format!("{element}, line {index}"), line(one)?)?;
            }
        }
        GeometryValue::MultiPoint { coordinates } => {
            let points = line(coordinates)?;
            let outline = match properties.text("hull") {
                Some("concave") => {
                    let concavity = properties.number("concavity").unwrap_or(2.0);
                    Outline::ConcaveHull { points, concavity }
                }
                _ => Outline::ConvexHull { points },
            };
            reader.add(plan, storey, area, element, outline);
        }
        GeometryValue::Point { coordinates } => match properties.number("radius") {
            Some(radius) => {
                let centre = point(coordinates)?;
                reader.add(plan, storey, area, element, Outline::Disc { centre, radius: radius * scale });
            }
            None => {
                let what = "a point without radius".into();
                reader.note(plan, element, NoteKind::Ignored { what });
            }
        },
        GeometryValue::GeometryCollection { geometries } => {
            for (index, one) in geometries.iter().enumerate() {
                add(reader, plan, &format!("{element}, geometry {index}"), properties, &one.value)?;
            }
        }
    }
    Ok(())
}

/// Adds a door of two points.
fn door(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    storey: Option<(&str, f64)>,
    element: &str,
    properties: &Properties<'_>,
    points: &[PlanPosition],
) -> Result<(), PlanError> {
    let &[from, to] = points else {
        return Err(reader.fault(format!("{element}: a door has {} points, but must have 2", points.len())));
    };
    let (name, elevation) = storey.unwrap_or((&reader.options.storey, reader.options.elevation));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cost in metres; what does not fit is refused later"
    )]
    let cost = properties.number("cost").unwrap_or(0.0) as f32;
    let depth = properties.number("depth").map_or(Door::DEPTH, |depth| depth * reader.options.scale);
    let name_of_door = properties.text("name").unwrap_or(element).to_owned();
    plan.storey_mut(name, elevation).doors.push(Door { name: name_of_door, line: [from, to], depth, cost });
    Ok(())
}

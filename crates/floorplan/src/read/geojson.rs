//! GeoJSON: polygons, walls as lines, hulls of points, discs, doors, stairs, lifts and levels. The
//! properties tell the kind of a feature, or the members of IMDF where they fit
//! (<https://docs.ogc.org/cs/20-094/index.html>).

use geojson::{Feature, GeoJson, GeometryValue, JsonValue, Position};
use waymesh_core::AreaId;

use super::{Reader, Role, role};
use crate::{
    Door, FloorPlan, Landing, Lift, NoteKind, Outline, PlanError, PlanPosition, Stairs, Stop, Storey,
};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file: GeoJson = text.parse().map_err(|error: geojson::Error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    let features = match &file {
        GeoJson::Geometry(geometry) => {
            add(reader, &mut plan, "geometry", &Properties::default(), &geometry.value)?;
            return Ok(plan);
        }
        GeoJson::Feature(one) => std::slice::from_ref(one),
        GeoJson::FeatureCollection(many) => &many.features,
    };
    let is_one = matches!(file, GeoJson::Feature(_));
    // Levels go first: they tell the height of storeys that others name.
    for levels in [true, false] {
        for (index, one) in features.iter().enumerate() {
            let properties = Properties { feature: Some(one) };
            let element = if is_one { "feature".to_owned() } else { format!("feature {index}") };
            let element = match properties.text("name") {
                Some(name) => format!("{element} {name:?}"),
                None => element,
            };
            if (properties.kind() == Some("level")) == levels {
                feature(reader, &mut plan, &element, &properties, one)?;
                plan.check_storeys()?;
            }
        }
    }
    Ok(plan)
}

/// The properties of a feature.
#[derive(Default)]
struct Properties<'a> {
    feature: Option<&'a Feature>,
}

impl<'a> Properties<'a> {
    fn get(&self, key: &str) -> Option<&'a JsonValue> {
        self.feature?.properties.as_ref()?.get(key)
    }

    /// A text, or the first of those that IMDF gives in several languages.
    fn text(&self, key: &str) -> Option<&'a str> {
        match self.get(key)? {
            JsonValue::Object(languages) => languages.values().next()?.as_str(),
            other => other.as_str(),
        }
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.get(key).and_then(JsonValue::as_f64)
    }

    /// The kind, or the type that IMDF keeps beside the properties.
    fn kind(&self) -> Option<&'a str> {
        let member = || self.feature?.foreign_members.as_ref()?.get("feature_type")?.as_str();
        self.text("kind").or_else(member).or_else(|| self.text("feature_type"))
    }

    /// The storey that the feature names.
    fn storey(&self) -> Option<&'a str> {
        self.text("storey").or_else(|| self.text("level_id"))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cost in metres; what does not fit is refused later"
    )]
    fn cost(&self) -> f32 {
        self.number("cost").unwrap_or(0.0) as f32
    }
}

/// Categories of IMDF's units that nobody walks on.
const SOLID: [&str; 9] =
    ["brick", "column", "concrete", "drywall", "glass", "opentobelow", "structure", "vegetation", "wood"];

/// Types of IMDF that tell nothing about where one can walk.
const SILENT: [&str; 12] = [
    "address",
    "amenity",
    "anchor",
    "building",
    "detail",
    "facility",
    "footprint",
    "geofence",
    "occupant",
    "relationship",
    "section",
    "venue",
];

fn feature(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    one: &Feature,
) -> Result<(), PlanError> {
    let kind = properties.kind();
    if kind == Some("level") {
        return level(reader, plan, element, properties, one);
    }
    if let Some(kind) = kind.filter(|kind| SILENT.contains(kind)) {
        reader.note(plan, element, NoteKind::Ignored { what: format!("a feature of type {kind}") });
        return Ok(());
    }
    let Some(geometry) = &one.geometry else {
        reader.note(plan, element, NoteKind::Ignored { what: "a feature without geometry".into() });
        return Ok(());
    };
    match kind {
        Some("stairs" | "escalator" | "ramp") => stairs(reader, plan, element, properties, &geometry.value),
        Some("lift" | "elevator") => lift(reader, plan, element, properties, &geometry.value),
        _ => add(reader, plan, element, properties, &geometry.value),
    }
}

/// Adds a storey: `elevation` is its height, and its name is `storey`, the feature's id or `name`.
fn level(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    one: &Feature,
) -> Result<(), PlanError> {
    let id = match &one.id {
        Some(geojson::feature::Id::String(id)) => Some(id.as_str()),
        _ => None,
    };
    let name = properties.text("storey").or(id).or_else(|| properties.text("name"));
    let name = name.ok_or_else(|| reader.fault(format!("{element}: a level has no storey, id or name")))?;
    let elevation = properties
        .number("elevation")
        .ok_or_else(|| reader.fault(format!("{element}: a level has no elevation, in metres")))?;
    if plan.storeys.iter().any(|storey| storey.name == name) {
        return Err(PlanError::StoreyTwice { name: name.to_owned() });
    }
    plan.storeys.push(Storey::new(name, elevation));
    Ok(())
}

/// The points of a geometry that has them in one list.
fn line(reader: &Reader<'_>, element: &str, positions: &[Position]) -> Result<Vec<PlanPosition>, PlanError> {
    let point = |position: &Position| match *position.as_slice() {
        [x, y, ..] => Ok(reader.north(x, y)),
        _ => Err(reader.fault(format!("{element}: a position has fewer than two numbers"))),
    };
    positions.iter().map(point).collect()
}

/// Adds stairs: their first and their last step as two lines, or one line for both.
fn stairs(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    geometry: &GeometryValue,
) -> Result<(), PlanError> {
    let lines = match geometry {
        GeometryValue::LineString { coordinates } => vec![coordinates, coordinates],
        GeometryValue::MultiLineString { coordinates } => coordinates.iter().collect(),
        _ => Vec::new(),
    };
    let lines =
        lines.into_iter().map(|points| line(reader, element, points)).collect::<Result<Vec<_>, _>>()?;
    let [from, to] = &lines[..] else {
        return Err(reader.fault(format!("{element}: stairs are not two lines")));
    };
    let landing = |key: &str, points: &[PlanPosition]| match (properties.text(key), points) {
        (Some(storey), &[a, b]) => Ok(Landing { storey: storey.to_owned(), line: [a, b] }),
        (None, _) => Err(reader.fault(format!("{element}: stairs do not say {key} which storey"))),
        _ => Err(reader.fault(format!("{element}: a step has {} points, but must have 2", points.len()))),
    };
    plan.stairs.push(Stairs {
        name: properties.text("name").unwrap_or(element).to_owned(),
        from: landing("from", from)?,
        to: landing("to", to)?,
        cost: properties.cost(),
        both_ways: properties.get("one_way").and_then(JsonValue::as_bool) != Some(true),
    });
    Ok(())
}

/// Adds a lift: a point for each of its storeys, or one point for all.
fn lift(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    geometry: &GeometryValue,
) -> Result<(), PlanError> {
    let storeys: Vec<&str> = properties
        .get("storeys")
        .and_then(JsonValue::as_array)
        .map_or_else(Vec::new, |names| names.iter().filter_map(JsonValue::as_str).collect());
    let points = match geometry {
        GeometryValue::Point { coordinates } => {
            line(reader, element, &vec![coordinates.clone(); storeys.len()])?
        }
        GeometryValue::MultiPoint { coordinates } => line(reader, element, coordinates)?,
        _ => Vec::new(),
    };
    if points.len() != storeys.len() || points.len() < 2 {
        let (points, storeys) = (points.len(), storeys.len());
        return Err(reader.fault(format!(
            "{element}: a lift of {storeys} storeys and {points} points must have two or more, and as many"
        )));
    }
    let stops = storeys.into_iter().zip(points).map(|(storey, at)| Stop { storey: storey.to_owned(), at });
    let name = properties.text("name").unwrap_or(element).to_owned();
    plan.lifts.push(Lift { name, stops: stops.collect(), cost: properties.cost() });
    Ok(())
}

fn add(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    geometry: &GeometryValue,
) -> Result<(), PlanError> {
    let kind = match properties.kind() {
        Some("unit") if properties.text("category").is_some_and(|name| SOLID.contains(&name)) => {
            Some(Role::Blocked)
        }
        Some("unit") => Some(Role::Walkable),
        Some("opening") => Some(Role::Door),
        Some("fixture" | "kiosk") => Some(Role::Blocked),
        Some(kind) => Some(role(kind).ok_or_else(|| {
            reader.fault(format!(
                "{element}: kind is {kind:?}, but must be walkable, blocked, door, mark, stairs, lift or level"
            ))
        })?),
        None => None,
    };
    let scale = reader.options.scale;
    let storey = properties
        .storey()
        .map(|name| (name, properties.number("elevation").unwrap_or(reader.options.elevation)));
    let line = |positions: &[Position]| line(reader, element, positions);
    let width = properties.number("width").map_or(reader.options.wall_width, |width| width * scale);
    let polygon = |rings: &Vec<Vec<Position>>| -> Result<Outline, PlanError> {
        let mut rings = rings.iter().map(|ring| line(ring)).collect::<Result<Vec<_>, _>>()?.into_iter();
        Ok(Outline::Polygon { outer: rings.next().unwrap_or_default(), holes: rings.collect() })
    };
    let role = kind.unwrap_or(Role::Walkable);
    let area = (role, reader.area(plan, element, role, properties.text("area"))?);
    let wall = |plan: &mut FloorPlan, element: &str, points: Vec<PlanPosition>| {
        if kind == Some(Role::Door) {
            return door(reader, plan, storey, element, properties, &points);
        }
        let role = if role == Role::Mark { area } else { (Role::Blocked, AreaId::GROUND) };
        reader.add(plan, storey, role, element, Outline::Wall { line: points, width });
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
                let centre = line(std::slice::from_ref(coordinates))?[0];
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
    let cost = properties.cost();
    let depth = properties.number("depth").map_or(Door::DEPTH, |depth| depth * reader.options.scale);
    let name_of_door = properties.text("name").unwrap_or(element).to_owned();
    plan.storey_mut(name, elevation).doors.push(Door { name: name_of_door, line: [from, to], depth, cost });
    Ok(())
}

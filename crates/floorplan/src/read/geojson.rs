//! GeoJSON: polygons, walls as lines, hulls of points, discs, doors, stairs, lifts and levels. The
//! properties name the kind of a feature, or the members of IMDF where they fit
//! (<https://docs.ogc.org/cs/20-094/index.html>).

use std::borrow::Cow;

use geojson::{Feature, GeoJson, GeometryValue, JsonValue, Position};

use waymesh_core::AreaId;

use super::{DoorFields, Reader, Role, role};
use crate::{FloorPlan, Landing, Lift, NoteKind, Outline, PlanError, PlanPosition, Stairs, Stop, Storey};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file: GeoJson = text.parse().map_err(|error: geojson::Error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    let features = match &file {
        GeoJson::Geometry(geometry) => {
            let properties = Properties { reader, element: "geometry", feature: None };
            add(reader, &mut plan, "geometry", &properties, &geometry.value)?;
            return Ok(plan);
        }
        GeoJson::Feature(one) => std::slice::from_ref(one),
        GeoJson::FeatureCollection(many) => &many.features,
    };
    let is_one = matches!(file, GeoJson::Feature(_));
    if features.iter().any(is_of_osm) {
        return of_osm(reader, features);
    }
    // Levels go first: they have the height of storeys that others name.
    for levels in [true, false] {
        for (index, one) in features.iter().enumerate() {
            let element = if is_one { "feature".to_owned() } else { format!("feature {index}") };
            let named = one.properties.as_ref().and_then(|properties| name(properties.get("name")?));
            let element = match named {
                Some(name) => format!("{element} {name:?}"),
                None => element,
            };
            let properties = Properties { reader, element: &element, feature: Some(one) };
            if (properties.kind().as_deref() == Some("level")) == levels {
                feature(reader, &mut plan, &element, &properties, one)?;
                plan.check_storeys()?;
            }
        }
    }
    Ok(plan)
}

/// Returns `true` for a feature of Simple Indoor Tagging, as exports of OpenStreetMap have it: its
/// tags are properties, or together one property.
fn is_of_osm(feature: &Feature) -> bool {
    let properties = feature.properties.as_ref();
    let has = |properties: &geojson::JsonObject| properties.get("indoor").is_some_and(JsonValue::is_string);
    properties.is_some_and(|all| has(all) || all.get("tags").and_then(JsonValue::as_object).is_some_and(has))
}

#[cfg(not(feature = "osm"))]
fn of_osm(reader: &Reader<'_>, _features: &[Feature]) -> Result<FloorPlan, PlanError> {
    Err(PlanError::FeatureOff { file: reader.file.to_owned(), feature: "osm" })
}

/// Reads features as elements of OpenStreetMap.
#[cfg(feature = "osm")]
fn of_osm(reader: &Reader<'_>, features: &[Feature]) -> Result<FloorPlan, PlanError> {
    use super::osm::{Element, MapShape, plan};

    let point = |element: &str, position: &Position| match *position.as_slice() {
        [longitude, latitude, ..] => Ok([longitude, latitude]),
        _ => Err(reader.fault(format!("{element}: a position has fewer than two numbers"))),
    };
    let line = |element: &str, positions: &[Position]| -> Result<Vec<[f64; 2]>, PlanError> {
        positions.iter().map(|position| point(element, position)).collect()
    };
    // The first corner is repeated at the end.
    let ring = |element: &str, positions: &[Position]| {
        let last =
            positions.len() - usize::from(positions.len() > 1 && positions.first() == positions.last());
        line(element, &positions[..last])
    };
    let mut elements = Vec::new();
    for (index, feature) in features.iter().enumerate() {
        let (Some(properties), Some(geometry)) = (&feature.properties, &feature.geometry) else { continue };
        let tags = properties.get("tags").and_then(JsonValue::as_object).unwrap_or(properties);
        let tags: std::collections::BTreeMap<String, String> =
            tags.iter().filter_map(|(key, value)| Some((key.clone(), name(value)?.into_owned()))).collect();
        let element = match tags.get("name") {
            Some(name) => format!("feature {index} {name:?}"),
            None => format!("feature {index}"),
        };
        let shape = match &geometry.value {
            GeometryValue::Point { coordinates } => MapShape::Node(point(&element, coordinates)?),
            GeometryValue::LineString { coordinates } => MapShape::Line(line(&element, coordinates)?),
            GeometryValue::Polygon { coordinates } => {
                MapShape::Area(coordinates.iter().map(|one| ring(&element, one)).collect::<Result<_, _>>()?)
            }
            GeometryValue::MultiPolygon { coordinates } => {
                let rings = coordinates.iter().flatten();
                MapShape::Area(rings.map(|one| ring(&element, one)).collect::<Result<_, _>>()?)
            }
            _ => MapShape::Incomplete,
        };
        elements.push(Element { name: element, tags, shape });
    }
    plan(reader, &elements)
}

/// The properties of a feature.
struct Properties<'a> {
    reader: &'a Reader<'a>,
    element: &'a str,
    feature: Option<&'a Feature>,
}

impl<'a> Properties<'a> {
    fn get(&self, key: &str) -> Option<&'a JsonValue> {
        self.feature?.properties.as_ref()?.get(key)
    }

    /// A text, a number as text, or the first of the texts that IMDF gives in several languages.
    fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        name(self.get(key)?)
    }

    /// A number, also one that is written as text.
    fn number(&self, key: &str) -> Result<Option<f64>, PlanError> {
        let number = match self.get(key) {
            None | Some(JsonValue::Null) => return Ok(None),
            Some(JsonValue::String(text)) => text.trim().parse().ok().filter(|value: &f64| value.is_finite()),
            Some(other) => other.as_f64(),
        };
        number.map(Some).ok_or_else(|| self.wrong(key, "a number"))
    }

    /// A truth value, also one that is written as text. Missing ones are `false`.
    fn flag(&self, key: &str) -> Result<bool, PlanError> {
        match self.get(key) {
            None | Some(JsonValue::Null | JsonValue::Bool(false)) => Ok(false),
            Some(JsonValue::Bool(true)) => Ok(true),
            Some(JsonValue::String(text)) if text == "true" => Ok(true),
            Some(JsonValue::String(text)) if text == "false" => Ok(false),
            Some(_) => Err(self.wrong(key, "true or false")),
        }
    }

    /// The error for a property of another type.
    fn wrong(&self, key: &str, expected: &str) -> PlanError {
        let value = self.get(key).unwrap_or(&JsonValue::Null);
        self.reader.fault(format!("{}: {key} is {value}, but must be {expected}", self.element))
    }

    /// Returns the kind, or the type that IMDF stores outside of the properties.
    fn kind(&self) -> Option<Cow<'a, str>> {
        let member = || name(self.feature?.foreign_members.as_ref()?.get("feature_type")?);
        self.text("kind").or_else(member).or_else(|| self.text("feature_type"))
    }

    /// The storey that the feature names.
    fn storey(&self) -> Option<Cow<'a, str>> {
        self.text("storey").or_else(|| self.text("level_id"))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cost in metres; what does not fit is refused later"
    )]
    fn cost(&self) -> Result<f32, PlanError> {
        Ok(self.number("cost")?.unwrap_or(0.0) as f32)
    }
}

/// A text, a number as text, or the first of the texts in several languages.
fn name(value: &JsonValue) -> Option<Cow<'_, str>> {
    match value {
        JsonValue::Object(languages) => languages.values().next()?.as_str().map(Cow::Borrowed),
        JsonValue::Number(number) => Some(number.to_string().into()),
        other => other.as_str().map(Cow::Borrowed),
    }
}

/// Categories of IMDF's units that nobody walks on.
const SOLID: [&str; 9] =
    ["brick", "column", "concrete", "drywall", "glass", "opentobelow", "structure", "vegetation", "wood"];

/// Types of IMDF without meaning for walkable ground.
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
    let kind = kind.as_deref();
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

/// Adds a storey: `elevation` is its height, or its `ordinal` tells it, and its name is `storey`,
/// the feature's id or `name`.
fn level(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    one: &Feature,
) -> Result<(), PlanError> {
    let id = one.id.as_ref().map(|id| match id {
        geojson::feature::Id::String(id) => Cow::from(id),
        geojson::feature::Id::Number(id) => Cow::from(id.to_string()),
    });
    let name = properties.text("storey").or(id).or_else(|| properties.text("name"));
    let name = name.ok_or_else(|| reader.fault(format!("{element}: a level has no storey, id or name")))?;
    let elevation = match properties.number("elevation")? {
        None => properties.number("ordinal")?.map(|level| level * reader.options.storey_height),
        known => known,
    };
    let elevation = elevation.ok_or_else(|| {
        reader.fault(format!("{element}: a level has no elevation, in metres, and no ordinal"))
    })?;
    if plan.storeys.iter().any(|storey| storey.name == name) {
        return Err(PlanError::StoreyTwice { name: name.into_owned() });
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
        (Some(storey), &[a, b]) => Ok(Landing { storey: storey.into_owned(), line: [a, b] }),
        (None, _) => Err(reader.fault(format!("{element}: stairs do not say {key} which storey"))),
        _ => Err(reader.fault(format!("{element}: a step has {} points, but must have 2", points.len()))),
    };
    plan.stairs.push(Stairs {
        name: properties.text("name").unwrap_or(element.into()).into_owned(),
        from: landing("from", from)?,
        to: landing("to", to)?,
        cost: properties.cost()?,
        both_ways: !properties.flag("one_way")?,
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
    let storeys: Vec<Cow<'_, str>> = properties
        .get("storeys")
        .and_then(JsonValue::as_array)
        .map_or_else(Vec::new, |names| names.iter().filter_map(name).collect());
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
    let stops = storeys.into_iter().zip(points).map(|(storey, at)| Stop { storey: storey.into_owned(), at });
    let name = properties.text("name").unwrap_or(element.into()).into_owned();
    plan.lifts.push(Lift { name, stops: stops.collect(), cost: properties.cost()? });
    Ok(())
}

/// Returns the kind that another property gives to a feature without a kind: a wall must not become
/// ground. Of a name only the last word counts, as a room may be called after a wall.
fn kind_by_words(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    geometry: &GeometryValue,
) -> Option<Role> {
    let said = ["type", "class", "layer", "Layer", "name"]
        .into_iter()
        .filter_map(|property| Some((property, properties.text(property)?)))
        .find_map(|(property, value)| {
            let mut words = value.split(|letter: char| !letter.is_alphabetic());
            let last = words.rfind(|word| !word.is_empty()).unwrap_or_default();
            Some((property, role(if property == "name" { last } else { &value })?, value))
        });
    let (property, role, value) = said?;
    let is_kind = match (role, geometry) {
        (Role::Blocked, _) => true,
        (Role::Door, GeometryValue::LineString { coordinates }) => coordinates.len() == 2,
        (Role::Door, geometry) => matches!(geometry, GeometryValue::Polygon { .. }),
        (Role::Walkable | Role::Mark, _) => false,
    };
    is_kind.then(|| {
        let (value, kind) = (value.into_owned(), role.name());
        reader.note(plan, element, NoteKind::KindByWords { property, value, kind });
        role
    })
}

fn add(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    element: &str,
    properties: &Properties<'_>,
    geometry: &GeometryValue,
) -> Result<(), PlanError> {
    let kind = properties.kind();
    let kind = match kind.as_deref() {
        Some("unit") if properties.text("category").is_some_and(|name| SOLID.contains(&&*name)) => {
            Some(Role::Blocked)
        }
        Some("unit") => Some(Role::Walkable),
        Some("opening") => Some(Role::Door),
        Some("fixture" | "kiosk") => Some(Role::Blocked),
        Some(kind) => Some(reader.role(plan, element, &[kind]).ok_or_else(|| {
            reader.fault(format!(
                "{element}: kind is {kind:?}, but must be walkable, blocked, door, mark, stairs, lift or level"
            ))
        })?),
        None => kind_by_words(reader, plan, element, properties, geometry),
    };
    let scale = reader.scale;
    let storey = properties.storey();
    let elevation = properties.number("elevation")?.unwrap_or(reader.options.elevation);
    let storey = storey.as_deref().map(|name| (name, elevation));
    let line = |positions: &[Position]| line(reader, element, positions);
    let width = properties.number("width")?.map_or(reader.options.wall_width, |width| width * scale);
    let polygon = |rings: &Vec<Vec<Position>>| -> Result<Outline, PlanError> {
        let mut rings = rings.iter().map(|ring| line(ring)).collect::<Result<Vec<_>, _>>()?.into_iter();
        Ok(Outline::Polygon { outer: rings.next().unwrap_or_default(), holes: rings.collect() })
    };
    let role = kind.unwrap_or(Role::Walkable);
    // A number is the size of the feature.
    let area = properties.get("area").and_then(JsonValue::as_str);
    let area = reader.area(plan, element, role, area)?;
    let (name, cost) = (properties.text("name"), properties.cost()?);
    let depth = properties.number("depth")?.map(|depth| depth * scale);
    let add_area = |plan: &mut FloorPlan, element: &str, outline: Outline| match role {
        Role::Door => {
            let fields = DoorFields { name: name.as_deref(), depth, cost };
            reader.add_door(plan, storey, element, &outline, fields);
        }
        _ => reader.add(plan, storey, (role, area), element, outline),
    };
    let add_line = |plan: &mut FloorPlan, element: &str, points: Vec<PlanPosition>| {
        match (kind, points.len()) {
            (Some(Role::Door), 2) | (Some(Role::Mark), _) => {}
            (Some(Role::Door), count) => {
                return Err(reader.fault(format!("{element}: a door has {count} points, but must have 2")));
            }
            (Some(Role::Walkable), _) => {
                let what = "walkable, the kind of a line, which is read as a wall,".into();
                reader.note(plan, element, NoteKind::Ignored { what });
            }
            (Some(Role::Blocked) | None, _) => {}
        }
        let outline = Outline::Wall { line: points, width };
        match role {
            Role::Walkable => reader.add(plan, storey, (Role::Blocked, AreaId::GROUND), element, outline),
            _ => add_area(plan, element, outline),
        }
        Ok(())
    };
    match geometry {
        GeometryValue::Polygon { coordinates } => add_area(plan, element, polygon(coordinates)?),
        GeometryValue::MultiPolygon { coordinates } => {
            for (index, one) in coordinates.iter().enumerate() {
                add_area(plan, &format!("{element}, polygon {index}"), polygon(one)?);
            }
        }
        GeometryValue::LineString { coordinates } => add_line(plan, element, line(coordinates)?)?,
        GeometryValue::MultiLineString { coordinates } => {
            for (index, one) in coordinates.iter().enumerate() {
                add_line(plan, &format!("{element}, line {index}"), line(one)?)?;
            }
        }
        GeometryValue::MultiPoint { coordinates } => {
            let points = line(coordinates)?;
            let outline = match properties.text("hull").as_deref() {
                Some("concave") => {
                    let concavity = properties.number("concavity")?.unwrap_or(2.0);
                    Outline::ConcaveHull { points, concavity }
                }
                Some("convex") | None => Outline::ConvexHull { points },
                Some(_) => return Err(properties.wrong("hull", "convex or concave")),
            };
            add_area(plan, element, outline);
        }
        GeometryValue::Point { coordinates } => match properties.number("radius")? {
            Some(radius) => {
                let centre = line(std::slice::from_ref(coordinates))?[0];
                add_area(plan, element, Outline::Disc { centre, radius: radius * scale });
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

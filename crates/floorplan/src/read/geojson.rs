//! GeoJSON: polygons, walls as lines, hulls of points, discs, doors, stairs, lifts and levels. The
//! properties name the kind of a feature, or the members of IMDF where they fit
//! (<https://docs.ogc.org/cs/20-094/index.html>).

use std::borrow::Cow;

use geojson::{Feature, GeoJson, GeometryValue, JsonValue, Position};

use waymesh_core::{AreaId, nearest_f32};

use super::{DoorFields, Reader, Role, WALKABLE_LINE, role};
use crate::{FloorPlan, Landing, Lift, NoteKind, Outline, PlanError, PlanPosition, Stairs, Stop, Storey};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file: GeoJson = text.parse().map_err(|error: geojson::Error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    let features = match &file {
        GeoJson::Geometry(geometry) => {
            Item { reader, element: "geometry", feature: None }.add(&mut plan, &geometry.value)?;
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
            let item = Item { reader, element: &element, feature: Some(one) };
            if (item.kind().as_deref() == Some("level")) == levels {
                item.feature(&mut plan, one)?;
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

    // The first corner is repeated at the end.
    let ring = |element: &str, positions: &[Position]| {
        let last =
            positions.len() - usize::from(positions.len() > 1 && positions.first() == positions.last());
        pairs(reader, element, &positions[..last])
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
            GeometryValue::Point { coordinates } => MapShape::Node(pair(reader, &element, coordinates)?),
            GeometryValue::LineString { coordinates } => {
                MapShape::Line(pairs(reader, &element, coordinates)?)
            }
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

/// Returns the first two numbers of a position.
fn pair(reader: &Reader<'_>, element: &str, position: &Position) -> Result<[f64; 2], PlanError> {
    match *position.as_slice() {
        [x, y, ..] => Ok([x, y]),
        _ => Err(reader.fault(format!("{element}: a position has fewer than two numbers"))),
    }
}

fn pairs(reader: &Reader<'_>, element: &str, positions: &[Position]) -> Result<Vec<[f64; 2]>, PlanError> {
    positions.iter().map(|position| pair(reader, element, position)).collect()
}

/// A feature with its properties, or a part of its geometry.
#[derive(Clone, Copy)]
struct Item<'a> {
    reader: &'a Reader<'a>,
    element: &'a str,
    feature: Option<&'a Feature>,
}

impl<'a> Item<'a> {
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
        self.fault(&format!("{key} is {value}, but must be {expected}"))
    }

    /// Returns the kind, or the type that IMDF stores outside of the properties.
    fn kind(&self) -> Option<Cow<'a, str>> {
        let member = || name(self.feature?.foreign_members.as_ref()?.get("feature_type")?);
        self.text("kind").or_else(member).or_else(|| self.text("feature_type"))
    }

    /// A cost in metres. One that does not fit is refused later.
    fn cost(&self) -> Result<f32, PlanError> {
        Ok(nearest_f32(self.number("cost")?.unwrap_or(0.0)))
    }

    fn fault(&self, message: &str) -> PlanError {
        self.reader.fault(format!("{}: {message}", self.element))
    }

    fn ignored(&self, plan: &mut FloorPlan, what: impl Into<String>) {
        self.reader.ignored(plan, self.element, what);
    }

    fn feature(&self, plan: &mut FloorPlan, one: &Feature) -> Result<(), PlanError> {
        let kind = self.kind();
        let kind = kind.as_deref();
        if kind == Some("level") {
            return self.level(plan, one);
        }
        if let Some(kind) = kind.filter(|kind| SILENT.contains(kind)) {
            self.ignored(plan, format!("a feature of type {kind}"));
            return Ok(());
        }
        let Some(geometry) = &one.geometry else {
            self.ignored(plan, "a feature without geometry");
            return Ok(());
        };
        match kind {
            Some("stairs" | "escalator" | "ramp") => self.stairs(plan, &geometry.value),
            Some("lift" | "elevator") => self.lift(plan, &geometry.value),
            _ => self.add(plan, &geometry.value),
        }
    }

    /// Adds a storey: `elevation` is its height, or follows from its `ordinal`, and its name is
    /// `storey`, the feature's id or `name`.
    fn level(&self, plan: &mut FloorPlan, one: &Feature) -> Result<(), PlanError> {
        let id = one.id.as_ref().map(|id| match id {
            geojson::feature::Id::String(id) => Cow::from(id),
            geojson::feature::Id::Number(id) => Cow::from(id.to_string()),
        });
        let name = self.text("storey").or(id).or_else(|| self.text("name"));
        let name = name.ok_or_else(|| self.fault("a level has no storey, id or name"))?;
        let elevation = match self.number("elevation")? {
            None => self.number("ordinal")?.map(|level| level * self.reader.options.storey_height),
            known => known,
        };
        let elevation =
            elevation.ok_or_else(|| self.fault("a level has no elevation, in metres, and no ordinal"))?;
        plan.add_storey(Storey::new(name, elevation))
    }

    /// Returns the points of a list of positions.
    fn line(&self, positions: &[Position]) -> Result<Vec<PlanPosition>, PlanError> {
        let pairs = pairs(self.reader, self.element, positions)?;
        Ok(pairs.into_iter().map(|[x, y]| self.reader.north(x, y)).collect())
    }

    /// Returns the name of the feature, or what messages call it.
    fn name(&self) -> String {
        self.text("name").unwrap_or(self.element.into()).into_owned()
    }

    /// Adds stairs: their first and their last step as two lines, or one line for both.
    fn stairs(&self, plan: &mut FloorPlan, geometry: &GeometryValue) -> Result<(), PlanError> {
        let lines = match geometry {
            GeometryValue::LineString { coordinates } => vec![self.line(coordinates)?; 2],
            GeometryValue::MultiLineString { coordinates } => {
                coordinates.iter().map(|line| self.line(line)).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let [from, to] = &lines[..] else { return Err(self.fault("stairs are not two lines")) };
        let landing = |key: &str, points: &[PlanPosition]| match (self.text(key), points) {
            (Some(storey), &[a, b]) => Ok(Landing { storey: storey.into_owned(), line: [a, b] }),
            (None, _) => Err(self.fault(&format!("stairs do not say {key} which storey"))),
            _ => Err(self.fault(&format!("a step has {} points, but must have 2", points.len()))),
        };
        plan.stairs.push(Stairs {
            name: self.name(),
            from: landing("from", from)?,
            to: landing("to", to)?,
            cost: self.cost()?,
            both_ways: !self.flag("one_way")?,
        });
        Ok(())
    }

    /// Adds a lift: a point for each of its storeys, or one point for all.
    fn lift(&self, plan: &mut FloorPlan, geometry: &GeometryValue) -> Result<(), PlanError> {
        let names = self.get("storeys").and_then(JsonValue::as_array);
        let storeys: Vec<Cow<'_, str>> = names.into_iter().flatten().filter_map(name).collect();
        let points = match geometry {
            GeometryValue::Point { coordinates } => self.line(&vec![coordinates.clone(); storeys.len()])?,
            GeometryValue::MultiPoint { coordinates } => self.line(coordinates)?,
            _ => Vec::new(),
        };
        if points.len() != storeys.len() || points.len() < 2 {
            let (points, storeys) = (points.len(), storeys.len());
            return Err(self.fault(&format!(
                "a lift of {storeys} storeys and {points} points must have two or more, and as many"
            )));
        }
        let stops = storeys.into_iter().zip(points);
        let stops = stops.map(|(storey, at)| Stop { storey: storey.into_owned(), at }).collect();
        plan.lifts.push(Lift { name: self.name(), stops, cost: self.cost()? });
        Ok(())
    }

    /// Returns the kind that another property gives to a feature without a kind: a wall must not
    /// become ground. Of a name only the last word counts, as a room may be called after a wall.
    fn kind_by_words(&self, plan: &mut FloorPlan, geometry: &GeometryValue) -> Option<Role> {
        let said = ["type", "class", "layer", "Layer", "name"]
            .into_iter()
            .filter_map(|property| Some((property, self.text(property)?)))
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
            self.reader.note(plan, self.element, NoteKind::KindByWords { property, value, kind });
            role
        })
    }

    fn add(&self, plan: &mut FloorPlan, geometry: &GeometryValue) -> Result<(), PlanError> {
        let Self { reader, element, .. } = *self;
        let kind = match self.kind().as_deref() {
            Some("unit") if self.text("category").is_some_and(|name| SOLID.contains(&&*name)) => {
                Some(Role::Blocked)
            }
            Some("unit") => Some(Role::Walkable),
            Some("opening") => Some(Role::Door),
            Some("fixture" | "kiosk") => Some(Role::Blocked),
            Some(kind) => Some(reader.role(plan, element, &[kind]).ok_or_else(|| {
                let known = "walkable, blocked, door, mark, stairs, lift or level";
                self.fault(&format!("kind is {kind:?}, but must be {known}"))
            })?),
            None => self.kind_by_words(plan, geometry),
        };
        let role = kind.unwrap_or(Role::Walkable);
        let scale = reader.scale;
        let elevation = self.number("elevation")?.unwrap_or(reader.options.elevation);
        let storey = self.text("storey").or_else(|| self.text("level_id"));
        let storey = storey.as_deref().map(|name| (name, elevation));
        let width = self.number("width")?.map_or(reader.options.wall_width, |width| width * scale);
        // A number is the size of the feature.
        let area = self.get("area").and_then(JsonValue::as_str);
        let area = reader.area(plan, element, role, area)?;
        let (name, cost) = (self.text("name"), self.cost()?);
        let depth = self.number("depth")?.map(|depth| depth * scale);
        let polygon = |rings: &[Vec<Position>]| -> Result<Outline, PlanError> {
            let rings = rings.iter().map(|ring| self.line(ring)).collect::<Result<Vec<_>, _>>()?;
            let mut rings = rings.into_iter();
            Ok(Outline::Polygon { outer: rings.next().unwrap_or_default(), holes: rings.collect() })
        };
        let add_area = |plan: &mut FloorPlan, element: &str, outline: Outline| match role {
            Role::Door => {
                let fields = DoorFields { name: name.as_deref(), depth, cost };
                reader.add_door(plan, storey, element, &outline, fields);
            }
            _ => reader.add(plan, storey, (role, area), element, outline),
        };
        let add_line = |plan: &mut FloorPlan, element: &str, positions: &[Position]| {
            let line = self.line(positions)?;
            match (kind, line.len()) {
                (Some(Role::Door), count) if count != 2 => {
                    return Err(
                        reader.fault(format!("{element}: a door has {count} points, but must have 2"))
                    );
                }
                (Some(Role::Walkable), _) => {
                    reader.ignored(plan, element, WALKABLE_LINE);
                }
                _ => {}
            }
            let outline = Outline::Wall { line, width };
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
            GeometryValue::LineString { coordinates } => add_line(plan, element, coordinates)?,
            GeometryValue::MultiLineString { coordinates } => {
                for (index, one) in coordinates.iter().enumerate() {
                    add_line(plan, &format!("{element}, line {index}"), one)?;
                }
            }
            GeometryValue::MultiPoint { coordinates } => {
                let points = self.line(coordinates)?;
                let outline = match self.text("hull").as_deref() {
                    Some("concave") => {
                        let concavity = self.number("concavity")?.unwrap_or(2.0);
                        Outline::ConcaveHull { points, concavity }
                    }
                    Some("convex") | None => Outline::ConvexHull { points },
                    Some(_) => return Err(self.wrong("hull", "convex or concave")),
                };
                add_area(plan, element, outline);
            }
            GeometryValue::Point { coordinates } => match self.number("radius")? {
                Some(radius) => {
                    let [x, y] = pair(reader, element, coordinates)?;
                    let centre = reader.north(x, y);
                    add_area(plan, element, Outline::Disc { centre, radius: radius * scale });
                }
                None => self.ignored(plan, "a point without radius"),
            },
            GeometryValue::GeometryCollection { geometries } => {
                for (index, one) in geometries.iter().enumerate() {
                    let element = &format!("{element}, geometry {index}");
                    Item { element, ..*self }.add(plan, &one.value)?;
                }
            }
        }
        Ok(())
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

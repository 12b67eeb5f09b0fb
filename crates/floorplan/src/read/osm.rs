//! OpenStreetMap: rooms, corridors, walls, doors, steps and lifts by Simple Indoor Tagging
//! (<https://wiki.openstreetmap.org/wiki/Simple_Indoor_Tagging>), from `.osm` files and from GeoJSON.

use std::collections::{BTreeMap, HashMap};

use geo::{InteriorPoint, LineString, Polygon};
use waymesh_core::AreaId;

use super::{DoorFields, Reader, Role, middle};
use crate::plan::{direction, extent_of, length, way};
use crate::{
    Fill, FloorPlan, Landing, Lift, NoteKind, Outline, PlanError, PlanPosition, Shape, Stairs, Stop,
    TangentPlane,
};

/// Width of doors and of steps that have none in the file, in metres: a usual leaf, and steps for
/// two persons.
const DOOR_WIDTH: f64 = 0.9;
const STEPS_WIDTH: f64 = 1.5;

/// Most levels of an element. The highest building has 163.
const MOST_LEVELS: usize = 500;

/// A longitude and a latitude in degrees.
type Degrees = [f64; 2];

/// Name and height of a storey.
type Level = (String, f64);

/// An element of a map with its tags.
pub(super) struct Element {
    pub(super) name: String,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) shape: MapShape,
}

/// The shape of an element.
pub(super) enum MapShape {
    Node(Degrees),
    Line(Vec<Degrees>),
    /// Rings: what an odd number of them encloses.
    Area(Vec<Vec<Degrees>>),
    /// No shape that can be used.
    Incomplete,
}

impl MapShape {
    fn points(&self) -> Box<dyn Iterator<Item = &Degrees> + '_> {
        match self {
            Self::Node(at) => Box::new(std::iter::once(at)),
            Self::Line(points) => Box::new(points.iter()),
            Self::Area(rings) => Box::new(rings.iter().flatten()),
            Self::Incomplete => Box::new(std::iter::empty()),
        }
    }
}

impl Element {
    fn tag(&self, key: &str) -> Option<&str> {
        self.tags.get(key).map(String::as_str)
    }

    fn is(&self, key: &str, values: &[&str]) -> bool {
        self.tag(key).is_some_and(|value| values.contains(&value))
    }

    /// Returns `true` for what says that it is inside of a building. Doors need not: they are on its
    /// walls.
    fn is_indoor(&self) -> bool {
        let has = |key: &str| self.tags.contains_key(key);
        has("indoor") || ((has("door") || self.is_steps() || self.is_lift()) && has("level"))
    }

    fn is_door(&self) -> bool {
        self.tags.contains_key("door") || self.is("indoor", &["door"])
    }

    fn is_steps(&self) -> bool {
        self.is("highway", &["steps"]) || self.is("room", &["stairs"]) || self.is("stairs", &["yes"])
    }

    fn is_lift(&self) -> bool {
        self.is("highway", &["elevator"]) || self.is("room", &["elevator"])
    }

    fn label(&self) -> &str {
        self.tag("name").or_else(|| self.tag("ref")).unwrap_or(&self.name)
    }

    /// Returns the levels that the element is on, from the lowest: `0`, `0;1`, `-1-2`, `0.5`. None if
    /// it names none.
    fn levels(&self, reader: &Reader<'_>) -> Result<Vec<f64>, PlanError> {
        let mut levels = Vec::new();
        for key in ["level", "repeat_on"] {
            let Some(text) = self.tag(key) else { continue };
            let wrong = || {
                reader
                    .fault(format!("{}: {key} is {text:?}, but must be levels such as 0;1 or 0-2", self.name))
            };
            for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
                // The first letter may be the sign of a number.
                let dash = part.char_indices().skip(1).find(|&(_, letter)| letter == '-').map(|(at, _)| at);
                let number = |text: &str| {
                    text.trim().parse().ok().filter(|level: &f64| level.abs() < 1e4).ok_or_else(wrong)
                };
                let (low, high) = match dash {
                    Some(at) => (number(&part[..at])?, number(&part[at + 1..])?),
                    None => (number(part)?, number(part)?),
                };
                let (mut level, high) = (low.min(high), low.max(high));
                while level <= high && levels.len() <= MOST_LEVELS {
                    levels.push(level);
                    level += 1.0;
                }
            }
            if levels.len() > MOST_LEVELS {
                return Err(reader
                    .fault(format!("{}: {key} is {text:?}, the limit is {MOST_LEVELS} levels", self.name)));
            }
        }
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        Ok(levels)
    }
}

/// Cosine of the angle up to which two walls at a corner are one.
const SAME_DIRECTION: f64 = 0.999;

/// Distance in metres from a face of a wall at which ground beyond it is looked for.
const WALL_PROBE: f64 = 0.05;

/// A corner of rooms, where a door may be.
struct Corner {
    at: PlanPosition,
    /// Height of the storey.
    height: f64,
    /// The walls that begin there.
    walls: Vec<RoomWall>,
}

/// A wall that begins at a corner.
#[derive(Clone, Copy)]
struct RoomWall {
    /// Direction of length 1.
    along: PlanPosition,
    length: f64,
    /// Number of rooms that it belongs to.
    rooms: usize,
}

struct Builder<'r, 'a> {
    reader: &'r Reader<'a>,
    plan: FloorPlan,
    /// Elements outside of buildings.
    outside: usize,
    /// The corners of rooms, by storey and by their degrees in bits.
    corners: HashMap<[u64; 2], BTreeMap<String, Corner>>,
}

/// Makes a plan of the elements inside of buildings; the others are left out with a note.
pub(super) fn plan(reader: &Reader<'_>, elements: &[Element]) -> Result<FloorPlan, PlanError> {
    let (incomplete, elements): (Vec<&Element>, Vec<&Element>) =
        elements.iter().partition(|element| matches!(element.shape, MapShape::Incomplete));
    let indoor: Vec<&Element> = elements.iter().copied().filter(|element| element.is_indoor()).collect();
    let places = || indoor.iter().flat_map(|element| element.shape.points()).copied();
    let Some(origin) = reader.options.geo_origin.or_else(|| extent_of(places()).map(middle)) else {
        return Err(reader.fault("a map of OpenStreetMap without an element that has the tag `indoor`"));
    };
    places().try_for_each(|place| reader.check_near(origin, place))?;
    let reader = &Reader { scale: 1.0, plane: Some(TangentPlane::new(origin)), ..reader.clone() };
    let plan = FloorPlan { geo_origin: Some(origin), ..FloorPlan::default() };
    let outside = elements.iter().filter(|element| !element.is_indoor() && !element.is_door()).count();
    let mut builder = Builder { reader, plan, outside, corners: HashMap::new() };
    for element in indoor.iter().filter(|element| !element.is_door()) {
        builder.add(element)?;
        builder.plan.check_storeys()?;
    }
    // They look for walls.
    for element in elements.iter().filter(|element| element.is_door()) {
        builder.add_door(element)?;
    }
    let Builder { mut plan, outside, .. } = builder;
    for element in incomplete.iter().filter(|element| element.is_indoor()) {
        let what = "an element that is not whole, or no ring, in this file,";
        reader.ignored(&mut plan, &element.name, what);
    }
    if outside > 0 {
        let what = format!("{outside} elements outside of buildings or without a level");
        reader.ignored(&mut plan, "map", what);
    }
    if reader.options.geo_origin.is_none() {
        reader.note(&mut plan, "coordinates", NoteKind::Degrees { origin, is_guess: false });
    }
    Ok(plan)
}

impl Builder<'_, '_> {
    fn metres(&self, at: Degrees) -> PlanPosition {
        self.reader.north(at[0], at[1])
    }

    fn ring(&self, ring: &[Degrees]) -> Vec<PlanPosition> {
        ring.iter().map(|&at| self.metres(at)).collect()
    }

    /// Returns the names and heights of the storeys that an element is on.
    fn storeys(&self, element: &Element) -> Result<Vec<Level>, PlanError> {
        let options = self.reader.options;
        let levels = element.levels(self.reader)?;
        if levels.is_empty() {
            return Ok(vec![(options.storey.clone(), options.elevation)]);
        }
        Ok(levels.into_iter().map(|level| (level.to_string(), level * options.storey_height)).collect())
    }

    fn add(&mut self, element: &Element) -> Result<(), PlanError> {
        let storeys = self.storeys(element)?;
        let (is_room, is_open) =
            (element.is("indoor", &["room"]), element.is("indoor", &["area", "corridor"]));
        match &element.shape {
            _ if element.is("indoor", &["wall", "column", "pillar"]) => self.add_walls(element, &storeys),
            MapShape::Area(rings) if is_room || is_open => {
                for storey in &storeys {
                    self.add_ground(element, storey, rings, is_room);
                }
                self.add_ways(element, &storeys);
            }
            _ if element.is_steps() || element.is_lift() => self.add_ways(element, &storeys),
            _ => {
                let what =
                    format!("indoor={}, which is no ground,", element.tag("indoor").unwrap_or_default());
                self.ignored(element, what);
            }
        }
        Ok(())
    }

    fn ignored(&mut self, element: &Element, what: impl Into<String>) {
        self.reader.ignored(&mut self.plan, &element.name, what);
    }

    /// Returns the width of an element in metres.
    fn width(&mut self, element: &Element, default: f64) -> f64 {
        let Some(text) = element.tag("width") else { return default };
        let number = text.trim_end_matches('m').trim().parse().ok();
        number.filter(|width: &f64| *width > 0.0 && width.is_finite()).unwrap_or_else(|| {
            self.ignored(element, format!("width={text}, which is not in metres,"));
            default
        })
    }

    /// Adds the ground of a room, with walls around it, or of a corridor.
    fn add_ground(&mut self, element: &Element, storey: &Level, rings: &[Vec<Degrees>], has_walls: bool) {
        let loops: Vec<Vec<PlanPosition>> = rings.iter().map(|ring| self.ring(ring)).collect();
        for (ring, points) in rings.iter().zip(&loops).filter(|_| has_walls) {
            self.note_corners(storey, ring, points);
            let line = points.iter().chain(points.first()).copied().collect();
            let wall = Outline::Wall { line, width: self.reader.options.wall_width };
            self.put(element, storey, Role::Blocked, wall);
        }
        self.put(element, storey, Role::Walkable, Outline::Loops { loops, fill: Fill::EvenOdd });
    }

    /// Adds a shape of an element to one of its storeys.
    fn put(&mut self, element: &Element, (storey, height): &Level, role: Role, outline: Outline) {
        let storey = Some((storey.as_str(), *height));
        self.reader.add(&mut self.plan, storey, (role, AreaId::GROUND), &element.name, outline);
    }

    /// Remembers the walls at the corners of a room for doors.
    fn note_corners(&mut self, (storey, height): &Level, ring: &[Degrees], points: &[PlanPosition]) {
        let count = points.len();
        for (index, (&at, degrees)) in points.iter().zip(ring).enumerate() {
            let here = self.corners.entry(degrees.map(f64::to_bits)).or_default();
            let corner =
                here.entry(storey.clone()).or_insert(Corner { at, height: *height, walls: Vec::new() });
            for beside in [points[(index + count - 1) % count], points[(index + 1) % count]] {
                let wall = way(at, beside);
                let Some(along) = direction(wall) else { continue };
                match corner.walls.iter_mut().find(|known| dot(known.along, along) > SAME_DIRECTION) {
                    Some(known) => {
                        known.rooms += 1;
                        known.length = known.length.min(length(wall));
                    }
                    None => corner.walls.push(RoomWall { along, length: length(wall), rooms: 1 }),
                }
            }
        }
    }

    /// Returns the line of a door at a corner of rooms. It lies around the corner if one wall runs
    /// straight on and no other begins there, and otherwise in one wall that begins there: one with
    /// ground on both sides, if possible between a room and a corridor, and the longest of those.
    fn door_line(&self, storey: &str, corner: &Corner, width: f64) -> Option<[PlanPosition; 2]> {
        let on = |wall: &RoomWall, by: f64| [0, 1].map(|axis| corner.at[axis] + wall.along[axis] * by);
        if let [one, other] = &corner.walls[..]
            && dot(one.along, other.along) < -0.9
        {
            // Along both, where they are not quite in line.
            let along = direction(way(on(other, other.length), on(one, one.length)))?;
            let wall = RoomWall { along, ..*one };
            return Some([on(&wall, -width / 2.0), on(&wall, width / 2.0)]);
        }
        let jamb = self.reader.options.wall_width / 2.0;
        let ground = self.plan.storeys.iter().find(|floor| floor.name == storey).map(|floor| &floor.walkable);
        let is_ground = |at: PlanPosition| {
            let is_in =
                |shape: &Shape| matches!(&shape.outline, Outline::Loops { loops, .. } if has(loops, at));
            ground.is_some_and(|shapes| shapes.iter().any(is_in))
        };
        let line = |wall: &RoomWall| [jamb, (jamb + width).min(f64::max(wall.length - jamb, 2.0 * jamb))];
        let rank = |wall: &RoomWall| {
            let [from, to] = line(wall);
            let [x, z] = on(wall, f64::midpoint(from, to));
            let [across_x, across_z] = wall.along.map(|part| part * (jamb + WALL_PROBE));
            let leads = is_ground([x - across_z, z + across_x]) && is_ground([x + across_z, z - across_x]);
            (leads, wall.rooms == 1, to - from, wall.length)
        };
        let better = |a: &&RoomWall, b: &&RoomWall| {
            let ([a, b], end) = ([rank(a), rank(b)], |rank: (bool, bool, f64, f64)| (rank.0, rank.1));
            end(a).cmp(&end(b)).then(a.2.total_cmp(&b.2)).then(a.3.total_cmp(&b.3))
        };
        let wall = corner.walls.iter().rev().max_by(better)?;
        Some(line(wall).map(|by| on(wall, by)))
    }

    /// Adds walls along a line, or what is solid in an area.
    fn add_walls(&mut self, element: &Element, storeys: &[Level]) {
        let outline = match &element.shape {
            MapShape::Line(points) => Outline::Wall {
                line: self.ring(points),
                width: self.width(element, self.reader.options.wall_width),
            },
            MapShape::Area(rings) => Outline::Loops {
                loops: rings.iter().map(|ring| self.ring(ring)).collect(),
                fill: Fill::EvenOdd,
            },
            MapShape::Node(_) | MapShape::Incomplete => {
                return self.ignored(element, "a wall that is a point");
            }
        };
        for storey in storeys {
            self.put(element, storey, Role::Blocked, outline.clone());
        }
    }

    /// Adds a door: a point on the walls of rooms, on each storey where it is one, or a line.
    fn add_door(&mut self, element: &Element) -> Result<(), PlanError> {
        let storeys = self.storeys(element)?;
        let width = self.width(element, DOOR_WIDTH);
        let lines: Vec<(String, f64, [PlanPosition; 2])> = match &element.shape {
            MapShape::Node(at) => {
                let is_here = |storey: &String| {
                    !element.tags.contains_key("level") || storeys.iter().any(|(name, _)| name == storey)
                };
                let corners = self.corners.get(&at.map(f64::to_bits)).into_iter().flatten();
                let corners = corners.filter(|(storey, _)| is_here(storey));
                let line = |(storey, corner): (&String, &Corner)| {
                    Some((storey.clone(), corner.height, self.door_line(storey, corner, width)?))
                };
                corners.filter_map(line).collect()
            }
            MapShape::Line(points) if points.len() == 2 => {
                let line = [self.metres(points[0]), self.metres(points[1])];
                storeys.into_iter().map(|(storey, height)| (storey, height, line)).collect()
            }
            _ => Vec::new(),
        };
        if lines.is_empty() {
            if element.is_indoor() {
                self.ignored(element, "a door that is on the wall of no room");
            } else {
                self.outside += 1;
            }
        }
        for (storey, height, line) in lines {
            let outline = Outline::Wall { line: line.to_vec(), width: self.reader.options.wall_width };
            let fields = DoorFields { name: Some(element.label()), depth: None, cost: 0.0 };
            self.reader.add_door(&mut self.plan, Some((&storey, height)), &element.name, &outline, fields);
        }
        Ok(())
    }

    /// Adds the steps or the lift of an element that is on several storeys.
    fn add_ways(&mut self, element: &Element, storeys: &[Level]) {
        if !element.is_steps() && !element.is_lift() {
            return;
        }
        if storeys.len() < 2 {
            return self.ignored(element, "a lift or steps of one level");
        }
        for (storey, height) in storeys {
            self.plan.storey_mut(storey, *height);
        }
        let name = element.label().to_owned();
        if let (true, MapShape::Line(points)) = (element.is_steps(), &element.shape) {
            return self.add_steps(element, storeys, &self.ring(points));
        }
        let place = match &element.shape {
            MapShape::Node(at) => Some(self.metres(*at)),
            MapShape::Line(_) | MapShape::Incomplete => None,
            MapShape::Area(rings) => rings.first().and_then(|ring| inside(&self.ring(ring))),
        };
        let Some(at) = place else { return self.ignored(element, "a lift or steps without a place") };
        if element.is_lift() {
            let stops = storeys.iter().map(|(storey, _)| Stop { storey: storey.clone(), at });
            self.plan.lifts.push(Lift { name, stops: stops.collect(), cost: 0.0 });
            return;
        }
        // A staircase: from each landing to the one above it.
        let line = [[at[0] - 0.5, at[1]], [at[0] + 0.5, at[1]]];
        for pair in storeys.windows(2) {
            let [from, to] = [0, 1].map(|end: usize| Landing { storey: pair[end].0.clone(), line });
            self.plan.stairs.push(Stairs { name: name.clone(), from, to, cost: 0.0, both_ways: true });
        }
    }

    /// Adds steps along a line, which leads up unless it says `incline=down`.
    fn add_steps(&mut self, element: &Element, storeys: &[Level], points: &[PlanPosition]) {
        let half = self.width(element, STEPS_WIDTH) / 2.0;
        let step = |at: PlanPosition, along: PlanPosition| {
            let [x, z] = direction(along)?;
            Some([half, -half].map(|by| [at[0] - z * by, at[1] + x * by]))
        };
        let ([first, second, ..], [.., before, last]) = (points, points) else {
            return self.ignored(element, "steps of one point");
        };
        let (Some(begin), Some(end)) = (step(*first, way(*first, *second)), step(*last, way(*before, *last)))
        else {
            return self.ignored(element, "steps without a length");
        };
        let is_down =
            element.tag("incline").is_some_and(|incline| incline == "down" || incline.starts_with('-'));
        let (low, high) = (&storeys[0].0, &storeys[storeys.len() - 1].0);
        let (first, last) = if is_down { (high, low) } else { (low, high) };
        let mut landings =
            [(first, begin), (last, end)].map(|(storey, line)| Landing { storey: storey.clone(), line });
        if element.is("conveying", &["backward"]) {
            landings.reverse();
        }
        let [from, to] = landings;
        let both_ways = !element.is("conveying", &["forward", "backward"]);
        self.plan.stairs.push(Stairs { name: element.label().to_owned(), from, to, cost: 0.0, both_ways });
    }
}

/// Returns `true` if an odd number of rings encloses a place.
fn has(rings: &[Vec<PlanPosition>], at: PlanPosition) -> bool {
    let edges = rings.iter().flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)));
    let is_crossed = |(a, b): &(&PlanPosition, &PlanPosition)| {
        (a[1] > at[1]) != (b[1] > at[1]) && a[0] + (at[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) > at[0]
    };
    edges.filter(is_crossed).count() % 2 == 1
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Returns a place inside of a ring.
fn inside(ring: &[PlanPosition]) -> Option<PlanPosition> {
    let ring = LineString::from_iter(ring.iter().copied());
    Polygon::new(ring, Vec::new()).interior_point().map(PlanPosition::from)
}

/// Reads a file of OpenStreetMap: nodes, ways and multipolygons.
pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    reader.few_attributes(text)?;
    let document = roxmltree::Document::parse(text).map_err(|error| reader.fault(error.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "osm" {
        return Err(reader.fault(format!("the root is <{}>, but must be <osm>", root.tag_name().name())));
    }
    let children = |kind: &'static str| root.children().filter(move |node| node.tag_name().name() == kind);
    let mut nodes: HashMap<&str, Degrees> = HashMap::new();
    let mut ways: HashMap<&str, Vec<Degrees>> = HashMap::new();
    let mut elements = Vec::new();
    for node in children("node") {
        let number = |key: &str| {
            node.attribute(key).and_then(|text| text.parse().ok()).filter(|value: &f64| value.is_finite())
        };
        let id = node.attribute("id").unwrap_or_default();
        let (Some(longitude), Some(latitude)) = (number("lon"), number("lat")) else {
            return Err(reader.fault(format!("node {id}: lon and lat are not numbers")));
        };
        nodes.insert(id, [longitude, latitude]);
        elements.extend(element(node, MapShape::Node([longitude, latitude])));
    }
    for node in children("way") {
        let refs = node.children().filter(|child| child.tag_name().name() == "nd");
        let points: Option<Vec<Degrees>> =
            refs.map(|child| nodes.get(child.attribute("ref")?).copied()).collect();
        let Some(points) = points.filter(|points| !points.is_empty()) else {
            elements.extend(element(node, MapShape::Incomplete));
            continue;
        };
        let mut of_way = element(node, MapShape::Line(points.clone()));
        if let Some(element) = &mut of_way {
            let is_closed = points.len() > 3 && points.first() == points.last();
            let is_ground = element.is("indoor", &["room", "area", "corridor", "column", "pillar"]);
            if is_closed && (is_ground || element.is("area", &["yes"]) || element.is_lift()) {
                element.shape = MapShape::Area(vec![points[1..].to_vec()]);
            }
        }
        elements.extend(of_way);
        ways.insert(node.attribute("id").unwrap_or_default(), points);
    }
    for node in children("relation") {
        let Some(mut multipolygon) = element(node, MapShape::Incomplete) else { continue };
        if multipolygon.is("type", &["multipolygon"]) {
            let members = node.children().filter(|child| child.tag_name().name() == "member");
            let members = members.filter(|member| member.attribute("type") != Some("node"));
            let members: Option<Vec<_>> = members.map(|member| ways.get(member.attribute("ref")?)).collect();
            if let Some(rings) = members.and_then(rings) {
                multipolygon.shape = MapShape::Area(rings);
            }
            elements.push(multipolygon);
        }
    }
    plan(reader, &elements)
}

/// Returns an element; `None` for one without tags, which is a part of others.
fn element(node: roxmltree::Node<'_, '_>, shape: MapShape) -> Option<Element> {
    let tags = node.children().filter(|child| child.tag_name().name() == "tag");
    let tags: BTreeMap<String, String> = tags
        .filter_map(|tag| Some((tag.attribute("k")?.to_owned(), tag.attribute("v")?.to_owned())))
        .collect();
    let id = node.attribute("id").unwrap_or_default();
    let name = match tags.get("name").or_else(|| tags.get("ref")) {
        Some(name) => format!("{} {id} {name:?}", node.tag_name().name()),
        None => format!("{} {id}", node.tag_name().name()),
    };
    (!tags.is_empty()).then_some(Element { name, tags, shape })
}

/// Joins ways that share ends to rings; `None` if one does not close.
fn rings(mut ways: Vec<&Vec<Degrees>>) -> Option<Vec<Vec<Degrees>>> {
    let key = |at: &Degrees| at.map(f64::to_bits);
    ways.retain(|way| way.len() > 1);
    let mut at_end: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
    for (index, way) in ways.iter().enumerate() {
        for end in [&way[0], &way[way.len() - 1]] {
            at_end.entry(key(end)).or_default().push(index);
        }
    }
    let mut is_used = vec![false; ways.len()];
    let mut rings = Vec::new();
    for first in 0..ways.len() {
        if std::mem::replace(&mut is_used[first], true) {
            continue;
        }
        let mut ring = ways[first].clone();
        while key(&ring[0]) != key(&ring[ring.len() - 1]) {
            let end = ring[ring.len() - 1];
            let next = at_end.get_mut(&key(&end)).and_then(|indices| {
                loop {
                    let index = indices.pop()?;
                    if !std::mem::replace(&mut is_used[index], true) {
                        return Some(index);
                    }
                }
            });
            let way = ways[next?];
            if key(&way[0]) == key(&end) {
                ring.extend_from_slice(&way[1..]);
            } else {
                ring.extend(way.iter().rev().skip(1));
            }
        }
        ring.pop();
        if ring.len() < 3 {
            return None;
        }
        rings.push(ring);
    }
    Some(rings)
}

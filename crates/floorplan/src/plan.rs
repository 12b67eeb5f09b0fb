//! A floor plan as data: storeys of walkable and blocked shapes, doors, stairs and lifts.

use std::sync::Arc;

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{AreaError, AreaId, AreaTable, float};

use crate::{PlanError, PlanNote};

/// Six times the storeys of the highest building: names are looked up one by one.
const MOST_STOREYS: usize = 1_000;

/// A point of a plan in metres: x and z.
pub type PlanPosition = [f64; 2];

/// Returns the way from one position to another.
pub(crate) fn way(from: PlanPosition, to: PlanPosition) -> PlanPosition {
    [to[0] - from[0], to[1] - from[1]]
}

pub(crate) fn length([x, z]: PlanPosition) -> f64 {
    float::hypot(x, z)
}

/// Returns the direction of a way, as one of length 1.
pub(crate) fn direction(way: PlanPosition) -> Option<PlanPosition> {
    let length = length(way);
    (length > 0.0 && length.is_finite()).then(|| way.map(|value| value / length))
}

/// Smallest and largest coordinates.
pub(crate) type Extent = [PlanPosition; 2];

/// Returns the box around positions.
pub(crate) fn extent_of(positions: impl IntoIterator<Item = PlanPosition>) -> Option<Extent> {
    positions.into_iter().map(|at| [at; 2]).reduce(|[low, high], [at, _]| {
        [[low[0].min(at[0]), low[1].min(at[1])], [high[0].max(at[0]), high[1].max(at[1])]]
    })
}

/// `true` if two boxes have a point in common.
pub(crate) fn meet(a: Extent, b: Extent) -> bool {
    (0..2).all(|axis| a[0][axis] <= b[1][axis] && b[0][axis] <= a[1][axis])
}

/// A box extended on all sides.
pub(crate) fn grown([min, max]: Extent, by: f64) -> Extent {
    [min.map(|value| value - by), max.map(|value| value + by)]
}

/// A floor plan: the storeys of a building or of a level.
///
/// Coordinates are metres in the plane, x and z, as seen from above with x to the right and z
/// towards the viewer (down on a page). Readers of formats in which y points up use `z = -y`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloorPlan {
    /// Floors, in any order.
    pub storeys: Vec<Storey>,
    /// Stairs between two storeys, or between two places of one.
    pub stairs: Vec<Stairs>,
    /// Lifts.
    pub lifts: Vec<Lift>,
    /// The agent in the plan, if any.
    pub agent: AgentWish,
    /// Names and costs of the areas of its shapes.
    pub areas: AreaTable,
    /// Longitude and latitude in degrees of the position 0, 0, if the plan was read from degrees: see
    /// [`TangentPlane`](crate::TangentPlane).
    pub geo_origin: Option<[f64; 2]>,
    /// Notes of the reader.
    pub notes: Vec<PlanNote>,
}

/// Sizes of the agent as given by a plan file. Sizes that are not given are left to the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct AgentWish {
    /// Distance of the agent's centre from what is blocked, in metres.
    pub radius: Option<f32>,
    /// Height in metres.
    pub height: Option<f32>,
}

/// One floor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storey {
    /// Name, unique in the plan.
    pub name: String,
    /// Height of the floor in metres.
    pub elevation: f64,
    /// Walkable shapes. They may overlap.
    pub walkable: Vec<Shape>,
    /// Walls, furniture and other obstacles.
    pub blocked: Vec<Shape>,
    /// Openings in walls.
    pub doors: Vec<Door>,
    /// Shapes that give their area to the ground in them, whatever area it had, or cut it out with
    /// [`AreaId::NULL`]. Where several lie over each other, the last one counts.
    pub marks: Vec<Shape>,
}

impl Storey {
    /// An empty floor.
    #[must_use]
    pub fn new(name: impl Into<String>, elevation: f64) -> Self {
        Self { name: name.into(), elevation, ..Self::default() }
    }
}

/// A shape with an area in the plan, and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// File and element, for messages.
    pub source: Arc<str>,
    /// Its outline.
    pub outline: Outline,
    /// Area of its ground, for walkable shapes and marks. Where walkable shapes lie
    /// over each other, the largest id counts.
    pub area: AreaId,
}

impl Shape {
    /// Makes a shape of plain ground.
    #[must_use]
    pub fn new(source: impl Into<Arc<str>>, outline: Outline) -> Self {
        Self { source: source.into(), outline, area: AreaId::GROUND }
    }

    /// Sets the area.
    #[must_use]
    pub fn with_area(mut self, area: AreaId) -> Self {
        self.area = area;
        self
    }

    /// Makes a polygon without holes.
    #[must_use]
    pub fn polygon(source: impl Into<Arc<str>>, points: Vec<PlanPosition>) -> Self {
        Self::new(source, Outline::Polygon { outer: points, holes: Vec::new() })
    }

    /// Makes a disc of `radius` metres.
    #[must_use]
    pub fn disc(source: impl Into<Arc<str>>, centre: PlanPosition, radius: f64) -> Self {
        Self::new(source, Outline::Disc { centre, radius })
    }
}

/// Fill rule for the loops of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// Places that the loops enclose, in either direction: the winding number is not 0.
    #[default]
    NonZero,
    /// Places that an odd number of loops encloses.
    EvenOdd,
}

/// The outline of a shape. Rings may be open or closed (first point repeated), with either winding.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outline {
    /// A ring and the holes in it.
    Polygon {
        /// Outer border.
        outer: Vec<PlanPosition>,
        /// Borders of holes.
        holes: Vec<Vec<PlanPosition>>,
    },
    /// Loops of a drawing.
    Loops {
        /// All loops.
        loops: Vec<Vec<PlanPosition>>,
        /// The fill rule.
        fill: Fill,
    },
    /// A line as thick as a wall, with square ends.
    Wall {
        /// Its middle line.
        line: Vec<PlanPosition>,
        /// Its thickness in metres.
        width: f64,
    },
    /// A disc.
    Disc {
        /// Its centre.
        centre: PlanPosition,
        /// Its radius in metres.
        radius: f64,
    },
    /// The convex hull of points, such as the corners of a body projected to the floor (Romstöck,
    /// Define blocked areas).
    ConvexHull {
        /// The points.
        points: Vec<PlanPosition>,
    },
    /// A concave hull (Park and Oh 2012). The smaller `concavity`, the closer it follows the
    /// points; 2 is usual.
    ConcaveHull {
        /// The points.
        points: Vec<PlanPosition>,
        /// Largest depth of the hull inwards, relative to the length of an edge.
        concavity: f64,
    },
}

impl Outline {
    /// Returns the points that describe it.
    pub(crate) fn points(&self) -> Vec<PlanPosition> {
        match self {
            Self::Polygon { outer, holes } => outer.iter().chain(holes.iter().flatten()).copied().collect(),
            Self::Loops { loops, .. } => loops.concat(),
            Self::Wall { line: points, .. }
            | Self::ConvexHull { points }
            | Self::ConcaveHull { points, .. } => points.clone(),
            Self::Disc { centre, .. } => vec![*centre],
        }
    }

    /// The outline of a body seen from above: the convex hull of its corners, in world coordinates.
    /// The corners may be those of a bounding box, of a collision body or of a whole model.
    #[must_use]
    pub fn footprint(corners: &[Vec3]) -> Self {
        let points = corners.iter().map(|corner| corner.xz().as_dvec2().to_array()).collect();
        Self::ConvexHull { points }
    }

    /// A rectangle turned by `yaw` radians, from x towards z.
    #[must_use]
    pub fn rectangle(centre: PlanPosition, size: PlanPosition, yaw: f64) -> Self {
        let (sin, cos) = float::sin_cos(yaw);
        let corner = |x: f64, z: f64| {
            let (x, z) = (x * size[0] / 2.0, z * size[1] / 2.0);
            [centre[0] + x * cos - z * sin, centre[1] + x * sin + z * cos]
        };
        let outer = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Self::Polygon { outer, holes: Vec::new() }
    }
}

/// An opening in a wall. The ground is cut along its line, and a link leads across.
#[derive(Clone, Debug, PartialEq)]
pub struct Door {
    /// Name, for messages.
    pub name: String,
    /// From one jamb to the other. The door closes the whole of it, whatever doors lie over it; a part
    /// that lies on the line of another one belongs to the first of both.
    pub line: [PlanPosition; 2],
    /// Least depth of the opening in metres, half of it on either side of the line. The opening is
    /// walkable, and walls are cut there: through their whole thickness next to the jambs, up to 3 m
    /// on either side.
    pub depth: f64,
    /// Cost of passing, in metres, in addition to the length of the path.
    pub cost: f32,
}

impl Door {
    /// Makes a door from jamb to jamb, [`Door::DEPTH`] deep, that costs nothing to pass.
    #[must_use]
    pub fn new(name: impl Into<String>, line: [PlanPosition; 2]) -> Self {
        Self { name: name.into(), line, depth: Self::DEPTH, cost: 0.0 }
    }

    /// Default depth of doors, in metres.
    pub const DEPTH: f64 = 0.3;
}

/// An end of stairs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Landing {
    /// Name of the storey.
    pub storey: String,
    /// The edge of the first or last step, in the same direction as on the other landing.
    pub line: [PlanPosition; 2],
}

/// Stairs, an escalator or a ramp, from one line to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Stairs {
    /// Name, for messages.
    pub name: String,
    /// One end.
    pub from: Landing,
    /// The other.
    pub to: Landing,
    /// Cost in metres, in addition to the distance.
    pub cost: f32,
    /// `true` if they can be used in both directions.
    pub both_ways: bool,
}

impl Stairs {
    /// Returns the length of the shorter of their two lines, in metres.
    #[must_use]
    pub fn width(&self) -> f64 {
        let length = |Landing { line: [a, b], .. }: &Landing| float::hypot(b[0] - a[0], b[1] - a[1]);
        length(&self.from).min(length(&self.to))
    }
}

/// A place where a lift stops.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Stop {
    /// Name of the storey.
    pub storey: String,
    /// Waiting position of the agent.
    pub at: PlanPosition,
}

/// A lift: connects each stop with every other.
#[derive(Clone, Debug, PartialEq)]
pub struct Lift {
    /// Name, for messages.
    pub name: String,
    /// Its stops.
    pub stops: Vec<Stop>,
    /// Cost of a ride in metres, in addition to the distance.
    pub cost: f32,
}

impl FloorPlan {
    /// Returns the storey with this name, and adds it at this height if there is none.
    pub fn storey_mut(&mut self, name: &str, elevation: f64) -> &mut Storey {
        let index = self.storeys.iter().position(|storey| storey.name == name).unwrap_or_else(|| {
            self.storeys.push(Storey::new(name, elevation));
            self.storeys.len() - 1
        });
        &mut self.storeys[index]
    }

    /// Returns the box around all positions.
    pub(crate) fn extent(&self) -> Option<Extent> {
        let shapes = |storey: &Storey| {
            let shapes = storey.walkable.iter().chain(&storey.blocked).chain(&storey.marks);
            let lines = storey.doors.iter().flat_map(|door| door.line);
            shapes.flat_map(|shape| shape.outline.points()).chain(lines).collect::<Vec<_>>()
        };
        let landings =
            self.stairs.iter().flat_map(|stairs| [stairs.from.line, stairs.to.line].into_iter().flatten());
        let stops = self.lifts.iter().flat_map(|lift| lift.stops.iter().map(|stop| stop.at));
        extent_of(self.storeys.iter().flat_map(shapes).chain(landings).chain(stops))
    }

    /// Adds another plan. Storeys of the same name are merged, at the height of the first.
    ///
    /// # Errors
    /// - [`PlanError::TwoAgents`] if both name a size of the agent and differ;
    /// - [`PlanError::TwoOrigins`] if both were read from degrees, around two places;
    /// - [`PlanError::Area`] if both name an area and differ in its cost or colour, or if there are
    ///   too many areas.
    ///
    /// Nothing is added then. Areas of the same name become one, others get a new id if theirs is
    /// taken.
    pub fn merge(&mut self, mut other: Self) -> Result<(), PlanError> {
        let sizes = |plan: &Self| [("radius", plan.agent.radius), ("height", plan.agent.height)];
        for ((size, own), (_, others)) in sizes(self).into_iter().zip(sizes(&other)) {
            if let (Some(first), Some(second)) = (own, others)
                && first.total_cmp(&second).is_ne()
            {
                return Err(PlanError::TwoAgents { size, first, second });
            }
        }
        if let (Some(first), Some(second)) = (self.geo_origin, other.geo_origin)
            && first.map(f64::to_bits) != second.map(f64::to_bits)
        {
            return Err(PlanError::TwoOrigins { first, second });
        }
        self.merge_areas(&mut other)?;
        self.geo_origin = self.geo_origin.or(other.geo_origin);
        for storey in other.storeys {
            let own = self.storey_mut(&storey.name, storey.elevation);
            own.walkable.extend(storey.walkable);
            own.blocked.extend(storey.blocked);
            own.doors.extend(storey.doors);
            own.marks.extend(storey.marks);
        }
        self.stairs.extend(other.stairs);
        self.lifts.extend(other.lifts);
        self.notes.extend(other.notes);
        self.agent.radius = other.agent.radius.or(self.agent.radius);
        self.agent.height = other.agent.height.or(self.agent.height);
        Ok(())
    }

    /// Adds the areas of another plan, and gives its shapes the ids that they have here.
    fn merge_areas(&mut self, other: &mut Self) -> Result<(), PlanError> {
        let mut table = self.areas.clone();
        let mut ids = Vec::new();
        for (id, area) in other.areas.iter() {
            let element: Arc<str> = format!("area {:?}", area.name).into();
            let failed = |source| PlanError::Area { element: element.clone(), source };
            let own = match table.by_name(&area.name) {
                Some(own) if table.get(own) == Some(area) => own,
                Some(_) => return Err(failed(AreaError::SameName { name: area.name.clone() })),
                None if table.get(id).is_none() => {
                    table.insert(id, area.clone()).map_err(failed)?;
                    id
                }
                None => table.add(area.clone()).map_err(failed)?,
            };
            ids.push((id, own));
        }
        self.areas = table;
        for shape in
            other.storeys.iter_mut().flat_map(|storey| storey.walkable.iter_mut().chain(&mut storey.marks))
        {
            if let Some(&(_, own)) = ids.iter().find(|(id, _)| *id == shape.area) {
                shape.area = own;
            }
        }
        Ok(())
    }

    /// Checks the number of storeys.
    pub(crate) fn check_storeys(&self) -> Result<(), PlanError> {
        let (count, limit) = (self.storeys.len(), MOST_STOREYS);
        if count > limit { Err(PlanError::TooManyStoreys { count, limit }) } else { Ok(()) }
    }

    /// Returns the numbers of the doors of this name, of all storeys: `Link::data` of their links.
    pub fn door_numbers(&self, name: &str) -> impl Iterator<Item = u32> {
        let doors = (0..).zip(self.storeys.iter().flat_map(|storey| &storey.doors));
        doors.filter(move |(_, door)| &*door.name == name).map(|(number, _)| number)
    }

    /// Number of walkable and of blocked shapes.
    #[must_use]
    pub fn shape_counts(&self) -> (usize, usize) {
        self.storeys
            .iter()
            .fold((0, 0), |(a, b), storey| (a + storey.walkable.len(), b + storey.blocked.len()))
    }
}

//! A floor plan as data: storeys of walkable and blocked shapes, doors, stairs and lifts.

use std::sync::Arc;

use glam::{Vec3, Vec3Swizzles};

use crate::PlanNote;

/// A point of a plan in metres: x and z.
pub type PlanPosition = [f64; 2];

/// Floors of a building, or of a level.
///
/// Coordinates are metres in the plane, x and z, as seen from above with x to the right and z
/// towards the viewer (down on a page). Readers of formats with a y that points up turn it over: `z
/// = -y`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloorPlan {
    /// Floors, in any order.
    pub storeys: Vec<Storey>,
    /// Ways between two storeys, or between two places of one.
    pub stairs: Vec<Stairs>,
    /// Lifts.
    pub lifts: Vec<Lift>,
    /// The agent that the plan asks for, where it does.
    pub agent: AgentWish,
    /// What a reader found odd.
    pub notes: Vec<PlanNote>,
}

/// Sizes of the agent as a plan file gives them; what is not given is left to the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// Where an agent could walk. They may overlap.
    pub walkable: Vec<Shape>,
    /// Walls, furniture and whatever else stands in the way.
    pub blocked: Vec<Shape>,
    /// Openings in walls.
    pub doors: Vec<Door>,
}

impl Storey {
    /// An empty floor.
    #[must_use]
    pub fn new(name: impl Into<String>, elevation: f64) -> Self {
        Self { name: name.into(), elevation, ..Self::default() }
    }
}

/// Something with an area in the plan, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// File and element, for messages.
    pub source: Arc<str>,
    /// Its outline.
    pub outline: Outline,
}

impl Shape {
    /// A shape from somewhere.
    #[must_use]
    pub fn new(source: impl Into<Arc<str>>, outline: Outline) -> Self {
        Self { source: source.into(), outline }
    }

    /// A polygon without holes.
    #[must_use]
    pub fn polygon(source: impl Into<Arc<str>>, points: Vec<PlanPosition>) -> Self {
        Self::new(source, Outline::Polygon { outer: points, holes: Vec::new() })
    }
}

/// Which loops of a drawing are inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// What a loop winds round, in whatever direction.
    #[default]
    NonZero,
    /// What an odd number of loops lies round.
    EvenOdd,
}

/// How a shape is given. Rings may be open or closed (first point repeated), wound either way.
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
        /// Which of them are inside.
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
        /// Its middle.
        centre: PlanPosition,
        /// Its radius in metres.
        radius: f64,
    },
    /// The convex hull of points, such as a body's corners projected to the floor (Romstöck, Define
    /// blocked areas).
    ConvexHull {
        /// The points.
        points: Vec<PlanPosition>,
    },
    /// A hull that follows hollows: the smaller `concavity`, the closer; 2 is usual (Park and Oh
    /// 2012).
    ConcaveHull {
        /// The points.
        points: Vec<PlanPosition>,
        /// Longest way that the hull goes in, relative to the edge it goes in from.
        concavity: f64,
    },
}

impl Outline {
    /// The outline of a body seen from above: the convex hull of its corners. Bounding boxes,
    /// collision bodies and whole models will do, in world coordinates.
    #[must_use]
    pub fn footprint(corners: &[Vec3]) -> Self {
        let points = corners.iter().map(|corner| corner.xz().as_dvec2().to_array()).collect();
        Self::ConvexHull { points }
    }

    /// A rectangle turned by `yaw` radians, from x towards z.
    #[must_use]
    pub fn rectangle(centre: PlanPosition, size: PlanPosition, yaw: f64) -> Self {
        let (sin, cos) = yaw.sin_cos();
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
    /// From one jamb to the other.
    pub line: [PlanPosition; 2],
    /// How deep the opening is, in metres, half of it on either side of the line: so deep it is
    /// walkable, and walls are cut.
    pub depth: f64,
    /// What going through costs on top of the way, in metres.
    pub cost: f32,
}

impl Door {
    /// Depth of doors that give none, in metres.
    pub const DEPTH: f64 = 0.3;
}

/// Where stairs begin or end.
#[derive(Clone, Debug, PartialEq)]
pub struct Landing {
    /// Name of the storey.
    pub storey: String,
    /// The edge of the first or last step, from left to right or from right to left as on the other
    /// landing.
    pub line: [PlanPosition; 2],
}

/// Stairs, an escalator, a ramp: one walks on at one line and off at another.
#[derive(Clone, Debug, PartialEq)]
pub struct Stairs {
    /// Name, for messages.
    pub name: String,
    /// One end.
    pub from: Landing,
    /// The other.
    pub to: Landing,
    /// What they cost on top of the distance, in metres.
    pub cost: f32,
    /// Whether they lead back as well.
    pub both_ways: bool,
}

/// A place where a lift stops.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Name of the storey.
    pub storey: String,
    /// Where one waits.
    pub at: PlanPosition,
}

/// A lift: from each stop to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Lift {
    /// Name, for messages.
    pub name: String,
    /// Its stops.
    pub stops: Vec<Stop>,
    /// What a ride costs on top of the distance, in metres.
    pub cost: f32,
}

impl FloorPlan {
    /// The storey of this name, made at this height if there is none.
    pub fn storey_mut(&mut self, name: &str, elevation: f64) -> &mut Storey {
        let index = self.storeys.iter().position(|storey| storey.name == name).unwrap_or_else(|| {
            self.storeys.push(Storey::new(name, elevation));
            self.storeys.len() - 1
        });
        &mut self.storeys[index]
    }

    /// Adds another plan: storeys of the same name become one, at the height of the first. What
    /// `other` says of the agent goes first.
    pub fn merge(&mut self, other: Self) {
        for storey in other.storeys {
            let own = self.storey_mut(&storey.name, storey.elevation);
            own.walkable.extend(storey.walkable);
            own.blocked.extend(storey.blocked);
            own.doors.extend(storey.doors);
        }
        self.stairs.extend(other.stairs);
        self.lifts.extend(other.lifts);
        self.notes.extend(other.notes);
        self.agent.radius = other.agent.radius.or(self.agent.radius);
        self.agent.height = other.agent.height.or(self.agent.height);
    }

    /// Number of walkable and of blocked shapes.
    #[must_use]
    pub fn shape_counts(&self) -> (usize, usize) {
        self.storeys
            .iter()
            .fold((0, 0), |(a, b), storey| (a + storey.walkable.len(), b + storey.blocked.len()))
    }
}

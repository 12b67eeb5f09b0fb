//! Paths: locate both ends, search a corridor of polygons, pull a string through it.

pub(crate) mod any_angle;
mod batch;
pub(crate) mod corridor;
mod corridor_options;
mod corridor_string;
mod distance;
mod find;
pub(crate) mod funnel;
pub(crate) mod local;
mod offset;
pub(crate) mod options;
mod partial;
pub(crate) mod portal;
pub(crate) mod search;
pub(crate) mod sliced;
pub(crate) mod steps;
mod straight;

pub use corridor::PathCorridor;
pub use corridor_options::{CorridorChange, CorridorOptions, ReplanReason};
pub use distance::{DistanceMap, Heading};
use funnel::length;
use glam::Vec3;
pub use options::{PathOptions, PathSearch, PathSearcher};
pub use sliced::SlicedPath;
use waymesh_core::PolyId;

use crate::locate::nearest::Spot;
use crate::mesh::links::LinkId;

/// How far a path leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// To the goal.
    Complete,
    /// To the point that is closest to the goal, of all that can be reached.
    Partial {
        /// The last point of the path.
        reached: Vec3,
    },
    /// Nowhere: no way leads closer to the goal, or partial paths were not wanted.
    Unreachable,
}

/// A path over the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// How far it leads.
    pub outcome: Outcome,
    /// Where it begins, turns and ends: world positions on the ground. One point where start and
    /// goal are one; none if unreachable. No two points in succession are equal in plan, but
    /// for the ends of a link.
    pub points: Vec<Vec3>,
    /// The polygons it passes, from that of the start to that of the end. None if unreachable.
    pub polygons: Vec<PolyId>,
    /// The links it takes, in order.
    pub links: Vec<LinkUse>,
    /// Length of the chain of `points` in metres, in space. Ground that rises and falls between two
    /// points adds to it only with [`PathOptions::cross_points`], and then as far as the
    /// crossed edges show it.
    pub length: f32,
    /// What it costs: its length, where nothing else is asked for. Else, in each polygon, the
    /// length there times the cost of a metre, and what entering polygons and taking links
    /// costs.
    pub cost: f32,
}

impl Default for Path {
    /// No path: unreachable, without points.
    fn default() -> Self {
        Self {
            outcome: Outcome::Unreachable,
            points: Vec::new(),
            polygons: Vec::new(),
            links: Vec::new(),
            length: 0.0,
            cost: 0.0,
        }
    }
}

impl Path {
    /// No path, with the memory of this one.
    fn clear(&mut self) {
        self.outcome = Outcome::Unreachable;
        self.points.clear();
        self.polygons.clear();
        self.links.clear();
        (self.length, self.cost) = (0.0, 0.0);
    }
}

/// Both ends of a path, on the mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) start: Spot,
    pub(crate) goal: Spot,
    pub(crate) start_position: Vec3,
    pub(crate) goal_position: Vec3,
}

/// A link that a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// Which one.
    pub link: LinkId,
    /// Whether it is taken from its `to` to its `from`.
    pub backwards: bool,
    /// The point of the path from which it is taken: it leads to the next one. If both its ends are
    /// one line in plan, it is crossed somewhere on the way to the next one.
    pub point: usize,
}

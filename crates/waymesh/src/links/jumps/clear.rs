//! Collision checks of an agent in flight with the scene.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_core::stage::StageError;
use waymesh_core::{Agent, Bounds, BoxTree, TriangleSource, saturating_u32};

/// Test for free space along the flight of an agent.
pub(crate) trait Room {
    /// `true` if nothing reaches into a cylinder.
    fn is_free(&self, cylinder: &Cylinder) -> bool;

    /// `true` if a jump meets nothing: a ballistic arc whose top is `arc_height` above the higher
    /// end.
    fn jump_is_clear(&self, from: Vec3, to: Vec3, arc_height: f32, agent: &Agent, cell: f32) -> bool {
        // In units of time in which gravity is 2: a fall from rest by y takes the root of y.
        let top = from.y.max(to.y) + arc_height;
        let (up, down) = ((top - from.y).sqrt(), (top - to.y).sqrt());
        let along = |t: f32| {
            let time = t * (up + down) - up;
            from.lerp(to, t).with_y(top - time * time)
        };
        // No straight piece of it is longer than its legs together.
        let length = (to - from).with_y(0.0).length() + 2.0 * top - from.y - to.y;
        self.is_clear(along, length, agent, cell)
    }

    /// `true` if a drop meets nothing: straight out at the height of its start, then straight down.
    fn drop_is_clear(&self, from: Vec3, to: Vec3, agent: &Agent, cell: f32) -> bool {
        let over = to.with_y(from.y);
        let out = self.is_clear(|t| from.lerp(over, t), from.distance(over), agent, cell);
        out && {
            // Down, it is one long cylinder.
            let cylinder = Cylinder {
                middle: to.xz(),
                radius: radius(agent, cell),
                low: to.y + feet(agent),
                high: from.y + agent.height,
            };
            self.is_free(&cylinder)
        }
    }

    /// Checks places half a radius apart.
    fn is_clear(&self, along: impl Fn(f32) -> Vec3, length: f32, agent: &Agent, cell: f32) -> bool {
        let radius = radius(agent, cell);
        let places = saturating_u32((length / (radius / 2.0)).ceil().clamp(1.0, 60_000.0));
        (0..=places).all(|place| {
            let at = along(place as f32 / places as f32);
            let (low, high) = (at.y + feet(agent), at.y + agent.height);
            self.is_free(&Cylinder { middle: at.xz(), radius, low, high })
        })
    }
}

/// Triangles by their boxes.
#[derive(Debug)]
pub(crate) struct Obstacles {
    triangles: Vec<[Vec3; 3]>,
    boxes: BoxTree,
}

/// An upright cylinder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cylinder {
    pub(crate) middle: Vec2,
    pub(crate) radius: f32,
    low: f32,
    high: f32,
}

impl Obstacles {
    pub(crate) fn new(scene: &dyn TriangleSource) -> Result<Self, StageError> {
        let mut triangles: Vec<[Vec3; 3]> = Vec::new();
        scene.visit(&mut |portion| {
            let is_finite = |corners: &&[Vec3; 3]| corners.iter().all(|corner| corner.is_finite());
            triangles.extend(portion.iter().filter(is_finite));
            Ok(())
        })?;
        let boxes = triangles.iter().map(|corners| Bounds::of(*corners)).collect();
        Ok(Self { triangles, boxes })
    }
}

impl Room for Obstacles {
    fn is_free(&self, cylinder: &Cylinder) -> bool {
        let Cylinder { middle, radius, low, high } = *cylinder;
        let [min, max] = [(-radius, low), (radius, high)]
            .map(|(aside, y)| Vec3::new(middle.x + aside, y, middle.y + aside));
        self.boxes.overlapping(Bounds { min, max }).all(|near| !cylinder.meets(&self.triangles[near]))
    }
}

/// Height above which an obstacle blocks; an agent steps onto lower ones.
fn feet(agent: &Agent) -> f32 {
    agent.max_step.min(agent.height / 2.0)
}

/// The agent's radius as a mesh of cells has it: never less than half a cell.
fn radius(agent: &Agent, cell: f32) -> f32 {
    (agent.radius - cell).max(cell / 2.0)
}

impl Cylinder {
    /// `true` if a triangle reaches into it.
    fn meets(&self, corners: &[Vec3; 3]) -> bool {
        let (mut polygon, mut other) = (corners.to_vec(), Vec::new());
        for (sign, limit) in [(1.0, self.low), (-1.0, -self.high)] {
            let above = |point: Vec3| sign * point.y - limit;
            other.clear();
            for (index, &b) in polygon.iter().enumerate() {
                let a = polygon[(index + polygon.len() - 1) % polygon.len()];
                let (from, to) = (above(a), above(b));
                if (from > 0.0) != (to > 0.0) {
                    other.push(a.lerp(b, from / (from - to)));
                }
                if to > 0.0 {
                    other.push(b);
                }
            }
            std::mem::swap(&mut polygon, &mut other);
        }
        // The part between bottom and top, in plan: convex.
        let points: Vec<Vec2> = polygon.iter().map(|point| point.xz() - self.middle).collect();
        let (mut left, mut right) = (false, false);
        for (index, &b) in points.iter().enumerate() {
            let a = points[(index + points.len() - 1) % points.len()];
            let edge = b - a;
            let squared = edge.length_squared();
            let t = if squared > 0.0 { (-a.dot(edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
            if (a + edge * t).length_squared() < self.radius * self.radius {
                return true;
            }
            let side = edge.perp_dot(-a);
            (left, right) = (left | (side > 0.0), right | (side < 0.0));
        }
        // The middle is inside.
        left != right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POST: Cylinder = Cylinder { middle: Vec2::ZERO, radius: 0.5, low: 1.0, high: 2.0 };

    #[test]
    fn a_cylinder_is_met_by_what_reaches_into_it() {
        let flat = |y: f32, size: f32| {
            [Vec3::new(-size, y, -size), Vec3::new(size, y, -size), Vec3::new(0.0, y, size)]
        };
        // Above, below and through; large enough that no edge is near.
        assert!(POST.meets(&flat(1.5, 50.0)));
        assert!(!POST.meets(&flat(0.9, 50.0)) && !POST.meets(&flat(2.1, 50.0)));
        let wall = |x: f32| [Vec3::new(x, 0.0, -9.0), Vec3::new(x, 0.0, 9.0), Vec3::new(x, 9.0, 0.0)];
        assert!(POST.meets(&wall(0.49)) && POST.meets(&wall(-0.49)) && !POST.meets(&wall(0.51)));
        // A slope that misses the cylinder where it is high enough.
        let slope = [Vec3::new(0.0, 0.0, -9.0), Vec3::new(0.0, 0.0, 9.0), Vec3::new(9.0, 9.0, 0.0)];
        assert!(!POST.meets(&slope));
        assert!(!POST.meets(&[Vec3::new(f32::NAN, 1.5, 0.0); 3]));
    }
}

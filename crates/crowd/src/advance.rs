//! Moving an agent along the ground.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_graph::{PolygonFilter, TravelCost};

use crate::agent::{Agent, Task};
use crate::around::closest_on_segment;
use crate::steer::Scene;
use crate::workers::Scratch;

impl<F: PolygonFilter, C: TravelCost> Agent<F, C> {
    /// Moves by the velocity chosen, and away from agents that it would overlap then.
    pub(crate) fn advance(&mut self, scene: &Scene<'_>, scratch: &mut Scratch) {
        if self.is_lost || matches!(self.task, Task::Link(_)) {
            return;
        }
        let dt = scene.dt;
        let here = self.place.position.xz();
        let mut to = here + dt * self.chosen;
        to += self.parting(to, scene).clamp_length_max(self.params.max_speed.max(0.5) * dt);
        to = self.off_walls(to, scene.ground.margin(&self.params));
        if to == here {
            self.velocity = Vec3::ZERO;
            return;
        }
        self.walk(scene, Vec3::new(to.x, self.place.position.y, to.y), scratch);
    }

    /// Walks straight to a place near by, along walls where they are in the way.
    pub(crate) fn walk(&mut self, scene: &Scene<'_>, to: Vec3, scratch: &mut Scratch) {
        let before = self.place.position;
        if matches!(self.task, Task::Walking | Task::Queueing(_)) {
            self.follow(scene.ground, to, scratch);
        } else {
            let moved =
                scene.ground.mesh.move_along(&self.place, to, &self.params.filter, &mut scratch.query);
            match moved {
                Ok(place) => self.place = place,
                Err(_) => self.is_lost = true,
            }
        }
        self.velocity = (self.place.position - before) / scene.dt;
    }

    /// Returns the way out of the overlaps with neighbours, were all to move as chosen.
    fn parting(&self, to: Vec2, scene: &Scene<'_>) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for index in self.neighbours.iter() {
            let other = &scene.bodies.as_slice()[index];
            let offset = to - (other.position.xz() + scene.dt * other.velocity);
            let distance = offset.length();
            let overlap = self.params.radius + other.radius - distance;
            if overlap > 0.0 {
                let away = if distance > 1e-6 { offset / distance } else { Vec2::X };
                sum += 0.5 * overlap * away;
            }
        }
        sum
    }

    /// Returns the place near `to` that keeps the clearance from walls, as far as there is room.
    fn off_walls(&self, mut to: Vec2, clearance: f32) -> Vec2 {
        if clearance <= 0.0 {
            return to;
        }
        for _ in 0..3 {
            for &wall in self.around.walls() {
                let offset = to - closest_on_segment(wall, to);
                let distance = offset.length();
                if distance < clearance && distance > 1e-6 {
                    to += (clearance - distance) / distance * offset;
                }
            }
        }
        to
    }
}

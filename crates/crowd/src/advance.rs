//! Movement of an agent along the ground.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_graph::{PolygonFilter, TravelCost};

use crate::agent::{Agent, Task};
use crate::around::closest_on_segment;
use crate::steer::Scene;
use crate::workers::Scratch;

impl<F: PolygonFilter, C: TravelCost> Agent<F, C> {
    /// Moves by the chosen velocity, and away from agents that it would then overlap. The distance
    /// in space is limited by its speed.
    pub(crate) fn advance(&mut self, scene: &Scene<'_>, scratch: &mut Scratch) {
        if self.is_lost || matches!(self.task, Task::Link(_)) {
            return;
        }
        let (dt, before) = (scene.dt, self.position());
        let reach = self.params.max_speed * dt;
        let rest = reach - self.lag.length();
        if rest > 0.0 && !self.has_landed {
            let here = self.place.position.xz();
            let mut to = here + dt * self.chosen;
            to += self.parting(to, scene);
            to = self.off_walls(to, scene.ground.margin(&self.params));
            self.walk_at_most(rest, to - here, scene, scratch);
        }
        let reach = if self.has_landed { 0.0 } else { reach };
        let shown = before + (self.place.position - before).clamp_length_max(reach);
        self.stay_at(shown);
        self.velocity = (self.position() - before) / dt;
    }

    /// Walks by `move_by` in plan, but at most `rest` metres in space.
    fn walk_at_most(&mut self, rest: f32, move_by: Vec2, scene: &Scene<'_>, scratch: &mut Scratch) {
        let begin = self.place.position;
        let ahead = |share: f32| {
            let by = share * move_by.clamp_length_max(rest);
            begin + Vec3::new(by.x, 0.0, by.y)
        };
        if move_by == Vec2::ZERO {
            return;
        }
        self.walk(scene, ahead(1.0), scratch);
        let walked = self.place.position.distance(begin);
        if walked > rest * (1.0 + 1e-5) {
            // The agent is on a slope. At a step up it keeps its position, and its body follows at
            // its speed.
            let end = self.place.position;
            self.walk(scene, ahead(rest / walked), scratch);
            if self.place.position.distance(begin) < 0.5 * rest {
                self.walk(scene, end, scratch);
            }
        }
    }

    /// Walks straight to a nearby position, and slides along walls that block it.
    pub(crate) fn walk(&mut self, scene: &Scene<'_>, to: Vec3, scratch: &mut Scratch) {
        if matches!(self.task, Task::Walking | Task::Queueing(_)) {
            self.follow(scene.ground, to, scratch);
        } else {
            let moved = scene
                .ground
                .mesh
                .query()
                .filter(&self.params.filter)
                .memory(&mut scratch.query)
                .walk(self.place, to);
            match moved {
                Ok(place) => (self.place, self.is_sure) = (place, true),
                Err(_) => self.is_lost = true,
            }
        }
    }

    /// Returns the displacement that resolves overlaps with neighbours after all have moved as
    /// chosen.
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

    /// Returns the position near `to` that keeps the clearance from walls, as far as possible.
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

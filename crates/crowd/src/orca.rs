//! Velocities that avoid collisions: half-planes, and the velocity inside all of them that is
//! closest to the preferred velocity.
//!
//! # References
//! Van den Berg, Guy, Lin and Manocha 2011, Reciprocal n-body collision avoidance,
//! <https://doi.org/10.1007/978-3-642-19457-3_1>, sections 4 and 5; De Berg et al. 2008, Computational
//! Geometry, <https://doi.org/10.1007/978-3-540-77974-2>, chapter 4 (linear programs of two variables).

use glam::Vec2;

/// Sines of angles below this count as 0: lines are parallel. Ten times the rounding error of 0.
const PARALLEL: f32 = 1e-5;

/// The velocities on the left of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfPlane {
    /// A point of the line.
    pub(crate) point: Vec2,
    /// Direction of the line, of length 1.
    pub(crate) direction: Vec2,
}

impl HalfPlane {
    /// Returns the half-plane that begins at `point` and extends in direction `normal`, of length
    /// 1.
    pub(crate) fn beyond(point: Vec2, normal: Vec2) -> Self {
        Self { point, direction: Vec2::new(normal.y, -normal.x) }
    }

    fn normal(&self) -> Vec2 {
        self.direction.perp()
    }

    /// Returns the distance of its line from 0, in the direction of its normal.
    fn offset(&self) -> f32 {
        self.direction.perp_dot(self.point)
    }

    /// Returns the distance of a velocity from the half-plane; negative inside.
    fn excess(&self, velocity: Vec2) -> f32 {
        self.direction.perp_dot(self.point - velocity)
    }
}

/// Another agent relative to the agent that avoids it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacle {
    /// Position of the other agent minus the own position.
    pub(crate) offset: Vec2,
    /// Own velocity minus that of the other agent.
    pub(crate) approach: Vec2,
    /// Sum of both radii.
    pub(crate) radius: f32,
    /// Share of the avoidance that the agent takes, from 0 to 1.
    pub(crate) share: f32,
}

impl Obstacle {
    /// Returns the velocities that avoid a collision for `horizon` seconds, if the other agent
    /// takes the remaining share. Two agents that overlap separate within `separation` seconds.
    pub(crate) fn half_plane(&self, velocity: Vec2, horizon: f32, separation: f32) -> HalfPlane {
        let Self { offset, approach, radius, share } = *self;
        let distance_squared = offset.length_squared();
        let overlap = distance_squared <= radius * radius;
        let rate = if overlap { 1.0 / separation } else { 1.0 / horizon };
        let from_centre = approach - rate * offset;
        let along = from_centre.dot(offset);
        let on_arc = along < 0.0 && along * along > radius * radius * from_centre.length_squared();
        let (change, direction) = if overlap || on_arc {
            let length = from_centre.length();
            // Two agents with equal position and velocity: any direction serves.
            let normal = if length > 1e-6 { from_centre / length } else { Vec2::X };
            ((radius * rate - length) * normal, Vec2::new(normal.y, -normal.x))
        } else {
            // Closest to a side of the cone.
            let leg = (distance_squared - radius * radius).max(0.0).sqrt();
            let side = if offset.perp_dot(from_centre) > 0.0 { 1.0 } else { -1.0 };
            let turned = Vec2::new(
                offset.x * leg - side * offset.y * radius,
                side * offset.x * radius + offset.y * leg,
            );
            let direction = side * turned / distance_squared;
            (approach.dot(direction) * direction - approach, direction)
        };
        HalfPlane { point: velocity + share * change, direction }
    }
}

/// Memory of [`closest`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    projected: Vec<HalfPlane>,
}

impl Program {
    /// Returns the velocity closest to `wish` that is at most `speed` fast and lies in all
    /// half-planes.
    ///
    /// If there is none, the first `hard` half-planes are kept, and the largest excess over the
    /// others is as small as possible. If these have no common velocity, the best velocity found
    /// before the one that failed is returned. Expected time is linear in the number of
    /// half-planes, the worst case is cubic.
    pub(crate) fn closest(&mut self, planes: &[HalfPlane], hard: usize, speed: f32, wish: Vec2) -> Vec2 {
        match solve(planes, speed, Wish::Point(wish)) {
            Ok(velocity) => velocity,
            Err((failed, velocity)) => self.least_excess(planes, hard, failed, speed, velocity),
        }
    }

    fn least_excess(
        &mut self,
        planes: &[HalfPlane],
        hard: usize,
        first: usize,
        speed: f32,
        mut velocity: Vec2,
    ) -> Vec2 {
        let mut excess = 0.0;
        for (index, plane) in planes.iter().enumerate().skip(first) {
            if plane.excess(velocity) <= excess {
                continue;
            }
            // Half-planes in which the excess over this plane is at least that over each previous
            // plane.
            self.projected.clear();
            self.projected.extend_from_slice(&planes[..hard.min(index)]);
            for other in planes.get(hard..index).unwrap_or_default() {
                let apart = other.normal() - plane.normal();
                let length = apart.length();
                if length > PARALLEL {
                    let normal = apart / length;
                    let offset = (other.offset() - plane.offset()) / length;
                    self.projected.push(HalfPlane::beyond(offset * normal, normal));
                }
            }
            // Rounding may make the program infeasible: the last velocity is kept.
            if let Ok(better) = solve(&self.projected, speed, Wish::Direction(plane.normal())) {
                velocity = better;
            }
            excess = plane.excess(velocity);
        }
        velocity
    }
}

/// The objective of a linear program.
#[derive(Clone, Copy, Debug)]
enum Wish {
    /// The closest velocity to this one.
    Point(Vec2),
    /// The farthest velocity in this direction, of length 1.
    Direction(Vec2),
}

/// Returns the best velocity, or the first infeasible half-plane and the best velocity before it.
fn solve(planes: &[HalfPlane], speed: f32, wish: Wish) -> Result<Vec2, (usize, Vec2)> {
    let mut best = match wish {
        Wish::Point(velocity) => velocity.clamp_length_max(speed),
        Wish::Direction(direction) => direction * speed,
    };
    for (index, plane) in planes.iter().enumerate() {
        if plane.excess(best) > 0.0 {
            best = best_on_line(planes, index, speed, wish).ok_or((index, best))?;
        }
    }
    Ok(best)
}

/// Returns the best velocity on the line of a half-plane that all half-planes before it allow.
fn best_on_line(planes: &[HalfPlane], index: usize, speed: f32, wish: Wish) -> Option<Vec2> {
    let plane = &planes[index];
    let (direction, offset) = (plane.direction, plane.offset());
    // From the point of the line that is closest to 0.
    let point = offset * plane.normal();
    let half_squared = speed * speed - offset * offset;
    if half_squared < 0.0 {
        return None;
    }
    let half = half_squared.sqrt();
    let (mut low, mut high) = (-half, half);
    for other in &planes[..index] {
        let sine = direction.perp_dot(other.direction);
        let gap = other.direction.perp_dot(point - other.point);
        if sine.abs() <= PARALLEL {
            if gap < 0.0 {
                return None;
            }
            continue;
        }
        let along = gap / sine;
        if sine > 0.0 {
            high = high.min(along);
        } else {
            low = low.max(along);
        }
        if low > high {
            return None;
        }
    }
    let along = match wish {
        Wish::Point(velocity) => direction.dot(velocity - point).clamp(low, high),
        Wish::Direction(wish) => {
            if wish.dot(direction) > 0.0 {
                high
            } else {
                low
            }
        }
    };
    Some(point + along * direction)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plane(angle: f32, distance: f32) -> HalfPlane {
        let normal = Vec2::from_angle(angle);
        HalfPlane::beyond(-distance * normal, normal)
    }

    #[test]
    fn a_half_plane_lies_in_the_direction_of_its_normal() {
        let plane = HalfPlane::beyond(Vec2::new(1.0, 0.0), Vec2::X);
        assert!(plane.excess(Vec2::new(2.0, 5.0)) < 0.0);
        assert!((plane.excess(Vec2::new(-1.0, 5.0)) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn two_agents_that_meet_head_on_turn_aside_and_pass() {
        let mut program = Program::default();
        let mut places = [Vec2::new(-4.0, 0.0), Vec2::new(4.0, 0.001)];
        let mut velocities = [Vec2::X, -Vec2::X];
        let mut closest = f32::INFINITY;
        for _ in 0..400 {
            let next = [0, 1].map(|own: usize| {
                let other = 1 - own;
                let obstacle = Obstacle {
                    offset: places[other] - places[own],
                    approach: velocities[own] - velocities[other],
                    radius: 1.0,
                    share: 0.5,
                };
                let plane = obstacle.half_plane(velocities[own], 2.0, 0.2);
                let wish = if own == 0 { Vec2::X } else { -Vec2::X };
                program.closest(&[plane], 0, 1.2, wish)
            });
            velocities = next;
            for own in [0, 1] {
                places[own] += velocities[own] / 30.0;
            }
            closest = closest.min(places[0].distance(places[1]));
        }
        assert!(closest > 0.99, "{closest}");
        assert!(places[0].x > 4.0 && places[1].x < -4.0, "{places:?}");
    }

    proptest! {
        /// Compares with a search over many velocities.
        #[test]
        fn the_velocity_is_allowed_and_the_closest(
            walls in prop::collection::vec((0.0_f32..6.3, 0.0_f32..1.5), 0..3),
            others in prop::collection::vec((0.0_f32..6.3, -0.5_f32..1.5), 0..8),
            wish in (-2.0_f32..2.0, -2.0_f32..2.0),
        ) {
            let planes: Vec<HalfPlane> =
                walls.iter().chain(&others).map(|&(angle, distance)| plane(angle, distance)).collect();
            let wish = Vec2::new(wish.0, wish.1);
            let found = Program::default().closest(&planes, walls.len(), 1.0, wish);
            prop_assert!(found.length() <= 1.001);
            // Zero is inside all hard half-planes.
            for hard in &planes[..walls.len()] {
                prop_assert!(hard.excess(found) <= 1e-3);
            }
            let excess = |velocity: Vec2| {
                planes[walls.len()..].iter().map(|plane| plane.excess(velocity)).fold(0.0, f32::max)
            };
            for step in 0..2000_u16 {
                let radius = (f32::from(step) / 2000.0).sqrt();
                let other = radius * Vec2::from_angle(f32::from(step) * 2.399_963);
                if planes[..walls.len()].iter().any(|hard| hard.excess(other) > 0.0) {
                    continue;
                }
                prop_assert!(excess(found) <= excess(other) + 2e-3, "{found} {other}");
                if excess(other) <= 0.0 && excess(found) <= 1e-3 {
                    prop_assert!(found.distance(wish) <= other.distance(wish) + 2e-3);
                }
            }
        }
    }
}

//! Snapshot of all agents during a step, sorted by squares of the plan.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_core::{PolyId, saturating_i32};

/// The state of an agent that other agents see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Index of the agent in the table of agents.
    pub(crate) agent: u32,
    pub(crate) polygon: PolyId,
    pub(crate) position: Vec3,
    /// Velocity in plan.
    pub(crate) velocity: Vec2,
    /// The last preferred velocity, in plan.
    pub(crate) wish: Vec2,
    pub(crate) radius: f32,
    pub(crate) height: f32,
    /// The agent with the higher priority goes first.
    pub(crate) priority: u16,
    pub(crate) is_walking: bool,
    pub(crate) has_arrived: bool,
    /// Its goal; NaN without a target.
    pub(crate) goal: Vec3,
    /// The next corner of its path; NaN without a path.
    pub(crate) corner: Vec2,
    /// The direction of its path after the corner, or to the corner if it is the last; 0 without a
    /// path.
    pub(crate) heading: Vec2,
    /// Tangent of the angle by which it turns to the right of its path.
    pub(crate) turn: f32,
    /// Seconds that it lost on its path, or that an agent lost which it blocks.
    pub(crate) urgency: f32,
    /// `true` if it goes back for others.
    pub(crate) yields: bool,
    /// The fraction of its speed that it lacked over the last second.
    pub(crate) slow: f32,
    /// Seconds that it lost itself.
    pub(crate) lost: f32,
    /// Its role in a standoff.
    pub(crate) side: Side,
}

/// Largest gap between two close agents, as a multiple of their radii.
const CLOSE: f32 = 1.0;

impl Body {
    /// Returns `true` if both go to the same position.
    pub(crate) fn shares_goal(&self, other: &Self) -> bool {
        self.goal.distance(other.goal) < self.radius + other.radius
    }

    /// Returns `true` if no other agent fits between them.
    pub(crate) fn is_close(&self, other: &Self) -> bool {
        let gap = self.position.xz().distance(other.position.xz()) - self.radius - other.radius;
        gap <= CLOSE * self.radius
    }

    /// Returns `true` if the paths of both lead in opposite directions, beyond the corners at which
    /// they may meet from all sides.
    pub(crate) fn goes_against(&self, other: &Self) -> bool {
        self.heading.dot(other.heading) < 0.0
    }
}

/// All bodies, sorted by square of the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    side: f32,
    keys: Vec<(u64, u32)>,
    /// Reused for sorting.
    unsorted: Vec<Body>,
    bodies: Vec<Body>,
}

impl Bodies {
    /// Replaces the bodies, sorted by squares of `side` metres, in time `n log n`.
    pub(crate) fn renew(&mut self, side: f32, bodies: impl Iterator<Item = Body>) {
        self.side = side;
        self.unsorted.clear();
        self.unsorted.extend(bodies);
        self.keys.clear();
        let keys = (0_u32..).zip(&self.unsorted).map(|(index, body)| {
            let [x, z] = [body.position.x, body.position.z].map(|along| square(along, side));
            (key(x, z), index)
        });
        self.keys.extend(keys);
        self.keys.sort_unstable();
        self.bodies.clear();
        self.bodies.extend(self.keys.iter().map(|&(_, index)| self.unsorted[index as usize]));
    }

    pub(crate) fn as_slice(&self) -> &[Body] {
        &self.bodies
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Body] {
        &mut self.bodies
    }

    /// Calls `visit` with every body whose position is within `range` metres in plan, in an order
    /// that depends only on the bodies.
    #[inline]
    pub(crate) fn around(&self, middle: Vec2, range: f32, mut visit: impl FnMut(usize, &Body, f32)) {
        let [x0, x1] = [middle.x - range, middle.x + range].map(|x| square(x, self.side));
        let [z0, z1] = [middle.y - range, middle.y + range].map(|z| square(z, self.side));
        for z in z0..=z1 {
            let (first, last) = (key(x0, z), key(x1, z));
            let begin = self.keys.partition_point(|entry| entry.0 < first);
            for (index, entry) in self.keys.iter().enumerate().skip(begin) {
                if entry.0 > last {
                    break;
                }
                let body = &self.bodies[index];
                let distance_squared = body.position.xz().distance_squared(middle);
                if distance_squared <= range * range {
                    visit(index, body, distance_squared);
                }
            }
        }
    }
}

/// Returns the number of a square along an axis.
fn square(along: f32, side: f32) -> i32 {
    saturating_i32((along / side).floor())
}

/// Returns the key of a square, for sorting by rows: z first.
fn key(x: i32, z: i32) -> u64 {
    let [x, z] = [x, z].map(|along| u64::from(along.cast_unsigned() ^ 0x8000_0000));
    z << 32 | x
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(agent: u32, x: f32, z: f32) -> Body {
        Body {
            agent,
            polygon: PolyId(0),
            position: Vec3::new(x, 0.0, z),
            velocity: Vec2::ZERO,
            wish: Vec2::ZERO,
            radius: 0.3,
            height: 1.8,
            priority: 0,
            is_walking: false,
            has_arrived: false,
            goal: Vec3::NAN,
            corner: Vec2::NAN,
            heading: Vec2::ZERO,
            turn: 0.0,
            urgency: 0.0,
            yields: false,
            slow: 0.0,
            lost: 0.0,
            side: Side::None,
        }
    }

    proptest! {
        #[test]
        fn all_bodies_within_range_are_found(
            places in prop::collection::vec((-9.0_f32..9.0, -9.0_f32..9.0), 0..60),
            range in 0.0_f32..7.0,
        ) {
            let mut bodies = Bodies::default();
            bodies.renew(1.5, (0_u32..).zip(&places).map(|(agent, &(x, z))| body(agent, x, z)));
            let mut found = Vec::new();
            bodies.around(Vec2::new(0.5, -0.5), range, |_, body, _| found.push(body.agent));
            found.sort_unstable();
            let near = (0_u32..).zip(&places).filter(|(_, place)| {
                Vec2::new(place.0, place.1).distance_squared(Vec2::new(0.5, -0.5)) <= range * range
            });
            prop_assert_eq!(found, near.map(|(agent, _)| agent).collect::<Vec<_>>());
        }
    }
}

/// The role of an agent in a standoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Side {
    /// It is in no standoff.
    #[default]
    None,
    /// Its stream goes first.
    First,
    /// It goes back.
    Back,
}

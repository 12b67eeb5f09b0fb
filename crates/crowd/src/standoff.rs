//! Standoffs: streams that block each other, cannot turn aside, and are too deep for messages
//! between agents ([`crate::jam`]) to reach the last rows.
//!
//! Blocked agents that touch form one connected component. If the component consists of two
//! opposing streams, the stream whose agents lost most time goes first, as long as any of its
//! agents is blocked; all agents of the other stream go back together, and wait until the first
//! stream has passed.

use glam::{Vec2, Vec3Swizzles};
use waymesh_core::to_u32;

use crate::bodies::{Bodies, Body, Side};

// The values below were tuned together, with 160 to 330 agents at the gate of the benches and a
// thousand on levels. Retreats at full speed, or after less lost time, make agents jerk more.

/// Lost time of an agent, in seconds, above which its component is examined.
const AFTER: f32 = 6.0;

/// Fraction of its speed that an agent must lack to take part in a standoff.
const HELD: f32 = 0.7;

/// Seconds for which a decision holds after its standoff is no longer detected.
const HOLDS: f32 = 1.0;

/// Smallest cosine of the angle between two equal directions; the negative value is the largest
/// cosine for opposite directions.
const ALIKE: f32 = 0.5;

/// Smallest alignment of the directions of two streams, from 0 (evenly spread directions) to 1: the
/// length of the mean of all directions with doubled angles, so that opposite directions count as
/// one. Agents on a circle who want to the other side turn around each other.
const IN_LINE: f32 = 0.6;

/// Seconds of lost time by which the other stream must be ahead to go first instead.
const TURN: f32 = 40.0;

/// Speed at which an agent goes back, and at which others can push it back while it waits, as
/// fractions of its highest speed.
const RETREAT: [f32; 2] = [0.8, 0.5];

/// The state of an agent in a standoff.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) side: Side,
    /// Seconds since the last decision.
    age: f32,
}

impl Part {
    /// Returns the fraction of its speed at which it has to go back; `None` if it has no role.
    pub(crate) fn retreat(self) -> Option<f32> {
        match self.side {
            Side::None => None,
            Side::First => Some(0.0),
            Side::Back => Some(RETREAT[usize::from(self.age > 0.0)]),
        }
    }

    /// Advances the time, and takes over a new decision if there was one.
    pub(crate) fn pass(&mut self, settled: Option<Side>, dt: f32) {
        match settled {
            Some(side) => *self = Self { side, age: 0.0 },
            None if self.age + dt < HOLDS => self.age += dt,
            None => *self = Self::default(),
        }
    }
}

/// A search for standoffs, with reused memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standoffs {
    /// The role of each body, by index.
    sides: Vec<Side>,
    /// `true` for each body that belongs to a visited component, by index.
    is_counted: Vec<bool>,
    /// The members of a component, in the order of the search.
    members: Vec<u32>,
    /// The members that have a role.
    settled: Vec<u32>,
}

impl Standoffs {
    /// Decides the standoffs of a step. Returns the role of each body, by index. Runs on one
    /// thread, in the order of the bodies.
    pub(crate) fn decide(&mut self, bodies: &Bodies) -> &[Side] {
        let all = bodies.as_slice();
        self.sides.clear();
        self.sides.resize(all.len(), Side::None);
        self.is_counted.clear();
        self.is_counted.resize(all.len(), false);
        let widest = all.iter().map(|body| body.radius).fold(0.0, f32::max);
        for (seed, body) in (0_u32..).zip(all) {
            let is_new = !self.is_counted[seed as usize];
            if is_new && takes_part(body) && body.lost > AFTER && self.count(bodies, seed, widest) {
                self.choose(bodies, widest);
            }
        }
        &self.sides
    }

    /// Collects the component of an agent. Returns `true` if it consists of two opposing streams.
    fn count(&mut self, bodies: &Bodies, seed: u32, widest: f32) -> bool {
        let Self { is_counted, members, .. } = self;
        members.clear();
        members.push(seed);
        is_counted[seed as usize] = true;
        let (mut is_against, mut lines) = (false, Vec2::ZERO);
        let mut next = 0;
        while let Some(&member) = members.get(next) {
            next += 1;
            let way = bodies.as_slice()[member as usize].heading;
            lines += way.rotate(way);
            touching(bodies, member, widest, |index, relation| {
                is_against |= relation == Some(Side::Back);
                if !is_counted[index as usize] {
                    is_counted[index as usize] = true;
                    members.push(index);
                }
            });
        }
        is_against && lines.length() > IN_LINE * members.len() as f32
    }

    /// Chooses the stream of the component that goes first.
    fn choose(&mut self, bodies: &Bodies, widest: f32) {
        let Self { sides, members, settled, .. } = self;
        let body = |member: u32| &bodies.as_slice()[member as usize];
        // The first stream keeps its role until it has passed, or the other one has waited far
        // longer.
        let claim =
            |member: u32| body(member).lost + if body(member).side == Side::First { TURN } else { 0.0 };
        let leader = members
            .iter()
            .copied()
            .max_by(|&a, &b| claim(a).total_cmp(&claim(b)).then(body(b).agent.cmp(&body(a).agent)));
        settled.clear();
        settled.extend(leader);
        leader.into_iter().for_each(|leader| sides[leader as usize] = Side::First);
        let mut next = 0;
        while let Some(&member) = settled.get(next) {
            next += 1;
            let own = sides[member as usize];
            touching(bodies, member, widest, |index, relation| {
                let Some(relation) = relation.filter(|_| sides[index as usize] == Side::None) else { return };
                sides[index as usize] = if relation == own { Side::First } else { Side::Back };
                settled.push(index);
            });
        }
    }
}

fn takes_part(body: &Body) -> bool {
    body.is_walking && (body.slow > HELD || body.side != Side::None)
}

/// Calls `visit` with the participants that touch a participant, and their relative directions:
/// `First` for equal directions, `Back` for opposite ones.
fn touching(bodies: &Bodies, member: u32, widest: f32, mut visit: impl FnMut(u32, Option<Side>)) {
    let body = &bodies.as_slice()[member as usize];
    bodies.around(body.position.xz(), body.radius + 2.0 * widest.max(body.radius), |index, other, _| {
        let is_near = (other.position.y - body.position.y).abs() < body.height.max(other.height);
        if other.agent == body.agent || !takes_part(other) || !is_near {
            return;
        }
        if body.is_close(other) || other.is_close(body) {
            let cosine = body.heading.dot(other.heading);
            let relation = if cosine > ALIKE { Some(Side::First) } else { Some(Side::Back) };
            visit(to_u32(index), relation.filter(|_| cosine.abs() > ALIKE));
        }
    });
}

//! Standoffs: streams that stand in each other's way where neither can turn aside, and that are so
//! deep that what goes from agent to agent ([`crate::jam`]) does not get to the last rows.
//!
//! Agents that are held up and touch form one crowd. Where it is two streams that go against each
//! other, the one whose agents lost most goes first, for as long as any of it is held up there; all
//! of the other go back together, and wait until the first are through.

use glam::{Vec2, Vec3Swizzles};
use waymesh_core::to_u32;

use crate::bodies::{Bodies, Body};

// The figures below were tried together, with 160 to 330 agents at the gate of the benches and a
// thousand on levels. Retreats at full speed, or after less lost time, make agents jerk more.

/// Seconds that an agent lost before its stream is seen to.
const AFTER: f32 = 6.0;

/// An agent takes part in a standoff from this share of its speed on that it lacks.
const HELD: f32 = 0.7;

/// Seconds for which what was settled holds when nothing asks for it any more.
const HOLDS: f32 = 1.0;

/// Cosine of the angle between two ways from which on they lead the same way; of opposite ways, the
/// negative.
const ALIKE: f32 = 0.5;

/// How far the ways of a crowd lie in one line for it to be two streams, from 0 (all ways alike) to
/// 1: the length of the mean of all ways, each turned by its angle once more, so that opposite ways
/// count as one. Those on a circle who want to the other side turn around each other.
const IN_LINE: f32 = 0.6;

/// Seconds of lost time by which the other stream has to be ahead to go first instead.
const TURN: f32 = 40.0;

/// The speed, as a share of its own, at which an agent goes back, and with which it lets others
/// push it back while it waits.
const RETREAT: [f32; 2] = [0.8, 0.5];

/// What an agent does in a standoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Side {
    /// There is none.
    #[default]
    None,
    /// Its stream goes first.
    First,
    /// It goes back.
    Back,
}

/// The part of an agent in a standoff.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) side: Side,
    /// Seconds since it was settled.
    age: f32,
}

impl Part {
    /// The share of its speed at which it has to go back; `None` if nothing is settled.
    pub(crate) fn retreat(self) -> Option<f32> {
        match self.side {
            Side::None => None,
            Side::First => Some(0.0),
            Side::Back => Some(RETREAT[usize::from(self.age > 0.0)]),
        }
    }

    /// Lets time pass, after which it is settled anew or not.
    pub(crate) fn pass(&mut self, settled: Option<Side>, dt: f32) {
        match settled {
            Some(side) => *self = Self { side, age: 0.0 },
            None if self.age + dt < HOLDS => self.age += dt,
            None => *self = Self::default(),
        }
    }
}

/// Finds standoffs; memory that is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standoffs {
    /// Beside each body, what is settled for it.
    sides: Vec<Side>,
    /// Beside each body, `true` if it is counted to a crowd.
    is_counted: Vec<bool>,
    /// A crowd, from agent to agent.
    members: Vec<u32>,
    /// Those of it that have a side.
    settled: Vec<u32>,
}

impl Standoffs {
    /// Settles the standoffs of a step: beside each body, its side. On one thread, in the order of the
    /// bodies.
    pub(crate) fn settle(&mut self, bodies: &Bodies) -> &[Side] {
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

    /// Counts who hangs together with an agent. Returns `true` if they are two streams that go against
    /// each other.
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

    /// Chooses who of the crowd goes first.
    fn choose(&mut self, bodies: &Bodies, widest: f32) {
        let Self { sides, members, settled, .. } = self;
        let body = |member: u32| &bodies.as_slice()[member as usize];
        // Those that go first do so until they are through, or the others have waited far longer.
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

/// Calls `visit` with those that take part and touch one that does, and how their ways lead:
/// `First` for the same way, `Back` for opposite ways.
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

//! Jams: messages that blocked agents pass to each other, so that one of two opposing streams gives
//! way.
//!
//! Velocities that avoid collisions only react to nearby agents: agents in the second row of a jam
//! see no oncoming agent, push forward, and leave the first row no space to turn aside. So three
//! values pass from agent to agent, one row in each step:
//! - the turn to the side: a blocked agent turns like the agents that block it;
//! - urgency: the lost time, which an agent inherits from an agent that lost more and pushes it, as
//!   long as it is in the way of that agent;
//! - retreat: an agent that is pushed by an oncoming agent of higher urgency goes back, and so do
//!   the agents behind it.
//!
//! Blocked agents also push less.
//!
//! # References
//! - Okumura, Machida, Défago and Tamura 2022, Priority inheritance with backtracking for iterative
//!   multi-agent path finding, <https://doi.org/10.1016/j.artint.2022.103752>, section 3: priority
//!   inheritance for agents on a graph.
//! - Best, Narang, Curtis and Manocha 2014, DenseSense: interactive crowd simulation using
//!   density-dependent filters, <https://doi.org/10.2312/sca.20141127>: lower speeds in dense crowds.

use glam::{Vec2, Vec3Swizzles};
use waymesh_core::Random;

use crate::bodies::Body;

// The values below were tuned together, in the scenes of the README and with 160 to 300 agents at
// the gate of the tests.

/// Time constant, in seconds, of the average of the lacking speed.
const HELD_TIME: f32 = 1.0;

/// Fractions of its speed that an agent lacks: it is blocked partly above the first, and fully
/// above the second.
const HELD: [f32; 2] = [0.3, 0.7];

/// The fraction of its preferred velocity that a fully slowed agent gives up.
const PATIENCE: f32 = 0.3;

/// The fraction of a turn to the side that is passed on.
const PASSED_TURN: f32 = 0.95;

/// Seconds of urgency that are lost from agent to agent.
const PASSED_URGENCY: f32 = 0.5;

/// Seconds of urgency by which another agent must be ahead for a full retreat.
const FULL_RETREAT: f32 = 0.5;

/// Seconds of lost time that are subtracted per second of free walking.
const RECOVERY: f32 = 0.2;

/// Time constant, in seconds, of the start of a retreat.
const RETREAT_TIME: f32 = 0.3;

/// Fraction of the preferred velocity above which a retreat makes the agents behind give way.
const YIELDS: f32 = 0.2;

/// Cosine of the angle within which an agent pushes the agents in front of it.
const IN_FRONT: f32 = 0.7;

/// Speed of approach, in metres per second, above which an agent also pushes.
const COMES_NEARER: f32 = 0.1;

/// The state of an agent in a jam.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Jam {
    /// The fraction of its speed that it lacked over the last second.
    pub(crate) slow: f32,
    /// Seconds that it lost.
    pub(crate) lost: f32,
    /// Its own or inherited urgency, in seconds.
    pub(crate) urgency: f32,
    /// Direction of its retreat, times the fraction of the preferred velocity that it takes.
    retreat: Vec2,
}

impl Jam {
    /// Returns `true` if it goes back for others.
    pub(crate) fn yields(&self) -> bool {
        self.retreat.length() > YIELDS
    }

    /// Returns the fraction of its preferred velocity that it still pushes with.
    pub(crate) fn pressure(&self) -> f32 {
        1.0 - PATIENCE * self.slow
    }

    /// Returns the degree to which it is blocked, from 0 to 1.
    fn held(&self) -> f32 {
        ((self.slow - HELD[0]) / (HELD[1] - HELD[0])).clamp(0.0, 1.0)
    }

    /// Updates the state from the agents that push an agent which wants to go `ahead`, of length 1,
    /// at `speed`. Returns the direction away from the most urgent agent that it must give way to,
    /// times the fraction of the preferred velocity that it gives up.
    pub(crate) fn update<'a>(
        &mut self,
        body: &Body,
        others: impl Iterator<Item = &'a Body>,
        ahead: Vec2,
        [speed, dt]: [f32; 2],
    ) -> Vec2 {
        let slow = (1.0 - body.velocity.dot(ahead) / speed).clamp(0.0, 1.0);
        self.slow += (slow - self.slow) * (dt / (dt + HELD_TIME));
        self.lost = (self.lost + dt * (slow - RECOVERY * (1.0 - slow))).max(0.0);
        // Random factors separate the urgencies of agents that stopped together.
        let own = self.lost * Random::new(u64::from(body.agent)).range(1.0, 2.0);
        self.urgency = own;
        let mut most = 0.0;
        let mut away = Vec2::ZERO;
        for other in others {
            let offset = body.position.xz() - other.position.xz();
            let distance = offset.length();
            if !other.is_walking || !body.is_close(other) || !presses(other, offset, distance) {
                continue;
            }
            let passed = other.urgency - PASSED_URGENCY;
            self.urgency = self.urgency.max(passed);
            let excess = (passed - own) / FULL_RETREAT;
            // Agents with the same direction only pass their urgency on.
            let is_against = body.goes_against(other) || other.yields && other.wish.dot(body.wish) < 0.0;
            if excess > most && is_against {
                most = excess;
                away = if distance > 1e-4 { offset / distance } else { Vec2::X };
            }
        }
        most.min(1.0) * away
    }

    /// Returns the greatest turn to the side `side` (1 or -1) that is passed on by the agents that
    /// block this agent.
    pub(crate) fn passed_turn<'a>(
        &self,
        body: &Body,
        others: impl Iterator<Item = &'a Body>,
        ahead: Vec2,
        side: f32,
    ) -> f32 {
        let turns = others.map(|other| {
            let offset = other.position.xz() - body.position.xz();
            let wanted = (other.corner - other.position.xz()).normalize_or_zero();
            let holds = other.is_walking
                && offset.dot(ahead) > 0.0
                && body.is_close(other)
                && wanted.dot(ahead) > 0.0;
            if holds { other.turn * side } else { 0.0 }
        });
        self.held() * PASSED_TURN * turns.fold(0.0, f32::max)
    }

    /// Reduces a preferred velocity, of length 1 at most, for an agent that is requested to go
    /// back.
    pub(crate) fn give_way(&mut self, wish: Vec2, asked: Vec2, dt: f32) -> Vec2 {
        let asked = if wish.dot(asked) < 0.0 { asked } else { Vec2::ZERO };
        self.retreat += (asked - self.retreat) * (dt / (dt + RETREAT_TIME));
        wish * (1.0 - self.retreat.length().min(1.0)) + self.retreat
    }
}

/// Returns `true` if another agent wants to move to the position of an agent, or comes nearer;
/// `offset` is the vector from the other agent to this one.
fn presses(other: &Body, offset: Vec2, distance: f32) -> bool {
    other.wish.dot(offset) > IN_FRONT * distance * other.wish.length()
        || other.velocity.dot(offset) > COMES_NEARER * distance
}

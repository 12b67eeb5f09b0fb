//! Jams: what agents that are held up pass on to each other, so that one of two streams that press
//! against each other gives way.
//!
//! Velocities that avoid collisions only answer those near by: those in the second row of a jam see
//! nobody who comes towards them, press on, and leave the first row no room to turn aside. So three
//! things go from agent to agent, a row in each step:
//! - the turn to the side: who is held up turns as those turn who hold it up;
//! - urgency: the time lost on the way, which those take over who are pressed by an agent that lost
//!   more, as long as they are in its way;
//! - retreat: who is pressed by an agent of more urgency that goes against it goes back, and so do
//!   those behind it.
//!
//! And who is held up presses less.
//!
//! # References
//! - Okumura, Machida, Défago and Tamura 2022, Priority inheritance with backtracking for iterative
//!   multi-agent path finding, <https://doi.org/10.1016/j.artint.2022.103752>, section 3: the same for
//!   agents on a graph.
//! - Best, Narang, Curtis and Manocha 2014, DenseSense: interactive crowd simulation using
//!   density-dependent filters, <https://doi.org/10.2312/sca.20141127>: lower speeds in dense crowds.

use glam::{Vec2, Vec3Swizzles};
use waymesh_core::Random;

use crate::bodies::Body;

// The figures below were tried together, in the scenes of the README and with 160 to 300 agents at
// the gate of the tests.

/// Seconds over which it is seen if an agent is held up.
const HELD_TIME: f32 = 1.0;

/// An agent is held up from this share of its speed on that it lacks, and wholly so at the second.
const HELD: [f32; 2] = [0.3, 0.7];

/// The share of its wish that an agent gives up that is wholly held up.
const PATIENCE: f32 = 0.3;

/// The share of a turn to the side that is passed on.
const PASSED_TURN: f32 = 0.95;

/// Seconds of urgency that are lost from agent to agent.
const PASSED_URGENCY: f32 = 0.5;

/// Seconds of urgency by which another one has to be ahead for a full retreat.
const FULL_RETREAT: f32 = 0.5;

/// Seconds of lost time that an agent makes up for in one that it walks freely.
const RECOVERY: f32 = 0.2;

/// Seconds in which an agent begins to go back.
const RETREAT_TIME: f32 = 0.3;

/// Those behind an agent let it go back where it does so with this share of its wish.
const YIELDS: f32 = 0.2;

/// Cosine of the angle within which an agent presses on what is in front of it.
const IN_FRONT: f32 = 0.7;

/// An agent that comes nearer by this presses, too, in metres a second.
const COMES_NEARER: f32 = 0.1;

/// What an agent knows of the jam that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Jam {
    /// The share of its speed that it lacked over the last second.
    pub(crate) slow: f32,
    /// Seconds that it lost.
    pub(crate) lost: f32,
    /// Its own urgency, or what it took over, in seconds.
    pub(crate) urgency: f32,
    /// Where it goes back to, and how much of its wish that is.
    retreat: Vec2,
}

impl Jam {
    /// `true` if it goes back for others.
    pub(crate) fn yields(&self) -> bool {
        self.retreat.length() > YIELDS
    }

    /// The share of its wish that it still presses with.
    pub(crate) fn pressure(&self) -> f32 {
        1.0 - PATIENCE * self.slow
    }

    /// From 0 to 1: if it is held up.
    fn held(&self) -> f32 {
        ((self.slow - HELD[0]) / (HELD[1] - HELD[0])).clamp(0.0, 1.0)
    }

    /// Looks at who presses on an agent that wants to go `ahead`, of length 1, at `speed`. Returns
    /// the direction away from the most urgent one that it has to make room for, times the share of
    /// its wish that it gives up for that.
    pub(crate) fn look<'a>(
        &mut self,
        body: &Body,
        others: impl Iterator<Item = &'a Body>,
        ahead: Vec2,
        [speed, dt]: [f32; 2],
    ) -> Vec2 {
        let slow = (1.0 - body.velocity.dot(ahead) / speed).clamp(0.0, 1.0);
        self.slow += (slow - self.slow) * (dt / (dt + HELD_TIME));
        self.lost = (self.lost + dt * (slow - RECOVERY * (1.0 - slow))).max(0.0);
        // Those who were stopped together are not as urgent as each other for long.
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
            // Those on the same way only pass their urgency on.
            let is_against = body.goes_against(other) || other.yields && other.wish.dot(body.wish) < 0.0;
            if excess > most && is_against {
                most = excess;
                away = if distance > 1e-4 { offset / distance } else { Vec2::X };
            }
        }
        most.min(1.0) * away
    }

    /// Returns the greatest turn to the side, on side `side` (1 or -1), that those pass on who hold
    /// the agent up.
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

    /// Returns what is left of a wish, of length 1 at most, for an agent asked to go back.
    pub(crate) fn give_way(&mut self, wish: Vec2, asked: Vec2, dt: f32) -> Vec2 {
        let asked = if wish.dot(asked) < 0.0 { asked } else { Vec2::ZERO };
        self.retreat += (asked - self.retreat) * (dt / (dt + RETREAT_TIME));
        wish * (1.0 - self.retreat.length().min(1.0)) + self.retreat
    }
}

/// `true` if another one wants to where an agent is, or comes nearer; `offset` leads from it to the
/// agent.
fn presses(other: &Body, offset: Vec2, distance: f32) -> bool {
    other.wish.dot(offset) > IN_FRONT * distance * other.wish.length()
        || other.velocity.dot(offset) > COMES_NEARER * distance
}

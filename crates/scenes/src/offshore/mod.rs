//! An offshore platform: a jacket in the sea, three decks with plant, living quarters, a helideck,
//! two cranes.

mod crane;
mod decks;
mod jacket;
mod process;
mod quarters;

use waymesh_core::Random;

use crate::builder::Builder;
use crate::parts::stairs::Flight;

/// Distance from one platform to the next, if there are several.
pub(crate) const SPACING: [f32; 2] = [70.0, 80.0];
/// Size along x, z and y. The sea is at y = 0.
const SIZE: [f32; 3] = [40.0, 52.0, 48.0];
/// Heights of the boat landing and the decks: cellar, main, upper.
const LANDING: f32 = 2.0;
const CELLAR: f32 = 14.0;
const MAIN: f32 = 20.0;
const UPPER: f32 = 26.0;
/// Ranges of the decks along x and z. The upper deck begins farther in.
const DECK: [[f32; 2]; 2] = [[2.0, 38.0], [2.0, 50.0]];
const UPPER_START: f32 = 14.0;
const PLATE: f32 = 0.08;

/// Half of the 6 m between decks: fifteen risers of 200 mm over open treads of 253 mm. Wide enough
/// for a stretcher, and for coarse grids.
const HALF: Flight = Flight { risers: 15, riser: 0.2, tread: 0.253, width: 1.5, depth: 0.0 };
const GAP: f32 = 0.2;
const TURN: f32 = 1.2;
/// Plan of a stair tower in its own frame.
const TOWER: [f32; 2] = [14.0 * 0.253 + TURN, 2.0 * 1.5 + GAP];

/// Stairs with a landing at half height, one above the other from level to level.
#[derive(Clone, Copy, Debug)]
struct Tower {
    /// Where flights start and end; `turns` is the number of quarter turns (0 or 2) of its x axis.
    origin: [f32; 2],
    turns: u8,
    levels: &'static [f32],
}

impl Tower {
    /// Plan, as ranges along x and z.
    fn plan(&self) -> [[f32; 2]; 2] {
        let [x, z] = self.origin;
        let [length, width] = TOWER;
        if self.turns == 0 { [[x, x + length], [z, z + width]] } else { [[x - length, x], [z - width, z]] }
    }

    /// Returns `true` if the deck at this height has an opening for it.
    fn opens(&self, level: f32) -> bool {
        self.levels.iter().skip(1).any(|at| (at - level).abs() < 0.1)
    }

    /// Returns `true` if it continues upwards from this level.
    fn goes_on(&self, level: f32) -> bool {
        self.levels.iter().rev().skip(1).any(|at| (at - level).abs() < 0.1)
    }
}

const TOWERS: [Tower; 3] = [
    Tower { origin: [6.013, 24.0], turns: 0, levels: &[CELLAR, MAIN, UPPER] },
    Tower { origin: [33.987, 30.4], turns: 2, levels: &[CELLAR, MAIN, UPPER] },
    Tower { origin: [6.013, 30.0], turns: 0, levels: &[LANDING, 8.0, CELLAR] },
];

pub(crate) fn build(builder: &mut Builder, random: &mut Random) {
    jacket::build(builder);
    decks::build(builder);
    process::build(builder, random);
    quarters::build(builder, random);
    crane::build(builder, random);
}

//! A town of square or oblong tiles. Each tile is a block of houses or a park, with half of the
//! streets around it.
//!
//! A tile depends only on the seed and its place, so that tiles can be made in any order, one at a
//! time.

mod cutting;
mod ground;
mod lots;
mod park;
mod relief;

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Builder, cuts};
use crate::parts::furniture::BENCH;

use ground::Ground;
use relief::Relief;

/// Half the width of a street's roadway: from a tile's border to the kerb.
const ROAD: f32 = 5.0;
const KERB: f32 = 0.15;
/// Width of the pavement, from the kerb to the front gardens.
const PAVEMENT: f32 = 3.0;

/// Kind of a tile of the town.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Houses,
    /// Houses on both sides of a sunken road with bridges over it.
    Cutting,
    Park,
}

/// A kind of town.
#[derive(Clone, Copy, Debug)]
struct Town {
    /// Tiles along x and z at scale 1.
    tiles: [usize; 2],
    /// Size of a tile in metres.
    size: [f32; 2],
    hilly: bool,
    /// Storeys of the houses on a tile, and `true` for each with a steep roof. Every tile has these
    /// houses, each in its own order.
    houses: &'static [(usize, bool)],
    trees: usize,
    cars: usize,
    /// Height of the tallest mast above the street, on the first tile; 0 for none.
    mast: f32,
}

const fn flat(storeys: usize) -> (usize, bool) {
    (storeys, false)
}

const fn steep(storeys: usize) -> (usize, bool) {
    (storeys, true)
}

/// The paper's scene of buildings: 423 m by 549 m, 16 m high.
const BUILDINGS: Town = Town {
    tiles: [4, 5],
    size: [105.75, 109.8],
    hilly: false,
    houses: &[flat(2), flat(2), flat(4), flat(2), flat(3), flat(2)],
    trees: 6,
    cars: 8,
    mast: 15.85,
};

/// Tiles of 125 m by 125 m, 256 tiles at scale 16.
const CITY: Town = Town {
    tiles: [1, 1],
    size: [125.0; 2],
    hilly: true,
    houses: &[
        flat(2),
        steep(1),
        steep(2),
        flat(3),
        steep(1),
        flat(2),
        steep(1),
        steep(2),
        flat(2),
        steep(1),
        steep(2),
        flat(2),
    ],
    trees: 22,
    cars: 12,
    mast: 0.0,
};

impl Town {
    fn kind(&self, place: [usize; 2]) -> Kind {
        let [i, j] = place;
        if !self.hilly {
            Kind::Houses
        } else if j % 4 == 1 {
            Kind::Cutting
        } else if (i * 7 + j * 3) % 12 == 5 {
            Kind::Park
        } else {
            Kind::Houses
        }
    }

    fn blocks(&self, scale: u32) -> usize {
        self.tiles[0] * self.tiles[1] * (scale * scale) as usize
    }

    /// Tiles are numbered row by row along x.
    fn block(&self, seed: u64, scale: u32, index: usize) -> Builder {
        let columns = self.tiles[0] * scale as usize;
        let place = [index % columns, index / columns];
        let mut builder = Builder::default();
        let mut random = Random::new(tile_seed(seed, place));
        let origin = [place[0] as f32 * self.size[0], place[1] as f32 * self.size[1]];
        let relief = if self.hilly { Relief::hills(seed) } else { Relief::flat() };
        let kind = self.kind(place);
        let sunken = (kind == Kind::Cutting).then(|| cutting::range(self.size));
        let ground = Ground::new(relief, origin, self.size, sunken);
        builder.at(Vec3::new(origin[0], 0.0, origin[1]), 0, |builder| {
            ground.build(builder);
            street(builder, &ground, self.cars, &mut random);
            if kind == Kind::Park {
                park::build(builder, &ground, &mut random);
                return;
            }
            if kind == Kind::Cutting {
                cutting::build(builder, &ground);
            }
            let mast = if index == 0 { self.mast } else { 0.0 };
            lots::build(builder, &ground, self.houses, mast, &mut random);
            courtyard(builder, &ground, self.trees, &mut random);
        });
        builder
    }
}

/// Seed of a tile, which gives every tile its own random numbers.
fn tile_seed(seed: u64, place: [usize; 2]) -> u64 {
    let [i, j] = place.map(|slot| slot as u64);
    Random::mix(seed ^ Random::mix((i << 32) | j).wrapping_mul(3))
}

/// Builds lamps and trees along the kerbs, parked cars and bins.
fn street(builder: &mut Builder, ground: &Ground, cars: usize, random: &mut Random) {
    let [width, depth] = ground.size;
    let on_pavement = |x: f32, z: f32| Vec3::new(x, ground.pavement(x, z), z);
    for x in cuts(18.0, width - 18.0, 22.0) {
        builder.lamp(on_pavement(x, ROAD + 0.6), 3);
        builder.lamp(on_pavement(x, depth - ROAD - 0.6), 1);
        builder.tree(on_pavement(x + 6.0, ROAD + 1.2), random);
        builder.tree(on_pavement(x + 6.0, depth - ROAD - 1.2), random);
    }
    for z in cuts(18.0, depth - 18.0, 30.0) {
        if ground.over_cutting(z, 3.0) {
            continue;
        }
        builder.lamp(on_pavement(ROAD + 0.6, z), 2);
        builder.lamp(on_pavement(width - ROAD - 0.6, z), 0);
        builder.bin(on_pavement(ROAD + 0.6, z + 3.0));
    }
    // A car has a place of 6 m along each of the two long kerbs.
    let places = cuts(14.0, width - 20.0, 6.0);
    let order = random.permutation(places.len());
    for (index, &place) in order.iter().take(cars).enumerate() {
        let x = places[place] + 3.0;
        let z = if index % 2 == 0 { ROAD - 1.2 } else { depth - ROAD + 1.2 };
        let turns = if random.chance(0.5) { 0 } else { 2 };
        builder.car(Vec3::new(x, ground.street(x, z) - 0.03, z), turns);
    }
}

/// Builds trees and benches inside the ring of houses.
fn courtyard(builder: &mut Builder, ground: &Ground, trees: usize, random: &mut Random) {
    let [width, depth] = ground.size;
    let inset = lots::FRONT + crate::house::DEPTH + 5.0;
    for tree in 0..trees {
        let x = random.range(inset, width - inset);
        // Trees stand along the back gardens, so that the middle stays free.
        let strip = random.range(0.0, 12.0);
        let z = if tree % 2 == 0 { inset - 3.0 + strip } else { depth - inset + 3.0 - strip };
        builder.tree(Vec3::new(x, ground.pavement(x, z), z), random);
        if tree % 4 == 0 {
            builder.item(BENCH, Vec3::new(x + 1.5, ground.pavement(x + 2.4, z), z), 0);
        }
    }
}

pub(crate) fn buildings_blocks(scale: u32) -> usize {
    BUILDINGS.blocks(scale)
}

pub(crate) fn buildings_block(seed: u64, scale: u32, index: usize) -> Builder {
    BUILDINGS.block(seed, scale, index)
}

pub(crate) fn city_blocks(scale: u32) -> usize {
    CITY.blocks(scale)
}

pub(crate) fn city_block(seed: u64, scale: u32, index: usize) -> Builder {
    CITY.block(seed, scale, index)
}

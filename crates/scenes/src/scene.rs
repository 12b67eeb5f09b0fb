//! The list of scenes.

use waymesh_core::TriangleSoup;

use crate::builder::Builder;
use crate::{
    caves, city_block, damage, dungeon, offshore, stacks, stairs, storeys, subway, terraces, terrain, town,
};

/// A procedural scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scene {
    /// Rooms on several levels with walls, doors, sloping corridors, pillars, crates and daises.
    DungeonRooms,
    /// Winding stairs around a pole, with a landing and a platform on top: two and a half turns,
    /// one above the other.
    SpiralStairs,
    /// Three slabs, one above the other, joined by ramps through holes.
    OverlappingStoreys,
    /// Smooth hills with boulders on them.
    RollingTerrain,
    /// Streets with kerbs, buildings with doorways, a footbridge over a street.
    CityBlock,
    /// Platforms and a pit with ledges too high to step onto and low enough to climb: straight,
    /// round, askew, next to a ramp, behind a parapet, under a low roof.
    Terraces,
    /// Chambers, and tunnels that wind over and under each other through rock: nothing is level,
    /// upright or straight, and no plane separates the upper tunnels from the lower ones.
    Caves,
    /// Twelve storeys of planks at all heights, tilted, with gaps: many sheets above each other, and
    /// none of them whole. 17,424 triangles, 30 m by 30 m by 31 m.
    Stacks,
    /// A subway station: three platforms, two tracks in tunnels, a concourse above them with gates
    /// and rooms, 24 escalators and 12 stairs between them. 568,000 triangles, 351 m by 40 m by 8
    /// m.
    Subway,
    /// An offshore platform: several decks, stair towers, pipes, tanks, living quarters, a
    /// helideck, cranes. 120,000 triangles, 40 m by 52 m by 48 m.
    Offshore,
    /// A district of furnished houses of two to four storeys with stairs to their roofs, streets
    /// with kerbs, trees, cars. 1,121,000 triangles, 423 m by 549 m by 16 m, in 20 blocks.
    Buildings,
    /// A hilly city of tiles of 125 m by 125 m, each a block: houses as in [`Scene::Buildings`],
    /// parks, sunken roads with bridges. About 78,000 triangles per tile; at [`MAX_SCALE`] 20
    /// million over 2 km by 2 km.
    City,
}

/// Largest [`SceneConfig::scale`] that is used. Terrain then has 7.4 million triangles and the city
/// 20 million; the other large scenes are repeated 256 times.
pub const MAX_SCALE: u32 = 16;

/// Configuration of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneConfig {
    /// Seed of the random numbers. Default 1, any value.
    pub seed: u64,
    /// Factor by which the plan grows along x and along z. The number of triangles grows with its
    /// square. Default 1, clamped to `1..=`[`MAX_SCALE`].
    pub scale: u32,
}

impl Default for SceneConfig {
    fn default() -> Self {
        Self { seed: 1, scale: 1 }
    }
}

waymesh_core::setters! {
    impl SceneConfig {
        with_seed(seed: u64);
        with_scale(scale: u32);
    }
}

impl Scene {
    /// The small scenes, in order: quick enough to run every test over.
    pub const ALL: [Self; 6] = [
        Self::DungeonRooms,
        Self::SpiralStairs,
        Self::OverlappingStoreys,
        Self::RollingTerrain,
        Self::CityBlock,
        Self::Terraces,
    ];

    /// Small natural scenes. Their ground is near the steepest slope in many places, so the
    /// walkable part depends on the grid.
    pub const NATURAL: [Self; 1] = [Self::Caves];

    /// Small scenes of many sheets above each other, to see what a sheet costs.
    pub const SHEETS: [Self; 1] = [Self::Stacks];

    /// The large scenes, in order.
    pub const LARGE: [Self; 4] = [Self::Subway, Self::Offshore, Self::Buildings, Self::City];

    /// Name for command lines and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Description of the scene in one line, for command lines.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.words()[1]
    }

    /// Name and description.
    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::DungeonRooms => {
                ["dungeon-rooms", "rooms on several levels with doors, ramps, pillars and crates"]
            }
            Self::SpiralStairs => ["spiral-stairs", "stairs that wind twice and a half round a pole"],
            Self::OverlappingStoreys => {
                ["overlapping-storeys", "three slabs over each other, joined by ramps"]
            }
            Self::RollingTerrain => ["rolling-terrain", "smooth hills with boulders"],
            Self::CityBlock => ["city-block", "streets with kerbs, buildings and a footbridge"],
            Self::Terraces => ["terraces", "platforms with ledges to climb and to jump from"],
            Self::Caves => ["caves", "tunnels and chambers that wind over each other through rock"],
            Self::Stacks => ["stacks", "twelve storeys of tilted planks with gaps between them"],
            Self::Subway => ["subway", "a subway station, 568,000 triangles"],
            Self::Offshore => ["offshore", "an offshore platform, 120,000 triangles"],
            Self::Buildings => ["buildings", "a district of furnished houses, 1,121,000 triangles"],
            Self::City => ["city", "a hilly city, about 78,000 triangles; grows with --scale"],
        }
    }

    /// All scenes, the small ones first.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::NATURAL).chain(Self::SHEETS).chain(Self::LARGE)
    }

    /// The scene with this [`Scene::name`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::every().find(|scene| scene.name() == name)
    }

    /// Number of blocks of the scene; 1 for a small scene.
    #[must_use]
    pub fn block_count(self, config: &SceneConfig) -> usize {
        let scale = config.scale.clamp(1, MAX_SCALE);
        match self {
            Self::Subway | Self::Offshore => (scale * scale) as usize,
            Self::Buildings => town::BUILDINGS.blocks(scale),
            Self::City => town::CITY.blocks(scale),
            _ => 1,
        }
    }

    /// Builds one block. Blocks do not depend on each other. The result is empty if there is no
    /// such block.
    ///
    /// # Guarantees
    /// See [`Scene::build`].
    #[must_use]
    pub fn block(self, config: &SceneConfig, index: usize) -> TriangleSoup {
        if index >= self.block_count(config) {
            return TriangleSoup::default();
        }
        let (seed, scale) = (config.seed, config.scale.clamp(1, MAX_SCALE));
        match self {
            Self::DungeonRooms => dungeon::build(seed, scale),
            Self::SpiralStairs => stairs::build(seed, scale),
            Self::OverlappingStoreys => storeys::build(seed, scale),
            Self::RollingTerrain => terrain::build(seed, scale),
            Self::CityBlock => city_block::build(seed, scale),
            Self::Terraces => terraces::build(seed, scale),
            Self::Caves => caves::build(seed, scale),
            Self::Stacks => stacks::build(seed, scale),
            Self::Subway => repeated(seed, scale, index, subway::SPACING, subway::build),
            Self::Offshore => repeated(seed, scale, index, offshore::SPACING, offshore::build),
            Self::Buildings => town::BUILDINGS.block(seed, scale, index),
            Self::City => town::CITY.block(seed, scale, index),
        }
        .finish()
    }

    /// Builds the scene block by block and passes each block to `visit`. Only one block is in
    /// memory at a time. The triangles and their order are those of [`Scene::build`].
    pub fn for_each_block(self, config: &SceneConfig, visit: &mut dyn FnMut(&TriangleSoup)) {
        for index in 0..self.block_count(config) {
            visit(&self.block(config, index));
        }
    }

    /// Builds the whole scene: all blocks in order.
    ///
    /// # Guarantees
    /// - Every triangle is finite and has area.
    /// - Seen from above, the topmost surface faces up everywhere. The exception is the subway
    ///   station: nothing lies above its ceilings, which face down.
    /// - The same configuration gives the same bits on every machine.
    #[must_use]
    #[expect(
        clippy::missing_panics_doc,
        reason = "the largest scene has 290 million triangles, far below 2^32 vertices"
    )]
    pub fn build(self, config: &SceneConfig) -> TriangleSoup {
        let mut whole = self.block(config, 0);
        for index in 1..self.block_count(config) {
            let block = self.block(config, index);
            whole
                .append(block.positions().to_vec(), block.triangles().to_vec())
                .expect("scenes stay far below 2^32 vertices");
        }
        whole
    }

    /// Builds the scene at scale 1 with [`damage`] done to it: holes, flipped, duplicate,
    /// degenerate and intersecting triangles, NaN and infinite vertices.
    ///
    /// [`damage`]: crate::damage()
    #[must_use]
    pub fn broken(self, seed: u64) -> TriangleSoup {
        damage::damage(&self.build(&SceneConfig::default().with_seed(seed)), seed).0
    }
}

/// Copies of a scene of one piece stand side by side, `scale` along x and along z, each with its
/// own seed.
fn repeated(
    seed: u64,
    scale: u32,
    index: usize,
    spacing: [f32; 2],
    build: fn(&mut Builder, &mut waymesh_core::Random),
) -> Builder {
    let place = [index % scale as usize, index / scale as usize];
    let origin = [place[0] as f32 * spacing[0], place[1] as f32 * spacing[1]];
    let mut random = waymesh_core::Random::new(seed.wrapping_add(waymesh_core::Random::mix(index as u64)));
    let mut builder = Builder::default();
    builder.at(glam::Vec3::new(origin[0], 0.0, origin[1]), 0, |builder| build(builder, &mut random));
    builder
}

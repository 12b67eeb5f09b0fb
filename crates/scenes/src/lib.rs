//! Procedural scenes: the same triangles on every machine, no files needed.
//!
//! Five scenes, each with what makes its kind hard for a navigation mesh, and a broken variant of each with the faults that
//! exported levels have. Metres, y up; floors wind so that `(b - a) x (c - a)` points up, and solids are closed.
//!
//! ```
//! use waymesh_scenes::{Scene, SceneConfig};
//!
//! let dungeon = Scene::DungeonRooms.build(&SceneConfig::default());
//! let larger = Scene::DungeonRooms.build(&SceneConfig::default().with_scale(3));
//! let broken = Scene::DungeonRooms.broken(7);
//! assert!(larger.triangles().len() > dungeon.triangles().len());
//! assert_eq!(dungeon.skipped().total(), 0);
//! assert!(broken.skipped().total() > 0);
//! ```
//!
//! # Determinism
//! Randomness comes from [`waymesh_core::Random`]: a dozen lines, and no version of another crate can change its
//! stream. Angles go through a sine of our own as well, because the platform's may differ in the last bit.

mod angles;
mod builder;
mod city;
mod damage;
mod dungeon;
mod stairs;
mod storeys;
mod terrain;

use waymesh_core::TriangleSoup;

pub use damage::{Damage, damage};

/// The scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scene {
    /// Rooms on several levels with walls, doors, sloping corridors, pillars, crates and daises.
    DungeonRooms,
    /// Winding stairs round a pole, with a landing and a platform on top: two and a half turns over each other.
    SpiralStairs,
    /// Three slabs over each other, joined by ramps through holes.
    OverlappingStoreys,
    /// Smooth hills with boulders on them.
    RollingTerrain,
    /// Streets with kerbs, buildings with doorways, a footbridge over a street.
    CityBlock,
}

/// Largest [`SceneConfig::scale`] that is used; terrain then has 7.4 million triangles.
pub const MAX_SCALE: u32 = 16;

/// Which of the many scenes of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneConfig {
    /// Start of the random numbers. Default 1, any value.
    pub seed: u64,
    /// How many times larger the plan is along x and along z; triangles grow with its square.
    /// Default 1, taken into `1..=`[`MAX_SCALE`].
    pub scale: u32,
}

impl Default for SceneConfig {
    fn default() -> Self {
        Self { seed: 1, scale: 1 }
    }
}

impl SceneConfig {
    /// Sets the seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the scale.
    #[must_use]
    pub fn with_scale(mut self, scale: u32) -> Self {
        self.scale = scale;
        self
    }
}

impl Scene {
    /// All scenes, in order.
    pub const ALL: [Self; 5] = [
        Self::DungeonRooms,
        Self::SpiralStairs,
        Self::OverlappingStoreys,
        Self::RollingTerrain,
        Self::CityBlock,
    ];

    /// Name for command lines and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DungeonRooms => "dungeon-rooms",
            Self::SpiralStairs => "spiral-stairs",
            Self::OverlappingStoreys => "overlapping-storeys",
            Self::RollingTerrain => "rolling-terrain",
            Self::CityBlock => "city-block",
        }
    }

    /// The scene with this [`Scene::name`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scene| scene.name() == name)
    }

    /// Builds the scene.
    ///
    /// # Guarantees
    /// - Every triangle is finite and has area.
    /// - Seen from above, the topmost surface faces up everywhere.
    /// - The same bits for the same configuration, on every machine.
    #[must_use]
    pub fn build(self, config: &SceneConfig) -> TriangleSoup {
        let (seed, scale) = (config.seed, config.scale.clamp(1, MAX_SCALE));
        match self {
            Self::DungeonRooms => dungeon::build(seed, scale),
            Self::SpiralStairs => stairs::build(seed, scale),
            Self::OverlappingStoreys => storeys::build(seed, scale),
            Self::RollingTerrain => terrain::build(seed, scale),
            Self::CityBlock => city::build(seed, scale),
        }
        .finish()
    }

    /// Builds the scene at scale 1 with [`damage`] done to it: holes, flipped, duplicate, degenerate and intersecting
    /// triangles, NaN and infinite vertices.
    #[must_use]
    pub fn broken(self, seed: u64) -> TriangleSoup {
        damage(&self.build(&SceneConfig::default().with_seed(seed)), seed).0
    }
}

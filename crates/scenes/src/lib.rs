//! Procedural scenes: the same triangles on every machine, no files needed.
//!
//! Eight small scenes, each with the difficulties of its kind for a navigation mesh, and four large
//! ones: a subway station, an offshore platform and a district of buildings with the size and the
//! number of triangles of the scenes in Saupin and Le Garrec 2013, section 6.2, and a city that
//! grows to 20 million triangles over 2 km by 2 km. There is a broken variant of each, with the
//! faults that exported levels have. Metres, y up; floors wind so that `(b - a) x (c - a)` points
//! up, and solids are closed.
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
//! # Scenes larger than memory
//! Large scenes are made of blocks. A block depends only on the configuration and its own number,
//! so blocks can be made one at a time, in any order, on any thread. [`SceneSource`] is a scene as
//! a source of triangles that makes them when it is read.
//!
//! ```
//! use waymesh_scenes::{Scene, SceneConfig};
//!
//! let city = SceneConfig::default().with_scale(2);
//! let mut triangles = 0;
//! Scene::City.for_each_block(&city, &mut |block| triangles += block.triangles().len());
//! assert_eq!(triangles, Scene::City.build(&city).triangles().len());
//! ```
//!
//! # Determinism
//! Random numbers come from [`waymesh_core::Random`], so that no new version of another crate can
//! change them. Angles use the sine of [`waymesh_core::float`], because the platform's sine may
//! differ in the last bit.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod builder;
mod caves;
mod city_block;
mod damage;
mod dungeon;
mod offshore;
mod parts;
mod scene;
mod source;
mod stacks;
mod stairs;
mod storeys;
mod subway;
mod terraces;
mod terrain;
mod town;

pub use damage::{Damage, damage};
pub use glam;
pub use scene::{MAX_SCALE, Scene, SceneConfig};
pub use source::SceneSource;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

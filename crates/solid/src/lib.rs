//! Distinguishes inside from outside in any triangle soup.
//!
//! A [`SightTree`] holds the triangles of a scene and looks along rays: a ray that leaves a solid
//! which it did not enter starts in one. Unlike the first triangle along a ray it is right about
//! bodies within bodies and walls of two sides, and unlike a count of crossings about triangles
//! that are doubled. Looks in many directions forgive holes.
//!
//! ```
//! use waymesh_core::TriangleSoup;
//! use waymesh_solid::glam::Vec3;
//! use waymesh_solid::{Look, SightTree};
//!
//! let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let tetrahedron = TriangleSoup::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let tree = SightTree::new(&tetrahedron)?;
//! assert_eq!(tree.look(Vec3::splat(0.2), Vec3::Y), Look::Leaves);
//! assert_eq!(tree.look(Vec3::splat(-0.2), Vec3::ONE), Look::Passes);
//! assert_eq!(tree.look(Vec3::splat(-0.2), Vec3::Y), Look::Open);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod sight;

pub use glam;
pub use sight::{Look, SightTree};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

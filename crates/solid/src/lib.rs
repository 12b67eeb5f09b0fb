//! Distinguishes inside from outside in any triangle soup.
//!
//! A [`RayTree`] holds the triangles of a scene and casts rays. A ray that leaves a solid which it
//! did not enter starts inside of one. This holds for nested bodies and two-sided walls, where the
//! first triangle along a ray misleads, and for duplicated triangles, where a count of crossings
//! does. Rays in many directions make up for holes.
//!
//! ```
//! use waymesh_core::TriangleSoup;
//! use waymesh_solid::glam::Vec3;
//! use waymesh_solid::{RayOutcome, RayTree};
//!
//! let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let tetrahedron = TriangleSoup::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let tree = RayTree::new(&tetrahedron)?;
//! assert_eq!(tree.cast(Vec3::splat(0.2), Vec3::Y), RayOutcome::Leaves);
//! assert_eq!(tree.cast(Vec3::splat(-0.2), Vec3::ONE), RayOutcome::Passes);
//! assert_eq!(tree.cast(Vec3::splat(-0.2), Vec3::Y), RayOutcome::Open);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod ray_tree;

pub use glam;
pub use ray_tree::{RayOutcome, RayTree};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

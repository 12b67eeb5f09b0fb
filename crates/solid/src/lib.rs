//! Tells inside from outside in any triangle soup.
//!
//! A [`WindingTree`] holds the triangles of a scene and answers two questions about a place: its
//! generalised winding number, and what is above it. The winding number is 1 inside of a closed
//! surface that faces out, 0 outside, and something between where the surface has holes. Unlike a
//! count of crossings along a ray it is right about surfaces that are open, doubled or cut by
//! others.
//!
//! ```
//! use waymesh_solid::glam::Vec3;
//! use waymesh_core::TriangleSoup;
//! use waymesh_solid::WindingTree;
//!
//! let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let tetrahedron = TriangleSoup::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let tree = WindingTree::new(&tetrahedron)?;
//! assert!((tree.winding_number(Vec3::splat(0.2)) - 1.0).abs() < 1e-6);
//! assert!(tree.winding_number(Vec3::splat(1.0)).abs() < 0.01);
//! assert!(tree.is_covered(Vec3::splat(0.2)) && !tree.is_covered(Vec3::Y));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # References
//! - Jacobson, Kavan and Sorkine-Hornung 2013, Robust inside-outside segmentation using generalized
//!   winding numbers, <https://doi.org/10.1145/2461912.2461916>.
//! - Barill, Dickson, Schmidt, Levin and Jacobson 2018, Fast winding numbers for soups and clouds,
//!   <https://doi.org/10.1145/3197517.3201337>.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod triangle;
mod winding;

pub use glam;
pub use winding::WindingTree;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Judges any navigation mesh against its scene: how correct, how good and how small it is.
//!
//! - [`Oracle`] decides by exact geometry on the scene's triangles where an agent can stand. It
//!   shares nothing with the baker but the tree that finds triangles, and reports where it is not
//!   certain.
//! - [`JudgedMesh`] is a mesh as plain polygons: a [`waymesh_graph::NavMesh`], or a mesh of another
//!   program.
//! - [`Oracle::evaluate`] returns an [`Evaluation`], whose fields define each figure, and the
//!   [`Places`] where the mesh is missing or superfluous.
//! - [`Difference`] compares two meshes of one scene: ground, pieces, links and paths.
//!
//! ```
//! use waymesh_metrics::glam::Vec3;
//! use waymesh_core::{Agent, TriangleSoup};
//! use waymesh_metrics::{JudgedMesh, MetricsConfig, Oracle};
//!
//! // A square of ten metres, and a mesh at a distance of the radius from its edges.
//! let square = |low: f32, high: f32| {
//!     [(low, low), (low, high), (high, high), (high, low)].map(|(x, z)| Vec3::new(x, 0.0, z)).to_vec()
//! };
//! let scene = TriangleSoup::new(square(0.0, 10.0), vec![[0, 1, 2], [0, 2, 3]])?;
//! let mesh = JudgedMesh::new(&square(0.6, 9.4), vec![vec![0, 1, 2, 3]])?;
//! let config = MetricsConfig::default().with_samples(2_000);
//! let found = Oracle::new(&scene, &Agent::default(), &config)?.evaluate(&mesh, None).evaluation;
//! assert_eq!(found.coverage, Some(1.0));
//! assert_eq!(found.excess.total, Some(0.0));
//! assert_eq!((found.connectivity.islands, found.connectivity.components), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # References
//! Van Toll et al. 2020, Comparing navigation meshes: Theoretical properties and practical metrics,
//! Computers & Graphics 91: coverage, connectivity, complexity, performance. The other figures were
//! defined for this crate.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod border;
mod components;
mod config;
mod difference;
mod error;
mod evaluate;
mod fans;
mod ground;
mod mesh;
mod oracle;
mod paths;
mod prepare;
mod report;
mod scene;
mod shape;
mod shortest;
mod spread;
mod tree;
mod units;
mod walk;

pub use config::MetricsConfig;
pub use difference::{Change, Difference, DifferenceConfig, LinkReport, Patch, PathChange, PathChanges};
pub use error::MetricsError;
pub use evaluate::Judgement;
pub use glam;
pub use mesh::JudgedMesh;
pub use oracle::{Obstruction, Oracle, Sample, Verdict};
pub use paths::{Route, Router};
pub use report::{
    ClearanceError, Connectivity, Detour, Evaluation, Excess, HeightError, Paths, Places, QueryTime, Shape,
    Violations,
};
pub use units::{centimetres, percent};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

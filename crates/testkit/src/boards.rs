//! Chains of queries on random boards with walls, doors and rough ground.

#![expect(clippy::missing_panics_doc, reason = "a contradiction is a panic")]

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use waymesh_core::{Agent, PolyId, Random};
use waymesh_graph::{Link, LinkEnd, LinkKind, NavMesh};

use crate::chains::{Chains, Followed};
use crate::flat_meshes::Board;

/// Follows chains on `count` random boards ([`Board::random`]).
///
/// # Panics
/// Panics after the last board if queries contradicted each other, with each board on which they
/// did.
pub fn on_boards(seed: u64, count: usize, mut follow: impl FnMut(&Board, &NavMesh) -> Followed) {
    let mut random = Random::new(seed);
    let mut findings = Vec::new();
    let mut followed = 0;
    for _ in 0..count {
        let board = Board::random(&mut random);
        let Some(mesh) = mesh_of(&board) else { continue };
        match catch_unwind(AssertUnwindSafe(|| follow(&board, &mesh))) {
            Ok(sum) => followed += sum.paths + sum.discs,
            Err(panic) => findings.push(format!("{board:?}: {:?}", panic.downcast_ref::<String>())),
        }
    }
    assert!(findings.is_empty(), "{} findings in {count} boards:\n{}", findings.len(), findings.join("\n"));
    assert!(2 * followed > count, "{followed} paths on {count} boards");
}

/// Follows chains of points on a board: on all of its ground, and on the ground that is not rough.
pub fn on_board(board: &Board, mesh: &NavMesh) -> Followed {
    let mut chains = Chains::new(mesh, board.seed);
    chains.step = 0.2 * board.cell_size + 0.01;
    chains.walls(6);
    chains.paths(4);
    chains.costs(4);
    chains.filter = chains.filter.without(Board::ROUGH_AREA);
    chains.walls(2);
    chains.paths(2);
    chains.followed
}

/// Builds the mesh of a board; `None` without polygons. Links that are crossed like edges join most
/// of its seams, some of them closed or at an extra cost.
#[must_use]
pub fn mesh_of(board: &Board) -> Option<NavMesh> {
    let polygons = board.build();
    let mut random = Random::new(board.seed ^ 0x5ea);
    let (mut borders, mut links) = (HashMap::new(), Vec::new());
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let corners = polygons.corners(id);
        let first = polygons.polygons[id.index()].first as usize;
        for (corner, &a) in corners.iter().enumerate() {
            if polygons.neighbours[first + corner].is_some() {
                continue;
            }
            let b = corners[(corner + 1) % corners.len()];
            let Some(other) = borders.remove(&(b, a)) else {
                borders.insert((a, b), id);
                continue;
            };
            let ends = [a, b].map(|vertex| polygons.vertices[vertex.index()]);
            let [from, to] = [id, other].map(|polygon| LinkEnd { polygon, ends });
            let mut link = Link::new(from, to, LinkKind::Door);
            link.is_open = random.chance(0.8);
            link.extra_cost = if random.chance(0.2) { random.range(0.0, 5.0) } else { 0.0 };
            if random.chance(0.8) {
                links.push(link);
            }
        }
    }
    let mesh = NavMesh::new(polygons, None, Agent::default().with_radius(0.0)).ok()?;
    Some(mesh.with_links(links).expect("links between its polygons"))
}

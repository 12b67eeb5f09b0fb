//! Chains of queries: every query accepts the positions that another one returned.

use waymesh::triangulate::ClearanceConfig;
use waymesh::{Agent, NavMesh, with_clearance};
use waymesh_testkit::Random;
use waymesh_testkit::chains::Chains;
use waymesh_testkit::flat_meshes::Board;

/// Follows chains of queries for points and discs on the random board of a seed.
pub fn chains(seed: u64) {
    let mut random = Random::new(seed);
    let board = Board::random(&mut random);
    let agent = Agent::default().with_radius(0.0);
    let Ok(mesh) = NavMesh::new(board.build(), None, agent) else { return };
    let mut chains = Chains::new(&mesh, seed);
    chains.step = 0.2 * board.cell_size + 0.01;
    chains.walls(6);
    chains.paths(4);
    let clear = with_clearance(mesh.clone(), &ClearanceConfig::default()).expect("discs walk on it");
    chains.discs(&clear, random.range(0.0, 1.5) * board.cell_size, 2);
}

//! Chains of queries: every query accepts the positions that another one returned.

use waymesh::triangulate::ClearanceConfig;
use waymesh::with_clearance;
use waymesh_testkit::Random;
use waymesh_testkit::boards::{mesh_of, on_board};
use waymesh_testkit::chains::Chains;
use waymesh_testkit::flat_meshes::Board;

/// Follows chains of queries for points and discs on the random board of a seed.
pub fn chains(seed: u64) {
    let mut random = Random::new(seed);
    let board = Board::random(&mut random);
    let Some(mesh) = mesh_of(&board) else { return };
    on_board(&board, &mesh);
    let mut chains = Chains::new(&mesh, seed);
    chains.step = 0.2 * board.cell_size + 0.01;
    let clear = with_clearance(mesh.clone(), &ClearanceConfig::default()).expect("discs walk on it");
    chains.discs(&clear, random.range(0.0, 1.5) * board.cell_size, 2);
}

//! Chains of queries on random boards with walls, doors and rough ground.

#![expect(clippy::missing_panics_doc, reason = "a contradiction is a panic")]

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::Vec3;
use waymesh_core::{Agent, PolyId, Random};
use waymesh_graph::{ClearanceNavMesh, Link, LinkEnd, LinkKind, NavMesh};

use crate::chains::{Chains, Followed};
use crate::flat_meshes::Board;

/// Seeds of random boards on which queries contradicted each other once in some 100,000 boards: a
/// ray between the end of a closed door and a wall, a disc in an acute corner of steep ground.
const ONCE_WRONG: [u64; 2] = [0xa8bd_5063_9b6f_a2bd, 0x63a2_2ee3_2e00_5df6];

/// Returns boards as [`ONCE_WRONG`] names: a ray that meets a link near a corner, and a ray to its
/// own rounded end.
fn once_wrong() -> impl Iterator<Item = Board> {
    let far = |seed, side, blocked: f32, hills, seams: f32, [x, z]: [f32; 2]| Board {
        seed,
        side,
        blocked: blocked.into(),
        origin: Vec3::new(x, -3.7, z),
        cell_size: 0.05,
        hills,
        seams: seams.into(),
        rough: 0.0,
    };
    let oracle = far(
        5_251_297_251_038_663_479,
        5,
        0.236_617_07,
        0.704_400_1,
        0.102_209_404,
        [-15.339_912, -29.263_735],
    );
    let known = [
        // An oracle: paths that turn at the end of a wall without thickness.
        Board { cell_size: 0.3, ..oracle },
        far(9_533_227_927_685_932_387, 10, 0.044_633_742, 1.408_825_9, 0.593_989_85, [4887.213, -874.514_65]),
        far(16_687_939_894_178_360_637, 7, 0.543_637_7, 0.0, 0.200_688, [11261.059, -8402.795]),
        // Slopes of 70 degrees: heights are off by several times the slack.
        far(2_202_433_665_248_487_971, 7, 0.224_977_87, 1.632_279_8, 0.396_766_57, [5116.258, -11399.838]),
        far(13_805_120_031_849_995_605, 6, 0.138_311_83, 1.191_085_8, 0.419_417_3, [6358.996, -11915.316]),
    ];
    let drawn = ONCE_WRONG.map(|seed| Board::random(&mut Random::new(seed)));
    known.into_iter().chain(drawn)
}

/// Follows chains on `count` random boards ([`Board::random`]), and on some that were once wrong.
///
/// # Panics
/// Panics after the last board if queries contradicted each other, with each board on which they
/// did.
pub fn on_boards(seed: u64, count: usize, mut follow: impl FnMut(&Board, &NavMesh) -> Followed) {
    let mut random = Random::new(seed);
    let mut findings = Vec::new();
    let mut followed = 0;
    let boards = once_wrong().chain(std::iter::from_fn(|| Some(Board::random(&mut random))));
    for board in boards.take(count) {
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
    let mut with_oracle = mesh.clone();
    with_oracle.build_oracle(64 << 20);
    chains.oracle = Some(with_oracle);
    chains.walls(6);
    chains.paths(4);
    chains.costs(4);
    chains.filter = chains.filter.without(Board::ROUGH_AREA);
    chains.walls(2);
    chains.paths(2);
    chains.followed
}

/// Follows chains of points, of discs and of discs without size on the random board of a seed, as
/// the fuzzer does. Returns the chains of the discs; `None` for a board without polygons.
pub fn on_board_of_seed(
    seed: u64,
    with_clearance: impl FnOnce(NavMesh) -> ClearanceNavMesh,
) -> Option<Followed> {
    let mut random = Random::new(seed);
    let board = Board::random(&mut random);
    let mesh = mesh_of(&board)?;
    on_board(&board, &mesh);
    let mut chains = Chains::new(&mesh, seed);
    chains.step = 0.2 * board.cell_size + 0.01;
    let clear = with_clearance(mesh.clone());
    chains.discs(&clear, random.range(0.0, 1.5) * board.cell_size, 2);
    chains.discs(&clear, 0.0, 2);
    Some(chains.followed)
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

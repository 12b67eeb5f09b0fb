//! Ground that winds about its corners and lies over itself in plan.

use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, Random, RegionId, VertexId,
};

/// The side of a square, in cells.
const SIDE: i32 = 10;

/// A square of the ground, and what its corners and edges are joined to.
#[derive(Clone)]
struct Square {
    place: [i32; 2],
    corners: [usize; 4],
    beyond: [Option<usize>; 4],
}

/// Returns `true` if squares are joined all around a corner, and there are more than four: on such
/// ground, which no agent is low enough for, paths turn where no wall is.
fn winds_without_wall(all: &[Square], first: usize, corner: usize) -> bool {
    let (mut square, mut at) = (first, corner);
    for count in 1..=4 * all.len() {
        let Some(beyond) = all[square].beyond[at] else { return false };
        (square, at) = (beyond, (at + 3) % 4);
        if (square, at) == (first, corner) {
            return count > 4;
        }
    }
    true
}

/// Makes ground of squares, each joined to one edge of an earlier one, wherever in plan that is: it
/// winds about corners by more than a full turn, and lies over itself a step apart. `loops` is
/// the chance that an edge which meets one of another square is joined to it. With `is_crooked` the
/// squares have walls at all angles.
#[must_use]
pub fn ground(seed: u64, squares: usize, loops: f64, is_crooked: bool) -> PolyMesh {
    let mut random = Random::new(seed);
    let shift =
        |random: &mut Random| if is_crooked { i32::try_from(random.index(5)).unwrap_or(0) - 2 } else { 0 };
    let mut vertices: Vec<PlanVertex> = Vec::new();
    let mut all: Vec<Square> = Vec::new();
    let offsets = [[0, 0], [1, 0], [1, 1], [0, 1]];
    let steps = [[0, -1], [1, 0], [0, 1], [-1, 0]];
    while all.len() < squares {
        let from = (!all.is_empty()).then(|| [random.index(all.len()), random.index(4)]);
        let mut place = [20, 20];
        let mut corners = [None; 4];
        let mut height = 0.0;
        if let Some([square, edge]) = from {
            let Square { place: at, corners: known, beyond } = &all[square];
            if beyond[edge].is_some() {
                continue;
            }
            place = [at[0] + steps[edge][0], at[1] + steps[edge][1]];
            let opposite = (edge + 2) % 4;
            corners[(opposite + 1) % 4] = Some(known[edge]);
            corners[opposite] = Some(known[(edge + 1) % 4]);
            height = vertices[known[edge]].height + [0.0, 0.25, 0.5][random.index(3)];
        }
        let corners = [0, 1, 2, 3].map(|corner| {
            corners[corner].unwrap_or_else(|| {
                let [x, z] =
                    [0, 1].map(|axis| SIDE * (place[axis] + offsets[corner][axis]) + shift(&mut random));
                vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
                vertices.len() - 1
            })
        });
        let mut beyond = [None; 4];
        if let Some([square, edge]) = from {
            all[square].beyond[edge] = Some(all.len());
            beyond[(edge + 2) % 4] = Some(square);
        }
        all.push(Square { place, corners, beyond });
    }
    // The other squares at an edge, with vertices that become one.
    for one in 0..all.len() {
        for (edge, step) in steps.iter().enumerate() {
            let other = random.index(all.len());
            let opposite = (edge + 2) % 4;
            let place = [0, 1].map(|axis| all[one].place[axis] + step[axis]);
            let is_free = all[one].beyond[edge].is_none() && all[other].beyond[opposite].is_none();
            if all[other].place != place || !is_free || random.unit_f64() >= loops {
                continue;
            }
            let before = all.clone();
            let [a, b] = [all[one].corners[edge], all[one].corners[(edge + 1) % 4]];
            let [c, d] = [all[other].corners[(opposite + 1) % 4], all[other].corners[opposite]];
            for corner in all.iter_mut().flat_map(|square| &mut square.corners) {
                *corner = if *corner == c {
                    a
                } else if *corner == d {
                    b
                } else {
                    *corner
                };
            }
            (all[one].beyond[edge], all[other].beyond[opposite]) = (Some(other), Some(one));
            if (0..4 * all.len()).any(|corner| winds_without_wall(&all, corner / 4, corner % 4)) {
                all = before;
            }
        }
    }
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.1, level_height: 1.0, width: 2048, depth: 2048 };
    let mut mesh = PolyMesh::empty(frame);
    mesh.vertices = vertices;
    for square in &all {
        let first = VertexId::from_index(mesh.corners.len()).0;
        mesh.polygons.push(Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND });
        mesh.corners.extend(square.corners.map(VertexId::from_index));
        mesh.neighbours.extend(square.beyond.map(|beyond| beyond.map(PolyId::from_index)));
    }
    mesh
}

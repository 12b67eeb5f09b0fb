//! A good mesh is damaged in one way at a time: the right figure changes, and no unrelated one.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common;
use common::{Draft, Level, agent, config, figures, judge, near, of};
use glam::Vec3;
use waymesh_metrics::{Evaluation, JudgedMesh, Oracle};

/// Groups of figures, in the order of [`groups`].
const GROUPS: [&str; 8] =
    ["coverage", "excess", "links", "height", "clearance", "complexity", "shape", "violations"];

/// The figures as groups, rounded so that sampling has no effect.
fn groups(found: &Evaluation) -> [Vec<i64>; 8] {
    let round = |value: Option<f64>, unit: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "some hundreds")]
        value.map_or(-1, |value| (value / unit).round() as i64)
    };
    let count = |value: usize| i64::try_from(value).unwrap();
    let links = &found.connectivity;
    vec![
        vec![round(found.coverage, 0.002)],
        [&found.excess.solid, &found.excess.ceiling, &found.excess.wall, &found.excess.drop]
            .map(|share| round(*share, 0.004))
            .to_vec(),
        vec![count(links.false_links), count(links.missed_links), count(links.islands)],
        vec![round(found.height_error.mean, 0.01), round(found.height_error.max, 0.02)],
        vec![round(found.clearance_error.max, 0.101)],
        [found.polygons, found.vertices, found.vertices_off_border].map(count).to_vec(),
        vec![round(found.slivers, 1e-3), round(found.min_angle, 1.0), count(found.t_junctions)],
        vec![count(found.violations)],
    ]
    .try_into()
    .unwrap()
}

/// Two floors that do not meet, each with a good mesh of three by one polygons, and a room's walls
/// around the first.
fn level() -> Level {
    let room = Level::default().floor([0.0, 10.0], [0.0, 10.0], 0.0).floor([20.0, 30.0], [0.0, 10.0], 0.0);
    room.solid([0.0, 0.0, 0.0], [10.0, 3.0, 0.5]).solid([0.0, 0.0, 9.5], [10.0, 3.0, 10.0])
}

fn good() -> Draft {
    let first = Draft::lattice(&[0.5, 3.5, 6.5, 9.5], &[1.0, 9.0], 0.0, &[]);
    first.and(&Draft::lattice(&[20.5, 23.5, 26.5, 29.5], &[0.5, 9.5], 0.0, &[]))
}

/// The room with a solid that is hollow in the middle of the first floor: the mesh continues in it.
#[test]
fn ground_in_a_solid_is_enclosed() {
    let enclosed = |level: Level| figures(&level.oracle(), &good()).enclosed;
    assert_eq!(enclosed(level()), Some(0.0));
    let share = enclosed(level().solid([3.5, -0.5, 2.0], [6.5, 3.0, 8.0])).unwrap();
    near(Some(share), 3.0 * 6.0 / (9.0 * 8.0 + 9.0 * 9.0), 0.01);
}

fn only(before: &Evaluation, after: &Evaluation, expected: &[&str]) {
    let (before, after) = (groups(before), groups(after));
    let moved: Vec<&str> = GROUPS
        .into_iter()
        .zip(before.iter().zip(&after))
        .filter(|(_, (b, a))| b != a)
        .map(|(g, _)| g)
        .collect();
    assert_eq!(moved, expected, "from {before:?} to {after:?}");
}

fn damaged(damage: impl FnOnce(&mut Draft)) -> (Evaluation, Evaluation) {
    let oracle = level().oracle();
    let mut draft = good();
    let before = figures(&oracle, &draft);
    damage(&mut draft);
    (before, figures(&oracle, &draft))
}

#[test]
fn the_good_mesh_is_good() {
    let (found, again) = damaged(|_| {});
    assert_eq!(found, again);
    // The walls' tops are a floor each, too narrow to stand on.
    assert_eq!((found.coverage, found.excess.total), (Some(1.0), Some(0.0)));
    assert_eq!((found.connectivity.islands, found.connectivity.components), (2, 2));
    assert_eq!(found.connectivity.agree, 300);
    near(found.clearance_error.max, 0.0, 0.001);
    assert_eq!((found.violations, found.t_junctions), (0, 0));
}

#[test]
fn a_shift_moves_coverage_excess_and_clearance() {
    let (before, after) = damaged(|draft| draft.vertices.iter_mut().for_each(|vertex| vertex.z += 0.7));
    only(&before, &after, &["coverage", "excess", "clearance"]);
    near(after.excess.total, (0.6 / 8.0 * 8.0 * 9.0 + 0.6 * 9.0) / 153.0, 0.01);
    near(after.clearance_error.max, 0.7, 0.001);
    let (before, after) = damaged(|draft| draft.vertices.iter_mut().for_each(|vertex| vertex.z += 0.05));
    // Within the uncertainty of the oracle, but the border shows it.
    near(after.clearance_error.max, 0.05, 0.002);
    only(&before, &after, &[]);
}

#[test]
fn a_polygon_deleted_moves_coverage_links_and_clearance() {
    let (before, after) = damaged(|draft| drop(draft.polygons.remove(1)));
    only(&before, &after, &["coverage", "links", "clearance", "complexity"]);
    near(after.coverage, 1.0 - 3.0 * 7.8 / (8.8 * 7.8 + 8.8 * 8.8), 0.005);
    assert_eq!((after.connectivity.islands, after.connectivity.false_links), (3, 0));
    assert!(after.connectivity.missed_links > 10);
}

#[test]
fn a_roof_added_moves_excess() {
    let mesh = good();
    let before = figures(&level().oracle(), &mesh);
    let roofed = level().solid([22.0, 1.5, 3.0], [28.0, 1.8, 7.0]);
    let after = figures(&roofed.oracle(), &mesh);
    near(after.excess.ceiling, 6.0 * 4.0 / 153.0, 0.005);
    near(after.excess.wall, (7.0 * 5.0 - 24.0) / 153.0 * 0.75, 0.02);
    // The roof itself can be stood on, too, and nothing covers it.
    near(after.coverage, 1.0 - 4.8 * 2.8 / (8.8 * 7.8 + 8.8 * 8.8 - 7.0 * 5.0), 0.03);
    assert_eq!(after.connectivity.components, 3);
    assert_eq!((after.violations, after.height_error), (0, before.height_error));
}

#[test]
fn islands_joined_move_the_links() {
    let oracle = level().oracle();
    let draft = good();
    let mesh = draft.mesh();
    let before = judge(&oracle, &mesh).evaluation;
    // A bridge over the void, and the same as a link without ground.
    let mut bridged = draft.clone();
    bridged.vertices.truncate(8);
    bridged.vertices.extend(Draft::lattice(&[20.5, 23.5, 26.5, 29.5], &[1.0, 9.0], 0.0, &[]).vertices);
    bridged.polygons.push(vec![3, 8, 12, 7]);
    let after = figures(&oracle, &bridged);
    assert_eq!((after.connectivity.islands, after.connectivity.missed_links), (1, 0));
    near(of(after.connectivity.false_links, after.connectivity.pairs), 0.5, 0.1);
    near(after.excess.drop, 11.0 * 8.0 / (72.0 + 72.0 + 88.0), 0.02);
    let mut neighbours: Vec<Vec<Option<u32>>> = vec![
        vec![None, Some(1), None, None],
        vec![None, Some(2), None, Some(0)],
        vec![None, Some(3), None, Some(1)],
        vec![None, Some(4), None, Some(2)],
        vec![None, Some(5), None, Some(3)],
        vec![None, None, None, Some(4)],
    ];
    let linked = mesh.clone().with_neighbours(&draft.polygons, neighbours.clone()).unwrap();
    let after = judge(&oracle, &linked).evaluation;
    assert_eq!((after.violation_kinds.cracks, after.violations), (2, 2));
    only(&before, &after, &["links", "violations"]);
    // One-sided.
    (neighbours[2][1], neighbours[3][3]) = (None, None);
    neighbours[1][1] = None;
    let broken = mesh.with_neighbours(&draft.polygons, neighbours).unwrap();
    let after = judge(&oracle, &broken).evaluation;
    assert_eq!((after.violation_kinds.asymmetric, after.violations), (1, 1));
    only(&before, &after, &["clearance", "violations"]);
}

#[test]
fn a_bent_polygon_is_a_violation() {
    // A vertex of the border between the first two polygons is pulled into the second.
    let (before, after) = damaged(|draft| {
        draft.vertices.push(Vec3::new(5.0, 0.0, 5.0));
        draft.polygons[0] = vec![0, 1, 16, 5, 4];
    });
    assert_eq!((after.violation_kinds.non_convex, after.violation_kinds.overlaps), (0, 1));
    only(&before, &after, &["links", "clearance", "complexity", "violations"]);
    let (before, after) = damaged(|draft| {
        draft.vertices.push(Vec3::new(2.0, 0.0, 5.0));
        draft.polygons[0] = vec![0, 1, 16, 5, 4];
    });
    assert_eq!((after.violation_kinds.non_convex, after.violation_kinds.overlaps), (1, 0));
    assert!(before.coverage > after.coverage && after.coverage > Some(0.9));
}

#[test]
fn a_polygon_lifted_by_a_level_moves_the_height() {
    let oracle = level().oracle();
    let draft = good();
    let before = figures(&oracle, &draft);
    let ground: Vec<Vec<[Vec3; 3]>> = draft
        .polygons
        .iter()
        .enumerate()
        .map(|(index, polygon)| {
            let lift = if index == 4 { Vec3::Y * 0.1 } else { Vec3::ZERO };
            let at = |corner: usize| draft.vertices[polygon[corner] as usize] + lift;
            vec![[at(0), at(1), at(2)], [at(0), at(2), at(3)]]
        })
        .collect();
    let after = judge(&oracle, &draft.mesh().with_ground(&ground).unwrap()).evaluation;
    near(after.height_error.max, 0.1, 1e-6);
    near(after.height_error.mean, 0.1 * 3.0 * 8.8 / (8.8 * 7.8 + 8.8 * 8.8), 0.001);
    assert_eq!(after.violation_kinds.cracks, 4);
    only(&before, &after, &["height", "violations"]);
    let (before, after) = damaged(|draft| draft.vertices.iter_mut().for_each(|vertex| vertex.y -= 0.1));
    near(after.height_error.mean, -0.1, 1e-6);
    only(&before, &after, &["height"]);
}

#[test]
fn a_vertex_inside_an_edge_is_a_junction() {
    let (before, after) = damaged(|draft| {
        // The last polygon is split in two; its neighbour keeps its long edge.
        draft.vertices.extend([Vec3::new(26.5, 0.0, 4.0), Vec3::new(29.5, 0.0, 4.0)]);
        draft.polygons[5] = vec![10, 11, 17, 16];
        draft.polygons.push(vec![16, 17, 15, 14]);
    });
    assert_eq!((after.t_junctions, after.violations), (1, 0));
    only(&before, &after, &["links", "clearance", "complexity", "shape"]);
}

#[test]
fn a_sliver_is_counted() {
    let lines = [0.5, 3.5, 3.55, 9.5];
    let (before, after) = damaged(|draft| {
        *draft = Draft::lattice(&lines, &[1.0, 9.0], 0.0, &[]).and(&Draft::lattice(
            &[20.5, 23.5, 26.5, 29.5],
            &[0.5, 9.5],
            0.0,
            &[],
        ));
    });
    near(after.slivers, 1.0 / 6.0, 1e-9);
    near(after.shape.min_width, 0.05, 1e-6);
    only(&before, &after, &["shape"]);
}

#[test]
fn a_mesh_of_another_winding_is_the_same() {
    let oracle = Oracle::new(&level().soup(), &agent(), &config()).unwrap();
    let draft = good();
    let mut turned = draft.clone();
    turned.polygons.iter_mut().for_each(|polygon| polygon.reverse());
    assert_eq!(groups(&figures(&oracle, &draft)), groups(&figures(&oracle, &turned)));
    // Given neighbours turn with the polygons.
    let neighbours = [
        vec![None, None, Some(1), None],
        vec![None, Some(0), None, Some(2)],
        vec![None, Some(1), None, None],
        vec![None, None, None, Some(4)],
        vec![None, Some(3), None, Some(5)],
        vec![None, Some(4), None, None],
    ];
    let polygons = turned.polygons[..3].to_vec();
    let first = JudgedMesh::new(&turned.vertices, polygons.clone()).unwrap();
    let wrong = first.with_neighbours(&polygons, neighbours[..3].to_vec()).unwrap();
    assert!(judge(&oracle, &wrong).evaluation.violations > 0);
}

//! The contours of whole worlds against a border walk on the grid of labels: the same polygons, the
//! same neighbours, the same vertices.

use std::collections::BTreeMap;

use glam::Vec3;
use waymesh_core::{Agent, GridScale, PlanPoint, PolygonLoop, PolygonSet, RegionId, TriangleSoup, VertexId};
use waymesh_slices::{SlicesConfig, slice_world};
use waymesh_testkit::{Random, polygons};

/// Labels the pieces of equal level, connected by sides, in row-major order, by the simplest
/// algorithm.
fn label(width: usize, levels: &[Option<i32>]) -> Vec<Option<u32>> {
    let mut labels = vec![None; levels.len()];
    let mut count = 0;
    for seed in 0..levels.len() {
        if levels[seed].is_none() || labels[seed].is_some() {
            continue;
        }
        let mut stack = vec![seed];
        labels[seed] = Some(count);
        while let Some(cell) = stack.pop() {
            let mut visit = |is_there: bool, other: usize| {
                if is_there && levels[other] == levels[seed] && labels[other].is_none() {
                    labels[other] = Some(count);
                    stack.push(other);
                }
            };
            visit(cell % width > 0, cell.wrapping_sub(1));
            visit(cell % width + 1 < width, cell + 1);
            visit(cell >= width, cell.wrapping_sub(width));
            visit(cell + width < levels.len(), cell + width);
        }
        count += 1;
    }
    labels
}

/// Returns a border as its turning points and the points where the region beyond changes: from the
/// lowest one on, each with its vertex and the region beyond the edge that starts there.
fn reduced(set: &PolygonSet, border: &PolygonLoop) -> Vec<(PlanPoint, VertexId, Option<RegionId>)> {
    let count = border.vertices.len();
    let at = |i: usize| set.point(border.vertices[i % count]);
    let kept: Vec<_> = (0..count)
        .filter(|&i| {
            PlanPoint::orientation(at(i + count - 1), at(i), at(i + 1)) != 0
                || border.beyond[(i + count - 1) % count] != border.beyond[i]
        })
        .map(|i| (at(i), border.vertices[i], border.beyond[i]))
        .collect();
    let key = |start: usize| -> Vec<_> {
        kept.iter()
            .cycle()
            .skip(start)
            .take(kept.len())
            .map(|(point, _, beyond)| (point.z, point.x, *beyond))
            .collect()
    };
    let start = (0..kept.len()).min_by_key(|&start| key(start)).expect("a border turns");
    kept.iter().copied().cycle().skip(start).take(kept.len()).collect()
}

type Border = Vec<(PlanPoint, VertexId, Option<RegionId>)>;

/// Returns the borders of all regions, the outer one first, the holes in order.
fn borders(set: &PolygonSet) -> Vec<Border> {
    let mut all = Vec::new();
    for polygon in &set.polygons {
        all.push(reduced(set, &polygon.outer));
        let mut holes: Vec<Border> = polygon.holes.iter().map(|hole| reduced(set, hole)).collect();
        holes.sort_by_key(|hole| hole.iter().map(|(point, _, beyond)| (*point, *beyond)).collect::<Vec<_>>());
        all.extend(holes);
    }
    all
}

#[test]
fn random_worlds_have_the_polygons_of_the_border_walk() {
    let mut random = Random::new(11);
    let (mut shared, mut holes) = (0, 0);
    for round in 0..300_u32 {
        let (width, depth) = (random.below(13) + 2, random.below(13) + 2);
        let (density, odd) = (0.4 + 0.6 * random.unit(), 0.6 * random.unit());
        let mut levels: Vec<Option<i32>> = (0..width * depth)
            .map(|_| {
                random
                    .chance(density)
                    .then(|| if random.chance(odd) { random.below(3).cast_signed() } else { 0 })
            })
            .collect();
        // Makes sure that the grid is at the expected place.
        let last = levels.len() - 1;
        (levels[0], levels[last]) = (Some(0), Some(0));
        let mut soup = TriangleSoup::default();
        for (cell, level) in (0_u32..).zip(&levels) {
            let Some(level) = level else { continue };
            let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(dx, dz)| {
                let plan = |cell: u32| f32::from(u16::try_from(cell).expect("a small grid"));
                let height = f32::from(i16::try_from(*level).expect("a small level")) * 0.25;
                Vec3::new(plan(cell % width + dx), height, plan(cell / width + dz))
            });
            soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
        }
        let config = SlicesConfig::default()
            .with_scale(GridScale::new(1.0, 0.25))
            .with_agent(Agent::default().with_max_step(0.5))
            .with_tile_cells(round % 9);
        let slices = slice_world(&soup, &config, &mut ()).expect("slices");
        let ours = slices.contours.polygons();
        let labels = label(width as usize, &levels);
        let expected = polygons::from_labels(width, depth, &labels);
        assert_eq!(ours.polygons.len(), expected.polygons.len());

        let (ours, expected) = (borders(&ours), borders(&expected));
        assert_eq!(ours.len(), expected.len());
        // Two borders share a vertex in the result where they share one in the reference.
        let mut names: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        let mut back: BTreeMap<VertexId, VertexId> = BTreeMap::new();
        for (ours, expected) in ours.iter().zip(&expected) {
            assert_eq!(ours.len(), expected.len());
            for (one, other) in ours.iter().zip(expected) {
                assert_eq!((one.0, one.2), (other.0, other.2));
                assert_eq!(*names.entry(one.1).or_insert(other.1), other.1);
                assert_eq!(*back.entry(other.1).or_insert(one.1), one.1);
                shared += u32::from(one.2.is_some());
            }
        }
        holes += ours.len() - slices.regions.len();
    }
    assert!(shared > 5000 && holes > 100, "{shared} shared edges, {holes} holes");
}

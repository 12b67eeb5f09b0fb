//! Ways of discs that are kept while agents and goals move.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use crate::discs;
use discs::{between, clear, crooked, halls, link, plane, rectangle, walls};
use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{
    ClearPathOptions, CorridorChange, CorridorOptions, Location, PathCorridor, QueryError, ReplanReason,
};
use waymesh::{NavMesh, Outcome, PolyId, QueryScratch, Reach};
use waymesh_testkit::flat_meshes;

/// A disc that walks to a goal that walks: never nearer to a wall than it is wide, never much
/// longer than the shortest path, and seldom planned again.
#[test]
fn a_corridor_follows_agent_and_goal() {
    let mut scratch = QueryScratch::default();
    let [mut kept, mut planned, mut arrived] = [0; 3];
    for seed in 0..6 {
        let mesh = clear(crooked(seed, 8, 0.2));
        let mut random = Random::new(seed);
        for radius in [0.0, 0.6, 1.5] {
            let reach = Reach::new(9.0, 1.0, 1.0);
            let mut place = || Vec3::new(80.0 * random.unit(), 0.0, 80.0 * random.unit());
            let (from, mut goal) = (place(), place());
            let options = ClearPathOptions::new(radius).with_reach(reach).with_allow_partial(false);
            let mut corridor = PathCorridor::new(CorridorOptions::default().with_disc(options));
            let known = corridor.plan(&mesh, from, goal, &mut scratch);
            if !matches!(known, Ok(CorridorChange::Replanned { .. })) {
                continue;
            }
            for step in 0..200 {
                let Some(&next) = corridor.next_corners(1).first() else { break };
                let at = corridor.path().points[0];
                let stride = (next - at).clamp_length_max(0.7);
                let mut changes = vec![corridor.move_start(&mesh, at + stride, &mut scratch).unwrap()];
                if step % 3 == 0 {
                    let aside = Vec3::new(random.unit() - 0.5, 0.0, random.unit() - 0.5);
                    goal = *corridor.path().points.last().unwrap() + aside;
                    changes.push(corridor.move_goal(&mesh, goal, &mut scratch).unwrap());
                }
                for change in changes {
                    *(if change == CorridorChange::Kept { &mut kept } else { &mut planned }) += 1;
                }
                let points = &corridor.path().points;
                let what = format!("seed {seed}, radius {radius}, step {step}: {points:?}");
                let (Some(&first), Some(&last)) = (points.first(), points.last()) else { break };
                let best = QueryError::accept_no_path(
                    mesh.query(options.radius).options(options).memory(&mut scratch).path(first, last),
                )
                .unwrap();
                assert_eq!(best.outcome, Outcome::Complete, "{what}");
                let most = best.plan_length * 1.12 + 0.3 + radius * 0.1;
                assert!(
                    corridor.path().plan_length <= most,
                    "{what}: {} for {}",
                    corridor.path().plan_length,
                    best.plan_length
                );
                let walls = walls(mesh.mesh());
                for line in points.windows(2).map(|pair| [plane(pair[0]), plane(pair[1])]) {
                    let kept = walls.iter().map(|&wall| between(line, wall)).fold(f64::INFINITY, f64::min);
                    assert!(kept >= f64::from(radius) * 0.998 - 2e-3, "{what}: {kept}");
                }
                if corridor.path().plan_length < 0.8 {
                    arrived += 1;
                    break;
                }
            }
        }
    }
    println!("{kept} kept, {planned} planned anew, {arrived} arrived");
    assert!(kept > 10 * planned && arrived > 8, "{kept} {planned} {arrived}");
}

#[test]
fn a_corridor_takes_links_and_looks_again() {
    let mut scratch = QueryScratch::default();
    let gate = link([10, 20, 14, 20], [10, 21, 14, 21]);
    let mesh = clear(halls(false).with_links(vec![gate]).unwrap());
    let (from, to) = (Vec3::new(5.0, 0.0, 10.0), Vec3::new(5.0, 0.0, 31.0));
    let mut corridor = PathCorridor::new(CorridorOptions::for_disc(1.0));
    assert!(matches!(corridor.plan(&mesh, from, to, &mut scratch), Ok(CorridorChange::Replanned { .. })));
    let taken = corridor.next_link().unwrap();
    let begin = corridor.path().points[taken.point];
    assert_eq!(
        corridor.move_start(&mesh, from.lerp(begin, 0.5), &mut scratch).unwrap(),
        CorridorChange::Kept
    );
    assert_eq!(corridor.take_link(&mesh, &mut scratch).unwrap().map(|taken| taken.link), Some(taken.link));
    assert!(corridor.path().points[0].z > 21.9 && corridor.next_link().is_none());
    assert_eq!(corridor.move_goal(&mesh, to + Vec3::X, &mut scratch).unwrap(), CorridorChange::Kept);
    let again = corridor.replan(&mesh, &mut scratch).unwrap();
    assert_eq!(again, CorridorChange::Replanned { reason: ReplanReason::Asked });
}

/// Copies of a building have the same triangles and links, and other positions and heights.
#[test]
fn copies_of_a_mesh_share_the_memory_of_a_query() {
    let gate = link([10, 20, 14, 20], [10, 21, 14, 21]);
    let copies = [Vec3::ZERO, Vec3::new(0.0, 6.0, 0.0), Vec3::new(100.0, 6.0, -30.0)].map(|origin| {
        let mut polygons = halls(false).poly_mesh();
        polygons.frame.origin = origin;
        (clear(NavMesh::try_from(polygons).unwrap().with_links(vec![gate]).unwrap()), origin)
    });
    let mut shared = QueryScratch::default();
    for (mesh, origin) in copies.iter().chain(&copies) {
        let [from, to] = [10.0, 31.0].map(|z| *origin + Vec3::new(5.0, 0.0, z));
        for radius in [0.5, 1.0] {
            let expected = mesh.query(radius).shortest().path(from, to);
            assert!(expected.as_ref().is_ok_and(|path| !path.links.is_empty()), "{expected:?}");
            let path = mesh.query(radius).shortest().memory(&mut shared).path(from, to);
            assert_eq!(path, expected, "at {origin}");
            let path = mesh.query(radius).memory(&mut shared).path(from, to);
            assert_eq!(path, mesh.query(radius).path(from, to), "at {origin}");
        }
    }
}

/// An agent at the place nearest to a goal that no path leads to has no path, until the goal moves.
#[test]
fn a_corridor_without_a_path_finds_one_when_its_goal_moves() {
    let mut scratch = QueryScratch::default();
    let mesh = clear(halls(false));
    for partial in [false, true] {
        let path = ClearPathOptions::new(1.0).with_allow_partial(partial);
        let mut corridor = PathCorridor::new(CorridorOptions::default().with_disc(path));
        assert_eq!(
            corridor.move_goal(&mesh, Vec3::new(5.0, 0.0, 5.0), &mut scratch),
            Ok(CorridorChange::Nothing)
        );
        let [from, beyond, to] = [19.0, 31.0, 5.0].map(|z| Vec3::new(5.0, 0.0, z));
        assert_eq!(corridor.plan(&mesh, from, beyond, &mut scratch), Ok(CorridorChange::Nothing));
        assert_eq!(corridor.replan(&mesh, &mut scratch), Ok(CorridorChange::Nothing));
        let change = corridor.move_goal(&mesh, to, &mut scratch);
        assert_eq!(change, Ok(CorridorChange::Replanned { reason: ReplanReason::Jumped }));
        assert_eq!(
            (corridor.path().outcome, &corridor.path().points[..]),
            (Outcome::Complete, &[from, to][..])
        );
    }
}

/// A wall without thickness lies between two halls; a position on it does not show its side. Agents
/// that are pushed against it stay on theirs, and walk round its end.
#[test]
fn a_corridor_keeps_its_side_of_a_thin_wall() {
    let mut halls = flat_meshes::build(&[
        rectangle(0, 0, 40, 20),
        rectangle(0, 20, 40, 20),
        rectangle(40, 0, 10, 20),
        rectangle(40, 20, 10, 20),
    ]);
    // The side that both halls have.
    assert_eq!([halls.neighbours[2], halls.neighbours[4]], [Some(PolyId(1)), Some(PolyId(0))]);
    (halls.neighbours[2], halls.neighbours[4]) = (None, None);
    let mesh = clear(NavMesh::try_from(halls).unwrap());
    let mut scratch = QueryScratch::default();
    for (radius, push) in [(0.0, 0.0), (0.0, 1e-5), (0.5, 0.0), (0.5, 0.1), (0.5, 0.45)] {
        for (across, own) in [(1.0_f32, [PolyId(0), PolyId(2)]), (-1.0, [PolyId(1), PolyId(3)])] {
            let what = format!("radius {radius}, pushed by {push} along {across}");
            let [from, to] = [-0.5, 15.0].map(|far| Vec3::new(20.0, 0.0, 20.0 + far * across));
            let mut corridor = PathCorridor::new(CorridorOptions::for_disc(radius));
            corridor.plan(&mesh, from, to, &mut scratch).unwrap();
            let mut is_round = false;
            for step in 0.. {
                let Location { position, polygon, .. } = corridor.start().unwrap();
                is_round |= position.x > 39.0;
                assert!(is_round || own.contains(&polygon), "{what}: on the other side at {position}");
                if position.distance(to) < 0.01 {
                    break;
                }
                assert!(step < 1000, "{what}: stands still at {position}");
                let mut next = position + (corridor.next_corners(1)[0] - position).clamp_length_max(0.2);
                if !is_round {
                    next.z = 20.0 + push * across;
                }
                corridor.move_start(&mesh, next, &mut scratch).unwrap();
            }
        }
    }
}

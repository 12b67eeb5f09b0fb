//! Ways of discs that are kept while agents and goals move.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use crate::discs;
use discs::{between, clear, crooked, halls, link, plane, walls};
use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{
    ClearCorridor, ClearCorridorOptions, ClearPathOptions, CorridorChange, QueryError, ReplanReason,
};
use waymesh::{Outcome, QueryScratch, Reach};

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
            let mut corridor = ClearCorridor::new(ClearCorridorOptions::new(radius).with_path(options));
            let known = corridor.plan(&mesh, from, goal, &mut scratch);
            if !matches!(known, Ok(CorridorChange::Replanned { .. })) {
                continue;
            }
            for step in 0..200 {
                let Some(&next) = corridor.next_corners(1).first() else { break };
                let at = corridor.points()[0];
                let stride = (next - at).clamp_length_max(0.7);
                let mut changes = vec![corridor.move_start(&mesh, at + stride, &mut scratch).unwrap()];
                if step % 3 == 0 {
                    let aside = Vec3::new(random.unit() - 0.5, 0.0, random.unit() - 0.5);
                    goal = *corridor.points().last().unwrap() + aside;
                    changes.push(corridor.move_goal(&mesh, goal, &mut scratch).unwrap());
                }
                for change in changes {
                    *(if change == CorridorChange::Kept { &mut kept } else { &mut planned }) += 1;
                }
                let points = corridor.points();
                let what = format!("seed {seed}, radius {radius}, step {step}: {points:?}");
                let (Some(&first), Some(&last)) = (points.first(), points.last()) else { break };
                let best = QueryError::accept_no_path(
                    mesh.query(options.radius).options(options).memory(&mut scratch).path(first, last),
                )
                .unwrap();
                assert_eq!(best.outcome, Outcome::Complete, "{what}");
                let most = best.plan_length * 1.12 + 0.3 + radius * 0.1;
                assert!(corridor.length() <= most, "{what}: {} for {}", corridor.length(), best.plan_length);
                let walls = walls(mesh.mesh());
                for line in points.windows(2).map(|pair| [plane(pair[0]), plane(pair[1])]) {
                    let kept = walls.iter().map(|&wall| between(line, wall)).fold(f64::INFINITY, f64::min);
                    assert!(kept >= f64::from(radius) * 0.998 - 2e-3, "{what}: {kept}");
                }
                if corridor.length() < 0.8 {
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
    let mut corridor = ClearCorridor::new(ClearCorridorOptions::new(1.0));
    assert!(matches!(corridor.plan(&mesh, from, to, &mut scratch), Ok(CorridorChange::Replanned { .. })));
    let taken = corridor.next_link().unwrap();
    let begin = corridor.points()[taken.point];
    assert_eq!(
        corridor.move_start(&mesh, from.lerp(begin, 0.5), &mut scratch).unwrap(),
        CorridorChange::Kept
    );
    assert_eq!(corridor.take_link(&mesh, &mut scratch).unwrap().map(|taken| taken.link), Some(taken.link));
    assert!(corridor.points()[0].z > 21.9 && corridor.next_link().is_none());
    assert_eq!(corridor.move_goal(&mesh, to + Vec3::X, &mut scratch).unwrap(), CorridorChange::Kept);
    let again = corridor.replan(&mesh, &mut scratch).unwrap();
    assert_eq!(again, CorridorChange::Replanned { reason: ReplanReason::Asked });
}

//! Queries for discs allocate nothing once scratch and corridor have grown: every allocation of
//! this thread is counted.

#![expect(clippy::unwrap_used, reason = "a test")]

mod discs;

use discs::{clear, crooked, halls, link};
use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{ClearPathOptions, CorridorOptions, PathCorridor};
use waymesh::{ClearanceNavMesh, Outcome, PathSearch, QueryScratch};
use waymesh_testkit::allocations::{Counting, allocations, assert_steady};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Ground with walls at all angles, and two halls with links through the wall between them.
fn meshes() -> Vec<(&'static str, ClearanceNavMesh)> {
    let mut cost = link([5, 20, 15, 20], [5, 21, 15, 21]);
    cost.extra_cost = 2.0;
    let point = link([30, 20, 30, 20], [30, 21, 30, 21]);
    let linked = halls(true).with_links(vec![cost, point]).unwrap();
    vec![("crooked", clear(crooked(3, 14, 0.25))), ("halls", clear(linked))]
}

#[test]
fn queries_for_discs_allocate_nothing_in_the_steady_state() {
    // Without this the test could not fail.
    let before = allocations();
    drop(std::hint::black_box(Vec::<u64>::with_capacity(10)));
    assert!(allocations() > before);

    for (name, mesh) in meshes() {
        let sampler = mesh.mesh().query().sampler();
        let mut random = Random::new(1);
        let places: Vec<_> =
            (0..40).map(|_| sampler.sample(mesh.mesh(), &mut random).unwrap().unwrap()).collect();
        let (mut scratch, mut path) = (QueryScratch::default(), waymesh::Path::default());
        for radius in [0.0, 0.4, 1.5] {
            let [mut complete, mut partial, mut over_links] = [0; 3];
            assert_steady(&format!("find_path, {name}, {radius}"), || {
                for pair in places.windows(2) {
                    let [from, to] = [pair[0].position, pair[1].position];
                    let options = ClearPathOptions::new(radius);
                    let mut query = mesh.query(radius).options(options).memory(&mut scratch);
                    if query.path_into(from, to, &mut path).is_ok() {
                        complete += usize::from(path.outcome == Outcome::Complete);
                        partial += usize::from(matches!(path.outcome, Outcome::Partial { .. }));
                        over_links += usize::from(!path.links.is_empty());
                    }
                }
            });
            assert!(complete > 30, "{name}, {radius}: {complete} complete, {partial} partial");
            let mut fast = 0;
            assert_steady(&format!("find_path, fast, {name}, {radius}"), || {
                for pair in places.windows(2) {
                    let [from, to] = [pair[0].position, pair[1].position];
                    let options = ClearPathOptions::new(radius).with_search(PathSearch::Fast);
                    let mut query = mesh.query(radius).options(options).memory(&mut scratch);
                    if query.path_into(from, to, &mut path).is_ok() {
                        let is_fast = path.found_by == PathSearch::Fast && path.points.len() > 2;
                        fast += usize::from(is_fast);
                    }
                }
            });
            assert!(radius == 0.0 || name == "halls" || fast > 10, "{name}, {radius}: {fast} found fast");
            assert!(name != "halls" || over_links > 0, "{name}, {radius}");
            assert_steady(&format!("nearest and clearance_at, {name}, {radius}"), || {
                for place in &places {
                    let _ = mesh.query(radius).memory(&mut scratch).nearest(place.position);
                    mesh.query(0.0).memory(&mut scratch).clearance_at(place, 5.0).unwrap();
                }
            });
            let mut corridor = PathCorridor::new(CorridorOptions::for_disc(radius));
            let mut moves = 0;
            assert_steady(&format!("PathCorridor, {name}, {radius}"), || {
                let mut random = Random::new(7);
                let _ = corridor.plan(&mesh, places[0].position, places[1].position, &mut scratch);
                for place in &places {
                    for _ in 0..20 {
                        let Some(&at) = corridor.path().points.first() else { break };
                        let next = corridor.next_corners(1).first().copied().unwrap_or(at);
                        let aside = (random.unit() - 0.5) * 0.2;
                        let to = at + (next - at).clamp_length_max(0.7) + Vec3::new(aside, 0.0, -aside);
                        moves += usize::from(corridor.move_start(&mesh, to, &mut scratch).is_ok());
                        if corridor.next_link().is_some_and(|taken| taken.point == 0) {
                            let _ = corridor.take_link(&mesh, &mut scratch);
                        }
                    }
                    let _ = corridor.replan(&mesh, &mut scratch);
                    let _ = corridor.move_goal(&mesh, place.position, &mut scratch);
                }
            });
            assert!(moves > 500, "{name}, {radius}: {moves}");
        }
    }
}

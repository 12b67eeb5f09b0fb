//! Crossings that an infinite cost closes are closed in every search.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{AnyCost, path_or_none};
use glam::Vec3;
use waymesh_core::{PolyId, PolyMesh};
use waymesh_graph::{
    AnyPolygon, CorridorOptions, Hierarchy, HierarchyConfig, NavMesh, Outcome, Path, PathCorridor,
    PathOptions, PathSearch, QueryScratch, RelaxedPolygons, SlicedPath, TravelCost,
};

use crate::meshes::{Chance, frame, from_map, navmesh, random_map};
use crate::paths::{placed, random_pair};
use crate::sliced::linked;

/// Costs that close crossings while a switch is on. All others cost what counts as nothing.
#[derive(Clone, Debug)]
struct Closed {
    crossings: Arc<BTreeSet<(PolyId, PolyId)>>,
    is_on: Arc<AtomicBool>,
}

impl Closed {
    fn closes(&self, from: PolyId, to: PolyId) -> bool {
        self.is_on.load(Ordering::Relaxed) && self.crossings.contains(&(from, to))
    }
}

impl PartialEq for Closed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.crossings, &other.crossings)
    }
}

impl TravelCost for Closed {
    fn per_metre(&self, _: &NavMesh, _: PolyId) -> f32 {
        1.0
    }

    fn least(&self) -> f32 {
        1.0
    }

    fn entering(&self, _: &NavMesh, from: PolyId, to: PolyId) -> f32 {
        let none = [0.0, -0.0, -3.0, f32::NAN, f32::NEG_INFINITY];
        if self.closes(from, to) { f32::INFINITY } else { none[(from.index() + to.index()) % none.len()] }
    }

    fn version(&self) -> u64 {
        u64::from(self.is_on.load(Ordering::Relaxed))
    }
}

/// All crossings of a mesh, over edges and open links.
fn crossings(mesh: &NavMesh) -> Vec<(PolyId, PolyId)> {
    let mut found: Vec<_> = mesh
        .polygons()
        .flat_map(|from| from.neighbours().flatten().map(|to| (from.id(), to)).collect::<Vec<_>>())
        .collect();
    for link in mesh.links().iter().filter(|link| link.is_open) {
        let (from, to) = (link.from.polygon, link.to.polygon);
        found.push((from, to));
        found.extend(link.both_ways.then_some((to, from)));
    }
    found
}

/// The polygons that can be reached from one.
fn reached(mesh: &NavMesh, from: PolyId, closed: &Closed) -> BTreeSet<PolyId> {
    let crossings = crossings(mesh);
    let (mut found, mut stack) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = stack.pop() {
        for &(_, to) in crossings.iter().filter(|crossing| crossing.0 == at) {
            if !closed.closes(at, to) && found.insert(to) {
                stack.push(to);
            }
        }
    }
    found
}

/// The paths of every search.
fn paths(mesh: &NavMesh, from: Vec3, to: Vec3, closed: &Closed) -> Vec<(&'static str, Path)> {
    let mut scratch = QueryScratch::default();
    let options = PathOptions::default().with_cost(closed as AnyCost);
    let mut found = Vec::new();
    for (name, search) in [("fast", PathSearch::Fast), ("shortest", PathSearch::Shortest)] {
        let options = options.with_search(search);
        found.push((name, path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to))));
        let mut batch = Vec::new();
        mesh.query().options(options).memory(&mut scratch).paths_into(&[[from, to]], &mut batch);
        found.push(("batch", path_or_none(batch.remove(0))));
        let mut sliced = SlicedPath::new(options);
        sliced.begin(mesh, from, to).unwrap();
        while sliced.advance(mesh, 3).unwrap().is_none() {}
        found.push(("sliced", sliced.path().clone()));
        let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
        corridor.plan(mesh, from, to, &mut scratch).unwrap();
        found.push(("corridor", corridor.path().clone()));
        // Planned while all was open.
        closed.is_on.store(false, Ordering::Relaxed);
        corridor.plan(mesh, from, to, &mut scratch).unwrap();
        closed.is_on.store(true, Ordering::Relaxed);
        corridor.repair(mesh, &mut scratch).unwrap();
        found.push(("repaired corridor", corridor.path().clone()));
    }
    let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(8);
    let hierarchy = Hierarchy::with_costs(mesh, AnyPolygon, closed.clone(), &config).unwrap();
    let of_hierarchy = PathOptions::default().with_cost(closed.clone()).with_search(&hierarchy);
    found.push((
        "hierarchy",
        path_or_none(mesh.query().options(of_hierarchy).memory(&mut scratch).path(from, to)),
    ));
    let relaxed = RelaxedPolygons::new(mesh, 1.0).unwrap();
    let of_relaxed = options.with_search(&relaxed);
    found.push((
        "relaxed",
        path_or_none(mesh.query().options(of_relaxed).memory(&mut scratch).path(from, to)),
    ));
    found
}

#[test]
fn an_infinite_cost_closes_edges_and_links_in_every_search() {
    let (mut complete, mut partial, mut nowhere) = (0, 0, 0);
    for seed in 0..90 {
        let mesh = match seed % 2 {
            0 => navmesh(from_map(&random_map(seed, 10, 8, 20), seed, frame(Vec3::ZERO), |_, _| 0.0)),
            _ => linked(seed),
        };
        let mut chance = Chance(seed);
        let share = 2 + seed as usize % 5;
        let mut closed: BTreeSet<_> = crossings(&mesh).into_iter().filter(|_| chance.one_in(share)).collect();
        if seed % 3 > 0 {
            // In both directions.
            closed.extend(closed.clone().iter().map(|&(from, to)| (to, from)));
        }
        let closed = Closed { crossings: Arc::new(closed), is_on: Arc::new(AtomicBool::new(true)) };
        for _ in 0..6 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let [starts, goals] = [from, to].map(|at| placed(&mesh, at, &AnyPolygon));
            let leads = |start: &PolyId| reached(&mesh, *start, &closed).iter().any(|at| goals.contains(at));
            let is_joined = starts.iter().any(leads);
            let paths = paths(&mesh, from, to, &closed);
            for (name, path) in &paths {
                // A corridor that is kept stays in the polygon of its agent.
                let is_kept = *name == "repaired corridor";
                let leads_there = if is_kept { path.polygons.first().is_some_and(leads) } else { is_joined };
                assert_eq!(path.outcome == Outcome::Complete, leads_there, "seed {seed}, {name}: {path:?}");
                assert!(path.cost.is_finite(), "seed {seed}, {name}: {path:?}");
                let crossed = path.polygons.windows(2).find(|pair| closed.closes(pair[0], pair[1]));
                assert_eq!(crossed, None, "seed {seed}, {name}: {path:?}");
                match path.outcome {
                    Outcome::Complete => complete += 1,
                    Outcome::Partial { .. } => partial += 1,
                    _ => nowhere += 1,
                }
            }
        }
    }
    assert!(complete > 500 && partial > 500 && nowhere > 10, "{complete} {partial} {nowhere}");
}

/// Returns a mesh of the polygons with walls in place of the closed edges.
fn walled(mut polygons: PolyMesh, closed: &Closed) -> NavMesh {
    for (index, polygon) in polygons.polygons.clone().iter().enumerate() {
        for corner in polygon.first as usize..(polygon.first + polygon.len) as usize {
            let beyond = polygons.neighbours[corner];
            if beyond.is_some_and(|beyond| closed.crossings.contains(&(PolyId::from_index(index), beyond))) {
                polygons.neighbours[corner] = None;
            }
        }
    }
    navmesh(polygons)
}

#[test]
fn the_shortest_path_past_closed_crossings_is_that_past_walls() {
    let mut scratch = QueryScratch::default();
    let mut detours = 0;
    for seed in 0..60 {
        let polygons = from_map(&random_map(seed, 10, 8, 15), seed, frame(Vec3::ZERO), |_, _| 0.0);
        let mesh = navmesh(polygons.clone());
        let mut chance = Chance(seed);
        let one_way: BTreeSet<_> = crossings(&mesh).into_iter().filter(|_| chance.one_in(6)).collect();
        let both_ways = one_way.iter().flat_map(|&(from, to)| [(from, to), (to, from)]).collect();
        let closed = Closed { crossings: Arc::new(both_ways), is_on: Arc::new(AtomicBool::new(true)) };
        let walled = walled(polygons, &closed);
        for _ in 0..8 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let options = PathOptions::default().with_search(PathSearch::Shortest).with_allow_partial(false);
            let past_walls =
                path_or_none(walled.query().options(options).memory(&mut scratch).path(from, to));
            let free = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
            let options = options.with_cost(&closed as AnyCost);
            let past_costs = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
            assert_eq!(past_costs.outcome, past_walls.outcome, "seed {seed}, {from} to {to}");
            let excess = past_costs.length - past_walls.length;
            assert!(excess.abs() <= 1e-5 * past_walls.length, "seed {seed}, {from} to {to}: {excess} m");
            detours += u32::from(past_walls.length > free.length + 0.1);
        }
    }
    assert!(detours > 100, "{detours}");
}

#[test]
fn a_corridor_does_not_walk_through_what_is_closed() {
    let map = ["....".to_owned()];
    let meshes = (0..9).map(|seed| navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0)));
    let mesh = meshes.max_by_key(NavMesh::polygon_count).unwrap();
    assert!(mesh.polygon_count() > 1);
    let all = crossings(&mesh).into_iter().collect();
    let closed = Closed { crossings: Arc::new(all), is_on: Arc::new(AtomicBool::new(false)) };
    let options = PathOptions::default().with_cost(&closed as AnyCost);
    let mut scratch = QueryScratch::default();
    let [from, to] = [1.0, 15.0].map(|x| Vec3::new(x, 0.0, 2.0));
    let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
    corridor.plan(&mesh, from, to, &mut scratch).unwrap();
    let first = corridor.start().unwrap().polygon;
    closed.is_on.store(true, Ordering::Relaxed);
    for step in 0_u8..60 {
        let to = corridor.start().unwrap().position + Vec3::new(0.2, 0.0, 0.0);
        corridor.move_start(&mesh, to, &mut scratch).unwrap();
        assert_eq!(corridor.start().unwrap().polygon, first, "step {step}");
    }
}

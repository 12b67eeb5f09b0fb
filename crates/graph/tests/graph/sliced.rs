//! Searches in slices and in batches, against those in one go.

use crate::path_or_none;
use glam::Vec3;
use waymesh_core::{AreaId, PlanVertex, PolyId};
use waymesh_graph::{
    AreaCosts, AreaFilter, Link, LinkEnd, LinkKind, NavMesh, PathOptions, PathSearch, QueryError,
    QueryScratch, SlicedPath,
};

use crate::meshes::{Chance, navmesh, point_in, random_flat, random_hilly, random_polygon};

/// A mesh with a few links between corners, some of them one way.
pub(crate) fn linked(seed: u64) -> NavMesh {
    let mesh =
        navmesh(if seed.is_multiple_of(2) { random_flat(seed) } else { random_hilly(seed, Vec3::ZERO) });
    let mut chance = Chance(seed);
    let end = |chance: &mut Chance| {
        let polygon = random_polygon(&mesh, chance);
        let corners = mesh.polygon(polygon).unwrap().corners();
        let vertex: PlanVertex = mesh.plan_vertices()[corners[chance.below(corners.len())].index()];
        LinkEnd { polygon, ends: [vertex; 2] }
    };
    let links = (0..4)
        .map(|_| {
            let mut link = Link::new(end(&mut chance), end(&mut chance), LinkKind::User);
            link.both_ways = chance.one_in(2);
            link.extra_cost = chance.unit() * 4.0;
            link
        })
        .collect();
    mesh.clone().with_links(links).unwrap()
}

#[test]
fn slices_of_any_size_give_the_path_of_one_go() {
    let mut chance = Chance(11);
    let mut scratch = QueryScratch::default();
    let (mut slices, mut unreachable, mut partial) = (0, 0, 0);
    for seed in 0..30 {
        let mesh = if seed % 3 == 0 { linked(seed) } else { navmesh(random_flat(seed)) };
        let costs = AreaCosts::default().with(AreaId(2), 3.0);
        let dry = AreaFilter::default().without(AreaId(2));
        for budget in [1, 3, 17, usize::MAX] {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let any = PathOptions::default().with_cost(costs.clone());
            let filtered = PathOptions::default().with_filter(dry);
            let exact = PathOptions::default().with_allow_partial(false);
            let short = PathOptions::default().with_filter(dry).with_max_nodes(4);
            macro_rules! compare {
                ($options:expr, $search:expr) => {
                    let options = $options.clone().with_search($search);
                    let mut sliced = SlicedPath::new(options.clone());
                    assert_eq!(sliced.advance(&mesh, 10).unwrap(), None);
                    let expected = mesh.query().options(options).memory(&mut scratch).path(from, to);
                    let expected = QueryError::accept_no_path(expected);
                    let begun = sliced.begin(&mesh, from, to);
                    let answer = loop {
                        if let Err(error) = begun {
                            break Err(error);
                        }
                        slices += 1;
                        if let Some(path) = sliced.advance(&mesh, budget).unwrap() {
                            break Ok(path.clone());
                        }
                        assert!(sliced.is_running());
                    };
                    assert_eq!(answer, expected);
                    if let Ok(path) = answer {
                        unreachable += usize::from(path.outcome == waymesh_graph::Outcome::Unreachable);
                        partial +=
                            usize::from(matches!(path.outcome, waymesh_graph::Outcome::Partial { .. }));
                    }
                };
            }
            for search in [PathSearch::Fast, PathSearch::Shortest] {
                compare!(any, search);
                compare!(filtered, search);
            }
            compare!(exact, PathSearch::Fast);
            compare!(short, PathSearch::Shortest);
        }
    }
    assert!(slices > 2000 && unreachable > 10 && partial > 10, "{slices} {unreachable} {partial}");
}

#[test]
fn a_search_that_needs_more_nodes_than_it_may_open_says_so() {
    let mut chance = Chance(5);
    let mut scratch = QueryScratch::default();
    let (mut cut, mut longer) = (0, 0);
    for seed in 0..40 {
        let mesh = navmesh(random_flat(seed));
        let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        let fast = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
        let options = PathOptions::default().with_search(PathSearch::Shortest);
        let shortest = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
        let short =
            path_or_none(mesh.query().options(options.with_max_nodes(5)).memory(&mut scratch).path(from, to));
        assert!(!fast.was_cut && !shortest.was_cut);
        let is_fast = short.points == fast.points && short.outcome == fast.outcome;
        assert!(if short.was_cut { is_fast } else { short == shortest }, "seed {seed}");
        cut += usize::from(short.was_cut);
        longer += usize::from(short.was_cut && short.length > shortest.length);
    }
    assert!(cut > 10 && cut < 40 && longer > 0, "{cut} {longer}");
}

#[test]
fn a_slice_takes_no_more_than_its_budget() {
    let mesh = navmesh(random_flat(3));
    let mut chance = Chance(1);
    let mut scratch = QueryScratch::default();
    let [from, to] = loop {
        let pair = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        if path_or_none(mesh.query().memory(&mut scratch).partial().path(pair[0], pair[1])).polygons.len()
            > 12
        {
            break pair;
        }
    };
    let count = |budget: usize| {
        let mut sliced = SlicedPath::new(PathOptions::default());
        sliced.begin(&mesh, from, to).unwrap();
        let mut slices = 1;
        while sliced.advance(&mesh, budget).unwrap().is_none() {
            slices += 1;
        }
        slices
    };
    let nodes = count(1);
    assert!(nodes > 8);
    for budget in [2, 3, 7] {
        assert_eq!(count(budget), nodes / budget + usize::from(nodes % budget > 0));
    }
}

#[test]
fn polygons_and_links_that_changed_between_slices_are_an_error() {
    let mesh = navmesh(random_flat(3));
    let other = navmesh(random_flat(6));
    let polygon = mesh.polygons().next().unwrap();
    let vertex = mesh.plan_vertices()[polygon.corners()[0].index()];
    let end = LinkEnd { polygon: PolyId(0), ends: [vertex; 2] };
    let linked = mesh.clone().with_links(vec![Link::new(end, end, LinkKind::User)]).unwrap();
    let mut chance = Chance(1);
    // Straight ways take no node.
    let mut bent = std::iter::repeat_with(|| {
        [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance))
    })
    .filter(|&[from, to]| path_or_none(mesh.query().partial().path(from, to)).points.len() > 3);
    for changed in [&other, &linked] {
        let [from, to] = bent.next().unwrap();
        let mut sliced = SlicedPath::new(PathOptions::default());
        sliced.begin(&mesh, from, to).unwrap();
        assert_eq!(sliced.advance(&mesh, 1).unwrap(), None);
        assert!(matches!(sliced.advance(changed, 1), Err(QueryError::Stale { .. })));
        // Dropped, and good for the next.
        assert_eq!(sliced.advance(&mesh, 1).unwrap(), None);
        assert!(!sliced.is_running());
        sliced.begin(&mesh, from, to).unwrap();
        assert!(sliced.advance(&mesh, usize::MAX).unwrap().is_some());
    }
    let mut sliced = SlicedPath::new(PathOptions::default());
    let error = sliced.begin(&mesh, Vec3::splat(f32::NAN), Vec3::ZERO).unwrap_err();
    assert!(matches!(error, QueryError::NotFinite { .. }));
    assert_eq!(sliced.advance(&mesh, 5).unwrap(), None);
}

#[test]
fn a_batch_answers_in_order_as_single_queries_do() {
    let mut chance = Chance(5);
    let mut batch = QueryScratch::default();
    let mut scratch = QueryScratch::default();
    let mut paths = Vec::new();
    for seed in 0..6 {
        let mesh = linked(seed);
        let mut pairs: Vec<[Vec3; 2]> = (0..60)
            .map(|_| [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance)))
            .collect();
        pairs[7][1] = Vec3::splat(f32::INFINITY);
        pairs[9][0] = Vec3::splat(1e9);
        let options = PathOptions::default();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| mesh.query().options(options).memory(&mut batch).paths_into(&pairs, &mut paths));
            let single = pairs
                .iter()
                .map(|&[from, to]| mesh.query().options(options).memory(&mut scratch).path(from, to));
            assert!(single.eq(paths.iter().cloned()));
            pool.install(|| {
                mesh.query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut batch)
                    .paths_into(&pairs, &mut paths)
            });
            let single = pairs.iter().map(|&[from, to]| {
                mesh.query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path(from, to)
            });
            assert!(single.eq(paths.iter().cloned()));
            assert!(paths[7].is_err() && paths[9].is_err());
        }
        mesh.query().options(options).memory(&mut batch).paths_into(&pairs[..3], &mut paths);
        assert_eq!(paths.len(), 3);
    }
}

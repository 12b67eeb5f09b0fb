//! Costs and filters.

use std::sync::Arc;

use crate::{AnyCost, AnyFilter, path_or_none};
use glam::Vec3;
use waymesh_core::{AreaId, PolyId};
use waymesh_graph::{
    AnyPolygon, AreaCosts, AreaFilter, FlagFilter, LinkFilterFn, LinkId, NavMesh, Outcome, PathOptions,
    PathSearch, PolygonFilter, QueryError, QueryScratch, TravelCost,
};

use crate::meshes::{Chance, frame, from_map, navmesh, random_map};
use crate::paths::random_pair;

fn mesh(seed: u64) -> NavMesh {
    navmesh(from_map(&random_map(seed, 12, 10, 25), seed, frame(Vec3::ZERO), |_, _| 0.0))
}

#[test]
fn the_cost_is_that_of_many_small_steps() {
    let mut scratch = QueryScratch::default();
    let costs = AreaCosts::default().with(AreaId(2), 4.0);
    let (mut dear, mut saved) = (0, 0);
    for seed in 0..60 {
        let mesh = mesh(seed);
        let mut chance = Chance(seed);
        for _ in 0..10 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let options = PathOptions::default().with_cost(costs.clone());
            let path =
                path_or_none(mesh.query().options(options.clone()).memory(&mut scratch).path(from, to));
            let mut sum = 0.0;
            for pair in path.points.windows(2) {
                let steps = 2000;
                for step in 0..steps {
                    let at = pair[0].lerp(pair[1], (step as f32 + 0.5) / steps as f32);
                    let polygon = *path.polygons.iter().find(|&&polygon| mesh.contains(polygon, at)).unwrap();
                    sum += costs.per_metre(&mesh, polygon) * pair[0].distance(pair[1]) / steps as f32;
                }
            }
            // A way along an edge has the cost of either side.
            assert!(
                (path.cost - sum).abs() < 0.02 * (1.0 + sum) || path.cost >= path.length,
                "{} is not {sum}",
                path.cost
            );
            assert!(path.cost >= path.length - 1e-3 && path.cost <= 4.0 * path.length + 1e-3);
            dear += u32::from(path.cost > path.length + 0.1);
            let plain = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
            assert_eq!(plain.cost.to_bits(), plain.length.to_bits());
            assert_eq!(plain.outcome, path.outcome);
            saved += u32::from(path.length > plain.length + 0.1);
            // Three times the cost of everything changes nothing else.
            struct Triple;
            impl TravelCost for Triple {
                fn per_metre(&self, _: &NavMesh, _: PolyId) -> f32 {
                    3.0
                }
                fn least(&self) -> f32 {
                    3.0
                }
            }
            let triple = path_or_none(
                mesh.query().costs(&Triple as AnyCost).memory(&mut scratch).partial().path(from, to),
            );
            assert!((triple.cost - 3.0 * triple.length).abs() < 1e-3 * (1.0 + triple.cost));
            assert!((triple.length - plain.length).abs() < 0.05 * (1.0 + plain.length));
            let shortest = path_or_none(
                mesh.query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path(from, to),
            );
            assert!(shortest.length <= path.length + 1e-3);
            if shortest.outcome == Outcome::Complete {
                // The documented bound: at most the ratio of the costs times the cheapest path, which costs
                // its length at least.
                assert!(shortest.cost <= 4.0 * shortest.length + 1e-3);
            }
        }
    }
    assert!(dear > 50 && saved > 20, "{dear} dear, {saved} detours");
}

#[test]
fn dear_ground_is_walked_round_and_entering_is_paid_for() {
    let map = ["...".to_owned(), ".2.".to_owned(), "...".to_owned()];
    let mesh = navmesh(from_map(&map, 3, frame(Vec3::ZERO), |_, _| 0.0));
    let mut scratch = QueryScratch::default();
    let (from, to) = (Vec3::new(2.0, 0.0, 6.0), Vec3::new(10.0, 0.0, 6.0));
    let straight = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
    assert!((straight.length - 8.0).abs() < 1e-4);
    let options = PathOptions::default().with_cost(AreaCosts::default().with(AreaId(2), 10.0));
    let round = path_or_none(mesh.query().options(options.clone()).memory(&mut scratch).path(from, to));
    assert!((round.cost - (4.0 + 2.0 * 8.0_f32.sqrt())).abs() < 0.01, "{}", round.cost);
    let shortest = path_or_none(
        mesh.query().options(options.with_search(PathSearch::Shortest)).memory(&mut scratch).path(from, to),
    );
    assert!((shortest.length - 8.0).abs() < 1e-4 && (shortest.cost - 44.0).abs() < 0.01, "{}", shortest.cost);

    struct Toll;
    impl TravelCost for Toll {
        fn per_metre(&self, _: &NavMesh, _: PolyId) -> f32 {
            1.0
        }
        fn least(&self) -> f32 {
            1.0
        }
        fn entering(&self, mesh: &NavMesh, _: PolyId, to: PolyId) -> f32 {
            if mesh.polygon(to).unwrap().area_id() == AreaId(2) { 100.0 } else { -5.0 }
        }
    }
    let round =
        path_or_none(mesh.query().costs(&Toll as AnyCost).memory(&mut scratch).partial().path(from, to));
    assert!(round.cost < 12.0, "{}", round.cost);
}

#[test]
fn infinite_costs_are_walls_and_costs_that_are_no_use_are_errors() {
    let mut scratch = QueryScratch::default();
    for seed in 0..40 {
        let mesh = mesh(seed);
        let mut chance = Chance(seed);
        let closed = PathOptions::default().with_cost(AreaCosts::default().with(AreaId(2), f32::INFINITY));
        let filtered = PathOptions::default().with_filter(AreaFilter::default().without(AreaId(2)));
        for _ in 0..10 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let one = mesh.query().options(closed.clone()).memory(&mut scratch).path(from, to);
            let other = mesh.query().options(filtered).memory(&mut scratch).path(from, to);
            match (one, other) {
                (Ok(one), Ok(other)) => {
                    assert_eq!((one.outcome, one.polygons), (other.outcome, other.polygons))
                }
                (one, other) => assert_eq!(one.map(|_| ()), other.map(|_| ())),
            }
            let shortest = mesh
                .query()
                .options(closed.clone().with_search(PathSearch::Shortest))
                .memory(&mut scratch)
                .path(from, to);
            let other = mesh
                .query()
                .options(filtered.with_search(PathSearch::Shortest))
                .memory(&mut scratch)
                .path(from, to);
            assert_eq!(shortest.map(|path| path.polygons), other.map(|path| path.polygons));
        }
        let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
        for value in [f32::NAN, -1.0, f32::NEG_INFINITY] {
            let options = PathOptions::default().with_cost(AreaCosts::default().with(AreaId(7), value));
            let error =
                mesh.query().options(options.clone()).memory(&mut scratch).path(from, to).unwrap_err();
            assert!(matches!(error, QueryError::BadCost { area: AreaId(7), .. }));
        }
        // Free ground: any way there is, and no harm.
        let free = PathOptions::default()
            .with_cost((0..=255).fold(AreaCosts::default(), |costs, area| costs.with(AreaId(area), 0.0)));
        let path = path_or_none(mesh.query().options(free).memory(&mut scratch).path(from, to));
        assert_eq!(
            path.outcome,
            path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to)).outcome
        );
        assert!(path.cost.abs() < 1e-6);
    }
}

#[test]
fn flags_open_and_close_polygons() {
    let map = [".....".to_owned(), "#.##.".to_owned(), ".....".to_owned()];
    let mesh = navmesh(from_map(&map, 9, frame(Vec3::ZERO), |_, _| 0.0));
    let door = mesh.nearest(Vec3::new(6.0, 0.0, 6.0), &mesh.default_reach()).unwrap().polygon;
    let mut flags = vec![1_u16; mesh.polygon_count()];
    let (from, to) = (Vec3::new(6.0, 0.0, 2.0), Vec3::new(6.0, 0.0, 10.0));
    let mut scratch = QueryScratch::default();
    let mut length = |flags: &[u16]| {
        let filter = (FlagFilter { flags: flags.to_vec().into(), include: 1, exclude: 2 }, AnyPolygon);
        path_or_none(mesh.query().filter(&filter as AnyFilter).memory(&mut scratch).partial().path(from, to))
            .length
    };
    let open = length(&flags);
    flags[door.index()] = 1 | 2;
    let shut = length(&flags);
    flags[door.index()] = 4;
    let other = length(&flags);
    assert!(open < 9.0 && shut > 12.0 && (shut - other).abs() < 1e-6, "{open} {shut} {other}");
}

/// Returns every answer of a filter and of costs about the polygons of a mesh and a link.
fn answers(mesh: &NavMesh, filter: impl PolygonFilter, costs: impl TravelCost) -> String {
    let (first, link) = (PolyId(0), LinkId(7));
    let of_polygon = |polygon: PolyId| {
        let is_open = (filter.allows(mesh, polygon), filter.may_cross(mesh, first, polygon));
        (is_open, costs.per_metre(mesh, polygon), costs.entering(mesh, first, polygon))
    };
    let polygons: Vec<_> = mesh.polygons().map(|polygon| of_polygon(polygon.id())).collect();
    let filter = (filter.allows_all(), filter.allows_link(mesh, link), filter.version());
    let price = (costs.least(), costs.taking(mesh, link), costs.bad_cost());
    format!("{:?}", (polygons, filter, costs.is_length(), price, costs.version()))
}

#[test]
fn what_points_to_costs_and_filters_is_costs_and_filters() {
    let map = [".....".to_owned(), "#.##.".to_owned(), ".....".to_owned()];
    let mesh = navmesh(from_map(&map, 9, frame(Vec3::ZERO), |_, _| 0.0));
    let costs = AreaCosts::default().with(AreaId::GROUND, 2.5);
    let filter = AreaFilter::default();
    let (from, to) = (Vec3::new(6.0, 0.0, 2.0), Vec3::new(6.0, 0.0, 10.0));
    let mut scratch = QueryScratch::default();
    // Each pointer behind another: the query is compiled once.
    let mut path = |filter: AnyFilter<'_>, costs: AnyCost<'_>| {
        let options = PathOptions::default().with_filter(filter).with_cost(costs);
        mesh.query().options(options).memory(&mut scratch).path(from, to)
    };
    let expected = path_or_none(path(&filter, &costs));
    assert!((expected.cost - 2.5 * expected.length).abs() < 1e-3);
    assert_eq!(path_or_none(path(&&filter, &&costs)), expected);
    assert_eq!(path_or_none(path(&Arc::new(filter), &Arc::new(costs.clone()))), expected);
    let bad = AreaCosts::default().with(AreaId(1), -1.0).with_links(LinkId(7), 0.5);
    assert!(matches!(path(&Box::new(filter), &Box::new(&bad)), Err(QueryError::BadCost { .. })));

    let flags = FlagFilter { flags: vec![1; mesh.polygon_count()].into(), include: 1, exclude: 2 };
    flags.flags.set(PolyId(1), 2);
    let filter = (flags, LinkFilterFn(|_: &NavMesh, _| false));
    let expected = answers(&mesh, filter.clone(), bad.clone());
    assert_eq!(answers(&mesh, &filter, &bad), expected);
    assert_eq!(answers(&mesh, Box::new(filter.clone()), Box::new(bad.clone())), expected);
    assert_eq!(answers(&mesh, Arc::new(filter.clone()), Arc::new(bad.clone())), expected);
    assert_eq!(answers(&mesh, &filter as AnyFilter, &bad as AnyCost), expected);
}

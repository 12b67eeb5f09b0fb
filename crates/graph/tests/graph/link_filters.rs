//! Filters and costs of links, compared with meshes whose links are closed or cost as much.

use std::collections::BTreeSet;

use waymesh_core::{PolyId, Random};
use waymesh_graph::{
    AreaCosts, AreaFilter, CorridorOptions, Hierarchy, HierarchyConfig, LinkChoice, LinkFilterFn, LinkId,
    LinkKind, Location, NavMesh, Path, PathCorridor, PathOptions, PathSearch, PolygonFilter, QueryScratch,
    SlicedPath, TravelCost,
};
use waymesh_testkit::boards::mesh_of;
use waymesh_testkit::flat_meshes::Board;

use crate::{AnyCost, AnyFilter, path_or_none};

/// Boards with doors, and a share of their links.
fn boards(seed: u64, count: usize, mut test: impl FnMut(&NavMesh, &BTreeSet<LinkId>, &mut Random)) {
    let mut random = Random::new(seed);
    let mut tested = 0;
    while tested < count {
        let Some(mesh) = mesh_of(&Board { seams: 0.4, rough: 0.2, ..Board::random(&mut random) }) else {
            continue;
        };
        let chosen: BTreeSet<LinkId> =
            mesh.link_ids().iter().copied().filter(|_| random.chance(0.4)).collect();
        if !chosen.is_empty() {
            test(&mesh, &chosen, &mut random);
            tested += 1;
        }
    }
}

#[derive(PartialEq)]
struct Refused<'a>(&'a BTreeSet<LinkId>);

impl PolygonFilter for Refused<'_> {
    fn allows(&self, _: &NavMesh, _: PolyId) -> bool {
        true
    }

    fn allows_link(&self, _: &NavMesh, link: LinkId) -> bool {
        !self.0.contains(&link)
    }
}

fn same_path(one: &Path, other: &Path) {
    let fields = |path: &Path| (path.outcome, path.points.clone(), path.polygons.clone(), path.links.clone());
    assert_eq!(fields(one), fields(other));
    assert!((one.cost - other.cost).abs() <= 1e-4 * other.cost, "{} instead of {}", one.cost, other.cost);
}

#[test]
fn a_link_that_a_filter_refuses_is_closed_to_every_query() {
    let mut paths = 0;
    boards(0x11f1, 60, |mesh, refused, random| {
        let mut closed = mesh.clone();
        closed.set_links_open(refused.iter().map(|&link| (link, false)));
        let filter = (AreaFilter::default(), Refused(refused));
        let sampler = mesh.query().filter(&filter).sampler();
        let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(12);
        let hierarchies = (
            Hierarchy::with_filter(mesh, &filter, &config).unwrap(),
            Hierarchy::new(&closed, &config).unwrap(),
        );
        for _ in 0..6 {
            let mut place = || sampler.sample(mesh, random).unwrap().unwrap();
            let (from, to) = (place(), place());
            let there = |at: &Location| Location { generation: closed.generation(), ..*at };
            for search in [PathSearch::Fast, PathSearch::Shortest] {
                let path = path_or_none(
                    mesh.query().filter(&filter).search(search).partial().path(from, to.position),
                );
                let expected =
                    path_or_none(closed.query().search(search).partial().path(there(&from), to.position));
                // The fast search opens polygons in an order that depends on all links.
                match search {
                    PathSearch::Shortest => same_path(&path, &expected),
                    PathSearch::Fast => assert_eq!(path.outcome, expected.outcome),
                }
                assert!(path.links.iter().all(|taken| !refused.contains(&taken.link)));
                paths += usize::from(!path.links.is_empty());
                let mut sliced =
                    SlicedPath::new(PathOptions::default().with_search(search).with_filter(&filter));
                sliced.begin(mesh, from.position, to.position).unwrap();
                while sliced.advance(mesh, 9).unwrap().is_none() {}
                assert!(sliced.path().links.iter().all(|taken| !refused.contains(&taken.link)));
            }
            let path =
                path_or_none(mesh.query().filter(&filter).search(&hierarchies.0).path(from, to.position));
            let expected =
                path_or_none(closed.query().search(&hierarchies.1).path(there(&from), to.position));
            assert_eq!(path.outcome, expected.outcome);
            assert!(path.links.iter().all(|taken| !refused.contains(&taken.link)));
            let mut query = (mesh.query().filter(&filter), closed.query());
            let ray =
                (query.0.ray(from, to.position).unwrap(), query.1.ray(there(&from), to.position).unwrap());
            assert_eq!((ray.0.fraction, ray.0.hit), (ray.1.fraction, ray.1.hit));
            let near = from.position.lerp(to.position, 0.1);
            let moved = (query.0.walk(from, near).unwrap(), query.1.walk(there(&from), near).unwrap());
            assert_eq!(moved.0.position, moved.1.position);
            assert_eq!(query.0.wall(from, 9.0).unwrap(), query.1.wall(there(&from), 9.0).unwrap());
            let mut within: [Vec<(PolyId, f32)>; 2] = Default::default();
            query.0.polygons_within(from, 20.0, &mut within[0]).unwrap();
            query.1.polygons_within(there(&from), 20.0, &mut within[1]).unwrap();
            assert_eq!(within[0], within[1]);
        }
    });
    assert!(paths > 50, "{paths} paths over links");
}

/// A metre costs 1; some links cost more.
struct Tolls<'a>(&'a BTreeSet<LinkId>, f32);

impl TravelCost for Tolls<'_> {
    fn per_metre(&self, _: &NavMesh, _: PolyId) -> f32 {
        1.0
    }

    fn least(&self) -> f32 {
        1.0
    }

    fn taking(&self, _: &NavMesh, link: LinkId) -> f32 {
        if self.0.contains(&link) { self.1 } else { -1.0 }
    }
}

#[test]
fn a_link_costs_what_the_costs_of_the_agent_say() {
    let mut paths = 0;
    boards(0x7011, 60, |mesh, dear, random| {
        let mut links = mesh.links().to_vec();
        for (link, id) in links.iter_mut().zip(mesh.link_ids()) {
            link.extra_cost += if dear.contains(id) { 2.5 } else { 0.0 };
        }
        let (polygons, none) = (mesh.poly_mesh(), BTreeSet::new());
        let other = NavMesh::new(polygons, None, *mesh.agent()).unwrap().with_links(links).unwrap();
        let sampler = mesh.query().sampler();
        for _ in 0..6 {
            let mut place = || sampler.sample(mesh, random).unwrap().unwrap().position;
            let (from, to) = (place(), place());
            let path = path_or_none(mesh.query().costs(&Tolls(dear, 2.5) as AnyCost).path(from, to));
            let expected = path_or_none(other.query().costs(&Tolls(&none, 0.0) as AnyCost).path(from, to));
            same_path(&path, &expected);
            let costs = dear.iter().fold(AreaCosts::default(), |costs, &link| costs.with_links(link, 2.5));
            same_path(&path_or_none(mesh.query().costs(&costs).path(from, to)), &expected);
            paths += usize::from(path.links.iter().any(|taken| dear.contains(&taken.link)));
            let closed = path_or_none(
                mesh.query().costs(&Tolls(dear, f32::INFINITY) as AnyCost).partial().path(from, to),
            );
            assert!(closed.links.iter().all(|taken| !dear.contains(&taken.link)));
            // A kind is closed, but for some of its links.
            let closed = mesh
                .links()
                .iter()
                .fold(AreaCosts::default(), |costs, link| costs.with_links(link.kind, f32::INFINITY));
            let some = dear.iter().fold(closed, |costs, &link| costs.with_links(link, 0.0));
            let only = path_or_none(mesh.query().costs(&some).partial().path(from, to));
            let filter = LinkFilterFn(|_: &NavMesh, link| dear.contains(&link));
            let query = mesh.query().filter(&filter).costs(AreaCosts::default());
            same_path(&only, &path_or_none(query.partial().path(from, to)));
        }
    });
    assert!(paths > 20, "{paths} paths over links that cost");
}

#[test]
fn links_are_chosen_by_number_or_kind() {
    assert_eq!("12".parse(), Ok(LinkChoice::One(LinkId(12))));
    assert_eq!("jump".parse(), Ok(LinkChoice::Kind(LinkKind::Jump)));
    let error = "leap".parse::<LinkChoice>().unwrap_err().to_string();
    let kinds = "user, level, step, jump, drop, door, lift";
    assert_eq!(error, format!("\"leap\" is neither the number of a link nor a kind of links: {kinds}"));
}

/// The corridor of an agent that loses its key is planned again.
#[test]
fn a_corridor_notices_that_its_link_is_refused() {
    use std::cell::Cell;
    struct Key(Cell<u64>);
    impl PolygonFilter for Key {
        fn allows(&self, _: &NavMesh, _: PolyId) -> bool {
            true
        }
        fn allows_link(&self, _: &NavMesh, _: LinkId) -> bool {
            self.0.get() == 0
        }
        fn version(&self) -> u64 {
            self.0.get()
        }
    }
    let mut noticed = 0;
    boards(0xc0, 40, |mesh, _, random| {
        let sampler = mesh.query().sampler();
        let mut scratch = QueryScratch::default();
        for _ in 0..4 {
            let mut place = || sampler.sample(mesh, random).unwrap().unwrap().position;
            let key = Key(Cell::new(0));
            let mut corridor = PathCorridor::new(
                CorridorOptions::default().with_path(PathOptions::default().with_filter(&key as AnyFilter)),
            );
            corridor.plan(mesh, place(), place(), &mut scratch).unwrap();
            let had_links = !corridor.path().links.is_empty();
            key.0.set(1);
            corridor.repair(mesh, &mut scratch).unwrap();
            assert!(corridor.path().links.is_empty());
            noticed += usize::from(had_links);
        }
    });
    assert!(noticed > 10, "{noticed} corridors");
}

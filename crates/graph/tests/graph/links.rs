//! Links.

use crate::path_or_none;
use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{AreaId, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, Random};
use waymesh_graph::{
    AreaFilter, CorridorOptions, Hierarchy, HierarchyConfig, IslandId, Link, LinkEnd, LinkId, LinkKind,
    LinkUse, NavMesh, NavMeshError, Outcome, PathCorridor, PathOptions, PathSearch, QueryError, QueryScratch,
    SlicedPath,
};
use waymesh_testkit::flat_meshes;

use crate::meshes::{Builder, Chance, frame, point_in, random_flat, random_polygon};
use crate::paths::shortest_in_corridor;

/// Two squares of 20 x 20 cells, `gap` cells and `rise` levels apart.
fn squares(gap: i32, rise: f32) -> PolyMesh {
    let mut builder = Builder::default();
    for (storey, x, height) in [(0, 0, 0.0), (1, 20 + gap, rise)] {
        let corners = [(x, 0), (x + 20, 0), (x + 20, 20), (x, 20)];
        let corners = corners.map(|(x, z)| builder.vertex(x, z, storey, height));
        builder.polygon(corners.to_vec(), AreaId::GROUND);
    }
    builder.build(frame(Vec3::ZERO))
}

fn end(polygon: u32, height: f32, points: [[i32; 2]; 2]) -> LinkEnd {
    let ends = points.map(|[x, z]| PlanVertex { point: PlanPoint::new(x, z), height });
    LinkEnd { polygon: PolyId(polygon), ends }
}

fn mesh(polygons: PolyMesh, links: Vec<Link>) -> NavMesh {
    NavMesh::try_from(polygons).unwrap().with_links(links).unwrap()
}

/// World position of a place in cells, half a metre each.
fn at(x: f32, height: f32, z: f32) -> Vec3 {
    Vec3::new(x * 0.5, height * 0.25, z * 0.5)
}

#[test]
fn an_edge_that_only_a_level_keeps_apart_is_crossed_like_an_edge() {
    let link = Link::new(end(0, 0.0, [[20, 0], [20, 20]]), end(1, 1.0, [[20, 0], [20, 20]]), LinkKind::Level);
    let mesh = mesh(squares(0, 1.0), vec![link]);
    assert_eq!(mesh.islands().len(), 2);
    assert!(mesh.may_connect(IslandId(0), IslandId(1)));
    let mut scratch = QueryScratch::default();
    let (from, to) = (at(3.0, 0.0, 2.0), at(37.0, 1.0, 17.0));
    for (from, to, backwards) in [(from, to, false), (to, from, true)] {
        let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
        assert_eq!(path.outcome, Outcome::Complete);
        assert_eq!(path.points, [from, to]);
        assert_eq!(path.links, [LinkUse { link: LinkId(0), backwards, point: 0 }]);
        assert!((path.length - from.distance(to)).abs() < 1e-5);
        let crossing =
            path_or_none(mesh.query().cross_points().memory(&mut scratch).partial().path(from, to));
        assert_eq!(crossing.points.len(), 3);
        assert!((crossing.points[1].x - 10.0).abs() < 1e-5);
    }
}

#[test]
fn a_gap_is_taken_where_it_is_short_and_named() {
    let link = Link::new(end(0, 0.0, [[20, 5], [20, 15]]), end(1, 8.0, [[24, 5], [24, 15]]), LinkKind::Step);
    let mesh = mesh(squares(4, 8.0), vec![link]);
    let mut scratch = QueryScratch::default();
    let path = path_or_none(
        mesh.query().memory(&mut scratch).partial().path(at(10.0, 0.0, 8.0), at(34.0, 8.0, 8.0)),
    );
    assert_eq!(path.outcome, Outcome::Complete);
    let expected = [at(10.0, 0.0, 8.0), at(20.0, 0.0, 8.0), at(24.0, 8.0, 8.0), at(34.0, 8.0, 8.0)];
    assert_eq!(path.points, expected);
    assert_eq!(path.polygons, [PolyId(0), PolyId(1)]);
    assert_eq!(path.links, [LinkUse { link: LinkId(0), backwards: false, point: 1 }]);
    let length = 5.0 + (2.0_f32 * 2.0 + 2.0 * 2.0).sqrt() + 5.0;
    assert!((path.length - length).abs() < 1e-5, "{}", path.length);
    // Outside the link's reach the path bends to its end.
    let path = path_or_none(
        mesh.query().memory(&mut scratch).partial().path(at(10.0, 0.0, 1.0), at(34.0, 8.0, 1.0)),
    );
    assert_eq!(path.points[1], at(20.0, 0.0, 5.0));
}

#[test]
fn a_one_way_link_leads_one_way() {
    let mut link = Link::new(end(0, 0.0, [[20, 5]; 2]), end(1, 8.0, [[24, 5]; 2]), LinkKind::User);
    link.both_ways = false;
    let mesh = mesh(squares(4, 8.0), vec![link]);
    let mut scratch = QueryScratch::default();
    let (low, high) = (at(10.0, 0.0, 8.0), at(34.0, 8.0, 8.0));
    assert_eq!(
        path_or_none(mesh.query().memory(&mut scratch).partial().path(low, high)).outcome,
        Outcome::Complete
    );
    let back = path_or_none(mesh.query().memory(&mut scratch).partial().path(high, low));
    assert_eq!(back.outcome, Outcome::Partial { reached: at(24.0, 8.0, 8.0) });
    assert!(back.links.is_empty());
    let exact = PathOptions::default().with_allow_partial(false);
    let back = path_or_none(mesh.query().options(exact).memory(&mut scratch).path(high, low));
    assert_eq!(back.outcome, Outcome::Unreachable);
}

#[test]
fn a_ladder_ends_above_where_it_begins() {
    // The upper square lies over the lower one.
    let link = Link::new(end(0, 0.0, [[10, 10]; 2]), end(1, 16.0, [[10, 10]; 2]), LinkKind::User);
    let mesh = mesh(squares(-20, 16.0), vec![link]);
    let mut scratch = QueryScratch::default();
    let path = path_or_none(
        mesh.query().memory(&mut scratch).partial().path(at(2.0, 0.0, 10.0), at(2.0, 16.0, 10.0)),
    );
    let expected = [at(2.0, 0.0, 10.0), at(10.0, 0.0, 10.0), at(10.0, 16.0, 10.0), at(2.0, 16.0, 10.0)];
    assert_eq!(path.points, expected);
    assert!((path.length - 12.0).abs() < 1e-5);
}

#[test]
fn the_cheaper_of_two_links_is_taken_and_filters_count() {
    let link = |z: i32, extra_cost: f32| Link {
        extra_cost,
        ..Link::new(end(0, 0.0, [[20, z]; 2]), end(1, 0.0, [[24, z]; 2]), LinkKind::User)
    };
    let mut scratch = QueryScratch::default();
    let (from, to) = (at(18.0, 0.0, 4.0), at(26.0, 0.0, 4.0));
    for (cost, taken) in [(0.0, 0), (100.0, 1)] {
        let mesh = mesh(squares(4, 0.0), vec![link(4, cost), link(16, 0.0)]);
        let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
        assert_eq!(path.links, [LinkUse { link: LinkId(taken), backwards: false, point: 1 }]);
        let nowhere = PathOptions::default().with_filter(AreaFilter::only([AreaId(9)]));
        assert!(mesh.query().options(nowhere).memory(&mut scratch).path(from, to).is_err());
    }
}

#[test]
fn bad_links_are_named() {
    let good = Link::new(end(0, 0.0, [[20, 5]; 2]), end(1, 0.0, [[24, 5]; 2]), LinkKind::User);
    let refused = |change: &dyn Fn(&mut Link)| {
        let mut bad = good;
        change(&mut bad);
        NavMesh::try_from(squares(4, 0.0)).unwrap().with_links(vec![good, bad]).unwrap_err()
    };
    assert_eq!(refused(&|link| link.extra_cost = -1.0), NavMeshError::LinkCost { link: 1, value: -1.0 });
    assert!(matches!(refused(&|link| link.extra_cost = f32::NAN), NavMeshError::LinkCost { link: 1, .. }));
    assert!(matches!(
        refused(&|link| link.to.polygon = PolyId(2)),
        NavMeshError::OutOfRange { table: "links", element: 1, value: 2, limit: 1 }
    ));
    assert!(matches!(
        refused(&|link| link.from.ends[1].point.x = 21),
        NavMeshError::LinkOffPolygon { link: 1, polygon: PolyId(0), .. }
    ));
    assert!(matches!(
        refused(&|link| link.from.ends[1].point.x = i32::MIN),
        NavMeshError::LinkOffPolygon { .. }
    ));
    assert!(matches!(
        refused(&|link| link.to.ends[0].height = f32::INFINITY),
        NavMeshError::NotFinite { table: "links", element: 1, .. }
    ));
}

#[test]
fn a_closed_link_is_as_if_it_were_not_there() {
    let wall = || squares(0, 0.0);
    let portal =
        Link::new(end(0, 0.0, [[20, 4], [20, 16]]), end(1, 0.0, [[20, 4], [20, 16]]), LinkKind::Door);
    let ladder = Link::new(end(0, 0.0, [[2, 2]; 2]), end(1, 0.0, [[38, 2]; 2]), LinkKind::User);
    let mut mesh = mesh(wall(), vec![portal, Link { data: 3, ..ladder }]);
    let open = mesh.clone();
    let mut scratch = QueryScratch::default();
    let (from, to) = (at(16.0, 0.0, 5.0), at(24.0, 0.0, 5.0));
    let bare = NavMesh::try_from(wall()).unwrap();
    assert_eq!(mesh.links_with(LinkKind::User, 3).collect::<Vec<_>>(), [LinkId(1)]);
    assert!(!mesh.set_link_open(LinkId(9), false));
    for id in [0, 1].map(LinkId) {
        assert!(mesh.set_link_open(id, false));
        assert!(!mesh.link(id).unwrap().is_open);
    }
    // It is kept in data and files, and other links do not disturb it.
    assert_eq!(NavMesh::from_data(mesh.data()).unwrap(), mesh);
    assert_eq!(NavMesh::from_bytes(mesh.to_wmesh()).unwrap(), mesh);
    let place = |mesh: &NavMesh, at| mesh.nearest(at, &mesh.default_reach()).unwrap();
    for search in [PathSearch::Fast, PathSearch::Shortest] {
        let options = PathOptions::default().with_search(search);
        let path = |mesh: &NavMesh, scratch: &mut QueryScratch| {
            mesh.query().options(options).memory(scratch).path(from, to)
        };
        assert_eq!(path(&mesh, &mut scratch), path(&bare, &mut scratch));
        assert_eq!(path(&open, &mut scratch).unwrap().outcome, Outcome::Complete);
    }
    let both = [&mesh, &bare].map(|mesh| {
        let from = place(mesh, from);
        let ray = mesh.query().ray(from, to).unwrap();
        let moved = mesh.query().memory(&mut scratch).walk(from, to).unwrap();
        let wall = mesh.query().memory(&mut scratch).wall(from, 9.0).unwrap();
        let map = mesh.query().memory(&mut scratch).distance_map(from, f32::INFINITY).unwrap();
        let far = map.heading(mesh, &place(mesh, to)).unwrap().map(|way| way.distance);
        let islands = [0, 1].map(IslandId);
        (ray.fraction, moved, wall, far, mesh.may_connect(islands[0], islands[1]))
    });
    assert_eq!(both[0], both[1]);
    // A map that was made with the door open does not lead through it.
    let map = open.query().memory(&mut scratch).distance_map(place(&open, to), f32::INFINITY).unwrap();
    let heading = |mesh: &NavMesh| map.heading(mesh, &place(mesh, from));
    assert!(heading(&open).unwrap().is_some());
    assert!(matches!(heading(&mesh), Err(QueryError::Stale { .. })), "{:?}", heading(&mesh));
    // With a hierarchy, too: it was made with the door open.
    let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(2);
    let hierarchy = Hierarchy::new(&open, &config).unwrap();
    let options = PathOptions::default();
    let path = path_or_none(
        mesh.query().options(options.with_search(&hierarchy)).memory(&mut scratch).path(from, to),
    );
    assert_eq!(path, path_or_none(bare.query().options(options).memory(&mut scratch).path(from, to)));
    // A corridor waits for it.
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    corridor.plan(&mesh, from, to, &mut scratch).unwrap();
    assert_ne!(corridor.path().outcome, Outcome::Complete);
    for id in [1, 0].map(LinkId) {
        assert!(mesh.set_link_open(id, true));
    }
    assert_eq!(mesh, open);
    corridor.repair(&mesh, &mut scratch).unwrap();
    assert_eq!(
        *corridor.path(),
        path_or_none(open.query().options(options).memory(&mut scratch).path(from, to))
    );
    mesh.set_link_open(LinkId(0), false);
    corridor.repair(&mesh, &mut scratch).unwrap();
    assert_ne!(corridor.path().links.first().map(|taken| taken.link), Some(LinkId(0)));
}

#[test]
fn links_keep_the_names_that_they_are_given() {
    let link = |z: i32| Link::new(end(0, 0.0, [[20, z]; 2]), end(1, 0.0, [[24, z]; 2]), LinkKind::User);
    let named = |ids: [u64; 2]| {
        let links = ids.into_iter().zip([4, 16]).map(|(id, z)| (LinkId(id), link(z))).collect();
        NavMesh::try_from(squares(4, 0.0)).unwrap().with_named_links(links)
    };
    let mut mesh = named([1 << 40, 7]).unwrap();
    let mut scratch = QueryScratch::default();
    let path = mesh.query().memory(&mut scratch).path(at(18.0, 0.0, 14.0), at(26.0, 0.0, 14.0));
    assert_eq!(path.unwrap().links[0].link, LinkId(7));
    assert_eq!(mesh.remove_link(LinkId(1 << 40)), Some(link(4)));
    assert_eq!(mesh.link(LinkId(7)), Some(&link(16)));
    assert_eq!(mesh.add_link(link(5)), Ok(LinkId((1 << 40) + 1)));
    assert_eq!(named([3, 3]), Err(NavMeshError::SameLinkId { id: LinkId(3) }));
}

#[test]
fn links_are_part_of_the_data_and_can_be_taken_away() {
    let link = Link {
        extra_cost: 2.5,
        data: 77,
        ..Link::new(end(0, 0.0, [[20, 5], [20, 9]]), end(1, 8.0, [[24, 5], [24, 9]]), LinkKind::Step)
    };
    let linked = mesh(squares(4, 8.0), vec![link]);
    assert_eq!(linked.links(), [link]);
    assert_eq!(NavMesh::from_data(linked.data()).unwrap(), linked);
    let mut data = linked.data();
    data.links[0].kind = 200;
    assert_eq!(NavMesh::from_data(data), Err(NavMeshError::LinkKind { link: 0, value: 200 }));
    assert_eq!(linked.with_links(Vec::new()).unwrap(), NavMesh::try_from(squares(4, 8.0)).unwrap());
}

/// The mesh with some of its edges cut and joined again by links.
fn cut(polygons: &PolyMesh, chance: &mut Chance) -> NavMesh {
    let mut cut = polygons.clone();
    let mut links = Vec::new();
    for (index, polygon) in polygons.polygons.iter().enumerate() {
        for edge in 0..polygon.len {
            let [here, next] =
                [edge, (edge + 1) % polygon.len].map(|corner| (polygon.first + corner) as usize);
            let Some(neighbour) = polygons.neighbours[here] else { continue };
            if neighbour.index() < index || !chance.one_in(3) {
                continue;
            }
            let ends = [here, next].map(|corner| polygons.vertices[polygons.corners[corner].index()]);
            let other = polygons.polygons[neighbour.index()];
            let back = (other.first..other.first + other.len).map(|corner| corner as usize).find(|&corner| {
                polygons.corners[corner] == polygons.corners[next]
                    && polygons.neighbours[corner] == Some(PolyId::from_index(index))
            });
            cut.neighbours[here] = None;
            cut.neighbours[back.unwrap()] = None;
            let end = |polygon: PolyId| LinkEnd { polygon, ends };
            links.push(Link::new(end(PolyId::from_index(index)), end(neighbour), LinkKind::Level));
        }
    }
    mesh(cut, links)
}

/// A string that turned at every link would make corridors over links look longer than they are.
#[test]
fn a_corridor_over_links_is_judged_as_one_over_edges() {
    let mut scratch = QueryScratch::default();
    let mut sums = [0.0; 2];
    for seed in 0..100 {
        let mut chance = Chance(seed);
        let polygons = random_flat(seed);
        let whole = NavMesh::try_from(polygons.clone()).unwrap();
        let cut = cut(&polygons, &mut chance);
        for _ in 0..20 {
            let [from, to] = [0, 1].map(|_| {
                let polygon = random_polygon(&whole, &mut chance);
                point_in(&whole, polygon, &mut chance)
            });
            for (sum, mesh) in sums.iter_mut().zip([&whole, &cut]) {
                let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
                *sum += f64::from(path.length);
            }
        }
    }
    let [whole, cut] = sums;
    assert!(cut <= whole * 1.0001, "{cut} m over links, {whole} m over edges");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn links_in_place_of_edges_lead_as_far_and_as_straight(seed in any::<u64>()) {
        let mut chance = Chance(seed);
        let polygons = random_flat(seed);
        let whole = NavMesh::try_from(polygons.clone()).unwrap();
        let cut = cut(&polygons, &mut chance);
        let mut scratch = QueryScratch::default();
        for _ in 0..20 {
            let [from, to] = [0, 1].map(|_| {
                let polygon = random_polygon(&whole, &mut chance);
                point_in(&whole, polygon, &mut chance)
            });
            let expected = path_or_none(whole.query().memory(&mut scratch).partial().path(from, to));
            let found = path_or_none(cut.query().memory(&mut scratch).partial().path(from, to));
            prop_assert_eq!(found.outcome == Outcome::Complete, expected.outcome == Outcome::Complete);
            if found.outcome == Outcome::Complete {
                // The corridor may be another one, but the path is the best in it, as over edges.
                let shortest = shortest_in_corridor(&whole, &found);
                prop_assert!((f64::from(found.length) - shortest).abs() <= 1e-5 * shortest + 1e-5);
            }
            for taken in &found.links {
                prop_assert!(taken.point + 1 < found.points.len());
            }
        }
    }
}

/// Replaces a share of the edges between polygons by links.
fn with_links_for_edges(polygons: &PolyMesh, share: f64, random: &mut Random) -> NavMesh {
    let (mut cut, mut links) = (polygons.clone(), Vec::new());
    for polygon in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let Poly { first, len, .. } = polygons.polygons[polygon.index()];
        for side in 0..len {
            let [edge, next] = [first + side, first + (side + 1) % len].map(|at| at as usize);
            let Some(beyond) = polygons.neighbours[edge].filter(|beyond| beyond.0 > polygon.0) else {
                continue;
            };
            if f64::from(random.unit()) >= share {
                continue;
            }
            let corner = |at: usize| polygons.corners[at];
            let [a, b] = [edge, next].map(|at| polygons.vertices[corner(at).index()]);
            let end = |polygon: PolyId| LinkEnd { polygon, ends: [a, b] };
            links.push(Link::new(end(polygon), end(beyond), LinkKind::Level));
            cut.neighbours[edge] = None;
            let other = polygons.polygons[beyond.index()];
            let back = (0..other.len).find(|&back| {
                let ends = [back, (back + 1) % other.len].map(|at| corner((other.first + at) as usize));
                ends == [corner(next), corner(edge)]
            });
            cut.neighbours[(other.first + back.unwrap()) as usize] = None;
        }
    }
    mesh(cut, links)
}

/// Links that join the ground as edges do keep shortest paths as short and as fast.
#[test]
fn ground_joined_by_links_is_searched_like_any_other() {
    for (seed, blocked, share) in [(1, 0.0, 1.0), (2, 0.2, 1.0), (3, 0.3, 0.5), (4, 0.1, 0.3)] {
        let polygons = flat_meshes::crooked(seed, 14, blocked);
        let mut random = Random::new(seed);
        let linked = with_links_for_edges(&polygons, share, &mut random);
        let plain = NavMesh::try_from(polygons).unwrap();
        let sampler = plain.query().sampler();
        let options = PathOptions::default().with_search(PathSearch::Shortest);
        let mut nodes = [0_usize; 2];
        for _ in 0..60 {
            let [from, to] = [0, 1].map(|_| sampler.sample(&plain, &mut random).unwrap().unwrap().position);
            let [expected, actual] = [0, 1].map(|which| {
                let mesh = [&plain, &linked][which];
                let mut query = SlicedPath::new(options);
                query.begin(mesh, from, to).unwrap();
                while query.advance(mesh, 1).unwrap().is_none() {
                    nodes[which] += 1;
                    assert!(nodes[which] < 1_000_000, "seed {seed}, {from} to {to}");
                }
                query.path().clone()
            });
            let both = [&expected, &actual].map(|path| path.outcome == Outcome::Complete);
            assert_eq!(both[0], both[1], "seed {seed}, {from} to {to}");
            let short = (expected.length - actual.length).abs() <= 1e-4 * expected.length;
            assert!(short || !both[0], "seed {seed}, {from} to {to}: {}", actual.length);
        }
        assert!(nodes[1] <= 2 * nodes[0] + 1000, "seed {seed}: {nodes:?} nodes");
    }
}

/// Between two sides of a gap the best place follows from the mirror image of one end.
#[test]
fn a_link_between_segments_is_taken_at_its_best_place() {
    let (gap, rise) = (8, 2.0);
    let ends = [end(0, 0.0, [[20, 0], [20, 20]]), end(1, rise, [[20 + gap, 0], [20 + gap, 20]])];
    let mesh = mesh(squares(gap, rise), vec![Link::new(ends[0], ends[1], LinkKind::Jump)]);
    let (mut random, mut scratch) = (Random::new(0x51de), QueryScratch::default());
    let over = at(gap as f32, rise, 0.0).length();
    for _ in 0..200 {
        let mut place = |x: f32, height| at(x + random.range(0.5, 19.5), height, random.range(0.0, 20.0));
        let (from, to) = (place(0.0, 0.0), place(20.0 + gap as f32, rise));
        let on_foot = (to.x - from.x - at(gap as f32, 0.0, 0.0).x).hypot(to.z - from.z);
        for search in [PathSearch::Shortest, PathSearch::Fast] {
            let options = PathOptions::default().with_search(search);
            for [from, to] in [[from, to], [to, from]] {
                let path = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
                assert!((path.length - on_foot - over).abs() < 1e-3, "{from} to {to}: {path:?}");
                let mut sliced = SlicedPath::new(options);
                sliced.begin(&mesh, from, to).unwrap();
                while sliced.advance(&mesh, 5).unwrap().is_none() {}
                assert_eq!(sliced.path().points, path.points);
            }
        }
    }
}

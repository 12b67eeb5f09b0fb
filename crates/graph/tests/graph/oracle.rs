//! Paths that an oracle looks up, against those that are searched for.

use std::collections::BTreeSet;

use waymesh_core::Random;
use waymesh_graph::glam::Vec3;
use waymesh_graph::{AreaFilter, Link, LinkEnd, LinkKind, NavMesh, Outcome, Path, QueryScratch, TileKey};
use waymesh_testkit::flat_meshes::crooked;
use waymesh_testkit::wound;

use crate::meshes::{
    Chance, frame, from_map, navmesh, point_in, random_hilly, random_map, random_polygon, spiral,
};
use crate::path_or_none;
use crate::shortest::{cut, plan_length};
use crate::tiles::{Map, SQUARES, TILES, changes, empty, random_link};

/// Number of compared paths.
#[derive(Debug, Default)]
struct Compared {
    /// Paths that turn or take a link.
    bent: usize,
    /// Number of bent paths that were looked up.
    looked_up: usize,
    /// Links taken by paths that were looked up.
    links: usize,
}

/// Returns a place on a mesh: often a corner of a polygon.
fn place(mesh: &NavMesh, chance: &mut Chance) -> Vec3 {
    let polygon = random_polygon(mesh, chance);
    if chance.one_in(4) {
        let corners = mesh.polygon(polygon).unwrap().corners();
        return mesh.vertices()[corners[chance.below(corners.len())].index()];
    }
    point_in(mesh, polygon, chance)
}

impl Compared {
    /// Compares the paths between random places, corners of polygons among them, with and without an
    /// oracle.
    fn compare(&mut self, name: &str, mesh: &NavMesh, pairs: usize, chance: &mut Chance) {
        let mut fast = mesh.clone();
        let figures = fast.build_oracle(64 << 20);
        assert!(figures.covered >= 1.0, "{name}: {figures:?}");
        let mut scratch = QueryScratch::default();
        for _ in 0..pairs {
            let [from, to] = [(); 2].map(|()| place(mesh, chance));
            let path = path_or_none(mesh.query().shortest().path(from, to));
            let found = path_or_none(fast.query().shortest().memory(&mut scratch).path(from, to));
            assert_eq!(found.outcome, path.outcome, "{name}: {from} to {to}");
            if path.outcome != Outcome::Complete {
                continue;
            }
            // In plan, without links: on hills, paths of one length in plan differ in space.
            let length =
                |path: &Path| if mesh.links().is_empty() { plan_length(path) } else { f64::from(path.cost) };
            let [expected, length] = [&path, &found].map(length);
            assert!(
                (length - expected).abs() <= 1e-4 * (1.0 + expected),
                "{name}: {length} by the oracle ({}), {expected} by search, {from} to {to}\n{:?}\n{:?}",
                scratch.used_oracle(),
                found.points,
                path.points
            );
            if path.points.len() > 2 {
                self.bent += 1;
                self.looked_up += usize::from(scratch.used_oracle());
                self.links += if scratch.used_oracle() { found.links.len() } else { 0 };
            }
            let distance = fast.query().memory(&mut scratch).distance(from, to).unwrap();
            assert!((distance - found.length).abs() <= 1e-4 * (1.0 + distance), "{name}: {from} to {to}");
        }
    }
}

#[test]
fn on_flat_meshes_of_all_kinds_the_path_looked_up_is_the_shortest() {
    let mut compared = Compared::default();
    for seed in 0..60 {
        let map = random_map(seed, 14, 11, [15, 30, 45][(seed % 3) as usize]);
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        compared.compare(&format!("map {seed}"), &mesh, 40, &mut Chance(seed));
        let mesh = navmesh(crooked(seed, 9, [0.1, 0.25, 0.4][(seed % 3) as usize]));
        compared.compare(&format!("crooked {seed}"), &mesh, 40, &mut Chance(seed));
    }
    assert!(compared.bent > 1000 && compared.looked_up * 100 >= compared.bent * 99, "{compared:?}");
}

#[test]
fn on_hills_and_up_a_spiral_too() {
    let mut compared = Compared::default();
    for seed in 0..20 {
        let mesh = navmesh(random_hilly(seed, Vec3::new(100.0, 5.0, -300.0)));
        compared.compare(&format!("hills {seed}"), &mesh, 40, &mut Chance(seed));
    }
    let mesh = navmesh(spiral(3, 1.0));
    compared.compare("spiral", &mesh, 100, &mut Chance(7));
    assert!(compared.bent > 200 && compared.looked_up * 100 >= compared.bent * 99, "{compared:?}");
}

/// Corners with more than a full turn of ground, where a direction in plan is one of several.
#[test]
fn ground_that_winds_about_its_corners_is_seen_all_around() {
    let mut compared = Compared::default();
    for seed in 0..200 {
        let loops = [0.0, 0.3, 0.6][(seed % 3) as usize];
        let ground = wound::ground(seed, 4 + (seed % 17) as usize * 2, loops, seed % 2 == 1);
        compared.compare(&format!("wound {seed}"), &navmesh(ground), 40, &mut Chance(seed));
    }
    assert!(compared.bent > 3000 && compared.looked_up * 100 >= compared.bent * 95, "{compared:?}");
}

#[test]
fn links_like_edges_are_crossed_if_they_are_free() {
    let mut compared = Compared::default();
    for seed in 0..60 {
        let rows = random_map(seed, 10, 8, [10, 20, 30][(seed % 3) as usize]);
        // No polygon may lie across the line.
        let kind = |(x, kind): (usize, char)| match kind {
            '#' => '#',
            _ if x < 5 => '1',
            _ => '2',
        };
        let map: Vec<String> = rows.iter().map(|row| row.char_indices().map(kind).collect()).collect();
        let (_, joined) = cut(&map, seed, 5 * 8);
        let mut chance = Chance(seed);
        compared.compare(&format!("free {seed}"), &joined, 30, &mut chance);
        let links = joined.links().iter().map(|link| Link { extra_cost: 1.5, ..*link }).collect();
        let mut with_costs = joined.clone().with_links(links).unwrap();
        let has_oracle = with_costs.build_oracle(64 << 20).covered > 0.0;
        assert_eq!(has_oracle, joined.links().is_empty());
    }
    assert!(compared.links > 300 && compared.looked_up * 10 >= compared.bent * 9, "{compared:?}");
}

#[test]
fn links_between_places_are_taken_in_their_directions() {
    let mut compared = Compared::default();
    for seed in 0..60 {
        let map = random_map(seed, 12, 10, 45);
        let plain = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        let end = |chance: &mut Chance| {
            let polygon = random_polygon(&plain, chance);
            let corners = plain.polygon(polygon).unwrap().corners();
            let first = chance.below(corners.len());
            let second = if chance.one_in(2) { first } else { (first + 1) % corners.len() };
            let ends = [first, second].map(|corner| plain.plan_vertices()[corners[corner].index()]);
            LinkEnd { polygon, ends }
        };
        let links = (0..5).map(|_| {
            let mut link = Link::new(end(&mut chance), end(&mut chance), LinkKind::User);
            link.both_ways = chance.one_in(2);
            link.extra_cost = if chance.one_in(2) { 0.0 } else { 0.5 };
            link
        });
        let links: Vec<Link> = links.collect();
        // Some make one-way portals, of which an oracle knows nothing.
        let Ok(mesh) = plain.clone().with_links(links) else { continue };
        let mut fast = mesh.clone();
        if fast.build_oracle(64 << 20).covered >= 1.0 {
            compared.compare(&format!("links {seed}"), &mesh, 40, &mut chance);
        }
    }
    assert!(compared.links > 100 && compared.looked_up * 10 >= compared.bent * 9, "{compared:?}");
}

#[test]
fn memory_is_kept_and_what_does_not_fit_is_searched_for() {
    let mesh = navmesh(crooked(3, 24, 0.25));
    let mut fast = mesh.clone();
    let whole = fast.build_oracle(usize::MAX);
    assert!(whole.covered >= 1.0 && whole.sites > 100, "{whole:?}");
    let mut chance = Chance(3);
    let mut scratch = QueryScratch::default();
    let mut shares = Vec::new();
    for share in [0, 20, 35, 50, 80, 99] {
        let figures = fast.build_oracle(whole.bytes / 100 * share);
        assert!(figures.bytes <= whole.bytes / 100 * share, "{figures:?}");
        shares.push(figures.covered);
        let mut looked_up = 0;
        for _ in 0..60 {
            let [from, to] = [(); 2].map(|()| place(&mesh, &mut chance));
            let path = path_or_none(mesh.query().shortest().path(from, to));
            let found = path_or_none(fast.query().shortest().memory(&mut scratch).path(from, to));
            assert!((found.length - path.length).abs() <= 1e-3, "{figures:?}: {from} to {to}");
            looked_up += usize::from(scratch.used_oracle());
        }
        assert_eq!(looked_up > 0, figures.covered > 0.3, "{figures:?}: {looked_up}");
    }
    assert!(shares.is_sorted() && shares[0] == 0.0 && shares[5] > 0.9, "{shares:?}");
}

#[test]
fn a_link_a_filter_or_costs_turn_it_off() {
    let mut mesh = navmesh(crooked(5, 12, 0.3));
    let mut scratch = QueryScratch::default();
    let figures = mesh.build_oracle(64 << 20);
    let mut chance = Chance(5);
    let [from, to] = [(); 2].map(|()| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
    let path = mesh.query().shortest().memory(&mut scratch).path(from, to).unwrap();
    assert!(scratch.used_oracle() && path.points.len() > 2);
    let dry = AreaFilter::default().without(waymesh_core::AreaId(7));
    mesh.query().filter(dry).shortest().memory(&mut scratch).path(from, to).unwrap();
    assert!(!scratch.used_oracle());
    let place = |at: Vec3| {
        let place = mesh.nearest(at, &mesh.default_reach()).unwrap();
        mesh.link_end(&place)
    };
    let link = Link::new(place(from), place(to), LinkKind::User);
    let id = mesh.add_link(link).unwrap();
    let short = mesh.query().shortest().memory(&mut scratch).path(from, to).unwrap();
    assert!(!scratch.used_oracle() && short.length < path.length);
    let unused = mesh.oracle_figures().unwrap();
    assert_eq!((unused.covered, unused.bytes), (0.0, figures.bytes));
    mesh.remove_link(id).unwrap();
    assert_eq!(mesh.oracle_figures(), Some(figures));
    mesh.query().shortest().memory(&mut scratch).path(from, to).unwrap();
    assert!(scratch.used_oracle(), "the links are those it was made for");
}

#[test]
fn one_thread_makes_the_same_tables_as_many() {
    let figures = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| navmesh(crooked(9, 24, 0.25)).build_oracle(64 << 20))
    });
    assert_eq!(figures[0], figures[1]);
}

/// Oracles that are older than the mesh, beside searches: ground that came, went and came back,
/// links that came and went, closed and opened again, and oracles made before other changes.
#[test]
fn an_oracle_answers_where_nothing_changed_since() {
    let (mut looked_up, mut with_links, mut searched, mut not_in_use) = (0, 0, 0, 0);
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let (mut map, mut tiled) = (Map::default(), empty());
        let keys =
            || (0..TILES).flat_map(|row| (0..TILES).map(move |column| TileKey { layer: 0, row, column }));
        keys().for_each(|key| map.fill(key, &mut random, 0.15));
        for _ in 0..if seed % 2 == 1 { 20 } else { 0 } {
            let squares = TILES as i32 * SQUARES;
            map.doors.insert((
                0,
                random.index(squares as usize) as i32,
                random.index(squares as usize) as i32,
            ));
        }
        tiled.change(changes(&map, &keys().collect())).unwrap();
        let doors = map.door_links(tiled.next());
        let user = (0..if seed % 4 == 3 { 3 } else { 0 })
            .filter_map(|id| random_link(tiled.next(), id, &mut random));
        tiled.change_links(&[], doors.into_iter().chain(user).collect()).unwrap();
        let mut older = tiled.show();
        for round in 0..12 {
            if round % 4 == 0 {
                // The mesh was shown before the last change.
                tiled.set_oracle(older.make_oracle(64 << 20));
                assert!(tiled.next().oracle_figures().is_some() || !older.links().is_empty());
            }
            older = tiled.mesh();
            let key = TileKey { layer: 0, row: random.below(TILES), column: random.below(TILES) };
            let before = map.tiles.get(&key).cloned();
            if random.chance(0.2) {
                map.tiles.remove(&key);
            } else {
                let solid = [0.0, 0.15, 0.4][random.index(3)];
                map.fill(key, &mut random, solid);
            }
            let changed = BTreeSet::from([key]);
            tiled.change(changes(&map, &changed)).unwrap();
            if let Some(before) = before.filter(|_| random.chance(0.3)) {
                map.tiles.insert(key, before);
                tiled.change(changes(&map, &changed)).unwrap();
            }
            if random.chance(0.2) {
                tiled.show();
                tiled.change(changes(&map, &changed.into_iter().chain(key.around()).collect())).unwrap();
                tiled.abandon();
            }
            let closed = tiled.next().link_ids().first().copied().filter(|_| round % 4 == 2);
            tiled.set_links_open(closed.map(|link| (link, false)));
            for _ in 0..1 + usize::from(closed.is_some()) {
                let live = tiled.show();
                let mut plain = NavMesh::clone(&live);
                plain.set_oracle(None);
                let mut scratch = QueryScratch::default();
                let polygons: Vec<_> = live.polygons().collect();
                let is_in_use = live.oracle_figures().is_some_and(|figures| figures.covered > 0.0);
                not_in_use += usize::from(!is_in_use);
                for _ in 0..40 {
                    let [from, to] = [(); 2].map(|()| {
                        let corners: Vec<Vec3> = polygons[random.index(polygons.len())].positions().collect();
                        let weights = corners
                            .iter()
                            .map(|_| if random.chance(0.3) { 0.0 } else { random.range(0.1, 1.0) });
                        let weights: Vec<f32> = weights.collect();
                        let sum = weights.iter().sum::<f32>();
                        let weighted = corners.iter().zip(&weights).map(|(corner, weight)| *corner * *weight);
                        if sum > 0.0 { weighted.sum::<Vec3>() / sum } else { corners[0] }
                    });
                    let path = path_or_none(plain.query().shortest().path(from, to));
                    let found = path_or_none(live.query().shortest().memory(&mut scratch).path(from, to));
                    assert_eq!(found.outcome, path.outcome, "{seed}, {round}: {from} to {to}");
                    if path.outcome == Outcome::Complete {
                        // In plan: paths that are as long there differ in space.
                        let takes_none = found.links.is_empty() && path.links.is_empty();
                        let (length, expected, tolerance) = if takes_none {
                            (plan_length(&found), plan_length(&path), 1e-4)
                        } else {
                            (found.cost.into(), path.cost.into(), 1e-2)
                        };
                        assert!(
                            (length - expected).abs() <= tolerance * (1.0 + expected),
                            "{seed}, {round}: {length} for {expected}, {from} to {to}, {}",
                            scratch.used_oracle()
                        );
                        let is_bent = path.points.len() > 2;
                        let is_found = scratch.used_oracle() && is_bent;
                        assert!(is_in_use || !is_found);
                        looked_up += usize::from(is_found);
                        with_links += usize::from(is_found && !live.links().is_empty());
                        searched += usize::from(is_in_use && is_bent && !is_found);
                    }
                }
                tiled.set_links_open(closed.map(|link| (link, true)));
            }
        }
    }
    let figures =
        format!("{looked_up} looked up, {with_links} with links, {searched} searched, {not_in_use} without");
    assert!(looked_up > 600 && with_links > 20 && searched > 300 && not_in_use > 20, "{figures}");
}

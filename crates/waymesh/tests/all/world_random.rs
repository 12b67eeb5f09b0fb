//! Random commands on worlds: after each update against a fresh world of the same state, and
//! queries on the mesh of the world against those on its compact form.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::collections::{BTreeMap, BTreeSet};

use glam::{Vec3, vec3};
use waymesh::core::{PolyId, Random, Validate};
use waymesh::graph::{
    CompactMesh, Link, LinkEnd, LinkId, LinkKind, Location, MeshFormat, PathOptions, PathSearch,
    QueryScratch, Reach,
};
use waymesh::io;
use waymesh::tile::Tile;
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{
    AreaId, BakeConfig, Baker, Bounds, JumpConfig, NavMesh, ObstacleId, Outcome, TriangleSoup, World,
};
use waymesh_scenes::{Scene, SceneConfig};

/// Expected contents of a world, whatever its history.
struct State<'a> {
    soup: &'a TriangleSoup,
    config: BakeConfig,
    tiles: BTreeSet<Tile>,
    obstacles: BTreeMap<ObstacleId, Obstacle>,
    marks: Vec<(waymesh::MarkId, Mark)>,
}

impl State<'_> {
    fn empty(&self) -> World {
        let baker = Baker::voxels().with_config(self.config.clone().with_validate_stages(true));
        World::new(baker, &self.soup.bounds(), 32).unwrap()
    }

    fn fresh(&self) -> World {
        let mut world = self.empty();
        for &tile in &self.tiles {
            world.set_tile(tile, self.soup).unwrap();
        }
        for obstacle in self.obstacles.values() {
            world.add_obstacle(obstacle.clone()).unwrap();
        }
        for (_, mark) in &self.marks {
            world.add_mark(mark.clone()).unwrap();
        }
        world.update(&mut ()).unwrap();
        world
    }
}

fn within(bounds: &Bounds, random: &mut Random) -> Vec3 {
    bounds.min + (bounds.max - bounds.min) * vec3(random.unit(), random.unit(), random.unit())
}

fn shape(at: Vec3, random: &mut Random) -> MarkShape {
    let half = vec3(random.range(0.2, 2.0), random.range(0.5, 4.0), random.range(0.2, 2.0));
    MarkShape::Box { bounds: Bounds { min: at - half, max: at + half } }
}

fn ids(mesh: &NavMesh) -> BTreeMap<LinkId, bool> {
    mesh.links_by_id().map(|(id, link)| (id, link.is_open)).collect()
}

/// Checks for equal places, lengths and points, bit by bit.
fn assert_same_queries(live: &NavMesh, compact: &CompactMesh, bounds: &Bounds, random: &mut Random) -> usize {
    let other = compact.mesh();
    let id = |polygon: PolyId| compact.id_of(polygon).unwrap();
    let back =
        |place: &Location| Location { polygon: id(place.polygon), generation: other.generation(), ..*place };
    let (mut scratch, mut again) = (QueryScratch::default(), QueryScratch::default());
    let mut complete = 0;
    for turn in 0..12 {
        let (from, to) = (within(bounds, random), within(bounds, random));
        let reach = [Reach::new(2.0, 2.0, 2.0), Reach::INFINITE][turn % 2];
        let place = live.nearest(from, &reach);
        assert_eq!(place.as_ref().map(back), other.nearest(from, &reach));
        for search in [PathSearch::Fast, PathSearch::Shortest] {
            let options = PathOptions::default().with_search(search).with_reach(reach);
            let (Ok(path), Ok(expected)) = (
                live.query().options(options).memory(&mut scratch).path(from, to),
                other.query().options(options).memory(&mut again).path(from, to),
            ) else {
                continue;
            };
            complete += usize::from(path.outcome == Outcome::Complete);
            assert_eq!(
                (path.outcome, &path.points),
                (expected.outcome, &expected.points),
                "{search:?} {from} {to}"
            );
            assert_eq!(path.length.to_bits(), expected.length.to_bits());
            assert!(path.polygons.iter().map(|&polygon| id(polygon)).eq(expected.polygons.iter().copied()));
            assert_eq!(path.links, expected.links);
        }
        let Some(start) = place else { continue };
        let same = back(&start);
        let ray = live.query().ray(start, to).unwrap();
        let expected = other.query().ray(same, to).unwrap();
        assert_eq!(ray.fraction.to_bits(), expected.fraction.to_bits());
        let end = live.query().memory(&mut scratch).walk(start, to).unwrap();
        assert_eq!(back(&end), other.query().memory(&mut again).walk(same, to).unwrap());
        if turn == 0 {
            let map = live.query().memory(&mut scratch).distance_map(start, 15.0).unwrap();
            let expected = other.query().memory(&mut again).distance_map(same, 15.0).unwrap();
            for _ in 0..8 {
                let Some(from) = live.nearest(within(bounds, random), &Reach::INFINITE) else { break };
                let [here, there] =
                    [map.heading(live, &from).unwrap(), expected.heading(other, &back(&from)).unwrap()];
                assert_eq!(here.map(|here| here.distance), there.map(|there| there.distance));
            }
        }
    }
    complete
}

/// Checks that the shortest paths of a mesh with an oracle are as long as without one.
fn assert_same_lengths(mesh: &NavMesh, plain: &NavMesh, bounds: &Bounds, random: &mut Random) {
    for _ in 0..20 {
        let [from, to] = [(); 2].map(|()| within(bounds, random));
        let length = |mesh: &NavMesh| {
            let path = mesh.query().reach(Reach::INFINITE).shortest().path(from, to);
            path.map(|path| path.plan_length)
        };
        match (length(mesh), length(plain)) {
            (Ok(own), Ok(expected)) => {
                assert!((own - expected).abs() <= 1e-3 + 1e-4 * expected, "{from} {to}")
            }
            (own, expected) => assert_eq!(own.is_ok(), expected.is_ok(), "{from} {to}"),
        }
    }
}

/// Checks that files are those of the compact form, and that tables by ids agree.
fn assert_same_files(live: &NavMesh, compact: &CompactMesh) {
    let other = compact.mesh();
    let bytes = |write: &dyn Fn(&NavMesh, &mut Vec<u8>)| {
        [live, other].map(|mesh| {
            let mut out = Vec::new();
            write(mesh, &mut out);
            out
        })
    };
    for [one, two] in [
        bytes(&|mesh, out| *out = mesh.to_bytes(MeshFormat::Exchange)),
        bytes(&|mesh, out| *out = mesh.to_bytes(MeshFormat::Packed)),
        bytes(&|mesh, out| io::write_obj(mesh, out).unwrap()),
        bytes(&|mesh, out| io::write_detail_obj(mesh, out).unwrap()),
        bytes(&|mesh, out| io::write_json(mesh, out).unwrap()),
        bytes(&|mesh, out| io::write_glb(mesh, &io::GlbOptions::default(), out).unwrap()),
        bytes(&|mesh, out| io::svg::write_svg(mesh, None, &io::svg::SvgOptions::default(), out).unwrap()),
    ] {
        assert!(one == two);
    }
    let read = NavMesh::from_bytes(live.to_bytes(MeshFormat::Packed)).unwrap();
    assert!(read == *other);
    for of in [io::ground_triangles, io::polygon_triangles] {
        let (ground, expected) = (of(live), of(other));
        assert_eq!(ground.polygon_triangles.len(), live.polygon_bound() + 1);
        assert_eq!(ground.triangles.len(), expected.triangles.len());
        for polygon in live.polygon_ids() {
            let [own, there] = [(&ground, polygon), (&expected, compact.id_of(polygon).unwrap())].map(
                |(ground, polygon)| {
                    let [first, end] =
                        [0, 1].map(|next| ground.polygon_triangles[polygon.index() + next] as usize);
                    &ground.triangles[first..end]
                },
            );
            assert_eq!(own, there);
            assert_eq!(compact.id_before(compact.id_of(polygon).unwrap()), Some(polygon));
        }
    }
    let mut on_storeys: Vec<PolyId> =
        io::svg::storeys(live).into_iter().flat_map(|storey| storey.polygons).collect();
    on_storeys.sort_unstable();
    assert!(on_storeys.into_iter().eq(live.polygon_ids()));
    let flags: Vec<u16> = (0..).take(live.polygon_bound()).collect();
    let own = compact.mesh().polygon_ids().map(|id| flags[compact.id_before(id).unwrap().index()]).collect();
    let detour = |mesh: &NavMesh, flags: Vec<u16>| {
        io::to_detour(mesh, &io::DetourOptions::default().with_flags(flags))
    };
    assert_eq!(detour(live, flags), detour(other, own));
}

/// Runs random commands; also returns how many paths led to their goal, and links there were at
/// most.
fn story(kind: Scene, config: &BakeConfig, seed: u64, rounds: usize) -> [usize; 2] {
    let soup = kind.build(&SceneConfig::default());
    let bounds = soup.bounds();
    let mut random = Random::new(seed);
    let (obstacles, marks, tiles) = Default::default();
    let mut state = State { soup: &soup, config: config.clone(), tiles, obstacles, marks };
    let mut world = state.empty();
    let all: Vec<Tile> = world.layout().tiles().collect();
    for &tile in &all {
        world.set_tile(tile, &soup).unwrap();
        state.tiles.insert(tile);
    }
    let mut added: Vec<LinkId> = Vec::new();
    let [mut complete, mut links] = [0; 2];
    let (mut older, mut places) = (world.handle().mesh(), Random::new(seed));
    for round in 0..rounds {
        for _ in 0..=random.below(2) {
            let tile = all[random.index(all.len())];
            match random.below(12) {
                0..4 => {
                    let obstacle = Obstacle::solid(shape(within(&bounds, &mut random), &mut random));
                    state.obstacles.insert(world.add_obstacle(obstacle.clone()).unwrap(), obstacle);
                }
                4..6 if !state.obstacles.is_empty() => {
                    let id = *state.obstacles.keys().nth(random.index(state.obstacles.len())).unwrap();
                    assert!(world.remove_obstacle(id) && state.obstacles.remove(&id).is_some());
                }
                6 => {
                    let mark = Mark::new(shape(within(&bounds, &mut random), &mut random), AreaId(3));
                    state.marks.push((world.add_mark(mark.clone()).unwrap(), mark));
                }
                7 if !state.marks.is_empty() => {
                    let (id, _) = state.marks.remove(random.index(state.marks.len()));
                    assert!(world.remove_mark(id));
                }
                8 => assert_eq!(world.remove_tile(tile), state.tiles.remove(&tile)),
                _ => {
                    world.set_tile(tile, &soup).unwrap();
                    state.tiles.insert(tile);
                }
            }
        }
        world.update(&mut ()).unwrap();
        let shown = world.handle().mesh();
        shown.validate().unwrap();
        let mut live = NavMesh::clone(&shown);
        live.set_oracle(None);
        // An oracle of the mesh of some earlier round, which stays over later ones.
        if round % 3 == 1 {
            world.set_oracle(older.make_oracle(16 << 20));
            let now = world.handle().mesh();
            now.validate().unwrap();
            assert!(*now == *shown && now.generation() == shown.generation());
        }
        assert_same_lengths(&world.handle().mesh(), &live, &bounds, &mut places);
        older = shown;
        let fresh = state.fresh();
        let expected = fresh.handle().mesh();
        let compact = live.to_compact();
        // Found links are equal, including ids; added links are present.
        let is_found = |id: &LinkId| id.0 >> 63 == 1;
        let found: BTreeMap<LinkId, bool> = ids(&live).into_iter().filter(|(id, _)| is_found(id)).collect();
        assert!(found.keys().eq(ids(&expected).keys()), "{kind:?} {seed}, round {round}");
        let of_found = compact.mesh().link_ids().iter().zip(compact.mesh().links());
        let of_found =
            of_found.filter(|(id, _)| is_found(id)).map(|(_, link)| Link { is_open: true, ..*link });
        let own = compact.mesh().clone().with_links(of_found.collect()).unwrap();
        assert!(own == *expected, "{kind:?} {seed}, round {round}");
        if round % 4 == 0 {
            assert_same_files(&live, &compact);
        }
        links = links.max(live.links().len());
        complete += assert_same_queries(&live, &compact, &bounds, &mut random);
        // Links come, go, open and close at once, and stay so.
        let polygons: Vec<PolyId> = live.polygon_ids().collect();
        if random.chance(0.3) && !polygons.is_empty() {
            let mut end = || {
                let polygon = polygons[random.index(polygons.len())];
                let corners = live.polygon(polygon).unwrap().corners();
                let at = live.plan_vertices()[corners[random.index(corners.len())].index()];
                LinkEnd { polygon, ends: [at; 2] }
            };
            let link = Link::new(end(), end(), LinkKind::User);
            added.push(world.add_link(link).unwrap());
        }
        if random.chance(0.2) && !added.is_empty() {
            assert!(world.remove_link(added.remove(random.index(added.len()))));
        }
        let now = ids(&world.handle().mesh());
        for (&id, &is_open) in now.iter().filter(|_| random.chance(0.1)) {
            assert!(world.set_link_open(id, !is_open));
        }
        world.handle().mesh().validate().unwrap();
        assert_eq!(live, *compact.mesh());
    }
    [complete, links]
}

#[test]
fn a_world_that_changed_is_the_one_that_is_made_at_once() {
    let mut complete = 0;
    for (seed, kind) in (0..).zip([Scene::OverlappingStoreys, Scene::DungeonRooms, Scene::RollingTerrain]) {
        complete += story(kind, &BakeConfig::default(), seed, 12)[0];
    }
    assert!(complete > 150, "{complete}");
}

#[test]
fn its_ledges_and_jumps_are_those_of_what_is_there() {
    for (seed, kind) in (10..).zip([Scene::OverlappingStoreys, Scene::Terraces, Scene::CityBlock]) {
        let config = BakeConfig::default().with_max_ledge(1.2);
        let [_, links] = story(kind, &config, seed, 8);
        assert!(links > 2 || kind == Scene::CityBlock, "{kind:?}: {links}");
        let [_, links] = story(kind, &config.with_jumps(JumpConfig::default()), seed + 10, 8);
        assert!(links > 10, "{kind:?}: {links}");
    }
}

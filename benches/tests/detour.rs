//! Files of Detour's, with Detour itself as the oracle: what it writes is read as it reads it, and
//! what is written it loads.
#![cfg(feature = "peers")]
#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::path::Path;

use glam::{Vec3, Vec3Swizzles};
use waymesh_benches::queries::REACH;
use waymesh_benches::{Detour, OffMesh, Partitioning, Scene, Settings, bake_recast, recast_mesh};
use waymesh_core::{GridScale, Random, Validate};
use waymesh_graph::{AnyPolygon, Location, NavMesh, PathOptions, PathSearch, QueryScratch, Reach};
use waymesh_io::{DetourOptions, parse_detour, to_detour};
use waymesh_testkit::levels;

/// Number of queried pairs of places.
const PAIRS: usize = 2_000;

fn settings() -> Settings {
    Settings::recast_demo(GridScale::new(0.3, 0.2), Partitioning::Watershed)
}

/// Recast's own levels where they are, else a generated one.
fn scenes() -> Vec<Scene> {
    let golden = Scene::golden().unwrap();
    if golden.is_empty() { vec![Scene::named("dungeon-rooms").unwrap()] } else { golden }
}

fn read(bytes: &[u8]) -> waymesh_io::DetourMesh {
    let read = parse_detour(Path::new("level.bin"), bytes).unwrap();
    read.mesh.validate().unwrap();
    assert_eq!(read.flags.len(), read.mesh.polygon_count());
    read
}

fn options(search: PathSearch) -> PathOptions<AnyPolygon> {
    PathOptions::default().with_reach(Reach::new(REACH.x, REACH.y, REACH.y)).with_search(search)
}

/// Random places on a mesh, in pairs.
fn pairs(mesh: &NavMesh) -> Vec<[Location; 2]> {
    let sampler = mesh.query().sampler();
    let mut random = Random::new(7);
    let mut place = || sampler.sample(mesh, &mut random).unwrap().unwrap();
    (0..PAIRS).map(|_| [place(), place()]).collect()
}

/// Agreement of both on equal queries.
#[derive(Debug, Default)]
struct Agreement {
    found: usize,
    /// Places that Detour puts half a metre from ours, or more.
    apart: usize,
    /// Pairs that only one of both finds a path for.
    differ: usize,
    /// Our shortest paths that are longer in plan than Detour's, by a millimetre and a thousandth.
    longer: usize,
    /// Lengths in plan of all paths that both find: ours shortest, Detour's.
    lengths: [f64; 2],
    /// Greatest distance in height between Detour's place and ours, at the same place.
    rise: f32,
}

fn plan_length(corners: &[Vec3]) -> f64 {
    corners.windows(2).map(|pair| f64::from(pair[0].xz().distance(pair[1].xz()))).sum()
}

fn agreement(mesh: &NavMesh, detour: &mut Detour) -> Agreement {
    let mut agreement = Agreement::default();
    let mut scratch = QueryScratch::default();
    for [from, to] in pairs(mesh) {
        let theirs = detour.place(from.position).unwrap();
        agreement.apart += usize::from(theirs.distance(from.position) >= 0.5);
        agreement.rise = agreement.rise.max((theirs.y - from.position.y).abs());
        let path = mesh
            .query()
            .options(options(PathSearch::Shortest))
            .memory(&mut scratch)
            .path(from.position, to.position)
            .unwrap();
        let ours = (path.outcome == waymesh_graph::Outcome::Complete).then(|| plan_length(&path.points));
        let theirs = detour.way(from.position, to.position).map(|corners| plan_length(&corners));
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                agreement.found += 1;
                agreement.longer += usize::from(ours > theirs * 1.001 + 1e-3);
                agreement.lengths[0] += ours;
                agreement.lengths[1] += theirs;
            }
            (None, None) => {}
            _ => agreement.differ += 1,
        }
    }
    agreement
}

#[test]
fn what_recast_bakes_is_read_with_the_same_polygons_and_paths() {
    for scene in scenes() {
        let recast = bake_recast(&scene, &settings()).unwrap();
        let bytes = Detour::file(&scene, &settings(), None, &[]).unwrap();
        let read = read(&bytes);
        let polygons = recast_mesh(&recast.result.0, &recast.result.1);
        assert_eq!(read.mesh.polygon_count(), polygons.polygons.len(), "{}", scene.name);
        let mut area = 0.0;
        for (polygon, theirs) in read.mesh.polygons().zip(&polygons.polygons) {
            let mut positions: Vec<Vec3> = polygon.positions().collect();
            for &corner in theirs {
                let at = polygons.vertices[corner as usize];
                let nearest = positions.iter().position(|position| position.distance(at) < 1e-3);
                positions
                    .swap_remove(nearest.unwrap_or_else(|| panic!("{} has no corner at {at}", polygon.id())));
            }
            assert!(positions.is_empty());
            let around = |index: usize| polygons.vertices[theirs[index % theirs.len()] as usize];
            let cross = |a: Vec3, b: Vec3| f64::from(a.x) * f64::from(b.z) - f64::from(a.z) * f64::from(b.x);
            area += (0..theirs.len()).map(|index| cross(around(index), around(index + 1))).sum::<f64>().abs()
                / 2.0;
        }
        assert!((area - read.mesh.area()).abs() < 1e-4 * area, "{area} {}", read.mesh.area());
        assert_eq!(
            (read.report.one_sided, read.report.parted, read.report.flat),
            (0, 0, 0),
            "{:?}",
            read.report
        );
        let found = agreement(&read.mesh, &mut Detour::load(&bytes).unwrap());
        eprintln!("{}: {:?} {found:?}", scene.name, read.report);
        assert_eq!((found.differ, found.longer, found.apart), (0, 0, 0), "{}: {found:?}", scene.name);
        assert!(found.rise < 0.01, "{found:?}");
    }
}

#[test]
fn tiles_are_joined_where_detour_joins_them() {
    for scene in scenes() {
        for cells in [32, 48] {
            let bytes = Detour::file(&scene, &settings(), Some(cells), &[]).unwrap();
            let read = read(&bytes);
            assert!(read.report.tiles > 20 && read.report.joined > 20, "{:?}", read.report);
            let found = agreement(&read.mesh, &mut Detour::load(&bytes).unwrap());
            eprintln!("{} {cells}: {:?} {found:?}", scene.name, read.report);
            assert_eq!(
                (found.differ, found.longer, found.apart),
                (0, 0, 0),
                "{}, {cells}: {found:?}",
                scene.name
            );
        }
    }
}

#[test]
fn detour_loads_what_is_written_and_finds_the_same_paths() {
    for scene in scenes() {
        let baked = waymesh::Baker::voxels().bake(&scene.soup).unwrap();
        let bytes = to_detour(&baked, &DetourOptions::default()).unwrap();
        let mut detour = Detour::load(&bytes).unwrap();
        let found = agreement(&baked, &mut detour);
        eprintln!("{}: {} polygons, {} bytes {found:?}", scene.name, baked.polygon_count(), bytes.len());
        assert_eq!((found.differ, found.longer, found.apart), (0, 0, 0), "{}: {found:?}", scene.name);
        let again = read(&bytes);
        assert!((again.mesh.area() - baked.area()).abs() < 1e-4 * baked.area());
        assert_eq!((again.report.one_sided, again.report.flattened), (0, 0), "{:?}", again.report);
        let found = agreement(&again.mesh, &mut detour);
        assert_eq!((found.differ, found.longer, found.apart), (0, 0, 0), "{}: {found:?}", scene.name);
    }
}

#[test]
fn detour_joins_the_tiles_that_are_written() {
    for scene in scenes() {
        let baked = waymesh::Baker::voxels().bake(&scene.soup).unwrap();
        for side in [5.0, 9.6, 21.3] {
            let bytes = to_detour(&baked, &DetourOptions::default().with_tile_side(side)).unwrap();
            let mut detour = Detour::load(&bytes).unwrap();
            let found = agreement(&baked, &mut detour);
            let again = read(&bytes);
            eprintln!("{} in tiles of {side} m: {found:?} {:?}", scene.name, again.report);
            assert!(again.report.tiles > 4 && again.report.joined > 4);
            let all = (found.differ, found.longer, found.apart);
            assert_eq!(all, (0, 0, 0), "{}, {side}: {found:?}", scene.name);
            let found = agreement(&again.mesh, &mut detour);
            assert_eq!((found.differ, found.longer), (0, 0), "{}, {side}: {found:?}", scene.name);
            // The report has the number of pieces that are read flat: cuts are rounded, and where the grid is
            // coarse the ground of a piece may no longer fill it.
            if again.report.flattened * 20 < again.report.polygons {
                assert!(found.apart * 500 <= PAIRS, "{}, {side}: {found:?}", scene.name);
            }
        }
    }
}

#[test]
fn connections_lead_where_detours_do() {
    let Some(scene) = Scene::golden().unwrap().into_iter().find(|scene| scene.name == "nav_test") else {
        return;
    };
    let plain = read(&Detour::file(&scene, &settings(), None, &[]).unwrap()).mesh;
    // From the largest island to the others and back.
    let mut islands: Vec<_> = (0..).map(waymesh_graph::IslandId).take(plain.islands().len()).collect();
    islands.sort_by(|a, b| plain.islands()[b.index()].area.total_cmp(&plain.islands()[a.index()].area));
    let middle = |island: waymesh_graph::IslandId| {
        let polygon = plain.polygons().find(|polygon| polygon.island() == island).unwrap();
        let mut middle = polygon.positions().sum::<Vec3>() / polygon.positions().len() as f32;
        middle.y = plain.height_in_polygon(polygon.id(), middle).unwrap();
        middle.to_array()
    };
    let mut connections = Vec::new();
    for (user, island) in (0_u32..).zip(&islands[1..]) {
        let (from, to) = (middle(islands[0]), middle(*island));
        let ends = if user % 3 == 1 { [to, from] } else { [from, to] };
        connections.push(OffMesh { ends, radius: 0.6, both_ways: user % 3 == 0, user });
    }
    // One ends in the air.
    let ends = [middle(islands[0]), [0.0, 90.0, 0.0]];
    connections.push(OffMesh { ends, radius: 0.6, both_ways: true, user: 99 });
    let bytes = Detour::file(&scene, &settings(), None, &connections).unwrap();
    let read = read(&bytes);
    assert_eq!((read.report.connections, read.report.unplaced), (connections.len(), 1));
    for (link, connection) in read.mesh.links().iter().zip(&connections) {
        assert_eq!((link.data, link.both_ways, link.is_open), (connection.user, connection.both_ways, true));
        for (end, expected) in [link.from, link.to].iter().zip(connection.ends) {
            let vertex = end.ends[0];
            let at = read.mesh.frame().to_world(
                vertex.point.x.into(),
                vertex.height.into(),
                vertex.point.z.into(),
            );
            assert!(at.distance(expected.into()) < 0.02, "{at} {expected:?}");
        }
    }
    // Detour takes one of several equal ways; who can get where is the same.
    let mut detour = Detour::load(&bytes).unwrap();
    let found = agreement(&read.mesh, &mut detour);
    eprintln!("{found:?}");
    assert_eq!((found.differ, found.apart), (0, 0), "{found:?}");
    assert!(found.found > PAIRS / 4);
    // Written again, they are read again.
    let again = to_detour(&read.mesh, &DetourOptions::default()).unwrap();
    let found = agreement(&read.mesh, &mut Detour::load(&again).unwrap());
    assert_eq!((found.differ, found.apart), (0, 0), "{found:?}");
}

#[test]
fn real_files_are_read_as_detour_reads_them() {
    let name = "golden/dotrecast_resources/dungeon_all_tiles_navmesh_32bit.bin";
    let Some(file) = levels::find(name) else { return };
    let bytes = std::fs::read(file).unwrap();
    let read = read(&bytes);
    assert_eq!((read.report.tiles, read.report.polygons, read.report.joined), (41, 143, 68));
    let found = agreement(&read.mesh, &mut Detour::load(&bytes).unwrap());
    assert_eq!((found.differ, found.longer, found.apart), (0, 0, 0), "{found:?}");
    assert!(found.found > PAIRS / 2);
}

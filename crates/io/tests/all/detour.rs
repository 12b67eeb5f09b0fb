//! Files of Detour's: read, written, and damaged. Here the bytes are written by hand; Detour itself
//! is the oracle in the benches.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use crate::common;
use std::path::Path;

use common::meshes::{dungeon, house};
use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{AreaId, PlanPoint, PolyId, Random, Validate};
use waymesh_graph::{
    Link, LinkEnd, LinkKind, Location, NavMesh, Outcome, PathOptions, PathSearch, QueryScratch, Reach,
};
use waymesh_io::{
    DetourMesh, DetourOptions, IoError, is_detour, open, open_detour, parse_detour, parse_mesh, save,
    to_detour,
};
use waymesh_testkit::damage::each_flipped_bit;
use waymesh_testkit::{flat_meshes, levels};

/// A polygon: corners, what is beyond each edge as the file has it, flags, area.
type Ground = (Vec<u16>, Vec<u16>, u16, u8);

/// The ground of a polygon: points besides the corners, triangles.
type Detail = (Vec<[f32; 3]>, Vec<[u8; 3]>);

/// Neighbours beyond an edge on each side of a tile.
const EAST: u16 = 0x8000;
const WEST: u16 = 0x8004;

/// A tile as `dtCreateNavMeshData` lays it out, written by hand.
#[derive(Clone)]
struct Tile {
    at: [i32; 2],
    low: [f32; 3],
    units: f32,
    vertices: Vec<[f32; 3]>,
    ground: Vec<Ground>,
    /// Per polygon.
    details: Vec<Detail>,
    /// Ends, radius, both ways, user.
    connections: Vec<([[f32; 3]; 2], f32, bool, u32)>,
}

impl Tile {
    fn new(at: [i32; 2], vertices: &[[f32; 3]], ground: &[Ground]) -> Self {
        let low = [at[0] as f32 * 4.0, 0.0, at[1] as f32 * 4.0];
        let (vertices, ground) = (vertices.to_vec(), ground.to_vec());
        Self { at, low, units: 4.0, vertices, ground, details: Vec::new(), connections: Vec::new() }
    }

    fn bytes(&self, link: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let word =
            |out: &mut Vec<u8>, number: usize| out.extend(u32::try_from(number).unwrap().to_le_bytes());
        let metres =
            |out: &mut Vec<u8>, numbers: &[f32]| out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        out.extend(b"VAND");
        word(&mut out, 7);
        out.extend(self.at.iter().flat_map(|number| number.to_le_bytes()));
        out.extend([0; 8]);
        let (ground, ends) = (self.ground.len(), 2 * self.connections.len());
        let points: Vec<[f32; 3]> = self.details.iter().flat_map(|detail| detail.0.clone()).collect();
        let triangles: Vec<[u8; 3]> = self.details.iter().flat_map(|detail| detail.1.clone()).collect();
        for count in [
            ground + self.connections.len(),
            self.vertices.len() + ends,
            12,
            self.details.len(),
            points.len(),
            triangles.len(),
            1,
            self.connections.len(),
            ground,
        ] {
            word(&mut out, count);
        }
        metres(&mut out, &[1.8, 0.3, 0.4]);
        metres(&mut out, &self.low);
        metres(&mut out, &[self.low[0] + 4.0, 9.0, self.low[2] + 4.0, self.units]);
        self.vertices.iter().for_each(|vertex| metres(&mut out, vertex));
        self.connections.iter().flat_map(|connection| connection.0).for_each(|end| metres(&mut out, &end));
        let mut polygon = |corners: &[u16], beyond: &[u16], flags: u16, area: u8| {
            out.extend([0xff; 4]);
            let table = |numbers: &[u16]| {
                (0..6).map(|index| numbers.get(index).copied().unwrap_or(0)).collect::<Vec<_>>()
            };
            out.extend(table(corners).into_iter().chain(table(beyond)).flat_map(u16::to_le_bytes));
            out.extend(flags.to_le_bytes());
            out.extend([u8::try_from(corners.len()).unwrap(), area]);
        };
        for (corners, beyond, flags, area) in &self.ground {
            polygon(corners, beyond, *flags, *area);
        }
        for index in 0..self.connections.len() {
            let first = u16::try_from(self.vertices.len() + 2 * index).unwrap();
            polygon(&[first, first + 1], &[], 1, 1 << 6);
        }
        out.resize(out.len() + 12 * link, 0);
        let (mut first_point, mut first_triangle) = (0, 0);
        for (points, triangles) in &self.details {
            word(&mut out, first_point);
            word(&mut out, first_triangle);
            out.extend([points.len(), triangles.len(), 0, 0].map(|count| u8::try_from(count).unwrap()));
            first_point += points.len();
            first_triangle += triangles.len();
        }
        points.iter().for_each(|point| metres(&mut out, point));
        out.extend(triangles.iter().flat_map(|&[a, b, c]| [a, b, c, 0]));
        out.extend([0; 16]);
        for (index, (ends, radius, both_ways, user)) in self.connections.iter().enumerate() {
            ends.iter().for_each(|end| metres(&mut out, end));
            metres(&mut out, &[*radius]);
            out.extend(u16::try_from(ground + index).unwrap().to_le_bytes());
            out.extend([u8::from(*both_ways), 0xff]);
            out.extend(user.to_le_bytes());
        }
        out
    }
}

/// A set of tiles. `wide`: references of 64 bits. `settings`: those of habitat-sim.
fn set(tiles: &[Tile], wide: bool, settings: bool) -> Vec<u8> {
    let mut out = b"TESM".to_vec();
    out.extend([1 + u32::from(settings), u32::try_from(tiles.len()).unwrap()].map(u32::to_le_bytes).concat());
    out.extend([0.0_f32, 0.0, 0.0, 4.0, 4.0].map(f32::to_le_bytes).concat());
    out.extend([16_u32, 1024].map(u32::to_le_bytes).concat());
    if settings {
        let mut numbers = [0.0_f32; 13];
        numbers[..6].copy_from_slice(&[0.25, 0.1, 1.8, 0.3, 0.4, 30.0]);
        out.extend(numbers.map(f32::to_le_bytes).concat());
        out.extend([1, 1, 1, 0]);
    }
    for (index, tile) in (0_u32..).zip(tiles) {
        let bytes = tile.bytes(if wide { 16 } else { 12 });
        let reference = 1 << 20 | index << 10;
        out.extend(reference.to_le_bytes());
        if wide {
            out.extend([0; 4]);
        }
        out.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        if wide {
            out.extend([0xcd; 4]);
        }
        out.extend(bytes);
    }
    out
}

/// Two rows of polygons in each of two tiles, 4 m wide, whose common border has its corners at
/// other places on each side, and a gallery above the second.
fn two_tiles() -> [Tile; 2] {
    let west = Tile::new(
        [0, 0],
        &[
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 0.0, 1.5],
            [4.0, 0.25, 4.0],
            [0.0, 0.0, 4.0],
            [0.0, 0.0, 1.5],
        ],
        // Detour's way round.
        &[(vec![5, 2, 1, 0], vec![2, EAST, 0, 0], 1, 0), (vec![4, 3, 2, 5], vec![0, EAST, 1, 0], 1, 5)],
    );
    let mut east = Tile::new(
        [1, 0],
        &[
            [4.0, 0.0, 0.0],
            [8.0, 0.0, 0.0],
            [8.0, 0.0, 3.0],
            [4.0, 0.125, 3.0],
            [4.0, 0.25, 4.0],
            [8.0, 0.0, 4.0],
            [4.0, 3.0, 0.0],
            [8.0, 3.0, 0.0],
            [8.0, 3.0, 4.0],
            [4.0, 3.0, 4.0],
        ],
        &[
            (vec![3, 2, 1, 0], vec![2, 0, 0, WEST], 1, 0),
            (vec![4, 5, 2, 3], vec![0, 0, 1, WEST], 3, 0),
            (vec![9, 8, 7, 6], vec![0, 0, 0, WEST], 1, 0),
        ],
    );
    // A hill in the middle of the first polygon.
    let around =
        |count: u8| (0..count).map(move |corner| [4, corner, (corner + 1) % count]).collect::<Vec<_>>();
    east.details = vec![
        (vec![[6.0, 0.5, 1.5]], around(4)),
        (vec![], vec![[0, 1, 2], [0, 2, 3]]),
        (vec![], vec![[0, 1, 2], [0, 2, 3]]),
    ];
    // Up to the gallery and down again, and down only.
    east.connections = vec![
        ([[7.0, 0.1, 3.5], [7.013, 3.0, 3.5]], 0.5, true, 7),
        ([[5.0, 3.0, 0.62], [1.0, 0.0, 1.0]], 0.5, false, 8),
    ];
    [west, east]
}

fn read(bytes: &[u8]) -> Result<DetourMesh, IoError> {
    parse_detour(Path::new("level.navmesh"), bytes)
}

fn at(mesh: &NavMesh, x: f32, y: f32, z: f32) -> Location {
    mesh.nearest(Vec3::new(x, y, z), &Reach::new(0.1, 1.0, 1.0)).unwrap()
}

#[test]
fn tiles_meet_edge_to_edge_and_everything_else_has_its_counterpart() {
    for (wide, settings) in [(false, false), (true, false), (false, true)] {
        let read = read(&set(&two_tiles(), wide, settings)).unwrap();
        let mesh = &read.mesh;
        mesh.validate().unwrap();
        let report = read.report;
        assert_eq!((report.tiles, report.polygons, report.joined, report.overlaid), (2, 5, 3, 0));
        assert_eq!((report.connections, report.unplaced, report.wide_references), (2, 0, wide));
        assert_eq!((report.has_slope, report.losses().is_empty()), (settings, settings));
        assert_eq!((mesh.polygon_count(), mesh.islands().len(), mesh.portal_count()), (5, 2, 5));
        assert!((mesh.area() - 48.0).abs() < 1e-6);
        // The second polygon of the west is adjacent to both of the east, with a corner between.
        let west = mesh.polygon(at(mesh, 1.0, 0.0, 3.0).polygon).unwrap();
        assert_eq!((west.corners().len(), west.neighbours().flatten().count()), (5, 3));
        // Areas, flags, agent.
        assert_eq!((west.area_id(), mesh.area_by_name("area 5")), (AreaId(6), Some(AreaId(6))));
        assert_eq!(mesh.polygon(PolyId(0)).unwrap().area_id(), AreaId::GROUND);
        assert_eq!(read.flags, [1, 1, 1, 3, 1]);
        assert_eq!(read.flags[3], 3);
        let agent = mesh.agent();
        assert_eq!((agent.height, agent.radius, agent.max_step), (1.8, 0.3, 0.4));
        let (slope, level) = if settings { (30.0_f32, 0.1) } else { (45.0, 0.125) };
        assert_eq!((agent.max_slope.to_degrees().round(), mesh.frame().level_height), (slope, level));
        // The hill.
        for (x, z, height) in [(6.0, 1.5, 0.5), (5.0, 1.5, 0.28125), (8.0, 0.0, 0.0)] {
            let found = at(mesh, x, 0.0, z).position.y;
            assert!((found - height).abs() < 1e-5, "{x} {z}: {found}");
        }
        // The connections: rounded to a centimetre.
        let [up, down] = mesh.links() else { panic!("{:?}", mesh.links()) };
        assert_eq!(
            (up.both_ways, up.data, up.kind, down.both_ways, down.data),
            (true, 7, LinkKind::User, false, 8)
        );
        assert_eq!((up.from.polygon, up.to.polygon, down.to.polygon), (PolyId(3), PolyId(4), PolyId(0)));
        let end = mesh.frame().position(up.to.ends[0]);
        assert!(end.distance(Vec3::new(7.013, 3.0, 3.5)) < 0.006, "{end}");
    }
}

#[test]
fn a_tile_alone_is_read_whichever_way_its_polygons_wind() {
    let [west, mut east] = two_tiles();
    let alone = read(&west.bytes(12)).unwrap().mesh;
    assert_eq!((alone.polygon_count(), alone.islands().len()), (2, 1));
    let wide = read(&east.bytes(16)).unwrap();
    assert!(wide.report.wide_references);
    // The connection that leads to the other tile has no end.
    assert_eq!((wide.report.connections, wide.report.unplaced), (2, 1));
    let losses = wide.report.losses();
    assert!(losses[0].starts_with("left out 1 connection with an end farther"), "{losses:?}");
    assert_eq!(losses[1..], ["the file names no steepest slope: the mesh has 45 degrees"]);
    for (corners, beyond, ..) in &mut east.ground {
        corners.reverse();
        beyond.reverse();
        beyond.rotate_left(1);
    }
    east.details.clear();
    let turned = read(&east.bytes(12)).unwrap();
    assert_eq!(turned.mesh.portal_count(), wide.mesh.portal_count());
    assert!(turned.mesh.surface().is_none() && wide.mesh.surface().is_some());
}

#[test]
fn storeys_that_meet_at_one_border_are_all_joined_as_detour_does_it() {
    let [west, mut east] = two_tiles();
    // The gallery comes down to half a metre above the floor: Detour joins what is two steps apart.
    for vertex in &mut east.vertices[6..] {
        vertex[1] = 0.5;
    }
    east.connections.clear();
    let both = read(&set(&[west.clone(), east.clone()], false, false)).unwrap();
    assert_eq!((both.report.joined, both.report.overlaid, both.mesh.links().len()), (3, 2, 2));
    assert!(both.mesh.links().iter().all(|link| link.kind == LinkKind::Level));
    assert!(both.mesh.link_ids().iter().all(|&link| both.mesh.is_crossed_like_edge(link)));
    for vertex in &mut east.vertices[6..] {
        vertex[1] = 1.2;
    }
    let apart = read(&set(&[west, east], false, false)).unwrap();
    assert_eq!((apart.report.joined, apart.report.overlaid), (3, 0));
}

#[test]
fn odd_polygons_are_left_out_or_parted_and_counted() {
    // Off any grid. A polygon without area between two others, one that is not convex, one without
    // flags.
    let vertices = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 0.0, 1.0],
        [1.1, 0.0, 1.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 2.0],
        [2.0, 0.0, 2.0],
        [3.3, 0.0, 0.0],
        [2.7, 0.0, 1.0],
        [3.3, 0.0, 2.0],
    ];
    let ground = [
        (vec![4, 2, 1, 0], vec![2, 4, 0, 0], 1, 0),
        // Flat: from 4 over 3 to 2.
        (vec![4, 3, 2], vec![3, 3, 1], 1, 0),
        (vec![5, 6, 2, 3, 4], vec![0, 4, 2, 2, 0], 1, 0),
        (vec![6, 9, 8, 7, 1, 2], vec![0, 0, 0, 0, 1, 3], 1, 0),
        (vec![5, 6, 0], vec![0, 0, 0], 0, 0),
    ];
    let mut tile = Tile::new([0, 0], &vertices, &ground);
    tile.units = 0.0;
    let read = read(&tile.bytes(12)).unwrap();
    read.mesh.validate().unwrap();
    let report = read.report;
    assert_eq!(
        (report.polygons, report.closed, report.flat, report.parted, report.one_sided),
        (5, 1, 1, 1, 0)
    );
    assert_eq!(read.mesh.islands().len(), 1);
    // Two squares, and a rectangle with a notch.
    assert!((read.mesh.area() - (4.0 + 2.6 - 0.6)).abs() < 1e-3, "{}", read.mesh.area());
    assert_eq!(read.flags.len(), read.mesh.polygon_count());
    // Across the polygon without area, both parts of the edge lead to the one beyond.
    let first = read.mesh.polygon(PolyId(0)).unwrap();
    assert_eq!((first.corners().len(), first.neighbours().flatten().count()), (5, 3));
}

#[test]
fn a_mesh_is_the_same_after_it_was_written_and_read() {
    let mut linked = house(true);
    let place = |polygon: u32| {
        let polygon = linked.polygon(PolyId(polygon)).unwrap();
        let corner = linked.plan_vertices()[polygon.corners()[0].index()];
        LinkEnd { polygon: polygon.id(), ends: [corner; 2] }
    };
    let last = u32::try_from(linked.polygon_count()).unwrap() - 1;
    let mut link = Link::new(place(0), place(last), LinkKind::Jump);
    (link.both_ways, link.data) = (false, 77);
    linked.add_link(link).unwrap();
    for mesh in [house(true), house(false), linked].into_iter().chain(dungeon()) {
        let bytes = to_detour(&mesh, &DetourOptions::default()).unwrap();
        let again = read(&bytes).unwrap();
        again.mesh.validate().unwrap();
        let report = again.report;
        assert_eq!(
            (report.one_sided, report.flattened, report.parted, report.unplaced),
            (0, 0, 0, 0),
            "{report:?}"
        );
        assert!((again.mesh.area() - mesh.area()).abs() < 1e-5 * mesh.area());
        assert_eq!(again.mesh.islands().len(), mesh.islands().len());
        assert_eq!(again.mesh.links().len(), mesh.links().len());
        assert!((again.mesh.agent().radius - mesh.agent().radius).abs() < 1e-6);
        // The ground, at the corners and in the middle of all polygons.
        for polygon in mesh.polygons() {
            let middle = polygon.positions().sum::<Vec3>() / polygon.positions().len() as f32;
            let expected = mesh.height_in_polygon(polygon.id(), middle).unwrap();
            let found = again.mesh.nearest(middle.with_y(expected), &Reach::new(0.01, 0.01, 0.01));
            assert!(found.is_some(), "{} at {middle} {expected}", polygon.id());
        }
        // Nothing is lost a second time.
        let third = read(&to_detour(&again.mesh, &DetourOptions::default()).unwrap()).unwrap();
        assert_eq!(third.mesh.polygon_count(), again.mesh.polygon_count());
    }
}

/// Places all over a mesh, and the shortest paths between them.
fn lengths(mesh: &NavMesh, places: &[Vec3]) -> Vec<Option<f32>> {
    let options = PathOptions::default()
        .with_search(PathSearch::Shortest)
        .with_allow_partial(false)
        .with_reach(Reach::new(0.02, 0.05, 0.05));
    let mut scratch = QueryScratch::default();
    let pairs = places.iter().zip(places.iter().rev());
    pairs
        .map(|(&from, &to)| {
            let path = mesh.query().options(options).memory(&mut scratch).path(from, to).ok()?;
            (path.outcome == Outcome::Complete).then_some(path.length)
        })
        .collect()
}

#[test]
fn tiles_that_are_written_join_to_the_same_mesh() {
    for mesh in [house(true), house(false)].into_iter().chain(dungeon()) {
        let sampler = mesh.query().sampler();
        let mut random = Random::new(11);
        let places: Vec<Vec3> =
            (0..300).map(|_| sampler.sample(&mesh, &mut random).unwrap().unwrap().position).collect();
        let expected = lengths(&mesh, &places);
        assert!(expected.iter().flatten().count() > 20);
        for side in [1.5, 4.0, 7.3] {
            let options = DetourOptions::default().with_tile_side(side);
            let again = read(&to_detour(&mesh, &options).unwrap()).unwrap();
            again.mesh.validate().unwrap();
            let report = again.report;
            assert!(report.tiles > 1 && report.joined > 1, "{report:?}");
            assert_eq!((report.one_sided, report.overlaid), (0, 0), "{report:?}");
            // The ground of splinters is that of their corners.
            assert!(report.flattened * 20 <= report.polygons, "{report:?}");
            assert!((again.mesh.area() - mesh.area()).abs() < 1e-3 * mesh.area(), "{side}");
            for (found, expected) in lengths(&again.mesh, &places).iter().zip(&expected) {
                assert_eq!(found.is_some(), expected.is_some(), "{side}");
                let apart = found.unwrap_or(0.0) - expected.unwrap_or(0.0);
                assert!(apart.abs() < 0.01, "{found:?} {expected:?} in tiles of {side}");
            }
            // A mesh is written as it was read, in one tile.
            let third = read(&to_detour(&again.mesh, &DetourOptions::default()).unwrap()).unwrap();
            assert_eq!(third.mesh.polygon_count(), again.mesh.polygon_count());
        }
    }
}

#[test]
fn links_lead_from_tile_to_tile() {
    let mut mesh = house(false);
    let middle = |polygon: &PolyId| {
        let polygon = mesh.polygon(*polygon).unwrap();
        polygon.positions().map(|at| at.x + at.z).sum::<f32>() / polygon.positions().len() as f32
    };
    let mut polygons: Vec<PolyId> = mesh.polygons().map(|polygon| polygon.id()).collect();
    polygons.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let corner = |polygon: PolyId| {
        let vertex = mesh.plan_vertices()[mesh.polygon(polygon).unwrap().corners()[0].index()];
        LinkEnd { polygon, ends: [vertex; 2] }
    };
    let ends = [corner(polygons[0]), corner(*polygons.last().unwrap())];
    let [from, to] = ends.map(|end| {
        let point = end.ends[0].point;
        mesh.frame().to_world(point.x.into(), 0.0, point.z.into())
    });
    let apart = (to - from).abs().max_element();
    for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        mesh.add_link(Link::new(from, to, LinkKind::Jump)).unwrap();
    }
    let near = DetourOptions::default().with_tile_side(apart * 0.7);
    let again = read(&to_detour(&mesh, &near).unwrap()).unwrap();
    assert!(again.report.tiles > 1);
    assert_eq!((again.report.connections, again.report.unplaced), (2, 0));
    // The sides that Detour looks for the other ends on are opposite.
    let sides: Vec<u8> = {
        let bytes = to_detour(&mesh, &near).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (mut at, mut sides) = (40, Vec::new());
        while at < bytes.len() {
            let (size, tile) = (word(at + 4), at + 8);
            let count = word(tile + 4 * 13);
            let end = tile + size;
            sides.extend((0..count).map(|connection| bytes[end - 36 * (count - connection) + 31]));
            at = end;
        }
        sides
    };
    assert_eq!(sides.len(), 2);
    assert!(sides.iter().all(|&side| side < 8) && (sides[0] + 4) % 8 == sides[1], "{sides:?}");
    let far = DetourOptions::default().with_tile_side(apart * 0.2);
    let error = to_detour(&mesh, &far).unwrap_err();
    assert_eq!((error.element, error.limit), ("borders of tiles under a link", 1));
}

#[test]
fn flags_and_areas_are_written() {
    let read_ = read(&set(&two_tiles(), false, false)).unwrap();
    let options = DetourOptions::default().with_flags(read_.flags.clone());
    let again = read(&to_detour(&read_.mesh, &options).unwrap()).unwrap();
    assert_eq!(again.flags, read_.flags);
    assert_eq!(again.mesh.area_table(), read_.mesh.area_table());
    for (a, b) in again.mesh.polygons().zip(read_.mesh.polygons()) {
        assert_eq!(a.area_id(), b.area_id());
    }
    assert_eq!(
        again.mesh.links().iter().map(|link| (link.both_ways, link.data)).collect::<Vec<_>>(),
        [(true, 7), (false, 8)]
    );
}

#[test]
fn polygons_with_more_ground_than_fits_are_parted() {
    // 20 x 20 squares of a ridge in one polygon: 800 triangles.
    let mut data = house(true).data();
    let side = 64;
    data.links.clear();
    (data.vertex_x, data.vertex_z) = (vec![0, side, side, 0], vec![0, 0, side, side]);
    data.vertex_height = vec![0.0; 4];
    (data.polygon_first, data.polygon_corners) = (vec![0, 4], vec![0, 1, 2, 3]);
    data.polygon_neighbours = vec![u32::MAX; 4];
    (data.polygon_regions, data.polygon_areas) = (vec![0], vec![1]);
    let height = |x: u16, z: u16| {
        if x.is_multiple_of(20) || z.is_multiple_of(20) { 0.0 } else { f32::from(x * z % 7) }
    };
    data.surface_points = (0..=20_u16)
        .flat_map(|z| (0..=20_u16).map(move |x| [f32::from(x) * 3.2, height(x, z), f32::from(z) * 3.2]))
        .collect();
    data.surface_triangles = (0..20_u32)
        .flat_map(|z| (0..20_u32).map(move |x| z * 21 + x))
        .flat_map(|low| [low, low + 1, low + 22, low, low + 22, low + 21])
        .collect();
    data.surface_first = vec![0, 800];
    let mesh = NavMesh::from_data(data).unwrap();
    let again = read(&to_detour(&mesh, &DetourOptions::default()).unwrap()).unwrap();
    assert!(again.mesh.polygon_count() >= 4);
    assert_eq!((again.report.flattened, again.mesh.islands().len()), (0, 1));
    for (x, z) in (1..20).flat_map(|z| (1..20).map(move |x| (x, z))) {
        let place = mesh.frame().to_world(f64::from(x) * 3.2 + 0.1, 0.0, f64::from(z) * 3.2);
        let expected = mesh.height_in_polygon(PolyId(0), place).unwrap();
        let found = again.mesh.nearest(place.with_y(expected), &Reach::new(0.01, 0.01, 0.01));
        assert!(found.is_some(), "{place} {expected}");
    }
}

#[test]
fn what_a_tile_cannot_hold_is_named() {
    let mut data = house(false).data();
    data.polygon_areas[0] = 65;
    let error = to_detour(&NavMesh::from_data(data).unwrap(), &DetourOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "65 areas, but a tile of Detour's holds 64 at most");
    let squares = 182_u32;
    let square = |x: i32, z: i32| {
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(dx, dz)| PlanPoint::new(x + dx, z + dz)).to_vec()
    };
    let side = squares.cast_signed();
    let all: Vec<_> = (0..side).flat_map(|z| (0..side).map(move |x| square(x, z))).collect();
    let flat = NavMesh::try_from(flat_meshes::build(&all)).unwrap();
    let one = DetourOptions::default().with_tile_side(1000.0);
    let error = to_detour(&flat, &one).unwrap_err();
    assert_eq!((error.element, error.count, error.limit), ("polygons", u64::from(squares * squares), 0x7fff));
    // Tiles of a cell.
    let each = to_detour(&flat, &DetourOptions::default().with_tile_side(0.1)).unwrap();
    assert_eq!(read(&each).unwrap().report.tiles, 182 * 182);
    // Without a side, it is found.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.navmesh");
    save(&flat, &file).unwrap();
    let again = open_detour(&file).unwrap();
    assert_eq!(again.report.tiles, 4);
    assert_eq!(again.report.joined, 2 * 182);
    assert_eq!(again.mesh.polygon_count(), flat.polygon_count());
    assert_eq!(again.mesh.islands().len(), 1);
}

#[test]
fn files_are_opened_by_their_first_bytes_and_saved_by_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = house(true);
    let file = folder.path().join("house.NAVMESH");
    save(&mesh, &file).unwrap();
    assert!(is_detour(&std::fs::read(&file).unwrap()));
    let other = folder.path().join("house.bin");
    std::fs::rename(&file, &other).unwrap();
    assert!((open(&other).unwrap().area() - mesh.area()).abs() < 1e-4 * mesh.area());
    assert_eq!(open(&other).unwrap(), open_detour(&other).unwrap().mesh);
    let missing = open_detour(&file).unwrap_err();
    assert!(matches!(missing, IoError::Read { .. }));
}

#[test]
fn errors_name_the_tile_and_what_is_wrong_with_it() {
    let tiles = two_tiles();
    let good = set(&tiles, false, false);
    let second = 40 + 8 + tiles[0].bytes(12).len() + 8;
    let damaged = |at: usize, bytes: &[u8]| {
        let mut damaged = good.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        read(&damaged).err().map_or_else(|| format!("nothing at {at}"), |error| error.to_string())
    };
    let polygons = second + 100 + 12 * 14;
    let links = polygons + 32 * 5;
    let details = links + 12 * 12;
    for (at, bytes, expected) in [
        (0, &b"MSET"[..], "a Detour file of a big-endian machine is not supported"),
        (0, b"TEST", "a tile cache of Detour's (TSET), which holds layers and no polygons, is not supported"),
        (4, &[9, 0, 0, 0], "byte 4: expected version 1 or 2 of a set of tiles, found 9"),
        (8, &[255; 4], "byte 8: expected a number of tiles, found -1"),
        (8, &[3, 0, 0, 0], "tile 2: needs"),
        (second - 4, &[0, 0, 0, 1], "tile 1: needs"),
        (second - 4, &[0, 0, 0, 128], "tile 1: expected a number of bytes, found -2147483648"),
        (second, b"DNAV", "tile 1: expected a tile (DNAV), found other bytes"),
        (second + 4, &[6], "tile 1: expected version 7 of a tile, found 6"),
        (second + 24, &[255, 255, 255, 127], "tile 1: needs 68719477"),
        (second + 24, &[255; 4], "tile 1: expected a number of elements, found -1"),
        (second + 24, &[4], "tile 1: expected the bytes that its tables take"),
        (
            second + 100,
            &[0, 0, 192, 127],
            "tile 1: expected coordinates within 10,000 km, found vertex at NaN 0 0",
        ),
        (
            second + 72,
            &[0, 0, 128, 127],
            "tile 1: expected coordinates within 10,000 km, found lower corner of the tile at inf 0 0",
        ),
        (polygons + 30, &[7], "tile 1: expected 3 to 6 corners, or 2 of a connection, found 7 in polygon 0"),
        (polygons + 30, &[2], "tile 1: expected 3 to 6 corners, or 2 of a connection, found 2 in polygon 0"),
        (polygons + 4, &[14], "tile 1: vertex 14 does not exist, there are 14"),
        (polygons + 16, &[6], "tile 1: polygon 5 does not exist, there are 5"),
        (details + 8, &[0], "tile 1: point of the ground 4 does not exist, there are 4"),
        (details, &[1], "tile 1: vertex of the ground 1 does not exist, there are 1"),
        (details + 4, &[5], "tile 1: triangle of the ground 8 does not exist, there are 8"),
        (good.len() - 36 + 24, &[0, 0, 128, 191], "tile 1: expected a radius of 0 m or more, found -1"),
        (good.len() - 36 + 28, &[5], "tile 1: polygon 5 does not exist, there are 5"),
        (40 + 8 + 60, &[0, 0, 128, 191], "agent.height is -1, but must be finite and above 0 m"),
    ] {
        let message = damaged(at, bytes);
        assert!(
            message.starts_with("level.navmesh: ") && message.contains(expected),
            "{message}\n{expected}"
        );
    }
    // Two polygons with the same triangles: more could be made of a file than it holds.
    assert_eq!(
        damaged(details + 12 + 9, &[4]),
        "level.navmesh: 10 triangles of the ground in polygons, the limit is 8"
    );
    assert!(read(b"").is_err() && read(b"glTF").is_err());
    let noise = parse_mesh(Path::new("a.bin"), b"TESM".to_vec()).unwrap_err();
    assert!(matches!(noise, IoError::Truncated { .. }), "{noise}");
}

/// Reads bytes; only panics, endless loops and broken meshes count.
fn survives(bytes: &[u8]) {
    if let Ok(read) = read(bytes) {
        assert!(read.mesh.validate().is_ok());
        assert_eq!(read.flags.len(), read.mesh.polygon_count());
        // Memory: nothing is made more than a few times of.
        let data = read.mesh.data();
        assert!(data.surface_points.len() + data.polygon_corners.len() + data.links.len() <= 4 * bytes.len());
        if let Ok(written) = to_detour(&read.mesh, &DetourOptions::default()) {
            let again = parse_detour(Path::new("again.navmesh"), &written);
            assert!(again.is_ok(), "{}", again.unwrap_err());
        }
    }
}

#[test]
fn every_truncation_and_extension_of_a_tile_is_noticed() {
    let bytes = set(&two_tiles(), false, true);
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let tile = two_tiles()[1].bytes(12);
    for more in 1..9 {
        let longer = [tile.clone(), vec![0; more]].concat();
        assert!(read(&longer).is_err(), "{more}");
    }
}

#[test]
fn every_bit_flip_is_survived() {
    for bytes in [set(&two_tiles(), false, false), two_tiles()[1].bytes(16)] {
        each_flipped_bit(bytes, |bytes, _| survives(bytes));
    }
}

#[test]
fn real_files_are_read() {
    for (name, tiles, polygons, joined, islands) in [
        ("all_tiles_navmesh", 66, 271, 168, 33),
        ("dungeon_all_tiles_navmesh", 41, 143, 68, 5),
        ("dungeon_all_tiles_navmesh_32bit", 41, 143, 68, 5),
    ] {
        let Some(file) = levels::find(&format!("golden/dotrecast_resources/{name}.bin")) else { continue };
        let read = open_detour(&file).unwrap();
        read.mesh.validate().unwrap();
        let report = read.report;
        assert_eq!((report.tiles, report.polygons, report.joined), (tiles, polygons, joined), "{name}");
        assert_eq!((report.one_sided, report.parted, report.flat, report.overlaid), (0, 0, 0, 0), "{name}");
        assert_eq!(read.mesh.islands().len(), islands, "{name}");
        assert_eq!(report.wide_references, !name.contains("32bit"));
        assert!((read.mesh.agent().radius - 0.6).abs() < 1e-6);
        let cache = file.with_file_name(format!("{}tilecache.bin", name.split("navmesh").next().unwrap()));
        let refused = open_detour(cache).unwrap_err();
        assert!(matches!(refused, IoError::Unsupported { .. }), "{refused}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_bytes_give_an_error_or_a_valid_mesh(
        wide in any::<bool>(),
        settings in any::<bool>(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..8),
        splice in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..200_usize)),
    ) {
        let mut bytes = set(&two_tiles(), wide, settings);
        for (at, value, kind) in damages {
            let at = at.index(bytes.len());
            match kind {
                0 | 1 => bytes[at] = value,
                2 => bytes.insert(at, value),
                _ => { bytes.remove(at); }
            }
        }
        if let Some((from, to, length)) = splice {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let length = length.min(bytes.len() - from.max(to));
            bytes.copy_within(from..from + length, to);
        }
        survives(&bytes);
    }

    #[test]
    fn vertices_anywhere_give_a_valid_mesh(
        moves in prop::collection::vec((0..10_usize, 0..3_usize, -1.0..1.0_f32), 1..20),
        units in prop::sample::select(vec![0.0_f32, 4.0, 3.3]),
    ) {
        let [mut west, mut east] = two_tiles();
        for (vertex, axis, by) in moves {
            let tile = if vertex % 2 == 0 { &mut west } else { &mut east };
            let count = tile.vertices.len();
            tile.vertices[vertex % count][axis] += by;
        }
        (west.units, east.units) = (units, units);
        let read = read(&set(&[west, east], false, false)).unwrap();
        prop_assert!(read.mesh.validate().is_ok());
    }
}

//! Meshes of tiles that come, change and go: against meshes that are made at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::path_or_none;
use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, AreaTable, GridFrame, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, Random,
    RegionId, SurfacePoint, Validate, VertexId,
};
use waymesh_graph::{
    AnyPolygon, AreaFilter, CompactMesh, CorridorOptions, Hierarchy, HierarchyConfig, JoinedTiles, Link,
    LinkEnd, LinkId, LinkKind, LinkOrder, Location, MeshTile, NavMesh, Outcome, PathCorridor, PathOptions,
    PathSearch, QueryScratch, Reach, RelaxedPolygons, TileChange, TileGrid, TileKey, TileLink, TilePolygon,
    TiledMesh, VertexOrder,
};

/// Squares of a tile's side, and cells of a square's.
pub(crate) const SQUARES: i32 = 4;
const CELLS: i32 = 4;
/// Tiles of a side of the world.
pub(crate) const TILES: u32 = 6;

fn frame() -> GridFrame {
    let cells = TILES * (SQUARES * CELLS).unsigned_abs();
    let origin = Vec3::new(-3.0, 1.5, 100.0);
    GridFrame { origin, cell_size: 0.25, level_height: 0.2, width: cells, depth: cells }
}

/// A corner: `true` if it belongs to a neighbour, its position, and its component.
type CornerName = (bool, PlanPoint, u32);

/// The ground: squares of a map, some of them solid, tile by tile.
#[derive(Clone, Default)]
pub(crate) struct Map {
    pub(crate) tiles: BTreeMap<TileKey, Vec<u8>>,
    /// Doors between a square, by layer, column and row, and the one before it in z.
    pub(crate) doors: BTreeSet<(u32, i32, i32)>,
}

impl Map {
    /// Fills a tile with ground of several areas and holes.
    pub(crate) fn fill(&mut self, key: TileKey, random: &mut Random, solid: f32) {
        let square = |_| if random.chance(solid) { b'#' } else { 1 + random.below(2) as u8 };
        self.tiles.insert(key, (0..SQUARES * SQUARES).map(square).collect());
    }

    fn square(&self, layer: u32, x: i32, z: i32) -> Option<(TileKey, u8)> {
        let [column, row] = [x, z].map(|at| u32::try_from(at.div_euclid(SQUARES)));
        let key = TileKey { layer, row: row.ok()?, column: column.ok()? };
        let [x, z] = [x, z].map(|at| at.rem_euclid(SQUARES));
        let kind = self.tiles.get(&key)?[(z * SQUARES + x) as usize];
        (kind != b'#').then_some((key, kind))
    }

    /// The runs of squares of one kind in a tile, as polygons: first and last column, row.
    fn runs(&self, key: TileKey) -> Vec<[i32; 3]> {
        let [x0, z0] = [key.column, key.row].map(|at| at as i32 * SQUARES);
        let kind = |x: i32, z: i32| self.square(key.layer, x, z).map(|square| square.1);
        let mut runs: Vec<[i32; 3]> = Vec::new();
        for z in z0..z0 + SQUARES {
            for x in x0..x0 + SQUARES {
                match runs.last_mut() {
                    Some([_, end, row]) if *row == z && *end == x && kind(x, z) == kind(x - 1, z) => {
                        *end = x + 1
                    }
                    _ if kind(x, z).is_some() => runs.push([x, x + 1, z]),
                    _ => {}
                }
            }
        }
        runs
    }

    fn polygon_at(&self, layer: u32, x: i32, z: i32) -> Option<TilePolygon> {
        let (tile, _) = self.square(layer, x, z)?;
        let runs = self.runs(tile);
        let polygon = runs.iter().position(|&[from, to, row]| row == z && (from..to).contains(&x))?;
        Some(TilePolygon { tile, polygon: polygon as u32 })
    }

    /// Returns a tile for a mesh. It has corners of half a turn only where a polygon beyond the edge
    /// begins or ends.
    fn tile(&self, key: TileKey) -> Option<MeshTile> {
        self.tiles.get(&key)?;
        let mut tile = MeshTile::default();
        let mut names: BTreeMap<CornerName, u32> = BTreeMap::new();
        let mut polygons: Vec<(Vec<CornerName>, Vec<Option<TilePolygon>>)> = Vec::new();
        let runs = self.runs(key);
        let mut surface =
            HeightSurface { points: vec![], triangles: vec![], polygon_triangles: vec![0], max_error: 0.0 };
        for &[from, to, z] in &runs {
            let beyond = |x: i32, z: i32| self.polygon_at(key.layer, x, z);
            let open = |x: i32, z: i32| !self.doors.contains(&(key.layer, x, z));
            let below: Vec<_> = (from..to).map(|x| beyond(x, z - 1).filter(|_| open(x, z))).collect();
            let above: Vec<_> =
                (from..to).rev().map(|x| beyond(x, z + 1).filter(|_| open(x, z + 1))).collect();
            let (mut corners, mut neighbours) = (Vec::new(), Vec::new());
            let component = self.component(key, from, z);
            let mut push = |is_own: bool, x: i32, z: i32, beyond: Option<TilePolygon>| {
                corners.push((!is_own, PlanPoint::new(x * CELLS, z * CELLS), component));
                neighbours.push(beyond);
            };
            for (at, &beyond) in below.iter().enumerate() {
                if at == 0 || below[at - 1] != beyond {
                    let is_border = z % SQUARES == 0;
                    push(at == 0 || !is_border, from + at as i32, z, beyond);
                }
            }
            push(true, to, z, beyond(to, z));
            for (at, &beyond) in above.iter().enumerate() {
                if at == 0 || above[at - 1] != beyond {
                    let is_border = (z + 1) % SQUARES == 0;
                    push(at == 0 || !is_border, to - at as i32, z + 1, beyond);
                }
            }
            push(true, from, z + 1, beyond(from - 1, z));
            polygons.push((corners, neighbours));
        }
        // Own vertices first.
        let all: BTreeSet<_> = polygons.iter().flat_map(|(corners, _)| corners.iter().copied()).collect();
        let own: BTreeSet<_> = all.iter().filter(|name| !name.0).map(|name| (name.1, name.2)).collect();
        for name in all.iter().filter(|name| !name.0 || !own.contains(&(name.1, name.2))) {
            names.insert(*name, tile.vertices.len() as u32);
            // Different heights in each tile.
            let sum = name.1.x * 7 + name.1.z * 3 + key.row as i32 + 2 * key.column as i32;
            let height = 20.0 * key.layer as f32 + (sum % 5) as f32 * 0.25;
            tile.vertices.push(PlanVertex { point: name.1, height });
        }
        tile.own_vertices = own.len();
        for (&[from, _, z], (corners, neighbours)) in runs.iter().zip(polygons) {
            let kind = self.square(key.layer, from, z)?.1;
            tile.polygons.push(Poly {
                first: tile.corners.len() as u32,
                len: corners.len() as u32,
                region: RegionId(u32::from(kind) - 1),
                area: AreaId(kind),
            });
            let number = |name: &CornerName| names.get(name).or(names.get(&(false, name.1, name.2)));
            let corners: Vec<u32> = corners.iter().map(|name| *number(name).unwrap()).collect();
            let first = surface.points.len() as u32;
            for &corner in &corners {
                let PlanVertex { point, height } = tile.vertices[corner as usize];
                surface.points.push(SurfacePoint { x: point.x as f32, height, z: point.z as f32 });
            }
            let count = corners.len() as u32;
            surface.triangles.extend((1..count - 1).map(|at| [first, first + at, first + at + 1]));
            surface.polygon_triangles.push(surface.triangles.len() as u32);
            tile.corners.extend(corners.into_iter().map(VertexId));
            tile.neighbours.extend(neighbours);
        }
        tile.regions = 2;
        surface.max_error = 0.5 + key.row as f32 / 16.0;
        tile.surface = Some(surface);
        Some(tile)
    }

    /// Returns the component of a square in its tile: squares that touch only in a corner have separate
    /// vertices there.
    fn component(&self, key: TileKey, x: i32, z: i32) -> u32 {
        let [x0, z0] = [key.column, key.row].map(|at| at as i32 * SQUARES);
        let inside = |x: i32, z: i32| (x0..x0 + SQUARES).contains(&x) && (z0..z0 + SQUARES).contains(&z);
        let (mut stack, mut seen) = (vec![(x, z)], BTreeSet::from([(z, x)]));
        while let Some((x, z)) = stack.pop() {
            for (x, z) in [(x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)] {
                if inside(x, z) && self.square(key.layer, x, z).is_some() && seen.insert((z, x)) {
                    stack.push((x, z));
                }
            }
        }
        seen.first().map_or(0, |&(z, x)| (z * 1000 + x) as u32)
    }

    /// The links through doors with ground on both sides, on the polygons of a mesh.
    pub(crate) fn door_links(&self, mesh: &NavMesh) -> Vec<TileLink> {
        let polygon = |layer: u32, x: i32, z: i32| {
            self.square(layer, x, z)?;
            let at = [x, z].map(|at| f64::from(at * CELLS) + f64::from(CELLS) / 2.0);
            let at = frame().to_world(at[0], 20.0 * f64::from(layer), at[1]);
            mesh.nearest(at, &Reach::new(0.0, 1.0, 1.0)).map(|place| place.polygon)
        };
        let link = |&(layer, x, z): &(u32, i32, i32)| {
            let ends =
                [x, x + 1].map(|x| PlanVertex { point: PlanPoint::new(x * CELLS, z * CELLS), height: 1.0 });
            let end = |polygon: PolyId| LinkEnd { polygon, ends };
            let link = Link::new(end(polygon(layer, x, z)?), end(polygon(layer, x, z - 1)?), LinkKind::Door);
            let id = LinkId((u64::from(layer) << 32) + (z * 1000 + x) as u64);
            Some(TileLink { id, order: LinkOrder::default(), link })
        };
        self.doors.iter().filter_map(link).collect()
    }

    /// All tiles as one mesh, made at once.
    fn mesh(&self, links: &[TileLink]) -> NavMesh {
        let tiles: Vec<(TileKey, MeshTile)> =
            self.tiles.keys().map(|&key| (key, self.tile(key).unwrap())).collect();
        let by_key = tiles.iter().map(|(key, tile)| (*key, tile)).collect();
        let joined = JoinedTiles::new(frame(), &by_key, VertexOrder::OwnFirst).unwrap();
        let mut surface =
            HeightSurface { points: vec![], triangles: vec![], polygon_triangles: vec![0], max_error: 0.0 };
        for part in tiles.iter().filter_map(|(_, tile)| tile.surface.as_ref()) {
            let [points, triangles] = [surface.points.len() as u32, surface.triangles.len() as u32];
            surface.points.extend(&part.points);
            surface.triangles.extend(part.triangles.iter().map(|at| at.map(|at| at + points)));
            surface
                .polygon_triangles
                .extend(part.polygon_triangles[1..].iter().map(|first| first + triangles));
            surface.max_error = surface.max_error.max(part.max_error);
        }
        let mesh = NavMesh::new(joined.polygons, Some(surface), Agent::default()).unwrap();
        let mut links = links.to_vec();
        let place = |link: &TileLink| (link.order.class, link.link.from.polygon, link.link.to.polygon);
        links.sort_by_key(|link| {
            (place(link), link.link.from.ends.map(|end| end.point), link.link.to.ends.map(|end| end.point))
        });
        mesh.with_named_links(links.into_iter().map(|link| (link.id, link.link)).collect()).unwrap()
    }
}

fn grid() -> TileGrid {
    TileGrid { side: (SQUARES * CELLS).unsigned_abs(), columns: TILES, rows: TILES }
}

pub(crate) fn empty() -> TiledMesh {
    let areas = AreaTable::default();
    TiledMesh::new(frame(), Agent::default(), grid(), areas, VertexOrder::OwnFirst, true).unwrap()
}

/// The changes of these tiles, with what is around them.
pub(crate) fn changes(map: &Map, changed: &BTreeSet<TileKey>) -> BTreeMap<TileKey, TileChange> {
    let around = changed.iter().flat_map(|key| key.around()).filter(|key| map.tiles.contains_key(key));
    let around = around.filter(|key| !changed.contains(key));
    let adjusted: BTreeMap<_, _> =
        around.map(|key| (key, TileChange::Adjusted(map.tile(key).unwrap()))).collect();
    let anew = changed.iter().map(|&key| (key, map.tile(key).map_or(TileChange::Gone, TileChange::Anew)));
    anew.chain(adjusted).collect()
}

fn place(random: &mut Random) -> Vec3 {
    let side = (TILES as i32 * SQUARES * CELLS) as f32;
    // On the grid, on borders of tiles, and anywhere.
    let mut at = || match random.below(4) {
        0 => (random.below(side as u32 + 1)) as f32,
        1 => (random.below(TILES + 1) as i32 * SQUARES * CELLS) as f32,
        _ => random.range(-2.0, side + 2.0),
    };
    let (x, z) = (at(), at());
    let height = random.range(-3.0, 26.0);
    frame().to_world(x.into(), height.into(), z.into())
}

/// Compares what queries find on both, whose polygons are named by `ids`.
fn assert_same_queries(live: &NavMesh, compact: &CompactMesh, random: &mut Random, count: usize) -> usize {
    let other = compact.mesh();
    let (mut scratch, mut again) = (QueryScratch::default(), QueryScratch::default());
    let id = |polygon: PolyId| compact.id_of(polygon).unwrap();
    let ids = |polygons: &[PolyId]| polygons.iter().map(|&polygon| id(polygon)).collect::<Vec<_>>();
    let sorted = |polygons: &[PolyId]| {
        let mut polygons = polygons.to_vec();
        polygons.sort_unstable();
        polygons
    };
    let back =
        |place: &Location| Location { polygon: id(place.polygon), generation: other.generation(), ..*place };
    let closed = AreaFilter::default().without(AreaId(2));
    let mut known = live.clone();
    // Takes longer than all queries.
    if live.generation().0.is_multiple_of(8) {
        known.build_oracle(64 << 20);
    }
    let mut complete = 0;
    for turn in 0..count {
        let (from, to) = (place(random), place(random));
        let [found, looked_up] =
            [live, &known].map(|mesh| mesh.query().distance(from, to).unwrap_or(f32::INFINITY));
        assert!(
            found.total_cmp(&looked_up).is_eq() || (found - looked_up).abs() < 1e-4 * found,
            "{from} to {to}: {looked_up}, not {found}"
        );
        let reach = [Reach::new(0.6, 2.0, 2.0), Reach::new(6.0, 1.0, 1.0), Reach::INFINITE][turn % 3];
        let found = live.nearest(from, &reach);
        assert_eq!(found.as_ref().map(back), other.nearest(from, &reach), "{from}, {reach}");
        let found = live.nearest_with(from, &reach, &closed);
        assert_eq!(found.as_ref().map(back), other.nearest_with(from, &reach, &closed));
        let (mut here, mut there) = (Vec::new(), Vec::new());
        live.polygons_in_box(from.min(to), from.max(to), &AnyPolygon, &mut here);
        other.polygons_in_box(from.min(to), from.max(to), &AnyPolygon, &mut there);
        assert_eq!(sorted(&ids(&here)), there);
        live.polygons_in_circle(from, &reach, &AnyPolygon, &mut here);
        other.polygons_in_circle(from, &reach, &AnyPolygon, &mut there);
        assert_eq!(sorted(&ids(&here)), there);
        for (search, is_filtered) in [
            (PathSearch::Fast, false),
            (PathSearch::Shortest, false),
            (PathSearch::Fast, true),
            (PathSearch::Shortest, true),
        ] {
            let plain = PathOptions::default().with_search(search).with_reach(reach);
            let paths = if is_filtered {
                let options = plain.with_filter(closed);
                [
                    live.query().options(options).memory(&mut scratch).path(from, to),
                    other.query().options(options).memory(&mut again).path(from, to),
                ]
            } else {
                [
                    live.query().options(plain).memory(&mut scratch).path(from, to),
                    other.query().options(plain).memory(&mut again).path(from, to),
                ]
            };
            let [Ok(path), Ok(expected)] = &paths else {
                assert!(paths[0].is_err() && paths[1].is_err());
                continue;
            };
            complete += usize::from(path.outcome == Outcome::Complete);
            assert_eq!(path.outcome, expected.outcome);
            assert_eq!(path.points, expected.points, "{search:?}, {from} to {to}");
            assert_eq!(path.length.to_bits(), expected.length.to_bits());
            assert_eq!(ids(&path.polygons), expected.polygons);
            assert_eq!(path.links, expected.links);
        }
        let Some(start) = live.nearest(from, &reach) else { continue };
        let same = back(&start);
        let [ray, expected] =
            [(live, &start), (other, &same)].map(|(mesh, start)| mesh.query().ray(start, to).unwrap());
        assert_eq!((ray.fraction, id(ray.polygon)), (expected.fraction, expected.polygon));
        let end = live.query().memory(&mut scratch).walk(start, to).unwrap();
        assert_eq!(back(&end), other.query().memory(&mut again).walk(same, to).unwrap());
        let wall = live.query().memory(&mut scratch).wall(start, 9.0).unwrap();
        let expected = other.query().memory(&mut again).wall(same, 9.0).unwrap();
        assert_eq!(
            wall.map(|wall| (wall.distance, wall.point)),
            expected.map(|wall| (wall.distance, wall.point))
        );
        let (mut walls, mut expected) = (Vec::new(), Vec::new());
        live.query().memory(&mut scratch).walls(start, 3.0, &mut walls).unwrap();
        other.query().memory(&mut again).walls(same, 3.0, &mut expected).unwrap();
        assert_eq!(walls.len(), expected.len());
        if turn % 4 == 0 {
            let map = live.query().memory(&mut scratch).distance_map(start, 40.0).unwrap();
            let expected = other.query().memory(&mut again).distance_map(same, 40.0).unwrap();
            for _ in 0..10 {
                let Some(from) = live.nearest(place(random), &Reach::INFINITE) else { break };
                let [here, there] =
                    [map.heading(live, &from).unwrap(), expected.heading(other, &back(&from)).unwrap()];
                assert_eq!(here.map(|here| here.distance), there.map(|there| there.distance));
            }
            let [mut one, mut two] = [(); 2].map(|()| PathCorridor::new(CorridorOptions::default()));
            let planned = one.plan(live, from, to, &mut scratch).ok();
            assert_eq!(planned, two.plan(other, from, to, &mut again).ok());
            assert_eq!(
                (&one.path().points, ids(&one.path().polygons)),
                (&two.path().points, two.path().polygons.clone())
            );
        }
    }
    complete
}

/// Bytes, and everything else that a mesh promises.
fn assert_same(map: &Map, live: &NavMesh, links: &[TileLink]) -> CompactMesh {
    live.validate().unwrap();
    let compact = live.to_compact();
    let links: Vec<TileLink> = links
        .iter()
        .map(|link| {
            let moved = |end: &LinkEnd| LinkEnd { polygon: compact.id_of(end.polygon).unwrap(), ..*end };
            let own = Link { from: moved(&link.link.from), to: moved(&link.link.to), ..link.link };
            TileLink { link: own, ..*link }
        })
        .collect();
    let expected = map.mesh(&links);
    assert!(*live == expected);
    assert_eq!(compact.mesh().link_ids(), expected.link_ids());
    assert!(live.to_packed(true) == expected.to_packed(true) && live.to_wmesh() == expected.to_wmesh());
    assert_eq!(live.polygon_count(), expected.polygon_count());
    assert_eq!(live.islands().len(), expected.islands().len());
    assert_eq!(live.portal_count(), expected.portal_count());
    assert!((live.area() - expected.area()).abs() < 1e-6 * expected.area().max(1.0));
    assert_eq!(live.world_bounds(), expected.world_bounds());
    for one in live.polygons() {
        let other = expected.polygon(compact.id_of(one.id()).unwrap()).unwrap();
        assert!(one.positions().eq(other.positions()));
        assert_eq!(
            (one.area_id(), one.bounds(), one.area()),
            (other.area_id(), other.bounds(), other.area())
        );
    }
    compact
}

#[test]
fn tiles_that_came_and_went_make_the_mesh_of_those_that_are_there() {
    let mut complete = 0;
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (mut map, mut tiled) = (Map::default(), empty());
        for round in 0..40 {
            let mut changed = BTreeSet::new();
            let many = if round == 0 { 60 } else { 1 + random.below(3) };
            for _ in 0..many {
                let layer = u32::from(random.chance(0.2));
                let key = TileKey { layer, row: random.below(TILES), column: random.below(TILES) };
                if random.chance(0.2) {
                    map.tiles.remove(&key);
                } else {
                    let solid = [0.0, 0.1, 0.4, 1.0][random.index(4)];
                    map.fill(key, &mut random, solid);
                }
                changed.insert(key);
            }
            let ids = |mesh: &NavMesh| {
                mesh.polygons()
                    .map(|polygon| {
                        (
                            polygon.positions().map(|at| at.to_array().map(f32::to_bits)).collect::<Vec<_>>(),
                            polygon.id(),
                        )
                    })
                    .collect::<BTreeMap<_, _>>()
            };
            let before = ids(&tiled.mesh());
            let held = tiled.mesh();
            let old = held.to_packed(false);
            tiled.change(changes(&map, &changed)).unwrap();
            let live = tiled.show();
            // Polygons of tiles that did not change keep their ids.
            let side = (SQUARES * CELLS) as f32 * 0.25;
            for (corners, id) in ids(&live) {
                let at =
                    corners.iter().fold(Vec3::ZERO, |sum, at| sum + Vec3::from_array(at.map(f32::from_bits)));
                let at = (at / corners.len() as f32 - frame().origin) / side;
                let key = |layer| TileKey { layer, row: at.z as u32, column: at.x as u32 };
                let stays = [0, 1].iter().all(|&layer| !changed.contains(&key(layer)));
                assert!(!stays || before.get(&corners).is_none_or(|&before| before == id));
            }
            // A held mesh does not change.
            assert!(held.to_packed(false) == old);
            if round % 3 == 0 {
                let compact = assert_same(&map, &live, &[]);
                complete += assert_same_queries(&live, &compact, &mut random, 12);
            }
        }
    }
    assert!(complete > 200, "{complete}");
}

/// Tiles that have other areas and nothing else: what was made for the mesh before is stale.
#[test]
fn a_mesh_of_other_areas_is_another_mesh() {
    let dry = AreaFilter::default().without(AreaId(1));
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let (mut map, mut tiled) = (Map::default(), empty());
        let keys: Vec<TileKey> =
            (0..12).map(|at| TileKey { layer: 0, row: at / 4, column: at % 4 }).collect();
        keys.iter().for_each(|&key| map.fill(key, &mut random, 0.2));
        tiled.change(changes(&map, &keys.iter().copied().collect())).unwrap();
        for _ in 0..10 {
            let before = tiled.show();
            let sampler = before.query().filter(&dry).sampler();
            let key = keys[random.index(keys.len())];
            let Some(squares) = map.tiles.get_mut(&key) else { continue };
            squares.iter_mut().filter(|square| **square != b'#').for_each(|square| *square = 3 - *square);
            tiled.change(changes(&map, &BTreeSet::from([key]))).unwrap();
            let after = tiled.show();
            assert_ne!(before.generation(), after.generation(), "seed {seed}");
            assert!(sampler.sample(&after, &mut random).is_err(), "seed {seed}");
        }
    }
}

/// A link from somewhere to somewhere else.
pub(crate) fn random_link(mesh: &NavMesh, id: u64, random: &mut Random) -> Option<TileLink> {
    let ids: Vec<PolyId> = mesh.polygons().map(|polygon| polygon.id()).collect();
    let mut end = || {
        let polygon = *ids.get(random.index(ids.len().max(1)))?;
        let corners = mesh.polygon(polygon)?.corners();
        let at = mesh.plan_vertices()[corners[random.index(corners.len())].index()];
        Some(LinkEnd { polygon, ends: [at; 2] })
    };
    let mut link = Link::new(end()?, end()?, LinkKind::User);
    link.both_ways = random.chance(0.7);
    link.is_open = random.chance(0.8);
    link.extra_cost = if random.chance(0.5) { 0.0 } else { 3.0 };
    link.data = id as u32;
    Some(TileLink { id: LinkId((1 << 40) + id), order: LinkOrder { class: 1 + id, number: 0 }, link })
}

#[test]
fn links_live_as_long_as_both_their_ends() {
    let mut complete = 0;
    for seed in 100..110 {
        let mut random = Random::new(seed);
        let (mut map, mut tiled) = (Map::default(), empty());
        let mut links: BTreeMap<LinkId, TileLink> = BTreeMap::new();
        for round in 0..40 {
            let mut changed = BTreeSet::new();
            for _ in 0..if round == 0 { 60 } else { random.below(3) } {
                let layer = u32::from(random.chance(0.2));
                let key = TileKey { layer, row: random.below(TILES), column: random.below(TILES) };
                if random.chance(0.2) {
                    map.tiles.remove(&key);
                } else {
                    map.fill(key, &mut random, 0.1);
                }
                changed.insert(key);
            }
            if round == 30 {
                // Most tiles are removed: the others are renumbered.
                let most =
                    map.tiles.keys().copied().filter(|key| key.row > 0 || key.column > 2).collect::<Vec<_>>();
                most.iter().for_each(|key| drop(map.tiles.remove(key)));
                changed.extend(most);
            }
            for _ in 0..if round == 0 { 200 } else { random.below(4) } {
                let squares = TILES * SQUARES.unsigned_abs();
                let [x, z] = [0; 2].map(|_| random.below(squares) as i32);
                let door = (u32::from(random.chance(0.2)), x, z);
                if !map.doors.remove(&door) {
                    map.doors.insert(door);
                }
                for z in [z, z - 1] {
                    let key = |at: i32| u32::try_from(at.div_euclid(SQUARES)).ok();
                    changed.extend(key(z).zip(key(x)).map(|(row, column)| TileKey {
                        layer: door.0,
                        row,
                        column,
                    }));
                }
            }
            let tile_of = |mesh: &NavMesh, polygon: PolyId| {
                let corners: Vec<Vec3> = mesh.polygon(polygon).unwrap().positions().collect();
                let at = corners.iter().sum::<Vec3>() / corners.len() as f32 - frame().origin;
                let side = (SQUARES * CELLS) as f32 * 0.25;
                TileKey {
                    layer: u32::from(at.y > 3.0),
                    row: (at.z / side) as u32,
                    column: (at.x / side) as u32,
                }
            };
            let before = tiled.mesh();
            if round % 5 == 4 {
                // Changes that nobody saw leave nothing behind.
                let next = before.link_ids().len();
                let mut other = map.clone();
                changed.iter().for_each(|&key| other.fill(key, &mut random, 0.3));
                tiled.change(changes(&other, &changed)).unwrap();
                let came = random_link(tiled.next(), 77, &mut random).into_iter().collect();
                tiled.change_links(&before.link_ids()[..next / 3], came).unwrap();
                tiled.abandon();
                assert!(std::sync::Arc::ptr_eq(&tiled.show(), &before));
            }
            let is_lost = |link: &TileLink| {
                [link.link.from, link.link.to]
                    .iter()
                    .any(|end| changed.contains(&tile_of(&before, end.polygon)))
            };
            let lost: BTreeSet<LinkId> =
                links.values().filter(|link| is_lost(link)).map(|link| link.id).collect();
            let told = tiled.change(changes(&map, &changed)).unwrap();
            assert_eq!(told.lost_links.into_iter().collect::<BTreeSet<LinkId>>(), lost);
            assert_eq!(told.is_renumbered, round == 30);
            links.retain(|id, _| !lost.contains(id));
            for (id, TileLink { link, .. }) in &mut links {
                let now = tiled.next().link(*id).unwrap();
                assert!(told.is_renumbered || now == link);
                (link.from.polygon, link.to.polygon) = (now.from.polygon, now.to.polygon);
            }
            // Doors that are missing, and others.
            let mut came: Vec<TileLink> = map.door_links(tiled.next());
            came.retain(|link| !links.contains_key(&link.id));
            let more = if round == 1 { 100 } else { random.below(4) };
            came.extend(
                (0..more)
                    .filter_map(|at| random_link(tiled.next(), 1000 * round + u64::from(at), &mut random)),
            );
            let ids: Vec<LinkId> = links.keys().copied().collect();
            let user = |id: &LinkId| id.0 >= 1 << 40 && random.chance(0.05);
            let gone: Vec<LinkId> = ids.iter().copied().filter(user).collect();
            tiled.change_links(&gone, came.clone()).unwrap();
            links.retain(|id, _| !gone.contains(id));
            links.extend(came.into_iter().map(|link| (link.id, link)));
            let turned: Vec<LinkId> = ids.iter().copied().filter(|_| random.chance(0.05)).collect();
            let turned: Vec<(LinkId, bool)> = turned.into_iter().map(|id| (id, random.chance(0.5))).collect();
            tiled.set_links_open(turned.iter().copied());
            for (id, is_open) in turned {
                if let Some(link) = links.get_mut(&id) {
                    link.link.is_open = is_open;
                }
            }
            let live = tiled.show();
            let bound = live.polygon_bound();
            assert!(round != 30 || bound < before.polygon_bound() / 2, "{bound}");
            if round % 3 == 0 {
                let all: Vec<TileLink> = links.values().copied().collect();
                let compact = assert_same(&map, &live, &all);
                complete += assert_same_queries(&live, &compact, &mut random, 8);
                complete += usize::from(round % 9 == 0 && assert_is_a_mesh(&live, &compact, &mut random));
            }
        }
        assert!(links.len() > 3, "{}", links.len());
    }
    assert!(complete > 500, "{complete}");
}

/// A mesh of tiles can be all that another can: changed by itself, prepared for searches, sampled.
fn assert_is_a_mesh(live: &NavMesh, compact: &CompactMesh, random: &mut Random) -> bool {
    let (mut own, mut other) = (NavMesh::clone(live), compact.mesh().clone());
    let id = |polygon: PolyId| compact.id_of(polygon).unwrap();
    let Some(TileLink { link, .. }) = random_link(live, 9, random) else { return false };
    let moved = |end: &LinkEnd| LinkEnd { polygon: id(end.polygon), ..*end };
    // The mesh of tiles knows of links that are gone.
    let came = own.add_link(link).unwrap();
    let other_came = other.add_link(Link { from: moved(&link.from), to: moved(&link.to), ..link }).unwrap();
    let closed: Vec<LinkId> = live.link_ids().iter().copied().filter(|_| random.chance(0.3)).collect();
    for mesh in [&mut own, &mut other] {
        mesh.set_links_open(closed.iter().map(|&id| (id, false)));
        assert!(closed.first().is_none_or(|&id| mesh.remove_link(id).is_some()));
    }
    let changed = own.to_compact();
    let named = |mesh: &NavMesh| -> Vec<LinkId> {
        mesh.link_ids().iter().map(|&id| if id == other_came { came } else { id }).collect()
    };
    assert!(named(changed.mesh()) == named(&other) && changed.mesh().links() == other.links());
    assert!(changed.mesh().to_packed(true) == other.to_packed(true));
    assert_same_queries(&own, &changed, random, 3);
    // All links at once, and none.
    let all: Vec<Link> = own.links().to_vec();
    let moved_back = |link: &Link| Link { from: moved(&link.from), to: moved(&link.to), ..*link };
    let replaced = own.clone().with_links(all.iter().rev().copied().collect()).unwrap();
    let expected = other.clone().with_links(all.iter().rev().map(moved_back).collect()).unwrap();
    assert!(replaced.to_compact().mesh().to_packed(true) == expected.to_packed(true));
    let [none, expected] = [&own, &other].map(|mesh| mesh.clone().with_links(Vec::new()).unwrap());
    assert!(none.to_compact().mesh().to_packed(true) == expected.to_packed(true));
    let (mut scratch, mut again) = (QueryScratch::default(), QueryScratch::default());
    let hierarchy = Hierarchy::new(&own, &HierarchyConfig::default().with_min_polygons(10)).unwrap();
    let relaxed = RelaxedPolygons::new(&own, 0.5).unwrap();
    for polygon in own.polygons() {
        assert!(relaxed.group_of(polygon.id()).is_some());
    }
    for _ in 0..10 {
        let (from, to) = (place(random), place(random));
        let options = PathOptions::default().with_search(PathSearch::Shortest).with_reach(Reach::INFINITE);
        let path = path_or_none(own.query().options(options).memory(&mut scratch).path(from, to));
        let expected = path_or_none(other.query().options(options).memory(&mut again).path(from, to));
        assert_eq!((path.outcome, path.length.to_bits()), (expected.outcome, expected.length.to_bits()));
        let clustered = options.with_search(&hierarchy);
        assert_eq!(
            path_or_none(own.query().options(clustered).memory(&mut scratch).path(from, to)).outcome,
            path.outcome
        );
        let grouped = options.with_search(&relaxed);
        assert_eq!(
            path_or_none(own.query().options(grouped).memory(&mut scratch).path(from, to)).outcome,
            path.outcome
        );
        let sampled = own.query().sampler().sample(&own, random).unwrap().unwrap();
        assert!(own.contains(sampled.polygon, sampled.position));
        // No polygon, no answer.
        let gone =
            (0..own.polygon_bound()).map(PolyId::from_index).find(|&gone| !own.has_polygon(gone)).unwrap();
        assert!(
            own.polygon(gone).is_none() && own.island_of(gone).is_none() && own.head_room(gone).is_none()
        );
        assert!(!own.contains(gone, from) && own.height_in_polygon(gone, from).is_none());
        let nowhere = Location { polygon: gone, ..sampled };
        // It is a position again.
        assert_eq!(own.query().ray(nowhere, to), own.query().ray(nowhere.position, to));
        let mut query = own.query().memory(&mut scratch);
        assert_eq!(query.walk(nowhere, to), query.walk(nowhere.position, to));
    }
    true
}

#[test]
fn what_is_wrong_with_a_tile_is_told_and_changes_nothing() {
    let mut random = Random::new(5);
    let (mut map, mut tiled) = (Map::default(), empty());
    let keys = [0, 1, 2].map(|column| TileKey { layer: 0, row: 0, column });
    keys.iter().for_each(|&key| map.fill(key, &mut random, 0.0));
    tiled.change(changes(&map, &keys.into_iter().collect())).unwrap();
    let before = tiled.show();
    let sound = map.tile(keys[1]).unwrap();
    let mut wrong = |change: &mut dyn FnMut(&mut MeshTile)| {
        let mut tile = sound.clone();
        change(&mut tile);
        let all = keys.iter().map(|&key| (key, TileChange::Adjusted(map.tile(key).unwrap())));
        let mut all: BTreeMap<TileKey, TileChange> = all.collect();
        all.insert(keys[1], TileChange::Anew(tile));
        let error = tiled.change(all).unwrap_err();
        assert_eq!(*tiled.show(), *before);
        error.to_string()
    };
    assert!(wrong(&mut |tile| tile.corners[0] = VertexId(900)).contains("broken"));
    assert!(
        wrong(&mut |tile| tile.neighbours[0] = Some(TilePolygon { tile: keys[0], polygon: 99 }))
            .contains("broken")
    );
    assert!(
        wrong(&mut |tile| tile.neighbours.iter_mut().for_each(|beyond| *beyond = None)).contains("broken")
    );
    assert!(wrong(&mut |tile| tile.corners.swap(0, 1)).contains("broken"));
    assert!(wrong(&mut |tile| tile.vertices[0].height = f32::NAN).contains("vertex_height"));
    assert!(
        wrong(&mut |tile| tile.vertices.push(PlanVertex { point: PlanPoint::new(-1, 0), height: 0.0 }))
            .contains("vertex_x")
    );
    assert!(wrong(&mut |tile| tile.surface = None).contains("height surface"));
    let turn =
        |tile: &mut MeshTile| tile.surface.iter_mut().for_each(|surface| surface.triangles[0].reverse());
    assert!(wrong(&mut { turn }).contains("height surface"));
    // Neighbours must be among the changes.
    let alone = [(keys[1], TileChange::Gone)].into_iter().collect();
    assert!(tiled.change(alone).unwrap_err().to_string().contains("beside it"));
    assert_eq!(*tiled.show(), *before);
    // More regions than there are numbers.
    let alone = MeshTile { neighbours: vec![None; sound.neighbours.len()], ..sound.clone() };
    let many = |regions: u32| {
        let tiles = [&alone, &MeshTile { regions, ..alone.clone() }];
        let by_key = keys.into_iter().zip(tiles).collect();
        JoinedTiles::new(frame(), &by_key, VertexOrder::OwnFirst)
    };
    assert!(many(u32::MAX - sound.regions).is_ok());
    assert!(many(u32::MAX - sound.regions + 1).unwrap_err().to_string().contains("regions"));
}

//! Whole worlds: the result does not depend on tiles, threads or order, and has the properties that
//! the paper promises.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{Agent, AreaId, BadField, ContourSet, GridScale, PlanPoint, TriangleSoup, Validate};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_slices::{LinkPlace, SliceLinkKind, Slices, SlicesConfig, SlicesError, slice_world};
use waymesh_testkit::{Random, soups};

fn config(cell: f32, level: f32) -> SlicesConfig {
    SlicesConfig::default().with_scale(GridScale::new(cell, level))
}

fn slice(soup: &TriangleSoup, config: &SlicesConfig) -> Slices {
    let slices = slice_world(soup, config, &mut ()).expect("slices");
    slices.validate().unwrap_or_else(|violations| panic!("{violations}"));
    slices
}

/// Returns the result without the number of tiles.
fn without_tiles(mut slices: Slices) -> Slices {
    slices.tiles = 0;
    slices
}

/// Returns axis-aligned rectangles that face up.
fn floors(rectangles: &[([f32; 4], f32)]) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    for &([x0, z0, x1, z1], y) in rectangles {
        let corners = [(x0, z0), (x0, z1), (x1, z1), (x1, z0)].map(|(x, z)| Vec3::new(x, y, z));
        soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
    }
    soup
}

/// Adds a wall along x that faces -z.
fn wall(soup: &mut TriangleSoup, [x0, x1]: [f32; 2], z: f32, [y0, y1]: [f32; 2]) {
    let corners = [(x0, y0), (x0, y1), (x1, y1), (x1, y0)].map(|(x, y)| Vec3::new(x, y, z));
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
}

#[test]
fn areas_divide_regions_and_leave_the_ground_as_it_is() {
    let mut random = Random::new(12);
    for scene in Scene::ALL {
        let plain = scene.build(&SceneConfig::default());
        let count = plain.triangles().len();
        let areas: Vec<AreaId> = (0..count).map(|_| AreaId([1, 2, 9][random.index(3)])).collect();
        let soup = plain.clone().with_areas(areas.clone()).expect("one area per triangle");
        let config = config(0.3, 0.1).with_max_height_error_levels(1.0);
        let whole = without_tiles(slice(&soup, &config));
        for tile in [8, 61] {
            let tiled = slice_world(&soup, &config.with_tile_cells(tile), &mut ()).expect("slices");
            assert!(without_tiles(tiled) == whole, "{} in tiles of {tile} cells", scene.name());
        }
        let order = random.permutation(count);
        let triangles = order.iter().map(|&index| soup.triangles()[index]).collect();
        let shuffled = TriangleSoup::new(soup.positions().to_vec(), triangles).expect("as before");
        let shuffled = shuffled.with_areas(order.iter().map(|&index| areas[index]).collect());
        assert!(without_tiles(slice(&shuffled.expect("one area per triangle"), &config)) == whole);
        let cells = |slices: &Slices| slices.regions.iter().map(|region| region.cells).sum::<u64>();
        let undivided = slice(&plain, &config);
        assert_eq!(cells(&whole), cells(&undivided), "{}", scene.name());
        assert!(whole.regions.len() > undivided.regions.len(), "{}", scene.name());
        let kinds: BTreeSet<AreaId> = whole.regions.iter().map(|region| region.area).collect();
        assert_eq!(kinds.len(), 3, "{}", scene.name());
        for (contour, region) in whole.contours.regions.iter().zip(&whole.regions) {
            assert_eq!(contour.area, region.area);
        }
    }
}

#[test]
fn no_scene_tells_how_it_was_tiled() {
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        let config = config(0.3, 0.1);
        let whole = slice(&soup, &config.with_tile_cells(0));
        assert_eq!(whole.tiles, 1);
        let regions = whole.regions.len();
        assert!(regions > 10, "{}: {regions} regions", scene.name());
        let whole = without_tiles(whole);
        for tile in [8, 16, 61, 64, 256] {
            let tiled = slice_world(&soup, &config.with_tile_cells(tile), &mut ()).expect("slices");
            assert!(tiled.tiles > 1 || tile > 64);
            assert!(without_tiles(tiled) == whole, "{} in tiles of {tile} cells", scene.name());
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        for (pool, alive) in [(&one, 0), (&two, 0), (&two, 1), (&one, 7)] {
            let config = config.with_tile_cells(32).with_alive_tiles(alive);
            let tiled = pool.install(|| slice_world(&soup, &config, &mut ())).expect("slices");
            assert!(without_tiles(tiled) == whole, "{}", scene.name());
        }
        let shuffled = soups::shuffled(&soup, 5);
        assert!(without_tiles(slice_world(&shuffled, &config, &mut ()).expect("slices")) == whole);
    }
}

#[test]
fn broken_scenes_are_sliced_all_the_same() {
    for scene in Scene::ALL {
        let soup = scene.broken(3);
        let mut counted = Counts::default();
        let slices = slice_world(&soup, &config(0.3, 0.1), &mut counted).expect("slices");
        slices.validate().unwrap_or_else(|violations| panic!("{violations}"));
        assert!(!slices.regions.is_empty());
        assert_eq!(counted.skipped, soup.skipped().total());
        let tiled = slice_world(&soup, &config(0.3, 0.1).with_tile_cells(24), &mut ()).expect("slices");
        assert!(without_tiles(tiled) == without_tiles(slices));
    }
}

#[derive(Default)]
struct Counts {
    skipped: u64,
    progress: Vec<(u64, u64)>,
}

impl waymesh_core::Observer for Counts {
    fn count(&mut self, counter: waymesh_core::Counter, amount: u64) {
        if matches!(
            counter,
            waymesh_core::Counter::TrianglesNotFinite | waymesh_core::Counter::TrianglesDegenerate
        ) {
            self.skipped += amount;
        }
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.progress.push((done, total));
    }
}

#[test]
fn progress_counts_every_tile_once() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let mut counts = Counts::default();
    let slices = slice_world(&soup, &config(0.3, 0.1).with_tile_cells(64), &mut counts).expect("slices");
    let expected: Vec<_> = (1..=slices.tiles).map(|done| (done, slices.tiles)).collect();
    assert_eq!(counts.progress, expected);
}

/// Returns the turning points of all borders of all regions.
fn corners(contours: &ContourSet) -> BTreeSet<PlanPoint> {
    let polygons = contours.polygons();
    let mut found = BTreeSet::new();
    for border in polygons.polygons.iter().flat_map(waymesh_core::Polygon::loops) {
        let points: Vec<_> = border.vertices.iter().map(|&vertex| polygons.point(vertex)).collect();
        let count = points.len();
        for i in 0..count {
            if PlanPoint::orientation(points[(i + count - 1) % count], points[i], points[(i + 1) % count])
                != 0
            {
                found.insert(points[i]);
            }
        }
    }
    found
}

#[test]
fn every_vertex_is_a_corner_of_some_region() {
    // A trace of a tile would be a vertex on a straight border where no other region turns.
    for scene in Scene::ALL {
        let slices = slice(&scene.build(&SceneConfig::default()), &config(0.3, 0.1).with_tile_cells(8));
        let corners = corners(&slices.contours);
        for vertex in &slices.contours.vertices {
            assert!(corners.contains(&vertex.point), "{}: {:?}", scene.name(), vertex.point);
        }
    }
}

#[test]
fn a_square_is_one_region_of_four_vertices_in_any_tiling() {
    for tile in [0, 1, 2, 3, 5, 8, 16] {
        let slices = slice(&floors(&[([0.0, 0.0, 2.0, 1.0], 0.0)]), &config(0.1, 0.1).with_tile_cells(tile));
        assert_eq!(slices.regions.len(), 1);
        assert_eq!((slices.regions[0].level, slices.regions[0].cells), (0, 200));
        assert_eq!(slices.contours.vertices.len(), 4);
    }
}

#[test]
fn pieces_without_a_common_false_corner_are_merged() {
    // The case that Algorithm 6 misses: rows 0..2 in the left tile, 1..3 in the right one.
    let soup = floors(&[([0.0, 0.0, 0.8, 0.2], 0.0), ([0.8, 0.1, 1.6, 0.3], 0.0)]);
    let slices = slice(&soup, &config(0.1, 0.1).with_tile_cells(8));
    assert_eq!(slices.tiles, 2);
    assert_eq!(slices.regions.len(), 1);
    assert_eq!(slices.contours.vertices.len(), 8);
}

#[test]
fn slices_are_joined_through_corners_and_regions_are_not() {
    let soup =
        floors(&[([0.0, 0.0, 0.8, 0.8], 0.0), ([0.8, 0.8, 1.6, 1.6], 0.0), ([0.0, 1.2, 0.4, 1.6], 0.0)]);
    for tile in [0, 3, 8] {
        let slices = slice(&soup, &config(0.1, 0.1).with_tile_cells(tile).with_link_reach(0.0));
        let of: Vec<u32> = slices.regions.iter().map(|region| region.slice).collect();
        assert_eq!(of, [0, 0, 1]);
        assert_eq!(slices.contours.vertices.len(), 12);
        assert!(slices.links.is_empty());
    }
}

#[test]
fn storeys_are_apart_and_low_rooms_are_not_ground() {
    let high = floors(&[([0.0, 0.0, 2.0, 2.0], 0.0), ([0.5, 0.5, 1.5, 1.5], 2.5)]);
    let slices = slice(&high, &config(0.1, 0.1));
    assert_eq!(slices.regions.iter().map(|r| r.cells).collect::<Vec<_>>(), [400, 100]);
    let low = floors(&[([0.0, 0.0, 2.0, 2.0], 0.0), ([0.5, 0.5, 1.5, 1.5], 1.9)]);
    let slices = slice(&low, &config(0.1, 0.1));
    assert_eq!(slices.regions.iter().map(|r| r.cells).collect::<Vec<_>>(), [300, 100]);
    assert_eq!(slices.contours.regions[0].holes.len(), 1);
}

#[test]
fn a_slope_is_a_region_per_level_linked_one_to_the_next() {
    let mut soup = TriangleSoup::default();
    let corners = [(0.0, 0.0), (0.0, 1.0), (4.0, 1.0), (4.0, 0.0)].map(|(x, z)| Vec3::new(x, x * 0.25, z));
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
    // One level of 0.05 m in two cells of 0.1 m.
    let slices = slice(&soup, &config(0.1, 0.05).with_tile_cells(7));
    assert_eq!(slices.regions.len(), 20);
    assert_eq!(slices.links.len(), 19);
    for link in &slices.links {
        assert_eq!((link.kind, link.rise_levels), (SliceLinkKind::Discretisation, 1));
    }
    // They are also neighbours in the polygons with holes.
    let polygons = slices.contours.polygons();
    assert_eq!(polygons.polygons[4].outer.beyond.iter().flatten().count(), 2);
    // Too steep: nothing.
    let gentle = Agent::default().with_max_slope(0.2);
    let none = slice_world(&soup, &config(0.1, 0.05).with_agent(gentle), &mut ()).expect("an empty world");
    assert!(none.regions.is_empty() && none.contours.vertices.is_empty());
    none.validate().expect("valid");
}

/// Returns a ramp along x from the ground to `top`, with a floor along its side, and one at its
/// upper end.
fn ramp(length: f32, top: f32) -> TriangleSoup {
    let end = length + 1.0;
    let mut soup = floors(&[([0.0, 1.0, end, 2.0], 0.0), ([length, 0.0, end, 1.0], top)]);
    let corners = [(0.0, 0.0), (0.0, 1.0), (length, 1.0), (length, 0.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, x * top / length, z));
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
    soup
}

#[test]
fn slices_of_one_slope_are_one_region_and_stairs_are_not() {
    // Slopes of 4, 27 and 43 degrees: less than a level per cell, and more than two.
    for (length, top) in [(8.0, 0.6), (4.0, 2.0), (2.0, 1.9)] {
        let flat = config(0.05, 0.02).with_tile_cells(32);
        let soup = ramp(length, top);
        assert!(slice(&soup, &flat).regions.len() > 25);
        let slopes = slice(&soup, &flat.with_max_height_error_levels(1.0));
        assert_eq!(slopes.regions.len(), 3, "a floor, a ramp and a landing");
        let ramp = slopes.regions.iter().find(|region| region.error > 0.0).expect("the ramp");
        assert!((ramp.ground.rise[0] / 0.05 * 0.02 - f64::from(top / length)).abs() < 0.02, "{ramp:?}");
        assert!(ramp.ground.rise[1].abs() < 0.02, "{ramp:?}");
        for along in [0.25, 0.5, 0.75] {
            let expected = f64::from(along * top / 0.02);
            let height = ramp.ground.at([f64::from(along * length / 0.05), 10.0]);
            assert!((height - expected).abs() < 2.5, "{height} levels at {along}, not {expected}");
        }
        // Agents get up over the landing's border and, up to the height of a step, over the side.
        assert!(slopes.links.len() >= 2, "{:?}", slopes.links);
    }
    let treads: Vec<_> =
        (0..6_u8).map(|step| 0.3 * f32::from(step)).map(|x| ([x, 0.0, x + 0.3, 1.0], x / 2.0)).collect();
    let stair = slice(&floors(&treads), &config(0.1, 0.02).with_max_height_error_levels(1.0));
    assert_eq!((stair.regions.len(), stair.links.len()), (6, 5));
}

#[test]
fn stairs_are_linked_up_to_the_highest_step() {
    let stairs = |rise: f32| {
        let treads: Vec<_> = (0..5_u8)
            .map(|step| {
                let x = 0.3 * f32::from(step);
                ([x, 0.0, x + 0.3, 1.0], rise * f32::from(step))
            })
            .collect();
        slice(&floors(&treads), &config(0.1, 0.02).with_tile_cells(5))
    };
    let links =
        |slices: &Slices| slices.links.iter().filter(|link| link.kind == SliceLinkKind::Stair).count();
    assert_eq!(links(&stairs(0.2)), 4);
    assert_eq!(links(&stairs(0.5)), 4);
    assert_eq!(links(&stairs(0.52)), 0);
    // Levels are coarser than the highest step: stairs cannot be recognised (the paper's settings
    // S3 and S4).
    let coarse = config(0.1, 0.501);
    let soup = floors(&[([0.0, 0.0, 1.0, 1.0], 0.0), ([1.0, 0.0, 2.0, 1.0], 1.4)]);
    assert!(slice(&soup, &coarse).links.is_empty());
}

#[test]
fn open_stairs_are_linked_over_their_gaps_but_walls_are_not() {
    let gap = |soup: &TriangleSoup, reach: f32| {
        slice(soup, &config(0.05, 0.02).with_tile_cells(6).with_link_reach(reach)).links
    };
    let soup = floors(&[([0.0, 0.0, 1.0, 1.0], 0.0), ([0.2, 1.2, 1.4, 2.0], 0.3)]);
    let links = gap(&soup, 0.25);
    assert_eq!(links.len(), 1);
    assert_eq!((links[0].kind, links[0].rise_levels), (SliceLinkKind::Stair, 15));
    let p = PlanPoint::new;
    assert_eq!(links[0].place, LinkPlace::Gap { from: [p(4, 20), p(20, 20)], to: [p(4, 24), p(20, 24)] });
    assert!(gap(&soup, 0.15).is_empty());
    let mut walled = soup;
    wall(&mut walled, [0.0, 1.4], 1.1, [0.0, 0.8]);
    assert!(gap(&walled, 0.25).is_empty());
}

#[test]
fn walls_stand_in_the_way_unless_steep_triangles_are_dropped() {
    let mut soup = floors(&[([0.0, 0.0, 2.0, 2.0], 0.0)]);
    wall(&mut soup, [0.0, 2.0], 1.05, [0.0, 2.0]);
    let blocked = slice(&soup, &config(0.1, 0.1));
    assert_eq!(blocked.regions.len(), 2);
    assert!(blocked.links.is_empty());
    let open = slice(&soup, &config(0.1, 0.1).with_steep_blocks(false));
    assert_eq!(open.regions.len(), 1);
    // An obstacle that the agent can step over leaves the ground below it unchanged.
    let mut kerb = floors(&[([0.0, 0.0, 2.0, 2.0], 0.0)]);
    wall(&mut kerb, [0.0, 2.0], 1.05, [0.0, 0.5]);
    assert_eq!(slice(&kerb, &config(0.1, 0.1)).regions.len(), 1);
}

#[test]
fn settings_out_of_range_are_named() {
    let soup = floors(&[([0.0, 0.0, 2.0, 2.0], 0.0)]);
    let field = |config: SlicesConfig| match slice_world(&soup, &config, &mut ()) {
        Err(SlicesError::BadField(BadField { field, .. })) => field,
        other => panic!("{other:?}"),
    };
    for reach in [-0.1, f32::NAN, f32::INFINITY, 13.0] {
        assert_eq!(field(SlicesConfig::default().with_link_reach(reach)), "link_reach");
    }
    for error in [-1.0, f32::NAN, f32::INFINITY] {
        let config = SlicesConfig::default().with_max_height_error_levels(error);
        assert_eq!(field(config), "max_height_error_levels");
    }
    assert_eq!(field(config(0.0, 0.1)), "cell_size");
    let nobody = SlicesConfig::default().with_agent(Agent::default().with_height(-1.0));
    assert_eq!(field(nobody), "agent.height");
    let small = SlicesConfig::default().with_max_memory_bytes(1000);
    assert!(matches!(slice_world(&soup, &small, &mut ()), Err(SlicesError::TooMuchMemory { .. })));
    let huge = floors(&[([0.0, 0.0, 1.0e7, 1.0e7], 0.0)]);
    let result = slice_world(&huge, &SlicesConfig::default().with_tile_cells(8), &mut ());
    assert!(matches!(result, Err(SlicesError::TooMuchMemory { .. })));
    let empty = TriangleSoup::default();
    assert!(matches!(
        slice_world(&empty, &SlicesConfig::default(), &mut ()),
        Err(SlicesError::NoTriangles { .. })
    ));
    let flat = TriangleSoup::new(vec![Vec3::ZERO; 3], vec![[0, 1, 2]]).expect("three corners");
    assert!(matches!(
        slice_world(&flat, &SlicesConfig::default(), &mut ()),
        Err(SlicesError::NoTriangles { .. })
    ));
}

/// Returns triangles of all sizes and slopes, many of them flat and on cell lines.
fn random_soup(seed: u64, triangles: u32) -> TriangleSoup {
    let mut random = Random::new(seed);
    let mut soup = TriangleSoup::default();
    for _ in 0..triangles {
        let size = random.range(0.2, 3.0);
        let (x, y, z) = (random.range(0.0, 4.0), random.range(0.0, 3.0), random.range(0.0, 4.0));
        let snap = random.chance(0.5);
        let steepness = if random.chance(0.4) { 0.0 } else { random.range(0.0, 2.0) };
        let corners: Vec<Vec3> = (0..3)
            .map(|_| {
                let corner = Vec3::new(x, y, z)
                    + Vec3::new(
                        random.range(-size, size),
                        steepness * random.range(-size, size),
                        random.range(-size, size),
                    );
                if snap { (corner * 5.0).round() / 5.0 } else { corner }
            })
            .collect();
        soup.append(corners, vec![[0, 1, 2]]).expect("three corners");
    }
    soup
}

/// Returns `true` if some region has a floor at the world point `(x, z)` that is at most a level
/// and a cell's rise above `y`, or less below it.
fn stands(slices: &Slices, cells: &BTreeMap<(i32, i32), Vec<i32>>, point: Vec3, slope: f32) -> bool {
    let frame = &slices.contours.frame;
    let [x, y, z] = frame.to_grid(point);
    #[expect(clippy::cast_possible_truncation, reason = "small test grids")]
    let cell = (x.floor() as i32, z.floor() as i32);
    let rise = f64::from(2.0 * slope * frame.cell_size / frame.level_height);
    cells.get(&cell).is_some_and(|levels| {
        levels.iter().any(|&level| f64::from(level) >= y - 0.001 && f64::from(level) <= y + 1.001 + rise)
    })
}

/// Returns the levels of the regions over each cell.
fn cells(slices: &Slices) -> BTreeMap<(i32, i32), Vec<i32>> {
    let levels = |regions: Vec<usize>| regions.iter().map(|&region| slices.regions[region].level).collect();
    filled(slices).into_iter().map(|(cell, regions)| (cell, levels(regions))).collect()
}

/// Returns the regions over each cell, by filling the polygons.
fn filled(slices: &Slices) -> BTreeMap<(i32, i32), Vec<usize>> {
    let polygons = slices.contours.polygons();
    let mut cells: BTreeMap<(i32, i32), Vec<usize>> = BTreeMap::new();
    for (region, polygon) in polygons.polygons.iter().enumerate() {
        // Each vertical border switches all cells to its right.
        let mut switches: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for border in polygon.loops() {
            let points: Vec<_> = border.vertices.iter().map(|&vertex| polygons.point(vertex)).collect();
            for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
                if a.x == b.x {
                    for z in a.z.min(b.z)..a.z.max(b.z) {
                        switches.entry(z).or_default().push(a.x);
                    }
                }
            }
        }
        for (z, mut xs) in switches {
            xs.sort_unstable();
            for pair in xs.chunks(2) {
                for x in pair[0]..pair[1] {
                    cells.entry((x, z)).or_default().push(region);
                }
            }
        }
    }
    cells
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_soups_are_the_same_in_every_tiling_and_order(
        seed in any::<u64>(), triangles in 1_u32..40, tile in 1_u32..30, step in 0.0_f32..1.0, reach in 0.0_f32..0.5
    ) {
        let soup = random_soup(seed, triangles);
        if soup.skipped().total() == soup.triangles().len() as u64 {
            return Ok(());
        }
        let agent = Agent::default().with_height(1.0).with_max_step(step).with_radius(0.0);
        let config = config(0.1, 0.05).with_agent(agent).with_link_reach(reach);
        let whole = without_tiles(slice(&soup, &config.with_tile_cells(0)));
        let tiled = slice(&soups::shuffled(&soup, seed), &config.with_tile_cells(tile));
        prop_assert!(without_tiles(tiled) == whole);
    }

    #[test]
    fn slopes_are_near_their_slices_and_join_only_what_is_linked(
        seed in any::<u64>(), triangles in 1_u32..40, tile in 1_u32..30, step in 0.0_f32..0.3, error in 0.1_f32..3.0
    ) {
        let soup = random_soup(seed, triangles);
        if soup.skipped().total() == soup.triangles().len() as u64 {
            return Ok(());
        }
        let agent = Agent::default().with_height(1.0).with_max_step(step).with_radius(0.0);
        let config = config(0.1, 0.05).with_agent(agent);
        let flat = slice(&soup, &config);
        let config = config.with_max_height_error_levels(error);
        let slopes = slice(&soup, &config.with_tile_cells(0));
        let tiled = slice(&soups::shuffled(&soup, seed), &config.with_tile_cells(tile));
        prop_assert!(without_tiles(tiled) == without_tiles(slopes.clone()));
        let linked: BTreeSet<_> = flat
            .links
            .iter()
            .filter(|link| matches!(link.place, LinkPlace::Border(_)))
            .flat_map(|link| [(link.from.index(), link.to.index()), (link.to.index(), link.from.index())])
            .collect();
        let (before, after) = (filled(&flat), filled(&slopes));
        prop_assert!(before.len() == after.len());
        // The slice of each region over a cell, from the lowest upwards.
        let slices_of = |&(x, z): &(i32, i32)| {
            let (mut slices, mut regions) = (before.get(&(x, z))?.clone(), after[&(x, z)].clone());
            let height = |region: &usize| slopes.regions[*region].ground.at([f64::from(x) + 0.5, f64::from(z) + 0.5]);
            slices.sort_by_key(|&slice| flat.regions[slice].level);
            regions.sort_by(|a, b| height(a).total_cmp(&height(b)));
            let off = slices.iter().zip(&regions).map(|(&slice, region)| {
                let off = (height(region) - f64::from(flat.regions[slice].level)).abs();
                (off, slopes.regions[*region].error)
            });
            for (off, own) in off {
                assert!(off <= own + 1e-5 && own <= f64::from(error) + 1e-5, "{off} levels off, not {own}");
            }
            Some(regions.into_iter().zip(slices).collect::<BTreeMap<usize, usize>>())
        };
        for (&(x, z), slices) in &before {
            let own = slices_of(&(x, z)).expect("ground");
            prop_assert!(own.len() == slices.len(), "a region overlaps itself");
            for beside in [(x + 1, z), (x, z + 1)] {
                for (region, other) in slices_of(&beside).into_iter().flatten() {
                    if let Some(&slice) = own.get(&region) {
                        prop_assert!(slice == other || linked.contains(&(slice, other)), "a wall is gone");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_walkable_is_lost(seed in any::<u64>()) {
        // One gentle triangle alone: every point of it has a region under it.
        let mut random = Random::new(seed);
        let slope = random.range(0.0, 0.8);
        let (dx, dz) = (slope * random.unit() * 0.7, slope * random.unit() * 0.7);
        let mut corner = || {
            let (x, z) = (random.range(0.0, 3.0), random.range(0.0, 3.0));
            Vec3::new(x, 1.0 + dx * x + dz * z, z)
        };
        let [a, b, c] = [corner(), corner(), corner()];
        let corners = if (b - a).cross(c - a).y > 0.0 { vec![a, b, c] } else { vec![a, c, b] };
        let Ok(soup) = TriangleSoup::new(corners, vec![[0, 1, 2]]) else { return Ok(()) };
        if soup.skipped().total() > 0 || (b - a).cross(c - a).y.abs() < 0.05 {
            return Ok(());
        }
        let slices = slice(&soup, &config(0.1, 0.05).with_tile_cells(9));
        let cells = cells(&slices);
        for _ in 0..200 {
            let (mut u, mut v) = (random.range(0.01, 0.99), random.range(0.01, 0.99));
            if u + v > 0.99 {
                (u, v) = (u * 0.49, v * 0.49);
            }
            let point = a + (b - a) * u + (c - a) * v;
            prop_assert!(stands(&slices, &cells, point, slope), "{point}");
        }
    }
}

/// Tests that beyond each border lies a level to which the agent can step, and that the two cells
/// there belong to linked regions.
#[test]
fn shared_borders_lie_between_cells_of_both_regions() {
    for seed in 0..20 {
        let agent = Agent::default().with_height(1.0).with_max_step(0.3);
        let slices = slice(&random_soup(seed, 30), &config(0.1, 0.05).with_agent(agent));
        let cells = cells(&slices);
        let polygons = slices.contours.polygons();
        for (polygon, region) in polygons.polygons.iter().zip(&slices.regions) {
            for border in polygon.loops() {
                let points: Vec<_> = border.vertices.iter().map(|&vertex| polygons.point(vertex)).collect();
                for (i, beyond) in border.beyond.iter().enumerate() {
                    let Some(beyond) = beyond else { continue };
                    let (a, b) = (points[i], points[(i + 1) % points.len()]);
                    let other = slices.regions[beyond.index()].level;
                    assert_step(region.level, other, 6);
                    // The region is on the positive side.
                    let (dx, dz) = ((b.x - a.x).signum(), (b.z - a.z).signum());
                    for step in 0..(b.x - a.x).abs() + (b.z - a.z).abs() {
                        let at = PlanPoint::new(a.x + dx * step, a.z + dz * step);
                        let (inside, outside) = match (dx, dz) {
                            (1, 0) => ((at.x, at.z), (at.x, at.z - 1)),
                            (-1, 0) => ((at.x - 1, at.z - 1), (at.x - 1, at.z)),
                            (0, 1) => ((at.x - 1, at.z), (at.x, at.z)),
                            _ => ((at.x, at.z - 1), (at.x - 1, at.z - 1)),
                        };
                        assert!(cells[&inside].contains(&region.level));
                        assert!(cells[&outside].contains(&other));
                    }
                }
            }
        }
    }
}

fn assert_step(a: i32, b: i32, limit: u32) {
    assert!(a != b && a.abs_diff(b) <= limit, "{a} and {b}");
}

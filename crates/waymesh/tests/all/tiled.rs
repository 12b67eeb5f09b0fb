//! Tiles leave no trace: the same bytes however a world was cut.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use glam::Vec3;
use waymesh::bake::FrontEnd;
use waymesh::core::stage::StageError;
use waymesh::core::{
    AreaVisitor, Bounds, Observer, PlacedTriangles, TriangleSource, TriangleVisitor, Warning,
};
use waymesh::tile::TileError;
use waymesh::voxel::{Mark, MarkShape};
use waymesh::{AreaId, Bake, BakeConfig, BakeError, Baker, PartitionKind, Report, TriangleSoup, Voxels};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::{levels, soups::shuffled};

fn config() -> BakeConfig {
    BakeConfig::default()
        .with_partition(PartitionKind::Surfaces)
        .with_max_ledge(1.4)
        .with_validate_stages(true)
}

fn tiles(tile_cells: u32, config: BakeConfig) -> Baker<Voxels> {
    Baker::new(Voxels::default().with_tile_cells(tile_cells), config)
}

fn bytes(bake: &Bake) -> Vec<u8> {
    let mut bytes = Vec::new();
    waymesh::io::write_wmesh(&bake.mesh, &mut bytes).expect("memory takes everything");
    bytes
}

/// The figures that do not depend on the run.
fn figures(report: &Report) -> [u64; 10] {
    [
        report.triangles,
        report.spans,
        report.walkable_spans,
        report.regions,
        report.contours,
        report.polygons,
        report.portals,
        report.vertices,
        report.vertices_off_border,
        report.links,
    ]
}

/// Cells along a side of tiles, where 0 leaves the choice to the bake, and threads.
const TILINGS: [(u32, usize); 6] = [(64, 1), (16, 2), (256, 2), (1000, 1), (0, 2), (64, 2)];

fn tiles_leave_no_trace(name: &str, soup: &TriangleSoup, cell_size: f32, tilings: &[(u32, usize)]) {
    let config = config().with_scale(cell_size, 0.2);
    let untiled = match Baker::voxels().with_config(config.clone()).bake_observed(soup, &mut ()) {
        Ok(bake) => bake,
        Err(error) => {
            let tiled = tiles(256, config).bake(soup);
            assert!(tiled.is_err(), "{name}: untiled fails with {error}, tiled does not");
            return;
        }
    };
    let expected = bytes(&untiled);
    let shuffled = shuffled(soup, 7);
    for (&(tile_cells, threads), soup) in tilings.iter().zip([soup, &shuffled].into_iter().cycle()) {
        // Little memory: triangles are spilled and tiles wait for each other.
        let config = config.clone().with_threads(threads).with_max_memory_bytes(1 << 20);
        let tiled = tiles(tile_cells, config)
            .bake_observed(soup, &mut ())
            .expect("what bakes untiled bakes in tiles");
        assert_eq!(figures(&tiled.report), figures(&untiled.report), "{name}, tiles of {tile_cells}");
        assert_eq!(tiled.report.counts, untiled.report.counts, "{name}, tiles of {tile_cells}");
        assert_eq!(tiled.report.islands, untiled.report.islands, "{name}, tiles of {tile_cells}");
        assert!(bytes(&tiled) == expected, "{name}: other bytes with tiles of {tile_cells}");
    }
}

/// Levels of every kind: ramps, terrain, many storeys, caves, thin walls.
#[test]
fn real_levels_give_the_same_bytes() {
    for (file, cell_size) in [
        ("golden/Meshes/nav_test.obj", 0.3),
        ("golden/Meshes/dungeon.obj", 0.2),
        ("golden/Meshes/undulating.obj", 0.3),
        ("gazebo/parking_garage.glb", 0.4),
        ("aws_hospital/hospital_three_floors_collision.glb", 0.3),
        ("stk_cave/cave.glb", 0.5),
    ] {
        let Some(path) = levels::find(file) else { continue };
        let soup = waymesh::io::load(path).expect("a level");
        tiles_leave_no_trace(file, &soup, cell_size, &TILINGS);
    }
}

/// The level with boxes of 1.5 m on its ground.
fn with_boxes(level: &TriangleSoup, boxes: &[Vec3]) -> TriangleSoup {
    let (mut positions, mut triangles) = (level.positions().to_vec(), level.triangles().to_vec());
    for &low in boxes {
        let first = u32::try_from(positions.len()).expect("few vertices");
        positions.extend((0..8_u8).map(|bits| {
            let side = |axis: u8| f32::from(bits >> axis & 1) * 1.5;
            low + Vec3::new(side(0), side(1), side(2))
        }));
        let faces: [[u32; 4]; 6] =
            [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        let halves = |[a, b, c, d]: [u32; 4]| [[a, c, b], [a, d, c]];
        triangles.extend(faces.into_iter().flat_map(halves).map(|corners| corners.map(|at| first + at)));
    }
    TriangleSoup::new(positions, triangles).expect("vertices of all triangles")
}

/// Objects come, move and go, settings change, and an update is cancelled: each update gives the
/// bytes of a whole bake, and builds the tiles that the change reaches alone.
#[test]
fn an_update_gives_the_mesh_of_a_whole_bake() {
    /// Cancels after this number of tiles.
    struct Impatient(u64);
    impl Observer for Impatient {
        fn progress(&mut self, _done: u64, _total: u64) {
            self.0 = self.0.saturating_sub(1);
        }
        fn is_cancelled(&mut self) -> bool {
            self.0 == 0
        }
    }
    let level = Scene::CityBlock.build(&SceneConfig::default().with_scale(2));
    let middle = (level.bounds().min + level.bounds().max) / 2.0;
    let at = |x: f32, z: f32| Vec3::new(middle.x + x, level.bounds().min.y, middle.z + z);
    let folder = tempfile::tempdir().expect("a folder");
    let voxels = Voxels::default().with_tile_cells(48).with_folder(folder.path());
    let update = |config: BakeConfig| Baker::new(voxels.clone().with_update(true), config);
    let wide = || config().with_agent(config().agent.with_radius(0.9));
    let [a, b, c] = [at(0.0, 0.0), at(-20.0, 11.0), at(25.0, -8.0)];
    let states: [(&[Vec3], BakeConfig); 8] = [
        (&[], config()),
        (&[a], config()),
        (&[b], config()),
        (&[b, c], config()),
        (&[b, c], wide()),
        (&[b, a], wide()),
        (&[b, a], config()),
        (&[], config()),
    ];
    let mut before: Option<BakeConfig> = None;
    for (round, (boxes, config)) in states.into_iter().enumerate() {
        let soup = with_boxes(&level, boxes);
        if let Some(before) = &before {
            let plain = Baker::new(voxels.clone(), config.clone());
            let error = plain.bake(&soup).expect_err("tiles of an earlier state").to_string();
            assert!(error.contains("--update"), "{error}");
            if round % 2 == 0 {
                let stopped = update(config.clone()).bake_observed(&soup, &mut Impatient(5));
                assert!(matches!(stopped, Err(BakeError::Cancelled(_))), "{round}");
                if round % 4 == 0 {
                    // Another state in between.
                    drop(update(before.clone()).bake_observed(&with_boxes(&level, &[c]), &mut Impatient(9)));
                }
            }
        }
        let updated = update(config.clone()).bake_observed(&soup, &mut ()).expect("an update");
        let whole = Baker::voxels().with_config(config.clone()).bake_observed(&soup, &mut ()).expect("bakes");
        assert!(bytes(&updated) == bytes(&whole), "round {round}");
        let kept = updated.report.counts.get("tiles_resumed").copied().unwrap_or(0);
        let built = updated.report.tiles - kept;
        let is_other = before.as_ref().is_none_or(|before| before.agent != config.agent);
        // Two objects, each over a corner of four tiles with their surroundings.
        assert!(
            if is_other { round % 2 == 0 || kept == 0 } else { built <= 18 },
            "round {round}: {built} built"
        );
        assert_eq!(updated.report.counts.get("tiles_damaged"), None);
        let merged = Baker::new(Voxels::default(), config.clone()).merge_tiles(folder.path(), None, &mut ());
        assert!(bytes(&merged.expect("whole tiles")) == bytes(&whole), "round {round}");
        let again = Baker::new(voxels.clone(), config.clone()).bake_observed(&soup, &mut ()).expect("bakes");
        assert_eq!(again.report.counts["tiles_resumed"], again.report.tiles);
        before = Some(config);
    }
    let error = Baker::new(Voxels::default().with_update(true), config()).bake(&level);
    assert!(error.expect_err("no folder").to_string().contains("update"));
}

/// Every level there is, so small that its grid has at most this many cells along a side.
#[test]
fn every_real_level_gives_the_same_bytes() {
    const MOST_CELLS: f32 = 100.0;
    let is_scene = |file: &Path| waymesh::io::SceneFormat::from_extension(file).is_some();
    for level in levels::all(is_scene) {
        let soup = waymesh::io::load(&level.file).expect("a level");
        let bounds = soup.bounds();
        let size = (bounds.max - bounds.min) * level.unit.unwrap_or(1.0);
        let factor = size.x.max(size.z).max(size.y / 4.0) / (MOST_CELLS * 0.3);
        let scale = level.unit.unwrap_or(1.0) / factor.max(1.0);
        let positions = soup.positions().iter().map(|position| *position * scale).collect();
        let soup = TriangleSoup::new(positions, soup.triangles().to_vec()).expect("as many vertices");
        tiles_leave_no_trace(&level.name, &soup, 0.3, &TILINGS[..2]);
    }
}

/// A bake reuses the tiles of a killed one, and rebuilds damaged ones.
#[test]
fn a_bake_goes_on_where_it_was_stopped() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let expected =
        bytes(&Baker::voxels().with_config(config()).bake_observed(&soup, &mut ()).expect("bakes"));
    let folder = tempfile::tempdir().expect("a folder");
    let tiles = Voxels::default().with_tile_cells(64).with_folder(folder.path()).with_note("a note");
    let baker = Baker::new(tiles, config());
    let first = baker.bake_observed(&soup, &mut ()).expect("bakes");
    assert!(bytes(&first) == expected);
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .collect();
    files.sort();
    assert_eq!(files.len() as u64, first.report.tiles);
    for round in 0..3 {
        // Some are gone, some are cut short, some have a bit flipped.
        for (index, file) in files.iter().enumerate().filter(|(index, _)| index % 4 == round) {
            let content = std::fs::read(file).expect("a tile");
            match index % 3 {
                0 => std::fs::remove_file(file).expect("gone"),
                1 => std::fs::write(file, &content[..content.len() / 2]).expect("cut"),
                _ => {
                    let mut content = content;
                    let place = content.len() * 2 / 3;
                    content[place] ^= 8;
                    std::fs::write(file, content).expect("damaged");
                }
            }
        }
        let again = baker.bake_observed(&soup, &mut ()).expect("goes on");
        assert!(bytes(&again) == expected, "round {round}");
        assert!(again.report.counts["tiles_resumed"] >= files.len() as u64 / 2);
        assert!(
            again.report.warnings.iter().any(|warning| warning.contains("damaged")),
            "{:?}",
            again.report.warnings
        );
    }
    // The folder belongs to this scene and these settings.
    let other = baker.with_config(config().with_scale(0.25, 0.2)).bake(&soup);
    let error = other.expect_err("other settings");
    assert!(error.to_string().contains("another scene or of other settings"), "{error}");
    assert_eq!(waymesh::front::tile_note(folder.path(), Duration::ZERO, &mut ()).expect("a note"), "a note");
}

/// Tiles built one by one, each as if on another machine, join to the same mesh.
#[test]
fn tiles_built_alone_are_merged() {
    let soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let expected =
        bytes(&Baker::voxels().with_config(config()).bake_observed(&soup, &mut ()).expect("bakes"));
    let folder = tempfile::tempdir().expect("a folder");
    let baker = Baker::new(Voxels::default().with_tile_cells(32).with_folder(folder.path()), config());
    let error = baker.merge_tiles(folder.path(), None, &mut ()).expect_err("nothing there");
    assert!(error.to_string().contains("not a folder of waymesh tiles"), "{error}");
    let mut columns_rows = [0, 0];
    for row in 0..100 {
        for column in 0..100 {
            let tile = waymesh::tile::Tile { row, column };
            match baker.bake_tile(&soup, tile, &mut ()) {
                Ok(_) => {}
                Err(BakeError::Tile(TileError::NoSuchTile { columns, rows, .. })) => {
                    columns_rows = [columns, rows];
                    break;
                }
                Err(error) => panic!("tile {tile}: {error}"),
            }
        }
        if row + 1 == columns_rows[1] {
            break;
        }
        let error = baker.merge_tiles(folder.path(), None, &mut ()).expect_err("rows are missing");
        assert!(error.to_string().contains("missing or damaged"), "{error}");
    }
    let merged = baker.merge_tiles(folder.path(), None, &mut ()).expect("all are there");
    assert!(bytes(&merged) == expected);
    assert_eq!(merged.report.triangles, soup.triangles().len() as u64);
    let error = Baker::voxels().bake_tile(&soup, waymesh::tile::Tile::default(), &mut ());
    assert!(matches!(error, Err(BakeError::Tile(TileError::NoFolder))));
}

/// Any number of workers builds the tiles of one machine, and the merge reads them as they come.
#[test]
fn any_number_of_workers_bakes_the_same_bytes() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let expected =
        bytes(&Baker::voxels().with_config(config()).bake_observed(&soup, &mut ()).expect("bakes"));
    let baker = |folder: &Path| {
        Baker::new(Voxels::default().with_tile_cells(64).with_folder(folder), config().with_threads(1))
    };
    for of in [1, 2, 5, 1000] {
        let folder = tempfile::tempdir().expect("a folder");
        let baker = baker(folder.path());
        let manifest = baker.manifest(&soup).expect("a manifest");
        let tiles = manifest.tiles.len();
        assert!(tiles > 5 && tiles < 1000 && manifest.tiles.iter().all(|tile| !tile.is_done));
        let patient = Voxels::default().with_patience(std::time::Duration::from_secs(60));
        let merged = std::thread::scope(|scope| {
            let merge = scope.spawn(|| {
                let merger = Baker::new(patient, config());
                merger.merge_tiles(folder.path(), None, &mut ())
            });
            let mut built = Vec::new();
            // Workers without a tile run as well.
            for index in (0..of).rev().filter(|index| (*index as usize) < tiles + 3) {
                built.extend(baker.bake_share(&soup, index, of, &mut ()).expect("a share"));
            }
            built.sort();
            built.dedup();
            assert_eq!(built.len(), tiles, "{of} workers");
            merge.join().expect("no panic").expect("all tiles come")
        });
        assert!(bytes(&merged) == expected, "{of} workers");
        let done = baker.manifest(&soup).expect("a manifest");
        assert!(done.tiles.iter().all(|tile| tile.is_done));
        assert_eq!(done.fingerprint, manifest.fingerprint);

        // A worker that runs again builds what it lost and nothing else.
        let lost = folder.path().join(&manifest.tiles[0].file);
        std::fs::remove_file(&lost).expect("gone");
        let kept = folder.path().join(&manifest.tiles[tiles - 1].file);
        let before = kept.metadata().and_then(|data| data.modified()).expect("a time");
        baker.bake_share(&soup, 0, of, &mut ()).expect("a share");
        assert!(lost.exists());
        assert_eq!(kept.metadata().and_then(|data| data.modified()).expect("a time"), before);
    }
    let error = Baker::voxels().bake_share(&soup, 0, 1, &mut ()).expect_err("no folder");
    assert!(matches!(error, BakeError::Tile(TileError::NoFolder)), "{error}");
    let folder = tempfile::tempdir().expect("a folder");
    let error = baker(folder.path()).bake_share(&soup, 5, 5, &mut ()).expect_err("no such index");
    assert!(error.to_string().contains("index 5 of 5"), "{error}");
}

/// A merge names what is missing, and takes no tile of another scene, version or settings.
#[test]
fn a_merge_refuses_tiles_by_name() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let tiles = |folder: &Path| Voxels::default().with_tile_cells(64).with_folder(folder);
    let baker = Baker::new(tiles(folder.path()), config());
    baker.bake_share(&soup, 0, 1, &mut ()).expect("tiles");
    let files: Vec<String> =
        baker.manifest(&soup).expect("a manifest").tiles.into_iter().map(|tile| tile.file).collect();
    let refused = |what: &str| {
        let error = baker.merge_tiles(folder.path(), None, &mut ()).expect_err(what);
        error.to_string()
    };
    std::fs::remove_file(folder.path().join("tile_1_0.bin")).expect("gone");
    std::fs::write(folder.path().join("tile_0_1.bin"), b"WAYTILE\x01nonsense").expect("damaged");
    let error = refused("two tiles are missing");
    assert!(error.contains(&format!("2 of {} tiles", files.len())), "{error}");
    assert!(error.ends_with(": 1,0 0,1"), "{error}");

    // A merge with other settings, though there is no scene to compare.
    for other in [
        config().with_agent(config().agent.with_radius(0.3)),
        config().with_max_ledge(1.5),
        config().with_scale(0.3, 0.1),
        config().with_height_classes([2.0, 3.0]),
        config().with_marks(vec![Mark::new(
            MarkShape::Cylinder { base: Vec3::ZERO, radius: 1.0, height: 1.0 },
            AreaId(2),
        )]),
    ] {
        let merger = Baker::voxels().with_config(other.with_validate_stages(false));
        let error = merger.merge_tiles(folder.path(), None, &mut ()).expect_err("other settings").to_string();
        assert!(error.contains("of other settings") && error.contains("give the scene"), "{error}");
    }

    // A tile of other settings, then of another layout of tiles.
    Baker::new(tiles(other.path()), config().with_scale(0.3, 0.1))
        .bake_share(&soup, 0, 1, &mut ())
        .expect("tiles");
    let [here, there] = [&folder, &other].map(|folder| folder.path().join("tile_1_0.bin"));
    std::fs::copy(&there, &here).expect("a copy");
    let error = refused("a tile of another bake");
    assert!(error.contains("tile_1_0.bin") && error.contains("of other settings"), "{error}");
    let mut bytes = std::fs::read(&there).expect("a tile");
    bytes[7] = 9;
    std::fs::write(&here, bytes).expect("a tile");
    assert!(refused("another version").contains("tiles of layout 9"));

    // A folder that another version began.
    let manifest = folder.path().join("bake.txt");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, text.replace("\nwaymesh ", "\nwaymesh 99.")).expect("a manifest");
    assert!(refused("another version").contains("waymesh 99."));
    let error = baker.bake(&soup).expect_err("another version").to_string();
    assert!(error.contains("waymesh 99."), "{error}");
}

/// Triangles that are not a soup, as those of a file that is too large to be kept; the first are
/// found by their place, as those of a height map.
struct Streamed {
    whole: TriangleSoup,
    others: TriangleSoup,
    patch: Option<Arc<Patch>>,
}

#[derive(Debug)]
struct Patch(TriangleSoup);

impl Streamed {
    fn new(whole: &TriangleSoup, placed: usize) -> Self {
        let part = |range: std::ops::Range<usize>| {
            let areas = range.clone().map(|triangle| whole.area(triangle)).collect();
            let part = TriangleSoup::new(whole.positions().to_vec(), whole.triangles()[range].to_vec());
            part.and_then(|part| part.with_areas(areas)).expect("a part of a soup")
        };
        let patch = (placed > 0).then(|| Arc::new(Patch(part(0..placed))));
        Self { whole: whole.clone(), others: part(placed..whole.triangles().len()), patch }
    }
}

impl TriangleSource for Streamed {
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        self.whole.visit(visit)
    }

    fn visit_with_areas(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        self.whole.visit_with_areas(visit)
    }

    fn placed(&self) -> Vec<Arc<dyn PlacedTriangles>> {
        self.patch.iter().map(|patch| Arc::clone(patch) as Arc<dyn PlacedTriangles>).collect()
    }

    fn visit_others(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        self.others.visit_with_areas(visit)
    }
}

impl PlacedTriangles for Patch {
    fn bounds(&self) -> Bounds {
        self.0.bounds()
    }

    fn visit_in(&self, place: &Bounds, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        self.0.finite_with_areas().try_for_each(|triangle| {
            let Bounds { min, max } = Bounds::of(triangle.corners);
            let meets = |axis: usize| min[axis] <= place.max[axis] && max[axis] >= place.min[axis];
            if meets(0) && meets(2) { visit(&[triangle.corners], &[triangle.area]) } else { Ok(()) }
        })
    }

    fn count_in(&self, _: &Bounds) -> usize {
        self.0.triangles().len()
    }
}

/// A source is read into memory where tiles cannot be used, and for storeys and slices.
#[test]
fn every_source_gives_the_bytes_of_a_soup() {
    const MUD: AreaId = AreaId(3);
    let mut soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let high = soup.bounds().max.y + 5.0;
    let corners = [[0.0, 0.0], [0.0, 9.0], [9.0, 9.0], [9.0, 0.0]].map(|[x, z]| Vec3::new(x, high, z));
    soup.append_area(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], MUD).expect("four corners");
    let count = soup.triangles().len();
    let sources = [0, count / 2, count - 1, count].map(|placed| Streamed::new(&soup, placed));
    fn same<F: FrontEnd<Input = dyn TriangleSource>>(
        baker: &Baker<F>,
        soup: &TriangleSoup,
        sources: &[Streamed],
    ) {
        let bake =
            |source: &(dyn TriangleSource + 'static)| baker.bake_observed(source, &mut ()).expect("a bake");
        let whole = bake(soup);
        for streamed in sources {
            let (streamed, placed) = (bake(streamed), streamed.patch.is_some());
            let name = format!("{}, {:?}, {placed}", F::NAME, baker.config().partition);
            assert_eq!(figures(&streamed.report), figures(&whole.report), "{name}");
            assert!(bytes(&streamed) == bytes(&whole), "{name}");
            assert!(whole.mesh.polygons().any(|polygon| polygon.area_id() == MUD), "{name}");
        }
    }
    for partition in [PartitionKind::Surfaces, PartitionKind::Watershed] {
        same(&Baker::voxels().with_config(config().with_partition(partition)), &soup, &sources);
    }
    same(&tiles(16, config()), &soup, &sources);
    same(&Baker::storeys(), &soup, &sources);
    same(&Baker::slices().cell_size(0.2).level_height(0.05), &soup, &sources);
}

#[test]
fn what_cannot_be_tiled_says_so() {
    let soup = Scene::SpiralStairs.build(&SceneConfig::default());
    let watershed = tiles(256, config().with_partition(PartitionKind::Watershed));
    let error = watershed.bake(&soup).expect_err("watershed");
    assert!(error.to_string().contains("partition cannot be used with tiles"), "{error}");
    let replaced = tiles(256, config()).with_trace(waymesh::contour::BorderWalk);
    assert!(matches!(
        replaced.bake(&soup),
        Err(BakeError::OptionNotSupported { option: "with_trace", front_end: "tiles", .. })
    ));
    let error = tiles(256, config()).bake(&TriangleSoup::default());
    assert!(matches!(error, Err(BakeError::NoTriangles { .. })));
}

/// Broken scenes lose nothing in tiles that they keep untiled.
#[test]
fn broken_scenes_give_the_same_bytes() {
    for scene in [Scene::OverlappingStoreys, Scene::SpiralStairs, Scene::DungeonRooms] {
        tiles_leave_no_trace(scene.name(), &scene.broken(3), 0.3, &TILINGS);
    }
}

#[test]
fn generated_scenes_give_the_same_bytes() {
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        tiles_leave_no_trace(scene.name(), &soup, 0.3, &TILINGS);
    }
}

/// Records whether a bake switched to tiles for its memory.
#[derive(Default)]
struct Heard(usize);

impl Observer for Heard {
    fn warn(&mut self, warning: Warning) {
        self.0 += usize::from(matches!(warning, Warning::Tiled { .. }));
    }
}

#[test]
fn a_bake_takes_tiles_where_memory_may_not_hold_all() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let run = |memory_bytes: u64, partition: PartitionKind| {
        let config =
            config().with_scale(0.1, 0.1).with_max_memory_bytes(memory_bytes).with_partition(partition);
        let mut heard = Heard::default();
        (Baker::voxels().with_config(config).bake_observed(&soup, &mut heard), heard.0)
    };
    let (whole, told) = run(1 << 30, PartitionKind::Surfaces);
    let whole = whole.expect("it fits");
    assert_eq!((whole.report.tiles, told), (1, 0));
    assert_eq!(whole.report.memory_limit_bytes, Some(1 << 30));
    for memory_bytes in [0, 1, 1 << 20] {
        let (tiled, told) = run(memory_bytes, PartitionKind::Surfaces);
        let tiled = tiled.expect("tiles need no more than one of them");
        assert!(tiled.report.tiles > 1 && told == 1, "{} tiles, told {told} times", tiled.report.tiles);
        assert_eq!(bytes(&tiled), bytes(&whole));
    }
    // Watershed regions cannot be built part by part: the limit is that of the heightfield then.
    let (refused, told) = run(1 << 20, PartitionKind::Watershed);
    let error = refused.expect_err("no memory").to_string();
    assert!(error.contains("1 MiB are allowed") && told == 0, "{error}");
}

/// Ground that is fitted over windows of the field is that fitted over the field as a whole.
#[test]
fn windows_do_not_show_in_the_ground() {
    use waymesh::core::{FieldWindow, GridWindow, LabelledWindow};
    use waymesh::detail::{DetailConfig, WindowConfig, fit_heights, fit_heights_windowed};
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        let stages = Baker::voxels().with_config(config()).bake_stages(&soup, &mut ()).expect("bakes");
        let detail = DetailConfig::default().with_max_error_levels(0.5);
        let whole = fit_heights(&stages.field, &stages.regions, &stages.polygons, &detail, &mut ());
        let whole = whole.expect("a surface");
        assert!(whole.triangles.len() >= stages.polygons.polygons.len(), "{}", scene.name());
        let frame = stages.field.frame;
        let all = LabelledWindow {
            part: FieldWindow::whole(stages.field.clone()),
            regions: stages.regions.clone(),
        };
        let source = |window: GridWindow| Ok(LabelledWindow::assemble(frame, window, &[&all]));
        for (columns, at_once) in [(1 << 12, 1), (1 << 10, 2), (1 << 30, 1)] {
            let windows = WindowConfig::default().with_window_columns(columns).with_windows_at_once(at_once);
            let found = fit_heights_windowed(&stages.polygons, &source, &detail, &windows, &mut ());
            assert_eq!(found.expect("a surface"), whole, "{}, windows of {columns}", scene.name());
        }
    }
}

#[test]
fn workers_that_share_nothing_bake_the_same_bytes() {
    let soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let jumps = waymesh::JumpConfig::default().with_max_length(2.0);
    let config = config().with_jumps(jumps);
    let untiled = Baker::voxels().with_config(config.clone()).bake_observed(&soup, &mut ()).expect("a bake");
    let worker = |soup: &TriangleSoup, tile_cells| {
        let baker = tiles(tile_cells, config.clone());
        baker.apart(soup, &mut ()).expect("a worker")
    };
    let workers = [(); 3].map(|()| worker(&soup, 32));
    let tiles: Vec<_> = workers[0].layout().tiles().collect();
    assert!(tiles.len() > 4);
    let mut built: Vec<Vec<u8>> = tiles
        .iter()
        .enumerate()
        .map(|(index, &tile)| workers[index % 3].bake(tile).expect("a tile"))
        .collect();
    built.reverse();
    for merger in &workers {
        let merged = merger.merge(built.clone(), Some(&soup), &mut ()).expect("a merge");
        assert!(bytes(&merged) == bytes(&untiled));
        assert_eq!(figures(&merged.report), figures(&untiled.report));
    }
    let refused = |tiles: Vec<Vec<u8>>, source: Option<&TriangleSoup>| {
        let source = source.map(|source| -> &dyn TriangleSource { source });
        workers[0].merge(tiles, source, &mut ()).expect_err("refused").to_string()
    };
    assert!(refused(built[1..].to_vec(), Some(&soup)).contains("is missing or damaged"));
    assert!(refused(built.clone(), None).contains("tiles hold no triangles"));
    let mut damaged = built.clone();
    *damaged[0].last_mut().expect("bytes") ^= 1;
    assert!(refused(damaged, Some(&soup)).contains("checksum is wrong"));
    let foreign = worker(&soup, 48).bake(tiles[0]).expect("a tile");
    built[0] = foreign;
    assert!(refused(built, Some(&soup)).contains("of other settings"));
    let none = waymesh::tile::Tile { row: 9999, column: 0 };
    assert!(matches!(workers[0].bake(none), Err(BakeError::Tile(TileError::NoSuchTile { .. }))));
}

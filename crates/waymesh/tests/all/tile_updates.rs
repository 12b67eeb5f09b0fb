//! Updates of folders of tiles: the bytes of a whole bake, whatever came before.

use std::path::Path;

use glam::Vec3;
use waymesh::core::{Bounds, Observer, Random};
use waymesh::voxel::Mark;
use waymesh::{AreaId, Bake, BakeConfig, BakeError, Baker, JumpConfig, TriangleSoup, Voxels};
use waymesh_scenes::{Scene, SceneConfig};

/// Cells along a side of a tile.
const TILE_CELLS: u32 = 48;
/// Boxes of a scene.
const MOST_BOXES: u32 = 12;

fn bytes(bake: &Bake) -> Vec<u8> {
    let mut bytes = Vec::new();
    waymesh::io::write_wmesh(&bake.mesh, &mut bytes).expect("memory takes everything");
    bytes
}

/// A box of some size in its area, somewhere over the level.
#[derive(Clone, Copy)]
struct Block {
    bounds: Bounds,
    area: AreaId,
}

impl Block {
    fn random(random: &mut Random, level: &Bounds) -> Self {
        let side = |random: &mut Random| random.range(0.3, 3.0);
        let at = |random: &mut Random, low: f32, high: f32| random.range(low, high);
        let min = Vec3::new(
            at(random, level.min.x, level.max.x),
            level.min.y + random.range(-0.5, 2.0),
            at(random, level.min.z, level.max.z),
        );
        let max = (min + Vec3::new(side(random), random.range(0.1, 2.0), side(random))).min(level.max);
        let area = if random.chance(0.3) { AreaId(3) } else { AreaId::GROUND };
        Self { bounds: Bounds { min, max: max.max(min + 0.05) }, area }
    }
}

fn scene(level: &TriangleSoup, blocks: &[Block]) -> TriangleSoup {
    let mut soup = level.clone();
    for Block { bounds: Bounds { min, max }, area } in blocks {
        let corner = |bits: usize| {
            let axis = |axis: usize| if bits >> axis & 1 == 0 { min[axis] } else { max[axis] };
            Vec3::new(axis(0), axis(1), axis(2))
        };
        let faces: [[u32; 4]; 6] =
            [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        let halves = |[a, b, c, d]: [u32; 4]| [[a, c, b], [a, d, c]];
        let triangles = faces.into_iter().flat_map(halves).collect();
        soup.append_area((0..8).map(corner).collect(), triangles, *area).expect("vertices of all triangles");
    }
    soup
}

fn random_config(random: &mut Random, level: &Bounds) -> BakeConfig {
    let mut config = BakeConfig::default().with_scale(0.25, 0.1).with_validate_stages(true);
    if random.chance(0.3) {
        config = config.with_max_ledge(1.4);
    }
    if random.chance(0.2) {
        config = config.with_jumps(JumpConfig::default());
    }
    if random.chance(0.3) {
        config = config.with_min_region(random.range(0.0, 30.0));
    }
    if random.chance(0.3) {
        config = config.with_max_edge_error(random.range(0.1, 1.0));
    }
    if random.chance(0.3) {
        config = config.with_max_height_error_levels(random.range(0.2, 2.0));
    }
    if random.chance(0.2) {
        config = config.with_height_detail(false);
    }
    if random.chance(0.3) {
        config = config.with_marks(vec![Mark::new(Block::random(random, level).bounds, AreaId(5))]);
    }
    if random.chance(0.2) {
        let agent = config.agent.with_radius(random.range(0.2, 0.9));
        config = config.with_agent(agent);
    }
    config
}

/// Damages a file of the folder, or takes it away.
fn damage(random: &mut Random, file: &Path) {
    let Ok(mut bytes) = std::fs::read(file) else { return };
    match random.below(5) {
        0 => std::fs::remove_file(file).expect("a file"),
        1 => std::fs::write(file, &bytes[..random.index(bytes.len())]).expect("a file"),
        2 => std::fs::write(file, b"").expect("a file"),
        3 => std::fs::write(file, [bytes.as_slice(), b"more"].concat()).expect("a file"),
        _ => {
            for _ in 0..=random.below(4) {
                let at = random.index(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            std::fs::write(file, bytes).expect("a file");
        }
    }
}

/// Tiles whose borders were traced, polygons whose heights were fitted group by group.
#[derive(Default)]
struct Steps {
    stage: &'static str,
    traced: u64,
    cancel_after: Option<u64>,
}

impl Observer for Steps {
    fn stage_started(&mut self, stage: &'static str) {
        self.stage = stage;
    }
    fn progress(&mut self, _done: u64, total: u64) {
        if self.stage == "trace" {
            self.traced = total;
        }
        self.cancel_after = self.cancel_after.map(|left| left.saturating_sub(1));
    }
    fn is_cancelled(&mut self) -> bool {
        self.cancel_after == Some(0)
    }
}

/// Blocks come, move and go, in areas, with marks, links and other settings; updates are cancelled,
/// and files are damaged or come from an earlier state.
#[test]
fn random_updates_give_the_bytes_of_whole_bakes() {
    let rounds = if cfg!(debug_assertions) { 12 } else { 60 };
    let level = Scene::CityBlock.build(&SceneConfig::default());
    let bounds = level.bounds();
    for seed in 0..2 {
        let random = &mut Random::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("joined.cache");
        let voxels =
            Voxels::default().with_tile_cells(TILE_CELLS).with_folder(folder.path()).with_update(true);
        let mut blocks: Vec<Block> = (0..6).map(|_| Block::random(random, &bounds)).collect();
        let mut config = random_config(random, &bounds);
        let mut earlier: Option<Vec<u8>> = None;
        for round in 0..rounds {
            match random.below(3) {
                0 if blocks.len() < MOST_BOXES as usize => blocks.push(Block::random(random, &bounds)),
                1 if !blocks.is_empty() => drop(blocks.swap_remove(random.index(blocks.len()))),
                _ if !blocks.is_empty() => {
                    let at = random.index(blocks.len());
                    blocks[at] = Block::random(random, &bounds);
                }
                _ => {}
            }
            if random.chance(0.3) {
                config = random_config(random, &bounds);
            }
            if random.chance(0.3) {
                damage(random, &file);
            }
            if let Some(earlier) = earlier.as_ref().filter(|_| random.chance(0.2)) {
                std::fs::write(&file, earlier).expect("a file");
            }
            if random.chance(0.2) {
                damage(random, &folder.path().join("tile_1_1.bin"));
            }
            let soup = scene(&level, &blocks);
            let update = Baker::new(voxels.clone(), config.clone());
            if random.chance(0.3) {
                let mut steps =
                    Steps { cancel_after: Some(1 + u64::from(random.below(40))), ..Steps::default() };
                let stopped = update.bake_observed(&soup, &mut steps);
                assert!(matches!(stopped, Ok(_) | Err(BakeError::Cancelled(_))), "round {round}");
            }
            let whole = Baker::voxels().with_config(config.clone()).bake_observed(&soup, &mut ());
            let whole = bytes(&whole.expect("bakes"));
            let updated = update.bake_observed(&soup, &mut ()).expect("an update");
            assert!(bytes(&updated) == whole, "seed {seed}, round {round}");
            // Nothing is traced or written again.
            let before = std::fs::read(&file).expect("a file");
            let mut steps = Steps::default();
            let again = update.bake_observed(&soup, &mut steps).expect("an update");
            assert!(bytes(&again) == whole && steps.traced == 0, "seed {seed}, round {round}");
            assert!(std::fs::read(&file).expect("a file") == before);
            earlier = Some(before).filter(|_| random.chance(0.5)).or(earlier);
        }
    }
}

/// A moved block: borders are traced in the tiles that it reaches and those around them alone.
#[test]
fn an_update_traces_what_changed() {
    let level = Scene::CityBlock.build(&SceneConfig::default().with_scale(2));
    let middle = (level.bounds().min + level.bounds().max) / 2.0;
    let block = |x: f32| {
        let min = Vec3::new(middle.x + x, level.bounds().min.y, middle.z);
        Block { bounds: Bounds { min, max: min + 1.5 }, area: AreaId::GROUND }
    };
    let folder = tempfile::tempdir().expect("a folder");
    let voxels = Voxels::default().with_tile_cells(TILE_CELLS).with_folder(folder.path()).with_update(true);
    let baker = Baker::new(voxels, BakeConfig::default().with_scale(0.25, 0.1));
    let traced = |x: f32| {
        let mut steps = Steps::default();
        let bake = baker.bake_observed(&scene(&level, &[block(x)]), &mut steps).expect("a bake");
        (steps.traced, bake.report.tiles)
    };
    let (first, tiles) = traced(0.0);
    assert_eq!(first, tiles);
    let (moved, _) = traced(2.0);
    // Up to four tiles before and four after, side by side, and those around them.
    assert!(0 < moved && moved <= 36 && moved < tiles / 2, "{moved} of {tiles}");
}

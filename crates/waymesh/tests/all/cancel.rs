//! An observer, or its token, ends a bake.

use std::path::Path;

use waymesh::bake::FrontEnd;
use waymesh::core::{CancelToken, Cancelled};
use waymesh::floorplan::{EXAMPLE, PlanFormat, ReadOptions, parse_plan};
use waymesh::{BakeError, Baker, Enclosed, JumpConfig, Observer, PlanWorld, QueryScratch, Voxels, World};
use waymesh_scenes::{Scene, SceneConfig};

/// Cancels as soon as this many stages were finished.
#[derive(Default)]
struct Patience {
    stages_left: u32,
    finished: u32,
}

impl Observer for Patience {
    fn stage_finished(&mut self, _stage: &'static str, _seconds: f64) {
        self.finished += 1;
        self.stages_left = self.stages_left.saturating_sub(1);
    }

    fn is_cancelled(&mut self) -> bool {
        self.stages_left == 0
    }
}

/// A baker of tiles.
fn tiles(tile_cells: u32) -> Baker<Voxels> {
    Baker::voxels().with_front(Voxels::default().with_tile_cells(tile_cells))
}

/// Cancels after every stage once, and once not at all.
fn cancel_everywhere<F: FrontEnd>(baker: &Baker<F>, input: &F::Input) {
    let mut counter = Patience { stages_left: u32::MAX, finished: 0 };
    baker.bake_observed(input, &mut counter).expect("nobody cancels");
    assert!(counter.finished >= 5, "{}", counter.finished);
    for stages in 0..=counter.finished {
        let mut patience = Patience { stages_left: stages, finished: 0 };
        let error = baker.bake_observed(input, &mut patience).expect_err("it was cancelled");
        assert!(matches!(error, BakeError::Cancelled(_)), "{}: {stages}: {error}", F::NAME);
        assert_eq!(error.to_string(), "the bake was cancelled");
        // Slices have stages within one.
        assert!((stages..counter.finished.max(stages + 1)).contains(&patience.finished), "{}", F::NAME);
    }
}

#[test]
fn every_front_end_ends_where_the_observer_asks() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    cancel_everywhere(&Baker::voxels(), &soup);
    cancel_everywhere(&Baker::storeys(), &soup);
    cancel_everywhere(&Baker::slices(), &soup);
    cancel_everywhere(&tiles(256), &soup);
    let plan = parse_plan("example.toml", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default());
    cancel_everywhere(&Baker::plans(), &plan.expect("the example is a plan"));
}

/// Cancels after the first tile.
#[derive(Default)]
struct OneTile(bool);

impl Observer for OneTile {
    fn progress(&mut self, _done: u64, total: u64) {
        self.0 = total > 1;
    }

    fn is_cancelled(&mut self) -> bool {
        self.0
    }
}

#[test]
fn finished_tiles_of_a_cancelled_bake_are_kept() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let folder = tempfile::tempdir().expect("a folder");
    let baker = Baker::voxels();
    let threads = baker.config().clone().with_threads(1);
    let front = Voxels::default().with_tile_cells(64).with_folder(folder.path());
    let baker = baker.with_config(threads).with_front(front);
    let error = baker.bake_observed(&soup, &mut OneTile::default()).expect_err("it was cancelled");
    assert!(matches!(error, BakeError::Cancelled(_)), "{error}");
    let is_tile = |name: &Path| name.extension().is_some_and(|ending| ending == "bin");
    let kept = std::fs::read_dir(folder.path()).expect("a folder");
    assert_eq!(kept.filter(|file| is_tile(&file.as_ref().expect("a file").path())).count(), 1);
    let resumed = baker.bake_observed(&soup, &mut ()).expect("it goes on");
    assert_eq!(resumed.report.counts.get("tiles_resumed"), Some(&1));
    assert_eq!(resumed.mesh, Baker::voxels().bake(&soup).expect("a bake"));
}

#[test]
fn a_cancelled_update_of_a_world_changes_nothing() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let mut world = World::new(Baker::voxels(), &soup.bounds(), 48).expect("a world");
    world.add_triangles(&soup, &mut ()).expect("triangles");
    let error = world.update(&mut OneTile::default()).expect_err("it was cancelled");
    assert!(matches!(error, BakeError::Cancelled(_)), "{error}");
    assert!(world.is_dirty() && world.handle().mesh().polygon_count() == 0);
    world.update(&mut ()).expect("an update");
    assert!(world.handle().mesh().polygon_count() > 0);
}

/// Ends a bake at one of its checkpoints, and counts those of each stage.
#[derive(Default)]
struct AtCheckpoint {
    token: CancelToken,
    stages: Vec<(&'static str, u64)>,
}

impl AtCheckpoint {
    fn number(number: u64) -> Self {
        Self { token: CancelToken::after(number), stages: Vec::new() }
    }

    /// Counts and never ends.
    fn never() -> Self {
        Self::number(u64::MAX)
    }

    fn passed(&self) -> u64 {
        u64::MAX - self.token.checkpoints_left().expect("they are counted")
    }

    /// Checkpoints within the stages of this name.
    fn within(&self, stage: &str) -> u64 {
        self.stages.iter().filter(|(name, _)| *name == stage).map(|(_, passed)| passed).sum()
    }
}

impl Observer for AtCheckpoint {
    fn stage_started(&mut self, stage: &'static str) {
        self.stages.push((stage, self.token.checkpoints_left().expect("they are counted")));
    }

    fn stage_finished(&mut self, stage: &'static str, _seconds: f64) {
        let left = self.token.checkpoints_left().expect("they are counted");
        // Slices have stages within one.
        if let Some((_, begun)) = self.stages.iter_mut().rfind(|(name, _)| *name == stage) {
            *begun -= left;
        }
    }

    fn cancel_token(&self) -> CancelToken {
        self.token.clone()
    }
}

/// Ends a bake at checkpoints all over it; what it leaves behind does not show in the next bake.
fn cancel_at_checkpoints<F: FrontEnd>(baker: &Baker<F>, input: &F::Input) {
    let mut counter = AtCheckpoint::never();
    let expected = baker.bake_observed(input, &mut counter).expect("nobody cancels").mesh;
    let all = counter.passed();
    assert!(all > 100, "{}: {all} checkpoints", F::NAME);
    let mut at = vec![0, all / 3, all / 2, all - 1];
    at.extend(std::iter::successors(Some(1), |at| Some(at * 2)).take_while(|&at| at < all));
    for number in at {
        let mut observer = AtCheckpoint::number(number);
        let error = baker.bake_observed(input, &mut observer).expect_err("it was cancelled");
        assert!(matches!(error, BakeError::Cancelled(_)), "{} at {number} of {all}: {error}", F::NAME);
    }
    assert_eq!(
        baker.bake_observed(input, &mut AtCheckpoint::number(all)).expect("just enough").mesh,
        expected
    );
}

#[test]
fn every_front_end_ends_within_its_stages() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    fn one_thread<F: FrontEnd>(baker: Baker<F>) -> Baker<F> {
        let config = baker.config().clone().with_threads(1);
        baker.with_config(config)
    }
    cancel_at_checkpoints(&one_thread(Baker::voxels()), &soup);
    cancel_at_checkpoints(&one_thread(Baker::storeys()), &soup);
    cancel_at_checkpoints(&one_thread(Baker::slices()), &soup);
    cancel_at_checkpoints(&one_thread(tiles(32)), &soup);
    let plan = parse_plan("example.toml", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default());
    cancel_at_checkpoints(&one_thread(Baker::plans()), &plan.expect("the example is a plan"));
    // Settings of rare stages.
    let all = Baker::voxels().config().clone().with_threads(1).with_max_ledge(1.4);
    let all = all.with_jumps(JumpConfig::default()).with_enclosed(Enclosed::Remove);
    let soup = Scene::Terraces.build(&SceneConfig::default());
    cancel_at_checkpoints(&Baker::voxels().with_config(all.with_height_classes(vec![1.0, 2.0])), &soup);
}

/// With several threads, too: whoever meets the checkpoint first ends it for all.
#[test]
fn threads_end_together() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    for threads in [2, 4] {
        let baker = Baker::voxels();
        let config = baker.config().clone().with_threads(threads);
        cancel_at_checkpoints(&baker.with_config(config.clone()), &soup);
        let tiles = tiles(48).with_config(config);
        let mut counter = AtCheckpoint::never();
        tiles.bake_observed(&soup, &mut counter).expect("nobody cancels");
        for part in 1..8 {
            let mut observer = AtCheckpoint::number(counter.passed() * part / 8);
            let error = tiles.bake_observed(&soup, &mut observer).expect_err("it was cancelled");
            assert!(matches!(error, BakeError::Cancelled(_)), "{part}: {error}");
        }
    }
}

/// The work between two checkpoints does not grow with the scene.
#[test]
fn checkpoints_grow_with_the_work() {
    /// Most spans between two checkpoints; in the slowest of these stages, one takes about 0.1 us.
    const MAX_SPANS: u64 = 1 << 16;
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    for cell_size in [0.2, 0.1, 0.05] {
        let baker = Baker::voxels();
        let config = baker.config().clone().with_scale(cell_size, 0.1).with_threads(1);
        let mut observer = AtCheckpoint::never();
        let report = baker.with_config(config).bake_observed(&soup, &mut observer).expect("bakes").report;
        let rows = u64::from(report.grid.depth);
        assert!(observer.within("voxelize") >= rows && observer.within("field") >= rows);
        for stage in ["partition", "trace", "simplify", "triangulate", "decompose", "heights"] {
            let (passed, spans) = (observer.within(stage), report.walkable_spans);
            assert!(passed * MAX_SPANS >= spans, "{stage} at {cell_size}: {passed} for {spans} spans");
        }
    }
}

/// Another thread ends a bake that would take minutes.
#[test]
fn another_thread_ends_a_bake() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let baker = Baker::voxels();
    let config = baker.config().clone().with_scale(0.01, 0.01).with_max_memory_bytes(2 << 30);
    let baker = baker.with_config(config);
    let mut token = CancelToken::new();
    let error = std::thread::scope(|scope| {
        let canceller = token.clone();
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            canceller.cancel();
        });
        baker.bake_observed(&soup, &mut token).expect_err("it was cancelled")
    });
    assert!(matches!(error, BakeError::Cancelled(_)), "{error}");
}

#[test]
fn updates_of_worlds_end_within_their_stages() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let new_world = || {
        let baker = Baker::voxels();
        let config = baker.config().clone().with_threads(1);
        World::new(baker.with_config(config), &soup.bounds(), 48).expect("a world")
    };
    let mut world = new_world();
    world.add_triangles(&soup, &mut ()).expect("triangles");
    let mut counter = AtCheckpoint::never();
    world.update(&mut counter).expect("nobody cancels");
    let (all, expected) = (counter.passed(), world.handle().mesh());
    assert!(all > 100);

    let mut world = new_world();
    world.add_triangles(&soup, &mut ()).expect("triangles");
    for number in
        std::iter::successors(Some(1), |at| Some(at * 2)).take_while(|&at| at < all).chain([all - 1])
    {
        let error = world.update(&mut AtCheckpoint::number(number)).expect_err("it was cancelled");
        assert!(matches!(error, BakeError::Cancelled(_)), "{number} of {all}: {error}");
        assert!(world.is_dirty() && world.handle().mesh().polygon_count() == 0);
    }
    world.update(&mut ()).expect("an update");
    assert_eq!(*world.handle().mesh(), *expected);

    let plan = parse_plan("example.toml", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default());
    let plan = plan.expect("the example is a plan");
    let mut world = PlanWorld::new(Baker::plans_for(&plan), plan, 8.0).expect("a world");
    let mut counter = AtCheckpoint::number(40);
    let error = world.update(&mut counter).expect_err("it was cancelled");
    assert!(matches!(error, BakeError::Cancelled(_)), "{error}");
    assert!(world.is_dirty());
    world.update(&mut ()).expect("an update");
    assert!(world.handle().mesh().polygon_count() > 0);
}

#[test]
fn batches_of_paths_end_between_two() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let mesh = Baker::voxels().bake(&soup).expect("bakes");
    let islands = mesh.polygons().map(|polygon| polygon.positions().next().expect("a corner"));
    let ends: Vec<_> = islands.collect();
    let pairs: Vec<[_; 2]> =
        (0..200).map(|number| [ends[number % ends.len()], ends[number * 7 % ends.len()]]).collect();
    let (mut scratch, mut paths) = (QueryScratch::default(), Vec::new());
    mesh.query().memory(&mut scratch).paths_into(&pairs, &mut paths);
    let expected = paths.clone();
    let token = CancelToken::after(50);
    let mut find = || mesh.query().memory(&mut scratch).paths_into(&pairs, &mut paths);
    assert_eq!(token.run(&mut find), Err(Cancelled));
    // The scratch is as good as new.
    assert_eq!(CancelToken::after(u64::MAX).run(&mut find), Ok(()));
    assert_eq!(paths, expected);
}

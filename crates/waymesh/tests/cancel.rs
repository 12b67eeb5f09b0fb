//! An observer ends a bake.

use std::path::Path;

use waymesh::bake::FrontEnd;
use waymesh::floorplan::{EXAMPLE, PlanFormat, ReadOptions, parse_plan};
use waymesh::{BakeError, Baker, Observer, Tiles, TriangleSource, World};
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
    let source: &dyn TriangleSource = &soup;
    cancel_everywhere(&Baker::tiles(), source);
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
    let baker = Baker::tiles();
    let threads = baker.config().clone().with_threads(1);
    let front = Tiles::default().with_tile_cells(64).with_folder(folder.path());
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

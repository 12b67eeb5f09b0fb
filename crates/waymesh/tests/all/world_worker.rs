//! Worlds in threads of their own.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use glam::vec3;
use waymesh::convex::NotchPortals;
use waymesh::core::stage::{Decompose, StageError};
use waymesh::core::{PolyMesh, Random, Triangulation, threads};
use waymesh::tile::Tile;
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{
    AreaId, Baker, Bounds, MarkId, Observer, ObstacleId, TriangleSoup, WorkerConfig, WorkerError, World,
    WorldWorker,
};
use waymesh_scenes::{Scene, SceneConfig};

fn scene() -> TriangleSoup {
    Scene::OverlappingStoreys.build(&SceneConfig::default())
}

fn world(soup: &TriangleSoup) -> World {
    let mut world = World::new(Baker::voxels(), &soup.bounds(), 32).unwrap();
    world.add_triangles(soup, &mut ()).unwrap();
    world
}

/// A change of a world; obstacles and marks are named by the order in which they came.
#[derive(Clone)]
enum Change {
    Obstacle(MarkShape),
    Mark(MarkShape),
    RemoveObstacle(u64),
    RemoveMark(u64),
    RemoveTile(Tile),
    SetTile(Tile),
}

impl Change {
    fn random(random: &mut Random, bounds: &Bounds, tiles: &[Tile]) -> Self {
        let mut share = || random.unit();
        let at = bounds.min + (bounds.max - bounds.min) * vec3(share(), share(), share());
        let half = vec3(0.5 + share(), 3.0, 0.5 + share());
        let shape = MarkShape::Box { bounds: Bounds { min: at - half, max: at + half } };
        let tile = tiles[random.index(tiles.len())];
        let id = u64::from(random.below(4));
        match random.below(6) {
            0 => Self::Obstacle(shape),
            1 => Self::Mark(shape),
            2 => Self::RemoveObstacle(id),
            3 => Self::RemoveMark(id),
            4 => Self::RemoveTile(tile),
            _ => Self::SetTile(tile),
        }
    }

    fn make(self, world: &mut World, soup: &TriangleSoup) {
        match self {
            Self::Obstacle(shape) => drop(world.add_obstacle(Obstacle::solid(shape)).unwrap()),
            Self::Mark(shape) => drop(world.add_mark(Mark::new(shape, AreaId(4))).unwrap()),
            Self::RemoveObstacle(id) => drop(world.remove_obstacle(ObstacleId(id))),
            Self::RemoveMark(id) => drop(world.remove_mark(MarkId(id))),
            Self::RemoveTile(tile) => drop(world.remove_tile(tile)),
            Self::SetTile(tile) => world.set_tile(tile, soup).unwrap(),
        }
    }
}

#[test]
fn a_worker_makes_the_mesh_of_the_same_commands_given_to_the_world() {
    let soup = scene();
    for budget in [Duration::ZERO, Duration::from_millis(4), Duration::from_secs(1)] {
        let mut direct = world(&soup);
        let tiles: Vec<Tile> = direct.tiles().collect();
        let worker = WorldWorker::new(world(&soup), &WorkerConfig::default().with_budget(budget)).unwrap();
        let handle = worker.handle();
        let mut random = Random::new(2);
        for round in 0..40 {
            let change = Change::random(&mut random, &soup.bounds(), &tiles);
            change.clone().make(&mut direct, &soup);
            let its_soup = soup.clone();
            worker.enqueue(move |world| change.make(world, &its_soup)).unwrap();
            if round % 10 == 0 {
                direct.update(&mut ()).unwrap();
                worker.settle().unwrap();
                assert_eq!(*handle.mesh(), *direct.handle().mesh());
            }
        }
        direct.update(&mut ()).unwrap();
        let world = worker.finish().unwrap();
        assert_eq!(*handle.mesh(), *direct.handle().mesh());
        assert_eq!(*world.handle().mesh(), *direct.handle().mesh());
    }
}

#[test]
fn replies_come_when_commands_have_run() {
    let soup = scene();
    let worker = WorldWorker::new(world(&soup), &WorkerConfig::default()).unwrap();
    let (open, gate) = channel::<()>();
    let blocked = worker.enqueue(move |_| gate.recv().unwrap()).unwrap();
    let count = worker.enqueue(|world| world.tiles().count()).unwrap();
    assert!(blocked.try_take().unwrap().is_none() && count.try_take().unwrap().is_none());
    open.send(()).unwrap();
    assert_eq!(count.wait().unwrap(), world(&soup).tiles().count());
    blocked.wait().unwrap();
}

/// Every thread of the pool waits for an update that needs threads of the pool.
#[test]
fn threads_of_the_pool_may_wait_for_the_world() {
    let soup = scene();
    let config = WorkerConfig::default().with_budget(Duration::ZERO).with_queue(2);
    let worker = WorldWorker::new(world(&soup), &config).unwrap();
    let middle = (soup.bounds().min + soup.bounds().max) / 2.0;
    threads::on_each(|| {
        for _ in 0..5 {
            let shape = MarkShape::Box { bounds: Bounds { min: middle - 1.0, max: middle + 1.0 } };
            match worker.enqueue(move |world| world.add_obstacle(Obstacle::solid(shape))) {
                Ok(reply) => drop(reply.wait().unwrap().unwrap()),
                Err(WorkerError::QueueFull { .. }) => {}
                Err(error) => panic!("{error}"),
            }
            worker.settle().unwrap();
        }
    });
    let workers: Vec<_> = (0..2 * threads::count())
        .map(|_| WorldWorker::new(world(&soup), &config).unwrap())
        .chain([worker])
        .collect();
    threads::for_each(workers, |worker| {
        worker.enqueue(|world| world.remove_tile(Tile { row: 0, column: 0 })).unwrap();
        worker.finish().unwrap();
    });
}

#[test]
fn a_full_queue_is_an_error_and_not_a_wait() {
    let config = WorkerConfig::default().with_queue(3);
    let worker = WorldWorker::new(world(&scene()), &config).unwrap();
    let (open, gate) = channel::<()>();
    let (began, has_begun) = channel();
    let wait = move |_: &mut World| {
        began.send(()).unwrap();
        gate.recv().unwrap();
    };
    worker.enqueue(wait).unwrap();
    has_begun.recv().unwrap();
    for _ in 0..3 {
        worker.enqueue(|_| ()).unwrap();
    }
    assert!(matches!(worker.enqueue(|_| ()), Err(WorkerError::QueueFull { queue: 3 })));
    open.send(()).unwrap();
    worker.settle().unwrap();
    worker.enqueue(|_| ()).unwrap().wait().unwrap();
}

#[test]
fn a_queue_of_none_and_one_without_end_are_refused() {
    for queue in [0, usize::MAX] {
        let config = WorkerConfig::default().with_queue(queue);
        let error = WorldWorker::new(world(&scene()), &config).unwrap_err();
        assert!(matches!(error, WorkerError::Config(_)) && error.to_string().starts_with("queue"), "{error}");
    }
}

#[test]
fn a_thread_that_has_ended_is_told_from_one_that_works() {
    let soup = scene();
    let worker = WorldWorker::new(world(&soup), &WorkerConfig::default()).unwrap();
    worker.settle().unwrap();
    worker.enqueue(|world| world.remove_tile(Tile::default())).unwrap().wait().unwrap();
    worker.settle().unwrap();
    let before = worker.handle().mesh();
    let reply = worker.enqueue(|_| -> u32 { panic!("out of crates") }).unwrap();
    let error = reply.wait().unwrap_err();
    assert!(matches!(error, WorkerError::Ended { .. }), "{error}");
    let error = worker.settle().unwrap_err().to_string();
    assert!(error.contains("out of crates"), "{error}");
    assert!(matches!(worker.enqueue(|_| ()), Err(WorkerError::Ended { .. })));
    // Readers continue.
    assert_eq!(*worker.handle().mesh(), *before);
    assert!(matches!(worker.finish(), Err(WorkerError::Ended { .. })));
}

#[test]
fn a_dropped_worker_drops_what_waits() {
    let worker = WorldWorker::new(world(&scene()), &WorkerConfig::default()).unwrap();
    let handle = worker.handle();
    let (open, gate) = channel::<()>();
    let (began, has_begun) = channel();
    worker
        .enqueue(move |_| {
            began.send(()).unwrap();
            gate.recv().ok();
        })
        .unwrap();
    let never = worker.enqueue(|_| ()).unwrap();
    has_begun.recv().unwrap();
    let dropped = std::thread::spawn(move || drop(worker));
    std::thread::sleep(Duration::from_millis(50));
    assert!(!dropped.is_finished(), "it waits for the command that runs");
    drop(open);
    dropped.join().unwrap();
    assert!(matches!(never.wait(), Err(WorkerError::Ended { .. })));
    assert_eq!(handle.mesh().polygon_count(), 0, "no update was begun");
}

/// The default stage, or none while it is broken.
struct Broken(Arc<AtomicBool>);

impl Decompose for Broken {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        if self.0.load(Ordering::SeqCst) {
            return Err(StageError::new("broken", "it is broken"));
        }
        NotchPortals::default().decompose(triangulation, observer)
    }
}

#[test]
fn an_update_that_failed_is_an_error_until_it_succeeds() {
    let soup = scene();
    let is_broken = Arc::new(AtomicBool::new(true));
    let start = || {
        let baker = Baker::voxels().with_decompose(Broken(is_broken.clone()));
        let mut world = World::new(baker, &soup.bounds(), 32).unwrap();
        world.add_triangles(&soup, &mut ()).unwrap();
        let worker = WorldWorker::new(world, &WorkerConfig::default()).unwrap();
        assert!(matches!(worker.settle(), Err(WorkerError::Update(_))));
        worker
    };
    // Nobody made it good between.
    assert!(matches!(start().finish(), Err(WorkerError::Update(_))));
    let worker = start();
    assert!(matches!(worker.settle(), Err(WorkerError::Update(_))));
    is_broken.store(false, Ordering::SeqCst);
    let world = worker.finish().unwrap();
    assert!(!world.is_dirty() && world.handle().mesh().polygon_count() > 0);
}

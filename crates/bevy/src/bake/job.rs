//! A bake on another thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task, TaskPool, block_on};
use waymesh::core::CancelToken;
use waymesh::{Bake, BakeError, Baker, NavMesh, Observer, Report, TriangleSoup, Warning, WorldUpdate};

use super::gather::Snapshot;
use super::settings::{FrontEnd, NavMeshBaker};
use super::state::{BakeProgress, SourceProblem};
use super::world::BakedWorld;

/// A bake that runs. It is cancelled when it is dropped.
#[derive(Debug)]
pub(super) struct Job {
    task: Task<Done>,
    shared: Arc<Shared>,
    told: BakeProgress,
}

/// State shared by the frame and the bake.
#[derive(Debug)]
struct Shared {
    token: CancelToken,
    progress: Mutex<BakeProgress>,
}

impl Shared {
    fn progress(&self) -> MutexGuard<'_, BakeProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a job.
#[derive(Debug)]
pub(super) struct Done {
    /// The world, whatever became of its update.
    pub(super) world: Option<Box<BakedWorld>>,
    pub(super) result: Result<Baked, BakeError>,
    pub(super) seconds: f64,
    pub(super) warnings: Vec<Warning>,
    pub(super) problems: Vec<SourceProblem>,
}

#[derive(Debug)]
pub(super) struct Baked {
    pub(super) mesh: Arc<NavMesh>,
    pub(super) report: Option<Report>,
    pub(super) update: Option<WorldUpdate>,
}

impl Job {
    pub(super) fn start(baker: NavMeshBaker, snapshot: Snapshot, world: Option<Box<BakedWorld>>) -> Self {
        // The default token is one that nobody cancels.
        let shared = Arc::new(Shared { token: CancelToken::new(), progress: Mutex::default() });
        let watch = shared.clone();
        let pool = AsyncComputeTaskPool::get_or_init(TaskPool::default);
        let task = pool.spawn(async move {
            let start = Instant::now();
            let mut observer = Watch { shared: watch, warnings: Vec::new() };
            let mut done = run(baker, snapshot, world, &mut observer);
            done.seconds = start.elapsed().as_secs_f64();
            done.warnings = observer.warnings;
            done
        });
        Self { task, shared, told: BakeProgress::default() }
    }

    pub(super) fn cancel(&self) {
        self.shared.token.cancel();
    }

    /// Returns its result if it has ended.
    pub(super) fn poll(&mut self) -> Option<Done> {
        check_ready(&mut self.task)
    }

    /// Waits until it has ended.
    pub(super) fn wait(mut self) -> Done {
        block_on(&mut self.task)
    }

    /// Returns its progress if that has changed since the last call.
    pub(super) fn news(&mut self) -> Option<BakeProgress> {
        let progress = *self.shared.progress();
        let is_new = progress != self.told;
        self.told = progress;
        is_new.then_some(progress)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Notes what the bake reports.
struct Watch {
    shared: Arc<Shared>,
    warnings: Vec<Warning>,
}

impl Observer for Watch {
    fn stage_started(&mut self, stage: &'static str) {
        let mut progress = self.shared.progress();
        *progress = BakeProgress { stage, stages: progress.stages, ..BakeProgress::default() };
    }

    fn progress(&mut self, done: u64, total: u64) {
        let mut progress = self.shared.progress();
        (progress.done, progress.total) = (done, total);
    }

    fn stage_finished(&mut self, _stage: &'static str, _seconds: f64) {
        self.shared.progress().stages += 1;
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    fn cancel_token(&self) -> CancelToken {
        self.shared.token.clone()
    }
}

fn run(
    baker: NavMeshBaker,
    mut snapshot: Snapshot,
    world: Option<Box<BakedWorld>>,
    observer: &mut dyn Observer,
) -> Done {
    let mut problems = std::mem::take(&mut snapshot.problems);
    let mut kept = None;
    let result = if let FrontEnd::World { .. } = baker.front {
        BakedWorld::renew(world, &baker, &snapshot).and_then(|mut world| {
            let updated = world.update(&snapshot, &mut problems, observer);
            kept = Some(world);
            updated
        })
    } else {
        whole(baker, &snapshot, &mut problems, observer)
    };
    Done { world: kept, result, seconds: 0.0, warnings: Vec::new(), problems }
}

/// Bakes the whole level at once.
fn whole(
    baker: NavMeshBaker,
    snapshot: &Snapshot,
    problems: &mut Vec<SourceProblem>,
    observer: &mut dyn Observer,
) -> Result<Baked, BakeError> {
    let mut soup = TriangleSoup::default();
    snapshot.append_to(&mut soup)?;
    let mut config = baker.config;
    for area in &snapshot.areas {
        match area.mark() {
            Ok(mark) => config.marks.push(mark),
            Err(error) => problems.push(area.problem(error)),
        }
    }
    let Bake { mesh, report, .. } = match baker.front {
        FrontEnd::World { .. } => Baker::voxels().with_config(config).bake_observed(&soup, observer)?,
        FrontEnd::Voxels(voxels) => Baker::new(voxels, config).bake_observed(&soup, observer)?,
        FrontEnd::Storeys(storeys) => Baker::new(storeys, config).bake_observed(&soup, observer)?,
        FrontEnd::Slices(slices) => Baker::new(slices, config).bake_observed(&soup, observer)?,
    };
    Ok(Baked { mesh: Arc::new(mesh), report: Some(report), update: None })
}

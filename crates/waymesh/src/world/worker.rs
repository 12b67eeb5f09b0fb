//! A world on a separate thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvError, SendError, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thiserror::Error;
use waymesh_core::{BadField, CancelToken, Observer, setters, threads};

use super::{MeshHandle, World};
use crate::bake::{BakeError, ConfigError};

/// Settings of a [`WorldWorker`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerConfig {
    /// Time during which commands run, one after the other, before the world is updated with the
    /// finished ones; later commands wait. Default 4 ms. Zero: an update after every command.
    pub budget: Duration,
    /// Capacity of the queue, from 1 to 2^20; allocated at once. Default 1024.
    pub queue: usize,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self { budget: Duration::from_millis(4), queue: 1024 }
    }
}

setters! {
    impl WorkerConfig {
        with_budget(budget: Duration);
        with_queue(queue: usize);
    }
}

/// More wait for minutes.
const MOST_QUEUED: usize = 1 << 20;

impl WorkerConfig {
    /// Checks that all settings are in their ranges.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn validate(&self) -> Result<(), BadField> {
        let is_fine = (1..=MOST_QUEUED).contains(&self.queue);
        BadField::unless(is_fine, "queue", self.queue as f64, "from 1 to 1048576")
    }
}

/// An entry of the queue.
type Command = Box<dyn FnOnce(&mut Work) + Send>;

/// Errors of a [`WorldWorker`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// A setting is out of its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The thread could not be started.
    #[error("cannot start a thread for the world: {0}")]
    Start(std::io::Error),
    /// The thread does not run any more.
    #[error("the thread of the world has ended: {reason}")]
    Ended {
        /// The reason.
        reason: String,
    },
    /// More commands wait than may.
    #[error("{queue} commands wait for the world, which is the limit")]
    QueueFull {
        /// The limit, [`WorkerConfig::queue`].
        queue: usize,
    },
    /// The update failed.
    #[error(transparent)]
    Update(#[from] BakeError),
}

/// A [`World`] on a separate thread, which runs commands in the order in which they came and
/// updates the world when none is left, or the budget is spent.
///
/// # Guarantees
/// - No call waits for the world, but [`Reply::wait`], [`WorldWorker::settle`] and
///   [`WorldWorker::finish`]. Queries take the newest mesh from [`WorldWorker::handle`].
/// - Threads of a rayon pool that wait do tasks of the pool meanwhile, as the update may need them.
///   A command that waits for another one waits for ever.
/// - The mesh is the result of these commands on the world itself.
/// - When the thread has ended, by a panic in a command, every call says so:
///   [`WorkerError::Ended`].
/// - Dropped, it cancels the update that runs, drops the commands that wait, and waits for its
///   thread.
///
/// ```
/// use waymesh::{Baker, Bounds, World, WorkerConfig, WorldWorker};
/// use waymesh::voxel::{MarkShape, Obstacle};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let world = World::new(Baker::voxels(), &soup.bounds(), 48)?;
/// let worker = WorldWorker::new(world, &WorkerConfig::default())?;
/// let handle = worker.handle();
/// worker.enqueue(move |world| world.add_triangles(&soup, &mut ()))?.wait()??;
/// let shape = MarkShape::Box { bounds: Bounds { min: glam::vec3(4.0, -1.0, 4.0), max: glam::vec3(6.0, 2.0, 6.0) } };
/// let door = worker.enqueue(|world| world.add_obstacle(Obstacle::solid(shape)))?;
/// // Frames continue with the current mesh. At some time:
/// worker.settle()?;
/// let closed = handle.mesh().area();
/// let door = door.wait()??;
/// worker.enqueue(move |world| world.remove_obstacle(door))?;
/// let world = worker.finish()?;
/// assert!(world.handle().mesh().area() > closed);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct WorldWorker {
    /// Taken when it ends.
    queue: Option<SyncSender<Command>>,
    limit: usize,
    handle: MeshHandle,
    stop: CancelToken,
    /// Why the thread ended, if it did by itself.
    reason: Arc<Mutex<String>>,
    thread: Option<JoinHandle<Option<Ended>>>,
}

/// The result of a thread: the world, or the error of its last update.
type Ended = Result<World, BakeError>;

/// The future result of a command.
#[derive(Debug)]
pub struct Reply<T> {
    from: Receiver<T>,
    reason: Arc<Mutex<String>>,
}

impl<T> Reply<T> {
    /// Waits for the command.
    ///
    /// # Errors
    /// [`WorkerError::Ended`] if it will never run, or panicked.
    pub fn wait(self) -> Result<T, WorkerError> {
        receive(&self.from).map_err(|_| ended(&self.reason))
    }

    /// Returns what the command returned, once; `None` as long as it has not run.
    ///
    /// # Errors
    /// [`WorkerError::Ended`] if it will never run, panicked, or the value was taken before.
    pub fn try_take(&self) -> Result<Option<T>, WorkerError> {
        match self.from.try_recv() {
            Ok(value) => Ok(Some(value)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(ended(&self.reason)),
        }
    }
}

fn ended(reason: &Mutex<String>) -> WorkerError {
    WorkerError::Ended { reason: reason.lock().unwrap_or_else(PoisonError::into_inner).clone() }
}

impl WorldWorker {
    /// Moves a world to a new thread.
    ///
    /// # Errors
    /// [`WorkerError::Config`] if a setting is out of its range, [`WorkerError::Start`] if the
    /// system gives no thread.
    pub fn new(world: World, config: &WorkerConfig) -> Result<Self, WorkerError> {
        config.validate().map_err(ConfigError::from)?;
        let (queue, waiting) = sync_channel(config.queue);
        let (handle, stop, budget) = (world.handle(), CancelToken::new(), config.budget);
        let reason = Arc::new(Mutex::new("it was stopped".to_owned()));
        let (token, panicked) = (stop.clone(), reason.clone());
        let run = move || {
            let settling = Vec::new();
            let mut work = Work { world, waiting, budget, stop: token, settling };
            // Waiting callers get the reply after the reason is stored.
            match catch_unwind(AssertUnwindSafe(|| work.run())) {
                Ok(updated) => Some(updated.map(|()| work.world)),
                Err(panic) => {
                    note(&panicked, panic.as_ref());
                    None
                }
            }
        };
        let builder = std::thread::Builder::new().name("waymesh world".to_owned());
        let thread = builder.spawn(run).map_err(WorkerError::Start)?;
        Ok(Self { queue: Some(queue), limit: config.queue, handle, stop, reason, thread: Some(thread) })
    }

    /// The newest mesh, now and later, for any number of threads.
    #[must_use]
    pub fn handle(&self) -> MeshHandle {
        self.handle.clone()
    }

    /// Puts a command into the queue: any change of the world, with a result. The world is updated
    /// afterwards by itself. The reply may be dropped.
    ///
    /// # Errors
    /// [`WorkerError::QueueFull`] if as many commands wait as may; [`WorkerError::Ended`]. The
    /// command is dropped then.
    pub fn enqueue<T: Send + 'static>(
        &self,
        command: impl FnOnce(&mut World) -> T + Send + 'static,
    ) -> Result<Reply<T>, WorkerError> {
        let (to, from) = sync_channel(1);
        let reason = self.reason.clone();
        let run = move |work: &mut Work| match catch_unwind(AssertUnwindSafe(|| command(&mut work.world))) {
            // Nobody may want to know.
            Ok(value) => drop(to.send(value)),
            Err(panic) => {
                note(&reason, panic.as_ref());
                drop(to);
                resume_unwind(panic);
            }
        };
        match self.queue.as_ref().map(|queue| queue.try_send(Box::new(run))) {
            Some(Ok(())) => Ok(Reply { from, reason: self.reason.clone() }),
            Some(Err(TrySendError::Full(_))) => Err(WorkerError::QueueFull { queue: self.limit }),
            Some(Err(TrySendError::Disconnected(_))) | None => Err(ended(&self.reason)),
        }
    }

    /// Waits until the mesh shows all commands that were put into the queue before.
    ///
    /// # Errors
    /// Those of the update, see [`World::update`]: the mesh is the one before.
    /// [`WorkerError::Ended`].
    pub fn settle(&self) -> Result<(), WorkerError> {
        let (to, from) = sync_channel(1);
        let queue = self.queue.as_ref().ok_or_else(|| ended(&self.reason))?;
        put(queue, Box::new(|work| work.settling.push(to))).map_err(|_| ended(&self.reason))?;
        Ok(receive(&from).map_err(|_| ended(&self.reason))??)
    }

    /// Waits for all commands in the queue, ends the thread and returns the world, updated.
    ///
    /// # Errors
    /// Those of the last update; [`WorkerError::Ended`] if the thread had ended. The world is lost
    /// then.
    pub fn finish(mut self) -> Result<World, WorkerError> {
        self.queue = None;
        let ended_with = self.thread.take().and_then(join);
        Ok(ended_with.ok_or_else(|| ended(&self.reason))??)
    }
}

impl Drop for WorldWorker {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            self.stop.cancel();
            join(thread);
        }
    }
}

fn receive<T>(from: &Receiver<T>) -> Result<T, RecvError> {
    let look = || match from.try_recv() {
        Ok(value) => Some(Ok(value)),
        Err(TryRecvError::Empty) => None,
        Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
    };
    threads::help_until(look).unwrap_or_else(|| from.recv())
}

fn put(queue: &SyncSender<Command>, command: Command) -> Result<(), SendError<Command>> {
    let mut waiting = Some(command);
    let look = || match queue.try_send(waiting.take()?) {
        Err(TrySendError::Full(command)) => {
            waiting = Some(command);
            None
        }
        Err(TrySendError::Disconnected(command)) => Some(Err(SendError(command))),
        Ok(()) => Some(Ok(())),
    };
    threads::help_until(look).unwrap_or_else(|| waiting.map_or(Ok(()), |command| queue.send(command)))
}

fn join(thread: JoinHandle<Option<Ended>>) -> Option<Ended> {
    threads::help_until(|| thread.is_finished().then_some(()));
    thread.join().ok().flatten()
}

/// Notes what a panic says.
fn note(reason: &Mutex<String>, panic: &(dyn Any + Send)) {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = format!("a command or an update panicked: {}", text.unwrap_or("without a word"));
    *reason.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// Ends updates when the worker is dropped.
struct Stoppable(CancelToken);

impl Observer for Stoppable {
    fn cancel_token(&self) -> CancelToken {
        self.0.clone()
    }
}

/// The loop of the thread.
struct Work {
    world: World,
    waiting: Receiver<Command>,
    budget: Duration,
    stop: CancelToken,
    /// Callers that wait for the next update.
    settling: Vec<SyncSender<Result<(), BakeError>>>,
}

impl Work {
    fn update(&mut self) -> Result<(), BakeError> {
        if self.world.is_dirty() {
            self.world.update(&mut Stoppable(self.stop.clone()))?;
        }
        Ok(())
    }

    /// Runs commands until the queue is closed. Returns the result of the last update.
    fn run(&mut self) -> Result<(), BakeError> {
        while let Ok(first) = self.waiting.recv() {
            let start = Instant::now();
            let mut next = Some(first);
            while let Some(command) = next.take() {
                if self.stop.is_cancelled() {
                    return Ok(());
                }
                command(self);
                if start.elapsed() < self.budget {
                    next = self.waiting.try_recv().ok();
                }
            }
            // Errors are not copied: a second caller that waits has the update tried again.
            let mut updated = Some(self.update());
            for to in std::mem::take(&mut self.settling) {
                let _ = to.send(updated.take().unwrap_or_else(|| self.update()));
            }
        }
        // An update that failed is tried once more.
        self.update()
    }
}

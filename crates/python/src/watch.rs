//! Runs a bake on a separate thread, while the thread of Python calls the callback and checks for
//! signals.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use waymesh::Observer;
use waymesh::core::{CancelToken, Cancelled};

use crate::errors::{IntoPy, Kind};
use crate::pool::pool;

/// Longest time until a signal or a token is seen: a person does not notice it.
const POLL: Duration = Duration::from_millis(20);
/// Shortest time between two calls of the callback within a stage.
const PACE: Duration = Duration::from_millis(20);

/// Argument of the callback: a stage, and the part of it that is done.
struct Event {
    stage: &'static str,
    done: f64,
}

/// Sends what happens to the thread of Python.
struct Reporter {
    /// None where nobody listens.
    events: Option<Sender<Event>>,
    token: CancelToken,
    stage: &'static str,
    last: Instant,
}

impl Reporter {
    fn send(&mut self, done: f64) {
        self.last = Instant::now();
        if let Some(events) = &self.events {
            // Nobody listens any more only when the bake is cancelled.
            let _ = events.send(Event { stage: self.stage, done });
        }
    }
}

impl Observer for Reporter {
    fn stage_started(&mut self, stage: &'static str) {
        self.stage = stage;
        self.send(0.0);
    }

    fn progress(&mut self, done: u64, total: u64) {
        if self.last.elapsed() >= PACE && done < total {
            self.send(done as f64 / total as f64);
        }
    }

    fn stage_finished(&mut self, stage: &'static str, _seconds: f64) {
        self.stage = stage;
        self.send(1.0);
    }

    fn cancel_token(&self) -> CancelToken {
        self.token.clone()
    }
}

#[doc = doc!("CancelToken")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "CancelToken")]
#[derive(Debug)]
pub(crate) struct PyCancelToken(CancelToken);

#[pymethods]
impl PyCancelToken {
    #[new]
    fn new() -> Self {
        Self(CancelToken::new())
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let (py, blocks) = (slf.py(), blocks(slf.py())?);
        let within = blocks.call_method0("get")?.add(PyTuple::new(py, [slf])?)?;
        blocks.call_method1("set", (within,))?;
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        let blocks = blocks(py)?;
        let within = blocks.call_method0("get")?.cast_into::<PyTuple>()?;
        blocks.call_method1("set", (within.get_slice(0, within.len().saturating_sub(1)),))?;
        Ok(())
    }

    #[doc = doc!("CancelToken.cancel")]
    fn cancel(&self) {
        self.0.cancel();
    }

    #[doc = doc!("CancelToken.is_cancelled")]
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// The tokens of the `with` blocks that the calling code is in: a variable of its context, which
/// tasks of asyncio have of their own and `asyncio.to_thread` passes on.
fn blocks(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static BLOCKS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = || -> PyResult<_> {
        let named = pyo3::types::PyDict::new(py);
        named.set_item("default", PyTuple::empty(py))?;
        let make = py.import("contextvars")?.getattr("ContextVar")?;
        Ok(make.call(("waymesh_cancel",), Some(&named))?.unbind())
    };
    Ok(BLOCKS.get_or_try_init(py, make)?.bind(py))
}

/// Tokens that may end a call: its argument, and those of the `with` blocks around it.
struct Tokens(Vec<CancelToken>);

impl Tokens {
    fn of(py: Python<'_>, cancel: Option<&PyCancelToken>) -> PyResult<Self> {
        let within = blocks(py)?.call_method0("get")?.cast_into::<PyTuple>()?;
        let mut tokens: Vec<CancelToken> = cancel.map(|cancel| cancel.0.clone()).into_iter().collect();
        for token in within {
            tokens.push(token.cast::<PyCancelToken>()?.get().0.clone());
        }
        Ok(Self(tokens))
    }

    fn is_cancelled(&self) -> bool {
        self.0.iter().any(CancelToken::is_cancelled)
    }
}

#[doc = doc!("check_cancelled")]
#[pyfunction]
pub(crate) fn check_cancelled(py: Python<'_>) -> PyResult<()> {
    if Tokens::of(py, None)?.is_cancelled() { Err(Kind::Cancelled.error(Cancelled)) } else { Ok(()) }
}

/// Runs `bake` without the interpreter's lock. A signal, an error of the callback or the token ends
/// it within the stage that it is in, and is raised then.
pub(crate) fn watched<T: Send, E: IntoPy + Send>(
    py: Python<'_>,
    told: (Option<&Bound<'_, PyAny>>, Option<&PyCancelToken>),
    bake: impl FnOnce(&mut dyn Observer) -> Result<T, E> + Send,
) -> PyResult<T> {
    watched_with(py, told, &Mutex::new(()), |(), observer| bake(observer))
}

/// [`watched`], with what a mutex guards. It is locked outside of the pool: a thread of the pool
/// that waits for its tasks runs those of others, and would wait for a lock that it holds itself.
pub(crate) fn watched_with<S: Send, T: Send, E: IntoPy + Send>(
    py: Python<'_>,
    (progress, cancel): (Option<&Bound<'_, PyAny>>, Option<&PyCancelToken>),
    state: &Mutex<S>,
    bake: impl FnOnce(&mut S, &mut dyn Observer) -> Result<T, E> + Send,
) -> PyResult<T> {
    let callback = progress.map(|callback| callback.clone().unbind());
    let pool = pool(py)?;
    // Its own: a signal ends this bake, not all that the caller's token is for.
    let token = CancelToken::new();
    let cancel = Tokens::of(py, cancel)?;
    if cancel.is_cancelled() {
        token.cancel();
    }
    let (result, stop) = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            // The channel closes when the worker is done: then the wait ends.
            let events = callback.as_ref().map(|_| sender.clone());
            let mut reporter = Reporter { events, token: token.clone(), stage: "", last: Instant::now() };
            let worker = scope.spawn(move || {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                let state = &mut *state;
                let result = pool.install(|| bake(state, &mut reporter));
                drop(sender);
                result
            });
            let (mut stop, mut looked) = (None, Instant::now());
            loop {
                let event = match receiver.recv_timeout(POLL) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if cancel.is_cancelled() {
                    token.cancel();
                }
                if stop.is_some() || (event.is_none() && looked.elapsed() < POLL / 2) {
                    continue;
                }
                looked = Instant::now();
                let answer = Python::attach(|py| {
                    py.check_signals()?;
                    match (&callback, event) {
                        (Some(callback), Some(Event { stage, done })) => {
                            callback.call1(py, (stage, done)).map(|_| ())
                        }
                        _ => Ok(()),
                    }
                });
                if let Err(error) = answer {
                    token.cancel();
                    stop = Some(error);
                }
            }
            (worker.join(), stop)
        })
    });
    match (stop, result) {
        (Some(stop), _) => Err(stop),
        (None, Ok(result)) => result.map_err(IntoPy::into_py),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}

/// Runs `work` in the pool without the interpreter's lock. A signal ends it at its next checkpoint
/// and is raised then.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    detached_told(py, Told::default(), 0, |_: &Done| work())
}

/// Arguments of a call: the callback with the name of the stage, and the token.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told<'a, 'py> {
    pub(crate) progress: Option<(&'a Bound<'py, PyAny>, &'static str)>,
    pub(crate) cancel: Option<&'a PyCancelToken>,
}

impl<'a, 'py> Told<'a, 'py> {
    /// The arguments of a call whose stage has this name.
    pub(crate) fn of(
        stage: &'static str,
        progress: Option<&'a Bound<'py, PyAny>>,
        cancel: &'a Option<PyRef<'_, PyCancelToken>>,
    ) -> Self {
        Self { progress: progress.map(|call| (call, stage)), cancel: cancel.as_deref() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.progress.is_none() && self.cancel.is_none()
    }
}

/// Count of the items that are done; none without a callback.
pub(crate) struct Done(Option<AtomicUsize>);

impl Done {
    #[inline]
    pub(crate) fn add(&self, count: usize) {
        if let Some(done) = &self.0 {
            done.fetch_add(count, Ordering::Relaxed);
        }
    }
}

/// [`detached`], which a token of the caller's ends as well, and which reports the part of `total`
/// items that is done, every 20 ms: nothing but the beginning and the end without items.
pub(crate) fn detached_told<T: Send>(
    py: Python<'_>,
    told: Told<'_, '_>,
    total: usize,
    work: impl FnOnce(&Done) -> T + Send,
) -> PyResult<T> {
    let cancel = Tokens::of(py, told.cancel)?;
    let callback = told.progress.map(|(callback, stage)| (callback.clone().unbind(), stage));
    let report = |py: Python<'_>, part: f64| match &callback {
        Some((callback, stage)) => callback.call1(py, (*stage, part)).map(drop),
        None => Ok(()),
    };
    let done = Done(callback.as_ref().map(|_| AtomicUsize::new(0)));
    let part = || match &done.0 {
        Some(done) if total > 0 => done.load(Ordering::Relaxed) as f64 / total as f64,
        _ => 0.0,
    };
    let pool = pool(py)?;
    if cancel.is_cancelled() {
        return Err(Kind::Cancelled.error(Cancelled));
    }
    report(py, 0.0)?;
    let token = CancelToken::new();
    let (result, stop) = py.detach(|| {
        let (sender, receiver) = sync_channel(1);
        let mut stop = Ok(());
        let result = pool.in_place_scope(|scope| {
            let (token, done) = (&token, &done);
            scope.spawn(move |_| drop(sender.send(token.run(|| work(done)))));
            loop {
                match receiver.recv_timeout(POLL) {
                    Ok(result) => return Some(result),
                    // The work panicked: the scope passes that on.
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if stop.is_ok() => {
                        stop = Python::attach(|py| {
                            py.check_signals()?;
                            if callback.is_some() { report(py, part()) } else { Ok(()) }
                        });
                        if stop.is_err() || cancel.is_cancelled() {
                            token.cancel();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        });
        (result, stop)
    });
    stop?;
    match result {
        Some(Ok(result)) => {
            report(py, 1.0)?;
            Ok(result)
        }
        _ => Err(Kind::Cancelled.error(Cancelled)),
    }
}

/// Checkpoints of a query that runs on the thread of Python: some ten milliseconds.
const BRIEF_CHECKPOINTS: u64 = 8;

/// Runs a query without the interpreter's lock. One that is not over after some milliseconds begins
/// again as work that a signal ends ([`detached`]): a short one costs no switch of threads.
pub(crate) fn brief<T: Send>(py: Python<'_>, query: impl Fn() -> T + Send + Sync) -> PyResult<T> {
    match py.detach(|| CancelToken::after(BRIEF_CHECKPOINTS).run(&query)) {
        Ok(result) => Ok(result),
        Err(Cancelled) => detached(py, query),
    }
}

/// Checks for signals and tokens in loops of a thread that has given the interpreter's lock up.
pub(crate) struct Signals(Instant, Tokens);

impl Signals {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Self(Instant::now(), Tokens::of(py, None)?))
    }

    /// Raises a signal, or that the call was cancelled, if the last check is long ago.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.0.elapsed() < POLL {
            return Ok(());
        }
        self.0 = Instant::now();
        if self.1.is_cancelled() {
            return Err(Kind::Cancelled.error(Cancelled));
        }
        Python::attach(|py| py.check_signals())
    }
}

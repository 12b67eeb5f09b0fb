//! The threads of bakes and batches.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors::Kind;
use crate::input::Whole;

/// The pool, and the process that it belongs to.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Threads of the pool; 0 for one per core.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Returns the pool of this process. A process that was forked has none of its parent's threads and
/// gets a separate pool. The lock is held with the interpreter attached, and a fork is attached
/// too, so no fork finds it locked.
pub(crate) fn pool(_py: Python<'_>) -> PyResult<Arc<ThreadPool>> {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = &*kept
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(THREADS.load(Ordering::Relaxed));
    let pool = builder.thread_name(|number| format!("waymesh-{number}")).build();
    let pool = Arc::new(pool.map_err(|error| Kind::Bake.error(format!("cannot start threads: {error}")))?);
    // To drop the parent's pool would be to talk to threads that are not there.
    std::mem::forget(kept.replace((process, Arc::clone(&pool))));
    Ok(pool)
}

#[doc = doc!("set_threads")]
#[pyfunction]
pub(crate) fn set_threads(count: Whole<usize>) -> PyResult<()> {
    /// Most threads: more than any machine has cores.
    const MAX_THREADS: usize = 4096;
    let count = count.named("count")?;
    if count > MAX_THREADS {
        return Err(
            Kind::Config.error(format!("{count} threads; the limit is {MAX_THREADS}, 0 is one per core"))
        );
    }
    if THREADS.swap(count, Ordering::Relaxed) != count {
        match POOL.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Calls that run keep their pool until they end.
            Some((owner, pool)) if owner == std::process::id() => drop(pool),
            of_parent => std::mem::forget(of_parent),
        }
    }
    Ok(())
}

#[doc = doc!("threads")]
#[pyfunction]
pub(crate) fn threads(py: Python<'_>) -> PyResult<usize> {
    Ok(pool(py)?.current_num_threads())
}

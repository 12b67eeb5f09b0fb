//! The threads of bakes and batches.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors::Kind;

/// The pool, and the process that it belongs to.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

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
    let pool = rayon::ThreadPoolBuilder::new().thread_name(|number| format!("waymesh-{number}")).build();
    let pool = Arc::new(pool.map_err(|error| Kind::Bake.error(format!("cannot start threads: {error}")))?);
    // To drop the parent's pool would be to talk to threads that are not there.
    std::mem::forget(kept.replace((process, Arc::clone(&pool))));
    Ok(pool)
}

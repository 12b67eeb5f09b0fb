//! Cancellation of work from any thread.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use thiserror::Error;

/// The error of cancelled work: by [`CancelToken::cancel`], or by
/// [`Observer::is_cancelled`](crate::Observer::is_cancelled).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bake was cancelled")]
pub struct Cancelled;

/// A token that cancels work from another thread within milliseconds. Clones share one state.
///
/// A bake takes it from its observer, [`Observer::cancel_token`](crate::Observer::cancel_token);
/// the token is an observer itself. Any other work, such as a stage alone or a batch of queries,
/// runs under it in [`CancelToken::run`]. The work checks the token at every [`checkpoint`].
///
/// [`CancelToken::none`] never cancels anything.
///
/// ```
/// use waymesh_core::{CancelToken, Cancelled, checkpoint};
///
/// let token = CancelToken::new();
/// token.cancel();
/// let endless = || {
///     for _ in 0.. {
///         checkpoint();
///     }
/// };
/// assert_eq!(token.run(endless), Err(Cancelled));
/// ```
#[derive(Clone, Debug)]
pub struct CancelToken(Option<Arc<State>>);

impl Default for CancelToken {
    /// Returns [`CancelToken::new`].
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Debug)]
struct State {
    phase: AtomicU8,
    /// Checkpoints left before cancellation, in phase `COUNTING`.
    left: AtomicU64,
}

/// Phase of a token that is not cancelled.
const RUNNING: u8 = 0;
/// Phase of a cancelled token: work ends at its next checkpoint.
const CANCELLED: u8 = 1;
/// Phase of a token that is cancelled after a number of checkpoints.
const COUNTING: u8 = 2;

impl State {
    fn check(&self) -> bool {
        match self.phase.load(Ordering::Relaxed) {
            RUNNING => false,
            CANCELLED => true,
            _ => self.count(),
        }
    }

    #[cold]
    fn count(&self) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        let is_over = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err();
        if is_over {
            self.phase.store(CANCELLED, Ordering::Relaxed);
        }
        is_over
    }
}

thread_local! {
    static CURRENT: RefCell<CancelToken> = const { RefCell::new(CancelToken::none()) };
}

/// Panic payload of a checkpoint, caught by the [`CancelToken::run`] of this token.
struct Thrown(Arc<State>);

impl CancelToken {
    /// Returns a token that never cancels anything.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Returns a token that cancels nothing until [`CancelToken::cancel`].
    #[must_use]
    pub fn new() -> Self {
        Self::in_phase(RUNNING, 0)
    }

    /// Returns a token that cancels the work at its checkpoint number `checkpoints`, counted from 0
    /// over all threads. Used to test the state that a cancelled bake leaves.
    #[must_use]
    pub fn after(checkpoints: u64) -> Self {
        Self::in_phase(COUNTING, checkpoints)
    }

    fn in_phase(phase: u8, left: u64) -> Self {
        Self(Some(Arc::new(State { phase: AtomicU8::new(phase), left: AtomicU64::new(left) })))
    }

    /// Cancels the work under this token at its next checkpoint, and all later work.
    pub fn cancel(&self) {
        if let Some(state) = &self.0 {
            state.phase.store(CANCELLED, Ordering::Relaxed);
        }
    }

    /// Returns `true` after [`CancelToken::cancel`], or once the checkpoints of
    /// [`CancelToken::after`] have been passed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.phase.load(Ordering::Relaxed) == CANCELLED)
    }

    /// Returns the number of checkpoints left before a token of [`CancelToken::after`] cancels;
    /// `None` for any other token.
    #[must_use]
    pub fn checkpoints_left(&self) -> Option<u64> {
        let state = self.0.as_ref()?;
        (state.phase.load(Ordering::Relaxed) != RUNNING).then(|| state.left.load(Ordering::Relaxed))
    }

    /// Runs `work`, whose checkpoints check this token and no other: a thread of a pool may start
    /// this work while it waits for parts of other work.
    ///
    /// # Errors
    /// [`Cancelled`] if a checkpoint ended the work. Values that the work owned have been dropped.
    /// Data that it changed through references may be incomplete; the caller must discard it.
    ///
    /// # Cost
    /// Too small to measure: a checkpoint is one load of a thread-local variable and one of an
    /// atomic. Cancellation unwinds the stack, without a message and without the panic hook, so the
    /// work does not have to pass an error through all its functions (as in salsa,
    /// <https://docs.rs/salsa/latest/salsa/enum.Cancelled.html>). A program built with `panic =
    /// "abort"` has no checkpoints: its bakes end between two stages.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let _entered = self.enter();
        let Some(own) = self.0.as_ref().filter(|_| cfg!(panic = "unwind")) else { return Ok(work()) };
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Thrown>() {
            Ok(thrown) if Arc::ptr_eq(&thrown.0, own) => Cancelled,
            Ok(thrown) => resume_unwind(thrown),
            Err(panic) => resume_unwind(panic),
        })
    }

    /// Returns the token of this thread, to [`CancelToken::enter`] it on other threads.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Makes this the token of the thread until the returned guard is dropped. Tasks of a pool
    /// enter it first; closures use [`inherit_token`].
    pub fn enter(&self) -> Entered {
        Entered(CURRENT.replace(self.clone()))
    }
}

/// A guard that restores the previous token of the thread: see [`CancelToken::enter`].
#[derive(Debug)]
#[must_use = "the token is that of the thread until this is dropped"]
pub struct Entered(CancelToken);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(std::mem::replace(&mut self.0, CancelToken::none()));
    }
}

/// Wraps `work` so that it runs under the token of the current thread on any thread: for closures
/// that a pool calls.
///
/// ```
/// use waymesh_core::{CancelToken, Cancelled, checkpoint, inherit_token};
///
/// let token = CancelToken::new();
/// token.cancel();
/// let ended = token.run(|| {
///     let row = inherit_token(|row: u32| {
///         checkpoint();
///         row
///     });
///     (0..10).map(row).sum::<u32>()
/// });
/// assert_eq!(ended, Err(Cancelled));
/// ```
pub fn inherit_token<A, T>(work: impl Fn(A) -> T) -> impl Fn(A) -> T {
    let token = CancelToken::current();
    move |argument| {
        let _entered = token.enter();
        work(argument)
    }
}

/// Ends the work by unwinding to [`CancelToken::run`] if the token of the thread is cancelled. Long
/// loops over rows or polygons call it, so that at most a few milliseconds pass between two
/// checkpoints.
#[inline]
pub fn checkpoint() {
    CURRENT.with_borrow(|token| {
        if let Some(state) = &token.0
            && cfg!(panic = "unwind")
            && state.check()
        {
            throw(state);
        }
    });
}

/// Calls [`checkpoint`] once in `every` calls; `every` is a power of two and `index` counts the
/// calls. For loops whose iterations take nanoseconds.
#[inline(always)]
pub fn checkpoint_every(every: usize, index: usize) {
    if index & (every - 1) == every - 1 {
        checkpoint();
    }
}

#[cold]
fn throw(state: &Arc<State>) -> ! {
    resume_unwind(Box::new(Thrown(Arc::clone(state))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_the_checkpoint_that_was_asked_for() {
        for wanted in [0, 1, 2, 7, 100] {
            let token = CancelToken::after(wanted);
            let mut passed = 0;
            let ended = token.run(|| {
                for _ in 0..50 {
                    checkpoint();
                    passed += 1;
                }
            });
            assert_eq!((ended, passed), if wanted < 50 { (Err(Cancelled), wanted) } else { (Ok(()), 50) });
            assert_eq!(token.is_cancelled(), wanted < 50);
            assert_eq!(token.checkpoints_left(), Some(wanted.saturating_sub(50)));
        }
        checkpoint();
    }

    #[test]
    fn another_thread_ends_it_and_nothing_is_left_of_the_token() {
        let token = CancelToken::new();
        let dropped = Arc::new(());
        let held = Arc::clone(&dropped);
        let ended = std::thread::scope(|scope| {
            let _ = scope.spawn(|| token.cancel());
            token.run(move || {
                let _held = held;
                for _ in 0.. {
                    checkpoint();
                }
            })
        });
        assert_eq!(ended, Err(Cancelled));
        assert_eq!(Arc::strong_count(&dropped), 1);
        // The thread no longer has the token.
        checkpoint();
        assert!(CancelToken::current().0.is_none());
    }

    #[test]
    fn tokens_nest_and_panics_pass() {
        let (outer, inner) = (CancelToken::new(), CancelToken::new());
        inner.cancel();
        let both = outer.run(|| {
            let ended = inner.run(checkpoint);
            checkpoint();
            ended
        });
        assert_eq!(both, Ok(Err(Cancelled)));
        outer.cancel();
        // Work under an inner empty token does not end with the outer token.
        let ended = outer.run(|| CancelToken::none().run(checkpoint));
        assert_eq!(ended, Ok(Ok(())));
        // The unwinding passes through the run of another token.
        let ended = outer.run(|| {
            CancelToken::new().run(|| {
                let _outer = outer.enter();
                checkpoint();
            })
        });
        assert_eq!(ended, Err(Cancelled));
        let panicked = std::panic::catch_unwind(|| CancelToken::new().run(|| resume_unwind(Box::new(7))));
        assert_eq!(panicked.err().and_then(|panic| panic.downcast::<i32>().ok()).as_deref(), Some(&7));
    }
}

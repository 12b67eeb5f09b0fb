//! Parallel work on the thread pool of the caller, or on one thread without the feature `rayon`.
//!
//! - Results are in the order of the items, whatever the number of threads.
//! - The work runs under the [`CancelToken`] of the calling thread.
//! - A thread of a pool shares the work with its pool, any other thread with the global pool.

use std::cmp::Ordering;
#[cfg(feature = "rayon")]
use std::sync::TryLockError;
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

#[cfg(feature = "rayon")]
use crate::CancelToken;

/// Numbers per task of [`find_first`], whose test of a number is short.
const TASK_LEN: usize = 4096;

/// Pause of [`help_until`] between two polls when the pool has no tasks.
#[cfg(feature = "rayon")]
const PAUSE: std::time::Duration = std::time::Duration::from_micros(100);

/// Runs work on a thread of a pool under the token of the thread that requested it.
#[cfg(feature = "rayon")]
fn run_under<T>(token: &CancelToken, work: impl FnOnce() -> T) -> T {
    let _entered = token.enter();
    work()
}

/// Returns the number of threads that share the work.
#[must_use]
pub fn count() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads().max(1);
    #[cfg(not(feature = "rayon"))]
    1
}

/// Returns the results of `work` for each item, in their order.
pub fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    map_with(items, |(): &mut (), item| work(item))
}

/// Returns the results of `work` for each item, in their order, with reusable scratch memory.
/// `work` must not rely on the contents of the scratch.
pub fn map_with<S: Default, T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(&mut S, T) -> R + Sync + Send,
) -> Vec<R> {
    map_at_most(usize::MAX, items, work)
}

/// Runs [`map_with`] for items with long and unequal run times: a thread takes one item at a time.
pub fn map_long<S: Default, T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(&mut S, T) -> R + Sync + Send,
) -> Vec<R> {
    map_at_most(1, items, work)
}

/// Runs [`map_with`] with at most `at_once` items per task.
fn map_at_most<S: Default, T: Send, R: Send>(
    at_once: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(&mut S, T) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "rayon")]
    {
        let (token, items) = (CancelToken::current(), items.into_iter().collect::<Vec<T>>());
        let begin = || (token.enter(), S::default());
        let items = items.into_par_iter().with_max_len(at_once);
        items.map_init(begin, |(_, scratch), item| work(scratch, item)).collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        let _ = at_once;
        let mut scratch = S::default();
        items.into_iter().map(|item| work(&mut scratch, item)).collect()
    }
}

/// Calls `work` for each item.
pub fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync + Send) {
    #[cfg(feature = "rayon")]
    {
        let (token, items) = (CancelToken::current(), items.into_iter().collect::<Vec<T>>());
        items.into_par_iter().for_each_init(|| token.enter(), |_, item| work(item));
    }
    #[cfg(not(feature = "rayon"))]
    items.into_iter().for_each(work);
}

/// Returns the result of `look` for the first number below `count` for which it is `Some`.
pub fn find_first<R: Send>(count: usize, look: impl Fn(usize) -> Option<R> + Sync) -> Option<R> {
    let portion = |first: usize| (first * TASK_LEN..count.min((first + 1) * TASK_LEN)).find_map(&look);
    let portions = 0..count.div_ceil(TASK_LEN);
    #[cfg(feature = "rayon")]
    return portions.into_par_iter().find_map_first(portion);
    #[cfg(not(feature = "rayon"))]
    return { portions }.find_map(portion);
}

/// Returns `true` if `test` holds for every number below `count`.
pub fn all(count: usize, test: impl Fn(usize) -> bool + Sync) -> bool {
    find_first(count, |number| (!test(number)).then_some(())).is_none()
}

/// Runs two functions, in parallel if `is_long` says that this is worthwhile and threads are
/// available.
pub fn join<A: Send, B: Send>(
    is_long: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "rayon")]
    if is_long {
        let token = CancelToken::current();
        return rayon::join(|| run_under(&token, one), || run_under(&token, other));
    }
    let _ = is_long;
    (one(), other())
}

/// Calls `work` `calls` times, in parallel, and returns when all calls have returned: for workers
/// that take the next task until none is left.
pub fn workers(calls: usize, work: impl Fn() + Sync + Send) {
    #[cfg(feature = "rayon")]
    {
        let (token, work) = (CancelToken::current(), &work);
        rayon::scope(|scope| {
            for _ in 0..calls {
                scope.spawn(|_| run_under(&token, work));
            }
        });
    }
    #[cfg(not(feature = "rayon"))]
    (0..calls).for_each(|_| work());
}

/// Returns the results of `work`, called once on each thread of the pool. `work` is never
/// re-entered on a thread that waits in it.
pub fn on_each<R: Send>(work: impl Fn() -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    {
        let token = CancelToken::current();
        rayon::broadcast(|_| run_under(&token, &work))
    }
    #[cfg(not(feature = "rayon"))]
    vec![work()]
}

/// Sorts a slice. Equal items must be identical, so that the order does not depend on threads.
pub fn sort<T: Ord + Send>(items: &mut [T]) {
    #[cfg(feature = "rayon")]
    items.par_sort_unstable();
    #[cfg(not(feature = "rayon"))]
    items.sort_unstable();
}

/// Sorts a slice like [`sort`], in a custom order.
pub fn sort_by<T: Send>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    #[cfg(feature = "rayon")]
    items.par_sort_unstable_by(order);
    #[cfg(not(feature = "rayon"))]
    items.sort_unstable_by(order);
}

/// The reason why a thread pool cannot be created.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PoolError(String);

/// Runs `work` in a pool of `threads` threads.
///
/// # Errors
/// If the system cannot start the threads; without the feature `rayon`, for more than one thread.
pub fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, PoolError> {
    #[cfg(feature = "rayon")]
    {
        let token = CancelToken::current();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PoolError(error.to_string()))?;
        Ok(pool.install(|| run_under(&token, work)))
    }
    #[cfg(not(feature = "rayon"))]
    if threads > 1 { Err(PoolError("this program was built without threads".to_owned())) } else { Ok(work()) }
}

/// Waits until `look` returns `Some`. A thread of a pool runs tasks of the pool meanwhile, because
/// the thread that it waits for may need them. Returns `None` at once on any other thread, which
/// may sleep.
pub fn help_until<R>(mut look: impl FnMut() -> Option<R>) -> Option<R> {
    #[cfg(feature = "rayon")]
    while rayon::current_thread_index().is_some() {
        if let Some(found) = look() {
            return Some(found);
        }
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            std::thread::sleep(PAUSE);
        }
    }
    let _ = &mut look;
    None
}

/// Scratch memory for parallel work, one per thread, kept between calls.
#[derive(Debug)]
pub struct Scratches<S>(Vec<Mutex<S>>);

impl<S> Clone for Scratches<S> {
    /// Returns one without memory, which grows again.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<S> Default for Scratches<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Default + Send> Scratches<S> {
    /// Calls `work` with each item and its index; a task has `at_once` items. Once every thread has
    /// a scratch, allocates nothing except inside rayon.
    pub fn for_each<T: Send>(
        &mut self,
        items: &mut [T],
        at_once: usize,
        work: impl Fn(usize, &mut T, &mut S) + Sync,
    ) {
        let at_once = at_once.max(1);
        let run = |chunk: usize, items: &mut [T], scratch: &mut S| {
            items.iter_mut().zip(chunk * at_once..).for_each(|(item, number)| work(number, item, scratch));
        };
        #[cfg(feature = "rayon")]
        if count() > 1 && items.len() > at_once {
            if self.0.len() < count() {
                self.0.resize_with(count(), Mutex::default);
            }
            let (threads, token) = (&self.0, CancelToken::current());
            items.par_chunks_mut(at_once).enumerate().for_each(|(chunk, items)| {
                let _entered = token.enter();
                let thread = rayon::current_thread_index().unwrap_or(0) % threads.len();
                // A thread has a separate scratch: it is locked only if `work` runs other work of
                // the pool meanwhile.
                match threads[thread].try_lock() {
                    Ok(mut scratch) => run(chunk, items, &mut scratch),
                    Err(TryLockError::Poisoned(scratch)) => run(chunk, items, &mut scratch.into_inner()),
                    Err(TryLockError::WouldBlock) => run(chunk, items, &mut S::default()),
                }
            });
            return;
        }
        self.with_first(|scratch| {
            items.chunks_mut(at_once).enumerate().for_each(|(chunk, items)| run(chunk, items, scratch));
        });
    }

    /// Calls `work` with a scratch on this thread.
    pub fn with_first<R>(&mut self, work: impl FnOnce(&mut S) -> R) -> R {
        if self.0.is_empty() {
            self.0.push(Mutex::default());
        }
        work(self.0[0].get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancelled, checkpoint};

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let found = in_pool(threads, || {
                let numbers = map_with(0..10_000_usize, |scratch: &mut Vec<usize>, number| {
                    scratch.push(number);
                    number * 2
                });
                let mut sorted: Vec<usize> = numbers.iter().rev().copied().collect();
                sort(&mut sorted);
                assert_eq!(sorted, numbers);
                sort_by(&mut sorted, |a, b| b.cmp(a));
                assert!(sorted.iter().rev().eq(&numbers));
                let long = map_long(0..100_usize, |(): &mut (), number| number * 2);
                assert_eq!(long, numbers[..100]);
                assert_eq!(find_first(100_000, |number| (number > 50_000).then_some(number)), Some(50_001));
                assert!(all(100_000, |number| number < 100_000) && !all(100_000, |number| number != 77_777));
                let mut items = vec![0; 1000];
                let mut scratches = Scratches::<Vec<u8>>::default();
                scratches.for_each(&mut items, 7, |number, item, scratch| {
                    scratch.push(0);
                    *item = number;
                });
                assert!(items.iter().copied().eq(0..1000));
                numbers
            });
            assert!(found.expect("a pool").into_iter().eq((0..10_000).map(|number| number * 2)));
        }
    }

    #[test]
    fn all_work_is_under_the_token_of_the_caller() {
        let token = CancelToken::new();
        token.cancel();
        let ends = |work: &(dyn Fn() + Sync)| {
            assert_eq!(in_pool(3, || token.run(work)).expect("a pool"), Err(Cancelled));
        };
        ends(&|| {
            map(0..100, |_| checkpoint());
        });
        ends(&|| for_each(0..100, |_| checkpoint()));
        ends(&|| {
            join(true, checkpoint, || ());
        });
        ends(&|| workers(3, checkpoint));
        ends(&|| {
            on_each(checkpoint);
        });
        ends(&|| drop(in_pool(2, checkpoint)));
        ends(&|| Scratches::<()>::default().for_each(&mut [0; 100], 3, |_, _, ()| checkpoint()));
    }
}

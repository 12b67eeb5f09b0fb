//! Parallel runs of a closure for every tile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use waymesh_core::{Cancelled, Counter, Observer, Warning, threads};

use crate::{MemoryGate, Tile};

/// The reports of the stages of one tile to their observer. Tallies are collected in parallel and
/// replayed in the order of tiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Sums of the counters.
    pub counts: BTreeMap<Counter, u64>,
    /// Warnings, in order.
    pub warnings: Vec<Warning>,
}

impl Tally {
    /// Reports everything to `observer`.
    pub fn replay(&self, observer: &mut dyn Observer) {
        for (&counter, &amount) in &self.counts {
            observer.count(counter, amount);
        }
        self.warnings.iter().for_each(|warning| observer.warn(warning.clone()));
    }
}

impl Observer for Tally {
    fn count(&mut self, counter: Counter, amount: u64) {
        *self.counts.entry(counter).or_default() += amount;
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// Runs `work` for every tile on as many threads as the current rayon pool has, and returns the
/// results in the order of `tiles`.
///
/// Before a tile begins, `estimate` gives the number of bytes that it needs, and the tile waits at
/// the gate until they fit. If tiles may have to wait, they run on separate threads, because
/// threads of a shared pool run tasks of other bakes, which may wait at their own gates. Tiles
/// begin in order. Each finished tile is reported to `observer`.
///
/// # Errors
/// Returns the error of the first tile, in order, that failed; [`Cancelled`] if the observer
/// cancels after a tile. Tiles that have not begun by then are not run.
pub fn build_tiles<T: Send, E: Send + From<Cancelled>>(
    tiles: &[Tile],
    gate: &MemoryGate,
    estimate: impl Fn(Tile) -> u64 + Sync,
    work: impl Fn(Tile) -> Result<T, E> + Sync,
    observer: &mut dyn Observer,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let [failed, cancelled] = [const { AtomicBool::new(false) }; 2];
    let progress = Mutex::new((0_u64, observer));
    // One worker per thread, which cannot be stolen: a worker that waits at the gate must never run
    // on the stack of the worker whose memory it waits for.
    let worker = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&tile) = tiles.get(index) else { break };
            let share = gate.enter(estimate(tile));
            let result = work(tile);
            drop(share);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((index, result));
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.0 += 1;
            let count = progress.0;
            progress.1.progress(count, tiles.len() as u64);
            if progress.1.is_cancelled() {
                cancelled.store(true, Ordering::Relaxed);
                failed.store(true, Ordering::Relaxed);
            }
        }
        done
    };
    let mut sizes: Vec<u64> = tiles.iter().map(|&tile| estimate(tile)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let largest = sizes.iter().take(threads::count()).fold(0_u64, |sum, &size| sum.saturating_add(size));
    let parts = if gate.fits(largest) {
        threads::on_each(worker)
    } else {
        // Without separate threads it uses those of the pool.
        let own = threads::in_pool(threads::count(), || threads::on_each(worker));
        own.unwrap_or_else(|_| threads::on_each(worker))
    };
    let mut results: Vec<(usize, Result<T, E>)> = parts.into_iter().flatten().collect();
    if cancelled.into_inner() {
        return Err(Cancelled.into());
    }
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use rayon::prelude::*;

    use super::*;

    fn tiles(count: u32) -> Vec<Tile> {
        (0..count).map(|column| Tile { row: 0, column }).collect()
    }

    #[derive(Debug, PartialEq)]
    enum Stop {
        At(u32),
        Cancelled,
    }

    impl From<Cancelled> for Stop {
        fn from(_: Cancelled) -> Self {
            Self::Cancelled
        }
    }

    #[derive(Default)]
    struct Steps(Vec<(u64, u64)>);

    impl Observer for Steps {
        fn progress(&mut self, done: u64, total: u64) {
            self.0.push((done, total));
        }
    }

    /// Tests two bakes in one pool: a thread that waits for a part of a tile would take up a worker
    /// of the other bake, which waits at its gate for a tile that waits in the same way.
    #[test]
    fn bakes_that_share_a_pool_do_not_wait_for_each_other() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let work = |tile: Tile| {
            let parts = || (0..50_u64).into_par_iter().map(|part| part % 7).sum::<u64>();
            let (one, two) = rayon::join(parts, parts);
            Ok::<_, Stop>(one + two + u64::from(tile.column))
        };
        let bake = || {
            for _ in 0..20 {
                let gate = MemoryGate::new(100);
                let sums = pool.install(|| build_tiles(&tiles(60), &gate, |_| 60, work, &mut ())).unwrap();
                assert!(sums.windows(2).all(|pair| pair[0] + 1 == pair[1]));
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(bake))));
    }

    #[test]
    fn results_come_in_order_within_the_gate() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let (alive, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let gate = MemoryGate::new(200);
        let mut steps = Steps::default();
        let results = pool.install(|| {
            let work = |tile: Tile| {
                let bytes = 40 * u64::from(tile.column % 3 + 1);
                let now = alive.fetch_add(bytes, Ordering::SeqCst) + bytes;
                most.fetch_max(now, Ordering::SeqCst);
                std::thread::yield_now();
                // Work that uses the pool itself must not start another tile on the stack of this
                // one.
                let (one, two) = rayon::join(|| tile.column, || 1);
                alive.fetch_sub(bytes, Ordering::SeqCst);
                Ok::<_, Stop>(one + two)
            };
            build_tiles(&tiles(200), &gate, |tile| 40 * u64::from(tile.column % 3 + 1), work, &mut steps)
        });
        assert_eq!(results, Ok((1..=200).collect()));
        assert!(most.load(Ordering::SeqCst) <= 200, "{most:?}");
        assert_eq!(steps.0, (1..=200).map(|done| (done, 200)).collect::<Vec<_>>());
    }

    #[test]
    fn a_tile_larger_than_the_limit_is_built_alone() {
        let gate = MemoryGate::new(10);
        let results = build_tiles(&tiles(5), &gate, |_| 1000, |tile| Ok::<_, Stop>(tile.column), &mut ());
        assert_eq!(results, Ok(vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn the_first_error_ends_the_run() {
        let gate = MemoryGate::new(10);
        let work = |tile: Tile| if tile.column >= 3 { Err(Stop::At(tile.column)) } else { Ok(()) };
        assert_eq!(build_tiles(&tiles(100_000), &gate, |_| 1, work, &mut ()), Err(Stop::At(3)));
    }

    #[test]
    fn an_observer_ends_the_run() {
        /// Cancels after three tiles.
        #[derive(Default)]
        struct Impatient(u64);
        impl Observer for Impatient {
            fn progress(&mut self, done: u64, _total: u64) {
                self.0 = done;
            }
            fn is_cancelled(&mut self) -> bool {
                self.0 >= 3
            }
        }
        let mut observer = Impatient::default();
        let gate = MemoryGate::new(10);
        let results = build_tiles(&tiles(100_000), &gate, |_| 1, |_| Ok::<_, Stop>(()), &mut observer);
        assert_eq!(results, Err(Stop::Cancelled));
        assert!(observer.0 < 2_000, "{} tiles were built", observer.0);
    }
}

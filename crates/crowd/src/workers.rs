//! Work on all agents at once, on all threads.

use std::sync::Mutex;

use waymesh_graph::{QueryScratch, WallPiece};

use crate::orca::{HalfPlane, Program};

/// What the work on an agent writes. Nothing in it outlives the work on one agent.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) query: QueryScratch,
    pub(crate) walls: Vec<WallPiece>,
    pub(crate) planes: Vec<HalfPlane>,
    pub(crate) program: Program,
}

/// One [`Scratch`] a thread.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    threads: Vec<Mutex<Scratch>>,
}

/// Items that one thread takes at a time.
#[cfg(feature = "rayon")]
const CHUNK: usize = 32;

impl Workers {
    /// Calls `work` for each item, on the threads of the rayon pool this is called in.
    pub(crate) fn for_each<T: Send>(&mut self, items: &mut [T], work: impl Fn(&mut T, &mut Scratch) + Sync) {
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;

            let threads = rayon::current_num_threads().max(1);
            if self.threads.len() < threads {
                self.threads.resize_with(threads, Mutex::default);
            }
            if threads > 1 && items.len() > CHUNK {
                let threads = &self.threads;
                items.par_chunks_mut(CHUNK).for_each(|chunk| {
                    let thread = rayon::current_thread_index().unwrap_or(0) % threads.len();
                    // Free but for filters that run other work of the pool in between.
                    match threads[thread].try_lock() {
                        Ok(mut scratch) => chunk.iter_mut().for_each(|item| work(item, &mut scratch)),
                        Err(_) => {
                            let mut scratch = Scratch::default();
                            chunk.iter_mut().for_each(|item| work(item, &mut scratch));
                        }
                    }
                });
                return;
            }
        }
        self.with_first(|scratch| items.iter_mut().for_each(|item| work(item, scratch)));
    }

    /// Calls `work` on this thread.
    pub(crate) fn with_first<R>(&mut self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        if self.threads.is_empty() {
            self.threads.push(Mutex::default());
        }
        match self.threads[0].get_mut() {
            Ok(scratch) => work(scratch),
            Err(poisoned) => work(poisoned.into_inner()),
        }
    }
}

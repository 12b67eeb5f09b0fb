//! A bound on how much is alive at once.

use std::sync::{Condvar, Mutex, PoisonError};

/// Lets work in as long as its memory fits.
#[derive(Debug)]
pub struct MemoryGate {
    limit: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// Memory that is in use until this is dropped.
#[derive(Debug)]
pub struct Share<'a> {
    gate: &'a MemoryGate,
    bytes: u64,
}

impl MemoryGate {
    /// A gate for `limit` bytes.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until `bytes` fit beside what is inside. Work that is larger than the whole limit is
    /// let in alone: it must be done some time.
    #[must_use]
    pub fn enter(&self, bytes: u64) -> Share<'_> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used > 0 && used.saturating_add(bytes) > self.limit {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used = used.saturating_add(bytes);
        Share { gate: self, bytes }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut used = self.gate.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_sub(self.bytes);
        self.gate.freed.notify_all();
    }
}

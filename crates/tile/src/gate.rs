//! A limit for the memory that is used at the same time.

use std::sync::{Condvar, Mutex, PoisonError};

/// Admits work as long as its memory fits under a limit.
#[derive(Debug)]
pub struct MemoryGate {
    limit: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// A share of the memory. It is in use until this value is dropped.
#[derive(Debug)]
pub struct Share<'a> {
    gate: &'a MemoryGate,
    bytes: u64,
}

impl MemoryGate {
    /// Creates a gate for `limit` bytes.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Returns `true` if shares of `bytes` together never wait.
    pub(crate) fn fits(&self, bytes: u64) -> bool {
        bytes <= self.limit
    }

    /// Waits until `bytes` and the shares in use fit under the limit. Work that is larger than the
    /// whole limit is admitted alone, because it would never start otherwise.
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

//! Tests of what goes wrong on a device.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::GpuContext;

/// Breaks the device before so many more pieces of work are handed to it.
#[derive(Debug)]
pub(crate) struct Trap(AtomicI64);

impl Default for Trap {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MAX))
    }
}

impl Trap {
    pub(crate) fn spring(&self, context: &GpuContext) {
        if self.0.fetch_sub(1, Ordering::SeqCst) == 0 {
            context.device.destroy();
        }
    }
}

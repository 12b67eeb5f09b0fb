//! Counts allocations, for tests of what allocates nothing.
#![expect(unsafe_code, reason = "a global allocator cannot be written without; it only counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Passes everything on to the system's allocator and counts. A test makes it its
/// `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

/// Returns the number of allocations of this thread so far.
#[must_use]
pub fn allocations() -> u64 {
    COUNT.get()
}

/// Runs `work` until it has seen everything, then once more.
///
/// # Panics
/// If the last run allocates.
pub fn assert_steady(name: &str, mut work: impl FnMut()) {
    work();
    work();
    let before = allocations();
    work();
    assert_eq!(allocations() - before, 0, "{name} allocates");
}

fn count() {
    // A thread that ends may have lost its counter.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: everything is passed on to the system's allocator; counting touches no memory but a
// cell of the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

//! The heap of the program: it knows its high-water mark, and has large tables in large pages.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The heap of the system. A bake touches every byte of tables of a hundred megabytes once or
/// twice; in pages of 4 KiB, handing them out takes the kernel a third of the time of a bake.
#[derive(Debug)]
pub(crate) struct Heap {
    held: AtomicUsize,
    peak: AtomicUsize,
}

impl Heap {
    pub(crate) const fn new() -> Self {
        Self { held: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// Most bytes that were held at once so far.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak.load(Ordering::Relaxed) as u64
    }

    fn add(&self, bytes: usize) {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // A load is cheaper than a write, and the mark rises rarely.
        if held > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(held, Ordering::Relaxed);
        }
    }

    fn remove(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Takes in a new block, unless there was no memory for it.
    fn taken(&self, block: *mut u8, bytes: usize) -> *mut u8 {
        if !block.is_null() {
            ask_for_large_pages(block, bytes);
            self.add(bytes);
        }
        block
    }
}

#[expect(unsafe_code, reason = "an allocator cannot be written without it")]
// SAFETY: Every call goes to the allocator of the system, which keeps the contract of this trait.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the contract of this function, which is the same.
        self.taken(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As above.
        self.taken(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: As above.
        unsafe { System.dealloc(block, layout) };
        self.remove(layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: As above.
        let block = self.taken(unsafe { System.realloc(block, layout, size) }, size);
        if !block.is_null() {
            self.remove(layout.size());
        }
        block
    }
}

/// Tells the kernel that a block is better handed out in large pages. Where the machine has none,
/// nothing happens.
#[cfg(target_os = "linux")]
#[inline]
fn ask_for_large_pages(block: *mut u8, bytes: usize) {
    /// Bytes of a large page.
    const LARGE: usize = 2 << 20;
    if bytes < 2 * LARGE {
        return;
    }
    let skipped = block.addr().next_multiple_of(LARGE) - block.addr();
    let whole = (bytes - skipped) / LARGE * LARGE;
    #[expect(unsafe_code, reason = "a call of the system")]
    // SAFETY: The pages lie inside of the block. This advice changes nothing of what they hold; if
    // it is refused, the pages stay small.
    unsafe {
        libc::madvise(block.wrapping_add(skipped).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

/// Other systems know best themselves.
#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_block: *mut u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use crate::HEAP;

    /// Two large pages.
    const LARGE: usize = 4 << 20;

    fn numbers() -> impl Iterator<Item = u8> {
        (0..=250).cycle()
    }

    #[test]
    fn blocks_of_all_sizes_hold_what_is_written_and_begin_with_zeros() {
        let sizes = [0_usize, 1, 4_095, LARGE / 2 + 1, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE + 4_097];
        for bytes in sizes {
            let mut table = vec![0_u8; bytes];
            assert!(table.iter().all(|&byte| byte == 0));
            table.iter_mut().zip(numbers()).for_each(|(byte, value)| *byte = value);
            for more in sizes {
                table.extend(std::iter::repeat_n(7, more));
                table.reserve_exact(more);
                assert!(table[..bytes].iter().zip(numbers()).all(|(&byte, value)| byte == value));
                assert!(table[bytes..].iter().all(|&byte| byte == 7));
                table.truncate(bytes);
                table.shrink_to_fit();
                assert!(table.iter().zip(numbers()).all(|(&byte, value)| byte == value));
            }
            // What was used before is zero again.
            drop(table);
            assert!(vec![0_u8; bytes].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn the_high_water_mark_counts_every_block_once() {
        let before = HEAP.peak_bytes();
        let mut table = vec![1_u8; 64 * LARGE];
        let held = HEAP.peak_bytes();
        assert!(held >= 64 * LARGE as u64 && held < before + 80 * LARGE as u64, "{held} bytes");
        table.shrink_to(32 * LARGE);
        drop(table);
        for _ in 0..20 {
            drop(vec![1_u8; 50 * LARGE]);
        }
        assert!(HEAP.peak_bytes() < held + 64 * LARGE as u64, "{} bytes", HEAP.peak_bytes());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_blocks_ask_for_large_pages() {
        let mut table = vec![1_u8; 3 * LARGE];
        table.reserve_exact(5 * LARGE);
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells its mappings");
        for place in [table.as_ptr().addr() + LARGE / 2, table.as_ptr().addr() + 7 * LARGE] {
            let mut is_inside = false;
            let flags = maps.lines().find(|line| {
                let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
                let ends = range.map(|(from, to)| [from, to].map(|end| usize::from_str_radix(end, 16)));
                if let Some([Ok(from), Ok(to)]) = ends {
                    is_inside = (from..to).contains(&place);
                }
                is_inside && line.starts_with("VmFlags:")
            });
            assert!(flags.is_some_and(|flags| flags.contains(" hg")), "{flags:?}");
        }
    }
}

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
    fn taken(&self, block: *mut u8, layout: Layout) -> *mut u8 {
        if !block.is_null() {
            pages::request_large_pages(block, layout);
            self.add(layout.size());
        }
        block
    }
}

#[expect(unsafe_code, reason = "an allocator cannot be written without it")]
// SAFETY: Every call goes to the allocator of the system, which keeps the contract of this trait,
// with layouts that are at least as large and the same for the same block.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the contract of this function, which is the same.
        self.taken(unsafe { System.alloc(pages::padded(layout)) }, layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As above.
        self.taken(unsafe { System.alloc_zeroed(pages::padded(layout)) }, layout)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: See above; the block was allocated with this padded layout.
        unsafe { System.dealloc(block, pages::padded(layout)) };
        self.remove(layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(size, layout.align()) else { return std::ptr::null_mut() };
        let (had, wanted) = (pages::padded(layout), pages::padded(new));
        if had == wanted {
            self.remove(layout.size());
            self.add(size);
            return block;
        }
        if pages::are_large(wanted) {
            // The system would move its pages to where no large page begins, and split them.
            // SAFETY: Both blocks hold as many bytes as are copied, and are not the same.
            unsafe {
                let moved = self.alloc(new);
                if !moved.is_null() {
                    std::ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                return moved;
            }
        }
        // SAFETY: See above; the block was allocated with this padded layout.
        let moved = self.taken(unsafe { System.realloc(block, had, wanted.size()) }, new);
        if !moved.is_null() {
            self.remove(layout.size());
        }
        moved
    }
}

/// Large pages for large blocks.
#[cfg(target_os = "linux")]
mod pages {
    use std::alloc::Layout;

    /// Bytes of a large page. Where the machine has others, the kernel ignores the advice.
    const LARGE: usize = 2 << 20;
    /// Bytes of a small one. The allocator writes what it has to know before a block.
    const SMALL: usize = 4 << 10;

    /// `true` if blocks of this layout are handed out in large pages.
    pub(super) fn are_large(layout: Layout) -> bool {
        layout.size() >= 2 * LARGE
    }

    /// Returns a layout whose size makes the allocator use a separate mapping of whole large pages:
    /// the kernel puts such mappings where large pages begin (since 6.7).
    pub(super) fn padded(layout: Layout) -> Layout {
        if !are_large(layout) {
            return layout;
        }
        let bytes = (layout.size() + SMALL).next_multiple_of(LARGE) - SMALL;
        Layout::from_size_align(bytes, layout.align()).unwrap_or(layout)
    }

    /// Advises the kernel to back a block with large pages.
    pub(super) fn request_large_pages(block: *mut u8, layout: Layout) {
        if !are_large(layout) {
            return;
        }
        let before = block.addr() % SMALL;
        let bytes = (before + padded(layout).size()) / SMALL * SMALL;
        #[expect(unsafe_code, reason = "a call of the system")]
        // SAFETY: The pages are those of the block, and the rest of its first one. This advice changes
        // nothing of what they hold; if it is refused, the pages stay small.
        unsafe {
            libc::madvise(block.wrapping_sub(before).cast(), bytes, libc::MADV_HUGEPAGE);
        }
    }
}

/// Other systems know best themselves.
#[cfg(not(target_os = "linux"))]
mod pages {
    use std::alloc::Layout;

    pub(super) fn padded(layout: Layout) -> Layout {
        layout
    }

    pub(super) fn are_large(_layout: Layout) -> bool {
        false
    }

    pub(super) fn request_large_pages(_block: *mut u8, _layout: Layout) {}
}

#[cfg(test)]
mod tests {
    use crate::HEAP;

    /// Two large pages.
    const LARGE: usize = 4 << 20;

    /// Compares by whole pages: the program's own code is not optimised in tests.
    fn is_filled(table: &[u8], page: &[u8; 4096]) -> bool {
        table.chunks(page.len()).all(|chunk| *chunk == page[..chunk.len()])
    }

    #[test]
    fn blocks_of_all_sizes_hold_what_is_written_and_begin_with_zeros() {
        let sizes = [0_usize, 1, 4_095, LARGE / 2 + 1, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE + 4_097];
        let numbers: Vec<u8> = (0..=250).cycle().take(sizes[sizes.len() - 1]).collect();
        for bytes in sizes {
            let mut table = vec![0_u8; bytes];
            assert!(is_filled(&table, &[0; 4096]));
            table.copy_from_slice(&numbers[..bytes]);
            for more in sizes {
                table.resize(bytes + more, 7);
                table.reserve_exact(more);
                assert!(table[..bytes] == numbers[..bytes]);
                assert!(is_filled(&table[bytes..], &[7; 4096]));
                table.truncate(bytes);
                table.shrink_to_fit();
                assert!(table[..] == numbers[..bytes]);
            }
            // Memory that was used before is zero again.
            drop(table);
            assert!(is_filled(&vec![0_u8; bytes], &[0; 4096]));
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

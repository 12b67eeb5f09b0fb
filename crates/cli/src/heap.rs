//! The heap of the program: it knows its high-water mark, and has large tables in large pages.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The heap of the system, but for large blocks, which have mappings of their own. A bake touches
/// every byte of tables of a hundred megabytes once or twice; in pages of 4 KiB, handing them out
/// takes the kernel a third of the time of a bake.
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

    /// Counts a block, unless there was no memory for it.
    fn counted(&self, block: *mut u8, bytes: usize) -> *mut u8 {
        if !block.is_null() {
            self.add(bytes);
        }
        block
    }
}

#[expect(unsafe_code, reason = "an allocator cannot be written without it")]
// SAFETY: A block comes from `large` or from the allocator of the system, as its layout says, and
// goes back to the same. Both keep the contract of this trait.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = if large::takes(layout) {
            large::map(layout.size())
        } else {
            // SAFETY: The caller keeps the contract of this function, which is the same.
            unsafe { System.alloc(layout) }
        };
        self.counted(block, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = if large::takes(layout) {
            large::map(layout.size())
        } else {
            // SAFETY: As above.
            unsafe { System.alloc_zeroed(layout) }
        };
        self.counted(block, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if large::takes(layout) {
            // SAFETY: A block of this layout came from `large::map` or `large::resize`.
            unsafe { large::unmap(block, layout.size()) };
        } else {
            // SAFETY: As above; a block of this layout came from the allocator of the system.
            unsafe { System.dealloc(block, layout) };
        }
        self.remove(layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: The caller guarantees that the size, rounded up to the alignment, is a valid one.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let moved = match (large::takes(layout), large::takes(new)) {
            // SAFETY: As above.
            (false, false) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: A block of this layout came from `large::map` or `large::resize`.
            (true, true) => unsafe { large::resize(block, layout.size(), size) },
            _ => {
                // SAFETY: The new block is another one, and both hold as many bytes as are copied.
                unsafe {
                    let moved = self.alloc(new);
                    if !moved.is_null() {
                        std::ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    return moved;
                }
            }
        };
        if !moved.is_null() {
            self.add(size);
            self.remove(layout.size());
        }
        moved
    }
}

/// Blocks with mappings of their own, in large pages.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "calls of the system")]
mod large {
    use std::alloc::Layout;
    use std::ptr::null_mut;

    /// Bytes of a large page. Where the machine has others, the kernel ignores the advice.
    const PAGE: usize = 2 << 20;

    /// `true` if blocks of this layout have mappings of their own.
    #[inline]
    pub(super) fn takes(layout: Layout) -> bool {
        layout.size() >= 2 * PAGE && layout.align() <= 4 << 10
    }

    /// Whole pages: the kernel puts mappings of such sizes where large pages begin (since 6.7).
    fn length(bytes: usize) -> usize {
        bytes.next_multiple_of(PAGE)
    }

    /// Maps a block, which is zero. Null if there is no memory.
    pub(super) fn map(bytes: usize) -> *mut u8 {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: A new mapping, at a place that the kernel chooses, changes nothing else.
        let block = unsafe { libc::mmap(null_mut(), length(bytes), access, kind, -1, 0) };
        if block == libc::MAP_FAILED {
            return null_mut();
        }
        // SAFETY: The mapping is there. Advice does not change what it holds; if it is refused, the
        // pages stay small.
        unsafe { libc::madvise(block, length(bytes), libc::MADV_HUGEPAGE) };
        block.cast()
    }

    /// # Safety
    /// The block was mapped with as many bytes, and nobody uses it any more.
    pub(super) unsafe fn unmap(block: *mut u8, bytes: usize) {
        // SAFETY: Exactly the mapping of the block.
        unsafe { libc::munmap(block.cast(), length(bytes)) };
    }

    /// Makes a block larger or smaller. Returns where it is then; null if there is no memory, and the
    /// block stays as it is.
    ///
    /// # Safety
    /// The block was mapped with as many bytes `before`, and nobody uses it at the old place any
    /// more.
    pub(super) unsafe fn resize(block: *mut u8, before: usize, after: usize) -> *mut u8 {
        let (old, new) = (length(before), length(after));
        if old == new {
            return block;
        }
        if new < old {
            // SAFETY: The pages behind the ones that stay, which belong to the block.
            unsafe { libc::munmap(block.wrapping_add(new).cast(), old - new) };
            return block;
        }
        // A new mapping lies where large pages begin, and the old pages move there as they are.
        let place = map(after);
        if place.is_null() {
            return place;
        }
        let how = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: Moves the old mapping over the new one, which nobody uses yet.
        let moved = unsafe { libc::mremap(block.cast(), old, new, how, place) };
        if moved == libc::MAP_FAILED {
            // SAFETY: The new mapping, which nobody uses.
            unsafe { unmap(place, after) };
            return null_mut();
        }
        moved.cast()
    }
}

/// Other systems know best themselves.
#[cfg(not(target_os = "linux"))]
mod large {
    use std::alloc::Layout;
    use std::ptr::null_mut;

    pub(super) fn takes(_layout: Layout) -> bool {
        false
    }

    pub(super) fn map(_bytes: usize) -> *mut u8 {
        null_mut()
    }

    pub(super) unsafe fn unmap(_block: *mut u8, _bytes: usize) {}

    pub(super) unsafe fn resize(_block: *mut u8, _before: usize, _after: usize) -> *mut u8 {
        null_mut()
    }
}

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
        for place in [table.as_ptr().addr(), table.as_ptr().addr() + 7 * LARGE] {
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

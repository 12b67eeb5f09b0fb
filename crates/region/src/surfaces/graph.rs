//! The graph of the pieces of all parts.

use waymesh_core::{Buckets, threads};

use crate::stacks::{Slots, StackList, Stacks};

/// Two pieces that touch, or two sheets, with the number of links between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub(super) one: u32,
    pub(super) two: u32,
    pub(super) links: u32,
}

/// Counters of pairs of pieces. A pair recurs soon or never, so the `COUNT` most recent pairs, a
/// power of two, are counted in place and the others are put on a list.
pub(super) struct Pairs<const COUNT: usize> {
    recent: [Edge; COUNT],
    list: Vec<Edge>,
}

/// Pairs within a block, or pairs that each occur once or twice.
pub(super) type FewPairs = Pairs<128>;

/// Pairs of all pieces, block by block: the pairs of a dozen storeys in a few pieces each. If pairs
/// evict each other, sorting the list takes longer than finding them.
pub(super) type ManyPairs = Pairs<1024>;

/// Contacts and conflicts of the pieces of a part.
#[derive(Default)]
pub(super) struct Found {
    /// Pieces that touch.
    pub(super) contacts: ManyPairs,
    /// Pieces that must not be in one region.
    pub(super) stacks: StackList,
    /// The slots of the current columns.
    pub(super) slots: Slots,
}

impl<const COUNT: usize> Default for Pairs<COUNT> {
    fn default() -> Self {
        Self { recent: [Edge { one: 0, two: 0, links: 0 }; COUNT], list: Vec::new() }
    }
}

impl<const COUNT: usize> Pairs<COUNT> {
    /// Shift that leaves the bits of an index in a hash.
    const SHIFT: u32 = u32::BITS - COUNT.trailing_zeros();

    #[inline]
    pub(super) fn add(&mut self, one: u32, two: u32) {
        let (one, two) = (one.min(two), one.max(two));
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
        let hash = (one.wrapping_mul(31) ^ two).wrapping_mul(0x9e37_79b9) >> Self::SHIFT;
        let recent = &mut self.recent[hash as usize];
        if (recent.one, recent.two) == (one, two) {
            recent.links += 1;
        } else {
            let gone = std::mem::replace(recent, Edge { one, two, links: 1 });
            if gone.links > 0 {
                self.list.push(gone);
            }
        }
    }

    /// Removes and returns all pairs, sorted and without duplicates.
    pub(super) fn take(&mut self) -> Vec<Edge> {
        let mut list = self.take_unsorted();
        sum_edges(&mut list);
        list
    }

    /// Removes and returns all pairs, unsorted and possibly with duplicates.
    pub(super) fn take_unsorted(&mut self) -> Vec<Edge> {
        let mut list = std::mem::take(&mut self.list);
        for recent in &mut self.recent {
            if recent.links > 0 {
                list.push(std::mem::replace(recent, Edge { one: 0, two: 0, links: 0 }));
            }
        }
        list
    }
}

/// Number of edges from which they are sorted on several threads.
const MANY_EDGES: usize = 1 << 13;

/// Sorts edges and merges duplicates.
pub(super) fn sum_edges(edges: &mut Vec<Edge>) {
    if edges.len() < MANY_EDGES || threads::count() == 1 {
        edges.sort_unstable();
    } else {
        threads::sort(edges);
    }
    edges.dedup_by(|edge, kept| {
        let is_same = (edge.one, edge.two) == (kept.one, kept.two);
        kept.links = kept.links.saturating_add(if is_same { edge.links } else { 0 });
        is_same
    });
    edges.shrink_to_fit();
}

/// Pieces in the order of their first spans, which is the same however the field was cut into
/// parts.
pub(super) struct PieceGraph {
    /// Block of each piece, x and z.
    pub(super) blocks: Vec<[u32; 2]>,
    /// Touching pieces of one area; each pair once, the lower number first, in order.
    pub(super) edges: Vec<Edge>,
    /// Pieces that must not be in one region, but could be joined via other pieces. The pieces of a
    /// stack are connected by `edges`.
    pub(super) stacks: Stacks,
}

impl PieceGraph {
    /// Returns the adjacent pieces of each piece, with the number of links between the two.
    pub(super) fn neighbours(&self) -> Buckets<(u32, u32)> {
        let ends =
            |&Edge { one, two, links }: &Edge| [(one as usize, (two, links)), (two as usize, (one, links))];
        Buckets::new(self.blocks.len(), self.edges.iter().flat_map(ends))
    }
}

//! Connectivity of places by the width of a disc: one tree for all widths.

use super::table::{Table, WALL, previous};

/// Sides of triangles, joined by the paths through triangles, widest first. A side joins a larger
/// group at the width of the path: two sides are in one group for discs of a width if their tops,
/// reached over joins at least as wide, are the same.
///
/// # References
/// A maximum spanning tree keeps the widest path between any two places: Hu 1961, The maximum
/// capacity route problem, <https://doi.org/10.1287/opre.9.6.898>. Groups are joined by size and never shortened, so a top is `log n` steps away.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Islands {
    /// Above each side, and how wide the path to there is.
    above: Vec<(u32, f32)>,
}

/// Both half-edges of a side have one name.
fn name(table: &Table, half_edge: u32) -> u32 {
    let twin = table.twin(half_edge);
    if twin == WALL { half_edge } else { half_edge.min(twin) }
}

impl Islands {
    /// Takes time in `n log n`.
    pub(super) fn build(table: &Table) -> Self {
        let count = u32::try_from(table.twins.len()).unwrap_or(WALL);
        let mut ways: Vec<u32> =
            (0..count).filter(|&corner| table.clearance[corner as usize] > 0.0).collect();
        ways.sort_by(|&a, &b| {
            table.clearance[b as usize].total_cmp(&table.clearance[a as usize]).then(a.cmp(&b))
        });
        let mut islands = Self { above: (0..count).map(|side| (side, f32::INFINITY)).collect() };
        let mut sizes = vec![1_u32; count as usize];
        for corner in ways {
            let width = table.clearance[corner as usize];
            let [a, b] = [corner, previous(corner)].map(|side| islands.top(name(table, side), 0.0));
            if a != b {
                let (small, large) = if sizes[a as usize] < sizes[b as usize] { (a, b) } else { (b, a) };
                sizes[large as usize] += sizes[small as usize];
                islands.above[small as usize] = (large, width);
            }
        }
        islands
    }

    /// Returns the top of a side, over joins that are wide enough.
    fn top(&self, mut side: u32, width: f32) -> u32 {
        loop {
            let (above, way) = self.above[side as usize];
            if above == side || way < width {
                return side;
            }
            side = above;
        }
    }

    /// Returns the group of a side for discs of a width, none for a wall or one that is too short.
    pub(super) fn group(&self, table: &Table, half_edge: u32, width: f64) -> Option<u32> {
        if table.is_wall(half_edge) {
            return None;
        }
        let [a, b] = table.ends(half_edge);
        let long = (b - a).length();
        #[expect(clippy::cast_possible_truncation, reason = "clearances are single-precision")]
        let least = width as f32;
        (long >= width).then(|| self.top(name(table, half_edge), least))
    }

    /// Returns `true` if a disc of a width gets from one triangle to the other, for all that is
    /// known of the paths between them.
    pub(super) fn may_join(&self, table: &Table, from: u32, to: u32, width: f64) -> bool {
        let groups = |triangle: u32| [0, 1, 2].map(|side| self.group(table, 3 * triangle + side, width));
        if from == to {
            return true;
        }
        let there = groups(to);
        groups(from).into_iter().flatten().any(|group| there.contains(&Some(group)))
    }
}

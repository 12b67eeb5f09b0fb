//! Section 4.3 of the paper: merges the pieces of tiles to regions.

use waymesh_core::{AreaId, Direction, DisjointSets, PlanPoint, RegionId, checkpoint, threads};

use crate::SlicesError;
use crate::bins::Tiling;
use crate::corners::{Corner, CornerKind};
use crate::facing::{Facing, Meeting, meet};
use crate::plane::Plane;
use crate::tile::{BorderRun, Piece, TileSlices, is_saddle};

/// A region: a piece of ground of one area that is connected through sides of cells, on one level
/// or on one inclined plane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SliceRegion {
    /// Level of its highest cell, above the frame's origin.
    pub level: i32,
    /// Area of the region.
    pub area: AreaId,
    /// The ground. It lies within `error` of the levels of the region's cells. The true ground lies
    /// below these levels by at most one level, or by the rise of the ground within a cell.
    pub ground: Plane,
    /// Largest distance in levels between `ground` and the level of a cell, at the centre of the
    /// cell; 0 if the region is level.
    pub error: f64,
    /// Number of cells.
    pub cells: u64,
    /// Number of the paper's region that contains the first cell. Regions of the paper are level,
    /// and also connected through corners of cells. Slices are numbered in the order of their first
    /// cells.
    pub slice: u32,
}

/// All regions with their corner points and the regions beyond their borders. The content does not
/// depend on the tiles.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) regions: Vec<SliceRegion>,
    /// Corner points, region by region; `corner_ends` has one entry per region and one before.
    pub(crate) corners: Vec<Corner>,
    pub(crate) corner_ends: Vec<usize>,
    /// The cells around each corner: see [`crate::corners::corner_cells`].
    pub(crate) corner_cells: Vec<u8>,
    /// The stretches along which regions face each other, sorted.
    pub(crate) meetings: Vec<Meeting>,
    /// Number of spans, walkable or not.
    pub(crate) spans: u64,
}

/// Joins the pieces of all tiles.
///
/// The paper joins regions that share a false corner (Algorithm 6). But two pieces may share a
/// stretch of the tiles' border with real corners at both ends: in `##|..` over `##|##` over
/// `..|##` there is no false corner at all. Here pieces are joined where spans of one level and
/// area are adjacent across the border. Corner points need no treatment: they were found in
/// extended tiles, so the corners of a region are the corners of all its pieces.
///
/// `numbers` are those of the tiles, ascending.
pub(crate) fn merge_tiles(
    tiling: &Tiling,
    numbers: &[u64],
    tiles: Vec<TileSlices>,
) -> Result<Merged, SlicesError> {
    let mut bases = Vec::with_capacity(tiles.len());
    let mut count = 0_u64;
    for tile in &tiles {
        bases.push(u32::try_from(count).unwrap_or(u32::MAX));
        count += tile.pieces.len() as u64;
    }
    let limit = u64::from(u32::MAX);
    if count >= limit {
        return Err(SlicesError::TooMany { element: "pieces of regions", count, limit });
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just above")]
    let mut sets = DisjointSets::new(count as usize);
    for tile in 0..tiles.len() {
        checkpoint();
        let (across, number) = (u64::from(tiling.across), numbers[tile]);
        let beside = [(Direction::PosX, number + 1), (Direction::PosZ, number + across)];
        for (side, other) in beside {
            if side == Direction::PosX && other % across == 0 {
                continue;
            }
            let Ok(other) = numbers.binary_search(&other) else { continue };
            let runs: [&[BorderRun]; 2] =
                [&tiles[tile].borders[side.index()], &tiles[other].borders[side.opposite().index()]];
            join_runs(runs, |a, b| {
                sets.unite(bases[tile] + a, bases[other] + b);
            });
        }
    }
    let (region_of, regions) = number(&mut sets, &tiles);
    Merged::gather(&bases, &region_of, regions, tiles)
}

/// Calls `meet` for the labels of runs of one level and area that lie opposite each other. Both
/// lists are sorted.
fn join_runs([a, b]: [&[BorderRun]; 2], mut meet: impl FnMut(u32, u32)) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(one), Some(other)) = (a.peek(), b.peek()) {
        let key = |run: &BorderRun| (run.level, run.area);
        if key(one) == key(other) && one.start < other.end && other.start < one.end {
            meet(one.label, other.label);
        }
        if (key(one), one.end) <= (key(other), other.end) {
            a.next();
        } else {
            b.next();
        }
    }
}

/// Returns the region of each piece, and the regions in row-major order of their first cells.
#[expect(clippy::cast_possible_truncation, reason = "there are less than u32::MAX pieces")]
fn number(sets: &mut DisjointSets, tiles: &[TileSlices]) -> (Vec<u32>, Vec<SliceRegion>) {
    let pieces: Vec<Piece> = tiles.iter().flat_map(|tile| tile.pieces.iter().copied()).collect();
    let mut first: Vec<[u32; 2]> = pieces.iter().map(|piece| piece.first).collect();
    let mut cells: Vec<u64> = vec![0; pieces.len()];
    let mut roots = Vec::new();
    for (label, piece) in pieces.iter().enumerate() {
        let root = sets.find(label as u32) as usize;
        first[root] = first[root].min(piece.first);
        cells[root] += u64::from(piece.spans);
        if root == label {
            roots.push(root as u32);
        }
    }
    let place = |&root: &u32| (first[root as usize], pieces[root as usize].level);
    threads::sort_by(&mut roots, |a, b| place(a).cmp(&place(b)));
    let mut region_of = vec![0; pieces.len()];
    for (region, &root) in roots.iter().enumerate() {
        region_of[root as usize] = region as u32;
    }
    for label in 0..pieces.len() {
        region_of[label] = region_of[sets.find(label as u32) as usize];
    }
    let regions = roots
        .iter()
        .map(|&root| SliceRegion {
            level: pieces[root as usize].level,
            area: pieces[root as usize].area,
            ground: Plane::level(pieces[root as usize].level),
            error: 0.0,
            cells: cells[root as usize],
            slice: 0,
        })
        .collect();
    (region_of, regions)
}

impl Merged {
    /// Sorts corners and borders by region, and frees the tables of the tiles meanwhile.
    fn gather(
        bases: &[u32],
        region_of: &[u32],
        regions: Vec<SliceRegion>,
        mut tiles: Vec<TileSlices>,
    ) -> Result<Self, SlicesError> {
        let mut merged = Self { regions, ..Self::default() };
        let region = |tile: usize, label: u32| region_of[(bases[tile] + label) as usize] as usize;
        let count = merged.regions.len();
        merged.corner_ends = vec![0; count + 1];
        let mut facings = Vec::with_capacity(tiles.iter().map(|tile| tile.facings.len()).sum());
        for (index, tile) in tiles.iter_mut().enumerate() {
            checkpoint();
            merged.spans += tile.spans;
            for corner in &tile.corners {
                merged.corner_ends[region(index, corner.label) + 1] += 1;
            }
            facings.extend(std::mem::take(&mut tile.facings).into_iter().map(|facing| {
                let label = RegionId::from_index(region(index, facing.label)).0;
                Facing { label, ..facing }
            }));
        }
        merged.meetings = meet(facings, |region| merged.regions[region as usize].level);
        for region in 0..count {
            merged.corner_ends[region + 1] += merged.corner_ends[region];
        }
        let total = (merged.corner_ends[count] as u64).max(merged.meetings.len() as u64);
        let limit = u64::from(u32::MAX) / 2;
        if total >= limit {
            return Err(SlicesError::TooMany { element: "border pieces", count: total, limit });
        }
        let nothing = Corner { point: PlanPoint::new(0, 0), kind: CornerKind::Normal };
        merged.corners = vec![nothing; merged.corner_ends[count]];
        merged.corner_cells = vec![0; merged.corner_ends[count]];
        let mut next = merged.corner_ends.clone();
        for (index, tile) in tiles.iter_mut().enumerate() {
            checkpoint();
            for corner in std::mem::take(&mut tile.corners) {
                let place = &mut next[region(index, corner.label)];
                merged.corners[*place] = corner.corner;
                merged.corner_cells[*place] = corner.cells;
                *place += 1;
            }
        }
        Ok(merged)
    }

    /// Returns the corner points of a region.
    pub(crate) fn corners_of(&self, region: usize) -> &[Corner] {
        &self.corners[self.corner_ends[region]..self.corner_ends[region + 1]]
    }

    /// Joins regions to the paper's regions, which are connected through corners. Two regions are
    /// joined if they are the two sides of a slash or antislash point.
    #[expect(clippy::cast_possible_truncation, reason = "there are less than u32::MAX regions")]
    pub(crate) fn join_slices(&mut self) {
        let count = self.regions.len();
        let found = threads::map(0..count, |region| -> Vec<_> {
            let SliceRegion { level, area, .. } = self.regions[region];
            let saddles = self.corners_of(region).iter().filter(|corner| is_saddle(corner));
            saddles.map(|corner| ((level, area), corner.point, region as u32)).collect()
        });
        let mut saddles: Vec<((i32, AreaId), PlanPoint, u32)> = found.concat();
        threads::sort(&mut saddles);
        let mut sets = DisjointSets::new(count);
        for pair in saddles.windows(2) {
            if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) {
                sets.unite(pair[0].2, pair[1].2);
            }
        }
        let mut slices = 0;
        for region in 0..count {
            let root = sets.find(region as u32) as usize;
            if root == region {
                self.regions[region].slice = slices;
                slices += 1;
            } else {
                self.regions[region].slice = self.regions[root].slice;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_meet_where_they_overlap_at_one_level() {
        let run = |level, start, end, label| BorderRun { level, area: AreaId::GROUND, start, end, label };
        let a = [run(3, 0, 4, 0), run(3, 6, 9, 1), run(5, 2, 3, 2)];
        let b = [run(3, 3, 7, 0), run(3, 9, 12, 1), run(4, 0, 9, 2), run(5, 0, 9, 3)];
        let mut met = Vec::new();
        join_runs([&a, &b], |one, other| met.push((one, other)));
        assert_eq!(met, [(0, 0), (1, 0), (2, 3)]);
        let mud = |run: BorderRun| BorderRun { area: AreaId(2), ..run };
        let b = [run(3, 3, 7, 0), mud(run(3, 0, 3, 4)), mud(run(5, 0, 9, 3))];
        met.clear();
        join_runs([&a, &b], |one, other| met.push((one, other)));
        assert_eq!(met, [(0, 0), (1, 0)]);
    }
}

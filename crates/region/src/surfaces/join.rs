//! Construction of regions from the pieces of all parts of a field.

#![expect(clippy::cast_possible_truncation, reason = "numbers of pieces, which are checked to fit 32 bits")]

use waymesh_core::{
    AreaId, BadField, DisjointSets, GridWindow, NO_REGION, Observer, SpanKey, checkpoint, checkpoint_every,
    threads,
};

use super::agglomerate::join_pieces;
use super::graph::{Edge, Found, PieceGraph, sum_edges};
use super::split::{Beyond, RimSpan, SurfacePieces};
use super::{BLOCK_CELLS, Rule};
use crate::error::RegionError;
use crate::islands::{RemovedIslands, SmallIslands};
use crate::stacks::Stacks;

/// Number of labels per task.
const LABELS: usize = 1 << 16;

/// Configuration of [`join_surfaces`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JoinConfig {
    /// Connected ground, of any areas, of less than this many square metres gets no region. Default
    /// 0; finite, zero or more.
    pub min_island: f32,
    /// Area of a cell in square metres. Default 0.09; finite, above zero.
    pub cell_area: f64,
}

impl Default for JoinConfig {
    fn default() -> Self {
        Self { min_island: 0.0, cell_area: 0.09 }
    }
}

impl JoinConfig {
    /// Sets the area of the smallest island that is kept, in square metres, and the area of a cell
    /// ([`GridFrame::cell_area`](waymesh_core::GridFrame::cell_area)).
    #[must_use]
    pub fn with_min_island(mut self, square_metres: f32, cell_area: f64) -> Self {
        (self.min_island, self.cell_area) = (square_metres, cell_area);
        self
    }

    /// Checks all fields.
    ///
    /// # Errors
    /// [`RegionError::BadField`] with the first field that is out of range.
    pub fn validate(&self) -> Result<(), RegionError> {
        BadField::unless_area("min_island", self.min_island)?;
        let is_fine = self.cell_area.is_finite() && self.cell_area > 0.0;
        Ok(BadField::unless(is_fine, "cell_area", self.cell_area, "finite and above 0 m2")?)
    }
}

/// The data of a part that the join keeps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JoinedPart {
    pub(super) core: GridWindow,
    /// Region of each of its pieces, [`NO_REGION`] for pieces on removed islands.
    pub(super) regions: Vec<u32>,
}

/// Regions of a whole field, made of the pieces of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedSurfaces {
    pub(super) rule: Option<Rule>,
    pub(super) parts: Vec<JoinedPart>,
    /// Indices of the parts, sorted by the corners of their cores.
    pub(super) order: Vec<u32>,
    /// Region of every span next to another part, in order.
    pub(super) rim: Vec<(SpanKey, u32)>,
    areas: Vec<AreaId>,
    spans: Vec<u64>,
    firsts: Vec<SpanKey>,
    removed: RemovedIslands,
}

impl JoinedSurfaces {
    /// Returns the first span of each region. Unlike its number, it does not depend on what is
    /// before it in the grid.
    #[must_use]
    pub fn firsts(&self) -> &[SpanKey] {
        &self.firsts
    }

    /// Returns the regions of the pieces of a part, by its number in `parts` of [`join_surfaces`];
    /// [`NO_REGION`] for pieces on removed islands.
    #[must_use]
    pub fn regions_of(&self, part: usize) -> &[u32] {
        &self.parts[part].regions
    }

    /// Returns the number of regions.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.areas.len() as u32
    }

    /// Returns the area of each region.
    #[must_use]
    pub fn areas(&self) -> &[AreaId] {
        &self.areas
    }

    /// Returns the number of spans of each region.
    #[must_use]
    pub fn spans(&self) -> &[u64] {
        &self.spans
    }

    /// Returns the islands that were too small to get a region.
    #[must_use]
    pub fn removed(&self) -> RemovedIslands {
        self.removed
    }

    /// Replaces the piece numbers of one part by regions. Returns one more than the largest piece
    /// number.
    pub(super) fn label_core(&self, part: usize, labels: &mut [u32]) -> usize {
        let regions = &self.parts[part].regions;
        let name = |labels: &mut [u32]| {
            let mut count = 0;
            for label in labels {
                // The successor of `NO_REGION` is 0.
                count = count.max(label.wrapping_add(1));
                *label = regions.get(*label as usize).copied().unwrap_or(NO_REGION);
            }
            count as usize
        };
        if labels.len() <= LABELS || threads::count() == 1 {
            return name(labels);
        }
        threads::map(labels.chunks_mut(LABELS), name).into_iter().max().unwrap_or(0)
    }
}

/// Builds regions from the pieces of all parts of a field. The parts may be in any order.
///
/// Touching pieces of one area are joined as long as no two pieces of the sheet conflict. This is
/// done first within squares of two blocks a side, then of four, eight and so on. In each square
/// the longest contact comes first, and only contacts that are long for the square are joined. The
/// remaining contacts follow at the end, over the whole grid. Floors are thus joined before stairs
/// and doors, and conflicts remain where contacts are short. Then pieces move across the remaining
/// seams, to make each seam between two sheets locally as short as possible. Small sheets are
/// dissolved if their neighbours can take all of their pieces. At the end, sheets that can now be
/// joined are joined. This finds few regions and short seams, but not always the fewest or
/// shortest.
///
/// Reports removed islands to `observer`.
///
/// # Guarantees
/// - The regions do not depend on how the field was cut into parts, nor on the order of `parts`.
/// - Regions are numbered by their first spans, and satisfy the contract of
///   [`Partition`](waymesh_core::stage::Partition) except for spans on removed islands, which have
///   no region.
/// - No two adjacent regions of the same area could be one.
/// - Ground that is in no part is treated as absent.
///
/// # Cost
/// About `p log p` for `p` pieces, and about 300 bytes per piece of temporary memory. Each
/// remaining seam takes one flow computation over a bounded number of pieces. Surfaces without
/// conflicts cost very little.
///
/// # Errors
/// - [`RegionError::BadField`] for an invalid configuration.
/// - [`RegionError::TilesDiffer`], [`RegionError::TilesOverlap`] and [`RegionError::TilesDisagree`]
///   for parts that do not belong to one field.
/// - [`RegionError::TooManyPieces`] beyond `u32::MAX - 1`.
///
/// # References
/// - Joining by the longest contact: Keuper et al. 2015, Efficient Decomposition of Image and Mesh
///   Graphs by Lifted Multicuts, section 4.1,
///   <https://doi.org/10.1109/ICCV.2015.204>.
/// - Conflicts that forbid a join: Wolf et al. 2018, The Mutex Watershed, <https://doi.org/10.1007/978-3-030-01225-0_34>.
pub fn join_surfaces(
    parts: &[SurfacePieces],
    config: &JoinConfig,
    observer: &mut dyn Observer,
) -> Result<JoinedSurfaces, RegionError> {
    config.validate()?;
    let gathered = Gathered::new(parts)?;
    let (kept, removed) = drop_islands(&gathered, config, observer);
    let graph = gathered.graph(&kept);
    let sheets = join_pieces(&graph);
    // Regions are numbered by first span. Pieces are in that order, so a region's first piece has
    // its first span.
    let mut numbers = vec![NO_REGION; sheets.len()];
    let (mut areas, mut spans) = (Vec::new(), Vec::new());
    let mut regions = vec![NO_REGION; sheets.len()];
    for (piece, &sheet) in sheets.iter().enumerate() {
        if !kept[piece] {
            continue;
        }
        let number = &mut numbers[sheet as usize];
        if *number == NO_REGION {
            *number = areas.len() as u32;
            areas.push(gathered.areas[piece]);
            spans.push(0);
        }
        regions[piece] = *number;
        spans[*number as usize] += u64::from(gathered.sizes[piece]);
    }
    let joined = parts.iter().zip(&gathered.names).map(|(part, names)| JoinedPart {
        core: part.core,
        regions: names.iter().map(|&name| regions[name as usize]).collect(),
    });
    let joined: Vec<JoinedPart> = joined.collect();
    let last = SpanKey { z: u32::MAX, x: u32::MAX, floor: i32::MAX };
    let mut firsts = vec![last; areas.len()];
    for (part, joined) in parts.iter().zip(&joined) {
        for (piece, &region) in part.pieces.iter().zip(&joined.regions) {
            // `NO_REGION` is in no table.
            if let Some(first) = firsts.get_mut(region as usize) {
                *first = piece.first.min(*first);
            }
        }
    }
    let mut order: Vec<u32> = (0..joined.len() as u32).collect();
    order.sort_unstable_by_key(|&part| corner(&joined[part as usize].core));
    let rim = gathered.rim.iter().map(|span| (span.key, regions[span.piece as usize])).collect();
    Ok(JoinedSurfaces {
        rule: parts.first().map(|part| part.rule),
        parts: joined,
        order,
        rim,
        areas,
        spans,
        firsts,
        removed,
    })
}

/// Returns the sort key of a part.
pub(super) fn corner(core: &GridWindow) -> (u32, u32) {
    (core.z, core.x)
}

/// The pieces of all parts with common names. The name of a piece is its index in the order of
/// first spans.
struct Gathered {
    /// Names of the pieces of each part.
    names: Vec<Vec<u32>>,
    /// Block of each piece, by name.
    blocks: Vec<[u32; 2]>,
    areas: Vec<AreaId>,
    sizes: Vec<u16>,
    /// Touching pieces, also of different areas; in order, each pair once.
    edges: Vec<Edge>,
    stacks: Stacks,
    /// Rims of all parts in order, with the names of the pieces.
    rim: Vec<RimSpan>,
}

impl Gathered {
    fn new(parts: &[SurfacePieces]) -> Result<Self, RegionError> {
        let total: u64 = parts.iter().map(|part| part.pieces.len() as u64).sum();
        let limit = u64::from(u32::MAX - 1);
        if total > limit {
            return Err(RegionError::TooManyPieces { pieces: total, limit });
        }
        let differs = |part: &SurfacePieces| (part.grid, part.rule) != (parts[0].grid, parts[0].rule);
        if let Some(tile) = parts.iter().position(differs) {
            return Err(RegionError::TilesDiffer { tile });
        }
        let mut sorted: Vec<(SpanKey, u32, u32)> = Vec::with_capacity(total as usize);
        for (part, pieces) in (0_u32..).zip(parts) {
            checkpoint();
            sorted
                .extend(pieces.pieces.iter().zip(0_u32..).map(|(piece, number)| (piece.first, part, number)));
        }
        if threads::count() == 1 {
            sorted.sort_unstable();
        } else {
            threads::sort(&mut sorted);
        }
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(RegionError::TilesOverlap { key: twice[0].0 });
        }
        let mut result = Self {
            names: parts.iter().map(|part| vec![0; part.pieces.len()]).collect(),
            blocks: Vec::with_capacity(sorted.len()),
            areas: Vec::with_capacity(sorted.len()),
            sizes: Vec::with_capacity(sorted.len()),
            edges: Vec::new(),
            stacks: Stacks::default(),
            rim: Vec::new(),
        };
        for (name, &(first, part, number)) in (0_u32..).zip(&sorted) {
            result.names[part as usize][number as usize] = name;
            let piece = &parts[part as usize].pieces[number as usize];
            result.blocks.push([first.x / BLOCK_CELLS, first.z / BLOCK_CELLS]);
            result.areas.push(piece.area);
            result.sizes.push(piece.spans);
        }
        drop(sorted);
        for (part, names) in parts.iter().zip(&result.names) {
            checkpoint();
            let name = |piece: u32| names[piece as usize];
            let ordered = |one: u32, two: u32| (one.min(two), one.max(two));
            result.edges.extend(part.contacts.iter().map(|contact| {
                let (one, two) = ordered(name(contact.one), name(contact.two));
                Edge { one, two, links: contact.links }
            }));
            result.stacks.append(&part.stacks, name);
            result.rim.extend(part.rim.iter().map(|span| RimSpan { piece: name(span.piece), ..*span }));
        }
        result.rim.sort_unstable_by_key(|span| span.key);
        if let Some(twice) = result.rim.windows(2).find(|pair| pair[0].key == pair[1].key) {
            return Err(RegionError::TilesOverlap { key: twice[0].key });
        }
        result.cross(parts)?;
        sum_edges(&mut result.edges);
        Ok(result)
    }

    /// Finds the contacts and conflicts between pieces of different parts.
    fn cross(&mut self, parts: &[SurfacePieces]) -> Result<(), RegionError> {
        let places = Places::new(parts);
        // Along a side the same pairs occur many times.
        let Found { mut contacts, mut stacks, mut slots } = Found::default();
        let end_of = |rim: &[RimSpan], start: usize, x: u32, z: u32| {
            let is_at = |span: &&RimSpan| (span.key.z, span.key.x) == (z, x);
            start + rim[start..].iter().take_while(is_at).count()
        };
        let (mut index, mut south) = (0, 0);
        while index < self.rim.len() {
            checkpoint_every(1 << 14, index);
            // The adjacent column along x is the next in order. The adjacent column along z
            // advances together with the columns.
            let SpanKey { z, x, .. } = self.rim[index].key;
            let east = end_of(&self.rim, index, x, z);
            while self.rim.get(south).is_some_and(|other| (other.key.z, other.key.x) < (z + 1, x)) {
                south += 1;
            }
            let own = &self.rim[index..east];
            for (side, (start, x, z)) in [(east, x + 1, z), (south, x, z + 1)].into_iter().enumerate() {
                if own[0].beyond[side] == Beyond::Inside {
                    continue;
                }
                let there = &self.rim[start..end_of(&self.rim, start, x, z)];
                let link = |span: &RimSpan| {
                    let Beyond::Linked(floor) = span.beyond[side] else { return None };
                    Some(there.binary_search_by_key(&floor, |other| other.key.floor))
                };
                let lost = own.iter().find(|span| matches!(link(span), Some(Err(_))));
                if let Some(span) = lost.filter(|_| places.covers(parts, x, z)) {
                    return Err(RegionError::TilesDisagree { key: span.key });
                }
                let link = |span: &RimSpan| link(span).and_then(Result::ok);
                let of = |span: &RimSpan| Some((u32::from(self.areas[span.piece as usize].0), span.piece));
                slots.collect(own.iter(), there.iter(), link, of, |one, two| contacts.add(one, two));
                stacks.add(&mut slots);
            }
            index = east;
        }
        self.edges.extend(contacts.take_unsorted());
        self.stacks.append(&stacks.stacks, |piece| piece);
        Ok(())
    }

    /// Builds the graph of possible joins: contacts between kept pieces of one area. Conflicts
    /// between pieces that never meet are left out.
    fn graph(&self, kept: &[bool]) -> PieceGraph {
        let edges: Vec<Edge> = self
            .edges
            .iter()
            .filter(|edge| {
                let [one, two] = [edge.one, edge.two].map(|piece| self.areas[piece as usize]);
                kept[edge.one as usize] && one == two
            })
            .copied()
            .collect();
        let mut sets = DisjointSets::new(self.blocks.len());
        for edge in &edges {
            sets.unite(edge.one, edge.two);
        }
        let stacks = self.stacks.regrouped(|piece| Some(sets.find(piece)), |piece| piece);
        PieceGraph { blocks: self.blocks.clone(), stacks, edges }
    }
}

/// An index of the parts by column.
struct Places {
    /// Corners of the cores with the number of the part, sorted.
    corners: Vec<(u32, u32, u32)>,
    /// Largest depth of a core.
    depth: u32,
}

impl Places {
    fn new(parts: &[SurfacePieces]) -> Self {
        let mut corners: Vec<(u32, u32, u32)> =
            parts.iter().zip(0_u32..).map(|(part, number)| (part.core.z, part.core.x, number)).collect();
        corners.sort_unstable();
        Self { corners, depth: parts.iter().map(|part| part.core.depth).max().unwrap_or(0) }
    }

    fn covers(&self, parts: &[SurfacePieces], x: u32, z: u32) -> bool {
        // Searches rows of parts, from the row that begins at or before z. Parts share no column,
        // so only a few rows are searched.
        let mut row = z;
        loop {
            let end = self.corners.partition_point(|&(part_z, part_x, _)| (part_z, part_x) <= (row, x));
            let Some(&(part_z, _, number)) = self.corners[..end].last() else { return false };
            if u64::from(part_z) + u64::from(self.depth) <= u64::from(z) {
                return false;
            }
            if parts[number as usize].core.contains(x, z) {
                return true;
            }
            let Some(above) = part_z.checked_sub(1) else { return false };
            row = above;
        }
    }
}

/// Removes connected components that are too small. Returns `true` for each piece that is kept.
fn drop_islands(
    gathered: &Gathered,
    config: &JoinConfig,
    observer: &mut dyn Observer,
) -> (Vec<bool>, RemovedIslands) {
    let count = gathered.blocks.len();
    let Some(mut small) = SmallIslands::new(config.min_island, config.cell_area) else {
        return (vec![true; count], RemovedIslands::default());
    };
    let mut sets = DisjointSets::new(count);
    for edge in &gathered.edges {
        sets.unite(edge.one, edge.two);
    }
    let mut sizes = vec![0_u64; count];
    for (piece, &size) in (0_u32..).zip(&gathered.sizes) {
        sizes[sets.find(piece) as usize] += u64::from(size);
    }
    let drops: Vec<bool> = sizes.iter().map(|&spans| spans > 0 && small.removes(spans)).collect();
    let kept = (0..count as u32).map(|piece| !drops[sets.find(piece) as usize]).collect();
    (kept, small.report(observer))
}

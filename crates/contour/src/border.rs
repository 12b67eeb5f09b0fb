//! Half-edges: the sides of spans where a region ends, with the next and the opposite half-edge of
//! each.

use waymesh_core::{
    Direction, NO_REGION, NO_SPAN, PlanPoint, RegionId, RegionMap, checkpoint_every, threads,
};

use crate::ContourError;
use crate::scan::BorderScan;

/// Spans per word of the rank table.
const WORD: usize = u64::BITS as usize;

/// Sentinel for a missing half-edge.
pub(crate) const NO_EDGE: u32 = u32::MAX;

/// A side of a span beyond which its region ends. Half-edges are numbered span by span, in the
/// order of directions.
pub(crate) type HalfEdge = u32;

/// A span with a side where its region ends, and all data that later passes need from the field.
/// Later passes read the field again only for spans inside a region at sharp corners.
#[derive(Clone, Copy, Debug)]
struct BorderSpan {
    cell: u32,
    span: u32,
    label: u32,
    links: [u32; 4],
    ground: f32,
    first_edge: HalfEdge,
    /// Bit mask of the directions in which the region ends.
    sides: u8,
    /// Bit mask of the `sides` with another region beyond.
    shared: u8,
}

/// The data of a span inside its region that a walk around a sharp corner passes through.
#[derive(Clone, Copy, Debug)]
struct Pivot {
    links: [u32; 4],
    ground: f32,
}

/// All border spans. A bit set with a rank per word finds them by span number, so the other tables
/// are only as long as the borders.
#[derive(Debug)]
struct BorderSpans {
    bits: Vec<u64>,
    ranks: Vec<u32>,
    spans: Vec<BorderSpan>,
    edges: usize,
}

/// Number of words of the rank table that a thread scans in one run.
const WORDS: usize = 1 << 10;

/// Returns the border spans of a part, with half-edges numbered from 0, and the number of
/// half-edges. `bits` is the bit set of the part, whose first span is `first`.
#[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits; edges are counted by the caller")]
fn scan(field: &impl BorderScan, labels: &[u32], first: usize, bits: &mut [u64]) -> (Vec<BorderSpan>, usize) {
    let (mut spans, mut edges) = (Vec::new(), 0_usize);
    let label_across = |link: u32| labels.get(link as usize).copied().unwrap_or(NO_REGION);
    let end = (first + bits.len() * WORD).min(labels.len());
    field.scan_borders(labels, first as u32..end as u32, |cell, span| {
        let label = labels[span as usize];
        let links = Direction::ALL.map(|direction| field.link(cell, span, direction));
        let across = links.map(label_across);
        let (mut sides, mut shared) = (0_u8, 0_u8);
        for (direction, &beyond) in across.iter().enumerate() {
            sides |= u8::from(beyond != label) << direction;
            shared |= u8::from(beyond != label && beyond != NO_REGION) << direction;
        }
        if sides == 0 || label == NO_REGION {
            return;
        }
        let place = span as usize - first;
        bits[place / WORD] |= 1 << (place % WORD);
        let first_edge = edges as u32;
        spans.push(BorderSpan { cell, span, label, links, ground: 0.0, first_edge, sides, shared });
        edges += sides.count_ones() as usize;
    });
    (spans, edges)
}

impl BorderSpans {
    /// Scans every span of the field once, on several threads if available.
    #[expect(clippy::cast_possible_truncation, reason = "counts are checked when all are known")]
    fn collect(field: &impl BorderScan, regions: &RegionMap) -> Result<Self, ContourError> {
        let labels = regions.labels.as_slice();
        let mut bits = vec![0_u64; labels.len().div_ceil(WORD)];
        let scan = |(part, bits): (usize, &mut [u64])| scan(field, labels, part * WORDS * WORD, bits);
        let parts: Vec<(Vec<BorderSpan>, usize)> = threads::map(bits.chunks_mut(WORDS).enumerate(), scan);
        let mut spans = Vec::with_capacity(parts.iter().map(|(spans, _)| spans.len()).sum());
        let mut edges = 0_usize;
        for (part, own) in parts {
            let first_edge = |border: &BorderSpan| border.first_edge.wrapping_add(edges as u32);
            spans.extend(
                part.into_iter().map(|border| BorderSpan { first_edge: first_edge(&border), ..border }),
            );
            edges += own;
        }
        if edges >= NO_EDGE as usize {
            return Err(ContourError::BorderTooLong { steps: edges, limit: NO_EDGE as usize });
        }
        if let Some(&BorderSpan { span, label, .. }) =
            spans.iter().find(|border| border.label >= regions.count)
        {
            return Err(ContourError::UnknownRegion { span, label, count: regions.count });
        }
        let mut ranks = Vec::with_capacity(bits.len());
        let mut rank = 0;
        for bits in &bits {
            ranks.push(rank);
            rank += bits.count_ones();
        }
        // A separate loop of independent loads is several times as fast as loads within the scan.
        let grounds = field.ground();
        for border in &mut spans {
            border.ground = grounds[border.span as usize];
        }
        let borders = Self { bits, ranks, spans, edges };
        borders.check_slits(field, labels)?;
        Ok(borders)
    }

    /// Checks that no two spans of a region lie side by side without a link.
    fn check_slits(&self, field: &impl BorderScan, labels: &[u32]) -> Result<(), ContourError> {
        let (width, columns) = (field.width(), field.columns());
        for (index, border) in self.spans.iter().enumerate() {
            checkpoint_every(1 << 14, index);
            // One of the two sides of a slit faces this way.
            let is_open = |direction: Direction| border.links[direction.index()] == NO_SPAN;
            let (right, down) = (is_open(Direction::PosX), is_open(Direction::PosZ));
            if !right && !down {
                continue;
            }
            let cell = border.cell;
            let right = right && !(cell + 1).is_multiple_of(width);
            for other in [right.then_some(cell as usize + 1), down.then_some(cell as usize + width as usize)]
            {
                let bounds = other.and_then(|other| columns.get(other..other + 2)).unwrap_or(&[0, 0]);
                let column = labels.get(bounds[0] as usize..bounds[1] as usize).unwrap_or(&[]);
                if column.contains(&border.label) {
                    let region = RegionId(border.label);
                    return Err(ContourError::RegionTouchesItself { region, span: border.span });
                }
            }
        }
        Ok(())
    }

    fn contains(&self, span: u32) -> bool {
        self.bits.get(span as usize / WORD).is_some_and(|bits| bits >> (span as usize % WORD) & 1 == 1)
    }

    fn get(&self, span: u32) -> Option<&BorderSpan> {
        let (word, bit) = (span as usize / WORD, span as usize % WORD);
        self.contains(span).then(|| {
            let rank = self.ranks[word] + (self.bits[word] & ((1 << bit) - 1)).count_ones();
            &self.spans[rank as usize]
        })
    }

    /// Returns the spans inside a region at sharp corners, in the order of the half-edges before
    /// the corners.
    fn pivots(&self, field: &impl BorderScan) -> Vec<Pivot> {
        let width = field.width().cast_signed();
        let mut spans = Vec::new();
        for border in &self.spans {
            for direction in Direction::ALL {
                let side = direction.previous();
                if border.has_side(direction)
                    && !border.has_side(side)
                    && !self.contains(border.links[side.index()])
                {
                    let (dx, dz) = side.offset();
                    spans
                        .push((border.cell.wrapping_add_signed(dz * width + dx), border.links[side.index()]));
                }
            }
        }
        // A separate loop of independent loads is faster, as for the grounds.
        let grounds = field.ground();
        let load = |(cell, span): (u32, u32)| Pivot {
            links: Direction::ALL.map(|direction| field.link(cell, span, direction)),
            ground: grounds[span as usize],
        };
        spans.into_iter().map(load).collect()
    }
}

impl BorderSpan {
    fn edge(&self, direction: Direction) -> HalfEdge {
        self.first_edge + u32::from(self.sides & ((1 << direction.index()) - 1)).count_ones()
    }

    fn has_side(&self, direction: Direction) -> bool {
        self.sides >> direction.index() & 1 == 1
    }
}

/// Flag in the marks of a half-edge: its height sum is the final height of the vertex.
const SUMMED: u8 = 8;

/// All half-edges and their neighbours.
#[derive(Debug)]
pub(crate) struct HalfEdges {
    /// The next half-edge around the region, found by walking around the corner through spans of
    /// the region.
    pub(crate) next: Vec<HalfEdge>,
    /// The previous half-edge around the region.
    pub(crate) previous: Vec<HalfEdge>,
    /// The opposite half-edge, which belongs to the region beyond; [`NO_EDGE`] at a wall.
    pub(crate) twin: Vec<HalfEdge>,
    /// The region of each half-edge.
    pub(crate) region: Vec<u32>,
    /// The span of each half-edge.
    pub(crate) span: Vec<u32>,
    /// The column of that span.
    pub(crate) cell: Vec<u32>,
    /// Sum of the ground heights of the spans of its region around its start. There are `marks & 7`
    /// such spans.
    height_sum: Vec<f32>,
    /// Number of spans in the sum (1 to 3), [`SUMMED`], and the direction from bit 4.
    marks: Vec<u8>,
}

impl HalfEdges {
    /// Collects all half-edges of all regions.
    pub(crate) fn collect(field: &impl BorderScan, regions: &RegionMap) -> Result<Self, ContourError> {
        let labels = regions.labels.len();
        if let Some(spans) = field.table_lengths().into_iter().find(|&spans| spans != labels) {
            return Err(ContourError::LabelCount { labels, spans });
        }
        let borders = BorderSpans::collect(field, regions)?;
        let mut edges = Self {
            next: Vec::with_capacity(borders.edges),
            previous: vec![NO_EDGE; borders.edges],
            twin: Vec::with_capacity(borders.edges),
            region: Vec::with_capacity(borders.edges),
            span: Vec::with_capacity(borders.edges),
            cell: Vec::with_capacity(borders.edges),
            height_sum: vec![0.0; borders.edges],
            marks: vec![0; borders.edges],
        };
        let mut pivots = borders.pivots(field).into_iter();
        for (index, border) in borders.spans.iter().enumerate() {
            checkpoint_every(1 << 12, index);
            for direction in Direction::ALL.into_iter().filter(|&direction| border.has_side(direction)) {
                edges.add(&borders, &mut pivots, border, direction)?;
            }
        }
        Ok(edges)
    }

    /// Adds the next half-edge.
    #[expect(clippy::cast_possible_truncation, reason = "there are less than u32::MAX half-edges")]
    fn add(
        &mut self,
        borders: &BorderSpans,
        pivots: &mut impl Iterator<Item = Pivot>,
        border: &BorderSpan,
        direction: Direction,
    ) -> Result<(), ContourError> {
        let edge = self.next.len();
        let broken = |span: u32, neighbour: u32| Err(ContourError::AsymmetricLink { span, neighbour });
        let twin = if border.shared >> direction.index() & 1 == 1 {
            let (neighbour, back) = (border.links[direction.index()], direction.opposite());
            match borders.get(neighbour) {
                Some(other) if other.links[back.index()] == border.span && other.has_side(back) => {
                    other.edge(back)
                }
                _ => return broken(border.span, neighbour),
            }
        } else {
            NO_EDGE
        };
        // The walk turns sharply, continues straight or turns back. It passes through at most two
        // more spans, because regions have no slits.
        let side = direction.previous();
        let (mut sum, mut count) = (border.ground, 1);
        let next = if border.has_side(side) {
            border.edge(side)
        } else {
            let ahead = border.links[side.index()];
            let (links, ground, is_end) = match borders.get(ahead) {
                Some(ahead) if ahead.has_side(direction) => {
                    (ahead.links, ahead.ground, Some(ahead.edge(direction)))
                }
                Some(ahead) => (ahead.links, ahead.ground, None),
                None => match pivots.next() {
                    Some(pivot) => (pivot.links, pivot.ground, None),
                    None => return broken(border.span, ahead),
                },
            };
            (sum, count) = (sum + ground, 2);
            match (is_end, borders.get(links[direction.index()])) {
                (Some(next), _) => next,
                (None, Some(beside)) if beside.has_side(direction.next()) => {
                    (sum, count) = (sum + beside.ground, 3);
                    beside.edge(direction.next())
                }
                _ => {
                    let region = RegionId(border.label);
                    return Err(ContourError::RegionTouchesItself { region, span: border.span });
                }
            }
        };
        // If a link has no link back, two half-edges would have the same next half-edge.
        match self.previous.get_mut(next as usize) {
            Some(previous) if *previous == NO_EDGE => *previous = edge as u32,
            _ => return broken(border.span, border.links[direction.index()]),
        }
        self.next.push(next);
        self.twin.push(twin);
        self.region.push(border.label);
        self.span.push(border.span);
        self.cell.push(border.cell);
        self.height_sum[next as usize] = sum;
        self.marks[next as usize] |= count;
        self.marks[edge] |= (direction.index() as u8) << 4;
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.next.len()
    }

    /// Returns the label on the other side, [`NO_REGION`] at a wall.
    pub(crate) fn beyond(&self, edge: HalfEdge) -> u32 {
        let twin = self.twin[edge as usize];
        if twin == NO_EDGE { NO_REGION } else { self.region[twin as usize] }
    }

    /// Returns the sum and the number of the ground heights around the start of `edge`, in its
    /// region.
    fn heights(&self, edge: HalfEdge) -> (f32, f32) {
        (self.height_sum[edge as usize], f32::from(self.marks[edge as usize] & 7))
    }

    /// Returns the mean ground height around the vertex between two consecutive half-edges. The
    /// vertex must not be a junction.
    pub(crate) fn height_between(&self, before: HalfEdge, after: HalfEdge) -> f32 {
        let (mut sum, mut count) = self.heights(after);
        let twin = self.twin[before as usize];
        if twin != NO_EDGE {
            let (other_sum, other_count) = self.heights(twin);
            (sum, count) = (sum + other_sum, count + other_count);
        }
        sum / count
    }

    /// Returns the mean ground height around the junction where `edge` starts, over all half-edges
    /// that start there and are joined through links. The sum begins where a wall interrupts the
    /// circle, or else with the lowest number, so that it is the same for all these half-edges and
    /// in every part of the field.
    pub(crate) fn junction_height(&mut self, edge: HalfEdge) -> f32 {
        if self.marks[edge as usize] & SUMMED != 0 {
            return self.height_sum[edge as usize];
        }
        // The twin of the previous half-edge and the half-edge after the twin start at the same
        // vertex as the edge.
        let (mut first, mut current) = (edge, edge);
        loop {
            let before = self.twin[self.previous[current as usize] as usize];
            if before == NO_EDGE {
                first = current;
                break;
            }
            if before == edge {
                break;
            }
            (current, first) = (before, first.min(before));
        }
        let (mut sum, mut count) = (0.0, 0.0);
        self.around(first, |edges, current| {
            let (more, spans) = edges.heights(current);
            (sum, count) = (sum + more, count + spans);
        });
        let height = sum / count;
        self.around(first, |edges, current| {
            edges.height_sum[current as usize] = height;
            edges.marks[current as usize] |= SUMMED;
        });
        height
    }

    /// Visits the half-edges that start where `first` does, beginning with it.
    fn around(&mut self, first: HalfEdge, mut visit: impl FnMut(&mut Self, HalfEdge)) {
        let mut current = first;
        loop {
            visit(self, current);
            let twin = self.twin[current as usize];
            if twin == NO_EDGE {
                break;
            }
            current = self.next[twin as usize];
            if current == first {
                break;
            }
        }
    }

    /// Returns `true` if `edge` starts at a junction, where arcs end: the region beyond changes, or
    /// the border of the region beyond turns off.
    pub(crate) fn starts_at_junction(&self, edge: HalfEdge) -> bool {
        let previous = self.previous[edge as usize];
        let (before, after) = (self.twin[previous as usize], self.twin[edge as usize]);
        match (before, after) {
            (NO_EDGE, NO_EDGE) => false,
            (NO_EDGE, _) | (_, NO_EDGE) => true,
            // If the other side continues along the arc, the region beyond does not change.
            _ => self.next[after as usize] != before,
        }
    }

    /// Returns the side of the span that `edge` is.
    pub(crate) fn direction(&self, edge: HalfEdge) -> Direction {
        Direction::from_index(usize::from(self.marks[edge as usize] >> 4))
    }

    /// Returns the point where `edge` starts, if its span lies in column `(x, z)`.
    pub(crate) fn start(&self, (x, z): (i32, i32), edge: HalfEdge) -> PlanPoint {
        match self.direction(edge) {
            Direction::NegX => PlanPoint::new(x, z + 1),
            Direction::PosZ => PlanPoint::new(x + 1, z + 1),
            Direction::PosX => PlanPoint::new(x + 1, z),
            Direction::NegZ => PlanPoint::new(x, z),
        }
    }
}

//! Borders of a part of a field: chains of steps that end at junctions or at the edge of the part.

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{AreaId, Direction, GridWindow, NO_REGION, PlanPoint, RegionMap, checkpoint_every};

use crate::ContourError;
use crate::border::{HalfEdge, HalfEdges, NO_EDGE};
use crate::scan::BorderScan;

/// The borders of one part of a field, as [`crate::trace_window`] finds them and [`crate::stitch`]
/// joins them.
///
/// A chain is a piece of an arc. It ends at junctions and where the core of the part ends. Every
/// step of a border belongs to the part that has the span on its left (the one of the lower region
/// id) in its core, so parts that cover the field hold every step once.
///
/// # Size
/// 5 bytes per step and 36 bytes per chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorderChains {
    pub(crate) chains: Vec<Chain>,
    /// Sides of the spans on the left, one per step: chain after chain.
    pub(crate) steps: Vec<u8>,
    /// Height of the vertex where each step starts.
    pub(crate) heights: Vec<f32>,
}

/// A piece of an arc, in coordinates of the whole grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// First entry in the table of steps.
    pub(crate) first: u32,
    pub(crate) start: PlanPoint,
    /// The lower region.
    pub(crate) left: u32,
    /// The higher region, or [`waymesh_core::NO_REGION`].
    pub(crate) right: u32,
    /// Kinds of ground on both sides.
    pub(crate) areas: [AreaId; 2],
    /// The side that follows the last step around `left`.
    pub(crate) next_left: Direction,
    /// The side that follows the first step, walked backwards, around `right`.
    pub(crate) next_right: Direction,
    /// The chains of this part that begin with `next_left` and `next_right`: twice the number of
    /// the chain, plus one for its right side. [`NO_EDGE`] if the chain lies in another part.
    pub(crate) links: [u32; 2],
    pub(crate) starts_at_junction: bool,
    pub(crate) ends_at_junction: bool,
}

impl BorderChains {
    /// Returns the number of border steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns the memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.chains.capacity() * size_of::<Chain>() + self.steps.capacity() + 4 * self.heights.capacity()
    }

    /// Returns the chains as bytes, with the regions that `number` returns.
    ///
    /// # Size
    /// 5 bytes per step and about 20 bytes per chain.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a side is below 4")]
    pub fn to_bytes(&self, number: impl Fn(u32) -> u32) -> Vec<u8> {
        let mut out = Writer::default();
        out.count(self.chains.len());
        out.count(self.steps.len());
        for chain in &self.chains {
            let numbered = |region: u32| if region == NO_REGION { NO_REGION } else { number(region) };
            // The successors of `NO_REGION` and `NO_EDGE` are 0.
            let numbers = [numbered(chain.left), numbered(chain.right)].into_iter().chain(chain.links);
            out.number(chain.first);
            numbers.for_each(|number| out.number(number.wrapping_add(1)));
            out.put([chain.start.x, chain.start.z]);
            out.put(chain.areas.map(|area| area.0));
            out.put([chain.next_left, chain.next_right].map(|side| side.index() as u8));
            out.put([chain.starts_at_junction, chain.ends_at_junction].map(u8::from));
        }
        out.0.extend(&self.steps);
        out.put_all(self.heights.iter().copied());
        out.0
    }

    /// Returns the chains of [`BorderChains::to_bytes`]; `region` returns the region of a number.
    /// `None` for bytes that it never writes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], region: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let (count, steps): (u32, u32) = (from.number()?, from.number()?);
        let named = |number: u32| number.checked_sub(1).map_or(Some(NO_REGION), &region);
        let chains = from.list(count.into(), 19, |from| {
            let first = from.number_to(steps.checked_sub(1)?)?;
            let (left, right) = (named(from.number()?)?, named(from.number()?)?);
            let mut link = || from.number_to(count.checked_mul(2)?).map(|link: u32| link.wrapping_sub(1));
            let links = [link()?, link()?];
            let [x, z] = from.get()?;
            let areas = from.get::<[u8; 2]>()?.map(AreaId);
            let sides = from.get::<[u8; 2]>()?.map(|side| Direction::from_index(side.into()));
            let [starts_at_junction, ends_at_junction] = from.get::<[u8; 2]>()?.map(|is| is != 0);
            let (start, [next_left, next_right]) = (PlanPoint::new(x, z), sides);
            Some(Chain {
                first,
                start,
                left,
                right,
                areas,
                next_left,
                next_right,
                links,
                starts_at_junction,
                ends_at_junction,
            })
        })?;
        let are_in_order = chains.is_sorted_by(|before: &Chain, chain| before.first < chain.first)
            && chains.first().map_or(steps, |chain| chain.first) == 0;
        let steps = from.take(steps as usize).filter(|sides| sides.iter().all(|&side| side < 4))?.to_vec();
        let heights = from.list(steps.len() as u64, 4, Reader::get)?;
        from.end()?;
        are_in_order.then_some(Self { chains, steps, heights })
    }

    /// Returns the entries of chain `index` in the tables of steps.
    pub(crate) fn range(&self, index: usize) -> std::ops::Range<usize> {
        let end = self.chains.get(index + 1).map_or(self.steps.len(), |next| next.first as usize);
        self.chains[index].first as usize..end
    }

    /// Traces the chains of the columns in `core` of a field whose first column is at `origin` in
    /// the whole grid.
    pub(crate) fn trace(
        field: &impl BorderScan,
        regions: &RegionMap,
        core: GridWindow,
        origin: PlanPoint,
    ) -> Result<Self, ContourError> {
        let edges = HalfEdges::collect(field, regions)?;
        let mut tracer = Tracer::new(field, edges, core, origin);
        tracer.open_chains();
        tracer.closed_chains();
        Ok(tracer.finish())
    }
}

/// Flag of half-edges that belong to chains of this part.
const OWN: u8 = 1;
/// Flag of own half-edges that start at a junction.
const JUNCTION: u8 = 2;
/// Flag of own half-edges that are in a chain.
const SEEN: u8 = 4;

#[derive(Debug)]
struct Tracer<'a, F> {
    field: &'a F,
    edges: HalfEdges,
    origin: PlanPoint,
    marks: Vec<u8>,
    /// The chain that begins with each half-edge, as in [`Chain::links`].
    begins: Vec<u32>,
    /// For each chain, the column of its first step, the span on the left of that step, and the
    /// span on the right of its last step.
    spans: Vec<(u32, [u32; 2])>,
    result: BorderChains,
}

#[expect(clippy::cast_possible_truncation, reason = "there are less than u32::MAX half-edges")]
impl<'a, F: BorderScan> Tracer<'a, F> {
    fn new(field: &'a F, edges: HalfEdges, core: GridWindow, origin: PlanPoint) -> Self {
        let width = field.width();
        let in_core = |edge: HalfEdge| {
            let cell = edges.cell[edge as usize];
            core.contains(cell % width, cell / width)
        };
        let mark = |edge: HalfEdge| {
            let is_own = edges.region[edge as usize] < edges.beyond(edge) && in_core(edge);
            if !is_own {
                return 0;
            }
            if edges.starts_at_junction(edge) { OWN | JUNCTION } else { OWN }
        };
        let marks: Vec<u8> = (0..edges.len() as u32).map(mark).collect();
        let steps = marks.iter().filter(|&&marks| marks != 0).count();
        let result = BorderChains {
            chains: Vec::new(),
            steps: Vec::with_capacity(steps),
            heights: Vec::with_capacity(steps),
        };
        Self { field, edges, origin, begins: vec![NO_EDGE; marks.len()], spans: Vec::new(), marks, result }
    }

    /// Completes the chains when all are known: replaces the half-edges that follow them by the
    /// chains that begin there, and reads areas from the field in a loop of independent loads.
    fn finish(mut self) -> BorderChains {
        let width = self.field.width();
        for (chain, (cell, spans)) in self.result.chains.iter_mut().zip(self.spans) {
            for link in &mut chain.links {
                *link = self.begins.get(*link as usize).copied().unwrap_or(NO_EDGE);
            }
            chain.start.x += self.origin.x.wrapping_add_unsigned(cell % width);
            chain.start.z += self.origin.z.wrapping_add_unsigned(cell / width);
            chain.areas =
                spans.map(|span| if span == NO_EDGE { AreaId::NULL } else { self.field.area(span) });
        }
        let mut chains = self.result;
        chains.chains.shrink_to_fit();
        chains.steps.shrink_to_fit();
        chains.heights.shrink_to_fit();
        chains
    }

    /// Adds the chains that begin at a junction or where the core begins.
    fn open_chains(&mut self) {
        for edge in 0..self.marks.len() as u32 {
            checkpoint_every(1 << 14, edge as usize);
            let marks = self.marks[edge as usize];
            let starts_here = || {
                self.marks[self.edges.previous[edge as usize] as usize] & OWN == 0 || marks & JUNCTION != 0
            };
            if marks & OWN != 0 && starts_here() {
                self.chain(edge);
            }
        }
    }

    /// Adds the remaining chains: closed arcs without a junction that lie wholly in the core.
    fn closed_chains(&mut self) {
        for edge in 0..self.marks.len() as u32 {
            checkpoint_every(1 << 14, edge as usize);
            if self.marks[edge as usize] & (OWN | SEEN) == OWN {
                self.chain(edge);
            }
        }
    }

    fn chain(&mut self, first: HalfEdge) {
        let starts_at_junction = self.marks[first as usize] & JUNCTION != 0;
        let first_step = self.result.steps.len() as u32;
        let height = if starts_at_junction {
            self.edges.junction_height(first)
        } else {
            self.edges.height_between(self.edges.previous[first as usize], first)
        };
        let edges = &self.edges;
        self.result.heights.push(height);
        let mut edge = first;
        let (next, ends_at_junction) = loop {
            self.result.steps.push(edges.direction(edge).index() as u8);
            self.marks[edge as usize] |= SEEN;
            let next = edges.next[edge as usize];
            let marks = self.marks[next as usize];
            if marks != OWN {
                let is_own = marks & OWN != 0;
                let is_junction = if is_own { marks & JUNCTION != 0 } else { edges.starts_at_junction(next) };
                break (next, is_junction);
            }
            self.result.heights.push(edges.height_between(edge, next));
            edge = next;
        };
        let (twin_of_first, twin_of_last) = (edges.twin[first as usize], edges.twin[edge as usize]);
        let is_shared = twin_of_first != NO_EDGE;
        let after_right = if is_shared { edges.next[twin_of_first as usize] } else { NO_EDGE };
        let number = 2 * self.result.chains.len() as u32;
        self.begins[first as usize] = number;
        if is_shared && ends_at_junction {
            self.begins[twin_of_last as usize] = number + 1;
        }
        let right = edges.span.get(twin_of_last as usize).copied().unwrap_or(NO_EDGE);
        self.spans.push((edges.cell[first as usize], [edges.span[first as usize], right]));
        self.result.chains.push(Chain {
            first: first_step,
            start: edges.start((0, 0), first),
            left: edges.region[first as usize],
            right: edges.beyond(first),
            areas: [AreaId::NULL; 2],
            next_left: edges.direction(next),
            next_right: edges.direction(if is_shared { after_right } else { first }),
            links: [next, after_right],
            starts_at_junction,
            ends_at_junction,
        });
    }
}

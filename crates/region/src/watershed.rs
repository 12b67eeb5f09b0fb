//! Watershed partition: basins of the distance field.

use waymesh_core::stage::{Partition, StageError};
use waymesh_core::{
    BadField, Buckets, Direction, NO_REGION, Observer, RegionMap, WalkableField, checkpoint, checkpoint_every,
};

use crate::error::RegionError;
use crate::merge::merge_small_regions;
use crate::rivals::{any_rival, crowded};
use crate::{DistanceField, UNITS_PER_CELL, blur, distance_field};

/// Configuration of [`partition_watershed`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WatershedConfig {
    /// Regions of at most this many square metres, and regions that touch no wall or drop, are
    /// merged into a neighbour if the result does not overlap itself. 0 leaves every basin a
    /// region. Default 36.0 (Recast's 20 x 20 cells of 0.3 m); finite, zero or more.
    pub merge_region: f32,
    /// `true` if the distance field is blurred first, which removes basins that are only noise of
    /// the grid. Default true.
    pub blur: bool,
}

impl Default for WatershedConfig {
    fn default() -> Self {
        Self { merge_region: 36.0, blur: true }
    }
}

waymesh_core::setters! {
    impl WatershedConfig {
        with_merge_region(merge_region: f32);
        with_blur(blur: bool);
    }
}

impl WatershedConfig {
    /// Checks all fields.
    ///
    /// # Errors
    /// [`RegionError::BadField`] with the first field that is out of range.
    pub fn validate(&self) -> Result<(), RegionError> {
        Ok(BadField::unless_area("merge_region", self.merge_region)?)
    }
}

/// Units by which the water falls from one level to the next: one cell, so that every level is a
/// ring one cell wide.
const LEVEL_UNITS: u16 = UNITS_PER_CELL;

/// Number of cells that a basin grows per level before the ground that is still dry becomes a new
/// basin. Recast uses the same number. It is small enough that a corridor off a room gets a
/// separate basin, large enough that a bulge of the room does not.
const GROWTH_CELLS: u32 = 8;

/// Bit of a label that is only proposed. The span joins the basin once all proposals of the ring
/// are known.
const PROPOSED: u32 = 1 << 31;

/// Cuts the walkable surface into the basins of its distance field, then merges small ones.
///
/// The water falls from the largest distance to the border in steps of a cell. At every level the
/// existing basins grow over the new ground, ring by ring, for eight cells at most. Ground that is
/// then still dry becomes new basins. A span always joins the neighbouring basin at the smallest
/// distance through the ring, then the one with the lower number. It never joins a basin that
/// contains another span of its column, or an adjacent span without a link, so no region overlaps
/// or touches itself in plan. Small regions that fit into no other remain where the next turn of a
/// spiral begins.
///
/// # Guarantees
/// - The contract of [`Partition`].
/// - A region larger than `merge_region` is never merged into another unless one of the two is
///   small or touches no border.
///
/// # Cost
/// Every span enters one ring and one level: near linear, with about 20 bytes of temporary memory
/// per span.
///
/// # Errors
/// [`RegionError::BadField`] for an invalid configuration.
///
/// # References
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 3.
/// - Haumont, Debeir and Sillion 2003, Volumetric cell-and-portal generation,
///   <http://artis.inrialpes.fr/Publications/2003/HDS03/> (the source of the idea in the slides).
pub fn partition_watershed(
    field: &WalkableField,
    config: &WatershedConfig,
    observer: &mut dyn Observer,
) -> Result<RegionMap, RegionError> {
    config.validate()?;
    let mut distance = distance_field(field);
    if config.blur {
        distance = blur(field, &distance);
    }
    let mut basins = Basins::new(field, &distance);
    basins.fill(&levels(field, &distance), observer);
    let labels = basins.states.iter().map(|state| state.label).collect();
    Ok(merge_small_regions(field, &basins.crowded, labels, basins.count, config.merge_region, observer))
}

/// [`partition_watershed`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Watershed {
    /// Configuration of the stage.
    pub config: WatershedConfig,
}

impl Partition for Watershed {
    fn partition(&self, field: &WalkableField, observer: &mut dyn Observer) -> Result<RegionMap, StageError> {
        partition_watershed(field, &self.config, observer).map_err(StageError::at("partition"))
    }
}

/// The state of a span in the flooding, in one word, so that reading a neighbour costs one load.
#[derive(Clone, Copy)]
struct State {
    /// Basin, [`NO_REGION`] while dry, or a basin with [`PROPOSED`] set.
    label: u32,
    /// Length of the path to it from the flooded core of the basin, in cells. Saturates.
    walked: u16,
    /// Level, with [`CROWDED`] set if the span has rivals.
    level: u16,
}

/// Number of spans processed together.
const BATCH: usize = 32;

/// The offer of a dry span, which is larger than any real offer.
const NO_OFFER: u64 = u64::MAX;

/// Bit of the level of a span with rivals (see [`any_rival`]), which cannot share its region.
/// Levels need 15 bits.
const CROWDED: u16 = 1 << 15;

impl State {
    #[inline]
    fn level(self) -> u16 {
        self.level & !CROWDED
    }

    #[inline]
    fn is_crowded(self) -> bool {
        self.level & CROWDED != 0
    }

    /// Returns `true` if the span has joined no basin yet.
    #[inline]
    fn is_dry(self) -> bool {
        self.label >= PROPOSED
    }

    /// Returns the walked distance and the basin in one number, where smaller is better;
    /// [`NO_OFFER`] while dry.
    #[inline]
    fn offer(self) -> u64 {
        // This avoids an unpredictable branch: all bits are set if the top bit of the label is set
        // for dry.
        let dry = 0_u64.wrapping_sub(u64::from(self.label >> 31));
        dry | u64::from(self.walked) << 32 | u64::from(self.label)
    }

    /// Records the basin of a neighbour's offer, one step farther.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "unpacks an offer")]
    fn propose(&mut self, offer: u64) {
        self.label = offer as u32 | PROPOSED;
        self.walked = ((offer >> 32) as u16).saturating_add(1);
    }
}

/// Returns the walkable spans of each level, row-major within a level.
fn levels(field: &WalkableField, distance: &DistanceField) -> Buckets<u32> {
    let walkable = (0_u32..).zip(&field.area).filter(|(_, area)| area.is_walkable());
    let level_of = |span: u32| usize::from(distance.distances[span as usize] / LEVEL_UNITS);
    let of_levels = walkable.map(|(span, _)| (level_of(span), span));
    Buckets::new(usize::from(distance.max / LEVEL_UNITS) + 1, of_levels)
}

/// The state of the flooding.
struct Basins<'a> {
    field: &'a WalkableField,
    /// All spans with [`CROWDED`] set.
    crowded: Vec<u32>,
    states: Vec<State>,
    count: u32,
    /// Spans that join in the current ring, and spans of the next ring.
    ring: Vec<u32>,
    next_ring: Vec<u32>,
    stack: Vec<u32>,
}

impl<'a> Basins<'a> {
    fn new(field: &'a WalkableField, distance: &DistanceField) -> Self {
        let mut states: Vec<State> = distance
            .distances
            .iter()
            .map(|&distance| State { label: NO_REGION, walked: 0, level: distance / LEVEL_UNITS })
            .collect();
        let crowded = crowded(field);
        for &span in &crowded {
            states[span as usize].level |= CROWDED;
        }
        Self { field, crowded, states, count: 0, ring: Vec::new(), next_ring: Vec::new(), stack: Vec::new() }
    }

    fn fill(&mut self, levels: &Buckets<u32>, observer: &mut dyn Observer) {
        // The number of levels fits into the type of the distances.
        let count = u16::try_from(levels.len()).unwrap_or(u16::MAX);
        let mut dry: Vec<u32> = Vec::new();
        for level in (0..count).rev() {
            checkpoint();
            dry.extend_from_slice(levels.of(level.into()));
            self.grow(&mut dry, level, GROWTH_CELLS);
            for &span in &dry {
                if self.states[span as usize].is_dry() {
                    self.flood(span, level.saturating_sub(1), true);
                }
            }
            observer.progress(u64::from(count - level), u64::from(count));
        }
        self.grow(&mut dry, 0, u32::MAX);
        // The remaining spans have no neighbour that they could join without an overlap. They lie
        // on the next turn of a spiral.
        for &span in &dry {
            if self.states[span as usize].is_dry() {
                self.flood(span, 0, false);
            }
        }
    }

    fn keep_dry(&self, spans: &mut Vec<u32>) {
        spans.retain(|&span| self.states[span as usize].is_dry());
    }

    /// Returns `true` if `span` cannot join `basin` because a rival is in it.
    #[inline]
    fn is_barred(&self, span: u32, basin: u32) -> bool {
        self.states[span as usize].is_crowded()
            && any_rival(self.field, span, |rival| self.states[rival as usize].label == basin)
    }

    /// Returns the best basin next to `span` as a [`State::offer`]: the one at the smallest
    /// distance, then the one with the lowest number; [`NO_OFFER`] without a neighbouring basin.
    /// `links` are the links of `span`. Basins that the span cannot join are left out only if
    /// `careful` is set.
    #[inline]
    fn best_offer(&self, span: u32, links: [u32; 4], careful: bool) -> u64 {
        let state = self.states[span as usize];
        if state.level() == 0 || (careful && state.is_crowded()) {
            return self.best_offer_with_care(span);
        }
        // Above the lowest level a span is an inner span: all its neighbours exist and have its
        // area.
        links.map(|neighbour| self.states[neighbour as usize].offer()).into_iter().fold(NO_OFFER, u64::min)
    }

    /// Returns the best basin like [`Basins::best_offer`], for a span whose neighbours may be
    /// missing, of another area, or in the basin of a rival.
    fn best_offer_with_care(&self, span: u32) -> u64 {
        let area = &self.field.area;
        let mut best = NO_OFFER;
        for neighbour in self.field.links[span as usize] {
            let Some(state) = self.states.get(neighbour as usize) else { continue };
            let offer = state.offer();
            if offer < best
                && area[neighbour as usize] == area[span as usize]
                && !self.is_barred(span, state.label)
            {
                best = offer;
            }
        }
        best
    }

    /// Proposes to each of `spans` the best neighbouring basin.
    fn look_around(&mut self, spans: &[u32], careful: bool, ring: &mut Vec<u32>) {
        // Spans of one level are scattered over the field. Independent loads hide most of the cache
        // misses.
        let mut links = [[0; 4]; BATCH];
        let mut offers = [NO_OFFER; BATCH];
        for (index, batch) in spans.chunks(BATCH).enumerate() {
            checkpoint_every(1 << 10, index);
            for (links, &span) in links.iter_mut().zip(batch) {
                *links = self.field.links[span as usize];
            }
            for ((offer, &links), &span) in offers.iter_mut().zip(&links).zip(batch) {
                *offer = self.best_offer(span, links, careful);
            }
            for (&offer, &span) in offers.iter().zip(batch) {
                if offer != NO_OFFER {
                    self.states[span as usize].propose(offer);
                    ring.push(span);
                }
            }
        }
    }

    /// Offers the basin of `span`, which has just joined it, to its dry neighbours down to `level`.
    #[inline]
    fn offer(&mut self, span: u32, level: u16, ring: &mut Vec<u32>) {
        let State { label, walked, .. } = self.states[span as usize];
        let walked = walked.saturating_add(1);
        let is_inside = self.states[span as usize].level() > 0;
        for neighbour in self.field.links[span as usize] {
            let Some(&state) = self.states.get(neighbour as usize) else { continue };
            if !state.is_dry() || state.level() < level {
                continue;
            }
            if !is_inside && self.field.area[neighbour as usize] != self.field.area[span as usize] {
                continue;
            }
            let is_new = state.label == NO_REGION;
            let is_better = is_new || (walked, label) < (state.walked, state.label & !PROPOSED);
            if !is_better || self.is_barred(neighbour, label) {
                continue;
            }
            let state = &mut self.states[neighbour as usize];
            (state.label, state.walked) = (label | PROPOSED, walked);
            if is_new {
                ring.push(neighbour);
            }
        }
    }

    /// Grows all basins over the dry spans down to `level`, for at most `rings` cells. `dry`
    /// contains all these spans before, and the spans that are still dry afterwards.
    fn grow(&mut self, dry: &mut Vec<u32>, level: u16, rings: u32) {
        let mut ring = std::mem::take(&mut self.ring);
        let mut next = std::mem::take(&mut self.next_ring);
        ring.clear();
        for turn in 0..rings {
            checkpoint();
            next.clear();
            // Either the dry spans search for a basin, or the spans that joined last offer theirs,
            // whichever are fewer. The result is the same, and each turn costs no more than the
            // previous ring.
            if turn == 0 || dry.len() <= ring.len() * 2 {
                self.keep_dry(dry);
                // The first basin found can nearly always be joined, and joining checks it anyway.
                self.look_around(dry, turn > 0, &mut next);
            } else {
                for &span in &ring {
                    if !self.states[span as usize].is_dry() {
                        self.offer(span, level, &mut next);
                    }
                }
                // Spans whose rivals joined first search for another basin.
                ring.retain(|&span| self.states[span as usize].label == NO_REGION);
                self.look_around(&ring, true, &mut next);
            }
            if next.is_empty() {
                break;
            }
            // All spans choose before the first one joins, so that the order within a ring does not
            // matter.
            for &span in &next {
                let label = self.states[span as usize].label & !PROPOSED;
                let refused = self.is_barred(span, label);
                self.states[span as usize].label = if refused { NO_REGION } else { label };
            }
            std::mem::swap(&mut ring, &mut next);
        }
        self.keep_dry(dry);
        self.ring = ring;
        self.next_ring = next;
    }

    /// Returns `true` if one of the eight neighbours of `span` has the same area and is in another
    /// basin than `basin`.
    #[inline]
    fn touches_another(&self, span: u32, basin: u32) -> bool {
        let area = &self.field.area;
        let is_inside = self.states[span as usize].level() > 0;
        let is_like = |other: u32| is_inside || area[other as usize] == area[span as usize];
        let is_other = |other: u32| {
            self.states.get(other as usize).is_some_and(|state| !state.is_dry() && state.label != basin)
                && area[other as usize] == area[span as usize]
        };
        Direction::ALL.into_iter().any(|direction| {
            let side = self.field.links[span as usize][direction.index()];
            self.field.links.get(side as usize).is_some_and(|links| {
                is_like(side) && (is_other(side) || is_other(links[direction.next().index()]))
            })
        })
    }

    /// Starts a basin at `seed` and floods down to `level`. With `keep_apart` it stays a cell away
    /// from all others, so that growing, not flooding, decides where two basins meet. The basin may
    /// then be empty.
    fn flood(&mut self, seed: u32, level: u16, keep_apart: bool) {
        let basin = self.count;
        let mut stack = std::mem::take(&mut self.stack);
        let mut size = 0;
        self.states[seed as usize].label = basin;
        stack.push(seed);
        while let Some(span) = stack.pop() {
            if keep_apart && self.touches_another(span, basin) {
                self.states[span as usize].label = NO_REGION;
                continue;
            }
            self.states[span as usize].walked = 0;
            size += 1;
            let is_inside = self.states[span as usize].level() > 0;
            for neighbour in self.field.links[span as usize] {
                let Some(state) = self.states.get(neighbour as usize) else { continue };
                if state.is_dry()
                    && state.level() >= level
                    && (is_inside || self.field.area[neighbour as usize] == self.field.area[span as usize])
                    && !self.is_barred(neighbour, basin)
                {
                    self.states[neighbour as usize].label = basin;
                    stack.push(neighbour);
                }
            }
        }
        self.stack = stack;
        self.count += u32::from(size > 0);
    }
}

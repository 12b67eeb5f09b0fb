//! Connected components of the walkable surface, and the removal of small ones.

use waymesh_core::{
    AreaId, Counter, Direction, DisjointSets, NO_REGION, Observer, WalkableField, Warning, checkpoint_every,
};

/// Connected components of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Component of each span, [`NO_REGION`] for spans that are not walkable.
    pub labels: Vec<u32>,
    /// Number of components. Labels are `0..count`, in the order of first spans.
    pub count: u32,
}

/// Finds the connected components of the walkable surface. Two spans are in one component if
/// walkable spans of any area connect them.
///
/// # Cost
/// Two passes over the spans.
#[must_use]
pub fn connected_components(field: &WalkableField) -> Components {
    let Sets { mut labels, mut sets } = join_linked(field);
    // A component is identified by its lowest set, which is the set of its first span.
    let mut numbers = vec![NO_REGION; sets.len()];
    let mut count = 0;
    for set in (0_u32..).take(sets.len()) {
        let top = sets.find(set);
        if top == set {
            numbers[set as usize] = count;
            count += 1;
        } else {
            numbers[set as usize] = numbers[top as usize];
        }
    }
    for label in labels.iter_mut().filter(|label| **label != NO_REGION) {
        *label = numbers[*label as usize];
    }
    Components { labels, count }
}

/// Sets of walkable spans; joined sets are one component.
struct Sets {
    /// Set of each span, [`NO_REGION`] for spans that are not walkable. Sets are numbered in the
    /// order of their first spans.
    labels: Vec<u32>,
    sets: DisjointSets,
}

/// Assigns each walkable span the set of an earlier linked one, and joins the sets of two such
/// spans.
fn join_linked(field: &WalkableField) -> Sets {
    let mut labels = vec![NO_REGION; field.len()];
    let mut sets = DisjointSets::new(0);
    for (span, (links, area)) in field.links.iter().zip(&field.area).enumerate() {
        checkpoint_every(1 << 16, span);
        if !area.is_walkable() {
            continue;
        }
        // Spans that are not walkable have no label.
        let set_of = |direction: Direction| labels.get(links[direction.index()] as usize).copied();
        let [west, north] = [Direction::NegX, Direction::NegZ].map(|side| set_of(side).unwrap_or(NO_REGION));
        labels[span] = if west == NO_REGION && north == NO_REGION {
            sets.push()
        } else {
            if west != north && west != NO_REGION && north != NO_REGION {
                sets.unite(west, north);
            }
            west.min(north)
        };
    }
    Sets { labels, sets }
}

/// The result of [`remove_small_islands`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RemovedIslands {
    /// Number of islands.
    pub islands: u64,
    /// Number of spans.
    pub spans: u64,
    /// Plan area of the islands in square metres.
    pub area: f64,
}

/// Makes every connected component of less than `min_area` square metres not walkable.
///
/// The removed components are returned, counted ([`Counter::IslandsRemoved`],
/// [`Counter::SpansOnIslandsRemoved`]) and reported as [`Warning::IslandsRemoved`]. A `min_area` of
/// zero or less, or NaN, removes nothing.
///
/// # Guarantees
/// - Components of `min_area` or more and all links are unchanged.
///
/// # Cost
/// Linear.
pub fn remove_small_islands(
    field: &mut WalkableField,
    min_area: f32,
    observer: &mut dyn Observer,
) -> RemovedIslands {
    let Some(mut small) = SmallIslands::new(min_area, field.frame.cell_area()) else {
        return RemovedIslands::default();
    };
    let Sets { labels, mut sets } = join_linked(field);
    let mut sizes = vec![0_u64; sets.len()];
    for &label in labels.iter().filter(|&&label| label != NO_REGION) {
        sizes[label as usize] += 1;
    }
    let tops: Vec<u32> = (0_u32..).take(sets.len()).map(|set| sets.find(set)).collect();
    for (set, &top) in tops.iter().enumerate().filter(|&(set, &top)| top as usize != set) {
        sizes[top as usize] += std::mem::take(&mut sizes[set]);
    }
    let removes: Vec<bool> = sizes.iter().map(|&spans| spans > 0 && small.removes(spans)).collect();
    if removes.contains(&true) {
        for (area, &label) in field.area.iter_mut().zip(&labels) {
            if label != NO_REGION && removes[tops[label as usize] as usize] {
                *area = AreaId::NULL;
            }
        }
    }
    small.report(observer)
}

/// A filter of islands by size, which counts the removed ones.
pub(crate) struct SmallIslands {
    least_spans: f64,
    cell_area: f64,
    removed: RemovedIslands,
}

impl SmallIslands {
    /// Creates the filter for islands below `min_area` square metres. Returns `None` if that is
    /// less than one cell.
    pub(crate) fn new(min_area: f32, cell_area: f64) -> Option<Self> {
        // Rounding in single precision may make an area of a whole number of cells slightly larger.
        // A tolerance of one part in a million compensates for that.
        let least_spans = f64::from(min_area) / cell_area * (1.0 - 1e-6);
        (least_spans > 1.0).then(|| Self { least_spans, cell_area, removed: RemovedIslands::default() })
    }

    /// Returns `true` if an island with this number of spans is removed, and counts it. Must be
    /// called once per island.
    pub(crate) fn removes(&mut self, spans: u64) -> bool {
        let is_small = (spans as f64) < self.least_spans;
        if is_small {
            self.removed.islands += 1;
            self.removed.spans += spans;
        }
        is_small
    }

    /// Reports the removed islands to `observer`.
    pub(crate) fn report(self, observer: &mut dyn Observer) -> RemovedIslands {
        let mut removed = self.removed;
        if removed.islands > 0 {
            {
                removed.area = removed.spans as f64 * self.cell_area;
            }
            observer.count(Counter::IslandsRemoved, removed.islands);
            observer.count(Counter::SpansOnIslandsRemoved, removed.spans);
            observer.warn(Warning::IslandsRemoved { islands: removed.islands, area: removed.area });
        }
        removed
    }
}

#[cfg(test)]
mod tests {
    use waymesh_core::Validate;
    use waymesh_testkit::fields;

    use super::*;

    #[derive(Default)]
    struct Heard {
        counts: Vec<(Counter, u64)>,
        warnings: Vec<Warning>,
    }

    impl Observer for Heard {
        fn count(&mut self, counter: Counter, amount: u64) {
            self.counts.push((counter, amount));
        }
        fn warn(&mut self, warning: Warning) {
            self.warnings.push(warning);
        }
    }

    /// One component of 6 spans, one of 4 (of two areas), and one of 1.
    const PIECES: &str = "...#2
                          ...#.
                          ####2
                          .###.";

    #[test]
    fn pieces_are_numbered_by_first_span_and_cross_areas() {
        let components = connected_components(&fields::from_ascii(PIECES));
        assert_eq!(components.count, 3);
        assert_eq!(components.labels, [0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 1]);
    }

    #[test]
    fn a_span_that_is_not_walkable_joins_nothing() {
        let mut field = fields::from_ascii("...");
        field.area[1] = AreaId::NULL;
        let components = connected_components(&field);
        assert_eq!((components.count, components.labels), (2, vec![0, NO_REGION, 1]));
    }

    #[test]
    fn pieces_below_the_area_go_and_are_told() {
        let mut field = fields::from_ascii(PIECES);
        let mut heard = Heard::default();
        // Four cells of 0.3 m are 0.36 m2: the component of four stays.
        let removed = remove_small_islands(&mut field, 0.36, &mut heard);
        assert_eq!((removed.islands, removed.spans, field.walkable_spans()), (1, 1, 10));
        assert!((removed.area - 0.09).abs() < 1e-6);
        assert_eq!(heard.counts, [(Counter::IslandsRemoved, 1), (Counter::SpansOnIslandsRemoved, 1)]);
        assert_eq!(heard.warnings, [Warning::IslandsRemoved { islands: 1, area: removed.area }]);
        field.validate().expect("still a valid field");

        let removed = remove_small_islands(&mut field, 0.37, &mut ());
        assert_eq!((removed.islands, removed.spans, field.walkable_spans()), (1, 4, 6));
    }

    #[test]
    fn odd_areas_remove_nothing_or_all() {
        let field = fields::from_ascii(PIECES);
        for (min_area, left) in [(0.0, 11), (-1.0, 11), (f32::NAN, 11), (0.05, 11), (f32::INFINITY, 0)] {
            let mut field = field.clone();
            let mut heard = Heard::default();
            remove_small_islands(&mut field, min_area, &mut heard);
            assert_eq!(field.walkable_spans(), left, "{min_area} m2");
            assert_eq!(heard.warnings.is_empty(), left == 11);
        }
    }

    #[test]
    fn what_stays_is_just_what_is_large_enough() {
        for seed in 0..40 {
            let field = fields::random(seed, 30, 26);
            let before = connected_components(&field);
            let mut after = field.clone();
            remove_small_islands(&mut after, 1.8, &mut ());
            for span in 0..field.len() {
                let size = before.labels.iter().filter(|&&label| label == before.labels[span]).count();
                let stays = field.area[span].is_walkable() && size >= 20;
                assert_eq!(after.area[span].is_walkable(), stays, "seed {seed}, span {span}");
            }
        }
    }
}

//! Simplification of all borders together.

use std::collections::BTreeSet;

use waymesh_core::stage::{SimplifyContours, StageError};
use waymesh_core::{
    ArcId, ContourArc, ContourSet, Counter, MAX_PLAN_COORDINATE, Observer, PlanPoint, VertexId,
};

use crate::ContourError;
use crate::conflict::{Chains, Shortcut};
use crate::grid::{BucketGrid, Entry, Strip};
use crate::polyline::{Segment, split_index};

/// How far to simplify.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimplifyConfig {
    /// Farthest that a removed border point may lie from the result, in metres. Default 0.39 (1.3 cells of 0.3 m), finite,
    /// zero or more. With zero only points on straight edges are removed.
    pub max_edge_error: f32,
    /// Longest edge along a wall or drop, in metres; longer ones are split at the raw vertex halfway along the border.
    /// Default 12, finite, zero or more; zero sets no limit. Raw edges, a cell long, are never split.
    pub max_edge_length: f32,
    /// Whether a border between two regions of one kind of ground runs straight from junction to junction wherever that
    /// crosses nothing, however far the regions' border was from there. Such borders are an accident of the partition;
    /// straight ones make for the fewest cells. Default true. Otherwise `max_edge_error` holds for them, too. Borders that
    /// meet no junction (a region within another) keep to `max_edge_error` in any case.
    pub straight_region_borders: bool,
    /// Borders of regions that are no neighbours are kept from crossing where their heights differ by less than this, in
    /// metres; beyond, they belong to different storeys. Default 2 (the agent's height), finite, zero or more.
    pub storey_height: f32,
}

impl Default for SimplifyConfig {
    fn default() -> Self {
        Self {
            max_edge_error: 0.39,
            max_edge_length: 12.0,
            straight_region_borders: true,
            storey_height: 2.0,
        }
    }
}

impl SimplifyConfig {
    /// Sets the farthest that a removed point may lie from the result, in metres.
    #[must_use]
    pub fn with_max_edge_error(mut self, metres: f32) -> Self {
        self.max_edge_error = metres;
        self
    }

    /// Sets the longest wall edge in metres; zero for no limit.
    #[must_use]
    pub fn with_max_edge_length(mut self, metres: f32) -> Self {
        self.max_edge_length = metres;
        self
    }

    /// Sets whether borders between regions run straight.
    #[must_use]
    pub fn with_straight_region_borders(mut self, straight: bool) -> Self {
        self.straight_region_borders = straight;
        self
    }

    /// Sets the difference in height that separates storeys, in metres.
    #[must_use]
    pub fn with_storey_height(mut self, metres: f32) -> Self {
        self.storey_height = metres;
        self
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), ContourError> {
        let fields = [
            ("max_edge_error", self.max_edge_error),
            ("max_edge_length", self.max_edge_length),
            ("storey_height", self.storey_height),
        ];
        for (field, value) in fields {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ContourError::BadConfig { field, value, expected: "finite and at least 0 m" });
            }
        }
        Ok(())
    }
}

/// Removes the border points that are not needed.
///
/// Every arc is simplified once, for both its sides, by Ramer's algorithm between locked ends: junctions, or in a closed arc its
/// first vertex and the one farthest from it. Then every shortcut is checked against all kept points near it (see below),
/// and arcs are refined with their own raw points where they must be, until nothing is left to repair.
///
/// # Guarantees
/// - The same arcs with the same ends and sides; vertices are a subset of the input's, heights untouched.
/// - No removed vertex of a wall, of a border between two kinds of ground or of a closed arc lies farther than `max_edge_error`
///   from its arc. Borders between regions likewise unless `straight_region_borders`.
/// - If the input is valid, so is the result: no border crosses itself, its holes or its neighbours, no region collapses, holes
///   stay in their outer borders, and arcs keep their order around common vertices. Borders of regions that are no neighbours
///   do not cross where their ends are within `storey_height` of each other, unless the traced borders did, one above the other.
///
/// # Criterion
/// A shortcut stands only if no kept point of another border lies between it and the points it replaces, on it, or on one
/// of those points, and if no other segment has its ends. Two shortcuts can then not cross: that would put an end of one
/// between the other and its points (Saalfeld 1999, <https://doi.org/10.1559/152304099782424901>). A shortcut that fails is
/// split at the raw point farthest from it on the side of the trouble; the raw border always passes, so this ends.
///
/// # Cost
/// `n log n` in the length of the borders as a rule; kept points are found through a bucket grid. About 20 bytes per raw
/// vertex.
///
/// # Errors
/// For a bad configuration, and for tables that name what is not there. Never for valid contours. [`Counter::ArcsRefined`]
/// tells how many arcs had to be refined.
///
/// # References
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 4.
/// - Ramer 1972, <https://doi.org/10.1016/S0146-664X(72)80017-0>; Douglas and Peucker 1973,
///   <https://doi.org/10.3138/FM57-6770-U75U-7727>.
pub fn simplify_contours(
    contours: &ContourSet,
    config: &SimplifyConfig,
    observer: &mut dyn Observer,
) -> Result<ContourSet, ContourError> {
    config.validate()?;
    let mut simplifier = Simplifier::new(contours, config)?;
    simplifier.simplify_alone();
    simplifier.repair();
    let refined = simplifier.refined.iter().filter(|&&refined| refined).count();
    if refined > 0 {
        observer.count(Counter::ArcsRefined, refined as u64);
    }
    Ok(simplifier.finish())
}

/// [`simplify_contours`] as a stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct DouglasPeucker {
    /// How far to simplify.
    pub config: SimplifyConfig,
}

impl SimplifyContours for DouglasPeucker {
    fn simplify(&self, contours: &ContourSet, observer: &mut dyn Observer) -> Result<ContourSet, StageError> {
        simplify_contours(contours, &self.config, observer)
            .map_err(|error| StageError::new("simplify", error))
    }
}

/// How an arc may be simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Junction to junction.
    Straight,
    /// Within the error.
    Close,
    /// Within the error and the length.
    Wall,
}

#[derive(Debug)]
struct Simplifier<'a> {
    chains: Chains<'a>,
    rules: Vec<Rule>,
    tolerance_squared: f64,
    length_squared: f64,
    /// Shortcuts found good against all points kept before the last round.
    settled: Vec<(Shortcut, Strip)>,
    /// Shortcuts not checked yet.
    fresh: Vec<Shortcut>,
    /// Points kept in the last round.
    added: Vec<Entry>,
    /// First points of shortcuts to split for lying on another.
    doomed: BTreeSet<u32>,
    /// Arcs that were refined.
    refined: Vec<bool>,
    /// Whether to check segments without a raw point between their ends.
    keep_units: bool,
    stack: Vec<(u32, u32)>,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements")]
impl<'a> Simplifier<'a> {
    fn new(contours: &'a ContourSet, config: &SimplifyConfig) -> Result<Self, ContourError> {
        let mut points = Vec::with_capacity(contours.arc_vertices.len());
        let mut rules = Vec::with_capacity(contours.arcs.len());
        for (index, arc) in contours.arcs.iter().enumerate() {
            let broken = ContourError::BrokenArc { arc: ArcId::from_index(index) };
            let (left, right) = (
                contours.regions.get(arc.left.index()),
                arc.right.map(|right| contours.regions.get(right.index())),
            );
            let range = arc.first as usize..(arc.first as usize).saturating_add(arc.len as usize);
            let (Some(left), Some(vertices), false) =
                (left, contours.arc_vertices.get(range), arc.len < 2 || arc.first as usize != points.len())
            else {
                return Err(broken);
            };
            for &vertex in vertices {
                let Some(vertex_data) = contours.vertices.get(vertex.index()) else { return Err(broken) };
                let PlanPoint { x, z } = vertex_data.point;
                if x.unsigned_abs().max(z.unsigned_abs()) > MAX_PLAN_COORDINATE.unsigned_abs() {
                    return Err(ContourError::CoordinateOutOfRange { vertex });
                }
                points.push(vertex_data.point);
            }
            let closed = vertices[0] == vertices[vertices.len() - 1];
            rules.push(match right {
                None => Rule::Wall,
                Some(None) => return Err(broken),
                Some(Some(right)) if config.straight_region_borders && !closed && right.area == left.area => {
                    Rule::Straight
                }
                Some(Some(_)) => Rule::Close,
            });
        }
        let cells = |metres: f32| f64::from(metres) / f64::from(contours.frame.cell_size);
        let length = if config.max_edge_length > 0.0 { cells(config.max_edge_length) } else { f64::INFINITY };
        let kept = vec![false; points.len()];
        let storey_levels = config.storey_height / contours.frame.level_height;
        Ok(Self {
            chains: Chains { contours, points, kept, storey_levels },
            refined: vec![false; rules.len()],
            rules,
            tolerance_squared: cells(config.max_edge_error).powi(2),
            length_squared: length.powi(2),
            settled: Vec::new(),
            fresh: Vec::new(),
            added: Vec::new(),
            doomed: BTreeSet::new(),
            keep_units: false,
            stack: Vec::new(),
        })
    }

    fn keep(&mut self, arc: u32, index: u32) {
        self.chains.kept[index as usize] = true;
        self.added.push(Entry { point: self.chains.point(index), index, arc });
    }

    /// Every arc by itself.
    fn simplify_alone(&mut self) {
        for (index, arc) in self.chains.contours.arcs.iter().enumerate() {
            let (first, last) = (arc.first, arc.first + arc.len - 1);
            self.keep(index as u32, first);
            self.subdivide(index as u32, first, last);
            self.keep(index as u32, last);
        }
        self.keep_units = true;
    }

    /// Keeps the points between `first` and `last` that the rule of the arc asks for.
    fn subdivide(&mut self, arc: u32, first: u32, last: u32) {
        let rule = self.rules[arc as usize];
        self.stack.push((first, last));
        while let Some((first, last)) = self.stack.pop() {
            let shortcut = Shortcut { arc, first, last };
            if !shortcut.can_split() {
                if self.keep_units {
                    self.fresh.push(shortcut);
                }
                continue;
            }
            let chain = self.chains.chain(shortcut);
            let tolerance = if rule == Rule::Straight { f64::INFINITY } else { self.tolerance_squared };
            let split = split_index(chain, tolerance).or_else(|| {
                #[expect(clippy::cast_precision_loss, reason = "compared with a length in metres")]
                let length = Segment::new(chain[0], chain[chain.len() - 1]).length_squared() as f64;
                (rule == Rule::Wall && length > self.length_squared).then_some(chain.len() / 2)
            });
            if let Some(offset) = split {
                let middle = first + offset as u32;
                self.keep(arc, middle);
                self.stack.extend([(middle, last), (first, middle)]);
            } else {
                self.fresh.push(shortcut);
            }
        }
    }

    fn split(&mut self, shortcut: Shortcut, middle: u32) {
        self.refined[shortcut.arc as usize] = true;
        self.doomed.remove(&shortcut.first);
        self.keep(shortcut.arc, middle);
        self.subdivide(shortcut.arc, shortcut.first, middle);
        self.subdivide(shortcut.arc, middle, shortcut.last);
    }

    /// Splits shortcuts until all of them meet the criterion.
    ///
    /// Each round checks the shortcuts of the last round against all kept points, and all others against the points of the last
    /// round only.
    fn repair(&mut self) {
        let mut early = BucketGrid::default();
        let mut late: Vec<Entry> = Vec::new();
        while !(self.fresh.is_empty() && self.doomed.is_empty()) {
            let added = std::mem::take(&mut self.added);
            late.extend_from_slice(&added);
            if late.len() > early.len() / 4 {
                late.extend_from_slice(early.entries());
                early = BucketGrid::new(&late);
                late.clear();
            }
            let late_grid = BucketGrid::new(&late);
            let fresh = std::mem::take(&mut self.fresh);
            let doomed = std::mem::take(&mut self.doomed);
            self.recheck(&BucketGrid::new(&added), &doomed);
            for shortcut in fresh {
                self.check(shortcut, [&early, &late_grid], &doomed);
            }
        }
    }

    /// Checks what had settled.
    fn recheck(&mut self, added: &BucketGrid, doomed: &BTreeSet<u32>) {
        let mut settled = std::mem::take(&mut self.settled);
        settled.retain(|(shortcut, strip)| {
            let forced =
                doomed.contains(&shortcut.first).then(|| self.chains.split_farthest(*shortcut)).flatten();
            let split = forced
                .or_else(|| added.find_in_strip(strip, |entry| self.chains.split_for(*shortcut, entry)));
            if let Some(middle) = split {
                self.split(*shortcut, middle);
            }
            split.is_none()
        });
        self.settled.append(&mut settled);
    }

    fn check(&mut self, shortcut: Shortcut, grids: [&BucketGrid; 2], doomed: &BTreeSet<u32>) {
        let chains = &self.chains;
        let mut split = doomed.contains(&shortcut.first).then(|| chains.split_farthest(shortcut)).flatten();
        // Of two segments that lie together the one that strays farther gives way: the other may be as good as it gets.
        let rank = |shortcut: Shortcut| (shortcut.can_split(), chains.deviation(shortcut));
        let entries = grids.iter().flat_map(|grid| grid.at(chains.point(shortcut.first)));
        for other in entries.flat_map(|entry| chains.coincident(shortcut, entry)) {
            if shortcut.can_split() && rank(shortcut) >= rank(other) {
                split = split.or_else(|| chains.split_farthest(shortcut));
            } else if other.can_split() {
                self.doomed.insert(other.first);
            }
        }
        if !shortcut.can_split() {
            return;
        }
        let strip = Strip::around(chains.chain(shortcut));
        let split = split.or_else(|| {
            grids
                .iter()
                .find_map(|grid| grid.find_in_strip(&strip, |entry| chains.split_for(shortcut, entry)))
        });
        match split {
            Some(middle) => self.split(shortcut, middle),
            None => self.settled.push((shortcut, strip)),
        }
    }

    /// The contours of the kept points.
    fn finish(self) -> ContourSet {
        const UNSEEN: u32 = u32::MAX;
        let contours = self.chains.contours;
        let mut number = vec![UNSEEN; contours.vertices.len()];
        let mut result = ContourSet {
            frame: contours.frame,
            vertices: Vec::new(),
            arc_vertices: Vec::new(),
            arcs: Vec::with_capacity(contours.arcs.len()),
            regions: contours.regions.clone(),
        };
        for arc in &contours.arcs {
            let first = result.arc_vertices.len();
            let range = arc.first as usize..(arc.first + arc.len) as usize;
            for (&vertex, _) in contours.arc_vertices[range.clone()]
                .iter()
                .zip(&self.chains.kept[range])
                .filter(|(_, kept)| **kept)
            {
                let number = &mut number[vertex.index()];
                if *number == UNSEEN {
                    *number = result.vertices.len() as u32;
                    result.vertices.push(contours.vertices[vertex.index()]);
                }
                result.arc_vertices.push(VertexId(*number));
            }
            let len = (result.arc_vertices.len() - first) as u32;
            result.arcs.push(ContourArc { first: first as u32, len, ..*arc });
        }
        result
    }
}

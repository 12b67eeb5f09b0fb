//! Simplification of all borders together.

use std::borrow::Cow;
use std::collections::BTreeSet;

use waymesh_core::stage::{SimplifyContours, StageError};
use waymesh_core::{
    ArcId, BadField, ContourArc, ContourSet, Counter, MAX_PLAN_COORDINATE, Observer, PlanPoint, VertexId,
    checkpoint, float, threads,
};

use crate::ContourError;
use crate::bits::BitSet;
use crate::boxes::Line;
use crate::conflict::{Chains, Shortcut};
use crate::fewest::{Sides, fewest_notches, ring_corners, runs_along_grid};
use crate::grid::{BucketGrid, Entry, Strip};
use crate::polyline::split_index;
use crate::segment::Segment;

/// The rule by which points of a border are kept as its corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CornerChoice {
    /// Repeatedly adds the point farthest from the result (Ramer 1972). Stays close to the border.
    Farthest,
    /// Chooses the points that leave the fewest notches, because each notch needs a cut into convex
    /// polygons, then the fewest corners and the least error. Ground that walls and drops take also
    /// has a cost: three squares of side `max_edge_error` weigh nearly as much as a notch. So
    /// narrow ground is kept, and borders move outwards rather than inwards.
    FewestNotches,
    /// [`Self::FewestNotches`] for walls and drops that run along the grid around narrow regions,
    /// [`Self::Farthest`] for all other borders. This is the default. Thin decks and passages keep
    /// their ground, and paths on wider ground do not come nearer to walls.
    ///
    /// A region is narrow if its plan area is at most `max_edge_error` times three quarters of the
    /// length of its walls and drops on the grid: for example a straight strip along the grid whose
    /// width is one and a half times `max_edge_error`, or a slanting strip up to 1.4 times as wide.
    #[default]
    ByWidth,
}

/// Largest width of a narrow region, as a multiple of `max_edge_error`. Measured at cells of 0.3 m:
/// 2.5 would include all decks that lost ground (one to three cells wide), but also walls of
/// houses, which paths would then approach by 11 cm more.
const NARROW_WIDTH_RATIO: f64 = 1.5;

/// The limits of simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimplifyConfig {
    /// Farthest that a removed border point may lie from the result, in metres. Default 0.39 (1.3
    /// cells of 0.3 m), finite, zero or more. If zero, only points on straight edges are removed.
    pub max_edge_error: f32,
    /// Longest edge along a wall or drop, in metres. Longer edges are split at the raw vertex
    /// halfway along the border. Default 12, finite, zero or more; zero sets no limit. Raw edges, a
    /// cell long, are never split.
    pub max_edge_length: f32,
    /// Farthest that a removed point of a *seam* may lie from the result, in metres. A seam is a
    /// border between two regions of one kind of ground. Agents walk across seams, so a seam may
    /// move much farther than a wall. It runs straight from junction to junction if the line
    /// neither crosses nor passes over another border. Ground that it moves over changes its
    /// region, so its heights become part of the other side. Default [`Self::MAX_SEAM_ERROR`],
    /// finite, zero or more. Seams that meet no junction (a region within another) keep to
    /// `max_edge_error`.
    pub max_seam_error: f32,
    /// Borders of regions that are not neighbours do not cross where their heights differ by less
    /// than this, in metres. With a larger difference they belong to different storeys. Default 2
    /// (the agent's height), finite, zero or more.
    pub storey_height: f32,
    /// The rule for the points of walls, drops and borders between kinds of ground. Seams always
    /// use [`CornerChoice::Farthest`]. Default [`CornerChoice::ByWidth`].
    pub corners: CornerChoice,
}

impl Default for SimplifyConfig {
    fn default() -> Self {
        Self {
            max_edge_error: 0.39,
            max_edge_length: 12.0,
            max_seam_error: Self::MAX_SEAM_ERROR,
            storey_height: 2.0,
            corners: CornerChoice::default(),
        }
    }
}

waymesh_core::setters! {
    impl SimplifyConfig {
        with_max_edge_error(max_edge_error: f32);
        with_max_edge_length(max_edge_length: f32);
        with_max_seam_error(max_seam_error: f32);
        with_storey_height(storey_height: f32);
        with_corners(corners: CornerChoice);
    }
}

impl SimplifyConfig {
    /// Default of [`Self::max_seam_error`] in metres: far enough for the seams that a partition
    /// makes.
    pub const MAX_SEAM_ERROR: f32 = 5.0;

    /// Checks every field.
    ///
    /// # Errors
    /// Returns the first field that is out of its range.
    pub fn validate(&self) -> Result<(), ContourError> {
        let fields = [
            ("max_edge_error", self.max_edge_error),
            ("max_edge_length", self.max_edge_length),
            ("max_seam_error", self.max_seam_error),
            ("storey_height", self.storey_height),
        ];
        for (field, value) in fields {
            BadField::unless_length(field, value)?;
        }
        Ok(())
    }
}

/// Removes the border points that the tolerances do not need.
///
/// Every arc is simplified once, for both its sides, by Ramer's algorithm or the search that
/// [`CornerChoice`] selects. The ends are fixed: they are junctions, or in a closed arc its first
/// vertex and the vertex farthest from it. Then every shortcut is checked against all kept points
/// near it (see below). Arcs that fail get more of their raw points back, until all shortcuts pass.
///
/// # Guarantees
/// - The arcs have the same ends and sides as before. Vertices are a subset of the input's, with
///   the same heights. Unless [`CornerChoice::Farthest`] is chosen, closed arcs that meet no other
///   may begin elsewhere.
/// - No removed vertex of a wall, of a border between two kinds of ground or of a closed arc lies
///   farther than `max_edge_error` from its arc, and none of a seam farther than `max_seam_error`.
/// - A seam passes over no kept vertex of another border, so vertices stay on their side of it. If
///   no vertex lies between it and the straight line, and the distance is allowed, its only
///   vertices are its ends. These lie on walls or drops, or where seams meet
///   ([`ContourSet::vertices_off_border`] counts the others).
/// - If the input is valid, so is the result: no border crosses itself, its holes or its
///   neighbours, no region collapses, holes stay in their outer borders, and arcs keep their order
///   around common vertices. Borders of regions that are not neighbours do not cross where their
///   ends are within `storey_height` of each other, unless the traced borders did, one above the
///   other.
///
/// # Criterion
/// A shortcut is accepted only if no kept point of another border lies between it and the points it
/// replaces, on it, or on one of those points, and if no other segment has its ends. Then two
/// shortcuts cannot cross, because that would put an end of one between the other and its points
/// (Saalfeld 1999, <https://doi.org/10.1559/152304099782424901>). A shortcut that fails is split at
/// the raw point farthest from it on the side of the conflict. The raw border always passes, so the
/// repair ends.
///
/// # Cost
/// Usually `n log n` in the length of the borders: a tree of boxes answers queries about chains,
/// and a bucket grid finds kept points. A seam along many walls costs the square of their number in
/// the worst case. About 10 bytes per raw vertex and 100 per kept one.
///
/// # Errors
/// For a bad configuration, and for tables with entries out of range. Valid contours cause no
/// error. [`Counter::ArcsRefined`] counts the arcs that had to be refined.
///
/// # References
/// - Imai and Iri 1988, Polygonal approximations of a curve: the graph of shortcuts that
///   [`CornerChoice::FewestNotches`] searches.
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 4.
/// - Ramer 1972, <https://doi.org/10.1016/S0146-664X(72)80017-0>; Douglas and Peucker 1973, <https://doi.org/10.3138/FM57-6770-U75U-7727>.
pub fn simplify_contours(
    contours: &ContourSet,
    config: &SimplifyConfig,
    observer: &mut dyn Observer,
) -> Result<ContourSet, ContourError> {
    config.validate()?;
    let mut simplifier = Simplifier::new(contours, config)?;
    let corners = match config.corners {
        CornerChoice::FewestNotches => simplifier.choose_corners(|_, _| true),
        CornerChoice::ByWidth => {
            let narrow = simplifier.narrow_regions();
            simplifier.choose_corners(|arc, chain| {
                arc.right.is_none() && narrow[arc.left.index()] && runs_along_grid(chain)
            })
        }
        CornerChoice::Farthest => Vec::new(),
    };
    simplifier.simplify_alone(&corners);
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
    /// The limits of simplification.
    pub config: SimplifyConfig,
}

impl SimplifyContours for DouglasPeucker {
    fn simplify(&self, contours: &ContourSet, observer: &mut dyn Observer) -> Result<ContourSet, StageError> {
        simplify_contours(contours, &self.config, observer)
            .map_err(|error| StageError::new("simplify", error))
    }
}

/// The limits that apply to an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Within `max_seam_error`.
    Seam,
    /// Within `max_edge_error`.
    Close,
    /// Within `max_edge_error` and `max_edge_length`.
    Wall,
}

impl Rule {
    /// Returns the turns of an arc that are notches, or `None` for a seam, which is straight.
    fn sides(self) -> Option<Sides> {
        match self {
            Self::Seam => None,
            Self::Close => Some(Sides::Both),
            Self::Wall => Some(Sides::Left),
        }
    }
}

#[derive(Debug)]
struct Simplifier<'a> {
    chains: Chains<'a>,
    rules: Vec<Rule>,
    tolerance_squared: f64,
    seam_tolerance_squared: f64,
    length_squared: f64,
    /// Shortcuts that passed the check against all points kept before the last round.
    settled: Vec<(Shortcut, Strip)>,
    /// Shortcuts not checked yet.
    fresh: Vec<Shortcut>,
    /// Shortcuts made in the last round that passed the check against all points kept before it.
    young: Vec<(Shortcut, Strip)>,
    /// Points kept in the last round.
    added: Vec<Entry>,
    /// First points of the shortcuts to split because they coincide with another.
    doomed: BTreeSet<u32>,
    /// Arcs that were refined.
    refined: Vec<bool>,
    /// `true` if segments without a raw point between their ends are also checked.
    keep_units: bool,
    stack: Vec<(u32, u32)>,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements")]
impl<'a> Simplifier<'a> {
    fn new(contours: &'a ContourSet, config: &SimplifyConfig) -> Result<Self, ContourError> {
        let mut points = Vec::with_capacity(contours.arc_vertices.len());
        let mut rules = Vec::with_capacity(contours.arcs.len());
        for (index, arc) in contours.arcs.iter().enumerate() {
            checkpoint();
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
                Some(Some(right)) if !closed && right.area == left.area => Rule::Seam,
                Some(Some(_)) => Rule::Close,
            });
        }
        let cells = |metres: f32| f64::from(metres) / f64::from(contours.frame.cell_size);
        let length = if config.max_edge_length > 0.0 { cells(config.max_edge_length) } else { f64::INFINITY };
        let kept = BitSet::new(points.len());
        let storey_levels = config.storey_height / contours.frame.level_height;
        Ok(Self {
            chains: Chains {
                contours,
                arc_vertices: Cow::Borrowed(&contours.arc_vertices),
                line: Line::new(points),
                kept,
                storey_levels,
            },
            refined: vec![false; rules.len()],
            rules,
            tolerance_squared: float::squared(cells(config.max_edge_error)),
            seam_tolerance_squared: float::squared(cells(config.max_seam_error)),
            length_squared: float::squared(length),
            settled: Vec::new(),
            fresh: Vec::new(),
            young: Vec::new(),
            added: Vec::new(),
            doomed: BTreeSet::new(),
            keep_units: false,
            stack: Vec::new(),
        })
    }

    fn keep(&mut self, arc: u32, index: u32) {
        self.chains.kept.insert(index as usize);
        self.added.push(Entry { point: self.chains.point(index), index, arc });
    }

    /// Returns the corners that are always kept between the ends of each arc. The list is empty for
    /// arcs whose corners are found later. Rotates closed arcs that meet no other, so that they
    /// begin at a corner. Arcs that are not `wanted` have none.
    fn choose_corners(
        &mut self,
        is_wanted: impl Fn(&ContourArc, &[PlanPoint]) -> bool + Sync,
    ) -> Vec<Vec<usize>> {
        let contours = self.chains.contours;
        let mut uses = vec![0_u8; contours.vertices.len()];
        for index in 0..contours.arcs.len() {
            let vertices = contours.arc_vertices(ArcId::from_index(index));
            for vertex in [vertices[0], vertices[vertices.len() - 1]] {
                uses[vertex.index()] = uses[vertex.index()].saturating_add(1);
            }
        }
        let choose = |(arc, rule): (&ContourArc, &Rule)| {
            checkpoint();
            let Some(sides) = rule.sides() else { return (Vec::new(), false) };
            let chain = arc.first as usize..(arc.first + arc.len) as usize;
            if !is_wanted(arc, &self.chains.line.points()[chain.clone()]) {
                return (Vec::new(), false);
            }
            let (start, end) = (contours.arc_vertices[chain.start], contours.arc_vertices[chain.end - 1]);
            let is_ring = start == end && uses[start.index()] == 2;
            let corners = if is_ring {
                ring_corners(&self.chains.line.points()[chain], self.tolerance_squared, sides)
            } else {
                let mut corners = Vec::new();
                fewest_notches(&self.chains.line, chain, self.tolerance_squared, sides, &mut corners);
                corners
            };
            (corners, is_ring)
        };
        let mut chosen: Vec<(Vec<usize>, bool)> = threads::map(contours.arcs.iter().zip(&self.rules), choose);
        let mut points = std::mem::replace(&mut self.chains.line, Line::new(Vec::new())).into_points();
        let vertices = self.chains.arc_vertices.to_mut();
        for (arc, (corners, is_ring)) in contours.arcs.iter().zip(&mut chosen) {
            let (Some(&start), true) = (corners.first(), *is_ring) else { continue };
            let ring = arc.first as usize..(arc.first + arc.len) as usize - 1;
            points[ring.clone()].rotate_left(start);
            points[ring.end] = points[ring.start];
            vertices[ring.clone()].rotate_left(start);
            vertices[ring.end] = vertices[ring.start];
            corners.remove(0);
            for corner in corners {
                *corner = ring.start + (*corner + ring.len() - start) % ring.len();
            }
        }
        self.chains.line = Line::new(points);
        chosen.into_iter().map(|(corners, _)| corners).collect()
    }

    /// Returns for each region `true` if it is narrow, see [`CornerChoice::ByWidth`].
    #[expect(clippy::cast_precision_loss, reason = "compared with a share of a length")]
    fn narrow_regions(&self) -> Vec<bool> {
        let contours = self.chains.contours;
        let mut regions = vec![(0_i128, 0.0_f64); contours.regions.len()];
        for arc in &contours.arcs {
            checkpoint();
            let chain = &self.chains.line.points()[arc.first as usize..(arc.first + arc.len) as usize];
            // With the origin, an open chain also has an area. The areas of its chains sum to that
            // of a region.
            let origin = PlanPoint::new(0, 0);
            let doubled = PlanPoint::doubled_area(chain.iter().copied().chain([origin]));
            regions[arc.left.index()].0 += doubled;
            match arc.right {
                Some(right) => regions[right.index()].0 -= doubled,
                None => {
                    let length = |pair: &[PlanPoint]| Segment::new(pair[0], pair[1]).length_squared() as f64;
                    regions[arc.left.index()].1 +=
                        chain.windows(2).map(|pair| length(pair).sqrt()).sum::<f64>();
                }
            }
        }
        let widest = NARROW_WIDTH_RATIO * self.tolerance_squared.sqrt();
        regions.into_iter().map(|(doubled, walls)| doubled as f64 <= widest * walls).collect()
    }

    /// Simplifies every arc without regard to others. At least `corners` are kept.
    fn simplify_alone(&mut self, corners: &[Vec<usize>]) {
        for (index, arc) in self.chains.contours.arcs.iter().enumerate() {
            let (first, last) = (arc.first, arc.first + arc.len - 1);
            self.keep(index as u32, first);
            let mut begin = first;
            for &corner in corners.get(index).into_iter().flatten() {
                self.keep(index as u32, corner as u32);
                self.subdivide(index as u32, begin, corner as u32);
                begin = corner as u32;
            }
            self.subdivide(index as u32, begin, last);
            self.keep(index as u32, last);
        }
        self.keep_units = true;
    }

    /// Keeps the points between `first` and `last` that the rule of the arc requires.
    fn subdivide(&mut self, arc: u32, first: u32, last: u32) {
        let rule = self.rules[arc as usize];
        self.stack.push((first, last));
        while let Some((first, last)) = self.stack.pop() {
            checkpoint();
            let shortcut = Shortcut { arc, first, last };
            if !shortcut.can_split() {
                if self.keep_units {
                    self.fresh.push(shortcut);
                }
                continue;
            }
            let tolerance =
                if rule == Rule::Seam { self.seam_tolerance_squared } else { self.tolerance_squared };
            let split = split_index(&self.chains.line, shortcut.range(), tolerance).or_else(|| {
                #[expect(clippy::cast_precision_loss, reason = "compared with a length in metres")]
                let length =
                    Segment::new(self.chains.point(first), self.chains.point(last)).length_squared() as f64;
                (rule == Rule::Wall && length > self.length_squared)
                    .then_some(shortcut.first as usize + shortcut.range().len() / 2)
            });
            if let Some(middle) = split {
                let middle = middle as u32;
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
    /// Each round checks the shortcuts made in the previous round against all points, and all other
    /// shortcuts only against the points kept in the previous round. A shortcut that fails is split
    /// within the round until its parts pass against all points kept before. So few rounds suffice,
    /// even if a long arc must be split many times.
    fn repair(&mut self) {
        let mut early = BucketGrid::default();
        let mut late: Vec<Entry> = Vec::new();
        let mut fresh = std::mem::take(&mut self.fresh);
        while !(fresh.is_empty() && self.young.is_empty() && self.doomed.is_empty()) {
            let added = std::mem::take(&mut self.added);
            late.extend_from_slice(&added);
            if late.len() > early.len() / 4 {
                late.extend_from_slice(early.entries());
                early = BucketGrid::new(&late);
                late.clear();
            }
            let late_grid = BucketGrid::new(&late);
            let kept = [&early, &late_grid];
            let added = BucketGrid::new(&added);
            let doomed = std::mem::take(&mut self.doomed);
            self.recheck(&added, &doomed);
            for (shortcut, strip) in std::mem::take(&mut self.young) {
                checkpoint();
                self.check(shortcut, strip, kept, &[&added], &doomed);
            }
            for shortcut in std::mem::take(&mut fresh) {
                checkpoint();
                let strip = self.chains.strip(shortcut);
                self.check(shortcut, strip, kept, &kept, &doomed);
            }
            self.split_within_round(&kept);
        }
    }

    /// Splits the shortcuts made in this round until they pass the check against the points in
    /// `grids`.
    fn split_within_round(&mut self, grids: &[&BucketGrid]) {
        while let Some(shortcut) = self.fresh.pop() {
            checkpoint();
            let strip = self.chains.strip(shortcut);
            match self.conflict(shortcut, &strip, grids) {
                Some(middle) => self.split(shortcut, middle),
                None => self.young.push((shortcut, strip)),
            }
        }
    }

    /// Returns the split point of a shortcut that conflicts with a point in `grids`.
    fn conflict(&self, shortcut: Shortcut, strip: &Strip, grids: &[&BucketGrid]) -> Option<u32> {
        if !shortcut.can_split() {
            return None;
        }
        grids
            .iter()
            .find_map(|grid| grid.find_in_strip(strip, |entry| self.chains.split_for(shortcut, strip, entry)))
    }

    /// Re-checks the shortcuts that passed before against the points in `added`.
    fn recheck(&mut self, added: &BucketGrid, doomed: &BTreeSet<u32>) {
        let mut settled = std::mem::take(&mut self.settled);
        settled.retain(|(shortcut, strip)| {
            let forced =
                doomed.contains(&shortcut.first).then(|| self.chains.split_farthest(*shortcut)).flatten();
            let split = forced.or_else(|| self.conflict(*shortcut, strip, &[added]));
            if let Some(middle) = split {
                self.split(*shortcut, middle);
            }
            split.is_none()
        });
        self.settled.append(&mut settled);
    }

    /// Checks the new shortcuts against segments with the same ends, and against the points in
    /// `grids`.
    fn check(
        &mut self,
        shortcut: Shortcut,
        strip: Strip,
        kept: [&BucketGrid; 2],
        grids: &[&BucketGrid],
        doomed: &BTreeSet<u32>,
    ) {
        let chains = &self.chains;
        let mut split = doomed.contains(&shortcut.first).then(|| chains.split_farthest(shortcut)).flatten();
        // If two segments coincide, the one farther from its chain is split, because the other may
        // have no raw point to split at.
        let rank = |shortcut: Shortcut| (shortcut.can_split(), chains.deviation(shortcut));
        let entries = kept.iter().flat_map(|grid| grid.at(chains.point(shortcut.first)));
        for other in entries.flat_map(|entry| chains.coincident(shortcut, entry)) {
            if shortcut.can_split() && rank(shortcut) >= rank(other) {
                split = split.or_else(|| chains.split_farthest(shortcut));
            } else if other.can_split() {
                self.doomed.insert(other.first);
            }
        }
        match split.or_else(|| self.conflict(shortcut, &strip, grids)) {
            Some(middle) => self.split(shortcut, middle),
            None if shortcut.can_split() => self.settled.push((shortcut, strip)),
            None => {}
        }
    }

    /// Builds the contours of the kept points.
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
            for (&vertex, _) in self.chains.arc_vertices[range.clone()]
                .iter()
                .zip(range)
                .filter(|(_, index)| self.chains.kept.contains(*index))
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

//! Claims: the assignment of ground to a polygon, column by column.
//!
//! A polygon is cut from the plan of its region, but simplification moves the borders of the
//! region. If a seam to another region was moved, a polygon also covers ground of that region, and
//! sometimes ground of its region on another storey, as on a winding stair. Ground belongs to the
//! polygon by continuity. First, pieces of the region's own ground under a corner of the polygon
//! are *claimed* for it. Then all ground inside the polygon's plan that is linked to claimed ground
//! is claimed, span by span, across seams. All remaining pieces of the region's ground reach the
//! polygon's outline, because they continue outside it. They are claimed if their height fits that
//! of the outline.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows, columns and samples of one polygon, which fit 32 bits"
)]

use std::collections::VecDeque;

use waymesh_core::{DisjointSets, NO_SPAN, PlanPoint, checkpoint, checkpoint_every, float};

use crate::{
    ground::{Around, Ground},
    lattice::Lattice,
    rows::Rows,
    surface::Point,
};

/// Sentinel for a missing run, at a sample without ground of the polygon's own region.
const NO_RUN: u32 = u32::MAX;
/// Largest distance, in columns, over which an even slope is extrapolated.
const FURTHEST_SLOPE: f32 = 3.0;
/// Offsets of the eight columns around a column, first at the sides, then at the corners.
const SIDES: [[i32; 2]; 8] = [[0, -1], [1, 0], [0, 1], [-1, 0], [-1, -1], [-1, 1], [1, -1], [1, 1]];

/// A sample, by row and column, counted from the polygon's corner.
type Sample = [i32; 2];

/// A corner of the polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// The nearest corner of the grid.
    pub(crate) point: PlanPoint,
    /// The height of the storey, in levels.
    pub(crate) height: f32,
    pub(crate) regions: Around,
    /// `true` if ground was found near the corner.
    pub(crate) fitted: bool,
}

impl Corner {
    /// Returns the samples of the polygon around the corner.
    fn places(self, rows: &Rows) -> impl Iterator<Item = (usize, Sample)> + '_ {
        let [x0, z0] = rows.corner();
        let (column, row) = (self.point.x - x0, self.point.z - z0);
        [[row - 1, column - 1], [row - 1, column], [row, column - 1], [row, column]]
            .into_iter()
            .filter_map(|place| rows.index(place).map(|index| (index, place)))
    }

    /// Returns `true` if a sample next to the corner is on its storey.
    pub(crate) fn agrees(self, rows: &Rows, gap: f32) -> bool {
        self.places(rows).any(|(index, _)| (rows.heights[index] - self.height).abs() <= gap)
    }
}

/// Consecutive samples of a row with own ground on one storey.
#[derive(Clone, Copy, Debug)]
struct Run {
    row: i32,
    first: i32,
    end: i32,
    /// Parent in the disjoint sets of runs. The root is the first run of a piece.
    parent: u32,
    /// The next run of the same piece, in a circular list.
    next: u32,
    /// For the root: `true` if the piece belongs to the polygon.
    claimed: bool,
}

/// The claims of one polygon, with buffers that are reused for all polygons. A *piece* is a
/// connected set of runs, and a *claimed* sample belongs to the polygon.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    runs: Vec<Run>,
    /// Pieces while they grow.
    sets: DisjointSets,
    /// For each sample, the run that contains it, or [`NO_RUN`].
    run_of: Vec<u32>,
    /// For each sample, the claimed span of another region, or [`NO_SPAN`].
    spans: Vec<u32>,
    /// Samples with a claimed span of another region.
    taken: Vec<usize>,
    /// Samples outside the pieces that were claimed at corners.
    open: Vec<Sample>,
    /// Claimed samples whose links have not been followed.
    linked: VecDeque<Sample>,
}

/// The constant input of the claims of a polygon.
#[derive(Clone, Copy, Debug)]
struct Scene<'a> {
    rows: &'a Rows,
    ground: &'a Ground<'a>,
    label: u32,
}

impl Scene<'_> {
    /// Returns `true` if ground at `height` can be on the storey of ground at `reference`,
    /// `distance` columns away.
    fn goes_on(&self, height: f32, reference: f32, distance: f32) -> bool {
        let scale = &self.ground.scale;
        (height - reference).abs() <= scale.storey_gap + scale.steepest * distance.min(FURTHEST_SLOPE)
    }

    fn plan(&self, [row, column]: Sample) -> (i32, i32) {
        let [x0, z0] = self.rows.corner();
        (x0 + column, z0 + row)
    }
}

impl Claims {
    /// Selects the ground of every sample of a polygon and writes its height to `rows`, or NaN if
    /// no ground belongs to the polygon. `outline` holds the points around the polygon, in lattice
    /// positions from its corner.
    pub(crate) fn select(
        &mut self,
        rows: &mut Rows,
        ground: &Ground<'_>,
        label: u32,
        corners: &[Corner],
        outline: &[Point],
        lattice: Lattice,
    ) {
        let scene = Scene { rows, ground, label };
        self.find_pieces(&scene);
        self.claim_at_corners(&scene, corners);
        self.find_open(&scene);
        self.link_from_pieces(&scene);
        self.spread(&scene);
        self.claim_remaining(&scene, outline, lattice);
        if self.is_unclaimed() {
            self.take_at_corners(&scene, corners);
            self.spread(&scene);
        }
        if self.is_unclaimed() && !corners.iter().any(|corner| corner.fitted) {
            // No corner has ground, so the largest piece is claimed, or the first of equal pieces.
            let roots = (0..self.runs.len() as u32).filter(|&run| self.runs[run as usize].parent == run);
            if let Some(root) = roots.max_by_key(|&run| (self.size(run), std::cmp::Reverse(run))) {
                self.claim(&scene, root);
                self.spread(&scene);
            }
        }
        for run in &self.runs {
            if !self.runs[run.parent as usize].claimed
                && let Some(start) = rows.index([run.row, run.first])
            {
                rows.heights[start..start + (run.end - run.first) as usize].fill(f32::NAN);
            }
        }
        for &index in &self.taken {
            rows.heights[index] = ground.heights[self.spans[index] as usize];
        }
    }

    /// Returns `true` if no ground is claimed yet.
    fn is_unclaimed(&self) -> bool {
        self.taken.is_empty() && !self.runs.iter().any(|run| run.claimed)
    }

    /// Divides the region's own ground into pieces: columns on one storey that touch at a side or a
    /// corner.
    fn find_pieces(&mut self, scene: &Scene<'_>) {
        let (rows, gap) = (scene.rows, scene.ground.scale.storey_gap);
        self.linked.clear();
        self.runs.clear();
        self.sets.reset(0);
        self.run_of.clear();
        self.spans.clear();
        self.spans.resize(rows.heights.len(), NO_SPAN);
        self.taken.clear();
        let mut before = 0..0;
        for (z, row) in (0..).zip(&rows.rows) {
            checkpoint();
            let begin = self.runs.len();
            let mut last = f32::NAN;
            for (x, &height) in (row.first..).zip(&rows.heights[row.start..row.start + row.len as usize]) {
                if height.is_nan() {
                    self.run_of.push(NO_RUN);
                } else {
                    // `false` for NaN.
                    let joins = (height - last).abs() <= gap;
                    let number = self.runs.len() as u32;
                    if let Some(run) = self.runs.last_mut().filter(|_| joins) {
                        run.end = x + 1;
                        self.run_of.push(number - 1);
                    } else {
                        self.run_of.push(number);
                        self.sets.push();
                        self.runs.push(Run {
                            row: z,
                            first: x,
                            end: x + 1,
                            parent: number,
                            next: number,
                            claimed: false,
                        });
                    }
                }
                last = height;
            }
            let here = begin..self.runs.len();
            let mut upper = before.start;
            for lower in here.clone() {
                // The last run may also touch the next run.
                while upper < before.end && self.runs[upper].end < self.runs[lower].first {
                    upper += 1;
                }
                for other in upper..before.end {
                    if self.runs[other].first > self.runs[lower].end {
                        break;
                    }
                    if self.touch(scene, other, lower) {
                        self.join(other as u32, lower as u32);
                    }
                }
            }
            before = here;
        }
        for run in 0..self.runs.len() {
            self.runs[run].parent = self.sets.find(run as u32);
        }
    }

    /// Returns `true` if runs of two rows touch on the same storey in some column.
    fn touch(&self, scene: &Scene<'_>, upper: usize, lower: usize) -> bool {
        let (upper, lower) = (self.runs[upper], self.runs[lower]);
        let height =
            |place: Sample| scene.rows.index(place).map_or(f32::NAN, |index| scene.rows.heights[index]);
        (lower.first.max(upper.first - 1)..lower.end.min(upper.end + 1)).any(|x| {
            let here = height([lower.row, x]);
            (x.max(upper.first + 1) - 1..(x + 2).min(upper.end))
                .any(|above| (height([upper.row, above]) - here).abs() <= scene.ground.scale.storey_gap)
        })
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.sets.find(one), self.sets.find(other));
        if one != other {
            let first = self.sets.unite(one, other) as usize;
            let second = one.max(other) as usize;
            let next = self.runs[first].next;
            self.runs[first].next = std::mem::replace(&mut self.runs[second].next, next);
        }
    }

    /// Returns the runs of a piece.
    fn ring(&self, root: u32) -> impl Iterator<Item = Run> + '_ {
        let mut next = Some(root);
        std::iter::from_fn(move || {
            let run = self.runs[next? as usize];
            next = Some(run.next).filter(|&run| run != root);
            Some(run)
        })
    }

    fn size(&self, root: u32) -> i64 {
        self.ring(root).map(|run| i64::from(run.end - run.first)).sum()
    }

    #[inline]
    fn piece(&self, index: usize) -> Option<u32> {
        let run = self.run_of[index];
        (run != NO_RUN).then(|| self.runs[run as usize].parent)
    }

    #[inline]
    fn is_claimed(&self, index: usize) -> bool {
        self.spans[index] != NO_SPAN || self.piece(index).is_some_and(|root| self.runs[root as usize].claimed)
    }

    /// Claims the pieces of own ground at the corners if they are nearest to the corner's height
    /// among the ground of all regions around it.
    fn claim_at_corners(&mut self, scene: &Scene<'_>, corners: &[Corner]) {
        for corner in corners {
            let [a, b, c, d] = corner.regions;
            let regions = [scene.label, a, b, c, d];
            for (index, place) in corner.places(scene.rows) {
                let (x, z) = scene.plan(place);
                let span = scene.ground.nearest(x, z, &regions, corner.height);
                if span.is_some_and(|span| scene.ground.labels[span] == scene.label)
                    && let Some(root) = self.piece(index)
                {
                    self.runs[root as usize].claimed = true;
                }
            }
        }
    }

    /// Claims the ground of any region at the corners that is nearest to their height. This serves
    /// polygons that lie completely on ground of another region, because the border was moved.
    fn take_at_corners(&mut self, scene: &Scene<'_>, corners: &[Corner]) {
        for corner in corners {
            for (index, place) in corner.places(scene.rows) {
                let (x, z) = scene.plan(place);
                let span = scene.ground.nearest_of_any(x, z, corner.height);
                if let Some(span) = span.filter(|_| !self.is_claimed(index)) {
                    self.reach(scene, place, index, span as u32);
                }
            }
        }
    }

    /// Lists the samples outside claimed pieces.
    fn find_open(&mut self, scene: &Scene<'_>) {
        self.open.clear();
        let mut runs = self.runs.iter().peekable();
        for (z, row) in (0..).zip(&scene.rows.rows) {
            let mut from = row.first;
            while let Some(run) = runs.next_if(|run| run.row == z) {
                if self.runs[run.parent as usize].claimed {
                    self.open.extend((from..run.first).map(|x| [z, x]));
                    from = run.end;
                }
            }
            self.open.extend((from..row.first + row.len).map(|x| [z, x]));
        }
    }

    /// Follows the links from claimed pieces to other samples.
    fn link_from_pieces(&mut self, scene: &Scene<'_>) {
        let open = std::mem::take(&mut self.open);
        for &place in &open {
            let Some(index) = scene.rows.index(place).filter(|&index| !self.is_claimed(index)) else {
                continue;
            };
            let mut beside = false;
            for [dz, dx] in SIDES {
                // Corners are only crossed if the polygon is too thin for samples at the sides.
                if beside && dx != 0 && dz != 0 {
                    break;
                }
                let from = [place[0] + dz, place[1] + dx];
                let Some(piece) = scene.rows.index(from).and_then(|from| self.piece(from)) else { continue };
                if !self.runs[piece as usize].claimed {
                    continue;
                }
                beside = true;
                let (x, z) = scene.plan(from);
                let own = scene.ground.span_of(x, z, scene.label);
                if let Some(span) = own.and_then(|span| step(scene.ground, span as u32, (x, z), [-dz, -dx])) {
                    self.reach(scene, place, index, span);
                    break;
                }
            }
        }
        self.open = open;
    }

    /// Claims the sample at the end of a link: its own ground, or the linked span if the own ground
    /// is on another storey.
    fn reach(&mut self, scene: &Scene<'_>, place: Sample, index: usize, span: u32) {
        let height = scene.ground.heights[span as usize];
        match self.piece(index) {
            Some(root) if scene.goes_on(scene.rows.heights[index], height, 0.0) => self.claim(scene, root),
            _ => self.take(place, index, span),
        }
    }

    /// Claims a span of another region.
    fn take(&mut self, place: Sample, index: usize, span: u32) {
        self.spans[index] = span;
        self.taken.push(index);
        self.linked.push_back(place);
    }

    /// Claims a piece of own ground.
    fn claim(&mut self, scene: &Scene<'_>, root: u32) {
        if std::mem::replace(&mut self.runs[root as usize].claimed, true) {
            return;
        }
        let mut run = root;
        loop {
            let Run { row, first, end, next, .. } = self.runs[run as usize];
            for x in first..end {
                if let Some(index) = scene.rows.index([row, x])
                    && self.spans[index] == NO_SPAN
                {
                    self.linked.push_back([row, x]);
                }
            }
            run = next;
            if run == root {
                break;
            }
        }
    }

    /// Follows links until no more samples are claimed.
    fn spread(&mut self, scene: &Scene<'_>) {
        let mut followed = 0;
        while let Some(place) = self.linked.pop_front() {
            checkpoint_every(1 << 10, followed);
            followed += 1;
            self.follow_links(scene, place);
        }
    }

    fn follow_links(&mut self, scene: &Scene<'_>, place: Sample) {
        let Some(index) = scene.rows.index(place) else { return };
        let (x, z) = scene.plan(place);
        let span = if self.spans[index] == NO_SPAN {
            let Some(span) = scene.ground.span_of(x, z, scene.label) else { return };
            span as u32
        } else {
            self.spans[index]
        };
        for side in SIDES {
            let there = [place[0] + side[0], place[1] + side[1]];
            if let Some(beside) = scene.rows.index(there).filter(|&beside| !self.is_claimed(beside))
                && let Some(span) = step(scene.ground, span, (x, z), side)
            {
                self.reach(scene, there, beside, span);
            }
        }
    }

    /// Compares the remaining pieces with the outline and claims matching pieces. They lie beyond a
    /// notch, or in polygons so thin that their columns do not touch.
    fn claim_remaining(&mut self, scene: &Scene<'_>, outline: &[Point], lattice: Lattice) {
        for root in 0..self.runs.len() as u32 {
            let run = self.runs[root as usize];
            if run.parent != root || run.claimed {
                continue;
            }
            let fits = self.ring(root).any(|run| {
                [run.first, run.end - 1].into_iter().any(|x| {
                    let Some(index) = scene.rows.index([run.row, x]) else { return false };
                    let (reference, distance) = outline_near([run.row, x], outline, lattice);
                    scene.goes_on(scene.rows.heights[index], reference, distance)
                })
            });
            if fits {
                self.claim(scene, root);
                self.spread(scene);
            }
        }
    }
}

/// Returns the walkable neighbour of `span`, which lies in column `(x, z)`, at a side, or at a
/// corner through a column adjacent to both.
fn step(ground: &Ground<'_>, span: u32, (x, z): (i32, i32), [dz, dx]: [i32; 2]) -> Option<u32> {
    if dx == 0 || dz == 0 {
        return ground.beside_span(span, (x, z), (dx, dz));
    }
    let by_way_of = |(first_x, first_z): (i32, i32)| {
        let beside = ground.beside_span(span, (x, z), (first_x, first_z))?;
        ground.beside_span(beside, (x + first_x, z + first_z), (dx - first_x, dz - first_z))
    };
    by_way_of((dx, 0)).or_else(|| by_way_of((0, dz)))
}

/// Returns the height of the outline at the point nearest to the centre of a column, and the
/// distance.
fn outline_near([row, column]: Sample, outline: &[Point], lattice: Lattice) -> (f32, f32) {
    let step = lattice.step();
    let of = |point: &Point| [f64::from(point.x) * step, f64::from(point.z) * step];
    let centre = [f64::from(column) + 0.5, f64::from(row) + 0.5];
    let mut found = (0.0, f32::INFINITY);
    for (index, start) in outline.iter().enumerate() {
        let end = &outline[(index + 1) % outline.len()];
        let (a, b) = (of(start), of(end));
        let [dx, dz] = [b[0] - a[0], b[1] - a[1]];
        let length = dx * dx + dz * dz;
        let share = ((centre[0] - a[0]) * dx + (centre[1] - a[1]) * dz) / length;
        let share = if length > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
        let distance = float::hypot(a[0] + dx * share - centre[0], a[1] + dz * share - centre[1]) as f32;
        if distance < found.1 {
            found = (start.height + (end.height - start.height) * share as f32, distance);
        }
    }
    found
}

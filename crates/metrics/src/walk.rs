//! Walks along straight lines over the scene, on the exact profile that a vertical plane cuts out
//! of its triangles.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use waymesh_core::float;

use glam::{DVec2, DVec3};

use crate::scene::{SceneIndex, Slope, plan};

/// Limits of a walk, in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Highest step up or down.
    pub(crate) step: f64,
    /// Room needed above the ground.
    pub(crate) height: f64,
    /// A crack in the ground, or a stretch of steep ground, shorter than this is stepped over.
    pub(crate) stride: f64,
}

/// Heights closer than this are one surface: doubled floors, carpets. Metres.
pub(crate) const SAME_SURFACE: f64 = 0.01;

/// Distances from the start in the plan; infinite if not within reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clearance {
    /// To something higher than a step, or to low room.
    pub(crate) wall: f64,
    /// To ground lower than a step, or to no ground.
    pub(crate) drop: f64,
    /// To a crack shorter than the stride, or to steep ground longer than it.
    pub(crate) doubtful: f64,
}

impl Clearance {
    pub(crate) const OPEN: Self = Self { wall: f64::INFINITY, drop: f64::INFINITY, doubtful: f64::INFINITY };

    /// Distance to the nearer of wall and drop.
    pub(crate) fn certain(&self) -> f64 {
        self.wall.min(self.drop)
    }

    /// Distance to the nearest of all three.
    pub(crate) fn strict(&self) -> f64 {
        self.certain().min(self.doubtful)
    }
}

/// A triangle near the start, relative to it.
#[derive(Clone, Copy, Debug)]
struct NearFace {
    corners: [DVec2; 3],
    heights: [f64; 3],
    gentle: bool,
    open: [bool; 3],
    /// No part of it is nearer than this in the plan.
    distance: f64,
    /// The part of it that was gathered is not lower and not higher than this.
    bounds: [f64; 2],
}

impl NearFace {
    /// Distance of an edge from the start in the plan.
    fn edge_distance(&self, side: usize) -> f64 {
        closest_on_segment(self.corners[side], self.corners[(side + 1) % 3], DVec2::ZERO).length()
    }

    /// Distance from the start in the plan; 0 if it covers the start.
    fn plan_distance(&self) -> f64 {
        let sides = [0, 1, 2].map(|side| self.corners[side].perp_dot(self.corners[(side + 1) % 3]));
        let is_over = sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0);
        if is_over { 0.0 } else { (0..3).map(|side| self.edge_distance(side)).fold(f64::INFINITY, f64::min) }
    }

    /// Returns the cut with the vertical plane from the origin along `direction`, up to `reach`.
    fn cut(&self, direction: DVec2, reach: f64) -> Option<Piece> {
        let aside = self.corners.map(|corner| direction.perp_dot(corner));
        let beside = aside.map(|value| value > 0.0);
        if beside[0] == beside[1] && beside[1] == beside[2] {
            return None;
        }
        let along = self.corners.map(|corner| direction.dot(corner));
        let mut ends = [(0.0, 0.0, 0); 2];
        let mut count = 0;
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            if beside[a] != beside[b] && count < 2 {
                let share = aside[a] / (aside[a] - aside[b]);
                let (low, high) = (self.heights[a], self.heights[b]);
                ends[count] = (along[a] + share * (along[b] - along[a]), low + share * (high - low), a);
                count += 1;
            }
        }
        if ends[0].0 > ends[1].0 {
            ends.swap(0, 1);
        }
        let [(from, from_height, _), (to, to_height, exit)] = ends;
        let next = (exit + 1) % 3;
        let exit = (aside[next] - aside[exit], self.corners[next].distance_squared(self.corners[exit]));
        let piece = Piece { from, to, from_height, to_height, exit, gentle: self.gentle };
        (to >= 0.0 && from <= reach).then_some(piece)
    }
}

/// The cut of a triangle with a vertical plane: from `from` to `to` along the line, with the
/// heights there.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: f64,
    to: f64,
    from_height: f64,
    to_height: f64,
    /// Length across the line, and squared length, of the edge by which it leaves the triangle.
    exit: (f64, f64),
    gentle: bool,
}

impl Piece {
    /// Sine of the angle between the line and the edge by which it leaves the triangle.
    fn exit_sine(&self) -> f64 {
        let (across, squared) = self.exit;
        if squared > 0.0 { across.abs() / squared.sqrt() } else { 1.0 }
    }

    fn height(&self, along: f64) -> f64 {
        let length = self.to - self.from;
        if length <= 0.0 {
            return self.to_height;
        }
        let share = ((along - self.from) / length).clamp(0.0, 1.0);
        self.from_height + share * (self.to_height - self.from_height)
    }
}

/// The triangles around a place. Its memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbourhood {
    faces: Vec<NearFace>,
    pieces: Vec<Piece>,
    directions: Vec<DVec2>,
}

/// Directions that are always tested.
static FIXED_DIRECTIONS: LazyLock<[DVec2; 16]> =
    LazyLock::new(|| std::array::from_fn(|step| DVec2::from_angle(0.123 + step as f64 * TAU / 16.0)));

/// Number of sectors. In each, the nearest edge of gentle ground and the nearest other edge give
/// directions.
const BINS: usize = 40;

/// Angle in radians by which a direction passes an edge on either side: a direction straight to a
/// corner may only graze it.
const NUDGE: f64 = 2e-3;

/// Longest step of a walk in metres; heights are followed exactly at its ends.
const LONGEST_MARCH: f64 = 0.06;

impl Neighbourhood {
    /// Collects the triangles within `reach` of `origin` in the plan that a walk can hit.
    pub(crate) fn gather(&mut self, scene: &SceneIndex, origin: DVec3, reach: f64, limits: &Limits) {
        self.faces.clear();
        // The heights that a walk can reach on ground of 60 degrees, and a step more.
        let (down, up) = (2.0 * reach + limits.step + 0.1, 2.0 * reach + 2.0 * limits.step + limits.height);
        let low = origin - DVec3::new(reach, down, reach);
        let high = origin + DVec3::new(reach, up, reach);
        let faces = &mut self.faces;
        scene.overlapping(low, high, |index| {
            let face = &scene.faces[index];
            let corners = face.corners.map(|corner| plan(corner - origin));
            let heights = face.corners.map(|corner| corner.y - origin.y);
            let least = corners[0].min(corners[1]).min(corners[2]);
            let most = corners[0].max(corners[1]).max(corners[2]);
            let distance = least.max(-most).max(DVec2::ZERO).length();
            let gentle = face.slope != Slope::Steep;
            let [a, b, c] = heights;
            let bounds = if gentle {
                // Also those of its plane within reach: it may be large.
                let rise = -plan(face.normal) / face.normal.y;
                let (middle, most) = (a - rise.dot(corners[0]), rise.length() * reach);
                [a.min(b).min(c).max(middle - most), a.max(b).max(c).min(middle + most)]
            } else {
                [a.min(b).min(c), a.max(b).max(c)]
            };
            faces.push(NearFace { corners, heights, gentle, open: face.open, distance, bounds });
        });
        faces.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    }

    /// `true` if nothing is nearer than `reach`.
    pub(crate) fn is_open(&mut self, reach: f64, limits: &Limits) -> bool {
        self.choose_directions(reach);
        let directions = std::mem::take(&mut self.directions);
        let mut directions_left = directions.iter();
        let is_open =
            directions_left.all(|&direction| self.walk(direction, reach, limits).clearance.strict() >= reach);
        self.directions = directions;
        is_open
    }

    /// `true` if everything within `reach` is gentle ground without an edge, and no part of it is
    /// higher than a step over another: walks meet nothing there. Faces below it, and those higher
    /// above it than the head, do not matter.
    pub(crate) fn is_plain(&self, reach: f64, limits: &Limits) -> bool {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        self.faces.iter().take_while(|face| face.distance <= reach).all(|face| {
            let [bottom, top] = face.bounds;
            if top < -limits.step - SAME_SURFACE || bottom > limits.step + limits.height + SAME_SURFACE {
                return true;
            }
            if !face.gentle {
                return face.plan_distance() > reach;
            }
            (low, high) = (low.min(bottom), high.max(top));
            high - low <= limits.step
                && (0..3).all(|side| !face.open[side] || face.edge_distance(side) > reach)
        })
    }

    /// Distances to walls and drops, up to `reach`. Nearer ones hide those behind them.
    pub(crate) fn clearance(&mut self, reach: f64, limits: &Limits) -> Clearance {
        let mut found = Clearance::OPEN;
        if self.is_plain(reach, limits) {
            return found;
        }
        self.choose_directions(reach);
        let directions = std::mem::take(&mut self.directions);
        for &direction in &directions {
            let walk = self.walk(direction, reach.min(found.certain()), limits);
            found.wall = found.wall.min(walk.clearance.wall);
            found.drop = found.drop.min(walk.clearance.drop);
            found.doubtful = found.doubtful.min(walk.clearance.doubtful);
        }
        self.directions = directions;
        found
    }

    /// Chooses the fixed directions, and those past the nearest points of nearby edges, on both
    /// sides.
    fn choose_directions(&mut self, reach: f64) {
        let mut bins = [(f64::INFINITY, 0.0); 2 * BINS];
        for face in self.faces.iter().take_while(|face| face.distance <= reach) {
            for side in (0..3).filter(|&side| face.open[side]) {
                let nearest =
                    closest_on_segment(face.corners[side], face.corners[(side + 1) % 3], DVec2::ZERO);
                let distance = nearest.length();
                if distance > reach || distance < 1e-9 {
                    continue;
                }
                let angle = float::atan2(nearest.y, nearest.x);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "within the bins, saturating"
                )]
                let bin = ((angle / TAU + 0.5) * BINS as f64) as usize;
                let bin = &mut bins[bin.min(BINS - 1) + if face.gentle { 0 } else { BINS }];
                if (distance, angle) < *bin {
                    *bin = (distance, angle);
                }
            }
        }
        let mut nearest: Vec<_> = bins.into_iter().filter(|bin| bin.0.is_finite()).collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.directions.clear();
        for (_, angle) in nearest {
            self.directions.push(DVec2::from_angle(angle + NUDGE));
            self.directions.push(DVec2::from_angle(angle - NUDGE));
        }
        self.directions.extend(*FIXED_DIRECTIONS);
    }

    /// Cuts the triangles with the vertical plane from the origin along `direction`.
    fn slice(&mut self, direction: DVec2, reach: f64) {
        self.pieces.clear();
        let near = self.faces.iter().take_while(|face| face.distance <= reach);
        self.pieces.extend(near.filter_map(|face| face.cut(direction, reach)));
    }

    /// Walks from the origin along `direction` over the distance `length`.
    pub(crate) fn walk(&mut self, direction: DVec2, length: f64, limits: &Limits) -> Walk {
        self.slice(direction, length);
        self.pieces.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut walker = Walker::new(&self.pieces, limits);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen")]
        let count = (length / LONGEST_MARCH).ceil().clamp(1.0, 4096.0) as usize;
        let march = length / count as f64;
        let mut step = 0;
        while step < count {
            if !walker.march(step as f64 * march, (step + 1) as f64 * march) {
                return Walk { clearance: walker.clearance, arrival: None };
            }
            step += 1;
            step += walker.glide(step, march, count - step);
        }
        let arrival = walker.gap.is_none().then_some(walker.height);
        Walk { clearance: walker.clearance, arrival }
    }
}

/// Result of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) clearance: Clearance,
    /// Height at the end, if it was reached, relative to the start.
    pub(crate) arrival: Option<f64>,
}

/// State of a walk.
struct Walker<'a> {
    /// The cuts ahead, sorted by their start.
    pieces: &'a [Piece],
    limits: &'a Limits,
    height: f64,
    /// Height of the last gentle ground.
    base: f64,
    /// End of the ground, and sine of the angle between the walk and the edge there.
    gap: Option<(f64, f64)>,
    steep: Option<f64>,
    clearance: Clearance,
}

impl<'a> Walker<'a> {
    fn new(pieces: &'a [Piece], limits: &'a Limits) -> Self {
        let clearance = Clearance::OPEN;
        Self { pieces, limits, height: 0.0, base: 0.0, gap: None, steep: None, clearance }
    }

    /// `true` if a cut is ground within a step between `a` and `b`: at `b`, or where it is entered.
    fn in_step(&self, piece: &Piece, a: f64, b: f64) -> bool {
        let reach = self.limits.step + 1e-6;
        (piece.height(b) - self.height).abs() <= reach || (piece.height(a) - self.height).abs() <= reach
    }

    /// Walks from `a` to `b`. Returns `false` if the walk is stopped.
    fn march(&mut self, a: f64, b: f64) -> bool {
        let passed = self.pieces.iter().take_while(|piece| piece.to < a).count();
        self.pieces = &self.pieces[passed..];
        let ahead = &self.pieces[..self.pieces.partition_point(|piece| piece.from <= b)];
        let ground = ahead
            .iter()
            .filter(|piece| piece.to >= b && piece.from < piece.to)
            .filter(|piece| self.in_step(piece, a, b))
            .map(|piece| (piece.height(b), piece.gentle))
            .reduce(|best, next| {
                let same = (best.0 - next.0).abs() <= SAME_SURFACE;
                let better = if same && best.1 != next.1 { next.1 } else { next.0 > best.0 };
                if better { next } else { best }
            });
        let top = ground.map_or(self.height, |ground| ground.0);
        // Obstacles are higher than a step, but not above the head.
        let low = (self.height + self.limits.step).max(top) + 1e-6;
        let high = top + self.limits.height - 1e-6;
        for piece in ahead.iter().filter(|piece| piece.to >= a) {
            let (start, end) = (piece.from.max(a), piece.to.min(b));
            let is_line = piece.from >= piece.to;
            let (mut first, mut last) = if is_line {
                (piece.from_height, piece.to_height)
            } else {
                (piece.height(start), piece.height(end))
            };
            let mut at = start;
            if !is_line && (first < low || first > high) && (first - last).abs() > 1e-12 {
                let bound = if first < low { low } else { high };
                let share = (bound - first) / (last - first);
                if (0.0..=1.0).contains(&share) {
                    at = start + share * (end - start);
                }
            }
            if first > last {
                std::mem::swap(&mut first, &mut last);
            }
            if last > low && first < high {
                self.clearance.wall = self.clearance.wall.min(at.max(0.0));
            }
        }
        if self.clearance.wall.is_finite() {
            return false;
        }
        match ground {
            Some((height, gentle)) => self.arrive(a, b, height, gentle),
            None => self.miss(a, b),
        }
    }

    /// Takes up to `most` marches at once while the walk stays on one gentle triangle and nothing
    /// else is within a step or below the head: they would change the height alone. Returns their
    /// number.
    fn glide(&mut self, step: usize, march: f64, most: usize) -> usize {
        let a = step as f64 * march;
        if self.gap.is_some() || self.steep.is_some() || most == 0 {
            return 0;
        }
        let here = &self.pieces[..self.pieces.partition_point(|piece| piece.from <= a)];
        let here = || here.iter().filter(|piece| piece.to >= a);
        let is_ground = |piece: &&Piece| piece.gentle && (piece.height(a) - self.height).abs() < 1e-12;
        let Some(ground) = here().find(is_ground) else { return 0 };
        let next = self.pieces.iter().map(|piece| piece.from).find(|&from| from > a);
        let end = here().map(|piece| piece.to).fold(next.unwrap_or(f64::INFINITY), f64::min);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturating")]
        let count = (((end - a - 1e-9) / march) as usize).min(most);
        if count == 0 {
            return 0;
        }
        let b = (step + count) as f64 * march;
        let rise = (ground.height(b) - ground.height(a)).abs() / count as f64 + 1e-6;
        let (low, high) = (SAME_SURFACE + rise, self.limits.step.max(self.limits.height) + rise);
        let is_far = |piece: &Piece| {
            let above = [a, b].map(|at| piece.height(at) - ground.height(at));
            above.iter().all(|&above| above < -low) || above.iter().all(|&above| above > high)
        };
        if rise > self.limits.step || !here().all(|piece| std::ptr::eq(piece, ground) || is_far(piece)) {
            return 0;
        }
        (self.height, self.base) = (ground.height(b), ground.height(b));
        count
    }

    fn arrive(&mut self, a: f64, b: f64, height: f64, gentle: bool) -> bool {
        self.gap = None;
        self.height = height;
        if gentle {
            (self.base, self.steep) = (height, None);
            return true;
        }
        let start = *self.steep.get_or_insert(a);
        if b - start >= self.limits.stride {
            self.clearance.doubtful = self.clearance.doubtful.min(start);
        }
        if (height - self.base).abs() <= self.limits.step {
            return true;
        }
        let nearest = if height > self.base { &mut self.clearance.wall } else { &mut self.clearance.drop };
        *nearest = b;
        false
    }

    fn miss(&mut self, a: f64, b: f64) -> bool {
        let (start, sine) = self.gap.unwrap_or_else(|| {
            let near = self.pieces.iter().filter(|piece| piece.from <= b && piece.to >= a);
            let ground = near.filter(|piece| self.in_step(piece, a, piece.to.min(b)));
            let last = ground.max_by(|one, other| one.to.total_cmp(&other.to));
            last.map_or((a, 1.0), |piece| (piece.to.clamp(a, b), piece.exit_sine()))
        });
        self.gap = Some((start, sine));
        self.clearance.doubtful = self.clearance.doubtful.min(start);
        // Across the gap: a walk along a crack meets no ground for long.
        if (b - start) * sine >= self.limits.stride {
            self.clearance.drop = start;
            return false;
        }
        true
    }
}

/// The point of a segment that is closest to `at`.
pub(crate) fn closest_on_segment(a: DVec2, b: DVec2, at: DVec2) -> DVec2 {
    let along = b - a;
    let length = along.length_squared();
    let share = if length > 0.0 { ((at - a).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    a + share * along
}

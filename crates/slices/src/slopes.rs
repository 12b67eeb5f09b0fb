//! Slopes: joins slices that form one slope to one region with an inclined plane.

use waymesh_core::{DisjointSets, checkpoint, threads, to_u32};

use crate::config::Limits;
use crate::corners::{Corner, join_corners};
use crate::facing::{BARRED, Meeting, glue};
use crate::merge::{Merged, SliceRegion};
use crate::plane::Plane;

/// The centre of a cell `[x, z]` of a region, and its level.
type Sample = ([f64; 2], f64);

/// Returns the height of `plane` above a sample.
#[inline]
fn excess(plane: &Plane, sample: &Sample) -> f64 {
    plane.at(sample.0) - sample.1
}

/// Rounding of heights, in levels.
const SLACK: f64 = 1e-6;
/// Rounds of Lawson's algorithm. Most fits take one or two.
const ROUNDS: usize = 16;

/// Finds a plane that lies within `error` of all samples, by Lawson's algorithm. It fits least
/// squares and then weighs each sample by its distance, which leads to the plane with the smallest
/// largest distance. The weighted mean distance is never larger than the smallest largest distance,
/// so most sets of samples that no plane fits are rejected early.
///
/// Returns the plane and its largest distance, or `None` if none was found.
fn fit(samples: &[Sample], weights: &mut Vec<f64>, error: f64) -> Option<(Plane, f64)> {
    let &(origin, base) = samples.first()?;
    weights.clear();
    weights.resize(samples.len(), (samples.len() as f64).recip());
    for _ in 0..ROUNDS {
        let (mut mean, mut sums) = ([0.0; 3], [0.0; 5]);
        for (&([x, z], level), weight) in samples.iter().zip(&*weights) {
            let [x, z, y] = [x - origin[0], z - origin[1], level - base];
            mean = [mean[0] + weight * x, mean[1] + weight * z, mean[2] + weight * y];
            for (sum, product) in sums.iter_mut().zip([x * x, x * z, z * z, x * y, z * y]) {
                *sum += weight * product;
            }
        }
        let [x, z, y] = mean;
        // The added slack makes the plane defined for samples in one line: it is level across the
        // line.
        let [xx, zz] = [sums[0] - x * x + SLACK, sums[2] - z * z + SLACK];
        let [xz, xy, zy] = [sums[1] - x * z, sums[3] - x * y, sums[4] - z * y];
        let determinant = xx * zz - xz * xz;
        let rise = [(xy * zz - zy * xz) / determinant, (zy * xx - xy * xz) / determinant];
        let at = |[x, z]: [f64; 2]| rise[0] * x + rise[1] * z;
        let mut plane = Plane { at_origin: base + y - at([x, z]) - at(origin), rise };
        let (mut low, mut high, mut squares) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for (sample, weight) in samples.iter().zip(&*weights) {
            let excess = excess(&plane, sample);
            (low, high) = (low.min(excess), high.max(excess));
            squares += weight * excess * excess;
        }
        let largest = (high - low) / 2.0;
        if largest <= error + SLACK {
            plane.at_origin -= f64::midpoint(low, high);
            return Some((plane, largest));
        }
        if squares.sqrt() > error + 2.0 * SLACK {
            return None;
        }
        let mut sum = 0.0;
        for (sample, weight) in samples.iter().zip(&mut *weights) {
            *weight *= excess(&plane, sample).abs();
            sum += *weight;
        }
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    None
}

/// Largest number of samples in `Group::at_hand`. A larger number only costs time.
const MOST_AT_HAND: usize = 48;

/// Slices that are one slope.
#[derive(Clone, Debug, Default)]
struct Group {
    /// `None` until there are two slices.
    ground: Option<(Plane, f64)>,
    slices: Vec<u32>,
    /// Number of samples of all slices.
    samples: usize,
    /// The samples that determine the plane most closely.
    at_hand: Vec<Sample>,
    /// Slices that must not be in the same group.
    barred: Vec<u32>,
}

/// The slices of a scene, and the groups into which they have been joined.
struct Slopes<'a> {
    regions: &'a [SliceRegion],
    limits: &'a Limits,
    /// The cells at the convex corners of each slice: a linear function is largest in one of them.
    samples: Vec<Vec<Sample>>,
    groups: Vec<Group>,
    sets: DisjointSets,
    weights: Vec<f64>,
}

impl<'a> Slopes<'a> {
    fn new(merged: &'a Merged, limits: &'a Limits) -> Self {
        let regions = &merged.regions;
        let samples: Vec<Vec<Sample>> = threads::map(0..regions.len(), |region| {
            checkpoint();
            samples(merged, region)
        });
        let mut groups: Vec<Group> = threads::map((0..).zip(&samples), |(region, samples)| Group {
            slices: vec![region],
            samples: samples.len(),
            at_hand: farthest(samples),
            ..Group::default()
        });
        for meeting in merged.meetings.iter().filter(|meeting| meeting.gap == BARRED) {
            let [a, b] = meeting.regions;
            groups[a as usize].barred.push(b);
            groups[b as usize].barred.push(a);
        }
        let sets = DisjointSets::new(regions.len());
        Self { regions, limits, samples, groups, sets, weights: Vec::new() }
    }

    /// Joins the slices on both sides of each border if one plane fits all, in order of the best
    /// fit. Slices that do not fit once never fit later, so each border is tried once.
    fn join(&mut self, meetings: &[Meeting]) {
        let level = |region: u32| self.regions[region as usize].level;
        let area = |region: u32| self.regions[region as usize].area;
        let mut pairs: Vec<[u32; 2]> = meetings
            .iter()
            .take_while(|meeting| meeting.gap == 0)
            .map(|meeting| meeting.regions)
            .filter(|&[a, b]| level(a).abs_diff(level(b)) <= self.limits.rise.unsigned_abs())
            .filter(|&[a, b]| area(a) == area(b))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        threads::sort(&mut pairs);
        pairs.dedup();
        let error = self.limits.plane_error;
        let cost = |[a, b]: [u32; 2], (samples, weights): &mut (Vec<Sample>, Vec<f64>)| {
            samples.clear();
            [a, b].iter().for_each(|&slice| samples.extend(&self.groups[slice as usize].at_hand));
            fit(samples, weights, error).map(|(_, largest)| largest)
        };
        // Equal borders are visited in an order in which groups grow evenly: every second one, then
        // every second one of those that remain, and so on. A long slope would take quadratic time
        // otherwise.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "eighths of a small number"
        )]
        let costs = threads::map_with(pairs.iter().enumerate(), |scratch, (index, &pair)| {
            checkpoint();
            cost(pair, scratch).map(|cost| ((cost * 8.0).round() as u32, (index + 1).trailing_zeros(), index))
        });
        let mut order: Vec<(u32, u32, usize)> = costs.into_iter().flatten().collect();
        threads::sort(&mut order);
        for (_, _, index) in order {
            checkpoint();
            let [a, b] = pairs[index].map(|slice| self.sets.find(slice));
            if a != b && self.may_join(a, b) {
                self.unite(a, b);
            }
        }
    }

    /// Returns `true` if no slice of one group is barred from one of the other.
    fn may_join(&mut self, a: u32, b: u32) -> bool {
        let counts = [a, b].map(|group| self.groups[group as usize].barred.len());
        let (few, other) = if counts[0] <= counts[1] { (a, b) } else { (b, a) };
        let Self { groups, sets, .. } = self;
        groups[few as usize].barred.iter().all(|&slice| sets.find(slice) != other)
    }

    /// Joins two groups if one plane fits both.
    fn unite(&mut self, a: u32, b: u32) {
        let counts = [a, b].map(|group| self.groups[group as usize].samples);
        let (large, small) = if counts[0] >= counts[1] { (a, b) } else { (b, a) };
        let error = self.limits.plane_error;
        let mut at_hand = [large, small].map(|group| self.groups[group as usize].at_hand.as_slice()).concat();
        // Most neighbours of a large group fit its plane as it is.
        let kept = self.groups[large as usize].ground.and_then(|(plane, largest)| {
            let (_, other) = self.farthest_off(&plane, &[small])?;
            (other <= error).then_some((plane, largest.max(other)))
        });
        let Some(ground) = kept.or_else(|| self.plane_of_both([large, small], &mut at_hand)) else { return };
        if at_hand.len() > MOST_AT_HAND {
            at_hand.sort_by(|a, b| excess(&ground.0, b).abs().total_cmp(&excess(&ground.0, a).abs()));
            at_hand.truncate(MOST_AT_HAND * 2 / 3);
        }
        let Group { slices, samples, barred, .. } = std::mem::take(&mut self.groups[small as usize]);
        let mut joined = std::mem::take(&mut self.groups[large as usize]);
        joined.ground = Some(ground);
        joined.slices.extend(slices);
        joined.samples += samples;
        joined.barred.extend(barred);
        joined.at_hand = at_hand;
        let name = self.sets.unite(large, small);
        self.groups[name as usize] = joined;
    }

    /// Fits the samples at hand, and adds the one that is farthest off until all are near enough.
    fn plane_of_both(&mut self, both: [u32; 2], at_hand: &mut Vec<Sample>) -> Option<(Plane, f64)> {
        for _ in 0..ROUNDS {
            let (plane, _) = fit(at_hand, &mut self.weights, self.limits.plane_error)?;
            let steepest = f64::from(self.limits.rise);
            if plane.rise.iter().any(|rise| rise.abs() > steepest + SLACK) {
                return None;
            }
            let (sample, off) = self.farthest_off(&plane, &both)?;
            if off <= self.limits.plane_error + 2.0 * SLACK {
                return Some((plane, off));
            }
            at_hand.push(sample);
        }
        None
    }

    /// Returns the sample of some groups that is farthest from a plane, and its distance.
    fn farthest_off(&self, plane: &Plane, groups: &[u32]) -> Option<(Sample, f64)> {
        let slices = groups.iter().flat_map(|&group| &self.groups[group as usize].slices);
        let all = slices.flat_map(|&slice| &self.samples[slice as usize]);
        all.map(|sample| (*sample, excess(plane, sample).abs())).max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Returns the cells at the convex corners of a region. They are sorted, since corners come tile by
/// tile.
fn samples(merged: &Merged, region: usize) -> Vec<Sample> {
    let level = f64::from(merged.regions[region].level);
    let range = merged.corner_ends[region]..merged.corner_ends[region + 1];
    let corners = merged.corners[range.clone()].iter().zip(&merged.corner_cells[range]);
    let mut cells: Vec<(i32, i32)> = corners
        .filter(|(_, cells)| cells.is_power_of_two())
        .map(|(Corner { point, .. }, &cells)| {
            let [left, below] = [cells & 0b0101 != 0, cells & 0b0011 != 0].map(i32::from);
            (point.z - below, point.x - left)
        })
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells.into_iter().map(|(z, x)| ([f64::from(x) + 0.5, f64::from(z) + 0.5], level)).collect()
}

/// Returns the samples of a slice that lie farthest in eight directions.
fn farthest(samples: &[Sample]) -> Vec<Sample> {
    let directions = [[1., 0.], [0., 1.], [1., 1.], [1., -1.], [-1., 0.], [0., -1.], [-1., -1.], [-1., 1.]];
    let along = |direction: [f64; 2], at: [f64; 2]| direction[0] * at[0] + direction[1] * at[1];
    let mut found: Vec<Sample> = Vec::with_capacity(directions.len());
    for direction in directions {
        let order = |a: &&Sample, b: &&Sample| along(direction, a.0).total_cmp(&along(direction, b.0));
        found.extend(samples.iter().max_by(order).filter(|sample| !found.contains(sample)));
    }
    found
}

/// Joins slices that form one slope. Slices are joined over borders that an agent can cross on a
/// walkable slope, if they are of one area and one plane lies within the error allowed of the
/// levels of all their cells.
///
/// # Guarantees
/// - No region overlaps itself, because spans of one column are farther apart than the largest
///   error of the plane. Slices are not joined over a border that cannot be crossed.
/// - Regions are numbered in the order of their first cells, independent of the tiles.
pub(crate) fn join_slopes(merged: &mut Merged, limits: &Limits) {
    let mut slopes = Slopes::new(merged, limits);
    slopes.join(&merged.meetings);
    let count = merged.regions.len();
    let Slopes { mut groups, mut sets, .. } = slopes;
    let mut regions = Vec::new();
    let (mut corners, mut corner_ends) = (Vec::with_capacity(merged.corners.len()), vec![0]);
    let mut names = vec![0; count];
    let mut around = Vec::new();
    for slice in 0..to_u32(count) {
        let group = sets.find(slice);
        if group != slice {
            names[slice as usize] = names[group as usize];
            continue;
        }
        names[slice as usize] = to_u32(regions.len());
        let Group { ground, mut slices, .. } = std::mem::take(&mut groups[slice as usize]);
        let first = merged.regions[slice as usize];
        let members = || slices.iter().map(|&slice| &merged.regions[slice as usize]);
        let (plane, error) = ground.unwrap_or((first.ground, 0.0));
        regions.push(SliceRegion {
            level: members().map(|member| member.level).max().unwrap_or(first.level),
            ground: plane,
            error,
            cells: members().map(|member| member.cells).sum(),
            ..first
        });
        slices.sort_unstable();
        around.clear();
        for slice in slices {
            let range = merged.corner_ends[slice as usize]..merged.corner_ends[slice as usize + 1];
            let points = merged.corners[range.clone()].iter().map(|corner| corner.point);
            around.extend(points.zip(merged.corner_cells[range].iter().copied()));
        }
        join_corners(&mut around, |corner| corners.push(corner));
        corner_ends.push(corners.len());
    }
    merged.meetings.retain_mut(|meeting| {
        meeting.regions = meeting.regions.map(|slice| names[slice as usize]);
        meeting.gap != BARRED && meeting.regions[0] != meeting.regions[1]
    });
    threads::sort(&mut merged.meetings);
    glue(&mut merged.meetings, |meeting| [&mut meeting.start, &mut meeting.end]);
    (merged.regions, merged.corners, merged.corner_ends) = (regions, corners, corner_ends);
    merged.corner_cells = Vec::new();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn samples_of(height: impl Fn(f64, f64) -> f64) -> Vec<Sample> {
        let all = (0..15).flat_map(|x| (0..15).map(move |z| [f64::from(x) + 0.5, f64::from(z) + 0.5]));
        all.map(|at| (at, height(at[0], at[1]).ceil())).collect()
    }

    #[test]
    fn a_plane_is_found_wherever_one_fits() {
        let mut weights = Vec::new();
        let planes = [[0.0, 0.0], [0.3, 0.0], [2.0, -1.0], [-0.07, 0.4], [1.5, 1.5]];
        for rise in planes {
            let samples = samples_of(|x, z| 7.0 + rise[0] * x + rise[1] * z);
            let (plane, largest) =
                fit(&samples, &mut weights, 0.5).expect("rounded heights are half a level off");
            let off = samples.iter().map(|sample| excess(&plane, sample).abs()).fold(0.0, f64::max);
            assert!(
                off <= 0.5 + 2.0 * SLACK && (off - largest).abs() < 1e-6,
                "{rise:?}: {off} and {largest}"
            );
            assert_eq!(
                fit(&samples, &mut weights, 0.1).is_some(),
                rise[0].fract() == 0.0 && rise[1].fract() == 0.0
            );
        }
        let roof = samples_of(|x, _| (x - 7.5).abs());
        assert!(fit(&roof, &mut weights, 2.0).is_none(), "a roof is no plane");
        assert!(fit(&roof, &mut weights, 4.0).is_some());
        let line: Vec<Sample> = (0..9).map(|x| ([f64::from(x), 0.5], f64::from(2 * x))).collect();
        let (plane, _) = fit(&line, &mut weights, 0.01).expect("a line");
        assert!((plane.rise[0] - 2.0).abs() < 1e-2 && plane.rise[1].abs() < 1e-9);
    }

    #[test]
    fn corners_of_joined_regions_are_those_of_their_union() {
        let mut random = waymesh_testkit::Random::new(3);
        for _ in 0..300 {
            let grid = crate::segment::tests::random_grid(&mut random, 7, 7);
            let label = |x: i32, z: i32| -> Option<usize> {
                let inside = (0..7).contains(&x) && (0..7).contains(&z);
                #[expect(clippy::cast_sign_loss, reason = "inside")]
                let column = (z * 7 + x) as usize;
                inside.then(|| grid.column(column).find(|&span| grid.is_walkable(span))).flatten()
            };
            let part = |x: i32, z: i32| label(x, z).map(|span| grid.floor(span) % 20);
            let (mut alone, mut expected) = (Vec::new(), Vec::new());
            for (x, z) in
                (0..7).flat_map(|z| (0..7).map(move |x| (x, z))).filter(|&(x, z)| part(x, z).is_some())
            {
                let beside = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
                let configuration = |is_there: &dyn Fn(i32, i32) -> bool| {
                    beside
                        .iter()
                        .enumerate()
                        .fold(0, |bits, (bit, (dx, dz))| bits | u8::from(is_there(x + dx, z + dz)) << bit)
                };
                let own = configuration(&|u, v| part(u, v) == part(x, z));
                crate::corners::corner_cells(own, [x, z], |corner, cells| alone.push((corner.point, cells)));
                let all = configuration(&|u, v| part(u, v).is_some());
                crate::corners::corner_points(all, [x, z], |corner| expected.push(corner));
            }
            let mut joined = Vec::new();
            join_corners(&mut alone, |corner| joined.push(corner));
            expected.sort_unstable_by_key(|corner| (corner.point.z, corner.point.x));
            assert_eq!(joined, expected);
        }
    }

    #[test]
    fn farthest_samples_are_told_once() {
        let square = samples_of(|_, _| 1.0);
        let found = farthest(&square);
        let set: HashSet<_> = found.iter().map(|(at, _)| at.map(f64::to_bits)).collect();
        assert_eq!((found.len(), set.len()), (4, 4));
    }
}

//! Ground inside of solids.

use glam::Vec3;
use waymesh_core::{
    Counter, DisjointSets, Observer, PolyId, TriangleSource, Validate, Warning, checkpoint, float,
    nearest_f32, threads,
};
use waymesh_solid::{RayOutcome, RayTree};

use super::config::{BakeConfig, Enclosed, Keep};
use super::draft::Draft;
use super::error::BakeError;
use super::keep::{islands, nearest};
use super::report::{EnclosedReport, Recorder};
use super::stages::StageSet;

/// Share of the places of a component or polygon, and of the rays around from them, that must
/// leave a solid. Other bodies in the solid stand before some places.
const MIN_INSIDE_SHARE: f64 = 0.5;
/// Level rays from each place, and by how much of the angle between two of them the next place
/// turns.
const RAYS: usize = 16;
const TURN: f64 = 0.618_034;
/// Side in metres of the square that a place represents.
const SPACING: f64 = 4.0;
/// Fewest and most places of a piece.
const PLACES: [f64; 2] = [3.0, 24.0];

/// Leaves out the ground inside of solids, with the links that end there.
pub(super) fn remove_enclosed(
    stages: &StageSet,
    triangles: &dyn TriangleSource,
    draft: &mut Draft,
    recorder: &mut Recorder<'_>,
) -> Result<Vec<EnclosedReport>, BakeError> {
    let found = recorder.stage("enclosed", |_| {
        let ground = Samples { draft, config: stages.config() };
        let is_kept = ground.is_kept(&RayTree::new(triangles)?);
        if is_kept.iter().all(|&is_kept| is_kept) {
            return Ok(Vec::new());
        }
        let found = ground.report(&is_kept);
        draft.retain(&is_kept);
        Ok::<_, BakeError>(found)
    })?;
    if !found.is_empty() {
        let (pieces, area) = (found.len() as u64, found.iter().map(|piece| piece.area).sum());
        recorder.count(Counter::PiecesEnclosed, pieces);
        recorder.warn(Warning::GroundEnclosed { pieces, area });
        stages.check("enclosed", |list| draft.polygons.violations(list))?;
    }
    let hint = "all ground lies inside of closed surfaces; keep what is enclosed";
    if draft.polygons.polygons.is_empty() { Err(BakeError::nothing("enclosed", hint)) } else { Ok(found) }
}

/// Returns the share of the ground that lies inside of solids.
pub(super) fn enclosed_share(stages: &StageSet, tree: &RayTree, draft: &Draft) -> f64 {
    let ground = Samples { draft, config: stages.config() };
    let found = ground.report(&ground.is_kept(tree));
    found.iter().fold(0.0, |sum, piece| sum + piece.area) / draft.polygons.area()
}

/// Sample places on the ground.
#[derive(Clone, Copy)]
struct Samples<'a> {
    draft: &'a Draft,
    config: &'a BakeConfig,
}

/// Returns `true` if most rays up from places leave a solid.
fn is_closed_above(places: &[Vec3], tree: &RayTree) -> bool {
    let rays = places.iter().map(|&place| Some(tree.cast(place, Vec3::Y) == RayOutcome::Leaves));
    are_most(places.len(), rays)
}

/// Returns `true` if most rays around from places leave a solid, and none gets out unless
/// `may_get_out`.
fn is_closed_around(places: &[Vec3], tree: &RayTree, may_get_out: bool) -> bool {
    let rays = places.iter().enumerate().flat_map(|(number, &place)| {
        (0..RAYS).map(move |ray| {
            // Rays of each place have other directions, slightly upwards, so that none runs along a floor.
            let turn = (ray as f64 + number as f64 * TURN) / RAYS as f64 * std::f64::consts::TAU;
            let direction = Vec3::new(nearest_f32(float::cos(turn)), 0.07, nearest_f32(float::sin(turn)));
            match tree.cast(place, direction) {
                RayOutcome::Open if !may_get_out => None,
                outcome => Some(outcome == RayOutcome::Leaves),
            }
        })
    });
    are_most(places.len() * RAYS, rays)
}

/// Returns `true` if most of `count` answers are `true`, and none is `None`.
fn are_most(count: usize, mut answers: impl Iterator<Item = Option<bool>>) -> bool {
    let mut misses = (1.0 - MIN_INSIDE_SHARE) * count as f64;
    answers.all(|answer| {
        checkpoint();
        misses -= f64::from(u8::from(answer == Some(false)));
        answer.is_some() && misses >= 0.0
    })
}

impl Samples<'_> {
    /// Returns for each polygon whether it stays.
    fn is_kept(&self, tree: &RayTree) -> Vec<bool> {
        let (islands, count) = islands(&self.draft.polygons, &self.draft.links);
        let mut pieces = vec![Vec::new(); count];
        for (polygon, &island) in islands.iter().enumerate() {
            pieces[island].push(PolyId::from_index(polygon));
        }
        let is_inside: Vec<bool> = threads::map(&pieces, |piece| {
            let places = self.places(piece);
            !places.is_empty() && is_closed_above(&places, tree) && is_closed_around(&places, tree, false)
        });
        // The places of a wide component are far from each other: it may be open between them.
        let polygons: Vec<(usize, usize)> = islands.iter().copied().enumerate().collect();
        let is_open = threads::map(&polygons, |&(polygon, island)| {
            let places = || self.places(&[PolyId::from_index(polygon)]);
            let is_closed =
                |places: &[Vec3]| is_closed_above(places, tree) && is_closed_around(places, tree, true);
            !is_inside[island] || !is_closed(&places())
        });
        if self.config.enclosed != Enclosed::RemoveUnreachable {
            return is_open;
        }
        let mut is_reached = vec![false; count];
        for (&island, is_open) in islands.iter().zip(is_open) {
            is_reached[island] |= is_open;
        }
        if let Keep::ConnectedTo(seeds) = &self.config.keep {
            let ground = (&self.draft.polygons, self.draft.surface.as_ref());
            let seeded = seeds.iter().filter_map(|&seed| nearest(ground, seed, self.config));
            seeded.for_each(|polygon| is_reached[islands[polygon]] = true);
        }
        islands.into_iter().map(|island| is_reached[island]).collect()
    }

    /// Returns the height of rays above the ground: half the head room, and above the error of
    /// heights.
    fn height(&self) -> f32 {
        let error = self.draft.surface.as_ref().map_or(0.0, |surface| surface.max_error);
        (self.config.agent.height / 2.0).max((error + 1.0) * self.config.scale.level_height)
    }

    /// Places above a piece of ground, spread evenly over its plan area.
    fn places(&self, piece: &[PolyId]) -> Vec<Vec3> {
        /// Steps of a sequence that fills a square evenly: Roberts 2018, The unreasonable
        /// effectiveness of quasirandom sequences.
        const STRIDE: [f32; 2] = [0.754_877_7, 0.569_840_3];
        let triangles: Vec<[Vec3; 3]> = piece.iter().flat_map(|&polygon| self.triangles(polygon)).collect();
        let mut area = 0.0;
        let sums: Vec<f64> = triangles
            .iter()
            .map(|[a, b, c]| {
                let (one, other) = ((*b - *a).as_dvec3(), (*c - *a).as_dvec3());
                area += (one.x * other.z - one.z * other.x).abs() / 2.0;
                area
            })
            .collect();
        let up = Vec3::Y * self.height();
        let count = (area / (SPACING * SPACING)).ceil().clamp(PLACES[0], PLACES[1]);
        let (mut at, mut share) = (0.5, [0.5_f32; 2]);
        let mut places = Vec::new();
        while at < count && area > 0.0 {
            let triangle = sums.partition_point(|&sum| sum * count <= at * area).min(triangles.len() - 1);
            let [a, b, c] = triangles[triangle];
            places.push(a.lerp(b.lerp(c, share[1]), share[0].sqrt()) + up);
            share = [0, 1].map(|axis| (share[axis] + STRIDE[axis]).fract());
            at += 1.0;
        }
        places
    }

    /// The ground of a polygon in the world.
    fn triangles(&self, polygon: PolyId) -> Vec<[Vec3; 3]> {
        let polygons = &self.draft.polygons;
        let frame = &polygons.frame;
        if let Some(surface) = &self.draft.surface {
            let place = |point: u32| {
                let point = surface.points[point as usize];
                frame.to_world(point.x.into(), point.height.into(), point.z.into())
            };
            return surface.triangles_of(polygon).iter().map(|corners| corners.map(place)).collect();
        }
        let corners = polygons.corners(polygon).iter();
        let corners: Vec<Vec3> =
            corners.map(|vertex| frame.position(polygons.vertices[vertex.index()])).collect();
        corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]).collect()
    }

    /// The connected pieces of what is not kept, in the order of their first polygons.
    fn report(&self, is_kept: &[bool]) -> Vec<EnclosedReport> {
        let polygons = &self.draft.polygons;
        let mut sets = DisjointSets::new(is_kept.len());
        let left_out = || (0..is_kept.len()).filter(|&polygon| !is_kept[polygon]).map(PolyId::from_index);
        for id in left_out() {
            for beyond in polygons.neighbours(id).iter().flatten().filter(|id| !is_kept[id.index()]) {
                sets.unite(id.0, beyond.0);
            }
        }
        let mut numbers = vec![None; is_kept.len()];
        let mut found: Vec<EnclosedReport> = Vec::new();
        for id in left_out() {
            let number = *numbers[sets.find(id.0) as usize].get_or_insert_with(|| {
                let [a, b, c] = self.triangles(id).first().copied().unwrap_or_default();
                let place = ((a + b + c) / 3.0).to_array();
                found.push(EnclosedReport { polygons: 0, area: 0.0, place });
                found.len() - 1
            });
            found[number].polygons += 1;
            let cells = polygons.doubled_area(id) as f64 / 2.0;
            found[number].area += cells * polygons.frame.cell_area();
        }
        found
    }
}

//! Why no path joins two places.

use glam::{DVec2, DVec3, Vec3};
use serde::Serialize;
use waymesh_core::{PolyId, nearest_f32, saturating_u32};
use waymesh_graph::{FilterFn, IslandId, Location, NavMesh, Reach};

use super::measure::Nearby;
use super::place::{LAST_STAGES, PlaceAnswer};
use super::remedy::{Remedy, first_that_works, values, with};
use super::{Cause, Explainer, located};
use crate::bake::{BakeConfig, BakeError};
use crate::links::JumpConfig;

/// The result of [`Explainer::between`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairAnswer {
    /// The start. If it is not on the mesh, nothing else is explained.
    pub from: PlaceAnswer,
    /// The goal.
    pub to: PlaceAnswer,
    /// Length of the path; `None` if there is none.
    pub length: Option<f32>,
    /// `true` if a path leads from the goal to the start, but not back.
    pub is_one_way: bool,
    /// Settings with each of which alone a path joins the places, the smallest change first.
    pub ways: Vec<Way>,
    /// The nearest places of the two pieces of ground; `None` if they are joined.
    pub gap: Option<Gap>,
}

/// A setting with which a path joins two places.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Way {
    /// The setting.
    pub remedy: Remedy,
    /// Length of the path.
    pub length: f32,
    /// The place between the pieces of ground where the path passes: the narrowest for a radius, the
    /// middle of a link. `None` if the pieces touch there.
    pub at: Option<[f32; 3]>,
    /// The cause for which that place is not walkable.
    pub cause: Option<Cause>,
}

/// The gap between two pieces of ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Gap {
    /// A place at the border of the start's piece.
    pub from: [f32; 3],
    /// The place of the goal's piece nearest to it.
    pub to: [f32; 3],
    /// Distance in plan in metres.
    pub distance: f32,
    /// Length of the part of this distance without ground that an agent of radius 0 walks on from
    /// either side, in metres: the gap in the scene. The mesh keeps the agent's radius from it.
    pub without_ground: f32,
    /// Difference of heights in metres, positive upwards.
    pub rise: f32,
}

impl Explainer<'_> {
    /// Explains why no path joins two places, and with which setting one does. Every setting is
    /// tried by bakes.
    ///
    /// # Cost
    /// Some 30 bakes if no path joins the places, else one.
    ///
    /// # Errors
    /// See [`Explainer::place`].
    pub fn between(&self, from: Vec3, to: Vec3) -> Result<PairAnswer, BakeError> {
        let mut answer = PairAnswer {
            from: self.place(from)?,
            to: self.place(to)?,
            length: None,
            is_one_way: false,
            ways: Vec::new(),
            gap: None,
        };
        let ends =
            [from, to].map(|end| self.mesh().and_then(|mesh| mesh.nearest(end, &mesh.default_reach())));
        let (Some(mesh), [Some(from), Some(to)]) = (self.mesh(), ends) else { return Ok(answer) };
        let path_length =
            |from: &Location, to: &Location| mesh.query().path(*from, *to).ok().map(|path| path.length);
        answer.length = path_length(&from, &to);
        if answer.length.is_some() {
            return Ok(answer);
        }
        answer.is_one_way = path_length(&to, &from).is_some();
        answer.gap = gap(mesh, &from, &to).map(|gap| self.measured(gap));
        for setting in SETTINGS {
            answer.ways.extend(self.way(mesh, [from.position, to.position], setting)?);
        }
        let change = |way: &Way| way.remedy.change().unwrap_or(f64::INFINITY);
        answer.ways.sort_by(|a, b| change(a).total_cmp(&change(b)));
        Ok(answer)
    }

    /// Measures the part of a gap without ground on the triangles.
    fn measured(&self, gap: Gap) -> Gap {
        let ends = [gap.from, gap.to].map(|end| Vec3::from(end).as_dvec3());
        let [from, to] = ends.map(|end| DVec2::new(end.x, end.z));
        let length = from.distance(to);
        let nearby = Nearby::new(self.soup, from.midpoint(to), length / 2.0 + 0.1);
        let walked = |at: DVec3, direction: DVec2| {
            // From the surface, which the mesh is off by the rounding of heights.
            let surfaces = nearby.surfaces(DVec2::new(at.x, at.z)).filter(|surface| surface.faces_up);
            let away = |height: f64| (height - at.y).abs();
            let ground = surfaces.map(|surface| surface.height).min_by(|a, b| away(*a).total_cmp(&away(*b)));
            let start = DVec3::new(at.x, ground.unwrap_or(at.y), at.z);
            nearby
                .edge_towards(start, direction, length, &self.config().agent)
                .map_or(length, |edge| edge.distance)
        };
        let direction = (to - from).normalize_or_zero();
        let walked = walked(ends[0], direction) + walked(ends[1], -direction);
        Gap { without_ground: nearest_f32((length - walked).max(0.0)), ..gap }
    }

    /// Returns the least change of a setting that joins two places, if any does.
    fn way(&self, mesh: &NavMesh, ends: [Vec3; 2], setting: &'static str) -> Result<Option<Way>, BakeError> {
        let config = self.config();
        let join = |new: BakeConfig| -> Result<Option<(BakeConfig, f32, Vec<Vec3>)>, BakeError> {
            let Some(other) = self.quick(self.soup, &new)? else { return Ok(None) };
            let (side, rise) = (2.0 * config.scale.cell_size, config.agent.max_step.max(0.5));
            let [from, to] = ends.map(|end| other.nearest(end, &Reach::new(side, rise, rise)));
            let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
            let path = other.query().ground_error(0.1).path(from, to);
            Ok(path.ok().map(|path| (new, path.length, path.points)))
        };
        let joined = match switched(setting, config) {
            Some(new) if new == *config => None,
            Some(new) => join(new)?,
            None => {
                let levels = f64::from(config.scale.level_height);
                let step = match setting {
                    "max_step" => levels,
                    "max_slope" => 1.0,
                    "agent_radius" => 0.01,
                    _ => 0.05,
                };
                let values = values(setting, config, step);
                first_that_works(&values, |value| join(with(config, setting, value)))?
            }
        };
        let Some((new, length, points)) = joined else { return Ok(None) };
        let at = between_islands(mesh, &points);
        let cause = match at {
            Some(at) => self.place(at)?.reasons.first().map(|reason| reason.cause),
            None => None,
        };
        let remedy = Remedy::between(setting, config, &new);
        Ok(Some(Way { remedy, length, at: at.map(Into::into), cause }))
    }
}

/// The settings that may join two places.
const SETTINGS: [&str; 10] = [
    "agent_radius",
    "max_step",
    "max_slope",
    "agent_height",
    "cell_size",
    "min_region",
    "keep",
    "enclosed",
    "max_ledge",
    "jumps",
];

/// Returns the configuration with a setting that is on or off switched; `None` for one with many
/// values.
fn switched(setting: &str, config: &BakeConfig) -> Option<BakeConfig> {
    let config = config.clone();
    match LAST_STAGES.iter().find(|stage| stage.setting == setting) {
        Some(stage) => Some((stage.mend)(config)),
        None if setting != "jumps" => None,
        None if config.jumps.is_some() => Some(config),
        None => Some(config.with_jumps(JumpConfig::default())),
    }
}

/// Returns the place in the middle of the first stretch of a path between two pieces of ground of
/// a mesh.
fn between_islands(mesh: &NavMesh, points: &[Vec3]) -> Option<Vec3> {
    /// Metres between two samples.
    const STEP: f32 = 0.05;
    let (mut last, mut left): (Option<IslandId>, Option<Vec3>) = (None, None);
    for pair in points.windows(2) {
        let length = pair[0].distance(pair[1]);
        let count = saturating_u32((length / STEP).ceil().max(1.0));
        for sample in 0..=count {
            let at = pair[0].lerp(pair[1], sample as f32 / count as f32);
            if let Some(island) = located(mesh, at).and_then(|found| mesh.island_of(found.polygon)) {
                if last.is_some_and(|last| last != island) {
                    return Some(left.map_or(at, |left| left.midpoint(at)));
                }
                (last, left) = (Some(island), Some(at));
            }
        }
    }
    None
}

/// Returns the nearest places of the pieces of ground that two locations lie on. Links join pieces.
fn gap(mesh: &NavMesh, from: &Location, to: &Location) -> Option<Gap> {
    /// Most places of the border of a piece that are tried.
    const MAX_PLACES: usize = 20_000;
    let linked = |polygon: PolyId| {
        let island = mesh.island_of(polygon)?;
        Some(mesh.first_linked_island(island).unwrap_or(island))
    };
    // Links that join both lead the other way, or are closed.
    let is_linked = linked(from.polygon) == linked(to.polygon);
    let piece = |polygon: PolyId| if is_linked { mesh.island_of(polygon) } else { linked(polygon) };
    let pieces = [from, to].map(|end| piece(end.polygon));
    let mut best: Option<(f32, [Vec3; 2])> = None;
    // The nearest place of one piece is a corner of it, or the nearest to a corner of the other.
    for [near, far] in [[0, 1], [1, 0]] {
        let filter = FilterFn(|_: &NavMesh, polygon: PolyId| piece(polygon) == pieces[far]);
        let mut places: Vec<Vec3> = Vec::new();
        for polygon in mesh.polygons().filter(|polygon| piece(polygon.id()) == pieces[near]) {
            for [a, b] in polygon.walls() {
                let [a, b] = [a, b].map(|vertex| mesh.vertices()[vertex.index()]);
                places.extend([a, a.midpoint(b)]);
            }
        }
        let stride = places.len().div_ceil(MAX_PLACES).max(1);
        for place in places.into_iter().step_by(stride) {
            let side = best.map_or(f32::INFINITY, |(distance, _)| distance);
            let reach = Reach::new(side, side, side);
            let Some(other) = mesh.nearest_with(place, &reach, &filter) else { continue };
            let distance = place.distance(other.position);
            if best.is_none_or(|(least, _)| distance < least) {
                let mut ends = [place; 2];
                ends[far] = other.position;
                best = Some((distance, ends));
            }
        }
    }
    let (_, [from, to]) = best?;
    let across = to - from;
    let distance = glam::Vec2::new(across.x, across.z).length();
    let (from, to) = (from.to_array(), to.to_array());
    Some(Gap { from, to, distance, without_ground: 0.0, rise: across.y })
}

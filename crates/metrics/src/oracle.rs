//! The oracle: where an agent can stand.

use glam::{DVec2, DVec3, Vec3};
use waymesh_core::{Agent, threads};

use crate::MetricsConfig;
use crate::components::Components;
use crate::scene::{Face, SceneIndex, Slope, Surface, plan};
use crate::spread::spread;
use crate::walk::{Clearance, Limits, Neighbourhood, SAME_SURFACE};

/// Why an agent cannot stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Obstruction {
    /// Inside a solid.
    Solid,
    /// Under a ceiling lower than the agent.
    Ceiling,
    /// Closer to a wall than the radius, or on ground that is too steep.
    Wall,
    /// Closer to a drop than the radius, or without ground.
    Drop,
}

/// Answer to whether an agent can stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, by a margin of a cell and of a level.
    Standable,
    /// Too close to the deciding border to be certain.
    Uncertain,
    /// No, by a margin of a cell or of a level.
    Obstructed(Obstruction),
}

/// A point on the scene's walkable triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// World position.
    pub position: Vec3,
    /// The verdict there.
    pub verdict: Verdict,
}

/// Decides where an agent can stand in a scene. Uses exact geometry on the triangles, no
/// voxels: it shares no code with the baker but the tree that finds triangles.
///
/// # The rule
/// An agent can stand at a point of a triangle that faces up and is no steeper than `max_slope` if
/// - it is not inside a solid, which is where rays straight up, and in nearly all of 64 directions
///   upwards and sideways, leave one that they did not enter;
/// - there is nothing above it lower than `height`;
/// - a straight walk from it over the distance `radius` in any direction meets neither wall nor
///   drop. A walk follows the profile that a vertical plane cuts out of the triangles. It takes
///   steps of up to `max_step`, up or down. It ends at a wall if something is higher than a step
///   but below the head; at a drop if there is no ground within a step; and at one of both if it
///   has climbed or descended by more than a step on ground that is too steep. The directions are
///   16 fixed ones, and in each of 40 sectors those past the nearest edge where gentle ground ends
///   and past the nearest other edge, on both sides.
///
/// # Uncertainty
/// A verdict is certain only if it stays the same when the border moves by a cell and when
/// `max_step` and `height` change by a level. It is also uncertain at low obstacles that are no
/// ground themselves, at cracks shorter than a cell, at steep ground that can be stepped over, and
/// on triangles within 0.002 radians of the steepest slope. Such points are [`Verdict::Uncertain`]
/// and counted separately. An agent with a radius of at most a cell is never certainly too close to
/// a wall or drop.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub(crate) agent: Agent,
    pub(crate) config: MetricsConfig,
    pub(crate) scene: SceneIndex,
    pub(crate) samples: Vec<Sample>,
    /// Side of the square of each sample, in metres.
    pub(crate) sample_side: f64,
    pub(crate) components: Components,
}

/// Reusable buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) around: Neighbourhood,
    surfaces: Vec<Surface>,
    /// Distance beyond the needed one within which plain ground is searched, in metres: verdicts on
    /// places nearby then need no walks.
    pub(crate) margin: f64,
    /// A place and the distance from it within which all ground is plain.
    pub(crate) plain: Option<(DVec3, f64)>,
}

impl Scratch {
    /// `true` if the ground around a point of the ground is plain.
    fn is_plain(&mut self, scene: &SceneIndex, point: DVec3, reach: f64, limits: &Limits) -> bool {
        if let Some((origin, plain)) = self.plain
            && plan(point).distance(plan(origin)) + reach <= plain
            && (point.y - origin.y).abs() <= limits.step
        {
            return true;
        }
        let mut is_plain = |reach| {
            self.around.gather(scene, point, reach, limits);
            self.around.is_plain(reach, limits)
        };
        let found = is_plain(reach);
        if found && self.margin > 0.0 && is_plain(reach + self.margin) {
            self.plain = Some((point, reach + self.margin));
        }
        found
    }
}

impl Oracle {
    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The samples, evenly spread over the plan area of the walkable triangles.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Decides if an agent can stand on the ground at `position`, which is a point of a walkable
    /// triangle.
    #[must_use]
    pub fn judge(&self, position: Vec3) -> Verdict {
        self.verdict(position.as_dvec3(), &mut Scratch::default())
    }

    /// Uncertainty in the plan, in metres.
    pub(crate) fn cell(&self) -> f64 {
        f64::from(self.config.cell_size)
    }

    pub(crate) fn radius(&self) -> f64 {
        f64::from(self.agent.radius)
    }

    pub(crate) fn step(&self) -> f64 {
        f64::from(self.agent.max_step)
    }

    pub(crate) fn height_tolerance(&self) -> f64 {
        let least = self.agent.max_step.max(self.config.level_height);
        f64::from(self.config.height_tolerance.unwrap_or(least))
    }

    /// Limits of a walk, `leniency` levels more lenient than those of the agent.
    pub(crate) fn limits(&self, leniency: f64) -> Limits {
        let slack = leniency * f64::from(self.config.level_height);
        Limits {
            step: (self.step() + slack).max(0.0),
            height: (f64::from(self.agent.height) - slack).max(SAME_SURFACE),
            stride: self.cell(),
        }
    }

    pub(crate) fn take_samples(&self) -> (Vec<Sample>, f64) {
        let faces: Vec<&Face> = self.scene.faces.iter().filter(|face| face.slope != Slope::Steep).collect();
        let triangles: Vec<[DVec3; 3]> = faces.iter().map(|face| face.corners).collect();
        let (places, side) = spread(&triangles, self.config.samples, self.config.seed);
        let samples = threads::map_with(places, |scratch: &mut Scratch, (face, point)| {
            let verdict = self.verdict(point, scratch);
            let is_decided = faces[face].slope == Slope::Gentle;
            let verdict = if is_decided { verdict } else { Verdict::Uncertain };
            Sample { position: point.as_vec3(), verdict }
        });
        (samples, side)
    }

    /// Returns the room above a point in metres, as far as it matters, and `true` if there is a low
    /// obstacle: no higher than a step, no ground itself, with room above it.
    fn room(&self, point: DVec3, scratch: &mut Scratch) -> (f64, bool) {
        let (step, enough) = (self.limits(1.0).step, self.limits(-1.0).height);
        let (low, high) = (point.y + SAME_SURFACE, point.y + step + enough);
        self.scene.column(plan(point), low, high, &mut scratch.surfaces);
        let rise = |surface: &Surface| surface.height - point.y;
        let room = scratch.surfaces.iter().map(rise).fold(f64::INFINITY, f64::min);
        let (below, above): (Vec<&Surface>, Vec<&Surface>) =
            scratch.surfaces.iter().partition(|surface| rise(surface) <= step);
        let top = below.into_iter().max_by(|a, b| a.height.total_cmp(&b.height));
        let is_obstacle = top.is_some_and(|top| {
            let is_free = |surface: &&Surface| surface.height - top.height >= self.limits(1.0).height;
            self.scene.faces[top.face].slope == Slope::Steep && above.iter().all(is_free)
        });
        (room, is_obstacle)
    }

    /// `true` if a point of the ground lies inside a solid.
    pub(crate) fn is_inside_solid(&self, point: DVec3) -> bool {
        self.scene.is_inside_solid(point + DVec3::Y * (2.0 * SAME_SURFACE))
    }

    /// The verdict on a point of the ground.
    pub(crate) fn verdict(&self, point: DVec3, scratch: &mut Scratch) -> Verdict {
        if self.is_inside_solid(point) {
            return Verdict::Obstructed(Obstruction::Solid);
        }
        let (room, is_obstacle) = self.room(point, scratch);
        if room < self.limits(1.0).height && is_obstacle {
            // It is open whether the agent stands on the obstacle or cannot stand here.
            return Verdict::Uncertain;
        }
        if room < self.limits(1.0).height {
            return Verdict::Obstructed(Obstruction::Ceiling);
        }
        let (radius, cell) = (self.radius(), self.cell());
        let reach = radius + cell;
        let (strict, lenient) = (self.limits(-1.0), self.limits(1.0));
        if room >= strict.height && scratch.is_plain(&self.scene, point, reach, &strict) {
            return Verdict::Standable;
        }
        // In dense scenes near objects decide, so the rest need not be gathered.
        let close = (radius - cell) / 4.0;
        if close > 0.0 {
            scratch.around.gather(&self.scene, point, close, &lenient);
            let clearance = scratch.around.clearance(close, &lenient);
            if clearance.certain() < close {
                return Verdict::Obstructed(nearer(&clearance));
            }
        }
        scratch.around.gather(&self.scene, point, reach, &lenient);
        if room >= strict.height && scratch.around.is_open(reach, &strict) {
            return Verdict::Standable;
        }
        if radius <= cell {
            return Verdict::Uncertain;
        }
        // A drop is found only a stride beyond its edge.
        let clearance = scratch.around.clearance(radius - cell + lenient.stride, &lenient);
        if clearance.certain() < radius - cell {
            Verdict::Obstructed(nearer(&clearance))
        } else {
            Verdict::Uncertain
        }
    }

    /// Distance of walls and drops from a point of the ground, up to `reach`, by limits `leniency`
    /// levels more lenient than the agent's own. Searches nearby first.
    pub(crate) fn clearance(
        &self,
        point: DVec3,
        reach: f64,
        leniency: f64,
        scratch: &mut Scratch,
    ) -> Clearance {
        let limits = self.limits(leniency);
        let mut found = Clearance::OPEN;
        let nearby = self.radius() + self.cell();
        for look in [reach.min(nearby), reach] {
            scratch.around.gather(&self.scene, point, look, &limits);
            found = scratch.around.clearance(look, &limits);
            if found.certain().is_finite() || reach <= nearby {
                break;
            }
        }
        found
    }

    /// The surfaces within `tolerance` above and below a point, nearest first.
    pub(crate) fn grounds<'a>(
        &self,
        point: DVec3,
        tolerance: f64,
        scratch: &'a mut Scratch,
    ) -> &'a [Surface] {
        let (low, high) = (point.y - tolerance, point.y + tolerance);
        self.scene.column(plan(point), low, high, &mut scratch.surfaces);
        let key = |surface: &Surface| (surface.height - point.y).abs();
        scratch.surfaces.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.face.cmp(&b.face)));
        &scratch.surfaces
    }

    /// The verdict on a point of a mesh: on the ground within the height tolerance, or over a drop.
    pub(crate) fn verdict_on_mesh(&self, point: DVec3, scratch: &mut Scratch) -> Verdict {
        let grounds = self.grounds(point, self.height_tolerance(), scratch).to_vec();
        let mut worst = None;
        for ground in &grounds {
            let slope = self.scene.faces[ground.face].slope;
            if slope == Slope::Steep {
                continue;
            }
            let place = DVec3::new(point.x, ground.height, point.z);
            match self.verdict(place, scratch) {
                Verdict::Obstructed(reason) => worst = worst.or(Some(reason)),
                _ if slope == Slope::Borderline => return Verdict::Uncertain,
                fine => return fine,
            }
        }
        if let Some(reason) = worst {
            return Verdict::Obstructed(reason);
        }
        if self.scene.is_inside_solid(point) {
            return Verdict::Obstructed(Obstruction::Solid);
        }
        if !grounds.is_empty() {
            // Steep ground with gentle ground within a cell is treated as a border.
            return if self.gentle_nearby(point, scratch) {
                Verdict::Uncertain
            } else {
                Verdict::Obstructed(Obstruction::Wall)
            };
        }
        // No ground below: a mesh may protrude by a cell, or bridge a crack.
        if self.gentle_nearby(point, scratch) {
            Verdict::Uncertain
        } else {
            Verdict::Obstructed(Obstruction::Drop)
        }
    }

    /// `true` if there is gentle ground within half a cell of a point, on opposite sides of it; or if
    /// the border of the ground must move by less than a cell for the agent to stand at the point.
    fn gentle_nearby(&self, point: DVec3, scratch: &mut Scratch) -> bool {
        let tolerance = self.height_tolerance();
        let short = self.cell() - self.radius();
        let mut is_gentle = |offset: DVec2| {
            let place = point + DVec3::new(offset.x, 0.0, offset.y);
            let scene = &self.scene;
            self.grounds(place, tolerance, scratch)
                .iter()
                .any(|ground| scene.faces[ground.face].slope != Slope::Steep)
        };
        (0..8).any(|step| {
            let direction = DVec2::from_angle(f64::from(step) * std::f64::consts::PI / 8.0);
            let offset = direction * self.cell() / 2.0;
            // A border that moves by a cell along both axes moves by the diagonal of a cell.
            let reach = direction / direction.abs().max_element() * short;
            is_gentle(offset) && is_gentle(-offset)
                || short > 0.0 && [1.0, 0.5].iter().any(|&by| is_gentle(reach * by) || is_gentle(reach * -by))
        })
    }
}

/// The nearer one of wall and drop.
fn nearer(clearance: &Clearance) -> Obstruction {
    if clearance.wall <= clearance.drop { Obstruction::Wall } else { Obstruction::Drop }
}

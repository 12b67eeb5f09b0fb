//! Why a place is not walkable.

use glam::{DVec2, DVec3, Vec3};
use serde::Serialize;
use waymesh_core::{AreaId, BadField, TriangleSoup, nearest_f32};
use waymesh_graph::Reach;
use waymesh_io::{LoadOptions, Winding};

use super::measure::{Nearby, Surface};
use super::remedy::{Remedy, first_that_works, values, with};
use super::spot::{Loss, Spot};
use super::{Cause, Explainer, is_on};
use crate::bake::{BakeConfig, BakeError, ConfigError, Enclosed, Keep};
use crate::fields::Value;

/// The result of [`Explainer::place`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlaceAnswer {
    /// The place.
    pub place: [f32; 3],
    /// `true` if it is on the mesh.
    pub is_walkable: bool,
    /// The height of the surface that is explained; `None` if there is none.
    pub height: Option<f32>,
    /// Why it is not walkable, in the order of the stages of a bake. Each cause counts once those
    /// before it are mended.
    pub reasons: Vec<Reason>,
    /// `true` if a bake with all remedies has ground here.
    pub is_checked: bool,
    /// The nearest place on the mesh.
    pub nearest: Option<[f32; 3]>,
}

/// A cause and the setting that mends it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reason {
    /// The cause.
    pub cause: Cause,
    /// The setting; `None` if none helps.
    pub remedy: Option<Remedy>,
}

/// Most causes of one place: each mends a stage.
const MAX_REASONS: usize = 8;

/// A stage after the walkable field that may leave a place out.
#[derive(Clone, Copy)]
pub(super) struct LastStage {
    pub(super) setting: &'static str,
    cause: Cause,
    /// Makes the stage leave nothing out.
    pub(super) mend: fn(BakeConfig) -> BakeConfig,
}

pub(super) const LAST_STAGES: [LastStage; 5] = [
    LastStage {
        setting: "min_region",
        cause: Cause::SmallRegion { area: None },
        mend: |config| config.with_min_region(0.0),
    },
    LastStage {
        setting: "enclosed",
        cause: Cause::Enclosed,
        mend: |config| config.with_enclosed(Enclosed::Keep),
    },
    LastStage { setting: "keep", cause: Cause::NotKept, mend: |config| config.with_keep(Keep::All) },
    LastStage {
        setting: "max_edge_error",
        cause: Cause::Simplified,
        mend: |config| config.with_max_edge_error(0.0),
    },
    LastStage {
        setting: "height_detail",
        cause: Cause::NoDetail,
        mend: |config| config.with_height_detail(true),
    },
];

impl Explainer<'_> {
    /// Explains why a place is not on the mesh.
    ///
    /// # Method
    /// The cells around the place go through the stages of the bake, with its bits, until one loses
    /// the place. The triangles around it give the measures of the cause. The least change of a
    /// setting with which the stage keeps the place is searched, and the stages are run again with
    /// it. In the end the scene is baked with all changes.
    ///
    /// # Cost
    /// A few passes over the triangles and some milliseconds; one to six bakes for a place that the
    /// mesh lacks.
    ///
    /// # Errors
    /// For a place that is not finite, and the errors of [`crate::Baker::bake`].
    pub fn place(&self, place: Vec3) -> Result<PlaceAnswer, BakeError> {
        for (value, axis) in place.to_array().into_iter().zip(["x", "y", "z"]) {
            BadField::unless(value.is_finite(), axis, value, "finite").map_err(ConfigError::BadField)?;
        }
        let nearest = self.mesh().and_then(|mesh| mesh.nearest(place, &Reach::INFINITE));
        let mut answer = PlaceAnswer {
            place: place.to_array(),
            is_walkable: is_on(self.mesh(), place),
            height: None,
            reasons: Vec::new(),
            is_checked: false,
            nearest: nearest.map(|nearest| nearest.position.to_array()),
        };
        let at = DVec2::new(place.x.into(), place.z.into());
        let mut config = self.config().clone();
        let far = config.agent.radius + 4.0 * config.scale.cell_size + 0.5;
        let mut nearby = Nearby::new(self.soup, at, far.into());
        let surface = surface_at(&nearby, place, &config);
        answer.height = surface.as_ref().ok().map(|surface| nearest_f32(surface.height));
        if answer.is_walkable {
            return Ok(answer);
        }
        let surface = match surface {
            Ok(surface) => surface,
            Err(cause) => {
                answer.reasons.push(Reason { cause, remedy: None });
                return Ok(answer);
            }
        };
        let place = Vec3::new(place.x, nearest_f32(surface.height), place.z);
        answer.is_walkable = is_on(self.mesh(), place);
        if answer.is_walkable {
            return Ok(answer);
        }
        let turned;
        let mut soup = self.soup;
        if !surface.faces_up {
            let (from, to) = (Value::from("as_read"), Value::from("two_sided"));
            let remedy = Some(Remedy { setting: "winding", from, to });
            answer.reasons.push(Reason { cause: Cause::FacesDown { triangle: surface.triangle }, remedy });
            turned = two_sided(self.soup);
            soup = &turned;
            nearby = Nearby::new(soup, at, far.into());
        }
        let spot = Spot::new(soup, place, surface.slope);
        if let Some(reason) = steep(&spot, soup, &mut config, surface)? {
            let is_mended = reason.remedy.is_some();
            answer.reasons.push(reason);
            if !is_mended {
                return Ok(answer);
            }
        }
        while answer.reasons.len() < MAX_REASONS {
            let lost = spot.loss(&config)?;
            if lost == Loss::Nothing {
                break;
            }
            let (cause, settings) = cause(lost, &nearby, soup, surface, place, &config);
            let remedy = mended(settings, &mut config, |config| Ok(spot.loss(config)? > lost))?;
            let is_mended = remedy.is_some();
            answer.reasons.push(Reason { cause, remedy });
            if !is_mended {
                return Ok(answer);
            }
        }
        answer.is_checked = self.mend_last_stages(soup, config, place, &mut answer.reasons)?;
        Ok(answer)
    }

    /// Adds causes of the stages after the walkable field. Returns `true` if a bake with all
    /// remedies has ground at the place.
    fn mend_last_stages(
        &self,
        soup: &TriangleSoup,
        config: BakeConfig,
        place: Vec3,
        reasons: &mut Vec<Reason>,
    ) -> Result<bool, BakeError> {
        let is_mended =
            |config: &BakeConfig| Ok::<_, BakeError>(is_on(self.quick(soup, config)?.as_ref(), place));
        if is_mended(&config)? {
            return Ok(true);
        }
        let mut wanted: Vec<LastStage> =
            LAST_STAGES.into_iter().filter(|stage| (stage.mend)(config.clone()) != config).collect();
        let all =
            |wanted: &[LastStage]| wanted.iter().fold(config.clone(), |config, stage| (stage.mend)(config));
        if !is_mended(&all(&wanted))? {
            return Ok(false);
        }
        // Only stages that have to be mended stay.
        let mut index = 0;
        while index < wanted.len() && wanted.len() > 1 {
            let one = wanted.remove(index);
            if !is_mended(&all(&wanted))? {
                wanted.insert(index, one);
                index += 1;
            }
        }
        let mended = all(&wanted);
        for LastStage { setting, mut cause, .. } in wanted {
            let mut new = mended.clone();
            if let Cause::SmallRegion { area } = &mut cause
                && let Some(mesh) = self.quick(soup, &mended)?
                && let Some(found) = mesh.nearest(place, &mesh.default_reach())
                && let Some(island) = mesh.island_of(found.polygon)
            {
                let size = mesh.islands()[island.index()].area;
                *area = Some(size);
                let least = nearest_f32((size * 99.0).floor() / 100.0);
                new = mended.clone().with_min_region(least);
                if !is_mended(&new)? {
                    new = mended.clone();
                }
            }
            reasons.push(Reason { cause, remedy: Some(Remedy::between(setting, &config, &new)) });
        }
        Ok(true)
    }
}

/// Returns the cause of a surface that is too steep, and mends it in `config`. A cell may be
/// walkable for another surface in it, within a step.
fn steep(
    spot: &Spot<'_>,
    soup: &TriangleSoup,
    config: &mut BakeConfig,
    surface: Surface,
) -> Result<Option<Reason>, BakeError> {
    let [slope, max_slope] = [surface.slope, config.agent.max_slope.into()].map(f64::to_degrees);
    let triangle = surface.triangle;
    if slope <= max_slope || soup.area(triangle) == AreaId::NULL {
        return Ok(None);
    }
    let lost = spot.loss(config)?;
    let is_walked = |config: &BakeConfig| -> Result<bool, BakeError> {
        let now = spot.loss(config)?;
        let is_within = f64::from(config.agent.max_slope) >= surface.slope;
        Ok(is_within && if lost == Loss::Surface { now > lost } else { now >= lost })
    };
    let remedy = mended(&["max_slope"], config, is_walked)?;
    Ok(Some(Reason { cause: Cause::TooSteep { slope, max_slope, triangle }, remedy }))
}

/// Returns the surface that a place is meant to be on: the nearest that faces up within the agent's
/// height, else the nearest at all.
fn surface_at(nearby: &Nearby<'_>, place: Vec3, config: &BakeConfig) -> Result<Surface, Cause> {
    let (reach, at) = (f64::from(config.agent.height), DVec2::new(place.x.into(), place.z.into()));
    let away = |surface: &Surface| (surface.height - f64::from(place.y)).abs();
    let nearest = |faces_up: bool| {
        let surfaces = nearby.surfaces(at).filter(|surface| surface.faces_up == faces_up);
        surfaces.filter(|surface| away(surface) <= reach).min_by(|a, b| away(a).total_cmp(&away(b)))
    };
    match (nearest(true), nearest(false)) {
        (Some(up), Some(down)) if away(&down) + f64::from(config.agent.max_step) < away(&up) => Ok(down),
        (Some(surface), _) => Ok(inside_out_top(nearby, surface, at, config).unwrap_or(surface)),
        (None, Some(surface)) => Ok(surface),
        (None, None) => {
            let distances = || nearby.surfaces(at).map(|surface| surface.height - f64::from(place.y));
            let least = |distances: &mut dyn Iterator<Item = f64>| distances.min_by(f64::total_cmp);
            Err(Cause::NoSurface {
                below: least(&mut distances().filter(|up| *up < 0.0).map(|up| -up)),
                above: least(&mut distances().filter(|up| *up > 0.0)),
            })
        }
    }
}

/// Returns the top of a slab that is inside out: it faces down, less than a step above its bottom,
/// which faces up, and an agent has room above it.
fn inside_out_top(nearby: &Nearby<'_>, bottom: Surface, at: DVec2, config: &BakeConfig) -> Option<Surface> {
    let (room, triangle) = nearby.head_room(DVec3::new(at.x, bottom.height, at.y))?;
    let top = nearby.surfaces(at).find(|surface| surface.triangle == triangle)?;
    let is_thin = room <= f64::from(config.agent.max_step).max(0.3) && room < f64::from(config.agent.height);
    let above = nearby.head_room(DVec3::new(at.x, top.height, at.y));
    let has_room = above.is_none_or(|(room, _)| room >= f64::from(config.agent.height));
    (is_thin && has_room && !top.faces_up).then_some(top)
}

/// Returns the scene with all triangles that face down turned over.
fn two_sided(soup: &TriangleSoup) -> TriangleSoup {
    let positions = soup.positions().iter().map(|position| position.as_dvec3());
    let options = LoadOptions::default().with_winding(Winding::TwoSided);
    let turned = options.soup(positions, soup.triangles().to_vec());
    let areas = (0..soup.triangles().len()).map(|triangle| soup.area(triangle)).collect();
    turned.and_then(|turned| turned.with_areas(areas)).unwrap_or_default()
}

/// Returns the cause for which a stage loses a place, and the settings that may mend it, the most
/// likely first.
fn cause(
    lost: Loss,
    nearby: &Nearby<'_>,
    soup: &TriangleSoup,
    surface: Surface,
    place: Vec3,
    config: &BakeConfig,
) -> (Cause, &'static [&'static str]) {
    let (at, agent, triangle) =
        (DVec3::new(place.x.into(), surface.height, place.z.into()), &config.agent, surface.triangle);
    let needed = f64::from(agent.height);
    let low = |found: Option<(f64, usize)>| {
        found.map(|(room, triangle)| (Cause::LowHeadRoom { room, needed, triangle }, &["agent_height"][..]))
    };
    let known = match lost {
        Loss::Mark(mark) => Some((Cause::Marked { mark }, &[][..])),
        Loss::Surface if soup.area(triangle) == AreaId::NULL => Some((Cause::Blocked { triangle }, &[][..])),
        Loss::Covered => low(nearby.head_room(at).filter(|(room, _)| *room < needed)),
        // With much more room it is not the rounding of levels.
        Loss::Ceiling => low(nearby
            .head_room_in_cell(at, config.scale.cell_size.into())
            .filter(|(room, _)| *room < needed + 4.0 * f64::from(config.scale.level_height))),
        _ => None,
    };
    known.unwrap_or_else(|| edge_cause(nearby, at, config))
}

/// Returns the cause for which a place is too near to an edge of the ground.
fn edge_cause(nearby: &Nearby<'_>, at: DVec3, config: &BakeConfig) -> (Cause, &'static [&'static str]) {
    let agent = &config.agent;
    let Some(edge) = nearby.edge(at, agent) else {
        return (Cause::Rounding, &["cell_size", "agent_radius"]);
    };
    let settings: &[_] = match edge.cause {
        Cause::NearStep { .. } => &["max_step", "agent_radius", "cell_size"],
        // Beyond the radius it is the rounding of cells that removes the place.
        _ if edge.distance >= f64::from(agent.radius) => &["cell_size", "agent_radius"],
        _ => &["agent_radius", "cell_size"],
    };
    (edge.cause, settings)
}

/// Changes the first setting that mends a place, if one does.
fn mended(
    settings: &[&'static str],
    config: &mut BakeConfig,
    works: impl Fn(&BakeConfig) -> Result<bool, BakeError>,
) -> Result<Option<Remedy>, BakeError> {
    for &setting in settings {
        let step = if setting == "max_slope" { 0.1 } else { 0.01 };
        let found = first_that_works(&values(setting, config, step), |value| {
            let new = with(config, setting, value);
            Ok(works(&new)?.then_some(new))
        })?;
        if let Some(new) = found {
            let remedy = Remedy::between(setting, config, &new);
            *config = new;
            return Ok(Some(remedy));
        }
    }
    Ok(None)
}

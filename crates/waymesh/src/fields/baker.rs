//! Bakers by the names of settings.

use waymesh_core::{AreaTable, TriangleSource};

#[cfg(feature = "slices")]
use super::SLICES;
#[cfg(feature = "storeys")]
use super::STOREYS;
use super::{BAKE, Entries, Field, FieldError, VOXELS, Value};
use crate::bake::FrontEnd;
#[cfg(feature = "slices")]
use crate::front::Slices;
#[cfg(feature = "storeys")]
use crate::front::Storeys;
use crate::{Bake, BakeError, Baker, Observer, Voxels};

/// Names of the pipelines of triangles.
const PIPELINES: [&str; 3] = ["voxels", "storeys", "slices"];

/// Returns a baker with the settings that are given over those it has; `areas` are those that files
/// or plans name.
///
/// # Errors
/// Names the first setting that does not take its value.
pub fn baker<F: FrontEnd + Clone>(
    baker: Baker<F>,
    fields: &[Field<F>],
    entries: &mut Entries<'_>,
    areas: &AreaTable,
) -> Result<Baker<F>, FieldError> {
    let (mut front, mut config) = (baker.front().clone(), baker.config().clone().with_areas(areas.clone()));
    entries.apply(fields, &mut front)?;
    entries.apply(BAKE, &mut config)?;
    if entries.take("agent_radius").is_none() {
        config.agent.radius = named_radius::<F>(config.agent.radius);
    }
    Ok(baker.with_front(front).with_config(config))
}

/// Returns the radius of a bake for an agent whose radius comes with its name: the default of a
/// front end that refuses others. Such a mesh is for paths of any radius.
#[must_use]
pub fn named_radius<F: FrontEnd>(radius: f32) -> f32 {
    let is_refused = F::REFUSED.iter().any(|(option, _)| *option == "agent.radius");
    if is_refused { F::defaults().agent.radius } else { radius }
}

/// Returns the baker of voxels, for what no other pipeline does: worlds, single tiles,
/// explanations. See [`baker`].
///
/// # Errors
/// If the setting `pipeline` is another one, and as [`baker`].
pub fn voxels(entries: &mut Entries<'_>, areas: &AreaTable) -> Result<Baker<Voxels>, FieldError> {
    match entries.take("pipeline").filter(|given| given.to::<String>().as_deref() != Some("voxels")) {
        None => baker(Baker::voxels(), VOXELS, entries, areas),
        Some(other) => {
            let reason = format!("pipeline is {other}, but only voxels can do this");
            Err(FieldError::Other { what: entries.what, reason })
        }
    }
}

/// A baker of triangles whose pipeline is a setting.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyBaker {
    /// Voxels.
    Voxels(Baker<Voxels>),
    /// Whole storeys.
    #[cfg(feature = "storeys")]
    Storeys(Baker<Storeys>),
    /// Slices of levels.
    #[cfg(feature = "slices")]
    Slices(Baker<Slices>),
}

impl AnyBaker {
    /// Returns the baker of the setting `pipeline` (voxels, if it is not given), with the settings of
    /// its bakes. See [`baker`].
    ///
    /// # Errors
    /// For an unknown pipeline, and as [`baker`].
    pub fn of(entries: &mut Entries<'_>, areas: &AreaTable) -> Result<Self, FieldError> {
        let pipeline = entries.take("pipeline").cloned().unwrap_or_else(|| Value::from("voxels"));
        match pipeline.to::<String>().as_deref() {
            Some("voxels") => baker(Baker::voxels(), VOXELS, entries, areas).map(Self::Voxels),
            #[cfg(feature = "storeys")]
            Some("storeys") => baker(Baker::storeys(), STOREYS, entries, areas).map(Self::Storeys),
            #[cfg(feature = "slices")]
            Some("slices") => baker(Baker::slices(), SLICES, entries, areas).map(Self::Slices),
            _ => Err(unknown_pipeline(entries.what, &pipeline)),
        }
    }

    /// Bakes triangles.
    ///
    /// # Errors
    /// See [`Baker::bake`].
    pub fn bake_observed(
        &self,
        source: &(dyn TriangleSource + 'static),
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        match self {
            Self::Voxels(baker) => baker.bake_observed(source, observer),
            #[cfg(feature = "storeys")]
            Self::Storeys(baker) => baker.bake_observed(source, observer),
            #[cfg(feature = "slices")]
            Self::Slices(baker) => baker.bake_observed(source, observer),
        }
    }
}

/// Returns the error for a pipeline that does not exist.
#[must_use]
pub fn unknown_pipeline(what: &'static str, pipeline: &Value) -> FieldError {
    let (value, choices) = (pipeline.to_string(), PIPELINES.join(", "));
    FieldError::Choice { what, name: "pipeline", value, choices }
}

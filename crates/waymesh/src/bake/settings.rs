//! Methods of [`Baker`] that set a setting or replace a stage.

use std::sync::Arc;

use waymesh_core::stage::{
    BuildField, Decompose, FitHeights, Partition, SimplifyContours, TraceContours, Triangulate, Voxelize,
};
use waymesh_core::{Agent, AreaTable};
#[cfg(feature = "storeys")]
use waymesh_storeys::{DepthDevice, RoughDevice};
use waymesh_voxel::{Mark, RasterDevice};

use super::baker::{Baker, FrontEnd};
use super::config::{CornerChoice, DecompositionKind, Enclosed, Keep, PartitionKind, for_settings};
use super::stages::for_stages;
use crate::links::JumpConfig;

/// Writes a method for each stage that replaces it.
macro_rules! replacements {
    ($($(#[doc = $doc:literal])* $(#[cfg($is:meta)])? $field:ident: $stage:ident, $method:ident;)*) => {
        impl<F> Baker<F> {
            $($(#[doc = $doc])*
            $(#[cfg($is)])?
            #[must_use]
            pub fn $method(mut self, stage: impl $stage + Send + Sync + 'static) -> Self {
                self.stages.$field = Some(Arc::new(stage));
                self
            })*
        }
    };
}

for_stages!(replacements);

/// Writes a setter for each path of fields in [`super::BakeConfig`], and names the method there.
macro_rules! setters {
    ($($name:ident: $($field:ident).+ = $type:ty $(, $with:ident)?;)+) => {
        impl<F: FrontEnd> Baker<F> {
            $(
                #[doc = concat!(
                    "Sets `", stringify!($($field).+), "` of [`BakeConfig`](super::BakeConfig)"
                    $(, ": see [`BakeConfig::", stringify!($with), "`](super::BakeConfig::", stringify!($with), ")")?, "."
                )]
                #[must_use]
                pub fn $name(mut self, value: impl Into<$type>) -> Self {
                    self.stages.config.$($field).+ = value.into();
                    self
                }
            )+
        }
    };
}

/// Passes the settings that have a method to [`setters`].
macro_rules! setters_of_settings {
    ($($(#[$attribute:meta])* pub $field:ident: $type:ty = $default:expr $(, $with:ident($($value:tt)+))?;)+) => {
        setters! { $($($field: $field = $type, $with;)?)+ }
    };
}

for_settings!(setters_of_settings);

setters! {
    cell_size: scale.cell_size = f32;
    level_height: scale.level_height = f32;
    agent_height: agent.height = f32;
    agent_radius: agent.radius = f32;
    max_step: agent.max_step = f32;
    max_slope: agent.max_slope = f32;
}

impl<F: FrontEnd> Baker<F> {
    /// Sets the heights of agents that share the mesh; the agent becomes as high as the least.
    #[must_use]
    pub fn height_classes(mut self, heights: impl Into<Vec<f32>>) -> Self {
        self.stages.config = self.stages.config.with_height_classes(heights);
        self
    }
}

#[cfg(all(test, feature = "storeys"))]
mod tests {
    use crate::bake::FrontEnd;
    use crate::{Baker, Storeys};

    #[test]
    fn a_setting_leaves_the_defaults_of_the_front_end() {
        let baker = Baker::storeys().agent_radius(0.3).max_edge_error(0.2).height_classes([1.2, 1.8]);
        let mut expected = Storeys::defaults().with_height_classes([1.2, 1.8]).with_max_edge_error(0.2);
        expected.agent.radius = 0.3;
        assert_eq!(*baker.config(), expected);
    }
}

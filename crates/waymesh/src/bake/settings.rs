//! Setters of [`Baker`] for single settings, which lie over the defaults of its front end.

use waymesh_core::{Agent, AreaTable};
use waymesh_voxel::Mark;

use super::baker::{Baker, FrontEnd};
use super::config::{CornerChoice, DecompositionKind, PartitionKind};
use super::enclosed::Enclosed;
use super::keep::Keep;
use crate::links::JumpConfig;

/// Writes a setter for each path of fields in [`super::BakeConfig`].
macro_rules! setters {
    ($($name:ident: $($field:ident).+ = $type:ty;)+) => {
        impl<F: FrontEnd> Baker<F> {
            $(
                #[doc = concat!("Sets `", stringify!($($field).+), "` of [`BakeConfig`](super::BakeConfig).")]
                #[must_use]
                pub fn $name(mut self, value: impl Into<$type>) -> Self {
                    self.stages.config.$($field).+ = value.into();
                    self
                }
            )+
        }
    };
}

setters! {
    cell_size: scale.cell_size = f32;
    level_height: scale.level_height = f32;
    agent: agent = Agent;
    agent_height: agent.height = f32;
    agent_radius: agent.radius = f32;
    max_step: agent.max_step = f32;
    max_slope: agent.max_slope = f32;
    max_ledge: max_ledge = f32;
    max_edge_error: max_edge_error = Option<f32>;
    max_edge_length: max_edge_length = f32;
    max_seam_error: max_seam_error = f32;
    corners: corners = CornerChoice;
    min_region: min_region = f32;
    merge_region: merge_region = f32;
    partition: partition = PartitionKind;
    decomposition: decomposition = DecompositionKind;
    max_vertices: max_vertices = u32;
    max_height_error_levels: max_height_error_levels = f32;
    height_detail: height_detail = bool;
    enclosed: enclosed = Enclosed;
    keep: keep = Keep;
    marks: marks = Vec<Mark>;
    areas: areas = AreaTable;
    jumps: jumps = Option<JumpConfig>;
    threads: threads = usize;
    max_memory_bytes: max_memory_bytes = u64;
    validate_stages: validate_stages = bool;
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

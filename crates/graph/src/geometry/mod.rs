//! Geometry in the plan. Knows no mesh.

pub(crate) mod disc;
pub(crate) mod plan;

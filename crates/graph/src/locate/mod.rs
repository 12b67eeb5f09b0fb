//! Location of positions on a mesh, and the height of the ground.

pub(crate) mod error;
pub(crate) mod height;
pub(crate) mod link_end;
pub(crate) mod nearest;
pub(crate) mod places;
pub(crate) mod ray;
pub(crate) mod reach;

//! Which place on a mesh a position means, and how high the ground is there.

pub(crate) mod error;
pub(crate) mod height;
pub(crate) mod link_end;
pub(crate) mod nearest;
pub(crate) mod ray;

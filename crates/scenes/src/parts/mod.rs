//! Parts that scenes share: each is a file of methods on the builder.

pub(crate) mod furniture;
pub(crate) mod railing;
pub(crate) mod rooms;
pub(crate) mod round;
pub(crate) mod stairs;
pub(crate) mod street;
pub(crate) mod surface;
pub(crate) mod walls;

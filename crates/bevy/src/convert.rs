//! The door between Bevy's vectors and those of waymesh: the two stand on different versions of
//! `glam`. Where they stand on the same one, these functions do nothing.

use bevy::math::Vec3;
use waymesh::glam;

/// Returns a vector of waymesh.
#[inline]
#[must_use]
pub fn to_waymesh(vector: Vec3) -> glam::Vec3 {
    glam::Vec3::from_array(vector.to_array())
}

/// Returns a vector of Bevy.
#[inline]
#[must_use]
pub fn to_bevy(vector: glam::Vec3) -> Vec3 {
    Vec3::from_array(vector.to_array())
}

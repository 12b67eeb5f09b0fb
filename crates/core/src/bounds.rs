//! Boxes in the world.

use glam::{DVec3, Vec3};

use crate::nearest_f32;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounds {
    /// Lower corner.
    pub min: Vec3,
    /// Upper corner.
    pub max: Vec3,
}

impl Bounds {
    /// The box that contains no point.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Returns the smallest box around `points`.
    #[must_use]
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |bounds, point| Self {
            min: bounds.min.min(point),
            max: bounds.max.max(point),
        })
    }

    /// Returns a box of single precision around one of double precision.
    #[must_use]
    pub fn around([min, max]: [DVec3; 2]) -> Self {
        let below = |value: f64| {
            let near = nearest_f32(value);
            if f64::from(near) > value { near.next_down() } else { near }
        };
        let [min, max] = [min.to_array().map(below), (-max).to_array().map(below)];
        Self { min: min.into(), max: -Vec3::from(max) }
    }

    /// Returns the flat box around plan positions, with `margin` on all sides.
    #[must_use]
    pub fn in_plan(points: impl IntoIterator<Item = impl Into<[f64; 2]>>, margin: f64) -> Self {
        let corners = points.into_iter().map(|point| {
            let [x, z] = point.into();
            DVec3::new(x, 0.0, z)
        });
        let [min, max] = corners.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[min, max], corner| {
            [min.min(corner), max.max(corner)]
        });
        Self::around([min - margin, max + margin])
    }

    /// Returns `true` if the box is finite and contains at least one point.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.min.is_finite() && self.max.is_finite() && self.min.cmple(self.max).all()
    }
}

//! Headroom classes: agents of several heights on one mesh.

use crate::{AreaId, BadField};

/// Heights of the headroom classes, ascending. A span is in the last class whose height fits under
/// the ceiling above it. Without heights, ground has no classes.
///
/// With classes, the area of a polygon is a code of its original area and its class. `n` classes
/// leave ids below `256 / n` for areas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadRooms(Vec<f32>);

impl HeadRooms {
    /// Largest number of classes.
    pub const MAX_CLASSES: usize = 8;

    /// Returns classes with these heights in metres.
    ///
    /// # Errors
    /// If heights are not finite, above 0 and ascending, or more than [`Self::MAX_CLASSES`].
    pub fn new(heights: &[f32]) -> Result<Self, BadField> {
        let field = "height_classes";
        BadField::unless(
            heights.len() <= Self::MAX_CLASSES,
            field,
            heights.len() as f64,
            "at most 8 heights",
        )?;
        for (index, &height) in heights.iter().enumerate() {
            let above = if index == 0 { 0.0 } else { heights[index - 1] };
            let is_fine = height.is_finite() && height > above;
            BadField::unless(is_fine, field, height, "finite, above 0 and ascending")?;
        }
        Ok(Self(heights.to_vec()))
    }

    /// Returns the heights in metres, ascending.
    #[must_use]
    pub fn heights(&self) -> &[f32] {
        &self.0
    }

    /// Returns `true` if ground has no classes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of ids that are left for areas, including [`AreaId::NULL`].
    #[inline]
    #[must_use]
    pub fn area_count(&self) -> u16 {
        // There are at most 8 classes.
        u16::try_from(256 / self.0.len().max(1)).unwrap_or(256)
    }

    /// Returns the code of an area and a class; `None` if it does not fit into an id. Ground that
    /// is not walkable has no class.
    #[must_use]
    pub fn code(&self, area: AreaId, class: usize) -> Option<AreaId> {
        if !area.is_walkable() || self.is_empty() {
            return Some(area);
        }
        let is_known = u16::from(area.0) < self.area_count() && class < self.0.len();
        let code = class * usize::from(self.area_count()) + usize::from(area.0);
        u8::try_from(code).ok().filter(|_| is_known).map(AreaId)
    }

    /// Returns the area of a code.
    #[inline]
    #[must_use]
    pub fn area(&self, code: AreaId) -> AreaId {
        if self.is_empty() {
            return code;
        }
        AreaId(u8::try_from(u16::from(code.0) % self.area_count()).unwrap_or(0))
    }

    /// Returns the class of a code; 0 without classes.
    #[inline]
    #[must_use]
    pub fn class(&self, code: AreaId) -> usize {
        usize::from(u16::from(code.0) / self.area_count()).min(self.0.len().saturating_sub(1))
    }

    /// Returns the height of the class of a code; `None` without classes.
    #[inline]
    #[must_use]
    pub fn height(&self, code: AreaId) -> Option<f32> {
        self.0.get(self.class(code)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_hold_an_area_and_a_class() {
        let none = HeadRooms::default();
        assert_eq!((none.code(AreaId(200), 0), none.area(AreaId(200))), (Some(AreaId(200)), AreaId(200)));
        for count in 1..=HeadRooms::MAX_CLASSES {
            let heights: Vec<f32> = (1_u8..).take(count).map(f32::from).collect();
            let rooms = HeadRooms::new(&heights).unwrap();
            assert_eq!(rooms.code(AreaId::NULL, count - 1), Some(AreaId::NULL));
            let mut codes = Vec::new();
            for (class, &height) in heights.iter().enumerate() {
                for area in 1..=u8::MAX {
                    let Some(code) = rooms.code(AreaId(area), class) else {
                        assert!(u16::from(area) >= rooms.area_count());
                        continue;
                    };
                    assert_eq!((rooms.area(code), rooms.class(code)), (AreaId(area), class));
                    assert_eq!(rooms.height(code), Some(height));
                    codes.push(code);
                }
            }
            let known = codes.len();
            codes.sort_unstable();
            codes.dedup();
            assert_eq!((codes.len(), known), (known, count * usize::from(rooms.area_count() - 1)));
        }
    }

    #[test]
    fn heights_ascend() {
        for heights in [&[0.0][..], &[1.0, 1.0], &[2.0, 1.0], &[f32::NAN], &[1.0, f32::INFINITY], &[-1.0]] {
            assert!(HeadRooms::new(heights).is_err(), "{heights:?}");
        }
        assert!(HeadRooms::new(&[1.0; 9]).is_err());
        assert_eq!(HeadRooms::new(&[0.9, 1.8]).unwrap().heights(), [0.9, 1.8]);
    }
}

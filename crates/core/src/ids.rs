//! Ids: newtypes over `u32`, so that a region can never be passed where a polygon is meant.

/// Defines an id: a newtype over `u32` with `index`, `from_index` and `Display`. The calling crate
/// needs `bytemuck` with its derives, and a feature `serde` that adds the crate.
#[macro_export]
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable,
        )]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id as an index into a slice.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the id of the element at `index`.
            ///
            /// # Panics
            /// If `index` does not fit into 32 bits. No table of the workspace has so large an
            /// index.
            #[inline]
            #[must_use]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables hold at most u32::MAX elements"))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

id!(
    /// A region of a [`crate::RegionMap`].
    RegionId
);
id!(
    /// A vertex of a [`crate::ContourSet`], [`crate::PolygonSet`], [`crate::Triangulation`] or
    /// [`crate::PolyMesh`].
    VertexId
);
id!(
    /// An arc of a [`crate::ContourSet`].
    ArcId
);
id!(
    /// A triangle of a [`crate::Triangulation`].
    TriangleId
);
id!(
    /// A polygon of a [`crate::PolyMesh`].
    PolyId
);

/// Returns `index` as the 32 bits of an id, or [`u32::MAX`] if it does not fit.
///
/// Used for indices into tables. The code that builds a table returns an error above `u32::MAX`
/// elements, so the saturated value is never a valid index.
#[inline]
#[must_use]
pub fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The area of a span, region or polygon; [`AreaId::NULL`] is not walkable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Zeroable)]
#[repr(transparent)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AreaId(pub u8);

impl AreaId {
    /// Area that is not walkable.
    pub const NULL: Self = Self(0);
    /// Plain walkable ground, the default area of a triangle.
    pub const GROUND: Self = Self(1);

    /// Returns `true` if an agent may walk on this area.
    #[inline]
    #[must_use]
    pub const fn is_walkable(self) -> bool {
        self.0 != 0
    }

    /// Returns the area that wins where two surfaces have the same height: [`AreaId::NULL`] before
    /// all others, otherwise the larger id.
    #[inline]
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        if self.0.wrapping_sub(1) < other.0.wrapping_sub(1) { other } else { self }
    }

    /// Appends the area of element number `count` to a list that stays empty while all elements are
    /// [`AreaId::GROUND`].
    #[inline]
    pub fn push(self, areas: &mut Vec<Self>, count: usize) {
        if self != Self::GROUND {
            areas.resize(count, Self::GROUND);
        }
        if self != Self::GROUND || !areas.is_empty() {
            areas.push(self);
        }
    }
}

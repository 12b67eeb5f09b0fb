//! Counts of a conversion.

/// Counts of the contents of a Detour file and of their conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DetourReport {
    /// Tiles.
    pub tiles: usize,
    /// Polygons of the ground.
    pub polygons: usize,
    /// Polygons left out because they have no flags: no filter of Detour accepts them.
    pub closed: usize,
    /// Polygons left out because they have no area, or cross themselves.
    pub flat: usize,
    /// Polygons split into triangles because they are not convex on the grid.
    pub parted: usize,
    /// Pairs of edges joined between tiles.
    pub joined: usize,
    /// Edges between tiles that became links because they already have another neighbour.
    pub overlaid: usize,
    /// Edges without their neighbour, because the neighbour does not share them.
    pub one_sided: usize,
    /// Polygons whose detail mesh does not fill them: their ground is flat triangles.
    pub flattened: usize,
    /// Connections off the mesh.
    pub connections: usize,
    /// Connections left out because an end is farther from the mesh than their radius.
    pub unplaced: usize,
    /// `true` if references have 64 bits.
    pub wide_references: bool,
}

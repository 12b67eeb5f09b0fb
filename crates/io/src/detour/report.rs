//! Counts of a conversion.

use waymesh_core::{Agent, counted};

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
    /// `true` if the file names the steepest slope of the agent. The mesh has the default without.
    pub has_slope: bool,
}

impl DetourReport {
    /// Returns a sentence for each thing that the file has and the mesh has not, and for each that
    /// the mesh has and the file has not.
    pub fn losses(&self) -> Vec<String> {
        let left_out = [
            (self.closed, "polygon", "without flags, which no filter accepts"),
            (self.flat, "polygon", "without area, or that crosses itself"),
            (self.unplaced, "connection", "with an end farther from the mesh than its radius"),
        ];
        let left_out = left_out.into_iter().filter(|(count, ..)| *count > 0);
        let left_out =
            left_out.map(|(count, noun, why)| format!("left out {} {why}", counted(count as u64, noun)));
        let degrees = Agent::default().max_slope.to_degrees();
        let slope = format!("the file names no steepest slope: the mesh has {degrees:.0} degrees");
        left_out.chain((!self.has_slope).then_some(slope)).collect()
    }
}

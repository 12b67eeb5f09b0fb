//! Groups of polygons that are fitted together, over one window of the field.

#![expect(clippy::cast_sign_loss, reason = "coordinates are clipped to the grid before they become unsigned")]

use waymesh_core::{GridFrame, GridWindow, PolyId, PolyMesh, VertexId};

use crate::{ground::MARGIN_CELLS, lattice::Lattice};

/// The polygons of each group in ascending order, and the window that they need.
#[derive(Debug)]
pub(crate) struct Groups {
    polygons: Vec<PolyId>,
    /// First polygon of each group in `polygons`, and the end.
    starts: Vec<usize>,
    windows: Vec<GridWindow>,
}

/// Bounds in plan, ends inclusive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    low: [i32; 2],
    high: [i32; 2],
}

impl Bounds {
    /// Returns the bounds of some vertices, in columns.
    pub(crate) fn of(mesh: &PolyMesh, corners: &[VertexId], lattice: Lattice) -> Self {
        let none = Self { low: [i32::MAX; 2], high: [i32::MIN; 2] };
        corners.iter().map(|&vertex| mesh.point(vertex)).fold(none, |bounds, point| {
            let bits = lattice.point_bits;
            let up = |value: i32| (value + lattice.points() - 1) >> bits;
            bounds.with(Self { low: [point.x >> bits, point.z >> bits], high: [up(point.x), up(point.z)] })
        })
    }

    fn with(self, other: Self) -> Self {
        let axes = [0, 1];
        Self {
            low: axes.map(|axis| self.low[axis].min(other.low[axis])),
            high: axes.map(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    fn side(self) -> u32 {
        (self.high[0].abs_diff(self.low[0])).max(self.high[1].abs_diff(self.low[1]))
    }

    /// Returns the columns inside and a margin around them, clipped to the grid.
    pub(crate) fn window(self, frame: &GridFrame) -> GridWindow {
        if self.low[0] > self.high[0] {
            return GridWindow::default();
        }
        let clip = |value: i32, end: u32| (value.max(0) as u32).min(end);
        let (x, z) = (clip(self.low[0], frame.width), clip(self.low[1], frame.depth));
        let (end_x, end_z) = (clip(self.high[0], frame.width), clip(self.high[1], frame.depth));
        let within = GridWindow::new(x, z, end_x - x, end_z - z);
        let near = within.grown(MARGIN_CELLS, frame);
        if near.is_empty() { GridWindow::default() } else { near }
    }
}

impl Groups {
    /// Creates one group of all polygons, which is fitted over the whole grid.
    pub(crate) fn one(mesh: &PolyMesh, lattice: Lattice) -> Self {
        Self {
            polygons: (0..mesh.polygons.len()).map(PolyId::from_index).collect(),
            starts: vec![0, mesh.polygons.len()],
            windows: vec![GridWindow::whole(&lattice.columns(&mesh.frame))],
        }
    }

    /// Creates groups of some polygons, in ascending order, whose windows have at most `columns`
    /// columns, unless a single polygon needs more. Polygons above each other that need the same
    /// large window share it.
    ///
    /// Polygons that are much smaller than a window are grouped by squares of a grid. Larger
    /// polygons are grouped with others of their size, so that few small ones share a large window.
    pub(crate) fn plan(mesh: &PolyMesh, wanted: Vec<PolyId>, columns: u64, lattice: Lattice) -> Self {
        let frame = &lattice.columns(&mesh.frame);
        let bounds = wanted.iter().map(|&id| Bounds::of(mesh, mesh.corners(id), lattice));
        let all = bounds.reduce(Bounds::with).map_or_else(GridWindow::default, |all| all.window(frame));
        if all.column_count() <= columns {
            return Self { starts: vec![0, wanted.len()], polygons: wanted, windows: vec![all] };
        }
        // A polygon may extend a quarter of a square beyond its square.
        let square = (columns.isqrt().saturating_sub(2 * u64::from(MARGIN_CELLS)) * 4 / 5).max(1);
        let square = u32::try_from(square).unwrap_or(u32::MAX).min(1 << 30);
        let place = |low: i32| low.div_euclid(square.cast_signed());
        let mut order: Vec<_> = wanted
            .into_iter()
            .map(|id| {
                let bounds = Bounds::of(mesh, mesh.corners(id), lattice);
                let size = (bounds.side() * 4 / square).checked_ilog2().map_or(0, |log| log + 1);
                (size, place(bounds.low[1]), place(bounds.low[0]), id)
            })
            .collect();
        order.sort_unstable();
        let mut groups =
            Self { polygons: Vec::with_capacity(order.len()), starts: vec![0], windows: Vec::new() };
        let mut open: Option<(Bounds, (u32, i32, i32))> = None;
        for (size, z, x, id) in order {
            let bounds = Bounds::of(mesh, mesh.corners(id), lattice);
            let square = (size, z, x);
            let joined = open.map_or(bounds, |(open, _)| open.with(bounds));
            let fits = open.is_none_or(|(before, at)| {
                let most = columns.max(before.window(frame).column_count());
                (size > 0 || at == square) && joined.window(frame).column_count() <= most
            });
            if fits {
                open = Some((joined, square));
            } else {
                if let Some((bounds, _)) = open {
                    groups.close(bounds.window(frame));
                }
                open = Some((bounds, square));
            }
            groups.polygons.push(id);
        }
        if let Some((bounds, _)) = open {
            groups.close(bounds.window(frame));
        }
        groups
    }

    /// Ends a group with the polygons added so far.
    fn close(&mut self, window: GridWindow) {
        let first = self.starts.last().copied().unwrap_or(0);
        self.polygons[first..].sort_unstable();
        self.starts.push(self.polygons.len());
        self.windows.push(window);
    }

    pub(crate) fn len(&self) -> usize {
        self.windows.len()
    }

    pub(crate) fn polygons(&self, group: usize) -> &[PolyId] {
        &self.polygons[self.starts[group]..self.starts[group + 1]]
    }

    pub(crate) fn window(&self, group: usize) -> GridWindow {
        self.windows[group]
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{AreaId, PlanPoint, PlanVertex, Poly, RegionId};

    use super::*;

    #[test]
    fn storeys_over_each_other_share_a_window() {
        let frame =
            GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.25, width: 300, depth: 300 };
        let mut mesh = PolyMesh::empty(frame);
        for storey in 0..500_u32 {
            // Some polygons have a corner at another position.
            let inset = if storey % 7 == 3 { 40 } else { 0 };
            for (x, z) in [(inset, inset), (300, 0), (300, 300), (0, 300)] {
                let height = storey as f32 * 12.0;
                mesh.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
            }
            mesh.polygons.push(Poly {
                first: storey * 4,
                len: 4,
                region: RegionId(storey),
                area: AreaId::GROUND,
            });
            mesh.corners.extend((0..4).map(|corner| VertexId(storey * 4 + corner)));
        }
        // Off to one side: the window of all is larger than that of a storey.
        mesh.vertices[2].point.x = 290;
        mesh.vertices[1].point.x = 290;
        let lattice = Lattice::fit(&mesh, 1).expect("a lattice");
        let all = (0..500).map(PolyId).collect();
        let groups = Groups::plan(&mesh, all, 1 << 14, lattice);
        assert!(groups.len() <= 3, "{} windows for storeys over each other", groups.len());
        let grouped: usize = (0..groups.len()).map(|group| groups.polygons(group).len()).sum();
        assert_eq!(grouped, 500);
        for group in 0..groups.len() {
            assert!(groups.window(group).column_count() <= 300 * 300);
        }
    }
}

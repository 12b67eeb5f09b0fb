//! The tables of a mesh of tiles while they are written, with a log of the writes: the log brings a
//! second copy of the tables up to date without a pass over all of them.

use std::ops::{Deref, Range};
use std::sync::Arc;

use glam::Vec3;
use waymesh_core::{PlanVertex, RegionId, SurfacePoint, VertexId};

use super::order::LinkOrder;
use super::places::Cell;
use super::tables::{TileEntry, TileTables};
use crate::mesh::bounds::{Corner, PolygonBounds};
use crate::mesh::box_index::Node;
use crate::mesh::fans::{Edges, WalkEdge};
use crate::mesh::ground::{FourBoxes, GroundTriangle};
use crate::mesh::height_tables::HeightTables;
use crate::mesh::islands::Island;
use crate::mesh::link::{Link, LinkId, LinkIndex};
use crate::mesh::nav_mesh::NavMesh;

/// A table that is written to.
#[derive(Clone, Debug)]
pub(super) struct Column<T> {
    elements: Vec<T>,
    written: Vec<Range<u32>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { elements: Vec::new(), written: Vec::new() }
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T: Copy> Column<T> {
    /// Notes that these elements are others now.
    fn note(&mut self, start: usize, end: usize) {
        #[expect(clippy::cast_possible_truncation, reason = "tables fit 32 bits")]
        let (start, end) = (start as u32, end as u32);
        match self.written.last_mut() {
            Some(last) if start <= last.end && end >= last.start => {
                *last = last.start.min(start)..last.end.max(end);
            }
            _ if start == end => {}
            _ => self.written.push(start..end),
        }
    }

    /// Makes it longer, if it is not so long.
    pub(super) fn grow(&mut self, len: usize, value: T) {
        if self.elements.len() < len {
            self.elements.resize(len, value);
        }
    }

    pub(super) fn set(&mut self, at: usize, value: T) {
        self.elements[at] = value;
        self.note(at, at + 1);
    }

    pub(super) fn fill(&mut self, range: Range<usize>, value: T) {
        self.note(range.start, range.end);
        self.elements[range].fill(value);
    }

    /// Writes elements from a place on.
    pub(super) fn write(&mut self, at: usize, values: impl ExactSizeIterator<Item = T>) {
        self.note(at, at + values.len());
        for (element, value) in self.elements[at..].iter_mut().zip(values) {
            *element = value;
        }
    }

    /// Puts others in place of all.
    pub(super) fn replace(&mut self, elements: Vec<T>) {
        self.note(0, elements.len());
        self.elements = elements;
    }

    pub(super) fn push(&mut self, value: T) {
        self.elements.push(value);
        self.note(self.elements.len() - 1, self.elements.len());
    }

    /// Puts an element before the one at a place.
    pub(super) fn insert(&mut self, at: usize, value: T) {
        self.elements.insert(at, value);
        self.note(at, self.elements.len());
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.elements.remove(at);
        self.note(at, self.elements.len());
    }

    /// Removes an element; the last one takes its place.
    pub(super) fn swap_remove(&mut self, at: usize) {
        self.elements.swap_remove(at);
        if at < self.elements.len() {
            self.note(at, at + 1);
        }
    }

    /// Makes the elements those of `other`, which were written there, and were the same before.
    fn follow(&mut self, other: &[T], written: &[Range<u32>]) {
        self.elements.truncate(other.len());
        let kept = self.elements.len();
        for range in written {
            let range = range.start as usize..(range.end as usize).min(kept);
            if range.start < range.end {
                self.elements[range.clone()].copy_from_slice(&other[range]);
            }
        }
        self.elements.extend_from_slice(&other[kept..]);
    }
}

/// Declares all columns, and where they lie in a mesh.
macro_rules! columns {
    ($mesh:ident, $tiles:ident, $surface:ident; $($(#[$doc:meta])* $name:ident: $element:ty = $($place:ident).+;)*) => {
        /// All tables of a mesh of tiles.
        #[derive(Clone, Debug, Default)]
        pub(super) struct Columns {
            $($(#[$doc])* pub(super) $name: Column<$element>,)*
        }

        /// Log of the writes to the tables.
        #[derive(Clone, Debug, Default)]
        pub(super) struct WriteLog {
            /// Everything, whatever else is noted.
            is_all: bool,
            $($name: Vec<Range<u32>>,)*
        }

        impl Columns {
            /// Takes all tables out of a mesh: copied where others share them.
            pub(super) fn open(
                $mesh: &mut NavMesh,
                $tiles: &mut TileTables,
                $surface: &mut HeightTables,
            ) -> Self {
                Self {
                    $($name: Column {
                        elements: std::mem::take(&mut $($place).+).into(),
                        written: Vec::new(),
                    },)*
                }
            }

            /// Puts the tables back, and returns the log of the writes.
            pub(super) fn close(
                self,
                $mesh: &mut NavMesh,
                $tiles: &mut TileTables,
                $surface: &mut HeightTables,
            ) -> WriteLog {
                $($($place).+ = self.$name.elements.into();)*
                WriteLog { is_all: false, $($name: self.$name.written,)* }
            }

            /// Makes all of them those of another mesh, in which this was written since both were the
            /// same.
            pub(super) fn follow(
                &mut self,
                $mesh: &NavMesh,
                $tiles: &TileTables,
                $surface: &HeightTables,
                written: &WriteLog,
            ) {
                if written.is_all {
                    $(self.$name.elements.clear();)*
                }
                $(self.$name.follow(&$($place).+, &written.$name);)*
            }

            /// The bytes that the tables of a mesh take.
            pub(super) fn bytes($mesh: &NavMesh, $tiles: &TileTables, $surface: &HeightTables) -> usize {
                [$(size_of_val(&*$($place).+),)*].into_iter().sum()
            }
        }

        impl WriteLog {
            /// Adds what was written after this.
            pub(super) fn append(&mut self, later: Self) {
                self.is_all |= later.is_all;
                $(self.$name.extend(later.$name);)*
            }

            /// Says that everything was written.
            pub(super) fn all() -> Self {
                Self { is_all: true, ..Self::default() }
            }

            pub(super) fn is_empty(&self) -> bool {
                !self.is_all $(&& self.$name.is_empty())*
            }
        }
    };
}

columns! { mesh, tiles, surface;
    // Per tile.
    entries: TileEntry = tiles.entries;
    // Per vertex.
    vertices: Vec3 = mesh.vertices.world;
    plan_vertices: PlanVertex = mesh.vertices.plan;
    // Per polygon.
    polygon_first: u32 = mesh.topology.polygon_first;
    regions: RegionId = mesh.topology.regions;
    areas: u8 = mesh.topology.areas;
    bounds: PolygonBounds = mesh.index.bounds;
    components: u32 = mesh.islands.of_polygon;
    tile_of: u32 = tiles.of_polygon;
    bridge_ranges: [u32; 2] = mesh.topology.bridges.ranges;
    surface_first: u32 = surface.polygon_triangles;
    ground_first: u32 = mesh.surface.ground.first;
    link_first: u32 = mesh.links.first;
    // Per corner.
    corner_vertices: VertexId = mesh.topology.corner_vertices;
    corners: Corner = mesh.topology.corners;
    neighbours: u32 = mesh.topology.neighbours;
    walk: WalkEdge = mesh.topology.walk;
    twins: u32 = mesh.topology.fans.twins;
    fans: u32 = mesh.topology.fans.corners;
    bridge_kinds: u8 = mesh.topology.bridges.kinds;
    fan_names: u32 = mesh.links.turns.fans;
    // The height surface.
    points: SurfacePoint = surface.points;
    triangles: [u32; 3] = surface.triangles;
    ground: GroundTriangle = mesh.surface.ground.triangles;
    ground_boxes: FourBoxes = mesh.surface.ground.boxes;
    // Per component, and per island.
    island_of: u32 = tiles.islands;
    islands: Island = mesh.islands.figures;
    groups: u32 = mesh.links.groups;
    // The spatial index.
    blocks: u32 = tiles.places.blocks;
    cells: Cell = tiles.places.cells;
    order: u32 = tiles.places.order;
    nodes: Node = tiles.places.nodes;
    square_first: u32 = tiles.places.first;
    square_lists: u32 = tiles.places.lists;
    // Per link.
    links: Link = mesh.links.links;
    link_ids: LinkId = mesh.links.ids;
    link_orders: LinkOrder = tiles.link_orders;
    portals: bool = mesh.links.portals;
    end_names: [u32; 4] = mesh.links.turns.ends;
    by_id: LinkIndex = mesh.links.by_id;
    leaving: u32 = mesh.links.leaving;
}

impl Columns {
    pub(super) fn edges(&self) -> Edges<'_> {
        Edges {
            polygon_first: &self.polygon_first,
            corners: &self.corners,
            vertices: &self.corner_vertices,
            neighbours: &self.neighbours,
        }
    }
}

/// Takes the tables out of a mesh of tiles; `None` if it is none.
pub(super) fn open(mesh: &mut NavMesh) -> Option<(Columns, TileTables, HeightTables)> {
    let mut tiles = Arc::unwrap_or_clone(mesh.tiles.take()?);
    let mut surface = mesh.surface.heights.take().unwrap_or_default();
    let columns = Columns::open(mesh, &mut tiles, &mut surface);
    Some((columns, tiles, surface))
}

//! Tables that a mesh of tiles has in addition to those of any mesh.

use std::collections::BTreeMap;

use glam::Vec3;
use waymesh_core::GridFrame;

use super::key::{TileKey, TilePolygon};
use super::order::{LinkOrder, VertexOrder};
use super::places::TilePlaces;
use super::slabs::Slab;
use crate::mesh::bounds::slack_of;
use crate::mesh::oracle::TileGround;
use crate::mesh::table::Table;

/// Extent of a tile or of a mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    /// Largest coordinate in the world, in plan and upwards.
    pub(super) plan: f32,
    pub(super) up: f32,
    /// Largest height in levels.
    pub(super) height: f32,
    /// Largest error of its ground.
    pub(super) max_error: f32,
}

impl Reach {
    /// Returns the extent of both together.
    pub(super) fn values(&self) -> [f32; 4] {
        [self.plan, self.up, self.height, self.max_error]
    }

    pub(super) fn of([plan, up, height, max_error]: [f32; 4]) -> Self {
        Self { plan, up, height, max_error }
    }

    /// Returns the slack of positions in a mesh of this frame.
    pub(super) fn slack(&self, frame: &GridFrame) -> (f64, f64) {
        let largest = frame.origin.abs().max(Vec3::new(self.plan, self.up, self.plan));
        let highest = frame.to_world(0.0, f64::from(self.height), 0.0).y.max(largest.y);
        slack_of(frame, largest, highest)
    }
}

/// Slots of a tile in the tables of its mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TileEntry {
    pub(super) is_there: bool,
    pub(super) key: TileKey,
    pub(super) own_vertices: u32,
    pub(super) vertices: Slab,
    /// Its room has one more than it has polygons, where the last one ends.
    pub(super) polygons: Slab,
    pub(super) corners: Slab,
    pub(super) points: Slab,
    pub(super) triangles: Slab,
    pub(super) boxes: Slab,
    pub(super) regions: Slab,
    pub(super) components: Slab,
    pub(super) leaving: Slab,
    pub(super) reach: Reach,
    pub(super) sum: u64,
    /// Checksum of the ground in plan, without the vertices on its sides that only other tiles need.
    pub(super) plan: u64,
}

impl TileEntry {
    pub(super) fn ground(&self) -> TileGround {
        (self.plan, self.polygons.start)
    }
}

/// Additional tables of a mesh of tiles.
#[derive(Clone, Debug)]
pub(crate) struct TileTables {
    pub(super) order: VertexOrder,
    /// Number of polygons.
    pub(super) count: u32,
    /// All tiles; those that are not there are passed over.
    pub(super) entries: Table<TileEntry>,
    /// Slot of the tile of each existing polygon.
    pub(super) of_polygon: Table<u32>,
    /// The island of each component: what tables call an island is a component here.
    pub(super) islands: Table<u32>,
    pub(super) link_orders: Vec<LinkOrder>,
    pub(crate) places: TilePlaces,
}

impl TileTables {
    /// Returns the side of a tile, in cells.
    pub(crate) fn side(&self) -> u32 {
        self.places.grid.side
    }

    /// Returns the ground of each tile.
    pub(crate) fn ground(&self) -> impl Iterator<Item = (TileKey, TileGround)> {
        self.entries.iter().filter(|entry| entry.is_there).map(|entry| (entry.key, entry.ground()))
    }

    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    /// The island of a component.
    #[inline]
    pub(crate) fn island(&self, component: u32) -> u32 {
        self.islands[component as usize]
    }

    /// Returns the tile of an existing polygon and its number in it: the order of polygons in the
    /// compact form.
    pub(crate) fn place(&self, polygon: u32) -> TilePolygon {
        let entry = &self.entries[self.of_polygon[polygon as usize] as usize];
        TilePolygon { tile: entry.key, polygon: polygon - entry.polygons.start }
    }
}

/// Multiset of values by their bits, which are in order for numbers without a sign.
#[derive(Clone, Debug, Default)]
struct Largest(BTreeMap<u32, u32>);

impl Largest {
    fn add(&mut self, value: f32) {
        *self.0.entry(value.to_bits()).or_default() += 1;
    }

    /// Takes back a value that was added.
    fn remove(&mut self, value: f32) {
        if let Some(count) = self.0.get_mut(&value.to_bits()) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&value.to_bits());
            }
        }
    }

    /// The largest value; 0 if there is none.
    fn get(&self) -> f32 {
        self.0.last_key_value().map_or(0.0, |(&bits, _)| f32::from_bits(bits))
    }
}

/// Extent of all tiles of a mesh together.
#[derive(Clone, Debug, Default)]
pub(super) struct Reaches([Largest; 4]);

impl Reaches {
    pub(super) fn add(&mut self, reach: &Reach) {
        self.0.iter_mut().zip(reach.values()).for_each(|(largest, value)| largest.add(value));
    }

    /// Takes back a tile that was added.
    pub(super) fn remove(&mut self, reach: &Reach) {
        self.0.iter_mut().zip(reach.values()).for_each(|(largest, value)| largest.remove(value));
    }

    pub(super) fn get(&self) -> Reach {
        Reach::of(self.0.each_ref().map(Largest::get))
    }
}

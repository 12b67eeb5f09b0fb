//! Recovery of the state of a mesh of tiles from its tables.

use std::collections::BTreeMap;

use waymesh_core::{PolyId, to_u32};

use super::cells::Cells;
use super::islands::{ComponentChanges, Figures, TileIslands};
use super::links::TileLinks;
use super::places::BLOCK;
use super::slabs::{Slab, Slabs};
use super::tables::{TileEntry, TileTables};
use super::write::Writer;
use crate::mesh::link::LinkIndex;
use crate::mesh::nav_mesh::NavMesh;

impl Writer {
    /// The writer of a mesh whose tables these are. Takes time in `n log n`.
    pub(super) fn of(&self, mesh: &NavMesh, tiles: &TileTables) -> Self {
        let present = || (0_u32..).zip(&tiles.entries).filter(|(_, entry)| entry.is_there);
        let rooms = |room: fn(&TileEntry) -> Slab, least: usize| {
            Slabs::of(present().map(|(_, entry)| room(entry)), least)
        };
        let surface = mesh.surface.heights.as_ref();
        let mut writer = self.empty();
        writer.slots = present().map(|(slot, entry)| (entry.key, slot)).collect();
        writer.free_slots =
            (0..).zip(&tiles.entries).filter(|(_, entry)| !entry.is_there).map(|(slot, _)| slot).collect();
        writer.layers = present().map(|(_, entry)| entry.key.layer + 1).max().unwrap_or(0);
        writer.vertices = rooms(|entry| entry.vertices, mesh.vertices.world.len());
        writer.polygons = rooms(|entry| entry.polygons, mesh.polygon_bound());
        writer.corners = rooms(|entry| entry.corners, mesh.topology.corners.len());
        writer.points = rooms(|entry| entry.points, surface.map_or(0, |surface| surface.points.len()));
        writer.triangles =
            rooms(|entry| entry.triangles, surface.map_or(0, |surface| surface.triangles.len()));
        writer.boxes = rooms(|entry| entry.boxes, mesh.surface.ground.boxes.len());
        writer.regions = rooms(|entry| entry.regions, 0);
        writer.components = rooms(|entry| entry.components, tiles.islands.len());
        writer.islands = TileIslands::of(mesh, tiles);
        writer.cells = Cells::of(tiles);
        writer.links = TileLinks::of(mesh, tiles);
        present().for_each(|(_, entry)| writer.reach.add(&entry.reach));
        writer.count = tiles.count;
        writer.sum = present().fold(0, |sum: u64, (_, entry)| sum.wrapping_add(entry.sum));
        writer
    }
}

impl TileIslands {
    /// The islands of a mesh, by the names that they have.
    fn of(mesh: &NavMesh, tiles: &TileTables) -> Self {
        let mut figures: BTreeMap<u32, (u32, Figures)> = BTreeMap::new();
        let mut changes = ComponentChanges::default();
        for polygon in mesh.polygon_ids() {
            let component = mesh.islands.of_polygon[polygon.index()];
            let (_, figures) = figures.entry(component).or_insert((polygon.0, Figures::default()));
            figures.polygons += 1;
            figures.doubled += mesh.doubled_area(polygon.0);
            for edge in mesh.open_edges(polygon.0) {
                let other = mesh.islands.of_polygon[mesh.beyond(edge) as usize];
                if other != component {
                    changes.beside.push((component, other));
                }
            }
        }
        changes.came =
            figures.into_iter().map(|(component, (first, figures))| (component, first, figures)).collect();
        let firsts = mesh.islands.figures.iter().map(|island| mesh.islands.of_polygon[island.first.index()]);
        Self::with_names(&changes, &tiles.islands, firsts)
    }
}

impl Cells {
    fn of(tiles: &TileTables) -> Self {
        let places = &tiles.places;
        let rooms = |room: fn(&super::places::Cell) -> Slab, end: usize| {
            Slabs::of(places.cells.iter().map(room), end)
        };
        let mut cells = Self::default();
        cells.order = rooms(|cell| cell.order, places.order.len());
        cells.nodes = rooms(|cell| cell.nodes, places.nodes.len());
        cells.first = rooms(|cell| cell.first, places.first.len());
        cells.lists = rooms(|cell| cell.lists, places.lists.len());
        cells.count(places);
        let used: Vec<u32> = places.blocks.to_vec();
        let all = (0..to_u32(places.cells.len())).step_by((BLOCK * BLOCK) as usize);
        cells.free_blocks = all.filter(|first| !used.contains(first)).collect();
        cells
    }
}

impl TileLinks {
    fn of(mesh: &NavMesh, tiles: &TileTables) -> Self {
        let leaving = tiles.entries.iter().filter(|entry| entry.is_there).map(|entry| entry.leaving);
        let mut links = Self::default();
        links.leaving = Slabs::of(leaving, mesh.links.leaving.len());
        for at in (0..to_u32(mesh.links.links.len())).map(LinkIndex) {
            let link = &mesh.links.links[at.index()];
            let slots = [link.from, link.to].map(|end| tiles.of_polygon[PolyId::index(end.polygon)]);
            links.enter(at.0, link, mesh.links.ids[at.index()], slots);
        }
        links.next = mesh.links.next;
        links
    }
}

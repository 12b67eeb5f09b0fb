//! Writes tiles into the tables of a mesh.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use waymesh_core::{
    AreaId, DisjointSets, GridFrame, PlanPoint, PlanVertex, Random, RegionId, VertexId, to_u32,
};

use super::cells::{Cells, cells_of};
use super::columns::Columns;
use super::islands::{ComponentChanges, Figures, TileIslands};
use super::join::corner_range;
use super::key::TileKey;
use super::links::{LinkChanges, TileLinks, write_groups};
use super::part::{MeshTile, NO_VERTEX, TileChange};
use super::places::TileGrid;
use super::seams::{Written, unite_heights, write_beside, write_fans};
use super::slabs::{Slab, Slabs};
use super::tables::{Reach, Reaches, TileEntry};
use crate::mesh::bounds::{Corner, NO_NEIGHBOUR, PolygonBounds};
use crate::mesh::fans::WalkEdge;
use crate::mesh::ground::{FourBoxes, GroundTriangle, NOWHERE, fours_of};
use crate::mesh::islands::NO_ISLAND;

/// State of a mesh of tiles that is not in its tables.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    pub(super) frame: GridFrame,
    pub(super) grid: TileGrid,
    has_surface: bool,
    /// Places of the tiles in the table of tiles, and the free ones.
    pub(super) slots: BTreeMap<TileKey, u32>,
    pub(super) free_slots: Vec<u32>,
    pub(super) layers: u32,
    pub(super) vertices: Slabs,
    pub(super) polygons: Slabs,
    pub(super) corners: Slabs,
    pub(super) points: Slabs,
    pub(super) triangles: Slabs,
    pub(super) boxes: Slabs,
    pub(super) regions: Slabs,
    pub(super) components: Slabs,
    pub(super) islands: TileIslands,
    pub(super) cells: Cells,
    pub(super) links: TileLinks,
    pub(super) reach: Reaches,
    /// Number of polygons.
    pub(super) count: u32,
    /// Sum of the checksums of all tiles.
    pub(super) sum: u64,
}

/// Most entries of a table: two bits of a corner's number are flags.
const MAX_ENTRIES: u64 = 1 << 30;

impl Writer {
    pub(super) fn new(frame: GridFrame, grid: TileGrid, has_surface: bool) -> Self {
        let (slots, free_slots, layers, count, sum) = Default::default();
        let (vertices, polygons, corners, points) = Default::default();
        let (triangles, boxes, regions, components) = Default::default();
        let (islands, cells, links, reach) = Default::default();
        Self {
            frame,
            grid,
            has_surface,
            slots,
            free_slots,
            layers,
            vertices,
            polygons,
            corners,
            points,
            triangles,
            boxes,
            regions,
            components,
            islands,
            cells,
            links,
            reach,
            count,
            sum,
        }
    }

    /// Returns the state of a mesh without tiles.
    pub(super) fn empty(&self) -> Self {
        Self::new(self.frame, self.grid, self.has_surface)
    }

    /// Returns the name of the table that would grow too long, if one would.
    pub(super) fn too_long<'a>(
        &self,
        tiles: impl Iterator<Item = &'a MeshTile> + Clone,
    ) -> Option<&'static str> {
        let is_long = |slabs: &Slabs, len: &dyn Fn(&MeshTile) -> usize| {
            // Room is a quarter more.
            let more: u64 = tiles.clone().map(|tile| len(tile) as u64 * 2 + 16).sum();
            u64::from(slabs.end()) + more > MAX_ENTRIES
        };
        let surface = |tile: &MeshTile| tile.surface.as_ref().map_or(0, |surface| surface.triangles.len());
        let points = |tile: &MeshTile| tile.surface.as_ref().map_or(0, |surface| surface.points.len());
        [
            ("vertices", is_long(&self.vertices, &|tile| tile.vertices.len())),
            ("polygons", is_long(&self.polygons, &|tile| tile.polygons.len())),
            ("corners", is_long(&self.corners, &|tile| tile.corners.len())),
            ("surface_points", is_long(&self.points, &points)),
            ("surface_triangles", is_long(&self.triangles, &surface)),
            ("regions", is_long(&self.regions, &|tile| tile.regions as usize)),
        ]
        .into_iter()
        .find_map(|(table, is_long)| is_long.then_some(table))
    }

    /// Returns `true` if most slots of the tables are free, so that all tiles should be rewritten.
    pub(super) fn is_sparse(&self) -> bool {
        let Self { vertices, polygons, corners, points, triangles, boxes, regions, components, .. } = self;
        let Cells { order, nodes, first, lists, .. } = &self.cells;
        let all = [vertices, polygons, corners, points, triangles, boxes, regions, components];
        all.into_iter().chain([order, nodes, first, lists, &self.links.leaving]).any(Slabs::is_sparse)
    }

    /// The places of the links that end on what is not there any more after these changes.
    pub(super) fn lost_links(&self, changes: &BTreeMap<TileKey, TileChange>) -> BTreeSet<u32> {
        let lost = changes.iter().filter(|(_, change)| !matches!(change, TileChange::Adjusted(_)));
        let slots = lost.filter_map(|(key, _)| self.slots.get(key));
        slots.flat_map(|&slot| self.links.of_tile(slot)).copied().collect()
    }

    /// Changes links.
    pub(super) fn change_links(&mut self, changes: LinkChanges, columns: &mut Columns) {
        self.links.change(changes, columns);
        write_groups(columns);
    }

    /// Writes what changed. The tiles around what came, went and changed must be among the changes,
    /// and no link must end on what is not there any more.
    pub(super) fn write(&mut self, changes: &BTreeMap<TileKey, TileChange>, columns: &mut Columns) {
        let mut islands = ComponentChanges::default();
        for (&key, change) in changes {
            self.make_room(key, change, columns, &mut islands);
        }
        self.grow(columns);
        let tiles: Vec<Written<'_>> = changes
            .iter()
            .filter_map(|(&key, change)| {
                let slot = *self.slots.get(&key)?;
                Some(Written { key, slot, tile: change.tile()?, entry: columns.entries[slot as usize] })
            })
            .collect();
        for tile in &tiles {
            self.write_tables(tile, columns);
        }
        for tile in &tiles {
            self.write_beyond(tile, columns);
        }
        unite_heights(&tiles, columns);
        for tile in &tiles {
            self.write_places(tile, columns);
            write_surface(tile, columns);
        }
        write_fans(&tiles, columns);
        for tile in &tiles {
            for edge in tile.entry.corners.range() {
                set_walk(edge, columns);
            }
        }
        for tile in &tiles {
            let change = &changes[&tile.key];
            self.write_components(tile, change, columns, &mut islands);
        }
        for tile in &tiles {
            write_beside(tile, columns, &mut islands);
        }
        self.islands.update(&islands);
        self.islands.write(self.frame.cell_area(), columns);
        for cell in cells_of(changes.keys().copied()) {
            self.write_cell(cell, columns);
        }
        for tile in &tiles {
            self.finish(tile, columns);
        }
        let around: BTreeSet<TileKey> = changes.keys().flat_map(|key| key.around().chain([*key])).collect();
        let around = around.iter().filter_map(|key| self.slots.get(key)).copied();
        self.links.update_turns(around, columns);
        if self.islands.take_renumbered() && !columns.links.is_empty() {
            write_groups(columns);
        }
    }

    /// Gives a tile the room that it needs, and takes back what it had.
    fn make_room(
        &mut self,
        key: TileKey,
        change: &TileChange,
        columns: &mut Columns,
        islands: &mut ComponentChanges,
    ) {
        let slot = self.slots.get(&key).copied();
        let old = slot.map_or_else(TileEntry::default, |slot| columns.entries[slot as usize]);
        self.sum = self.sum.wrapping_sub(old.sum);
        self.count -= old.polygons.len;
        if old.is_there {
            self.reach.remove(&old.reach);
        }
        if !matches!(change, TileChange::Adjusted(_)) {
            islands.gone.extend(old.components.range().map(to_u32));
        }
        let Some(tile) = change.tile().filter(|tile| !tile.polygons.is_empty() || tile.regions > 0) else {
            let all = old.polygons.range().start..old.polygons.spare().end;
            columns.components.fill(all, NO_ISLAND);
            let slabs = [
                (&mut self.vertices, old.vertices),
                (&mut self.polygons, old.polygons),
                (&mut self.corners, old.corners),
                (&mut self.points, old.points),
                (&mut self.triangles, old.triangles),
                (&mut self.boxes, old.boxes),
                (&mut self.regions, old.regions),
                (&mut self.components, old.components),
            ];
            slabs.into_iter().for_each(|(slabs, slab)| slabs.give(slab));
            self.links.give(&old);
            if let Some(slot) = self.slots.remove(&key) {
                self.free_slots.push(slot);
                columns.entries.set(slot as usize, TileEntry::default());
            }
            return;
        };
        let slot = slot.or_else(|| self.free_slots.pop()).unwrap_or(to_u32(columns.entries.len()));
        self.slots.insert(key, slot);
        self.layers = self.layers.max(key.layer + 1);
        let [points, triangles, boxes] = tile.surface.as_ref().map_or([0; 3], |surface| {
            let fours = |pair: &[u32]| (pair[1] - pair[0]).div_ceil(4);
            let boxes = surface.polygon_triangles.windows(2).map(fours).sum();
            [to_u32(surface.points.len()), to_u32(surface.triangles.len()), boxes]
        });
        let count = to_u32(tile.polygons.len());
        // One more, which ends the last polygon.
        let mut polygons = self.polygons.fit(old.polygons, count + 1);
        polygons.len = count;
        if polygons.start != old.polygons.start || polygons.room != old.polygons.room {
            let all = old.polygons.range().start..old.polygons.spare().end;
            columns.components.fill(all, NO_ISLAND);
        }
        self.count += count;
        let (components, leaving) = match change {
            TileChange::Adjusted(_) => (old.components, old.leaving),
            _ => {
                self.links.give(&old);
                let count = to_u32(components_of(key, tile).1);
                (self.components.fit(old.components, count), Slab::default())
            }
        };
        let entry = TileEntry {
            is_there: true,
            key,
            own_vertices: to_u32(tile.own_vertices),
            vertices: self.vertices.fit(old.vertices, to_u32(tile.vertices.len())),
            polygons,
            corners: self.corners.fit(old.corners, to_u32(tile.corners.len())),
            points: self.points.fit(old.points, points),
            triangles: self.triangles.fit(old.triangles, triangles),
            boxes: self.boxes.fit(old.boxes, boxes),
            regions: self.regions.fit(old.regions, tile.regions),
            components,
            leaving,
            ..TileEntry::default()
        };
        columns.entries.grow(slot as usize + 1, TileEntry::default());
        columns.entries.set(slot as usize, entry);
    }

    /// Makes the tables as long as they need to be.
    fn grow(&self, columns: &mut Columns) {
        let end = |slabs: &Slabs| slabs.end() as usize;
        let (vertices, polygons, corners) = (end(&self.vertices), end(&self.polygons), end(&self.corners));
        columns.vertices.grow(vertices, Vec3::ZERO);
        columns.plan_vertices.grow(vertices, NO_VERTEX);
        // One more: the last polygon that there could be ends somewhere.
        columns.polygon_first.grow(polygons + 1, 0);
        columns.regions.grow(polygons, RegionId(0));
        columns.areas.grow(polygons, 0);
        columns.bounds.grow(polygons, PolygonBounds::EMPTY);
        columns.components.grow(polygons, NO_ISLAND);
        columns.tile_of.grow(polygons, NO_ISLAND);
        columns.bridge_ranges.grow(polygons, [0; 2]);
        columns.corner_vertices.grow(corners, VertexId(0));
        columns.corners.grow(corners, Corner { x: 0, z: 0, height: 0.0 });
        columns.neighbours.grow(corners, NO_NEIGHBOUR);
        columns.walk.grow(corners, WalkEdge::UNUSED);
        columns.twins.grow(corners, NO_NEIGHBOUR);
        columns.fans.grow(corners, 0);
        columns.bridge_kinds.grow(corners, 0);
        if self.has_surface {
            columns.surface_first.grow(polygons + 1, 0);
            columns.ground_first.grow(polygons + 1, 0);
            columns.points.grow(end(&self.points), NOWHERE);
            columns.triangles.grow(end(&self.triangles), [0; 3]);
            columns.ground.grow(end(&self.triangles), GroundTriangle::of(&[NOWHERE; 3]));
            columns.ground_boxes.grow(end(&self.boxes), FourBoxes::of(&[]));
        }
        if !columns.link_first.is_empty() {
            columns.link_first.grow(polygons + 1, 0);
        }
        let named = columns.fan_names.len();
        if named > 0 {
            columns.fan_names.grow(corners, 0);
            for fan in named..corners {
                columns.fan_names.set(fan, to_u32(fan));
            }
        }
    }

    /// Writes what a tile has for itself.
    fn write_tables(&self, written: &Written<'_>, columns: &mut Columns) {
        let Written { tile, entry, slot, .. } = written;
        let [vertex, polygon, corner, region] =
            [entry.vertices, entry.polygons, entry.corners, entry.regions].map(|slab| slab.start as usize);
        columns.plan_vertices.write(vertex, tile.vertices.iter().copied());
        let last = corner + tile.corners.len();
        let spare = entry.polygons.spare();
        let firsts = tile.polygons.iter().map(|polygon| to_u32(corner) + polygon.first);
        columns.polygon_first.write(polygon, firsts);
        columns.polygon_first.fill(spare.clone(), to_u32(last));
        let regions = tile.polygons.iter().map(|polygon| RegionId(to_u32(region) + polygon.region.0));
        columns.regions.write(polygon, regions);
        columns.areas.write(polygon, tile.polygons.iter().map(|polygon| polygon.area.0));
        columns.areas.fill(spare.clone(), AreaId::NULL.0);
        columns.bounds.fill(spare.clone(), PolygonBounds::EMPTY);
        columns.components.fill(spare.clone(), NO_ISLAND);
        columns.tile_of.fill(entry.polygons.range(), *slot);
        let vertices = tile.corners.iter().map(|index| VertexId(to_u32(vertex) + index.0));
        columns.corner_vertices.write(corner, vertices);
        let corners = tile.corners.iter().map(|index| {
            let PlanVertex { point, height } = tile.vertices[index.index()];
            Corner { x: point.x, z: point.z, height }
        });
        columns.corners.write(corner, corners);
        columns.twins.fill(entry.corners.range(), NO_NEIGHBOUR);
        if !columns.link_first.is_empty() && entry.leaving.room == 0 {
            columns.link_first.fill(entry.polygons.range().start..spare.end, 0);
        }
    }

    /// Writes the neighbours and twins of the edges of a tile.
    fn write_beyond(&self, written: &Written<'_>, columns: &mut Columns) {
        let Written { tile, entry, key, .. } = written;
        let corner = entry.corners.start as usize;
        for (edge, beyond) in (corner..).zip(&tile.neighbours) {
            let beyond = beyond.and_then(|beyond| {
                let start = if beyond.tile == *key {
                    entry.polygons.start
                } else {
                    columns.entries[*self.slots.get(&beyond.tile)? as usize].polygons.start
                };
                Some(start + beyond.polygon)
            });
            columns.neighbours.set(edge, beyond.unwrap_or(NO_NEIGHBOUR));
        }
        for (polygon, own) in written.polygons() {
            let range = corner_range(polygon);
            for edge in range.start + corner..range.end + corner {
                let beyond = columns.neighbours[edge];
                if beyond == NO_NEIGHBOUR || columns.twins[edge] != NO_NEIGHBOUR {
                    continue;
                }
                let Some(twin) = find_twin(columns, to_u32(own), beyond, to_u32(edge)) else { continue };
                columns.twins.set(edge, twin);
                columns.twins.set(twin as usize, to_u32(edge));
                // In a tile that is not written, maybe.
                if !entry.corners.range().contains(&(twin as usize)) {
                    set_walk(twin as usize, columns);
                }
            }
        }
    }

    /// Writes where a tile is in the world, when its heights are known.
    fn write_places(&self, written: &Written<'_>, columns: &mut Columns) {
        let Written { tile, entry, .. } = written;
        for vertex in entry.vertices.range() {
            columns.vertices.set(vertex, self.frame.position(columns.plan_vertices[vertex]));
        }
        let corner = entry.corners.start as usize;
        for (edge, vertex) in (corner..).zip(&tile.corners) {
            let height = columns.plan_vertices[entry.vertices.start as usize + vertex.index()].height;
            let old = columns.corners[edge];
            columns.corners.set(edge, Corner { height, ..old });
        }
        for (polygon, own) in written.polygons() {
            let range = corner_range(polygon);
            let corners = &columns.corners[range.start + corner..range.end + corner];
            let mut bounds = PolygonBounds::EMPTY;
            corners.iter().for_each(|corner| bounds.include(&PolygonBounds::of_corner(corner)));
            if let Some(surface) = &tile.surface {
                let triangles =
                    surface.triangles_of(waymesh_core::PolyId(to_u32(own) - entry.polygons.start));
                triangles.iter().flatten().for_each(|&point| {
                    bounds.include_height(surface.points[point as usize].height);
                });
            }
            columns.bounds.set(own, bounds);
        }
    }

    /// Writes the connected components of a tile.
    fn write_components(
        &self,
        written: &Written<'_>,
        change: &TileChange,
        columns: &mut Columns,
        islands: &mut ComponentChanges,
    ) {
        let Written { tile, entry, key, .. } = written;
        let (components, count) = components_of(*key, tile);
        let start = entry.components.start;
        columns.components.write(entry.polygons.range().start, components.iter().map(|of| start + of));
        islands.written.extend(start..start + to_u32(count));
        if matches!(change, TileChange::Adjusted(_)) {
            return;
        }
        let mut figures = vec![(NO_ISLAND, Figures::default()); count];
        for ((polygon, own), &component) in written.polygons().zip(&components) {
            let (first, figures) = &mut figures[component as usize];
            *first = (*first).min(to_u32(own));
            figures.polygons += 1;
            let points =
                corner_range(polygon).map(|corner| tile.vertices[tile.corners[corner].index()].point);
            figures.doubled += PlanPoint::doubled_area(points);
        }
        let came = (start..).zip(figures).map(|(component, (first, figures))| (component, first, figures));
        islands.came.extend(came);
    }

    fn write_cell(&mut self, cell: [u32; 2], columns: &mut Columns) {
        let [column, row] = cell;
        let slots = (0..self.layers).filter_map(|layer| self.slots.get(&TileKey { layer, row, column }));
        let mut polygons: Vec<u32> =
            slots.flat_map(|&slot| columns.entries[slot as usize].polygons.range()).map(to_u32).collect();
        polygons.sort_unstable();
        self.cells.write(&self.grid, cell, &polygons, columns);
    }

    /// Notes how far a tile reaches, and its checksum.
    fn finish(&mut self, written: &Written<'_>, columns: &mut Columns) {
        let mut entry = written.entry;
        let corners = &columns.corner_vertices[entry.corners.range()];
        let largest =
            corners.iter().fold(Vec3::ZERO, |sum, corner| sum.max(columns.vertices[corner.index()].abs()));
        entry.reach = Reach {
            plan: largest.x.max(largest.z),
            up: largest.y,
            height: columns.bounds[entry.polygons.range()]
                .iter()
                .fold(0.0, |sum, bounds| sum.max(bounds.max_height.abs()).max(bounds.min_height.abs())),
            max_error: written.tile.surface.as_ref().map_or(0.0, |surface| surface.max_error),
        };
        self.reach.add(&entry.reach);
        let mut sum = 0_u64;
        let mut add = |value: u32| {
            sum = Random::mix(sum.wrapping_add(u64::from(value)).wrapping_add(0x9e37_79b9_7f4a_7c15));
        };
        [entry.key.layer, entry.key.row, entry.key.column].into_iter().for_each(&mut add);
        [entry.polygons.start, entry.polygons.len, entry.corners.start].into_iter().for_each(&mut add);
        columns.polygon_first[entry.polygons.range()].iter().for_each(|&first| add(first));
        columns.neighbours[entry.corners.range()].iter().for_each(|&neighbour| add(neighbour));
        // A filter may allow another area.
        columns.areas[entry.polygons.range()].iter().for_each(|&area| add(area.into()));
        for corner in &columns.corners[entry.corners.range()] {
            [corner.x.cast_unsigned(), corner.z.cast_unsigned(), corner.height.to_bits()]
                .into_iter()
                .for_each(&mut add);
        }
        entry.sum = sum;
        entry.plan = plan_sum(written.tile);
        self.sum = self.sum.wrapping_add(sum);
        columns.entries.set(written.slot as usize, entry);
    }
}

/// Returns a checksum of the polygons in plan, without the vertices between two others on a line.
fn plan_sum(tile: &MeshTile) -> u64 {
    let mut sum = 0_u64;
    for polygon in &tile.polygons {
        let ring = &tile.corners[corner_range(polygon)];
        let at = |corner: usize| tile.vertices[ring[corner % ring.len()].index()].point;
        let corners = (0..ring.len()).map(|corner| [at(corner + ring.len() - 1), at(corner), at(corner + 1)]);
        let bent = corners.filter(|&[before, at, after]| PlanPoint::orientation(before, at, after) != 0);
        for [_, PlanPoint { x, z }, _] in bent {
            let place = u64::from(x.cast_unsigned()) << 32 | u64::from(z.cast_unsigned());
            sum = Random::mix(sum ^ place);
        }
        sum = Random::mix(sum.wrapping_add(1));
    }
    sum
}

/// Writes the heights of a tile.
fn write_surface(written: &Written<'_>, columns: &mut Columns) {
    let Written { tile, entry, .. } = written;
    let Some(surface) = &tile.surface else { return };
    let [point, triangle, polygon] =
        [entry.points, entry.triangles, entry.polygons].map(|slab| slab.start as usize);
    columns.points.write(point, surface.points.iter().copied());
    let moved = surface.triangles.iter().map(|corners| corners.map(|at| at + to_u32(point)));
    columns.triangles.write(triangle, moved);
    let firsts = surface.polygon_triangles.iter().map(|first| first + to_u32(triangle));
    columns.surface_first.write(polygon, firsts);
    let end = to_u32(triangle + surface.triangles.len());
    let spare = entry.polygons.spare();
    columns.surface_first.fill(spare.clone(), end);
    let (mut triangle, mut four) = (triangle, entry.boxes.start as usize);
    for (own, range) in entry.polygons.range().zip(surface.polygon_triangles.windows(2)) {
        columns.ground_first.set(own, to_u32(four));
        let triangles = &surface.triangles[range[0] as usize..range[1] as usize];
        fours_of(triangles, &surface.points, |corners| {
            columns.ground_boxes.set(four, FourBoxes::of(corners));
            columns.ground.write(triangle, corners.iter().map(GroundTriangle::of));
            four += 1;
            triangle += corners.len();
        });
    }
    columns.ground_first.fill(spare, to_u32(four));
}

/// The edge of the polygon `beyond` that is the same as one of another polygon.
fn find_twin(columns: &Columns, own: u32, beyond: u32, edge: u32) -> Option<u32> {
    let edges = columns.edges();
    let ends = |polygon: u32, edge: u32| [edge, edges.next(polygon, edge)].map(|corner| edges.point(corner));
    let [from, to] = ends(own, edge);
    let mut range = edges.range(beyond).map(to_u32);
    range.find(|&there| columns.neighbours[there as usize] == own && ends(beyond, there) == [to, from])
}

fn set_walk(edge: usize, columns: &mut Columns) {
    let walk = WalkEdge::of(&columns.corners[edge], columns.neighbours[edge], columns.twins[edge]);
    columns.walk.set(edge, walk);
}

/// The component of each polygon of a tile, numbered as they come, and their number.
fn components_of(key: TileKey, tile: &MeshTile) -> (Vec<u32>, usize) {
    let mut sets = DisjointSets::new(tile.polygons.len());
    for (index, polygon) in (0_u32..).zip(&tile.polygons) {
        for beyond in tile.neighbours[corner_range(polygon)].iter().flatten() {
            if beyond.tile == key {
                sets.unite(index, beyond.polygon);
            }
        }
    }
    let (mut components, mut count) = (sets.roots(), 0);
    for index in 0..components.len() {
        let root = components[index] as usize;
        // The root is the first of its set: its number is known when the others follow.
        components[index] = if root == index { to_u32(count) } else { components[root] };
        count += usize::from(root == index);
    }
    (components, count)
}

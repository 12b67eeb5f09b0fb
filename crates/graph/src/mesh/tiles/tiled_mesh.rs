//! A mesh of tiles that is changed tile by tile.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use waymesh_core::{
    Agent, AreaTable, CancelToken, GridFrame, HeightSurface, PolyId, PolyMesh, Random, Validate,
    ViolationList, to_u32,
};

use super::columns::{Columns, WriteLog, open};
use super::join::JoinedTiles;
use super::key::{TileKey, TilePolygon};
use super::links::LinkChanges;
use super::order::{TileLink, VertexOrder, compare};
use super::part::{MeshTile, TileChange};
use super::places::{TileGrid, TilePlaces};
use super::tables::{TileEntry, TileTables};
use super::write::Writer;
use crate::mesh::bounds::PolygonBounds;
use crate::mesh::check::{check_surface, check_vertices};
use crate::mesh::error::NavMeshError;
use crate::mesh::height_tables::HeightTables;
use crate::mesh::link::LinkId;
use crate::mesh::link_edits::check_count;
use crate::mesh::nav_mesh::{Generation, NavMesh};
use crate::mesh::oracle::{AttachedOracle, PathOracle};
use crate::mesh::squares::Buckets;

/// The result of a change of tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Links that are not there any more, as one of their ends is not.
    pub lost_links: Vec<LinkId>,
    /// `true` if all polygons were renumbered. Otherwise polygons of tiles that did not change, or were
    /// only adjusted, keep their ids.
    pub is_renumbered: bool,
}

/// A mesh of tiles that are added, changed and removed.
///
/// The cost follows the change, not the size of the mesh: polygons of other tiles keep their ids,
/// and their tables are not read. When most slots are free, all tiles are rewritten and
/// renumbered.
///
/// # Guarantees
/// - [`TiledMesh::mesh`] is a [`NavMesh`] as any other: all queries find the same on it as on its
///   compact form ([`NavMesh::to_compact`]), which depends on the tiles alone and not on how they
///   came.
/// - A mesh that is out never changes. As long as somebody holds the one before the last, an update
///   copies the tables, and else it does not.
///
/// # Memory
/// Twice that of its mesh, with a quarter to spare, and four times that at most after tiles went.
#[derive(Debug)]
pub struct TiledMesh {
    writer: Writer,
    /// Without tiles.
    empty: NavMesh,
    shown: Arc<NavMesh>,
    /// The previous mesh, and the log of writes since.
    spare: Option<(Arc<NavMesh>, WriteLog)>,
    /// The next mesh, and the log of writes since it equalled `shown`.
    work: Option<(NavMesh, WriteLog)>,
}

impl TiledMesh {
    /// A mesh without tiles.
    ///
    /// # Errors
    /// For fields that are out of range.
    pub fn new(
        frame: GridFrame,
        agent: Agent,
        grid: TileGrid,
        areas: AreaTable,
        order: VertexOrder,
        has_surface: bool,
    ) -> Result<Self, NavMeshError> {
        let mut mesh = NavMesh::new(PolyMesh::empty(frame), None, agent)?.with_area_table(areas);
        mesh.surface.heights = has_surface.then(HeightTables::default);
        let places = TilePlaces::new(grid);
        let (count, entries, of_polygon, islands, link_orders) = Default::default();
        let tables = TileTables { order, count, entries, of_polygon, islands, link_orders, places };
        mesh.tiles = Some(Arc::new(tables));
        let end = |tiles: u32| i32::try_from(u64::from(grid.side) * u64::from(tiles)).unwrap_or(i32::MAX);
        let all = PolygonBounds {
            min_x: 0,
            min_z: 0,
            max_x: end(grid.columns),
            max_z: end(grid.rows),
            ..PolygonBounds::EMPTY
        };
        mesh.index.buckets = Buckets::none_over(&all);
        let writer = Writer::new(frame, grid, has_surface);
        Ok(Self { writer, empty: mesh.clone(), shown: Arc::new(mesh), spare: None, work: None })
    }

    /// The mesh as it was shown last.
    #[must_use]
    pub fn mesh(&self) -> Arc<NavMesh> {
        self.shown.clone()
    }

    /// The mesh with all changes so far.
    #[must_use]
    pub fn next(&self) -> &NavMesh {
        self.work.as_ref().map_or(&*self.shown, |(mesh, _)| mesh)
    }

    /// Changes tiles. All existing neighbours of an added, changed or removed tile must be among the
    /// changes, at least adjusted. Links that end on a removed or changed tile, which is not only
    /// adjusted, are removed.
    ///
    /// # Errors
    /// Names what is wrong; then nothing changes.
    pub fn change(&mut self, changes: BTreeMap<TileKey, TileChange>) -> Result<Changed, NavMeshError> {
        if changes.is_empty() {
            return Ok(Changed::default());
        }
        let changes = self.checked(changes)?;
        let gone = self.writer.lost_links(&changes);
        let lost_links = gone.iter().map(|&at| self.next().links.ids[at as usize]).collect();
        self.edit(|writer, columns| {
            if !gone.is_empty() {
                writer.change_links(LinkChanges { gone, ..LinkChanges::default() }, columns);
            }
            writer.write(&changes, columns);
        });
        let is_renumbered = self.writer.is_sparse();
        if is_renumbered {
            self.write_anew();
        }
        self.attach(self.next().oracle.clone(), changes.into_keys());
        Ok(Changed { lost_links, is_renumbered })
    }

    /// Puts an oracle in place of the last. It must be of a mesh that was shown, now or earlier, and
    /// can be made on any thread meanwhile ([`NavMesh::make_oracle`]).
    ///
    /// It stays in use while tiles change: a path that is so short that it cannot meet a changed tile
    /// is looked up, and any other is searched for, until another oracle is set. It is not used while
    /// the links or which of them are open differ, and is dropped if more than 1,024 tiles changed or
    /// polygons were renumbered.
    pub fn set_oracle(&mut self, oracle: Option<PathOracle>) {
        if self.work.is_none() {
            self.edit(|_, _| ());
        }
        let oracle = oracle.map(|oracle| AttachedOracle::new(oracle.0, self.writer.grid.side));
        let known = oracle.iter().flat_map(|oracle| oracle.tables.tiles.keys());
        let tiles: BTreeSet<TileKey> = self.writer.slots.keys().chain(known).copied().collect();
        self.attach(oracle, tiles);
    }

    /// Gives the next mesh its oracle, after these tiles may have changed.
    fn attach(&mut self, oracle: Option<AttachedOracle>, tiles: impl IntoIterator<Item = TileKey>) {
        let oracle = oracle.and_then(|mut oracle| {
            let mut tiles = tiles.into_iter();
            let is_kept = tiles.all(|tile| oracle.update(tile, self.entry(tile).map(TileEntry::ground)));
            oracle.valid_for[0] = self.next().generation.0;
            is_kept.then_some(oracle)
        });
        if let Some((mesh, _)) = &mut self.work {
            mesh.oracle = oracle;
        }
    }

    /// Writes all tiles into tables without gaps: for those of which most is free.
    fn write_anew(&mut self) {
        let mesh = self.next();
        let Some(tiles) = mesh.tiles.as_deref() else { return };
        let present = || tiles.entries.iter().filter(|entry| entry.is_there);
        let parts = present().map(|entry| (entry.key, TileChange::Anew(mesh.tile_of(tiles, entry))));
        let parts: BTreeMap<TileKey, TileChange> = parts.collect();
        let links =
            mesh.links.links.iter().zip(&mesh.links.ids).zip(&tiles.link_orders).zip(&mesh.links.portals);
        let placed = links.map(|(((&link, &id), &order), &is_portal)| {
            let places = [link.from, link.to].map(|end| tiles.place(end.polygon.0));
            (places, TileLink { id, order, link }, is_portal)
        });
        let links: Vec<_> = placed.collect();
        let next = self.writer.links.next;
        let empty = self.empty.clone();
        self.writer = self.writer.empty();
        self.writer.links.next = next;
        self.work = Some((empty, WriteLog::all()));
        self.edit(|writer, columns| {
            writer.write(&parts, columns);
            let came = links.into_iter().filter_map(|(places, mut link, is_portal)| {
                for (end, place) in [&mut link.link.from, &mut link.link.to].into_iter().zip(places) {
                    let slot = *writer.slots.get(&place.tile)?;
                    end.polygon = PolyId(columns.entries[slot as usize].polygons.start + place.polygon);
                }
                Some((link, is_portal))
            });
            let came: Vec<(TileLink, bool)> = came.collect();
            if !came.is_empty() {
                writer.change_links(LinkChanges { came, ..LinkChanges::default() }, columns);
            }
        });
    }

    /// The bytes that the tables of the mesh take, with those of the copies that are kept to be
    /// changed.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        let none = HeightTables::default();
        let bytes = |mesh: &NavMesh| {
            let surface = mesh.surface.heights.as_ref().unwrap_or(&none);
            mesh.tiles.as_ref().map_or(0, |tiles| Columns::bytes(mesh, tiles, surface))
        };
        let work = self.work.as_ref().map_or(0, |(mesh, _)| bytes(mesh));
        bytes(&self.shown) + self.spare.as_ref().map_or(0, |(mesh, _)| bytes(mesh)) + work
    }

    /// Removes existing links and adds others.
    ///
    /// # Errors
    /// Names what is wrong with the first link that cannot be added; then nothing changes.
    pub fn change_links(&mut self, gone: &[LinkId], came: Vec<TileLink>) -> Result<(), NavMeshError> {
        let next = self.next();
        let gone: BTreeSet<u32> = gone.iter().filter_map(|&id| Some(next.links.find(id)?.0)).collect();
        let mut ids = BTreeSet::new();
        for (element, TileLink { id, link, .. }) in came.iter().enumerate() {
            next.check_link(element, link)?;
            let is_known = next.links.find(*id).is_some_and(|at| !gone.contains(&at.0));
            if is_known || !ids.insert(*id) {
                return Err(NavMeshError::SameLinkId { id: *id });
            }
        }
        check_count(next.links.links.len() + came.len(), u32::MAX / 8)?;
        let came = came.into_iter().map(|link| (link, next.is_portal(&link.link))).collect();
        let changes = LinkChanges { gone, came, ..LinkChanges::default() };
        if !changes.gone.is_empty() || !changes.came.is_empty() {
            self.edit(|writer, columns| writer.change_links(changes, columns));
        }
        Ok(())
    }

    /// Opens and closes links; those that are not there are passed over.
    pub fn set_links_open(&mut self, links: impl IntoIterator<Item = (LinkId, bool)>) {
        let next = self.next();
        let changed = links.into_iter().filter_map(|(id, is_open)| {
            let at = next.links.find(id)?;
            (next.links.links[at.index()].is_open != is_open).then_some((at.0, is_open))
        });
        let opened: Vec<(u32, bool)> = changed.collect();
        if !opened.is_empty() {
            let changes = LinkChanges { opened, ..LinkChanges::default() };
            self.edit(|writer, columns| writer.change_links(changes, columns));
        }
    }

    /// Returns the grid of tiles.
    #[must_use]
    pub fn grid(&self) -> &TileGrid {
        &self.writer.grid
    }

    /// The layers that tiles have been on.
    pub fn layers(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        0..self.writer.layers
    }

    /// The polygons of a tile; none if it is not there.
    pub fn polygons_of(&self, tile: TileKey) -> impl Iterator<Item = PolyId> + use<> {
        let entry = self.entry(tile).copied().unwrap_or_default();
        entry.polygons.range().map(PolyId::from_index)
    }

    /// The id of a polygon of a tile.
    #[must_use]
    pub fn polygon_of(&self, polygon: TilePolygon) -> Option<PolyId> {
        let polygons = self.entry(polygon.tile)?.polygons;
        (polygon.polygon < polygons.len).then(|| PolyId(polygons.start + polygon.polygon))
    }

    /// A tile as it was written, but that vertices on its border have the heights that they have in the
    /// mesh.
    #[must_use]
    pub fn tile(&self, tile: TileKey) -> Option<MeshTile> {
        let next = self.next();
        Some(next.tile_of(next.tiles.as_deref()?, self.entry(tile)?))
    }

    /// The ground of a tile as it was written.
    #[must_use]
    pub fn surface_of(&self, tile: TileKey) -> Option<HeightSurface> {
        self.next().surface_of(self.entry(tile)?)
    }

    fn entry(&self, tile: TileKey) -> Option<&TileEntry> {
        let slot = *self.writer.slots.get(&tile)?;
        self.next().tiles.as_deref()?.entries.get(slot as usize)
    }

    /// Orders two links as in the compact form of the mesh, where both have their polygons.
    #[must_use]
    pub fn compare_links(&self, one: &TileLink, other: &TileLink) -> Ordering {
        let next = self.next();
        compare((&one.link, one.order), (&other.link, other.order), |id| next.tile_polygon(id))
    }

    /// The links with an end on a tile.
    pub fn links_of(&self, tile: TileKey) -> impl Iterator<Item = LinkId> + '_ {
        let slot = self.writer.slots.get(&tile);
        let places = slot.map_or(&[][..], |&slot| self.writer.links.of_tile(slot));
        places.iter().map(|&at| self.next().links.ids[at as usize])
    }

    /// Discards all changes since a mesh was shown. Takes `n log n` time in the size of the mesh if
    /// any change was made.
    pub fn abandon(&mut self) {
        if self.work.take().is_some_and(|(_, written)| !written.is_empty())
            && let Some(tiles) = &self.shown.tiles
        {
            self.writer = self.writer.of(&self.shown, tiles);
        }
    }

    /// Shows the mesh with all changes so far, from now on.
    pub fn show(&mut self) -> Arc<NavMesh> {
        if let Some((mesh, written)) = self.work.take() {
            let before = std::mem::replace(&mut self.shown, Arc::new(mesh));
            self.spare = Some((before, written));
        }
        self.shown.clone()
    }

    /// Writes to the tables of the mesh that is not shown.
    fn edit(&mut self, write: impl FnOnce(&mut Writer, &mut Columns)) {
        // A half-written mesh would be of no use.
        let _endless = CancelToken::none().enter();
        let (mut mesh, mut before) = self.work.take().unwrap_or_else(|| (self.copy(), WriteLog::default()));
        let Some((mut columns, mut tiles, mut surface)) = open(&mut mesh) else { return };
        write(&mut self.writer, &mut columns);
        let written = columns.close(&mut mesh, &mut tiles, &mut surface);
        self.finalise(&mut mesh, &mut tiles, &mut surface);
        mesh.surface.heights = self.shown.surface.heights.is_some().then_some(surface);
        mesh.tiles = Some(Arc::new(tiles));
        before.append(written);
        self.work = Some((mesh, before));
    }

    /// A mesh as the one that is shown, of which nobody else knows.
    fn copy(&mut self) -> NavMesh {
        let spare =
            self.spare.take().and_then(|(spare, written)| Some((Arc::try_unwrap(spare).ok()?, written)));
        let Some((mut mesh, written)) = spare else { return NavMesh::clone(&self.shown) };
        let (Some((mut columns, mut tiles, mut surface)), Some(shown)) = (open(&mut mesh), &self.shown.tiles)
        else {
            return NavMesh::clone(&self.shown);
        };
        let none = HeightTables::default();
        columns.follow(&self.shown, shown, self.shown.surface.heights.as_ref().unwrap_or(&none), &written);
        columns.close(&mut mesh, &mut tiles, &mut surface);
        mesh.surface.heights = self.shown.surface.heights.is_some().then_some(surface);
        mesh.tiles = Some(Arc::new(tiles));
        mesh.oracle.clone_from(&self.shown.oracle);
        mesh
    }

    /// Sets what is made of all tiles, but is not in a table.
    fn finalise(&self, mesh: &mut NavMesh, tiles: &mut TileTables, surface: &mut HeightTables) {
        let frame = mesh.frame;
        let reach = self.writer.reach.get();
        (mesh.vertices.plan_slack, mesh.vertices.height_slack) = reach.slack(&frame);
        surface.max_error = reach.max_error;
        tiles.count = self.writer.count;
        tiles.places.used = self.writer.cells.used();
        mesh.topology.fans.count = to_u32(mesh.topology.corners.len());
        let links = &mut mesh.links;
        links.turns.first_end = mesh.topology.fans.count;
        links.next = self.writer.links.next;
        links.has_one_way = self.writer.links.one_way > 0;
        links.stamp = if links.links.is_empty() { 0 } else { self.writer.links.sum };
        let mut sum = Random::mix(self.writer.sum ^ (mesh.topology.corners.len() as u64));
        for value in [frame.origin.x, frame.origin.y, frame.origin.z, frame.cell_size, frame.level_height] {
            sum = Random::mix(sum.wrapping_add(u64::from(value.to_bits())));
        }
        mesh.generation = Generation(sum);
    }

    /// Checks what changes, and what it leads to.
    fn checked(
        &self,
        mut changes: BTreeMap<TileKey, TileChange>,
    ) -> Result<BTreeMap<TileKey, TileChange>, NavMeshError> {
        let tiles = changes.values().filter_map(TileChange::tile);
        if let Some(table) = self.writer.too_long(tiles) {
            let (value, limit) = (i64::from(u32::MAX), 1 << 30);
            return Err(NavMeshError::OutOfRange { table, element: 0, value, limit });
        }
        let around: BTreeSet<TileKey> = changes
            .keys()
            .flat_map(|key| key.around())
            .filter(|key| !changes.contains_key(key) && self.writer.slots.contains_key(key))
            .collect();
        for (&tile, _) in changes.iter().filter(|(_, change)| !matches!(change, TileChange::Adjusted(_))) {
            let missing =
                |beside: &TileKey| self.writer.slots.contains_key(beside) && !changes.contains_key(beside);
            if let Some(beside) = tile.around().find(missing) {
                return Err(NavMeshError::TileBeside { tile, beside });
            }
        }
        let around = around.into_iter().filter_map(|key| Some((key, self.tile(key)?)));
        let around: Vec<(TileKey, MeshTile)> = around.collect();
        let present = changes.iter().filter_map(|(&key, change)| Some((key, change.tile()?)));
        let tiles: BTreeMap<TileKey, &MeshTile> =
            present.chain(around.iter().map(|(key, tile)| (*key, tile))).collect();
        let frame = self.writer.frame;
        let JoinedTiles { polygons, .. } = JoinedTiles::new(frame, &tiles, VertexOrder::OwnFirst)?;
        let mut violations = ViolationList::default();
        polygons.violations(&mut violations);
        if !violations.is_empty() {
            return Err(NavMeshError::Polygons(violations));
        }
        for (key, tile) in changes.iter().filter_map(|(&key, change)| Some((key, change.tile()?))) {
            self.check_place(key, tile)?;
            check_vertices(&frame, &tile.vertices)?;
            if let Some(surface) = &tile.surface {
                let (vertices, corners) = (tile.vertices.clone(), tile.corners.clone());
                let (polygons, neighbours) = (tile.polygons.clone(), Vec::new());
                check_surface(surface, &PolyMesh { frame, vertices, polygons, corners, neighbours })?;
            } else if self.shown.surface.heights.is_some() && !tile.polygons.is_empty() {
                return Err(NavMeshError::NoSurface { value: 0.0 });
            }
        }
        // A tile is adjusted only where it has as many polygons.
        for (key, change) in &mut changes {
            if let TileChange::Adjusted(tile) = change
                && self.entry(*key).is_none_or(|entry| entry.polygons.len as usize != tile.polygons.len())
            {
                *change = TileChange::Anew(std::mem::take(tile));
            }
        }
        Ok(changes)
    }

    /// Checks that a tile lies where it belongs.
    fn check_place(&self, key: TileKey, tile: &MeshTile) -> Result<(), NavMeshError> {
        let TileGrid { side, columns, rows } = self.writer.grid;
        for (table, place, limit) in [("tile columns", key.column, columns), ("tile rows", key.row, rows)] {
            if place >= limit {
                let (value, limit) = (i64::from(place), i64::from(limit) - 1);
                return Err(NavMeshError::OutOfRange { table, element: 0, value, limit });
            }
        }
        for (element, vertex) in tile.vertices.iter().enumerate() {
            for (table, value, place) in
                [("vertex_x", vertex.point.x, key.column), ("vertex_z", vertex.point.z, key.row)]
            {
                let low = i64::from(place) * i64::from(side);
                if !(low..=low + i64::from(side)).contains(&i64::from(value)) {
                    let (value, limit) = (i64::from(value), low + i64::from(side));
                    return Err(NavMeshError::OutOfRange { table, element, value, limit });
                }
            }
        }
        Ok(())
    }
}

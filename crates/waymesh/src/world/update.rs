//! An update of a world: tiles that are built, joined, and written into its mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use waymesh_core::{TriangleSoup, Validate, threads};
use waymesh_graph::{
    Changed, JoinedTiles, LinkId, LinkKind, MeshTile, TileChange, TileKey, TiledMesh, VertexOrder,
};
use waymesh_tile::{MemoryGate, Tile, build_tiles};

use super::build::BuiltTile;
use super::ground::{TileGround, Tiles};
use super::heights::{self, KnownGround};
use super::join::{Facings, key};
use super::links::{TileClimbs, TileJumps, TileRoom, WorldLinks};
use super::parts::{Update, changes};
use super::polygons::TilePolygons;
use crate::bake::{BakeError, Recorder};

/// The data of an update.
pub(super) struct TileUpdate<'a> {
    pub(super) ground: &'a TileGround,
    pub(super) mesh: &'a mut TiledMesh,
    pub(super) facings: &'a mut Facings,
    pub(super) links: &'a mut WorldLinks,
    pub(super) climbs: &'a mut TileClimbs,
    pub(super) jumps: &'a mut TileJumps,
    /// Tiles that came as they were written.
    pub(super) prebaked: &'a mut usize,
}

impl Update<Tile, BuiltTile> for TileUpdate<'_> {
    fn build(
        &mut self,
        tiles: &[Tile],
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Option<Arc<BuiltTile>>>, BakeError> {
        let gate = MemoryGate::new(u64::MAX);
        let ground = self.ground;
        let shared = ground.shared(tiles);
        ground.stages.in_pool(|| {
            let work = |tile: Tile| ground.build(tile, &shared);
            recorder.stage("tiles", |observer| build_tiles(tiles, &gate, |_| 0, work, observer))
        })?
    }

    /// Writes tiles that changed, what is around them, and the links there.
    fn write(
        &mut self,
        tiles: &Tiles<'_>,
        changed: &[Tile],
        recorder: &mut Recorder<'_>,
    ) -> Result<usize, BakeError> {
        let is_prebaked = |(tile, before, now): &(&Tile, Option<&Arc<BuiltTile>>, &Arc<BuiltTile>)| {
            before.is_none_or(|before| !Arc::ptr_eq(before, now))
                && self.ground.prebaked_as(**tile, tiles).is_some()
        };
        *self.prebaked = tiles.asked().filter(is_prebaked).count();
        // A new border also changes the adjacent tiles: their corners on it, and the ground along it.
        let beside: BTreeSet<Tile> =
            self.around(changed.iter().copied()).filter(|&tile| tiles.get(tile).is_some()).collect();
        let ground = self.ground;
        let changes = match changed {
            [] => BTreeMap::new(),
            changed => ground.stages.in_pool(|| self.make(tiles, changed, &beside, recorder))??,
        };
        let (mesh, links) = (&mut *self.mesh, &mut *self.links);
        let Changed { lost_links, is_renumbered } = recorder.stage("mesh", |_| mesh.change(changes))?;
        let is_all = links.begin(&lost_links, is_renumbered, mesh)?;
        self.find_links(tiles, changed, &beside, is_all || is_renumbered, recorder)?;
        let came = changed.iter().filter(|&&tile| tiles.get(tile).is_some()).count();
        Ok(beside.len() - came)
    }

    fn mesh(&mut self) -> &mut TiledMesh {
        self.mesh
    }
}

impl TileUpdate<'_> {
    /// These tiles, and those that share a side or a corner with them.
    fn around(&self, tiles: impl Iterator<Item = Tile>) -> impl Iterator<Item = Tile> {
        let layout = self.ground.layout;
        tiles.flat_map(move |tile| layout.tiles_over(&layout.core(tile).grown(1, layout.frame())))
    }

    /// Makes the mesh tiles of the changed tiles, and of their neighbours `beside`.
    fn make(
        &mut self,
        tiles: &Tiles<'_>,
        changed: &[Tile],
        beside: &BTreeSet<Tile>,
        recorder: &mut Recorder<'_>,
    ) -> Result<BTreeMap<TileKey, TileChange>, BakeError> {
        let (stages, layout) = (&self.ground.stages, &self.ground.layout);
        // Their neighbours are needed for joins and ground.
        let around: BTreeSet<Tile> = self.around(beside.iter().copied()).collect();
        let facings = &mut *self.facings;
        let (mut made, joined) = recorder.stage("join", |_| {
            let present = around.iter().filter_map(|&tile| Some((tile, tiles.get(tile)?)));
            let present: BTreeMap<Tile, &BuiltTile> = present.map(|(tile, built)| (tile, &**built)).collect();
            let unpack = |(&tile, built): (&Tile, &&BuiltTile)| (tile, built.polygons.unpack());
            let polygons: BTreeMap<Tile, TilePolygons> = threads::map(&present, unpack).into_iter().collect();
            facings.update(&|tile| polygons.get(&tile), changed);
            let make = |(&tile, polygons): (&Tile, &TilePolygons)| {
                (key(tile), facings.mesh_tile(tile, present[&tile].regions(), polygons))
            };
            let made: BTreeMap<TileKey, MeshTile> = threads::map(&polygons, make).into_iter().collect();
            let by_key = made.iter().map(|(&key, tile)| (key, tile)).collect();
            let joined = JoinedTiles::new(*layout.frame(), &by_key, VertexOrder::OwnFirst)?;
            Ok::<_, BakeError>((made, joined))
        })?;
        stages.check("join", |list| joined.polygons.violations(list))?;
        let mut patches = BTreeMap::new();
        patches.extend(beside.iter().filter_map(|&tile| Some((tile, self.ground.patch(tile, tiles)?))));
        let changed_tiles: BTreeSet<Tile> = changed.iter().copied().collect();
        let wanted = beside.iter().filter(|tile| !patches.contains_key(tile));
        let wanted: BTreeMap<Tile, Option<KnownGround>> =
            wanted.map(|&tile| (tile, self.known_ground(tile, &changed_tiles, &made))).collect();
        let fitted = recorder.stage("heights", |observer| {
            heights::fit(stages, &joined, &made, layout, tiles, &wanted, observer)
        })?;
        patches.extend(fitted);
        let written = beside.iter().filter_map(|&tile| {
            let surface = patches.remove(&tile).map(Arc::unwrap_or_clone);
            Some((key(tile), MeshTile { surface, ..made.remove(&key(tile))? }))
        });
        Ok(changes(changed.iter().map(|&tile| key(tile)), written))
    }

    /// Returns the reusable ground of a neighbour of changed tiles.
    fn known_ground(
        &self,
        tile: Tile,
        changed: &BTreeSet<Tile>,
        made: &BTreeMap<TileKey, MeshTile>,
    ) -> Option<KnownGround> {
        if changed.contains(&tile) {
            return None;
        }
        let surface = self.mesh.surface_of(key(tile))?;
        let layout = &self.ground.layout;
        let beside = self.around([tile].into_iter()).filter(|other| changed.contains(other));
        let bound = self.ground.stages.detail_config().max_error_levels;
        KnownGround::new(surface, made.get(&key(tile))?, beside.map(|tile| layout.core(tile)), bound)
    }

    /// Finds the links near what changed, or all.
    fn find_links(
        &mut self,
        tiles: &Tiles<'_>,
        changed: &[Tile],
        beside: &BTreeSet<Tile>,
        is_all: bool,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), BakeError> {
        let mut changed: Vec<Tile> = changed.to_vec();
        let mut written: BTreeSet<Tile> = beside.iter().chain(&changed).copied().collect();
        if is_all {
            *self.climbs = TileClimbs::default();
            *self.jumps = TileJumps::default();
            written.extend(tiles.keys());
            changed = written.iter().copied().collect();
        }
        if self.ground.stages.config().has_climbs() {
            let led = recorder.stage("links", |_| self.find_climbs(tiles, &changed, &written))?;
            written.extend(led);
        }
        if self.ground.stages.config().jumps.is_some() {
            recorder.stage("jumps", |_| self.find_jumps(&written))?;
        }
        let keys = written.iter().map(|&tile| key(tile)).collect();
        Ok(self.links.end(is_all, &keys, self.mesh)?)
    }

    /// Finds the links up ledges again. Returns the tiles that lost or got one.
    fn find_climbs(
        &mut self,
        tiles: &Tiles<'_>,
        changed: &[Tile],
        written: &BTreeSet<Tile>,
    ) -> Result<BTreeSet<Tile>, BakeError> {
        let (config, layout) = (self.ground.stages.config(), &self.ground.layout);
        let climbs = |tile: Tile| tiles.get(tile).map(|built| &*built.climbs);
        let found = self.climbs.update(self.mesh.next(), config, layout, &climbs, changed, written);
        Ok(self.links.put(found, self.mesh)?)
    }

    /// Finds jumps again.
    fn find_jumps(&mut self, written: &BTreeSet<Tile>) -> Result<(), BakeError> {
        let ground = self.ground;
        let (layout, Some(config)) = (&ground.layout, &ground.stages.config().jumps) else { return Ok(()) };
        if written.is_empty() && !self.jumps.is_touched() {
            return Ok(());
        }
        let [stale, near] = self.jumps.reach(self.mesh.next(), config, layout, written);
        let standing = self.around(stale.iter().copied()).collect::<BTreeSet<Tile>>();
        let standing = standing.into_iter().filter_map(|tile| {
            let mut soup = TriangleSoup::default();
            for (obstacle, _) in ground.obstacles.of(tile) {
                let own = obstacle.triangles();
                // Indices of a valid soup are in range.
                let _ = soup.append(own.positions().to_vec(), own.triangles().to_vec());
            }
            (!soup.triangles().is_empty()).then_some((tile, soup))
        });
        let flights = |tile: Tile| ground.kept.get(&tile).and_then(|kept| kept.flights());
        let room = TileRoom::new(layout, flights, standing)?;
        let mesh = &mut *self.mesh;
        self.jumps.update(mesh.next(), config, &room, [&stale, &near], |tile| mesh.polygons_of(tile));
        // The detour of a jump is measured on a mesh without links except those up ledges.
        let mut turned: BTreeMap<LinkId, bool> = BTreeMap::new();
        let mut known = BTreeSet::new();
        let mut more: BTreeSet<Tile> = stale.union(&near).copied().collect();
        loop {
            let [_, around] = self.jumps.reach(mesh.next(), config, layout, &more);
            known.append(&mut more);
            let ids: BTreeSet<LinkId> = around.iter().flat_map(|&tile| mesh.links_of(key(tile))).collect();
            let mut turns = Vec::new();
            for id in ids {
                let Some(link) = mesh.next().link(id) else { continue };
                let is_ledge = WorldLinks::is_found(id) && link.kind == LinkKind::Step;
                if link.is_open != is_ledge {
                    turns.push((id, is_ledge));
                    turned.entry(id).or_insert(link.is_open);
                }
            }
            mesh.set_links_open(turns);
            match self.jumps.decide(mesh.next(), config, &room, &known) {
                Some(tile) => more.insert(tile),
                None => break,
            };
        }
        let found = self.jumps.found();
        mesh.set_links_open(turned);
        self.links.put(found, mesh)?;
        Ok(())
    }
}

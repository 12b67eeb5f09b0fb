//! Links up ledges, updated where the ground at a ledge changed.

use std::collections::{BTreeMap, BTreeSet};

use waymesh_core::GridFrame;
use waymesh_graph::{AnyPolygon, Link, LinkOrder, NavMesh, TileKey};
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::Climb;

use super::Source;
use crate::bake::BakeConfig;
use crate::links::climbs::{MeshClimb, depth, links_of, mesh_climbs, reach};
use crate::world::join::{key, tile_of};

/// The climbs of each tile, on the mesh as it is.
#[derive(Debug, Default)]
pub(in crate::world) struct TileClimbs {
    /// Depth of the deepest climb of each tile, and the tiles by it.
    depths: BTreeMap<Tile, u16>,
    by_depth: BTreeSet<(u16, Tile)>,
    /// The climbs of each tile that has any, and the tile of the ground that they lead up from.
    on_mesh: BTreeMap<Tile, Vec<(TileKey, MeshClimb)>>,
    /// Depth of the deepest climb at the last search for links.
    deepest: Option<u16>,
}

impl TileClimbs {
    /// Finds the links of all tiles that may have others now. `changed` are tiles with other climbs,
    /// `written` these and all around them; `climbs` returns the climbs of an existing tile. Takes time
    /// in the change.
    pub(in crate::world) fn update<'a>(
        &mut self,
        mesh: &NavMesh,
        config: &BakeConfig,
        layout: &TileLayout,
        climbs: &impl Fn(Tile) -> Option<&'a [Climb]>,
        changed: &[Tile],
        written: &BTreeSet<Tile>,
    ) -> Vec<(Source, Vec<(LinkOrder, Link)>)> {
        for &tile in changed {
            self.count(tile, climbs(tile).unwrap_or_default());
        }
        let deepest = self.by_depth.last().map(|(deepest, _)| *deepest);
        let frame = layout.frame();
        let farthest = reach(config, frame, deepest.max(self.deepest).unwrap_or(0));
        let around = |tiles: &BTreeSet<Tile>| -> BTreeSet<Tile> {
            let grown = |&tile: &Tile| layout.tiles_over(&layout.core(tile).grown(cells(farthest), frame));
            tiles.iter().flat_map(grown).collect()
        };
        let mut found_in: BTreeSet<TileKey> = written.iter().map(|&tile| key(tile)).collect();
        for tile in around(written) {
            let before = self.on_mesh.remove(&tile).unwrap_or_default();
            let own = climbs(tile).unwrap_or_default();
            let after = if own.is_empty() { Vec::new() } else { on_mesh(mesh, config, layout, tile, own) };
            let is_written = |climb: &MeshClimb| {
                let tiles = climb.polygons.iter().map(|&polygon| mesh.tile_polygon(polygon));
                tiles.flatten().any(|place| written.contains(&tile_of(place.tile)))
            };
            // Links to changed ground, before or after the change.
            let is_same = before == after;
            let stale = before.iter().chain(&after).filter(|(_, climb)| !is_same || is_written(climb));
            found_in.extend(stale.map(|(tile, _)| *tile));
            if !after.is_empty() {
                self.on_mesh.insert(tile, after);
            }
        }
        if deepest != self.deepest {
            // The largest distance between runs of the same ledge changed.
            self.deepest = deepest;
            found_in.extend(self.on_mesh.values().flatten().map(|(tile, _)| *tile));
        }
        let Some(deepest) = deepest else {
            return found_in.into_iter().map(|tile| (Source::Climbs(tile), Vec::new())).collect();
        };
        let apart = reach(config, frame, deepest);
        let links = |from: TileKey| {
            let near = around(&BTreeSet::from([tile_of(from)]));
            let climbs = near.iter().filter_map(|tile| self.on_mesh.get(tile)).flatten();
            let own = climbs.filter(|(tile, _)| *tile == from).map(|(_, climb)| *climb).collect();
            let links = links_of(mesh, own, apart).into_iter().map(|link| (LinkOrder::default(), link));
            (Source::Climbs(from), links.collect())
        };
        found_in.into_iter().map(links).collect()
    }

    /// Notes how deep the climbs of a tile are.
    fn count(&mut self, tile: Tile, climbs: &[Climb]) {
        let after = climbs.iter().map(depth).max();
        let before = match after {
            Some(deepest) => self.depths.insert(tile, deepest),
            None => self.depths.remove(&tile),
        };
        if let Some(deepest) = before {
            self.by_depth.remove(&(deepest, tile));
        }
        self.by_depth.extend(after.map(|deepest| (deepest, tile)));
    }
}

fn cells(reach: i32) -> u32 {
    // Landings lie on borders of cells.
    reach.unsigned_abs() + 1
}

/// The climbs of a tile between polygons of the mesh.
fn on_mesh(
    mesh: &NavMesh,
    config: &BakeConfig,
    layout: &TileLayout,
    tile: Tile,
    climbs: &[Climb],
) -> Vec<(TileKey, MeshClimb)> {
    let frame: &GridFrame = layout.frame();
    let deepest = climbs.iter().map(depth).max().unwrap_or(0);
    let columns = layout.core(tile).grown(cells(reach(config, frame, deepest)), frame);
    let corner = |x: u32, z: u32, y: f32| frame.to_world(x.into(), 0.0, z.into()).with_y(y);
    let (low, high) = (
        corner(columns.x, columns.z, f32::NEG_INFINITY),
        corner(columns.end_x(), columns.end_z(), f32::INFINITY),
    );
    let mut polygons = Vec::new();
    mesh.polygons_in_box(low, high, &AnyPolygon, &mut polygons);
    let climbs = mesh_climbs(mesh, config, climbs.to_vec(), polygons.into_iter());
    let with_tile = climbs.into_iter().filter_map(|climb| {
        let from = mesh.tile_polygon(climb.polygons[0])?.tile;
        Some((from, climb))
    });
    with_tile.collect()
}

//! Seams between tiles: shared vertices, turns around them, and adjacent components.

use std::collections::HashMap;

use waymesh_core::{DisjointSets, PlanVertex, Poly, PolyId, to_u32};

use super::columns::Columns;
use super::islands::ComponentChanges;
use super::key::TileKey;
use super::part::MeshTile;
use super::tables::TileEntry;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::fans;

/// Rank of a vertex among those merged into one: the lowest gives the height. A vertex of a tile
/// that is not written already has it.
type Rank = (bool, bool, super::key::TileKey, u32);

/// Gives the vertices at both ends of edges between tiles one height.
pub(super) fn unite_heights(tiles: &[Written<'_>], columns: &mut Columns) {
    let is_written =
        |slot: u32| tiles.binary_search_by_key(&columns.entries[slot as usize].key, |tile| tile.key).is_ok();
    let mut places: HashMap<u32, u32> = HashMap::new();
    let mut members: Vec<(u32, Rank)> = Vec::new();
    let mut sets = DisjointSets::default();
    let mut place_of = |vertex: u32, slot: u32, sets: &mut DisjointSets| {
        *places.entry(vertex).or_insert_with(|| {
            let entry = &columns.entries[slot as usize];
            let local = vertex - entry.vertices.start;
            members.push((vertex, (is_written(slot), local >= entry.own_vertices, entry.key, local)));
            sets.push()
        })
    };
    for written in tiles {
        for (_, own) in written.polygons() {
            for edge in columns.edges().range(to_u32(own)) {
                let (beyond, twin) = (columns.neighbours[edge], columns.twins[edge]);
                if twin == NO_NEIGHBOUR || columns.tile_of[beyond as usize] == written.slot {
                    continue;
                }
                let there = columns.tile_of[beyond as usize];
                let edges = columns.edges();
                let after = [edges.next(to_u32(own), to_u32(edge)), edges.next(beyond, twin)];
                for (one, other) in [(to_u32(edge), after[1]), (after[0], twin)] {
                    let [one, other] = [one, other].map(|corner| columns.corner_vertices[corner as usize].0);
                    let one = place_of(one, written.slot, &mut sets);
                    let other = place_of(other, there, &mut sets);
                    sets.unite(one, other);
                }
            }
        }
    }
    let mut best: Vec<Option<(Rank, f32)>> = vec![None; members.len()];
    for (place, &(vertex, rank)) in (0_u32..).zip(&members) {
        let best = &mut best[sets.find(place) as usize];
        if best.is_none_or(|best| rank < best.0) {
            *best = Some((rank, columns.plan_vertices[vertex as usize].height));
        }
    }
    for (place, (vertex, _)) in (0_u32..).zip(members) {
        let Some((_, height)) = best[sets.find(place) as usize] else { continue };
        let old = columns.plan_vertices[vertex as usize];
        if old.height.to_bits() != height.to_bits() {
            columns.plan_vertices.set(vertex as usize, PlanVertex { height, ..old });
        }
    }
}

/// Names the fans of all corners of tiles by their lowest corners.
pub(super) fn write_fans(tiles: &[Written<'_>], columns: &mut Columns) {
    /// No fan has this name.
    const UNSEEN: u32 = u32::MAX;
    for written in tiles {
        columns.fans.fill(written.entry.corners.range(), UNSEEN);
    }
    let mut corners = Vec::new();
    for written in tiles {
        for (_, own) in written.polygons() {
            for corner in columns.edges().range(to_u32(own)) {
                if columns.fans[corner] == UNSEEN {
                    write_fan(to_u32(own), to_u32(corner), &mut corners, columns);
                }
            }
        }
    }
}

/// Names the fan of a corner of a polygon. Leaves its corners in `corners`, and returns their
/// polygons.
pub(super) fn write_fan(
    polygon: u32,
    corner: u32,
    corners: &mut Vec<u32>,
    columns: &mut Columns,
) -> Vec<PolyId> {
    corners.clear();
    let mut polygons = Vec::new();
    let turns = fans::around(&columns.edges(), &columns.twins, polygon, corner, |corner, polygon| {
        corners.push(corner);
        polygons.push(PolyId(polygon));
    });
    let name = corners.iter().copied().min().unwrap_or(corner);
    for &corner in &*corners {
        columns.fans.set(corner as usize, fans::entry(name, turns));
    }
    if !columns.fan_names.is_empty() {
        columns.fan_names.set(name as usize, name);
    }
    polygons
}

/// Records pairs of adjacent components over the border of a tile.
pub(super) fn write_beside(written: &Written<'_>, columns: &Columns, islands: &mut ComponentChanges) {
    for own in written.entry.polygons.range() {
        for edge in columns.edges().range(to_u32(own)) {
            let beyond = columns.neighbours[edge];
            if beyond != NO_NEIGHBOUR && columns.tile_of[beyond as usize] != written.slot {
                let [own, other] = [own, beyond as usize].map(|polygon| columns.components[polygon]);
                islands.beside.extend([(own, other), (other, own)]);
            }
        }
    }
}

/// A tile that is written.
pub(super) struct Written<'a> {
    pub(super) key: TileKey,
    pub(super) slot: u32,
    pub(super) tile: &'a MeshTile,
    pub(super) entry: TileEntry,
}

impl Written<'_> {
    /// The polygons of the tile, with their numbers in the mesh.
    pub(super) fn polygons(&self) -> impl Iterator<Item = (&Poly, usize)> {
        self.tile.polygons.iter().zip(self.entry.polygons.range())
    }
}

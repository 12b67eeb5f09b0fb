//! Jumps and drops, updated where the ground or obstacles on it changed.
//!
//! Of jumps side by side the shortest is kept, as [`crate::find_jumps`] does it: straight ones
//! first, then in the order of their lengths, each is kept unless it lies next to a kept one. After
//! a change only changed jumps are decided again, and then the neighbours of jumps whose decision
//! changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Vec2, Vec3};
use waymesh_core::stage::StageError;
use waymesh_core::{
    Bounds, PlanPoint, PolyId, TriangleSoup, checkpoint, saturating_i32, saturating_u32, to_u32,
};
use waymesh_graph::{Link, LinkEnd, LinkKind, LinkOrder, NavMesh, TileKey, TilePolygon};
use waymesh_tile::{Tile, TileLayout};

use super::Source;
use crate::bake::BakeError;
use crate::links::jumps::{Candidate, Cylinder, Finder, JumpConfig, Obstacles, Room, is_beside, link};
use crate::world::ground::columns_of;
use crate::world::join::{key, tile_of};

/// Class of jumps in the order of all links: after ledges.
const JUMPS: LinkOrder = LinkOrder { class: 1, number: 0 };

/// Sort key of a jump in the order of decisions, and its slot in the table of all.
type Key = ((bool, u32), LinkKind, [(TilePolygon, PlanPoint); 2], u32);

#[derive(Clone, Copy, Debug)]
struct Jump {
    candidate: Candidate,
    key: Key,
    /// `true` if the walk is longer by the minimum detour; `None` if unknown.
    saves: Option<bool>,
    is_kept: bool,
}

/// The jumps from each tile.
#[derive(Debug, Default)]
pub(in crate::world) struct TileJumps {
    jumps: Vec<Option<Jump>>,
    free: Vec<u32>,
    of_tile: BTreeMap<Tile, Vec<u32>>,
    /// By the square of the plan, as wide as jumps must be apart, that they lead from, and to.
    from: HashMap<[i32; 2], Vec<u32>>,
    to: HashMap<[i32; 2], Vec<u32>>,
    /// Tiles where something came or went that one may fly into.
    touched: BTreeSet<Tile>,
    /// Jumps to decide again.
    open: BTreeSet<Key>,
    /// Tiles whose links are others.
    turned: BTreeSet<Tile>,
}

impl TileJumps {
    /// Something came or went in these tiles that one may fly into.
    pub(in crate::world) fn touch(&mut self, tiles: impl IntoIterator<Item = Tile>) {
        self.touched.extend(tiles);
    }

    pub(in crate::world) fn is_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// The tiles whose jumps are looked for again where these were written, and those whose jumps
    /// may be worth their while or not any more.
    pub(in crate::world) fn reach(
        &self,
        mesh: &NavMesh,
        config: &JumpConfig,
        layout: &TileLayout,
        written: &BTreeSet<Tile>,
    ) -> [BTreeSet<Tile>; 2] {
        let frame = layout.frame();
        let cells = |metres: f32| saturating_u32((metres / frame.cell_size).ceil()).saturating_add(2);
        let around = |tiles: &mut dyn Iterator<Item = Tile>, metres: f32| -> BTreeSet<Tile> {
            let grown = |tile: Tile| layout.tiles_over(&layout.core(tile).grown(cells(metres), frame));
            tiles.flat_map(grown).collect()
        };
        let flight = config.reach() + mesh.agent().radius;
        let stale = around(&mut written.iter().chain(&self.touched).copied(), flight);
        // A path that saves too little is hardly longer than the jump and the detour.
        let near = around(&mut written.iter().copied(), 2.0 * (config.reach() + config.min_detour));
        [stale, near]
    }

    /// Looks for jumps again from the `stale` tiles; these and those from `near` ones are to be decided
    /// again. `polygons` are those of a tile.
    pub(in crate::world) fn update<P: Iterator<Item = PolyId>>(
        &mut self,
        mesh: &NavMesh,
        config: &JumpConfig,
        room: &impl Room,
        [stale, near]: [&BTreeSet<Tile>; 2],
        polygons: impl Fn(TileKey) -> P,
    ) {
        self.touched.clear();
        let mut finder = Finder::new(mesh, config, room);
        for &tile in near {
            for &at in self.of_tile.get(&tile).into_iter().flatten() {
                if let Some(jump) = &mut self.jumps[at as usize] {
                    jump.saves = None;
                    self.open.insert(jump.key);
                }
            }
        }
        for &tile in stale {
            checkpoint();
            let mut found = Vec::new();
            polygons(key(tile)).for_each(|polygon| finder.search_from(polygon, &mut found));
            self.replace(tile, &found, mesh, config);
            // A jump to a removed tile was removed too, and may be found again.
            self.turned.insert(tile);
        }
    }

    /// Decides what is to be decided. The links of the mesh must be those up ledges, all open, as
    /// far as a path from the `known` tiles may lead that is so long as a detour. Where it comes to
    /// a tile that is not known it stops, and returns this; it is to be called again.
    pub(in crate::world) fn decide(
        &mut self,
        mesh: &NavMesh,
        config: &JumpConfig,
        room: &impl Room,
        known: &BTreeSet<Tile>,
    ) -> Option<Tile> {
        let mut finder = Finder::new(mesh, config, room);
        while let Some(&key) = self.open.first() {
            checkpoint();
            let tile = start_of(&key);
            if !known.contains(&tile) {
                return Some(tile);
            }
            self.open.remove(&key);
            self.decide_one(key, config, &mut finder);
        }
        None
    }

    /// The links of the tiles that have others now.
    pub(in crate::world) fn found(&mut self) -> Vec<(Source, Vec<(LinkOrder, Link)>)> {
        let tiles = std::mem::take(&mut self.turned);
        tiles.into_iter().map(|tile| (Source::Jumps(key(tile)), self.links(tile))).collect()
    }

    fn links(&self, tile: Tile) -> Vec<(LinkOrder, Link)> {
        let own = self.of_tile.get(&tile).into_iter().flatten();
        let kept = own.filter_map(|&at| self.jumps[at as usize].filter(|jump| jump.is_kept));
        kept.map(|jump| (JUMPS, link(&jump.candidate))).collect()
    }

    /// Puts jumps in place of those from a tile.
    fn replace(&mut self, tile: Tile, found: &[Candidate], mesh: &NavMesh, config: &JumpConfig) {
        let mut left = self.of_tile.remove(&tile).unwrap_or_default();
        let mut after = Vec::with_capacity(found.len());
        for candidate in found {
            let place = |end: &LinkEnd| {
                let place = mesh.tile_polygon(end.polygon)?;
                Some((place, end.ends[0].point))
            };
            let Some((from, to)) = place(&candidate.from).zip(place(&candidate.to)) else { continue };
            let bits = (candidate.is_aslant, candidate.length.to_bits());
            let same = |at: &u32| {
                self.jumps[*at as usize].is_some_and(|jump| {
                    jump.candidate == *candidate && (jump.key.1, jump.key.2) == (candidate.kind, [from, to])
                })
            };
            if let Some(at) = left.iter().position(same) {
                after.push(left.swap_remove(at));
                continue;
            }
            let at = self.free.pop().unwrap_or_else(|| to_u32(self.jumps.len()));
            if self.jumps.len() <= at as usize {
                self.jumps.push(None);
            }
            let key = (bits, candidate.kind, [from, to], at);
            self.jumps[at as usize] = Some(Jump { candidate: *candidate, key, saves: None, is_kept: false });
            let [from, to] = candidate.ends.map(|end| square(end, config));
            self.from.entry(from).or_default().push(at);
            self.to.entry(to).or_default().push(at);
            self.open.insert(key);
            after.push(at);
        }
        for at in left {
            let Some(jump) = self.jumps[at as usize].take() else { continue };
            self.open.remove(&jump.key);
            let [from, to] = jump.candidate.ends.map(|end| square(end, config));
            for (lists, square) in [(&mut self.from, from), (&mut self.to, to)] {
                if let Some(list) = lists.get_mut(&square) {
                    list.retain(|&other| other != at);
                    if list.is_empty() {
                        lists.remove(&square);
                    }
                }
            }
            if jump.is_kept {
                self.open_after(&jump, config);
                self.turned.insert(tile);
            }
            self.free.push(at);
        }
        if !after.is_empty() {
            self.of_tile.insert(tile, after);
        }
    }

    /// Calls `visit` for the jumps next to one, which may include itself.
    fn beside(&self, jump: &Jump, config: &JumpConfig, mut visit: impl FnMut(&Jump)) {
        let from = square(jump.candidate.ends[0], config);
        for lists in [&self.from, &self.to] {
            for dx in -1..=1 {
                for dz in -1..=1 {
                    let list = lists.get(&[from[0].saturating_add(dx), from[1].saturating_add(dz)]);
                    for &at in list.into_iter().flatten() {
                        if let Some(other) = &self.jumps[at as usize]
                            && is_beside(&jump.candidate, &other.candidate, config.spacing)
                        {
                            visit(other);
                        }
                    }
                }
            }
        }
    }

    /// Marks the later neighbours of a jump for a new decision.
    fn open_after(&mut self, jump: &Jump, config: &JumpConfig) {
        let mut keys = Vec::new();
        self.beside(jump, config, |other| keys.extend((other.key > jump.key).then_some(other.key)));
        self.open.extend(keys);
    }

    /// Decides whether a jump is kept.
    fn decide_one<R: Room>(&mut self, key: Key, config: &JumpConfig, finder: &mut Finder<'_, R>) {
        let Some(mut jump) = self.jumps[key.3 as usize] else { return };
        let mut is_free = true;
        self.beside(&jump, config, |other| is_free &= !(other.is_kept && other.key < key));
        let was_kept = jump.is_kept;
        jump.is_kept = is_free && *jump.saves.get_or_insert_with(|| finder.saves(&jump.candidate));
        self.jumps[key.3 as usize] = Some(jump);
        if jump.is_kept != was_kept {
            self.turned.insert(start_of(&key));
            self.open_after(&jump, config);
        }
    }
}

/// The tile that a jump leads from.
fn start_of(key: &Key) -> Tile {
    tile_of(key.2[0].0.tile)
}

/// A square as wide as jumps must be apart.
fn square(at: Vec3, config: &JumpConfig) -> [i32; 2] {
    [at.x, at.z].map(|at| saturating_i32((at / config.spacing).floor()))
}

/// Obstacles for flights, tile by tile.
pub(in crate::world) struct TileRoom<'a, S> {
    layout: &'a TileLayout,
    /// Returns the source triangles of an existing tile.
    tiles: S,
    /// Obstacles in each tile.
    standing: BTreeMap<Tile, Obstacles>,
}

impl<'a, S: Fn(Tile) -> Option<&'a Obstacles>> TileRoom<'a, S> {
    pub(in crate::world) fn new(
        layout: &'a TileLayout,
        tiles: S,
        standing: impl Iterator<Item = (Tile, TriangleSoup)>,
    ) -> Result<Self, BakeError> {
        let standing = standing.map(|(tile, soup)| Ok((tile, Obstacles::new(&soup)?)));
        Ok(Self { layout, tiles, standing: standing.collect::<Result<_, StageError>>()? })
    }
}

impl<'a, S: Fn(Tile) -> Option<&'a Obstacles>> Room for TileRoom<'a, S> {
    fn is_free(&self, cylinder: &Cylinder) -> bool {
        let Vec2 { x, y: z } = cylinder.middle;
        let corner = |by: f32| Vec3::new(x + by, 0.0, z + by);
        let bounds = Bounds { min: corner(-cylinder.radius), max: corner(cylinder.radius) };
        let columns = columns_of(self.layout.frame(), &bounds);
        self.layout.tiles_over(&columns).all(|tile| {
            (self.tiles)(tile).is_none_or(|tile| tile.is_free(cylinder))
                && self.standing.get(&tile).is_none_or(|standing| standing.is_free(cylinder))
        })
    }
}

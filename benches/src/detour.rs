//! Detour, on Recast's mesh.

use anyhow::{Context as _, Result};
use glam::Vec3;
use recastnavigation_rs::detour::{
    DtAABB, DtBuf, DtNavMesh, DtNavMeshCreateParams, DtNavMeshParams, DtNavMeshQuery, DtPolyRef,
    DtQueryFilter, DtTileRef, dt_create_nav_mesh_data,
};

use crate::queries::{Answer, Queries, Query, REACH, step, timed};
use crate::recast::{RecastBake, bake_recast, bake_recast_tiles};
use crate::{Scene, Settings};

/// Polygons on a path and corners on a string: RecastDemo's limit.
const MAX_PATH: usize = 256;

/// Nodes of the search: RecastDemo's limit.
const MAX_NODES: usize = 2048;

/// Detour through the crate `recastnavigation-rs`.
#[derive(Debug)]
pub struct Detour {
    // Declared before the mesh it points into, so that it is dropped first.
    query: DtNavMeshQuery,
    mesh: DtNavMesh,
    filter: DtQueryFilter,
    path: [DtPolyRef; MAX_PATH],
    corners: [[f32; 3]; MAX_PATH],
    bytes: usize,
}

impl Detour {
    /// Bakes `scene` with Recast, in one tile or in tiles of `tile_cells` cells a side, and hands the
    /// mesh to Detour.
    ///
    /// # Errors
    /// When either gives up.
    pub fn bake(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<Self> {
        Self::load(&Self::file(scene, settings, tile_cells, &[])?)
    }

    /// Hands a mesh of Recast's to Detour.
    pub(crate) fn of(bake: RecastBake, settings: &Settings) -> Result<Self> {
        let [low, high] = [bake.result.0.bmin, bake.result.0.bmax];
        let tile = data_of(bake, settings, [0, 0], &[])?;
        Self::load(&set_of(&[tile], low, [high[0] - low[0], high[2] - low[2]]))
    }

    /// Loads a set of tiles (`MSET`, version 1, references of 32 bits) as RecastDemo does.
    ///
    /// # Errors
    /// When the bytes are no such set, or Detour refuses a tile.
    pub fn load(set: &[u8]) -> Result<Self> {
        let mut mesh = None;
        let mut bytes = 0;
        for (tile, reference, params) in tiles_of(set) {
            let mesh = match &mut mesh {
                Some(mesh) => mesh,
                none => none.insert(DtNavMesh::with_params(&params)?),
            };
            bytes += tile.len();
            mesh.add_tile(buffer_of(tile)?, reference)?;
        }
        let mesh = mesh.context("no set of tiles of Detour")?;
        let query = DtNavMeshQuery::with_mesh(&mesh, MAX_NODES)?;
        let (path, corners) = ([DtPolyRef::default(); MAX_PATH], [[0.0; 3]; MAX_PATH]);
        Ok(Self { query, mesh, filter: DtQueryFilter::default(), path, corners, bytes })
    }

    /// Bakes `scene` with Recast, in one tile or in tiles of `tile_cells` cells a side, and returns
    /// the bytes of the set as RecastDemo saves it.
    ///
    /// # Errors
    /// When Recast or Detour gives up.
    pub fn file(
        scene: &Scene,
        settings: &Settings,
        tile_cells: Option<u16>,
        connections: &[OffMesh],
    ) -> Result<Vec<u8>> {
        let mut tiles = Vec::new();
        let origin = scene.soup.bounds().min.to_array();
        let Some(cells) = tile_cells else {
            let bake = bake_recast(scene, settings)?;
            let side = Vec3::from(bake.result.0.bmax) - Vec3::from(bake.result.0.bmin);
            tiles.push(data_of(bake, settings, [0, 0], connections)?);
            return Ok(set_of(&tiles, origin, [side.x, side.z]));
        };
        bake_recast_tiles(scene, settings, cells, &mut |place, tile| {
            tiles.push(data_of(tile, settings, place, connections)?);
            Ok(())
        })?;
        Ok(set_of(&tiles, origin, [f32::from(cells) * settings.scale.cell_size; 2]))
    }

    /// Returns the mesh alone.
    pub(crate) fn into_mesh(self) -> DtNavMesh {
        let Self { query, mesh, .. } = self;
        // It points into the mesh.
        drop(query);
        mesh
    }

    /// Bytes of the mesh, in memory and in a file.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The polygon and place nearest to a point.
    pub(crate) fn locate(&self, point: Vec3) -> Option<(DtPolyRef, [f32; 3])> {
        let (point, reach) = (point.to_array(), REACH.to_array());
        let (polygon, point) = self.query.find_nearest_poly_1(&point, &reach, &self.filter).ok()?;
        (!polygon.is_null()).then_some((polygon, point))
    }

    /// The place on the mesh nearest to a point.
    #[must_use]
    pub fn place(&self, point: Vec3) -> Option<Vec3> {
        self.locate(point).map(|(_, place)| place.into())
    }

    /// The corners of a complete path.
    pub fn way(&mut self, from: Vec3, to: Vec3) -> Option<Vec<Vec3>> {
        let (count, is_complete) = self.search(from, to)?;
        is_complete.then(|| self.corners[..count].iter().map(|&corner| corner.into()).collect())
    }

    /// Fills `corners` with the corners of a path that may be partial. Returns their number, and
    /// `true` if the path is complete.
    fn search(&mut self, from: Vec3, to: Vec3) -> Option<(usize, bool)> {
        let (first, from) = self.locate(from)?;
        let (last, mut to) = self.locate(to)?;
        let count = self.query.find_path(first, last, &from, &to, &self.filter, &mut self.path).ok()?;
        let path = &self.path[..count];
        let reached = *path.last()?;
        if reached != last {
            (to, _) = self.query.closest_point_on_poly(reached, &to).ok()?;
        }
        let count = self.query.find_straight_path(&from, &to, path, &mut self.corners, None, None, 0).ok()?;
        Some((count, reached == last))
    }
}

impl Queries for Detour {
    fn name(&self) -> &'static str {
        "Detour"
    }

    fn answers(&mut self, query: Query, pairs: &[[Vec3; 2]]) -> Vec<Answer> {
        if query == Query::Path {
            return timed(pairs, Some, |[from, to]| {
                let (count, is_complete) = self.search(from, to)?;
                let length = |pair: &[[f32; 3]]| Vec3::from(pair[0]).distance(pair[1].into());
                is_complete.then(|| self.corners[..count].windows(2).map(length).sum())
            });
        }
        let mut path = self.path;
        let stand = |pair: [Vec3; 2]| Some((self.locate(pair[0])?, pair));
        match query {
            Query::Nearest => timed(pairs.as_flattened(), Some, |at| self.locate(at).map(|_| 0.0)),
            Query::Raycast => timed(pairs, stand, |((polygon, from), [_, to])| {
                let path = Some(&mut path[..]);
                let ray = self.query.raycast_1(polygon, &from, &to.to_array(), &self.filter, path);
                // Detour returns infinity where nothing is hit.
                Some(ray.map_or(0.0, |(free, _, _)| free.min(1.0)))
            }),
            Query::Move | Query::MoveOnGround => timed(pairs, stand, |((polygon, from), pair)| {
                let to = step(pair).to_array();
                let (mut end, count) =
                    self.query.move_along_surface(polygon, &from, &to, &self.filter, &mut path).ok()?;
                if query == Query::MoveOnGround {
                    end[1] = self.query.get_poly_height(*path[..count].last()?, &end).ok()?;
                }
                Some(Vec3::from(end).distance(pair[1]))
            }),
            Query::Path | Query::Shortest => Vec::new(),
        }
    }
}

/// A connection off the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffMesh {
    /// Start and end in metres.
    pub ends: [[f32; 3]; 2],
    /// Largest distance of the ends from the mesh.
    pub radius: f32,
    /// `true` if it can be taken both ways.
    pub both_ways: bool,
    /// For the user.
    pub user: u32,
}

/// The bytes of a set of tiles.
fn set_of(tiles: &[DtBuf], origin: [f32; 3], side: [f32; 2]) -> Vec<u8> {
    /// Bits of a reference below the salt.
    const BITS: u32 = 20;
    let tile_bits = tiles.len().next_power_of_two().ilog2();
    let mut set = [*b"TESM", 1_i32.to_le_bytes()].concat();
    set.extend(waymesh_core::to_u32(tiles.len()).to_le_bytes());
    set.extend(origin.iter().chain(&side).flat_map(|number| number.to_le_bytes()));
    set.extend([1_i32 << tile_bits, 1 << (BITS - tile_bits)].map(i32::to_le_bytes).concat());
    for (index, tile) in (0_u32..).zip(tiles) {
        let reference = 1 << BITS | index << (BITS - tile_bits);
        set.extend([reference, waymesh_core::to_u32(tile.len())].map(u32::to_le_bytes).concat());
        set.extend(tile.as_ref());
    }
    set
}

/// The tiles of a set, their references, and how the set is laid out. Ends at the first tile that
/// is cut off.
fn tiles_of(set: &[u8]) -> impl Iterator<Item = (&[u8], DtTileRef, DtNavMeshParams)> {
    let word = |at: usize| set.get(at..)?.first_chunk().copied();
    let number = move |at: usize| word(at).map_or(0, i32::from_le_bytes);
    let metres = move |at: usize| word(at).map_or(0.0, f32::from_le_bytes);
    let is_set = set.starts_with(b"TESM") && number(4) == 1;
    let mut at = 40;
    let count = if is_set { usize::try_from(number(8)).unwrap_or(0) } else { 0 };
    (0..count).map_while(move |_| {
        let size = usize::try_from(number(at + 4)).ok()?;
        let tile = set.get(at + 8..at + 8 + size)?;
        let reference = DtTileRef(number(at).cast_unsigned());
        at += 8 + size;
        let params = DtNavMeshParams {
            orig: [12, 16, 20].map(metres),
            tile_width: metres(24),
            tile_height: metres(28),
            max_tiles: number(32),
            max_polys: number(36),
        };
        Some((tile, reference, params))
    })
}

/// A buffer of Detour's with these bytes. The crate makes such buffers of meshes only: this is one
/// that is longer, and Detour reads what the header of the tile states.
fn buffer_of(tile: &[u8]) -> Result<DtBuf> {
    // A polygon takes 32 bytes, and more for its links and ground.
    let polygons = tile.len() / 32 + 1;
    let triangles = [0_u16, 1, 2, 0x800f, 0x800f, 0x800f].repeat(polygons);
    let mut params = DtNavMeshCreateParams {
        verts: Some(&[[0, 0, 0], [0, 0, 1], [1, 0, 0]]),
        polys: Some(&triangles),
        poly_flags: Some(&vec![0; polygons]),
        poly_areas: Some(&vec![0; polygons]),
        nvp: 3,
        // The crate requires them.
        detail_meshes: Some(&vec![[0, 3, 0, 1]; polygons]),
        detail_verts: Some(&[[0.0; 3]; 3]),
        detail_tris: Some(&[[0, 1, 2, 0]]),
        cs: 1.0,
        ch: 1.0,
        ..DtNavMeshCreateParams::default()
    };
    let buffer = dt_create_nav_mesh_data(&mut params)?;
    buffer.as_mut()[..tile.len()].copy_from_slice(tile);
    Ok(buffer)
}

/// Detour's form of a mesh of Recast's, the tile at `place`.
fn data_of(bake: RecastBake, settings: &Settings, place: [i32; 2], connections: &[OffMesh]) -> Result<DtBuf> {
    let (mut polygons, detail) = bake.result;
    // Polygons without a flag are not walkable.
    polygons.flags_mut().fill(1);
    let ends: Vec<DtAABB> = connections.iter().map(|&OffMesh { ends: [a, b], .. }| DtAABB { a, b }).collect();
    let radii: Vec<f32> = connections.iter().map(|connection| connection.radius).collect();
    let both_ways: Vec<u8> = connections.iter().map(|connection| connection.both_ways.into()).collect();
    let users: Vec<u32> = connections.iter().map(|connection| connection.user).collect();
    let (flags, areas) = (vec![1; connections.len()], vec![0; connections.len()]);
    let mut params = DtNavMeshCreateParams {
        off_mesh_con_verts: Some(&ends),
        off_mesh_con_rad: Some(&radii),
        off_mesh_con_dir: Some(&both_ways),
        off_mesh_con_user_id: Some(&users),
        off_mesh_con_flags: Some(&flags),
        off_mesh_con_areas: Some(&areas),
        verts: Some(polygons.verts()),
        polys: Some(polygons.polys()),
        poly_flags: Some(polygons.flags()),
        poly_areas: Some(polygons.areas()),
        nvp: polygons.nvp(),
        detail_meshes: Some(detail.meshes()),
        detail_verts: Some(detail.verts()),
        detail_tris: Some(detail.tris()),
        tile_x: place[0],
        tile_y: place[1],
        bmin: polygons.bmin,
        bmax: polygons.bmax,
        walkable_height: settings.agent.height,
        walkable_radius: settings.agent.radius,
        walkable_climb: settings.agent.max_step,
        cs: settings.scale.cell_size,
        ch: settings.scale.level_height,
        build_bv_tree: true,
        ..DtNavMeshCreateParams::default()
    };
    Ok(dt_create_nav_mesh_data(&mut params)?)
}

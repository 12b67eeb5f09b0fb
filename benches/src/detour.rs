//! Detour, on Recast's mesh.

use glam::Vec3;
use recastnavigation_rs::XError;
use recastnavigation_rs::detour::{
    DtBuf, DtNavMesh, DtNavMeshCreateParams, DtNavMeshParams, DtNavMeshQuery, DtPolyRef, DtQueryFilter,
    DtTileRef, dt_create_nav_mesh_data,
};

use crate::queries::{Queries, REACH};
use crate::{BenchError, RecastBake, Scene, Settings, bake_recast, bake_recast_tiles};

const NAME: &str = "Detour";

/// Polygons on a path and corners on a string: RecastDemo's limit.
const MAX_PATH: usize = 256;

/// Nodes of the search: RecastDemo's limit.
const MAX_NODES: usize = 2048;

/// Detour through the crate `recastnavigation-rs`.
#[derive(Debug)]
pub struct Detour {
    // Declared before the mesh it points into, so that it is dropped first.
    query: DtNavMeshQuery,
    _mesh: DtNavMesh,
    filter: DtQueryFilter,
    path: [DtPolyRef; MAX_PATH],
    corners: [[f32; 3]; MAX_PATH],
    bytes: usize,
    place: (DtPolyRef, [f32; 3]),
}

impl Detour {
    /// Bakes `scene` with Recast and hands the mesh to Detour.
    ///
    /// # Errors
    /// When either gives up.
    pub fn bake(scene: &Scene, settings: &Settings) -> Result<Self, BenchError> {
        Self::new(bake_recast(scene, settings)?, settings)
    }

    /// Bakes `scene` with Recast in tiles of `tile_cells` cells a side and lets Detour join them.
    ///
    /// # Errors
    /// When either gives up.
    pub fn bake_tiled(scene: &Scene, settings: &Settings, tile_cells: u16) -> Result<Self, BenchError> {
        /// Bits of a polygon's reference that Detour has for tile and polygon, and most of them for
        /// the tile.
        const BITS: [u32; 2] = [22, 14];
        let mut tiles = Vec::new();
        bake_recast_tiles(scene, settings, tile_cells, &mut |place, tile| {
            tiles.push(data_of(tile, settings, place)?);
            Ok(())
        })?;
        let side = f32::from(tile_cells) * settings.scale.cell_size;
        let tile_bits = (tiles.len().next_power_of_two().ilog2()).min(BITS[1]);
        let mut mesh = DtNavMesh::with_params(&DtNavMeshParams {
            orig: scene.soup.bounds().min.to_array(),
            tile_width: side,
            tile_height: side,
            max_tiles: 1 << tile_bits,
            max_polys: 1 << (BITS[0] - tile_bits),
        })
        .map_err(failed)?;
        let mut bytes = 0;
        for tile in tiles {
            bytes += tile.len();
            mesh.add_tile(tile, DtTileRef::default()).map_err(failed)?;
        }
        Self::of(mesh, bytes)
    }

    /// Hands a mesh of Recast's to Detour.
    ///
    /// # Errors
    /// When Detour gives up.
    pub fn new(bake: RecastBake, settings: &Settings) -> Result<Self, BenchError> {
        let data = data_of(bake, settings, [0, 0])?;
        let bytes = data.len();
        Self::of(DtNavMesh::with_data(data).map_err(failed)?, bytes)
    }

    fn of(mesh: DtNavMesh, bytes: usize) -> Result<Self, BenchError> {
        let query = DtNavMeshQuery::with_mesh(&mesh, MAX_NODES).map_err(failed)?;
        Ok(Self {
            query,
            _mesh: mesh,
            filter: DtQueryFilter::default(),
            path: [DtPolyRef::default(); MAX_PATH],
            corners: [[0.0; 3]; MAX_PATH],
            bytes,
            place: (DtPolyRef::default(), [0.0; 3]),
        })
    }

    /// Bytes of the mesh, in memory and in a file.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
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

fn failed(error: XError) -> BenchError {
    BenchError::stage(NAME, "mesh", error)
}

/// Detour's form of a mesh of Recast's, the tile at `place`.
fn data_of(mut bake: RecastBake, settings: &Settings, place: [i32; 2]) -> Result<DtBuf, BenchError> {
    // Polygons without a flag are not walkable.
    bake.polygons.flags_mut().fill(1);
    let mut params = DtNavMeshCreateParams {
        verts: Some(bake.polygons.verts()),
        polys: Some(bake.polygons.polys()),
        poly_flags: Some(bake.polygons.flags()),
        poly_areas: Some(bake.polygons.areas()),
        nvp: bake.polygons.nvp(),
        detail_meshes: Some(bake.detail.meshes()),
        detail_verts: Some(bake.detail.verts()),
        detail_tris: Some(bake.detail.tris()),
        tile_x: place[0],
        tile_y: place[1],
        bmin: bake.polygons.bmin,
        bmax: bake.polygons.bmax,
        walkable_height: settings.agent.height,
        walkable_radius: settings.agent.radius,
        walkable_climb: settings.agent.max_step,
        cs: settings.scale.cell_size,
        ch: settings.scale.level_height,
        build_bv_tree: true,
        ..DtNavMeshCreateParams::default()
    };
    dt_create_nav_mesh_data(&mut params).map_err(failed)
}

impl Queries for Detour {
    fn name(&self) -> &'static str {
        NAME
    }

    fn nearest(&mut self, point: Vec3) -> bool {
        self.locate(point).is_some()
    }

    fn path(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        let (count, is_complete) = self.search(from, to)?;
        let length = |pair: &[[f32; 3]]| Vec3::from(pair[0]).distance(pair[1].into());
        is_complete.then(|| self.corners[..count].windows(2).map(length).sum())
    }

    fn stand(&mut self, point: Vec3) -> bool {
        let place = self.locate(point);
        self.place = place.unwrap_or(self.place);
        place.is_some()
    }

    fn raycast(&mut self, to: Vec3) -> f32 {
        let (polygon, from) = self.place;
        let path = Some(&mut self.path[..]);
        let ray = self.query.raycast_1(polygon, &from, &to.to_array(), &self.filter, path);
        // Detour returns infinity where nothing is hit.
        ray.map_or(0.0, |(free, _, _)| free.min(1.0))
    }

    fn move_along(&mut self, to: Vec3) -> f32 {
        let (polygon, from) = self.place;
        let moved =
            self.query.move_along_surface(polygon, &from, &to.to_array(), &self.filter, &mut self.path);
        moved.map_or(0.0, |(end, _)| Vec3::from(end).distance(to))
    }
}

impl Detour {
    fn locate(&self, point: Vec3) -> Option<(DtPolyRef, [f32; 3])> {
        let (polygon, point) =
            self.query.find_nearest_poly_1(&point.to_array(), &REACH.to_array(), &self.filter).ok()?;
        (!polygon.is_null()).then_some((polygon, point))
    }
}

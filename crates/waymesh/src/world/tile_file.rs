//! Byte format of prebaked tiles: the kept input, the result, and hashes of the neighbours.

use std::sync::Arc;

use glam::Vec3;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{
    AreaId, GridFrame, GridWindow, HeightSurface, PackedRegions, PlanVertex, Poly, PolyId, SurfacePoint,
    TriangleSoup,
};
use waymesh_tile::Tile;
use waymesh_voxel::{Climb, PackedField, PackedHeightfield};

use super::build::BuiltTile;
use super::kept::KeptTile;
use super::packed_polygons::PackedPolygons;
use super::polygons::{BorderEdge, TilePolygons};
use super::prebaked::{Digests, Prebaked, digest};

/// Corners of a polygon at least.
const LEAST_CORNERS: u32 = 3;

impl BuiltTile {
    /// Its checksum.
    pub(super) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(&built_to_bytes(self)))
    }
}

/// Writes a prebaked tile. `solid` are the voxels of its columns and of those around.
///
/// # Layout, all little-endian
/// | what | as |
/// |---|---|
/// | checksum of its own voxels | 8 bytes |
/// | tiles around | number; row, column and both checksums of each |
/// | voxels | length, bytes |
/// | triangles, where jumps are looked for | number of points, these; number of triangles, these; number of areas, these |
/// | what was built | length, the bytes of [`built_to_bytes`] |
/// | heights, or nothing | points and triangles, each with their number; triangles of each polygon; largest error |
///
/// Lengths and numbers of elements are variable-length integers, other numbers without a size take
/// 4 bytes.
pub(super) fn to_bytes(
    voxels: u64,
    solid: &PackedHeightfield,
    soup: &TriangleSoup,
    tile: &Prebaked,
) -> Vec<u8> {
    let mut out = Writer::default();
    out.put(voxels);
    out.count(tile.around.len());
    for (Tile { row, column }, digests) in &tile.around {
        out.put([*row, *column]);
        out.put([digests.voxels, digests.built]);
    }
    put_bytes(&mut out, solid.as_bytes());
    out.count(soup.positions().len());
    out.put_all(soup.positions().iter().map(|point| point.to_array()));
    out.count(soup.triangles().len());
    out.put_all(soup.triangles().iter().copied());
    out.count(soup.areas().len());
    out.0.extend(soup.areas().iter().map(|area| area.0));
    put_bytes(&mut out, &built_to_bytes(&tile.built));
    if let Some(patch) = &tile.patch {
        out.count(patch.points.len());
        out.put_all(patch.points.iter().map(|point| [point.x, point.height, point.z]));
        out.count(patch.triangles.len());
        out.put_all(patch.triangles.iter().copied());
        out.put_all(patch.polygon_triangles.windows(2).map(|range| range[1] - range[0]));
        out.put(patch.max_error);
    }
    out.0
}

/// Writes what was built of a tile: its packed polygons, as they are in memory, number of regions,
/// changes of its labels, climbs, field.
fn built_to_bytes(built: &BuiltTile) -> Vec<u8> {
    let mut out = Writer::default();
    put_bytes(&mut out, built.polygons.as_bytes());
    let (changes, regions) = built.labels.changes();
    out.put(regions);
    out.count(changes.len());
    out.put_all(changes.iter().copied());
    out.count(built.climbs.len());
    built.climbs.iter().for_each(|climb| climb.write(&mut out));
    put_bytes(&mut out, built.field.as_bytes());
    out.0
}

/// Reads a prebaked tile: what is kept, and what was built. `None` for bytes that [`to_bytes`]
/// never writes. `columns` are those of the tile itself and of its voxels. Takes memory in
/// proportion to the bytes; voxels stay packed, and are checked when they are read.
pub(super) fn from_bytes(bytes: &[u8], frame: &GridFrame, columns: [GridWindow; 2]) -> Option<KeptTile> {
    let mut from = Reader::new(bytes);
    let voxels = from.get()?;
    let around = from.counted(24, |from| {
        let [row, column] = from.get()?;
        Some((Tile { row, column }, Digests { voxels: from.get()?, built: from.get()? }))
    })?;
    let solid = PackedHeightfield::from_bytes(take_bytes(&mut from)?.to_vec());
    let positions = from.counted(12, |from| Some(Vec3::from_array(from.get()?)))?;
    let triangles = from.counted(12, |from| from.get())?;
    let areas = from.counted(1, |from| from.get().map(AreaId))?;
    let mut soup = TriangleSoup::new(positions, triangles).ok()?;
    if !areas.is_empty() {
        soup = soup.with_areas(areas).ok()?;
    }
    let (built, polygons) = built_from_bytes(take_bytes(&mut from)?, frame, columns[0])?;
    let patch = if from.left() == 0 { None } else { Some(patch(&mut from, polygons)?) };
    let prebaked = Prebaked { built: Arc::new(built), patch: patch.map(Arc::new), around };
    (from.left() == 0).then(|| KeptTile::prebaked(solid, columns[1], voxels, soup, prebaked))
}

/// Also gives the number of its polygons.
fn built_from_bytes(bytes: &[u8], frame: &GridFrame, core: GridWindow) -> Option<(BuiltTile, usize)> {
    let mut from = Reader::new(bytes);
    let packed = PackedPolygons::from_bytes(*frame, take_bytes(&mut from)?.into());
    let polygons = packed.read()?;
    let regions = from.get()?;
    is_sound(&polygons, core, regions).then_some(())?;
    let changes = from.counted(8, |from| from.get())?;
    // The first span of each region is among them.
    (regions as usize <= changes.len()).then_some(())?;
    let labels = PackedRegions::from_changes(changes, regions)?;
    let climbs = from.counted(Climb::BYTES, Climb::read)?;
    let field = PackedField::from_bytes(take_bytes(&mut from)?.to_vec());
    (from.left() == 0).then_some(())?;
    let built = BuiltTile::new(packed, field, labels, climbs, Some(digest(bytes)));
    Some((built, polygons.mesh.polygons.len()))
}

/// Returns `true` if polygons may be those of a tile with these columns and number of regions.
fn is_sound(TilePolygons { mesh, borders }: &TilePolygons, core: GridWindow, regions: u32) -> bool {
    let [x, z] =
        [[core.x, core.end_x()], [core.z, core.end_z()]].map(|[low, high]| i64::from(low)..=i64::from(high));
    let is_vertex = |PlanVertex { point, height }: &PlanVertex| {
        x.contains(&point.x.into()) && z.contains(&point.z.into()) && height.is_finite()
    };
    let is_polygon = |polygon: &Poly| polygon.len >= LEAST_CORNERS && polygon.region.0 < regions;
    let place = |border: &BorderEdge| (border.polygon, border.edge);
    let is_border = |border: &BorderEdge| {
        if border.polygon as usize >= mesh.polygons.len() {
            return false;
        }
        let (corners, edge) = (mesh.corners(PolyId(border.polygon)), border.edge as usize);
        edge < corners.len() && {
            let [a, b] = [edge, (edge + 1) % corners.len()].map(|corner| mesh.point(corners[corner]));
            let [along_x, along_z] = [a.x.abs_diff(b.x), a.z.abs_diff(b.z)];
            let length = along_x.max(along_z) as usize;
            border.steps.is_empty() || along_x.min(along_z) == 0 && border.steps.len() == length
        }
    };
    mesh.vertices.iter().all(is_vertex)
        && mesh.polygons.iter().all(is_polygon)
        && mesh.corners.iter().all(|corner| corner.index() < mesh.vertices.len())
        && mesh.neighbours.iter().flatten().all(|neighbour| neighbour.index() < mesh.polygons.len())
        && borders.iter().all(is_border)
        && borders.is_sorted_by(|before, border| place(before) < place(border))
}

fn patch(from: &mut Reader<'_>, polygons: usize) -> Option<HeightSurface> {
    let points = from.counted(12, |from| {
        let [x, height, z]: [f32; 3] = from.get()?;
        [x, height, z].iter().all(|value| value.is_finite()).then_some(SurfacePoint { x, height, z })
    })?;
    let triangles: Vec<[u32; 3]> = from.counted(12, |from| from.get())?;
    let mut polygon_triangles = vec![0_u32];
    for _ in 0..polygons {
        let end = polygon_triangles.last()?.checked_add(from.get()?)?;
        polygon_triangles.push(end);
    }
    let max_error: f32 = from.get()?;
    let is_sound = triangles.iter().flatten().all(|&point| (point as usize) < points.len())
        && polygon_triangles.last().is_some_and(|&end| end as usize == triangles.len())
        && max_error.is_finite();
    is_sound.then_some(HeightSurface { points, triangles, polygon_triangles, max_error })
}

fn put_bytes(out: &mut Writer, bytes: &[u8]) {
    out.count(bytes.len());
    out.0.extend_from_slice(bytes);
}

fn take_bytes<'a>(from: &mut Reader<'a>) -> Option<&'a [u8]> {
    let count = from.number()?;
    from.take(count)
}

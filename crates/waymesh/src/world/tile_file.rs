//! Byte format of prebaked tiles: the kept input, the result, and hashes of the neighbours.

use std::sync::Arc;

use glam::Vec3;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{
    AreaId, GridFrame, GridWindow, HeightSurface, PackedRegions, PlanPoint, PlanVertex, Poly, PolyId,
    PolyMesh, RegionId, SpanKey, SurfacePoint, TriangleSoup, VertexId, to_u32,
};
use waymesh_tile::Tile;
use waymesh_voxel::{Climb, PackedField, PackedHeightfield};

use super::build::BuiltTile;
use super::kept::KeptTile;
use super::polygons::{BorderEdge, TilePolygons};
use super::prebaked::{Digests, Prebaked, digest};

/// Corners of a polygon at least.
const LEAST_CORNERS: usize = 3;
/// Sentinel for no neighbour.
const NO_NEIGHBOUR: u32 = u32::MAX;

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
/// | heights, or nothing | number of points, these; number of triangles, these; triangles of each polygon; largest error |
///
/// Numbers without a size take 4 bytes.
pub(super) fn to_bytes(
    voxels: u64,
    solid: &PackedHeightfield,
    soup: &TriangleSoup,
    tile: &Prebaked,
) -> Vec<u8> {
    let mut out = Writer::default();
    out.put(voxels);
    put_count(&mut out, tile.around.len());
    for (Tile { row, column }, digests) in &tile.around {
        out.put([*row, *column]);
        out.put([digests.voxels, digests.built]);
    }
    put_bytes(&mut out, solid.as_bytes());
    put_count(&mut out, soup.positions().len());
    out.put_all(soup.positions().iter().map(|point| point.to_array()));
    put_count(&mut out, soup.triangles().len());
    out.put_all(soup.triangles().iter().copied());
    put_count(&mut out, soup.areas().len());
    out.0.extend(soup.areas().iter().map(|area| area.0));
    put_bytes(&mut out, &built_to_bytes(&tile.built));
    if let Some(patch) = &tile.patch {
        put_count(&mut out, patch.points.len());
        out.put_all(patch.points.iter().map(|point| [point.x, point.height, point.z]));
        put_count(&mut out, patch.triangles.len());
        out.put_all(patch.triangles.iter().copied());
        out.put_all(patch.polygon_triangles.windows(2).map(|range| range[1] - range[0]));
        out.put(patch.max_error);
    }
    out.0
}

/// Writes what was built of a tile.
pub(super) fn built_to_bytes(built: &BuiltTile) -> Vec<u8> {
    let mut out = Writer::default();
    let TilePolygons { mesh, borders } = &built.polygons.unpack();
    put_count(&mut out, mesh.vertices.len());
    for PlanVertex { point, height } in &mesh.vertices {
        out.put([point.x, point.z]);
        out.put(*height);
    }
    put_count(&mut out, mesh.polygons.len());
    for (index, polygon) in mesh.polygons.iter().enumerate() {
        let range = mesh.corner_range(PolyId::from_index(index));
        out.put([polygon.region.0, polygon.area.0.into()]);
        put_count(&mut out, range.len());
        out.put_all(mesh.corners[range.clone()].iter().map(|corner| corner.0));
        out.put_all(mesh.neighbours[range].iter().map(|neighbour| neighbour.map_or(NO_NEIGHBOUR, |id| id.0)));
    }
    put_count(&mut out, borders.len());
    for border in borders {
        out.put([border.polygon, border.edge]);
        put_count(&mut out, border.steps.len());
        for SpanKey { z, x, floor } in border.steps.iter().flatten() {
            out.put([*z, *x, floor.cast_unsigned()]);
        }
    }
    let (changes, regions) = built.labels.changes();
    out.put(regions);
    put_count(&mut out, changes.len());
    out.put_all(changes.iter().copied());
    put_count(&mut out, built.climbs.len());
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
    let around = list(&mut from, 24, |from| {
        let [row, column] = from.get()?;
        Some((Tile { row, column }, Digests { voxels: from.get()?, built: from.get()? }))
    })?;
    let solid = PackedHeightfield::from_bytes(take_bytes(&mut from)?.to_vec());
    let positions = list(&mut from, 12, |from| Some(Vec3::from_array(from.get()?)))?;
    let triangles = list(&mut from, 12, |from| from.get())?;
    let areas = list(&mut from, 1, |from| from.get().map(AreaId))?;
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
    let mut mesh = PolyMesh::empty(*frame);
    mesh.vertices = list(&mut from, 12, |from| {
        let [x, z] = from.get()?;
        let point = PlanPoint::new(x, z);
        let is_inside = (i64::from(core.x)..=i64::from(core.end_x())).contains(&point.x.into())
            && (i64::from(core.z)..=i64::from(core.end_z())).contains(&point.z.into());
        let height: f32 = from.get()?;
        (is_inside && height.is_finite()).then_some(PlanVertex { point, height })
    })?;
    mesh.polygons = list(&mut from, 36, |from| {
        let [region, area] = from.get()?;
        let first = mesh.corners.len();
        let len: u32 = from.get()?;
        mesh.corners.extend(from.list(len.into(), 8, |from| from.get().map(VertexId))?);
        let neighbour = |word: u32| (word != NO_NEIGHBOUR).then_some(PolyId(word));
        mesh.neighbours.extend(from.list(len.into(), 4, |from| from.get().map(neighbour))?);
        (len as usize >= LEAST_CORNERS).then_some(())?;
        let (region, area) = (RegionId(region), AreaId(u8::try_from(area).ok()?));
        Some(Poly { first: to_u32(first), len, region, area })
    })?;
    let are_sound = mesh.corners.iter().all(|corner| corner.index() < mesh.vertices.len())
        && mesh.neighbours.iter().flatten().all(|neighbour| neighbour.index() < mesh.polygons.len());
    are_sound.then_some(())?;
    let borders = list(&mut from, 12, |from| {
        let [polygon, edge] = from.get()?;
        let key = |[z, x, floor]: [u32; 3]| SpanKey { z, x, floor: floor.cast_signed() };
        let steps = list(from, 24, |from| Some([key(from.get()?), key(from.get()?)]))?;
        mesh.polygons.get(polygon as usize)?;
        let corners = mesh.corners(PolyId(polygon));
        let next = corners[(edge as usize).checked_add(1)? % corners.len()];
        let [a, b] = [*corners.get(edge as usize)?, next].map(|corner| mesh.point(corner));
        let [along_x, along_z] = [a.x.abs_diff(b.x), a.z.abs_diff(b.z)];
        let is_straight = along_x.min(along_z) == 0 && steps.len() == along_x.max(along_z) as usize;
        (is_straight || steps.is_empty()).then_some(BorderEdge { polygon, edge, steps })
    })?;
    let place = |border: &BorderEdge| (border.polygon, border.edge);
    borders.is_sorted_by(|before, border| place(before) < place(border)).then_some(())?;
    let regions = from.get()?;
    mesh.polygons.iter().all(|polygon| polygon.region.0 < regions).then_some(())?;
    let changes = list(&mut from, 8, |from| from.get())?;
    // The first span of each region is among them.
    (regions as usize <= changes.len()).then_some(())?;
    let labels = PackedRegions::from_changes(changes, regions)?;
    let climbs = list(&mut from, Climb::BYTES, Climb::read)?;
    let field = PackedField::from_bytes(take_bytes(&mut from)?.to_vec());
    (from.left() == 0).then_some(())?;
    let polygons = TilePolygons { mesh, borders };
    let built = BuiltTile::new(&polygons, field, labels, climbs, Some(digest(bytes)));
    Some((built, polygons.mesh.polygons.len()))
}

fn patch(from: &mut Reader<'_>, polygons: usize) -> Option<HeightSurface> {
    let points = list(from, 12, |from| {
        let [x, height, z]: [f32; 3] = from.get()?;
        [x, height, z].iter().all(|value| value.is_finite()).then_some(SurfacePoint { x, height, z })
    })?;
    let triangles: Vec<[u32; 3]> = list(from, 12, |from| from.get())?;
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

fn put_count(out: &mut Writer, count: usize) {
    out.put(to_u32(count));
}

fn put_bytes(out: &mut Writer, bytes: &[u8]) {
    put_count(out, bytes.len());
    out.0.extend_from_slice(bytes);
}

fn take_bytes<'a>(from: &mut Reader<'a>) -> Option<&'a [u8]> {
    let count: u32 = from.get()?;
    from.take(count as usize)
}

fn list<T>(
    from: &mut Reader<'_>,
    least_bytes: usize,
    read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count: u32 = from.get()?;
    from.list(count.into(), least_bytes, read)
}

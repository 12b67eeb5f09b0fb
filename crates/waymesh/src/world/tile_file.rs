//! Byte format of prebaked tiles: the kept input, the result, and hashes of the neighbours.

use std::sync::Arc;

use glam::Vec3;
use waymesh_core::{
    AreaId, GridWindow, HeightSurface, PackedRegions, PlanPoint, PlanVertex, Random, SpanKey, SurfacePoint,
    TriangleSoup, to_u32,
};
use waymesh_tile::Tile;
use waymesh_voxel::{Climb, PackedField, PackedHeightfield};

use super::build::{BuiltTile, KeptTile};
use super::polygons::{BorderEdge, TilePolygon, TilePolygons};

/// Corners of a polygon at least.
const LEAST_CORNERS: usize = 3;
/// Sentinel for no neighbour.
const NO_NEIGHBOUR: u32 = u32::MAX;

/// Checksums of a tile: of its own voxels, and of the result built from these and its neighbours'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) voxels: u64,
    pub(super) built: u64,
}

/// The prebaked result of a tile, valid while its neighbours have the same checksums.
#[derive(Clone, Debug)]
pub(super) struct Prebaked {
    pub(super) built: Arc<BuiltTile>,
    /// Its heights; none where it was written while something stood near.
    pub(super) patch: Option<Arc<HeightSurface>>,
    /// The tiles around.
    pub(super) around: Vec<(Tile, Digests)>,
}

impl Prebaked {
    /// The checksums of a tile around, of then.
    pub(super) fn had(&self, tile: Tile) -> Option<Digests> {
        self.around.iter().find(|(other, _)| *other == tile).map(|&(_, digests)| digests)
    }
}

/// Returns a checksum of bytes.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let sum = words
        .iter()
        .fold(bytes.len() as u64, |sum, &word| Random::mix(sum.wrapping_add(u64::from_le_bytes(word))));
    rest.iter().fold(sum, |sum, &byte| Random::mix(sum.wrapping_add(u64::from(byte))))
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
    out.u64(voxels);
    out.count(tile.around.len());
    for (Tile { row, column }, digests) in &tile.around {
        out.words([*row, *column]);
        [digests.voxels, digests.built].into_iter().for_each(|sum| out.u64(sum));
    }
    out.bytes(solid.as_bytes());
    out.count(soup.positions().len());
    soup.positions().iter().for_each(|point| out.words(point.to_array().map(f32::to_bits)));
    out.count(soup.triangles().len());
    soup.triangles().iter().for_each(|&triangle| out.words(triangle));
    out.count(soup.areas().len());
    out.0.extend(soup.areas().iter().map(|area| area.0));
    out.bytes(&built_to_bytes(&tile.built));
    if let Some(patch) = &tile.patch {
        out.count(patch.points.len());
        patch.points.iter().for_each(|point| out.words([point.x, point.height, point.z].map(f32::to_bits)));
        out.count(patch.triangles.len());
        patch.triangles.iter().for_each(|&triangle| out.words(triangle));
        out.words(patch.polygon_triangles.windows(2).map(|range| range[1] - range[0]));
        out.words([patch.max_error.to_bits()]);
    }
    out.0
}

/// Writes what was built of a tile.
pub(super) fn built_to_bytes(built: &BuiltTile) -> Vec<u8> {
    let mut out = Writer::default();
    let TilePolygons { vertices, polygons, borders } = &built.polygons.unpack();
    out.count(vertices.len());
    for PlanVertex { point, height } in vertices {
        out.words([point.x.cast_unsigned(), point.z.cast_unsigned(), height.to_bits()]);
    }
    out.count(polygons.len());
    for polygon in polygons {
        out.words([polygon.region, polygon.area.0.into()]);
        out.count(polygon.corners.len());
        out.words(polygon.corners.iter().copied());
        out.words(polygon.neighbours.iter().map(|neighbour| neighbour.unwrap_or(NO_NEIGHBOUR)));
    }
    out.count(borders.len());
    for border in borders {
        out.words([border.polygon, border.edge]);
        out.count(border.steps.len());
        for SpanKey { z, x, floor } in border.steps.iter().flatten() {
            out.words([*z, *x, floor.cast_unsigned()]);
        }
    }
    let (changes, regions) = built.labels.changes();
    out.words([regions]);
    out.count(changes.len());
    changes.iter().for_each(|&change| out.words(change));
    out.count(built.climbs.len());
    out.0.extend(built.climbs.iter().flat_map(Climb::to_bytes));
    out.bytes(built.field.as_bytes());
    out.0
}

/// Reads a prebaked tile: what is kept, and what was built. `None` for bytes that [`to_bytes`]
/// never writes. `columns` are those of the tile itself and of its voxels. Takes memory in
/// proportion to the bytes; voxels stay packed, and are checked when they are read.
pub(super) fn from_bytes(bytes: &[u8], columns: [GridWindow; 2]) -> Option<KeptTile> {
    let mut from = Reader(bytes);
    let voxels = from.u64()?;
    let around = from.list(24, |from| {
        let [row, column] = from.words()?;
        Some((Tile { row, column }, Digests { voxels: from.u64()?, built: from.u64()? }))
    })?;
    let solid = PackedHeightfield::from_bytes(from.bytes()?.to_vec());
    let positions = from.list(12, |from| Some(Vec3::from_array(from.words()?.map(f32::from_bits))))?;
    let triangles = from.list(12, Reader::words)?;
    let areas = from.count(1)?;
    let areas: Vec<AreaId> = from.take(areas)?.iter().map(|&area| AreaId(area)).collect();
    let mut soup = TriangleSoup::new(positions, triangles).ok()?;
    if !areas.is_empty() {
        soup = soup.with_areas(areas).ok()?;
    }
    let (built, polygons) = built_from_bytes(from.bytes()?, columns[0])?;
    let patch = if from.0.is_empty() { None } else { Some(patch(&mut from, polygons)?) };
    let prebaked = Prebaked { built: Arc::new(built), patch: patch.map(Arc::new), around };
    from.0.is_empty().then(|| KeptTile::prebaked(solid, columns[1], voxels, soup, prebaked))
}

/// Also gives the number of its polygons.
fn built_from_bytes(bytes: &[u8], core: GridWindow) -> Option<(BuiltTile, usize)> {
    let mut from = Reader(bytes);
    let vertices = from.list(12, |from| {
        let [x, z, height] = from.words()?;
        let point = PlanPoint::new(x.cast_signed(), z.cast_signed());
        let is_inside = (i64::from(core.x)..=i64::from(core.end_x())).contains(&point.x.into())
            && (i64::from(core.z)..=i64::from(core.end_z())).contains(&point.z.into());
        let height = f32::from_bits(height);
        (is_inside && height.is_finite()).then_some(PlanVertex { point, height })
    })?;
    let polygons = from.list(36, |from| {
        let [region, area] = from.words()?;
        let corners = from.list(8, Reader::word)?;
        let neighbours =
            (0..corners.len()).map(|_| from.word().map(|word| (word != NO_NEIGHBOUR).then_some(word)));
        let neighbours = neighbours.collect::<Option<Vec<_>>>()?;
        (corners.len() >= LEAST_CORNERS).then_some(())?;
        Some(TilePolygon { corners, neighbours, region, area: AreaId(u8::try_from(area).ok()?) })
    })?;
    let has = |table: usize, index: u32| (index as usize) < table;
    let are_sound = polygons.iter().all(|polygon| {
        polygon.corners.iter().all(|&corner| has(vertices.len(), corner))
            && polygon.neighbours.iter().flatten().all(|&neighbour| has(polygons.len(), neighbour))
    });
    are_sound.then_some(())?;
    let borders = from.list(12, |from| {
        let [polygon, edge] = from.words()?;
        let key = |[z, x, floor]: [u32; 3]| SpanKey { z, x, floor: floor.cast_signed() };
        let steps = from.list(24, |from| Some([key(from.words()?), key(from.words()?)]))?;
        let corners = &polygons.get(polygon as usize)?.corners;
        let next = corners[(edge as usize).checked_add(1)? % corners.len()];
        let [a, b] = [*corners.get(edge as usize)?, next].map(|corner| vertices[corner as usize].point);
        let [along_x, along_z] = [a.x.abs_diff(b.x), a.z.abs_diff(b.z)];
        let is_straight = along_x.min(along_z) == 0 && steps.len() == along_x.max(along_z) as usize;
        (is_straight || steps.is_empty()).then_some(BorderEdge { polygon, edge, steps })
    })?;
    let place = |border: &BorderEdge| (border.polygon, border.edge);
    borders.is_sorted_by(|before, border| place(before) < place(border)).then_some(())?;
    let regions = from.word()?;
    polygons.iter().all(|polygon| polygon.region < regions).then_some(())?;
    let changes = from.list(8, Reader::words)?;
    // The first span of each region is among them.
    (regions as usize <= changes.len()).then_some(())?;
    let labels = PackedRegions::from_changes(changes, regions)?;
    let climbs =
        from.list(Climb::BYTES, |from| Climb::from_bytes(from.take(Climb::BYTES)?.first_chunk()?))?;
    let field = PackedField::from_bytes(from.bytes()?.to_vec());
    from.0.is_empty().then_some(())?;
    let polygons = TilePolygons { vertices, polygons, borders };
    let built = BuiltTile::new(&polygons, field, labels, climbs, Some(digest(bytes)));
    Some((built, polygons.polygons.len()))
}

fn patch(from: &mut Reader<'_>, polygons: usize) -> Option<HeightSurface> {
    let points = from.list(12, |from| {
        let [x, height, z] = from.words()?.map(f32::from_bits);
        [x, height, z].iter().all(|value| value.is_finite()).then_some(SurfacePoint { x, height, z })
    })?;
    let triangles: Vec<[u32; 3]> = from.list(12, Reader::words)?;
    let mut polygon_triangles = vec![0_u32];
    for _ in 0..polygons {
        let end = polygon_triangles.last()?.checked_add(from.word()?)?;
        polygon_triangles.push(end);
    }
    let max_error = f32::from_bits(from.word()?);
    let is_sound = triangles.iter().flatten().all(|&point| (point as usize) < points.len())
        && polygon_triangles.last().is_some_and(|&end| end as usize == triangles.len())
        && max_error.is_finite();
    is_sound.then_some(HeightSurface { points, triangles, polygon_triangles, max_error })
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        self.0.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }

    fn count(&mut self, count: usize) {
        self.words([to_u32(count)]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }
}

/// The bytes left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn words<const COUNT: usize>(&mut self) -> Option<[u32; COUNT]> {
        let (words, _) = self.take(4 * COUNT)?.as_chunks();
        Some(std::array::from_fn(|word| u32::from_le_bytes(words[word])))
    }

    fn word(&mut self) -> Option<u32> {
        self.words().map(|[word]| word)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Reads a number of elements of at least `least_bytes` bytes each; `None` if the bytes are too
    /// few.
    fn count(&mut self, least_bytes: usize) -> Option<usize> {
        let count = self.word()? as usize;
        (count.checked_mul(least_bytes)? <= self.0.len()).then_some(count)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.word()?;
        self.take(count as usize)
    }

    fn list<T>(
        &mut self,
        least_bytes: usize,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.count(least_bytes)?;
        (0..count).map(|_| read(self)).collect()
    }
}

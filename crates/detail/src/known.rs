//! Fits of single polygons: the inputs that they depend on, and their bytes.

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{GridWindow, PolyId, PolyMesh, Random, SurfacePoint, to_u32};

use crate::{
    DetailConfig, DetailError,
    edges::regions_around,
    groups::Bounds,
    lattice::Lattice,
    polygon::{Fitted, Patch, Piece},
};

/// Returns for each polygon a hash of what its fit depends on besides the ground, and the columns
/// of the ground. `name` returns a hash of a region, or of [`waymesh_core::NO_REGION`].
///
/// # Guarantees
/// Two polygons with the same hash have the same fit if their ground is the same and regions of
/// different names are different ones.
///
/// # Errors
/// [`DetailError::TooWide`] for coordinates that are too large.
pub fn fit_inputs(
    mesh: &PolyMesh,
    config: &DetailConfig,
    name: impl Fn(u32) -> u64,
) -> Result<Vec<(u64, GridWindow)>, DetailError> {
    let lattice = Lattice::fit(mesh, config.points_per_column)?;
    let (around, frame) = (regions_around(mesh), lattice.columns(&mesh.frame));
    let mix = Random::mix_into;
    let floats = [config.max_error_levels, config.max_step, frame.cell_size, frame.level_height];
    let common = floats.into_iter().map(f32::to_bits).chain([frame.width, frame.depth]);
    let common = common.chain([lattice.bits, lattice.point_bits]).map(u64::from).fold(0, mix);
    let of_polygon = |id: PolyId| {
        let region = |id: PolyId| name(mesh.polygons[id.index()].region.0);
        let mut hash = mix(common, region(id));
        for (&vertex, &beyond) in mesh.corners(id).iter().zip(mesh.neighbours(id)) {
            let point = mesh.point(vertex);
            let numbers = [point.x, point.z].map(i32::cast_unsigned);
            let height = mesh.vertices[vertex.index()].height.to_bits();
            hash = numbers.into_iter().chain([height]).map(u64::from).fold(hash, mix);
            hash = around[vertex.index()].into_iter().map(&name).fold(hash, mix);
            // The lower of two polygons gives an edge its direction.
            let side = beyond.map_or(0, |other| 1 + u64::from(other < id));
            hash = mix(mix(hash, side), beyond.map_or(0, region));
        }
        (hash, Bounds::of(mesh, mesh.corners(id), lattice).window(&frame))
    };
    Ok((0..mesh.polygons.len()).map(PolyId::from_index).map(of_polygon).collect())
}

/// Returns the fit of a polygon as bytes.
pub(crate) fn write_fit(Piece { fitted, edges, points, triangles }: Piece<'_>) -> Vec<u8> {
    let mut out = Writer::default();
    edges.iter().for_each(|&len| out.number(len));
    out.number(fitted.inside);
    out.number(fitted.triangles);
    out.put([fitted.error, fitted.edge_error]);
    out.put_all(points.iter().map(|point| [point.x, point.height, point.z]));
    triangles.iter().flatten().for_each(|&corner| out.number(corner));
    out.0
}

/// Adds a polygon of `corners` corners to a patch. Returns `false` and adds nothing for bytes that
/// [`write_fit`] never writes.
pub(crate) fn read_fit(bytes: &[u8], corners: usize, patch: &mut Patch) -> bool {
    let mut from = Reader::new(bytes);
    let mut read = || {
        let edges: Vec<u32> = (0..corners).map(|_| from.number()).collect::<Option<_>>()?;
        let (inside, triangles): (u32, u32) = (from.number()?, from.number()?);
        let [error, edge_error]: [f32; 2] = from.get()?;
        let lens = edges.iter().try_fold(to_u32(corners), |sum, &len| sum.checked_add(len));
        let outline = lens?;
        let count = outline.checked_add(inside)?;
        let points: Vec<SurfacePoint> = from.list(count.into(), 12, |from| {
            let [x, height, z] = from.get()?;
            Some(SurfacePoint { x, height, z })
        })?;
        let own: Vec<[u32; 3]> = from.list(triangles.into(), 3, |from| {
            let mut corners = [0; 3];
            for corner in &mut corners {
                *corner = from.number_to(count.checked_sub(1)?)?;
            }
            Some(corners)
        })?;
        from.end()?;
        let fitted = Fitted { edges: to_u32(corners), outline, inside, triangles, error, edge_error };
        Some((edges, points, own, fitted))
    };
    let Some((edges, points, triangles, fitted)) = read() else { return false };
    patch.edges.extend(edges);
    patch.points.extend(points);
    patch.triangles.extend(triangles);
    patch.polygons.push(fitted);
    true
}

//! Times the opening of a mesh: from a `.wmesh`, whose derived tables have to be built, and from a
//! packed file, whose tables are used where they lie.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ThreadTime;
use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, GridFrame, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId,
    SurfacePoint, VertexId,
};
use waymesh_graph::{NavMesh, PackedChecks, Reach};

use crate::{BenchError, Time};

/// A hilly square of `side` times `side` polygons with a height surface.
fn hills(side: u32) -> Result<NavMesh, BenchError> {
    const STEP: i32 = 4;
    let height = |x: u32, z: u32| f32::from(u8::try_from((x * 7 + z * 13) % 17).unwrap_or(0)) * 0.3;
    let at = |x: u32, z: u32| z * (side + 1) + x;
    let place = |value: u32| i32::try_from(value).unwrap_or(i32::MAX / STEP) * STEP;
    let polygons = STEP.unsigned_abs() * side;
    let frame =
        GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width: polygons, depth: polygons };
    let mut mesh =
        PolyMesh { frame, vertices: vec![], polygons: vec![], corners: vec![], neighbours: vec![] };
    let mut surface =
        HeightSurface { points: vec![], triangles: vec![], polygon_triangles: vec![0], max_error: 0.0 };
    for (z, x) in (0..=side).flat_map(|z| (0..=side).map(move |x| (z, x))) {
        let point = PlanPoint::new(place(x), place(z));
        mesh.vertices.push(PlanVertex { point, height: height(x, z) });
        surface.points.push(SurfacePoint { x: point.x as f32, height: height(x, z), z: point.z as f32 });
    }
    for (z, x) in (0..side).flat_map(|z| (0..side).map(move |x| (z, x))) {
        let first = VertexId::from_index(mesh.corners.len()).0;
        let corners = [at(x, z), at(x + 1, z), at(x + 1, z + 1), at(x, z + 1)];
        mesh.corners.extend(corners.map(VertexId));
        let beyond = |is_there: bool, x: u32, z: u32| is_there.then(|| PolyId(z * side + x));
        mesh.neighbours.extend([
            beyond(z > 0, x, z.wrapping_sub(1)),
            beyond(x + 1 < side, x + 1, z),
            beyond(z + 1 < side, x, z + 1),
            beyond(x > 0, x.wrapping_sub(1), z),
        ]);
        mesh.polygons.push(Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND });
        let [a, b, c, d] = corners;
        surface.triangles.extend([[a, b, c], [a, c, d]]);
        surface.polygon_triangles.push(VertexId::from_index(surface.triangles.len()).0);
    }
    NavMesh::new(mesh, Some(surface), Agent::default()).map_err(failed)
}

fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BenchError {
    BenchError::stage("waymesh", "open", source)
}

/// Milliseconds of the fastest of five runs, on the thread's clock and on the wall, each by itself.
fn fastest(run: impl Fn()) -> Time {
    let times = (0..5).map(|_| {
        let (cpu, wall) = (ThreadTime::now(), Instant::now());
        run();
        Time { cpu: cpu.elapsed().as_secs_f64() * 1e3, wall: wall.elapsed().as_secs_f64() * 1e3 }
    });
    let first = Time { cpu: f64::INFINITY, wall: f64::INFINITY };
    times.fold(first, |best, time| Time { cpu: best.cpu.min(time.cpu), wall: best.wall.min(time.wall) })
}

/// Opens meshes of growing size, up to `largest` polygons, and prints a table as Markdown.
///
/// # Errors
/// When a mesh cannot be made or opened.
pub fn open(largest: u32, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "| polygons | .wmesh, MB | ms | on all threads | packed, MB | ms, all checked | on all threads | ms, checksum | ms, lengths | mapped, ms, lengths and a nearest point | copying the bytes, ms |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let everywhere = rayon::ThreadPoolBuilder::new().build().map_err(failed)?;
    let mut side = 32;
    while side * side <= largest.max(1024) {
        let mesh = hills(side)?;
        let plain = mesh.to_wmesh();
        let packed = Arc::new(mesh.to_packed(true));
        let open = |checks| NavMesh::from_packed_shared(Shared(Arc::clone(&packed)), checks);
        if open(PackedChecks::All).map_err(failed)? != mesh {
            return Err(failed("the packed mesh is another one"));
        }
        let file = tempfile::NamedTempFile::new().map_err(failed)?;
        std::fs::write(file.path(), &*packed).map_err(failed)?;
        let place = mesh.vertices()[mesh.vertices().len() / 3];
        drop(mesh);
        let read = || fastest(|| drop(black_box(NavMesh::from_wmesh(&plain))));
        let (wmesh, wmesh_spread) = (read().cpu, everywhere.install(read).wall);
        let [all, checksum, lengths] = [PackedChecks::All, PackedChecks::Checksum, PackedChecks::None]
            .map(|checks| fastest(|| drop(black_box(open(checks)))).cpu);
        let spread = everywhere.install(|| fastest(|| drop(black_box(open(PackedChecks::All))))).wall;
        let mapped = fastest(|| {
            let mesh = map(file.path()).map(|map| NavMesh::from_packed_shared(map, PackedChecks::None));
            if let Ok(Ok(mesh)) = mesh {
                black_box(mesh.nearest(place, &Reach::INFINITE));
            }
        })
        .wall;
        let copied = fastest(|| drop(black_box(packed.to_vec()))).cpu;
        let [plain, packed] = [plain.len(), packed.len()].map(|bytes| bytes as f64 / 1e6);
        print(&format!(
            "| {} | {plain:.2} | {wmesh:.2} | {wmesh_spread:.2} | {packed:.2} | {all:.2} | {spread:.2} | {checksum:.2} | {lengths:.3} | {mapped:.3} | {copied:.2} |\n",
            side * side
        ));
        side *= 2;
    }
    Ok(())
}

/// Bytes that several meshes lie in.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file in memory.
#[expect(
    unsafe_code,
    reason = "the file is a temporary one of this process, which does not change it any more"
)]
fn map(file: &Path) -> std::io::Result<memmap2::Mmap> {
    let file = std::fs::File::open(file)?;
    // SAFETY: nobody changes or cuts the file while it is mapped: see above.
    unsafe { memmap2::Mmap::map(&file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_size() {
        let mut table = String::new();
        open(4096, &mut |text| table.push_str(text)).expect("meshes that open");
        assert_eq!(table.lines().count(), 4);
    }
}

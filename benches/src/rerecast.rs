//! rerecast, the Rust port of Recast.

use ::rerecast::{
    AreaType, BuildContoursFlags, CompactHeightfield, DetailNavmesh, HeightfieldBuilder, PolygonNavmesh,
    TriMesh,
};
use anyhow::{Context as _, Result, ensure};
use glam::{UVec3, Vec3, Vec3A};

use crate::compare::Engine;
use crate::measure::{Bake, Clock, Counts, Stage};
use crate::{Partitioning, PolygonMesh, Scene, Settings};

/// The crate `rerecast`.
pub(crate) const RERECAST: Engine = Engine { name: "rerecast", notes: &[], bake };

/// Runs the stages of RecastDemo's solo build. There is no partition but watershed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "settings of a benchmark are small and positive"
)]
fn bake(scene: &Scene, settings: &Settings) -> Result<Bake<PolygonMesh>> {
    ensure!(settings.partition == Partitioning::Watershed, "it has no monotone partitioning");
    let mut soup = TriMesh {
        vertices: scene.soup.positions().iter().map(|&position| Vec3A::from(position)).collect(),
        indices: scene.soup.triangles().iter().map(|&corners| UVec3::from(corners)).collect(),
        area_types: vec![AreaType::NOT_WALKABLE; scene.soup.triangles().len()],
    };
    let (cell_size, cell_height) = (settings.scale.cell_size, settings.scale.level_height);
    let cells = settings.on_grid();
    let (height, step) = (cells.height as u16, cells.step as u16);
    let (mut counts, mut clock) = (Counts::default(), Clock::default());

    let mut solid = clock.run(Stage::Raster, || {
        soup.mark_walkable_triangles(settings.agent.max_slope);
        let aabb = soup.compute_aabb().context("no triangles")?;
        let mut solid = HeightfieldBuilder { aabb, cell_size, cell_height }.build()?;
        solid.rasterize_triangles(&soup, step)?;
        anyhow::Ok(solid)
    })?;
    counts.spans = solid.allocated_spans.len();
    clock.run(Stage::Filter, || {
        solid.filter_low_hanging_walkable_obstacles(step);
        solid.filter_ledge_spans(height, step);
        solid.filter_walkable_low_height_spans(height);
    });
    let mut field = clock.run(Stage::Compact, || solid.into_compact(height, step))?;
    counts.walkable_spans = walkable(&field);
    clock.run(Stage::Erode, || field.erode_walkable_area(cells.radius as u16));
    counts.eroded_spans = walkable(&field);
    clock.run(Stage::Distance, || field.build_distance_field());
    clock.run(Stage::Regions, || {
        field.build_regions(0, settings.min_region_cells, settings.merge_region_cells)
    })?;
    let regions: std::collections::HashSet<u16> = field.spans.iter().map(|span| span.region.bits()).collect();
    counts.regions = regions.into_iter().filter(|&region| region != 0).count();
    let contours = clock.run(Stage::Contours, || {
        let flags = BuildContoursFlags::TESSELLATE_SOLID_WALL_EDGES;
        field.build_contours(settings.max_edge_error_cells, cells.edge as u16, flags)
    });
    counts.contours = contours.contours.len();
    let polygons = clock.run(Stage::Polygons, || contours.into_polygon_mesh(settings.max_vertices as u16))?;
    let detail = clock.run(Stage::Detail, || {
        let distance = settings.detail_sample_cells * cell_size;
        DetailNavmesh::new(&polygons, &field, distance, settings.detail_max_error_levels * cell_height)
    })?;
    counts.polygons = polygons.polygon_count();
    counts.vertices = polygons.vertices.len();
    counts.detail_vertices = detail.vertices.len();
    counts.detail_triangles = detail.triangles.len();
    Ok(Bake { times: clock.0, counts, result: mesh(&polygons, &detail) })
}

fn walkable(field: &CompactHeightfield) -> usize {
    field.areas.iter().filter(|area| area.is_walkable()).count()
}

/// The polygons and the height surface under each, in world space.
fn mesh(polygons: &PolygonNavmesh, detail: &DetailNavmesh) -> PolygonMesh {
    let scale = Vec3::new(polygons.cell_size, polygons.cell_height, polygons.cell_size);
    let ground = |mesh: &::rerecast::SubMesh| {
        let first = mesh.base_triangle_index as usize;
        let triangles = &detail.triangles[first..first + mesh.triangle_count as usize];
        let corner = |corner: u8| detail.vertices[mesh.base_vertex_index as usize + usize::from(corner)];
        triangles.iter().map(|triangle| triangle.map(corner)).collect()
    };
    PolygonMesh {
        vertices: polygons.vertices.iter().map(|at| polygons.aabb.min + scale * at.as_vec3()).collect(),
        polygons: (polygons.polygons())
            .map(|corners| corners.take_while(|&at| at != PolygonNavmesh::NO_INDEX).map(u32::from).collect())
            .collect(),
        ground: detail.meshes.iter().map(ground).collect(),
    }
}

//! rerecast, the Rust port of Recast.

use ::rerecast::{
    AreaType, BuildContoursFlags, CompactHeightfield, DetailNavmesh, HeightfieldBuilder, PolygonNavmesh,
    TriMesh,
};
use glam::{UVec3, Vec3, Vec3A};

use crate::{
    Bake, BenchError, Clock, Counts, Engine, Partitioning, PolygonMesh, Scene, Settings, Stage, StageTimes,
};

const NAME: &str = "rerecast";

/// The crate `rerecast`. Watershed only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rerecast;

impl Engine for Rerecast {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bake(&self, scene: &Scene, settings: &Settings) -> Result<Bake, BenchError> {
        let bake = bake_rerecast(scene, settings)?;
        let mesh = bake.mesh();
        Ok(Bake { times: bake.times, counts: bake.counts, mesh })
    }
}

/// rerecast's own results.
#[derive(Debug)]
pub struct RerecastBake {
    /// How long each stage took.
    pub times: StageTimes,
    /// What came out.
    pub counts: Counts,
    /// Polygons on the grid.
    pub polygons: PolygonNavmesh,
    /// Heights.
    pub detail: DetailNavmesh,
}

/// Runs the stages of RecastDemo's solo build.
///
/// # Errors
/// When a stage fails, and for partitions other than watershed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "settings of a benchmark are small and positive"
)]
pub fn bake_rerecast(scene: &Scene, settings: &Settings) -> Result<RerecastBake, BenchError> {
    if settings.partition != Partitioning::Watershed {
        return Err(BenchError::Unsupported { engine: NAME, partition: settings.partition.name() });
    }
    let mut soup = TriMesh {
        vertices: scene.soup.positions().iter().map(|&position| Vec3A::from(position)).collect(),
        indices: scene.soup.triangles().iter().map(|&corners| UVec3::from(corners)).collect(),
        area_types: vec![AreaType::NOT_WALKABLE; scene.soup.triangles().len()],
    };
    let (cell, level) = (settings.scale.cell_size, settings.scale.level_height);
    let (height, step) = (settings.height_levels() as u16, settings.step_levels() as u16);
    let failed =
        |stage: Stage, source: &dyn std::fmt::Debug| BenchError::stage(NAME, stage, format!("{source:?}"));
    let mut counts = Counts::default();

    let mut clock = Clock::start();
    soup.mark_walkable_triangles(settings.agent.max_slope);
    let aabb = soup.compute_aabb().ok_or_else(|| failed(Stage::Raster, &"no triangles"))?;
    let mut solid = HeightfieldBuilder { aabb, cell_size: cell, cell_height: level }
        .build()
        .map_err(|error| failed(Stage::Raster, &error))?;
    solid.rasterize_triangles(&soup, step).map_err(|error| failed(Stage::Raster, &error))?;
    clock.lap(Stage::Raster);
    counts.spans = solid.allocated_spans.len();

    clock.skip();
    solid.filter_low_hanging_walkable_obstacles(step);
    solid.filter_ledge_spans(height, step);
    solid.filter_walkable_low_height_spans(height);
    clock.lap(Stage::Filter);

    let mut field = solid.into_compact(height, step).map_err(|error| failed(Stage::Compact, &error))?;
    clock.lap(Stage::Compact);
    counts.walkable_spans = walkable(&field);

    clock.skip();
    field.erode_walkable_area(settings.radius_cells() as u16);
    clock.lap(Stage::Erode);
    counts.eroded_spans = walkable(&field);

    clock.skip();
    field.build_distance_field();
    clock.lap(Stage::Distance);

    field
        .build_regions(0, settings.min_region_cells, settings.merge_region_cells)
        .map_err(|error| failed(Stage::Regions, &error))?;
    clock.lap(Stage::Regions);
    let mut regions: Vec<u16> = field.spans.iter().map(|span| span.region.bits()).collect();
    regions.sort_unstable();
    regions.dedup();
    counts.regions = regions.iter().filter(|&&region| region != 0).count();

    clock.skip();
    let contours = field.build_contours(
        settings.max_edge_error_cells,
        settings.max_edge_length_cells() as u16,
        BuildContoursFlags::TESSELLATE_SOLID_WALL_EDGES,
    );
    clock.lap(Stage::Contours);
    counts.contours = contours.contours.len();

    clock.skip();
    let polygons = contours
        .into_polygon_mesh(settings.max_vertices as u16)
        .map_err(|error| failed(Stage::Polygons, &error))?;
    clock.lap(Stage::Polygons);

    let detail = DetailNavmesh::new(
        &polygons,
        &field,
        settings.detail_sample_cells * cell,
        settings.detail_max_error_levels * level,
    )
    .map_err(|error| failed(Stage::Detail, &error))?;
    clock.lap(Stage::Detail);

    counts.polygons = polygons.polygon_count();
    counts.vertices = polygons.vertices.len();
    counts.detail_vertices = detail.vertices.len();
    counts.detail_triangles = detail.triangles.len();
    Ok(RerecastBake { times: clock.times(), counts, polygons, detail })
}

fn walkable(field: &CompactHeightfield) -> usize {
    field.areas.iter().filter(|area| area.is_walkable()).count()
}

impl RerecastBake {
    /// The polygons in world space.
    #[must_use]
    pub fn mesh(&self) -> PolygonMesh {
        let polygons = &self.polygons;
        let scale = Vec3::new(polygons.cell_size, polygons.cell_height, polygons.cell_size);
        PolygonMesh {
            vertices: polygons
                .vertices
                .iter()
                .map(|vertex| polygons.aabb.min + scale * vertex.as_vec3())
                .collect(),
            polygons: polygons
                .polygons()
                .map(|polygon| {
                    polygon.take_while(|&corner| corner != PolygonNavmesh::NO_INDEX).map(u32::from).collect()
                })
                .collect(),
        }
    }

    /// The triangles of the height surface under each polygon, in world space.
    #[must_use]
    pub fn ground(&self) -> Vec<Vec<[Vec3; 3]>> {
        let detail = &self.detail;
        let submesh = |mesh: &::rerecast::SubMesh| {
            let first = mesh.base_triangle_index as usize;
            let triangles = &detail.triangles[first..first + mesh.triangle_count as usize];
            let corner = |corner: u8| detail.vertices[mesh.base_vertex_index as usize + usize::from(corner)];
            triangles.iter().map(|triangle| triangle.map(corner)).collect()
        };
        detail.meshes.iter().map(submesh).collect()
    }
}

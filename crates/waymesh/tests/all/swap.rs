//! Every stage of the pipeline can be somebody else's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use waymesh::core::stage::{
    BuildField, Decompose, FitHeights, Partition, SimplifyContours, StageError, TraceContours, Triangulate,
    Voxelize,
};
use waymesh::core::{
    ContourSet, HeightSurface, Heightfield, PlanVertex, Poly, PolyMesh, PolygonSet, RegionMap, SurfacePoint,
    Triangulation, WalkableField,
};
use waymesh::{AreaId, BakeConfig, Baker, NavMesh, Observer, PolyId, TriangleSoup, Voxels};
use waymesh_scenes::{Scene, SceneConfig};

/// Counts how often a foreign stage ran.
#[derive(Clone, Default)]
struct Calls(Arc<AtomicU32>);

impl Calls {
    fn note(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn soup() -> TriangleSoup {
    Scene::OverlappingStoreys.build(&SceneConfig::default())
}

fn pipeline() -> Baker<Voxels> {
    Baker::voxels().with_config(BakeConfig::default().with_validate_stages(true))
}

/// The mesh of the built-in stages, and the one with a foreign stage, which must have run once.
fn both(plug: impl FnOnce(Baker<Voxels>, Calls) -> Baker<Voxels>) -> (NavMesh, NavMesh) {
    let calls = Calls::default();
    let foreign = plug(pipeline(), calls.clone()).bake(&soup()).expect("a mesh with the foreign stage");
    assert_eq!(calls.0.load(Ordering::Relaxed), 1);
    (pipeline().bake(&soup()).expect("a mesh"), foreign)
}

/// Sees only the upper half of the scene.
struct UpperHalf(Calls);

impl Voxelize for UpperHalf {
    fn voxelize(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Heightfield, StageError> {
        self.0.note();
        let bounds = soup.bounds();
        let middle = (bounds.min.y + bounds.max.y) / 2.0;
        let above =
            |corners: &&[u32; 3]| corners.iter().all(|&vertex| soup.positions()[vertex as usize].y > middle);
        let kept = soup.triangles().iter().filter(above).copied().collect();
        let half = TriangleSoup::new(soup.positions().to_vec(), kept)
            .map_err(|error| StageError::new("half", error))?;
        waymesh::voxel::Voxelizer::default().voxelize(&half, observer)
    }
}

#[test]
fn voxelisation_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_voxelize(UpperHalf(calls)));
    assert!(foreign.area() < own.area());
}

/// Carves everything above a height out of the field.
struct OnlyLow(Calls);

impl BuildField for OnlyLow {
    fn build_field(
        &self,
        heightfield: &Heightfield,
        observer: &mut dyn Observer,
    ) -> Result<WalkableField, StageError> {
        self.0.note();
        let mut field = waymesh::voxel::FieldBuilder::default().build_field(heightfield, observer)?;
        let middle = field.floor.iter().copied().max().unwrap_or(0) / 2;
        for span in 0..field.len() {
            if field.floor[span] > middle {
                field.area[span] = AreaId::NULL;
            }
        }
        Ok(field)
    }
}

#[test]
fn the_field_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_build_field(OnlyLow(calls)));
    assert!(foreign.area() < own.area());
}

/// Pieces of random size.
struct Shards(Calls);

impl Partition for Shards {
    fn partition(&self, field: &WalkableField, _: &mut dyn Observer) -> Result<RegionMap, StageError> {
        self.0.note();
        Ok(waymesh_testkit::fields::random_regions(field, 5))
    }
}

#[test]
fn the_partition_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_partition(Shards(calls)));
    assert!(foreign.polygon_count() > own.polygon_count());
    assert_eq!(foreign.islands().len(), own.islands().len(), "shards are joined where the ground is");
}

/// The built-in walk with its arcs renumbered from the last to the first.
struct LastArcFirst(Calls);

impl TraceContours for LastArcFirst {
    fn trace(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        observer: &mut dyn Observer,
    ) -> Result<ContourSet, StageError> {
        self.0.note();
        let mut set = waymesh::contour::BorderWalk.trace(field, regions, observer)?;
        let last = u32::try_from(set.arcs.len()).unwrap_or(u32::MAX) - 1;
        let mut vertices = Vec::new();
        for arc in set.arcs.iter_mut().rev() {
            let first = arc.first as usize;
            arc.first = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
            vertices.extend_from_slice(&set.arc_vertices[first..first + arc.len as usize]);
        }
        set.arc_vertices = vertices;
        set.arcs.reverse();
        for region in &mut set.regions {
            for arc_use in region.holes.iter_mut().chain([&mut region.outer]).flatten() {
                arc_use.arc = waymesh::core::ArcId(last - arc_use.arc.0);
            }
        }
        Ok(set)
    }
}

#[test]
fn tracing_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_trace(LastArcFirst(calls)));
    assert!((foreign.area() - own.area()).abs() < 0.02 * own.area());
}

/// Keeps every point.
struct KeepAll(Calls);

impl SimplifyContours for KeepAll {
    fn simplify(&self, contours: &ContourSet, _: &mut dyn Observer) -> Result<ContourSet, StageError> {
        self.0.note();
        Ok(contours.clone())
    }
}

#[test]
fn simplification_can_be_replaced() {
    let (_, foreign) = both(|pipeline, calls| pipeline.with_simplify(KeepAll(calls)));
    let walkable = pipeline().bake_observed(&soup(), &mut ()).expect("a mesh").report.walkable_area;
    let difference = (foreign.area() - walkable).abs();
    assert!(
        difference < 1e-3 * walkable,
        "exact borders keep the exact area, but it is off by {difference} m2"
    );
}

/// Ear clipping in place of the Delaunay triangulation.
struct Ears(Calls);

impl Triangulate for Ears {
    fn triangulate(
        &self,
        polygons: &PolygonSet,
        observer: &mut dyn Observer,
    ) -> Result<Triangulation, StageError> {
        self.0.note();
        waymesh::triangulate::EarClipping::default().triangulate(polygons, observer)
    }
}

#[test]
fn triangulation_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_triangulate(Ears(calls)));
    assert!((foreign.area() - own.area()).abs() < 1e-6 * own.area());
}

/// Every triangle a polygon.
struct TrianglesAsPolygons(Calls);

impl Decompose for TrianglesAsPolygons {
    fn decompose(&self, triangulation: &Triangulation, _: &mut dyn Observer) -> Result<PolyMesh, StageError> {
        self.0.note();
        let triangles = &triangulation.triangles;
        let polygon = |(first, triangle): (u32, &waymesh::core::Triangle)| Poly {
            first: first * 3,
            len: 3,
            region: triangle.region,
            area: triangle.area,
        };
        Ok(PolyMesh {
            frame: triangulation.frame,
            vertices: triangulation.vertices.clone(),
            polygons: (0..).zip(triangles).map(polygon).collect(),
            corners: triangles.iter().flat_map(|triangle| triangle.vertices).collect(),
            neighbours: triangles
                .iter()
                .flat_map(|triangle| triangle.neighbours.map(|other| other.map(|other| PolyId(other.0))))
                .collect(),
        })
    }
}

#[test]
fn decomposition_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_decompose(TrianglesAsPolygons(calls)));
    assert!(foreign.polygon_count() > own.polygon_count());
}

/// A fan per polygon at the heights of its corners.
struct Fans(Calls);

impl FitHeights for Fans {
    #[expect(clippy::cast_possible_truncation, reason = "a small scene")]
    fn fit_heights(
        &self,
        _: &WalkableField,
        _: &RegionMap,
        polygons: &PolyMesh,
        _: &mut dyn Observer,
    ) -> Result<HeightSurface, StageError> {
        self.0.note();
        let point = |vertex: &PlanVertex| SurfacePoint {
            x: vertex.point.x as f32,
            height: vertex.height,
            z: vertex.point.z as f32,
        };
        let mut triangles = Vec::new();
        let mut polygon_triangles = vec![0];
        for polygon in 0..polygons.polygons.len() {
            let corners = polygons.corners(PolyId::from_index(polygon));
            triangles.extend(corners[1..].windows(2).map(|pair| [corners[0].0, pair[0].0, pair[1].0]));
            polygon_triangles.push(triangles.len() as u32);
        }
        let points = polygons.vertices.iter().map(point).collect();
        Ok(HeightSurface { points, triangles, polygon_triangles, max_error: 0.0 })
    }
}

#[test]
fn heights_can_be_replaced() {
    let (own, foreign) = both(|pipeline, calls| pipeline.with_fit_heights(Fans(calls)));
    assert_eq!(own.polygon_count(), foreign.polygon_count());
}

/// A stage that gives up.
struct Broken;

impl Partition for Broken {
    fn partition(&self, _: &WalkableField, _: &mut dyn Observer) -> Result<RegionMap, StageError> {
        Err(StageError::new("my partition", "no idea"))
    }
}

/// A stage that breaks its contract.
struct Liar;

impl Partition for Liar {
    fn partition(&self, field: &WalkableField, _: &mut dyn Observer) -> Result<RegionMap, StageError> {
        Ok(RegionMap { labels: vec![0; field.len()], count: 1 })
    }
}

#[test]
fn failures_of_foreign_stages_are_told() {
    let error = pipeline().with_partition(Broken).bake(&soup()).expect_err("the stage failed");
    assert_eq!(error.to_string(), "my partition: no idea");
    let error = pipeline().with_partition(Liar).bake(&soup()).expect_err("the contract is broken");
    assert!(error.to_string().starts_with("partition broke its contract"), "{error}");
}

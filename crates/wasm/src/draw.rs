//! Drawings for a viewer: ground, stages, pictures.

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::core::{ContourSet, GridFrame, NO_REGION, PlanVertex};
use waymesh::front::Stages;
use waymesh::io::{
    GlbOptions, GroundTriangles, SvgOptions, ground_triangles, polygon_triangles, write_glb, write_svg,
};
use waymesh::region::distance_field;

use crate::bake::watched;
use crate::convert::{object, positions};
use crate::error::{Kind, Thrown};
use crate::mesh::NavMesh;
use crate::scene::{Scene, numbers};
use crate::settings;

fn ground(triangles: &GroundTriangles) -> JsValue {
    object(&[
        ("positions", js_sys::Float32Array::from(triangles.positions.as_flattened()).into()),
        ("triangles", numbers(triangles.triangles.as_flattened())),
        ("polygonTriangles", numbers(&triangles.polygon_triangles)),
    ])
}

#[wasm_bindgen]
impl NavMesh {
    /// The ground as triangles: with `detail` the surface of heights, else polygons as fans.
    #[wasm_bindgen(unchecked_return_type = "Ground")]
    pub fn ground(&self, detail: bool) -> JsValue {
        ground(&if detail { ground_triangles(&self.mesh) } else { polygon_triangles(&self.mesh) })
    }

    /// A picture in plan, a panel per storey, as SVG.
    #[wasm_bindgen(js_name = toSvg)]
    pub fn to_svg(&self) -> Thrown<String> {
        let mut bytes = Vec::new();
        write_svg(&self.mesh, None, &SvgOptions::default(), &mut bytes)
            .map_err(|error| Kind::File.error(error))?;
        String::from_utf8(bytes).map_err(|error| Kind::File.error(error))
    }

    /// The polygons as a GLB model; with `detail` the surface of heights.
    #[wasm_bindgen(js_name = toGlb)]
    pub fn to_glb(&self, detail: bool) -> Thrown<Uint8Array> {
        let mut bytes = Vec::new();
        let options = GlbOptions::default().with_detail(detail);
        write_glb(&self.mesh, &options, &mut bytes).map_err(|error| Kind::File.error(error))?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }
}

/// Both ends of every edge.
fn edges(frame: &GridFrame, vertices: &[PlanVertex], pairs: impl Iterator<Item = [usize; 2]>) -> JsValue {
    let world = |vertex: usize| frame.position(vertices[vertex]);
    let ends: Vec<_> = pairs.flat_map(|pair| pair.map(world)).collect();
    positions(&ends)
}

fn contour_edges(contours: &ContourSet) -> JsValue {
    let pairs = contours.arcs.iter().flat_map(|arc| {
        let vertices = &contours.arc_vertices[arc.first as usize..(arc.first + arc.len) as usize];
        vertices.windows(2).map(|pair| [pair[0].index(), pair[1].index()])
    });
    edges(&contours.frame, &contours.vertices, pairs)
}

fn stages(stages: &Stages) -> JsValue {
    let (field, frame) = (&stages.field, &stages.field.frame);
    let centre = |column: u32, height: f64| {
        let (x, z) = (column % frame.width, column / frame.width);
        frame.to_world(f64::from(x) + 0.5, height, f64::from(z) + 0.5)
    };
    let spans: Vec<_> = field
        .span_columns
        .iter()
        .zip(&field.ground)
        .map(|(&column, &ground)| centre(column, ground.into()))
        .collect();
    let distances = distance_field(field);
    let furthest = f32::from(distances.max.max(1));
    let shares: Vec<f32> =
        distances.distances.iter().map(|&distance| f32::from(distance) / furthest).collect();
    let region = |label: &u32| if *label == NO_REGION { u32::MAX } else { *label };
    let regions: Vec<u32> = stages.regions.labels.iter().map(region).collect();
    let solid = &stages.heightfield;
    let columns = solid.columns.windows(2).zip(0_u32..).flat_map(|(range, column)| {
        solid.spans[range[0] as usize..range[1] as usize].iter().map(move |span| (column, span))
    });
    let mut voxels = Vec::new();
    for (column, span) in columns {
        let (low, high) = (centre(column, span.bottom.into()), centre(column, span.top.into()));
        voxels.extend([low.x, low.y, high.y, low.z]);
    }
    let triangulation = &stages.triangulation;
    let triangles = triangulation.triangles.iter().flat_map(|triangle| {
        let [a, b, c] = triangle.vertices.map(waymesh::core::VertexId::index);
        [[a, b], [b, c], [c, a]]
    });
    object(&[
        ("cellSize", frame.cell_size.into()),
        ("voxels", js_sys::Float32Array::from(voxels.as_slice()).into()),
        ("spans", positions(&spans)),
        ("regions", numbers(&regions)),
        ("distances", js_sys::Float32Array::from(shares.as_slice()).into()),
        ("rawContours", contour_edges(&stages.raw_contours)),
        ("contours", contour_edges(&stages.contours)),
        ("triangles", edges(&triangulation.frame, &triangulation.vertices, triangles)),
    ])
}

#[wasm_bindgen]
impl Scene {
    /// Bakes voxels and keeps what every stage makes, for pictures.
    #[wasm_bindgen(js_name = bakeStages, unchecked_return_type = "Stages")]
    pub fn bake_stages(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings")] settings: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<js_sys::Function>,
    ) -> Thrown<JsValue> {
        let baker = settings::voxels(&settings, &self.areas)?;
        Ok(stages(&watched(progress, |observer| baker.bake_stages(&self.soup, observer))?))
    }
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Ground as triangles. */
export interface Ground {
  positions: Float32Array;
  triangles: Uint32Array;
  /** First triangle of each polygon, and the number of triangles. */
  polygonTriangles: Uint32Array;
}

/** What the stages of a bake of voxels make. */
export interface Stages {
  cellSize: number;
  /** Solid spans: x, bottom, top, z, in the middle of a cell. */
  voxels: Float32Array;
  /** Walkable spans: the ground in the middle of a cell. */
  spans: Float32Array;
  /** The region of each walkable span, 4294967295 for none. */
  regions: Uint32Array;
  /** How far each walkable span is from a border, 0 to 1. */
  distances: Float32Array;
  /** Both ends of each edge. */
  rawContours: Float32Array;
  contours: Float32Array;
  triangles: Float32Array;
}
"#;

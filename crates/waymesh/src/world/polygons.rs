//! The polygons of one tile, whose border with other tiles is a row of straight edges.

use waymesh_core::{
    Direction, FieldWindow, NO_REGION, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionMap, SpanKey,
    VertexId, to_u32,
};

use crate::bake::{BakeError, Recorder, StageSet};

/// Longest edge on the border of a tile, in cells. Cuts are at multiples of it, so both sides have
/// the same.
const MAX_BORDER_EDGE: u32 = 16;

/// One step of a border edge: the span on this side, and the one that it is linked to on the other.
pub(super) type Step = [SpanKey; 2];

/// An edge of a polygon on the border of its tile, with ground of another tile beyond.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BorderEdge {
    pub(super) polygon: u32,
    /// Edge of the polygon.
    pub(super) edge: u32,
    /// One entry per polygon side, in the order in which the edge runs.
    pub(super) steps: Vec<Step>,
}

/// The polygons of a tile, in coordinates of the whole grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TilePolygons {
    pub(super) mesh: PolyMesh,
    /// In order of polygons and edges.
    pub(super) borders: Vec<BorderEdge>,
}

/// Builds the polygons of a tile's core; also gives the region of each of its spans, and the number
/// of regions.
///
/// The spans of the ring that one can walk to become regions of their own, cut at fixed places
/// along the border. So the border between them and the tile's regions is made of arcs like any
/// other: straight, from junction to junction, which simplification leaves alone. Their own
/// polygons are dropped in the end.
pub(super) fn tile_polygons(
    stages: &StageSet,
    part: &FieldWindow,
    recorder: &mut Recorder<'_>,
) -> Result<(TilePolygons, Vec<u32>, u32), BakeError> {
    let mut field = part.field.clone();
    let spans = u32::try_from(field.len()).unwrap_or(u32::MAX);
    for span in 0..spans {
        if !part.is_core(span) {
            field.area[span as usize] = waymesh_core::AreaId::NULL;
        }
    }
    if !field.has_ground() {
        let none = TilePolygons { mesh: PolyMesh::empty(part.frame), borders: Vec::new() };
        return Ok((none, vec![NO_REGION; field.len()], 0));
    }
    let mut regions = stages.regions(&field, recorder)?;
    let own = regions.count;
    label_ring(part, &mut regions);
    for span in 0..spans {
        if regions.labels[span as usize] != NO_REGION {
            field.area[span as usize] = part.field.area[span as usize];
        }
    }
    let raw = stages.raw_contours(&field, &regions, recorder)?;
    let contours = stages.contours(&raw, recorder)?;
    drop(raw);
    let triangulation = stages.triangles(&contours.polygons(), None, recorder)?;
    let polygons = stages.polygons(&triangulation, None, recorder)?;
    let tile = extract(part, &regions, own, &polygons);
    // The ring belongs to the tiles around.
    for label in &mut regions.labels {
        if *label >= own {
            *label = NO_REGION;
        }
    }
    Ok((tile, regions.labels, own))
}

/// Gives walkable spans of the ring that the core is linked to regions of their own: one per block
/// side and connected row.
fn label_ring(part: &FieldWindow, regions: &mut RegionMap) {
    let core = part.core;
    let (last_x, last_z) = (core.end_x().saturating_sub(1), core.end_z().saturating_sub(1));
    for direction in Direction::ALL {
        let (dx, dz) = direction.offset();
        // The row of core columns on this side; the ring is one further in `direction`.
        let (along, count) =
            if dx == 0 { (Direction::PosX, core.width) } else { (Direction::PosZ, core.depth) };
        for place in 0..count {
            let (x, z) = match direction {
                Direction::NegX => (core.x, core.z + place),
                Direction::PosX => (last_x, core.z + place),
                Direction::NegZ => (core.x + place, core.z),
                Direction::PosZ => (core.x + place, last_z),
            };
            let Some((ring_x, ring_z)) = x.checked_add_signed(dx).zip(z.checked_add_signed(dz)) else {
                continue;
            };
            if !part.window.contains(ring_x, ring_z) {
                continue;
            }
            let position = if dx == 0 { x } else { z };
            for ring in part.field.column(ring_x - part.window.x, ring_z - part.window.z) {
                let inward = part.field.walkable_neighbour(ring, direction.opposite());
                if !part.field.is_walkable(ring) || inward.is_none() {
                    continue;
                }
                // Continues the row of the previous span, unless that ends here.
                let before = part.field.walkable_neighbour(ring, along.opposite()).filter(|&before| {
                    !position.is_multiple_of(MAX_BORDER_EDGE)
                        && place > 0
                        && regions.labels[before as usize] != NO_REGION
                        && part.field.area[before as usize] == part.field.area[ring as usize]
                });
                regions.labels[ring as usize] = match before {
                    Some(before) => regions.labels[before as usize],
                    None => {
                        regions.count += 1;
                        regions.count - 1
                    }
                };
            }
        }
    }
}

/// The polygons of the tile's own regions, moved to the whole grid.
fn extract(part: &FieldWindow, regions: &RegionMap, own: u32, polygons: &PolyMesh) -> TilePolygons {
    let is_own = |polygon: PolyId| polygons.polygons[polygon.index()].region.0 < own;
    let ids = || (0..polygons.polygons.len()).map(PolyId::from_index).filter(|&id| is_own(id));
    let mut numbers = vec![None; polygons.polygons.len()];
    ids().enumerate().for_each(|(number, id)| numbers[id.index()] = Some(PolyId::from_index(number)));
    let mut vertex_numbers = vec![None; polygons.vertices.len()];
    let (mut mesh, mut borders) = (PolyMesh::empty(part.frame), Vec::new());
    for id in ids() {
        let (polygon, corners) = (polygons.polygons[id.index()], polygons.corners(id));
        for (edge, neighbour) in polygons.neighbours(id).iter().enumerate() {
            if neighbour.is_some_and(|neighbour| !is_own(neighbour)) {
                let [from, to] =
                    [corners[edge], corners[(edge + 1) % corners.len()]].map(|v| polygons.point(v));
                let steps = steps(part, regions, polygon.region.0, from, to);
                borders.push(BorderEdge { polygon: to_u32(mesh.polygons.len()), edge: to_u32(edge), steps });
            }
            mesh.neighbours.push(neighbour.and_then(|neighbour| numbers[neighbour.index()]));
        }
        mesh.polygons.push(Poly { first: to_u32(mesh.corners.len()), ..polygon });
        mesh.corners.extend(corners.iter().map(|vertex| {
            *vertex_numbers[vertex.index()].get_or_insert_with(|| {
                let PlanVertex { point: PlanPoint { x, z }, height } = polygons.vertices[vertex.index()];
                let point = PlanPoint::new(x + part.window.x.cast_signed(), z + part.window.z.cast_signed());
                mesh.vertices.push(PlanVertex { point, height });
                VertexId::from_index(mesh.vertices.len() - 1)
            })
        }));
    }
    TilePolygons { mesh, borders }
}

/// The spans on both sides of a straight edge on the tile's border, step by step.
fn steps(part: &FieldWindow, regions: &RegionMap, region: u32, from: PlanPoint, to: PlanPoint) -> Vec<Step> {
    let (dx, dz) = ((to.x - from.x).signum(), (to.z - from.z).signum());
    let count = (to.x - from.x).abs().max((to.z - from.z).abs());
    // The walkable side is where `orientation` is positive: left of the edge is +z for an edge along
    // +x.
    let side = match (dx, dz) {
        (1, _) => Direction::PosZ,
        (-1, _) => Direction::NegZ,
        (_, 1) => Direction::NegX,
        _ => Direction::PosX,
    };
    let found: Option<Vec<Step>> = (0..count)
        .map(|step| {
            // The column on the positive side of the unit step from `at`.
            let at = PlanPoint::new(from.x + dx * step, from.z + dz * step);
            let low = PlanPoint::new(at.x.min(at.x + dx), at.z.min(at.z + dz));
            let (x, z) = match side {
                Direction::PosZ | Direction::PosX => (low.x, low.z),
                Direction::NegZ => (low.x, low.z - 1),
                Direction::NegX => (low.x - 1, low.z),
            };
            let (x, z) = (u32::try_from(x).ok()?, u32::try_from(z).ok()?);
            let inside = part.field.column(x, z).find(|&span| regions.labels[span as usize] == region)?;
            let outside = part.field.walkable_neighbour(inside, side.opposite())?;
            Some([part.key(inside), part.key(outside)])
        })
        .collect();
    // Without its spans, which a sound field always has, an edge is a wall.
    found.unwrap_or_default()
}

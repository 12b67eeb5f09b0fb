//! Decomposition of a triangulation region by region, and the union of the results.
//!
//! The polygons of a region depend only on its own triangles and their order, so regions are
//! decomposed on several threads.

use std::cmp::Reverse;

use waymesh_core::{
    RegionId, Triangle, TriangleId, Triangulation, VertexId, checkpoint, checkpoint_every, threads, to_u32,
};

use crate::ConvexError;
use crate::improve::Scratch;
use crate::subdivision::{NO_INDEX, Patch, Side, Subdivision};

/// The triangles of a region, with vertices and triangles renumbered in the same order.
struct Part {
    triangulation: Triangulation,
    /// Numbers of its vertices and triangles in the whole triangulation.
    vertices: Vec<u32>,
    triangles: Vec<u32>,
}

/// The sides and the polygons of a subdivision.
pub(crate) type Tables = (Vec<Side>, Vec<Patch>);

/// Polygons of a region, and the map of its vertex numbers to the whole.
struct Decomposed {
    sides: Vec<Side>,
    polygons: Vec<Patch>,
    vertices: Vec<u32>,
}

/// Decomposes each region separately with `decompose`, on all threads of the current rayon pool,
/// and joins the polygons. They do not depend on the number of threads.
pub(crate) fn decompose_regions<'t>(
    triangulation: &'t Triangulation,
    decompose: impl Fn(&Triangulation, &mut Scratch) -> Result<Tables, ConvexError> + Sync,
) -> Result<Subdivision<'t>, ConvexError> {
    let regions = triangles_of_regions(triangulation)?;
    if regions.len() <= 1 {
        let (sides, polygons) = decompose(triangulation, &mut Scratch::default())?;
        return Ok(Subdivision::new(triangulation, sides, polygons));
    }
    let one = |scratch: &mut Scratch, triangles: Vec<u32>| -> Result<Decomposed, ConvexError> {
        checkpoint();
        let Part { triangulation: own, vertices, triangles } = Part::new(triangulation, triangles);
        let tables = decompose(&own, scratch).map_err(|error| error.of_whole(&triangles, &vertices));
        tables.map(|(sides, polygons)| Decomposed { sides, polygons, vertices })
    };
    // The largest regions come first, so that no thread waits for one at the end.
    let mut order: Vec<(usize, Vec<u32>)> = regions.into_iter().enumerate().collect();
    order.sort_by_key(|(_, triangles)| Reverse(triangles.len()));
    let mut found: Vec<(usize, Result<Decomposed, ConvexError>)> =
        threads::map_long(order, |scratch: &mut Scratch, (region, triangles)| {
            (region, one(scratch, triangles))
        });
    found.sort_by_key(|(region, _)| *region);
    let parts = found.into_iter().map(|(_, part)| part).collect::<Result<Vec<_>, _>>()?;
    join(triangulation, parts)
}

/// Returns the triangles of each region, in order; regions are in the order of their first
/// triangles.
fn triangles_of_regions(triangulation: &Triangulation) -> Result<Vec<Vec<u32>>, ConvexError> {
    let mut regions: Vec<Vec<u32>> = Vec::new();
    let mut numbers = std::collections::BTreeMap::new();
    let mut last: Option<(RegionId, usize)> = None;
    for (index, triangle) in (0..).zip(&triangulation.triangles) {
        checkpoint_every(1 << 14, index as usize);
        let unknown = triangle.vertices.iter().find(|vertex| vertex.index() >= triangulation.vertices.len());
        if let Some(&vertex) = unknown {
            let count = triangulation.vertices.len();
            return Err(ConvexError::UnknownVertex { triangle: TriangleId(index), vertex, count });
        }
        let number = match last {
            Some((region, number)) if region == triangle.region => number,
            _ => *numbers.entry(triangle.region).or_insert(regions.len()),
        };
        if number == regions.len() {
            regions.push(Vec::new());
        }
        regions[number].push(index);
        last = Some((triangle.region, number));
    }
    Ok(regions)
}

impl Part {
    fn new(whole: &Triangulation, triangles: Vec<u32>) -> Self {
        let corners = |&triangle: &u32| whole.triangles[triangle as usize].vertices;
        let mut vertices: Vec<u32> = triangles.iter().flat_map(corners).map(|vertex| vertex.0).collect();
        vertices.sort_unstable();
        vertices.dedup();
        // Renumbering keeps the order, so decisions by number do not change.
        let own_vertex =
            |vertex: VertexId| VertexId(to_u32(vertices.binary_search(&vertex.0).unwrap_or_default()));
        let own_triangle = |triangle: TriangleId| {
            let place = triangles.binary_search(&triangle.0);
            place.ok().map(|place| TriangleId(to_u32(place)))
        };
        let own = triangles.iter().map(|&triangle| {
            let triangle = &whole.triangles[triangle as usize];
            Triangle {
                vertices: triangle.vertices.map(own_vertex),
                neighbours: triangle.neighbours.map(|neighbour| neighbour.and_then(own_triangle)),
                ..*triangle
            }
        });
        let triangulation = Triangulation {
            frame: whole.frame,
            triangles: own.collect(),
            vertices: vertices.iter().map(|&vertex| whole.vertices[vertex as usize]).collect(),
        };
        Self { triangulation, vertices, triangles }
    }
}

impl ConvexError {
    /// Converts the numbers in an error from a region to the whole triangulation.
    fn of_whole(self, triangles: &[u32], vertices: &[u32]) -> Self {
        let triangle_of = |own: TriangleId| TriangleId(triangles.get(own.index()).copied().unwrap_or(own.0));
        let vertex_of = |own: VertexId| VertexId(vertices.get(own.index()).copied().unwrap_or(own.0));
        match self {
            Self::UnknownVertex { triangle, vertex, count } => {
                Self::UnknownVertex { triangle: triangle_of(triangle), vertex: vertex_of(vertex), count }
            }
            Self::OutOfRange { triangle, limit } => {
                Self::OutOfRange { triangle: triangle_of(triangle), limit }
            }
            Self::NotPositive { triangle } => Self::NotPositive { triangle: triangle_of(triangle) },
            Self::OneSidedNeighbour { triangle, neighbour } => {
                Self::OneSidedNeighbour { triangle: triangle_of(triangle), neighbour: triangle_of(neighbour) }
            }
            other @ (Self::BadField(_) | Self::TooManyTriangles { .. }) => other,
        }
    }
}

/// Joins the polygons of all regions, and links opposite sides across borders between regions.
fn join(triangulation: &Triangulation, parts: Vec<Decomposed>) -> Result<Subdivision<'_>, ConvexError> {
    let mut sides = Vec::with_capacity(parts.iter().map(|part| part.sides.len()).sum());
    let mut polygons: Vec<Patch> = Vec::with_capacity(parts.iter().map(|part| part.polygons.len()).sum());
    for part in parts {
        let (first_side, first_polygon) = (to_u32(sides.len()), to_u32(polygons.len()));
        let moved = |number: u32, first: u32| if number == NO_INDEX { NO_INDEX } else { number + first };
        sides.extend(part.sides.into_iter().map(|side| Side {
            origin: part.vertices[side.origin as usize],
            twin: moved(side.twin, first_side),
            next: moved(side.next, first_side),
            prev: moved(side.prev, first_side),
            polygon: moved(side.polygon, first_polygon),
        }));
        polygons.extend(
            part.polygons.into_iter().map(|patch| Patch { side: moved(patch.side, first_side), ..patch }),
        );
    }
    let mut whole = Subdivision::new(triangulation, sides, polygons);
    link_borders(triangulation, &mut whole)?;
    Ok(whole)
}

/// A directed edge of a region.
type Border = (RegionId, [u32; 2]);

fn link_borders(triangulation: &Triangulation, whole: &mut Subdivision<'_>) -> Result<(), ConvexError> {
    // Edges between two regions, as seen from both sides.
    let mut borders: Vec<(Border, Border)> = Vec::new();
    for (index, triangle) in (0..).zip(&triangulation.triangles) {
        checkpoint_every(1 << 14, index as usize);
        for side in 0..3 {
            let Some(neighbour) = triangle.neighbours[side] else { continue };
            let id = TriangleId(index);
            let other = triangulation.triangles.get(neighbour.index());
            if other.is_some_and(|other| other.region == triangle.region) {
                continue;
            }
            let (from, to) = (triangle.vertices[side], triangle.vertices[(side + 1) % 3]);
            let (Some(other), Some(_)) = (other, triangulation.across(id, side)) else {
                return Err(ConvexError::OneSidedNeighbour { triangle: id, neighbour });
            };
            borders.push(((triangle.region, [from.0, to.0]), (other.region, [to.0, from.0])));
        }
    }
    if borders.is_empty() {
        return Ok(());
    }
    let mut known: Vec<(Border, u32)> = Vec::with_capacity(borders.len());
    for (number, side) in (0..).zip(&whole.sides) {
        if side.next != NO_INDEX && side.twin == NO_INDEX {
            let region = whole.polygons[side.polygon as usize].region;
            known.push(((region, [side.origin, whole.side(side.next).origin]), number));
        }
    }
    known.sort_unstable();
    let side_of = |border: &Border| {
        let place = known.binary_search_by_key(border, |(border, _)| *border);
        place.ok().map(|place| known[place].1)
    };
    let pairs = borders.iter().filter_map(|(own, other)| Some((side_of(own)?, side_of(other)?)));
    let pairs: Vec<(u32, u32)> = pairs.collect();
    for (own, other) in pairs {
        whole.sides[own as usize].twin = other;
    }
    Ok(())
}

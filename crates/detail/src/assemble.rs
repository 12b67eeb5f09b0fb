//! Assembly of the surfaces of all groups, with one numbering.
//!
//! Points are the vertices of the mesh, then points on edges, by the corner at which the edge
//! begins in its first polygon, then points inside polygons, polygon by polygon. The numbering does
//! not depend on the groups.

#![expect(clippy::cast_possible_truncation, reason = "the totals are checked before anything is numbered")]

use std::collections::BTreeMap;

use waymesh_core::{HeightSurface, Observer, PolyId, PolyMesh, RegionId, SurfacePoint, Warning, checkpoint};

use crate::{
    DetailError,
    edges::owner,
    lattice::Lattice,
    polygon::{Patch, Piece},
};

/// The ground of some polygons of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedPolygons {
    /// The surface of the requested polygons. Some points may belong to no triangle.
    pub surface: HeightSurface,
    /// For each polygon of the mesh, the largest error at a sample inside it, in levels; 0 for
    /// polygons that were not requested. Errors on edges are within the bound.
    pub errors: Vec<f32>,
}

/// The ranges of edges and polygons in the result.
struct Layout {
    /// First point on the edge of each corner, and the end.
    edges: Vec<u32>,
    /// For each corner, that at which its edge begins in the edge's first polygon.
    owners: Vec<usize>,
    /// First point inside each polygon, and the end.
    insides: Vec<u32>,
    /// First triangle of each polygon, and the end.
    triangles: Vec<u32>,
}

/// The polygons of a group, in ascending order, and their fits.
pub(crate) type GroupFit<'a> = (&'a [PolyId], Vec<Patch>);

/// Returns each polygon of a group with its fit.
pub(crate) fn each<'a>((ids, patches): &'a GroupFit<'_>) -> impl Iterator<Item = (PolyId, Piece<'a>)> {
    ids.iter().copied().zip(patches.iter().flat_map(Patch::pieces))
}

impl Layout {
    fn new(mesh: &PolyMesh, fits: &[GroupFit<'_>]) -> Result<Self, DetailError> {
        let mut edges = vec![0; mesh.corners.len() + 1];
        let mut owners = vec![0; mesh.corners.len()];
        let mut insides = vec![0; mesh.polygons.len() + 1];
        let mut triangles = vec![0; mesh.polygons.len() + 1];
        for (id, piece) in fits.iter().flat_map(each) {
            checkpoint();
            for ((edge, &len), corner) in piece.edges.iter().enumerate().zip(mesh.corner_range(id)) {
                owners[corner] = owner(mesh, id, edge);
                edges[owners[corner]] = len;
            }
            insides[id.index()] = piece.fitted.inside;
            triangles[id.index()] = piece.fitted.triangles;
        }
        // Both sides of an edge have the same points, or known fits are of other polygons.
        for (id, piece) in fits.iter().flat_map(each) {
            for (corner, &found) in mesh.corner_range(id).zip(piece.edges) {
                let expected = edges[owners[corner]];
                if found != expected {
                    let (found, expected) = (found as usize, expected as usize);
                    return Err(DetailError::Mismatch { what: "points of an edge", found, expected });
                }
            }
        }
        let start = mesh.vertices.len() as u64;
        let start = number("points", start, &mut edges)?;
        number("points", start, &mut insides)?;
        number("triangles", 0, &mut triangles)?;
        Ok(Self { edges, owners, insides, triangles })
    }
}

/// Replaces counts by first numbers, beginning with `start`. The last entry becomes the end, which
/// is returned.
fn number(element: &'static str, start: u64, counts: &mut [u32]) -> Result<u64, DetailError> {
    let end = start + counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    if end > u64::from(u32::MAX) {
        let count = usize::try_from(end).unwrap_or(usize::MAX);
        return Err(DetailError::TooMany { element, count, limit: u32::MAX as usize });
    }
    let mut next = start as u32;
    for count in counts {
        let first = next;
        next += *count;
        *count = first;
    }
    Ok(end)
}

/// Joins the surfaces of the groups. Each surface is dropped after it is copied.
pub(crate) fn assemble(
    mesh: &PolyMesh,
    fits: Vec<GroupFit<'_>>,
    lattice: Lattice,
    bound: f32,
    observer: &mut dyn Observer,
) -> Result<FittedPolygons, DetailError> {
    let Layout { edges, owners, insides, triangles } = Layout::new(mesh, &fits)?;
    let last = |table: &[u32]| table.last().map_or(0, |&last| last as usize);
    let mut surface = HeightSurface {
        points: Vec::with_capacity(last(&insides)),
        triangles: vec![[0; 3]; last(&triangles)],
        polygon_triangles: triangles,
        max_error: 0.0,
    };
    let step = lattice.point_step();
    surface.points.extend(mesh.vertices.iter().map(|vertex| {
        let [x, z] = lattice.of(vertex.point).map(|value| (f64::from(value) * step) as f32);
        SurfacePoint { x, height: vertex.height, z }
    }));
    surface.points.resize(last(&insides), SurfacePoint { x: 0.0, height: 0.0, z: 0.0 });
    let mut errors = vec![0.0; mesh.polygons.len()];
    let mut missed = BTreeMap::<RegionId, f32>::new();
    // Numbers in the result of the points of a polygon.
    let mut numbers: Vec<u32> = Vec::new();
    for fit in fits {
        for (id, Piece { fitted, edges: lens, points, triangles }) in each(&fit) {
            numbers.clear();
            for (corner, &len) in mesh.corner_range(id).zip(lens) {
                let owner = owners[corner];
                let place = edges[owner]..edges[owner] + len;
                numbers.push(mesh.corners[corner].0);
                if owner == corner {
                    numbers.extend(place);
                } else {
                    numbers.extend(place.rev());
                }
            }
            numbers.extend(insides[id.index()]..insides[id.index()] + fitted.inside);
            for (&number, point) in numbers.iter().zip(points) {
                surface.points[number as usize] = *point;
            }
            let first = surface.polygon_triangles[id.index()] as usize;
            for (to, corners) in surface.triangles[first..].iter_mut().zip(triangles) {
                *to = corners.map(|corner| numbers[corner as usize]);
            }
            errors[id.index()] = fitted.error;
            surface.max_error = surface.max_error.max(fitted.error).max(fitted.edge_error);
            if fitted.error > bound {
                let most = missed.entry(mesh.polygons[id.index()].region).or_default();
                *most = most.max(fitted.error);
            }
        }
    }
    for (region, error) in missed {
        observer.warn(Warning::HeightBoundMissed { region, error });
    }
    Ok(FittedPolygons { surface, errors })
}

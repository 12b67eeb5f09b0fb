//! Assembly of the surfaces of all groups, with one numbering.
//!
//! Points are the vertices of the mesh, then points on edges, by the corner at which the edge
//! begins in its first polygon, then points inside polygons, polygon by polygon. The numbering does
//! not depend on the groups.

#![expect(clippy::cast_possible_truncation, reason = "the totals are checked before anything is numbered")]

use std::collections::BTreeMap;

use waymesh_core::{
    HeightSurface, Observer, PolyMesh, RegionId, SurfacePoint, VertexId, Warning, checkpoint,
};

use crate::{
    DetailError,
    edges::{Outlines, OwnedChain},
    groups::Groups,
    lattice::Lattice,
    polygon::Patch,
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

/// The surface of a group of polygons.
#[derive(Debug)]
pub(crate) struct GroupFit {
    vertices: Vec<VertexId>,
    /// The vertices, then the points on edges.
    points: Vec<SurfacePoint>,
    chains: Vec<OwnedChain>,
    patches: Vec<Patch>,
    max_error: f32,
}

impl GroupFit {
    pub(crate) fn new(outlines: Outlines, patches: Vec<Patch>) -> Self {
        let Outlines { vertices, points, owned, max_error, .. } = outlines;
        Self { vertices, points, chains: owned, patches, max_error }
    }

    fn polygons(&self) -> impl Iterator<Item = &crate::polygon::Fitted> {
        self.patches.iter().flat_map(|patch| &patch.polygons)
    }
}

/// The ranges of edges and polygons in the result.
struct Layout {
    /// First point on the edge of each corner, and the end.
    edges: Vec<u32>,
    /// First point inside each polygon, and the end.
    insides: Vec<u32>,
    /// First triangle of each polygon, and the end.
    triangles: Vec<u32>,
}

impl Layout {
    fn new(mesh: &PolyMesh, groups: &Groups, fits: &[GroupFit]) -> Result<Self, DetailError> {
        let mut edges = vec![0; mesh.corners.len() + 1];
        let mut insides = vec![0; mesh.polygons.len() + 1];
        let mut triangles = vec![0; mesh.polygons.len() + 1];
        for (group, fit) in fits.iter().enumerate() {
            checkpoint();
            for chain in &fit.chains {
                edges[chain.corner as usize] = chain.len;
            }
            for (id, polygon) in groups.polygons(group).iter().zip(fit.polygons()) {
                insides[id.index()] = polygon.points;
                triangles[id.index()] = polygon.triangles;
            }
        }
        let start = mesh.vertices.len() as u64;
        let start = number("points", start, &mut edges)?;
        number("points", start, &mut insides)?;
        number("triangles", 0, &mut triangles)?;
        Ok(Self { edges, insides, triangles })
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
    groups: &Groups,
    fits: Vec<GroupFit>,
    lattice: Lattice,
    bound: f32,
    observer: &mut dyn Observer,
) -> Result<FittedPolygons, DetailError> {
    let Layout { edges, insides, triangles } = Layout::new(mesh, groups, &fits)?;
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
    // Numbers in the result of the points of a group's outlines.
    let mut numbers = Vec::new();
    for (group, fit) in fits.into_iter().enumerate() {
        surface.max_error = surface.max_error.max(fit.max_error);
        numbers.clear();
        numbers.extend(fit.vertices.iter().map(|vertex| vertex.0));
        numbers.resize(fit.points.len(), 0);
        for chain in &fit.chains {
            let to = edges[chain.corner as usize];
            for (number, place) in numbers[chain.first as usize..][..chain.len as usize].iter_mut().zip(to..)
            {
                *number = place;
            }
        }
        for (point, &number) in fit.points.iter().zip(&numbers) {
            surface.points[number as usize] = *point;
        }
        let mut ids = groups.polygons(group).iter();
        for patch in fit.patches {
            let (mut points, mut triangles) = (&patch.points[..], &patch.triangles[..]);
            for (polygon, id) in patch.polygons.iter().zip(&mut ids) {
                let (own_points, own_triangles);
                (own_points, points) = points.split_at(polygon.points as usize);
                (own_triangles, triangles) = triangles.split_at(polygon.triangles as usize);
                let inside = insides[id.index()];
                surface.points[inside as usize..][..own_points.len()].copy_from_slice(own_points);
                let outline = numbers.len() as u32;
                let number = |point: u32| match numbers.get(point as usize) {
                    Some(&number) => number,
                    None => point - outline + inside,
                };
                let first = surface.polygon_triangles[id.index()] as usize;
                let place = &mut surface.triangles[first..][..own_triangles.len()];
                for (to, from) in place.iter_mut().zip(own_triangles) {
                    *to = from.map(number);
                }
                errors[id.index()] = polygon.error;
                surface.max_error = surface.max_error.max(polygon.error);
                if polygon.error > bound {
                    let most = missed.entry(mesh.polygons[id.index()].region).or_default();
                    *most = most.max(polygon.error);
                }
            }
        }
    }
    for (region, error) in missed {
        observer.warn(Warning::HeightBoundMissed { region, error });
    }
    Ok(FittedPolygons { surface, errors })
}

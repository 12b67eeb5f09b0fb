//! Constrained Delaunay triangulation.

use spade::handles::{FixedDirectedEdgeHandle, FixedVertexHandle};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};
use waymesh_core::stage::{StageError, Triangulate};
use waymesh_core::{
    Observer, PlanPoint, PolygonSet, Triangulation, checkpoint, checkpoint_every, saturating_i32, to_u32,
};

use crate::TriangulateError;
use crate::assemble::{Assembly, BORDER, LocalMesh, NO_INDEX};
use crate::crossings::CrossingCheck;
use crate::delaunay::legalize;
use crate::ears::Clipper;
use crate::outline::{Corner, Outline};

/// Polygons of at most this many vertices are triangulated by ear clipping and edge flips instead
/// of spade. spade triangulates the whole convex hull, which is slower on small polygons. Measured
/// on random stars: both take the same time at about 300 vertices.
const MOST_CLIPPED: usize = 256;

/// Number of points on one line from which on the order of insertion counts.
const LONG_LINE: usize = 64;

/// Triangulates polygons so that no vertex visible from a triangle lies inside its circumcircle.
///
/// Large polygons are triangulated by spade, small ones by ear clipping and edge flips. Both give
/// the same result, because it is unique: four or more corners on one circle form a fan around the
/// lowest of them (by x, then z).
///
/// # Guarantees
/// - The triangles fill each polygon exactly and are all positive; no vertices are added.
/// - The smallest angle is the largest among all triangulations of the polygon.
/// - The result depends only on the polygons. Triangles come polygon by polygon, ordered by their
///   vertices. The order of the borders and their first vertices do not matter.
/// - Where borders of one polygon touch in a vertex, each triangle has the vertex of the border
///   that encloses its corner. If such borders swap sides, so that one corner has edges of two
///   vertices, both become the lower vertex.
/// - Two triangles of different regions are neighbours if they share an edge and each names the
///   other's region beyond it.
///
/// # Cost
/// About `n log n` for polygons of `n` vertices.
///
/// # Errors
/// Returns the first fault found: a border that is too short, names a missing vertex, has the wrong
/// winding, crosses or overlaps another, or touches one inside an edge; a hole outside the outer
/// border or inside another hole. Never panics.
///
/// # References
/// - Lee and Lin 1986, Generalized Delaunay triangulation for planar graphs, <https://doi.org/10.1007/BF02187695>.
/// - spade, <https://docs.rs/spade>.
pub fn triangulate_cdt(polygons: &PolygonSet) -> Result<Triangulation, TriangulateError> {
    triangulate_with(polygons, MOST_CLIPPED)
}

/// [`triangulate_cdt`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstrainedDelaunay;

impl Triangulate for ConstrainedDelaunay {
    fn triangulate(
        &self,
        polygons: &PolygonSet,
        _observer: &mut dyn Observer,
    ) -> Result<Triangulation, StageError> {
        triangulate_cdt(polygons).map_err(StageError::at("triangulate"))
    }
}

fn triangulate_with(polygons: &PolygonSet, most_clipped: usize) -> Result<Triangulation, TriangulateError> {
    let mut assembly = Assembly::new(polygons);
    let (mut outline, mut mesh, mut stack) = (Outline::default(), LocalMesh::default(), Vec::new());
    let (mut crossings, mut clipper, mut plane) =
        (CrossingCheck::default(), Clipper::default(), Plane::default());
    for polygon in &polygons.polygons {
        checkpoint();
        outline.load(polygons, polygon)?;
        if outline.len() <= most_clipped {
            crossings.check(&outline)?;
            clipper.clip(&outline, &mut mesh)?;
        } else {
            plane.triangulate(&outline, &mut mesh)?;
        }
        legalize(&outline, &mut mesh, &mut stack);
        assembly.add(&outline, &mut mesh)?;
    }
    Ok(assembly.finish(&outline.united))
}

/// A spade triangulation of one outline, with the tables to convert it back.
#[derive(Debug, Default)]
struct Plane {
    cdt: ConstrainedDelaunayTriangulation<Point2<f64>>,
    /// spade's vertex at each corner.
    at: Vec<FixedVertexHandle>,
    /// spade's edge that leaves each corner along the border.
    edges: Vec<FixedDirectedEdgeHandle>,
    /// Corner of the border edge of each spade edge, by the index of the edge.
    borders: Vec<Corner>,
    /// Corner that each spade edge leaves, seen from the face to its left, by the index of the
    /// edge.
    corners: Vec<Corner>,
    /// Triangle of each face inside, by its index.
    triangles: Vec<u32>,
}

impl Plane {
    fn triangulate(&mut self, outline: &Outline, mesh: &mut LocalMesh) -> Result<(), TriangulateError> {
        self.insert(outline)?;
        self.walk_sectors(outline)?;
        self.collect(outline, mesh)
    }

    /// Inserts all points, then all edges.
    fn insert(&mut self, outline: &Outline) -> Result<(), TriangulateError> {
        let region = outline.region;
        self.cdt = ConstrainedDelaunayTriangulation::with_capacity(
            outline.len(),
            3 * outline.len(),
            2 * outline.len(),
        );
        self.at.clear();
        // While all points lie on one line, spade takes linear time for each: then a bend comes first.
        let is_bent = |corners: &[PlanPoint]| PlanPoint::orientation(corners[0], corners[1], corners[2]) != 0;
        let first = outline.points.windows(3).take(LONG_LINE);
        let begins_straight = first.len() == LONG_LINE && !first.into_iter().any(is_bent);
        let bend = (0..outline.len())
            .map(|corner| [outline.prev[corner] as usize, corner, outline.next[corner] as usize])
            .map(|corners| corners.map(|corner| outline.points[corner]));
        let bend = bend.filter(|_| begins_straight).find(|corners| is_bent(corners));
        for point in bend.into_iter().flatten() {
            let position = Point2::new(f64::from(point.x), f64::from(point.z));
            self.cdt.insert(position).map_err(|_| TriangulateError::NotInside { region, point })?;
        }
        for (corner, point) in outline.points.iter().enumerate() {
            checkpoint_every(1 << 8, corner);
            let place = outline.place[corner] as usize;
            let handle = if place < corner {
                self.at[place]
            } else {
                let position = Point2::new(f64::from(point.x), f64::from(point.z));
                // Neighbours along the border are close to each other, so the last vertex is a good
                // hint.
                let inserted = match self.at.last() {
                    Some(&hint) => self.cdt.insert_with_hint(position, hint),
                    None => self.cdt.insert(position),
                };
                // spade only rejects numbers far beyond the grid.
                inserted.map_err(|_| TriangulateError::NotInside { region, point: *point })?
            };
            self.at.push(handle);
        }
        self.edges.clear();
        self.borders.clear();
        for corner in 0..outline.len() {
            checkpoint_every(1 << 8, corner);
            let (from, to) = (self.at[corner], self.at[outline.next[corner] as usize]);
            let first = outline.edge(to_u32(corner));
            let made = self.cdt.try_add_constraint(from, to);
            let crossing = |second| TriangulateError::CrossingEdges { region, first, second };
            let [edge] = made[..] else {
                let touched = match made.first() {
                    Some(&edge) => {
                        let to = self.cdt.directed_edge(edge).to().position();
                        [plan_point(to), plan_point(to)]
                    }
                    None => self
                        .cdt
                        .get_conflicting_edges_between_vertices(from, to)
                        .next()
                        .map_or(first, |edge| edge.positions().map(plan_point)),
                };
                return Err(crossing(touched));
            };
            self.borders.resize(self.cdt.num_directed_edges(), NO_INDEX);
            if self.borders[edge.index()] != NO_INDEX || self.borders[edge.rev().index()] != NO_INDEX {
                return Err(crossing(first));
            }
            self.borders[edge.index()] = to_u32(corner);
            self.edges.push(edge);
        }
        Ok(())
    }

    /// Turns at each corner from the edge that leaves it, counter-clockwise through the inside, to
    /// the edge that arrives, and stores the corner at every triangle between them. This
    /// distinguishes corners at the same point, and the inside from the outside.
    fn walk_sectors(&mut self, outline: &Outline) -> Result<(), TriangulateError> {
        self.corners.clear();
        self.corners.resize(self.cdt.num_directed_edges(), NO_INDEX);
        for (corner, &start) in (0..).zip(&self.edges) {
            let not_inside =
                || TriangulateError::NotInside { region: outline.region, point: outline.point(corner) };
            let mut edge = self.cdt.directed_edge(start);
            loop {
                if edge.face().is_outer() || self.corners[edge.fix().index()] != NO_INDEX {
                    return Err(not_inside());
                }
                self.corners[edge.fix().index()] = corner;
                let arriving = edge.prev();
                let border = self.borders[arriving.fix().index()];
                if border != NO_INDEX {
                    if border != outline.prev[corner as usize] {
                        return Err(not_inside());
                    }
                    break;
                }
                edge = arriving.rev();
                if self.borders[edge.fix().index()] != NO_INDEX {
                    return Err(not_inside());
                }
            }
        }
        Ok(())
    }

    /// Copies the faces inside the outline.
    fn collect(&mut self, outline: &Outline, mesh: &mut LocalMesh) -> Result<(), TriangulateError> {
        mesh.clear();
        self.triangles.clear();
        self.triangles.resize(self.cdt.num_all_faces(), NO_INDEX);
        for (index, face) in self.cdt.inner_faces().enumerate() {
            checkpoint_every(1 << 14, index);
            let corners = face.adjacent_edges().map(|edge| self.corners[edge.fix().index()]);
            if corners == [NO_INDEX; 3] {
                continue;
            }
            if let Some(known) = corners.iter().find(|_| corners.contains(&NO_INDEX)) {
                let point = outline.points.get(*known as usize).copied().unwrap_or_default();
                return Err(TriangulateError::NotInside { region: outline.region, point });
            }
            self.triangles[face.fix().index()] = mesh.push(corners);
        }
        for (index, face) in self.cdt.inner_faces().enumerate() {
            checkpoint_every(1 << 14, index);
            let triangle = self.triangles[face.fix().index()];
            if triangle == NO_INDEX {
                continue;
            }
            for (side, edge) in (0..).zip(face.adjacent_edges()) {
                let border = self.borders[edge.fix().index()];
                mesh.twins[(3 * triangle + side) as usize] = if border == NO_INDEX {
                    let back = edge.rev();
                    let beyond = self.triangles[back.face().fix().index()];
                    // Index of the edge in the face beyond it.
                    let position = back.face().as_inner().and_then(|face| {
                        face.adjacent_edges().iter().position(|other| other.fix() == back.fix())
                    });
                    let (Some(position), true) = (position, beyond != NO_INDEX) else {
                        let point = plan_point(edge.from().position());
                        return Err(TriangulateError::NotInside { region: outline.region, point });
                    };
                    3 * beyond + to_u32(position)
                } else {
                    BORDER | border
                };
            }
        }
        Ok(())
    }
}

/// Converts a position back to the plan point that it was made from.
pub(crate) fn plan_point(position: Point2<f64>) -> PlanPoint {
    PlanPoint::new(saturating_i32(position.x), saturating_i32(position.y))
}

#[cfg(test)]
mod tests {
    use waymesh_core::{AreaId, PlanVertex, Polygon, PolygonLoop, RegionId, VertexId};
    use waymesh_testkit::{Random, polygons};

    use super::*;

    #[test]
    fn clipping_and_spade_agree_on_every_triangle() {
        for seed in 0..400 {
            let size = 3 + u32::try_from(seed % 20).unwrap();
            let set = polygons::random(seed, size, 23 - size);
            let clipped = triangulate_with(&set, usize::MAX).unwrap();
            let through_spade = triangulate_with(&set, 0).unwrap();
            assert!(clipped == through_spade, "seed {seed}");
        }
    }

    /// Without a bend that is inserted first, the first of these takes minutes.
    #[test]
    fn many_points_on_a_line_are_triangulated_before_a_tip_and_after_it() {
        for tip_at in [100_000, 0] {
            let mut ring: Vec<[f64; 2]> = (0..100_000).map(|x| [x.into(), 0.0]).collect();
            ring.insert(tip_at, [9.0, 9.0]);
            let set = PolygonSet::from_rings(&[ring], 1.0).unwrap();
            assert_eq!(triangulate_cdt(&set).unwrap().triangles.len(), 99_999);
        }
    }

    /// The loops are arbitrary and over few points, so that borders touch, overlap and cross in
    /// every way.
    #[test]
    fn clipping_and_spade_agree_on_what_is_a_polygon() {
        let mut random = Random::new(7);
        let mut good = 0;
        for _ in 0..30_000 {
            let mut point = || i32::try_from(random.below(5)).unwrap();
            let vertices: Vec<_> = (0..10)
                .map(|_| PlanVertex { point: PlanPoint::new(point(), point()), height: 0.0 })
                .collect();
            let mut set = polygons::random(0, 1, 1);
            set.vertices = vertices;
            let mut a_loop = |positive: bool| {
                let length = 3 + random.below(5);
                let mut vertices: Vec<_> = (0..length).map(|_| VertexId(random.below(10))).collect();
                let points = vertices.iter().map(|&vertex| set.point(vertex));
                if (PlanPoint::doubled_area(points) > 0) != positive {
                    vertices.reverse();
                }
                PolygonLoop { beyond: vec![None; vertices.len()], vertices }
            };
            let outer = a_loop(true);
            let holes = (0..a_loop(true).vertices.len() % 3).map(|_| a_loop(false)).collect();
            set.polygons = vec![Polygon { region: RegionId(0), area: AreaId::GROUND, outer, holes }];
            let clipped = triangulate_with(&set, usize::MAX);
            let through_spade = triangulate_with(&set, 0);
            good += i32::from(clipped.is_ok());
            assert_eq!(
                clipped.as_ref().ok(),
                through_spade.as_ref().ok(),
                "{set:?} {clipped:?} {through_spade:?}"
            );
        }
        assert!(good > 1000);
    }
}

//! Borders: arcs between junctions, loops of arcs, and the polygons with holes that they enclose.

use std::collections::HashSet;

use crate::{
    ArcId, AreaId, Bounds, BoxTree, GridFrame, PlanPoint, PlanVertex, RegionId, Validate, VertexId,
    Violation, ViolationList,
};

/// A piece of border between two junctions, or a closed border without junctions.
///
/// Walking along the arc, `left` is where [`PlanPoint::orientation`] is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContourArc {
    /// First entry in [`ContourSet::arc_vertices`].
    pub first: u32,
    /// Number of entries, at least two. A closed arc repeats its first vertex as its last.
    pub len: u32,
    /// Region on the positive side.
    pub left: RegionId,
    /// Region on the other side; `None` at a wall or drop.
    pub right: Option<RegionId>,
}

/// An arc as part of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcUse {
    /// The arc.
    pub arc: ArcId,
    /// `true` if the loop follows it from its last vertex to its first, so that its `right` is on
    /// the positive side.
    pub reversed: bool,
}

/// A closed border: arcs joined end to end.
pub type ContourLoop = Vec<ArcUse>;

/// The borders of one region.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionContour {
    /// The region.
    pub region: RegionId,
    /// Area of the region.
    pub area: AreaId,
    /// The outer border, a positive loop.
    pub outer: ContourLoop,
    /// The borders of holes, negative loops.
    pub holes: Vec<ContourLoop>,
}

/// The borders of all regions. A border between two regions is one arc that both use, so there can
/// be no cracks or overlaps.
///
/// # Vertices
/// A vertex is a corner of the surface, not a corner of the plan. Several vertices share one
/// [`PlanPoint`] where storeys overlap, or where two parts of the surface touch at a corner that
/// cannot be crossed.
///
/// # Raw and simplified
/// A raw set has a vertex at every grid step. Simplification keeps a subset of the vertices in the
/// same data structure.
#[derive(Clone, Debug, PartialEq)]
pub struct ContourSet {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// All vertices.
    pub vertices: Vec<PlanVertex>,
    /// Vertices of all arcs, one arc after the other.
    pub arc_vertices: Vec<VertexId>,
    /// All arcs.
    pub arcs: Vec<ContourArc>,
    /// Borders per region, in the order of region ids.
    pub regions: Vec<RegionContour>,
}

impl ContourSet {
    /// Returns the vertices of `arc`, from its first to its last.
    #[must_use]
    pub fn arc_vertices(&self, arc: ArcId) -> &[VertexId] {
        let arc = &self.arcs[arc.index()];
        &self.arc_vertices[arc.first as usize..(arc.first + arc.len) as usize]
    }

    /// Returns the plan point of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: VertexId) -> PlanPoint {
        self.vertices[vertex.index()].point
    }

    /// Returns the number of closed borders.
    #[must_use]
    pub fn loop_count(&self) -> usize {
        self.regions.iter().map(|region| 1 + region.holes.len()).sum()
    }

    /// Returns the number of vertices that lie on no wall or drop: they lie only on arcs between
    /// regions. A path planner that keeps its distance from walls needs no such vertices.
    #[must_use]
    pub fn vertices_off_border(&self) -> usize {
        let mut is_off = vec![true; self.vertices.len()];
        for (index, _) in self.arcs.iter().enumerate().filter(|(_, arc)| arc.right.is_none()) {
            for vertex in self.arc_vertices(ArcId::from_index(index)) {
                is_off[vertex.index()] = false;
            }
        }
        is_off.into_iter().filter(|&is_off| is_off).count()
    }

    /// Returns the vertices of a loop in its order, each once, and for each the region beyond the
    /// edge that starts there.
    #[must_use]
    pub fn expand(&self, contour_loop: &ContourLoop) -> PolygonLoop {
        let mut expanded = PolygonLoop::default();
        for arc_use in contour_loop {
            let arc = &self.arcs[arc_use.arc.index()];
            let vertices = self.arc_vertices(arc_use.arc);
            let edges = vertices.len() - 1;
            if arc_use.reversed {
                expanded.vertices.extend(vertices[1..].iter().rev());
                expanded.beyond.extend(std::iter::repeat_n(Some(arc.left), edges));
            } else {
                expanded.vertices.extend(&vertices[..edges]);
                expanded.beyond.extend(std::iter::repeat_n(arc.right, edges));
            }
        }
        expanded
    }

    /// Returns one polygon with holes per region.
    #[must_use]
    pub fn polygons(&self) -> PolygonSet {
        let polygons = self
            .regions
            .iter()
            .map(|region| Polygon {
                region: region.region,
                area: region.area,
                outer: self.expand(&region.outer),
                holes: region.holes.iter().map(|hole| self.expand(hole)).collect(),
            })
            .collect();
        PolygonSet { frame: self.frame, vertices: self.vertices.clone(), polygons }
    }
}

impl Validate for ContourSet {
    /// Checks that arcs follow each other in the table, that loops are closed chains of arcs with
    /// their region on the positive side, and that an arc between two regions is used once by each
    /// region and any other arc once. Then checks all invariants of [`PolygonSet`].
    fn violations(&self, out: &mut ViolationList) {
        let mut previous_end = 0;
        for (index, arc) in self.arcs.iter().enumerate() {
            let end = arc.first as usize + arc.len as usize;
            let follows = std::mem::replace(&mut previous_end, end) == arc.first as usize;
            let in_range = follows
                && arc.len >= 2
                && end <= self.arc_vertices.len()
                && self.arc_vertices[arc.first as usize..end]
                    .iter()
                    .all(|vertex| vertex.index() < self.vertices.len());
            if !in_range {
                out.push(Violation::BrokenArc { arc: ArcId::from_index(index) });
                return;
            }
        }
        let mut uses = vec![[0_u32; 2]; self.arcs.len()];
        for region in &self.regions {
            for contour_loop in std::iter::once(&region.outer).chain(&region.holes) {
                let mut chain_breaks = contour_loop.is_empty();
                for (index, arc_use) in contour_loop.iter().enumerate() {
                    let Some(arc) = self.arcs.get(arc_use.arc.index()) else {
                        out.push(Violation::BrokenArc { arc: arc_use.arc });
                        return;
                    };
                    uses[arc_use.arc.index()][usize::from(arc_use.reversed)] += 1;
                    let inside = if arc_use.reversed { arc.right } else { Some(arc.left) };
                    if inside != Some(region.region) {
                        out.push(Violation::BrokenArc { arc: arc_use.arc });
                    }
                    let next = &contour_loop[(index + 1) % contour_loop.len()];
                    chain_breaks |= self.ends(*arc_use).1 != self.ends(*next).0;
                }
                if chain_breaks {
                    out.push(Violation::OpenLoop { region: region.region });
                }
            }
        }
        for (index, (arc, uses)) in self.arcs.iter().zip(&uses).enumerate() {
            if *uses != [1, u32::from(arc.right.is_some())] {
                out.push(Violation::BrokenArc { arc: ArcId::from_index(index) });
            }
        }
        if out.is_empty() {
            self.polygons().violations(out);
        }
    }
}

impl ContourSet {
    fn ends(&self, arc_use: ArcUse) -> (VertexId, VertexId) {
        let vertices = self.arc_vertices(arc_use.arc);
        let (first, last) = (vertices[0], vertices[vertices.len() - 1]);
        if arc_use.reversed { (last, first) } else { (first, last) }
    }
}

/// A closed chain of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonLoop {
    /// Vertices, each as often as the loop passes it.
    pub vertices: Vec<VertexId>,
    /// Region beyond the edge from vertex `i` to vertex `i + 1`; `None` at a wall or drop.
    pub beyond: Vec<Option<RegionId>>,
}

/// The outline of one region: a polygon with holes.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    /// The region.
    pub region: RegionId,
    /// Area of the region.
    pub area: AreaId,
    /// Outer border, positive.
    pub outer: PolygonLoop,
    /// Holes, negative.
    pub holes: Vec<PolygonLoop>,
}

impl Polygon {
    /// Returns the outer border and the holes.
    pub fn loops(&self) -> impl Iterator<Item = &PolygonLoop> {
        std::iter::once(&self.outer).chain(&self.holes)
    }
}

/// Polygons with holes that share their vertices: the input of triangulation in every pipeline.
///
/// # Invariants
/// - Loops are weakly simple: they may touch themselves and each other in vertices, but never
///   cross. No vertex lies inside an edge of the same polygon with holes.
/// - Two polygons with holes are neighbours across an edge if one has it as `u -> v` with the
///   other's region beyond, and the other has it as `v -> u` with the first one's region beyond.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonSet {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// All vertices.
    pub vertices: Vec<PlanVertex>,
    /// All polygons with holes; at most one per region, in the order of region ids.
    pub polygons: Vec<Polygon>,
}

impl PolygonSet {
    /// Returns the plan point of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: VertexId) -> PlanPoint {
        self.vertices[vertex.index()].point
    }

    /// Returns twice the signed area of a loop, in square cells.
    #[must_use]
    pub fn doubled_area(&self, polygon_loop: &PolygonLoop) -> i128 {
        PlanPoint::doubled_area(polygon_loop.vertices.iter().map(|&vertex| self.point(vertex)))
    }

    /// Returns the area of a polygon in square cells, without its holes.
    #[must_use]
    pub fn polygon_area(&self, polygon: &Polygon) -> f64 {
        polygon.loops().map(|polygon_loop| self.doubled_area(polygon_loop)).sum::<i128>() as f64 / 2.0
    }
}

impl Validate for PolygonSet {
    /// Checks that indices are in range, every loop has at least three vertices and the right
    /// orientation, a polygon with holes has no crossing and no vertex inside an edge, and borders
    /// between regions match edge by edge.
    fn violations(&self, out: &mut ViolationList) {
        let mut shared = HashSet::new();
        for polygon in &self.polygons {
            for (index, polygon_loop) in polygon.loops().enumerate() {
                let count = polygon_loop.vertices.len();
                let known = polygon_loop.vertices.iter().all(|vertex| vertex.index() < self.vertices.len());
                if count < 3 || polygon_loop.beyond.len() != count || !known {
                    out.push(Violation::BrokenLoop { region: polygon.region, hole: index });
                    return;
                }
                if (self.doubled_area(polygon_loop) > 0) != (index == 0) {
                    out.push(Violation::WrongOrientation { region: polygon.region, hole: index });
                }
                for (edge, beyond) in polygon_loop.beyond.iter().enumerate() {
                    if let Some(beyond) = *beyond {
                        let (from, to) =
                            (polygon_loop.vertices[edge], polygon_loop.vertices[(edge + 1) % count]);
                        shared.insert((polygon.region, beyond, from, to));
                    }
                }
            }
            self.crossings(polygon, out);
        }
        for &(inside, beyond, from, to) in &shared {
            if !shared.contains(&(beyond, inside, to, from)) {
                out.push(Violation::UnmatchedEdge { region: inside, from, to });
            }
        }
    }
}

impl PolygonSet {
    /// Finds crossing or touching edges of one polygon with holes, by a tree of their boxes. Takes
    /// about `n log n` time, plus the number of pairs of edges whose boxes meet.
    fn crossings(&self, polygon: &Polygon, out: &mut ViolationList) {
        let mut edges = Vec::new();
        for polygon_loop in polygon.loops() {
            let points = polygon_loop.vertices.iter().map(|&vertex| self.point(vertex));
            edges.extend(points.clone().zip(points.cycle().skip(1)));
        }
        let boxes: Vec<Bounds> = edges.iter().map(|&(a, b)| Bounds::in_plan([a, b], 0.0)).collect();
        let tree = BoxTree::new(&boxes, 1);
        let mut near = Vec::new();
        for (index, &(a, b)) in edges.iter().enumerate() {
            near.clear();
            near.extend(tree.overlapping(boxes[index]).filter(|&other| other > index));
            near.sort_unstable();
            for &(c, d) in near.iter().map(|&other| &edges[other]) {
                if edges_conflict(a, b, c, d) {
                    out.push(Violation::CrossingEdges {
                        region: polygon.region,
                        first: [a, b],
                        second: [c, d],
                    });
                }
            }
        }
    }
}

/// Returns `true` if two edges share a point other than a common end point: a crossing, an end
/// inside the other edge, or an overlap.
fn edges_conflict(a: PlanPoint, b: PlanPoint, c: PlanPoint, d: PlanPoint) -> bool {
    if a.z.max(b.z) < c.z.min(d.z) || c.z.max(d.z) < a.z.min(b.z) {
        return false;
    }
    let inside = |p: PlanPoint, q: PlanPoint, r: PlanPoint| {
        PlanPoint::orientation(p, q, r) == 0
            && r != p
            && r != q
            && (p.x.min(q.x)..=p.x.max(q.x)).contains(&r.x)
            && (p.z.min(q.z)..=p.z.max(q.z)).contains(&r.z)
    };
    if inside(a, b, c) || inside(a, b, d) || inside(c, d, a) || inside(c, d, b) {
        return true;
    }
    if (a == c && b == d) || (a == d && b == c) {
        return true;
    }
    let side = |p, q, r| PlanPoint::orientation(p, q, r).signum();
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a sweep along x, the second takes minutes.
    #[test]
    fn a_border_with_many_points_on_a_line_is_checked_along_x_and_z() {
        for turned in [false, true] {
            let at = |x: i32, z: i32| if turned { [z.into(), x.into()] } else { [x.into(), z.into()] };
            let ring: Vec<[f64; 2]> = (0..300_000).map(|x| at(x, 0)).chain([at(9, 9)]).collect();
            assert!(PolygonSet::from_rings(&[ring], 1.0).is_ok());
        }
    }

    #[test]
    fn crossing_touching_and_overlapping_edges_conflict_but_common_ends_do_not() {
        let p = PlanPoint::new;
        assert!(edges_conflict(p(0, 0), p(4, 4), p(0, 4), p(4, 0)));
        assert!(edges_conflict(p(0, 0), p(4, 0), p(2, 0), p(2, 3)));
        assert!(edges_conflict(p(0, 0), p(4, 0), p(1, 0), p(6, 0)));
        assert!(edges_conflict(p(0, 0), p(4, 0), p(4, 0), p(0, 0)));
        assert!(!edges_conflict(p(0, 0), p(4, 0), p(4, 0), p(6, 1)));
        assert!(!edges_conflict(p(0, 0), p(4, 0), p(0, 1), p(4, 1)));
        assert!(!edges_conflict(p(0, 0), p(4, 0), p(4, 0), p(6, 0)));
    }
}

//! Ear clipping by shortest diagonal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::stage::{StageError, Triangulate};
use waymesh_core::{Observer, PlanPoint, PolygonSet, Triangulation, checkpoint, to_u32};

use crate::TriangulateError;
use crate::assemble::{Assembly, BORDER, LocalMesh, NO_INDEX};
use crate::bridges::Bridges;
use crate::crossings::CrossingCheck;
use crate::cycles::{BRIDGE, Cycles, Node};
use crate::outline::Outline;

/// Triangulates polygons by ear clipping: repeatedly cuts off the ear with the shortest diagonal.
/// Holes are first joined to the border around them by doubled edges (bridges).
///
/// # Guarantees
/// - The triangles fill each polygon exactly and are all positive; no vertices are added.
/// - The result depends only on the polygons; triangles come polygon by polygon, ordered by their
///   corners.
/// - Where borders of one polygon touch in a vertex, each triangle has the vertex of the border
///   that encloses its corner. If such borders swap sides, so that one corner has edges of two
///   vertices, both become the lower vertex.
/// - Two triangles of different regions are neighbours if they share an edge and each names the
///   other's region beyond it.
///
/// # Cost
/// For `n` vertices, `r` of them reflex, and `h` holes: `n r + h n log n + n log n`, plus a sweep
/// for crossing edges. Suits polygons of the size of a room; [`crate::triangulate_cdt`] is not
/// quadratic.
///
/// # Errors
/// Returns the first fault found: a border that is too short, names a missing vertex, has the wrong
/// winding, crosses or overlaps another, or touches one inside an edge; a hole outside the outer
/// border. Never panics.
///
/// # References
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 5.
/// - O'Rourke 1998, Computational Geometry in C, section 1.4, <https://doi.org/10.1017/CBO9780511804120>.
/// - Held 2001, FIST: fast industrial-strength triangulation of polygons (bridges to the nearest
///   visible vertex),
///   <https://doi.org/10.1007/s00453-001-0028-4>.
pub fn triangulate_ears(polygons: &PolygonSet) -> Result<Triangulation, TriangulateError> {
    let mut assembly = Assembly::new(polygons);
    let (mut outline, mut mesh) = (Outline::default(), LocalMesh::default());
    let (mut crossings, mut clipper) = (CrossingCheck::default(), Clipper::default());
    for polygon in &polygons.polygons {
        checkpoint();
        outline.load(polygons, polygon)?;
        crossings.check(&outline)?;
        clipper.clip(&outline, &mut mesh)?;
        assembly.add(&outline, &mut mesh)?;
    }
    Ok(assembly.finish(&outline.united))
}

/// [`triangulate_ears`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EarClipping;

impl Triangulate for EarClipping {
    fn triangulate(
        &self,
        polygons: &PolygonSet,
        _observer: &mut dyn Observer,
    ) -> Result<Triangulation, StageError> {
        triangulate_ears(polygons).map_err(StageError::at("triangulate"))
    }
}

/// Value in [`Clipper::lengths`] of a node that is not an ear.
const NO_EAR: u64 = u64::MAX;

/// An ear clipper that reuses its buffers for all polygons.
#[derive(Debug, Default)]
pub(crate) struct Clipper {
    cycles: Cycles,
    bridges: Bridges,
    /// For each bridge, the half-edge on the side that was triangulated first.
    waiting: Vec<u32>,
    /// Squared length of the diagonal of each ear.
    lengths: Vec<u64>,
    /// Ears sorted by diagonal. An entry is valid only while its length is that of the node.
    ears: BinaryHeap<Reverse<(u64, u32)>>,
    /// Reflex corners, the only corners that can lie in an ear.
    reflex: Vec<(PlanPoint, u32)>,
    /// Index of each node in `reflex`.
    slots: Vec<u32>,
}

impl Clipper {
    /// Fills `mesh` with the triangles of `outline`, whose edges do not cross.
    pub(crate) fn clip(&mut self, outline: &Outline, mesh: &mut LocalMesh) -> Result<(), TriangulateError> {
        mesh.clear();
        self.cycles.nodes.clear();
        self.cycles.nodes.extend((0..).zip(&outline.points).map(|(corner, &point)| Node {
            point,
            corner,
            prev: outline.prev[corner as usize],
            next: outline.next[corner as usize],
            link: BORDER | corner,
        }));
        self.bridges.join(&mut self.cycles, outline.region)?;
        self.waiting.clear();
        self.waiting.resize(self.cycles.len().saturating_sub(outline.len()) / 2, NO_INDEX);
        self.find_ears();
        let mut left = self.cycles.len();
        while let Some(Reverse((length, tip))) = self.ears.pop() {
            checkpoint();
            if self.lengths[tip as usize] != length {
                continue;
            }
            self.lengths[tip as usize] = NO_EAR;
            left -= 1;
            let Node { prev, next, .. } = self.cycles.nodes[tip as usize];
            let triangle = mesh.push([prev, tip, next].map(|node| self.cycles.nodes[node as usize].corner));
            self.attach(mesh, self.cycles.nodes[prev as usize].link, 3 * triangle);
            self.attach(mesh, self.cycles.nodes[tip as usize].link, 3 * triangle + 1);
            if self.cycles.next(next) == prev {
                self.attach(mesh, self.cycles.nodes[next as usize].link, 3 * triangle + 2);
                self.lengths[prev as usize] = NO_EAR;
                self.lengths[next as usize] = NO_EAR;
                left -= 2;
                continue;
            }
            self.cycles.nodes[prev as usize].next = next;
            self.cycles.nodes[prev as usize].link = 3 * triangle + 2;
            self.cycles.nodes[next as usize].prev = prev;
            self.update_reflex(prev);
            self.update_reflex(next);
            self.update_ear(prev);
            self.update_ear(next);
        }
        if left > 0 {
            let actual = mesh
                .triangles
                .iter()
                .map(|corners| {
                    let [a, b, c] = corners.map(|corner| outline.point(corner));
                    i128::from(PlanPoint::orientation(a, b, c))
                })
                .sum();
            let (region, expected) = (outline.region, outline.doubled_area);
            return Err(TriangulateError::AreaLost { region, expected, actual });
        }
        Ok(())
    }

    fn find_ears(&mut self) {
        self.reflex.clear();
        self.ears.clear();
        self.slots.clear();
        self.lengths.clear();
        self.slots.resize(self.cycles.len(), NO_INDEX);
        self.lengths.resize(self.cycles.len(), NO_EAR);
        for node in self.cycles.ids() {
            let [before, at, after] = self.cycles.around(node);
            if PlanPoint::orientation(before, at, after) <= 0 {
                self.slots[node as usize] = to_u32(self.reflex.len());
                self.reflex.push((at, node));
            }
        }
        for node in self.cycles.ids() {
            self.update_ear(node);
        }
    }

    /// Removes `node` from the list of reflex corners if it has become convex.
    fn update_reflex(&mut self, node: u32) {
        let slot = self.slots[node as usize];
        if slot == NO_INDEX {
            return;
        }
        let [before, at, after] = self.cycles.around(node);
        if PlanPoint::orientation(before, at, after) > 0 {
            self.slots[node as usize] = NO_INDEX;
            self.reflex.swap_remove(slot as usize);
            if let Some(&(_, moved)) = self.reflex.get(slot as usize) {
                self.slots[moved as usize] = slot;
            }
        }
    }

    fn update_ear(&mut self, node: u32) {
        let [before, at, after] = self.cycles.around(node);
        let is_ear = self.slots[node as usize] == NO_INDEX
            && !self.reflex.iter().any(|&(point, _)| {
                let inside = |from, to| PlanPoint::orientation(from, to, point) >= 0;
                inside(after, before)
                    && inside(before, at)
                    && inside(at, after)
                    && point != before
                    && point != at
                    && point != after
            });
        let length = if is_ear { before.distance_squared(after) } else { NO_EAR };
        self.lengths[node as usize] = length;
        if is_ear {
            self.ears.push(Reverse((length, node)));
        }
    }

    /// Links `half_edge` of a new triangle with the other side of the edge.
    fn attach(&mut self, mesh: &mut LocalMesh, link: u32, half_edge: u32) {
        let twin = if link & BORDER != 0 {
            link
        } else if link & BRIDGE != 0 {
            std::mem::replace(&mut self.waiting[(link & !BRIDGE) as usize], half_edge)
        } else {
            link
        };
        mesh.twins[half_edge as usize] = twin;
        if twin & BORDER == 0 {
            mesh.twins[twin as usize] = half_edge;
        }
    }
}

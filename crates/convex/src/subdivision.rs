//! A mutable subdivision into convex polygons.

use std::collections::BTreeMap;

use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, Triangulation, VertexId,
    to_u32,
};

/// Sentinel for a missing index.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// One side of an edge of a polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// Start vertex.
    pub(crate) origin: u32,
    /// The opposite side; [`NO_INDEX`] on a wall.
    pub(crate) twin: u32,
    /// The next side of the polygon; [`NO_INDEX`] once removed.
    pub(crate) next: u32,
    pub(crate) prev: u32,
    pub(crate) polygon: u32,
}

/// A polygon: one of its sides, its number of sides, its region and its area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// One of the sides; [`NO_INDEX`] once removed.
    pub(crate) side: u32,
    pub(crate) len: u32,
    pub(crate) region: RegionId,
    pub(crate) area: AreaId,
}

/// Numbering of polygons within a region, and choice of their first corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// Polygons keep their current order. The first corner is that of the lowest side.
    Stored,
    /// Polygons are sorted by their lowest vertex and the next vertex. The lowest vertex is the
    /// first corner.
    Vertices,
}

/// Polygons that meet edge to edge.
#[derive(Debug)]
pub(crate) struct Subdivision<'a> {
    pub(crate) vertices: &'a [PlanVertex],
    pub(crate) frame: GridFrame,
    pub(crate) sides: Vec<Side>,
    pub(crate) polygons: Vec<Patch>,
    /// Free lists of removed sides and polygons.
    free_sides: Vec<u32>,
    free_polygons: Vec<u32>,
}

impl<'a> Subdivision<'a> {
    pub(crate) fn new(triangulation: &'a Triangulation, sides: Vec<Side>, polygons: Vec<Patch>) -> Self {
        let (free_sides, free_polygons) = (Vec::new(), Vec::new());
        Self {
            vertices: &triangulation.vertices,
            frame: triangulation.frame,
            sides,
            polygons,
            free_sides,
            free_polygons,
        }
    }

    /// Moves the polygons to another triangulation of the same vertices.
    pub(crate) fn of<'b>(self, triangulation: &'b Triangulation) -> Subdivision<'b> {
        Subdivision { vertices: &triangulation.vertices, ..Subdivision { vertices: &[], ..self } }
    }

    /// Returns the sides and the polygons, including removed ones.
    pub(crate) fn into_tables(self) -> (Vec<Side>, Vec<Patch>) {
        (self.sides, self.polygons)
    }

    #[inline]
    pub(crate) fn side(&self, side: u32) -> &Side {
        &self.sides[side as usize]
    }

    #[inline]
    pub(crate) fn point_of(&self, vertex: u32) -> PlanPoint {
        self.vertices[vertex as usize].point
    }

    #[inline]
    pub(crate) fn point(&self, side: u32) -> PlanPoint {
        self.point_of(self.side(side).origin)
    }

    /// Returns `true` if the side is a portal to another polygon of the same region and area, which
    /// may be joined with this one.
    #[inline]
    pub(crate) fn is_inner(&self, side: u32) -> bool {
        let Side { twin, polygon, .. } = *self.side(side);
        twin != NO_INDEX && {
            let [mine, theirs] =
                [polygon, self.side(twin).polygon].map(|polygon| &self.polygons[polygon as usize]);
            (mine.region, mine.area) == (theirs.region, theirs.area)
        }
    }

    /// Returns the sides of a polygon.
    pub(crate) fn around(&self, polygon: u32) -> impl Iterator<Item = u32> {
        let Patch { side, len, .. } = self.polygons[polygon as usize];
        let next = move |&at: &u32| Some(self.side(at).next).filter(|&next| next != NO_INDEX);
        std::iter::successors(Some(side).filter(|&side| side != NO_INDEX), next).take(len as usize)
    }

    /// Removes a polygon but not its sides. The caller reuses them or calls
    /// [`Subdivision::free_side`].
    pub(crate) fn free_polygon(&mut self, polygon: u32) {
        self.polygons[polygon as usize].side = NO_INDEX;
        self.free_polygons.push(polygon);
    }

    pub(crate) fn free_side(&mut self, side: u32) {
        self.sides[side as usize].next = NO_INDEX;
        self.free_sides.push(side);
    }

    /// Adds a side that starts at a vertex and has no polygon and no neighbours.
    pub(crate) fn new_side(&mut self, origin: u32) -> u32 {
        let side = Side { origin, twin: NO_INDEX, next: NO_INDEX, prev: NO_INDEX, polygon: NO_INDEX };
        match self.free_sides.pop() {
            Some(free) => {
                self.sides[free as usize] = side;
                free
            }
            None => {
                self.sides.push(side);
                to_u32(self.sides.len() - 1)
            }
        }
    }

    /// Adds a polygon with these sides.
    pub(crate) fn new_polygon(&mut self, sides: &[u32], region: RegionId, area: AreaId) -> u32 {
        let patch = Patch { side: sides[0], len: to_u32(sides.len()), region, area };
        let polygon = match self.free_polygons.pop() {
            Some(free) => {
                self.polygons[free as usize] = patch;
                free
            }
            None => {
                self.polygons.push(patch);
                to_u32(self.polygons.len() - 1)
            }
        };
        for (at, &side) in sides.iter().enumerate() {
            let next = sides[(at + 1) % sides.len()];
            self.sides[side as usize].next = next;
            self.sides[side as usize].polygon = polygon;
            self.sides[next as usize].prev = side;
        }
        polygon
    }

    /// Returns the number of polygons.
    pub(crate) fn len(&self) -> usize {
        self.polygons.len() - self.free_polygons.len()
    }

    /// Returns the polygons that have not been removed.
    pub(crate) fn living(&self) -> impl Iterator<Item = u32> {
        (0..to_u32(self.polygons.len())).filter(|&polygon| self.polygons[polygon as usize].side != NO_INDEX)
    }

    /// Replaces all polygons of one region, `own`, by `polygons` of another subdivision. Returns
    /// `false`, without a change, if the borders differ, which is possible if triangles overlap.
    pub(crate) fn take_region(&mut self, own: &[u32], other: &Self, polygons: &[u32]) -> bool {
        let border_of = |subdivision: &Self, polygons: &[u32]| {
            let mut border: Vec<([u32; 2], u32)> = Vec::new();
            for &polygon in polygons {
                for side in subdivision.around(polygon).filter(|&side| subdivision.is_border(side)) {
                    let Side { origin, next, .. } = *subdivision.side(side);
                    border.push(([origin, subdivision.side(next).origin], side));
                }
            }
            border.sort_unstable();
            border
        };
        let (mine, theirs) = (border_of(self, own), border_of(other, polygons));
        let same = mine.len() == theirs.len() && mine.iter().zip(&theirs).all(|(a, b)| a.0 == b.0);
        if !same || mine.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return false;
        }
        let sides: Vec<u32> = own.iter().flat_map(|&polygon| self.around(polygon)).collect();
        for side in sides {
            if !self.is_border(side) {
                self.free_side(side);
            }
        }
        own.iter().for_each(|&polygon| self.free_polygon(polygon));
        let mut new_sides: BTreeMap<u32, u32> =
            mine.iter().zip(&theirs).map(|(mine, theirs)| (theirs.1, mine.1)).collect();
        for &polygon in polygons {
            for side in other.around(polygon).filter(|&side| !other.is_border(side)) {
                let new = self.new_side(other.side(side).origin);
                new_sides.insert(side, new);
                if let Some(&twin) = new_sides.get(&other.side(side).twin) {
                    self.sides[new as usize].twin = twin;
                    self.sides[twin as usize].twin = new;
                }
            }
        }
        for &polygon in polygons {
            let sides: Vec<u32> = other.around(polygon).map(|side| new_sides[&side]).collect();
            let Patch { region, area, .. } = other.polygons[polygon as usize];
            self.new_polygon(&sides, region, area);
        }
        true
    }

    /// Returns `true` if the side is on a wall or on a border to another region.
    fn is_border(&self, side: u32) -> bool {
        let Side { twin, polygon, .. } = *self.side(side);
        twin == NO_INDEX
            || self.polygons[polygon as usize].region
                != self.polygons[self.side(twin).polygon as usize].region
    }

    /// Merges collinear sides between the same two polygons if no other side uses the vertex
    /// between them.
    fn fuse(&mut self) {
        let mut uses = vec![0_u32; self.vertices.len()];
        for side in self.sides.iter().filter(|side| side.next != NO_INDEX) {
            uses[side.origin as usize] += 1;
        }
        for at in 0..self.sides.len() {
            let Side { origin, twin, next, prev, polygon } = self.sides[at];
            if next == NO_INDEX || twin == NO_INDEX || uses[origin as usize] != 2 {
                continue;
            }
            let twin_before = self.side(prev).twin;
            if twin_before == NO_INDEX
                || self.side(twin).next != twin_before
                || PlanPoint::orientation(self.point(prev), self.point_of(origin), self.point(next)) != 0
            {
                continue;
            }
            // `prev` is extended by this side, and `twin` by the twin of `prev`.
            let after = self.side(twin_before).next;
            self.sides[prev as usize].next = next;
            self.sides[next as usize].prev = prev;
            self.sides[twin as usize].next = after;
            self.sides[after as usize].prev = twin;
            self.sides[prev as usize].twin = twin;
            self.sides[twin as usize].twin = prev;
            for (gone, kept, polygon) in
                [(to_u32(at), prev, polygon), (twin_before, twin, self.side(twin_before).polygon)]
            {
                self.sides[gone as usize].next = NO_INDEX;
                let patch = &mut self.polygons[polygon as usize];
                patch.len -= 1;
                if patch.side == gone {
                    patch.side = kept;
                }
            }
        }
    }

    /// Returns the polygons, ordered by region, then by `numbering`. Vertices keep their order;
    /// unused ones are dropped.
    pub(crate) fn into_mesh(mut self, numbering: Numbering) -> PolyMesh {
        self.fuse();
        let mut order: Vec<(RegionId, [u32; 2], u32)> = Vec::with_capacity(self.len());
        for polygon in 0..to_u32(self.polygons.len()) {
            let Patch { side, region, .. } = self.polygons[polygon as usize];
            if side == NO_INDEX {
                continue;
            }
            let key = |side: u32| match numbering {
                Numbering::Stored => [polygon, side],
                Numbering::Vertices => {
                    let side = self.side(side);
                    [side.origin, self.side(side.next).origin]
                }
            };
            if let Some(first) = self.around(polygon).min_by_key(|&side| key(side)) {
                order.push((region, key(first), polygon));
                self.polygons[polygon as usize].side = first;
            }
        }
        order.sort_unstable();
        let mut polygon_of = vec![NO_INDEX; self.polygons.len()];
        for (new, &(.., polygon)) in order.iter().enumerate() {
            polygon_of[polygon as usize] = to_u32(new);
        }
        let mut vertex_of = vec![NO_INDEX; self.vertices.len()];
        let mut corners = 0;
        for side in self.sides.iter().filter(|side| side.next != NO_INDEX) {
            vertex_of[side.origin as usize] = 0;
            corners += 1;
        }
        let mut vertices = Vec::new();
        for (vertex, new) in self.vertices.iter().zip(&mut vertex_of) {
            if *new == 0 {
                *new = to_u32(vertices.len());
                vertices.push(*vertex);
            }
        }
        let mut mesh = PolyMesh {
            frame: self.frame,
            vertices,
            polygons: Vec::with_capacity(order.len()),
            corners: Vec::with_capacity(corners),
            neighbours: Vec::with_capacity(corners),
        };
        for &(region, _, polygon) in &order {
            let first = to_u32(mesh.corners.len());
            for side in self.around(polygon) {
                let Side { origin, twin, .. } = *self.side(side);
                mesh.corners.push(VertexId(vertex_of[origin as usize]));
                let neighbour =
                    (twin != NO_INDEX).then(|| PolyId(polygon_of[self.side(twin).polygon as usize]));
                mesh.neighbours.push(neighbour);
            }
            let len = to_u32(mesh.corners.len()) - first;
            mesh.polygons.push(Poly { first, len, region, area: self.polygons[polygon as usize].area });
        }
        mesh
    }
}

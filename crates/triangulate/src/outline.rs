//! A checked polygon as cycles of corners.
//!
//! A corner is a sector of the polygon's inside at a vertex, between the edge that leaves and the
//! edge that arrives. The loops of touching borders may pass through each other's sectors. This
//! module pairs the edges at such a point again, so that no edge lies inside the sector of another
//! corner. All later steps rely on this.

use waymesh_core::{
    AreaId, MAX_PLAN_COORDINATE, PlanPoint, Polygon, PolygonSet, RegionId, VertexId, nearest_f32, to_u32,
};

use crate::TriangulateError;

/// Largest number of border vertices of a set. `n` vertices make fewer than `5/3 n` triangles with
/// 3 half-edges each, and two bits are flags.
const MAX_CORNERS: usize = (u32::MAX >> 5) as usize;

/// Index into the tables of an [`Outline`]: a corner, and the edge that leaves it.
pub(crate) type Corner = u32;

/// A polygon as corners. Tables are indexed by [`Corner`], in the order of the input loops.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) region: RegionId,
    pub(crate) area: AreaId,
    pub(crate) points: Vec<PlanPoint>,
    pub(crate) vertices: Vec<VertexId>,
    pub(crate) beyond: Vec<Option<RegionId>>,
    /// Corner at the other end of the edge that leaves each corner.
    pub(crate) next: Vec<Corner>,
    /// Corner at the other end of the edge that arrives at each corner.
    pub(crate) prev: Vec<Corner>,
    /// First corner at the point of each corner.
    pub(crate) place: Vec<Corner>,
    pub(crate) doubled_area: i128,
    /// Pairs of vertices that the pairing has put into one corner, over all polygons loaded.
    pub(crate) united: Vec<[VertexId; 2]>,
    corners_loaded: usize,
    by_point: Vec<(u64, Corner)>,
    spokes: Vec<Spoke>,
}

/// One end of an edge, as seen from its point.
#[derive(Clone, Copy, Debug)]
struct Spoke {
    leaves: bool,
    corner: Corner,
    tip: PlanPoint,
    /// The far end of the input edge.
    before: Corner,
}

impl Default for Outline {
    fn default() -> Self {
        Self {
            region: RegionId(0),
            area: AreaId::NULL,
            points: Vec::new(),
            vertices: Vec::new(),
            beyond: Vec::new(),
            next: Vec::new(),
            prev: Vec::new(),
            place: Vec::new(),
            doubled_area: 0,
            united: Vec::new(),
            corners_loaded: 0,
            by_point: Vec::new(),
            spokes: Vec::new(),
        }
    }
}

impl Outline {
    /// Returns the number of corners.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    #[inline]
    pub(crate) fn point(&self, corner: Corner) -> PlanPoint {
        self.points[corner as usize]
    }

    /// Returns the end points of the edge that leaves `corner`.
    pub(crate) fn edge(&self, corner: Corner) -> [PlanPoint; 2] {
        [self.point(corner), self.point(self.next[corner as usize])]
    }

    /// Loads `polygon` and checks its loops. Does not search for crossing edges.
    pub(crate) fn load(&mut self, set: &PolygonSet, polygon: &Polygon) -> Result<(), TriangulateError> {
        let region = polygon.region;
        self.region = region;
        self.area = polygon.area;
        self.points.clear();
        self.vertices.clear();
        self.beyond.clear();
        self.next.clear();
        self.prev.clear();
        self.doubled_area = 0;
        for (border, polygon_loop) in polygon.loops().enumerate() {
            let (vertices, beyond) = (polygon_loop.vertices.len(), polygon_loop.beyond.len());
            if vertices < 3 || beyond != vertices {
                return Err(TriangulateError::BrokenLoop { region, border, vertices, beyond });
            }
            self.corners_loaded += vertices;
            if self.corners_loaded > MAX_CORNERS {
                let (vertices, limit) = (self.corners_loaded, MAX_CORNERS);
                return Err(TriangulateError::TooManyVertices { region, vertices, limit });
            }
            let first = self.points.len();
            for &vertex in &polygon_loop.vertices {
                let Some(at) = set.vertices.get(vertex.index()) else {
                    let count = set.vertices.len();
                    return Err(TriangulateError::UnknownVertex { region, vertex, count });
                };
                let (point, limit) = (at.point, MAX_PLAN_COORDINATE);
                if !(-limit..=limit).contains(&point.x) || !(-limit..=limit).contains(&point.z) {
                    return Err(TriangulateError::OutOfRange { region, point, limit });
                }
                let corner = to_u32(self.points.len());
                self.points.push(point);
                self.next.push(corner + 1);
                self.prev.push(corner.wrapping_sub(1));
            }
            let last = self.points.len() - 1;
            self.next[last] = to_u32(first);
            self.prev[first] = to_u32(last);
            self.vertices.extend_from_slice(&polygon_loop.vertices);
            self.beyond.extend_from_slice(&polygon_loop.beyond);
            let doubled_area = PlanPoint::doubled_area(self.points[first..].iter().copied());
            if doubled_area == 0 || (doubled_area > 0) != (border == 0) {
                return Err(TriangulateError::WrongOrientation { region, border, doubled_area });
            }
            self.doubled_area += doubled_area;
            for corner in first..=last {
                let point = self.points[corner];
                if self.point(self.next[corner]) == point {
                    return Err(TriangulateError::RepeatedPoint { region, point });
                }
            }
        }
        self.pair_touching()
    }

    /// Finds corners at the same point and pairs their edges again.
    fn pair_touching(&mut self) -> Result<(), TriangulateError> {
        self.place.clear();
        self.by_point.clear();
        for (corner, point) in (0..).zip(&self.points) {
            self.place.push(corner);
            self.by_point.push((point_key(*point), corner));
        }
        self.by_point.sort_unstable();
        let mut start = 0;
        while start < self.by_point.len() {
            let key = self.by_point[start].0;
            let mut end = start + 1;
            while end < self.by_point.len() && self.by_point[end].0 == key {
                end += 1;
            }
            if end - start > 1 {
                self.pair_at(start, end)?;
            }
            start = end;
        }
        Ok(())
    }

    /// Pairs the edges at one point. Seen from there, each edge that leaves begins a sector of the
    /// inside. The sector ends at the next edge counter-clockwise, which must arrive.
    fn pair_at(&mut self, start: usize, end: usize) -> Result<(), TriangulateError> {
        let region = self.region;
        let first = self.by_point[start].1;
        let center = self.point(first);
        self.spokes.clear();
        for index in start..end {
            let corner = self.by_point[index].1;
            self.place[corner as usize] = first;
            let (next, before) = (self.next[corner as usize], self.prev[corner as usize]);
            self.spokes.push(Spoke { leaves: true, corner, tip: self.point(next), before });
            self.spokes.push(Spoke { leaves: false, corner, tip: self.point(before), before });
        }
        let spokes = &mut self.spokes;
        spokes.sort_unstable_by(|a, b| {
            let upper = |tip: PlanPoint| (tip.z, tip.x) > (center.z, center.x);
            upper(b.tip)
                .cmp(&upper(a.tip))
                .then_with(|| 0.cmp(&PlanPoint::orientation(center, a.tip, b.tip)))
                .then_with(|| (a.corner, a.leaves).cmp(&(b.corner, b.leaves)))
        });
        let offset = usize::from(!spokes[0].leaves);
        for pair in 0..spokes.len() / 2 {
            let [leaving, arriving] = [0, 1].map(|step| spokes[(offset + 2 * pair + step) % spokes.len()]);
            let after = spokes[(offset + 2 * pair + 2) % spokes.len()];
            for (a, b) in [(leaving, arriving), (arriving, after)] {
                let upper = |tip: PlanPoint| (tip.z, tip.x) > (center.z, center.x);
                if upper(a.tip) == upper(b.tip) && PlanPoint::orientation(center, a.tip, b.tip) == 0 {
                    let (first, second) = ([center, a.tip], [center, b.tip]);
                    return Err(TriangulateError::CrossingEdges { region, first, second });
                }
            }
            if !leaving.leaves || arriving.leaves {
                return Err(TriangulateError::CrossingAtVertex { region, point: center });
            }
            if leaving.corner != arriving.corner {
                self.next[arriving.before as usize] = leaving.corner;
                self.prev[leaving.corner as usize] = arriving.before;
                let [a, b] = [leaving, arriving].map(|spoke| self.vertices[spoke.corner as usize]);
                if a != b {
                    self.united.push([a, b]);
                }
            }
        }
        Ok(())
    }
}

/// Returns `true` if `point`, on the line through two ends, lies strictly between them.
pub(crate) fn is_between([a, b]: [PlanPoint; 2], point: PlanPoint) -> bool {
    point != a
        && point != b
        && (a.x.min(b.x)..=a.x.max(b.x)).contains(&point.x)
        && (a.z.min(b.z)..=a.z.max(b.z)).contains(&point.z)
}

/// Interpolates between two heights.
pub(crate) fn height_between([from, to]: [f32; 2], share: f64) -> f32 {
    nearest_f32(f64::from(from) + share * (f64::from(to) - f64::from(from)))
}

/// Returns a key that orders points by x, then z.
#[inline]
#[expect(clippy::cast_sign_loss, reason = "the sign bit is flipped to keep the order")]
pub(crate) fn point_key(point: PlanPoint) -> u64 {
    let unsigned = |value: i32| u64::from((value as u32) ^ (1 << 31));
    (unsigned(point.x) << 32) | unsigned(point.z)
}

//! The polygons of a tile in compressed form: they are read only when a neighbour of the tile
//! changes.

use waymesh_core::bytes::{Reader, Writer, unzigzag, zigzag};
use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, SpanKey, VertexId, to_u32,
};

use super::polygons::{BorderEdge, Step, TilePolygons};

/// [`TilePolygons`] as bytes: a tenth of their memory, as the steps of a border edge lie in a row.
#[derive(Debug, PartialEq)]
pub(super) struct PackedPolygons {
    frame: GridFrame,
    bytes: Box<[u8]>,
}

impl PackedPolygons {
    /// Returns the bytes for [`PackedPolygons::from_bytes`].
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes bytes, which [`PackedPolygons::read`] checks.
    pub(super) fn from_bytes(frame: GridFrame, bytes: Box<[u8]>) -> Self {
        Self { frame, bytes }
    }

    /// Packs polygons.
    ///
    /// # Layout
    /// Variable-length integers ([`waymesh_core::bytes`]). Lists begin with their number.
    /// - Vertices: `x` and `z` as the difference to the one before, the four bytes of the height.
    /// - Polygons: region, area; of each corner its vertex as the difference to the one before, and
    ///   its neighbour plus 1, or 0.
    /// - Border edges: polygon as the difference to the one before, edge, steps. Of each step, twice
    ///   the difference of its floor to the one before, and the difference of the floor beyond. For
    ///   one that does not lie in line with those before, 1 and six differences.
    pub(super) fn pack(polygons: &TilePolygons) -> Self {
        let mesh = &polygons.mesh;
        let mut out = Writer::default();
        out.count(mesh.vertices.len());
        let mut last = PlanPoint::new(0, 0);
        for PlanVertex { point, height } in &mesh.vertices {
            out.signed(i64::from(point.x) - i64::from(last.x));
            out.signed(i64::from(point.z) - i64::from(last.z));
            out.put(*height);
            last = *point;
        }
        out.count(mesh.polygons.len());
        for (index, polygon) in mesh.polygons.iter().enumerate() {
            let range = mesh.corner_range(PolyId::from_index(index));
            out.number(polygon.region.0);
            out.put(polygon.area.0);
            out.count(range.len());
            let mut last = 0;
            for (corner, neighbour) in mesh.corners[range.clone()].iter().zip(&mesh.neighbours[range]) {
                out.signed(i64::from(corner.0) - last);
                out.number(neighbour.map_or(0, |neighbour| u64::from(neighbour.0) + 1));
                last = corner.0.into();
            }
        }
        out.count(polygons.borders.len());
        let mut last = 0;
        for BorderEdge { polygon, edge, steps } in &polygons.borders {
            out.signed(i64::from(*polygon) - last);
            out.number(*edge);
            out.count(steps.len());
            let mut row = Row::default();
            for step in steps {
                let more = row.next(step);
                if let [0, 0, floor, 0, 0, to_floor] = more {
                    out.number(zigzag(floor) << 1);
                    out.signed(to_floor);
                } else {
                    out.put(ELSEWHERE);
                    more.into_iter().for_each(|number| out.signed(number));
                }
            }
            last = (*polygon).into();
        }
        Self { frame: mesh.frame, bytes: out.0.into_boxed_slice() }
    }

    /// Reads the polygons. Returns `None` for damaged bytes.
    pub(super) fn read(&self) -> Option<TilePolygons> {
        let (mut from, mut mesh) = (Reader::new(&self.bytes), PolyMesh::empty(self.frame));
        let borders = read(&mut from, &mut mesh)?;
        from.end()?;
        Some(TilePolygons { mesh, borders })
    }

    /// The polygons that were packed, or that were read before.
    pub(super) fn unpack(&self) -> TilePolygons {
        // These bytes were written here, or read once as they came.
        let none = || TilePolygons { mesh: PolyMesh::empty(self.frame), borders: Vec::new() };
        self.read().unwrap_or_else(none)
    }
}

/// Before a step that does not lie in line with those before.
const ELSEWHERE: u8 = 1;

/// Prediction of the steps of an edge: equal distances, as between the first two.
#[derive(Default)]
struct Row {
    last: [i64; 6],
    way: [i64; 6],
    known: usize,
}

impl Row {
    /// Returns the difference of a step from its prediction.
    fn next(&mut self, step: &Step) -> [i64; 6] {
        let [a, b] = step.map(|SpanKey { z, x, floor }| [z.into(), x.into(), floor.into()]);
        let numbers = [a[0], a[1], a[2], b[0], b[1], b[2]];
        let more = std::array::from_fn(|at| numbers[at] - self.last[at] - self.way[at]);
        self.note(numbers, &more);
        more
    }

    /// The step that differs so.
    fn step(&mut self, more: &[i64; 6]) -> Option<Step> {
        let numbers: [i64; 6] =
            std::array::from_fn(|at| self.last[at].wrapping_add(self.way[at]).wrapping_add(more[at]));
        self.note(numbers, more);
        let key = |[z, x, floor]: [i64; 3]| {
            let floor = floor.try_into().ok()?;
            Some(SpanKey { z: z.try_into().ok()?, x: x.try_into().ok()?, floor })
        };
        let [z, x, floor, to_z, to_x, to_floor] = numbers;
        Some([key([z, x, floor])?, key([to_z, to_x, to_floor])?])
    }

    fn note(&mut self, numbers: [i64; 6], more: &[i64; 6]) {
        self.last = numbers;
        if self.known == 1 {
            // Along the border, not up.
            self.way = [more[0], more[1], 0, more[3], more[4], 0];
        }
        self.known += 1;
    }
}

/// The number that differs by the next one from the last one.
fn after<T: TryFrom<i64> + Copy + Into<i64>>(from: &mut Reader<'_>, last: &mut T) -> Option<T> {
    let difference = from.signed()?;
    *last = from.plus(*last, difference)?;
    Some(*last)
}

fn read(from: &mut Reader<'_>, mesh: &mut PolyMesh) -> Option<Vec<BorderEdge>> {
    let (mut x, mut z) = (0_i32, 0_i32);
    mesh.vertices = from.counted(6, |from| {
        let point = PlanPoint::new(after(from, &mut x)?, after(from, &mut z)?);
        Some(PlanVertex { point, height: from.get()? })
    })?;
    mesh.polygons = from.counted(3, |from| {
        let (region, area) = (RegionId(from.number()?), AreaId(from.get()?));
        let (first, mut last) = (mesh.corners.len(), 0_u32);
        for _ in 0..from.number::<usize>()? {
            mesh.corners.push(VertexId(after(from, &mut last)?));
            mesh.neighbours.push(from.number::<u32>()?.checked_sub(1).map(PolyId));
        }
        Some(Poly { first: to_u32(first), len: to_u32(mesh.corners.len() - first), region, area })
    })?;
    let mut last = 0_u32;
    from.counted(3, |from| {
        let (polygon, edge, mut row) = (after(from, &mut last)?, from.number()?, Row::default());
        let steps = from.counted(2, |from| {
            let mut more = [0; 6];
            let first: u64 = from.number()?;
            if first == u64::from(ELSEWHERE) {
                for number in &mut more {
                    *number = from.signed()?;
                }
            } else {
                (more[2], more[5]) = (unzigzag(first >> 1), from.signed()?);
            }
            row.step(&more)
        })?;
        Some(BorderEdge { polygon, edge, steps })
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn polygons_come_back() {
        let key = |z: u32, x: u32, floor: i32| SpanKey { z, x, floor };
        let row = |floor: fn(u32) -> i32| -> Vec<Step> {
            (0..40).map(|x| [key(7, 90 - x, floor(x)), key(8, 90 - x, floor(x) - 3)]).collect()
        };
        let crooked = vec![
            [key(0, u32::MAX, i32::MIN), key(u32::MAX, 0, i32::MAX)],
            [key(u32::MAX, 0, i32::MAX), key(0, u32::MAX, i32::MIN)],
            [key(3, 3, 3), key(4, 4, 4)],
            [key(3, 3, 3), key(4, 4, 4)],
        ];
        let steps = [row(|_| 5), row(|x| (x / 3).cast_signed() - 4), crooked, Vec::new()];
        let point = |x: i32, z: i32, height: f32| PlanVertex { point: PlanPoint::new(x, z), height };
        let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 9, depth: 9 };
        let borders = (0..).zip(steps);
        let empty = TilePolygons { mesh: PolyMesh::empty(frame), borders: Vec::new() };
        let polygons = TilePolygons {
            mesh: PolyMesh {
                vertices: vec![point(50, 7, 5.0), point(90, 7, -0.25), point(i32::MAX, i32::MIN, f32::MAX)],
                polygons: vec![
                    Poly { first: 0, len: 3, region: RegionId(0), area: AreaId(1) },
                    Poly { first: 3, len: 3, region: RegionId(300), area: AreaId(255) },
                ],
                corners: [0, 1, 2, 2, 1, 0].map(VertexId).to_vec(),
                neighbours: vec![None, Some(PolyId(1)), None, Some(PolyId(0)), None, None],
                frame,
            },
            borders: borders.map(|(edge, steps)| BorderEdge { polygon: edge / 2, edge, steps }).collect(),
        };
        let packed = PackedPolygons::pack(&polygons);
        assert_eq!(packed.unpack(), polygons);
        let bytes = packed.as_bytes();
        assert!(bytes.len() < 2 * 2 * 40 + 200, "{} bytes", bytes.len());
        let cut = |bytes: &[u8]| PackedPolygons::from_bytes(frame, bytes.into()).read();
        assert_eq!(cut(bytes), Some(polygons));
        assert_eq!((cut(&bytes[1..]), cut(&[bytes, &[0]].concat())), (None, None));
        assert_eq!(PackedPolygons::pack(&empty).unpack(), empty);
    }
}

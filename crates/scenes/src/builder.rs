//! Builds solids from corners, in the frame of the part that they belong to.

use glam::Vec3;
use waymesh_core::{Random, TriangleSoup, float, nearest_f32, saturating_u32};

/// Place of a part: quarter turns about the vertical, then a shift. It is exact, and surfaces that
/// face up still do.
#[derive(Clone, Copy, Debug)]
struct Frame {
    origin: Vec3,
    turns: u8,
}

impl Frame {
    fn apply(self, point: Vec3) -> Vec3 {
        self.origin + turned(point, self.turns)
    }
}

/// Turns a point about the vertical by quarter turns, which move +x to +x, +z, -x or -z.
pub(crate) fn turned(point: Vec3, turns: u8) -> Vec3 {
    match turns % 4 {
        0 => point,
        1 => Vec3::new(-point.z, point.y, point.x),
        2 => Vec3::new(-point.x, point.y, -point.z),
        _ => Vec3::new(point.z, point.y, -point.x),
    }
}

/// A horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    X,
    Z,
}

/// Collects triangles.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    frame: Option<Frame>,
}

impl Builder {
    pub(crate) fn finish(self) -> TriangleSoup {
        TriangleSoup::new(self.positions, self.triangles).expect("indices count the positions pushed")
    }

    pub(crate) fn push(&mut self, position: Vec3) -> u32 {
        let index = u32::try_from(self.positions.len()).expect("scenes stay far below 2^32 vertices");
        self.positions.push(self.frame.map_or(position, |frame| frame.apply(position)));
        index
    }

    /// Builds a part whose own origin is `origin` and whose x axis is turned `turns` quarter turns:
    /// to +x, +z, -x, -z.
    pub(crate) fn at(&mut self, origin: Vec3, turns: u8, build: impl FnOnce(&mut Self)) {
        let outer = self.frame;
        self.frame = Some(match outer {
            Some(frame) => Frame { origin: frame.apply(origin), turns: (frame.turns + turns) % 4 },
            None => Frame { origin, turns: turns % 4 },
        });
        build(self);
        self.frame = outer;
    }

    pub(crate) fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }

    /// Two triangles `abc` and `acd`.
    pub(crate) fn quad(&mut self, corners: [Vec3; 4]) {
        let [a, b, c, d] = corners.map(|corner| self.push(corner));
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// A level rectangle that faces up, cut into squares of about `step`.
    pub(crate) fn floor(&mut self, min: [f32; 2], max: [f32; 2], y: f32, step: f32) {
        let (xs, zs) = (cuts(min[0], max[0], step), cuts(min[1], max[1], step));
        for x in xs.windows(2) {
            for z in zs.windows(2) {
                self.quad(level([x[0], x[1]], [z[0], z[1]], y));
            }
        }
    }

    /// A solid with six faces. Both rings run `(-x, -z), (-x, +z), (+x, +z), (+x, -z)`.
    pub(crate) fn hexahedron(&mut self, bottom: [Vec3; 4], top: [Vec3; 4]) {
        self.quad(top);
        self.quad([bottom[3], bottom[2], bottom[1], bottom[0]]);
        for side in 0..4 {
            let next = (side + 1) % 4;
            self.quad([bottom[side], bottom[next], top[next], top[side]]);
        }
    }

    /// A box with these ranges along x, y and z.
    pub(crate) fn block(&mut self, x: [f32; 2], y: [f32; 2], z: [f32; 2]) {
        self.hexahedron(level(x, z, y[0]), level(x, z, y[1]));
    }

    pub(crate) fn cuboid(&mut self, min: Vec3, max: Vec3) {
        self.block([min.x, max.x], [min.y, max.y], [min.z, max.z]);
    }

    /// A box with its ranges along an axis, across it, and along y.
    pub(crate) fn slab(&mut self, axis: Axis, along: [f32; 2], across: [f32; 2], y: [f32; 2]) {
        let [x, z] = if axis == Axis::X { [along, across] } else { [across, along] };
        self.block(x, y, z);
    }

    /// A sloping slab that rises along an axis from `low.y` to `high.y`; `thickness` is vertical.
    pub(crate) fn ramp(&mut self, axis: Axis, low: Vec3, high: Vec3, thickness: f32) {
        let (least, most, middle) = (low.min(high), low.max(high), low.midpoint(high));
        let height = |x: f32, z: f32| {
            let is_high = match axis {
                Axis::X => (x > middle.x) == (high.x > low.x),
                Axis::Z => (z > middle.z) == (high.z > low.z),
            };
            if is_high { high.y } else { low.y }
        };
        let ring = |drop: f32| rectangle([least.x, most.x], [least.z, most.z], |x, z| height(x, z) - drop);
        self.hexahedron(ring(thickness), ring(0.0));
    }

    /// A closed slab made of the rectangles between the cuts for which `keep(i, j)` returns `true`.
    pub(crate) fn plate(&mut self, xs: &[f32], zs: &[f32], y: [f32; 2], keep: impl Fn(usize, usize) -> bool) {
        let kept = |i: usize, j: usize| i < xs.len() - 1 && j < zs.len() - 1 && keep(i, j);
        for i in 0..xs.len() - 1 {
            for j in 0..zs.len() - 1 {
                if !kept(i, j) {
                    continue;
                }
                let (x, z) = ([xs[i], xs[i + 1]], [zs[j], zs[j + 1]]);
                let (bottom, top) = (level(x, z, y[0]), level(x, z, y[1]));
                self.quad(top);
                self.quad([bottom[3], bottom[2], bottom[1], bottom[0]]);
                let beyond =
                    [kept(i.wrapping_sub(1), j), kept(i, j + 1), kept(i + 1, j), kept(i, j.wrapping_sub(1))];
                for side in (0..4).filter(|&side| !beyond[side]) {
                    let next = (side + 1) % 4;
                    self.quad([bottom[side], bottom[next], top[next], top[side]]);
                }
            }
        }
    }
}

/// Returns the corners of a rectangle in plan, in the order of [`Builder::quad`], at the height
/// that `y` gives for x and z.
pub(crate) fn rectangle(x: [f32; 2], z: [f32; 2], y: impl Fn(f32, f32) -> f32) -> [Vec3; 4] {
    [(x[0], z[0]), (x[0], z[1]), (x[1], z[1]), (x[1], z[0])].map(|(x, z)| Vec3::new(x, y(x, z), z))
}

/// Returns the corners of a level rectangle; see [`rectangle`].
pub(crate) fn level(x: [f32; 2], z: [f32; 2], y: f32) -> [Vec3; 4] {
    rectangle(x, z, |_, _| y)
}

/// Returns `scale` times `scale` square bays of this side, each built by `bay_of` from one row of
/// random numbers.
pub(crate) fn in_bays(seed: u64, scale: u32, side: f32, bay_of: fn(&mut Builder, &mut Random)) -> Builder {
    let mut random = Random::new(seed);
    let mut builder = Builder::default();
    for bay in 0..scale * scale {
        let [x, z] = [bay % scale, bay / scale].map(|slot| slot as f32 * side);
        builder.at(Vec3::new(x, 0.0, z), 0, |builder| bay_of(builder, &mut random));
    }
    builder
}

/// Converts a small number to a length.
pub(crate) fn real(number: usize) -> f32 {
    number as f32
}

/// Cuts `low..=high` into equal pieces of at most about `step`.
pub(crate) fn cuts(low: f32, high: f32, step: f32) -> Vec<f32> {
    let pieces = saturating_u32(((high - low) / step).round().max(1.0));
    (0..=pieces)
        .map(|piece| if piece == pieces { high } else { low + (high - low) * (piece as f32 / pieces as f32) })
        .collect()
}

/// Sine and cosine of an angle in turns.
pub(crate) fn sin_cos(turns: f64) -> (f32, f32) {
    let angle = (turns - turns.round()) * std::f64::consts::TAU;
    (nearest_f32(float::sin(angle)), nearest_f32(float::cos(angle)))
}

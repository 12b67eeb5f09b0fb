//! Roadways, kerbs and the raised ground of a block.

use super::relief::Relief;
use super::{KERB, ROAD};
use crate::builder::{Builder, cuts, rectangle};

/// Side of the squares into which the ground is cut.
const SQUARE: f32 = 4.0;

/// The ground of one tile, in the tile's own frame.
#[derive(Debug)]
pub(super) struct Ground {
    relief: Relief,
    origin: [f32; 2],
    pub(super) size: [f32; 2],
    pub(super) xs: Vec<f32>,
    pub(super) zs: Vec<f32>,
    /// The strip in z that is left out for a sunken road.
    pub(super) sunken: Option<[f32; 2]>,
}

impl Ground {
    pub(super) fn new(relief: Relief, origin: [f32; 2], size: [f32; 2], sunken: Option<[f32; 2]>) -> Self {
        let lines = |stops: &[f32]| {
            let mut lines = vec![stops[0]];
            for pair in stops.windows(2) {
                lines.extend(cuts(pair[0], pair[1], SQUARE).into_iter().skip(1));
            }
            lines
        };
        let [width, depth] = size;
        let (xs, zs) = match sunken {
            None => (lines(&[0.0, ROAD, width - ROAD, width]), lines(&[0.0, ROAD, depth - ROAD, depth])),
            Some([low, high]) => {
                let mut stops = vec![0.0, ROAD];
                stops.extend(super::cutting::stops(width));
                stops.extend([width - ROAD, width]);
                (lines(&stops), lines(&[0.0, ROAD, low, high, depth - ROAD, depth]))
            }
        };
        Self { relief, origin, size, xs, zs, sunken }
    }

    /// Height of the roadway at a place.
    pub(super) fn street(&self, x: f32, z: f32) -> f32 {
        self.relief.height(self.origin[0] + x, self.origin[1] + z)
    }

    /// Height of the pavement and the gardens at a place.
    pub(super) fn pavement(&self, x: f32, z: f32) -> f32 {
        self.street(x, z) + KERB
    }

    /// Returns `true` if this z is within `margin` of the sunken road.
    pub(super) fn over_cutting(&self, z: f32, margin: f32) -> bool {
        self.sunken.is_some_and(|[low, high]| z > low - margin && z < high + margin)
    }

    pub(super) fn build(&self, builder: &mut Builder) {
        let [width, depth] = self.size;
        let middle = |pair: &[f32]| f32::midpoint(pair[0], pair[1]);
        let inner = |x: f32, z: f32| x > ROAD && x < width - ROAD && z > ROAD && z < depth - ROAD;
        for x in self.xs.windows(2) {
            for z in self.zs.windows(2) {
                if self.over_cutting(middle(z), 0.0) {
                    continue;
                }
                let lift = if inner(middle(x), middle(z)) { KERB } else { 0.0 };
                builder.quad(rectangle([x[0], x[1]], [z[0], z[1]], |x, z| self.street(x, z) + lift));
            }
        }
        self.kerbs(builder);
    }

    /// Builds kerb stones all around the block.
    fn kerbs(&self, builder: &mut Builder) {
        const WIDTH: f32 = 0.2;
        const STONE: f32 = 1.5;
        let [width, depth] = self.size;
        let mut stone = |x: [f32; 2], z: [f32; 2]| {
            let ring = |lift: f32| rectangle(x, z, |x, z| self.street(x, z) + lift);
            builder.hexahedron(ring(-0.1), ring(KERB + 0.005));
        };
        for pair in cuts(ROAD, width - ROAD, STONE).windows(2) {
            let x = [pair[0], pair[1] - 0.008];
            stone(x, [ROAD, ROAD + WIDTH]);
            stone(x, [depth - ROAD - WIDTH, depth - ROAD]);
        }
        let runs = match self.sunken {
            None => vec![[ROAD + WIDTH, depth - ROAD - WIDTH]],
            Some([low, high]) => vec![[ROAD + WIDTH, low], [high, depth - ROAD - WIDTH]],
        };
        for [from, to] in runs {
            for pair in cuts(from, to, STONE).windows(2) {
                let z = [pair[0], pair[1] - 0.008];
                stone([ROAD, ROAD + WIDTH], z);
                stone([width - ROAD - WIDTH, width - ROAD], z);
            }
        }
    }
}

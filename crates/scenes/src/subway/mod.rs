//! A subway station: two tracks between three platforms, a concourse above all platforms, tunnels
//! at both ends.

mod concourse;
mod escalator;
mod platforms;
mod shell;
mod tracks;

use waymesh_core::Random;

use crate::builder::Builder;

/// Size along x, z and y.
const SIZE: [f32; 3] = [351.0, 40.0, 8.0];
/// Distance between stations side by side. Each has its own walls.
pub(crate) const SPACING: [f32; 2] = [SIZE[0], SIZE[1]];
const WALL: f32 = 0.6;
/// Heights: top of the track bed, the platforms, the concourse and its ceiling.
const BED: f32 = 0.2;
const PLATFORM: f32 = 1.2;
const CONCOURSE: f32 = 4.6;
const CEILING: f32 = 7.7;
const SLAB: f32 = 0.4;
/// Range of the platforms along x. Tunnels continue at both ends.
const STATION: [f32; 2] = [40.0, 311.0];
/// Public part of the concourse along x. Plant rooms are at both ends.
const PUBLIC: [f32; 2] = [60.6, 290.4];
/// Ranges of the platforms along z. The two tracks are between them.
const PLATFORMS: [[f32; 2]; 3] = [[0.6, 8.6], [12.6, 27.4], [31.4, 39.4]];
const TRACKS: [[f32; 2]; 2] = [[8.6, 12.6], [27.4, 31.4]];

/// A pair of escalators with stairs between them, from a platform to the concourse.
#[derive(Clone, Copy, Debug)]
struct Ascent {
    /// Where it starts along x; `forward` is `true` if it rises towards +x.
    x: f32,
    forward: bool,
    /// Its lower edge along z.
    z: f32,
}

/// Width along z: escalator, stairs, escalator.
const ASCENT_WIDTH: f32 = 2.0 * escalator::WIDTH + STAIRS_WIDTH;
const STAIRS_WIDTH: f32 = 2.0;

impl Ascent {
    /// Plan of the opening in the concourse floor, as ranges along x and z.
    fn opening(&self) -> [[f32; 2]; 2] {
        let [near, far] = escalator::OPENING;
        let x = if self.forward { [self.x + near, self.x + far] } else { [self.x - far, self.x - near] };
        [x, [self.z, self.z + ASCENT_WIDTH]]
    }

    /// Returns `true` if a place in plan lies in its footprint, or within `margin` of it.
    fn covers(&self, x: f32, z: f32, margin: f32) -> bool {
        let end = if self.forward { self.x + escalator::LENGTH } else { self.x - escalator::LENGTH };
        x > self.x.min(end) - margin
            && x < self.x.max(end) + margin
            && z > self.z - margin
            && z < self.z + ASCENT_WIDTH + margin
    }
}

/// Returns the ascents, four on each platform: against the wall, or in the middle of the island.
fn ascents() -> Vec<Ascent> {
    let lanes = [PLATFORMS[0][0] + 0.1, 20.0 - ASCENT_WIDTH / 2.0, PLATFORMS[2][1] - 0.1 - ASCENT_WIDTH];
    let mut ascents = Vec::new();
    for z in lanes {
        for (x, forward) in [(66.0, true), (106.0, true), (245.0, false), (285.0, false)] {
            ascents.push(Ascent { x, forward, z });
        }
    }
    ascents
}

pub(crate) fn build(builder: &mut Builder, random: &mut Random) {
    let ascents = ascents();
    shell::build(builder);
    tracks::build(builder);
    platforms::build(builder, &ascents, random);
    concourse::build(builder, &ascents, random);
    for ascent in &ascents {
        escalator::ascent(builder, ascent);
    }
}

//! A corridor with rooms on both sides: cabins, plant rooms, offices.

use glam::Vec3;

use crate::builder::{Builder, real};
use crate::parts::walls::{Axis, DOOR, Opening};

const PARTITION: f32 = 0.12;

/// A corridor along +x from the origin, in the middle of `0..depth` in z, with `rooms` rooms on
/// each side.
///
/// The caller builds the floor, the ceiling and the outer walls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corridor {
    pub(crate) rooms: usize,
    /// Distance from one divider to the next.
    pub(crate) pitch: f32,
    pub(crate) depth: f32,
    /// Clear width of the corridor.
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Corridor {
    /// Depth of one room.
    pub(crate) fn room_depth(&self) -> f32 {
        (self.depth - self.width) / 2.0 - PARTITION
    }

    /// Width of one room.
    pub(crate) fn room_width(&self) -> f32 {
        self.pitch - PARTITION
    }
}

impl Builder {
    /// Builds a corridor with its rooms. `furnish` is called for each room in the room's frame: x
    /// along its back wall from 0 to the room's width, z from the back wall towards the door. The
    /// door takes the last 1.5 m at one end of the wall opposite.
    pub(crate) fn corridor(&mut self, corridor: &Corridor, mut furnish: impl FnMut(&mut Self, usize)) {
        let length = corridor.pitch * real(corridor.rooms);
        let room_depth = corridor.room_depth();
        let y = [-0.02, corridor.height];
        let far = room_depth + PARTITION + corridor.width;
        let doors = |inward: bool| -> Vec<Opening> {
            (0..corridor.rooms)
                .map(|room| Opening::Door { at: real(room) * corridor.pitch + PARTITION + 0.3, inward })
                .collect()
        };
        self.wall(Axis::X, [0.0, length], [room_depth, room_depth + PARTITION], y, &doors(false));
        self.wall(Axis::X, [0.0, length], [far, far + PARTITION], y, &doors(true));
        for room in 0..=corridor.rooms {
            let x = real(room) * corridor.pitch;
            self.block([x, x + PARTITION], y, [0.0, room_depth]);
            self.block([x, x + PARTITION], y, [far + PARTITION, corridor.depth]);
        }
        for room in 0..corridor.rooms {
            let x = real(room) * corridor.pitch + PARTITION;
            self.at(Vec3::new(x, 0.0, 0.0), 0, |builder| furnish(builder, room * 2));
            let corner = Vec3::new(x + corridor.room_width(), 0.0, corridor.depth);
            self.at(corner, 2, |builder| furnish(builder, room * 2 + 1));
        }
    }
}

const _: () = assert!(DOOR[0] >= 0.9 && DOOR[0] <= 1.0 && DOOR[1] >= 2.1);

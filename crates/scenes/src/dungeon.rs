//! Rooms, doors and corridors.

use glam::Vec3;

use waymesh_core::Random;

use crate::builder::{Axis, Builder};

/// Side of the square that one room may use, in metres.
const SLOT: f32 = 14.0;
const ROOMS_PER_SIDE: usize = 4;
const WALL: f32 = 0.4;
const WALL_HEIGHT: f32 = 3.2;
/// Half the clear width of doors and corridors.
const HALF_DOOR: f32 = 1.3;
const DOOR_HEIGHT: f32 = 2.6;

#[derive(Clone, Copy, Debug)]
struct Room {
    min: [f32; 2],
    max: [f32; 2],
    floor: f32,
}

/// Openings of a room: centre lines of its doors per side, `-x, +x, -z, +z`.
type Doors = [Option<f32>; 4];

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    let mut random = Random::new(seed);
    let mut builder = Builder::default();
    let side = ROOMS_PER_SIDE * scale as usize;
    let rooms: Vec<Room> = (0..side * side)
        .map(|index| {
            let centre = [index % side, index / side].map(|slot| (slot as f32 + 0.5) * SLOT);
            // The middle of a slot, where doors are, is always inside the room.
            let low = centre.map(|centre| centre - random.range(3.0, 5.5));
            let high = centre.map(|centre| centre + random.range(3.0, 5.5));
            Room { min: low, max: high, floor: 0.3 * random.index(4) as f32 }
        })
        .collect();
    let mut doors: Vec<Doors> = vec![[None; 4]; rooms.len()];
    for index in 0..rooms.len() {
        let (x, z) = (index % side, index / side);
        // Corridors join the rooms of every row, and all rows in the first column, so that no room
        // is cut off.
        if x + 1 < side {
            let line = (z as f32 + 0.5) * SLOT + random.range(-1.0, 1.0);
            doors[index][1] = Some(line);
            doors[index + 1][0] = Some(line);
            corridor(&mut builder, &rooms[index], &rooms[index + 1], line, Axis::X);
        }
        if z + 1 < side && (x == 0 || random.chance(0.5)) {
            let line = (x as f32 + 0.5) * SLOT + random.range(-1.0, 1.0);
            doors[index][3] = Some(line);
            doors[index + side][2] = Some(line);
            corridor(&mut builder, &rooms[index], &rooms[index + side], line, Axis::Z);
        }
    }
    for (room, doors) in rooms.iter().zip(&doors) {
        room_shell(&mut builder, room, doors);
        furniture(&mut builder, room, &mut random);
    }
    builder
}

/// Builds a sloping floor with two walls between the walls of `from` and `to`, along an axis.
fn corridor(builder: &mut Builder, from: &Room, to: &Room, line: f32, axis: Axis) {
    let (start, end) = (from.max[axis as usize], to.min[axis as usize]);
    let place = |along: f32, y: f32, across: f32| match axis {
        Axis::X => Vec3::new(along, y, across),
        Axis::Z => Vec3::new(across, y, along),
    };
    let (low, high) = (line - HALF_DOOR, line + HALF_DOOR);
    // The floor runs from inner face to inner face, so that it includes the door sills.
    builder.ramp(axis, place(start, from.floor, low), place(end, to.floor, high), 0.2);
    let y = [from.floor.min(to.floor) - 0.2, from.floor.max(to.floor) + WALL_HEIGHT];
    for across in [[low - WALL, low], [high, high + WALL]] {
        builder.slab(axis, [start + WALL, end - WALL], across, y);
    }
}

fn room_shell(builder: &mut Builder, room: &Room, doors: &Doors) {
    let Room { min, max, floor } = *room;
    builder.floor(min, max, floor, 1.0);
    let (bottom, top) = (floor - 0.2, floor + WALL_HEIGHT);
    for (side, door) in doors.iter().enumerate() {
        let axis = if side < 2 { Axis::Z } else { Axis::X };
        let (along, across) = (axis as usize, 1 - axis as usize);
        let sides =
            if side % 2 == 0 { [min[across] - WALL, min[across]] } else { [max[across], max[across] + WALL] };
        // Walls along z include the corners.
        let reach = if axis == Axis::Z { WALL } else { 0.0 };
        let run = [min[along] - reach, max[along] + reach];
        let opening = door.map(|door| [[door - HALF_DOOR, door + HALF_DOOR], [bottom, floor + DOOR_HEIGHT]]);
        builder.wall(axis, run, sides, [bottom, top], opening.as_slice());
    }
}

/// Builds a pillar, crates and a dais, away from the centre lines where the doors are.
fn furniture(builder: &mut Builder, room: &Room, random: &mut Random) {
    let Room { min, max, floor } = *room;
    let base = Vec3::new(0.0, floor - 0.1, 0.0);
    if random.chance(0.5) {
        // A dais of two steps in the lower corner.
        for (reach, height) in [(2.0, 0.25), (1.5, 0.5)] {
            let low = Vec3::new(min[0], base.y, min[1]);
            builder.cuboid(low, Vec3::new(min[0] + reach, floor + height, min[1] + reach));
        }
    } else {
        let (x, z) = (min[0] + random.range(0.6, 1.2), min[1] + random.range(0.6, 1.2));
        builder.cuboid(Vec3::new(x - 0.3, base.y, z - 0.3), Vec3::new(x + 0.3, floor + WALL_HEIGHT, z + 0.3));
    }
    for _ in 0..random.index(3) {
        let size = random.range(0.5, 1.1);
        let (x, z) = (max[0] - size - random.range(0.0, 0.6), max[1] - size - random.range(0.0, 0.6));
        builder.cuboid(Vec3::new(x, base.y, z), Vec3::new(x + size, floor + 0.4 + size, z + size));
    }
}

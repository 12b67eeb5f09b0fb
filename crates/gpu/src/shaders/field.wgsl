// Shared part of all shaders of the walkable field (`walkable.rs`, `filters.rs` and `erosion.rs` of
// `waymesh-voxel`).

struct Settings {
    // The columns that are filled.
    width: u32,
    depth: u32,
    // The columns of the result in them: first and size.
    out_x: u32,
    out_z: u32,
    out_width: u32,
    out_depth: u32,
    // The columns that are counted: the first, and the first after them.
    core_x: u32,
    core_z: u32,
    core_end_x: u32,
    core_end_z: u32,
    // Lengths in levels.
    height: u32,
    step: u32,
    filters: u32,
    deepest: u32,
    // Entries of the table of reaches; the last one is 0.
    reaches: u32,
    // Spans of fields with few storeys and little head room take two words, others four.
    is_narrow: u32,
    lowest: i32,
    begin: u32,
    end: u32,
    // Smallest drop of the ground below the top for which head room is counted from a level below.
    low_drop: u32,
}

const LOW_OBSTACLES = 1u;
const LEDGES = 2u;
const LOW_CEILINGS = 4u;
// The ceiling of a span with nothing above it.
const OPEN = 2147483647;
const NO_SPAN = 0xffffffffu;

// Words of a span in the field: floor, ceiling, the third word of a solid span with the area of the
// field, and the distance in which it removes spans along z.
const KEPT = 4u;
const FLOOR = 0u;
const CEILING = 1u;
const REST = 2u;
const REACHES = 3u;
// Flag of a removed span: a blocked span is too near.
const IS_ERODED = 0x80000000u;

// Numbers over all columns.
const DEEPEST = 0u;
const MOST_KEPT = 1u;
// Keys: larger is farther.
const MINUS_LOWEST = 2u;
const HIGHEST = 3u;
const LARGEST_ROOM = 4u;
// Counts, low and high words.
const SOLID = 5u;
const WALKABLE = 6u;
const ON_OBSTACLES = 7u;
const AT_LEDGES = 8u;
const UNDER_CEILINGS = 9u;
const ERODED = 10u;
const STATS = 11u;

fn is_counted(x: u32, z: u32) -> bool {
    return x >= settings.core_x && x < settings.core_end_x && z >= settings.core_z && z < settings.core_end_z;
}

// Returns the unsigned key of a whole number.
fn key_of(a: i32) -> u32 {
    return bitcast<u32>(a) ^ 0x80000000u;
}

// Returns `a - b` for `a >= b`, which may exceed the range of an i32.
fn above(a: i32, b: i32) -> u32 {
    return bitcast<u32>(a) - bitcast<u32>(b);
}

// Returns the level from which head room is counted. `rest` is the third word of a span.
fn feet_of(level: i32, rest: u32) -> i32 {
    return level - select(0, 1, (rest & 0xffffu) >= settings.low_drop);
}

// Returns `true` if two heights have at least this head room between them.
fn has_room(floor_level: i32, ceiling: i32, height: u32) -> bool {
    return ceiling >= floor_level && above(ceiling, floor_level) >= height;
}

// Shared part of all shaders of the depth maps: the window, its blocks and their places (`depth.rs`
// of `waymesh-storeys`). Heights are keys of single precision, 0 without ground.

struct Settings {
    origin_x: Double,
    origin_y: Double,
    origin_z: Double,
    per_cell: Double,
    cos_squared: Double,
    // Single precision.
    rise: u32,
    height: u32,
    near: u32,
    has_areas: u32,
    // The window in the grid.
    window_x: u32,
    window_z: u32,
    width: u32,
    depth: u32,
    // Blocks: their side, those in a row, and the first one in the grid.
    side: u32,
    across: u32,
    first_column: u32,
    first_row: u32,
    triangles: u32,
    // 0 for lines along x, 1 for lines along z.
    axis: u32,
    posts: u32,
    begin: u32,
    end: u32,
    unused: u32,
}

struct Block {
    // Its pixels.
    x: u32,
    z: u32,
    width: u32,
    depth: u32,
    // Its first place and sheet, and the number of its sheets.
    place: u32,
    sheet: u32,
    floors: u32,
    unused: u32,
}

// The places of a pixel.
struct Column {
    first: u32,
    step: u32,
    count: u32,
    sheet: u32,
}

const NO_FLOOR = 0xffffu;
// Words of a sheet: the lowest ground as the difference to the highest key, the highest ground, the
// number of places with ground, flags; the range of keys of heights of possible walls, and that of
// possible ends of its ground.
const SHEET = 8u;
const LOW = 0u;
const HIGH = 1u;
const COUNT = 2u;
const FLAGS = 3u;
const WALLS_ABOVE = 4u;
const WALLS_BELOW = 5u;
const ENDS_ABOVE = 6u;
const ENDS_BELOW = 7u;
// A wall cuts a link. Ground ends somewhere.
const IS_CUT = 1u;
const HAS_ENDS = 2u;

fn column_at(x: u32, z: u32) -> Column {
    let column = (x + settings.window_x) / settings.side - settings.first_column;
    let row = (z + settings.window_z) / settings.side - settings.first_row;
    let block = blocks[row * settings.across + column];
    let first = block.place + (z - block.z) * block.width + (x - block.x);
    return Column(first, block.width * block.depth, block.floors, block.sheet);
}

// The adjacent pixel of a pixel; `true` if it exists.
struct Beside {
    x: u32,
    z: u32,
    is_inside: bool,
}

// Directions: smaller x, larger z, larger x, smaller z.
fn beside(x: u32, z: u32, direction: u32) -> Beside {
    var steps = array<vec2<i32>, 4>(vec2<i32>(-1, 0), vec2<i32>(0, 1), vec2<i32>(1, 0), vec2<i32>(0, -1));
    let step = steps[direction];
    let at = vec2<u32>(x + u32(step.x), z + u32(step.y));
    return Beside(at.x, at.y, at.x < settings.width && at.y < settings.depth);
}

fn opposite(direction: u32) -> u32 {
    return (direction + 2u) & 3u;
}

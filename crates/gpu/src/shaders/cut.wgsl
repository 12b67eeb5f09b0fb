// Triangles of the depth maps, and their cuts by the lines through the centres of cells (`slice.rs`
// of `waymesh-storeys`).

// The items of a triangle: lines, each cut at fixed cells.
struct Lines {
    first: i32,
    segment: u32,
    segments: u32,
    first_item: u32,
}

struct Input {
    // Bits of the nine coordinates.
    corners: array<u32, 9>,
    // Its area as a key: the larger key is used.
    area: u32,
    lines: array<Lines, 2>,
}

struct Placed {
    // Cells along x, metres, cells along z.
    corners: array<array<Double, 3>, 3>,
    flags: u32,
    area: u32,
    // For rough tests only, with errors within their margins: the lowest and the highest height,
    // the first corner in cells from the window's corner and its height, and the rise over a cell.
    low: f32,
    high: f32,
    anchor: array<f32, 3>,
    slope: array<f32, 2>,
    unused: u32,
}

const HAS_AREA = 1u;
const GENTLE = 2u;
const WALKABLE = 4u;
// The slope can be used.
const HAS_SLOPE = 8u;
// Flags of edges whose ends are swapped for lines along x; the flags for lines along z follow.
const SWAPPED = 16u;

// Cells of a line that one item processes.
const SEGMENT = 64;

fn first_item_of(triangle: u32) -> u32 {
    return inputs[triangle].lines[settings.axis].first_item;
}

struct Item {
    triangle: u32,
    line: i32,
    // First and last cell in the window; the very first cell is the one before the window.
    cells: vec2<i32>,
}

fn item_of(number: u32) -> Item {
    let triangle = triangle_of(number);
    let lines = inputs[triangle].lines[settings.axis];
    let own = number - lines.first_item;
    let first = i32(lines.segment + own % lines.segments) * SEGMENT - 1;
    return Item(triangle, lines.first + i32(own / lines.segments), vec2<i32>(first, first + SEGMENT - 1));
}

// A cut from its start to its end: the position along the line, and the height.
struct Cut {
    start: array<Double, 2>,
    end: array<Double, 2>,
    is_one: bool,
}

fn cut_of(triangle: u32, line: i32) -> Cut {
    let axis = settings.axis;
    let across = select(2u, 0u, axis == 1u);
    let along = 2u - across;
    let at = plus(of_int(line), HALF);
    let swapped = (placed[triangle].flags / SWAPPED) >> (3u * axis);
    var ends: array<array<Double, 2>, 2>;
    var count = 0u;
    for (var edge = 0u; edge < 3u; edge++) {
        let is_swapped = ((swapped >> edge) & 1u) != 0u;
        let next = (edge + 1u) % 3u;
        let a = select(edge, next, is_swapped);
        let b = select(next, edge, is_swapped);
        let from_across = placed[triangle].corners[a][across];
        let to_across = placed[triangle].corners[b][across];
        if less(from_across, at) != less(to_across, at) && count < 2u {
            let share = divided(minus(at, from_across), minus(to_across, from_across));
            for (var i = 0u; i < 2u; i++) {
                let coordinate = select(1u, along, i == 0u);
                let start = placed[triangle].corners[a][coordinate];
                let run = minus(placed[triangle].corners[b][coordinate], start);
                ends[count][i] = plus(start, times(run, share));
            }
            count += 1u;
        }
    }
    if count < 2u {
        return Cut(ends[0], ends[1], false);
    }
    if less(ends[1][0], ends[0][0]) {
        return Cut(ends[1], ends[0], true);
    }
    return Cut(ends[0], ends[1], true);
}

// Returns the cell of the grid that contains a position, counted from the window's corner and
// clamped to its surroundings.
fn cell_of(place: Double, axis: u32) -> i32 {
    let first = i32(select(settings.window_x, settings.window_z, axis == 1u));
    let count = i32(select(settings.width, settings.depth, axis == 1u));
    return clamp(whole_below(place), first - 2, first + count + 2) - first;
}

fn coordinate_of(cell: i32, axis: u32) -> Double {
    return of_int(cell + i32(select(settings.window_x, settings.window_z, axis == 1u)));
}

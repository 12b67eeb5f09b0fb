// Rough voxels of storeys: triangles clipped to each column, as the processor does (`rough.rs` of
// `waymesh-storeys`), operation by operation.

struct Settings {
    width: u32,
    depth: u32,
    levels: u32,
    // Words of 32 levels of a column.
    words: u32,
    // Rows that are filled: the first, and the first outside.
    first_row: u32,
    end_row: u32,
    triangles: u32,
    // Range of this dispatch.
    begin: u32,
    end: u32,
    unused_one: u32,
    unused_two: u32,
    unused_three: u32,
}

struct Input {
    // x, y, z of three corners: rough cells, levels, rough cells.
    corners: array<array<vec2<u32>, 3>, 3>,
    flags: u32,
    // Its items: rows, each cut at fixed columns.
    row_from: u32,
    segment_from: u32,
    segments: u32,
    first_item: u32,
    unused: u32,
}

const WALKABLE = 1u;
const IN_ONE_ROW = 2u;

// Columns of a row that one item fills.
const SEGMENT = 16u;

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> inputs: array<Input>;
@group(0) @binding(2) var<storage, read_write> positive: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> negative: array<atomic<u32>>;

// A triangle clipped by up to four lines.
struct Piece {
    corners: array<array<vec2<u32>, 3>, 8>,
    len: u32,
}

struct Interval {
    low: Double,
    high: Double,
}

// Whole numbers from the first to before the end.
struct Cells {
    first: i32,
    end: i32,
}

fn half(piece: Piece, axis: u32, is_flipped: bool, limit: Double) -> Piece {
    var given = piece;
    var out: Piece;
    out.len = 0u;
    for (var index = 0u; index < given.len; index++) {
        let next = select(index + 1u, 0u, index + 1u == given.len);
        var p = given.corners[index];
        var q = given.corners[next];
        let sign = select(0u, 0x80000000u, is_flipped);
        let dp = minus(vec2<u32>(p[axis].x, p[axis].y ^ sign), limit);
        let dq = minus(vec2<u32>(q[axis].x, q[axis].y ^ sign), limit);
        let is_out = less(dp, ZERO);
        if !is_out && out.len < 8u {
            out.corners[out.len] = p;
            out.len += 1u;
        }
        if is_out != less(dq, ZERO) && out.len < 8u {
            let t = clamped(divided(dp, minus(dp, dq)), ZERO, ONE);
            for (var i = 0u; i < 3u; i++) {
                out.corners[out.len][i] = plus(p[i], times(minus(q[i], p[i]), t));
            }
            out.len += 1u;
        }
    }
    return out;
}

fn slab(piece: Piece, axis: u32, cell: u32) -> Piece {
    let inner = half(piece, axis, false, minus(of_natural(cell), SLACK));
    return half(inner, axis, true, negated(plus(of_natural(cell + 1u), SLACK)));
}

fn range_of(piece: Piece, axis: u32) -> Interval {
    var given = piece;
    var range = Interval(INFINITE, negated(INFINITE));
    for (var index = 0u; index < given.len; index++) {
        range.low = lower(given.corners[index][axis], range.low);
        range.high = higher(given.corners[index][axis], range.high);
    }
    return range;
}

fn cells_of(range: Interval, count: u32) -> Cells {
    let first = max(whole_below(minus(range.low, SLACK)), 0);
    let last = min(whole_below(plus(range.high, SLACK)), i32(count) - 1);
    if first > last {
        return Cells(0, 0);
    }
    return Cells(first, last + 1);
}

fn is_inside(range: Interval, count: u32) -> bool {
    return !less(range.low, ZERO) && !less(of_natural(count), range.high);
}

fn set_levels(column: u32, levels: Cells, walkable: bool) {
    if levels.first >= levels.end {
        return;
    }
    let low = u32(levels.first);
    let high = u32(levels.end) - 1u;
    for (var word = low / 32u; word <= high / 32u; word++) {
        let least = max(low, word * 32u) - word * 32u;
        let most = min(high - word * 32u, 31u);
        let mask = (0xffffffffu >> (31u - (most - least))) << least;
        if walkable {
            atomicOr(&positive[column * settings.words + word], mask);
        } else {
            atomicOr(&negative[column * settings.words + word], mask);
        }
    }
}

@compute @workgroup_size(64)
fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
    let item = settings.begin + id.x;
    if item >= settings.end {
        return;
    }
    let index = triangle_of(item);
    let own = item - inputs[index].first_item;
    let segments = inputs[index].segments;
    let z = inputs[index].row_from + own / segments;
    let segment = (inputs[index].segment_from + own % segments) * SEGMENT;
    let flags = inputs[index].flags;
    let is_walkable = (flags & WALKABLE) != 0u;
    var row: Piece;
    for (var i = 0u; i < 3u; i++) {
        row.corners[i] = inputs[index].corners[i];
    }
    row.len = 3u;
    if (flags & IN_ONE_ROW) == 0u {
        row = slab(row, 2u, z);
    }
    if row.len == 0u {
        return;
    }
    let along = range_of(row, 0u);
    let up = range_of(row, 1u);
    let columns = cells_of(along, settings.width);
    let levels = cells_of(up, settings.levels);
    // A piece within one level or within one column needs no cut by columns.
    let is_flat = levels.end - levels.first == 1 && is_inside(up, settings.levels);
    let is_narrow = columns.end - columns.first == 1 && is_inside(along, settings.width);
    let first = (z - settings.first_row) * settings.width;
    let end = min(u32(columns.end), segment + SEGMENT);
    for (var x = max(u32(columns.first), segment); x < end; x++) {
        if is_flat || is_narrow {
            set_levels(first + x, levels, is_walkable);
            continue;
        }
        let piece = slab(row, 0u, x);
        if piece.len > 0u {
            set_levels(first + x, cells_of(range_of(piece, 1u), settings.levels), is_walkable);
        }
    }
}

fn first_item_of(triangle: u32) -> u32 {
    return inputs[triangle].first_item;
}

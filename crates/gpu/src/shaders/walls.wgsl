// The pass of walls: obstacles between a step and the agent's height above the ground, where lines
// between the centres of pixels meet them; and the extent of walkable ground in directions without
// a link (`walls.rs` of `waymesh-storeys`).

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> inputs: array<Input>;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
@group(0) @binding(3) var<storage, read> blocks: array<Block>;
@group(0) @binding(4) var<storage, read> ground: array<u32>;
@group(0) @binding(5) var<storage, read> sheets: array<u32>;
// For each place and direction the nearest wall, as the difference to an infinite distance; then
// the known extent of the ground.
@group(0) @binding(6) var<storage, read_write> extents: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read> links: array<u32>;
// The number of posts, 1 if one has too many grounds; then nine words each.
@group(0) @binding(8) var<storage, read_write> posts: array<atomic<u32>>;

const INFINITE_SINGLE = 0x7f800000u;
const POST = 9u;
const FIRST_POST = 4u;
const MOST_GROUNDS = 32u;

// The part of a cut as seen from a centre: distance and height of both ends.
struct SideCut {
    near: Double,
    near_height: Double,
    far: Double,
    far_height: Double,
}

struct Found {
    distance: Double,
    is_one: bool,
}

// Returns the distance of the part that lies between two heights.
fn nearest_between(cut: SideCut, low: Double, high: Double) -> Found {
    let y0 = cut.near_height;
    let y1 = cut.far_height;
    if !less(low, higher(y0, y1)) || !less(lower(y0, y1), high) {
        return Found(ZERO, false);
    }
    let run = minus(cut.far, cut.near);
    if (less(low, y0) && less(y0, high)) || !less(FLAT, run) {
        return Found(cut.near, true);
    }
    var limit = high;
    if !less(low, y0) {
        limit = low;
    }
    let share = clamped(divided(minus(limit, y0), minus(y1, y0)), ZERO, ONE);
    return Found(plus(cut.near, times(run, share)), true);
}

// Updates a place with a cut.
fn note(place: u32, direction: u32, cut: SideCut, is_end: bool) {
    let bits = bits_of(ground[place]);
    let low = of_single(single_plus(bits, settings.rise));
    let high = of_single(single_plus(bits, settings.height));
    let found = nearest_between(cut, low, high);
    if found.is_one {
        if !is_end {
            atomicMax(&extents[8u * place + direction], INFINITE_SINGLE - single_of(found.distance));
        }
    } else if is_end {
        let off = minus(cut.near_height, of_single(bits));
        if !less(of_single(settings.rise), vec2<u32>(off.x, off.y & 0x7fffffffu)) {
            atomicMax(&extents[8u * place + 4u + direction], single_of(cut.far));
        }
    }
}

// Heights as keys, with all rounding.
struct Keys {
    low: u32,
    high: u32,
}

// Returns `true` if a triangle of these heights may affect a sheet.
fn is_near(keys: Keys, sheet: u32, is_end: bool) -> bool {
    let at = SHEET * sheet;
    if sheets[at + HIGH] == 0u {
        return false;
    }
    if is_end {
        return (sheets[at + FLAGS] & HAS_ENDS) != 0u
            && keys.high >= sheets[at + ENDS_ABOVE]
            && keys.low <= sheets[at + ENDS_BELOW];
    }
    return keys.high > sheets[at + WALLS_ABOVE] && keys.low < sheets[at + WALLS_BELOW];
}

// Returns an outer bound of the heights of a triangle over some cells of a line.
fn rough_keys(triangle: u32, line: u32, first: i32, last: i32) -> Keys {
    let placed_low = placed[triangle].low;
    let placed_high = placed[triangle].high;
    var slack = ROUGH_ERROR + 1e-5 * (abs(placed_low) + abs(placed_high));
    var low = placed_low;
    var high = placed_high;
    if (placed[triangle].flags & HAS_SLOPE) != 0u {
        let anchor = placed[triangle].anchor;
        let across = f32(line) + 0.5;
        let slope_x = placed[triangle].slope[0];
        let slope_z = placed[triangle].slope[1];
        var heights: array<f32, 2>;
        // From the first centre to the one after the last.
        for (var i = 0; i < 2; i++) {
            let along = f32(select(first, last + 1, i == 1)) + 0.5;
            var dx = along - anchor[0];
            var dz = across - anchor[2];
            if settings.axis == 1u {
                dx = across - anchor[0];
                dz = along - anchor[2];
            }
            heights[i] = anchor[1] + slope_x * dx + slope_z * dz;
            slack = max(slack, ROUGH_ERROR + 1e-5 * (abs(anchor[1]) + abs(slope_x * dx) + abs(slope_z * dz)));
        }
        low = max(low, min(heights[0], heights[1]));
        high = min(high, max(heights[0], heights[1]));
    }
    return Keys(key_of(bitcast<u32>(low - slack)), key_of(bitcast<u32>(high + slack)));
}

// Returns `true` if heights may affect one of the sheets of a column.
fn is_near_any(keys: Keys, column: Column, is_end: bool) -> bool {
    for (var i = 0u; i < column.count; i++) {
        if is_near(keys, column.sheet + i, is_end) {
            return true;
        }
    }
    return false;
}

// Returns `true` if a place has ground, and a cut may affect it.
fn is_asked(place: u32, direction: u32, is_end: bool) -> bool {
    if ground[place] == 0u {
        return false;
    }
    if !is_end {
        return true;
    }
    let word = links[2u * place + direction / 2u];
    return ((word >> (16u * (direction & 1u))) & 0xffffu) == NO_FLOOR;
}

fn column_on(line: u32, along: i32) -> Column {
    if settings.axis == 0u {
        return column_at(u32(along), line);
    }
    return column_at(line, u32(along));
}

// Returns the last cell of the block that a cell lies in, along a line.
fn last_of_block(along: i32) -> i32 {
    let first = select(settings.window_x, settings.window_z, settings.axis == 1u);
    let at = u32(along) + first;
    return i32(at - at % settings.side + settings.side - 1u - first);
}

fn draw(number: u32, is_end: bool) {
    let item = item_of(number);
    let flags = placed[item.triangle].flags;
    if (flags & HAS_AREA) == 0u || (is_end && (flags & WALKABLE) == 0u) {
        return;
    }
    let axis = settings.axis;
    let count = i32(select(settings.width, settings.depth, axis == 1u));
    let line = u32(item.line) - select(settings.window_z, settings.window_x, axis == 1u);
    // A cell covers the part between its centre and the next one, and affects both. The loop runs
    // block by block: the block of the first cell may begin before it.
    var cut: Cut;
    var is_cut = false;
    var begin = max(item.cells.x, 0);
    let end = min(item.cells.y + 1, count - 1);
    while begin <= end {
        let last = min(last_of_block(begin), end);
        let column = column_on(line, begin);
        if column.count > 0u && is_near_any(rough_keys(item.triangle, line, begin - 1, last), column, is_end) {
            if !is_cut {
                is_cut = true;
                cut = cut_of(item.triangle, item.line);
                if !cut.is_one {
                    return;
                }
            }
            draw_block(cut, item, line, begin, last, is_end);
        }
        begin = last + 1;
    }
}

// Updates the places of a line from `begin` to `last`, all in one block, with a cut.
fn draw_block(given: Cut, item: Item, line: u32, begin: i32, last: i32, is_end: bool) {
    var cut = given;
    let axis = settings.axis;
    let forth = select(2u, 1u, axis == 1u);
    let from_cell = max(max(cell_of(minus(cut.start[0], HALF), axis), item.cells.x), begin - 1);
    let to_cell = min(min(cell_of(minus(cut.end[0], HALF), axis), item.cells.y), last);
    let run = minus(cut.end[0], cut.start[0]);
    let is_upright = !less(FLAT, run);
    var slope = ZERO;
    if !is_upright && from_cell <= to_cell {
        slope = divided(minus(cut.end[1], cut.start[1]), run);
    }
    let low = lower(cut.start[1], cut.end[1]);
    let high = higher(cut.start[1], cut.end[1]);
    let error = times(higher(higher(high, negated(low)), ZERO), HEIGHT_ERROR);
    let keys = Keys(key_of(single_of(minus(low, error))) - 2u, key_of(single_of(plus(high, error))) + 2u);
    for (var cell = from_cell; cell <= to_cell; cell++) {
        var is_known = false;
        var from_height = cut.start[1];
        var to_height = cut.end[1];
        var centre = ZERO;
        var beyond = ZERO;
        var near = ZERO;
        var far = ZERO;
        for (var side = 0; side < 2; side++) {
            let at = cell + side;
            // Other places are updated when their block is drawn.
            if at < begin || at > last {
                continue;
            }
            let column = column_on(line, at);
            let direction = select(forth, opposite(forth), side == 1);
            for (var i = 0u; i < column.count; i++) {
                let place = column.first + i * column.step;
                if !is_near(keys, column.sheet + i, is_end) || !is_asked(place, direction, is_end) {
                    continue;
                }
                if !is_known {
                    is_known = true;
                    centre = plus(coordinate_of(cell, axis), HALF);
                    beyond = plus(centre, ONE);
                    near = higher(cut.start[0], centre);
                    far = lower(cut.end[0], beyond);
                    if !is_upright {
                        from_height = plus(cut.start[1], times(slope, minus(near, cut.start[0])));
                        to_height = plus(cut.start[1], times(slope, minus(far, cut.start[0])));
                    }
                }
                var side_cut = SideCut(minus(near, centre), from_height, minus(far, centre), to_height);
                if side == 1 {
                    side_cut = SideCut(minus(beyond, far), to_height, minus(beyond, near), from_height);
                }
                note(place, direction, side_cut, is_end);
            }
        }
    }
}

@compute @workgroup_size(64)
fn walls_of(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number < settings.end {
        draw(number, false);
    }
}

@compute @workgroup_size(64)
fn ends_of(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number < settings.end {
        draw(number, true);
    }
}

// Lowest and highest coordinate of a triangle.
struct Extent {
    low: Double,
    high: Double,
}

fn extent_of(triangle: u32, coordinate: u32) -> Extent {
    let a = placed[triangle].corners[0][coordinate];
    let b = placed[triangle].corners[1][coordinate];
    let c = placed[triangle].corners[2][coordinate];
    return Extent(lower(lower(a, b), c), higher(higher(a, b), c));
}

// Returns `true` if a line of the window meets the triangle.
fn is_met(triangle: u32) -> bool {
    for (var axis = 0u; axis < 2u; axis++) {
        let extent = extent_of(triangle, 2u * axis);
        let count = i32(select(settings.width, settings.depth, axis == 1u));
        let line = cell_of(minus(extent.low, HALF), axis) + 1;
        if max(line, 0) <= min(cell_of(minus(extent.high, HALF), axis), count - 1) {
            return true;
        }
    }
    return false;
}

// Rounds to the steps of a cell in which posts are given.
fn stepped(cells: Double) -> Double {
    return times(rounded_away(times(cells, STEPS_OF_ENDS)), ONE_OVER_STEPS_OF_ENDS);
}

fn push_post(a: array<Double, 2>, b: array<Double, 2>, key: u32) {
    let number = atomicAdd(&posts[0], 1u);
    if number >= settings.posts {
        return;
    }
    let at = FIRST_POST + POST * number;
    var ends = array<array<Double, 2>, 2>(a, b);
    for (var i = 0u; i < 4u; i++) {
        let coordinate = stepped(ends[i / 2u][i % 2u]);
        atomicStore(&posts[at + 2u * i], coordinate.x);
        atomicStore(&posts[at + 2u * i + 1u], coordinate.y);
    }
    // Multiples of a power of two: no other rounding occurs.
    let steps = rounded_away(times(of_single(bits_of(key)), STEPS_OF_HEIGHTS));
    atomicStore(&posts[at + 8u], single_of(times(steps, ONE_OVER_STEPS_OF_HEIGHTS)));
}

// Adds the ends of edges that are obstacles: the part between an end and the last line that meets
// the triangle would be lost otherwise.
fn add_tips(triangle: u32, corner: u32, extent: Extent) {
    var start: array<Double, 3>;
    for (var i = 0u; i < 3u; i++) {
        start[i] = placed[triangle].corners[corner][i];
    }
    let x = cell_of(minus(start[0], HALF), 0u);
    let z = cell_of(minus(start[2], HALF), 1u);
    for (var other = 1u; other < 3u; other++) {
        let to_corner = (corner + other) % 3u;
        let to_x = placed[triangle].corners[to_corner][0];
        let to_height = placed[triangle].corners[to_corner][1];
        let to_z = placed[triangle].corners[to_corner][2];
        let lowest = lower(start[1], to_height);
        let highest = higher(start[1], to_height);
        let dx = minus(to_x, start[0]);
        let dz = minus(to_z, start[2]);
        var length = ZERO;
        var is_measured = false;
        var known: array<u32, 8>;
        var count = 0u;
        for (var around = 0u; around < 4u; around++) {
            let at_x = x + i32(around & 1u);
            let at_z = z + i32(around >> 1u);
            if at_x < 0 || at_z < 0 || at_x >= i32(settings.width) || at_z >= i32(settings.depth) {
                continue;
            }
            let column = column_at(u32(at_x), u32(at_z));
            for (var i = 0u; i < column.count && count < 8u; i++) {
                let key = ground[column.first + i * column.step];
                if key == 0u {
                    continue;
                }
                let low = of_single(single_plus(bits_of(key), settings.rise));
                let high = of_single(single_plus(bits_of(key), settings.height));
                if !less(low, extent.high) || !less(extent.low, high) {
                    continue;
                }
                if !less(low, highest) || !less(lowest, high) {
                    continue;
                }
                var is_old = false;
                for (var j = 0u; j < count; j++) {
                    is_old = is_old || apart(known[j], key) <= settings.rise;
                }
                if is_old {
                    continue;
                }
                if !is_measured {
                    is_measured = true;
                    length = root(plus(times(dx, dx), times(dz, dz)));
                }
                let found = nearest_between(SideCut(ZERO, start[1], length, to_height), low, high);
                if !found.is_one || !less(found.distance, ONE) {
                    continue;
                }
                known[count] = key;
                count += 1u;
                var share = ZERO;
                if less(ZERO, length) {
                    share = divided(found.distance, length);
                }
                let point = array<Double, 2>(plus(start[0], times(dx, share)), plus(start[2], times(dz, share)));
                push_post(point, point, key);
            }
        }
    }
}

// Returns the first and last pixel around a triangle that no line meets.
fn pixels_around(triangle: u32, axis: u32) -> vec2<i32> {
    let extent = extent_of(triangle, 2u * axis);
    let first = coordinate_of(0, axis);
    let count = i32(select(settings.width, settings.depth, axis == 1u));
    let low = whole_below(minus(minus(extent.low, first), HALF));
    let high = whole_below(plus(minus(extent.high, first), HALF));
    return vec2<i32>(max(low, 0), min(max(high, -1), count - 1));
}

fn add_post(triangle: u32, extent: Extent) {
    let columns = pixels_around(triangle, 0u);
    let rows = pixels_around(triangle, 1u);
    var known: array<u32, 32>;
    var count = 0u;
    for (var z = rows.x; z <= rows.y; z++) {
        for (var x = columns.x; x <= columns.y; x++) {
            let column = column_at(u32(x), u32(z));
            for (var i = 0u; i < column.count; i++) {
                let key = ground[column.first + i * column.step];
                if key == 0u {
                    continue;
                }
                let low = of_single(single_plus(bits_of(key), settings.rise));
                let high = of_single(single_plus(bits_of(key), settings.height));
                if !less(low, extent.high) || !less(extent.low, high) {
                    continue;
                }
                var is_old = false;
                for (var j = 0u; j < count; j++) {
                    is_old = is_old || apart(known[j], key) <= settings.rise;
                }
                if is_old {
                    continue;
                }
                if count == MOST_GROUNDS {
                    atomicStore(&posts[1], 1u);
                    return;
                }
                known[count] = key;
                count += 1u;
                for (var edge = 0u; edge < 3u; edge++) {
                    var a: array<Double, 2>;
                    var b: array<Double, 2>;
                    for (var j = 0u; j < 2u; j++) {
                        a[j] = placed[triangle].corners[edge][2u * j];
                        b[j] = placed[triangle].corners[(edge + 1u) % 3u][2u * j];
                    }
                    // The order is the same for the triangle on the other side.
                    if less(b[0], a[0]) || (!less(a[0], b[0]) && less(b[1], a[1])) {
                        push_post(b, a, key);
                    } else {
                        push_post(a, b, key);
                    }
                }
            }
        }
    }
}

@compute @workgroup_size(64)
fn posts_of(@builtin(global_invocation_id) id: vec3<u32>) {
    let triangle = settings.begin + id.x;
    if triangle >= settings.end {
        return;
    }
    let flags = placed[triangle].flags;
    if (flags & HAS_AREA) == 0u || (flags & WALKABLE) != 0u {
        return;
    }
    let extent = extent_of(triangle, 1u);
    if !is_met(triangle) {
        add_post(triangle, extent);
        return;
    }
    for (var corner = 0u; corner < 3u; corner++) {
        add_tips(triangle, corner, extent);
    }
}

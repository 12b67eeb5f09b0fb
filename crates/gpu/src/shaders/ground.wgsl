// The passes of normals and floors: which triangles are ground, and the highest of them at the centre
// of each pixel, below the cutting shape of each floor.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> inputs: array<Input>;
@group(0) @binding(2) var<storage, read_write> placed: array<Placed>;
@group(0) @binding(3) var<storage, read> blocks: array<Block>;
@group(0) @binding(4) var<storage, read> floors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> ground: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> areas: array<atomic<u32>>;

// Limits for slopes in single precision. They only skip work that would not change the result, so
// they need not equal those of the processor.
const UPRIGHT = 10.0;
const LEAST_SIZE = 1e-9;
const LEAST_UP = 1e-4;
// Upper bound of the relative error of a difference of two products of rounded numbers.
const SINGLE_ERROR = 2e-6;
// Upper bound of the side of a block in cells.
const BLOCK_SIDE = 2048.0;

fn is_after(a: array<Double, 3>, b: array<Double, 3>) -> bool {
    var one = a;
    var other = b;
    for (var i = 0u; i < 3u; i++) {
        if less(other[i], one[i]) {
            return true;
        }
        if less(one[i], other[i]) {
            return false;
        }
    }
    return false;
}

@compute @workgroup_size(64)
fn place(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = settings.begin + id.x;
    if index >= settings.end {
        return;
    }
    var world: array<Double, 9>;
    for (var i = 0u; i < 9u; i++) {
        world[i] = of_single(inputs[index].corners[i]);
    }
    // The normal: (b - a) x (c - a).
    var sides: array<Double, 6>;
    for (var i = 0u; i < 6u; i++) {
        sides[i] = minus(world[i + 3u], world[i % 3u]);
    }
    var squares: array<Double, 3>;
    var up = ZERO;
    for (var i = 0u; i < 3u; i++) {
        let j = (i + 1u) % 3u;
        let k = (i + 2u) % 3u;
        let part = minus(times(sides[j], sides[k + 3u]), times(sides[j + 3u], sides[k]));
        squares[i] = times(part, part);
        if i == 1u {
            up = part;
        }
    }
    let all = plus(plus(squares[0], squares[1]), squares[2]);
    let area = inputs[index].area;
    var flags = 0u;
    if less(ZERO, all) {
        flags = HAS_AREA;
        if less(ZERO, up) && !less(squares[1], times(settings.cos_squared, all)) {
            flags |= GENTLE | select(WALKABLE, 0u, area == NULL_AREA);
        }
    }
    var origin = array<Double, 3>(settings.origin_x, settings.origin_y, settings.origin_z);
    var corners: array<array<Double, 3>, 3>;
    for (var i = 0u; i < 3u; i++) {
        for (var j = 0u; j < 3u; j++) {
            let at = minus(world[3u * i + j], origin[j]);
            corners[i][j] = at;
            if j != 1u {
                corners[i][j] = clamped(times(at, settings.per_cell), negated(REACH), REACH);
            }
        }
    }
    for (var i = 0u; i < 3u; i++) {
        let a = corners[i];
        let b = corners[(i + 1u) % 3u];
        let along_x = is_after(array<Double, 3>(a[2], a[0], a[1]), array<Double, 3>(b[2], b[0], b[1]));
        let along_z = is_after(array<Double, 3>(a[0], a[2], a[1]), array<Double, 3>(b[0], b[2], b[1]));
        flags |= select(0u, SWAPPED << i, along_x) | select(0u, SWAPPED << (3u + i), along_z);
    }
    placed[index].corners = corners;
    placed[index].area = area;
    placed[index].flags = flags | rough_numbers(index, corners);
}

fn rough(a: Double) -> f32 {
    return bitcast<f32>(single_of(a));
}

// Computes finite heights and the slope of a triangle for rough tests. Returns the flag of a slope
// that is exact enough.
fn rough_numbers(index: u32, given: array<array<Double, 3>, 3>) -> u32 {
    var corners = given;
    let low = lower(corners[0][1], lower(corners[1][1], corners[2][1]));
    let high = higher(corners[0][1], higher(corners[1][1], corners[2][1]));
    placed[index].low = rough(clamped(low, negated(LARGEST), LARGEST));
    placed[index].high = rough(clamped(high, negated(LARGEST), LARGEST));
    if less(low, negated(REACH)) || less(REACH, high) {
        return 0u;
    }
    var u: array<f32, 3>;
    var v: array<f32, 3>;
    for (var i = 0u; i < 3u; i++) {
        u[i] = rough(minus(corners[1][i], corners[0][i]));
        v[i] = rough(minus(corners[2][i], corners[0][i]));
    }
    let up = abs(u[2] * v[0] - u[0] * v[2]);
    let size = abs(u[2] * v[0]) + abs(u[0] * v[2]);
    let steep = vec2<f32>(u[2] * v[1] - u[1] * v[2], u[1] * v[0] - u[0] * v[1]);
    let products = abs(u[2] * v[1]) + abs(u[1] * v[2]) + abs(u[1] * v[0]) + abs(u[0] * v[1]);
    let extent = max(max(abs(u[0]), abs(u[2])), max(abs(v[0]), abs(v[2]))) + BLOCK_SIDE;
    let is_plane = size > LEAST_SIZE && up > LEAST_UP * size;
    let is_gentle = abs(steep.x) + abs(steep.y) < UPRIGHT * up;
    let is_exact = SINGLE_ERROR * (products + UPRIGHT * size) * extent < ROUGH_ERROR * up;
    if !is_plane || !is_gentle || !is_exact {
        return 0u;
    }
    let slope = steep / (u[2] * v[0] - u[0] * v[2]);
    placed[index].slope[0] = slope.x;
    placed[index].slope[1] = slope.y;
    placed[index].anchor[0] = rough(minus(corners[0][0], of_natural(settings.window_x)));
    placed[index].anchor[1] = rough(corners[0][1]);
    placed[index].anchor[2] = rough(minus(corners[0][2], of_natural(settings.window_z)));
    return HAS_SLOPE;
}

// Returns the height of a cut at a position, in single precision.
fn height_at(cut: Cut, at: Double, run: Double) -> u32 {
    if !less(ZERO, run) {
        return single_of(cut.start[1]);
    }
    let share = clamped(divided(minus(at, cut.start[0]), run), ZERO, ONE);
    return single_of(plus(cut.start[1], times(minus(cut.end[1], cut.start[1]), share)));
}

fn draw(number: u32, of_areas: bool) {
    let item = item_of(number);
    let triangle = item.triangle;
    if (placed[triangle].flags & GENTLE) == 0u {
        return;
    }
    let cut = cut_of(triangle, item.line);
    if !cut.is_one {
        return;
    }
    // The first centre at or after the start, with slack, is the negated last centre before the
    // negated start.
    let before = minus(PLACE_SLACK_AND_HALF, cut.start[0]);
    let first_x = i32(settings.window_x);
    let start = -clamp(whole_below(before), -first_x - i32(settings.width) - 2, 2 - first_x) - first_x;
    let end = cell_of(plus(minus(cut.end[0], HALF), PLACE_SLACK), 0u);
    let first = max(max(start, 0), item.cells.x);
    let last = min(min(end, i32(settings.width) - 1), item.cells.y);
    let run = minus(cut.end[0], cut.start[0]);
    let z = u32(item.line) - settings.window_z;
    for (var x = first; x <= last; x++) {
        let column = column_at(u32(x), z);
        if column.count == 0u {
            continue;
        }
        let bits = height_at(cut, plus(coordinate_of(x, 0u), HALF), run);
        let floor = floor_at(column, key_of(bits));
        if floor == NO_FLOOR {
            continue;
        }
        let place = column.first + floor * column.step;
        if !of_areas {
            atomicMax(&ground[place], key_of(bits));
        } else if all(step_of(bits) == step_of(bits_of(atomicLoad(&ground[place])))) {
            atomicMax(&areas[place], placed[triangle].area);
        }
    }
}

@compute @workgroup_size(64)
fn floors_of(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number < settings.end {
        draw(number, false);
    }
}

@compute @workgroup_size(64)
fn areas_of(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number < settings.end {
        draw(number, true);
    }
}

// Triangles to fragments, and fragments to spans: the arithmetic of the rasteriser on the processor
// (`triangle.rs` and `fragments.rs` of `waymesh-voxel`), operation by operation.

struct Settings {
    // Coordinates of the grid: (world - origin) * per_cell, heights * per_level.
    origin_x: Double,
    origin_y: Double,
    origin_z: Double,
    per_cell: Double,
    per_level: Double,
    slope_scale: Double,
    cos_squared: Double,
    last_of_all: vec2<i32>,
    // The columns that are filled: first inside, then the first outside.
    first_cell: i32,
    first_row: i32,
    end_cell: i32,
    end_row: i32,
    reach: i32,
    triangles: u32,
    // Range of this dispatch: triangles, items or columns.
    begin: u32,
    end: u32,
    // Largest number of fragments of a sorted column.
    deepest: u32,
    unused: u32,
}

struct Input {
    // Bits of the nine coordinates.
    corners: array<u32, 9>,
    // 256 for a blocked triangle.
    area: u32,
    // Rows that it reaches into, not clipped.
    rows: array<i32, 2>,
    // Its items: rows from the first one in the region, each cut at fixed columns.
    row_from: i32,
    segment_from: u32,
    segments: u32,
    first_item: u32,
}

// An edge as a function of z: x and height there; or of x: z and height.
struct Edge {
    start: Double,
    other: Double,
    height: Double,
    other_slope: Double,
    height_slope: Double,
}

struct Triangle {
    // The longest edge along z, the two others, and the three edges by x.
    edges: array<Edge, 6>,
    end_x: Double,
    end_height: Double,
    end_z: Double,
    gradient: array<Double, 2>,
    reference: Double,
    heights: array<Double, 2>,
    flags: u32,
    side: i32,
}

const COVERS_CENTRE = 1u;
const UPWARD = 2u;
const GENTLE = 4u;
const WALKABLE = 8u;
const BLOCKED = 16u;
const LONG_IS_LEFT = 32u;
const HAS_PLANE = 64u;
const ALONG_LINE = 128u;
const AREA_SHIFT = 8u;
const BLOCKED_AREA = 256;
const LEAST = -2147483647 - 1;

// Cells of a row that one item fills.
const SEGMENT = 64;

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> inputs: array<Input>;
@group(0) @binding(2) var<storage, read_write> prepared: array<Triangle>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(5) var<storage, read_write> fragments: array<vec4<i32>>;
@group(0) @binding(6) var<storage, read_write> span_offsets: array<u32>;
@group(0) @binding(7) var<storage, read_write> spans: array<u32>;
@group(0) @binding(8) var<storage, read_write> deepest: atomic<u32>;

fn first_cell_of(x: Double) -> i32 {
    return nearest(plus(x, PLAN_SLACK_LESS_HALF));
}

fn last_cell_of(x: Double) -> i32 {
    return nearest(minus(x, PLAN_SLACK_AND_HALF));
}

fn line_after(x: Double) -> i32 {
    return nearest(plus(x, HALF_LESS_ERROR));
}

fn line_before(x: Double) -> i32 {
    return nearest(minus(x, HALF_LESS_ERROR));
}

fn grid_coordinate(world: u32, origin: Double, per: Double) -> Double {
    return clamped(times(minus(of_single(world), origin), per), negated(REACH), REACH);
}

fn edge_of(start: array<Double, 3>, end: array<Double, 3>) -> Edge {
    let run = minus(end[0], start[0]);
    var per_run = ZERO;
    if less(SHORTEST_RUN, run) {
        per_run = divided(ONE, run);
    }
    var slopes: array<Double, 2>;
    for (var i = 0; i < 2; i++) {
        slopes[i] = times(minus(end[i + 1], start[i + 1]), per_run);
    }
    return Edge(start[0], start[1], start[2], slopes[0], slopes[1]);
}

@compute @workgroup_size(64)
fn prepare(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = settings.begin + id.x;
    if index >= settings.end {
        return;
    }
    let area = inputs[index].area;
    var world: array<Double, 9>;
    for (var i = 0; i < 9; i++) {
        world[i] = of_single(inputs[index].corners[i]);
    }
    // The normal: (b - a) x (c - a).
    var sides: array<Double, 6>;
    for (var i = 0; i < 6; i++) {
        sides[i] = minus(world[i + 3], world[i % 3]);
    }
    var normal: array<Double, 3>;
    var squares: array<Double, 3>;
    for (var i = 0; i < 3; i++) {
        let j = (i + 1) % 3;
        let k = (i + 2) % 3;
        normal[i] = minus(times(sides[j], sides[k + 3]), times(sides[j + 3], sides[k]));
        squares[i] = times(normal[i], normal[i]);
    }
    let all = plus(plus(squares[0], squares[1]), squares[2]);
    var flags = 0u;
    var gradient = array<Double, 2>(ZERO, ZERO);
    if less(times(LEAST_UPWARD, all), squares[1]) {
        flags = HAS_PLANE;
        if (normal[1].y >> 31u) == 0u {
            flags |= UPWARD;
            if !less(squares[1], times(settings.cos_squared, all)) {
                flags |= GENTLE | WALKABLE;
            }
        }
        let scale = divided(negated(settings.slope_scale), normal[1]);
        gradient = array<Double, 2>(times(normal[0], scale), times(normal[2], scale));
    }
    if area == u32(BLOCKED_AREA) {
        flags = (flags & ~WALKABLE) | BLOCKED;
    } else {
        flags |= area << AREA_SHIFT;
    }
    // Points as z, x, height.
    var points: array<array<Double, 3>, 3>;
    for (var i = 0; i < 3; i++) {
        let corner = 3 * i;
        points[i][0] = grid_coordinate(inputs[index].corners[corner + 2], settings.origin_z, settings.per_cell);
        points[i][1] = grid_coordinate(inputs[index].corners[corner], settings.origin_x, settings.per_cell);
        points[i][2] = grid_coordinate(inputs[index].corners[corner + 1], settings.origin_y, settings.per_level);
    }
    var edges: array<Edge, 6>;
    var sorted = points;
    for (var axis = 0; axis < 2; axis++) {
        // In the second pass as x, z, height.
        for (var i = 0; i < 3; i++) {
            sorted[i] = points[i];
            if axis == 1 {
                sorted[i] = array<Double, 3>(points[i][1], points[i][0], points[i][2]);
            }
        }
        for (var step = 0; step < 3; step++) {
            let i = step % 2;
            if less(sorted[i + 1][0], sorted[i][0]) {
                let other = sorted[i];
                sorted[i] = sorted[i + 1];
                sorted[i + 1] = other;
            }
        }
        for (var i = 0; i < 3; i++) {
            let from_corner = select(0, 1, i == 2);
            let to_corner = select(2, 1, i == 1);
            edges[3 * axis + i] = edge_of(sorted[from_corner], sorted[to_corner]);
        }
        if axis == 0 {
            let a = sorted[0];
            let b = sorted[1];
            let c = sorted[2];
            let turn = minus(
                times(minus(b[1], a[1]), minus(c[0], a[0])),
                times(minus(b[0], a[0]), minus(c[1], a[1])),
            );
            flags |= select(0u, LONG_IS_LEFT, less(ZERO, turn));
            flags |= select(0u, ALONG_LINE, first_cell_of(a[0]) > last_cell_of(c[0]));
            let heights = array<Double, 2>(lower(a[2], lower(b[2], c[2])), higher(a[2], higher(b[2], c[2])));
            prepared[index].heights = heights;
            prepared[index].end_x = c[1];
            prepared[index].end_height = c[2];
            prepared[index].end_z = c[0];
            prepared[index].reference = heights[1];
            if (flags & HAS_PLANE) != 0u {
                prepared[index].reference = a[2];
            }
        }
    }
    prepared[index].edges = edges;
    prepared[index].gradient = gradient;
    prepared[index].flags = flags;
    let x = normal[0];
    let is_wall = less(vec2<u32>(normal[1].x, normal[1].y & 0x7fffffffu), vec2<u32>(x.x, x.y & 0x7fffffffu));
    prepared[index].side = select(0, select(1, -1, (x.y >> 31u) != 0u), is_wall);
}

// Returns x or z, and height, of an edge; only the first `parts` of them.
fn edge_at(triangle: u32, edge: i32, position: Double, parts: i32) -> array<Double, 2> {
    let run = minus(position, prepared[triangle].edges[edge].start);
    var point = array<Double, 2>(prepared[triangle].edges[edge].other, prepared[triangle].edges[edge].height);
    var slopes = array<Double, 2>(
        prepared[triangle].edges[edge].other_slope,
        prepared[triangle].edges[edge].height_slope,
    );
    for (var i = 0; i < parts; i++) {
        point[i] = plus(point[i], times(slopes[i], run));
    }
    return point;
}

// The polygon of a triangle in one row.
struct Cut {
    triangle: u32,
    row: i32,
    flags: u32,
    // x and height of its corners, some of them twice.
    corners: array<array<Double, 2>, 5>,
    z: array<Double, 2>,
    // Cells whose centre it covers.
    covered: vec2<i32>,
    // Cells that it reaches into. Each cell uses all corners if they are `alone`.
    cells: vec2<i32>,
    alone: bool,
    // Cells that it covers wholly: the first, and the first after them.
    full: vec2<i32>,
}

// Computes the cut of a triangle in a row. Without `whole` only its cells are valid.
fn cut_of(triangle: u32, row: i32, rows: array<i32, 2>, whole: bool) -> Cut {
    var cut: Cut;
    cut.triangle = triangle;
    cut.row = row;
    let flags = prepared[triangle].flags;
    cut.flags = flags;
    let along_line = (flags & ALONG_LINE) != 0u;
    let begins = row <= rows[0] || along_line;
    let ends = row >= rows[1] || along_line;
    let start_z = prepared[triangle].edges[0].start;
    let middle_z = prepared[triangle].edges[2].start;
    let end_z = prepared[triangle].end_z;
    let middle = array<Double, 2>(prepared[triangle].edges[2].other, prepared[triangle].edges[2].height);
    let line = of_int(row);
    let next_line = of_int(row + 1);
    // Long and short edge at the lower line, the upper line, and between.
    var sections: array<array<Double, 2>, 6>;
    // Only gentle fragments need to know if they cover the centre.
    let centres = whole && (flags & GENTLE) != 0u;
    for (var i = 0; i < select(2, 3, centres); i++) {
        var z = line;
        if i == 1 {
            z = next_line;
        } else if i == 2 {
            z = plus(line, HALF);
        }
        let short = select(1, 2, !less(plus(z, SHORTEST_RUN), middle_z));
        for (var j = 0; j < 2; j++) {
            sections[2 * i + j] = edge_at(triangle, select(0, short, j == 1), z, select(1, select(2, 1, i == 2), whole));
        }
    }
    if begins {
        let start = array<Double, 2>(prepared[triangle].edges[0].other, prepared[triangle].edges[0].height);
        sections[0] = start;
        sections[1] = middle;
        if less(start_z, middle_z) {
            sections[1] = start;
        }
    }
    if ends {
        let end = array<Double, 2>(prepared[triangle].end_x, prepared[triangle].end_height);
        sections[2] = end;
        sections[3] = middle;
        if less(middle_z, end_z) {
            sections[3] = end;
        }
    }
    cut.z = array<Double, 2>(line, next_line);
    if begins {
        cut.z[0] = start_z;
    }
    if ends {
        cut.z[1] = end_z;
    }
    let has_middle = (begins || less(line, middle_z)) && (ends || less(middle_z, next_line));
    cut.corners = array<array<Double, 2>, 5>(sections[0], sections[1], sections[3], sections[3], sections[2]);
    if has_middle {
        cut.corners[2] = middle;
    }
    var least = cut.corners[0][0];
    var most = least;
    for (var i = 1; i < 5; i++) {
        least = lower(least, cut.corners[i][0]);
        most = higher(most, cut.corners[i][0]);
    }
    var cells = vec2<i32>(first_cell_of(least), last_cell_of(most));
    cut.covered = vec2<i32>(1, 0);
    if centres {
        let half = plus(line, HALF);
        let left = lower(sections[4][0], sections[5][0]);
        let right = higher(sections[4][0], sections[5][0]);
        cut.covered.x = nearest(minus(left, CENTRE_SLACK));
        cut.covered.y = nearest(plus(right, CENTRE_SLACK)) - 1;
        if less(half, start_z) || less(end_z, half) {
            cut.covered.y = LEAST;
        }
    }
    cut.full = vec2<i32>(0, 0);
    cut.alone = cells.x >= cells.y;
    if cells.x > cells.y {
        // The triangle lies along the line between two cells: the cell behind it; of the two, `y`
        // is the lower.
        let side = prepared[triangle].side;
        if side == 0 {
            cells = cells.yx;
        } else if (side > 0 && cells.y >= 0) || cells.x > settings.last_of_all.x {
            cells = cells.yy;
        } else {
            cells = cells.xx;
        }
    } else if whole
        && cells.x < cells.y
        && u32(cells.y - cells.x) >= WIDE
        && (flags & HAS_PLANE) != 0u
        && !less(line, cut.z[0])
        && !less(cut.z[1], next_line) {
        // Left and right side, at both lines.
        let left = select(1, 0, (flags & LONG_IS_LEFT) != 0u);
        let inner_left = higher(sections[left][0], sections[left + 2][0]);
        let inner_right = lower(sections[1 - left][0], sections[3 - left][0]);
        cut.full = vec2<i32>(max(line_after(inner_left), cells.x), min(line_before(inner_right), cells.y + 1));
    }
    cut.cells = cells;
    return cut;
}

fn plane_at(triangle: u32, x: Double, z: Double) -> Double {
    let along_x = times(prepared[triangle].gradient[0], minus(x, prepared[triangle].edges[0].other));
    let along_z = times(prepared[triangle].gradient[1], minus(z, prepared[triangle].edges[0].start));
    return plus(plus(prepared[triangle].reference, along_x), along_z);
}

// Lowest height, and highest one negated.
struct Range {
    least: Double,
    minus_most: Double,
}

fn widened(range: Range, height: Double) -> Range {
    return Range(lower(range.least, height), lower(range.minus_most, negated(height)));
}

// Returns the heights at which a line of constant x enters and leaves the polygon.
fn crossing(cut: ptr<function, Cut>, line: i32) -> Range {
    let triangle = (*cut).triangle;
    let x = of_int(line);
    let short = select(4, 5, !less(x, prepared[triangle].edges[5].start));
    var range = Range(INFINITE, INFINITE);
    for (var i = 0; i < 2; i++) {
        let point = edge_at(triangle, select(3, short, i == 1), x, 2);
        let moved = minus(clamped(point[0], (*cut).z[0], (*cut).z[1]), point[0]);
        let height = plus(point[1], times(prepared[triangle].gradient[1], moved));
        range = widened(range, clamped(height, prepared[triangle].heights[0], prepared[triangle].heights[1]));
    }
    return range;
}

// Bottom, top, ground, and flags with the area.
fn fragment_of(range: Range, plane: Double, flags: u32) -> vec4<i32> {
    let bottom = nearest(plus(range.least, LEVEL_SLACK_LESS_HALF));
    let top = max(-nearest(plus(range.minus_most, LEVEL_SLACK_LESS_HALF)), bottom + 1);
    var ground = clamped(plane, range.least, negated(range.minus_most));
    ground = clamped(times(ground, GROUND_STEPS), negated(MOST_GROUND), MOST_GROUND);
    return vec4<i32>(bottom, top, nearest(ground), bitcast<i32>(flags));
}

fn first_item_of(triangle: u32) -> u32 {
    return inputs[triangle].first_item;
}

struct Item {
    triangle: u32,
    row: i32,
    // First and last cell.
    cells: vec2<i32>,
}

fn item_of(number: u32) -> Item {
    var item: Item;
    item.triangle = triangle_of(number);
    let own = number - inputs[item.triangle].first_item;
    let segments = inputs[item.triangle].segments;
    item.row = inputs[item.triangle].row_from + i32(own / segments);
    let segment = inputs[item.triangle].segment_from + own % segments;
    item.cells.x = settings.first_cell + SEGMENT * i32(segment);
    item.cells.y = min(item.cells.x + SEGMENT, settings.end_cell) - 1;
    return item;
}

fn column_of(row: i32, cell: i32) -> u32 {
    let width = u32(settings.end_cell - settings.first_cell);
    return u32(row - settings.first_row) * width + u32(cell - settings.first_cell);
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number >= settings.end {
        return;
    }
    let item = item_of(number);
    let cut = cut_of(item.triangle, item.row, inputs[item.triangle].rows, false);
    for (var cell = max(item.cells.x, cut.cells.x); cell <= min(item.cells.y, cut.cells.y); cell++) {
        atomicAdd(&counts[column_of(item.row, cell)], 1u);
    }
}

@compute @workgroup_size(64)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number >= settings.end {
        return;
    }
    let item = item_of(number);
    let triangle = item.triangle;
    var cut = cut_of(triangle, item.row, inputs[triangle].rows, true);
    let first = max(item.cells.x, cut.cells.x);
    let last = min(item.cells.y, cut.cells.y);
    if first > last {
        return;
    }
    let line = of_int(item.row);
    let centre_z = plus(line, HALF);
    var corner_cells: array<i32, 5>;
    for (var i = 0; i < 5; i++) {
        corner_cells[i] = clamp(line_before(cut.corners[i][0]), cut.cells.x, cut.cells.y);
    }
    // The plane at the centre of the first cell, and over the cells that are covered wholly.
    let partly = plane_at(triangle, plus(of_int(cut.cells.x), HALF), centre_z);
    let gradient_x = prepared[triangle].gradient[0];
    let gradient_z = prepared[triangle].gradient[1];
    let corner = plane_at(triangle, of_int(cut.full.x), line);
    let full_least = plus(plus(corner, lower(gradient_x, ZERO)), lower(gradient_z, ZERO));
    let full_most = plus(plus(corner, higher(gradient_x, ZERO)), higher(gradient_z, ZERO));
    let full_ground = plus(corner, times(plus(gradient_x, gradient_z), HALF));
    var before = Range(INFINITE, INFINITE);
    // One step beyond the last cell: the line after a cell is known at the start of the next one.
    for (var cell = first; cell <= last + 1; cell++) {
        let is_full = cell >= cut.full.x && cell < cut.full.y;
        let was_full = cell > cut.full.x && cell <= cut.full.y;
        var crossed = Range(INFINITE, INFINITE);
        if !cut.alone && cell > cut.cells.x && cell <= cut.cells.y && !(is_full && (was_full || cell == first)) {
            crossed = crossing(&cut, cell);
        }
        if cell > first {
            let own = cell - 1;
            var range: Range;
            var plane: Double;
            if was_full {
                let rise = times(gradient_x, of_natural(u32(own - cut.full.x)));
                range = Range(plus(full_least, rise), minus(negated(full_most), rise));
                plane = plus(full_ground, rise);
            } else {
                range = Range(lower(before.least, crossed.least), lower(before.minus_most, crossed.minus_most));
                for (var i = 0; i < 5; i++) {
                    if cut.alone || corner_cells[i] == own {
                        range = widened(range, cut.corners[i][1]);
                    }
                }
                if cut.alone {
                    plane = plane_at(triangle, plus(of_int(own), HALF), centre_z);
                } else {
                    plane = plus(partly, times(gradient_x, of_natural(u32(own - cut.cells.x))));
                }
            }
            var flags = cut.flags;
            if was_full || (own >= cut.covered.x && own <= cut.covered.y) {
                flags |= COVERS_CENTRE;
            }
            let column = column_of(item.row, own);
            let place = offsets[column] + atomicSub(&counts[column], 1u) - 1u;
            fragments[place] = fragment_of(range, plane, flags);
        }
        before = crossed;
    }
}

// The union of fragments: the maximum of each number.
struct Piece {
    minus_bottom: i32,
    top: i32,
    walkable_top: i32,
    upward_top: i32,
    centre_ground: i32,
    upward_ground: i32,
    top_area: i32,
    centre_area: i32,
}

fn piece_of(fragment: vec4<i32>) -> Piece {
    var piece = Piece(-fragment.x, fragment.y, LEAST, LEAST, LEAST, LEAST, LEAST, LEAST);
    let flags = bitcast<u32>(fragment.w);
    if (flags & UPWARD) == 0u {
        return piece;
    }
    let is_centre = (flags & (COVERS_CENTRE | GENTLE)) == (COVERS_CENTRE | GENTLE);
    piece.centre_ground = select(LEAST, fragment.z, is_centre);
    let blocked = (flags & BLOCKED) != 0u;
    if blocked || (flags & WALKABLE) != 0u {
        let area = select(i32(flags >> AREA_SHIFT), BLOCKED_AREA, blocked);
        piece.walkable_top = fragment.y;
        piece.top_area = area;
        piece.centre_area = select(LEAST, area, is_centre);
    }
    if !blocked {
        piece.upward_top = fragment.y;
        piece.upward_ground = fragment.z;
    }
    return piece;
}

// Returns the area of the greater height, and the greater area at equal heights.
fn area_over(height: i32, area: i32, other_height: i32, other_area: i32) -> i32 {
    if height == other_height {
        return max(area, other_area);
    }
    return select(other_area, area, height > other_height);
}

fn merged(a: Piece, b: Piece) -> Piece {
    return Piece(
        max(a.minus_bottom, b.minus_bottom),
        max(a.top, b.top),
        max(a.walkable_top, b.walkable_top),
        max(a.upward_top, b.upward_top),
        max(a.centre_ground, b.centre_ground),
        max(a.upward_ground, b.upward_ground),
        area_over(a.walkable_top, a.top_area, b.walkable_top, b.top_area),
        area_over(a.centre_ground, a.centre_area, b.centre_ground, b.centre_area),
    );
}

// Whole numbers of 64 bits: x low, y high.
fn long_of(a: i32) -> vec2<u32> {
    return vec2<u32>(bitcast<u32>(a), select(0u, 0xffffffffu, a < 0));
}

fn long_steps(levels: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(levels.x << GROUND_SHIFT, (levels.y << GROUND_SHIFT) | (levels.x >> (32u - GROUND_SHIFT)));
}

fn long_minus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn long_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    let p = bitcast<i32>(a.y);
    let q = bitcast<i32>(b.y);
    return p < q || (p == q && a.x < b.x);
}

// Bottom, top, and drop, area and the flag for upward in one word.
fn span_of(piece: Piece) -> vec4<i32> {
    var least = piece.top - settings.reach;
    // Numbers without a fragment are below it, for any reach.
    if least > piece.top || least == LEAST {
        least = LEAST + 1;
    }
    let top = long_steps(long_of(piece.top));
    // One more than the reach.
    let limit = long_steps(vec2<u32>(u32(settings.reach) + 1u, 0u));
    var drop = long_minus(top, long_of(piece.centre_ground));
    let is_centre = !long_less(limit, drop) && piece.centre_ground != LEAST;
    if !is_centre {
        drop = long_minus(top, long_of(piece.upward_ground));
    }
    var area = 0;
    if piece.walkable_top >= least {
        area = piece.top_area;
        if is_centre && piece.centre_area != LEAST {
            area = piece.centre_area;
        }
    }
    let blocked = area == BLOCKED_AREA;
    let upward = piece.upward_top >= least && !blocked;
    var steps = 0u;
    if upward && bitcast<i32>(drop.y) >= 0 {
        steps = select(min(drop.x, 65535u), 65535u, drop.y != 0u);
    }
    let word = steps | (select(u32(area), 0u, blocked) << 16u) | select(0u, 1u << 24u, upward);
    return vec4<i32>(-piece.minus_bottom, piece.top, bitcast<i32>(word), 0);
}

// Sorts fragments by their bottom.
fn sort(base: u32, count: u32) {
    if count <= 24u {
        for (var i = 1u; i < count; i++) {
            let moving = fragments[base + i];
            var place = i;
            while place > 0u {
                let other = fragments[base + place - 1u];
                if other.x <= moving.x {
                    break;
                }
                fragments[base + place] = other;
                place -= 1u;
            }
            fragments[base + place] = moving;
        }
        return;
    }
    // Heapsort: in place, and without a slow worst case.
    var heaped = count / 2u;
    var end = count;
    while end > 1u {
        var moving: vec4<i32>;
        if heaped > 0u {
            heaped -= 1u;
            moving = fragments[base + heaped];
        } else {
            end -= 1u;
            moving = fragments[base + end];
            fragments[base + end] = fragments[base];
        }
        var place = heaped;
        loop {
            var child = 2u * place + 1u;
            if child >= end {
                break;
            }
            if child + 1u < end && fragments[base + child].x < fragments[base + child + 1u].x {
                child += 1u;
            }
            if fragments[base + child].x <= moving.x {
                break;
            }
            fragments[base + place] = fragments[base + child];
            place = child;
        }
        fragments[base + place] = moving;
    }
}

// Writes the spans of each column over its fragments, and their number to `counts`.
@compute @workgroup_size(64)
fn merge(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = settings.begin + id.x;
    if column >= settings.end {
        return;
    }
    let base = offsets[column];
    let count = offsets[column + 1u] - base;
    if count > settings.deepest {
        atomicMax(&deepest, count);
        return;
    }
    if count == 0u {
        return;
    }
    sort(base, count);
    var done = 0u;
    var whole = piece_of(fragments[base]);
    for (var i = 1u; i < count; i++) {
        let fragment = fragments[base + i];
        let piece = piece_of(fragment);
        if fragment.x <= whole.top {
            whole = merged(whole, piece);
        } else {
            fragments[base + done] = span_of(whole);
            done += 1u;
            whole = piece;
        }
    }
    fragments[base + done] = span_of(whole);
    atomicStore(&counts[column], done + 1u);
}

// Collects the spans of all columns.
@compute @workgroup_size(64)
fn collect(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = settings.begin + id.x;
    if column >= settings.end {
        return;
    }
    let base = offsets[column];
    let to = span_offsets[column];
    let count = span_offsets[column + 1u] - to;
    for (var i = 0u; i < count; i++) {
        let span = fragments[base + i];
        let place = 3u * (to + i);
        spans[place] = bitcast<u32>(span.x);
        spans[place + 1u] = bitcast<u32>(span.y);
        spans[place + 2u] = bitcast<u32>(span.z);
    }
}

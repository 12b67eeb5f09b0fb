// Packing of the columns of the result.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> field_columns: array<u32>;
@group(0) @binding(2) var<storage, read> kept: array<u32>;
@group(0) @binding(3) var<storage, read> links: array<u32>;
@group(0) @binding(4) var<storage, read_write> out_counts: array<u32>;
@group(0) @binding(5) var<storage, read> out_columns: array<u32>;
// Two words a span, or four.
@group(0) @binding(6) var<storage, read_write> out: array<u32>;
// One byte each: the numbers of spans of columns, then, in another table, the areas of spans.
@group(0) @binding(7) var<storage, read_write> bytes: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> stats: array<atomic<u32>>;

const OPEN_ROOM = 0xffffu;

// Returns the filled column of a column of the result.
fn column_of(number: u32) -> vec2<u32> {
    return vec2<u32>(
        settings.out_x + number % settings.out_width,
        settings.out_z + number / settings.out_width,
    );
}

fn set_byte(index: u32, value: u32) {
    atomicOr(&bytes[index / 4u], value << (8u * (index % 4u)));
}

@compute @workgroup_size(64)
fn count_out(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number >= settings.end {
        return;
    }
    let at = column_of(number);
    let column = at.y * settings.width + at.x;
    let count = field_columns[column + 1u] - field_columns[column];
    out_counts[number] = count;
    set_byte(number, count);
}

// Returns the index of a linked span in its column, or `none` for a missing link.
fn place_of(link: u32, column: u32, none: u32) -> u32 {
    if link == NO_SPAN {
        return none;
    }
    return link - field_columns[column];
}

@compute @workgroup_size(64)
fn pack(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number >= settings.end {
        return;
    }
    let at = column_of(number);
    let column = at.y * settings.width + at.x;
    var beside = array<u32, 4>(column - 1u, column + settings.width, column + 1u, column - settings.width);
    let bits = select(8u, 4u, settings.is_narrow != 0u);
    let none = (1u << bits) - 1u;
    var eroded = 0u;
    var to = out_columns[number];
    for (var span = field_columns[column]; span < field_columns[column + 1u]; span++) {
        let level = bitcast<i32>(kept[KEPT * span + FLOOR]);
        let ceiling = bitcast<i32>(kept[KEPT * span + CEILING]);
        let rest = kept[KEPT * span + REST];
        var places = 0u;
        for (var i = 0u; i < 4u; i++) {
            places |= place_of(links[4u * span + i], beside[i], none) << (bits * i);
        }
        let room = above(ceiling, level);
        if settings.is_narrow != 0u {
            out[2u * to] = above(level, settings.lowest) | (select(room, OPEN_ROOM, ceiling == OPEN) << 16u);
            out[2u * to + 1u] = (rest & 0xffffu) | (places << 16u);
        } else {
            out[4u * to] = bitcast<u32>(level);
            out[4u * to + 1u] = select(room, NO_SPAN, ceiling == OPEN);
            out[4u * to + 2u] = rest & 0xffffu;
            out[4u * to + 3u] = places;
        }
        if (rest & IS_ERODED) != 0u {
            eroded += 1u;
        } else {
            set_byte(to, (rest >> 16u) & 0xffu);
        }
        to += 1u;
    }
    if eroded > 0u && is_counted(at.x, at.y) {
        atomicAdd(&stats[ERODED], eroded);
    }
}

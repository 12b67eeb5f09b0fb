// Links of places, the cuts of links by walls, and the ends of the ground (`links.rs` and
// `clearance.rs` of `waymesh-storeys`).

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> blocks: array<Block>;
@group(0) @binding(2) var<storage, read_write> ground: array<u32>;
@group(0) @binding(3) var<storage, read_write> sheets: array<atomic<u32>>;
// Two words for four floors; inverted until walls have cut them, so that 0 is no link.
@group(0) @binding(4) var<storage, read_write> links: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> extents: array<u32>;
// 1 for a place where ground ends; then the number of such places before it.
@group(0) @binding(6) var<storage, read_write> counts: array<u32>;
@group(0) @binding(7) var<storage, read> offsets: array<u32>;
// Place, and four times 16 bits.
@group(0) @binding(8) var<storage, read_write> borders: array<u32>;

const NO_FLOORS = 0xffffffffu;
const ONE_SINGLE = 0x3f800000u;
const INFINITE_SINGLE = 0x7f800000u;

// Returns the floor nearest in height and within a step, the lowest of several.
fn nearest_floor(key: u32, column: Column) -> u32 {
    var least = settings.rise;
    var best = NO_FLOOR;
    for (var i = 0u; i < column.count; i++) {
        let other = ground[column.first + i * column.step];
        if other == 0u {
            continue;
        }
        let off = apart(key, other);
        if off < least || (off <= least && best == NO_FLOOR) {
            least = off;
            best = i;
        }
    }
    return best;
}

fn link_of(key: u32, level: u32, own: Column, theirs: Column) -> u32 {
    for (var i = 0u; i < theirs.count; i++) {
        let other = ground[theirs.first + i * theirs.step];
        if other != 0u && apart(key, other) <= settings.near {
            return i;
        }
    }
    let best = nearest_floor(key, theirs);
    if best == NO_FLOOR || nearest_floor(ground[theirs.first + best * theirs.step], own) != level {
        return NO_FLOOR;
    }
    return best;
}

fn set_link(place: u32, direction: u32, level: u32) {
    atomicOr(&links[2u * place + direction / 2u], (level ^ 0xffffu) << (16u * (direction & 1u)));
}

// Links places towards larger x and z, for both sides.
@compute @workgroup_size(64)
fn link(@builtin(global_invocation_id) id: vec3<u32>) {
    let pixel = settings.begin + id.x;
    if pixel >= settings.end {
        return;
    }
    let x = pixel % settings.width;
    let z = pixel / settings.width;
    let own = column_at(x, z);
    for (var direction = 1u; direction < 3u; direction++) {
        let at = beside(x, z, direction);
        if !at.is_inside {
            continue;
        }
        let theirs = column_at(at.x, at.z);
        for (var i = 0u; i < own.count; i++) {
            let key = ground[own.first + i * own.step];
            if key == 0u {
                continue;
            }
            let other = link_of(key, i, own, theirs);
            if other != NO_FLOOR {
                set_link(own.first + i * own.step, direction, other);
                set_link(theirs.first + other * theirs.step, opposite(direction), i);
            }
        }
    }
}

fn wall_of(place: u32, direction: u32) -> u32 {
    return INFINITE_SINGLE - extents[8u * place + direction];
}

// Returns `true` if a centre is inside a wall.
fn is_inside(place: u32) -> bool {
    let nearest = min(min(wall_of(place, 0u), wall_of(place, 1u)), min(wall_of(place, 2u), wall_of(place, 3u)));
    return nearest <= TOUCHING;
}

@compute @workgroup_size(64)
fn cut(@builtin(global_invocation_id) id: vec3<u32>) {
    let pixel = settings.begin + id.x;
    if pixel >= settings.end {
        return;
    }
    let x = pixel % settings.width;
    let z = pixel / settings.width;
    let own = column_at(x, z);
    for (var i = 0u; i < own.count; i++) {
        let place = own.first + i * own.step;
        var words = vec2<u32>(NO_FLOORS, NO_FLOORS);
        var flags = 0u;
        counts[place] = 0u;
        if ground[place] != 0u {
            let is_in = is_inside(place);
            words = ~vec2<u32>(atomicLoad(&links[2u * place]), atomicLoad(&links[2u * place + 1u]));
            for (var direction = 0u; direction < 4u; direction++) {
                let shift = 16u * (direction & 1u);
                let level = (words[direction / 2u] >> shift) & 0xffffu;
                let at = beside(x, z, direction);
                var is_cut = is_in || wall_of(place, direction) <= ONE_SINGLE;
                flags |= select(0u, IS_CUT, is_cut);
                if !is_cut && level != NO_FLOOR && at.is_inside {
                    let theirs = column_at(at.x, at.z);
                    let other = theirs.first + level * theirs.step;
                    is_cut = is_inside(other) || wall_of(other, opposite(direction)) <= ONE_SINGLE;
                }
                if is_cut {
                    words[direction / 2u] |= 0xffffu << shift;
                }
            }
            if is_in {
                ground[place] = 0u;
            } else if has_end(words) {
                flags |= HAS_ENDS;
                counts[place] = 1u;
            }
        }
        atomicStore(&links[2u * place], words.x);
        atomicStore(&links[2u * place + 1u], words.y);
        if flags != 0u {
            atomicOr(&sheets[SHEET * (own.sheet + i) + FLAGS], flags);
        }
    }
}

fn has_end(words: vec2<u32>) -> bool {
    return (words.x & 0xffffu) == NO_FLOOR || (words.x >> 16u) == NO_FLOOR
        || (words.y & 0xffffu) == NO_FLOOR || (words.y >> 16u) == NO_FLOOR;
}

// Returns the end of the ground of a place in a direction without a link, in steps of a cell.
fn end_of(place: u32, x: u32, z: u32, direction: u32) -> u32 {
    var end = HALFWAY;
    let known = extents[8u * place + 4u + direction];
    if known != 0u {
        end = min(known, ONE_SINGLE);
    }
    let at = beside(x, z, direction);
    if at.is_inside {
        let theirs = column_at(at.x, at.z);
        let level = nearest_floor(ground[place], theirs);
        if level != NO_FLOOR {
            let wall = wall_of(theirs.first + level * theirs.step, opposite(direction));
            if wall <= ONE_SINGLE {
                end = single_minus(ONE_SINGLE, wall);
            }
        }
    }
    let wall = wall_of(place, direction);
    if wall <= ONE_SINGLE {
        end = wall;
    }
    return u32(whole_below(rounded_away(times(of_single(end), STEPS_OF_ENDS))));
}

@compute @workgroup_size(64)
fn ends(@builtin(global_invocation_id) id: vec3<u32>) {
    let pixel = settings.begin + id.x;
    if pixel >= settings.end {
        return;
    }
    let x = pixel % settings.width;
    let z = pixel / settings.width;
    let own = column_at(x, z);
    for (var i = 0u; i < own.count; i++) {
        let place = own.first + i * own.step;
        if counts[place] == 0u {
            continue;
        }
        var words = array<u32, 2>(atomicLoad(&links[2u * place]), atomicLoad(&links[2u * place + 1u]));
        let at = 3u * offsets[place];
        borders[at] = place;
        for (var half = 0u; half < 2u; half++) {
            var word = 0u;
            for (var low = 0u; low < 2u; low++) {
                var steps = WHOLE_CELL;
                if ((words[half] >> (16u * low)) & 0xffffu) == NO_FLOOR {
                    steps = end_of(place, x, z, 2u * half + low);
                }
                word |= steps << (16u * low);
            }
            borders[at + 1u + half] = word;
        }
    }
}

// Selection of the spans of the field: low obstacles, ledges, low ceilings.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
// Bottom, top, and drop, area and the flag for upward in one word.
@group(0) @binding(2) var<storage, read> spans: array<i32>;
// The area in the field of each span, 0 for one that is not in it.
@group(0) @binding(3) var<storage, read_write> areas: array<u32>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> stats: array<atomic<u32>>;

fn bottom_of(span: u32) -> i32 {
    return spans[3u * span];
}

fn top_of(span: u32) -> i32 {
    return spans[3u * span + 1u];
}

fn feet_at(span: u32) -> i32 {
    return feet_of(top_of(span), bitcast<u32>(spans[3u * span + 2u]));
}

fn area_of(span: u32) -> u32 {
    return (bitcast<u32>(spans[3u * span + 2u]) >> 16u) & 0xffu;
}

fn is_upward(span: u32) -> bool {
    return (bitcast<u32>(spans[3u * span + 2u]) >> 24u) != 0u;
}

// Lowest and highest floor that can be stepped to; `true` next to a drop.
struct Around {
    lowest: i32,
    highest: i32,
    is_drop: bool,
}

// Adds an adjacent gap of a floor, both given by floor, ceiling and feet. The lowest gap of a
// column begins below all levels.
fn see(around: Around, room: vec3<i32>, gap: vec3<i32>, is_lowest: bool) -> Around {
    var seen = around;
    let base = select(max(room.z, gap.z), room.z, is_lowest);
    if !has_room(base, min(room.y, gap.y), settings.height) {
        return seen;
    }
    if is_lowest || (gap.x < room.x && above(room.x, gap.x) > settings.step) {
        seen.is_drop = true;
    } else if gap.x < room.x {
        seen.lowest = min(seen.lowest, gap.x);
    } else if above(gap.x, room.x) <= settings.step {
        seen.highest = max(seen.highest, gap.x);
    }
    return seen;
}

fn is_ledge(x: u32, z: u32, room: vec3<i32>) -> bool {
    let own = z * settings.width + x;
    var beside = array<u32, 4>(own - 1u, own + 1u, own - settings.width, own + settings.width);
    var around = Around(room.x, room.x, false);
    let head = select(room.z + i32(settings.height), OPEN, room.z > OPEN - i32(settings.height));
    for (var i = 0u; i < 4u; i++) {
        let begin = columns[beside[i]];
        let end = columns[beside[i] + 1u];
        // Gaps that end below the head of an agent on this floor are ignored.
        var first = begin;
        var beyond = end;
        while first < beyond {
            let middle = first + (beyond - first) / 2u;
            if bottom_of(middle) < head {
                first = middle + 1u;
            } else {
                beyond = middle;
            }
        }
        var is_lowest = first == begin;
        var gap_floor = 0;
        var gap_feet = 0;
        if !is_lowest {
            gap_floor = top_of(first - 1u);
            gap_feet = feet_at(first - 1u);
        }
        var ends = false;
        for (var span = first; span < end && !ends && !around.is_drop; span++) {
            around = see(around, room, vec3<i32>(gap_floor, bottom_of(span), gap_feet), is_lowest);
            gap_floor = top_of(span);
            gap_feet = feet_at(span);
            is_lowest = false;
            // Gaps that begin above the head of an agent under this ceiling are also ignored.
            ends = !has_room(gap_feet, room.y, settings.height);
        }
        if !around.is_drop {
            around = see(around, room, vec3<i32>(gap_floor, OPEN, gap_feet), is_lowest);
        }
        if around.is_drop {
            return true;
        }
    }
    return above(around.highest, around.lowest) > settings.step;
}

var<workgroup> tallies: array<atomic<u32>, 11>;

@compute @workgroup_size(64)
fn judge(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) own: u32) {
    if own < STATS {
        atomicStore(&tallies[own], 0u);
    }
    workgroupBarrier();
    let column = settings.begin + id.x;
    if column < settings.end {
        judge_column(column);
    }
    workgroupBarrier();
    if own < STATS {
        let value = atomicLoad(&tallies[own]);
        if value != 0u {
            if own < SOLID {
                atomicMax(&stats[own], value);
            } else {
                atomicAdd(&stats[own], value);
            }
        }
    }
}

fn judge_column(column: u32) {
    let begin = columns[column];
    let end = columns[column + 1u];
    counts[column] = 0u;
    if end - begin > settings.deepest {
        atomicMax(&tallies[DEEPEST], end - begin);
        return;
    }
    let x = column % settings.width;
    let z = column / settings.width;
    let is_edge = x == 0u || z == 0u || x + 1u == settings.width || z + 1u == settings.depth;
    let has_obstacles = (settings.filters & LOW_OBSTACLES) != 0u;
    let has_ledges = (settings.filters & LEDGES) != 0u;
    let has_ceilings = (settings.filters & LOW_CEILINGS) != 0u;
    var kept = 0u;
    var walkable = 0u;
    var on_obstacles = 0u;
    var at_ledges = 0u;
    var under_ceilings = 0u;
    var below_area = 0u;
    for (var span = begin; span < end; span++) {
        let given = area_of(span);
        let level = top_of(span);
        var area = given;
        walkable += select(0u, 1u, given != 0u);
        if has_obstacles && given == 0u && is_upward(span) && below_area != 0u {
            let rise = above(level, top_of(span - 1u));
            // The step may exceed all levels.
            if rise <= settings.step || settings.step == u32(OPEN) {
                area = below_area;
                on_obstacles += 1u;
            }
        }
        // The area before this filter: an obstacle is no ground for the next one.
        below_area = given;
        areas[span] = 0u;
        if area == 0u {
            continue;
        }
        var ceiling = OPEN;
        if span + 1u < end {
            ceiling = bottom_of(span + 1u);
        }
        // Under a low ceiling no neighbour can be reached: only the edge of the grid makes a ledge.
        let feet = feet_at(span);
        let is_low = !has_room(feet, ceiling, settings.height);
        if has_ledges && (is_edge || (!is_low && is_ledge(x, z, vec3<i32>(level, ceiling, feet)))) {
            at_ledges += 1u;
            continue;
        }
        if is_low && has_ceilings {
            under_ceilings += 1u;
            continue;
        }
        areas[span] = area;
        kept += 1u;
        atomicMax(&tallies[MINUS_LOWEST], ~key_of(level));
        atomicMax(&tallies[HIGHEST], key_of(level));
        if ceiling != OPEN {
            atomicMax(&tallies[LARGEST_ROOM], above(ceiling, level));
        }
    }
    counts[column] = kept;
    atomicMax(&tallies[MOST_KEPT], kept);
    if is_counted(x, z) {
        atomicAdd(&tallies[SOLID], end - begin);
        atomicAdd(&tallies[WALKABLE], walkable);
        atomicAdd(&tallies[ON_OBSTACLES], on_obstacles);
        atomicAdd(&tallies[AT_LEDGES], at_ledges);
        atomicAdd(&tallies[UNDER_CEILINGS], under_ceilings);
    }
}

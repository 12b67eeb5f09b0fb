// The spans of the field, their links, and the erosion of spans that are too near to blocked ones.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> spans: array<i32>;
@group(0) @binding(3) var<storage, read> areas: array<u32>;
@group(0) @binding(4) var<storage, read> field_columns: array<u32>;
@group(0) @binding(5) var<storage, read_write> kept: array<u32>;
// Four links for each span of the field: smaller x, larger z, larger x, smaller z.
@group(0) @binding(6) var<storage, read_write> links: array<u32>;
@group(0) @binding(7) var<storage, read> reach: array<u32>;

@compute @workgroup_size(64)
fn keep(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = settings.begin + id.x;
    if column >= settings.end {
        return;
    }
    let end = columns[column + 1u];
    var place = field_columns[column];
    for (var span = columns[column]; span < end; span++) {
        if areas[span] == 0u {
            continue;
        }
        var ceiling = OPEN;
        if span + 1u < end {
            ceiling = spans[3u * (span + 1u)];
        }
        kept[KEPT * place + FLOOR] = bitcast<u32>(spans[3u * span + 1u]);
        kept[KEPT * place + CEILING] = bitcast<u32>(ceiling);
        kept[KEPT * place + REST] = (bitcast<u32>(spans[3u * span + 2u]) & 0xffffu) | (areas[span] << 16u);
        for (var i = 0u; i < 4u; i++) {
            links[4u * place + i] = NO_SPAN;
        }
        place += 1u;
    }
}

fn floor_of(span: u32) -> i32 {
    return bitcast<i32>(kept[KEPT * span + FLOOR]);
}

fn ceiling_of(span: u32) -> i32 {
    return bitcast<i32>(kept[KEPT * span + CEILING]);
}

fn feet_at(span: u32) -> i32 {
    return feet_of(floor_of(span), kept[KEPT * span + REST]);
}

// Links the spans of a column to those of the adjacent one.
fn link_to(column: u32, other_column: u32, direction: u32) {
    var span = field_columns[column];
    var other = field_columns[other_column];
    let end = field_columns[column + 1u];
    let other_end = field_columns[other_column + 1u];
    while span < end && other < other_end {
        let a = vec2<i32>(floor_of(span), ceiling_of(span));
        let b = vec2<i32>(floor_of(other), ceiling_of(other));
        let are_open = a.y == OPEN && b.y == OPEN;
        let high = max(a.x, b.x);
        let low = min(a.x, b.x);
        let feet = max(feet_at(span), feet_at(other));
        let is_linked = (are_open || has_room(feet, min(a.y, b.y), settings.height))
            && above(high, low) <= settings.step;
        if is_linked {
            links[4u * span + direction] = other;
            links[4u * other + ((direction + 2u) & 3u)] = span;
        }
        // Gaps of a column do not overlap, so the one that ends first meets no further gap. Open
        // sky is equally high above all floors.
        let ends_first = select(a.y <= b.y, a.x <= b.x, are_open);
        let other_ends_first = select(b.y <= a.y, b.x <= a.x, are_open);
        span += select(0u, 1u, is_linked || ends_first);
        other += select(0u, 1u, is_linked || other_ends_first);
    }
}

@compute @workgroup_size(64)
fn link(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = settings.begin + id.x;
    if column >= settings.end {
        return;
    }
    if column % settings.width > 0u {
        link_to(column, column - 1u, 0u);
    }
    if column >= settings.width {
        link_to(column, column - settings.width, 3u);
    }
}

// Computes the number of spans along z over which a span removes others, from the blocked spans
// along x: towards smaller z, and towards larger z.
@compute @workgroup_size(64)
fn reach_out(@builtin(global_invocation_id) id: vec3<u32>) {
    let span = settings.begin + id.x;
    if span >= settings.end {
        return;
    }
    let far = settings.reaches - 1u;
    // Distances to the nearest span that is blocked, that has no link to larger z, and that has no
    // link to smaller z.
    var nearest = vec3<u32>(far, far, far);
    for (var side = 0u; side < 2u; side++) {
        var at = span;
        for (var away = 0u; away < far; away++) {
            if links[4u * at + 1u] == NO_SPAN {
                nearest.y = min(nearest.y, away);
            }
            if links[4u * at + 3u] == NO_SPAN {
                nearest.z = min(nearest.z, away);
            }
            let next = links[4u * at + 2u * side];
            if next == NO_SPAN {
                nearest.x = min(nearest.x, away + 1u);
                break;
            }
            at = next;
        }
    }
    let blocked = reach[nearest.x];
    // The blocked span is one span farther along z.
    let before = max(blocked, max(reach[nearest.y], 1u) - 1u);
    let after = max(blocked, max(reach[nearest.z], 1u) - 1u);
    kept[KEPT * span + REACHES] = before | (after << 16u);
}

@compute @workgroup_size(64)
fn erode(@builtin(global_invocation_id) id: vec3<u32>) {
    let span = settings.begin + id.x;
    if span >= settings.end {
        return;
    }
    for (var side = 0u; side < 2u; side++) {
        var at = span;
        for (var away = 0u; away < reach[0]; away++) {
            if ((kept[KEPT * at + REACHES] >> (16u * side)) & 0xffffu) > away {
                kept[KEPT * span + REST] |= IS_ERODED;
                return;
            }
            at = links[4u * at + 1u + 2u * side];
            if at == NO_SPAN {
                break;
            }
        }
    }
}

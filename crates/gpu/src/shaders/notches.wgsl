// Views from notches: the closest vertices in their areas of interest, found by visiting triangles,
// the closest first (`portal_mesh.rs` of `waymesh-convex`, operation by operation).

struct Settings {
    begin: u32,
    end: u32,
    // 1 to end a view where no closer vertex can exist: the far plane of Oliva and Pelechano.
    bounded: u32,
    unused: u32,
}

// A notch: vertex, the next one at it; its sector; the ends of its border edges.
struct Notch {
    vertex: u32,
    next: u32,
    leaving: u32,
    last: u32,
    before: vec2<i32>,
    after: vec2<i32>,
}

// The view through a half-edge. A limit is a vertex, or NONE for the continuation of a border edge.
struct View {
    distance: Double,
    entry: u32,
    low: u32,
    high: u32,
}

const NONE = 0xffffffffu;
const VIEWS = 64u;
// Largest number of triangles in a result.
const VISITED = 24u;
// Words of a result: vertex or number, 0 if the search is complete, number of triangles, then the
// triangles; or the costs and notches of partners.
const WORDS = 28u;
const PARTNERS = 8u;
const MOST_PARTNERS = 6u;
const PARTNER_TRIANGLES = 12u;
const CLOSEST_TRIANGLES = 256u;

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> points: array<vec2<i32>>;
// Origin, twin, 1 if it is fixed.
@group(0) @binding(2) var<storage, read> edges: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> notches: array<Notch>;
@group(0) @binding(4) var<storage, read> first_notches: array<u32>;
@group(0) @binding(5) var<storage, read_write> results: array<u32>;

fn next_of(edge: u32) -> u32 {
    return select(edge + 1u, edge - 2u, edge % 3u == 2u);
}

fn prev_of(edge: u32) -> u32 {
    return select(edge - 1u, edge + 2u, edge % 3u == 0u);
}

fn point_of(edge: u32) -> vec2<i32> {
    return points[edges[edge].x];
}

// A product of differences: its size, and its sign (-1, 0, 1).
struct Product {
    size: vec2<u32>,
    sign: i32,
}

fn product(a: i32, b: i32, c: i32, d: i32) -> Product {
    // Differences of coordinates of at most 2^30 fit into 32 bits without a sign.
    let p = u32(max(a, b)) - u32(min(a, b));
    let q = u32(max(c, d)) - u32(min(c, d));
    var sign = select(1, -1, (a < b) != (c < d));
    if p == 0u || q == 0u {
        sign = 0;
    }
    return Product(wide(p, q), sign);
}

// Returns the sign of twice the area of a triangle.
fn turn(a: vec2<i32>, b: vec2<i32>, c: vec2<i32>) -> i32 {
    let p = product(b.x, a.x, c.y, a.y);
    let q = product(b.y, a.y, c.x, a.x);
    if p.sign != q.sign {
        return select(-1, 1, p.sign > q.sign);
    }
    if all(p.size == q.size) {
        return 0;
    }
    let larger = p.size.y > q.size.y || (p.size.y == q.size.y && p.size.x > q.size.x);
    return select(-p.sign, p.sign, larger);
}

// Returns the double nearest to an unsigned whole number of 64 bits.
fn of_long(a: vec2<u32>) -> Double {
    if (a.x | a.y) == 0u {
        return ZERO;
    }
    var m = a;
    var zeros = countLeadingZeros(a.y);
    if a.y == 0u {
        zeros = 32u + countLeadingZeros(a.x);
    }
    if zeros >= 32u {
        m = vec2<u32>(0u, a.x << (zeros - 32u));
    } else if zeros > 0u {
        m = vec2<u32>(a.x << zeros, (a.y << zeros) | (a.x >> (32u - zeros)));
    }
    // 64 bits are reduced to 56. The last is set if any lower bit is set.
    let low = (m.x >> 8u) | (m.y << 24u) | select(0u, 1u, (m.x & 0xffu) != 0u);
    return rounded(0u, i32(1086u - zeros), vec2<u32>(low, m.y >> 8u));
}

fn size_of(a: i32, b: i32) -> u32 {
    return u32(max(a, b)) - u32(min(a, b));
}

fn length_squared(a: vec2<i32>, b: vec2<i32>) -> vec2<u32> {
    let x = size_of(a.x, b.x);
    let z = size_of(a.y, b.y);
    let p = wide(x, x);
    let q = wide(z, z);
    let low = p.x + q.x;
    return vec2<u32>(low, p.y + q.y + select(0u, 1u, low < p.x));
}

fn offset(from_point: vec2<i32>, to_point: vec2<i32>) -> array<Double, 2> {
    return array<Double, 2>(
        minus(of_int(to_point.x), of_int(from_point.x)),
        minus(of_int(to_point.y), of_int(from_point.y)),
    );
}

fn is_narrow(point: vec2<i32>, to_point: vec2<i32>, beside: vec2<i32>) -> bool {
    let a = offset(point, to_point);
    let b = offset(point, beside);
    let across = minus(times(a[0], b[1]), times(a[1], b[0]));
    let along = plus(times(a[0], b[0]), times(a[1], b[1]));
    let size = vec2<u32>(across.x, across.y & 0x7fffffffu);
    return less(ZERO, along) && less(size, times(NARROW_TANGENT, along));
}

fn distance_squared(point: vec2<i32>, from_point: vec2<i32>, to_point: vec2<i32>) -> Double {
    let a = offset(point, from_point);
    let b = offset(from_point, to_point);
    let dot = plus(times(a[0], b[0]), times(a[1], b[1]));
    let size = plus(times(b[0], b[0]), times(b[1], b[1]));
    let along = clamped(divided(negated(dot), size), ZERO, ONE);
    let dx = plus(a[0], times(along, b[0]));
    let dz = plus(a[1], times(along, b[1]));
    return plus(times(dx, dx), times(dz, dz));
}

struct Eye {
    notch: u32,
    point: vec2<i32>,
    // Ends of the border edges of the sector.
    before: vec2<i32>,
    after: vec2<i32>,
}

fn turn_from(eye: Eye, low: u32, point: vec2<i32>) -> i32 {
    if low == NONE {
        return turn(eye.before, eye.point, point);
    }
    return turn(eye.point, points[low], point);
}

fn turn_to(eye: Eye, point: vec2<i32>, high: u32) -> i32 {
    if high == NONE {
        return turn(eye.point, eye.after, point);
    }
    return turn(eye.point, point, points[high]);
}

fn in_view(eye: Eye, low: u32, point: vec2<i32>, high: u32) -> bool {
    let left = turn_from(eye, low, point);
    let right = turn_to(eye, point, high);
    return any(point != eye.point)
        && (left > 0 || (left == 0 && low == NONE))
        && (right > 0 || (right == 0 && high == NONE));
}

fn cost_of(eye: Eye, point: vec2<i32>) -> Double {
    let narrow = is_narrow(eye.point, point, eye.before) || is_narrow(eye.point, point, eye.after);
    let squared = of_long(length_squared(eye.point, point));
    return times(squared, select(ONE, NARROW, narrow));
}

var<private> views: array<View, 64>;
var<private> view_count: u32;
var<private> incomplete: bool;
// The result: the best vertex and its cost, or partners.
var<private> best: u32;
var<private> best_cost: Double;
var<private> partner_count: u32;

fn add_view(eye: Eye, edge: u32, low: u32, high: u32) {
    let row = edges[edge];
    if row.z != 0u {
        return;
    }
    let from_vertex = row.x;
    let to_vertex = edges[next_of(edge)].x;
    let from_point = points[from_vertex];
    let to_point = points[to_vertex];
    if turn(eye.point, from_point, to_point) <= 0 {
        return;
    }
    let left = turn_from(eye, low, to_point);
    let right = turn_to(eye, from_point, high);
    // A border edge of the notch lies on a limit, on the other side of the eye.
    let meets_low = left > 0 || (left == 0 && low == NONE && all(to_point == eye.before));
    let meets_high = right > 0 || (right == 0 && high == NONE && all(from_point == eye.after));
    if !meets_low || !meets_high {
        return;
    }
    if view_count >= VIEWS {
        incomplete = true;
        return;
    }
    var view: View;
    view.low = select(low, from_vertex, turn_from(eye, low, from_point) > 0);
    view.high = select(high, to_vertex, turn_to(eye, to_point, high) > 0);
    view.entry = row.y;
    view.distance = distance_squared(eye.point, from_point, to_point);
    views[view_count] = view;
    view_count += 1u;
}

// Takes the closest view out of the list.
fn take_view() -> View {
    var place = 0u;
    for (var i = 1u; i < view_count; i++) {
        let same = all(views[i].distance == views[place].distance);
        if less(views[i].distance, views[place].distance) || (same && views[i].entry < views[place].entry) {
            place = i;
        }
    }
    let view = views[place];
    view_count -= 1u;
    views[place] = views[view_count];
    for (var i = 0u; i < view_count; i++) {
        // The order of two views through one edge is not defined.
        if views[i].entry == view.entry {
            incomplete = true;
        }
    }
    return view;
}

// Returns a notch at the vertex that has the eye in its area of interest.
fn notch_towards(vertex: u32, eye: vec2<i32>) -> u32 {
    let point = points[vertex];
    var notch = first_notches[vertex];
    while notch != NONE {
        let row = notches[notch];
        if any(eye != point) && turn(row.before, point, eye) >= 0 && turn(point, row.after, eye) >= 0 {
            return notch;
        }
        notch = row.next;
    }
    return NONE;
}

// Adds a visible vertex. Returns the cost beyond which vertices are ignored.
fn take_seen(eye: Eye, vertex: u32, for_partners: bool) -> Double {
    let cost = cost_of(eye, points[vertex]);
    if !for_partners {
        if best == NONE || less(cost, best_cost) || (all(cost == best_cost) && vertex < best) {
            best = vertex;
            best_cost = cost;
        }
        return best_cost;
    }
    let other = notch_towards(vertex, eye.point);
    if other != NONE {
        if partner_count < PARTNERS {
            let place = eye.notch * WORDS + 3u + 3u * partner_count;
            results[place] = cost.x;
            results[place + 1u] = cost.y;
            results[place + 2u] = other;
        } else {
            incomplete = true;
        }
        partner_count += 1u;
    }
    return select(INFINITE, ZERO, partner_count >= MOST_PARTNERS);
}

fn look(number: u32, for_partners: bool) {
    let notch = notches[number];
    let out = number * WORDS;
    view_count = 0u;
    incomplete = false;
    best = NONE;
    best_cost = INFINITE;
    partner_count = 0u;
    var visited = 0u;
    if notch.leaving != NONE {
        let leaving = notch.leaving;
        let eye = Eye(number, point_of(leaving), point_of(notch.last), point_of(next_of(leaving)));
        var limit = INFINITE;
        var at = leaving;
        while !incomplete {
            let entry = next_of(at);
            if at != leaving && in_view(eye, NONE, point_of(entry), NONE) {
                limit = take_seen(eye, edges[entry].x, for_partners);
            }
            add_view(eye, entry, NONE, NONE);
            if !for_partners {
                if visited < VISITED {
                    results[out + 3u + visited] = at / 3u;
                } else {
                    incomplete = true;
                }
            }
            visited += 1u;
            if prev_of(at) == notch.last {
                break;
            }
            at = edges[prev_of(at)].y;
        }
        let most = select(CLOSEST_TRIANGLES, PARTNER_TRIANGLES, for_partners);
        for (var step = 0u; step < most && view_count > 0u && !incomplete; step++) {
            let view = take_view();
            if settings.bounded != 0u && !less(view.distance, limit) {
                break;
            }
            if !for_partners {
                if visited < VISITED {
                    results[out + 3u + visited] = view.entry / 3u;
                } else {
                    // Without the bound only their number is requested.
                    incomplete = settings.bounded != 0u;
                }
            }
            visited += 1u;
            let far = prev_of(view.entry);
            if in_view(eye, view.low, point_of(far), view.high) {
                limit = take_seen(eye, edges[far].x, for_partners);
            }
            add_view(eye, next_of(view.entry), view.low, view.high);
            add_view(eye, far, view.low, view.high);
        }
    }
    results[out] = select(best, partner_count, for_partners);
    results[out + 1u] = select(0u, 1u, incomplete);
    results[out + 2u] = visited;
}

@compute @workgroup_size(64)
fn closest(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number < settings.end {
        look(number, false);
    }
}

@compute @workgroup_size(64)
fn partners(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = settings.begin + id.x;
    if number < settings.end {
        look(number, true);
    }
}

// The pass between floors and walls, pixel by pixel: closes cracks, and removes ground without head
// room or of a blocked area.

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> blocks: array<Block>;
@group(0) @binding(2) var<storage, read> floors: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> ground: array<u32>;
// Ground that closes cracks.
@group(0) @binding(4) var<storage, read_write> cracks: array<u32>;
@group(0) @binding(5) var<storage, read_write> areas: array<u32>;
@group(0) @binding(6) var<storage, read_write> sheets: array<atomic<u32>>;

const LARGEST_KEY = 0xffffffffu;

// Raises the ground in a crack. No other invocation writes to this place.
fn raise(place: u32, key: u32, area: u32) {
    let before = cracks[place];
    cracks[place] = max(before, key);
    if settings.has_areas == 0u {
        return;
    }
    if before == 0u {
        areas[place] = area;
        return;
    }
    let old = step_of(bits_of(before));
    let new_step = step_of(bits_of(key));
    if less(old, new_step) {
        areas[place] = area;
    } else if !less(new_step, old) {
        areas[place] = max(areas[place], area);
    }
}

@compute @workgroup_size(64)
fn close(@builtin(global_invocation_id) id: vec3<u32>) {
    let pixel = settings.begin + id.x;
    if pixel >= settings.end {
        return;
    }
    let x = pixel % settings.width;
    let z = pixel / settings.width;
    let own = column_at(x, z);
    // Heights of neighbouring ground that can close a crack.
    var low = LARGEST_KEY;
    var high = 0u;
    for (var i = 0u; i < own.count; i++) {
        let place = own.first + i * own.step;
        cracks[place] = 0u;
        if ground[place] == 0u {
            low = min(low, floors[own.sheet + i].z);
            high = max(high, floors[own.sheet + i].w);
        }
    }
    if low > high {
        return;
    }
    for (var axis = 0u; axis < 2u; axis++) {
        // Smaller and larger x, then z.
        let a = beside(x, z, 3u * axis);
        let b = beside(x, z, 2u - axis);
        if !a.is_inside || !b.is_inside {
            continue;
        }
        let back = column_at(a.x, a.z);
        let forth = column_at(b.x, b.z);
        for (var i = 0u; i < back.count; i++) {
            let one = ground[back.first + i * back.step];
            // Without ground the key is below all others.
            if one < low || one > high || one == 0u {
                continue;
            }
            for (var j = 0u; j < forth.count; j++) {
                let other = ground[forth.first + j * forth.step];
                if other == 0u || apart(one, other) > settings.rise {
                    continue;
                }
                let sum = plus(of_single(bits_of(one)), of_single(bits_of(other)));
                let key = key_of(single_of(times(sum, HALF)));
                let level = floor_at(own, key);
                if level == NO_FLOOR {
                    continue;
                }
                let place = own.first + level * own.step;
                if ground[place] == 0u {
                    var area = 0u;
                    if settings.has_areas != 0u {
                        area = max(areas[back.first + i * back.step], areas[forth.first + j * forth.step]);
                    }
                    raise(place, key, area);
                }
            }
        }
    }
}

@compute @workgroup_size(64)
fn settle(@builtin(global_invocation_id) id: vec3<u32>) {
    let pixel = settings.begin + id.x;
    if pixel >= settings.end {
        return;
    }
    let own = column_at(pixel % settings.width, pixel / settings.width);
    var above = 0u;
    for (var i = own.count; i > 0u; i--) {
        let place = own.first + (i - 1u) * own.step;
        var key = max(ground[place], cracks[place]);
        let covered = key != 0u && above != 0u && is_less(single_minus(bits_of(above), bits_of(key)), settings.height);
        if key != 0u {
            // Removed ground still covers what is below it.
            above = key;
        }
        if covered || (settings.has_areas != 0u && areas[place] == NULL_AREA) {
            key = 0u;
        }
        ground[place] = key;
        if key != 0u {
            let sheet = SHEET * (own.sheet + i - 1u);
            atomicMax(&sheets[sheet + LOW], ~key);
            atomicMax(&sheets[sheet + HIGH], key);
            atomicAdd(&sheets[sheet + COUNT], 1u);
        }
    }
}

fn is_less(a: u32, b: u32) -> bool {
    return key_of(a) < key_of(b);
}

// Computes the keys that cuts are compared with before single places are tested. All are rounded
// outwards, and so are the heights of cuts.
@compute @workgroup_size(64)
fn bounds(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = settings.begin + id.x;
    if index >= settings.end {
        return;
    }
    let sheet = SHEET * index;
    let high = atomicLoad(&sheets[sheet + HIGH]);
    if high == 0u {
        return;
    }
    let low = bits_of(~atomicLoad(&sheets[sheet + LOW]));
    let most = bits_of(high);
    atomicStore(&sheets[sheet + WALLS_ABOVE], key_of(single_plus(low, settings.rise)));
    atomicStore(&sheets[sheet + WALLS_BELOW], key_of(single_plus(most, settings.height)));
    atomicStore(&sheets[sheet + ENDS_ABOVE], key_of(single_minus(low, settings.rise)) - 2u);
    atomicStore(&sheets[sheet + ENDS_BELOW], key_of(single_plus(most, settings.rise)) + 2u);
}

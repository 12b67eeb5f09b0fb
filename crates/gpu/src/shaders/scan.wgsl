// Prefix sums, in blocks of 1,024.

struct Settings {
    count: u32,
    first_block: u32,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> numbers: array<u32>;
@group(0) @binding(2) var<storage, read_write> before: array<u32>;
@group(0) @binding(3) var<storage, read_write> blocks: array<u32>;

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn scan(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) own: u32) {
    let block = settings.first_block + group.x;
    let first = block * 1024u + own * 4u;
    var values: array<u32, 4>;
    var sum = 0u;
    for (var i = 0u; i < 4u; i++) {
        values[i] = sum;
        if first + i < settings.count {
            sum += numbers[first + i];
        }
    }
    sums[own] = sum;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        var more = 0u;
        if own >= reach {
            more = sums[own - reach];
        }
        workgroupBarrier();
        sums[own] += more;
        workgroupBarrier();
    }
    let base = sums[own] - sum;
    for (var i = 0u; i < 4u; i++) {
        if first + i < settings.count {
            before[first + i] = base + values[i];
        }
    }
    if own == 255u {
        blocks[block] = sums[255u];
    }
}

// Adds to each block the sum of the blocks before it.
@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) own: u32) {
    let block = settings.first_block + group.x;
    let first = block * 1024u + own * 4u;
    for (var i = 0u; i < 4u; i++) {
        if first + i < settings.count {
            before[first + i] += blocks[block];
        }
    }
}

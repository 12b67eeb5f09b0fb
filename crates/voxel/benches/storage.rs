//! Compares four methods to gather the fragments of a rasteriser into spans, on the same fragments.
//! The docs of [`waymesh_voxel::rasterize`] cite the results.
//!
//! Fragments are `(column, bottom, top)`; each method ends with flat arrays of spans, bottom to
//! top, and the first span of each column. Flags are left out. This favours the bit arrays, which
//! cannot store flags.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

const SIDE: u32 = 512;
const COLUMNS: usize = (SIDE * SIDE) as usize;
const NO_NODE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Fragment {
    column: u32,
    bottom: i32,
    top: i32,
}

#[derive(Default, PartialEq, Debug)]
struct Spans {
    columns: Vec<u32>,
    spans: Vec<[i32; 2]>,
}

/// Returns three rough storeys in patches of 9 x 7 cells, as two triangles would produce them, in
/// the order of a mesh (patch by patch), with a wall of 12 levels on every fourth patch.
fn fragments() -> Vec<Fragment> {
    let mut fragments = Vec::new();
    let noise = |x: u32, z: u32| {
        (x.wrapping_mul(0x9E37_79B1) ^ z.wrapping_mul(0x85EB_CA77)).wrapping_mul(0xC2B2_AE3D) >> 28
    };
    for storey in 0..3_i32 {
        for patch_z in 0..SIDE / 7 {
            for patch_x in 0..SIDE / 9 {
                let base = storey * 40 + (noise(patch_x, patch_z) / 4).cast_signed();
                for half in 0..2 {
                    for z in patch_z * 7..patch_z * 7 + 7 {
                        for x in patch_x * 9..patch_x * 9 + 9 {
                            let diagonal = (x - patch_x * 9) * 7;
                            let split = (z - patch_z * 7) * 9;
                            let covered =
                                if half == 0 { diagonal <= split + 8 } else { diagonal + 8 >= split };
                            if covered {
                                let bottom = base + ((x + z) % 9 / 4).cast_signed();
                                fragments.push(Fragment { column: z * SIDE + x, bottom, top: bottom + 1 });
                            }
                        }
                    }
                }
                if (patch_x + patch_z) % 4 == 0 {
                    let x = patch_x * 9 + 4;
                    fragments.extend((patch_z * 7..patch_z * 7 + 7).map(|z| Fragment {
                        column: z * SIDE + x,
                        bottom: base,
                        top: base + 12,
                    }));
                }
            }
        }
    }
    fragments
}

fn merge_sorted(column: &[[i32; 2]], spans: &mut Vec<[i32; 2]>) {
    let mut whole = column[0];
    for next in &column[1..] {
        if next[0] <= whole[1] {
            whole[1] = whole[1].max(next[1]);
        } else {
            spans.push(whole);
            whole = *next;
        }
    }
    spans.push(whole);
}

/// This crate: one row is open at a time (the fragments come row by row). A list per column merges
/// fragments that touch. Each finished row is written to flat arrays.
fn rows(fragments: &[Fragment]) -> Spans {
    let mut out = Spans { columns: vec![0], spans: Vec::new() };
    let mut heads = vec![([0_i32; 2], NO_NODE, false); SIDE as usize];
    let mut tails: Vec<([i32; 2], u32)> = Vec::new();
    let mut scratch = Vec::new();
    let mut rest = fragments;
    for row in 0..SIDE {
        let end = rest.partition_point(|fragment| fragment.column < (row + 1) * SIDE);
        let (now, later) = rest.split_at(end);
        rest = later;
        for fragment in now {
            let (range, next, full) = &mut heads[(fragment.column - row * SIDE) as usize];
            let new = [fragment.bottom, fragment.top];
            if !*full {
                (*range, *next, *full) = (new, NO_NODE, true);
                continue;
            }
            let touches = |range: &[i32; 2]| new[0] <= range[1] && range[0] <= new[1];
            let merge = |range: &mut [i32; 2]| *range = [range[0].min(new[0]), range[1].max(new[1])];
            if touches(range) {
                merge(range);
                continue;
            }
            let mut place = *next;
            while place != NO_NODE && !touches(&tails[place as usize].0) {
                place = tails[place as usize].1;
            }
            if place == NO_NODE {
                tails.push((*range, *next));
                (*range, *next) = (new, u32::try_from(tails.len() - 1).unwrap_or(NO_NODE));
            } else {
                merge(&mut tails[place as usize].0);
            }
        }
        for (range, next, full) in &mut heads {
            if std::mem::take(full) {
                if *next == NO_NODE {
                    out.spans.push(*range);
                } else {
                    scratch.clear();
                    scratch.push(*range);
                    let mut place = *next;
                    while place != NO_NODE {
                        scratch.push(tails[place as usize].0);
                        place = tails[place as usize].1;
                    }
                    scratch.sort_unstable();
                    merge_sorted(&scratch, &mut out.spans);
                }
            }
            out.columns.push(u32::try_from(out.spans.len()).unwrap_or(NO_NODE));
        }
        tails.clear();
    }
    out
}

/// All fragments in one array, counting sort by column, merge per column.
fn counting_sort(fragments: &[Fragment]) -> Spans {
    let mut starts = vec![0_u32; COLUMNS + 1];
    for fragment in fragments {
        starts[fragment.column as usize + 1] += 1;
    }
    for column in 0..COLUMNS {
        starts[column + 1] += starts[column];
    }
    let mut sorted = vec![[0_i32; 2]; fragments.len()];
    let mut next = starts.clone();
    for fragment in fragments {
        let place = &mut next[fragment.column as usize];
        sorted[*place as usize] = [fragment.bottom, fragment.top];
        *place += 1;
    }
    let mut out = Spans { columns: vec![0], spans: Vec::new() };
    for column in 0..COLUMNS {
        let column = &mut sorted[starts[column] as usize..starts[column + 1] as usize];
        if !column.is_empty() {
            column.sort_unstable();
            merge_sorted(column, &mut out.spans);
        }
        out.columns.push(u32::try_from(out.spans.len()).unwrap_or(NO_NODE));
    }
    out
}

/// One sorted linked list of spans per column, merged at every insertion, as Recast does; flattened
/// at the end.
fn linked_lists(fragments: &[Fragment]) -> Spans {
    let mut heads = vec![NO_NODE; COLUMNS];
    let mut nodes: Vec<([i32; 2], u32)> = Vec::new();
    let mut free = NO_NODE;
    for fragment in fragments {
        let mut new = [fragment.bottom, fragment.top];
        let (mut before, mut at) = (NO_NODE, heads[fragment.column as usize]);
        while at != NO_NODE {
            let (range, next) = nodes[at as usize];
            if range[0] > new[1] {
                break;
            }
            if range[1] < new[0] {
                before = at;
            } else {
                new = [range[0].min(new[0]), range[1].max(new[1])];
                if before == NO_NODE {
                    heads[fragment.column as usize] = next;
                } else {
                    nodes[before as usize].1 = next;
                }
                nodes[at as usize].1 = free;
                free = at;
            }
            at = next;
        }
        let node = if free == NO_NODE {
            nodes.push((new, at));
            u32::try_from(nodes.len() - 1).unwrap_or(NO_NODE)
        } else {
            let node = free;
            free = nodes[node as usize].1;
            nodes[node as usize] = (new, at);
            node
        };
        if before == NO_NODE {
            heads[fragment.column as usize] = node;
        } else {
            nodes[before as usize].1 = node;
        }
    }
    let mut out = Spans { columns: vec![0], spans: Vec::new() };
    for &head in &heads {
        let mut at = head;
        while at != NO_NODE {
            out.spans.push(nodes[at as usize].0);
            at = nodes[at as usize].1;
        }
        out.columns.push(u32::try_from(out.spans.len()).unwrap_or(NO_NODE));
    }
    out
}

/// One bit per voxel, 128 levels per column; spans are the runs of ones.
fn bits(fragments: &[Fragment]) -> Spans {
    let mut words = vec![0_u128; COLUMNS];
    for fragment in fragments {
        let run = (1_u128 << (fragment.top - fragment.bottom)) - 1;
        words[fragment.column as usize] |= run << fragment.bottom;
    }
    let mut out = Spans { columns: vec![0], spans: Vec::new() };
    for &word in &words {
        let mut rest = word;
        while rest != 0 {
            let bottom = rest.trailing_zeros();
            let height = (!(rest >> bottom)).trailing_zeros();
            out.spans.push([bottom.cast_signed(), (bottom + height).cast_signed()]);
            rest &= !(((1_u128 << height) - 1) << bottom);
        }
        out.columns.push(u32::try_from(out.spans.len()).unwrap_or(NO_NODE));
    }
    out
}

fn storage(criterion: &mut Criterion) {
    let by_mesh = fragments();
    let mut by_row = by_mesh.clone();
    by_row.sort_by_key(|fragment| fragment.column / SIDE);
    let expected = linked_lists(&by_mesh);
    for other in [rows(&by_row), counting_sort(&by_mesh), bits(&by_mesh)] {
        assert!(other == expected, "the ways disagree");
    }
    let mut group = criterion.benchmark_group(format!("storage, {} fragments", by_mesh.len()));
    group.bench_function("rows", |bencher| bencher.iter(|| rows(black_box(&by_row))));
    group.bench_function("counting sort", |bencher| bencher.iter(|| counting_sort(black_box(&by_mesh))));
    group.bench_function("linked lists", |bencher| bencher.iter(|| linked_lists(black_box(&by_mesh))));
    group.bench_function("bits", |bencher| bencher.iter(|| bits(black_box(&by_mesh))));
    group.finish();
}

criterion_group!(benches, storage);
criterion_main!(benches);

//! Merging of small regions, after the watershed or the monotone partition.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::{
    Counter, Direction, NO_REGION, Observer, RegionMap, WalkableField, checkpoint, checkpoint_every, to_u32,
};

use crate::stacks::{Occupied, Slots, StackList, Stacks};

/// Slack for an area given in single precision that should be a whole number of cells.
const ROUNDING: f64 = 1e-6;

/// The data that merging needs about a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    pub(crate) spans: u64,
    /// `true` if at least one of its spans has a side with nothing walkable beyond.
    pub(crate) has_wall: bool,
    /// Neighbours of the same area and the number of shared sides, sorted by region number.
    pub(crate) neighbours: Vec<(u32, u64)>,
    /// The region and those that were merged into it.
    pub(crate) members: Vec<u32>,
}

/// Merges small regions, and regions that touch no border, into neighbours. Numbers the result by
/// first span.
///
/// `crowded` holds the spans with rivals ([`crowded`](crate::rivals::crowded)). `labels` are below
/// `count` and keep the contract of a partition, except for the numbering. A label may have no
/// span.
pub(crate) fn merge_small_regions(
    field: &WalkableField,
    crowded: &[u32],
    labels: Vec<u32>,
    count: u32,
    merge_area: f32,
    observer: &mut dyn Observer,
) -> RegionMap {
    let mut target: Vec<u32> = (0..count).collect();
    if merge_area > 0.0 {
        let mut regions = survey(field, &labels, count);
        let stacks = stacks(field, crowded, &labels);
        let merged =
            merge(&mut regions, &stacks, &mut target, f64::from(merge_area) / field.frame.cell_area());
        observer.count(Counter::RegionsMerged, merged);
        follow(&mut target);
    }
    number_by_first_span(labels, &target)
}

/// Replaces each target by the end of its chain of targets.
pub(crate) fn follow(target: &mut [u32]) {
    for region in 0..target.len() {
        // A target may itself have been merged. Follow the chain, and shorten it for later lookups.
        let mut end = target[region];
        while target[end as usize] != end {
            end = target[end as usize];
        }
        target[region] = end;
    }
}

/// Collects the sizes and borders of all regions.
fn survey(field: &WalkableField, labels: &[u32], count: u32) -> Vec<Region> {
    let mut regions = vec![Region::default(); count as usize];
    let mut borders: Vec<(u32, u32)> = Vec::new();
    for (span, ((&label, links), &area)) in labels.iter().zip(&field.links).zip(&field.area).enumerate() {
        checkpoint_every(1 << 16, span);
        if label == NO_REGION {
            continue;
        }
        let region = &mut regions[label as usize];
        region.spans += 1;
        let beyond = |direction: Direction| {
            labels.get(links[direction.index()] as usize).copied().unwrap_or(NO_REGION)
        };
        if !region.has_wall {
            region.has_wall = Direction::ALL.into_iter().any(|direction| beyond(direction) == NO_REGION);
        }
        for direction in [Direction::PosX, Direction::PosZ] {
            let other = beyond(direction);
            if other != label && other != NO_REGION && field.area[links[direction.index()] as usize] == area {
                borders.push((label, other));
                borders.push((other, label));
            }
        }
    }
    borders.sort_unstable();
    for run in borders.chunk_by(|a, b| a == b) {
        let (region, other) = run[0];
        regions[region as usize].neighbours.push((other, run.len() as u64));
    }
    regions
}

/// Returns the stacks of regions of one area.
fn stacks(field: &WalkableField, crowded: &[u32], labels: &[u32]) -> Stacks {
    let (mut found, mut slots) = (StackList::default(), Slots::default());
    let column = |span: u32| field.span_columns[span as usize];
    let of = |span: u32| {
        let label = labels[span as usize];
        (label != NO_REGION).then(|| (u32::from(field.area[span as usize].0), label))
    };
    for (index, spans) in crowded.chunk_by(|&one, &two| column(one) == column(two)).enumerate() {
        checkpoint_every(1 << 14, index);
        let (x, z) = field.column_of(spans[0]);
        let east = if x + 1 < field.frame.width { field.column(x + 1, z) } else { 0..0 };
        let south = if z + 1 < field.frame.depth { field.column(x, z + 1) } else { 0..0 };
        for (there, direction) in [(east, Direction::PosX), (south, Direction::PosZ)] {
            let columns = [&field.column(x, z), &there];
            slots.collect_columns(field, columns, (column(spans[0]), direction), of, |_, _| {});
            found.add(&mut slots);
        }
    }
    found.stacks
}

/// Merges region by region, the smallest first, until no region can be merged further.
pub(crate) fn merge(regions: &mut [Region], stacks: &Stacks, target: &mut [u32], small: f64) -> u64 {
    let mut occupied = Occupied::by(0..to_u32(regions.len()), stacks);
    (0..).zip(&mut *regions).for_each(|(number, region)| region.members.push(number));
    let is_unwanted = |region: &Region| {
        region.spans > 0 && (region.spans as f64 <= small * (1.0 + ROUNDING) || !region.has_wall)
    };
    let mut queue: BinaryHeap<Reverse<(u64, u32)>> = (0_u32..)
        .zip(regions.iter())
        .filter(|(_, region)| is_unwanted(region))
        .map(|(index, region)| Reverse((region.spans, index)))
        .collect();
    let mut merged = 0;
    // A region without a free neighbour never gets one, because merging only adds conflicts. One
    // visit per region is enough.
    while let Some(Reverse((spans, index))) = queue.pop() {
        checkpoint();
        let region = &regions[index as usize];
        // An entry with another size is stale: the region has grown, or was merged into another.
        if region.spans != spans || target[index as usize] != index {
            continue;
        }
        let Some(into) = best_target(&regions[index as usize], &occupied) else { continue };
        occupied.move_all(&regions[index as usize].members, index, into);
        join(regions, index, into);
        target[index as usize] = into;
        merged += 1;
        if is_unwanted(&regions[into as usize]) {
            queue.push(Reverse((regions[into as usize].spans, into)));
        }
    }
    merged
}

/// Returns the neighbour to merge a region into: of the neighbours without a conflict, the one with
/// the longest common border, then the one with the lowest number. A longer removed border leaves
/// fewer corners.
fn best_target(region: &Region, occupied: &Occupied) -> Option<u32> {
    let mut neighbours = region.neighbours.clone();
    neighbours.sort_unstable_by_key(|&(other, sides)| (Reverse(sides), other));
    let mut targets = neighbours.into_iter().map(|(other, _)| other);
    targets.find(|&other| occupied.all_fit(&region.members, other))
}

/// Moves all data of region `from` to region `into`.
fn join(regions: &mut [Region], from: u32, into: u32) {
    let gone = std::mem::take(&mut regions[from as usize]);
    for &(neighbour, sides) in &gone.neighbours {
        let list = &mut regions[neighbour as usize].neighbours;
        if let Ok(place) = list.binary_search_by_key(&from, |&(other, _)| other) {
            list.remove(place);
        }
        if neighbour != into {
            add(list, into, sides);
            add(&mut regions[into as usize].neighbours, neighbour, sides);
        }
    }
    regions[into as usize].members.extend(gone.members);
    regions[into as usize].spans += gone.spans;
    regions[into as usize].has_wall |= gone.has_wall;
}

fn add(neighbours: &mut Vec<(u32, u64)>, region: u32, sides: u64) {
    match neighbours.binary_search_by_key(&region, |&(other, _)| other) {
        Ok(place) => neighbours[place].1 += sides,
        Err(place) => neighbours.insert(place, (region, sides)),
    }
}

/// Replaces each label by its entry in `target`, then numbers the remaining regions `0..count` by
/// first span.
fn number_by_first_span(mut labels: Vec<u32>, target: &[u32]) -> RegionMap {
    let mut numbers = vec![NO_REGION; target.len()];
    let mut count = 0;
    for label in labels.iter_mut().filter(|label| **label != NO_REGION) {
        let number = &mut numbers[target[*label as usize] as usize];
        if *number == NO_REGION {
            *number = count;
            count += 1;
        }
        *label = *number;
    }
    RegionMap { labels, count }
}

//! The paths from each entrance of a cluster to its polygons.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::{PolyId, nearest_f32};

use super::clusters::{Clusters, leads_both_ways, open_links};
use super::costs::{ALONG, NOT_REACHED, Reached, crossing_cost, link_place};
use super::entrances::Terminal;
use crate::geometry::plan::{PlanPosition, closest_on_segment};
use crate::locate::nearest::Spot;
use crate::mesh::bounds::Corner;
use crate::mesh::costs::Rules;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::funnel::Turn;
use crate::path::scratch::PathScratch;

/// Buffers for filling the tables of a cluster.
#[derive(Debug, Default)]
pub(super) struct TablesScratch {
    paths: PathScratch,
    entries: Vec<Entry>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
    polygons: Vec<PolyId>,
    turns: Vec<Turn>,
}

/// The nearest entry of a polygon.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: PlanPosition,
    length: f64,
    crossing: u32,
    parent: u32,
    closed: bool,
}

/// From all terminals of a cluster to its polygons, and to each other.
///
/// Each polygon is entered from its terminal by the path on which it is nearest (Dijkstra, from
/// edge to edge by their closest points); lengths are those of the string pulled through these
/// paths. With costs, they are what these paths cost from edge to edge: a string would have to be
/// judged polygon by polygon.
pub(super) fn fill(
    mesh: &NavMesh,
    usable: &impl Rules,
    clusters: &Clusters,
    cluster: u32,
    terminals: &[Terminal],
    scratch: &mut TablesScratch,
) -> (Vec<Reached>, Vec<f32>) {
    let polygons = clusters.polygons(cluster);
    let mut reached = Vec::with_capacity(polygons.len() * terminals.len());
    let mut between = Vec::with_capacity(terminals.len() * terminals.len());
    for terminal in terminals {
        let start = mesh.spot_at(terminal.polygon, terminal.at);
        flood(mesh, usable, clusters, cluster, &start, scratch);
        let last = |polygon: u32, to: PlanPosition, scratch: &mut TablesScratch| {
            if usable.is_length() {
                return string(mesh, clusters, &start, polygon, to, scratch);
            }
            let entry = &scratch.entries[clusters.slots[polygon as usize] as usize];
            entry.length.is_finite().then_some((entry.at, entry.length))
        };
        for &polygon in polygons {
            reached.push(match last(polygon, middle(mesh, polygon), scratch) {
                Some((root, length)) => Reached {
                    root: [nearest_f32(root.x), nearest_f32(root.z)],
                    length: nearest_f32(length),
                    crossing: scratch.entries[clusters.slots[polygon as usize] as usize].crossing,
                },
                None => Reached::UNREACHED,
            });
        }
        between.extend(terminals.iter().map(|other| {
            let found = last(other.polygon, other.at, scratch);
            found.map_or(f32::INFINITY, |(root, length)| {
                let metre = f64::from(usable.per_metre(mesh, other.polygon));
                nearest_f32(length + root.distance_squared(other.at).sqrt() * metre)
            })
        }));
    }
    (reached, between)
}

/// Enters all polygons of a cluster from a place, into `scratch.entries`.
fn flood(
    mesh: &NavMesh,
    usable: &impl Rules,
    clusters: &Clusters,
    cluster: u32,
    start: &Spot,
    scratch: &mut TablesScratch,
) {
    let TablesScratch { entries, open, .. } = scratch;
    let polygons = clusters.polygons(cluster);
    let unseen = Entry {
        at: start.at,
        length: f64::INFINITY,
        crossing: NOT_REACHED,
        parent: NOT_REACHED,
        closed: false,
    };
    entries.clear();
    entries.resize(polygons.len(), unseen);
    open.clear();
    let first = clusters.slots[start.polygon as usize];
    entries[first as usize].length = 0.0;
    open.push(Reverse((0, first)));
    while let Some(Reverse((_, slot))) = open.pop() {
        let entry = entries[slot as usize];
        if std::mem::replace(&mut entries[slot as usize].closed, true) {
            continue;
        }
        let polygon = polygons[slot as usize];
        let metre = f64::from(usable.per_metre(mesh, polygon));
        let mut enter = |crossing: u32, at: PlanPosition, length: f64| {
            let to = mesh.beyond(crossing);
            if clusters.of[to as usize] != cluster || !leads_both_ways(mesh, usable, polygon, to) {
                return;
            }
            let length = entry.length + length * metre + crossing_cost(mesh, usable, crossing, polygon);
            let slot_to = clusters.slots[to as usize];
            let known = &mut entries[slot_to as usize];
            if !known.closed && length < known.length {
                *known = Entry { at, length, crossing, parent: slot, closed: false };
                open.push(Reverse((length.to_bits(), slot_to)));
            }
        };
        let links = open_links(mesh, usable, polygon).filter(|&link| mesh.link_at(link).both_ways);
        for crossing in mesh.open_edges(polygon).chain(links) {
            if mesh.is_crossed(crossing) {
                let [a, b] = mesh.edge_ends(PolyId(polygon), crossing);
                let at = closest_on_segment(a, b, entry.at);
                enter(crossing, at, at.distance_squared(entry.at).sqrt());
            } else {
                let [leave, arrive] = link_place(mesh, crossing, 1.0).map(|end| end.0);
                enter(crossing, arrive, leave.distance_squared(entry.at).sqrt());
            }
        }
    }
}

/// Pulls the string from the place that was flooded from to one in a polygon: its last turn and the
/// length to there, in cells.
fn string(
    mesh: &NavMesh,
    clusters: &Clusters,
    start: &Spot,
    polygon: u32,
    to: PlanPosition,
    scratch: &mut TablesScratch,
) -> Option<(PlanPosition, f64)> {
    let TablesScratch { paths, entries, polygons, turns, .. } = scratch;
    let mut slot = clusters.slots[polygon as usize];
    if entries[slot as usize].length.is_infinite() {
        return None;
    }
    paths.corridor.clear();
    paths.link_places.clear();
    while entries[slot as usize].crossing != NOT_REACHED {
        let Entry { crossing, parent, .. } = entries[slot as usize];
        paths.corridor.push(crossing);
        if mesh.is_link(crossing) {
            paths.link_places.push(ALONG);
        }
        slot = parent;
    }
    paths.corridor.reverse();
    polygons.clear();
    polygons.push(PolyId(start.polygon));
    polygons.extend(paths.corridor.iter().map(|&crossing| PolyId(mesh.beyond(crossing))));
    mesh.string_turns([start, &mesh.spot_at(polygon, to)], polygons, paths, turns);
    let length = turns[..turns.len() - 1]
        .windows(2)
        .map(|pair| match paths.corridor.get(pair[0].crossed) {
            Some(&crossing) if !mesh.is_crossed(crossing) && pair[1].crossed == pair[0].crossed + 1 => {
                link_place(mesh, crossing, 1.0)[0].1
            }
            _ => pair[0].at.distance_squared(pair[1].at).sqrt(),
        })
        .sum();
    Some((turns[turns.len().saturating_sub(2)].at, length))
}

/// Returns the middle of a polygon's corners.
fn middle(mesh: &NavMesh, polygon: u32) -> PlanPosition {
    let corners = &mesh.topology.corners[mesh.edge_range(polygon as usize)];
    let count = corners.len() as f64;
    let mean =
        |of: fn(&Corner) -> i32| corners.iter().map(|corner| f64::from(of(corner))).sum::<f64>() / count;
    PlanPosition::snapped(mean(|corner| corner.x), mean(|corner| corner.z))
}

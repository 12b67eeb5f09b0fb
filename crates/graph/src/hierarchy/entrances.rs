//! Entrances: where a border between two clusters is crossed.

use waymesh_core::{DisjointSets, PolyId, nearest_f32};

use super::clusters::{Clusters, NO_CLUSTER, open_links};
use super::costs::{crossing_cost, link_place};
use crate::geometry::plan::PlanPosition;
use crate::mesh::costs::Rules;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::table::firsts;

/// One side of an entrance: a place on the border of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terminal {
    pub(super) cluster: u32,
    pub(super) polygon: u32,
    pub(super) at: PlanPosition,
    /// The edge or link that leads out of the cluster here.
    pub(super) id: u32,
    /// The other side.
    pub(super) mate: u32,
    /// Cost of the crossing from here, in cells.
    pub(super) cost: f32,
    /// `true` if it can be crossed from here.
    pub(super) exits: bool,
}

/// A crossing between two clusters.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    clusters: [u32; 2],
    /// Paths of one kind make an entrance: 0 for those that are crossed like edges, 1 for other
    /// links, 2 for links that lead one way.
    kind: u8,
    id: u32,
    polygons: [u32; 2],
    ends: [PlanPosition; 2],
}

/// Returns the terminals of all clusters, cluster by cluster, and the first of each.
pub(super) fn find(mesh: &NavMesh, usable: &impl Rules, clusters: &Clusters) -> (Vec<Terminal>, Vec<u32>) {
    let mut crossings = crossings(mesh, usable, clusters);
    crossings.sort_unstable_by_key(|crossing| (crossing.clusters, crossing.kind, crossing.id));
    let areas: Vec<f64> = (0_u32..)
        .take(clusters.count())
        .map(|cluster| clusters.polygons(cluster).iter().map(|&of| mesh.doubled_area(of) as f64 / 2.0).sum())
        .collect();
    let mut pairs: Vec<[Terminal; 2]> = Vec::new();
    let mut rest = crossings.as_slice();
    while let Some(first) = rest.first() {
        let length =
            rest.partition_point(|other| (other.clusters, other.kind) == (first.clusters, first.kind));
        let (group, others) = rest.split_at(length);
        rest = others;
        let smaller = first.clusters.map(|cluster| areas[cluster as usize]);
        let spacing = smaller[0].min(smaller[1]).sqrt() / 3.0;
        for piece in pieces(group) {
            let piece: Vec<Crossing> = piece.iter().flat_map(|crossing| parts(*crossing, spacing)).collect();
            sample(&piece, spacing, |crossing| pairs.push(terminals(mesh, usable, crossing)));
        }
    }
    number(pairs, clusters.count())
}

fn crossings(mesh: &NavMesh, usable: &impl Rules, clusters: &Clusters) -> Vec<Crossing> {
    let mut crossings = Vec::new();
    for PolyId(polygon) in mesh.polygon_ids() {
        let from = clusters.of[polygon as usize];
        if from == NO_CLUSTER {
            continue;
        }
        for id in mesh.open_edges(polygon).chain(open_links(mesh, usable, polygon)) {
            let other = mesh.beyond(id);
            let to = clusters.of[other as usize];
            let is_one_way = mesh.is_link(id) && !mesh.link_at(id).both_ways;
            // Both paths are the same entrance, seen from the lower number.
            if to == NO_CLUSTER || from == to || (from > to && !is_one_way) {
                continue;
            }
            let (kind, ends) = if is_one_way || !mesh.is_crossed(id) {
                let ends = mesh.link_ends(id)[0].ends;
                (1 + u8::from(is_one_way), ends.map(|end| PlanPosition::from(end.point)))
            } else {
                (0, mesh.edge_ends(PolyId(polygon), id))
            };
            crossings.push(Crossing { clusters: [from, to], kind, id, polygons: [polygon, other], ends });
        }
    }
    crossings
}

/// Crossings that share ends, one after the other, make one piece of border.
fn pieces(group: &[Crossing]) -> Vec<Vec<Crossing>> {
    let mut sets = DisjointSets::new(group.len());
    let mut ends: Vec<(u64, u64, u32)> = Vec::with_capacity(2 * group.len());
    for (index, crossing) in (0..).zip(group) {
        ends.extend(crossing.ends.map(|end| (end.x.to_bits(), end.z.to_bits(), index)));
    }
    ends.sort_unstable();
    for pair in ends.windows(2) {
        if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) {
            sets.unite(pair[0].2, pair[1].2);
        }
    }
    let mut sorted: Vec<(u32, usize)> =
        (0..).zip(0..group.len()).map(|(member, index)| (sets.find(member), index)).collect();
    sorted.sort_unstable();
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|piece| piece.iter().map(|&(_, index)| group[index]).collect())
        .collect()
}

/// Returns the parts of a long crossing, each no longer than `spacing`, but not more than a few.
fn parts(crossing: Crossing, spacing: f64) -> impl Iterator<Item = Crossing> {
    const MAX_PARTS: u32 = 8;
    let [a, b] = crossing.ends;
    let length = a.distance_squared(b).sqrt();
    let count = (1..MAX_PARTS).find(|&count| length <= spacing * f64::from(count)).unwrap_or(MAX_PARTS);
    // Links that are not crossed like edges are taken in their middle.
    let count = if crossing.kind == 0 { count } else { 1 };
    (0..count).map(move |part| {
        let at = |part: u32| match part {
            0 => a,
            part if part == count => b,
            part => {
                let along = f64::from(part) / f64::from(count);
                PlanPosition::snapped(a.x + (b.x - a.x) * along, a.z + (b.z - a.z) * along)
            }
        };
        Crossing { ends: [at(part), at(part + 1)], ..crossing }
    })
}

fn middle(crossing: &Crossing) -> PlanPosition {
    let [a, b] = crossing.ends;
    PlanPosition::snapped((a.x + b.x) / 2.0, (a.z + b.z) / 2.0)
}

/// Calls `take` for the crossing in the middle, then for the one farthest from all that were taken
/// as long as it is farther than `spacing`.
fn sample(piece: &[Crossing], spacing: f64, mut take: impl FnMut(&Crossing)) {
    let count = piece.len() as f64;
    let sum = piece.iter().map(middle).fold((0.0, 0.0), |sum, at| (sum.0 + at.x, sum.1 + at.z));
    let centre = PlanPosition { x: sum.0 / count, z: sum.1 / count };
    let nearest = (0..piece.len()).min_by(|&a, &b| {
        let distance = |index: usize| middle(&piece[index]).distance_squared(centre);
        distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
    });
    let Some(mut next) = nearest else { return };
    let mut distances = vec![f64::INFINITY; piece.len()];
    loop {
        take(&piece[next]);
        let at = middle(&piece[next]);
        for (distance, crossing) in distances.iter_mut().zip(piece) {
            *distance = distance.min(middle(crossing).distance_squared(at));
        }
        let farthest =
            (0..piece.len()).max_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(b.cmp(&a)));
        match farthest.filter(|&index| distances[index] > spacing * spacing) {
            Some(index) => next = index,
            None => return,
        }
    }
}

/// Returns both sides of an entrance; mates are numbered later.
fn terminals(mesh: &NavMesh, usable: &impl Rules, crossing: &Crossing) -> [Terminal; 2] {
    let Crossing { clusters, kind, id, polygons, .. } = *crossing;
    let mut places = [middle(crossing); 2];
    if !mesh.is_crossed(id) {
        places = link_place(mesh, id, 1.0).map(|end| end.0);
    }
    let back = mesh.reversed(id);
    let side = |side: usize| {
        let id = [id, back][side];
        let cost = crossing_cost(mesh, usable, id, polygons[side]);
        Terminal {
            cluster: clusters[side],
            polygon: polygons[side],
            at: places[side],
            id,
            mate: 0,
            cost: nearest_f32(cost),
            exits: (side == 0 || kind != 2) && cost.is_finite(),
        }
    };
    [side(0), side(1)]
}

/// Puts terminals in the order of their clusters.
fn number(pairs: Vec<[Terminal; 2]>, clusters: usize) -> (Vec<Terminal>, Vec<u32>) {
    let mut order: Vec<usize> = (0..2 * pairs.len()).collect();
    let at = |index: usize| &pairs[index / 2][index % 2];
    order.sort_by_key(|&index| (at(index).cluster, index));
    let mut numbers = vec![0; order.len()];
    for (number, &index) in (0_u32..).zip(&order) {
        numbers[index] = number;
    }
    let mated = |&index: &usize| Terminal { mate: numbers[index ^ 1], ..*at(index) };
    let terminals: Vec<Terminal> = order.iter().map(mated).collect();
    let first = firsts(clusters, terminals.iter().map(|terminal| terminal.cluster));
    (terminals, first)
}

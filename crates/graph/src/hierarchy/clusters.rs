//! Clusters of polygons: merged pair by pair, level by level.
//!
//! # References
//! The way of multilevel graph partitioning, Karypis and Kumar 1998, <https://doi.org/10.1006/jpdc.1997.1404>: match neighbours by the
//! heaviest edge, contract, repeat.

use waymesh_core::{PolyId, checkpoint, to_u32};

use crate::geometry::plan::PlanPosition;
use crate::mesh::costs::Rules;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::table::{firsts, list_of};

/// No cluster: the filter closes the polygon.
pub(super) const NO_CLUSTER: u32 = u32::MAX;

/// Clusters of connected polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Clusters {
    /// Cluster of each polygon, or [`NO_CLUSTER`].
    pub(super) of: Vec<u32>,
    /// Place of each polygon among those of its cluster.
    pub(super) slots: Vec<u32>,
    /// First entry in `polygons` of each cluster, and their number at the end.
    pub(super) first: Vec<u32>,
    /// The polygons of all clusters, ascending in each.
    pub(super) polygons: Vec<u32>,
    /// Number of rounds of merging.
    pub(super) levels: u32,
}

impl Clusters {
    pub(super) fn count(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    pub(super) fn polygons(&self, cluster: u32) -> &[u32] {
        list_of(&self.first, &self.polygons, cluster)
    }

    /// Merges polygons that are connected over edges, or over links that are crossed like edges both
    /// ways, into clusters of `most` polygons or, where a small one would be left, half as many
    /// more. Time in `n log n` a level.
    pub(super) fn merge(mesh: &NavMesh, usable: &impl Rules, most: u32) -> Self {
        let count = mesh.polygon_bound();
        let is_open: Vec<bool> = (0..count)
            .map(PolyId::from_index)
            .map(|polygon| mesh.has_polygon(polygon) && usable.allows(mesh, polygon))
            .collect();
        let mut labels: Vec<u32> = Vec::with_capacity(count);
        let mut sizes: Vec<u32> = Vec::new();
        for &open in &is_open {
            labels.push(if open { to_u32(sizes.len()) } else { NO_CLUSTER });
            if open {
                sizes.push(1);
            }
        }
        let mut borders = borders(mesh, usable, &labels);
        let mut levels = 0;
        // Last, small ones may make larger ones than wanted.
        for (limit, smallest) in [(most, u32::MAX), (most + most / 2, most / 3)] {
            while let Some(merged) = round(&borders, &sizes, limit, smallest) {
                checkpoint();
                let (new_of, new_sizes) = renumber(&merged, &sizes);
                for label in labels.iter_mut().filter(|label| **label != NO_CLUSTER) {
                    *label = new_of[*label as usize];
                }
                sizes = new_sizes;
                contract(&mut borders, &new_of);
                levels += 1;
            }
        }
        Self::tables(labels, sizes.len(), levels)
    }

    fn tables(of: Vec<u32>, count: usize, levels: u32) -> Self {
        let open = |&polygon: &u32| of[polygon as usize] != NO_CLUSTER;
        let mut polygons: Vec<u32> = (0..to_u32(of.len())).filter(open).collect();
        polygons.sort_by_key(|&polygon| of[polygon as usize]);
        let first = firsts(count, polygons.iter().map(|&polygon| of[polygon as usize]));
        let mut slots = vec![NO_CLUSTER; of.len()];
        for (place, &polygon) in (0_u32..).zip(&polygons) {
            slots[polygon as usize] = place - first[of[polygon as usize] as usize];
        }
        Self { of, slots, first, polygons, levels }
    }
}

/// Returns `true` if no cost closes the path between two polygons, in either direction.
pub(super) fn leads_both_ways(mesh: &NavMesh, usable: &impl Rules, from: u32, to: u32) -> bool {
    let leads = |from: u32, to: u32| usable.entering(mesh, from, to) < f32::INFINITY;
    usable.is_length() || (leads(from, to) && leads(to, from))
}

/// Returns the links out of a polygon that may be taken.
pub(super) fn open_links<'a>(
    mesh: &'a NavMesh,
    usable: &'a impl Rules,
    polygon: u32,
) -> impl Iterator<Item = u32> + 'a {
    mesh.links_from(polygon).filter(|&link| usable.allows_link(mesh, mesh.link_id(link)))
}

/// Returns `true` if no cost closes any path between polygons that can be used, and the filter no
/// link.
pub(super) fn are_all_open(mesh: &NavMesh, usable: &impl Rules) -> bool {
    usable.allows_all()
        || mesh.polygon_ids().filter(|&polygon| usable.allows(mesh, polygon)).all(|PolyId(polygon)| {
            let mut links = mesh.links_from(polygon);
            let crossings = mesh.open_edges(polygon).chain(links.clone());
            let mut beyond = crossings.map(|crossing| mesh.beyond(crossing));
            links.all(|link| usable.allows_link(mesh, mesh.link_id(link)))
                && beyond
                    .all(|to| !usable.allows(mesh, PolyId(to)) || leads_both_ways(mesh, usable, polygon, to))
        })
}

/// Length of the border between two clusters, for both orders of the pair, sorted.
type Borders = Vec<(u32, u32, f64)>;

fn borders(mesh: &NavMesh, usable: &impl Rules, labels: &[u32]) -> Borders {
    let mut borders = Vec::new();
    let mut add = |from: u32, crossing: u32, ends: [PlanPosition; 2]| {
        let to = mesh.beyond(crossing);
        let [a, b] = [from, to].map(|polygon| labels[polygon as usize]);
        if a != NO_CLUSTER && b != NO_CLUSTER && a != b && leads_both_ways(mesh, usable, from, to) {
            borders.push((a, b, ends[0].distance_squared(ends[1]).sqrt()));
        }
    };
    for PolyId(polygon) in mesh.polygon_ids() {
        let is_portal = |&link: &u32| mesh.is_crossed(link) && mesh.link_at(link).both_ways;
        let links = open_links(mesh, usable, polygon).filter(is_portal);
        for crossing in mesh.open_edges(polygon).chain(links) {
            add(polygon, crossing, mesh.edge_ends(PolyId(polygon), crossing));
        }
    }
    sum_up(&mut borders);
    borders
}

fn sum_up(borders: &mut Borders) {
    // Lengths too: so the sum does not depend on the order they came in.
    borders.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    borders.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 += next.2;
        }
        is_same
    });
}

/// One round: the lower of the two numbers of each pair that merges, for both; nothing if none
/// does.
fn round(borders: &Borders, sizes: &[u32], limit: u32, smallest: u32) -> Option<Vec<u32>> {
    let mut order: Vec<u32> = (0_u32..).take(sizes.len()).collect();
    order.sort_by_key(|&cluster| (sizes[cluster as usize], cluster));
    let first = firsts(sizes.len(), borders.iter().map(|border| border.0));
    let mut merged: Vec<u32> = (0_u32..).take(sizes.len()).collect();
    let mut taken = vec![false; sizes.len()];
    let mut any = false;
    for cluster in order {
        let size = sizes[cluster as usize];
        if taken[cluster as usize] || size > smallest {
            continue;
        }
        let range = first[cluster as usize] as usize..first[cluster as usize + 1] as usize;
        let rated = borders[range].iter().filter_map(|&(_, other, length)| {
            let sum = size + sizes[other as usize];
            let fits = !taken[other as usize] && sum <= limit;
            // Long borders between small clusters first: what is left are short ones.
            fits.then(|| (length / f64::from(size.max(sizes[other as usize])).sqrt(), other))
        });
        let best = rated.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        if let Some((_, other)) = best {
            taken[cluster as usize] = true;
            taken[other as usize] = true;
            let low = cluster.min(other);
            merged[cluster as usize] = low;
            merged[other as usize] = low;
            any = true;
        }
    }
    any.then_some(merged)
}

/// New numbers, in the order of the old ones, and the sizes.
fn renumber(merged: &[u32], sizes: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut new_of = vec![NO_CLUSTER; merged.len()];
    let mut new_sizes: Vec<u32> = Vec::new();
    for (old, &low) in merged.iter().enumerate() {
        if low as usize == old {
            new_of[old] = to_u32(new_sizes.len());
            new_sizes.push(0);
        } else {
            // The lower one came before.
            new_of[old] = new_of[low as usize];
        }
        new_sizes[new_of[old] as usize] += sizes[old];
    }
    (new_of, new_sizes)
}

fn contract(borders: &mut Borders, new_of: &[u32]) {
    for border in borders.iter_mut() {
        (border.0, border.1) = (new_of[border.0 as usize], new_of[border.1 as usize]);
    }
    borders.retain(|border| border.0 != border.1);
    sum_up(borders);
}

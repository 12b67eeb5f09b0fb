//! Hub labels, by pruned searches from one site after the other.
//!
//! # References
//! Akiba, Iwata and Yoshida 2013, Fast exact shortest-path distance queries on large networks by pruned landmark labeling, <https://doi.org/10.1145/2463676.2465315>.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::{checkpoint_every, nearest_f32, threads, to_u32};

use crate::mesh::oracle::{EndTables, Label, NO_INDEX};
use crate::mesh::table::{firsts, list_of};
use crate::path::any_angle::LENGTH_TOLERANCE;

/// Number of searches that show which sites many paths lead over.
const SAMPLES: usize = 128;

/// Added to the length of each line, in cells: of paths of one length that with the fewest turns is
/// taken, as a search does not turn where it sees straight on.
const TURN: f64 = 1e-9;

/// Straight lines between sites, and links.
#[derive(Debug)]
pub(super) struct Graph {
    first: Vec<u32>,
    edges: Vec<(u32, f64)>,
}

impl Graph {
    /// Returns the graph of edges `from, to, length`.
    pub(super) fn new(sites: usize, mut edges: Vec<(u32, u32, f64)>) -> Self {
        edges.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        edges.dedup_by_key(|edge| (edge.0, edge.1));
        let first = firsts(sites, edges.iter().map(|edge| edge.0));
        Self { first, edges: edges.into_iter().map(|(_, to, length)| (to, length + TURN)).collect() }
    }

    /// Returns the same edges in the other direction.
    pub(super) fn reversed(&self) -> Self {
        let edges = (0..to_u32(self.sites()))
            .flat_map(|from| self.from(from).iter().map(move |&(to, length)| (to, from, length - TURN)));
        Self::new(self.sites(), edges.collect())
    }

    fn from(&self, site: u32) -> &[(u32, f64)] {
        list_of(&self.first, &self.edges, site)
    }

    fn sites(&self) -> usize {
        self.first.len() - 1
    }
}

/// The shortest path between a site and a hub.
#[derive(Clone, Copy, Debug)]
struct Found {
    hub: u32,
    /// The next site on the path to the hub, or [`NO_INDEX`] at the hub.
    next: u32,
    length: f64,
}

/// Memory of a search from one site.
#[derive(Debug, Default)]
struct Search {
    /// Length to each site, and the site before it on the path.
    reached: Vec<(f64, u32)>,
    /// Sites that were reached.
    touched: Vec<u32>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Search {
    /// Visits the sites in the order of their paths' lengths: `visit` gets site, length and the site
    /// before it. Where it returns `false` paths end.
    fn run(&mut self, graph: &Graph, from: u32, mut visit: impl FnMut(u32, f64, u32) -> bool) {
        self.touched.drain(..).for_each(|site| self.reached[site as usize] = (f64::INFINITY, NO_INDEX));
        self.reached.resize(graph.sites(), (f64::INFINITY, NO_INDEX));
        self.reached[from as usize] = (0.0, NO_INDEX);
        self.touched.push(from);
        self.open.push(Reverse((0, from)));
        let mut visited = 0;
        while let Some(Reverse((bits, site))) = self.open.pop() {
            checkpoint_every(1 << 10, visited);
            visited += 1;
            let (length, before) = self.reached[site as usize];
            if bits != length.to_bits() || !visit(site, length, before) {
                continue;
            }
            for &(to, edge) in graph.from(site) {
                let reached = &mut self.reached[to as usize];
                if length + edge < reached.0 {
                    if reached.0 == f64::INFINITY {
                        self.touched.push(to);
                    }
                    *reached = (length + edge, site);
                    // Positive floats sort like their bits.
                    self.open.push(Reverse(((length + edge).to_bits(), to)));
                }
            }
        }
    }
}

/// Returns the sites, first those that most shortest paths lead over.
fn by_paths(graph: &Graph) -> Vec<u32> {
    let sites = graph.sites();
    let samples = (0..SAMPLES.min(sites)).map(|sample| to_u32(sample * sites / SAMPLES.min(sites)));
    let counted = threads::map_with(samples, |search: &mut Search, from| {
        let mut order = Vec::new();
        search.run(graph, from, |site, _, before| {
            order.push((site, before));
            true
        });
        let mut counts = vec![1_u32; sites];
        for &(site, before) in order.iter().rev().filter(|entry| entry.1 != NO_INDEX) {
            counts[before as usize] += counts[site as usize];
        }
        counts
    });
    let paths = |site: &u32| counted.iter().map(|counts| u64::from(counts[*site as usize] - 1)).sum::<u64>();
    let mut order: Vec<(u64, u32)> = (0..to_u32(sites)).map(|site| (paths(&site), site)).collect();
    order.sort_unstable_by_key(|&(paths, site)| (Reverse(paths), site));
    order.into_iter().map(|(_, site)| site).collect()
}

/// Returns labels of paths to hubs and, if `backward` is given, from hubs; `None` if they take more
/// than `most` labels.
pub(super) fn labels(
    forward: &Graph,
    backward: Option<&Graph>,
    most: usize,
) -> Option<(EndTables, Option<EndTables>)> {
    let sites = forward.sites();
    let mut outward: Vec<Vec<Found>> = vec![Vec::new(); sites];
    let mut inward: Vec<Vec<Found>> = vec![Vec::new(); if backward.is_some() { sites } else { 0 }];
    let mut to_hubs = vec![f64::INFINITY; sites];
    let mut search = Search::default();
    let mut count = 0;
    for (hub, from) in (0..).zip(by_paths(forward)) {
        checkpoint_every(1 << 4, hub as usize);
        // Outward labels are found by paths that lead to the hub, against their direction.
        let mut grow = |graph: &Graph, grown: &mut Vec<Vec<Found>>, known: &[Found]| {
            known.iter().for_each(|label| to_hubs[label.hub as usize] = label.length);
            search.run(graph, from, |site, length, next| {
                let labels = &mut grown[site as usize];
                let least = labels.iter().map(|label| label.length + to_hubs[label.hub as usize]);
                let is_new = least.fold(f64::INFINITY, f64::min) > length * (1.0 + LENGTH_TOLERANCE);
                if is_new {
                    labels.push(Found { hub, next, length });
                    count += 1;
                }
                is_new
            });
            known.iter().for_each(|label| to_hubs[label.hub as usize] = f64::INFINITY);
        };
        let known = outward[from as usize].clone();
        match backward {
            None => grow(forward, &mut outward, &known),
            Some(backward) => {
                grow(backward, &mut outward, &inward[from as usize]);
                grow(forward, &mut inward, &known);
            }
        }
        if count > most {
            return None;
        }
    }
    Some((flat(outward), backward.map(|_| flat(inward))))
}

/// Returns the tables with the labels of all sites.
fn flat(labels: Vec<Vec<Found>>) -> EndTables {
    let mut tables = EndTables { first_label: vec![0], ..EndTables::default() };
    for of_site in labels {
        let rounded = |Found { hub, next, length }| Label { hub, next, length: nearest_f32(length) };
        tables.labels.extend(of_site.into_iter().map(rounded));
        tables.first_label.push(to_u32(tables.labels.len()));
    }
    tables
}

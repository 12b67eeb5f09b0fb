//! Tables that answer the shortest path between two places without a search: hub labels of the
//! corners that paths turn at, and what is seen of each polygon from these.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::link::LinkId;
use super::table::list_of;
use super::tiles::TileKey;
use crate::geometry::plan::{PlanPosition, is_between};
use crate::marks::Stamped;

/// No site, or no ray.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// A value of [`Cell::at`].
pub(crate) const NO_VIEWS: f64 = f64::INFINITY;

/// Entry of [`EndTables::useful`]: this number of labels is of no use.
const SKIPPED: u8 = u8::MAX;

/// A place where paths turn, or take a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) place: SitePlace,
    /// The corner, or the place where a path leaves for the link.
    pub(crate) at: PlanPosition,
}

/// The turn of a site. Its number in a search over cones may change with other tiles of the mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SitePlace {
    /// The corner of this polygon.
    Corner { polygon: u32 },
    /// One of two ends of a link that is crossed like an edge.
    End { link: LinkId, is_to: bool, number: u32 },
    /// A place of a link, and whether the path takes it backwards.
    Link { link: LinkId, backwards: bool, place: u32 },
}

impl Site {
    pub(crate) fn is_link(&self) -> bool {
        matches!(self.place, SitePlace::Link { .. })
    }
}

/// A place from which an end of the path is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) at: PlanPosition,
    /// The site of the path: the corner, or the link that leaves here for the start of the path, that
    /// lands here for its goal.
    pub(crate) site: u32,
    /// Length of that link if it leaves here, in cells.
    pub(crate) length: f64,
}

/// A polygon, or a part of one that is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The line where it is cut: all places of this x or z. [`NO_VIEWS`] for a polygon whose views took
    /// too much memory.
    pub(crate) at: f64,
    pub(crate) is_x: bool,
    /// The lower part, and the upper one after it; [`NO_INDEX`] if it is not cut.
    pub(crate) parts: u32,
}

/// The part of a cell that is seen from an origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) origin: u32,
    /// The rays that bound it, or [`NO_INDEX`] if all of the polygon is seen.
    pub(crate) rays: [u32; 2],
    /// First entry in [`EndTables::useful`].
    pub(crate) first: u32,
}

/// The shortest path between a site and a hub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Label {
    pub(crate) hub: u32,
    /// The next site on the path to the hub, or [`NO_INDEX`] at the hub.
    pub(crate) next: u32,
    /// In cells.
    pub(crate) length: f32,
}

/// The tables for one end of paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndTables {
    /// First label of each site, and their number at the end. Two sites that a path joins have a hub in
    /// common.
    pub(crate) first_label: Vec<u32>,
    /// Sorted by hub.
    pub(crate) labels: Vec<Label>,
    pub(crate) origins: Vec<Origin>,
    /// First view of each cell, and their number at the end.
    pub(crate) first_view: Vec<u32>,
    /// All views, and one more for the end.
    pub(crate) views: Vec<View>,
    /// Labels of the site of a view over which paths from the cell may be shortest: for each the number
    /// of labels between it and the one before. [`SKIPPED`] is for as many labels and none after them.
    pub(crate) useful: Vec<u8>,
}

impl EndTables {
    pub(crate) fn labels_of(&self, site: u32) -> &[Label] {
        list_of(&self.first_label, &self.labels, site)
    }

    /// Appends the sites on the path from a site to a hub, both included.
    fn append_path(&self, mut site: u32, hub: u32, sites: &mut Vec<u32>) {
        while site != NO_INDEX {
            sites.push(site);
            let labels = self.labels_of(site);
            let label = labels.binary_search_by_key(&hub, |label| label.hub);
            site = label.map_or(NO_INDEX, |label| labels[label].next);
        }
    }

    /// Returns its size in memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.first_label)
            + size_of_val(&*self.labels)
            + size_of_val(&*self.origins)
            + size_of_val(&*self.first_view)
            + size_of_val(&*self.views)
            + size_of_val(&*self.useful)
    }
}

/// The ground of a tile in plan: a checksum of its polygons, and the number of the first.
pub(crate) type TileGround = (u64, u32);

/// Largest number of changed tiles with which an oracle is kept: a query measures its distance from
/// each.
const MAX_CHANGED: usize = 1024;

/// An oracle of a mesh, with the tiles that changed since it was made.
#[derive(Clone, Debug)]
pub(crate) struct AttachedOracle {
    pub(crate) tables: Arc<Oracle>,
    /// Checksum of the polygons and stamp of the links with which it is in use.
    pub(crate) valid_for: [u64; 2],
    changed: BTreeSet<TileKey>,
    /// Side of a tile, in cells.
    side: f64,
}

impl AttachedOracle {
    pub(crate) fn new(tables: Arc<Oracle>, side: u32) -> Self {
        let valid_for = tables.made_for;
        Self { tables, valid_for, changed: BTreeSet::new(), side: f64::from(side) }
    }

    /// Takes the ground that a tile has now, `None` for none. Returns `false` if too much changed for
    /// the oracle to be of use.
    pub(crate) fn update(&mut self, tile: TileKey, ground: Option<TileGround>) -> bool {
        if self.tables.tiles.get(&tile).copied() == ground {
            self.changed.remove(&tile);
        } else {
            self.changed.insert(tile);
        }
        self.changed.len() <= MAX_CHANGED
    }

    /// Returns a length that no path over changed ground falls short of: a path that was the shortest
    /// and is shorter still is.
    pub(crate) fn limit(&self, ends: [PlanPosition; 2]) -> f64 {
        let of_tile = |tile: &TileKey| {
            let low = [tile.column, tile.row].map(|at| f64::from(at) * self.side);
            let beyond = |at: f64, low: f64| (low - at).max(at - low - self.side).max(0.0);
            let distance = |at: PlanPosition| {
                let [x, z] = [beyond(at.x, low[0]), beyond(at.z, low[1])];
                (x * x + z * z).sqrt()
            };
            distance(ends[0]) + distance(ends[1])
        };
        self.changed.iter().map(of_tile).fold(f64::INFINITY, f64::min)
    }
}

/// Tables by which shortest paths of one mesh are looked up:
/// [`NavMesh::make_oracle`](crate::NavMesh::make_oracle). Clones share them.
#[derive(Clone, Debug)]
pub struct PathOracle(pub(crate) Arc<Oracle>);

/// The tables.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    /// Checksum of the polygons and stamp of the links.
    pub(crate) made_for: [u64; 2],
    /// The ground of each tile of a mesh of tiles.
    pub(crate) tiles: BTreeMap<TileKey, TileGround>,
    pub(crate) sites: Vec<Site>,
    pub(crate) rays: Vec<PlanPosition>,
    /// One for each polygon, then the parts.
    pub(crate) cells: Vec<Cell>,
    /// Paths lead from sites to hubs.
    pub(crate) starts: EndTables,
    /// Paths lead from hubs to sites; `None` if they are those in reverse.
    pub(crate) goals: Option<EndTables>,
    /// `true` if the ground around some corner that paths turn at is more than a full turn, or if there
    /// are links.
    pub(crate) is_wound: bool,
    /// Share of the area of the mesh with views.
    pub(crate) covered: f64,
}

/// Memory of look-ups.
#[derive(Clone, Debug, Default)]
pub(crate) struct OracleScratch {
    /// The shortest path from the start to each hub.
    hubs: Stamped<ToHub>,
    seen: Vec<Near>,
    /// Sites of the path.
    found: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ToHub {
    /// The first site of the path.
    site: u32,
    length: f64,
}

/// A view of an end of the path.
#[derive(Clone, Copy, Debug)]
struct Near {
    view: u32,
    site: u32,
    length: f64,
    /// No path from end to end over its site is shorter.
    least: f64,
}

/// An end of a path: a place and the polygons that it lies in.
pub(crate) type OracleEnd<'a> = (PlanPosition, &'a [u32]);

impl Oracle {
    /// Returns its size in memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.sites)
            + size_of_val(&*self.rays)
            + size_of_val(&*self.cells)
            + self.tiles.len() * size_of::<(TileKey, TileGround)>()
            + self.ends().map(EndTables::bytes).sum::<usize>()
    }

    /// Returns the tables of both ends of paths: one, if they are the same.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &EndTables> {
        std::iter::once(&self.starts).chain(&self.goals)
    }

    /// Finds the sites of the shortest path between two places that do not see each other, if it is
    /// shorter than `limit`. Returns `false` if the tables hold no such path.
    pub(crate) fn find(
        &self,
        [from, to]: [OracleEnd<'_>; 2],
        limit: f64,
        memory: &mut OracleScratch,
        sites: &mut Vec<Site>,
    ) -> bool {
        let has_views = |&polygon: &u32| self.cells[polygon as usize].at < NO_VIEWS;
        if !from.1.iter().chain(to.1).all(has_views) {
            return false;
        }
        let OracleScratch { hubs, seen, found } = memory;
        hubs.begin(self.sites.len());
        self.see(&self.starts, from, to.0, seen);
        for near in &*seen {
            for label in self.starts.useful_labels(near) {
                let length = near.length + f64::from(label.length);
                if hubs.get(label.hub).is_none_or(|hub| length < hub.length) {
                    hubs.set(label.hub, ToHub { site: near.site, length });
                }
            }
        }
        let goals = self.goals.as_ref().unwrap_or(&self.starts);
        self.see(goals, to, from.0, seen);
        seen.sort_unstable_by(|a, b| a.least.total_cmp(&b.least));
        let (mut least, mut best) = (limit, None);
        for near in seen.iter() {
            if near.least >= least {
                break;
            }
            for label in goals.useful_labels(near) {
                let Some(hub) = hubs.get(label.hub) else { continue };
                let length = hub.length + f64::from(label.length) + near.length;
                if length < least {
                    (least, best) = (length, Some((hub.site, label.hub, near.site)));
                }
            }
        }
        let Some((first, hub, last)) = best else { return false };
        found.clear();
        self.starts.append_path(first, hub, found);
        let half = found.len();
        goals.append_path(last, hub, found);
        // Both parts have the hub.
        found.pop();
        found[half..].reverse();
        sites.extend(found.iter().map(|&site| self.sites[site as usize]));
        true
    }

    /// Collects the views of an end of the path.
    fn see(
        &self,
        tables: &EndTables,
        (at, polygons): OracleEnd<'_>,
        other: PlanPosition,
        seen: &mut Vec<Near>,
    ) {
        seen.clear();
        for &polygon in polygons {
            let mut cell = polygon as usize;
            while let Cell { at: cut, is_x, parts } = self.cells[cell]
                && parts != NO_INDEX
            {
                cell = parts as usize + usize::from(if is_x { at.x } else { at.z } > cut);
            }
            let [first, end] = [0, 1].map(|next| tables.first_view[cell + next]);
            for (index, view) in (first..end).zip(&tables.views[first as usize..end as usize]) {
                let &Origin { at: from, site, length } = &tables.origins[view.origin as usize];
                if view.rays[0] == NO_INDEX
                    || is_between(from, view.rays.map(|ray| self.rays[ray as usize]), at)
                {
                    let distance = from.distance_squared(at).sqrt();
                    let least = distance + from.distance_squared(other).sqrt();
                    seen.push(Near { view: index, site, length: distance + length, least });
                }
            }
        }
    }
}

impl EndTables {
    /// Returns the labels of a view over which a path may be shortest.
    #[inline]
    fn useful_labels(&self, near: &Near) -> impl Iterator<Item = &Label> {
        let [first, end] = [0, 1].map(|next| self.views[near.view as usize + next].first as usize);
        let mut label = self.first_label[near.site as usize] as usize;
        self.useful[first..end].iter().filter_map(move |&between| {
            let found = label + between as usize;
            label = found + usize::from(between != SKIPPED);
            (between != SKIPPED).then(|| &self.labels[found])
        })
    }

    /// Packs ascending numbers of labels: see [`EndTables::useful`].
    pub(crate) fn pack(labels: impl Iterator<Item = usize>) -> Vec<u8> {
        let (mut packed, mut next) = (Vec::new(), 0);
        for label in labels {
            while label - next >= usize::from(SKIPPED) {
                packed.push(SKIPPED);
                next += usize::from(SKIPPED);
            }
            #[expect(clippy::cast_possible_truncation, reason = "less than a byte holds")]
            packed.push((label - next) as u8);
            next = label + 1;
        }
        packed
    }
}

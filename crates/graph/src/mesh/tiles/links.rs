//! The links of a mesh of tiles: which leave each polygon, what they join, and where paths over
//! them turn, all kept up to date where links or tiles change.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use waymesh_core::{DisjointSets, PlanPoint, PolyId, to_u32};

use super::columns::Columns;
use super::order::{LinkOrder, TileLink, compare};
use super::seams::write_fan;
use super::slabs::Slabs;
use super::tables::TileEntry;
use crate::mesh::fans;
use crate::mesh::link::{Link, LinkEnd, LinkId, LinkIndex};
use crate::mesh::link_turns::{LinkGround, own_ends};
use crate::mesh::links::stamp_of;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// All links in the order in which they are in the compact form.
    pub(crate) fn links_in_order(&self) -> Vec<LinkIndex> {
        let mut order: Vec<LinkIndex> = (0..to_u32(self.links.links.len())).map(LinkIndex).collect();
        if self.is_tiled() {
            order.sort_by(|one, other| self.compare_links(one.index(), other.index()));
        }
        order
    }

    /// Sorts the links of a mesh of tiles as in its compact form.
    pub(crate) fn sort_links(&mut self) {
        if self.is_tiled() && !self.links_in_order().is_sorted_by_key(|at| at.index()) {
            let (links, ids) = self.take_links();
            self.put_links(links, ids);
        }
    }

    /// The order of the links of a mesh of tiles is the one that they are in now.
    pub(crate) fn number_links(&mut self) {
        if self.is_tiled()
            && let Some(tiles) = &mut self.tiles
        {
            let classes = 0..self.links.links.len() as u64;
            let orders = classes.map(|class| LinkOrder { class, number: 0 });
            Arc::make_mut(tiles).link_orders = orders.collect();
        }
    }

    /// Orders two links of a mesh of tiles as in its compact form.
    pub(super) fn compare_links(&self, one: usize, other: usize) -> Ordering {
        let Some(tiles) = self.tiles() else { return one.cmp(&other) };
        let link = |at: usize| (&self.links.links[at], tiles.link_orders[at]);
        compare(link(one), link(other), |polygon| tiles.place(polygon.0))
    }
}

/// State of the links that is not in their tables.
#[derive(Clone, Debug, Default)]
pub(super) struct TileLinks {
    pub(super) leaving: Slabs,
    /// Places of the links with an end in each tile that has any, closed ones as well.
    of_tile: HashMap<u32, Vec<u32>>,
    /// Sum of the checksums of all links.
    pub(super) sum: u64,
    /// Open links that lead one way only.
    pub(super) one_way: usize,
    pub(super) next: u64,
}

/// Changes of links, by their slots.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkChanges {
    pub(super) gone: BTreeSet<u32>,
    /// Added links, and whether each is crossed like an edge.
    pub(super) came: Vec<(TileLink, bool)>,
    pub(super) opened: Vec<(u32, bool)>,
}

/// Places to update after links changed.
#[derive(Default)]
struct Stale {
    /// Tiles whose lists of links are others.
    tiles: BTreeSet<u32>,
    /// Ends of links that are crossed like an edge.
    places: Vec<(PolyId, PlanPoint)>,
}

impl Stale {
    fn add(&mut self, link: &Link, is_portal: bool, columns: &Columns) {
        for end in [&link.from, &link.to] {
            self.tiles.insert(columns.tile_of[end.polygon.index()]);
            if is_portal {
                self.places.extend(end.ends.map(|vertex| (end.polygon, vertex.point)));
            }
        }
    }
}

impl TileLinks {
    /// The places of the links with an end in a tile.
    pub(super) fn of_tile(&self, slot: u32) -> &[u32] {
        self.of_tile.get(&slot).map_or(&[], Vec::as_slice)
    }

    /// Changes links. Takes time in what changes and in the links of the tiles that have ends of it;
    /// and a little in the number of all links.
    pub(super) fn change(&mut self, changes: LinkChanges, columns: &mut Columns) {
        let mut stale = Stale::default();
        let is_long = changes.came.len() + changes.gone.len() > 64;
        for at in changes.gone.into_iter().rev() {
            self.remove(at as usize, !is_long, &mut stale, columns);
        }
        for (at, is_open) in changes.opened {
            let link = columns.links[at as usize];
            if link.is_open != is_open {
                self.count(at as usize, columns, false);
                columns.links.set(at as usize, Link { is_open, ..link });
                self.count(at as usize, columns, true);
                stale.add(&link, columns.portals[at as usize], columns);
            }
        }
        for (link, is_portal) in changes.came {
            self.add(link, is_portal, !is_long, &mut stale, columns);
        }
        if is_long {
            let mut by_id: Vec<LinkIndex> = (0..to_u32(columns.links.len())).map(LinkIndex).collect();
            by_id.sort_unstable_by_key(|at| columns.link_ids[at.index()]);
            columns.by_id.replace(by_id);
        }
        if !columns.links.is_empty() {
            // The last entry ends the last polygon.
            columns.link_first.grow(columns.areas.len() + 1, 0);
        }
        for slot in stale.tiles {
            self.write_leaving(slot, columns);
        }
        self.refresh(stale.places, columns);
    }

    fn remove(&mut self, at: usize, is_sorted: bool, stale: &mut Stale, columns: &mut Columns) {
        let (link, id) = (columns.links[at], columns.link_ids[at]);
        stale.add(&link, columns.portals[at], columns);
        self.count(at, columns, false);
        self.list(&link, to_u32(at), None, columns);
        if is_sorted
            && let Ok(place) = columns.by_id.binary_search_by_key(&id, |at| columns.link_ids[at.index()])
        {
            columns.by_id.remove(place);
        }
        let last = columns.links.len() - 1;
        if at < last {
            let moved = columns.links[last];
            stale.add(&moved, columns.portals[last], columns);
            self.count(last, columns, false);
            self.list(&moved, to_u32(last), Some(to_u32(at)), columns);
            let id = columns.link_ids[last];
            if is_sorted
                && let Ok(place) = columns.by_id.binary_search_by_key(&id, |at| columns.link_ids[at.index()])
            {
                columns.by_id.set(place, LinkIndex(to_u32(at)));
            }
        }
        columns.links.swap_remove(at);
        columns.link_ids.swap_remove(at);
        columns.link_orders.swap_remove(at);
        columns.portals.swap_remove(at);
        if !columns.end_names.is_empty() {
            columns.end_names.swap_remove(at);
            if at < last {
                columns.end_names.set(at, own_ends(LinkIndex(to_u32(at))));
            }
        }
        if at < last {
            self.count(at, columns, true);
        }
    }

    fn add(
        &mut self,
        TileLink { id, order, link }: TileLink,
        is_portal: bool,
        is_sorted: bool,
        stale: &mut Stale,
        columns: &mut Columns,
    ) {
        let at = columns.links.len();
        stale.add(&link, is_portal, columns);
        columns.links.push(link);
        columns.link_ids.push(id);
        columns.link_orders.push(order);
        columns.portals.push(is_portal);
        if is_portal && columns.fan_names.is_empty() {
            columns.fan_names.replace((0..to_u32(columns.corners.len())).collect());
            columns.end_names.replace((0..to_u32(at)).map(|link| own_ends(LinkIndex(link))).collect());
        }
        if !columns.fan_names.is_empty() {
            columns.end_names.push(own_ends(LinkIndex(to_u32(at))));
        }
        if is_sorted {
            let place = columns.by_id.partition_point(|at| columns.link_ids[at.index()] < id);
            columns.by_id.insert(place, LinkIndex(to_u32(at)));
        }
        let slots = [link.from, link.to].map(|end| columns.tile_of[end.polygon.index()]);
        self.enter(to_u32(at), &link, id, slots);
    }

    /// Lists a link that comes, in the tiles of its ends.
    pub(super) fn enter(&mut self, at: u32, link: &Link, id: LinkId, slots: [u32; 2]) {
        for slot in slots {
            let list = self.of_tile.entry(slot).or_default();
            if list.last() != Some(&at) {
                list.push(at);
            }
        }
        self.next = self.next.max(id.0.wrapping_add(1));
        self.count_link(at as usize, link, id, true);
    }

    fn count(&mut self, at: usize, columns: &Columns, is_in: bool) {
        self.count_link(at, &columns.links[at], columns.link_ids[at], is_in);
    }

    /// Counts a link in or out.
    fn count_link(&mut self, at: usize, link: &Link, id: LinkId, is_in: bool) {
        let sum = stamp_of(link, id, at as u64);
        let one_way = usize::from(link.is_open && !link.both_ways);
        if is_in {
            (self.sum, self.one_way) = (self.sum.wrapping_add(sum), self.one_way + one_way);
        } else {
            (self.sum, self.one_way) = (self.sum.wrapping_sub(sum), self.one_way - one_way);
        }
    }

    /// Lists a link of its tiles by another place, or not any more.
    fn list(&mut self, link: &Link, at: u32, to: Option<u32>, columns: &Columns) {
        for end in [&link.from, &link.to] {
            let slot = columns.tile_of[end.polygon.index()];
            let Some(list) = self.of_tile.get_mut(&slot) else { continue };
            if let Some(place) = list.iter().position(|&known| known == at) {
                match to {
                    Some(to) => list[place] = to,
                    None => drop(list.swap_remove(place)),
                }
            }
            if list.is_empty() {
                self.of_tile.remove(&slot);
            }
        }
    }

    /// Writes which open links leave the polygons of a tile.
    fn write_leaving(&mut self, slot: u32, columns: &mut Columns) {
        let Some(&entry) = columns.entries.get(slot as usize).filter(|entry| entry.is_there) else { return };
        let mut found: Vec<(u32, u32)> = Vec::new();
        for &at in self.of_tile(slot) {
            let Link { from, to, both_ways, is_open, .. } = &columns.links[at as usize];
            let is_own = |end: &LinkEnd| *is_open && columns.tile_of[end.polygon.index()] == slot;
            if is_own(from) {
                found.push((from.polygon.0, 2 * at));
            }
            if *both_ways && is_own(to) {
                found.push((to.polygon.0, 2 * at + 1));
            }
        }
        let link = |at: u32| (&columns.links[at as usize / 2], columns.link_orders[at as usize / 2]);
        let place = |polygon: PolyId| {
            let entry = &columns.entries[columns.tile_of[polygon.index()] as usize];
            (entry.key, polygon.0 - entry.polygons.start)
        };
        found.sort_unstable_by(|one, other| {
            one.0
                .cmp(&other.0)
                .then_with(|| compare(link(one.1), link(other.1), place))
                .then_with(|| (one.1 % 2, one.1).cmp(&(other.1 % 2, other.1)))
        });
        let leaving = self.leaving.fit(entry.leaving, to_u32(found.len()));
        columns.leaving.grow(self.leaving.end() as usize, 0);
        columns.leaving.write(leaving.start as usize, found.iter().map(|entry| entry.1));
        let mut next = 0;
        for polygon in entry.polygons.range() {
            while found.get(next).is_some_and(|entry| (entry.0 as usize) < polygon) {
                next += 1;
            }
            columns.link_first.set(polygon, leaving.start + to_u32(next));
        }
        columns.link_first.fill(entry.polygons.spare(), leaving.start + leaving.len);
        columns.entries.set(slot as usize, TileEntry { leaving, ..entry });
    }

    /// Takes back the room for the links of a tile, none of which is left.
    pub(super) fn give(&mut self, entry: &TileEntry) {
        self.leaving.give(entry.leaving);
    }

    /// Updates the turns of paths at the links in written tiles and their neighbours.
    pub(super) fn update_turns(&self, tiles: impl Iterator<Item = u32>, columns: &mut Columns) {
        if columns.fan_names.is_empty() {
            return;
        }
        let mut places = Vec::new();
        for at in tiles.flat_map(|slot| self.of_tile(slot)) {
            if columns.portals[*at as usize] {
                let Link { from, to, .. } = &columns.links[*at as usize];
                let ends = [from, to].into_iter();
                places.extend(ends.flat_map(|end| end.ends.map(|vertex| (end.polygon, vertex.point))));
            }
        }
        self.refresh(places, columns);
    }

    /// Recomputes the turns of paths at these places, and at all places connected to them over links
    /// that are crossed like an edge.
    fn refresh(&self, mut open: Vec<(PolyId, PlanPoint)>, columns: &mut Columns) {
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut corners_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut inside: BTreeSet<(PolyId, PlanPoint)> = BTreeSet::new();
        while let Some((polygon, point)) = open.pop() {
            let slot = columns.tile_of[polygon.index()];
            if !columns.entries.get(slot as usize).is_some_and(|entry| entry.is_there) {
                continue;
            }
            let mut polygons = vec![polygon];
            match ground_of(columns).corner_at(polygon, point) {
                Some(corner) => {
                    let name = fans::fan_of(columns.fans[corner]);
                    if corners_of.contains_key(&name) {
                        continue;
                    }
                    let mut corners = Vec::new();
                    polygons = write_fan(polygon.0, to_u32(corner), &mut corners, columns);
                    corners_of.insert(name, corners);
                }
                None if !inside.insert((polygon, point)) => continue,
                None => {}
            }
            for polygon in polygons {
                for &at in self.of_tile(columns.tile_of[polygon.index()]) {
                    let Link { from, to, .. } = &columns.links[at as usize];
                    let is_here = |end: &LinkEnd| {
                        end.polygon == polygon && end.ends.iter().any(|vertex| vertex.point == point)
                    };
                    if columns.portals[at as usize] && (is_here(from) || is_here(to)) && seen.insert(at) {
                        let ends = [from, to].into_iter();
                        open.extend(ends.flat_map(|end| end.ends.map(|vertex| (end.polygon, vertex.point))));
                    }
                }
            }
        }
        let portals: Vec<LinkIndex> = seen.into_iter().map(LinkIndex).collect();
        let fan_of = |corner: u32| Some(fans::fan_of(columns.fans[corner as usize]));
        let names = ground_of(columns).names(&portals, fan_of);
        for (fan, name) in names.fans {
            columns.fan_names.set(fan as usize, name);
            // Paths may turn at a corner where a link continues the ground.
            for &corner in corners_of.get(&fan).into_iter().flatten() {
                columns.fans.set(corner as usize, fans::entry(fan, true));
            }
        }
        for (link, name) in names.ends {
            columns.end_names.set(link.index(), name);
        }
    }
}

fn ground_of(columns: &Columns) -> LinkGround<'_> {
    LinkGround {
        edges: columns.edges(),
        links: &columns.links,
        portals: &columns.portals,
        first: &columns.link_first,
        leaving: &columns.leaving,
    }
}

/// Finds which islands open links join.
pub(super) fn write_groups(columns: &mut Columns) {
    let islands = if columns.links.is_empty() { 0 } else { columns.islands.len() };
    let mut sets = DisjointSets::new(islands);
    for link in columns.links.iter().filter(|link| link.is_open) {
        let [from, to] = [link.from.polygon, link.to.polygon]
            .map(|polygon| columns.island_of[columns.components[polygon.index()] as usize]);
        sets.unite(from, to);
    }
    let groups: Vec<u32> = (0..to_u32(islands)).map(|island| sets.find(island)).collect();
    if *groups != *columns.groups {
        columns.groups.replace(groups);
    }
}

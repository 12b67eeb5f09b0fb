//! The links of a mesh, in tables.

use waymesh_core::{DisjointSets, PlanVertex, PolyId, Random};

use super::link::{Link, LinkId, LinkIndex};
use super::link_turns::LinkTurns;
use super::table::{firsts, list_of};

/// The links of a mesh, and which of them leave each polygon.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    pub(crate) links: Vec<Link>,
    /// Id of each link.
    pub(crate) ids: Vec<LinkId>,
    /// Places of all links, in the order of their ids.
    pub(super) by_id: Vec<LinkIndex>,
    /// The id that the next link gets.
    pub(super) next: u64,
    /// First entry in `leaving` of each polygon, and their number at the end; empty without links.
    pub(super) first: Vec<u32>,
    /// Twice the place of an open link, plus one if it is taken backwards.
    pub(super) leaving: Vec<u32>,
    /// Islands that open links join, by their lowest island: an island is in the group of this
    /// number.
    pub(super) groups: Vec<u32>,
    /// `true` if each link is crossed like an edge while it is open.
    pub(crate) portals: Vec<bool>,
    /// Places where paths over links may turn.
    pub(crate) turns: LinkTurns,
    /// `true` if some open link leads one way only: then islands of a group need not be reachable
    /// from each other.
    pub(super) has_one_way: bool,
    /// Checksum of the links, as [`crate::Generation`] is of the polygons: what names links by
    /// number knows by it that they are the same.
    pub(crate) stamp: u64,
}

impl PartialEq for Links {
    /// Compares the links without their ids; all other tables follow from the links.
    fn eq(&self, other: &Self) -> bool {
        self.links == other.links
    }
}

impl Links {
    pub(crate) fn is_portal(&self, link: LinkIndex) -> bool {
        self.portals[link.index()]
    }

    /// Returns the place of a link; `None` if there is none of this id.
    pub(crate) fn find(&self, id: LinkId) -> Option<LinkIndex> {
        let at = self.by_id.binary_search_by_key(&id, |at| self.ids[at.index()]);
        at.ok().map(|at| self.by_id[at])
    }

    /// Returns `true` if every place of a group can be reached from every other.
    pub(crate) fn are_both_ways(&self) -> bool {
        !self.has_one_way
    }

    /// Returns the group of an island.
    #[inline]
    pub(crate) fn group(&self, island: u32) -> u32 {
        self.groups.get(island as usize).copied().unwrap_or(island)
    }

    /// Returns the open links that leave `polygon`: twice the place of a link, plus one if it is
    /// taken backwards.
    #[inline]
    pub(crate) fn leaving(&self, polygon: u32) -> &[u32] {
        list_of(&self.first, &self.leaving, polygon)
    }

    /// Puts links in place of those there were.
    pub(crate) fn set(
        &mut self,
        links: Vec<Link>,
        ids: Vec<LinkId>,
        portals: Vec<bool>,
        island_of: impl Fn(PolyId) -> u32,
        counts: [usize; 2],
    ) {
        let last = ids.iter().map(|id| id.0).max();
        self.next = self.next.max(last.map_or(0, |last| last.wrapping_add(1)));
        self.by_id = (0_u32..).take(links.len()).map(LinkIndex).collect();
        self.by_id.sort_unstable_by_key(|at| ids[at.index()]);
        (self.links, self.ids, self.portals) = (links, ids, portals);
        self.find_leaving(island_of, counts);
    }

    /// Finds the targets of open links.
    pub(crate) fn find_leaving(
        &mut self,
        island_of: impl Fn(PolyId) -> u32,
        [polygons, islands]: [usize; 2],
    ) {
        self.stamp = if self.links.is_empty() { 0 } else { stamp(&self.links, &self.ids) };
        self.has_one_way = self.links.iter().any(|link| link.is_open && !link.both_ways);
        (self.first, self.leaving, self.groups) = Default::default();
        if self.links.is_empty() {
            return;
        }
        let crossings = self.leaving_by_polygon();
        let first = firsts(polygons, crossings.iter().map(|crossing| crossing.0));
        let leaving = crossings.into_iter().map(|crossing| crossing.1).collect();
        // Islands by number: the lower one becomes the root.
        let mut groups = DisjointSets::new(islands);
        for link in self.links.iter().filter(|link| link.is_open) {
            let [a, b] = [link.from.polygon, link.to.polygon].map(&island_of);
            groups.unite(a, b);
        }
        self.groups = (0_u32..).take(islands).map(|island| groups.find(island)).collect();
        (self.first, self.leaving) = (first, leaving);
    }

    /// Returns the polygons that open links leave, each with an entry of `leaving`.
    pub(super) fn leaving_by_polygon(&self) -> Vec<(u32, u32)> {
        let mut crossings = Vec::new();
        for (at, link) in (0_u32..).zip(&self.links).filter(|(_, link)| link.is_open) {
            crossings.push((link.from.polygon.0, 2 * at));
            crossings.extend(link.both_ways.then_some((link.to.polygon.0, 2 * at + 1)));
        }
        crossings.sort_unstable();
        crossings
    }
}

/// Returns a checksum of links and their ids: not that of none.
fn stamp(links: &[Link], ids: &[LinkId]) -> u64 {
    links.iter().zip(ids).fold(0, |sum, (link, &id)| stamp_of(link, id, sum))
}

/// Returns a checksum of a link and what came before.
pub(crate) fn stamp_of(link: &Link, id: LinkId, before: u64) -> u64 {
    let mut sum = before;
    let mut add = |value: u64| {
        sum = Random::mix(sum.wrapping_add(value).wrapping_add(0x9e37_79b9_7f4a_7c15));
    };
    for end in [&link.from, &link.to] {
        add(end.polygon.0.into());
        for PlanVertex { point, height } in end.ends {
            [point.x.cast_unsigned(), point.z.cast_unsigned(), height.to_bits()]
                .into_iter()
                .for_each(|value| add(value.into()));
        }
    }
    let both_ways = u32::from(link.both_ways) + 2 * u32::from(link.is_open);
    let rest = [link.extra_cost.to_bits(), link.data, link.kind as u32, both_ways];
    rest.into_iter().for_each(|value| add(value.into()));
    add(id.0);
    sum
}

//! Links: connections between two places that share no edge. Steps too high to walk, stairs without
//! ground, ladders, jumps, lifts.

use std::str::FromStr;

use waymesh_core::{DisjointSets, PlanVertex, PolyId, Random};

use super::link_turns::LinkTurns;

/// Id of a link of a [`NavMesh`](crate::NavMesh), valid until the link is removed.
/// [`NavMesh::link`](crate::NavMesh::link) returns the link.
///
/// Links that come together ([`NavMesh::with_links`](crate::NavMesh::with_links), a bake, a file)
/// are numbered from 0; [`NavMesh::add_link`](crate::NavMesh::add_link) continues from there and
/// uses no number twice. Files do not keep the ids: they number their links from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkId(pub u64);

impl std::fmt::Display for LinkId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The place of a link in [`NavMesh::links`](crate::NavMesh::links).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkIndex(pub(crate) u32);

impl LinkIndex {
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Places along a link's segments from which a search may take it, where it is not crossed
/// like an edge.
pub(crate) const LINK_PLACES: u32 = 9;

/// The purpose of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LinkKind {
    /// Made by the user.
    #[default]
    User = 0,
    /// Between two edges on the same line in plan that only the levels of the grid keep apart.
    Level = 1,
    /// Up or down a stair or a step higher than the agent's.
    Step = 2,
    /// Over a gap, through the air.
    Jump = 3,
    /// From a ledge, through the air.
    Drop = 4,
    /// Through a door of a floor plan.
    Door = 16,
    /// A ride on a lift.
    Lift = 17,
}

impl LinkKind {
    const ALL: [Self; 7] =
        [Self::User, Self::Level, Self::Step, Self::Jump, Self::Drop, Self::Door, Self::Lift];

    /// Returns the kind with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// Returns its name in small letters, such as `"jump"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Level => "level",
            Self::Step => "step",
            Self::Jump => "jump",
            Self::Drop => "drop",
            Self::Door => "door",
            Self::Lift => "lift",
        }
    }
}

/// A choice of links, for costs: a single one, or all of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChoice {
    /// The link with this id.
    One(LinkId),
    /// All links of this kind.
    Kind(LinkKind),
}

impl From<LinkId> for LinkChoice {
    fn from(id: LinkId) -> Self {
        Self::One(id)
    }
}

impl From<LinkKind> for LinkChoice {
    fn from(kind: LinkKind) -> Self {
        Self::Kind(kind)
    }
}

/// The number of a link, or the name of a kind.
impl FromStr for LinkChoice {
    type Err = UnknownLinks;

    fn from_str(text: &str) -> Result<Self, UnknownLinks> {
        let kind = || LinkKind::ALL.into_iter().find(|kind| kind.name() == text).map(Self::Kind);
        let one = text.parse().map(|number| Self::One(LinkId(number)));
        one.ok().or_else(kind).ok_or_else(|| UnknownLinks {
            text: text.to_owned(),
            kinds: LinkKind::ALL.map(LinkKind::name).join(", "),
        })
    }
}

/// The error for a text that names no links.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is neither the number of a link nor a kind of links: {kinds}")]
pub struct UnknownLinks {
    text: String,
    kinds: String,
}

/// Start or end of a link: a segment on a polygon, or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkEnd {
    /// The polygon it lies on.
    pub polygon: PolyId,
    /// Ends of the segment, equal for a point; on the polygon, its border included.
    pub ends: [PlanVertex; 2],
}

/// A connection from one segment to another, or from point to point.
///
/// The two segments correspond end by end: an agent that leaves at a third of the length from
/// `from.ends[0]` to `from.ends[1]` arrives at a third of the length from `to.ends[0]` to
/// `to.ends[1]`. Where both segments are one line in plan, with the polygon of `from` on its
/// positive side and that of `to` on the other, the link is crossed like an edge between two
/// polygons, and the path is as short as over an edge.
#[doc(alias = "dtOffMeshConnection")]
#[doc(alias = "off-mesh connection")]
#[doc(alias = "nav link")]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Link {
    /// Start of the link.
    pub from: LinkEnd,
    /// End of the link.
    pub to: LinkEnd,
    /// `true` if it can be taken from `to` to `from` as well.
    pub both_ways: bool,
    /// `false` if it is closed: no query takes it then, as if it were not there. See
    /// [`NavMesh::set_link_open`](crate::NavMesh::set_link_open).
    pub is_open: bool,
    /// Cost in metres on top of the distance between its ends. Finite, 0 or more: the estimate of a
    /// search relies on paths that never cost less than their length.
    pub extra_cost: f32,
    /// Its purpose.
    pub kind: LinkKind,
    /// For the user: not read by queries.
    pub data: u32,
}

impl Link {
    /// Returns an open link both ways without extra cost.
    #[must_use]
    pub const fn new(from: LinkEnd, to: LinkEnd, kind: LinkKind) -> Self {
        Self { from, to, both_ways: true, is_open: true, extra_cost: 0.0, kind, data: 0 }
    }

    /// Returns `true` if it leads both ways at no extra cost.
    pub(crate) fn is_free(&self) -> bool {
        self.both_ways && self.extra_cost <= 0.0
    }

    /// Returns how many places a shortest path may take it from.
    pub(crate) fn places(&self) -> u32 {
        let is_point = |end: &LinkEnd| end.ends[0].point == end.ends[1].point;
        if is_point(&self.from) && is_point(&self.to) { 1 } else { LINK_PLACES }
    }

    /// Returns how far along its segments a place lies.
    #[expect(clippy::unused_self, reason = "beside the number of places")]
    pub(crate) fn along(&self, place: u32) -> f64 {
        f64::from(place) / f64::from(LINK_PLACES - 1)
    }

    /// Returns where one leaves and where one arrives, in this direction. Both in the order in
    /// which their ends correspond.
    pub(crate) fn ends(&self, backwards: bool) -> [&LinkEnd; 2] {
        if backwards { [&self.to, &self.from] } else { [&self.from, &self.to] }
    }
}

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

    /// Returns an id that no link has had.
    pub(crate) fn next_id(&self) -> LinkId {
        LinkId(self.next)
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
        match self.first.get(polygon as usize..polygon as usize + 2) {
            Some(range) => &self.leaving[range[0] as usize..range[1] as usize],
            None => &[],
        }
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
        let open = || (0_u32..).zip(&self.links).filter(|(_, link)| link.is_open);
        let crossings = || {
            open().flat_map(|(index, link)| {
                let back = link.both_ways.then_some((link.to.polygon, 2 * index + 1));
                std::iter::once((link.from.polygon, 2 * index)).chain(back)
            })
        };
        let mut first = vec![0_u32; polygons + 1];
        for (polygon, _) in crossings() {
            first[polygon.index() + 1] += 1;
        }
        for polygon in 1..first.len() {
            first[polygon] += first[polygon - 1];
        }
        let mut leaving = vec![0; crossings().count()];
        let mut next = first.clone();
        for (polygon, crossing) in crossings() {
            leaving[next[polygon.index()] as usize] = crossing;
            next[polygon.index()] += 1;
        }
        // Islands by number: the lower one becomes the root.
        let mut groups = DisjointSets::new(islands);
        for (_, link) in open() {
            let [a, b] = [link.from.polygon, link.to.polygon].map(&island_of);
            groups.unite(a, b);
        }
        self.groups = (0_u32..).take(islands).map(|island| groups.find(island)).collect();
        (self.first, self.leaving) = (first, leaving);
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

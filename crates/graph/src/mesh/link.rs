//! Links: connections between two places that share no edge. Steps too high to walk, stairs without
//! ground, ladders, jumps, lifts.

use std::str::FromStr;

use waymesh_core::{PlanVertex, PolyId};

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

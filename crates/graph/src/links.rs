//! Links: ways between two places that share no edge. Steps too high to walk, stairs without
//! ground, ladders, jumps, lifts.

use waymesh_core::{DisjointSets, PlanPoint, PlanVertex, PolyId, Random};

use crate::data::LinkData;
use crate::mesh::{Corner, NavMesh};
use crate::{IslandId, NavMeshError};

/// A link of a [`NavMesh`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LinkId(pub u32);

impl LinkId {
    /// The id as an index into [`NavMesh::links`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for LinkId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Places along a link's segments from which a shortest path may take it, where it is not crossed
/// like an edge.
pub(crate) const LEAP_PLACES: u32 = 9;

/// What a link is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
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
    /// The kind with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::User),
            1 => Some(Self::Level),
            2 => Some(Self::Step),
            3 => Some(Self::Jump),
            4 => Some(Self::Drop),
            16 => Some(Self::Door),
            17 => Some(Self::Lift),
            _ => None,
        }
    }
}

/// Where a link begins or ends: a segment on a polygon, or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEnd {
    /// The polygon it lies on.
    pub polygon: PolyId,
    /// Ends of the segment, equal for a point; on the polygon, its border included.
    pub ends: [PlanVertex; 2],
}

/// A way from one segment to another, or from point to point.
///
/// The two segments correspond end by end: whoever leaves at a third of the way from `from.ends[0]`
/// to `from.ends[1]` arrives at a third of the way from `to.ends[0]` to `to.ends[1]`. Where both
/// segments are one line in plan, with the polygon of `from` on its positive side and that of `to`
/// on the other, the link is crossed like an edge between two polygons, and the path is as short as
/// over an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Where it begins.
    pub from: LinkEnd,
    /// Where it ends.
    pub to: LinkEnd,
    /// Whether it can be taken from `to` to `from` as well.
    pub both_ways: bool,
    /// What it costs in metres on top of the distance between its ends. Finite, 0 or more: then no
    /// way through a link is cheaper than it is long, and the search needs no other estimate.
    pub extra_cost: f32,
    /// What it is there for.
    pub kind: LinkKind,
    /// Whatever the user wants to find again.
    pub data: u32,
}

impl Link {
    /// A link both ways without extra cost.
    #[must_use]
    pub const fn new(from: LinkEnd, to: LinkEnd, kind: LinkKind) -> Self {
        Self { from, to, both_ways: true, extra_cost: 0.0, kind, data: 0 }
    }

    /// How many places a shortest path may take it from.
    pub(crate) fn places(&self) -> u32 {
        let is_point = |end: &LinkEnd| end.ends[0].point == end.ends[1].point;
        if is_point(&self.from) && is_point(&self.to) { 1 } else { LEAP_PLACES }
    }

    /// How far along its segments a place lies.
    #[expect(clippy::unused_self, reason = "beside the number of places")]
    pub(crate) fn along(&self, place: u32) -> f64 {
        f64::from(place) / f64::from(LEAP_PLACES - 1)
    }

    /// Where one leaves and where one arrives, in this direction. Both in the order in which their
    /// ends correspond.
    pub(crate) fn ends(&self, backwards: bool) -> [&LinkEnd; 2] {
        if backwards { [&self.to, &self.from] } else { [&self.from, &self.to] }
    }
}

/// The links of a mesh, and which of them leave each polygon.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Links {
    pub(crate) links: Vec<Link>,
    /// First entry in `leaving` of each polygon, and their number at the end; empty without links.
    first: Vec<u32>,
    /// Twice the number of the link, plus one if it is taken backwards.
    leaving: Vec<u32>,
    /// Islands that links join, by their lowest island: an island is in the group of this number.
    groups: Vec<u32>,
    /// Whether each link is crossed like an edge.
    portals: Vec<bool>,
    /// Whether some link leads one way only: then islands of a group need not be reachable from
    /// each other.
    has_one_way: bool,
    /// Checksum of the links, as [`crate::Generation`] is of the polygons: what names links by
    /// number knows by it that they are the same.
    pub(crate) stamp: u64,
}

impl Links {
    pub(crate) fn is_portal(&self, link: LinkId) -> bool {
        self.portals[link.index()]
    }

    /// Whether from every place of a group one gets to every other.
    pub(crate) fn are_both_ways(&self) -> bool {
        !self.has_one_way
    }

    /// The group of an island.
    #[inline]
    pub(crate) fn group(&self, island: u32) -> u32 {
        self.groups.get(island as usize).copied().unwrap_or(island)
    }

    /// The ways out of `polygon`: twice the number of a link, plus one if it is taken backwards.
    #[inline]
    pub(crate) fn leaving(&self, polygon: u32) -> &[u32] {
        match self.first.get(polygon as usize..polygon as usize + 2) {
            Some(range) => &self.leaving[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    fn build(links: Vec<Link>, portals: Vec<bool>, polygon_islands: &[u32], islands: usize) -> Self {
        let ways = || {
            (0_u32..).zip(&links).flat_map(|(index, link)| {
                let back = link.both_ways.then_some((link.to.polygon, 2 * index + 1));
                std::iter::once((link.from.polygon, 2 * index)).chain(back)
            })
        };
        let mut first = vec![0_u32; polygon_islands.len() + 1];
        for (polygon, _) in ways() {
            first[polygon.index() + 1] += 1;
        }
        for polygon in 1..first.len() {
            first[polygon] += first[polygon - 1];
        }
        let mut leaving = vec![0; ways().count()];
        let mut next = first.clone();
        for (polygon, way) in ways() {
            leaving[next[polygon.index()] as usize] = way;
            next[polygon.index()] += 1;
        }
        // Islands by number: the lower one becomes the root.
        let mut groups = DisjointSets::new(islands);
        for link in &links {
            let [a, b] = [link.from.polygon, link.to.polygon].map(|polygon| polygon_islands[polygon.index()]);
            groups.unite(a, b);
        }
        let groups = (0_u32..).take(islands).map(|island| groups.find(island)).collect();
        let has_one_way = links.iter().any(|link| !link.both_ways);
        let stamp = stamp(&links);
        Self { links, first, leaving, groups, portals, has_one_way, stamp }
    }
}

/// A checksum of links: not that of none.
fn stamp(links: &[Link]) -> u64 {
    let mut sum = 0_u64;
    let mut add = |value: u32| {
        sum = Random::mix(sum.wrapping_add(u64::from(value)).wrapping_add(0x9e37_79b9_7f4a_7c15));
    };
    for link in links {
        for end in [&link.from, &link.to] {
            add(end.polygon.0);
            for PlanVertex { point, height } in end.ends {
                [point.x.cast_unsigned(), point.z.cast_unsigned(), height.to_bits()]
                    .into_iter()
                    .for_each(&mut add);
            }
        }
        let rest = [link.extra_cost.to_bits(), link.data, link.kind as u32, u32::from(link.both_ways)];
        rest.into_iter().for_each(&mut add);
    }
    sum
}

impl NavMesh {
    /// The same mesh with these links, in place of those it had.
    ///
    /// Takes linear time. Islands stay what they are: pieces that hang together without links.
    ///
    /// # Errors
    /// Names the first link that has an end beside its polygon, a polygon that is not there, or a
    /// cost that is not finite and 0 or more.
    pub fn with_links(mut self, links: Vec<Link>) -> Result<Self, NavMeshError> {
        if links.len() > (u32::MAX / 4) as usize {
            let (actual, expected) = (links.len(), (u32::MAX / 4) as usize);
            return Err(NavMeshError::TableLength { table: "links", actual, expected });
        }
        for (element, link) in links.iter().enumerate() {
            self.check_link(element, link)?;
        }
        self.set_links(links);
        Ok(self)
    }

    /// Adds a link: it gets the next id. Takes time linear in cells and links, not more.
    ///
    /// # Errors
    /// As [`NavMesh::with_links`]; the mesh then stays as it was.
    pub fn add_link(&mut self, link: Link) -> Result<LinkId, NavMeshError> {
        let element = self.links.links.len();
        if element >= (u32::MAX / 4) as usize {
            let (actual, expected) = (element + 1, (u32::MAX / 4) as usize);
            return Err(NavMeshError::TableLength { table: "links", actual, expected });
        }
        self.check_link(element, &link)?;
        let mut links = std::mem::take(&mut self.links.links);
        links.push(link);
        self.set_links(links);
        Ok(LinkId(PolyId::from_index(element).0))
    }

    /// Takes a link away, and gives it back; `None` if there is none of this id. The links after it
    /// move up: their ids are one less. Linear time, as [`NavMesh::add_link`].
    pub fn remove_link(&mut self, link: LinkId) -> Option<Link> {
        if link.index() >= self.links.links.len() {
            return None;
        }
        let mut links = std::mem::take(&mut self.links.links);
        let removed = links.remove(link.index());
        self.set_links(links);
        Some(removed)
    }

    /// Puts links in place of none, without a change to what they changed when they were put there
    /// first.
    ///
    /// # Errors
    /// As [`NavMesh::with_links`].
    pub(crate) fn attach_links(&mut self, data: &[LinkData]) -> Result<(), NavMeshError> {
        if data.is_empty() {
            return Ok(());
        }
        let links = data.iter().enumerate().map(|(element, data)| {
            let link = data.link().ok_or(NavMeshError::LinkKind { link: element, value: data.kind })?;
            self.check_link(element, &link)?;
            Ok(link)
        });
        let links: Vec<Link> = links.collect::<Result<_, NavMeshError>>()?;
        let portals = links.iter().map(|link| self.is_portal(link)).collect();
        self.links = Links::build(links, portals, &self.polygon_islands, self.islands.len());
        Ok(())
    }

    /// Puts checked links in place of those it had.
    fn set_links(&mut self, links: Vec<Link>) {
        let had_portals = self.links.portals.contains(&true);
        if had_portals {
            self.find_fans();
        }
        if links.is_empty() {
            self.links = Links::default();
            self.find_bridges();
            return;
        }
        let portals = links.iter().map(|link| self.is_portal(link)).collect();
        self.links = Links::build(links, portals, &self.polygon_islands, self.islands.len());
        self.forget_bridges();
        self.open_fans();
    }

    /// Where a link continues the ground beyond a corner, ways may turn there.
    fn open_fans(&mut self) {
        let mut fans = Vec::new();
        let portals = self.links.links.iter().zip(&self.links.portals).filter(|(_, is_portal)| **is_portal);
        for (link, _) in portals {
            for end in [&link.from, &link.to] {
                for corner in self.edge_range(end.polygon.index()) {
                    let Corner { x, z, .. } = self.corners[corner];
                    if end.ends.iter().any(|end| end.point == PlanPoint::new(x, z)) {
                        fans.push(self.fans.fan(PolyId::from_index(corner).0).0);
                    }
                }
            }
        }
        if !fans.is_empty() {
            self.fans.allow(fans);
        }
    }

    fn check_link(&self, element: usize, link: &Link) -> Result<(), NavMeshError> {
        if !(link.extra_cost.is_finite() && link.extra_cost >= 0.0) {
            return Err(NavMeshError::LinkCost { link: element, value: link.extra_cost });
        }
        for end in [&link.from, &link.to] {
            if end.polygon.index() >= self.polygon_count() {
                let (value, limit) = (i64::from(end.polygon.0), self.polygon_count() as i64 - 1);
                return Err(NavMeshError::OutOfRange { table: "links", element, value, limit });
            }
            for vertex in end.ends {
                if !vertex.height.is_finite() {
                    return Err(NavMeshError::NotFinite { table: "links", element, value: vertex.height });
                }
                if !self.polygon_has(end.polygon, vertex.point) {
                    return Err(NavMeshError::LinkOffPolygon {
                        link: element,
                        polygon: end.polygon,
                        point: vertex.point,
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether both segments are one in plan, with the polygons on its two sides: then the link is
    /// crossed like an edge.
    fn is_portal(&self, link: &Link) -> bool {
        let [a, b] = link.from.ends.map(|end| end.point);
        let all = |polygon: PolyId, side: i64| {
            let mut corners = self.corners[self.edge_range(polygon.index())].iter();
            corners.all(|corner| side * PlanPoint::orientation(a, b, PlanPoint::new(corner.x, corner.z)) >= 0)
        };
        a != b
            && [a, b] == link.to.ends.map(|end| end.point)
            && all(link.from.polygon, 1)
            && all(link.to.polygon, -1)
    }

    fn polygon_has(&self, polygon: PolyId, point: PlanPoint) -> bool {
        const LIMIT: u32 = waymesh_core::MAX_PLAN_COORDINATE.unsigned_abs();
        if point.x.unsigned_abs() > LIMIT || point.z.unsigned_abs() > LIMIT {
            return false;
        }
        let corners = &self.corners[self.edge_range(polygon.index())];
        let at =
            |index: usize| PlanPoint::new(corners[index % corners.len()].x, corners[index % corners.len()].z);
        (0..corners.len()).all(|edge| PlanPoint::orientation(at(edge), at(edge + 1), point) >= 0)
    }

    /// All links.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links.links
    }

    /// Whether a way may lead from one island to another, over links too. One-way links count both
    /// ways here: yes means maybe, no means no. Constant time.
    #[must_use]
    pub fn may_connect(&self, first: IslandId, second: IslandId) -> bool {
        let group = self.first_linked_island(first);
        group.is_some() && group == self.first_linked_island(second)
    }

    /// The first of the islands that this one hangs together with over links, as in
    /// [`NavMesh::may_connect`]; `None` if there is no such island. Constant time.
    #[must_use]
    pub fn first_linked_island(&self, island: IslandId) -> Option<IslandId> {
        (island.index() < self.islands.len()).then(|| IslandId(self.links.group(island.0)))
    }

    /// The polygon that an edge, or beyond the edges a link, leads to.
    #[inline]
    pub(crate) fn beyond(&self, way: u32) -> u32 {
        match self.neighbours.get(way as usize) {
            Some(&neighbour) => neighbour,
            None => {
                let (link, backwards) = self.link_of(way);
                self.links.links[link.index()].ends(backwards)[1].polygon.0
            }
        }
    }

    /// The link that a way beyond the edges stands for, and whether it is taken backwards.
    #[inline]
    pub(crate) fn link_of(&self, way: u32) -> (LinkId, bool) {
        #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
        let number = way - self.neighbours.len() as u32;
        (LinkId(number / 2), number % 2 == 1)
    }

    /// The way that stands for an entry of [`Links::leaving`].
    #[inline]
    pub(crate) fn way_of(&self, leaving: u32) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
        let edges = self.neighbours.len() as u32;
        edges + leaving
    }

    /// Number of ways: edges, then links, each in both directions.
    pub(crate) fn way_count(&self) -> usize {
        self.neighbours.len() + 2 * self.links.links.len()
    }
}

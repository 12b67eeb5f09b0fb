//! Adds links to a mesh and removes them.

use waymesh_core::{PlanPoint, PolyId, to_u32};

use super::bridges::Bridges;
use super::data::LinkData;
use super::error::NavMeshError;
use super::islands::IslandId;
use super::link::{Link, LinkId, LinkIndex, LinkKind};
use super::link_turns::{LinkGround, LinkTurns, own_ends};
use super::nav_mesh::{NavMesh, Topology};

/// Checks a number of links against a limit, so that crossings fit 32 bits.
pub(super) fn check_count(actual: usize, limit: u32) -> Result<(), NavMeshError> {
    let expected = limit as usize;
    if actual > expected {
        return Err(NavMeshError::TableLength { table: "links", actual, expected });
    }
    Ok(())
}

impl NavMesh {
    /// Returns the mesh with these links in place of those it had. Their ids are 0, 1, 2 and so on.
    ///
    /// Takes linear time. Islands do not change: they are the pieces that are connected without
    /// links.
    ///
    /// # Errors
    /// Names the first link that has an end outside its polygon, a missing polygon, or a cost that is
    /// not finite and 0 or more.
    pub fn with_links(self, links: Vec<Link>) -> Result<Self, NavMeshError> {
        let ids = (0..).map(LinkId).take(links.len()).collect();
        self.with_checked_links(links, ids)
    }

    /// Returns the mesh with these links under the caller's ids, which stay the same from one mesh to
    /// the next.
    ///
    /// # Errors
    /// See [`NavMesh::with_links`], and [`NavMeshError::SameLinkId`] for an id that is given twice.
    pub fn with_named_links(self, links: Vec<(LinkId, Link)>) -> Result<Self, NavMeshError> {
        let (ids, links): (Vec<LinkId>, Vec<Link>) = links.into_iter().unzip();
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(NavMeshError::SameLinkId { id: pair[0] });
        }
        self.with_checked_links(links, ids)
    }

    fn with_checked_links(mut self, links: Vec<Link>, ids: Vec<LinkId>) -> Result<Self, NavMeshError> {
        check_count(links.len(), u32::MAX / 4)?;
        for (element, link) in links.iter().enumerate() {
            self.check_link(element, link)?;
        }
        // A mesh without links needs no update.
        if !links.is_empty() || !self.links.links.is_empty() {
            self.set_links(links, ids);
        }
        Ok(self)
    }

    /// Adds a link, which gets the next id. Takes time linear in polygons and links, not more.
    ///
    /// # Errors
    /// See [`NavMesh::with_links`]; the mesh then stays as it was.
    #[doc(alias = "off-mesh connection")]
    pub fn add_link(&mut self, link: Link) -> Result<LinkId, NavMeshError> {
        let element = self.links.links.len();
        check_count(element + 1, u32::MAX / 4)?;
        self.check_link(element, &link)?;
        let id = LinkId(self.links.next);
        let (mut links, mut ids) = self.take_links();
        links.push(link);
        ids.push(id);
        self.set_links(links, ids);
        Ok(id)
    }

    /// Removes a link and returns it; `None` if there is none of this id. All others keep their ids.
    /// Linear time, as [`NavMesh::add_link`].
    pub fn remove_link(&mut self, link: LinkId) -> Option<Link> {
        self.links.find(link)?;
        let (mut links, mut ids) = self.take_links();
        let at = ids.iter().position(|&id| id == link)?;
        let removed = links.remove(at);
        ids.remove(at);
        self.set_links(links, ids);
        Some(removed)
    }

    /// Opens or closes a link: a closed one is taken by no query, as if it were not there. Returns
    /// `false` if there is none of this id. Linear time, as [`NavMesh::add_link`].
    ///
    /// Paths that were found before do not know of it: a [`PathCorridor`](crate::PathCorridor)
    /// looks again at its next call, a [`Hierarchy`](crate::Hierarchy) is not used any more.
    pub fn set_link_open(&mut self, link: LinkId, is_open: bool) -> bool {
        let is_there = self.links.find(link).is_some();
        self.set_links_open([(link, is_open)]);
        is_there
    }

    /// Opens or closes links in one go: see [`NavMesh::set_link_open`]. Ids that no link has are
    /// passed over. Linear time for all of them together.
    pub fn set_links_open(&mut self, links: impl IntoIterator<Item = (LinkId, bool)>) {
        let mut is_changed = false;
        self.sort_links();
        for (link, is_open) in links {
            if let Some(at) = self.links.find(link) {
                let was_open = std::mem::replace(&mut self.links.links[at.index()].is_open, is_open);
                is_changed |= was_open != is_open;
            }
        }
        if is_changed {
            let mut links = std::mem::take(&mut self.links);
            let counts = [self.polygon_bound(), self.islands.figures.len()];
            links.find_leaving(|polygon| self.island_at(polygon.0), counts);
            self.links = links;
            self.links.turns = self.find_link_turns();
        }
    }

    /// Puts links in place of none, without a change to what they changed when they were put there
    /// first.
    ///
    /// # Errors
    /// See [`NavMesh::with_links`].
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
        let ids = (0..).map(LinkId).take(links.len()).collect();
        self.put_links(links, ids);
        Ok(())
    }

    /// Takes out all links, in the order of the compact form.
    pub(super) fn take_links(&mut self) -> (Vec<Link>, Vec<LinkId>) {
        let order = self.links_in_order();
        let links = std::mem::take(&mut self.links.links);
        let ids = std::mem::take(&mut self.links.ids);
        order.into_iter().map(|at| (links[at.index()], ids[at.index()])).unzip()
    }

    pub(super) fn put_links(&mut self, links: Vec<Link>, ids: Vec<LinkId>) {
        let portals = links.iter().map(|link| self.is_portal(link)).collect();
        let mut all = std::mem::take(&mut self.links);
        let counts = [self.polygon_bound(), self.islands.figures.len()];
        all.set(links, ids, portals, |polygon| self.island_at(polygon.0), counts);
        self.links = all;
        self.number_links();
        self.links.turns = self.find_link_turns();
    }

    /// Puts checked links in place of those it had.
    pub(crate) fn set_links(&mut self, links: Vec<Link>, ids: Vec<LinkId>) {
        if self.links.portals.contains(&true) {
            self.find_fans();
        }
        let Topology { polygon_first, neighbours, .. } = &self.topology;
        self.topology.bridges = if links.is_empty() && !self.is_tiled() {
            Bridges::find(polygon_first, neighbours)
        } else {
            Bridges::none(self.polygon_bound(), neighbours.len())
        };
        self.put_links(links, ids);
        self.open_fans();
    }

    /// Marks corners where a link continues the ground: paths may turn there.
    fn open_fans(&mut self) {
        let mut fans = Vec::new();
        let portals = self.links.links.iter().zip(&self.links.portals).filter(|(_, is_portal)| **is_portal);
        for (link, _) in portals {
            for end in [&link.from, &link.to] {
                for corner in self.edge_range(end.polygon.index()) {
                    let point = self.topology.corners[corner].point();
                    if end.ends.iter().any(|end| end.point == point) {
                        fans.push(self.topology.fans.fan(to_u32(corner)).0);
                    }
                }
            }
        }
        if !fans.is_empty() {
            self.topology.fans.allow(fans);
        }
    }

    /// Names the places where paths over links turn. Takes linear time, but for the ends of the links:
    /// `n log n`.
    pub(super) fn find_link_turns(&self) -> LinkTurns {
        let Self { links, topology: Topology { fans, .. }, .. } = self;
        if !links.portals.contains(&true) {
            return LinkTurns::default();
        }
        let ground = LinkGround {
            edges: self.edges(),
            links: &links.links,
            portals: &links.portals,
            first: &links.first,
            leaving: &links.leaving,
        };
        // Tables of a file need not be right, if it was not checked.
        let count = fans.count().min(to_u32(self.topology.corners.len()));
        let portals: Vec<LinkIndex> =
            (0..to_u32(links.links.len())).map(LinkIndex).filter(|&link| links.is_portal(link)).collect();
        let fan_of = |corner: u32| Some(fans.fan(corner).0).filter(|&fan| fan < count);
        let names = ground.names(&portals, fan_of);
        let mut turns = LinkTurns {
            fans: (0..count).collect(),
            ends: (0..to_u32(links.links.len())).map(|link| own_ends(LinkIndex(link))).collect(),
            first_end: count,
        };
        names.fans.into_iter().for_each(|(fan, name)| turns.fans[fan as usize] = name);
        names.ends.into_iter().for_each(|(link, name)| turns.ends[link.index()] = name);
        turns
    }

    pub(crate) fn check_link(&self, element: usize, link: &Link) -> Result<(), NavMeshError> {
        if !(link.extra_cost.is_finite() && link.extra_cost >= 0.0) {
            return Err(NavMeshError::LinkCost { link: element, value: link.extra_cost });
        }
        for end in [&link.from, &link.to] {
            if !self.has_polygon(end.polygon) {
                let (value, limit) = (i64::from(end.polygon.0), self.polygon_bound() as i64 - 1);
                return Err(NavMeshError::OutOfRange { table: "links", element, value, limit });
            }
            for vertex in end.ends {
                if !vertex.height.is_finite() {
                    return Err(NavMeshError::NotFinite { table: "links", element, value: vertex.height });
                }
                if !self.contains_point(end.polygon, vertex.point) {
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

    /// Returns `true` if both segments are one in plan, with the polygons on its two sides: then
    /// the link is crossed like an edge.
    pub(crate) fn is_portal(&self, link: &Link) -> bool {
        let [a, b] = link.from.ends.map(|end| end.point);
        let all = |polygon: PolyId, side: i64| {
            let mut corners = self.topology.corners[self.edge_range(polygon.index())].iter();
            corners.all(|corner| side * PlanPoint::orientation(a, b, corner.point()) >= 0)
        };
        a != b
            && [a, b] == link.to.ends.map(|end| end.point)
            && all(link.from.polygon, 1)
            && all(link.to.polygon, -1)
    }

    /// Returns `true` if `polygon` contains a point of the grid, border included. Exact. `false` if
    /// there is no such polygon.
    #[must_use]
    pub fn contains_point(&self, polygon: PolyId, point: PlanPoint) -> bool {
        const LIMIT: u32 = waymesh_core::MAX_PLAN_COORDINATE.unsigned_abs();
        if !self.has_polygon(polygon) || point.x.unsigned_abs() > LIMIT || point.z.unsigned_abs() > LIMIT {
            return false;
        }
        let corners = &self.topology.corners[self.edge_range(polygon.index())];
        let at = |index: usize| corners[index % corners.len()].point();
        (0..corners.len()).all(|edge| PlanPoint::orientation(at(edge), at(edge + 1), point) >= 0)
    }

    /// Returns all links, closed ones as well.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links.links
    }

    /// Returns the ids of all links, in the order of [`NavMesh::links`].
    #[must_use]
    pub fn link_ids(&self) -> &[LinkId] {
        &self.links.ids
    }

    /// Returns all links with their ids, in the order of [`NavMesh::links`].
    pub fn links_by_id(&self) -> impl ExactSizeIterator<Item = (LinkId, &Link)> {
        self.links.ids.iter().copied().zip(&self.links.links)
    }

    /// Returns a link; `None` if there is none of this id. Logarithmic time.
    #[must_use]
    pub fn link(&self, link: LinkId) -> Option<&Link> {
        self.links.find(link).map(|at| &self.links.links[at.index()])
    }

    /// Returns the ids of all links of a kind with this [`Link::data`]: on the mesh of a floor plan,
    /// those of one door, stair or lift. Linear time.
    pub fn links_with(&self, kind: LinkKind, data: u32) -> impl Iterator<Item = LinkId> + '_ {
        self.links_by_id().filter(move |(_, link)| (link.kind, link.data) == (kind, data)).map(|(id, _)| id)
    }

    /// Returns `true` if a link is crossed like an edge while it is open: see [`Link`]. Logarithmic
    /// time; `false` if there is no such link.
    #[must_use]
    pub fn is_crossed_like_edge(&self, link: LinkId) -> bool {
        self.links.find(link).is_some_and(|at| self.links.is_portal(at))
    }

    /// Returns `true` if a path may lead from one island to another, over open links too. One-way
    /// links count both ways here: `true` means maybe, `false` means no. Constant time.
    #[must_use]
    pub fn may_connect(&self, first: IslandId, second: IslandId) -> bool {
        let group = self.first_linked_island(first);
        group.is_some() && group == self.first_linked_island(second)
    }

    /// Returns the first of the islands that this one is connected with over links, as in
    /// [`NavMesh::may_connect`]; `None` if there is no such island. Constant time.
    #[must_use]
    pub fn first_linked_island(&self, island: IslandId) -> Option<IslandId> {
        (island.index() < self.islands.figures.len()).then(|| IslandId(self.links.group(island.0)))
    }
}

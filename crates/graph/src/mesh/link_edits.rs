//! Adds links to a mesh and removes them.

use waymesh_core::{PlanPoint, PolyId, to_u32};

use super::bounds::Corner;
use super::data::LinkData;
use super::error::NavMeshError;
use super::islands::IslandId;
use super::links::{Link, LinkId, Links};
use super::nav_mesh::NavMesh;

impl NavMesh {
    /// Returns the mesh with these links in place of those it had.
    ///
    /// Takes linear time. Islands do not change: they are the pieces that are connected without
    /// links.
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

    /// Adds a link, which gets the next id. Takes time linear in polygons and links, not more.
    ///
    /// # Errors
    /// See [`NavMesh::with_links`]; the mesh then stays as it was.
    #[doc(alias = "off-mesh connection")]
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
        Ok(LinkId(to_u32(element)))
    }

    /// Removes a link and returns it; `None` if there is none of this id. The ids of the links
    /// after it are one less from then on. Linear time, as [`NavMesh::add_link`].
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

    /// Where a link continues the ground beyond a corner, paths may turn there.
    fn open_fans(&mut self) {
        let mut fans = Vec::new();
        let portals = self.links.links.iter().zip(&self.links.portals).filter(|(_, is_portal)| **is_portal);
        for (link, _) in portals {
            for end in [&link.from, &link.to] {
                for corner in self.edge_range(end.polygon.index()) {
                    let Corner { x, z, .. } = self.corners[corner];
                    if end.ends.iter().any(|end| end.point == PlanPoint::new(x, z)) {
                        fans.push(self.fans.fan(to_u32(corner)).0);
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

    /// Returns `true` if both segments are one in plan, with the polygons on its two sides: then
    /// the link is crossed like an edge.
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

    /// Returns all links.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links.links
    }

    /// Returns `true` if a link is crossed like an edge: see [`Link`]. Constant time; `false` if there
    /// is no such link.
    #[must_use]
    pub fn is_crossed_like_edge(&self, link: LinkId) -> bool {
        self.links.portals.get(link.index()).copied().unwrap_or(false)
    }

    /// Returns `true` if a path may lead from one island to another, over links too. One-way links
    /// count both ways here: `true` means maybe, `false` means no. Constant time.
    #[must_use]
    pub fn may_connect(&self, first: IslandId, second: IslandId) -> bool {
        let group = self.first_linked_island(first);
        group.is_some() && group == self.first_linked_island(second)
    }

    /// Returns the first of the islands that this one is connected with over links, as in
    /// [`NavMesh::may_connect`]; `None` if there is no such island. Constant time.
    #[must_use]
    pub fn first_linked_island(&self, island: IslandId) -> Option<IslandId> {
        (island.index() < self.islands.len()).then(|| IslandId(self.links.group(island.0)))
    }

    /// Returns the polygon that a crossing leads to.
    ///
    /// A crossing is a number: that of an edge or, beyond the edges, of a link in one direction.
    #[inline]
    pub(crate) fn beyond(&self, crossing: u32) -> u32 {
        match self.neighbours.get(crossing as usize) {
            Some(&neighbour) => neighbour,
            None => {
                let (link, backwards) = self.link_of(crossing);
                self.links.links[link.index()].ends(backwards)[1].polygon.0
            }
        }
    }

    /// Returns the link of a crossing beyond the edges, and `true` if it is taken backwards.
    #[inline]
    pub(crate) fn link_of(&self, crossing: u32) -> (LinkId, bool) {
        #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
        let number = crossing - self.neighbours.len() as u32;
        (LinkId(number / 2), number % 2 == 1)
    }

    /// Returns the crossing of an entry of [`Links::leaving`].
    #[inline]
    pub(crate) fn crossing_of(&self, leaving: u32) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
        let edges = self.neighbours.len() as u32;
        edges + leaving
    }

    /// Returns the number of crossings: edges, then links, each in both directions.
    pub(crate) fn crossing_count(&self) -> usize {
        self.neighbours.len() + 2 * self.links.links.len()
    }
}

//! Links of a world: those that its user adds outlive its updates, and all have ids that last.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use waymesh_core::{PlanPoint, PlanVertex, PolyId, Random};
use waymesh_graph::{Link, LinkEnd, LinkId, LinkKind, NavMesh, NavMeshError, PolygonFilter, Reach};

use super::parts::MeshHandle;

/// Set in the ids of links that were found, so that they are never those of added ones.
const FOUND: u64 = 1 << 63;

/// What a world knows of its links, beside what its mesh has.
#[derive(Debug)]
pub(super) struct WorldLinks {
    current: MeshHandle,
    /// As they were added.
    added: BTreeMap<LinkId, Link>,
    next: u64,
    /// Found links that are closed, also where they are not there at the moment.
    closed: BTreeSet<LinkId>,
    closed_doors: BTreeSet<u32>,
}

impl WorldLinks {
    pub(super) fn new(current: MeshHandle) -> Self {
        let (added, closed, closed_doors) = Default::default();
        Self { current, added, next: 0, closed, closed_doors }
    }

    /// Returns a new mesh with ids for the links that were found on it, and with those links that
    /// were added and have ground at both ends.
    pub(super) fn put_on(&self, mesh: NavMesh) -> Result<NavMesh, NavMeshError> {
        let storey = f64::from(mesh.agent().height / mesh.frame().level_height);
        let mut taken = BTreeSet::new();
        let mut links: Vec<(LinkId, Link)> = Vec::new();
        for link in mesh.links() {
            let mut id = id_of(link, storey);
            while !taken.insert(id) {
                id = LinkId(FOUND | id.0.wrapping_add(1));
            }
            links.push((id, Link { is_open: self.is_open(id, link), ..*link }));
        }
        links.extend(self.added.iter().filter_map(|(&id, link)| Some((id, link_on(&mesh, link)?))));
        if links.is_empty() { Ok(mesh) } else { mesh.with_named_links(links) }
    }

    fn is_open(&self, id: LinkId, link: &Link) -> bool {
        let is_door_closed = link.kind == LinkKind::Door && self.closed_doors.contains(&link.data);
        self.added.get(&id).map_or(!is_door_closed && !self.closed.contains(&id), |added| added.is_open)
    }

    /// Adds a link to the current mesh and to those that come.
    pub(super) fn add(&mut self, link: Link) -> Result<LinkId, NavMeshError> {
        let mesh = self.current.mesh();
        let id = LinkId(self.next);
        let links = mesh.link_ids().iter().copied().zip(mesh.links().iter().copied());
        let links = links.chain([(id, link)]).collect();
        self.current.replace(NavMesh::clone(&mesh).with_named_links(links)?);
        self.added.insert(id, link);
        self.next += 1;
        Ok(id)
    }

    /// Removes a link that was added.
    pub(super) fn remove(&mut self, id: LinkId) -> bool {
        let was_there = self.added.remove(&id).is_some();
        if was_there {
            let mut mesh = NavMesh::clone(&self.current.mesh());
            mesh.remove_link(id);
            self.current.replace(mesh);
        }
        was_there
    }

    /// Opens or closes a link; `false` if it is not known.
    pub(super) fn set_open(&mut self, id: LinkId, is_open: bool) -> bool {
        if let Some(link) = self.added.get_mut(&id) {
            link.is_open = is_open;
        } else if is_open {
            if !self.closed.remove(&id) {
                return self.current.mesh().link(id).is_some();
            }
        } else if self.current.mesh().link(id).is_some() {
            self.closed.insert(id);
        } else {
            return self.closed.contains(&id);
        }
        self.settle();
        true
    }

    /// Opens or closes all links of doors of a plan.
    #[cfg(feature = "floorplan")]
    pub(super) fn set_doors_open(&mut self, doors: impl Iterator<Item = u32>, is_open: bool) {
        for door in doors {
            if is_open {
                self.closed_doors.remove(&door)
            } else {
                self.closed_doors.insert(door)
            };
        }
        self.settle();
    }

    /// Opens and closes the links of the current mesh as they are to be.
    fn settle(&self) {
        let mut mesh = NavMesh::clone(&self.current.mesh());
        let links = mesh.link_ids().iter().zip(mesh.links());
        let wanted: Vec<_> = links.map(|(&id, link)| (id, self.is_open(id, link))).collect();
        mesh.set_links_open(wanted);
        self.current.replace(mesh);
    }
}

/// Returns an id made of what a link is: its kind, its number, and where its ends are, with heights
/// to about an agent (`storey` levels), so that ground that is fitted again does not matter. Links
/// that are found again have the same id then, whatever came and went in between.
fn id_of(link: &Link, storey: f64) -> LinkId {
    let mut sum = u64::from(link.kind as u32) << 32 | u64::from(link.data);
    let mut add = |value: i64| sum = Random::mix(sum ^ value.cast_unsigned());
    for end in [&link.from, &link.to] {
        for PlanVertex { point, height } in end.ends {
            add(i64::from(point.x) << 32 | i64::from(point.z.cast_unsigned()));
            #[expect(clippy::cast_possible_truncation, reason = "casts saturate")]
            add((f64::from(height) / storey).round() as i64);
        }
    }
    LinkId(FOUND | sum)
}

/// Returns a link on the polygons that are at its ends now; `None` where one is without ground.
fn link_on(mesh: &NavMesh, link: &Link) -> Option<Link> {
    Some(Link { from: end_on(mesh, &link.from)?, to: end_on(mesh, &link.to)?, ..*link })
}

/// Polygons that hold both of two points.
struct Holding([PlanPoint; 2]);

impl PolygonFilter for Holding {
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.0.iter().all(|&point| mesh.contains_point(polygon, point))
    }
}

/// Returns the end of a link on the ground within half an agent of its height. A segment that is on
/// no one polygon becomes the point in its middle.
fn end_on(mesh: &NavMesh, end: &LinkEnd) -> Option<LinkEnd> {
    let frame = mesh.frame();
    let reach = mesh.agent().height / 2.0;
    let reach = Reach::new(frame.cell_size / 64.0, reach, reach);
    let at = |[a, b]: [PlanVertex; 2]| {
        let grid = |end: PlanVertex| DVec3::new(end.point.x.into(), end.height.into(), end.point.z.into());
        let middle = (grid(a) + grid(b)) / 2.0;
        let position = frame.to_world(middle.x, middle.y, middle.z);
        let place = mesh.nearest_with(position, &reach, &Holding([a.point, b.point]))?;
        Some(LinkEnd { polygon: place.polygon, ends: [a, b] })
    };
    let [a, b] = end.ends;
    let point = PlanPoint::new(a.point.x.midpoint(b.point.x), a.point.z.midpoint(b.point.z));
    let middle = PlanVertex { point, height: a.height.midpoint(b.height) };
    at(end.ends).or_else(|| at([middle; 2]))
}

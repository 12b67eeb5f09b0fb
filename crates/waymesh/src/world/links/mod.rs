//! Links of a world: those that its user adds outlive its updates, and all have ids that last. What
//! is found is found again only where something changed.

mod climbs;
mod found;
mod jumps;

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use waymesh_core::{PlanPoint, PlanVertex, PolyId, Random, saturating_i64};
use waymesh_graph::{
    Link, LinkEnd, LinkId, LinkKind, LinkOrder, NavMesh, NavMeshError, PolygonFilter, Reach, TileKey,
    TileLink, TilePolygon, TiledMesh,
};
use waymesh_tile::Tile;

use super::join::tile_of;
use super::parts::Placed;
pub(super) use climbs::TileClimbs;
#[cfg(feature = "floorplan")]
pub(super) use found::Element;
pub(super) use found::{FoundLinks, Source};
pub(super) use jumps::{TileJumps, TileRoom};

/// Set in the ids of links that were found, so that they are never those of added ones.
const FOUND: u64 = 1 << 63;
/// Class of added links in the order of all: after those that were found.
const ADDED: u64 = FOUND;

/// State of the links of a world that is not in its mesh.
#[derive(Debug, Default)]
pub(super) struct WorldLinks {
    /// Links as they were added, with the columns and rows of tiles in or next to which their ends lie.
    added: Placed<[u32; 2], Link>,
    found: FoundLinks,
    /// Found links that are closed, or open although their door is closed, with the number of that
    /// door: also where they are not there at the moment.
    turned: BTreeMap<LinkId, Option<u32>>,
    closed_doors: BTreeSet<u32>,
    /// `true` from when links are looked for until they are all in place.
    is_stale: bool,
}

impl WorldLinks {
    /// Begins to look for links, after tiles changed so that these links are not there any more.
    /// Returns
    /// `true` if all links must be looked for, not only those near changes.
    pub(super) fn begin(
        &mut self,
        lost: &[LinkId],
        is_renumbered: bool,
        mesh: &mut TiledMesh,
    ) -> Result<bool, NavMeshError> {
        let is_all = std::mem::replace(&mut self.is_stale, true);
        if is_all {
            self.found = FoundLinks::default();
            let found = mesh.next().link_ids().iter().filter(|id| Self::is_found(**id));
            let found: Vec<LinkId> = found.copied().collect();
            mesh.change_links(&found, Vec::new())?;
        }
        self.found.lose(lost);
        if is_renumbered {
            self.found.renumber(mesh.next());
        }
        Ok(is_all)
    }

    /// Replaces the links of sources by newly found ones. Returns the tiles whose links changed.
    pub(super) fn put(
        &mut self,
        found: Vec<(Source, Vec<(LinkOrder, Link)>)>,
        mesh: &mut TiledMesh,
    ) -> Result<BTreeSet<Tile>, NavMeshError> {
        let storey = f64::from(mesh.next().agent().height / mesh.next().frame().level_height);
        for (source, links) in found {
            self.found.put(source, links, |link| id_of(link, storey).0);
        }
        let (gone, mut came) = self.found.settle(mesh);
        for link in &mut came {
            link.link.is_open = self.is_open(link.id, &link.link);
        }
        let next = mesh.next();
        let links = gone.iter().filter_map(|&id| next.link(id)).chain(came.iter().map(|link| &link.link));
        let ends = links.flat_map(|link| [link.from.polygon, link.to.polygon]);
        let tiles = ends.filter_map(|polygon| next.tile_polygon(polygon));
        let tiles = tiles.map(|TilePolygon { tile, .. }| tile_of(tile)).collect();
        mesh.change_links(&gone, came)?;
        Ok(tiles)
    }

    /// Ends what began: puts the added links near the changed tiles, or all of them, in place.
    pub(super) fn end(
        &mut self,
        is_all: bool,
        changed: &BTreeSet<TileKey>,
        mesh: &mut TiledMesh,
    ) -> Result<(), NavMeshError> {
        let near: BTreeSet<u64> = if is_all {
            self.added.iter().map(|(number, _)| number).collect()
        } else {
            changed.iter().flat_map(|tile| self.added.numbers_of([tile.column, tile.row])).collect()
        };
        let (mut gone, mut came) = (Vec::new(), Vec::new());
        for number in near {
            let (id, Some(added)) = (LinkId(number), self.added.get(number)) else { continue };
            let now = link_on(mesh.next(), added);
            let known = mesh.next().link(id);
            if known.copied() == now {
                continue;
            }
            gone.extend(known.map(|_| id));
            came.extend(now.map(|link| TileLink { id, order: order_of(id), link }));
        }
        mesh.change_links(&gone, came)?;
        self.is_stale = false;
        Ok(())
    }

    pub(super) fn is_open(&self, id: LinkId, link: &Link) -> bool {
        match (self.added.get(id.0), self.turned.get(&id)) {
            (Some(added), _) => added.is_open,
            (None, Some(&door)) => !self.is_door_open(door),
            (None, None) => self.is_door_open(door_of(link)),
        }
    }

    fn is_door_open(&self, door: Option<u32>) -> bool {
        door.is_none_or(|door| !self.closed_doors.contains(&door))
    }

    /// `true` for the id of a link that was found.
    pub(super) fn is_found(id: LinkId) -> bool {
        id.0 & FOUND != 0
    }

    /// Returns a new mesh with ids for the links that were found on it, and with the added links that
    /// have ground at both ends.
    #[cfg(feature = "floorplan")]
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
        links.extend(self.added.iter().filter_map(|(id, link)| Some((LinkId(id), link_on(&mesh, link)?))));
        if links.is_empty() { Ok(mesh) } else { mesh.with_named_links(links) }
    }

    /// Adds a link to the mesh, and to those that come. `shown` is the mesh whose polygons it names.
    pub(super) fn add(
        &mut self,
        mut link: Link,
        shown: &NavMesh,
        mesh: &mut TiledMesh,
    ) -> Result<LinkId, NavMeshError> {
        if shown.generation() != mesh.next().generation() {
            // A mesh that was made of that of the world: checked there, and put on the same ground here.
            shown.clone().add_link(link)?;
            link = link_on(mesh.next(), &link).unwrap_or(link);
        }
        let id = LinkId(self.added.next());
        mesh.change_links(&[], vec![TileLink { id, order: order_of(id), link }])?;
        self.added.add(link, tiles_of(&link, mesh).into_iter().collect());
        Ok(id)
    }

    /// Removes a link that was added.
    pub(super) fn remove(&mut self, id: LinkId, mesh: &mut TiledMesh) -> bool {
        let was_there = self.added.remove(id.0).is_some();
        if was_there {
            // Nothing comes that could be wrong.
            let _ = mesh.change_links(&[id], Vec::new());
        }
        was_there
    }

    /// Opens or closes a link; `false` if it is not known.
    pub(super) fn set_open(&mut self, id: LinkId, is_open: bool, mesh: &mut TiledMesh) -> bool {
        let known = mesh.next().link(id).copied();
        if let Some(link) = self.added.get_mut(id.0) {
            link.is_open = is_open;
        } else {
            let door = match (&known, self.turned.get(&id)) {
                (Some(link), _) => door_of(link),
                (None, Some(&door)) => door,
                (None, None) => return false,
            };
            if is_open == self.is_door_open(door) {
                self.turned.remove(&id);
            } else {
                self.turned.insert(id, door);
            }
        }
        if let Some(link) = known {
            mesh.set_links_open([(id, self.is_open(id, &link))]);
        }
        true
    }

    /// Opens or closes all links of doors of a plan, also those that were turned one by one.
    #[cfg(feature = "floorplan")]
    pub(super) fn set_doors_open(
        &mut self,
        doors: impl Iterator<Item = u32>,
        is_open: bool,
        mesh: &mut TiledMesh,
    ) {
        for door in doors {
            if is_open {
                self.closed_doors.remove(&door)
            } else {
                self.closed_doors.insert(door)
            };
            self.turned.retain(|_, of| *of != Some(door));
            let links = self.found.of_door(door);
            let turned: Vec<(LinkId, bool)> = links.map(|(id, link)| (id, self.is_open(id, link))).collect();
            mesh.set_links_open(turned);
        }
    }
}

/// Returns the number of the door that a link leads through.
fn door_of(link: &Link) -> Option<u32> {
    (link.kind == LinkKind::Door).then_some(link.data)
}

/// Returns the sort key of an added link.
fn order_of(id: LinkId) -> LinkOrder {
    LinkOrder { class: ADDED | id.0, number: 0 }
}

/// The columns and rows of the tiles whose ground may be under the ends of a link.
fn tiles_of(link: &Link, mesh: &TiledMesh) -> BTreeSet<[u32; 2]> {
    let side = i64::from(mesh.grid().side);
    let beside =
        |at: i32| [-1, 1].map(|by| u32::try_from((i64::from(at) + by).div_euclid(side)).unwrap_or(0));
    let mut tiles = BTreeSet::new();
    for PlanVertex { point, .. } in [link.from, link.to].into_iter().flat_map(|end| end.ends) {
        let ([west, east], [north, south]) = (beside(point.x), beside(point.z));
        tiles.extend((north..=south).flat_map(|row| (west..=east).map(move |column| [column, row])));
    }
    tiles
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
            add(saturating_i64((f64::from(height) / storey).round()));
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

//! Links between places of meshes and worlds.

use std::mem::MaybeUninit;
use std::sync::Arc;

use glam::Vec3Swizzles;
use waymesh::graph::{LinkEnd as GraphEnd, LinkId, Location};
use waymesh::{NavMesh, PolyId};

use crate::memory::{Out, copy, given, put};
use crate::mesh::{Mesh, Vec3};
use crate::query::Place;
use crate::settings::unknown;
use crate::status::{Error, Failure, Status, guard};
use crate::world::{World, was_there};

/// Largest distance of an end in plan from its polygon, in cells.
const MAX_SHIFT: f32 = 2.0;

/// The purpose of a link.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Made by the user.
    User = 0,
    /// Between two edges whose heights differ by the rounding of the grid.
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

/// An end of a link: a segment on a polygon, or a point.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEnd {
    /// Number of its polygon.
    pub polygon: u32,
    /// One end of the segment, on the polygon.
    pub first: Vec3,
    /// The other end of the segment; for a point, the same position.
    pub second: Vec3,
}

/// A connection of two places other than over ground: a jump, a ladder, a lift, a door. An agent
/// that leaves at a third of the first segment arrives at a third of the second.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Its number, which no other link of the mesh ever gets. Not read where a link is added.
    pub id: u64,
    /// Start.
    pub from: LinkEnd,
    /// End.
    pub to: LinkEnd,
    /// 0 if it is taken from start to end only.
    pub both_ways: u32,
    /// 0 if it is closed: no query takes it.
    pub is_open: u32,
    /// Cost in metres in addition to the distance between its ends: finite, 0 or more.
    pub extra_cost: f32,
    /// A wm_link_kind.
    pub kind: u32,
    /// A number of the caller's, which the library does not use.
    pub data: u32,
}

impl LinkEnd {
    fn of(mesh: &NavMesh, end: &GraphEnd) -> Self {
        let [first, second] = end.ends.map(|at| {
            let (x, z) = (f64::from(at.point.x), f64::from(at.point.z));
            mesh.frame().to_world(x, f64::from(at.height), z).into()
        });
        Self { polygon: end.polygon.0, first, second }
    }

    /// The end on the grid of the mesh.
    fn read(&self, name: &str, mesh: &NavMesh) -> Result<GraphEnd, Failure> {
        let polygon = PolyId(self.polygon);
        if mesh.polygon(polygon).is_none() {
            let text = format!("{name}.polygon is {polygon}, but the mesh has no such polygon");
            return Err(Failure::new(Status::BadArgument, text));
        }
        let end = |part: &str, position: Vec3| {
            let position = glam::Vec3::from(position);
            if !position.is_finite() {
                let text = format!("{name}.{part} is {position}, not finite");
                return Err(Failure::new(Status::BadArgument, text));
            }
            let nearest = mesh.closest_on_polygon(polygon, position)?.position;
            let (distance, limit) =
                (nearest.xz().distance(position.xz()), MAX_SHIFT * mesh.frame().cell_size);
            if distance > limit {
                // The polygon of a place of an older mesh may be another one by now.
                let text = format!(
                    "{name}.{part} is {position}, {distance} m from polygon {polygon}, the limit is {limit} m: \
                     find its polygon on this mesh by wm_nearest"
                );
                return Err(Failure::new(Status::BadArgument, text));
            }
            Ok(mesh.link_end(&Location { polygon, position, generation: mesh.generation() }).ends[0])
        };
        Ok(GraphEnd { polygon, ends: [end("first", self.first)?, end("second", self.second)?] })
    }
}

impl Link {
    fn of(mesh: &NavMesh, id: LinkId, link: &waymesh::Link) -> Self {
        Self {
            id: id.0,
            from: LinkEnd::of(mesh, &link.from),
            to: LinkEnd::of(mesh, &link.to),
            both_ways: u32::from(link.both_ways),
            is_open: u32::from(link.is_open),
            extra_cost: link.extra_cost,
            kind: u32::from(link.kind as u8),
            data: link.data,
        }
    }

    fn read(&self, mesh: &NavMesh) -> Result<waymesh::Link, Failure> {
        let kind = u8::try_from(self.kind).ok().and_then(waymesh::LinkKind::from_number);
        let kind = kind.ok_or_else(|| unknown("link.kind", self.kind))?;
        let (from, to) = (self.from.read("link.from", mesh)?, self.to.read("link.to", mesh)?);
        let mut link = waymesh::Link::new(from, to, kind);
        link.both_ways = self.both_ways != 0;
        link.is_open = self.is_open != 0;
        link.extra_cost = self.extra_cost;
        link.data = self.data;
        Ok(link)
    }
}

/// Writes a link from point to point: open, both ways, at no extra cost, of the user's kind.
#[unsafe(no_mangle)]
pub extern "C" fn wm_link_between(
    from: Option<&Place>,
    to: Option<&Place>,
    link: Option<&mut MaybeUninit<Link>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let end =
            |place: &Place| LinkEnd { polygon: place.polygon, first: place.position, second: place.position };
        let (from, to) = (end(given("from", from)?), end(given("to", to)?));
        let kind = LinkKind::User as u32;
        put("link", link, Link { id: 0, from, to, both_ways: 1, is_open: 1, extra_cost: 0.0, kind, data: 0 })
    })
}

/// Writes the links of a mesh.
///
/// # Safety
/// There is room for `capacity` links.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_links(
    mesh: Option<&Mesh>,
    links: *mut Link,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = &given("mesh", mesh)?.0;
        let items = mesh.links_by_id().map(|(id, link)| Link::of(mesh, id, link));
        // SAFETY: the caller promises it.
        unsafe { copy("links", links, capacity, count, items) }
    })
}

/// Adds a link to a mesh and writes its number. Ends are moved to the grid of the mesh: by two of
/// its cells at most, or to the nearest corner of their polygon. An end more than two cells from
/// its polygon in plan is a bad argument: polygons of a place of another mesh must be found again.
///
/// Other handles of the mesh (wm_mesh_share, a world) do not get the link. Places and numbers of
/// polygons stay valid. No thread may use this handle meanwhile. Takes linear time.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_add_link(
    mesh: Option<&mut Mesh>,
    link: Option<&Link>,
    id: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (mesh, id) = (&mut given("mesh", mesh)?.0, given("id", id)?);
        let link = given("link", link)?.read(mesh)?;
        add(Some(id), Arc::make_mut(mesh).add_link(link).map_err(|error| refused(&error))?)
    })
}

/// Removes a link of a mesh. A number that no link has is a bad argument. As with wm_mesh_add_link,
/// only this handle changes.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_remove_link(
    mesh: Option<&mut Mesh>,
    link: u64,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = &mut given("mesh", mesh)?.0;
        was_there("link", link, mesh.link(LinkId(link)).is_some())?;
        Arc::make_mut(mesh).remove_link(LinkId(link));
        Ok(())
    })
}

/// Opens or, with 0, closes a link of a mesh. A number that no link has is a bad argument. As with
/// wm_mesh_add_link, only this handle changes. Agents of a crowd plan again at their next step.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_set_link_open(
    mesh: Option<&mut Mesh>,
    link: u64,
    is_open: u32,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = &mut given("mesh", mesh)?.0;
        was_there("link", link, mesh.link(LinkId(link)).is_some())?;
        Arc::make_mut(mesh).set_link_open(LinkId(link), is_open != 0);
        Ok(())
    })
}

/// Adds a link to the newest mesh of a world, whose polygons it names, and writes its number. Every
/// update finds the ground at its ends again. Existing handles of wm_world_mesh do not get the
/// link.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_add_link(
    world: Option<&mut World>,
    link: Option<&Link>,
    id: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (world, id) = (&mut given("world", world)?.0, given("id", id)?);
        let link = given("link", link)?.read(&world.handle().mesh())?;
        add(Some(id), world.add_link(link)?)
    })
}

/// Removes a link of a world. A number that no link has, or that of a link which an update found,
/// is a bad argument.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_remove_link(
    world: Option<&mut World>,
    link: u64,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || was_there("link", link, given("world", world)?.0.remove_link(LinkId(link))))
}

/// Opens or, with 0, closes a link of a world, until it is changed again. A number that no link has
/// is a bad argument.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_set_link_open(
    world: Option<&mut World>,
    link: u64,
    is_open: u32,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        was_there("link", link, given("world", world)?.0.set_link_open(LinkId(link), is_open != 0))
    })
}

/// Gives a world the oracle of a mesh of it (wm_world_mesh, then wm_mesh_build_oracle on another
/// thread, if you like), or with NULL none. It stays in use over updates: a path that is too short
/// to meet ground that changed since is looked up, any other is searched for, until this is called
/// again. Existing handles of wm_world_mesh do not get it.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_set_oracle(
    world: Option<&mut World>,
    mesh: Option<&Mesh>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        given("world", world)?.0.set_oracle(mesh.and_then(|mesh| mesh.0.oracle()));
        Ok(())
    })
}

fn add(id: Out<'_, u64>, link: LinkId) -> Result<(), Failure> {
    put("id", id, link.0)
}

fn refused(error: &waymesh::graph::NavMeshError) -> Failure {
    Failure::new(Status::BadArgument, error.to_string())
}

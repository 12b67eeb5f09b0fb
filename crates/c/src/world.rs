//! Worlds that change while queries run.

use std::mem::MaybeUninit;
use waymesh::fields;
use waymesh::io::LoadOptions;
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{AreaId, AreaTable, Bounds, MarkId, ObstacleId};

use crate::memory::{given, put, slice};
use crate::mesh::{Mesh, Triangles, Vec3, hand_out};
use crate::settings::{Setting, Settings, load_options, unknown};
use crate::status::{Error, Failure, Status, guard};

/// A world of tiles, with obstacles and marks that come and go.
#[derive(Debug)]
pub struct World(pub(crate) waymesh::World, LoadOptions);

/// Side of a tile where none is given, in cells.
const TILE_CELLS: u32 = 64;

/// Kinds of shapes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// A box from min to max.
    Box = 0,
    /// An upright cylinder around the middle of its base, which is min.
    Cylinder = 1,
    /// An upright prism over a simple polygon, from min.y to max.y.
    Prism = 2,
}

/// A shape, of an obstacle or of ground with another area.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// A wm_shape_kind.
    pub kind: u32,
    /// Least corner of a box, middle of the base of a cylinder; of a prism only y counts.
    pub min: Vec3,
    /// Greatest corner of a box; of a prism only y counts.
    pub max: Vec3,
    /// Radius of a cylinder.
    pub radius: f32,
    /// Height of a cylinder.
    pub height: f32,
    /// x and z of each corner of a prism.
    pub corners: *const f32,
    /// Corners of a prism.
    pub corner_count: usize,
}

impl Shape {
    /// The shape that C describes.
    ///
    /// # Safety
    /// There are as many corners as it says.
    unsafe fn read(&self) -> Result<MarkShape, Failure> {
        let (min, max) = (self.min.into(), self.max.into());
        match self.kind {
            kind if kind == ShapeKind::Box as u32 => Ok(MarkShape::Box { bounds: Bounds { min, max } }),
            kind if kind == ShapeKind::Cylinder as u32 => {
                Ok(MarkShape::Cylinder { base: min, radius: self.radius, height: self.height })
            }
            kind if kind == ShapeKind::Prism as u32 => {
                let count = self.corner_count.checked_mul(2);
                let count = count.ok_or_else(|| {
                    Failure::new(Status::BadArgument, "shape.corner_count is more than memory holds")
                })?;
                // SAFETY: the caller promises it.
                let numbers = unsafe { slice("shape.corners", self.corners, count)? };
                let (corners, _) = numbers.as_chunks::<2>();
                let corners = corners.iter().map(|&[x, z]| glam::Vec2::new(x, z)).collect();
                Ok(MarkShape::Prism { corners, heights: [self.min.y, self.max.y] })
            }
            kind => Err(unknown("shape.kind", kind)),
        }
    }
}

/// Figures of an update.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Tiles that were built.
    pub rebuilt: usize,
    /// Neighbouring tiles that were fitted to the new borders.
    pub adjusted: usize,
    /// Polygons of the new mesh.
    pub polygons: usize,
    /// Links of the new mesh.
    pub links: usize,
}

/// Makes an empty world of voxels within bounds, which fix its grid. The bounds are in metres with
/// y up, as the mesh is: after the settings `scale`, `up` and `origin`, which hold for triangles.
/// The setting `tile_cells` is the side of a tile, 64 by default.
///
/// # Safety
/// There are as many settings as is said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_world_new(
    min: Vec3,
    max: Vec3,
    settings: *const Setting,
    setting_count: usize,
    world: Option<&mut MaybeUninit<Option<Box<World>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        // SAFETY: the caller promises it.
        let settings = unsafe { Settings::read(settings, setting_count)? };
        let mut entries = settings.entries();
        let load = load_options(&mut entries)?;
        let baker = fields::voxels(&mut entries, &AreaTable::default())?;
        entries.finish()?;
        let bounds = Bounds { min: min.into(), max: max.into() };
        let front = baker.front().clone();
        let tile_cells = if front.tile_cells == 0 { TILE_CELLS } else { front.tile_cells };
        let made = waymesh::World::new(baker.with_front(front.with_tile_cells(0)), &bounds, tile_cells)?;
        hand_out("world", world, World(made, load))
    })
}

/// Ends a handle. Meshes of the world stay.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_free(world: Option<Box<World>>) {
    drop(world);
}

/// Adds triangles to all tiles that they reach. The next update builds these tiles.
///
/// # Safety
/// The arrays are as long as the counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_world_add_triangles(
    world: Option<&mut World>,
    triangles: Option<&Triangles>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (world, triangles) = (given("world", world)?, given("triangles", triangles)?);
        // SAFETY: the caller promises it.
        let soup = unsafe { triangles.read(&world.1)? };
        Ok(world.0.add_triangles(&soup, &mut ())?)
    })
}

/// Adds an obstacle; the mesh shows it after the next update. Not 0 for `walkable` if agents may
/// walk on its top.
///
/// # Safety
/// The shape has as many corners as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_world_add_obstacle(
    world: Option<&mut World>,
    shape: Option<&Shape>,
    walkable: u32,
    obstacle: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (world, shape) = (given("world", world)?, given("shape", shape)?);
        let obstacle = given("obstacle", obstacle)?;
        // SAFETY: the caller promises it.
        let shape = unsafe { shape.read()? };
        let added = world.0.add_obstacle(Obstacle::solid(shape).with_walkable(walkable != 0))?;
        put("obstacle", Some(obstacle), added.0)
    })
}

/// Removes an obstacle. A number that no obstacle has is a bad argument.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_remove_obstacle(
    world: Option<&mut World>,
    obstacle: u64,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        was_there("obstacle", obstacle, given("world", world)?.0.remove_obstacle(ObstacleId(obstacle)))
    })
}

/// Gives the ground in a shape an area, from the next update on; area 0 makes it not walkable.
///
/// # Safety
/// The shape has as many corners as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_world_add_mark(
    world: Option<&mut World>,
    shape: Option<&Shape>,
    area: u8,
    mark: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (world, shape) = (given("world", world)?, given("shape", shape)?);
        let mark = given("mark", mark)?;
        // SAFETY: the caller promises it.
        let shape = unsafe { shape.read()? };
        let added = world.0.add_mark(Mark::new(shape, AreaId(area)))?;
        put("mark", Some(mark), added.0)
    })
}

/// Removes a mark. A number that no mark has is a bad argument.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_remove_mark(
    world: Option<&mut World>,
    mark: u64,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || was_there("mark", mark, given("world", world)?.0.remove_mark(MarkId(mark))))
}

/// Returns the error for removing a number that does not exist.
pub(crate) fn was_there(kind: &str, number: u64, was_there: bool) -> Result<(), Failure> {
    let text = || format!("there is no {kind} {number}");
    was_there.then_some(()).ok_or_else(|| Failure::new(Status::BadArgument, text()))
}

/// Builds the changed tiles. If it fails, the mesh stays as it was. `update` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_update(
    world: Option<&mut World>,
    update: Option<&mut MaybeUninit<Update>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let done = given("world", world)?.0.update(&mut ())?;
        if let Some(update) = update {
            update.write(Update {
                rebuilt: done.rebuilt,
                adjusted: done.adjusted,
                polygons: done.polygons,
                links: done.links,
            });
        }
        Ok(())
    })
}

/// Writes a handle of the newest mesh, which stays as it is when the world changes.
#[unsafe(no_mangle)]
pub extern "C" fn wm_world_mesh(
    world: Option<&World>,
    mesh: Option<&mut MaybeUninit<Option<Box<Mesh>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || hand_out("mesh", mesh, Mesh(given("world", world)?.0.handle().mesh(), None)))
}

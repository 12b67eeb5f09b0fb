//! Meshes: bakes, files and content.

use std::ffi::{CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use waymesh::fields::AnyBaker;
use waymesh::graph::{Hierarchy, HierarchyConfig, MeshFormat};
use waymesh::io::{LoadOptions, parse_mesh};
use waymesh::{AreaId, NavMesh, Observer, TriangleSoup};

use crate::memory::{Out, copy, file_name, given, put, slice};
use crate::settings::{Setting, Settings, unknown};
use crate::status::{Error, Failure, Status, guard};

/// A navigation mesh. Only its links change (wm_mesh_add_link).
#[derive(Clone, Debug)]
pub struct Mesh(pub(crate) Arc<NavMesh>, pub(crate) Option<Arc<Hierarchy>>);

/// A position or a direction, in metres.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    /// To the right.
    pub x: f32,
    /// Up.
    pub y: f32,
    /// Towards the viewer.
    pub z: f32,
}

impl From<glam::Vec3> for Vec3 {
    fn from(glam::Vec3 { x, y, z }: glam::Vec3) -> Self {
        Self { x, y, z }
    }
}

impl From<Vec3> for DVec3 {
    fn from(position: Vec3) -> Self {
        glam::Vec3::from(position).as_dvec3()
    }
}

impl From<Vec3> for glam::Vec3 {
    fn from(Vec3 { x, y, z }: Vec3) -> Self {
        Self { x, y, z }
    }
}

/// A file format of meshes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// .wmesh: small, to keep and to exchange.
    Exchange = 0,
    /// .wmrun: opens fast, of one version of the library.
    Packed = 1,
}

/// Figures of a mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshInfo {
    /// Convex polygons.
    pub polygons: usize,
    /// Corners of all polygons.
    pub corners: usize,
    /// Vertices.
    pub vertices: usize,
    /// Connected pieces.
    pub islands: usize,
    /// Links: steps, jumps, doors and so on.
    pub links: usize,
    /// Area in plan in square metres.
    pub area: f64,
    /// Least corner of the box round its vertices; 0 for an empty mesh.
    pub min: Vec3,
    /// Greatest corner.
    pub max: Vec3,
    /// Radius of the agent for which it was baked.
    pub agent_radius: f32,
    /// Height of that agent.
    pub agent_height: f32,
}

/// Called while a bake runs, on a thread of the bake: the name of the stage, and the part of it
/// that is done, from 0 to 1. Returns 0 to end the bake. It must not unwind or longjmp.
pub type Progress = Option<extern "C" fn(user: *mut c_void, stage: *const c_char, done: f32) -> i32>;

/// The argument of the progress function.
struct User(*mut c_void);

// SAFETY: the library never reads what it points to; it passes it to the function that came with
// it, whose docs say that this happens on another thread.
unsafe impl Send for User {}

/// Reports the progress of a bake to C.
struct Reporter {
    progress: Progress,
    user: User,
    stage: CString,
    is_cancelled: bool,
}

impl Reporter {
    fn new(progress: Progress, user: *mut c_void) -> Self {
        Self { progress, user: User(user), stage: CString::default(), is_cancelled: false }
    }

    fn report(&mut self, done: f32) {
        if let Some(progress) = self.progress
            && !self.is_cancelled
        {
            self.is_cancelled = progress(self.user.0, self.stage.as_ptr(), done) == 0;
        }
    }
}

impl Observer for Reporter {
    fn stage_started(&mut self, stage: &'static str) {
        self.stage = CString::new(stage).unwrap_or_default();
        self.report(0.0);
    }

    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share")]
    fn progress(&mut self, done: u64, total: u64) {
        self.report((done as f64 / total.max(1) as f64) as f32);
    }

    fn stage_finished(&mut self, stage: &'static str, _: f64) {
        self.stage = CString::new(stage).unwrap_or_default();
        self.report(1.0);
    }

    fn is_cancelled(&mut self) -> bool {
        self.is_cancelled
    }
}

/// Triangles of a scene. Start from zeros: vertices are in `vertices` or in `doubles`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Triangles {
    /// Positions in single precision; NULL if they are in `doubles`.
    pub vertices: *const Vec3,
    /// Positions in double precision, three numbers each; NULL if they are in `vertices`. For scenes
    /// far from their origin, which the setting `origin` brings near before they are rounded.
    pub doubles: *const f64,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Three indices of vertices for each triangle.
    pub indices: *const u32,
    /// Number of triangles.
    pub count: usize,
    /// Area of each triangle: 1 is plain ground, 0 is not walkable. NULL if all are plain ground.
    pub areas: *const u8,
}

impl Triangles {
    /// Copies the arrays: a bake owns its triangles.
    ///
    /// # Safety
    /// They are as long as the counts say.
    pub(crate) unsafe fn read(&self, load: &LoadOptions) -> Result<TriangleSoup, Failure> {
        let bad = |error: &dyn std::fmt::Display| Failure::new(Status::BadArgument, error.to_string());
        let triples = |count: usize| {
            count.checked_mul(3).ok_or_else(|| bad(&"there are more triangles or vertices than memory holds"))
        };
        if !self.vertices.is_null() && !self.doubles.is_null() {
            return Err(bad(&"vertices and doubles are both given: one of them must be NULL"));
        }
        // SAFETY: the caller promises what `slice` requires.
        let corners = unsafe { slice("indices", self.indices, triples(self.count)?)? };
        let count = if self.areas.is_null() { 0 } else { self.count };
        // SAFETY: likewise; there is an area per triangle.
        let areas = unsafe { slice("areas", self.areas, count)? };
        let triangles = corners.as_chunks::<3>().0.to_vec();
        let soup = if self.doubles.is_null() {
            // SAFETY: likewise.
            let vertices = unsafe { slice("vertices", self.vertices, self.vertex_count)? };
            load.soup(vertices.iter().map(|&vertex| DVec3::from(vertex)), triangles)
        } else {
            // SAFETY: likewise; three numbers are a vertex.
            let numbers = unsafe { slice("doubles", self.doubles, triples(self.vertex_count)?)? };
            load.soup(numbers.as_chunks::<3>().0.iter().map(|&vertex| DVec3::from(vertex)), triangles)
        };
        let soup = soup.map_err(|error| bad(&error))?;
        if areas.is_empty() {
            return Ok(soup);
        }
        soup.with_areas(areas.iter().map(|&area| AreaId(area)).collect()).map_err(|error| bad(&error))
    }
}

fn bake_into(
    soup: &TriangleSoup,
    baker: &AnyBaker,
    mut reporter: Reporter,
    mesh: &mut MaybeUninit<Option<Box<Mesh>>>,
) -> Result<(), Failure> {
    let baked = baker.bake_observed(soup, &mut reporter)?.mesh;
    hand_out("mesh", Some(mesh), Mesh(Arc::new(baked), None))
}

/// A new handle in a place of the caller's.
pub(crate) fn hand_out<T>(
    name: &'static str,
    out: Out<'_, Option<Box<T>>>,
    handle: T,
) -> Result<(), Failure> {
    put(name, out, Some(Box::new(handle)))
}

/// Bakes triangles, with settings over the defaults of their pipeline. `settings` and `progress`
/// may be NULL.
///
/// # Safety
/// The arrays are as long as the counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_bake(
    triangles: Option<&Triangles>,
    settings: *const Setting,
    setting_count: usize,
    progress: Progress,
    user: *mut c_void,
    mesh: Option<&mut MaybeUninit<Option<Box<Mesh>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (triangles, mesh) = (given("triangles", triangles)?, given("mesh", mesh)?);
        // SAFETY: the caller promises it.
        let (load, baker) = unsafe { Settings::read(settings, setting_count)? }.baker()?;
        // SAFETY: likewise.
        let soup = unsafe { triangles.read(&load)? };
        bake_into(&soup, &baker, Reporter::new(progress, user), mesh)
    })
}

/// Reads a scene (OBJ, glTF, GLB, STL, PLY, height map) and bakes it, as wm_mesh_bake does.
///
/// # Safety
/// `file` is a string that ends in a zero byte, and there are as many settings as is said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_bake_file(
    file: *const c_char,
    settings: *const Setting,
    setting_count: usize,
    progress: Progress,
    user: *mut c_void,
    mesh: Option<&mut MaybeUninit<Option<Box<Mesh>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        // SAFETY: the caller promises it.
        let (load, baker) = unsafe { Settings::read(settings, setting_count)? }.baker()?;
        // SAFETY: likewise.
        let file = unsafe { file_name("file", file)? };
        let soup = waymesh::io::load_with(&[file], &load)?;
        bake_into(&soup, &baker, Reporter::new(progress, user), mesh)
    })
}

/// Opens a mesh file: .wmesh, .wmrun, or one of Detour's.
///
/// # Safety
/// `file` is a string that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_open(
    file: *const c_char,
    mesh: Option<&mut MaybeUninit<Option<Box<Mesh>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        // SAFETY: the caller promises it.
        let opened = waymesh::io::open(unsafe { file_name("file", file)? })?;
        hand_out("mesh", mesh, Mesh(Arc::new(opened), None))
    })
}

/// Saves a mesh in the format of the name's ending: .wmesh, .wmrun, or .navmesh for Detour. The
/// file appears when it is whole.
///
/// # Safety
/// `file` is a string that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_save(
    mesh: Option<&Mesh>,
    file: *const c_char,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        // SAFETY: the caller promises it.
        Ok(waymesh::io::save(&mesh.0, unsafe { file_name("file", file)? })?)
    })
}

/// Reads a mesh from the bytes of a file: .wmesh, .wmrun, or one of Detour's. The bytes are copied.
///
/// # Safety
/// There are `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_read(
    bytes: *const u8,
    count: usize,
    mesh: Option<&mut MaybeUninit<Option<Box<Mesh>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        // SAFETY: the caller promises it.
        let bytes = unsafe { slice("bytes", bytes, count)? };
        hand_out("mesh", mesh, Mesh(Arc::new(parse_mesh(Path::new("bytes"), bytes.to_vec())?), None))
    })
}

/// Writes the bytes of a mesh's file, of a wm_format.
///
/// # Safety
/// There is room for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_write(
    mesh: Option<&Mesh>,
    format: u32,
    bytes: *mut u8,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        let format = match format {
            _ if format == Format::Exchange as u32 => MeshFormat::Exchange,
            _ if format == Format::Packed as u32 => MeshFormat::Packed,
            _ => return Err(unknown("format", format)),
        };
        // SAFETY: the caller promises it.
        unsafe { copy("bytes", bytes, capacity, count, mesh.0.to_bytes(format).into_iter()) }
    })
}

/// Writes another handle of the same mesh, in constant time.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_share(
    mesh: Option<&Mesh>,
    shared: Option<&mut MaybeUninit<Option<Box<Mesh>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || hand_out("shared", shared, given("mesh", mesh)?.clone()))
}

/// Ends a handle.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_free(mesh: Option<Box<Mesh>>) {
    drop(mesh);
}

/// Makes a hierarchy for large meshes. From then on wm_find_path uses it for fast paths without
/// filter and costs: such paths are some per cent longer on average and found several times faster.
/// A mesh of fewer than min_polygons gets none; it pays from about 20,000 polygons. Takes some 100
/// bytes a polygon, and seconds for 30,000 polygons.
///
/// Other handles of the mesh do not get it. No thread may use this handle meanwhile. After a change
/// of links it is out of use until it is made again.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_build_hierarchy(
    mesh: Option<&mut Mesh>,
    min_polygons: u32,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        let config = HierarchyConfig::default().with_min_polygons(min_polygons as usize);
        mesh.1 = Some(Arc::new(Hierarchy::new(&mesh.0, &config)?));
        Ok(())
    })
}

/// Makes an oracle, by which wm_find_path looks shortest paths without filter and costs up instead
/// of searching for them: many times faster on large meshes, with the same lengths. Takes at most
/// max_bytes of memory, and seconds for 10,000 polygons. Writes, unless covered is NULL, the share
/// of the area from which paths are looked up: 0 if memory does not even suffice for its labels,
/// and for a mesh with links that are crossed like an edge, but one way only or at a cost.
///
/// Other handles of the mesh do not get it. No thread may use this handle meanwhile. It is out of
/// use while links are others than when it was made.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_build_oracle(
    mesh: Option<&mut Mesh>,
    max_bytes: usize,
    covered: Option<&mut MaybeUninit<f64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let figures = Arc::make_mut(&mut given("mesh", mesh)?.0).build_oracle(max_bytes);
        covered.map(|covered| covered.write(figures.covered));
        Ok(())
    })
}

/// Writes the figures of a mesh.
#[unsafe(no_mangle)]
pub extern "C" fn wm_mesh_info_of(
    mesh: Option<&Mesh>,
    info: Option<&mut MaybeUninit<MeshInfo>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = &given("mesh", mesh)?.0;
        let bounds = mesh.world_bounds();
        let found = MeshInfo {
            polygons: mesh.polygon_count(),
            corners: mesh.polygons().map(|polygon| polygon.corners().len()).sum(),
            vertices: mesh.vertices().len(),
            islands: mesh.islands().len(),
            links: mesh.links().len(),
            area: mesh.area(),
            min: bounds.map(|bounds| bounds.min.into()).unwrap_or_default(),
            max: bounds.map(|bounds| bounds.max.into()).unwrap_or_default(),
            agent_radius: mesh.agent().radius,
            agent_height: mesh.agent().height,
        };
        put("info", info, found)
    })
}

/// Writes the positions of the vertices.
///
/// # Safety
/// There is room for `capacity` positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_vertices(
    mesh: Option<&Mesh>,
    vertices: *mut Vec3,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        let items = mesh.0.vertices().iter().map(|&vertex| vertex.into());
        // SAFETY: the caller promises it.
        unsafe { copy("vertices", vertices, capacity, count, items) }
    })
}

/// Writes the vertices of all polygons, one polygon after another, clockwise as seen from above.
/// wm_mesh_polygon_starts writes the first corner of each polygon.
///
/// # Safety
/// There is room for `capacity` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_corners(
    mesh: Option<&Mesh>,
    corners: *mut u32,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        let of = mesh.0.polygons().flat_map(|polygon| polygon.corners().iter().map(|corner| corner.0));
        let items = of.collect::<Vec<u32>>().into_iter();
        // SAFETY: the caller promises it.
        unsafe { copy("corners", corners, capacity, count, items) }
    })
}

/// Writes the first corner of each polygon, then the number of corners: one number more than there
/// are polygons. The order is that of the ids of polygons; in the mesh of a world an id may have no
/// polygon, which shows as no corners and area 0.
///
/// # Safety
/// There is room for `capacity` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_polygon_starts(
    mesh: Option<&Mesh>,
    starts: *mut u32,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        let mut firsts = vec![0];
        let mut end = 0;
        for polygon in mesh.0.polygons_by_id() {
            end += polygon.map_or(0, |polygon| waymesh::core::to_u32(polygon.corners().len()));
            firsts.push(end);
        }
        // SAFETY: the caller promises it.
        unsafe { copy("starts", starts, capacity, count, firsts.into_iter()) }
    })
}

/// Writes the area of each polygon, in the order of wm_mesh_polygon_starts.
///
/// # Safety
/// There is room for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_mesh_areas(
    mesh: Option<&Mesh>,
    areas: *mut u8,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = given("mesh", mesh)?;
        let of = mesh.0.polygons_by_id().map(|polygon| polygon.map_or(0, |polygon| polygon.area_id().0));
        let items = of.collect::<Vec<u8>>();
        // SAFETY: the caller promises it.
        unsafe { copy("areas", areas, capacity, count, items.into_iter()) }
    })
}

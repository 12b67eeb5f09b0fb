//! Every function with a pointer and a count in it, from Rust, so that Miri can watch the border:
//! what C gives is read as what it is, and nothing is written where it was not said.
//!
//! `cargo +nightly miri test --test border` asks for the `MIRIFLAGS` that `.ci/run` sets: rayon's
//! queues need three of them, and leaks are valgrind's.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use waymesh_c::*;

const FLOOR: [Vec3; 4] = [
    Vec3 { x: 0.0, y: 0.0, z: 0.0 },
    Vec3 { x: 0.0, y: 0.0, z: 4.0 },
    Vec3 { x: 4.0, y: 0.0, z: 4.0 },
    Vec3 { x: 4.0, y: 0.0, z: 0.0 },
];
const TRIANGLES: [u32; 6] = [0, 1, 2, 0, 2, 3];
const FROM: Vec3 = Vec3 { x: 1.0, y: 0.0, z: 1.0 };
const TO: Vec3 = Vec3 { x: 3.0, y: 0.0, z: 3.0 };

/// Returns what a call wrote, which must have succeeded.
#[track_caller]
fn written<T>(
    call: impl FnOnce(Option<&mut MaybeUninit<T>>, Option<&mut MaybeUninit<Error>>) -> Status,
) -> T {
    let (mut place, mut error) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let status = call(Some(&mut place), Some(&mut error));
    if status != Status::Ok {
        // SAFETY: a call that fails writes its error.
        let error = unsafe { error.assume_init() };
        let text: String = error.text.iter().map(|&byte| char::from(byte.to_ne_bytes()[0])).collect();
        panic!("{status:?}: {}", text.trim_end_matches('\0'));
    }
    // SAFETY: a call that ends well writes its place.
    unsafe { place.assume_init() }
}

/// Everything that fills a buffer: asked for its size with none, then filled, then with too little
/// room.
#[track_caller]
fn filled<T: Copy>(
    fill: impl Fn(*mut T, usize, Option<&mut MaybeUninit<usize>>) -> Status,
    blank: T,
) -> Vec<T> {
    let mut count = MaybeUninit::uninit();
    let status = fill(null_mut(), 0, Some(&mut count));
    // SAFETY: it is written whether all fits or not.
    let count = unsafe { count.assume_init() };
    assert_eq!(status, if count == 0 { Status::Ok } else { Status::BufferTooSmall });
    let mut items = vec![blank; count];
    let mut there = MaybeUninit::uninit();
    assert_eq!(fill(items.as_mut_ptr(), count, Some(&mut there)), Status::Ok);
    if count > 1 {
        assert_eq!(fill(items.as_mut_ptr(), count - 1, Some(&mut there)), Status::BufferTooSmall);
    }
    assert_eq!(fill(items.as_mut_ptr(), count, None), Status::BadArgument);
    items
}

/// A function that copies an array of a mesh.
type Copies<T> = unsafe extern "C" fn(
    Option<&Mesh>,
    *mut T,
    usize,
    Option<&mut MaybeUninit<usize>>,
    Option<&mut MaybeUninit<Error>>,
) -> Status;

#[track_caller]
fn array<T: Copy>(copies: Copies<T>, mesh: &Mesh, blank: T) -> Vec<T> {
    // SAFETY: `filled` gives a buffer of the size that it says.
    filled(|at, room, count| unsafe { copies(Some(mesh), at, room, count, None) }, blank)
}

/// A setting without a value.
fn setting(name: &CStr) -> Setting {
    Setting { name: name.as_ptr(), number: 0.0, text: null(), numbers: null(), count: 0 }
}

fn number(name: &CStr, number: f64) -> Setting {
    Setting { number, ..setting(name) }
}

fn text(name: &CStr, text: &CStr) -> Setting {
    Setting { text: text.as_ptr(), ..setting(name) }
}

fn origin(origin: &[f64; 3]) -> Setting {
    Setting { numbers: origin.as_ptr(), count: 3, ..setting(c"origin") }
}

fn settings() -> Vec<Setting> {
    let numbers = [(c"cell_size", 0.5), (c"level_height", 0.25), (c"agent_radius", 0.25), (c"threads", 1.0)];
    numbers.map(|(name, value)| number(name, value)).into()
}

extern "C" fn progress(user: *mut c_void, stage: *const c_char, done: f32) -> i32 {
    // SAFETY: the bake gets a counter that outlives it.
    let calls = unsafe { &mut *user.cast::<usize>() };
    // SAFETY: stages have names.
    let stage = unsafe { CStr::from_ptr(stage) };
    assert!(!stage.is_empty() && (0.0..=1.0).contains(&done));
    *calls += 1;
    1
}

/// Two triangles over vertices in single precision.
fn floor(vertices: *const Vec3, vertex_count: usize, indices: *const u32) -> Triangles {
    Triangles { vertices, doubles: null(), vertex_count, indices, count: 2, areas: null() }
}

fn bake() -> Box<Mesh> {
    let settings = settings();
    let areas = [1_u8, 2];
    let mut calls = 0_usize;
    let user = (&raw mut calls).cast();
    // SAFETY: all arrays have as many elements as is said.
    let mesh = written(|place, error| unsafe {
        let scene = Triangles { areas: areas.as_ptr(), ..floor(FLOOR.as_ptr(), 4, TRIANGLES.as_ptr()) };
        wm_mesh_bake(Some(&scene), settings.as_ptr(), settings.len(), Some(progress), user, place, error)
    });
    assert!(calls > 0);
    mesh.unwrap()
}

#[test]
fn arrays_and_files_in_memory() {
    let mesh = bake();
    let info: MeshInfo = written(|place, error| wm_mesh_info_of(Some(&mesh), place, error));
    let vertices = array(wm_mesh_vertices, &mesh, FROM);
    let corners = array(wm_mesh_corners, &mesh, 0);
    let starts = array(wm_mesh_polygon_starts, &mesh, 0);
    let areas = array(wm_mesh_areas, &mesh, 0);
    assert_eq!((vertices.len(), corners.len()), (info.vertices, info.corners));
    assert_eq!((starts.len(), areas.len()), (info.polygons + 1, info.polygons));
    assert!(areas.contains(&1) && areas.contains(&2));
    for format in [Format::Exchange, Format::Packed] {
        let bytes = filled(
            // SAFETY: as above.
            |at, room, count| unsafe { wm_mesh_write(Some(&mesh), format as u32, at, room, count, None) },
            0,
        );
        // SAFETY: the bytes are as many as is said.
        let again =
            written(|place, error| unsafe { wm_mesh_read(bytes.as_ptr(), bytes.len(), place, error) });
        let again: Option<Box<Mesh>> = again;
        let same: MeshInfo = written(|place, error| wm_mesh_info_of(again.as_deref(), place, error));
        assert_eq!(same, info);
        wm_mesh_free(again);
        let mut none = MaybeUninit::uninit();
        // SAFETY: half of the bytes are there, too.
        let cut = unsafe { wm_mesh_read(bytes.as_ptr(), bytes.len() / 2, Some(&mut none), None) };
        assert_eq!(cut, Status::BadFile);
    }
    let shared: Option<Box<Mesh>> = written(|place, error| wm_mesh_share(Some(&mesh), place, error));
    wm_mesh_free(Some(mesh));
    wm_mesh_free(shared);
    wm_mesh_free(None);
}

/// Bakes the floor with corners in this order, moved.
fn bake_moved(triangles: &[u32; 6], by: f32, settings: &[Setting]) -> (Status, String, f64) {
    let vertices = FLOOR.map(|Vec3 { x, y, z }| Vec3 { x: x + by, y, z });
    baked(&floor(vertices.as_ptr(), 4, triangles.as_ptr()), settings)
}

/// Bakes the floor far away, in double precision.
fn bake_far(by: [f64; 3], settings: &[Setting]) -> (Status, String, f64) {
    let doubles =
        FLOOR.map(|Vec3 { x, y, z }| [f64::from(x) + by[0], f64::from(y) + by[1], f64::from(z) + by[2]]);
    let doubles = doubles.as_ptr().cast();
    baked(&Triangles { doubles, ..floor(null(), 4, TRIANGLES.as_ptr()) }, settings)
}

/// The status, the text and the area of a bake.
fn baked(triangles: &Triangles, settings: &[Setting]) -> (Status, String, f64) {
    let (mut mesh, mut error) = (MaybeUninit::uninit(), MaybeUninit::<Error>::uninit());
    let (first, count, made, why) = (settings.as_ptr(), settings.len(), Some(&mut mesh), Some(&mut error));
    // SAFETY: all arrays have as many elements as is said.
    let status = unsafe { wm_mesh_bake(Some(triangles), first, count, None, null_mut(), made, why) };
    if status != Status::Ok {
        // SAFETY: an error is written with every other status. Its text ends in a zero byte.
        let error = unsafe { error.assume_init() };
        // SAFETY: as above.
        let text = unsafe { CStr::from_ptr(error.text.as_ptr()) };
        return (status, text.to_string_lossy().into_owned(), 0.0);
    }
    // SAFETY: the mesh is written with this status.
    let mesh: Option<Box<Mesh>> = unsafe { mesh.assume_init() };
    let info: MeshInfo = written(|place, error| wm_mesh_info_of(mesh.as_deref(), place, error));
    assert!(info.min.x.abs() < 30.0, "{}", info.min.x);
    (status, String::new(), info.area)
}

#[test]
fn triangles_may_lie_far_away_and_face_either_way() {
    let mut settings = settings();
    let turned = [0_u32, 2, 1, 0, 3, 2];
    let (_, _, area) = bake_moved(&TRIANGLES, 0.0, &settings);
    assert!(area > 1.0);
    let near = [4096.0, 0.0, 0.0];
    settings.push(origin(&near));
    assert_eq!(bake_moved(&TRIANGLES, 4096.0, &settings).2, area);
    assert_ne!(bake_moved(&turned, 4096.0, &settings).0, Status::Ok);
    settings.push(text(c"winding", c"flipped"));
    assert_eq!(bake_moved(&turned, 4096.0, &settings).2, area);
    settings.push(text(c"winding", c"two_sided"));
    assert_eq!(bake_moved(&turned, 4096.0, &settings).2, area);
    assert_eq!(bake_moved(&TRIANGLES, 4096.0, &settings).2, area);
    // Single precision has steps of half a metre there.
    let far = [500_000.25, 30.5, 5_400_000.75];
    settings.push(origin(&far));
    assert_eq!(bake_far(far, &settings).2, area);
    let nowhere = [0.0, f64::NAN, 0.0];
    for (wrong, expected) in [
        (text(c"winding", c"inside_out"), "winding is \"inside_out\", but must be one of as_read"),
        (origin(&nowhere), "origin is NaN"),
        (number(c"max_slope", 95.0), "max_slope is 95 degrees"),
        (text(c"jumps", c"{\"max_length\": -1}"), "max_length"),
        (text(c"keep", c"[[1, 2]]"), "keep cannot be [[1, 2]]"),
    ] {
        let (status, text, _) = bake_moved(&turned, 4096.0, &[&settings[..], &[wrong]].concat());
        assert_eq!(status, Status::BadSetting, "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn what_c_says_wrong_is_refused() {
    let settings = settings();
    let mut mesh: MaybeUninit<Option<Box<Mesh>>> = MaybeUninit::uninit();
    let mut bake = |vertices: *const Vec3, count: usize, triangles: *const u32| {
        let scene = floor(vertices, count, triangles);
        let (first, count, mesh) = (settings.as_ptr(), settings.len(), Some(&mut mesh));
        // SAFETY: what is not there is null, misaligned or longer than memory, and refused before it
        // is read.
        unsafe { wm_mesh_bake(Some(&scene), first, count, None, null_mut(), mesh, None) }
    };
    let odd = FLOOR.as_ptr().cast::<u8>().wrapping_add(1).cast();
    assert_eq!(bake(null(), 4, TRIANGLES.as_ptr()), Status::BadArgument);
    assert_eq!(bake(odd, 3, TRIANGLES.as_ptr()), Status::BadArgument);
    assert_eq!(bake(FLOOR.as_ptr(), usize::MAX, TRIANGLES.as_ptr()), Status::BadArgument);
    assert_eq!(bake(FLOOR.as_ptr(), 4, null()), Status::BadArgument);
    // A triangle with a vertex that is not there.
    assert_ne!(bake(FLOOR.as_ptr(), 3, TRIANGLES.as_ptr()), Status::Ok);
    // SAFETY: no name is refused.
    assert_eq!(unsafe { wm_mesh_open(null(), Some(&mut mesh), None) }, Status::BadArgument);
    // SAFETY: the name ends in a zero.
    let unnamed = unsafe { wm_mesh_open(c"\xff".as_ptr(), Some(&mut mesh), None) };
    assert_eq!(unnamed, Status::BadArgument);
}

extern "C" fn allows(user: *mut c_void, polygon: u32, _area: u8) -> u32 {
    // SAFETY: the path gets a number that outlives it.
    let refused = unsafe { *user.cast::<u32>() };
    u32::from(polygon != refused)
}

#[test]
fn queries() {
    let mesh = bake();
    let mut query = written(|place, error| wm_query_new(place, error)).unwrap();
    let reach = Reach { side: 1.0, up: 1.0, down: 1.0 };
    let costs = [1.0_f32, 2.0, 1.0];
    let refused = u32::MAX;
    let mut wish: QuerySettings = written(|place, error| wm_query_settings_default(place, error));
    wish.reach = &raw const reach;
    wish.area_costs = costs.as_ptr();
    wish.area_cost_count = costs.len();
    wish.allows = Some(allows);
    wish.user = (&raw const refused).cast_mut().cast();
    // SAFETY: the settings point to what outlives the call, here and below.
    let from: Place =
        written(|place, error| unsafe { wm_nearest(Some(&mesh), FROM, Some(&wish), place, error) });
    let mut points = [FROM; 8];
    // SAFETY: there is room for as many points as is said, and the settings point to what outlives
    // the call.
    let path: PathInfo = written(|place, error| unsafe {
        wm_find_path(
            Some(&mesh),
            Some(&mut query),
            FROM,
            TO,
            Some(&wish),
            points.as_mut_ptr(),
            8,
            place,
            error,
        )
    });
    assert_eq!(path.outcome, Outcome::Complete);
    assert!((path.length - 8.0_f32.sqrt()).abs() < 1e-3);
    // SAFETY: `filled` gives a buffer of the size that it says.
    let polygons =
        filled(|at, room, count| unsafe { wm_query_polygons(Some(&query), at, room, count, None) }, 0);
    assert_eq!(polygons.len(), path.polygons);
    // SAFETY: as above.
    let ray: Ray = written(|place, error| unsafe {
        wm_raycast(Some(&mesh), Some(&mut query), Some(&from), TO, Some(&wish), place, error)
    });
    assert_eq!(ray.hit, 0);
    // SAFETY: as above.
    let end: Place = written(|place, error| unsafe {
        wm_move_along(Some(&mesh), Some(&mut query), Some(&from), TO, Some(&wish), place, error)
    });
    // SAFETY: as above.
    let wall: Wall = written(|place, error| unsafe {
        wm_nearest_wall(Some(&mesh), Some(&mut query), Some(&end), 9.0, Some(&wish), place, error)
    });
    assert_eq!(wall.found, 1);
    let mut places = [from; 3];
    // SAFETY: there is room for three places.
    let status = unsafe { wm_random_places(Some(&mesh), 7, Some(&wish), places.as_mut_ptr(), 3, None) };
    assert_eq!(status, Status::Ok);
    let discs: Option<Box<Discs>> = written(|place, error| wm_discs_new(Some(&mesh), place, error));
    // SAFETY: there is room for one point, which is too little, and that is said.
    let status = unsafe {
        let (discs, query, info) = (discs.as_deref(), Some(&mut *query), Some(&mut MaybeUninit::uninit()));
        wm_discs_find_path(discs, query, FROM, TO, 0.1, 1, points.as_mut_ptr(), 1, info, None)
    };
    assert_eq!(status, Status::BufferTooSmall);
    wm_discs_free(discs);
    wm_query_free(Some(query));
    wm_mesh_free(Some(mesh));
}

#[test]
fn worlds_and_crowds() {
    let mut settings = settings();
    let max = Vec3 { x: 4.0, y: 2.0, z: 4.0 };
    settings.push(number(c"tile_cells", 16.0));
    // SAFETY: there are as many settings as is said.
    let world: Option<Box<World>> = written(|place, error| unsafe {
        wm_world_new(FLOOR[0], max, settings.as_ptr(), settings.len(), place, error)
    });
    let mut world = world.unwrap();
    let scene = floor(FLOOR.as_ptr(), 4, TRIANGLES.as_ptr());
    // SAFETY: all arrays have as many elements as is said.
    let status = unsafe { wm_world_add_triangles(Some(&mut world), Some(&scene), None) };
    assert_eq!(status, Status::Ok);
    let corners = [1.1_f32, 1.0, 1.1, 2.9, 2.9, 2.0];
    let shape = Shape {
        kind: ShapeKind::Prism as u32,
        min: FLOOR[0],
        max,
        radius: 0.0,
        height: 0.0,
        corners: corners.as_ptr(),
        corner_count: 3,
    };
    // SAFETY: the shape has as many corners as it says.
    let mark: u64 =
        written(|place, error| unsafe { wm_world_add_mark(Some(&mut world), Some(&shape), 5, place, error) });
    let update: Update = written(|place, error| wm_world_update(Some(&mut world), place, error));
    assert!(update.polygons > 1);
    assert_eq!(wm_world_remove_mark(Some(&mut world), mark, None), Status::Ok);
    // SAFETY: as above.
    let obstacle: u64 = written(|place, error| unsafe {
        wm_world_add_obstacle(Some(&mut world), Some(&shape), 0, place, error)
    });
    let _: Update = written(|place, error| wm_world_update(Some(&mut world), place, error));
    let mesh: Option<Box<Mesh>> = written(|place, error| wm_world_mesh(Some(&world), place, error));
    assert_eq!(wm_world_remove_obstacle(Some(&mut world), obstacle, None), Status::Ok);
    wm_world_free(Some(world));

    let mut crowd: Box<Crowd> = written(|place, error| wm_crowd_new(place, error)).unwrap();
    let wish: AgentSettings = written(|place, error| wm_agent_settings_default(place, error));
    let agent: u64 = written(|place, error| {
        wm_crowd_add(Some(&mut crowd), mesh.as_deref(), FROM, Some(&wish), place, error)
    });
    let status = wm_crowd_set_target(Some(&mut crowd), mesh.as_deref(), agent, TO, None);
    assert_eq!(status, Status::Ok);
    for _ in 0..2 {
        assert_eq!(wm_crowd_step(Some(&mut crowd), mesh.as_deref(), 0.1, None), Status::Ok);
    }
    let state: AgentState = written(|place, error| wm_crowd_agent(Some(&crowd), agent, place, error));
    assert_eq!(state.status, AgentStatus::Walking);
    wm_crowd_free(Some(crowd));
    wm_mesh_free(mesh);
}

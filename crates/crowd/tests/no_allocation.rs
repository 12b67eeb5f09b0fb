//! Steps allocate nothing once crowd and agents have grown: every allocation of this thread is
//! counted.
#![expect(unsafe_code, reason = "a global allocator cannot be written without; it only counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use glam::Vec3;
use waymesh_crowd::{AgentParams, Crowd, CrowdConfig};
use waymesh_graph::NavMesh;
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that ends may have lost its counter.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: everything is passed on to the system's allocator; counting touches no memory but a cell
// of the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_allocate_nothing_once_warm() {
    let rooms =
        [[0, 0, 10, 10], [10, 4, 11, 6], [11, 0, 20, 10], [4, 10, 6, 11], [0, 11, 10, 20], [10, 14, 11, 16]];
    let rooms = [&rooms[..], &[[11, 11, 20, 20], [14, 10, 16, 11]]].concat();
    let mesh = NavMesh::try_from(flat_meshes::build(&rectangle_borders(&rooms))).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
        let place = |index: u16| {
            let [x, z] = [index % 4, index / 4].map(|along| [1.5, 5.0, 13.0, 18.0][usize::from(along)]);
            Vec3::new(x, 0.0, z)
        };
        let agents: Vec<_> =
            (0..16).map(|index| crowd.add(&mesh, AgentParams::default(), place(index)).unwrap()).collect();
        // Without this the test could not fail.
        let before = COUNT.get();
        drop(std::hint::black_box(Vec::<u64>::with_capacity(10)));
        assert!(COUNT.get() > before);
        let mut rounds = 0_u16;
        let mut walk = |crowd: &mut Crowd, steps: u32| {
            for step in 0..steps {
                if step % 300 == 0 {
                    rounds += 1;
                    for (index, &agent) in (0_u16..).zip(&agents) {
                        crowd.set_target(&mesh, agent, place((index + 5 * rounds) % 16)).unwrap();
                    }
                }
                crowd.step(&mesh, 1.0 / 30.0).unwrap();
            }
        };
        walk(&mut crowd, 64 * 300);
        let before = COUNT.get();
        walk(&mut crowd, 4 * 300);
        assert_eq!(COUNT.get() - before, 0, "steps allocate");
    });
}

//! Steps allocate nothing once crowd and agents have grown: every allocation of this thread is
//! counted.

#![expect(clippy::unwrap_used, reason = "tests")]

use glam::Vec3;
use waymesh_crowd::{AgentParams, Crowd, CrowdConfig};
use waymesh_graph::{MeshSource, NavMesh};
use waymesh_testkit::allocations::{Counting, allocations};
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns four rooms, and doors of 2 m between them.
fn rooms() -> NavMesh {
    let rooms =
        [[0, 0, 10, 10], [10, 4, 11, 6], [11, 0, 20, 10], [4, 10, 6, 11], [0, 11, 10, 20], [10, 14, 11, 16]];
    let rooms = [&rooms[..], &[[11, 11, 20, 20], [14, 10, 16, 11]]].concat();
    NavMesh::try_from(flat_meshes::build(&rectangle_borders(&rooms))).unwrap()
}

/// Tests that agents of these radii, in turn, walk from room to room without allocations.
fn steps_allocate_nothing(ground: &impl MeshSource, radii: [f32; 2]) {
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let place = |index: u16| {
        let [x, z] = [index % 4, index / 4].map(|along| [1.5, 5.0, 13.0, 18.0][usize::from(along)]);
        Vec3::new(x, 0.0, z)
    };
    let params = |index: u16| AgentParams::default().with_radius(radii[usize::from(index % 2)]);
    let agents: Vec<_> =
        (0..16).map(|index| crowd.add(ground, params(index), place(index)).unwrap()).collect();
    // Without this the test could not fail.
    let before = allocations();
    drop(std::hint::black_box(Vec::<u64>::with_capacity(10)));
    assert!(allocations() > before);
    let mut rounds = 0_u16;
    let mut walk = |crowd: &mut Crowd, steps: u32| {
        for step in 0..steps {
            if step % 300 == 0 {
                rounds += 1;
                for (index, &agent) in (0_u16..).zip(&agents) {
                    crowd.set_target(ground, agent, place((index + 5 * rounds) % 16)).unwrap();
                }
            }
            crowd.step(ground, 1.0 / 30.0).unwrap();
        }
    };
    walk(&mut crowd, 128 * 300);
    let before = allocations();
    walk(&mut crowd, 4 * 300);
    assert_eq!(allocations() - before, 0, "steps allocate");
}

#[test]
fn steps_allocate_nothing_once_warm() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| steps_allocate_nothing(&rooms(), [0.3; 2]));
}

#[test]
fn nor_do_those_of_agents_that_are_wider_than_the_mesh_is_for() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mesh = waymesh::with_clearance(rooms(), &Default::default()).unwrap();
    let beyond = mesh.mesh().agent().radius;
    pool.install(|| steps_allocate_nothing(&mesh, [beyond + 0.2, beyond + 0.4]));
}

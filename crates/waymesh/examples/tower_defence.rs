//! Tower defence: a tower may stand where creeps can still pass, and all creeps share one search.
//!
//! `cargo run --release --package waymesh --example tower_defence`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::glam::vec3;
use waymesh::{Baker, Bounds, Obstacle, TriangleSoup, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corners = [[0., 0.], [0., 24.], [40., 24.], [40., 0.]].map(|[x, z]| vec3(x, 0.0, z));
    let field = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
    let mut world = World::bake(Baker::voxels().agent_radius(0.4), &field, 48)?;
    let handle = world.handle();

    // Towers in a row across the field: the last one would close it.
    let (gate, base) = (vec3(2.0, 0.0, 12.0), vec3(38.0, 0.0, 12.0));
    let mut towers = 0;
    for z in (0..24_u8).step_by(2) {
        let low = vec3(20.0, -1.0, f32::from(z));
        let shape = Bounds { min: low, max: low + vec3(2.0, 4.0, 2.0) };
        let tower = world.add_obstacle(Obstacle::solid(shape))?;
        world.update(&mut ())?;
        match handle.mesh().path(gate, base) {
            Ok(_) => towers += 1,
            Err(reason) => {
                println!("no tower at z = {z}: {reason}");
                world.remove_obstacle(tower);
                world.update(&mut ())?;
            }
        }
    }
    println!("{towers} towers, {:.1} m to the base", handle.mesh().path(gate, base)?.length);
    assert_eq!(towers, 11);

    // One search from the base; each creep reads its way from the result in every frame.
    let mesh = handle.mesh();
    let mut query = mesh.query();
    let map = query.distance_map(base, f32::INFINITY)?;
    let creeps = (1..24_u8).map(|z| query.nearest(gate.with_z(f32::from(z))));
    let mut creeps = creeps.collect::<Result<Vec<_>, _>>()?;
    for _frame in 0..60 * 30 {
        for creep in &mut creeps {
            let Some(way) = map.heading(&mesh, creep)? else { continue };
            *creep = query.walk(*creep, creep.position.move_towards(way.next, 0.1))?;
        }
    }
    assert!(creeps.iter().all(|creep| creep.position.distance(base) < 0.1));
    Ok(())
}

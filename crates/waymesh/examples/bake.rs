//! Bake a level for two agents, a person and an ogre, with ground that costs more to cross.
//!
//! `cargo run --release --package waymesh --example bake`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::glam::vec3;
use waymesh::io::{AreaRules, LoadOptions, parse_scene};
use waymesh::{AreaCosts, Baker, Bounds, Mark};

/// A meadow with a pond and 8 m of land next to it. `load_with_names` reads files.
const LEVEL: &[u8] = b"
o meadow
v 0 0 0\nv 20 0 0\nv 20 0 6\nv 0 0 6\nv 0 0 14\nv 20 0 14\nv 0 0 20\nv 20 0 20\nv 8 0 6\nv 8 0 14
f 1 4 9 3 2\nf 5 7 8 6 10\nf 4 5 10 9
o water
f 9 10 6 3
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Areas by the names of surfaces: a metre of water costs as much as five of grass.
    let rules = AreaRules::parse(&["*water*=water:5"])?;
    let level = parse_scene("pond.obj".as_ref(), LEVEL, &LoadOptions::default(), Some(&rules.map()))?;
    // Areas of volumes: mud on the land next to the pond.
    let mut areas = rules.table().clone();
    let mud = areas.named("mud:2")?;
    let swamp = Bounds { min: vec3(0.0, -1.0, 9.0), max: vec3(8.0, 1.0, 11.0) };
    let baker = Baker::voxels().areas(areas).marks([Mark::new(swamp, mud)]);

    // The two differ in height and step too, so each has a mesh. One mesh for all radii: see `rts`.
    let person = baker.clone().agent_radius(0.3).max_step(0.4).bake(&level)?;
    let ogre = baker.agent_radius(1.2).agent_height(3.0).max_step(1.0).bake(&level)?;
    for (name, mesh) in [("person", &person), ("ogre", &ogre)] {
        let (from, to) = (vec3(15.0, 0.0, 2.0), vec3(15.0, 0.0, 18.0));
        let swum = mesh.path(from, to)?.length;
        let path = mesh.query().costs(AreaCosts::of_mesh(mesh)).path(from, to)?;
        println!("{name}: {:.0} m2, {swum:.1} m by water, {:.1} m by land", mesh.area(), path.length);
        assert!(swum < path.length && path.length < path.cost);
    }
    assert!(ogre.area() < person.area());
    Ok(())
}

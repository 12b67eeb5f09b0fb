//! Ground that costs more: mud is marked during the bake, and a path goes round it where that pays.
//!
//! `cargo run --release --package waymesh --example costs`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use waymesh::core::{AreaId, Bounds, TriangleSoup};
use waymesh::glam::{Vec3, vec3};
use waymesh::voxel::{Mark, MarkShape};
use waymesh::{AreaCosts, AreaFilter, Baker};

const MUD: AreaId = AreaId(2);

fn main() -> Result<(), Box<dyn Error>> {
    // A field of 40 x 20 m with a strip of mud across all of it but for the last 3 m.
    let corners = [[0., 0.], [0., 20.], [40., 20.], [40., 0.]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let soup = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
    let mud = Bounds { min: vec3(18.0, -1.0, 0.0), max: vec3(22.0, 1.0, 17.0) };

    let mud = Mark::new(MarkShape::Box { bounds: mud }, MUD);
    let mesh = Baker::voxels().marks(vec![mud]).bake(&soup)?;

    let [from, to] = [vec3(5.0, 0.0, 8.0), vec3(35.0, 0.0, 8.0)];
    let straight = mesh.path(from, to)?;
    println!("mud costs 1 a metre: {:.1} m", straight.length);

    let around = mesh.query().costs(AreaCosts::default().with(MUD, 10.0)).path(from, to)?;
    println!("mud costs 10:        {:.1} m, cost {:.1}", around.length, around.cost);

    let forbidden = mesh.query().filter(AreaFilter::default().without(MUD)).path(from, to)?;
    println!("no mud allowed:      {:.1} m", forbidden.length);

    assert!(forbidden.length >= around.length - 0.1);
    assert!(straight.length < around.length && around.cost < straight.length + 4.0 * 9.0);
    Ok(())
}

//! Ground that costs more: mud is marked during the bake, and a path goes round it where that pays.
//!
//! `cargo run --release --package waymesh --example costs`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use waymesh::core::{AreaId, Bounds, TriangleSoup};
use waymesh::glam::{Vec3, vec3};
use waymesh::voxel::{FieldBuilder, Mark, MarkShape};
use waymesh::{Agent, AreaCosts, AreaFilter, Baker, Outcome, PathOptions, QueryScratch};

const MUD: AreaId = AreaId(2);

fn main() -> Result<(), Box<dyn Error>> {
    // A field of 40 x 20 m with a strip of mud across all of it but for the last 3 m.
    let corners = [[0., 0.], [0., 20.], [40., 20.], [40., 0.]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let soup = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
    let mud = Bounds { min: vec3(18.0, -1.0, 0.0), max: vec3(22.0, 1.0, 17.0) };

    let builder =
        FieldBuilder::new(Agent::default()).with_marks(vec![Mark::new(MarkShape::Box { bounds: mud }, MUD)]);
    let mesh = Baker::voxels().with_build_field(builder).bake(&soup)?;

    let mut scratch = QueryScratch::default();
    let [from, to] = [vec3(5.0, 0.0, 8.0), vec3(35.0, 0.0, 8.0)];
    let straight = mesh.query().memory(&mut scratch).path(from, to)?;
    println!("mud costs 1 a metre: {:.1} m", straight.length);

    let dear = PathOptions::default().with_cost(AreaCosts::default().with(MUD, 10.0));
    let around = mesh.query().options(dear).memory(&mut scratch).path(from, to)?;
    println!("mud costs 10:        {:.1} m, cost {:.1}", around.length, around.cost);

    let dry = PathOptions::default().with_filter(AreaFilter::default().without(MUD));
    let forbidden = mesh.query().options(dry).memory(&mut scratch).path(from, to)?;
    println!("no mud allowed:      {:.1} m", forbidden.length);

    assert_eq!(forbidden.outcome, Outcome::Complete);
    assert!(straight.length < around.length && around.cost < straight.length + 4.0 * 9.0);
    Ok(())
}

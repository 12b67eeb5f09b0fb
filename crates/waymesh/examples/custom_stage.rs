//! A stage of your own: it gives steep ground another area, which costs more to cross.
//!
//! `cargo run --release --package waymesh --example custom_stage`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::core::stage::{BuildField, StageError};
use waymesh::core::{Direction, Heightfield, Observer, WalkableField};
use waymesh::glam::vec3;
use waymesh::voxel::FieldBuilder;
use waymesh::{AreaCosts, AreaId, Baker, Reach};
use waymesh_scenes::{Scene, SceneConfig};

const STEEP: AreaId = AreaId(2);

/// The built-in stage, and then the area of cells that rise to a neighbour by more than 15 %.
#[derive(Default)]
struct SteepGround(FieldBuilder);

impl BuildField for SteepGround {
    fn build_field(&self, solid: &Heightfield, out: &mut dyn Observer) -> Result<WalkableField, StageError> {
        let mut field = self.0.build_field(solid, out)?;
        let limit = 0.15 * field.frame.cell_size / field.frame.level_height;
        let ground = |span: u32| field.ground[span as usize];
        let is_steep = |&span: &u32| {
            let neighbours =
                Direction::ALL.into_iter().filter_map(|side| field.walkable_neighbour(span, side));
            field.is_walkable(span) && neighbours.map(ground).any(|next| (next - ground(span)).abs() > limit)
        };
        let steep: Vec<u32> = (0..).take(field.len()).filter(is_steep).collect();
        steep.into_iter().for_each(|span| field.area[span as usize] = STEEP);
        Ok(field)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hills = Scene::RollingTerrain.build(&SceneConfig::default());
    // With `validate_stages` the bake checks the result of each stage, and names the one at fault.
    let mesh = Baker::voxels().validate_stages(true).with_build_field(SteepGround::default()).bake(&hills)?;
    let (from, to) = (vec3(5.0, 5.0, 5.0), vec3(115.0, 5.0, 115.0));
    let query = || mesh.query().reach(Reach::new(2.0, 10.0, 10.0));
    let straight = query().path(from, to)?;
    let gentle = query().costs(AreaCosts::default().with(STEEP, 3.0)).path(from, to)?;
    println!("{:.1} m, or {:.1} m on gentle slopes", straight.length, gentle.length);
    assert!(straight.length < gentle.length && gentle.cost < 3.0 * straight.length);
    Ok(())
}

/// The suite of the built-in stages. Outside of this workspace it is the crate `waymesh-contract`.
#[test]
fn steep_ground_keeps_the_contract() {
    waymesh_testkit::contracts::build_field(&waymesh::voxel::Voxelizer::default(), &SteepGround::default());
}

//! Helpers of the tests on whole scenes.

use waymesh::front::Stages;
use waymesh::region::connected_components;
use waymesh::{BakeConfig, Baker, NavMesh, TriangleSoup};
use waymesh_testkit::Random;

/// Bakes with every stage checked, and keeps the stages.
pub(crate) fn bake(name: &str, config: &BakeConfig, soup: &TriangleSoup) -> (Stages, NavMesh) {
    let pipeline = Baker::voxels().with_config(config.clone().with_validate_stages(true));
    let stages = pipeline.bake_stages(soup, &mut ()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mesh = NavMesh::new(stages.polygons.clone(), Some(stages.surface.clone()), config.agent)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    (stages, mesh)
}

/// Draws random pairs of walkable spans; the mesh must join exactly those that the walkable field
/// joins.
pub(crate) fn check_connectivity(name: &str, stages: &Stages, mesh: &NavMesh, pairs: u32) {
    let field = &stages.field;
    let component = connected_components(field).labels;
    let walkable: Vec<u32> = (0..).take(field.len()).filter(|&span| field.is_walkable(span)).collect();
    let mut random = Random::new(0x57a7);
    let mut pick = || walkable[random.index(walkable.len())];
    for _ in 0..pairs {
        let (a, b) = (pick(), pick());
        let joined = component[a as usize] == component[b as usize];
        let island = |span| mesh.island_of(polygon_under(stages, mesh, span));
        assert_eq!(island(a) == island(b), joined, "{name}: spans {a} and {b}");
    }
}

/// Returns the polygon of a span: the nearest one to the ground at the cell's centre.
fn polygon_under(stages: &Stages, mesh: &NavMesh, span: u32) -> waymesh::PolyId {
    let field = &stages.field;
    let (x, z) = field.column_of(span);
    let height = f64::from(field.ground[span as usize]);
    let position = field.frame.to_world(f64::from(x) + 0.5, height, f64::from(z) + 0.5);
    let found = mesh.nearest(position, &mesh.default_reach());
    found.unwrap_or_else(|| panic!("no polygon near span {span} at {position}")).polygon
}

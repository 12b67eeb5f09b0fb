//! `cargo xtask pictures`: the pictures of the READMEs, each drawn from what the crate makes.

pub(crate) mod flat;
mod moving;
mod scene;
pub(crate) mod sheet;
mod solid;

use anyhow::Result;
use waymesh::front::Stages;
use waymesh::{Agent, BakeConfig, Baker, FloorPlans, NavMesh, Storeys, TriangleSoup};

use crate::cargo;
use sheet::save;

/// Draws a picture as SVG.
type Draw = fn() -> Result<String>;

/// Path of each picture below the root folder, and its function.
const PICTURES: &[(&str, Draw)] = &[
    ("docs/pictures/waymesh.svg", solid::overview),
    ("crates/waymesh/picture.svg", solid::front_ends),
    ("crates/core/picture.svg", flat::vocabulary),
    ("crates/voxel/picture.svg", flat::spans),
    ("crates/region/picture.svg", flat::partitions),
    ("crates/contour/picture.svg", flat::contours),
    ("crates/triangulate/picture.svg", flat::triangles),
    ("crates/convex/picture.svg", flat::decomposition),
    ("crates/detail/picture.svg", solid::heights),
    ("crates/solid/picture.svg", flat::rays),
    ("crates/slices/picture.svg", solid::slices),
    ("crates/storeys/picture.svg", solid::storeys),
    ("crates/floorplan/picture.svg", flat::floor_plan),
    ("crates/tile/picture.svg", flat::tiles),
    ("crates/graph/picture.svg", flat::queries),
    ("crates/scenes/picture.svg", flat::scenes),
    ("docs/book/src/pictures/world.svg", moving::world),
    ("docs/book/src/pictures/radius.svg", moving::radius),
];

/// Draws all pictures whose path contains `only`.
pub(crate) fn run(only: &str) -> Result<()> {
    for (path, draw) in PICTURES.iter().filter(|(path, _)| path.contains(only)) {
        save(path, &draw()?)?;
    }
    let judged = "crates/metrics/picture.svg";
    if judged.contains(only) {
        // The program's own picture of a mesh that is too coarse on purpose.
        let file = |name: &str| crate::root().join("target").join(name).to_string_lossy().into_owned();
        let (scene, mesh) = (file("judged.stl"), file("judged.wmesh"));
        let program = ["run", "--quiet", "--package", "waymesh-cli", "--"];
        let picture = crate::root().join(judged).to_string_lossy().into_owned();
        for words in [
            &["scene", "terraces", "-o", &scene][..],
            &["build", &scene, "-o", &mesh, "--cell-size", "0.7"],
            &["evaluate", &scene, "--mesh", &mesh, "--svg", &picture],
        ] {
            cargo(&[&program, words].concat(), &[])?;
        }
    }
    if GUIDE.contains(only) {
        // Most pictures of the guide are written by the commands on its pages.
        let folder = crate::root().join(GUIDE).to_string_lossy().into_owned();
        let test = ["test", "--quiet", "--package", "waymesh-cli", "--test", "guide"];
        cargo(&test, &[("WAYMESH_GUIDE_PICTURES", &folder)])?;
    }
    let (crowd, of_guide) = ("crates/crowd/picture.svg", "docs/book/src/pictures/crowd.svg");
    if crowd.contains(only) || of_guide.contains(only) {
        let picture = crate::root().join(crowd);
        let example = ["run", "--quiet", "--package", "waymesh-crowd", "--example", "picture"];
        cargo(&[&example[..], &[picture.to_string_lossy().as_ref()]].concat(), &[])?;
        std::fs::copy(picture, crate::root().join(of_guide))?;
    }
    Ok(())
}

/// Folder of the guide's pictures.
const GUIDE: &str = "docs/book/src/pictures";

/// The settings of all pictures: an agent that fits the hall.
fn config(cell_size: f32) -> BakeConfig {
    let agent = Agent::default().with_radius(0.4).with_max_step(0.5);
    BakeConfig::default().with_scale(cell_size, cell_size / 2.0).with_agent(agent).with_min_region(3.0)
}

/// All stages of a bake in voxels.
fn stages(soup: &TriangleSoup, cell_size: f32) -> Result<Stages> {
    Ok(Baker::voxels().with_config(config(cell_size)).bake_stages(soup, &mut ())?)
}

/// The mesh of a bake in voxels.
fn voxels(soup: &TriangleSoup, cell_size: f32) -> Result<NavMesh> {
    Ok(Baker::voxels().with_config(config(cell_size)).bake(soup)?)
}

fn by_storeys(soup: &TriangleSoup, cell_size: f32) -> Result<NavMesh> {
    let config = config(cell_size).with_corners(waymesh::CornerChoice::FewestNotches);
    Ok(Baker::new(Storeys::default(), config).bake(soup)?)
}

fn by_slices(soup: &TriangleSoup) -> Result<NavMesh> {
    let baker = Baker::slices();
    let config = baker.config().clone().with_scale(0.1, 0.05).with_max_edge_error(0.1);
    Ok(baker.with_config(config).bake(soup)?)
}

/// The plan that the crate brings, and its mesh.
fn house() -> Result<(waymesh::floorplan::FloorPlan, NavMesh)> {
    use waymesh::floorplan::{EXAMPLE, PlanFormat, ReadOptions, parse_plan};
    let plan = parse_plan("house.toml", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default())?;
    let mesh = Baker::plans().with_front(FloorPlans::default().with_arc_error(0.04)).bake(&plan)?;
    Ok((plan, mesh))
}

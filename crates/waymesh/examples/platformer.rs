//! A platformer: ledges, jumps and a ladder are links, and an agent takes those it is able to.
//!
//! `cargo run --release --package waymesh --example platformer`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::glam::vec3;
use waymesh::{Baker, JumpConfig, LinkFilterFn, LinkId, LinkKind, NavMesh};
use waymesh_scenes::{Scene, SceneConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let level = Scene::Terraces.build(&SceneConfig::default());
    let baker = Baker::voxels().agent_radius(0.4).max_ledge(1.5).jumps(JumpConfig::default());
    let mut mesh = baker.bake(&level)?;
    // A ladder from the ground to the stage, as slow as 3 m more.
    let (ground, stage) = (vec3(14.0, 0.0, 12.0), vec3(20.0, 1.3, 7.0));
    let mut ladder = mesh.link_between(vec3(20.0, 0.0, 13.0), stage, LinkKind::User)?;
    ladder.extra_cost = 3.0;
    mesh.add_link(ladder)?;

    let mut first_links = Vec::new();
    for (name, abilities) in [
        ("robot", &[][..]),
        ("person", &[LinkKind::User, LinkKind::Drop]),
        ("cat", &[LinkKind::Step, LinkKind::Jump, LinkKind::Drop]),
    ] {
        let is_able = LinkFilterFn(|mesh: &NavMesh, link: LinkId| {
            mesh.link(link).is_some_and(|link| link.kind == LinkKind::Level || abilities.contains(&link.kind))
        });
        let path = mesh.query().filter(is_able).shortest().path(ground, stage);
        match &path {
            Ok(path) => println!("{name}: {:.1} m", path.length),
            Err(reason) => println!("{name}: {reason}"),
        }
        // An animation plays from `points[link.point]` on.
        let link = path.ok().and_then(|path| mesh.link(path.links.first()?.link).map(|link| link.kind));
        first_links.push(link);
    }
    assert_eq!(first_links, [None, Some(LinkKind::User), Some(LinkKind::Step)]);
    Ok(())
}

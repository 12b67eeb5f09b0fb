//! Steps higher than the agent's, up to `max_ledge`: links that are in the path and lead over
//! nothing in the way.

use glam::Vec3;
use waymesh::graph::{Link, LinkKind, QueryError};
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{
    Agent, BakeConfig, Baker, Bounds, NavMesh, Outcome, QueryScratch, TriangleSoup, Voxels, World,
};
use waymesh_scenes::{Scene, SceneConfig};

fn config() -> BakeConfig {
    BakeConfig::default().with_max_ledge(1.5).with_validate_stages(true)
}

fn terraces() -> TriangleSoup {
    Scene::Terraces.build(&SceneConfig::default())
}

fn bake(config: &BakeConfig, soup: &TriangleSoup) -> NavMesh {
    let bake = Baker::voxels().with_config(config.clone()).bake_observed(soup, &mut ()).expect("bakes");
    assert_eq!(bake.report.links, bake.mesh.links().len() as u64);
    bake.mesh
}

/// Ends of a link in the world: where it begins, then where it leads.
fn ends(mesh: &NavMesh, link: &Link) -> [[Vec3; 2]; 2] {
    [link.from, link.to].map(|end| end.ends.map(|vertex| mesh.frame().position(vertex)))
}

fn boxes(boxes: &[[[f32; 2]; 3]]) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    for [x, y, z] in boxes {
        let corner = |index: usize| Vec3::new(x[index & 1], y[index >> 1 & 1], z[index >> 2]);
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        soup.append((0..8).map(corner).collect(), triangles).expect("indices are in range");
    }
    soup
}

/// Ground, and a platform of this height on the half beyond x = 6.
fn ledge(height: f32) -> Vec<[[f32; 2]; 3]> {
    vec![[[0.0, 12.0], [-0.5, 0.0], [0.0, 12.0]], [[6.0, 12.0], [-0.4, height], [0.0, 12.0]]]
}

#[test]
fn a_step_is_walked_climbed_or_in_the_way() {
    for (height, links) in [(0.8, 0), (1.2, 1), (1.4, 1), (1.8, 0)] {
        let mesh = bake(&config(), &boxes(&ledge(height)));
        assert_eq!(mesh.links().len(), links, "{height} m");
        let (low, high) = (Vec3::new(2.0, 0.0, 3.0), Vec3::new(10.0, height, 8.0));
        let mut scratch = QueryScratch::default();
        for (from, to) in [(low, high), (high, low)] {
            let path = QueryError::accept_no_path(mesh.query().memory(&mut scratch).path(from, to));
            let path = path.expect("both on the mesh");
            assert_eq!(path.outcome == Outcome::Complete, height < 1.5, "{height} m");
            assert_eq!(path.links.len(), links, "{height} m");
        }
        for link in mesh.links() {
            assert_eq!((link.kind, link.both_ways), (LinkKind::Step, true));
            let [from, to] = ends(&mesh, link);
            // From wall to wall, a radius from the ledge on both sides.
            assert!((from[0].z - from[1].z).abs() > 9.0, "{from:?}");
            assert!(from.iter().all(|end| end.y.abs() < 0.05 && (4.8..5.5).contains(&end.x)), "{from:?}");
            assert!(
                to.iter().all(|end| (end.y - height).abs() < 0.05 && (6.5..7.3).contains(&end.x)),
                "{to:?}"
            );
        }
        // Without the setting nothing changes.
        assert!(bake(&config().with_max_ledge(0.0), &boxes(&ledge(height))).links().is_empty());
        assert!(bake(&config().with_max_ledge(0.9), &boxes(&ledge(height))).links().is_empty());
    }
}

#[test]
fn nobody_climbs_through_a_wall_a_ceiling_or_a_gap_too_narrow() {
    let climbed = |more: &[[[f32; 2]; 3]], config: &BakeConfig| {
        let mesh = bake(config, &boxes(&[&ledge(1.2)[..], more].concat()));
        let lengths = mesh.links().iter().map(|link| {
            let [from, _] = ends(&mesh, link);
            (from[0] - from[1]).length()
        });
        lengths.sum::<f32>()
    };
    let open = climbed(&[], &config());
    assert!(open > 9.0);
    // A railing along the whole edge, or half of it.
    assert!(climbed(&[[[6.0, 6.1], [1.1, 2.4], [0.0, 12.0]]], &config()) < 0.1);
    let half = climbed(&[[[6.0, 6.1], [1.1, 2.4], [0.0, 6.0]]], &config());
    assert!((3.0..open - 5.0).contains(&half), "{half} of {open}");
    // A roof over the lower side that leaves room to stand there, but not to climb.
    assert!(climbed(&[[[2.0, 5.9], [2.5, 2.7], [0.0, 12.0]]], &config()) < 0.1);
    // Posts along the edge, the gaps between them narrower than the agent; a smaller one fits through.
    let posts: Vec<[[f32; 2]; 3]> =
        (0_u8..12).map(|post| [[5.9, 6.2], [-0.1, 4.0], [f32::from(post), f32::from(post) + 0.2]]).collect();
    assert!(climbed(&posts, &config()) < 0.1);
    let small = config().with_scale(0.1, 0.1).with_agent(Agent::default().with_radius(0.2));
    assert!(climbed(&posts, &small) > 1.0);
}

#[test]
fn ledges_of_all_kinds_are_climbed() {
    for cell_size in [0.3, 0.2, 0.1] {
        let mesh = bake(&config().with_scale(cell_size, 0.1), &terraces());
        let mut scratch = QueryScratch::default();
        let ground = Vec3::new(1.0, 0.0, 13.0);
        // The dock, its upper tier, the round stage, the platform askew, the pit.
        for (to, links) in [
            (Vec3::new(8.0, 1.2, 6.0), 1),
            (Vec3::new(4.0, 2.4, 6.0), 2),
            (Vec3::new(20.0, 1.3, 7.0), 1),
            (Vec3::new(7.0, 1.1, 20.5), 1),
            (Vec3::new(22.0, -1.25, 22.0), 1),
        ] {
            let path = mesh.query().memory(&mut scratch).path(ground, to).expect("both on the mesh");
            assert_eq!(path.outcome, Outcome::Complete, "{to} at {cell_size}");
            // Some ways are shorter over what stands between.
            assert!(path.links.len() >= links, "{to} at {cell_size}");
        }
        // Nobody gets onto the roof.
        let path = mesh.query().memory(&mut scratch).path(ground, Vec3::new(14.5, 3.2, 3.5));
        assert!(matches!(path, Err(QueryError::Unreachable { .. })), "at {cell_size}");
        for link in mesh.links() {
            let [from, to] = ends(&mesh, link);
            for (low, high) in from.iter().zip(&to) {
                let reach = (*high - *low).with_y(0.0).length();
                assert!(high.y - low.y > 0.5 && high.y - low.y < 1.6, "{low} to {high}");
                // Askew, one and a half times the radius and a cell on either side, and as much as
                // simplification takes.
                assert!(reach > 1.0 && reach < 4.2, "{low} to {high}");
            }
        }
        // A link per polygon and ledge, not one per grid cell.
        assert!(mesh.links().len() < 60, "{}", mesh.links().len());
    }
}

fn bytes(mesh: &NavMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    waymesh::io::write_wmesh(mesh, &mut bytes).expect("memory takes everything");
    bytes
}

#[test]
fn links_do_not_show_tiles() {
    let soup = terraces();
    let config = config().with_scale(0.15, 0.1);
    let expected = bake(&config, &soup);
    assert!(expected.links().len() > 20);
    let shuffled = waymesh_testkit::soups::shuffled(&soup, 5);
    for (tile_cells, threads, soup) in [(16, 1, &soup), (48, 2, &shuffled), (0, 2, &shuffled)] {
        let config = config.clone().with_threads(threads).with_max_memory_bytes(1 << 20);
        let baker = Baker::new(Voxels::default().with_tile_cells(tile_cells), config);
        let tiled = baker.bake_observed(soup, &mut ()).expect("bakes");
        assert_eq!(tiled.mesh.links(), expected.links(), "tiles of {tile_cells}");
        assert!(bytes(&tiled.mesh) == bytes(&expected), "tiles of {tile_cells}");
        assert_eq!(tiled.report.links, expected.links().len() as u64);
    }
    // Kept in a folder, and read back.
    let folder = tempfile::tempdir().expect("a folder");
    let tiles = Voxels::default().with_tile_cells(64).with_folder(folder.path());
    let baker = Baker::new(tiles, config.clone());
    baker.bake(&soup).expect("bakes");
    let again = baker.bake_observed(&soup, &mut ()).expect("goes on");
    assert!(again.report.counts["tiles_resumed"] == again.report.tiles);
    assert!(bytes(&again.mesh) == bytes(&expected));
    // Tiles without climbs are refused by a bake with climbs.
    assert!(baker.with_config(config.with_max_ledge(0.0)).bake(&soup).is_err());
}

#[test]
fn a_world_that_changes_has_the_links_of_what_is_there() {
    let soup = terraces();
    let mut world = World::new(Baker::voxels().with_config(config()), &soup.bounds(), 32).expect("a world");
    world.add_triangles(&soup, &mut ()).expect("triangles");
    let update = world.update(&mut ()).expect("builds");
    let before = world.handle().mesh();
    assert!(update.links > 10);
    assert_eq!(update.links, before.links().len());
    let (ground, stage) = (Vec3::new(1.0, 0.0, 13.0), Vec3::new(20.0, 1.3, 7.0));
    let mut scratch = QueryScratch::default();
    let path = before.query().memory(&mut scratch).path(ground, stage).expect("both on the mesh");
    assert_eq!((path.outcome, path.links.len()), (Outcome::Complete, 1));
    // A crate as high as a step makes stairs of no ledge, but a wall round the stage shuts it off.
    let ring = [
        ([14.0, 26.0], [1.5, 1.8]),
        ([14.0, 26.0], [12.2, 12.5]),
        ([14.0, 14.3], [1.5, 12.5]),
        ([25.7, 26.0], [1.5, 12.5]),
    ];
    let mut obstacles = Vec::new();
    for (x, z) in ring {
        let bounds = Bounds { min: Vec3::new(x[0], -0.5, z[0]), max: Vec3::new(x[1], 3.0, z[1]) };
        obstacles.push(world.add_obstacle(Obstacle::solid(MarkShape::Box { bounds })).expect("a wall"));
    }
    let lid = Bounds { min: Vec3::new(15.0, 1.0, 2.0), max: Vec3::new(25.0, 3.0, 12.0) };
    obstacles.push(world.add_obstacle(Obstacle::solid(MarkShape::Box { bounds: lid })).expect("a lid"));
    world.update(&mut ()).expect("builds");
    let shut = world.handle().mesh();
    assert!(shut.links().len() < before.links().len());
    assert!(shut.links().iter().all(|link| {
        let [_, to] = ends(&shut, link);
        to.iter().all(|end| end.x < 14.0 || end.z > 12.5)
    }));
    for obstacle in obstacles {
        assert!(world.remove_obstacle(obstacle));
    }
    world.update(&mut ()).expect("builds");
    assert_eq!(*world.handle().mesh(), *before);
    // Tile by tile in another order: the same links.
    let mut other = World::new(Baker::voxels().with_config(config()), &soup.bounds(), 32).expect("a world");
    let tiles: Vec<_> = world.tiles().collect();
    for &tile in tiles.iter().rev() {
        other.set_tile(tile, &soup).expect("a tile");
        other.update(&mut ()).expect("builds");
    }
    assert_eq!(*other.handle().mesh(), *before);
}

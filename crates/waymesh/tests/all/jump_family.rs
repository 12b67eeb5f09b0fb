//! Jumps over a family of gaps, heights, angles and corners: links are found wherever a slow search
//! over all pairs of points finds a flight, and nowhere else.

use glam::{Vec2, Vec3};
use waymesh::graph::LinkKind;
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{Agent, BakeConfig, Baker, Bounds, JumpConfig, NavMesh, TriangleSoup, World};

/// Size of a platform, and of its cells.
const SIDE: f32 = 3.0;
const CELL: f32 = 0.1;

/// Two platforms, and what is below and between them.
#[derive(Clone, Debug)]
struct Case {
    name: String,
    scene: TriangleSoup,
    /// Corners of their tops.
    tops: [Vec<Vec3>; 2],
    /// The walls between the platforms, without the ground.
    walls: Vec<Bounds>,
}

fn config() -> BakeConfig {
    let jumps = JumpConfig::default();
    let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
    BakeConfig::default().with_agent(agent).with_scale(CELL, CELL).with_jumps(jumps)
}

/// A square, turned about its middle.
fn square(middle: Vec2, degrees: f32) -> Vec<Vec2> {
    let corner =
        |at: [f32; 2]| middle + Vec2::from_angle(degrees.to_radians()).rotate(Vec2::from(at) * SIDE / 2.0);
    [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(corner).to_vec()
}

fn append(scene: &mut TriangleSoup, shape: MarkShape) {
    let part = Obstacle::solid(shape).triangles();
    scene.append(part.positions().to_vec(), part.triangles().to_vec()).expect("indices in range");
}

fn family() -> Vec<Case> {
    let mut family = Vec::new();
    // Positions of the second platform: next to the first, past its corner, farther along.
    let places =
        [("beside", [1.0, 0.0]), ("corner", [1.0, 1.0]), ("shifted", [1.0, 0.6]), ("turned", [0.8, -0.7])];
    for (place, direction) in places {
        for gap in [1.0, 2.0, 2.9, 4.5] {
            for (degrees, rise) in [(0.0, 0.0), (30.0, 0.0), (45.0, 0.4), (0.0, -0.5), (10.0, 1.1)] {
                for (below, has_wall) in [(1.5, false), (9.0, false), (3.0, true)] {
                    let apart = Vec2::from(direction) * SIDE + Vec2::from(direction).normalize() * gap;
                    let outlines = [square(Vec2::ZERO, 0.0), square(apart, degrees)];
                    let tops = [0.0, rise];
                    let mut scene = TriangleSoup::default();
                    for (corners, top) in outlines.iter().zip(tops) {
                        append(
                            &mut scene,
                            MarkShape::Prism { corners: corners.clone(), heights: [-below - 0.2, top] },
                        );
                    }
                    let ground =
                        Bounds { min: Vec3::new(-3.0, -below - 0.5, -6.0), max: Vec3::new(8.0, -below, 8.0) };
                    append(&mut scene, MarkShape::Box { bounds: ground });
                    let middle = apart / 2.0;
                    let wall = Bounds {
                        min: Vec3::new(middle.x - 0.1, -below - 0.2, middle.y - 8.0),
                        max: Vec3::new(middle.x + 0.1, 4.0, middle.y + 8.0),
                    };
                    let walls = if has_wall { vec![wall] } else { Vec::new() };
                    walls.iter().for_each(|&bounds| append(&mut scene, MarkShape::Box { bounds }));
                    let at = |index: usize| {
                        outlines[index].iter().map(|c| Vec3::new(c.x, tops[index], c.y)).collect()
                    };
                    let name = format!(
                        "{place}, {gap} m apart, {rise} m up, {degrees} degrees, ground {below} m below, wall: {has_wall}"
                    );
                    family.push(Case { name, scene, tops: [at(0), at(1)], walls });
                }
            }
        }
    }
    family
}

/// `true` for a place on the platform with this top: others are farther away.
fn is_on(at: Vec3, top: &[Vec3]) -> bool {
    let middle = top.iter().sum::<Vec3>() / top.len() as f32;
    (at.y - middle.y).abs() < 0.2 && at.distance(middle) < SIDE * 0.75
}

/// The points of the mesh on a platform, on a lattice of one cell: all that an agent may jump from.
fn points(mesh: &NavMesh, top: &[Vec3]) -> Vec<Vec3> {
    let mut found = Vec::new();
    let frame = mesh.frame();
    for x in 0..=frame.width {
        for z in 0..=frame.depth {
            let at = frame.to_world(x.into(), 0.0, z.into()).with_y(top[0].y);
            let reach = waymesh::Reach::new(0.0, 0.15, 0.15);
            if let Some(place) = mesh.nearest(at, &reach).filter(|place| is_on(place.position, top)) {
                let is_border = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
                    .into_iter()
                    .any(|[x, z]| mesh.nearest(at + Vec3::new(x, 0.0, z) * 1.5 * CELL, &reach).is_none());
                if is_border {
                    found.push(place.position);
                }
            }
        }
    }
    found
}

/// `true` if some pair of points is so near that it can be jumped, with nothing in the way: the
/// walls of the family are as high as no jump and divide the plan.
fn slow(mesh: &NavMesh, case: &Case, max_length: f32, max_rise: f32) -> bool {
    let [from, to] = [0, 1].map(|index| points(mesh, &case.tops[index]));
    let rise = (case.tops[1][0].y - case.tops[0][0].y).abs();
    case.walls.is_empty()
        && rise <= max_rise
        && from.iter().any(|a| to.iter().any(|b| (*a - *b).with_y(0.0).length() <= max_length))
}

/// The jumps of a mesh from one top to the other.
fn jumps(mesh: &NavMesh, case: &Case) -> usize {
    let place = |end: &waymesh::graph::LinkEnd| mesh.frame().position(end.ends[0]);
    let links = mesh.links().iter().filter(|link| link.kind == LinkKind::Jump);
    links
        .filter(|link| {
            let ends = [place(&link.from), place(&link.to)];
            [[0, 1], [1, 0]]
                .into_iter()
                .any(|[a, b]| is_on(ends[0], &case.tops[a]) && is_on(ends[1], &case.tops[b]))
        })
        .count()
}

#[test]
fn jumps_are_found_wherever_a_slow_search_finds_one() {
    let limits = JumpConfig::default();
    let (mut needed, mut possible, mut cases) = (0, 0, 0);
    let mut missed = Vec::new();
    for case in family() {
        let mesh = Baker::voxels().with_config(config()).bake(&case.scene).expect("bakes");
        let found = jumps(&mesh, &case);
        cases += 1;
        // Ends are on points of the grid, which may be a cell from the nearest place of a border.
        if slow(&mesh, &case, limits.max_length - 1.5 * CELL, limits.max_rise) {
            needed += 1;
            if found == 0 {
                missed.push(case.name.clone());
            }
        }
        if slow(&mesh, &case, limits.max_length + 1e-3, limits.max_rise + CELL) {
            possible += 1;
        } else {
            assert_eq!(found, 0, "{}: there is no such jump", case.name);
        }
    }
    assert!(missed.is_empty(), "{} of {needed} missed: {missed:#?}", missed.len());
    println!("{needed} of {cases} cases have a jump, {possible} may have one; all found");
    assert!(needed > 60 && possible < cases - 60, "{needed} {possible} {cases}");
}

#[test]
fn a_world_has_the_jumps_of_a_bake() {
    for case in family().into_iter().step_by(17) {
        let mesh = Baker::voxels().with_config(config()).bake(&case.scene).expect("bakes");
        let mut world =
            World::new(Baker::voxels().with_config(config()), &case.scene.bounds(), 48).expect("a world");
        world.add_triangles(&case.scene, &mut ()).expect("triangles");
        world.update(&mut ()).expect("builds");
        let [whole, tiled] = [&mesh, &*world.handle().mesh()].map(|mesh| jumps(mesh, &case));
        assert_eq!(whole > 0, tiled > 0, "{}", case.name);
    }
}

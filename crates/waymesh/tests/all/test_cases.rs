//! The scripts of paths and rays that come with Recast, on its levels.

use glam::{Vec3, Vec3Swizzles as _};
use waymesh::graph::Location;
use waymesh::{
    AnyPolygon, BakeConfig, Baker, NavMesh, Outcome, PathOptions, PathSearch, QueryScratch, Reach,
};
use waymesh_testkit::levels::find;

/// Ends of a query, and whether it is a ray.
struct Query {
    is_ray: bool,
    from: Vec3,
    to: Vec3,
}

/// The level of a script and its queries.
fn script(name: &str) -> Option<(String, Vec<Query>)> {
    let text = std::fs::read_to_string(find(&format!("golden/TestCases/{name}"))?).expect("a script");
    let (mut level, mut queries) = (None, Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["f", file] => level = Some(file.to_owned()),
            [kind @ ("pf" | "rc"), x0, y0, z0, x1, y1, z1, ..] => {
                let number = |word: &str| word.parse::<f32>().expect("a number");
                queries.push(Query {
                    is_ray: kind == "rc",
                    from: Vec3::new(number(x0), number(y0), number(z0)),
                    to: Vec3::new(number(x1), number(y1), number(z1)),
                });
            }
            _ => {}
        }
    }
    Some((level.expect("a level"), queries))
}

/// The level of a script, baked with RecastDemo's settings.
fn level(file: &str) -> Option<NavMesh> {
    let soup = waymesh::io::load(find(&format!("golden/Meshes/{file}"))?).expect("a level");
    let config = BakeConfig::default().with_validate_stages(true);
    Some(Baker::voxels().with_config(config).bake(&soup).expect("a mesh"))
}

/// The reach of RecastDemo.
const REACH: Reach = Reach::new(2.0, 4.0, 4.0);

#[test]
fn paths_of_the_scripts_lead_as_far_as_their_islands_do() {
    for name in ["nav_mesh_test.txt", "movement_test.txt"] {
        let Some((file, queries)) = script(name) else { continue };
        let Some(mesh) = level(&file) else { continue };
        let mut scratch = QueryScratch::default();
        let options = PathOptions::default().with_reach(REACH);
        let mut complete = 0;
        for Query { from, to, .. } in &queries {
            let ends = [from, to].map(|&end| mesh.nearest(end, &REACH).expect("ground near both ends"));
            let joined = mesh.same_island(ends[0].polygon, ends[1].polygon);
            let path = mesh
                .query()
                .options(options.with_search(PathSearch::Shortest))
                .memory(&mut scratch)
                .path(*from, *to)
                .expect("both ends");
            assert_eq!(path.outcome == Outcome::Complete, joined, "{name}: {from} to {to}");
            complete += usize::from(joined);
            if joined {
                assert!(path.length >= ends[0].position.xz().distance(ends[1].position.xz()) - 1e-3);
                let quick =
                    mesh.query().options(options).memory(&mut scratch).path(*from, *to).expect("both ends");
                assert!(quick.outcome == Outcome::Complete && quick.length >= path.length * 0.999 - 0.5);
                let back = mesh
                    .query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path(*to, *from)
                    .expect("both ends");
                assert!((back.length - path.length).abs() < 1e-3 * path.length + 0.01);
            }
        }
        eprintln!("{name}: {complete} of {} paths are complete", queries.len());
        assert_eq!(complete, queries.len(), "{name}");
    }
}

/// The part of the way that steps of a hundredth of a metre find free, each looking for ground
/// straight below or above it near the last.
fn march(mesh: &NavMesh, from: &Location, to: Vec3) -> f32 {
    let length = (to - from.position).with_y(0.0).length();
    let steps = (length * 100.0).ceil().max(1.0);
    let mut at = from.position;
    let mut step = 0.0;
    while step < steps {
        step += 1.0;
        let next = from.position.lerp(to, step / steps).with_y(at.y);
        match mesh.nearest_with(next, &Reach::new(0.0, 0.3, 0.3), &AnyPolygon) {
            Some(place) => at = place.position,
            None => return (step - 1.0) / steps,
        }
    }
    1.0
}

#[test]
fn rays_of_the_scripts_end_where_small_steps_do() {
    let (mut hits, mut rays) = (0, 0);
    for name in ["raycast_test.txt", "nav_mesh_test.txt"] {
        let Some((file, queries)) = script(name) else { continue };
        let Some(mesh) = level(&file) else { continue };
        for Query { from, to, is_ray } in &queries {
            assert_eq!(*is_ray, name == "raycast_test.txt");
            let start = mesh.nearest(*from, &REACH).expect("ground near the start");
            let ray = mesh.query().ray(start, *to).expect("a place on the mesh");
            let length = (*to - start.position).with_y(0.0).length();
            let free = march(&mesh, &start, *to);
            // To two steps.
            assert!(
                (ray.fraction - free).abs() * length <= 0.02,
                "{name}: {from} to {to}: {} m, but {} m in steps",
                ray.fraction * length,
                free * length
            );
            hits += usize::from(ray.hit.is_some());
        }
        rays += queries.len();
    }
    eprintln!("{hits} of {rays} rays hit a wall");
    assert!(rays == 0 || (hits > 0 && hits < rays));
}

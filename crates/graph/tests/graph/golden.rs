//! Published meshes and pairs, where they are at hand (`shared/scenes` next to the repository).

use glam::Vec3;
use waymesh_core::{AreaId, GridFrame, PolyMesh};
use waymesh_graph::{NavMesh, Outcome, QueryScratch};
use waymesh_testkit::grid_maps::read_pairs;

use crate::meshes::Builder;

fn golden(name: &str) -> Option<String> {
    let file = waymesh_testkit::levels::find(&format!("golden/{name}"))?;
    Some(std::fs::read_to_string(file).expect("a file that can be read"))
}

/// The corner of a square of the map.
fn corner([x, z]: [i32; 2]) -> Vec3 {
    Vec3::new(x as f32, 0.0, z as f32)
}

fn read_mesh(text: &str) -> PolyMesh {
    waymesh_testkit::flat_meshes::read(text).expect("a mesh of version 2")
}

#[test]
fn published_pairs_have_a_path_not_much_longer_than_listed() {
    for (name, pairs) in [("arena-merged", "arena"), ("arena", "arena"), ("aurora-merged", "aurora")] {
        let text = golden(&format!("polyanya_meshes/v2/{name}.mesh"));
        let (Some(text), Some(pairs)) = (text, golden(&format!("polyanya_scenarios/{pairs}.scen"))) else {
            continue;
        };
        let mesh = NavMesh::try_from(read_mesh(&text)).unwrap();
        let mut scratch = QueryScratch::default();
        let (mut count, mut sum, mut listed, mut longest) = (0, 0.0, 0.0, 0.0_f64);
        for pair in read_pairs(&pairs).iter().step_by(if pairs.len() > 50_000 { 20 } else { 1 }) {
            // The squares of the map are the cells of the grid: a pair names their middles.
            let [from, to] = [pair.from, pair.to].map(|at| corner(at) + Vec3::new(0.5, 0.0, 0.5));
            let octile = pair.length as f32;
            let path = mesh.query().memory(&mut scratch).path(from, to).unwrap();
            assert_eq!(path.outcome, Outcome::Complete);
            assert!(path.length + 1e-3 >= from.distance(to));
            count += 1;
            sum += f64::from(path.length);
            listed += f64::from(octile);
            longest = longest.max(f64::from(path.length) / f64::from(octile.max(1.0)));
        }
        let ratio = sum / listed;
        eprintln!(
            "{name}: {count} pairs, mean {:.3}, {ratio:.4} of the listed, {longest:.3} at worst",
            sum / f64::from(count)
        );
        // Listed are lengths in eight directions; the shortest of all would be 4 to 8 % shorter.
        assert!(ratio < 1.0);
    }
}

/// Reads a mesh of version 3, whose decimals become whole millionths.
fn read_decimal_mesh(text: &str) -> PolyMesh {
    let mut words = text.split_whitespace().skip(2);
    let mut next = || words.next().expect("the file is complete").parse::<f64>().expect("a number");
    let (vertices, faces) = (next() as usize, next() as usize);
    let points: Vec<(i32, i32)> =
        (0..vertices).map(|_| ((next() * 1e6).round() as i32, (next() * 1e6).round() as i32)).collect();
    let mut builder = Builder::default();
    for _ in 0..faces {
        let is_walkable = next() > 0.0;
        let count = next() as usize;
        let ids: Vec<(i32, i32)> = (0..count).map(|_| points[next() as usize - 1]).collect();
        let beyond: Vec<f64> = (0..count).map(|_| next()).collect();
        if is_walkable {
            assert!(beyond.iter().any(|&face| face > 0.0) || count > 0);
            let ids = ids.iter().map(|&(x, z)| builder.vertex(x, z, 0, 0.0)).collect();
            builder.polygon(ids, AreaId::GROUND);
        }
    }
    let frame =
        GridFrame { origin: Vec3::ZERO, cell_size: 1e-6, level_height: 1.0, width: 1 << 30, depth: 1 << 30 };
    builder.build(frame)
}

#[test]
fn iron_harvest_pairs_have_the_published_length() {
    let mesh = golden("polyanya_meshes/v3/scene_mp_2p_01.mesh");
    let (Some(mesh), Some(pairs)) = (mesh, golden("polyanya_meshes/v3/scene_mp_2p_01.mesh.scen")) else {
        return;
    };
    let mesh = NavMesh::try_from(read_decimal_mesh(&mesh)).unwrap();
    let mut scratch = QueryScratch::default();
    let (mut count, mut worst) = (0, 0.0_f64);
    for line in pairs.lines().skip(1) {
        let numbers: Vec<f64> =
            line.split_whitespace().skip(2).filter_map(|word| word.parse().ok()).collect();
        let [_, _, x1, z1, x2, z2, listed] = numbers[..] else { continue };
        let [from, to] = [(x1, z1), (x2, z2)].map(|(x, z)| Vec3::new(x as f32, 0.0, z as f32));
        let path = mesh.query().shortest().memory(&mut scratch).path(from, to).unwrap();
        assert_eq!(path.outcome, Outcome::Complete);
        let error = (f64::from(path.length) - listed).abs() / (1.0 + listed);
        assert!(error < 1e-5, "{line}: {}", path.length);
        worst = worst.max(error);
        count += 1;
    }
    eprintln!("{count} pairs, {worst:e} off at worst");
    assert!(count > 1000);
}

#[test]
fn shortest_paths_of_published_pairs_are_within_the_listed_and_the_same_on_every_mesh() {
    for (merged, plain, pairs, mean) in
        [("arena-merged", "arena", "arena", None), ("aurora-merged", "aurora", "aurora", Some(565.36))]
    {
        let [merged, plain] = [merged, plain].map(|name| golden(&format!("polyanya_meshes/v2/{name}.mesh")));
        let (Some(merged), Some(plain)) = (merged, plain) else { continue };
        let Some(pairs) = golden(&format!("polyanya_scenarios/{pairs}.scen")) else { continue };
        let [merged, plain] = [merged, plain].map(|text| NavMesh::try_from(read_mesh(&text)).unwrap());
        let mut scratch = QueryScratch::default();
        let (mut count, mut sum) = (0, 0.0);
        for (number, pair) in read_pairs(&pairs).iter().enumerate() {
            let ([from, to], octile) = ([pair.from, pair.to].map(corner), pair.length as f32);
            let path = merged.query().shortest().memory(&mut scratch).path(from, to).unwrap();
            assert_eq!(path.outcome, Outcome::Complete);
            assert!(path.length <= octile + 1e-3 * (1.0 + octile) * 0.1, "{pair:?}: {}", path.length);
            assert!(path.length >= from.distance(to) - 1e-3);
            if number % 10 == 0 {
                // Other polygons over identical ground.
                let other = plain.query().shortest().memory(&mut scratch).path(from, to).unwrap();
                assert!((other.length - path.length).abs() <= 1e-5 * (1.0 + path.length), "{pair:?}");
                let back = merged.query().shortest().memory(&mut scratch).path(to, from).unwrap();
                assert!((back.length - path.length).abs() <= 1e-5 * (1.0 + path.length), "{pair:?}");
            }
            count += 1;
            sum += f64::from(path.length);
        }
        eprintln!("{count} pairs, mean {:.3}", sum / f64::from(count));
        // The result of the authors' search.
        assert!(mean.is_none_or(|mean: f64| (sum / f64::from(count) - mean).abs() < 0.01));
    }
}

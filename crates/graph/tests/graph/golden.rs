//! Published meshes and pairs, where they are at hand (`shared/scenes` beside the repository).

use glam::Vec3;
use waymesh_core::{AreaId, CellMesh, GridFrame, VertexId};
use waymesh_graph::{NavMesh, Outcome, PathScratch};

use crate::meshes::Builder;

fn golden(name: &str) -> Option<String> {
    let file = waymesh_testkit::levels::find(&format!("golden/{name}"))?;
    Some(std::fs::read_to_string(file).expect("a file that can be read"))
}

/// Reads a mesh of the format of the Polyanya authors, version 2, on whole numbers.
pub(crate) fn read_mesh(text: &str) -> CellMesh {
    let mut words = text.split_whitespace().skip(2).map(|word| word.parse::<i32>().expect("a whole number"));
    let mut next = || words.next().expect("the file is complete");
    let (vertices, polygons) = (next(), next());
    let points: Vec<(i32, i32)> = (0..vertices)
        .map(|_| {
            let point = (next(), next());
            for _ in 0..next() {
                next();
            }
            point
        })
        .collect();
    let mut builder = Builder::default();
    for _ in 0..polygons {
        let count = next();
        let corners: Vec<(i32, i32)> =
            (0..count).map(|_| points[usize::try_from(next()).expect("an index")]).collect();
        for _ in 0..count {
            next();
        }
        let ids: Vec<VertexId> = corners.iter().map(|&(x, z)| builder.vertex(x, z, 0, 0.0)).collect();
        builder.cell(ids, AreaId::GROUND);
    }
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 2048, depth: 2048 };
    builder.build(frame)
}

#[test]
fn published_pairs_have_a_path_not_much_longer_than_listed() {
    for (name, pairs) in [("arena-merged", "arena"), ("arena", "arena"), ("aurora-merged", "aurora")] {
        let text = golden(&format!("polyanya_meshes/v2/{name}.mesh"));
        let (Some(text), Some(pairs)) = (text, golden(&format!("polyanya_scenarios/{pairs}.scen"))) else {
            continue;
        };
        let mesh = NavMesh::try_from(read_mesh(&text)).unwrap();
        let mut scratch = PathScratch::default();
        let (mut count, mut sum, mut listed, mut longest) = (0, 0.0, 0.0, 0.0_f64);
        for line in pairs.lines().skip(1).step_by(if pairs.len() > 50_000 { 20 } else { 1 }) {
            let numbers: Vec<f32> =
                line.split_whitespace().skip(2).filter_map(|word| word.parse().ok()).collect();
            let [_, _, x1, z1, x2, z2, octile] = numbers[..] else { continue };
            // The squares of the map are the cells of the grid: a pair names their middles.
            let from = Vec3::new(x1 + 0.5, 0.0, z1 + 0.5);
            let to = Vec3::new(x2 + 0.5, 0.0, z2 + 0.5);
            let path = mesh.find_path(from, to, &mut scratch).unwrap();
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

//! Times each stage on OBJ files: `cargo run --release -p waymesh-voxel --example stage_times -- CELL LEVEL ROUNDS FILE...`

use std::time::Instant;

use glam::Vec3;
use waymesh_core::{Agent, GridScale, TriangleSoup};
use waymesh_voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};

/// Vertices and faces of an OBJ file, polygons as fans.
fn read_obj(path: &str) -> TriangleSoup {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next().and_then(|word| word.parse().ok()).unwrap_or(f32::NAN);
                positions.push(Vec3::new(next(), next(), next()));
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .filter_map(|word| word.split('/').next()?.parse::<u32>().ok()?.checked_sub(1))
                    .collect();
                triangles
                    .extend((2..corners.len()).map(|third| [corners[0], corners[third - 1], corners[third]]));
            }
            _ => {}
        }
    }
    TriangleSoup::new(positions, triangles).unwrap_or_default()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|word| word.parse::<f32>().ok()).unwrap_or(0.3);
    let (cell, level) = (number(), number());
    let rounds = arguments.next().and_then(|word| word.parse::<u32>().ok()).unwrap_or(5);
    let agent = Agent::default();
    let config = VoxelConfig::for_agent(&agent).with_scale(GridScale::new(cell, level));
    for path in arguments {
        let soup = read_obj(&path);
        let mut times: Vec<[f64; 3]> = Vec::new();
        let mut told = false;
        for _ in 0..rounds {
            let begin = Instant::now();
            let Ok(heightfield) = rasterize(&soup, &config, &mut ()) else { return };
            let rasterized = begin.elapsed();
            let Ok(mut field) = build_filtered_field(&heightfield, &agent, &Filters::default(), &mut ())
            else {
                return;
            };
            let built = begin.elapsed();
            let walkable = field.walkable_spans();
            let counted = begin.elapsed();
            if erode(&mut field, agent.radius, &mut ()).is_err() {
                return;
            }
            let eroded = begin.elapsed();
            if !told {
                told = true;
                let frame = heightfield.frame;
                eprintln!(
                    "{path}: {} x {}, {} triangles, {} spans, {} walkable, {} after filters, {} after erosion",
                    frame.width,
                    frame.depth,
                    soup.triangles().len(),
                    heightfield.spans.len(),
                    heightfield.walkable_spans(),
                    walkable,
                    field.walkable_spans()
                );
            }
            times.push(
                [rasterized, built - rasterized, eroded - counted].map(|time| time.as_secs_f64() * 1e3),
            );
        }
        let median = |stage: usize| {
            let mut column: Vec<f64> = times.iter().map(|round| round[stage]).collect();
            column.sort_by(f64::total_cmp);
            (column[0], column[column.len() / 2])
        };
        eprintln!(
            "  rasterize {:.2?}, field {:.2?}, erosion {:.2?} ms (least, median)",
            median(0),
            median(1),
            median(2)
        );
    }
}

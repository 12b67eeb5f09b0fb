//! Times paths of discs on the mesh of a level without a radius, beside plain ones on a mesh
//! that is baked for their radius.

use std::hint::black_box;
use std::time::Instant;

use glam::Vec3;
use waymesh::{Agent, BakeConfig, Baker, ClearanceNavMesh, NavMesh, Outcome, with_clearance};
use waymesh_core::Random;
use waymesh_graph::{AnyPolygon, ClearPathOptions, PathOptions, PathSearch, PlaceSampler, QueryScratch};

use crate::{BenchError, Scene};

/// Radius of the discs, in metres.
const RADIUS: f32 = 0.6;
/// Pairs that both meshes connect.
const PAIRS: usize = 300;
/// Each kind of path is timed so often, in turns; the best counts.
const ROUNDS: usize = 20;

fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BenchError {
    BenchError::stage("waymesh", "discs", source)
}

fn bake(scene: &Scene, radius: f32) -> Result<NavMesh, BenchError> {
    let agent = Agent::default().with_radius(radius);
    let config = BakeConfig::default().with_scale(0.3, 0.2).with_agent(agent);
    Baker::voxels().with_config(config).bake(&scene.soup).map_err(failed)
}

/// Pairs of random places that both meshes connect.
fn pairs(plain: &NavMesh, discs: &ClearanceNavMesh) -> Result<Vec<[Vec3; 2]>, BenchError> {
    let (mut random, mut scratch, mut pairs) = (Random::new(7), QueryScratch::default(), Vec::new());
    let sampler = PlaceSampler::new(plain, &AnyPolygon);
    for _ in 0..20 * PAIRS {
        let mut place = || sampler.sample(plain, &mut random).map_err(failed);
        let (Some(from), Some(to)) = (place()?, place()?) else { break };
        let [from, to] = [from, to].map(|place| place.position);
        let is_complete = |outcome: &Outcome| *outcome == Outcome::Complete;
        let options = PathOptions::default().with_allow_partial(false);
        let path = plain.find_path(from, to, &options, &mut scratch);
        let disc = ClearPathOptions::new(RADIUS).with_allow_partial(false);
        let way = discs.find_path(from, to, &disc, &mut scratch);
        if path.is_ok_and(|path| is_complete(&path.outcome)) && way.is_ok_and(|way| is_complete(&way.outcome))
        {
            pairs.push([from, to]);
        }
        if pairs.len() == PAIRS {
            break;
        }
    }
    Ok(pairs)
}

/// Prints microseconds a path as Markdown, for Recast's levels or the ones named.
///
/// # Errors
/// When a level cannot be read or baked.
pub fn discs(levels: &[String], print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "| level | pairs | `find_path`, us | disc, fast | ratio | fell back | longer, % | disc, shortest | ratio |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for level in levels {
        let scene = Scene::named(level)?;
        let plain = bake(&scene, RADIUS)?;
        let discs = with_clearance(bake(&scene, 0.0)?, &Default::default()).map_err(failed)?;
        let pairs = pairs(&plain, &discs)?;
        if pairs.is_empty() {
            print(&format!("| {level} | 0 | | | | | | | |\n"));
            continue;
        }
        let options = PathOptions::default().with_allow_partial(false);
        let shortest = ClearPathOptions::new(RADIUS).with_allow_partial(false);
        let fast = shortest.with_search(PathSearch::Fast);
        let (mut fell_back, mut path) = (0, waymesh_graph::Path::default());
        let mut scratches = [(); 3].map(|()| QueryScratch::default());
        let mut best = [(f64::INFINITY, 0.0); 3];
        for _ in 0..ROUNDS {
            fell_back = 0;
            for (kind, (best, scratch)) in best.iter_mut().zip(&mut scratches).enumerate() {
                let begin = Instant::now();
                let mut length = 0.0;
                for &[from, to] in &pairs {
                    length += f64::from(if kind == 0 {
                        plain.find_path_into(from, to, &options, scratch, &mut path).map_err(failed)?;
                        path.length
                    } else {
                        let options = if kind == 1 { &fast } else { &shortest };
                        let path = discs.find_path(from, to, options, scratch).map_err(failed)?;
                        fell_back += usize::from(kind == 1 && path.found_by == PathSearch::Shortest);
                        let length = path.plan_length;
                        scratch.recycle(path);
                        length
                    });
                }
                *best = (best.0.min(begin.elapsed().as_secs_f64() * 1e6), black_box(length));
            }
        }
        let [point, fast, shortest] = best.map(|(time, _)| time / pairs.len() as f64);
        let longer = 100.0 * (best[1].1 / best[2].1 - 1.0);
        print(&format!(
            "| {level} | {} | {point:.2} | {fast:.2} | {:.1} | {fell_back} | {longer:.3} | {shortest:.2} | {:.1} |\n",
            pairs.len(),
            fast / point,
            shortest / point,
        ));
    }
    print(&format!(
        "\nDiscs of {RADIUS} m on the mesh of a level baked without a radius, beside paths on one baked for it; cells of 0.3 m. \
         Random pairs that both connect; both ends are located, points written; the best of {ROUNDS} rounds in turns.\n"
    ));
    Ok(())
}

//! The cost of a move of a corridor's end, for corridors of growing length.

use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId, float,
    saturating_i32,
};
use waymesh_graph::{CorridorOptions, NavMesh, PathCorridor, PathOptions, QueryScratch};

use crate::BenchError;
use crate::queries::{clock_cost, nanoseconds, summary};

/// A winding corridor of `count` polygons, 0.6 m long each.
fn winding(count: u32) -> Result<NavMesh, BenchError> {
    // Winds to and fro without a period.
    let side = |x: u32| {
        let sway = f64::from(x) * 0.37;
        let low = saturating_i32(30.0 + 20.0 * (float::sin(sway) + float::sin(sway * 0.213)));
        [low, low + 3]
    };
    let place = |x: u32| i32::try_from(2 * x).unwrap_or(i32::MAX);
    let mesh = PolyMesh {
        frame: GridFrame {
            origin: Vec3::ZERO,
            cell_size: 0.3,
            level_height: 0.2,
            width: 2 * count,
            depth: 100,
        },
        vertices: (0..=count)
            .flat_map(|x| side(x).map(|z| PlanVertex { point: PlanPoint::new(place(x), z), height: 0.0 }))
            .collect(),
        polygons: (0..count)
            .map(|polygon| Poly { first: 4 * polygon, len: 4, region: RegionId(0), area: AreaId::GROUND })
            .collect(),
        corners: (0..count).flat_map(|x| [2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1]).map(VertexId).collect(),
        neighbours: (0..count)
            .flat_map(|x| [None, (x + 1 < count).then_some(x + 1), None, x.checked_sub(1)])
            .map(|polygon| polygon.map(PolyId))
            .collect(),
    };
    NavMesh::try_from(mesh).map_err(failed)
}

fn failed(source: impl std::error::Error + Send + Sync + 'static) -> BenchError {
    BenchError::stage("waymesh", "corridor", source)
}

/// Prints a table as Markdown: corridors of growing length, what a move of 0.2 m costs at either
/// end, and what planning costs.
///
/// # Errors
/// When there is no path.
pub fn corridor(print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print("| polygons | turns | start moves, ns | goal moves, ns | find_path, ns |\n|---|---|---|---|---|\n");
    let clock = clock_cost();
    let (mut scratch, mut paths) = (QueryScratch::default(), QueryScratch::default());
    for count in [10, 30, 100, 300, 1000, 3000, 10_000_u32] {
        let mesh = winding(count)?;
        let middle = |polygon: u32| {
            let corners =
                mesh.polygon(PolyId(polygon)).map_or_else(Vec::new, |polygon| polygon.positions().collect());
            corners.iter().sum::<Vec3>() / 4.0
        };
        let ends = [middle(0), middle(count - 1)];
        let (mut starts, mut goals, mut plans) = (Vec::new(), Vec::new(), Vec::new());
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        let mut turns = 0;
        for _ in 0..20 {
            corridor.plan(&mesh, ends[0], ends[1], &mut scratch).map_err(failed)?;
            turns = corridor.path().points.len() - 2;
            for _ in 0..10 {
                let [Some(start), Some(goal)] = [corridor.start(), corridor.goal()] else { break };
                let points = &corridor.path().points;
                let step = |from: Vec3, to: Vec3| from + (to - from).clamp_length_max(0.2);
                let start = step(start.position, points[1]);
                let goal = step(goal.position, points[points.len() - 2]);
                let now = std::time::Instant::now();
                corridor.move_start(&mesh, start, &mut scratch).map_err(failed)?;
                starts.push(vec![nanoseconds(now)]);
                let now = std::time::Instant::now();
                corridor.move_goal(&mesh, goal, &mut scratch).map_err(failed)?;
                goals.push(vec![nanoseconds(now)]);
            }
            let now = std::time::Instant::now();
            std::hint::black_box(
                mesh.find_path(ends[0], ends[1], &PathOptions::default(), &mut paths).map_err(failed)?,
            );
            plans.push(vec![nanoseconds(now)]);
        }
        let [start, goal, plan] =
            [starts, goals, plans].map(|times| summary(times.into_iter(), clock).median);
        print(&format!("| {count} | {turns} | {start:.0} | {goal:.0} | {plan:.0} |\n"));
    }
    Ok(())
}

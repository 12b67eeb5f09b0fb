//! Queries of moving agents besides single paths: a hierarchy, batches, corridors. They run on our
//! own mesh, each beside `find_path` in the same run.

use std::fmt::Write as _;
use std::time::Instant;

use glam::Vec3;
use serde::Serialize;
use waymesh_graph::{
    CorridorChange, CorridorOptions, Hierarchy, HierarchyConfig, HierarchyUse, NavMesh, Outcome, Path,
    PathCorridor, PathOptions, QueryScratch, Reach,
};

use crate::queries::{Nanoseconds, REACH, clock_cost, nanoseconds, summary};

/// How far an agent moves between two queries, in metres: a brisk walk at 10 Hz.
const STEP: f32 = 0.2;

/// Moves along each path at most.
const MOVES: usize = 50;

/// Figures of one mesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AgentTimes {
    /// Polygons of the mesh.
    pub polygons: usize,
    /// `find_path`, over the pairs that are connected.
    pub path_ns: Nanoseconds,
    /// The same through a hierarchy.
    pub hierarchy_ns: Nanoseconds,
    /// Seconds to make it, on one thread.
    pub hierarchy_seconds: f64,
    /// Its memory, in bytes.
    pub hierarchy_bytes: usize,
    /// Share of the pairs that were not near each other.
    pub by_clusters: f64,
    /// Lengths through the hierarchy against `find_path`, mean and worst.
    pub length_ratio: [f64; 2],
    /// A move of a corridor's start, with the replanning that some moves need.
    pub corridor_move_ns: Nanoseconds,
    /// Share of the moves that replanned.
    pub replanned: f64,
    /// Nanoseconds a pair: one by one, in a batch on one thread, on two.
    pub batch_ns: [f64; 3],
}

/// Measures on one mesh.
#[must_use]
pub fn measure_agents(mesh: &NavMesh, pairs: &[[Vec3; 2]], rounds: usize) -> AgentTimes {
    let options = PathOptions::default().with_reach(Reach::new(REACH.x, REACH.y, REACH.y));
    let exact = options.with_allow_partial(false);
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let connected: Vec<[Vec3; 2]> = pairs
        .iter()
        .copied()
        .filter(|&[from, to]| {
            let found = mesh.find_path_into(from, to, &exact, &mut scratch, &mut path);
            found.is_ok() && path.outcome == Outcome::Complete
        })
        .collect();
    let mut times = AgentTimes { polygons: mesh.polygon_count(), ..AgentTimes::default() };
    let start = Instant::now();
    let config = HierarchyConfig::default().with_min_polygons(0);
    let Ok(hierarchy) = Hierarchy::new(mesh, &config) else { return times };
    times.hierarchy_seconds = start.elapsed().as_secs_f64();
    times.hierarchy_bytes = hierarchy.figures().bytes;
    let (mut memory, by_hierarchy) = (QueryScratch::default(), exact.with_search(&hierarchy));
    let (mut plain, mut quick) = (vec![Vec::new(); connected.len()], vec![Vec::new(); connected.len()]);
    let (mut lengths, mut ratios, mut by_clusters) = (vec![0.0; connected.len()], Vec::new(), 0);
    for round in 0..rounds.max(1) {
        for ((&[from, to], times), length) in connected.iter().zip(&mut plain).zip(&mut lengths) {
            let start = Instant::now();
            let _ = mesh.find_path_into(from, to, &exact, &mut scratch, &mut path);
            times.push(nanoseconds(start));
            *length = path.length;
        }
        for ((&[from, to], times), &length) in connected.iter().zip(&mut quick).zip(&lengths) {
            let start = Instant::now();
            let _ = mesh.find_path_into(from, to, &by_hierarchy, &mut memory, &mut path);
            times.push(nanoseconds(start));
            if round == 0 {
                by_clusters += usize::from(memory.hierarchy_use() == Some(HierarchyUse::Clusters));
                ratios.extend((length > 0.5).then(|| f64::from(path.length / length)));
            }
        }
    }
    let clock = clock_cost();
    times.path_ns = summary(plain.into_iter(), clock);
    times.hierarchy_ns = summary(quick.into_iter(), clock);
    times.by_clusters = by_clusters as f64 / connected.len().max(1) as f64;
    let mean = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
    times.length_ratio = [mean, ratios.iter().copied().fold(0.0, f64::max)];
    (times.corridor_move_ns, times.replanned) = walk(mesh, &connected, options);
    times.batch_ns = batches(mesh, pairs, options);
    times
}

/// Agents that walk along their corridors.
fn walk(mesh: &NavMesh, pairs: &[[Vec3; 2]], options: PathOptions) -> (Nanoseconds, f64) {
    let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
    let mut scratch = QueryScratch::default();
    let (mut moves, mut replanned) = (Vec::new(), 0_usize);
    for &[from, to] in pairs {
        if corridor.plan(mesh, from, to, &mut scratch).is_err() {
            continue;
        }
        for _ in 0..MOVES {
            let (Some(at), [next, ..]) = (corridor.start(), corridor.next_corners(1)) else { break };
            let ahead = *next - at.position;
            let to = at.position + ahead.clamp_length_max(STEP);
            let start = Instant::now();
            let change = corridor.move_start(mesh, to, &mut scratch);
            moves.push(vec![nanoseconds(start)]);
            replanned += usize::from(matches!(change, Ok(CorridorChange::Replanned { .. })));
        }
    }
    let share = replanned as f64 / moves.len().max(1) as f64;
    (summary(moves.into_iter(), clock_cost()), share)
}

fn batches(mesh: &NavMesh, pairs: &[[Vec3; 2]], options: PathOptions) -> [f64; 3] {
    let each = |seconds: f64| seconds * 1e9 / pairs.len().max(1) as f64;
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    // In the second round all memory is allocated.
    let mut single = 0.0;
    for _ in 0..2 {
        let start = Instant::now();
        for &[from, to] in pairs {
            let _ = mesh.find_path_into(from, to, &options, &mut scratch, &mut path);
        }
        single = each(start.elapsed().as_secs_f64());
    }
    let (mut scratch, mut paths) = (QueryScratch::default(), Vec::new());
    let mut pooled = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_or(f64::NAN, |pool| {
            let mut seconds = 0.0;
            for _ in 0..2 {
                let start = Instant::now();
                pool.install(|| mesh.find_paths(pairs, &options, &mut scratch, &mut paths));
                seconds = start.elapsed().as_secs_f64();
            }
            each(seconds)
        })
    };
    [single, pooled(1), pooled(2)]
}

/// The figures as lines of text.
#[must_use]
pub fn agent_table(times: &AgentTimes) -> String {
    let three = |time: &Nanoseconds| format!("{:.0} / {:.0} / {:.0}", time.mean, time.median, time.high);
    let [single, one, two] = times.batch_ns;
    let rows = [
        ("find_path", three(&times.path_ns), String::new()),
        (
            "hierarchy",
            three(&times.hierarchy_ns),
            format!(
                "   {:.1} times as fast; {:.1} % longer, {:.2} times at worst; {:.0} % by clusters; made in {:.0} ms, {:.0} bytes a polygon",
                times.path_ns.mean / times.hierarchy_ns.mean,
                (times.length_ratio[0] - 1.0) * 100.0,
                times.length_ratio[1],
                times.by_clusters * 100.0,
                times.hierarchy_seconds * 1e3,
                times.hierarchy_bytes as f64 / times.polygons.max(1) as f64,
            ),
        ),
        (
            "corridor, move",
            three(&times.corridor_move_ns),
            format!("   {:.2} % planned anew", times.replanned * 100.0),
        ),
        (
            "batch, a pair",
            format!("{single:.0} / {one:.0} / {two:.0}"),
            "   one by one / batch, one thread / two threads".to_owned(),
        ),
    ];
    let polygons = times.polygons;
    let mut out = format!("  for agents, {polygons} polygons, ns each, mean / median / 99 %\n");
    for (name, figures, remark) in rows {
        let _ = writeln!(out, "  {name:<18}{figures:>24}{remark}");
    }
    out
}

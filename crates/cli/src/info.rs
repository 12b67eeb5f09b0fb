//! `waymesh info`: prints what a mesh holds.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use glam::Vec3;
use serde::Serialize;
use waymesh::bake::{GridReport, HeadRoomReport, IslandReport};
use waymesh::core::{Random, Validate};
use waymesh::graph::PathOptions;
use waymesh::{AreaId, NavMesh, Outcome, Path, PolyId, QueryScratch};

use crate::args::InfoArgs;
use crate::files;

/// Number of islands that are printed without `--all`.
const ISLANDS_SHOWN: usize = 10;

/// The output of `info --json`. It shares the keys of the report of a bake where they apply.
#[derive(Debug, Serialize)]
struct Info {
    grid: GridReport,
    agent: AgentInfo,
    regions: u64,
    polygons: u64,
    portals: u64,
    vertices: u64,
    mesh_area: f64,
    areas: Vec<AreaInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    head_rooms: Vec<HeadRoomReport>,
    islands: Vec<IslandReport>,
    height_error_max: Option<f64>,
    links: u64,
    valid: bool,
    violations: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<QueryTimes>,
}

/// An area of a mesh.
#[derive(Debug, Serialize)]
struct AreaInfo {
    id: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Cost of a metre in the mesh's table.
    cost: f32,
    polygons: u64,
    square_metres: f64,
}

impl AreaInfo {
    /// The areas that a mesh has a name or a polygon for, in the order of their ids.
    fn all(mesh: &NavMesh) -> Vec<Self> {
        let mut found = BTreeMap::new();
        for (id, _) in mesh.area_table().iter() {
            found.insert(id, (0, 0.0));
        }
        for polygon in mesh.polygons() {
            let (polygons, square_metres) = found.entry(polygon.area_id()).or_insert((0, 0.0));
            *polygons += 1;
            *square_metres += polygon.area();
        }
        let info = |(id, (polygons, square_metres)): (AreaId, (u64, f64))| {
            let area = mesh.area_table().get(id);
            let name = area.map(|area| area.name.clone());
            Self { id: id.0, name, cost: area.map_or(1.0, |area| area.cost), polygons, square_metres }
        };
        found.into_iter().map(info).collect()
    }
}

/// Wall time of path queries in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
struct QueryTimes {
    pairs: u32,
    complete: usize,
    mean_ns: f64,
    p50_ns: f64,
    p99_ns: f64,
}

/// The agent, in metres and degrees.
#[derive(Debug, Serialize)]
struct AgentInfo {
    height: f32,
    radius: f32,
    max_step: f32,
    max_slope: f32,
}

fn describe(mesh: &NavMesh) -> Info {
    let frame = mesh.frame();
    let agent = mesh.agent();
    let violations = mesh
        .validate()
        .err()
        .map_or_else(Vec::new, |list| list.kept().iter().map(ToString::to_string).collect());
    let mut regions: Vec<_> = mesh.polygons().map(|polygon| polygon.region()).collect();
    regions.sort_unstable();
    regions.dedup();
    Info {
        grid: GridReport::of(frame),
        agent: AgentInfo {
            height: agent.height,
            radius: agent.radius,
            max_step: agent.max_step,
            max_slope: agent.max_slope.to_degrees(),
        },
        regions: regions.len() as u64,
        polygons: mesh.polygon_count() as u64,
        portals: mesh.portal_count() as u64,
        vertices: mesh.vertices().len() as u64,
        mesh_area: mesh.area(),
        areas: AreaInfo::all(mesh),
        head_rooms: HeadRoomReport::all(mesh),
        islands: IslandReport::all(mesh),
        height_error_max: mesh
            .surface()
            .map(|surface| f64::from(surface.max_error) * f64::from(frame.level_height)),
        links: mesh.links().len() as u64,
        valid: violations.is_empty(),
        violations,
        queries: None,
    }
}

/// Measures paths between the centres of random polygons, all equally likely. Returns `None` for a
/// mesh without polygons.
fn time_queries(mesh: &NavMesh, pairs: u32) -> Option<QueryTimes> {
    let mut random = Random::new(1);
    let count = u64::try_from(mesh.polygon_count()).ok().filter(|&count| count > 0)?;
    let mut place = || {
        let polygon = PolyId(u32::try_from(random.bits() % count).ok()?);
        let corners = mesh.polygon(polygon)?.positions();
        let number = corners.len();
        Some(corners.sum::<Vec3>() / number as f32)
    };
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let options = PathOptions::default();
    let (mut times, mut complete) = (Vec::new(), 0);
    for _ in 0..pairs {
        let (from, to) = (place()?, place()?);
        let start = Instant::now();
        let found = mesh.query().options(options).memory(&mut scratch).path_into(from, to, &mut path);
        times.push(start.elapsed().as_secs_f64() * 1e9);
        complete += usize::from(found.is_ok() && path.outcome == Outcome::Complete);
    }
    times.sort_by(f64::total_cmp);
    let at = |hundredth: usize| times.get((times.len() * hundredth / 100).min(times.len() - 1)).copied();
    let mean_ns = times.iter().sum::<f64>() / times.len() as f64;
    Some(QueryTimes { pairs, complete, mean_ns, p50_ns: at(50)?, p99_ns: at(99)? })
}

pub(crate) fn run(args: &InfoArgs, json: bool) -> Result<()> {
    let mesh = files::open_mesh(&args.mesh)?;
    let mut info = describe(&mesh);
    info.queries = args.queries.and_then(|pairs| time_queries(&mesh, pairs));
    let mut out = files::stdout();
    if json {
        return files::write_json(&mut out, &info);
    }
    let (grid, agent) = (&info.grid, &info.agent);
    writeln!(out, "{}", args.mesh.display())?;
    writeln!(
        out,
        "  grid      {} x {} cells of {} m, levels of {} m",
        grid.width, grid.depth, grid.cell_size, grid.level_height
    )?;
    writeln!(
        out,
        "  agent     {} m high, radius {} m, steps of {} m, slopes of {:.1} degrees",
        agent.height, agent.radius, agent.max_step, agent.max_slope
    )?;
    writeln!(
        out,
        "  mesh      {} polygons in {} regions, {} portals, {} vertices, {:.2} m2",
        info.polygons, info.regions, info.portals, info.vertices, info.mesh_area
    )?;
    if let Some(error) = info.height_error_max {
        writeln!(out, "  ground    at most {error:.3} m off")?;
    }
    // Nothing that is not known already, if all is plain ground.
    for HeadRoomReport { height, polygons, area, .. } in &info.head_rooms {
        writeln!(out, "  room      {height} m, {polygons} polygons, {area:.2} m2")?;
    }
    for area in info.areas.iter().filter(|area| info.areas.len() > 1 || area.name.is_some()) {
        let AreaInfo { id, name, cost, polygons, square_metres } = area;
        let name =
            name.as_deref().unwrap_or(if AreaId(*id) == AreaId::GROUND { "ground" } else { "no name" });
        writeln!(out, "  area {id:3}  {name}, {cost} a metre, {polygons} polygons, {square_metres:.2} m2")?;
    }
    let pieces = IslandReport::pieces(&info.islands).len();
    writeln!(out, "  islands   {}, {pieces} where links join them", info.islands.len())?;
    let mut islands: Vec<_> = info.islands.iter().enumerate().collect();
    islands.sort_by(|(_, a), (_, b)| b.area.total_cmp(&a.area));
    let shown = if args.all { islands.len() } else { islands.len().min(ISLANDS_SHOWN) };
    for (index, island) in &islands[..shown] {
        writeln!(out, "    {index:3}  {}", island_line(island))?;
    }
    if let [_, ..] = islands[shown..] {
        let area: f64 = islands[shown..].iter().map(|(_, island)| island.area).sum();
        let smaller = islands.len() - shown;
        writeln!(out, "         and {smaller} smaller, {area:.2} m2 together; --all prints them")?;
    }
    if info.links > 0 {
        writeln!(out, "  links     {}", info.links)?;
    }
    if let Some(times) = &info.queries {
        writeln!(
            out,
            "  queries   {} of {} complete; mean {:.1} us, median {:.1} us, 99 of 100 below {:.1} us",
            times.complete,
            times.pairs,
            times.mean_ns / 1e3,
            times.p50_ns / 1e3,
            times.p99_ns / 1e3
        )?;
    }
    writeln!(out, "  valid     {}", if info.valid { "yes" } else { "no" })?;
    for violation in &info.violations {
        writeln!(out, "    {violation}")?;
    }
    Ok(())
}

/// Describes an island in one line.
fn island_line(island: &IslandReport) -> String {
    let [x, y, z] = island.place;
    let links = match island.links {
        0 => "no link joins it to others".to_owned(),
        1 => "1 link joins it to others".to_owned(),
        count => format!("{count} links join it to others"),
    };
    format!("{} polygons, {:.2} m2, at {x:.2},{y:.2},{z:.2}, {links}", island.polygons, island.area)
}

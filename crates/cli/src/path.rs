//! `waymesh path`: finds a path on a mesh.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use glam::{Vec3, Vec3Swizzles};
use serde::Serialize;
use waymesh::core::counted;
use waymesh::graph::{ClearPathOptions, HierarchyConfig, HierarchyUse, LinkUse, RelaxedPolygons, TravelCost};
use waymesh::io::{self, SvgOptions};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{
    AreaCosts, AreaFilter, HeadRoomFilter, Hierarchy, NavMesh, Outcome, Path, PathOptions, PathSearch,
    QueryError, QueryScratch, with_clearance_for,
};

use crate::args::PathArgs;
use crate::files::{self, Output};
use crate::refusal::Refusal;

/// The output of `path --json`; its keys are a contract that scripts rely on.
#[derive(Debug, Default, Serialize)]
struct Answer {
    outcome: &'static str,
    /// In space.
    length: f32,
    plan_length: f32,
    /// With a table of areas only: what the path costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f32>,
    points: Vec<[f32; 3]>,
    polygons: Vec<u32>,
    links: Vec<TakenLink>,
    /// Path of a disc only: its distance from the nearest wall.
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f32>,
    /// Path of a disc only: how far its ends are from the requested start and goal in plan: both are
    /// moved to where the disc fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<[f32; 2]>,
    /// Path of a disc that was to be found fast only: how it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<&'static str>,
    /// Use of the hierarchy, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    hierarchy: Option<&'static str>,
    /// Number of groups that `--relax` merged the polygons to.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<usize>,
    /// Only where the search for the shortest path ended at its limit.
    #[serde(skip_serializing_if = "is_false")]
    was_cut: bool,
}

/// A link that a path takes.
#[derive(Debug, Serialize)]
struct TakenLink {
    /// Its number in the file.
    id: u64,
    kind: &'static str,
    /// Index of the point from which it is taken.
    point: usize,
    /// Taken from its end to its start.
    backwards: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// The name of an outcome in the JSON.
pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Partial { .. } => "partial",
        Outcome::Unreachable => "unreachable",
        Outcome::Undecided => "undecided",
    }
}

/// The name of a use of a hierarchy in the JSON.
fn use_name(how: HierarchyUse) -> &'static str {
    match how {
        HierarchyUse::Clusters => "clusters",
        HierarchyUse::Near => "near",
        HierarchyUse::NoPath => "no way",
        _ => "not used",
    }
}

/// The name of a search in the JSON.
fn search_name(search: PathSearch) -> &'static str {
    match search {
        PathSearch::Fast => "fast",
        PathSearch::Shortest => "shortest",
    }
}

/// Exit code of a path that does not reach its goal.
const INCOMPLETE: u8 = 3;

pub(crate) fn run(args: &PathArgs, json: bool) -> Result<ExitCode> {
    let geojson =
        args.geojson.iter().map(|file| Output { option: "--geojson", file, endings: &["geojson", "json"] });
    let outputs: Vec<Output<'_>> = args.pictures.outputs()?.into_iter().chain(geojson).collect();
    files::check_outputs(&outputs, std::slice::from_ref(&args.mesh))?;
    let mesh = files::open_mesh(&args.mesh)?;
    let outcome = match args.radius {
        Some(radius) => run_for_radius(args, mesh, radius, json)?,
        None => {
            let (path, answer) = find_with_costs(args, &mesh)?;
            let cost = (!mesh.area_table().is_empty()).then_some(path.cost);
            report(args, &mesh, &path, Answer { cost, was_cut: path.was_cut, ..answer }, json)?
        }
    };
    Ok(if outcome == Outcome::Complete { ExitCode::SUCCESS } else { ExitCode::from(INCOMPLETE) })
}

/// Writes the path as a line of GeoJSON to the requested file.
fn write_geojson(args: &PathArgs, path: &Path) -> Result<()> {
    let Some(file) = &args.geojson else { return Ok(()) };
    let place = |point: &Vec3| {
        let [height, x, z] = [point.y, point.x, point.z].map(f64::from);
        // -0 would be written with its sign.
        let [x, y] = args.geo_origin.map_or([x, 0.0 - z], |plane| plane.0.degrees([x, -z]));
        [x, y, height]
    };
    let line = serde_json::json!({
        "type": "LineString",
        "coordinates": path.points.iter().map(place).collect::<Vec<_>>(),
    });
    // A line has at least two points.
    let line = (path.points.len() > 1).then_some(line);
    let properties = serde_json::json!({
        "outcome": outcome_name(path.outcome), "length": path.length, "plan_length": path.plan_length,
    });
    let feature = serde_json::json!({ "type": "Feature", "properties": properties, "geometry": line });
    files::write(file, |writer| writeln!(writer, "{feature}"))
}

/// Writes a path to all requested outputs. `answer` holds what depends on how it was found.
fn report(args: &PathArgs, mesh: &NavMesh, path: &Path, answer: Answer, json: bool) -> Result<Outcome> {
    let mut options = SvgOptions::default();
    options.disc = args.radius;
    args.pictures.draw(|writer| io::write_svg(mesh, Some(path), &options, writer))?;
    write_geojson(args, path)?;
    let mut out = files::console(args.pictures.files().chain(&args.geojson))?;
    let answer = Answer {
        outcome: outcome_name(path.outcome),
        length: path.length,
        plan_length: path.plan_length,
        points: path.points.iter().map(|point| point.to_array()).collect(),
        polygons: path.polygons.iter().map(|polygon| polygon.0).collect(),
        links: path.links.iter().filter_map(|taken| taken_link(mesh, taken)).collect(),
        ..answer
    };
    if json {
        files::write_json(&mut out, &answer)?;
    } else {
        print(&mut out, args, mesh, path, &answer)?;
    }
    Ok(path.outcome)
}

fn taken_link(mesh: &NavMesh, &LinkUse { link, backwards, point }: &LinkUse) -> Option<TakenLink> {
    Some(TakenLink { id: link.0, kind: mesh.link(link)?.kind.name(), point, backwards })
}

fn print(
    out: &mut impl Write,
    args: &PathArgs,
    mesh: &NavMesh,
    path: &Path,
    answer: &Answer,
) -> std::io::Result<()> {
    let Answer { outcome, length, plan_length, polygons, .. } = answer;
    let count = polygons.len();
    write!(out, "{outcome}: {length:.3} m ({plan_length:.3} m in plan) over {count} polygons")?;
    if args.radius.is_some() {
        let (corners, clearance) = (path.corners.len(), path.clearance);
        write!(out, ", {corners} corners, {clearance:.3} m from the nearest wall")?;
    }
    writeln!(out)?;
    if !answer.links.is_empty() {
        let mut kinds = BTreeMap::new();
        answer.links.iter().for_each(|link| *kinds.entry(link.kind).or_insert(0) += 1);
        let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(out, "  over {}: {}", counted(answer.links.len() as u64, "link"), kinds.join(", "))?;
    }
    // A partial path does not end at its goal.
    let ends = if path.outcome == Outcome::Complete { &["start", "goal"][..] } else { &["start"] };
    let moved = answer.moved.into_iter().flatten();
    for (what, metres) in ends.iter().zip(moved).filter(|(_, metres)| *metres > 0.0) {
        writeln!(out, "  the {what} was moved by {metres:.3} m to where the disc fits")?;
    }
    if let Some(cost) = answer.cost {
        writeln!(out, "  costs {cost:.3}")?;
    }
    if answer.was_cut {
        writeln!(out, "  perhaps not the shortest: the search ended at its limit of nodes")?;
    }
    if let Some(name) = answer.hierarchy {
        writeln!(out, "hierarchy: {name}")?;
    }
    if let Some(groups) = answer.groups {
        writeln!(out, "relaxed: {} polygons in {groups} groups", mesh.polygons().len())?;
    }
    path.points.iter().try_for_each(|Vec3 { x, y, z }| writeln!(out, "  {x:.3}, {y:.3}, {z:.3}"))
}

/// Finds the path that costs least by the mesh's own table, its corners moved by `--corner-offset`.
fn find_with_costs(args: &PathArgs, mesh: &NavMesh) -> Result<(Path, Answer)> {
    let filter = walkable(args, mesh);
    let has_costs = !args.ignore_costs && !mesh.area_table().is_empty();
    let costs = has_costs.then(|| AreaCosts::of_mesh(mesh));
    let (path, answer) = find(args, mesh, &filter, &costs)?;
    if args.corner_offset == 0.0 {
        return Ok((path, answer));
    }
    let mut wide = Path::default();
    mesh.query().filter(&filter).costs(&costs).offset_corners(&path, args.corner_offset, &mut wide)?;
    let straight = wide.length;
    wide.length = follow_ground(mesh, &mut wide.points, &mut wide.links, args.ground_error)?;
    // A metre that rises and falls add costs what a metre of the path costs on average, without links.
    let links = wide.links.iter().filter_map(|taken| Some(mesh.link(taken.link)?.extra_cost));
    let metre = (wide.cost - links.sum::<f32>()) / straight.max(f32::MIN_POSITIVE);
    wide.cost += metre * (wide.length - straight);
    Ok((wide, answer))
}

/// Adds the points with which a path follows the ground. Returns its length in space.
fn follow_ground(mesh: &NavMesh, points: &mut Vec<Vec3>, links: &mut [LinkUse], error: f32) -> Result<f32> {
    let (mut length, mut all) = (0.0, Vec::new());
    let mut query = mesh.query();
    let mut taken = links.iter_mut().peekable();
    for (index, pair) in points.windows(2).enumerate() {
        let [from, to] = [pair[0], pair[1]];
        all.push(from);
        let mut is_ride = false;
        while let Some(link) = taken.next_if(|link| link.point == index) {
            link.point = all.len() - 1;
            is_ride |= !mesh.is_crossed_like_edge(link.link);
        }
        let place = mesh.nearest(from, &mesh.default_reach()).filter(|_| !is_ride);
        let on_ground = match place {
            Some(place) => query.ground_between(place, to, error, &mut all)?,
            None => None,
        };
        length += on_ground.unwrap_or_else(|| from.distance(to));
    }
    all.extend(points.last());
    *points = all;
    Ok(length)
}

/// Finds the path that costs least, and returns what was used for it.
fn find(
    args: &PathArgs,
    mesh: &NavMesh,
    filter: &Walkable,
    cost: &Option<AreaCosts>,
) -> Result<(Path, Answer)> {
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let (from, to) = (args.from.0, args.to.0);
    let mut options = PathOptions::default().with_filter(*filter).with_cost(cost.clone());
    options = options.with_rises(!args.no_rises);
    // Corners are moved first.
    if args.corner_offset == 0.0 {
        options = options.with_ground_error(args.ground_error);
    }
    if let Some(count) = args.max_nodes {
        options = options.with_max_nodes(count);
    }
    if args.hierarchy && !args.shortest {
        let config = HierarchyConfig::default().with_min_polygons(0);
        let hierarchy = Hierarchy::with_costs(mesh, *filter, cost.clone(), &config)?;
        let mut query = mesh.query().options(options.with_search(&hierarchy)).memory(&mut scratch);
        QueryError::accept_no_path(query.path_into(from, to, &mut path))?;
        return Ok((path, Answer { hierarchy: scratch.hierarchy_use().map(use_name), ..Answer::default() }));
    }
    if let Some(metres) = args.relax {
        let relaxed = RelaxedPolygons::new(mesh, metres)?;
        let mut query = mesh.query().options(options.with_search(&relaxed));
        QueryError::accept_no_path(query.path_into(from, to, &mut path))?;
        return Ok((path, Answer { groups: Some(relaxed.len()), ..Answer::default() }));
    }
    let search = if args.shortest { PathSearch::Shortest } else { PathSearch::Fast };
    let mut query = mesh.query().options(options.clone().with_search(search));
    QueryError::accept_no_path(query.path_into(from, to, &mut path))?;
    // The search for the shortest path counts lengths alone: a longer one may cost less.
    if args.shortest && !cost.is_length() {
        let mut by_cost = Path::default();
        QueryError::accept_no_path(mesh.query().options(options).path_into(from, to, &mut by_cost))?;
        if by_cost.cost < path.cost {
            path = by_cost;
        }
    }
    Ok((path, Answer::default()))
}

/// Ground with the headroom of `--agent-height`, in areas that are open.
type Walkable = (HeadRoomFilter, AreaFilter);

fn walkable(args: &PathArgs, mesh: &NavMesh) -> Walkable {
    let closed = mesh.area_table().iter().filter(|(_, area)| area.cost.is_infinite());
    let areas = closed.fold(AreaFilter::default(), |filter, (id, _)| filter.without(id));
    (HeadRoomFilter::new(args.agent_height.unwrap_or(0.0)), areas)
}

/// Refuses a path that would leave costs out of account.
fn refuse_costs(mesh: &NavMesh) -> Result<()> {
    let costs = AreaCosts::of_mesh(mesh);
    let dear = mesh.polygons().map(|polygon| polygon.area_id()).find(|&id| {
        let cost = costs.of(id);
        cost.is_finite() && (cost - 1.0).abs() > 0.0
    });
    let Some(id) = dear else { return Ok(()) };
    let name = mesh.area_table().get(id).map_or("", |area| area.name.as_str());
    Err(Refusal(format!(
        "a metre of the area {name:?} costs {}, and a disc (--radius) knows no costs; with --ignore-costs its \
         path is the shortest one",
        costs.of(id)
    ))
    .into())
}

/// Finds the path of a disc. The clearance of the mesh is computed for this one query.
fn run_for_radius(args: &PathArgs, mesh: NavMesh, radius: f32, json: bool) -> Result<Outcome> {
    if !args.ignore_costs {
        refuse_costs(&mesh)?;
    }
    let filter = walkable(args, &mesh);
    let mesh = with_clearance_for(mesh, &filter, &ClearanceConfig::default())?;
    let mut options = ClearPathOptions::new(radius);
    if let Some(metres) = args.arc_error {
        options = options.with_arc_error(metres);
    }
    if let Some(count) = args.max_nodes {
        options = options.with_max_nodes(count);
    }
    if args.fast {
        options = options.with_search(PathSearch::Fast);
    }
    let mut path = Path::default();
    QueryError::accept_no_path(mesh.query(radius).options(options).path_into(
        args.from.0,
        args.to.0,
        &mut path,
    ))?;
    path.length = follow_ground(mesh.mesh(), &mut path.points, &mut path.links, args.ground_error)?;
    let ends = path.points.first().zip(path.points.last());
    let moved = ends.map(|(first, last)| {
        [(first, args.from), (last, args.to)].map(|(end, asked)| end.xz().distance(asked.0.xz()))
    });
    let clearance = ends.map(|_| path.clearance).filter(|clearance| clearance.is_finite());
    let found_by = args.fast.then_some(search_name(path.found_by));
    report(args, mesh.mesh(), &path, Answer { clearance, moved, found_by, ..Answer::default() }, json)
}

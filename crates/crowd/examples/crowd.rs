//! Runs a crowd through a scene and prints how it fared: time of a step, arrivals, overlaps, walls,
//! flow.
//!
//! `crowd [SCENE] [AGENTS]`, where the scene is `door`, `streams`, `crossing`, `circle`, `meeting`
//! or `blocks`; or `--mesh FILE` for a packed mesh. `--frames FOLDER` draws every other second.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of agents and squares")]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{Agent, Random};
use waymesh_crowd::{AgentId, AgentParams, AgentStatus, Crowd, CrowdConfig};
use waymesh_graph::{AnyPolygon, NavMesh, PackedChecks, PlaceSampler};
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 30.0;

/// A flat mesh of rectangles in decimetres, where walls are real walls.
fn flat(rectangles: &[[i32; 4]]) -> Outcome<NavMesh> {
    let mut polygons = flat_meshes::build(&rectangle_borders(rectangles));
    polygons.frame.cell_size = 0.1;
    Ok(NavMesh::new(polygons, None, Agent::default().with_radius(0.0))?)
}

struct Setup {
    mesh: NavMesh,
    /// Where agents begin and where they go.
    trips: Vec<[Vec3; 2]>,
    /// A line x = this whose crossings are counted.
    gate: Option<f32>,
}

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// Places `count` agents in rows in a rectangle of metres.
fn rows(count: usize, [x0, z0, x1, z1]: [f32; 4]) -> Vec<Vec3> {
    let area = (x1 - x0) * (z1 - z0);
    let side = (area / count as f32).sqrt();
    let columns = (((x1 - x0) / side).ceil() as usize).max(1);
    let depth = count.div_ceil(columns);
    let mut random = Random::new(5);
    (0..count)
        .map(|index| {
            let [x, z] = [index % columns, index / columns].map(|along| along as f32 + 0.5);
            let jitter = [random.range(-0.1, 0.1), random.range(-0.1, 0.1)];
            at(
                x0 + (x + jitter[0]) * (x1 - x0) / columns as f32,
                z0 + (z + jitter[1]) * (z1 - z0) / depth as f32,
            )
        })
        .collect()
}

/// Trips whose starts are clear of each other and, as their ends, of walls.
fn apart(mesh: &NavMesh, count: usize, radius: f32, place: &mut dyn FnMut() -> Vec3) -> Vec<[Vec3; 2]> {
    let mut scratch = waymesh_graph::QueryScratch::default();
    let clearance = (radius - mesh.agent().radius).max(0.0);
    let mut clear = || loop {
        let found = place();
        let location = mesh.nearest(found, &mesh.default_reach());
        let wall = location.map(|at| mesh.nearest_wall(&at, clearance, &AnyPolygon, &mut scratch));
        if clearance == 0.0 || matches!(wall, Some(Ok(None))) {
            return found;
        }
    };
    let square = |at: Vec3| [at.x, at.z].map(|along| (along / (2.0 * radius)).floor() as i32);
    let mut taken = std::collections::HashMap::<[i32; 2], Vec<Vec3>>::new();
    let mut trips = Vec::new();
    while trips.len() < count {
        let from = clear();
        let [x, z] = square(from);
        let mut near = (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| [x, z]));
        let is_free = |other: &Vec3| other.distance(from) > 2.0 * radius;
        if near.all(|square| taken.get(&square).is_none_or(|others| others.iter().all(is_free))) {
            taken.entry([x, z]).or_default().push(from);
            trips.push([from, clear()]);
        }
    }
    trips
}

fn setup(scene: &str, count: usize, radius: f32, mesh: Option<&Path>) -> Outcome<Setup> {
    if let Some(path) = mesh {
        let mesh = NavMesh::from_packed_shared(std::fs::read(path)?, PackedChecks::All)?;
        let mut random = Random::new(1);
        let sampler = PlaceSampler::new(&mesh, &AnyPolygon);
        let islands = mesh.islands();
        let largest = (0..islands.len()).max_by(|&a, &b| islands[a].area.total_cmp(&islands[b].area));
        let mut place = || loop {
            if let Ok(Some(place)) = sampler.sample(&mesh, &mut random)
                && mesh.island_of(place.polygon).map(waymesh_graph::IslandId::index) == largest
            {
                return place.position;
            }
        };
        let trips = apart(&mesh, count, radius, &mut place);
        return Ok(Setup { mesh, trips, gate: None });
    }
    Ok(match scene {
        // Two halls and a door of 1.2 m in a wall of 0.3 m.
        "door" => {
            let mesh = flat(&[[0, 0, 150, 200], [150, 94, 153, 106], [153, 0, 450, 200]])?;
            let starts = rows(count, [1.0, 1.0, 14.0, 19.0]);
            let trips = starts.into_iter().map(|from| [from, at(35.0 + 0.4 * (from.x - 7.0), from.z)]);
            Setup { mesh, trips: trips.collect(), gate: Some(15.15) }
        }
        // Streams in opposite directions in a passage of 4 m.
        "streams" => {
            let mesh = flat(&[[0, 0, 800, 40]])?;
            let half = count / 2;
            let left =
                rows(half, [1.0, 0.4, 20.0, 3.6]).into_iter().map(|from| [from, at(from.x + 55.0, from.z)]);
            let right = rows(count - half, [60.0, 0.4, 79.0, 3.6]).into_iter();
            let right = right.map(|from| [from, at(from.x - 55.0, from.z)]);
            Setup { mesh, trips: left.chain(right).collect(), gate: None }
        }
        // Two streams that cross at a right angle.
        "crossing" => {
            let mesh = flat(&[
                [0, 250, 250, 300],
                [250, 250, 300, 300],
                [300, 250, 550, 300],
                [250, 0, 300, 250],
                [250, 300, 300, 550],
            ])?;
            let half = count / 2;
            let left =
                rows(half, [1.0, 25.4, 20.0, 29.6]).into_iter().map(|from| [from, at(from.x + 33.0, from.z)]);
            let up = rows(count - half, [25.4, 1.0, 29.6, 20.0]).into_iter();
            let up = up.map(|from| [from, at(from.x, from.z + 33.0)]);
            Setup { mesh, trips: left.chain(up).collect(), gate: None }
        }
        // Everyone goes to the opposite point of a circle.
        "circle" => {
            let radius = (count as f32 * 0.12).max(6.0);
            let side = (radius * 22.0) as i32;
            let mesh = flat(&[[0, 0, side, side]])?;
            let middle = side as f32 * 0.05;
            let trips = (0..count).map(|index| {
                let angle = index as f32 / count as f32 * std::f32::consts::TAU;
                let out = radius * at(angle.cos(), angle.sin());
                [at(middle, middle) + out, at(middle, middle) - out]
            });
            Setup { mesh, trips: trips.collect(), gate: None }
        }
        // Everyone goes to one place.
        "meeting" => {
            let side = ((count as f32).sqrt() * 25.0).max(200.0) as i32;
            let mesh = flat(&[[0, 0, side, side]])?;
            let metres = side as f32 * 0.1;
            let trips = rows(count, [1.0, 1.0, metres - 1.0, metres - 1.0]).into_iter();
            let trips = trips.map(|from| [from, at(metres / 2.0, metres / 2.0)]).collect();
            Setup { mesh, trips, gate: None }
        }
        // Blocks of houses with streets of 6 m.
        "blocks" => {
            let blocks = ((count as f32 / 30.0).sqrt().ceil() as i32).max(3);
            let mut rectangles = Vec::new();
            for row in 0..=blocks {
                for column in 0..=blocks {
                    let (x, z) = (column * 260, row * 260);
                    rectangles.push([x, z, x + 60, z + 60]);
                    if column < blocks {
                        rectangles.push([x + 60, z, x + 260, z + 60]);
                    }
                    if row < blocks {
                        rectangles.push([x, z + 60, x + 60, z + 260]);
                    }
                }
            }
            let mesh = flat(&rectangles)?;
            let mut random = Random::new(1);
            let sampler = PlaceSampler::new(&mesh, &AnyPolygon);
            let mut place = || loop {
                if let Ok(Some(place)) = sampler.sample(&mesh, &mut random) {
                    return place.position;
                }
            };
            let trips = apart(&mesh, count, radius, &mut place);
            Setup { mesh, trips, gate: None }
        }
        _ => return Err(format!("there is no scene {scene}").into()),
    })
}

#[derive(Default)]
struct Figures {
    /// Agent-steps, those with an overlap, and those outside of the mesh or too near to a wall.
    seen: u64,
    overlapping: u64,
    outside: u64,
    deepest: f32,
    deepest_wall: f32,
    /// Sum of changes of acceleration.
    jerk: f64,
    crossed: u64,
    first_cross: f32,
    last_cross: f32,
}

impl Figures {
    fn see(&mut self, crowd: &Crowd, mesh: &NavMesh, now: &[Vec3], radius: f32) {
        let side = 2.0 * radius;
        let mut order: Vec<(i32, i32, usize)> = now
            .iter()
            .enumerate()
            .map(|(index, at)| ((at.z / side).floor() as i32, (at.x / side).floor() as i32, index))
            .collect();
        order.sort_unstable();
        let mut touched = vec![false; now.len()];
        for &(z, x, index) in &order {
            for row in z - 1..=z + 1 {
                let begin = order.partition_point(|entry| (entry.0, entry.1) < (row, x - 1));
                for &(_, _, other) in
                    order[begin..].iter().take_while(|entry| (entry.0, entry.1) <= (row, x + 1))
                {
                    if other <= index || (now[other].y - now[index].y).abs() > 1.0 {
                        continue;
                    }
                    let depth = side - now[other].xz().distance(now[index].xz());
                    if depth > 0.01 * side {
                        touched[other] = true;
                        touched[index] = true;
                        self.deepest = self.deepest.max(depth);
                    }
                }
            }
        }
        self.seen += now.len() as u64;
        self.overlapping += touched.iter().filter(|touched| **touched).count() as u64;
        let clearance = (radius - mesh.agent().radius).max(0.0);
        let mut scratch = waymesh_graph::QueryScratch::default();
        for (_, state) in crowd.agents() {
            if clearance > 0.0
                && let Ok(Some(wall)) = mesh.nearest_wall(&state.place, clearance, &AnyPolygon, &mut scratch)
                && wall.distance < clearance - 0.005
            {
                self.outside += 1;
                self.deepest_wall = self.deepest_wall.max(clearance - wall.distance);
            }
        }
    }
}

fn main() -> Outcome<()> {
    let mut words = std::env::args().skip(1);
    let (mut scene, mut count, mut frames, mut packed, mut radius) =
        (String::from("door"), 100, None, None, 0.25_f32);
    let (mut limit, mut place) = (120.0_f32, 0);
    let mut config = CrowdConfig::default().with_plans_per_step(u32::MAX);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--frames" => frames = words.next(),
            "--mesh" => packed = words.next(),
            "--radius" => radius = words.next().unwrap_or_default().parse()?,
            "--limit" => limit = words.next().unwrap_or_default().parse()?,
            "--horizon" => config.horizon = words.next().unwrap_or_default().parse()?,
            "--bias" => config.lane_bias = words.next().unwrap_or_default().parse()?,
            "--neighbours" => config.max_neighbours = words.next().unwrap_or_default().parse()?,
            _ if place == 0 => (scene, place) = (word, 1),
            _ => count = word.parse()?,
        }
    }
    let Setup { mesh, trips, gate } = setup(&scene, count, radius, packed.as_deref().map(Path::new))?;
    let mut crowd: Crowd = Crowd::new(config)?;
    let params = AgentParams::default().with_radius(radius);
    let ids: Vec<AgentId> =
        trips.iter().map(|trip| crowd.add(&mesh, params, trip[0])).collect::<Result<_, _>>()?;
    for (&id, trip) in ids.iter().zip(&trips) {
        crowd.set_target(&mesh, id, trip[1])?;
    }
    let begin = Instant::now();
    crowd.step(&mesh, DT)?;
    let planning = begin.elapsed().as_secs_f32() * 1e3;
    let positions = |crowd: &Crowd| -> Vec<Vec3> {
        let far = |index: usize| Vec3::new(-1e3 - 10.0 * index as f32, 0.0, 0.0);
        let all = ids.iter().enumerate();
        all.map(|(index, &id)| crowd.agent(id).map_or_else(|| far(index), |state| state.position)).collect()
    };
    let (mut figures, mut now, mut time) = (Figures::default(), positions(&crowd), 0.0);
    let mut speeds: Vec<[Vec3; 2]> = vec![[Vec3::ZERO; 2]; ids.len()];
    let lengths: Vec<f32> = crowd.agents().map(|(_, state)| state.remaining).collect();
    let leaves = ["door", "streams", "crossing"].contains(&scene.as_str());
    let mut delay = 0.0;
    let mut is_there = vec![false; ids.len()];
    let (mut spent, mut slowest, mut steps, mut arrived) = (0.0_f32, 0.0_f32, 0_u32, 0);
    while time < limit {
        let begin = Instant::now();
        crowd.step(&mesh, DT)?;
        let step = begin.elapsed().as_secs_f32() * 1e3;
        (spent, slowest, steps, time) = (spent + step, slowest.max(step), steps + 1, time + DT);
        let next = positions(&crowd);
        for (id, state) in crowd.agents() {
            let index = id_index(id);
            let acceleration = (state.velocity - speeds[index][0]) / DT;
            figures.jerk += f64::from(((acceleration - speeds[index][1]) / DT).length());
            speeds[index] = [state.velocity, acceleration];
        }
        if let Some(gate) = gate {
            let crossed = now.iter().zip(&next).filter(|(a, b)| a.x < gate && b.x >= gate).count();
            figures.crossed += crossed as u64;
            if crossed > 0 {
                if figures.first_cross == 0.0 {
                    figures.first_cross = time;
                }
                figures.last_cross = time;
            }
        }
        figures.see(&crowd, &mesh, &next, radius);
        now = next;
        if let Some(folder) = &frames
            && steps.is_multiple_of(60)
        {
            std::fs::create_dir_all(folder)?;
            std::fs::write(
                Path::new(folder).join(format!("{steps:05}.svg")),
                picture(&crowd, &mesh, radius)?,
            )?;
        }
        for (index, &id) in ids.iter().enumerate() {
            let state = crowd.agent(id);
            if !is_there[index] && state.is_some_and(|state| state.status == AgentStatus::Arrived) {
                is_there[index] = true;
                arrived += 1;
                delay += time - lengths[index] / params.max_speed;
                if leaves {
                    // Out of the way of the others: out of the scene.
                    crowd.set_position(&mesh, id, trips[index][1])?;
                    crowd.remove(id);
                }
            }
        }
        if arrived == ids.len() {
            break;
        }
    }
    let share = |part: u64| 100.0 * part as f64 / figures.seen.max(1) as f64;
    println!(
        "{scene} {} agents: {:.2} ms a step (worst {slowest:.2}, first {planning:.1}), {arrived} arrived after {time:.1} s, delay {:.1} s, \
         overlapping {:.3} % deepest {:.3} m, walls {:.3} % deepest {:.3} m, jerk {:.1} m/s^3",
        ids.len(),
        spent / steps as f32,
        delay / arrived.max(1) as f32,
        share(figures.overlapping),
        figures.deepest,
        share(figures.outside),
        figures.deepest_wall,
        figures.jerk / figures.seen.max(1) as f64,
    );
    if gate.is_some() {
        let flow = figures.crossed as f32 / (figures.last_cross - figures.first_cross) / 1.2;
        println!("  flow {flow:.2} a metre and second, {} crossed", figures.crossed);
    }
    if arrived < ids.len() {
        for (id, state) in crowd.agents().filter(|(_, state)| state.status != AgentStatus::Arrived).take(9) {
            println!(
                "  {id} {:?} at {} with {} to {}, {:.2} m left",
                state.status,
                state.position,
                state.velocity,
                trips[id_index(id)][1],
                state.remaining
            );
        }
    }
    Ok(())
}

fn id_index(id: AgentId) -> usize {
    id.to_string().split('.').next().and_then(|index| index.parse().ok()).unwrap_or(0)
}

/// The mesh and all agents from above.
fn picture(crowd: &Crowd, mesh: &NavMesh, radius: f32) -> Outcome<String> {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &vertex in mesh.vertices() {
        (low, high) = (low.min(vertex), high.max(vertex));
    }
    let size = high - low;
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='{} {} {} {}' width='1200' style='background:#444'>\n",
        low.x, low.z, size.x, size.z
    );
    for polygon in mesh.polygons() {
        let points: Vec<String> = polygon.positions().map(|at| format!("{},{}", at.x, at.z)).collect();
        writeln!(svg, "<polygon points='{}' fill='#eee'/>", points.join(" "))?;
    }
    for (id, state) in crowd.agents() {
        let hue = id_index(id) * 360 / crowd.len().max(1);
        let edge = if state.status == AgentStatus::Arrived { "#000" } else { "none" };
        writeln!(
            svg,
            "<circle cx='{}' cy='{}' r='{radius}' fill='hsl({hue},80%,50%)' stroke='{edge}' stroke-width='0.05'/>",
            state.position.x, state.position.z
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

//! Reads a mesh and pairs of points from standard input, then answers each further line with what
//! every query took and found.
//!
//! # Input
//! Words with white space between them:
//! 1. The number of vertices, and x, y, z of each.
//! 2. The number of polygons, and of each the number of its corners and its corners.
//! 3. The number of polygons with heights, which may be 0, and of each its first vertex, its number
//!    of vertices, its first triangle and its number of triangles.
//! 4. The number of vertices of the heights, and x, y, z of each.
//! 5. The number of triangles of the heights, and three corners of each.
//! 6. How far a sample may lie from the mesh in plan, and in height.
//! 7. The number of points, and x, y, z of each.
//!
//! # Answers
//! First `ok`, or the reason why landmass refuses the mesh. Then:
//! - `nearest` prints a line for each point and `path` one for each pair: nanoseconds, and the
//!   length or `-`.
//! - `crowd` with a radius and a speed puts an agent on the first point of each pair, on its way to
//!   the second. It prints nothing.
//! - `leave` with the number of an agent removes that. It prints nothing.
//! - `step` with seconds moves all agents. It prints the nanoseconds of the update, and a line for
//!   each agent: its place, or `-` for one that was removed.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::str::FromStr;
use std::time::Instant;

use landmass::{
    Agent, AgentId, Archipelago, ArchipelagoOptions, FromAgentRadius, HeightNavigationMesh, HeightPolygon,
    Island, NavigationMesh, PathStep, PermittedAnimationLinks, PointSampleDistance3d, Transform, Vec3, XYZ,
};

type Failure = Box<dyn std::error::Error>;

/// The words of the input, one after the other.
struct Words<R> {
    input: R,
    line: Vec<String>,
}

impl<R: BufRead> Words<R> {
    fn next<T: FromStr<Err: std::error::Error + 'static>>(&mut self) -> Result<T, Failure> {
        loop {
            if let Some(word) = self.line.pop() {
                return Ok(word.parse()?);
            }
            let mut text = String::new();
            if self.input.read_line(&mut text)? == 0 {
                return Err("the input ends early".into());
            }
            self.line = text.split_whitespace().rev().map(str::to_owned).collect();
        }
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
        let count: usize = self.next()?;
        (0..count).map(|_| read(self)).collect()
    }

    fn point(&mut self) -> Result<Vec3, Failure> {
        Ok(Vec3::new(self.next()?, self.next()?, self.next()?))
    }
}

fn heights<R: BufRead>(words: &mut Words<R>) -> Result<Option<HeightNavigationMesh<XYZ>>, Failure> {
    let polygons = words.list(|words| {
        Ok(HeightPolygon {
            base_vertex_index: words.next()?,
            vertex_count: words.next()?,
            base_triangle_index: words.next()?,
            triangle_count: words.next()?,
        })
    })?;
    let vertices = words.list(Words::point)?;
    let triangles = words.list(|words| Ok([words.next()?, words.next()?, words.next()?]))?;
    Ok((!polygons.is_empty()).then_some(HeightNavigationMesh { polygons, vertices, triangles }))
}

fn main() -> Result<(), Failure> {
    let mut words = Words { input: io::stdin().lock(), line: Vec::new() };
    let mut out = io::stdout().lock();
    let vertices = words.list(Words::point)?;
    let polygons = words.list(|words| words.list(Words::next))?;
    let height_mesh = heights(&mut words)?;
    let polygon_type_indices = vec![0; polygons.len()];
    let mesh = NavigationMesh::<XYZ> { vertices, polygons, polygon_type_indices, height_mesh };
    let (side, up): (f32, f32) = (words.next()?, words.next()?);
    let reach = PointSampleDistance3d {
        horizontal_distance: side,
        distance_above: up,
        distance_below: up,
        vertical_preference_ratio: 1.0,
        animation_link_max_vertical_distance: 1.0,
    };
    let points = words.list(Words::point)?;
    let mesh = match mesh.validate() {
        Ok(mesh) => mesh,
        Err(error) => {
            writeln!(out, "{error}")?;
            return Ok(());
        }
    };
    let mut archipelago = Archipelago::<XYZ>::new(ArchipelagoOptions::from_agent_radius(1.0));
    archipelago.add_island(Island::new(Transform { translation: Vec3::ZERO, rotation: 0.0 }, mesh.into()));
    // Only then can it be asked.
    archipelago.update(0.1);
    writeln!(out, "ok")?;
    out.flush()?;
    let mut crowd = Crowd { agents: Vec::new(), reach: reach.clone() };
    let costs = HashMap::new();
    let path = |archipelago: &Archipelago<XYZ>, pair: &[Vec3]| {
        let from = archipelago.sample_point(pair[0], &reach).ok()?;
        let to = archipelago.sample_point(pair[1], &reach).ok()?;
        archipelago.find_path(&from, &to, &costs, PermittedAnimationLinks::All).ok()
    };
    while let Ok(query) = words.next::<String>() {
        match &*query {
            "crowd" => {
                let (radius, speed) = (words.next()?, words.next()?);
                crowd.begin(&mut archipelago, &points, radius, speed);
                continue;
            }
            "leave" => {
                crowd.leave(&mut archipelago, words.next()?);
                continue;
            }
            "step" => {
                writeln!(out, "{}", crowd.step(&mut archipelago, words.next()?))?;
                for agent in &crowd.agents {
                    match agent.and_then(|agent| archipelago.get_agent(agent)) {
                        Some(Agent { position: Vec3 { x, y, z }, .. }) => writeln!(out, "{x} {y} {z}")?,
                        None => writeln!(out, "-")?,
                    }
                }
                out.flush()?;
                continue;
            }
            _ => {}
        }
        let answers: Vec<(u128, Option<f32>)> = if query == "nearest" {
            let nearest = |&point: &Vec3| {
                let start = Instant::now();
                let found = archipelago.sample_point(point, &reach).is_ok();
                (start.elapsed().as_nanos(), found.then_some(0.0))
            };
            points.iter().map(nearest).collect()
        } else {
            let timed = |pair: &[Vec3]| {
                let start = Instant::now();
                let found = path(&archipelago, pair);
                (start.elapsed().as_nanos(), found.map(|steps| length(&steps)))
            };
            points.chunks_exact(2).map(timed).collect()
        };
        for (nanoseconds, length) in answers {
            match length {
                Some(length) => writeln!(out, "{nanoseconds} {length}")?,
                None => writeln!(out, "{nanoseconds} -")?,
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// Agents as a game moves them: each by the velocity that it is given, and back onto the mesh.
struct Crowd {
    agents: Vec<Option<AgentId>>,
    reach: PointSampleDistance3d,
}

impl Crowd {
    fn begin(&mut self, archipelago: &mut Archipelago<XYZ>, points: &[Vec3], radius: f32, speed: f32) {
        archipelago.archipelago_options = ArchipelagoOptions::from_agent_radius(radius);
        let agents = points.chunks_exact(2).map(|pair| {
            let mut agent = Agent::create(pair[0], Vec3::ZERO, radius, speed, speed);
            agent.current_target = Some(pair[1]);
            Some(archipelago.add_agent(agent))
        });
        self.agents = agents.collect();
    }

    fn leave(&mut self, archipelago: &mut Archipelago<XYZ>, agent: usize) {
        if let Some(agent) = self.agents.get_mut(agent).and_then(Option::take) {
            archipelago.remove_agent(agent);
        }
    }

    /// Returns the nanoseconds of the update alone.
    fn step(&self, archipelago: &mut Archipelago<XYZ>, seconds: f32) -> u128 {
        let start = Instant::now();
        archipelago.update(seconds);
        let spent = start.elapsed().as_nanos();
        for &agent in self.agents.iter().flatten() {
            let Some(now) = archipelago.get_agent(agent) else { continue };
            let velocity = *now.get_desired_velocity();
            let place = archipelago.sample_point(now.position + velocity * seconds, &self.reach);
            let place = place.map_or(now.position, |place| place.point());
            if let Some(agent) = archipelago.get_agent_mut(agent) {
                (agent.position, agent.velocity) = (place, velocity);
            }
        }
        spent
    }
}

fn length(steps: &[PathStep<XYZ>]) -> f32 {
    let at = |step: &PathStep<XYZ>| match *step {
        PathStep::Waypoint(at) => at,
        PathStep::AnimationLink { end_point, .. } => end_point,
    };
    steps.windows(2).map(|pair| at(&pair[0]).distance(at(&pair[1]))).sum()
}

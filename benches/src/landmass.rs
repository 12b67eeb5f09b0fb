//! The crate `landmass`, on our own polygons, in a separate program: its dependencies cannot be
//! in one lock file with ours (`benches/landmass/Cargo.toml` tells which). It times its queries
//! itself, in the same rounds.
//!
//! Differences from ours, for reading its figures:
//! - It has no index of places: a sample checks the box of every polygon.
//! - Its search runs over the middles of edges, with hash maps that each search allocates. There is
//!   no shortest path, no ray, no move along the surface, and no partial path: where no way leads
//!   it says so at once, which is what its row of partial paths times.
//! - It joins whatever polygons name the same two vertices, and it requires convexity of rounded
//!   coordinates. It is given cells as its unit of length, so that plan coordinates are whole
//!   numbers and corners in line stay in line; lengths are brought back to metres.
//! - Its height mesh counts points per polygon in 8 bits. If any polygon has more points, all
//!   polygons are given without height triangles.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use glam::Vec3;
use waymesh_graph::NavMesh;

use crate::queries::{Answer, Queries, Query, REACH};

/// The program, with the mesh and the pairs.
#[derive(Debug)]
pub struct Landmass {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    cell_size: f32,
    origin: Vec3,
    pairs: usize,
}

impl Drop for Landmass {
    fn drop(&mut self) {
        // It ends where its input does.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

impl Landmass {
    /// Builds the program, and hands over the polygons and the height surface of our mesh and the
    /// pairs of the queries.
    pub(crate) fn new(mesh: &NavMesh, pairs: &[[Vec3; 2]]) -> Result<Self> {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/landmass/Cargo.toml");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut child = Command::new(cargo)
            .args(["run", "--release", "--quiet", "--locked", "--manifest-path", manifest])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("landmass has no output")?);
        let frame = mesh.frame();
        let (cell_size, origin) = (frame.cell_size, frame.origin);
        let mut engine = Self { child, input, output, cell_size, origin, pairs: pairs.len() };
        engine.send(&text_of(mesh, pairs))?;
        match engine.line()?.trim() {
            "ok" => Ok(engine),
            why => bail!("landmass: {why}"),
        }
    }

    fn send(&mut self, text: &str) -> Result<()> {
        let input = self.input.as_mut().context("landmass has no input")?;
        input.write_all(text.as_bytes())?;
        Ok(input.flush()?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line)?;
        (length > 0).then_some(line).context("landmass cannot be built, or ended early")
    }

    /// Puts an agent of this radius and speed on the first of each pair, on its way to the second.
    pub(crate) fn begin_crowd(&mut self, radius: f32, speed: f32) -> Result<()> {
        let [radius, speed] = [radius, speed].map(|metres| metres / self.cell_size);
        self.send(&format!("crowd {radius} {speed}\n"))
    }

    /// Takes an agent out. One that died says so at the next step.
    pub(crate) fn leave_crowd(&mut self, agent: usize) {
        let _ = self.send(&format!("leave {agent}\n"));
    }

    /// Moves all agents; returns where they are, and the milliseconds that took.
    pub(crate) fn step_crowd(&mut self, seconds: f32) -> Result<(Vec<Option<Vec3>>, f64)> {
        self.send(&format!("step {seconds}\n"))?;
        let nanoseconds: f64 = self.line()?.trim().parse()?;
        let place = |line: String| {
            let mut words = line.split_whitespace().map_while(|word| word.parse::<f32>().ok());
            let ((x, z), y) = words.next().zip(words.next()).zip(words.next())?;
            Some(self.origin + self.cell_size * Vec3::new(x, y, z))
        };
        let lines = (0..self.pairs).map(|_| {
            let mut line = String::new();
            self.output.read_line(&mut line).map(|_| line)
        });
        let lines: Vec<String> = lines.collect::<std::io::Result<_>>()?;
        Ok((lines.into_iter().map(place).collect(), nanoseconds / 1e6))
    }

    /// A line of nanoseconds and a length.
    fn answer(&mut self) -> Answer {
        let line = self.line().ok()?;
        let (nanoseconds, length) = line.trim().split_once(' ')?;
        let length = length.parse().ok().map(|cells: f32| cells * self.cell_size);
        Some((nanoseconds.parse().ok()?, length))
    }
}

impl Queries for Landmass {
    fn name(&self) -> &'static str {
        "landmass"
    }

    fn answers(&mut self, query: Query, pairs: &[[Vec3; 2]]) -> Vec<Answer> {
        let (word, count) = match query {
            Query::Nearest => ("nearest\n", 2 * pairs.len()),
            Query::Path => ("path\n", pairs.len()),
            _ => return Vec::new(),
        };
        // A program that died answers nothing.
        if self.send(word).is_err() { Vec::new() } else { (0..count).map(|_| self.answer()).collect() }
    }
}

/// The input of the program (its docs define the format), of the compact form of a mesh. Lengths
/// are in cells; x and z are its plan, in which positive loops turn to the left as it expects.
fn text_of(mesh: &NavMesh, pairs: &[[Vec3; 2]]) -> String {
    let compact = mesh.to_compact();
    let mesh = compact.mesh();
    let frame = mesh.frame();
    let level = frame.level_height / frame.cell_size;
    let mut text = String::new();
    let list = |text: &mut String, count: usize, elements: &mut dyn Iterator<Item = String>| {
        let _ = writeln!(text, "{count}");
        elements.for_each(|element| {
            let _ = writeln!(text, "{element}");
        });
    };
    let vertices = mesh.plan_vertices();
    let mut lines = vertices
        .iter()
        .map(|vertex| format!("{} {} {}", vertex.point.x, vertex.point.z, vertex.height * level));
    list(&mut text, vertices.len(), &mut lines);
    let mut lines = mesh.polygons().map(|polygon| {
        let corners = polygon.corners();
        corners.iter().fold(corners.len().to_string(), |line, corner| format!("{line} {}", corner.0))
    });
    list(&mut text, mesh.polygon_count(), &mut lines);
    let [polygons, points, triangles] = heights(mesh, level).unwrap_or_default();
    for table in [polygons, points, triangles] {
        list(&mut text, table.len(), &mut table.into_iter());
    }
    let _ = writeln!(text, "{} {}", REACH.x / frame.cell_size, REACH.y / frame.cell_size);
    let points = pairs.as_flattened();
    let mut lines = points.iter().map(|&point| {
        let at = (point - frame.origin) / frame.cell_size;
        format!("{} {} {}", at.x, at.z, at.y)
    });
    list(&mut text, points.len(), &mut lines);
    text
}

/// The height surface, each polygon with separate points: lines of polygons, of points and of
/// triangles. `level` is the height of a level in cells.
fn heights(mesh: &NavMesh, level: f32) -> Option<[Vec<String>; 3]> {
    let surface = mesh.surface()?;
    let mut tables = [const { Vec::new() }; 3];
    for range in surface.polygon_triangles.windows(2) {
        let triangles = &surface.triangles[range[0] as usize..range[1] as usize];
        let mut points: Vec<u32> = triangles.as_flattened().to_vec();
        points.sort_unstable();
        points.dedup();
        if points.len() > usize::from(u8::MAX) {
            return None;
        }
        let polygon = format!("{} {} {} {}", tables[1].len(), points.len(), range[0], triangles.len());
        tables[0].push(polygon);
        tables[1].extend(points.iter().map(|&point| {
            let point = surface.points[point as usize];
            format!("{} {} {}", point.x, point.z, point.height * level)
        }));
        tables[2].extend(triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|point| points.partition_point(|&other| other < point));
            format!("{a} {b} {c}")
        }));
    }
    Some(tables)
}

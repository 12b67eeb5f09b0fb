//! The crate `landmass`, on our own polygons, in a program of its own: its dependencies cannot be
//! in one lock file with ours (`benches/landmass/Cargo.toml` tells which). It times its queries
//! itself, in the same rounds.
//!
//! How it differs from ours, which its figures must be read with:
//! - It has no index of places: a sample looks at the box of every polygon.
//! - Its search runs over the middles of edges, with hash maps that each search allocates. There is
//!   no shortest path, no ray, no move along the surface, and no partial path: where no way leads
//!   it says so at once, which is what its row of partial paths times.
//! - It joins whatever polygons name the same two vertices, and it asks for convexity of rounded
//!   coordinates. It is given cells as its unit of length, so that plan coordinates are whole
//!   numbers and corners in line stay in line; lengths are brought back to metres.
//! - Its height mesh counts points per polygon in 8 bits. If any polygon has more points, all
//!   polygons are given without height triangles.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use glam::Vec3;
use waymesh_graph::NavMesh;

use crate::BenchError;
use crate::queries::{Queries, REACH, Timed};

const NAME: &str = "landmass";

/// The program, with the mesh and the pairs.
#[derive(Debug)]
pub struct Landmass {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    cell_size: f32,
    origin: Vec3,
    points: usize,
}

impl Drop for Landmass {
    fn drop(&mut self) {
        // It ends where its input does.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BenchError {
    BenchError::stage(NAME, "mesh", source)
}

impl Landmass {
    /// Builds the program, and hands over the polygons and the height surface of our mesh and the
    /// pairs that will be asked.
    ///
    /// # Errors
    /// When it cannot be built, or does not take the polygons.
    pub fn new(mesh: &NavMesh, pairs: &[[Vec3; 2]]) -> Result<Self, BenchError> {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/landmass/Cargo.toml");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut child = Command::new(cargo)
            .args(["run", "--release", "--quiet", "--locked", "--manifest-path", manifest])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.ok_or_else(|| failed("it has no output"))?);
        let frame = mesh.frame();
        let (cell_size, origin, points) = (frame.cell_size, frame.origin, 2 * pairs.len());
        let mut engine = Self { child, input, output, cell_size, origin, points };
        engine.tell(&text_of(mesh, pairs)).map_err(failed)?;
        let mut answer = String::new();
        engine.output.read_line(&mut answer).map_err(failed)?;
        match answer.trim() {
            "ok" => Ok(engine),
            "" => Err(failed("it cannot be built, or ended early")),
            why => Err(failed(why)),
        }
    }

    fn tell(&mut self, text: &str) -> std::io::Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        input.write_all(text.as_bytes())?;
        input.flush()
    }

    /// Puts an agent of this radius and speed on the first of each pair, on its way to the second.
    ///
    /// # Errors
    /// When the program died.
    pub(crate) fn begin_crowd(&mut self, radius: f32, speed: f32) -> Result<(), BenchError> {
        let [radius, speed] = [radius, speed].map(|metres| metres / self.cell_size);
        self.tell(&format!("crowd {radius} {speed}\n"))
            .map_err(|source| BenchError::stage(NAME, "crowd", source))
    }

    /// Takes an agent out. One that died says so at the next step.
    pub(crate) fn leave_crowd(&mut self, agent: usize) {
        let _ = self.tell(&format!("leave {agent}\n"));
    }

    /// Moves all agents; writes where they are, and returns the nanoseconds that took.
    ///
    /// # Errors
    /// When the program died.
    pub(crate) fn step_crowd(
        &mut self,
        seconds: f32,
        places: &mut Vec<Option<Vec3>>,
    ) -> Result<u64, BenchError> {
        let ended = || BenchError::stage(NAME, "crowd", "it ended early");
        self.tell(&format!("step {seconds}\n")).map_err(|source| BenchError::stage(NAME, "crowd", source))?;
        let mut line = String::new();
        let mut next = |line: &mut String| -> Result<(), BenchError> {
            line.clear();
            match self.output.read_line(line) {
                Ok(0) | Err(_) => Err(ended()),
                Ok(_) => Ok(()),
            }
        };
        next(&mut line)?;
        let nanoseconds = line.trim().parse().map_err(|_| ended())?;
        places.clear();
        for _ in 0..self.points / 2 {
            next(&mut line)?;
            let mut words = line.split_whitespace().map_while(|word| word.parse::<f32>().ok());
            let place = words.next().zip(words.next()).zip(words.next());
            places.push(place.map(|((x, z), y)| self.origin + self.cell_size * Vec3::new(x, y, z)));
        }
        Ok(nanoseconds)
    }

    /// A line of nanoseconds and a length.
    fn answer(&mut self) -> Option<(u64, Option<f32>)> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        let (nanoseconds, length) = line.trim().split_once(' ')?;
        Some((nanoseconds.parse().ok()?, length.parse().ok().map(|polygons: f32| polygons * self.cell_size)))
    }
}

impl Queries for Landmass {
    fn name(&self) -> &'static str {
        NAME
    }

    fn timed(&mut self, query: Timed) -> Option<Vec<(u64, Option<f32>)>> {
        let (word, count) = match query {
            Timed::Nearest => ("nearest\n", self.points),
            Timed::Path => ("path\n", self.points / 2),
            Timed::Shortest => return Some(Vec::new()),
        };
        self.tell(word).ok()?;
        // A program that died answers nothing: no query found anything.
        Some((0..count).map(|_| self.answer().unwrap_or((0, None))).collect())
    }

    fn nearest(&mut self, _: Vec3) -> bool {
        false
    }

    fn path(&mut self, _: Vec3, _: Vec3) -> Option<f32> {
        None
    }

    fn looks(&self) -> bool {
        false
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

/// The height surface, each polygon with points of its own: lines of polygons, of points and of
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

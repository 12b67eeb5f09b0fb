//! Measures of a crowd, from the positions of its agents alone.

use std::fmt::{Display, Formatter};

use glam::{Vec3, Vec3Swizzles};
use waymesh::io::svg::{Canvas, Colour, Picture, Style};
use waymesh_core::Bounds;
use waymesh_graph::{PathOptions, PathSearch, QueryScratch, Reach};

use super::scenes::{CrowdScene, Trips};
use super::{DT, RADIUS, SPEED};
use crate::measure::{mean, quantile};

/// Agents overlap if they are nearer than their widths less this, in metres.
const SLACK: f32 = 0.01;
/// Ground that differs by more than this is that of another storey, in metres.
const STOREY: f32 = 1.0;

/// Figures of one crowd.
#[derive(Debug, Default)]
pub(super) struct Figures {
    times: Vec<f64>,
    /// Agents and steps: all, those that overlap, those off the mesh.
    seen: u64,
    overlapped: u64,
    off: u64,
    depths: f64,
    deepest: f32,
    jerks: f64,
    jerk_count: u64,
    /// The last positions of each agent, newest first.
    last: Vec<[Option<Vec3>; 3]>,
    /// Seconds of the shortest path at full speed, and when it arrived.
    least: Vec<f32>,
    arrivals: Vec<Option<f32>>,
    gate: Option<f32>,
    crossings: Vec<f32>,
    order: Vec<([i32; 2], usize)>,
    touched: Vec<f32>,
}

impl Figures {
    pub(super) fn new(scene: &CrowdScene, trips: &Trips) -> Self {
        let mut scratch = QueryScratch::default();
        let options = PathOptions::default().with_search(PathSearch::Shortest);
        let mut seconds = |&[from, to]: &[Vec3; 2]| {
            let path = scene.mesh.query().options(options).memory(&mut scratch).path(from, to);
            path.map_or(0.0, |path| path.length / SPEED)
        };
        let count = trips.ends.len();
        Self {
            last: vec![[None; 3]; count],
            least: trips.ends.iter().map(&mut seconds).collect(),
            arrivals: vec![None; count],
            gate: scene.gate,
            ..Self::default()
        }
    }

    /// Updates the measures after a step of `spent` milliseconds.
    pub(super) fn see(&mut self, scene: &CrowdScene, spent: f64, now: &[Option<Vec3>]) {
        self.times.push(spent);
        self.find_overlaps(now);
        // Detour's heights are its own: they may be farther from ours than its agents from the mesh.
        let reach = Reach::new(SLACK, 0.5, 0.5);
        let time = self.times.len() as f32 * DT;
        for (index, at) in now.iter().enumerate() {
            let Some(at) = *at else { continue };
            self.seen += 1;
            self.overlapped += u64::from(self.touched[index] > 0.0);
            self.depths += f64::from(self.touched[index]);
            self.deepest = self.deepest.max(self.touched[index]);
            self.off += u64::from(scene.mesh.nearest(at, &reach).is_none());
            if let [Some(a), Some(b), Some(c)] = self.last[index] {
                let jerk = (at.xz() - 3.0 * a.xz() + 3.0 * b.xz() - c.xz()) / (DT * DT * DT);
                self.jerks += f64::from(jerk.length());
                self.jerk_count += 1;
            }
            if let (Some(gate), Some(before)) = (self.gate, self.last[index][0])
                && before.x < gate
                && at.x >= gate
            {
                self.crossings.push(time);
            }
        }
        for (last, &at) in self.last.iter_mut().zip(now) {
            *last = [at, last[0], last[1]];
        }
    }

    /// Writes how deep each agent is in another one.
    fn find_overlaps(&mut self, now: &[Option<Vec3>]) {
        let side = 2.0 * RADIUS;
        let square =
            |at: Vec3| [at.z, at.x].map(|along| waymesh_core::saturating_i32((along / side).floor()));
        self.order.clear();
        self.order.extend(now.iter().enumerate().filter_map(|(index, &at)| Some((square(at?), index))));
        self.order.sort_unstable();
        self.touched.clear();
        self.touched.resize(now.len(), 0.0);
        for &([z, x], index) in &self.order {
            for row in z - 1..=z + 1 {
                let begin = self.order.partition_point(|entry| entry.0 < [row, x - 1]);
                let near = self.order[begin..].iter().take_while(|entry| entry.0 <= [row, x + 1]);
                for &(_, other) in near {
                    let (Some(a), Some(b)) = (now[index], now[other]) else { continue };
                    let depth = side - a.xz().distance(b.xz());
                    if other > index && depth > SLACK && (a.y - b.y).abs() < STOREY {
                        for agent in [index, other] {
                            self.touched[agent] = self.touched[agent].max(depth);
                        }
                    }
                }
            }
        }
    }

    /// An agent is at its goal. Returns `true` if it was not there before.
    pub(super) fn arrive(&mut self, index: usize, time: f32) -> bool {
        let is_first = self.arrivals[index].is_none();
        self.arrivals[index].get_or_insert(time);
        is_first
    }

    /// Seconds of the longest of the shortest paths.
    pub(super) fn longest(&self) -> f32 {
        self.least.iter().copied().fold(0.0, f32::max)
    }

    pub(super) fn have_all_arrived(&self) -> bool {
        self.arrivals.iter().all(Option::is_some)
    }

    /// Mean seconds over the shortest path at full speed, of those who arrived.
    fn delay(&self) -> f32 {
        let delays = self.arrivals.iter().zip(&self.least).filter_map(|(at, least)| Some((*at)? - least));
        let (sum, count) = delays.fold((0.0, 0.0), |(sum, count), delay| (sum + delay, count + 1.0_f32));
        sum / count.max(1.0)
    }

    /// Persons a metre and second through the door of 1.2 m, between the first tenth of those who
    /// passed it and the last.
    fn flow(&self) -> Option<f32> {
        self.gate?;
        let tenth = self.crossings.len() / 10;
        let [first, last] = [tenth, self.crossings.len() - tenth].map(|at| self.crossings.get(at));
        let seconds = last? - first?;
        (seconds > 0.0).then(|| (self.crossings.len() - 2 * tenth) as f32 / seconds / 1.2)
    }
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let share = |part: u64| 100.0 * part as f64 / self.seen.max(1) as f64;
        let arrived = self.arrivals.iter().flatten().count() as f64 / self.arrivals.len().max(1) as f64;
        write!(
            f,
            "{:.2} / {:.2} | {:.3} | {:.1} / {:.1} | {:.3} | {:.1} | {:.1} | {:.1} | {}",
            mean(&self.times),
            quantile(self.times.clone(), 0.99),
            share(self.overlapped),
            100.0 * self.depths / self.overlapped.max(1) as f64,
            100.0 * self.deepest,
            share(self.off),
            100.0 * arrived,
            self.delay(),
            self.jerks / self.jerk_count.max(1) as f64,
            self.flow().map_or(String::new(), |flow| format!("{flow:.2}"))
        )
    }
}

/// The mesh and all agents from above.
pub(super) fn draw(scene: &CrowdScene, now: &[Option<Vec3>]) -> String {
    let plan = |at: Vec3| [at.x, at.z].map(f64::from);
    let bounds = scene.mesh.world_bounds().unwrap_or(Bounds::EMPTY);
    let mut canvas = Canvas::new(plan(bounds.min), plan(bounds.max), 1200.0);
    let scale = canvas.scale();
    for polygon in scene.mesh.polygons() {
        canvas.polygons([polygon.positions().map(plan)], &Style::fill(Colour::soft(0)));
    }
    for (index, at) in now.iter().enumerate() {
        if let Some(at) = at {
            canvas.dot(plan(*at), f64::from(RADIUS) * scale, &Style::fill(Colour::soft(index + 1)));
        }
    }
    let mut picture = Picture::new();
    picture.push(&scene.name, canvas, None);
    picture.to_svg()
}

//! What is measured of a crowd, from the positions of its agents alone.

use std::fmt::Write as _;

use glam::{Vec3, Vec3Swizzles};
use waymesh_graph::{PathOptions, PathSearch, QueryScratch, Reach};

use super::scenes::{CrowdScene, Trips};
use super::{DT, RADIUS, SPEED};

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
    pub(super) deepest: f32,
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
            let path = scene.mesh.find_path(from, to, &options, &mut scratch);
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

    /// A step took so many milliseconds.
    pub(super) fn spent(&mut self, milliseconds: f64) {
        self.times.push(milliseconds);
    }

    /// Looks at all agents after a step.
    pub(super) fn see(&mut self, scene: &CrowdScene, now: &[Option<Vec3>]) {
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

    /// Milliseconds of a step: mean, and 99 %.
    pub(super) fn times(&self) -> [f64; 2] {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let most = times.get((times.len() * 99 / 100).min(times.len().saturating_sub(1)));
        [times.iter().sum::<f64>() / times.len().max(1) as f64, most.copied().unwrap_or(0.0)]
    }

    fn share(&self, part: u64) -> f64 {
        part as f64 / self.seen.max(1) as f64
    }

    pub(super) fn overlapping(&self) -> f64 {
        self.share(self.overlapped)
    }

    pub(super) fn outside(&self) -> f64 {
        self.share(self.off)
    }

    pub(super) fn mean_depth(&self) -> f64 {
        self.depths / self.overlapped.max(1) as f64
    }

    pub(super) fn arrived(&self) -> f64 {
        self.arrivals.iter().flatten().count() as f64 / self.arrivals.len().max(1) as f64
    }

    /// Mean seconds over the shortest path at full speed, of those who arrived.
    pub(super) fn delay(&self) -> f32 {
        let delays = self.arrivals.iter().zip(&self.least).filter_map(|(at, least)| Some((*at)? - least));
        let (sum, count) = delays.fold((0.0, 0.0), |(sum, count), delay| (sum + delay, count + 1.0_f32));
        sum / count.max(1.0)
    }

    pub(super) fn jerk(&self) -> f64 {
        self.jerks / self.jerk_count.max(1) as f64
    }

    /// Persons a metre and second through the door of 1.2 m, between the first tenth of those who
    /// passed it and the last.
    pub(super) fn flow(&self) -> Option<f32> {
        self.gate?;
        let tenth = self.crossings.len() / 10;
        let [first, last] = [tenth, self.crossings.len() - tenth].map(|at| self.crossings.get(at));
        let seconds = last? - first?;
        (seconds > 0.0).then(|| (self.crossings.len() - 2 * tenth) as f32 / seconds / 1.2)
    }
}

/// The mesh and all agents from above.
pub(super) fn draw(scene: &CrowdScene, now: &[Option<Vec3>]) -> String {
    let (low, size) = scene
        .mesh
        .world_bounds()
        .map_or_else(Default::default, |bounds| (bounds.min, bounds.max - bounds.min));
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='{} {} {} {}' width='1200' style='background:#444'>\n",
        low.x, low.z, size.x, size.z
    );
    for polygon in scene.mesh.polygons() {
        let points: Vec<String> = polygon.positions().map(|at| format!("{},{}", at.x, at.z)).collect();
        let _ = writeln!(svg, "<polygon points='{}' fill='#eee'/>", points.join(" "));
    }
    for (index, at) in now.iter().enumerate() {
        let Some(at) = at else { continue };
        let hue = index * 360 / now.len().max(1);
        let _ = writeln!(svg, "<circle cx='{}' cy='{}' r='{RADIUS}' fill='hsl({hue},80%,50%)'/>", at.x, at.z);
    }
    svg.push_str("</svg>\n");
    svg
}

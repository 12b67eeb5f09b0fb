//! What is measured: stages, their times, and what came out.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use glam::Vec3;
use serde::Serialize;
use thiserror::Error;

use crate::{Scene, Settings};

/// A stage of a bake, cut the way Recast cuts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Making the heightfield, judging slopes, rasterising.
    Raster,
    /// Low obstacles, ledges, low ceilings.
    Filter,
    /// Open spans with links.
    Compact,
    /// The agent's radius.
    Erode,
    /// Distance field with its blur.
    Distance,
    /// Regions, without small islands.
    Regions,
    /// Tracing and simplifying borders.
    Contours,
    /// Triangles and convex polygons.
    Polygons,
    /// Heights of the ground in the polygons.
    Detail,
}

/// All stages, in order.
pub const STAGES: [Stage; 9] = [
    Stage::Raster,
    Stage::Filter,
    Stage::Compact,
    Stage::Erode,
    Stage::Distance,
    Stage::Regions,
    Stage::Contours,
    Stage::Polygons,
    Stage::Detail,
];

impl Stage {
    /// Its name in tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raster => "raster",
            Self::Filter => "filter",
            Self::Compact => "compact",
            Self::Erode => "erode",
            Self::Distance => "distance",
            Self::Regions => "regions",
            Self::Contours => "contours",
            Self::Polygons => "polygons",
            Self::Detail => "detail",
        }
    }
}

/// How long something took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    /// Seconds of this thread.
    pub cpu: f64,
    /// Seconds on the wall.
    pub wall: f64,
}

impl Time {
    fn of(cpu: Duration, wall: Duration) -> Self {
        Self { cpu: cpu.as_secs_f64(), wall: wall.as_secs_f64() }
    }
}

impl From<Stage> for &'static str {
    fn from(stage: Stage) -> Self {
        stage.name()
    }
}

impl std::ops::AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.wall += other.wall;
    }
}

/// Time per stage, beside [`STAGES`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    times: [Time; STAGES.len()],
}

impl StageTimes {
    /// Time of one stage.
    #[must_use]
    pub fn get(&self, stage: Stage) -> Time {
        self.times[stage as usize]
    }

    /// Time of all stages.
    #[must_use]
    pub fn total(&self) -> Time {
        let mut total = Time::default();
        for time in self.times {
            total += time;
        }
        total
    }
}

/// Charges the time since the last lap to stages.
#[derive(Debug)]
pub struct Clock {
    cpu: ThreadTime,
    wall: Instant,
    times: StageTimes,
}

impl Clock {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { cpu: ThreadTime::now(), wall: Instant::now(), times: StageTimes::default() }
    }

    /// Charges the time since the last lap to `stage`.
    pub fn lap(&mut self, stage: Stage) {
        self.times.times[stage as usize] += Time::of(self.cpu.elapsed(), self.wall.elapsed());
        self.skip();
    }

    /// Drops the time since the last lap: counting, copying input.
    pub fn skip(&mut self) {
        (self.cpu, self.wall) = (ThreadTime::now(), Instant::now());
    }

    /// Runs `part`, which `from` has already done within its time, and moves as much of that time
    /// to `to`.
    ///
    /// For an engine that does two of our stages in one call.
    pub fn transfer(&mut self, from: Stage, to: Stage, part: impl FnOnce()) {
        self.skip();
        part();
        let part = Time::of(self.cpu.elapsed(), self.wall.elapsed());
        let [from, to] = [from, to].map(|stage| stage as usize);
        let moved = Time {
            cpu: part.cpu.min(self.times.times[from].cpu),
            wall: part.wall.min(self.times.times[from].wall),
        };
        self.times.times[from].cpu -= moved.cpu;
        self.times.times[from].wall -= moved.wall;
        self.times.times[to] += moved;
        self.skip();
    }

    /// The times so far.
    #[must_use]
    pub fn times(&self) -> StageTimes {
        self.times
    }
}

/// What came out of the stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Spans after rasterising.
    pub spans: usize,
    /// Walkable spans after the filters and before erosion.
    pub walkable_spans: usize,
    /// Walkable spans after erosion.
    pub eroded_spans: usize,
    /// Regions.
    pub regions: usize,
    /// Closed borders: outer ones and holes (Recast merges holes into the outer ones).
    pub contours: usize,
    /// Convex polygons.
    pub polygons: usize,
    /// Vertices of the polygons.
    pub vertices: usize,
    /// Vertices of the height surface.
    pub detail_vertices: usize,
    /// Triangles of the height surface.
    pub detail_triangles: usize,
}

impl Counts {
    /// Names and values, in order.
    #[must_use]
    pub const fn rows(&self) -> [(&'static str, usize); 9] {
        [
            ("spans", self.spans),
            ("walkable spans", self.walkable_spans),
            ("after erosion", self.eroded_spans),
            ("regions", self.regions),
            ("contours", self.contours),
            ("polygons", self.polygons),
            ("vertices", self.vertices),
            ("detail vertices", self.detail_vertices),
            ("detail triangles", self.detail_triangles),
        ]
    }
}

/// Polygons in world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonMesh {
    /// Shared vertices, in metres.
    pub vertices: Vec<Vec3>,
    /// Corners of each polygon.
    pub polygons: Vec<Vec<u32>>,
}

/// One bake.
#[derive(Clone, Debug, PartialEq)]
pub struct Bake {
    /// How long each stage took.
    pub times: StageTimes,
    /// What came out.
    pub counts: Counts,
    /// The mesh.
    pub mesh: PolygonMesh,
}

/// Something that bakes.
pub trait Engine {
    /// Its name in tables and JSON.
    fn name(&self) -> &'static str;

    /// A note that its figures must be read with.
    fn notes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Bakes `scene` on this thread. Input is brought into the engine's own form outside the timed
    /// stages.
    ///
    /// # Errors
    /// When the engine gives up, or cannot do what `settings` ask for.
    fn bake(&self, scene: &Scene, settings: &Settings) -> Result<Bake, BenchError>;
}

/// Why there is no measurement.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A scene that cannot be loaded.
    #[error(transparent)]
    Scene(#[from] waymesh_io::IoError),
    /// An engine gave up.
    #[error("{engine}, {stage}: {source}")]
    Stage {
        /// Which.
        engine: &'static str,
        /// Where.
        stage: &'static str,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An engine has no such partitioning.
    #[error("{engine} has no {partition} partitioning")]
    Unsupported {
        /// Which engine.
        engine: &'static str,
        /// Which partitioning.
        partition: &'static str,
    },
}

impl BenchError {
    /// An error of `stage`.
    pub fn stage(
        engine: &'static str,
        stage: impl Into<&'static str>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Stage { engine, stage: stage.into(), source: source.into() }
    }
}

//! The figures of a bake.

use std::collections::BTreeMap;

use glam::Vec3;
use serde::Serialize;
use waymesh_core::{
    CancelToken, Cancelled, ContourSet, Counter, DeviceUsage, DeviceWork, GridFrame, HeightSurface, Observer,
    PolyMesh, Stopwatch, Warning,
};
use waymesh_graph::{Island, IslandId, NavMesh};

use super::error::BakeError;

/// Figures of one bake. Serialised, its keys are a contract that scripts rely on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Triangles in the scene.
    pub triangles: u64,
    /// Triangles left out, by reason.
    pub triangles_skipped: BTreeMap<&'static str, u64>,
    /// Size of the grid.
    pub grid: GridReport,
    /// Solid spans.
    pub spans: u64,
    /// Spans an agent's centre may be on, after erosion.
    pub walkable_spans: u64,
    /// Their plan area in square metres.
    pub walkable_area: f64,
    /// Regions.
    pub regions: u64,
    /// Closed borders, holes included.
    pub contours: u64,
    /// Convex polygons.
    pub polygons: u64,
    /// Edges between two polygons.
    pub portals: u64,
    /// Vertices of the borders that lie on no real border, only between regions.
    pub vertices_off_border: u64,
    /// Tiles it was baked in.
    pub tiles: u64,
    /// Links between places that share no edge.
    pub links: u64,
    /// Vertices of the mesh.
    pub vertices: u64,
    /// Plan area of the polygons in square metres.
    pub mesh_area: f64,
    /// Connected pieces, also over links, in the order of their first polygon.
    pub islands: Vec<IslandReport>,
    /// Name of the front end, such as `voxels`.
    pub front_end: &'static str,
    /// Ground by its head room, if it has classes of head room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub head_rooms: Vec<HeadRoomReport>,
    /// Pieces of ground inside of solids that were left out, in the order of their first polygon.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub enclosed: Vec<EnclosedReport>,
    /// Pieces of ground that smaller radii of the agent leave, where the observer wants advice. Voxels
    /// that are baked at once only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub radii: Vec<RadiusReport>,
    /// Answers about the ground, where the observer wants advice and the scene is made of triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// Largest difference between the mesh's ground and a sample of it, in metres; `None` if the
    /// heights inside of polygons are left out
    /// ([`BakeConfig::height_detail`](crate::BakeConfig::height_detail)).
    pub height_error_max: Option<f64>,
    /// Other things counted by the stages.
    pub counts: BTreeMap<&'static str, u64>,
    /// Wall time of each stage, in order.
    pub stages: Vec<StageTime>,
    /// Wall time of the whole bake.
    pub seconds: f64,
    /// Most memory held at once, where the program measures it.
    pub peak_memory_bytes: Option<u64>,
    /// The memory that the bake was to work in, where it has a bound
    /// ([`BakeConfig::max_memory_bytes`](crate::BakeConfig::max_memory_bytes)).
    pub memory_limit_bytes: Option<u64>,
    /// Work of another device, if voxels were requested from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceReport>,
    /// Contents of the floor plan, if the input was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanReport>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Report {
    /// Figures of the borders.
    pub(crate) fn count_contours(&mut self, contours: &ContourSet) {
        self.contours = contours.loop_count() as u64;
        self.vertices_off_border = contours.vertices_off_border() as u64;
    }

    /// Figures of the polygons and of the ground in them.
    pub(crate) fn count_polygons(
        &mut self,
        polygons: &PolyMesh,
        surface: Option<&HeightSurface>,
        has_detail: bool,
    ) {
        self.polygons = polygons.polygons.len() as u64;
        self.portals = polygons.portal_count() as u64;
        self.vertices = polygons.vertices.len() as u64;
        self.mesh_area = polygons.area();
        let level = f64::from(polygons.frame.level_height);
        let error = surface.map_or(0.0, |surface| f64::from(surface.max_error) * level);
        self.height_error_max = has_detail.then_some(error);
    }

    /// Takes over what the stages counted and warned of, and their times.
    pub(crate) fn finish(&mut self, recorder: Recorder<'_>, start: Stopwatch) {
        let skipped = [
            ("not_finite", Counter::TrianglesNotFinite),
            ("degenerate", Counter::TrianglesDegenerate),
            ("outside", Counter::TrianglesOutside),
        ];
        let count = |counter| recorder.counts.get(&counter).copied().unwrap_or(0);
        self.triangles_skipped = skipped.map(|(reason, counter)| (reason, count(counter))).into();
        self.counts = recorder.counts.iter().map(|(counter, &amount)| (counter.name(), amount)).collect();
        self.warnings = recorder.warnings.iter().map(ToString::to_string).collect();
        self.stages = recorder.stages;
        self.seconds = start.seconds();
    }
}

/// Answers to questions about the ground that a bake found. Pieces are connected over portals and
/// links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// Share of the ground in the largest piece, from 0 to 1.
    pub largest_share: f64,
    /// Share of the places of the largest piece with nothing above them.
    pub open_share: f64,
    /// Share of these places with something of the scene below their ground.
    pub above_share: f64,
    /// `true` if ground of another piece lies lower than the largest by the agent's height or more.
    pub has_lower_ground: bool,
    /// Share of the ground that lies inside of solids; 0 where it was removed.
    pub enclosed_share: f64,
}

/// A piece of ground inside of a solid, which was left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EnclosedReport {
    /// Number of polygons.
    pub polygons: u64,
    /// Plan area in square metres.
    pub area: f64,
    /// A place on it, the middle of its first triangle.
    pub place: [f32; 3],
}

/// Size of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GridReport {
    /// Cells along x.
    pub width: u32,
    /// Cells along z.
    pub depth: u32,
    /// Side of a cell in metres.
    pub cell_size: f32,
    /// Height of a level in metres.
    pub level_height: f32,
}

impl GridReport {
    /// The size of a frame.
    #[must_use]
    pub fn of(frame: &GridFrame) -> Self {
        Self {
            width: frame.width,
            depth: frame.depth,
            cell_size: frame.cell_size,
            level_height: frame.level_height,
        }
    }
}

/// Work of another device than the processor: voxels, fields, rough voxels, depth maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceReport {
    /// Name of the device; empty if there is none.
    pub device: String,
    /// All that it did.
    pub total: DeviceWork,
    /// Work by stage.
    pub stages: BTreeMap<String, DeviceWork>,
    /// Grids, tiles or windows that the processor did instead, by the reason.
    pub on_processor: BTreeMap<String, u64>,
}

impl From<DeviceUsage> for DeviceReport {
    fn from(usage: DeviceUsage) -> Self {
        let total = usage.total();
        Self { device: usage.device, total, stages: usage.stages, on_processor: usage.on_processor }
    }
}

/// The ground of a class of head room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HeadRoomReport {
    /// Head room in metres, at least.
    pub height: f32,
    /// Polygons that have as much.
    pub polygons: u64,
    /// Their plan area in square metres.
    pub area: f64,
}

impl HeadRoomReport {
    /// Returns all classes of a mesh, ascending; ground with more head room also counts in all lower
    /// classes.
    #[must_use]
    pub fn all(mesh: &NavMesh) -> Vec<Self> {
        let class = |&height: &f32| {
            let own = mesh.polygons().filter(|polygon| polygon.head_room() >= height);
            let (polygons, area) =
                own.fold((0, 0.0), |(count, sum), polygon| (count + 1, sum + polygon.area()));
            Self { height, polygons, area }
        };
        mesh.area_table().head_rooms().heights().iter().map(class).collect()
    }
}

/// The connected pieces of walkable ground for a radius of the agent, before marks and links.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RadiusReport {
    /// The radius in metres.
    pub radius: f32,
    /// Pieces that are not smaller than [`min_region`](crate::BakeConfig::min_region).
    pub pieces: u64,
    /// Share of the ground in the largest one.
    pub largest_share: f64,
}

/// A piece of the mesh that is connected over edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IslandReport {
    /// Number of polygons.
    pub polygons: u64,
    /// Plan area in square metres.
    pub area: f64,
    /// A place on it, the middle of its first polygon: where to look, and what to give as a seed if
    /// it is wanted.
    pub place: [f32; 3],
    /// Number of links between it and other islands.
    pub links: u64,
    /// The first island, by its number in the list, that links lead to from here or that lead here,
    /// over any number of islands: islands with the same one are one piece over links. Its own
    /// number where there is none before it.
    pub joined: u32,
}

impl IslandReport {
    /// All islands of a mesh, in the order of their first polygons.
    #[must_use]
    pub fn all(mesh: &NavMesh) -> Vec<Self> {
        let islands = (0..).zip(mesh.islands());
        let mut islands: Vec<Self> =
            islands.map(|(id, island)| Self::of(mesh, IslandId(id), island)).collect();
        for link in mesh.links() {
            let ends = [link.from.polygon, link.to.polygon].map(|polygon| mesh.island_of(polygon));
            if let ([Some(from), Some(to)], true) = (ends, ends[0] != ends[1]) {
                islands[from.index()].links += 1;
                islands[to.index()].links += 1;
            }
        }
        islands
    }

    fn of(mesh: &NavMesh, id: IslandId, island: &Island) -> Self {
        let place = mesh.polygon(island.first).map_or(Vec3::ZERO, |polygon| polygon.middle()).to_array();
        let joined = mesh.first_linked_island(id).unwrap_or(id).0;
        Self { polygons: island.polygons.into(), area: island.area, place, links: 0, joined }
    }

    /// Returns the pieces that these islands form over links, the largest first, of equal ones the
    /// last: the area of each, and its largest island.
    #[must_use]
    pub fn pieces(islands: &[Self]) -> Vec<(f64, &Self)> {
        let mut pieces: BTreeMap<u32, (f64, &Self)> = BTreeMap::new();
        for island in islands {
            let (area, largest) = pieces.entry(island.joined).or_insert((0.0, island));
            *area += island.area;
            if island.area > largest.area {
                *largest = island;
            }
        }
        let mut pieces: Vec<_> = pieces.into_values().rev().collect();
        pieces.sort_by(|a, b| b.0.total_cmp(&a.0));
        pieces
    }
}

/// Contents of a floor plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanReport {
    /// Floors.
    pub storeys: u64,
    /// Walkable shapes.
    pub walkable_shapes: u64,
    /// Blocked shapes.
    pub blocked_shapes: u64,
    /// Doors.
    pub doors: u64,
    /// Stairs.
    pub stairs: u64,
    /// Lifts.
    pub lifts: u64,
}

/// Duration of a stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StageTime {
    /// Name of the stage.
    pub name: &'static str,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Runs stages: forwards to the user's observer, and keeps what the report needs.
pub struct Recorder<'a> {
    inner: &'a mut dyn Observer,
    counts: BTreeMap<Counter, u64>,
    warnings: Vec<Warning>,
    stages: Vec<StageTime>,
}

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Recorder").field("stages", &self.stages).finish_non_exhaustive()
    }
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(inner: &'a mut dyn Observer) -> Self {
        Self { inner, counts: BTreeMap::new(), warnings: Vec::new(), stages: Vec::new() }
    }

    /// Runs one stage under its name and keeps its time.
    ///
    /// # Errors
    /// Errors of the stage, and [`Cancelled`] if the observer requests it: before and after the stage,
    /// and by its token within it.
    pub fn stage<T, E: Into<BakeError>>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&mut dyn Observer) -> Result<T, E>,
    ) -> Result<T, BakeError> {
        go_on(self)?;
        self.inner.stage_started(name);
        let start = Stopwatch::start();
        let token = self.inner.cancel_token();
        let result = token.run(|| run(self));
        let seconds = start.seconds();
        self.stages.push(StageTime { name, seconds });
        self.inner.stage_finished(name, seconds);
        let result = result?.map_err(Into::into)?;
        go_on(self)?;
        Ok(result)
    }
}

/// Returns an error if the observer cancels.
pub(crate) fn go_on(observer: &mut dyn Observer) -> Result<(), Cancelled> {
    if observer.is_cancelled() { Err(Cancelled) } else { Ok(()) }
}

impl Observer for Recorder<'_> {
    fn stage_started(&mut self, stage: &'static str) {
        self.inner.stage_started(stage);
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.inner.progress(done, total);
    }

    fn stage_finished(&mut self, stage: &'static str, seconds: f64) {
        self.inner.stage_finished(stage, seconds);
    }

    fn count(&mut self, counter: Counter, amount: u64) {
        *self.counts.entry(counter).or_default() += amount;
        self.inner.count(counter, amount);
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning.clone());
        self.inner.warn(warning);
    }

    fn cancel_token(&self) -> CancelToken {
        self.inner.cancel_token()
    }

    fn wants_advice(&self) -> bool {
        self.inner.wants_advice()
    }

    fn is_cancelled(&mut self) -> bool {
        self.inner.is_cancelled()
    }
}

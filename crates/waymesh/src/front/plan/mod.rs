//! Floor plans (Romstöck): walkable and blocked shapes become regions with doors between them.

mod merge;

use waymesh_core::stage::StageError;
use waymesh_core::{
    Agent, BadField, Bounds, Observer, TriangleSource, Validate, Warning, nearest_f32, setters,
};
use waymesh_floorplan::{Fill, FloorPlan, Join, Outline, PlanBase, PlanConfig, PlanMark, PlanNote, Shape};
use waymesh_triangulate::RefineConfig;
use waymesh_voxel::MarkShape;

use crate::bake::{
    BakeConfig, BakeError, Baker, Borders, ConfigError, FrontEnd, GridReport, Ground, Heights, InputLinks,
    PlanReport, Recorder, Refused, Report, StageSet, polygon_area, warn_of_marks,
};
use crate::links::doors::{self, SHIFT_CELLS};

/// Radius of the agent that [`Baker::plans`] is for: half of a doorway's 0.8 m, with room to spare.
const RADIUS: f32 = 0.3;

/// Floor plans, all storeys at once. Every storey is level. Doors, stairs and lifts are links;
/// their [`waymesh_graph::Link::data`] is their number in the plan, doors counted through all
/// storeys.
///
/// The agent's radius, the side of a cell ([`BakeConfig::scale`]), the smallest piece of ground
/// ([`BakeConfig::min_region`]) and the longest border edge ([`BakeConfig::max_edge_length`]) are
/// settings of the bake. Lengths here are in metres.
///
/// # Guarantees
/// The same mesh for any order of the shapes of a storey, up to the order of its links. Oddities
/// of the plan are reported to the observer.
///
/// # References
/// Romstöck, Generating 2D Navmeshes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloorPlans {
    /// Shape of the offset at corners. Default [`Join::Square`].
    pub join: Join,
    /// Largest error of an arc of [`Join::Round`], towards the corner. Default 0.005, above zero.
    pub arc_error: f64,
    /// `true` if the agent keeps its radius from the borders of walkable ground too, where nothing
    /// is blocked beyond. Default `true`; the article keeps it from blocked areas alone.
    pub shrink_walkable: bool,
    /// Vertices nearer than this to the one before are left out. No border moves farther than this.
    /// Default 0.01.
    pub near_distance: f64,
    /// Largest distance of the ends of stairs and lifts from the ground, beyond the agent's radius.
    /// Default 0.5.
    pub link_reach: f64,
    /// Gaps between walkable shapes that are narrower than this are closed before anything is taken
    /// out: see [`PlanConfig::close_distance`]. Default 0, for none.
    pub close_distance: f64,
    /// Vertices of one piece of ground nearer than this to each other become one, also across a
    /// gap: slits narrower than this close, and no border moves farther than this. Pieces that a
    /// door cuts stay as they are. [`crate::PlanWorld`] refuses it. Default 0, for none.
    pub merge_distance: f64,
    /// Spacing of a grid of vertices inside (Romstöck's Steiner points). Polygons are then merged
    /// greedily instead of cut at notches, and leave out those that they can do without: with at
    /// most three corners a polygon, all stay. Default 0, for none.
    pub steiner_grid: f64,
}

impl Default for FloorPlans {
    fn default() -> Self {
        let plan = PlanConfig::default();
        Self {
            join: plan.join,
            arc_error: plan.arc_error,
            shrink_walkable: plan.shrink_walkable,
            near_distance: plan.near_distance,
            link_reach: plan.link_reach,
            close_distance: plan.close_distance,
            merge_distance: 0.0,
            steiner_grid: 0.0,
        }
    }
}

setters! {
    impl FloorPlans {
        with_join(join: Join);
        with_arc_error(arc_error: f64);
        with_shrink_walkable(shrink_walkable: bool);
        with_near_distance(near_distance: f64);
        with_link_reach(link_reach: f64);
        with_close_distance(close_distance: f64);
        with_merge_distance(merge_distance: f64);
        with_steiner_grid(steiner_grid: f64);
    }
}

/// Least length of [`BakeConfig::max_edge_length`], in cells. Vertices of shorter edges would lie
/// on the grid by chance.
const SHORTEST_CELLS: f64 = 10.0;

const NO_GRID: &str = "a plan has no voxels";
const EXACT: &str = "borders of a plan are exact; see `FloorPlans::near_distance`";
const FLAT: &str = "every storey of a plan is level";
const PIECES: &str = "regions are the pieces of ground between doors";

impl FrontEnd for FloorPlans {
    type Input = FloorPlan;
    const NAME: &'static str = "floor plans";
    const REFUSED: Refused = &[
        ("scale.level_height", "heights of a plan are exact"),
        ("max_ledge", "a plan has no ledges; give it stairs"),
        ("max_edge_error", EXACT),
        ("max_seam_error", EXACT),
        ("corners", EXACT),
        ("merge_region", PIECES),
        ("height_classes", "a plan tells nothing of what is above its ground"),
        ("partition", PIECES),
        ("max_height_error_levels", FLAT),
        ("height_detail", FLAT),
        ("enclosed", "a plan has no triangles to lie inside of"),
        ("jumps", "a plan has no triangles to look for room in"),
        ("max_memory_bytes", "a plan takes little memory, and has no bound for it"),
        ("with_voxelize", NO_GRID),
        ("with_raster_device", NO_GRID),
        ("with_rough_device", NO_GRID),
        ("with_depth_device", NO_GRID),
        ("with_build_field", NO_GRID),
        ("with_partition", PIECES),
        ("with_trace", NO_GRID),
        ("with_simplify", EXACT),
        ("with_fit_heights", FLAT),
    ];

    /// An agent of 0.3 m radius, and cells of a millimetre.
    fn defaults() -> BakeConfig {
        BakeConfig::default()
            .with_agent(Agent::default().with_radius(RADIUS))
            .with_scale(0.001, 0.01)
            .with_max_edge_length(0.0)
    }

    fn ground<'a>(
        &'a self,
        plan: &'a FloorPlan,
        stages: &'a StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground<'a>, BakeError> {
        self.validate()?;
        let config = stages.config();
        let base = recorder.stage("plan", |_| self.plan_base(plan, config))?;
        report_notes(base.notes(), recorder);
        warn_of_marks(&config.marks, &self.covers(plan, config, &base)?, recorder);
        let ground = recorder.stage("ground", |_| base.ground())?;
        report_notes(&ground.notes, recorder);
        let (mut storeys, mut openings, contours) = (ground.storeys, ground.doors, ground.contours);
        stages.check("ground", |list| contours.violations(list))?;
        if contours.regions.is_empty() {
            let hint = "blocked areas and the agent's radius leave no room; is the scale in metres?";
            return Err(BakeError::NothingWalkable { stage: "ground", hint });
        }
        let frame = contours.frame;
        let shapes = contours.polygons();
        let mut report = Report {
            grid: GridReport::of(&frame),
            walkable_area: polygon_area(&shapes) as f64 / 2.0 * frame.cell_area(),
            regions: contours.regions.len() as u64,
            tiles: 1,
            plan: Some(counts(plan)),
            ..Report::default()
        };
        report.count_contours(&contours);
        drop(contours);
        let (shapes, split_off) = merge::merged(shapes, self.merge_distance, recorder)?;
        for [_, origin] in split_off {
            storeys.push(storeys[origin.index()]);
            openings.push(openings[origin.index()].clone());
        }
        let refine = self.refine(config, f64::from(frame.cell_size))?;
        let links = InputLinks::found_by(move |polygons, observer| {
            let mut notes = Vec::new();
            let links = doors::all(plan, &base, polygons, (&storeys, &openings), &mut notes)?;
            report_notes(&notes, observer);
            Ok(links)
        });
        Ok(Ground { refine, links, ..Ground::new(Borders::Final(shapes), Heights::Vertices, report) })
    }

    fn triangles(_: &FloorPlan) -> Option<&dyn TriangleSource> {
        None
    }
}

impl Baker<FloorPlans> {
    /// Floor plans for an agent of 0.3 m radius. Sizes of the agent that a plan names are not used,
    /// nor the names and costs of its areas: see [`Baker::plans_for`].
    #[must_use]
    pub fn plans() -> Self {
        Self::new(FloorPlans::default(), FloorPlans::defaults())
    }

    /// Returns the baker of [`Baker::plans`], with the agent and the areas of a plan.
    #[must_use]
    pub fn plans_for(plan: &FloorPlan) -> Self {
        let config = FloorPlans::defaults();
        let agent = config.agent;
        let radius = plan.agent.radius.unwrap_or(agent.radius);
        let height = plan.agent.height.unwrap_or(agent.height);
        let agent = agent.with_radius(radius).with_height(height);
        Self::new(FloorPlans::default(), config.with_agent(agent).with_areas(plan.areas.clone()))
    }
}

impl FloorPlans {
    /// Checks what [`PlanConfig`] does not know.
    fn validate(&self) -> Result<(), ConfigError> {
        for (field, value) in [("merge_distance", self.merge_distance), ("steiner_grid", self.steiner_grid)] {
            BadField::unless_length(field, value)?;
        }
        Ok(())
    }

    /// The plan with the marks of the settings on the storeys whose height is in them.
    pub(crate) fn plan_base(&self, plan: &FloorPlan, config: &BakeConfig) -> Result<PlanBase, BakeError> {
        let mut base = PlanBase::new(plan, &self.plan_config(config))?;
        for (_, storey, mark) in self.marks(plan, config)? {
            base.add_mark(storey, mark)?;
        }
        Ok(base)
    }

    /// Returns for each mark of the settings whether it lies over a walkable shape.
    pub(crate) fn covers(
        &self,
        plan: &FloorPlan,
        config: &BakeConfig,
        base: &PlanBase,
    ) -> Result<Vec<bool>, BakeError> {
        let mut covers = vec![false; config.marks.len()];
        for (number, storey, mark) in self.marks(plan, config)? {
            covers[number] |= base.storey(storey)?.meets(&mark);
        }
        Ok(covers)
    }

    /// Returns the marks of the settings on the storeys whose height is in them, each with its number
    /// and the storey.
    fn marks(
        &self,
        plan: &FloorPlan,
        config: &BakeConfig,
    ) -> Result<Vec<(usize, usize, PlanMark)>, BakeError> {
        let plan_config = self.plan_config(config);
        let mut marks = Vec::new();
        for (number, mark) in config.marks.iter().enumerate() {
            mark.shape.validate().map_err(StageError::at("marks"))?;
            for (storey, floor) in plan.storeys.iter().enumerate() {
                for outline in sections(&mark.shape, nearest_f32(floor.elevation))? {
                    let shape = Shape::new(format!("mark {number}"), outline).with_area(mark.area);
                    marks.push((number, storey, PlanMark::new(&shape, &plan_config)?));
                }
            }
        }
        Ok(marks)
    }

    /// Returns the settings for the ground of a plan.
    pub(crate) fn plan_config(&self, config: &BakeConfig) -> PlanConfig {
        PlanConfig::default()
            .with_radius(f64::from(config.agent.radius))
            .with_cell_size(decimal(config.scale.cell_size))
            .with_min_area(decimal(config.min_region))
            .with_join(self.join)
            .with_arc_error(self.arc_error)
            .with_shrink_walkable(self.shrink_walkable)
            .with_near_distance(self.near_distance)
            .with_close_distance(self.close_distance)
            .with_link_reach(self.link_reach)
    }

    /// Returns the vertices to add to the triangulation, if any are requested.
    pub(crate) fn refine(
        &self,
        config: &BakeConfig,
        cell_size: f64,
    ) -> Result<Option<RefineConfig>, BakeError> {
        let longest = config.max_edge_length;
        if longest <= 0.0 && self.steiner_grid <= 0.0 {
            return Ok(None);
        }
        let is_fine = longest <= 0.0 || f64::from(longest) >= SHORTEST_CELLS * cell_size;
        BadField::unless(is_fine, "max_edge_length", longest, "0 or at least 10 cells of the grid")
            .map_err(ConfigError::from)?;
        let or_none = |length: f64| if length > 0.0 { metres(length) } else { f32::INFINITY };
        let spacing = or_none(self.steiner_grid);
        let defaults = RefineConfig::default();
        let refine = defaults
            .with_max_edge_length(or_none(f64::from(config.max_edge_length)))
            .with_grid_spacing(spacing)
            // Points of the grid keep to each other, and half as far from borders.
            .with_min_edge_length(defaults.min_edge_length.min(spacing / 2.0))
            .with_max_border_shift(metres(SHIFT_CELLS * cell_size));
        Ok(Some(refine))
    }
}

/// Returns the section of a mark at a height: outlines that may overlap. Heights are compared as
/// singles, in which marks are given.
fn sections(shape: &MarkShape, height: f32) -> Result<Vec<Outline>, BakeError> {
    let exact = |point: [f32; 2]| point.map(f64::from);
    let polygon = |outer: Vec<[f64; 2]>| Outline::Polygon { outer, holes: Vec::new() };
    let within = |low: f32, high: f32, outline: Outline| {
        Ok(if (low..=high).contains(&height) { vec![outline] } else { Vec::new() })
    };
    match shape {
        MarkShape::Box { bounds: Bounds { min, max } } => {
            let corners = [[min.x, min.z], [max.x, min.z], [max.x, max.z], [min.x, max.z]];
            let is_empty = min.x > max.x || min.z > max.z;
            let outer = if is_empty { Vec::new() } else { corners.map(exact).to_vec() };
            within(min.y, max.y, polygon(outer))
        }
        MarkShape::Prism { corners, heights: [low, high] } => {
            within(*low, *high, polygon(corners.iter().map(|corner| exact(corner.to_array())).collect()))
        }
        MarkShape::Cylinder { base, radius, height } => {
            let disc = Outline::Disc { centre: exact([base.x, base.z]), radius: f64::from(*radius) };
            within(base.y, base.y + height, disc)
        }
        MarkShape::Mesh { mesh } => {
            let sections = mesh.sections(f64::from(height)).into_iter();
            Ok(sections.map(|loops| Outline::Loops { loops, fill: Fill::EvenOdd }).collect())
        }
        _ => {
            let (front_end, reason) = (FloorPlans::NAME, "it has no section at the height of a storey");
            Err(BakeError::OptionNotSupported { option: "marks", front_end, reason })
        }
    }
}

/// The number that was written as this single: 0.001, not 0.0010000000475.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

fn metres(length: f64) -> f32 {
    nearest_f32(length).max(f32::MIN_POSITIVE)
}

/// Reports notes as warnings.
pub(crate) fn report_notes(notes: &[PlanNote], observer: &mut dyn Observer) {
    for note in notes {
        observer.warn(Warning::OddElement { element: note.element.to_string(), what: note.kind.to_string() });
    }
}

fn counts(plan: &FloorPlan) -> PlanReport {
    let (walkable, blocked) = plan.shape_counts();
    PlanReport {
        storeys: plan.storeys.len() as u64,
        walkable_shapes: walkable as u64,
        blocked_shapes: blocked as u64,
        doors: plan.storeys.iter().map(|storey| storey.doors.len() as u64).sum(),
        stairs: plan.stairs.len() as u64,
        lifts: plan.lifts.len() as u64,
    }
}

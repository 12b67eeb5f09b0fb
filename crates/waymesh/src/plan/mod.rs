//! Floor plans (Romstöck): walkable and blocked shapes, ground, borders, triangles, polygons,
//! doors, stairs and lifts, mesh.

mod join;
mod links;
mod steiner;
mod world;

use waymesh_core::{Agent, Observer, PolyMesh, Validate, Warning};
use waymesh_floorplan::{FloorPlan, PlanBase, PlanConfig, PlanNote};
use waymesh_graph::NavMesh;

pub use world::PlanWorld;

use crate::pipeline::{Bake, BakeError, Pipeline, contour_area};
use crate::report::{GridReport, IslandReport, PlanReport, Recorder, Report};

/// Radius of the agent that [`Pipeline::plans`] is for: half of a doorway's 0.8 m, with room to
/// spare.
const PLAN_RADIUS: f32 = 0.3;

impl Pipeline {
    /// A pipeline for floor plans: an agent of 0.3 m radius. Bake with [`Pipeline::bake_plan`].
    #[must_use]
    pub fn plans() -> Self {
        Self::new(crate::BakeConfig::default().with_agent(Agent::default().with_radius(PLAN_RADIUS)))
    }

    /// Bakes a floor plan, all storeys at once.
    ///
    /// Every storey is level. Doors, stairs and lifts are links; their
    /// [`waymesh_graph::Link::data`] is their number in the plan, doors counted through
    /// all storeys. The agent's radius is that of the pipeline, not the one in `config`. Of the
    /// other settings of the pipeline, the agent, corners of a polygon and checks apply;
    /// triangulation and decomposition can be replaced.
    ///
    /// # Guarantees
    /// The same mesh for any order of the shapes of a storey, up to the order of its links. What is
    /// odd in the plan is told to the observer.
    ///
    /// # Errors
    /// For settings out of range, plans that cannot be used, or where nothing is walkable.
    ///
    /// # References
    /// Romstöck, Generating 2D Navmeshes.
    pub fn bake_plan(
        &self,
        plan: &FloorPlan,
        config: &PlanConfig,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        self.config().validate()?;
        let config = self.plan_config(config);
        self.recorded(observer, |recorder| self.plan(plan, &config, recorder))
    }

    fn plan_config(&self, config: &PlanConfig) -> PlanConfig {
        config.with_radius(f64::from(self.config().agent.radius))
    }

    fn plan(
        &self,
        plan: &FloorPlan,
        config: &PlanConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<Bake, BakeError> {
        let base = recorder.stage("plan", |_| PlanBase::new(plan, config))?;
        tell(base.notes(), recorder);
        let ground = recorder.stage("ground", |_| base.ground())?;
        tell(&ground.notes, recorder);
        let mut storeys = ground.storeys;
        let contours = &ground.contours;
        self.check("ground", |list| contours.violations(list))?;
        if contours.regions.is_empty() {
            let hint = "blocked areas and the agent's radius leave no room; is the scale in metres?";
            return Err(BakeError::NothingWalkable { stage: "ground", hint });
        }
        let polygons = self.merged(contours.polygons(), config, &mut storeys, recorder)?;
        let triangulation = self.plan_triangles(&polygons, config, recorder)?;
        drop(polygons);
        let mut report = Report {
            grid: GridReport::of(&contours.frame),
            walkable_area: contour_area(contours) as f64 / 2.0 * contours.frame.cell_area(),
            regions: contours.regions.len() as u64,
            contours: contours.loop_count() as u64,
            vertices_off_border: contours.vertices_off_border() as u64,
            tiles: 1,
            plan: Some(counts(plan)),
            ..Report::default()
        };
        let polygons = self.plan_polygons(&triangulation, config, recorder)?;
        drop(triangulation);
        let mesh = self.linked(plan, &base, polygons, &storeys, &mut report, recorder)?;
        Ok(Bake { mesh, report })
    }

    /// Polygons to a mesh with its links.
    fn linked(
        &self,
        plan: &FloorPlan,
        base: &PlanBase,
        mut polygons: PolyMesh,
        storeys: &[usize],
        report: &mut Report,
        recorder: &mut Recorder<'_>,
    ) -> Result<NavMesh, BakeError> {
        let mut notes = Vec::new();
        let ways = recorder.stage("links", |_| links::all(plan, base, &mut polygons, storeys, &mut notes))?;
        tell(&notes, recorder);
        report.links = ways.len() as u64;
        report.polygons = polygons.polygons.len() as u64;
        report.portals = polygons.portal_count() as u64;
        report.vertices = polygons.vertices.len() as u64;
        report.mesh_area = polygons.area();
        let agent = self.config().agent;
        let mesh = recorder
            .stage("mesh", |_| NavMesh::new(polygons, None, agent).and_then(|mesh| mesh.with_links(ways)))
            .map_err(BakeError::Mesh)?;
        report.islands = IslandReport::all(&mesh);
        Ok(mesh)
    }
}

/// Tells what was odd.
fn tell(notes: &[PlanNote], observer: &mut dyn Observer) {
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

//! `waymesh plan`.

use std::io::Write;

use anyhow::Result;
use waymesh::floorplan::{EXAMPLE, FloorPlan, Join, PlanConfig, ReadOptions, read_plan};
use waymesh::{Pipeline, PlanReport, Report};

use crate::args::{JoinKind, PlanArgs};
use crate::files::Inputs;
use crate::progress::Progress;
use crate::{build, files};

pub(crate) fn run(args: &PlanArgs, json: bool) -> Result<()> {
    if let Some(file) = &args.example {
        files::write(file, |writer| writer.write_all(EXAMPLE.as_bytes()))?;
        return files::list(std::slice::from_ref(file), json);
    }
    let mut plan = FloorPlan::default();
    let inputs = Inputs::new(&args.plans, args.format.as_deref())?;
    for file in &inputs.files {
        plan.merge(read_plan(file, &args.read_options())?);
    }
    let pipeline = args.pipeline(&plan);
    let bake = build::measured(pipeline.bake_plan(&plan, &args.plan_config(), &mut Progress::new())?);
    let mesh_file = args.output.clone().unwrap_or_else(|| build::default_output(&inputs.files[0]));
    build::write_summed_up(&bake, mesh_file, &args.extras, json, |out| summary(out, &bake.report))
}

/// The figures that one looks at first.
fn summary(mut out: impl Write, report: &Report) -> std::io::Result<()> {
    let PlanReport { storeys, walkable_shapes, blocked_shapes, .. } = report.plan.unwrap_or_default();
    writeln!(
        out,
        "{storeys} storeys, {walkable_shapes} walkable and {blocked_shapes} blocked shapes, {} polygons on {}, {:.1} m2, {} links, {:.0} ms",
        report.polygons,
        build::islands(&report.islands),
        report.mesh_area,
        report.links,
        report.seconds * 1e3
    )
}

impl PlanArgs {
    fn read_options(&self) -> ReadOptions {
        let defaults = ReadOptions::default();
        let storey = self.storey.clone().unwrap_or_else(|| defaults.storey.clone());
        let elevation = self.elevation.unwrap_or(defaults.elevation);
        let (scale, width) = (defaults.scale, defaults.wall_width);
        defaults
            .with_scale(self.scale.unwrap_or(scale))
            .with_wall_width(self.wall_width.unwrap_or(width))
            .with_storey(storey, elevation)
    }

    /// What is given here goes before what the plan says.
    fn pipeline(&self, plan: &FloorPlan) -> Pipeline {
        let defaults = Pipeline::plans().config().clone();
        let agent = defaults.agent;
        let agent = agent
            .with_radius(self.agent_radius.or(plan.agent.radius).unwrap_or(agent.radius))
            .with_height(self.agent_height.or(plan.agent.height).unwrap_or(agent.height));
        let max_vertices = self.max_vertices.unwrap_or(defaults.max_vertices);
        Pipeline::new(
            defaults.with_agent(agent).with_max_vertices(max_vertices).with_validate_stages(self.check),
        )
    }

    fn plan_config(&self) -> PlanConfig {
        let defaults = PlanConfig::default();
        let join = match self.join {
            None => defaults.join,
            Some(JoinKind::Square) => Join::Square,
            Some(JoinKind::Round) => Join::Round,
            Some(JoinKind::Miter) => Join::Miter { limit: self.miter_limit },
        };
        defaults
            .with_join(join)
            .with_shrink_walkable(!self.keep_edges)
            .with_cell_size(self.cell_size.unwrap_or(defaults.cell_size))
            .with_near_distance(self.near_distance.unwrap_or(defaults.near_distance))
            .with_min_area(self.min_area.unwrap_or(defaults.min_area))
            .with_merge_distance(self.merge_distance.unwrap_or(defaults.merge_distance))
            .with_max_edge_length(self.max_edge_length.unwrap_or(defaults.max_edge_length))
            .with_steiner_grid(self.steiner_grid.unwrap_or(defaults.steiner_grid))
    }
}

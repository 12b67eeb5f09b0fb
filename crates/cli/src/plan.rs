//! `waymesh plan`: bakes floor plans.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use waymesh::bake::PlanReport;
use waymesh::floorplan::{EXAMPLE, FloorPlan, Join, LayerAreas, ReadOptions, read_plan};
use waymesh::io::{AreaRules, LoadOptions, SurfaceNames};
use waymesh::{Baker, FloorPlans, Report};

use crate::args::{Decomposition, JoinKind, PlanArgs};
use crate::files::{Inputs, Output};
use crate::settings::set;
use crate::{build, files, marks, output};

pub(crate) fn run(args: &PlanArgs, json: bool) -> Result<()> {
    if let Some(file) = &args.example {
        files::check_outputs(&[Output { option: "--example", file, endings: &["toml"] }], &[])?;
        files::write(file, |writer| writer.write_all(EXAMPLE.as_bytes()))?;
        return files::list(std::slice::from_ref(file), json);
    }
    let mut plan = FloorPlan::default();
    let inputs = Inputs::new(&args.plans, args.format.as_deref())?;
    let mesh_file = build::output_file(args.output.as_ref(), &inputs)?;
    output::check(&mesh_file, &args.extras, &inputs.files)?;
    let rules = Arc::new(AreaRules::parse(&args.area)?);
    let options = args.read_options().with_layer_areas(layer_areas(&rules));
    for file in &inputs.files {
        plan.merge(read_plan(file, &options)?)?;
    }
    build::warn_of_unmatched(&rules);
    let bake = build::bake(&args.baker(&plan)?, &plan, &LoadOptions::default())?;
    build::write_summed_up(&bake, mesh_file, &args.extras, json, |out| summary(out, &bake.report))
}

/// The areas that rules give to layers.
fn layer_areas(rules: &Arc<AreaRules>) -> LayerAreas {
    let rules = Arc::clone(rules);
    LayerAreas::new(move |layer| {
        let mut names = SurfaceNames::default();
        layer.clone_into(&mut names.group);
        let area = rules.find(&names)?;
        let named = rules.table().get(area).map(|area| format!("{}:{}", area.name, area.cost));
        Some(named.unwrap_or_else(|| "blocked".to_owned()))
    })
}

/// Prints the most important figures of a bake.
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
    fn baker(&self, plan: &FloorPlan) -> Result<Baker<FloorPlans>> {
        let baker = Baker::plans_for(plan).with_front(self.front());
        let mut config = baker.config().clone().with_validate_stages(self.check);
        set(&mut config.agent.radius, self.agent_radius);
        set(&mut config.agent.height, self.agent_height);
        set(&mut config.scale.cell_size, self.cell_size);
        set(&mut config.min_region, self.min_area);
        set(&mut config.max_edge_length, self.max_edge_length);
        set(&mut config.max_vertices, self.max_vertices);
        set(&mut config.decomposition, self.decomposition.map(Decomposition::kind));
        set(&mut config.threads, self.threads);
        config.keep = self.kept.keep();
        if let Some(file) = &self.marks {
            config.marks = marks::read(file, &mut config.areas)?;
        }
        Ok(baker.with_config(config))
    }

    fn front(&self) -> FloorPlans {
        let mut front = FloorPlans::default().with_shrink_walkable(!self.keep_edges);
        front.join = match self.join {
            None => front.join,
            Some(JoinKind::Square) => Join::Square,
            Some(JoinKind::Round) => Join::Round,
            Some(JoinKind::Miter) => Join::Miter { limit: self.miter_limit },
        };
        set(&mut front.arc_error, self.arc_error);
        set(&mut front.link_reach, self.link_reach);
        set(&mut front.near_distance, self.near_distance);
        set(&mut front.close_distance, self.close_distance);
        set(&mut front.merge_distance, self.merge_distance);
        set(&mut front.steiner_grid, self.steiner_grid);
        front
    }
}

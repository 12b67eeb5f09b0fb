//! `waymesh plan`: bakes floor plans.

use std::io::Write;

use anyhow::Result;
use waymesh::bake::PlanReport;
use waymesh::core::counted;
use waymesh::fields::{BAKE, PLANS, READ};
use waymesh::floorplan::{EXAMPLE, FloorPlan, LayerAreas, ReadOptions, read_plans};
use waymesh::io::{AreaRules, LoadOptions, SurfaceNames};
use waymesh::{Baker, FloorPlans, Report};

use crate::args::PlanArgs;
use crate::files::{Inputs, Output};
use crate::{build, files, marks, output};

pub(crate) fn run(args: &PlanArgs, json: bool) -> Result<()> {
    if let Some(file) = &args.example {
        files::check_outputs(&[Output { option: "--example", file, endings: &["toml"] }], &[])?;
        files::write(file, |writer| writer.write_all(EXAMPLE.as_bytes()))?;
        return files::list(std::slice::from_ref(file), json);
    }
    let inputs = Inputs::new(&args.plans, args.format.as_deref())?;
    let mesh_file = build::output_file(args.output.as_ref(), &inputs)?;
    output::check(&mesh_file, &args.extras, &inputs.files)?;
    let rules = AreaRules::parse(&args.area)?;
    let mut options = ReadOptions::default().with_layer_areas(layer_areas(&rules));
    args.given.apply(READ, &mut options)?;
    let plan = read_plans(&inputs.files, &options)?;
    build::warn_of_unmatched(&rules);
    let bake = build::bake(&args.baker(&plan)?, &plan, &LoadOptions::default())?;
    build::write_summed_up(&bake, mesh_file, &args.extras, json, |out| summary(out, &bake.report))
}

/// The areas that rules give to layers.
fn layer_areas(rules: &AreaRules) -> LayerAreas {
    let rules = rules.clone();
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
        "{}, {walkable_shapes} walkable and {blocked_shapes} blocked shapes, {} on {}, {:.1} m2, {}, {:.0} ms",
        counted(storeys, "storey"),
        counted(report.polygons, "polygon"),
        build::islands(&report.islands),
        report.mesh_area,
        counted(report.links, "link"),
        report.seconds * 1e3
    )
}

impl PlanArgs {
    /// Returns the baker; arguments override the settings of the plan.
    fn baker(&self, plan: &FloorPlan) -> Result<Baker<FloorPlans>> {
        let mut front = FloorPlans::default();
        self.given.apply(PLANS, &mut front)?;
        let baker = Baker::plans_for(plan).with_front(front);
        let mut config = baker.config().clone().with_validate_stages(self.check);
        self.given.apply(BAKE, &mut config)?;
        config.keep = self.kept.keep();
        if let Some(file) = &self.marks {
            config.marks = marks::read(file, &mut config.areas)?;
        }
        Ok(baker.with_config(config))
    }
}

//! `waymesh evaluate`.

use std::io::Write;

use anyhow::{Context, Result};
use waymesh_metrics::{Evaluation, MetricsConfig, Oracle, centimetres, percent};

use crate::args::EvaluateArgs;
use crate::settings::load_options;

pub(crate) fn run(args: &EvaluateArgs) -> Result<()> {
    let soup = waymesh::io::load_with(&args.scenes, &load_options(args.up, args.scale))?;
    let mesh = waymesh::io::open(&args.mesh)?;
    let bytes =
        std::fs::metadata(&args.mesh).with_context(|| format!("cannot read {}", args.mesh.display()))?.len();
    let frame = mesh.frame();
    let mut config = MetricsConfig::default().with_scale(frame.cell_size, frame.level_height);
    if let Some(samples) = args.samples {
        config = config.with_samples(samples);
    }
    let judgement = Oracle::new(&soup, mesh.agent(), &config)?.evaluate_nav_mesh(&mesh, Some(bytes));
    for remark in judgement.evaluation.remarks() {
        tracing::warn!("{remark}");
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &judgement.evaluation)?;
        writeln!(out)?;
    } else {
        table(&mut out, &judgement.evaluation)?;
    }
    Ok(())
}

fn table(out: &mut impl Write, found: &Evaluation) -> std::io::Result<()> {
    let Evaluation { excess, connectivity, height_error, clearance_error, paths, .. } = found;
    writeln!(
        out,
        "samples       {} standable of {}, {} uncertain",
        found.standable, found.samples, found.uncertain
    )?;
    writeln!(out, "coverage      {}", percent(found.coverage))?;
    writeln!(
        out,
        "excess        {}: solid {}, ceiling {}, wall {}, drop {}",
        percent(excess.total),
        percent(excess.solid),
        percent(excess.ceiling),
        percent(excess.wall),
        percent(excess.drop)
    )?;
    writeln!(
        out,
        "connectivity  {} of {} pairs agree, {} false links, {} missed links; {} islands, {} components",
        connectivity.agree,
        connectivity.pairs,
        connectivity.false_links,
        connectivity.missed_links,
        connectivity.islands,
        connectivity.components
    )?;
    writeln!(
        out,
        "height error  mean {}, median {}, 95 % {}, largest {}",
        centimetres(height_error.mean),
        centimetres(height_error.p50),
        centimetres(height_error.p95),
        centimetres(height_error.max)
    )?;
    writeln!(
        out,
        "clearance     mean {}, 95 % {}, largest {}",
        centimetres(clearance_error.mean),
        centimetres(clearance_error.p95),
        centimetres(clearance_error.max)
    )?;
    writeln!(
        out,
        "complexity    {} cells (at least {}), {} portals, {} vertices, {} off the border",
        found.cells, found.cells_lower_bound, found.portals, found.vertices, found.vertices_off_border
    )?;
    let angle = found.min_angle.map_or_else(|| "-".to_owned(), |angle| format!("{angle:.1} degrees"));
    writeln!(
        out,
        "shape         slivers {}, smallest angle {angle}, {} T-junctions",
        percent(found.slivers),
        found.t_junctions
    )?;
    writeln!(out, "violations    {}", found.violations)?;
    writeln!(
        out,
        "paths         {} of {} found, {} wrongly missing, {} wrongly found; longer than the shortest by {} on average, {} at most",
        paths.found,
        paths.pairs,
        paths.wrongly_missing,
        paths.wrongly_found,
        percent(paths.excess_length.mean),
        percent(paths.excess_length.max)
    )?;
    writeln!(out, "              least distance to a wall {}", centimetres(paths.min_wall_distance))
}

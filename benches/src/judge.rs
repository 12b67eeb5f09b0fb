//! Meshes of all tools, judged by the same oracle.
//!
//! rerecast is not among them: its polygons are Recast's, one by one, as the tests of this package check.

use std::fmt::Write;

use waymesh_graph::NavMesh;
use waymesh_metrics::{Evaluation, MetricsConfig, Oracle, centimetres, percent};

use crate::engine::{BenchError, Engine};
use crate::ours::{Waymesh, bake_waymesh};
use crate::scene::Scene;
use crate::settings::Settings;

/// What the oracle says of one tool's mesh.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Name of the tool.
    pub name: &'static str,
    /// The figures, or why there is no mesh.
    pub evaluation: Result<Evaluation, String>,
}

fn fault(
    engine: &'static str,
    stage: &'static str,
) -> impl Fn(Box<dyn std::error::Error + Send + Sync>) -> BenchError {
    move |source| BenchError::Stage { engine, stage, source }
}

/// Bakes `scene` with every tool there is and judges what comes out.
///
/// # Errors
/// If the oracle cannot be made. A tool that fails has its reason in place of figures.
pub fn judge(scene: &Scene, settings: &Settings) -> Result<Vec<Judged>, BenchError> {
    let config = MetricsConfig::default().with_scale(settings.scale.cell_size, settings.scale.level_height);
    let oracle = Oracle::new(&scene.soup, &settings.agent, &config)
        .map_err(|error| fault("oracle", "scene")(error.into()))?;
    let told = |evaluation: Result<Evaluation, BenchError>| evaluation.map_err(|error| error.to_string());
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "peers are added where they are built"))]
    let mut judged = vec![Judged { name: Waymesh.name(), evaluation: told(ours(&oracle, scene, settings)) }];
    #[cfg(feature = "peers")]
    judged.push(Judged { name: crate::Recast.name(), evaluation: told(recast(&oracle, scene, settings)) });
    Ok(judged)
}

fn ours(oracle: &Oracle, scene: &Scene, settings: &Settings) -> Result<Evaluation, BenchError> {
    let bake = bake_waymesh(scene, settings)?;
    let mesh = NavMesh::new(bake.cells, Some(bake.surface), settings.agent)
        .map_err(|error| fault(Waymesh.name(), "mesh")(error.into()))?;
    Ok(oracle.evaluate_nav_mesh(&mesh, None).evaluation)
}

#[cfg(feature = "peers")]
fn recast(oracle: &Oracle, scene: &Scene, settings: &Settings) -> Result<Evaluation, BenchError> {
    let name = crate::Recast.name();
    let bake = crate::bake_recast(scene, settings)?;
    let polygons = bake.mesh();
    let mesh = waymesh_metrics::JudgedMesh::new(&polygons.vertices, polygons.polygons)
        .and_then(|mesh| mesh.with_ground(&bake.ground()))
        .map_err(|error| fault(name, "mesh")(error.into()))?;
    Ok(oracle.evaluate(&mesh, None).evaluation)
}

/// A row per figure, a column per tool.
#[must_use]
pub fn judge_table(scene: &str, judged: &[Judged]) -> String {
    type Figure<'a> = (&'static str, Box<dyn Fn(&Evaluation) -> String + 'a>);
    let figures: Vec<Figure<'_>> = vec![
        ("coverage", Box::new(|e| percent(e.coverage))),
        ("excess", Box::new(|e| percent(e.excess.total))),
        ("  solid", Box::new(|e| percent(e.excess.solid))),
        ("  ceiling", Box::new(|e| percent(e.excess.ceiling))),
        ("  wall", Box::new(|e| percent(e.excess.wall))),
        ("  drop", Box::new(|e| percent(e.excess.drop))),
        ("pairs agreeing", Box::new(|e| format!("{} / {}", e.connectivity.agree, e.connectivity.pairs))),
        ("false links", Box::new(|e| e.connectivity.false_links.to_string())),
        ("missed links", Box::new(|e| e.connectivity.missed_links.to_string())),
        ("islands", Box::new(|e| format!("{} ({})", e.connectivity.islands, e.connectivity.components))),
        ("height mean", Box::new(|e| centimetres(e.height_error.mean))),
        ("height 95 %", Box::new(|e| centimetres(e.height_error.p95))),
        ("clearance mean", Box::new(|e| centimetres(e.clearance_error.mean))),
        ("clearance 95 %", Box::new(|e| centimetres(e.clearance_error.p95))),
        ("cells", Box::new(|e| format!("{} (>= {})", e.cells, e.cells_lower_bound))),
        ("slivers", Box::new(|e| percent(e.slivers))),
        ("off the border", Box::new(|e| e.vertices_off_border.to_string())),
        ("T-junctions", Box::new(|e| e.t_junctions.to_string())),
        ("violations", Box::new(|e| e.violations.to_string())),
    ];
    let mut table = format!("{scene}\n{:<16}", "");
    for tool in judged {
        let _ = write!(table, "{:>18}", tool.name);
    }
    table.push('\n');
    for (name, figure) in figures {
        let _ = write!(table, "{name:<16}");
        for tool in judged {
            let _ =
                write!(table, "{:>18}", tool.evaluation.as_ref().map_or_else(|_| "-".to_owned(), &figure));
        }
        table.push('\n');
    }
    for tool in judged {
        if let Err(reason) = &tool.evaluation {
            let _ = writeln!(table, "{}: {reason}", tool.name);
        }
    }
    table
}

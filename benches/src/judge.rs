//! Meshes of all tools, judged by the same oracle.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use waymesh::{BakeConfig, Baker, PartitionKind, Voxels};
use waymesh_io::SvgOptions;
use waymesh_io::svg::{Marks, PlanMesh, write_marked_svg};
use waymesh_metrics::{Evaluation, JudgedMesh, Judgement, MetricsConfig, Oracle};

use crate::engine::{BenchError, Engine};
use crate::levels::{Fitted, Level};
use crate::ours::Waymesh;
use crate::scene::Scene;
use crate::settings::Settings;

/// What the oracle says of one tool's mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Name of the tool.
    pub tool: String,
    /// How long the bake took on the wall, if there was one.
    pub bake_seconds: Option<f64>,
    /// The figures, or why there are none.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The figures, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All of them.
    Figures(Box<Evaluation>),
    /// The reason.
    Failed(String),
}

impl Judged {
    /// The figures, if there are any.
    #[must_use]
    pub fn figures(&self) -> Option<&Evaluation> {
        match &self.outcome {
            Outcome::Figures(figures) => Some(figures),
            Outcome::Failed(_) => None,
        }
    }
}

/// Files to write beside the figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files<'a> {
    /// Where they go; nowhere by default.
    pub folder: Option<&'a Path>,
    /// A picture per tool, `LEVEL.TOOL.svg`.
    pub pictures: bool,
    /// A mesh per tool: ours as `LEVEL.waymesh.wmesh`, polygons and height surface of the others as
    /// `LEVEL.TOOL.obj`.
    pub meshes: bool,
}

/// Our pipeline with the watershed partition, as in Recast.
const WATERSHED: &str = "watershed";

/// The tools that can be judged, ours first; with our own watershed if asked for.
#[must_use]
pub fn tools(has_watershed: bool, has_peers: bool) -> Vec<&'static str> {
    let ours = [Some(Waymesh.name()), has_watershed.then_some(WATERSHED)];
    #[cfg(feature = "peers")]
    let peers = [crate::Recast.name(), crate::Rerecast.name()];
    #[cfg(not(feature = "peers"))]
    let peers = [];
    ours.into_iter().flatten().chain(peers.into_iter().filter(|_| has_peers)).collect()
}

/// A mesh, how long its bake took, and what was found.
struct Product {
    mesh: JudgedMesh,
    seconds: f64,
    judgement: Judgement,
}

/// Bakes a level with these tools, each with its own defaults at one scale and for one agent, and
/// judges the meshes. `told` gets each result as soon as it is done. A tool that fails or panics
/// has
/// the reason in place of figures.
///
/// # Errors
/// If the oracle cannot be made.
pub fn judge(
    level: &Level,
    scene: &Scene,
    fitted: &Fitted,
    samples: usize,
    tools: &[&str],
    files: Files<'_>,
    told: &mut dyn FnMut(Judged),
) -> Result<(), BenchError> {
    let settings = &fitted.settings;
    let config = MetricsConfig::default()
        .with_scale(settings.scale.cell_size, settings.scale.level_height)
        .with_samples(samples);
    let oracle = Oracle::new(&scene.soup, &settings.agent, &config).map_err(fault("oracle", "scene"))?;
    let job = Job { level, scene, settings, factor: fitted.factor, oracle: &oracle, files };
    for &tool in tools {
        let made = catch_unwind(AssertUnwindSafe(|| job.make(tool)));
        let made = match made {
            Ok(made) => made.map_err(|error| error.to_string()),
            Err(payload) => {
                let text = payload.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
                Err(format!("panicked: {}", text.unwrap_or("without a word")))
            }
        };
        let made = made.and_then(|product| {
            job.draw(tool, &product)?;
            Ok(product)
        });
        let tool = tool.to_owned();
        told(match made {
            Ok(product) => {
                let outcome = Outcome::Figures(Box::new(product.judgement.evaluation));
                Judged { tool, bake_seconds: Some(product.seconds), outcome }
            }
            Err(reason) => Judged { tool, bake_seconds: None, outcome: Outcome::Failed(reason) },
        });
    }
    Ok(())
}

fn fault<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    engine: &'static str,
    stage: &'static str,
) -> impl FnOnce(E) -> BenchError {
    move |error| BenchError::stage(engine, stage, error)
}

/// What all tools are given.
struct Job<'a> {
    level: &'a Level,
    scene: &'a Scene,
    settings: &'a Settings,
    factor: u32,
    oracle: &'a Oracle,
    files: Files<'a>,
}

impl Job<'_> {
    fn make(&self, tool: &str) -> Result<Product, BenchError> {
        match tool {
            #[cfg(feature = "peers")]
            "Recast" => self.recast(),
            #[cfg(feature = "peers")]
            "rerecast" => self.rerecast(),
            WATERSHED => self.ours(WATERSHED, PartitionKind::Watershed),
            _ => self.ours(Waymesh.name(), PartitionKind::default()),
        }
    }

    /// Our pipeline with its defaults but for the partition.
    fn ours(&self, name: &'static str, partition: PartitionKind) -> Result<Product, BenchError> {
        let (settings, scale) = (self.settings, self.settings.scale);
        let mut config = BakeConfig::default()
            .with_agent(settings.agent)
            .with_scale(scale.cell_size, scale.level_height)
            .with_partition(partition)
            .with_threads(1);
        let times = self.factor as f32;
        config.max_edge_length *= times;
        config.min_region *= times * times;
        config.merge_region *= times * times;
        let clock = Instant::now();
        let mesh = Baker::new(Voxels, config).bake(&self.scene.soup).map_err(fault(name, "bake"))?;
        let seconds = clock.elapsed().as_secs_f64();
        let mut file = Vec::new();
        waymesh_io::write_wmesh(&mesh, &mut file).map_err(fault(name, "file"))?;
        if let (Some(folder), true) = (self.files.folder, self.files.meshes) {
            waymesh_io::save(&mesh, folder.join(format!("{}.{name}.wmesh", self.level.stem())))?;
        }
        let judgement = self.oracle.evaluate_nav_mesh(&mesh, u64::try_from(file.len()).ok());
        Ok(Product { mesh: JudgedMesh::from(&mesh), seconds, judgement })
    }

    /// Native Recast, with Detour for the paths.
    #[cfg(feature = "peers")]
    fn recast(&self) -> Result<Product, BenchError> {
        let name = crate::Recast.name();
        let bake = crate::bake_recast(self.scene, self.settings)?;
        let seconds = bake.times.total().wall;
        let mesh = self.polygons(name, bake.mesh(), bake.ground())?;
        if mesh.polygon_count() == 0 {
            let judgement = self.oracle.evaluate(&mesh, None);
            return Ok(Product { mesh, seconds, judgement });
        }
        // A mesh that Detour refuses has no paths, but all other figures.
        let detour = crate::Detour::new(bake, self.settings).ok();
        let bytes = detour.as_ref().and_then(|detour| u64::try_from(detour.bytes()).ok());
        let mesh = mesh.with_bytes(bytes, bytes);
        let judgement = match detour {
            Some(mut detour) => {
                let mut router = |from, to| detour.way(from, to);
                self.oracle.evaluate(&mesh, Some(&mut router))
            }
            None => self.oracle.evaluate(&mesh, None),
        };
        Ok(Product { mesh, seconds, judgement })
    }

    /// rerecast, which has no path queries.
    #[cfg(feature = "peers")]
    fn rerecast(&self) -> Result<Product, BenchError> {
        let bake = crate::bake_rerecast(self.scene, self.settings)?;
        let mesh = self.polygons(crate::Rerecast.name(), bake.mesh(), bake.ground())?;
        let judgement = self.oracle.evaluate(&mesh, None);
        Ok(Product { mesh, seconds: bake.times.total().wall, judgement })
    }

    #[cfg(feature = "peers")]
    fn polygons(
        &self,
        name: &'static str,
        mesh: crate::PolygonMesh,
        ground: Vec<Vec<[glam::Vec3; 3]>>,
    ) -> Result<JudgedMesh, BenchError> {
        let mesh = waymesh_io::PolygonMesh { vertices: mesh.vertices, polygons: mesh.polygons, ground };
        if let (Some(folder), true) = (self.files.folder, self.files.meshes) {
            let file = folder.join(format!("{}.{name}.obj", self.level.stem()));
            waymesh_io::write_file(file, |writer| waymesh_io::write_polygons(&mesh, writer))?;
        }
        JudgedMesh::new(&mesh.vertices, mesh.polygons)
            .and_then(|judged| judged.with_ground(&mesh.ground))
            .map_err(fault(name, "mesh"))
    }

    fn draw(&self, tool: &str, product: &Product) -> Result<(), String> {
        let (Some(folder), true) = (self.files.folder, self.files.pictures) else { return Ok(()) };
        let Product { mesh, judgement, .. } = product;
        let plan = PlanMesh::new(mesh.vertices(), mesh.polygons(), mesh.neighbours());
        let (places, [missed, excess]) = (&judgement.places, judgement.legend());
        let obstructed = places.excess.iter().map(|(place, _)| *place).collect();
        let marks = [
            Marks::missing(places.missed.clone(), places.missed_side, missed),
            Marks::surplus(obstructed, places.excess_side, excess),
        ];
        let file = folder.join(format!("{}.{tool}.svg", self.level.stem()));
        waymesh_io::write_file(file, |writer| write_marked_svg(&plan, &marks, &SvgOptions::default(), writer))
            .map_err(|error| error.to_string())
    }
}

//! `waymesh scene`: writes an embedded scene.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use waymesh::TriangleSource;
use waymesh::core::stage::StageError;
use waymesh::io::StlWriter;
use waymesh_scenes::{SceneConfig, SceneSource};

use crate::args::SceneArgs;
use crate::files::{self, Output};

/// Writes the scene block by block, so that it may be larger than the memory.
pub(crate) fn run(args: &SceneArgs, json: bool) -> Result<()> {
    let source =
        SceneSource::new(args.scene, SceneConfig::default().with_seed(args.seed).with_scale(args.scale));
    let output =
        [args.output.clone().unwrap_or_else(|| PathBuf::from(args.scene.name()).with_extension("stl"))];
    files::check_outputs(&[Output { option: "--output", file: &output[0], endings: &["stl"] }], &[])?;
    let mut triangles = 0;
    files::write(&output[0], |writer| {
        let mut stl = StlWriter::new(writer)?;
        source
            .visit(&mut |portion| stl.push(portion).map_err(StageError::at("write")))
            .map_err(std::io::Error::other)?;
        triangles = stl.finish()?;
        Ok(())
    })?;
    if !json {
        writeln!(files::console(&output)?, "{triangles} triangles")?;
    }
    files::list(&output, json)
}

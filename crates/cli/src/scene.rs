//! `waymesh scene`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use waymesh::TriangleSource;
use waymesh::io::{StlWriter, write_file};
use waymesh::stage::StageError;
use waymesh_scenes::{SceneConfig, SceneSource};

use crate::args::SceneArgs;
use crate::demo;

/// Block by block, so that a scene of any size can be written.
pub(crate) fn run(args: &SceneArgs) -> Result<()> {
    let scene = demo::named(&args.scene)?;
    let source = SceneSource::new(scene, SceneConfig::default().with_seed(args.seed).with_scale(args.scale));
    let file = args.output.clone().unwrap_or_else(|| PathBuf::from(scene.name()).with_extension("stl"));
    let mut triangles = 0;
    write_file(&file, |writer| {
        let mut stl = StlWriter::new(writer)?;
        source
            .visit(&mut |portion| stl.push(portion).map_err(|error| StageError::new("write", error)))
            .map_err(std::io::Error::other)?;
        triangles = stl.finish()?;
        Ok(())
    })?;
    writeln!(std::io::stdout().lock(), "{triangles} triangles\n{}", file.display())?;
    Ok(())
}

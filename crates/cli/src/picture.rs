//! Pictures: drawn as SVG, written as SVG or PNG, and shown.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::files::{self, Output};
use crate::refusal::Refusal;

/// Pictures of what a command found.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Pictures {
    /// Draw the mesh, one panel per storey, with what the command found: a path, places that are
    /// missed, ground that changed.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Draw the same as PNG, with two pixels for each of the SVG.
    #[arg(long, value_name = "FILE", hide_short_help = true, value_parser = png_file)]
    pub(crate) png: Option<PathBuf>,
    /// Show the picture in the program that opens such files.
    #[arg(long, hide_short_help = true)]
    pub(crate) open: bool,
}

fn png_file(name: &str) -> Result<PathBuf, &'static str> {
    if cfg!(feature = "png") {
        return Ok(name.into());
    }
    Err(
        "this program was built without the feature `png`; `cargo install waymesh-cli --features png` has it, and --svg \
         needs no feature",
    )
}

impl Pictures {
    /// Returns the requested files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.svg.iter().chain(&self.png)
    }

    /// Returns the requested files, to be checked before the work.
    pub(crate) fn outputs(&self) -> Result<Vec<Output<'_>>> {
        if self.open && !self.files().any(|file| !files::is_standard(file)) {
            bail!(Refusal("--open shows a picture: add --svg FILE, with a name".into()));
        }
        let svg = self.svg.iter().map(|file| Output { option: "--svg", file, endings: &["svg"] });
        let png = self.png.iter().map(|file| Output { option: "--png", file, endings: &["png"] });
        Ok(svg.chain(png).collect())
    }

    /// Draws the picture into the requested files and shows it.
    pub(crate) fn draw(&self, draw: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<()> {
        if self.files().next().is_none() {
            return Ok(());
        }
        let mut svg = Vec::new();
        draw(&mut svg)?;
        if let Some(file) = &self.svg {
            files::write(file, |writer| writer.write_all(&svg))?;
        }
        #[cfg(feature = "png")]
        if let Some(file) = &self.png {
            let png = png_of(&svg).with_context(|| format!("cannot draw {}", file.display()))?;
            files::write(file, |writer| writer.write_all(&png))?;
        }
        if self.open
            && let Some(file) = self.files().find(|file| !files::is_standard(file))
        {
            open::that_detached(file).with_context(|| format!("cannot show {}", file.display()))?;
        }
        Ok(())
    }
}

/// Returns the picture as PNG.
#[cfg(feature = "png")]
fn png_of(svg: &[u8]) -> Result<Vec<u8>> {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::fontdb::{Database, Family, Query};
    use resvg::usvg::{Options, Tree};

    /// Sets the font without serifs, where a machine has none of the usual name.
    fn choose_font(fonts: &mut Database) {
        if fonts.query(&Query { families: &[Family::SansSerif], ..Query::default() }).is_some() {
            return;
        }
        let faces = fonts.faces().filter(|face| !face.monospaced);
        let names = faces.filter_map(|face| Some(&face.families.first()?.0));
        match names.min_by_key(|name| (!name.contains("Sans"), name.len())).cloned() {
            Some(name) => fonts.set_sans_serif_family(name),
            None => tracing::warn!("this machine has no fonts: the PNG has no text"),
        }
    }

    const SCALE: f32 = 2.0;
    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    choose_font(options.fontdb_mut());
    let tree = Tree::from_data(svg, &options)?;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|side| (side * SCALE).ceil());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of pixels"
    )]
    let mut pixels = Pixmap::new(width as u32, height as u32)
        .with_context(|| format!("{width} x {height} pixels are too many; write it as SVG"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

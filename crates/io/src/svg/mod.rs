//! Plan pictures as SVG.
//!
//! [`write_svg`] draws a navigation mesh. [`Canvas`] and [`Picture`] draw anything in plan: rasters of cells, polygons, lines,
//! labels, in one or several panels.
//!
//! Seen from above: +x points right, +z points down.

mod canvas;
mod colour;
mod plan;
mod storeys;

pub use canvas::{Anchor, Canvas, Picture, Style};
pub use colour::Colour;
pub use plan::{ColourBy, SvgOptions, write_svg};
pub use storeys::{Storey, storeys};

pub(crate) use plan::cell_colours;

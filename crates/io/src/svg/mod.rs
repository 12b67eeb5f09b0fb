//! Plan pictures as SVG.
//!
//! [`write_svg`] draws a navigation mesh, [`write_marked_svg`] any mesh with marks on it.
//! [`Canvas`] and [`Picture`] draw anything in plan: rasters of polygons, polygons, lines,
//! labels, in one or several panels.
//!
//! The view is from above: +x points right, +z points down.

mod canvas;
mod colour;
mod links;
mod marks;
mod plan;
mod plan_mesh;
mod storeys;

pub use canvas::{Anchor, Canvas, Picture, Style};
pub use colour::Colour;
pub use marks::{Marks, write_marked_svg};
pub use plan::{ColourBy, SvgOptions, write_svg};
pub use plan_mesh::PlanMesh;
pub use storeys::{Storey, storeys};

pub(crate) use plan::polygon_colours;

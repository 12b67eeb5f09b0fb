//! Drawing of links in the plan picture of a mesh.

use waymesh_core::{GridFrame, PlanPoint};
use waymesh_graph::Link;

use super::plan_mesh::plan;
use super::{Canvas, Colour, Style};

const LINK: Colour = Colour([0x8a, 0x3f, 0xb5]);

/// Returns the style of a link in a legend.
pub(super) fn link_style(width: f64) -> Style {
    Style::line(LINK, width)
}

/// Draws links: the segments at both ends, a line between their middles, and a veil over the area
/// between them.
pub(super) fn draw_links<'a>(
    canvas: &mut Canvas,
    frame: &GridFrame,
    links: impl Iterator<Item = &'a Link>,
    width: f64,
) {
    let place = |point: PlanPoint| plan(frame.to_world(point.x.into(), 0.0, point.z.into()));
    let segments = |link: &Link| [link.from, link.to].map(|end| end.ends.map(|vertex| place(vertex.point)));
    let segments: Vec<[[[f64; 2]; 2]; 2]> = links.map(segments).collect();
    let veil = |&[[a, b], [c, d]]: &[[[f64; 2]; 2]; 2]| [a, b, d, c];
    canvas.polygons(segments.iter().map(veil), &Style::fill(LINK).with_opacity(0.25));
    let lines = segments.iter().flat_map(|&[from, to]| {
        let middle = |[a, b]: [[f64; 2]; 2]| [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])];
        [from, to, [middle(from), middle(to)]]
    });
    canvas.polylines(lines, &link_style(width));
}

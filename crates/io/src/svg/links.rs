//! Drawing of links in the plan picture of a mesh.

use waymesh_graph::NavMesh;

use super::plan_mesh::plan;
use super::{Canvas, Colour, Style};

const LINK: Colour = Colour([0x8a, 0x3f, 0xb5]);

/// A link in plan.
pub(super) struct LinkMark {
    /// Polygons at its start and its end.
    pub(super) polygons: [usize; 2],
    segments: [[[f64; 2]; 2]; 2],
}

pub(super) fn link_marks(mesh: &NavMesh) -> Vec<LinkMark> {
    let frame = mesh.frame();
    let mark = |link: &waymesh_graph::Link| {
        let ends = [link.from, link.to];
        let place =
            |point: waymesh_core::PlanPoint| plan(frame.to_world(point.x.into(), 0.0, point.z.into()));
        LinkMark {
            polygons: ends.map(|end| end.polygon.index()),
            segments: ends.map(|end| end.ends.map(|vertex| place(vertex.point))),
        }
    };
    mesh.links().iter().map(mark).collect()
}

/// Returns the style of a link in a legend.
pub(super) fn link_style(width: f64) -> Style {
    Style::line(LINK, width)
}

/// Draws links: the segments at both ends, a line between their middles, and a veil over the area
/// between them.
pub(super) fn draw_links<'a>(canvas: &mut Canvas, links: impl Iterator<Item = &'a LinkMark>, width: f64) {
    let links: Vec<&LinkMark> = links.collect();
    let veil = |link: &&LinkMark| {
        let [[a, b], [c, d]] = link.segments;
        vec![a, b, d, c]
    };
    canvas.polygons(links.iter().map(veil), &Style::fill(LINK).with_opacity(0.25));
    let lines = links.iter().flat_map(|link| {
        let middle = |[a, b]: [[f64; 2]; 2]| [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])];
        let [from, to] = link.segments;
        [from.to_vec(), to.to_vec(), vec![middle(from), middle(to)]]
    });
    canvas.polylines(lines, &link_style(width));
}

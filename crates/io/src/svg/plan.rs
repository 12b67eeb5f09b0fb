//! The plan picture of a navigation mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use glam::Vec3;
use waymesh_core::{AreaId, PolyId, float, nearest_f32};
use waymesh_graph::{NavMesh, Path};

use super::canvas::BACKDROP;
use super::links::{draw_links, link_style};
use super::plan_mesh::{PlanMesh, plan};
use super::storeys::{Storey, bounds, storeys_of};
use super::{Anchor, Canvas, Colour, Picture, Style};

/// The property that determines the colour of a polygon of plain ground. Other polygons have the
/// colours of their areas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Its island: any two polygons of one colour are connected. The largest islands get the first
    /// colours.
    #[default]
    Island,
    /// Its region.
    Region,
}

/// Options of the pictures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SvgOptions {
    /// The property that determines the colour of a polygon. Default: its island.
    pub colour_by: ColourBy,
    /// Longer side of a panel in pixels. Default 1000; clamped to 100 to 20,000.
    pub pixels: f64,
    /// `true` to draw the boundaries between polygons. Default: `true`.
    pub portals: bool,
    /// Radius in metres of a disc that follows the path: the polygons that it passes are drawn in
    /// one colour, with the ground that it sweeps, and the corners that it passes around with the
    /// distance from them. Default: none.
    pub disc: Option<f32>,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self { colour_by: ColourBy::Island, pixels: 1000.0, portals: true, disc: None }
    }
}

waymesh_core::setters! {
    impl SvgOptions {
        with_colour_by(colour_by: ColourBy);
        with_pixels(pixels: f64);
        with_portals(portals: bool);
        with_disc(disc: Some(f32));
    }
}

const WALL: Colour = Colour::INK;
const PORTAL: Colour = Colour([0x5b, 0x6b, 0x7a]);
const STAIR: Colour = Colour([0xc8, 0x7a, 0x12]);
const CORRIDOR: Colour = Colour([0xff, 0xec, 0xa8]);
const SWEPT: Colour = Colour([0xd9, 0x5f, 0x2a]);
const START: Colour = Colour([0x1f, 0x8a, 0x4c]);

/// Draws a mesh in plan, with a path on top.
///
/// One panel per storey (see [`super::storeys`]): polygons in soft colours, walls and drops dark,
/// portals thin, edges that lead to another storey dashed, links in violet, the other storeys as a
/// faint backdrop. Areas other than plain ground have separate colours, with their names below the
/// picture. The path is strong on its storey and faint on others; [`SvgOptions::disc`] makes it
/// that of a disc.
///
/// # Errors
/// Those of the writer.
pub fn write_svg(
    mesh: &NavMesh,
    path: Option<&Path>,
    options: &SvgOptions,
    mut writer: impl Write,
) -> std::io::Result<()> {
    writer.write_all(draw(mesh, path, options).to_svg().as_bytes())?;
    writer.flush()
}

fn draw(mesh: &NavMesh, path: Option<&Path>, options: &SvgOptions) -> Picture {
    let compact = mesh.to_compact();
    let own = path.map(|path| {
        let polygons = path.polygons.iter().filter_map(|&polygon| compact.id_of(polygon)).collect();
        Path { polygons, ..path.clone() }
    });
    let (mesh, path) = (compact.mesh(), own.as_ref());
    let mut colours = polygon_colours(mesh, options.colour_by);
    let disc = options.disc.filter(|_| path.is_some());
    if let (Some(path), Some(_)) = (path, disc) {
        for polygon in &path.polygons {
            if let Some(colour) = colours.get_mut(polygon.index()) {
                *colour = CORRIDOR;
            }
        }
    }
    let (links, frame, areas) = (mesh.links(), mesh.frame(), area_notes(mesh));
    let mesh = PlanMesh::from(mesh);
    let points = path.into_iter().flat_map(|path| path.points.iter().copied());
    let mut drawing = Drawing::new(&mesh, colours, options, points);
    if let Some(path) = path {
        drawing.trace = trace(&mesh, path);
        drawing.path.clone_from(&path.points);
        drawing.corners.clone_from(&path.corners);
        drawing.disc = disc.map(|radius| f64::from(radius.max(0.0)));
    }
    let mut picture = Picture::new();
    for index in 0..drawing.storeys.len() {
        let mut canvas = drawing.canvas();
        drawing.storey(&mut canvas, index);
        let is_here = |polygon: PolyId| drawing.storey_of[polygon.index()] == index;
        let here = links.iter().filter(|link| is_here(link.from.polygon) || is_here(link.to.polygon));
        draw_links(&mut canvas, frame, here, drawing.lines.wall);
        drawing.trail(&mut canvas, index);
        picture.push(&drawing.title(index), canvas, Some("m"));
    }
    drawing.notes(&mut picture);
    for (colour, name) in areas {
        picture.note(Style::fill(colour), &name);
    }
    if !links.is_empty() {
        picture.note(link_style(1.8), "link");
    }
    if path.is_some() {
        picture.note(Style::line(Colour::RED, 3.0), "path, from green to red");
    }
    if disc.is_some() {
        picture.note(Style::fill(CORRIDOR), "polygons on the path");
        picture.note(Style::fill(SWEPT).with_opacity(0.35), "swept by the disc");
        picture.note(Style::line(SWEPT, 1.2), "kept from corners");
    }
    picture
}

/// Returns the plan bounds of the drawing in metres, with a margin.
fn view(mesh: &PlanMesh, more: impl Iterator<Item = Vec3>) -> ([f64; 2], [f64; 2]) {
    let corners = (0..mesh.polygons.len()).flat_map(|polygon| mesh.positions(polygon));
    let [min, max] = bounds(corners.chain(more).map(plan));
    let room = 0.01 * (max[0] - min[0]).max(max[1] - min[1]);
    (min.map(|corner| corner - room), max.map(|corner| corner + room))
}

fn metres(value: f32) -> String {
    let text = format!("{value:.1}");
    if text == "-0.0" { "0.0".into() } else { text }
}

/// Returns a range of heights for a title.
pub(super) fn heights(low: f32, high: f32) -> String {
    let (low, high) = (metres(low), metres(high));
    if low == high { format!("y {low} m") } else { format!("y {low} to {high} m") }
}

/// Returns the colour of an area other than plain ground: that of the mesh's table, or one that is
/// stronger than the colours of islands and regions.
fn area_colour(mesh: &NavMesh, id: AreaId) -> Colour {
    let given = mesh.area_table().get(id).and_then(|area| area.colour);
    given.map_or_else(|| Colour::soft(usize::from(id.0)).mixed(Colour::INK, 0.3), Colour)
}

/// Returns the colours and names of the areas in a mesh, without plain ground.
fn area_notes(mesh: &NavMesh) -> Vec<(Colour, String)> {
    let ids: BTreeSet<AreaId> = mesh.polygons().map(|polygon| polygon.area_id()).collect();
    let name = |id: AreaId| match mesh.area_table().get(id) {
        Some(area) => format!("{}, {} a metre", area.name, area.cost),
        None => format!("area {}", id.0),
    };
    let others = ids.into_iter().filter(|&id| id != AreaId::GROUND);
    others.map(|id| (area_colour(mesh, id), name(id))).collect()
}

/// Returns the colour of each polygon.
pub(crate) fn polygon_colours(mesh: &NavMesh, colour_by: ColourBy) -> Vec<Colour> {
    let mut colours = ground_colours(mesh, colour_by);
    for (colour, polygon) in colours.iter_mut().zip(mesh.polygons()) {
        if polygon.area_id() != AreaId::GROUND {
            *colour = area_colour(mesh, polygon.area_id());
        }
    }
    colours
}

/// Returns the colours without areas, as if all ground was plain.
fn ground_colours(mesh: &NavMesh, colour_by: ColourBy) -> Vec<Colour> {
    match colour_by {
        ColourBy::Region => mesh.polygons().map(|polygon| Colour::soft(polygon.region().index())).collect(),
        ColourBy::Island => {
            let islands = mesh.islands();
            let mut order: Vec<usize> = (0..islands.len()).collect();
            order.sort_by(|&a, &b| islands[b].area.total_cmp(&islands[a].area).then(a.cmp(&b)));
            let mut rank = vec![0; islands.len()];
            for (place, island) in order.into_iter().enumerate() {
                rank[island] = place;
            }
            mesh.polygons().map(|polygon| Colour::soft(rank[polygon.island().index()])).collect()
        }
    }
}

/// Line widths in pixels: thinner if polygons are drawn small, so that large levels stay legible.
struct LineWidths {
    wall: f64,
    portal: f64,
}

impl LineWidths {
    fn new(mesh: &PlanMesh, scale: f64) -> Self {
        let area: f64 = (0..mesh.polygons.len()).map(|polygon| mesh.area(polygon)).sum();
        let side = (area / mesh.polygons.len().max(1) as f64).sqrt() * scale;
        Self { wall: (side / 12.0).clamp(0.45, 2.0), portal: (side / 40.0).clamp(0.1, 0.8) }
    }
}

fn stair_style(width: f64) -> Style {
    Style::line(STAIR, width).with_dash(width * 2.5)
}

/// A mesh on its storeys, in one view.
pub(super) struct Drawing<'a> {
    mesh: &'a PlanMesh,
    colours: Vec<Colour>,
    pub(super) storeys: Vec<Storey>,
    /// Storey of each polygon.
    pub(super) storey_of: Vec<usize>,
    /// Points of the path; empty without a path.
    path: Vec<Vec3>,
    /// Pieces of the path and their polygons.
    trace: Vec<(PolyId, [Vec3; 2])>,
    /// Radius of a disc that follows the path.
    disc: Option<f64>,
    /// Corners that the disc passes around.
    corners: Vec<Vec3>,
    portals: bool,
    lines: LineWidths,
    view: ([f64; 2], [f64; 2]),
    pixels: f64,
}

impl<'a> Drawing<'a> {
    /// Prepares a drawing whose view contains the mesh and `more`.
    pub(super) fn new(
        mesh: &'a PlanMesh,
        colours: Vec<Colour>,
        options: &SvgOptions,
        more: impl Iterator<Item = Vec3>,
    ) -> Self {
        let storeys = storeys_of(mesh);
        let mut storey_of = vec![0; mesh.polygons.len()];
        for (index, storey) in storeys.iter().enumerate() {
            for polygon in &storey.polygons {
                storey_of[polygon.index()] = index;
            }
        }
        let pixels = options.pixels.clamp(100.0, 20_000.0);
        // Several panels share the picture.
        let pixels = if storeys.len() > 1 { (pixels * 0.72).max(100.0) } else { pixels };
        let view = view(mesh, more);
        let lines = LineWidths::new(mesh, Canvas::new(view.0, view.1, pixels).scale());
        let (path, trace, portals) = (Vec::new(), Vec::new(), options.portals);
        let (disc, corners) = (None, Vec::new());
        Self { mesh, colours, storeys, storey_of, path, trace, disc, corners, portals, lines, view, pixels }
    }

    /// Returns an empty canvas for a panel.
    pub(super) fn canvas(&self) -> Canvas {
        Canvas::new(self.view.0, self.view.1, self.pixels)
    }

    /// Returns the corner of the view with the lowest plan coordinates.
    pub(super) fn origin(&self) -> [f64; 2] {
        self.view.0
    }

    /// Returns the title of a storey's panel.
    pub(super) fn title(&self, index: usize) -> String {
        let storey = &self.storeys[index];
        let heights = heights(storey.min_y, storey.max_y);
        if self.storeys.len() == 1 {
            heights
        } else {
            format!("Storey {} of {}, {heights}", index + 1, self.storeys.len())
        }
    }

    /// Adds the legend of the storeys, or a panel with a message if the mesh is empty.
    pub(super) fn notes(&self, picture: &mut Picture) {
        if self.storeys.is_empty() {
            let mut canvas = Canvas::new([0.0, 0.0], [4.0, 1.0], self.pixels);
            canvas.text([2.0, 0.5], "nothing walkable", 18.0, PORTAL, Anchor::Middle);
            picture.push("", canvas, None);
            return;
        }
        picture.note(Style::line(WALL, 2.0), "wall or drop");
        let beyond = |polygon: usize| {
            self.mesh.polygons[polygon].neighbours.iter().flatten().map(|&other| other as usize)
        };
        let mut polygons = 0..self.mesh.polygons.len();
        if self.portals && polygons.clone().any(|polygon| beyond(polygon).next().is_some()) {
            picture.note(Style::line(PORTAL, 1.0).with_opacity(0.5), "between polygons");
        }
        if self.storeys.len() > 1 {
            if polygons
                .any(|polygon| beyond(polygon).any(|other| self.storey_of[other] != self.storey_of[polygon]))
            {
                picture.note(stair_style(1.8), "way to another storey");
            }
            picture.note(Style::fill(BACKDROP), "other storeys");
        }
    }

    /// Draws one storey, the others behind it.
    pub(super) fn storey(&self, canvas: &mut Canvas, index: usize) {
        let outline = |polygon: usize| self.mesh.outline(polygon);
        if self.storeys.len() > 1 {
            self.backdrop(canvas, Some(index));
        }
        let polygons = || self.storeys[index].polygons.iter().map(|polygon| polygon.index());
        let mut by_colour: BTreeMap<Colour, Vec<usize>> = BTreeMap::new();
        for polygon in polygons() {
            by_colour.entry(self.colours[polygon]).or_default().push(polygon);
        }
        // A hairline of the same colour closes the seams between adjacent shapes.
        for (colour, polygons) in by_colour {
            canvas.polygons(polygons.into_iter().map(outline), &Style::fill(colour).with_line(colour, 0.4));
        }
        let mut walls: Vec<[u32; 2]> = Vec::new();
        let mut portals: Vec<[u32; 2]> = Vec::new();
        let mut stairs: Vec<[u32; 2]> = Vec::new();
        for polygon in polygons() {
            let corners = &self.mesh.polygons[polygon].corners;
            for (edge, neighbour) in self.mesh.polygons[polygon].neighbours.iter().enumerate() {
                let ends = [corners[edge], corners[(edge + 1) % corners.len()]];
                match neighbour.map(|other| other as usize) {
                    None => walls.push(ends),
                    Some(other) if self.storey_of[other] != index => stairs.push(ends),
                    Some(other) if other > polygon => portals.push(ends),
                    Some(_) => {}
                }
            }
        }
        let draw = |canvas: &mut Canvas, edges: Vec<[u32; 2]>, style: &Style| {
            let place = |vertex: u32| plan(self.mesh.vertices[vertex as usize]);
            canvas.polylines(chains(edges).into_iter().map(|chain| chain.into_iter().map(place)), style);
        };
        if self.portals {
            draw(canvas, portals, &Style::line(PORTAL, self.lines.portal).with_opacity(0.55));
        }
        draw(canvas, walls, &Style::line(WALL, self.lines.wall));
        draw(canvas, stairs, &stair_style(self.lines.wall * 1.2));
    }

    /// Draws all storeys but one faintly.
    pub(super) fn backdrop(&self, canvas: &mut Canvas, but: Option<usize>) {
        let others = (0..self.mesh.polygons.len()).filter(|&polygon| Some(self.storey_of[polygon]) != but);
        canvas.polygons(others.map(|polygon| self.mesh.outline(polygon)), &Style::fill(BACKDROP));
    }

    /// Draws the path on one storey.
    fn trail(&self, canvas: &mut Canvas, index: usize) {
        let whole: Vec<[f64; 2]> = self.path.iter().copied().map(plan).collect();
        let here = |polygon: PolyId| self.storey_of.get(polygon.index()) == Some(&index);
        if self.storeys.len() > 1 {
            canvas
                .polylines([whole.clone()], &Style::line(Colour::RED, 1.2).with_dash(3.0).with_opacity(0.35));
        }
        let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
        let mut connected = false;
        for (polygon, [from, to]) in &self.trace {
            if here(*polygon) {
                match pieces.last_mut() {
                    Some(piece) if connected => piece.push(plan(*to)),
                    _ => pieces.push(vec![plan(*from), plan(*to)]),
                }
            }
            connected = here(*polygon);
        }
        if let Some(radius) = self.disc {
            let pixels = radius * canvas.scale();
            let swept = Style::line(SWEPT, 2.0 * pixels).with_opacity(0.35);
            canvas.polylines(pieces.clone(), &swept);
            let near = |corner: &&Vec3| {
                let storey = &self.storeys[index];
                self.storeys.len() == 1 || (storey.min_y - 0.5..=storey.max_y + 0.5).contains(&corner.y)
            };
            for corner in self.corners.iter().filter(near) {
                canvas.dot(plan(*corner), pixels, &Style::line(SWEPT, 1.2));
            }
        }
        canvas.polylines(pieces.clone(), &Style::line(Colour::WHITE, 5.0).with_opacity(0.75));
        canvas.polylines(pieces, &Style::line(Colour::RED, 2.6));
        let ends = [
            (self.trace.first().map(|piece| piece.0), whole.first(), START),
            (self.trace.last().map(|piece| piece.0), whole.last(), Colour::RED),
        ];
        for (polygon, place, colour) in ends {
            if let (Some(polygon), Some(place)) = (polygon, place)
                && here(polygon)
            {
                canvas.dot(*place, 6.5, &Style::fill(colour).with_line(Colour::WHITE, 2.0));
            }
        }
    }
}

/// Joins edges end to end into chains, so that lines have corners instead of gaps and the file is
/// small.
fn chains(edges: Vec<[u32; 2]>) -> Vec<Vec<u32>> {
    let mut from: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, edge) in edges.iter().enumerate() {
        from.entry(edge[0]).or_default().push(index);
    }
    let mut used = vec![false; edges.len()];
    let mut chains = Vec::new();
    for first in 0..edges.len() {
        if used[first] {
            continue;
        }
        let mut chain = vec![edges[first][0]];
        let mut next = Some(first);
        while let Some(edge) = next {
            used[edge] = true;
            chain.push(edges[edge][1]);
            next = from.get_mut(&edges[edge][1]).and_then(|edges| {
                while edges.last().is_some_and(|&edge| used[edge]) {
                    edges.pop();
                }
                edges.pop()
            });
        }
        chains.push(chain);
    }
    chains
}

/// Cuts a path at the borders of the polygons it runs through, which it lists in order. A remainder
/// due to rounding belongs to the last polygon.
fn trace(mesh: &PlanMesh, path: &Path) -> Vec<(PolyId, [Vec3; 2])> {
    let mut pieces = Vec::new();
    let mut segment = 0;
    let mut at = 0.0_f64;
    let point =
        |segment: usize, at: f64| path.points[segment].lerp(path.points[segment + 1], nearest_f32(at));
    let segments = path.points.len().saturating_sub(1);
    for (index, &polygon) in path.polygons.iter().enumerate() {
        let is_last = index + 1 == path.polygons.len();
        let outline =
            if polygon.index() < mesh.polygons.len() { mesh.outline(polygon.index()) } else { Vec::new() };
        while segment < segments {
            let [from, to] = [plan(path.points[segment]), plan(path.points[segment + 1])];
            let end = if is_last { 1.0 } else { leaves_at(&outline, from, to, at) };
            if end > at {
                pieces.push((polygon, [point(segment, at), point(segment, end)]));
                at = end;
            }
            if at < 1.0 {
                break;
            }
            (segment, at) = (segment + 1, 0.0);
        }
    }
    if let (true, Some(&polygon), [only]) = (pieces.is_empty(), path.polygons.last(), path.points.as_slice())
    {
        pieces.push((polygon, [*only, *only]));
    }
    pieces
}

/// Returns the position along `from -> to` (0 to 1) at which a convex outline is left after `at`;
/// `at` itself if it was left before.
fn leaves_at(outline: &[[f64; 2]], from: [f64; 2], to: [f64; 2], at: f64) -> f64 {
    /// Distance beyond an edge that still counts as inside, in metres.
    const SLACK: f64 = 1e-4;
    let mut end = 1.0_f64;
    for (index, a) in outline.iter().enumerate() {
        let b = outline[(index + 1) % outline.len()];
        let length = float::hypot(b[0] - a[0], b[1] - a[1]);
        // Positive inside: outlines are positive in plan.
        let side = |p: [f64; 2]| ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) / length;
        let (start_side, end_side) = (side(from), side(to));
        if end_side < -SLACK && end_side < start_side {
            end = end.min((start_side + SLACK) / (start_side - end_side));
        }
    }
    end.clamp(at, 1.0)
}

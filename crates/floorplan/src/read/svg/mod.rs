//! SVG: the visible drawing. `usvg` resolves styles, units, transforms, nested drawings and clip
//! paths. The class, label or id of an element or of a group around it names its kind, and
//! `data-area` its area. Without such a word, areas are walkable and lines are walls.

mod check;
mod copy;

use roxmltree::Document;
use usvg::tiny_skia_path::PathSegment;
use usvg::{Color, FillRule, Group, Paint, Path, Transform, Tree};
use waymesh_core::{AreaId, float};

use self::check::Names;
use self::copy::{Copy, OPEN_FILL, OPEN_STROKE, OPEN_WIDTH, Source};
use super::{Reader, Role};
use crate::area::{Cleaner, Region, check_crossings};
use crate::{Fill, FloorPlan, NoteKind, Outline, PlanError, PlanPosition, Shape};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    check::amounts(reader, text)?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| reader.fault(error.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(reader.fault(format!("the root is <{}>, but must be <svg>", root.tag_name().name())));
    }
    let mut plan = FloorPlan::default();
    let names = Names::of_lines(text);
    let viewport = check::viewport(reader, root)?;
    note_size(reader, &mut plan, &names.of(root), &viewport);
    let styles = document.descendants().filter(|node| node.tag_name().name() == "style");
    let css: String = styles.flat_map(|node| node.children()).filter_map(|node| node.text()).collect();
    let Copy { text, shapes, .. } = Copy::of(reader, &mut plan, &names, &document, &css, viewport.size)?;
    let tree = Tree::from_str(&text, &usvg::Options::default())
        .map_err(|error| reader.fault(format!("cannot be resolved: {error}")))?;
    let mut drawing = Drawing {
        reader,
        plan: &mut plan,
        names: &names,
        was_drawn: vec![false; shapes.len()],
        shapes,
        clipped: 0,
    };
    drawing.group(tree.root(), &mut Vec::new())?;
    drawing.note_rest();
    Ok(plan)
}

/// Notes that a drawing has a physical size, if no scale is given.
fn note_size(reader: &Reader<'_>, plan: &mut FloorPlan, element: &str, viewport: &check::Viewport) {
    let (Some([width, depth]), Some([units, _])) = (viewport.millimetres, viewport.size) else { return };
    let metres = width / units / 1000.0;
    if reader.options.scale.is_none() && (metres - 1.0).abs() > 1e-3 {
        reader.note(plan, element, NoteKind::PhysicalSize { width, depth, metres });
    }
}

/// Most corners of clip paths, each counted for every shape that it clips.
const MAX_CLIP_CORNERS: usize = 1_000_000;

/// A drawing that becomes a plan.
struct Drawing<'r, 'a> {
    reader: &'r Reader<'r>,
    plan: &'r mut FloorPlan,
    names: &'r Names,
    shapes: Vec<Source<'a>>,
    was_drawn: Vec<bool>,
    /// Corners of clip paths that shapes were clipped with.
    clipped: usize,
}

/// The loops of a path in plan coordinates.
struct Loops {
    loops: Vec<Vec<PlanPosition>>,
    is_closed: bool,
}

impl Drawing<'_, '_> {
    fn group(&mut self, group: &Group, clips: &mut Vec<Region>) -> Result<(), PlanError> {
        if group.opacity().get() <= 0.0 {
            return Ok(());
        }
        let outer = clips.len();
        let mut clip = group.clip_path();
        while let Some(one) = clip {
            let transform = group.abs_transform().pre_concat(one.transform());
            let mut areas = Vec::new();
            self.clip_areas(one.root(), transform, &mut areas)?;
            clips.push(Region::union(&areas));
            clip = one.clip_path();
        }
        for node in group.children() {
            match node {
                usvg::Node::Group(group) => self.group(group, clips)?,
                usvg::Node::Path(path) => self.path(path, clips)?,
                // The copy has none.
                usvg::Node::Image(_) | usvg::Node::Text(_) => {}
            }
        }
        clips.truncate(outer);
        Ok(())
    }

    /// Collects the areas of a clip path.
    fn clip_areas(
        &self,
        group: &Group,
        transform: Transform,
        areas: &mut Vec<Region>,
    ) -> Result<(), PlanError> {
        for node in group.children() {
            match node {
                usvg::Node::Group(group) => self.clip_areas(group, transform, areas)?,
                usvg::Node::Path(path) if path.is_visible() => {
                    let Loops { loops, .. } = self.loops(path, transform.pre_concat(path.abs_transform()));
                    let outline = Outline::Loops { loops, fill: fill_rule(path) };
                    areas.push(self.region(&Shape::new(self.reader.source("a clip path"), outline))?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn region(&self, shape: &Shape) -> Result<Region, PlanError> {
        Cleaner::new(&crate::PlanConfig::default(), &mut Vec::new()).region(shape)
    }

    fn path(&mut self, path: &Path, clips: &[Region]) -> Result<(), PlanError> {
        let index = path.id().strip_prefix('#').and_then(|index| index.parse::<usize>().ok());
        let Some(index) = index.filter(|&index| index < self.shapes.len()) else { return Ok(()) };
        let Source { node, kind, area } = self.shapes[index];
        let name = self.names.of(node);
        let loops = self.loops(path, path.abs_transform());
        let Some(outline) = self.outline(path, node.tag_name().name(), kind, loops) else { return Ok(()) };
        self.was_drawn[index] = true;
        let is_line = matches!(outline, Drawn::Lines(_));
        let role = match kind {
            Some(Role::Walkable) | None if is_line => Role::Blocked,
            kind => kind.unwrap_or(Role::Walkable),
        };
        let area = self.reader.area(self.plan, &name, role, area)?;
        self.add(role, area, &name, outline, clips)
    }

    fn add(
        &mut self,
        role: Role,
        area: AreaId,
        name: &str,
        drawn: Drawn,
        clips: &[Region],
    ) -> Result<(), PlanError> {
        let outlines = match drawn {
            Drawn::Area(outline) => vec![outline],
            // One door, whatever it is drawn of.
            Drawn::Lines(mut lines) if role == Role::Door => {
                let single = lines.len() == 1;
                let loops = lines.iter().map(Outline::points).collect();
                vec![lines.pop().filter(|_| single).unwrap_or(Outline::Loops { loops, fill: Fill::NonZero })]
            }
            Drawn::Lines(lines) => lines,
        };
        for outline in outlines {
            let outline = if role == Role::Door { outline } else { self.clipped(name, outline, clips)? };
            self.reader.add(self.plan, None, (role, area), name, outline);
        }
        Ok(())
    }

    /// Returns what clip paths leave of an outline.
    fn clipped(&mut self, name: &str, outline: Outline, clips: &[Region]) -> Result<Outline, PlanError> {
        if clips.is_empty() {
            return Ok(outline);
        }
        let shape = Shape::new(self.reader.source(name), outline);
        let whole = self.region(&shape)?;
        let mut left = whole.clone();
        for clip in clips {
            self.clipped += clip.0.iter().map(|polygon| polygon.exterior().0.len()).sum::<usize>();
            if self.clipped > MAX_CLIP_CORNERS {
                let message = format!(
                    "{name}: clip paths with more than {MAX_CLIP_CORNERS} corners, each counted for every shape in it"
                );
                return Err(self.reader.fault(message));
            }
            check_crossings(&shape.source, [&left, clip])?;
            left = left.within(clip);
        }
        if (whole.area() - left.area()).abs() <= 1e-9 * whole.area() {
            return Ok(shape.outline);
        }
        Ok(Outline::Loops { loops: left.rings(), fill: Fill::NonZero })
    }

    /// Returns what is drawn of a path: its area or its line.
    fn outline(&self, path: &Path, tag: &str, kind: Option<Role>, drawn: Loops) -> Option<Drawn> {
        if !path.is_visible() {
            return None;
        }
        let fill = path.fill().filter(|fill| fill.opacity().get() > 0.0);
        let stroke = path.stroke().filter(|stroke| stroke.opacity().get() > 0.0);
        let is_open = |paint: &Paint, [red, green, blue]: [u8; 3]| matches!(paint, Paint::Color(color) if *color == Color::new_rgb(red, green, blue));
        // A line, and a polyline whose fill the file leaves open, is a line also where no stroke is given.
        let is_line = drawn.loops.iter().all(|points| points.len() <= 2)
            || (tag == "polyline"
                && stroke.is_some()
                && fill.is_none_or(|fill| is_open(fill.paint(), OPEN_FILL)));
        if fill.is_some() && !is_line {
            return Some(Drawn::Area(Outline::Loops { loops: drawn.loops, fill: fill_rule(path) }));
        }
        let stroke = stroke?;
        if drawn.is_closed && !is_line {
            if is_open(stroke.paint(), OPEN_STROKE) {
                return None;
            }
            // The outline of ground, but a ring of walls.
            if kind != Some(Role::Blocked) {
                return Some(Drawn::Area(Outline::Loops { loops: drawn.loops, fill: Fill::EvenOdd }));
            }
        }
        Some(Drawn::Lines(self.walls(path, stroke.width().get(), drawn)))
    }

    /// Returns the walls along the loops of a path.
    fn walls(&self, path: &Path, width: f32, drawn: Loops) -> Vec<Outline> {
        let options = self.reader.options;
        let Transform { sx: a, ky: b, kx: c, sy: d, .. } = path.abs_transform();
        let [a, b, c, d] = [a, b, c, d].map(f64::from);
        let is_open = width == OPEN_WIDTH;
        let (x, y) = (float::hypot(a, b), float::hypot(c, d));
        let is_uniform = (x - y).abs() <= SKEW * x.max(y) && (a * c + b * d).abs() <= SKEW * x * y;
        let lines = drawn.loops.into_iter();
        if is_open || is_uniform {
            let drawn = f64::from(width) * (a * d - b * c).abs().sqrt() * self.reader.scale;
            let width = if is_open { options.wall_width } else { drawn };
            return lines.map(|line| Outline::Wall { line, width }).collect();
        }
        // A stroke is drawn before the transform: other pens across than along.
        let linear =
            |x: f64, y: f64| [(a * x + c * y) * self.reader.scale, (b * x + d * y) * self.reader.scale];
        let half = f64::from(width) / 2.0;
        let determinant = (a * d - b * c) * self.reader.scale;
        let stretched = |line: Vec<PlanPosition>| {
            let pieces = line.windows(2).map(|ends| {
                let way = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
                // The way before the transform.
                let local =
                    [(d * way[0] - c * way[1]) / determinant, (a * way[1] - b * way[0]) / determinant];
                let length = float::hypot(local[0], local[1]).max(f64::MIN_POSITIVE);
                let [u, v] = [local[0] / length * half, local[1] / length * half];
                let corner = |end: PlanPosition, along: f64, across: f64| {
                    let shift = linear(u * along - v * across, v * along + u * across);
                    [end[0] + shift[0], end[1] + shift[1]]
                };
                let [from, to] = [ends[0], ends[1]];
                vec![
                    corner(from, -1.0, -1.0),
                    corner(to, 1.0, -1.0),
                    corner(to, 1.0, 1.0),
                    corner(from, -1.0, 1.0),
                ]
            });
            Outline::Loops { loops: pieces.collect(), fill: Fill::NonZero }
        };
        lines.map(stretched).collect()
    }

    /// Returns the loops of a path, with chords for its curves. Closed ones repeat their first point.
    fn loops(&self, path: &Path, transform: Transform) -> Loops {
        let at = |[x, y]: PlanPosition| {
            let Transform { sx, kx, ky, sy, tx, ty } = transform;
            let [sx, kx, ky, sy, tx, ty] = [sx, kx, ky, sy, tx, ty].map(f64::from);
            self.reader.down(sx * x + kx * y + tx, ky * x + sy * y + ty)
        };
        let (mut loops, mut is_closed): (Vec<Vec<PlanPosition>>, bool) = (Vec::new(), false);
        let mut last = [0.0; 2];
        for segment in path.data().segments() {
            let point = |point: usvg::tiny_skia_path::Point| [f64::from(point.x), f64::from(point.y)];
            let mut to = |curve: &[PlanPosition], steps: u32| {
                if let Some(line) = loops.last_mut() {
                    line.extend((1..=steps).map(|step| at(on_curve(last, curve, step, steps))));
                }
                last = curve.last().copied().unwrap_or(last);
            };
            match segment {
                PathSegment::MoveTo(start) => {
                    last = point(start);
                    loops.push(vec![at(last)]);
                }
                PathSegment::LineTo(end) => to(&[point(end)], 1),
                PathSegment::QuadTo(control, end) => to(&[point(control), point(end)], STEPS),
                PathSegment::CubicTo(first, second, end) => {
                    to(&[point(first), point(second), point(end)], STEPS);
                }
                PathSegment::Close => {
                    is_closed = true;
                    if let Some(line) =
                        loops.last_mut().filter(|line| line.len() > 2 && line.first() != line.last())
                    {
                        line.extend(line.first().copied());
                    }
                }
            }
        }
        is_closed |= loops.iter().any(|line| line.len() > 3 && line.first() == line.last());
        Loops { loops, is_closed }
    }

    /// Notes the shapes that are not drawn.
    fn note_rest(&mut self) {
        for (index, source) in self.shapes.iter().enumerate() {
            if !self.was_drawn[index] {
                let what = "what is not drawn (hidden, without size, or with neither fill nor stroke)";
                self.reader.ignored(self.plan, &self.names.of(source.node), what);
            }
        }
    }
}

/// The shape that a path draws.
enum Drawn {
    Area(Outline),
    Lines(Vec<Outline>),
}

fn fill_rule(path: &Path) -> Fill {
    match path.fill().map(usvg::Fill::rule) {
        Some(FillRule::EvenOdd) => Fill::EvenOdd,
        Some(FillRule::NonZero) | None => Fill::NonZero,
    }
}

/// Ratio of sides, and cosine, from which on a transform does not keep the width of a stroke.
/// Transforms are in single precision.
const SKEW: f64 = 1e-5;

/// Number of chords of a curve.
const STEPS: u32 = 16;

/// A point of a Bézier curve from `start` (de Casteljau).
fn on_curve(start: PlanPosition, rest: &[PlanPosition], step: u32, steps: u32) -> PlanPosition {
    let t = f64::from(step) / f64::from(steps);
    let mut points = [start; 4];
    points[1..=rest.len()].copy_from_slice(rest);
    for count in (1..=rest.len()).rev() {
        for index in 0..count {
            let [from, to] = [points[index], points[index + 1]];
            points[index] = [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
        }
    }
    if step == steps { rest.last().copied().unwrap_or(start) } else { points[0] }
}

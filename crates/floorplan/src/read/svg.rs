//! SVG: `path`, `polygon`, `polyline`, `line`, `rect`, `circle` and `ellipse`, with their
//! transforms. The class, label or id of an element or of a group around it tells its kind, and
//! `data-area` its area. Without such a word, shapes are walkable.

use roxmltree::{Document, Node};
use svgtypes::{
    Length, LengthUnit, PathParser, PathSegment, PointsParser, SimplePathSegment, SimplifyingPathParser,
    Transform,
};
use waymesh_core::{AreaId, float};

use super::{Reader, Role, role};
use crate::{Fill, FloorPlan, NoteKind, Outline, PlanError, PlanPosition};

/// Attributes that tell the kind of an element, by precedence.
const LABELS: [&str; 3] = ["class", "label", "id"];

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    check_amounts(reader, text)?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    let line_ends: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
    let identity = Transform::new(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
    // An explicit stack, because groups may be nested deeply.
    let mut stack = vec![(document.root_element(), identity, None, None)];
    while let Some((node, outer, inherited, around)) = stack.pop() {
        if !node.is_element()
            || matches!(node.tag_name().name(), "defs" | "clipPath" | "mask" | "symbol" | "metadata")
        {
            continue;
        }
        let own = match node.attribute("transform") {
            Some(text) => {
                text.parse::<Transform>().map_err(|error| bad(reader, node, "transform", &error))?
            }
            None => identity,
        };
        let transform = product(&outer, &own);
        let kind = label(node).or(inherited);
        let area = attribute(node, "data-area").or(around);
        let element = Element { reader, node, transform, line_ends: &line_ends };
        if let Some(outline) = element.outline()? {
            let role = kind.unwrap_or(Role::Walkable);
            let area = reader.area(&mut plan, &element.name(), role, area)?;
            element.add(&mut plan, kind, area, outline);
        } else if matches!(node.tag_name().name(), "use" | "image" | "text") {
            let what = format!("<{}>", node.tag_name().name());
            reader.note(&mut plan, &element.name(), NoteKind::Ignored { what });
        }
        // Reversed, so that the stack returns children in the order of the file.
        for child in node.children().rev() {
            stack.push((child, transform, kind, area));
        }
    }
    Ok(plan)
}

/// Most attributes of an element: the parser compares each with all others.
const MOST_ATTRIBUTES: usize = 10_000;
/// Largest radius, and farthest place, of a path with arcs in the units of the file. The parser
/// takes curves for an arc whose number grows with its size, and an arc as large as it takes to
/// reach its end.
const LARGEST_ARC: f64 = 1e9;

/// The largest number of a path with arcs, if that is too large.
fn huge_arc(path: &str) -> Option<f64> {
    let (mut has_arc, mut size) = (false, 0.0_f64);
    for segment in PathParser::from(path).map_while(Result::ok) {
        let numbers = match segment {
            PathSegment::EllipticalArc { rx, ry, x, y, .. } => {
                has_arc = true;
                [rx, ry, x, y]
            }
            PathSegment::MoveTo { x, y, .. }
            | PathSegment::LineTo { x, y, .. }
            | PathSegment::CurveTo { x, y, .. }
            | PathSegment::SmoothCurveTo { x, y, .. }
            | PathSegment::Quadratic { x, y, .. }
            | PathSegment::SmoothQuadratic { x, y, .. } => [x, y, 0.0, 0.0],
            PathSegment::HorizontalLineTo { x, .. } => [x, 0.0, 0.0, 0.0],
            PathSegment::VerticalLineTo { y, .. } => [y, 0.0, 0.0, 0.0],
            PathSegment::ClosePath { .. } => [0.0; 4],
        };
        size = numbers.into_iter().map(f64::abs).fold(size, f64::max);
    }
    (has_arc && size > LARGEST_ARC).then_some(size)
}

/// Bytes that entities may make of each byte of a file, and besides.
const EXPANSION: usize = 8;
const FREE_EXPANSION: usize = 1 << 20;

/// Checks what makes the parser take more than a multiple of the file's size. Drawing programs
/// declare a few short entities.
fn check_amounts(reader: &Reader<'_>, text: &str) -> Result<(), PlanError> {
    let (mut longest, mut declared) = (0, 0);
    for declaration in text.split("<!ENTITY").skip(1) {
        let quote = declaration.find(['"', '\'']).unwrap_or(0);
        let value = declaration[quote..].split(['"', '\'']).nth(1).unwrap_or("");
        if value.replace("&#", "").contains('&') {
            return Err(reader.fault("an entity that names others"));
        }
        longest = longest.max(value.len());
        declared += 1;
    }
    // To find an entity by name, the parser looks at all before it.
    let expanded = text.matches('&').count().saturating_mul(longest.max(declared));
    let limit = text.len() * EXPANSION + FREE_EXPANSION;
    if declared > 0 && expanded > limit {
        return Err(reader.fault(format!("entities of {expanded} bytes, the limit is {limit}")));
    }
    let attributes = |tag: &str| {
        tag.split('=').skip(1).filter(|value| value.trim_start().starts_with(['"', '\''])).count()
    };
    match text.split('<').map(attributes).max() {
        Some(count) if count > MOST_ATTRIBUTES => {
            Err(reader.fault(format!("an element with {count} attributes, the limit is {MOST_ATTRIBUTES}")))
        }
        _ => Ok(()),
    }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

fn label(node: Node<'_, '_>) -> Option<Role> {
    LABELS.into_iter().find_map(|name| role(attribute(node, name)?))
}

fn bad(reader: &Reader<'_>, node: Node<'_, '_>, what: &str, error: &dyn std::fmt::Display) -> PlanError {
    let place = node.document().text_pos_at(node.range().start);
    reader.fault(format!("<{}> at line {}: {what}: {error}", node.tag_name().name(), place.row))
}

/// The transform `outer` after `inner`.
fn product(outer: &Transform, inner: &Transform) -> Transform {
    Transform::new(
        outer.a * inner.a + outer.c * inner.b,
        outer.b * inner.a + outer.d * inner.b,
        outer.a * inner.c + outer.c * inner.d,
        outer.b * inner.c + outer.d * inner.d,
        outer.a * inner.e + outer.c * inner.f + outer.e,
        outer.b * inner.e + outer.d * inner.f + outer.f,
    )
}

/// The loops of an element.
struct Drawn {
    lines: Vec<Vec<PlanPosition>>,
    is_area: bool,
}

struct Element<'a, 'b> {
    reader: &'a Reader<'a>,
    node: Node<'a, 'b>,
    transform: Transform,
    /// Where the lines of the file end.
    line_ends: &'a [usize],
}

impl Element<'_, '_> {
    fn name(&self) -> String {
        let tag = self.node.tag_name().name();
        match attribute(self.node, "id") {
            Some(id) => format!("<{tag}> {id:?}"),
            None => {
                let start = self.node.range().start;
                format!("<{tag}> at line {}", self.line_ends.partition_point(|&end| end < start) + 1)
            }
        }
    }

    fn number(&self, name: &str) -> Result<f64, PlanError> {
        let Some(text) = attribute(self.node, name) else { return Ok(0.0) };
        let length: Length = text.parse().map_err(|error| bad(self.reader, self.node, name, &error))?;
        match length.unit {
            LengthUnit::None | LengthUnit::Px => Ok(length.number),
            _ => Err(bad(self.reader, self.node, name, &format!("{text:?} has a unit; only px is known"))),
        }
    }

    fn at(&self, x: f64, y: f64) -> PlanPosition {
        let Transform { a, b, c, d, e, f } = self.transform;
        self.reader.down(a * x + c * y + e, b * x + d * y + f)
    }

    fn outline(&self) -> Result<Option<Drawn>, PlanError> {
        let area = |points: Vec<PlanPosition>| Some(Drawn { lines: vec![points], is_area: true });
        Ok(match self.node.tag_name().name() {
            "path" => Some(self.path()?),
            "polygon" => area(self.points()),
            "polyline" => Some(Drawn { lines: vec![self.points()], is_area: false }),
            "line" => {
                let ends = vec![
                    self.at(self.number("x1")?, self.number("y1")?),
                    self.at(self.number("x2")?, self.number("y2")?),
                ];
                Some(Drawn { lines: vec![ends], is_area: false })
            }
            "rect" => {
                let [x, y, width, height] =
                    [self.number("x")?, self.number("y")?, self.number("width")?, self.number("height")?];
                area(vec![
                    self.at(x, y),
                    self.at(x + width, y),
                    self.at(x + width, y + height),
                    self.at(x, y + height),
                ])
            }
            "circle" => {
                let radius = self.number("r")?;
                area(self.ellipse(radius, radius)?)
            }
            "ellipse" => area(self.ellipse(self.number("rx")?, self.number("ry")?)?),
            _ => None,
        })
    }

    fn points(&self) -> Vec<PlanPosition> {
        let text = attribute(self.node, "points").unwrap_or("");
        PointsParser::from(text).map(|(x, y)| self.at(x, y)).collect()
    }

    fn ellipse(&self, rx: f64, ry: f64) -> Result<Vec<PlanPosition>, PlanError> {
        let (cx, cy) = (self.number("cx")?, self.number("cy")?);
        let corner = |corner: u32| {
            let (sin, cos) = float::sin_cos(f64::from(corner) * std::f64::consts::TAU / f64::from(CHORDS));
            self.at(cx + rx * cos, cy + ry * sin)
        };
        Ok((0..CHORDS).map(corner).collect())
    }

    fn path(&self) -> Result<Drawn, PlanError> {
        let mut drawn = Drawn { lines: Vec::new(), is_area: false };
        let mut last = (0.0, 0.0);
        let text = attribute(self.node, "d").unwrap_or("");
        if let Some(size) = huge_arc(text) {
            let why = format!("an arc in a path of {size}, the limit is {LARGEST_ARC}");
            return Err(bad(self.reader, self.node, "d", &why));
        }
        for segment in SimplifyingPathParser::from(text) {
            let segment = segment.map_err(|error| bad(self.reader, self.node, "d", &error))?;
            let line = drawn.lines.last_mut();
            match segment {
                SimplePathSegment::MoveTo { x, y } => {
                    drawn.lines.push(vec![self.at(x, y)]);
                    last = (x, y);
                }
                SimplePathSegment::LineTo { x, y } => {
                    if let Some(line) = line {
                        line.push(self.at(x, y));
                    }
                    last = (x, y);
                }
                SimplePathSegment::CurveTo { x1, y1, x2, y2, x, y } => {
                    let curve = [last, (x1, y1), (x2, y2), (x, y)];
                    if let Some(line) = line {
                        line.extend((1..=STEPS).map(|step| self.on_curve(&curve, step)));
                    }
                    last = (x, y);
                }
                SimplePathSegment::Quadratic { x1, y1, x, y } => {
                    let raise = |end: (f64, f64)| {
                        (end.0 + (x1 - end.0) * 2.0 / 3.0, end.1 + (y1 - end.1) * 2.0 / 3.0)
                    };
                    let curve = [last, raise(last), raise((x, y)), (x, y)];
                    if let Some(line) = line {
                        line.extend((1..=STEPS).map(|step| self.on_curve(&curve, step)));
                    }
                    last = (x, y);
                }
                SimplePathSegment::ClosePath => drawn.is_area = true,
            }
        }
        // Filling closes every line. A line that is not filled is a wall.
        let style = attribute(self.node, "style").unwrap_or("").replace(' ', "");
        let unfilled = attribute(self.node, "fill") == Some("none") || style.contains("fill:none");
        drawn.is_area |= !unfilled && drawn.lines.iter().any(|line| line.len() > 2);
        Ok(drawn)
    }

    /// A point of a cubic curve (Bernstein form).
    fn on_curve(&self, curve: &[(f64, f64); 4], step: u32) -> PlanPosition {
        let t = f64::from(step) / f64::from(STEPS);
        let s = 1.0 - t;
        let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
        let sum = |axis: fn(&(f64, f64)) -> f64| -> f64 {
            curve.iter().zip(weights).map(|(point, weight)| axis(point) * weight).sum()
        };
        self.at(sum(|point| point.0), sum(|point| point.1))
    }

    fn add(&self, plan: &mut FloorPlan, kind: Option<Role>, area: AreaId, drawn: Drawn) {
        let (reader, name) = (self.reader, self.name());
        if kind == Some(Role::Door) {
            let what = "a door (doors are read from TOML and GeoJSON)".into();
            reader.note(plan, &name, NoteKind::Ignored { what });
        } else if drawn.is_area {
            let even_odd = attribute(self.node, "fill-rule") == Some("evenodd")
                || attribute(self.node, "style")
                    .is_some_and(|style| style.replace(' ', "").contains("fill-rule:evenodd"));
            let fill = if even_odd { Fill::EvenOdd } else { Fill::NonZero };
            let outline = Outline::Loops { loops: drawn.lines, fill };
            reader.add(plan, None, (kind.unwrap_or(Role::Walkable), area), &name, outline);
        } else {
            let stroke =
                attribute(self.node, "stroke-width").and_then(|text| text.trim().parse::<f64>().ok());
            let width = stroke.map_or(reader.options.wall_width, |width| width * reader.options.scale);
            let role =
                if kind == Some(Role::Mark) { (Role::Mark, area) } else { (Role::Blocked, AreaId::GROUND) };
            for line in drawn.lines {
                reader.add(plan, None, role, &name, Outline::Wall { line, width });
            }
        }
    }
}

/// Number of chords of a circle or ellipse.
const CHORDS: u32 = 48;
/// Number of chords of a curve.
const STEPS: u32 = 16;

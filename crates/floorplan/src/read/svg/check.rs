//! Checks of a drawing before it is resolved: amounts that its parsers do not bound, and values
//! that they would drop without a word.

use std::borrow::Cow;
use std::collections::BTreeMap;

use roxmltree::Node;
use svgtypes::{Length, LengthUnit, NumberListParser, PathParser, PathSegment, Transform, ViewBox};

use crate::PlanError;
use crate::read::Reader;

/// Names of elements for messages.
pub(super) struct Names {
    /// Offsets of the ends of the lines in the file.
    line_ends: Vec<usize>,
}

impl Names {
    pub(super) fn of_lines(text: &str) -> Self {
        Self { line_ends: text.match_indices('\n').map(|(place, _)| place).collect() }
    }

    pub(super) fn of(&self, node: Node<'_, '_>) -> String {
        let tag = node.tag_name().name();
        match attribute(node, "id") {
            Some(id) => format!("<{tag}> {id:?}"),
            None => {
                let start = node.range().start;
                format!("<{tag}> at line {}", self.line_ends.partition_point(|&end| end < start) + 1)
            }
        }
    }
}

/// Returns an attribute of this name in any namespace.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

/// Largest radius, and farthest place, of a path with arcs in the units of the file. The parser
/// takes curves for an arc whose number grows with its size, and an arc as large as it takes to
/// reach its end.
const LARGEST_ARC: f64 = 1e9;
/// Largest number of a drawing: its square and more are finite in single precision.
const LARGEST_NUMBER: f64 = 1e12;

/// Bytes that entities may make of each byte of a file, and besides.
const EXPANSION: usize = 8;
const FREE_EXPANSION: usize = 1 << 20;

/// Attributes that are lengths.
const LENGTHS: [&str; 13] =
    ["cx", "cy", "height", "r", "rx", "ry", "stroke-width", "width", "x", "x1", "x2", "y", "y1"];

/// Checks what makes the parser take more than a multiple of the file's size. Drawing programs
/// declare a few short entities.
pub(super) fn amounts(reader: &Reader<'_>, text: &str) -> Result<(), PlanError> {
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
    // To find an entity by name, the parser scans all entities before it.
    let expanded = text.matches('&').count().saturating_mul(longest.max(declared));
    let limit = text.len() * EXPANSION + FREE_EXPANSION;
    if declared > 0 && expanded > limit {
        return Err(reader.fault(format!("entities of {expanded} bytes, the limit is {limit}")));
    }
    reader.few_attributes(text)
}

fn bad(reader: &Reader<'_>, node: Node<'_, '_>, what: &str, error: &dyn std::fmt::Display) -> PlanError {
    let place = node.document().text_pos_at(node.range().start);
    reader.fault(format!("<{}> at line {}: {what}: {error}", node.tag_name().name(), place.row))
}

/// Checks the attributes of an element, and writes those without effect in the words of usvg.
pub(super) fn attributes<'a>(
    reader: &Reader<'_>,
    node: Node<'_, '_>,
    attributes: &mut BTreeMap<&'a str, Cow<'a, str>>,
    has_size: bool,
) -> Result<(), PlanError> {
    attributes.retain(|_, value| value != "auto");
    for (&name, value) in &mut *attributes {
        let bad = |error: &dyn std::fmt::Display| bad(reader, node, name, error);
        let size = match name {
            "transform" => {
                *value = without_units(value).into();
                transform(reader, node, value)?;
                continue;
            }
            "viewBox" => {
                value.parse::<ViewBox>().map_err(|error| bad(&error))?;
                continue;
            }
            "d" => path(value).map_err(|error| bad(&error))?,
            "points" => {
                let (mut count, mut size) = (0, 0.0_f64);
                for number in NumberListParser::from(&**value) {
                    size = size.max(number.map_err(|error| bad(&error))?.abs());
                    count += 1;
                }
                if count % 2 == 1 {
                    return Err(bad(&format!("{count} numbers; points have two each")));
                }
                size
            }
            _ if LENGTHS.contains(&name) || name == "y2" => {
                if value == "inherit" {
                    continue;
                }
                let length: Length =
                    value.trim().parse().map_err(|error| bad(&format!("{value:?}: {error}")))?;
                if length.unit == LengthUnit::Percent && !has_size {
                    let why = format!(
                        "{value:?} of a drawing without a size; give it a viewBox, or width and height"
                    );
                    return Err(bad(&why));
                }
                length.number.abs()
            }
            _ => continue,
        };
        if size > LARGEST_NUMBER {
            return Err(bad(&format!("{size}, the limit is {LARGEST_NUMBER}")));
        }
    }
    Ok(())
}

/// A transform of a style sheet in the notation of attributes.
fn without_units(transform: &str) -> String {
    transform.replace("px", "").replace("deg", "")
}

/// Checks a transform.
pub(super) fn transform(reader: &Reader<'_>, node: Node<'_, '_>, value: &str) -> Result<(), PlanError> {
    if matches!(value, "none" | "inherit") {
        return Ok(());
    }
    let bad = |error: &dyn std::fmt::Display| bad(reader, node, "transform", error);
    let Transform { a, b, c, d, e, f } = value.parse().map_err(|error| bad(&error))?;
    let size = [a, b, c, d, e, f].into_iter().map(f64::abs).fold(0.0, f64::max);
    if size <= LARGEST_NUMBER { Ok(()) } else { Err(bad(&format!("{size}, the limit is {LARGEST_NUMBER}"))) }
}

/// Returns the largest number of a path.
fn path(path: &str) -> Result<f64, String> {
    let (mut has_arc, mut size) = (false, 0.0_f64);
    for segment in PathParser::from(path) {
        let numbers = match segment.map_err(|error| error.to_string())? {
            PathSegment::EllipticalArc { rx, ry, x, y, .. } => {
                has_arc = true;
                [rx, ry, x, y, 0.0, 0.0]
            }
            PathSegment::MoveTo { x, y, .. }
            | PathSegment::LineTo { x, y, .. }
            | PathSegment::SmoothQuadratic { x, y, .. } => [x, y, 0.0, 0.0, 0.0, 0.0],
            PathSegment::CurveTo { x1, y1, x2, y2, x, y, .. } => [x, y, x1, y1, x2, y2],
            PathSegment::SmoothCurveTo { x2: x1, y2: y1, x, y, .. }
            | PathSegment::Quadratic { x1, y1, x, y, .. } => [x, y, x1, y1, 0.0, 0.0],
            PathSegment::HorizontalLineTo { x, .. } => [x, 0.0, 0.0, 0.0, 0.0, 0.0],
            PathSegment::VerticalLineTo { y, .. } => [y, 0.0, 0.0, 0.0, 0.0, 0.0],
            PathSegment::ClosePath { .. } => [0.0; 6],
        };
        size = numbers.into_iter().map(f64::abs).fold(size, f64::max);
    }
    if has_arc && size > LARGEST_ARC {
        return Err(format!("an arc in a path of {size}, the limit is {LARGEST_ARC}"));
    }
    Ok(size)
}

/// The viewport of a drawing.
#[derive(Default)]
pub(super) struct Viewport {
    /// Its size in units of the file.
    pub(super) size: Option<[f64; 2]>,
    /// Its physical size in millimetres.
    pub(super) millimetres: Option<[f64; 2]>,
}

/// Units per inch of lengths without a unit (CSS 2.1, 4.3.2).
const DPI: f64 = 96.0;
const MILLIMETRES_PER_INCH: f64 = 25.4;

/// Reads the viewport of a root element.
pub(super) fn viewport(reader: &Reader<'_>, root: Node<'_, '_>) -> Result<Viewport, PlanError> {
    let mut sides = [None; 2];
    for (side, name) in sides.iter_mut().zip(["width", "height"]) {
        let Some(text) = attribute(root, name).filter(|text| *text != "auto") else { continue };
        let length: Length =
            text.trim().parse().map_err(|error| bad(reader, root, name, &format!("{text:?}: {error}")))?;
        *side = match length.unit {
            LengthUnit::None | LengthUnit::Px => Some((length.number, false)),
            LengthUnit::In => Some((length.number * DPI, true)),
            LengthUnit::Cm => Some((length.number * DPI / MILLIMETRES_PER_INCH * 10.0, true)),
            LengthUnit::Mm => Some((length.number * DPI / MILLIMETRES_PER_INCH, true)),
            LengthUnit::Pt => Some((length.number * DPI / 72.0, true)),
            LengthUnit::Pc => Some((length.number * DPI / 6.0, true)),
            LengthUnit::Em | LengthUnit::Ex | LengthUnit::Percent => None,
        };
    }
    let bounds = |[width, height]: [f64; 2]| {
        let is_fine = |side: f64| side > 0.0 && side <= LARGEST_NUMBER;
        (is_fine(width) && is_fine(height)).then_some([width, height])
    };
    let [width, height] = sides;
    let pixels = width.zip(height).and_then(|(width, height)| bounds([width.0, height.0]));
    let is_physical = width.zip(height).is_some_and(|(width, height)| width.1 && height.1);
    let view_box = match attribute(root, "viewBox") {
        Some(text) => Some(text.parse::<ViewBox>().map_err(|error| bad(reader, root, "viewBox", &error))?),
        None => None,
    };
    let millimetres =
        pixels.filter(|_| is_physical).map(|sides| sides.map(|side| side / DPI * MILLIMETRES_PER_INCH));
    let size = match view_box {
        Some(view_box) => bounds([view_box.w, view_box.h]),
        None => pixels,
    };
    Ok(Viewport { size, millimetres })
}

//! DXF drawings. Closed polylines, circles and ellipses are shapes, lines, arcs and open polylines
//! are walls. Their layers name their kind, and their area by [`super::LayerAreas`]. Blocks are
//! drawn where they are inserted; hidden layers and paper space are not read.

use std::collections::{BTreeSet, HashMap};

use ::dxf::entities::{Entity, EntityType, Insert};
use ::dxf::enums::Units;
use ::dxf::{Block, Drawing, Point, Vector};
use glam::{DAffine2, DMat2, DVec2};
use waymesh_core::float;

use super::{Reader, Role, role};
use crate::{FloorPlan, NoteKind, Outline, PlanError, PlanPosition};

/// Number of chords of a full circle.
const CHORDS: f64 = 48.0;
/// Deepest nesting of blocks; also ends blocks that insert themselves.
const MAX_DEPTH: usize = 16;
/// Points that blocks may draw for each byte of the file, and besides: an array of a block repeats
/// it up to 2^30 times.
const POINTS_PER_BYTE: usize = 2;
const FREE_POINTS: usize = 1_000_000;

pub(super) fn parse(mut reader: Reader<'_>, mut bytes: &[u8]) -> Result<FloorPlan, PlanError> {
    let text = bytes;
    let drawing = Drawing::load(&mut bytes).map_err(|error| reader.fault(error.to_string()))?;
    let mut plan = FloorPlan::default();
    let declared = metres(drawing.header.default_drawing_units);
    reader.scale = reader.options.scale.or(declared).unwrap_or(1.0);
    if declared.is_none_or(|declared| (declared / reader.scale - 1.0).abs() > 1e-3) {
        reader.note(&mut plan, "drawing", NoteKind::Unit { declared, used: reader.scale });
    }
    let mut reading = Reading {
        reader: &reader,
        plan,
        blocks: drawing.blocks().map(|block| (block.name.to_lowercase(), block)).collect(),
        hidden: hidden_layers(&drawing, text),
        points: text.len().saturating_mul(POINTS_PER_BYTE).saturating_add(FREE_POINTS),
        ignored: BTreeSet::new(),
    };
    let top = Placed { to_drawing: DAffine2::IDENTITY, layer: "0", block: "", depth: 0 };
    for (index, entity) in drawing.entities().enumerate() {
        reading.entity(index, entity, &top)?;
    }
    let Reading { mut plan, ignored, .. } = reading;
    for what in ignored {
        reader.ignored(&mut plan, "drawing", what);
    }
    Ok(plan)
}

/// Returns the metres of a unit, if it is of a size that is used for buildings.
fn metres(units: Units) -> Option<f64> {
    const INCH: f64 = 0.0254;
    const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
    Some(match units {
        Units::Inches => INCH,
        Units::Feet => 12.0 * INCH,
        Units::Miles => 63_360.0 * INCH,
        Units::Millimeters => 0.001,
        Units::Centimeters => 0.01,
        Units::Meters => 1.0,
        Units::Kilometers => 1000.0,
        Units::Mils => 0.001 * INCH,
        Units::Yards => 36.0 * INCH,
        Units::Microns => 1e-6,
        Units::Decimeters => 0.1,
        Units::Decameters => 10.0,
        Units::Hectometers => 100.0,
        Units::USSurveyFeet => SURVEY_FOOT,
        Units::USSurveyInch => SURVEY_FOOT / 12.0,
        Units::USSurveyYard => SURVEY_FOOT * 3.0,
        Units::USSurveyMile => SURVEY_FOOT * 5280.0,
        _ => return None,
    })
}

/// Returns the names of layers that are not shown, in lower case, each with the reason. The parser
/// knows colours, which are negative if a layer is off, but not the flags of frozen layers.
fn hidden_layers(drawing: &Drawing, text: &[u8]) -> HashMap<String, &'static str> {
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut frozen = Vec::new();
    let mut is_layer = false;
    while let (Some(code), Some(value)) = (lines.next(), lines.next()) {
        if code == b"0" {
            is_layer = value == b"LAYER";
            frozen.extend(is_layer.then_some(false));
        } else if is_layer && code == b"70" {
            let flags = std::str::from_utf8(value).ok().and_then(|flags| flags.parse::<i32>().ok());
            frozen.pop();
            frozen.push(flags.is_some_and(|flags| flags & 1 != 0));
        }
    }
    let layers = drawing.layers().zip(frozen.into_iter().chain(std::iter::repeat(false)));
    let hidden = layers.filter_map(|(layer, is_frozen)| {
        let reason = if is_frozen { FROZEN } else { "is off" };
        (is_frozen || !layer.is_layer_on).then(|| (layer.name.to_lowercase(), reason))
    });
    hidden.collect()
}

const FROZEN: &str = "is frozen";

/// The placement of the entities of the drawing or of an inserted block.
struct Placed<'a> {
    to_drawing: DAffine2,
    /// The layer of entities on layer 0, which is that of the insertion.
    layer: &'a str,
    /// Name of the block; empty for the drawing.
    block: &'a str,
    depth: usize,
}

struct Reading<'a> {
    reader: &'a Reader<'a>,
    plan: FloorPlan,
    blocks: HashMap<String, &'a Block>,
    hidden: HashMap<String, &'static str>,
    /// Points that may still be drawn.
    points: usize,
    ignored: BTreeSet<String>,
}

impl Reading<'_> {
    fn entity(&mut self, index: usize, entity: &Entity, placed: &Placed<'_>) -> Result<(), PlanError> {
        let layer = if entity.common.layer == "0" { placed.layer } else { &entity.common.layer };
        let hidden = self.hidden.get(&layer.to_lowercase()).copied();
        let insert = match &entity.specific {
            EntityType::Insert(insert) => Some(insert),
            _ => None,
        };
        if entity.common.is_in_paper_space {
            self.ignored.insert("paper space".into());
        } else if !entity.common.is_visible {
            self.ignored.insert(format!("layer {layer:?}: an invisible entity"));
        } else if let Some(reason) = hidden
            && (insert.is_none() || reason == FROZEN)
        {
            // A block is drawn if the layer of its insertion is off, except what it has on layer 0.
            self.ignored.insert(format!("layer {layer:?}, which {reason},"));
        } else if let Some(insert) = insert {
            return self.insert(insert, layer, placed);
        } else {
            return self.shape(index, entity, layer, placed);
        }
        Ok(())
    }

    fn insert(&mut self, insert: &Insert, layer: &str, placed: &Placed<'_>) -> Result<(), PlanError> {
        let Some(&block) = self.blocks.get(&insert.name.to_lowercase()) else {
            self.ignored.insert(format!("block {:?}, which the drawing does not have,", insert.name));
            return Ok(());
        };
        if block.is_xref() || block.is_xref_overlay() {
            self.ignored.insert(format!("block {:?}, which is in another file,", insert.name));
            return Ok(());
        }
        if placed.depth == MAX_DEPTH {
            let name = &insert.name;
            let message = format!("block {name:?} is nested more than {MAX_DEPTH} deep, or in itself");
            return Err(self.reader.fault(message));
        }
        let Some(plane) = self.plane(&insert.extrusion_direction, layer) else { return Ok(()) };
        let (sin, cos) = float::sin_cos(insert.rotation.to_radians());
        let turned = DMat2::from_cols(DVec2::new(cos, sin), DVec2::new(-sin, cos));
        let at = placed.to_drawing * plane * DAffine2::from_mat2_translation(turned, flat(&insert.location));
        let scaled = DAffine2::from_scale(DVec2::new(insert.x_scale_factor, insert.y_scale_factor))
            * DAffine2::from_translation(-flat(&block.base_point));
        let spacing = DVec2::new(insert.column_spacing, insert.row_spacing);
        for row in 0..insert.row_count.max(1) {
            for column in 0..insert.column_count.max(1) {
                self.count(1)?;
                let moved = spacing * DVec2::new(f64::from(column), f64::from(row));
                let to_drawing = at * DAffine2::from_translation(moved) * scaled;
                let inside = Placed { to_drawing, layer, block: &insert.name, depth: placed.depth + 1 };
                for (index, entity) in block.entities.iter().enumerate() {
                    self.entity(index, entity, &inside)?;
                }
            }
        }
        Ok(())
    }

    fn shape(
        &mut self,
        index: usize,
        entity: &Entity,
        layer: &str,
        placed: &Placed<'_>,
    ) -> Result<(), PlanError> {
        let area = self.reader.options.layer_areas.as_ref().and_then(|areas| (areas.0)(layer));
        let kind = role(layer).or(area.is_some().then_some(Role::Mark));
        let Some(outline) = self.outline(entity, layer, &placed.to_drawing)? else { return Ok(()) };
        let what = match kind {
            Some(Role::Door) => " (doors are read from TOML, GeoJSON, WKT, SVG, OpenStreetMap and Open-RMF)",
            Some(Role::Mark) if area.is_none() => ": no area is given for its marks",
            None => ", whose name has no word such as floor or wall,",
            Some(kind) => {
                let is_wall = kind != Role::Mark && matches!(outline, Outline::Wall { .. });
                let kind = if is_wall { Role::Blocked } else { kind };
                let mut element = format!("entity {index} on layer {layer:?}");
                if placed.depth > 0 {
                    element += &format!(" in block {:?}", placed.block);
                }
                let area = self.reader.area(&mut self.plan, &element, kind, area.as_deref())?;
                self.reader.add(&mut self.plan, None, (kind, area), &element, outline);
                return Ok(());
            }
        };
        self.ignored.insert(format!("layer {layer:?}{what}"));
        Ok(())
    }

    /// Returns the area or wall of an entity; `None`, with a note, if it has none.
    fn outline(
        &mut self,
        entity: &Entity,
        layer: &str,
        to_drawing: &DAffine2,
    ) -> Result<Option<Outline>, PlanError> {
        let mut width = 0.0;
        let turn = std::f64::consts::TAU;
        let (normal, (points, is_closed)) = match &entity.specific {
            EntityType::LwPolyline(line) => {
                width = line.constant_width;
                let points =
                    line.vertices.iter().map(|vertex| (DVec2::new(vertex.x, vertex.y), vertex.bulge));
                (&line.extrusion_direction, bulged(points.collect(), line.is_closed()))
            }
            EntityType::Polyline(line) if !line.is_3d_polygon_mesh() && !line.is_polyface_mesh() => {
                width = line.default_starting_width.min(line.default_ending_width);
                let points = line.vertices().map(|vertex| (flat(&vertex.location), vertex.bulge));
                (&line.normal, bulged(points.collect(), line.is_closed()))
            }
            EntityType::Line(line) => (&UP, (vec![flat(&line.p1), flat(&line.p2)], false)),
            EntityType::Circle(circle) => {
                let (x, y) = (DVec2::X * circle.radius, DVec2::Y * circle.radius);
                (&circle.normal, arc(flat(&circle.center), x, y, [0.0, turn]))
            }
            EntityType::Arc(one) => {
                let (x, y) = (DVec2::X * one.radius, DVec2::Y * one.radius);
                let [from, to] = [one.start_angle, one.end_angle].map(f64::to_radians);
                (&one.normal, arc(flat(&one.center), x, y, [from, to]))
            }
            EntityType::Ellipse(one) => {
                // Its axis is in world coordinates, unlike the angles of an arc.
                let x = DVec2::new(one.major_axis.x, one.major_axis.y);
                let y = x.perp() * one.minor_axis_ratio * if one.normal.z < 0.0 { -1.0 } else { 1.0 };
                let whole = arc(flat(&one.center), x, y, [one.start_parameter, one.end_parameter]);
                (if one.normal.z.abs() > FLAT { &UP } else { &one.normal }, whole)
            }
            _ => {
                let what = "what is no line, polyline, arc, circle or ellipse";
                self.ignored.insert(format!("layer {layer:?}: {what}"));
                return Ok(None);
            }
        };
        let Some(plane) = self.plane(normal, layer) else { return Ok(None) };
        self.count(points.len())?;
        let to_drawing = *to_drawing * plane;
        let stretch = to_drawing.matrix2.determinant().abs().sqrt();
        if let EntityType::Circle(circle) = &entity.specific
            && is_similar(&to_drawing.matrix2)
        {
            let DVec2 { x, y } = to_drawing.transform_point2(flat(&circle.center));
            let radius = circle.radius * stretch * self.reader.scale;
            return Ok(Some(Outline::Disc { centre: self.reader.north(x, y), radius }));
        }
        let place = |point| {
            let DVec2 { x, y } = to_drawing.transform_point2(point);
            self.reader.north(x, y)
        };
        let mut line: Vec<PlanPosition> = points.into_iter().map(place).collect();
        if is_closed && line.len() > 2 {
            return Ok(Some(Outline::Polygon { outer: line, holes: Vec::new() }));
        }
        line.extend(line.first().copied().filter(|_| is_closed));
        let drawn = width * stretch * self.reader.scale;
        let width = if drawn > 0.0 { drawn } else { self.reader.options.wall_width };
        Ok(Some(Outline::Wall { line, width }))
    }

    /// Returns the map from the plane of an entity to the ground plane. An entity that faces down is
    /// mirrored, one on any other plane is ignored.
    fn plane(&mut self, normal: &Vector, layer: &str) -> Option<DAffine2> {
        if normal.x.abs() <= FLAT && normal.y.abs() <= FLAT && normal.z != 0.0 {
            return Some(DAffine2::from_scale(DVec2::new(normal.z.signum(), 1.0)));
        }
        self.ignored.insert(format!("layer {layer:?}: an entity that does not lie in the ground plane"));
        None
    }

    fn count(&mut self, points: usize) -> Result<(), PlanError> {
        let left = self.points.checked_sub(points);
        self.points = left.ok_or_else(|| {
            let message = format!(
                "blocks draw too many points, the limit is {FREE_POINTS} and {POINTS_PER_BYTE} for each byte of the file"
            );
            self.reader.fault(message)
        })?;
        Ok(())
    }
}

/// Largest part of a unit normal across the plane: drawing programs round them.
const FLAT: f64 = 1e-6;
const UP: Vector = Vector { x: 0.0, y: 0.0, z: 1.0 };

fn flat(point: &Point) -> DVec2 {
    DVec2::new(point.x, point.y)
}

/// Returns `true` if circles stay circles.
fn is_similar(matrix: &DMat2) -> bool {
    let [x, y] = [matrix.x_axis, matrix.y_axis];
    let length = x.length_squared().max(y.length_squared());
    (x.length_squared() - y.length_squared()).abs() <= FLAT * length && x.dot(y).abs() <= FLAT * length
}

/// Appends the points between two angles, without either, of an ellipse with these half axes.
fn chords(centre: DVec2, x: DVec2, y: DVec2, [from, to]: [f64; 2], out: &mut Vec<DVec2>) {
    let count = ((to - from).abs() / std::f64::consts::TAU * CHORDS).ceil();
    // More than a turn is not a number, or is drawn by nobody.
    let count = if count.is_finite() { count.min(CHORDS) } else { 1.0 };
    let mut step = 1.0;
    while step < count {
        let (sin, cos) = float::sin_cos(from + (to - from) * step / count);
        out.push(centre + x * cos + y * sin);
        step += 1.0;
    }
}

/// Returns the points of an arc against the clock, and `true` if it is a full turn.
fn arc(centre: DVec2, x: DVec2, y: DVec2, [from, to]: [f64; 2]) -> (Vec<DVec2>, bool) {
    let turn = std::f64::consts::TAU;
    let swept = (to - from).rem_euclid(turn);
    let is_whole = swept < 1e-9 || turn - swept < 1e-9;
    let to = from + if is_whole { turn } else { swept };
    let at = |angle: f64| {
        let (sin, cos) = float::sin_cos(angle);
        centre + x * cos + y * sin
    };
    let mut out = vec![at(from)];
    chords(centre, x, y, [from, to], &mut out);
    if !is_whole {
        out.push(at(to));
    }
    (out, is_whole)
}

/// Returns the points of a polyline, with its arcs as chords. A bulge is the tangent of a quarter
/// of the arc's angle, positive against the clock.
fn bulged(points: Vec<(DVec2, f64)>, is_closed: bool) -> (Vec<DVec2>, bool) {
    let mut out = Vec::with_capacity(points.len());
    for (index, &(from, bulge)) in points.iter().enumerate() {
        out.push(from);
        let next = points.get(index + 1).or(if is_closed { points.first() } else { None });
        let angle = 4.0 * float::atan(bulge);
        let (Some(&(to, _)), true) = (next, angle != 0.0) else { continue };
        let chord = to - from;
        let centre = from + chord / 2.0 + chord.perp() * (0.5 / float::tan(angle / 2.0));
        let arm = from - centre;
        chords(centre, arm, arm.perp(), [0.0, angle], &mut out);
    }
    (out, is_closed)
}

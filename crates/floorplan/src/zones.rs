//! Ground of several areas: it is divided along the borders of shapes that give areas, and along
//! doors, all at once.

use std::collections::BTreeMap;

use geo::{Contains, InteriorPoint, LineString, Point, Polygon};
use waymesh_core::{AreaId, Bounds, BoxTree, GridFrame, PlanPoint, checkpoint};

use crate::PlanConfig;
use crate::area::Region;
use crate::assemble::{Piece, meet};
use crate::lattice::{self, LatticePolygon, doubled_area, position};

/// A part of a storey whose ground has an area.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Zone {
    pub(crate) area: AreaId,
    pub(crate) region: Region,
}

/// Adds a zone over those before it. Ground that is cut out is kept apart: it goes before the
/// ground comes to the grid.
pub(crate) fn lay(zone: &Zone, zones: &mut Vec<Zone>, cut: &mut Region) {
    if zone.area.is_walkable() {
        *cut = cut.minus(&zone.region);
        zones.push(zone.clone());
    } else {
        *cut = Region::union([&*cut, &zone.region]);
    }
}

/// Label of a face of the ground: the door of its sill, and its area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    /// Door of the sill; `None` outside of doors, which sorts first.
    sill: Option<usize>,
    area: AreaId,
}

/// Divides ground along `lines`: the borders of zones and the sills of doors. The last zone over a
/// place gives its area. The sills follow, in the order of the doors; where they overlap, the
/// ground belongs to the first.
///
/// All lines are cut in one pass, so that pieces have the same points on both sides of a border. A
/// face narrower than `near_distance`, as two roundings of one line leave, belongs to the neighbour
/// with the longest common border; so does plain ground narrower than `close_distance`.
pub(crate) fn divide(
    polygons: &[LatticePolygon],
    zones: &[Zone],
    (sills, lines): (&[Vec<PlanPoint>], &[Vec<PlanPoint>]),
    frame: &GridFrame,
    config: &PlanConfig,
) -> Vec<(LatticePolygon, AreaId)> {
    let places = places(zones);
    let sills = Shapes::new(sills.iter().map(|sill| ((), Polygon::new(line(sill), Vec::new()))));
    let faces = lattice::slice(polygons, lines);
    let mut labels: Vec<(Label, bool)> =
        faces.iter().map(|face| label(face, &places, &sills, frame)).collect();
    let mut pieces: Vec<Piece> = faces
        .into_iter()
        .map(|polygon| Piece { storey: 0, height: 0.0, polygon, area: AreaId::GROUND })
        .collect();
    join_slivers(&mut pieces, &mut labels, frame, config);
    let mut groups: BTreeMap<Label, Vec<LatticePolygon>> = BTreeMap::new();
    for (piece, (label, _)) in pieces.into_iter().zip(labels) {
        checkpoint();
        groups.entry(label).or_default().push(piece.polygon);
    }
    groups
        .into_iter()
        .flat_map(|(label, faces)| {
            lattice::united(&faces).into_iter().map(move |polygon| (polygon, label.area))
        })
        .collect()
}

/// Polygons, each with a label, in a tree of their boxes.
struct Shapes<T> {
    shapes: Vec<(T, Polygon<f64>)>,
    boxes: BoxTree,
}

impl<T> Shapes<T> {
    /// Polygons without a point are left out.
    fn new(shapes: impl Iterator<Item = (T, Polygon<f64>)>) -> Self {
        let boxed = shapes.filter_map(|(label, polygon)| {
            let bounds = geo::BoundingRect::bounding_rect(&polygon)?;
            Some(((label, polygon), Bounds::in_plan([bounds.min(), bounds.max()], 0.0)))
        });
        let (shapes, boxes): (Vec<_>, Vec<Bounds>) = boxed.unzip();
        Self { boxes: boxes.into_iter().collect(), shapes }
    }

    /// Returns the index of the first polygon that contains a place.
    fn first_at(&self, place: Point) -> Option<usize> {
        let around = self.boxes.overlapping(Bounds::in_plan([place.0], 0.0));
        around.filter(|&index| self.shapes[index].1.contains(&place)).min()
    }
}

/// Polygons of zones, the last zone first.
fn places(zones: &[Zone]) -> Shapes<AreaId> {
    let of_zone = |zone: &Zone| zone.region.0.iter().map(|polygon| (zone.area, polygon.clone())).collect();
    Shapes::new(zones.iter().rev().flat_map::<Vec<_>, _>(of_zone))
}

fn line(points: &[PlanPoint]) -> LineString {
    LineString::from_iter(points.iter().map(|&point| <[f64; 2]>::from(point)))
}

/// The label of a face, and `true` if some zone covers it.
fn label(
    face: &LatticePolygon,
    places: &Shapes<AreaId>,
    sills: &Shapes<()>,
    frame: &GridFrame,
) -> (Label, bool) {
    let mut rings = face.iter().map(|ring| line(ring));
    let outer = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
    let inside = Polygon::new(outer, rings.collect()).interior_point();
    let Some(inside) = inside else { return (Label { sill: None, area: AreaId::GROUND }, false) };
    let sill = sills.first_at(inside);
    let origin = position(frame, PlanPoint::new(0, 0));
    let cell = f64::from(frame.cell_size);
    let zone = places.first_at(Point::new(origin[0] + inside.x() * cell, origin[1] + inside.y() * cell));
    let area = zone.map_or(AreaId::GROUND, |zone| places.shapes[zone].0);
    (Label { sill, area }, zone.is_some())
}

/// Gives faces that are too narrow the area of a neighbour, the smallest faces first.
fn join_slivers(pieces: &mut [Piece], labels: &mut [(Label, bool)], frame: &GridFrame, config: &PlanConfig) {
    let cell = f64::from(frame.cell_size);
    let (near, close) = (config.near_distance / cell, config.close_distance / cell);
    let narrow: Vec<bool> = pieces
        .iter()
        .zip(&*labels)
        .map(|(piece, (_, is_covered))| {
            let width = width(&piece.polygon);
            width < near || !is_covered && width < close
        })
        .collect();
    if !narrow.contains(&true) {
        return;
    }
    let twins = meet(pieces);
    let mut order: Vec<usize> = (0..pieces.len()).filter(|&face| narrow[face]).collect();
    order.sort_by_key(|&face| (doubled_area(&pieces[face].polygon), face));
    for face in order {
        let mut borders: BTreeMap<usize, f64> = BTreeMap::new();
        for (ring, points) in pieces[face].polygon.iter().enumerate() {
            for (index, &from) in points.iter().enumerate() {
                let Some(&(other, ..)) = twins.get(&(face, ring, index)) else { continue };
                if labels[other].0.sill == labels[face].0.sill {
                    *borders.entry(other).or_default() += length(from, points[(index + 1) % points.len()]);
                }
            }
        }
        // The first of several longest ones.
        let longest = borders.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((other, _)) = longest {
            labels[face].0.area = labels[other].0.area;
        }
    }
}

fn length(from: PlanPoint, to: PlanPoint) -> f64 {
    (from.distance_squared(to) as f64).sqrt()
}

/// The mean width of a long face, in cells; half of that of a square.
fn width(face: &LatticePolygon) -> f64 {
    let doubled = doubled_area(face) as f64;
    let perimeter: f64 = face
        .iter()
        .flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)))
        .map(|(&from, &to)| length(from, to))
        .sum();
    doubled / perimeter.max(1.0)
}

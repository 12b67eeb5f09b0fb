//! Ground of several areas: it is divided along the borders of shapes that give areas, and along
//! doors, all at once.

use std::collections::BTreeMap;

use geo::{Contains, LineString, Point, Polygon};
use waymesh_core::{AreaId, Bounds, BoxTree, GridFrame, PlanPoint, checkpoint};

use crate::area::Region;
use crate::assemble::{Piece, meet};
use crate::lattice::{self, LatticePolygon, doubled_area, position};
use crate::{PlanConfig, PlanPosition};

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

/// Label of a face of the ground: the sills that it lies in, and its area.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Label {
    /// In ascending order. Empty outside of doors, which sorts first.
    pub(crate) sills: Vec<usize>,
    pub(crate) area: AreaId,
}

/// Divides ground along `lines`: the borders of zones and the sills of doors. The last zone over a
/// place gives its area. The sills follow, in the order of the doors. Sills are wider than doors:
/// ground in several of them belongs to those whose doors `is_in` finds there, if any.
///
/// All lines are cut in one pass, so that pieces have the same points on both sides of a border. A
/// face narrower than `near_distance`, as two roundings of one line leave, belongs to the neighbour
/// with the longest common border; so does plain ground narrower than `close_distance`.
pub(crate) fn divide(
    polygons: &[LatticePolygon],
    zones: &[Zone],
    (sills, lines): (&[Vec<PlanPoint>], &[Vec<PlanPoint>]),
    is_in: impl Fn(usize, PlanPosition) -> bool,
    frame: &GridFrame,
    config: &PlanConfig,
) -> Vec<(LatticePolygon, Label)> {
    let places = places(zones);
    let sills = Shapes::new(sills.iter().map(|sill| ((), Polygon::new(line(sill), Vec::new()))));
    let faces = lattice::slice(polygons, lines);
    let mut labels: Vec<(Label, bool)> =
        faces.iter().map(|face| label(face, &places, &sills, &is_in, frame)).collect();
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
            lattice::united(&faces).into_iter().map(move |polygon| (polygon, label.clone()))
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

    /// Returns the indices of the polygons that contain a place.
    fn at(&self, place: Point) -> impl Iterator<Item = usize> {
        let around = self.boxes.overlapping(Bounds::in_plan([place.0], 0.0));
        around.filter(move |&index| self.shapes[index].1.contains(&place))
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
    is_in: &impl Fn(usize, PlanPosition) -> bool,
    frame: &GridFrame,
) -> (Label, bool) {
    let Some(inside) = middle(face) else {
        return (Label { sills: Vec::new(), area: AreaId::GROUND }, false);
    };
    let origin = position(frame, PlanPoint::new(0, 0));
    let cell = f64::from(frame.cell_size);
    let place = [origin[0] + inside[0] * cell, origin[1] + inside[1] * cell];
    let mut sills: Vec<usize> = sills.at(inside.into()).collect();
    sills.sort_unstable();
    if sills.len() > 1 {
        let inside: Vec<usize> = sills.iter().copied().filter(|&sill| is_in(sill, place)).collect();
        if !inside.is_empty() {
            sills = inside;
        }
    }
    let zone = places.at(place.into()).min();
    let area = zone.map_or(AreaId::GROUND, |zone| places.shapes[zone].0);
    (Label { sills, area }, zone.is_some())
}

/// Returns a place in a wide part of a face. Rounding leaves spikes on faces, which may lie on the
/// other side of the line that they run along.
fn middle(face: &LatticePolygon) -> Option<[f64; 2]> {
    const ROWS: u8 = 8;
    let edges = || face.iter().flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)));
    // The parts of a line across an axis that lie in the face.
    let spans = |axis: usize, at: f64| {
        let crossed = edges().filter_map(|(&from, &to)| {
            let [a, b] = [from, to].map(<[f64; 2]>::from);
            let share = (at - a[axis]) / (b[axis] - a[axis]);
            ((a[axis] > at) != (b[axis] > at)).then(|| a[1 - axis] + share * (b[1 - axis] - a[1 - axis]))
        });
        let mut crossed: Vec<f64> = crossed.collect();
        crossed.sort_by(f64::total_cmp);
        crossed.chunks_exact(2).map(|span| [span[0], span[1]]).collect::<Vec<_>>()
    };
    let rows = || face.iter().flatten().map(|point| f64::from(point.z));
    let (low, high) = (rows().fold(f64::INFINITY, f64::min), rows().fold(f64::NEG_INFINITY, f64::max));
    let mut best = (0.0, None);
    for row in 0..ROWS {
        let z = low + (high - low) * (f64::from(row) + 0.5) / f64::from(ROWS);
        for [left, right] in spans(1, z) {
            let x = f64::midpoint(left, right);
            let column = spans(0, x).into_iter().find(|[from, to]| (*from..=*to).contains(&z));
            let size = column.map_or(0.0, |[from, to]| (to - from).min(right - left));
            if size > best.0 {
                best = (size, Some([x, z]));
            }
        }
    }
    best.1
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
                if labels[other].0.sills == labels[face].0.sills {
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

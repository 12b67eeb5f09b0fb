//! Shapes, numbers and faults of the polygons.

use glam::{DVec2, DVec3};
use waymesh_core::{float, threads};

use crate::fans::{Fans, corner_angle};
use crate::mesh::{JudgedMesh, MeshIndex};
use crate::oracle::Oracle;
use crate::report::{Evaluation, Shape, Sorted, Violations, share};
use crate::scene::{cross, plan};
use crate::walk::closest_on_segment;

/// A polygon with a smaller angle is a sliver. Degrees.
const SLIVER_ANGLE: f64 = 10.0;

/// A vertex this close to an edge, in metres, lies inside it: twice the distance at which vertices
/// count as one.
const ON_EDGE: f64 = 2e-3;

pub(crate) fn judge_shape(oracle: &Oracle, mesh: &JudgedMesh, fans: &Fans, evaluation: &mut Evaluation) {
    let polygons = mesh.polygons.len();
    let narrow = |polygon: usize| {
        let outline = mesh.outline(polygon);
        let angle = (0..outline.len())
            .map(|corner| corner_angle(mesh, polygon, corner).to_degrees())
            .fold(f64::INFINITY, f64::min);
        (area(&outline), width(&outline), angle)
    };
    let figures: Vec<(f64, f64, f64)> = (0..polygons).map(narrow).collect();
    let areas = Sorted::new(figures.iter().map(|figures| figures.0));
    let widths = Sorted::new(figures.iter().map(|figures| -figures.1));
    let angles = Sorted::new(figures.iter().map(|figures| -figures.2));
    let is_sliver = |&&(_, width, angle): &&(f64, f64, f64)| width < oracle.cell() || angle < SLIVER_ANGLE;
    let sliver_count = figures.iter().filter(is_sliver).count();
    let with_neighbour: usize = mesh.neighbours.iter().map(|beside| beside.iter().flatten().count()).sum();
    let mut used: Vec<usize> =
        mesh.polygons.iter().flatten().map(|&vertex| fans.places[vertex as usize]).collect();
    used.sort_unstable();
    used.dedup();
    let mut on_border: Vec<usize> = fans
        .fans
        .iter()
        .filter(|fan| fan.is_on_border)
        .map(|fan| fans.places[mesh.polygons[fan.corner.0][fan.corner.1] as usize])
        .collect();
    on_border.sort_unstable();
    on_border.dedup();
    evaluation.polygons = polygons;
    evaluation.portals = with_neighbour.div_ceil(2);
    evaluation.vertices = used.len();
    evaluation.vertices_off_border = used.len() - on_border.len();
    evaluation.polygons_lower_bound = fans.polygons_lower_bound(mesh);
    evaluation.slivers = share(sliver_count as f64, polygons);
    evaluation.min_angle = angles.max().map(|angle| -angle);
    evaluation.shape = Shape {
        area: figures.iter().map(|figures| figures.0).sum(),
        largest_polygon: areas.max(),
        mean_polygon: areas.mean(),
        min_width: widths.max().map(|width| -width),
        mean_degree: share(with_neighbour as f64, polygons),
        polygons_per_lower_bound: share(polygons as f64, evaluation.polygons_lower_bound),
    };
}

pub(crate) fn judge_validity(
    oracle: &Oracle,
    mesh: &JudgedMesh,
    index: &MeshIndex<'_>,
    fans: &Fans,
    evaluation: &mut Evaluation,
) {
    let level = f64::from(oracle.config.level_height);
    let polygons = 0..mesh.polygons.len();
    let sum = |of: &(dyn Fn(usize) -> usize + Sync)| threads::map(polygons.clone(), of).into_iter().sum();
    evaluation.t_junctions = sum(&|polygon| t_junctions(mesh, index, fans, polygon, level));
    let headroom = f64::from(oracle.agent.height) / 2.0;
    let mut kinds = Violations {
        overlaps: sum(&|polygon| overlaps(mesh, index, polygon, headroom)),
        non_convex: polygons.clone().filter(|&polygon| !is_convex(&mesh.outline(polygon))).count(),
        ..Violations::default()
    };
    for polygon in polygons {
        for (edge, other) in mesh.neighbours[polygon].iter().enumerate() {
            let Some(other) = other.map(|other| other as usize) else { continue };
            let knows = mesh.neighbours[other].iter().flatten().any(|&back| back as usize == polygon);
            if !knows || other == polygon {
                kinds.asymmetric += 1;
            } else if fans.matching(polygon, edge).is_none() || gapes(mesh, polygon, edge, other, level / 2.0)
            {
                kinds.cracks += 1;
            }
        }
    }
    evaluation.violations = kinds.total();
    evaluation.violation_kinds = kinds;
}

/// `true` if the heights of two neighbours differ along their edge.
fn gapes(mesh: &JudgedMesh, polygon: usize, edge: usize, other: usize, tolerance: f64) -> bool {
    let (a, b) = (plan(mesh.corner(polygon, edge)), plan(mesh.corner(polygon, edge + 1)));
    [0.01, 0.25, 0.5, 0.75, 0.99].into_iter().any(|share| {
        let at = a.lerp(b, share);
        (mesh.height_in_polygon(polygon, at) - mesh.height_in_polygon(other, at)).abs() > tolerance
    })
}

pub(crate) fn area(outline: &[DVec2]) -> f64 {
    let Some(&base) = outline.first() else { return 0.0 };
    outline.windows(2).map(|pair| cross(base, pair[0], pair[1])).sum::<f64>() / 2.0
}

/// Smallest distance between two parallel lines around a convex outline. One of them lies along an
/// edge.
fn width(outline: &[DVec2]) -> f64 {
    let edges = (0..outline.len()).map(|edge| (outline[edge], outline[(edge + 1) % outline.len()]));
    edges
        .filter_map(|(a, b)| {
            let along = (b - a).try_normalize()?;
            Some(outline.iter().map(|&corner| along.perp_dot(corner - a).abs()).fold(0.0, f64::max))
        })
        .fold(f64::INFINITY, f64::min)
        .min(f64::MAX)
}

/// `true` if an outline is convex, with a tolerance for rounding to single precision.
fn is_convex(outline: &[DVec2]) -> bool {
    let count = outline.len();
    let extent = outline.iter().fold(0.0, |extent: f64, corner| extent.max(corner.abs().max_element()));
    let slack = extent * f64::from(f32::EPSILON) * 4.0 + 1e-6;
    let mut turned = 0.0;
    for corner in 0..count {
        let [a, b, c] = [0, 1, 2].map(|step| outline[(corner + step) % count]);
        let (first, second) = (b - a, c - b);
        let turn = first.perp_dot(second);
        if turn < -slack * (first.length() + second.length()) || (first.dot(second) < 0.0 && turn < 0.0) {
            return false;
        }
        turned += float::atan2(turn, first.dot(second));
    }
    area(outline) > 0.0 && (turned - std::f64::consts::TAU).abs() < 1.0
}

/// Number of vertices of other polygons that lie inside an edge of a polygon. Each place counts
/// once for each edge.
fn t_junctions(mesh: &JudgedMesh, index: &MeshIndex<'_>, fans: &Fans, polygon: usize, level: f64) -> usize {
    let mut count = 0;
    for (a, b, _) in mesh.edges(polygon) {
        let slack = DVec3::new(ON_EDGE, level, ON_EDGE);
        let mut found = Vec::new();
        index.polygons_in(a.min(b) - slack, a.max(b) + slack, |other| {
            if other != polygon {
                found.push(other);
            }
        });
        found.sort_unstable();
        found.dedup();
        let length = plan(b - a).length();
        let inside = |vertex: u32| {
            let at = mesh.vertices[vertex as usize];
            let nearest = closest_on_segment(plan(a), plan(b), plan(at));
            let along = nearest.distance(plan(a));
            let height = a.y + (b.y - a.y) * along / length.max(f64::MIN_POSITIVE);
            let is_inside = along > ON_EDGE && along < length - ON_EDGE;
            is_inside && nearest.distance(plan(at)) < ON_EDGE && (height - at.y).abs() < level
        };
        let own =
            |place: usize| mesh.polygons[polygon].iter().any(|&vertex| fans.places[vertex as usize] == place);
        let mut places: Vec<usize> = found
            .iter()
            .flat_map(|&other| mesh.polygons[other].iter().copied())
            .filter(|&vertex| inside(vertex))
            .map(|vertex| fans.places[vertex as usize])
            .filter(|&place| !own(place))
            .collect();
        places.sort_unstable();
        places.dedup();
        count += places.len();
    }
    count
}

/// Number of polygons after this one that cover the same ground.
fn overlaps(mesh: &JudgedMesh, index: &MeshIndex<'_>, polygon: usize, headroom: f64) -> usize {
    let outline = mesh.outline(polygon);
    let corners = || mesh.ground[mesh.ground_first[polygon]..mesh.ground_first[polygon + 1]].iter().flatten();
    let low = corners().fold(DVec3::INFINITY, |low, corner| low.min(*corner));
    let high = corners().fold(DVec3::NEG_INFINITY, |high, corner| high.max(*corner));
    if !low.is_finite() {
        return 0;
    }
    let mut found = Vec::new();
    index.polygons_in(low - DVec3::Y * headroom, high + DVec3::Y * headroom, |other| {
        if other > polygon {
            found.push(other);
        }
    });
    found.sort_unstable();
    found.dedup();
    let covers = |&&other: &&usize| {
        let common = clip(&outline, &mesh.outline(other));
        // Along a shared edge, rounding leaves a very thin strip.
        if area(&common) < 1e-3 * perimeter(&common) + 1e-6 {
            return false;
        }
        let middle = common.iter().sum::<DVec2>() / common.len() as f64;
        (mesh.height_in_polygon(polygon, middle) - mesh.height_in_polygon(other, middle)).abs() < headroom
    };
    found.iter().filter(covers).count()
}

fn perimeter(outline: &[DVec2]) -> f64 {
    (0..outline.len()).map(|edge| outline[edge].distance(outline[(edge + 1) % outline.len()])).sum()
}

/// The intersection of two convex outlines: Sutherland and Hodgman 1974,
/// <https://doi.org/10.1145/360767.360802>.
fn clip(subject: &[DVec2], window: &[DVec2]) -> Vec<DVec2> {
    let mut result = subject.to_vec();
    for edge in 0..window.len() {
        let (a, b) = (window[edge], window[(edge + 1) % window.len()]);
        let mut kept = Vec::with_capacity(result.len() + 1);
        for corner in 0..result.len() {
            let (p, q) = (result[corner], result[(corner + 1) % result.len()]);
            let (from, to) = (cross(a, b, p), cross(a, b, q));
            if from >= 0.0 {
                kept.push(p);
            }
            if (from < 0.0) != (to < 0.0) {
                kept.push(p.lerp(q, from / (from - to)));
            }
        }
        result = kept;
    }
    result
}

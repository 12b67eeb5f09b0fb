//! Selection of the ground to keep.

use glam::Vec3;
use waymesh_core::{DisjointSets, HeightSurface, PolyId, PolyMesh, float, to_u32};
use waymesh_graph::Link;

use super::config::{BakeConfig, Keep};
use super::error::BakeError;

/// Islands that were left out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Islands {
    pub(super) islands: u64,
    /// In square metres.
    pub(super) area: f64,
}

/// Ground that was left out, by reason.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    pub(super) small: Islands,
    pub(super) unreachable: Islands,
}

/// Marks the polygons to keep: none of islands below `min_island` square metres, and only those
/// that `keep` selects.
///
/// # Errors
/// [`BakeError::SeedOffGround`] for the first place of [`Keep::ConnectedTo`] without ground.
pub(super) fn kept_islands(
    (polygons, surface): (&PolyMesh, Option<&HeightSurface>),
    links: &[Link],
    config: &BakeConfig,
    keep: &Keep,
    min_island: f32,
) -> Result<(Vec<bool>, LeftOut), BakeError> {
    let mut left_out = LeftOut::default();
    let (islands, count) = islands(polygons, links);
    let cell_area = polygons.frame.cell_area();
    let mut doubled = vec![0_i128; count];
    for (polygon, &island) in islands.iter().enumerate() {
        doubled[island] += polygons.doubled_area(PolyId::from_index(polygon));
    }
    let area = |island: usize| doubled[island] as f64 / 2.0 * cell_area;
    let mut is_wanted = vec![*keep == Keep::All; count];
    match keep {
        Keep::All => {}
        Keep::Largest => {
            let largest = (0..count).max_by_key(|&island| (doubled[island], std::cmp::Reverse(island)));
            largest.into_iter().for_each(|largest| is_wanted[largest] = true);
        }
        Keep::LargerThan(least) => {
            is_wanted = (0..count).map(|island| area(island) >= f64::from(*least)).collect();
        }
        Keep::ConnectedTo(seeds) => {
            for (seed, &position) in seeds.iter().enumerate() {
                let off = BakeError::SeedOffGround { seed, position: position.to_array() };
                is_wanted[islands[nearest((polygons, surface), position, config).ok_or(off)?]] = true;
            }
        }
    }
    let is_kept = |island: usize| {
        let area = area(island);
        let is_small = area < f64::from(min_island);
        if is_small || !is_wanted[island] {
            let why = if is_small { &mut left_out.small } else { &mut left_out.unreachable };
            why.islands += 1;
            why.area += area;
        }
        is_wanted[island] && !is_small
    };
    let is_kept: Vec<bool> = (0..count).map(is_kept).collect();
    Ok((islands.into_iter().map(|island| is_kept[island]).collect(), left_out))
}

/// The island of each polygon, and their number; numbered by their first polygon.
pub(super) fn islands(polygons: &PolyMesh, links: &[Link]) -> (Vec<usize>, usize) {
    let mut sets = DisjointSets::new(polygons.polygons.len());
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        for neighbour in polygons.neighbours(id).iter().flatten() {
            sets.unite(id.0, neighbour.0);
        }
    }
    for link in links {
        sets.unite(link.from.polygon.0, link.to.polygon.0);
    }
    let mut names = vec![None; polygons.polygons.len()];
    let mut count = 0;
    let islands = (0..to_u32(polygons.polygons.len()))
        .map(|polygon| {
            *names[sets.find(polygon) as usize].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        })
        .collect();
    (islands, count)
}

/// The polygon nearest to a position, if it is near enough.
pub(super) fn nearest(
    (polygons, surface): (&PolyMesh, Option<&HeightSurface>),
    position: Vec3,
    config: &BakeConfig,
) -> Option<usize> {
    let frame = &polygons.frame;
    let [x, y, z] = frame.to_grid(position);
    let metres = f64::from(frame.cell_size);
    let farthest = f64::from(config.agent.radius + 2.0 * config.scale.cell_size);
    let highest = f64::from(config.agent.max_step + config.agent.radius);
    (0..polygons.polygons.len())
        .filter_map(|polygon| {
            let id = PolyId::from_index(polygon);
            let (distance, at) = closest(polygons, id, [x, z]);
            let across = distance * metres;
            if across > farthest {
                return None;
            }
            let ground = surface.and_then(|surface| ground_at(surface, id, at));
            let [low, high] = ground.map_or_else(|| corner_heights(polygons, id), |height| [height; 2]);
            let up = (low - y).max(y - high).max(0.0) * f64::from(frame.level_height);
            (up <= highest).then_some((across * across + up * up, polygon))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(_, polygon)| polygon)
}

/// Returns the heights of the lowest and the highest corner of a polygon, in levels.
fn corner_heights(polygons: &PolyMesh, polygon: PolyId) -> [f64; 2] {
    let corners = polygons.corners(polygon).iter();
    let heights = corners.map(|vertex| f64::from(polygons.vertices[vertex.index()].height));
    heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
}

/// Returns the height of the ground at a point of a polygon, in levels: in the triangle that the
/// point is least outside of.
fn ground_at(surface: &HeightSurface, polygon: PolyId, [x, z]: [f64; 2]) -> Option<f64> {
    let heights = surface.triangles_of(polygon).iter().map(|corners| {
        let [a, b, c] = corners.map(|corner| {
            let point = surface.points[corner as usize];
            [point.x, point.z, point.height].map(f64::from)
        });
        let side = |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (z - p[1]) - (q[1] - p[1]) * (x - p[0]);
        let shares = [side(b, c), side(c, a), side(a, b)];
        let all: f64 = shares.iter().sum();
        let height = (shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2]) / all;
        (shares.into_iter().fold(f64::INFINITY, f64::min) / all, height)
    });
    heights.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, height)| height)
}

/// Returns the distance of a place from a polygon in plan, in cells, and the nearest point of the
/// polygon; inside it is the place itself.
pub(crate) fn closest(polygons: &PolyMesh, polygon: PolyId, place: [f64; 2]) -> (f64, [f64; 2]) {
    let corners = polygons.corners(polygon);
    let mut best = (f64::INFINITY, place);
    let mut is_inside = true;
    for (index, &vertex) in corners.iter().enumerate() {
        let next = corners[(index + 1) % corners.len()];
        let [a, b] = [vertex, next].map(|vertex| <[f64; 2]>::from(polygons.point(vertex)));
        let edge = [b[0] - a[0], b[1] - a[1]];
        let from = [place[0] - a[0], place[1] - a[1]];
        is_inside &= edge[0] * from[1] - edge[1] * from[0] >= 0.0;
        let along = (from[0] * edge[0] + from[1] * edge[1]) / (edge[0] * edge[0] + edge[1] * edge[1]);
        let at = [a[0] + edge[0] * along.clamp(0.0, 1.0), a[1] + edge[1] * along.clamp(0.0, 1.0)];
        let distance = float::hypot(place[0] - at[0], place[1] - at[1]);
        if distance < best.0 {
            best = (distance, at);
        }
    }
    if is_inside { (0.0, place) } else { best }
}

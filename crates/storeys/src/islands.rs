//! What is kept of the finished polygons: those that seeds reach, or the largest island.

use glam::Vec3;
use waymesh_core::{PlanPoint, PolyId, PolyMesh};

use crate::StoreysError;
use crate::config::{Keep, StoreysConfig};

/// Keeps the polygons that the configuration asks for: all that are connected to the polygon
/// nearest to a seed, or the island of the largest area (of several, that with the first polygon),
/// or all. Tells how many islands were left out and their area in square metres.
///
/// # Guarantees
/// The polygons kept stay in order and keep their regions, corners and neighbours; vertices stay as
/// they are.
///
/// # Errors
/// [`StoreysError::SeedOffGround`] for the first seed farther in plan than the agent's radius and
/// two cells from any polygon, or more than a step and the agent's radius above or below it: a seed
/// may stand closer to a wall than the agent's centre could.
pub fn keep_islands(polygons: &mut PolyMesh, config: &StoreysConfig) -> Result<(u64, f64), StoreysError> {
    if config.seeds.is_empty() && config.keep == Keep::All {
        return Ok((0, 0.0));
    }
    let (islands, count) = islands(polygons);
    let mut areas = vec![0_i128; count];
    for (polygon, &island) in islands.iter().enumerate() {
        areas[island] += polygons.doubled_area(PolyId::from_index(polygon));
    }
    let mut keep = vec![false; count];
    if config.seeds.is_empty() {
        if let Some(largest) = (0..count).max_by_key(|&island| (areas[island], std::cmp::Reverse(island))) {
            keep[largest] = true;
        }
    } else {
        for (seed, &position) in config.seeds.iter().enumerate() {
            let off = StoreysError::SeedOffGround { seed, position: position.to_array() };
            keep[islands[nearest(polygons, position, config).ok_or(off)?]] = true;
        }
    }
    let dropped = (0..count).filter(|&island| !keep[island]);
    let (mut number, mut doubled) = (0, 0_i128);
    for island in dropped {
        number += 1;
        doubled += areas[island];
    }
    retain(polygons, |polygon| keep[islands[polygon]]);
    #[expect(clippy::cast_precision_loss, reason = "an area for people")]
    let area = doubled as f64 / 2.0 * polygons.frame.cell_area();
    Ok((number, area))
}

/// The island of each polygon, and their number.
fn islands(polygons: &PolyMesh) -> (Vec<usize>, usize) {
    let mut islands = vec![usize::MAX; polygons.polygons.len()];
    let (mut count, mut stack) = (0, Vec::new());
    for first in 0..islands.len() {
        if islands[first] != usize::MAX {
            continue;
        }
        islands[first] = count;
        stack.push(first);
        while let Some(polygon) = stack.pop() {
            for neighbour in polygons.neighbours(PolyId::from_index(polygon)).iter().flatten() {
                if islands[neighbour.index()] == usize::MAX {
                    islands[neighbour.index()] = count;
                    stack.push(neighbour.index());
                }
            }
        }
        count += 1;
    }
    (islands, count)
}

/// The polygon nearest to a position, if it is near enough.
fn nearest(polygons: &PolyMesh, position: Vec3, config: &StoreysConfig) -> Option<usize> {
    let frame = &polygons.frame;
    let [x, y, z] = frame.to_grid(position);
    let metres = f64::from(frame.cell_size);
    let farthest = f64::from(config.agent.radius + 2.0 * config.scale.cell_size);
    let highest = f64::from(config.agent.max_step + config.agent.radius);
    (0..polygons.polygons.len())
        .filter_map(|polygon| {
            let corners = polygons.corners(PolyId::from_index(polygon));
            let heights = corners.iter().map(|vertex| f64::from(polygons.vertices[vertex.index()].height));
            let (low, high) =
                heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
            let up = (low - y).max(y - high).max(0.0) * f64::from(frame.level_height);
            let across = distance(polygons, PolyId::from_index(polygon), [x, z]) * metres;
            (up <= highest && across <= farthest).then_some((across * across + up * up, polygon))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(_, polygon)| polygon)
}

/// Distance from a polygon in plan; 0 inside.
fn distance(polygons: &PolyMesh, polygon: PolyId, [x, z]: [f64; 2]) -> f64 {
    let corners = polygons.corners(polygon);
    let (mut inside, mut best) = (true, f64::INFINITY);
    for (index, &from) in corners.iter().enumerate() {
        let [a, b]: [PlanPoint; 2] =
            [from, corners[(index + 1) % corners.len()]].map(|vertex| polygons.point(vertex));
        let (dx, dz) = (f64::from(b.x) - f64::from(a.x), f64::from(b.z) - f64::from(a.z));
        let (px, pz) = (x - f64::from(a.x), z - f64::from(a.z));
        inside &= dx * pz - dz * px >= 0.0;
        let along = ((px * dx + pz * dz) / (dx * dx + dz * dz)).clamp(0.0, 1.0);
        best = best.min((px - along * dx).hypot(pz - along * dz));
    }
    if inside { 0.0 } else { best }
}

fn retain(polygons: &mut PolyMesh, keep: impl Fn(usize) -> bool) {
    let mut numbers = vec![None; polygons.polygons.len()];
    let mut kept = 0;
    for (polygon, number) in numbers.iter_mut().enumerate() {
        if keep(polygon) {
            *number = Some(PolyId::from_index(kept));
            kept += 1;
        }
    }
    let (mut corners, mut neighbours, mut out) = (Vec::new(), Vec::new(), Vec::with_capacity(kept));
    for (polygon, number) in numbers.iter().enumerate() {
        if number.is_none() {
            continue;
        }
        let id = PolyId::from_index(polygon);
        let first = u32::try_from(corners.len()).unwrap_or(u32::MAX);
        corners.extend_from_slice(polygons.corners(id));
        // An island has no neighbour outside.
        neighbours.extend(
            polygons.neighbours(id).iter().map(|beyond| beyond.and_then(|beyond| numbers[beyond.index()])),
        );
        out.push(waymesh_core::Poly { first, ..polygons.polygons[polygon] });
    }
    (polygons.corners, polygons.neighbours, polygons.polygons) = (corners, neighbours, out);
}

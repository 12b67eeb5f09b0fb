//! Slow and simple reference results.

#![allow(unreachable_pub, reason = "test helpers")]

use waymesh_core::{ContourSet, PlanPoint, Validate};
use waymesh_floorplan::{FloorPlan, Ground, PlanBase, PlanConfig, PlanPosition, Shape};

pub type Ring = Vec<PlanPosition>;

/// One storey of plain polygons.
pub fn plan(walkable: &[Ring], blocked: &[Ring]) -> FloorPlan {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    let shapes = |rings: &[Ring], word: &str| -> Vec<Shape> {
        let shape = |(index, ring): (usize, &Ring)| Shape::polygon(format!("{word} {index}"), ring.clone());
        rings.iter().enumerate().map(shape).collect()
    };
    storey.walkable = shapes(walkable, "walkable");
    storey.blocked = shapes(blocked, "blocked");
    plan
}

/// The ground of a plan, checked.
pub fn ground(plan: &FloorPlan, config: &PlanConfig) -> (Ground, PlanBase) {
    let base = PlanBase::new(plan, config).expect("a plan");
    let ground = base.ground().expect("ground");
    ground.contours.validate().expect("sound contours");
    (ground, base)
}

/// Area in square metres.
pub fn area(contours: &ContourSet) -> f64 {
    let polygons = contours.polygons();
    polygons.polygons.iter().map(|polygon| polygons.polygon_area(polygon)).sum::<f64>()
        * contours.frame.cell_area()
}

/// All rings of the contours, in metres.
pub fn rings(contours: &ContourSet) -> Vec<Ring> {
    let polygons = contours.polygons();
    let frame = &contours.frame;
    let metres = |point: PlanPoint| {
        [
            f64::from(frame.origin.x) + f64::from(point.x) * f64::from(frame.cell_size),
            f64::from(frame.origin.z) + f64::from(point.z) * f64::from(frame.cell_size),
        ]
    };
    polygons
        .polygons
        .iter()
        .flat_map(|polygon| polygon.loops())
        .map(|one| one.vertices.iter().map(|&vertex| metres(polygons.point(vertex))).collect())
        .collect()
}

/// Winding number of rings around a point.
pub fn winding(rings: &[Ring], p: PlanPosition) -> i32 {
    let mut sum = 0;
    for ring in rings {
        for (index, &a) in ring.iter().enumerate() {
            let b = ring[(index + 1) % ring.len()];
            let side = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            if a[1] <= p[1] && b[1] > p[1] && side > 0.0 {
                sum += 1;
            } else if a[1] > p[1] && b[1] <= p[1] && side < 0.0 {
                sum -= 1;
            }
        }
    }
    sum
}

/// `true` if any ring winds around a point.
pub fn in_any(rings: &[Ring], p: PlanPosition) -> bool {
    rings.iter().any(|ring| winding(std::slice::from_ref(ring), p) != 0)
}

/// Distance of a point from the nearest edge of a ring.
pub fn edge_distance(ring: &Ring, p: PlanPosition) -> f64 {
    (0..ring.len())
        .map(|index| {
            let (a, b) = (ring[index], ring[(index + 1) % ring.len()]);
            let way = [b[0] - a[0], b[1] - a[1]];
            let from = [p[0] - a[0], p[1] - a[1]];
            let square = way[0] * way[0] + way[1] * way[1];
            let t = if square > 0.0 {
                ((from[0] * way[0] + from[1] * way[1]) / square).clamp(0.0, 1.0)
            } else {
                0.0
            };
            (from[0] - way[0] * t).hypot(from[1] - way[1] * t)
        })
        .fold(f64::INFINITY, f64::min)
}

/// Distance of a point from the inside of a ring, 0 inside.
pub fn distance(ring: &Ring, p: PlanPosition) -> f64 {
    if winding(std::slice::from_ref(ring), p) != 0 { 0.0 } else { edge_distance(ring, p) }
}

/// Area of what lies in some walkable ring and in no blocked one, by scan lines.
pub fn scanned_area(walkable: &[Ring], blocked: &[Ring], low: f64, high: f64, lines: u32) -> f64 {
    let step = (high - low) / f64::from(lines);
    let covered = |rings: &[Ring], z: f64| -> Vec<[f64; 2]> {
        let mut spans = Vec::new();
        for ring in rings {
            let mut crossings: Vec<(f64, i32)> = Vec::new();
            for (index, &a) in ring.iter().enumerate() {
                let b = ring[(index + 1) % ring.len()];
                if (a[1] <= z) != (b[1] <= z) {
                    let x = a[0] + (z - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                    crossings.push((x, if a[1] <= z { 1 } else { -1 }));
                }
            }
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut wound = 0;
            for pair in crossings.windows(2) {
                wound += pair[0].1;
                if wound != 0 {
                    spans.push([pair[0].0, pair[1].0]);
                }
            }
        }
        spans
    };
    let united = |mut spans: Vec<[f64; 2]>| -> Vec<[f64; 2]> {
        spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut out: Vec<[f64; 2]> = Vec::new();
        for span in spans {
            match out.last_mut() {
                Some(last) if span[0] <= last[1] => last[1] = last[1].max(span[1]),
                _ => out.push(span),
            }
        }
        out
    };
    let mut sum = 0.0;
    for line in 0..lines {
        let z = low + (f64::from(line) + 0.5) * step;
        let (free, stops) = (united(covered(walkable, z)), united(covered(blocked, z)));
        for span in &free {
            let taken: f64 =
                stops.iter().map(|stop| (stop[1].min(span[1]) - stop[0].max(span[0])).max(0.0)).sum();
            sum += (span[1] - span[0] - taken) * step;
        }
    }
    sum
}

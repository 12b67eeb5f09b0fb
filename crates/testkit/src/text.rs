//! Text for snapshots, and damaged text. That for snapshots depends on the shape, but not on the
//! numbering of its parts. Lengths are whole millimetres.

use std::fmt::Write;

use waymesh_core::{
    ContourSet, GridFrame, Heightfield, PlanVertex, PolyId, PolyMesh, Random, RegionMap, WalkableField,
    saturating_i64, to_u32,
};

/// A text with one to four faults: cut, a character replaced or added, some removed. Digits and
/// brackets are added, for a reader that counts or nests.
#[must_use]
pub fn damaged(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(to_u32(bytes.len()).max(1)) as usize;
        match random.below(4) {
            _ if bytes.is_empty() => {}
            0 => bytes.truncate(at),
            1 => bytes[at] = u8::try_from(random.below(128)).unwrap_or_default(),
            2 => bytes.insert(at, b"0-9e.[(<"[random.below(8) as usize]),
            _ => drop(bytes.drain(at..(at + random.below(9) as usize).min(bytes.len()))),
        }
    }
    bytes
}

/// Writes one letter per column: its number of solid spans, `.` for none, `+` for more than nine.
#[must_use]
pub fn heightfield(heightfield: &Heightfield) -> String {
    grid(&heightfield.frame, |x, z| count(heightfield.column(x, z).len()))
}

/// Writes one letter per column: its number of walkable spans, `.` for none, `+` for more than
/// nine.
#[must_use]
pub fn field(field: &WalkableField) -> String {
    grid(&field.frame, |x, z| count(field.column(x, z).filter(|&span| field.is_walkable(span)).count()))
}

/// Writes one letter per column: the region of its topmost walkable span, `.` for none. Letters
/// repeat after 52 regions.
#[must_use]
pub fn regions(field: &WalkableField, regions: &RegionMap) -> String {
    const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    grid(&field.frame, |x, z| {
        let top = field.column(x, z).rev().find_map(|span| regions.region(span));
        top.map_or('.', |region| char::from(LETTERS[region.index() % LETTERS.len()]))
    })
}

fn count(spans: usize) -> char {
    match spans {
        0 => '.',
        1..=9 => char::from_digit(u32::try_from(spans).unwrap_or(0), 10).unwrap_or('+'),
        _ => '+',
    }
}

fn grid(frame: &GridFrame, letter: impl Fn(u32, u32) -> char) -> String {
    let mut text = String::new();
    for z in 0..frame.depth {
        let line: String = (0..frame.width).map(|x| letter(x, z)).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Writes the border loops, one per line, each from its lowest point on. Lines are sorted.
#[must_use]
pub fn contours(contours: &ContourSet) -> String {
    let polygons = contours.polygons();
    let mut lines = Vec::new();
    for polygon in &polygons.polygons {
        for (index, polygon_loop) in polygon.loops().enumerate() {
            let points = polygon_loop
                .vertices
                .iter()
                .map(|vertex| millimetres(&polygons.frame, polygons.vertices[vertex.index()]));
            lines.push(format!("{} {}", if index == 0 { "outer" } else { "hole" }, ring(points.collect())));
        }
    }
    sorted(lines)
}

/// Writes the polygons, one per line, each from its lowest corner on. Lines are sorted. Then writes
/// the number of portals between them.
#[must_use]
pub fn polygons(mesh: &PolyMesh) -> String {
    let lines = (0..mesh.polygons.len()).map(|polygon| {
        let corners = mesh.corners(PolyId::from_index(polygon)).iter();
        ring(corners.map(|vertex| millimetres(&mesh.frame, mesh.vertices[vertex.index()])).collect())
    });
    let mut text = sorted(lines.collect());
    let _ = writeln!(text, "{} polygons, {} portals", mesh.polygons.len(), mesh.portal_count());
    text
}

fn millimetres(frame: &GridFrame, vertex: PlanVertex) -> [i64; 3] {
    let world =
        frame.to_world(f64::from(vertex.point.x), f64::from(vertex.height), f64::from(vertex.point.z));
    world.to_array().map(|metres| saturating_i64((f64::from(metres) * 1000.0).round()))
}

fn ring(mut points: Vec<[i64; 3]>) -> String {
    if let Some(lowest) = (0..points.len()).min_by_key(|&index| points[index]) {
        points.rotate_left(lowest);
    }
    points.iter().map(|[x, y, z]| format!("{x},{y},{z}")).collect::<Vec<_>>().join(" ")
}

fn sorted(mut lines: Vec<String>) -> String {
    lines.sort();
    lines.join("\n") + "\n"
}

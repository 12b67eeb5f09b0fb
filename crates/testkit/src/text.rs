//! Text for snapshots, and damaged text. That for snapshots depends on the shape, but not on the
//! numbering of its parts. Lengths are whole millimetres.

use std::fmt::Write;

use glam::Vec3;
use waymesh_core::{
    ContourSet, GridFrame, HeightSurface, Heightfield, PlanVertex, PolyId, PolyMesh, PolygonSet, Random,
    RegionMap, SurfacePoint, Triangulation, WalkableField, saturating_i64, to_u32,
};

/// Compares a text with `testdata/snapshots/NAME.snap`. For tests of crates in `crates`,
/// whose name begins with `snapshot`: `cargo xtask bless` runs those.
#[macro_export]
macro_rules! snapshot {
    ($name:expr, $text:expr) => {{
        let mut settings = $crate::insta::Settings::clone_current();
        settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| $crate::insta::assert_snapshot!($name, $text));
    }};
}

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
    top(field, |span| regions.region(span).map(|region| letter(region.0)))
}

/// Writes one letter per column: the level of its topmost walkable span, in base 36, `.` for none.
#[must_use]
pub fn levels(field: &WalkableField) -> String {
    top(field, |span| {
        let level = u32::try_from(field.floor[span as usize]).ok()?;
        field.is_walkable(span).then(|| char::from_digit(level % 36, 36)).flatten()
    })
}

/// Writes one letter per column: the distance of its topmost walkable span in whole cells of
/// `unit`, in base 36, `.` for none.
#[must_use]
pub fn distances(field: &WalkableField, distances: &[u16], unit: u16) -> String {
    top(field, |span| {
        let cells = u32::from(distances[span as usize] / unit);
        field.is_walkable(span).then(|| char::from_digit(cells % 36, 36)).flatten()
    })
}

/// Writes one letter per column: that of the topmost span that has one, `.` for none.
fn top(field: &WalkableField, of: impl Fn(u32) -> Option<char>) -> String {
    grid(&field.frame, |x, z| field.column(x, z).rev().find_map(&of).unwrap_or('.'))
}

/// Returns the letter of a number. Letters repeat after 52.
#[must_use]
pub fn letter(number: u32) -> char {
    const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char::from(LETTERS[number as usize % LETTERS.len()])
}

/// Returns the letter of a number of spans: `.` for none, `+` for more than nine.
#[must_use]
pub fn count(spans: usize) -> char {
    match spans {
        0 => '.',
        1..=9 => char::from_digit(u32::try_from(spans).unwrap_or(0), 10).unwrap_or('+'),
        _ => '+',
    }
}

fn grid(frame: &GridFrame, letter: impl Fn(u32, u32) -> char) -> String {
    map([frame.width, frame.depth], letter)
}

/// Writes one letter per column, a line per row.
#[must_use]
pub fn map([width, depth]: [u32; 2], letter: impl Fn(u32, u32) -> char) -> String {
    let mut text = String::new();
    for z in 0..depth {
        let line: String = (0..width).map(|x| letter(x, z)).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Writes the border loops, one per line, each from its lowest point on. Lines are sorted.
#[must_use]
pub fn contours(contours: &ContourSet) -> String {
    outlines(&contours.polygons())
}

/// Writes the loops of polygons with holes like [`contours`].
#[must_use]
pub fn outlines(set: &PolygonSet) -> String {
    let mut lines = Vec::new();
    for polygon in &set.polygons {
        for (index, polygon_loop) in polygon.loops().enumerate() {
            let vertices = polygon_loop.vertices.iter().map(|vertex| set.vertices[vertex.index()]);
            let points = vertices.map(|vertex| millimetres(&set.frame, vertex)).collect();
            lines.push(format!("{} {}", if index == 0 { "outer" } else { "hole" }, ring(points)));
        }
    }
    sorted(lines)
}

/// Writes the triangles, one per line, each from its lowest corner on. Lines are sorted. Then
/// writes the number of edges between triangles.
#[must_use]
pub fn triangles(triangles: &Triangulation) -> String {
    let lines = triangles.triangles.iter().map(|triangle| {
        let corners = triangle.vertices.map(|vertex| triangles.vertices[vertex.index()]);
        ring(corners.map(|corner| millimetres(&triangles.frame, corner)).to_vec())
    });
    let mut text = sorted(lines.collect());
    let edges = triangles.triangles.iter().flat_map(|triangle| triangle.neighbours).flatten().count() / 2;
    let _ = writeln!(text, "{} triangles, {edges} inner edges", triangles.triangles.len());
    text
}

/// Writes the triangles of fitted heights like [`triangles`].
#[must_use]
pub fn heights(frame: &GridFrame, surface: &HeightSurface) -> String {
    let lines = surface.triangles.iter().map(|triangle| {
        let corners = triangle.map(|point| surface.points[point as usize]);
        let world = |point: SurfacePoint| frame.to_world(point.x.into(), point.height.into(), point.z.into());
        ring(corners.map(|point| whole(world(point))).to_vec())
    });
    let mut text = sorted(lines.collect());
    let levels = (surface.max_error * 1000.0).round();
    let _ = writeln!(text, "{} triangles, error {levels} thousandths of a level", surface.triangles.len());
    text
}

/// Writes points, one per line, in their order.
#[must_use]
pub fn points(points: &[Vec3]) -> String {
    points.iter().map(|&point| ring(vec![whole(point)]) + "\n").collect()
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
    whole(frame.position(vertex))
}

fn whole(point: Vec3) -> [i64; 3] {
    point.to_array().map(|metres| saturating_i64((f64::from(metres) * 1000.0).round()))
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

//! Ground inside of solids on real levels, judged place by place by rays through all triangles.

use std::collections::BTreeSet;
use std::path::Path;

use glam::{DVec3, Vec3};
use waymesh::{BakeConfig, Baker, Enclosed, NavMesh};
use waymesh_testkit::Random;
use waymesh_testkit::levels::all;

/// Largest number of triangles of a level that is judged: each ray visits all of them.
const MAX_TRIANGLES: usize = 8_000;
/// Rays upwards and level rays of each place.
const RAYS: [u32; 2] = [16, 16];
/// Places on each kind of ground, and on each island.
const PLACES: u32 = 60;
const ISLAND_PLACES: u32 = 5;
/// Share of the rays of a place that leave a solid from which it is inside of one, and below which
/// it is not. Places in between, of which there are few, count for neither.
const INSIDE_SHARE: f64 = 0.9;
const OUTSIDE_SHARE: f64 = 0.5;

/// The result of the rays of a place.
#[derive(Clone, Copy)]
struct Judged {
    area: f64,
    /// Share of the rays that leave a solid which they did not enter.
    leaving: f64,
    /// `true` if a level ray meets nothing.
    is_open: bool,
}

/// A polygon: the bits of its corners in order, the corners, the area, the island.
struct Polygon {
    key: Vec<[u32; 3]>,
    corners: Vec<Vec3>,
    area: f64,
    island: usize,
}

fn polygons(mesh: &NavMesh) -> Vec<Polygon> {
    let read = mesh.polygons().map(|polygon| {
        let corners: Vec<Vec3> = polygon.positions().collect();
        let mut key: Vec<_> = corners.iter().map(|corner| corner.to_array().map(f32::to_bits)).collect();
        key.sort_unstable();
        Polygon { key, corners, area: polygon.area(), island: polygon.island().index() }
    });
    read.collect()
}

/// A triangle as a place sees it: what its rays have in common.
struct Seen {
    /// Normals of the planes through the place and each side.
    sides: [DVec3; 3],
    normal: DVec3,
    /// Distance of its plane along the normal, which has no unit length.
    height: f64,
}

impl Seen {
    fn from(place: Vec3, corners: &[Vec3; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| (corner - place).as_dvec3());
        let normal = (b - a).cross(c - a);
        Self { sides: [a.cross(b), b.cross(c), c.cross(a)], normal, height: a.dot(normal) }
    }
}

/// Returns the distances at which a ray crosses triangles, in order: 1 from the back, -1 from the
/// front. Crossings at one distance are one.
fn crossings(triangles: &[Seen], direction: DVec3) -> Vec<i32> {
    let mut met: Vec<(f64, i32)> = Vec::new();
    for seen in triangles {
        let sides = seen.sides.map(|normal| normal.dot(direction));
        let is_back = sides.iter().all(|&side| side > 0.0);
        if is_back || sides.iter().all(|&side| side < 0.0) {
            let far = seen.height / direction.dot(seen.normal);
            if far > 0.0 {
                met.push((far, if is_back { 1 } else { -1 }));
            }
        }
    }
    met.sort_by(|one, other| one.0.total_cmp(&other.0));
    let places = met.chunk_by(|one, other| other.0 - one.0 < 1e-4 * one.0.max(1.0));
    places.map(|same| same.iter().map(|step| step.1).sum()).collect()
}

/// Judges a place at half the height of an agent above a polygon.
fn judge(triangles: &[[Vec3; 3]], polygon: &Polygon, area: f64, random: &mut Random) -> Judged {
    let fan: Vec<_> = polygon.corners[1..].windows(2).collect();
    let sizes = fan.iter().map(|ends| {
        let [one, other] = [ends[0], ends[1]].map(|end| end - polygon.corners[0]);
        one.cross(other).length()
    });
    let mut left = random.unit() * sizes.clone().sum::<f32>();
    let triangle = sizes.into_iter().position(|size| {
        left -= size;
        left <= 0.0
    });
    let ends = fan[triangle.unwrap_or(0)];
    let at = polygon.corners[0].lerp(ends[0].lerp(ends[1], random.unit()), random.unit().sqrt());
    let place = at + Vec3::Y * BakeConfig::default().agent.height / 2.0;
    let triangles: Vec<Seen> = triangles.iter().map(|corners| Seen::from(place, corners)).collect();
    let (mut leaving, mut is_open) = (0, false);
    for ray in 0..RAYS[0] + RAYS[1] {
        let is_level = ray >= RAYS[0];
        let up = f64::from(random.unit()) * if is_level { 0.1 } else { 1.0 };
        let (sine, cosine) = (f64::from(random.unit()) * std::f64::consts::TAU).sin_cos();
        let around = (1.0 - up * up).sqrt();
        let crossings = crossings(&triangles, DVec3::new(around * cosine, up, around * sine));
        is_open |= is_level && crossings.is_empty();
        let mut depth = 0;
        leaving += u32::from(crossings.iter().any(|step| {
            depth += step;
            depth > 0
        }));
    }
    let leaving = f64::from(leaving) / f64::from(RAYS[0] + RAYS[1]);
    Judged { area, leaving, is_open }
}

/// Judges places spread over polygons by area.
fn judge_all(triangles: &[[Vec3; 3]], polygons: &[&Polygon], count: u32, random: &mut Random) -> Vec<Judged> {
    let total: f64 = polygons.iter().map(|polygon| polygon.area).sum();
    let share = total / f64::from(count);
    let (mut sum, mut next) = (0.0, 0.5 * share);
    let mut judged = Vec::new();
    for polygon in polygons {
        sum += polygon.area;
        while next < sum {
            judged.push(judge(triangles, polygon, share, random));
            next += share;
        }
    }
    judged
}

/// The plan areas of a level by what they are and whether they are kept.
#[derive(Debug)]
struct Row {
    inside_gone: f64,
    inside_kept: f64,
    outside_gone: f64,
    outside_kept: f64,
}

fn row(file: &Path) -> Option<Row> {
    let soup = waymesh::io::load(file).ok()?;
    let triangles: Vec<[Vec3; 3]> = soup.finite_triangles().collect();
    if triangles.len() > MAX_TRIANGLES {
        return None;
    }
    let bake = |enclosed| {
        let config = BakeConfig::default().with_enclosed(enclosed);
        Baker::voxels().with_config(config).bake(&soup).ok()
    };
    let (keep, remove) = (bake(Enclosed::Keep)?, bake(Enclosed::Remove)?);
    let before = polygons(&keep);
    let after: BTreeSet<_> = polygons(&remove).into_iter().map(|polygon| polygon.key).collect();
    let mut random = Random::new(4);
    // Ground that can be walked to from open ground, or from ground that is not inside, is not inside.
    let is_closed: Vec<bool> = (0..keep.islands().len())
        .map(|island| {
            let own: Vec<&Polygon> = before.iter().filter(|polygon| polygon.island == island).collect();
            let places = judge_all(&triangles, &own, ISLAND_PLACES, &mut random);
            let inside = places.iter().filter(|place| place.leaving > OUTSIDE_SHARE).count();
            2 * inside > places.len() && places.iter().all(|place| !place.is_open)
        })
        .collect();
    let mut judge = |is_gone: bool, may_be_inside: bool| {
        let is_wanted = |polygon: &&Polygon| {
            after.contains(&polygon.key) != is_gone && is_closed[polygon.island] == may_be_inside
        };
        let ground: Vec<&Polygon> = before.iter().filter(is_wanted).collect();
        judge_all(&triangles, &ground, PLACES, &mut random)
    };
    let [closed_kept, kept, closed_gone, gone] = [(false, true), (false, false), (true, true), (true, false)]
        .map(|(gone, closed)| judge(gone, closed));
    let area = |places: &mut dyn Iterator<Item = &Judged>| places.map(|place| place.area).sum::<f64>().abs();
    let inside = |place: &&Judged| place.leaving >= INSIDE_SHARE;
    let outside = |place: &&Judged| place.leaving < OUTSIDE_SHARE;
    Some(Row {
        inside_gone: area(&mut closed_gone.iter().filter(inside)),
        inside_kept: area(&mut closed_kept.iter().filter(inside)),
        outside_gone: area(&mut closed_gone.iter().chain(&gone).filter(outside)),
        outside_kept: area(&mut closed_kept.iter().chain(&kept).filter(outside)),
    })
}

#[test]
fn ground_inside_of_solids_goes_from_real_levels_and_no_other_ground() {
    let is_scene = |path: &Path| {
        let is_mesh = path.extension().is_some_and(|ending| ending == "glb" || ending == "obj");
        is_mesh && path.metadata().is_ok_and(|file| file.len() < 4_000_000)
    };
    let (mut gone, mut inside) = (0.0, 0.0);
    for level in all(is_scene) {
        let Some(row) = row(&level.file) else { continue };
        let outside = row.outside_gone + row.outside_kept;
        assert!(row.outside_gone <= 0.002 * outside, "{}: {row:.1?}", level.name);
        gone += row.inside_gone;
        inside += row.inside_gone + row.inside_kept;
    }
    assert!(gone >= 0.8 * inside, "{gone} of {inside} m2 inside");
}

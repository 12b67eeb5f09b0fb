//! Hand-made navigation meshes of real levels: their share on our meshes, and the reasons for the
//! difference.

use std::f32::consts::TAU;
use std::path::PathBuf;

use glam::{Vec2, Vec3, Vec3Swizzles};
use serde::Deserialize;
use waymesh::io::load;
use waymesh::{Agent, BakeConfig, Baker, NavMesh, Reach, Storeys, TriangleSoup};
use waymesh_testkit::levels::find;

/// A narrow agent, for people draw meshes up to the walls, and as steep as they draw them.
fn agent() -> Agent {
    Agent::default().with_height(1.0).with_radius(0.1).with_max_step(0.5).with_max_slope(60_f32.to_radians())
}

/// The part of a level around these places.
fn around(soup: &TriangleSoup, places: &[Vec3]) -> TriangleSoup {
    let low = places.iter().copied().fold(Vec3::INFINITY, Vec3::min) - 5.0;
    let high = places.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max) + 5.0;
    let is_near = |corners: &[Vec3; 3]| {
        let [a, b, c] = *corners;
        a.min(b).min(c).cmple(high).all() && a.max(b).max(c).cmpge(low).all()
    };
    let corners: Vec<Vec3> = soup.finite_triangles().filter(is_near).flatten().collect();
    let triangles =
        (0_u32..).step_by(3).take(corners.len() / 3).map(|first| [first, first + 1, first + 2]).collect();
    TriangleSoup::new(corners, triangles).expect("a soup")
}

/// `golden_navmesh.json`.
#[derive(Deserialize)]
struct Drawn {
    vertices: Vec<[f32; 3]>,
    polygons: Vec<Vec<usize>>,
}

/// Centres of the polygons.
fn centres_of_json(file: &str) -> Option<Vec<Vec3>> {
    let text = std::fs::read_to_string(find(file)?).expect("readable");
    let Drawn { vertices, polygons } = serde_json::from_str(&text).expect("a mesh");
    let centre = |corners: &Vec<usize>| {
        let sum: Vec3 = corners.iter().map(|&corner| Vec3::from_array(vertices[corner])).sum();
        sum / corners.len() as f32
    };
    Some(polygons.iter().map(centre).collect())
}

/// Why nothing of our mesh lies at a place: what a line straight down through it meets in the
/// scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    NoGround,
    Steep,
    /// Too low, or inside a solid.
    Low,
    /// No farther from such a place than the radius and two polygons.
    NearBorder,
    Unexplained,
}

/// Heights of all faces above or below a place, and how far each looks up.
fn faces_at(soup: &TriangleSoup, place: Vec2) -> Vec<(f32, f32)> {
    let face = |corners: [Vec3; 3]| {
        let [a, b, c] = corners.map(|corner| corner.xz() - place);
        let shares = [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)];
        let sum: f32 = shares.iter().sum();
        if sum == 0.0 || shares.iter().any(|share| share * sum < 0.0) {
            return None;
        }
        let height = (0..3).map(|corner| corners[corner].y * shares[corner]).sum::<f32>() / sum;
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        Some((height, normal.y))
    };
    soup.finite_triangles().filter_map(face).collect()
}

/// `true` if an agent could stand there, if it had no width.
fn stands(soup: &TriangleSoup, place: Vec3) -> Reason {
    let faces = faces_at(soup, place.xz());
    let near = |height: f32| (height - place.y).abs() <= 1.5;
    let gentle = agent().max_slope.cos();
    let ground: Vec<f32> =
        faces.iter().filter(|face| face.1 >= gentle && near(face.0)).map(|face| face.0).collect();
    // A face no higher than a step is stepped over, unless it is an underside.
    let is_over = |ground: f32, (height, up): (f32, f32)| {
        height <= ground + if up >= 0.0 { agent().max_step } else { 0.01 }
    };
    let free = |&ground: &f32| {
        let above = faces.iter().filter(|&&face| !is_over(ground, face));
        // Inside a solid, the next face above is a top.
        above
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .is_none_or(|next| next.0 >= ground + agent().height && next.1 <= 0.0)
    };
    match (ground.is_empty(), ground.iter().any(free)) {
        (_, true) => Reason::NearBorder,
        (false, false) => Reason::Low,
        (true, _) if faces.iter().any(|face| near(face.0)) => Reason::Steep,
        (true, _) => Reason::NoGround,
    }
}

fn reason(soup: &TriangleSoup, place: Vec3, polygon: f32) -> Reason {
    let here = stands(soup, place);
    if here != Reason::NearBorder {
        return here;
    }
    // Within the agent's radius and the error of a voxel there must be a place where it cannot stand.
    let reach = agent().radius + 2.0 * polygon;
    let around = (0..64_u8).flat_map(|turn| [0.25, 0.5, 0.75, 1.0].map(|share| (turn, share * reach)));
    let offsets = around.map(|(turn, reach)| Vec2::from_angle(f32::from(turn) / 64.0 * TAU) * reach);
    let hidden = offsets.map(|offset| place + Vec3::new(offset.x, 0.0, offset.y));
    if hidden.into_iter().any(|beside| stands(soup, beside) != Reason::NearBorder) {
        Reason::NearBorder
    } else {
        Reason::Unexplained
    }
}

/// Prints the share of `centres` on each mesh; it must be `least` percent, and every other centre
/// must have a reason.
fn compare(name: &str, level: PathBuf, centres: &[Vec3], polygon: f32, least: f64) {
    let soup = &around(&load(level).expect("a level"), centres);
    let config = BakeConfig::default().with_scale(polygon, 0.1).with_agent(agent());
    let voxels = Baker::voxels().with_config(config.clone()).bake(soup).expect("voxels");
    let storeys = Baker::new(Storeys::default(), config).bake(soup);
    for (pipeline, mesh) in [("voxels", voxels), ("storeys", storeys.expect("storeys"))] {
        let is_missed =
            |mesh: &NavMesh, place: Vec3| mesh.nearest(place, &Reach::new(0.01, 1.5, 1.5)).is_none();
        let missed = centres.iter().filter(|&&place| is_missed(&mesh, place));
        let mut reasons: Vec<_> = missed.map(|&place| (reason(soup, place, polygon), place)).collect();
        reasons.sort_by_key(|reason| reason.0);
        let share = 100.0 * (1.0 - reasons.len() as f64 / centres.len() as f64);
        let counts = [Reason::NoGround, Reason::Steep, Reason::Low, Reason::NearBorder, Reason::Unexplained]
            .map(|kind| (kind, reasons.iter().filter(|reason| reason.0 == kind).count()));
        eprintln!("{name}, {pipeline}: {share:.1} % of {} centres; others: {counts:?}", centres.len());
        assert!(share >= least, "{name}, {pipeline}: {share:.1} %");
        let unexplained: Vec<_> = reasons.iter().filter(|reason| reason.0 == Reason::Unexplained).collect();
        assert!(unexplained.is_empty(), "{name}, {pipeline}: {unexplained:?}");
    }
}

fn race_track(name: &str, least: f64) {
    let (Some(level), Some(centres)) = (
        find(&format!("stk_{name}/{name}.glb")),
        centres_of_json(&format!("stk_{name}/golden_navmesh.json")),
    ) else {
        return;
    };
    compare(name, level, &centres, 0.25, least);
}

#[test]
fn cave() {
    race_track("cave", 99.0);
}

#[test]
fn stadium() {
    race_track("stadium", 99.0);
}

#[test]
fn battleisland() {
    race_track("battleisland", 99.0);
}

#[test]
fn rooms() {
    let (Some(level), Some(mesh)) =
        (find("three_pathfinding/level.glb"), find("three_pathfinding/level_nav.glb"))
    else {
        return;
    };
    let mesh = load(mesh).expect("a mesh");
    let centres: Vec<Vec3> = mesh.finite_triangles().map(|[a, b, c]| (a + b + c) / 3.0).collect();
    compare("rooms", level, &centres, 0.05, 98.0);
}

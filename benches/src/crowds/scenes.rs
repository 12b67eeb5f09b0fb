//! Scenes of crowds.

use std::sync::Arc;

use anyhow::Result;
use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh::{Agent, BakeConfig, Baker, TriangleSoup};
use waymesh_core::{Random, saturating_u32};
use waymesh_graph::{IslandId, NavMesh};

use super::RADIUS;
use crate::Scene;

/// Agents may take this share of the ground at most: about a square metre each.
const MOST_PART: f64 = 0.2;

/// A mesh, and who walks on it.
pub(super) struct CrowdScene {
    pub(super) name: String,
    pub(super) mesh: Arc<NavMesh>,
    kind: Kind,
    leave: bool,
    /// A line `x` = this, whose crossings are counted.
    pub(super) gate: Option<f32>,
}

/// Kind of the trips of a scene.
#[derive(Clone, Copy)]
enum Kind {
    /// In equal parts, in rows in a rectangle of metres, on their way by an offset.
    Streams(&'static [([f32; 4], [f32; 2])]),
    /// On a circle, each to the other side.
    Circle,
    /// All to the middle.
    Meeting,
    /// Anywhere.
    Level,
}

/// Flat scenes: a name, the ground as rectangles in decimetres, the agents, `true` if those who
/// arrive leave, and the gate.
type Flat = (&'static str, &'static [[i16; 4]], Kind, bool, Option<f32>);

const FLAT: [Flat; 6] = [
    // Two halls, and a door of 1.2 m in a wall of 0.3 m.
    (
        "door",
        &[[0, 0, 600, 400], [600, 194, 603, 206], [603, 0, 1200, 400]],
        Kind::Streams(&[([25.0, 1.0, 59.0, 39.0], [60.0, 0.0])]),
        true,
        Some(60.15),
    ),
    // A passage of 4 m.
    (
        "streams",
        &[[0, 0, 1200, 40]],
        Kind::Streams(&[([1.0, 0.5, 39.0, 3.5], [80.0, 0.0]), ([81.0, 0.5, 119.0, 3.5], [-80.0, 0.0])]),
        true,
        None,
    ),
    (
        "crossing",
        &[
            [0, 500, 500, 550],
            [500, 500, 550, 550],
            [550, 500, 1050, 550],
            [500, 0, 550, 500],
            [500, 550, 550, 1050],
        ],
        Kind::Streams(&[([1.0, 50.5, 45.0, 54.5], [58.0, 0.0]), ([50.5, 1.0, 54.5, 45.0], [0.0, 58.0])]),
        true,
        None,
    ),
    // Two halls, and a passage of 3.5 m at a corner of each.
    (
        "gate",
        &[[0, 35, 200, 105], [200, 35, 220, 70], [220, 0, 420, 70]],
        Kind::Streams(&[([0.5, 3.8, 19.5, 10.2], [22.0, -3.5]), ([22.5, 0.3, 41.5, 6.7], [-22.0, 3.5])]),
        false,
        None,
    ),
    ("circle", &[[0, 0, 2600, 2600]], Kind::Circle, false, None),
    ("meeting", &[[0, 0, 2600, 2600]], Kind::Meeting, true, None),
];

/// Starts and goals of agents.
pub(super) struct Trips {
    pub(super) ends: Vec<[Vec3; 2]>,
    /// `true` if those who arrive leave, and are in nobody's way.
    pub(super) leave: bool,
}

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// Adds two triangles.
fn add_quad(soup: &mut TriangleSoup, corners: [Vec3; 4]) {
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap_or_default();
}

/// Flat ground: rectangles in decimetres, from `x0, z0` to `x1, z1`, that share their borders.
fn floor(rectangles: &[[i16; 4]]) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    for rectangle in rectangles {
        let [x0, z0, x1, z1] = rectangle.map(|along| f32::from(along) * 0.1);
        add_quad(&mut soup, [at(x0, z0), at(x0, z1), at(x1, z1), at(x1, z0)]);
    }
    soup
}

/// Half the length of the pitch and half its width, in metres; rows of seats; depth of a row.
const PITCH: [f32; 2] = [52.0, 34.0];
const ROWS: u16 = 40;
const ROW: f32 = 0.8;
const RISE: f32 = 0.35;
/// Sectors of the stand, each with an aisle.
const SECTORS: u16 = 32;

/// A stadium: a pitch, and a bowl of rows round it that rise outwards.
fn stadium() -> TriangleSoup {
    let point = |sector: u16, out: f32, height: f32| {
        let angle = f32::from(sector) / f32::from(4 * SECTORS) * std::f32::consts::TAU;
        let at = (Vec2::from(PITCH) + out) * Vec2::from_angle(angle);
        at.extend(height).xzy()
    };
    let mut soup = TriangleSoup::default();
    let mut ring = |inner: [f32; 2], outer: [f32; 2], is_there: &dyn Fn(u16) -> bool| {
        for step in (0..4 * SECTORS).filter(|&step| is_there(step)) {
            let [a, b] = [step, step + 1].map(|step| point(step, inner[0], inner[1]));
            let [d, c] = [step, step + 1].map(|step| point(step, outer[0], outer[1]));
            add_quad(&mut soup, [a, b, c, d]);
        }
    };
    // The ground inside, with the pitch, and the walk outside of the stand.
    ring([-PITCH[1] + 0.01, 0.0], [4.0, 0.0], &|_| true);
    let top = f32::from(ROWS) * RISE;
    let outside = 4.0 + f32::from(ROWS) * ROW;
    for row in 0..ROWS {
        let (from, to) = (4.0 + f32::from(row) * ROW, 4.0 + f32::from(row + 1) * ROW);
        let height = f32::from(row + 1) * RISE;
        // Seats: terraces. Aisles: every eighth step of the round, slopes.
        ring([from, height], [to, height], &|step| step % 8 != 0);
        ring([from, height - RISE], [to, height], &|step| step % 8 == 0);
    }
    ring([outside, top], [outside + 6.0, top], &|_| true);
    soup
}

impl CrowdScene {
    /// Makes a scene and bakes its mesh.
    pub(super) fn named(name: &str) -> Result<Self> {
        let flat = FLAT.iter().find(|flat| flat.0 == name);
        let is_stadium = name == "stadium";
        let (soup, fine) = match flat {
            Some((_, rectangles, ..)) => (floor(rectangles), 0.05),
            None if is_stadium => (stadium(), 0.2),
            None => (Scene::named(name)?.soup, 0.2),
        };
        let (kind, leave, gate) =
            flat.map_or((Kind::Level, is_stadium, None), |&(_, _, kind, leave, gate)| (kind, leave, gate));
        let config = BakeConfig::default()
            .with_scale(fine, fine.min(0.1))
            .with_agent(Agent::default().with_radius(RADIUS))
            // Detour has few triangles of ground in a polygon; rows of seats have many.
            .with_height_detail(!is_stadium);
        let mesh = Baker::voxels().with_config(config).bake(&soup)?;
        Ok(Self { name: name.to_owned(), mesh: Arc::new(mesh), kind, leave, gate })
    }

    /// Returns the trips of `count` agents, or the number that fits.
    pub(super) fn trips(&self, count: usize) -> Result<Trips, usize> {
        let middle = at(130.0, 130.0);
        let ends: Vec<[Vec3; 2]> = match self.kind {
            Kind::Streams(streams) => {
                let mut ends = Vec::with_capacity(count);
                for (index, &(from, by)) in streams.iter().enumerate() {
                    let part = (count * (index + 1)) / streams.len() - ends.len();
                    ends.extend(rows(part, from)?.into_iter().map(|from| [from, from + at(by[0], by[1])]));
                }
                ends
            }
            Kind::Circle if count as f32 * 0.12 > 125.0 => return Err(1_041),
            Kind::Circle => {
                let spoke = |index: usize| {
                    let angle = index as f32 / count as f32 * std::f32::consts::TAU;
                    let Vec2 { x, y: z } = Vec2::from_angle(angle) * (count as f32 * 0.12).max(6.0);
                    at(x, z)
                };
                (0..count).map(|index| [middle + spoke(index), middle - spoke(index)]).collect()
            }
            Kind::Meeting => {
                rows(count, [1.0, 1.0, 259.0, 259.0])?.into_iter().map(|from| [from, middle]).collect()
            }
            Kind::Level => self.apart(count)?,
        };
        Ok(Trips { ends, leave: self.leave })
    }

    /// Trips between random places of the largest island, all of them apart from each other.
    fn apart(&self, count: usize) -> Result<Vec<[Vec3; 2]>, usize> {
        let islands = self.mesh.islands();
        let largest = (0..islands.len()).max_by(|&a, &b| islands[a].area.total_cmp(&islands[b].area));
        let area = largest.map_or(0.0, |largest| islands[largest].area);
        let disc = std::f64::consts::PI * f64::from(RADIUS * RADIUS);
        let most = saturating_u32(area * MOST_PART / disc) as usize;
        if count > most {
            return Err(most);
        }
        let sampler = self.mesh.query().sampler();
        let mut random = Random::new(1);
        let mut place = || loop {
            if let Ok(Some(place)) = sampler.sample(&self.mesh, &mut random)
                && self.mesh.island_of(place.polygon).map(IslandId::index) == largest
            {
                return place.position;
            }
        };
        // Places that keep the width of an agent from each other.
        let mut apart = || {
            let mut places: Vec<Vec3> = Vec::with_capacity(count);
            while places.len() < count {
                let at = place();
                let is_free = |other: &Vec3| {
                    other.xz().distance(at.xz()) > 2.2 * RADIUS || (other.y - at.y).abs() > 2.0
                };
                if places.iter().all(is_free) {
                    places.push(at);
                }
            }
            places
        };
        let (from, to) = (apart(), apart());
        Ok(from.into_iter().zip(to).map(|(from, to)| [from, to]).collect())
    }
}

/// Places in rows in a rectangle of metres, with some disorder; how many fit if these do not.
fn rows(count: usize, [x0, z0, x1, z1]: [f32; 4]) -> Result<Vec<Vec3>, usize> {
    let area = (x1 - x0) * (z1 - z0);
    let least = 2.0 * RADIUS + 0.25;
    let most = saturating_u32(f64::from(area / (least * least))) as usize;
    if count > most {
        return Err(most);
    }
    let side = (area / count as f32).sqrt();
    let columns = saturating_u32(((x1 - x0) / side).ceil()).max(1) as usize;
    let depth = count.div_ceil(columns);
    let mut random = Random::new(5);
    let place = |index: usize| {
        let jitter = [0.0, 0.0].map(|_: f32| random.range(-0.1, 0.1));
        let [x, z] = [index % columns, index / columns].map(|along| along as f32 + 0.5);
        at(x0 + (x + jitter[0]) * (x1 - x0) / columns as f32, z0 + (z + jitter[1]) * (z1 - z0) / depth as f32)
    };
    Ok((0..count).map(place).collect())
}

//! Connectivity and paths, on random pairs of places.

use glam::{DVec3, Vec3};

use crate::border::{on_ground, reach};
use crate::components::Connection;
use crate::fans::Fans;
use crate::mesh::{JudgedMesh, MeshIndex};
use crate::oracle::{Oracle, Scratch};
use crate::report::{Connectivity, Detour, Paths, Places, QueryTime, Sorted};
use crate::scene::plan;
use crate::shortest::ShortestPaths;
use waymesh_core::{Random, Stopwatch, threads};

/// A complete path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Its corners, from end to end.
    pub points: Vec<Vec3>,
    /// `true` if it leads over a link: its length is not compared with that over the polygons alone.
    pub has_links: bool,
    /// `true` if one of its links is not crossed like an edge, so that it may lead where an agent
    /// cannot walk: no oracle denies it.
    pub leaps: bool,
}

impl From<Vec<Vec3>> for Route {
    fn from(points: Vec<Vec3>) -> Self {
        Self { points, ..Self::default() }
    }
}

/// A path finder: returns a complete path between two positions, or `None`.
pub type Router<'a> = &'a mut dyn FnMut(Vec3, Vec3) -> Option<Route>;

/// Largest number of drawn pairs for each wanted pair, until enough have both ends on the mesh.
const MOST_DRAWS: usize = 20;

pub(crate) fn judge_connectivity(oracle: &Oracle, mesh: &JudgedMesh, index: &MeshIndex<'_>) -> Connectivity {
    let (_, count) = mesh.islands();
    let (pieces, _) = mesh.pieces(&mesh.steps);
    let components = &oracle.components;
    let mut result = Connectivity { islands: count, components: components.count, ..Connectivity::default() };
    let mut random = Random::new(oracle.config.seed ^ 0x00C0_4EC7);
    let tolerance = oracle.height_tolerance();
    let piece = |place: usize| {
        index.locate(components.position(place), tolerance).map(|(polygon, _)| pieces[polygon])
    };
    for _ in 0..oracle.config.pairs.saturating_mul(MOST_DRAWS) {
        if result.pairs == oracle.config.pairs {
            break;
        }
        let (Some(from), Some(to)) =
            (components.random_place(&mut random), components.random_place(&mut random))
        else {
            break;
        };
        let (Some(start), Some(end)) = (piece(from), piece(to)) else { continue };
        result.pairs += 1;
        match (components.connection(from, to), start == end) {
            (Connection::Linked, true) | (Connection::Apart, false) => result.agree += 1,
            (Connection::Linked, false) => result.missed_links += 1,
            (Connection::Apart, true) => result.false_links += 1,
            (Connection::Uncertain, _) => {}
        }
    }
    result
}

pub(crate) fn judge_paths(
    oracle: &Oracle,
    mesh: &JudgedMesh,
    index: &MeshIndex<'_>,
    fans: &Fans,
    places: &mut Places,
    router: Router<'_>,
) -> Paths {
    let components = &oracle.components;
    let mut random = Random::new(oracle.config.seed ^ 0x0009_A145);
    let mut shortest = ShortestPaths::new(mesh, fans);
    let mut result = Paths::default();
    let (mut times, mut lengths, mut paths) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..oracle.config.pairs {
        let (Some(from), Some(to)) =
            (components.random_place(&mut random), components.random_place(&mut random))
        else {
            break;
        };
        let (start, end) = (components.position(from).as_vec3(), components.position(to).as_vec3());
        result.pairs += 1;
        let clock = Stopwatch::start();
        let path = router(start, end);
        times.push(u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX));
        match (components.connection(from, to), &path) {
            (Connection::Linked, None) => result.wrongly_missing += 1,
            (Connection::Apart, Some(path)) => result.wrongly_found += usize::from(!path.leaps),
            _ => {}
        }
        let Some(Route { points, has_links, .. }) = path else { continue };
        result.found += 1;
        lengths.push(if has_links { None } else { excess_length(oracle, index, &mut shortest, &points) });
        paths.push(points);
    }
    result.excess_length = Sorted::new(lengths.iter().copied().flatten()).summary();
    result.min_wall_distance = wall_distance(oracle, index, &paths);
    let found =
        lengths.into_iter().zip(paths).filter_map(|(excess, path)| Some(Detour { path, excess: excess? }));
    places.keep_detours(found);
    times.sort_unstable();
    let rank = |percent: usize| times.get((times.len() * percent).div_ceil(100).max(1) - 1).copied();
    result.query_ns = QueryTime { p50: rank(50), p99: rank(99) };
    result
}

/// Returns the relative excess of a path's length over the shortest path between its ends.
fn excess_length(
    oracle: &Oracle,
    index: &MeshIndex<'_>,
    shortest: &mut ShortestPaths<'_>,
    path: &[Vec3],
) -> Option<f64> {
    let ends = [path.first()?.as_dvec3(), path.last()?.as_dvec3()];
    let [from, to] = ends.map(|at| Some((locate_near(oracle, index, at)?, at)));
    let exact = shortest.length(from?, to?)?;
    let length: f64 =
        path.windows(2).map(|pair| plan(pair[0].as_dvec3()).distance(plan(pair[1].as_dvec3()))).sum();
    // Ends in single precision are off by some micrometres.
    (exact > 1e-3).then(|| length / exact - 1.0)
}

/// Returns the polygon at a place, or within a millimetre of it: rounding may move an end on the
/// border outside.
fn locate_near(oracle: &Oracle, index: &MeshIndex<'_>, at: DVec3) -> Option<usize> {
    let offsets = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    let near = offsets.map(|(x, z)| at + DVec3::new(x, 0.0, z) * 1e-3);
    near.into_iter().find_map(|at| index.locate(at, oracle.height_tolerance())).map(|(polygon, _)| polygon)
}

/// Returns the smallest distance to what is certainly a wall along all paths, tested at the corners
/// and at points a cell apart.
fn wall_distance(oracle: &Oracle, index: &MeshIndex<'_>, paths: &[Vec<Vec3>]) -> Option<f64> {
    /// Largest number of places that are tested.
    const MOST_PLACES: f64 = 30_000.0;
    /// Number of places that are tested in parallel.
    const PLACES_PER_TASK: usize = 256;
    /// Farthest that a path between two corners may be above or below the mesh. Metres.
    const FARTHEST: f64 = 1e3;
    let legs =
        || paths.iter().flat_map(|path| path.windows(2)).map(|leg| (leg[0].as_dvec3(), leg[1].as_dvec3()));
    let total: f64 = legs().map(|(a, b)| a.distance(b)).sum();
    let spacing = oracle.cell().max(total / MOST_PLACES);
    let mut places: Vec<DVec3> = paths.iter().flatten().map(|point| point.as_dvec3()).collect();
    // Many paths turn at the same places.
    places.sort_by(|a, b| a.to_array().map(f64::to_bits).cmp(&b.to_array().map(f64::to_bits)));
    places.dedup();
    for (a, b) in legs() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the most places")]
        let count = (a.distance(b) / spacing) as usize;
        places.extend((1..=count).map(|step| a.lerp(b, step as f64 / (count + 1) as f64)));
    }
    // Only what is nearer than the nearest so far matters. Portion by portion, so that the result
    // does not depend on threads.
    let mut near = reach(oracle);
    for portion in places.chunks(PLACES_PER_TASK) {
        let distances = threads::map_with(portion, |scratch: &mut Scratch, &place| {
            // Between two corners the path is straight, so the height is taken from the mesh.
            let height = index.locate(place, FARTHEST).map_or(place.y, |(_, height)| height);
            let place = on_ground(oracle, DVec3::new(place.x, height, place.z), scratch);
            // A step is no wall.
            oracle.clearance(place, near, 1.0, scratch).wall
        });
        near = distances.into_iter().fold(near, f64::min);
    }
    (!places.is_empty()).then_some(near)
}

//! Queries on meshes against each other, and against slow answers.

use arbitrary::Arbitrary;
use waymesh::core::nearest_f32;
use waymesh::glam::Vec3;
use waymesh::graph::ClearPathOptions;
use waymesh::triangulate::ClearanceConfig;
use waymesh::{
    Agent, Hierarchy, NavMesh, Outcome, Path, PathOptions, PathSearch, QueryError, QueryScratch, Reach,
    with_clearance,
};
use waymesh_testkit::flat_meshes;

/// A flat mesh and pairs of places on it or outside.
#[derive(Arbitrary, Debug)]
pub struct Questions {
    seed: u64,
    side: u8,
    blocked: u8,
    places: Vec<[u16; 2]>,
}

/// Room for rounding: positions are single-precision.
const LOOSE: f32 = 2e-3;

fn length(path: &Path) -> Option<f32> {
    (path.outcome == Outcome::Complete).then_some(path.length)
}

/// Nearest places, paths of every kind, rays and partial paths agree.
pub fn queries(questions: &Questions) {
    let side = 2 + u16::from(questions.side % 12);
    let polygons = flat_meshes::crooked(questions.seed, side, f64::from(questions.blocked % 6) * 0.1);
    if polygons.polygons.is_empty() {
        return;
    }
    let Ok(mesh) = NavMesh::new(polygons, None, Agent::default().with_radius(0.0)) else { return };
    let bounds = mesh.world_bounds().expect("polygons");
    let place = |[x, z]: [u16; 2]| {
        let share = |value: u16| nearest_f32(f64::from(value) / f64::from(u16::MAX)) * 1.1 - 0.05;
        let size = bounds.max - bounds.min;
        Vec3::new(bounds.min.x + share(x) * size.x, bounds.min.y, bounds.min.z + share(z) * size.z)
    };
    let places: Vec<Vec3> = questions.places.iter().take(24).map(|&at| place(at)).collect();
    let mut scratch = QueryScratch::default();
    let reach = Reach::new(2.0 * (bounds.max - bounds.min).length(), 1.0, 1.0);
    let clear = with_clearance(mesh.clone(), &ClearanceConfig::default()).expect("discs walk on a flat mesh");
    let hierarchy = Hierarchy::new(&mesh, &Default::default()).ok();
    for pair in places.windows(2) {
        let [from, to] = [0, 1].map(|end| {
            let found = mesh.nearest(pair[end], &reach).expect("the mesh is within reach");
            let distance = found.position.distance(pair[end]);
            for polygon in mesh.polygons() {
                let other = mesh.closest_on_polygon(polygon.id(), pair[end]).expect("a polygon");
                let nearer = other.position.distance(pair[end]);
                assert!(
                    distance <= nearer + LOOSE,
                    "nearest: {distance}, polygon {}: {nearer}",
                    polygon.id()
                );
            }
            found
        });
        let options = PathOptions::default().with_reach(Reach::new(0.1, 1.0, 1.0));
        let mut find = |a: Vec3, b: Vec3, search: PathSearch| {
            let path = mesh.query().options(options.with_search(search)).memory(&mut scratch).path(a, b);
            QueryError::accept_no_path(path).expect("places on the mesh")
        };
        let (a, b) = (from.position, to.position);
        let fast = find(a, b, PathSearch::Fast);
        let shortest = find(a, b, PathSearch::Shortest);
        let back = find(b, a, PathSearch::Shortest);
        assert_eq!(length(&fast).is_some(), length(&shortest).is_some(), "{a} to {b}");
        assert_eq!(length(&fast).is_some(), length(&back).is_some(), "{a} to {b}");
        let straight = a.distance(b);
        if let (Some(quick), Some(best), Some(returned)) = (length(&fast), length(&shortest), length(&back)) {
            let loose = LOOSE + best * 1e-5;
            assert!(best <= quick + loose, "{a} to {b}: shortest {best}, fast {quick}");
            assert!((best - returned).abs() <= loose, "{a} to {b}: {best}, back {returned}");
            assert!(best + loose >= straight, "{a} to {b}: {best}, straight {straight}");
            let sight = mesh.query().sees(&from, &to).expect("places");
            if sight {
                assert!(best <= straight + loose, "{a} to {b}: in sight, {best} and not {straight}");
            }
            if let Some(hierarchy) = &hierarchy {
                let mut query = mesh.query().options(options.with_search(hierarchy)).memory(&mut scratch);
                let path = query.path(a, b).expect("places on the mesh");
                let long = length(&path).expect("the hierarchy finds it, too");
                assert!(long + loose >= best, "{a} to {b}: hierarchy {long}, shortest {best}");
            }
        }
        let disc = |radius: f32, scratch: &mut QueryScratch| {
            let options =
                ClearPathOptions::new(radius).with_reach(Reach::new(0.1, 1.0, 1.0)).with_allow_partial(false);
            QueryError::accept_no_path(clear.query(radius).options(options).memory(scratch).path(a, b))
        };
        if let Ok(path) = disc(0.0, &mut scratch) {
            assert_eq!(
                path.outcome == Outcome::Complete,
                length(&shortest).is_some(),
                "{a} to {b}: disc of radius 0"
            );
            if let Some(best) = length(&shortest) {
                let loose = LOOSE + best * 1e-4;
                assert!((path.length - best).abs() <= loose, "{a} to {b}: {best}, radius 0: {}", path.length);
            }
        }
        if let (Ok(slim), Ok(wide)) = (disc(0.2, &mut scratch), disc(0.4, &mut scratch)) {
            // Ends of a wider disc may move.
            if wide.outcome == Outcome::Complete {
                assert!(
                    slim.outcome == Outcome::Complete,
                    "{a} to {b}: a wide disc passes, a slim one does not"
                );
            }
        }
        if let Outcome::Partial { reached } = fast.outcome {
            let last = *fast.points.last().expect("a partial path has points");
            assert!(last.distance(reached) <= LOOSE, "{a} to {b}: partial to {reached}, ends at {last}");
            let there = mesh.query().options(options).memory(&mut scratch).path(a, reached);
            let there = there.expect("the end of a partial path is on the mesh");
            // Where islands touch in a corner, a position means either of them.
            let island = fast.polygons.last().and_then(|&polygon| mesh.island_of(polygon));
            let found = mesh.nearest(reached, &reach).and_then(|place| mesh.island_of(place.polygon));
            assert!(
                there.outcome == Outcome::Complete || found != island,
                "{a} to {b}: the end {reached} is not reached"
            );
            assert!(reached.distance(b) <= straight + LOOSE, "{a} to {b}: partial leads away");
        }
    }
}

//! Many queries from two threads, while a third adds links to the mesh and takes them away: every
//! answer is that of the queried mesh, and memory does not grow. `WAYMESH_SOAK_QUERIES` is the
//! number of queries; `cargo xtask soak` runs a million.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use glam::Vec3;
use peak_alloc::PeakAlloc;
use waymesh_core::PolyId;
use waymesh_graph::{
    Link, LinkEnd, LinkKind, NavMesh, Outcome, Path, PathOptions, PathSearch, QueryError, QueryScratch, Reach,
};
use waymesh_testkit::Random;
use waymesh_testkit::grid_maps::GridMap;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LINKS: usize = 6;
const PAIRS: usize = 150;
const SIDE: usize = 32;
/// Variation of the memory of queries: a growing path, an additional mesh.
const SLACK_BYTES: usize = 1 << 16;

/// A mesh, and which of the links it has.
#[derive(Clone)]
struct Version {
    mesh: NavMesh,
    has: u32,
}

/// The right answers on the mesh without links.
struct Oracle {
    pairs: Vec<[Vec3; 2]>,
    links: Vec<Link>,
    /// Ends of the links: where they begin, then where they end.
    ends: Vec<Vec3>,
    /// Walking distances between ends, from the start of each pair to ends, from ends to its goal,
    /// and from start to goal.
    between: Vec<Vec<f64>>,
    to_ends: Vec<Vec<f64>>,
    from_ends: Vec<Vec<f64>>,
    straight: Vec<f64>,
    /// Free part of a ray from start to goal, and end of a move.
    rays: Vec<f32>,
    moves: Vec<Vec3>,
}

fn random_mesh(random: &mut Random) -> NavMesh {
    let square = |_| if random.index(100) < 32 { '@' } else { '.' };
    let squares: Vec<char> = (0..SIDE * SIDE).map(square).collect();
    let rows: Vec<String> = squares.chunks(SIDE).map(|row| row.iter().collect()).collect();
    let text = format!("type octile\nheight {SIDE}\nwidth {SIDE}\nmap\n{}\n", rows.join("\n"));
    NavMesh::try_from(GridMap::read(&text).expect("a map").mesh()).expect("a mesh")
}

fn walk(mesh: &NavMesh, from: Vec3, to: Vec3, scratch: &mut QueryScratch) -> f64 {
    match mesh.query().shortest().memory(scratch).path(from, to) {
        Err(QueryError::Unreachable { .. }) => f64::INFINITY,
        path => path.expect("both ends are on the mesh").length.into(),
    }
}

impl Oracle {
    fn new(mesh: &NavMesh, random: &mut Random) -> Self {
        let mut scratch = QueryScratch::default();
        let mut polygon =
            || mesh.polygon(PolyId::from_index(random.index(mesh.polygon_count()))).expect("a polygon");
        let middle = |polygon: waymesh_graph::PolygonView<'_>| {
            let count = polygon.positions().len();
            polygon.positions().sum::<Vec3>() / f32::from(u16::try_from(count).expect("few corners"))
        };
        let pairs: Vec<[Vec3; 2]> = (0..PAIRS).map(|_| [middle(polygon()), middle(polygon())]).collect();
        let mut links = Vec::new();
        for number in 0..LINKS {
            let mut end = || {
                let polygon = polygon();
                let vertex = mesh.plan_vertices()[polygon.corners()[0].index()];
                LinkEnd { polygon: polygon.id(), ends: [vertex; 2] }
            };
            let mut link = Link::new(end(), end(), LinkKind::User);
            link.both_ways = number % 2 == 0;
            link.extra_cost = 0.5;
            link.data = u32::try_from(number).expect("few links");
            links.push(link);
        }
        // A corner of one polygon may be one of another island, too: a place well inside the polygon stands
        // for it.
        let inside = |end: &LinkEnd| {
            let at = end.ends[0].point;
            let corner = mesh.frame().to_world(f64::from(at.x), 0.0, f64::from(at.z));
            corner.lerp(middle(mesh.polygon(end.polygon).expect("a polygon")), 1e-4)
        };
        let ends: Vec<Vec3> = [0, 1]
            .into_iter()
            .flat_map(|side| links.iter().map(move |link| if side == 0 { link.from } else { link.to }))
            .map(|end| inside(&end))
            .collect();
        let mut table = |from: &[Vec3], to: &[Vec3]| -> Vec<Vec<f64>> {
            let mut row = |&from: &Vec3| to.iter().map(|&to| walk(mesh, from, to, &mut scratch)).collect();
            from.iter().map(&mut row).collect()
        };
        let [starts, goals]: [Vec<Vec3>; 2] = [0, 1].map(|end| pairs.iter().map(|pair| pair[end]).collect());
        let (between, to_ends) = (table(&ends, &ends), table(&starts, &ends));
        let from_ends = table(&goals, &ends);
        let straight = pairs.iter().map(|pair| walk(mesh, pair[0], pair[1], &mut scratch)).collect();
        let mut oracle =
            Self { pairs, links, ends, between, to_ends, from_ends, straight, rays: vec![], moves: vec![] };
        let mut surface = QueryScratch::default();
        for pair in 0..PAIRS {
            let (free, end) = oracle.look(mesh, pair, &mut surface);
            oracle.rays.push(free);
            oracle.moves.push(end);
        }
        oracle
    }

    /// A ray and a move: links that are no edges have no part in them.
    fn look(&self, mesh: &NavMesh, pair: usize, surface: &mut QueryScratch) -> (f32, Vec3) {
        let [from, to] = self.pairs[pair];
        let place = mesh.nearest(from, &Reach::new(1.0, 1.0, 1.0)).expect("on the mesh");
        let ray = mesh.query().ray(place, to).expect("a place of this mesh");
        let near = from + (to - from).clamp_length_max(2.0);
        let end = mesh.query().memory(surface).walk(place, near).expect("a place of this mesh");
        (ray.fraction, end.position)
    }

    /// Length and extra cost of the shortest way over those links, walking between them: in rounds,
    /// until nothing gets shorter.
    fn length(&self, pair: usize, has: u32) -> f64 {
        let mut best = self.to_ends[pair].clone();
        loop {
            let before = best.clone();
            for (number, link) in self.links.iter().enumerate().filter(|(number, _)| has >> number & 1 == 1) {
                let (from, to) = (number, number + LINKS);
                let leap = f64::from(self.ends[from].distance(self.ends[to]) + link.extra_cost);
                let ways = [Some((from, to)), link.both_ways.then_some((to, from))];
                for (from, to) in ways.into_iter().flatten() {
                    let landed = best[from] + leap;
                    for (best, between) in best.iter_mut().zip(&self.between[to]) {
                        *best = best.min(landed + between);
                    }
                }
            }
            if best == before {
                break;
            }
        }
        let over = best.iter().zip(&self.from_ends[pair]).map(|(to, from)| to + from);
        over.fold(self.straight[pair], f64::min)
    }
}

/// Memory of a thread.
#[derive(Default)]
struct Worker {
    paths: QueryScratch,
    surface: QueryScratch,
    path: Path,
    complete: usize,
    linked: usize,
}

impl Worker {
    /// Asks a mesh, and checks the answers.
    fn ask(&mut self, oracle: &Oracle, version: &Version, pair: usize) {
        let [from, to] = oracle.pairs[pair];
        let expected = oracle.length(pair, version.has);
        let options = PathOptions::default().with_allow_partial(false);
        let mesh = &version.mesh;
        let Self { paths, path, .. } = self;
        let shortest = options.with_search(PathSearch::Shortest);
        let found = mesh.query().options(shortest).memory(paths).path_into(from, to, path);
        QueryError::accept_no_path(found).expect("both ends");
        assert_eq!(
            path.outcome == Outcome::Complete,
            expected.is_finite(),
            "pair {pair}, links {:b}",
            version.has
        );
        if expected.is_finite() {
            let found = f64::from(path.cost);
            // The oracle's ends lie slightly off the corners.
            let slack = 1e-3 * (1 + path.links.len()) as f64 + 1e-4 * expected;
            assert!(
                (found - expected).abs() <= slack,
                "pair {pair}, links {:b}: {found}, {expected}",
                version.has
            );
            self.complete += 1;
            self.linked += usize::from(!path.links.is_empty());
            assert!(path.links.iter().all(|used| mesh.link(used.link).is_some()));
        }
        let found = mesh.query().options(options).memory(paths).path_into(from, to, path);
        QueryError::accept_no_path(found).expect("both ends");
        assert_eq!(path.outcome == Outcome::Complete, expected.is_finite());
        assert!(f64::from(path.cost) >= expected - 0.01 || expected.is_infinite());
        let (free, end) = oracle.look(mesh, pair, &mut self.surface);
        assert_eq!((free.to_bits(), end), (oracle.rays[pair].to_bits(), oracle.moves[pair]));
    }
}

#[test]
fn queries_are_right_while_links_come_and_go_and_memory_does_not_grow() {
    let wanted = std::env::var("WAYMESH_SOAK_QUERIES").ok().and_then(|count| count.parse().ok());
    let queries: usize = wanted.unwrap_or(20_000);
    let mut random = Random::new(11);
    let mesh = random_mesh(&mut random);
    let oracle = Oracle::new(&mesh, &mut random);
    // Readers take the current mesh and keep it as long as they like. The writer makes the next one and
    // swaps it in: the lock is held for two pointers.
    let shared = RwLock::new(Arc::new(Version { mesh, has: 0 }));
    let mut workers = [Worker::default(), Worker::default()];
    let mut used = Vec::new();
    let rounds = 10;
    // Four queries of each pair that is drawn.
    let draws = queries.div_ceil(4 * rounds * workers.len());
    let mut changes = 0;
    for round in 0..rounds {
        let asking = AtomicUsize::new(workers.len());
        std::thread::scope(|scope| {
            for (number, worker) in workers.iter_mut().enumerate() {
                let (shared, oracle, asking) = (&shared, &oracle, &asking);
                scope.spawn(move || {
                    // Also when a check fails, so that the others stop.
                    struct Done<'a>(&'a AtomicUsize);
                    impl Drop for Done<'_> {
                        fn drop(&mut self) {
                            self.0.fetch_sub(1, Ordering::Relaxed);
                        }
                    }
                    let _done = Done(asking);
                    let mut random = Random::new((round * 2 + number) as u64);
                    for _ in 0..draws {
                        let version = Arc::clone(&shared.read().expect("no panic"));
                        worker.ask(oracle, &version, random.index(PAIRS));
                    }
                });
            }
            while asking.load(Ordering::Relaxed) > 0 {
                let number = random.index(LINKS);
                let mut next = Version::clone(&shared.read().expect("no panic"));
                let data = oracle.links[number].data;
                match next.mesh.links().iter().position(|link| link.data == data) {
                    Some(at) => {
                        let id = next.mesh.link_ids()[at];
                        assert_eq!(next.mesh.remove_link(id), Some(oracle.links[number]));
                    }
                    None => {
                        next.mesh.add_link(oracle.links[number]).expect("a good link");
                    }
                }
                next.has ^= 1 << number;
                *shared.write().expect("no panic") = Arc::new(next);
                changes += 1;
                std::thread::yield_now();
            }
        });
        used.push(MEMORY.current_usage());
    }
    let [complete, linked] = [|worker: &Worker| worker.complete, |worker: &Worker| worker.linked]
        .map(|of| workers.iter().map(of).sum::<usize>());
    eprintln!(
        "{} queries, {changes} changes of links, {complete} complete, {linked} over links, bytes after each round: {used:?}",
        4 * rounds * draws * workers.len(),
    );
    assert!(changes > 0 && complete > 0 && linked > 0);
    // Scratches have reached their size after half of the rounds.
    assert!(used[5..].iter().all(|&bytes| bytes <= used[4] + SLACK_BYTES), "{used:?}");
}

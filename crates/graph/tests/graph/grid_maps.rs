//! Grid maps and published meshes against a slow search over the corners of their squares.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use glam::Vec3;
use waymesh_core::PolyMesh;
use waymesh_graph::{NavMesh, Outcome, Path, QueryScratch};
use waymesh_testkit::grid_maps::{GridMap, GridPair, read_pairs};
use waymesh_testkit::levels::find;

/// In halves of a square: middles are odd, corners even.
type Place = (i64, i64);

const UNIT: i64 = 2;

fn text(name: &str) -> Option<String> {
    Some(std::fs::read_to_string(find(name)?).expect("a file that can be read"))
}

fn distance(a: Place, b: Place) -> f64 {
    ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64) / UNIT as f64
}

/// A search over the corners of a map, exact in what it sees.
struct Oracle<'a> {
    map: &'a GridMap,
    /// Corners where a way may turn: of their four squares one is solid.
    corners: Vec<Place>,
    /// In which direction from each corner the solid square lies.
    solid: Vec<Place>,
    /// The useful visible corners of each corner, computed at the first use.
    seen: RefCell<BTreeMap<usize, Vec<usize>>>,
}

impl<'a> Oracle<'a> {
    fn new(map: &'a GridMap) -> Self {
        let (mut corners, mut solid) = (Vec::new(), Vec::new());
        for z in 0..=map.depth {
            for x in 0..=map.width {
                let around = [(-1, -1), (0, -1), (-1, 0), (0, 0)];
                let mut closed = around.iter().filter(|(dx, dz)| !map.is_open(x + dx, z + dz));
                if let (Some(&(dx, dz)), None) = (closed.next(), closed.next()) {
                    corners.push((i64::from(x) * UNIT, i64::from(z) * UNIT));
                    solid.push((i64::from(2 * dx + 1), i64::from(2 * dz + 1)));
                }
            }
        }
        Self { map, corners, solid, seen: RefCell::default() }
    }

    /// `true` if a shortest way from a place to a corner, or back, may turn at the corner: the
    /// place lies in neither of two quadrants, that of the solid square, which hides it, and
    /// the opposite one, from where the way would turn with its back to the square and could be
    /// cut short.
    fn may_turn(&self, corner: usize, place: Place) -> bool {
        let (at, solid) = (self.corners[corner], self.solid[corner]);
        (place.0 - at.0) * solid.0 * (place.1 - at.1) * solid.1 <= 0
    }

    /// Calls `visit` for the corners that a way may turn at after it turned at this one.
    fn visit_seen(&self, corner: usize, visit: impl FnMut(usize)) {
        let mut seen = self.seen.borrow_mut();
        let seen = seen.entry(corner).or_insert_with(|| {
            let at = self.corners[corner];
            let others = self.corners.iter().enumerate();
            let may_turn =
                others.filter(|&(other, &place)| self.may_turn(corner, place) && self.may_turn(other, at));
            let sees = may_turn.filter(|&(other, &place)| other != corner && self.sees(at, place));
            sees.map(|(other, _)| other).collect()
        });
        seen.iter().copied().for_each(visit);
    }

    /// `true` if two solid squares meet in a corner only: this search would go through there.
    fn has_pinches(&self) -> bool {
        let open = |x: i32, z: i32| self.map.is_open(x, z);
        (0..=self.map.depth).any(|z| {
            (0..=self.map.width).any(|x| {
                open(x, z) == open(x - 1, z - 1)
                    && open(x - 1, z) == open(x, z - 1)
                    && open(x, z) != open(x - 1, z)
            })
        })
    }

    fn solid(&self, x: i64, z: i64) -> bool {
        !self.map.is_open(x as i32, z as i32)
    }

    /// `true` if the straight line between two places meets the inside of no solid square, nor runs
    /// between two of them.
    fn sees(&self, a: Place, b: Place) -> bool {
        let (a, b) = if a.1 <= b.1 { (a, b) } else { (b, a) };
        let (dx, dz) = (b.0 - a.0, b.1 - a.1);
        let squares = |low: i64, high: i64| low.div_euclid(UNIT)..=(high - 1).div_euclid(UNIT);
        if dx == 0 && a.0 % UNIT == 0 {
            let x = a.0 / UNIT;
            return squares(a.1, b.1).all(|z| !self.solid(x, z) || !self.solid(x - 1, z));
        }
        if dz == 0 {
            let (low, high) = (a.0.min(b.0), a.0.max(b.0));
            let z = a.1.div_euclid(UNIT);
            let is_between = a.1 % UNIT == 0;
            return squares(low, high).all(|x| !self.solid(x, z) || (is_between && !self.solid(x, z - 1)));
        }
        for z in squares(a.1, b.1) {
            // Entry into and exit from the row, times `dz`.
            let at = |z: i64| a.0 * dz + dx * (z - a.1);
            let ends = [at((z * UNIT).max(a.1)), at(((z + 1) * UNIT).min(b.1))];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let first = low.div_euclid(UNIT * dz);
            let last = (high - 1).div_euclid(UNIT * dz).max(first);
            if (first..=last).any(|x| self.solid(x, z)) {
                return false;
            }
        }
        true
    }

    /// Length of the shortest way, infinite if there is none as short as `limit`: A* over corners
    /// that see each other; from and to the ends it looks only when a place comes first.
    fn shortest(&self, from: Place, to: Place, limit: f64) -> f64 {
        let count = self.corners.len();
        let (goal, start) = (count, count + 1);
        let place = |node: usize| {
            if node == goal {
                to
            } else if node == start {
                from
            } else {
                self.corners[node]
            }
        };
        let mut best = vec![f64::INFINITY; count + 1];
        let mut done = vec![false; count + 2];
        let mut open = BinaryHeap::new();
        open.push((Reverse(distance(from, to).to_bits()), 0.0_f64.to_bits(), start, start));
        while let Some((_, length, node, parent)) = open.pop() {
            let is_end = node == goal || parent == start;
            if done[node] || (is_end && !self.sees(place(parent), place(node))) {
                continue;
            }
            let length = f64::from_bits(length);
            done[node] = true;
            if node == goal {
                return length;
            }
            let mut offer = |other: usize| {
                if done[other] {
                    return;
                }
                let through = length + distance(place(node), place(other));
                let estimate = through + distance(place(other), to);
                // An unchecked corner may be hidden: only a visible one excludes more expensive paths.
                let is_seen = node != start && other != goal;
                if estimate > limit || (is_seen && through >= best[other]) {
                    return;
                }
                if is_seen {
                    best[other] = through;
                }
                open.push((Reverse(estimate.to_bits()), through.to_bits(), other, node));
            };
            if node == start {
                (0..count).filter(|&corner| self.may_turn(corner, from)).for_each(&mut offer);
                offer(goal);
            } else {
                if self.may_turn(node, to) {
                    offer(goal);
                }
                self.visit_seen(node, offer);
            }
        }
        f64::INFINITY
    }
}

/// The middle of a square.
fn middle([x, z]: [i32; 2]) -> (Place, Vec3) {
    let place = (i64::from(x) * UNIT + 1, i64::from(z) * UNIT + 1);
    (place, Vec3::new(x as f32 + 0.5, 0.0, z as f32 + 0.5))
}

fn shortest(mesh: &NavMesh, pair: &GridPair, scratch: &mut QueryScratch) -> Path {
    let path = mesh.query().shortest().memory(scratch).path(middle(pair.from).1, middle(pair.to).1).unwrap();
    assert_eq!(path.outcome, Outcome::Complete, "{pair:?}");
    path
}

/// Checks a way against what is listed, and that no part of it leaves the open squares.
fn check(oracle: &Oracle<'_>, pair: &GridPair, path: &Path) {
    let length = f64::from(path.length);
    assert!(length <= pair.length * (1.0 + 1e-5) + 1e-4, "{pair:?}: {length}");
    let straight = distance(middle(pair.from).0, middle(pair.to).0);
    assert!(length >= straight * (1.0 - 1e-5), "{pair:?}: {length}, straight {straight}");
    let halves = |value: f32| {
        let halves = f64::from(value) * UNIT as f64;
        assert!((halves - halves.round()).abs() < 1e-3, "{pair:?} turns beside a corner");
        halves.round() as i64
    };
    let places: Vec<Place> = path.points.iter().map(|point| (halves(point.x), halves(point.z))).collect();
    for ends in places.windows(2) {
        assert!(oracle.sees(ends[0], ends[1]), "{pair:?}: {ends:?}");
    }
}

fn published(name: &str) -> Option<PolyMesh> {
    let text = text(&format!("golden/polyanya_meshes/v2/{name}.mesh"))?;
    Some(waymesh_testkit::flat_meshes::read(&text).expect("a mesh of version 2"))
}

#[test]
fn every_listed_pair_of_arena_has_the_length_of_a_slow_search_on_all_three_meshes() {
    let (Some(map), Some(pairs)) =
        (text("movingai/maps/dao/arena.map"), text("golden/polyanya_scenarios/arena.scen"))
    else {
        return;
    };
    let (Some(plain), Some(merged)) = (published("arena"), published("arena-merged")) else { return };
    let map = GridMap::read(&map).expect("a map");
    let oracle = Oracle::new(&map);
    assert!(!oracle.has_pinches());
    let meshes = [plain, merged, map.mesh()].map(|mesh| NavMesh::try_from(mesh).unwrap());
    let mut scratch = QueryScratch::default();
    let pairs = read_pairs(&pairs);
    for pair in &pairs {
        let length = oracle.shortest(middle(pair.from).0, middle(pair.to).0, f64::INFINITY);
        for mesh in &meshes {
            let path = shortest(mesh, pair, &mut scratch);
            check(&oracle, pair, &path);
            assert!((f64::from(path.length) - length).abs() <= 1e-5 * (1.0 + length), "{pair:?}: {length}");
        }
    }
    assert_eq!(pairs.len(), 160);
}

#[test]
fn listed_pairs_of_aurora_are_never_over_the_listed_length_and_some_that_of_a_slow_search() {
    let Some(pairs) = text("golden/polyanya_scenarios/aurora.scen") else { return };
    let (Some(plain), Some(merged)) = (published("aurora"), published("aurora-merged")) else { return };
    let map = GridMap::under(&merged);
    assert_eq!(map, GridMap::under(&plain));
    let oracle = Oracle::new(&map);
    let mesh = NavMesh::try_from(merged).unwrap();
    let mut scratch = QueryScratch::default();
    let pairs = read_pairs(&pairs);
    let mut compared = 0;
    for (number, pair) in pairs.iter().enumerate() {
        let path = shortest(&mesh, pair, &mut scratch);
        check(&oracle, pair, &path);
        if number % 25 == 0 {
            // The way is one that can be walked, so none that is longer is of interest.
            let limit = f64::from(path.length) * (1.0 + 1e-5) + 1e-5;
            let length = oracle.shortest(middle(pair.from).0, middle(pair.to).0, limit);
            assert!((f64::from(path.length) - length).abs() <= 1e-5 * (1.0 + length), "{pair:?}: {length}");
            compared += 1;
        }
    }
    assert_eq!((pairs.len(), compared), (2990, 120));
}

#[test]
fn pairs_on_grid_maps_are_never_over_the_listed_length_nor_under_the_straight_line() {
    let mut scratch = QueryScratch::default();
    for name in ["arena", "brc202d", "den520d", "lak303d"] {
        let map = text(&format!("movingai/maps/dao/{name}.map"));
        let (Some(map), Some(pairs)) = (map, text(&format!("movingai/scen/dao/{name}.map.scen"))) else {
            continue;
        };
        let map = GridMap::read(&map).expect("a map");
        let oracle = Oracle::new(&map);
        let mesh = NavMesh::try_from(map.mesh()).unwrap();
        let pairs = read_pairs(&pairs);
        let (mut sum, mut listed) = (0.0, 0.0);
        for (number, pair) in pairs.iter().enumerate() {
            let path = shortest(&mesh, pair, &mut scratch);
            check(&oracle, pair, &path);
            if number % 10 == 0 {
                let quick =
                    mesh.query().memory(&mut scratch).path(middle(pair.from).1, middle(pair.to).1).unwrap();
                assert!(quick.length >= path.length * (1.0 - 1e-5), "{pair:?}");
            }
            (sum, listed) = (sum + f64::from(path.length), listed + pair.length);
        }
        eprintln!(
            "{name}: {} polygons, {} pairs, {:.4} of the listed",
            mesh.polygon_count(),
            pairs.len(),
            sum / listed
        );
        assert!(pairs.len() >= 160 && sum < listed);
    }
}

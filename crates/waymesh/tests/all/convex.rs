//! Convex decompositions of real triangulations: polygons from files, halls of thousands of
//! vertices, polygons that almost fall flat.

use std::fs;

use waymesh::PolyId;
use waymesh::convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh::core::{PlanPoint, PolyMesh, PolygonSet, Random, Triangulation, Validate};
use waymesh::triangulate::{RepairConfig, repair_polygons, triangulate_cdt, triangulate_ears};
use waymesh_testkit::hulls::depth_below_hull;
use waymesh_testkit::levels::find;
use waymesh_testkit::plans::{from_rings, hall, lower_bound, read_rings, round_pillars};

/// Polygons of notch portals, of greedy merging, in Recast's order, and of Hertel and Mehlhorn.
fn all(triangles: &Triangulation) -> [PolyMesh; 4] {
    let longest = GreedyConfig::default().with_order(MergeOrder::LongestEdge);
    [
        notch_portals(triangles, &NotchPortalsConfig::default()).expect("notch portals"),
        merge_greedy(triangles, &GreedyConfig::default()).expect("greedy"),
        merge_greedy(triangles, &longest).expect("longest edge"),
        merge_greedy(triangles, &GreedyConfig::default().with_order(MergeOrder::Stored))
            .expect("Hertel-Mehlhorn"),
    ]
}

/// `true` if the insides of two convex polygons meet: no edge of either has the other on its outer
/// side.
fn overlap(a: &[PlanPoint], b: &[PlanPoint]) -> bool {
    let parted = |a: &[PlanPoint], b: &[PlanPoint]| {
        (0..a.len()).any(|at| {
            let (from, to) = (a[at], a[(at + 1) % a.len()]);
            b.iter().all(|&point| PlanPoint::orientation(from, to, point) <= 0)
        })
    };
    !parted(a, b) && !parted(b, a)
}

/// No two polygons of one polygon overlap: a sweep along x, and a test of all pairs that it finds.
fn check_disjoint(name: &str, mesh: &PolyMesh) {
    let mut polygons: Vec<(i32, i32, u32, Vec<PlanPoint>)> = (0..mesh.polygons.len())
        .map(|polygon| {
            let points: Vec<_> =
                mesh.corners(PolyId::from_index(polygon)).iter().map(|&corner| mesh.point(corner)).collect();
            let [low, high] = [points.iter().map(|p| p.x).min(), points.iter().map(|p| p.x).max()];
            (low.unwrap_or(0), high.unwrap_or(0), mesh.polygons[polygon].region.0, points)
        })
        .collect();
    polygons.sort_by_key(|polygon| polygon.0);
    for (at, (_, high, region, points)) in polygons.iter().enumerate() {
        for (_, _, other_region, other) in polygons[at + 1..].iter().take_while(|other| other.0 < *high) {
            assert!(region != other_region || !overlap(points, other), "{name}: {points:?} and {other:?}");
        }
    }
}

/// Checks all decompositions of polygons that can be triangulated, and returns whether they can.
/// Overlaps of the input are allowed in the polygons.
fn check(name: &str, set: &PolygonSet) -> bool {
    let Ok(triangles) = triangulate_cdt(set) else { return false };
    let area: i128 =
        set.polygons.iter().flat_map(|polygon| polygon.loops()).map(|border| set.doubled_area(border)).sum();
    let (notches, _, least) = lower_bound(set);
    let meshes = all(&triangles);
    for mesh in &meshes {
        mesh.validate().unwrap_or_else(|violations| panic!("{name}: {violations}"));
        let polygons: i128 =
            (0..mesh.polygons.len()).map(|polygon| mesh.doubled_area(PolyId::from_index(polygon))).sum();
        // Exactly, not only to nine digits.
        assert_eq!(polygons, area, "{name}: area");
        check_disjoint(name, mesh);
        assert!(mesh.polygons.len() >= least, "{name}: {} polygons, {least} at least", mesh.polygons.len());
        assert!(mesh.polygons.len() <= 2 * notches + set.polygons.len(), "{name}: {notches} notches");
    }
    let counts = meshes.each_ref().map(|mesh| mesh.polygons.len());
    assert!(counts.iter().all(|&count| counts[0] <= count), "{name}: {counts:?}");
    assert_eq!(meshes[0].vertices.len(), meshes[1].vertices.len(), "{name}: every corner is on a wall");
    true
}

/// Every file, repaired where it needs it. What falls flat leaves nothing to cut, and that is all
/// that may be left out.
#[test]
fn polygons_from_files() {
    let (mut cut, mut repaired, mut flat) = (0, 0, Vec::new());
    for folder in ["earcut_fixtures", "georust/geo-test-fixtures/fixtures"] {
        let Some(folder) = find(&format!("polygons2d/{folder}")) else { return };
        let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
        let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
        files.sort();
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let read = from_rings(&read_rings(&text));
            let config = RepairConfig::default().with_max_border_shift(3.0 * read.frame.cell_size);
            let (set, report) =
                repair_polygons(&read, &config).unwrap_or_else(|error| panic!("{name}: {error}"));
            if set.polygons.is_empty() {
                flat.push(name);
                continue;
            }
            assert!(check(&name, &set), "{name}: {:?}", triangulate_cdt(&set).err());
            cut += 1;
            repaired += u32::from(!report.repaired.is_empty());
        }
    }
    assert!(cut > 50 && repaired > 10, "{cut} files, {repaired} repaired");
    assert!(flat.len() < 10, "nothing left of {flat:?}");
}

#[test]
fn halls_of_up_to_ten_thousand_vertices() {
    for (seed, vertices, round) in
        [(1, 23, 5), (2, 100, 8), (3, 400, 3), (4, 965, 12), (5, 3000, 40), (6, 10_000, 9)]
    {
        let name = format!("hall {seed} of {vertices}");
        let set = hall(seed, vertices, round);
        assert!(check(&name, &set), "{name}");
        // The triangulation matters little: from ears alone there come about as many cells.
        if vertices <= 1000 {
            let ears = triangulate_ears(&set).expect("a hall can be triangulated");
            let [ears, delaunay] = [ears, triangulate_cdt(&set).expect("so it can")]
                .map(|triangles| all(&triangles)[0].polygons.len());
            assert!(
                10 * ears <= 11 * delaunay + 20,
                "{name}: {ears} polygons from ears, {delaunay} from Delaunay"
            );
        }
    }
}

/// Combs whose teeth are one grid step wide and thousands long, and rings between circles that
/// almost touch.
#[test]
fn polygons_that_almost_fall_flat() {
    let (mut combs, mut rings) = (0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let count = 3 + random.below(40);
        let mut ring: Vec<[f64; 2]> = Vec::new();
        for at in 0..count {
            let deep = if random.chance(0.3) { 1e8 } else { f64::from(random.below(2)) };
            ring.push([f64::from(at), -deep]);
        }
        for at in (0..count).rev() {
            ring.push([f64::from(at), 2.0 + f64::from(random.below(3))]);
        }
        // Keeps the step of the grid at 1.
        ring.extend([[-1.0, 2.0], [-2.0, -f64::from((1 << 28) - 10)]]);
        combs += u32::from(check(&format!("comb {seed}"), &from_rings(&[vec![ring]])));
    }
    for seed in 0..60 {
        // Between two circles that almost touch, at the edge of the grid.
        let mut random = Random::new(seed);
        let corners = 8 + random.below(60);
        let circle = |radius: f64| -> Vec<[f64; 2]> {
            (0..corners)
                .map(|at| std::f64::consts::TAU * f64::from(at) / f64::from(corners))
                .map(|angle| [radius * angle.cos(), radius * angle.sin()])
                .collect()
        };
        let thin = 1.0 - 1e-8 * f64::from(1 + random.below(50));
        rings += u32::from(check(&format!("ring {seed}"), &from_rings(&[vec![circle(1.0), circle(thin)]])));
    }
    assert!(combs > 30 && rings > 30, "{combs} combs and {rings} rings are valid");
}

#[test]
fn relaxed_by_forty_centimetres_round_pillars_need_a_third_fewer_polygons() {
    let triangles = triangulate_cdt(&round_pillars(4, 24)).expect("a hall");
    let polygons = |metres| {
        let config = NotchPortalsConfig::default().with_convex_distance(metres);
        notch_portals(&triangles, &config).expect("polygons")
    };
    let [strict, relaxed] = [0.0, 0.4].map(polygons);
    assert!(
        3 * relaxed.polygons.len() <= 2 * strict.polygons.len(),
        "{} of {}",
        relaxed.polygons.len(),
        strict.polygons.len()
    );
    let area = |mesh: &PolyMesh| -> i128 {
        (0..mesh.polygons.len()).map(|polygon| mesh.doubled_area(PolyId::from_index(polygon))).sum()
    };
    assert_eq!((area(&relaxed), relaxed.vertices.len()), (area(&strict), strict.vertices.len()));
    for polygon in (0..relaxed.polygons.len()).map(PolyId::from_index) {
        let depth = depth_below_hull(&relaxed, polygon) * f64::from(relaxed.frame.cell_size);
        assert!(depth <= 0.4 + 1e-6, "{polygon}: {depth} m");
    }
}

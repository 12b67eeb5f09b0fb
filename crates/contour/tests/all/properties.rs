//! Properties of traced and simplified contours on difficult random regions, checked by slow and
//! simple reference code.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use waymesh_contour::{BorderScan, CornerChoice, SimplifyConfig, simplify_contours, trace_contours};
use waymesh_core::{
    ArcId, AreaId, ContourSet, Counter, NO_REGION, Observer, PlanPoint, PlanVertex, RegionMap, Validate,
    WalkableField,
};
use waymesh_testkit::fields::{self, Floor};
use waymesh_testkit::{Random, polygons};

/// Returns a field of one storey, with single blocked cells and blocked rows, and patches of a
/// second area.
fn flat(seed: u64, width: u32, depth: u32) -> WalkableField {
    let mut random = Random::new(seed);
    let density = random.unit() * 0.4;
    let streaks = random.unit() * 0.05;
    let mut blocked = vec![false; (width * depth) as usize];
    for cell in 0..width * depth {
        blocked[cell as usize] |= random.chance(density);
        if random.chance(streaks) {
            let (step, length) = ([1, width, width + 1][random.below(3) as usize], random.below(12));
            for place in (0..length).map(|index| cell + index * step).filter(|&place| place < width * depth) {
                blocked[place as usize] = true;
            }
        }
    }
    let columns: Vec<Vec<Floor>> = (0..width * depth)
        .map(|cell| {
            let area = if (cell % width) / 9 == 1 { AreaId(2) } else { AreaId::GROUND };
            if blocked[cell as usize] { Vec::new() } else { vec![Floor { level: 0, area }] }
        })
        .collect();
    fields::from_floors(width, depth, &columns)
}

fn config(seed: u64) -> SimplifyConfig {
    let mut random = Random::new(seed ^ 0x5eed);
    let error = [0.0, 0.2, 0.39, 0.39, 1.0, 6.0][random.below(6) as usize];
    let length = [0.0, 0.0, 0.5, 3.0][random.below(4) as usize];
    SimplifyConfig::default()
        .with_max_edge_error(error)
        .with_max_edge_length(length)
        .with_max_seam_error([0.0, 0.7, 5.0, 5.0, 1e3][random.below(5) as usize])
        .with_corners({
            [CornerChoice::Farthest, CornerChoice::FewestNotches, CornerChoice::ByWidth]
                [random.below(3) as usize]
        })
}

#[derive(Default)]
struct Refined(u64);

impl Observer for Refined {
    fn count(&mut self, counter: Counter, amount: u64) {
        assert_eq!(counter, Counter::ArcsRefined);
        self.0 += amount;
    }
}

fn valid(what: &str, contours: &ContourSet) {
    contours.validate().unwrap_or_else(|violations| panic!("{what}: {violations}"));
}

fn arc_points(contours: &ContourSet, arc: usize) -> Vec<PlanPoint> {
    contours.arc_vertices(ArcId::from_index(arc)).iter().map(|&vertex| contours.point(vertex)).collect()
}

fn distance(point: PlanPoint, from: PlanPoint, to: PlanPoint) -> f64 {
    let [(px, pz), (ax, az), (bx, bz)] = [point, from, to].map(|p| (f64::from(p.x), f64::from(p.z)));
    let length = (bx - ax).powi(2) + (bz - az).powi(2);
    let t = (((px - ax) * (bx - ax) + (pz - az) * (bz - az)) / length).clamp(0.0, 1.0);
    (px - ax - t * (bx - ax)).hypot(pz - az - t * (bz - az))
}

fn is_in_order(kept: &[PlanVertex], raw: &[PlanVertex]) -> bool {
    let mut rest = raw.iter();
    kept.iter().all(|vertex| rest.any(|other| other == vertex))
}

/// Returns the vertices of an arc before and after. A ring may begin at another vertex afterwards;
/// then the vertices before are rotated to match.
fn arc_vertices(raw: &ContourSet, simple: &ContourSet, arc: ArcId) -> [Vec<PlanVertex>; 2] {
    let vertices = |set: &ContourSet| -> Vec<PlanVertex> {
        set.arc_vertices(arc).iter().map(|&vertex| set.vertices[vertex.index()]).collect()
    };
    let (before, kept) = (vertices(raw), vertices(simple));
    let ids = raw.arc_vertices(arc);
    let ring = if ids.first() == ids.last() { &before[1..] } else { &[] };
    let turned = (0..ring.len()).map(|start| [&ring[start..], &ring[..=start]].concat());
    let fits = |raw: &Vec<PlanVertex>| raw.first() == kept.first() && is_in_order(&kept, raw);
    let turned = turned.into_iter().find(fits);
    [turned.unwrap_or(before), kept]
}

/// Checks the ends, order, error bound and edge length of every arc.
fn arcs_keep_their_promises(raw: &ContourSet, simple: &ContourSet, config: &SimplifyConfig) {
    let cell = f64::from(raw.frame.cell_size);
    for index in 0..raw.arcs.len() {
        let (before, after) = (arc_points(raw, index), arc_points(simple, index));
        let [raw_vertices, kept] = arc_vertices(raw, simple, ArcId::from_index(index));
        assert_eq!(raw_vertices.first(), kept.first());
        assert_eq!(raw_vertices.last(), kept.last());
        assert!(is_in_order(&kept, &raw_vertices), "arc {index} is no subset in order");
        let arc = &raw.arcs[index];
        let area = |region: waymesh_core::RegionId| raw.regions[region.index()].area;
        let is_seam = arc.right.is_some_and(|right| area(right) == area(arc.left));
        let is_closed = before[0] == before[before.len() - 1] && raw_vertices.first() == raw_vertices.last();
        let allowed = if is_seam && !is_closed { config.max_seam_error } else { config.max_edge_error };
        for point in before {
            let nearest =
                after.windows(2).map(|edge| distance(point, edge[0], edge[1])).fold(f64::INFINITY, f64::min);
            assert!(nearest * cell <= f64::from(allowed) + 1e-6, "arc {index}, {point:?}");
        }
        if arc.right.is_none() && config.max_edge_length > 0.0 {
            for edge in after.windows(2) {
                let length = (edge[0].distance_squared(edge[1]) as f64).sqrt();
                assert!(length <= 1.0 || length * cell <= f64::from(config.max_edge_length) + 1e-6);
            }
        }
    }
}

/// An edge of the result, and the raw points that it replaces.
struct Edge {
    ends: [PlanVertex; 2],
    chain: Vec<PlanPoint>,
}

fn edges(raw: &ContourSet, simple: &ContourSet) -> Vec<Edge> {
    let mut edges = Vec::new();
    for arc in (0..raw.arcs.len()).map(ArcId::from_index) {
        let [chain, kept] = arc_vertices(raw, simple, arc);
        let (mut chain, mut kept) = (chain.into_iter(), kept.into_iter());
        let (mut start, _) = (kept.next().expect("an arc has ends"), chain.next());
        for end in kept {
            let mut points = vec![start.point];
            points.extend(chain.by_ref().map(|vertex| vertex.point).take_while(|&point| point != end.point));
            points.push(end.point);
            edges.push(Edge { ends: [start, end], chain: points });
            start = end;
        }
    }
    edges
}

/// Checks that no two edges cross, whatever their regions, if their ends have about the same
/// height, unless the raw borders also cross, one above the other.
fn no_crossing_on_a_storey(raw: &ContourSet, simple: &ContourSet) {
    let edges = edges(raw, simple);
    for (index, first) in edges.iter().enumerate() {
        for second in &edges[..index] {
            let ([a, b], [c, d]) = (first.ends.map(|v| v.point), second.ends.map(|v| v.point));
            let side = |p, q, r| PlanPoint::orientation(p, q, r);
            let crosses = side(a, b, c).signum() * side(a, b, d).signum() < 0
                && side(c, d, a).signum() * side(c, d, b).signum() < 0;
            if crosses && !first.chain.iter().any(|point| second.chain.contains(point)) {
                let heights = || first.ends.iter().chain(&second.ends).map(|vertex| vertex.height);
                let gap = heights().fold(f32::MIN, f32::max) - heights().fold(f32::MAX, f32::min);
                assert!(gap > 4.0, "{a:?} - {b:?} crosses {c:?} - {d:?}, all within {gap} levels");
            }
        }
    }
}

/// Checks that the borders of each region wind once around sample points inside it and never around
/// points outside. Returns the largest number of regions that hold one point.
fn most_covers(contours: &ContourSet) -> i32 {
    let set = contours.polygons();
    let mut covers: BTreeMap<(i32, i32), i32> = BTreeMap::new();
    for polygon in &set.polygons {
        let mut winding: BTreeMap<(i32, i32), i32> = BTreeMap::new();
        for polygon_loop in polygon.loops() {
            let points: Vec<PlanPoint> =
                polygon_loop.vertices.iter().map(|&vertex| set.point(vertex)).collect();
            for (index, &from) in points.iter().enumerate() {
                let to = points[(index + 1) % points.len()];
                // Sixteen samples per cell, none of them on a line through grid points of a small
                // grid.
                let (low, high) = (from.z.min(to.z) * 4, from.z.max(to.z) * 4);
                for row in low..high {
                    let z = f64::from(row) / 4.0 + 0.123_456_7;
                    let t = (z - f64::from(from.z)) / f64::from(to.z - from.z);
                    let x = f64::from(from.x) + t * f64::from(to.x - from.x);
                    for column in 0..=(set.frame.width * 4).cast_signed() {
                        // The ray points towards larger x.
                        if f64::from(column) / 4.0 + 0.045_678_9 < x {
                            *winding.entry((column, row)).or_default() += if to.z > from.z { 1 } else { -1 };
                        }
                    }
                }
            }
        }
        for (sample, winding) in winding {
            assert!(
                (0..=1).contains(&winding),
                "region {}: winds {winding} times around {sample:?}",
                polygon.region
            );
            *covers.entry(sample).or_default() += winding;
        }
    }
    covers.into_values().max().unwrap_or(0)
}

fn check(field: &WalkableField, regions: &RegionMap, config: &SimplifyConfig, flat: bool) {
    let raw = trace_contours(field, regions).expect("a valid region map");
    valid("raw", &raw);
    let set = raw.polygons();
    for (polygon, size) in set.polygons.iter().zip(fields::region_sizes(regions)) {
        let doubled: i128 = polygon.loops().map(|polygon_loop| set.doubled_area(polygon_loop)).sum();
        assert_eq!(doubled, 2 * i128::from(size));
    }
    let simple = simplify_contours(&raw, config, &mut ()).expect("valid contours");
    valid("simplified", &simple);
    arcs_keep_their_promises(&raw, &simple, config);
    no_crossing_on_a_storey(&raw, &simple);
    let covers = most_covers(&simple);
    assert!(!flat || covers <= 1, "regions of one storey overlap");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), rng_seed: RngSeed::Fixed(2009), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flat_regions_stay_apart(seed: u64, width in 1_u32..28, depth in 1_u32..28) {
        let field = flat(seed, width, depth);
        check(&field, &fields::random_regions(&field, seed), &config(seed), true);
    }

    #[test]
    fn storeys_stay_valid(seed: u64, width in 8_u32..30, depth in 8_u32..30) {
        let field = fields::random(seed, width, depth);
        check(&field, &fields::random_regions(&field, seed), &config(seed), false);
    }

    #[test]
    fn tracing_agrees_with_the_obvious_way(seed: u64, width in 1_u32..20, depth in 1_u32..20) {
        let field = flat(seed, width, depth);
        let regions = fields::random_regions(&field, seed);
        let mut labels = vec![None; (width * depth) as usize];
        for (span, &region) in regions.labels.iter().enumerate() {
            labels[field.span_columns[span] as usize] = Some(region);
        }
        let expected = polygons::from_labels(width, depth, &labels);
        let actual = trace_contours(&field, &regions).expect("a valid region map").polygons();
        // Makes loops of points and neighbours comparable, independent of their order and start.
        let canonical = |set: &waymesh_core::PolygonSet| {
            let mut loops = Vec::new();
            for polygon in &set.polygons {
                for polygon_loop in polygon.loops() {
                    let mut steps: Vec<_> = polygon_loop
                        .vertices
                        .iter()
                        .zip(&polygon_loop.beyond)
                        .map(|(&vertex, &beyond)| (set.point(vertex), beyond))
                        .collect();
                    let least = (0..steps.len()).min_by_key(|&start| {
                        let mut turned = steps.clone();
                        turned.rotate_left(start);
                        turned
                    });
                    steps.rotate_left(least.unwrap_or(0));
                    loops.push((polygon.region, steps));
                }
            }
            loops.sort();
            loops
        };
        prop_assert_eq!(canonical(&expected), canonical(&actual));
        prop_assert_eq!(expected.vertices.len(), actual.vertices.len());
    }
}

/// Number of cases per property. The environment can raise it for long runs.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96)
}

#[test]
fn refined_arcs_are_counted() {
    let mut refined = Refined::default();
    for seed in 0..20 {
        let field = flat(seed, 24, 24);
        let raw = trace_contours(&field, &fields::random_regions(&field, seed)).expect("a valid region map");
        simplify_contours(&raw, &SimplifyConfig::default().with_max_edge_error(3.0), &mut refined)
            .expect("valid");
    }
    assert!(refined.0 > 20);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every span at a border is found, in order, for all kinds of tables.
    #[test]
    fn scans_miss_no_border(seed in any::<u64>(), is_flat: bool) {
        let field = if is_flat { flat(seed, 43, 39) } else { fields::random(seed, 43, 39) };
        let labels = fields::random_regions(&field, seed).labels;
        let label = |link: u32| labels.get(link as usize).copied().unwrap_or(NO_REGION);
        let is_border = |&span: &u32| {
            let own = labels[span as usize];
            own != NO_REGION && field.links[span as usize].iter().any(|&link| label(link) != own)
        };
        let expected: Vec<u32> = (0_u32..).take(field.len()).filter(is_border).collect();
        let mut found = [Vec::new(), Vec::new()];
        let mut note = |which: usize, column: u32, span: u32| {
            assert_eq!(field.span_columns[span as usize], column);
            found[which].push(span);
        };
        // A scan in two parts gives the same spans.
        let count = u32::try_from(labels.len()).unwrap();
        let middle = count / 3;
        for part in [0..middle, middle..count] {
            field.scan_borders(&labels, part.clone(), |column, span| note(0, column, span));
            fields::slim(&field).scan_borders(&labels, part, |column, span| note(1, column, span));
        }
        prop_assert_eq!(&found[0], &expected);
        prop_assert!(found[1].is_sorted());
        prop_assert!(expected.iter().all(|span| found[1].binary_search(span).is_ok()));
    }
}

//! Paths through a hierarchy.

use std::collections::BTreeMap;

use crate::{AnyCost, path_or_none};
use glam::Vec3;
use waymesh_core::{AreaId, BadField, PolyId};
use waymesh_graph::{
    AnyPolygon, AreaCosts, AreaFilter, Hierarchy, HierarchyConfig, HierarchyUse, NavMesh, Outcome, Path,
    PathOptions, PolygonFilter, QueryError, QueryScratch, TravelCost,
};

use crate::corridor::check;
use crate::meshes::{Chance, frame, from_map, navmesh, point_in, random_flat, random_map, random_polygon};
use crate::paths::shortest_in_corridor;
use crate::sliced::linked;

fn config(polygons: u32) -> HierarchyConfig {
    HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(polygons)
}

/// Finds a path through a hierarchy, and returns the use of the hierarchy.
fn find<F, C>(
    hierarchy: &Hierarchy<F, C>,
    mesh: &NavMesh,
    from: Vec3,
    to: Vec3,
    options: &PathOptions<F, C>,
    scratch: &mut QueryScratch,
) -> Result<(Path, HierarchyUse), QueryError>
where
    F: PolygonFilter + PartialEq + Clone,
    C: TravelCost + PartialEq + Clone,
{
    let path = mesh.query().options(options.clone().with_search(hierarchy)).memory(scratch).path(from, to);
    let path = QueryError::accept_no_path(path)?;
    Ok((path, scratch.hierarchy_use().expect("a hierarchy was asked")))
}

fn large(seed: u64) -> NavMesh {
    let walls = [10, 20, 28][(seed % 3) as usize];
    let map = random_map(seed, 45, 40, walls);
    navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0))
}

#[test]
fn a_path_leads_where_a_plain_one_leads_and_is_little_longer() {
    let mut chance = Chance(1);
    let (mut scratch, mut paths) = (QueryScratch::default(), QueryScratch::default());
    let mut uses: BTreeMap<HierarchyUse, usize> = BTreeMap::new();
    let (mut sum, mut plain_sum, mut worst, mut count) = (0.0, 0.0, 0.0_f32, 0_u16);
    for seed in 0..12 {
        let mesh = large(seed);
        let hierarchy = Hierarchy::new(&mesh, &config([12, 30, 80][(seed % 3) as usize])).unwrap();
        for _ in 0..40 {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let options = PathOptions::default();
            let (path, how) = find(&hierarchy, &mesh, from, to, &options, &mut scratch).unwrap();
            *uses.entry(how).or_default() += 1;
            let plain = path_or_none(mesh.query().memory(&mut paths).partial().path(from, to));
            assert_eq!(path.outcome, plain.outcome);
            if path.outcome == Outcome::Unreachable {
                continue;
            }
            check(&mesh, &path);
            assert_eq!((path.points[0], path.points.last()), (plain.points[0], plain.points.last()));
            assert!((f64::from(path.length) - shortest_in_corridor(&mesh, &path)).abs() < 1e-3);
            if how == HierarchyUse::Clusters && path.outcome == Outcome::Complete {
                let exact = path_or_none(mesh.query().shortest().memory(&mut paths).partial().path(from, to));
                assert!(path.length >= exact.length - 1e-3);
                let ratio = path.length / exact.length.max(0.1);
                (sum, count) = (sum + ratio, count + 1);
                plain_sum += plain.length / exact.length.max(0.1);
                worst = worst.max(ratio);
            }
        }
    }
    let count = f32::from(count);
    eprintln!("{uses:?}, {:.4} mean (A* {:.4}), {worst:.3} at worst", sum / count, plain_sum / count);
    assert!(uses[&HierarchyUse::Clusters] > 100 && uses[&HierarchyUse::Near] > 20);
    assert!(sum / count < 1.05 && worst < 1.8);
}

#[test]
fn a_hierarchy_is_used_no_more_when_links_change_until_it_is_made_again() {
    let mut mesh = (0..).map(linked).find(|mesh| mesh.polygon_count() > 60).unwrap();
    let mut scratch = QueryScratch::default();
    let mut ask = |mesh: &NavMesh, hierarchy: &Hierarchy| {
        let mut chance = Chance(5);
        let [from, to] = [0, 1].map(|_| point_in(mesh, random_polygon(mesh, &mut chance), &mut chance));
        let _ = mesh.query().search(hierarchy).memory(&mut scratch).path(from, to);
        scratch.hierarchy_use().unwrap()
    };
    let hierarchy = Hierarchy::new(&mesh, &config(8)).unwrap();
    assert_ne!(ask(&mesh, &hierarchy), HierarchyUse::Stale);
    let link = mesh.link_ids()[0];
    mesh.set_link_open(link, false);
    assert_eq!(ask(&mesh, &hierarchy), HierarchyUse::Stale);
    let hierarchy = Hierarchy::new(&mesh, &config(8)).unwrap();
    assert_ne!(ask(&mesh, &hierarchy), HierarchyUse::Stale);
    mesh.remove_link(link);
    assert_eq!(ask(&mesh, &hierarchy), HierarchyUse::Stale);
    let small = Hierarchy::new(&mesh, &HierarchyConfig::default()).unwrap();
    assert_eq!(ask(&mesh, &small), HierarchyUse::Small);
}

#[test]
fn clusters_hang_together_and_hold_every_polygon() {
    for seed in 0..6 {
        let mesh = large(seed);
        let hierarchy = Hierarchy::new(&mesh, &config(30)).unwrap();
        let mut members: BTreeMap<u32, Vec<PolyId>> = BTreeMap::new();
        for polygon in mesh.polygons() {
            members.entry(hierarchy.cluster_of(polygon.id()).unwrap()).or_default().push(polygon.id());
        }
        assert_eq!(members.len(), hierarchy.figures().clusters);
        assert!(hierarchy.figures().levels > 2 && hierarchy.figures().entrances > members.len() / 2);
        for (cluster, polygons) in &members {
            assert!(polygons.len() <= 45);
            let mut seen = vec![polygons[0]];
            let mut next = 0;
            while next < seen.len() {
                for neighbour in mesh.polygon(seen[next]).unwrap().neighbours().flatten() {
                    if hierarchy.cluster_of(neighbour) == Some(*cluster) && !seen.contains(&neighbour) {
                        seen.push(neighbour);
                    }
                }
                next += 1;
            }
            assert_eq!(seen.len(), polygons.len());
        }
        let small = members.values().filter(|polygons| polygons.len() < 10).count();
        // Small ones are islands, or walled in by full ones.
        assert!(small < members.len(), "{small} of {}", members.len());
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| Hierarchy::new(&mesh, &config(30)).unwrap() == hierarchy));
        }
        assert_eq!(hierarchy.cluster_of(PolyId(1 << 30)), None);
    }
}

#[test]
fn links_are_taken_in_their_direction_and_named() {
    let mut chance = Chance(3);
    let (mut scratch, mut paths) = (QueryScratch::default(), QueryScratch::default());
    let (mut taken, mut lost) = (0, 0);
    for seed in 0..60 {
        let mesh = linked(seed);
        let hierarchy = Hierarchy::new(&mesh, &config(5)).unwrap();
        for _ in 0..20 {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let options = PathOptions::default().with_allow_partial(false);
            let (path, how) = find(&hierarchy, &mesh, from, to, &options, &mut scratch).unwrap();
            let plain = path_or_none(mesh.query().options(options).memory(&mut paths).path(from, to));
            assert_eq!(path.outcome, plain.outcome, "{how:?}");
            // Known without a search, also where it hangs on the direction of a link.
            assert!(how != HierarchyUse::NoPath || path.outcome == Outcome::Unreachable);
            lost += usize::from(how == HierarchyUse::NoPath);
            let (partial, _) =
                find(&hierarchy, &mesh, from, to, &PathOptions::default(), &mut scratch).unwrap();
            let plain = path_or_none(mesh.query().memory(&mut paths).partial().path(from, to));
            assert_eq!(partial.outcome, plain.outcome, "{how:?}");
            if path.outcome == Outcome::Complete {
                check(&mesh, &path);
                for used in &path.links {
                    let link = mesh.link(used.link).unwrap();
                    assert!(link.both_ways || !used.backwards);
                    taken += usize::from(how == HierarchyUse::Clusters);
                }
            }
        }
    }
    assert!(taken > 40 && lost > 10, "{taken}, {lost}");
}

/// Dear ground, and a toll at the borders of kinds of ground; some of them closed in one direction.
#[derive(Clone, Debug, PartialEq)]
struct Tolls {
    areas: AreaCosts,
    toll: f32,
    is_gate: bool,
}

impl TravelCost for Tolls {
    fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32 {
        self.areas.per_metre(mesh, polygon)
    }

    fn least(&self) -> f32 {
        self.areas.least()
    }

    fn entering(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> f32 {
        let [from, to] = [from, to].map(|polygon| mesh.polygon(polygon).unwrap().area_id().0);
        if self.is_gate && from == 1 && to == 2 {
            return f32::INFINITY;
        }
        if from == to { 0.0 } else { self.toll }
    }
}

#[test]
fn with_costs_a_path_costs_little_more_than_a_plain_one() {
    let mut chance = Chance(11);
    let (mut scratch, mut paths) = (QueryScratch::default(), QueryScratch::default());
    let mut uses: BTreeMap<HierarchyUse, usize> = BTreeMap::new();
    let (mut sum, mut blind, mut count) = (0.0, 0.0, 0_u16);
    for seed in 0..12 {
        let mesh = large(seed);
        let areas = AreaCosts::default().with(AreaId(2), 6.0).with(AreaId(3), 3.0);
        let cost = Tolls { areas, toll: [0.0, 0.0, 2.0][(seed % 3) as usize], is_gate: seed % 4 == 3 };
        let size = config([12, 30, 80][(seed % 3) as usize]);
        let hierarchy = Hierarchy::with_costs(&mesh, AnyPolygon, cost.clone(), &size).unwrap();
        let options = PathOptions::default().with_cost(cost.clone());
        let plain_options = PathOptions::default();
        for _ in 0..40 {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let (path, how) = find(&hierarchy, &mesh, from, to, &options, &mut scratch).unwrap();
            *uses.entry(how).or_default() += 1;
            let query = mesh.query().costs(&cost as AnyCost).memory(&mut paths);
            let plain = path_or_none(query.partial().path(from, to));
            assert_eq!(path.outcome, plain.outcome);
            if path.outcome == Outcome::Unreachable {
                continue;
            }
            check(&mesh, &path);
            assert_eq!((path.points[0], path.points.last()), (plain.points[0], plain.points.last()));
            let is_closed = |pair: &[PolyId]| cost.entering(&mesh, pair[0], pair[1]).is_infinite();
            assert!(!path.polygons.windows(2).any(is_closed));
            if how == HierarchyUse::Clusters && path.outcome == Outcome::Complete && !cost.is_gate {
                let short =
                    path_or_none(mesh.query().options(plain_options).memory(&mut paths).path(from, to));
                let same = PathOptions::default().with_cost(cost.clone());
                let dearer = price(&mesh, &short, &same);
                sum += path.cost / plain.cost.max(0.1);
                blind += dearer / plain.cost.max(0.1);
                count += 1;
            }
        }
    }
    let [sum, blind] = [sum, blind].map(|sum| sum / f32::from(count));
    eprintln!("{uses:?}, {sum:.4} mean, {blind:.4} where costs are not looked at");
    assert!(uses[&HierarchyUse::Clusters] > 100);
    assert!(sum < 1.1 && sum < blind);
}

/// Returns the cost of a path under other costs, step by step.
fn price(mesh: &NavMesh, path: &Path, options: &PathOptions<AnyPolygon, Tolls>) -> f32 {
    let mut sum = 0.0;
    for pair in path.points.windows(2) {
        for step in 0..200 {
            let at = pair[0].lerp(pair[1], (step as f32 + 0.5) / 200.0);
            let polygon = *path.polygons.iter().find(|&&polygon| mesh.contains(polygon, at)).unwrap();
            sum += options.cost.per_metre(mesh, polygon) * pair[0].distance(pair[1]) / 200.0;
        }
    }
    let entered = path.polygons.windows(2).map(|pair| options.cost.entering(mesh, pair[0], pair[1]));
    sum + entered.sum::<f32>()
}

#[test]
fn what_it_was_not_made_for_is_done_without_it_and_told() {
    let mut chance = Chance(6);
    let mut paths = QueryScratch::default();
    let mut scratch = QueryScratch::default();
    let mesh = large(1);
    let dry = AreaFilter::default().without(AreaId(2));
    let hierarchy = Hierarchy::with_filter(&mesh, dry, &config(20)).unwrap();
    let dear = AreaCosts::default().with(AreaId(3), 3.0);
    let dear = Hierarchy::with_costs(&mesh, dry, dear, &config(20)).unwrap();
    let other = large(2);
    let small = Hierarchy::new(&mesh, &HierarchyConfig::default()).unwrap();
    assert_eq!(small.figures().clusters, 0);
    let mut by_clusters = 0;
    for _ in 0..60 {
        let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        let options = PathOptions::default().with_filter(dry);
        match find(&hierarchy, &mesh, from, to, &options, &mut scratch) {
            Ok((path, how)) => {
                assert!(
                    path.polygons
                        .iter()
                        .all(|&polygon| mesh.polygon(polygon).unwrap().area_id() != AreaId(2))
                );
                let plain = path_or_none(mesh.query().options(options).memory(&mut paths).path(from, to));
                assert_eq!(path.outcome, plain.outcome);
                by_clusters += usize::from(how == HierarchyUse::Clusters);
            }
            Err(error) => {
                assert_eq!(
                    mesh.query().options(options).memory(&mut paths).path(from, to).unwrap_err(),
                    error
                );
            }
        }
        let all = PathOptions::default().with_filter(AreaFilter::default());
        let (path, how) = find(&hierarchy, &mesh, from, to, &all, &mut scratch).unwrap();
        assert_eq!(how, HierarchyUse::OtherFilter);
        assert_eq!(path, path_or_none(mesh.query().options(all).memory(&mut paths).path(from, to)));
        let costs = options.with_cost(AreaCosts::default().with(AreaId(3), 2.0));
        if let Ok((path, how)) = find(&dear, &mesh, from, to, &costs, &mut scratch) {
            assert_eq!(how, HierarchyUse::Costs);
            assert_eq!(path, path_or_none(mesh.query().options(costs).memory(&mut paths).path(from, to)));
        }
        if let Ok((path, how)) = find(&hierarchy, &other, from, to, &options, &mut scratch) {
            assert_eq!(how, HierarchyUse::Stale);
            assert_eq!(path, path_or_none(other.query().options(options).memory(&mut paths).path(from, to)));
        }
        let plain = PathOptions::default();
        let (path, how) = find(&small, &mesh, from, to, &plain, &mut scratch).unwrap();
        assert_eq!(how, HierarchyUse::Small);
        assert_eq!(path, path_or_none(mesh.query().memory(&mut paths).partial().path(from, to)));
    }
    assert!(by_clusters > 5);
}

#[test]
fn what_is_no_use_is_an_error() {
    let mesh = navmesh(random_flat(1));
    for polygons in [0, 1, 1 << 17] {
        let error = Hierarchy::new(&mesh, &config(polygons)).unwrap_err();
        assert!(matches!(error, QueryError::BadField(BadField { field: "cluster_polygons", .. })));
    }
    let hierarchy = Hierarchy::new(&mesh, &config(4)).unwrap();
    let mut scratch = QueryScratch::default();
    let mut path = Path::default();
    let nan = Vec3::splat(f32::NAN);
    let options = PathOptions::default().with_search(&hierarchy);
    let error = mesh.query().options(options).memory(&mut scratch).path_into(nan, Vec3::ZERO, &mut path);
    assert!(matches!(error, Err(QueryError::NotFinite { .. })));
    assert_eq!(path, Path::default());
}

#[test]
fn on_a_published_map_paths_are_little_longer_than_the_shortest() {
    let Some(file) = waymesh_testkit::levels::find("golden/polyanya_meshes/v2/aurora.mesh") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let mesh = NavMesh::try_from(waymesh_testkit::flat_meshes::read(&text).unwrap()).unwrap();
    // Large enough by default.
    let hierarchy = Hierarchy::new(&mesh, &HierarchyConfig::default()).unwrap();
    assert!(hierarchy.figures().clusters > 100);
    let (mut scratch, mut paths) = (QueryScratch::default(), QueryScratch::default());
    let mut chance = Chance(9);
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f32, 0_u16);
    while count < 150 {
        let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        let options = PathOptions::default();
        let (path, how) = find(&hierarchy, &mesh, from, to, &options, &mut scratch).unwrap();
        if how == HierarchyUse::Clusters && path.outcome == Outcome::Complete {
            check(&mesh, &path);
            let exact = path_or_none(mesh.query().shortest().memory(&mut paths).partial().path(from, to));
            let ratio = path.length / exact.length;
            assert!(ratio > 0.9999);
            (sum, worst, count) = (sum + ratio, worst.max(ratio), count + 1);
        }
    }
    eprintln!("{:.4} mean, {worst:.3} at worst", sum / f32::from(count));
    assert!(sum / f32::from(count) < 1.02 && worst < 1.3);
}

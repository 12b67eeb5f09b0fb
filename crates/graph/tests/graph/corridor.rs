//! Corridors that follow.

use crate::{AnyFilter, path_or_none};
use glam::{DVec3, Vec3, Vec3Swizzles};
use waymesh_core::{AreaId, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId};
use waymesh_graph::{
    AnyPolygon, CorridorChange, CorridorOptions, FlagFilter, FlagTable, Link, LinkEnd, LinkId, LinkKind,
    NavMesh, Outcome, Path, PathCorridor, PathOptions, PathSearch, Place, PolygonFilter, QueryError,
    QueryScratch, ReplanReason, SlicedPath,
};

use crate::meshes::{
    Builder, Chance, frame, from_map, navmesh, point_in, random_flat, random_map, random_polygon,
};
use crate::sliced::linked;

fn plan_length(path: &Path) -> f64 {
    let points: Vec<DVec3> = path.points.iter().map(|point| point.as_dvec3()).collect();
    points.windows(2).map(|pair| pair[0].xz().distance(pair[1].xz())).sum()
}

/// Polygons in succession are neighbours or linked; the ends lie in the first and the last; no
/// polygon comes twice.
pub(crate) fn check(mesh: &NavMesh, path: &Path) {
    assert_ne!(path.outcome, Outcome::Unreachable);
    assert!(mesh.contains(path.polygons[0], path.points[0]));
    assert!(mesh.contains(*path.polygons.last().unwrap(), *path.points.last().unwrap()));
    for pair in path.polygons.windows(2) {
        let is_neighbour =
            mesh.polygon(pair[0]).unwrap().neighbours().any(|polygon| polygon == Some(pair[1]));
        let is_linked = mesh.links().iter().any(|link| {
            (link.from.polygon, link.to.polygon) == (pair[0], pair[1])
                || (link.both_ways && (link.to.polygon, link.from.polygon) == (pair[0], pair[1]))
        });
        assert!(is_neighbour || is_linked, "{pair:?}");
    }
    let mut polygons = path.polygons.clone();
    polygons.sort_unstable();
    polygons.dedup();
    assert_eq!(polygons.len(), path.polygons.len());
}

/// `true` if islands touch in a point.
fn touches(mesh: &NavMesh, at: Vec3) -> bool {
    let mut islands =
        mesh.polygons().filter(|polygon| mesh.contains(polygon.id(), at)).map(|polygon| polygon.island());
    let first = islands.next();
    islands.any(|island| Some(island) != first)
}

/// A random walker: mostly towards the next corner, sometimes anywhere.
fn wander(corridor: &PathCorridor, chance: &mut Chance, stray: usize) -> Vec3 {
    let at = corridor.start().unwrap().position;
    if chance.one_in(stray) {
        return at + Vec3::new(chance.unit() - 0.5, 0.0, chance.unit() - 0.5) * 3.0;
    }
    let Some(&next) = corridor.next_corners(1).first() else { return at };
    let far = at.xz().distance(next.xz());
    if far < 0.4 { next } else { at + (next - at) * (0.4 / far) }
}

#[test]
fn a_followed_corridor_is_never_longer_than_stated_and_always_leads_on() {
    let mut scratch = QueryScratch::default();
    let mut paths = QueryScratch::default();
    let mut chance = Chance(2);
    let (mut moves, mut drifted, mut arrived, mut worst) = (0, 0, 0, 0.0_f64);
    for seed in 0..40 {
        let mesh = navmesh(random_flat(seed));
        let stray = [3, 10, 1000][(seed % 3) as usize];
        let options =
            CorridorOptions::default().with_path(PathOptions::default().with_search(PathSearch::Shortest));
        let mut corridor = PathCorridor::new(options);
        let [from, mut to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        corridor.plan(&mesh, from, to, &mut scratch).unwrap();
        for _ in 0..120 {
            if corridor.start().is_none() {
                break;
            }
            if chance.one_in(5) {
                to += Vec3::new(chance.unit() - 0.5, 0.0, chance.unit() - 0.5);
                if let Ok(CorridorChange::Nothing) = corridor.move_goal(&mesh, to, &mut scratch) {
                    break;
                }
                to = corridor.goal().unwrap().position;
            }
            let target = wander(&corridor, &mut chance, stray);
            let change = corridor.move_start(&mesh, target, &mut scratch).unwrap();
            if change == CorridorChange::Nothing {
                break;
            }
            drifted += usize::from(change == CorridorChange::Replanned { reason: ReplanReason::Drifted });
            moves += 1;
            let path = corridor.path();
            check(&mesh, path);
            let goal = corridor.goal().unwrap().position;
            let fresh = path_or_none(
                mesh.query()
                    .shortest()
                    .memory(&mut paths)
                    .partial()
                    .path(corridor.start().unwrap().position, goal),
            );
            if fresh.outcome != Outcome::Complete {
                // Where islands touch in a point, it is on both.
                let ends = [fresh.polygons[0], path.polygons[0]].map(|polygon| mesh.island_of(polygon));
                assert!(ends[0] != ends[1] || touches(&mesh, goal));
                break;
            }
            let (length, shortest) = (plan_length(path), plan_length(&fresh));
            assert!(length >= shortest - 1e-3);
            // The documented bound: a tenth, or a cell of the grid.
            let allowed = (0.1 * length).max(0.5);
            assert!(length <= shortest + allowed + 1e-3, "seed {seed}: {length} {shortest}");
            assert!(length - shortest <= f64::from(corridor.worst_excess()) + 1e-3);
            worst = worst.max(length - shortest);
            if chance.one_in(4) {
                let straight = chance.one_in(2);
                let before = plan_length(corridor.path());
                let shorter = if straight {
                    corridor.optimise_visibility(&mesh, 6.0, &mut scratch).unwrap()
                } else {
                    corridor.optimise_topology(&mesh, 6.0, &mut scratch).unwrap()
                };
                let after = plan_length(corridor.path());
                assert_eq!(after < before, shorter);
                assert!(after <= before);
                check(&mesh, corridor.path());
            }
            arrived += usize::from(corridor.path().points.len() == 1);
        }
    }
    eprintln!("{moves} moves, {drifted} planned anew, {worst} m too long at worst");
    assert!(
        moves > 2000 && drifted > 3 && arrived > 10 && worst > 0.01,
        "{moves} {drifted} {arrived} {worst}"
    );
}

#[test]
fn a_walker_that_keeps_to_the_path_never_plans_again() {
    let mut scratch = QueryScratch::default();
    let mut chance = Chance(8);
    for seed in 0..20 {
        let mesh = navmesh(random_flat(seed));
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        corridor.plan(&mesh, from, to, &mut scratch).unwrap();
        let mut walked = 0.0;
        let planned = plan_length(corridor.path());
        while corridor.path().points.len() > 1 {
            let at = corridor.start().unwrap().position;
            let target = wander(&corridor, &mut chance, 1_000_000);
            assert_eq!(corridor.move_start(&mesh, target, &mut scratch).unwrap(), CorridorChange::Kept);
            walked += f64::from(at.xz().distance(corridor.start().unwrap().position.xz()));
            assert!(walked + plan_length(corridor.path()) < planned + 1e-2);
        }
        let [start, goal] = [corridor.start(), corridor.goal()].map(|end| end.unwrap().position);
        assert!(start.xz().distance(goal.xz()) <= mesh.position_slack(), "{start} {goal}");
    }
}

#[test]
fn topology_takes_the_shorter_side_of_a_pillar() {
    // A ring round a pillar; the short path found first is made long by moving the goal round it.
    let map: Vec<String> = ["...", ".#.", "..."].map(str::to_owned).to_vec();
    let mesh = navmesh(from_map(&map, 4, frame(Vec3::ZERO), |_, _| 0.0));
    let mut scratch = QueryScratch::default();
    let options = CorridorOptions::default().with_max_drift(100.0).with_range(3.0);
    let mut corridor = PathCorridor::new(options);
    let around = |angle: f32| Vec3::new(6.0 + 4.0 * angle.cos(), 0.0, 6.0 + 4.0 * angle.sin());
    corridor.plan(&mesh, around(0.0), around(0.3), &mut scratch).unwrap();
    for step in 2..=52 {
        let change = corridor.move_goal(&mesh, around(step as f32 * 0.1), &mut scratch).unwrap();
        assert_eq!(change, CorridorChange::Kept);
        check(&mesh, corridor.path());
    }
    let long = plan_length(corridor.path());
    assert!(corridor.worst_excess() > 0.5);
    assert!(!corridor.optimise_visibility(&mesh, 1.0, &mut scratch).unwrap());
    assert!(corridor.optimise_topology(&mesh, 100.0, &mut scratch).unwrap());
    check(&mesh, corridor.path());
    let fresh = path_or_none(mesh.query().shortest().partial().path(around(0.0), around(5.2)));
    assert!((plan_length(corridor.path()) - plan_length(&fresh)).abs() < 1e-3);
    assert!(plan_length(&fresh) < 0.7 * long);
}

#[test]
fn a_moved_corridor_names_its_own_search_after_others_in_the_same_scratch() {
    let map: Vec<String> = ["...", ".#.", "..."].map(str::to_owned).to_vec();
    let mesh = navmesh(from_map(&map, 4, frame(Vec3::ZERO), |_, _| 0.0));
    let around = |angle: f32| Vec3::new(6.0 + 4.0 * angle.cos(), 0.0, 6.0 + 4.0 * angle.sin());
    for (own, other) in [(PathSearch::Shortest, PathSearch::Fast), (PathSearch::Fast, PathSearch::Shortest)] {
        let mut scratch = QueryScratch::default();
        let path = PathOptions::default().with_search(own);
        let options = CorridorOptions::default().with_max_drift(100.0).with_range(3.0);
        let mut corridor = PathCorridor::new(options.with_path(path));
        corridor.plan(&mesh, around(0.0), around(0.3), &mut scratch).unwrap();
        let mut kept = 0;
        for step in 4..=30 {
            let others = mesh.query().search(other).memory(&mut scratch).path(around(1.0), around(4.0));
            assert_eq!(others.unwrap().found_by, other);
            let to = around(step as f32 * 0.1);
            let change = corridor.move_goal(&mesh, to, &mut scratch).unwrap();
            kept += usize::from(change == CorridorChange::Kept);
            let Path { found_by, was_cut, .. } = *corridor.path();
            assert_eq!((found_by, was_cut), (own, false), "step {step}");
        }
        assert!(kept > 10, "{kept}");
    }
}

#[test]
fn a_rebuilt_mesh_is_noticed_and_the_corridor_found_again() {
    let mut chance = Chance(4);
    let mut scratch = QueryScratch::default();
    let (mut repaired, mut detours, mut replanned, mut gone) = (0, 0, 0, 0);
    for seed in 0..60 {
        let map = random_map(seed, 14, 11, 20);
        let before = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        // Some squares get walls, some lose theirs, and the polygons are others altogether.
        let mut changed = map.clone();
        for _ in 0..chance.below(6) {
            let (x, z) = (chance.below(14), chance.below(11));
            let wall = if map[z].as_bytes()[x] == b'#' { "." } else { "#" };
            changed[z].replace_range(x..=x, wall);
        }
        let after = navmesh(from_map(&changed, seed + 1000, frame(Vec3::ZERO), |_, _| 0.0));
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        let [from, to] = [0, 1].map(|_| point_in(&before, random_polygon(&before, &mut chance), &mut chance));
        corridor.plan(&before, from, to, &mut scratch).unwrap();
        if corridor.start().is_none() {
            continue;
        }
        let old = corridor.start().unwrap();
        let was_complete = corridor.path().outcome == Outcome::Complete;
        let change = match chance.one_in(2) {
            true => corridor.repair(&after, &mut scratch),
            false => corridor.move_start(&after, old.position, &mut scratch),
        };
        let fresh = QueryError::accept_no_path(after.query().partial().path(old.position, to));
        match change {
            Ok(CorridorChange::Repaired { detours: count }) => {
                assert!(was_complete);
                repaired += 1;
                detours += count;
            }
            Ok(CorridorChange::Replanned { reason }) => {
                assert_eq!(reason, ReplanReason::Changed);
                replanned += 1;
            }
            Ok(CorridorChange::Nothing) => {
                assert_eq!(fresh.unwrap().outcome, Outcome::Unreachable);
                continue;
            }
            Err(error) => {
                assert!(matches!(error, QueryError::NoMeshNear { .. }));
                assert_eq!(fresh.unwrap_err(), error);
                gone += 1;
                // Back on the mesh, it is planned again.
                assert!(corridor.start().is_none());
                continue;
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(corridor.start().unwrap().generation, after.generation());
        check(&after, corridor.path());
        let fresh = fresh.unwrap();
        assert_eq!(corridor.path().outcome, fresh.outcome);
        let exact = path_or_none(after.query().shortest().partial().path(old.position, to));
        let excess = plan_length(corridor.path()) - plan_length(&exact);
        if fresh.outcome == Outcome::Complete {
            assert!((-1e-3..=f64::from(corridor.worst_excess()) + 1e-3).contains(&excess));
        }
        assert_eq!(corridor.repair(&after, &mut scratch).unwrap(), CorridorChange::Kept);
    }
    eprintln!("{repaired} repaired with {detours} detours, {replanned} planned anew, {gone} lost");
    assert!(repaired > 15 && detours > 3 && replanned > 3);
}

#[test]
fn a_mesh_of_the_same_ground_keeps_the_path_without_detours() {
    let mut chance = Chance(14);
    let mut scratch = QueryScratch::default();
    for seed in 0..20 {
        let map = random_map(seed, 14, 11, 20);
        // Other polygons, same ground.
        let [before, after] =
            [seed, seed + 77].map(|cut| navmesh(from_map(&map, cut, frame(Vec3::ZERO), |_, _| 0.0)));
        let mut corridor = PathCorridor::new(
            CorridorOptions::default().with_path(PathOptions::default().with_search(PathSearch::Shortest)),
        );
        let [from, to] = [0, 1].map(|_| point_in(&before, random_polygon(&before, &mut chance), &mut chance));
        corridor.plan(&before, from, to, &mut scratch).unwrap();
        if corridor.path().outcome != Outcome::Complete {
            continue;
        }
        let length = plan_length(corridor.path());
        let change = corridor.repair(&after, &mut scratch).unwrap();
        assert!(
            before == after || change == CorridorChange::Repaired { detours: 0 },
            "seed {seed}: {change:?}"
        );
        assert!((plan_length(corridor.path()) - length).abs() < 1e-3);
        // Without repairs it is planned again.
        let options = CorridorOptions::default().with_repair(false);
        let mut corridor = PathCorridor::new(options);
        corridor.plan(&before, from, to, &mut scratch).unwrap();
        let change = corridor.move_goal(&after, to, &mut scratch).unwrap();
        assert_eq!(change, CorridorChange::Replanned { reason: ReplanReason::Changed });
    }
}

/// Closes some polygons.
struct Doors(std::rc::Rc<std::cell::RefCell<Vec<bool>>>);

impl PolygonFilter for Doors {
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        !self.0.borrow()[polygon.index()]
    }
}

#[test]
fn a_door_that_closes_on_the_way_is_gone_round() {
    let map: Vec<String> = ["...", ".#.", "..."].map(str::to_owned).to_vec();
    let mesh = navmesh(from_map(&map, 4, frame(Vec3::ZERO), |_, _| 0.0));
    let doors = Doors(std::rc::Rc::new(std::cell::RefCell::new(vec![false; mesh.polygon_count()])));
    let options =
        CorridorOptions::default().with_path(PathOptions::default().with_filter(&doors as AnyFilter));
    let mut corridor = PathCorridor::new(options);
    let mut scratch = QueryScratch::default();
    let (from, to) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(11.0, 0.0, 11.0));
    corridor.plan(&mesh, from, to, &mut scratch).unwrap();
    let polygons = corridor.path().polygons.clone();
    for &polygon in &polygons[1..polygons.len() - 1] {
        doors.0.borrow_mut()[polygon.index()] = true;
    }
    let change = corridor.move_start(&mesh, from, &mut scratch).unwrap();
    assert_ne!(change, CorridorChange::Kept);
    check(&mesh, corridor.path());
    assert!(corridor.path().polygons.iter().all(|polygon| !doors.0.borrow()[polygon.index()]));
}

#[test]
fn a_door_that_opens_is_noticed() {
    let map: Vec<String> = ["...", "#2#", "..."].map(str::to_owned).to_vec();
    let mesh = navmesh(from_map(&map, 4, frame(Vec3::ZERO), |_, _| 0.0));
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let (from, to) = (at(6.0, 2.0), at(6.0, 10.0));
    // As a share of a table, behind a pointer, and both.
    let flags = FlagTable::from(vec![1; mesh.polygon_count()]);
    let set_door = |to: u16| {
        let mut door = mesh.polygons().filter(|polygon| polygon.area_id() == AreaId(2));
        assert!(door.all(|polygon| flags.set(polygon.id(), to)));
    };
    let filter = FlagFilter { flags: flags.clone(), include: 1, exclude: 2 };
    let filter = (std::sync::Arc::new(filter), AnyPolygon);
    let options = PathOptions::default().with_filter(&filter as AnyFilter);
    let mut scratch = QueryScratch::default();
    let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
    let mut newest = PathCorridor::new(CorridorOptions::default().with_path(options).with_repair(false));
    set_door(3);
    corridor.plan(&mesh, from, to, &mut scratch).unwrap();
    newest.plan(&mesh, from, to, &mut scratch).unwrap();
    assert!(matches!(corridor.path().outcome, Outcome::Partial { .. }));
    assert!(!corridor.is_outdated(&mesh));
    assert_eq!(corridor.repair(&mesh, &mut scratch).unwrap(), CorridorChange::Kept);
    set_door(1);
    assert!(corridor.is_outdated(&mesh));
    let changed = CorridorChange::Replanned { reason: ReplanReason::Changed };
    assert_eq!(corridor.repair(&mesh, &mut scratch).unwrap(), changed);
    assert_eq!(corridor.path().outcome, Outcome::Complete);
    check(&mesh, corridor.path());
    // Changes off the path do not matter to a repaired corridor, and are checked by the other.
    assert_eq!(newest.repair(&mesh, &mut scratch).unwrap(), changed);
    flags.set(PolyId(0), 5);
    assert_eq!(corridor.repair(&mesh, &mut scratch).unwrap(), CorridorChange::Kept);
    assert_eq!(newest.repair(&mesh, &mut scratch).unwrap(), changed);
    assert_eq!(newest.repair(&mesh, &mut scratch).unwrap(), CorridorChange::Kept);
    // At the door itself nothing is nearer: no corridor at all, and one when it opens again.
    set_door(3);
    let beside = at(6.0, 4.0);
    let change = corridor.plan(&mesh, beside, to, &mut scratch).unwrap();
    assert_eq!(change, CorridorChange::Nothing);
    assert_eq!(corridor.repair(&mesh, &mut scratch).unwrap(), CorridorChange::Nothing);
    set_door(1);
    assert_eq!(corridor.move_goal(&mesh, to, &mut scratch).unwrap(), changed);
    assert_eq!(corridor.path().outcome, Outcome::Complete);
    // A search under way is dropped.
    let mut sliced = SlicedPath::new(options);
    sliced.begin(&mesh, from, to).unwrap();
    set_door(3);
    assert!(sliced.advance(&mesh, 0).is_err());
}

/// After other options a corridor is planned from where its agent is to its last goal, also from
/// where no path led before; one that was never planned stays as it is.
#[test]
fn other_options_keep_the_agent_and_the_goal() {
    let (mut scratch, mut chance, mut found, mut lost) = (QueryScratch::default(), Chance(9), 0, 0);
    for seed in 0..60 {
        let mesh = navmesh(random_flat(seed));
        let mut filter = |most: usize| {
            let flags = (0..mesh.polygon_bound()).map(|_| u16::from(!chance.one_in(most)));
            Some(FlagFilter { flags: flags.collect::<Vec<u16>>().into(), include: 1, exclude: 0 })
        };
        let filters = [None, filter(3), filter(1), filter(5), None];
        let options = CorridorOptions::default();
        let path = |filter| PathOptions::default().with_search(PathSearch::Shortest).with_filter(filter);
        let mut corridor = PathCorridor::new(options.with_path(path(None)));
        corridor.set_path(path(filters[1].clone()));
        assert_eq!(corridor.replan(&mesh, &mut scratch), Ok(CorridorChange::Nothing));
        corridor.set_path(path(None));
        let [from, mut to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
        corridor.plan(&mesh, from, to, &mut scratch).unwrap();
        let mut here = Place::from(from);
        for filter in filters {
            let (moved, goal) = (from.lerp(to, chance.unit()), to + Vec3::X * (chance.unit() - 0.5));
            // An agent without a path is where it says, with or without a path from there.
            let _ = corridor.move_start(&mesh, moved, &mut scratch);
            if corridor.start().is_none() {
                here = moved.into();
            }
            if corridor.move_goal(&mesh, goal, &mut scratch).is_ok() {
                to = goal;
            }
            here = corridor.start().map_or(here, Place::from);
            let mut newly = PathCorridor::new(options.with_path(path(filter.clone())));
            let expected = newly.plan(&mesh, here, to, &mut scratch);
            corridor.set_path(path(filter));
            assert_eq!(corridor.replan(&mesh, &mut scratch), expected, "seed {seed}");
            assert_eq!(corridor.path(), newly.path(), "seed {seed}");
            found += usize::from(corridor.start().is_some());
            lost += usize::from(expected.is_err());
            here = corridor.start().map_or(here, Place::from);
        }
    }
    assert!(found > 100 && lost > 20, "{found} {lost}");
}

#[test]
fn links_are_taken_named_and_missed_when_they_are_gone() {
    let mut builder = Builder::default();
    for (storey, x) in [(0, 0), (1, 24)] {
        let corners = [(x, 0), (x + 20, 0), (x + 20, 20), (x, 20)];
        let corners = corners.map(|(x, z)| builder.vertex(x, z, storey, 0.0));
        builder.polygon(corners.to_vec(), AreaId::GROUND);
    }
    let end = |polygon, x, z| {
        let end = PlanVertex { point: PlanPoint::new(x, z), height: 0.0 };
        LinkEnd { polygon: PolyId(polygon), ends: [end; 2] }
    };
    let jump = |z| {
        let mut link = Link::new(end(0, 20, z), end(1, 24, z), LinkKind::User);
        link.both_ways = false;
        link
    };
    let mut mesh = NavMesh::try_from(builder.build(frame(Vec3::ZERO))).unwrap();
    mesh = mesh.with_links(vec![jump(2), jump(18)]).unwrap();
    let mut scratch = QueryScratch::default();
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    let (from, to) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(20.0, 0.0, 1.0));
    corridor.plan(&mesh, from, to, &mut scratch).unwrap();
    let taken = corridor.next_link().unwrap();
    assert_eq!((taken.link, taken.point), (LinkId(0), 1));
    check(&mesh, corridor.path());
    // It goes: the corridor notices, and the other one keeps its id.
    assert!(mesh.remove_link(LinkId(0)).is_some());
    let change = corridor.move_start(&mesh, Vec3::new(1.5, 0.0, 1.0), &mut scratch).unwrap();
    assert_ne!(change, CorridorChange::Kept);
    assert_eq!(corridor.next_link().unwrap().link, LinkId(1));
    assert_eq!(corridor.path().points[1], Vec3::new(10.0, 0.0, 9.0));
    // Up to it, and over.
    for _ in 0..100 {
        let next = corridor.next_corners(1)[0];
        let at = corridor.start().unwrap().position;
        if at == next {
            break;
        }
        let far = at.distance(next);
        let to = if far < 1.0 { next } else { at + (next - at) / far };
        assert_eq!(corridor.move_start(&mesh, to, &mut scratch).unwrap(), CorridorChange::Kept);
        if far < 1.0 {
            break;
        }
    }
    let link = corridor.take_link(&mesh, &mut scratch).unwrap().unwrap();
    assert_eq!(link.link, LinkId(1));
    assert_eq!(corridor.start().unwrap().position, Vec3::new(12.0, 0.0, 9.0));
    assert_eq!(corridor.take_link(&mesh, &mut scratch).unwrap(), None);
    check(&mesh, corridor.path());
    // The other side of one way: no way back, so it leads nowhere closer than it is.
    let change = corridor.move_goal(&mesh, Vec3::new(1.0, 0.0, 1.0), &mut scratch).unwrap();
    assert!(matches!(change, CorridorChange::Replanned { .. } | CorridorChange::Nothing));
}

/// It does not matter if a path led to the last goal.
#[test]
fn a_goal_that_moves_is_followed_from_where_the_agent_is() {
    let mut scratch = QueryScratch::default();
    let mut paths = QueryScratch::default();
    let mut chance = Chance(7);
    let [mut nowhere, mut followed] = [0; 2];
    for seed in 0..60 {
        let mesh = navmesh(random_flat(seed));
        let options = PathOptions::default().with_allow_partial(seed % 2 == 0);
        let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
        let mut place = || point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance);
        let (from, mut had_path) = (place(), true);
        for turn in 0..12 {
            let to = place();
            let change = match turn {
                0 => corridor.plan(&mesh, from, to, &mut scratch).unwrap(),
                _ => corridor.move_goal(&mesh, to, &mut scratch).unwrap(),
            };
            let path = mesh.query().options(options).memory(&mut paths).path(from, to);
            let has_path = path.is_ok();
            assert_eq!(change != CorridorChange::Nothing, has_path, "seed {seed}: {from} to {to}");
            if let Ok(path) = path {
                assert_eq!(
                    matches!(corridor.path().outcome, Outcome::Complete),
                    matches!(path.outcome, Outcome::Complete),
                    "seed {seed}: {from} to {to}"
                );
                assert_eq!(corridor.start().unwrap().position, path.points[0], "seed {seed}");
                followed += u32::from(!had_path);
            }
            had_path = has_path;
            nowhere += u32::from(!has_path);
        }
    }
    assert!(nowhere > 50 && followed > 10, "{nowhere} {followed}");
}

/// The ground of the goal goes and comes back while the agent is on its way.
#[test]
fn a_corridor_without_ground_at_its_goal_goes_on_from_where_the_agent_is() {
    let mut scratch = QueryScratch::default();
    let [whole, without] = ["..........", "......####"]
        .map(|row| navmesh(from_map(&[row.to_owned()], 1, frame(Vec3::ZERO), |_, _| 0.0)));
    let at = |x: f32| Vec3::new(x, 0.0, 2.0);
    for new_goal in [None, Some(at(21.0))] {
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        corridor.plan(&whole, at(2.0), at(38.0), &mut scratch).unwrap();
        for step in 0..60_u8 {
            corridor.move_start(&whole, at(2.0 + 0.25 * f32::from(step)), &mut scratch).unwrap();
        }
        let here = corridor.start().unwrap().position;
        assert!(here.x > 16.0, "{here}");
        let lost = corridor.repair(&without, &mut scratch);
        assert!(matches!(lost, Err(QueryError::NoMeshNear { .. })), "{lost:?}");
        let change = match new_goal {
            Some(goal) => corridor.move_goal(&without, goal, &mut scratch),
            None => corridor.repair(&whole, &mut scratch),
        };
        assert!(matches!(change, Ok(CorridorChange::Replanned { .. })), "{change:?}");
        assert!(corridor.start().unwrap().position.distance(here) < 1e-3, "{:?}", corridor.start());
        assert_eq!(corridor.path().outcome, Outcome::Complete);
        assert!(corridor.path().length < 23.0, "{}", corridor.path().length);
    }
}

#[test]
fn bad_numbers_are_errors_and_change_nothing() {
    let mesh = navmesh(random_flat(2));
    let mut chance = Chance(2);
    let mut scratch = QueryScratch::default();
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    let nan = Vec3::splat(f32::NAN);
    assert_eq!(corridor.move_start(&mesh, Vec3::ZERO, &mut scratch).unwrap(), CorridorChange::Nothing);
    assert_eq!(corridor.repair(&mesh, &mut scratch).unwrap(), CorridorChange::Nothing);
    assert!(corridor.start().is_none() && corridor.next_corners(3).is_empty());
    let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
    corridor.plan(&mesh, from, to, &mut scratch).unwrap();
    let path = corridor.path().clone();
    assert!(corridor.move_start(&mesh, nan, &mut scratch).is_err());
    assert!(corridor.move_goal(&mesh, nan, &mut scratch).is_err());
    assert!(corridor.move_goal(&mesh, Vec3::splat(1e20), &mut scratch).is_err());
    assert!(corridor.optimise_topology(&mesh, f32::NAN, &mut scratch).is_err());
    assert!(corridor.optimise_visibility(&mesh, -1.0, &mut scratch).is_err());
    assert_eq!(*corridor.path(), path);
    // Far away there is no mesh: it stays.
    corridor.move_start(&mesh, Vec3::splat(1e20), &mut scratch).unwrap();
    assert_eq!(corridor.path().polygons, path.polygons);
    assert!(corridor.plan(&mesh, nan, to, &mut scratch).is_err());
    assert!(corridor.start().is_none());
    for options in
        [CorridorOptions::default().with_max_drift(f32::NAN), CorridorOptions::default().with_range(-1.0)]
    {
        let error = PathCorridor::new(options).plan(&mesh, from, to, &mut scratch).unwrap_err();
        assert!(matches!(error, QueryError::BadField(_)));
    }
}

#[test]
fn whatever_is_done_to_a_corridor_it_fits_its_mesh() {
    let mut chance = Chance(21);
    let mut scratch = QueryScratch::default();
    let (mut done, mut taken, mut shorter, mut changed) = (0, 0, 0, 0);
    for seed in 0..120 {
        // The same polygons with and without links, and others.
        let meshes = [linked(seed), linked(seed).with_links(Vec::new()).unwrap(), linked(seed + 2)];
        let mut mesh = &meshes[0];
        let search = if seed % 2 == 0 { PathSearch::Shortest } else { PathSearch::Fast };
        let options = CorridorOptions::default().with_path(PathOptions::default().with_search(search));
        let mut corridor = PathCorridor::new(options);
        let place =
            |mesh: &NavMesh, chance: &mut Chance| point_in(mesh, random_polygon(mesh, chance), chance);
        let [from, to] = [0, 1].map(|_| place(mesh, &mut chance));
        corridor.plan(mesh, from, to, &mut scratch).unwrap();
        for _ in 0..60 {
            let at = corridor.start().map_or(from, |start| start.position);
            let change = match chance.below(12) {
                0 => {
                    mesh = &meshes[chance.below(3)];
                    corridor.repair(mesh, &mut scratch).map(Some)
                }
                1 => corridor.move_goal(mesh, place(mesh, &mut chance), &mut scratch).map(Some),
                2 => corridor.move_start(mesh, place(mesh, &mut chance), &mut scratch).map(Some),
                3 => corridor.optimise_visibility(mesh, 8.0, &mut scratch).map(|better| {
                    shorter += usize::from(better);
                    None
                }),
                4 => corridor.optimise_topology(mesh, 8.0, &mut scratch).map(|better| {
                    shorter += usize::from(better);
                    None
                }),
                5 => corridor.take_link(mesh, &mut scratch).map(|link| {
                    taken += usize::from(link.is_some());
                    None
                }),
                6 => {
                    let goal = corridor.goal().map_or(to, |goal| goal.position);
                    let near = Vec3::new(chance.unit() - 0.5, 0.0, chance.unit() - 0.5) * 4.0;
                    corridor.move_goal(mesh, goal + near, &mut scratch).map(Some)
                }
                _ => {
                    let is_there = corridor.start().is_some();
                    let to = if is_there { wander(&corridor, &mut chance, 4) } else { at };
                    corridor.move_start(mesh, to, &mut scratch).map(Some)
                }
            };
            match change {
                Ok(change) => changed += usize::from(!matches!(change, None | Some(CorridorChange::Kept))),
                Err(error) => {
                    assert!(matches!(error, QueryError::NoMeshNear { .. }), "{error}");
                    continue;
                }
            }
            if corridor.start().is_none() {
                assert_eq!(*corridor.path(), Path::default());
                continue;
            }
            done += 1;
            assert_eq!(corridor.start().unwrap().generation, mesh.generation());
            check(mesh, corridor.path());
            let (path, ends) = (corridor.path(), [corridor.start(), corridor.goal()].map(Option::unwrap));
            assert_eq!(
                (path.polygons[0], *path.polygons.last().unwrap()),
                (ends[0].polygon, ends[1].polygon)
            );
            assert_eq!(path.points[0], ends[0].position);
            for used in &path.links {
                let link = mesh.link(used.link).unwrap();
                assert!(link.both_ways || !used.backwards);
            }
        }
    }
    eprintln!("{done} done, {taken} links taken, {shorter} times shorter, {changed} changes");
    assert!(done > 1500 && taken > 10 && shorter > 5 && changed > 300);
}

/// A winding corridor of `count` cells, 1 to 5 m wide, without branches.
fn winding(seed: u64, count: usize) -> NavMesh {
    let mut chance = Chance(seed);
    let mut low = 40_i32;
    let sides: Vec<[i32; 2]> = (0..=count)
        .map(|_| {
            low = (low + i32::try_from(chance.below(7)).unwrap() - 3).clamp(0, 80);
            [low, low + 1 + i32::try_from(chance.below(5)).unwrap()]
        })
        .collect();
    let index = |value: usize| u32::try_from(value).unwrap();
    let mesh = PolyMesh {
        frame: frame(Vec3::ZERO),
        vertices: (0_i32..)
            .zip(&sides)
            .flat_map(|(x, ends)| {
                ends.map(|z| PlanVertex { point: PlanPoint::new(2 * x, z), height: (x % 9) as f32 * 0.1 })
            })
            .collect(),
        polygons: (0..count)
            .map(|polygon| Poly {
                first: index(4 * polygon),
                len: 4,
                region: RegionId(0),
                area: AreaId::GROUND,
            })
            .collect(),
        corners: (0..count)
            .flat_map(|x| [2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1])
            .map(VertexId::from_index)
            .collect(),
        neighbours: (0..count)
            .flat_map(|x| {
                let right = (x + 1 < count).then(|| PolyId::from_index(x + 1));
                [None, right, None, x.checked_sub(1).map(PolyId::from_index)]
            })
            .collect(),
    };
    navmesh(mesh)
}

/// Returns the distance of a place from a line, in plan.
fn aside(at: Vec3, pair: &[Vec3]) -> f32 {
    let [at, from, to] = [at, pair[0], pair[1]].map(Vec3::xz);
    let along = to - from;
    let part = ((at - from).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0);
    at.distance(from + along * part)
}

#[test]
fn a_string_pulled_piece_by_piece_is_the_one_pulled_as_a_whole() {
    let (mut scratch, mut paths) = (QueryScratch::default(), QueryScratch::default());
    let mut kept = 0;
    for seed in 0..30 {
        let mesh = winding(seed, 160);
        let mut chance = Chance(seed + 100);
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        let ends = [2, 150].map(|polygon| point_in(&mesh, PolyId(polygon), &mut chance));
        corridor.plan(&mesh, ends[0], ends[1], &mut scratch).unwrap();
        for turn in 0..120 {
            let mut near = |at: Vec3, ahead: Option<Vec3>| {
                let mut unit = || chance.below(2001) as f32 / 1000.0 - 1.0;
                let beside = Vec3::new(unit(), 0.0, unit());
                let along =
                    ahead.map_or(Vec3::ZERO, |ahead| (ahead - at).clamp_length_max(3.0 * unit().abs()));
                at + along + beside * 0.7
            };
            let [start, goal] = [corridor.start(), corridor.goal()].map(|at| at.unwrap().position);
            let points = &corridor.path().points;
            let (next, before) = (points[1], points[points.len() - 2]);
            let change = match turn % 3 {
                0 => corridor.move_goal(&mesh, near(goal, Some(before)), &mut scratch).unwrap(),
                1 => corridor.move_goal(&mesh, near(goal, None), &mut scratch).unwrap(),
                _ => corridor.move_start(&mesh, near(start, Some(next)), &mut scratch).unwrap(),
            };
            kept += usize::from(change == CorridorChange::Kept);
            let [start, goal] = [corridor.start(), corridor.goal()].map(|at| at.unwrap());
            let whole =
                path_or_none(mesh.query().memory(&mut paths).partial().path(start.position, goal.position));
            let path = corridor.path();
            // A position is rounded on its way out: what was in line may turn by that, and the other way
            // round.
            for [some, other] in [[&path.points, &whole.points], [&whole.points, &path.points]] {
                let beside = |at: Vec3| other.windows(2).map(|pair| aside(at, pair)).fold(f32::MAX, f32::min);
                let worst = some.iter().map(|&at| beside(at)).fold(0.0, f32::max);
                assert!(worst < 1e-3, "{seed}, {turn}: {worst} m");
            }
            assert!((plan_length(path) - plan_length(&whole)).abs() < 1e-4);
            assert!((path.cost - path.length).abs() < 1e-6);
            assert_eq!((path.polygons[0], path.polygons.last()), (start.polygon, Some(&goal.polygon)));
            assert!(path.polygons.windows(2).all(|pair| pair[0].0.abs_diff(pair[1].0) == 1));
            if path.points.len() < 3 {
                break;
            }
        }
    }
    assert!(kept > 2000, "{kept}");
}

//! Doors that close and open for discs, compared with meshes made with closed doors.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use crate::discs;
use discs::clear;
use discs::plans::{example, rooms};
use glam::{Vec3, Vec3Swizzles, vec3};
use waymesh::core::Random;
use waymesh::graph::{LinkId, LinkKind, QueryError};
use waymesh::{Baker, ClearanceNavMesh, Outcome};
use waymesh_scenes::{Scene, SceneConfig};

fn find(mesh: &ClearanceNavMesh, [from, to]: [Vec3; 2], radius: f32) -> Option<waymesh::Path> {
    QueryError::accept_no_path(mesh.query(radius).shortest().partial().path(from, to)).ok()
}

/// Paths and places are those of a mesh that was made with the same doors closed.
fn matches(name: &str, changed: &ClearanceNavMesh, pairs: usize) -> [usize; 2] {
    let made = clear(changed.mesh().clone());
    let sampler = made.mesh().query().sampler();
    let mut random = Random::new(5);
    let [mut complete, mut partial] = [0; 2];
    for pair in 0..pairs {
        let ends = [0, 1].map(|_| sampler.sample(made.mesh(), &mut random).unwrap().unwrap().position);
        let radius = [0.0, 0.1, 0.3, 0.45][pair % 4];
        let what = format!("{name}, {ends:?}, {radius}");
        let [expected, actual] = [&made, changed].map(|mesh| find(mesh, ends, radius));
        assert_eq!(expected.is_some(), actual.is_some(), "{what}");
        let (Some(expected), Some(actual)) = (expected, actual) else { continue };
        let outcomes = [&expected, &actual].map(|path| path.outcome == Outcome::Complete);
        assert_eq!(outcomes[0], outcomes[1], "{what}");
        let moved =
            [&expected, &actual].map(|path| path.points.first().map_or(0.0, |start| start.distance(ends[0])));
        assert!((moved[0] - moved[1]).abs() < 1e-3, "{what}: {moved:?}");
        assert!(
            actual.points.is_empty() || actual.clearance >= radius - 1.1e-3,
            "{what}: {}",
            actual.clearance
        );
        if outcomes[0] {
            complete += 1;
            let lengths = [&expected, &actual].map(|path| path.plan_length);
            assert!((lengths[0] - lengths[1]).abs() < 2e-3, "{what}: {lengths:?}");
        } else if let Outcome::Partial { reached } = actual.outcome {
            partial += 1;
            let Outcome::Partial { reached: expected } = expected.outcome else { panic!("{what}") };
            let far = [expected, reached].map(|end| end.xz().distance(ends[1].xz()));
            assert!((far[0] - far[1]).abs() < 0.1, "{what}: {far:?}");
        }
    }
    [complete, partial]
}

#[test]
fn a_door_that_closes_is_a_wall_and_opens_again() {
    let open = clear(rooms(2, 1, false));
    let mut mesh = open.clone();
    let ends = [vec3(1.0, 0.0, 1.0), vec3(7.0, 0.0, 3.0)];
    let path = find(&mesh, ends, 0.3).unwrap();
    assert_eq!((path.outcome, path.links.len()), (Outcome::Complete, 1));
    let [door] = mesh.mesh().link_ids()[..] else { panic!("one door") };
    assert!(mesh.set_link_open(door, false) && mesh != open);
    let Outcome::Partial { reached } = find(&mesh, ends, 0.3).unwrap().outcome else {
        panic!("it is closed")
    };
    assert!(reached.x < 4.0);
    // No disc stands in the door.
    let middle = mesh.mesh().link(door).unwrap().from.ends.map(|end| end.point);
    let middle = mesh.mesh().frame().to_world(
        f64::midpoint(middle[0].x.into(), middle[1].x.into()),
        0.0,
        f64::midpoint(middle[0].z.into(), middle[1].z.into()),
    );
    let nearest = |mesh: &ClearanceNavMesh| mesh.query(0.3).nearest(middle).unwrap().moved;
    assert!(nearest(&mesh) > 0.29 && nearest(&open) < 1e-3);
    assert!(mesh.set_link_open(door, false));
    assert!(mesh.set_link_open(door, true) && mesh == open);
    assert_eq!(find(&mesh, ends, 0.3), find(&open, ends, 0.3));
    assert!(!mesh.set_link_open(LinkId(7), false));
}

#[test]
fn doors_closed_by_chance_are_as_if_they_had_been_closed_before() {
    let mut random = Random::new(3);
    let [mut complete, mut partial] = [0; 2];
    for (name, mesh) in [("rooms", rooms(5, 4, false)), ("pillars", rooms(4, 3, true)), ("house", example())]
    {
        let mut mesh = clear(mesh);
        let doors: Vec<LinkId> = mesh.mesh().link_ids().to_vec();
        let doors: Vec<LinkId> =
            doors.into_iter().filter(|&id| mesh.mesh().link(id).unwrap().kind == LinkKind::Door).collect();
        assert!(doors.len() > 2, "{name}");
        for round in 0..6 {
            for &door in &doors {
                let is_open = random.unit() < 0.6;
                assert!(mesh.set_link_open(door, is_open), "{name}: {door}");
                assert_eq!(mesh.mesh().link(door).unwrap().is_open, is_open);
            }
            let found = matches(&format!("{name} {round}"), &mesh, 60);
            (complete, partial) = (complete + found[0], partial + found[1]);
        }
        for &door in &doors {
            mesh.set_link_open(door, true);
        }
        assert!(mesh == clear(mesh.mesh().clone()), "{name}");
    }
    assert!(complete > 100 && partial > 100, "{complete} complete, {partial} partial");
}

/// Steps between slices are open ground that does not lead from wall to wall, all but a few.
#[test]
fn what_cannot_be_closed_says_so() {
    let soup = Scene::SpiralStairs.build(&SceneConfig::default());
    let mut mesh = clear(Baker::slices().bake(&soup).unwrap());
    let before = mesh.clone();
    let links: Vec<LinkId> = mesh.mesh().link_ids().to_vec();
    let refused = links.iter().filter(|&&link| !mesh.set_link_open(link, true)).count();
    assert!(refused > 0 && mesh == before, "{refused} of {}", links.len());
    let link = links.into_iter().find(|&link| !mesh.set_link_open(link, false)).unwrap();
    assert!(mesh.mesh().link(link).unwrap().is_open);
}

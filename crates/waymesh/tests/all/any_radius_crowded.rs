//! Room for discs where hundreds of walls, or the far ends of long ones, are nearer than it.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "test helpers, small numbers"
)]

use glam::Vec3;
use waymesh::core::{PlanPoint, Random};
use waymesh::graph::{Outcome, QueryError};
use waymesh::{NavMesh, QueryScratch, Reach};
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

use crate::discs::{clear, plane, to_segment, walls};

/// Side of a forest in metres.
const SIDE: i32 = 41;

/// A pillar in every other square, but for those in a clearing `[left, top, right, bottom]`.
fn forest([left, top, right, bottom]: [i32; 4]) -> NavMesh {
    let is_free = |x: i32, z: i32| {
        let is_pillar = x % 2 == 1 && z % 2 == 1;
        !is_pillar || ((left..right).contains(&x) && (top..bottom).contains(&z))
    };
    let squares = (0..SIDE).flat_map(|z| (0..SIDE).map(move |x| (x, z)));
    let free: Vec<[i32; 4]> =
        squares.filter(|&(x, z)| is_free(x, z)).map(|(x, z)| [x, z, x + 1, z + 1]).collect();
    NavMesh::try_from(flat_meshes::build(&rectangle_borders(&free))).unwrap()
}

#[test]
fn the_nearest_room_is_found_behind_hundreds_of_walls() {
    let random = &mut Random::new(5);
    let mut scratch = QueryScratch::default();
    for round in 0..6 {
        let (left, top) = (22 + 2 * random.index(4) as i32, 4 + 2 * random.index(12) as i32);
        let mesh = forest([left, top, left + 6, top + 6]);
        let walls = walls(&mesh);
        let discs = clear(mesh);
        // Between pillars no such disc has room.
        let radius = [0.75, 1.1, 1.6][round % 3];
        let room =
            |at: Vec3| walls.iter().all(|&wall| to_segment(wall, plane(at)) >= f64::from(radius) - 1e-6);
        let start = Vec3::new(1.0 + 6.0 * random.unit(), 0.0, 4.0 + 32.0 * random.unit());
        // All that has room is in the clearing and between the pillars around it.
        let samples = || (-20..160).map(|step| step as f32 / 20.0);
        let places = samples().flat_map(|z| samples().map(move |x| (x, z)));
        let known =
            places.map(|(x, z)| Vec3::new(left as f32 + x, 0.0, top as f32 + z)).filter(|&at| room(at));
        let known = known.map(|at| at.distance(start)).fold(f32::INFINITY, f32::min);
        let is_nearer = |at: &f64| *at < f64::from(known);
        let nearer = walls.iter().map(|&wall| to_segment(wall, plane(start))).filter(is_nearer).count();
        assert!(nearer > 400, "{nearer}");

        let near = |side: f32| Reach::new(side, 1.0, 1.0);
        let found = discs.query(radius).reach(near(known + 0.1)).memory(&mut scratch).nearest(start).unwrap();
        assert!(room(found.location.position), "{found:?}");
        // The samples are a twentieth apart.
        assert!(found.moved <= known && found.moved > known - 0.08, "{} {known}", found.moved);
        let none = discs.query(radius).reach(near(known - 0.1)).memory(&mut scratch).nearest(start);
        assert!(matches!(none, Err(QueryError::NoRoomNear { .. })), "{none:?}");
        // The search ends behind the last wall if no place is large enough.
        let none = discs.query(4.5).reach(Reach::INFINITE).memory(&mut scratch).nearest(start);
        assert!(matches!(none, Err(QueryError::NoRoomNear { .. })), "{none:?}");
        // A path from there, and one that ends as near to the start as a disc can.
        let goal = Vec3::new(left as f32 + 3.0, 0.0, top as f32 + 3.0);
        let mut query = discs.query(radius).reach(near(known + 0.1)).memory(&mut scratch);
        assert_eq!(query.path(found.location, goal).unwrap().outcome, Outcome::Complete);
        assert_eq!(query.path(start, goal).unwrap().outcome, Outcome::Complete);
    }
}

#[test]
fn the_nearest_room_in_a_wedge_is_found_at_any_angle() {
    let mut scratch = QueryScratch::default();
    for height in [20, 45, 90, 180, 350, 500] {
        let corners = [(0, 500), (1000, 500 - height), (1000, 500 + height)];
        let wedge = corners.map(|(x, z)| PlanPoint::new(x, z)).to_vec();
        let discs = clear(NavMesh::try_from(flat_meshes::build(&[wedge])).unwrap());
        let rise = f64::from(height) / f64::from(height).hypot(1000.0);
        for radius in [0.5, 2.0, 5.0_f32] {
            // The disc touches both walls there, which begin in the tip and end a kilometre away.
            let room = f64::from(radius) / rise;
            for asked in [0.0, 0.3, 0.9] {
                let start = Vec3::new((asked * room) as f32, 0.0, 500.0);
                let far = (room * (1.0 - asked)) as f32;
                let near = |side: f32| Reach::new(side, 1.0, 1.0);
                let found =
                    discs.query(radius).reach(near(far * 1.01)).memory(&mut scratch).nearest(start).unwrap();
                assert!((found.moved - far).abs() < 0.003 * far, "{height} {radius} {found:?} {far}");
                let none = discs.query(radius).reach(near(far * 0.99)).memory(&mut scratch).nearest(start);
                assert!(matches!(none, Err(QueryError::NoRoomNear { .. })), "{height} {radius} {none:?}");
                // A path from there, too.
                let goal = Vec3::new(900.0, 0.0, 500.0);
                if height > 20 {
                    let path =
                        discs.query(radius).reach(near(far * 1.01)).memory(&mut scratch).path(start, goal);
                    assert_eq!(path.unwrap().outcome, Outcome::Complete, "{height} {radius} {asked}");
                }
            }
        }
    }
}

//! The examples, without windows.

#![allow(dead_code, unreachable_pub, reason = "the programs of the examples are not run")]

use bevy::prelude::*;
use bevy_waymesh::prelude::*;

#[path = "../examples/load.rs"]
mod load;
#[path = "../examples/obstacles.rs"]
mod obstacles;
#[path = "../examples/stream.rs"]
mod stream;
#[path = "../examples/walk.rs"]
mod walk;

fn places(app: &mut App) -> Vec<Vec3> {
    let mut agents = app.world_mut().query_filtered::<&Transform, With<NavMeshAgent>>();
    agents.iter(app.world()).map(|transform| transform.translation).collect()
}

#[test]
fn walk_brings_everybody_to_the_other_side_the_same_way_each_time() {
    let run = || {
        let mut app = walk::app();
        app.update();
        assert_eq!(walk::walkers(&mut app), 24);
        let mut deepest = 0.0_f32;
        for _ in 0..64 * 45 {
            app.update();
            let places = places(&mut app);
            for (index, a) in places.iter().enumerate() {
                // Half of the walls' 0.4 m, and the radius, less what simplified corners take.
                let is_in_wall = |x: f32, free: f32| (a.x - x).abs() < 0.3 && free * a.z < 2.8;
                assert!(!is_in_wall(-6.0, 1.0) && !is_in_wall(0.0, -1.0) && !is_in_wall(6.0, 1.0), "{a}");
                let others = places[..index].iter();
                deepest = others.fold(deepest, |deepest, b| deepest.max(0.6 - a.distance(*b)));
            }
        }
        assert_eq!(walk::walkers(&mut app), 0);
        assert!(deepest < 0.06, "agents overlap by {deepest} m");
        places(&mut app).into_iter().map(|place| place.to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn obstacles_let_nobody_through_until_the_gate_is_open() {
    let mut app = obstacles::app(true);
    for _ in 0..obstacles::OPENS {
        app.update();
        assert!(places(&mut app).iter().all(|place| place.x < -0.3), "{:?}", places(&mut app));
    }
    for _ in 0..64 * 15 {
        app.update();
    }
    let mut agents = app.world_mut().query::<&NavMeshAgentState>();
    assert!(agents.iter(app.world()).all(|state| state.status.has_arrived()), "{:?}", places(&mut app));
}

#[test]
fn load_sees_the_file_that_was_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (before, after) = load::run(folder.path()).expect("it runs").expect("in time");
    assert!(after > 1.9 * before, "{before} m2, {after} m2");
}

#[test]
fn stream_leads_the_walker_through_a_level_that_is_never_there_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = stream::bake(folder.path()).expect("tiles are written");
    let mut app = stream::app(folder.path());
    let mut most = 0;
    for _ in 0..64 * 180 {
        app.update();
        let (x, tiles) = stream::walker(&mut app);
        most = most.max(tiles);
        if x > stream::HALF - 2.0 {
            break;
        }
    }
    assert!(stream::walker(&mut app).0 > stream::HALF - 2.0, "{:?}", stream::walker(&mut app));
    assert!(most > 4 && most < all / 2, "{most} of {all}");
}

//! Advice below a bake: what a smaller radius joins, what lies inside of bodies, roofs, and time.

use waymesh::bake::Report;
use waymesh::{Agent, BakeConfig, BakeError, Baker, Enclosed, Observer, TriangleSoup, Warning};
use waymesh_testkit::boxes::add_box;

/// Wants advice, and cancels at a warning of a long bake.
#[derive(Default)]
struct Asks {
    long: Option<(f64, f32, Option<f32>)>,
}

impl Observer for Asks {
    fn wants_advice(&self) -> bool {
        true
    }

    fn warn(&mut self, warning: Warning) {
        if let Warning::LongBake { seconds, cell_size, max_step } = warning {
            self.long = Some((seconds, cell_size, max_step));
        }
    }

    fn is_cancelled(&mut self) -> bool {
        self.long.is_some()
    }
}

fn config() -> BakeConfig {
    BakeConfig::default()
        .with_scale(0.1, 0.1)
        .with_agent(Agent::default().with_radius(0.4).with_max_step(0.4))
}

/// The report of a bake, whose mesh is the same without advice.
fn report(soup: &TriangleSoup, config: BakeConfig) -> Report {
    let baker = Baker::voxels().with_config(config);
    let bake = baker.bake_observed(soup, &mut Asks::default()).expect("a bake");
    let plain = baker.bake_observed(soup, &mut ()).expect("a bake");
    assert_eq!(bake.mesh.to_wmesh(), plain.mesh.to_wmesh());
    assert!(plain.report.advice.is_none() && plain.report.radii.is_empty());
    bake.report
}

#[test]
fn smaller_radii_are_counted_as_bakes_with_them_would() {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.5, 0.0], [12.0, 0.0, 12.0]);
    // A door of 0.7 m, and a slit of 0.3 m.
    for [low, high] in [[0.0, 3.0], [3.7, 6.0], [6.3, 12.0]] {
        add_box(&mut soup, [5.9, 0.0, low], [6.1, 3.0, high]);
    }
    add_box(&mut soup, [20.0, -0.5, 0.0], [24.0, 0.0, 4.0]);
    let report = report(&soup, config());
    let pieces: Vec<(f32, u64)> = report.radii.iter().map(|radius| (radius.radius, radius.pieces)).collect();
    for (radius, pieces) in pieces {
        let agent = Agent::default().with_radius(radius).with_max_step(0.4);
        let mesh = Baker::voxels().with_config(config().with_agent(agent)).bake(&soup).expect("a bake");
        // The top of each wall is a piece too, if the radius leaves one.
        assert_eq!(mesh.islands().len() as u64, pieces, "radius {radius}");
    }
    assert!(report.radii[0].pieces > report.radii[2].pieces, "{:?}", report.radii);
    let advice = report.advice.expect("advice");
    assert!(advice.largest_share > 0.4 && advice.largest_share < 0.5, "{advice:?}");
    assert!(!advice.may_be_roof() && advice.enclosed_share == 0.0, "{advice:?}");
}

#[test]
fn ground_in_closed_bodies_is_counted() {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.5, 0.0], [12.0, 0.0, 12.0]);
    add_box(&mut soup, [3.0, -0.2, 3.0], [9.0, 3.0, 9.0]);
    let before = report(&soup, config()).advice.expect("advice");
    let after = report(&soup, config().with_enclosed(Enclosed::Remove));
    let removed: f64 = after.enclosed.iter().map(|piece| piece.area).sum();
    let all = after.mesh_area + removed;
    assert!((before.enclosed_share - removed / all).abs() < 1e-6 && removed > 20.0, "{before:?}");
    assert!(after.advice.expect("advice").enclosed_share.abs() < 1e-9);
}

#[test]
fn a_roof_is_suspected() {
    let mut soup = TriangleSoup::default();
    // A yard lower than a large roof on thin walls.
    add_box(&mut soup, [-8.0, -0.5, 0.0], [0.0, 0.0, 10.0]);
    add_box(&mut soup, [1.0, -0.5, 0.0], [21.0, 0.0, 20.0]);
    add_box(&mut soup, [1.0, 3.0, 0.0], [21.0, 3.3, 20.0]);
    let covered = report(&soup, config()).advice.expect("advice");
    assert!(covered.may_be_roof(), "{covered:?}");
    // A hill is none.
    let mut hill = TriangleSoup::default();
    add_box(&mut hill, [-8.0, -0.5, 0.0], [0.0, 0.0, 10.0]);
    let corners = [[1.0, 3.0, 0.0], [1.0, 3.0, 20.0], [21.0, 3.0, 20.0], [21.0, 3.0, 0.0]].map(Into::into);
    hill.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("a plane");
    let advice = report(&hill, config()).advice.expect("advice");
    assert!(!advice.may_be_roof() && advice.has_lower_ground, "{advice:?}");
}

#[test]
fn a_long_bake_is_announced_before_the_work() {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.5, 0.0], [3000.0, 0.0, 3000.0]);
    let mut asks = Asks::default();
    let config = BakeConfig::default().with_scale(0.1, 0.1).with_max_memory_bytes(1 << 40);
    let cancelled = Baker::voxels().with_config(config.clone()).bake_observed(&soup, &mut asks);
    assert!(matches!(cancelled, Err(BakeError::Cancelled(_))));
    let (seconds, cell_size, max_step) = asks.long.expect("a warning");
    assert!(seconds > 30.0 && cell_size > 0.1 && cell_size < 0.9, "{seconds} {cell_size}");
    assert_eq!(max_step, None, "steps of 0.9 m");
    // A step below the rise of a slope over such a cell.
    let agent = Agent::default().with_max_step(0.25);
    let mut asks = Asks::default();
    let cancelled = Baker::voxels().with_config(config.with_agent(agent)).bake_observed(&soup, &mut asks);
    assert!(matches!(cancelled, Err(BakeError::Cancelled(_))));
    let max_step = asks.long.expect("a warning").2.expect("a step");
    assert!((max_step - cell_size).abs() < 1e-3, "45 degrees: {max_step}");
    let mut asks = Asks::default();
    Baker::voxels().bake_observed(&TriangleSoup::default(), &mut asks).expect_err("nothing");
    assert!(asks.long.is_none());
}

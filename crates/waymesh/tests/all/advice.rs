//! Advice below a bake: what a smaller radius joins, what lies inside of bodies, roofs, and time.

use waymesh::bake::Report;
use waymesh::core::GridScale;
use waymesh::glam::Vec3;
use waymesh::{Agent, BakeConfig, BakeError, Baker, Enclosed, Observer, TriangleSoup, Voxels, Warning};
use waymesh_testkit::boxes::add_box;
use waymesh_testkit::small;

/// Wants advice, and cancels at a warning of a long bake.
#[derive(Default)]
struct Asks {
    long: Option<(f64, f32, Option<f32>)>,
    slopes_lost: Option<(f64, Option<GridScale>, f32)>,
}

impl Observer for Asks {
    fn wants_advice(&self) -> bool {
        true
    }

    fn warn(&mut self, warning: Warning) {
        if let Warning::LongBake { seconds, cell_size, max_step } = warning {
            self.long = Some((seconds, cell_size, max_step));
        } else if let Warning::SlopesLost { area, finer, max_step, .. } = warning {
            self.slopes_lost = Some((area, finer, max_step));
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
    let [soup, slope] = [0.0, 0.5].map(|rise| small::slope(3000.0, rise));
    let mut asks = Asks::default();
    let config = BakeConfig::default().with_scale(0.1, 0.1).with_max_memory_bytes(1 << 40);
    let cancelled = Baker::voxels().with_config(config.clone()).bake_observed(&soup, &mut asks);
    assert!(matches!(cancelled, Err(BakeError::Cancelled(_))));
    let (seconds, cell_size, max_step) = asks.long.expect("a warning");
    assert!(seconds > 30.0 && cell_size > 0.1 && cell_size < 0.9, "{seconds} {cell_size}");
    assert_eq!(max_step, None, "level ground");
    // A step below the rise of the slope over two such cells, in levels of 0.1 m, and one above it.
    for (max_step, is_enough) in [(0.25, false), (0.9, true)] {
        let config = config.clone().with_agent(Agent::default().with_max_step(max_step));
        let mut asks = Asks::default();
        let cancelled = Baker::voxels().with_config(config).bake_observed(&slope, &mut asks);
        assert!(matches!(cancelled, Err(BakeError::Cancelled(_))));
        let (_, cell_size, step) = asks.long.expect("a warning");
        assert_eq!(step.is_none(), is_enough, "{step:?}");
        assert!(step.is_none_or(|step| step >= cell_size && step < cell_size + 0.1), "{step:?}");
    }
    let mut asks = Asks::default();
    Baker::voxels().bake_observed(&TriangleSoup::default(), &mut asks).expect_err("nothing");
    assert!(asks.long.is_none());
}

/// Level ground, a ramp of 12 m, and level ground again, turned around the vertical.
fn ramp(slope: f32, turn: f32) -> TriangleSoup {
    let rise = 12.0 * slope.to_radians().tan();
    let (sine, cosine) = turn.to_radians().sin_cos();
    let profile = [[-8.0, 0.0], [0.0, 0.0], [12.0, rise], [20.0, rise]];
    let corners = profile.into_iter().flat_map(|[x, y]| [[x, y, 0.0], [x, y, 8.0]]);
    let corners = corners.map(|[x, y, z]| Vec3::new(x * cosine - z * sine, y, x * sine + z * cosine));
    let quads = [0, 2, 4].map(|first| [[first, first + 1, first + 3], [first, first + 3, first + 2]]);
    TriangleSoup::new(corners.collect(), quads.concat()).expect("eight corners")
}

/// Ground of every slope that the agent walks on is whole, or the bake warns of it. What the
/// warning advises mends it.
#[test]
fn slopes_are_ground_unless_the_bake_warns_of_them() {
    let (mut warned, mut lost) = (0, 0);
    for slope in [8.0, 20.0, 26.0, 28.0, 35.0, 44.0] {
        for turn in [0.0, 30.0, 45.0] {
            let soup = ramp(slope, turn);
            for step in [0.25, 0.4, 0.9] {
                let agent = Agent::default().with_radius(0.3).with_max_step(step);
                let bake = |scale: GridScale, step: f32, tile_cells: u32| {
                    let config = BakeConfig::default().with_agent(agent.with_max_step(step));
                    let config = config.with_scale(scale.cell_size, scale.level_height);
                    let mut asks = Asks::default();
                    let baker = Baker::new(Voxels::default().with_tile_cells(tile_cells), config);
                    let bake = baker.bake_observed(&soup, &mut asks).expect("a bake");
                    (bake.mesh.islands().len(), bake.report.walkable_area, asks.slopes_lost)
                };
                for cell in [0.1, 0.2, 0.25, 0.3, 0.5] {
                    let scale = GridScale::new(cell, 0.0).with_levels_for(&agent);
                    let name = format!("{slope} degrees, turned by {turn}, step {step}, {scale:?}");
                    let (pieces, area, warning) = bake(scale, step, 0);
                    assert_eq!(bake(scale, step, 64), (pieces, area, warning), "{name}");
                    let Some((without, finer, max_step)) = warning else {
                        assert_eq!(pieces, 1, "{name}");
                        continue;
                    };
                    assert!((without - 96.0).abs() < 0.1, "{name}: {without} m2");
                    let finer = finer.expect("cells of some centimetres");
                    for (scale, step) in [(finer, step), (scale, max_step)] {
                        let (mended_pieces, mended_area, warning) = bake(scale, step, 0);
                        assert_eq!(
                            (mended_pieces, warning),
                            (1, None),
                            "{name}, mended by {scale:?}, {step}"
                        );
                        warned += 1;
                        lost += u32::from(pieces > 1 || area < mended_area - 1.0);
                    }
                }
            }
        }
    }
    assert!(warned > 100 && f64::from(lost) > 0.95 * f64::from(warned), "{lost} of {warned}");
}

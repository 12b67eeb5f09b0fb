//! Building plans and game levels as floor plans, where they lie next to the checkout.

use crate::plan_files;
use glam::Vec3;
use plan_files::{building, doom};
use waymesh::core::Validate;
use waymesh::floorplan::{FloorPlan, Outline, Shape};
use waymesh::graph::LinkKind;
use waymesh::{Agent, Bake, Baker, FloorPlans, Outcome, PlanWorld};

fn baker(radius: f32) -> Baker<FloorPlans> {
    let baker = quick(radius);
    let config = baker.config().clone().with_validate_stages(true);
    baker.with_config(config)
}

/// Without checks, to see how long it takes.
fn quick(radius: f32) -> Baker<FloorPlans> {
    let baker = Baker::plans();
    let config = baker.config().clone().with_agent(Agent::default().with_radius(radius));
    baker.with_config(config)
}

/// Bakes, checks, and draws where `WAYMESH_PICTURES` names a folder.
fn bake(name: &str, plan: &FloorPlan, radius: f32) -> Bake {
    let bake = baker(radius).bake_observed(plan, &mut ()).expect(name);
    bake.mesh.validate().expect(name);
    let seconds = quick(radius).bake_observed(plan, &mut ()).expect(name).report.seconds;
    if let Some(folder) = std::env::var_os("WAYMESH_PICTURES") {
        let file = std::path::Path::new(&folder).join(format!("{name}.svg"));
        let options = waymesh::io::SvgOptions::default();
        waymesh::io::write_file(&file, |writer| waymesh::io::write_svg(&bake.mesh, None, &options, writer))
            .expect("a picture");
    }
    let report = &bake.report;
    let largest = report.islands.iter().map(|island| island.area).fold(0.0, f64::max);
    eprintln!(
        "{name}: {} polygons, {} islands, {:.1} m2 ({largest:.1} m2 the largest), {} links, {:.0} ms, {} warnings",
        report.polygons,
        report.islands.len(),
        report.mesh_area,
        report.links,
        seconds * 1e3,
        report.warnings.len()
    );
    for warning in report.warnings.iter().take(4) {
        eprintln!("  {warning}");
    }
    bake
}

#[test]
fn building_plans_become_meshes() {
    // Area of the floors in square metres, as the scanned outlines have it, and what must be left of
    // it.
    for (name, storeys) in [
        ("airport_terminal", 1),
        ("battle_royale", 1),
        ("clinic", 2),
        ("hotel", 3),
        ("office", 1),
        ("triple_H", 1),
    ] {
        let Some(plan) = building(name) else { return };
        let plan = plan.expect(name);
        assert_eq!(plan.storeys.len(), storeys, "{name}");
        let bake = bake(name, &plan, 0.25);
        let unshrunk = baker(0.0).bake_observed(&plan, &mut ()).expect(name);
        assert!(bake.mesh.area() < unshrunk.mesh.area(), "{name}");
        assert!(bake.mesh.area() > 0.4 * unshrunk.mesh.area(), "{name}");
        // Lifts: one gets from the lowest storey to the highest.
        if storeys > 1 {
            let mesh = &bake.mesh;
            let lift = mesh.links().iter().find(|link| link.kind == LinkKind::Lift).expect("a lift");
            let middle = |polygon| {
                let polygon = mesh.polygon(polygon).expect("a polygon");
                polygon.positions().sum::<Vec3>() / polygon.positions().len() as f32
            };
            let (from, to) = (middle(lift.from.polygon), middle(lift.to.polygon));
            let path = mesh.query().path(from, to).expect("a path");
            assert_eq!(path.outcome, Outcome::Complete, "{name}");
            assert!(!path.links.is_empty(), "{name}");
        }
    }
}

#[test]
fn a_building_in_degrees_is_read_and_has_no_floors() {
    let Some(plan) = building("campus") else { return };
    let plan = plan.expect("a building in degrees");
    let [longitude, latitude] = plan.geo_origin.expect("its place");
    assert!((longitude - 103.78).abs() < 0.01 && (latitude - 1.3).abs() < 0.01);
    let error = baker(0.3).bake(&plan).expect_err("lanes alone").to_string();
    assert!(error.contains("no walkable shape"), "{error}");
}

#[test]
fn sectors_of_a_game_become_a_mesh() {
    for name in ["E1M1", "MAP01", "MAP07"] {
        let Some((plan, area)) = doom(name) else { return };
        // The converter's own sum, without overlay: sectors do not overlap, so the union of them is their
        // sum.
        let baker = baker(0.0).with_front(FloorPlans::default().with_near_distance(0.0));
        let config = baker.config().clone().with_min_region(0.0);
        let found = baker.with_config(config).bake(&plan).expect(name).area();
        assert!((found - area).abs() < 0.002 * area, "{name}: {found} m2 of {area} m2");
        bake(name, &plan, 0.5);
    }
}

#[test]
fn windows_of_a_building_are_the_building() {
    let Some(plan) = building("office") else { return };
    let plan = plan.expect("a plan");
    let whole = bake("office", &plan, 0.25).mesh;
    let mut world = PlanWorld::new(baker(0.25), plan, 6.0).expect("a world");
    let update = world.update(&mut ()).expect("an update");
    let mesh = world.handle().mesh();
    mesh.validate().expect("a sound mesh");
    eprintln!(
        "office: {} windows, {} polygons of {}, {:.0} ms and {:.0} ms",
        update.rebuilt,
        update.polygons,
        whole.polygon_count(),
        update.build_seconds * 1e3,
        update.join_seconds * 1e3
    );
    assert!((mesh.area() - whole.area()).abs() < 0.005 * whole.area(), "{} {}", mesh.area(), whole.area());
    let mut large: Vec<f64> =
        whole.islands().iter().map(|island| island.area).filter(|&area| area > 2.0).collect();
    let mut large_in_windows: Vec<f64> =
        mesh.islands().iter().map(|island| island.area).filter(|&area| area > 2.0).collect();
    for list in [&mut large, &mut large_in_windows] {
        list.sort_by(f64::total_cmp);
    }
    assert_eq!(large.len(), large_in_windows.len(), "{large:?} {large_in_windows:?}");
}

#[test]
fn obstacles_in_buildings_come_and_go() {
    for name in ["airport_terminal", "clinic"] {
        let Some(plan) = building(name) else { return };
        let plan = plan.expect(name);
        let lowest =
            plan.storeys.iter().min_by(|a, b| a.elevation.total_cmp(&b.elevation)).expect("a storey");
        let storey = lowest.name.clone();
        let elevation = lowest.elevation;
        let mut world = PlanWorld::new(quick(0.25), plan, 8.0).expect("a world");
        let first = world.update(&mut ()).expect("an update");
        let before = world.handle().mesh();
        // The middle of the largest polygon of the lowest storey.
        let place = before
            .polygons()
            .filter(|polygon| polygon.positions().all(|corner| (f64::from(corner.y) - elevation).abs() < 0.1))
            .max_by(|a, b| a.area().total_cmp(&b.area()))
            .map(|polygon| polygon.positions().sum::<Vec3>() / polygon.positions().len() as f32)
            .expect("a polygon");
        let at = [f64::from(place.x), f64::from(place.z)];
        let pallet = Shape::new("pallet", Outline::rectangle(at, [1.2, 0.8], 0.3));
        let id = world.add_obstacle(&storey, &pallet).expect("an obstacle");
        let added = world.update(&mut ()).expect("an update");
        let after = world.handle().mesh();
        after.validate().expect(name);
        assert!(after.area() < before.area(), "{name}");
        assert!(world.remove_obstacle(id));
        let removed = world.update(&mut ()).expect("an update");
        assert_eq!(*world.handle().mesh(), *before, "{name}");
        let milliseconds = |update: &waymesh::WorldUpdate| 1e3 * (update.build_seconds + update.join_seconds);
        eprintln!(
            "{name}: {} windows and {} polygons in {:.1} ms; an obstacle built {} windows in {:.2} ms ({:.2} ms of it the windows), removed in {:.2} ms",
            first.rebuilt,
            first.polygons,
            milliseconds(&first),
            added.rebuilt,
            milliseconds(&added),
            1e3 * added.build_seconds,
            milliseconds(&removed)
        );
    }
}

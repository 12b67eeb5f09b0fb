//! Every stage of small scenes as text, and a page of figures for the larger ones. `cargo xtask
//! bless` rewrites them.

use std::fmt::Write;

use waymesh::{BakeConfig, Baker, TriangleSoup};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::boxes::add_box;
use waymesh_testkit::{snapshot, text};

/// A room with a block to walk round, a block to step onto, and a gallery on a pillar above.
fn room() -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.5, 0.0], [9.0, 0.0, 7.5]);
    add_box(&mut soup, [2.0, 0.0, 2.0], [3.0, 1.5, 3.0]);
    add_box(&mut soup, [6.0, 0.0, 0.0], [9.0, 0.6, 2.4]);
    add_box(&mut soup, [5.0, 3.0, 3.0], [9.0, 3.3, 7.5]);
    soup
}

#[test]
fn snapshot_every_stage_of_a_room() {
    let pipeline = Baker::voxels().with_config(BakeConfig::default().with_validate_stages(true));
    let stages = pipeline.bake_stages(&room(), &mut ()).expect("a mesh");
    snapshot!("room_1_heightfield", text::heightfield(&stages.heightfield));
    snapshot!("room_2_field", text::field(&stages.field));
    snapshot!("room_3_regions", text::regions(&stages.field, &stages.regions));
    snapshot!("room_4_raw_contours", text::contours(&stages.raw_contours));
    snapshot!("room_5_contours", text::contours(&stages.contours));
    snapshot!("room_6_polygons", text::polygons(&stages.polygons));
}

#[test]
fn snapshot_figures_of_generated_scenes() {
    let pipeline = Baker::voxels().with_config(BakeConfig::default().with_validate_stages(true));
    let mut page = String::new();
    for scene in Scene::ALL {
        for (kind, soup) in [("sound", scene.build(&SceneConfig::default())), ("broken", scene.broken(1))] {
            let bake = pipeline
                .bake_observed(&soup, &mut ())
                .unwrap_or_else(|error| panic!("{}: {error}", scene.name()));
            let report = &bake.report;
            let _ = writeln!(page, "{} ({kind}), {} triangles", scene.name(), report.triangles);
            let _ = writeln!(
                page,
                "  grid {} x {}, {} spans, {} walkable",
                report.grid.width, report.grid.depth, report.spans, report.walkable_spans
            );
            let _ = writeln!(
                page,
                "  {} regions, {} contours, {} polygons, {} portals, {} vertices",
                report.regions, report.contours, report.polygons, report.portals, report.vertices
            );
            let _ = writeln!(
                page,
                "  {:.1} m2 of {:.1} m2, {} islands, height error {:.0} mm",
                report.mesh_area,
                report.walkable_area,
                report.islands.len(),
                report.height_error_max.unwrap_or(f64::NAN) * 1000.0
            );
            for warning in &report.warnings {
                let _ = writeln!(page, "  {warning}");
            }
        }
    }
    snapshot!("figures", page);
}

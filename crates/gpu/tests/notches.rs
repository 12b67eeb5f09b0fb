//! The portals of a search on a device are those of the processor.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::sync::LazyLock;

use waymesh::Baker;
use waymesh::convex::{Closest, NotchSearch, NotchTables, Partner, PortalCounts, find_portals};
use waymesh::core::{PolygonSet, Triangulation};
use waymesh::triangulate::{triangulate_cdt, triangulate_ears};
use waymesh_gpu::{GpuContext, GpuNotches, GpuOptions};
use waymesh_scenes::Scene;
use waymesh_testkit::{levels, plans};

/// Returns the search on any adapter, possibly in software.
fn search() -> Option<&'static GpuNotches> {
    static SHARED: LazyLock<Option<GpuNotches>> = LazyLock::new(|| {
        let context = GpuContext::new(&GpuOptions::default().with_software(true)).ok()?;
        Some(GpuNotches::new(&context).expect("shaders that the device takes"))
    });
    if SHARED.is_none() {
        levels::skipped("a graphics adapter, be it in software");
    }
    SHARED.as_ref()
}

/// Compares the portals. Returns the counts.
fn compare(triangulation: &Triangulation, what: &str) -> PortalCounts {
    let Some(search) = search() else { return PortalCounts::default() };
    let cpu = find_portals(triangulation, None).unwrap();
    let gpu = find_portals(triangulation, Some(search)).unwrap();
    assert!(search.last_error().is_none(), "{what}: the device failed");
    assert_eq!(cpu.counts.at_once, 0);
    assert_eq!(gpu.counts.notches, cpu.counts.notches, "{what}");
    assert!(gpu.fixed == cpu.fixed, "{what}: other portals");
    assert!(gpu.triangulation == cpu.triangulation, "{what}: other triangles");
    gpu.counts
}

fn both(plan: &PolygonSet, what: &str) -> PortalCounts {
    compare(&triangulate_ears(plan).unwrap(), &format!("{what}, ears"));
    compare(&triangulate_cdt(plan).unwrap(), what)
}

#[test]
fn halls() {
    for (seed, vertices) in [(1, 23), (2, 60), (3, 150), (4, 400), (5, 965), (6, 3000)] {
        for round in [3, 6, 11] {
            let counts = both(&plans::hall(seed, vertices, round), &format!("hall of {vertices}, {round}"));
            if search().is_some() && vertices == 965 {
                // The search is actually used.
                assert!(counts.at_once * 2 > counts.notches, "{counts:?}");
            }
        }
    }
    both(&plans::round_pillars(4, 24), "pillars");
}

#[test]
fn shared_plans() {
    let Some(folder) = levels::find("polygons2d") else { return };
    let mut folders = vec![folder];
    let mut compared = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let plan = plans::from_rings(&plans::read_rings(&text));
                // Some files are no plans, and some plans are no polygons.
                if let Ok(triangulation) = triangulate_cdt(&plan)
                    && triangulation.triangles.len() < 20_000
                {
                    compare(&triangulation, &path.display().to_string());
                    compared += usize::from(!triangulation.triangles.is_empty());
                }
            }
        }
    }
    assert!(compared > 3, "{compared} plans");
}

#[test]
fn levels_and_scenes() {
    let mut soups = vec![];
    for name in ["nav_test", "dungeon", "undulating"] {
        if let Some(path) = levels::find(&format!("golden/Meshes/{name}.obj")) {
            soups.push((name, levels::read_obj(&path)));
        }
    }
    for scene in Scene::ALL.into_iter().chain(Scene::NATURAL) {
        soups.push((scene.name(), scene.build(&Default::default())));
    }
    for (name, soup) in soups {
        let stages = Baker::voxels().bake_stages(&soup, &mut ()).unwrap();
        compare(&stages.triangulation, name);
    }
}

/// Tests that the processor searches for all notches that a search leaves out.
#[test]
fn a_search_may_leave_out_anything() {
    struct Lazy<'a>(Option<&'a GpuNotches>);
    impl NotchSearch for Lazy<'_> {
        fn partners(&self, tables: &NotchTables) -> Option<Vec<Option<Vec<Partner>>>> {
            let mut all = self.0?.partners(tables)?;
            all.iter_mut().step_by(3).for_each(|found| *found = None);
            Some(all)
        }

        fn closest(&self, tables: &NotchTables) -> Option<Vec<Option<Closest>>> {
            let mut all = self.0?.closest(tables)?;
            all.iter_mut().step_by(2).for_each(|found| *found = None);
            Some(all)
        }
    }
    let triangulation = triangulate_cdt(&plans::hall(8, 500, 7)).unwrap();
    let cpu = find_portals(&triangulation, None).unwrap();
    for search in [None, search()] {
        let other = find_portals(&triangulation, Some(&Lazy(search))).unwrap();
        assert!(other.fixed == cpu.fixed && other.triangulation == cpu.triangulation);
        assert!(other.counts.again * 2 >= other.counts.notches);
    }
}

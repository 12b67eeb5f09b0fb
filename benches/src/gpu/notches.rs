//! Portals of halls, found from all notches at once: figures 10 to 12 of Oliva and Pelechano 2012.

use std::cell::RefCell;

use waymesh_convex::{Closest, NotchPortalsConfig, NotchSearch, NotchTables, Partner, find_portals};
use waymesh_gpu::{GpuNotches, GpuTimes};
use waymesh_testkit::plans;
use waymesh_triangulate::triangulate_cdt;

use super::{GpuBenchOptions, failed, head, row, timed};
use crate::BenchError;

/// Vertices of the paper's smallest and largest scenario, and what lies between.
const VERTICES: [u32; 10] = [23, 60, 110, 180, 270, 380, 500, 640, 800, 965];
/// Larger ones than the paper has.
const LARGER: [u32; 2] = [10_000, 100_000];

/// Keeps the tables of the notches before any has a portal.
struct Kept(RefCell<NotchTables>);

impl NotchSearch for Kept {
    fn partners(&self, tables: &NotchTables) -> Option<Vec<Option<Vec<Partner>>>> {
        *self.0.borrow_mut() = tables.clone();
        None
    }

    fn closest(&self, _: &NotchTables) -> Option<Vec<Option<Closest>>> {
        None
    }
}

pub(super) fn notches(
    options: &GpuBenchOptions,
    search: &GpuNotches,
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    print(&head(
        "Portals of halls, ms (the paper's figures 10 to 12; it has 312 ms for 965 vertices on a card of 2007). \"At once\" \
         are the notches whose view stayed valid; triangles are those that all notches look at before any has a portal",
        &[
            "vertices",
            "notches",
            "processor",
            "device",
            "upload",
            "shaders",
            "download",
            "second pass and cuts, on the processor",
            "at once",
            "triangles, with the bound",
            "without the bound",
        ],
    ));
    for vertices in VERTICES.into_iter().chain(LARGER) {
        let hall = plans::hall(1, vertices, 8);
        let hall = triangulate_cdt(&hall).map_err(|error| failed("notches", error))?;
        let config = NotchPortalsConfig::default();
        let portals = |search: Option<&dyn NotchSearch>| find_portals(&hall, &config, search);
        // The tables of the device have grown by then.
        portals(Some(search)).map_err(|error| failed("notches", error))?;
        let rounds = if options.software && vertices > 1000 { 3 } else { 9 };
        let (cpu, expected) = timed(rounds, || portals(None));
        let before = search.times();
        let (device, found) = timed(rounds, || portals(Some(search)));
        let after = search.times();
        if let Some(error) = search.last_error() {
            return Err(failed("notches", error));
        }
        let (expected, found) = (
            expected.map_err(|error| failed("notches", error))?,
            found.map_err(|error| failed("notches", error))?,
        );
        if expected.fixed != found.fixed || expected.triangulation != found.triangulation {
            return Err(failed("notches", "the portals differ"));
        }
        let kept = Kept(RefCell::default());
        portals(Some(&kept)).map_err(|error| failed("notches", error))?;
        let tables = kept.0.into_inner();
        let seen =
            |bounded| search.triangles_seen(&tables, bounded).map_err(|error| failed("notches", error));
        let each = |time: fn(&GpuTimes) -> std::time::Duration| {
            (time(&after) - time(&before)).as_secs_f64() * 1e3 / rounds as f64
        };
        let parts = [each(|times| times.upload), each(|times| times.kernels), each(|times| times.download)];
        let [cpu, device] = [cpu, device].map(|time| time.as_secs_f64() * 1e3);
        let rest = (device - parts.iter().sum::<f64>()).max(0.0);
        let mut cells = vec![hall.vertices.len().to_string(), found.counts.notches.to_string()];
        cells.extend([cpu, device].into_iter().chain(parts).chain([rest]).map(|time| format!("{time:.2}")));
        cells.extend([
            format!("{:.0} %", 100.0 * found.counts.at_once as f64 / found.counts.notches.max(1) as f64),
            seen(true)?.to_string(),
            seen(false)?.to_string(),
        ]);
        print(&row(&cells));
    }
    Ok(())
}

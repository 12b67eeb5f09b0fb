//! Patches: parts of a group that take about the same work.

use std::ops::Range;

use waymesh_core::{PolyId, PolyMesh};

/// Work of a patch, the unit of work of a thread: large enough to outweigh the cost of a task, and
/// small enough to balance the threads. A cell of a polygon counts 1.
const WORK_PER_PATCH: f64 = 16_384.0;

/// Fixed work of a polygon, added to that of its cells.
const WORK_PER_POLYGON: f64 = 64.0;

/// Cuts a group into patches of about the same work, which do not depend on the threads.
pub(crate) fn patches(mesh: &PolyMesh, group: &[PolyId]) -> Vec<Range<usize>> {
    let (mut patches, mut first, mut work) = (Vec::new(), 0, 0.0);
    for (place, &id) in group.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let cells = mesh.doubled_area(id) as f64 / 2.0;
        work += cells + WORK_PER_POLYGON;
        if work >= WORK_PER_PATCH {
            patches.push(first..place + 1);
            (first, work) = (place + 1, 0.0);
        }
    }
    if first < group.len() {
        patches.push(first..group.len());
    }
    patches
}

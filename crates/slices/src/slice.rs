//! The whole pipeline: from a soup to slices.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use waymesh_core::stage::StageError;
use waymesh_core::{
    ContourSet, Counter, GridFrame, Observer, Stopwatch, TriangleSoup, Validate, Violation, ViolationList,
    Warning, threads,
};

use crate::assemble::assemble;
use crate::bins::{Bins, Budget, Tiling};
use crate::config::Limits;
use crate::links::{SliceLink, find_links};
use crate::merge::{SliceRegion, merge_tiles};
use crate::raster::Placement;
use crate::scene::{MarkSpans, SliceScene};
use crate::slopes::join_slopes;
use crate::tile::{BYTES_PER_COLUMN, PAINT_BYTES_PER_COLUMN, TileSlices, Workspace};
use crate::{LinkPlace, SlicesConfig, SlicesError};

/// The flat regions of a scene, their borders and the links between them.
///
/// # Invariants
/// - There is one region per contour, in order. The plan area of a region polygon is the region's
///   number of cells.
/// - If a border has a region beyond it, the agent can step to that region, and there is a link.
/// - Cells of one level and one area that share a side belong to one region, cells of different
///   areas never do. The ground of a region is a plane, within
///   [`SlicesConfig::max_height_error_levels`] of its cells, and level if that is 0. No region
///   overlaps itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slices {
    /// Exact borders. Vertices are corners, and points where the region beyond changes.
    pub contours: ContourSet,
    /// Level and size of each region.
    pub regions: Vec<SliceRegion>,
    /// Links between regions.
    pub links: Vec<SliceLink>,
    /// Number of tiles that were used.
    pub tiles: u64,
    /// Number of spans, walkable or not.
    pub spans: u64,
}

impl Validate for Slices {
    /// Checks that the contours are valid, the tables fit each other, areas equal the numbers of
    /// cells, and links agree with the shared borders.
    fn violations(&self, out: &mut ViolationList) {
        self.contours.violations(out);
        if self.regions.len() != self.contours.regions.len() {
            out.push(Violation::BrokenTable { table: "slice regions" });
        }
        if !out.is_empty() {
            return;
        }
        let polygons = self.contours.polygons();
        for (polygon, region) in polygons.polygons.iter().zip(&self.regions) {
            let actual: i128 = polygon.loops().map(|border| polygons.doubled_area(border)).sum();
            let expected = 2 * i128::from(region.cells);
            if actual != expected {
                out.push(Violation::AreaLost { stage: "slices", expected, actual });
            }
        }
        let shared = self.contours.arcs.iter().filter(|arc| arc.right.is_some()).count();
        let mut borders = 0;
        for link in &self.links {
            let known = match link.place {
                LinkPlace::Border(arc) => {
                    borders += 1;
                    let arc = self.contours.arcs.get(arc.index());
                    arc.is_some_and(|arc| arc.left == link.from && arc.right == Some(link.to))
                }
                LinkPlace::Gap { .. } => link.from != link.to,
            };
            let ground =
                |region: waymesh_core::RegionId| self.regions.get(region.index()).map(|region| region.ground);
            let grounds = ground(link.from).zip(ground(link.to)).filter(|_| known);
            let rise = grounds.map(|(from, to)| link.place.rise(&self.contours, [from, to]));
            if rise != Some(link.rise_levels) {
                out.push(Violation::BrokenTable { table: "slice links" });
            }
        }
        if borders != shared {
            out.push(Violation::BrokenTable { table: "slice links" });
        }
    }
}

/// Slices a scene by the pipeline of Saupin and Le Garrec, up to the triangulation.
///
/// 1. Triangles are sorted into tiles (bins), and tiles are voxelised in parallel, each with the
///    few columns around it that decide where its borders are (sections 2 and 4.1.4). Steep
///    triangles are obstacles unless they end within a step above a walkable surface. Ground with
///    too little head room is not walkable.
/// 2. Each tile is cut into pieces of one level and one area (section 3, [`crate::segment`]), which
///    give their corner points (section 4.1, [`crate::corner_points`]) and the regions beyond their
///    borders (section 5.2).
/// 3. Pieces are joined to regions across tiles (section 4.3), and the corner points of each region
///    are connected to contours by the even-odd rule (section 4.2, [`crate::connect_corners`]), the
///    outer one first (section 5.1.1).
/// 4. If [`SlicesConfig::max_height_error_levels`] is set, slices that form one slope are joined to
///    one region. The paper leaves this to future work (section 7).
/// 5. A border between two regions becomes one arc for both sides, and a link, if the agent can
///    step across it (section 5.2).
///
/// Contours are made after the merge, from corners that were found in extended tiles. Therefore
/// tiles add no vertices, and no contours have to be joined.
///
/// # Guarantees
/// - The result is valid. It does not depend on the tile size, the number of threads, the number of
///   tiles alive or the order of the triangles.
/// - Conservative: a column that a triangle reaches into by more than a 5000th of a cell has a span
///   over its heights there.
/// - No level, region or storey is left out because it is small.
///
/// # Cost
/// Time is linear in the columns that triangles cover, plus `n log n` in the corner points. Memory:
/// about 60 bytes per column of a tile for each tile alive (90 with areas, for which walkable
/// triangles are visited twice), four bytes per triangle and tile, and about 100 bytes per piece of
/// border for the result.
///
/// Runs on the current rayon pool. Reports skipped triangles and finished tiles to the observer.
/// Its stages are `slice tiles`, `merge slices`, `join slopes`, `outline slices` and `link slices`.
///
/// # Errors
/// Returns an error for a bad configuration, for a soup without a usable triangle, and for a grid,
/// tiles or tables beyond their limits. A world without walkable ground is no error: the result has
/// no regions, and the observer gets a warning.
///
/// # References
/// Saupin and Le Garrec, Robust and Scalable Navmesh Generation with multiple levels and stairs
/// support.
pub fn slice_world(
    soup: &TriangleSoup,
    config: &SlicesConfig,
    observer: &mut dyn Observer,
) -> Result<Slices, SlicesError> {
    slice(soup, config, None, observer)
}

/// Slices a scene like [`slice_world`], after `mark` has given spans another area or removed them,
/// before the ground is cut to regions. The ground of a span ([`waymesh_core::SpanField::ground`])
/// is the height at the centre of its cell.
///
/// # Errors
/// See [`slice_world`]; [`SlicesError::Marks`] for the errors of `mark`.
pub fn slice_marked_world(
    soup: &TriangleSoup,
    config: &SlicesConfig,
    mark: &MarkSpans<'_>,
    observer: &mut dyn Observer,
) -> Result<Slices, SlicesError> {
    slice(soup, config, Some(mark), observer)
}

fn slice(
    soup: &TriangleSoup,
    config: &SlicesConfig,
    mark: Option<&MarkSpans<'_>>,
    observer: &mut dyn Observer,
) -> Result<Slices, SlicesError> {
    config.validate()?;
    let bounds = soup.bounds();
    if !bounds.is_valid() {
        return Err(SlicesError::NoTriangles { triangles: soup.triangles().len() });
    }
    let frame = GridFrame::fit(&bounds, &config.scale)?;
    let limits = Limits::new(config);
    let placement = Placement::new(&frame, config.agent.max_slope);
    let alive = if config.alive_tiles == 0 { threads::count() } else { config.alive_tiles };
    let tiling = Tiling::new(frame, config.tile_cells);

    let (numbers, tiles) = timed("slice tiles", observer, |observer| {
        let scene = SliceScene { soup, frame, placement, limits, mark };
        let paint_bytes = if scene.has_areas() { PAINT_BYTES_PER_COLUMN } else { 0 };
        let column_bytes = BYTES_PER_COLUMN + paint_bytes;
        let budget =
            Budget { alive, ring: limits.ring(), column_bytes, limit_bytes: config.max_memory_bytes };
        let bins = Bins::new(soup, &placement, &tiling, config.steep_blocks, &budget)?;
        report_skipped(&bins, soup, observer)?;
        let tiles = run_tiles(&scene, &tiling, &bins, alive, observer)?;
        Ok((bins.numbers().to_vec(), tiles))
    })?;
    let low_ceilings: u64 = tiles.iter().map(|tile| tile.low_ceilings).sum();
    if low_ceilings > 0 {
        observer.count(Counter::SpansUnderLowCeiling, low_ceilings);
    }
    let mut merged = timed("merge slices", observer, |_| {
        let mut merged = merge_tiles(&tiling, &numbers, tiles)?;
        merged.join_slices();
        Ok(merged)
    })?;
    if limits.plane_error > 0.0 {
        timed("join slopes", observer, |_| {
            join_slopes(&mut merged, &limits);
            Ok(())
        })?;
    }
    if merged.regions.is_empty() {
        observer.warn(Warning::NothingWalkable { stage: "slice tiles" });
    }
    let contours = timed("outline slices", observer, |_| assemble(frame, &mut merged))?;
    let links =
        timed("link slices", observer, |_| Ok(find_links(&contours, &merged.regions, &merged.meetings)))?;
    Ok(Slices { contours, regions: merged.regions, links, tiles: tiling.count(), spans: merged.spans })
}

/// Runs one stage and reports its duration.
fn timed<T>(
    stage: &'static str,
    observer: &mut dyn Observer,
    run: impl FnOnce(&mut dyn Observer) -> Result<T, SlicesError>,
) -> Result<T, SlicesError> {
    let start = Stopwatch::start();
    observer.stage_started(stage);
    let result = run(observer)?;
    observer.stage_finished(stage, start.seconds());
    Ok(result)
}

fn report_skipped(bins: &Bins, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<(), SlicesError> {
    bins.skipped.report(observer);
    let triangles = soup.triangles().len();
    if bins.skipped.total() == triangles as u64 {
        return Err(SlicesError::NoTriangles { triangles });
    }
    Ok(())
}

/// Slices all tiles with triangles, `alive` at a time. Each worker reuses one workspace for all its
/// tiles.
fn run_tiles(
    scene: &SliceScene<'_>,
    tiling: &Tiling,
    bins: &Bins,
    alive: usize,
    observer: &mut dyn Observer,
) -> Result<Vec<TileSlices>, StageError> {
    let count = bins.numbers().len();
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::with_capacity(count), observer));
    threads::workers(alive.min(count.max(1)), || {
        let mut workspace = Workspace::default();
        loop {
            let tile = next.fetch_add(1, Ordering::Relaxed);
            if tile >= count {
                return;
            }
            let slices = workspace.run(scene, tiling.window(bins.numbers()[tile]), bins.of_tile(tile));
            // The lock is poisoned only if an observer panicked; the guarded data is still intact.
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (tiles, observer) = &mut *done;
            tiles.push((tile, slices));
            observer.progress(tiles.len() as u64, count as u64);
        }
    });
    let (mut tiles, _) = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    tiles.sort_unstable_by_key(|(tile, _)| *tile);
    tiles.into_iter().map(|(_, slices)| slices).collect()
}

//! Fitting of the whole surface: group by group, then with one numbering.

use std::ops::Range;
use std::sync::{Mutex, PoisonError, atomic::AtomicUsize, atomic::Ordering};

use waymesh_core::stage::{FitHeights, StageError};
use waymesh_core::{
    GridFrame, GridWindow, HeightSurface, LabelledWindow, Observer, PolyId, PolyMesh, RegionMap, SpanField,
    WalkableField, checkpoint, threads,
};

use crate::{
    DetailConfig, DetailError, WindowConfig,
    assemble::{FittedPolygons, GroupFit, assemble, each},
    check::{check_ground, check_mesh, check_regions},
    edges::{Numbers, Plan, fit_outlines, regions_around},
    ground::{Ground, GroundWindow, Scale},
    groups::Groups,
    known::{read_fit, write_fit},
    lattice::Lattice,
    patches::patches,
    polygon::{Patch, Scratch, Task},
};

/// Fits a surface of triangles to the ground in every polygon by greedy insertion.
///
/// The height of a vertex of the mesh identifies its storey. The height is fitted again, or kept if
/// no ground is near the vertex.
///
/// The samples of a polygon are the ground at the centre of every column inside its plan. It is
/// ground of the polygon's region, or, if simplification moved the border, the ground linked to it.
/// If a seam was moved, this may be ground of another region for many columns, and the region's own
/// ground there may be on another storey, as on a winding stair. The polygon stays on the storey of
/// its corners and follows links, and never changes to a storey above or below. Vertices and points
/// on edges get heights interpolated between columns.
///
/// # Guarantees
/// - All rules of [`HeightSurface::violations_over`] hold. Two polygons share the points along a
///   common edge.
/// - No sample is farther from the surface than [`DetailConfig::max_error_levels`]. If this fails,
///   which is not known to happen on a valid field, the observer receives one
///   [`waymesh_core::Warning::HeightBoundMissed`] per region.
/// - Points inside polygons are samples. Flat and evenly sloping polygons get none.
/// - `points` begins with the vertices of `mesh`, in order. The result does not depend on the
///   number of threads.
///
/// # Cost
/// About the number of samples times the logarithm of the number of inserted points, because an
/// insertion only scans the triangles that it changes.
///
/// # Errors
/// [`DetailError`] for bad configuration, tables that do not match, heights that are not finite,
/// polygons that are not convex, and coordinates or counts too large to represent.
///
/// # References
/// Garland and Heckbert 1995, Fast Polygonal Approximation of Terrains and Height Fields, algorithm
/// III, here with regions and several storeys. The detail heights of Mononen 2009, Navigation Mesh
/// Generation via Voxelization and Watershed Partitioning, use the same idea.
pub fn fit_heights(
    field: &WalkableField,
    regions: &RegionMap,
    mesh: &PolyMesh,
    config: &DetailConfig,
    observer: &mut dyn Observer,
) -> Result<HeightSurface, DetailError> {
    config.validate()?;
    check_mesh(mesh, config.points_per_column)?;
    let lattice = Lattice::fit(mesh, config.points_per_column)?;
    let groups = Groups::one(mesh, lattice);
    let fits = run(mesh, (&groups, lattice), &Source::Whole(field, regions), 1, config, observer)?;
    Ok(assemble(mesh, fits, lattice, config.max_error_levels, observer)?.surface)
}

/// The error of a source.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Returns the ground of a window. [`fit_heights_windowed`] requests each window once.
///
/// The ground must hold all requested columns, and may hold more.
pub type GroundSource<'a, F = WalkableField> =
    dyn Fn(GridWindow) -> Result<LabelledWindow<F>, Cause> + Sync + 'a;

/// Fits heights as [`fit_heights`] does, for a field that is never in memory as a whole: polygons
/// that lie close together are fitted over a window of the field, group by group.
///
/// # Guarantees
/// The result equals that of [`fit_heights`] to the last bit, for any windows.
///
/// # Cost
/// The cost of [`fit_heights`], but edges between two groups are fitted twice. In addition to the
/// result and some numbers per polygon and vertex, [`WindowConfig::windows_at_once`] windows are in
/// memory. Each window is requested once, and up to this number of threads call the source at the
/// same time. The source must not wait for another call of itself.
///
/// # Errors
/// The errors of [`fit_heights`], and [`DetailError::Source`] for the first window that the source
/// cannot provide.
pub fn fit_heights_windowed<F: SpanField + 'static>(
    mesh: &PolyMesh,
    source: &GroundSource<'_, F>,
    config: &DetailConfig,
    windows: &WindowConfig,
    observer: &mut dyn Observer,
) -> Result<HeightSurface, DetailError> {
    let all: Vec<PolyId> = (0..mesh.polygons.len()).map(PolyId::from_index).collect();
    Ok(fit_heights_of(mesh, &all, source, config, windows, observer)?.surface)
}

/// Gets each polygon that was fitted, and a function that returns the bytes of its fit.
pub type KeepFit<'a> = dyn FnMut(PolyId, &dyn Fn() -> Vec<u8>) + 'a;

/// Most columns of a window where the heights of some polygons are known: the others lie apart.
const KNOWN_COLUMNS: u64 = 1 << 18;

/// Fits heights as [`fit_heights_windowed`] does, but takes those of some polygons from earlier
/// fits. `known` has the bytes of each polygon that `keep` got when a polygon of the same
/// [`fit_inputs`](crate::fit_inputs) was fitted over the same ground. Polygons without bytes or
/// with damaged ones are fitted, and passed to `keep`.
///
/// # Guarantees
/// The result equals that of [`fit_heights_windowed`] to the last bit.
///
/// # Cost
/// The cost of the polygons that are fitted, and that of copying the others.
///
/// # Errors
/// The errors of [`fit_heights_windowed`], and [`DetailError::Mismatch`] for bytes of another
/// polygon.
pub fn fit_heights_known<F: SpanField + 'static>(
    mesh: &PolyMesh,
    (known, keep): (&[Option<&[u8]>], &mut KeepFit<'_>),
    source: &GroundSource<'_, F>,
    config: &DetailConfig,
    windows: &WindowConfig,
    observer: &mut dyn Observer,
) -> Result<HeightSurface, DetailError> {
    let (mut kept, mut patch, mut wanted) = (Vec::new(), Patch::default(), Vec::new());
    for id in (0..mesh.polygons.len()).map(PolyId::from_index) {
        let bytes = known.get(id.index()).copied().flatten();
        let is_known = bytes.is_some_and(|bytes| read_fit(bytes, mesh.corners(id).len(), &mut patch));
        if is_known { &mut kept } else { &mut wanted }.push(id);
    }
    let lattice = checked_lattice(mesh, config, windows)?;
    let most = if kept.is_empty() { u64::MAX } else { KNOWN_COLUMNS };
    let groups = Groups::plan(mesh, wanted, windows.window_columns.min(most), lattice);
    let at_once = windows.windows_at_once;
    let mut fits =
        with_windows(source, |source| run(mesh, (&groups, lattice), source, at_once, config, observer))?;
    for (id, piece) in fits.iter().flat_map(each) {
        keep(id, &|| write_fit(piece));
    }
    fits.push((&kept, vec![patch]));
    Ok(assemble(mesh, fits, lattice, config.max_error_levels, observer)?.surface)
}

/// Fits the heights of the `wanted` polygons as [`fit_heights_windowed`] does for all polygons,
/// with the same result for them. The other polygons get no triangles, but identify the ground on
/// both sides of an edge.
///
/// # Cost
/// The cost of the wanted polygons, and a small cost for each other polygon.
///
/// # Errors
/// The errors of [`fit_heights_windowed`], and [`DetailError::Mismatch`] for unknown polygons.
pub fn fit_heights_of<F: SpanField + 'static>(
    mesh: &PolyMesh,
    wanted: &[PolyId],
    source: &GroundSource<'_, F>,
    config: &DetailConfig,
    windows: &WindowConfig,
    observer: &mut dyn Observer,
) -> Result<FittedPolygons, DetailError> {
    let lattice = checked_lattice(mesh, config, windows)?;
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let expected = mesh.polygons.len();
    if let Some(last) = wanted.last().filter(|last| last.index() >= expected) {
        return Err(DetailError::Mismatch { what: "wanted polygon", found: last.index(), expected });
    }
    let groups = Groups::plan(mesh, wanted, windows.window_columns, lattice);
    let at_once = windows.windows_at_once;
    let fits =
        with_windows(source, |source| run(mesh, (&groups, lattice), source, at_once, config, observer))?;
    assemble(mesh, fits, lattice, config.max_error_levels, observer)
}

/// Checks the configuration and the mesh, and returns its lattice.
fn checked_lattice(
    mesh: &PolyMesh,
    config: &DetailConfig,
    windows: &WindowConfig,
) -> Result<Lattice, DetailError> {
    config.validate()?;
    windows.validate()?;
    check_mesh(mesh, config.points_per_column)?;
    Lattice::fit(mesh, config.points_per_column)
}

/// Passes a source of windows to `run`.
fn with_windows<F: SpanField + 'static, T>(
    source: &GroundSource<'_, F>,
    run: impl FnOnce(&Source<'_>) -> T,
) -> T {
    let source = |window: GridWindow| {
        let LabelledWindow { part, regions } = source(window)?;
        Ok((part.window, Box::new(part.field) as Box<dyn SpanField>, regions))
    };
    run(&Source::Windows(&source))
}

/// The columns of a window, their field, and its regions.
type OwnedGround = (GridWindow, Box<dyn SpanField>, RegionMap);

/// The source of the ground.
enum Source<'a> {
    Whole(&'a WalkableField, &'a RegionMap),
    Windows(&'a (dyn Fn(GridWindow) -> Result<OwnedGround, Cause> + Sync + 'a)),
}

/// Fits all groups.
fn run<'a>(
    mesh: &PolyMesh,
    (groups, lattice): (&'a Groups, Lattice),
    source: &Source<'_>,
    at_once: usize,
    config: &DetailConfig,
    observer: &mut dyn Observer,
) -> Result<Vec<GroupFit<'a>>, DetailError> {
    let around = regions_around(mesh);
    let plan = Plan { mesh, around: &around, lattice, bound: config.max_error_levels };
    let frame = lattice.columns(&mesh.frame);
    let run = Run { plan, groups, source, frame, scale: Scale::new(&frame, config.max_step) };
    let fits = run.all(at_once, observer)?;
    Ok(fits.into_iter().enumerate().map(|(group, fit)| (groups.polygons(group), fit)).collect())
}

/// The input of all groups.
struct Run<'a> {
    plan: Plan<'a>,
    groups: &'a Groups,
    source: &'a Source<'a>,
    /// Frame of the field.
    frame: GridFrame,
    scale: Scale,
}

impl Run<'_> {
    /// Fits all groups, `at_once` at a time. Returns the error of the first group that fails.
    fn all(&self, at_once: usize, observer: &mut dyn Observer) -> Result<Vec<Vec<Patch>>, DetailError> {
        let count = self.groups.len();
        let total = count as u64;
        if at_once.min(count) <= 1 {
            let mut numbers = Numbers::default();
            let fit = |group| {
                let fit = self.group(group, &mut numbers);
                observer.progress(group as u64 + 1, total);
                fit
            };
            return (0..count).map(fit).collect();
        }
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let done = Mutex::new((Vec::with_capacity(count), observer));
        threads::workers(at_once.min(count), || {
            let mut numbers = Numbers::default();
            loop {
                let group = next.fetch_add(1, Ordering::Relaxed);
                // All groups before the first group that failed have been started.
                if group >= count || group > failed.load(Ordering::Relaxed) {
                    return;
                }
                let fit = self.group(group, &mut numbers);
                if fit.is_err() {
                    failed.fetch_min(group, Ordering::Relaxed);
                }
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.0.push((group, fit));
                let finished = done.0.len() as u64;
                done.1.progress(finished, total);
            }
        });
        let (mut fits, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        fits.sort_unstable_by_key(|(group, _)| *group);
        fits.into_iter().map(|(_, fit)| fit).collect()
    }

    /// Reads the ground of a group and fits its polygons.
    fn group(&self, group: usize, numbers: &mut Numbers) -> Result<Vec<Patch>, DetailError> {
        let frame = &self.frame;
        match self.source {
            Source::Whole(field, regions) => {
                let window = GridWindow::whole(&field.frame);
                let ground = GroundWindow { window, field: *field, regions };
                check_ground(ground, frame)?;
                self.fit(group, ground, numbers)
            }
            Source::Windows(source) => {
                let asked = self.groups.window(group);
                if asked.is_empty() {
                    let field = &WalkableField::empty(frame.window(asked));
                    let regions = &RegionMap { labels: Vec::new(), count: u32::MAX };
                    return self.fit(group, GroundWindow { window: asked, field, regions }, numbers);
                }
                let (window, field, regions) = source(asked)
                    .map_err(|cause| DetailError::Source { window: asked, cause: cause.to_string() })?;
                if !window.covers(&asked) {
                    return Err(DetailError::WindowTooSmall { asked, given: window });
                }
                let ground = GroundWindow { window, field: &*field, regions: &regions };
                check_ground(ground, &frame.window(window))?;
                self.fit(group, ground, numbers)
            }
        }
    }

    fn fit(
        &self,
        group: usize,
        ground: GroundWindow<'_>,
        numbers: &mut Numbers,
    ) -> Result<Vec<Patch>, DetailError> {
        let Self { plan, groups, scale, .. } = *self;
        let group = groups.polygons(group);
        check_regions(plan.mesh, group, ground.regions.count)?;
        let ground = Ground::new(ground, scale);
        let outlines = fit_outlines(plan, ground, group, numbers);
        fit_patches(&Task { plan, ground, group, outlines: &outlines })
    }
}

/// Fits the polygons of a group, on several threads if available.
fn fit_patches(task: &Task<'_>) -> Result<Vec<Patch>, DetailError> {
    let run = |scratch: &mut Scratch, places: Range<usize>| {
        let mut patch = Patch::default();
        for place in places {
            checkpoint();
            task.fit(place, scratch, &mut patch)?;
        }
        Ok(patch)
    };
    let patches = patches(task.plan.mesh, task.group);
    if threads::count() == 1 || patches.len() <= 1 {
        return Ok(vec![run(&mut Scratch::default(), 0..task.group.len())?]);
    }
    // The results are in order, so that the first of several errors is returned.
    threads::map_long(patches, run).into_iter().collect()
}

/// [`fit_heights`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GreedyInsertion {
    /// The configuration.
    pub config: DetailConfig,
}

impl FitHeights for GreedyInsertion {
    fn fit_heights(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        mesh: &PolyMesh,
        observer: &mut dyn Observer,
    ) -> Result<HeightSurface, StageError> {
        fit_heights(field, regions, mesh, &self.config, observer).map_err(StageError::at("detail"))
    }
}

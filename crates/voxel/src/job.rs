//! The work of the rasteriser, for other devices.

use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, GridWindow, Heightfield, Observer, SoupTriangle, Span, TriangleSoup, checkpoint_every,
};

use crate::filters::check;
use crate::prepare::{fitted_frame, prepare};
use crate::sweep::{NOWHERE, Sieve, Sweep};
use crate::triangle::GridNumbers;
use crate::{VoxelConfig, VoxelError};

/// A triangle that reaches into the columns of a [`RasterJob`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobTriangle {
    /// Corners in metres.
    pub corners: [Vec3; 3],
    /// Area of the triangle.
    pub area: AreaId,
    /// First and last row of the whole grid that it reaches into, not clipped.
    pub rows: [i32; 2],
    /// First and last column of cells, from its bounds; a row of it may extend one further by
    /// rounding.
    pub cells: [i32; 2],
}

/// The work of [`rasterize_window`](crate::rasterize_window): the triangles in the window, with
/// their rows. Decisions per triangle are made here; any device can do the remaining work.
#[derive(Clone, Debug)]
pub struct RasterJob {
    sweep: Sweep,
    window: GridWindow,
}

/// Returns all triangles of a soup, also those that are not finite.
pub(crate) fn triangles_of(soup: &TriangleSoup) -> impl Iterator<Item = SoupTriangle> {
    (0..soup.triangles().len())
        .map(|index| SoupTriangle { corners: soup.corners(index), area: soup.area(index) })
}

impl RasterJob {
    /// Selects the triangles for the columns `window` of `frame`, and reports the others.
    ///
    /// # Cost
    /// One test per triangle, and 44 bytes for each triangle in the window.
    ///
    /// # Errors
    /// See [`rasterize_window`](crate::rasterize_window).
    pub fn new(
        triangles: impl IntoIterator<Item = impl Into<SoupTriangle>>,
        frame: &GridFrame,
        window: GridWindow,
        config: &VoxelConfig,
        observer: &mut dyn Observer,
    ) -> Result<Self, VoxelError> {
        let (grid, limit) = prepare(frame, window, frame.window(window), config)?;
        let mut sieve = Sieve::default();
        let (mut all, mut areas, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (index, triangle) in triangles.into_iter().enumerate() {
            checkpoint_every(1 << 16, index);
            let SoupTriangle { corners, area } = triangle.into();
            let reached = sieve.rows(corners, &grid);
            if reached != NOWHERE {
                if rows.len() >= u32::MAX as usize {
                    return Err(VoxelError::TooManyTriangles { limit: u32::MAX });
                }
                area.push(&mut areas, rows.len());
                all.push(corners);
                rows.push(reached);
            }
        }
        sieve.report(observer);
        let reach = config.reach_levels(frame.level_height);
        let sweep = Sweep { corners: all, areas, rows, grid, reach, limit, threads: config.threads };
        Ok(Self { sweep, window })
    }

    /// Selects the triangles for the smallest grid that contains the finite triangles of `soup`.
    ///
    /// # Errors
    /// See [`rasterize`](crate::rasterize).
    pub fn of_soup(
        soup: &TriangleSoup,
        config: &VoxelConfig,
        observer: &mut dyn Observer,
    ) -> Result<Self, VoxelError> {
        let frame = fitted_frame(soup, config, observer)?;
        Self::new(triangles_of(soup), &frame, GridWindow::whole(&frame), config, observer)
    }

    /// Returns the number of triangles that reach into the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sweep.rows.len()
    }

    /// Returns `true` if no triangle reaches into the window.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sweep.rows.is_empty()
    }

    /// Returns a triangle by its index.
    ///
    /// # Panics
    /// If the index is out of range.
    #[must_use]
    pub fn triangle(&self, triangle: usize) -> JobTriangle {
        let corners = self.sweep.corners[triangle];
        let (area, cells) = (self.sweep.area(triangle), self.sweep.grid.cells(corners));
        JobTriangle { corners, area, rows: self.sweep.rows[triangle], cells }
    }

    /// Returns the transformation from world to grid coordinates.
    #[must_use]
    pub fn numbers(&self) -> GridNumbers {
        self.sweep.grid.numbers
    }

    /// Returns the grid of the result.
    #[must_use]
    pub fn frame_of_result(&self) -> GridFrame {
        self.sweep.limit.frame()
    }

    /// Returns the columns to fill.
    #[must_use]
    pub fn window(&self) -> GridWindow {
        self.window
    }

    /// Returns the largest distance of a fragment's top below the merged top at which the fragment
    /// counts, in levels.
    #[must_use]
    pub fn reach_levels(&self) -> i32 {
        self.sweep.reach
    }

    /// Runs the job on the processor.
    ///
    /// # Errors
    /// See [`rasterize_window`](crate::rasterize_window).
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Heightfield, VoxelError> {
        if self.window.is_empty() {
            return Ok(Heightfield::empty(self.sweep.limit.frame()));
        }
        self.sweep.run(observer)
    }

    /// Returns the heightfield of the tables that another device filled.
    ///
    /// # Errors
    /// [`VoxelError::TooMuchMemory`] or [`VoxelError::TooManySpans`] for too many spans, and
    /// [`VoxelError::BrokenHeightfield`] if the lengths of the tables are wrong.
    pub fn finish(&self, columns: Vec<u32>, spans: Vec<Span>) -> Result<Heightfield, VoxelError> {
        self.check_spans(spans.len() as u64)?;
        let frame = self.sweep.limit.frame();
        let heightfield = Heightfield { frame, columns, spans };
        check(&heightfield)?;
        Ok(heightfield)
    }

    /// Checks that this number of spans fits into the memory limit.
    ///
    /// # Errors
    /// [`VoxelError::TooMuchMemory`] or [`VoxelError::TooManySpans`].
    pub fn check_spans(&self, spans: u64) -> Result<(), VoxelError> {
        self.sweep.limit.check_spans(spans)
    }
}

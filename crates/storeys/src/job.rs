//! Jobs and results for drawing depth maps on another device.

use glam::Vec3;
use waymesh_core::stage::StageError;
use waymesh_core::{AreaId, DeviceUsage, GridFrame, GridWindow, SoupTriangle, checkpoint, checkpoint_every};

use crate::StoreysError;
use crate::carve::{Refined, carve};
use crate::clearance::{Clearance, Ends, PlaceEnds, halo_cells};
use crate::config::{HEIGHT_SLACK, NO_FLOOR, Placement, ScenePoint, StoreysConfig, Walk};
use crate::depth::{DepthMaps, PLACE_SLACK, Range};
use crate::layers::Layers;
use crate::slice::whole_below;
use crate::walls::{FLAT, HALFWAY, Post, STEPS_OF_ENDS, STEPS_OF_HEIGHTS, TOUCHING, Walls, sort_posts};

/// Draws the depth maps of windows on another device, such as a graphics card.
///
/// # Contract
/// The result is that of [`DepthJob::run`], byte for byte. Several threads may call at the same
/// time.
pub trait DepthDevice {
    /// Does the work of `job`.
    ///
    /// # Errors
    /// A failure of the device for which it has no fallback.
    fn draw_depths(&self, job: &DepthJob<'_>) -> Result<Refined, StageError>;

    /// Returns the work of the device so far. Default: empty.
    fn usage(&self) -> DeviceUsage {
        DeviceUsage::default()
    }
}

/// Numeric parameters of a drawing. Coordinates are cells along x and z, and metres above the
/// frame's origin: `(world - origin) * per_cell`, clamped to 2^31 on both sides, in double
/// precision.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DepthNumbers {
    /// Origin of the whole grid in metres.
    pub origin: [f64; 3],
    /// Cells per metre.
    pub per_cell: f64,
    /// Lower limit of the square of the upward component of the unit normal of a triangle that is
    /// ground.
    pub cos_squared: f64,
    /// Highest rise from one place to the next, in metres.
    pub rise: f32,
    /// Head room in metres.
    pub height: f32,
    /// Places nearer than this in height are linked without a search for nearer ones.
    pub near: f32,
}

impl DepthNumbers {
    /// Largest coordinate in cells.
    pub const REACH: f64 = crate::config::REACH;
    /// A place this close to the centre of a pixel, in cells, counts as the centre.
    pub const PLACE_SLACK: f64 = PLACE_SLACK;
    /// Heights that differ by at most this, in metres, are equal.
    pub const HEIGHT_SLACK: f32 = HEIGHT_SLACK;
    /// A centre this close to a wall, in cells, is inside the wall.
    pub const TOUCHING: f32 = TOUCHING;
    /// Cuts shorter than this, in cells, are upright.
    pub const FLAT: f64 = FLAT;
    /// Default end of the ground if no end was found, in cells from the centre.
    pub const HALFWAY: f32 = HALFWAY;
    /// Steps per cell in which positions of borders are given.
    pub const STEPS_OF_ENDS: f64 = STEPS_OF_ENDS;
    /// Steps per metre in which heights of posts are given.
    pub const STEPS_OF_HEIGHTS: f32 = STEPS_OF_HEIGHTS;
}

/// A triangle of a [`DepthJob`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DepthTriangle {
    /// Corners in metres.
    pub corners: [Vec3; 3],
    /// Its area.
    pub area: AreaId,
    /// First and last of the lines through the centres of cells that may cut it: those of columns,
    /// along z, and those of rows. Not clipped to the window; none if the first is after the last.
    pub lines: [[i32; 2]; 2],
    /// First and last cell along x and z that a cut may affect, rounding included. A cut affects a
    /// cell if it lies up to the centre of the next cell.
    pub cells: [[i32; 2]; 2],
}

/// The part of a rough column that lies in the window: its floors are *sheets*, with a *place* for
/// each pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DepthBlock {
    /// Its pixels, counted from the window's corner.
    pub pixels: GridWindow,
    /// Number of its first place. Sheets follow each other from the lowest up; places row by row.
    pub place: u32,
    /// Number of its first sheet.
    pub sheet: u32,
    /// Number of its sheets.
    pub floors: u16,
}

/// Properties of a whole sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthSheet {
    /// Lowest ground before walls; infinite if there is none.
    pub low: f32,
    /// Highest ground before walls.
    pub high: f32,
    /// `true` if there was ground at all places.
    pub is_full: bool,
    /// `true` if there is ground at all places, all of it within [`DepthNumbers::near`], and no wall
    /// cuts a link.
    pub is_linked: bool,
}

/// The depth maps of a window, drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthTables {
    /// Height of the ground of each place in metres above the frame's origin; NaN where there is
    /// none.
    pub ground: Vec<f32>,
    /// Area of each place; may be empty if all are [`AreaId::GROUND`].
    pub areas: Vec<AreaId>,
    /// The floor that each place is linked to across each side, [`DepthTables::NO_FLOOR`] if there
    /// is none.
    pub links: Vec<[u16; 4]>,
    /// Each sheet.
    pub sheets: Vec<DepthSheet>,
    /// The places with ground that lack a link, ascending.
    pub ends: Vec<PlaceEnds>,
    /// Obstacles between the lines, in any order; duplicates are allowed.
    pub posts: Vec<Post>,
}

impl DepthTables {
    /// The value of a missing link.
    pub const NO_FLOOR: u16 = NO_FLOOR;
}

/// Input of [`refine_window`](crate::refine_window) for any device: the triangles, the blocks of
/// the window and the numeric parameters.
#[derive(Clone, Debug)]
pub struct DepthJob<'a> {
    triangles: Vec<SoupTriangle>,
    frame: GridFrame,
    core: GridWindow,
    /// Window of the result: the core and a ring.
    window: GridWindow,
    walk: Walk,
    maps: DepthMaps<'a>,
}

impl<'a> DepthJob<'a> {
    /// Creates the job of [`refine_window`](crate::refine_window).
    ///
    /// # Errors
    /// See [`refine_window`](crate::refine_window).
    pub fn new(
        triangles: impl Iterator<Item = impl Into<SoupTriangle>>,
        frame: &GridFrame,
        core: GridWindow,
        layers: &'a Layers,
        config: &StoreysConfig,
    ) -> Result<Self, StoreysError> {
        config.validate()?;
        let walk = Walk::new(config);
        let core = core.intersection(&GridWindow::whole(frame));
        let window = core.grown(1, frame);
        let maps = DepthMaps::planned(layers, window.grown(halo_cells(&walk), frame))?;
        let is_finite = |triangle: &SoupTriangle| triangle.corners.iter().all(|corner| corner.is_finite());
        let triangles =
            if maps.places == 0 { Vec::new() } else { triangles.map(Into::into).filter(is_finite).collect() };
        Ok(Self { triangles, frame: *frame, core, window, walk, maps })
    }

    /// Returns the number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Returns `true` if there is no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns a triangle by its number.
    ///
    /// # Panics
    /// If there are fewer triangles.
    #[must_use]
    pub fn triangle(&self, triangle: usize) -> DepthTriangle {
        let SoupTriangle { corners, area } = self.triangles[triangle];
        let placement = self.placement();
        let [a, b, c] = corners.map(|corner| placement.corner(corner));
        let first = |value: f64| {
            let cell = whole_below(value - 0.5);
            i32::try_from(cell).unwrap_or(if cell < 0 { i32::MIN } else { i32::MAX })
        };
        let range =
            |axis: usize| [a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis])].map(first);
        let ranges = [range(0), range(2)];
        DepthTriangle {
            corners,
            area,
            // A line exactly at the low end does not cut.
            lines: ranges.map(|[low, high]| [low.saturating_add(1), high]),
            cells: ranges.map(|[low, high]| [low.saturating_sub(1), high.saturating_add(1)]),
        }
    }

    /// Returns the numeric parameters of the drawing.
    #[must_use]
    pub fn numbers(&self) -> DepthNumbers {
        let Placement { origin, per_cell, cos_squared } = self.placement();
        let Walk { rise, height, .. } = self.walk;
        DepthNumbers { origin, per_cell, cos_squared, rise, height, near: self.walk.near_links() }
    }

    /// Returns the columns of the grid that are drawn.
    #[must_use]
    pub fn window(&self) -> GridWindow {
        self.maps.window
    }

    /// Returns the side of a block in pixels; those at the ends of the window may be cut off.
    #[must_use]
    pub fn side(&self) -> u32 {
        self.maps.side()
    }

    /// Returns the blocks of the window, row by row.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = DepthBlock> {
        self.maps.blocks.iter().map(|block| DepthBlock {
            pixels: block.pixels,
            place: block.base,
            sheet: block.first,
            floors: block.floors,
        })
    }

    /// Returns the lower and upper end of each sheet in metres above the frame's origin: the cutting
    /// shape.
    pub fn sheets(&self) -> impl Iterator<Item = [f32; 2]> {
        self.maps.blocks.iter().flat_map(|block| self.maps.floors(block)).map(|floor| [floor.low, floor.high])
    }

    /// Returns the number of all places.
    #[must_use]
    pub fn place_count(&self) -> u32 {
        self.maps.places
    }

    /// Returns the number of all sheets.
    #[must_use]
    pub fn sheet_count(&self) -> u32 {
        self.maps.sheets
    }

    /// Returns `true` if a triangle has another area than [`AreaId::GROUND`].
    #[must_use]
    pub fn has_areas(&self) -> bool {
        self.triangles.iter().any(|triangle| triangle.area != AreaId::GROUND)
    }

    /// Draws on this processor.
    #[must_use]
    pub fn run(&self) -> Refined {
        let (maps, walls) = self.draw();
        let ends = Ends::find(&maps, &walls, &self.walk);
        self.carve(maps, ends, &walls.posts)
    }

    /// Draws on this processor, and returns what another device would return.
    #[must_use]
    pub fn tables(&self) -> DepthTables {
        let (maps, walls) = self.draw();
        let ends = Ends::find(&maps, &walls, &self.walk).to_list(&maps);
        let sheet = |range: &Range| {
            let Range { low, high, is_full, is_linked, .. } = *range;
            DepthSheet { low, high, is_full, is_linked }
        };
        let sheets = maps.ranges.iter().map(sheet).collect();
        let DepthMaps { ground, areas, links, .. } = maps;
        DepthTables { ground, areas, links, sheets, ends, posts: walls.posts }
    }

    /// Computes the result from the maps that another device drew.
    ///
    /// # Errors
    /// [`StoreysError::BrokenTables`] if they do not fit the job.
    pub fn finish(&self, tables: DepthTables) -> Result<Refined, StoreysError> {
        let DepthTables { ground, areas, links, sheets, ends, mut posts } = tables;
        let (places, planned) = (self.maps.places as usize, &self.maps);
        let fits = |is_so: bool, what| if is_so { Ok(()) } else { Err(StoreysError::BrokenTables { what }) };
        fits(ground.len() == places, "ground")?;
        fits(areas.is_empty() || areas.len() == places, "areas")?;
        fits(links.len() == places && planned.can_be_linked(&links), "links")?;
        fits(sheets.len() == planned.sheets as usize, "sheets")?;
        let range = |sheet: &DepthSheet| Range::unlinked(sheet.low, sheet.high, sheet.is_full);
        let mut maps = planned.drawn(ground, areas, links, sheets.iter().map(range).collect());
        maps.link_sheets(&self.walk, |sheet| !sheets[sheet].is_linked);
        let ends = Ends::of_list(&maps, &ends).ok_or(StoreysError::BrokenTables { what: "ends" })?;
        sort_posts(&mut posts);
        Ok(self.carve(maps, ends, &posts))
    }

    fn placement(&self) -> Placement {
        Placement::new(&self.frame, &self.walk)
    }

    /// Draws the depth maps of the window, and the walls on them.
    pub(crate) fn draw(&self) -> (DepthMaps<'a>, Walls) {
        let (walk, placement) = (&self.walk, self.placement());
        let mut maps = self.maps.empty();
        let mut triangles: Vec<([ScenePoint; 3], bool, AreaId)> = Vec::with_capacity(self.triangles.len());
        for (index, triangle) in self.triangles.iter().enumerate() {
            checkpoint_every(1 << 12, index);
            if let Some((corners, gentle)) = placement.triangle(triangle.corners) {
                triangles.push((corners, gentle, triangle.area));
            }
        }
        if triangles.iter().any(|&(.., area)| area != AreaId::GROUND) {
            maps.areas = vec![AreaId::GROUND; maps.ground.len()];
        }
        for (corners, _, area) in triangles.iter().filter(|(_, gentle, _)| *gentle) {
            checkpoint();
            maps.draw(corners, *area);
        }
        let is_walkable = |gentle: bool, area: AreaId| gentle && area.is_walkable();
        maps.survey();
        maps.close_cracks(walk);
        maps.drop_covered(walk);
        maps.drop_blocked();
        let mut walls = Walls::new(&maps);
        for (corners, gentle, area) in &triangles {
            checkpoint();
            walls.draw(&maps, walk, corners, is_walkable(*gentle, *area));
        }
        sort_posts(&mut walls.posts);
        maps.link(walk);
        walls.cut(&mut maps);
        let walkable = triangles.iter().filter(|(_, gentle, area)| is_walkable(*gentle, *area));
        walls.draw_ends(&maps, walk, walkable.map(|(corners, ..)| corners));
        (maps, walls)
    }

    /// Measures the distances to borders.
    pub(crate) fn measure(&self, maps: &DepthMaps<'_>, ends: Ends, posts: &[Post]) -> Clearance {
        if maps.ground.is_empty() {
            return Clearance::default();
        }
        Clearance::measure(maps, ends, posts, &self.walk, GridWindow::whole(&self.frame), self.window)
    }

    fn carve(&self, maps: DepthMaps<'_>, ends: Ends, posts: &[Post]) -> Refined {
        let clearance = self.measure(&maps, ends, posts);
        carve(maps, &clearance, &self.walk, &self.frame, self.core, self.window)
    }
}

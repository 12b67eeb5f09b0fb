//! One tile: from triangles to the corner points, borders and labels of its slices.
//!
//! A tile here is a step of the paper's algorithm (section 4.1.4). `crates/tile` only cuts a grid
//! and stores finished tiles. Stage crates never use one another.

use waymesh_core::stage::StageError;
use waymesh_core::{AreaId, Direction, FieldWindow, GridWindow, checkpoint};

use crate::config::Limits;
use crate::corners::{Corner, CornerKind, corner_cells};
use crate::facing::{Across, BARRED, Facing, Partners, glue};
use crate::paint::Paint;
use crate::raster::{RowScratch, fill};
use crate::scene::SliceScene;
use crate::segment::{CoreRect, Neighbourhood, Segmentation, segment};
use crate::slabs::Slabs;
use crate::spans::SpanGrid;

/// Tables of one tile, reused for the next tile.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    slabs: Slabs,
    row: RowScratch,
    paint: Paint,
    grid: SpanGrid,
    pieces: Segmentation,
}

/// Bytes of a workspace per column, if a column holds one and a half spans on average.
pub(crate) const BYTES_PER_COLUMN: u64 = 16 + SpanGrid::BYTES_PER_COLUMN + SpanGrid::BYTES_PER_SPAN * 3 / 2;
/// Additional bytes of a workspace per column if the ground may be of several areas.
pub(crate) const PAINT_BYTES_PER_COLUMN: u64 = Paint::BYTES_PER_SPAN * 3 / 2;

/// The part of a region that lies in a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) level: i32,
    pub(crate) area: AreaId,
    /// Number of spans.
    pub(crate) spans: u32,
    /// `[z, x]` of its first span.
    pub(crate) first: [u32; 2],
}

/// A corner point of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceCorner {
    pub(crate) label: u32,
    pub(crate) corner: Corner,
    /// The cells of the piece's region around the point: see [`corner_cells`].
    pub(crate) cells: u8,
}

/// Consecutive spans of one piece along the border of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BorderRun {
    pub(crate) level: i32,
    pub(crate) area: AreaId,
    pub(crate) start: i32,
    pub(crate) end: i32,
    pub(crate) label: u32,
}

/// The result of one tile.
#[derive(Debug, Default)]
pub(crate) struct TileSlices {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) corners: Vec<PieceCorner>,
    pub(crate) facings: Vec<Facing>,
    /// Runs along each side of the tile, by the index of the side's [`Direction`]. Each list is
    /// sorted.
    pub(crate) borders: [Vec<BorderRun>; 4],
    /// Number of spans, walkable or not.
    pub(crate) spans: u64,
    /// Number of spans with too little head room to stand on them, including spans in the ring
    /// around the tile.
    pub(crate) low_ceilings: u64,
}

impl Workspace {
    /// Slices one tile. `triangles` are those that reach into the tile or the ring around it.
    ///
    /// The tile is voxelised together with the ring of columns around it, which decides where its
    /// borders are. The columns of the ring belong to other tiles, and those tiles report them.
    ///
    /// # Errors
    /// Those of [`SliceScene::mark`].
    pub(crate) fn run(
        &mut self,
        scene: &SliceScene<'_>,
        core: GridWindow,
        triangles: &[u32],
    ) -> Result<TileSlices, StageError> {
        let mut tile = TileSlices::default();
        if triangles.is_empty() {
            return Ok(tile);
        }
        let window = core.grown(scene.limits.ring(), &scene.frame);
        self.voxelise(scene, window, triangles, &mut tile);
        if scene.has_areas() {
            self.paint.run(scene, window, triangles, &mut self.row, &mut self.grid);
        }
        if let Some(mark) = scene.mark {
            let field = std::mem::take(&mut self.grid);
            let mut part = FieldWindow { frame: scene.frame, core, window, field };
            mark(&mut part)?;
            self.grid = part.field;
        }
        let [x, z] = [core.x - window.x, core.z - window.z].map(|offset| offset as usize);
        let rect = CoreRect { x, z, end_x: x + core.width as usize, end_z: z + core.depth as usize };
        segment(&self.grid, rect, Neighbourhood::Four, &mut self.pieces);
        self.collect(scene, core, window, rect, &mut tile);
        Ok(tile)
    }

    fn voxelise(
        &mut self,
        scene: &SliceScene<'_>,
        window: GridWindow,
        triangles: &[u32],
        tile: &mut TileSlices,
    ) {
        let (width, depth) = (window.width as usize, window.depth as usize);
        self.slabs.reset(width * depth);
        for &triangle in triangles {
            checkpoint();
            let corners = scene.soup.corners(triangle as usize);
            fill(&scene.placement, corners, window, &mut self.row, &mut self.slabs);
        }
        let Limits { height, step, .. } = scene.limits;
        tile.low_ceilings = self.slabs.finish(width, step, height, &mut self.grid);
    }

    fn collect(
        &self,
        scene: &SliceScene<'_>,
        core: GridWindow,
        window: GridWindow,
        rect: CoreRect,
        tile: &mut TileSlices,
    ) {
        let (grid, pieces) = (&self.grid, &self.pieces);
        let across = Across { grid, limits: scene.limits };
        tile.pieces.reserve_exact(pieces.count as usize);
        for z in rect.z..rect.end_z {
            checkpoint();
            for x in rect.x..rect.end_x {
                let column = z * grid.width() + x;
                let spans = grid.column(column);
                let mut partners = [const { None }; 4];
                tile.spans += spans.len() as u64;
                for span in spans {
                    let label = pieces.labels[span];
                    if !grid.is_walkable(span) {
                        continue;
                    }
                    #[expect(clippy::cast_possible_truncation, reason = "a column of the window")]
                    let place = [window.x + x as u32, window.z + z as u32];
                    if label as usize == tile.pieces.len() {
                        let (level, area) = (grid.floor(span), grid.area_of(span));
                        tile.pieces.push(Piece { level, area, spans: 0, first: [place[1], place[0]] });
                    }
                    tile.pieces[label as usize].spans += 1;
                    let configuration = pieces.configurations[span];
                    if configuration == u8::MAX {
                        continue;
                    }
                    let place = place.map(u32::cast_signed);
                    corner_cells(configuration, place, |corner, cells| {
                        tile.corners.push(PieceCorner { label, corner, cells })
                    });
                    for (side, bit) in SIDES {
                        if configuration & bit == 0 {
                            let partners = &mut partners[side.index()];
                            find_across(&across, [x, z], span, (side, partners), |gap, other| {
                                tile.facings.push(Facing::of_cell(place, side, label, gap, other));
                            });
                        }
                    }
                }
            }
        }
        tile.facings.sort_unstable();
        glue(&mut tile.facings, |facing| [&mut facing.start, &mut facing.end]);
        tile.facings.shrink_to_fit();
        tile.corners.shrink_to_fit();
        for side in Direction::ALL {
            tile.borders[side.index()] = self.border(core, rect, side);
        }
    }

    /// Returns the walkable spans along one side of the tile.
    fn border(&self, core: GridWindow, rect: CoreRect, side: Direction) -> Vec<BorderRun> {
        let (x, z) = (rect.x..rect.end_x, rect.z..rect.end_z);
        let (x, z) = match side {
            Direction::NegX => (x.start..x.start + 1, z),
            Direction::PosX => (x.end - 1..x.end, z),
            Direction::NegZ => (x, z.start..z.start + 1),
            Direction::PosZ => (x, z.end - 1..z.end),
        };
        let along_x = matches!(side, Direction::NegZ | Direction::PosZ);
        let mut runs = Vec::new();
        for z in z {
            checkpoint();
            for x in x.clone() {
                for span in self.grid.column(z * self.grid.width() + x) {
                    if self.grid.is_walkable(span) {
                        #[expect(clippy::cast_possible_truncation, reason = "a column of the tile")]
                        let start =
                            if along_x { core.x + (x - rect.x) as u32 } else { core.z + (z - rect.z) as u32 };
                        let start = start.cast_signed();
                        let (level, label) = (self.grid.floor(span), self.pieces.labels[span]);
                        let area = self.grid.area_of(span);
                        runs.push(BorderRun { level, area, start, end: start + 1, label });
                    }
                }
            }
        }
        runs.sort_unstable();
        glue(&mut runs, |run| [&mut run.start, &mut run.end]);
        runs.shrink_to_fit();
        runs
    }
}

/// The sides of a span with their bits in its neighbour configuration.
const SIDES: [(Direction, u8); 4] =
    [(Direction::NegX, 8), (Direction::PosZ, 64), (Direction::PosX, 16), (Direction::NegZ, 2)];

/// Finds the ground beyond a side of `span` in column `(x, z)` of the window: the width of the gap
/// in columns or [`BARRED`], and the level. `partners` are those of the column on that side, empty
/// for the lowest span.
fn find_across<'a>(
    across: &Across<'a>,
    [x, z]: [usize; 2],
    span: usize,
    (side, partners): (Direction, &mut Option<Partners<'a>>),
    mut found: impl FnMut(u16, i32),
) {
    let grid = across.grid;
    let (width, column) = (grid.width(), z * grid.width() + x);
    // Number of columns up to the edge of the window, and the distance of two columns in the table.
    let (steps, stride) = match side {
        Direction::NegX => (x, -1),
        Direction::PosX => (width - 1 - x, 1),
        Direction::NegZ => (z, -width.cast_signed()),
        Direction::PosZ => (grid.depth() - 1 - z, width.cast_signed()),
    };
    let columns = (1..=steps.cast_signed()).map(move |step| column.wrapping_add_signed(stride * step));
    let Some(beside) = columns.clone().next() else { return };
    let partner = partners.get_or_insert_with(|| across.partners(column, beside)).of(span);
    across.barred(span, beside, partner).for_each(|level| found(BARRED, level));
    if let Some(level) = partner {
        found(0, level);
    } else if across.limits.step > 0
        && across.limits.gap > 0
        && let Some((gap, level)) = across.leap(column, span, columns)
    {
        found(gap, level);
    }
}

/// Returns `true` if a corner is a slash or antislash point.
pub(crate) fn is_saddle(corner: &Corner) -> bool {
    corner.kind != CornerKind::Normal
}

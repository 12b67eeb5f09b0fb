//! Reports of a running bake.

use crate::{ByteCount, CancelToken, GridScale, RegionId, counted, rounded};

/// A quantity that is counted during a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Counter {
    /// Triangles skipped because a vertex is NaN or infinite.
    TrianglesNotFinite,
    /// Triangles skipped because they have no area.
    TrianglesDegenerate,
    /// Triangles skipped because they lie outside the grid.
    TrianglesOutside,
    /// Spans removed under low ceilings.
    SpansUnderLowCeiling,
    /// Spans removed at ledges.
    SpansAtLedges,
    /// Spans made walkable as low hanging obstacles.
    SpansOnLowObstacles,
    /// Spans removed because they are closer to a wall or drop than the agent's radius.
    SpansEroded,
    /// Islands removed because they are too small.
    IslandsRemoved,
    /// Spans on the removed islands.
    SpansOnIslandsRemoved,
    /// Regions merged into a neighbour because they are small.
    RegionsMerged,
    /// Tiles taken from an earlier bake.
    TilesResumed,
    /// Arcs that simplification kept finer so that no border crosses another.
    ArcsRefined,
    /// Pieces of ground left out because they lie inside of solids.
    PiecesEnclosed,
    /// Layers with ground for the agent's centre.
    Layers,
}

impl Counter {
    /// Returns the name for reports, in snake case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TrianglesNotFinite => "triangles_not_finite",
            Self::TrianglesDegenerate => "triangles_degenerate",
            Self::TrianglesOutside => "triangles_outside",
            Self::SpansUnderLowCeiling => "spans_under_low_ceiling",
            Self::SpansAtLedges => "spans_at_ledges",
            Self::SpansOnLowObstacles => "spans_on_low_obstacles",
            Self::SpansEroded => "spans_eroded",
            Self::IslandsRemoved => "islands_removed",
            Self::SpansOnIslandsRemoved => "spans_on_islands_removed",
            Self::RegionsMerged => "regions_merged",
            Self::TilesResumed => "tiles_resumed",
            Self::ArcsRefined => "arcs_refined",
            Self::PiecesEnclosed => "pieces_enclosed",
            Self::Layers => "layers",
        }
    }
}

/// A problem that the user should know about. The bake continues.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Some triangles cannot be used.
    TrianglesSkipped {
        /// Triangles with a NaN or infinite vertex.
        not_finite: u64,
        /// Triangles without area.
        degenerate: u64,
    },
    /// No walkable place was left after a stage.
    NothingWalkable {
        /// Name of the stage.
        stage: &'static str,
    },
    /// Walkable ground was removed because it was too small.
    IslandsRemoved {
        /// Number of islands.
        islands: u64,
        /// Area of the islands in square metres.
        area: f64,
    },
    /// Islands were left out because they are not connected to the requested places.
    Unreachable {
        /// Number of islands.
        islands: u64,
        /// Area of the islands in square metres.
        area: f64,
    },
    /// Ground was left out because it lies inside of solids.
    GroundEnclosed {
        /// Number of connected pieces.
        pieces: u64,
        /// Area of the pieces in square metres.
        area: f64,
    },
    /// The requested height bound could not be reached in a region.
    HeightBoundMissed {
        /// The region.
        region: RegionId,
        /// Remaining error in levels.
        error: f32,
    },
    /// The files of kept tiles are damaged. The tiles are built again.
    TilesDamaged {
        /// Number of tiles.
        tiles: u64,
    },
    /// The scene may exceed the memory limit, so it is baked in tiles, which give the same mesh.
    Tiled {
        /// Upper bound of the required memory.
        needed_bytes: u64,
        /// Limit of the memory.
        limit_bytes: u64,
    },
    /// The bake may take long.
    LongBake {
        /// Estimated time in seconds, of two threads.
        seconds: f64,
        /// Size of a cell in metres with which it would take about ten seconds.
        cell_size: f32,
        /// Step in metres that such cells need, so that all slopes that the agent walks on stay
        /// connected; `None` if the agent's is enough.
        max_step: Option<f32>,
    },
    /// A few triangles extend the scene's bounds far beyond all other triangles.
    OutlierTriangles {
        /// Number of these triangles.
        triangles: u64,
        /// Index of the first of these triangles in the scene.
        first: usize,
        /// The axis: `x`, `y` or `z`.
        axis: char,
        /// Extent of the scene along the axis with these triangles, in metres.
        extent: f32,
        /// Extent without these triangles, in metres.
        extent_without: f32,
    },
    /// The size of the scene suggests a building in another unit than metres.
    UnlikelyUnit {
        /// Extent along x, y and z in metres.
        size: [f32; 3],
        /// Number of triangles.
        triangles: u64,
        /// Factor that converts the unit to metres.
        scale: f32,
    },
    /// Little of the scene is level; with another axis up, more of it would be.
    UnlikelyAxis {
        /// Share of the area that is level and faces up.
        share: f64,
        /// Share with the other axis up.
        other: f64,
        /// The other axis: `"z"`, or `"-z"`, which is the z of a file that was read as up.
        axis: &'static str,
    },
    /// Most of the level ground faces down. A face cannot be walked on from below.
    UpsideDown {
        /// Level triangles that face down.
        triangles: u64,
        /// Area of the triangles that face down, in square metres.
        area: f64,
        /// Area of the level triangles that face up.
        area_up: f64,
    },
    /// Level triangles are flipped relative to their neighbours. A face cannot be walked on from
    /// below.
    MixedWinding {
        /// Number of these triangles.
        triangles: u64,
        /// Area of these triangles in square metres.
        area: f64,
    },
    /// Ground is left out because it rises by more than the agent's step over two cells of the grid.
    SlopesLost {
        /// Area of this ground in the plan, in square metres.
        area: f64,
        /// The coarsest grid of whole centimetres on which it is kept, if there is one.
        finer: Option<GridScale>,
        /// Step in metres with which the present grid keeps it.
        max_step: f32,
        /// Height of the levels of the present grid, in metres.
        level_height: f32,
    },
    /// The scene lies so far from the origin that single precision rounds its coordinates.
    FarFromOrigin {
        /// The largest coordinate in metres.
        distance: f32,
        /// Spacing of single-precision numbers at this coordinate, in metres.
        step: f32,
        /// Centre of the scene, in whole metres.
        centre: [f32; 3],
    },
    /// An element of the input is invalid. It was corrected or left out.
    OddElement {
        /// The file and the element.
        element: String,
        /// The problem and the correction.
        what: String,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TrianglesSkipped { not_finite, degenerate: 0 } => {
                let triangles = counted(*not_finite, "triangle");
                write!(formatter, "skipped {triangles} with a NaN or infinite vertex")
            }
            Self::TrianglesSkipped { not_finite: 0, degenerate } => {
                write!(formatter, "skipped {} without area", counted(*degenerate, "triangle"))
            }
            Self::TrianglesSkipped { not_finite, degenerate } => write!(
                formatter,
                "skipped {} triangles: {not_finite} with a NaN or infinite vertex, {degenerate} without area",
                not_finite + degenerate
            ),
            Self::NothingWalkable { stage } => write!(formatter, "nothing walkable is left after {stage}"),
            Self::IslandsRemoved { islands, area } => {
                let pieces = counted(*islands, "piece");
                write!(
                    formatter,
                    "removed {pieces} of ground below the smallest region, {area:.3} m2 together"
                )
            }
            Self::Unreachable { islands, area } => {
                let islands = counted(*islands, "island");
                write!(
                    formatter,
                    "left out {islands} not connected to what was asked for, {area:.3} m2 together"
                )
            }
            Self::GroundEnclosed { pieces, area } => {
                let pieces = counted(*pieces, "piece");
                write!(formatter, "left out {pieces} of ground inside of solids, {area:.3} m2 together")
            }
            Self::HeightBoundMissed { region, error } => {
                write!(formatter, "ground of region {region} is off by up to {error:.2} levels")
            }
            Self::TilesDamaged { tiles } => {
                write!(formatter, "built {} again whose files are damaged", counted(*tiles, "tile"))
            }
            Self::Tiled { needed_bytes, limit_bytes } => {
                let [needed, limit] = [needed_bytes, limit_bytes].map(|&bytes| ByteCount(bytes));
                write!(
                    formatter,
                    "all at once may take {needed}, {limit} are allowed: baked in tiles, to the same mesh"
                )
            }
            Self::LongBake { seconds, cell_size, max_step } => {
                let cell_size = rounded(*cell_size, 2);
                write!(
                    formatter,
                    "this may take about {seconds:.0} s; cells of {cell_size} m take about ten"
                )?;
                max_step.map_or(Ok(()), |step| {
                    let step = rounded(step, 2);
                    write!(formatter, ", with steps of {step} m, without which slopes fall into pieces")
                })
            }
            Self::UnlikelyUnit { size, triangles, scale } => {
                let [x, y, z] = size.map(|length| rounded(length, 3));
                let [wide, high, deep] = size.map(|length| rounded(length * scale, 3));
                write!(
                    formatter,
                    "the scene is {x} x {z} m, {y} m high, with {}; scaled by {scale} it is {wide} x {deep} m, {high} m high, the size of a building",
                    counted(*triangles, "triangle")
                )
            }
            Self::UnlikelyAxis { share, other, axis } => write!(
                formatter,
                "only {:.0} % of the scene's area is level enough to walk on, but {:.0} % would be with {axis} up",
                share * 100.0,
                other * 100.0
            ),
            Self::UpsideDown { triangles, area, area_up } => write!(
                formatter,
                "{:.0} % of the level area faces down ({}, {area:.1} m2; {area_up:.1} m2 face up): nobody walks on a face from below; the triangles wind the wrong way round",
                100.0 * area / (area + area_up),
                counted(*triangles, "triangle")
            ),
            Self::MixedWinding { triangles, area } => write!(
                formatter,
                "{}, {area:.1} m2, {} the other way than those beside them: nobody walks on a face from below",
                counted(*triangles, "level triangle"),
                if *triangles == 1 { "faces" } else { "face" }
            ),
            Self::SlopesLost { area, finer, max_step, level_height } => {
                write!(
                    formatter,
                    "{area:.1} m2 of slopes are left out, which rise by more than the agent's step over two cells; "
                )?;
                if let Some(GridScale { cell_size, level_height }) = finer {
                    write!(
                        formatter,
                        "cells of {cell_size} m with levels of {level_height} m keep them, or "
                    )?;
                }
                let step = rounded(*max_step, 6);
                write!(formatter, "steps of {step} m with levels of {level_height} m keep them")
            }
            Self::FarFromOrigin { distance, step, centre: [x, y, z] } => write!(
                formatter,
                "the scene lies {distance:.0} m from the origin, where single precision rounds coordinates to {} m; move it to the origin, by about ({x}, {y}, {z})",
                rounded(*step, 2)
            ),
            Self::OddElement { element, what } => write!(formatter, "{element}: {what}"),
            Self::OutlierTriangles { triangles, first, axis, extent, extent_without } => write!(
                formatter,
                "outliers, {triangles} (triangle {first} is the first): they stretch the scene to {} m along {axis}; without them it has {} m",
                rounded(*extent, 6),
                rounded(*extent_without, 6)
            ),
        }
    }
}

/// Receives reports from a bake. Every method does nothing by default; `()` ignores all reports.
///
/// It is `Send` because a bake with a thread pool calls it from a thread of the pool.
pub trait Observer: Send {
    /// A stage begins.
    fn stage_started(&mut self, _stage: &'static str) {}
    /// Reports that `done` of `total` steps of the current stage are complete.
    fn progress(&mut self, _done: u64, _total: u64) {}
    /// A stage has ended after `seconds` of wall time.
    fn stage_finished(&mut self, _stage: &'static str, _seconds: f64) {}
    /// Adds `amount` to a counter.
    fn count(&mut self, _counter: Counter, _amount: u64) {}
    /// Reports a problem that the user should know about.
    fn warn(&mut self, _warning: Warning) {}
    /// Returns the token that ends the bake with [`Cancelled`](crate::Cancelled) from any thread,
    /// within milliseconds. Called once per stage. Default: a token that never cancels.
    fn cancel_token(&self) -> CancelToken {
        CancelToken::none()
    }
    /// Returns `true` for figures that advice needs but the mesh does not: see the report of a bake.
    /// They may take a third of the time of the bake. Default: `false`.
    fn wants_advice(&self) -> bool {
        false
    }
    /// Returns `true` to end the bake with [`Cancelled`](crate::Cancelled). Called only before and
    /// after every stage and after every tile; work that has begun is finished first. Default: the
    /// state of the token.
    fn is_cancelled(&mut self) -> bool {
        self.cancel_token().is_cancelled()
    }
}

impl Observer for () {}

impl Observer for CancelToken {
    fn cancel_token(&self) -> CancelToken {
        self.clone()
    }
}

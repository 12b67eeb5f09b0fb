//! Marks that change the area of ground or cut it out.

use glam::{Vec2, Vec3};
use waymesh_core::{
    AreaId, BadField, Bounds, FieldWindow, GridFrame, GridWindow, HeadRooms, SpanField, WalkableField,
    checkpoint,
};

use crate::error::finite;
use crate::prism::{Plan, check_prism, contains};
use crate::{ClosedMesh, VoxelError};

/// A part of space. A [`Mark`] changes the area of the walkable ground in it, an
/// [`crate::Obstacle`] fills it. World coordinates, metres.
///
/// For a mark, a span lies in the shape if the ground at its cell's centre does. Borders are part
/// of the shape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MarkShape {
    /// An axis-aligned box.
    Box {
        /// Corners of the box.
        bounds: Bounds,
    },
    /// An upright prism over a polygon, convex or not.
    Prism {
        /// Corners in plan `(x, z)`, in order, in either orientation; at least three. The outline
        /// must not cross itself, but may touch itself.
        corners: Vec<Vec2>,
        /// Lower and upper height.
        heights: [f32; 2],
    },
    /// An upright cylinder.
    Cylinder {
        /// Centre of the base.
        base: Vec3,
        /// Radius of the cylinder.
        radius: f32,
        /// Height above the base.
        height: f32,
    },
    /// The inside of a closed mesh. For an [`crate::Obstacle`] its faces must all face outward, or
    /// all inward.
    ///
    /// A cell whose centre lies exactly on a face may count as inside or outside.
    Mesh {
        /// The mesh.
        mesh: ClosedMesh,
    },
}

impl From<Bounds> for MarkShape {
    /// Returns a box.
    fn from(bounds: Bounds) -> Self {
        Self::Box { bounds }
    }
}

/// A shape and the new area of the walkable ground in it; [`AreaId::NULL`] cuts the ground out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mark {
    /// The shape.
    pub shape: MarkShape,
    /// The new area.
    pub area: AreaId,
}

impl Mark {
    /// Returns a mark that gives `area` to the walkable ground in `shape`.
    #[must_use]
    pub fn new(shape: impl Into<MarkShape>, area: AreaId) -> Self {
        Self { shape: shape.into(), area }
    }

    /// Applies the mark and returns the number of spans in it.
    ///
    /// # Errors
    /// See [`mark_box`], [`mark_prism`] and [`mark_cylinder`].
    pub fn apply(&self, field: &mut WalkableField) -> Result<u64, VoxelError> {
        self.apply_over(field, &HeadRooms::default())
    }

    /// Applies the mark like [`Mark::apply`] to a field whose areas are codes. Spans keep their
    /// headroom class.
    ///
    /// # Errors
    /// See [`Mark::apply`]; [`VoxelError::AreaBeyondClasses`] for an area without a free code.
    pub fn apply_over(&self, field: &mut WalkableField, rooms: &HeadRooms) -> Result<u64, VoxelError> {
        let place = FrameWindow::whole(field);
        code(self.area, rooms, 0)?;
        Ok(self.shape.volume()?.mark(field, place, self.area, rooms))
    }

    /// Applies the mark to a part of a field and returns the number of spans in it, including those
    /// of the ring. A span gets the same area as in the whole field, and keeps its headroom class.
    ///
    /// # Errors
    /// See [`Mark::apply_over`].
    pub fn apply_to_window<F: SpanField>(
        &self,
        part: &mut FieldWindow<F>,
        rooms: &HeadRooms,
    ) -> Result<u64, VoxelError> {
        let place = FrameWindow { frame: part.frame, window: part.window };
        code(self.area, rooms, 0)?;
        Ok(self.shape.volume()?.mark(&mut part.field, place, self.area, rooms))
    }
}

impl MarkShape {
    /// Checks the numbers of the shape.
    ///
    /// # Errors
    /// See [`mark_box`], [`mark_prism`] and [`mark_cylinder`].
    pub fn validate(&self) -> Result<(), VoxelError> {
        self.volume().map(|_| ())
    }

    fn volume(&self) -> Result<Volume<'_>, VoxelError> {
        match self {
            Self::Box { bounds } => Volume::of_box(bounds),
            Self::Prism { corners, heights } => Volume::of_prism(corners, *heights),
            Self::Cylinder { base, radius, height } => Volume::of_cylinder(*base, *radius, *height),
            Self::Mesh { mesh } => Ok(Volume::of_mesh(mesh)),
        }
    }
}

/// Gives `area` to the walkable spans whose ground lies in `bounds`. Returns their number.
///
/// Spans that are not walkable do not change. [`AreaId::NULL`] makes walkable spans unwalkable. The
/// cost depends only on the cells under the shape. An empty box marks nothing.
///
/// # Errors
/// [`VoxelError::BadField`] for a corner that is not finite.
pub fn mark_box(field: &mut WalkableField, bounds: &Bounds, area: AreaId) -> Result<u64, VoxelError> {
    Ok(Volume::of_box(bounds)?.mark_whole(field, area))
}

/// Gives `area` to the walkable spans in an upright prism over a polygon of plan corners `(x, z)`.
/// See [`mark_box`].
///
/// # Errors
/// - [`VoxelError::BadField`] for a number that is not finite.
/// - [`VoxelError::FlatPrism`] for fewer than three corners.
/// - [`VoxelError::CrossingPrism`] for an outline that crosses itself.
pub fn mark_prism(
    field: &mut WalkableField,
    corners: &[Vec2],
    heights: [f32; 2],
    area: AreaId,
) -> Result<u64, VoxelError> {
    Ok(Volume::of_prism(corners, heights)?.mark_whole(field, area))
}

/// Gives `area` to the walkable spans in an upright cylinder. See [`mark_box`].
///
/// # Errors
/// [`VoxelError::BadField`] for a number that is not finite, or a negative radius or height.
pub fn mark_cylinder(
    field: &mut WalkableField,
    base: Vec3,
    radius: f32,
    height: f32,
    area: AreaId,
) -> Result<u64, VoxelError> {
    Ok(Volume::of_cylinder(base, radius, height)?.mark_whole(field, area))
}

/// The columns of a field: a window of a frame. Coordinates are those of the frame.
#[derive(Clone, Copy)]
struct FrameWindow {
    frame: GridFrame,
    window: GridWindow,
}

impl FrameWindow {
    fn whole(field: &WalkableField) -> Self {
        Self { frame: field.frame, window: GridWindow::whole(&field.frame) }
    }
}

/// A part of space, and its bounding rectangle in plan.
struct Volume<'a> {
    least: [f32; 2],
    most: [f32; 2],
    inside: Inside<'a>,
}

/// The inside of a volume.
enum Inside<'a> {
    /// A height range, and a test of plan coordinates.
    Upright([f32; 2], Box<dyn Fn(f64, f64) -> bool + 'a>),
    Mesh(&'a ClosedMesh),
}

/// Largest distance of ground outside a volume at which it counts as inside, in levels. Heights of
/// ground have single precision, so ground in the plane of a volume's lower or upper side may be
/// off by this distance.
const LEVEL_SLACK: f64 = 1e-3;

impl<'a> Volume<'a> {
    fn of_box(bounds: &Bounds) -> Result<Self, VoxelError> {
        let (min, max) = (bounds.min, bounds.max);
        finite("box corner", &[min.x, min.y, min.z, max.x, max.y, max.z])?;
        Ok(Self {
            least: [min.x, min.z],
            most: [max.x, max.z],
            inside: Inside::Upright([min.y, max.y], Box::new(|_, _| true)),
        })
    }

    fn of_mesh(mesh: &'a ClosedMesh) -> Self {
        let Bounds { min, max } = mesh.bounds();
        Self { least: [min.x, min.z], most: [max.x, max.z], inside: Inside::Mesh(mesh) }
    }

    fn of_prism(corners: &'a [Vec2], heights: [f32; 2]) -> Result<Self, VoxelError> {
        check_prism(corners, heights)?;
        let (mut least, mut most) = (corners[0], corners[0]);
        for &corner in corners {
            (least, most) = (least.min(corner), most.max(corner));
        }
        let corners: Vec<Plan> = corners.iter().map(|c| [f64::from(c.x), f64::from(c.y)]).collect();
        let inside = move |x: f64, z: f64| contains(&corners, [x, z]);
        let inside = Inside::Upright(heights, Box::new(inside));
        Ok(Self { least: least.to_array(), most: most.to_array(), inside })
    }

    fn of_cylinder(base: Vec3, radius: f32, height: f32) -> Result<Self, VoxelError> {
        check_cylinder(base, radius, height)?;
        let (x0, z0, reach) = (f64::from(base.x), f64::from(base.z), f64::from(radius) * f64::from(radius));
        Ok(Self {
            least: [base.x - radius, base.z - radius],
            most: [base.x + radius, base.z + radius],
            inside: Inside::Upright(
                [base.y, base.y + height],
                Box::new(move |x, z| (x - x0) * (x - x0) + (z - z0) * (z - z0) <= reach),
            ),
        })
    }

    /// Marks a whole field whose areas are not codes.
    fn mark_whole(&self, field: &mut WalkableField, area: AreaId) -> u64 {
        self.mark(field, FrameWindow::whole(field), area, &HeadRooms::default())
    }

    /// Marks the spans whose ground lies in the volume.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float-to-int casts saturate; the range is clipped to the grid"
    )]
    fn mark(&self, field: &mut impl SpanField, place: FrameWindow, area: AreaId, rooms: &HeadRooms) -> u64 {
        let FrameWindow { frame, window } = place;
        let cell = f64::from(frame.cell_size);
        // The first cell whose centre is at or after a coordinate.
        let first = |value: f64, origin: f32| ((value - f64::from(origin)) / cell - 0.5).ceil();
        let range = |axis: usize, origin: f32, from: u32, end: u32| {
            let last = ((f64::from(self.most[axis]) - f64::from(origin)) / cell - 0.5).floor();
            let least = f64::from(self.least[axis]);
            (first(least, origin) as u32).clamp(from, end)..((last + 1.0) as u32).clamp(from, end)
        };
        let level = |height: f64| (height - f64::from(frame.origin.y)) / f64::from(frame.level_height);
        let columns = range(0, frame.origin.x, window.x, window.end_x());
        let first_column = |x: f64| (first(x, frame.origin.x) as u32).clamp(columns.start, columns.end);
        let centre =
            |origin: f32, cell_number: u32| f64::from(origin) + (f64::from(cell_number) + 0.5) * cell;
        let centre_x = |x: u32| centre(frame.origin.x, x);
        let mut marked = 0;
        for z in range(1, frame.origin.z, window.z, window.end_z()) {
            checkpoint();
            let mut mark = |x: u32, [low, high]: [f64; 2]| {
                let levels = level(low) - LEVEL_SLACK..=level(high) + LEVEL_SLACK;
                for span in field.spans_at(x - window.x, z - window.z) {
                    let ground = f64::from(field.ground()[span as usize]);
                    if field.area(span).is_walkable() && levels.contains(&ground) {
                        let class = rooms.class(field.area(span));
                        field.set_area(span, rooms.code(area, class).unwrap_or(AreaId::NULL));
                        marked += 1;
                    }
                }
            };
            let world_z = centre(frame.origin.z, z);
            match &self.inside {
                Inside::Upright(heights, covers) => columns
                    .clone()
                    .filter(|&x| covers(centre_x(x), world_z))
                    .for_each(|x| mark(x, heights.map(f64::from))),
                Inside::Mesh(mesh) => mesh.visit_row(world_z, first_column, centre_x, mark),
            }
        }
        marked
    }
}

/// Checks the numbers of a cylinder.
pub(crate) fn check_cylinder(base: Vec3, radius: f32, height: f32) -> Result<(), VoxelError> {
    finite("cylinder base", &base.to_array())?;
    for (field, value) in [("cylinder radius", radius), ("cylinder height", height)] {
        BadField::unless_length(field, value)?;
    }
    Ok(())
}

/// Returns the code of an area and a class.
pub(crate) fn code(area: AreaId, rooms: &HeadRooms, class: usize) -> Result<AreaId, VoxelError> {
    rooms.code(area, class).ok_or(VoxelError::AreaBeyondClasses { area, limit: rooms.area_count() - 1 })
}

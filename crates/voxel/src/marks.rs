//! Marks that change the area of ground or cut it out.

use glam::{Vec2, Vec3};
use waymesh_core::{
    AreaId, BadField, Bounds, FieldWindow, GridFrame, GridWindow, HeadRooms, SpanField, WalkableField,
    checkpoint,
};

use crate::error::finite;
use crate::prism::{Plan, contains, convex_parts};
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
    /// Spans that are not walkable do not change. [`AreaId::NULL`] makes walkable spans unwalkable.
    /// The cost depends only on the cells under the shape. An empty box marks nothing.
    ///
    /// # Errors
    /// See [`MarkShape::validate`].
    pub fn apply(&self, field: &mut WalkableField) -> Result<u64, VoxelError> {
        self.apply_over(field, &HeadRooms::default())
    }

    /// Applies the mark like [`Mark::apply`] to a field whose areas are codes. Spans keep their
    /// headroom class.
    ///
    /// # Errors
    /// See [`Mark::apply`]; [`VoxelError::AreaBeyondClasses`] for an area without a free code.
    pub fn apply_over(&self, field: &mut WalkableField, rooms: &HeadRooms) -> Result<u64, VoxelError> {
        let place = (field.frame, GridWindow::whole(&field.frame));
        self.apply_in(field, place, rooms)
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
        self.apply_in(&mut part.field, (part.frame, part.window), rooms)
    }

    /// Marks the spans whose ground lies in the shape, over columns of a frame.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float-to-int casts saturate; the range is clipped to the grid"
    )]
    fn apply_in(
        &self,
        field: &mut impl SpanField,
        (frame, window): (GridFrame, GridWindow),
        rooms: &HeadRooms,
    ) -> Result<u64, VoxelError> {
        code(self.area, rooms, 0)?;
        let Bounds { min: least, max: most } = self.shape.bounds()?;
        let cell = f64::from(frame.cell_size);
        // The first cell whose centre is at or after a coordinate.
        let first = |value: f64, origin: f32| ((value - f64::from(origin)) / cell - 0.5).ceil();
        let range = |axis: usize, origin: f32, from: u32, end: u32| {
            let last = ((f64::from(most[axis]) - f64::from(origin)) / cell - 0.5).floor();
            let least = f64::from(least[axis]);
            (first(least, origin) as u32).clamp(from, end)..((last + 1.0) as u32).clamp(from, end)
        };
        let level = |height: f64| (height - f64::from(frame.origin.y)) / f64::from(frame.level_height);
        let columns = range(0, frame.origin.x, window.x, window.end_x());
        let first_column = |x: f64| (first(x, frame.origin.x) as u32).clamp(columns.start, columns.end);
        let centre =
            |origin: f32, cell_number: u32| f64::from(origin) + (f64::from(cell_number) + 0.5) * cell;
        let centre_x = |x: u32| centre(frame.origin.x, x);
        let mut marked = 0;
        for z in range(2, frame.origin.z, window.z, window.end_z()) {
            checkpoint();
            let mut mark = |x: u32, [low, high]: [f64; 2]| {
                let levels = level(low) - LEVEL_SLACK..=level(high) + LEVEL_SLACK;
                for span in field.spans_at(x - window.x, z - window.z) {
                    let ground = f64::from(field.ground()[span as usize]);
                    if field.area(span).is_walkable() && levels.contains(&ground) {
                        let class = rooms.class(field.area(span));
                        field.set_area(span, rooms.code(self.area, class).unwrap_or(AreaId::NULL));
                        marked += 1;
                    }
                }
            };
            let world_z = centre(frame.origin.z, z);
            match self.shape.inside() {
                Inside::Upright(heights, covers) => columns
                    .clone()
                    .filter(|&x| covers(centre_x(x), world_z))
                    .for_each(|x| mark(x, heights.map(f64::from))),
                Inside::Mesh(mesh) => mesh.visit_row(world_z, first_column, centre_x, mark),
            }
        }
        Ok(marked)
    }
}

impl MarkShape {
    /// Checks the numbers of the shape.
    ///
    /// # Errors
    /// - [`VoxelError::BadField`] for a number that is not finite, or a negative radius or height of
    ///   a cylinder.
    /// - [`VoxelError::FlatPrism`] for a prism of fewer than three corners.
    /// - [`VoxelError::CrossingPrism`] for an outline that crosses itself.
    pub fn validate(&self) -> Result<(), VoxelError> {
        self.bounds().map(|_| ())
    }

    /// Returns the bounds of the shape after checking its numbers. Those of a cylinder are rounded
    /// outwards.
    pub(crate) fn bounds(&self) -> Result<Bounds, VoxelError> {
        match self {
            Self::Box { bounds } => {
                finite("box corner", &[bounds.min.to_array(), bounds.max.to_array()].concat())?;
                Ok(*bounds)
            }
            Self::Prism { corners, heights } => {
                convex_parts(corners, *heights)?;
                let corners = corners.iter().flat_map(|c| heights.map(|height| Vec3::new(c.x, height, c.y)));
                Ok(Bounds::of(corners))
            }
            Self::Cylinder { base, radius, height } => {
                finite("cylinder base", &base.to_array())?;
                for (field, value) in [("cylinder radius", *radius), ("cylinder height", *height)] {
                    BadField::unless_length(field, value)?;
                }
                let reach = Vec3::new(*radius, 0.0, *radius);
                let (least, most) = (*base - reach, *base + reach + Vec3::new(0.0, *height, 0.0));
                Ok(Bounds {
                    min: Vec3::new(least.x.next_down(), least.y, least.z.next_down()).max(Vec3::MIN),
                    max: Vec3::new(most.x.next_up(), most.y, most.z.next_up()).min(Vec3::MAX),
                })
            }
            Self::Mesh { mesh } => Ok(mesh.bounds()),
        }
    }

    fn inside(&self) -> Inside<'_> {
        match self {
            Self::Box { bounds } => Inside::Upright([bounds.min.y, bounds.max.y], Box::new(|_, _| true)),
            Self::Prism { corners, heights } => {
                let corners: Vec<Plan> = corners.iter().map(|c| [f64::from(c.x), f64::from(c.y)]).collect();
                Inside::Upright(*heights, Box::new(move |x, z| contains(&corners, [x, z])))
            }
            Self::Cylinder { base, radius, height } => {
                let (x0, z0, radius) = (f64::from(base.x), f64::from(base.z), f64::from(*radius));
                let covers =
                    move |x: f64, z: f64| (x - x0) * (x - x0) + (z - z0) * (z - z0) <= radius * radius;
                Inside::Upright([base.y, base.y + height], Box::new(covers))
            }
            Self::Mesh { mesh } => Inside::Mesh(mesh),
        }
    }
}

/// The inside of a shape.
enum Inside<'a> {
    /// A height range, and a test of plan coordinates.
    Upright([f32; 2], Box<dyn Fn(f64, f64) -> bool + 'a>),
    Mesh(&'a ClosedMesh),
}

/// Largest distance of ground outside a shape at which it counts as inside, in levels. Heights of
/// ground have single precision, so ground in the plane of a shape's lower or upper side may be off
/// by this distance.
const LEVEL_SLACK: f64 = 1e-3;

/// Returns the code of an area and a class.
pub(crate) fn code(area: AreaId, rooms: &HeadRooms, class: usize) -> Result<AreaId, VoxelError> {
    rooms.code(area, class).ok_or(VoxelError::AreaBeyondClasses { area, limit: rooms.area_count() - 1 })
}

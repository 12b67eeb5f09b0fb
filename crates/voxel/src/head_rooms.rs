//! Headroom classes of a field.

use waymesh_core::{
    Direction, GridWindow, HeadRooms, Heightfield, NO_SPAN, SpanField, WalkableField, checkpoint_every,
};

use crate::erosion::erode_on;
use crate::marks::code;
use crate::walkable::build_counted;
use crate::{FieldBuilder, VoxelError};

impl FieldBuilder {
    /// Converts the areas of a field that this builder built from `heightfield` to codes of area
    /// and headroom class ([`HeadRooms`]).
    ///
    /// A span is in a class if an agent of that height can stand on it: if the field for that
    /// agent, with the same filters and erosion, contains the span. If a ceiling over the step
    /// between two such spans blocks that agent, the lower span is in the class below.
    ///
    /// # Cost
    /// The cost of another field for every class except the first.
    ///
    /// # Errors
    /// [`VoxelError::AreaBeyondClasses`] for an area without a free code, and the errors of the
    /// stage for an agent.
    pub fn report_head_rooms(
        &self,
        heightfield: &Heightfield,
        field: &mut WalkableField,
    ) -> Result<(), VoxelError> {
        let rooms = &self.head_rooms;
        if rooms.is_empty() {
            return Ok(());
        }
        let mut classes = vec![0; field.len()];
        for (class, &height) in rooms.heights().iter().enumerate().skip(1) {
            let agent = self.agent.with_height(height);
            let whole = GridWindow::whole(&heightfield.frame);
            let mut tall = build_counted(heightfield, &agent, &self.filters, whole, 1, &mut ())?;
            tall.frame = field.frame;
            erode_on(&mut tall, self.erosion_radius, 1, &mut ())?;
            raise(field, &tall, class, &mut classes);
        }
        encode(field, rooms, &classes)
    }
}

/// Raises the spans that are also in a field for taller agents from the class below to `class`.
fn raise(field: &WalkableField, tall: &WalkableField, class: usize, classes: &mut [usize]) {
    let twins = twins(field, tall);
    let is_twin = |span: u32| {
        let twin = twins[span as usize];
        twin != NO_SPAN && classes[span as usize] + 1 == class && tall.area[twin as usize].is_walkable()
    };
    let mut raised = Vec::new();
    for span in (0_u32..).take(field.len()).filter(|&span| is_twin(span)) {
        let leads_on = Direction::ALL.into_iter().all(|direction| {
            let other = field.links[span as usize][direction.index()];
            other == NO_SPAN
                || !is_twin(other)
                || field.floor[other as usize] < field.floor[span as usize]
                || tall.links[twins[span as usize] as usize][direction.index()] == twins[other as usize]
        });
        if leads_on {
            raised.push(span);
        }
    }
    for span in raised {
        classes[span as usize] = class;
    }
}

/// Returns the span of `tall` on the same floor for each walkable span of `field`.
fn twins(field: &WalkableField, tall: &WalkableField) -> Vec<u32> {
    let mut twins = vec![NO_SPAN; field.len()];
    for (index, (column, other)) in field.columns.windows(2).zip(tall.columns.windows(2)).enumerate() {
        checkpoint_every(1 << 14, index);
        let mut at = other[0];
        for span in column[0]..column[1] {
            let floor = field.floor[span as usize];
            while at < other[1] && tall.floor[at as usize] < floor {
                at += 1;
            }
            if at < other[1] && tall.floor[at as usize] == floor && field.area[span as usize].is_walkable() {
                twins[span as usize] = at;
            }
        }
    }
    twins
}

/// Converts areas to codes.
///
/// # Errors
/// [`VoxelError::AreaBeyondClasses`] for an area without a free code.
pub fn encode<F: SpanField>(field: &mut F, rooms: &HeadRooms, classes: &[usize]) -> Result<(), VoxelError> {
    for (span, &class) in (0_u32..).zip(classes) {
        field.set_area(span, code(field.area(span), rooms, class)?);
    }
    Ok(())
}

//! Settings of the stage from solid spans to the walkable field.

use waymesh_core::{Agent, HeadRooms};

use crate::{Filters, Mark};

/// Filters, links, erosion and marks, in this order, as a stage.
///
/// Marks are applied after erosion, so ground that is cut out gets no margin. To keep the agent's
/// body out of a solid, enlarge its mark by the agent's radius.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldBuilder {
    /// The agent.
    pub agent: Agent,
    /// Selection of the filters. Default all.
    pub filters: Filters,
    /// Distance in metres from walls and drops. Finite and at least zero; default the agent's
    /// radius.
    pub erosion_radius: f32,
    /// The marks, applied in order; where marks overlap, the last one wins. Default none.
    pub marks: Vec<Mark>,
    /// Headroom classes; the first height is the agent's. With classes, areas of the field are
    /// codes. Default none.
    pub head_rooms: HeadRooms,
}

impl Default for FieldBuilder {
    fn default() -> Self {
        Self::new(Agent::default())
    }
}

waymesh_core::setters! {
    impl FieldBuilder {
        with_filters(filters: Filters);
        with_erosion_radius(erosion_radius: f32);
        with_marks(marks: Vec<Mark>);
        with_head_rooms(head_rooms: HeadRooms);
    }
}

impl FieldBuilder {
    /// Returns a stage with all filters, erosion by the agent's radius, and no marks.
    #[must_use]
    pub fn new(agent: Agent) -> Self {
        Self {
            agent,
            filters: Filters::default(),
            erosion_radius: agent.radius,
            marks: Vec::new(),
            head_rooms: HeadRooms::default(),
        }
    }
}

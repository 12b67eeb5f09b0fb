//! How a plan becomes ground.

use waymesh_core::BadField;

use crate::PlanError;

/// What an offset border looks like round a corner that sticks out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Join {
    /// An arc, as round as [`PlanConfig::arc_error`] asks for.
    Round,
    /// A cut across the corner, at the radius from it: few vertices, no place nearer than the
    /// radius. The default, as in Romstöck's article.
    #[default]
    Square,
    /// Straight on to where the borders meet; corners that would stick out farther than `limit`
    /// times the radius are cut off there.
    Miter {
        /// Farthest, in radii; at least 1.
        limit: f64,
    },
}

/// Configuration of [`crate::PlanBase`]. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanConfig {
    /// Distance that the agent's centre keeps from what is blocked. Default 0.3, finite, zero or
    /// more.
    pub radius: f64,
    /// How the offset goes round corners.
    pub join: Join,
    /// How far an arc of [`Join::Round`] may be cut short, towards the corner. Default 0.005, above
    /// zero.
    pub arc_error: f64,
    /// Whether the agent keeps its radius from the borders of walkable ground too, where nothing is
    /// blocked beyond. Default true; the article keeps it from blocked areas alone.
    pub shrink_walkable: bool,
    /// Side of a cell of the grid that vertices are rounded to: the result is exact to about so
    /// much. Default 0.001. Doubled as often as the plan asks for to fit the largest
    /// coordinate.
    pub cell_size: f64,
    /// Vertices nearer than this to the one before are left out. No border moves farther than this.
    /// Default 0.01.
    pub near_distance: f64,
    /// Pieces of ground smaller than this, in square metres, are left out. Default 0.05.
    pub min_area: f64,
    /// How far from the ground the ends of stairs and lifts may lie, beyond the agent's radius.
    /// Default 0.5.
    pub link_reach: f64,
    /// Vertices of one piece of ground nearer than this to each other become one, also across a
    /// gap: slits narrower than this close, and no border moves farther than this. Pieces that
    /// a door cuts stay as they are. Plans that change refuse it. Default 0, for none.
    ///
    /// This and the next two are left to the triangulation: a pipeline uses them,
    /// [`crate::PlanBase`] does not.
    pub merge_distance: f64,
    /// Longest border edge; longer ones are split. Points that split a slanted edge are rounded to
    /// the grid, towards the inside. Default 0, for no limit.
    pub max_edge_length: f64,
    /// Spacing of a grid of vertices inside (Romstöck's Steiner points). Cells are then merged
    /// greedily instead of cut at notches, and leave out those that they can do without: with
    /// at most three corners a cell, all stay. Default 0, for none.
    pub steiner_grid: f64,
}

impl Default for PlanConfig {
    fn default() -> Self {
        Self {
            radius: 0.3,
            join: Join::default(),
            arc_error: 0.005,
            shrink_walkable: true,
            cell_size: 0.001,
            near_distance: 0.01,
            min_area: 0.05,
            link_reach: 0.5,
            merge_distance: 0.0,
            max_edge_length: 0.0,
            steiner_grid: 0.0,
        }
    }
}

waymesh_core::setters! {
    impl PlanConfig {
        with_radius(radius: f64);
        with_join(join: Join);
        with_arc_error(arc_error: f64);
        with_shrink_walkable(shrink_walkable: bool);
        with_cell_size(cell_size: f64);
        with_near_distance(near_distance: f64);
        with_min_area(min_area: f64);
        with_link_reach(link_reach: f64);
        with_merge_distance(merge_distance: f64);
        with_max_edge_length(max_edge_length: f64);
        with_steiner_grid(steiner_grid: f64);
    }
}

impl PlanConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first one that is out of its range.
    pub fn validate(&self) -> Result<(), PlanError> {
        for (field, value) in [
            ("radius", self.radius),
            ("near_distance", self.near_distance),
            ("min_area", self.min_area),
            ("link_reach", self.link_reach),
            ("merge_distance", self.merge_distance),
            ("max_edge_length", self.max_edge_length),
            ("steiner_grid", self.steiner_grid),
        ] {
            BadField::unless(value.is_finite() && value >= 0.0, field, value, "finite and at least 0")?;
        }
        let is_fine = self.cell_size.is_finite() && self.cell_size >= 1e-6;
        BadField::unless(is_fine, "cell_size", self.cell_size, "finite and at least 0.000001 m")?;
        BadField::unless_positive("arc_error", self.arc_error)?;
        if let Join::Miter { limit } = self.join {
            let is_fine = limit.is_finite() && limit >= 1.0;
            BadField::unless(is_fine, "miter limit", limit, "finite and at least 1")?;
        }
        Ok(())
    }
}

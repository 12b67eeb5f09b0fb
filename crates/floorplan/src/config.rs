//! Configuration of the conversion of plans to ground.

use waymesh_core::BadField;

use crate::PlanError;

/// The shape of an offset border around a convex corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Join {
    /// An arc, with the precision of [`PlanConfig::arc_error`].
    Round,
    /// A straight cut across the corner, at a distance of the radius: few vertices, and no point
    /// nearer than the radius. The default, as in Romstöck's article.
    #[default]
    Square,
    /// The borders continue to where they meet. Corners farther away than `limit` times the radius
    /// are cut off there.
    Miter {
        /// Largest distance, in radii; at least 1.
        limit: f64,
    },
}

/// Configuration of [`crate::PlanBase`]. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanConfig {
    /// Distance of the agent's centre from blocked areas. Default 0.3; finite and at least 0.
    pub radius: f64,
    /// Shape of the offset around corners.
    pub join: Join,
    /// Largest error of an arc of [`Join::Round`], towards the corner. Default 0.005; above 0.
    pub arc_error: f64,
    /// `true` if the agent also keeps its radius from the borders of walkable ground where nothing
    /// is blocked beyond. Default `true`; in the article it only keeps it from blocked areas.
    pub shrink_walkable: bool,
    /// Side of a cell of the grid that vertices are rounded to, which is about the accuracy of the
    /// result. Default 0.001. It is doubled until the grid holds the whole plan.
    pub cell_size: f64,
    /// Vertices nearer than this to the previous one are removed, unless the border would then pass
    /// over another one: closed walls stay closed if they are at least 2 cells thick. No border moves
    /// farther than this. The line of a door is lengthened over gaps up to this width at its ends,
    /// which openings of other doors leave. Default 0.01.
    pub near_distance: f64,
    /// Pieces of ground smaller than this, in square metres, are removed. Default 0.05.
    pub min_area: f64,
    /// Gaps between walkable shapes, doors included, that are narrower than this are closed: rooms
    /// that were drawn one by one leave hairlines between them. Default 0, for none.
    /// - Blocked shapes stay, however thin: they are taken out afterwards.
    /// - So do walls that are gaps at least this thick: nothing becomes walkable that a disc of this
    ///   diameter covers without a point of walkable ground in it.
    /// - No walkable ground goes. Gaps stay open at their ends, for a quarter of their width where
    ///   they are half as wide as this, for less where they are narrower.
    pub close_distance: f64,
    /// Largest distance of the ends of stairs and lifts from the ground, in addition to the agent's
    /// radius. Default 0.5.
    pub link_reach: f64,
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
            close_distance: 0.0,
            link_reach: 0.5,
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
        with_close_distance(close_distance: f64);
        with_link_reach(link_reach: f64);
    }
}

impl PlanConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), PlanError> {
        for (field, value) in [
            ("radius", self.radius),
            ("near_distance", self.near_distance),
            ("min_area", self.min_area),
            ("close_distance", self.close_distance),
            ("link_reach", self.link_reach),
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

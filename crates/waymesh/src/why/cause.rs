//! Causes in words.

use serde::Serialize;
use waymesh_core::{nearest_f32, rounded};

/// The cause for which a place is not walkable. Lengths in metres, angles in degrees; triangles are
/// indices into the scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// No surface lies within the agent's height above or below the place.
    NoSurface {
        /// Distance to the next surface below.
        below: Option<f64>,
        /// Distance to the next surface above.
        above: Option<f64>,
    },
    /// The surface faces down.
    FacesDown {
        /// The triangle.
        triangle: usize,
    },
    /// The area of the surface is blocked.
    Blocked {
        /// The triangle.
        triangle: usize,
    },
    /// The surface is too steep.
    TooSteep {
        /// Its slope.
        slope: f64,
        /// The steepest that the agent walks on.
        max_slope: f64,
        /// The triangle.
        triangle: usize,
    },
    /// The head room is less than the agent's height, or differs from it by less than the rounding of
    /// levels.
    LowHeadRoom {
        /// The least head room in the cell of the place.
        room: f64,
        /// The agent's height.
        needed: f64,
        /// The triangle above.
        triangle: usize,
    },
    /// The place is nearer to a wall than the agent's radius and the rounding of cells.
    NearWall {
        /// Distance in plan.
        distance: f64,
        /// The triangle.
        triangle: usize,
    },
    /// The place is near a drop.
    NearDrop {
        /// Distance in plan.
        distance: f64,
        /// Depth of the drop; `None` for a bottomless one.
        depth: Option<f64>,
    },
    /// The place is near a step up that is too high.
    NearStep {
        /// Distance in plan.
        distance: f64,
        /// Height of the step.
        rise: f64,
        /// The triangle on top of it.
        triangle: usize,
    },
    /// The place is near ground that is too steep.
    NearSteep {
        /// Distance in plan.
        distance: f64,
        /// Slope of that ground.
        slope: f64,
        /// The triangle.
        triangle: usize,
    },
    /// The place is near ground with too little head room.
    NearLowHeadRoom {
        /// Distance in plan.
        distance: f64,
        /// Head room there.
        room: f64,
        /// The triangle above.
        triangle: usize,
    },
    /// Cells and levels are too coarse for this place.
    Rounding,
    /// A mark cuts the ground out.
    Marked {
        /// Its index in the settings, from 0; sentences count from 1.
        mark: usize,
    },
    /// The connected piece of ground is too small.
    SmallRegion {
        /// Its area in square metres; `None` if it is unknown.
        area: Option<f64>,
    },
    /// The ground lies inside of a solid.
    Enclosed,
    /// The ground is not among what is kept.
    NotKept,
    /// The simplified border of the mesh leaves the place out.
    Simplified,
    /// The mesh has no heights of the ground inside of its polygons.
    NoDetail,
}

/// Names a triangle.
fn named(triangle: usize, name: &dyn Fn(usize) -> Option<String>) -> String {
    name(triangle)
        .map_or_else(|| format!("triangle {triangle}"), |name| format!("{name:?}, triangle {triangle}"))
}

/// A length or an angle with two decimals.
fn figure(value: f64) -> String {
    rounded(nearest_f32((value * 100.0).round() / 100.0), 6).to_string()
}

impl Cause {
    /// Returns the name of the cause, as it is serialised.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoSurface { .. } => "no_surface",
            Self::FacesDown { .. } => "faces_down",
            Self::Blocked { .. } => "blocked",
            Self::TooSteep { .. } => "too_steep",
            Self::LowHeadRoom { .. } => "low_head_room",
            Self::NearWall { .. } => "near_wall",
            Self::NearDrop { .. } => "near_drop",
            Self::NearStep { .. } => "near_step",
            Self::NearSteep { .. } => "near_steep",
            Self::NearLowHeadRoom { .. } => "near_low_head_room",
            Self::Rounding => "rounding",
            Self::Marked { .. } => "marked",
            Self::SmallRegion { .. } => "small_region",
            Self::Enclosed => "enclosed",
            Self::NotKept => "not_kept",
            Self::Simplified => "simplified",
            Self::NoDetail => "no_detail",
        }
    }

    /// Returns the triangle of the cause, if it has one.
    #[must_use]
    pub fn triangle(&self) -> Option<usize> {
        match *self {
            Self::FacesDown { triangle }
            | Self::Blocked { triangle }
            | Self::TooSteep { triangle, .. }
            | Self::LowHeadRoom { triangle, .. }
            | Self::NearWall { triangle, .. }
            | Self::NearStep { triangle, .. }
            | Self::NearSteep { triangle, .. }
            | Self::NearLowHeadRoom { triangle, .. } => Some(triangle),
            _ => None,
        }
    }

    /// Returns the cause as a clause of a sentence. `name` returns the name of the surface of a
    /// triangle.
    #[must_use]
    pub fn describe(&self, name: &dyn Fn(usize) -> Option<String>) -> String {
        let of = self.triangle().map_or_else(String::new, |triangle| named(triangle, name));
        match *self {
            Self::NoSurface { below, above } => {
                let next = |distance: Option<f64>, side: &str| {
                    distance.map(|distance| format!("{} m {side}", figure(distance)))
                };
                let next = [next(below, "below"), next(above, "above")].into_iter().flatten();
                let next = next.collect::<Vec<_>>().join(" and ");
                let next =
                    if next.is_empty() { "none at all".to_owned() } else { format!("the next is {next}") };
                format!("no surface lies within the agent's height of this place; {next}")
            }
            Self::FacesDown { .. } => format!("the surface faces down ({of})"),
            Self::Blocked { .. } => format!("the area of the surface is blocked ({of})"),
            Self::TooSteep { slope, max_slope, .. } => {
                let [slope, more] = [slope, slope - max_slope].map(figure);
                format!("the surface rises by {slope} degrees, {more} more than the agent walks on ({of})")
            }
            Self::LowHeadRoom { room, needed, .. } if room < needed => {
                let [room, less] = [room, needed - room].map(figure);
                format!("the head room is {room} m, {less} m less than the agent's height (below {of})")
            }
            Self::LowHeadRoom { room, needed, .. } => format!(
                "the head room of {} m is too near to the agent's height of {} m for the levels of the grid (below {of})",
                figure(room),
                figure(needed)
            ),
            Self::NearWall { distance, .. } => format!("a wall is {} m away ({of})", figure(distance)),
            Self::NearDrop { distance, depth } => {
                let depth = depth.map(|depth| format!("of {} m", figure(depth)));
                let depth = depth.as_deref().unwrap_or("with nothing below");
                format!("a drop {depth} is {} m away", figure(distance))
            }
            Self::NearStep { distance, rise, .. } => {
                format!("a step of {} m is {} m away ({of})", figure(rise), figure(distance))
            }
            Self::NearSteep { distance, slope, .. } => {
                let [slope, distance] = [slope, distance].map(figure);
                format!("ground that rises by {slope} degrees is {distance} m away ({of})")
            }
            Self::NearLowHeadRoom { distance, room, .. } => {
                let [room, distance] = [room, distance].map(figure);
                format!("the head room is {room} m only, {distance} m away (below {of})")
            }
            Self::Rounding => "cells and levels of the grid are too coarse here".to_owned(),
            Self::Marked { mark } => format!("mark {} cuts the ground out", mark + 1),
            Self::SmallRegion { area: Some(area) } => {
                format!("the connected piece of ground has {} m2 only", figure(area))
            }
            Self::SmallRegion { area: None } => "the connected piece of ground is too small".to_owned(),
            Self::Enclosed => "the ground lies inside of a solid".to_owned(),
            Self::NotKept => "the ground is not connected to what is kept".to_owned(),
            Self::Simplified => "the simplified border of the mesh leaves the place out".to_owned(),
            Self::NoDetail => "the mesh has heights at the corners of its polygons only".to_owned(),
        }
    }
}

//! Converts floor plans to polygons with holes, after Romstöck.
//!
//! ```text
//! files --read_plan--> FloorPlan --PlanBase--> walkable, blocked --grow by the agent--> difference --grid, doors--> ContourSet
//! ```
//!
//! 1. Walkable shapes are united, and so are blocked shapes (non-zero winding). A blocked shape is
//!    a footprint, a wall, a disc, the convex hull of a body seen from above
//!    ([`Outline::footprint`]), or a concave hull.
//! 2. Blocked shapes are offset by the agent's radius, with [`Join::Square`], [`Join::Round`] or
//!    [`Join::Miter`] corners. So is everything beyond walkable ground, unless
//!    [`PlanConfig::shrink_walkable`] is off.
//! 3. The difference is rounded to a fine grid (1 mm), vertices close to the previous one are
//!    removed, and crossings caused by rounding are resolved on integers.
//! 4. Ground is cut along doors, holes are assigned to pieces, and common borders become common
//!    arcs. The result is a valid [`waymesh_core::ContourSet`], which is triangulated and
//!    decomposed like any other.
//!
//! ```
//! use waymesh_core::Validate;
//! use waymesh_floorplan::{FloorPlan, Outline, PlanBase, PlanConfig, Shape};
//!
//! let mut plan = FloorPlan::default();
//! let storey = plan.storey_mut("ground", 0.0);
//! storey.walkable.push(Shape::polygon("hall", vec![[0.0, 0.0], [10.0, 0.0], [10.0, 6.0], [0.0, 6.0]]));
//! storey.blocked.push(Shape::new("pillar", Outline::Disc { centre: [5.0, 3.0], radius: 0.4 }));
//! let base = PlanBase::new(&plan, &PlanConfig::default().with_radius(0.3))?;
//! let ground = base.ground()?;
//! ground.contours.validate()?;
//! assert_eq!(ground.contours.loop_count(), 2); // the hall, and the hole round the pillar
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For plans that change, [`PlanBase::window`] and [`PlanBase::ground_of`] make the ground of a
//! part of the plan, with [`Obstacle`]s added.
//!
//! # Files
//! - **GeoJSON**: features whose property `kind` is `walkable` (the default), `blocked`, `door` or
//!   `mark`, or a word such as `floor`, `room`, `wall`, `obstacle`, `furniture`, `column`. Polygons
//!   are shapes, lines walls (property `width`), a multi-point a hull (`hull` is `convex` or
//!   `concave`, `concavity`), a point with `radius` a disc, a line or area of kind `door` a door
//!   (`depth`, `cost`). Numbers may be written as text.
//!   `storey`, `elevation` and `name` are read as well, and `area` of what is walkable and of
//!   marks. Between storeys:
//!   - kind `level`: a storey, with its height in `elevation`; `storey`, the feature's `id` or
//!     `name` is what others call it. Its geometry is not walkable.
//!   - kind `stairs`, `escalator` or `ramp`: a multi-line of the first and the last step, two
//!     points each, in the same direction, or one line for both; storeys in `from` and `to`;
//!     `cost`, `one_way`.
//!   - kind `lift` or `elevator`: a multi-point with a point for each of `storeys`, or one point;
//!     `cost`.
//!
//!   Without `kind`, `feature_type` as in IMDF does: `unit` is walkable unless its `category` is a
//!   column, a material of walls or `opentobelow`, `opening` a door, `fixture` and `kiosk` are
//!   blocked, and `level` a storey that others name by `level_id`. The height of a level is its
//!   `elevation`, or its `ordinal` times [`ReadOptions::storey_height`]. Other types are left out
//!   with a note. Without either, the words of `type`, `class` or `layer`, or the last word of
//!   `name`, make a feature blocked or a door, with a note. Coordinates may be degrees: see
//!   [`ReadOptions::geo_origin`].
//! - **WKT**: one geometry per line, after an optional `walkable`, `blocked`, `door` or `mark` and
//!   an optional `area=NAME:COST`; `#` begins a comment.
//! - **SVG**: what is drawn, resolved by `usvg`: inherited styles, style sheets, units, transforms,
//!   nested drawings, `use`, clip paths. The class, label or id of an element, or of a group around
//!   it, gives its kind by the same words, and `data-area` its area. Filled shapes, and closed
//!   outlines unless they are blocked, are areas. Other strokes are walls as thick as they are
//!   drawn; those whose width the file leaves open are [`ReadOptions::wall_width`] thick. What is
//!   not drawn, and text, images and masks, are left out with a note. Units are metres, whatever
//!   the physical size of the drawing, which is noted unless a scale is given.
//! - **DXF** (with the feature `dxf`): polylines, lines and circles. The name of the layer tells
//!   their kind by the same words, and [`ReadOptions::layer_areas`] their area. Elements on other
//!   layers are ignored, with a note.
//! - **Maps of robots**: a map of ROS (`.yaml`, and the portable grey map or PNG that it names in
//!   its folder) with resolution, origin, turn and thresholds; such a picture alone, and a map of
//!   MovingAI, in which a cell is a unit. Free cells are walkable. Borders follow the cells, or run
//!   straight within [`ReadOptions::map_error`]; what is unknown is [`ReadOptions::map_unknown`].
//!   Terrains of MovingAI have areas by [`ReadOptions::layer_areas`]; swamp is an area, water and
//!   trees are blocked.
//! - **Open-RMF** (`building.yaml`): floors, holes, walls, doors and lifts of all levels, which are
//!   laid over each other by their fiducials. Furniture has no outline there, and is noted.
//! - **OpenStreetMap** (`.osm`, and GeoJSON with a property `indoor`), by Simple Indoor Tagging:
//!   areas with `indoor` = `room`, `area` or `corridor` are walkable, and rooms have walls around
//!   them. A point with `door` on the wall of a room is a door, `width` wide or 0.9 m, along the
//!   wall. `indoor` = `wall` or `column` is blocked. `highway` = `steps` on several levels is a
//!   stair, with `incline`, `conveying` and `width`; `highway` = `elevator` a lift; rooms with
//!   `room` = `stairs` or `elevator` are both. `level` and `repeat_on` name the levels (`0`, `0;1`,
//!   `-1-2`), each [`ReadOptions::storey_height`] above the one before. Elements without these tags
//!   are counted in a note.
//! - **TOML**: everything that a plan can hold, including doors, stairs and lifts. This is
//!   [`EXAMPLE`]:
//!
//! ```toml
#![doc = include_str!("example.toml")]
//! ```
//!
//! All words of a name count, also before `area`: `walkablearea`. `Ground floor walls` are walls: `floor` and `ground` say which storey
//! if the name has another such word. Of several kinds the last one counts, with a note. A door is
//! a line from jamb to jamb or an area; of an area, the longer side of the smallest rectangle
//! around it counts.
//!
//! Each format is a feature of the crate: `geojson`, `map` (maps of robots and Open-RMF), `osm`, `wkt`,
//! `svg`, `toml` (on by default) and `dxf`.
//!
//! In GeoJSON, OpenStreetMap, WKT, DXF and maps of ROS y points up (north). It becomes `-z`, so that nothing is
//! mirrored. In SVG, TOML, Open-RMF and MovingAI the second coordinate is z.
//!
//! # Areas
//! A walkable shape or a mark may have an area: `NAME`, `NAME:COST` with the cost of a metre, or
//! `blocked`. Ground is divided where the area changes, exactly along the shapes: where the agent's
//! centre is, not its radius around it. A mark makes nothing walkable; it gives its area to the
//! ground in it, or cuts it out. Where walkable shapes of several areas lie over each other, what is
//! blocked counts before all others, then the larger id (areas are numbered from 2 on in the order
//! of the file); marks count after them, in their order. Openings of doors are plain ground, unless
//! a shape or mark lies over them.
//!
//! # What is repaired, and what is an error
//! Rings may have either winding, and may be closed or open. Rings that cross themselves are filled.
//! Repeated points, empty shapes and empty holes are removed. Each repair is reported as a
//! [`PlanNote`]. A number that is not finite or beyond a limit is a [`PlanError`] that names the
//! file, the element, the number and the limit.
//!
//! # References
//! Romstöck, Generating 2D Navmeshes, GameDev.net.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod area;
mod assemble;
mod base;
mod config;
mod doorway;
mod error;
mod geographic;
mod lattice;
mod offset;
mod plan;
mod read;
mod tangle;
mod zones;

/// A plan in TOML that holds everything a plan can hold.
pub const EXAMPLE: &str = include_str!("example.toml");

pub use base::{DoorLine, Ground, Obstacle, PlanBase, PlanMark, PlanPart, PlanWindow, StoreyBase};
pub use config::{Join, PlanConfig};
pub use error::{NoteKind, PlanError, PlanNote};
pub use geographic::TangentPlane;
pub use glam;
pub use plan::{
    AgentWish, Door, Fill, FloorPlan, Landing, Lift, Outline, PlanPosition, Shape, Stairs, Stop, Storey,
};
pub use read::{LayerAreas, PlanFormat, ReadOptions, parse_plan, read_plan, read_plans};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The options of the front ends and of the readers of scenes and plans.

use std::path::PathBuf;

#[cfg(feature = "floorplan")]
use waymesh_floorplan::{Join, ReadOptions};
use waymesh_io::{LoadOptions, UpAxis, Winding};

use super::{Field, FieldKind, FromValue, Value, Wrong, argument, choice, number, plain};
#[cfg(feature = "floorplan")]
use crate::FloorPlans;
#[cfg(feature = "slices")]
use crate::Slices;
#[cfg(feature = "storeys")]
use crate::Storeys;
use crate::Voxels;

impl FromValue for PathBuf {
    fn from_value(value: &Value) -> Option<Self> {
        value.to::<String>().map(Self::from)
    }
}

impl From<PathBuf> for Value {
    fn from(path: PathBuf) -> Self {
        Self::Text(path.display().to_string())
    }
}

/// The side of a tile of a front end.
macro_rules! tile_cells {
    () => {
        plain! { tile_cells, FieldKind::Count { low: 0, high: 1024 }, argument "tile",
        "Side of a tile in cells, 0 for none. The mesh does not depend on it." }
    };
}

/// The fields of [`Voxels`].
pub const VOXELS: &[Field<Voxels>] = &[
    tile_cells!(),
    plain! { folder, FieldKind::Text, argument "tiles",
    "Folder for finished tiles: a bake that was stopped continues from there." },
    plain! { update, FieldKind::Flag,
    "The folder may hold tiles of an earlier state of the scene: those that did not change are kept." },
    plain! { spill_folder, FieldKind::Text, argument "spill",
    "Folder for triangles that do not fit in memory." },
];

/// The fields of [`Storeys`].
#[cfg(feature = "storeys")]
pub const STOREYS: &[Field<Storeys>] = &[
    tile_cells!(),
    plain! { rough_cells, FieldKind::Count { low: 0, high: 64 },
    "Cells along a side of a rough voxel, 0 to choose. It changes the cost only." },
];

/// The fields of [`Slices`].
#[cfg(feature = "slices")]
pub const SLICES: &[Field<Slices>] = &[
    tile_cells!(),
    plain! { link_reach, number("m", 0.0, 2.0, 0.05),
    "Widest gap in plan that a link of a stair bridges." },
    plain! { steep_blocks, FieldKind::Flag,
    "What is too steep to walk on stands in the way." },
];

/// The fields of [`FloorPlans`].
#[cfg(feature = "floorplan")]
pub const PLANS: &[Field<FloorPlans>] = &[
    // The limit of a mitre that was given before its kind would be lost.
    choice! { join, ["square" => Join::Square, "round" => Join::Round, "miter" => Join::Miter { limit: 2.0 }],
    "How the border goes round corners: cut across, as an arc, or on to a point." },
    Field {
        name: "miter_limit",
        option: "miter_limit",
        argument: Some("miter_limit"),
        about: "Farthest that a mitred corner may stick out, in radii.",
        kind: number("", 1.0, 10.0, 0.5),
        get: |front| if let Join::Miter { limit } = front.join { Value::from(limit) } else { Value::Unset },
        set: |front, value| {
            let given = value.to().ok_or(Wrong::Type)?;
            if let Join::Miter { limit } = &mut front.join {
                *limit = given;
            }
            Ok(())
        },
    },
    plain! { arc_error, number("m", 0.001, 0.1, 0.001),
    "How far an arc may be cut short." },
    plain! { shrink_walkable, FieldKind::Flag,
    "Keep the agent's distance from the borders of walkable ground too, where nothing is blocked beyond." },
    plain! { near_distance, number("m", 0.0, 1.0, 0.01),
    "Vertices nearer than this to the one before are left out." },
    plain! { link_reach, number("m", 0.0, 2.0, 0.05),
    "How far from the ground the ends of stairs and lifts may lie, beyond the agent's radius." },
    plain! { close_distance, number("m", 0.0, 1.0, 0.05),
    "Gaps between walkable shapes narrower than this are closed. 0 for none." },
    plain! { merge_distance, number("m", 0.0, 1.0, 0.05),
    "Vertices closer than this become one. 0 for none." },
    plain! { steiner_grid, number("m", 0.0, 10.0, 0.5),
    "Spacing of a grid of additional vertices. 0 for none." },
];

/// The fields of [`ReadOptions`].
#[cfg(feature = "floorplan")]
pub const READ: &[Field<ReadOptions>] = &[
    plain! { scale, number("m", 0.001, 10.0, 0.001),
    "Metres per unit of the file; automatic is the unit that a DXF drawing gives, else 1. Plans in TOML are in metres." },
    plain! { geo_origin, FieldKind::Structure { form: "[longitude, latitude]" },
    "Degrees that become 0, 0: coordinates are degrees. Automatic for GeoJSON and WKT less than half a degree wide, and for buildings of Open-RMF in degrees; a scale of 1 makes them metres." },
    plain! { wall_width, number("m", 0.01, 1.0, 0.01),
    "Thickness of walls that have none of their own." },
    plain! { storey, FieldKind::Text,
    "Storey of shapes that name none." },
    plain! { elevation, number("m", -10.0, 100.0, 0.5),
    "Height of that storey." },
    plain! { storey_height, number("m", 2.0, 10.0, 0.1),
    "Height from one level to the next, where a file numbers levels and gives no heights: OpenStreetMap, IMDF." },
    #[cfg(feature = "map")]
    plain! { map_error, number("m", 0.0, 1.0, 0.01),
    "Farthest that a border of cells of a map may be moved to run straight; 0 follows the cells." },
    #[cfg(feature = "map")]
    plain! { map_unknown, FieldKind::Flag,
    "Whether cells that a map calls unknown are ground." },
];

/// The fields of [`LoadOptions`].
pub const LOAD: &[Field<LoadOptions>] = &[
    choice! { up, ["y" => UpAxis::Y, "z" => UpAxis::Z],
    "Which axis of the scene points up." },
    plain! { scale, number("m", 0.001, 10.0, 0.001),
    "Metres per unit of the scene." },
    plain! { origin, FieldKind::Structure { form: "[x, y, z]" },
    "Position of the scene that becomes 0, 0, 0, in its units and axes. It is subtracted in double precision; the mesh and all queries are relative to it." },
    choice! { winding, [
        "as_read" => Winding::AsRead, "flipped" => Winding::Flipped, "two_sided" => Winding::TwoSided
    ], argument None,
    "Upper side of triangles: as the file has it, turned over, or both." },
    plain! { height_step, number("m", 0.0001, 10.0, 0.0001),
    "Metres of one step of the heights in a grey picture or a raw file." },
];

//! The settings that every bake has.

use glam::Vec3;
use waymesh_core::{Agent, Area, AreaId, AreaTable, GridScale};

use super::shapes::{area_id, mark_of};
use super::{Entries, Field, FieldKind, Value, Wrong, argument, choice, number, plain};
use crate::{BakeConfig, CornerChoice, DecompositionKind, Enclosed, JumpConfig, Keep, PartitionKind};

/// The fields of [`BakeConfig`], with those of the agent and the grid at the same level, and slopes
/// in degrees. `areas` and `height_classes` come before the fields that depend on them.
pub const BAKE: &[Field<BakeConfig>] = &[
    Field {
        name: "agent",
        option: "agent",
        argument: Some("agent"),
        about: "Usual agent: recast, person, crouched, wheelchair, robot:RADIUS or vehicle:WIDTH. Sets its height, radius, step and slope, and on a grid of the default size cells and levels that resolve it. Other settings override it.",
        kind: FieldKind::Text,
        get: |config| {
            let is_same = |name: &&str| Agent::named(name) == Some(config.agent);
            Agent::NAMES.into_iter().find(is_same).map_or(Value::Unset, Value::from)
        },
        set: |config, value| {
            let name: String = value.to().ok_or(Wrong::Type)?;
            let Some(agent) = Agent::named(&name) else {
                let names = Agent::NAMES.join(", ");
                let reason =
                    format!("there is no agent {name:?}, but {names}, robot:RADIUS and vehicle:WIDTH");
                return Err(Wrong::Because(reason));
            };
            // The height of the lowest of several agents is a setting by itself.
            let height = config.height_classes.first().copied().unwrap_or(agent.height);
            config.agent = agent.with_height(height);
            if agent != Agent::default() && config.scale == GridScale::default() {
                config.scale = GridScale::for_agent(&agent);
            }
            Ok(())
        },
    },
    plain! { cell_size = scale.cell_size, number("m", 0.05, 1.0, 0.05), option "scale",
    "Side of a cell of the grid. Smaller cells follow walls and narrow doors more closely; half the side takes four times the work." },
    plain! { level_height = scale.level_height, number("m", 0.02, 0.5, 0.02), option "scale.level_height",
    "Height of a level of the grid. Steps and head room are judged to this." },
    Field {
        name: "height_classes",
        option: "height_classes",
        argument: Some("height_classes"),
        about: "Heights of agents that share the mesh, ascending: ground is divided by the head room it has.",
        kind: FieldKind::Structure { form: "[number, ...]" },
        get: |config| Value::from(config.height_classes.clone()),
        set: |config, value| {
            let classes: Vec<f32> = value.to().ok_or(Wrong::Type)?;
            *config = config.clone().with_height_classes(classes);
            Ok(())
        },
    },
    plain! { agent_height = agent.height, number("m", 0.2, 4.0, 0.1), option "agent",
    "Height of the agent. Ground with less head room is left out." },
    plain! { agent_radius = agent.radius, number("m", 0.0, 2.0, 0.05), option "agent.radius",
    "Radius of the agent. The mesh keeps this far from walls and drops, since it is where the agent's centre may be." },
    plain! { max_step = agent.max_step, number("m", 0.0, 2.0, 0.05), option "agent",
    "Highest step that the agent walks over: stairs, kerbs, sills." },
    Field {
        name: "max_slope",
        option: "agent",
        argument: Some("max_slope"),
        about: "Steepest slope that the agent walks on.",
        kind: number("degrees", 0.0, 85.0, 1.0),
        get: |config| Value::from((config.agent.max_slope.to_degrees() * 1e4).round() / 1e4),
        set: |config, value| {
            let degrees: f32 = value.to().ok_or(Wrong::Type)?;
            // The agent would name it in radians.
            if !(0.0..90.0).contains(&degrees) {
                let limits = "but must be at least 0 and below 90";
                return Err(Wrong::Because(format!("max_slope is {degrees} degrees, {limits}")));
            }
            config.agent.max_slope = degrees.to_radians();
            Ok(())
        },
    },
    plain! { max_ledge, number("m", 0.0, 3.0, 0.1),
    "Highest ledge that becomes a link for an agent that can climb. 0 for none." },
    plain! { max_edge_error, number("m", 0.0, 2.0, 0.05),
    "Farthest that a simplified wall may lie from the traced one; automatic is 1.3 cells. More gives fewer polygons." },
    plain! { max_edge_length, number("m", 0.0, 40.0, 1.0),
    "Longest edge along a wall; longer ones are split. 0 for no limit." },
    plain! { max_seam_error, number("m", 0.0, 10.0, 0.5),
    "Farthest that a border between two regions may be moved to run straight." },
    choice! { corners, [
        "farthest" => CornerChoice::Farthest, "fewest_notches" => CornerChoice::FewestNotches,
        "by_width" => CornerChoice::ByWidth
    ],
    "Which points of a border become its corners: those farthest from the simplified border, those that give the fewest polygons, or these around narrow ground only." },
    plain! { min_region, number("m2", 0.0, 50.0, 0.5),
    "Pieces of ground smaller than this are left out." },
    plain! { merge_region, number("m2", 0.0, 200.0, 1.0),
    "Watershed and monotone regions smaller than this are merged into a neighbour." },
    choice! { partition, [
        "surfaces" => PartitionKind::Surfaces, "watershed" => PartitionKind::Watershed,
        "monotone" => PartitionKind::Monotone
    ],
    "How the ground is cut into regions: whole storeys, compact regions like Recast's, or strips." },
    choice! { decomposition, [
        "notch_portals" => DecompositionKind::NotchPortals, "greedy" => DecompositionKind::Greedy,
        "hertel_mehlhorn" => DecompositionKind::HertelMehlhorn
    ],
    "How the ground is cut into convex polygons: the fewest, fast, or with the least work." },
    plain! { max_vertices, FieldKind::Count { low: 0, high: 16 },
    "Most corners of a polygon. 0 for no limit; 6 is usual for Detour." },
    plain! { max_height_error_levels, number("levels", 0.1, 4.0, 0.1), argument "max_height_error",
    "Largest difference between the ground of the mesh and that of the grid." },
    plain! { height_detail, FieldKind::Flag,
    "Keep the height of the ground inside of polygons. Without it the mesh is smaller and flat between its vertices." },
    choice! { enclosed, [
        "keep" => Enclosed::Keep, "remove" => Enclosed::Remove,
        "remove_unreachable" => Enclosed::RemoveUnreachable
    ],
    "What becomes of ground inside of walls, rocks and other closed bodies; ground that is connected to ground outside of them, or to a seed, can be kept." },
    Field {
        name: "keep",
        option: "keep",
        argument: Some("keep"),
        about: "Which ground is kept: all, the largest piece, pieces of at least so many square metres, or those connected to places.",
        kind: FieldKind::Structure { form: "\"all\" | \"largest\" | number | [[x, y, z], ...]" },
        get: |config| match &config.keep {
            Keep::All => Value::from("all"),
            Keep::Largest => Value::from("largest"),
            Keep::LargerThan(area) => Value::from(*area),
            Keep::ConnectedTo(seeds) => {
                Value::from(seeds.iter().map(|seed| seed.to_array().to_vec()).collect::<Vec<_>>())
            }
        },
        set: |config, value| {
            config.keep = match value {
                Value::Text(text) if text == "all" => Keep::All,
                Value::Text(text) if text == "largest" => Keep::Largest,
                Value::Number(_) => Keep::LargerThan(value.to().ok_or(Wrong::Type)?),
                _ => {
                    let seeds: Vec<[f32; 3]> = value.to().ok_or(Wrong::Type)?;
                    Keep::ConnectedTo(seeds.into_iter().map(Vec3::from).collect())
                }
            };
            Ok(())
        },
    },
    Field {
        name: "areas",
        option: "areas",
        argument: None,
        about: "Names, costs per metre and colours of areas, by number.",
        kind: FieldKind::Structure { form: "{ number: { name, cost, colour } }" },
        get: |_| Value::Unset,
        set: |config, value| add_areas(value, &mut config.areas),
    },
    Field {
        name: "marks",
        option: "marks",
        argument: None,
        about: "Volumes that give the ground in them another area, or cut it out.",
        kind: FieldKind::Structure { form: "[{ area, box | cylinder | prism | mesh }, ...]" },
        get: |_| Value::Unset,
        set: |config, value| {
            let Value::List(marks) = value else { return Err(Wrong::Type) };
            let mark = |mark: &Value| {
                mark_of(mark, &config.areas).map_err(|error| Wrong::Because(error.to_string()))
            };
            config.marks = marks.iter().map(mark).collect::<Result<_, _>>()?;
            Ok(())
        },
    },
    Field {
        name: "jumps",
        option: "jumps",
        argument: Some("jumps"),
        about: "Jumps and drops to look for along all borders, which become links.",
        kind: FieldKind::Structure {
            form: "{ max_length, max_rise, arc_height, max_drop, max_drop_length, spacing, min_detour }",
        },
        get: |config| {
            let entry = |jumps| JUMPS.iter().map(move |field| (field.name.to_owned(), field.get(jumps)));
            config.jumps.as_ref().map_or(Value::Unset, |jumps| Value::Entries(entry(jumps).collect()))
        },
        set: |config, value| {
            let Value::Entries(entries) = value else { return Err(Wrong::Type) };
            let (mut entries, mut jumps) = (Entries::new("jumps", entries), JumpConfig::default());
            let done = entries.apply(JUMPS, &mut jumps).and_then(|()| entries.finish());
            done.map_err(|error| Wrong::Because(error.to_string()))?;
            config.jumps = Some(jumps);
            Ok(())
        },
    },
    plain! { threads, FieldKind::Count { low: 0, high: 64 },
    "Threads, 0 for one per core. The result does not depend on it." },
    plain! { max_memory_bytes, number("bytes", 0.0, 8_589_934_592.0, 1_048_576.0), argument None,
    "Memory to work in." },
    plain! { validate_stages, FieldKind::Flag, argument "check",
    "Check the result of every stage against its invariants. It takes about as long as the bake." },
];

/// The fields of [`JumpConfig`].
pub const JUMPS: &[Field<JumpConfig>] = &[
    plain! { max_length, number("m", 0.0, 10.0, 0.1), argument "jump_length",
    "Longest jump from border to border of the mesh. 0 for none." },
    plain! { max_rise, number("m", 0.0, 3.0, 0.1), argument "jump_rise",
    "How much higher or lower a jump may land." },
    plain! { arc_height, number("m", 0.1, 3.0, 0.1), argument "jump_arc",
    "Height of the feet at the top of a jump, above its higher end." },
    plain! { max_drop, number("m", 0.0, 10.0, 0.1), argument "drop_height",
    "Deepest drop. 0 for none." },
    plain! { max_drop_length, number("m", 0.0, 10.0, 0.1), argument "drop_length",
    "How far out a drop may land, from border to border of the mesh." },
    plain! { spacing, number("m", 0.1, 10.0, 0.1), argument "jump_spacing",
    "Distance below which the shorter of two links stands for both." },
    plain! { min_detour, number("m", 0.0, 20.0, 0.5), argument "jump_detour",
    "Least detour on foot that a link must save." },
];

/// One area in entries.
const AREA: &[Field<Area>] = &[
    plain! { name, FieldKind::Text,
    "Its name." },
    plain! { cost, number("", 0.0, 10.0, 0.1),
    "What a metre costs." },
    Field {
        name: "colour",
        option: "colour",
        argument: None,
        about: "Red, green and blue, 0 to 255.",
        kind: FieldKind::Structure { form: "[red, green, blue]" },
        get: |_| Value::Unset,
        set: |of, value| {
            of.colour = Some(value.to().ok_or(Wrong::Type)?);
            Ok(())
        },
    },
];

fn add_areas(areas: &Value, table: &mut AreaTable) -> Result<(), Wrong> {
    let Value::Entries(areas) = areas else { return Err(Wrong::Type) };
    for (id, area) in areas {
        let (id, Value::Entries(entries)) = (area_id(id), area) else { return Err(Wrong::Type) };
        let id: AreaId = id.ok_or(Wrong::Type)?;
        let (mut entries, mut area) = (Entries::new("area", entries), Area::new(""));
        let done = entries.apply(AREA, &mut area).and_then(|()| entries.finish());
        done.map_err(|error| Wrong::Because(error.to_string()))?;
        table.insert(id, area).map_err(|error| Wrong::Because(error.to_string()))?;
    }
    Ok(())
}

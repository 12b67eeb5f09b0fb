//! The plan format of this crate. All lengths are in metres, x and z as seen from above. The
//! crate's documentation has a complete example.

use serde::Deserialize;
use waymesh_core::Area;

use super::{Reader, Role};
use crate::{
    AgentWish, Door, FloorPlan, Landing, Lift, Outline, PlanError, PlanPosition, Shape, Stairs, Stop, Storey,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    agent: AgentWish,
    #[serde(default)]
    area: Vec<Kind>,
    #[serde(default)]
    storey: Vec<Floor>,
    #[serde(default)]
    stairs: Vec<Steps>,
    #[serde(default)]
    lift: Vec<Cabin>,
}

/// An area: shapes name it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    name: String,
    cost: Option<f32>,
    colour: Option<[u8; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Floor {
    name: String,
    #[serde(default)]
    elevation: f64,
    #[serde(default)]
    walkable: Vec<Item>,
    #[serde(default)]
    blocked: Vec<Item>,
    #[serde(default)]
    door: Vec<Opening>,
    #[serde(default)]
    mark: Vec<Item>,
}

/// A shape: exactly one of `outline`, `line`, `points`, `box`, `disc`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    name: Option<String>,
    /// `NAME`, `NAME:COST` or `blocked`. Not for blocked shapes; marks must have it.
    area: Option<String>,
    outline: Option<Vec<PlanPosition>>,
    #[serde(default)]
    holes: Vec<Vec<PlanPosition>>,
    line: Option<Vec<PlanPosition>>,
    width: Option<f64>,
    points: Option<Vec<Vec<f64>>>,
    hull: Option<Hull>,
    concavity: Option<f64>,
    r#box: Option<Cuboid>,
    disc: Option<Disc>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Hull {
    Convex,
    Concave,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cuboid {
    centre: PlanPosition,
    size: PlanPosition,
    /// In degrees, from x towards z.
    #[serde(default)]
    yaw: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Disc {
    centre: PlanPosition,
    radius: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    name: Option<String>,
    line: [PlanPosition; 2],
    depth: Option<f64>,
    #[serde(default)]
    cost: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Steps {
    name: Option<String>,
    from: Landing,
    to: Landing,
    #[serde(default)]
    cost: f32,
    #[serde(default)]
    one_way: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cabin {
    name: Option<String>,
    /// Position of its stops on all storeys of `storeys`.
    at: Option<PlanPosition>,
    #[serde(default)]
    storeys: Vec<String>,
    /// Stops with their own positions.
    #[serde(default)]
    stop: Vec<Stop>,
    #[serde(default)]
    cost: f32,
}

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file: File = toml::from_str(text).map_err(|error| reader.fault(error.to_string().trim_end()))?;
    let mut plan = FloorPlan { agent: file.agent, ..FloorPlan::default() };
    for kind in file.area {
        let element = reader.source(&format!("area {:?}", kind.name));
        let mut area = Area::new(kind.name).with_cost(kind.cost.unwrap_or(1.0));
        area.colour = kind.colour;
        let added = plan.areas.add_named(area);
        added.map_err(|source| PlanError::Area { element: element.into(), source })?;
    }
    for floor in file.storey {
        plan.check_storeys()?;
        let storey = storey(reader, &mut plan, floor)?;
        plan.add_storey(storey)?;
    }
    for (index, steps) in file.stairs.into_iter().enumerate() {
        plan.stairs.push(Stairs {
            name: named(steps.name, index),
            from: steps.from,
            to: steps.to,
            cost: steps.cost,
            both_ways: !steps.one_way,
        });
    }
    for (index, cabin) in file.lift.into_iter().enumerate() {
        let mut stops = cabin.stop;
        match cabin.at {
            Some(at) => stops.extend(cabin.storeys.into_iter().map(|storey| Stop { storey, at })),
            None if !cabin.storeys.is_empty() => {
                return Err(reader.fault(format!("lift {index}: storeys without at")));
            }
            None => {}
        }
        plan.lifts.push(Lift { name: named(cabin.name, index), stops, cost: cabin.cost });
    }
    Ok(plan)
}

/// Returns the name, or the index if there is none.
fn named(name: Option<String>, index: usize) -> String {
    name.unwrap_or_else(|| index.to_string())
}

fn storey(reader: &Reader<'_>, plan: &mut FloorPlan, floor: Floor) -> Result<Storey, PlanError> {
    let mut storey = Storey::new(floor.name, floor.elevation);
    let lists = [
        (Role::Walkable, "walkable", floor.walkable, &mut storey.walkable),
        (Role::Blocked, "blocked", floor.blocked, &mut storey.blocked),
        (Role::Mark, "mark", floor.mark, &mut storey.marks),
    ];
    for (role, word, items, shapes) in lists {
        for (index, item) in items.into_iter().enumerate() {
            let name = named(item.name.as_ref().map(|name| format!("{name:?}")), index);
            let element = format!("storey {:?}, {word} {name}", storey.name);
            if role == Role::Blocked && item.area.is_some() {
                return Err(reader.fault(format!("{element}: what is blocked has no area")));
            }
            let area = reader.area(plan, &element, role, item.area.as_deref())?;
            let outline = outline(reader, &element, item)?;
            shapes.push(Shape::new(reader.source(&element), outline).with_area(area));
        }
    }
    for (index, opening) in floor.door.into_iter().enumerate() {
        storey.doors.push(Door {
            name: named(opening.name, index),
            line: opening.line,
            depth: opening.depth.unwrap_or(Door::DEPTH),
            cost: opening.cost,
        });
    }
    Ok(storey)
}

fn outline(reader: &Reader<'_>, element: &str, item: Item) -> Result<Outline, PlanError> {
    let fault = |message: &str| Err(reader.fault(format!("{element}: {message}")));
    let width = item.width.unwrap_or(reader.options.wall_width);
    if !item.holes.is_empty() && item.outline.is_none() {
        return fault("holes without outline");
    }
    match (item.outline, item.line, item.points, item.r#box, item.disc) {
        (Some(outer), None, None, None, None) => Ok(Outline::Polygon { outer, holes: item.holes }),
        (None, Some(line), None, None, None) => Ok(Outline::Wall { line, width }),
        (None, None, Some(corners), None, None) => {
            let mut points = Vec::with_capacity(corners.len());
            for corner in corners {
                match corner[..] {
                    [x, z] | [x, _, z] => points.push([x, z]),
                    _ => return fault("a point must be [x, z] or [x, y, z]"),
                }
            }
            Ok(match item.hull {
                Some(Hull::Concave) => {
                    Outline::ConcaveHull { points, concavity: item.concavity.unwrap_or(2.0) }
                }
                Some(Hull::Convex) | None => Outline::ConvexHull { points },
            })
        }
        (None, None, None, Some(cuboid), None) => {
            Ok(Outline::rectangle(cuboid.centre, cuboid.size, cuboid.yaw.to_radians()))
        }
        (None, None, None, None, Some(disc)) => {
            Ok(Outline::Disc { centre: disc.centre, radius: disc.radius })
        }
        _ => fault("must have exactly one of outline, line, points, box and disc"),
    }
}

//! Buildings of Open-RMF (`building.yaml`, <https://github.com/open-rmf/rmf_traffic_editor>).

use std::collections::BTreeMap;

use waymesh_core::{AreaId, float};
use yaml_rust2::Yaml;

use super::yaml::{items, number};
use super::{Reader, Role};
use crate::plan::{length, way};
use crate::{Door, FloorPlan, Lift, NoteKind, Outline, PlanError, PlanPosition, Stop, TangentPlane};

/// Metres of a pixel where no distance was measured, as the editor has it.
const PIXEL: f64 = 0.05;
/// Cost of a ride in metres: half a minute of waiting and riding at a metre a second is more than
/// most detours on one level.
const RIDE: f32 = 10.0;
/// Distance in front of a lift's door at which one waits, in metres.
const WAIT: f64 = 0.5;

/// Reads a building, its levels laid over each other by their fiducials.
pub(super) fn parse(reader: &Reader<'_>, file: &Yaml) -> Result<FloorPlan, PlanError> {
    // 1 for coordinates whose y points down.
    let system = file["coordinate_system"].as_str();
    let (is_metric, up) = match system {
        None | Some("reference_image") => (false, 1.0),
        Some("cartesian_meters" | "wgs84") => (true, -1.0),
        Some(other) => {
            let known = "expected reference_image, cartesian_meters or wgs84";
            return Err(reader.fault(format!("coordinate_system {other:?}: {known}")));
        }
    };
    let is_geographic = system == Some("wgs84");
    if is_geographic && reader.options.scale.is_some() {
        return Err(reader.fault("coordinate_system \"wgs84\": coordinates are degrees, which have no scale"));
    }
    let place = || reader.options.geo_origin.or_else(|| first_vertex(file));
    let geo_origin = is_geographic.then(place).flatten();
    let plane = geo_origin.map(TangentPlane::new);
    let metres =
        |at: [f64; 2], scale: f64| plane.map_or(at.map(|value| value * scale), |plane| plane.metres(at));
    let mut plan = FloorPlan { geo_origin, ..FloorPlan::default() };
    let (mut reference, mut scales) = (BTreeMap::new(), BTreeMap::new());
    for (name, level) in file["levels"].as_hash().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        let scale = if is_metric { 1.0 } else { scale(reader, name, level)? } * reader.scale;
        let marks = fiducials(level, |at| metres(at, scale));
        if reference.is_empty() {
            reference.clone_from(&marks);
        }
        let shift = shift(&reference, &marks);
        let vertices = items(&level["vertices"]).iter();
        let vertices = vertices.map(|vertex| [0, 1].map(|axis| number(&vertex[axis]).unwrap_or(f64::NAN)));
        if let Some(origin) = geo_origin {
            vertices.clone().try_for_each(|vertex| reader.check_near(origin, vertex))?;
        }
        let points = vertices.map(|vertex| {
            let [x, y] = metres(vertex, scale);
            [x + shift[0], up * (y + shift[1])]
        });
        add_level(reader, &mut plan, name, level, &points.collect::<Vec<_>>())?;
        scales.insert(name, scale);
    }
    for (name, lift) in file["lifts"].as_hash().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        let floor = lift["reference_floor_name"].as_str().unwrap_or_default();
        let Some(&scale) = scales.get(floor) else {
            return Err(reader.fault(format!("lifts.{name}: there is no level {floor:?}")));
        };
        plan.lifts.push(cabin(reader, name, lift, |at| metres(at, scale), up)?);
    }
    if let Some(origin) = geo_origin.filter(|_| reader.options.geo_origin.is_none()) {
        reader.note(&mut plan, "coordinates", NoteKind::Degrees { origin, is_guess: false });
    }
    Ok(plan)
}

/// Adds the floors, walls and doors of a level with these vertices, in metres.
fn add_level(
    reader: &Reader<'_>,
    plan: &mut FloorPlan,
    name: &str,
    level: &Yaml,
    vertices: &[PlanPosition],
) -> Result<(), PlanError> {
    let elevation = number(&level["elevation"]).unwrap_or(0.0);
    let corner = |element: &str, index: &Yaml| {
        let index = index.as_i64().and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| vertices.get(index)).copied().ok_or_else(|| {
            reader.fault(format!("levels.{name}.{element}: it has a vertex that the level has not"))
        })
    };
    let of = |list: &'static str| {
        items(&level[list]).iter().enumerate().map(move |(index, item)| (format!("{list}[{index}]"), item))
    };
    // Others may name a level without ground.
    plan.storey_mut(name, elevation);
    let mut add = |role: Role, element: &str, outline: Outline| {
        let element = format!("levels.{name}.{element}");
        reader.add(plan, Some((name, elevation)), (role, AreaId::GROUND), &element, outline);
    };
    for (list, role) in [("floors", Role::Walkable), ("holes", Role::Blocked)] {
        for (element, ring) in of(list) {
            let outer = items(&ring["vertices"]).iter().map(|index| corner(&element, index));
            let outer = outer.collect::<Result<_, _>>()?;
            add(role, &element, Outline::Polygon { outer, holes: Vec::new() });
        }
    }
    for (element, wall) in of("walls") {
        let line = vec![corner(&element, &wall[0])?, corner(&element, &wall[1])?];
        add(Role::Blocked, &element, Outline::Wall { line, width: reader.options.wall_width });
    }
    let storey = plan.storey_mut(name, elevation);
    for (element, door) in of("doors") {
        let line = [corner(&element, &door[0])?, corner(&element, &door[1])?];
        let given = door[2]["name"][1].as_str().filter(|name| !name.is_empty());
        storey.doors.push(Door::new(given.unwrap_or(&element), line));
    }
    if let count @ 1.. = items(&level["models"]).len() {
        let what = format!("furniture ({count} models), whose outline is not in the file,");
        reader.ignored(plan, &format!("levels.{name}"), what);
    }
    Ok(())
}

/// Returns the metres of a pixel, the mean of the distances that were measured on a level.
fn scale(reader: &Reader<'_>, name: &str, level: &Yaml) -> Result<f64, PlanError> {
    let vertex = |index: &Yaml| {
        let vertex = &items(&level["vertices"]).get(usize::try_from(index.as_i64()?).ok()?)?;
        Some([number(&vertex[0])?, number(&vertex[1])?])
    };
    let mut sum = 0.0;
    let measures = items(&level["measurements"]);
    for measure in measures {
        let scale = || {
            let (a, b) = (vertex(&measure[0])?, vertex(&measure[1])?);
            let scale = number(&measure[2]["distance"][1])? / length(way(a, b));
            (scale.is_finite() && scale > 0.0).then_some(scale)
        };
        let bad = || reader.fault(format!("levels.{name}.measurements: one is no distance of two vertices"));
        sum += scale().ok_or_else(bad)?;
    }
    Ok(if measures.is_empty() { PIXEL } else { sum / measures.len() as f64 })
}

/// Returns the first vertex of a building.
fn first_vertex(file: &Yaml) -> Option<[f64; 2]> {
    let levels = file["levels"].as_hash()?;
    let vertex = levels.iter().find_map(|(_, level)| items(&level["vertices"]).first())?;
    Some([number(&vertex[0])?, number(&vertex[1])?])
}

/// Returns the fiducials of a level in metres, by name.
fn fiducials(level: &Yaml, metres: impl Fn([f64; 2]) -> PlanPosition) -> BTreeMap<String, PlanPosition> {
    let fiducial =
        |mark: &Yaml| Some((mark[2].as_str()?.to_owned(), metres([number(&mark[0])?, number(&mark[1])?])));
    items(&level["fiducials"]).iter().filter_map(fiducial).collect()
}

/// Returns the mean way from the fiducials of a level to those of the same name of another.
fn shift(reference: &BTreeMap<String, PlanPosition>, marks: &BTreeMap<String, PlanPosition>) -> [f64; 2] {
    let ways = marks.iter().filter_map(|(name, at)| {
        let other = reference.get(name)?;
        Some([other[0] - at[0], other[1] - at[1]])
    });
    let (sum, count) =
        ways.fold(([0.0; 2], 0.0), |(sum, count), way| ([sum[0] + way[0], sum[1] + way[1]], count + 1.0));
    sum.map(|sum: f64| if count > 0.0 { sum / count } else { 0.0 })
}

/// Returns a lift: one waits in front of its doors.
fn cabin(
    reader: &Reader<'_>,
    name: &str,
    lift: &Yaml,
    metres: impl Fn([f64; 2]) -> PlanPosition,
    up: f64,
) -> Result<Lift, PlanError> {
    let bad = |what: &str| reader.fault(format!("lifts.{name}: {what}"));
    let of = |value: &Yaml, key: &str| number(&value[key]).ok_or_else(|| bad(&format!("{key} is no number")));
    let [x, y] = metres([of(lift, "x")?, of(lift, "y")?]);
    let middle = [x, up * y];
    // Angles turn from x to y where y points up; z points down.
    let (sin, cos) = float::sin_cos(-of(lift, "yaw")?);
    let mut stops = Vec::new();
    for (storey, doors) in lift["level_doors"].as_hash().into_iter().flatten() {
        let Some(door) = doors[0].as_str() else { continue };
        let door = &lift["doors"][door];
        // Metres from the middle of the cabin.
        let (x, z) = (of(door, "x")?, -of(door, "y")?);
        let outwards = 1.0 + WAIT / float::hypot(x, z).max(WAIT);
        let (x, z) = (x * outwards, z * outwards);
        let at = [middle[0] + x * cos - z * sin, middle[1] + x * sin + z * cos];
        stops.push(Stop { storey: storey.as_str().unwrap_or_default().to_owned(), at });
    }
    Ok(Lift { name: name.to_owned(), stops, cost: RIDE })
}

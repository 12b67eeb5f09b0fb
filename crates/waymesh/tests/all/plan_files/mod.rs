//! Plans of other projects as floor plans: buildings of Open-RMF, sectors of Freedoom.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use waymesh::floorplan::{Door, Fill, FloorPlan, Lift, Outline, Shape, Stop};
use waymesh_testkit::levels;
use yaml_rust2::{Yaml, YamlLoader};

/// Thickness of walls in metres.
const WALL: f64 = 0.1;

fn number(value: &Yaml) -> f64 {
    value.as_f64().or_else(|| value.as_i64().map(|value| value as f64)).unwrap_or(f64::NAN)
}

fn index(value: &Yaml) -> usize {
    usize::try_from(value.as_i64().unwrap_or(0)).unwrap_or(0)
}

fn items(value: &Yaml) -> &[Yaml] {
    value.as_vec().map_or(&[], Vec::as_slice)
}

fn points(list: &Yaml) -> Vec<[f64; 2]> {
    items(list).iter().map(|vertex| [number(&vertex[0]), number(&vertex[1])]).collect()
}

/// Metres per pixel of a level, from the distances measured in it.
fn scale(level: &Yaml) -> f64 {
    let vertices = points(&level["vertices"]);
    let scales: Vec<f64> = items(&level["measurements"])
        .iter()
        .map(|measure| {
            let (a, b) = (vertices[index(&measure[0])], vertices[index(&measure[1])]);
            number(&measure[2]["distance"][1]) / (b[0] - a[0]).hypot(b[1] - a[1])
        })
        .collect();
    if scales.is_empty() { 0.05 } else { scales.iter().sum::<f64>() / scales.len() as f64 }
}

/// Fiducials of a level, in metres.
fn fiducials(level: &Yaml) -> BTreeMap<String, [f64; 2]> {
    let scale = scale(level);
    items(&level["fiducials"])
        .iter()
        .map(|mark| {
            let name = mark[2].as_str().unwrap_or("").to_owned();
            (name, [number(&mark[0]) * scale, number(&mark[1]) * scale])
        })
        .collect()
}

/// A building, its levels laid over each other by their fiducials. `None` where the files are not
/// there.
pub(crate) fn building(name: &str) -> Option<FloorPlan> {
    let file = levels::find(&format!("rmf_floorplans/{name}.building.yaml"))?;
    let text = std::fs::read_to_string(file).expect("a file");
    let file = YamlLoader::load_from_str(&text).expect("YAML").remove(0);
    let mut plan = FloorPlan::default();
    let mut reference = BTreeMap::new();
    let mut scales = HashMap::new();
    for (level_name, level) in file["levels"].as_hash().expect("levels") {
        let level_name = level_name.as_str().unwrap_or("").to_owned();
        let scale = scale(level);
        scales.insert(level_name.clone(), scale);
        let marks = fiducials(level);
        if reference.is_empty() {
            reference = marks.clone();
        }
        let shifts: Vec<[f64; 2]> = marks
            .iter()
            .filter_map(|(mark, at)| reference.get(mark).map(|other| [other[0] - at[0], other[1] - at[1]]))
            .collect();
        let count = shifts.len().max(1) as f64;
        let shift = [0, 1].map(|axis| shifts.iter().map(|shift| shift[axis]).sum::<f64>() / count);
        let vertices: Vec<[f64; 2]> = points(&level["vertices"])
            .iter()
            .map(|point| [point[0] * scale + shift[0], point[1] * scale + shift[1]])
            .collect();
        let storey = plan.storey_mut(&level_name, number(&level["elevation"]));
        for (number, floor) in items(&level["floors"]).iter().enumerate() {
            let ring = items(&floor["vertices"]).iter().map(|vertex| vertices[index(vertex)]).collect();
            storey.walkable.push(Shape::polygon(format!("{name}, {level_name}, floor {number}"), ring));
        }
        for (number, wall) in items(&level["walls"]).iter().enumerate() {
            let line = vec![vertices[index(&wall[0])], vertices[index(&wall[1])]];
            let source = format!("{name}, {level_name}, wall {number}");
            storey.blocked.push(Shape::new(source, Outline::Wall { line, width: WALL }));
        }
        for door in items(&level["doors"]) {
            let line = [vertices[index(&door[0])], vertices[index(&door[1])]];
            let name = door[2]["name"][1].as_str().unwrap_or("").to_owned();
            storey.doors.push(Door { name, line, depth: 0.4, cost: 0.0 });
        }
    }
    if let Some(lifts) = file["lifts"].as_hash() {
        for (lift_name, lift) in lifts {
            plan.lifts.push(cabin(lift_name.as_str().unwrap_or(""), lift, &scales));
        }
    }
    Some(plan)
}

/// A lift: one waits in front of its door.
fn cabin(name: &str, lift: &Yaml, scales: &HashMap<String, f64>) -> Lift {
    let scale = scales[lift["reference_floor_name"].as_str().expect("a reference floor")];
    let middle = [number(&lift["x"]) * scale, number(&lift["y"]) * scale];
    // Pixels point down, angles up.
    let (sin, cos) = (-number(&lift["yaw"])).sin_cos();
    let mut stops = Vec::new();
    for (storey, doors) in lift["level_doors"].as_hash().expect("doors of levels") {
        let Some(door) = doors[0].as_str() else { continue };
        let door = &lift["doors"][door];
        let (x, y) = (number(&door["x"]), -number(&door["y"]));
        let outwards = 1.0 + 0.5 / x.hypot(y);
        let (x, y) = (x * outwards, y * outwards);
        let at = [middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos];
        stops.push(Stop { storey: storey.as_str().unwrap_or("").to_owned(), at });
    }
    Lift { name: name.to_owned(), stops, cost: 10.0 }
}

/// A level of Freedoom seen from above, all sectors that one can stand in on one storey, and their
/// area in square metres. `None` where the files are not there.
pub(crate) fn doom(name: &str) -> Option<(FloorPlan, f64)> {
    /// Map units in a metre.
    const UNITS: f64 = 32.0;
    /// Head room of an agent in map units.
    const HEIGHT: i64 = 56;
    let file = levels::find(&format!("freedoom2d/{name}.json"))?;
    let file: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("a file")).expect("JSON");
    let list = |key: &str| file[key].as_array().expect("a list").as_slice();
    let vertex = |value: &Value| usize::try_from(value.as_u64().expect("an index")).expect("an index");
    let vertices: Vec<[f64; 2]> = list("vertices")
        .iter()
        .map(|point| [point[0].as_f64().expect("x") / UNITS, -point[1].as_f64().expect("y") / UNITS])
        .collect();
    // The front of a line is on its right, seen with y up.
    let mut sides: BTreeMap<u64, Vec<[usize; 2]>> = BTreeMap::new();
    for line in list("lines") {
        let [a, b] = [0, 1].map(|end| vertex(&line["v"][end]));
        let (front, back) = (line["front_sector"].as_u64(), line["back_sector"].as_u64());
        if front == back {
            continue;
        }
        for (sector, ends) in [(front, [a, b]), (back, [b, a])] {
            if let Some(sector) = sector {
                sides.entry(sector).or_default().push(ends);
            }
        }
    }
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut(name, 0.0);
    let mut area = 0.0;
    for (number, sector) in (0..).zip(list("sectors")) {
        let (floor, ceiling) =
            (sector["floor"].as_i64().expect("a floor"), sector["ceil"].as_i64().expect("a ceiling"));
        let Some(edges) = sides.get(&number) else { continue };
        if ceiling - floor < HEIGHT {
            continue;
        }
        area += edges
            .iter()
            .map(|&[a, b]| (vertices[a][0] * vertices[b][1] - vertices[a][1] * vertices[b][0]) / 2.0)
            .sum::<f64>()
            .abs();
        let loops = chained(edges).into_iter().map(|ring| ring.into_iter().map(|at| vertices[at]).collect());
        let outline = Outline::Loops { loops: loops.collect(), fill: Fill::EvenOdd };
        storey.walkable.push(Shape::new(format!("{name}, sector {number}"), outline));
    }
    Some((plan, area))
}

/// Edges joined end to end to rings.
fn chained(edges: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let mut leaving: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &[from, to] in edges {
        leaving.entry(from).or_default().push(to);
    }
    let mut rings = Vec::new();
    while let Some(start) = leaving.iter().find(|(_, ends)| !ends.is_empty()).map(|(&start, _)| start) {
        let mut ring = Vec::new();
        let mut at = start;
        while let Some(next) = leaving.get_mut(&at).and_then(Vec::pop) {
            ring.push(at);
            at = next;
        }
        rings.push(ring);
    }
    rings
}

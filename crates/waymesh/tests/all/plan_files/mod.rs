//! Plans of other projects as floor plans: buildings of Open-RMF, sectors of Freedoom.

use std::collections::BTreeMap;

use serde_json::Value;
use waymesh::floorplan::{Fill, FloorPlan, Outline, PlanError, ReadOptions, Shape, read_plan};
use waymesh_testkit::levels;

/// A building. `None` where the files are not there.
pub(crate) fn building(name: &str) -> Option<Result<FloorPlan, PlanError>> {
    let file = levels::find(&format!("rmf_floorplans/{name}.building.yaml"))?;
    Some(read_plan(&file, &ReadOptions::default()))
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

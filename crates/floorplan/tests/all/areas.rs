//! Ground of several areas.

use crate::common;
use common::{Ring, area, edge_distance, ground, plan, rings, winding};
use waymesh_core::{AreaId, ContourSet, PlanPoint, Random, Validate};
use waymesh_floorplan::{
    Door, EXAMPLE, FloorPlan, NoteKind, PlanBase, PlanConfig, PlanError, PlanFormat, PlanMark, PlanPart,
    PlanWindow, ReadOptions, Shape, parse_plan,
};

const WATER: AreaId = AreaId(2);
const MUD: AreaId = AreaId(3);

/// Square metres per area.
fn area_of(contours: &ContourSet, wanted: AreaId) -> f64 {
    let polygons = contours.polygons();
    let own = polygons.polygons.iter().filter(|polygon| polygon.area == wanted);
    own.map(|polygon| polygons.polygon_area(polygon)).sum::<f64>() * contours.frame.cell_area()
}

/// Area of the ground at a place, by winding numbers.
fn area_at(contours: &ContourSet, place: [f64; 2]) -> Option<AreaId> {
    let mut one = contours.clone();
    contours.regions.iter().find_map(|region| {
        one.regions = vec![region.clone()];
        (winding(&rings(&one), place) != 0).then_some(region.area)
    })
}

fn square(x: f64, z: f64, side: f64) -> Ring {
    vec![[x, z], [x + side, z], [x + side, z + side], [x, z + side]]
}

fn turned(ring: &Ring, angle: f64) -> Ring {
    let (sin, cos) = angle.sin_cos();
    ring.iter().map(|[x, z]| [x * cos - z * sin, x * sin + z * cos]).collect()
}

fn shape(ring: Ring, area: AreaId) -> Shape {
    Shape::polygon("a shape", ring).with_area(area)
}

#[test]
fn walkable_shapes_and_marks_have_areas() {
    let mut plan = plan(&[square(0.0, 0.0, 10.0)], &[]);
    let storey = &mut plan.storeys[0];
    storey.walkable.push(shape(square(8.0, 0.0, 4.0), WATER));
    storey.walkable.push(shape(square(9.0, 1.0, 2.0), MUD));
    storey.marks.push(shape(square(1.0, 1.0, 3.0), MUD));
    storey.marks.push(shape(square(2.0, 2.0, 1.0), AreaId::GROUND));
    storey.marks.push(shape(square(1.0, 6.0, 2.0), AreaId::NULL));
    let config = PlanConfig::default().with_radius(0.5);
    let (first, _) = ground(&plan, &config);
    // The radius is kept from the borders of the ground, not from those of areas.
    let (found, expected) = (area_of(&first.contours, MUD), 4.0 + 9.0 - 1.0);
    assert!((found - expected).abs() < 1e-3, "{found} m2 of mud");
    assert_eq!(area_at(&first.contours, [2.5, 7.0]), None, "cut out");
    for (place, area) in [
        ([1.5, 1.5], MUD),
        ([2.5, 2.5], AreaId::GROUND),
        ([8.5, 0.75], WATER),
        ([10.0, 2.0], MUD),
        ([6.0, 6.0], AreaId::GROUND),
    ] {
        assert_eq!(area_at(&first.contours, place), Some(area), "{place:?}");
    }
    plan.storeys[0].walkable.reverse();
    assert_eq!(ground(&plan, &config).0.contours, first.contours, "the order of walkable shapes is nothing");
}

/// Turned rooms with a door between them, and zones that lie over walls, the door and each other.
fn rooms(random: &mut Random) -> (FloorPlan, Vec<(Ring, AreaId)>) {
    let angle = f64::from(random.range(0.0, 3.0));
    let ring = |random: &mut Random, side: f64| {
        let corner = [0, 1].map(|_| f64::from(random.range(-1.0, 9.0)));
        turned(&square(corner[0], corner[1], side), angle + f64::from(random.range(0.0, 0.5)))
    };
    let wall = turned(&vec![[4.9, -1.0], [5.1, -1.0], [5.1, 11.0], [4.9, 11.0]], angle);
    let mut plan = plan(&[turned(&square(0.0, 0.0, 10.0), angle)], &[wall]);
    let ends = turned(&vec![[5.0, 4.0], [5.0, 6.0]], angle);
    plan.storeys[0].doors.push(Door::new("door", [ends[0], ends[1]]));
    let mut zones = Vec::new();
    for number in 0..6 {
        let side = f64::from(random.range(1.0, 5.0));
        zones.push((ring(random, side), [WATER, MUD, AreaId::GROUND][number % 3]));
    }
    plan.storeys[0].marks = zones.iter().map(|(ring, area)| shape(ring.clone(), *area)).collect();
    (plan, zones)
}

#[test]
fn every_place_has_the_area_of_the_last_shape_over_it() {
    let mut random = Random::new(3);
    for round in 0..40 {
        let (marked, zones) = rooms(&mut random);
        let mut plain = marked.clone();
        plain.storeys[0].marks.clear();
        for config in [PlanConfig::default(), PlanConfig::default().with_radius(0.0).with_near_distance(0.0)]
        {
            let (found, _) = ground(&marked, &config);
            let (whole, _) = ground(&plain, &config);
            let lost = area(&whole.contours) - area(&found.contours);
            // Half a cell along all borders.
            assert!(lost.abs() < 0.02, "round {round}: {lost} m2 are lost");
            let borders = rings(&whole.contours);
            for _ in 0..200 {
                let place = [0, 1].map(|_| f64::from(random.range(-12.0, 12.0)));
                let near = zones.iter().map(|(ring, _)| ring).chain(&borders);
                if near.map(|ring| edge_distance(ring, place)).fold(f64::INFINITY, f64::min) < 0.03 {
                    continue;
                }
                let last =
                    zones.iter().rev().find(|(ring, _)| winding(std::slice::from_ref(ring), place) != 0);
                let area =
                    (winding(&borders, place) != 0).then_some(last.map_or(AreaId::GROUND, |last| last.1));
                assert_eq!(area_at(&found.contours, place), area, "round {round}, {place:?}");
            }
        }
    }
}

#[test]
fn borders_of_areas_have_ground_on_both_sides() {
    let mut random = Random::new(8);
    for round in 0..40 {
        let (marked, _) = rooms(&mut random);
        let mut plain = marked.clone();
        plain.storeys[0].marks.clear();
        let walls = |plan: &FloorPlan| {
            let contours = ground(plan, &PlanConfig::default()).0.contours;
            let arcs = contours.arcs.iter().filter(|arc| arc.right.is_none());
            let length = |arc: &waymesh_core::ContourArc| -> f64 {
                let vertices = &contours.arc_vertices[arc.first as usize..(arc.first + arc.len) as usize];
                let points = vertices.iter().map(|vertex| contours.vertices[vertex.index()].point);
                #[expect(clippy::cast_precision_loss, reason = "compared with a tolerance")]
                let cells = |(a, b): (PlanPoint, PlanPoint)| (a.distance_squared(b) as f64).sqrt();
                points.clone().zip(points.skip(1)).map(cells).sum()
            };
            arcs.map(length).sum::<f64>() * 0.001
        };
        let (with, without) = (walls(&marked), walls(&plain));
        assert!((with - without).abs() < 0.05, "round {round}: {with} m of walls, {without} without areas");
    }
}

#[test]
fn hairlines_between_shapes_are_no_ground_of_their_own() {
    // Two rooms 4 mm apart, closed; and a room drawn over another with borders 4 mm apart.
    for gap in [0.004, -0.004] {
        let mut plan = FloorPlan::default();
        let storey = plan.storey_mut("a", 0.0);
        storey.walkable.push(shape(square(0.0, 0.0, 5.0), WATER));
        storey.walkable.push(shape(square(5.0 + gap, 0.0, 5.0), MUD));
        let config = PlanConfig::default().with_radius(0.0).with_close_distance(0.05);
        let contours = ground(&plan, &config).0.contours;
        assert_eq!(contours.regions.len(), 2, "{gap}");
        assert!(area_of(&contours, AreaId::GROUND) <= 0.0, "{gap}");
        assert!(contours.arcs.iter().any(|arc| arc.right.is_some()), "{gap}: they meet");
    }
}

#[test]
fn marks_of_a_window_are_those_of_the_whole() {
    let mut random = Random::new(5);
    let (marked, _) = rooms(&mut random);
    let config = PlanConfig::default();
    let whole = ground(&marked, &config).0.contours;
    let mut plain = marked.clone();
    let marks: Vec<PlanMark> = std::mem::take(&mut plain.storeys[0].marks)
        .iter()
        .map(|shape| PlanMark::new(shape, &config).expect("a mark"))
        .collect();
    let marks: Vec<&PlanMark> = marks.iter().collect();
    for (plan, marks) in [(&marked, &[][..]), (&plain, &marks[..])] {
        let base = PlanBase::new(plan, &config).expect("a plan");
        let storey = base.storey(0).expect("a storey");
        let side = 5_000;
        let mut sums = [0.0; 3];
        for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
            let corner = |column: i32, row: i32| PlanPoint::new(column * side, row * side);
            let window = PlanWindow { min: corner(column, row), max: corner(column + 1, row + 1) };
            let part = base.window(storey, window);
            let part = PlanPart { base: &part, obstacles: &[], marks };
            let ground = base.ground_of([part]).expect("ground");
            ground.contours.validate().expect("sound contours");
            for (sum, area) in sums.iter_mut().zip([AreaId::GROUND, WATER, MUD]) {
                *sum += area_of(&ground.contours, area);
            }
        }
        for (sum, area) in sums.into_iter().zip([AreaId::GROUND, WATER, MUD]) {
            let expected = area_of(&whole, area);
            assert!((sum - expected).abs() < 0.1, "{area:?}: {sum} m2 in windows, {expected} in all");
        }
    }
}

fn parse(text: &str, format: PlanFormat) -> Result<FloorPlan, PlanError> {
    parse_plan("plan", text.as_bytes(), format, &ReadOptions::default())
}

#[test]
fn files_name_areas() {
    let toml = "
        [[area]]\nname = 'lawn'\ncost = 1.5\ncolour = [1, 2, 3]
        [[storey]]\nname = '0'
        [[storey.walkable]]\narea = 'lawn'\noutline = [[0, 0], [1, 0], [0, 1]]
        [[storey.walkable]]\noutline = [[0, 0], [1, 0], [0, 1]]
        [[storey.mark]]\narea = 'mud:4'\ndisc = { centre = [0, 0], radius = 1 }
        [[storey.mark]]\narea = 'blocked'\ndisc = { centre = [1, 0], radius = 1 }";
    let geojson = r#"{"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"area": "lawn:1.5"}, "geometry":
            {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}},
        {"type": "Feature", "properties": {"kind": "floor", "area": 12}, "geometry":
            {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}},
        {"type": "Feature", "properties": {"kind": "mark", "area": "mud:4", "radius": 1}, "geometry":
            {"type": "Point", "coordinates": [0, 0]}},
        {"type": "Feature", "properties": {"kind": "mark", "area": "blocked"}, "geometry":
            {"type": "LineString", "coordinates": [[0, 0], [1, 0]]}}]}"#;
    let wkt = "area=lawn:1.5 POLYGON ((0 0, 1 0, 0 1, 0 0))\nPOLYGON ((0 0, 1 0, 0 1, 0 0))\n\
        mark area=mud:4 POLYGON ((0 0, 1 0, 0 1, 0 0))\nmark area=blocked LINESTRING (0 0, 1 0)";
    let svg = "<svg><rect data-area='lawn:1.5' width='1' height='1'/><rect width='1' height='1'/>\
        <g class='marks' data-area='blocked'><circle r='1' data-area='mud:4'/><line x2='1'/></g>\
        <g data-area='tiles'><line class='wall' x2='1'/></g></svg>";
    for (text, format) in [
        (toml, PlanFormat::Toml),
        (geojson, PlanFormat::GeoJson),
        (wkt, PlanFormat::Wkt),
        (svg, PlanFormat::Svg),
    ] {
        let plan = parse(text, format).expect("a plan");
        let storey = &plan.storeys[0];
        let areas = |shapes: &[Shape]| shapes.iter().map(|shape| shape.area).collect::<Vec<_>>();
        assert_eq!(areas(&storey.walkable), [AreaId(2), AreaId::GROUND], "{format:?}");
        assert_eq!(areas(&storey.marks), [AreaId(3), AreaId::NULL], "{format:?}");
        let table: Vec<_> = plan.areas.iter().map(|(_, area)| (area.name.as_str(), area.cost)).collect();
        assert_eq!(table, [("lawn", 1.5), ("mud", 4.0)], "{format:?}");
    }
    let lawn = parse(toml, PlanFormat::Toml).expect("a plan").areas;
    assert_eq!(lawn.get(AreaId(2)).and_then(|area| area.colour), Some([1, 2, 3]));
    for (text, format, expected) in [
        ("mark POLYGON ((0 0, 1 0, 0 1, 0 0))", PlanFormat::Wkt, "line 1: a mark has no area"),
        ("area=a:x POLYGON ((0 0, 1 0, 0 1, 0 0))", PlanFormat::Wkt, "line 1: \"a:x\" is not NAME"),
        ("<svg><rect data-area='a:-1' id='r' width='1' height='1'/></svg>", PlanFormat::Svg, "cost"),
        ("[[area]]\nname = ''", PlanFormat::Toml, "1 to 255 bytes"),
        (
            "[[storey]]\nname = '0'\n[[storey.blocked]]\narea = 'x'\noutline = []",
            PlanFormat::Toml,
            "storey \"0\", blocked 0: what is blocked has no area",
        ),
    ] {
        let message = parse(text, format).expect_err(text).to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn plans_of_several_files_have_one_table() {
    let first = "area=lawn:2 POLYGON ((0 0, 1 0, 0 1, 0 0))\narea=mud POLYGON ((0 0, 1 0, 0 1, 0 0))";
    let second = "area=mud POLYGON ((0 0, 1 0, 0 1, 0 0))\nmark area=ice POLYGON ((0 0, 1 0, 0 1, 0 0))";
    let mut plan = parse(first, PlanFormat::Wkt).expect("a plan");
    plan.merge(parse(second, PlanFormat::Wkt).expect("a plan")).expect("one table");
    let storey = &plan.storeys[0];
    assert_eq!((storey.walkable[2].area, storey.marks[0].area), (AreaId(3), AreaId(4)));
    assert_eq!(plan.areas.by_name("ice"), Some(AreaId(4)));
    let other = parse("area=lawn:3 POLYGON ((0 0, 1 0, 0 1, 0 0))", PlanFormat::Wkt).expect("a plan");
    let before = plan.clone();
    assert!(matches!(plan.merge(other), Err(PlanError::Area { .. })), "two costs");
    assert_eq!(plan, before);
}

#[test]
fn the_example_has_areas() {
    let plan = parse(EXAMPLE, PlanFormat::Toml).expect("a plan");
    let contours = ground(&plan, &PlanConfig::default().with_radius(0.25)).0.contours;
    let [grass, wet] = ["grass", "wet"].map(|name| plan.areas.by_name(name).expect("an area"));
    assert!((area_of(&contours, grass) - 12.0).abs() < 3.0, "{} m2", area_of(&contours, grass));
    let disc = std::f64::consts::PI * 0.36;
    assert!((area_of(&contours, wet) - disc).abs() < 0.03, "{} m2", area_of(&contours, wet));
}

#[test]
fn repairs_of_marks_are_told() {
    let mut plan = plan(&[square(0.0, 0.0, 4.0)], &[]);
    plan.storeys[0].marks.push(shape(vec![[0.0, 0.0], [1.0, 1.0]], MUD));
    plan.storeys[0].walkable.push(shape(vec![[0.0, 0.0], [1.0, 1.0]], MUD));
    let (_, base) = ground(&plan, &PlanConfig::default());
    assert_eq!(base.notes().iter().filter(|note| note.kind == NoteKind::NoArea).count(), 2);
}

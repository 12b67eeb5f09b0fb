//! Kinds by the words of names, doors of every shape, and numbers as text.

use crate::common;
use common::{area, ground};
use waymesh_floorplan::{FloorPlan, PlanConfig, PlanError, PlanFormat, ReadOptions, parse_plan};

fn parse(text: &str, format: PlanFormat) -> Result<FloorPlan, PlanError> {
    parse_plan("plan", text.as_bytes(), format, &ReadOptions::default())
}

fn notes(plan: &FloorPlan) -> String {
    plan.notes.iter().map(|note| format!("{note}\n")).collect()
}

/// A feature of GeoJSON with a square.
fn square(kind: &str) -> String {
    format!(
        r#"{{"type":"Feature","properties":{{"kind":"{kind}"}},"geometry":{{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,1],[0,1],[0,0]]]}}}}"#
    )
}

#[test]
fn all_words_of_a_name_count() {
    for (name, expected, conflict) in [
        ("Ground floor walls", "blocked", false),
        ("First floor", "walkable", false),
        ("ground", "walkable", false),
        ("walls ground floor", "blocked", false),
        ("floor 2 doors", "door", false),
        ("GroundFloorWalls", "blocked", false),
        ("A-WALL-FULL", "blocked", false),
        ("A_FLOR_ROOM_1", "walkable", false),
        ("non-walkable", "blocked", false),
        ("not walkable", "blocked", false),
        ("unwalkable", "blocked", false),
        ("room no 5 walls", "blocked", true),
        ("room walls", "blocked", true),
        ("walls of the walls", "blocked", false),
        ("wall doors", "door", true),
        ("Türöffnung walls", "blocked", false),
        ("walkable floor", "walkable", false),
        ("jps-walkablearea", "walkable", false),
        ("wallareas", "blocked", false),
        ("non-walkablearea", "blocked", false),
    ] {
        let svg = format!("<svg><g id='{name}'><rect width='9' height='1'/></g></svg>");
        for (text, format) in [(square(name), PlanFormat::GeoJson), (svg, PlanFormat::Svg)] {
            let plan = parse(&text, format).expect(name);
            let storey = &plan.storeys[0];
            let found = [storey.walkable.len(), storey.blocked.len(), storey.doors.len()];
            let expected = match expected {
                "walkable" => [1, 0, 0],
                "blocked" => [0, 1, 0],
                _ => [0, 0, 1],
            };
            assert_eq!(found, expected, "{format:?} {name}");
            assert_eq!(notes(&plan).contains(name), conflict, "{format:?} {name}: {}", notes(&plan));
        }
    }
    // A class goes before a name, and the contradiction is reported; the nearest element counts.
    let plan = parse("<svg><rect class='wall' id='room 3' width='9' height='1'/></svg>", PlanFormat::Svg);
    let plan = plan.expect("a plan");
    assert_eq!(plan.shape_counts(), (0, 1));
    assert!(notes(&plan).contains("walkable"), "{}", notes(&plan));
    let nested =
        "<svg><g id='walls'><g data-name='Rooms' id='Layer_1'><rect width='9' height='1'/></g></g></svg>";
    let plan = parse(nested, PlanFormat::Svg).expect("a plan");
    assert_eq!((plan.shape_counts(), notes(&plan).as_str()), ((1, 0), ""));
}

/// A feature without a kind is no ground where another property says that it is a wall or a door.
#[test]
fn a_wall_without_a_kind_is_no_ground() {
    for (property, value, expected) in [
        ("type", "wall", [0, 1, 0]),
        ("class", "Column", [0, 1, 0]),
        ("layer", "A-WALL-FULL", [0, 1, 0]),
        ("Layer", "Doors", [0, 0, 1]),
        ("type", "door", [0, 0, 1]),
        ("type", "room", [1, 0, 0]),
        ("type", "mark", [1, 0, 0]),
        ("name", "Ground floor walls", [0, 1, 0]),
        ("name", "Outer wall 3", [0, 1, 0]),
        ("name", "Wall Street", [1, 0, 0]),
        ("name", "Column hall", [1, 0, 0]),
        ("name", "Furniture storage", [1, 0, 0]),
        ("name", "Mark", [1, 0, 0]),
        ("name", "42", [1, 0, 0]),
        ("note", "wall", [1, 0, 0]),
    ] {
        let text = square("").replace("\"kind\":\"\"", &format!("\"{property}\":\"{value}\""));
        let plan = parse(&text, PlanFormat::GeoJson).expect(value);
        let storey = &plan.storeys[0];
        let found = [storey.walkable.len(), storey.blocked.len(), storey.doors.len()];
        assert_eq!(found, expected, "{property} {value}");
        let is_noted = notes(&plan).contains(&format!("its {property} {value:?} makes it"));
        assert_eq!(is_noted, expected[0] == 0, "{property} {value}: {}", notes(&plan));
    }
    // A kind goes first, and a door of a line has two points.
    let kind = square("walkable").replace("\"kind\"", "\"type\":\"wall\",\"kind\"");
    let plan = parse(&kind, PlanFormat::GeoJson).expect("a plan");
    assert_eq!((plan.shape_counts(), notes(&plan).as_str()), ((1, 0), ""));
    let line = r#"{"type":"Feature","properties":{"name":"Doors"},"geometry":{"type":"LineString","coordinates":[[0,0],[9,0],[9,5]]}}"#;
    let plan = parse(line, PlanFormat::GeoJson).expect("a plan");
    assert_eq!(plan.shape_counts(), (0, 1), "a wall, as any line");
}

/// Two rooms of 5 x 8 with a wall between them, in which a door is drawn.
fn with_door(format: PlanFormat, door: &str) -> FloorPlan {
    let text = match format {
        PlanFormat::GeoJson => format!(
            r#"{{"type":"FeatureCollection","features":[
            {{"type":"Feature","properties":null,"geometry":{{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,8],[0,8],[0,0]]]}}}},
            {{"type":"Feature","properties":{{"kind":"wall","width":0.2}},"geometry":{{"type":"LineString","coordinates":[[5,0],[5,8]]}}}},
            {{"type":"Feature","properties":{{"kind":"door"}},"geometry":{door}}}]}}"#
        ),
        PlanFormat::Wkt => format!(
            "POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0))\nblocked POLYGON ((4.9 0, 5.1 0, 5.1 8, 4.9 8, 4.9 0))\ndoor {door}\n"
        ),
        _ => format!(
            "<svg><rect width='10' height='8'/><path id='wall' d='M5 0V8' stroke='red' stroke-width='.2'/><g id='doors'>{door}</g></svg>"
        ),
    };
    parse(&text, format).expect(door)
}

#[test]
fn doors_are_cut_whatever_they_are_drawn_as() {
    let table = [
        (
            PlanFormat::GeoJson,
            r#"{"type":"Polygon","coordinates":[[[4.8,3.5],[5.2,3.5],[5.2,4.5],[4.8,4.5],[4.8,3.5]]]}"#,
        ),
        (
            PlanFormat::GeoJson,
            r#"{"type":"MultiPolygon","coordinates":[[[[4.8,3.5],[5.2,3.5],[5.2,4.5],[4.8,4.5],[4.8,3.5]]]]}"#,
        ),
        (
            PlanFormat::GeoJson,
            r#"{"type":"MultiPoint","coordinates":[[4.95,3.5],[5.05,3.5],[5.05,4.5],[4.95,4.5]]}"#,
        ),
        (PlanFormat::GeoJson, r#"{"type":"LineString","coordinates":[[5,3.5],[5,4.5]]}"#),
        (
            PlanFormat::GeoJson,
            r#"{"type":"GeometryCollection","geometries":[{"type":"LineString","coordinates":[[5,3.5],[5,4.5]]}]}"#,
        ),
        (PlanFormat::Wkt, "LINESTRING (5 3.5, 5 4.5)"),
        (PlanFormat::Wkt, "POLYGON ((4.8 3.5, 5.2 3.5, 5.2 4.5, 4.8 4.5, 4.8 3.5))"),
        (PlanFormat::Wkt, "MULTIPOINT (4.95 3.5, 5.05 3.5, 5.05 4.5, 4.95 4.5)"),
        (PlanFormat::Svg, "<rect x='4.8' y='3.5' width='.4' height='1'/>"),
        (
            PlanFormat::Svg,
            "<rect x='4.8' y='3.5' width='.4' height='1' fill='none' stroke='red' stroke-width='.01'/>",
        ),
        (PlanFormat::Svg, "<line x1='5' y1='3.5' x2='5' y2='4.5' stroke='red' stroke-width='.01'/>"),
        (PlanFormat::Svg, "<polygon points='4.8,3.5 5.2,3.5 5.2,4.5 4.8,4.5'/>"),
        (PlanFormat::Svg, "<path d='M5 3.5V4.5'/>"),
        (PlanFormat::Svg, "<path fill='none' stroke='red' d='M4.9 3.5V4.5M5.1 4.5V3.5'/>"),
        (
            PlanFormat::Svg,
            "<g transform='translate(5 3.5) scale(.1)'><rect x='-1' width='2' height='10'/></g>",
        ),
    ];
    for (format, door) in table {
        let plan = with_door(format, door);
        let [door] = plan.storeys[0].doors.as_slice() else { panic!("{door}: {plan:?}") };
        let mut ends = door.line.map(|end| [end[0], end[1].abs()]);
        ends.sort_by(|a, b| a[1].total_cmp(&b[1]));
        assert!((ends[0][0] - 5.0).abs() < 0.01 && (ends[1][0] - 5.0).abs() < 0.01, "{door:?}");
        assert!((ends[0][1] - 3.5).abs() < 0.01 && (ends[1][1] - 4.5).abs() < 0.01, "{door:?}");
        assert!((0.29..0.42).contains(&door.depth), "{door:?}");
        assert_eq!(notes(&plan), "");
        let (ground, base) = ground(&plan, &PlanConfig::default().with_radius(0.2));
        assert_eq!((base.doors().len(), ground.notes.len()), (1, 0));
        // Both rooms, and the sill between them.
        assert_eq!(ground.contours.regions.len(), 3, "{door:?}");
    }
    // A slanted door, at any angle.
    for degrees in 0..36_u32 {
        let (sin, cos) = f64::from(degrees * 10).to_radians().sin_cos();
        let at = |x: f64, y: f64| format!("{} {}", 50.0 + x * cos - y * sin, 20.0 + x * sin + y * cos);
        let ring = [at(-0.6, -0.1), at(0.6, -0.1), at(0.6, 0.1), at(-0.6, 0.1), at(-0.6, -0.1)].join(", ");
        let plan = parse(&format!("door POLYGON (({ring}))"), PlanFormat::Wkt).expect("a door");
        let [from, to] = plan.storeys[0].doors[0].line;
        let way = [(to[0] - from[0]), -(to[1] - from[1])];
        assert!((way[0].hypot(way[1]) - 1.2).abs() < 1e-6, "{way:?}");
        assert!((way[0] * sin - way[1] * cos).abs() < 1e-6, "{way:?}");
    }
}

#[test]
fn doors_that_cannot_be_read_are_named() {
    let round = r#"{"type":"Feature","properties":{"kind":"door","name":"D2","radius":1},"geometry":{"type":"Point","coordinates":[0,0]}}"#;
    let plan = parse(round, PlanFormat::GeoJson).expect("a plan");
    assert!(notes(&plan).contains("\"D2\": a round door is ignored"), "{}", notes(&plan));
    let empty = parse("door MULTIPOINT (1 1, 1 1)", PlanFormat::Wkt).expect("a plan");
    assert!(notes(&empty).contains("line 1: has no area"), "{}", notes(&empty));
}

#[test]
fn numbers_as_text_count_or_are_refused() {
    let feature = |properties: &str, geometry: &str| {
        parse(
            &format!(r#"{{"type":"Feature","properties":{{{properties}}},"geometry":{geometry}}}"#),
            PlanFormat::GeoJson,
        )
    };
    let line = r#"{"type":"LineString","coordinates":[[5,0],[5,8]]}"#;
    let point = r#"{"type":"Point","coordinates":[5,0]}"#;
    let points = r#"{"type":"MultiPoint","coordinates":[[0,0],[4,0],[4,4],[0,4],[2,1]]}"#;
    for (key, kind, geometry) in [
        ("width", "wall", line),
        ("depth", "door", line),
        ("cost", "door", line),
        ("radius", "column", point),
        ("concavity", "floor\",\"hull\":\"concave", points),
        ("elevation", "level\",\"storey\":\"a", "null"),
        ("elevation", "floor\",\"storey\":\"a", points),
    ] {
        let with = |value: &str| feature(&format!(r#""kind":"{kind}","{key}":{value}"#), geometry);
        let number = with("1.25").expect("a number");
        for text in [r#""1.25""#, r#"" 1.25 ""#] {
            assert_eq!(with(text).expect("a number"), number, "{key}");
        }
        assert_ne!(with("1.5").expect("a number"), number, "{key} counts");
        for wrong in [r#""wide""#, r#""1,25""#, "true", "[1]", r#""inf""#, r#""""#] {
            let message = with(wrong).expect_err(wrong).to_string();
            assert!(message.contains(&format!("{key} is {wrong}")), "{message}");
        }
    }
    // Numbers name storeys, and truth values are texts as well.
    let stairs =
        |one_way: &str| feature(&format!(r#""kind":"stairs","from":1,"to":2.5,"one_way":{one_way}"#), line);
    let plan = stairs("\"true\"").expect("stairs");
    assert_eq!((plan.stairs[0].from.storey.as_str(), plan.stairs[0].to.storey.as_str()), ("1", "2.5"));
    assert!(!plan.stairs[0].both_ways && stairs("false").expect("stairs").stairs[0].both_ways);
    assert!(stairs("1").expect_err("no truth value").to_string().contains("one_way is 1"));
    let plan = feature(r#""storey":3"#, points).expect("a plan");
    assert_eq!(plan.storeys[0].name, "3");
    let wall = feature(r#""kind":"floor","width":"0.2""#, line).expect("a wall");
    assert!(notes(&wall).contains("walkable"), "{}", notes(&wall));
}

#[test]
fn a_wall_with_its_width_as_text_takes_as_much() {
    let plan = with_door(PlanFormat::GeoJson, r#"{"type":"LineString","coordinates":[[5,3.5],[5,4.5]]}"#);
    let config = PlanConfig::default().with_radius(0.0);
    assert!((area(&ground(&plan, &config).0.contours) - 78.6).abs() < 0.01);
}

#[test]
fn lines_that_cannot_be_walkable_are_named() {
    let feature = |kind: &str, geometry: &str| {
        let kind = if kind.is_empty() { String::new() } else { format!("\"kind\":\"{kind}\"") };
        format!("{{\"type\":\"Feature\",\"properties\":{{{kind}}},\"geometry\":{geometry}}}")
    };
    let line = r#"{"type":"LineString","coordinates":[[0,0],[4,0]]}"#;
    let lines = r#"{"type":"MultiLineString","coordinates":[[[0,0],[4,0]],[[0,1],[4,1]]]}"#;
    let nested =
        r#"{"type":"GeometryCollection","geometries":[{"type":"LineString","coordinates":[[0,0],[4,0]]}]}"#;
    let cases = [
        (line, "LINESTRING (0 0, 4 0)", 1),
        (lines, "MULTILINESTRING ((0 0, 4 0), (0 1, 4 1))", 2),
        (nested, "GEOMETRYCOLLECTION (LINESTRING (0 0, 4 0))", 1),
    ];
    for (geometry, text, count) in cases {
        // A line without a kind is a wall, as the docs say.
        for (kind, named) in [("walkable", count), ("", 0), ("blocked", 0)] {
            for (text, format) in
                [(feature(kind, geometry), PlanFormat::GeoJson), (format!("{kind} {text}"), PlanFormat::Wkt)]
            {
                let plan = parse(&text, format).expect("a plan");
                assert_eq!(plan.storeys[0].blocked.len(), count, "{text}");
                let notes = notes(&plan);
                assert_eq!(notes.matches("read as a wall, is ignored").count(), named, "{text}: {notes}");
            }
        }
    }
}

/// An element of a drawing may draw many doors: each is cut as if it had its own element.
#[test]
fn doors_of_one_element_are_apart() {
    let places = [(5.0, 1.0), (5.0, 4.0), (5.0, 5.2)];
    // A line, both faces of a wall, a leaf with the arc in which it swings, an area.
    let line = |(x, y): (f64, f64)| format!("M{x} {y}v1");
    let faces = |(x, y): (f64, f64)| format!("M{} {y}v1 M{} {y}v1", x - 0.2, x + 0.2);
    let leaf = |(x, y): (f64, f64)| format!("M{x} {y}v1 M{x} {y}h1a1 1 0 0 1 -1 1");
    let area = |(x, y): (f64, f64)| format!("M{} {y}h.4v1h-.4z", x - 0.2);
    let stroke = "fill='none' stroke='red' stroke-width='.1'";
    let drawings = [
        (stroke, places.map(line)),
        (stroke, places.map(faces)),
        (stroke, places.map(leaf)),
        ("fill='red'", places.map(area)),
    ];
    for (style, drawn) in drawings {
        for count in 1..=places.len() {
            let doors = &drawn[..count];
            let path = |drawn: &str| format!("<path {style} d='{drawn}'/>");
            let alone: Vec<String> = doors.iter().map(|drawn| path(drawn)).collect();
            let [together, alone] =
                [path(&doors.join(" ")), alone.concat()].map(|doors| with_door(PlanFormat::Svg, &doors));
            let lines = |plan: &FloorPlan| -> Vec<_> {
                plan.storeys[0].doors.iter().map(|door| (door.line, door.depth)).collect()
            };
            assert_eq!(lines(&together), lines(&alone), "{style} {count}");
            assert_eq!(together.storeys[0].doors.len(), count, "{style} {count}");
        }
    }
    let many: String = (0..1001).map(|index| format!("M{index} 0v.5")).collect();
    let plan = with_door(PlanFormat::Svg, &format!("<path stroke='red' d='{many}'/>"));
    assert!(notes(&plan).contains("1001 loops (the limit is 1000) is ignored"), "{}", notes(&plan));
}

//! Buildings of OpenStreetMap, as `.osm` and as GeoJSON.

use waymesh_floorplan::{FloorPlan, NoteKind, Outline, PlanFormat, PlanPosition, ReadOptions, parse_plan};

/// Hundred-thousandths of a degree east and north of a place in Zurich: 0.755 and 1.112 m each.
fn place([east, north]: [f64; 2]) -> [f64; 2] {
    [8.54 + east * 1e-5, 47.37 + north * 1e-5]
}

/// An element of a building: its points, whether they are a ring, and its tags.
struct Element<'a> {
    points: &'a [[f64; 2]],
    is_area: bool,
    tags: &'a [(&'a str, &'a str)],
}

/// A corridor of two levels, a room with a door and a window, a pillar, steps and a lift.
fn building() -> Vec<Element<'static>> {
    let area = |points, tags| Element { points, is_area: true, tags };
    let open = |points, tags| Element { points, is_area: false, tags };
    vec![
        area(
            &[[0.0, 0.0], [20.0, 0.0], [20.0, 3.0], [5.0, 3.0], [0.0, 3.0]],
            &[("indoor", "corridor"), ("level", "0-1")],
        ),
        area(
            &[[0.0, 3.0], [5.0, 3.0], [20.0, 3.0], [20.0, 9.0], [0.0, 9.0]],
            &[("indoor", "room"), ("level", "0"), ("name", "Surgery")],
        ),
        area(&[[9.0, 5.0], [10.0, 5.0], [10.0, 6.0], [9.0, 6.0]], &[("indoor", "column"), ("level", "0")]),
        open(&[[5.0, 3.0]], &[("door", "hinged"), ("width", "1.2 m"), ("level", "0")]),
        open(&[[20.0, 9.0]], &[("door", "yes"), ("level", "3")]),
        open(
            &[[16.0, 1.5], [10.0, 1.5]],
            &[("highway", "steps"), ("incline", "up"), ("level", "0;1"), ("conveying", "forward")],
        ),
        open(&[[2.0, 1.0]], &[("highway", "elevator"), ("level", "1;0"), ("ref", "L1")]),
        open(&[[-9.0, 0.0], [-9.0, 9.0]], &[("highway", "footway")]),
    ]
}

/// The elements as a file of OpenStreetMap. Points at one place are one node.
fn osm(elements: &[Element<'_>]) -> String {
    let mut points: Vec<[f64; 2]> =
        elements.iter().flat_map(|element| element.points.iter().copied()).collect();
    points.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    points.dedup();
    let tags = |element: &Element<'_>| -> String {
        element.tags.iter().map(|(key, value)| format!("<tag k=\"{key}\" v=\"{value}\"/>")).collect()
    };
    let bits = |at: &[f64; 2]| at.map(f64::to_bits);
    let (mut nodes, mut ways) = (String::new(), String::new());
    for (id, point) in points.iter().enumerate() {
        let is_here = |element: &&Element<'_>| matches!(element.points, [only] if bits(only) == bits(point));
        let own = elements.iter().find(is_here).map(tags).unwrap_or_default();
        let [longitude, latitude] = place(*point);
        nodes += &format!("<node id=\"{id}\" lat=\"{latitude}\" lon=\"{longitude}\">{own}</node>\n");
    }
    for (id, element) in elements.iter().enumerate().filter(|(_, element)| element.points.len() > 1) {
        let first = element.is_area.then(|| &element.points[0]);
        let node =
            |point: &[f64; 2]| points.iter().position(|known| bits(known) == bits(point)).expect("a node");
        let refs: String = element
            .points
            .iter()
            .chain(first)
            .map(|point| format!("<nd ref=\"{}\"/>", node(point)))
            .collect();
        ways += &format!("<way id=\"{id}\">{refs}{}</way>\n", tags(element));
    }
    format!("<osm version=\"0.6\">\n{nodes}{ways}</osm>\n")
}

/// The elements as the GeoJSON of an export.
fn geojson(elements: &[Element<'_>]) -> String {
    let feature = |element: &Element<'_>| {
        let tags: Vec<String> =
            element.tags.iter().map(|(key, value)| format!("{key:?}:{value:?}")).collect();
        let first = element.is_area.then(|| &element.points[0]);
        let points = element.points.iter().chain(first);
        let points: Vec<String> = points.map(|point| format!("{:?}", place(*point))).collect();
        let (kind, coordinates) = match (element.is_area, &points[..]) {
            (true, points) => ("Polygon", format!("[[{}]]", points.join(","))),
            (false, [point]) => ("Point", point.clone()),
            (false, points) => ("LineString", format!("[{}]", points.join(","))),
        };
        format!(
            r#"{{"type":"Feature","properties":{{{}}},"geometry":{{"type":"{kind}","coordinates":{coordinates}}}}}"#,
            tags.join(",")
        )
    };
    let features: Vec<String> = elements.iter().map(feature).collect();
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","))
}

fn read(text: &str, format: PlanFormat) -> FloorPlan {
    let options = ReadOptions::default().with_storey_height(3.5).with_geo_origin([8.54, 47.37]);
    parse_plan("building", text.as_bytes(), format, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Metres east and south of the place, roughly.
fn near([x, z]: PlanPosition, [east, north]: [f64; 2]) -> bool {
    (x - east * 0.755).abs() < 0.1 && (z + north * 1.112).abs() < 0.1
}

#[test]
fn a_building_of_openstreetmap_has_its_rooms_doors_steps_and_lifts() {
    let elements = building();
    for (text, format) in [(osm(&elements), PlanFormat::Osm), (geojson(&elements), PlanFormat::GeoJson)] {
        let plan = read(&text, format);
        let storeys: Vec<(&str, f64)> =
            plan.storeys.iter().map(|storey| (storey.name.as_str(), storey.elevation)).collect();
        assert_eq!(storeys, [("0", 0.0), ("1", 3.5)], "{format:?}");
        let [low, high] = &plan.storeys[..] else { panic!("two storeys") };
        assert_eq!([low.walkable.len(), low.blocked.len(), low.doors.len()], [2, 2, 1]);
        assert_eq!([high.walkable.len(), high.blocked.len(), high.doors.len()], [1, 0, 0]);
        // Around the room, and the pillar in it.
        assert!(
            low.blocked
                .iter()
                .any(|shape| matches!(&shape.outline, Outline::Wall { line, .. } if line.len() == 6))
        );
        let [a, b] = low.doors[0].line;
        assert!(near(a, [5.0 - 0.6 / 0.755, 3.0]) || near(b, [5.0 - 0.6 / 0.755, 3.0]), "{a:?} {b:?}");
        assert!(((b[0] - a[0]).hypot(b[1] - a[1]) - 1.2).abs() < 1e-9);
        let [steps] = &plan.stairs[..] else { panic!("{:?}", plan.stairs) };
        assert_eq!((&*steps.from.storey, &*steps.to.storey, steps.both_ways), ("0", "1", false));
        let middle = |[a, b]: [PlanPosition; 2]| [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])];
        assert!(near(middle(steps.from.line), [16.0, 1.5]) && near(middle(steps.to.line), [10.0, 1.5]));
        let [lift] = &plan.lifts[..] else { panic!("{:?}", plan.lifts) };
        assert_eq!((&*lift.name, lift.stops.len()), ("L1", 2));
        // The door of no room, and what is outside.
        let left_out = plan.notes.iter().filter(|note| matches!(note.kind, NoteKind::Ignored { .. }));
        assert_eq!(left_out.count(), 2, "{:?}", plan.notes);
    }
}

#[test]
fn a_width_in_other_units_is_the_default_with_a_note() {
    for (width, expected, notes) in [("1.2", 1.2, 0), ("80 cm", 0.9, 1), ("2'6\"", 0.9, 1), ("-1", 0.9, 1)] {
        let mut elements = building();
        let tags = [("door", "hinged"), ("width", width), ("level", "0")];
        elements[3] = Element { points: &[[5.0, 3.0]], is_area: false, tags: &tags };
        let plan = read(&geojson(&elements), PlanFormat::GeoJson);
        let [a, b] = plan.storeys[0].doors[0].line;
        assert!(((b[0] - a[0]).hypot(b[1] - a[1]) - expected).abs() < 1e-9, "{width}");
        let found = plan.notes.iter().filter(|note| note.to_string().contains("not in metres"));
        assert_eq!(found.count(), notes, "{width}: {:?}", plan.notes);
    }
}

#[test]
fn a_geometry_that_has_no_meaning_is_noted() {
    let text = geojson(&building()).replacen(
        r#""features":["#,
        r#""features":[{"type":"Feature","properties":{"indoor":"room","level":"0","name":"Lobby"},"geometry":{"type":"MultiPoint","coordinates":[[8.54,47.37]]}},"#,
        1,
    );
    let [plan, other] = [&text, &geojson(&building())].map(|text| read(text, PlanFormat::GeoJson));
    assert_eq!(plan.storeys[0].walkable.len(), other.storeys[0].walkable.len());
    assert!(plan.notes.iter().any(|note| note.to_string().contains("Lobby")), "{:?}", plan.notes);
}

#[test]
fn rings_of_several_ways_are_one_area_with_its_hole() {
    let elements = [
        ([0.0, 0.0], "1"),
        ([20.0, 0.0], "2"),
        ([20.0, 9.0], "3"),
        ([0.0, 9.0], "4"),
        ([8.0, 3.0], "5"),
        ([12.0, 3.0], "6"),
        ([12.0, 6.0], "7"),
    ];
    let nodes: String = elements
        .iter()
        .map(|(at, id)| format!("<node id=\"{id}\" lat=\"{}\" lon=\"{}\"/>", place(*at)[1], place(*at)[0]))
        .collect();
    let way = |id: u32, refs: &[u32]| {
        let refs: String = refs.iter().map(|node| format!("<nd ref=\"{node}\"/>")).collect();
        format!("<way id=\"{id}\">{refs}</way>")
    };
    // The second way runs against the first.
    let ways = way(1, &[1, 2, 3]) + &way(2, &[1, 4, 3]) + &way(3, &[5, 6, 7, 5]);
    let members = r#"<member type="way" ref="1" role="outer"/><member type="way" ref="2" role="outer"/><member type="way" ref="3" role="inner"/>"#;
    let tags = r#"<tag k="type" v="multipolygon"/><tag k="indoor" v="area"/><tag k="level" v="2"/>"#;
    let plan = read(
        &format!("<osm>{nodes}{ways}<relation id=\"9\">{members}{tags}</relation></osm>"),
        PlanFormat::Osm,
    );
    let [storey] = &plan.storeys[..] else { panic!("{:?}", plan.storeys) };
    assert_eq!((&*storey.name, storey.elevation), ("2", 7.0));
    let Outline::Loops { loops, .. } = &storey.walkable[0].outline else { panic!("loops") };
    let lengths: Vec<usize> = loops.iter().map(Vec::len).collect();
    assert_eq!(lengths, [4, 3]);
    // A ring that does not close, a way and a node that are not in the file: never a part of an area.
    let whole = format!("{ways}<relation id=\"9\">{members}{tags}</relation>");
    let other = way(8, &[1, 2, 3, 1]).replace("</way>", r#"<tag k="indoor" v="area"/></way>"#);
    for (from, to) in [
        (way(2, &[1, 4, 3]), way(2, &[1, 4])),
        (way(3, &[5, 6, 7, 5]), String::new()),
        (way(3, &[5, 6, 7, 5]), way(3, &[5, 6, 70, 5])),
    ] {
        assert!(whole.contains(&from));
        let broken = whole.replace(&from, &to);
        let plan = read(&format!("<osm>{nodes}{broken}{other}</osm>"), PlanFormat::Osm);
        let [storey] = &plan.storeys[..] else { panic!("{:?}", plan.storeys) };
        assert_eq!((&*storey.name, storey.walkable.len()), ("0", 1), "{to}");
        let notes: Vec<String> = plan.notes.iter().map(ToString::to_string).collect();
        assert!(
            notes.iter().any(|note| note.contains("relation 9") && note.contains("not whole")),
            "{notes:?}"
        );
    }
}

#[test]
fn levels_are_lists_and_ranges_and_others_are_refused() {
    let room = |level: &str| {
        let points: &[[f64; 2]] = &[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]];
        let tags = [("indoor", "area"), ("level", level)];
        osm(&[Element { points, is_area: true, tags: &tags }])
    };
    for (level, names) in [
        ("0", vec!["0"]),
        ("-1", vec!["-1"]),
        ("-2--1", vec!["-2", "-1"]),
        ("-1--2", vec!["-2", "-1"]),
        ("-1-1", vec!["-1", "0", "1"]),
        ("2; 0.5;0.5", vec!["0.5", "2"]),
        (";", vec!["0"]),
    ] {
        let plan = read(&room(level), PlanFormat::Osm);
        let found: Vec<&str> = plan.storeys.iter().map(|storey| &*storey.name).collect();
        assert_eq!(found, names, "{level}");
    }
    for (level, text) in [
        ("ground", "levels such as"),
        ("0-9000", "the limit is"),
        ("1e9", "levels such as"),
        ("NaN", "levels such as"),
    ] {
        let error = parse_plan("map.osm", room(level).as_bytes(), PlanFormat::Osm, &ReadOptions::default());
        let error = error.expect_err("no level").to_string();
        assert!(
            error.contains("map.osm") && error.contains("way 0") && error.contains(text),
            "{level}: {error}"
        );
    }
}

#[test]
fn a_map_without_a_building_and_a_damaged_one_say_so() {
    let cases = [
        (
            "<osm><node id=\"1\" lat=\"1\" lon=\"2\"><tag k=\"amenity\" v=\"bench\"/></node></osm>",
            "tag `indoor`",
        ),
        ("<gpx></gpx>", "must be <osm>"),
        ("<osm><node id=\"7\" lat=\"north\" lon=\"2\"/></osm>", "node 7"),
        ("<osm><node", "map.osm"),
        ("<!DOCTYPE osm [<!ENTITY a \"b\">]><osm>&a;</osm>", "map.osm"),
    ];
    for (text, expected) in cases {
        let error = parse_plan("map.osm", text.as_bytes(), PlanFormat::Osm, &ReadOptions::default());
        let error = error.expect_err("no plan").to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

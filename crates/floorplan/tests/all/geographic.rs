//! Plans in degrees are those in metres that they were made of.

use waymesh_floorplan::{
    FloorPlan, NoteKind, Outline, PlanError, PlanFormat, PlanPosition, ReadOptions, TangentPlane, parse_plan,
    read_plan, read_plans,
};

/// A hall, a wall in it, a door in the wall and one drawn as an area of 0.9 x 0.5 m, in metres east
/// and north of a place.
const HALL: [[f64; 2]; 4] = [[-30.0, -10.0], [50.0, -12.0], [50.0, 24.0], [-30.0, 24.0]];
const WALL: [[f64; 2]; 2] = [[0.0, -10.0], [3.0, 24.0]];
const DOOR: [[f64; 2]; 2] = [[1.0, 2.0], [1.25, 4.5]];
const SLAB: [[f64; 2]; 4] = [[2.0, 10.0], [2.0, 10.9], [2.5, 10.9], [2.5, 10.0]];
const PLACES: [[f64; 2]; 4] = [[8.54, 47.37], [-74.0, 40.7], [103.78, 1.3], [-68.3, -54.8]];

type Place<'a> = &'a dyn Fn([f64; 2]) -> [f64; 2];

/// Points at their places: `within` between the numbers of one, `between` between two.
fn text(points: &[[f64; 2]], place: Place<'_>, within: &str, between: &str) -> String {
    let point = |&point: &[f64; 2]| place(point).map(|value| value.to_string()).join(within);
    points.iter().map(point).collect::<Vec<_>>().join(between)
}

fn ring(corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
    [corners, &corners[..1]].concat()
}

fn geojson(place: Place<'_>) -> String {
    let list = |points: &[[f64; 2]]| format!("[[{}]]", text(points, place, ",", "],["));
    let feature = |kind: &str, of: &str, coordinates: &str| {
        format!(
            r#"{{"type":"Feature","properties":{{"kind":"{kind}","width":0.3}},"geometry":{{"type":"{of}","coordinates":{coordinates}}}}}"#
        )
    };
    let features = [
        feature("walkable", "Polygon", &format!("[{}]", list(&ring(&HALL)))),
        feature("blocked", "LineString", &list(&WALL)),
        feature("door", "LineString", &list(&DOOR)),
        feature("door", "Polygon", &format!("[{}]", list(&ring(&SLAB)))),
    ];
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","))
}

fn wkt(place: Place<'_>) -> String {
    let list = |points: &[[f64; 2]]| text(points, place, " ", ", ");
    let (hall, slab) = (list(&ring(&HALL)), list(&ring(&SLAB)));
    let (wall, door) = (list(&WALL), list(&DOOR));
    format!("POLYGON (({hall}))\nLINESTRING ({wall})\ndoor LINESTRING ({door})\ndoor POLYGON (({slab}))\n")
}

fn positions(plan: &FloorPlan) -> Vec<PlanPosition> {
    let storey = &plan.storeys[0];
    let of = |outline: &Outline| match outline {
        Outline::Polygon { outer, .. } => outer.clone(),
        Outline::Wall { line, width } => {
            assert!((0.1..=0.3).contains(width), "widths stay metres: {width}");
            line.clone()
        }
        other => panic!("{other:?}"),
    };
    let shapes = storey.walkable.iter().chain(&storey.blocked).flat_map(|shape| of(&shape.outline));
    shapes.chain(storey.doors.iter().flat_map(|door| door.line)).collect()
}

/// Checks that two plans are equal but for a shift east and north.
fn compare(plan: &FloorPlan, [east, north]: [f64; 2], other: &FloorPlan) {
    let (found, expected) = (positions(plan), positions(other));
    assert_eq!(found.len(), expected.len());
    for (at, [x, z]) in found.into_iter().zip(expected) {
        let is_there = (at[0] + east - x).abs() < 1e-3 && (at[1] - north - z).abs() < 1e-3;
        assert!(is_there, "{at:?} from {east}, {north} is not {x}, {z}");
    }
    for (door, other) in plan.storeys[0].doors.iter().zip(&other.storeys[0].doors) {
        assert!((door.depth - other.depth).abs() < 1e-3, "{door:?} {other:?}");
    }
}

/// The places that notes name.
fn noted(plan: &FloorPlan) -> Vec<[f64; 2]> {
    let of = |kind: &NoteKind| if let NoteKind::Degrees { origin, .. } = kind { Some(*origin) } else { None };
    plan.notes.iter().filter_map(|note| of(&note.kind)).collect()
}

#[test]
fn a_plan_in_degrees_is_the_one_in_metres() {
    for place in PLACES {
        let plane = TangentPlane::new(place);
        for (format, metres, degrees) in [
            (PlanFormat::GeoJson, geojson(&|at| at), geojson(&|at| plane.degrees(at))),
            (PlanFormat::Wkt, wkt(&|at| at), wkt(&|at| plane.degrees(at))),
        ] {
            let read = |text: &str, options: &ReadOptions| {
                parse_plan("plan", text.as_bytes(), format, options).expect("a plan")
            };
            let expected = read(&metres, &ReadOptions::default());
            assert_eq!(expected.storeys[0].doors.len(), 2);
            assert_eq!(expected.geo_origin, None);
            // Around the place that is given, and around one that is chosen.
            let given = read(&degrees, &ReadOptions::default().with_geo_origin(place));
            assert!(given.geo_origin == Some(place) && noted(&given).is_empty());
            compare(&given, [0.0; 2], &expected);
            let found = read(&degrees, &ReadOptions::default());
            let origin = found.geo_origin.expect("degrees are noticed");
            assert_eq!(noted(&found), [origin]);
            let shift = plane.metres(origin);
            assert!(shift[0].abs() < 50.0 && shift[1].abs() < 50.0, "{origin:?} is in the plan");
            compare(&found, shift, &expected);
            // With a scale they are no degrees.
            let scaled = read(&degrees, &ReadOptions::default().with_scale(1.0));
            assert!(scaled.geo_origin.is_none() && noted(&scaled).is_empty());
            // A place on the other side of the earth would give small numbers as well.
            let far = ReadOptions::default().with_geo_origin([place[0].signum() * 170.0, -place[1]]);
            let error = parse_plan("plan", degrees.as_bytes(), format, &far).expect_err("far away");
            assert!(error.to_string().contains("not within 1 degree"), "{error}");
        }
    }
}

#[test]
fn what_may_be_metres_is_no_degrees() {
    for shift in [0.0, 170.0, 91.0] {
        for (size, is_degrees) in [(0.4, shift < 90.0), (0.6, false), (5.0, false)] {
            let square = wkt(&|at| at.map(|value| shift + value * size / 80.0));
            let plan = parse_plan("plan", square.as_bytes(), PlanFormat::Wkt, &ReadOptions::default());
            assert_eq!(plan.expect("a plan").geo_origin.is_some(), is_degrees, "{shift} {size}");
        }
    }
    let empty = parse_plan("plan", b"# nothing\n", PlanFormat::Wkt, &ReadOptions::default());
    assert_eq!(empty.expect("an empty plan").geo_origin, None);
}

#[test]
fn places_that_are_none_are_refused() {
    let options = ReadOptions::default;
    for (options, text) in [
        (options().with_geo_origin([181.0, 0.0]), "geo_origin is 181"),
        (options().with_geo_origin([0.0, 90.0]), "geo_origin is 90"),
        (options().with_geo_origin([f64::NAN, 0.0]), "geo_origin is NaN"),
        (options().with_geo_origin([8.0, 47.0]).with_scale(2.0), "scale is 2"),
    ] {
        let error = parse_plan("plan", b"", PlanFormat::Wkt, &options).expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn files_of_one_plan_share_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let plane = TangentPlane::new(PLACES[0]);
    let file = |name: &str, text: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        file
    };
    let files = [
        file("one.geojson", geojson(&|at| plane.degrees(at))),
        file("two.wkt", wkt(&|[x, y]| plane.degrees([x + 90.0, y + 40.0]))),
    ];
    let plan = read_plans(&files, &ReadOptions::default()).expect("a plan");
    assert_eq!(noted(&plan), [plan.geo_origin.expect("degrees")]);
    let [one, two] = [0, 2].map(|door| plan.storeys[0].doors[door].line);
    for (one, two) in one.iter().zip(two) {
        assert!((two[0] - one[0] - 90.0).abs() < 1e-3 && (two[1] - one[1] + 40.0).abs() < 1e-3);
    }
    // A pillar alone may be small in metres. With a plan in degrees it is in degrees, in any order.
    let pillar = |place: Place<'_>| {
        let corners = ring(&[[5.0, 3.0], [5.3, 3.0], [5.3, 3.3], [5.0, 3.3]]);
        format!("blocked POLYGON (({}))", text(&corners, place, " ", ", "))
    };
    let metres = file("metres.wkt", pillar(&|at| at));
    assert_eq!(read_plan(&metres, &ReadOptions::default()).expect("a pillar").geo_origin, None);
    let pillar = file("pillar.wkt", pillar(&|at| plane.degrees(at)));
    for order in [[&pillar, &files[0]], [&files[0], &pillar]] {
        let plan = read_plans(&order, &ReadOptions::default()).expect("a plan");
        let shape =
            plan.storeys[0].blocked.iter().find(|shape| matches!(shape.outline, Outline::Polygon { .. }));
        let Some(Outline::Polygon { outer, .. }) = shape.map(|shape| &shape.outline) else {
            panic!("no pillar")
        };
        let [east, north] = plane.metres(plan.geo_origin.expect("degrees"));
        assert!((outer[0][0] + east - 5.0).abs() < 1e-3 && (outer[0][1] - north + 3.0).abs() < 1e-3);
        let error = read_plans(&[order[0], order[1], &metres], &ReadOptions::default()).expect_err("metres");
        assert!(error.to_string().contains("metres.wkt: coordinates"), "{error}");
    }
    // Read alone, they have two places.
    let [mut one, two] = files.map(|file| read_plan(&file, &ReadOptions::default()).expect("a plan"));
    assert!(matches!(one.merge(two), Err(PlanError::TwoOrigins { .. })));
}

#[test]
fn buildings_say_that_they_are_in_degrees() {
    let plane = TangentPlane::new(PLACES[2]);
    let building = |system: &str, place: Place<'_>| {
        let vertex = |&at: &[f64; 2]| {
            let [x, y] = place(at);
            format!("      - [{x:?}, {y:?}, 0, \"\"]\n")
        };
        let vertices: String = HALL.iter().chain(&WALL).map(vertex).collect();
        format!(
            "coordinate_system: {system}\nlevels:\n  L1:\n    elevation: 0\n    vertices:\n{vertices}    floors:\n      - vertices: [0, 1, 2, 3]\n    walls:\n      - [4, 5, {{}}]\n"
        )
    };
    let read =
        |text: &str, options: &ReadOptions| parse_plan("plan", text.as_bytes(), PlanFormat::Yaml, options);
    let metres = read(&building("cartesian_meters", &|at| at), &ReadOptions::default()).expect("a building");
    let text = building("wgs84", &|at| plane.degrees(at));
    let degrees = read(&text, &ReadOptions::default()).expect("a building");
    let origin = degrees.geo_origin.expect("degrees");
    assert!(metres.geo_origin.is_none() && noted(&degrees) == [origin]);
    compare(&degrees, plane.metres(origin), &metres);
    let given = read(&text, &ReadOptions::default().with_geo_origin(PLACES[2])).expect("a building");
    assert!(noted(&given).is_empty());
    compare(&given, [0.0; 2], &metres);
    for (options, text_of_it) in [
        (ReadOptions::default().with_scale(1.0), "have no scale"),
        (ReadOptions::default().with_geo_origin(PLACES[0]), "not within 1 degree"),
    ] {
        let error = read(&text, &options).expect_err(text_of_it).to_string();
        assert!(error.contains(text_of_it), "{error}");
    }
}

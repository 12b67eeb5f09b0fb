//! One plan in every format; faults with file and place; damaged files.

use crate::common;
use common::{area, ground};
use waymesh_floorplan::{
    EXAMPLE, FloorPlan, NoteKind, PlanConfig, PlanFormat, ReadOptions, parse_plan, read_plan,
};
use waymesh_testkit::Random;
use waymesh_testkit::text::damaged;

const TOML: &str = r#"
[[storey]]
name = "0"
[[storey.walkable]]
outline = [[0, 0], [10, 0], [10, -8], [0, -8]]
holes = [[[4, -3], [6, -3], [6, -5], [4, -5]]]
[[storey.blocked]]
line = [[0, -7], [3, -7]]
width = 0.2
"#;

const GEOJSON: &str = r#"{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"kind":"floor"},"geometry":{"type":"Polygon","coordinates":
 [[[0,0],[10,0],[10,8],[0,8],[0,0]],[[4,3],[4,5],[6,5],[6,3],[4,3]]]}},
{"type":"Feature","properties":{"kind":"wall","width":0.2},"geometry":{"type":"LineString","coordinates":[[0,7],[3,7]]}}
]}"#;

const WKT: &str = "# a hall with a court\nwalkable POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0), (4 3, 6 3, 6 5, 4 5, 4 3))\n\
                   LINESTRING (0 7, 3 7)\n";

const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -8 10 8">
<g transform="translate(0 -8)"><path class="floor" fill-rule="evenodd" d="M0 0h10v8h-10z M4 3h2v2h-2z"/></g>
<g id="walls"><line x1="0" y1="-7" x2="3" y2="-7" stroke-width="0.2"/></g>
<defs><rect width="500" height="500"/></defs></svg>"#;

fn dxf() -> String {
    let polyline = |layer: &str, points: &[(f64, f64)]| {
        let mut text = format!("0\nLWPOLYLINE\n8\n{layer}\n90\n{}\n70\n1\n", points.len());
        for (x, y) in points {
            text += &format!("10\n{x}\n20\n{y}\n");
        }
        text
    };
    let mut text =
        "0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1015\n9\n$INSUNITS\n70\n6\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n".to_owned();
    text += &polyline("A-FLOOR", &[(0., 0.), (10., 0.), (10., 8.), (0., 8.)]);
    text += &polyline("A-COLUMN", &[(4., 3.), (6., 3.), (6., 5.), (4., 5.)]);
    text += "0\nLINE\n8\nA-WALL-FULL\n10\n0\n20\n7\n11\n3\n21\n7\n";
    text += &polyline("NOTES", &[(0., 0.), (1., 0.), (1., 1.)]);
    text + "0\nENDSEC\n0\nEOF\n"
}

fn parse(text: &str, format: PlanFormat) -> FloorPlan {
    let options = ReadOptions::default().with_wall_width(0.2);
    parse_plan("plan", text.as_bytes(), format, &options).expect("a plan")
}

#[test]
fn all_formats_say_the_same() {
    let config = PlanConfig::default();
    let (expected, _) = ground(&parse(TOML, PlanFormat::Toml), &config);
    assert!((area(&expected.contours) - 60.4).abs() < 0.5, "{}", area(&expected.contours));
    let dxf = dxf();
    let mut files = vec![(GEOJSON, PlanFormat::GeoJson), (WKT, PlanFormat::Wkt), (SVG, PlanFormat::Svg)];
    if cfg!(feature = "dxf") {
        files.push((&dxf, PlanFormat::Dxf));
    }
    for (text, format) in files {
        let (found, _) = ground(&parse(text, format), &config);
        assert_eq!(found.contours.polygons(), expected.contours.polygons(), "{format:?}");
    }
}

#[cfg(feature = "dxf")]
#[test]
fn layers_of_dxf_that_stand_for_nothing_are_told() {
    let notes = parse(&dxf(), PlanFormat::Dxf).notes;
    assert_eq!(notes.len(), 1);
    assert!(notes[0].to_string().contains("NOTES"), "{}", notes[0]);
}

#[cfg(feature = "dxf")]
#[test]
fn layers_of_dxf_have_areas() {
    let areas = |rules: &'static [(&str, &str)]| {
        let of =
            |layer: &str| rules.iter().find(|(name, _)| *name == layer).map(|(_, area)| (*area).to_owned());
        let options = ReadOptions::default()
            .with_wall_width(0.2)
            .with_layer_areas(waymesh_floorplan::LayerAreas::new(of));
        parse_plan("plan", dxf().as_bytes(), PlanFormat::Dxf, &options)
    };
    // The hall is wood, the layer without a kind marks its corner, and a wall has no area.
    let plan = areas(&[("A-FLOOR", "wood:2"), ("NOTES", "tiles"), ("A-WALL-FULL", "paint")]).expect("a plan");
    let [storey] = plan.storeys.as_slice() else { panic!("{} storeys", plan.storeys.len()) };
    let [wood, tiles] = ["wood", "tiles"].map(|name| plan.areas.by_name(name).expect("an area"));
    assert_eq!((storey.walkable[0].area, storey.marks[0].area), (wood, tiles));
    assert_eq!((storey.walkable.len(), storey.marks.len(), storey.blocked.len()), (1, 1, 2));
    assert_eq!(plan.areas.get(wood).map(|area| area.cost), Some(2.0));
    assert!(plan.areas.by_name("paint").is_none() && plan.notes.is_empty(), "{:?}", plan.notes);
    let (ground, _) = ground(&plan, &PlanConfig::default().with_radius(0.0));
    let kinds: Vec<_> = ground.contours.regions.iter().map(|region| region.area).collect();
    assert!(kinds.contains(&wood) && kinds.contains(&tiles), "{kinds:?}");
    // A blocked layer cuts ground out, and a broken area names its layer.
    let blocked = areas(&[("NOTES", "blocked")]).expect("a plan");
    assert_eq!(blocked.storeys[0].marks[0].area, waymesh_core::AreaId::NULL);
    let error = areas(&[("A-FLOOR", "wood:-2")]).expect_err("no cost").to_string();
    assert!(error.contains("A-FLOOR") && error.contains("plan"), "{error}");
    // A layer of marks needs an area.
    let marks = dxf().replace("NOTES", "G-MARKS");
    let notes = parse(&marks, PlanFormat::Dxf).notes;
    assert!(notes.len() == 1 && notes[0].to_string().contains("G-MARKS"), "{notes:?}");
}

#[cfg(not(feature = "dxf"))]
#[test]
fn a_build_without_dxf_says_so() {
    let error = parse_plan("hall.dxf", dxf().as_bytes(), PlanFormat::Dxf, &ReadOptions::default());
    let message = error.expect_err("no reader").to_string();
    assert!(message.contains("hall.dxf") && message.contains("feature \"dxf\""), "{message}");
}

#[test]
fn units_are_scaled() {
    let options = ReadOptions::default().with_scale(0.01);
    let plan =
        parse_plan("plan", b"POLYGON ((0 0, 1000 0, 1000 500, 0 500, 0 0))", PlanFormat::Wkt, &options);
    let (ground, _) = ground(&plan.expect("a plan"), &PlanConfig::default().with_radius(0.0));
    assert!((area(&ground.contours) - 50.0).abs() < 1e-4);
    assert!(ReadOptions::default().with_scale(f64::NAN).validate().is_err());
}

#[test]
fn curves_of_svg_are_round() {
    let config = PlanConfig::default().with_radius(0.0).with_near_distance(0.0);
    let disc = std::f64::consts::PI * 4.0;
    let path = r#"<svg><path d="M-2 0A2 2 0 0 1 2 0A2 2 0 0 1 -2 0z"/></svg>"#;
    let circle = r#"<svg><g transform="scale(2)"><circle r="1"/></g></svg>"#;
    for text in [path, circle] {
        let found = area(&ground(&parse(text, PlanFormat::Svg), &config).0.contours);
        assert!((found / disc - 1.0).abs() < 0.005, "{text}: {found}");
    }
}

#[test]
fn the_example_holds_everything_and_nothing_odd() {
    let plan = parse(EXAMPLE, PlanFormat::Toml);
    assert_eq!((plan.storeys.len(), plan.stairs.len(), plan.lifts.len()), (2, 1, 1));
    let (ground, base) = ground(&plan, &PlanConfig::default().with_radius(0.25));
    assert_eq!(base.notes(), []);
    assert_eq!(ground.notes, []);
    assert_eq!(base.doors().len(), 5);
}

#[test]
fn faults_name_the_file_and_the_place() {
    for (text, format, expected) in [
        ("[[storey]]\nname = 3", PlanFormat::Toml, "line 2"),
        ("[[storey]]\nname = \"a\"\ncolour = 1", PlanFormat::Toml, "colour"),
        (
            "[[storey]]\nname = \"a\"\n[[storey.walkable]]\nname = \"x\"",
            PlanFormat::Toml,
            "storey \"a\", walkable \"x\": must have exactly one of",
        ),
        (
            "[[storey]]\nname = \"a\"\n[[storey.blocked]]\npoints = [[1]]",
            PlanFormat::Toml,
            "blocked 0: a point must be",
        ),
        ("[[storey]]\nname = \"a\"\n[[storey]]\nname = \"a\"", PlanFormat::Toml, "two storeys \"a\""),
        ("{\"type\":\"Polygon\"", PlanFormat::GeoJson, "line 1"),
        (
            "{\"type\":\"Feature\",\"properties\":{\"kind\":\"lava\"},\"geometry\":{\"type\":\"Point\",\"coordinates\":[0,0]}}",
            PlanFormat::GeoJson,
            "lava",
        ),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[1],[2],[3]]]}", PlanFormat::GeoJson, "plan"),
        ("POLYGON ((0 0, 1 0, 1 1, 0 0))\nPOLYGON ((0 0, 1 zero))", PlanFormat::Wkt, "line 2"),
        ("<svg>\n<path d=\"M0 0 L q\"/></svg>", PlanFormat::Svg, "<path> at line 2"),
        ("<svg><rect width=\"3kg\" height=\"1\"/></svg>", PlanFormat::Svg, "3kg"),
        ("<svg><g transform=\"turn(3)\"/></svg>", PlanFormat::Svg, "transform"),
        ("<svg>", PlanFormat::Svg, "plan"),
        ("what is this", PlanFormat::Dxf, "plan"),
    ] {
        let error = parse_plan("plan", text.as_bytes(), format, &ReadOptions::default());
        let message = error.expect_err(text).to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(parse_plan("plan", b"\xff\xfe", PlanFormat::Wkt, &ReadOptions::default()).is_err());
    let missing = read_plan(std::path::Path::new("no.wkt"), &ReadOptions::default()).expect_err("missing");
    assert!(missing.to_string().contains("no.wkt"), "{missing}");
    let unknown = read_plan(std::path::Path::new("plan.xyz"), &ReadOptions::default()).expect_err("unknown");
    assert!(unknown.to_string().contains(".geojson"), "{unknown}");
}

#[test]
fn what_nothing_is_made_of_is_told() {
    let plan = parse("POINT (1 2)\nPOLYGON ((0 0, 1 0, 1 1, 0 0))", PlanFormat::Wkt);
    assert_eq!(plan.notes.len(), 1);
    assert!(matches!(plan.notes[0].kind, NoteKind::Ignored { .. }));
    let plan = parse("<svg><text>hall</text><rect width='2' height='2'/></svg>", PlanFormat::Svg);
    assert_eq!(plan.notes.len(), 1);
    assert_eq!(plan.shape_counts(), (1, 0));
}

/// For any bytes there is a plan or an error.
#[test]
fn damaged_files_never_panic() {
    let mut random = Random::new(5);
    let dxf = dxf();
    for (text, format) in [
        (EXAMPLE, PlanFormat::Toml),
        (GEOJSON, PlanFormat::GeoJson),
        (WKT, PlanFormat::Wkt),
        (SVG, PlanFormat::Svg),
        (dxf.as_str(), PlanFormat::Dxf),
    ] {
        for _ in 0..400 {
            let bytes = damaged(text, &mut random);
            if let Ok(plan) = parse_plan("plan", &bytes, format, &ReadOptions::default())
                && let Ok(base) = waymesh_floorplan::PlanBase::new(&plan, &PlanConfig::default())
            {
                let ground = base.ground().expect("ground");
                waymesh_core::Validate::validate(&ground.contours).expect("sound contours");
            }
        }
    }
}

/// Two levels with a door, stairs and a lift, by properties and by the members of IMDF.
#[test]
fn geojson_carries_levels_doors_stairs_and_lifts() {
    let floor = "[[[0,0],[10,0],[10,8],[0,8],[0,0]]]";
    let shared = r#"{"type":"Feature","properties":{"kind":"stairs","name":"steps","from":"low","to":"high","cost":3,"one_way":true},
        "geometry":{"type":"MultiLineString","coordinates":[[[6,1],[6,2]],[[9,1],[9,2]]]}},
        {"type":"Feature","properties":{"kind":"lift","storeys":["low","high"],"cost":20},
        "geometry":{"type":"Point","coordinates":[1,1]}},
        {"type":"Feature","properties":{"kind":"escalator","from":"low","to":"high"},
        "geometry":{"type":"LineString","coordinates":[[6,6],[6,7]]}},
        {"type":"Feature","properties":{"kind":"elevator","storeys":["high","low"]},
        "geometry":{"type":"MultiPoint","coordinates":[[2,1],[3,1]]}}"#;
    let own = format!(
        r#"{{"type":"Feature","properties":{{"storey":"low"}},"geometry":{{"type":"Polygon","coordinates":{floor}}}}},
        {{"type":"Feature","properties":{{"storey":"high"}},"geometry":{{"type":"Polygon","coordinates":{floor}}}}},
        {{"type":"Feature","properties":{{"kind":"wall","storey":"low","width":0.2}},
        "geometry":{{"type":"LineString","coordinates":[[5,0],[5,8]]}}}},
        {{"type":"Feature","properties":{{"kind":"door","name":"gate","storey":"low","cost":2,"depth":0.4}},
        "geometry":{{"type":"LineString","coordinates":[[5,3],[5,4]]}}}},
        {{"type":"Feature","properties":{{"kind":"level","storey":"low","elevation":0.5}},"geometry":null}},
        {{"type":"Feature","properties":{{"kind":"level","storey":"high","elevation":4}},"geometry":null}}"#
    );
    let imdf = format!(
        r#"{{"type":"Feature","id":"1","feature_type":"unit","properties":{{"category":"room","level_id":"low","name":{{"en":"Hall"}}}},
        "geometry":{{"type":"Polygon","coordinates":{floor}}}}},
        {{"type":"Feature","id":"2","feature_type":"unit","properties":{{"category":"lobby","level_id":"high"}},
        "geometry":{{"type":"Polygon","coordinates":{floor}}}}},
        {{"type":"Feature","id":"3","feature_type":"unit","properties":{{"category":"drywall","level_id":"low"}},
        "geometry":{{"type":"Polygon","coordinates":[[[4.9,-0.1],[5.1,-0.1],[5.1,8.1],[4.9,8.1],[4.9,-0.1]]]}}}},
        {{"type":"Feature","id":"4","feature_type":"opening",
        "properties":{{"category":"pedestrian","level_id":"low","name":{{"en":"gate"}},"cost":2,"depth":0.4}},
        "geometry":{{"type":"LineString","coordinates":[[5,3],[5,4]]}}}},
        {{"type":"Feature","id":"5","feature_type":"occupant","properties":{{}},"geometry":null}},
        {{"type":"Feature","id":"low","feature_type":"level","properties":{{"ordinal":0,"elevation":0.5}},
        "geometry":{{"type":"Polygon","coordinates":{floor}}}}},
        {{"type":"Feature","id":"high","feature_type":"level","properties":{{"ordinal":1,"elevation":4}},
        "geometry":{{"type":"Polygon","coordinates":{floor}}}}}"#
    );
    let mut grounds = Vec::new();
    for (own, notes) in [(own, 0), (imdf, 1)] {
        let text = format!(r#"{{"type":"FeatureCollection","features":[{own},{shared}]}}"#);
        let plan = parse(&text, PlanFormat::GeoJson);
        assert_eq!(plan.notes.len(), notes, "{:?}", plan.notes);
        let storeys: Vec<_> =
            plan.storeys.iter().map(|storey| (storey.name.as_str(), storey.elevation)).collect();
        assert_eq!(storeys, [("low", 0.5), ("high", 4.0)]);
        let door = &plan.storeys[0].doors[0];
        assert_eq!((door.name.as_str(), door.line), ("gate", [[5.0, -3.0], [5.0, -4.0]]));
        assert!((door.depth - 0.4).abs() < 1e-9 && (door.cost - 2.0).abs() < 1e-6);
        let [steps, escalator] = &plan.stairs[..] else { panic!("{:?}", plan.stairs) };
        assert_eq!((steps.name.as_str(), steps.both_ways), ("steps", false));
        assert_eq!((steps.from.storey.as_str(), steps.to.storey.as_str()), ("low", "high"));
        assert_eq!(
            [steps.from.line, steps.to.line],
            [[[6.0, -1.0], [6.0, -2.0]], [[9.0, -1.0], [9.0, -2.0]]]
        );
        assert!(escalator.both_ways && escalator.from.line == escalator.to.line);
        let stops: Vec<Vec<_>> = plan
            .lifts
            .iter()
            .map(|lift| lift.stops.iter().map(|stop| (stop.storey.as_str(), stop.at)).collect())
            .collect();
        assert_eq!(stops[0], [("low", [1.0, -1.0]), ("high", [1.0, -1.0])]);
        assert_eq!(stops[1], [("high", [2.0, -1.0]), ("low", [3.0, -1.0])]);
        grounds.push(ground(&plan, &PlanConfig::default()).0.contours.polygons());
    }
    assert_eq!(grounds[0], grounds[1]);
}

#[test]
fn levels_of_imdf_without_an_elevation_are_where_their_ordinals_say() {
    let level = |name: &str, properties: &str| {
        format!(
            r#"{{"type":"Feature","id":"{name}","feature_type":"level","properties":{{{properties}}},"geometry":null}}"#
        )
    };
    let levels =
        [level("cellar", r#""ordinal":-1"#), level("roof", r#""ordinal":2,"elevation":9.5"#)].join(",");
    let text = format!(r#"{{"type":"FeatureCollection","features":[{levels}]}}"#);
    for height in [3.0, 4.5] {
        let options = ReadOptions::default().with_storey_height(height);
        let plan = parse_plan("plan", text.as_bytes(), PlanFormat::GeoJson, &options).unwrap();
        let storeys: Vec<_> =
            plan.storeys.iter().map(|storey| (storey.name.as_str(), storey.elevation)).collect();
        assert_eq!(storeys, [("cellar", -height), ("roof", 9.5)]);
    }
}

#[test]
fn geojson_that_leads_nowhere_names_the_feature() {
    let feature = |properties: &str, geometry: &str| {
        let text = format!(r#"{{"type":"Feature","properties":{properties},"geometry":{geometry}}}"#);
        let error = parse_plan("plan", text.as_bytes(), PlanFormat::GeoJson, &ReadOptions::default());
        error.expect_err(&text).to_string()
    };
    let line = r#"{"type":"LineString","coordinates":[[0,0],[1,0]]}"#;
    let point = r#"{"type":"Point","coordinates":[0,0]}"#;
    for (properties, geometry, expected) in [
        (r#"{"kind":"stairs","name":"A"}"#, line, "\"A\": stairs do not say from which storey"),
        (r#"{"kind":"stairs","from":"a","to":"b"}"#, point, "stairs are not two lines"),
        (
            r#"{"kind":"stairs","from":"a","to":"b"}"#,
            r#"{"type":"LineString","coordinates":[[0,0],[1,0],[2,0]]}"#,
            "a step has 3 points",
        ),
        (r#"{"kind":"lift","storeys":["a"]}"#, point, "a lift of 1 storeys and 1 points"),
        (
            r#"{"kind":"lift","storeys":["a","b","c"]}"#,
            r#"{"type":"MultiPoint","coordinates":[[0,0],[1,1]]}"#,
            "a lift of 3 storeys and 2 points",
        ),
        (r#"{"kind":"level","storey":"a"}"#, "null", "a level has no elevation"),
        (r#"{"kind":"level","elevation":1}"#, "null", "a level has no storey"),
    ] {
        let message = feature(properties, geometry);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn plans_for_different_agents_are_not_merged() {
    let agent = |text: &str| parse(text, PlanFormat::Toml);
    let mut plan = agent("[agent]\nradius = 0.25");
    plan.merge(agent("[agent]\nheight = 1.5\n[[storey]]\nname = \"a\"")).expect("no contradiction");
    assert_eq!((plan.agent.radius, plan.agent.height), (Some(0.25), Some(1.5)));
    let message = plan.merge(agent("[agent]\nradius = 0.3")).expect_err("two radii").to_string();
    assert!(message.contains("a radius of 0.25 m, another for 0.3 m"), "{message}");
}

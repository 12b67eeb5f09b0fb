//! Maps of cells of ROS and MovingAI, and buildings of Open-RMF.

use std::fmt::Write;

use proptest::prelude::*;
use waymesh_core::AreaId;
use waymesh_floorplan::{
    FloorPlan, LayerAreas, Outline, PlanBase, PlanConfig, PlanError, PlanFormat, PlanPosition, ReadOptions,
    parse_plan, read_plan,
};

use crate::common::area;

fn parse(text: &str, format: PlanFormat, options: &ReadOptions) -> Result<FloorPlan, PlanError> {
    parse_plan("map", text.as_bytes(), format, options)
}

fn map(rows: &[&str], options: &ReadOptions) -> Result<FloorPlan, PlanError> {
    let (height, width) = (rows.len(), rows[0].len());
    let text = format!("type octile\nheight {height}\nwidth {width}\nmap\n{}\n", rows.join("\n"));
    parse(&text, PlanFormat::MovingAi, options)
}

/// The loops of a shape of the only storey.
fn loops(plan: &FloorPlan, shape: usize) -> &[Vec<PlanPosition>] {
    match &plan.storeys[0].walkable[shape].outline {
        Outline::Loops { loops, .. } => loops,
        other => panic!("{other:?}"),
    }
}

fn signed_area(ring: &[PlanPosition]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| (a[0] * b[1] - a[1] * b[0]) / 2.0).sum()
}

/// The area of the ground for an agent without a radius.
fn ground_area(plan: &FloorPlan) -> f64 {
    let config = PlanConfig::default().with_radius(0.0);
    area(&PlanBase::new(plan, &config).expect("a plan").ground().expect("ground").contours)
}

proptest! {
    #[test]
    fn outlines_hold_the_free_cells_and_turn_at_each_corner(rows in prop::collection::vec("[.@TG]{9}", 1..9)) {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let free = rows.iter().flat_map(|row| row.chars()).filter(|letter| ".G".contains(*letter)).count();
        let plan = map(&rows, &ReadOptions::default().with_scale(0.5)).unwrap();
        prop_assert_eq!(plan.storeys.is_empty(), free == 0);
        if free > 0 {
            let loops = loops(&plan, 0);
            let area: f64 = loops.iter().map(|ring| signed_area(ring)).sum();
            prop_assert!((area - free as f64 * 0.25).abs() < 1e-9);
            for ring in loops {
                for at in 0..ring.len() {
                    let [a, b, c] = [0, 1, 2].map(|more| ring[(at + more) % ring.len()]);
                    let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
                    prop_assert!(turn.abs() > 0.2, "{:?}", ring);
                }
            }
            prop_assert!((ground_area(&plan) - area).abs() < 1e-3 * area);
        }
    }
}

#[test]
fn terrains_have_areas_by_name() {
    let rows = ["..S", ".WT", "@@G"];
    let plan = map(&rows, &ReadOptions::default()).expect("a map");
    let areas = |plan: &FloorPlan| -> Vec<(usize, AreaId)> {
        plan.storeys[0].walkable.iter().enumerate().map(|(index, shape)| (index, shape.area)).collect()
    };
    assert_eq!(plan.storeys[0].walkable.len(), 2);
    let swamp = plan.areas.by_name("swamp").expect("an area");
    assert_eq!(areas(&plan), [(0, AreaId::GROUND), (1, swamp)]);
    let given = LayerAreas::new(|name| match name {
        "swamp" => Some("blocked".to_owned()),
        "water" => Some("water:4".to_owned()),
        _ => None,
    });
    let plan = map(&rows, &ReadOptions::default().with_layer_areas(given)).expect("a map");
    let water = plan.areas.by_name("water").expect("an area");
    assert_eq!(areas(&plan), [(0, AreaId::GROUND), (1, water)]);
    assert_eq!(plan.areas.get(water).map(|area| area.cost), Some(4.0));
}

#[test]
fn borders_of_cells_run_straight_within_the_error() {
    let rows: Vec<String> = (0..40).map(|row| ".".repeat(row + 1) + &"@".repeat(40 - row)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let exact = map(&rows, &ReadOptions::default()).expect("a map");
    let straight = map(&rows, &ReadOptions::default().with_map_error(0.75)).expect("a map");
    assert_eq!([loops(&exact, 0)[0].len(), loops(&straight, 0)[0].len()], [82, 4]);
    assert!((ground_area(&exact) - 820.0).abs() < 1e-3, "{}", ground_area(&exact));
    assert!((ground_area(&straight) - 820.0).abs() < 25.0);
    let pillar = map(&["...", ".@.", "..."], &ReadOptions::default().with_map_error(0.75)).expect("a map");
    assert_eq!(loops(&pillar, 0).len(), 2, "what is small stays");
}

/// A map of 6 x 4 cells: a border that is occupied, two cells unknown, six free.
const GREY: [u8; 24] =
    [0, 0, 0, 0, 0, 0, 0, 254, 254, 254, 205, 0, 0, 254, 254, 254, 205, 0, 0, 0, 0, 0, 0, 0];
const YAML: &str = "image: map.pgm\nresolution: 0.5\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n";

#[test]
fn maps_of_ros_lie_where_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    let read = |yaml: &str, options: &ReadOptions| {
        write("map.yaml", yaml.as_bytes());
        read_plan(&folder.join("map.yaml"), options)
    };
    let plain = ReadOptions::default();
    write("map.pgm", &[b"P5\n# made by a robot\n6 4\n255\n", &GREY[..]].concat());
    let plan = read(YAML, &plain).expect("a map");
    // Cells 1 to 3 of 6, rows 1 and 2 of 4 from above: y from 2.5 to 3.5, which is -z.
    let expected = [[-0.5, -3.5], [1.0, -3.5], [1.0, -2.5], [-0.5, -2.5]];
    let mut corners = loops(&plan, 0)[0].clone();
    corners.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    let mut sorted = expected.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    assert_eq!(corners, sorted);
    // A quarter turn about the corner of the origin.
    let turned = read(&YAML.replace("0.0]", "1.5707963267948966]"), &plain).expect("a map");
    for [x, z] in &expected {
        let [x, y] = [-1.0 - (-z - 2.0), 2.0 + (x + 1.0)];
        let near = |corner: &PlanPosition| (corner[0] - x).hypot(corner[1] + y) < 1e-9;
        assert!(loops(&turned, 0)[0].iter().any(near), "{x} {y}: {:?}", loops(&turned, 0));
    }
    // Text, 16 bits, PNG and inverse greys give the same map.
    let text: String = GREY.iter().fold("P2 6 4 255\n".to_owned(), |mut text, grey| {
        let _ = write!(text, "{grey} ");
        text
    });
    write("map.pgm", text.as_bytes());
    assert_eq!(loops(&read(YAML, &plain).expect("a map"), 0), loops(&plan, 0));
    let wide: Vec<u8> = GREY.iter().flat_map(|&grey| [grey, grey]).collect();
    write("map.pgm", &[b"P5 6 4 65535\n", &wide[..]].concat());
    assert_eq!(loops(&read(YAML, &plain).expect("a map"), 0), loops(&plan, 0));
    for (colour, channels) in
        [(png::ColorType::Grayscale, 1), (png::ColorType::Rgb, 3), (png::ColorType::Rgba, 4)]
    {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 6, 4);
        encoder.set_color(colour);
        let pixels: Vec<u8> = GREY
            .iter()
            .flat_map(|&grey| (0..channels).map(move |channel| if channel == 3 { 255 } else { grey }))
            .collect();
        encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).expect("a picture");
        write("map.png", &bytes);
        let plan_of_png = read(&YAML.replace("pgm", "png"), &plain).expect("a map");
        assert_eq!(loops(&plan_of_png, 0), loops(&plan, 0), "{colour:?}");
    }
    let inverse: Vec<u8> = GREY.iter().map(|grey| 255 - grey).collect();
    write("map.pgm", &[b"P5 6 4 255\n", &inverse[..]].concat());
    assert_eq!(
        loops(&read(&YAML.replace("negate: 0", "negate: 1"), &plain).expect("a map"), 0),
        loops(&plan, 0)
    );
    // In percent, 255 for what is unknown.
    let raw = GREY.map(|grey| match grey {
        0 => 100,
        205 => 255,
        _ => 0,
    });
    write("map.pgm", &[b"P5 6 4 255\n", &raw[..]].concat());
    let raw = format!("{YAML}mode: raw\n");
    assert_eq!(loops(&read(&raw, &plain).expect("a map"), 0), loops(&plan, 0));
    let with_unknown = read(&raw, &plain.clone().with_map_unknown(true)).expect("a map");
    assert!((ground_area(&with_unknown) - 2.0).abs() < 1e-6 && (ground_area(&plan) - 1.5).abs() < 1e-6);

    #[cfg(unix)]
    {
        let other = tempfile::tempdir().expect("a folder");
        std::fs::write(other.path().join("map.pgm"), b"P5 1 1 255 a").expect("a file");
        std::os::unix::fs::symlink(other.path().join("map.pgm"), folder.join("link.pgm")).expect("a link");
        let error = read(&YAML.replace("map.pgm", "link.pgm"), &plain).expect_err("a link out of it");
        assert!(error.to_string().contains("put both into one folder"), "{error}");
    }
    for (yaml, expected) in [
        (YAML.replace("map.pgm", "no.pgm"), "no.pgm"),
        (YAML.replace("map.pgm", "../map.pgm"), "put both into one folder"),
        (YAML.replace("map.pgm", "/etc/passwd"), "put both into one folder"),
        (YAML.replace("image: map.pgm\n", ""), "neither a map of ROS"),
        (YAML.replace("resolution: 0.5", "resolution: 0"), "resolution is not a number of metres above 0"),
        (YAML.replace("[-1.0, 2.0, 0.0]", "[-1.0, 2.0]"), "origin is not x, y and a turn"),
        (YAML.replace("0.196", ".nan"), "free_thresh is not a finite number"),
        (format!("{YAML}mode: dark\n"), "mode is not trinary, scale or raw"),
        (format!("{YAML}a: &a [1]\nb: *a\n"), "an alias"),
        (format!("{YAML}a: {}\n", "[".repeat(80)), "nested 65 deep, the limit is 64"),
    ] {
        let error = read(&yaml, &plain).expect_err(expected).to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    assert!(parse(YAML, PlanFormat::Yaml, &plain).expect_err("no folder").to_string().contains("one folder"));
}

#[test]
fn broken_maps_are_named() {
    for (text, format, expected) in [
        ("P5 6 4 255\nab", PlanFormat::Picture, "2 of 24 cells are in the file"),
        ("P2 6 4 255\n1 2 x", PlanFormat::Picture, "2 of 24 cells are in the file"),
        ("P5 6 4 70000\n", PlanFormat::Picture, "the largest grey, up to 65535"),
        ("P5 70000 70000 255\n", PlanFormat::Picture, "the limit is 67108864"),
        ("P5 0 4 255\n", PlanFormat::Picture, "0 x 4 cells"),
        ("P6 1 1 255\nabc", PlanFormat::Picture, "neither a portable grey map (P2, P5) nor a PNG"),
        ("\u{89}PNG", PlanFormat::Picture, "neither"),
        ("type octile\nheight x", PlanFormat::MovingAi, "\"height\" is not followed by"),
        ("height 2\nwidth 3\nmap\n...\n", PlanFormat::MovingAi, "row 1 of 2 has 0 cells, expected 3"),
        ("height 1\nwidth 3\nmap\n.?.\n", PlanFormat::MovingAi, "row 0, cell 1: '?' is no terrain"),
        ("", PlanFormat::MovingAi, "found \"the end of the file\""),
        (
            "levels: {L1: {vertices: [[0, 0, 0, \"\"]], walls: [[0, 1, {}]]}}",
            PlanFormat::Yaml,
            "levels.L1.walls[0]",
        ),
        ("levels: {L1: {measurements: [[0, 1, {}]]}}", PlanFormat::Yaml, "levels.L1.measurements"),
        (
            "lifts: {A: {reference_floor_name: L9}}\nlevels: {}",
            PlanFormat::Yaml,
            "lifts.A: there is no level \"L9\"",
        ),
        ("levels: {}\ncoordinate_system: mercator", PlanFormat::Yaml, "coordinate_system \"mercator\""),
        ("a: [", PlanFormat::Yaml, "map"),
    ] {
        let error = parse(text, format, &ReadOptions::default()).expect_err(expected).to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let error = parse_plan("map", b"\x89PNG\r\n\x1a\n0000", PlanFormat::Picture, &ReadOptions::default());
    assert!(error.expect_err("no picture").to_string().starts_with("map: "));
}

/// Two levels of other scales that are laid over each other by a fiducial, and a lift.
const BUILDING: &str = r#"
levels:
  ground:
    elevation: 0
    vertices: [[0, 0, 0, ""], [100, 0, 0, ""], [100, 80, 0, ""], [0, 80, 0, ""], [50, 0, 0, ""], [50, 80, 0, ""], [50, 40, 0, ""], [50, 60, 0, ""], [10, 60, 0, ""], [30, 60, 0, ""], [30, 70, 0, ""], [10, 70, 0, ""]]
    measurements: [[0, 1, {distance: [3, 10]}]]
    fiducials: [[10, 10, pillar]]
    floors: [{parameters: {}, vertices: [0, 1, 2, 3]}]
    holes: [{vertices: [8, 9, 10, 11]}]
    walls: [[4, 5, {}]]
    doors: [[6, 7, {name: [1, "front"]}]]
    models: [{name: chair, x: 3, y: 4}]
  upper:
    elevation: 3
    vertices: [[20, 40, 0, ""], [220, 40, 0, ""], [220, 200, 0, ""], [20, 200, 0, ""]]
    measurements: [[0, 1, {distance: [3, 10]}]]
    fiducials: [[40, 60, pillar]]
    floors: [{vertices: [0, 1, 2, 3]}]
lifts:
  lift:
    reference_floor_name: ground
    x: 80
    y: 40
    yaw: 0
    doors: {d: {x: 0, y: -1}}
    level_doors: {ground: [d], upper: [d]}
"#;

#[test]
fn buildings_have_their_levels_over_each_other() {
    let plan = parse(BUILDING, PlanFormat::Yaml, &ReadOptions::default()).expect("a building");
    let names: Vec<(&str, f64)> =
        plan.storeys.iter().map(|storey| (storey.name.as_str(), storey.elevation)).collect();
    assert_eq!(names, [("ground", 0.0), ("upper", 3.0)]);
    let corners = |storey: usize| match &plan.storeys[storey].walkable[0].outline {
        Outline::Polygon { outer, .. } => outer.clone(),
        other => panic!("{other:?}"),
    };
    let is_at = |place: PlanPosition, [x, z]: PlanPosition| (place[0] - x).hypot(place[1] - z) < 1e-9;
    assert!(is_at(corners(0)[2], [10.0, 8.0]));
    // Half the scale, and the pillar over the pillar: 2, 3 becomes 1, 1.
    for (corner, place) in corners(1).into_iter().zip([[0.0, 0.0], [10.0, 0.0], [10.0, 8.0], [0.0, 8.0]]) {
        assert!(is_at(corner, place), "{corner:?}");
    }
    let door = &plan.storeys[0].doors[0];
    assert_eq!(door.name, "front");
    assert!(is_at(door.line[0], [5.0, 4.0]) && is_at(door.line[1], [5.0, 6.0]), "{door:?}");
    assert_eq!(plan.storeys[0].blocked.len(), 2, "the hole and the wall");
    assert_eq!(plan.lifts[0].stops.len(), 2);
    assert!(is_at(plan.lifts[0].stops[0].at, [8.0, 5.5]), "in front of the door at 8, 5");
    assert!(plan.notes[0].to_string().contains("furniture (1 models)"), "{}", plan.notes[0]);
    let ground = PlanBase::new(&plan, &PlanConfig::default().with_radius(0.2)).expect("a plan").ground();
    assert!(ground.expect("ground").notes.is_empty());
    // Metres with y up are the same building turned over.
    let metric = BUILDING.replace("levels:\n", "coordinate_system: cartesian_meters\nlevels:\n");
    let plan = parse(&metric, PlanFormat::Yaml, &ReadOptions::default()).expect("a building");
    let turned_over = |outline: &Outline| matches!(outline, Outline::Polygon { outer, .. } if is_at(outer[2], [100.0, -80.0]));
    assert!(turned_over(&plan.storeys[0].walkable[0].outline));
}

//! Drawings in DXF: units, arcs, inserted blocks and hidden layers, by the area of their ground.

#![cfg(feature = "dxf")]

use crate::common;
use std::f64::consts::PI;

use common::{area, ground};
use waymesh_floorplan::{FloorPlan, PlanConfig, PlanError, PlanFormat, ReadOptions, parse_plan};

/// A drawing. Entities and records are code pairs that are separated by spaces.
#[derive(Clone, Copy, Default)]
struct Dxf<'a> {
    header: &'a str,
    layers: &'a str,
    blocks: &'a str,
    entities: &'a str,
}

impl Dxf<'_> {
    fn text(&self) -> String {
        let mut all = String::new();
        for (name, content) in [("HEADER", self.header), ("BLOCKS", self.blocks), ("ENTITIES", self.entities)]
        {
            if name == "BLOCKS" {
                all += &format!("0 SECTION 2 TABLES 0 TABLE 2 LAYER 70 9 {} 0 ENDTAB 0 ENDSEC ", self.layers);
            }
            all += &format!("0 SECTION 2 {name} {content} 0 ENDSEC ");
        }
        let lines: Vec<&str> = all.split_whitespace().collect();
        lines.join("\n") + "\n0\nEOF\n"
    }

    fn read(&self, options: &ReadOptions) -> Result<FloorPlan, PlanError> {
        parse_plan("plan", self.text().as_bytes(), PlanFormat::Dxf, options)
    }

    fn plan(&self) -> FloorPlan {
        self.read(&ReadOptions::default().with_scale(1.0)).expect("a plan")
    }
}

/// Area of the ground for an agent without size.
fn ground_area(plan: &FloorPlan) -> f64 {
    let config = PlanConfig::default().with_radius(0.0).with_near_distance(0.0);
    area(&ground(plan, &config).0.contours)
}

/// A square from the origin to the east and north.
fn square(layer: &str, side: f64) -> String {
    format!("0 LWPOLYLINE 8 {layer} 90 4 70 1 10 0 20 0 10 {side} 20 0 10 {side} 20 {side} 10 0 20 {side} ")
}

fn block(name: &str, base: &str, content: &str) -> String {
    format!("0 BLOCK 8 0 2 {name} 70 0 {base} {content} 0 ENDBLK 8 0 ")
}

#[test]
fn the_unit_of_the_drawing_counts_unless_a_scale_is_given() {
    let (survey_inch, floor) = (100.0 / 3937.0, square("floor", 1000.0));
    let units = [
        (1, 0.0254),
        (2, 0.3048),
        (4, 0.001),
        (5, 0.01),
        (6, 1.0),
        (10, 0.9144),
        (14, 0.1),
        (22, survey_inch),
    ];
    for (unit, metres) in units {
        let header = format!("9 $INSUNITS 70 {unit}");
        let drawing = Dxf { header: &header, entities: &floor, ..Dxf::default() };
        let plan = drawing.read(&ReadOptions::default()).expect("a plan");
        assert!(plan.notes.is_empty(), "unit {unit}: {:?}", plan.notes);
        let (found, expected) = (ground_area(&plan), (1000.0 * metres) * (1000.0 * metres));
        // The ground lies on a grid of 1 mm.
        assert!((found / expected - 1.0).abs() < 2e-3, "unit {unit}: {found}");
        let scaled = drawing.read(&ReadOptions::default().with_scale(0.5)).expect("a plan");
        assert!((ground_area(&scaled) - 250_000.0).abs() < 1.0);
        assert!(scaled.notes[0].to_string().contains("0.5 m"), "{}", scaled.notes[0]);
    }
    for header in ["", "9 $INSUNITS 70 0", "9 $INSUNITS 70 19", "9 $INSUNITS 70 99"] {
        let drawing = Dxf { header, entities: &floor, ..Dxf::default() };
        let plan = drawing.read(&ReadOptions::default()).expect("a plan");
        assert!((ground_area(&plan) - 1e6).abs() < 10.0);
        assert!(plan.notes[0].to_string().contains("no unit"), "{}", plan.notes[0]);
    }
}

#[test]
fn curves_are_round() {
    let bulged = |bulges: [f64; 2]| {
        let [first, second] = bulges;
        format!("0 LWPOLYLINE 8 floor 90 2 70 1 10 -2 20 0 42 {first} 10 2 20 0 42 {second} ")
    };
    let hall = square("floor", 10.0);
    // Walls of 0.1 m around an arc of radius 3 m, with square ends.
    let wall = |turns: f64| 100.0 - 0.1 * (2.0 * PI * 3.0 * turns + 0.1);
    let cases: [(&str, String, f64); 10] = [
        ("two half circles", bulged([1.0, 1.0]), 4.0 * PI),
        ("half a circle", bulged([1.0, 0.0]), 2.0 * PI),
        // The segment of a bulge b over a chord of 4 m: r = (1 + b^2) / b, half angle 2 atan b.
        ("a moon", bulged([1.0, -0.2]), 2.0 * PI - (5.2f64.powi(2) * (2.0 * 0.2f64.atan()) - 2.0 * 4.8)),
        ("clockwise", bulged([-1.0, -1.0]), 4.0 * PI),
        ("a circle", "0 CIRCLE 8 floor 10 1 20 2 40 2 ".into(), 4.0 * PI),
        (
            "an ellipse",
            "0 ELLIPSE 8 floor 10 1 20 2 11 3 21 0 40 0.5 41 0 42 6.283185307179586 ".into(),
            4.5 * PI,
        ),
        ("a quarter arc", format!("{hall}0 ARC 8 wall 10 5 20 5 40 3 50 80 51 170 "), wall(0.25)),
        ("an arc over 0", format!("{hall}0 ARC 8 wall 10 5 20 5 40 3 50 315 51 45 "), wall(0.25)),
        (
            "an arc seen from below",
            format!("{hall}0 ARC 8 wall 10 -5 20 5 40 3 50 0 51 90 230 -1 "),
            wall(0.25),
        ),
        (
            "a wide polyline",
            format!("{hall}0 LWPOLYLINE 8 wall 90 2 70 0 43 0.5 10 2 20 5 10 8 20 5 "),
            96.75,
        ),
    ];
    for (name, entities, expected) in cases {
        let found = ground_area(&Dxf { entities: &entities, ..Dxf::default() }.plan());
        assert!((found / expected - 1.0).abs() < 0.005, "{name}: {found}, but should be {expected}");
    }
    let down = "0 ARC 8 wall 10 -5 20 5 40 3 50 0 51 90 230 -1 ";
    let plan = Dxf { entities: down, ..Dxf::default() }.plan();
    let waymesh_floorplan::Outline::Wall { line, .. } = &plan.storeys[0].blocked[0].outline else {
        panic!("no wall")
    };
    // Its x axis is mirrored: the arc starts in the west. z points to the south.
    let ([x, z], [end_x, end_z]) = (line[0], line[line.len() - 1]);
    assert!((x - 2.0).abs() < 1e-9 && (z + 5.0).abs() < 1e-9, "{x}, {z}");
    assert!((end_x - 5.0).abs() < 1e-9 && (end_z + 8.0).abs() < 1e-9, "{end_x}, {end_z}");
}

#[test]
fn blocks_are_drawn_where_they_are_inserted() {
    let unit = block("unit", "10 0 20 0", &square("0", 1.0));
    let based = block("based", "10 5 20 5", "0 CIRCLE 8 floor 10 5 20 5 40 1 ");
    let outer = block("outer", "10 0 20 0", "0 INSERT 8 0 2 unit 10 1 20 0 50 90 41 2 ");
    let blocks = unit + &based + &outer;
    // Centre and area of the ground, to the east and north.
    let cases: [(&str, &str, [f64; 2], f64); 10] = [
        ("as it is", "2 unit 10 3 20 4", [3.5, 4.5], 1.0),
        ("any case of letters", "2 UNIT 10 3 20 4", [3.5, 4.5], 1.0),
        ("scaled", "2 unit 10 3 20 4 41 2 42 4", [4.0, 6.0], 8.0),
        ("mirrored", "2 unit 10 3 20 4 41 -1", [2.5, 4.5], 1.0),
        ("turned", "2 unit 10 3 20 4 50 90 41 2", [2.5, 5.0], 2.0),
        ("array", "2 unit 10 0 20 0 70 3 71 2 44 2 45 3", [2.5, 2.0], 6.0),
        ("turned array", "2 unit 10 0 20 0 50 180 70 2 44 4", [-2.5, -0.5], 2.0),
        ("from below", "2 unit 10 3 20 4 230 -1", [-3.5, 4.5], 1.0),
        ("base point", "2 based 10 2 20 3 41 3", [2.0, 3.0], 3.0 * PI),
        ("nested", "2 outer 10 10 20 0 42 3", [10.5, 3.0], 6.0),
    ];
    for (name, insert, [x, y], expected) in cases {
        let entities = format!("0 INSERT 8 floor {insert} ");
        let plan = Dxf { blocks: &blocks, entities: &entities, ..Dxf::default() }.plan();
        let (ground, _) = ground(&plan, &PlanConfig::default().with_radius(0.0).with_near_distance(0.0));
        let found = area(&ground.contours);
        assert!((found / expected - 1.0).abs() < 0.005, "{name}: {found}, but should be {expected}");
        let points: Vec<_> = common::rings(&ground.contours).concat();
        let middle = [0, 1].map(|axis| {
            let ends = points.iter().map(|point| point[axis]);
            f64::midpoint(ends.clone().fold(f64::MAX, f64::min), ends.fold(f64::MIN, f64::max))
        });
        assert!((middle[0] - x).abs() < 0.01 && (middle[1] + y).abs() < 0.01, "{name}: {middle:?}");
    }
}

#[test]
fn hidden_layers_and_paper_space_are_named_and_not_read() {
    let layers = "0 LAYER 2 floor 70 0 62 7 0 LAYER 2 wall-old 70 1 62 7 0 LAYER 2 Wall-Off 70 0 62 -7 ";
    let blocks = block("old", "10 0 20 0", &(square("0", 2.0) + &square("wall", 1.0)));
    let cases: [(&str, String, f64, &str); 7] = [
        ("frozen", square("wall-old", 2.0), 100.0, "\"wall-old\", which is frozen"),
        ("off", square("WALL-OFF", 2.0), 100.0, "\"WALL-OFF\", which is off"),
        ("shown", square("wall", 2.0), 96.0, "no unit"),
        ("block on a frozen layer", "0 INSERT 8 wall-old 2 old 10 0 20 0 ".into(), 100.0, "is frozen"),
        ("block on a layer that is off", "0 INSERT 8 wall-off 2 old 10 0 20 0 ".into(), 99.0, "is off"),
        ("invisible", square("wall", 2.0).replace("90 4", "60 1 90 4"), 100.0, "invisible"),
        ("paper", square("wall", 2.0).replace("90 4", "67 1 90 4"), 100.0, "paper space"),
    ];
    for (name, entities, expected, note) in cases {
        let entities = square("floor", 10.0) + &entities;
        let drawing = Dxf { layers, blocks: &blocks, entities: &entities, ..Dxf::default() };
        let plan = drawing.read(&ReadOptions::default()).expect("a plan");
        let found = ground_area(&plan);
        assert!((found - expected).abs() < 0.01, "{name}: {found}");
        let notes: Vec<String> = plan.notes.iter().map(ToString::to_string).collect();
        assert!(notes.iter().any(|text| text.contains(note)), "{name}: {notes:?}");
    }
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let elsewhere = "0 BLOCK 8 0 2 site 70 4 10 0 20 0 1 site.dwg 0 ENDBLK 8 0 ";
    let entities = square("floor", 3.0)
        + "0 INSERT 8 floor 2 site 10 0 20 0 0 INSERT 8 floor 2 lost 10 0 20 0 "
        + "0 CIRCLE 8 wall 10 0 20 0 40 1 210 1 220 0 230 0 0 POINT 8 wall 10 1 20 1 ";
    let plan = Dxf { blocks: elsewhere, entities: &entities, ..Dxf::default() }.plan();
    let notes = plan.notes.iter().map(|note| note.to_string() + "\n").collect::<String>();
    for expected in [
        "\"site\", which is in another file",
        "\"lost\", which the drawing does not have",
        "ground plane",
        "no line",
    ] {
        assert!(notes.contains(expected), "{notes}");
    }
}

#[test]
fn blocks_cannot_multiply_the_file() {
    let own = block("own", "10 0 20 0", "0 INSERT 8 floor 2 own 10 1 20 0 ");
    let other = block("other", "10 0 20 0", &square("floor", 1.0));
    // Every block inserts the one before it ten times: 10^8 squares.
    let mut towers = block("b0", "10 0 20 0", &square("floor", 1.0));
    for level in 1..9 {
        let insert = format!("0 INSERT 8 floor 2 b{} 10 0 20 0 70 10 44 2 ", level - 1);
        towers += &block(&format!("b{level}"), "10 0 20 0", &insert);
    }
    let empty = block("empty", "10 0 20 0", "");
    let cases = [
        (own, "2 own", "more than 16 deep"),
        (other, "2 other 70 32767 71 32767 44 2 45 2", "too many points, the limit is 1000000"),
        (towers, "2 b8", "too many points"),
        (empty, "2 empty 70 32767 71 32767", "too many points"),
    ];
    for (blocks, insert, expected) in cases {
        let entities = format!("0 INSERT 8 floor {insert} 10 0 20 0 ");
        let drawing = Dxf { blocks: &blocks, entities: &entities, ..Dxf::default() };
        let message = drawing.read(&ReadOptions::default()).expect_err("refused").to_string();
        assert!(message.contains(expected), "{message}");
    }
    // Numbers that are none, or are huge, are refused or have no area.
    for number in ["1e300", "nan", "inf", "-1e300"] {
        let blocks = block("unit", "10 0 20 0", &square("0", 1.0));
        for code in ["10", "41", "50"] {
            let entities = format!("{}0 INSERT 8 floor 2 unit {code} {number} ", square("floor", 2.0));
            if let Ok(plan) =
                (Dxf { blocks: &blocks, entities: &entities, ..Dxf::default() }).read(&ReadOptions::default())
            {
                let _ = waymesh_floorplan::PlanBase::new(&plan, &PlanConfig::default());
            }
        }
        let curves = format!(
            "0 ARC 8 wall 10 0 20 0 40 1 50 {number} 51 90 0 ELLIPSE 8 wall 10 0 20 0 11 1 21 0 40 1 41 {number} 42 1 "
        );
        let _ = Dxf { entities: &curves, ..Dxf::default() }.read(&ReadOptions::default());
    }
}

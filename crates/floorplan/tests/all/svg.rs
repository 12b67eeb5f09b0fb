//! Shapes of SVG that are drawn are read, wherever their style, size and position come from.

use crate::common;
use common::{area, ground};
use waymesh_floorplan::{FloorPlan, PlanConfig, PlanFormat, ReadOptions, parse_plan};

fn parse(body: &str) -> FloorPlan {
    parse_plan("plan", body.as_bytes(), PlanFormat::Svg, &ReadOptions::default()).expect(body)
}

fn notes(plan: &FloorPlan) -> String {
    plan.notes.iter().map(|note| format!("{note}\n")).collect()
}

fn ground_area(plan: &FloorPlan) -> f64 {
    area(&ground(plan, &PlanConfig::default().with_radius(0.0)).0.contours)
}

/// The ground of a floor of 100 x 80 m and what is drawn on it.
fn on_floor(root: &str, body: &str) -> (f64, String) {
    let plan = parse(&format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {root}><rect id="floor" width="100" height="80" fill="#ddd"/>{body}</svg>"##
    ));
    (ground_area(&plan), notes(&plan))
}

#[track_caller]
fn assert_area(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 0.002 * expected.max(100.0), "{what}: {found} instead of {expected}");
}

const FLOOR: f64 = 8000.0;
/// Three walls of 40 x 2 that meet at two corners, with square ends.
const WALLS: f64 = 3.0 * 40.0 * 2.0 + 2.0 * 2.0;

#[test]
fn strokes_are_inherited_from_everywhere() {
    let path = r#"d="M20 20 V60 H60 V20""#;
    let attributes = r##"fill="none" stroke="#000" stroke-width="2""##;
    let css = "fill:none;stroke:#000;stroke-width:2";
    let table = [
        ("itself", String::new(), format!("<path id='wall' {attributes} {path}/>")),
        ("its style", String::new(), format!("<path id='wall' style='{css}' {path}/>")),
        ("pixels", String::new(), format!("<path id='wall' style='{css}px' {path}/>")),
        ("a group", String::new(), format!("<g id='walls' {attributes}><path {path}/></g>")),
        ("a group's style", String::new(), format!("<g id='walls' style='{css}'><g><path {path}/></g></g>")),
        ("the root", attributes.to_owned(), format!("<path id='wall' {path}/>")),
        ("the root's style", format!("style='{css}'"), format!("<path id='wall' {path}/>")),
        (
            "a class",
            String::new(),
            format!("<style>.st0{{{css}}}</style><path id='wall' class='st0' {path}/>"),
        ),
        ("an element", String::new(), format!("<path id='wall' {path}/><style>path{{{css}}}</style>")),
        (
            "an id",
            String::new(),
            format!("<style><![CDATA[#wall{{{css}}}]]></style><path id='wall' {path}/>"),
        ),
        (
            "a class of a group",
            String::new(),
            format!(
                "<style>g .a > path, .b{{{css}}}</style><g class='walls'><g class='a'><path {path}/></g></g>"
            ),
        ),
        (
            "a style sheet over attributes",
            String::new(),
            format!("<style>path{{{css}}}</style><path id='wall' fill='#000' stroke-width='9' {path}/>"),
        ),
        (
            "an important style",
            String::new(),
            format!("<style>path{{stroke-width:2!important}}</style><path id='wall' style='{css}0' {path}/>"),
        ),
        (
            "a use",
            String::new(),
            format!("<defs><path id='x' {path}/></defs><use class='wall' href='#x' {attributes}/>"),
        ),
        (
            "percent",
            "viewBox='0 0 100 100'".to_owned(),
            format!("<path id='wall' fill='none' stroke='red' stroke-width='2%' {path}/>"),
        ),
    ];
    for (what, root, body) in table {
        let (found, notes) = on_floor(&root, &body);
        assert_area(found, FLOOR - WALLS, what);
        assert_eq!(notes, "", "{what}");
    }
}

#[test]
fn lengths_have_units() {
    for (unit, size) in [
        ("", 1.0),
        ("px", 1.0),
        ("mm", 96.0 / 25.4),
        ("cm", 96.0 / 2.54),
        ("in", 96.0),
        ("pt", 96.0 / 72.0),
        ("pc", 16.0),
        ("%", 8.0),
    ] {
        // A percent of each side of a viewport of 800 x 800 is 8.
        let plan = parse(&format!(
            "<svg viewBox='100 -50 800 800'><rect x='1{unit}' y='2{unit}' width='3{unit}' height='2{unit}'/>\
             <rect class='wall' x='3{unit}' y='2{unit}' width='1{unit}' height='1{unit}'/></svg>"
        ));
        assert_area(ground_area(&plan) / (size * size), 5.0, unit);
        let waymesh_floorplan::Outline::Loops { loops, .. } = &plan.storeys[0].walkable[0].outline else {
            panic!("{plan:?}")
        };
        assert!((loops[0][0][0] - size).abs() < 1e-4 * size, "{unit}: {loops:?}");
    }
    let percent = parse_plan(
        "plan",
        b"<svg><rect width='3%' height='1'/></svg>",
        PlanFormat::Svg,
        &ReadOptions::default(),
    );
    assert!(percent.expect_err("no size").to_string().contains("3%"));
}

#[test]
fn a_physical_size_is_told_if_no_scale_is_given() {
    let drawing = |size: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' {size} viewBox='0 0 100 80'><rect id='floor' width='100' height='80'/></svg>"
        )
    };
    for (size, metres) in [
        ("width='10000mm' height='8000mm'", Some("0.1")),
        ("width='10cm' height='8cm'", Some("0.001")),
        ("width='100in' height='80in'", Some("0.0254")),
        ("width='7200pt' height='5760pt'", Some("0.0254")),
        ("width='600pc' height='480pc'", Some("0.0254")),
        ("width='100000mm' height='80000mm'", None),
        ("width='100' height='80'", None),
        ("width='100px' height='80px'", None),
        ("width='100%' height='100%'", None),
        ("", None),
    ] {
        let plan = parse(&drawing(size));
        assert_area(ground_area(&plan), 8000.0, size);
        match metres {
            Some(metres) => {
                assert!(notes(&plan).contains(&format!("scale {metres}")), "{size}: {}", notes(&plan))
            }
            None => assert_eq!(notes(&plan), "", "{size}"),
        }
        let options = ReadOptions::default().with_scale(0.1);
        let scaled = parse_plan("plan", drawing(size).as_bytes(), PlanFormat::Svg, &options).expect("a plan");
        assert_area(ground_area(&scaled), 80.0, size);
        assert_eq!(notes(&scaled), "", "{size}");
    }
}

#[test]
fn what_is_not_drawn_is_not_there_and_is_named() {
    let rect = "x='40' width='20' height='80'";
    for (what, name, body) in [
        ("display", "wall", format!("<rect id='wall' {rect} display='none'/>")),
        ("display of a style", "wall", format!("<rect id='wall' {rect} style='display:none'/>")),
        (
            "display of a group",
            "furniture",
            format!("<g id='furniture' style='display:none'><g><rect {rect}/></g></g>"),
        ),
        (
            "a layer",
            "layer1",
            format!(
                "<g inkscape:groupmode='layer' inkscape:label='Walls' id='layer1' style='display:none' xmlns:inkscape='i'><rect {rect}/></g>"
            ),
        ),
        (
            "a style sheet",
            "wall",
            format!("<style>.off{{display:none}}</style><rect id='wall' class='off' {rect}/>"),
        ),
        ("visibility", "wall", format!("<rect id='wall' {rect} visibility='hidden'/>")),
        ("visibility of a group", "wall", format!("<g visibility='collapse'><rect id='wall' {rect}/></g>")),
        ("no paint", "wall", format!("<rect id='wall' fill='none' {rect}/>")),
        ("clear paint", "wall", format!("<rect id='wall' fill='transparent' stroke='none' {rect}/>")),
        ("fill of no opacity", "wall", format!("<rect id='wall' fill-opacity='0' {rect}/>")),
        ("opacity", "wall", format!("<g opacity='0'><rect id='wall' {rect}/></g>")),
        ("no size", "wall", "<rect id='wall' width='20' height='0'/>".to_owned()),
        ("no stroke", "wall", "<path id='wall' fill='none' stroke='none' d='M0 0H50V30'/>".to_owned()),
        ("no scale", "wall", format!("<rect id='wall' {rect} transform='scale(0)'/>")),
    ] {
        let (found, notes) = on_floor("", &body);
        assert_area(found, FLOOR, what);
        assert!(notes.contains(name) && notes.lines().count() == 1, "{what}: {notes:?}");
    }
    // Shapes that are drawn inside hidden groups, and shapes that are never drawn.
    for body in [
        format!("<g visibility='hidden'><rect id='wall' visibility='visible' {rect}/></g>"),
        format!(
            "<g display='none'/><defs><rect {rect}/></defs><symbol><rect {rect}/></symbol><rect id='wall' {rect}/>"
        ),
        format!("<linearGradient id='p'/><rect id='wall' fill='url(#p)' {rect}/>"),
        format!("<pattern id='p'><rect {rect}/></pattern><g fill='url(#p) red'><rect id='wall' {rect}/></g>"),
    ] {
        let (found, notes) = on_floor("", &body);
        assert_area(found, FLOOR - 1600.0, &body);
        assert_eq!(notes, "", "{body}");
    }
}

#[test]
fn strokes_are_as_wide_as_transforms_make_them() {
    let line = "<line id='wall' x1='0' y1='10' x2='0' y2='30' stroke='black' stroke-width='1' TRANSFORM/>";
    // A wall of 20 x 1 with square ends is 21 long.
    for (transform, expected) in [
        ("translate(50 0)", 21.0),
        ("translate(50) scale(2)", 42.0 * 2.0),
        ("translate(50 20) rotate(30)", 21.0),
        ("translate(50) scale(-2 2)", 42.0 * 2.0),
        ("translate(50) scale(4 1)", 21.0 * 4.0),
        ("translate(50) scale(1 2)", 42.0),
        ("translate(50 20) rotate(30) scale(3 1)", 21.0 * 3.0),
        // Sheared along itself, and across.
        ("translate(50) skewX(30)", 21.0),
        ("translate(50) skewY(30)", 21.0),
    ] {
        let (found, _) = on_floor("", &line.replace("TRANSFORM", &format!("transform='{transform}'")));
        assert!((FLOOR - found - expected).abs() < 0.3, "{transform}: {}", FLOOR - found);
        let grouped = format!("<g transform='{transform}'>{}</g>", line.replace("TRANSFORM", ""));
        let (found, _) = on_floor("", &grouped);
        assert!((FLOOR - found - expected).abs() < 0.3, "{transform} of a group: {}", FLOOR - found);
    }
    // Walls whose width the file leaves open keep that of the options.
    let (found, _) =
        on_floor("", "<line id='wall' x1='0' y1='5' x2='0' y2='25' transform='translate(50) scale(2)'/>");
    assert!((FLOOR - found - 0.1 * 40.1).abs() < 0.05, "{}", FLOOR - found);
}

#[test]
fn shapes_have_their_drawn_outline() {
    let round = std::f64::consts::PI * 100.0;
    for (body, blocked) in [
        // Rounded corners.
        ("<rect id='wall' x='20' y='20' width='40' height='20' rx='10'/>", 800.0 - (400.0 - round)),
        ("<rect id='wall' x='20' y='20' width='20' height='20' rx='99'/>", round),
        ("<circle id='wall' cx='50' cy='40' r='10'/>", round),
        ("<ellipse id='wall' cx='50' cy='40' rx='20' ry='5'/>", round),
        // A ring of walls, and the same filled.
        (
            "<rect id='wall' x='20' y='20' width='40' height='20' fill='none' stroke='red' stroke-width='2'/>",
            42.0 * 22.0 - 38.0 * 18.0,
        ),
        (
            "<path id='wall' d='M20 20h40v20h-40z' fill='none' stroke='red' stroke-width='2'/>",
            42.0 * 22.0 - 38.0 * 18.0,
        ),
        ("<path id='wall' d='M20 20h40v20h-40z' fill='red'/>", 800.0),
        ("<path id='wall' d='M20 20h40v20' fill='red' stroke='red'/>", 400.0),
        ("<polyline id='wall' points='20,20 60,20 60,40' fill='red' stroke='red'/>", 400.0),
        ("<polyline id='wall' points='20,20 60,20' stroke='red' stroke-width='2'/>", 84.0),
        ("<path id='wall' fill-rule='evenodd' d='M20 20h40v20h-40z M30 25h20v10h-20z'/>", 600.0),
        ("<g style='fill-rule:evenodd'><path id='wall' d='M20 20h40v20h-40z M30 25h20v10h-20z'/></g>", 600.0),
        // Places: nested drawings, symbols, copies, switches.
        (
            "<svg x='20' y='20' width='40' height='20' viewBox='0 0 4 2'><rect class='wall' width='2' height='2'/></svg>",
            400.0,
        ),
        ("<svg x='20' y='20' width='10' height='10'><rect class='wall' width='40' height='5'/></svg>", 50.0),
        (
            "<svg x='20' y='20' width='10' height='10' overflow='visible'><rect class='wall' width='40' height='5'/></svg>",
            200.0,
        ),
        (
            "<symbol id='s' viewBox='0 0 1 1'><rect class='wall' width='1' height='1'/></symbol><use href='#s' x='30' y='30' width='10' height='10'/>",
            100.0,
        ),
        (
            "<defs><g id='s'><rect class='wall' width='10' height='10'/></g></defs><use xlink:href='#s' x='30' y='30'/><use href='#s' transform='translate(60 10)'/>",
            200.0,
        ),
        ("<defs><rect id='s' width='10' height='10'/></defs><use class='wall' href='#s' x='10mm'/>", 100.0),
        (
            "<switch><foreignObject requiredExtensions='x'/><g><rect class='wall' width='10' height='10'/></g></switch>",
            100.0,
        ),
        ("<a href='x'><rect class='wall' width='10' height='10'/></a>", 100.0),
        // Clip paths.
        (
            "<clipPath id='c'><rect x='10' width='10' height='80'/></clipPath><rect id='wall' width='40' height='10' clip-path='url(#c)'/>",
            100.0,
        ),
        (
            "<clipPath id='c'><rect x='10' width='10' height='80'/></clipPath><g style='clip-path:url(#c)' transform='translate(10)'><rect id='wall' width='40' height='10'/></g>",
            100.0,
        ),
        (
            "<clipPath id='c' clipPathUnits='objectBoundingBox'><rect width='.5' height='1'/></clipPath><rect id='wall' x='10' width='40' height='10' clip-path='url(#c)'/>",
            200.0,
        ),
        (
            "<clipPath id='c'><rect width='10' height='80'/></clipPath><clipPath id='d' clip-path='url(#c)'><rect x='5' width='10' height='80'/></clipPath><rect id='wall' width='40' height='10' clip-path='url(#d)'/>",
            50.0,
        ),
        (
            "<defs><rect id='r' x='10' width='10' height='80'/></defs><clipPath id='c'><use xlink:href='#r'/></clipPath><path id='wall' fill='none' stroke='red' stroke-width='10' d='M0 20H90' clip-path='url(#c)'/>",
            100.0,
        ),
        (
            "<clipPath id='c'><rect width='90' height='80'/></clipPath><rect id='wall' width='40' height='10' clip-path='url(#c)'/>",
            400.0,
        ),
    ] {
        let (found, notes) = on_floor("", body);
        assert!(
            (FLOOR - found - blocked).abs() < 0.004 * blocked,
            "{body}: {} instead of {blocked}",
            FLOOR - found
        );
        assert_eq!(notes, "", "{body}");
    }
    // The outline of a room is its area.
    let plan =
        parse("<svg><path class='room' fill='none' stroke='red' d='M0 0h10v10h-10z M2 2h2v2h-2z'/></svg>");
    assert_area(ground_area(&plan), 96.0, "a room");
}

#[test]
fn what_is_left_out_is_named() {
    for (body, name) in [
        ("<text id='t'>hall</text>", "<text> \"t\""),
        ("<image id='i' href='file:///etc/passwd'/>", "<image> \"i\""),
        ("<mask id='m'/><rect id='r' width='1' height='1' mask='url(#m)'/>", "<rect> \"r\": a mask"),
        ("<rect id='r' width='1' height='1' clip-path='inset(2px)'/>", "<rect> \"r\": a clip path"),
        ("<use id='u' href='other.svg#a'/>", "<use> \"u\""),
        ("<use id='u' href='#u'/>", "<use> \"u\""),
        ("<g id='a'><use id='u' href='#a'/></g>", "<use> \"u\""),
        (
            "<switch><g/><g><rect id='other' width='9' height='9'/></g></switch>",
            "<rect> \"other\": what is not drawn",
        ),
        ("<clipPath id='c' clip-path='url(#c)'><rect width='9' height='9'/></clipPath>", "<clipPath> \"c\""),
    ] {
        let (found, notes) = on_floor("", body);
        assert_area(found, FLOOR, body);
        assert!(notes.contains(name), "{body}: {notes:?}");
    }
}

#[test]
fn broken_values_name_their_element() {
    for (body, expected) in [
        ("<rect width='3kg' height='1'/>", "3kg"),
        ("<rect width='3' height='1' style='stroke-width:thick'/>", "thick"),
        ("<g transform='turn(3)'/>", "transform"),
        ("<path d='M0 0L9'/>", "<path> at line 1"),
        ("<polygon points='1,2 3'/>", "3 numbers"),
        ("<polygon points='1,2 3,x'/>", "points"),
        ("<rect x='1e30' width='1' height='1'/>", "the limit is"),
        ("<svg viewBox='1 2 3'/>", "viewBox"),
    ] {
        let text = format!("<svg>{body}</svg>");
        let error = parse_plan("plan", text.as_bytes(), PlanFormat::Svg, &ReadOptions::default());
        let message = error.expect_err(body).to_string();
        assert!(message.contains(expected), "{body}: {message}");
    }
    let root = parse_plan("plan", b"<html/>", PlanFormat::Svg, &ReadOptions::default());
    assert!(root.expect_err("no drawing").to_string().contains("<html>"));
}

/// For any bytes there is a plan or an error.
#[test]
fn damaged_drawings_never_panic() {
    const DRAWING: &str = r##"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]>
<svg xmlns="&ns;" xmlns:xlink="http://www.w3.org/1999/xlink" width="210mm" height="297mm" viewBox="0 0 210 297" fill="none">
<style type="text/css">/* walls */ @import "a.css"; .st0 > rect, #wall:first-child, [id="x"] + g a { fill:none; stroke:#000 !important; stroke-width:2px }</style>
<defs><clipPath id="c" clipPathUnits="objectBoundingBox"><use xlink:href="#r" x="1" y="2"/><circle r=".5"/></clipPath>
<clipPath id="d" clip-path="url(#c)" transform="rotate(3)"><path d="M1 2 h3 v4 q5 6 7 8 t9 1 z" clip-rule="evenodd"/></clipPath>
<linearGradient id="p"><stop offset="0"/></linearGradient><rect id="r" width="50%" height="2em" rx="3" ry="1"/>
<symbol id="s" viewBox="0 0 4 2" preserveAspectRatio="xMinYMax slice"><rect width="4" height="2" fill="url(#p) red"/></symbol></defs>
<g class="st0 floor" transform="matrix(1 .2 -.3 2 5 6) skewX(10)" opacity=".5" clip-path="url(#d)"><rect width="40" height="30" rx="99"/></g>
<g id="walls" style="stroke:url(#p);stroke-width:1.5"><path d="M10,10 L20 20 A5 7 30 0 1 40 40 C 1 2 3 4 5 6 S 9 8 7 6 Z m1 1 l 2 3"/>
<polyline points="1,2 3,4 5 6"/><line x1="1cm" x2="20" y2="30pt"/></g>
<svg x="3" y="4" width="50" height="40" viewBox="0 0 5 4" overflow="visible"><ellipse cx="2" cy="1" rx="1" ry="2" fill="#f00"/></svg>
<switch><g systemLanguage="de"/><use href="#s" x="9" y="8" width="20%" height="7"/></switch>
<g id="doors" display="inline" visibility="visible"><polygon points="0,0 1,0 1,4 0,4" fill="currentColor"/></g></svg>"##;
    let whole = parse(DRAWING);
    assert!(whole.storeys[0].walkable.len() > 2 && whole.storeys[0].blocked.len() > 2, "{whole:?}");
    let mut random = waymesh_testkit::Random::new(17);
    let mut read = 0;
    for _ in 0..3000 {
        let bytes = waymesh_testkit::text::damaged(DRAWING, &mut random);
        let Ok(plan) = parse_plan("plan", &bytes, PlanFormat::Svg, &ReadOptions::default()) else { continue };
        read += 1;
        if read % 8 == 0
            && let Ok(base) = waymesh_floorplan::PlanBase::new(&plan, &PlanConfig::default())
        {
            let ground = base.ground().expect("ground");
            waymesh_core::Validate::validate(&ground.contours).expect("sound contours");
        }
    }
    assert!(read > 300, "{read}");
}

//! Plans that are made to take all time or all memory: read in time in proportion to their size, or
//! refused with the limit.

use crate::common;
use common::ground;
use waymesh_core::{AreaId, Validate};
use waymesh_floorplan::{
    Door, FloorPlan, Outline, PlanBase, PlanConfig, PlanError, PlanFormat, PlanPosition, ReadOptions, Shape,
    parse_plan,
};

fn parse(text: &str, format: PlanFormat) -> Result<FloorPlan, PlanError> {
    parse_plan("plan", text.as_bytes(), format, &ReadOptions::default())
}

fn refused(text: &str, format: PlanFormat, why: &str) {
    let message = parse(text, format).expect_err("refused").to_string();
    assert!(message.contains(why), "{message}");
}

fn storey(walkable: Vec<Vec<PlanPosition>>) -> FloorPlan {
    let mut plan = FloorPlan::default();
    let shapes = walkable.into_iter().enumerate();
    plan.storey_mut("hall", 0.0).walkable =
        shapes.map(|(index, ring)| Shape::polygon(format!("shape {index}"), ring)).collect();
    plan
}

fn rectangle(x: f64, z: f64, width: f64, depth: f64) -> Vec<PlanPosition> {
    vec![[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]]
}

/// A star of edges that all pass near its middle.
fn star(corners: u32) -> Vec<PlanPosition> {
    let at = |corner: u32| {
        let angle = f64::from(corner * (corners / 2 - 1) % corners) / f64::from(corners);
        let (sin, cos) = (angle * std::f64::consts::TAU).sin_cos();
        [50.0 * cos, 50.0 * sin]
    };
    (0..corners).map(at).collect()
}

#[test]
fn huge_arcs_of_svg_are_refused() {
    let large = "1".repeat(60);
    for arc in
        [format!("A{large} 3 10 0 1 2 1"), format!("A2 3 10 0 1 {large} 0"), format!("a2 3 1 0 1 0-{large}")]
    {
        let text = format!(r#"<svg><g id="floor"><path d="M-2 0{arc}C3 4 5 6 7 8z"/></g></svg>"#);
        refused(&text, PlanFormat::Svg, "the limit is 1000000000");
    }
    // It is as large as it takes to reach from one to the other.
    for start in [format!("M{large} 0"), format!("M0 0V-{large}"), format!("M0 0C1 2 3 4 {large} 6")] {
        let text = format!(r#"<svg><g id="floor"><path d="{start}A2 3 10 0 1 2 0L3 4z"/></g></svg>"#);
        refused(&text, PlanFormat::Svg, "the limit is 1000000000");
    }
    let fine = r#"<svg><g id="floor"><path d="M0 0A5 5 0 0 1 10 0L10 9 0 9z"/></g></svg>"#;
    assert!(parse(fine, PlanFormat::Svg).is_ok());
}

#[test]
fn entities_of_svg_cannot_multiply_the_file() {
    let drawing = |entities: &str, references: &str| {
        format!(
            "<!DOCTYPE svg [{entities}]><svg><g id=\"{references}\"/><rect width=\"9\" height=\"9\"/></svg>"
        )
    };
    let long = format!("<!ENTITY a \"{}\">", "x".repeat(100_000));
    refused(&drawing(&long, &"&a;".repeat(100_000)), PlanFormat::Svg, "entities of 10000000000 bytes");
    // Each reference looks through all that are declared.
    let many: String = (0..50_000).map(|index| format!("<!ENTITY a{index} ''>")).collect();
    refused(&drawing(&many, &"&a49999;".repeat(50_000)), PlanFormat::Svg, "the limit is");
    let nested = "<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">";
    refused(&drawing(nested, "&b;"), PlanFormat::Svg, "an entity that names others");
    let attributes: String = (0..200_000).map(|index| format!(" a{index}=''")).collect();
    refused(&format!("<svg{attributes}/>"), PlanFormat::Svg, "200000 attributes, the limit is 10000");
    // Text that drawing programs write.
    let plan = parse(&drawing("<!ENTITY floor \"A-FLOOR\">", "&floor;"), PlanFormat::Svg).expect("a plan");
    assert_eq!(plan.shape_counts(), (1, 0));
}

#[test]
fn uses_and_styles_of_svg_take_time_in_proportion() {
    // Each of 40 groups is used ten times by the next.
    let mut uses = "<g id='g0'><rect width='9' height='9'/></g>".to_owned();
    for level in 1..40 {
        let link = format!("<use href='#g{}'/>", level - 1);
        uses += &format!("<g id='g{level}'>{}</g>", link.repeat(10));
    }
    for count in [9, 39] {
        let text = format!("<svg><defs>{uses}</defs><use href='#g{count}'/></svg>");
        refused(&text, PlanFormat::Svg, "uses make more than");
    }
    let mut row = "<g id='g0'><rect width='9' height='9'/></g>".to_owned();
    for level in 1..80 {
        row += &format!("<g id='g{level}'><use href='#g{}' x='1'/></g>", level - 1);
    }
    let deep = |count: u32| format!("<svg><defs>{row}</defs><use href='#g{count}'/></svg>");
    assert_eq!(parse(&deep(60), PlanFormat::Svg).expect("a plan").shape_counts(), (1, 0));
    refused(&deep(79), PlanFormat::Svg, "nested deeper than 128");
    let wide = format!("<path id='p' d='{}'/>", "M0 0H9V9".repeat(10_000));
    refused(
        &format!("<svg>{wide}{}</svg>", "<use href='#p'/>".repeat(10_000)),
        PlanFormat::Svg,
        "uses make more than",
    );
    // A selector that tries all choices of ancestors.
    let nested = format!("{}<rect width='9' height='9'/>{}", "<g>".repeat(100), "</g>".repeat(100));
    let selector = format!("x {}rect{{fill:red}}", "g ".repeat(50));
    refused(&format!("<svg><style>{selector}</style>{nested}</svg>"), PlanFormat::Svg, "comparisons");
    let rules = "g{x:y}".repeat(100_000);
    let shapes = "<rect width='9' height='9'/>".repeat(10_000);
    refused(&format!("<svg><style>{rules}</style>{shapes}</svg>"), PlanFormat::Svg, "comparisons");
    let list = format!("a{}{{{}}}", ",a".repeat(50_000), "b:c;".repeat(50_000));
    refused(&format!("<svg><style>{list}</style></svg>"), PlanFormat::Svg, "declarations, the limit is");
    // Clip paths in a row, and large ones for many shapes.
    let mut chain = "<clipPath id='c0'><rect width='9' height='9'/></clipPath>".to_owned();
    for index in 1..5_000 {
        let before = index - 1;
        chain += &format!(
            "<clipPath id='c{index}' clip-path='url(#c{before})'><rect width='9' height='9'/></clipPath>"
        );
    }
    let plan = parse(
        &format!("<svg>{chain}<rect width='9' height='9' clip-path='url(#c4999)'/></svg>"),
        PlanFormat::Svg,
    );
    assert_eq!(plan.expect("a plan").shape_counts(), (1, 0));
    let teeth: String = (0..5_000).map(|x| format!("L{x} {}", x % 2)).collect();
    let clip = format!("<clipPath id='c'><path d='M0 9{teeth}V9z'/></clipPath>");
    let shapes = "<rect width='9' height='9' clip-path='url(#c)'/>".repeat(2_500);
    refused(&format!("<svg>{clip}{shapes}</svg>"), PlanFormat::Svg, "corners");
    refused(
        &format!("<svg>{}</svg>", "<g>".repeat(200) + &"</g>".repeat(200)),
        PlanFormat::Svg,
        "nested deeper than 128",
    );
}

#[test]
fn geometries_of_wkt_nest_up_to_a_limit() {
    let nested =
        |depth: usize| format!("{}POINT (1 2){}", "GEOMETRYCOLLECTION (".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&nested(60), PlanFormat::Wkt).expect("a plan").notes.len(), 1);
    refused(&nested(20_000), PlanFormat::Wkt, "line 1: nested 20001 deep, the limit is 64");
    let groups = format!("<svg>{}{}</svg>", "<g>".repeat(20_000), "</g>".repeat(20_000));
    drop(parse(&groups, PlanFormat::Svg));
    let json =
        format!("{}{}", r#"{"type":"GeometryCollection","geometries":["#.repeat(20_000), "]}".repeat(20_000));
    assert!(parse(&json, PlanFormat::GeoJson).is_err());
    assert!(parse(&format!("a = {}", "[".repeat(20_000)), PlanFormat::Toml).is_err());
}

#[test]
fn elements_without_a_name_are_named_by_their_line_in_time_in_proportion() {
    let shapes = 400_000;
    let text = format!("<svg>\n{}</svg>", "<rect width=\"9\" height=\"9\"/>\n".repeat(shapes));
    let plan = parse(&text, PlanFormat::Svg).expect("a plan");
    let last = plan.storeys[0].walkable.last().expect("a shape");
    assert_eq!(&*last.source, "plan: <rect> at line 400001");
}

#[test]
fn thousands_of_doors_are_cut_at_once() {
    let (rooms, doors) = (4_000_u32, 3_999);
    let mut plan = storey(vec![rectangle(0.0, 0.0, f64::from(rooms) * 4.0, 5.0)]);
    for index in 1..rooms {
        let x = f64::from(index) * 4.0;
        let wall = Outline::Wall { line: vec![[x, 0.0], [x, 5.0]], width: 0.2 };
        plan.storeys[0].blocked.push(Shape::new(format!("wall {index}"), wall));
        plan.storeys[0].doors.push(Door::new(index.to_string(), [[x, 2.0], [x, 3.0]]));
    }
    let (ground, base) = ground(&plan, &PlanConfig::default());
    assert_eq!(base.doors().len(), doors);
    // A room with what lies before its door, and the sill behind.
    assert_eq!(ground.contours.regions.len(), rooms as usize + doors);
    ground.contours.validate().expect("sound");
    // A strip of mud along all rooms parts the ground of each.
    let mut mud = Shape::polygon("mud", rectangle(0.0, 1.5, f64::from(rooms) * 4.0, 2.0));
    mud.area = AreaId(3);
    plan.storeys[0].marks.push(mud);
    let (ground, _) = common::ground(&plan, &PlanConfig::default());
    assert_eq!(ground.contours.regions.len(), 3 * rooms as usize + doors);
}

#[test]
fn doors_over_each_other_are_all_cut_up_to_a_limit() {
    let crossing = |count: usize| {
        let mut plan = storey(vec![rectangle(0.0, 0.0, 20.0, 20.0)]);
        let door = |index: usize| {
            let x = 10.0 + f64::from(u8::try_from(index % 2).expect("0 or 1")) * 0.1;
            Door::new(index.to_string(), [[x, 5.0], [x, 6.0]])
        };
        plan.storeys[0].doors = (0..count).map(door).collect();
        PlanBase::new(&plan, &PlanConfig::default()).expect("a base").ground()
    };
    let ground = crossing(3).expect("ground");
    ground.contours.validate().expect("sound");
    let doors: Vec<&[usize]> = ground.doors.iter().map(Vec::as_slice).collect();
    assert_eq!(doors, [&[][..], &[0, 1, 2], &[0, 2], &[1]], "the hall, and the parts of sills");
    let message = crossing(65).expect_err("refused").to_string();
    assert!(message.contains("door \"64\": doors lie over each other, more than 64 deep"), "{message}");
}

#[test]
fn borders_cross_each_other_up_to_a_limit() {
    let config = PlanConfig::default();
    let found = PlanBase::new(&storey(vec![star(300)]), &config).expect("a base").ground().expect("ground");
    assert_eq!(found.contours.regions.len(), 1);
    let refused = |plan: &FloorPlan, element: &str| {
        let built = PlanBase::new(plan, &config).and_then(|base| base.ground());
        match built.expect_err("refused") {
            PlanError::TooManyCrossings { element: found, limit: 1_000_000 } => assert_eq!(&*found, element),
            other => panic!("{other}"),
        }
    };
    refused(&storey(vec![star(4_000)]), "shape 0");
    let mut walls = storey(vec![rectangle(-60.0, -60.0, 120.0, 120.0)]);
    walls.storeys[0].blocked.push(Shape::new("wall", Outline::Wall { line: star(4_000), width: 0.1 }));
    refused(&walls, "wall");
    // Each shape is simple.
    let strips = |across: bool| {
        (0..5_000).map(move |index| {
            let at = f64::from(index) * 2.0;
            if across { rectangle(at, 0.0, 1.0, 1e4) } else { rectangle(0.0, at, 1e4, 1.0) }
        })
    };
    refused(&storey(strips(true).chain(strips(false)).collect()), "storey \"hall\"");
    let mut fence = storey(strips(true).collect());
    fence.storeys[0].blocked = strips(false).map(|ring| Shape::polygon("strip", ring)).collect();
    refused(&fence, "storey \"hall\"");
}

#[test]
fn edges_over_each_other_and_stray_points_do_not_count_as_crossings() {
    // Twenty drawings of the same floors, 5 mm apart, and one point far away.
    let mut rings = Vec::new();
    for copy in 0..20_u32 {
        let beside = f64::from(copy) * 0.005;
        rings.extend((0..200_u32).map(|room| {
            rectangle(f64::from(room % 20) * 5.0 + beside, f64::from(room / 20) * 5.0, 4.5, 4.5)
        }));
    }
    rings.push(rectangle(1e6, 1e6, 1.0, 1.0));
    let (ground, _) = ground(&storey(rings), &PlanConfig::default().with_radius(0.0));
    assert_eq!(ground.contours.regions.len(), 201);
}

#[test]
fn storeys_are_counted() {
    let features: Vec<String> = (0..5_000)
        .map(|index| {
            format!(
                r#"{{"type":"Feature","properties":{{"storey":"{index}"}},"geometry":{{"type":"Polygon",
                "coordinates":[[[0,0],[9,0],[9,9],[0,0]]]}}}}"#
            )
        })
        .collect();
    let text = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","));
    refused(&text, PlanFormat::GeoJson, "1001 storeys, the limit is 1000");
    let text: String = (0..5_000).map(|index| format!("[[storey]]\nname = \"{index}\"\n")).collect();
    refused(&text, PlanFormat::Toml, "storeys, the limit is 1000");
}

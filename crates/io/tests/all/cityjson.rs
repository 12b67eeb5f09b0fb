//! Cities of CityJSON: levels of detail, semantics, holes, templates and sequences.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::path::Path;

use glam::DVec3;
use waymesh_core::{AreaId, TriangleSoup};
use waymesh_io::{AreaRules, IoError, LoadOptions, load_with_names, parse_scene};

use crate::common::{corners, parse};

/// A city of these objects, on a lattice of 21 x 21 x 11 vertices: 441 on each level of 1 m, 21 in
/// each row from west to east.
fn city(objects: &str, more: &str) -> String {
    let vertices = (0..11 * 21 * 21).map(|at| format!("[{},{},{}]", at % 21, at / 21 % 21, at / 441));
    let vertices = vertices.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"CityObjects":{{{objects}}},"vertices":[{vertices}],{more}"version":"1.1","type":"CityJSON"}}"#
    )
}

/// The vertex of the lattice at a place.
fn at(x: usize, y: usize, z: usize) -> usize {
    x + 21 * y + 441 * z
}

/// A ring around a rectangle at a height, against the clock from above.
fn ring([low, high]: [[usize; 2]; 2], z: usize) -> String {
    let [a, b, c, d] =
        [[low[0], low[1]], [high[0], low[1]], high, [low[0], high[1]]].map(|[x, y]| at(x, y, z));
    format!("[{a},{b},{c},{d}]")
}

/// A ring with the clock from above.
fn ring_down([low, high]: [[usize; 2]; 2], z: usize) -> String {
    let [a, b, c, d] =
        [[low[0], high[1]], high, [high[0], low[1]], [low[0], low[1]]].map(|[x, y]| at(x, y, z));
    format!("[{a},{b},{c},{d}]")
}

/// Area in plan of the triangles of an area that face up, less those that face down.
fn plan_area(soup: &TriangleSoup, of: impl Fn(AreaId) -> bool) -> f64 {
    let areas: Vec<(AreaId, f64)> = soup
        .finite_with_areas()
        .map(|triangle| {
            let [a, b, c] = triangle.corners.map(|corner| corner.as_dvec3());
            (triangle.area, (b - a).cross(c - a).dot(DVec3::Y) / 2.0)
        })
        .collect();
    areas.into_iter().filter(|&(area, _)| of(area)).map(|(_, size)| size).sum()
}

fn load(text: &str, rules: &[&str]) -> Result<TriangleSoup, IoError> {
    let rules = AreaRules::parse(rules).unwrap();
    parse_scene(Path::new("town.city.json"), text.as_bytes(), &LoadOptions::default(), Some(&rules.map()))
}

#[test]
fn surfaces_have_their_semantics_and_holes_stay_open() {
    // A square with two holes, and a house next to it.
    let square = ring([[0, 0], [20, 10]], 0);
    let holes = [ring_down([[2, 2], [6, 8]], 0), ring_down([[8, 1], [11, 4]], 0)].join(",");
    let house = |z| ring([[2, 12], [8, 18]], z);
    let objects = format!(
        r#""plaza":{{"type":"LandUse","geometry":[{{"type":"MultiSurface","lod":2,"boundaries":[[{square},{holes}]]}}]}},
        "house":{{"type":"Building","geometry":[
            {{"type":"Solid","lod":"1.2","boundaries":[[[{low}]]]}},
            {{"type":"MultiPoint","lod":"3","boundaries":[0]}},
            {{"type":"Solid","lod":"2.2","boundaries":[[[{roof}],[{floor}]]],
              "semantics":{{"surfaces":[{{"type":"RoofSurface"}},{{"type":"GroundSurface"}}],"values":[[0,1]]}}}}]}}"#,
        low = house(1),
        roof = house(5),
        floor = ring_down([[2, 12], [8, 18]], 0),
    );
    let text = city(&objects, "");
    let soup = load(&text, &["RoofSurface=roof", "GroundSurface=blocked", "LandUse=plaza:2"]).unwrap();
    let area = |of: AreaId| plan_area(&soup, |area| area == of);
    // The roof of the finest level of detail, the floor, and the plaza without its holes.
    for (of, expected) in [(AreaId(2), 36.0), (AreaId::NULL, -36.0), (AreaId(3), 200.0 - 24.0 - 9.0)] {
        assert!((area(of) - expected).abs() < 1e-9, "{of:?}: {} m2", area(of));
    }
    let inside = soup.finite_with_areas().filter(|triangle| triangle.area == AreaId(3));
    for triangle in inside {
        let middle = triangle.corners.iter().map(|corner| corner.as_dvec3()).sum::<DVec3>() / 3.0;
        let (x, y) = (middle.x, -middle.z);
        let in_hole = (2.0..6.0).contains(&x) && (2.0..8.0).contains(&y)
            || (8.0..11.0).contains(&x) && (1.0..4.0).contains(&y);
        assert!(!in_hole, "{middle}");
    }
    assert_eq!(load(&text, &[]).unwrap().triangles().len(), soup.triangles().len());
}

#[test]
fn names_are_those_of_objects_and_surfaces() {
    let folder = std::env::temp_dir().join(format!("waymesh-io-{}-city", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("town.json");
    let objects = format!(
        r#""road-7":{{"type":"Road","geometry":[{{"type":"MultiSurface","lod":"1","boundaries":[[{0}],[{1}]],
        "semantics":{{"surfaces":[{{"type":"TrafficArea"}}],"values":[null,0]}}}}]}}"#,
        ring([[0, 0], [4, 4]], 0),
        ring([[4, 0], [8, 4]], 0)
    );
    std::fs::write(&file, city(&objects, "")).unwrap();
    let rules = AreaRules::parse::<&str>(&[]).unwrap();
    let (soup, names) = load_with_names(&[&file], &LoadOptions::default(), &rules.map()).unwrap();
    let found: Vec<_> = (0..soup.triangles().len()).map(|at| names.name_of(at).unwrap()).collect();
    assert_eq!(found, ["road-7", "road-7", "road-7 (TrafficArea)", "road-7 (TrafficArea)"]);
    assert_eq!(names.of(3).unwrap().group, "Road");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn templates_stand_where_their_instances_are() {
    let instance = |x, y, matrix: &str| {
        format!(
            r#"{{"type":"GeometryInstance","template":0,"boundaries":[{}],"transformationMatrix":{matrix}}}"#,
            at(x, y, 2)
        )
    };
    // Twice as large; and turned by a quarter to the left.
    let objects = format!(
        r#""a":{{"type":"CityFurniture","geometry":[{}]}},"b":{{"type":"CityFurniture","geometry":[{}]}}"#,
        instance(3, 4, "[2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,1]"),
        instance(10, 4, "[0,-1,0,0, 1,0,0,0, 0,0,1,0, 0,0,0,1]")
    );
    let templates = r#""geometry-templates":{"templates":[{"type":"MultiSurface","lod":"2",
        "boundaries":[[[0,1,2]]]}],"vertices-templates":[[0,0,0],[3,0,0],[0,1,0.5]]},"#;
    let soup = load(&city(&objects, templates), &[]).unwrap();
    let expected = [
        [[3.0, 2.0, -4.0], [9.0, 2.0, -4.0], [3.0, 3.0, -6.0]],
        [[10.0, 2.0, -4.0], [10.0, 2.0, -7.0], [9.0, 2.5, -4.0]],
    ];
    assert_eq!(corners(&soup), expected);
}

#[test]
fn a_sequence_is_one_city() {
    let first = r#"{"type":"CityJSON","version":"2.0","transform":{"scale":[0.5,0.5,0.5],"translate":[100,0,0]},"CityObjects":{},"vertices":[]}"#;
    let feature = |id: &str, x: u32| {
        format!(
            r#"{{"type":"CityJSONFeature","id":"{id}","CityObjects":{{"{id}":{{"type":"Road","geometry":[
            {{"type":"MultiSurface","lod":"1","boundaries":[[[0,1,2]]]}}]}}}},"vertices":[[{x},0,0],[{},0,0],[{x},2,0]]}}"#,
            x + 2
        )
        .replace('\n', "")
    };
    let text = [first, &feature("a", 0), &feature("b", 8)].join("\n");
    let soup = parse("streets.city.jsonl", &text).unwrap();
    let expected = [0.0, 4.0].map(|x: f32| {
        let x = 100.0 + x;
        [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 0.0, -1.0]]
    });
    assert_eq!(corners(&soup), expected);
    assert_eq!(corners(&parse("streets", &text).unwrap()), expected);
}

#[test]
fn errors_name_the_object() {
    let solid = |boundaries: &str| {
        city(
            &format!(
                r#""tower":{{"type":"Building","geometry":[{{"type":"Solid","boundaries":{boundaries}}}]}}"#
            ),
            "",
        )
    };
    let message = |text: &str| load(text, &[]).unwrap_err().to_string();
    for (text, expected) in [
        (solid("[[[[0,1,9999]]]]"), r#"9999 in the city object "tower""#),
        (solid("[[[[0,1,-1]]]]"), r#"-1 in the city object "tower""#),
        (solid("[[[[0,1,null]]]]"), r#"null in the city object "tower""#),
        (solid("[[[0,1,2]]]"), r#"Solid in the city object "tower""#),
        (
            city(
                r#""tree":{"type":"Plant","geometry":[{"type":"GeometryInstance","template":3,"boundaries":[0]}]}"#,
                "",
            ),
            r#"one of neither in the city object "tree""#,
        ),
        (r#"{"type":"CityJSONFeature","CityObjects":{},"vertices":[]}"#.into(), "a CityJSON object"),
        (r#"{"type":"CityJSON","CityObjects":{},"vertices":[[0,0]]}"#.into(), "line 1"),
        (r#"{"type":"CityJSON","CityObjects":{},"vertices":[]}"#.into(), "no triangles"),
    ] {
        let found = message(&text);
        assert!(found.contains(expected) && found.contains("town.city.json"), "{found}");
    }
}

#[test]
fn instances_cannot_fill_the_memory() {
    // 1,000 instances of a template with 100,000 corners, in half a megabyte.
    let ring = format!("[{}]", vec!["0"; 100_000].join(","));
    let instance = r#"{"type":"GeometryInstance","template":0,"boundaries":[0]}"#;
    let objects = format!(r#""a":{{"type":"Plant","geometry":[{}]}}"#, vec![instance; 1_000].join(","));
    let templates = format!(
        r#""geometry-templates":{{"templates":[{{"type":"MultiSurface","boundaries":[[{ring}]]}}],
        "vertices-templates":[[0,0,0]]}},"#
    );
    assert!(matches!(load(&city(&objects, &templates), &[]), Err(IoError::TooMany { .. })));
}

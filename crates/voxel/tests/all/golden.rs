//! Compares the dungeon with the results of native Recast (`rerecast_reference_data/dungeon`),
//! stage by stage. Each of our stages gets Recast's input, so that differences do not add up. Every
//! difference must be intended: each cause has a separate check and a separate bound on its
//! frequency.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use common::{OracleFragment, column_error, counts_at_top, oracle, scene};
use glam::Vec3;
use serde_json::Value;
use waymesh_core::{
    Agent, AreaId, Direction, GridFrame, GridScale, Heightfield, NO_SPAN, Span, TriangleSoup, Validate,
    WalkableField,
};
use waymesh_voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};

/// A span of Recast.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reference {
    bottom: i32,
    top: i32,
    walkable: bool,
}

fn load(name: &str) -> Option<Value> {
    let path = scene(&format!("golden/rerecast_reference_data/dungeon/{name}.json"))?;
    Some(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn integer(value: &Value) -> i32 {
    value.as_i64().unwrap() as i32
}

fn soup(geometry: &Value) -> TriangleSoup {
    let numbers = |value: &Value| [0, 1, 2].map(|i| value[i].as_f64().unwrap());
    let positions = geometry["verts"].as_array().unwrap().iter().map(|vertex| {
        let [x, y, z] = numbers(vertex).map(|number| number as f32);
        Vec3::new(x, y, z)
    });
    let triangles = geometry["tris"].as_array().unwrap().iter();
    TriangleSoup::new(
        positions.collect(),
        triangles.map(|corners| numbers(corners).map(|number| number as u32)).collect(),
    )
    .unwrap()
}

fn columns(heightfield: &Value) -> Vec<Vec<Reference>> {
    let column = |mut span: &Value| {
        let mut column = Vec::new();
        while span.get("min").is_some() {
            let (bottom, top) = (integer(&span["min"]), integer(&span["max"]));
            column.push(Reference { bottom, top, walkable: integer(&span["area"]) != 0 });
            span = &span["next"];
        }
        column
    };
    heightfield["spans"].as_array().unwrap().iter().map(column).collect()
}

/// Returns Recast's spans as our heightfield. All spans count as facing up.
fn heightfield(frame: GridFrame, columns: &[Vec<Reference>]) -> Heightfield {
    let mut heightfield = Heightfield::empty(frame);
    for (index, column) in columns.iter().enumerate() {
        heightfield.spans.extend(column.iter().map(|span| Span {
            bottom: span.bottom,
            top: span.top,
            ground_drop: 0,
            area: if span.walkable { AreaId::GROUND } else { AreaId::NULL },
            upward: true,
        }));
        heightfield.columns[index + 1] = heightfield.spans.len() as u32;
    }
    heightfield
}

fn ours(heightfield: &Heightfield, column: usize) -> &[Span] {
    &heightfield.spans[heightfield.columns[column] as usize..heightfield.columns[column + 1] as usize]
}

fn voxelized() -> Option<(TriangleSoup, Heightfield)> {
    let soup = soup(&load("geometry")?);
    let config = VoxelConfig::for_agent(&Agent::default()).with_scale(GridScale::new(0.3, 0.2));
    let heightfield = rasterize(&soup, &config, &mut ()).unwrap();
    heightfield.validate().unwrap();
    assert_eq!((heightfield.frame.width, heightfield.frame.depth), (248, 330));
    Some((soup, heightfield))
}

fn steep(soup: &TriangleSoup, triangle: usize) -> bool {
    let [a, b, c] = soup.corners(triangle);
    (b - a).cross(c - a).normalize().y <= 45_f32.to_radians().cos()
}

/// Returns `true` if the merge rule makes the span walkable. `None` if it depends on rounding.
fn rule(span: &Span, fragments: &[OracleFragment], soup: &TriangleSoup) -> Option<bool> {
    counts_at_top([span.bottom, span.top], fragments, 4, |triangle| !steep(soup, triangle))
}

/// Compares spans and walkable spans of the rasteriser. Causes of differences:
/// - *line*: a triangle lies on a cell line or a level line to single precision. Then both Recast's
///   column and ours are right: they fill all that the triangles require, and nothing that the
///   triangles cannot reach.
/// - *merge order*: Recast merges pairs in the order of triangles, and the flag of a span depends
///   on it; our flag follows from the rule over all fragments of the span, some of which are
///   walkable and some not.
#[test]
fn rasterized_spans_agree() {
    let (Some((soup, heightfield)), Some(initial)) = (voxelized(), load("heightfield_initial")) else {
        return;
    };
    let initial = columns(&initial);
    let fragments = oracle(&soup, &heightfield.frame, 4e-4, 1e-3);
    let (mut line, mut merge_order, mut same) = (0, 0, 0);
    for (column, reference) in initial.iter().enumerate() {
        let (spans, fragments) = (ours(&heightfield, column), &fragments[column]);
        let shape: Vec<[i32; 2]> = spans.iter().map(|span| [span.bottom, span.top]).collect();
        let their_shape: Vec<[i32; 2]> = reference.iter().map(|span| [span.bottom, span.top]).collect();
        assert_eq!(column_error(&shape, fragments), None, "our column {column}");
        if shape != their_shape {
            assert_eq!(column_error(&their_shape, fragments), None, "column {column} of Recast");
            line += 1;
            continue;
        }
        for (span, reference) in spans.iter().zip(reference) {
            if span.area.is_walkable() == reference.walkable {
                same += 1;
                continue;
            }
            if let Some(expected) = rule(span, fragments, &soup) {
                assert_eq!(span.area.is_walkable(), expected, "column {column}: {span:?}");
            }
            let parts = || fragments.iter().filter(|f| f.allowed[0] < span.top && span.bottom < f.allowed[1]);
            assert!(
                parts().any(|f| steep(&soup, f.triangle)) && parts().any(|f| !steep(&soup, f.triangle)),
                "column {column}: {span:?} has one kind of fragments, but differs from {reference:?}"
            );
            merge_order += 1;
        }
    }
    println!("{same} spans agree, {line} columns on a line, {merge_order} spans by merge order");
    assert!(same > 51_000 && line <= 20 && merge_order <= 1_000);
}

/// Returns the default agent for Recast's rule of headroom, which counts whole levels from the top
/// of a floor to the bottom of a ceiling, and so requires up to two levels more than the agent's
/// height; our rule requires one less.
fn agent() -> Agent {
    let agent = Agent::default();
    agent.with_height(agent.height + 0.2)
}

/// Compares the filters on Recast's own spans. The only difference is that undersides stay
/// unwalkable. This requires knowing which tops face up.
#[test]
fn filtered_spans_agree() {
    let (Some((_, voxels)), Some(initial), Some(filtered)) =
        (voxelized(), load("heightfield_initial"), load("heightfield_filtered"))
    else {
        return;
    };
    let (initial, filtered) = (columns(&initial), columns(&filtered));
    let agent = agent();
    // Returns for each span whether the filters leave it walkable.
    let run = |voxels: &Heightfield| -> Vec<bool> {
        let field = build_filtered_field(voxels, &agent, &Filters::default(), &mut ()).unwrap();
        let columns = voxels.columns.windows(2).zip(field.columns.windows(2));
        let stays = |(own, kept): (&[u32], &[u32])| {
            let floors = &field.floor[kept[0] as usize..kept[1] as usize];
            let spans = &voxels.spans[own[0] as usize..own[1] as usize];
            spans.iter().map(|span| floors.contains(&span.top)).collect::<Vec<bool>>()
        };
        columns.flat_map(stays).collect()
    };
    // If every span faces up, the filters agree with Recast, span for span.
    let all_up = heightfield(voxels.frame, &initial);
    let expected = heightfield(voxels.frame, &filtered);
    assert_eq!(expected.columns, all_up.columns);
    assert!(run(&all_up).into_iter().eq(expected.spans.iter().map(|span| span.area.is_walkable())));

    // Now with the flags of our rasteriser.
    let mut known = all_up.clone();
    for column in 0..initial.len() {
        let range = known.columns[column] as usize..known.columns[column + 1] as usize;
        for span in &mut known.spans[range] {
            let same =
                ours(&voxels, column).iter().find(|own| own.bottom == span.bottom && own.top == span.top);
            span.upward = same.is_none_or(|own| own.upward);
        }
    }
    let mut undersides = 0;
    for (index, (ours, theirs)) in run(&known).into_iter().zip(run(&all_up)).enumerate() {
        if ours != theirs {
            assert!(!known.spans[index].upward && !known.spans[index].area.is_walkable(), "span {index}");
            undersides += 1;
        }
    }
    println!("{undersides} undersides stay unwalkable");
    assert!(undersides <= 200);
}

/// Returns Recast's compact heightfield as our field, with its areas.
fn compact(frame: GridFrame, json: &Value) -> WalkableField {
    let mut field = WalkableField::empty(frame);
    let spans = json["spans"].as_array().unwrap();
    let first = |column: usize| integer(&json["cells"][column]["index"]) as u32;
    for column in 0..frame.column_count() {
        let count = integer(&json["cells"][column]["count"]) as u32;
        field.columns[column + 1] = field.columns[column] + count;
        assert!(count == 0 || first(column) == field.columns[column]);
        field.span_columns.extend((0..count).map(|_| column as u32));
    }
    for (index, span) in spans.iter().enumerate() {
        field.floor.push(integer(&span["y"]));
        field.clearance.push(integer(&span["h"]) as u32);
        field.ground.push(0.0);
        field.area.push(if integer(&json["areas"][index]) != 0 { AreaId::GROUND } else { AreaId::NULL });
        // Six bits per direction, in the same order as ours: -x, +z, +x, -z.
        let links = Direction::ALL.map(|direction| {
            let layer = span["con"].as_u64().unwrap() >> (6 * direction.index()) & 63;
            if layer == 63 {
                return NO_SPAN;
            }
            let (x, z) = field.column_of(index as u32);
            let (dx, dz) = direction.offset();
            field.column(x.wrapping_add_signed(dx), z.wrapping_add_signed(dz)).start + layer as u32
        });
        field.links.push(links);
    }
    field
}

/// Floors, clearances and links on Recast's filtered spans have no difference.
#[test]
fn links_agree() {
    let (Some((_, voxels)), Some(filtered), Some(initial)) =
        (voxelized(), load("heightfield_filtered"), load("compact_heightfield_initial"))
    else {
        return;
    };
    let field = build_filtered_field(
        &heightfield(voxels.frame, &columns(&filtered)),
        &agent(),
        &Filters::none(),
        &mut (),
    )
    .unwrap();
    field.validate().unwrap();
    let reference = compact(voxels.frame, &initial);
    assert_eq!(field.columns, reference.columns);
    assert_eq!(field.floor, reference.floor);
    assert_eq!(field.links, reference.links);
    // Recast keeps eight bits of clearance.
    assert!(field.clearance.iter().zip(&reference.clearance).all(|(&own, &theirs)| own.min(255) == theirs));
}

/// Erosion of Recast's compact heightfield has no difference. At a radius of two cells, Recast's
/// chamfer distance (straight steps of 2, diagonal steps of 3, from the cells next to blocked ones;
/// 4 are far enough) keeps exactly the cells whose centres are two and a half cells from the
/// blocked ones. At other radii it has an error. The tests in `erosion.rs` check that ours is
/// exact.
#[test]
fn erosion_agrees() {
    let (Some((_, voxels)), Some(initial), Some(eroded)) =
        (voxelized(), load("compact_heightfield_initial"), load("compact_heightfield_eroded"))
    else {
        return;
    };
    let mut field = compact(voxels.frame, &initial);
    let before = field.walkable_spans();
    let reference = compact(voxels.frame, &eroded);
    erode(&mut field, 0.6, &mut ()).unwrap();
    for span in 0..field.len() as u32 {
        let (x, z) = field.column_of(span);
        assert_eq!(field.is_walkable(span), reference.is_walkable(span), "span {span} in column {x}, {z}");
    }
    let stay = field.walkable_spans();
    println!("of {before} spans {stay} stay");
    assert!(stay > 17_000 && before > 23_000);
}

//! Small maps that test one rule each. A letter is a region, and anything else is not walkable.

use waymesh_contour::{ContourError, CornerChoice, SimplifyConfig, simplify_contours, trace_contours};
use waymesh_core::{
    ArcId, AreaId, BadField, ContourSet, NO_REGION, NO_SPAN, PlanPoint, RegionId, RegionMap, Validate,
    VertexId, WalkableField,
};
use waymesh_testkit::fields::{self, Floor};

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("a small number")
}

/// Parses a map with cells of 0.3 m, all on one level.
fn map(drawing: &str) -> (WalkableField, RegionMap) {
    let lines: Vec<&[u8]> =
        drawing.lines().map(|line| line.trim().as_bytes()).filter(|line| !line.is_empty()).collect();
    let width = lines[0].len();
    let letters: Vec<u8> = lines.concat();
    assert_eq!(letters.len(), width * lines.len(), "lines of one length");
    let floor = |&letter: &u8| {
        if letter.is_ascii_alphabetic() { vec![Floor { level: 1, area: AreaId::GROUND }] } else { vec![] }
    };
    let columns: Vec<Vec<Floor>> = letters.iter().map(floor).collect();
    let field = fields::from_floors(small(width), small(lines.len()), &columns);
    let mut seen = Vec::new();
    let labels = field.span_columns.iter().map(|&cell| {
        let letter = letters[cell as usize];
        let known = seen.iter().position(|&other| other == letter);
        small(known.unwrap_or_else(|| {
            seen.push(letter);
            seen.len() - 1
        }))
    });
    let labels = labels.collect();
    (field, RegionMap { labels, count: small(seen.len()) })
}

fn traced(drawing: &str) -> ContourSet {
    let (field, regions) = map(drawing);
    let contours = trace_contours(&field, &regions).expect("a valid region map");
    contours.validate().expect("valid contours");
    contours
}

fn simplified(drawing: &str, error_in_cells: f32) -> ContourSet {
    let config =
        SimplifyConfig::default().with_max_edge_error(error_in_cells * 0.3).with_max_edge_length(0.0);
    let contours = simplify_contours(&traced(drawing), &config, &mut ()).expect("valid contours");
    contours.validate().expect("valid contours");
    contours
}

fn points(contours: &ContourSet, arc: usize) -> Vec<(i32, i32)> {
    let vertices = contours.arc_vertices(ArcId::from_index(arc)).iter();
    vertices.map(|&vertex| contours.point(vertex)).map(|point| (point.x, point.z)).collect()
}

fn doubled_areas(contours: &ContourSet) -> Vec<i128> {
    let set = contours.polygons();
    set.polygons.iter().map(|polygon| polygon.loops().map(|l| set.doubled_area(l)).sum()).collect()
}

#[test]
fn nothing_walkable_gives_no_contours() {
    let contours = traced("###");
    assert!(contours.arcs.is_empty() && contours.regions.is_empty());
    assert_eq!(simplified("###", 1.0).arcs, []);
}

#[test]
fn a_single_cell_is_walked_in_positive_order_from_its_lowest_corner() {
    let contours = traced("a");
    assert_eq!(points(&contours, 0), [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]);
    assert_eq!(contours.vertices.len(), 4);
    assert_eq!((contours.arcs[0].left, contours.arcs[0].right), (RegionId(0), None));
}

#[test]
fn a_single_cell_never_collapses() {
    assert!(doubled_areas(&simplified("a", 20.0))[0] > 0);
}

#[test]
fn a_border_between_regions_is_one_arc_of_common_vertices() {
    let contours = traced(
        "aab
         aab",
    );
    let shared: Vec<usize> =
        (0..contours.arcs.len()).filter(|&arc| contours.arcs[arc].right.is_some()).collect();
    assert_eq!(shared.len(), 1);
    assert_eq!(points(&contours, shared[0]), [(2, 0), (2, 1), (2, 2)]);
    assert_eq!(contours.arcs[shared[0]].left, RegionId(0));
    assert_eq!(contours.arcs.len(), 3);
    assert_eq!(contours.vertices.len(), 11);
}

#[test]
fn arcs_end_where_three_regions_meet() {
    let contours = traced(
        "aab
         aab
         ccc",
    );
    let meeting = PlanPoint::new(2, 2);
    let ends = (0..contours.arcs.len())
        .map(|arc| points(&contours, arc))
        .flat_map(|points| [points[0], points[points.len() - 1]])
        .filter(|&end| end == (2, 2));
    assert_eq!(ends.count(), 3);
    assert_eq!(contours.vertices.iter().filter(|vertex| vertex.point == meeting).count(), 1);
}

#[test]
fn arcs_end_where_a_region_meets_itself_crosswise() {
    // All four cells are linked, so the middle is one vertex; the border of b with a ends there.
    let drawing = "aaaa
                   aaba
                   acaa
                   aaaa";
    let contours = traced(drawing);
    let middle = contours.vertices.iter().filter(|vertex| vertex.point == PlanPoint::new(2, 2));
    assert_eq!(middle.count(), 1);
    assert_eq!(contours.arcs.len(), 3);
    for arc in [1, 2] {
        let points = points(&contours, arc);
        assert_eq!((points.len(), points[0], points[4]), (5, (2, 2), (2, 2)));
    }
    simplified(drawing, 20.0);
}

#[test]
fn corners_that_touch_without_a_way_across_stay_apart() {
    let contours = traced(
        "aa#
         #ab
         aa#",
    );
    let pinch = |x, z| contours.vertices.iter().filter(|vertex| vertex.point == PlanPoint::new(x, z)).count();
    assert_eq!(pinch(1, 1), 1);
    let contours = traced(
        "a#
         #b",
    );
    assert_eq!(contours.vertices.iter().filter(|vertex| vertex.point == PlanPoint::new(1, 1)).count(), 2);
}

#[test]
fn a_hole_that_touches_the_outer_border_keeps_touching_in_a_vertex() {
    let drawing = "aaaaaa
                   aaa#aa
                   aa#aaa
                   a#aaaa
                   aaaaaa";
    assert_eq!(traced(drawing).regions[0].holes.len(), 1, "the three cells touch crosswise: one hole");
    for error in [0.0, 1.0, 20.0] {
        simplified(drawing, error);
    }
    let drawing = "aaa#
                   aa#a
                   aaaa";
    let contours = simplified(drawing, 20.0);
    assert_eq!(contours.regions[0].holes.len(), 0);
}

#[test]
fn heights_are_the_mean_of_the_ground_around_a_corner() {
    let floors = |levels: &[i32]| {
        levels.iter().map(|&level| vec![Floor { level, area: AreaId::GROUND }]).collect::<Vec<_>>()
    };
    let field = fields::from_floors(2, 2, &floors(&[4, 6, 6, 8]));
    let contours = trace_contours(&field, &RegionMap { labels: vec![0, 1, 2, 3], count: 4 }).unwrap();
    contours.validate().unwrap();
    let height =
        |x, z| contours.vertices.iter().find(|vertex| vertex.point == PlanPoint::new(x, z)).unwrap().height;
    let offset = field.ground[0] - 4.0;
    for (point, expected) in [((0, 0), 4.0), ((1, 0), 5.0), ((1, 1), 6.0), ((2, 1), 7.0), ((2, 2), 8.0)] {
        assert!((height(point.0, point.1) - offset - expected).abs() < 1e-5, "{point:?}");
    }
}

#[test]
fn a_region_within_another_keeps_its_shape() {
    let drawing = "aaaaaaaaaa
                   aaaaaaaaaa
                   aabbbbbbaa
                   aabbbbbbaa
                   aabbbbbbaa
                   aabbbbbbaa
                   aaaaaaaaaa
                   aaaaaaaaaa";
    let contours = simplified(drawing, 1.0);
    let inner = contours.arcs.iter().position(|arc| arc.right.is_some()).unwrap();
    assert_eq!(points(&contours, inner), [(2, 2), (2, 6), (8, 6), (8, 2), (2, 2)]);
}

#[test]
fn seams_run_straight_as_far_as_they_may() {
    let drawing = "aaaaaaabbb
                   aaaaaaabbb
                   aaaaabbbbb
                   aaabbbbbbb
                   aaabbbbbbb
                   aaaaaaabbb
                   aaaaaaabbb";
    let shared = |contours: &ContourSet| {
        let arc = contours.arcs.iter().position(|arc| arc.right.is_some()).unwrap();
        points(contours, arc)
    };
    assert_eq!(shared(&simplified(drawing, 1.3)), [(7, 0), (7, 7)]);
    // The farthest point is four cells away from the line.
    for (cells, len) in [(4.01, 2), (3.99, 3), (0.0, 8)] {
        let config = SimplifyConfig::default().with_max_seam_error(cells * 0.3).with_max_edge_error(0.0);
        let close = simplify_contours(&traced(drawing), &config, &mut ()).unwrap();
        assert_eq!(shared(&close).len(), len, "{cells} cells");
        assert_eq!(close.vertices_off_border(), len - 2);
    }
}

#[test]
fn a_straight_border_does_not_cut_through_a_wall() {
    // The straight line from junction to junction would cross the pillar.
    let contours = simplified(
        "aaaaabbbbb
         aaaaabbbbb
         aabbbbbbbb
         aab###bbbb
         aab###bbbb
         aabbbbbbbb
         aaaaabbbbb
         aaaaabbbbb",
        1.3,
    );
    let shared = contours.arcs.iter().position(|arc| arc.right.is_some()).unwrap();
    assert!(points(&contours, shared).iter().any(|&(x, _)| x == 2));
    assert_eq!(contours.regions[1].holes.len(), 1);
}

#[test]
fn a_thin_wall_between_two_regions_keeps_its_width() {
    let contours = simplified(
        "aaaaaaaa
         aaaaaaaa
         a######a
         bbbbbbbb
         bbbbbbbb",
        20.0,
    );
    let walls: i128 = doubled_areas(&contours).iter().sum();
    assert!(walls < 2 * 40, "the wall is still there");
}

#[test]
fn an_outer_border_does_not_sweep_over_a_hole() {
    let drawing = "aaaaaaaaaaaa
                   #aaaaaaaaaa#
                   ##aaaaaaaa##
                   ###aa#aaa###
                   ####aaaa####";
    for error in [1.0, 2.0, 4.0, 20.0] {
        let contours = simplified(drawing, error);
        let set = contours.polygons();
        let polygon = &set.polygons[0];
        let outer: Vec<PlanPoint> = polygon.outer.vertices.iter().map(|&vertex| set.point(vertex)).collect();
        // Checks the middle of the hole's first edge, in half cells, with the winding number of the
        // outer border.
        let hole = &polygon.holes[0].vertices;
        let (a, b) = (set.point(hole[0]), set.point(hole[1]));
        let middle = PlanPoint::new(a.x + b.x, a.z + b.z);
        let doubled = |point: PlanPoint| PlanPoint::new(2 * point.x, 2 * point.z);
        let mut winding = 0;
        for (index, &from) in outer.iter().enumerate() {
            let (from, to) = (doubled(from), doubled(outer[(index + 1) % outer.len()]));
            let side = PlanPoint::orientation(from, to, middle);
            winding += i32::from(from.z <= middle.z && to.z > middle.z && side > 0);
            winding -= i32::from(to.z <= middle.z && from.z > middle.z && side < 0);
        }
        assert_eq!(winding, 1, "error {error}: the hole is inside");
    }
}

#[test]
fn long_walls_are_split_and_region_borders_are_not() {
    let drawing = "aaaaaaaaaaaaaaaa
                   bbbbbbbbbbbbbbbb";
    let config = SimplifyConfig::default().with_max_edge_length(4.0 * 0.3);
    let contours = simplify_contours(&traced(drawing), &config, &mut ()).unwrap();
    contours.validate().unwrap();
    let shared = contours.arcs.iter().position(|arc| arc.right.is_some()).unwrap();
    assert_eq!(points(&contours, shared).len(), 2);
    for arc in (0..contours.arcs.len()).filter(|&arc| arc != shared) {
        for edge in points(&contours, arc).windows(2) {
            assert!((edge[1].0 - edge[0].0).abs() <= 4);
        }
    }
}

#[test]
fn storeys_do_not_disturb_each_other() {
    let storey = |level: i32, x: u32, z: u32| {
        // A staircase border that a shortcut will cut off, different on each storey.
        let walkable = if level == 0 { x + z < 12 } else { x < z + 6 };
        walkable.then_some(Floor { level, area: AreaId::GROUND })
    };
    let columns = |levels: &[i32]| -> Vec<Vec<Floor>> {
        (0..144_u32)
            .map(|cell| levels.iter().filter_map(|&level| storey(level, cell % 12, cell / 12)).collect())
            .collect()
    };
    let outline = |levels: &[i32]| -> Vec<Vec<(i32, i32)>> {
        let field = fields::from_floors(12, 12, &columns(levels));
        let labels: Vec<u32> =
            field.floor.iter().map(|floor| u32::from(levels.len() > 1 && *floor != field.floor[0])).collect();
        let regions = RegionMap { labels, count: u32::try_from(levels.len()).unwrap() };
        let raw = trace_contours(&field, &regions).unwrap();
        raw.validate().unwrap();
        let simple = simplify_contours(&raw, &SimplifyConfig::default(), &mut ()).unwrap();
        simple.validate().unwrap();
        (0..simple.arcs.len()).map(|arc| points(&simple, arc)).collect()
    };
    let both = outline(&[0, 20]);
    assert_eq!(both[0], outline(&[0])[0]);
    assert_eq!(both[1], outline(&[20])[0]);
}

#[test]
fn bad_configuration_is_named() {
    let raw = traced("aa");
    for (config, name) in [
        (SimplifyConfig::default().with_max_edge_error(f32::NAN), "max_edge_error"),
        (SimplifyConfig::default().with_max_edge_length(-1.0), "max_edge_length"),
        (SimplifyConfig::default().with_max_seam_error(f32::INFINITY), "max_seam_error"),
        (SimplifyConfig::default().with_storey_height(f32::INFINITY), "storey_height"),
    ] {
        let error = simplify_contours(&raw, &config, &mut ()).unwrap_err();
        assert!(matches!(error, ContourError::BadField(BadField { field, .. }) if field == name), "{error}");
    }
}

#[test]
fn tables_that_do_not_fit_are_errors() {
    let (field, regions) = map("aab");
    let broken = |edit: &dyn Fn(&mut WalkableField, &mut RegionMap)| {
        let (mut field, mut regions) = (field.clone(), regions.clone());
        edit(&mut field, &mut regions);
        trace_contours(&field, &regions).unwrap_err()
    };
    let error = broken(&|_, regions| regions.labels.truncate(2));
    assert!(matches!(error, ContourError::LabelCount { labels: 2, spans: 3 }));
    let error = broken(&|_, regions| regions.labels[2] = 7);
    assert!(matches!(error, ContourError::UnknownRegion { span: 2, label: 7, count: 2 }));
    let error = broken(&|_, regions| regions.count = 3);
    assert!(matches!(error, ContourError::EmptyRegion { region: RegionId(2) }));
    let error = broken(&|_, regions| regions.labels = vec![0, 1, 0]);
    assert!(matches!(error, ContourError::RegionInPieces { region: RegionId(0) }));
    let error = broken(&|field, _| field.links[2] = [NO_SPAN; 4]);
    assert!(matches!(error, ContourError::AsymmetricLink { span: 1, neighbour: 2 }));
    let error = broken(&|field, regions| {
        (field.links[0], field.links[1]) = ([NO_SPAN; 4], [NO_SPAN; 4]);
        regions.labels = vec![0, 0, NO_REGION];
        regions.count = 1;
    });
    assert!(matches!(error, ContourError::RegionTouchesItself { region: RegionId(0), span: 0 }));
}

#[test]
fn links_that_lead_astray_never_panic() {
    let (field, regions) = map("aaab
         aabb
         cccb");
    for span in 0..field.len() {
        for direction in 0..4 {
            for target in (0..field.len()).map(|target| u32::try_from(target).unwrap()).chain([NO_SPAN, 4711])
            {
                let mut field = field.clone();
                field.links[span][direction] = target;
                let _ = trace_contours(&field, &regions);
            }
        }
    }
}

#[test]
fn broken_contours_are_errors() {
    let raw = traced("ab");
    let broken = |edit: &dyn Fn(&mut ContourSet)| {
        let mut contours = raw.clone();
        edit(&mut contours);
        simplify_contours(&contours, &SimplifyConfig::default(), &mut ()).unwrap_err()
    };
    let is_arc = |error: ContourError| matches!(error, ContourError::BrokenArc { .. });
    assert!(is_arc(broken(&|contours| contours.arcs[0].len = 1)));
    assert!(is_arc(broken(&|contours| contours.arcs[1].len = u32::MAX)));
    assert!(is_arc(broken(&|contours| contours.arc_vertices[1] = VertexId(99))));
    assert!(is_arc(broken(&|contours| contours.arcs[0].left = RegionId(9))));
    let error = broken(&|contours| contours.vertices[0].point.x = i32::MIN);
    assert!(matches!(error, ContourError::CoordinateOutOfRange { vertex: VertexId(0) }));
}

/// Returns a deck two cells wide that runs diagonally, one row every two columns.
fn slanting_deck(length: usize) -> String {
    let row = |z: usize| -> String {
        (0..2 * length + 2).map(|x| if (2 * z..2 * z + 4).contains(&x) { 'a' } else { '#' }).collect()
    };
    (0..length).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_thin_deck_keeps_its_ground() {
    let traced = traced(&slanting_deck(12));
    for corners in [CornerChoice::FewestNotches, CornerChoice::ByWidth] {
        let config = SimplifyConfig::default().with_max_edge_length(0.0).with_corners(corners);
        let contours = simplify_contours(&traced, &config, &mut ()).expect("valid contours");
        contours.validate().expect("valid contours");
        let (whole, kept) = (doubled_areas(&traced)[0], doubled_areas(&contours)[0]);
        // A line along the outer corners of these stairs gives half a cell per step.
        assert!(kept >= whole && kept * 2 <= whole * 3, "{kept} of {whole}");
        assert!(contours.vertices.len() <= 8, "{} vertices", contours.vertices.len());
    }
}

/// Tests that only the width decides which of the other choices [`CornerChoice::ByWidth`] makes.
#[test]
fn wide_ground_keeps_the_farthest_corners() {
    /// Returns a strip that runs diagonally, with equal stairs on both sides.
    fn strip(width: usize) -> String {
        let row = |z: usize| -> String {
            (0..50 + width).map(|x| if (2 * z..2 * z + width).contains(&x) { 'a' } else { '#' }).collect()
        };
        (0..25).map(row).collect::<Vec<_>>().join("\n")
    }
    for (width, like) in [(4, CornerChoice::FewestNotches), (40, CornerChoice::Farthest)] {
        let traced = traced(&strip(width));
        let [chosen, same, other] = [
            CornerChoice::ByWidth,
            like,
            if like == CornerChoice::Farthest { CornerChoice::FewestNotches } else { CornerChoice::Farthest },
        ]
        .map(|corners| {
            let config = SimplifyConfig::default().with_corners(corners);
            simplify_contours(&traced, &config, &mut ()).expect("valid contours")
        });
        assert_eq!(chosen, same, "width {width}");
        assert_ne!(chosen, other, "width {width}");
    }
}

//! Scenes with one known cause each, and what the explanation says of it: the cause, its measure,
//! and a setting that a bake proves.

use std::collections::BTreeMap;

use glam::{Vec3, vec3};
use waymesh::fields::{BAKE, Entries};
use waymesh::why::{Cause, PlaceAnswer, Remedy};
use waymesh::{
    Agent, AreaId, BakeConfig, Baker, Bounds, Enclosed, Keep, Mark, MarkShape, Random, TriangleSoup, Voxels,
};
use waymesh_testkit::boxes::add_box;
use waymesh_testkit::levels;

fn config() -> BakeConfig {
    let agent = Agent::default().with_radius(0.3).with_height(1.8).with_max_step(0.35);
    BakeConfig::default().with_scale(0.1, 0.05).with_agent(agent)
}

fn baker(config: BakeConfig) -> Baker<Voxels> {
    Baker::voxels().with_config(config)
}

/// A floor of 12 by 12 m with its top at 0.
fn floor() -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.5, 0.0], [12.0, 0.0, 12.0]);
    soup
}

/// A ramp along x, from `low` at x = `from` to `high` at x = `to`, over all of z.
fn add_ramp(soup: &mut TriangleSoup, [from, low]: [f32; 2], [to, high]: [f32; 2]) {
    let corners =
        vec![vec3(from, low, 0.0), vec3(from, low, 12.0), vec3(to, high, 12.0), vec3(to, high, 0.0)];
    soup.append(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("a ramp");
}

/// The settings with a remedy.
fn with(config: &BakeConfig, remedy: &Remedy) -> BakeConfig {
    let (given, mut config) = ([(remedy.setting.to_owned(), remedy.to.clone())], config.clone());
    Entries::new("remedy", &given).apply(BAKE, &mut config).expect("a setting");
    config
}

/// A place with a known cause.
struct Case {
    soup: TriangleSoup,
    config: BakeConfig,
    place: Vec3,
    cause: &'static str,
    /// Its measure, where it has one.
    measure: Option<f64>,
    setting: Option<&'static str>,
}

impl Case {
    fn new(soup: TriangleSoup, place: Vec3, cause: &'static str) -> Self {
        Self { soup, config: config(), place, cause, measure: None, setting: None }
    }

    fn measure(mut self, measure: f64) -> Self {
        self.measure = Some(measure);
        self
    }

    fn setting(mut self, setting: &'static str) -> Self {
        self.setting = Some(setting);
        self
    }

    fn config(mut self, config: BakeConfig) -> Self {
        self.config = config;
        self
    }
}

fn measure_of(cause: &Cause) -> Option<f64> {
    match *cause {
        Cause::TooSteep { slope, .. } => Some(slope),
        Cause::LowHeadRoom { room, .. } => Some(room),
        Cause::NearWall { distance, .. }
        | Cause::NearDrop { distance, .. }
        | Cause::NearSteep { distance, .. }
        | Cause::NearLowHeadRoom { distance, .. } => Some(distance),
        Cause::NearStep { rise, .. } => Some(rise),
        Cause::SmallRegion { area } => area,
        Cause::NoSurface { below, .. } => below,
        _ => None,
    }
}

/// Scenes of one kind.
type Family = fn(&mut Random) -> Case;

const FAMILIES: [Family; 14] = [
    |random| {
        let slope = random.range(46.5, 75.0);
        let mut soup = floor();
        add_ramp(&mut soup, [12.0, 0.0], [16.0, 4.0 * slope.to_radians().tan()]);
        let at = random.range(13.5, 14.5);
        let place = vec3(at, (at - 12.0) * slope.to_radians().tan(), random.range(4.0, 8.0));
        Case::new(soup, place, "too_steep").measure(slope.into()).setting("max_slope")
    },
    |random| {
        let room = random.range(0.6, 1.7);
        let mut soup = floor();
        add_box(&mut soup, [3.0, room, 3.0], [9.0, room + 0.3, 9.0]);
        let place = vec3(random.range(4.5, 7.5), 0.0, random.range(4.5, 7.5));
        Case::new(soup, place, "low_head_room").measure(room.into()).setting("agent_height")
    },
    |random| {
        let distance = random.range(0.03, 0.2);
        let (mut soup, at) = (floor(), random.range(4.0, 8.0));
        add_box(&mut soup, [at, 0.0, 2.0], [at + 1.0, 2.5, 10.0]);
        let place = vec3(at - distance, 0.0, random.range(4.0, 8.0));
        Case::new(soup, place, "near_wall").measure(distance.into())
    },
    |random| {
        let distance = random.range(0.03, 0.2);
        let place = vec3(12.0 - distance, 0.0, random.range(2.0, 10.0));
        Case::new(floor(), place, "near_drop").measure(distance.into())
    },
    |random| {
        let (rise, at) = (random.range(0.45, 0.8), random.range(4.0, 8.0));
        let mut soup = floor();
        add_box(&mut soup, [at, 0.0, 0.0], [12.0, rise, 12.0]);
        let place = vec3(at - random.range(0.12, 0.2), 0.0, random.range(4.0, 8.0));
        Case::new(soup, place, "near_step_or_wall").measure(rise.into())
    },
    |random| {
        let mut soup = TriangleSoup::default();
        add_ramp(&mut soup, [12.0, 0.0], [0.0, 0.0]);
        let place = vec3(random.range(2.0, 10.0), 0.0, random.range(2.0, 10.0));
        Case::new(soup, place, "faces_down").setting("winding")
    },
    |random| {
        let soup = floor();
        let areas = vec![AreaId::NULL; soup.triangles().len()];
        let mut blocked = TriangleSoup::default();
        add_box(&mut blocked, [20.0, -0.5, 0.0], [32.0, 0.0, 12.0]);
        let mut soup = soup.with_areas(areas).expect("an area each");
        soup.append(blocked.positions().to_vec(), blocked.triangles().to_vec()).expect("a box");
        let place = vec3(random.range(2.0, 10.0), 0.0, random.range(2.0, 10.0));
        Case::new(soup, place, "blocked")
    },
    |random| {
        let place = vec3(random.range(2.0, 10.0), random.range(3.0, 9.0), random.range(2.0, 10.0));
        Case::new(floor(), place, "no_surface").measure(place.y.into())
    },
    |random| {
        let place = vec3(random.range(20.0, 30.0), 0.0, random.range(2.0, 10.0));
        Case::new(floor(), place, "no_surface")
    },
    |random| {
        let (x, z) = (random.range(3.0, 6.0), random.range(3.0, 6.0));
        let [min, max] = [vec3(x, -1.0, z), vec3(x + 3.0, 1.0, z + 3.0)];
        let shape = MarkShape::Box { bounds: Bounds { min, max } };
        let place = vec3(x + random.range(0.5, 2.5), 0.0, z + random.range(0.5, 2.5));
        let marks = vec![Mark::new(shape.clone(), AreaId::GROUND), Mark::new(shape, AreaId::NULL)];
        Case::new(floor(), place, "marked").config(config().with_marks(marks))
    },
    |random| {
        let (mut soup, side) = (floor(), random.range(1.4, 2.5));
        add_box(&mut soup, [20.0, -0.5, 0.0], [20.0 + side, 0.0, side]);
        let place = vec3(20.0 + side / 2.0, 0.0, side / 2.0);
        Case::new(soup, place, "small_region").config(config().with_min_region(9.0)).setting("min_region")
    },
    |random| {
        let mut soup = floor();
        add_box(&mut soup, [20.0, -0.5, 0.0], [26.0, 0.0, 6.0]);
        let place = vec3(random.range(21.0, 25.0), 0.0, random.range(1.0, 5.0));
        Case::new(soup, place, "not_kept").config(config().with_keep(Keep::Largest)).setting("keep")
    },
    |random| {
        let mut soup = floor();
        add_box(&mut soup, [3.0, -0.2, 3.0], [9.0, 3.0, 9.0]);
        let place = vec3(random.range(4.0, 8.0), 0.0, random.range(4.0, 8.0));
        Case::new(soup, place, "enclosed")
            .config(config().with_enclosed(Enclosed::Remove))
            .setting("enclosed")
    },
    |random| {
        // Under the ramp the head room shrinks to nothing.
        let (mut soup, room) = (floor(), random.range(0.7, 1.6));
        add_ramp(&mut soup, [4.0, 0.0], [10.0, 3.0]);
        let place = vec3(4.0 + 2.0 * room, 0.0, random.range(4.0, 8.0));
        Case::new(soup, place, "low_head_room").measure(room.into()).setting("agent_height")
    },
];

#[test]
fn known_causes_are_named_measured_and_mended() {
    let mut random = Random::new(38);
    let mut right: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..15 {
        for family in FAMILIES {
            let case = family(&mut random);
            let baker = baker(case.config.clone());
            let answer = baker.explain(&case.soup).expect("a bake").place(case.place).expect("an answer");
            check(&case, &answer);
            *right.entry(case.cause).or_default() += 1;
        }
    }
    assert!(right.values().sum::<u32>() >= 200, "{right:?}");
}

fn check(case: &Case, answer: &PlaceAnswer) {
    let what = format!("{} at {}: {answer:?}", case.cause, case.place);
    assert!(!answer.is_walkable, "{what}");
    let first = answer.reasons.first().expect(&what);
    match case.cause {
        // Over a step that is too high stands a wall.
        "near_step_or_wall" => assert!(["near_step", "near_wall"].contains(&first.cause.name()), "{what}"),
        cause => assert_eq!(first.cause.name(), cause, "{what}"),
    }
    if let (Some(expected), Some(measured)) = (case.measure, measure_of(&first.cause))
        && case.cause != "near_step_or_wall"
    {
        // Head room below a slope is the least one of a cell.
        assert!((expected - measured).abs() < 0.11, "{what}, not {expected}");
    }
    if let Some(setting) = case.setting {
        assert_eq!(first.remedy.as_ref().map(|remedy| remedy.setting), Some(setting), "{what}");
    }
    if ["blocked", "marked", "no_surface"].contains(&case.cause) {
        assert!(first.remedy.is_none() && !answer.is_checked, "{what}");
        return;
    }
    assert!(answer.is_checked, "{what}");
    // The remedies hold in a bake of this test, too.
    let remedies = answer.reasons.iter().filter_map(|reason| reason.remedy.as_ref());
    if remedies.clone().all(|remedy| remedy.setting != "winding") {
        let mended = remedies.fold(case.config.clone(), |config, remedy| with(&config, remedy));
        let mesh = baker(mended).bake(&case.soup).expect("a bake");
        let reach = waymesh::graph::Reach::new(0.01, 0.5, 0.5);
        assert!(mesh.nearest(case.place, &reach).is_some(), "{what}");
    }
}

#[test]
fn the_top_of_a_slab_that_is_inside_out_faces_down() {
    let slab = floor();
    let triangles = slab.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let soup = TriangleSoup::new(slab.positions().to_vec(), triangles).unwrap();
    let config = config().with_agent(Agent::default().with_max_step(0.6).with_radius(0.3));
    for height in [0.0, -0.5] {
        let place = vec3(6.0, height, 6.0);
        let answer = baker(config.clone()).explain(&soup).unwrap().place(place).unwrap();
        assert_eq!(answer.reasons[0].cause.name(), "faces_down", "{answer:?}");
        assert_eq!(answer.reasons[0].remedy.as_ref().unwrap().setting, "winding", "{answer:?}");
        assert!(answer.is_checked && answer.reasons.len() == 1, "{answer:?}");
    }
}

#[test]
fn a_place_on_the_mesh_is_walkable() {
    let soup = floor();
    let baker = baker(config());
    let answer = baker.explain(&soup).unwrap().place(vec3(6.0, 0.1, 6.0)).unwrap();
    assert!(answer.is_walkable && answer.reasons.is_empty());
    assert!(baker.explain(&soup).unwrap().place(Vec3::NAN).is_err());
}

#[test]
fn the_first_cause_and_the_next_are_both_mended() {
    // A ramp that is too steep, under a ceiling that is too low for it.
    let mut soup = floor();
    let rise = 4.0 * 50_f32.to_radians().tan();
    add_ramp(&mut soup, [12.0, 0.0], [16.0, rise]);
    let corners = vec![
        vec3(12.0, 1.2, 0.0),
        vec3(12.0, 1.2, 12.0),
        vec3(16.0, rise + 1.2, 12.0),
        vec3(16.0, rise + 1.2, 0.0),
    ];
    soup.append(corners, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    let baker = baker(config());
    let answer = baker.explain(&soup).unwrap().place(vec3(14.0, rise / 2.0, 6.0)).unwrap();
    let causes: Vec<&str> = answer.reasons.iter().map(|reason| reason.cause.name()).collect();
    assert!(causes.starts_with(&["too_steep"]) && causes.contains(&"low_head_room"), "{answer:?}");
    assert!(answer.is_checked, "{answer:?}");
}

/// Two rooms of 6 by 6 m along x, with a wall between them that has a door of
/// this width and height.
fn rooms(width: f32, height: f32) -> TriangleSoup {
    let mut soup = floor();
    let (left, right) = (6.0 - width / 2.0, 6.0 + width / 2.0);
    add_box(&mut soup, [5.9, 0.0, 0.0], [6.1, 3.0, left]);
    add_box(&mut soup, [5.9, 0.0, right], [6.1, 3.0, 12.0]);
    add_box(&mut soup, [5.9, height, left], [6.1, 3.0, right]);
    soup
}

fn pair(soup: &TriangleSoup, from: Vec3, to: Vec3, setting: &str) -> (f64, Option<Vec3>) {
    let baker = baker(config());
    let explainer = baker.explain(soup).expect("a bake");
    let answer = explainer.between(from, to).expect("an answer");
    assert!(answer.length.is_none(), "{answer:?}");
    for way in &answer.ways {
        let mesh = self::baker(with(&config(), &way.remedy)).bake(soup).expect("a bake");
        assert!(mesh.path(from, to).is_ok(), "{way:?}");
    }
    let way = answer.ways.iter().find(|way| way.remedy.setting == setting);
    let way = way.unwrap_or_else(|| panic!("{setting} joins them: {answer:?}"));
    (way.remedy.to.to().unwrap_or_default(), way.at.map(Vec3::from))
}

#[test]
fn the_setting_that_joins_two_places_is_found() {
    let (left, right) = (vec3(2.0, 0.0, 3.0), vec3(10.0, 0.0, 9.0));
    for width in [0.3, 0.4, 0.5] {
        let (radius, at) = pair(&rooms(width, 2.5), left, right, "agent_radius");
        assert!(
            radius < f64::from(width) / 2.0 + 0.06 && radius > f64::from(width) / 2.0 - 0.16,
            "{width}: {radius}"
        );
        let at = at.expect("a place in the door");
        assert!(at.distance(vec3(6.0, 0.0, 6.0)) < 0.6, "{at}");
    }
    for height in [1.2, 1.5] {
        let (tall, at) = pair(&rooms(1.5, height), left, right, "agent_height");
        assert!(tall <= f64::from(height) + 0.06 && tall > f64::from(height) - 0.16, "{height}: {tall}");
        assert!(at.expect("a place in the door").distance(vec3(6.0, 0.0, 6.0)) < 1.0);
    }
    for rise in [0.42, 0.6] {
        let mut soup = floor();
        add_box(&mut soup, [6.0, 0.0, 0.0], [12.0, rise, 12.0]);
        let to = vec3(9.0, rise, 6.0);
        let (step, _) = pair(&soup, left, to, "max_step");
        assert!((step - f64::from(rise)).abs() < 0.06, "{rise}: {step}");
        let (ledge, _) = pair(&soup, left, to, "max_ledge");
        assert!(ledge >= f64::from(rise) - 0.06 && ledge < 1.0, "{rise}: {ledge}");
    }
    let mut soup = floor();
    let rise = 3.0 * 52_f32.to_radians().tan();
    add_ramp(&mut soup, [12.0, 0.0], [15.0, rise]);
    add_ramp(&mut soup, [15.0, rise], [22.0, rise]);
    let (slope, at) = pair(&soup, left, vec3(19.0, rise, 6.0), "max_slope");
    assert!((slope - 52.0).abs() <= 1.0, "{slope}");
    assert!(at.is_some_and(|at| at.x > 11.0 && at.x < 16.0), "{at:?}");
}

#[test]
fn a_gap_is_measured_and_jumped() {
    let mut soup = floor();
    add_box(&mut soup, [13.0, -0.5, 0.0], [20.0, 0.0, 12.0]);
    let baker = baker(config());
    let answer = baker.explain(&soup).unwrap().between(vec3(6.0, 0.0, 6.0), vec3(16.0, 0.0, 6.0)).unwrap();
    let gap = answer.gap.expect("a gap");
    // 1 m and the radius on both sides.
    assert!((gap.distance - 1.6).abs() < 0.4 && gap.rise.abs() < 0.1, "{gap:?}");
    assert!((gap.without_ground - 1.0).abs() < 0.02, "{gap:?}");
    assert!(answer.ways.iter().any(|way| way.remedy.setting == "jumps"), "{answer:?}");
}

/// The nearest places are those of two walls that face each other, not corners.
#[test]
fn a_gap_is_the_same_from_both_sides() {
    let mut soup = floor();
    add_box(&mut soup, [13.0, -0.5, 4.5], [20.0, 0.0, 7.0]);
    let baker = baker(config());
    let explainer = baker.explain(&soup).unwrap();
    let gap = |from, to| explainer.between(from, to).unwrap().gap.expect("a gap");
    for z in [2.0, 6.0, 10.0] {
        let ends = [vec3(6.0, 0.0, z), vec3(16.0, 0.0, 5.5)];
        let [there, back] = [gap(ends[0], ends[1]), gap(ends[1], ends[0])];
        for gap in [there, back] {
            assert!((gap.distance - 1.6).abs() < 0.4 && (gap.without_ground - 1.0).abs() < 0.02, "{gap:?}");
        }
        assert!((there.distance - back.distance).abs() < 0.01, "{there:?} {back:?}");
    }
}

/// Links that lead the other way join no places: the gap is between the pieces without them.
#[test]
fn a_gap_that_is_jumped_one_way_has_a_width() {
    let mut soup = floor();
    add_box(&mut soup, [13.0, -2.5, 0.0], [20.0, -1.5, 12.0]);
    let baker = baker(config().with_jumps(waymesh::JumpConfig::default()));
    let (high, low) = (vec3(6.0, 0.0, 6.0), vec3(16.0, -1.5, 6.0));
    let explainer = baker.explain(&soup).unwrap();
    assert!(explainer.between(high, low).unwrap().length.is_some());
    let answer = explainer.between(low, high).unwrap();
    assert!(answer.length.is_none() && answer.is_one_way, "{answer:?}");
    let gap = answer.gap.expect("a gap");
    assert!((gap.distance - 1.6).abs() < 0.4 && (gap.rise - 1.5).abs() < 0.1, "{gap:?}");
}

/// The risers of stairs are no walls: cells are too wide for the treads.
#[test]
fn narrow_treads_are_too_narrow_for_the_cells() {
    let mut soup = floor();
    let (tread, riser) = (0.15, 0.2);
    for step in 0_u8..14 {
        let (at, top) = (12.0 + f32::from(step) * tread, f32::from(step + 1) * riser);
        add_box(&mut soup, [at, -0.5, 2.0], [16.0, top, 10.0]);
    }
    let config = config().with_scale(0.15, 0.1);
    let baker = baker(config);
    let explainer = baker.explain(&soup).unwrap();
    let mut explained = 0;
    for step in 2_u8..12 {
        let place = vec3(12.0 + (f32::from(step) + 0.5) * tread, f32::from(step + 1) * riser, 6.0);
        let answer = explainer.place(place).unwrap();
        let Some(first) = answer.reasons.first() else { continue };
        explained += 1;
        assert!(["rounding", "near_step", "near_drop"].contains(&first.cause.name()), "{answer:?}");
    }
    assert!(explained > 3, "{explained}");
}

/// Heights at corners alone put the mesh below a hill.
#[test]
fn ground_between_corners_needs_its_heights() {
    let (soup, config) = (waymesh_testkit::small::hill(5.0), config().with_scale(0.2, 0.1));
    let top = vec3(20.0, 5.0, 20.0);
    let bake = |detail: bool| {
        let baker = baker(config.clone().with_height_detail(detail));
        (baker.bake_observed(&soup, &mut ()).expect("a bake").report, baker)
    };
    let (report, baker) = bake(false);
    assert_eq!(report.height_error_max, None);
    let answer = baker.explain(&soup).unwrap().place(top).unwrap();
    assert!(answer.is_checked && answer.reasons.len() == 1, "{answer:?}");
    assert_eq!(answer.reasons[0].cause.name(), "no_detail");
    let (report, baker) = bake(true);
    assert!(report.height_error_max.is_some_and(|error| error < 0.2));
    assert!(baker.explain(&soup).unwrap().place(top).unwrap().is_walkable);
}

#[test]
fn joined_places_are_said_to_be_joined() {
    let soup = rooms(1.5, 2.5);
    let baker = baker(config());
    let answer = baker.explain(&soup).unwrap().between(vec3(2.0, 0.0, 3.0), vec3(10.0, 0.0, 9.0)).unwrap();
    assert!(
        answer.length.is_some_and(|length| length > 9.9) && answer.ways.is_empty() && answer.gap.is_none()
    );
}

/// The number of places per level, many times larger if `WAYMESH_WHY` says so.
fn count() -> usize {
    std::env::var("WAYMESH_WHY").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// Places of the surfaces of real levels that the mesh lacks: an answer names a cause for each, and
/// where it has a setting against every cause, a bake with them has ground there.
#[test]
fn places_of_real_levels() {
    let is_level = |path: &std::path::Path| path.extension().is_some_and(|ending| ending == "glb");
    let (mut total, mut checked, mut helpless) = (0, 0, 0);
    for (seed, level) in (0..).zip(levels::all(is_level)) {
        let Ok(soup) = waymesh::io::load(&level.file) else { continue };
        let bounds = soup.bounds();
        // Large levels take long.
        let size = (bounds.max - bounds.min).max_element();
        if size > 200.0 || count() <= 3 && (size > 60.0 || soup.triangles().len() > 20_000) {
            continue;
        }
        let baker = Baker::voxels();
        let Ok(explainer) = baker.explain(&soup) else { continue };
        let (mut random, mut found) = (Random::new(seed), 0);
        let mut causes: BTreeMap<&str, u32> = BTreeMap::new();
        for _ in 0..20 * count() {
            let [a, b, c] = soup.corners(random.index(soup.triangles().len()));
            let place = a.lerp(b.lerp(c, random.unit()), random.unit().sqrt());
            let normal = (b - a).cross(c - a).normalize_or_zero();
            if normal.y < 0.2 || found >= count() {
                continue;
            }
            let answer = explainer.place(place).unwrap();
            if answer.is_walkable {
                continue;
            }
            found += 1;
            total += 1;
            let what = format!("{}, {place}: {answer:#?}", level.name);
            let first = answer.reasons.first().expect(&what);
            *causes.entry(first.cause.name()).or_default() += 1;
            if answer.reasons.iter().any(|reason| reason.remedy.is_none()) {
                helpless += 1;
                if count() > 3 {
                    println!("helpless: {what:?}");
                }
                continue;
            }
            if answer.is_checked {
                checked += 1;
            } else {
                println!("unchecked: {what}");
            }
        }
        println!("{}: {found} places, {causes:?}", level.name);
    }
    println!("{total} places, {checked} mended, {helpless} without a setting");
    assert!(checked + helpless >= total * 49 / 50, "{checked} and {helpless} of {total}");
}

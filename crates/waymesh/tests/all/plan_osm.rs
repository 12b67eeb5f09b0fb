//! Buildings of OpenStreetMap as meshes: doors let through whom they are wide enough for.

use waymesh::floorplan::{FloorPlan, PlanFormat, ReadOptions, parse_plan};
use waymesh::glam::{Vec3, dvec3, vec3};
use waymesh::{Agent, Baker, NavMesh};

/// Metres of a hundred-thousandth of a degree at the place, east and north.
const METRES: [f64; 2] = [0.755_1, 1.111_8];

/// A row of rooms of 6 x 5 m north of a corridor 3 m wide, on two levels. Each room of the lower
/// level has a door of one of the widths in its wall; the corridors are joined by steps.
fn building(widths: &[f64]) -> String {
    let mut nodes = String::new();
    let mut count = 0;
    let mut node = |east: f64, north: f64, tags: &str| {
        let [longitude, latitude] = [8.54 + east / METRES[0] * 1e-5, 47.37 + north / METRES[1] * 1e-5]
            .map(|value| (value * 1e9).round() / 1e9);
        count += 1;
        nodes += &format!("<node id=\"{count}\" lat=\"{latitude}\" lon=\"{longitude}\">{tags}</node>\n");
        count
    };
    let length = 6.0 * widths.len() as f64;
    let way = |nodes: &[i32], tags: &[(&str, &str)]| {
        let nodes: String = nodes.iter().map(|node| format!("<nd ref=\"{node}\"/>")).collect();
        let tags: String =
            tags.iter().map(|(key, value)| format!("<tag k=\"{key}\" v=\"{value}\"/>")).collect();
        format!("<way id=\"1\">{nodes}{tags}</way>\n")
    };
    let corridor = [[0.0, 0.0], [length, 0.0], [length, 3.0], [0.0, 3.0], [0.0, 0.0]];
    let corridor = corridor.map(|[east, north]| node(east, north, ""));
    let mut ways = way(&corridor, &[("indoor", "corridor"), ("level", "0;1")]);
    for (room, width) in widths.iter().enumerate() {
        let west = 6.0 * room as f64;
        let door = format!("<tag k=\"door\" v=\"yes\"/><tag k=\"width\" v=\"{width}\"/>");
        let corners = [
            node(west, 3.0, ""),
            node(west + 3.0, 3.0, &door),
            node(west + 6.0, 3.0, ""),
            node(west + 6.0, 8.0, ""),
            node(west, 8.0, ""),
        ];
        let ring: Vec<i32> = corners.iter().chain([&corners[0]]).copied().collect();
        ways += &way(&ring, &[("indoor", "room"), ("level", "0")]);
    }
    let steps = [node(4.0, 1.5, ""), node(9.0, 1.5, "")];
    ways += &way(&steps, &[("highway", "steps"), ("level", "0;1"), ("incline", "up"), ("width", "1.4")]);
    format!("<osm>\n{nodes}{ways}</osm>\n")
}

fn read(text: &str) -> FloorPlan {
    let options = ReadOptions::default().with_geo_origin([8.54, 47.37]).with_storey_height(4.0);
    parse_plan("building.osm", text.as_bytes(), PlanFormat::Osm, &options).expect("a plan")
}

fn bake(plan: &FloorPlan, radius: f32) -> NavMesh {
    let agent = Agent::default().with_radius(radius);
    let baker = Baker::plans();
    let config = baker.config().clone().with_agent(agent).with_validate_stages(true);
    baker.with_config(config).bake(plan).expect("a mesh")
}

#[test]
fn a_room_is_entered_by_its_door_if_that_is_wide_enough() {
    let widths = [0.5, 0.7, 0.9, 1.3, 2.0];
    let plan = read(&building(&widths));
    for radius in [0.2_f32, 0.3, 0.4, 0.6] {
        let mesh = bake(&plan, radius);
        let corridor = vec3(1.0, 0.0, -1.5);
        for (room, width) in widths.into_iter().enumerate() {
            let west = 6.0 * room as f32;
            let path = mesh.path(corridor, vec3(west + 1.0, 0.0, -7.0));
            let is_wide = width > 2.0 * f64::from(radius) + 1e-3;
            assert_eq!(path.is_ok(), is_wide, "radius {radius}, a door of {width} m: {path:?}");
            let Ok(path) = path else { continue };
            // Through the wall where the door is.
            let crossed = path.points.windows(2).find_map(|pair| {
                let [a, b]: [Vec3; 2] = [pair[0], pair[1]];
                let share = (-3.0 - a.z) / (b.z - a.z);
                (0.0..=1.0).contains(&share).then_some(a.x + (b.x - a.x) * share)
            });
            let aside = (crossed.expect("a way through the wall") - (west + 3.0)).abs();
            assert!(f64::from(aside) < width / 2.0, "{aside} of {width}");
        }
        // The corridor above, over the steps.
        let up = mesh.path(corridor, vec3(20.0, 4.0, -1.5)).expect("steps");
        assert_eq!(up.links.len(), 1, "radius {radius}");
    }
}

/// A row of rooms of these widths north of a corridor, with doors at corners of rooms: each at the
/// wall of the corridor, before the room of its number or behind the last one.
fn corner_doors(widths: &[f64], doors: &[usize]) -> String {
    let (mut nodes, mut ways, mut count) = (String::new(), String::new(), 0);
    let mut node = |east: f64, north: f64, tags: &str| {
        let [longitude, latitude] = [8.54 + east / METRES[0] * 1e-5, 47.37 + north / METRES[1] * 1e-5]
            .map(|value| (value * 1e9).round() / 1e9);
        count += 1;
        nodes += &format!("<node id=\"{count}\" lat=\"{latitude}\" lon=\"{longitude}\">{tags}</node>\n");
        format!("<nd ref=\"{count}\"/>")
    };
    let mut way = |nodes: [&str; 4], kind: &str| {
        let tags = format!("<tag k=\"indoor\" v=\"{kind}\"/><tag k=\"level\" v=\"0\"/>");
        ways += &format!("<way id=\"1\">{}{}{tags}</way>\n", nodes.concat(), nodes[0]);
    };
    let edges: Vec<f64> = (0..=widths.len()).map(|room| widths[..room].iter().sum()).collect();
    let mut at = |index: usize| {
        let door = if doors.contains(&index) { "<tag k=\"door\" v=\"yes\"/>" } else { "" };
        [(0.0, ""), (3.0, door), (8.0, "")].map(|(north, door)| node(edges[index], north, door))
    };
    let columns: Vec<[String; 3]> = (0..edges.len()).map(&mut at).collect();
    let (first, last) = (&columns[0], &columns[columns.len() - 1]);
    way([&first[0], &last[0], &last[1], &first[1]], "corridor");
    for pair in columns.windows(2) {
        way([&pair[0][1], &pair[1][1], &pair[1][2], &pair[0][2]], "room");
    }
    format!("<osm>\n{nodes}{ways}</osm>\n")
}

/// A door that is drawn at a corner lies in one wall, which leads somewhere.
#[test]
fn a_door_at_a_corner_leads_from_the_corridor_into_one_room() {
    let mut random = waymesh::core::Random::new(5);
    for round in 0..20 {
        let widths: Vec<f64> = (0..4).map(|_| f64::from(random.range(2.0, 7.0))).collect();
        for corner in 0..=widths.len() {
            let mesh = bake(&read(&corner_doors(&widths, &[corner])), 0.2);
            let corridor = vec3(1.0, 0.0, -1.5);
            let mut west = 0.0;
            let mut open = Vec::new();
            for (room, width) in widths.iter().enumerate() {
                if mesh.path(corridor, dvec3(west + width / 2.0, 0.0, -6.0).as_vec3()).is_ok() {
                    open.push(room);
                }
                west += width;
            }
            // The larger of the rooms that meet at the corner.
            let beside = [corner.checked_sub(1), Some(corner).filter(|&room| room < widths.len())];
            let expected = beside.into_iter().flatten().max_by(|&a, &b| widths[a].total_cmp(&widths[b]));
            assert_eq!(open, Vec::from_iter(expected), "{round}: {widths:?}, a door at corner {corner}");
        }
    }
}

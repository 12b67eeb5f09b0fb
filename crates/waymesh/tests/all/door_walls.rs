//! A door joins the rooms on both sides of its wall, however thick the wall is, or is named.

#![expect(clippy::cast_possible_truncation, reason = "a few metres")]

use glam::{Vec3, vec3};
use waymesh::floorplan::{Door, FloorPlan, Outline, PlanFormat, ReadOptions, Shape, parse_plan};
use waymesh::graph::QueryError;
use waymesh::{Agent, Bake, Baker, Outcome};

/// A drawing of a door.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drawing {
    /// A line from jamb to jamb, along the middle of the wall or along one of its faces.
    Line { on_face: bool },
    /// A line through the wall.
    LineThrough,
    /// An area over a share of the thickness of the wall.
    Area { share: f64 },
}

/// Two rooms of 6 m by 8 m on both sides of a wall with a door in its middle, turned by an angle.
struct Rooms {
    width: f64,
    wall: f64,
    angle: f64,
    /// The wall is a gap between two walkable shapes.
    is_gap: bool,
    /// A cupboard stands before the door.
    cupboard: bool,
}

impl Rooms {
    fn at(&self, x: f64, z: f64) -> [f64; 2] {
        let (sin, cos) = self.angle.sin_cos();
        [3.7 + x * cos - z * sin, 1.2 + x * sin + z * cos]
    }

    fn quad(&self, [low_x, high_x]: [f64; 2], [low_z, high_z]: [f64; 2]) -> Vec<[f64; 2]> {
        [[low_x, low_z], [high_x, low_z], [high_x, high_z], [low_x, high_z]]
            .map(|[x, z]| self.at(x, z))
            .to_vec()
    }

    fn place(&self, x: f64) -> Vec3 {
        let [x, z] = self.at(x, 1.0);
        vec3(x as f32, 0.0, z as f32)
    }

    fn plan(&self, drawing: Drawing) -> FloorPlan {
        let half = self.wall / 2.0;
        let mut plan = FloorPlan::default();
        let storey = plan.storey_mut("ground", 0.0);
        let rooms = [[-half - 6.0, -half], [half, half + 6.0]];
        if self.is_gap {
            storey.walkable.extend(rooms.map(|x| Shape::polygon("room", self.quad(x, [-4.0, 4.0]))));
        } else {
            storey.walkable.push(Shape::polygon("floor", self.quad([-half - 6.0, half + 6.0], [-4.0, 4.0])));
            let line = [self.at(0.0, -4.5), self.at(0.0, 4.5)].to_vec();
            storey.blocked.push(Shape::new("wall", Outline::Wall { line, width: self.wall }));
        }
        if self.cupboard {
            let cupboard = self.quad([half, half + 0.6], [-0.4, 0.4]);
            storey.blocked.push(Shape::polygon("cupboard", cupboard));
        }
        let w = self.width / 2.0;
        let line = |a: [f64; 2], b: [f64; 2]| [self.at(a[0], a[1]), self.at(b[0], b[1])];
        match drawing {
            Drawing::Line { on_face } => {
                let x = if on_face { half } else { 0.0 };
                storey.doors.push(Door::new("door", line([x, -w], [x, w])));
            }
            Drawing::LineThrough => {
                let line = line([-half - 0.01, 0.0], [half + 0.01, 0.0]);
                storey.doors.push(Door { depth: self.width, ..Door::new("door", line) });
            }
            Drawing::Area { share } => {
                let corners = self.quad([-half * share, half * share], [-w, w]);
                let corners: Vec<String> =
                    corners.iter().chain(&corners[..1]).map(|[x, z]| format!("[{x}, {}]", -z)).collect();
                let json = format!(
                    r#"{{"type": "Feature", "properties": {{"kind": "door", "name": "door"}},
                    "geometry": {{"type": "Polygon", "coordinates": [[{}]]}}}}"#,
                    corners.join(", ")
                );
                let read = parse_plan("door", json.as_bytes(), PlanFormat::GeoJson, &ReadOptions::default())
                    .expect("a door");
                storey.doors.extend(read.storeys.into_iter().flat_map(|storey| storey.doors));
            }
        }
        plan
    }

    /// Returns `true` if a path leads through the door, and the warnings.
    fn bake(&self, drawing: Drawing, radius: f64) -> (bool, Vec<String>) {
        let baker = Baker::plans();
        let config = baker.config().clone().with_agent(Agent::default().with_radius(radius as f32));
        let baker = baker.with_config(config.with_validate_stages(true));
        let Bake { mesh, report, .. } = baker.bake_observed(&self.plan(drawing), &mut ()).expect("a mesh");
        let side = self.wall / 2.0 + 3.0;
        let path = QueryError::accept_no_path(mesh.query().path(self.place(-side), self.place(side)));
        let path = path.expect("both on the mesh");
        let leads = path.outcome == Outcome::Complete;
        assert!(!leads || path.links.len() == 1, "the path takes the door: {path:?}");
        (leads, report.warnings)
    }
}

#[test]
fn a_door_leads_through_its_wall_or_is_named() {
    let drawings = [
        Drawing::Line { on_face: false },
        Drawing::Line { on_face: true },
        Drawing::LineThrough,
        Drawing::Area { share: 1.0 },
        Drawing::Area { share: 1.1 },
        Drawing::Area { share: 0.9 },
    ];
    let mut count = [0; 2];
    for width in [0.5, 0.7, 0.9, 1.6] {
        for wall in [0.1, 0.3, 0.55, 0.8, 1.2, 2.5] {
            for (angle, is_gap) in [(0.0, false), (0.4, false), (2.2, true)] {
                for radius in [0.0, 0.25, 0.34] {
                    for drawing in drawings {
                        let rooms = Rooms { width, wall, angle, is_gap, cupboard: false };
                        let (leads, warnings) = rooms.bake(drawing, radius);
                        let what = format!(
                            "{drawing:?}, {width} m wide, wall {wall} m, turned by {angle}, gap: {is_gap}, radius {radius}: {warnings:?}"
                        );
                        let is_wide = width > 2.0 * radius + 0.005;
                        let is_named = warnings
                            .iter()
                            .any(|text| text.contains("door \"door\"") && text.contains("no link; make"));
                        assert!(leads == is_wide && is_named != is_wide, "{what}");
                        count[usize::from(leads)] += 1;
                    }
                }
            }
        }
    }
    assert!(count.iter().all(|&count| count > 100), "{count:?}");
}

/// An obstacle before a door is not a part of its wall.
#[test]
fn a_cupboard_before_a_door_stays() {
    for wall in [0.2, 0.5, 1.0] {
        for drawing in [Drawing::Line { on_face: false }, Drawing::Area { share: 1.0 }] {
            let rooms = Rooms { width: 0.9, wall, angle: 0.3, is_gap: false, cupboard: true };
            let (leads, warnings) = rooms.bake(drawing, 0.2);
            assert!(!leads, "{drawing:?} in {wall} m: {warnings:?}");
        }
    }
}

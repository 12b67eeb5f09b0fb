//! Drawing of meshes, their sources, paths and agents.

use std::collections::HashMap;
use std::f32::consts::TAU;
use std::sync::Arc;

use bevy::app::{App, Plugin, PostUpdate};
use bevy::color::Color;
use bevy::ecs::entity::Entity;
use bevy::ecs::query::With;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Local, Query};
use bevy::gizmos::AppGizmoBuilder as _;
use bevy::gizmos::config::GizmoConfigGroup;
use bevy::gizmos::gizmos::Gizmos;
use bevy::math::{Vec2, Vec3};
use bevy::reflect::Reflect;
use bevy::transform::components::GlobalTransform;
use waymesh::graph::LinkEnd;
use waymesh::{AreaId, PolyId};

use crate::NavMeshSystems;
use crate::agent::{NavMeshAgent, NavMeshAgentState, NavMeshWalkers};
use crate::bake::Level;
use crate::convert::to_bevy;
use crate::crowd::CrowdState;
use crate::geometry::Placed;
use crate::nav_mesh::NavMesh;

/// Draws the parts that [`NavMeshGizmos`] selects. Needs Bevy's `GizmoPlugin`, which is in
/// `DefaultPlugins`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NavMeshGizmosPlugin;

/// Selects the parts of navigation meshes to draw, from the input of a bake to the agents. Change
/// it in the `GizmoConfigStore`.
///
/// Lines of a mesh are cached; shapes and agents are drawn from their state in each frame.
#[derive(Clone, Copy, Debug, Reflect, GizmoConfigGroup)]
pub struct NavMeshGizmos {
    /// Triangles of sources. Default `false`.
    pub sources: bool,
    /// Triangles of obstacles. Default `false`.
    pub obstacles: bool,
    /// Triangles of areas. Default `false`.
    pub areas: bool,
    /// Edges without a neighbour: walls and drops. Default `true`.
    pub borders: bool,
    /// Edges between polygons, in the colours of areas. Default `true`.
    pub portals: bool,
    /// Triangles of the ground, whose heights positions get. Default `false`.
    pub ground: bool,
    /// Links: open ones bright, closed ones dark. Default `true`.
    pub links: bool,
    /// The paths of agents. Default `true`.
    pub paths: bool,
    /// Agents as circles, and their velocities. Default `true`.
    pub agents: bool,
    /// Height of the drawing above the ground in metres. Default 0.05.
    pub lift: f32,
}

impl Default for NavMeshGizmos {
    fn default() -> Self {
        Self {
            sources: false,
            obstacles: false,
            areas: false,
            borders: true,
            portals: true,
            ground: false,
            links: true,
            paths: true,
            agents: true,
            lift: 0.05,
        }
    }
}

impl Plugin for NavMeshGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<NavMeshGizmos>()
            .add_systems(PostUpdate, (draw_shapes, draw_meshes, draw_agents).after(NavMeshSystems::Attach));
    }
}

const SOURCE: Color = Color::srgb(0.45, 0.45, 0.5);
const OBSTACLE: Color = Color::srgb(0.9, 0.4, 0.1);
const AREA: Color = Color::srgb(0.6, 0.3, 0.8);
const BORDER: Color = Color::srgb(0.05, 0.2, 0.5);
const GROUND: Color = Color::srgb(0.5, 0.7, 0.55);
const LINK: Color = Color::srgb(0.9, 0.8, 0.1);
const CLOSED: Color = Color::srgb(0.35, 0.3, 0.05);
const PATH: Color = Color::srgb(0.9, 0.1, 0.2);
const AGENT: Color = Color::srgb(0.1, 0.1, 0.1);

fn draw_shapes(mut level: Level, mut gizmos: Gizmos<NavMeshGizmos>) {
    let config = *gizmos.config_ext;
    let wanted = [(config.sources, SOURCE), (config.obstacles, OBSTACLE), (config.areas, AREA)];
    if wanted.iter().all(|(is_wanted, _)| !is_wanted) {
        return;
    }
    for (shapes, (is_wanted, colour)) in level.shapes().iter().zip(wanted) {
        for shape in shapes.iter().filter(|_| is_wanted) {
            draw_shape(shape, colour, &mut gizmos);
        }
    }
}

fn draw_shape(shape: &Placed, colour: Color, gizmos: &mut Gizmos<NavMeshGizmos>) {
    let (corners, triangles) = shape.triangles();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| to_bevy(corners[corner as usize]));
        gizmos.linestrip([a, b, c, a], colour);
    }
}

/// The lines of a mesh.
struct Lines {
    mesh: Arc<waymesh::NavMesh>,
    /// Borders, portals, ground, links.
    wanted: [bool; 4],
    lines: Vec<(Vec3, Vec3, Color)>,
}

fn draw_meshes(
    meshes: Query<(Entity, &NavMesh)>,
    mut gizmos: Gizmos<NavMeshGizmos>,
    mut kept: Local<HashMap<Entity, Lines>>,
) {
    let config = *gizmos.config_ext;
    let wanted = [config.borders, config.portals, config.ground, config.links];
    kept.retain(|&entity, _| meshes.contains(entity));
    for (entity, mesh) in &meshes {
        let mesh = mesh.mesh();
        let is_kept = |lines: &Lines| Arc::ptr_eq(&lines.mesh, mesh) && lines.wanted == wanted;
        if !kept.get(&entity).is_some_and(is_kept) {
            let lines = Lines { mesh: mesh.clone(), wanted, lines: lines_of(mesh, wanted) };
            kept.insert(entity, lines);
        }
        let lift = Vec3::Y * config.lift;
        for &(from, to, colour) in kept.get(&entity).into_iter().flat_map(|kept| &kept.lines) {
            gizmos.line(from + lift, to + lift, colour);
        }
    }
}

fn lines_of(mesh: &waymesh::NavMesh, wanted: [bool; 4]) -> Vec<(Vec3, Vec3, Color)> {
    let [borders, portals, ground, links] = wanted;
    let mut lines = Vec::new();
    if ground {
        let ground = waymesh::io::ground_triangles(mesh);
        for triangle in &ground.triangles {
            let [a, b, c] = triangle.map(|corner| Vec3::from_array(ground.positions[corner as usize]));
            lines.extend([(a, b, GROUND), (b, c, GROUND), (c, a, GROUND)]);
        }
    }
    for polygon in mesh.polygons() {
        let colour = colour_of(mesh, polygon.area_id());
        let corners: Vec<Vec3> = polygon.positions().map(to_bevy).collect();
        for (index, neighbour) in polygon.neighbours().enumerate() {
            let edge = (corners[index], corners[(index + 1) % corners.len()]);
            match neighbour {
                None if borders => lines.push((edge.0, edge.1, BORDER)),
                // Once for both.
                Some(PolyId(other)) if portals && other > polygon.id().0 => {
                    lines.push((edge.0, edge.1, colour));
                }
                _ => {}
            }
        }
    }
    let middle = |end: &LinkEnd| {
        let [a, b] = end.ends.map(|end| {
            let world = mesh.frame().to_world(end.point.x.into(), end.height.into(), end.point.z.into());
            to_bevy(world)
        });
        (a + b) / 2.0
    };
    for link in mesh.links().iter().filter(|_| links) {
        lines.push((middle(&link.from), middle(&link.to), if link.is_open { LINK } else { CLOSED }));
    }
    lines
}

/// The colour of an area: that of the mesh's table, or one by its number.
fn colour_of(mesh: &waymesh::NavMesh, area: AreaId) -> Color {
    if let Some([red, green, blue]) = mesh.area_table().get(area).and_then(|area| area.colour) {
        return Color::srgb_u8(red, green, blue);
    }
    if area == AreaId::GROUND {
        return Color::srgb(0.3, 0.6, 0.9);
    }
    // Angles of the golden section are far from each other.
    Color::hsl(f32::from(area.0) * 137.5 % 360.0, 0.7, 0.5)
}

fn draw_agents(
    crowds: Query<&CrowdState, (With<NavMesh>, With<NavMeshWalkers>)>,
    agents: Query<(&NavMeshAgent, &NavMeshAgentState, &GlobalTransform)>,
    mut gizmos: Gizmos<NavMeshGizmos>,
) {
    const SIDES: u8 = 16;
    let config = *gizmos.config_ext;
    let lift = Vec3::Y * config.lift;
    for path in crowds.iter().filter(|_| config.paths).flat_map(CrowdState::paths) {
        gizmos.linestrip(path.iter().map(|&corner| to_bevy(corner) + 2.0 * lift), PATH);
    }
    for (agent, state, transform) in agents.iter().filter(|_| config.agents) {
        let centre = transform.translation() - Vec3::Y * agent.origin_height + lift;
        let corner = |side: u8| {
            let out = Vec2::from_angle(TAU * f32::from(side) / f32::from(SIDES));
            centre + agent.params.radius * Vec3::new(out.x, 0.0, out.y)
        };
        gizmos.linestrip((0..=SIDES).map(corner), AGENT);
        gizmos.line(centre, centre + state.velocity, AGENT);
    }
}

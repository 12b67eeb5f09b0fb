//! Surroundings of an agent on the mesh: walls, and the polygons on which it sees other agents.

use glam::{Vec2, Vec3Swizzles};
use waymesh_core::PolyId;
use waymesh_graph::{Generation, Location, NavMesh, PolygonFilter, QueryError};

use crate::links::LinkTable;
use crate::workers::Scratch;

/// Steps after which the surroundings are recomputed although the agent stood still: filters and
/// links may have changed.
const MAX_STEPS: u32 = 30;

/// Cache of the polygons and walls around a position, valid while the agent stays near it.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    middle: Vec2,
    steps: u32,
    generation: Option<Generation>,
    /// Polygons within range that are connected to the polygon of the agent.
    polygons: Vec<PolyId>,
    /// Right and left end as seen from the ground.
    walls: Vec<[Vec2; 2]>,
}

impl Default for Around {
    /// Creates an empty cache, with capacity for the surroundings of most positions.
    fn default() -> Self {
        let (polygons, walls) = (Vec::with_capacity(32), Vec::with_capacity(32));
        Self { middle: Vec2::ZERO, steps: 0, generation: None, polygons, walls }
    }
}

impl Around {
    /// Recomputes the surroundings if the agent is more than `slack` metres from the position of
    /// the last time, the mesh has changed, or [`MAX_STEPS`] have passed.
    pub(crate) fn renew(
        &mut self,
        mesh: &NavMesh,
        links: &LinkTable,
        place: &Location,
        [polygon_range, wall_range, slack]: [f32; 3],
        filter: &impl PolygonFilter,
        scratch: &mut Scratch,
    ) -> Result<(), QueryError> {
        let here = place.position.xz();
        self.steps += 1;
        if self.generation == Some(mesh.generation())
            && self.steps < MAX_STEPS
            && here.distance_squared(self.middle) <= slack * slack
        {
            return Ok(());
        }
        self.generation = None;
        mesh.query().filter(filter).memory(&mut scratch.query).walls(
            place,
            wall_range + slack,
            &mut scratch.walls,
        )?;
        self.walls.clear();
        self.walls.extend(scratch.walls.iter().map(|wall| wall.ends.map(|end| end.xz())));
        flood(mesh, links, place.polygon, here, polygon_range + slack, &mut self.polygons);
        (self.middle, self.steps, self.generation) = (here, 0, Some(mesh.generation()));
        Ok(())
    }

    /// Invalidates the cache.
    pub(crate) fn forget(&mut self) {
        self.generation = None;
    }

    pub(crate) fn walls(&self) -> &[[Vec2; 2]] {
        &self.walls
    }

    /// Returns `true` if an agent on `polygon` must be avoided: the polygon is on no other storey.
    pub(crate) fn sees(&self, polygon: PolyId) -> bool {
        self.polygons.contains(&polygon)
    }
}

/// Lists the polygons within `range` metres in plan that are connected to `first` through edges,
/// and through links that are crossed like edges.
fn flood(
    mesh: &NavMesh,
    links: &LinkTable,
    first: PolyId,
    middle: Vec2,
    range: f32,
    polygons: &mut Vec<PolyId>,
) {
    polygons.clear();
    polygons.push(first);
    let mut next = 0;
    while let Some(&polygon) = polygons.get(next) {
        next += 1;
        let Some(view) = mesh.polygon(polygon) else { continue };
        let starts = view.positions();
        let ends = view.positions().skip(1).chain(view.positions().take(1));
        let edges = starts.zip(ends).zip(view.neighbours()).filter_map(|((start, end), neighbour)| {
            neighbour.map(|neighbour| (neighbour, [start.xz(), end.xz()]))
        });
        for (neighbour, segment) in edges.chain(links.crossed_from(polygon)) {
            let closest = closest_on_segment(segment, middle);
            if closest.distance_squared(middle) <= range * range && !polygons.contains(&neighbour) {
                polygons.push(neighbour);
            }
        }
    }
}

/// Returns the point of a segment that is closest to `at`.
pub(crate) fn closest_on_segment([a, b]: [Vec2; 2], at: Vec2) -> Vec2 {
    let along = b - a;
    let length_squared = along.length_squared();
    if length_squared <= 0.0 {
        return a;
    }
    a + ((at - a).dot(along) / length_squared).clamp(0.0, 1.0) * along
}

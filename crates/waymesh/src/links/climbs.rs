//! Climb links: up and down ledges that are too high to walk over. Each [`Climb`] of the grid is
//! mapped to two polygons of the mesh, and climbs side by side become one link.

use waymesh_core::{
    Bounds, BoxTree, Direction, GridFrame, PlanPoint, PlanVertex, PolyId, checkpoint, checkpoint_every,
    saturating_i32,
};
use waymesh_graph::{Link, LinkEnd, LinkKind, NavMesh};
use waymesh_voxel::Climb;

use super::jumps::height;
use crate::bake::BakeConfig;

/// Links the polygons that climbs lead to. The links are sorted, lead from the lower polygon to the
/// higher and can be taken in both directions.
///
/// # Guarantees
/// - The same climbs, in any order, give the same links.
/// - A link is as wide as climbs between the same two polygons lie side by side. Its segments lie
///   on the mesh, as near to the ledge as the simplified border allows. Where several links would
///   connect the same polygons at one place, the longest is kept.
pub(crate) fn climb_links(mesh: &NavMesh, config: &BakeConfig, climbs: Vec<Climb>) -> Vec<Link> {
    let Some(deepest) = climbs.iter().map(depth).max() else { return Vec::new() };
    let found = mesh_climbs(mesh, config, climbs, mesh.polygons().map(|polygon| polygon.id()));
    let mut links = links_of(mesh, found, reach(config, mesh.frame(), deepest));
    let order = |link: &Link| {
        let points = [link.from.ends, link.to.ends].map(|ends| ends.map(|end| [end.point.x, end.point.z]));
        (link.from.polygon, link.to.polygon, points)
    };
    links.sort_unstable_by_key(order);
    links
}

/// Largest distance of the landings of a climb from its ledge, in cells.
pub(crate) fn depth(climb: &Climb) -> u16 {
    climb.low_depth.max(climb.high_depth)
}

/// Largest distance in cells between a ledge and the polygons at climbs of this depth. Runs of the
/// same ledge may be this far apart.
pub(crate) fn reach(config: &BakeConfig, frame: &GridFrame, deepest: u16) -> i32 {
    i32::from(deepest) + slack(config, frame)
}

/// Largest distance in cells of a simplified border from the end of the ground.
fn slack(config: &BakeConfig, frame: &GridFrame) -> i32 {
    saturating_i32((config.edge_error() / frame.cell_size).ceil()).saturating_add(1).min(64)
}

/// Finds the polygons that climbs lead between, among some of a mesh: all that lie within [`reach`]
/// of their ledges. They come in the order of the climbs, each once.
pub(crate) fn mesh_climbs(
    mesh: &NavMesh,
    config: &BakeConfig,
    mut climbs: Vec<Climb>,
    polygons: impl Iterator<Item = PolyId>,
) -> Vec<MeshClimb> {
    climbs.sort_unstable();
    climbs.dedup();
    if climbs.is_empty() {
        return Vec::new();
    }
    let ground = LandingGround::of(mesh, config, polygons);
    let found = climbs.iter().enumerate().filter_map(|(index, climb)| {
        checkpoint_every(1 << 8, index);
        ground.climb(climb)
    });
    found.collect()
}

/// Returns the links that climbs between polygons make, those between the same two together.
pub(crate) fn links_of(mesh: &NavMesh, mut found: Vec<MeshClimb>, reach: i32) -> Vec<Link> {
    found.sort_unstable_by_key(|climb| (climb.polygons, climb.up, climb.along, climb.line));
    let mut runs: Vec<Run> = Vec::new();
    for climb in found {
        checkpoint();
        match runs.last_mut() {
            Some(run) if run.continues_with(&climb) => run.last = climb,
            _ => runs.push(Run { first: climb, last: climb }),
        }
    }
    runs.chunk_by(|one, other| one.first.polygons == other.first.polygons)
        .flat_map(|same_polygons| longest(same_polygons, reach))
        .map(|run| link(mesh, &run))
        .collect()
}

/// The link that a run of climbs makes.
fn link(mesh: &NavMesh, run: &Run) -> Link {
    let end = |side: usize| {
        let polygon = run.first.polygons[side];
        let height = |point: PlanPoint| height(mesh, polygon, point).unwrap_or(f32::NAN);
        let ends = run.segment(side).map(|point| PlanVertex { point, height: height(point) });
        LinkEnd { polygon, ends }
    };
    Link::new(end(0), end(1), LinkKind::Step)
}

/// A climb on the mesh: one cell wide, or of no width where a border between polygons runs through
/// it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MeshClimb {
    /// The lower, then the higher.
    pub(crate) polygons: [PolyId; 2],
    up: u8,
    /// First and last coordinate along the ledge.
    along: [i32; 2],
    /// Position of the ledge across its direction.
    line: i32,
    /// Coordinate across, on the lower and the higher polygon.
    across: [i32; 2],
}

/// Climbs side by side.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: MeshClimb,
    last: MeshClimb,
}

impl Run {
    /// Returns `true` if `next` is adjacent to the last climb. Slanted ledges are jagged along cells,
    /// so it may lie some cells nearer or farther.
    fn continues_with(&self, next: &MeshClimb) -> bool {
        const JOG: u32 = 2;
        self.last.polygons == next.polygons
            && self.last.up == next.up
            && self.last.along[1] == next.along[0]
            && self.last.line.abs_diff(next.line) <= JOG
    }

    fn length(&self) -> u32 {
        self.last.along[1].abs_diff(self.first.along[0])
    }

    /// Ends of the segment on one side.
    fn segment(&self, side: usize) -> [PlanPoint; 2] {
        [(self.first, self.first.along[0]), (self.last, self.last.along[1])]
            .map(|(climb, along)| at(climb.up, along, climb.across[side]))
    }
}

/// The plan point with these coordinates along and across a ledge.
fn at(up: u8, along: i32, across: i32) -> PlanPoint {
    match Direction::from_index(up.into()) {
        Direction::NegX | Direction::PosX => PlanPoint::new(across, along),
        Direction::NegZ | Direction::PosZ => PlanPoint::new(along, across),
    }
}

/// Returns the runs between two polygons without those next to a longer one: an edge that runs
/// slanted is made of steps along x and along z, and both make a link.
fn longest(runs: &[Run], reach: i32) -> Vec<Run> {
    let mut sorted = runs.to_vec();
    sorted.sort_by_key(|run| std::cmp::Reverse(run.length()));
    let mut kept: Vec<Run> = Vec::new();
    for run in sorted {
        let is_beside = |longer: &Run| {
            let [a, b] = longer.segment(0);
            let near = |at: i32, one: i32, other: i32| {
                at >= one.min(other).saturating_sub(reach) && at <= one.max(other).saturating_add(reach)
            };
            run.segment(0).iter().all(|point| near(point.x, a.x, b.x) && near(point.z, a.z, b.z))
        };
        if !kept.iter().any(is_beside) {
            kept.push(run);
        }
    }
    kept
}

/// One end of a climb: where the agent stands.
#[derive(Clone, Copy, Debug)]
struct Landing {
    direction: Direction,
    /// Coordinate across of the landing's near border.
    near: i32,
    floor: i32,
}

/// The polygons of the mesh around climbs.
struct LandingGround<'a> {
    mesh: &'a NavMesh,
    polygons: Vec<PolyId>,
    /// Boxes of the polygons in the plan.
    boxes: BoxTree,
    /// Largest distance in cells of a simplified border from the end of the ground.
    slack: i32,
    /// Largest difference in levels between a floor and the ground of the mesh at the same place.
    levels: f32,
}

impl<'a> LandingGround<'a> {
    fn of(mesh: &'a NavMesh, config: &BakeConfig, polygons: impl Iterator<Item = PolyId>) -> Self {
        let (frame, polygons) = (mesh.frame(), polygons.filter_map(|polygon| mesh.polygon(polygon)));
        let step = config.agent.max_step_levels(frame.level_height) as f32;
        let (polygons, boxes): (_, Vec<Bounds>) = polygons
            .map(|polygon| {
                let corners =
                    polygon.corners().iter().map(|corner| mesh.plan_vertices()[corner.index()].point);
                (polygon.id(), Bounds::in_plan(corners, 0.0))
            })
            .unzip();
        Self {
            mesh,
            polygons,
            boxes: boxes.into_iter().collect(),
            slack: slack(config, frame),
            // Ground lies up to a level below its floor, the mesh up to its height error off the ground, and
            // a step may lie between them.
            levels: step.max(1.0) + 1.0 + config.max_height_error_levels,
        }
    }

    /// Coordinates along the ledge where a climb begins and ends.
    fn along(&self, climb: &Climb) -> [i32; 2] {
        let column = match climb.direction() {
            Direction::NegX | Direction::PosX => climb.foot.z,
            Direction::NegZ | Direction::PosZ => climb.foot.x,
        };
        [column.cast_signed(), column.cast_signed() + 1]
    }

    fn landings(&self, climb: &Climb) -> [Landing; 2] {
        let up = climb.direction();
        let line = line(climb);
        let (back, on) = (i32::from(climb.low_depth), i32::from(climb.high_depth));
        let towards = |direction: Direction, polygons: i32| line + sign(direction) * polygons;
        [
            Landing { direction: up.opposite(), near: towards(up.opposite(), back), floor: climb.low_floor },
            Landing { direction: up, near: towards(up, on), floor: climb.high_floor },
        ]
    }

    fn across(&self, landing: &Landing, deeper: i32) -> i32 {
        landing.near + sign(landing.direction) * deeper
    }

    /// The polygons that a climb leads between.
    fn climb(&self, climb: &Climb) -> Option<MeshClimb> {
        let [low, high] = self.landings(climb);
        let [first, last] = self.along(climb);
        [[first, last], [first, first], [last, last]].into_iter().find_map(|along| {
            let (low_polygon, low_across) = self.place(climb.up, &low, along)?;
            let (high_polygon, high_across) = self.place(climb.up, &high, along)?;
            Some(MeshClimb {
                polygons: [low_polygon, high_polygon],
                up: climb.up,
                along,
                line: line(climb),
                across: [low_across, high_across],
            })
        })
    }

    /// The polygon nearest to the ledge that holds both ends at about this height.
    fn place(&self, up: u8, landing: &Landing, along: [i32; 2]) -> Option<(PolyId, i32)> {
        (0..=self.slack).find_map(|deeper| {
            let across = self.across(landing, deeper);
            let ends = along.map(|along| at(up, along, across));
            let near = self.boxes.overlapping(Bounds::in_plan([ends[0]], 0.0));
            let near = near
                .map(|place| self.polygons[place])
                .filter(|&polygon| ends.iter().all(|&end| self.mesh.contains_point(polygon, end)))
                .filter_map(|polygon| {
                    let off = (height(self.mesh, polygon, ends[0])? - landing.floor as f32).abs();
                    (off <= self.levels).then_some((polygon, off))
                });
            let (polygon, _) =
                near.min_by(|a, b| a.1.total_cmp(&b.1).then(self.mesh.compare_polygons(a.0, b.0)))?;
            Some((polygon, across))
        })
    }
}

/// Coordinate across of the ledge itself.
fn line(climb: &Climb) -> i32 {
    let (x, z) = (climb.foot.x.cast_signed(), climb.foot.z.cast_signed());
    match climb.direction() {
        Direction::NegX => x,
        Direction::PosX => x + 1,
        Direction::NegZ => z,
        Direction::PosZ => z + 1,
    }
}

/// 1 if coordinates grow in a direction, -1 if they shrink.
fn sign(direction: Direction) -> i32 {
    let (dx, dz) = direction.offset();
    dx + dz
}

//! Jump links: jumps over gaps, and drops from ledges.
//!
//! From places along every border, the search goes straight out to the first ground that the agent
//! can land on by a drop (out over the edge, then straight down), and to the first by a jump (a
//! ballistic arc), which may lead over ground below. Then come the shortest flights between any two
//! border edges near each other, so past corners and between edges that do not face each other. The
//! flight is checked against the triangles of the scene, with the agent's radius and height. Of
//! candidates side by side the shortest is kept, straight ones first.

mod aslant;
mod clear;

use std::cmp::Ordering;

use glam::Vec3;
use waymesh_core::{
    Agent, BadField, PlanPoint, PlanVertex, PolyId, TriangleSource, checkpoint, nearest_f32, saturating_i32,
    saturating_u32, setters,
};
use waymesh_graph::{Link, LinkEnd, LinkKind, Location, NavMesh, QueryScratch, Reach};

use crate::bake::{BakeError, ConfigError};
pub(crate) use clear::{Cylinder, Obstacles, Room};

/// The jumps and drops of an agent. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct JumpConfig {
    /// Longest jump, from border to border of the mesh in plan, so with the agent's radius on both
    /// sides. Finite, 0 or more: 0 for no jumps. Default 4.
    pub max_length: f32,
    /// Largest difference in height of the landing of a jump, up and down; a jump that leads up as
    /// far as down can be taken both ways. Finite, 0 or more. Default 0.6.
    pub max_rise: f32,
    /// Height of the feet above the higher end at the top of a jump. Finite, above 0. Default
    /// 0.4.
    pub arc_height: f32,
    /// Deepest drop. Finite, 0 or more: 0 for no drops. Default 4.
    pub max_drop: f32,
    /// Largest length of a drop in plan, from border to border of the mesh. Finite, 0 or more.
    /// Default 2: a little more than the diameter of the default agent.
    pub max_drop_length: f32,
    /// A link with both ends nearer than this to those of a shorter one is left out. Finite, above
    /// 0. Default 2.
    pub spacing: f32,
    /// Least length that a link must save: a link with a shorter detour by foot is left out.
    /// Finite, 0 or more. Default 4.
    pub min_detour: f32,
}

impl Default for JumpConfig {
    fn default() -> Self {
        Self {
            max_length: 4.0,
            max_rise: 0.6,
            arc_height: 0.4,
            max_drop: 4.0,
            max_drop_length: 2.0,
            spacing: 2.0,
            min_detour: 4.0,
        }
    }
}

setters! {
    impl JumpConfig {
        with_max_length(max_length: f32);
        with_max_rise(max_rise: f32);
        with_arc_height(arc_height: f32);
        with_max_drop(max_drop: f32);
        with_max_drop_length(max_drop_length: f32);
        with_spacing(spacing: f32);
        with_min_detour(min_detour: f32);
    }
}

impl JumpConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), BadField> {
        for (field, value) in [
            ("jumps.max_length", self.max_length),
            ("jumps.max_rise", self.max_rise),
            ("jumps.max_drop", self.max_drop),
            ("jumps.max_drop_length", self.max_drop_length),
            ("jumps.min_detour", self.min_detour),
        ] {
            BadField::unless_length(field, value)?;
        }
        BadField::unless_positive("jumps.arc_height", self.arc_height)?;
        BadField::unless_positive("jumps.spacing", self.spacing)
    }

    /// Farthest that any landing may be.
    pub(crate) fn reach(&self) -> f32 {
        let drop = if self.max_drop > 0.0 { self.max_drop_length } else { 0.0 };
        self.max_length.max(drop)
    }
}

/// A jump or a drop that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) from: LinkEnd,
    pub(crate) to: LinkEnd,
    /// World positions of its ends.
    pub(crate) ends: [Vec3; 2],
    pub(crate) kind: LinkKind,
    pub(crate) length: f32,
    /// `true` if it does not lead straight out from a border.
    pub(crate) is_aslant: bool,
}

/// Finds the jumps and drops that an agent can make. Returns links from point to point, sorted.
/// `scene` is what the mesh was baked from; only its triangles are obstacles.
///
/// # Guarantees
/// - Both ends lie on their polygons. A link of kind [`LinkKind::Jump`] spans at most `max_length`
///   in plan and `max_rise` in height and leads both ways; one of kind [`LinkKind::Drop`] leads
///   down only, by more than the agent's step and at most `max_drop`.
/// - The agent, as an upright cylinder from its step to its height, meets no triangle in flight.
///   Its radius is reduced by one cell, which is the accuracy of a mesh on a grid; the flight is
///   checked at distances of half of that.
/// - The shortest flights between any two border edges are tried, unless they lead over ground at
///   about the height of an end.
/// - No two links of one kind have both ends within `spacing` of each other's in plan, and none
///   saves less than `min_detour`.
/// - The order of the triangles does not matter.
///
/// Takes time in proportion to the length of all borders, times the triangles near by.
///
/// # Errors
/// Names the first setting that is out of its range; for a scene that cannot be read.
pub fn find_jumps(
    mesh: &NavMesh,
    scene: &dyn TriangleSource,
    config: &JumpConfig,
) -> Result<Vec<Link>, BakeError> {
    config.validate().map_err(ConfigError::from)?;
    let obstacles = Obstacles::new(scene)?;
    let mut finder = Finder::new(mesh, config, &obstacles);
    let mut candidates = Vec::new();
    for polygon in mesh.polygon_ids() {
        checkpoint();
        finder.search_from(polygon, &mut candidates);
    }
    candidates.sort_by(|one, other| order(mesh, one, other));
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        checkpoint();
        if !kept.iter().any(|other| is_beside(&candidate, other, config.spacing)) && finder.saves(&candidate)
        {
            kept.push(candidate);
        }
    }
    let mut links: Vec<Link> = kept.iter().map(link).collect();
    links.sort_by_key(|link| {
        (link.from.polygon, link.to.polygon, link.from.ends[0].point, link.to.ends[0].point)
    });
    Ok(links)
}

/// Straight ones first, then the shortest, then by place.
pub(crate) fn order(mesh: &NavMesh, one: &Candidate, other: &Candidate) -> Ordering {
    let ends = |one: &LinkEnd, other: &LinkEnd| {
        let polygons = mesh.compare_polygons(one.polygon, other.polygon);
        polygons.then(one.ends[0].point.cmp(&other.ends[0].point))
    };
    let lengths = one.is_aslant.cmp(&other.is_aslant).then(one.length.total_cmp(&other.length));
    let kinds = lengths.then(one.kind.cmp(&other.kind));
    kinds.then_with(|| ends(&one.from, &other.from)).then_with(|| ends(&one.to, &other.to))
}

/// `true` if both lead from the same place to the same place, or one is a jump and leads back.
pub(crate) fn is_beside(one: &Candidate, other: &Candidate, spacing: f32) -> bool {
    let near = |a: Vec3, b: Vec3| (a - b).with_y(0.0).length() < spacing && (a.y - b.y).abs() < spacing;
    let [a, b] = one.ends;
    let [c, d] = other.ends;
    let is_back = one.kind == LinkKind::Jump && near(a, d) && near(b, c);
    one.kind == other.kind && ((near(a, c) && near(b, d)) || is_back)
}

pub(crate) fn link(candidate: &Candidate) -> Link {
    let mut link = Link::new(candidate.from, candidate.to, candidate.kind);
    link.both_ways = candidate.kind == LinkKind::Jump;
    link
}

/// Height of the mesh's ground in levels at a point of the grid; `None` outside the polygon.
pub(super) fn height(mesh: &NavMesh, polygon: PolyId, point: PlanPoint) -> Option<f32> {
    let frame = mesh.frame();
    let position = frame.to_world(f64::from(point.x), 0.0, f64::from(point.z));
    let height = mesh.height_in_polygon(polygon, position)?;
    Some(nearest_f32(frame.to_grid(position.with_y(height))[1]))
}

/// From where to where something may fly.
#[derive(Clone, Copy, Debug)]
struct Flight {
    ends: [Vec3; 2],
    /// In plan.
    length: f32,
    rise: f32,
}

impl Flight {
    fn new(from: Vec3, to: Vec3) -> Self {
        Self { ends: [from, to], length: (to - from).with_y(0.0).length(), rise: to.y - from.y }
    }
}

/// An edge of a polygon with nothing beyond it.
#[derive(Clone, Copy, Debug)]
struct Border {
    polygon: PolyId,
    ends: [Vec3; 2],
    /// Straight out of the polygon in plan, of length 1.
    out_of: Vec3,
    /// In plan.
    length: f32,
}

impl Border {
    /// Places along it, at most `spacing` apart and half of that from its ends.
    fn places(&self, spacing: f32) -> impl Iterator<Item = Vec3> {
        let count = saturating_u32((self.length / spacing).ceil().clamp(1.0, 4096.0));
        let [a, b] = self.ends;
        (0..count).map(move |place| a.lerp(b, (place as f32 + 0.5) / count as f32))
    }
}

/// Looks for jumps on a mesh.
pub(crate) struct Finder<'a, R> {
    mesh: &'a NavMesh,
    config: &'a JumpConfig,
    agent: Agent,
    obstacles: &'a R,
    paths: QueryScratch,
    /// Scratch: polygons near a border.
    near: Vec<PolyId>,
}

impl<'a, R: Room> Finder<'a, R> {
    pub(crate) fn new(mesh: &'a NavMesh, config: &'a JumpConfig, obstacles: &'a R) -> Self {
        Self {
            mesh,
            config,
            agent: *mesh.agent(),
            obstacles,
            paths: QueryScratch::default(),
            near: Vec::new(),
        }
    }

    /// Looks out over the borders of a polygon.
    pub(crate) fn search_from(&mut self, polygon: PolyId, out: &mut Vec<Candidate>) {
        let size = self.mesh.frame().cell_size;
        let borders = self.borders(polygon);
        let first = out.len();
        for border in &borders {
            for at in border.places(self.config.spacing / 2.0) {
                if let Some(start) = self.stand(polygon, at, -border.out_of * size) {
                    self.search_straight(start, border.out_of, out);
                }
            }
        }
        for border in &borders {
            self.search_aslant(border, first, out);
        }
    }

    /// The borders of a polygon.
    fn borders(&self, polygon: PolyId) -> Vec<Border> {
        let Some(view) = self.mesh.polygon(polygon) else { return Vec::new() };
        let positions: Vec<Vec3> = view.positions().collect();
        let borders = view.neighbours().enumerate().filter_map(|(edge, beyond)| {
            let (a, b) = (positions[edge], positions[(edge + 1) % positions.len()]);
            let along = (b - a).with_y(0.0);
            let length = along.length();
            // Out of the polygon, which lies on the positive side.
            let out_of = Vec3::new(along.z, 0.0, -along.x) / length;
            (beyond.is_none() && length > 0.0).then_some(Border { polygon, ends: [a, b], out_of, length })
        });
        borders.collect()
    }

    /// The grid point of a polygon at a place on its border, or a little further in.
    fn stand(&self, polygon: PolyId, border: Vec3, inwards: Vec3) -> Option<LinkEnd> {
        [0.0, 0.5, 1.0, 1.5, 2.0].into_iter().find_map(|steps| self.end_at(polygon, border + inwards * steps))
    }

    /// The end of a link at the grid point nearest to a position, if that is on the polygon.
    fn end_at(&self, polygon: PolyId, position: Vec3) -> Option<LinkEnd> {
        let [x, _, z] = self.mesh.frame().to_grid(position);
        let point = PlanPoint::new(saturating_i32(x.round()), saturating_i32(z.round()));
        if !self.mesh.contains_point(polygon, point) {
            return None;
        }
        let height = height(self.mesh, polygon, point)?;
        Some(LinkEnd { polygon, ends: [PlanVertex { point, height }; 2] })
    }

    fn position(&self, end: &LinkEnd) -> Vec3 {
        self.mesh.frame().position(end.ends[0])
    }

    /// The first landings straight out from a place, of a drop and of a jump.
    fn search_straight(&mut self, from: LinkEnd, direction: Vec3, out: &mut Vec<Candidate>) {
        let size = self.mesh.frame().cell_size;
        let start = self.position(&from);
        // The deepest first, as seen from above: a landing hides what is below it.
        let down = self.config.max_drop.max(self.config.max_rise);
        let cells = saturating_u32((self.config.reach() / size).floor().clamp(0.0, 65_535.0));
        let mut has_drop = false;
        for cell in 1..=cells {
            let at = start + direction * (cell as f32 * size);
            let Some(place) = self.mesh.nearest(at, &Reach::new(0.0, self.config.max_rise, down)) else {
                continue;
            };
            let Some(to) = self.end_at(place.polygon, place.position) else { continue };
            let flight = Flight::new(start, self.position(&to));
            let drops = !has_drop && self.may_drop(&flight) && self.is_clear(&flight, LinkKind::Drop);
            let jumps = !drops && self.may_jump(&flight) && self.is_clear(&flight, LinkKind::Jump);
            if drops || jumps {
                let kind = if drops { LinkKind::Drop } else { LinkKind::Jump };
                let Flight { ends, length, .. } = flight;
                out.push(Candidate { from, to, ends, kind, length, is_aslant: false });
            }
            // Ground below is jumped over; ground at about this height is not.
            has_drop |= drops;
            if jumps || self.may_jump(&flight) && flight.rise.abs() <= self.agent.max_step {
                return;
            }
        }
    }

    fn may_drop(&self, flight: &Flight) -> bool {
        -flight.rise > self.agent.max_step
            && -flight.rise <= self.config.max_drop
            && flight.length <= self.config.max_drop_length
    }

    fn may_jump(&self, flight: &Flight) -> bool {
        flight.rise.abs() <= self.config.max_rise && flight.length <= self.config.max_length
    }

    /// `true` if a flight meets nothing.
    fn is_clear(&self, flight: &Flight, kind: LinkKind) -> bool {
        let ([start, end], size) = (flight.ends, self.mesh.frame().cell_size);
        match kind {
            LinkKind::Drop => self.obstacles.drop_is_clear(start, end, &self.agent, size),
            _ => self.obstacles.jump_is_clear(start, end, self.config.arc_height, &self.agent, size),
        }
    }

    /// Returns `true` if the walk is longer by the minimum detour, or does not exist.
    pub(crate) fn saves(&mut self, candidate: &Candidate) -> bool {
        let [from, to] = candidate.ends;
        let generation = self.mesh.generation();
        let place = |end: &LinkEnd, position: Vec3| Location { polygon: end.polygon, position, generation };
        let [start, goal] = [place(&candidate.from, from), place(&candidate.to, to)];
        let limit = from.distance(to) + self.config.min_detour;
        let found = self.mesh.query().memory(&mut self.paths).distance_within(start, goal, limit);
        found.ok().flatten().is_none_or(|length| length - from.distance(to) > self.config.min_detour)
    }
}

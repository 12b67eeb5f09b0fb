//! The triangles between the walls, as tables, and what is known of their corners.

use glam::{DVec2, dvec2};
use waymesh_core::{ClearanceMesh, Random, Validate, VertexId};

use super::bounds::Root;
use crate::geometry::disc::{angle, distance_squared, side_of, unit};
use crate::marks::Marks;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::bridges::Bridges;
use crate::mesh::error::NavMeshError;

/// No half-edge: a wall.
pub(super) const WALL: u32 = u32::MAX;

/// All triangles that meet in a vertex, from wall to wall: against the clock, from `first` to
/// `last`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fan {
    /// The wall that starts here.
    first: u32,
    /// The wall that ends here.
    last: u32,
    /// `true` if a path may turn round it: the ground spans more than half a circle.
    pub(super) turns: bool,
    /// Direction of a path along the walls that comes with the walls on its left.
    enter: DVec2,
    /// And goes.
    leave: DVec2,
    /// From one to the other, in radians.
    span: f64,
    /// No wall that a path round the corner may come near is nearer to it, in metres. 0 if nothing
    /// is known.
    pub(super) room: f32,
}

/// Tolerance of the direction of straight walls by rounding, in radians.
pub(super) const LOOSE: f64 = 1e-6;

/// Walls are looked for this far from a corner, in metres: there is room for discs of half as much.
const MOST_ROOM: f64 = 4.0;

/// Cones hold less than half a circle. Where storeys lie on top of each other a path may turn by
/// more, from a ramp to the ground below it: it then turns by this much, in radians, and again.
pub(super) const PART: f64 = 3.0;

impl Fan {
    /// Returns `true` if a path that has turned so far may turn on by more than half a circle.
    fn is_long(&self, turned: f64) -> bool {
        self.span - turned > std::f64::consts::PI + 1e-6
    }
}

/// The directions in which a path may touch a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Angle of the turn round the corner at the arrival, from the direction of the wall, in
    /// radians.
    pub(super) turned: f64,
    /// The direction after which it would leave the wall.
    pub(super) limit: DVec2,
}

/// Half-edge `3 t + i` goes from corner `i` of triangle `t` to the next; it also names the corner.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    /// Start of each half-edge, in metres from the origin of the frame.
    starts: Vec<DVec2>,
    pub(super) heights: Vec<f32>,
    pub(super) vertices: Vec<u32>,
    pub(super) twins: Vec<u32>,
    /// Widest disc, its diameter in metres, that gets round a corner from side to side.
    pub(super) clearance: Vec<f32>,
    pub(super) fan_of: Vec<u32>,
    pub(super) fans: Vec<Fan>,
    /// Sides that are the only path to what is beyond.
    pub(super) bridges: Bridges,
    /// Largest distance of a vertex from its wall by rounding, in metres.
    pub(super) slack: f64,
}

#[inline]
pub(super) fn next(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

#[inline]
pub(super) fn previous(half_edge: u32) -> u32 {
    if half_edge.is_multiple_of(3) { half_edge + 2 } else { half_edge - 1 }
}

impl Table {
    /// `origin` is that of the frame.
    pub(super) fn build(mesh: &ClearanceMesh, origin: DVec2, cell_size: f64) -> Result<Self, NavMeshError> {
        mesh.validate().map_err(NavMeshError::Clearance)?;
        let count = mesh.triangles.len() * 3;
        if u32::try_from(count).map_or(true, |count| count == WALL) {
            let (value, limit) = (i64::try_from(count).unwrap_or(i64::MAX), i64::from(WALL / 3));
            return Err(NavMeshError::OutOfRange { table: "triangles", element: 0, value, limit });
        }
        for (element, vertex) in mesh.vertices.iter().enumerate() {
            if !(vertex.x.is_finite() && vertex.z.is_finite() && vertex.height.is_finite()) {
                let value = vertex.height;
                return Err(NavMeshError::NotFinite { table: "vertices", element, value });
            }
        }
        let corners = || mesh.triangles.iter().flat_map(|triangle| triangle.vertices);
        let place = |vertex: VertexId| {
            let at = mesh.vertices[vertex.index()];
            dvec2(at.x, at.z) - origin
        };
        let mut table = Self {
            starts: corners().map(place).collect(),
            heights: mesh.vertices.iter().map(|at| at.height).collect(),
            vertices: corners().map(|vertex| vertex.0).collect(),
            twins: vec![WALL; count],
            clearance: mesh.triangles.iter().flat_map(|triangle| triangle.clearance).collect(),
            fan_of: vec![WALL; count],
            fans: Vec::new(),
            bridges: Bridges::none(0, 0),
            slack: cell_size * 2.0 / f64::from(1 << 20),
        };
        for (triangle, from) in (0..).zip(&mesh.triangles) {
            for side in 0..3_u32 {
                let Some(neighbour) = from.neighbours[side as usize] else { continue };
                let (half_edge, end) = (3 * triangle + side, from.vertices[(side as usize + 1) % 3]);
                let back = (0..3).find(|&back| {
                    let other = &mesh.triangles[neighbour.index()];
                    other.vertices[back as usize] == end
                        && other.neighbours[back as usize].is_some_and(|other| other.0 == triangle)
                });
                if let Some(back) = back {
                    table.twins[half_edge as usize] = 3 * neighbour.0 + back;
                }
            }
        }
        let firsts: Vec<u32> =
            (0..=u32::try_from(mesh.triangles.len()).unwrap_or(0)).map(|at| 3 * at).collect();
        let beyond = |&twin: &u32| if twin == WALL { NO_NEIGHBOUR } else { twin / 3 };
        let neighbours: Vec<u32> = table.twins.iter().map(beyond).collect();
        table.bridges = Bridges::find(&firsts, &neighbours);
        table.find_fans();
        Ok(table)
    }

    /// Returns a checksum of the triangles.
    pub(super) fn stamp(&self) -> u64 {
        let places = self.starts.iter().flat_map(|at| [at.x.to_bits(), at.y.to_bits()]);
        let sides = self.vertices.iter().zip(&self.twins).map(|(&a, &b)| (u64::from(a) << 32) | u64::from(b));
        places.chain(sides).fold(0, |sum, value| Random::mix(sum ^ value))
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.twins.len() / 3
    }

    /// Returns where a half-edge starts.
    #[inline]
    pub(super) fn start(&self, half_edge: u32) -> DVec2 {
        self.starts[half_edge as usize]
    }

    #[inline]
    pub(super) fn ends(&self, half_edge: u32) -> [DVec2; 2] {
        [self.start(half_edge), self.start(next(half_edge))]
    }

    #[inline]
    pub(super) fn twin(&self, half_edge: u32) -> u32 {
        self.twins[half_edge as usize]
    }

    #[inline]
    pub(super) fn is_wall(&self, half_edge: u32) -> bool {
        self.twins[half_edge as usize] == WALL
    }

    /// Returns `true` if some wall begins or ends at a corner.
    pub(super) fn is_at_wall(&self, corner: u32) -> bool {
        self.is_wall(self.fan(corner).first)
    }

    pub(super) fn fan(&self, corner: u32) -> &Fan {
        &self.fans[self.fan_of[corner as usize] as usize]
    }

    /// Returns a corner as the triangle has it, on the same ground, into which a direction leads:
    /// where several lie in it, the one less than half a turn from the triangle of the corner. The
    /// corner if there is none.
    pub(super) fn corner_towards(&self, corner: u32, direction: DVec2) -> u32 {
        let is_wound = !self.has_one_way_round(corner);
        let first = if is_wound { corner } else { self.fan(corner).first };
        let is_right = is_wound && self.middle(corner).perp_dot(direction) < 0.0;
        let mut at = first;
        loop {
            let [from, along, back] = [at, next(at), previous(at)].map(|corner| self.start(corner));
            if (along - from).perp_dot(direction) >= 0.0 && direction.perp_dot(back - from) >= 0.0 {
                return at;
            }
            let beyond = self.twin(if is_right { at } else { previous(at) });
            if beyond == WALL || beyond == first {
                return corner;
            }
            at = if is_right { next(beyond) } else { beyond };
        }
    }

    /// Returns the triangle of [`Self::corner_towards`].
    pub(super) fn triangle_towards(&self, corner: u32, direction: DVec2) -> u32 {
        self.corner_towards(corner, direction) / 3
    }

    /// Returns the corner of a root as the triangle has it in which the centre of a disc is that
    /// turned round it from its arrival on by an angle, in radians.
    pub(super) fn corner_after(&self, root: &Root, turned: f64) -> u32 {
        // Steps of less than half a turn.
        [0.0, 0.5, 1.0].into_iter().fold(root.corner, |corner, part| {
            let direction = DVec2::from_angle(root.side * turned * part).rotate(root.arrival);
            self.corner_towards(corner, direction.perp() * -root.side)
        })
    }

    /// Returns a direction from a corner into its triangle.
    fn middle(&self, corner: u32) -> DVec2 {
        let [from, along, back] = [corner, next(corner), previous(corner)].map(|corner| self.start(corner));
        unit(along - from) + unit(back - from)
    }

    /// Returns the angle from the first wall round a corner, which is at a wall, to the direction
    /// that is less than half a turn from the triangle of the corner, in radians.
    fn angle_round(&self, corner: u32, direction: DVec2) -> f64 {
        let (mut at, mut sum) = (corner, angle(self.middle(corner), direction));
        let span = |at: u32| angle(self.start(next(at)) - self.start(at), self.middle(at));
        sum += span(at);
        while !self.is_wall(at) {
            at = next(self.twin(at));
            sum += 2.0 * span(at);
        }
        sum
    }

    pub(super) fn centroid(&self, triangle: u32) -> DVec2 {
        let corners = [0, 1, 2].map(|corner| self.start(3 * triangle + corner));
        corners.iter().sum::<DVec2>() / 3.0
    }

    /// Computes all fans.
    pub(super) fn find_fans(&mut self) {
        self.fans.clear();
        self.fan_of.fill(WALL);
        let count = u32::try_from(self.twins.len()).unwrap_or(WALL);
        let mut spans = Vec::new();
        for corner in 0..count {
            if self.fan_of[corner as usize] != WALL {
                continue;
            }
            let mut first = corner;
            while !self.is_wall(first) {
                first = next(self.twin(first));
                if first == corner {
                    break;
                }
            }
            let number = u32::try_from(self.fans.len()).unwrap_or(WALL);
            let (mut at, mut span) = (first, 0.0);
            let last = loop {
                self.fan_of[at as usize] = number;
                let [from, along, back] = [at, next(at), previous(at)].map(|corner| self.start(corner));
                span += angle(along - from, back - from);
                let beyond = self.twin(previous(at));
                if beyond == WALL || beyond == first {
                    break previous(at);
                }
                at = beyond;
            };
            spans.push(span);
            self.fans.push(Fan {
                first,
                last,
                turns: false,
                enter: DVec2::ZERO,
                leave: DVec2::ZERO,
                span: 0.0,
                room: 0.0,
            });
        }
        let bare: Vec<bool> = self.fans.iter().map(|fan| self.is_wall(fan.first)).collect();
        // A vertex on a straight wall sticks out by rounding alone.
        let turns: Vec<bool> = (0..self.fans.len())
            .map(|fan| bare[fan] && self.bends(fan) && spans[fan] > std::f64::consts::PI)
            .collect();
        for fan in 0..self.fans.len() {
            if !turns[fan] {
                continue;
            }
            let Fan { first, last, .. } = self.fans[fan];
            let at = self.start(first);
            // Over vertices on straight walls, the direction of which is known to rounding only.
            let pass = |mut wall: u32, end: fn(u32) -> u32, onward: fn(&Fan) -> u32| {
                for _ in 0..self.fans.len() {
                    let there = self.fan_of[end(wall) as usize] as usize;
                    if turns[there] || !bare[there] || self.bends(there) {
                        break;
                    }
                    wall = onward(&self.fans[there]);
                }
                wall
            };
            let (out, back) = (pass(first, next, |fan| fan.first), pass(last, |last| last, |fan| fan.last));
            let enter = unit(at - self.start(next(out)));
            let leave = unit(self.start(back) - at);
            // Storeys have more ground than a full circle: a path may turn by more than half a one.
            let (span, ground) = (angle(enter, leave), spans[fan] - std::f64::consts::PI);
            let circles = ((ground - span) / std::f64::consts::TAU).round();
            let span = (span + circles * std::f64::consts::TAU).max(0.0);
            self.fans[fan] = Fan { turns: true, enter, leave, span, ..self.fans[fan] };
        }
        let mut stack = Vec::new();
        for fan in 0..self.fans.len() {
            self.fans[fan].room = self.room_round(fan, &mut stack);
        }
    }

    /// Returns the distance from a corner to the nearest wall, except for those that lie behind it
    /// as seen from wherever a path turns round it: no place of such a wall is nearer to the path
    /// than the corner itself. Rounded down, [`MOST_ROOM`] at most; 0 for a corner that no path
    /// turns round by less than half a circle.
    fn room_round(&self, fan: usize, stack: &mut Vec<u32>) -> f32 {
        let Fan { first, turns, enter, leave, span, .. } = self.fans[fan];
        if !turns || span >= PART {
            return 0.0;
        }
        let at = self.start(first);
        // All places to which none of the directions from the corner to the path is turned.
        let is_behind = |place: DVec2| {
            let off = place - at;
            [enter, leave].iter().all(|along| along.perp_dot(off) >= -self.slack)
        };
        let mut best = MOST_ROOM * MOST_ROOM;
        stack.clear();
        let corners = std::iter::successors(Some(first), |&corner| {
            let beyond = self.twin(previous(corner));
            (beyond != WALL && beyond != first).then_some(beyond)
        });
        stack.extend(corners.map(next));
        self.look_out(at, stack, |side, ends| {
            let distance = distance_squared(ends, at);
            let is_near = distance < best;
            // Walls at the corner itself are behind it.
            if is_near && self.is_wall(side) && !ends.into_iter().all(is_behind) {
                best = distance;
            }
            is_near
        });
        #[expect(clippy::cast_possible_truncation, reason = "rounded down")]
        let room = (best.sqrt() * (1.0 - 1e-6)) as f32;
        room
    }

    /// Visits the sides in `stack`, and beyond each one of which `leads_on` is true those that face
    /// away from a place.
    #[inline]
    pub(super) fn look_out(
        &self,
        at: DVec2,
        stack: &mut Vec<u32>,
        mut leads_on: impl FnMut(u32, [DVec2; 2]) -> bool,
    ) {
        while let Some(side) = stack.pop() {
            let twin = self.twin(side);
            if leads_on(side, self.ends(side)) && twin != WALL {
                stack.extend([next(twin), previous(twin)].into_iter().filter(|&beyond| {
                    let [a, b] = self.ends(beyond);
                    side_of(a, b, at) >= 0.0
                }));
            }
        }
    }

    /// Returns `true` if no wall is in the way of a disc that turns round a corner, with its centre
    /// this far away at most.
    #[inline]
    pub(super) fn has_room_round(&self, corner: u32, far: f64, radius: f64) -> bool {
        f64::from(self.fan(corner).room) >= far + radius
    }

    /// Returns `true` if the ground at a corner is a full circle at most: one of the triangles at
    /// it alone lies in each direction.
    pub(super) fn has_one_way_round(&self, corner: u32) -> bool {
        !self.fan(corner).is_long(0.0)
    }

    /// Returns `true` if a place lies in a triangle, or beyond a side by at most `loose`.
    pub(super) fn holds(&self, triangle: u32, at: DVec2, loose: f64) -> bool {
        (3 * triangle..3 * triangle + 3).all(|side| {
            let [a, b] = self.ends(side);
            let aside = side_of(a, b, at);
            aside >= 0.0 || aside >= -loose * (b - a).length()
        })
    }

    /// Returns `true` if a place of one triangle is also in another, being on a side of both.
    pub(super) fn is_in(&self, triangle: u32, at: DVec2, other: u32) -> bool {
        triangle == other
            || (3 * triangle..3 * triangle + 3).any(|side| {
                let [a, b] = self.ends(side);
                let is_on = (b - a).perp_dot(at - a).abs() <= self.slack * (b - a).length();
                is_on && !self.is_wall(side) && self.twin(side) / 3 == other
            })
    }

    /// Returns `true` if the walls at a fan are not in line.
    fn bends(&self, fan: usize) -> bool {
        let Fan { first, last, .. } = self.fans[fan];
        let at = self.start(first);
        let (out, back) = ((self.start(next(first)) - at), (self.start(last) - at));
        out.dot(back) >= 0.0 || out.perp_dot(back).abs() > (out - back).length() * self.slack * 0.5
    }

    /// Returns `true` if a path of this direction may touch a corner that it has on one side, 1 for
    /// its left and -1 for its right: a contact shortens a path only along a
    /// wall or in a turn round it. It comes by the triangle of the corner.
    pub(super) fn turn(&self, corner: u32, side: f64, direction: DVec2) -> Option<Turn> {
        let fan = self.fan(corner);
        if !fan.turns {
            return None;
        }
        let (from, limit) = if side > 0.0 { (fan.enter, fan.leave) } else { (-fan.leave, -fan.enter) };
        // Outside of a wedge of less than half a circle.
        if fan.span < PART
            && (side * from.perp_dot(direction) < -2.0 * LOOSE
                || side * direction.perp_dot(limit) < -2.0 * LOOSE)
        {
            return None;
        }
        let mut turned = side * angle(from, direction);
        if fan.is_long(0.0) {
            // Several turns look the same in plan: the path takes the one on the ground that it comes by.
            let round = self.angle_round(corner, -direction);
            let near = if side > 0.0 { round } else { fan.span + std::f64::consts::PI - round };
            turned += ((near - turned) / std::f64::consts::TAU).round() * std::f64::consts::TAU;
        } else if turned < -LOOSE && turned + std::f64::consts::TAU <= fan.span + LOOSE {
            turned += std::f64::consts::TAU;
        }
        let limit =
            if fan.is_long(turned) { DVec2::from_angle(side * PART).rotate(direction) } else { limit };
        (turned >= -LOOSE && turned <= fan.span + LOOSE).then_some(Turn { turned, limit })
    }

    /// Returns `true` if [`Self::turn`] gives one.
    #[inline]
    pub(super) fn may_touch(&self, corner: u32, side: f64, direction: DVec2) -> bool {
        let &Fan { turns, enter, leave, span, .. } = self.fan(corner);
        if span >= PART {
            return self.turn(corner, side, direction).is_some();
        }
        let (from, limit) = if side > 0.0 { (enter, leave) } else { (-leave, -enter) };
        turns
            && side * from.perp_dot(direction) >= -LOOSE
            && side * direction.perp_dot(limit) >= -LOOSE
            && (from + limit).dot(direction) > 0.0
    }

    /// Returns the continuation of a turn about the same corner that was cut, if any, and the
    /// corner as the triangle has it in which it begins: see [`PART`].
    pub(super) fn goes_on(&self, root: &Root) -> Option<(Turn, u32)> {
        let fan = self.fan(root.corner);
        fan.is_long(root.turned).then(|| {
            let turned = root.turned + PART;
            let last = if root.side > 0.0 { fan.leave } else { -fan.enter };
            let next = DVec2::from_angle(root.side * PART).rotate(root.limit);
            let corner = self.corner_after(root, PART);
            (Turn { turned, limit: if fan.is_long(turned) { next } else { last } }, corner)
        })
    }

    /// Visits the triangles connected to one, each once, and calls `leads_on` for each of their
    /// sides except the entry: `true` to continue beyond it, where it is no wall, `None` to stop.
    /// Returns `true` if nothing stopped it.
    #[inline]
    pub(super) fn spread(
        &self,
        from: u32,
        stack: &mut Vec<u32>,
        seen: &mut Marks,
        mut leads_on: impl FnMut(u32, [DVec2; 2]) -> Option<bool>,
    ) -> bool {
        stack.clear();
        seen.begin(self.triangle_count());
        seen.mark(from);
        let mut look = |side: u32, stack: &mut Vec<u32>| {
            let Some(leads_on) = leads_on(side, self.ends(side)) else { return false };
            let twin = self.twin(side);
            if leads_on && twin != WALL {
                stack.push(twin);
            }
            true
        };
        if !(3 * from..3 * from + 3).all(|side| look(side, stack)) {
            return false;
        }
        while let Some(entry) = stack.pop() {
            // By the side that it came in, it would only go back.
            if seen.mark(entry / 3)
                && ![next(entry), previous(entry)].into_iter().all(|side| look(side, stack))
            {
                return false;
            }
        }
        true
    }

    /// Returns the triangle that holds `to`, by the straight path from `from`, which starts in a
    /// triangle or on a side of it: that by which it is entered. The last one before a wall, if
    /// one is in the path.
    pub(super) fn walk(&self, mut triangle: u32, mut entry: Option<u32>, from: DVec2, to: DVec2) -> u32 {
        for _ in 0..=self.triangle_count() {
            let sides = [0, 1, 2].map(|side| 3 * triangle + side);
            let leaves = |side: u32| {
                let [a, b] = self.ends(side);
                side_of(a, b, to) < 0.0
            };
            let ahead = to - from;
            let exit = match entry {
                Some(entry) => {
                    // Between the ends of the entry the path continues to one side of the corner ahead.
                    let apex = self.start(previous(entry));
                    let exit = if ahead.perp_dot(apex - from) > 0.0 { next(entry) } else { previous(entry) };
                    Some(exit).filter(|&exit| leaves(exit))
                }
                None => {
                    // The side that the path goes through: its ends lie farthest on both sides.
                    let mut best = (f64::NEG_INFINITY, None);
                    for side in sides.into_iter().filter(|&side| leaves(side)) {
                        let [a, b] = self.ends(side);
                        let through = ahead.perp_dot(b - from).min(-ahead.perp_dot(a - from));
                        if through >= best.0 {
                            best = (through, Some(side));
                        }
                    }
                    best.1
                }
            };
            let Some(exit) = exit else { return triangle };
            let twin = self.twin(exit);
            if twin == WALL {
                return triangle;
            }
            (triangle, entry) = (twin / 3, Some(twin));
        }
        triangle
    }
}

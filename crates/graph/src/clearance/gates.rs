//! Links on the path of a disc that are no open ground: walls with gates.
//!
//! A gate is a place on a link in one direction. The search reaches it like a goal, and continues
//! from its far end like from a start, so that one search finds the cheapest path over all links.
//! The places of a disc at a gate are computed when the search first comes near, and kept for all
//! further paths of this radius.

use glam::{DVec2, Vec3};
use waymesh_core::{float, to_u32};

use super::bounds::NO_INDEX;
use super::fit::{Candidates, Fit, Wanted};
use super::mesh::ClearanceNavMesh;
use super::table::Table;
use crate::geometry::disc::{distance_squared, side_of};
use crate::geometry::plan::PlanPosition;
use crate::locate::reach::Reach;
use crate::mesh::link::{LINK_PLACES, Link, LinkEnd, LinkIndex};

/// Largest distance in cells of links from each other, and from a straight line, that are parts of
/// one.
const JOINED_CELLS: f64 = 3.0;

/// A place on a link, in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub(super) link: LinkIndex,
    pub(super) backwards: bool,
    pub(super) place: u32,
    /// Places of the disc at both ends.
    pub(super) ends: [Fit; 2],
    pub(super) asked: [Vec3; 2],
    /// Its length in space and its extra cost, in metres.
    pub(super) cost: f64,
    /// The next gate of the triangle, and this one the other way round.
    pub(super) next: u32,
    pub(super) back: u32,
    /// The queries in which it was taken, and in which the search came to it: where it is there.
    pub(super) taken: u64,
    pub(super) seen: u64,
    pub(super) near: u32,
}

/// The gates that are known for a radius.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gates {
    /// The mesh and the radius.
    key: (u64, u32),
    pub(super) query: u64,
    /// The first gate of each triangle, and whether all are known that begin there.
    pub(super) first: Vec<u32>,
    is_known: Vec<bool>,
    /// `true` if the places of a link are among the gates.
    has: Vec<bool>,
    pub(super) gates: Vec<Gate>,
    links: Vec<u32>,
}

impl Gates {
    pub(super) fn at(&self, gate: u32) -> &Gate {
        &self.gates[gate as usize]
    }

    /// The gates that were taken in the last query.
    pub(super) fn taken(&self) -> impl Iterator<Item = &Gate> {
        self.gates.iter().filter(|gate| gate.taken == self.query)
    }

    /// Begins a query, and forgets what was known of another mesh or radius.
    fn begin(&mut self, key: (u64, u32), triangles: usize, links: usize) {
        self.query += 1;
        if self.key == key {
            return;
        }
        self.key = key;
        self.gates.clear();
        self.first.clear();
        self.first.resize(triangles, NO_INDEX);
        self.is_known.clear();
        self.is_known.resize(triangles, false);
        self.has.clear();
        self.has.resize(links, false);
    }

    /// Sorts the gates of a triangle, so that it does not matter when each was found.
    fn sort(&mut self, triangle: u32) {
        let Self { first, gates, links: own, .. } = self;
        own.clear();
        own.extend(std::iter::successors(Some(first[triangle as usize]), |&gate| {
            gates.get(gate as usize).map(|gate| gate.next)
        }));
        own.pop();
        own.sort_unstable_by_key(|&gate| {
            let Gate { link, backwards, place, .. } = gates[gate as usize];
            (link.0, backwards, place)
        });
        let mut next = NO_INDEX;
        for &gate in own.iter().rev() {
            gates[gate as usize].next = std::mem::replace(&mut next, gate);
        }
        first[triangle as usize] = next;
    }

    fn push(&mut self, mut gate: Gate) -> u32 {
        let number = to_u32(self.gates.len());
        let first = &mut self.first[gate.ends[0].triangle as usize];
        gate.next = std::mem::replace(first, number);
        self.gates.push(gate);
        number
    }
}

/// Data of a search for passing gates.
pub(super) struct GateSearch<'a> {
    ground: &'a ClearanceNavMesh,
    pub(super) gates: &'a mut Gates,
    room: &'a mut Candidates,
    radius: f32,
}

impl<'a> GateSearch<'a> {
    pub(super) fn new(
        ground: &'a ClearanceNavMesh,
        gates: &'a mut Gates,
        room: &'a mut Candidates,
        radius: f32,
    ) -> Self {
        let links = ground.mesh.links().len();
        gates.begin((ground.stamp(), radius.to_bits()), ground.table.triangle_count(), links);
        Self { ground, gates, room, radius }
    }

    /// Finds all gates that begin in a triangle.
    pub(super) fn know(&mut self, table: &Table, triangle: u32) {
        if std::mem::replace(&mut self.gates.is_known[triangle as usize], true) {
            return;
        }
        let corners = [0, 1, 2].map(|corner| table.start(3 * triangle + corner));
        let aside = DVec2::splat(f64::from(self.ground.aside(self.radius)));
        let low = corners[0].min(corners[1]).min(corners[2]) - aside;
        let high = corners[0].max(corners[1]).max(corners[2]) + aside;
        let mut links = std::mem::take(&mut self.gates.links);
        links.clear();
        self.ground.gate_places.collect(low, high, &mut links);
        links.sort_unstable();
        for &link in &links {
            if !std::mem::replace(&mut self.gates.has[link as usize], true) {
                self.ground.add_gates(LinkIndex(link), self.radius, self.gates, self.room);
            }
        }
        self.gates.links = links;
        self.gates.sort(triangle);
    }
}

impl ClearanceNavMesh {
    /// Returns `true` if a path over the ground costs at most a hundredth more than any over a gate:
    /// those take as much as to come to the link and on from it. Takes linear time in the gates.
    pub(super) fn is_short(&self, cost: f64, [from, to]: [DVec2; 2], radius: f32) -> bool {
        /// Largest ratio of lengths.
        const LOOSE: f64 = 1.01;
        let least = cost / LOOSE;
        if (to - from).length() >= least {
            return true;
        }
        let aside = 2.0 * f64::from(self.aside(radius));
        self.gate_places.squares.iter().map(|(_, link)| link).chain(&self.gate_places.long).all(|&link| {
            let link = &self.mesh.links.links[link as usize];
            let [a, b] = self.link_ends(link);
            let far = |from: [DVec2; 2], to: [DVec2; 2], ends: [DVec2; 2]| {
                distance_squared(from, ends[0]).sqrt() + distance_squared(to, ends[1]).sqrt()
            };
            let mut around = far(a, b, [from, to]);
            if link.both_ways {
                around = around.min(far(b, a, [from, to]));
            }
            around - aside + f64::from(link.extra_cost) >= least
        })
    }

    /// Returns how far from the end of a link its disc may be, in metres.
    fn aside(&self, radius: f32) -> f32 {
        1.5 * radius + 1e-3 * self.mesh.frame.cell_size
    }

    /// Adds the gates of a link, in both directions if it leads both ways, if it is wide enough.
    fn add_gates(&self, number: LinkIndex, radius: f32, gates: &mut Gates, room: &mut Candidates) {
        let link = self.mesh.links()[number.index()];
        let wide = f64::from(radius);
        let count = link.places();
        if !link.is_open {
            return;
        }
        let width = |[a, b]: [DVec2; 2]| (b - a).length();
        let own = self.link_ends(&link);
        let has_width = own.into_iter().all(|segment| width(segment) > 0.0);
        let line = if has_width { self.joined(number, 2.0 * wide) } else { own };
        let narrow = width(line[0]).min(width(line[1]));
        if count > 1 && narrow < 2.0 * wide * (1.0 - 1e-6) {
            return;
        }
        // The part of the link at which no end of the whole line is nearer than the radius.
        let inset = if count > 1 { (wide / narrow).min(0.5) } else { 0.0 };
        let (mut low, mut span) = (inset, 1.0 - 2.0 * inset);
        if line != own {
            let share = |at: DVec2| (at - line[0][0]).length() / width(line[0]);
            let [first, last] = own[0].map(share);
            let high = (1.0 - inset).min(last);
            low = (inset.max(first) - first) / (last - first);
            span = (high - first) / (last - first) - low;
            if span < 0.0 {
                return;
            }
        }
        for place in 0..count {
            let share = if count > 1 { f64::from(place) / f64::from(LINK_PLACES - 1) } else { 0.0 };
            let along = low + span * share;
            let Some([from, to]) = self.room_at(number, &link, (along, line[0]), radius, room) else {
                continue;
            };
            // The height of the link.
            let rise = f64::from(to.1.y - from.1.y);
            let gate = Gate {
                link: number,
                backwards: false,
                place,
                ends: [from.0, to.0],
                asked: [from.1, to.1],
                cost: float::hypot((to.0.at - from.0.at).length(), rise) + f64::from(link.extra_cost),
                next: NO_INDEX,
                back: NO_INDEX,
                taken: 0,
                seen: 0,
                near: NO_INDEX,
            };
            let there = gates.push(gate);
            if link.both_ways {
                let back = Gate {
                    backwards: true,
                    ends: [to.0, from.0],
                    asked: [to.1, from.1],
                    back: there,
                    ..gate
                };
                gates.gates[there as usize].back = gates.push(back);
            }
        }
    }

    /// Returns the ends of both segments of a link.
    fn link_ends(&self, link: &Link) -> [[DVec2; 2]; 2] {
        [&link.from, &link.to].map(|end| end.ends.map(|end| self.plane_of(end.point)))
    }

    /// Returns both segments of a link, with those of equal links that continue them straight on: a
    /// wide door or stair is several links where several polygons lie at it. None is longer by more
    /// than about `far` at an end than the link.
    fn joined(&self, number: LinkIndex, far: f64) -> [[DVec2; 2]; 2] {
        let own = &self.mesh.links()[number.index()];
        let mut line = self.link_ends(own);
        let is_equal = |other: &Link| {
            let key = |link: &Link| (link.kind, link.data, link.is_open, link.both_ways);
            key(own) == key(other) && own.extra_cost.to_bits() == other.extra_cost.to_bits()
        };
        // Points on polygons are rounded.
        let near = JOINED_CELLS * f64::from(self.mesh.frame.cell_size);
        let start = line;
        let (mut around, mut bends) = (Vec::new(), Vec::new());
        for side in [0, 1] {
            while (line[0][side] - start[0][side]).length() < far {
                around.clear();
                let at = line[0][side];
                self.gate_places.collect(at - near, at + near, &mut around);
                let ahead = around.iter().find_map(|&other| {
                    let link = &self.mesh.links()[other as usize];
                    if other == number.0 || !is_equal(link) {
                        return None;
                    }
                    let ends = self.link_ends(link);
                    let swapped = [ends[1], ends[0]];
                    let both = [Some(ends), Some(swapped).filter(|_| link.both_ways)];
                    let turned =
                        both.into_iter().flatten().flat_map(|ends| [ends, ends.map(|[a, b]| [b, a])]);
                    let mut turned = turned.filter_map(|ends| {
                        let meets = |half: usize| (ends[half][0] - line[half][side]).length() <= near;
                        let next = [ends[0][1], ends[1][1]];
                        let grows = |half: usize| {
                            let from = line[half][1 - side];
                            (next[half] - from).length() > (line[half][side] - from).length()
                        };
                        let whole = [line[0][1 - side], next[0]];
                        let is_straight = bends
                            .iter()
                            .chain([&at])
                            .all(|&bend| distance_squared(whole, bend) <= near * near);
                        let is_next = [0, 1].into_iter().all(|half| meets(half) && grows(half));
                        (is_next && is_straight).then_some(next)
                    });
                    turned.next()
                });
                let Some(next) = ahead else { break };
                bends.push(at);
                (line[0][side], line[1][side]) = (next[0], next[1]);
            }
        }
        line
    }

    /// Returns where in plan, and at which level, a link's end is at some place of its segment.
    fn link_place(&self, end: &LinkEnd, along: f64) -> (DVec2, f32) {
        let [a, b] = end.ends.map(|end| self.plane_of(end.point));
        #[expect(clippy::cast_possible_truncation, reason = "a height in single precision")]
        let level = end.ends[0].height + (end.ends[1].height - end.ends[0].height) * along as f32;
        ((a + (b - a) * along), level)
    }

    /// Returns where a disc fits at both ends of a link, within sight of them, at a place along it.
    /// The segment that it leads from is a part of `line`.
    fn room_at(
        &self,
        number: LinkIndex,
        link: &Link,
        (along, line): (f64, [DVec2; 2]),
        radius: f32,
        room: &mut Candidates,
    ) -> Option<[(Fit, Vec3); 2]> {
        if !self.mesh.links.is_portal(number) {
            let from = self.room_near(&link.from, along, radius, room, |_| true)?;
            return Some([from, self.room_near(&link.to, along, radius, room, |_| true)?]);
        }
        // Through the line between both sides, and not too near to its ends.
        let [a, b] = link.from.ends.map(|end| self.plane_of(end.point));
        let loose = self.table.slack * (b - a).length();
        let from = self.room_near(&link.from, along, radius, room, |at| side_of(a, b, at) >= -loose)?;
        let to = self.room_near(&link.to, along, radius, room, |at| side_of(a, b, at) <= loose)?;
        let [before, after] = [from.0.at, to.0.at].map(|at| side_of(a, b, at));
        let least = f64::from(radius) * (1.0 - 1e-5) - 1e-6;
        let crossing = from.0.at + (to.0.at - from.0.at) * (before / (before - after));
        let is_between = line.into_iter().all(|end| (crossing - end).length() >= least);
        (is_between || !crossing.is_finite()).then_some([from, to])
    }

    /// Returns the nearest place to an end of a link that is wanted and where the disc fits, with no
    /// wall between the two.
    fn room_near(
        &self,
        end: &LinkEnd,
        along: f64,
        radius: f32,
        room: &mut Candidates,
        wants: impl Fn(DVec2) -> bool,
    ) -> Option<(Fit, Vec3)> {
        let (at, level) = self.link_place(end, along);
        let size = f64::from(self.mesh.frame.cell_size);
        let position = self.mesh.frame.to_world(at.x / size, f64::from(level), at.y / size);
        let polygon = end.polygon.0;
        let spot = self.mesh.spot_at(polygon, PlanPosition::snapped(at.x / size, at.y / size));
        let known = self.mesh.default_reach();
        let reach = Reach::new(self.aside(radius), known.up, known.down);
        let (radius, reach) = (f64::from(radius), &reach);
        let admits = |polygon| self.admitted.has(polygon);
        let (centre, wants) = (|_| true, |_, place, _| wants(place));
        let wanted = Wanted { position, radius, reach, admits, centre, wants };
        let fit =
            self.fit_in_sight(Fit { spot, at, triangle: self.triangle_at(polygon, at) }, &wanted, room)?;
        Some((fit, position))
    }
}

//! Paths for discs over links.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DVec2, Vec3, dvec2};
use waymesh_core::PlanPoint;

use super::fit::Fit;
use super::{ClearanceNavMesh, ClearanceScratch};
use crate::geometry::disc::side_of;
use crate::locate::nearest::Reach;
use crate::mesh::links::{LINK_PLACES, LinkEnd, LinkIndex};

const NONE: u32 = u32::MAX;

/// A link in one direction, from one of the places on its segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkPlace {
    pub(super) link: LinkIndex,
    pub(super) backwards: bool,
    along: f64,
    /// Where its ends are in plan.
    places: [DVec2; 2],
    /// What it costs on top of its length.
    extra: f64,
    /// Where the disc fits there; `None` as long as nobody has asked.
    room: Option<Option<[(Fit, Vec3); 2]>>,
    is_taken: bool,
}

/// The start, or the far end of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    fit: Fit,
    pub(super) asked: Vec3,
    cost: f64,
    parent: u32,
    pub(super) link: u32,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// From a stop to a link: not looked at yet.
    Leave(u32, u32),
    /// A link has been taken, at this cost.
    Arrive(u32, u32, f64),
    /// From a stop to the goal: not looked at yet.
    End(u32),
    Done(u32),
}

/// What the search over links writes.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkSearch {
    places: Vec<LinkPlace>,
    stops: Vec<Stop>,
    steps: Vec<Step>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// The stops of the path found, the start first.
    chain: Vec<u32>,
}

/// A piece of a path: over the ground between two places, and by which link on from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) ends: [Fit; 2],
    pub(super) asked: [Vec3; 2],
    pub(super) link: Option<(LinkIndex, bool)>,
}

impl LinkSearch {
    fn offer(&mut self, step: Step, estimate: f64) {
        let number = u32::try_from(self.steps.len()).unwrap_or(NONE);
        self.steps.push(step);
        self.open.push(Reverse((estimate.max(0.0).to_bits(), number)));
    }

    /// Goes on from a stop: to every link not taken yet, as if nothing were in the way, and to the
    /// goal.
    fn go_on(&mut self, stop: u32, goal: DVec2, aside: f64, to_goal: bool) {
        let Stop { fit, cost, .. } = self.stops[stop as usize];
        if to_goal {
            self.offer(Step::End(stop), cost + (goal - fit.at).length());
        }
        for number in 0..self.places.len() {
            let LinkPlace { places: [from, to], extra, is_taken, room, .. } = self.places[number];
            if is_taken || matches!(room, Some(None)) {
                continue;
            }
            let far = |a: DVec2, b: DVec2, aside: f64| ((b - a).length() - aside).max(0.0);
            let least = far(fit.at, from, aside) + far(from, to, 2.0 * aside) + far(to, goal, aside);
            let number = u32::try_from(number).unwrap_or(NONE);
            self.offer(Step::Leave(stop, number), cost + extra + least);
        }
    }

    /// Returns the path found, piece by piece.
    pub(super) fn pieces(&self, goal: Fit, asked: Vec3) -> impl Iterator<Item = Piece> + use<'_> {
        self.chain.iter().enumerate().map(move |(at, &stop)| {
            let here = &self.stops[stop as usize];
            let next =
                self.chain.get(at + 1).map(|&next| &self.places[self.stops[next as usize].link as usize]);
            let link = next.map(|place| (place.link, place.backwards));
            let (end, end_asked) = match next.and_then(|place| place.room.flatten()) {
                Some([from, _]) => from,
                None => (goal, asked),
            };
            Piece { ends: [here.fit, end], asked: [here.asked, end_asked], link }
        })
    }
}

impl ClearanceNavMesh {
    /// Returns the cheapest path over links, if one is cheaper than the direct one: what it costs.
    /// Leaves it in `search`.
    pub(super) fn search_over_links(
        &self,
        [start, goal]: [&Fit; 2],
        asked: Vec3,
        radius: f32,
        direct: Option<f64>,
        search: &mut LinkSearch,
        scratch: &mut ClearanceScratch,
    ) -> Option<f64> {
        self.collect_links(f64::from(radius), search);
        let aside = f64::from(self.aside(radius));
        search.stops.push(Stop { fit: *start, asked, cost: 0.0, parent: NONE, link: NONE });
        search.go_on(0, goal.at, aside, false);
        while let Some(Reverse((estimate, number))) = search.open.pop() {
            if direct.is_some_and(|direct| f64::from_bits(estimate) >= direct) {
                return None;
            }
            match search.steps[number as usize] {
                Step::Leave(stop, number) => {
                    let place = search.places[number as usize];
                    if place.is_taken {
                        continue;
                    }
                    let room = place.room.unwrap_or_else(|| self.room_at(&place, radius, scratch));
                    search.places[number as usize].room = Some(room);
                    let Some([(from, _), (to, _)]) = room else { continue };
                    let Stop { fit, cost, .. } = search.stops[stop as usize];
                    let Some(long) = self.search(&fit, &from, radius, scratch) else { continue };
                    let cost = cost + long + (to.at - from.at).length() + place.extra;
                    search.offer(Step::Arrive(stop, number, cost), cost + (goal.at - to.at).length());
                }
                Step::Arrive(parent, number, cost) => {
                    let place = &mut search.places[number as usize];
                    let Some(Some([_, (fit, asked)])) = place.room else { continue };
                    if std::mem::replace(&mut place.is_taken, true) {
                        continue;
                    }
                    let stop = u32::try_from(search.stops.len()).unwrap_or(NONE);
                    search.stops.push(Stop { fit, asked, cost, parent, link: number });
                    search.go_on(stop, goal.at, aside, true);
                }
                Step::End(stop) => {
                    let Stop { fit, cost, .. } = search.stops[stop as usize];
                    if let Some(long) = self.search(&fit, goal, radius, scratch) {
                        search.offer(Step::Done(stop), cost + long);
                    }
                }
                Step::Done(mut stop) => {
                    while stop != NONE {
                        search.chain.push(stop);
                        stop = search.stops[stop as usize].parent;
                    }
                    search.chain.reverse();
                    return Some(f64::from_bits(estimate));
                }
            }
        }
        None
    }

    /// Returns how far from the end of a link its disc may be, in metres.
    fn aside(&self, radius: f32) -> f32 {
        1.5 * radius + 1e-3 * self.mesh.frame.cell_size
    }

    /// All links that are wide enough, in both directions if they lead both ways.
    fn collect_links(&self, radius: f64, out: &mut LinkSearch) {
        out.places.clear();
        out.stops.clear();
        out.steps.clear();
        out.open.clear();
        out.chain.clear();
        let width = |end: &LinkEnd| {
            let [a, b] = end.ends.map(|end| self.plane_of(end.point));
            (b - a).length()
        };
        for (number, link) in (0..).zip(self.mesh.links()) {
            if !(link.is_open && self.admits(link.from.polygon) && self.admits(link.to.polygon)) {
                continue;
            }
            let count = link.places();
            let narrow = width(&link.from).min(width(&link.to));
            if count > 1 && narrow < 2.0 * radius * (1.0 - 1e-6) {
                continue;
            }
            for backwards in [false, true].into_iter().take(1 + usize::from(link.both_ways)) {
                for place in 0..count {
                    let inset = if count > 1 { (radius / narrow).min(0.5) } else { 0.0 };
                    let share = if count > 1 { f64::from(place) / f64::from(LINK_PLACES - 1) } else { 0.0 };
                    let along = inset + (1.0 - 2.0 * inset) * share;
                    let places = link.ends(backwards).map(|end| self.link_place(end, along).0);
                    out.places.push(LinkPlace {
                        link: LinkIndex(number),
                        backwards,
                        along,
                        places,
                        extra: f64::from(link.extra_cost),
                        room: None,
                        is_taken: false,
                    });
                }
            }
        }
    }

    /// Returns a point of the grid in metres from the origin of the frame.
    fn plane_of(&self, point: PlanPoint) -> DVec2 {
        dvec2(f64::from(point.x), f64::from(point.z)) * f64::from(self.mesh.frame.cell_size)
    }

    /// Returns where in plan, and at which level, a link's end is at some place of its segment.
    fn link_place(&self, end: &LinkEnd, along: f64) -> (DVec2, f32) {
        let [a, b] = end.ends.map(|end| self.plane_of(end.point));
        #[expect(clippy::cast_possible_truncation, reason = "a height in single precision")]
        let level = end.ends[0].height + (end.ends[1].height - end.ends[0].height) * along as f32;
        ((a + (b - a) * along), level)
    }

    /// Returns where a disc fits at both ends of a link, within sight of them.
    fn room_at(
        &self,
        place: &LinkPlace,
        radius: f32,
        scratch: &mut ClearanceScratch,
    ) -> Option<[(Fit, Vec3); 2]> {
        let link = self.mesh.links()[place.link.index()];
        let [from, to] = link.ends(place.backwards);
        let from = self.room_near(from, place.along, radius, scratch)?;
        let to = self.room_near(to, place.along, radius, scratch)?;
        if self.mesh.links.is_portal(place.link) {
            // Through the line between both sides, and not too near to its ends.
            let [a, b] = link.from.ends.map(|end| self.plane_of(end.point));
            let [before, after] = [from.0.at, to.0.at].map(|at| side_of(a, b, at));
            let least = f64::from(radius) * (1.0 - 1e-5) - 1e-6;
            let crossing = from.0.at + (to.0.at - from.0.at) * (before / (before - after));
            let is_between = [a, b].into_iter().all(|end| (crossing - end).length() >= least);
            if before * after > 0.0 || (crossing.x.is_finite() && !is_between) {
                return None;
            }
        }
        Some([from, to])
    }

    fn room_near(
        &self,
        end: &LinkEnd,
        along: f64,
        radius: f32,
        scratch: &mut ClearanceScratch,
    ) -> Option<(Fit, Vec3)> {
        let (at, level) = self.link_place(end, along);
        let size = f64::from(self.mesh.frame.cell_size);
        let position = self.mesh.frame.to_world(at.x / size, f64::from(level), at.y / size);
        let known = self.mesh.default_reach();
        let reach = Reach::new(self.aside(radius), known.up, known.down);
        let fit = self.fit(position, f64::from(radius), &reach, scratch, |_| true)?;
        // No wall between the two.
        let last = self.table.walk(self.triangle_at(end.polygon.0, at), None, at, fit.at);
        let is_there = (3 * last..3 * last + 3).all(|side| {
            let [a, b] = self.table.ends(side);
            side_of(a, b, fit.at) >= -4.0 * self.table.slack * (b - a).length()
        });
        is_there.then_some((fit, position))
    }
}

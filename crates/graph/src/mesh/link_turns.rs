//! Identity of ends of links and corners of polygons that are one place on the ground.

use std::collections::BTreeSet;

use waymesh_core::{PlanPoint, PolyId, to_u32};

use super::bounds::NO_NEIGHBOUR;
use super::fans::Edges;
use super::link::{Link, LinkIndex};
use super::named_sets::NamedSets;
use super::table::list_of;

/// Names of the places where paths turn on a mesh with links that are crossed like an edge: one for
/// all fans of corners and ends of links that are the same point of one surface, so that a search
/// knows a place that it came to before.
///
/// Two polygons that touch there are one surface if an open link joins them both ways and costs
/// nothing: what leads one way only does not make a path to the one a path to the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkTurns {
    /// Name of each fan. Empty without such links.
    pub(super) fans: Vec<u32>,
    /// Names of the ends of each link: both of `from`, both of `to`. Empty without such links.
    pub(super) ends: Vec<[u32; 4]>,
    /// First name of an end that is at no fan.
    pub(super) first_end: u32,
}

/// In a name: no shortest path turns here, as the ground spans half a circle or less, or all of it.
pub(super) const CLOSED: u32 = 1 << 31;
/// Bit of a name: the other bits are the number of an end, not of a fan.
pub(super) const END: u32 = 1 << 30;

impl LinkTurns {
    /// Returns how many names there may be.
    pub(crate) fn count(&self, fans: u32) -> u32 {
        if self.ends.is_empty() { fans } else { fans.max(self.first_end) + 4 * to_u32(self.ends.len()) }
    }

    /// Returns the name of a fan, and whether a shortest path may turn there.
    #[inline]
    pub(crate) fn of_fan(&self, fan: u32) -> (u32, bool) {
        self.fans.get(fan as usize).map_or((fan, true), |&name| (name & !CLOSED, name & CLOSED == 0))
    }

    /// Returns the name of an end of a link on its polygon, and whether paths may turn there.
    pub(crate) fn of_end(&self, link: LinkIndex, is_to: bool, end: u32) -> (u32, bool) {
        let name = self.ends[link.index()][end_of(is_to, end)];
        let number = name & !(CLOSED | END);
        (if name & END == 0 { number } else { self.first_end + number }, name & CLOSED == 0)
    }
}

/// The neighbourhood of a point on one side.
enum Beside {
    Wall,
    Polygon(u32),
    /// More than one thing, or one that leads one way only or costs something.
    Unclear,
}

/// Steps round a point: more than any sound surface has.
const MAX_STEPS: usize = 1000;

/// Returns `true` if a point lies on a segment and is not one of its ends.
pub(crate) fn is_inside([a, b]: [PlanPoint; 2], at: PlanPoint) -> bool {
    at != a && at != b && PlanPoint::orientation(a, b, at) == 0 && {
        let between = |low: i32, high: i32, at: i32| low.min(high) <= at && at <= low.max(high);
        between(a.x, b.x, at.x) && between(a.z, b.z, at.z)
    }
}

/// The place of an end among those of its link.
fn end_of(is_to: bool, end: u32) -> usize {
    2 * usize::from(is_to) + end as usize
}

/// The tables that turns at links are found by.
#[derive(Clone, Copy)]
pub(crate) struct LinkGround<'a> {
    pub(crate) edges: Edges<'a>,
    pub(crate) links: &'a [Link],
    pub(crate) portals: &'a [bool],
    /// First entry in `leaving` of each polygon, and the entries.
    pub(crate) first: &'a [u32],
    pub(crate) leaving: &'a [u32],
}

/// The names of the ends of a link that nothing else is one with.
pub(super) fn own_ends(link: LinkIndex) -> [u32; 4] {
    [0, 1, 2, 3].map(|end| END | (4 * link.0 + end))
}

/// Names of fans, and of the ends of links.
#[derive(Debug, Default)]
pub(super) struct LinkNames {
    pub(super) fans: Vec<(u32, u32)>,
    pub(super) ends: Vec<(LinkIndex, [u32; 4])>,
}

impl LinkGround<'_> {
    /// The corner of a polygon at a point.
    pub(super) fn corner_at(&self, polygon: PolyId, point: PlanPoint) -> Option<usize> {
        self.edges.range(polygon.0).find(|&corner| self.edges.corners[corner].point() == point)
    }

    /// Names the ends of links that are crossed like an edge, and the fans that they end at. What is
    /// one with any of these must be among them.
    pub(super) fn names(&self, portals: &[LinkIndex], fan_of: impl Fn(u32) -> Option<u32>) -> LinkNames {
        // Fans, and `END` with the numbers of ends.
        let mut all = NamedSets::default();
        let mut inside: Vec<(PolyId, PlanPoint, u32)> = Vec::new();
        for &link in portals {
            let own = own_ends(link);
            let link = &self.links[link.index()];
            for (is_to, at) in [(false, &link.from), (true, &link.to)] {
                for end in 0..2 {
                    let own = own[end_of(is_to, end)];
                    let point = at.ends[end as usize].point;
                    let corner = self.corner_at(at.polygon, point);
                    match corner.and_then(|corner| fan_of(to_u32(corner))) {
                        Some(fan) => all.unite(own, fan),
                        None => inside.push((at.polygon, point, own)),
                    }
                }
            }
            if link.is_open && link.is_free() {
                (0..2).for_each(|end| all.unite(own[end_of(false, end)], own[end_of(true, end)]));
            }
        }
        inside.sort_unstable_by_key(|&(polygon, point, own)| (polygon, point.x, point.z, own));
        for pair in inside.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            all.unite(pair[0].2, pair[1].2);
        }
        // Places with an end of an open link, and places where such an end allows turns.
        let [mut seen, mut turns] = [BTreeSet::new(), BTreeSet::new()];
        for &link in portals.iter().filter(|link| self.links[link.index()].is_open) {
            let Link { from, .. } = &self.links[link.index()];
            for end in 0..2 {
                let set = all.find(own_ends(link)[end_of(false, end)]);
                seen.insert(set);
                if self.turns_at(from.polygon, from.ends[end as usize].point) {
                    turns.insert(set);
                }
            }
        }
        let members = all.members.clone();
        let mut names: Vec<u32> = vec![u32::MAX; members.len()];
        for &member in &members {
            let name = &mut names[all.find(member) as usize];
            *name = (*name).min(member);
        }
        let mut name_of = |member: u32| {
            let set = all.find(member);
            let closed = if seen.contains(&set) && !turns.contains(&set) { CLOSED } else { 0 };
            names.get(set as usize).map_or(member, |&name| name | closed)
        };
        LinkNames {
            fans: members.into_iter().filter(|of| of & END == 0).map(|fan| (fan, name_of(fan))).collect(),
            ends: portals.iter().map(|&link| (link, own_ends(link).map(&mut name_of))).collect(),
        }
    }

    /// Returns `true` if the ground around a point on the border of a polygon, over edges and links,
    /// spans more than half a circle between walls, or it is not one surface there.
    fn turns_at(&self, polygon: PolyId, at: PlanPoint) -> bool {
        // To the wall on the right, if there is one.
        let mut first = polygon.0;
        for step in 0.. {
            match self.beside(first, at, true) {
                Beside::Wall => break,
                Beside::Polygon(beyond) if beyond != polygon.0 && step < MAX_STEPS => first = beyond,
                Beside::Polygon(beyond) => return beyond != polygon.0,
                Beside::Unclear => return true,
            }
        }
        let Some(wall) = self.rays(first, at).map(|rays| rays[0]) else { return true };
        let mut current = first;
        for _ in 0..MAX_STEPS {
            let Some([_, ray]) = self.rays(current, at) else { return true };
            let side = PlanPoint::orientation(at, wall, ray);
            // Collinear: one coordinate decides the side.
            let is_ahead = (wall.x > at.x) == (ray.x > at.x) && (wall.z > at.z) == (ray.z > at.z);
            if side < 0 || (side == 0 && is_ahead) {
                return true;
            }
            match self.beside(current, at, false) {
                Beside::Wall => return false,
                Beside::Polygon(beyond) => current = beyond,
                Beside::Unclear => return true,
            }
        }
        true
    }

    /// Returns the neighbourhood across the border of a polygon that begins at a point, to the right or
    /// to the left.
    fn beside(&self, polygon: u32, at: PlanPoint, right: bool) -> Beside {
        let of = self.edges;
        let begin = |edge: u32| if right { edge } else { of.next(polygon, edge) };
        let edges = of.range(polygon).map(to_u32).filter(|&edge| of.point(begin(edge)) == at);
        let beyond = edges.map(|edge| of.neighbours[edge as usize]);
        let edges = beyond.filter(|&beyond| beyond != NO_NEIGHBOUR).map(Beside::Polygon);
        let links = list_of(self.first, self.leaving, polygon).iter().filter_map(|&leaving| {
            let (link, backwards) = (LinkIndex(leaving / 2), leaving % 2 == 1);
            let is_portal = self.portals[link.index()];
            let link = &self.links[link.index()];
            let end = link.from.ends[usize::from(right == backwards)].point;
            let beyond = if backwards { link.from.polygon.0 } else { link.to.polygon.0 };
            (is_portal && end == at).then_some(if link.is_free() {
                Beside::Polygon(beyond)
            } else {
                Beside::Unclear
            })
        });
        let mut all = edges.chain(links);
        match (all.next(), all.next()) {
            (None, _) => Beside::Wall,
            (Some(only), None) => only,
            _ => Beside::Unclear,
        }
    }

    /// Returns the corners that a polygon's border leads to from a point on it: the next and the
    /// one before.
    fn rays(&self, polygon: u32, at: PlanPoint) -> Option<[PlanPoint; 2]> {
        let corners = &self.edges.corners[self.edges.range(polygon)];
        let point = |index: usize| corners[index % corners.len()].point();
        (0..corners.len()).find_map(|edge| {
            let [a, b] = [point(edge), point(edge + 1)];
            match () {
                () if a == at => Some([b, point(edge + corners.len() - 1)]),
                () if is_inside([a, b], at) => Some([b, a]),
                () => None,
            }
        })
    }
}

//! Which ends of links and corners of polygons are one place on the ground.

use waymesh_core::{DisjointSets, PlanPoint, PolyId, to_u32};

use super::bounds::{Corner, NO_NEIGHBOUR};
use super::links::{Link, LinkIndex};
use super::nav_mesh::NavMesh;

/// Names of the places where paths turn on a mesh with links that are crossed like an edge: one for
/// all fans of corners and ends of links that are the same point of one surface, so that a search
/// knows a place that it came to before.
///
/// Two polygons that touch there are one surface if an open link joins them both ways and costs
/// nothing: what leads one way only does not make a path to the one a path to the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkTurns {
    /// Of each fan, then of each end of each link: in `from` both, in `to` both. Empty without such
    /// links.
    names: Vec<u32>,
    fans: u32,
}

/// In a name: no shortest path turns here, as the ground spans half a circle or less, or all of it.
const CLOSED: u32 = 1 << 31;

impl LinkTurns {
    /// Returns how many names there may be.
    pub(crate) fn count(&self, fans: u32) -> u32 {
        to_u32(self.names.len()).max(fans)
    }

    /// Returns the name of a fan, and whether a shortest path may turn there.
    #[inline]
    pub(crate) fn of_fan(&self, fan: u32) -> (u32, bool) {
        self.names.get(fan as usize).map_or((fan, true), |&name| (name & !CLOSED, name & CLOSED == 0))
    }

    /// The same for an end of a link, on the polygon which that leads to or else from.
    pub(crate) fn of_end(&self, link: LinkIndex, is_to: bool, end: u32) -> (u32, bool) {
        self.of_fan(self.fans + end_of(link.0, is_to, end))
    }
}

/// What lies beside a point.
enum Beside {
    Wall,
    Polygon(u32),
    /// More than one thing, or one that leads one way only or costs something.
    Unclear,
}

/// Steps round a point: more than any sound surface has.
const MOST: usize = 1000;

/// Returns `true` if a point lies on a segment and is not one of its ends.
pub(crate) fn is_inside([a, b]: [PlanPoint; 2], at: PlanPoint) -> bool {
    at != a && at != b && PlanPoint::orientation(a, b, at) == 0 && {
        let between = |low: i32, high: i32, at: i32| low.min(high) <= at && at <= low.max(high);
        between(a.x, b.x, at.x) && between(a.z, b.z, at.z)
    }
}

fn end_of(link: u32, is_to: bool, end: u32) -> u32 {
    4 * link + 2 * u32::from(is_to) + end
}

impl NavMesh {
    /// Takes linear time, but for the ends of the links: `n log n`.
    pub(crate) fn find_link_turns(&self) -> LinkTurns {
        let Self { links, fans, .. } = self;
        if !links.portals.contains(&true) {
            return LinkTurns::default();
        }
        // Tables of a file need not be right, if it was not checked.
        let count = fans.count().min(to_u32(self.corners.len()));
        let mut sets = DisjointSets::new(count as usize + 4 * links.links.len());
        let mut inside: Vec<(PolyId, PlanPoint, u32)> = Vec::new();
        for (link, of) in (0..).zip(&links.links).filter(|(link, _)| links.is_portal(LinkIndex(*link))) {
            let Link { from, to, both_ways, is_open, extra_cost, .. } = of;
            for (is_to, at) in [(false, from), (true, to)] {
                for end in 0..2 {
                    let own = count + end_of(link, is_to, end);
                    let point = at.ends[end as usize].point;
                    let mut corners = self.edge_range(at.polygon.index());
                    let corner = corners.find(|&corner| {
                        let Corner { x, z, .. } = self.corners[corner];
                        PlanPoint::new(x, z) == point
                    });
                    match corner.map(|corner| fans.fan(to_u32(corner)).0) {
                        Some(fan) if fan < count => {
                            sets.unite(own, fan);
                        }
                        _ => inside.push((at.polygon, point, own)),
                    }
                }
            }
            if *both_ways && *is_open && *extra_cost <= 0.0 {
                (0..2).for_each(|end| {
                    let [from, to] = [false, true].map(|is_to| count + end_of(link, is_to, end));
                    sets.unite(from, to);
                });
            }
        }
        inside.sort_unstable_by_key(|&(polygon, point, own)| (polygon, point.x, point.z, own));
        for pair in inside.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            sets.unite(pair[0].2, pair[1].2);
        }
        let mut names: Vec<u32> = (0_u32..).take(sets.len()).map(|member| sets.find(member)).collect();
        // Some end of an open link is there, and some such end says that paths may turn there.
        let [mut seen, mut turns] = [vec![false; names.len()], vec![false; names.len()]];
        for (link, of) in (0..).zip(&links.links).filter(|(link, _)| links.is_portal(LinkIndex(*link))) {
            for end in (0..2).filter(|_| of.is_open) {
                let name = names[(count + end_of(link, false, end)) as usize] as usize;
                seen[name] = true;
                turns[name] |= self.turns_at(of.from.polygon, of.from.ends[end as usize].point);
            }
        }
        for name in &mut names {
            let at = *name as usize;
            *name |= if seen[at] && !turns[at] { CLOSED } else { 0 };
        }
        LinkTurns { names, fans: count }
    }

    /// Returns `true` if the ground around a point on the border of a polygon, over edges and links,
    /// spans more than half a circle between walls, or it is not one surface there.
    fn turns_at(&self, polygon: PolyId, at: PlanPoint) -> bool {
        // To the wall on the right, if there is one.
        let mut first = polygon.0;
        for step in 0.. {
            match self.beside(first, at, true) {
                Beside::Wall => break,
                Beside::Polygon(beyond) if beyond != polygon.0 && step < MOST => first = beyond,
                Beside::Polygon(beyond) => return beyond != polygon.0,
                Beside::Unclear => return true,
            }
        }
        let Some(wall) = self.rays(first, at).map(|rays| rays[0]) else { return true };
        let mut current = first;
        for _ in 0..MOST {
            let Some([_, ray]) = self.rays(current, at) else { return true };
            let side = PlanPoint::orientation(at, wall, ray);
            // In line, one of the two coordinates tells on which side.
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

    /// What lies across the border of a polygon that begins at a point, to the right or to the left.
    fn beside(&self, polygon: u32, at: PlanPoint, right: bool) -> Beside {
        let range = self.edge_range(polygon as usize);
        let after = |corner: usize| if corner + 1 == range.end { range.start } else { corner + 1 };
        let point = |corner: usize| PlanPoint::new(self.corners[corner].x, self.corners[corner].z);
        let edges = range.clone().filter(|&edge| self.neighbours[edge] != NO_NEIGHBOUR);
        let edges = edges.filter(|&edge| point(if right { edge } else { after(edge) }) == at);
        let edges = edges.map(|edge| Beside::Polygon(self.neighbours[edge]));
        let links = self.links.leaving(polygon).iter().filter_map(|&leaving| {
            let (link, backwards) = (LinkIndex(leaving / 2), leaving % 2 == 1);
            let Link { to, from, both_ways, extra_cost, .. } = &self.links.links[link.index()];
            let end = from.ends[usize::from(right == backwards)].point;
            let beyond = if backwards { from.polygon.0 } else { to.polygon.0 };
            let is_free = *both_ways && *extra_cost <= 0.0;
            (self.links.is_portal(link) && end == at).then_some(if is_free {
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
        let corners = &self.corners[self.edge_range(polygon as usize)];
        let point = |index: usize| {
            let Corner { x, z, .. } = corners[index % corners.len()];
            PlanPoint::new(x, z)
        };
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

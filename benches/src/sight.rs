//! Lower bounds of the number of convex polygons.
//!
//! # Polygons are portals
//! Portals that do not cross cut a piece of ground into polygons. There are as many polygons as
//! portals, plus Euler's number of the piece: 1 less its holes, or, exactly and also where loops
//! touch, the triangles of any triangulation less the edges between them. This holds wherever on
//! the border, or on another portal, a portal ends. (Inner points where three portals meet could do
//! with fewer; nothing here makes such polygons.)
//!
//! # What a notch needs
//! One portal in its area of interest makes two convex corners of a notch. If it has none there, it
//! has one on either side of it. Give each notch one such portal, or two. A portal has two ends:
//! given twice, it joins two notches that see each other, and no need is served by two portals. So
//! what is given twice is a matching of the needs, and there are at least as many portals as
//! needs less the largest matching.
//!
//! # Which of both
//! It is not known beforehand which of both a notch gets, so it is three nodes: its area of
//! interest, and either side.
//! An edge joins the two sides. It is in the matching where they are not needed, as in Gallai's
//! reduction of disjoint paths to a matching. With `n` notches there are at least `2 n` portals
//! less the largest matching. A notch that sees no vertex in its area of interest needs both sides
//! if portals end at vertices only: then its edge is left out.

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};
use waymesh_core::{DisjointSets, PlanPoint, TriangleId, Triangulation};

/// Lower bounds for the number of polygons, summed over all pieces of one region and area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FewestPolygons {
    /// The bound if all notches could be paired.
    pub simple: usize,
    /// The bound if only notches that see each other are paired. Portals end anywhere on the
    /// border.
    pub by_sight: usize,
    /// The bound with portals that end at vertices.
    pub at_vertices: usize,
}

/// Bounds for a triangulation whose vertices all lie on the border.
#[must_use]
pub fn fewest_polygons(triangulation: &Triangulation) -> FewestPolygons {
    let sight = Sight::new(triangulation);
    let count = triangulation.triangles.len();
    let mut pieces = DisjointSets::new(count);
    for (edge, twin) in sight.twins.iter().enumerate() {
        if let Some(twin) = twin {
            pieces.unite(number(edge / 3), number(twin / 3));
        }
    }
    // By the lowest triangle of a piece: triangles, inner edges, notches.
    let mut parts: Vec<(usize, usize, Vec<usize>)> = vec![(0, 0, Vec::new()); count];
    for (edge, twin) in sight.twins.iter().enumerate() {
        let part = &mut parts[pieces.find(number(edge / 3)) as usize];
        part.0 += usize::from(edge % 3 == 0);
        part.1 += usize::from(twin.is_some_and(|twin| edge < twin));
    }
    for (at, notch) in sight.notches.iter().enumerate() {
        parts[pieces.find(number(notch.leaving / 3)) as usize].2.push(at);
    }
    let mut places = vec![0; sight.notches.len()];
    let mut all = FewestPolygons::default();
    for (triangles, inner, notches) in parts.into_iter().filter(|part| part.0 > 0) {
        notches.iter().enumerate().for_each(|(place, &notch)| places[notch] = place);
        let polygons = |portals: usize| (portals + triangles).saturating_sub(inner).max(1);
        let simple = polygons(notches.len().div_ceil(2));
        let [at_vertices, by_sight] = sight.least_portals(&notches, &places).map(polygons);
        all.simple += simple;
        all.by_sight += by_sight.max(simple);
        all.at_vertices += at_vertices.max(simple);
    }
    all
}

fn number(at: usize) -> u32 {
    TriangleId::from_index(at).0
}

/// Side of a portal from a notch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// In its area of interest.
    Within,
    /// Between that and the border edge that leaves the notch.
    Early,
    /// Between that and the border edge that arrives.
    Late,
}

#[derive(Debug)]
struct Notch {
    /// The border edge that leaves it.
    leaving: usize,
    before: PlanPoint,
    point: PlanPoint,
    after: PlanPoint,
}

impl Notch {
    fn side(&self, to: PlanPoint) -> Side {
        if PlanPoint::orientation(self.point, self.after, to) < 0 {
            Side::Late
        } else if PlanPoint::orientation(self.before, self.point, to) < 0 {
            Side::Early
        } else {
            Side::Within
        }
    }
}

/// Triangles to look through. Half-edge `3 t + i` leaves corner `i` of triangle `t`.
#[derive(Debug)]
struct Sight<'a> {
    triangulation: &'a Triangulation,
    /// Twin edge in the triangle across, if that has the same region and area.
    twins: Vec<Option<usize>>,
    /// The notch at the corner that a half-edge leaves.
    notch_at: Vec<Option<usize>>,
    notches: Vec<Notch>,
}

fn next(edge: usize) -> usize {
    edge - edge % 3 + (edge + 1) % 3
}

fn prev(edge: usize) -> usize {
    next(next(edge))
}

impl<'a> Sight<'a> {
    fn new(triangulation: &'a Triangulation) -> Self {
        let triangles = &triangulation.triangles;
        let twin = |edge: usize| {
            let (triangle, side) = (&triangles[edge / 3], edge % 3);
            let beyond = triangle.neighbours[side]?;
            let other = &triangles[beyond.index()];
            let (from, to) = (triangle.vertices[side], triangle.vertices[(side + 1) % 3]);
            let is_back = |at: &usize| other.vertices[*at] == to && other.vertices[(at + 1) % 3] == from;
            let inner = (other.region, other.area) == (triangle.region, triangle.area);
            (0..3).find(is_back).filter(|_| inner).map(|back| 3 * beyond.index() + back)
        };
        let twins: Vec<_> = (0..3 * triangles.len()).map(twin).collect();
        let notch_at = vec![None; twins.len()];
        let mut sight = Self { triangulation, twins, notch_at, notches: Vec::new() };
        for leaving in 0..sight.twins.len() {
            if sight.twins[leaving].is_some() {
                continue;
            }
            let fan: Vec<usize> = sight.fan(leaving).collect();
            let last = fan[fan.len() - 1];
            let [before, point, after] = [prev(last), leaving, next(leaving)].map(|edge| sight.point(edge));
            if PlanPoint::orientation(before, point, after) < 0 {
                fan.into_iter().for_each(|edge| sight.notch_at[edge] = Some(sight.notches.len()));
                sight.notches.push(Notch { leaving, before, point, after });
            }
        }
        sight
    }

    fn point(&self, edge: usize) -> PlanPoint {
        self.triangulation.point(self.triangulation.triangles[edge / 3].vertices[edge % 3])
    }

    /// The half-edges that leave a corner of the border, from the border edge on.
    fn fan(&self, leaving: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(leaving), |&at| self.twins[prev(at)])
    }

    /// Returns the least number of portals that end at vertices, or anywhere, for all notches of a
    /// piece. `places` has the index of each notch.
    fn least_portals(&self, notches: &[usize], places: &[usize]) -> [usize; 2] {
        let node = |place: usize, side: Side| NodeIndex::new(3 * place + side as usize);
        let mut graph: UnGraph<(), ()> = UnGraph::default();
        for _ in 0..3 * notches.len() {
            graph.add_node(());
        }
        let mut sighted = vec![false; notches.len()];
        for (place, &number) in notches.iter().enumerate() {
            let notch = &self.notches[number];
            self.look(notch, |corner| {
                let side = notch.side(self.point(corner));
                sighted[place] |= side == Side::Within;
                if let Some(other) = self.notch_at[corner].filter(|&other| other < number) {
                    let back = self.notches[other].side(notch.point);
                    graph.add_edge(node(place, side), node(places[other], back), ());
                }
            });
        }
        [true, false].map(|which| {
            for place in (0..notches.len()).filter(|&place| sighted[place] == which) {
                graph.add_edge(node(place, Side::Early), node(place, Side::Late), ());
            }
            2 * notches.len() - maximum_matching(&graph).len()
        })
    }

    /// Names every corner seen from a notch by a half-edge that leaves it.
    fn look(&self, notch: &Notch, mut see: impl FnMut(usize)) {
        let turn = |a: PlanPoint, b: PlanPoint| PlanPoint::orientation(notch.point, a, b);
        let mut views: Vec<(usize, PlanPoint, PlanPoint)> = Vec::new();
        for leaving in self.fan(notch.leaving) {
            let across = next(leaving);
            if leaving != notch.leaving {
                see(across);
            }
            views.push((across, self.point(across), self.point(prev(leaving))));
            // The view through an edge, between two points that hide the ground behind them.
            while let Some((edge, low, high)) = views.pop() {
                let Some(entry) = self.twins[edge] else { continue };
                let far = prev(entry);
                let point = self.point(far);
                let (left_of_low, right_of_high) = (turn(low, point) > 0, turn(point, high) > 0);
                if left_of_low && right_of_high {
                    see(far);
                }
                if left_of_low {
                    views.push((next(entry), low, if right_of_high { point } else { high }));
                }
                if right_of_high {
                    views.push((far, if left_of_low { point } else { low }, high));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use waymesh_convex::{NotchPortalsConfig, notch_portals};
    use waymesh_testkit::plans::{from_rings, lower_bound};
    use waymesh_testkit::polygons::random;
    use waymesh_triangulate::triangulate_cdt;

    use super::*;

    fn bounds(ring: &[[f64; 2]]) -> FewestPolygons {
        fewest_polygons(&triangulate_cdt(&from_rings(&[vec![ring.to_vec()]])).unwrap())
    }

    #[test]
    fn notches_that_see_each_other_share_a_portal() {
        // Two teeth that face each other.
        let facing = [
            [0., 0.],
            [4., 0.],
            [5., 4.],
            [6., 0.],
            [10., 0.],
            [10., 10.],
            [6., 10.],
            [5., 6.],
            [4., 10.],
            [0., 10.],
        ];
        assert_eq!(bounds(&facing), FewestPolygons { simple: 2, by_sight: 2, at_vertices: 2 });
        // Side by side, each in front of a wall without a vertex.
        let beside = [
            [0., 0.],
            [2., 0.],
            [3., 4.],
            [4., 0.],
            [6., 0.],
            [7., 4.],
            [8., 0.],
            [10., 0.],
            [10., 10.],
            [0., 10.],
        ];
        assert_eq!(bounds(&beside), FewestPolygons { simple: 2, by_sight: 3, at_vertices: 4 });
    }

    #[test]
    fn a_notch_that_sees_no_vertex_ahead_has_two_portals_or_one_that_ends_on_the_wall() {
        let tooth = [[0., 0.], [49., 0.], [50., 8.], [51., 0.], [100., 0.], [100., 10.], [0., 10.]];
        assert_eq!(bounds(&tooth), FewestPolygons { simple: 2, by_sight: 2, at_vertices: 3 });
    }

    #[test]
    fn three_notches_may_share_two_portals() {
        // The middle one is out of sight of its area of interest for both others, and they serve it
        // from either side.
        let ring = [
            [0., 0.],
            [40., 0.],
            [50., 30.],
            [60., 0.],
            [100., 0.],
            [100., 12.],
            [88., 34.],
            [100., 60.],
            [0., 60.],
            [12., 34.],
            [0., 12.],
        ];
        let triangles = triangulate_cdt(&from_rings(&[vec![ring.to_vec()]])).unwrap();
        let fewest = notch_portals(&triangles, &NotchPortalsConfig::default()).unwrap().polygons.len();
        assert_eq!((fewest, bounds(&ring).at_vertices, bounds(&ring).by_sight), (3, 3, 3));
    }

    #[test]
    fn no_decomposition_beats_the_bounds() {
        let mut pairs_told = 0;
        for seed in 0..200 {
            let polygons = random(seed, 12, 12);
            let triangles = triangulate_cdt(&polygons).unwrap();
            let found = notch_portals(&triangles, &NotchPortalsConfig::default()).unwrap().polygons.len();
            let FewestPolygons { simple, by_sight, at_vertices } = fewest_polygons(&triangles);
            assert!(simple <= by_sight && by_sight <= at_vertices && at_vertices <= found, "seed {seed}");
            // Holes that touch the border part nothing: the usual bound counts them as if they did.
            assert!(simple >= lower_bound(&polygons).2, "seed {seed}");
            pairs_told += usize::from(by_sight > simple);
        }
        assert!(pairs_told > 50, "{pairs_told}");
    }
}

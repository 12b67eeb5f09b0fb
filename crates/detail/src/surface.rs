//! A small triangulation with incremental insertion that stays close to Delaunay.

use waymesh_core::to_u32;

/// Sentinel for a missing facet or point, such as the neighbour beyond an edge of the outline.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// A point in lattice positions from the polygon's corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) z: i32,
    pub(crate) height: f32,
}

/// A positive triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) corners: [u32; 3],
    /// The facets across the edges from corner `i` to the next.
    pub(crate) beyond: [u32; 3],
    /// Largest error of a sample in the facet.
    pub(crate) error: f32,
    /// Row and column of that sample, from the polygon's corner.
    pub(crate) worst: [i32; 2],
}

/// Result of locating a point.
enum Location {
    Inside(usize),
    /// On an edge: the facet, and the corner where the edge starts.
    OnEdge(usize, usize),
    /// On a corner, or outside.
    Taken,
}

/// The triangles of one polygon.
#[derive(Debug, Default)]
pub(crate) struct Surface {
    pub(crate) points: Vec<Point>,
    pub(crate) facets: Vec<Facet>,
    /// Facets changed by the last insertion, around the new point.
    pub(crate) star: Vec<u32>,
    stack: Vec<(u32, u32)>,
    ring: Ring,
}

/// The remaining polygon of ear clipping, as linked lists over the points.
#[derive(Debug, Default)]
struct Ring {
    previous: Vec<u32>,
    next: Vec<u32>,
    /// The facet beyond the edge from a point to the next.
    across: Vec<u32>,
    /// For the ear at each point, its doubled area and the squared length of the cut.
    ears: Vec<(i64, i64)>,
}

/// Returns twice the signed area of `a b c`. It is exact, because positions are below 2^25.
#[inline]
fn orientation(a: Point, b: Point, c: Point) -> i64 {
    let (ax, az) = (i64::from(a.x), i64::from(a.z));
    (i64::from(b.x) - ax) * (i64::from(c.z) - az) - (i64::from(b.z) - az) * (i64::from(c.x) - ax)
}

/// Returns `true` if `d` lies inside the circle through the positive triangle `a b c`. The test is
/// rounded. A wrong answer makes the shape slightly worse, but never invalid, because every flip is
/// checked exactly.
#[inline]
fn in_circle(a: Point, b: Point, c: Point, d: Point) -> bool {
    let [(ax, az), (bx, bz), (cx, cz)] = [a, b, c].map(|p| (f64::from(p.x - d.x), f64::from(p.z - d.z)));
    let lift = |x: f64, z: f64| x * x + z * z;
    lift(ax, az) * (bx * cz - bz * cx) - lift(bx, bz) * (ax * cz - az * cx)
        + lift(cx, cz) * (ax * bz - az * bx)
        > 0.0
}

impl Surface {
    #[inline]
    fn point(&self, index: u32) -> Point {
        self.points[index as usize]
    }

    /// Triangulates the outline in `points`, which is positive and convex; collinear corners are
    /// allowed. Cuts the ear with the shortest diagonal, then flips towards Delaunay. Returns
    /// `false` if the outline is not convex or has no area.
    ///
    /// The cost is quadratic in the number of points.
    pub(crate) fn triangulate_outline(&mut self) -> bool {
        self.facets.clear();
        let Ok(count) = u32::try_from(self.points.len()) else { return false };
        if count == 3 {
            let [a, b, c] = [0, 1, 2].map(|corner| self.point(corner));
            self.facet([0, 1, 2], [NO_INDEX; 3]);
            return orientation(a, b, c) > 0;
        }
        if count < 3 {
            return false;
        }
        let mut ring = std::mem::take(&mut self.ring);
        let done = self.cut_ears(&mut ring, count);
        self.ring = ring;
        if done {
            self.improve();
        }
        done
    }

    fn cut_ears(&mut self, ring: &mut Ring, count: u32) -> bool {
        ring.previous.clear();
        ring.previous.extend((0..count).map(|index| (index + count - 1) % count));
        ring.next.clear();
        ring.next.extend((0..count).map(|index| (index + 1) % count));
        ring.across.clear();
        ring.across.resize(count as usize, NO_INDEX);
        ring.ears.clear();
        let mut area = (2..count)
            .map(|index| orientation(self.point(0), self.point(index - 1), self.point(index)))
            .sum::<i64>();
        for index in 0..count {
            let ear = self.ear(ring, index);
            ring.ears.push(ear);
        }
        let mut start = 0;
        for left in (4..=count).rev() {
            // The remaining polygon must keep an area. Cutting off the tip of a triangle with
            // points on its base would leave no area.
            let (mut best, mut at, mut shortest) = (NO_INDEX, start, i64::MAX);
            for _ in 0..left {
                let (ear, length) = ring.ears[at as usize];
                if ear > 0 && ear < area && length < shortest {
                    (best, shortest) = (at, length);
                }
                at = ring.next[at as usize];
            }
            if best == NO_INDEX {
                return false;
            }
            let (before, after) = (ring.previous[best as usize], ring.next[best as usize]);
            area -= ring.ears[best as usize].0;
            let beyond = [ring.across[before as usize], ring.across[best as usize], NO_INDEX];
            let facet = self.facet([before, best, after], beyond);
            ring.across[before as usize] = facet;
            ring.next[before as usize] = after;
            ring.previous[after as usize] = before;
            for changed in [before, after] {
                ring.ears[changed as usize] = self.ear(ring, changed);
            }
            start = before;
        }
        let corners = [start, ring.next[start as usize], ring.previous[start as usize]];
        self.facet(corners, corners.map(|corner| ring.across[corner as usize]));
        let [a, b, c] = corners.map(|corner| self.point(corner));
        orientation(a, b, c) > 0
    }

    fn ear(&self, ring: &Ring, index: u32) -> (i64, i64) {
        let (before, after) = (ring.previous[index as usize], ring.next[index as usize]);
        let [a, b, c] = [before, index, after].map(|corner| self.point(corner));
        let (dx, dz) = (i64::from(c.x) - i64::from(a.x), i64::from(c.z) - i64::from(a.z));
        (orientation(a, b, c), dx * dx + dz * dz)
    }

    /// Adds a facet and links it with the facets beyond its edges, which had no neighbour at their
    /// cut.
    fn facet(&mut self, corners: [u32; 3], beyond: [u32; 3]) -> u32 {
        let index = to_u32(self.facets.len());
        for other in beyond.into_iter().filter(|&other| other != NO_INDEX) {
            self.facets[other as usize].beyond[2] = index;
        }
        self.facets.push(Facet { corners, beyond, error: 0.0, worst: [0; 2] });
        index
    }

    /// Flips all edges towards Delaunay (Lawson 1977). The number of flips is bounded, because
    /// rounding could make them circular.
    fn improve(&mut self) {
        let mut budget = self.points.len() * self.points.len();
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack
            .extend((0_u32..).zip(&self.facets).flat_map(|(facet, _)| (0..3).map(move |edge| (facet, edge))));
        while let Some((facet, edge)) = stack.pop() {
            let Some(other) = self.flip(facet, edge as usize) else { continue };
            for changed in [facet, other] {
                stack.extend([(changed, 0), (changed, 1), (changed, 2)]);
            }
            if budget == 0 {
                break;
            }
            budget -= 1;
        }
        self.stack = stack;
    }

    /// Flips the edge at corner `edge` of `facet` if that brings it closer to Delaunay and keeps
    /// both sides positive. Returns the facet across. Afterwards, the corner that was opposite the
    /// edge is corner 2 of both facets.
    fn flip(&mut self, facet: u32, edge: usize) -> Option<u32> {
        let here = self.facets[facet as usize];
        let other = here.beyond[edge];
        if other == NO_INDEX {
            return None;
        }
        let there = self.facets[other as usize];
        let back = there.beyond.iter().position(|&beyond| beyond == facet)?;
        let [u, v, p] = [0, 1, 2].map(|step| here.corners[(edge + step) % 3]);
        let w = there.corners[(back + 2) % 3];
        let [pu, pv, pp, pw] = [u, v, p, w].map(|corner| self.point(corner));
        if !in_circle(pu, pv, pp, pw) || orientation(pu, pw, pp) <= 0 || orientation(pw, pv, pp) <= 0 {
            return None;
        }
        let (beyond_uw, beyond_wv) = (there.beyond[(back + 1) % 3], there.beyond[(back + 2) % 3]);
        let (beyond_vp, beyond_pu) = (here.beyond[(edge + 1) % 3], here.beyond[(edge + 2) % 3]);
        let (one, two) = (&mut self.facets[facet as usize], facet);
        one.corners = [u, w, p];
        one.beyond = [beyond_uw, other, beyond_pu];
        let one = &mut self.facets[other as usize];
        one.corners = [w, v, p];
        one.beyond = [beyond_wv, beyond_vp, two];
        self.relink(beyond_uw, other, facet);
        self.relink(beyond_vp, facet, other);
        Some(other)
    }

    #[inline]
    fn relink(&mut self, facet: u32, from: u32, to: u32) {
        if facet != NO_INDEX {
            for beyond in &mut self.facets[facet as usize].beyond {
                if *beyond == from {
                    *beyond = to;
                }
            }
        }
    }

    /// Walks from `facet` to the facet that holds `point`.
    fn locate(&self, mut facet: u32, point: Point) -> Location {
        // Because of rounding, the scan may return a neighbouring facet. A much longer walk does
        // not terminate.
        for _ in 0..64 {
            let here = &self.facets[facet as usize];
            let corners = here.corners.map(|corner| self.point(corner));
            let sides = [0, 1, 2].map(|edge| orientation(corners[edge], corners[(edge + 1) % 3], point));
            if let Some(outside) = sides.iter().position(|&side| side < 0) {
                if here.beyond[outside] == NO_INDEX {
                    return Location::Taken;
                }
                facet = here.beyond[outside];
                continue;
            }
            let on = sides.map(|side| side == 0);
            return match on {
                [false, false, false] => Location::Inside(facet as usize),
                [true, false, false] => Location::OnEdge(facet as usize, 0),
                [false, true, false] => Location::OnEdge(facet as usize, 1),
                [false, false, true] => Location::OnEdge(facet as usize, 2),
                _ => Location::Taken,
            };
        }
        Location::Taken
    }

    /// Inserts a point strictly inside the outline, near `facet`, and flips towards Delaunay around
    /// it. The changed facets are in `star`. Returns `false` if the position already has a point.
    pub(crate) fn insert(&mut self, point: Point, facet: u32) -> bool {
        let added = to_u32(self.points.len());
        self.star.clear();
        match self.locate(facet, point) {
            Location::Inside(facet) => {
                let here = self.facets[facet];
                self.points.push(point);
                let edges = [0, 1, 2].map(|edge| {
                    (here.corners[edge], here.corners[(edge + 1) % 3], here.beyond[edge], to_u32(facet))
                });
                self.fan(added, &edges, [to_u32(facet), NO_INDEX]);
            }
            Location::OnEdge(facet, edge) => {
                let here = self.facets[facet];
                let other = here.beyond[edge];
                if other == NO_INDEX {
                    return false;
                }
                let there = self.facets[other as usize];
                let Some(back) = there.beyond.iter().position(|&beyond| beyond as usize == facet) else {
                    return false;
                };
                self.points.push(point);
                let [u, v, c] = [0, 1, 2].map(|step| here.corners[(edge + step) % 3]);
                let d = there.corners[(back + 2) % 3];
                let facet = to_u32(facet);
                let edges = [
                    (c, u, here.beyond[(edge + 2) % 3], facet),
                    (u, d, there.beyond[(back + 1) % 3], other),
                    (d, v, there.beyond[(back + 2) % 3], other),
                    (v, c, here.beyond[(edge + 1) % 3], facet),
                ];
                self.fan(added, &edges, [facet, other]);
            }
            Location::Taken => return false,
        }
        let mut at = 0;
        while at < self.star.len() {
            // A flip gives `facet` one new outer edge and `other` the second, so both are tested
            // again.
            let facet = self.star[at];
            match self.flip(facet, 0) {
                Some(other) => self.star.push(other),
                None => at += 1,
            }
        }
        true
    }

    /// Replaces the `old` facets by one facet from each edge to the point `added`. An edge is given
    /// by its ends, the facet beyond it and its old facet.
    fn fan(&mut self, added: u32, edges: &[(u32, u32, u32, u32)], old: [u32; 2]) {
        let count = edges.len();
        let reused = old.iter().filter(|&&facet| facet != NO_INDEX).count();
        let first_new = to_u32(self.facets.len());
        let index = |edge: usize| if edge < reused { old[edge] } else { first_new + to_u32(edge - reused) };
        for (edge, &(from, to, beyond, part_of)) in edges.iter().enumerate() {
            let facet = Facet {
                corners: [from, to, added],
                beyond: [beyond, index((edge + 1) % count), index((edge + count - 1) % count)],
                error: 0.0,
                worst: [0; 2],
            };
            let at = index(edge);
            if edge < reused {
                self.facets[at as usize] = facet;
            } else {
                self.facets.push(facet);
            }
            self.star.push(at);
            // `relink` cannot be used, because the index of an old facet may already belong to a
            // new facet. Outer facets are never replaced.
            if beyond != NO_INDEX {
                let outer = &mut self.facets[beyond as usize];
                if let Some(back) =
                    (0..3).find(|&side| outer.beyond[side] == part_of && outer.corners[side] == to)
                {
                    outer.beyond[back] = at;
                }
            }
        }
    }
}

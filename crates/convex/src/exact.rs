//! Exact decomposition of a small polygon without holes into the fewest convex polygons.

use waymesh_core::{PlanPoint, checkpoint, float, saturating_i32, to_u32};

use crate::measure::is_narrow;

/// Sentinel for a missing vertex, larger than all numbers.
const NO_VERTEX: u32 = u32::MAX;
/// Infinite cost.
const NEVER: u64 = 1 << 62;
/// Cost of a polygon: more than that of all portals that leave narrow angles.
const POLYGON_COST: u64 = 1 << 52;
/// Cost of a portal that leaves a narrow angle next to the border: more than that of the total
/// length of all portals.
const SLIVER_COST: u64 = 1 << 42;
/// Bits of the length of the longest portal.
const LENGTH_BITS: i32 = 31;
/// Largest number of vertices of a polygon, so that the sums of lower costs never reach a higher
/// cost.
pub(crate) const MOST_VERTICES: usize = 1024;

/// The solver, reused for its buffers.
///
/// Dynamic programming over pairs of vertices. The best polygon on the portal from `i` to `j`, on
/// the side of the vertices between `i` and `j`, is a convex chain of edges and portals from `i` to
/// `j`. All chains that start at `i` are found together, vertex by vertex. The vertices that are
/// visible from a vertex lie around it in the order of the border. So the arriving links from which
/// a chain may continue with a given link are a prefix in that order, and one running minimum
/// serves all links.
#[derive(Debug, Default)]
pub(crate) struct Exact {
    points: Vec<PlanPoint>,
    /// Caller's number of vertex 0, which is chosen not to be a notch.
    turned: usize,
    is_notch: Vec<bool>,
    /// Scale of lengths, a power of two.
    scale: f64,
    /// Pairs of vertices that see each other, the lower vertex in the upper bits.
    seen: Vec<u32>,
    /// Buffer for sorting `seen`.
    sorted: Vec<u32>,
    /// Links by their lower vertex, then by the upper one.
    links: Vec<Link>,
    /// For each vertex, index of its first link in `links`.
    starts: Vec<u32>,
    /// Links by their upper vertex, then by the lower one.
    arriving: Vec<u32>,
    arriving_starts: Vec<u32>,
    /// For each vertex, index in `arriving` of the first link from the current vertex or a later
    /// one.
    arriving_from: Vec<u32>,
    /// Parallel to `arriving`: the cheapest chain from the current vertex that ends with the link,
    /// for each number of links (or one value for all numbers).
    chains: Vec<u64>,
    slots: usize,
    /// Parallel to `links`: the fields that chains read.
    steps: Vec<Step>,
    /// Bit set of the vertices at which a chain arrives in the current run.
    reached: Vec<u64>,
    /// Bit set of the vertices that are not notches.
    convex: Vec<u64>,
    /// Bit set of the vertices with a link in line with another link.
    in_line: Vec<u64>,
    /// Cost of the cheapest among the first `n` chains at a vertex, by `n`.
    prefixes: Vec<u64>,
    running: Vec<u64>,
    stack: Vec<(u32, u32)>,
    /// Corners of all polygons of the result, and the end of each polygon.
    corners: Vec<u32>,
    ends: Vec<u32>,
}

/// An edge of the polygon, or a possible portal.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    to: u32,
    /// Weight of the portal; 0 for an edge.
    weight: u64,
    /// Cost of all polygons beyond the portal.
    beyond: u64,
    /// First vertex towards which the chain of the polygon beyond may leave `from`.
    least: u32,
    /// Index in `arriving`.
    place: u32,
    /// End of the range in `arriving` of chains at `from` that may continue with this link.
    turn: u32,
    /// End of the range in `arriving` of chains at `to` that may be closed with this link.
    close: u32,
}

impl Link {
    fn cost(&self) -> u64 {
        self.weight + self.beyond
    }
}

/// The part of a [`Link`] that every chain reads.
#[derive(Clone, Copy, Debug)]
struct Step {
    to: u32,
    place: u32,
    turn: u32,
    cost: u64,
}

impl Exact {
    /// Loads a polygon in positive order. Returns `false` if it has too many vertices or a spike.
    pub(crate) fn load(&mut self, points: &[PlanPoint]) -> bool {
        let count = points.len();
        if !(3..=MOST_VERTICES).contains(&count) {
            return false;
        }
        let turn = |at: usize| {
            let [a, b, c] = [count - 1, 0, 1].map(|step| points[(at + step) % count]);
            (PlanPoint::orientation(a, b, c), a, b, c)
        };
        let Some(turned) = (0..count).find(|&at| turn(at).0 > 0) else { return false };
        self.turned = turned;
        self.points.clear();
        self.is_notch.clear();
        self.seen.clear();
        for step in 0..count {
            let (turn, a, b, c) = turn((self.turned + step) % count);
            if turn == 0 && (key(a) < key(b)) != (key(b) < key(c)) {
                return false;
            }
            self.points.push(b);
            self.is_notch.push(turn < 0);
        }
        let reach = |of: fn(PlanPoint) -> i32| {
            let values = || points.iter().map(|&point| f64::from(of(point)));
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        let longest = float::hypot(reach(|point| point.x), reach(|point| point.z));
        self.scale = float::power_of_two(LENGTH_BITS - 1 - saturating_i32(float::log2(longest).ceil()));
        true
    }

    /// Returns `true` if the vertex with this number is a notch.
    pub(crate) fn is_notch(&self, vertex: usize) -> bool {
        self.is_notch[self.own_number(vertex) as usize]
    }

    fn own_number(&self, vertex: usize) -> u32 {
        step32((vertex + self.points.len() - self.turned) % self.points.len())
    }

    /// Records that two vertices see each other. Repeated pairs are allowed.
    pub(crate) fn see(&mut self, [a, b]: [usize; 2]) {
        let (a, b) = (self.own_number(a), self.own_number(b));
        let (low, high) = (a.min(b), a.max(b));
        if (2..step32(self.points.len()) - 1).contains(&(high - low)) {
            self.seen.push(low << 16 | high);
        }
    }

    /// Sorts the pairs in `seen` by radix: by their upper vertices, then stably by their lower
    /// ones.
    fn sort_seen(&mut self) {
        let mut sorted = std::mem::take(&mut self.sorted);
        let mut places = std::mem::take(&mut self.arriving_from);
        for shift in [0, 16] {
            let key = |pair: u32| (pair >> shift & 0xffff) as usize;
            places.clear();
            places.resize(self.points.len() + 1, 0);
            self.seen.iter().for_each(|&pair| places[key(pair) + 1] += 1);
            for at in 1..places.len() {
                places[at] += places[at - 1];
            }
            sorted.clear();
            sorted.resize(self.seen.len(), 0);
            for &pair in &self.seen {
                let place = &mut places[key(pair)];
                sorted[*place as usize] = pair;
                *place += 1;
            }
            std::mem::swap(&mut self.seen, &mut sorted);
        }
        (self.sorted, self.arriving_from) = (sorted, places);
    }

    /// Finds all pairs of vertices that see each other. Without `all`, only pairs with a notch are
    /// found: other pairs help only under a limit on corners.
    pub(crate) fn see_all(&mut self, all: bool) {
        self.seen.clear();
        let count = step32(self.points.len());
        for from in 0..count {
            checkpoint();
            let mut blocker = from as usize;
            for to in from + 2..count {
                let wanted = all || self.is_notch[from as usize] || self.is_notch[to as usize];
                if wanted && self.sees(from, to, &mut blocker) {
                    self.seen.push(from << 16 | to);
                }
            }
        }
    }

    fn at(&self, vertex: u32) -> PlanPoint {
        self.points[vertex as usize]
    }

    fn before(&self, vertex: u32) -> PlanPoint {
        self.points[(vertex as usize + self.points.len() - 1) % self.points.len()]
    }

    fn after(&self, vertex: u32) -> PlanPoint {
        self.points[(vertex as usize + 1) % self.points.len()]
    }

    /// Returns `true` if the segment from `vertex` to `to` starts inside the polygon.
    fn starts_inside(&self, vertex: u32, to: PlanPoint) -> bool {
        let point = self.at(vertex);
        let left_of_before = PlanPoint::orientation(self.before(vertex), point, to) > 0;
        let left_of_after = PlanPoint::orientation(point, self.after(vertex), to) > 0;
        if self.is_notch[vertex as usize] {
            left_of_before || left_of_after
        } else {
            left_of_before && left_of_after
        }
    }

    /// Returns `true` if two vertices that are not neighbours see each other.
    ///
    /// `blocker` is the edge that hid the previous vertex from `a`. It is tested first, because it
    /// often also hides the next vertex.
    fn sees(&self, a: u32, b: u32, blocker: &mut usize) -> bool {
        let (p, q) = (self.at(a), self.at(b));
        if p == q || !self.starts_inside(a, q) || !self.starts_inside(b, p) {
            return false;
        }
        let count = self.points.len();
        let hides = |from: PlanPoint, to: PlanPoint| {
            let (x, y) = (PlanPoint::orientation(from, to, p), PlanPoint::orientation(from, to, q));
            (x > 0 && y < 0) || (x < 0 && y > 0)
        };
        let crosses = |x: i64, y: i64| (x > 0 && y < 0) || (x < 0 && y > 0);
        let (from, to) = (self.points[*blocker], self.points[(*blocker + 1) % count]);
        if crosses(PlanPoint::orientation(p, q, from), PlanPoint::orientation(p, q, to)) && hides(from, to) {
            return false;
        }
        let mut from = self.points[count - 1];
        let mut from_turn = PlanPoint::orientation(p, q, from);
        for (at, &to) in self.points.iter().enumerate() {
            let turn = PlanPoint::orientation(p, q, to);
            if turn == 0 {
                // `to` is on the line and hides `q` if it lies between the two.
                if to != p && to != q && (key(to) > key(p)) != (key(to) > key(q)) {
                    return false;
                }
            } else if crosses(from_turn, turn) && hides(from, to) {
                *blocker = (at + count - 1) % count;
                return false;
            }
            (from, from_turn) = (to, turn);
        }
        true
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "lengths below 2^31, and only to weigh one portal against another"
    )]
    fn weight(&self, a: u32, b: u32) -> u64 {
        let length = (self.at(a).distance_squared(self.at(b)) as f64).sqrt();
        let narrow = self.leaves_sliver(a, b) || self.leaves_sliver(b, a);
        1 + (length * self.scale) as u64 + if narrow { SLIVER_COST } else { 0 }
    }

    /// Returns `true` if a portal makes a narrow angle with the border at `vertex`.
    fn leaves_sliver(&self, vertex: u32, to: u32) -> bool {
        let beside = [self.before(vertex), self.after(vertex)];
        beside.into_iter().any(|beside| is_narrow(self.at(vertex), self.at(to), beside))
    }

    /// Returns the total weight of portals whose ends are in the caller's numbers.
    pub(crate) fn weigh(&self, portals: impl Iterator<Item = [usize; 2]>) -> u64 {
        portals
            .map(|ends| {
                let [a, b] = ends.map(|end| self.own_number(end));
                self.weight(a, b)
            })
            .sum()
    }

    /// Returns the number of polygons and the weight of the portals of the best decomposition into
    /// polygons of at most `max_vertices` corners (0 = no limit). Returns `None` if no
    /// decomposition exists, which only happens for borders that cross.
    pub(crate) fn solve(&mut self, max_vertices: u32) -> Option<(usize, u64)> {
        self.slots = if max_vertices == 0 { 1 } else { max_vertices as usize - 1 };
        self.prepare();
        let count = step32(self.points.len());
        self.chains.clear();
        self.chains.resize(self.links.len() * self.slots, NEVER);
        self.prefixes.resize(self.points.len() + 1, NEVER);
        self.arriving_from.clear();
        self.arriving_from.extend_from_slice(&self.arriving_starts[1..]);
        let mut best = NEVER;
        for first in (0..count - 1).rev() {
            checkpoint();
            self.include(first);
            let (start, end) = self.links_of(first);
            if self.is_notch[first as usize] {
                self.set_least(first);
                let mut at = start;
                while at < end {
                    let least = self.links[at].least;
                    let mut after = at + 1;
                    while after < end && self.links[after].least == least {
                        after += 1;
                    }
                    if self.links[at..after].iter().any(|link| link.weight != 0) {
                        self.run(first, self.links[after - 1].to, least);
                    }
                    at = after;
                }
            } else if first == 0 {
                self.run(0, count - 1, 0);
                best = self.close(0, count - 1, self.arriving.len());
            } else if end - start > 1 {
                self.run(first, self.links[end - 1].to, 0);
            }
        }
        if best >= NEVER {
            return None;
        }
        Some(((best / POLYGON_COST) as usize, best % POLYGON_COST))
    }

    /// Builds the links: the edges, and the possible portals from the pairs in `seen`.
    fn prepare(&mut self) {
        let count = step32(self.points.len());
        self.sort_seen();
        self.seen.dedup();
        self.links.clear();
        self.starts.clear();
        let mut next = 0;
        let blank = Link { from: 0, to: 0, weight: 0, beyond: 0, least: 0, place: 0, turn: 0, close: 0 };
        for from in 0..count {
            checkpoint();
            self.starts.push(step32(self.links.len()));
            if from + 1 < count {
                self.links.push(Link { from, to: from + 1, ..blank });
            }
            while let Some(&pair) = self.seen.get(next).filter(|&pair| pair >> 16 == from) {
                let to = pair & 0xffff;
                self.links.push(Link { from, to, weight: self.weight(from, to), beyond: NEVER, ..blank });
                next += 1;
            }
        }
        self.starts.push(step32(self.links.len()));
        self.arriving_starts.clear();
        self.arriving_starts.resize(count as usize + 1, 0);
        for link in &self.links {
            self.arriving_starts[link.to as usize + 1] += 1;
        }
        for vertex in 0..count as usize {
            self.arriving_starts[vertex + 1] += self.arriving_starts[vertex];
        }
        self.arriving.clear();
        self.arriving.resize(self.links.len(), 0);
        self.arriving_from.clear();
        self.arriving_from.extend_from_slice(&self.arriving_starts[..count as usize]);
        for (at, link) in self.links.iter_mut().enumerate() {
            let place = &mut self.arriving_from[link.to as usize];
            self.arriving[*place as usize] = step32(at);
            link.place = *place;
            *place += 1;
        }
        let words = self.points.len().div_ceil(64);
        for bits in [&mut self.reached, &mut self.convex, &mut self.in_line] {
            bits.clear();
            bits.resize(words, 0);
        }
        for vertex in 0..count {
            checkpoint();
            self.convex[vertex as usize / 64] |= u64::from(!self.is_notch[vertex as usize]) << (vertex % 64);
            self.set_turns(vertex);
        }
        self.steps.clear();
        self.steps.extend(self.links.iter().map(|link| Step {
            to: link.to,
            place: link.place,
            turn: link.turn,
            cost: link.cost().min(NEVER),
        }));
    }

    /// Sets the range of chains at a vertex that may turn into each link. Both limits grow with the
    /// vertex at the other end of the link.
    fn set_turns(&mut self, vertex: u32) {
        let (start, end) = (self.arriving_starts[vertex as usize], self.arriving_starts[vertex as usize + 1]);
        let mut turn = start;
        let (own, own_end) = self.links_of(vertex);
        for at in own..own_end {
            turn = self.turn_limit(vertex, turn..end, self.links[at].to);
            self.links[at].turn = turn;
        }
        let mut close = start;
        for at in start..end {
            let link = self.arriving[at as usize] as usize;
            close = self.turn_limit(vertex, close.max(at + 1)..end, self.links[link].from);
            self.links[link].close = close;
        }
    }

    /// Returns the end of the prefix of `arriving` whose links do not turn right towards `to`.
    /// Records vertices in line.
    fn turn_limit(&mut self, vertex: u32, arriving: std::ops::Range<u32>, to: u32) -> u32 {
        for place in arriving.clone() {
            let from = self.links[self.arriving[place as usize] as usize].from;
            match PlanPoint::orientation(self.at(from), self.at(vertex), self.at(to)) {
                ..0 => return place,
                0 => {
                    for end in [from, to] {
                        self.in_line[end as usize / 64] |= 1 << (end % 64);
                    }
                }
                1.. => {}
            }
        }
        arriving.end.max(arriving.start)
    }

    fn links_of(&self, vertex: u32) -> (usize, usize) {
        (self.starts[vertex as usize] as usize, self.starts[vertex as usize + 1] as usize)
    }

    /// Extends `arriving_from` to the links that leave `vertex`.
    fn include(&mut self, vertex: u32) {
        let (start, end) = self.links_of(vertex);
        for link in &self.links[start..end] {
            self.arriving_from[link.to as usize] -= 1;
        }
    }

    /// Sets for each portal at a notch the first vertex towards which the chain of the polygon
    /// beyond may leave without turning right.
    fn set_least(&mut self, notch: u32) {
        let (start, end) = self.links_of(notch);
        let mut first = start;
        for at in start..end {
            let to = self.at(self.links[at].to);
            while first < at && PlanPoint::orientation(to, self.at(notch), self.at(self.links[first].to)) < 0
            {
                first += 1;
            }
            self.links[at].least = self.links[first].to;
        }
    }

    /// Finds all chains from `first` that end at `last` or before and leave towards `least` or a
    /// later vertex, and closes the polygons on the portals with this `least`.
    fn run(&mut self, first: u32, last: u32, least: u32) {
        let slots = self.slots;
        let (mut own, own_end) = self.links_of(first);
        let (start, end) =
            (self.arriving_starts[first as usize] as usize, self.arriving_starts[last as usize + 1] as usize);
        self.chains[start * slots..end * slots].fill(NEVER);
        self.reached[first as usize / 64..=last as usize / 64].fill(0);
        let is_notch = self.is_notch[first as usize];
        let mut vertex = first;
        loop {
            let own_next = if own < own_end { self.links[own].to } else { NO_VERTEX };
            vertex = self.next_reached(vertex + 1, is_notch).min(own_next);
            if vertex > last {
                return;
            }
            let (word, bit) = (vertex as usize / 64, vertex % 64);
            let mut reached = self.reached[word] >> bit & 1 != 0;
            if reached && slots == 1 {
                self.find_prefixes(vertex);
            }
            if vertex == own_next {
                let link = self.links[own];
                if reached && link.weight != 0 && link.least == least {
                    self.links[own].beyond = match slots {
                        1 => (self.prefixes[(link.close - link.place) as usize] + POLYGON_COST).min(NEVER),
                        _ => self.close(first, vertex, link.close as usize),
                    };
                    self.steps[own].cost = self.links[own].cost().min(NEVER);
                }
                let mut cost = NEVER;
                if vertex >= least && self.steps[own].cost < NEVER {
                    cost = self.steps[own].cost;
                    self.chains[link.place as usize * slots] = cost;
                    if slots == 1 && !reached {
                        let count = self.arrivals(vertex).len();
                        self.prefixes[..=count].fill(NEVER);
                    }
                    reached = true;
                }
                own += 1;
                if reached && slots == 1 {
                    // Vertices visible from the first vertex need no test: no chain turns around
                    // the first vertex.
                    self.extend(vertex, last, cost, |_| true);
                }
            } else if slots == 1 {
                let (anchor, point) = (self.at(first), self.at(vertex));
                self.extend(vertex, last, NEVER, |to| PlanPoint::orientation(anchor, point, to) >= 0);
            }
            if reached && slots != 1 {
                self.extend_counted(first, vertex, last);
            }
        }
    }

    /// Returns the first vertex, from `vertex` onwards, where a chain arrives and may continue
    /// although the first vertex has no link to it.
    ///
    /// All corners of a polygon see each other, except corners with others in line between them.
    /// Every pair that includes a notch and sees each other has a link.
    fn next_reached(&self, vertex: u32, from_notch: bool) -> u32 {
        let bits = |word: usize| {
            let unseen = if from_notch || self.slots != 1 { 0 } else { self.convex[word] };
            self.reached[word] & (unseen | self.in_line[word] | if self.slots == 1 { 0 } else { u64::MAX })
        };
        let first = vertex as usize / 64;
        for word in first..self.reached.len() {
            let rest = if word == first { bits(word) >> (vertex % 64) << (vertex % 64) } else { bits(word) };
            if rest != 0 {
                return step32(word) * 64 + rest.trailing_zeros();
            }
        }
        NO_VERTEX
    }

    /// Returns the indices of the chains that arrive at a vertex from the current vertex or a later
    /// one.
    fn arrivals(&self, vertex: u32) -> std::ops::Range<usize> {
        self.arriving_from[vertex as usize] as usize..self.arriving_starts[vertex as usize + 1] as usize
    }

    /// Computes the running minimum of the chains that arrive at a vertex.
    fn find_prefixes(&mut self, vertex: u32) {
        let arrivals = self.arrivals(vertex);
        let mut least = NEVER;
        self.prefixes[0] = NEVER;
        for (prefix, &chain) in self.prefixes[1..].iter_mut().zip(&self.chains[arrivals]) {
            least = least.min(chain);
            *prefix = least;
        }
    }

    /// Extends all chains that end at `vertex`, whose prefixes have been found, to points for which
    /// `fits` is `true`. `direct` is the cost of the link from the first vertex. It has no
    /// branches, because the processor could not predict them.
    fn extend(&mut self, vertex: u32, last: u32, direct: u64, fits: impl Fn(PlanPoint) -> bool) {
        let from = self.arriving_from[vertex as usize];
        let (start, end) = self.links_of(vertex);
        for &Step { to, place, turn, cost } in &self.steps[start..end] {
            if to > last {
                return;
            }
            let least = self.prefixes[turn.saturating_sub(from) as usize].min(direct);
            let may = turn > from && fits(self.points[to as usize]);
            let cost = if may { least + cost } else { NEVER };
            self.chains[place as usize] = cost.min(NEVER);
            self.reached[to as usize / 64] |= u64::from(cost < NEVER) << (to % 64);
        }
    }

    /// Extends all chains that end at `vertex`, with a separate cost for each number of links.
    fn extend_counted(&mut self, first: u32, vertex: u32, last: u32) {
        let (anchor, point) = (self.at(first), self.at(vertex));
        let (slots, mut at) = (self.slots, self.arriving_from[vertex as usize] as usize);
        let (start, end) = self.links_of(vertex);
        self.running.clear();
        self.running.resize(slots, NEVER);
        for &Step { to, place, turn, cost } in &self.steps[start..end] {
            if to > last {
                return;
            }
            let turn = turn as usize;
            if at < turn {
                for chains in self.chains[at * slots..turn * slots].chunks_exact(slots) {
                    for (least, &chain) in self.running.iter_mut().zip(chains) {
                        *least = chain.min(*least);
                    }
                }
                at = turn;
            }
            if cost < NEVER
                && PlanPoint::orientation(anchor, point, self.points[to as usize]) >= 0
                && self.running.iter().any(|&least| least < NEVER)
            {
                self.reached[to as usize / 64] |= 1 << (to % 64);
                let chains = &mut self.chains[place as usize * slots..][..slots];
                // Extended chains have one link more.
                for (chain, &least) in chains[1..].iter_mut().zip(&self.running) {
                    *chain = (least + cost).min(NEVER);
                }
            }
        }
    }

    /// Returns the indices of the chains that end at `last` and can be closed to `first`.
    fn closing(&self, first: u32, last: u32, end: usize) -> std::ops::Range<usize> {
        let from = self.arriving_from[last as usize] as usize;
        let own = self.arriving.get(from).is_some_and(|&link| self.links[link as usize].from == first);
        from + usize::from(own)..end
    }

    /// Returns the cost of the best polygon on the portal from `first` to `last` and of all
    /// polygons beyond it.
    fn close(&self, first: u32, last: u32, end: usize) -> u64 {
        let places = self.closing(first, last, end);
        let chains = self.chains.get(places.start * self.slots..places.end * self.slots).unwrap_or_default();
        chains.iter().min().map_or(NEVER, |&least| (least + POLYGON_COST).min(NEVER))
    }

    /// Returns the polygons of the best decomposition, after [`Exact::solve`] has found one: their
    /// corners in positive order, in the caller's numbers.
    pub(crate) fn polygons(&mut self) -> impl Iterator<Item = &[u32]> {
        self.corners.clear();
        self.ends.clear();
        let count = step32(self.points.len());
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push((0, count - 1));
        // `arriving_from` now includes every link. A run from a vertex must not use links of
        // earlier vertices.
        while let Some((first, last)) = stack.pop() {
            self.exclude_before(first, last);
            let own = self.links_of(first);
            let link = self.links[own.0..own.1].iter().find(|link| link.to == last);
            let (least, end) =
                link.map_or((0, self.arriving.len()), |link| (link.least, link.close as usize));
            self.run(first, last, least);
            self.trace(first, last, end, &mut stack);
        }
        self.stack = stack;
        let turned = self.turned;
        let count = self.points.len();
        for corner in &mut self.corners {
            *corner = step32((*corner as usize + turned) % count);
        }
        let (corners, ends) = (&self.corners, &self.ends);
        ends.iter().enumerate().map(move |(polygon, &end)| {
            let start = if polygon == 0 { 0 } else { ends[polygon - 1] };
            &corners[start as usize..end as usize]
        })
    }

    /// Excludes links from vertices before `first`, for vertices up to `last`.
    fn exclude_before(&mut self, first: u32, last: u32) {
        for vertex in first as usize..=last as usize {
            let (start, end) = (self.arriving_starts[vertex], self.arriving_starts[vertex + 1]);
            let skipped = self.arriving[start as usize..end as usize]
                .partition_point(|&link| self.links[link as usize].from < first);
            self.arriving_from[vertex] = start + step32(skipped);
        }
    }

    /// Adds the corners of the polygon on the portal from `first` to `last` to the result, and its
    /// other portals to `stack`.
    fn trace(&mut self, first: u32, last: u32, end: usize, stack: &mut Vec<(u32, u32)>) {
        let slots = self.slots;
        let places = self.closing(first, last, end);
        let best = (places.start * slots..places.end * slots).min_by_key(|&at| self.chains[at]);
        let Some(mut at) = best else { return };
        self.corners.push(last);
        loop {
            let value = self.chains[at];
            let link = self.links[self.arriving[at / slots] as usize];
            self.corners.push(link.from);
            if link.weight != 0 {
                stack.push((link.from, link.to));
            }
            if link.from == first || value >= NEVER {
                break;
            }
            let wanted = value - link.cost();
            let from = self.arriving_from[link.from as usize] as usize;
            let mut before = (from..link.turn as usize).map(|place| place * slots + at % slots);
            // The chain before has one link less, if links are counted.
            let back = usize::from(slots > 1);
            let Some(found) = before.find(|&before| self.chains[before - back] == wanted) else { break };
            at = found - back;
        }
        let start = self.ends.last().copied().unwrap_or(0) as usize;
        self.corners[start..].reverse();
        self.ends.push(step32(self.corners.len()));
    }
}

/// Returns a key that orders points along any line.
fn key(point: PlanPoint) -> (i32, i32) {
    (point.x, point.z)
}

/// Converts a small number to 32 bits without a check, because this is a hot loop.
fn step32(step: usize) -> u32 {
    to_u32(step)
}

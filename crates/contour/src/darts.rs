//! Darts: both sides of every arc, and their order around regions.

use waymesh_core::{Direction, NO_REGION, PlanPoint, PlanVertex, RegionId, checkpoint, checkpoint_every};

use crate::ContourError;
use crate::chains::{BorderChains, Chain};

/// Sentinel for a missing piece or number.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// One side of an arc, walked with its region on the positive side. The left dart runs from the
/// arc's start to its end, and the right one runs back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dart(u32);

impl Dart {
    pub(crate) fn arc(self) -> u32 {
        self.0 / 2
    }

    pub(crate) fn is_right(self) -> bool {
        self.0 % 2 == 1
    }

    fn side(self) -> usize {
        usize::from(self.is_right())
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Key of a side of a span, unique within its region: `(z, x)` of its column and the direction, in
/// the order in which half-edges are numbered.
type SideKey = u64;

/// Returns the key of side `side` of the span along which a step from `point` runs.
#[expect(clippy::cast_sign_loss, reason = "an order among columns of the grid")]
fn side_key(point: PlanPoint, side: Direction) -> SideKey {
    let (dx, dz) = match side {
        Direction::NegX => (0, -1),
        Direction::PosZ => (-1, -1),
        Direction::PosX => (-1, 0),
        Direction::NegZ => (0, 0),
    };
    let (x, z) = (point.x.wrapping_add(dx) as u32, point.z.wrapping_add(dz) as u32);
    // Coordinates have 30 bits.
    (u64::from(z) << 34) | (u64::from(x) << 2) | side.index() as u64
}

/// A chain of a part, and data computed from its steps.
#[derive(Clone, Copy, Debug)]
struct Piece {
    part: u32,
    chain: u32,
    arc: u32,
    starts_at_junction: bool,
    ends_at_junction: bool,
    /// Regions on the left and on the right.
    regions: [u32; 2],
    /// Successors of the left side at the end and of the right side at the start.
    after: [Target; 2],
    start: PlanPoint,
    end: PlanPoint,
    /// Height of the first vertex.
    height: f32,
    /// The first side along the left, and along the right in the reverse direction.
    first: [SideKey; 2],
    /// The lowest sides. When arcs are known, the first piece of an arc holds the lowest sides and
    /// the area of the whole arc.
    lowest: [SideKey; 2],
    /// Sum over `x dz - z dx`.
    area: i64,
}

/// An arc as a run of pieces.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    last: u32,
    is_closed: bool,
}

/// A closed chain of darts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) region: RegionId,
    pub(crate) is_outer: bool,
    /// The first dart that begins at or after the lowest side.
    pub(crate) start: Dart,
    lowest: SideKey,
}

/// The left side of an arc that begins with a piece, or the right side of the arc that ends with
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Target(u32);

impl Target {
    const OPEN: Self = Self(NO_INDEX);

    fn piece(self) -> usize {
        self.0 as usize / 2
    }

    fn is_right(self) -> bool {
        self.0 % 2 == 1
    }

    fn side(self) -> usize {
        usize::from(self.is_right())
    }
}

/// All arcs, and the order of their sides.
#[derive(Debug)]
pub(crate) struct Darts {
    pieces: Vec<Piece>,
    runs: Vec<Run>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

#[expect(clippy::cast_possible_truncation, reason = "the number of pieces is checked")]
impl Darts {
    pub(crate) fn new(parts: &[BorderChains]) -> Result<Self, ContourError> {
        let count: usize = parts.iter().map(|part| part.chains.len()).sum();
        if count >= (NO_INDEX / 2) as usize {
            return Err(ContourError::BorderTooLong { steps: count, limit: (NO_INDEX / 2) as usize });
        }
        let mut pieces: Vec<Piece> = Vec::with_capacity(count);
        for (number, part) in parts.iter().enumerate() {
            checkpoint();
            let base = pieces.len() as u32;
            pieces.extend((0..part.chains.len()).map(|chain| Piece::new(part, number as u32, chain, base)));
        }
        Self::join_parts(&mut pieces, parts)?;
        let runs = Self::runs(&mut pieces, parts)?;
        let darts = 2 * runs.len();
        let mut darts = Self { next: vec![NO_INDEX; darts], previous: vec![NO_INDEX; darts], pieces, runs };
        for arc in 0..darts.runs.len() as u32 {
            darts.link(parts, Dart(2 * arc))?;
            if darts.pieces[darts.runs[arc as usize].first as usize].is_shared() {
                darts.link(parts, Dart(2 * arc + 1))?;
            }
        }
        Ok(darts)
    }

    /// Finds the successors of the pieces that end where a part ends. The search is by region and
    /// side, among the sides without a predecessor in their own part.
    fn join_parts(pieces: &mut [Piece], parts: &[BorderChains]) -> Result<(), ContourError> {
        let mut led_to = vec![false; 2 * pieces.len()];
        for piece in &*pieces {
            for after in piece.after.into_iter().filter(|&after| after != Target::OPEN) {
                led_to[after.0 as usize] = true;
            }
        }
        let mut index = Vec::new();
        for (number, piece) in (0_u32..).zip(&*pieces) {
            let has_right = piece.is_shared() && piece.ends_at_junction;
            for side in 0..1 + u32::from(has_right) {
                let target = Target(2 * number + side);
                if !led_to[target.0 as usize] {
                    index.push((piece.regions[side as usize], piece.first[side as usize], target));
                }
            }
        }
        index.sort_unstable();
        if let Some(twice) = index.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            return Err(ContourError::BorderTwice { region: RegionId(twice[0].0) });
        }
        for piece in pieces {
            for side in [0, 1] {
                if piece.after[side] == Target::OPEN && piece.goes_on(side) {
                    let (region, point) = (piece.regions[side], piece.ends(side));
                    let wanted = (region, piece.wanted(side, parts));
                    let place = index.binary_search_by(|&(region, side, _)| (region, side).cmp(&wanted));
                    piece.after[side] = index[place.map_err(|_| open(region, point))?].2;
                }
            }
        }
        Ok(())
    }

    /// Joins pieces to arcs: first the arcs that begin at a junction, then the closed ones.
    fn runs(pieces: &mut [Piece], parts: &[BorderChains]) -> Result<Vec<Run>, ContourError> {
        let mut runs = Vec::new();
        for is_closed in [false, true] {
            for first in 0..pieces.len() {
                checkpoint_every(1 << 14, first);
                let head = &pieces[first];
                if head.arc != NO_INDEX || head.starts_at_junction == is_closed {
                    continue;
                }
                let regions = head.regions;
                let broken = |piece: &Piece| Err(open(regions[0], piece.end));
                let (mut current, mut lowest, mut area) = (first, [SideKey::MAX; 2], 0_i64);
                let last = loop {
                    let piece = &mut pieces[current];
                    if piece.arc != NO_INDEX || piece.regions != regions {
                        return broken(piece);
                    }
                    piece.arc = runs.len() as u32;
                    area = area.wrapping_add(piece.area);
                    lowest = [0, 1].map(|side: usize| lowest[side].min(piece.lowest[side]));
                    if piece.ends_at_junction {
                        break current;
                    }
                    let (next, wanted) = (piece.after[0], piece.wanted(0, parts));
                    let is_next = |piece: &Piece| {
                        !next.is_right() && !piece.starts_at_junction && piece.first[0] == wanted
                    };
                    if !pieces.get(next.piece()).is_some_and(is_next) {
                        return broken(&pieces[current]);
                    }
                    if is_closed && next.piece() == first {
                        break current;
                    }
                    current = next.piece();
                };
                if pieces[last].ends_at_junction == is_closed {
                    return broken(&pieces[last]);
                }
                (pieces[first].lowest, pieces[first].area) = (lowest, area);
                runs.push(Run { first: first as u32, last: last as u32, is_closed });
            }
        }
        Ok(runs)
    }

    /// Sets the successor of `dart`.
    fn link(&mut self, parts: &[BorderChains], dart: Dart) -> Result<(), ContourError> {
        let run = &self.runs[dart.arc() as usize];
        let piece = &self.pieces[if dart.is_right() { run.first } else { run.last } as usize];
        let (side, after) = (dart.side(), piece.after[dart.side()]);
        let next = if run.is_closed {
            Some(dart)
        } else {
            let (region, wanted) = (piece.regions[side], piece.wanted(side, parts));
            let begins = |next: &&Piece| {
                let is_begin = if after.is_right() { next.ends_at_junction } else { next.starts_at_junction };
                is_begin && (next.regions[after.side()], next.first[after.side()]) == (region, wanted)
            };
            let next = self.pieces.get(after.piece()).filter(begins);
            next.map(|next| Dart(2 * next.arc + u32::from(after.is_right())))
        };
        let Some(next) = next.filter(|next| self.previous[next.index()] == NO_INDEX) else {
            return Err(open(piece.regions[side], piece.ends(side)));
        };
        self.previous[next.index()] = dart.0;
        self.next[dart.index()] = next.0;
        Ok(())
    }

    /// Returns all loops, sorted by region, outer loops first, then by their lowest side.
    pub(crate) fn loops(&self) -> Result<Vec<Loop>, ContourError> {
        let mut loops = Vec::new();
        let mut seen = vec![false; self.next.len()];
        for first in 0..self.next.len() as u32 {
            checkpoint_every(1 << 14, first as usize);
            if seen[first as usize] || self.next[first as usize] == NO_INDEX {
                continue;
            }
            let (mut dart, mut area, mut lowest) = (Dart(first), 0_i64, (SideKey::MAX, Dart(first)));
            loop {
                seen[dart.index()] = true;
                let piece = &self.pieces[self.first_piece(dart) as usize];
                area = area.wrapping_add(if dart.is_right() { -piece.area } else { piece.area });
                let key = piece.lowest[dart.side()];
                if key < lowest.0 {
                    lowest = (key, dart);
                }
                dart = self.next(dart);
                if dart.0 == first {
                    break;
                }
            }
            // The loop starts at the lowest side if that is at a junction.
            let start = if lowest.0 == self.first_side(lowest.1) { lowest.1 } else { self.next(lowest.1) };
            let region = RegionId(self.region(lowest.1));
            loops.push(Loop { region, is_outer: area > 0, start, lowest: lowest.0 });
        }
        loops.sort_unstable_by_key(|found| (found.region, !found.is_outer, found.lowest));
        let twice = loops.windows(2).find(|pair| {
            (pair[0].region, pair[0].is_outer, pair[0].lowest)
                == (pair[1].region, pair[1].is_outer, pair[1].lowest)
        });
        twice.map_or(Ok(()), |twice| Err(ContourError::BorderTwice { region: twice[0].region }))?;
        Ok(loops)
    }

    fn region(&self, dart: Dart) -> u32 {
        self.pieces[self.first_piece(dart) as usize].regions[dart.side()]
    }

    /// Returns the first side along `dart`.
    fn first_side(&self, dart: Dart) -> SideKey {
        let run = &self.runs[dart.arc() as usize];
        let piece = if dart.is_right() { run.last } else { run.first };
        self.pieces[piece as usize].first[dart.side()]
    }

    pub(crate) fn arc_count(&self) -> usize {
        self.runs.len()
    }

    /// Returns the part and the chain of a piece.
    pub(crate) fn piece(&self, piece: u32) -> (usize, usize) {
        let piece = &self.pieces[piece as usize];
        (piece.part as usize, piece.chain as usize)
    }

    /// Returns the first piece of the arc of `dart`.
    pub(crate) fn first_piece(&self, dart: Dart) -> u32 {
        self.runs[dart.arc() as usize].first
    }

    /// Returns the piece after `piece`, which must not be the last of its arc.
    pub(crate) fn successor(&self, piece: u32) -> u32 {
        self.pieces[piece as usize].after[0].piece() as u32
    }

    /// Returns `true` if the arc has no junction.
    pub(crate) fn is_closed(&self, dart: Dart) -> bool {
        self.runs[dart.arc() as usize].is_closed
    }

    /// Returns the last piece of the arc of `dart`.
    pub(crate) fn last_piece(&self, dart: Dart) -> u32 {
        self.runs[dart.arc() as usize].last
    }

    /// Returns the vertex where the arc begins.
    pub(crate) fn start(&self, arc: u32) -> PlanVertex {
        let piece = &self.pieces[self.runs[arc as usize].first as usize];
        PlanVertex { point: piece.start, height: piece.height }
    }

    pub(crate) fn next(&self, dart: Dart) -> Dart {
        Dart(self.next[dart.index()])
    }

    pub(crate) fn previous(&self, dart: Dart) -> Dart {
        Dart(self.previous[dart.index()])
    }

    /// Returns the dart on the other side of the arc, `None` at a wall.
    pub(crate) fn twin(&self, dart: Dart) -> Option<Dart> {
        let twin = Dart(dart.0 ^ 1);
        (self.next[twin.index()] != NO_INDEX).then_some(twin)
    }
}

impl Piece {
    /// Creates a piece from chain number `chain` of `part`, which is part `number`. The pieces of
    /// the part begin at `base`.
    fn new(part: &BorderChains, number: u32, chain: usize, base: u32) -> Self {
        let own = &part.chains[chain];
        let (start, regions) = (own.start, [own.left, own.right]);
        let is_shared = own.right != NO_REGION;
        let (mut point, mut last, mut area) = (start, Direction::NegX, 0_i64);
        let mut lowest = [SideKey::MAX; 2];
        let steps = &part.steps[part.range(chain)];
        for &step in steps {
            last = Direction::from_index(usize::from(step));
            let end = step_from(point, step);
            area = area
                .wrapping_add(i64::from(point.x) * i64::from(end.z) - i64::from(point.z) * i64::from(end.x));
            lowest[0] = lowest[0].min(side_key(point, last));
            if is_shared {
                lowest[1] = lowest[1].min(side_key(end, last.opposite()));
            }
            point = end;
        }
        let first = steps.first().map_or(last, |&step| Direction::from_index(usize::from(step)));
        let after =
            own.links.map(|link| if link == NO_INDEX { Target::OPEN } else { Target(2 * base + link) });
        #[expect(clippy::cast_possible_truncation, reason = "the number of pieces is checked")]
        let chain = chain as u32;
        Self {
            part: number,
            chain,
            arc: NO_INDEX,
            starts_at_junction: own.starts_at_junction,
            ends_at_junction: own.ends_at_junction,
            regions,
            after,
            start,
            end: point,
            height: part.heights.get(own.first as usize).copied().unwrap_or(0.0),
            first: [side_key(start, first), side_key(point, last.opposite())],
            lowest,
            area,
        }
    }

    /// Returns `true` if a side has a successor. The right side ends at the start of the piece. It
    /// has a successor, in another arc, only if another region lies there and the piece starts at a
    /// junction.
    fn goes_on(&self, side: usize) -> bool {
        side == 0 || (self.is_shared() && self.starts_at_junction)
    }

    /// Returns the point where a side ends.
    fn ends(&self, side: usize) -> PlanPoint {
        if side == 0 { self.end } else { self.start }
    }

    /// Returns the side with which the successor of a side begins.
    fn wanted(&self, side: usize, parts: &[BorderChains]) -> SideKey {
        let chain = self.chain_in(parts);
        side_key(self.ends(side), if side == 0 { chain.next_left } else { chain.next_right })
    }

    fn chain_in<'a>(&self, parts: &'a [BorderChains]) -> &'a Chain {
        &parts[self.part as usize].chains[self.chain as usize]
    }

    fn is_shared(&self) -> bool {
        self.regions[1] != NO_REGION
    }
}

fn open(region: u32, point: PlanPoint) -> ContourError {
    ContourError::OpenBorder { region: RegionId(region), point }
}

/// Returns the end point of the step along side `side` of a span. Its region lies on the positive
/// side.
#[inline]
pub(crate) fn step_from(point: PlanPoint, side: u8) -> PlanPoint {
    // A quarter turn from the outward direction.
    let (x, z) = Direction::from_index(usize::from(side)).previous().offset();
    PlanPoint::new(point.x.wrapping_add(x), point.z.wrapping_add(z))
}

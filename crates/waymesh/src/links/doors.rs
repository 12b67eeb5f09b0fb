//! Doors, stairs and lifts as links: which polygons their ends lie on.

use std::sync::Arc;

use waymesh_core::{
    Bounds, BoxTree, PlanPoint, PlanVertex, PolyId, PolyMesh, checkpoint_every, float, saturating_i32,
};
use waymesh_floorplan::{
    DoorLine, FloorPlan, Landing, Lift, NoteKind, PlanBase, PlanError, PlanNote, PlanPosition, Stairs,
};
use waymesh_graph::{Link, LinkEnd, LinkKind};

use crate::bake::closest;

/// Largest distance in cells of a point that splits a slanted border from it; enough to split every
/// edge.
pub(crate) const SHIFT_CELLS: f64 = 1.5;

/// Largest distance in cells of a corner of the ground from the line of the door that cuts it. Both
/// were rounded, the cut is a cell longer, and a vertex that splits an edge between them may lie
/// [`SHIFT_CELLS`] off it.
const DOOR_SLACK: f64 = 3.0 + SHIFT_CELLS;

/// Number of parallel lines that are tried on each side of a landing's line.
const TRIES: i32 = 16;

/// By how much stairs must be wider than the agent, in metres.
const MORE_THAN_AGENT: f64 = 0.01;

/// Shortest piece of a landing that becomes a separate link, in cells.
const SHORTEST: f64 = 4.0;

/// All links of a plan. Portals across doors are taken out of the polygons. Regions have a storey,
/// and the doors in whose openings they lie.
pub(crate) fn all(
    plan: &FloorPlan,
    base: &PlanBase,
    polygons: &mut PolyMesh,
    (storeys, openings): (&[usize], &[Vec<usize>]),
    notes: &mut Vec<PlanNote>,
) -> Result<Vec<Link>, PlanError> {
    let mut links = doors(polygons, openings, base, notes);
    let places = Places::new(base, polygons, storeys);
    for (number, stairs) in (0..).zip(&plan.stairs) {
        links.extend(places.stairs(number, stairs, notes)?);
    }
    for (number, lift) in (0..).zip(&plan.lifts) {
        links.extend(places.lift(number, lift, notes)?);
    }
    Ok(links)
}

/// Returns the door on whose line an edge lies: one in whose opening the ground of one side lies,
/// and not that of the other. The first of several.
pub(crate) fn door_at(
    lines: &[DoorLine],
    [one, other]: [&[usize]; 2],
    ends: [PlanPoint; 2],
) -> Option<usize> {
    let only = |own: &'_ [usize], other: &'_ [usize]| -> Option<usize> {
        let is_here =
            |door: &&usize| !other.contains(door) && ends.iter().all(|&end| on_line(lines[**door].ends, end));
        own.iter().find(is_here).copied()
    };
    [only(one, other), only(other, one)].into_iter().flatten().min()
}

/// The link through a door, from the polygon on the one side of an edge to that on the other.
pub(crate) fn door_link(
    doors: &[DoorLine],
    door: usize,
    polygons: [PolyId; 2],
    ends: [PlanVertex; 2],
) -> Link {
    let [from, to] = polygons.map(|polygon| LinkEnd { polygon, ends });
    let mut link = Link::new(from, to, LinkKind::Door);
    link.extra_cost = doors[door].cost;
    link.data = u32::try_from(door).unwrap_or(u32::MAX);
    link
}

/// Returns the note about a door that lies on no edge between two polygons.
pub(crate) fn leads_nowhere(base: &PlanBase, door: &DoorLine) -> PlanNote {
    let [a, b] = door.ends.map(<[f64; 2]>::from);
    let width = float::hypot(b[0] - a[0], b[1] - a[1]) * f64::from(base.frame().cell_size);
    let kind = NoteKind::DoorLeadsNowhere { width, needed: 2.0 * base.config().radius };
    PlanNote { element: door.name.clone(), kind }
}

/// Cuts the mesh along the doors. Returns a link for each portal that was cut.
fn doors(
    polygons: &mut PolyMesh,
    openings: &[Vec<usize>],
    base: &PlanBase,
    notes: &mut Vec<PlanNote>,
) -> Vec<Link> {
    let doors = base.doors();
    let mut links = Vec::new();
    let mut is_used = vec![false; doors.len()];
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        checkpoint_every(1 << 10, id.index());
        let range = polygons.corner_range(id);
        let region = polygons.polygons[id.index()].region;
        for edge in range.clone() {
            let Some(neighbour) = polygons.neighbours[edge] else { continue };
            let beyond = polygons.polygons[neighbour.index()].region;
            let next = if edge + 1 == range.end { range.start } else { edge + 1 };
            let ends = [polygons.corners[edge], polygons.corners[next]]
                .map(|vertex| polygons.vertices[vertex.index()]);
            let points = ends.map(|end| end.point);
            let sides = [region, beyond].map(|region| &*openings[region.index()]);
            let Some(door) = door_at(doors, sides, points) else { continue };
            is_used[door] = true;
            polygons.neighbours[edge] = None;
            if id < neighbour {
                links.push(door_link(doors, door, [id, neighbour], ends));
            }
        }
    }
    let nowhere = doors.iter().zip(is_used).filter(|(_, is_used)| !is_used);
    notes.extend(nowhere.map(|(door, _)| leads_nowhere(base, door)));
    links
}

fn on_line(ends: [PlanPoint; 2], point: PlanPoint) -> bool {
    let [a, b] = ends.map(<[f64; 2]>::from);
    let p = <[f64; 2]>::from(point);
    let line = [b[0] - a[0], b[1] - a[1]];
    let length = float::hypot(line[0], line[1]);
    let from = [p[0] - a[0], p[1] - a[1]];
    let along = (from[0] * line[0] + from[1] * line[1]) / length;
    let beside = (from[0] * line[1] - from[1] * line[0]) / length;
    beside.abs() <= DOOR_SLACK && (-DOOR_SLACK..=length + DOOR_SLACK).contains(&along)
}

/// A piece of a segment on one polygon, as fractions of its length.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    polygon: PolyId,
    range: [f64; 2],
}

/// A segment on the ground, in cells.
#[derive(Clone, Debug)]
struct Footing {
    ends: [[f64; 2]; 2],
    stretches: Vec<Stretch>,
}

impl Footing {
    fn at(&self, t: f64) -> [f64; 2] {
        let [a, b] = self.ends;
        [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
    }

    fn length(&self) -> f64 {
        let [a, b] = self.ends;
        float::hypot(b[0] - a[0], b[1] - a[1])
    }

    fn covered(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.range[1] - stretch.range[0]).sum()
    }
}

/// The polygons of each storey, to find the ground under the ends of stairs and lifts.
pub(crate) struct Places<'a> {
    base: &'a PlanBase,
    polygons: &'a PolyMesh,
    by_storey: Vec<(Vec<PolyId>, BoxTree)>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(base: &'a PlanBase, polygons: &'a PolyMesh, storeys: &[usize]) -> Self {
        let mut by_storey = vec![(Vec::new(), Vec::new()); base.storey_names().len()];
        for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
            let points = polygons.corners(id).iter().map(|&vertex| polygons.point(vertex));
            let (ids, boxes) = &mut by_storey[storeys[polygons.polygons[id.index()].region.index()]];
            ids.push(id);
            boxes.push(Bounds::in_plan(points, 0.0));
        }
        let by_storey = by_storey.into_iter().map(|(ids, boxes)| (ids, BoxTree::from_iter(boxes))).collect();
        Self { base, polygons, by_storey }
    }

    /// Links of stairs.
    pub(crate) fn stairs(
        &self,
        number: u32,
        stairs: &Stairs,
        notes: &mut Vec<PlanNote>,
    ) -> Result<Vec<Link>, PlanError> {
        let element: Arc<str> = format!("stairs {:?}", stairs.name).into();
        check_cost(&element, stairs.cost)?;
        let (width, needed) = (stairs.width(), 2.0 * self.base.config().radius);
        // Shorter lines are no stairs at all.
        let cell = f64::from(self.base.frame().cell_size);
        if (cell..=needed + MORE_THAN_AGENT).contains(&width) {
            let kind = NoteKind::StairsTooNarrow { width, needed };
            notes.push(PlanNote { element, kind });
            return Ok(Vec::new());
        }
        let mut footings = Vec::new();
        for landing in [&stairs.from, &stairs.to] {
            let storey = self.base.storey_of(&element, &landing.storey)?;
            match self.footing(&element, storey, landing)? {
                Some(footing) => footings.push((footing, self.base.height(storey)?)),
                None => self.report(&element, &landing.storey, notes),
            }
        }
        let [(from, from_height), (to, to_height)] = &footings[..] else { return Ok(Vec::new()) };
        let mut links = Vec::new();
        for a in &from.stretches {
            for b in &to.stretches {
                let (low, high) = (a.range[0].max(b.range[0]), a.range[1].min(b.range[1]));
                if (high - low) * from.length().min(to.length()) < SHORTEST {
                    continue;
                }
                let end = |footing: &Footing, polygon: PolyId, height: f32| {
                    let [low, high] = [low, high].map(|at| self.point_on(polygon, footing.at(at)));
                    Some(LinkEnd { polygon, ends: [low?, high?].map(|point| PlanVertex { point, height }) })
                };
                let ends = end(from, a.polygon, *from_height).zip(end(to, b.polygon, *to_height));
                links.extend(ends.map(|(start, end)| Link::new(start, end, LinkKind::Step)));
            }
        }
        if links.is_empty() {
            // The two lines have no part in common that is wide enough: from the middle of one to the middle
            // of the other.
            let middle = |footing: &Footing, height: f32| {
                let widest = footing
                    .stretches
                    .iter()
                    .max_by(|a, b| (a.range[1] - a.range[0]).total_cmp(&(b.range[1] - b.range[0])))?;
                let at = footing.at(f64::midpoint(widest.range[0], widest.range[1]));
                let point = PlanVertex { point: self.point_on(widest.polygon, at)?, height };
                Some(LinkEnd { polygon: widest.polygon, ends: [point; 2] })
            };
            let ends = middle(from, *from_height).zip(middle(to, *to_height));
            links.extend(ends.map(|(start, end)| Link::new(start, end, LinkKind::Step)));
        }
        for link in &mut links {
            link.both_ways = stairs.both_ways;
            link.extra_cost = stairs.cost;
            link.data = number;
        }
        Ok(links)
    }

    /// Links of a lift.
    pub(crate) fn lift(
        &self,
        number: u32,
        lift: &Lift,
        notes: &mut Vec<PlanNote>,
    ) -> Result<Vec<Link>, PlanError> {
        let element: Arc<str> = format!("lift {:?}", lift.name).into();
        check_cost(&element, lift.cost)?;
        let mut stops = Vec::new();
        for stop in &lift.stops {
            let storey = self.base.storey_of(&element, &stop.storey)?;
            check_finite(&element, "at", stop.at)?;
            match self.nearest(storey, cells_of(self.base, stop.at)) {
                Some((polygon, point)) => {
                    let vertex = PlanVertex { point, height: self.base.height(storey)? };
                    stops.push(LinkEnd { polygon, ends: [vertex; 2] });
                }
                None => self.report(&element, &stop.storey, notes),
            }
        }
        let mut links = Vec::new();
        for (index, &from) in stops.iter().enumerate() {
            for &to in &stops[index + 1..] {
                let mut link = Link::new(from, to, LinkKind::Lift);
                link.extra_cost = lift.cost;
                link.data = number;
                links.push(link);
            }
        }
        Ok(links)
    }

    fn reach(&self) -> f64 {
        let config = self.base.config();
        config.radius + config.link_reach
    }

    fn report(&self, element: &Arc<str>, storey: &str, notes: &mut Vec<PlanNote>) {
        let kind = NoteKind::NoGroundNear { storey: storey.to_owned(), reach: self.reach() };
        notes.push(PlanNote { element: element.clone(), kind });
    }

    /// The line nearest to that of a landing, moved to its side, that has ground under at least half of
    /// what the best one has. The agent's radius is cut off at both ends, where the stairs have sides.
    fn footing(
        &self,
        element: &Arc<str>,
        storey: usize,
        landing: &Landing,
    ) -> Result<Option<Footing>, PlanError> {
        for end in landing.line {
            check_finite(element, "line", end)?;
        }
        let [a, b] = landing.line.map(|end| cells_of(self.base, end));
        let line = [b[0] - a[0], b[1] - a[1]];
        let length = float::hypot(line[0], line[1]);
        let cell = f64::from(self.base.frame().cell_size);
        if length < 1.0 {
            let (element, value) = (element.clone(), length * cell);
            let field = format!("length of the line on storey {:?}", landing.storey);
            return Err(PlanError::BadNumber { element, field, value, expected: "at least a cell" });
        }
        let free = length - 2.0 * self.base.config().radius / cell;
        let free = f64::min(length, f64::max(free, SHORTEST + 1.0));
        let cut = (length - free) / 2.0 / length;
        let [a, b] = [(a, line), (b, line.map(|side| -side))]
            .map(|(end, inward)| [end[0] + inward[0] * cut, end[1] + inward[1] * cut]);
        let reach = self.reach() / cell;
        let mut tries: Vec<(f64, Footing)> = Vec::new();
        for number in 0..=2 * TRIES {
            // 0, 1, -1, 2, -2 ...
            let steps = f64::from((number + 1) / 2) * if number % 2 == 1 { 1.0 } else { -1.0 };
            let aside = steps * reach / f64::from(TRIES);
            let moved =
                [a, b].map(|end| [end[0] - line[1] / length * aside, end[1] + line[0] / length * aside]);
            let footing = Footing { ends: moved, stretches: self.stretches(storey, moved) };
            tries.push((footing.covered(), footing));
        }
        let best = tries.iter().map(|(covered, _)| *covered).fold(0.0, f64::max);
        if best * free < SHORTEST {
            return Ok(None);
        }
        Ok(tries.into_iter().find(|(covered, _)| *covered >= best / 2.0).map(|(_, footing)| footing))
    }

    /// Returns the polygons of a storey whose boxes are within `margin` of that of some places, in
    /// cells.
    fn near<const N: usize>(
        &self,
        storey: usize,
        places: [[f64; 2]; N],
        margin: f64,
    ) -> impl Iterator<Item = PolyId> {
        let (polygons, boxes) = &self.by_storey[storey];
        boxes.overlapping(Bounds::in_plan(places, margin)).map(|index| polygons[index])
    }

    /// Returns the stretches of a segment on polygons, in order, without repeats.
    fn stretches(&self, storey: usize, ends: [[f64; 2]; 2]) -> Vec<Stretch> {
        let near = self.near(storey, ends, 0.0);
        let mut found: Vec<Stretch> =
            near.filter_map(|polygon| Some(Stretch { polygon, range: self.clip(polygon, ends)? })).collect();
        found.sort_by(|a, b| a.range[0].total_cmp(&b.range[0]).then(a.polygon.cmp(&b.polygon)));
        let mut end = 0.0;
        found.retain_mut(|stretch| {
            stretch.range[0] = f64::max(stretch.range[0], end);
            let is_left = stretch.range[1] > stretch.range[0] + 1e-9;
            if is_left {
                end = stretch.range[1];
            }
            is_left
        });
        found
    }

    /// The part of a segment that lies on a polygon (Cyrus and Beck 1978).
    fn clip(&self, polygon: PolyId, [from, to]: [[f64; 2]; 2]) -> Option<[f64; 2]> {
        let corners = self.polygons.corners(polygon);
        let mut range = [0.0_f64, 1.0_f64];
        for (index, &vertex) in corners.iter().enumerate() {
            let next = corners[(index + 1) % corners.len()];
            let [a, b] = [vertex, next].map(|vertex| <[f64; 2]>::from(self.polygons.point(vertex)));
            let side = |p: [f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            let (start, end) = (side(from), side(to));
            if start < 0.0 && end < 0.0 {
                return None;
            }
            if start < 0.0 {
                range[0] = range[0].max(start / (start - end));
            } else if end < 0.0 {
                range[1] = range[1].min(start / (start - end));
            }
        }
        (range[1] > range[0]).then_some(range)
    }

    /// A point of the grid on the polygon, near to a place on it.
    fn point_on(&self, polygon: PolyId, [x, z]: [f64; 2]) -> Option<PlanPoint> {
        let middle = PlanPoint::new(saturating_i32(x.round()), saturating_i32(z.round()));
        let mut candidates: Vec<PlanPoint> = (-MAX_OFFSET_CELLS..=MAX_OFFSET_CELLS)
            .flat_map(|dx| {
                (-MAX_OFFSET_CELLS..=MAX_OFFSET_CELLS)
                    .map(move |dz| PlanPoint::new(middle.x + dx, middle.z + dz))
            })
            .collect();
        candidates.sort_by_key(|point| (point.distance_squared(middle), *point));
        candidates.into_iter().find(|&point| self.has(polygon, point))
    }

    fn has(&self, polygon: PolyId, point: PlanPoint) -> bool {
        let corners = self.polygons.corners(polygon);
        let at = |index: usize| self.polygons.point(corners[index % corners.len()]);
        (0..corners.len()).all(|edge| PlanPoint::orientation(at(edge), at(edge + 1), point) >= 0)
    }

    /// The polygon of a storey that is nearest to a place, and a point on it, within reach.
    fn nearest(&self, storey: usize, place: [f64; 2]) -> Option<(PolyId, PlanPoint)> {
        let reach = self.reach() / f64::from(self.base.frame().cell_size);
        let near = self
            .near(storey, [place], reach)
            .map(|polygon| (polygon, closest(self.polygons, polygon, place)));
        let (polygon, (_, at)) = near
            .filter(|(_, (distance, _))| *distance <= reach)
            .min_by(|(one, (d, _)), (other, (e, _))| d.total_cmp(e).then(one.cmp(other)))?;
        let fallback = || self.polygons.corners(polygon).first().map(|&vertex| self.polygons.point(vertex));
        Some((polygon, self.point_on(polygon, at).or_else(fallback)?))
    }
}

/// A position in cells.
fn cells_of(base: &PlanBase, [x, z]: PlanPosition) -> [f64; 2] {
    let frame = base.frame();
    let axis = |value: f64, origin: f32| (value - f64::from(origin)) / f64::from(frame.cell_size);
    [axis(x, frame.origin.x), axis(z, frame.origin.z)]
}

/// The boxes in the plan, in cells, that the ground under the ends of stairs is looked for in, and
/// their storeys. Those with an end that is no number are left out.
pub(crate) fn stairs_boxes(base: &PlanBase, stairs: &Stairs) -> Vec<(usize, [[f64; 2]; 2])> {
    let landings = [&stairs.from, &stairs.to].into_iter();
    boxes(base, landings.map(|landing| (&*landing.storey, landing.line.to_vec())))
}

/// Returns the boxes at the stops of a lift.
pub(crate) fn lift_boxes(base: &PlanBase, lift: &Lift) -> Vec<(usize, [[f64; 2]; 2])> {
    boxes(base, lift.stops.iter().map(|stop| (&*stop.storey, vec![stop.at])))
}

fn boxes<'a>(
    base: &PlanBase,
    places: impl Iterator<Item = (&'a str, Vec<PlanPosition>)>,
) -> Vec<(usize, [[f64; 2]; 2])> {
    let (frame, config) = (base.frame(), base.config());
    // Rounding may move a point off its polygon.
    let reach =
        (config.radius + config.link_reach) / f64::from(frame.cell_size) + f64::from(2 * MAX_OFFSET_CELLS);
    let place = |(storey, points): (&str, Vec<PlanPosition>)| {
        let storey = base.storey_names().iter().position(|name| *name == storey)?;
        let cells = points.into_iter().map(|point| cells_of(base, point));
        let start = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        let [low, high] = cells.fold(start, |[low, high], at| {
            [[low[0].min(at[0]), low[1].min(at[1])], [high[0].max(at[0]), high[1].max(at[1])]]
        });
        let is_finite = low.iter().chain(&high).all(|value| value.is_finite());
        is_finite.then(|| (storey, [low.map(|at| at - reach), high.map(|at| at + reach)]))
    };
    places.filter_map(place).collect()
}

/// Largest distance of a point on a polygon from the requested place, in cells.
const MAX_OFFSET_CELLS: i32 = 3;

fn check_finite(element: &Arc<str>, field: &str, point: PlanPosition) -> Result<(), PlanError> {
    match point.into_iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => {
            let (element, field) = (element.clone(), field.to_owned());
            Err(PlanError::BadNumber { element, field, value, expected: "finite" })
        }
    }
}

fn check_cost(element: &Arc<str>, cost: f32) -> Result<(), PlanError> {
    if cost.is_finite() && cost >= 0.0 {
        return Ok(());
    }
    let (element, field) = (element.clone(), "cost".to_owned());
    Err(PlanError::BadNumber { element, field, value: f64::from(cost), expected: "finite and at least 0 m" })
}

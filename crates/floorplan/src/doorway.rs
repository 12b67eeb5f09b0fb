//! Openings of doors: the direction in which they lead, and the wall that they cut.

use std::sync::Arc;

use geo::LineString;
use waymesh_core::{Bounds, BoxTree, GridFrame, PlanPoint};

use crate::area::{MAX_COORDINATE, Region, check_point, rings};
use crate::error::MAX_WALL;
use crate::lattice::nearest_point;
use crate::plan::{length, way};
use crate::{Door, NoteKind, PlanError, PlanPosition};

/// Distance in metres of probes from the border of an opening: a place on a border of the ground
/// may belong to either side.
const PROBE: f64 = 1e-3;

/// Distance in metres beyond an end of a door's line at which a gap before the wall begins.
const GAP_PROBE: f64 = 1e-6;

/// Distance in metres beyond the ends of a door's line at which its wall is measured.
const JAMB: f64 = 0.02;

/// Shares of a door's line at which the wall in its opening is measured.
const SHARES: [f64; 3] = [0.25, 0.5, 0.75];

/// Share of its length by which a line that runs through a wall may end before the wall does.
const SHORT_LINE: f64 = 0.1;

/// The borders of the ground without doors, to measure walls.
pub(crate) struct Walls {
    lines: Vec<[PlanPosition; 2]>,
    boxes: BoxTree,
    /// The axis in which the ground is less long. Rays along it cross few borders: those along a row
    /// of rooms would cross all of its walls.
    axis: usize,
}

impl Walls {
    pub(crate) fn new(ground: &Region) -> Self {
        let lines = rings(&ground.0).flat_map(LineString::lines);
        let lines: Vec<[PlanPosition; 2]> = lines.map(|line| [line.start.into(), line.end.into()]).collect();
        let boxes = lines.iter().map(|line| Bounds::in_plan(*line, 0.0)).collect();
        let size = ground.extent().map_or([0.0; 2], |[min, max]| [max[0] - min[0], max[1] - min[1]]);
        Self { lines, boxes, axis: usize::from(size[1] < size[0]) }
    }

    /// Returns the borders whose boxes meet that of a line.
    fn near(&self, line: [PlanPosition; 2]) -> impl Iterator<Item = [PlanPosition; 2]> {
        self.boxes.overlapping(Bounds::in_plan(line, 0.0)).map(|line| self.lines[line])
    }

    fn is_ground(&self, from: PlanPosition) -> bool {
        let (axis, other) = (self.axis, 1 - self.axis);
        let mut to = from;
        to[axis] = 2.0 * MAX_COORDINATE;
        let is_crossed = |[a, b]: &[PlanPosition; 2]| {
            let share = (from[other] - a[other]) / (b[other] - a[other]);
            (a[other] > from[other]) != (b[other] > from[other])
                && a[axis] + share * (b[axis] - a[axis]) > from[axis]
        };
        self.near([from, to]).filter(is_crossed).count() % 2 == 1
    }

    /// Returns the length of the ground from a place on it in a direction of length 1; `None` off the
    /// ground, and if it is longer than `most`.
    fn gap(&self, from: PlanPosition, way: PlanPosition, most: f64) -> Option<f64> {
        if !self.is_ground(from) {
            return None;
        }
        let crossed = self.crossed(from, way, most).filter(|at| (0.0..=most).contains(at));
        crossed.min_by(f64::total_cmp)
    }

    /// Returns the distance from a place to the ground in a direction of length 1: 0 on the ground,
    /// [`MAX_WALL`] if none is nearer.
    fn thickness(&self, from: PlanPosition, way: PlanPosition) -> f64 {
        if self.is_ground(from) {
            return 0.0;
        }
        self.crossed(from, way, MAX_WALL).filter(|&at| at >= 0.0).fold(MAX_WALL, f64::min)
    }

    /// Returns the distances along a line, of those borders near its first `length` metres that it
    /// crosses.
    fn crossed(&self, from: PlanPosition, way: PlanPosition, length: f64) -> impl Iterator<Item = f64> {
        let distance = move |[start, end]: [PlanPosition; 2]| {
            let side = |at: PlanPosition| way[0] * (at[1] - from[1]) - way[1] * (at[0] - from[0]);
            let [a, b] = [side(start), side(end)];
            let share = a / (a - b);
            let at = |axis: usize| start[axis] + share * (end[axis] - start[axis]) - from[axis];
            ((a > 0.0) != (b > 0.0)).then(|| at(0) * way[0] + at(1) * way[1])
        };
        self.near([from, along(from, way, length)]).filter_map(distance)
    }
}

/// The opening of a door: a rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doorway {
    /// From jamb to jamb.
    pub(crate) line: [PlanPosition; 2],
    /// Depths to the right and to the left of the line.
    depths: [f64; 2],
}

impl Doorway {
    /// Checks the numbers of a door, which errors call `element`.
    pub(crate) fn new(element: &Arc<str>, door: &Door) -> Result<Self, PlanError> {
        for (index, end) in door.line.iter().enumerate() {
            check_point(element, &format!("point {index}"), *end)?;
        }
        let bad = |field: &str, value, expected| {
            Err(PlanError::BadNumber { element: element.clone(), field: field.to_owned(), value, expected })
        };
        if !(door.depth.is_finite() && door.depth > 0.0) {
            return bad("depth", door.depth, "finite and above 0 m");
        }
        if !(door.cost.is_finite() && door.cost >= 0.0) {
            return bad("cost", f64::from(door.cost), "finite and at least 0 m");
        }
        let doorway = Self { line: door.line, depths: [door.depth / 2.0; 2] };
        if doorway.width() < 1e-3 {
            return bad("length", doorway.width(), "at least 1 mm");
        }
        Ok(doorway)
    }

    /// Turns an opening whose line runs through the wall, then deepens it until it leads through
    /// the wall. The wall is as thick as it is at the thinner jamb, so that other blocked shapes
    /// before a door stay. Returns a note if the opening was turned.
    pub(crate) fn fit(&mut self, walls: &Walls) -> Option<NoteKind> {
        let turned = self.turned();
        let [own, other] = [*self, turned].map(|doorway| doorway.walls_before(walls, 0.5));
        let (least, most) = (own[0].min(own[1]), other[0].max(other[1]));
        let is_turned = least > most && most <= SHORT_LINE * self.width();
        let note = is_turned.then(|| NoteKind::DoorTurned { width: turned.width(), depth: self.width() });
        if is_turned {
            *self = turned;
        }
        let before = SHARES.map(|share| self.walls_before(walls, share));
        for (side, way) in self.across().into_iter().enumerate() {
            let cut = before.iter().map(|walls| walls[side]).filter(|&wall| wall < MAX_WALL);
            let cut = cut.fold(0.0, f64::max);
            if cut > 0.0 {
                // A line along a face of the wall lies on the border of the ground.
                let jambs = self.jambs().map(|jamb| walls.thickness(along(jamb, way, PROBE), way));
                let jamb = PROBE + jambs[0].min(jambs[1]);
                // Nothing of the wall may be left on its face.
                let wall = jamb.min(self.depths[side] - PROBE + cut) + PROBE;
                self.depths[side] = self.depths[side].max(wall);
            }
        }
        note
    }

    /// Lengthens the line over gaps between its ends and the walls beyond that are at most `most`
    /// metres wide: the opening of another door that meets a jamb leaves such gaps, and a door that is
    /// closed must be closed there.
    pub(crate) fn close_gaps(&mut self, walls: &Walls, most: f64) {
        let way = self.way();
        for (end, way) in [(0, way.map(|part| -part)), (1, way)] {
            let gap = walls.gap(along(self.line[end], way, GAP_PROBE), way, most);
            if let Some(gap) = gap {
                self.line[end] = along(self.line[end], way, GAP_PROBE + gap);
            }
        }
    }

    pub(crate) fn width(&self) -> f64 {
        let [a, b] = self.line;
        length(way(a, b))
    }

    /// The whole opening.
    pub(crate) fn region(&self) -> Region {
        Region::polygon(&self.quad(-self.depths[0], self.depths[1]))
    }

    /// Returns the part of the opening to the left of the line, on the grid. It is wider than the
    /// line by two cells in all: rounding would otherwise leave ground next to it at a jamb.
    pub(crate) fn sill(&self, frame: &GridFrame) -> Vec<PlanPoint> {
        let (cell, way) = (f64::from(frame.cell_size), self.way());
        let line = [along(self.line[0], way, -cell), along(self.line[1], way, cell)];
        let wide = Self { line, ..*self };
        wide.quad(0.0, self.depths[1]).map(|corner| nearest_point(frame, corner)).to_vec()
    }

    /// Returns the thickness of what is blocked to the right and to the left of the opening, from
    /// [`PROBE`] within it, at a share of the line.
    fn walls_before(&self, walls: &Walls, share: f64) -> [f64; 2] {
        let [right, left] = self.across();
        let at = along(self.line[0], self.way(), share * self.width());
        [(self.depths[0], right), (self.depths[1], left)]
            .map(|(depth, way)| walls.thickness(along(at, way, depth - PROBE), way))
    }

    /// The opening with its width and its depth exchanged.
    fn turned(&self) -> Self {
        let [from, to] = self.line;
        let middle = [0, 1].map(|axis| f64::midpoint(from[axis], to[axis]));
        let [right, left] = self.across();
        let line = [along(middle, right, self.depths[0]), along(middle, left, self.depths[1])];
        Self { line, depths: [self.width() / 2.0; 2] }
    }

    /// Directions to the right and to the left of the line.
    fn across(&self) -> [PlanPosition; 2] {
        let [x, z] = self.way();
        [[z, -x], [-z, x]]
    }

    fn way(&self) -> PlanPosition {
        let [a, b] = self.line;
        [(b[0] - a[0]) / self.width(), (b[1] - a[1]) / self.width()]
    }

    /// Places in the wall next to both ends of the line.
    fn jambs(&self) -> [PlanPosition; 2] {
        let way = self.way();
        [along(self.line[0], way, -JAMB), along(self.line[1], way, JAMB)]
    }

    /// Returns the rectangle over the line between two distances to its left; negative to its right.
    fn quad(&self, from: f64, to: f64) -> [PlanPosition; 4] {
        let ([a, b], [_, left]) = (self.line, self.across());
        [along(a, left, from), along(b, left, from), along(b, left, to), along(a, left, to)]
    }
}

fn along(from: PlanPosition, way: PlanPosition, distance: f64) -> PlanPosition {
    [from[0] + way[0] * distance, from[1] + way[1] * distance]
}

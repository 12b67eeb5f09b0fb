//! A prepared plan: shapes are cleaned and united, and the grid is chosen, so that the ground of
//! any window can be computed.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use waymesh_core::{
    AreaId, Bounds, BoxTree, ContourSet, GridFrame, GridScale, PlanPoint, checkpoint, nearest_f32,
};

use crate::area::{Cleaner, Region, check_crossings};
use crate::assemble::{Piece, contours};
use crate::doorway::{Doorway, Walls};
use crate::lattice::{self, LatticePolygon, doubled_area, nearest_point, position};
use crate::offset::{closed, grow};
use crate::plan::{Extent, extent_of, grown, meet};
use crate::zones::{self, Label, Zone};
use crate::{Door, FloorPlan, NoteKind, PlanConfig, PlanError, PlanNote, PlanPosition, Shape};

/// Height of a level in metres. Heights are fractional, so it does not affect the result.
const LEVEL_HEIGHT: f32 = 0.01;

/// A rectangle of the grid, borders included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanWindow {
    /// Lower corner.
    pub min: PlanPoint,
    /// Upper corner.
    pub max: PlanPoint,
}

impl PlanWindow {
    fn on_border(&self, point: PlanPoint) -> bool {
        point.x == self.min.x || point.x == self.max.x || point.z == self.min.z || point.z == self.max.z
    }

    /// Returns a ring with points where it crosses the lines of the borders. An overlay moves the
    /// edges that it cuts to points near them, and would bend the border. The window beyond gets the
    /// same points.
    fn split(&self, ring: &[PlanPoint]) -> Vec<PlanPoint> {
        let turned = |point: PlanPoint| PlanPoint::new(point.z, point.x);
        let mut points = Vec::with_capacity(ring.len());
        for (&from, &to) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let first = points.len();
            points.push(from);
            points.extend([self.min.x, self.max.x].into_iter().filter_map(|x| crossing([from, to], x)));
            let turned_ends = [from, to].map(turned);
            let rows = [self.min.z, self.max.z].into_iter();
            points.extend(rows.filter_map(|z| crossing(turned_ends, z)).map(turned));
            points[first..].sort_by_key(|point| point.distance_squared(from));
        }
        points.dedup();
        points
    }
}

/// Returns the point of the grid at an x that is nearest to an edge across it, the same for both
/// directions of the edge.
fn crossing([from, to]: [PlanPoint; 2], x: i32) -> Option<PlanPoint> {
    let [low, high] = if from.x < to.x { [from, to] } else { [to, from] };
    if x <= low.x || x >= high.x {
        return None;
    }
    let off = |to: i32, from: i32| i128::from(to) - i128::from(from);
    let (run, rise) = (off(high.x, low.x), off(high.z, low.z));
    let along = (2 * rise * off(x, low.x) + run).div_euclid(2 * run);
    Some(PlanPoint::new(x, low.z + i32::try_from(along).unwrap_or(0)))
}

/// An obstacle, prepared for being added to a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    region: Region,
    extent: Extent,
}

impl Obstacle {
    /// Prepares a shape.
    ///
    /// # Errors
    /// For coordinates that are not finite or too large; for a shape without area.
    pub fn new(shape: &Shape, config: &PlanConfig) -> Result<Self, PlanError> {
        let mut notes = Vec::new();
        let region = Cleaner::new(config, &mut notes).region(shape)?;
        match region.extent() {
            Some(extent) => Ok(Self { region, extent }),
            None => {
                let (element, field) = (shape.source.clone(), "area".to_owned());
                Err(PlanError::BadNumber { element, field, value: 0.0, expected: "above 0 m2" })
            }
        }
    }

    /// Returns the window in which it may remove ground.
    #[must_use]
    pub fn reach(&self, base: &PlanBase) -> PlanWindow {
        base.window_around(self.extent, reach(&base.config))
    }
}

/// A mark, prepared for being laid over a plan: the ground in it gets its area, whatever it had, or
/// is cut out with [`AreaId::NULL`]. It acts on where the agent's centre may be, so its borders are
/// not offset.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanMark {
    zone: Zone,
    extent: Extent,
}

impl PlanMark {
    /// Prepares a shape.
    ///
    /// # Errors
    /// See [`Obstacle::new`].
    pub fn new(shape: &Shape, config: &PlanConfig) -> Result<Self, PlanError> {
        let Obstacle { region, extent } = Obstacle::new(shape, config)?;
        Ok(Self { zone: Zone { area: shape.area, region }, extent })
    }

    /// Returns the window in which it may change ground.
    #[must_use]
    pub fn reach(&self, base: &PlanBase) -> PlanWindow {
        base.window_around(self.extent, base.config.near_distance + 4.0 * base.config.cell_size)
    }
}

/// A storey or a window of it, and what is added there: see [`PlanBase::ground_of`].
#[derive(Clone, Copy, Debug)]
pub struct PlanPart<'a> {
    /// The storey or window.
    pub base: &'a StoreyBase,
    /// Obstacles that may reach into it, in any order.
    pub obstacles: &'a [&'a Obstacle],
    /// Marks that may reach into it. They count after those of the plan, and the last one most.
    pub marks: &'a [&'a PlanMark],
}

/// Largest distance of an offset border from a blocked area.
fn reach(config: &PlanConfig) -> f64 {
    let limit = match config.join {
        crate::Join::Miter { limit } => limit.max(std::f64::consts::SQRT_2),
        crate::Join::Round | crate::Join::Square => std::f64::consts::SQRT_2,
    };
    // The offset, plus a margin for rounding and for the removal of vertices.
    config.radius * limit + config.near_distance + 4.0 * config.cell_size
}

/// A door on the grid.
#[derive(Clone, Debug, PartialEq)]
struct Opening {
    /// Index among all doors.
    door: usize,
    /// The whole opening: walkable, without walls.
    opening: Region,
    /// The part of it on one side of the line, on the grid.
    sill: Vec<PlanPoint>,
}

/// Most doors before it in the plan that a door may lie over: pieces of ground are in all of them.
const MOST_OVER_EACH_OTHER: usize = 64;

/// Distance in cells from the opening of a door within which no vertex of the ground is left out:
/// the ground would reach past the end of the cut.
const DOOR_CELLS: f64 = 3.0;

/// One floor of a [`PlanBase`], or a window of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreyBase {
    storey: usize,
    /// In levels.
    height: f32,
    walkable: Region,
    blocked: Region,
    openings: Vec<Opening>,
    /// Walkable ground that is not plain, then marks.
    zones: Vec<Zone>,
    window: Option<PlanWindow>,
}

/// A door on the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct DoorLine {
    /// Its storey.
    pub storey: usize,
    /// Both ends on the grid. The ground is cut along the line between them.
    pub ends: [PlanPoint; 2],
    /// Cost of passing, in metres, in addition to the length of the path.
    pub cost: f32,
    /// Its name.
    pub name: Arc<str>,
}

/// Ground as contours, one region per connected piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// The borders. Valid by construction.
    pub contours: ContourSet,
    /// Storey of each region.
    pub storeys: Vec<usize>,
    /// The doors whose openings each region lies in, on the left of their lines.
    pub doors: Vec<Vec<usize>>,
    /// Notes on pieces that were left out.
    pub notes: Vec<PlanNote>,
}

/// A plan prepared for any number of bakes.
#[derive(Clone, Debug)]
pub struct PlanBase {
    config: PlanConfig,
    frame: GridFrame,
    names: Vec<String>,
    storeys: Vec<StoreyBase>,
    doors: Vec<DoorLine>,
    notes: Vec<PlanNote>,
}

impl StoreyBase {
    /// `true` if there can be no ground here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.walkable.is_empty()
    }

    /// Returns `true` if a mark lies over walkable ground here, whatever is blocked.
    #[must_use]
    pub fn meets(&self, mark: &PlanMark) -> bool {
        !mark.zone.region.within(&self.walkable).is_empty()
    }

    /// Index of its storey.
    #[must_use]
    pub fn storey(&self) -> usize {
        self.storey
    }
}

impl PlanBase {
    /// Cleans all shapes, unites walkable and blocked ones, and chooses the grid.
    ///
    /// Faulty shapes are repaired and reported in [`PlanBase::notes`]: rings that cross themselves
    /// are filled (non-zero winding); repeated points, empty shapes and empty holes are left out.
    /// Costs about `n log n` for `n` vertices.
    ///
    /// # Errors
    /// For bad configuration; coordinates that are not finite or beyond 10 000 km; doors without
    /// length; two storeys with the same name or more than 1,000; no walkable shape; borders that
    /// cross each other more than about a million times.
    pub fn new(plan: &FloorPlan, config: &PlanConfig) -> Result<Self, PlanError> {
        config.validate()?;
        plan.check_storeys()?;
        let mut notes = plan.notes.clone();
        let (mut storeys, mut extents) = (Vec::with_capacity(plan.storeys.len()), Vec::new());
        for (index, storey) in plan.storeys.iter().enumerate() {
            if plan.storeys[..index].iter().any(|other| other.name == storey.name) {
                return Err(PlanError::StoreyTwice { name: storey.name.clone() });
            }
            let element: Arc<str> = format!("storey {:?}", storey.name).into();
            let mut cleaner = Cleaner::new(config, &mut notes);
            let mut united = |shapes: &[Shape]| -> Result<Region, PlanError> {
                let regions: Vec<Region> =
                    shapes.iter().map(|shape| cleaner.region(shape)).collect::<Result<_, _>>()?;
                check_crossings(&element, &regions)?;
                Ok(Region::union(&regions))
            };
            let (walkable, blocked) = (united(&storey.walkable)?, united(&storey.blocked)?);
            let zones = storey_zones(storey, config, &mut notes)?;
            check_crossings(&element, zones.iter().map(|zone| &zone.region))?;
            let mut doorways: Vec<Doorway> = storey
                .doors
                .iter()
                .map(|door| Doorway::new(&door_name(storey, door), door))
                .collect::<Result<_, _>>()?;
            if !doorways.is_empty() {
                check_crossings(&element, [&walkable, &blocked])?;
                let walls = Walls::new(&closed(&walkable, config.close_distance).minus(&blocked));
                for (doorway, door) in doorways.iter_mut().zip(&storey.doors) {
                    checkpoint();
                    let kind = doorway.fit(&walls);
                    notes.extend(kind.map(|kind| PlanNote { element: door_name(storey, door), kind }));
                }
            }
            let mut openings: Vec<Region> = doorways.iter().map(Doorway::region).collect();
            check_crossings(&element, openings.iter().chain([&blocked]))?;
            let blocked = blocked.minus(&Region::union(&openings));
            extents.extend(walkable.extent());
            let walkable =
                closed(&Region::union([&walkable].into_iter().chain(&openings)), config.close_distance);
            if meet_jambs(&doorways, &openings, config.near_distance) {
                let walls = Walls::new(&walkable.minus(&blocked));
                doorways.iter_mut().for_each(|doorway| doorway.close_gaps(&walls, config.near_distance));
                openings = doorways.iter().map(Doorway::region).collect();
            }
            let openings: Vec<_> = doorways.into_iter().zip(openings).collect();
            storeys.push((storey, walkable, blocked, openings, zones));
        }
        let (walkable, blocked) = plan.shape_counts();
        let Some(extent) = extent_of(extents.into_iter().flatten()) else {
            let noted = notes.iter().take(3).map(|note| format!("; {note}")).collect();
            return Err(PlanError::NothingWalkable { walkable, blocked, noted });
        };
        let frame = frame(plan, extent, config)?;
        let mut base = Self {
            config: *config,
            frame,
            names: plan.storeys.iter().map(|storey| storey.name.clone()).collect(),
            storeys: Vec::with_capacity(storeys.len()),
            doors: Vec::new(),
            notes,
        };
        for (index, (storey, walkable, blocked, openings, zones)) in storeys.into_iter().enumerate() {
            checkpoint();
            let height = (storey.elevation - f64::from(frame.origin.y)) / f64::from(frame.level_height);
            let openings = storey.doors.iter().zip(openings).map(|(door, (doorway, opening))| {
                let ends = doorway.line.map(|end| nearest_point(&frame, end));
                let name = door_name(storey, door);
                base.doors.push(DoorLine { storey: index, ends, cost: door.cost, name });
                Opening { door: base.doors.len() - 1, opening, sill: doorway.sill(&frame) }
            });
            base.storeys.push(StoreyBase {
                storey: index,
                height: nearest_f32(height),
                walkable,
                blocked,
                openings: openings.collect(),
                zones,
                window: None,
            });
        }
        base.report_distance();
        Ok(base)
    }

    /// Lays a mark over a storey, after those of the plan.
    ///
    /// # Errors
    /// [`PlanError::NoStorey`] for a missing storey.
    pub fn add_mark(&mut self, storey: usize, mark: PlanMark) -> Result<(), PlanError> {
        self.storey(storey)?;
        self.storeys[storey].zones.push(mark.zone);
        Ok(())
    }

    fn report_distance(&mut self) {
        let frame = &self.frame;
        let far = |origin: f32, cells: u32| {
            f64::from(origin)
                .abs()
                .max((f64::from(origin) + f64::from(cells) * f64::from(frame.cell_size)).abs())
        };
        let coordinate = far(frame.origin.x, frame.width).max(far(frame.origin.z, frame.depth));
        let rounding = coordinate * f64::from(f32::EPSILON);
        if rounding > 0.01 {
            let kind = NoteKind::FarFromOrigin { coordinate, rounding };
            self.notes.push(PlanNote { element: "plan".into(), kind });
        }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &PlanConfig {
        &self.config
    }

    /// Place and size of the grid.
    #[must_use]
    pub fn frame(&self) -> &GridFrame {
        &self.frame
    }

    /// Names of the storeys.
    #[must_use]
    pub fn storey_names(&self) -> &[String] {
        &self.names
    }

    /// Returns the index of the storey with this name.
    ///
    /// # Errors
    /// [`PlanError::NoSuchStorey`], naming `element`.
    pub fn storey_of(&self, element: &Arc<str>, name: &str) -> Result<usize, PlanError> {
        self.names.iter().position(|known| known == name).ok_or_else(|| PlanError::NoSuchStorey {
            element: element.clone(),
            name: name.to_owned(),
            known: self.names.join(", "),
        })
    }

    /// Height of a storey in levels.
    ///
    /// # Errors
    /// [`PlanError::NoStorey`] for a missing storey.
    pub fn height(&self, storey: usize) -> Result<f32, PlanError> {
        Ok(self.storey(storey)?.height)
    }

    /// All doors, numbered as the links are.
    #[must_use]
    pub fn doors(&self) -> &[DoorLine] {
        &self.doors
    }

    /// Notes on the plan.
    #[must_use]
    pub fn notes(&self) -> &[PlanNote] {
        &self.notes
    }

    /// Returns a whole storey.
    ///
    /// # Errors
    /// [`PlanError::NoStorey`] for a missing storey.
    pub fn storey(&self, storey: usize) -> Result<&StoreyBase, PlanError> {
        self.storeys.get(storey).ok_or(PlanError::NoStorey { index: storey, count: self.storeys.len() })
    }

    /// Returns the part of a storey, or of a window of it, that determines the ground in `window`.
    /// It is meant to be kept: the cost of [`PlanBase::ground_of`] then depends on the shapes in
    /// and around the window, not on the whole storey.
    #[must_use]
    pub fn window(&self, whole: &StoreyBase, window: PlanWindow) -> StoreyBase {
        let inside = self.extent(window);
        let around = grown(inside, 2.0 * reach(&self.config) + 1e-3);
        let frame = Region::rectangle(around);
        let openings: Vec<Opening> = whole
            .openings
            .iter()
            .filter(|opening| opening.opening.extent().is_some_and(|extent| meet(extent, around)))
            .map(|opening| Opening { sill: window.split(&opening.sill), ..opening.clone() })
            .collect();
        let clipped = |zone: &Zone| Zone { area: zone.area, region: zone.region.within(&frame) };
        StoreyBase {
            storey: whole.storey,
            height: whole.height,
            walkable: whole.walkable.within(&frame),
            blocked: whole.blocked.within(&frame),
            openings,
            zones: whole.zones.iter().map(clipped).filter(|zone| !zone.region.is_empty()).collect(),
            window: Some(window),
        }
    }

    fn window_around(&self, extent: Extent, by: f64) -> PlanWindow {
        let [min, max] = grown(extent, by).map(|corner| nearest_point(&self.frame, corner));
        PlanWindow { min, max }
    }

    /// Plan positions of a window's corners.
    fn extent(&self, window: PlanWindow) -> Extent {
        [position(&self.frame, window.min), position(&self.frame, window.max)]
    }

    /// Computes the ground of all storeys.
    ///
    /// # Guarantees
    /// - The ground is walkable and not blocked, at a distance of `radius` from everything blocked
    ///   (and from the borders of walkable ground, with `shrink_walkable`). No point is nearer than
    ///   `radius` minus `near_distance`, `arc_error` and 2 cells; no point farther than the join
    ///   allows is missing.
    /// - The result does not depend on the order of the shapes.
    ///
    /// # Errors
    /// [`PlanError::TooMany`] if there are too many vertices for 32-bit ids.
    pub fn ground(&self) -> Result<Ground, PlanError> {
        self.ground_of(self.storeys.iter().map(|base| PlanPart { base, obstacles: &[], marks: &[] }))
    }

    /// Computes the ground of some storeys or windows, each with obstacles and marks added. Windows
    /// should not overlap.
    ///
    /// # Errors
    /// [`PlanError::TooMany`] if there are too many vertices for 32-bit ids.
    pub fn ground_of<'a>(&self, parts: impl IntoIterator<Item = PlanPart<'a>>) -> Result<Ground, PlanError> {
        let (mut pieces, mut doors, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            checkpoint();
            let StoreyBase { storey, height, ref openings, .. } = *part.base;
            for (polygon, Label { sills, area }) in self.polygons(&part, &mut notes)? {
                pieces.push(Piece { storey, height, polygon, area });
                doors.push(sills.into_iter().map(|sill| openings[sill].door).collect());
            }
        }
        let storeys = pieces.iter().map(|piece| piece.storey).collect();
        Ok(Ground { contours: contours(self.frame, &mut pieces)?, storeys, doors, notes })
    }

    /// Returns the connected pieces of ground, cut along doors and divided by areas, those outside of
    /// doors first.
    fn polygons(
        &self,
        part: &PlanPart<'_>,
        notes: &mut Vec<PlanNote>,
    ) -> Result<Vec<(LatticePolygon, Label)>, PlanError> {
        let config = &self.config;
        let PlanPart { base: storey, obstacles, marks } = *part;
        let Some(extent) = storey.walkable.extent() else { return Ok(Vec::new()) };
        let extent = storey.window.map_or(extent, |window| self.extent(window));
        let around = Region::rectangle(grown(extent, 2.0 * reach(config) + 1e-3));
        let mut blocked: Vec<&Region> = vec![&storey.blocked];
        blocked.extend(obstacles.iter().map(|obstacle| &obstacle.region));
        let beyond;
        if config.shrink_walkable {
            beyond = around.minus(&storey.walkable);
            blocked.push(&beyond);
        }
        let blocked = grow(&Region::union(blocked).within(&around), config);
        let ground = match storey.window {
            Some(_) => storey.walkable.within(&Region::rectangle(extent)),
            None => storey.walkable.clone(),
        };
        let (mut zones, mut cut) = (Vec::new(), Region::empty());
        for zone in storey.zones.iter().chain(marks.iter().map(|mark| &mark.zone)) {
            zones::lay(zone, &mut zones, &mut cut);
        }
        let element = format!("storey {:?}", self.names[storey.storey]).into();
        let regions =
            [&ground, &blocked].into_iter().chain(zones.iter().map(|zone| &zone.region)).chain([&cut]);
        check_crossings(&element, regions)?;
        let ground = ground.minus(&blocked).minus(&cut);
        let near_cells = config.near_distance / f64::from(self.frame.cell_size);
        let on_border = |point: PlanPoint| storey.window.is_some_and(|window| window.on_border(point));
        let reach = DOOR_CELLS * f64::from(self.frame.cell_size);
        let around =
            |opening: &Opening| Bounds::in_plan(opening.opening.extent().into_iter().flatten(), reach);
        let openings: BoxTree = storey.openings.iter().map(around).collect();
        let is_at_door = |point: PlanPoint| {
            let place = position(&self.frame, point);
            let mut near = openings.overlapping(Bounds::in_plan([place], 0.0));
            near.any(|door| storey.openings[door].opening.distance(place) < reach)
        };
        let fixed = |point: PlanPoint| on_border(point) || is_at_door(point);
        let mut polygons = lattice::snap(&ground.0, &self.frame, near_cells, fixed);

        let doubled_cells = 2.0 * config.min_area / self.frame.cell_area();
        let small = |polygon: &LatticePolygon| {
            (doubled_area(polygon) as f64) < doubled_cells
                && !polygon.iter().flatten().any(|&point| on_border(point))
        };
        let (small, kept): (Vec<_>, Vec<_>) = polygons.into_iter().partition(small);
        polygons = kept;
        if !small.is_empty() {
            let doubled = small.iter().map(doubled_area).sum::<i128>() as f64;
            let kind =
                NoteKind::SmallPieces { pieces: small.len(), area: doubled / 2.0 * self.frame.cell_area() };
            let element = format!("storey {:?}", self.names[storey.storey]).into();
            notes.push(PlanNote { element, kind });
        }
        let sills: Vec<Vec<PlanPoint>> = storey.openings.iter().map(|opening| opening.sill.clone()).collect();
        let (boxes, are_apart) = self.boxes(&storey.openings)?;
        if zones.is_empty() && are_apart {
            return Ok(cut_apart(polygons, &sills, &boxes));
        }
        let of_zone = |zone: &Zone| lattice::nearest_rings(&zone.region.0, &self.frame);
        let mut cuts: Vec<Vec<PlanPoint>> = zones.iter().flat_map(of_zone).collect();
        if let Some(window) = storey.window {
            cuts.iter_mut().for_each(|cut| *cut = window.split(cut));
        }
        let lines = [&sills[..], &cuts].concat();
        let is_in = |sill: usize, place: PlanPosition| storey.openings[sill].opening.distance(place) <= 0.0;
        Ok(zones::divide(&polygons, &zones, (&sills, &lines), is_in, &self.frame, config))
    }

    /// Returns the boxes of the sills of doors, and `true` if none lie over each other.
    fn boxes(&self, openings: &[Opening]) -> Result<(BoxTree, bool), PlanError> {
        // Cuts are rounded by a cell.
        let boxed = |opening: &Opening| Bounds::in_plan(opening.sill.iter().copied(), 1.0);
        let boxes: Vec<Bounds> = openings.iter().map(boxed).collect();
        let tree = BoxTree::new(&boxes, 1);
        let mut are_apart = true;
        for (index, (opening, &bounds)) in openings.iter().zip(&boxes).enumerate() {
            let before = tree.overlapping(bounds).filter(|&other| other < index).count();
            if before >= MOST_OVER_EACH_OTHER {
                let door = self.doors[opening.door].name.clone();
                return Err(PlanError::DoorsOverlap { door, limit: MOST_OVER_EACH_OTHER });
            }
            are_apart &= before == 0;
        }
        Ok((tree, are_apart))
    }
}

/// Returns `true` if the opening of a door is near an end of the line of another one.
fn meet_jambs(doorways: &[Doorway], openings: &[Region], near: f64) -> bool {
    let boxed = |opening: &Region| opening.extent().map(|ends| Bounds::in_plan(ends, near));
    let boxes: BoxTree = openings.iter().filter_map(boxed).collect();
    let mut ends = doorways.iter().flat_map(|doorway| doorway.line);
    // One of both is its own.
    ends.any(|end| boxes.overlapping(Bounds::in_plan([end], 0.0)).nth(1).is_some())
}

/// Cuts pieces of ground along the sills of doors whose boxes are apart. The sills follow, in the
/// order of the doors.
fn cut_apart(
    polygons: Vec<LatticePolygon>,
    sills: &[Vec<PlanPoint>],
    boxes: &BoxTree,
) -> Vec<(LatticePolygon, Label)> {
    let (outside, inside) =
        if sills.is_empty() { (polygons, Vec::new()) } else { lattice::split(&polygons, sills) };
    let labelled = |piece: LatticePolygon, sills: Vec<usize>| (piece, Label { sills, area: AreaId::GROUND });
    let mut inside: Vec<_> = inside
        .into_iter()
        .map(|piece| {
            let sills = boxes.overlapping(Bounds::in_plan([piece[0][0]], 0.0)).collect();
            labelled(piece, sills)
        })
        .collect();
    inside.sort_by(|(_, one), (_, other)| one.cmp(other));
    outside.into_iter().map(|piece| labelled(piece, Vec::new())).chain(inside).collect()
}

fn door_name(storey: &crate::Storey, door: &Door) -> Arc<str> {
    format!("storey {:?}, door {:?}", storey.name, door.name).into()
}

/// Returns the zones of a storey: walkable shapes that are not plain ground, those of the largest
/// id last and blocked ones after them, and then marks in their order.
fn storey_zones(
    storey: &crate::Storey,
    config: &PlanConfig,
    notes: &mut Vec<PlanNote>,
) -> Result<Vec<Zone>, PlanError> {
    let mut by_area: BTreeMap<(bool, AreaId), Vec<Region>> = BTreeMap::new();
    // Repairs of walkable shapes are reported where they are united.
    let mut untold = Vec::new();
    let mut cleaner = Cleaner::new(config, &mut untold);
    for shape in storey.walkable.iter().filter(|shape| shape.area != AreaId::GROUND) {
        let regions = by_area.entry((!shape.area.is_walkable(), shape.area)).or_default();
        regions.push(cleaner.region(shape)?);
    }
    let mut zones: Vec<Zone> = by_area
        .into_iter()
        .map(|((_, area), regions)| Zone { area, region: Region::union(&regions) })
        .collect();
    let mut cleaner = Cleaner::new(config, notes);
    for mark in &storey.marks {
        zones.push(Zone { area: mark.area, region: cleaner.region(mark)? });
    }
    zones.retain(|zone| !zone.region.is_empty());
    Ok(zones)
}

/// Returns the grid of a plan. It begins at whole metres. Its cells have the configured size, or
/// are larger if the plan requires it.
fn frame(plan: &FloorPlan, [min, max]: Extent, config: &PlanConfig) -> Result<GridFrame, PlanError> {
    let mut low = f64::INFINITY;
    let mut high = f64::NEG_INFINITY;
    for storey in &plan.storeys {
        let elevation = storey.elevation;
        if !(elevation.is_finite() && elevation.abs() <= MAX_ELEVATION) {
            return Err(PlanError::BadNumber {
                element: format!("storey {:?}", storey.name).into(),
                field: "elevation".into(),
                value: elevation,
                expected: "finite and at most 100 km",
            });
        }
        (low, high) = (low.min(elevation), high.max(elevation));
    }
    let longest = (max[0] - min[0]).max(max[1] - min[1]) + 2.0;
    let mut cell_size = config.cell_size;
    // Half of the grid's limit, to leave room for tiles and rounding.
    while longest / cell_size > f64::from(1 << 29) {
        cell_size *= 2.0;
    }
    // Whole metres are exact in single precision.
    let min = DVec3::new(min[0], low, min[1]).floor().as_vec3();
    let max = (DVec3::new(max[0], high, max[1]).ceil() + DVec3::Y).as_vec3();
    let scale = GridScale::new(nearest_f32(cell_size), LEVEL_HEIGHT);
    Ok(GridFrame::fit(&Bounds { min, max }, &scale)?)
}

/// Highest and lowest storey in metres.
const MAX_ELEVATION: f64 = 1e5;

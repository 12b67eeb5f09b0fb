//! The views of all polygons, and the labels that are of use in each.

use std::collections::{BinaryHeap, HashMap};

use waymesh_core::{PolyId, checkpoint, threads, to_u32};

use super::origins::{Leg, Seer};
use crate::geometry::plan::{PlanPosition, is_between, orientation, to_segment_squared};
use crate::mesh::fans::WalkEdge;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::oracle::{Cell, EndTables, Label, NO_INDEX, NO_VIEWS, Oracle, Origin, View};

/// By how much a path must be longer to be of no use: lengths of labels are rounded to single
/// precision, and a place may lie outside its polygon by the slack of positions.
const MARGIN: [f64; 2] = [1e-6, 1e-3];

/// A region with no more labels is not cut: a query of a place in it takes little.
const FEW_LABELS: usize = 256;

/// Number of regions that are cut at once.
const BATCH: usize = 64;

/// The part of a polygon that is seen from an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    polygon: u32,
    origin: u32,
    rays: [u32; 2],
}

/// Returns what origins see, sorted by polygon, and the rays.
pub(super) fn views(legs: &[Leg]) -> (Vec<Seen>, Vec<PlanPosition>) {
    let (mut views, mut all_rays) = (Vec::new(), Vec::new());
    let mut numbers: HashMap<[u64; 2], u32> = HashMap::new();
    let mut number = |ray: PlanPosition| {
        *numbers.entry([ray.x, ray.z].map(f64::to_bits)).or_insert_with(|| {
            all_rays.push(ray);
            to_u32(all_rays.len() - 1)
        })
    };
    for (origin, leg) in (0..).zip(legs) {
        views.extend(leg.seen.iter().map(|&(polygon, rays)| {
            let rays = rays.map_or([NO_INDEX; 2], |rays| rays.map(&mut number));
            Seen { polygon, origin, rays }
        }));
    }
    views.sort_unstable();
    views.dedup();
    (views, all_rays)
}

/// The views of a region, each with the labels that are of use there.
type RegionViews = Vec<(View, Vec<u8>)>;

/// A polygon, or the part of it in a rectangle.
struct Region {
    /// All views of the polygon that may reach into it.
    seen: Vec<Seen>,
    /// Its corners, or those of the rectangle.
    corners: Vec<PlanPosition>,
    /// For both ends of paths.
    views: Vec<RegionViews>,
    /// Its place in the table of cells.
    cell: u32,
}

impl Region {
    /// Returns the size of its views in memory, in bytes.
    fn size(&self) -> usize {
        let views = self.views.iter().flatten();
        views.map(|(_, useful)| size_of::<View>() + size_of_val(&**useful)).sum()
    }

    fn labels(&self) -> usize {
        self.views.iter().flatten().map(|(_, useful)| useful.len()).sum()
    }

    /// Returns the two opposite corners of its rectangle.
    fn bounds(&self) -> [PlanPosition; 2] {
        let bound = |pick: fn(f64, f64) -> f64| {
            let first = self.corners[0];
            self.corners.iter().fold(first, |a, b| PlanPosition { x: pick(a.x, b.x), z: pick(a.z, b.z) })
        };
        [bound(f64::min), bound(f64::max)]
    }

    /// Returns where it may be cut in two, across its longer side; `None` if it is small.
    fn cut(&self) -> Option<(f64, bool)> {
        let [low, high] = self.bounds();
        let [width, depth] = [high.x - low.x, high.z - low.z];
        let is_x = width >= depth;
        let (low, high) = if is_x { (low.x, high.x) } else { (low.z, high.z) };
        (high - low >= 2.0).then(|| (((low + high) / 2.0).floor(), is_x))
    }

    /// Returns how much a query of a place in it takes, times how often there is one.
    fn load(&self) -> f64 {
        let [low, high] = self.bounds();
        (high.x - low.x) * (high.z - low.z) * self.labels() as f64
    }
}

/// Finds what is of use in a region.
struct Finder<'a> {
    seers: &'a [Seer],
    oracle: &'a Oracle,
    ends: Vec<&'a EndTables>,
}

/// Adds the views of all polygons to the tables of both ends of paths, as far as `bytes` last:
/// those of polygons that take the least memory for their area. Then cuts polygons in parts in
/// which fewer labels are of use, as far as memory lasts. Returns the polygons without views;
/// `None` if not even an empty table fits.
pub(super) fn fill(
    mesh: &NavMesh,
    seers: &[Seer],
    views: &[Seen],
    oracle: &mut Oracle,
    bytes: usize,
) -> Option<Vec<u32>> {
    let ends = oracle.ends().collect();
    let finder = Finder { seers, oracle, ends };
    let polygons: Vec<&[Seen]> = views.chunk_by(|a, b| a.polygon == b.polygon).collect();
    let mut regions = threads::map_with(&polygons, |best: &mut Vec<(f64, u32)>, seen| {
        let corners = mesh.walk_edges(seen[0].polygon).iter().map(WalkEdge::start).collect();
        finder.region(seen, corners, seen[0].polygon, best)
    });
    let end = finder.ends.len() * size_of::<View>();
    let mut left = bytes.checked_sub(finder.cell_size() * (mesh.polygon_bound() + 1) + end)?;
    let area = |region: &Region| mesh.polygon(PolyId(region.cell)).map_or(0.0, |polygon| polygon.area());
    let size_an_area = |region: &Region| region.size() as f64 / area(region);
    regions.sort_by(|a, b| size_an_area(a).total_cmp(&size_an_area(b)).then(a.cell.cmp(&b.cell)));
    let mut without = Vec::new();
    regions.retain(|region| {
        let rest = left.checked_sub(region.size());
        left = rest.unwrap_or(left);
        without.extend(rest.is_none().then_some(region.cell));
        rest.is_some()
    });
    let (cells, regions) = finder.split(mesh.polygon_bound(), regions, left);
    let mut found: Vec<_> =
        regions.into_iter().map(|region| (region.cell, region.views.into_iter())).collect();
    oracle.cells = cells;
    without.iter().for_each(|&polygon| oracle.cells[polygon as usize].at = NO_VIEWS);
    for tables in std::iter::once(&mut oracle.starts).chain(&mut oracle.goals) {
        tables.first_view = vec![0; oracle.cells.len() + 1];
        for (cell, views) in &mut found {
            let views = views.next().unwrap_or_default();
            tables.first_view[*cell as usize + 1] = to_u32(views.len());
            for (view, useful) in views {
                tables.views.push(View { first: to_u32(tables.useful.len()), ..view });
                tables.useful.extend(useful);
            }
        }
        for cell in 1..tables.first_view.len() {
            tables.first_view[cell] += tables.first_view[cell - 1];
        }
        let end = View { origin: NO_INDEX, rays: [NO_INDEX; 2], first: to_u32(tables.useful.len()) };
        tables.views.push(end);
    }
    Some(without)
}

impl Finder<'_> {
    /// Returns the size of a cell in memory without its views, in bytes.
    fn cell_size(&self) -> usize {
        size_of::<Cell>() + self.ends.len() * size_of::<u32>()
    }

    /// Cuts the regions that take most, as far as memory lasts. Returns the cells of all polygons
    /// and of the parts, and the regions, ordered by cell.
    fn split(&self, polygons: usize, regions: Vec<Region>, mut left: usize) -> (Vec<Cell>, Vec<Region>) {
        let mut cells = vec![Cell { at: 0.0, is_x: false, parts: NO_INDEX }; polygons];
        let mut done: Vec<Option<Region>> = std::iter::repeat_with(|| None).take(polygons).collect();
        let mut open = BinaryHeap::new();
        let add = |region: Region, done: &mut Vec<Option<Region>>, open: &mut BinaryHeap<(u64, u32)>| {
            let cell = region.cell;
            if region.labels() > FEW_LABELS && region.cut().is_some() {
                // Positive floats sort like their bits.
                open.push((region.load().to_bits(), cell));
            }
            done[cell as usize] = Some(region);
        };
        regions.into_iter().for_each(|region| add(region, &mut done, &mut open));
        while !open.is_empty() {
            let batch: Vec<u32> =
                std::iter::from_fn(|| open.pop()).map(|(_, cell)| cell).take(BATCH).collect();
            let parts = threads::map_with(&batch, |best: &mut Vec<(f64, u32)>, &cell| {
                done[cell as usize].as_ref().and_then(|region| self.cut(region, best))
            });
            for (&cell, parts) in batch.iter().zip(parts) {
                let (Some(whole), Some((at, is_x, parts))) = (&done[cell as usize], parts) else { continue };
                let sum: usize = parts.iter().map(|part| part.size() + self.cell_size()).sum();
                let Some(rest) = (left + whole.size()).checked_sub(sum) else { continue };
                left = rest;
                cells[cell as usize] = Cell { at, is_x, parts: to_u32(cells.len()) };
                done[cell as usize] = None;
                for mut part in parts {
                    part.cell = to_u32(cells.len());
                    cells.push(Cell { at: 0.0, is_x: false, parts: NO_INDEX });
                    done.push(None);
                    add(part, &mut done, &mut open);
                }
            }
        }
        (cells, done.into_iter().flatten().collect())
    }

    /// Returns both parts of a region, and where it is cut.
    fn cut(&self, region: &Region, best: &mut Vec<(f64, u32)>) -> Option<(f64, bool, [Region; 2])> {
        let (at, is_x) = region.cut()?;
        let [low, high] = region.bounds();
        let part = |low: PlanPosition, high: PlanPosition, best: &mut Vec<(f64, u32)>| {
            let corners = [(low.x, low.z), (high.x, low.z), (high.x, high.z), (low.x, high.z)];
            let corners = corners.map(|(x, z)| PlanPosition { x, z }).to_vec();
            self.region(&region.seen, corners, NO_INDEX, best)
        };
        let [middle_high, middle_low] = if is_x {
            [PlanPosition { x: at, z: high.z }, PlanPosition { x: at, z: low.z }]
        } else {
            [PlanPosition { x: high.x, z: at }, PlanPosition { x: low.x, z: at }]
        };
        Some((at, is_x, [part(low, middle_high, best), part(middle_low, high, best)]))
    }

    /// Returns a region with the views in it.
    fn region(
        &self,
        seen: &[Seen],
        corners: Vec<PlanPosition>,
        cell: u32,
        best: &mut Vec<(f64, u32)>,
    ) -> Region {
        checkpoint();
        let reaches = |seen: &&Seen| {
            seen.rays[0] == NO_INDEX || {
                let at = self.seers[seen.origin as usize].at;
                let [right, left] = seen.rays.map(|ray| self.oracle.rays[ray as usize]);
                corners.iter().any(|&corner| orientation(at, right, corner) >= 0.0)
                    && corners.iter().any(|&corner| orientation(at, left, corner) <= 0.0)
            }
        };
        let seen: Vec<Seen> = seen.iter().filter(reaches).copied().collect();
        let views = self.ends.iter().map(|tables| self.views(tables, &seen, &corners, best)).collect();
        Region { seen, corners, views, cell }
    }

    /// Returns the views in a region. A label is of use if no path over another site to its hub is
    /// shorter from everywhere in the region, and paths from there may turn at the site for it.
    fn views(
        &self,
        tables: &EndTables,
        seen: &[Seen],
        corners: &[PlanPosition],
        best: &mut Vec<(f64, u32)>,
    ) -> RegionViews {
        let Oracle { sites, rays: all_rays, .. } = self.oracle;
        best.clear();
        best.resize(sites.len(), (f64::INFINITY, 0));
        let middle = middle_of(corners);
        let radius = corners.iter().map(|corner| corner.distance_squared(middle)).fold(0.0, f64::max).sqrt();
        let mut found: Vec<(View, Distance)> = Vec::new();
        for &Seen { origin, rays, .. } in seen {
            let from = &tables.origins[origin as usize];
            if from.site == NO_INDEX {
                continue;
            }
            let distance = Distance::new(corners, middle, from);
            let is_all_seen = rays[0] == NO_INDEX || {
                let rays = rays.map(|ray| all_rays[ray as usize]);
                corners.iter().all(|&corner| is_between(from.at, rays, corner))
            };
            if is_all_seen {
                for label in tables.labels_of(from.site) {
                    let best = &mut best[label.hub as usize];
                    let length = distance.middle + f64::from(label.length);
                    if length < best.0 {
                        *best = (length, to_u32(found.len()));
                    }
                }
            }
            found.push((View { origin, rays, first: 0 }, distance));
        }
        let useful = |(view, distance): &(View, Distance)| {
            let from = &tables.origins[view.origin as usize];
            let side = self.seers[view.origin as usize].side;
            let is_of_use = |label: &Label| {
                let (least, by) = best[label.hub as usize];
                let more = distance.middle + f64::from(label.length) - least;
                let next = sites.get(label.next as usize).filter(|next| !next.is_link());
                more <= radius * distance.change(&found[by as usize].1, radius)
                    + least * MARGIN[0]
                    + MARGIN[1]
                    && next.is_none_or(|next| {
                        corners.iter().any(|&corner| side.may_turn([corner, from.at, next.at]))
                    })
            };
            let labels = tables.labels_of(from.site).iter().enumerate();
            (*view, EndTables::pack(labels.filter(|(_, label)| is_of_use(label)).map(|(index, _)| index)))
        };
        found.iter().map(useful).filter(|(_, useful)| !useful.is_empty()).collect()
    }
}

/// Distances of a region from an origin, in cells.
struct Distance {
    /// From its middle, with the length of the link.
    middle: f64,
    /// The direction to there: a vector of length 1.
    direction: [f64; 2],
    /// From its nearest place.
    near: f64,
}

impl Distance {
    fn new(corners: &[PlanPosition], middle: PlanPosition, from: &Origin) -> Self {
        let length = from.at.distance_squared(middle).sqrt();
        let direction =
            [middle.x - from.at.x, middle.z - from.at.z].map(|along| along / length.max(f64::MIN_POSITIVE));
        Self { middle: length + from.length, direction, near: distance_to(corners, from.at) }
    }

    /// Returns by how much the difference of distances from this origin and another changes at
    /// most, for each step from the middle of a region: the difference of the directions.
    fn change(&self, other: &Self, radius: f64) -> f64 {
        let [x, z] = [0, 1].map(|axis| self.direction[axis] - other.direction[axis]);
        ((x * x + z * z).sqrt() + radius / self.near + radius / other.near).min(2.0)
    }
}

/// Returns the mean of some places, on the lattice or not.
fn middle_of(places: &[PlanPosition]) -> PlanPosition {
    let sum = |of: fn(&PlanPosition) -> f64| places.iter().map(of).sum::<f64>() / places.len() as f64;
    PlanPosition { x: sum(|place| place.x), z: sum(|place| place.z) }
}

/// Returns the distance from a place to a convex polygon, in cells.
fn distance_to(corners: &[PlanPosition], at: PlanPosition) -> f64 {
    let edges = || corners.iter().zip(corners.iter().cycle().skip(1));
    if edges().all(|(&a, &b)| orientation(a, b, at) >= 0.0) {
        return 0.0;
    }
    let to_edges = edges().map(|(&a, &b)| to_segment_squared(a, b, at));
    to_edges.fold(f64::INFINITY, f64::min).sqrt()
}

//! Links of doors, stairs and lifts of a changing plan, updated where their ground changed.

use std::collections::{BTreeMap, BTreeSet};

use waymesh_core::{PolyId, saturating_u32, to_u32};
use waymesh_floorplan::{FloorPlan, PlanBase, PlanNote};
use waymesh_graph::{
    JoinedTiles, Link, LinkOrder, MeshTile, TileGrid, TileKey, TilePolygon, TiledMesh, VertexOrder,
};

use super::super::links::{Element, Source};
use super::join::BuiltWindow;
use crate::bake::BakeError;
use crate::links::doors::{Places, door_at, door_link, leads_nowhere, lift_boxes, stairs_boxes};

/// Found links of a source, in their order.
type Found = (Source, Vec<(LinkOrder, Link)>);

/// Classes of links in the order of all: doors, stairs, lifts. The rest is their number and that of
/// the link.
const STAIRS: u64 = 1 << 56;
const LIFT: u64 = 2 << 56;

/// An edge between two polygons that a door lies on.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoorEdge {
    door: usize,
    polygon: u32,
    /// Edge of the polygon.
    edge: usize,
    beyond: TilePolygon,
}

/// Data for finding the links of a plan.
#[derive(Debug)]
pub(super) struct PlanLinks {
    /// The windows that the ground under the ends of stairs and lifts is looked for in.
    windows: BTreeMap<Element, BTreeSet<TileKey>>,
    /// The stairs and lifts of each window.
    elements: BTreeMap<TileKey, BTreeSet<Element>>,
    /// Number of edges of each door, by window.
    doors: BTreeMap<TileKey, BTreeMap<usize, usize>>,
    uses: Vec<usize>,
}

impl PlanLinks {
    pub(super) fn new(plan: &FloorPlan, base: &PlanBase, grid: &TileGrid) -> Self {
        let stairs = (0..)
            .zip(&plan.stairs)
            .map(|(number, stairs)| (Element::Stairs(number), stairs_boxes(base, stairs)));
        let lifts =
            (0..).zip(&plan.lifts).map(|(number, lift)| (Element::Lift(number), lift_boxes(base, lift)));
        let mut windows: BTreeMap<Element, BTreeSet<TileKey>> = BTreeMap::new();
        let mut elements: BTreeMap<TileKey, BTreeSet<Element>> = BTreeMap::new();
        for (element, boxes) in stairs.chain(lifts) {
            let over: BTreeSet<TileKey> =
                boxes.into_iter().flat_map(|(storey, area)| tiles_over(grid, storey, area)).collect();
            for &window in &over {
                elements.entry(window).or_default().insert(element);
            }
            windows.insert(element, over);
        }
        Self { windows, elements, doors: BTreeMap::new(), uses: vec![0; base.doors().len()] }
    }

    /// Takes the portals across doors out of a window. Both sides do.
    pub(super) fn cut<'a>(
        base: &PlanBase,
        key: TileKey,
        tile: &mut MeshTile,
        windows: &impl Fn(TileKey) -> Option<&'a BuiltWindow>,
    ) -> Vec<DoorEdge> {
        let openings = |at: TilePolygon| windows(at.tile).map_or(&[][..], |built| built.openings(at.polygon));
        let MeshTile { vertices, polygons, corners, neighbours, .. } = tile;
        let mut cut = Vec::new();
        for (index, polygon) in (0_u32..).zip(&*polygons) {
            let own = openings(TilePolygon { tile: key, polygon: index });
            let (first, len) = (polygon.first as usize, polygon.len as usize);
            for edge in 0..len {
                let Some(beyond) = neighbours[first + edge] else { continue };
                let ends =
                    [edge, (edge + 1) % len].map(|corner| vertices[corners[first + corner].index()].point);
                if let Some(door) = door_at(base.doors(), [own, openings(beyond)], ends) {
                    neighbours[first + edge] = None;
                    cut.push(DoorEdge { door, polygon: index, edge, beyond });
                }
            }
        }
        cut
    }

    /// Returns the links through doors of these windows, and reports doors that are on no edge any
    /// more.
    pub(super) fn doors(
        &mut self,
        base: &PlanBase,
        windows: &BTreeMap<TileKey, Vec<DoorEdge>>,
        is_first: bool,
        mesh: &TiledMesh,
        notes: &mut Vec<PlanNote>,
    ) -> Vec<Found> {
        let mut unused: BTreeSet<usize> =
            if is_first { (0..self.uses.len()).collect() } else { BTreeSet::new() };
        let mut found = Vec::new();
        for (&key, edges) in windows {
            for (door, count) in self.doors.remove(&key).unwrap_or_default() {
                self.uses[door] -= count;
                unused.insert(door);
            }
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            edges.iter().for_each(|cut| *counts.entry(cut.door).or_default() += 1);
            counts.iter().for_each(|(&door, count)| self.uses[door] += count);
            if !counts.is_empty() {
                self.doors.insert(key, counts);
            }
            let first: Vec<PolyId> = mesh.polygons_of(key).collect();
            let links = edges.iter().filter_map(|cut| {
                let own = TilePolygon { tile: key, polygon: cut.polygon };
                let from = *first.get(cut.polygon as usize)?;
                let to = mesh.polygon_of(cut.beyond)?;
                let corners = mesh.next().polygon(from)?.corners();
                let ends = [cut.edge, (cut.edge + 1) % corners.len()]
                    .map(|corner| mesh.next().plan_vertices()[corners[corner].index()]);
                let order = LinkOrder { class: 0, number: to_u32(cut.edge) };
                (own < cut.beyond).then(|| (order, door_link(base.doors(), cut.door, [from, to], ends)))
            });
            found.push((Source::Doors(key), links.collect()));
        }
        let nowhere = unused.into_iter().filter(|&door| self.uses[door] == 0);
        notes.extend(nowhere.map(|door| leads_nowhere(base, &base.doors()[door])));
        found
    }
}

impl PlanLinks {
    /// The links of stairs and lifts whose ends may be on these windows, or of all.
    pub(super) fn elements(
        &self,
        plan: &FloorPlan,
        base: &PlanBase,
        written: &BTreeSet<TileKey>,
        is_all: bool,
        mesh: &TiledMesh,
        notes: &mut Vec<PlanNote>,
    ) -> Result<Vec<Found>, BakeError> {
        let stale: BTreeSet<Element> = if is_all {
            self.windows.keys().copied().collect()
        } else {
            written.iter().filter_map(|key| self.elements.get(key)).flatten().copied().collect()
        };
        let find = |element: Element| {
            let windows = self.windows.get(&element).into_iter().flatten();
            let tiles = windows.filter_map(|&key| Some((key, mesh.tile(key)?)));
            let tiles: Vec<(TileKey, MeshTile)> = tiles.collect();
            let by_key = tiles.iter().map(|(key, tile)| (*key, tile)).collect();
            let joined = JoinedTiles::new(*base.frame(), &by_key, VertexOrder::FirstUse)?;
            let regions = tiles.iter().map(|(key, tile)| (key.layer as usize, tile.regions as usize));
            let storeys: Vec<usize> =
                regions.flat_map(|(storey, count)| std::iter::repeat_n(storey, count)).collect();
            let places = Places::new(base, &joined.polygons, &storeys);
            let (class, number, links) = match element {
                Element::Stairs(number) => {
                    (STAIRS, number, places.stairs(number, &plan.stairs[number as usize], notes)?)
                }
                Element::Lift(number) => {
                    (LIFT, number, places.lift(number, &plan.lifts[number as usize], notes)?)
                }
            };
            let of_mesh = |polygon: PolyId| {
                let (&tile, range) =
                    joined.ranges.iter().find(|(_, range)| range.contains(&polygon.index()))?;
                mesh.polygon_of(TilePolygon { tile, polygon: to_u32(polygon.index() - range.start) })
            };
            let links = (0..).zip(links).filter_map(|(place, mut link)| {
                link.from.polygon = of_mesh(link.from.polygon)?;
                link.to.polygon = of_mesh(link.to.polygon)?;
                let class = class | u64::from(number) << 24 | place;
                Some((LinkOrder { class, number: 0 }, link))
            });
            Ok((Source::Element(element), links.collect()))
        };
        stale.into_iter().map(find).collect()
    }
}

/// The windows of a storey that a box in the plan, in cells, reaches into or touches.
pub(super) fn tiles_over(
    grid: &TileGrid,
    storey: usize,
    [low, high]: [[f64; 2]; 2],
) -> impl Iterator<Item = TileKey> + use<> {
    let side = f64::from(grid.side);
    let range = |axis: usize, count: u32| {
        let last = f64::from(count) - 1.0;
        // A range that ends at the start of a window touches it.
        let first = (low[axis] / side).ceil() - 1.0;
        let end = (high[axis] / side).floor().min(last);
        if end < 0.0 || first > last || count == 0 {
            return 0..0;
        }
        saturating_u32(first.max(0.0))..saturating_u32(end).saturating_add(1)
    };
    let (columns, rows, layer) = (range(0, grid.columns), range(1, grid.rows), to_u32(storey));
    rows.flat_map(move |row| columns.clone().map(move |column| TileKey { layer, row, column }))
}

//! Checks what a mesh of tiles has for itself: every table against what it is made of.

use std::collections::{BTreeMap, BTreeSet};

use waymesh_core::{PlanPoint, PolyId, Violation, ViolationList, to_u32};

use super::key::TilePolygon;
use super::places::cell_at;
use super::tables::{Reaches, TileEntry, TileTables};
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::link::LinkIndex;
use crate::mesh::link_turns::LinkTurns;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Lists the tables of a mesh of tiles that are not as they follow from others.
    pub(crate) fn tile_violations(&self, out: &mut ViolationList) {
        let Some(tiles) = self.tiles() else { return };
        let checks = [
            ("polygons of tiles", self.are_polygons_of_tiles(tiles)),
            ("reach of tiles", self.is_reach_of(tiles)),
            ("edges of tiles", self.are_edges_mutual()),
            ("fans of tiles", self.are_fans_named()),
            ("places of tiles", self.are_places_right(tiles)),
            ("islands of tiles", self.are_islands_right(tiles)),
            ("links of tiles", self.are_links_listed()),
        ];
        for (table, _) in checks.into_iter().filter(|(_, is_right)| !is_right) {
            out.push(Violation::BrokenTable { table });
        }
    }

    /// Checks that tiles own disjoint slots and that every polygon belongs to one tile.
    fn are_polygons_of_tiles(&self, tiles: &TileTables) -> bool {
        let present = || (0_u32..).zip(&tiles.entries).filter(|(_, entry)| entry.is_there);
        let rooms = |entry: &TileEntry| {
            let (vertices, polygons, corners) = (entry.vertices, entry.polygons, entry.corners);
            let ground = [entry.points, entry.triangles, entry.boxes];
            let rest = [entry.regions, entry.components, entry.leaving];
            [[vertices, polygons, corners], ground, rest].concat()
        };
        let are_apart = (0..9).all(|room| {
            let slabs = present().map(|(_, entry)| rooms(entry)[room]).filter(|slab| slab.room > 0);
            let mut ends: Vec<[u32; 2]> = slabs.map(|slab| [slab.start, slab.start + slab.room]).collect();
            ends.sort_unstable();
            ends.windows(2).all(|pair| pair[0][1] <= pair[1][0])
        });
        let mut owned = vec![false; self.polygon_bound()];
        let are_own = present().all(|(slot, entry)| {
            let follows = |polygon: usize| {
                owned[polygon] = true;
                tiles.of_polygon[polygon] == slot && self.edge_range(polygon).len() >= 3
            };
            let first = entry.polygons.range().start;
            let is_first =
                entry.polygons.len == 0 || self.topology.polygon_first[first] == entry.corners.start;
            let end = self.topology.polygon_first[entry.polygons.range().end] as usize;
            let is_last = entry.polygons.len == 0 || end == entry.corners.range().end;
            entry.polygons.range().all(follows) && is_first && is_last
        });
        let count = owned.iter().filter(|owned| **owned).count();
        let ids = (0..self.polygon_bound()).map(PolyId::from_index);
        are_apart
            && are_own
            && count == tiles.count()
            && ids.zip(owned).all(|(id, owned)| self.has_polygon(id) == owned)
    }

    /// The mesh reaches as far as its tiles.
    fn is_reach_of(&self, tiles: &TileTables) -> bool {
        let present = tiles.entries.iter().filter(|entry| entry.is_there);
        let mut all = Reaches::default();
        present.for_each(|entry| all.add(&entry.reach));
        let reach = all.get();
        let bits = |(plan, height): (f64, f64)| [plan, height].map(f64::to_bits);
        let max_error = self.surface.heights.as_ref().map_or(0.0, |surface| surface.max_error);
        bits(reach.slack(&self.frame)) == bits((self.vertices.plan_slack, self.vertices.height_slack))
            && max_error.to_bits() == reach.max_error.to_bits()
    }

    fn are_edges_mutual(&self) -> bool {
        self.polygon_ids().all(|id| {
            let next = |edge: usize| self.corner_after(id.0, edge);
            let mut edges = self.edge_range(id.index());
            let are_edges = edges.all(|edge| {
                let vertex = self.topology.corner_vertices[edge].index();
                let (beyond, twin) = (self.topology.neighbours[edge], self.topology.fans.twin(to_u32(edge)));
                let is_back = || {
                    let twin = twin as usize;
                    let after = self.corner_after(beyond, twin);
                    self.edge_range(beyond as usize).contains(&twin)
                        && self.has_polygon(PolyId(beyond))
                        && self.topology.neighbours[twin] == id.0
                        && self.topology.fans.twin(to_u32(twin)) as usize == edge
                        && self.topology.corners[twin] == self.topology.corners[next(edge)]
                        && self.topology.corners[after] == self.topology.corners[edge]
                };
                self.vertices.world[vertex] == self.frame.position(self.vertices.plan[vertex])
                    && self.check_edge(edge).is_ok()
                    && if beyond == NO_NEIGHBOUR { twin == NO_NEIGHBOUR } else { is_back() }
            });
            are_edges && self.check_derived(id.index()).is_ok()
        })
    }

    fn are_fans_named(&self) -> bool {
        // Links also allow turns.
        let portals = self.links.links.iter().zip(&self.links.portals).filter(|(_, is_portal)| **is_portal);
        let ends = portals.flat_map(|(link, _)| [link.from, link.to]);
        let opened: BTreeSet<(u32, PlanPoint)> =
            ends.flat_map(|end| end.ends.map(|vertex| (end.polygon.0, vertex.point))).collect();
        self.polygon_ids().all(|id| {
            self.edge_range(id.index()).all(|corner| {
                let (mut lowest, mut is_opened) = (u32::MAX, false);
                let turns = self.around_corner(id.0, to_u32(corner), |corner, polygon| {
                    lowest = lowest.min(corner);
                    is_opened |= opened.contains(&(polygon, self.topology.corners[corner as usize].point()));
                });
                self.topology.fans.fan(to_u32(corner)) == (lowest, turns || is_opened)
            })
        })
    }

    /// Every polygon is in its cell once, and in the lists of squares there.
    fn are_places_right(&self, tiles: &TileTables) -> bool {
        let places = &tiles.places;
        let mut of_cell: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for polygon in self.polygon_ids() {
            let TilePolygon { tile, .. } = tiles.place(polygon.0);
            of_cell.entry([tile.column, tile.row]).or_default().push(polygon.0);
        }
        let spans = |at: usize| {
            let ends = of_cell.keys().map(|cell| cell[at]);
            let low = ends.clone().min().unwrap_or(1);
            [low, ends.max().unwrap_or(0)]
        };
        let cells = places.cells.iter().filter(|cell| cell.order.len > 0).count();
        let is_right = |(&at, polygons): (&[u32; 2], &Vec<u32>)| {
            let Some(cell) = cell_at(&places.grid, &places.blocks, at).and_then(|at| places.cells.get(at))
            else {
                return false;
            };
            let mut order = places.order[cell.order.range()].to_vec();
            order.sort_unstable();
            let first = &places.first[cell.first.range()];
            let listed = |squares: &[u32]| {
                let list = &places.lists[squares[0] as usize..squares[1] as usize];
                list.is_sorted() && list.iter().all(|polygon| polygons.binary_search(polygon).is_ok())
            };
            order == *polygons && first.windows(2).all(listed)
        };
        (cells, places.used) == (of_cell.len(), [spans(0), spans(1)]) && of_cell.iter().all(is_right)
    }

    /// Checks that islands are the connected components, with the right figures.
    fn are_islands_right(&self, tiles: &TileTables) -> bool {
        let mut names: Vec<Option<u32>> = vec![None; self.islands.figures.len()];
        let mut figures = vec![(0_u32, 0_i128); self.islands.figures.len()];
        let mut seen = vec![false; self.polygon_bound()];
        for first in self.polygon_ids() {
            if std::mem::replace(&mut seen[first.index()], true) {
                continue;
            }
            let island = self.island_at(first.0);
            // No other piece has this name.
            let Some(name) = names.get_mut(island as usize).filter(|name| name.is_none()) else {
                return false;
            };
            *name = Some(first.0);
            let mut stack = vec![first.0];
            while let Some(polygon) = stack.pop() {
                figures[island as usize].0 += 1;
                figures[island as usize].1 += self.doubled_area(polygon);
                if self.island_at(polygon) != island
                    || self.islands.of_polygon[polygon as usize] as usize >= tiles.islands.len()
                {
                    return false;
                }
                for beyond in self.open_edges(polygon).map(|edge| self.beyond(edge)) {
                    if !std::mem::replace(&mut seen[beyond as usize], true) {
                        stack.push(beyond);
                    }
                }
            }
        }
        let cell_area = self.frame.cell_area();
        (0..).zip(&self.islands.figures).zip(figures).all(|((number, island), (polygons, doubled))| {
            self.island_of(island.first).is_some_and(|first| first.0 == number)
                && island.polygons == polygons
                && island.area.to_bits() == (doubled as f64 / 2.0 * cell_area).to_bits()
        })
    }

    /// Links are found by their ids, and listed where they leave.
    fn are_links_listed(&self) -> bool {
        let links = &self.links;
        let count = to_u32(links.links.len());
        let mut found: Vec<(u32, u32)> = Vec::new();
        for polygon in self.polygon_ids() {
            found.extend(links.leaving(polygon.0).iter().map(|&leaving| (polygon.0, leaving)));
        }
        found.sort_unstable();
        let mut copy = links.clone();
        copy.find_leaving(
            |polygon| self.island_at(polygon.0),
            [self.polygon_bound(), self.islands.figures.len()],
        );
        let turns = self.find_link_turns();
        let mut corners = self.polygon_ids().flat_map(|id| self.edge_range(id.index())).map(to_u32);
        let mut ends = (0..count).flat_map(|link| [0, 1, 2, 3].map(|end| (LinkIndex(link), end)));
        let of_end =
            |turns: &LinkTurns, (link, end): (LinkIndex, u32)| turns.of_end(link, end / 2 == 1, end % 2);
        let is_named = links.portals.contains(&true);
        let is_same_turn = |corner: u32| {
            let (fan, may_turn) = self.topology.fans.fan(corner);
            let [own, other] = [&links.turns, &turns].map(|turns| turns.of_fan(fan));
            (!may_turn || own.1 == other.1) && (!is_named || own == other)
        };
        links.leaving_by_polygon() == found
            && copy.groups == links.groups
            && links.portals.len() == links.links.len()
            && (0..count).all(|at| links.find(links.ids[at as usize]) == Some(LinkIndex(at)))
            && corners.all(is_same_turn)
            && (!is_named || ends.all(|end| of_end(&links.turns, end) == of_end(&turns, end)))
    }
}

//! Preparation of a scene: samples, and places on a grid with the links between them.

use std::ops::Range;

use glam::{DVec2, DVec3};
use waymesh_core::{Agent, DisjointSets, TriangleSoup, threads, to_u32};

use crate::components::{Components, GridPlace};
use crate::oracle::{Oracle, Scratch, Verdict};
use crate::scene::{SceneIndex, Slope, Surface, plan_area};
use crate::walk::SAME_SURFACE;
use crate::{MetricsConfig, MetricsError};

/// Spacing of the grid in cells, if the places suffice.
const FINE: f64 = 1.25;

/// A grid with a spacing of more cells than this could miss a passage.
const COARSE: f64 = 1.3;

/// Columns of the grid for each place of the limit: most columns may be empty.
const COLUMNS_PER_PLACE: f64 = 8.0;

/// Number of columns beyond the needed ones in which plain ground is searched.
const PLAIN_MARGIN: f64 = 4.0;

/// Steps of the grid to four neighbours. The other four have steps back.
const NEIGHBOURS: [(i64, i64); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

impl Oracle {
    /// Prepares a scene: takes the samples, and finds the components of the surface on which an
    /// agent can stand.
    ///
    /// # Cost
    ///
    /// About ten microseconds for each sample and each place of the grid, on all cores.
    ///
    /// # Errors
    /// For an invalid agent or configuration. A scene without walkable ground is valid.
    pub fn new(scene: &TriangleSoup, agent: &Agent, config: &MetricsConfig) -> Result<Self, MetricsError> {
        agent.validate()?;
        config.validate()?;
        let scene = SceneIndex::new(scene, f64::from(agent.max_slope));
        let components = Components::default();
        let mut oracle =
            Self { agent: *agent, config: *config, scene, samples: Vec::new(), sample_side: 0.0, components };
        (oracle.samples, oracle.sample_side) = oracle.take_samples();
        oracle.components = find_components(&oracle);
        Ok(oracle)
    }
}

fn find_components(oracle: &Oracle) -> Components {
    let Some(grid) = Grid::over(oracle) else { return Components::default() };
    let rows = threads::map_with(0..grid.depth, |scratch: &mut Scratch, row| grid.row(oracle, row, scratch));
    let places: Vec<GridPlace> = rows.into_iter().flatten().collect();
    let certain: Vec<usize> = (0..places.len()).filter(|&place| places[place].is_certain).collect();
    let links = threads::map_with(0..places.len(), |scratch: &mut Scratch, place| {
        grid.links(oracle, &places, place, scratch)
    });
    let [mut sure, mut possible] = [(); 2].map(|()| DisjointSets::new(places.len()));
    for (a, b, is_sure) in links.into_iter().flatten() {
        possible.unite(to_u32(a), to_u32(b));
        if is_sure {
            sure.unite(to_u32(a), to_u32(b));
        }
    }
    let (sure, possible) = (sure.roots(), possible.roots());
    let mut roots: Vec<u32> = certain.iter().map(|&place| possible[place]).collect();
    roots.sort_unstable();
    roots.dedup();
    let is_coarse = grid.spacing > COARSE * oracle.cell();
    Components { places, certain, sure, possible, is_coarse, count: roots.len() }
}

/// The columns of the grid over the walkable triangles.
struct Grid {
    low: DVec2,
    spacing: f64,
    width: usize,
    depth: usize,
}

impl Grid {
    fn over(oracle: &Oracle) -> Option<Self> {
        let gentle = oracle.scene.faces.iter().filter(|face| face.slope != Slope::Steep);
        let corners = || gentle.clone().flat_map(|face| face.corners.map(crate::scene::plan));
        let low = corners().fold(DVec2::INFINITY, DVec2::min);
        let high = corners().fold(DVec2::NEG_INFINITY, DVec2::max);
        if !(low.is_finite() && high.is_finite()) {
            return None;
        }
        let size = high - low;
        let area: f64 = gentle.clone().map(|face| plan_area(&face.corners)).sum();
        let fitting = |limit: f64| {
            // Empty columns cost little. A long and narrow scene is limited by its length.
            let columns = limit * COLUMNS_PER_PLACE;
            let narrow = size.max_element() / columns;
            (FINE * oracle.cell())
                .max((area / limit).sqrt())
                .max((size.x * size.y / columns).sqrt())
                .max(narrow)
        };
        let limit = oracle.config.grid_limit as f64;
        // If the grid is too coarse to call anything apart, fewer places are enough.
        let spacing = Some(fitting(limit)).filter(|&spacing| spacing <= COARSE * oracle.cell());
        let spacing = spacing.unwrap_or_else(|| fitting((limit / 10.0).max(1.0)));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the grid limit")]
        let count = |length: f64| (length / spacing).ceil().max(1.0) as usize;
        // Off the middle, since walls of scenes often lie at round coordinates.
        let low = low + DVec2::splat(spacing * 0.473);
        Some(Self { low, spacing, width: count(size.x), depth: count(size.y) })
    }

    fn row(&self, oracle: &Oracle, row: usize, scratch: &mut Scratch) -> Vec<GridPlace> {
        let (low, high) = (oracle.scene.low.y - 1.0, oracle.scene.high.y + 1.0);
        let mut places = Vec::new();
        let mut surfaces: Vec<Surface> = Vec::new();
        // Forgotten after each row, so that the result does not depend on threads.
        (scratch.margin, scratch.plain) = (PLAIN_MARGIN * self.spacing, None);
        for x in 0..self.width {
            let at = self.low + DVec2::new(x as f64, row as f64) * self.spacing;
            oracle.scene.column(at, low, high, &mut surfaces);
            surfaces.retain(|surface| oracle.scene.faces[surface.face].slope != Slope::Steep);
            surfaces.sort_by(|a, b| b.height.total_cmp(&a.height).then(a.face.cmp(&b.face)));
            surfaces.dedup_by(|lower, upper| upper.height - lower.height <= SAME_SURFACE);
            for surface in surfaces.iter().rev() {
                let position = DVec3::new(at.x, surface.height, at.y);
                let verdict = oracle.verdict(position, scratch);
                if !matches!(verdict, Verdict::Obstructed(_)) {
                    let is_gentle = oracle.scene.faces[surface.face].slope == Slope::Gentle;
                    let is_certain = verdict == Verdict::Standable && is_gentle;
                    places.push(GridPlace { column: row * self.width + x, position, is_certain });
                }
            }
        }
        places
    }

    /// Returns the links from a place to its neighbours, with `true` for sure ones; and where there is
    /// none, the possible links over two cells.
    fn links(
        &self,
        oracle: &Oracle,
        places: &[GridPlace],
        index: usize,
        scratch: &mut Scratch,
    ) -> Vec<(usize, usize, bool)> {
        let (mut links, mut far) = (Vec::new(), Vec::new());
        let gather = |scratch: &mut Scratch, cells: f64| {
            let length = cells * self.spacing * std::f64::consts::SQRT_2;
            scratch.around.gather(&oracle.scene, places[index].position, length, &oracle.limits(1.0));
        };
        gather(scratch, 1.0);
        for (dx, dz) in NEIGHBOURS {
            let found = links.len();
            self.links_along(oracle, places, (index, dx, dz), scratch, &mut links);
            let double = (index, 2 * dx, 2 * dz);
            if links.len() == found && !self.column(places, double).is_empty() {
                far.push(double);
            }
        }
        if !far.is_empty() {
            gather(scratch, 2.0);
            for offset in far {
                self.links_along(oracle, places, offset, scratch, &mut links);
            }
        }
        links
    }

    /// Returns the indices of the places in the column at an offset from that of a place.
    fn column(&self, places: &[GridPlace], (index, dx, dz): (usize, i64, i64)) -> Range<usize> {
        let column = places[index].column;
        let ends = step(column % self.width, dx, self.width).zip(step(column / self.width, dz, self.depth));
        let Some((x, z)) = ends else { return 0..0 };
        let column = z * self.width + x;
        let first = places.partition_point(|place| place.column < column);
        first..places.partition_point(|place| place.column <= column)
    }

    /// Adds the links from a place to those at an offset in cells, with `true` for sure ones. Over
    /// more than a cell none is sure.
    fn links_along(
        &self,
        oracle: &Oracle,
        places: &[GridPlace],
        (index, dx, dz): (usize, i64, i64),
        scratch: &mut Scratch,
        links: &mut Vec<(usize, usize, bool)>,
    ) {
        let place = &places[index];
        let neighbours = self.column(places, (index, dx, dz));
        if neighbours.is_empty() {
            return;
        }
        let offset = DVec2::new(dx as f64, dz as f64);
        let (direction, length) = (offset.normalize(), offset.length() * self.spacing);
        let near = f64::from(oracle.config.level_height) / 2.0 + SAME_SURFACE;
        let meets = |arrival: Option<f64>, neighbour: &GridPlace| {
            arrival.is_some_and(|rise| (place.position.y + rise - neighbour.position.y).abs() <= near)
        };
        let possible = scratch.around.walk(direction, length, &oracle.limits(1.0)).arrival;
        if possible.is_none() {
            return;
        }
        let sure = scratch.around.walk(direction, length, &oracle.limits(-1.0));
        let sure = sure.arrival.filter(|_| !sure.clearance.doubtful.is_finite());
        let is_near = dx.abs().max(dz.abs()) == 1;
        for other in neighbours {
            let neighbour = &places[other];
            let is_sure = place.is_certain && neighbour.is_certain && meets(sure, neighbour);
            if is_sure || meets(possible, neighbour) {
                links.push((index, other, is_sure && is_near));
            }
        }
    }
}

fn step(value: usize, by: i64, count: usize) -> Option<usize> {
    let next = i64::try_from(value).ok()? + by;
    usize::try_from(next).ok().filter(|&next| next < count)
}

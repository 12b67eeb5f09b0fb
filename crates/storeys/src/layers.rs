//! Ordered flooding of rough voxels into layers that do not overlap themselves.

use std::collections::HashSet;

use glam::Vec3;
use waymesh_core::{
    Direction, DisjointSets, FieldWindow, GridFrame, GridWindow, SlimSpans, SpanField, checkpoint,
    checkpoint_every, saturating_u32, to_u32,
};

use crate::StoreysError;
use crate::config::{HEIGHT_SLACK, MAX_FLOORS, StoreysConfig, Walk};
use crate::rough::RoughVoxels;

/// The ground of a layer in one rough column: heights in metres above the frame's origin.
///
/// Two places of a floor, one above the other, are never farther apart than the agent's height: the
/// agent cannot stand on the lower one. So the layer is cut from above at the upper end, and the
/// highest ground below it is all the ground of the layer there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Lower end of the lowest voxel.
    pub low: f32,
    /// Upper end of the highest voxel: the cutting shape.
    pub high: f32,
    /// The layer.
    pub layer: u32,
    /// `true` if the agent has head room above all of it. Otherwise it may still have head room in
    /// a part of the column.
    pub accessible: bool,
}

/// The layers of a scene over its rough columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// Rough columns along x.
    pub width: u32,
    /// Rough columns along z.
    pub depth: u32,
    /// Fine cells along a side of a rough one.
    pub side: u32,
    /// Number of layers, including empty ones.
    pub count: u32,
    /// Number of layers with an accessible floor. These are the first ones.
    pub walkable: u32,
    /// Largest vertical distance of linked floors of neighbouring columns, in metres.
    rise: f32,
    /// First floor of each column, and the end.
    starts: Vec<u32>,
    /// The floors of all columns, from the lowest up in each column.
    floors: Vec<Floor>,
}

/// A floor in levels, without a layer.
#[derive(Clone, Copy)]
struct Run {
    low: u32,
    high: u32,
    accessible: bool,
}

const NO_LAYER: u32 = u32::MAX;

/// Assigns the positive voxels to layers.
///
/// The positive voxels of a column without head room for the agent between them are one floor.
/// Floors are visited from the bottom up, as voxels are in the thesis. An accessible floor without
/// a layer starts a new one. It gives its layer to the adjacent accessible floors within a step,
/// unless the layer already has a floor in that column. If it touches another layer, the two are
/// merged if they do not overlap. A second pass does this with all floors. So every layer also gets
/// the adjacent obstacles, between which a part of its ground may lie.
///
/// # Guarantees
/// - A layer has at most one floor in a column. Every positive voxel lies in exactly one floor.
/// - No two layers could be merged without an overlap. Their number is the number of floors of the
///   fullest column, or little more.
/// - Layers are numbered by their lowest floor, then by x, then z. Those without an accessible
///   floor come after all others. The result does not depend on the order of the triangles.
///
/// # Cost
/// Almost linear in the floors: a merge visits the smaller layer. A layer that touches no other is
/// compared with all.
///
/// # Errors
/// [`StoreysError::TooMany`] beyond 2^32 floors.
///
/// # References
/// Oliva 2012, section 6.2.2.2.
pub fn flood_layers(voxels: &RoughVoxels, config: &StoreysConfig) -> Result<Layers, StoreysError> {
    config.validate()?;
    let walk = Walk::new(config);
    let level = config.rough_level();
    let (starts, runs) = runs(voxels, config)?;
    let mut flood = Flood {
        width: voxels.width,
        depth: voxels.depth,
        rise: levels((walk.rise / level).ceil()),
        starts: &starts,
        runs: &runs,
        layer: vec![NO_LAYER; runs.len()],
        layers: DisjointSets::default(),
        members: Vec::new(),
        overlapping: HashSet::new(),
        occupied: HashSet::new(),
    };
    let mut order: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(runs.len());
    for column in 0..starts.len() - 1 {
        checkpoint_every(1 << 12, column);
        let column = to_u32(column);
        let (x, z) = (column % voxels.width, column / voxels.width);
        let floors = starts[column as usize]..starts[column as usize + 1];
        order.extend(floors.map(|floor| (runs[floor as usize].low, x, z, floor)));
    }
    order.sort_unstable();
    for accessible_only in [true, false] {
        for &(_, x, z, floor) in &order {
            checkpoint_every(1 << 10, floor as usize);
            if !accessible_only || runs[floor as usize].accessible {
                flood.spread(floor, x, z, accessible_only);
            }
        }
        // Packed here because obstacles take up space later.
        flood.pack(&order);
    }
    let roots: Vec<u32> = flood.layer.clone().into_iter().map(|layer| flood.layers.find(layer)).collect();
    let (mut numbers, mut count, mut walkable) = (vec![NO_LAYER; flood.layers.len()], 0, 0);
    for layer in flood.number(&order) {
        numbers[layer.root as usize] = count;
        count += 1;
        walkable += u32::from(layer.walkable);
    }
    let floors = runs.iter().zip(&roots).map(|(run, &root)| Floor {
        low: run.low as f32 * level,
        high: (run.high + 1) as f32 * level,
        layer: numbers[root as usize],
        accessible: run.accessible,
    });
    let floors = floors.collect();
    let (width, depth, side) = (voxels.width, voxels.depth, config.rough_cells());
    Ok(Layers { width, depth, side, count, walkable, rise: walk.rise, starts, floors })
}

fn levels(count: f32) -> u32 {
    saturating_u32(count)
}

/// Returns the floors of all columns.
fn runs(voxels: &RoughVoxels, config: &StoreysConfig) -> Result<(Vec<u32>, Vec<Run>), StoreysError> {
    let columns = voxels.width as usize * voxels.depth as usize;
    let level = config.rough_level();
    let room = levels((config.agent.height / level + 1e-4).floor()).max(2);
    // Two places within `room` levels are closer than the agent's height.
    let most = room - 1;
    // The ground may lie at the lower end of its voxel, and the ceiling at the upper end of its
    // voxel.
    let free = room.saturating_sub(1).max(1);
    let mut starts = Vec::with_capacity(columns + 1);
    let mut runs: Vec<Run> = Vec::new();
    starts.push(0);
    for column in 0..columns {
        checkpoint_every(1 << 12, column);
        let first = runs.len();
        voxels.runs(column, |mut low, high| {
            if let Some(last) = runs[first..].last_mut()
                && low <= last.low + most
            {
                last.high = high.min(last.low + most);
                low = last.high + 1;
            }
            while low <= high {
                let end = high.min(low + most);
                runs.push(Run { low, high: end, accessible: false });
                low = end + 1;
            }
        });
        let count = (runs.len() - first) as u64;
        if count > MAX_FLOORS {
            return Err(StoreysError::TooMany { element: "floors of a column", count, limit: MAX_FLOORS });
        }
        for run in &mut runs[first..] {
            run.accessible = voxels.is_empty(column, run.high + 1, run.high.saturating_add(free));
        }
        starts.push(StoreysError::fit("floors", runs.len() as u64)?);
    }
    Ok((starts, runs))
}

struct Flood<'a> {
    width: u32,
    depth: u32,
    rise: u32,
    starts: &'a [u32],
    runs: &'a [Run],
    layer: Vec<u32>,
    layers: DisjointSets,
    /// Floors of each layer that has not been merged into another.
    members: Vec<Vec<u32>>,
    /// Pairs of layers that overlap. Layers only grow, so they stay overlapping.
    overlapping: HashSet<(u32, u32)>,
    /// Pairs of a layer and a column, for columns with more than [`FEW_FLOORS`] floors. Layers that
    /// were merged into another one stay.
    occupied: HashSet<(u32, u32)>,
}

/// Number of layers up to which each is compared with all others.
const MANY_LAYERS: usize = 64;

/// Number of floors up to which a column is searched floor by floor.
const FEW_FLOORS: usize = 16;

/// A layer before it is numbered.
#[derive(Clone, Copy)]
struct Numbered {
    root: u32,
    walkable: bool,
    /// Lowest and highest level of its floors.
    low: u32,
    high: u32,
}

impl Flood<'_> {
    fn column(&self, x: u32, z: u32) -> std::ops::Range<u32> {
        let column = z as usize * self.width as usize + x as usize;
        self.starts[column]..self.starts[column + 1]
    }

    /// Returns the floors of a column that touch a floor, and a few others.
    fn touching(&self, floor: u32, (x, z): (u32, u32)) -> std::ops::Range<u32> {
        let column = self.column(x, z);
        if column.len() <= FEW_FLOORS {
            return column;
        }
        let own = self.runs[floor as usize];
        let runs = &self.runs[column.start as usize..column.end as usize];
        let first = runs.partition_point(|run| run.high + self.rise < own.low);
        let count = runs[first..].partition_point(|run| run.low <= own.high + self.rise);
        let first = column.start + to_u32(first);
        first..first + to_u32(count)
    }

    /// Returns `true` if a layer has a floor in a column.
    fn has(&mut self, layer: u32, mut column: std::ops::Range<u32>) -> bool {
        if column.len() > FEW_FLOORS {
            return self.occupied.contains(&(layer, column.start));
        }
        column.any(|floor| {
            let other = self.layer[floor as usize];
            other != NO_LAYER && self.layers.find(other) == layer
        })
    }

    /// Adds a floor of a column to a layer.
    fn assign(&mut self, floor: u32, layer: u32, column: std::ops::Range<u32>) {
        self.layer[floor as usize] = layer;
        self.members[layer as usize].push(floor);
        if column.len() > FEW_FLOORS {
            self.occupied.insert((layer, column.start));
        }
    }

    /// Returns the column of a floor.
    fn column_of(&self, floor: u32) -> std::ops::Range<u32> {
        let column = self.starts.partition_point(|&start| start <= floor) - 1;
        self.starts[column]..self.starts[column + 1]
    }

    fn spread(&mut self, floor: u32, x: u32, z: u32, accessible_only: bool) {
        let mut own = self.layer[floor as usize];
        if own == NO_LAYER {
            // A floor that can join a layer does not start its own.
            own = self.join_neighbour(floor, x, z).unwrap_or_else(|| self.start_layer(floor, (x, z)));
        }
        own = self.layers.find(own);
        for column in neighbours(x, z, self.width, self.depth) {
            for other in self.touching(floor, column) {
                let candidate = self.runs[other as usize];
                if (accessible_only && !candidate.accessible) || !self.touch(floor, other) {
                    continue;
                }
                let theirs = self.layer[other as usize];
                if theirs == NO_LAYER {
                    let column = self.column(column.0, column.1);
                    if !self.has(own, column.clone()) {
                        self.assign(other, own, column);
                    }
                } else {
                    own = self.merge(own, theirs);
                }
            }
        }
    }

    fn join_neighbour(&mut self, floor: u32, x: u32, z: u32) -> Option<u32> {
        let own_column = self.column(x, z);
        for (nx, nz) in neighbours(x, z, self.width, self.depth) {
            for other in self.touching(floor, (nx, nz)) {
                let theirs = self.layer[other as usize];
                if theirs == NO_LAYER || !self.touch(floor, other) {
                    continue;
                }
                let root = self.layers.find(theirs);
                if !self.has(root, own_column.clone()) {
                    self.assign(floor, root, own_column);
                    return Some(root);
                }
            }
        }
        None
    }

    fn start_layer(&mut self, floor: u32, (x, z): (u32, u32)) -> u32 {
        let layer = self.layers.push();
        self.members.push(Vec::new());
        self.assign(floor, layer, self.column(x, z));
        layer
    }

    fn touch(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.runs[a as usize], self.runs[b as usize]);
        a.low <= b.high + self.rise && b.low <= a.high + self.rise
    }

    /// Merges two layers if they do not overlap. Returns the layer of the first.
    fn merge(&mut self, own: u32, theirs: u32) -> u32 {
        let theirs = self.layers.find(theirs);
        if own == theirs || self.overlapping.contains(&(own.min(theirs), own.max(theirs))) {
            return own;
        }
        let (small, large) = if self.members[own as usize].len() < self.members[theirs as usize].len() {
            (own, theirs)
        } else {
            (theirs, own)
        };
        let members = std::mem::take(&mut self.members[small as usize]);
        let overlaps = members.iter().any(|&floor| self.has(large, self.column_of(floor)));
        if overlaps {
            self.members[small as usize] = members;
            self.overlapping.insert((own.min(theirs), own.max(theirs)));
            return own;
        }
        self.layers.put(small, large);
        if !self.occupied.is_empty() {
            for &floor in &members {
                let column = self.column_of(floor);
                if column.len() > FEW_FLOORS {
                    self.occupied.insert((large, column.start));
                }
            }
        }
        self.members[large as usize].extend(members);
        large
    }

    /// Returns all layers: those with an accessible floor first, then by their lowest floor.
    fn number(&mut self, order: &[(u32, u32, u32, u32)]) -> Vec<Numbered> {
        let mut places = vec![NO_LAYER; self.layers.len()];
        let mut found: Vec<Numbered> = Vec::new();
        for &(.., floor) in order {
            let (layer, run) = (self.layer[floor as usize], self.runs[floor as usize]);
            if layer == NO_LAYER {
                continue;
            }
            let root = self.layers.find(layer);
            if places[root as usize] == NO_LAYER {
                let place = to_u32(found.len());
                places[root as usize] = place;
                found.push(Numbered { root, walkable: false, low: run.low, high: run.high });
            }
            let layer = &mut found[places[root as usize] as usize];
            layer.walkable |= run.accessible;
            layer.high = layer.high.max(run.high);
        }
        found.sort_by_key(|layer| !layer.walkable);
        found
    }

    /// Merges each layer, from the lowest up, into the previous one that is nearest in height and
    /// that it does not overlap.
    fn pack(&mut self, order: &[(u32, u32, u32, u32)]) {
        let layers = self.number(order);
        let mut kept: Vec<Numbered> = Vec::new();
        let mut near: Vec<(u32, usize)> = Vec::new();
        // For the first floor of each column, the number of kept layers in the column. A layer with
        // a floor in a column of all of them overlaps all of them.
        let mut kept_in = vec![0_usize; if layers.len() > MANY_LAYERS { self.runs.len() } else { 0 }];
        let mut columns: Vec<usize> = Vec::new();
        for layer in layers {
            checkpoint();
            if !kept_in.is_empty() {
                let members = &self.members[layer.root as usize];
                columns.clear();
                columns.extend(members.iter().map(|&floor| self.column_of(floor).start as usize));
                let overlaps_all = columns.iter().any(|&column| kept_in[column] == kept.len());
                columns.iter().for_each(|&column| kept_in[column] += 1);
                if overlaps_all {
                    kept.push(layer);
                    continue;
                }
            }
            let apart = |other: &Numbered| {
                layer.low.saturating_sub(other.high).max(other.low.saturating_sub(layer.high))
            };
            near.clear();
            near.extend(kept.iter().map(apart).zip(0..));
            near.sort_unstable();
            let home = near.iter().find_map(|&(_, home)| {
                let into = self.merge(kept[home].root, layer.root);
                (self.layers.find(layer.root) == into).then_some((home, into))
            });
            match home {
                Some((home, into)) => {
                    let home = &mut kept[home];
                    *home = Numbered {
                        root: into,
                        walkable: home.walkable,
                        low: home.low.min(layer.low),
                        high: home.high.max(layer.high),
                    };
                }
                None => kept.push(layer),
            }
        }
    }
}

/// Returns the adjacent columns of a column.
fn neighbours(x: u32, z: u32, width: u32, depth: u32) -> impl Iterator<Item = (u32, u32)> {
    Direction::ALL.into_iter().filter_map(move |direction| {
        let (dx, dz) = direction.offset();
        let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
        (x < width && z < depth).then_some((x, z))
    })
}

impl Layers {
    /// Returns the floors of a rough column, from the lowest up.
    ///
    /// # Panics
    /// If the column is outside the grid.
    #[inline]
    #[must_use]
    pub fn column(&self, x: u32, z: u32) -> &[Floor] {
        &self.floors[self.range(x, z)]
    }

    fn range(&self, x: u32, z: u32) -> std::ops::Range<usize> {
        let column = z as usize * self.width as usize + x as usize;
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Returns all floors, column by column.
    #[must_use]
    pub fn floors(&self) -> &[Floor] {
        &self.floors
    }

    /// Returns the number of layers with an accessible floor that still have floors.
    #[must_use]
    pub fn kept(&self) -> u32 {
        let mut seen = vec![false; self.count as usize];
        self.floors.iter().for_each(|floor| seen[floor.layer as usize] = true);
        seen.truncate(self.walkable as usize);
        u32::try_from(seen.into_iter().filter(|&seen| seen).count()).unwrap_or(u32::MAX)
    }

    /// Marks in `drawn` the layers with ground in the core of a drawn part.
    ///
    /// # Panics
    /// If there are fewer marks than layers, or the part belongs to another grid.
    pub fn mark_drawn(&self, part: &FieldWindow<SlimSpans>, drawn: &mut [bool]) {
        let GridWindow { x: first_x, z: first_z, .. } = part.core;
        let columns = |first: u32, end: u32| first / self.side..end.div_ceil(self.side);
        for z in columns(first_z, part.core.end_z()) {
            checkpoint();
            for x in columns(first_x, part.core.end_x()) {
                // Most columns have only marked layers.
                if self.column(x, z).iter().all(|floor| drawn[floor.layer as usize]) {
                    continue;
                }
                let (left, top) = (x * self.side, z * self.side);
                let pixels = GridWindow::new(left, top, self.side, self.side).intersection(&part.core);
                for pz in pixels.z..pixels.end_z() {
                    for px in pixels.x..pixels.end_x() {
                        self.mark_column(part, (px, pz), self.column(x, z), drawn);
                    }
                }
            }
        }
    }

    fn mark_column(
        &self,
        part: &FieldWindow<SlimSpans>,
        (x, z): (u32, u32),
        floors: &[Floor],
        drawn: &mut [bool],
    ) {
        for span in part.field.spans_at(x - part.window.x, z - part.window.z) {
            let ground = part.field.ground[span as usize] * part.frame.level_height + HEIGHT_SLACK;
            let below = floors.partition_point(|floor| floor.low <= ground);
            if let Some(floor) = below.checked_sub(1) {
                drawn[floors[floor].layer as usize] = true;
            }
        }
    }

    fn touch(&self, a: &Floor, b: &Floor) -> bool {
        a.low <= b.high + self.rise && b.low <= a.high + self.rise
    }

    /// Keeps only the floors that are connected to one of the seeds. This is a first approximation
    /// on rough columns: floors connected there need not be connected by ground, so the final mesh
    /// has to be filtered again.
    ///
    /// # Errors
    /// [`StoreysError::SeedOffGround`] for the first seed with no floor within a step above or
    /// below it.
    pub fn keep_connected(&mut self, seeds: &[Vec3], frame: &GridFrame) -> Result<(), StoreysError> {
        if seeds.is_empty() {
            return Ok(());
        }
        let mut keep = vec![false; self.floors.len()];
        let mut stack = Vec::new();
        for (index, seed) in seeds.iter().enumerate() {
            let [x, y, z] = frame.to_grid(*seed);
            let y = y * f64::from(frame.level_height);
            let column = |cells: f64| (cells / f64::from(self.side)).floor();
            let (x, z) = (column(x), column(z));
            let off = StoreysError::SeedOffGround { seed: index, position: seed.to_array() };
            if !(x >= 0.0 && z >= 0.0 && x < f64::from(self.width) && z < f64::from(self.depth)) {
                return Err(off);
            }
            let (x, z) = (saturating_u32(x), saturating_u32(z));
            let near = |floor: &Floor| {
                y >= f64::from(floor.low - self.rise) && y <= f64::from(floor.high + self.rise)
            };
            let before = stack.len();
            stack.extend(
                self.range(x, z).filter(|&floor| near(&self.floors[floor])).map(|floor| (floor, x, z)),
            );
            if stack.len() == before {
                return Err(off);
            }
        }
        stack.iter().for_each(|&(floor, ..)| keep[floor] = true);
        while let Some((floor, x, z)) = stack.pop() {
            for (x, z) in neighbours(x, z, self.width, self.depth) {
                for other in self.range(x, z) {
                    if !keep[other] && self.touch(&self.floors[floor], &self.floors[other]) {
                        keep[other] = true;
                        stack.push((other, x, z));
                    }
                }
            }
        }
        let mut kept = 0;
        let mut start = 0;
        for column in 0..self.starts.len() - 1 {
            let end = self.starts[column + 1];
            for floor in start..end {
                kept += u32::from(keep[floor as usize]);
            }
            start = end;
            self.starts[column + 1] = kept;
        }
        let mut keep = keep.into_iter();
        self.floors.retain(|_| keep.next().unwrap_or(false));
        Ok(())
    }
}

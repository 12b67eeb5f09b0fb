//! The islands of a mesh of tiles, kept up to date where tiles change.
//!
//! A component is a connected set of polygons within a tile. An island is a connected set of
//! components over the borders of tiles. After a change of tiles an island can split only if
//! components around them were connected through them; then it is searched from all sides of the
//! gap at once, until all searches but one have found a whole piece.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use waymesh_core::{DisjointSets, PolyId, to_u32};

use super::columns::Columns;
use crate::mesh::islands::{Island, NO_ISLAND};
use crate::mesh::named_sets::NamedSets;

/// Figures of a component or an island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) polygons: u32,
    /// Twice their area, in square cells.
    pub(super) doubled: i128,
}

#[derive(Clone, Debug)]
struct Component {
    figures: Figures,
    /// The lowest of its polygons.
    first: u32,
    /// [`NO_ISLAND`] if there is no such component.
    island: u32,
    /// Adjacent components of other tiles, ascending.
    beside: Vec<u32>,
}

const NO_COMPONENT: Component = Component {
    figures: Figures { polygons: 0, doubled: 0 },
    first: 0,
    island: NO_ISLAND,
    beside: Vec::new(),
};

#[derive(Clone, Copy, Debug)]
struct Whole {
    components: u32,
    figures: Figures,
    /// One of its components.
    one: u32,
}

/// The islands of a mesh of tiles, with their components.
#[derive(Clone, Debug, Default)]
pub(super) struct TileIslands {
    components: Vec<Component>,
    islands: Vec<Whole>,
    /// Components that came into another island, and islands that are others, since the tables were
    /// written.
    moved: Vec<u32>,
    touched: BTreeSet<u32>,
    /// `true` if islands were added, removed or merged since the last numbering.
    is_renumbered: bool,
}

/// Changes of components.
#[derive(Clone, Debug, Default)]
pub(super) struct ComponentChanges {
    /// Components that are not there any more.
    pub(super) gone: Vec<u32>,
    /// Added components, with their lowest polygons.
    pub(super) came: Vec<(u32, u32, Figures)>,
    /// Components of written tiles; `beside` lists all their neighbours.
    pub(super) written: Vec<u32>,
    /// Pairs of adjacent components over the borders of these tiles, in both orders.
    pub(super) beside: Vec<(u32, u32)>,
}

impl TileIslands {
    /// Brings the islands up to date. Takes time in what changed, unless an island falls apart or may
    /// have; then also in the smaller pieces, or what lies around the gap, and unless islands become
    /// one; then also in the smaller ones.
    pub(super) fn update(&mut self, changes: &ComponentChanges) {
        // Components around removed ones, grouped by the connections that were lost.
        let gone: BTreeSet<u32> = changes.gone.iter().copied().collect();
        let (mut around, mut before) = (BTreeSet::new(), NamedSets::default());
        for &component in &changes.gone {
            for &beside in &self.components[component as usize].beside {
                before.unite(component, beside);
                if !gone.contains(&beside) {
                    around.insert(beside);
                }
            }
        }
        let mut was_one: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        around.iter().for_each(|&of| was_one.entry(before.find(of)).or_default().push(of));
        for &component in &changes.gone {
            self.take(component);
            self.components[component as usize] = NO_COMPONENT;
            self.moved.push(component);
        }
        self.enter(changes);

        // Components connected through added ones.
        let came: BTreeSet<u32> = changes.came.iter().map(|&(component, ..)| component).collect();
        let mut now = NamedSets::default();
        for &component in &came {
            now.find(component);
            for &beside in &self.components[component as usize].beside {
                now.unite(component, beside);
                if !came.contains(&beside) {
                    around.insert(beside);
                }
            }
        }
        let mut classes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        came.iter().chain(&around).for_each(|&of| classes.entry(now.find(of)).or_default().push(of));
        let parted = was_one
            .into_values()
            .map(|members| members.into_iter().map(|of| now.find(of)).collect::<BTreeSet<u32>>());
        for piece in self.pieces(parted.filter(|classes| classes.len() > 1), &classes) {
            self.make_island(&piece);
        }
        self.merge(&classes);
        for members in classes.values() {
            let new: Vec<u32> = members.iter().copied().filter(|&of| self.island(of) == NO_ISLAND).collect();
            match members.iter().map(|&of| self.island(of)).find(|&island| island != NO_ISLAND) {
                Some(island) => new.into_iter().for_each(|of| self.put(of, island)),
                None => self.make_island(&new),
            }
        }
        // Every island that lost something has some of this, if there is anything left of it.
        for of in came.into_iter().chain(around) {
            let island = self.island(of) as usize;
            if self.island(self.islands[island].one) as usize != island {
                self.islands[island].one = of;
            }
        }
        self.close_up();
    }

    /// Islands of components whose names are known, and one component of each island.
    pub(super) fn with_names(
        changes: &ComponentChanges,
        names: &[u32],
        ones: impl Iterator<Item = u32>,
    ) -> Self {
        let mut islands = Self::default();
        islands.enter(changes);
        islands.islands = ones.map(|one| Whole { components: 0, figures: Figures::default(), one }).collect();
        for &(component, ..) in &changes.came {
            islands.put(component, names[component as usize]);
        }
        islands.moved.clear();
        islands.touched.clear();
        islands
    }

    /// Adds components, without an island, and the adjacency.
    fn enter(&mut self, changes: &ComponentChanges) {
        for &(component, first, figures) in &changes.came {
            let at = component as usize;
            if self.components.len() <= at {
                self.components.resize(at + 1, NO_COMPONENT);
            }
            self.components[at] = Component { figures, first, ..NO_COMPONENT };
        }
        for &component in &changes.written {
            self.components[component as usize].beside.clear();
        }
        let mut pairs = changes.beside.clone();
        pairs.sort_unstable();
        pairs.dedup();
        for pairs in pairs.chunk_by(|one, other| one.0 == other.0) {
            let beside = &mut self.components[pairs[0].0 as usize].beside;
            // Components of tiles that were not written already list their neighbours.
            beside.extend(pairs.iter().map(|pair| pair.1));
            beside.sort_unstable();
            beside.dedup();
        }
    }

    fn island(&self, component: u32) -> u32 {
        self.components.get(component as usize).map_or(NO_ISLAND, |component| component.island)
    }

    /// Takes a component out of its island.
    fn take(&mut self, component: u32) {
        let Component { figures, island, .. } = self.components[component as usize];
        if let Some(whole) = self.islands.get_mut(island as usize) {
            whole.components -= 1;
            whole.figures.polygons -= figures.polygons;
            whole.figures.doubled -= figures.doubled;
            self.touched.insert(island);
        }
    }

    /// Puts a component into an island, out of the one it is in.
    fn put(&mut self, component: u32, island: u32) {
        self.take(component);
        let own = &mut self.components[component as usize];
        own.island = island;
        let whole = &mut self.islands[island as usize];
        whole.components += 1;
        whole.figures.polygons += own.figures.polygons;
        whole.figures.doubled += own.figures.doubled;
        self.touched.insert(island);
        self.moved.push(component);
    }

    fn make_island(&mut self, components: &[u32]) {
        let Some(&one) = components.first() else { return };
        self.is_renumbered = true;
        let island = to_u32(self.islands.len());
        self.islands.push(Whole { components: 0, figures: Figures::default(), one });
        components.iter().for_each(|&component| self.put(component, island));
    }

    /// Returns the pieces of islands that split, except one of each: former classes that are no longer
    /// connected.
    fn pieces(
        &self,
        parted: impl Iterator<Item = BTreeSet<u32>>,
        classes: &BTreeMap<u32, Vec<u32>>,
    ) -> Vec<Vec<u32>> {
        // Gaps of one island, and of islands that are merged now, are searched together.
        let islands =
            |class: &u32| classes[class].iter().map(|&of| self.island(of)).filter(|&of| of != NO_ISLAND);
        let mut groups = NamedSets::default();
        let parted: Vec<BTreeSet<u32>> = parted.collect();
        for class in classes.keys() {
            islands(class).zip(islands(class).skip(1)).for_each(|(one, other)| groups.unite(one, other));
        }
        let mut of_group: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for class in parted.iter().flatten() {
            if let Some(island) = islands(class).next() {
                of_group.entry(groups.find(island)).or_default().insert(*class);
            }
        }
        let seeds = |group: BTreeSet<u32>| group.into_iter().map(|class| classes[&class].clone()).collect();
        of_group.into_values().flat_map(|group| self.race(seeds(group))).collect()
    }

    /// Searches from several places at once, until all but one are searched as far as they go. Returns
    /// what those found that are.
    fn race(&self, seeds: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let mut sets = DisjointSets::new(seeds.len());
        let mut found: HashMap<u32, u32> = HashMap::new();
        let mut open: Vec<VecDeque<u32>> = Vec::new();
        let mut done: Vec<Vec<u32>> = Vec::new();
        for (number, seed) in (0..).zip(seeds) {
            found.extend(seed.iter().map(|&of| (of, number)));
            open.push(seed.into());
            done.push(Vec::new());
        }
        let mut running: Vec<u32> = (0..to_u32(open.len())).collect();
        while running.len() > 1 {
            for &search in &running {
                let own = sets.find(search);
                let Some(component) = open[own as usize].pop_front() else { continue };
                done[own as usize].push(component);
                for &beside in &self.components[component as usize].beside {
                    let own = sets.find(own);
                    match found.get(&beside).map(|&other| sets.find(other)) {
                        None => {
                            found.insert(beside, own);
                            open[own as usize].push_back(beside);
                        }
                        Some(other) if other != own => {
                            let into = sets.unite(own, other) as usize;
                            let from = own.max(other) as usize;
                            let (more, rest) =
                                (std::mem::take(&mut open[from]), std::mem::take(&mut done[from]));
                            open[into].extend(more);
                            done[into].extend(rest);
                        }
                        Some(_) => {}
                    }
                }
            }
            running.retain(|&search| sets.find(search) == search && !open[search as usize].is_empty());
        }
        let rest = running.first().copied();
        (0_u32..)
            .zip(done)
            .filter(|&(search, _)| Some(search) != rest)
            .map(|(_, piece)| piece)
            .filter(|piece| !piece.is_empty())
            .collect()
    }

    /// Merges islands that are connected through added components: the smaller ones into the largest.
    fn merge(&mut self, classes: &BTreeMap<u32, Vec<u32>>) {
        let mut groups = NamedSets::default();
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for class in classes.values() {
            let mut before = None;
            for &of in class {
                let island = self.island(of);
                if island != NO_ISLAND {
                    groups.unite(island, before.unwrap_or(island));
                    before = Some(island);
                    members.entry(island).or_default().push(of);
                }
            }
        }
        let mut largest: HashMap<u32, u32> = HashMap::new();
        for &island in members.keys() {
            let best = largest.entry(groups.find(island)).or_insert(island);
            if self.islands[island as usize].components > self.islands[*best as usize].components {
                *best = island;
            }
        }
        for (island, mut stack) in members {
            let into = largest[&groups.find(island)];
            while let Some(component) = stack.pop().filter(|_| island != into) {
                if self.island(component) == island {
                    self.is_renumbered = true;
                    self.put(component, into);
                    stack.extend(&self.components[component as usize].beside);
                }
            }
        }
    }

    /// Leaves out the islands of which nothing is left: the last one takes the place of each.
    fn close_up(&mut self) {
        let empty = |whole: &Whole| whole.components == 0;
        let touched: Vec<u32> = self.touched.iter().rev().copied().collect();
        for island in touched {
            if !self.islands.get(island as usize).is_some_and(empty) {
                continue;
            }
            self.is_renumbered = true;
            self.islands.swap_remove(island as usize);
            let Some(&Whole { one, .. }) = self.islands.get(island as usize) else { continue };
            let moved = self.island(one);
            let mut stack = vec![one];
            while let Some(component) = stack.pop() {
                if self.island(component) == moved {
                    self.components[component as usize].island = island;
                    self.moved.push(component);
                    stack.extend(&self.components[component as usize].beside);
                }
            }
        }
    }

    /// Returns `true` if islands came, went or became one since it was called last.
    pub(super) fn take_renumbered(&mut self) -> bool {
        std::mem::take(&mut self.is_renumbered)
    }

    /// Writes what changed.
    pub(super) fn write(&mut self, cell_area: f64, columns: &mut Columns) {
        columns.island_of.grow(self.components.len(), NO_ISLAND);
        for component in std::mem::take(&mut self.moved) {
            columns.island_of.set(component as usize, self.island(component));
        }
        while columns.islands.len() > self.islands.len() {
            columns.islands.swap_remove(columns.islands.len() - 1);
        }
        for island in std::mem::take(&mut self.touched) {
            let Some(&Whole { figures, one, .. }) = self.islands.get(island as usize) else { continue };
            let first = PolyId(self.components[one as usize].first);
            let area = figures.doubled as f64 / 2.0 * cell_area;
            let figures = Island { first, polygons: figures.polygons, area };
            match columns.islands.len() {
                len if len == island as usize => columns.islands.push(figures),
                _ => columns.islands.set(island as usize, figures),
            }
        }
    }
}

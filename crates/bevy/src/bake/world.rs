//! A world of tiles that follows the level: only what differs is done again.

use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::entity::Entity;
use waymesh::core::{Cancelled, GridWindow, saturating_u32};
use waymesh::tile::{Tile, TileLayout};
use waymesh::{BakeError, Baker, Bounds, Observer, TriangleSoup, World};

use super::gather::{Piece, Snapshot};
use super::job::Baked;
use super::settings::{FrontEnd, NavMeshBaker};
use super::standing::Standing;
use super::state::SourceProblem;
use crate::source::NavMeshSource;

/// A world with its obstacles and areas.
#[derive(Debug)]
pub(super) struct BakedWorld {
    world: World,
    /// Settings of the world.
    baker: NavMeshBaker,
    /// Bounds of the world.
    bounds: Bounds,
    sources: BTreeMap<Entity, Source>,
    standing: Standing,
    /// Tiles whose triangles are not those of the sources yet.
    stale: BTreeSet<Tile>,
}

/// A source, and the box around its triangles.
#[derive(Clone, Debug)]
struct Source {
    piece: Piece<NavMeshSource>,
    bounds: Bounds,
}

impl BakedWorld {
    /// Returns the existing world, or a new one if the settings changed or a source lies outside.
    ///
    /// # Errors
    /// For settings and bounds that make no world.
    pub(super) fn renew(
        world: Option<Box<Self>>,
        baker: &NavMeshBaker,
        snapshot: &Snapshot,
    ) -> Result<Box<Self>, BakeError> {
        let FrontEnd::World { tile_cells, bounds } = baker.front else {
            unreachable!("only worlds are renewed");
        };
        let known = world.as_deref().map(|world| &world.sources);
        let around = bounds.unwrap_or_else(|| around(snapshot.sources.iter().map(|s| bounds_of(s, known))));
        if let Some(world) = world
            && world.baker.front == baker.front
            && world.baker.config == baker.config
            && covers(&world.bounds, &around)
        {
            return Ok(world);
        }
        Ok(Box::new(Self {
            world: World::new(Baker::voxels().with_config(baker.config.clone()), &around, tile_cells)?,
            baker: baker.clone(),
            bounds: around,
            sources: BTreeMap::new(),
            standing: Standing::default(),
            stale: BTreeSet::new(),
        }))
    }

    /// The world itself.
    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// Makes the world that of the snapshot. What was done when it fails or is cancelled need not be
    /// done again.
    ///
    /// # Errors
    /// Those of a bake.
    pub(super) fn update(
        &mut self,
        snapshot: &Snapshot,
        problems: &mut Vec<SourceProblem>,
        observer: &mut dyn Observer,
    ) -> Result<Baked, BakeError> {
        self.take_sources(&snapshot.sources, observer)?;
        self.standing.follow(snapshot, &mut self.world, problems);
        let update = if self.world.is_dirty() { Some(self.world.update(observer)?) } else { None };
        Ok(Baked { mesh: self.world.handle().mesh(), report: None, update })
    }

    /// Puts the triangles of sources that came, went or changed into their tiles.
    fn take_sources(
        &mut self,
        sources: &[Piece<NavMeshSource>],
        observer: &mut dyn Observer,
    ) -> Result<(), BakeError> {
        let Self { world, sources: kept, stale, .. } = self;
        let layout = *world.layout();
        let is_new = world.tiles().next().is_none();
        let mut before = std::mem::take(kept);
        for piece in sources {
            let bounds = bounds_of(piece, Some(&before));
            let last = before.remove(&piece.entity);
            if last.as_ref().is_none_or(|last| last.piece != *piece) {
                for changed in last.map(|last| last.bounds).into_iter().chain([bounds]) {
                    stale.extend(tiles_at(&layout, &changed));
                }
            }
            kept.insert(piece.entity, Source { piece: piece.clone(), bounds });
        }
        for gone in before.values() {
            stale.extend(tiles_at(&layout, &gone.bounds));
        }
        if is_new {
            // All tiles at once, on all threads.
            let mut soup = TriangleSoup::default();
            sources.iter().try_for_each(|source| source.placed.append_to(&mut soup, source.role.area))?;
            world.add_triangles(&soup, observer)?;
            stale.clear();
        }
        let mut in_tiles: BTreeMap<Tile, Vec<&Piece<NavMeshSource>>> = BTreeMap::new();
        for source in kept.values().filter(|_| !stale.is_empty()) {
            for tile in tiles_at(&layout, &source.bounds).filter(|tile| stale.contains(tile)) {
                in_tiles.entry(tile).or_default().push(&source.piece);
            }
        }
        while let Some(&tile) = stale.first() {
            if observer.is_cancelled() {
                return Err(Cancelled.into());
            }
            let mut soup = TriangleSoup::default();
            for source in in_tiles.get(&tile).into_iter().flatten() {
                source.placed.append_to(&mut soup, source.role.area)?;
            }
            if soup.triangles().is_empty() {
                world.remove_tile(tile);
            } else {
                world.set_tile(tile, &soup)?;
            }
            stale.remove(&tile);
        }
        Ok(())
    }
}

/// The box around a source: the one that is known, if it did not change.
fn bounds_of(piece: &Piece<NavMeshSource>, known: Option<&BTreeMap<Entity, Source>>) -> Bounds {
    let known = known.and_then(|known| known.get(&piece.entity)).filter(|known| known.piece == *piece);
    known.map_or_else(|| piece.placed.bounds(), |known| known.bounds)
}

/// The tiles that triangles in `bounds` may reach into.
fn tiles_at(layout: &TileLayout, bounds: &Bounds) -> impl Iterator<Item = Tile> + use<> {
    let frame = layout.frame();
    let [low, high] = [bounds.min, bounds.max].map(|corner| frame.to_grid(corner));
    // Rounding moves a border by less than a cell.
    let range = |axis: usize, count: u32| {
        let ends = [low[axis].floor() - 1.0, high[axis].ceil() + 1.0];
        let [low, high] = ends.map(|end| saturating_u32(end.clamp(0.0, f64::from(count))));
        (low, if bounds.is_valid() { high.saturating_sub(low) } else { 0 })
    };
    let ((x, width), (z, depth)) = (range(0, frame.width), range(2, frame.depth));
    layout.tiles_over(&GridWindow::new(x, z, width, depth))
}

/// The box around boxes.
fn around(boxes: impl Iterator<Item = Bounds>) -> Bounds {
    boxes
        .filter(Bounds::is_valid)
        .fold(Bounds::EMPTY, |all, one| Bounds { min: all.min.min(one.min), max: all.max.max(one.max) })
}

/// `true` if `inner` lies in `outer` in plan; heights do not matter.
fn covers(outer: &Bounds, inner: &Bounds) -> bool {
    outer.min.x <= inner.min.x
        && outer.min.z <= inner.min.z
        && outer.max.x >= inner.max.x
        && outer.max.z >= inner.max.z
}

//! Common base of worlds: parts that are rebuilt after changes, obstacles, and the current mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use waymesh_core::{Observer, Stopwatch};
use waymesh_graph::{MeshSource, MeshTile, NavMesh, TileChange, TileKey, TiledMesh};

use crate::bake::{BakeError, Recorder};

/// The current mesh of a [`crate::World`] or a [`crate::PlanWorld`], for any number of threads.
///
/// A query takes the mesh of the moment and keeps it as long as it likes: the world puts a new one
/// in its place and never changes one that is out. Who holds one for longer than until the next
/// update makes the one after that copy the tables of the mesh, which takes milliseconds for tens
/// of thousands of polygons.
#[derive(Clone, Debug)]
pub struct MeshHandle(Arc<RwLock<Arc<NavMesh>>>);

impl MeshHandle {
    pub(super) fn new(mesh: Arc<NavMesh>) -> Self {
        Self(Arc::new(RwLock::new(mesh)))
    }

    /// Puts a mesh in place of the last.
    pub(super) fn replace(&self, mesh: Arc<NavMesh>) {
        let before = std::mem::replace(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner), mesh);
        // Nobody waits for this.
        drop(before);
    }

    /// The newest mesh.
    #[must_use]
    pub fn mesh(&self) -> Arc<NavMesh> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl MeshSource for MeshHandle {
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh> {
        self.mesh()
    }
}

/// Figures of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldUpdate {
    /// Tiles that were built: ground and polygons.
    pub rebuilt: usize,
    /// Tiles that came as they were written ([`crate::World::read_tile`]).
    pub prebaked: usize,
    /// Adjacent tiles that were fitted to the new borders.
    pub adjusted: usize,
    /// Polygons of the new mesh.
    pub polygons: usize,
    /// Links of the new mesh.
    pub links: usize,
    /// Wall time of building tiles.
    pub build_seconds: f64,
    /// Wall time of joining all tiles to the new mesh.
    pub join_seconds: f64,
}

/// Names an obstacle of a [`crate::World`] or a [`crate::PlanWorld`]. Never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObstacleId(pub u64);

/// Names a mark of a [`crate::World`] or a [`crate::PlanWorld`]. Never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkId(pub u64);

/// The obstacles, marks or added links of a world by their numbers, which are never given twice,
/// with the parts that they touch.
#[derive(Debug)]
pub(super) struct Placed<K, T> {
    placed: BTreeMap<u64, (T, Vec<K>)>,
    of_part: BTreeMap<K, BTreeSet<u64>>,
    next: u64,
}

impl<K, T> Default for Placed<K, T> {
    fn default() -> Self {
        Self { placed: BTreeMap::new(), of_part: BTreeMap::new(), next: 0 }
    }
}

impl<K: Copy + Ord, T> Placed<K, T> {
    /// The number of the next entry.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn add(&mut self, entry: T, parts: Vec<K>) -> u64 {
        let number = self.next;
        self.next += 1;
        for &part in &parts {
            self.of_part.entry(part).or_default().insert(number);
        }
        self.placed.insert(number, (entry, parts));
        number
    }

    /// Also returns the parts that it touches.
    pub(super) fn remove(&mut self, number: u64) -> Option<(T, Vec<K>)> {
        let (entry, parts) = self.placed.remove(&number)?;
        for part in &parts {
            if let Some(numbers) = self.of_part.get_mut(part) {
                numbers.remove(&number);
                if numbers.is_empty() {
                    self.of_part.remove(part);
                }
            }
        }
        Some((entry, parts))
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.placed.get(&number).map(|(entry, _)| entry)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.placed.get_mut(&number).map(|(entry, _)| entry)
    }

    /// Returns all entries, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.placed.iter().map(|(&number, (entry, _))| (number, entry))
    }

    /// Returns the numbers of the entries that touch a part.
    pub(super) fn numbers_of(&self, part: K) -> impl Iterator<Item = u64> {
        self.of_part.get(&part).into_iter().flatten().copied()
    }

    /// Returns the entries that touch a part.
    pub(super) fn of(&self, part: K) -> impl Iterator<Item = &T> {
        self.numbers_of(part).filter_map(|number| self.get(number))
    }
}

/// The parts of a world as they are after an update, before it is through.
#[derive(Debug)]
pub(super) struct Present<'a, K, P> {
    built: &'a BTreeMap<K, Arc<P>>,
    changed: &'a BTreeMap<K, Option<Arc<P>>>,
}

impl<'a, K: Ord, P> Present<'a, K, P> {
    pub(super) fn get(&self, part: K) -> Option<&'a Arc<P>> {
        match self.changed.get(&part) {
            Some(changed) => changed.as_ref(),
            None => self.built.get(&part),
        }
    }

    /// Returns the requested existing parts, before and after the update.
    pub(super) fn asked(&self) -> impl Iterator<Item = (&'a K, Option<&'a Arc<P>>, &'a Arc<P>)> {
        let present = self.changed.iter().filter_map(|(part, now)| Some((part, now.as_ref()?)));
        present.map(|(part, now)| (part, self.built.get(part), now))
    }

    /// All parts, in any order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'a K> {
        let known = self.built.keys().filter(|part| !self.changed.contains_key(part));
        known.chain(self.changed.iter().filter(|(_, built)| built.is_some()).map(|(part, _)| part))
    }
}

/// The parts of a world, by their keys: those that are built, and those that changed since.
#[derive(Debug)]
pub(super) struct Parts<K, P> {
    built: BTreeMap<K, Arc<P>>,
    dirty: BTreeSet<K>,
    /// Parts that changed in failed updates: the cache of the last join may contain them.
    failed: BTreeSet<K>,
    current: MeshHandle,
}

/// The operations of an update on the parts of a world. Equal parts are those that come out as they
/// were.
pub(super) trait Update<K, P> {
    /// Rebuilds these parts; `None` for a removed part. Parts that need not be built are those before.
    fn build(&mut self, parts: &[K], recorder: &mut Recorder<'_>) -> Result<Vec<Option<Arc<P>>>, BakeError>;

    /// Writes the parts that changed into the mesh. Returns the number of others that it adjusted.
    fn write(
        &mut self,
        parts: &Present<'_, K, P>,
        changed: &[K],
        recorder: &mut Recorder<'_>,
    ) -> Result<usize, BakeError>;

    /// The mesh of all parts.
    fn mesh(&mut self) -> &mut TiledMesh;

    /// Returns the mesh that is shown in place of that of all parts; `None` for that itself.
    fn kept(&mut self, _recorder: &mut Recorder<'_>) -> Result<Option<NavMesh>, BakeError> {
        Ok(None)
    }
}

impl<K: Copy + Ord, P: PartialEq> Parts<K, P> {
    /// No parts; `mesh` is the mesh until the first update.
    pub(super) fn new(mesh: Arc<NavMesh>) -> Self {
        let (built, dirty, failed) = Default::default();
        Self { built, dirty, failed, current: MeshHandle::new(mesh) }
    }

    pub(super) fn handle(&self) -> MeshHandle {
        self.current.clone()
    }

    /// Puts a mesh in place of the last.
    pub(super) fn show(&self, mesh: Arc<NavMesh>) {
        self.current.replace(mesh);
    }

    pub(super) fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// A part as it was built last.
    pub(super) fn built(&self, part: K) -> Option<&Arc<P>> {
        self.built.get(&part)
    }

    /// All parts.
    pub(super) fn all(&self) -> impl Iterator<Item = &P> {
        self.built.values().map(|part| &**part)
    }

    /// `true` until the first update that built something.
    pub(super) fn is_empty(&self) -> bool {
        self.built.is_empty()
    }

    /// These parts have changed.
    pub(super) fn touch(&mut self, parts: impl IntoIterator<Item = K>) {
        self.dirty.extend(parts);
    }

    /// Builds what changed and puts a new mesh in place of the last. If something fails, everything
    /// stays as it was. Takes time in what changed.
    pub(super) fn update(
        &mut self,
        observer: &mut dyn Observer,
        mut update: impl Update<K, P>,
    ) -> Result<WorldUpdate, BakeError> {
        let start = Stopwatch::start();
        let mut recorder = Recorder::new(observer);
        let dirty: Vec<K> = self.dirty.iter().copied().collect();
        let built = update.build(&dirty, &mut recorder)?;
        let pairs = || dirty.iter().zip(&built).map(|(part, new)| (part, self.built.get(part), new.as_ref()));
        let is_kept = |old: &Arc<P>, new: &Arc<P>| Arc::ptr_eq(old, new);
        let is_changed = |&(part, old, new): &(&K, Option<&Arc<P>>, Option<&Arc<P>>)| {
            let is_same = match (old, new) {
                (Some(old), Some(new)) => is_kept(old, new) || old == new,
                (old, new) => old.is_none() && new.is_none(),
            };
            !is_same || self.failed.contains(part)
        };
        let changed: Vec<K> = pairs().filter(is_changed).map(|(&part, ..)| part).collect();
        let is_built = |&(_, old, new): &(&K, Option<&Arc<P>>, Option<&Arc<P>>)| {
            new.is_some_and(|new| old.is_none_or(|old| !is_kept(old, new)))
        };
        let rebuilt = pairs().filter(is_built).count();
        let build_seconds = start.seconds();

        let start = Stopwatch::start();
        self.failed.extend(changed.iter().copied());
        let new: BTreeMap<K, Option<Arc<P>>> = dirty.into_iter().zip(built).collect();
        let present = Present { built: &self.built, changed: &new };
        let written = update.write(&present, &changed, &mut recorder);
        let written = written.and_then(|adjusted| Ok((adjusted, update.kept(&mut recorder)?)));
        if written.is_err() {
            update.mesh().abandon();
        }
        let (adjusted, kept) = written?;
        let shown = update.mesh().show();
        let mesh = kept.map_or(shown, Arc::new);
        let update = WorldUpdate {
            rebuilt,
            prebaked: 0,
            adjusted,
            polygons: mesh.polygon_count(),
            links: mesh.links().len(),
            build_seconds,
            join_seconds: start.seconds(),
        };
        for (part, built) in new {
            match built {
                Some(built) => self.built.insert(part, built),
                None => self.built.remove(&part),
            };
        }
        self.dirty.clear();
        self.failed.clear();
        self.current.replace(mesh);
        Ok(update)
    }
}

/// Returns the changes of a mesh. `written` are the existing tiles among the changed ones and those
/// around them.
pub(super) fn changes(
    changed: impl Iterator<Item = TileKey>,
    written: impl IntoIterator<Item = (TileKey, MeshTile)>,
) -> BTreeMap<TileKey, TileChange> {
    let mut changes: BTreeMap<TileKey, TileChange> = changed.map(|key| (key, TileChange::Gone)).collect();
    for (key, tile) in written {
        let is_changed = changes.contains_key(&key);
        changes.insert(key, if is_changed { TileChange::Anew(tile) } else { TileChange::Adjusted(tile) });
    }
    changes
}

/// Writes the methods of a world that are its links' and its parts' alone.
macro_rules! world_methods {
    ($world:ident) => {
        impl waymesh_graph::MeshSource for $world {
            fn nav_mesh(&self) -> impl std::ops::Deref<Target = waymesh_graph::NavMesh> {
                self.parts.handle().mesh()
            }
        }

        impl $world {
            /// The newest mesh, now and later.
            #[must_use]
            pub fn handle(&self) -> $crate::MeshHandle {
                self.parts.handle()
            }

            /// Adds a link to the current mesh, whose polygons it names, and to those that come.
            ///
            /// An update looks for the ground at its ends again: within half the agent's height of
            /// theirs. Where an end has none, the link is not there until it has; its id stays. A
            /// segment that is on no one polygon any more becomes the point in its middle.
            ///
            /// # Errors
            /// See [`NavMesh::with_links`](waymesh_graph::NavMesh::with_links); the world then stays as it was.
            pub fn add_link(
                &mut self,
                link: waymesh_graph::Link,
            ) -> Result<waymesh_graph::LinkId, $crate::BakeError> {
                let shown = self.parts.handle().mesh();
                let id = self.links.add(link, &shown, &mut self.mesh)?;
                self.show();
                Ok(id)
            }

            /// Takes a link away that was added. Returns `true` if there was one of this id. A link
            /// that an update found is closed instead.
            pub fn remove_link(&mut self, link: waymesh_graph::LinkId) -> bool {
                let was_there = self.links.remove(link, &mut self.mesh);
                self.show();
                was_there
            }

            /// Opens or closes a link at once, until it is changed again, over all updates. Returns
            /// `false` if there is none of this id.
            pub fn set_link_open(&mut self, link: waymesh_graph::LinkId, is_open: bool) -> bool {
                let is_known = self.links.set_open(link, is_open, &mut self.mesh);
                self.show();
                is_known
            }

            /// Puts tables in place by which shortest paths are looked up. They are made of a mesh of
            /// this world on any thread, while the world goes on
            /// ([`NavMesh::make_oracle`](waymesh_graph::NavMesh::make_oracle)), and stay in use over
            /// updates: a path that is too short to meet ground that changed since is looked up, any
            /// other is searched for, until newer tables are set. See
            /// [`TiledMesh::set_oracle`](waymesh_graph::TiledMesh::set_oracle).
            pub fn set_oracle(&mut self, oracle: Option<waymesh_graph::PathOracle>) {
                self.mesh.set_oracle(oracle);
                self.show();
            }

            /// `true` if anything changed since the last update.
            #[must_use]
            pub fn is_dirty(&self) -> bool {
                self.parts.is_dirty()
            }
        }
    };
}
pub(super) use world_methods;

//! Common base of worlds: parts that are rebuilt after changes, obstacles, and the current mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use waymesh_core::{Observer, Stopwatch};
use waymesh_graph::{MeshSource, NavMesh};

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

/// The obstacles or marks of a world, in the order of insertion, with the parts that they touch.
#[derive(Debug)]
pub(super) struct Obstacles<K, T> {
    standing: BTreeMap<ObstacleId, (T, Vec<K>)>,
    of_part: BTreeMap<K, BTreeSet<ObstacleId>>,
    next: u64,
}

impl<K: Copy + Ord, T> Obstacles<K, T> {
    pub(super) fn new() -> Self {
        Self { standing: BTreeMap::new(), of_part: BTreeMap::new(), next: 0 }
    }

    pub(super) fn add(&mut self, obstacle: T, parts: Vec<K>) -> ObstacleId {
        let id = ObstacleId(self.next);
        self.next += 1;
        for &part in &parts {
            self.of_part.entry(part).or_default().insert(id);
        }
        self.standing.insert(id, (obstacle, parts));
        id
    }

    /// Also returns the parts that it was seen in.
    pub(super) fn remove(&mut self, id: ObstacleId) -> Option<(T, Vec<K>)> {
        let (obstacle, parts) = self.standing.remove(&id)?;
        for part in &parts {
            if let Some(ids) = self.of_part.get_mut(part) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.of_part.remove(part);
                }
            }
        }
        Some((obstacle, parts))
    }

    pub(super) fn get(&self, id: ObstacleId) -> Option<&T> {
        self.standing.get(&id).map(|(obstacle, _)| obstacle)
    }

    /// Returns the entries that touch a part.
    pub(super) fn of(&self, part: K) -> impl Iterator<Item = &T> {
        let ids = self.of_part.get(&part).into_iter().flatten();
        ids.filter_map(|id| self.standing.get(id)).map(|(obstacle, _)| obstacle)
    }
}

/// The parts of a world as they are after an update, before it is through.
#[derive(Debug)]
pub(super) struct Present<'a, K, P> {
    built: &'a BTreeMap<K, P>,
    changed: &'a BTreeMap<K, Option<P>>,
}

impl<'a, K: Ord, P> Present<'a, K, P> {
    pub(super) fn get(&self, part: K) -> Option<&'a P> {
        match self.changed.get(&part) {
            Some(changed) => changed.as_ref(),
            None => self.built.get(&part),
        }
    }

    /// Returns the requested existing parts, before and after the update.
    pub(super) fn asked(&self) -> impl Iterator<Item = (&'a K, Option<&'a P>, &'a P)> {
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
    built: BTreeMap<K, P>,
    dirty: BTreeSet<K>,
    /// Parts that changed in failed updates: the cache of the last join may contain them.
    failed: BTreeSet<K>,
    current: MeshHandle,
}

/// The operations of an update on the parts of a world.
pub(super) trait Update<K, P> {
    /// Rebuilds these parts; `None` for a removed part.
    fn build(&mut self, parts: &[K], recorder: &mut Recorder<'_>) -> Result<Vec<Option<P>>, BakeError>;

    /// `true` for the same part as before, that was not built.
    fn is_kept(&self, part: &P, before: &P) -> bool;

    /// `true` for a part that comes out as it was.
    fn is_same(&self, part: &P, before: &P) -> bool;

    /// Gives the mesh of all parts, of which these changed, and how many others it adjusted.
    fn join(
        &mut self,
        parts: &Present<'_, K, P>,
        changed: &[K],
        recorder: &mut Recorder<'_>,
    ) -> Result<(Arc<NavMesh>, usize), BakeError>;
}

impl<K: Copy + Ord, P> Parts<K, P> {
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
    pub(super) fn built(&self, part: K) -> Option<&P> {
        self.built.get(&part)
    }

    /// All parts.
    pub(super) fn all(&self) -> impl Iterator<Item = &P> {
        self.built.values()
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
        let is_changed = |&(part, old, new): &(&K, Option<&P>, Option<&P>)| {
            let is_same = match (old, new) {
                (Some(old), Some(new)) => update.is_same(new, old),
                (old, new) => old.is_none() && new.is_none(),
            };
            !is_same || self.failed.contains(part)
        };
        let changed: Vec<K> = pairs().filter(is_changed).map(|(&part, ..)| part).collect();
        let is_built = |&(_, old, new): &(&K, Option<&P>, Option<&P>)| {
            new.is_some_and(|new| old.is_none_or(|old| !update.is_kept(new, old)))
        };
        let rebuilt = pairs().filter(is_built).count();
        let build_seconds = start.seconds();

        let start = Stopwatch::start();
        self.failed.extend(changed.iter().copied());
        let new: BTreeMap<K, Option<P>> = dirty.into_iter().zip(built).collect();
        let present = Present { built: &self.built, changed: &new };
        let (mesh, adjusted) = update.join(&present, &changed, &mut recorder)?;
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

            /// `true` if anything changed since the last update.
            #[must_use]
            pub fn is_dirty(&self) -> bool {
                self.parts.is_dirty()
            }
        }
    };
}
pub(super) use world_methods;

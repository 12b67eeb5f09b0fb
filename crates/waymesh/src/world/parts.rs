//! What worlds have in common: parts that are built again where something changed, obstacles, and
//! the current mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use waymesh_core::{Observer, Stopwatch};
use waymesh_graph::{MeshSource, NavMesh};

use crate::bake::{BakeError, Recorder};

/// The current mesh of a [`crate::World`] or a [`crate::PlanWorld`], for any number of threads.
///
/// A query takes the mesh of the moment and keeps it as long as it likes: the world puts a new one
/// in its place and never changes one that is out.
#[derive(Clone, Debug)]
pub struct MeshHandle(Arc<RwLock<Arc<NavMesh>>>);

impl MeshHandle {
    fn new(mesh: NavMesh) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(mesh))))
    }

    /// Puts a mesh in place of the last.
    pub(super) fn replace(&self, mesh: NavMesh) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(mesh);
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

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldUpdate {
    /// Tiles that were built: ground and polygons.
    pub rebuilt: usize,
    /// Tiles that came as they were written ([`crate::World::read_tile`]).
    pub prebaked: usize,
    /// Tiles beside them that were fitted to the new borders.
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

/// What stands in a world now, in the order in which it came.
#[derive(Debug)]
pub(super) struct Obstacles<T> {
    standing: BTreeMap<ObstacleId, T>,
    next: u64,
}

impl<T> Obstacles<T> {
    pub(super) fn new() -> Self {
        Self { standing: BTreeMap::new(), next: 0 }
    }

    pub(super) fn add(&mut self, obstacle: T) -> ObstacleId {
        let id = ObstacleId(self.next);
        self.next += 1;
        self.standing.insert(id, obstacle);
        id
    }

    pub(super) fn remove(&mut self, id: ObstacleId) -> Option<T> {
        self.standing.remove(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.standing.values()
    }
}

/// The parts of a world, by their keys: those that are built, and those that changed since.
#[derive(Debug)]
pub(super) struct Parts<K, P> {
    built: BTreeMap<K, P>,
    dirty: BTreeSet<K>,
    /// Those that changed in updates that failed: what was kept of the last join may be of these.
    failed: BTreeSet<K>,
    current: MeshHandle,
}

impl<K: Copy + Ord, P> Parts<K, P> {
    /// No parts; `mesh` is the mesh until the first update.
    pub(super) fn new(mesh: NavMesh) -> Self {
        let (built, dirty, failed) = Default::default();
        Self { built, dirty, failed, current: MeshHandle::new(mesh) }
    }

    pub(super) fn handle(&self) -> MeshHandle {
        self.current.clone()
    }

    pub(super) fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// A part as it was built last.
    pub(super) fn built(&self, part: K) -> Option<&P> {
        self.built.get(&part)
    }

    /// `true` until the first update that built something.
    #[cfg(feature = "floorplan")]
    pub(super) fn is_empty(&self) -> bool {
        self.built.is_empty()
    }

    /// These parts have changed.
    pub(super) fn touch(&mut self, parts: impl IntoIterator<Item = K>) {
        self.dirty.extend(parts);
    }

    /// Builds what changed and puts a new mesh in place of the last.
    ///
    /// `build` gets the keys of the parts that changed, and gives each of them anew, or `None` for
    /// those that are gone. Those of them that are the same as before (`is_same`) count as unchanged
    /// after all. `join` gets all parts and the keys of those that changed, and gives the mesh and how
    /// many other parts it adjusted. If one of them fails, everything stays as it was.
    pub(super) fn update(
        &mut self,
        observer: &mut dyn Observer,
        build: impl FnOnce(&[K], &mut Recorder<'_>) -> Result<Vec<Option<P>>, BakeError>,
        is_same: impl Fn(&P, &P) -> bool,
        join: impl FnOnce(&BTreeMap<K, &P>, &[K], &mut Recorder<'_>) -> Result<(NavMesh, usize), BakeError>,
    ) -> Result<WorldUpdate, BakeError> {
        let start = Stopwatch::start();
        let mut recorder = Recorder::new(observer);
        let dirty: Vec<K> = self.dirty.iter().copied().collect();
        let built = build(&dirty, &mut recorder)?;
        let is_new = |(part, new): &(K, Option<P>)| {
            let is_same = match (self.built.get(part), new) {
                (Some(old), Some(new)) => is_same(old, new),
                (old, new) => old.is_none() && new.is_none(),
            };
            !is_same || self.failed.contains(part)
        };
        let (changed, built): (Vec<K>, Vec<Option<P>>) = dirty.into_iter().zip(built).filter(is_new).unzip();
        let build_seconds = start.seconds();

        let start = Stopwatch::start();
        self.failed.extend(changed.iter().copied());
        let mut parts: BTreeMap<K, &P> = self.built.iter().map(|(&part, built)| (part, built)).collect();
        for (part, built) in changed.iter().copied().zip(&built) {
            match built {
                Some(built) => parts.insert(part, built),
                None => parts.remove(&part),
            };
        }
        let (mesh, adjusted) = join(&parts, &changed, &mut recorder)?;
        drop(parts);
        let update = WorldUpdate {
            rebuilt: built.iter().flatten().count(),
            prebaked: 0,
            adjusted,
            polygons: mesh.polygon_count(),
            links: mesh.links().len(),
            build_seconds,
            join_seconds: start.seconds(),
        };
        for (part, built) in changed.into_iter().zip(built) {
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
                Ok(self.links.add(link)?)
            }

            /// Takes a link away that was added. Returns `true` if there was one of this id. A link
            /// that an update found is closed instead.
            pub fn remove_link(&mut self, link: waymesh_graph::LinkId) -> bool {
                self.links.remove(link)
            }

            /// Opens or closes a link at once, until it is changed again, over all updates. Returns
            /// `false` if there is none of this id. Takes linear time.
            pub fn set_link_open(&mut self, link: waymesh_graph::LinkId, is_open: bool) -> bool {
                self.links.set_open(link, is_open)
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

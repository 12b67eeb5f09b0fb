//! The navigation mesh of an entity, for queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::asset::Assets;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With, Without};
use bevy::ecs::system::{Commands, Query, Res, SystemParam};
use bevy::math::Vec3;
use bevy::transform::components::GlobalTransform;
use waymesh::graph::{LinkId, LinkUse};
use waymesh::{Link, Outcome, PathSearch, QueryError};
use waymesh_crowd::LinkRule;

use crate::asset::{NavMeshAsset, NavMeshHandle};
use crate::convert::{to_bevy, to_waymesh};
use crate::crowd::CrowdState;
use crate::link::{NavMeshLink, id_of};

/// The navigation mesh of an entity: that of its [`NavMeshHandle`], with the [`NavMeshLink`]s that
/// have ground on it. It exists while the asset does, and changes with it.
///
/// `Changed<NavMesh>` finds changes. A system that works over several frames, or on another thread,
/// takes a clone: it shares the mesh.
#[derive(Component, Clone, Debug)]
#[require(CrowdState)]
pub struct NavMesh {
    /// That of the asset.
    base: Arc<waymesh::NavMesh>,
    mesh: Arc<waymesh::NavMesh>,
    /// Links of entities, by entity.
    links: Vec<(Entity, Link, LinkRule)>,
    /// Links of the asset that were opened or closed.
    doors: BTreeMap<LinkId, bool>,
}

/// A path in Bevy's vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct NavPath {
    /// Start, corners and end on the ground; empty without a path.
    pub points: Vec<Vec3>,
    /// Its length in metres.
    pub length: f32,
    /// `true` if it leads to the goal; else it leads to the reachable place nearest to it.
    pub is_complete: bool,
    /// The links it takes, in order.
    pub links: Vec<LinkUse>,
}

impl NavMesh {
    /// Returns the mesh with all its queries. They take and give vectors of `waymesh::glam`:
    /// [`to_waymesh`] and [`to_bevy`] convert them.
    #[must_use]
    pub fn mesh(&self) -> &Arc<waymesh::NavMesh> {
        &self.mesh
    }

    /// Finds a short path, fast. It need not be the shortest.
    ///
    /// # Errors
    /// For an end that is not finite, or without ground near it, and where no path leads nearer to the
    /// goal.
    pub fn find_path(&self, from: Vec3, to: Vec3) -> Result<NavPath, QueryError> {
        self.path(from, to, PathSearch::Fast)
    }

    /// Finds the shortest path.
    ///
    /// # Errors
    /// See [`NavMesh::find_path`].
    pub fn find_shortest_path(&self, from: Vec3, to: Vec3) -> Result<NavPath, QueryError> {
        self.path(from, to, PathSearch::Shortest)
    }

    fn path(&self, from: Vec3, to: Vec3, search: PathSearch) -> Result<NavPath, QueryError> {
        let path = self.mesh.query().search(search).partial().path(to_waymesh(from), to_waymesh(to))?;
        Ok(NavPath {
            points: path.points.into_iter().map(to_bevy).collect(),
            length: path.length,
            is_complete: path.outcome == Outcome::Complete,
            links: path.links,
        })
    }

    /// Returns the place on the ground nearest to `position`; `None` if there is none within twice
    /// the agent's radius to the side, and its height up and down.
    #[must_use]
    pub fn nearest(&self, position: Vec3) -> Option<Vec3> {
        let place = self.mesh.nearest(to_waymesh(position), &self.mesh.default_reach())?;
        Some(to_bevy(place.position))
    }

    /// Returns the id of the link of an entity on this mesh; `None` if it is not on it.
    #[must_use]
    pub fn link_of(&self, entity: Entity) -> Option<LinkId> {
        let at = self.links.binary_search_by_key(&entity, |link| link.0);
        at.ok().map(|_| id_of(entity))
    }

    /// Opens or closes a link that the asset has, such as a jump that a bake found, until it is
    /// changed again: also on the meshes that come, where those name their links by the same ids, as
    /// worlds do. Those of entities follow [`NavMeshLink::is_open`]. Returns `false` if there is no
    /// such link now. Takes linear time.
    pub fn set_link_open(&mut self, link: LinkId, is_open: bool) -> bool {
        if self.base.link(link).is_none() {
            return false;
        }
        self.doors.insert(link, is_open);
        if self.mesh.link(link).is_some_and(|link| link.is_open != is_open) {
            Arc::make_mut(&mut self.mesh).set_link_open(link, is_open);
        }
        true
    }

    /// The rules of the links of entities.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (LinkId, LinkRule)> + '_ {
        self.links.iter().map(|&(entity, _, rule)| (id_of(entity), rule))
    }

    /// Puts links on the mesh of an asset.
    fn new(
        base: &Arc<waymesh::NavMesh>,
        links: Vec<(Entity, Link, LinkRule)>,
        doors: BTreeMap<LinkId, bool>,
    ) -> Self {
        let mut mesh = base.clone();
        if !links.is_empty() {
            let own = base.links_by_id().map(|(id, link)| (id, *link));
            let added = links.iter().map(|&(entity, link, _)| (id_of(entity), link));
            let all = own.chain(added).collect();
            // Their ends were looked for on this mesh, and their costs are checked.
            if let Ok(linked) = waymesh::NavMesh::clone(base).with_named_links(all) {
                mesh = Arc::new(linked);
            }
        }
        if !doors.is_empty() {
            let doors = doors.iter().map(|(&link, &is_open)| (link, is_open));
            Arc::make_mut(&mut mesh).set_links_open(doors);
        }
        Self { base: base.clone(), mesh, links, doors }
    }
}

type LinkChanged = Or<(Changed<NavMeshLink>, Changed<GlobalTransform>)>;

/// The links of entities.
#[derive(SystemParam)]
pub(crate) struct EntityLinks<'w, 's> {
    links: Query<'w, 's, (Entity, &'static NavMeshLink, &'static GlobalTransform)>,
    changed: Query<'w, 's, (), (With<NavMeshLink>, LinkChanged)>,
    removed: RemovedComponents<'w, 's, NavMeshLink>,
}

impl EntityLinks<'_, '_> {
    fn are_changed(&mut self) -> bool {
        self.removed.read().count() > 0 || !self.changed.is_empty()
    }

    /// Returns those that have ground on a mesh, by entity.
    fn on(&self, navigation: Entity, mesh: &waymesh::NavMesh) -> Vec<(Entity, Link, LinkRule)> {
        let on_mesh = self.links.iter().filter_map(|(entity, link, transform)| {
            let is_meant = link.navigation.is_none_or(|meant| meant == navigation);
            Some((entity, is_meant.then(|| link.on(mesh, transform))??, link.rule))
        });
        let mut links: Vec<_> = on_mesh.collect();
        links.sort_by_key(|link| link.0);
        links
    }
}

/// Lets the meshes of entities follow their assets and the links of entities.
pub(crate) fn attach_meshes(
    mut entities: Query<(Entity, &NavMeshHandle, Option<&mut NavMesh>)>,
    orphans: Query<Entity, (With<NavMesh>, Without<NavMeshHandle>)>,
    mut links: EntityLinks,
    assets: Res<Assets<NavMeshAsset>>,
    mut commands: Commands,
) {
    let are_links_changed = links.are_changed();
    for (entity, handle, attached) in &mut entities {
        match (assets.get(handle.id()), attached) {
            (Some(NavMeshAsset(base)), Some(mut attached)) => {
                let is_new = !Arc::ptr_eq(base, &attached.base);
                if !is_new && !are_links_changed {
                    continue;
                }
                let links = links.on(entity, base);
                if is_new || links != attached.links {
                    let doors = std::mem::take(&mut attached.doors);
                    *attached = NavMesh::new(base, links, doors);
                }
            }
            (Some(NavMeshAsset(base)), None) => {
                commands.entity(entity).insert(NavMesh::new(base, links.on(entity, base), BTreeMap::new()));
            }
            (None, Some(_)) => {
                commands.entity(entity).remove::<NavMesh>();
            }
            (None, None) => {}
        }
    }
    for entity in orphans {
        commands.entity(entity).remove::<NavMesh>();
    }
}

//! Begins bakes and takes what they leave.

use std::sync::Arc;

use bevy::asset::Assets;
use bevy::ecs::change_detection::{DetectChanges as _, DetectChangesMut as _, Ref};
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{Commands, Local, Query, Res, ResMut};
use waymesh::BakeError;

use super::changes::Changes;
use super::gather::Level;
use super::job::{Baked, Done, Job};
use super::settings::{NavMeshBaker, Rebuild};
use super::state::{BakeProgress, BakeStatus, BakeSummary, NavMeshBake, NavMeshBakeMessage};
use crate::asset::{NavMeshAsset, NavMeshHandle, put_mesh, take_mesh_away};

/// Begins the bakes that are wanted.
pub(crate) fn start_bakes(
    mut bakers: Query<(Entity, Ref<NavMeshBaker>, &mut NavMeshBake, Option<&NavMeshHandle>)>,
    mut level: Level,
    changes: Res<Changes>,
    mut seen: Local<u64>,
    mut assets: ResMut<Assets<NavMeshAsset>>,
    mut messages: MessageWriter<NavMeshBakeMessage>,
) {
    let is_changed = changes.level_since(&mut seen);
    for (entity, baker, mut bake, handle) in &mut bakers {
        bake.bypass_change_detection().is_wanted |=
            baker.rebuild == Rebuild::OnChange && (is_changed || baker.is_changed());
        if bake.job.is_some() || !(bake.is_wanted || bake.is_requested) {
            continue;
        }
        let snapshot = match level.snapshot(entity, baker.scope) {
            Ok(snapshot) => snapshot,
            Err(loading) => {
                // The meshes change nothing when they arrive, so it has to ask again.
                bake.bypass_change_detection().is_wanted = true;
                if !matches!(bake.status, BakeStatus::Waiting { meshes } if meshes == loading) {
                    bake.status = BakeStatus::Waiting { meshes: loading };
                }
                continue;
            }
        };
        (bake.is_wanted, bake.is_requested) = (false, false);
        if snapshot.sources.is_empty() && snapshot.problems.is_empty() {
            bake.world = None;
            if !matches!(bake.status, BakeStatus::Empty) {
                bake.status = BakeStatus::Empty;
                take_mesh_away(handle, &mut assets);
                messages.write(NavMeshBakeMessage::Emptied { entity });
            }
            continue;
        }
        bake.status = BakeStatus::Baking { progress: BakeProgress::default() };
        let world = bake.world.take();
        bake.job = Some(Job::start(NavMeshBaker::clone(&baker), snapshot, world));
        messages.write(NavMeshBakeMessage::Started { entity });
    }
}

/// Takes what bakes that have ended leave.
pub(crate) fn poll_bakes(
    mut bakers: Query<(Entity, &NavMeshBaker, &mut NavMeshBake, Option<&NavMeshHandle>)>,
    mut assets: ResMut<Assets<NavMeshAsset>>,
    mut messages: MessageWriter<NavMeshBakeMessage>,
    mut commands: Commands,
) {
    for (entity, baker, mut bake, handle) in &mut bakers {
        let Some(mut job) = bake.bypass_change_detection().job.take() else { continue };
        if let Some(progress) = job.news() {
            bake.status = BakeStatus::Baking { progress };
            messages.write(NavMeshBakeMessage::Progress { entity, progress });
        }
        let done = match job.poll() {
            Some(done) => done,
            None if baker.wait => job.wait(),
            None => {
                bake.bypass_change_detection().job = Some(job);
                continue;
            }
        };
        let Done { world, result, seconds, warnings, problems } = done;
        bake.world = world;
        match result {
            Ok(Baked { mesh, report, update }) => {
                let (polygons, area) = (mesh.polygon_count(), mesh.area());
                let summary =
                    Arc::new(BakeSummary { seconds, polygons, area, report, update, warnings, problems });
                put_mesh(mesh, entity, handle, &mut assets, &mut commands);
                bake.status = BakeStatus::Done(summary.clone());
                messages.write(NavMeshBakeMessage::Finished { entity, summary });
            }
            Err(BakeError::Cancelled(_)) => {
                bake.status = BakeStatus::Cancelled;
                messages.write(NavMeshBakeMessage::Cancelled { entity });
            }
            Err(error) => {
                if matches!(error, BakeError::NoTriangles { .. } | BakeError::NothingWalkable { .. }) {
                    take_mesh_away(handle, &mut assets);
                }
                let error = Arc::new(error);
                bake.status = BakeStatus::Failed(error.clone());
                messages.write(NavMeshBakeMessage::Failed { entity, error });
            }
        }
    }
}

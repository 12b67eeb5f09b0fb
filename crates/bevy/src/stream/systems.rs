//! Opens worlds, reads the tiles that are wanted, and updates the worlds with them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::asset::{AssetServer, Assets, LoadState};
use bevy::ecs::change_detection::{DetectChanges as _, DetectChangesMut as _, Ref};
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::query::Without;
use bevy::ecs::system::{Commands, Local, Query, Res, ResMut};
use bevy::transform::components::GlobalTransform;
use waymesh::core::float::squared;
use waymesh::tile::{Tile, TileLayout};
use waymesh::{Baker, World, glam};

use super::job::{Change, Done, Job, Reading, StreamedWorld};
use super::list::NavMeshTiles;
use super::settings::{NavMeshFocus, NavMeshStreamer};
use super::state::{NavMeshStream, NavMeshStreamError, NavMeshStreamMessage, NavMeshTileError, StreamStatus};
use crate::asset::{NavMeshAsset, NavMeshHandle, put_mesh};
use crate::bake::{Changes, Level, Snapshot, Standing};
use crate::convert::to_waymesh;

/// Opens worlds whose list of tiles was loaded, and opens them again after a change of the list or
/// the settings.
pub(crate) fn open_worlds(
    mut streams: Query<(Entity, Ref<NavMeshStreamer>, &mut NavMeshStream)>,
    mut orphans: Query<&mut NavMeshStream, Without<NavMeshStreamer>>,
    lists: Res<Assets<NavMeshTiles>>,
    server: Res<AssetServer>,
    mut messages: MessageWriter<NavMeshStreamMessage>,
) {
    for (entity, streamer, mut stream) in &mut streams {
        if let Err(error) = streamer.validate() {
            if streamer.is_changed() {
                stream.close(None);
                stream.fail(entity, NavMeshStreamError::Setting(error), &mut messages);
            }
            continue;
        }
        let Some(list) = lists.get(&streamer.tiles) else {
            let is_told = stream.has_failed(|error| matches!(error, NavMeshStreamError::Load(_)));
            if !is_told && let Some(LoadState::Failed(error)) = server.get_load_state(&streamer.tiles) {
                stream.fail(entity, NavMeshStreamError::Load(error), &mut messages);
            }
            continue;
        };
        let is_open = stream.opened.as_ref().is_some_and(|(of, config)| {
            Arc::ptr_eq(&of.manifest, &list.manifest) && *config == streamer.config
        });
        if is_open {
            continue;
        }
        stream.close(Some((list.clone(), streamer.config.clone())));
        let baker = Baker::voxels().with_config(streamer.config.clone());
        match World::from_manifest(baker, &list.manifest, list.folder()) {
            Ok(world) => {
                stream.status = StreamStatus::Streaming;
                stream.layout = Some(*world.layout());
                stream.world = Some(Box::new(StreamedWorld { world, standing: Standing::default() }));
                stream.is_stale = true;
            }
            Err(error) => stream.fail(entity, NavMeshStreamError::Open(error), &mut messages),
        }
    }
    for mut stream in &mut orphans {
        if stream.opened.is_some() {
            stream.close(None);
        }
    }
}

/// Begins to read tiles that are wanted, and takes what was read.
pub(crate) fn read_tiles(
    mut streams: Query<(Entity, &NavMeshStreamer, &mut NavMeshStream)>,
    focuses: Query<(&NavMeshFocus, &GlobalTransform)>,
    server: Res<AssetServer>,
    mut messages: MessageWriter<NavMeshStreamMessage>,
) {
    for (entity, streamer, mut stream) in &mut streams {
        let list = stream.opened.as_ref().map(|(list, _)| list.clone());
        let (Some(layout), Some(list)) = (stream.layout, list) else { continue };
        let quiet = stream.bypass_change_detection();
        let meant = focuses.iter().filter(|(focus, _)| focus.navigation.is_none_or(|meant| meant == entity));
        let meant = meant.map(|(focus, transform)| (to_waymesh(transform.translation()), focus.distance));
        let wanted = quiet.want(&layout, meant, streamer.margin.max(0.0));
        let room = streamer.tiles_at_once.saturating_sub(quiet.reading.len() + quiet.read.len());
        quiet.has_more = wanted.len() > room;
        for tile in wanted.into_iter().take(room) {
            quiet.again.remove(&tile);
            quiet.failed.remove(&tile);
            quiet.reading.insert(tile, Reading::start(server.clone(), list.file(tile), tile));
        }
        let mut refused = Vec::new();
        quiet.reading.retain(|&tile, reading| {
            let content = reading.poll(streamer.wait);
            let is_reading = content.is_none();
            match content {
                Some(Ok(bytes)) => drop(quiet.read.insert(tile, bytes)),
                Some(Err(error)) => refused.push((tile, error)),
                None => {}
            }
            is_reading
        });
        if !refused.is_empty() {
            stream.refuse(entity, refused, &mut messages);
        }
    }
}

/// Updates the worlds with what was read and what is far off, and takes what updates leave.
pub(crate) fn update_worlds(
    mut streams: Query<(Entity, Ref<NavMeshStreamer>, &mut NavMeshStream, Option<&NavMeshHandle>)>,
    mut level: Level,
    changes: Res<Changes>,
    mut seen: Local<u64>,
    mut assets: ResMut<Assets<NavMeshAsset>>,
    mut messages: MessageWriter<NavMeshStreamMessage>,
    mut commands: Commands,
) {
    let is_level_changed = changes.level_since(&mut seen);
    for (entity, streamer, mut stream, handle) in &mut streams {
        let quiet = stream.bypass_change_detection();
        quiet.is_stale |= is_level_changed || streamer.is_changed();
        if quiet.is_ready() {
            let standing = if quiet.is_stale { level.standing(entity, streamer.scope).ok() } else { None };
            quiet.is_stale &= standing.is_none();
            quiet.begin(standing);
        }
        if let Some(done) = quiet.job.as_mut().and_then(|job| job.poll(streamer.wait)) {
            let Done { world, came, gone, refused, problems, mesh, result } = done;
            stream.job = None;
            stream.world = Some(world);
            for tile in &gone {
                stream.there.remove(tile);
            }
            stream.there.extend(came.iter().copied());
            if let Some(problems) = problems {
                stream.problems = problems;
            }
            stream.refuse(entity, refused, &mut messages);
            match result {
                Ok(update) => {
                    if !stream.is_shown || update.is_some() {
                        put_mesh(mesh, entity, handle, &mut assets, &mut commands);
                        stream.is_shown = true;
                    }
                    if let Some(update) = update {
                        messages.write(NavMeshStreamMessage::Updated { entity, came, gone, update });
                    }
                    if stream.has_failed(|error| matches!(error, NavMeshStreamError::Update(_))) {
                        stream.status = StreamStatus::Streaming;
                    }
                }
                Err(error) => stream.fail(entity, NavMeshStreamError::Update(error), &mut messages),
            }
        }
        match (&stream.status, stream.is_busy()) {
            (StreamStatus::Streaming, false) => stream.status = StreamStatus::Settled,
            (StreamStatus::Settled, true) => stream.status = StreamStatus::Streaming,
            _ => {}
        }
    }
}

impl NavMeshStream {
    fn fail(
        &mut self,
        entity: Entity,
        error: NavMeshStreamError,
        messages: &mut MessageWriter<NavMeshStreamMessage>,
    ) {
        let error = Arc::new(error);
        self.status = StreamStatus::Failed(error.clone());
        messages.write(NavMeshStreamMessage::Failed { entity, error });
    }

    fn refuse(
        &mut self,
        entity: Entity,
        refused: Vec<(Tile, NavMeshTileError)>,
        messages: &mut MessageWriter<NavMeshStreamMessage>,
    ) {
        for (tile, error) in refused {
            let error = Arc::new(error);
            self.failed.insert(tile, error.clone());
            messages.write(NavMeshStreamMessage::TileFailed { entity, tile, error });
        }
    }

    /// Forgets tiles that are far off, and returns those that are to be read, the nearest first.
    fn want(
        &mut self,
        layout: &TileLayout,
        focuses: impl Iterator<Item = (glam::Vec3, f32)>,
        margin: f32,
    ) -> Vec<Tile> {
        let frame = layout.frame();
        let mut near: BTreeMap<Tile, f64> = BTreeMap::new();
        let mut kept = BTreeSet::new();
        for (place, distance) in focuses {
            kept.extend(layout.tiles_near(place, distance + margin));
            let [x, _, z] = frame.to_grid(place);
            for tile in layout.tiles_near(place, distance) {
                let core = layout.core(tile);
                let apart =
                    |at: f64, low: u32, end: u32| squared(at - (f64::from(low) + f64::from(end)) / 2.0);
                let away = apart(x, core.x, core.end_x()) + apart(z, core.z, core.end_z());
                near.entry(tile).and_modify(|least| *least = least.min(away)).or_insert(away);
            }
        }
        kept.extend(near.keys());
        let Self { again, reading, read, failed, there, job, .. } = self;
        // A read that already runs may return the file before its change.
        reading.retain(|tile, _| kept.contains(tile) && !again.contains(tile));
        read.retain(|tile, _| kept.contains(tile) && !again.contains(tile));
        failed.retain(|tile, _| kept.contains(tile));
        again.retain(|tile| kept.contains(tile) && (near.contains_key(tile) || there.contains(tile)));
        let is_coming = |tile: &Tile| {
            let is_in_job = job.as_ref().is_some_and(|job| job.tiles.contains(tile));
            is_in_job || reading.contains_key(tile) || read.contains_key(tile)
        };
        let is_settled = |tile: &Tile| there.contains(tile) || failed.contains_key(tile) || is_coming(tile);
        let mut wanted: Vec<(f64, Tile)> =
            near.into_iter().filter(|(tile, _)| !is_settled(tile)).map(|(tile, away)| (away, tile)).collect();
        wanted.retain(|(_, tile)| !again.contains(tile));
        wanted.extend(again.iter().map(|&tile| (0.0, tile)));
        wanted.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
        self.kept = kept;
        wanted.into_iter().map(|(_, tile)| tile).collect()
    }

    /// Returns `true` if the world is here, and its mesh would not be shown without the first tiles.
    fn is_ready(&self) -> bool {
        let waits = self.read.is_empty() && !self.reading.is_empty();
        self.world.is_some() && (self.is_shown || !waits)
    }

    /// Begins an update, if there is something to do.
    fn begin(&mut self, standing: Option<Snapshot>) {
        let Some((list, _)) = &self.opened else { return };
        let gone: Vec<Tile> = self.there.difference(&self.kept).copied().collect();
        let read = std::mem::take(&mut self.read).into_iter();
        let read: BTreeMap<_, _> =
            read.map(|(tile, bytes)| (tile, (list.file(tile).path().to_owned(), bytes))).collect();
        let is_idle = read.is_empty() && gone.is_empty() && standing.is_none();
        if let Some(world) = self.world.take_if(|_| !is_idle) {
            self.job = Some(Job::start(world, Change { read, gone, standing }));
        }
    }

    /// Returns `true` if tiles are to be read, or the world is to be updated.
    fn is_busy(&self) -> bool {
        let is_read = self.reading.is_empty() && self.read.is_empty() && !self.has_more;
        !is_read || self.job.is_some() || self.is_stale || !self.there.is_subset(&self.kept)
    }

    fn has_failed(&self, by: impl FnOnce(&NavMeshStreamError) -> bool) -> bool {
        matches!(&self.status, StreamStatus::Failed(error) if by(error))
    }
}

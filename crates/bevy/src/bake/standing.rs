//! Obstacles and areas of entities in a world of tiles.

use std::collections::BTreeMap;

use bevy::ecs::entity::Entity;
use waymesh::{MarkId, ObstacleId, World};

use super::gather::{Piece, Snapshot};
use super::state::SourceProblem;
use crate::source::{NavMeshArea, NavMeshObstacle};

/// The obstacles and areas of entities that were put into a world.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    obstacles: BTreeMap<Entity, (Piece<NavMeshObstacle>, Result<ObstacleId, SourceProblem>)>,
    /// In the order in which they count.
    areas: Vec<(Piece<NavMeshArea>, Result<MarkId, SourceProblem>)>,
}

impl Standing {
    /// Makes those in the world the ones of the snapshot: what is as before is not touched. Appends
    /// the problems of all that are left out.
    pub(crate) fn follow(
        &mut self,
        snapshot: &Snapshot,
        world: &mut World,
        problems: &mut Vec<SourceProblem>,
    ) {
        self.take_obstacles(&snapshot.obstacles, world);
        self.take_areas(&snapshot.areas, world);
        problems.extend(self.obstacles.values().filter_map(|(_, id)| id.clone().err()));
        problems.extend(self.areas.iter().filter_map(|(_, id)| id.clone().err()));
    }

    fn take_obstacles(&mut self, obstacles: &[Piece<NavMeshObstacle>], world: &mut World) {
        let mut before = std::mem::take(&mut self.obstacles);
        for obstacle in obstacles {
            let entry = match before.remove(&obstacle.entity) {
                Some(last) if last.0 == *obstacle => last,
                last => {
                    last.and_then(|(_, id)| id.ok()).map(|id| world.remove_obstacle(id));
                    let solid = obstacle.placed.obstacle(obstacle.role.walkable);
                    let id = solid.and_then(|solid| world.add_obstacle(solid));
                    (obstacle.clone(), id.map_err(|error| obstacle.problem(error)))
                }
            };
            self.obstacles.insert(obstacle.entity, entry);
        }
        for id in before.into_values().filter_map(|(_, id)| id.ok()) {
            world.remove_obstacle(id);
        }
    }

    /// Areas count in their order: from the first one that differs, all are put in again.
    fn take_areas(&mut self, areas: &[Piece<NavMeshArea>], world: &mut World) {
        let same = self.areas.iter().zip(areas).take_while(|((last, _), area)| last == *area).count();
        for id in self.areas.drain(same..).filter_map(|(_, id)| id.ok()) {
            world.remove_mark(id);
        }
        for area in &areas[same..] {
            let id = area.mark().and_then(|mark| world.add_mark(mark));
            self.areas.push((area.clone(), id.map_err(|error| area.problem(error))));
        }
    }
}

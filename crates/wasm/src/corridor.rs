//! Paths that are kept while agent, goal and mesh change, and paths that are found in slices.

use std::sync::Arc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh_graph::{
    CorridorChange, CorridorOptions, MeshSource, PathCorridor, QueryError, QueryScratch, ReplanReason,
};

use crate::convert::{Fields, flat, point, whole};
use crate::error::{OrThrow, Thrown};
use crate::ground::Ground;
use crate::mesh::NavMesh;
use crate::path;
use crate::query::{Allowed, MeshCosts};
use crate::world::World;

/// A path that follows an agent and a goal that move, polygon by polygon, and mends itself where
/// the mesh changes: for agents that a game moves by itself. A call costs what changed, not a
/// search.
///
/// After every call its path is the shortest through its polygons; it is planned again where it has
/// become too long for that (`maxDrift`).
#[wasm_bindgen]
#[derive(Debug)]
pub struct Corridor {
    corridor: PathCorridor<Allowed, MeshCosts>,
    ground: Ground,
    scratch: QueryScratch,
}

impl Corridor {
    fn make(options: &JsValue, mesh: &NavMesh, ground: Ground) -> Thrown<Self> {
        let mut fields = Fields::new("options", options)?;
        let asked = mesh.take_asked(&mut fields)?;
        let mut options = CorridorOptions::default();
        fields.numbers([("maxDrift", &mut options.max_drift), ("range", &mut options.range)])?;
        options.repair = fields.flag("repair", options.repair)?;
        fields.finish()?;
        NavMesh::check_many(&asked)?;
        options.validate().map_err(QueryError::from).or_throw()?;
        let corridor = PathCorridor::new(options.with_path(asked.options));
        Ok(Self { corridor, ground, scratch: QueryScratch::default() })
    }
}

/// The name of a change, for JavaScript.
fn changed(change: Result<CorridorChange, QueryError>) -> Thrown<String> {
    let name = match change.or_throw()? {
        CorridorChange::Kept => "kept",
        CorridorChange::Repaired { .. } => "repaired",
        CorridorChange::Replanned { reason: ReplanReason::Drifted } => "drifted",
        CorridorChange::Replanned { reason: ReplanReason::Jumped } => "jumped",
        CorridorChange::Replanned { reason: ReplanReason::Changed } => "changed",
        CorridorChange::Replanned { .. } => "planned",
        _ => "none",
    };
    Ok(name.to_owned())
}

#[wasm_bindgen]
impl Corridor {
    /// A corridor on a mesh, which may be freed afterwards. It leads nowhere before `plan`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &NavMesh,
        #[wasm_bindgen(unchecked_optional_param_type = "CorridorOptions")] options: JsValue,
    ) -> Thrown<Corridor> {
        Self::make(&options, mesh, Ground::of(mesh, false)?)
    }

    /// A corridor in a world: every call is on the mesh of the last update.
    #[wasm_bindgen(js_name = inWorld)]
    pub fn in_world(
        world: &World,
        #[wasm_bindgen(unchecked_optional_param_type = "CorridorOptions")] options: JsValue,
    ) -> Thrown<Corridor> {
        let handle = world.handle();
        Self::make(&options, &handle.mesh().into(), Ground::World(handle))
    }

    /// Keeps the corridor on another mesh from now on, as on ground that has changed. One that goes by
    /// flags goes by those of this mesh, which needs some: with other flags it is planned again.
    #[wasm_bindgen(js_name = walkOn)]
    pub fn walk_on(&mut self, mesh: &NavMesh) -> Thrown<()> {
        let path = &self.corridor.options().path;
        let filter = mesh.with_its_flags(&path.filter)?;
        self.ground = Ground::of(mesh, false)?;
        if let Some(filter) = filter {
            let path = path.clone().with_filter(filter);
            let Self { corridor, ground, scratch } = self;
            corridor.set_path(path);
            corridor.replan(&*ground.nav_mesh(), scratch).or_throw()?;
        }
        Ok(())
    }

    /// Plans a path from end to end.
    #[wasm_bindgen(unchecked_return_type = "CorridorChange")]
    pub fn plan(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
    ) -> Thrown<String> {
        let (from, to) = (point("start", start)?, point("end", end)?);
        let Self { corridor, ground, scratch } = self;
        changed(corridor.plan(&*ground.nav_mesh(), from, to, scratch))
    }

    /// The agent moved: the corridor begins where that led it, along walls that were in the way.
    #[wasm_bindgen(js_name = moveStart, unchecked_return_type = "CorridorChange")]
    pub fn move_start(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] position: &[f32],
    ) -> Thrown<String> {
        let to = point("position", position)?;
        let Self { corridor, ground, scratch } = self;
        changed(corridor.move_start(&*ground.nav_mesh(), to, scratch))
    }

    /// The goal moved.
    #[wasm_bindgen(js_name = moveGoal, unchecked_return_type = "CorridorChange")]
    pub fn move_goal(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] position: &[f32],
    ) -> Thrown<String> {
        let to = point("position", position)?;
        let Self { corridor, ground, scratch } = self;
        changed(corridor.move_goal(&*ground.nav_mesh(), to, scratch))
    }

    /// The agent took the next link, of those that are not crossed like an edge: the corridor begins at
    /// its end. `null` if the path has none.
    #[wasm_bindgen(js_name = takeLink, unchecked_return_type = "LinkUse | null")]
    pub fn take_link(&mut self) -> Thrown<JsValue> {
        let Self { corridor, ground, scratch } = self;
        let taken = corridor.take_link(&*ground.nav_mesh(), scratch).or_throw()?;
        Ok(taken.map_or(JsValue::NULL, |taken| path::link(&taken)))
    }

    /// The place of the agent on the mesh: three numbers, none without a corridor.
    #[wasm_bindgen(getter)]
    pub fn start(&self) -> Vec<f32> {
        self.corridor.start().map_or_else(Vec::new, |place| flat(&[place.position]))
    }

    /// The corners ahead, as many as `most`, three numbers each; the last of all is the goal.
    #[wasm_bindgen(js_name = nextCorners)]
    pub fn next_corners(&self, most: f64) -> Thrown<Vec<f32>> {
        Ok(flat(self.corridor.next_corners(whole("most", most, 0..=u32::MAX)? as usize)))
    }

    /// The path from the agent to the goal, or to the nearest place.
    #[wasm_bindgen(getter, unchecked_return_type = "Path")]
    pub fn path(&self) -> JsValue {
        path::path(self.corridor.path(), None)
    }
}

/// A search for a path that is spread over many calls, so that none takes long. However it is
/// sliced, the path is that of `findPath`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SlicedPath {
    search: waymesh_graph::SlicedPath<Allowed, MeshCosts>,
    mesh: Arc<waymesh_graph::NavMesh>,
}

#[wasm_bindgen]
impl SlicedPath {
    /// A search on a mesh as it is now. It may be used for many paths, one after the other.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &NavMesh,
        #[wasm_bindgen(unchecked_optional_param_type = "PathOptions")] options: JsValue,
    ) -> Thrown<SlicedPath> {
        let mut fields = Fields::new("options", &options)?;
        let asked = mesh.take_asked(&mut fields)?;
        fields.finish()?;
        NavMesh::check_many(&asked)?;
        Ok(Self { search: waymesh_graph::SlicedPath::new(asked.options), mesh: mesh.mesh.clone() })
    }

    /// Begins a search, and drops one that is under way.
    pub fn begin(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
    ) -> Thrown<()> {
        let (from, to) = (point("start", start)?, point("end", end)?);
        self.search.begin(&self.mesh, from, to).or_throw()
    }

    /// Searches on, `nodes` edges or polygons at most. Returns the path once it is found, else `null`.
    #[wasm_bindgen(unchecked_return_type = "Path | null")]
    pub fn advance(&mut self, nodes: f64) -> Thrown<JsValue> {
        let nodes = whole("nodes", nodes, 0..=u32::MAX)? as usize;
        let found = self.search.advance(&self.mesh, nodes).or_throw()?;
        Ok(found.map_or(JsValue::NULL, |found| path::path(found, None)))
    }

    /// `true` if a search is under way: begun, and not answered yet.
    #[wasm_bindgen(getter, js_name = isRunning)]
    pub fn is_running(&self) -> bool {
        self.search.is_running()
    }
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Options of a corridor. */
export interface CorridorOptions extends PathOptions {
  /** It is planned again once it is longer than its plan by more than this share. Default 0.1. */
  maxDrift?: number;
  /**
   * Longest detour of a repair in metres; after a longer move of an end it is planned again. Default
   * 10.
   */
  range?: number;
  /** Mend it where the mesh changed, instead of planning it again. Default `true`. */
  repair?: boolean;
}

/**
 * What a call did with a corridor. It was planned again for `"planned"` (the caller wanted it, or
 * there was none), `"drifted"` (it had become too long), `"jumped"` (an end moved to where no short
 * way leads) and `"changed"` (the mesh or its flags changed); with `"none"` no path leads anywhere.
 */
export type CorridorChange = "kept" | "repaired" | "planned" | "drifted" | "jumped" | "changed" | "none";
"#;

//! A world with obstacles and marks that come and go.

use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::core::AreaTable;
use waymesh::fields::{Entries, mark_of, shape_of};
use waymesh::graph::LinkId;
use waymesh::voxel::Obstacle;
use waymesh::{MarkId, ObstacleId};

use crate::bake::watched;
use crate::convert::{entries, object, value, whole};
use crate::error::{Kind, OrThrow, Thrown};
use crate::mesh::{NavMesh, link_of, number};
use crate::scene::{Scene, bounds};
use crate::settings;

/// A world of tiles, of which only those that something changed in are built again.
#[wasm_bindgen]
#[derive(Debug)]
pub struct World {
    world: waymesh::World,
    areas: AreaTable,
}

/// Side of a tile where none is given, in cells.
const TILE_CELLS: u32 = 64;

#[cfg(feature = "crowd")]
impl World {
    /// The newest mesh, now and later.
    pub(crate) fn handle(&self) -> waymesh::MeshHandle {
        self.world.handle()
    }
}

#[wasm_bindgen]
impl World {
    /// An empty world within bounds, six numbers. Tiles have `tileCells` cells a side, rounded up to
    /// blocks of 16; 64 by default, at least 1.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(js_name = bounds)] corners: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "Settings")] settings: JsValue,
        #[wasm_bindgen(js_name = tileCells, unchecked_optional_param_type = "number")] tile_cells: Option<
            f64,
        >,
    ) -> Thrown<World> {
        let baker = settings::voxels(&settings, &AreaTable::default())?;
        let areas = baker.config().areas.clone();
        let tile_cells =
            tile_cells.map_or(Ok(TILE_CELLS), |cells| whole("tileCells", cells, 1..=u32::MAX))?;
        let world = waymesh::World::new(baker, &bounds(corners)?, tile_cells).or_throw()?;
        Ok(Self { world, areas })
    }

    /// Puts the triangles of a scene into all tiles that they reach into.
    #[wasm_bindgen(js_name = addScene)]
    pub fn add_scene(
        &mut self,
        scene: &Scene,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<Function>,
    ) -> Thrown<()> {
        watched(progress, |observer| self.world.add_triangles(&*scene.soup, observer))
    }

    /// Puts an obstacle into the world and returns its number. With `walkable`, agents walk on it.
    #[wasm_bindgen(js_name = addObstacle)]
    pub fn add_obstacle(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Shape")] shape: JsValue,
        walkable: Option<bool>,
    ) -> Thrown<f64> {
        let given = entries("obstacle", &shape)?;
        let mut entries = Entries::new("obstacle", &given);
        let shape = shape_of(&mut entries).or_throw()?;
        entries.finish().or_throw()?;
        let obstacle = Obstacle::solid(shape).with_walkable(walkable.unwrap_or(false));
        Ok(self.world.add_obstacle(obstacle).map_err(|error| Kind::Settings.error(error))?.0 as f64)
    }

    /// Takes an obstacle away. Returns `true` if it was there.
    #[wasm_bindgen(js_name = removeObstacle)]
    pub fn remove_obstacle(&mut self, obstacle: f64) -> bool {
        self.world.remove_obstacle(ObstacleId(number(obstacle)))
    }

    /// Gives the ground in a shape another area, or cuts it out, and returns the number of the mark.
    #[wasm_bindgen(js_name = addMark)]
    pub fn add_mark(&mut self, #[wasm_bindgen(unchecked_param_type = "Mark")] mark: JsValue) -> Thrown<f64> {
        let mark = mark_of(&value("mark", &mark)?, &self.areas).or_throw()?;
        Ok(self.world.add_mark(mark).map_err(|error| Kind::Settings.error(error))?.0 as f64)
    }

    /// Takes a mark away. Returns `true` if it was there.
    #[wasm_bindgen(js_name = removeMark)]
    pub fn remove_mark(&mut self, mark: f64) -> bool {
        self.world.remove_mark(MarkId(number(mark)))
    }

    /// Adds a link between the places of the newest mesh that are nearest to two positions. Returns
    /// its number. Updates look for the ground at its ends again; a link without ground at an end is
    /// not there until it has some.
    #[wasm_bindgen(js_name = addLink)]
    pub fn add_link(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "LinkOptions")] options: JsValue,
    ) -> Thrown<f64> {
        let link = link_of(&self.world.handle().mesh(), [start, end], &options)?;
        Ok(self.world.add_link(link).map_err(|error| Kind::Input.error(error))?.0 as f64)
    }

    /// Removes a link that was added, and closes one that an update found. Returns `true` if it was
    /// there.
    #[wasm_bindgen(js_name = removeLink)]
    pub fn remove_link(&mut self, link: f64) -> bool {
        self.world.remove_link(LinkId(number(link)))
    }

    /// Opens or closes a link at once, until it is changed again. Returns `true` if the world has it.
    #[wasm_bindgen(js_name = setLinkOpen)]
    pub fn set_link_open(&mut self, link: f64, #[wasm_bindgen(js_name = isOpen)] is_open: bool) -> bool {
        self.world.set_link_open(LinkId(number(link)), is_open)
    }

    /// `true` if something changed since the last update.
    #[wasm_bindgen(getter, js_name = isDirty)]
    pub fn is_dirty(&self) -> bool {
        self.world.is_dirty()
    }

    /// Builds what changed.
    #[wasm_bindgen(unchecked_return_type = "WorldUpdate")]
    pub fn update(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<Function>,
    ) -> Thrown<JsValue> {
        let update = watched(progress, |observer| self.world.update(observer))?;
        Ok(object(&[
            ("rebuilt", (update.rebuilt as f64).into()),
            ("adjusted", (update.adjusted as f64).into()),
            ("polygons", (update.polygons as f64).into()),
            ("links", (update.links as f64).into()),
            ("buildSeconds", update.build_seconds.into()),
            ("joinSeconds", update.join_seconds.into()),
        ]))
    }

    /// The mesh of the last update. It stays as it is when the world changes.
    #[wasm_bindgen(getter)]
    pub fn mesh(&self) -> NavMesh {
        self.world.handle().mesh().into()
    }
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What an update of a world did. */
export interface WorldUpdate {
  /** Tiles built again. */
  rebuilt: number;
  /** Other tiles whose borders changed. */
  adjusted: number;
  polygons: number;
  links: number;
  buildSeconds: number;
  joinSeconds: number;
}
"#;

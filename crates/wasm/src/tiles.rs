//! Tiles one by one, for workers that bake a scene together.

use std::sync::Arc;

use js_sys::{Array, Function, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use waymesh::TriangleSoup;
use waymesh::tile::Tile;

use crate::bake::watched;
use crate::error::{Kind, OrThrow, Thrown};
use crate::mesh::{NavMesh, number};
use crate::scene::Scene;
use crate::settings;

/// Builds the tiles of a scene one by one, as bytes, and joins the tiles of all that have the same
/// scene and settings: see `BakeWorkers`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TileBaker {
    baker: waymesh::front::TileBaker,
    soup: Arc<TriangleSoup>,
    tiles: Vec<Tile>,
}

#[wasm_bindgen]
impl TileBaker {
    /// Sorts the triangles of a scene into tiles. The scene may be freed afterwards.
    #[wasm_bindgen(constructor)]
    pub fn new(
        scene: &Scene,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings")] settings: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<Function>,
    ) -> Thrown<TileBaker> {
        let baker = settings::voxels(&settings, &scene.areas)?;
        let baker = watched(progress, |observer| baker.apart(&*scene.soup, observer))?;
        let tiles = baker.layout().tiles().collect();
        Ok(Self { baker, soup: Arc::clone(&scene.soup), tiles })
    }

    /// Number of tiles.
    #[wasm_bindgen(getter)]
    pub fn count(&self) -> usize {
        self.tiles.len()
    }

    /// Tiles along x; they are numbered row by row.
    #[wasm_bindgen(getter)]
    pub fn columns(&self) -> u32 {
        self.baker.layout().columns()
    }

    /// Builds a tile.
    pub fn bake(&self, tile: f64) -> Thrown<Vec<u8>> {
        let missing = || {
            let count = self.tiles.len();
            Kind::Input.error(format_args!("there is no tile {tile}: the scene has {count}"))
        };
        let index = usize::try_from(number(tile)).unwrap_or(usize::MAX);
        self.baker.bake(*self.tiles.get(index).ok_or_else(missing)?).or_throw()
    }

    /// Joins all tiles, in any order, to one mesh, which is that of `Scene.bake`, to the last bit.
    pub fn merge(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array[]")] tiles: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Progress")] progress: Option<Function>,
    ) -> Thrown<NavMesh> {
        let bytes = tiles.dyn_ref::<Array>().map(|tiles| {
            tiles.iter().map(|tile| tile.dyn_into::<Uint8Array>().map(|tile| tile.to_vec())).collect()
        });
        let Some(Ok::<Vec<Vec<u8>>, _>(tiles)) = bytes else {
            return Err(Kind::Input.error("tiles must be a list of arrays of bytes"));
        };
        NavMesh::baked(watched(progress, |observer| self.baker.merge(tiles, Some(&*self.soup), observer))?)
    }
}

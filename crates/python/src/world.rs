//! A world with obstacles that come and go.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use waymesh::core::{AreaTable, BadField};
use waymesh::fields::{self, Value, mark_of, shape_of};
use waymesh::io::LoadOptions;
use waymesh::voxel::Obstacle;
use waymesh::{BakeError, Baker, Bounds, MarkId, MeshHandle, ObstacleId, Voxels, World};

use crate::bake::{soup, tile_of};
use crate::errors::OrRaise;
use crate::input::{Whole, finite, point, real};
use crate::mesh::PyNavMesh;
use crate::settings::{entries_of, load_options, read_entries};
use crate::watch::{PyCancelToken, watched_with};

/// A world of tiles: see the stubs for its documentation.
#[pyclass(frozen, module = "waymesh._waymesh", name = "World")]
#[derive(Debug)]
pub(crate) struct PyWorld {
    world: Mutex<World>,
    handle: MeshHandle,
    areas: AreaTable,
    load: LoadOptions,
}

impl PyWorld {
    pub(crate) fn handle(&self) -> MeshHandle {
        self.handle.clone()
    }

    fn made(
        settings: &Bound<'_, PyDict>,
        make: impl FnOnce(Baker<Voxels>) -> Result<World, BakeError>,
    ) -> PyResult<Self> {
        let (load, baker) = read_entries("settings", Some(settings), |entries| -> PyResult<_> {
            Ok((load_options(entries)?, fields::voxels(entries, &AreaTable::default()).or_raise()?))
        })?;
        let areas = baker.config().areas.clone();
        let world = make(baker).or_raise()?;
        Ok(Self { handle: world.handle(), world: Mutex::new(world), areas, load })
    }

    /// Runs with the world, without the interpreter's lock: an update of another thread may hold it.
    pub(crate) fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut World) -> T + Send) -> T {
        py.detach(|| run(&mut self.world.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    fn new(
        min: [f32; 3],
        max: [f32; 3],
        settings: &Bound<'_, PyDict>,
        tile_cells: Whole<u32>,
    ) -> PyResult<Self> {
        let tile_cells = tile_cells.named("tile_cells")?;
        let bounds = Bounds { min: Vec3::from(min), max: Vec3::from(max) };
        Self::made(settings, |baker| World::new(baker, &bounds, tile_cells))
    }

    /// Opens a folder of tiles, none of which is loaded.
    #[staticmethod]
    fn open(folder: PathBuf, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        Self::made(settings, |baker| World::open(baker, &folder))
    }

    #[pyo3(signature = (folder, progress=None, cancel=None))]
    fn write_tiles(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<()> {
        let told = (progress, cancel.as_deref());
        watched_with(py, told, &self.world, |world, observer| world.write_tiles(&folder, observer))
    }

    fn tiles(&self, py: Python<'_>) -> Vec<(u32, u32)> {
        self.with(py, |world| world.tiles().map(|tile| (tile.column, tile.row)).collect())
    }

    fn tiles_near(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = real)] distance: f32,
    ) -> PyResult<Vec<(u32, u32)>> {
        let position = point("position", position)?;
        finite("position", &[position])?;
        BadField::unless(distance >= 0.0, "distance", distance, "0 or more").or_raise()?;
        Ok(self.with(py, |world| {
            let near = world.layout().tiles_near(position, distance);
            near.map(|tile| (tile.column, tile.row)).collect()
        }))
    }

    fn load_tile(&self, py: Python<'_>, tile: [Whole<u32>; 2]) -> PyResult<bool> {
        let tile = tile_of(tile)?;
        self.with(py, |world| world.load_tile(tile)).or_raise()
    }

    fn remove_tile(&self, py: Python<'_>, tile: [Whole<u32>; 2]) -> PyResult<bool> {
        let tile = tile_of(tile)?;
        Ok(self.with(py, |world| world.remove_tile(tile)))
    }

    #[pyo3(signature = (vertices, triangles, areas=None, progress=None, cancel=None))]
    fn add_triangles(
        &self,
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        areas: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<()> {
        let soup = soup(vertices, triangles, areas, &self.load)?;
        let told = (progress, cancel.as_deref());
        watched_with(py, told, &self.world, |world, observer| world.add_triangles(&soup, observer))
    }

    #[pyo3(signature = (shape, walkable=false))]
    fn add_obstacle(&self, py: Python<'_>, shape: &Bound<'_, PyDict>, walkable: bool) -> PyResult<u64> {
        let shape = read_entries("obstacle", Some(shape), shape_of)?;
        let obstacle = Obstacle::solid(shape).with_walkable(walkable);
        Ok(self.with(py, |world| world.add_obstacle(obstacle)).or_raise()?.0)
    }

    #[pyo3(signature = (vertices, triangles, walkable=false))]
    fn add_mesh_obstacle(
        &self,
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        walkable: bool,
    ) -> PyResult<u64> {
        let obstacle = Obstacle::mesh(soup(vertices, triangles, None, &self.load)?).with_walkable(walkable);
        Ok(self.with(py, |world| world.add_obstacle(obstacle)).or_raise()?.0)
    }

    fn remove_obstacle(&self, py: Python<'_>, obstacle: Whole<u64>) -> PyResult<bool> {
        let obstacle = ObstacleId(obstacle.named("obstacle")?);
        Ok(self.with(py, |world| world.remove_obstacle(obstacle)))
    }

    fn add_mark(&self, py: Python<'_>, mark: &Bound<'_, PyDict>) -> PyResult<u64> {
        let mark = mark_of(&Value::Entries(entries_of(mark)?), &self.areas).or_raise()?;
        Ok(self.with(py, |world| world.add_mark(mark)).or_raise()?.0)
    }

    fn remove_mark(&self, py: Python<'_>, mark: Whole<u64>) -> PyResult<bool> {
        let mark = MarkId(mark.named("mark")?);
        Ok(self.with(py, |world| world.remove_mark(mark)))
    }

    #[getter]
    fn is_dirty(&self, py: Python<'_>) -> bool {
        self.with(py, |world| world.is_dirty())
    }

    #[pyo3(signature = (progress=None, cancel=None))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'py, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let told = (progress, cancel.as_deref());
        let update = watched_with(py, told, &self.world, |world, observer| world.update(observer))?;
        let entries = PyDict::new(py);
        entries.set_item("rebuilt", update.rebuilt)?;
        entries.set_item("prebaked", update.prebaked)?;
        entries.set_item("adjusted", update.adjusted)?;
        entries.set_item("polygons", update.polygons)?;
        entries.set_item("links", update.links)?;
        entries.set_item("build_seconds", update.build_seconds)?;
        entries.set_item("join_seconds", update.join_seconds)?;
        Ok(entries)
    }

    #[pyo3(signature = (mesh = None))]
    fn set_oracle(&self, py: Python<'_>, mesh: Option<&PyNavMesh>) {
        let oracle = mesh.and_then(|mesh| mesh.mesh.oracle());
        self.with(py, |world| world.set_oracle(oracle));
    }

    #[getter]
    fn mesh(&self) -> PyNavMesh {
        self.handle.mesh().into()
    }
}

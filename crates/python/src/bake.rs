//! Bakes: from arrays, files and floor plans.

use std::path::PathBuf;
use std::sync::OnceLock;

use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use waymesh::core::AreaTable;
use waymesh::fields::{self, AnyBaker, Entries, PLANS, READ};
use waymesh::floorplan::{ReadOptions, read_plans};
use waymesh::io::{LoadOptions, SceneNames, SceneSource, load_with_names};
use waymesh::tile::Tile;
use waymesh::{AreaId, Baker, TriangleSoup, Voxels};

use crate::errors::{Kind, OrRaise};
use crate::input::{self, Whole};
use crate::mesh::PyNavMesh;
use crate::output::from_json;
use crate::settings::{area_rules, entries_of, load_options, read_entries};
use crate::watch::{PyCancelToken, Told, detached, detached_told, watched};

/// Makes a soup of arrays. One copy: a bake owns its triangles.
pub(crate) fn soup(
    vertices: &Bound<'_, PyAny>,
    triangles: &Bound<'_, PyAny>,
    areas: Option<&Bound<'_, PyAny>>,
    load: &LoadOptions,
) -> PyResult<TriangleSoup> {
    let vertices = input::points("vertices", vertices)?;
    let vertices = vertices.as_slice()?.iter().map(|vertex| vertex.as_dvec3());
    let soup = load.soup(vertices, input::triangles(triangles)?);
    let soup = soup.map_err(|error| Kind::Input.error(error))?;
    match areas {
        Some(areas) => {
            let areas: Vec<u8> = input::labels("triangle_areas", areas)?;
            let areas: Vec<AreaId> = areas.into_iter().map(AreaId).collect();
            soup.with_areas(areas).map_err(|error| Kind::Input.error(error))
        }
        None => Ok(soup),
    }
}

/// Returns the tile of two arguments.
pub(crate) fn tile_of([column, row]: [Whole<u32>; 2]) -> PyResult<Tile> {
    Ok(Tile { row: row.named("row")?, column: column.named("column")? })
}

/// Bakes arrays.
#[pyfunction]
#[pyo3(signature = (vertices, triangles, areas, settings, progress=None, cancel=None))]
pub(crate) fn bake_arrays(
    py: Python<'_>,
    vertices: &Bound<'_, PyAny>,
    triangles: &Bound<'_, PyAny>,
    areas: Option<&Bound<'_, PyAny>>,
    settings: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
    cancel: Option<PyRef<'_, PyCancelToken>>,
) -> PyResult<PyNavMesh> {
    let (load, baker) = read_entries("settings", Some(settings), |entries| -> PyResult<_> {
        Ok((load_options(entries)?, AnyBaker::of(entries, &AreaTable::default()).or_raise()?))
    })?;
    let soup = soup(vertices, triangles, areas, &load)?;
    let bake = watched(py, (progress, cancel.as_deref()), |observer| baker.bake_observed(&soup, observer))?;
    PyNavMesh::baked(bake)
}

/// Bakes scene files, which make one scene together.
#[pyfunction]
#[pyo3(signature = (files, settings, progress=None, cancel=None))]
pub(crate) fn bake_files(
    py: Python<'_>,
    files: Vec<PathBuf>,
    settings: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
    cancel: Option<PyRef<'_, PyCancelToken>>,
) -> PyResult<PyNavMesh> {
    let (rules, options, baker) = read_entries("settings", Some(settings), |entries| -> PyResult<_> {
        let (rules, options) = (area_rules(entries)?, load_options(entries)?);
        let baker = AnyBaker::of(entries, rules.table()).or_raise()?;
        Ok((rules, options, baker))
    })?;
    let source = detached(py, || SceneSource::open(&files, &options, Some(&rules.map())))?.or_raise()?;
    let bake = watched(py, (progress, cancel.as_deref()), |observer| baker.bake_observed(&source, observer))?;
    PyNavMesh::baked(bake)
}

/// Bakes floor plans, which make one plan together.
#[pyfunction]
#[pyo3(signature = (files, settings, progress=None, cancel=None))]
pub(crate) fn bake_plans(
    py: Python<'_>,
    files: Vec<PathBuf>,
    settings: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
    cancel: Option<PyRef<'_, PyCancelToken>>,
) -> PyResult<PyNavMesh> {
    let given = entries_of(settings)?;
    let mut entries = Entries::new("settings", &given);
    let mut options = ReadOptions::default();
    entries.apply(READ, &mut options).or_raise()?;
    let plan = detached(py, || read_plans(&files, &options))?.or_raise()?;
    let baker = Baker::plans_for(&plan);
    // The plan names the areas.
    let areas = baker.config().areas.clone();
    let baker = fields::baker(baker, PLANS, &mut entries, &areas).or_raise()?;
    entries.finish().or_raise()?;
    PyNavMesh::baked(watched(py, (progress, cancel.as_deref()), |observer| {
        baker.bake_observed(&plan, observer)
    })?)
}

/// Explains a place of a scene, or why no path joins two, as a dictionary.
fn explained<'py>(
    py: Python<'py>,
    entries: &mut Entries<'_>,
    scene: impl FnOnce(&LoadOptions) -> PyResult<(TriangleSoup, SceneNames)>,
    areas: &AreaTable,
    (at, to): (&Bound<'py, PyAny>, Option<&Bound<'py, PyAny>>),
    (progress, cancel): (Option<&Bound<'py, PyAny>>, Option<PyRef<'_, PyCancelToken>>),
) -> PyResult<Bound<'py, PyAny>> {
    let place = |name: &str, given: &Bound<'py, PyAny>| -> PyResult<Vec3> {
        Ok(input::finite(name, &[input::point(name, given)?])?[0])
    };
    let (at, to) = (place("at", at)?, to.map(|to| place("to", to)).transpose()?);
    let load = load_options(entries)?;
    let baker = fields::voxels(entries, areas).or_raise()?;
    entries.finish().or_raise()?;
    let (soup, names) = scene(&load)?;
    let answer = detached_told(py, Told::of("why", progress, &cancel), 0, |_| {
        baker.explain(&soup)?.answer(at, to, |triangle| names.name_of(triangle))
    })?;
    let answer = answer.or_raise()?;
    let json = serde_json::to_string(&answer).map_err(|error| Kind::Bake.error(error))?;
    from_json(py, &json)
}

/// Explains a place of arrays.
#[pyfunction]
#[pyo3(signature = (vertices, triangles, areas, at, to, settings, progress=None, cancel=None))]
#[expect(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
pub(crate) fn explain_arrays<'py>(
    py: Python<'py>,
    vertices: &Bound<'py, PyAny>,
    triangles: &Bound<'py, PyAny>,
    areas: Option<&Bound<'py, PyAny>>,
    at: &Bound<'py, PyAny>,
    to: Option<&Bound<'py, PyAny>>,
    settings: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
    cancel: Option<PyRef<'py, PyCancelToken>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = entries_of(settings)?;
    let mut entries = Entries::new("settings", &given);
    let scene = |load: &LoadOptions| Ok((soup(vertices, triangles, areas, load)?, SceneNames::default()));
    explained(py, &mut entries, scene, &AreaTable::default(), (at, to), (progress, cancel))
}

/// Explains a place of scene files.
#[pyfunction]
#[pyo3(signature = (files, at, to, settings, progress=None, cancel=None))]
pub(crate) fn explain_files<'py>(
    py: Python<'py>,
    files: Vec<PathBuf>,
    at: &Bound<'py, PyAny>,
    to: Option<&Bound<'py, PyAny>>,
    settings: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
    cancel: Option<PyRef<'py, PyCancelToken>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = entries_of(settings)?;
    let mut entries = Entries::new("settings", &given);
    let rules = area_rules(&mut entries)?;
    let scene = |load: &LoadOptions| detached(py, || load_with_names(&files, load, &rules.map()))?.or_raise();
    explained(py, &mut entries, scene, rules.table(), (at, to), (progress, cancel))
}

#[doc = doc!("TileJob")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "TileJob")]
pub(crate) struct TileJob {
    /// The arguments, for pickles.
    given: (Vec<PathBuf>, Py<PyDict>),
    source: SceneSource,
    baker: Baker<Voxels>,
    /// The triangles, sorted into tiles when the first one is built: the files are read once for all.
    sorted: OnceLock<waymesh::front::TileBaker>,
}

impl std::fmt::Debug for TileJob {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TileJob").field("baker", &self.baker).finish_non_exhaustive()
    }
}

#[pymethods]
impl TileJob {
    #[new]
    fn new(py: Python<'_>, files: Vec<PathBuf>, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (rules, options, baker) = read_entries("settings", Some(settings), |entries| -> PyResult<_> {
            let (rules, options) = (area_rules(entries)?, load_options(entries)?);
            let baker = fields::voxels(entries, rules.table()).or_raise()?;
            Ok((rules, options, baker))
        })?;
        baker.check().or_raise()?;
        let source = detached(py, || SceneSource::open(&files, &options, Some(&rules.map())))?.or_raise()?;
        Ok(Self { given: (files, settings.copy()?.unbind()), source, baker, sorted: OnceLock::new() })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Vec<PathBuf>, Bound<'py, PyDict>)) {
        let (files, settings) = &slf.get().given;
        (slf.get_type(), (files.clone(), settings.bind(slf.py()).clone()))
    }

    #[doc = doc!("TileJob.layout")]
    fn layout(&self, py: Python<'_>) -> PyResult<(u32, u32)> {
        let layout = detached(py, || self.baker.layout(&self.source))?.or_raise()?;
        Ok((layout.columns(), layout.rows()))
    }

    #[doc = doc!("TileJob.manifest")]
    fn manifest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let manifest = detached(py, || self.baker.manifest(&self.source))?.or_raise()?;
        let json = serde_json::to_string(&manifest).map_err(|error| Kind::Bake.error(error))?;
        from_json(py, &json)
    }

    #[doc = doc!("TileJob.build_share")]
    #[pyo3(signature = (index, of, progress=None, cancel=None))]
    fn build_share(
        &self,
        py: Python<'_>,
        index: Whole<u32>,
        of: Whole<u32>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<Vec<PathBuf>> {
        let (index, of) = (index.named("index")?, of.named("of")?);
        watched(py, (progress, cancel.as_deref()), |observer| {
            self.baker.bake_share(&self.source, index, of, observer)
        })
    }

    #[doc = doc!("TileJob.build")]
    #[pyo3(signature = (column, row, progress=None, cancel=None))]
    fn build(
        &self,
        py: Python<'_>,
        column: Whole<u32>,
        row: Whole<u32>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<PathBuf> {
        let tile = tile_of([column, row])?;
        watched(py, (progress, cancel.as_deref()), |observer| {
            let sorted = match self.sorted.get() {
                Some(sorted) => sorted,
                None => {
                    let made = self.baker.clone().apart(&self.source, observer)?;
                    // Another thread may have made the same meanwhile.
                    self.sorted.get_or_init(|| made)
                }
            };
            observer.cancel_token().run(|| sorted.bake_into_folder(tile))?
        })
    }

    #[doc = doc!("TileJob.merge")]
    #[pyo3(signature = (folder, progress=None, cancel=None))]
    fn merge(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<PyNavMesh> {
        let bake = watched(py, (progress, cancel.as_deref()), |observer| {
            self.baker.merge_tiles(&folder, Some(&self.source), observer)
        })?;
        PyNavMesh::baked(bake)
    }
}

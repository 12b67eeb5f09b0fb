//! Filters of polygons that numpy made.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use waymesh::graph::{ClearanceNavMesh, FlagFilter, Generation, PolygonFilter, TravelCost};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{NavMesh, PolyId};

use crate::errors::{Kind, OrRaise};
use crate::input::{flags, real_or_none};
use crate::mesh::PyNavMesh;
use crate::output::Pickled;
use crate::settings::{head_room, mesh_costs};
use crate::watch::detached;

/// A filter that a query was given.
pub(crate) type Allowed = Option<Arc<Polygons>>;

/// Polygons that are allowed.
#[derive(Debug)]
pub(crate) struct Polygons {
    pub(crate) flags: FlagFilter,
    /// The polygons that it is for, and the number of their ids.
    generation: Generation,
    len: usize,
    /// The ground for discs, and the mesh that it is of.
    clearance: Mutex<Option<(Arc<NavMesh>, Arc<ClearanceNavMesh>)>>,
}

impl Polygons {
    fn new(allowed: Vec<bool>, generation: Generation) -> Self {
        let len = allowed.len();
        let flags: Vec<u16> = allowed.into_iter().map(u16::from).collect();
        let flags = FlagFilter { flags: flags.into(), include: 1, exclude: 0 };
        Self { flags, generation, len, clearance: Mutex::default() }
    }

    /// Refuses a mesh of other polygons.
    pub(crate) fn check(&self, mesh: &NavMesh) -> PyResult<()> {
        if mesh.generation() == self.generation {
            return Ok(());
        }
        let text = "allowed was made for other polygons than this mesh has: make it again with its filter()";
        Err(Kind::Query.error(text))
    }

    fn allowed(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|polygon| self.flags.flags.get(PolyId::from_index(polygon)) == 1)
    }
}

#[doc = doc!("PolygonFilter")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "PolygonFilter")]
#[derive(Debug)]
pub(crate) struct PyPolygonFilter(pub(crate) Arc<Polygons>);

#[pymethods]
impl PyPolygonFilter {
    #[doc = doc!("PolygonFilter.allowed")]
    #[getter(allowed)]
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.0.allowed())
    }

    fn __len__(&self) -> usize {
        self.0.len
    }

    fn __repr__(&self) -> String {
        let count = self.0.allowed().filter(|&allowed| allowed).count();
        format!("<waymesh.PolygonFilter: {count} of {} ids of polygons>", self.0.len)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (Bound<'py, PyArray1<bool>>, u64)> {
        let this = slf.get();
        Ok((slf.get_type().getattr("_of_parts")?, (this.array(slf.py()), this.0.generation.0)))
    }

    #[staticmethod]
    fn _of_parts(allowed: &Bound<'_, PyAny>, generation: u64) -> PyResult<Self> {
        Ok(Self(Arc::new(Polygons::new(flags("allowed", allowed)?, Generation(generation)))))
    }
}

#[pymethods]
impl PyNavMesh {
    #[doc = doc!("NavMesh.filter")]
    #[pyo3(signature = (allowed=None, *, area_costs=None, agent_height=None))]
    fn filter(
        &self,
        allowed: Option<&Bound<'_, PyAny>>,
        area_costs: Option<&Bound<'_, PyMapping>>,
        #[pyo3(from_py_with = real_or_none)] agent_height: Option<f32>,
    ) -> PyResult<PyPolygonFilter> {
        let mesh = &self.mesh;
        let bound = mesh.polygon_bound();
        let mut open = allowed.map_or(Ok(vec![true; bound]), |allowed| flags("allowed", allowed))?;
        if open.len() != bound {
            let text = format!(
                "allowed has {} booleans, but the mesh has {bound} ids of polygons: make it of arrays of this \
                 mesh, such as polygon_areas",
                open.len()
            );
            return Err(Kind::Input.error(text));
        }
        let (height, costs) = (head_room(agent_height)?, mesh_costs(mesh, [area_costs, None])?);
        for (polygon, open) in open.iter_mut().enumerate().filter(|(_, open)| **open) {
            let polygon = PolyId::from_index(polygon);
            *open = height.allows(mesh, polygon) && costs.per_metre(mesh, polygon) < f32::INFINITY;
        }
        Ok(PyPolygonFilter(Arc::new(Polygons::new(open, mesh.generation()))))
    }
}

/// Returns the filter of an argument `allowed`.
pub(crate) fn allowed_of(allowed: Option<&Bound<'_, PyAny>>) -> PyResult<Allowed> {
    let Some(given) = allowed else { return Ok(None) };
    given.cast::<PyPolygonFilter>().map(|filter| Some(filter.get().0.clone())).map_err(|_| {
        let kind = crate::input::describe(given);
        Kind::Input
            .error(format!("allowed must be a PolygonFilter, not {kind}: mesh.filter(array) makes one"))
    })
}

impl PyNavMesh {
    /// Returns the filter of an argument `allowed`, which must be for this mesh.
    pub(crate) fn allowed(&self, allowed: Option<&Bound<'_, PyAny>>) -> PyResult<Option<FlagFilter>> {
        let Some(filter) = allowed_of(allowed)? else { return Ok(None) };
        filter.check(&self.mesh)?;
        Ok(Some(filter.flags.clone()))
    }

    /// The ground for discs, of all polygons or of those that are allowed.
    pub(crate) fn clear_ground(&self, py: Python<'_>, allowed: &Allowed) -> PyResult<Arc<ClearanceNavMesh>> {
        let Some(filter) = allowed else { return self.clearance(py).cloned() };
        filter.check(&self.mesh)?;
        let kept = || filter.clearance.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, made)) = &*kept()
            && Arc::ptr_eq(of, &self.mesh)
        {
            return Ok(made.clone());
        }
        let mesh = NavMesh::clone(&self.mesh);
        let config = ClearanceConfig::default();
        let made = detached(py, || waymesh::with_clearance_for(mesh, &filter.flags, &config))?.or_raise()?;
        let made = Arc::new(made);
        *kept() = Some((self.mesh.clone(), made.clone()));
        Ok(made)
    }
}

//! Random places and distance fields.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use rayon::prelude::*;
use waymesh::core::Random;
use waymesh::graph::{DistanceMap, Location, PlaceSampler};
use waymesh::{AnyPolygon, NavMesh, QueryScratch};

use crate::errors::{Kind, OrRaise};
use crate::input::{OneOrMany, finite, one_or_many, point, points};
use crate::mesh::{PyNavMesh, positions};
use crate::pool::pool;
use crate::query::OnIsland;

/// Random places of a mesh, or of one of its islands.
#[pyclass(frozen, module = "waymesh._waymesh", name = "Sampler")]
#[derive(Debug)]
pub(crate) struct PySampler {
    mesh: Arc<NavMesh>,
    places: PlaceSampler,
    island: Option<u32>,
    state: Mutex<(Random, QueryScratch)>,
}

#[pymethods]
impl PyNavMesh {
    #[pyo3(signature = (seed=0, island=None))]
    fn sampler(&self, seed: u64, island: Option<i64>) -> PyResult<PySampler> {
        let island = self.island(island)?;
        let places = match island {
            Some(island) => PlaceSampler::new(&self.mesh, &OnIsland(island)),
            None => PlaceSampler::new(&self.mesh, &AnyPolygon),
        };
        let state = Mutex::new((Random::new(seed), QueryScratch::default()));
        Ok(PySampler { mesh: Arc::clone(&self.mesh), places, island, state })
    }

    #[pyo3(signature = (goals, limit=f32::INFINITY))]
    fn distance_field(&self, py: Python<'_>, goals: &Bound<'_, PyAny>, limit: f32) -> PyResult<PyField> {
        if limit.is_nan() || limit < 0.0 {
            return Err(Kind::Query.error(format!("limit is {limit}, but must be 0 or more")));
        }
        let asked = points("goals", goals)?;
        let asked = finite("goals", asked.as_slice()?)?;
        let reach = self.mesh.default_reach();
        let locate = |(row, &goal): (usize, &Vec3)| {
            self.mesh.nearest(goal, &reach).ok_or_else(|| {
                Kind::NoMeshNear.error(format!("no mesh near goal {row} {goal}, within {reach}"))
            })
        };
        let goals: Vec<Location> = asked.iter().enumerate().map(locate).collect::<PyResult<_>>()?;
        let pool = pool(py)?;
        let map = |scratch: &mut QueryScratch, goal: &Location| {
            self.mesh.distance_map(goal, limit, &AnyPolygon, scratch)
        };
        let maps: Result<Vec<DistanceMap>, _> =
            py.detach(|| pool.install(|| goals.par_iter().map_init(QueryScratch::default, map).collect()));
        Ok(PyField { mesh: Arc::clone(&self.mesh), maps: maps.or_raise()? })
    }
}

/// Points that are drawn without a look for signals: a tenth of a second.
const PORTION: usize = 1_000_000;

impl PySampler {
    fn place(&self, random: &mut Random) -> PyResult<Location> {
        let place = self.places.sample(&self.mesh, random).or_raise()?;
        place.ok_or_else(|| Kind::Query.error("the mesh has no ground"))
    }
}

#[pymethods]
impl PySampler {
    fn seed(&self, seed: u64) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0 = Random::new(seed);
    }

    fn point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(PyArray1::from_slice(py, &self.place(&mut state.0)?.position.to_array()))
    }

    fn points<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let mut found: Vec<Vec3> = Vec::new();
        found
            .try_reserve_exact(count)
            .map_err(|error| Kind::Input.error(format!("{count} points: {error}")))?;
        while found.len() < count {
            // Python code runs between portions: the lock must not be held then.
            py.check_signals()?;
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            for _ in 0..PORTION.min(count - found.len()) {
                found.push(self.place(&mut state.0)?.position);
            }
        }
        positions(py, &found)
    }

    /// Random places around another, connected with it within the radius.
    #[pyo3(signature = (centre, radius, count=None))]
    fn near<'py>(
        &self,
        py: Python<'py>,
        centre: &Bound<'py, PyAny>,
        radius: f32,
        count: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let centre = point("centre", centre)?;
        let centre = finite("centre", &[centre])?[0];
        let reach = self.mesh.default_reach();
        let place = match self.island {
            Some(island) => self.mesh.nearest_with(centre, &reach, &OnIsland(island)),
            None => self.mesh.nearest(centre, &reach),
        };
        let place = place.ok_or_else(|| {
            Kind::NoMeshNear.error(format!("no mesh near the centre {centre}, within {reach}"))
        })?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (random, scratch) = &mut *state;
        let mut draw = || {
            let found = self.mesh.random_place_around(&place, radius, &AnyPolygon, random, scratch);
            found.or_raise().map(|found| found.position)
        };
        let Some(count) = count else {
            return Ok(PyArray1::from_slice(py, &draw()?.to_array()).into_any());
        };
        let found: Vec<Vec3> = (0..count).map(|_| draw()).collect::<PyResult<_>>()?;
        Ok(positions(py, &found)?.into_any())
    }
}

/// How far everything is from the nearest of some goals.
#[pyclass(frozen, module = "waymesh._waymesh", name = "DistanceField")]
#[derive(Debug)]
pub(crate) struct PyField {
    mesh: Arc<NavMesh>,
    maps: Vec<DistanceMap>,
}

/// Distance, goal, and where to go next.
type Way = (f32, i64, Vec3);

impl PyField {
    fn way(&self, at: Vec3) -> Way {
        let mut best: Way = (f32::INFINITY, -1, Vec3::NAN);
        let Some(place) = self.mesh.nearest(at, &self.mesh.default_reach()) else { return best };
        for (map, goal) in self.maps.iter().zip(0..) {
            if let Ok(Some(heading)) = map.heading(&self.mesh, &place)
                && heading.distance < best.0
            {
                best = (heading.distance, goal, heading.next);
            }
        }
        best
    }

    fn ways(&self, py: Python<'_>, points: &[Vec3]) -> PyResult<Vec<Way>> {
        let pool = pool(py)?;
        Ok(py
            .detach(|| pool.install(|| points.par_iter().with_min_len(16).map(|&at| self.way(at)).collect())))
    }
}

#[pymethods]
impl PyField {
    fn __repr__(&self) -> String {
        format!("<waymesh.DistanceField: {} goals>", self.maps.len())
    }

    fn distance<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match one_or_many("points", points)? {
            OneOrMany::One(at) => self.way(finite("points", &[at])?[0]).0.into_bound_py_any(py),
            OneOrMany::Many(points) => {
                let ways = self.ways(py, finite("points", points.as_slice()?)?)?;
                Ok(PyArray1::from_vec(py, ways.iter().map(|way| way.0).collect()).into_any())
            }
        }
    }

    /// The nearest goal, the distance to it, and the next corner of the way there.
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn headings<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>)> {
        let points = crate::input::points("points", points)?;
        let ways = self.ways(py, finite("points", points.as_slice()?)?)?;
        let next: Vec<Vec3> = ways.iter().map(|way| way.2).collect();
        Ok((
            PyArray1::from_vec(py, ways.iter().map(|way| way.1).collect()),
            PyArray1::from_vec(py, ways.iter().map(|way| way.0).collect()),
            positions(py, &next)?,
        ))
    }
}

//! Random places and distance fields.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use waymesh::core::{CancelToken, Random, checkpoint};
use waymesh::graph::{DistanceMap, Location, PlaceSampler};
use waymesh::{NavMesh, QueryError, QueryScratch};

use crate::errors::{Kind, OrRaise};
use crate::filter::{Allowed, PyPolygonFilter, allowed_of};
use crate::input::{OneOrMany, Whole, bounded, finite, goals as goals_of, one_or_many, point, real};
use crate::mesh::PyNavMesh;
use crate::output::{Pickled, positions};
use crate::query::{OnIsland, for_each};
use crate::watch::{Done, PyCancelToken, Signals, Told, detached, detached_told};

#[doc = doc!("Sampler")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "Sampler")]
#[derive(Debug)]
pub(crate) struct PySampler {
    mesh: Arc<NavMesh>,
    places: PlaceSampler,
    island: Option<u32>,
    allowed: Allowed,
    state: Mutex<(Random, QueryScratch)>,
}

#[pymethods]
impl PyNavMesh {
    #[doc = doc!("NavMesh.sampler")]
    #[pyo3(signature = (seed=Whole::from(0), island=None, allowed=None))]
    fn sampler(
        &self,
        py: Python<'_>,
        seed: Whole<u64>,
        island: Option<Whole<u32>>,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySampler> {
        let seed = seed.named("seed")?;
        let island = island.map(|island| self.island(island)).transpose()?;
        let filter = (island.map(OnIsland), self.allowed(allowed)?);
        let places = detached(py, || self.mesh.query().filter(&filter).sampler())?;
        let state = Mutex::new((Random::new(seed), QueryScratch::default()));
        let allowed = allowed_of(allowed)?;
        Ok(PySampler { mesh: Arc::clone(&self.mesh), places, island, allowed, state })
    }

    #[doc = doc!("NavMesh.distance_field")]
    #[pyo3(signature = (goals, limit=f32::INFINITY, *, allowed=None, progress=None, cancel=None))]
    fn distance_field(
        &self,
        py: Python<'_>,
        goals: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = real)] limit: f32,
        allowed: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<PyField> {
        if limit.is_nan() || limit < 0.0 {
            return Err(Kind::Query.error(format!("limit is {limit}, but must be 0 or more")));
        }
        let asked = goals_of(goals)?;
        let asked = finite("goals", &asked)?;
        let (reach, filter) = (self.mesh.default_reach(), self.allowed(allowed)?);
        let places = for_each(py, asked, |_, &goal| self.mesh.nearest_with(goal, &reach, &filter))?;
        let located = |(row, place): (usize, Option<Location>)| {
            place.ok_or_else(|| {
                Kind::NoMeshNear.error(format!("no mesh near goal {row} {}, within {reach}", asked[row]))
            })
        };
        let goals: Vec<Location> = places.into_iter().enumerate().map(located).collect::<PyResult<_>>()?;
        let told = Told::of("goals", progress, &cancel);
        let maps: Result<_, _> = detached_told(py, told, goals.len(), |done: &Done| {
            let token = CancelToken::current();
            let begin = || (token.enter(), QueryScratch::default());
            let map = |scratch: &mut QueryScratch, goal| {
                checkpoint();
                let map = self.mesh.query().filter(&filter).memory(scratch).distance_map(goal, limit);
                done.add(1);
                map
            };
            goals.par_iter().map_init(begin, |(_, scratch), goal| map(scratch, goal)).collect()
        })?;
        let maps = maps.or_raise()?;
        let goals = goals.iter().map(|goal| goal.position).collect();
        let allowed = allowed_of(allowed)?;
        Ok(PyField { mesh: Arc::clone(&self.mesh), goals, maps, limit, allowed })
    }
}

impl PySampler {
    /// Draws one by one without the interpreter's lock: Python code that runs while a thread holds the
    /// state may wait for another that waits for the state.
    fn draw(
        &self,
        py: Python<'_>,
        count: usize,
        one: impl Fn(&mut Random, &mut QueryScratch) -> Result<Option<Location>, QueryError> + Sync,
    ) -> PyResult<Vec<Vec3>> {
        /// Places between two checks for signals.
        const PLACES_PER_CHECK: usize = 256;
        let mut found: Vec<Vec3> = Vec::new();
        found
            .try_reserve_exact(count)
            .map_err(|error| Kind::Input.error(format!("{count} points: {error}")))?;
        let mut signals = Signals::new(py)?;
        py.detach(|| {
            while found.len() < count {
                signals.check()?;
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let (random, scratch) = &mut *state;
                for _ in 0..PLACES_PER_CHECK.min(count - found.len()) {
                    let place = one(random, scratch).or_raise()?;
                    let place = place.ok_or_else(|| Kind::Query.error("the mesh has no ground"))?;
                    found.push(place.position);
                }
            }
            Ok(found)
        })
    }

    fn places(&self, py: Python<'_>, count: usize) -> PyResult<Vec<Vec3>> {
        self.draw(py, count, |random, _| self.places.sample(&self.mesh, random))
    }
}

#[pymethods]
impl PySampler {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (u64, Option<u32>, Option<PyPolygonFilter>)> {
        let (py, this) = (slf.py(), slf.get());
        let mesh = Bound::new(py, PyNavMesh::from(Arc::clone(&this.mesh)))?;
        let state = py.detach(|| this.state.lock().unwrap_or_else(PoisonError::into_inner).0.state());
        Ok((mesh.getattr("sampler")?, (state, this.island, this.allowed.clone().map(PyPolygonFilter))))
    }

    #[doc = doc!("Sampler.seed")]
    fn seed(&self, py: Python<'_>, seed: Whole<u64>) -> PyResult<()> {
        let random = Random::new(seed.named("seed")?);
        py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).0 = random);
        Ok(())
    }

    #[doc = doc!("Sampler.point")]
    fn point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(PyArray1::from_slice(py, &self.places(py, 1)?[0].to_array()))
    }

    #[doc = doc!("Sampler.points")]
    fn points<'py>(&self, py: Python<'py>, count: Whole<usize>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        positions(py, &self.places(py, count.named("count")?)?)
    }

    #[doc = doc!("Sampler.near")]
    #[pyo3(signature = (centre, radius, count=None))]
    fn near<'py>(
        &self,
        py: Python<'py>,
        centre: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = real)] radius: f32,
        count: Option<Whole<usize>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = count.map(|count| count.named("count")).transpose()?;
        if radius.is_nan() || radius < 0.0 {
            return Err(Kind::Query.error(format!("radius is {radius}, but must be 0 or more")));
        }
        let centre = point("centre", centre)?;
        let centre = finite("centre", &[centre])?[0];
        let reach = self.mesh.default_reach();
        let allowed = self.allowed.as_ref().map(|polygons| &polygons.flags);
        let filter = (self.island.map(OnIsland), allowed);
        let place = self.mesh.nearest_with(centre, &reach, &filter);
        let place = place.ok_or_else(|| {
            Kind::NoMeshNear.error(format!("no mesh near the centre {centre}, within {reach}"))
        })?;
        let found = self.draw(py, count.unwrap_or(1), |random, scratch| {
            self.mesh.query().filter(allowed).memory(scratch).random_around(place, radius, random).map(Some)
        })?;
        match count {
            None => Ok(PyArray1::from_slice(py, &found[0].to_array()).into_any()),
            Some(_) => Ok(positions(py, &found)?.into_any()),
        }
    }
}

#[doc = doc!("DistanceField")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "DistanceField")]
#[derive(Debug)]
pub(crate) struct PyField {
    mesh: Arc<NavMesh>,
    /// Places of the goals.
    goals: Vec<Vec3>,
    maps: Vec<DistanceMap>,
    limit: f32,
    allowed: Allowed,
}

/// Distance, goal, and where to go next.
type Way = (f32, i64, Vec3);

impl PyField {
    fn way(&self, at: Vec3) -> Way {
        let mut best: Way = (f32::INFINITY, -1, Vec3::NAN);
        if at.is_nan() {
            return best;
        }
        let allowed = self.allowed.as_ref().map(|polygons| &polygons.flags);
        let place = self.mesh.nearest_with(at, &self.mesh.default_reach(), &allowed);
        let Some(place) = place else { return best };
        for (map, goal) in self.maps.iter().zip(0..) {
            // The limit of a map is one of lengths in plan, which are shorter.
            if let Ok(Some(heading)) = map.heading(&self.mesh, &place)
                && heading.distance <= self.limit
                && heading.distance < best.0
            {
                best = (heading.distance, goal, heading.next);
            }
        }
        best
    }

    fn ways(&self, py: Python<'_>, points: &[Vec3]) -> PyResult<Vec<Way>> {
        for_each(py, points, |_, &at| self.way(at))
    }
}

#[pymethods]
impl PyField {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (Bound<'py, PyAny>, f32)> {
        let (py, this) = (slf.py(), slf.get());
        let mesh = Bound::new(py, PyNavMesh::from(Arc::clone(&this.mesh)))?;
        let named = PyDict::new(py);
        named.set_item("allowed", this.allowed.clone().map(PyPolygonFilter))?;
        let make = (mesh.getattr("distance_field")?,);
        let make = py.import("functools")?.getattr("partial")?.call(make, Some(&named))?;
        Ok((make, (positions(py, &this.goals)?.into_any(), this.limit)))
    }

    fn __repr__(&self) -> String {
        format!("<waymesh.DistanceField: {} goals>", self.maps.len())
    }

    #[doc = doc!("DistanceField.distance")]
    fn distance<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match one_or_many("points", points)? {
            OneOrMany::One(at) => self.way(bounded("points", &[at])?[0]).0.into_bound_py_any(py),
            OneOrMany::Many(points) => {
                let ways = self.ways(py, bounded("points", points.as_slice()?)?)?;
                Ok(PyArray1::from_vec(py, ways.iter().map(|way| way.0).collect()).into_any())
            }
        }
    }

    #[doc = doc!("DistanceField.headings")]
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn headings<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>)> {
        let points = crate::input::points("points", points)?;
        let ways = self.ways(py, bounded("points", points.as_slice()?)?)?;
        let next: Vec<Vec3> = ways.iter().map(|way| way.2).collect();
        Ok((
            PyArray1::from_vec(py, ways.iter().map(|way| way.1).collect()),
            PyArray1::from_vec(py, ways.iter().map(|way| way.0).collect()),
            positions(py, &next)?,
        ))
    }
}

//! Links that Python adds to meshes and worlds.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use waymesh::graph::{LinkChoice, LinkId};
use waymesh::{Link, NavMesh};

use crate::errors::{Kind, OrRaise};
use crate::input::point;
use crate::mesh::PyNavMesh;
use crate::settings::read_entries;
use crate::world::PyWorld;

/// A link between the places of a mesh that are nearest to two positions.
fn link_of(
    mesh: &NavMesh,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<Link> {
    let mut kind = "user".to_owned();
    let (mut both_ways, mut is_open, mut extra_cost, mut data) = (true, true, 0.0, 0);
    read_entries("link", given, |entries| {
        entries.set("kind", &mut kind)?;
        entries.set("both_ways", &mut both_ways)?;
        entries.set("is_open", &mut is_open)?;
        entries.set("extra_cost", &mut extra_cost)?;
        entries.set("data", &mut data)
    })?;
    let kind = match kind.parse().map_err(|error| Kind::Config.error(error))? {
        LinkChoice::Kind(kind) => kind,
        LinkChoice::One(_) => return Err(Kind::Config.error("link: kind must be the name of a kind")),
    };
    let mut link = mesh.link_between(point("start", start)?, point("end", end)?, kind).or_raise()?;
    (link.both_ways, link.is_open, link.extra_cost, link.data) = (both_ways, is_open, extra_cost, data);
    Ok(link)
}

#[pymethods]
impl PyNavMesh {
    #[doc = doc!("NavMesh.with_link")]
    #[pyo3(signature = (start, end, **given))]
    fn with_link(
        &self,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let link = link_of(&self.mesh, start, end, given)?;
        let mut mesh = NavMesh::clone(&self.mesh);
        mesh.add_link(link).or_raise()?;
        Ok(self.with_mesh(mesh))
    }

    #[doc = doc!("NavMesh.without_link")]
    fn without_link(&self, link: u64) -> PyResult<Self> {
        let mut mesh = NavMesh::clone(&self.mesh);
        let was_there = mesh.remove_link(LinkId(link)).is_some();
        was_there.then(|| self.with_mesh(mesh)).ok_or_else(|| no_link(link))
    }

    #[doc = doc!("NavMesh.with_link_open")]
    fn with_link_open(&self, link: u64, is_open: bool) -> PyResult<Self> {
        let mut mesh = NavMesh::clone(&self.mesh);
        let is_there = mesh.set_link_open(LinkId(link), is_open);
        is_there.then(|| self.with_mesh(mesh)).ok_or_else(|| no_link(link))
    }
}

fn no_link(link: u64) -> PyErr {
    Kind::Query.error(format!("there is no link {link}"))
}

#[pymethods]
impl PyWorld {
    #[pyo3(signature = (start, end, **given))]
    fn add_link(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<u64> {
        let link = link_of(&self.handle().mesh(), start, end, given)?;
        Ok(self.with(py, |world| world.add_link(link)).or_raise()?.0)
    }

    fn remove_link(&self, py: Python<'_>, link: u64) -> bool {
        self.with(py, |world| world.remove_link(LinkId(link)))
    }

    fn set_link_open(&self, py: Python<'_>, link: u64, is_open: bool) -> bool {
        self.with(py, |world| world.set_link_open(LinkId(link), is_open))
    }
}

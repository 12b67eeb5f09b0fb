//! Links that Python adds to meshes and worlds.

use glam::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use waymesh::graph::{LinkChoice, LinkEnd, LinkId, PathEnd, PolygonFilter};
use waymesh::{Link, NavMesh, PolyId, QueryError, Reach};

use crate::errors::{Kind, OrRaise};
use crate::input::{OneOrMany, Whole, one_or_many};
use crate::mesh::PyNavMesh;
use crate::settings::read_entries;
use crate::world::PyWorld;

/// The filter of a single polygon.
struct Only(PolyId);

impl PolygonFilter for Only {
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        polygon == self.0
    }
}

/// The end of a link: at the place nearest to a position, or between the two places of a polygon
/// that are nearest to the ends of a segment. The polygon is that nearest to its middle.
fn end_of(mesh: &NavMesh, end: PathEnd, given: &Bound<'_, PyAny>) -> PyResult<LinkEnd> {
    let name = if end == PathEnd::Start { "start" } else { "end" };
    let given = one_or_many(name, given)?;
    let [from, to] = match &given {
        OneOrMany::One(at) => [*at; 2],
        OneOrMany::Many(points) => <[Vec3; 2]>::try_from(points.as_slice()?).map_err(|_| {
            Kind::Input.error(format!("{name} must be a position, or the two ends of a segment"))
        })?,
    };
    let middle = from.midpoint(to);
    if !middle.is_finite() {
        return Err(QueryError::NotFinite { end, position: middle }).or_raise();
    }
    let reach = mesh.default_reach();
    let place = mesh.nearest(middle, &reach);
    let place = place.ok_or_else(|| mesh.nothing_near(end, middle, reach)).or_raise()?;
    let only = Only(place.polygon);
    let on_polygon = |at: Vec3| mesh.nearest_with(at, &Reach::INFINITE, &only).unwrap_or(place);
    let mut along = mesh.link_end(&place);
    if matches!(given, OneOrMany::Many(_)) {
        along.ends = [from, to].map(|at| mesh.link_end(&on_polygon(at)).ends[0]);
        if along.ends[0].point == along.ends[1].point {
            // A link between points serves agents of any width.
            let polygon = place.polygon;
            return Err(Kind::Query.error(format!("{name} is less than a cell wide on polygon {polygon}")));
        }
    }
    Ok(along)
}

/// A link from one end to another: see [`end_of`].
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
    let mut link = Link::new(end_of(mesh, PathEnd::Start, start)?, end_of(mesh, PathEnd::Goal, end)?, kind);
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
    fn without_link(&self, link: Whole<u64>) -> PyResult<Self> {
        let link = link.named("link")?;
        let mut mesh = NavMesh::clone(&self.mesh);
        let was_there = mesh.remove_link(LinkId(link)).is_some();
        was_there.then(|| self.with_mesh(mesh)).ok_or_else(|| no_link(link))
    }

    #[doc = doc!("NavMesh.with_link_open")]
    fn with_link_open(&self, link: Whole<u64>, is_open: bool) -> PyResult<Self> {
        let link = link.named("link")?;
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

    fn remove_link(&self, py: Python<'_>, link: Whole<u64>) -> PyResult<bool> {
        let link = LinkId(link.named("link")?);
        Ok(self.with(py, |world| world.remove_link(link)))
    }

    fn set_link_open(&self, py: Python<'_>, link: Whole<u64>, is_open: bool) -> PyResult<bool> {
        let link = LinkId(link.named("link")?);
        Ok(self.with(py, |world| world.set_link_open(link, is_open)))
    }
}

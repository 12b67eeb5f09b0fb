//! The mesh: what it holds, files, pictures.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use waymesh::bake::IslandReport;
use waymesh::core::BadField;
use waymesh::graph::{ClearanceNavMesh, HierarchyConfig, MeshFormat};
use waymesh::io::svg;
use waymesh::io::{
    DetourOptions, GlbOptions, GroundTriangles, SvgOptions, ground_triangles, polygon_triangles, to_detour,
    write_glb, write_svg,
};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{Bake, Hierarchy, NavMesh, PolyId};

use crate::errors::{Kind, OrRaise};
use crate::input::{Whole, labels, real_or_none, wide};
use crate::output::{from_json, positions, rows};
use crate::path::PyPath;
use crate::settings::{Filter, MeshCosts};
use crate::watch::{PyCancelToken, Told, detached, detached_told};

/// A mesh of Detour's: the mesh, flags of its polygons, report.
type DetourParts<'py> = (PyNavMesh, Bound<'py, PyArray1<u16>>, Bound<'py, PyDict>);

#[doc = doc!("NavMesh")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "NavMesh", subclass)]
pub(crate) struct PyNavMesh {
    pub(crate) mesh: Arc<NavMesh>,
    /// JSON; none for a mesh that was read.
    report: Option<String>,
    /// Clearance, made at the first query with a radius.
    clearance: OnceLock<Arc<ClearanceNavMesh>>,
    /// Hash, made at the first use.
    hash: OnceLock<u64>,
    /// Hierarchy of a large mesh, for fast paths without costs.
    pub(crate) hierarchy: Option<Arc<Hierarchy<Filter, MeshCosts>>>,
}

impl std::fmt::Debug for PyNavMesh {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PyNavMesh").field("polygons", &self.mesh.polygon_count()).finish()
    }
}

impl From<Arc<NavMesh>> for PyNavMesh {
    fn from(mesh: Arc<NavMesh>) -> Self {
        Self { mesh, report: None, clearance: OnceLock::new(), hash: OnceLock::new(), hierarchy: None }
    }
}

impl PyNavMesh {
    pub(crate) fn baked(bake: Bake) -> PyResult<Self> {
        let report = serde_json::to_string(&bake.report).map_err(|error| Kind::Bake.error(error))?;
        Ok(Self { report: Some(report), ..Self::from(Arc::new(bake.mesh)) })
    }

    /// Returns a copy with other links.
    pub(crate) fn with_mesh(&self, mesh: NavMesh) -> Self {
        Self { report: self.report.clone(), ..Self::from(Arc::new(mesh)) }
    }

    /// The mesh for discs of any radius.
    pub(crate) fn clearance(&self, py: Python<'_>) -> PyResult<&Arc<ClearanceNavMesh>> {
        if self.clearance.get().is_none() {
            let mesh = NavMesh::clone(&self.mesh);
            let made =
                detached(py, || waymesh::with_clearance(mesh, &ClearanceConfig::default()))?.or_raise()?;
            // Another thread may have made the same meanwhile.
            let _ = self.clearance.set(Arc::new(made));
        }
        self.clearance.get().ok_or_else(|| Kind::Bake.error("the mesh for discs is missing"))
    }

    /// Checks an island's number.
    pub(crate) fn island(&self, island: Whole<u32>) -> PyResult<u32> {
        let count = self.mesh.islands().len();
        let given = match island.0 {
            Ok(number) if (number as usize) < count => return Ok(number),
            Ok(number) => number.to_string(),
            Err(given) => given,
        };
        Err(Kind::Query.error(format!("there is no island {given}: the mesh has {count}")))
    }
}

#[pymethods]
impl PyNavMesh {
    #[doc = doc!("NavMesh.load")]
    #[staticmethod]
    #[pyo3(signature = (file, *, progress = None, cancel = None))]
    fn load(
        py: Python<'_>,
        file: PathBuf,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<Self> {
        let told = Told::of("load", progress, &cancel);
        let mesh = detached_told(py, told, 0, |_| waymesh::io::open(file))?.or_raise()?;
        Ok(Arc::new(mesh).into())
    }

    #[doc = doc!("NavMesh.save")]
    #[pyo3(signature = (file, *, progress = None, cancel = None))]
    fn save(
        &self,
        py: Python<'_>,
        file: PathBuf,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<()> {
        let told = Told::of("save", progress, &cancel);
        detached_told(py, told, 0, |_| waymesh::io::save(&self.mesh, file))?.or_raise()
    }

    #[doc = doc!("NavMesh.with_hierarchy")]
    #[pyo3(signature = (*, min_polygons = Whole::from(20_000), cluster_polygons = Whole::from(256), progress = None,
        cancel = None))]
    fn with_hierarchy(
        &self,
        py: Python<'_>,
        min_polygons: Whole<usize>,
        cluster_polygons: Whole<u32>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<Self> {
        let config = HierarchyConfig::default()
            .with_min_polygons(min_polygons.named("min_polygons")?)
            .with_cluster_polygons(cluster_polygons.named("cluster_polygons")?);
        let told = Told::of("hierarchy", progress, &cancel);
        let made = detached_told(py, told, 0, |_| Hierarchy::with_costs(&self.mesh, None, None, &config))?;
        let hierarchy = Some(Arc::new(made.or_raise()?));
        Ok(Self { report: self.report.clone(), hierarchy, ..Self::from(self.mesh.clone()) })
    }

    #[doc = doc!("NavMesh.with_oracle")]
    #[pyo3(signature = (max_bytes = Whole::from(64_000_000), *, progress = None, cancel = None))]
    fn with_oracle(
        &self,
        py: Python<'_>,
        max_bytes: Whole<usize>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<Self> {
        let max_bytes = max_bytes.named("max_bytes")?;
        let mesh = detached_told(py, Told::of("oracle", progress, &cancel), 0, |_| {
            let mut mesh = NavMesh::clone(&self.mesh);
            mesh.build_oracle(max_bytes);
            Arc::new(mesh)
        })?;
        Ok(Self { report: self.report.clone(), hierarchy: self.hierarchy.clone(), ..Self::from(mesh) })
    }

    #[doc = doc!("NavMesh.oracle")]
    #[getter]
    fn oracle<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(figures) = self.mesh.oracle_figures() else { return Ok(None) };
        let dict = PyDict::new(py);
        for (name, count) in [
            ("sites", figures.sites),
            ("labels", figures.labels),
            ("views", figures.views),
            ("bytes", figures.bytes),
        ] {
            dict.set_item(name, count)?;
        }
        dict.set_item("covered", figures.covered)?;
        Ok(Some(dict))
    }

    #[doc = doc!("NavMesh.from_detour")]
    #[staticmethod]
    fn from_detour<'py>(py: Python<'py>, file: PathBuf) -> PyResult<DetourParts<'py>> {
        let read = detached(py, || waymesh::io::open_detour(file))?.or_raise()?;
        let found = read.report;
        let report = PyDict::new(py);
        for (name, count) in [
            ("tiles", found.tiles),
            ("polygons", found.polygons),
            ("closed", found.closed),
            ("flat", found.flat),
            ("parted", found.parted),
            ("joined", found.joined),
            ("overlaid", found.overlaid),
            ("one_sided", found.one_sided),
            ("flattened", found.flattened),
            ("connections", found.connections),
            ("unplaced", found.unplaced),
        ] {
            report.set_item(name, count)?;
        }
        Ok((Arc::new(read.mesh).into(), PyArray1::from_vec(py, read.flags), report))
    }

    #[doc = doc!("NavMesh.to_detour")]
    #[pyo3(signature = (file, flags=None, tile_side=None))]
    fn to_detour(
        &self,
        py: Python<'_>,
        file: PathBuf,
        flags: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = real_or_none)] tile_side: Option<f32>,
    ) -> PyResult<()> {
        let flags: Vec<u16> = flags.map_or_else(|| Ok(Vec::new()), |flags| labels("flags", flags))?;
        let count = self.mesh.polygon_bound();
        if !flags.is_empty() && flags.len() != count {
            let message =
                format!("flags has {} numbers, but the mesh has {count} ids of polygons", flags.len());
            return Err(Kind::Input.error(message));
        }
        if let Some(side) = tile_side {
            BadField::unless_positive("tile_side", side).or_raise()?;
        }
        let mut options = DetourOptions::default().with_flags(flags);
        options.tile_side = tile_side;
        let bytes = detached(py, || to_detour(&self.mesh, &options))?;
        let bytes = bytes.map_err(|over| Kind::Mesh.error(over.to_string()))?;
        detached(py, || waymesh::io::write_file(file, |writer| writer.write_all(&bytes)))?.or_raise()
    }

    #[doc = doc!("NavMesh.from_bytes")]
    #[staticmethod]
    #[pyo3(signature = (data, report=None))]
    fn from_bytes(py: Python<'_>, data: &[u8], report: Option<String>) -> PyResult<Self> {
        let data = data.to_vec();
        let mesh = detached(py, || NavMesh::from_bytes(data))?.or_raise()?;
        Ok(Self { report, ..Arc::new(mesh).into() })
    }

    #[doc = doc!("NavMesh.to_bytes")]
    #[pyo3(signature = (format="wmesh"))]
    fn to_bytes<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let format = match format {
            "wmesh" => MeshFormat::Exchange,
            "wmrun" => MeshFormat::Packed,
            _ => return Err(Kind::Input.error(format!("format is {format:?}, but must be wmesh or wmrun"))),
        };
        let bytes = detached(py, || self.mesh.to_bytes(format))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, MeshParts<'py>)> {
        let (py, this) = (slf.py(), slf.get());
        let make = slf.get_type().getattr("from_bytes")?;
        Ok((make, (this.to_bytes(py, "wmesh")?, this.report.clone())))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        detached(py, || *self.mesh == *other.mesh)
    }

    /// Returns a checksum of the polygons in their compact form, by which meshes are compared.
    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        if let Some(&hash) = self.hash.get() {
            return Ok(hash);
        }
        let hash = detached(py, || self.mesh.to_compact().mesh().generation().0)?;
        Ok(*self.hash.get_or_init(|| hash))
    }

    fn __repr__(&self) -> String {
        format!(
            "<waymesh.NavMesh: {} polygons on {} islands, {:.1} m2>",
            self.mesh.polygon_count(),
            self.mesh.islands().len(),
            self.mesh.area()
        )
    }

    #[doc = doc!("NavMesh.report")]
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.report.as_deref().map(|report| from_json(py, report)).transpose()
    }

    #[doc = doc!("NavMesh.vertices")]
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        positions(py, self.mesh.vertices())
    }

    #[doc = doc!("NavMesh.polygons")]
    #[getter]
    fn polygons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let corners = |polygon: Option<waymesh::graph::PolygonView<'_>>| {
            let corners = polygon.iter().flat_map(waymesh::graph::PolygonView::corners);
            PyArray1::from_vec(py, corners.map(|corner| corner.0).collect::<Vec<u32>>())
        };
        PyList::new(py, self.mesh.polygons_by_id().map(corners))
    }

    #[doc = doc!("NavMesh.polygon_areas")]
    #[getter]
    fn polygon_areas<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let areas =
            self.mesh.polygons_by_id().map(|polygon| polygon.map_or(0, |polygon| polygon.area_id().0));
        PyArray1::from_vec(py, areas.collect())
    }

    #[doc = doc!("NavMesh.polygon_islands")]
    #[getter]
    fn polygon_islands<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let islands = self.mesh.polygons_by_id();
        let islands = islands.map(|polygon| polygon.map_or(u32::MAX, |polygon| polygon.island().0));
        PyArray1::from_vec(py, islands.collect())
    }

    #[doc = doc!("NavMesh.polygon_storeys")]
    #[getter]
    fn polygon_storeys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let mut numbers = vec![u32::MAX; self.mesh.polygon_bound()];
        let storeys = detached(py, || svg::storeys(&self.mesh))?;
        for (storey, number) in storeys.iter().zip(0_u32..) {
            for polygon in &storey.polygons {
                numbers[polygon.index()] = number;
            }
        }
        Ok(PyArray1::from_vec(py, numbers))
    }

    #[doc = doc!("NavMesh.walls")]
    #[getter]
    fn walls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let walls = self.mesh.polygons().flat_map(|polygon| polygon.walls());
        let walls: Vec<u32> = walls.flatten().map(|vertex| vertex.0).collect();
        rows(py, &walls, 2)
    }

    #[doc = doc!("NavMesh.portals")]
    #[getter]
    fn portals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let portals: Vec<u32> = self
            .mesh
            .polygons()
            .flat_map(|polygon| {
                let corners = polygon.corners();
                let ends = corners.iter().zip(corners.iter().cycle().skip(1));
                ends.zip(polygon.neighbours())
                    .filter_map(move |((from, to), beyond)| Some([polygon.id().0, beyond?.0, from.0, to.0]))
            })
            .flatten()
            .collect();
        rows(py, &portals, 4)
    }

    #[doc = doc!("NavMesh.triangles")]
    #[expect(clippy::type_complexity, reason = "vertices and triangles")]
    #[pyo3(signature = (detail=true, island=None))]
    fn triangles<'py>(
        &self,
        py: Python<'py>,
        detail: bool,
        island: Option<Whole<u32>>,
    ) -> PyResult<(Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<u32>>)> {
        let island = island.map(|island| self.island(island)).transpose()?;
        let ground = detached(py, || self.ground(detail, island))?;
        Ok((rows(py, ground.positions.as_flattened(), 3)?, rows(py, ground.triangles.as_flattened(), 3)?))
    }

    #[doc = doc!("NavMesh.triangle_polygons")]
    #[pyo3(signature = (detail=true))]
    fn triangle_polygons<'py>(&self, py: Python<'py>, detail: bool) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ground = detached(py, || self.ground(detail, None))?;
        let ranges = ground.polygon_triangles.windows(2).zip(0_u32..);
        let polygons = ranges.flat_map(|(ends, polygon)| (ends[0]..ends[1]).map(move |_| polygon));
        Ok(PyArray1::from_vec(py, polygons.collect()))
    }

    #[doc = doc!("NavMesh.bounds")]
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let bounds = self.mesh.world_bounds();
        let [min, max] = bounds.map_or([Vec3::NAN; 2], |bounds| [bounds.min, bounds.max]);
        positions(py, &[min, max])
    }

    #[doc = doc!("NavMesh.area")]
    #[getter]
    fn area(&self) -> f64 {
        self.mesh.area()
    }

    #[doc = doc!("NavMesh.polygon_count")]
    #[getter]
    fn polygon_count(&self) -> usize {
        self.mesh.polygon_count()
    }

    #[doc = doc!("NavMesh.portal_count")]
    #[getter]
    fn portal_count(&self) -> usize {
        self.mesh.portal_count()
    }

    #[doc = doc!("NavMesh.island_count")]
    #[getter]
    fn island_count(&self) -> usize {
        self.mesh.islands().len()
    }

    #[doc = doc!("NavMesh.agent")]
    #[getter]
    fn agent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let agent = self.mesh.agent();
        let entries = PyDict::new(py);
        entries.set_item("height", agent.height)?;
        entries.set_item("radius", agent.radius)?;
        entries.set_item("max_step", agent.max_step)?;
        entries.set_item("max_slope", agent.max_slope.to_degrees())?;
        Ok(entries)
    }

    #[doc = doc!("NavMesh.cell_size")]
    #[getter]
    fn cell_size(&self) -> f32 {
        self.mesh.frame().cell_size
    }

    #[doc = doc!("NavMesh.level_height")]
    #[getter]
    fn level_height(&self) -> f32 {
        self.mesh.frame().level_height
    }

    #[doc = doc!("NavMesh.islands")]
    #[getter]
    fn islands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let islands = IslandReport::all(&self.mesh);
        let json = serde_json::to_string(&islands).map_err(|error| Kind::Bake.error(error))?;
        from_json(py, &json)
    }

    #[doc = doc!("NavMesh.island_area")]
    fn island_area(&self, island: Whole<u32>) -> PyResult<f64> {
        Ok(self.mesh.islands()[self.island(island)? as usize].area)
    }

    #[doc = doc!("NavMesh.island_radius")]
    fn island_radius(&self, island: Whole<u32>) -> PyResult<f32> {
        let ball = self.mesh.island_ball(waymesh::graph::IslandId(self.island(island)?));
        Ok(ball.map_or(0.0, |ball| ball.radius))
    }

    #[doc = doc!("NavMesh.areas")]
    #[getter]
    fn areas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let table = PyDict::new(py);
        for (id, area) in self.mesh.area_table().iter() {
            let entries = PyDict::new(py);
            entries.set_item("name", &area.name)?;
            entries.set_item("cost", area.cost)?;
            entries.set_item("colour", area.colour.map(|[red, green, blue]| (red, green, blue)))?;
            table.set_item(id.0, entries)?;
        }
        Ok(table)
    }

    #[doc = doc!("NavMesh.links")]
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let frame = self.mesh.frame();
        let end = |end: &waymesh::graph::LinkEnd| end.ends.map(|vertex| frame.position(vertex).to_array());
        let links = PyList::empty(py);
        for (link, id) in self.mesh.links().iter().zip(self.mesh.link_ids()) {
            let entries = PyDict::new(py);
            entries.set_item("id", id.0)?;
            entries.set_item("kind", link.kind.name())?;
            entries.set_item("start", end(&link.from))?;
            entries.set_item("end", end(&link.to))?;
            entries.set_item("polygons", (link.from.polygon.0, link.to.polygon.0))?;
            entries.set_item("both_ways", link.both_ways)?;
            entries.set_item("is_open", link.is_open)?;
            entries.set_item("extra_cost", link.extra_cost)?;
            entries.set_item("data", link.data)?;
            links.append(entries)?;
        }
        Ok(links)
    }

    #[doc = doc!("NavMesh.to_svg")]
    #[pyo3(signature = (path=None, pixels=1000.0))]
    fn to_svg(
        &self,
        py: Python<'_>,
        path: Option<&Bound<'_, PyPath>>,
        #[pyo3(from_py_with = wide)] pixels: f64,
    ) -> PyResult<String> {
        let path = path.map(|path| &path.get().path);
        let options = SvgOptions::default().with_pixels(pixels);
        let mut bytes = Vec::new();
        detached(py, || write_svg(&self.mesh, path, &options, &mut bytes))?
            .map_err(|error| Kind::File.error(error))?;
        String::from_utf8(bytes).map_err(|error| Kind::File.error(error))
    }

    #[doc = doc!("NavMesh.to_glb")]
    #[pyo3(signature = (detail=false))]
    fn to_glb<'py>(&self, py: Python<'py>, detail: bool) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        let options = GlbOptions::default().with_detail(detail);
        detached(py, || write_glb(&self.mesh, &options, &mut bytes))?
            .map_err(|error| Kind::File.error(error))?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Pickled form of a mesh: its bytes and its report.
type MeshParts<'py> = (Bound<'py, PyBytes>, Option<String>);

impl PyNavMesh {
    /// The ground as triangles, of one island or of all, without points that no triangle has.
    fn ground(&self, detail: bool, island: Option<u32>) -> GroundTriangles {
        let mut ground = if detail { ground_triangles(&self.mesh) } else { polygon_triangles(&self.mesh) };
        let is_there = |polygon: usize| {
            let own = self.mesh.island_of(PolyId::from_index(polygon));
            own.is_some_and(|own| island.is_none_or(|island| own.0 == island))
        };
        let ranges: Vec<[u32; 2]> =
            ground.polygon_triangles.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let kept = ranges.iter().enumerate().filter(|(polygon, _)| is_there(*polygon));
        let mut triangles: Vec<[u32; 3]> = kept
            .flat_map(|(_, &[first, end])| &ground.triangles[first as usize..end as usize])
            .copied()
            .collect();
        let mut numbers = vec![u32::MAX; ground.positions.len()];
        let mut positions = Vec::new();
        for corner in triangles.iter_mut().flatten() {
            let number = &mut numbers[*corner as usize];
            if *number == u32::MAX {
                *number = PolyId::from_index(positions.len()).0;
                positions.push(ground.positions[*corner as usize]);
            }
            *corner = *number;
        }
        (ground.positions, ground.triangles) = (positions, triangles);
        ground
    }
}

//! Published flat meshes: every engine on the same polygons.

#[cfg(feature = "peers")]
use glam::Vec3;
use waymesh_graph::NavMesh;

use crate::queries::{PAIRS, Queries, QueryScene, pairs};
use crate::{BenchError, PolygonMesh, WaymeshQueries};

/// Query engines on a mesh that is there: a published flat one (`arena`, `aurora`) or a `.wmesh`
/// file, and pairs of points spread over it; `None` for a published one that is not beside the
/// checkout.
///
/// # Errors
/// When the file cannot be read.
pub fn flat_engines(name: &str) -> Result<Option<QueryScene>, BenchError> {
    if name.ends_with(".wmesh") {
        let mesh = waymesh_io::open(name)?;
        let pairs = pairs(&polygons(&mesh), PAIRS);
        return Ok(Some((vec![Box::new(WaymeshQueries::new(mesh))], pairs)));
    }
    if !matches!(name, "arena" | "aurora") {
        return Ok(None);
    }
    let file = format!("golden/polyanya_meshes/v2/{name}-merged.mesh");
    let Some(file) = waymesh_testkit::levels::find(&file) else { return Ok(None) };
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| {
        BenchError::stage("published mesh", "mesh", source)
    };
    let text = std::fs::read_to_string(&file).map_err(|error| failed(error.into()))?;
    let cells = waymesh_testkit::flat_meshes::read(&text).ok_or_else(|| failed("not of version 2".into()))?;
    let mesh = NavMesh::try_from(cells).map_err(|error| failed(error.into()))?;
    let pairs = pairs(&polygons(&mesh), PAIRS);
    #[cfg(feature = "peers")]
    let landmass = crate::Landmass::new(&mesh, &pairs);
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "peers are added"))]
    let mut engines: Vec<Box<dyn Queries>> = vec![Box::new(WaymeshQueries::new(mesh))];
    #[cfg(feature = "peers")]
    {
        engines.push(Box::new(Polyanya::new(text.as_bytes()).map_err(|error| failed(error.into()))?));
        match landmass {
            Ok(landmass) => engines.push(Box::new(landmass)),
            Err(error) => eprintln!("{name}: left out: {error}"),
        }
    }
    Ok(Some((engines, pairs)))
}

fn polygons(mesh: &NavMesh) -> PolygonMesh {
    PolygonMesh {
        vertices: mesh.vertices().to_vec(),
        polygons: mesh
            .polygons()
            .map(|polygon| polygon.corners().iter().map(|corner| corner.0).collect())
            .collect(),
    }
}

/// The crate `polyanya`, in the plan.
#[cfg(feature = "peers")]
struct Polyanya(polyanya::Mesh);

#[cfg(feature = "peers")]
impl Polyanya {
    fn new(bytes: &[u8]) -> Result<Self, String> {
        let file = polyanya::PolyanyaFile::from_bytes(bytes);
        let mut mesh = polyanya::Mesh::try_from(file).map_err(|error| format!("{error:?}"))?;
        mesh.bake();
        Ok(Self(mesh))
    }
}

#[cfg(feature = "peers")]
fn plan(point: Vec3) -> polyanya::Coords {
    glam::Vec2::new(point.x, point.z).into()
}

#[cfg(feature = "peers")]
impl Queries for Polyanya {
    fn name(&self) -> &'static str {
        "polyanya"
    }

    fn nearest(&mut self, point: Vec3) -> bool {
        self.0.get_closest_point(plan(point)).is_some()
    }

    fn path(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        self.0.path(plan(from), plan(to)).map(|path| path.length)
    }

    fn shortest(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        self.path(from, to)
    }

    fn looks(&self) -> bool {
        false
    }
}

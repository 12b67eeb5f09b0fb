//! A mesh before it is made.

use waymesh_core::{Counter, HeightSurface, Observer, Poly, PolyId, PolyMesh, Validate, Warning, to_u32};
use waymesh_graph::{Link, NavMesh};

use super::config::Keep;
use super::error::BakeError;
use super::keep::{LeftOut, kept_islands};
use super::report::Recorder;
use super::stages::StageSet;

/// The polygons of a mesh that is not made yet, the ground in them, and the links between them.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) polygons: PolyMesh,
    /// `None` where the vertices have all heights.
    pub(crate) surface: Option<HeightSurface>,
    pub(crate) links: Vec<Link>,
}

impl Draft {
    /// Leaves out the islands that are too small or not wanted, and the links that end there.
    pub(crate) fn keep(
        &mut self,
        stages: &StageSet,
        wanted: &Keep,
        min_island: f32,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), BakeError> {
        if *wanted == Keep::All && min_island <= 0.0 {
            return Ok(());
        }
        let (is_kept, LeftOut { small, unreachable }) = kept_islands(
            (&self.polygons, self.surface.as_ref()),
            &self.links,
            stages.config(),
            wanted,
            min_island,
        )?;
        let islands = small.islands + unreachable.islands;
        if islands == 0 {
            return Ok(());
        }
        self.retain(&is_kept);
        recorder.count(Counter::IslandsRemoved, islands);
        if small.islands > 0 {
            recorder.warn(Warning::IslandsRemoved { islands: small.islands, area: small.area });
        }
        if unreachable.islands > 0 {
            recorder.warn(Warning::Unreachable { islands: unreachable.islands, area: unreachable.area });
        }
        stages.check("keep", |list| self.polygons.violations(list))?;
        let hint = "no island is as large as asked for, or joined to one of the seeds";
        if self.polygons.polygons.is_empty() { Err(BakeError::nothing("keep", hint)) } else { Ok(()) }
    }

    /// Keeps some of the polygons, their ground, and the links between them.
    ///
    /// # Guarantees
    /// The polygons kept stay in order and keep their regions, corners and neighbours among them;
    /// vertices stay as they are.
    pub(super) fn retain(&mut self, is_kept: &[bool]) {
        let Self { polygons, surface, links } = self;
        let mut kept = 0;
        let numbers: Vec<Option<PolyId>> = is_kept
            .iter()
            .map(|&is_kept| {
                kept += usize::from(is_kept);
                is_kept.then(|| PolyId::from_index(kept - 1))
            })
            .collect();
        let (mut corners, mut neighbours, mut out) = (Vec::new(), Vec::new(), Vec::with_capacity(kept));
        for id in (0..numbers.len()).map(PolyId::from_index).filter(|id| is_kept[id.index()]) {
            let first = to_u32(corners.len());
            corners.extend_from_slice(polygons.corners(id));
            neighbours.extend(
                polygons
                    .neighbours(id)
                    .iter()
                    .map(|beyond| beyond.and_then(|beyond| numbers[beyond.index()])),
            );
            out.push(Poly { first, ..polygons.polygons[id.index()] });
        }
        (polygons.corners, polygons.neighbours, polygons.polygons) = (corners, neighbours, out);
        if let Some(surface) = surface {
            *surface = retained_surface(surface, is_kept);
        }
        links.retain_mut(|link| {
            let ends = [link.from.polygon, link.to.polygon].map(|polygon| numbers[polygon.index()]);
            let [Some(from), Some(to)] = ends else { return false };
            (link.from.polygon, link.to.polygon) = (from, to);
            true
        });
    }

    /// Makes the mesh.
    pub(crate) fn into_mesh(
        self,
        stages: &StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<NavMesh, BakeError> {
        recorder.stage("mesh", |_| self.made(stages))
    }

    /// Makes the mesh, in a stage that needs it.
    pub(super) fn made(self, stages: &StageSet) -> Result<NavMesh, BakeError> {
        let (Self { polygons, surface, links }, config) = (self, stages.config());
        let mesh = NavMesh::new(polygons, surface, config.agent)?;
        Ok(mesh.with_area_table(config.area_table()).with_links(links)?)
    }
}

/// The ground in some of the polygons, and its points.
fn retained_surface(surface: &HeightSurface, is_kept: &[bool]) -> HeightSurface {
    let mut numbers = vec![None; surface.points.len()];
    let (mut points, mut triangles, mut polygon_triangles) = (Vec::new(), Vec::new(), vec![0]);
    for (range, _) in surface.polygon_triangles.windows(2).zip(is_kept).filter(|(_, is_kept)| **is_kept) {
        for corners in &surface.triangles[range[0] as usize..range[1] as usize] {
            triangles.push(corners.map(|point| {
                *numbers[point as usize].get_or_insert_with(|| {
                    points.push(surface.points[point as usize]);
                    to_u32(points.len() - 1)
                })
            }));
        }
        polygon_triangles.push(to_u32(triangles.len()));
    }
    HeightSurface { points, triangles, polygon_triangles, max_error: surface.max_error }
}

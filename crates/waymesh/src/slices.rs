//! The pipeline of flat slices (Saupin and Le Garrec): soup, slices per tile, borders, triangles,
//! polygons, links, mesh.

use std::collections::HashMap;

use waymesh_contour::{DouglasPeucker, SimplifyConfig};
use waymesh_core::stage::{SimplifyContours, StageError};
use waymesh_core::{
    HeightSurface, Observer, PlanPoint, PlanVertex, PolyId, PolyMesh, RegionId, SurfacePoint, TriangleSoup,
    Validate,
};
use waymesh_graph::{Link, LinkEnd, LinkKind, NavMesh};
use waymesh_slices::{LinkPlace, SliceRegion, Slices, SlicesConfig, slice_world};

use crate::pipeline::{Bake, BakeError, Pipeline, check_soup};
use crate::report::{GridReport, IslandReport, Recorder, Report};

/// Settings of [`Pipeline::bake_slices`] that a bake in voxels does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SlicesOptions {
    /// Side of a tile in cells, 0 for one. The result does not depend on it. Default 256.
    pub tile_cells: u32,
    /// Widest gap in plan that a stair link bridges, in metres. Default 0.25.
    pub link_reach: f32,
    /// Farthest that a simplified border may lie from the exact one, in metres; 0 keeps the exact
    /// border. Default 0.
    pub max_edge_error: f32,
    /// Whether what is too steep to walk on stands in the way. Default true.
    pub steep_blocks: bool,
}

impl Default for SlicesOptions {
    fn default() -> Self {
        let config = SlicesConfig::default();
        Self {
            tile_cells: config.tile_cells,
            link_reach: config.link_reach,
            max_edge_error: 0.0,
            steep_blocks: config.steep_blocks,
        }
    }
}

impl SlicesOptions {
    /// Sets the side of a tile in cells.
    #[must_use]
    pub fn with_tile_cells(mut self, polygons: u32) -> Self {
        self.tile_cells = polygons;
        self
    }

    /// Sets the widest gap that a stair link bridges, in metres.
    #[must_use]
    pub fn with_link_reach(mut self, metres: f32) -> Self {
        self.link_reach = metres;
        self
    }

    /// Sets how far a simplified border may lie from the exact one, in metres.
    #[must_use]
    pub fn with_max_edge_error(mut self, metres: f32) -> Self {
        self.max_edge_error = metres;
        self
    }

    /// Sets whether steep triangles stand in the way.
    #[must_use]
    pub fn with_steep_blocks(mut self, blocks: bool) -> Self {
        self.steep_blocks = blocks;
        self
    }
}

impl Pipeline {
    /// A pipeline for flat slices: polygons of 0.05 m, levels of 0.02 m, an agent of no radius that
    /// takes steps of 0.5 m, as in the paper. Bake with [`Pipeline::bake_slices`].
    #[must_use]
    pub fn slices() -> Self {
        let config = SlicesConfig::default();
        let scale = config.scale;
        Self::new(
            crate::BakeConfig::default()
                .with_scale(scale.cell_size, scale.level_height)
                .with_agent(config.agent),
        )
    }

    /// Bakes flat slices: every region is level, a slope becomes a region per level, a stair one
    /// per tread.
    ///
    /// Regions that differ by one level are neighbours across their border. Steps of more than a
    /// level, up to the agent's, are links ([`LinkKind::Step`]), so that a path names the
    /// stairs it takes. Nothing is eroded: the agent's radius is not used, clearance is
    /// up to the query. Of the settings of the pipeline, scale, agent, threads, memory and corners
    /// of a polygon apply; stages from simplification to decomposition can be replaced.
    ///
    /// # Guarantees
    /// The same mesh for any number of threads, any tile side and any order of the triangles. No
    /// vertex comes from a tile.
    ///
    /// # Errors
    /// As [`Pipeline::bake`].
    ///
    /// # References
    /// Saupin and Le Garrec, Robust and Scalable Navmesh Generation with multiple levels and stairs
    /// support.
    pub fn bake_slices(
        &self,
        soup: &TriangleSoup,
        options: &SlicesOptions,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        self.config().validate()?;
        check_soup(soup)?;
        self.recorded(observer, |recorder| self.slice(soup, options, recorder))
    }

    fn slice(
        &self,
        soup: &TriangleSoup,
        options: &SlicesOptions,
        recorder: &mut Recorder<'_>,
    ) -> Result<Bake, BakeError> {
        let config = self.config();
        let slices = SlicesConfig::default()
            .with_scale(config.scale)
            .with_agent(config.agent)
            .with_tile_cells(options.tile_cells)
            .with_link_reach(options.link_reach)
            .with_steep_blocks(options.steep_blocks)
            .with_max_memory_bytes(config.max_memory_bytes);
        let slices = recorder.stage("slices", |observer| {
            slice_world(soup, &slices, observer).map_err(|error| StageError::new("slices", error))
        })?;
        self.check("slices", |list| slices.violations(list))?;
        recorder.solid_spans = slices.spans;
        if slices.regions.is_empty() {
            let hint =
                "no triangle faces up within the steepest slope with room above it; is the up axis right?";
            return Err(BakeError::NothingWalkable { stage: "slices", hint });
        }
        let Slices { contours: exact, regions, links, tiles, .. } = slices;
        let contours = if options.max_edge_error > 0.0 {
            let simplify = SimplifyConfig::default()
                .with_max_edge_error(options.max_edge_error)
                .with_max_edge_length(0.0)
                .with_storey_height(config.agent.height);
            recorder.stage("simplify", |observer| {
                DouglasPeucker { config: simplify }.simplify(&exact, observer)
            })?
        } else {
            exact
        };
        self.check("simplify", |list| contours.violations(list))?;
        let triangulation = self.triangles(&contours, recorder)?;
        let walkable: u64 = regions.iter().map(|region| region.cells).sum();
        let mut report = Report {
            triangles: soup.triangles().len() as u64,
            grid: GridReport::of(&contours.frame),
            walkable_spans: walkable,
            walkable_area: walkable as f64 * contours.frame.cell_area(),
            regions: regions.len() as u64,
            contours: contours.loop_count() as u64,
            vertices_off_border: contours.vertices_off_border() as u64,
            tiles,
            links: links.len() as u64,
            ..Report::default()
        };
        drop(contours);
        let mut polygons = self.polygons(&triangulation, recorder)?;
        drop(triangulation);
        let surface = flat_ground(&polygons, &regions);
        report.count_polygons(&polygons, &surface);
        let mut ways = recorder.stage("links", |_| Ok::<_, BakeError>(steps(&mut polygons, &regions)))?;
        let gaps = links.iter().filter_map(|link| match link.place {
            LinkPlace::Gap { from, to } => Some(Gap { regions: [link.from, link.to], segments: [from, to] }),
            _ => None,
        });
        ways.extend(leaps(&polygons, &regions, &gaps.collect::<Vec<_>>()));
        let mesh = recorder
            .stage("mesh", |_| {
                NavMesh::new(polygons, Some(surface), config.agent).and_then(|mesh| mesh.with_links(ways))
            })
            .map_err(BakeError::Mesh)?;
        report.islands = IslandReport::all(&mesh);
        Ok(Bake { mesh, report })
    }
}

/// Height of the ground of a region, in levels.
#[expect(clippy::cast_precision_loss, reason = "levels of a real world fit a single")]
fn level(regions: &[SliceRegion], region: RegionId) -> f32 {
    regions[region.index()].level as f32
}

/// The ground of every polygon at the level of its region: a fan per polygon, with points of its
/// own.
fn flat_ground(polygons: &PolyMesh, regions: &[SliceRegion]) -> HeightSurface {
    let mut surface = HeightSurface {
        points: Vec::with_capacity(polygons.corners.len()),
        triangles: Vec::with_capacity(polygons.corners.len()),
        polygon_triangles: Vec::with_capacity(polygons.polygons.len() + 1),
        // The ground lies at most one level below, and what it rises within a polygon.
        max_error: 1.0,
    };
    surface.polygon_triangles.push(0);
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let height = level(regions, polygons.polygons[id.index()].region);
        let first = number(surface.points.len());
        let corners = polygons.corners(id);
        #[expect(clippy::cast_precision_loss, reason = "polygons of a real world fit a single")]
        surface.points.extend(corners.iter().map(|&vertex| {
            let point = polygons.point(vertex);
            SurfacePoint { x: point.x as f32, height, z: point.z as f32 }
        }));
        surface
            .triangles
            .extend((1..number(corners.len()) - 1).map(|corner| [first, first + corner, first + corner + 1]));
        surface.polygon_triangles.push(number(surface.triangles.len()));
    }
    surface
}

fn at_level(point: PlanPoint, height: f32) -> PlanVertex {
    PlanVertex { point, height }
}

/// Takes the portals over which one steps up or down more than a level out of the mesh, and gives
/// them as links.
fn steps(polygons: &mut PolyMesh, regions: &[SliceRegion]) -> Vec<Link> {
    let mut steps = Vec::new();
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let first = polygons.polygons[id.index()].first as usize;
        let own = polygons.polygons[id.index()].region;
        for edge in 0..polygons.corners(id).len() {
            let Some(neighbour) = polygons.neighbours[first + edge] else { continue };
            let other = polygons.polygons[neighbour.index()].region;
            let rise = i64::from(regions[other.index()].level) - i64::from(regions[own.index()].level);
            if rise.abs() < 2 {
                continue;
            }
            polygons.neighbours[first + edge] = None;
            if id < neighbour {
                let corners = polygons.corners(id);
                let ends =
                    [corners[edge], corners[(edge + 1) % corners.len()]].map(|vertex| polygons.point(vertex));
                let end = |polygon: PolyId, region: RegionId| LinkEnd {
                    polygon,
                    ends: ends.map(|point| at_level(point, level(regions, region))),
                };
                steps.push(Link::new(end(id, own), end(neighbour, other), LinkKind::Step));
            }
        }
    }
    steps
}

/// A stair link over a gap.
struct Gap {
    regions: [RegionId; 2],
    segments: [[PlanPoint; 2]; 2],
}

/// An edge of a polygon on the border of its region, along an axis.
#[derive(Clone, Copy)]
struct Rim {
    polygon: PolyId,
    /// From lower to higher coordinates.
    ends: [PlanPoint; 2],
}

/// Which line a straight segment lies on, and its range along it.
fn on_axis([a, b]: [PlanPoint; 2]) -> Option<((bool, i32), [i32; 2])> {
    if a.z == b.z {
        Some(((true, a.z), [a.x.min(b.x), a.x.max(b.x)]))
    } else if a.x == b.x {
        Some(((false, a.x), [a.z.min(b.z), a.z.max(b.z)]))
    } else {
        None
    }
}

/// Links over gaps, cut where the polygons on either side change. Where simplification has moved a
/// border away from a gap, the link leads from corner to corner.
fn leaps(polygons: &PolyMesh, regions: &[SliceRegion], gaps: &[Gap]) -> Vec<Link> {
    let mut rims: HashMap<(RegionId, (bool, i32)), Vec<Rim>> = HashMap::new();
    let mut corners: HashMap<RegionId, Vec<(PolyId, PlanPoint)>> = HashMap::new();
    for id in (0..polygons.polygons.len()).map(PolyId::from_index).take(if gaps.is_empty() {
        0
    } else {
        usize::MAX
    }) {
        let region = polygons.polygons[id.index()].region;
        let vertices = polygons.corners(id);
        for (edge, neighbour) in polygons.neighbours(id).iter().enumerate() {
            let ends =
                [vertices[edge], vertices[(edge + 1) % vertices.len()]].map(|vertex| polygons.point(vertex));
            corners.entry(region).or_default().push((id, ends[0]));
            if neighbour.is_none()
                && let Some((line, _)) = on_axis(ends)
            {
                let ends =
                    if (ends[0].x, ends[0].z) < (ends[1].x, ends[1].z) { ends } else { [ends[1], ends[0]] };
                rims.entry((region, line)).or_default().push(Rim { polygon: id, ends });
            }
        }
    }
    let mut links = Vec::new();
    for gap in gaps {
        let before = links.len();
        exact_leaps(gap, regions, &rims, &mut links);
        if links.len() == before {
            links.extend(corner_leap(gap, regions, &corners));
        }
    }
    links
}

fn exact_leaps(
    gap: &Gap,
    regions: &[SliceRegion],
    rims: &HashMap<(RegionId, (bool, i32)), Vec<Rim>>,
    links: &mut Vec<Link>,
) {
    let found = [0, 1].map(|side| {
        let (line, range) = on_axis(gap.segments[side])?;
        let rims = rims.get(&(gap.regions[side], line)).map_or(&[][..], Vec::as_slice);
        Some((line, range, rims))
    });
    let [Some((from_line, from_range, from_rims)), Some((to_line, to_range, to_rims))] = found else {
        return;
    };
    for from in from_rims {
        for to in to_rims {
            let ranges = [
                Some(from_range),
                Some(to_range),
                on_axis(from.ends).map(|found| found.1),
                on_axis(to.ends).map(|found| found.1),
            ];
            let (low, high) = ranges
                .into_iter()
                .flatten()
                .fold((i32::MIN, i32::MAX), |(low, high), range| (low.max(range[0]), high.min(range[1])));
            if low >= high {
                continue;
            }
            let end = |polygon: PolyId, region: RegionId, (along_x, line): (bool, i32)| LinkEnd {
                polygon,
                ends: [low, high].map(|at| {
                    let point = if along_x { PlanPoint::new(at, line) } else { PlanPoint::new(line, at) };
                    at_level(point, level(regions, region))
                }),
            };
            links.push(Link::new(
                end(from.polygon, gap.regions[0], from_line),
                end(to.polygon, gap.regions[1], to_line),
                LinkKind::Step,
            ));
        }
    }
}

fn corner_leap(
    gap: &Gap,
    regions: &[SliceRegion],
    corners: &HashMap<RegionId, Vec<(PolyId, PlanPoint)>>,
) -> Option<Link> {
    let end = |side: usize| {
        let [a, b] = gap.segments[side];
        let middle = PlanPoint::new(i32::midpoint(a.x, b.x), i32::midpoint(a.z, b.z));
        let nearest = corners
            .get(&gap.regions[side])?
            .iter()
            .min_by_key(|(polygon, point)| (point.distance_squared(middle), *polygon))?;
        let vertex = at_level(nearest.1, level(regions, gap.regions[side]));
        Some(LinkEnd { polygon: nearest.0, ends: [vertex; 2] })
    };
    Some(Link::new(end(0)?, end(1)?, LinkKind::Step))
}

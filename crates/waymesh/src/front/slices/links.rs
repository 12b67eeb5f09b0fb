//! Links of slices: steps between regions side by side, and over gaps.

use std::collections::HashMap;

use waymesh_core::{PlanPoint, PlanVertex, PolyId, PolyMesh, RegionId, nearest_f32};
use waymesh_graph::{Link, LinkEnd, LinkKind};
use waymesh_slices::{LinkPlace, SliceLink, SliceRegion};

/// All links. Portals over which one steps are taken out of the polygons.
pub(super) fn all(polygons: &mut PolyMesh, regions: &[SliceRegion], links: &[SliceLink]) -> Vec<Link> {
    let mut found = steps(polygons, regions);
    let gaps = links.iter().filter_map(|link| match link.place {
        LinkPlace::Gap { from, to } => Some(Gap { regions: [link.from, link.to], segments: [from, to] }),
        _ => None,
    });
    found.extend(gap_links(polygons, regions, &gaps.collect::<Vec<_>>()));
    found
}

/// A point on the ground of a region.
fn on_ground(point: PlanPoint, regions: &[SliceRegion], region: RegionId) -> PlanVertex {
    PlanVertex { point, height: nearest_f32(regions[region.index()].ground.at_point(point)) }
}

/// Takes the portals over which one steps up or down more than a level, and more than both grounds
/// may be off, out of the mesh, and gives them as links.
fn steps(polygons: &mut PolyMesh, regions: &[SliceRegion]) -> Vec<Link> {
    let mut steps = Vec::new();
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let first = polygons.polygons[id.index()].first as usize;
        let own = polygons.polygons[id.index()].region;
        for edge in 0..polygons.corners(id).len() {
            let Some(neighbour) = polygons.neighbours[first + edge] else { continue };
            let other = polygons.polygons[neighbour.index()].region;
            let corners = polygons.corners(id);
            let ends =
                [corners[edge], corners[(edge + 1) % corners.len()]].map(|vertex| polygons.point(vertex));
            let [lower, upper] = [own, other].map(|region| &regions[region.index()]);
            let rise = ends.map(|point| (upper.ground.at_point(point) - lower.ground.at_point(point)).abs());
            if rise[0].max(rise[1]) < 2.0 + lower.error + upper.error {
                continue;
            }
            polygons.neighbours[first + edge] = None;
            if id < neighbour {
                let end = |polygon: PolyId, region: RegionId| LinkEnd {
                    polygon,
                    ends: ends.map(|point| on_ground(point, regions, region)),
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
struct BorderEdge {
    polygon: PolyId,
    /// Its range along the axis.
    range: [i32; 2],
}

/// Returns the line of a straight segment, and its range along that line.
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
fn gap_links(polygons: &PolyMesh, regions: &[SliceRegion], gaps: &[Gap]) -> Vec<Link> {
    let mut edges: HashMap<(RegionId, (bool, i32)), Vec<BorderEdge>> = HashMap::new();
    let mut corners: HashMap<RegionId, Vec<(PolyId, PlanPoint)>> = HashMap::new();
    if gaps.is_empty() {
        return Vec::new();
    }
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let region = polygons.polygons[id.index()].region;
        let vertices = polygons.corners(id);
        for (edge, neighbour) in polygons.neighbours(id).iter().enumerate() {
            let ends =
                [vertices[edge], vertices[(edge + 1) % vertices.len()]].map(|vertex| polygons.point(vertex));
            corners.entry(region).or_default().push((id, ends[0]));
            if neighbour.is_none()
                && let Some((line, range)) = on_axis(ends)
            {
                edges.entry((region, line)).or_default().push(BorderEdge { polygon: id, range });
            }
        }
    }
    let mut links = Vec::new();
    for gap in gaps {
        let before = links.len();
        straight_links(gap, regions, &edges, &mut links);
        if links.len() == before {
            links.extend(corner_link(gap, regions, &corners));
        }
    }
    links
}

fn straight_links(
    gap: &Gap,
    regions: &[SliceRegion],
    edges: &HashMap<(RegionId, (bool, i32)), Vec<BorderEdge>>,
    links: &mut Vec<Link>,
) {
    let found = [0, 1].map(|side| {
        let (line, range) = on_axis(gap.segments[side])?;
        let edges = edges.get(&(gap.regions[side], line)).map_or(&[][..], Vec::as_slice);
        Some((line, range, edges))
    });
    let [Some((from_line, from_range, from_edges)), Some((to_line, to_range, to_edges))] = found else {
        return;
    };
    for from in from_edges {
        for to in to_edges {
            let ranges = [from_range, to_range, from.range, to.range].into_iter();
            let (low, high) = ranges
                .fold((i32::MIN, i32::MAX), |(low, high), range| (low.max(range[0]), high.min(range[1])));
            if low >= high {
                continue;
            }
            let end = |polygon: PolyId, region: RegionId, (along_x, line): (bool, i32)| LinkEnd {
                polygon,
                ends: [low, high].map(|at| {
                    let point = if along_x { PlanPoint::new(at, line) } else { PlanPoint::new(line, at) };
                    on_ground(point, regions, region)
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

fn corner_link(
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
        let vertex = on_ground(nearest.1, regions, gap.regions[side]);
        Some(LinkEnd { polygon: nearest.0, ends: [vertex; 2] })
    };
    Some(Link::new(end(0)?, end(1)?, LinkKind::Step))
}

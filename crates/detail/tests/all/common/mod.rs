//! Fields from height functions, meshes from polygons, and a sampler that shares no code with the
//! crate.

#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small test grids")]

use std::collections::HashMap;

use glam::Vec3;
use waymesh_core::{
    AreaId, Direction, FieldWindow, GridFrame, GridWindow, HeightSurface, LabelledWindow, NO_REGION, NO_SPAN,
    OPEN_SKY, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, RegionMap, SurfacePoint, VertexId,
    ViolationList, WalkableField,
};
use waymesh_detail::{
    DetailConfig, DetailError, GroundSource, KeepFit, WindowConfig, fit_heights, fit_heights_known,
    fit_heights_of, fit_heights_windowed,
};

pub(crate) fn frame(width: u32, depth: u32) -> GridFrame {
    GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width, depth }
}

/// Returns a field of one storey from the ground at each column's centre, with links up to 4
/// levels.
pub(crate) fn field(width: u32, depth: u32, ground: impl Fn(f32, f32) -> Option<f32>) -> WalkableField {
    let mut field = WalkableField::empty(frame(width, depth));
    for z in 0..depth {
        for x in 0..width {
            if let Some(height) = ground(x as f32 + 0.5, z as f32 + 0.5) {
                field.span_columns.push(z * width + x);
                field.floor.push(height.ceil() as i32);
                field.clearance.push(OPEN_SKY);
                field.ground.push(height);
                field.links.push([NO_SPAN; 4]);
                field.area.push(AreaId::GROUND);
            }
            field.columns[(z * width + x) as usize + 1] = field.span_columns.len() as u32;
        }
    }
    for span in 0..field.len() as u32 {
        let (x, z) = field.column_of(span);
        for direction in Direction::ALL {
            let (dx, dz) = direction.offset();
            let (nx, nz) = (x as i32 + dx, z as i32 + dz);
            if nx < 0 || nz < 0 || nx >= width as i32 || nz >= depth as i32 {
                continue;
            }
            if let Some(other) = field.column(nx as u32, nz as u32).next() {
                let rise = field.floor[other as usize] - field.floor[span as usize];
                if rise.abs() <= 4 {
                    field.links[span as usize][direction.index()] = other;
                }
            }
        }
    }
    field
}

/// Divides the field into square tiles, with the regions of the whole field.
pub(crate) fn tiles(field: &WalkableField, regions: &RegionMap, side: u32) -> Vec<LabelledWindow> {
    let whole = FieldWindow::whole(field.clone());
    let mut tiles = Vec::new();
    for z in (0..field.frame.depth).step_by(side as usize) {
        for x in (0..field.frame.width).step_by(side as usize) {
            let part = whole.cut(GridWindow::new(x, z, side, side));
            let label = |span| {
                let span = whole.find(part.key(span)).expect("a span of the whole");
                regions.labels[span as usize]
            };
            let labels = (0..part.field.len() as u32).map(label).collect();
            tiles.push(LabelledWindow { part, regions: RegionMap { labels, count: regions.count } });
        }
    }
    tiles
}

/// Fits over windows of the field, which are assembled from tiles.
pub(crate) fn fit_windowed(
    field: &WalkableField,
    tiles: &[LabelledWindow],
    mesh: &PolyMesh,
    config: &DetailConfig,
    windows: &WindowConfig,
) -> HeightSurface {
    let tiles: Vec<&LabelledWindow> = tiles.iter().collect();
    // A part has a ring around its core and holds only the requested columns.
    let source = |window: GridWindow| {
        let GridWindow { x, z, width, depth } = window;
        let core = GridWindow::new(x + 1, z + 1, width.saturating_sub(2), depth.saturating_sub(2));
        let core = if core.is_empty() { window } else { core };
        Ok(LabelledWindow::assemble(field.frame, core, &tiles))
    };
    fit_heights_windowed(mesh, &source, config, windows, &mut ()).expect("a surface")
}

/// Fits over the whole field, and checks that windows of several sizes give the same result.
pub(crate) fn fit_all_ways(
    field: &WalkableField,
    regions: &RegionMap,
    mesh: &PolyMesh,
    config: &DetailConfig,
) -> HeightSurface {
    let surface = fit_heights(field, regions, mesh, config, &mut ()).expect("a surface");
    let (all, some) = (tiles(field, regions, 1 << 20), tiles(field, regions, 16));
    // A window for each polygon is slow with many polygons.
    let single = if mesh.polygons.len() > 40 { 400 } else { 1 };
    for (tiles, columns, at_once) in [(&all, single, 1), (&some, 150, 3), (&all, 700, 2)] {
        let windows = WindowConfig::default().with_window_columns(columns).with_windows_at_once(at_once);
        let windowed = fit_windowed(field, tiles, mesh, config, &windows);
        assert!(windowed == surface, "windows of {columns} columns differ from the whole");
    }
    let tiles: Vec<&LabelledWindow> = some.iter().collect();
    let source = |window: GridWindow| Ok(LabelledWindow::assemble(field.frame, window, &tiles));
    check_some(&source, mesh, config, &surface);
    check_known(&source, mesh, config, &surface);
    surface
}

/// Checks that polygons that are fitted without the others have the ground that they have with
/// them.
fn check_some(
    source: &GroundSource<'_, WalkableField>,
    mesh: &PolyMesh,
    config: &DetailConfig,
    whole: &HeightSurface,
) {
    let all = || (0..mesh.polygons.len()).map(PolyId::from_index);
    for step in [1, 2, 5] {
        let is_wanted = |id: &PolyId| id.index() % step == step / 2;
        let wanted: Vec<PolyId> = all().filter(is_wanted).collect();
        let windows = WindowConfig::default();
        let some = fit_heights_of(mesh, &wanted, source, config, &windows, &mut ()).expect("a surface");
        let most = some.errors.iter().copied().fold(0.0, f32::max);
        assert!(most <= some.surface.max_error && some.surface.max_error <= whole.max_error);
        let ground = |surface: &HeightSurface, id| -> Vec<[SurfacePoint; 3]> {
            let triangles = surface.triangles_of(id).iter();
            triangles.map(|corners| corners.map(|point| surface.points[point as usize])).collect()
        };
        for id in all() {
            let expected = if is_wanted(&id) { ground(whole, id) } else { Vec::new() };
            assert!(is_wanted(&id) || some.errors[id.index()] == 0.0);
            assert!(ground(&some.surface, id) == expected, "polygon {id} of every {step}");
        }
    }
    let beyond = [PolyId::from_index(mesh.polygons.len())];
    let error = fit_heights_of(mesh, &beyond, source, config, &WindowConfig::default(), &mut ());
    assert!(matches!(error, Err(DetailError::Mismatch { what: "wanted polygon", .. })));
}

/// Checks that fits of earlier bakes give the surface of all polygons, whichever are known, and
/// that polygons with damaged ones are fitted again.
fn check_known(
    source: &GroundSource<'_, WalkableField>,
    mesh: &PolyMesh,
    config: &DetailConfig,
    whole: &HeightSurface,
) {
    let fit = |known: &[Option<&[u8]>]| {
        let mut kept: Vec<Option<Vec<u8>>> = vec![None; mesh.polygons.len()];
        let keep: &mut KeepFit<'_> = &mut |id, fit| kept[id.index()] = Some(fit());
        let windows = WindowConfig::default();
        let surface = fit_heights_known(mesh, (known, keep), source, config, &windows, &mut ());
        assert!(surface.expect("a surface") == *whole);
        kept
    };
    let fits = fit(&[]);
    let all: Vec<Option<&[u8]>> = fits.iter().map(Option::as_deref).collect();
    assert!(all.iter().all(Option::is_some));
    assert!(fit(&all).iter().all(Option::is_none), "polygons are fitted again");
    let is_known = |at: usize| at.is_multiple_of(2);
    let some: Vec<_> = (0..all.len()).map(|at| all[at].filter(|_| is_known(at))).collect();
    assert!((0..).zip(fit(&some)).all(|(at, kept)| is_known(at) == kept.is_none()));
    let cut: Vec<_> = (0..).zip(&all).map(|(at, fit)| fit.map(|fit| &fit[..at * 7 % fit.len()])).collect();
    assert!(fit(&cut) == fits);
}

/// Labels every walkable span.
pub(crate) fn regions(field: &WalkableField, count: u32, label: impl Fn(u32, u32) -> u32) -> RegionMap {
    let labels = (0..field.len() as u32)
        .map(|span| {
            let (x, z) = field.column_of(span);
            if field.is_walkable(span) { label(x, z) } else { NO_REGION }
        })
        .collect();
    RegionMap { labels, count }
}

/// Builds a mesh of one storey from convex polygons. Equal corners become one vertex, and polygons
/// with equal edges become neighbours.
pub(crate) fn poly_mesh(
    frame: GridFrame,
    polygons: &[(u32, Vec<(i32, i32)>)],
    height: impl Fn(f32, f32) -> f32,
) -> PolyMesh {
    let mut mesh = PolyMesh::empty(frame);
    let mut ids: HashMap<(i32, i32), VertexId> = HashMap::new();
    let mut edges: HashMap<(VertexId, VertexId), PolyId> = HashMap::new();
    for (region, ring) in polygons {
        let polygon = PolyId::from_index(mesh.polygons.len());
        let first = mesh.corners.len();
        for &(x, z) in ring {
            let vertex = *ids.entry((x, z)).or_insert_with(|| {
                let height = height(x as f32, z as f32);
                mesh.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
                VertexId::from_index(mesh.vertices.len() - 1)
            });
            mesh.corners.push(vertex);
        }
        for edge in 0..ring.len() {
            let ends = (mesh.corners[first + edge], mesh.corners[first + (edge + 1) % ring.len()]);
            edges.insert(ends, polygon);
        }
        mesh.polygons.push(Poly {
            first: first as u32,
            len: ring.len() as u32,
            region: RegionId(*region),
            area: AreaId::GROUND,
        });
    }
    for polygon in 0..mesh.polygons.len() {
        let corners = mesh.corners(PolyId::from_index(polygon)).to_vec();
        for edge in 0..corners.len() {
            let back = (corners[(edge + 1) % corners.len()], corners[edge]);
            mesh.neighbours.push(edges.get(&back).copied());
        }
    }
    mesh
}

/// Builds a mesh of the rectangles between the cuts, with a region for each rectangle.
pub(crate) fn rectangles(
    frame: GridFrame,
    xs: &[i32],
    zs: &[i32],
    region: impl Fn(usize, usize) -> u32,
    height: impl Fn(f32, f32) -> f32,
) -> PolyMesh {
    let mut polygons = Vec::new();
    for (j, z) in zs.windows(2).enumerate() {
        for (i, x) in xs.windows(2).enumerate() {
            polygons.push((region(i, j), vec![(x[0], z[0]), (x[1], z[0]), (x[1], z[1]), (x[0], z[1])]));
        }
    }
    poly_mesh(frame, &polygons, height)
}

/// Returns the height of a polygon's surface at a plan position.
pub(crate) fn height_at(surface: &HeightSurface, polygon: PolyId, x: f64, z: f64) -> Option<f64> {
    let range = surface.polygon_triangles[polygon.index()]..surface.polygon_triangles[polygon.index() + 1];
    range.into_iter().find_map(|triangle| {
        let [a, b, c] = surface.triangles[triangle as usize].map(|point| {
            let point = surface.points[point as usize];
            (f64::from(point.x), f64::from(point.z), f64::from(point.height))
        });
        let cross =
            |p: (f64, f64, f64), q: (f64, f64, f64)| (q.0 - p.0) * (z - p.1) - (q.1 - p.1) * (x - p.0);
        let (u, v, w) = (cross(b, c), cross(c, a), cross(a, b));
        let sum = u + v + w;
        (sum > 0.0 && u.min(v).min(w) >= -1e-9 * sum).then(|| (a.2 * u + b.2 * v + c.2 * w) / sum)
    })
}

/// The errors that the slow sampler found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Errors {
    pub(crate) samples: usize,
    pub(crate) largest: f64,
    pub(crate) mean: f64,
}

/// Compares the surface with the own ground of each polygon at every column centre in it, including
/// borders.
pub(crate) fn errors(
    field: &WalkableField,
    regions: &RegionMap,
    mesh: &PolyMesh,
    surface: &HeightSurface,
) -> Errors {
    let mut errors = Errors::default();
    let mut sum = 0.0;
    for (index, polygon) in mesh.polygons.iter().enumerate() {
        let id = PolyId::from_index(index);
        let corners: Vec<PlanPoint> = mesh.corners(id).iter().map(|&vertex| mesh.point(vertex)).collect();
        let doubled = |point: PlanPoint| PlanPoint::new(2 * point.x, 2 * point.z);
        for span in 0..field.len() as u32 {
            if regions.labels[span as usize] != polygon.region.0 {
                continue;
            }
            let (x, z) = field.column_of(span);
            let centre = PlanPoint::new(2 * x as i32 + 1, 2 * z as i32 + 1);
            let inside = (0..corners.len()).all(|corner| {
                let (a, b) = (corners[corner], corners[(corner + 1) % corners.len()]);
                PlanPoint::orientation(doubled(a), doubled(b), centre) >= 0
            });
            if inside {
                let height = height_at(surface, id, f64::from(x) + 0.5, f64::from(z) + 0.5)
                    .unwrap_or_else(|| panic!("polygon {id} has no surface at column {x}, {z}"));
                let error = height - f64::from(field.ground[span as usize]);
                errors.samples += 1;
                errors.largest = errors.largest.max(error.abs());
                sum += error;
            }
        }
    }
    errors.mean = sum / errors.samples.max(1) as f64;
    errors
}

/// Checks the contract, the bound by the slow sampler, and equal points on shared edges.
pub(crate) fn check(
    field: &WalkableField,
    regions: &RegionMap,
    mesh: &PolyMesh,
    surface: &HeightSurface,
    bound: f32,
) -> Errors {
    let mut violations = ViolationList::default();
    surface.violations_over(mesh, &mut violations);
    assert!(violations.is_empty(), "{violations}");
    let errors = errors(field, regions, mesh, surface);
    assert!(errors.largest <= f64::from(bound) + 1e-3, "{errors:?} beyond {bound}");
    assert!(
        errors.largest <= f64::from(surface.max_error) + 1e-3,
        "{errors:?} said to be {}",
        surface.max_error
    );
    no_cracks(mesh, surface);
    errors
}

/// Returns the points of a polygon's surface on one of its edges, from start to end.
pub(crate) fn points_on_edge(
    mesh: &PolyMesh,
    surface: &HeightSurface,
    polygon: PolyId,
    edge: usize,
) -> Vec<u32> {
    let corners = mesh.corners(polygon);
    let [a, b] = [edge, (edge + 1) % corners.len()].map(|corner| mesh.point(corners[corner]));
    let [ax, az, bx, bz] = [a.x, a.z, b.x, b.z].map(f64::from);
    let range = surface.polygon_triangles[polygon.index()] as usize
        ..surface.polygon_triangles[polygon.index() + 1] as usize;
    let mut on: Vec<(f64, u32)> = surface.triangles[range]
        .iter()
        .flatten()
        .filter_map(|&index| {
            let point = surface.points[index as usize];
            let (px, pz) = (f64::from(point.x) - ax, f64::from(point.z) - az);
            let along = px * (bx - ax) + pz * (bz - az);
            // The test is exact, because edge points lie on the line, not just near it.
            (px * (bz - az) - pz * (bx - ax) == 0.0
                && along >= 0.0
                && along <= (bx - ax).powi(2) + (bz - az).powi(2))
            .then_some((along, index))
        })
        .collect();
    on.sort_by(|p, q| p.0.total_cmp(&q.0));
    on.dedup();
    on.into_iter().map(|(_, index)| index).collect()
}

fn no_cracks(mesh: &PolyMesh, surface: &HeightSurface) {
    for polygon in 0..mesh.polygons.len() {
        let id = PolyId::from_index(polygon);
        let count = mesh.corners(id).len();
        for edge in 0..count {
            let Some(neighbour) = mesh.neighbours(id)[edge] else { continue };
            let ends = (mesh.corners(id)[edge], mesh.corners(id)[(edge + 1) % count]);
            let there = mesh.corners(neighbour);
            let back = (0..there.len())
                .find(|&back| (there[(back + 1) % there.len()], there[back]) == ends)
                .expect("a neighbour has the edge as well");
            let mut other = points_on_edge(mesh, surface, neighbour, back);
            other.reverse();
            assert_eq!(points_on_edge(mesh, surface, id, edge), other, "edge {edge} of polygon {polygon}");
        }
    }
}

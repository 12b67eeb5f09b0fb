//! Pictures of the plan, and one of a cut through the scene.

use anyhow::{Context, Result};
use waymesh::core::{
    ArcId, ContourSet, GridFrame, Heightfield, PlanPoint, PolygonSet, RegionMap, TriangleId, WalkableField,
};
use waymesh::floorplan::Outline;
use waymesh::front::Stages;
use waymesh::glam::{Vec2, Vec3};
use waymesh::io::svg::{Colour, Style};
use waymesh::region::{
    MonotoneConfig, SurfacesConfig, WatershedConfig, partition_monotone, partition_surfaces,
    partition_watershed,
};
use waymesh::solid::{RayOutcome, RayTree};
use waymesh::voxel::{VoxelConfig, rasterize};
use waymesh::{NavMesh, PolyId};
use waymesh_scenes::{Scene, SceneConfig};

use super::scene::{Block, Blocks, HIGH, LOW, draw_path, draw_polygons, each, soup};
use super::sheet::{Eye, GREEN, GREY, Sheet, View};
use super::{house, stages, voxels};

const PALE: Colour = Colour([0xc9, 0xdb, 0xe6]);

/// A view of the whole hall from above.
pub(super) fn hall_view(sheet: &mut Sheet, caption: &str) -> View {
    sheet.view(caption, Eye::Plan, Vec3::ZERO, Vec3::new(14.0, 0.0, 10.0))
}

/// The place on the sheet of a grid point.
fn place(view: &View, frame: &GridFrame, point: PlanPoint) -> [f64; 2] {
    view.at(frame.to_world(f64::from(point.x), 0.0, f64::from(point.z)))
}

/// Draws the cells of a grid.
fn draw_cells(
    sheet: &mut Sheet,
    view: &View,
    frame: &GridFrame,
    colour: impl FnMut(u32, u32) -> Option<Colour>,
) {
    let side = f64::from(frame.cell_size) * view.scale;
    sheet.canvas.raster(view.at(frame.origin), side, (frame.width, frame.depth), colour);
}

/// Draws the topmost walkable span of each column.
pub(crate) fn draw_field(
    sheet: &mut Sheet,
    view: &View,
    field: &WalkableField,
    colour: impl Fn(u32) -> Option<Colour>,
) {
    draw_cells(sheet, view, &field.frame, |x, z| {
        colour(field.column(x, z).rev().find(|&span| field.is_walkable(span))?)
    });
}

/// The field, each region in a separate colour.
fn draw_labels(sheet: &mut Sheet, view: &View, field: &WalkableField, regions: &RegionMap) {
    draw_field(sheet, view, field, |span| regions.region(span).map(|region| Colour::soft(region.index())));
}

/// The highest span of each column by height in a few bands, or the lowest one to stand on.
fn draw_heights(sheet: &mut Sheet, view: &View, heights: &Heightfield, lowest: bool) {
    let top = |x: u32, z: u32| {
        let column = heights.column(x, z);
        let span = if lowest { column.iter().find(|span| span.area.is_walkable()) } else { column.last() };
        span.map(|span| span.top)
    };
    let rows = (0..heights.frame.depth).flat_map(|z| (0..heights.frame.width).map(move |x| (x, z)));
    let tops: Vec<i32> = rows.filter_map(|(x, z)| top(x, z)).collect();
    let (low, high) = (tops.iter().min().copied().unwrap_or(0), tops.iter().max().copied().unwrap_or(1));
    draw_cells(sheet, view, &heights.frame, |x, z| {
        Some(Colour::scale(
            (f64::from(top(x, z)? - low) / f64::from((high - low).max(1)) * 9.0).round() / 9.0,
        ))
    });
}

/// Draws the shared borders: walls in ink, borders between regions in red.
fn draw_arcs(sheet: &mut Sheet, view: &View, contours: &ContourSet, dots: f64) {
    for (index, arc) in contours.arcs.iter().enumerate() {
        let vertices = contours.arc_vertices(ArcId::from_index(index));
        let line: Vec<_> =
            vertices.iter().map(|&vertex| place(view, &contours.frame, contours.point(vertex))).collect();
        let colour = if arc.right.is_some() { Colour::RED } else { Colour::INK };
        sheet.canvas.polylines([line.iter().copied()], &Style::line(colour, 1.3));
        if dots > 0.0 {
            line.iter().for_each(|&at| sheet.canvas.dot(at, dots, &Style::fill(colour)));
        }
    }
}

fn draw_regions(sheet: &mut Sheet, view: &View, set: &PolygonSet) {
    for polygon in &set.polygons {
        let loops = polygon.loops().map(|ring| {
            ring.vertices.iter().map(|&vertex| place(view, &set.frame, set.point(vertex))).collect::<Vec<_>>()
        });
        let style = Style::fill(Colour::soft(polygon.region.index())).with_line(Colour::INK, 1.2);
        sheet.canvas.polygons(loops, &style);
    }
}

/// Edges of the mesh with nothing beyond.
pub(super) fn walls(mesh: &NavMesh) -> Vec<[Vec3; 2]> {
    let walls = mesh.polygons().flat_map(|polygon| polygon.walls());
    walls.map(|ends| ends.map(|vertex| mesh.vertices()[vertex.index()])).collect()
}

/// Draws every stage of a bake from above, a panel each, and returns the mesh.
pub(crate) fn draw_stages(sheet: &mut Sheet, low: Vec3, high: Vec3, stages: Stages) -> Result<NavMesh> {
    let panel = |sheet: &mut Sheet, caption: &str, draw: &dyn Fn(&mut Sheet, &View)| {
        let view = sheet.view(caption, Eye::Plan, low, high);
        draw(sheet, &view);
    };
    panel(sheet, "Heightfield", &|sheet, view| draw_heights(sheet, view, &stages.heightfield, false));
    panel(sheet, "WalkableField", &|sheet, view| draw_field(sheet, view, &stages.field, |_| Some(PALE)));
    let regions = format!("RegionMap: {} regions", stages.regions.count);
    panel(sheet, &regions, &|sheet, view| draw_labels(sheet, view, &stages.field, &stages.regions));
    panel(sheet, "ContourSet", &|sheet, view| draw_arcs(sheet, view, &stages.contours, 1.8));
    panel(sheet, "PolygonSet", &|sheet, view| draw_regions(sheet, view, &stages.contours.polygons()));
    let triangles = format!("Triangulation: {} triangles", stages.triangulation.triangles.len());
    panel(sheet, &triangles, &|sheet, view| draw_triangles(sheet, view, &stages.triangulation));
    let mesh =
        NavMesh::new(stages.polygons.clone(), Some(stages.surface.clone()), waymesh::Agent::default())?;
    let polygons = format!("PolyMesh: {} polygons", mesh.polygon_count());
    panel(sheet, &polygons, &|sheet, view| draw_polygons(sheet, view, &mesh, each(|_| true)));
    Ok(mesh)
}

pub(super) fn vocabulary() -> Result<String> {
    let hall = Blocks::hall(true);
    let mut sheet = Sheet::new("core: the data that passes between the stages", [3, 3], [250.0, 175.0]);
    let view = sheet.view("TriangleSoup", Eye::Corner, LOW, HIGH);
    hall.draw(&mut sheet, &view, None);
    let (low, high) = (Vec3::ZERO, Vec3::new(14.0, 0.0, 10.0));
    let mesh = draw_stages(&mut sheet, low, high, stages(&hall.soup(), 0.2)?)?;
    let view = sheet.view("HeightSurface", Eye::Corner, LOW, HIGH);
    let surface = mesh.surface().context("the mesh has heights")?.to_surface();
    let triangles = surface.triangles.iter().map(|corners| {
        corners.map(|corner| {
            let point = surface.points[corner as usize];
            view.at(mesh.frame().to_world(f64::from(point.x), f64::from(point.height), f64::from(point.z)))
        })
    });
    sheet.canvas.polygons(triangles, &Style::fill(PALE).with_line(Colour::INK, 0.6));
    Ok(sheet.finish())
}

fn draw_triangles(sheet: &mut Sheet, view: &View, triangulation: &waymesh::core::Triangulation) {
    for (index, triangle) in triangulation.triangles.iter().enumerate() {
        let corners = triangulation.corners(TriangleId::from_index(index));
        let ring = corners.map(|corner| place(view, &triangulation.frame, corner));
        let style = Style::fill(Colour::soft(triangle.region.index())).with_line(Colour::INK, 0.6);
        sheet.canvas.polygons([ring], &style);
    }
}

pub(super) fn spans() -> Result<String> {
    let hall = Blocks::hall(true);
    let stages = stages(&hall.soup(), 0.2)?;
    let (solid, field) = (&stages.heightfield, &stages.field);
    let mut sheet = Sheet::new(
        "voxel: triangles to solid spans, and where the agent can stand on them",
        [1, 1],
        [860.0, 215.0],
    );
    let (low, high) = (Vec3::new(-0.3, -0.4, 0.0), Vec3::new(14.1, 3.0, 0.0));
    let view = sheet.view("a cut through stairs and a gallery", Eye::Side, low, high);
    let z = 0.9;
    let row = (0..solid.frame.depth).find(|&row| solid.frame.to_world(0.0, 0.0, f64::from(row) + 0.5).z > z);
    let row = row.context("the cut is on the grid")?;
    let at = |x: u32, level: f64| view.at(solid.frame.to_world(f64::from(x), level, f64::from(row)));
    for x in 0..solid.frame.width {
        let boxes = solid.column(x, row).iter().map(|span| {
            let (low, high) = (f64::from(span.bottom), f64::from(span.top));
            [at(x, low), at(x + 1, low), at(x + 1, high), at(x, high)]
        });
        sheet.canvas.polygons(boxes, &Style::fill(Colour([0xd9, 0xd4, 0xca])).with_line(Colour::WHITE, 0.5));
        for span in field.column(x, row) {
            let floor = f64::from(field.floor[span as usize]);
            let colour = if field.is_walkable(span) { GREEN } else { Colour::RED };
            sheet.canvas.polylines([[at(x, floor), at(x + 1, floor)]], &Style::line(colour, 2.6));
        }
    }
    for [low, high] in hall.blocks.iter().filter_map(|block| block.cut(z)) {
        let ring = [low, Vec3::new(high.x, low.y, z), high, Vec3::new(low.x, high.y, z)];
        sheet.canvas.polygons([ring.map(|at| view.at(at))], &Style::line(Colour::INK, 0.9));
    }
    sheet.notes = vec![
        (Style::line(Colour::INK, 0.9), "triangles"),
        (Style::fill(Colour([0xd9, 0xd4, 0xca])), "solid spans"),
        (Style::line(GREEN, 2.6), "walkable"),
        (Style::line(Colour::RED, 2.6), "no room for the agent"),
    ];
    Ok(sheet.finish())
}

/// Looks in a cut through a closed box, one without a bottom, and a bridge of one side.
pub(super) fn rays() -> Result<String> {
    const SIDE: f32 = 0.1;
    const RAYS: u8 = 24;
    let mut sheet = Sheet::new(
        "solid: how many rays around and up leave a solid that they did not enter",
        [3, 1],
        [270.0, 190.0],
    );
    let (low, high) = (Vec3::new(0.0, -0.6, 0.0), Vec3::new(6.0, 3.4, 0.0));
    let block = || Block::new([1.5, 0.0, -2.0], [4.5, 2.2, 2.0]);
    let ground = || Block::new([-9.0, -1.0, -9.0], [15.0, 0.0, 9.0]);
    let sides = |block: Block, kept: fn(Vec3) -> bool| -> Vec<[Vec3; 3]> {
        let soup = Blocks::new(vec![block]).soup();
        let is_kept = |&[a, b, c]: &[Vec3; 3]| kept((b - a).cross(c - a).normalize());
        soup.finite_triangles().filter(is_kept).collect()
    };
    let top = |normal: Vec3| normal.y > 0.5;
    for (caption, triangles) in [
        ("a closed box on a slab", [sides(block(), |_| true), sides(ground(), |_| true)].concat()),
        (
            "a box without a bottom on a sheet",
            [sides(block(), |normal| normal.y > -0.5), sides(ground(), top)].concat(),
        ),
        ("a bridge of one side over a slab", [sides(block(), top), sides(ground(), |_| true)].concat()),
    ] {
        let tree = RayTree::new(&soup(&triangles))?;
        let view = sheet.view(caption, Eye::Side, low, high);
        let count = (high - low) / SIDE;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few cells")]
        let size = (count.x.round() as u32, count.y.round() as u32);
        #[expect(clippy::cast_precision_loss, reason = "a few cells")]
        let centre = |x: u32, y: u32| {
            Vec3::new(low.x + (x as f32 + 0.5) * SIDE, high.y - (y as f32 + 0.5) * SIDE, 0.01)
        };
        sheet.canvas.raster(view.at(low.with_y(high.y)), f64::from(SIDE) * view.scale, size, |x, y| {
            let leaves = |ray: &u8| {
                let turn = (f32::from(*ray) + 0.5) / f32::from(RAYS) * std::f32::consts::PI;
                tree.cast(centre(x, y), Vec3::new(turn.cos(), turn.sin(), 0.0)) == RayOutcome::Leaves
            };
            #[expect(clippy::cast_precision_loss, reason = "a few rays")]
            let share = (0..RAYS).filter(leaves).count() as f64 / f64::from(RAYS);
            Some(Colour::WHITE.mixed(Colour::RED, 0.8 * share))
        });
        for &[a, b, c] in &triangles {
            // Intersections of its edges with the plane of the picture.
            let cuts: Vec<Vec3> = [(a, b), (b, c), (c, a)]
                .into_iter()
                .filter(|(from, to)| (from.z > 0.01) != (to.z > 0.01))
                .map(|(from, to)| {
                    from.lerp(to, (0.01 - from.z) / (to.z - from.z)).clamp(low, high.with_z(1.0))
                })
                .collect();
            sheet.canvas.polylines([cuts.iter().map(|&at| view.at(at))], &Style::line(Colour::INK, 1.4));
        }
    }
    sheet.notes = vec![
        (Style::fill(Colour::WHITE.mixed(Colour::RED, 0.8)), "all: inside"),
        (Style::fill(Colour::WHITE.mixed(Colour::RED, 0.4)), "half"),
        (Style::line(Colour::INK, 1.4), "triangles, cut"),
    ];
    Ok(sheet.finish())
}

pub(super) fn partitions() -> Result<String> {
    let field = stages(&Blocks::hall(true).soup(), 0.2)?.field;
    let mut sheet = Sheet::new("region: the walkable field is cut into regions", [3, 1], [290.0, 207.0]);
    let regions = [
        (
            "surfaces (the default): whole storeys",
            partition_surfaces(&field, &SurfacesConfig::default(), &mut ())?,
        ),
        (
            "watershed",
            partition_watershed(&field, &WatershedConfig::default().with_merge_region(0.0), &mut ())?,
        ),
        ("monotone", partition_monotone(&field, &MonotoneConfig::default().with_merge_region(0.0), &mut ())?),
    ];
    for (caption, regions) in &regions {
        let view = hall_view(&mut sheet, caption);
        draw_labels(&mut sheet, &view, &field, regions);
    }
    Ok(sheet.finish())
}

pub(super) fn contours() -> Result<String> {
    let stages = stages(&Blocks::hall(true).soup(), 0.2)?;
    let mut sheet = Sheet::new(
        "contour: borders are traced once, shared by both sides, and simplified",
        [2, 1],
        [420.0, 300.0],
    );
    for (how, contours) in [("traced", &stages.raw_contours), ("simplified", &stages.contours)] {
        let points: usize = contours.arcs.iter().map(|arc| arc.len as usize - 1).sum();
        let view = hall_view(&mut sheet, &format!("{how}: {points} edges"));
        draw_labels(&mut sheet, &view, &stages.field, &stages.regions);
        draw_arcs(&mut sheet, &view, contours, if how == "traced" { 0.0 } else { 3.0 });
    }
    Ok(sheet.finish())
}

pub(super) fn triangles() -> Result<String> {
    let stages = stages(&Blocks::hall(false).soup(), 0.1)?;
    let set = stages.contours.polygons();
    let mut sheet =
        Sheet::new("triangulate: polygons with holes to triangles, exactly", [2, 1], [420.0, 300.0]);
    let view = hall_view(&mut sheet, "a polygon with holes");
    draw_regions(&mut sheet, &view, &set);
    let caption = format!("{} triangles (constrained Delaunay)", stages.triangulation.triangles.len());
    let view = hall_view(&mut sheet, &caption);
    draw_triangles(&mut sheet, &view, &stages.triangulation);
    Ok(sheet.finish())
}

/// Corners of the borders where the inside angle is more than half a turn.
fn notches(set: &PolygonSet) -> Vec<PlanPoint> {
    let loops = set.polygons.iter().flat_map(|polygon| polygon.loops());
    let corners = loops.flat_map(|ring| {
        let points: Vec<PlanPoint> = ring.vertices.iter().map(|&vertex| set.point(vertex)).collect();
        let count = points.len();
        (0..count).map(move |index| [points[index], points[(index + 1) % count], points[(index + 2) % count]])
    });
    corners.filter(|&corners| PlanPoint::doubled_area(corners) < 0).map(|[_, corner, _]| corner).collect()
}

pub(super) fn decomposition() -> Result<String> {
    let stages = stages(&Blocks::hall(false).soup(), 0.1)?;
    let notches = notches(&stages.contours.polygons());
    let mut sheet = Sheet::new("convex: triangles to few convex polygons", [2, 1], [420.0, 300.0]);
    let frame = stages.triangulation.frame;
    let draw_notches = |sheet: &mut Sheet, view: &View| {
        for &notch in &notches {
            sheet.canvas.dot(place(view, &frame, notch), 3.2, &Style::fill(Colour::RED));
        }
    };
    let view = hall_view(&mut sheet, &format!("{} triangles", stages.triangulation.triangles.len()));
    draw_triangles(&mut sheet, &view, &stages.triangulation);
    draw_notches(&mut sheet, &view);
    let mesh = NavMesh::new(stages.polygons.clone(), None, waymesh::Agent::default())?;
    let view = hall_view(&mut sheet, &format!("{} convex polygons", mesh.polygon_count()));
    draw_polygons(&mut sheet, &view, &mesh, each(|_| true));
    draw_notches(&mut sheet, &view);
    sheet.notes = vec![(Style::fill(Colour::RED), "notches: corners that a portal has to end at")];
    Ok(sheet.finish())
}

pub(super) fn floor_plan() -> Result<String> {
    let (plan, mesh) = house()?;
    let storey = &plan.storeys[0];
    let mut sheet = Sheet::new("floorplan: shapes of a plan to ground for an agent", [2, 1], [400.0, 400.0]);
    let (low, high) = (Vec3::new(-0.3, 0.0, -0.3), Vec3::new(12.3, 0.0, 12.3));
    let view = sheet.view("walkable and blocked shapes, doors", Eye::Plan, low, high);
    let ring = |points: &[[f64; 2]]| points.iter().map(|at| view.plan(at[0], at[1])).collect::<Vec<_>>();
    for (shapes, colour) in [(&storey.walkable, PALE), (&storey.blocked, GREY)] {
        for shape in shapes {
            match &shape.outline {
                Outline::Polygon { outer, holes } => {
                    sheet.canvas.polygons([ring(outer)], &Style::fill(colour));
                    sheet.canvas.polygons(holes.iter().map(|hole| ring(hole)), &Style::fill(Colour::WHITE));
                }
                Outline::Wall { line, width } => {
                    sheet.canvas.polylines([ring(line)], &Style::line(colour, width * view.scale));
                }
                Outline::Disc { centre, radius } => {
                    sheet.canvas.dot(
                        view.plan(centre[0], centre[1]),
                        radius * view.scale,
                        &Style::fill(colour),
                    );
                }
                Outline::ConvexHull { points } | Outline::ConcaveHull { points, .. } => {
                    sheet.canvas.polygons([ring(points)], &Style::fill(colour));
                }
                _ => {}
            }
        }
    }
    let draw_doors = |sheet: &mut Sheet, view: &View| {
        let at = |at: &[f64; 2]| view.plan(at[0], at[1]);
        let lines = storey.doors.iter().map(|door| door.line.iter().map(at));
        sheet.canvas.polylines(lines, &Style::line(Colour::RED, 3.0));
    };
    draw_doors(&mut sheet, &view);
    let view = sheet.view("the mesh: grown by the radius, doors as links", Eye::Plan, low, high);
    draw_polygons(&mut sheet, &view, &mesh, each(|y| y < 1.0));
    draw_doors(&mut sheet, &view);
    Ok(sheet.finish())
}

pub(super) fn tiles() -> Result<String> {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let stages = stages(&soup, 0.3)?;
    let mesh = voxels(&soup, 0.3)?;
    let frame = stages.heightfield.frame;
    let [low, high] = [frame.origin, frame.to_world(f64::from(frame.width), 0.0, f64::from(frame.depth))];
    let side = frame.width.div_ceil(4);
    let mut sheet =
        Sheet::new("tile: a world that memory does not hold is baked in pieces", [2, 1], [400.0, 400.0]);
    let view = sheet.view("tiles are built apart, a few at a time ...", Eye::Plan, low, high);
    draw_field(&mut sheet, &view, &stages.field, |span| {
        let (x, z) = stages.field.column_of(span);
        Some(Colour::soft((x / side + z / side * 3) as usize % 10))
    });
    let view = sheet.view("... and leave no trace in the mesh", Eye::Plan, low, high);
    draw_polygons(&mut sheet, &view, &mesh, each(|_| true));
    Ok(sheet.finish())
}

pub(super) fn queries() -> Result<String> {
    let mesh = voxels(&Blocks::hall(false).soup(), 0.1)?;
    let mut sheet =
        Sheet::new("graph: the navigation mesh at run time, and the queries on it", [2, 1], [420.0, 300.0]);
    let faint = |polygon: PolyId, _| Some(Colour::WHITE.mixed(Colour::soft(polygon.index()), 0.3));
    let (from, to) = (Vec3::new(1.2, 0.0, 9.2), Vec3::new(13.0, 0.0, 6.0));
    let path = mesh.query().shortest().path(from, to)?;
    let view = hall_view(
        &mut sheet,
        &format!("find_path: {:.1} m through {} polygons", path.length, path.polygons.len()),
    );
    draw_polygons(&mut sheet, &view, &mesh, faint);
    draw_polygons(&mut sheet, &view, &mesh, |polygon, _| {
        path.polygons.contains(&polygon).then(|| Colour::soft(polygon.index()))
    });
    draw_path(&mut sheet, &view, &path.points);

    let from = mesh.nearest(Vec3::new(6.3, 0.0, 5.2), &mesh.default_reach()).context("there is ground")?;
    let view = hall_view(&mut sheet, "raycast: what is seen from a place");
    draw_polygons(&mut sheet, &view, &mesh, faint);
    let mut seen = Vec::new();
    for ray in 0..120u8 {
        let out = Vec2::from_angle(f32::from(ray) * std::f32::consts::TAU / 120.0) * 30.0;
        let end = mesh.query().ray(from, from.position + Vec3::new(out.x, 0.0, out.y))?.end(&mesh);
        seen.push([view.at(from.position), view.at(end.position)]);
    }
    sheet.canvas.polygons(
        [seen.iter().map(|ray| ray[1])],
        &Style::fill(Colour([0xf3, 0xd9, 0x6b])).with_opacity(0.6),
    );
    sheet.canvas.polylines(seen.iter().step_by(4).copied(), &Style::line(Colour::RED, 0.7));
    sheet.canvas.dot(view.at(from.position), 5.0, &Style::fill(Colour::RED).with_line(Colour::WHITE, 1.2));
    Ok(sheet.finish())
}

pub(super) fn scenes() -> Result<String> {
    let mut sheet = Sheet::new(
        "scenes: made by rules, the same on every machine (seen from above, by height)",
        [4, 3],
        [200.0, 150.0],
    );
    for scene in Scene::ALL.into_iter().chain(Scene::NATURAL).chain(Scene::LARGE) {
        let soup = scene.build(&SceneConfig::default());
        let bounds = soup.bounds();
        let size = (bounds.max - bounds.min).max(Vec3::ONE);
        let cell = (size.x / 64.0).max(size.z / 48.0);
        let mut config = VoxelConfig::default();
        config.scale = waymesh::GridScale::new(cell, size.y / 40.0);
        let view = sheet.view(scene.name(), Eye::Plan, bounds.min, bounds.max);
        // These lie below a roof.
        let lowest = matches!(scene, Scene::Caves | Scene::Subway);
        draw_heights(&mut sheet, &view, &rasterize(&soup, &config, &mut ())?, lowest);
    }
    Ok(sheet.finish())
}

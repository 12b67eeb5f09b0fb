//! The small hall that most pictures show, and how it is drawn.

use waymesh::TriangleSoup;
use waymesh::core::float;
use waymesh::core::nearest_f32;
use waymesh::glam::{Vec2, Vec3};
use waymesh::io::svg::{Colour, Style};
use waymesh::{NavMesh, PolyId};

use super::sheet::{Sheet, View};

/// A convex prism: corners in plan, and from where to where it goes up.
pub(super) struct Block {
    ring: Vec<Vec2>,
    bottom: f32,
    top: f32,
}

impl Block {
    /// A box between two corners.
    pub(super) fn new(low: [f32; 3], high: [f32; 3]) -> Self {
        let ring = [[low[0], low[2]], [high[0], low[2]], [high[0], high[2]], [low[0], high[2]]];
        Self { ring: ring.map(Vec2::from).into(), bottom: low[1], top: high[1] }
    }

    /// A box round a centre in plan, turned by an angle in degrees.
    pub(super) fn turned(centre: [f32; 2], size: [f32; 2], degrees: f32, top: f32) -> Self {
        let turn = Vec2::from_angle(degrees.to_radians());
        let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
        let ring = corners
            .map(|corner| Vec2::from(centre) + turn.rotate(Vec2::from(corner) * Vec2::from(size)))
            .into();
        Self { ring, bottom: 0.0, top }
    }

    /// A round pillar.
    pub(super) fn pillar(centre: [f32; 2], radius: f32, top: f32) -> Self {
        let side = |index: u8| Vec2::from_angle(f32::from(index) * std::f32::consts::TAU / 20.0) * radius;
        Self { ring: (0..20).map(|index| Vec2::from(centre) + side(index)).collect(), bottom: 0.0, top }
    }

    pub(super) fn level(&self, y: f32) -> impl Iterator<Item = Vec3> + '_ {
        self.ring.iter().map(move |corner| Vec3::new(corner.x, y, corner.y))
    }

    /// The sides as quads, with their outward direction in plan.
    fn sides(&self) -> impl Iterator<Item = (Vec2, [Vec3; 4])> + '_ {
        let next = self.ring.iter().cycle().skip(1);
        self.ring.iter().zip(next).map(|(a, b)| {
            let up = |corner: &Vec2, y| Vec3::new(corner.x, y, corner.y);
            let quad = [up(a, self.bottom), up(b, self.bottom), up(b, self.top), up(a, self.top)];
            ((*b - *a).perp().normalize_or_zero() * -1.0, quad)
        })
    }

    fn add_to(&self, triangles: &mut Vec<[Vec3; 3]>) {
        let top: Vec<Vec3> = self.level(self.top).collect();
        let bottom: Vec<Vec3> = self.level(self.bottom).collect();
        for pair in 1..self.ring.len() - 1 {
            triangles.push([top[0], top[pair + 1], top[pair]]);
            triangles.push([bottom[0], bottom[pair], bottom[pair + 1]]);
        }
        for (_, [a, b, c, d]) in self.sides() {
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }

    /// The part of the block at `z`, seen along z: two corners.
    pub(super) fn cut(&self, z: f32) -> Option<[Vec3; 2]> {
        let next = self.ring.iter().cycle().skip(1);
        let crossings = self.ring.iter().zip(next).filter(|(a, b)| (a.y < z) != (b.y < z));
        let xs: Vec<f32> = crossings.map(|(a, b)| a.x + (z - a.y) / (b.y - a.y) * (b.x - a.x)).collect();
        let (low, high) = (xs.iter().copied().reduce(f32::min)?, xs.iter().copied().reduce(f32::max)?);
        Some([Vec3::new(low, self.bottom, z), Vec3::new(high, self.top, z)])
    }

    fn draw(&self, sheet: &mut Sheet, view: &View) {
        const STONE: Colour = Colour([0xd9, 0xd4, 0xca]);
        const SHADE: Colour = Colour([0x9f, 0x99, 0x8f]);
        for (out, quad) in self.sides().filter(|(out, _)| out.x + out.y > 1e-3) {
            let colour = STONE.mixed(SHADE, f64::from(out.y.max(0.0)) * 0.7 + 0.3);
            sheet.canvas.polygons([quad.map(|at| view.at(at))], &Style::fill(colour));
        }
        let top = self.level(self.top).map(|at| view.at(at));
        sheet.canvas.polygons([top], &Style::fill(STONE).with_line(SHADE, 0.5));
    }
}

/// A scene of blocks, those farther from the eye first.
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    /// Number of them below the polygons of the lowest storey.
    below: usize,
}

/// Corners of the hall, its walls left out.
pub(super) const LOW: Vec3 = Vec3::new(0.0, -0.3, 0.0);
pub(super) const HIGH: Vec3 = Vec3::new(14.0, 2.6, 10.0);

impl Blocks {
    /// Blocks of which the first is the floor.
    pub(super) fn new(blocks: Vec<Block>) -> Self {
        Self { blocks, below: 1 }
    }

    /// A hall with a slanting wall, a pillar and crates; with a `gallery`, stairs lead to a second
    /// storey.
    pub(super) fn hall(gallery: bool) -> Self {
        let mut blocks = vec![
            Block::new([-0.2, -0.3, -0.2], [14.0, 0.0, 10.0]),
            Block::new([-0.2, 0.0, -0.2], [14.0, 1.6, 0.0]),
            Block::new([-0.2, 0.0, 0.0], [0.0, 1.6, 10.0]),
        ];
        let below = blocks.len();
        if gallery {
            for step in 0..13u8 {
                let (x, y) = (4.1 + 0.3 * f32::from(step), 0.2 * f32::from(step + 1));
                blocks.push(Block::new([x, 0.0, 0.0], [if step == 12 { 8.0 } else { x + 0.3 }, y, 1.8]));
            }
            blocks.push(Block::new([8.1, 0.0, 3.7], [8.3, 2.4, 3.9]));
            blocks.push(Block::new([13.7, 0.0, 3.7], [13.9, 2.4, 3.9]));
            blocks.push(Block::new([8.0, 2.4, 0.0], [14.0, 2.6, 4.0]));
        }
        blocks.extend([
            Block::turned([2.1, 3.6], [1.3, 1.3], 25.0, 0.9),
            Block::turned([4.6, 7.4], [0.25, 5.4], 20.0, 1.4),
            Block::pillar([8.6, 6.9], 0.9, 1.4),
            Block::turned([12.0, 7.6], [1.5, 1.1], -30.0, 0.9),
        ]);
        Self { blocks, below }
    }

    pub(super) fn soup(&self) -> TriangleSoup {
        let mut triangles = Vec::new();
        self.blocks.iter().for_each(|block| block.add_to(&mut triangles));
        soup(&triangles)
    }

    /// Draws the blocks and, on the floors that they carry, the polygons of a mesh.
    pub(super) fn draw(&self, sheet: &mut Sheet, view: &View, mesh: Option<&NavMesh>) {
        let on_floor = |y: f32| y < 0.5;
        let (below, above) = self.blocks.split_at(self.below);
        below.iter().for_each(|block| block.draw(sheet, view));
        if let Some(mesh) = mesh {
            draw_polygons(sheet, view, mesh, each(on_floor));
        }
        above.iter().for_each(|block| block.draw(sheet, view));
        if let Some(mesh) = mesh {
            draw_polygons(sheet, view, mesh, each(|y| !on_floor(y)));
        }
    }
}

/// A soup of triangles that share no corners.
pub(super) fn soup(triangles: &[[Vec3; 3]]) -> TriangleSoup {
    let corners: Vec<Vec3> = triangles.iter().flatten().copied().collect();
    let count = u32::try_from(triangles.len()).expect("a small scene");
    let indices = (0..count).map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]).collect();
    TriangleSoup::new(corners, indices).expect("every corner is there")
}

/// Draws the polygons of a mesh that `paint` gives a colour, by number and greatest height, their
/// walls in ink.
pub(super) fn draw_polygons(
    sheet: &mut Sheet,
    view: &View,
    mesh: &NavMesh,
    paint: impl Fn(PolyId, f32) -> Option<Colour>,
) {
    let mut walls = Vec::new();
    for polygon in mesh.polygons() {
        let top = polygon.positions().fold(f32::NEG_INFINITY, |top, at| top.max(at.y));
        let Some(colour) = paint(polygon.id(), top) else { continue };
        let places: Vec<[f64; 2]> = polygon.positions().map(|at| view.at(at)).collect();
        let style = Style::fill(colour).with_line(Colour::WHITE, 0.7);
        sheet.canvas.polygons([places.iter().copied()], &style);
        walls.extend(polygon.walls().map(|ends| ends.map(|vertex| view.at(mesh.vertices()[vertex.index()]))));
    }
    sheet.canvas.polylines(walls, &Style::line(Colour::INK, 1.2));
}

/// The colour of every polygon that `shown` picks by its greatest height.
pub(super) fn each(shown: impl Fn(f32) -> bool) -> impl Fn(PolyId, f32) -> Option<Colour> {
    move |polygon, top| shown(top).then(|| Colour::soft(polygon.index()))
}

/// Draws a path with dots at its ends.
pub(super) fn draw_path(sheet: &mut Sheet, view: &View, points: &[Vec3]) {
    let places: Vec<[f64; 2]> = points.iter().map(|&at| view.at(at)).collect();
    sheet.canvas.polylines([places.iter().copied()], &Style::line(Colour::WHITE, 4.5));
    sheet.canvas.polylines([places.iter().copied()], &Style::line(Colour::RED, 2.4));
    for end in [places.first(), places.last()].into_iter().flatten() {
        sheet.canvas.dot(*end, 4.5, &Style::fill(Colour::RED).with_line(Colour::WHITE, 1.2));
    }
}

/// A grid of hills, `side` metres long and wide, its corners `step` apart.
pub(super) fn hills(side: f32, steps: u8) -> TriangleSoup {
    let at = |x: u8, z: u8| {
        let plan = Vec2::new(f32::from(x), f32::from(z)) * (side / f32::from(steps));
        let wave = plan.as_dvec2() * 0.55;
        let y = nearest_f32(
            1.35 * (float::sin(wave.x) * float::cos(wave.y + 0.6) + float::sin(0.5 * wave.x + 0.4 * wave.y)),
        );
        Vec3::new(plan.x, y, plan.y)
    };
    let mut triangles = Vec::new();
    for z in 0..steps {
        for x in 0..steps {
            let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x + 1, z + 1), at(x, z + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    soup(&triangles)
}

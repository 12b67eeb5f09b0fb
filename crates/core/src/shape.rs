//! Checks of the shape of a scene before the bake: faces that face down, a wrong axis or unit, and
//! coordinates that are too large.

use glam::{DVec3, Vec3};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    Agent, Bounds, DisjointSets, GridScale, Observer, TriangleSoup, Warning, to_u32, triangle_normal,
};

/// Cosine of the slope up to which a triangle counts as level: 45 degrees.
const LEVEL: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Sine of the slope from which a triangle counts as a wall, 3 degrees from upright.
const UPRIGHT: f64 = 0.05;
/// Heights of walls are counted in eighths of a power of two: a histogram key drops this many bits
/// of the height.
const HEIGHT_SHIFT: u32 = 20;
/// Median height of walls in metres above which the unit is wrong. Rooms modelled in centimetres
/// have 250 and more.
const MAX_WALL: f32 = 75.0;
/// Smallest share of walls in the area of a scene that has walls.
const WALL_SHARE: f64 = 0.05;
/// Limits above which a scene without walls is not ground: the area of the average level triangle
/// in square metres (a plane of 100 m without a vertex), and the extent in metres.
const MAX_LEVEL_TRIANGLE: f64 = 10_000.0;
const MAX_BARE_EXTENT: f32 = 500.0;
/// Fewest steps of single precision in a cell.
const MIN_STEPS_PER_CELL: f32 = 16.0;
/// Ratio of level area facing up to level area facing down, below which a scene is upside down.
const MIN_UP: f64 = 0.2;
/// Area in square metres from which triangles that face against their neighbours are reported.
const MIN_MIXED: f64 = 0.5;
/// Largest number of level triangles whose neighbours are searched: 200 MB of edges.
const MAX_LEVEL_TRIANGLES: usize = 1 << 22;
/// Metres per unit of files that are not in metres: centimetres, inches and millimetres.
const UNITS: [f32; 3] = [0.01, 0.0254, 0.001];
/// Height of a wall in metres.
const USUAL_WALL: f32 = 3.0;

/// Sums over the triangles of a scene, for scenes larger than memory.
#[derive(Clone, Debug)]
pub struct SceneShape {
    bounds: Bounds,
    triangles: u64,
    /// Area of all triangles.
    area: f64,
    /// Sums over the level triangles that face up, and over those that face down.
    up: Sum,
    down: Sum,
    /// Area that faces along z within 45 degrees, and area that faces against it.
    along_z: [f64; 2],
    /// Area of walls by the upper bits of their height.
    walls: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    triangles: u64,
    area: f64,
}

impl Sum {
    fn add(&mut self, area: f64) {
        self.triangles += 1;
        self.area += area;
    }
}

impl Default for SceneShape {
    fn default() -> Self {
        Self {
            bounds: Bounds::EMPTY,
            triangles: 0,
            area: 0.0,
            up: Sum::default(),
            down: Sum::default(),
            along_z: [0.0; 2],
            walls: vec![0.0; 1 << (32 - HEIGHT_SHIFT)],
        }
    }
}

impl SceneShape {
    /// Adds a triangle. Triangles without a finite area are left out.
    pub fn add(&mut self, corners: [Vec3; 3]) {
        let normal = triangle_normal(corners);
        let length = normal.length();
        if length == 0.0 || !length.is_finite() {
            return;
        }
        let (area, facing) = (length / 2.0, normal / length);
        let [a, b, c] = corners;
        self.bounds.min = self.bounds.min.min(a).min(b).min(c);
        self.bounds.max = self.bounds.max.max(a).max(b).max(c);
        self.triangles += 1;
        self.area += area;
        if facing.y >= LEVEL {
            self.up.add(area);
        } else if facing.y <= -LEVEL {
            self.down.add(area);
        } else if facing.y.abs() <= UPRIGHT {
            let height = a.y.max(b.y).max(c.y) - a.y.min(b.y).min(c.y);
            self.walls[(height.to_bits() >> HEIGHT_SHIFT) as usize] += area;
        }
        if facing.z.abs() >= LEVEL {
            self.along_z[usize::from(facing.z < 0.0)] += area;
        }
    }

    /// Reports a wrong unit, a wrong axis, triangles that face down, and coordinates so large that
    /// single precision rounds them to a part of a cell.
    pub fn warn(&self, agent: &Agent, scale: &GridScale, observer: &mut dyn Observer) {
        if self.triangles == 0 {
            return;
        }
        let warnings = [self.unit(agent), self.far(scale), self.axis(), self.upside_down()];
        warnings.into_iter().flatten().for_each(|warning| observer.warn(warning));
    }

    /// Returns the median height of the walls weighted by area; `None` without walls.
    fn wall_height(&self) -> Option<f32> {
        let all: f64 = self.walls.iter().sum();
        if all < WALL_SHARE * self.area {
            return None;
        }
        let mut sum = 0.0;
        let median = self.walls.iter().position(|area| {
            sum += area;
            2.0 * sum >= all
        })?;
        Some(f32::from_bits(to_u32(median) << HEIGHT_SHIFT))
    }

    fn unit(&self, agent: &Agent) -> Option<Warning> {
        let size = self.bounds.max - self.bounds.min;
        let extent = size.x.max(size.z);
        let scale = if extent < 2.0 * agent.radius.min(1.0) {
            // The unit is 100 m or 1 km.
            if extent * 100.0 >= 2.0 { 100.0 } else { 1000.0 }
        } else {
            let level = self.up.triangles + self.down.triangles;
            #[expect(clippy::cast_precision_loss, reason = "a count of triangles is below 2^53")]
            let bare_area = (self.up.area + self.down.area) / (level as f64).max(1.0);
            match self.wall_height() {
                Some(wall) if wall > MAX_WALL => {
                    let distance = |unit: f32| (wall * unit / USUAL_WALL).max(USUAL_WALL / (wall * unit));
                    UNITS.into_iter().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?
                }
                None if extent > MAX_BARE_EXTENT && bare_area > MAX_LEVEL_TRIANGLE => {
                    if extent * UNITS[0] <= 100.0 { UNITS[0] } else { UNITS[2] }
                }
                _ => return None,
            }
        };
        Some(Warning::UnlikelyUnit { size: size.to_array(), triangles: self.triangles, scale })
    }

    fn far(&self, scale: &GridScale) -> Option<Warning> {
        let far = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        let step = f32::from_bits(far.to_bits().saturating_add(1)) - far;
        let centre = (self.bounds.min + self.bounds.max) / 2.0;
        (step * MIN_STEPS_PER_CELL > scale.cell_size).then(|| Warning::FarFromOrigin {
            distance: far,
            step,
            centre: centre.to_array().map(f32::round),
        })
    }

    /// Returns a warning if another axis is more likely up. On 55 real levels, the correct axis
    /// never had less than 0.85 times the share of the other axis (a ship), and the wrong axis
    /// mostly less than 0.6. A room with walls has equal areas facing both directions of the wrong
    /// axis, and is longer along it than along the correct one.
    fn axis(&self) -> Option<Warning> {
        let [forward, backward] = self.along_z;
        let size = self.bounds.max - self.bounds.min;
        let is_likely = |other: f64, against: f64| {
            let (net, net_other) = (self.up.area - self.down.area, other - against);
            let is_room = net_other > 0.1 * self.area && net < 0.1 * net_other && size.z < size.y;
            other > 0.1 * self.area && (self.up.area < 0.6 * other || is_room)
        };
        let (other, axis) = if is_likely(forward, backward) {
            (forward, "z")
        } else if is_likely(backward, forward) {
            (backward, "-z")
        } else {
            return None;
        };
        // Triangles that face down explain the shares better.
        if self.down.area >= other {
            return None;
        }
        Some(Warning::UnlikelyAxis { share: self.up.area / self.area, other: other / self.area, axis })
    }

    fn upside_down(&self) -> Option<Warning> {
        let (up, down) = (self.up, self.down);
        (down.area > 0.0 && up.area < MIN_UP * down.area && down.area > 0.1 * self.area)
            .then_some(Warning::UpsideDown { triangles: down.triangles, area: down.area, area_up: up.area })
    }
}

/// Reports an unusual shape of a scene: see [`SceneShape::warn`], and level triangles that are
/// flipped relative to their neighbours.
pub fn warn_of_shape(soup: &TriangleSoup, agent: &Agent, scale: &GridScale, observer: &mut dyn Observer) {
    let mut shape = SceneShape::default();
    soup.finite_triangles().for_each(|corners| shape.add(corners));
    shape.warn(agent, scale, observer);
    let level = shape.up.triangles + shape.down.triangles;
    if shape.up.triangles > 0 && shape.down.area > MIN_MIXED && level <= MAX_LEVEL_TRIANGLES as u64 {
        let mixed = facing_against_neighbours(soup);
        if mixed.area > MIN_MIXED {
            observer.warn(Warning::MixedWinding { triangles: mixed.triangles, area: mixed.area });
        }
    }
}

/// An edge of a triangle, between two distinct positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceEdge {
    /// Indices of the two positions, the smaller first. Vertices with equal coordinates share an
    /// index.
    pub places: [u32; 2],
    /// Index of the triangle.
    pub triangle: u32,
    /// `true` if the triangle runs from the smaller index to the larger one.
    pub is_forward: bool,
}

/// Returns the edges of triangles, sorted by their places: the edges of two triangles that meet are
/// consecutive, whether or not the triangles share vertices.
#[must_use]
pub fn place_edges(triangles: &[[Vec3; 3]]) -> Vec<PlaceEdge> {
    let mut numbers = FxHashMap::with_capacity_and_hasher(triangles.len(), FxBuildHasher);
    let corners = triangles.as_flattened().iter().map(|place| {
        let next = to_u32(numbers.len());
        // Adding zero gives both zeros the same bits.
        *numbers.entry((*place + 0.0).to_array().map(f32::to_bits)).or_insert(next)
    });
    let places: Vec<u32> = corners.collect();
    let edges: Vec<PlaceEdge> = places
        .chunks_exact(3)
        .enumerate()
        .flat_map(|(triangle, places)| {
            [(0, 1), (1, 2), (2, 0)].map(|(from, to)| {
                let (from, to) = (places[from], places[to]);
                let places = [from.min(to), from.max(to)];
                PlaceEdge { places, triangle: to_u32(triangle), is_forward: from < to }
            })
        })
        .collect();
    // A counting sort by the first place, which few edges share.
    let mut slots = vec![0_usize; numbers.len() + 1];
    edges.iter().for_each(|edge| slots[edge.places[0] as usize + 1] += 1);
    (1..slots.len()).for_each(|place| slots[place] += slots[place - 1]);
    let mut sorted = edges.clone();
    for edge in edges {
        let slot = &mut slots[edge.places[0] as usize];
        sorted[*slot] = edge;
        *slot += 1;
    }
    sorted.chunk_by_mut(|one, other| one.places[0] == other.places[0]).for_each(<[_]>::sort_unstable);
    sorted
}

/// Sums up the level triangles that face against most of their surface. A surface ends at a fold,
/// so the two sides of a slab are two surfaces.
fn facing_against_neighbours(soup: &TriangleSoup) -> Sum {
    let (level, normals): (Vec<[Vec3; 3]>, Vec<DVec3>) = soup
        .finite_triangles()
        .map(|corners| (corners, triangle_normal(corners)))
        .filter(|(_, normal)| normal.y.abs() >= LEVEL * normal.length() && normal.y != 0.0)
        .unzip();
    let mut surfaces = DisjointSets::new(level.len());
    for pair in place_edges(&level).chunk_by(|one, other| one.places == other.places) {
        if let [one, other] = *pair {
            let facing = normals[one.triangle as usize].dot(normals[other.triangle as usize]);
            let is_flat = if one.is_forward == other.is_forward { facing < 0.0 } else { facing > 0.0 };
            if is_flat {
                surfaces.unite(one.triangle, other.triangle);
            }
        }
    }
    let mut sides = vec![[Sum::default(); 2]; level.len()];
    for (triangle, normal) in normals.iter().enumerate() {
        let surface = surfaces.find(to_u32(triangle)) as usize;
        sides[surface][usize::from(normal.y < 0.0)].add(normal.length() / 2.0);
    }
    let mut mixed = Sum::default();
    for [up, down] in sides {
        // The underside of a slab faces down. In each surface, the smaller side is the flipped one.
        let lesser = if up.area < down.area { up } else { down };
        mixed.triangles += lesser.triangles;
        mixed.area += lesser.area;
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Heard(Vec<Warning>);

    impl Observer for Heard {
        fn warn(&mut self, warning: Warning) {
            self.0.push(warning);
        }
    }

    /// Corners of a quad, and `true` if it is flipped.
    type Quad = ([Vec3; 4], bool);

    fn soup(quads: &[Quad]) -> TriangleSoup {
        let mut soup = TriangleSoup::default();
        for &(corners, is_turned) in quads {
            let triangles = if is_turned { [[0, 2, 1], [0, 3, 2]] } else { [[0, 1, 2], [0, 2, 3]] };
            soup.append(corners.to_vec(), triangles.to_vec()).unwrap();
        }
        soup
    }

    fn warnings(soup: &TriangleSoup) -> Vec<Warning> {
        let mut heard = Heard::default();
        warn_of_shape(soup, &Agent::default(), &GridScale::default(), &mut heard);
        heard.0
    }

    /// Returns a floor of 1 m squares, 12 by 8, with walls. `is_turned` flips some of the squares.
    fn room(is_turned: impl Fn(u8, u8) -> bool) -> Vec<Quad> {
        let mut quads = Vec::new();
        for (x, z) in (0..12_u8).flat_map(|x| (0..8_u8).map(move |z| (x, z))) {
            let at = |dx: u8, dz: u8| Vec3::new(f32::from(x + dx), 0.0, f32::from(z + dz));
            quads.push(([at(0, 0), at(0, 1), at(1, 1), at(1, 0)], is_turned(x, z)));
        }
        let corners = [[0., 0.], [12., 0.], [12., 8.], [0., 8.]];
        for side in 0..4 {
            let [[ax, az], [bx, bz]] = [corners[side], corners[(side + 1) % 4]];
            let wall =
                [Vec3::new(ax, 0., az), Vec3::new(bx, 0., bz), Vec3::new(bx, 3., bz), Vec3::new(ax, 3., az)];
            // Walls have both sides.
            quads.extend([(wall, false), (wall, true)]);
        }
        quads
    }

    fn moved(quads: &[Quad], by: impl Fn(Vec3) -> Vec3) -> TriangleSoup {
        let quads: Vec<Quad> = quads.iter().map(|&(corners, turned)| (corners.map(&by), turned)).collect();
        soup(&quads)
    }

    #[test]
    fn a_sound_room_gives_no_warning() {
        let quads = room(|_, _| false);
        assert_eq!(warnings(&soup(&quads)), []);
        // A room with a ceiling that faces the room.
        let mut closed = quads.clone();
        closed
            .extend(quads[..96].iter().map(|&(corners, _)| (corners.map(|corner| corner.with_y(3.0)), true)));
        assert_eq!(warnings(&soup(&closed)), []);
        // A slab: the lower side shares its rim with the upper one.
        let upper = quads[..96].to_vec();
        let lower = upper.iter().map(|&(corners, _)| (corners, true));
        assert_eq!(warnings(&soup(&upper.iter().copied().chain(lower).collect::<Vec<_>>())), []);
    }

    #[test]
    fn floors_that_face_down_are_reported_whole_and_in_part() {
        let all = warnings(&soup(&room(|_, _| true)));
        assert!(
            matches!(all[..], [Warning::UpsideDown { triangles: 192, area, area_up }] if (area - 96.0).abs() + area_up < 1e-9),
            "{all:?}"
        );
        for (name, count, is_turned) in [
            ("half", 48_u32, (|x, _| x < 6) as fn(u8, u8) -> bool),
            ("board", 48, |x, z| (x + z) % 2 == 0),
            ("one", 1, |x, z| x == 3 && z == 3),
        ] {
            let found = warnings(&soup(&room(is_turned)));
            assert!(
                matches!(found[..], [Warning::MixedWinding { triangles, area }] if triangles == 2 * u64::from(count) && (area - f64::from(count)).abs() < 1e-9),
                "{name}: {found:?}"
            );
        }
    }

    #[test]
    fn units_are_known_from_walls_and_from_bare_floors() {
        for quads in [
            &room(|_, _| false)[..],
            &[room(|_, _| false)[0]].map(|(corners, turned)| (corners.map(|c| c * 12.0), turned)),
        ] {
            for (factor, wanted) in [(100.0, 0.01), (1000.0, 0.001)] {
                let found = warnings(&moved(quads, |corner| corner * factor));
                assert!(
                    matches!(found[..], [Warning::UnlikelyUnit { scale, .. }] if (scale / wanted - 1.0).abs() < 1e-3),
                    "{factor}: {found:?}"
                );
            }
            let found = warnings(&moved(quads, |corner| corner / 1000.0));
            assert!(matches!(found[..], [Warning::UnlikelyUnit { scale, .. }] if scale > 999.0), "{found:?}");
        }
        let inches = warnings(&moved(&room(|_, _| false), |corner| corner / 0.0254));
        assert!(
            matches!(inches[..], [Warning::UnlikelyUnit { scale, .. }] if (scale - 0.0254).abs() < 1e-6),
            "{inches:?}"
        );
        // Hills of 2 km with a vertex every 20 m.
        let hills: Vec<Quad> = (0..10_000_u16)
            .map(|at| {
                let corner = |dx: u16, dz: u16| {
                    let (x, z) = (f32::from(at % 100 + dx) * 20.0, f32::from(at / 100 + dz) * 20.0);
                    Vec3::new(x, (x / 200.0).floor() * 10.0, z)
                };
                ([corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)], false)
            })
            .collect();
        assert_eq!(warnings(&soup(&hills)), []);
    }

    #[test]
    fn rooms_on_their_side_are_reported_with_the_axis() {
        let quads = room(|_, _| false);
        for (axis, turn) in [
            ("z", (|p: Vec3| Vec3::new(p.x, -p.z, p.y)) as fn(Vec3) -> Vec3),
            ("-z", |p: Vec3| Vec3::new(p.x, p.z, -p.y)),
        ] {
            let found = warnings(&moved(&quads, turn));
            assert!(
                matches!(found[..], [Warning::UnlikelyAxis { axis: found, .. }] if found == axis),
                "{axis}: {found:?}"
            );
            let floor = warnings(&moved(&quads[..96], turn));
            assert!(
                matches!(floor[..], [Warning::UnlikelyAxis { axis: found, .. }] if found == axis),
                "{floor:?}"
            );
        }
    }

    #[test]
    fn coordinates_that_are_rounded_to_parts_of_a_cell_are_reported() {
        let quads = room(|_, _| false);
        for (far, is_reported) in
            [(20_000.0, false), (200_000.0, false), (300_000.0, true), (5_400_000.0, true)]
        {
            let found = warnings(&moved(&quads, |corner| corner + Vec3::new(0.0, 0.0, far)));
            let is_far = matches!(found[..], [Warning::FarFromOrigin { step, .. }] if step > 0.01);
            assert_eq!(is_far, is_reported, "{far}: {found:?}");
        }
    }
}

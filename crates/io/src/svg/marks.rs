//! Marks of errors on a mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use waymesh_core::{Bounds, BoxTree, float, saturating_i64, saturating_u32};

use glam::Vec3;

use super::plan::{Drawing, heights};
use super::plan_mesh::{PlanMesh, cross, doubled_area, plan};
use super::{Colour, Picture, Style, SvgOptions};

/// Marks of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// World positions.
    pub points: Vec<Vec3>,
    /// Side in metres of the square that each point represents. It is drawn with at least a visible
    /// size.
    pub side: f64,
    /// Colour of the squares.
    pub colour: Colour,
    /// Text of the legend.
    pub meaning: String,
    /// `true` if the points lie on the mesh. Other points are drawn on a storey that they do not
    /// cover.
    pub on_mesh: bool,
}

impl Marks {
    /// Creates red marks for missing ground outside the mesh.
    #[must_use]
    pub fn missing(points: Vec<Vec3>, side: f64, meaning: impl Into<String>) -> Self {
        Self { points, side, colour: Colour::RED, meaning: meaning.into(), on_mesh: false }
    }

    /// Creates blue marks for parts of the mesh that are surplus.
    #[must_use]
    pub fn surplus(points: Vec<Vec3>, side: f64, meaning: impl Into<String>) -> Self {
        Self { points, side, colour: Colour::BLUE, meaning: meaning.into(), on_mesh: true }
    }
}

/// Smallest side of a mark in pixels.
const LEAST_PIXELS: f64 = 3.0;
/// Lower bound of the distance of two floors, in metres: a point that is closer to a polygon
/// belongs to its floor.
const SAME_FLOOR: f64 = 1.5;
/// Radius in metres around any position that contains everything.
const FARTHEST: f64 = 1e30;
const CELL: Colour = Colour([0xd5, 0xdf, 0xd8]);

/// Draws a mesh in plan, in one quiet colour, with marks on top.
///
/// One panel per storey, like [`super::write_svg`]. Marks on the mesh are on the panel of their
/// polygon, others on that of the nearest polygon. Marks over or under polygons of every storey
/// have a panel of their own.
///
/// # Errors
/// Those of the writer.
pub fn write_marked_svg(
    mesh: &PlanMesh,
    marks: &[Marks],
    options: &SvgOptions,
    mut writer: impl Write,
) -> std::io::Result<()> {
    writer.write_all(draw(mesh, marks, options).to_svg().as_bytes())?;
    writer.flush()
}

fn draw(mesh: &PlanMesh, marks: &[Marks], options: &SvgOptions) -> Picture {
    let finite = |marks: &Marks| marks.points.iter().copied().filter(|point| point.is_finite()).collect();
    let points: Vec<Vec<Vec3>> = marks.iter().map(finite).collect();
    let drawing =
        Drawing::new(mesh, vec![CELL; mesh.polygons.len()], options, points.iter().flatten().copied());
    let finder = Finder::new(mesh, &drawing.storey_of);
    let scale = drawing.canvas().scale();
    let apart = drawing.storeys.len();
    // Squares by panel and kind, and the heights on the last panel.
    let mut squares: BTreeMap<(usize, usize), BTreeSet<(u32, u32)>> = BTreeMap::new();
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    let origin = drawing.origin();
    let side_of = |kind: usize| {
        let side = marks[kind].side;
        let least = LEAST_PIXELS / scale;
        if side.is_finite() { side.max(least) } else { least }
    };
    for (kind, points) in points.iter().enumerate() {
        let side = side_of(kind);
        // One mark per square and height is enough.
        let mut seen = BTreeSet::new();
        for &point in points {
            let at = plan(point);
            let square = [0, 1].map(|axis| saturating_u32((at[axis] - origin[axis]) / side));
            let level = saturating_i64((f64::from(point.y) * 2.0).floor());
            if !seen.insert((square, level)) {
                continue;
            }
            let storey = if marks[kind].on_mesh { finder.on(point) } else { finder.beside(point) };
            if storey.is_none() {
                (low, high) = (low.min(point.y), high.max(point.y));
            }
            squares.entry((storey.unwrap_or(apart), kind)).or_default().insert((square[0], square[1]));
        }
    }
    let mut picture = Picture::new();
    for panel in 0..=apart {
        let mut canvas = drawing.canvas();
        if panel < apart {
            drawing.storey(&mut canvas, panel);
        } else if low > high {
            continue;
        } else {
            drawing.backdrop(&mut canvas, None);
        }
        for (kind, marks) in marks.iter().enumerate() {
            let Some(squares) = squares.get(&(panel, kind)) else { continue };
            let size = squares.iter().fold((0, 0), |size, &(x, z)| (size.0.max(x + 1), size.1.max(z + 1)));
            let colour = |x: u32, z: u32| squares.contains(&(x, z)).then_some(marks.colour);
            canvas.raster(origin, side_of(kind), size, colour);
        }
        let title = if panel < apart {
            drawing.title(panel)
        } else if apart == 0 {
            format!("No polygons, {}", heights(low, high))
        } else {
            format!("Over or under the mesh, {}", heights(low, high))
        };
        picture.push(&title, canvas, Some("m"));
    }
    for marks in marks {
        picture.note(Style::fill(marks.colour), &marks.meaning);
    }
    if apart > 0 || low > high {
        drawing.notes(&mut picture);
    }
    picture
}

/// A search for the storey of a position.
struct Finder<'a> {
    storey_of: &'a [usize],
    outlines: Vec<Vec<[f64; 2]>>,
    heights: Vec<[f64; 2]>,
    boxes: BoxTree,
}

impl<'a> Finder<'a> {
    fn new(mesh: &PlanMesh, storey_of: &'a [usize]) -> Self {
        let outlines: Vec<Vec<[f64; 2]>> =
            (0..mesh.polygons.len()).map(|polygon| mesh.outline(polygon)).collect();
        let range = |polygon: usize| {
            let Bounds { min, max } = Bounds::of(mesh.positions(polygon));
            [f64::from(min.y), f64::from(max.y)]
        };
        let heights = (0..mesh.polygons.len()).map(range).collect();
        let boxes = outlines.iter().map(|outline| Bounds::in_plan(outline.iter().copied(), 0.0)).collect();
        Self { storey_of, outlines, heights, boxes }
    }

    /// Returns the distance of a height from the range of heights of a polygon.
    fn rise(&self, polygon: usize, y: f64) -> f64 {
        let [low, high] = self.heights[polygon];
        (low - y).max(y - high).max(0.0)
    }

    /// Returns the polygons over or under a position.
    fn column(&self, at: [f64; 2]) -> Vec<usize> {
        let around = self.boxes.overlapping(Bounds::in_plan([at], 0.0));
        let mut polygons: Vec<usize> =
            around.filter(|&polygon| covers(&self.outlines[polygon], at)).collect();
        polygons.sort_unstable();
        polygons
    }

    /// Returns the storey of the nearest polygon, in plan and height, that is not on a storey of
    /// `but`.
    fn nearest(&self, point: Vec3, but: &BTreeSet<usize>) -> Option<usize> {
        let (at, y) = (plan(point), f64::from(point.y));
        let mut radius = 1.0;
        loop {
            let near = self.boxes.overlapping(Bounds::in_plan([at], radius));
            let best = near
                .filter(|&polygon| !but.contains(&self.storey_of[polygon]))
                .map(|polygon| (distance(&self.outlines[polygon], at) + self.rise(polygon, y), polygon))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            // No polygon outside of the box is nearer than its radius.
            if radius > FARTHEST || best.is_some_and(|(cost, _)| cost <= radius) {
                return best.map(|(_, polygon)| self.storey_of[polygon]);
            }
            radius *= 4.0;
        }
    }

    /// Returns the storey of a position on the mesh.
    fn on(&self, point: Vec3) -> Option<usize> {
        let y = f64::from(point.y);
        let under = self.column(plan(point)).into_iter();
        let under = under.min_by(|&a, &b| self.rise(a, y).total_cmp(&self.rise(b, y)));
        under.map(|polygon| self.storey_of[polygon]).or_else(|| self.nearest(point, &BTreeSet::new()))
    }

    /// Returns the storey on which a position outside the mesh covers no polygon; `None` if every
    /// storey has one.
    fn beside(&self, point: Vec3) -> Option<usize> {
        let y = f64::from(point.y);
        let mut taken = BTreeSet::new();
        for polygon in self.column(plan(point)) {
            if self.rise(polygon, y) < SAME_FLOOR {
                // The position belongs to the floor of this polygon, which misses it: draw it on
                // top.
                return Some(self.storey_of[polygon]);
            }
            taken.insert(self.storey_of[polygon]);
        }
        self.nearest(point, &taken)
    }
}

/// Returns `true` if a convex outline, in either winding, covers a position.
fn covers(outline: &[[f64; 2]], at: [f64; 2]) -> bool {
    let sign = doubled_area(outline).signum();
    let edge = |edge: usize| cross(outline[edge], outline[(edge + 1) % outline.len()], at) * sign;
    !outline.is_empty() && (0..outline.len()).all(|index| edge(index) >= 0.0)
}

/// Returns the distance from a position to a convex outline, 0 inside.
fn distance(outline: &[[f64; 2]], at: [f64; 2]) -> f64 {
    if covers(outline, at) {
        return 0.0;
    }
    let nearest = (0..outline.len()).map(|edge| {
        let (a, b) = (outline[edge], outline[(edge + 1) % outline.len()]);
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = along[0] * along[0] + along[1] * along[1];
        let dot = (at[0] - a[0]) * along[0] + (at[1] - a[1]) * along[1];
        let share = if length > 0.0 { (dot / length).clamp(0.0, 1.0) } else { 0.0 };
        float::hypot(at[0] - a[0] - share * along[0], at[1] - a[1] - share * along[1])
    });
    nearest.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns squares of 10 m at these positions.
    fn squares(places: &[[f32; 3]]) -> PlanMesh {
        let corner = |[x, y, z]: [f32; 3]| {
            [(0., 0.), (10., 0.), (10., 10.), (0., 10.)].map(|(dx, dz)| Vec3::new(x + dx, y, z + dz))
        };
        let vertices = places.iter().flat_map(|&place| corner(place)).collect();
        let polygons: Vec<Vec<u32>> = (0..u32::try_from(places.len()).unwrap())
            .map(|polygon| (4 * polygon..4 * polygon + 4).collect())
            .collect();
        let neighbours: Vec<Vec<Option<u32>>> = polygons.iter().map(|_| vec![None; 4]).collect();
        PlanMesh::new(vertices, &polygons, &neighbours)
    }

    fn marks(points: &[[f32; 3]], on_mesh: bool) -> Marks {
        let points = points.iter().map(|&point| point.into()).collect();
        Marks { points, side: 0.5, colour: Colour::RED, meaning: "wrong <here>".into(), on_mesh }
    }

    /// Returns the title and the number of red squares of each panel.
    fn panels(mesh: &PlanMesh, marks: &Marks) -> Vec<(String, usize)> {
        let svg = draw(mesh, std::slice::from_ref(marks), &SvgOptions::default()).to_svg();
        assert!(svg.contains("wrong &lt;here&gt;") && !svg.contains("NaN"));
        svg.split("<text ")
            .filter(|part| part.contains("font-weight="))
            .map(|part| {
                let (_, title) = part.split_once('>').unwrap();
                let red = format!("\" fill=\"{}\"/>", Colour::RED);
                let data = part
                    .split("<path d=\"")
                    .find(|path| path.trim_end().split("</g>").next().unwrap().trim_end().ends_with(&red));
                (
                    title.split_once('<').unwrap().0.to_owned(),
                    data.map_or(0, |data| data.matches('M').count()),
                )
            })
            .collect()
    }

    #[test]
    fn marks_are_on_the_panel_of_their_storey() {
        let mesh = squares(&[[0., 0., 0.], [0., 4., 0.], [20., 4., 0.]]);
        let found = panels(&mesh, &marks(&[[5., 0.1, 5.], [5., 3.9, 5.], [8., 4., 2.]], true));
        assert_eq!(
            found,
            [("Storey 1 of 2, y 0.0 m".to_owned(), 1), ("Storey 2 of 2, y 4.0 m".to_owned(), 2)]
        );
        // Next to the upper floor; over both; a floor that is too high for the mesh; outside of all
        // polygons.
        let found =
            panels(&mesh, &marks(&[[15., 4., 5.], [5., 9., 5.], [5., 5., 5.], [-90., 0., -90.]], false));
        let expected = [
            ("Storey 1 of 2, y 0.0 m".to_owned(), 1),
            ("Storey 2 of 2, y 4.0 m".to_owned(), 2),
            ("Over or under the mesh, y 9.0 m".to_owned(), 1),
        ];
        assert_eq!(found, expected);
        // A roof over the lower floor alone is on the upper panel, where it covers nothing.
        let mesh = squares(&[[0., 0., 0.], [20., 0., 0.], [20., 4., 0.]]);
        let found = panels(&mesh, &marks(&[[5., 4., 5.]], false));
        assert_eq!(found.iter().map(|panel| panel.1).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn marks_without_a_mesh_and_broken_numbers_give_a_picture() {
        let empty = PlanMesh::default();
        let found = panels(&empty, &marks(&[[5., 1., 5.], [f32::NAN, 0., 0.], [9., 2., 9.]], false));
        assert_eq!(found, [("No polygons, y 1.0 to 2.0 m".to_owned(), 2)]);
        let nothing = draw(&empty, &[], &SvgOptions::default()).to_svg();
        assert!(nothing.contains("nothing walkable"));
        let mut broken = marks(&[[5., 1., 5.]], true);
        broken.side = f64::NAN;
        let vertices = vec![Vec3::ZERO, Vec3::NAN, Vec3::ONE];
        let mesh = PlanMesh::new(vertices, &[vec![0, 1, 2], vec![0, 0, 2], vec![0, 2, 9]], &[vec![Some(7)]]);
        assert!(!draw(&mesh, &[broken], &SvgOptions::default()).to_svg().contains("NaN"));
    }

    #[test]
    fn a_mark_can_be_seen_however_small_it_is() {
        let mesh = squares(&[[0., 0., 0.], [2000., 0., 0.]]);
        let mut tiny = marks(&[[5., 0., 5.]], true);
        tiny.side = 1e-6;
        let svg = draw(&mesh, &[tiny], &SvgOptions::default()).to_svg();
        let scale = svg.split("scale(").nth(1).unwrap().split(')').next().unwrap();
        assert!((scale.parse::<f64>().unwrap() - LEAST_PIXELS).abs() < 1e-6);
    }
}

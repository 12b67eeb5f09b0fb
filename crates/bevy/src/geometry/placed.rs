//! Shapes in their places.

use std::f64::consts::TAU;
use std::sync::Arc;

use bevy::math::{Affine3A, Vec3, Vec3A};
use waymesh::core::float;
use waymesh::core::stage::StageError;
use waymesh::glam;
use waymesh::voxel::{ClosedMesh, MarkShape, Obstacle};
use waymesh::{AreaId, BakeError, Bounds, TriangleSoup};

use super::Triangles;
use crate::convert::to_waymesh;

/// Sides of the prism that replaces a tilted, squeezed or walkable cylinder: at a radius of 1 m it
/// lies at most 5 mm inside.
const CYLINDER_SIDES: u32 = 32;

/// Relative tolerance within which an axis counts as upright and two radii as equal.
const UPRIGHT: f32 = 1e-5;

/// A shape in the space of its entity.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Box { half_size: Vec3 },
    Cylinder { radius: f32, height: f32 },
    Triangles(Arc<Triangles>),
}

impl PartialEq for Shape {
    /// Triangles are the same if they are one.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Box { half_size: a }, Self::Box { half_size: b }) => a == b,
            (Self::Cylinder { radius: a, height: c }, Self::Cylinder { radius: b, height: d }) => {
                [a.to_bits(), c.to_bits()] == [b.to_bits(), d.to_bits()]
            }
            (Self::Triangles(a), Self::Triangles(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// A shape in the world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) shape: Shape,
    pub(crate) to_world: Affine3A,
}

impl Placed {
    /// Corners in the world, and triangles that face as those of the shape do, also if the entity is
    /// mirrored.
    pub(crate) fn triangles(&self) -> (Vec<glam::Vec3>, Vec<[u32; 3]>) {
        let made;
        let local = match &self.shape {
            Shape::Triangles(triangles) => &**triangles,
            Shape::Box { half_size } => {
                made = box_triangles(*half_size);
                &made
            }
            Shape::Cylinder { radius, height } => {
                made = cylinder_triangles(*radius, *height);
                &made
            }
        };
        let is_mirrored = self.to_world.matrix3.determinant() < 0.0;
        let turn = |[a, b, c]: [u32; 3]| if is_mirrored { [b, a, c] } else { [a, b, c] };
        let corners = local.positions.iter().map(|&corner| self.point(corner)).collect();
        (corners, local.sound().map(turn).collect())
    }

    /// Appends the triangles to a soup.
    pub(crate) fn append_to(&self, soup: &mut TriangleSoup, area: AreaId) -> Result<(), BakeError> {
        let (corners, triangles) = self.triangles();
        Ok(soup.append_area(corners, triangles, area).map_err(StageError::at("gather"))?)
    }

    /// The box around it.
    pub(crate) fn bounds(&self) -> Bounds {
        let around = |half: Vec3| {
            let corner = |index: u32| {
                let sign = |bit: u32| if index >> bit & 1 == 0 { -1.0 } else { 1.0 };
                self.point(half * Vec3::new(sign(0), sign(1), sign(2)))
            };
            Bounds::of((0..8).map(corner))
        };
        match &self.shape {
            Shape::Box { half_size } => around(*half_size),
            Shape::Cylinder { radius, height } => around(Vec3::new(*radius, height / 2.0, *radius)),
            Shape::Triangles(triangles) => {
                let used = triangles.sound().flatten().map(|corner| triangles.positions[corner as usize]);
                let used = used.map(|corner| self.point(corner)).filter(|corner| corner.is_finite());
                Bounds::of(used)
            }
        }
    }

    /// The space in it, to be marked.
    ///
    /// # Errors
    /// For triangles that are not closed, or not finite.
    pub(crate) fn volume(&self) -> Result<MarkShape, BakeError> {
        if let Some(upright) = self.upright() {
            return Ok(upright);
        }
        let mut soup = TriangleSoup::default();
        self.append_to(&mut soup, AreaId::GROUND)?;
        let mesh = ClosedMesh::new(&soup).map_err(StageError::at("area"))?;
        Ok(MarkShape::Mesh { mesh })
    }

    /// Returns the shape as an obstacle.
    ///
    /// # Errors
    /// For more triangles than 32 bits number.
    pub(crate) fn obstacle(&self, is_walkable: bool) -> Result<Obstacle, BakeError> {
        let obstacle = match self.upright() {
            Some(upright) => Obstacle::solid(upright),
            None => {
                let mut soup = TriangleSoup::default();
                self.append_to(&mut soup, AreaId::GROUND)?;
                Obstacle::mesh(soup)
            }
        };
        Ok(obstacle.with_walkable(is_walkable))
    }

    fn point(&self, local: Vec3) -> glam::Vec3 {
        to_waymesh(self.to_world.transform_point3(local))
    }

    /// An upright box or cylinder, exactly.
    fn upright(&self) -> Option<MarkShape> {
        let [x, y, z] = [Vec3A::X, Vec3A::Y, Vec3A::Z].map(|axis| self.to_world.matrix3 * axis);
        let is_upright = y.x.abs().max(y.z.abs()) <= UPRIGHT * y.length()
            && x.y.abs() <= UPRIGHT * x.length()
            && z.y.abs() <= UPRIGHT * z.length();
        if !is_upright {
            return None;
        }
        let centre = self.to_world.translation;
        match &self.shape {
            Shape::Box { half_size } => {
                let corner = |[sx, sz]: [f32; 2]| {
                    let corner = centre + x * (sx * half_size.x) + z * (sz * half_size.z);
                    glam::Vec2::new(corner.x, corner.z)
                };
                let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner).to_vec();
                let up = (y.y * half_size.y).abs();
                Some(MarkShape::Prism { corners, heights: [centre.y - up, centre.y + up] })
            }
            Shape::Cylinder { radius, height } => {
                let (first, second) = (x.length(), z.length());
                let is_round =
                    (first - second).abs() <= UPRIGHT * first && x.dot(z).abs() <= UPRIGHT * first * second;
                let height = (y.y * height).abs();
                let base = glam::Vec3::new(centre.x, centre.y - height / 2.0, centre.z);
                is_round.then(|| MarkShape::Cylinder { base, radius: radius * first, height })
            }
            Shape::Triangles(_) => None,
        }
    }
}

/// A box whose faces look outward.
fn box_triangles(half: Vec3) -> Triangles {
    prism(
        &[[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]].map(|[x, z]| [x * half.x, z * half.z]),
        half.y,
    )
}

/// A prism around a cylinder's axis whose corners lie on it, and whose faces look outward.
fn cylinder_triangles(radius: f32, height: f32) -> Triangles {
    #[expect(clippy::cast_possible_truncation, reason = "a sine in single precision")]
    let corner = |side: u32| {
        let (sin, cos) = float::sin_cos(-TAU * f64::from(side) / f64::from(CYLINDER_SIDES));
        [radius * cos as f32, radius * sin as f32]
    };
    prism(&(0..CYLINDER_SIDES).map(corner).collect::<Vec<_>>(), height / 2.0)
}

/// A prism over a convex polygon in plan whose corners, `[x, z]`, go round so that its top looks
/// up.
fn prism(corners: &[[f32; 2]], half_height: f32) -> Triangles {
    let count = u32::try_from(corners.len()).unwrap_or(u32::MAX);
    let ring = |y: f32| corners.iter().map(move |&[x, z]| Vec3::new(x, y, z));
    let positions = ring(-half_height).chain(ring(half_height)).collect();
    let caps = (2..count).flat_map(|corner| {
        let [low, high] = [[0, corner, corner - 1], [count, count + corner - 1, count + corner]];
        [low, high]
    });
    let sides = (0..count).flat_map(|corner| {
        let next = (corner + 1) % count;
        [[corner, next, count + next], [corner, count + next, count + corner]]
    });
    Triangles { positions, triangles: caps.chain(sides).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Quat;

    fn placed(shape: Shape, to_world: Affine3A) -> Placed {
        Placed { shape, to_world }
    }

    /// The volume in triangles: positive if they look outward.
    fn signed_volume(placed: &Placed) -> f32 {
        let (corners, triangles) = placed.triangles();
        let at = |corner: u32| corners[corner as usize];
        triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
    }

    #[test]
    fn triangles_of_shapes_look_outward_also_where_they_are_mirrored() {
        let mirror = Affine3A::from_scale_rotation_translation(
            Vec3::new(-1.0, 2.0, 1.0),
            Quat::from_rotation_x(0.7),
            Vec3::new(3.0, -2.0, 5.0),
        );
        let cuboid = placed(Shape::Box { half_size: Vec3::new(0.5, 1.0, 1.5) }, mirror);
        assert!((signed_volume(&cuboid) - 12.0).abs() < 1e-3, "{}", signed_volume(&cuboid));
        let cylinder = placed(Shape::Cylinder { radius: 1.0, height: 2.0 }, mirror);
        let volume = signed_volume(&cylinder);
        let exact = 4.0 * std::f32::consts::PI;
        assert!(volume < exact && volume > 0.99 * exact, "{volume} of {exact}");
    }

    #[test]
    fn upright_shapes_are_exact_and_tilted_ones_are_closed_meshes() {
        let turned =
            Affine3A::from_rotation_translation(Quat::from_rotation_y(0.3), Vec3::new(1.0, 2.0, 3.0));
        let tilted = Affine3A::from_rotation_x(0.3);
        let cuboid = Shape::Box { half_size: Vec3::ONE };
        let cylinder = Shape::Cylinder { radius: 1.0, height: 2.0 };
        let Ok(MarkShape::Prism { corners, heights }) = placed(cuboid.clone(), turned).volume() else {
            panic!("a prism")
        };
        assert_eq!((corners.len(), heights), (4, [1.0, 3.0]));
        assert!(matches!(placed(cylinder.clone(), turned).volume(), Ok(MarkShape::Cylinder { .. })));
        assert!(matches!(placed(cuboid, tilted).volume(), Ok(MarkShape::Mesh { .. })));
        assert!(matches!(placed(cylinder, tilted).volume(), Ok(MarkShape::Mesh { .. })));
    }

    #[test]
    fn a_shape_with_a_hole_is_no_volume() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Z];
        let open = Shape::Triangles(Arc::new(Triangles { positions, triangles: vec![[0, 1, 2], [0, 1, 9]] }));
        let placed = placed(open, Affine3A::IDENTITY);
        assert!(placed.volume().is_err());
        assert_eq!(placed.triangles().1.len(), 1, "the other triangle has no third corner");
    }
}

//! Ends of links at places.

use waymesh_core::{PlanPoint, PlanVertex, float, nearest_f32, saturating_i32};

use super::nearest::Location;
use crate::mesh::link::LinkEnd;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Returns the end of a link at a place on this mesh: the point of the grid in its polygon that
    /// is nearest to it, at most two cells off, or else the nearest corner of the polygon.
    #[must_use]
    pub fn link_end(&self, place: &Location) -> LinkEnd {
        let frame = self.frame();
        let [x, _, z] = frame.to_grid(place.position);
        let distance = |point: &PlanPoint| float::hypot(f64::from(point.x) - x, f64::from(point.z) - z);
        let near = (-2..=2).flat_map(|dz| (-2..=2).map(move |dx| (dx, dz))).map(|(dx, dz)| {
            PlanPoint::new(
                saturating_i32(x.round()).saturating_add(dx),
                saturating_i32(z.round()).saturating_add(dz),
            )
        });
        let inside = near.filter(|&point| self.contains_point(place.polygon, point));
        let corners = self.polygon(place.polygon).map_or(&[][..], |polygon| polygon.corners());
        let corners = corners.iter().map(|corner| self.plan_vertices()[corner.index()].point);
        let nearest = inside.chain(corners).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let point = nearest.unwrap_or_default();
        let [wx, wz] = [point.x, point.z].map(f64::from);
        let position = frame.to_world(wx, 0.0, wz);
        let height = self.height_in_polygon(place.polygon, position).unwrap_or(place.position.y);
        let level = (f64::from(height) - f64::from(frame.origin.y)) / f64::from(frame.level_height);
        LinkEnd { polygon: place.polygon, ends: [PlanVertex { point, height: nearest_f32(level) }; 2] }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{
        AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId,
    };

    use crate::{Link, LinkKind, NavMesh};

    /// A triangle of half-metre cells that is thinner than a cell at one end.
    fn triangle() -> NavMesh {
        let frame =
            GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.25, width: 20, depth: 10 };
        let corners = [(0, 0), (20, 0), (0, 3)];
        NavMesh::try_from(PolyMesh {
            frame,
            vertices: corners.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 4.0 }).to_vec(),
            polygons: vec![Poly { first: 0, len: 3, region: RegionId(0), area: AreaId::GROUND }],
            corners: [0, 1, 2].map(VertexId).to_vec(),
            neighbours: vec![None; 3],
        })
        .unwrap()
    }

    #[test]
    fn an_end_is_a_point_of_the_grid_in_the_polygon() {
        let mesh = triangle();
        for (x, z, expected) in [
            (0.6, 0.9, (1, 2)),
            // In the thin end the nearest point of the grid lies outside the triangle.
            (9.2, 0.08, (18, 0)),
            (6.6, 0.45, (13, 1)),
        ] {
            let place = mesh.nearest(Vec3::new(x, 1.0, z), &mesh.default_reach()).unwrap();
            let end = mesh.link_end(&place);
            assert_eq!((end.polygon, end.ends[0]), (PolyId(0), end.ends[1]));
            let PlanVertex { point, height } = end.ends[0];
            assert_eq!(((point.x, point.z), height), (expected, 4.0), "at {x}, {z}");
            assert!(mesh.clone().with_links(vec![Link::new(end, end, LinkKind::User)]).is_ok());
        }
    }
}

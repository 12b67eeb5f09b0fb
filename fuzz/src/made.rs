//! Scenes and polygons that are made of the fuzzer's bytes.

use arbitrary::Arbitrary;
use waymesh::convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh::core::Validate;
use waymesh::glam::Vec3;
use waymesh::triangulate::{RepairConfig, repair_polygons, triangulate_cdt, triangulate_ears};
use waymesh::{
    Agent, BakeConfig, BakeError, Baker, NavMesh, PartitionKind, Slices, Storeys, TriangleSoup, Voxels,
};
use waymesh_testkit::plans::from_rings;

/// Triangles on a coarse lattice, where they touch, cross and lie over each other, or anywhere.
#[derive(Arbitrary, Debug)]
pub struct Soup {
    corners: Vec<[i8; 3]>,
    triangles: Vec<[u8; 3]>,
    /// Size of the lattice.
    step: u8,
    /// Replaces corners.
    wild: Vec<(u8, [f32; 3])>,
    floor: bool,
    radius: u8,
    max_ledge: bool,
    partition: u8,
    front_end: u8,
}

impl Soup {
    /// The scene.
    pub fn triangles(&self) -> Option<TriangleSoup> {
        let step = 0.05 + f32::from(self.step % 16) * 0.05;
        let mut corners: Vec<Vec3> =
            self.corners.iter().take(60).map(|corner| Vec3::from(corner.map(f32::from)) * step).collect();
        for &(index, at) in &self.wild {
            if let Some(corner) = corners.get_mut(usize::from(index)) {
                *corner = Vec3::from(at).clamp(Vec3::splat(-60.0), Vec3::splat(60.0));
            }
        }
        let count = u32::try_from(corners.len()).ok().filter(|&count| count > 0)?;
        let chosen = self.triangles.iter().take(60);
        let mut triangles: Vec<[u32; 3]> =
            chosen.map(|triangle| triangle.map(|corner| u32::from(corner) % count)).collect();
        if self.floor {
            let square = [[-8.0, -8.0], [8.0, -8.0], [8.0, 8.0], [-8.0, 8.0]];
            corners.extend(square.map(|[x, z]| Vec3::new(x, 0.0, z)));
            triangles.extend([[count, count + 2, count + 1], [count, count + 3, count + 2]]);
        }
        TriangleSoup::new(corners, triangles).ok()
    }

    fn config(&self) -> BakeConfig {
        let agent = Agent::default().with_radius(f32::from(self.radius % 8) * 0.15).with_height(1.5);
        let partitions = [PartitionKind::Surfaces, PartitionKind::Watershed, PartitionKind::Monotone];
        BakeConfig::default()
            .with_scale(0.5, 0.25)
            .with_agent(agent)
            .with_max_ledge(if self.max_ledge { 1.5 } else { 0.0 })
            .with_partition(partitions[usize::from(self.partition) % 3])
            .with_threads(1)
            .with_max_memory_bytes(256 << 20)
            .with_validate_stages(true)
    }
}

/// A mesh, if there is ground. Anything but a plain refusal is a finding.
fn expect_mesh(baked: Result<NavMesh, BakeError>) -> Option<NavMesh> {
    match baked {
        Ok(mesh) => {
            mesh.validate().expect("sound");
            Some(mesh)
        }
        Err(
            BakeError::NothingWalkable { .. }
            | BakeError::NoTriangles { .. }
            | BakeError::OptionNotSupported { .. }
            | BakeError::Config(_),
        ) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Every front end, with the contract of every stage; tiles leave no trace.
pub fn soups(soup: &Soup) {
    let Some(triangles) = soup.triangles() else { return };
    let config = soup.config();
    match soup.front_end % 4 {
        0 => drop(expect_mesh(Baker::voxels().with_config(config).bake(&triangles))),
        1 => drop(expect_mesh(Baker::new(Storeys::default(), config).bake(&triangles))),
        2 => {
            let config = config.with_max_ledge(0.0).with_partition(BakeConfig::default().partition);
            drop(expect_mesh(Baker::new(Slices::default(), config).bake(&triangles)));
        }
        _ => {
            let config = config.with_partition(PartitionKind::Surfaces);
            let whole = expect_mesh(Baker::voxels().with_config(config.clone()).bake(&triangles));
            let tiles = Voxels::default().with_tile_cells(16);
            let tiled = expect_mesh(Baker::new(tiles, config).bake(&triangles));
            assert!(
                whole.map(|mesh| mesh.to_wmesh()) == tiled.map(|mesh| mesh.to_wmesh()),
                "tiles leave a trace"
            );
        }
    }
}

/// Rings that may cross themselves and each other.
#[derive(Arbitrary, Debug)]
pub struct Drawing {
    polygons: Vec<Vec<Vec<[i8; 2]>>>,
    near: u8,
}

/// Repairs a drawing, triangulates it by both algorithms and decomposes it into convex pieces, none
/// of which may lose ground.
pub fn polygons(drawing: &Drawing) {
    let ring = |ring: &Vec<[i8; 2]>| ring.iter().take(30).map(|point| point.map(f64::from)).collect();
    let rings: Vec<Vec<Vec<[f64; 2]>>> =
        drawing.polygons.iter().take(4).map(|rings| rings.iter().take(4).map(ring).collect()).collect();
    if rings.iter().flatten().flatten().next().is_none() {
        return;
    }
    let set = from_rings(&rings);
    // Metres: the set is about 256 of them wide.
    let config = RepairConfig::default()
        .with_near_distance(f32::from(drawing.near % 4) * 0.25)
        .with_max_border_shift(4.0);
    let Ok((sound, _)) = repair_polygons(&set, &config) else { return };
    sound.validate().unwrap_or_else(|violations| panic!("repaired: {violations}"));
    let area: i128 = sound
        .polygons
        .iter()
        .flat_map(waymesh::core::Polygon::loops)
        .map(|polygon_loop| sound.doubled_area(polygon_loop))
        .sum();
    for triangulation in [triangulate_cdt(&sound), triangulate_ears(&sound)] {
        let triangulation = triangulation.expect("sound polygons are triangulated");
        triangulation.validate().unwrap_or_else(|violations| panic!("triangles: {violations}"));
        assert_eq!(triangulation.doubled_area(), area);
        let meshes = [
            notch_portals(&triangulation, &NotchPortalsConfig::default()),
            merge_greedy(&triangulation, &GreedyConfig::default().with_order(MergeOrder::Stored)),
        ];
        for mesh in meshes {
            mesh.expect("triangles are parted")
                .validate()
                .unwrap_or_else(|violations| panic!("polygons: {violations}"));
        }
    }
}

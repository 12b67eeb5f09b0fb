//! Files of every version that was ever released: `testdata/files`.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use glam::Vec3;
use waymesh_core::Validate;
use waymesh_graph::{AreaCosts, MeshFormat, NavMesh, Outcome, PathOptions};
use waymesh_io::open;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/files").join(name)
}

/// Version, polygons, square metres, named areas, height of the lowest agent.
const FILES: [(u32, usize, f64, usize, f32); 1] = [(1, 2, 23.4, 1, 1.2)];

#[test]
fn files_of_every_version_are_read() {
    for (version, polygons, area, named, lowest) in FILES {
        let [exchange, packed] = ["wmesh", "wmrun"].map(|ending| {
            let file = file(&format!("v{version}.{ending}"));
            let bytes = std::fs::read(&file).unwrap();
            assert_eq!(bytes[8..12], version.to_le_bytes(), "{}", file.display());
            let mesh = open(&file).unwrap();
            mesh.validate().unwrap();
            assert_eq!(mesh.polygon_count(), polygons, "{}", file.display());
            assert!((mesh.area() - area).abs() < 0.01, "{}: {} m2", file.display(), mesh.area());
            assert_eq!(mesh.area_by_name("lawn").is_some(), named > 0);
            assert_eq!(mesh.agent().height.to_bits(), lowest.to_bits());
            assert!(mesh.polygons().all(|polygon| mesh.head_room(polygon.id()) == Some(2.0)));
            // A path from end to end, which pays for the lawn.
            let centre = |polygon: waymesh_graph::PolygonView<'_>| {
                polygon.positions().sum::<Vec3>() / polygon.positions().count() as f32
            };
            let ends = [mesh.polygons().next(), mesh.polygons().last()].map(|one| centre(one.unwrap()));
            let costs = AreaCosts::of_mesh(&mesh);
            let options = PathOptions::default().with_cost(costs);
            let path = mesh.query().options(options).path(ends[0], ends[1]).unwrap();
            assert_eq!(path.outcome, Outcome::Complete);
            assert_eq!(path.cost > path.length * 1.2, named > 0, "{} for {} m", path.cost, path.length);
            mesh
        });
        assert!(exchange == packed, "version {version}");
    }
}

#[test]
fn the_newest_version_has_its_file_and_the_next_is_refused_by_name() {
    for (format, ending) in [(MeshFormat::Exchange, "wmesh"), (MeshFormat::Packed, "wmrun")] {
        let versions: Vec<u32> = FILES.map(|(version, ..)| version).to_vec();
        assert_eq!(versions, (1..=format.version()).collect::<Vec<_>>());
        let mut bytes = std::fs::read(file(&format!("v{}.{ending}", format.version()))).unwrap();
        let next = format.version() + 1;
        bytes[8..12].copy_from_slice(&next.to_le_bytes());
        let message = NavMesh::from_bytes(bytes).unwrap_err().to_string();
        assert!(message.contains(&format!("of version {next}")), "{message}");
        assert!(message.ends_with("it needs a newer waymesh"), "{message}");
    }
}

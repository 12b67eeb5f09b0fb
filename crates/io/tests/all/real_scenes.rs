//! Real levels, where they are present: triangle counts against their manifest, OBJ and STL against
//! other readers.

use crate::common;
use std::path::PathBuf;

use common::corners;
use waymesh_io::load;

fn scenes() -> Option<PathBuf> {
    waymesh_testkit::levels::find("")
}

#[test]
fn triangle_counts_are_those_of_the_manifest() {
    let Some(folder) = scenes() else { return };
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let mut checked = 0;
    for line in manifest.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(file), Some(triangles)) = (columns.next(), columns.next()) else { continue };
        let file = folder.join(file);
        if !file.is_file() {
            waymesh_testkit::levels::skipped(&file.display().to_string());
            continue;
        }
        let soup = load(&file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(soup.triangles().len().to_string(), triangles, "{}", file.display());
        assert!(soup.bounds().is_valid());
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn obj_levels_read_like_tobj_reads_them() {
    let Some(folder) = scenes() else { return };
    for name in ["nav_test", "dungeon", "undulating"] {
        let file = folder.join(format!("golden/Meshes/{name}.obj"));
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let (models, _) = tobj::load_obj(&file, &options).unwrap();
        let mut wanted = Vec::new();
        for model in models {
            let corner = |&vertex: &u32| {
                let start = 3 * vertex as usize;
                [0, 1, 2].map(|axis| model.mesh.positions[start + axis])
            };
            wanted
                .extend(model.mesh.indices.chunks(3).map(|t| [corner(&t[0]), corner(&t[1]), corner(&t[2])]));
        }
        let found = corners(&load(&file).unwrap());
        assert_eq!(found.len(), wanted.len(), "{name}");
        // tobj cuts the concave faces of nav_test as fans: four of 8 corners and two of 12.
        let differing = found.iter().zip(&wanted).filter(|(found, wanted)| found != wanted).count();
        assert!(differing <= if name == "nav_test" { 44 } else { 0 }, "{name}: {differing} triangles differ");
    }
}

#[test]
fn stl_files_read_like_stl_io_reads_them() {
    for bytes in [common::stl_text(), common::stl_binary(b"header")] {
        let mesh = stl_io::read_stl(&mut std::io::Cursor::new(&bytes)).unwrap();
        let wanted: Vec<_> =
            mesh.into_triangle_vec().iter().map(|t| t.vertices.map(|vertex| vertex.0)).collect();
        assert_eq!(corners(&common::parse("a.stl", &bytes).unwrap()), wanted);
    }
}

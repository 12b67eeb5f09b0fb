//! The bytes of small meshes of our own, one or more for each way to bake: a change that alters any
//! mesh shows here, also where the real levels are absent. `cargo xtask bless` rewrites the page.

mod common;

use std::fmt::Write;
use std::path::Path;

use common::{read_json, succeed};

/// Levels in `testdata/levels`, what is done with them, and the options.
const BAKES: &[(&str, &str, &str)] = &[
    ("court.obj", "build", "--agent recast"),
    ("court.obj", "build", "--agent recast --tile 32"),
    ("court.obj", "build", "--agent recast --partition watershed --max-vertices 6 --max-edge-length 6"),
    ("court.obj", "build", "--agent recast --partition monotone --decomposition greedy"),
    ("court.obj", "build", "--agent recast --corners fewest-notches --decomposition hertel-mehlhorn"),
    (
        "court.obj",
        "build",
        "--agent recast --cell-size 0.1 --level-height 0.1 --agent-radius 0.4 --max-step 0.4 --jumps",
    ),
    ("court.obj", "build", "--agent recast --pipeline storeys"),
    ("court.obj", "build", "--pipeline slices --cell-size 0.1 --level-height 0.05"),
    ("hills.obj", "build", "--agent recast"),
    ("hills.obj", "build", "--agent recast --tile 32 --cell-size 0.2 --level-height 0.1"),
    ("hills.obj", "build", "--agent recast --pipeline storeys --cell-size 0.2"),
    ("house.toml", "plan", ""),
    ("house.toml", "plan", "--join round --max-vertices 4"),
];

#[test]
fn snapshot_golden_levels() {
    let levels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/levels");
    let levels = levels.canonicalize().expect("levels");
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut page = String::new();
    for (level, command, options) in BAKES {
        let file = levels.join(level);
        let file = file.to_str().expect("a path in UTF-8");
        let outputs = ["-o", "golden.wmesh", "--report", "golden.json", "--check"];
        let words: Vec<&str> =
            [*command, file].into_iter().chain(options.split_whitespace()).chain(outputs).collect();
        succeed(folder.path(), &words);
        let mesh = std::fs::read(folder.path().join("golden.wmesh")).expect("a mesh");
        let report = read_json(&folder.path().join("golden.json"));
        // A mesh file ends with its checksum.
        let checksum = u32::from_le_bytes(*mesh.last_chunk().expect("a checksum"));
        let _ = writeln!(page, "{}", format!("{level} {command} {options}").trim_end());
        let (bytes, polygons) = (mesh.len(), &report["polygons"]);
        let _ = writeln!(page, "  {bytes} bytes, CRC-32 {checksum:08x}, {polygons} polygons");
    }
    waymesh_testkit::snapshot!("golden", page);
}

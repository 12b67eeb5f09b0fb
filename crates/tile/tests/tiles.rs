//! Bins and stores, compared with results of simple algorithms.

use std::fs;

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{GridFrame, TriangleSoup};
use waymesh_tile::{BinsConfig, Tile, TileError, TileLayout, TileStore, TriangleBins};

const HALO: u32 = 3;

fn frame() -> GridFrame {
    GridFrame { origin: Vec3::new(-5.0, 0.0, 3.0), cell_size: 0.5, level_height: 0.2, width: 90, depth: 70 }
}

#[expect(clippy::unwrap_used, reason = "a test's own input")]
fn soup(corners: &[[f32; 3]]) -> TriangleSoup {
    let positions: Vec<Vec3> = corners.iter().map(|&corner| Vec3::from_array(corner)).collect();
    let count = u32::try_from(positions.len() / 3).unwrap();
    TriangleSoup::new(positions, (0..count).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect())
        .unwrap()
}

fn sorted(soup: &TriangleSoup) -> Vec<[[u32; 3]; 3]> {
    let mut triangles: Vec<_> = (0..soup.triangles().len())
        .map(|index| soup.corners(index).map(|corner| corner.to_array().map(f32::to_bits)))
        .collect();
    triangles.sort_unstable();
    triangles
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tile_gets_the_triangles_that_reach_it(
        corners in prop::collection::vec([-12.0_f32..50.0, -3.0_f32..3.0, -5.0_f32..45.0], 3..120),
        tile_cells in prop::sample::select(vec![0_u32, 16, 32, 50]),
        memory in prop::sample::select(vec![1_u64, 400, 1 << 20]),
    ) {
        let soup = soup(&corners);
        let frame = frame();
        let layout = TileLayout::new(&frame, tile_cells).unwrap();
        let bins = TriangleBins::sort(&soup, &layout, HALO, &BinsConfig::default().with_memory_bytes(memory)).unwrap();
        for tile in layout.tiles() {
            let (core, found) = (layout.core(tile), sorted(&bins.soup(tile).unwrap()));
            prop_assert_eq!(found.len(), bins.count(tile));
            for index in 0..soup.triangles().len() {
                let corners = soup.corners(index);
                let at = corners.map(|corner| frame.to_grid(corner));
                let range = |axis: usize| {
                    let at = at.map(|at| at[axis]);
                    (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]))
                };
                let apart = |(low, high): (f64, f64), start: u32, end: u32| {
                    (f64::from(start) - high).max(low - f64::from(end))
                };
                let gap = apart(range(0), core.x, core.end_x()).max(apart(range(2), core.z, core.end_z()));
                let key = corners.map(|corner| corner.to_array().map(f32::to_bits));
                let is_there = found.binary_search(&key).is_ok();
                if gap <= f64::from(HALO) {
                    prop_assert!(is_there, "triangle {} is missing in tile {}", index, tile);
                }
                if gap > f64::from(HALO) + 2.0 {
                    prop_assert!(!is_there, "triangle {} is far from tile {}", index, tile);
                }
            }
        }
        let kept: usize = layout.tiles().map(|tile| bins.count(tile)).sum();
        prop_assert!(bins.tiles().eq(layout.tiles().filter(|&tile| bins.count(tile) > 0)));
        prop_assert_eq!(bins.spilled_bytes() > 0, kept as u64 > (memory / 36).max(1));
    }
}

#[test]
fn broken_triangles_are_in_no_bin() {
    let nan = f32::NAN;
    let soup = soup(&[
        [0.0, 0.0, 4.0],
        [nan, 0.0, 4.0],
        [0.0, 0.0, 5.0], //
        [1.0, 0.0, 4.0],
        [1.0, 0.0, 4.0],
        [2.0, 0.0, 5.0],
    ]);
    let layout = TileLayout::new(&frame(), 16).unwrap();
    let bins = TriangleBins::sort(&soup, &layout, HALO, &BinsConfig::default()).unwrap();
    assert!(layout.tiles().all(|tile| bins.count(tile) == 0));
}

#[test]
fn a_folder_gives_back_what_was_kept_and_notices_damage() {
    let folder = tempfile::tempdir().unwrap();
    let tile = Tile { row: 1, column: 2 };
    assert_eq!(TileStore::note(folder.path()).unwrap(), None);
    let store = TileStore::in_folder(folder.path(), 77, "cell_size 0.5\n").unwrap();
    assert_eq!(store.get(tile).unwrap(), None);
    store.put(tile, b"some content".to_vec()).unwrap();
    assert_eq!(store.get(tile).unwrap().as_deref(), Some(&b"some content"[..]));
    assert_eq!(store.get(Tile { row: 0, column: 2 }).unwrap(), None);

    let again = TileStore::in_folder(folder.path(), 77, "not written again").unwrap();
    assert_eq!(again.get(tile).unwrap().as_deref(), Some(&b"some content"[..]));
    assert_eq!(TileStore::note(folder.path()).unwrap(), Some((77, "cell_size 0.5\n".to_owned())));
    let error = TileStore::in_folder(folder.path(), 78, "").unwrap_err();
    assert!(matches!(error, TileError::OtherBake { expected: 78, found: 77, .. }), "{error}");

    let file = store.file(tile).unwrap();
    let sound = fs::read(&file).unwrap();
    for place in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[place] ^= 0x10;
        fs::write(&file, damaged).unwrap();
        assert_eq!(store.get(tile).unwrap(), None, "byte {place}");
        fs::write(&file, &sound[..place]).unwrap();
        assert_eq!(store.get(tile).unwrap(), None, "cut at {place}");
    }
    assert_eq!(store.damaged(), 2 * sound.len() as u64);
    store.put(tile, b"built again".to_vec()).unwrap();
    assert_eq!(store.get(tile).unwrap().as_deref(), Some(&b"built again"[..]));
    // A tile file under the name of another tile is not accepted.
    let other = Tile { row: 0, column: 0 };
    fs::copy(&file, store.file(other).unwrap()).unwrap();
    assert_eq!(store.get(other).unwrap(), None);
}

/// Tests that a tile of another bake or version is distinguished from one that is missing or
/// damaged.
#[test]
fn foreign_tiles_are_refused_by_name() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let tile = Tile { row: 1, column: 2 };
    let store = TileStore::in_folder(folder.path(), 77, "").unwrap();
    store.refuse_foreign(tile).expect("nothing is there");
    let foreign = TileStore::in_folder(other.path(), 78, "").unwrap();
    foreign.put(tile, b"of another bake".to_vec()).unwrap();
    let file = store.file(tile).unwrap();
    fs::copy(foreign.file(tile).unwrap(), &file).unwrap();
    let error = store.refuse_foreign(tile).unwrap_err();
    assert!(matches!(error, TileError::OtherBake { expected: 77, found: 78, .. }), "{error}");
    assert!(error.to_string().contains("tile_2_1.bin"), "{error}");

    store.put(tile, b"some content".to_vec()).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[7] += 1;
    fs::write(&file, &bytes).unwrap();
    let error = store.refuse_foreign(tile).unwrap_err();
    assert!(error.to_string().contains("tiles of layout 2, this one is tiles of layout 1"), "{error}");
    bytes.truncate(60);
    bytes[7] -= 1;
    fs::write(&file, &bytes).unwrap();
    store.refuse_foreign(tile).expect("it is damaged");

    let manifest = folder.path().join(TileStore::MANIFEST);
    let note = |version: u32| {
        fs::write(&manifest, format!("waymesh tiles {version}\nfingerprint 000000000000004d\nx")).unwrap();
        TileStore::note(folder.path())
    };
    assert_eq!(note(1).unwrap(), Some((77, "x".to_owned())));
    let error = note(2).unwrap_err();
    assert!(matches!(error, TileError::OtherVersion { .. }), "{error}");
    assert!(error.to_string().contains("tiles of version 2"), "{error}");
}

#[test]
fn memory_gives_back_what_was_kept() {
    let store = TileStore::in_memory();
    let tile = Tile { row: 0, column: 1 };
    assert_eq!(store.get(tile).unwrap(), None);
    store.put(tile, vec![1, 2]).unwrap();
    store.put(tile, vec![3]).unwrap();
    assert_eq!(store.get(tile).unwrap().as_deref(), Some(&[3][..]));
    assert!(store.file(tile).is_none());
}

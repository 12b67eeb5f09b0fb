//! Guarantees of the scenes.

use std::collections::HashMap;

use glam::Vec3;
use waymesh_core::TriangleSoup;
use waymesh_scenes::{Scene, SceneConfig, damage};

/// FNV-1a over the bits of all positions and indices.
fn fingerprint(soup: &TriangleSoup) -> u64 {
    let words = soup
        .positions()
        .iter()
        .flat_map(|position| position.to_array().map(f32::to_bits))
        .chain(soup.triangles().iter().copied().flatten());
    words
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}

/// Heights and normals of all triangles above and below a plan point.
fn hits(soup: &TriangleSoup, x: f32, z: f32) -> Vec<(f32, Vec3)> {
    soup.finite_triangles()
        .filter_map(|corners| {
            let [a, b, c] = corners.map(glam::Vec3::as_dvec3);
            let cross = |p: glam::DVec3, q: glam::DVec3| {
                (q.x - p.x) * (f64::from(z) - p.z) - (q.z - p.z) * (f64::from(x) - p.x)
            };
            let (u, v, w) = (cross(b, c), cross(c, a), cross(a, b));
            let sum = u + v + w;
            let inside = sum != 0.0 && [u, v, w].iter().all(|part| part * sum > 0.0);
            #[expect(clippy::cast_possible_truncation, reason = "a height in metres")]
            inside.then(|| (((a.y * u + b.y * v + c.y * w) / sum) as f32, normal(corners)))
        })
        .collect()
}

/// All small scenes.
fn small() -> impl Iterator<Item = Scene> {
    Scene::ALL.into_iter().chain(Scene::NATURAL).chain(Scene::SHEETS)
}

#[test]
fn same_configuration_same_bits() {
    for scene in small() {
        let config = SceneConfig::default();
        assert_eq!(
            fingerprint(&scene.build(&config)),
            fingerprint(&scene.build(&config)),
            "{}",
            scene.name()
        );
        assert_eq!(fingerprint(&scene.broken(3)), fingerprint(&scene.broken(3)), "{}", scene.name());
        let other = scene.build(&config.with_seed(2));
        assert_ne!(fingerprint(&scene.build(&config)), fingerprint(&other), "{}", scene.name());
    }
}

/// Snapshots and golden figures in other crates depend on these scenes. A change here must be
/// intended.
#[test]
fn the_bits_are_those_of_always() {
    let expected: [(&str, usize, u64); 8] = [
        ("dungeon-rooms", 5_028, 0x1fd6_7acc_16e6_ee4d),
        ("spiral-stairs", 2_744, 0x706a_e3e5_84d2_fa99),
        ("overlapping-storeys", 1_648, 0xc078_8dc3_21fb_3435),
        ("rolling-terrain", 29_952, 0xa90d_3acf_ce3f_2213),
        ("city-block", 2_508, 0x7f58_bd39_5f9a_c825),
        ("terraces", 544, 0x3e60_eff0_9ac2_3d9d),
        ("caves", 26_832, 0x18a7_9b7e_4dfc_cc44),
        ("stacks", 17_424, 0xa8c5_b4d2_d2a6_84e9),
    ];
    let actual: Vec<_> = small()
        .map(|scene| {
            let soup = scene.build(&SceneConfig::default());
            (scene.name(), soup.triangles().len(), fingerprint(&soup))
        })
        .collect();
    assert_eq!(actual, expected, "{actual:#x?}");
}

#[test]
fn sound_scenes_have_only_finite_triangles_with_area() {
    for scene in small() {
        for seed in 0..12 {
            let soup = scene.build(&SceneConfig::default().with_seed(seed));
            assert_eq!(soup.skipped().total(), 0, "{} {seed}", scene.name());
            assert!((200..=31_000).contains(&soup.triangles().len()), "{} {seed}", scene.name());
            let least =
                soup.finite_triangles().map(|corners| normal(corners).length()).fold(f32::MAX, f32::min);
            assert!(least > 1e-4, "{} {seed}: a sliver of {least} m2", scene.name());
        }
    }
}

#[test]
fn the_topmost_surface_faces_up() {
    for scene in small() {
        let soup = scene.build(&SceneConfig::default());
        let bounds = soup.bounds();
        let size = bounds.max - bounds.min;
        let mut hit = 0;
        for sample in 0_u8..160 {
            // Irrational steps spread the samples and keep them off edges.
            let [u, v] = [0.618_034, 0.414_214].map(|step: f32| (f32::from(sample) * step).fract());
            let mut hits = hits(&soup, bounds.min.x + u * size.x, bounds.min.z + v * size.z);
            hits.sort_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((height, normal)) = hits.last() {
                hit += 1;
                assert!(normal.y > 0.0, "{}: a surface at {height} m faces down", scene.name());
            }
        }
        assert!(hit > 40, "{}", scene.name());
    }
}

#[test]
fn scale_grows_the_plan_and_is_kept_in_range() {
    for scene in small() {
        let size = |scale| {
            let bounds = scene.build(&SceneConfig::default().with_scale(scale)).bounds();
            bounds.max - bounds.min
        };
        assert!(size(2).x > 1.6 * size(1).x && size(2).z > 1.6 * size(1).z, "{}", scene.name());
        assert_eq!(size(0), size(1));
    }
}

#[test]
fn names_lead_back() {
    for scene in small() {
        assert_eq!(Scene::from_name(scene.name()), Some(scene));
    }
    assert_eq!(Scene::from_name("elsewhere"), None);
}

#[test]
fn stairs_have_headroom_and_low_steps() {
    let soup = Scene::SpiralStairs.build(&SceneConfig::default());
    let bounds = soup.bounds();
    assert!(bounds.max.y > 2.0 * 20.0 * 0.2, "two turns");
    // The tower stands up to 1 m away from the middle, and its tallest part is the pole. There is
    // no parapet within 3 m of the pole.
    let mean = |positions: &[Vec3]| positions.iter().sum::<Vec3>() / positions.len() as f32;
    let tall = |position: &&Vec3| position.y > 11.0;
    let pole: Vec<Vec3> = soup.positions().iter().filter(tall).copied().collect();
    let centre = mean(&pole);
    let mut overlapping = 0;
    for sample in 0_u8..240 {
        let [u, v] = [0.618_034, 0.414_214].map(|step: f32| (f32::from(sample) * step).fract() * 4.2 - 2.1);
        let mut hits = hits(&soup, centre.x + u, centre.z + v);
        hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        // A floor, then the underside of the solid above it. The lowest step is sunk into the
        // ground.
        for pair in hits.windows(2) {
            if pair[0].1.y > 0.0 && pair[1].1.y < 0.0 && pair[0].0 > 0.0 && pair[1].0 - pair[0].0 > 0.01 {
                overlapping += 1;
                assert!(pair[1].0 - pair[0].0 > 2.5, "{} m of headroom", pair[1].0 - pair[0].0);
            }
        }
    }
    assert!(overlapping > 20, "turns lie over each other");
}

#[test]
fn broken_scenes_hold_what_they_claim() {
    for scene in small() {
        for seed in [1, 9] {
            let sound = scene.build(&SceneConfig::default().with_seed(seed));
            let (broken, done) = damage(&sound, seed);
            assert_eq!(fingerprint(&broken), fingerprint(&scene.broken(seed)));
            let skipped = broken.skipped();
            assert_eq!(skipped.degenerate, done.degenerate as u64, "{}", scene.name());
            assert_eq!(skipped.not_finite, done.not_finite as u64, "{}", scene.name());
            assert!(done.removed >= 4 && done.intersecting > 0 && done.degenerate > 0 && done.not_finite > 0);

            let mut times: HashMap<[u32; 3], usize> = HashMap::new();
            for corners in broken.triangles() {
                *times.entry(*corners).or_default() += 1;
            }
            assert_eq!(times.values().filter(|&&times| times == 2).count(), done.duplicated);
            let flipped = |&&[a, b, c]: &&[u32; 3]| times.contains_key(&[a, c, b]);
            assert_eq!(sound.triangles().iter().filter(flipped).count(), done.flipped);
            let missing = |corners: &&[u32; 3]| !times.contains_key(*corners);
            assert_eq!(sound.triangles().iter().filter(missing).count(), done.removed + done.flipped);

            // The intersecting triangles cross the plane of a sound triangle, inside that triangle.
            let first = broken.triangles().len() - done.not_finite - done.intersecting;
            for index in first..first + done.intersecting {
                let piercing = broken.corners(index);
                let crossed = sound.finite_triangles().any(|corners| pierces(piercing, corners));
                assert!(crossed, "{} triangle {index}", scene.name());
            }
        }
    }
}

/// Returns `true` if an edge of `piercing` passes through `corners`, or an edge of `corners`
/// through `piercing`.
fn pierces(piercing: [Vec3; 3], corners: [Vec3; 3]) -> bool {
    let through = |edges: [Vec3; 3], face: [Vec3; 3]| {
        (0..3).any(|edge| {
            let (p, q) = (edges[edge], edges[(edge + 1) % 3]);
            let n = normal(face);
            let (dp, dq) = ((p - face[0]).dot(n), (q - face[0]).dot(n));
            let at = p + (q - p) * (dp / (dp - dq));
            dp * dq < 0.0
                && (0..3).all(|side| {
                    let (a, b) = (face[side], face[(side + 1) % 3]);
                    (b - a).cross(at - a).dot(n) >= 0.0
                })
        })
    };
    through(piercing, corners) || through(corners, piercing)
}

#[test]
fn ways_of_caves_lie_over_each_other() {
    let soup = Scene::Caves.build(&SceneConfig::default());
    let mut over = 0;
    for sample in 0_u8..200 {
        let [u, v] =
            [0.618_034, 0.414_214].map(|step: f32| step / 2.0 + (f32::from(sample) * step).fract() * 47.0);
        let mut hits = hits(&soup, u, v);
        hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Floors and vaults alternate, and the hill lies above all of them.
        let ups: Vec<bool> = hits.iter().map(|hit| hit.1.y > 0.0).collect();
        assert!(ups.len() % 2 == 1 && ups.iter().step_by(2).all(|up| *up), "at {u}, {v}: {ups:?}");
        assert!(ups.iter().skip(1).step_by(2).all(|up| !up), "at {u}, {v}: {ups:?}");
        over += usize::from(ups.len() >= 5);
    }
    assert!(over >= 6, "{over} samples with one way over another");
}

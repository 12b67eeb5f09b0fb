//! `--device`: voxels on a graphics card, with the bytes of the processor.
#![cfg(feature = "gpu")]

mod common;

use common::{fail, hall, read_json, succeed};

/// The adapter in software, which is used only where it is named.
const SOFTWARE: &str = "llvmpipe";

#[test]
fn the_mesh_is_the_same_on_every_device() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj", "-o", "cpu.wmesh", "--cell-size", "0.05"]);
    let cpu = std::fs::read(folder.join("cpu.wmesh")).unwrap();
    let on_card = ["build", "hall.obj", "-o", "gpu.wmesh", "--cell-size", "0.05", "--report", "r.json"];
    for tiles in [&[][..], &["--tile", "64"]] {
        let mut words = on_card.to_vec();
        words.extend(["--device", "auto", "--adapter", SOFTWARE]);
        words.extend(tiles);
        succeed(folder, &words);
        assert!(std::fs::read(folder.join("gpu.wmesh")).unwrap() == cpu, "{tiles:?}: other bytes");
        let report = &read_json(&folder.join("r.json"))["device"];
        let why_not = report["on_processor"].as_object().unwrap();
        if report["device"] == "" {
            // Without an adapter the reason is that there is none.
            waymesh_testkit::levels::skipped("a graphics adapter, be it in software");
            assert!(why_not.keys().all(|reason| reason.starts_with("no graphics adapter")), "{report}");
            continue;
        }
        assert!(report["device"].as_str().unwrap().contains(SOFTWARE), "{report}");
        if tiles.is_empty() {
            let work = &report["stages"]["voxels and fields"];
            assert_eq!((work["jobs"].as_u64(), why_not.len()), (Some(1), 0), "{report}");
            for key in ["upload_seconds", "kernel_seconds", "download_seconds"] {
                assert!(work[key].as_f64() > Some(0.0), "{key}: {report}");
            }
            assert!(work["downloaded_bytes"].as_u64() > Some(1000), "{report}");
            assert_eq!(report["total"], *work, "{report}");
        } else {
            // A tile is too small to gain.
            assert!(why_not.keys().all(|reason| reason == "fewer than 65536 columns"), "{report}");
            words.retain(|word| *word != "auto");
            words.insert(words.iter().position(|word| *word == "--device").unwrap() + 1, "gpu");
            succeed(folder, &words);
            assert!(std::fs::read(folder.join("gpu.wmesh")).unwrap() == cpu, "tiles: other bytes");
            let report = &read_json(&folder.join("r.json"))["device"];
            assert!(report["stages"]["voxels and fields"]["jobs"].as_u64() > Some(1), "{report}");
            assert_eq!(report["on_processor"].as_object().unwrap().len(), 0, "{report}");
            // Climbs need the voxels, so these are transferred.
            let ledges = ["--max-ledge", "1.5"];
            succeed(folder, &[&words[..], &ledges].concat());
            let gpu = std::fs::read(folder.join("gpu.wmesh")).unwrap();
            let report = &read_json(&folder.join("r.json"))["device"];
            assert!(report["stages"]["voxels"]["jobs"].as_u64() > Some(1), "{report}");
            assert!(report["stages"]["voxels and fields"].is_null(), "{report}");
            let reasons = report["on_processor"].as_object().unwrap();
            assert!(reasons.keys().all(|reason| reason.contains("ledges to climb")), "{report}");
            assert_eq!(reasons.len(), 1, "{report}");
            let on_cpu = ["build", "hall.obj", "-o", "gpu.wmesh", "--cell-size", "0.05"];
            succeed(folder, &[&on_cpu[..], &ledges].concat());
            assert!(std::fs::read(folder.join("gpu.wmesh")).unwrap() == gpu, "ledges: other bytes");
        }
    }
}

#[test]
fn storeys_are_the_same_on_every_device() {
    let folder = hall();
    let folder = folder.path();
    let words = ["build", "hall.obj", "--pipeline", "storeys", "-o"];
    succeed(folder, &[&words[..], &["cpu.wmesh"]].concat());
    let on_card = ["gpu.wmesh", "--report", "r.json", "--adapter", SOFTWARE, "--device"];
    // The rough voxels and the windows of a hall are too few to gain.
    for (device, others) in [("auto", 1), ("gpu", 0)] {
        if device == "gpu" && read_json(&folder.join("r.json"))["device"]["device"] == "" {
            waymesh_testkit::levels::skipped("a graphics adapter, be it in software");
            return;
        }
        succeed(folder, &[&words[..], &on_card, &[device]].concat());
        let [cpu, gpu] =
            ["cpu", "gpu"].map(|name| std::fs::read(folder.join(format!("{name}.wmesh"))).unwrap());
        assert!(cpu == gpu, "{device}: other bytes");
        let report = &read_json(&folder.join("r.json"))["device"];
        assert_eq!(report["on_processor"].as_object().unwrap().len(), others, "{report}");
        for stage in ["rough voxels", "depth maps"] {
            let work = &report["stages"][stage];
            assert_eq!(work["jobs"].as_u64() > Some(0), device == "gpu", "{stage}: {report}");
            assert_eq!(work["kernel_seconds"].as_f64() > Some(0.0), device == "gpu", "{stage}: {report}");
        }
    }
}

#[test]
fn a_device_that_cannot_be_is_an_error() {
    let folder = hall();
    let folder = folder.path();
    let message = fail(folder, 1, &["build", "hall.obj", "--device", "gpu", "--adapter", "no such card"]);
    assert!(message.contains("no graphics adapter"), "{message}");
    let message = fail(folder, 1, &["build", "hall.obj", "--device", "gpu", "--pipeline", "slices"]);
    assert!(message.contains("--device needs --pipeline voxels or storeys"), "{message}");
}

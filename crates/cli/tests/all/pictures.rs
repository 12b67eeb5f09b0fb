//! Pictures as PNG, and pictures that are shown.

use crate::common;
use common::{fail, hall};

#[test]
fn a_picture_is_shown_only_if_there_is_one() {
    let folder = hall();
    let folder = folder.path();
    for words in [&["--open"][..], &["--open", "--svg", "-"]] {
        let found = fail(folder, 1, &[&["build", "hall.obj"], words].concat());
        assert!(found.contains("add --svg FILE"), "{found}");
        assert!(!folder.join("hall.wmesh").exists());
    }
}

/// The system's program for files is named by the path of programs.
#[cfg(target_os = "linux")]
#[test]
fn a_picture_is_shown_by_the_program_of_the_system() {
    use std::os::unix::fs::PermissionsExt;

    let folder = hall();
    let folder = folder.path();
    let programs = folder.join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    let shows = programs.join("xdg-open");
    std::fs::write(&shows, "#!/bin/sh\n/bin/cp \"$1\" shown.part && /bin/mv shown.part \"$1.shown\"\n")
        .expect("a program");
    std::fs::set_permissions(&shows, std::fs::Permissions::from_mode(0o755)).expect("its rights");
    let show = |words: &[&str], picture: &str| {
        let mut command = common::program();
        let output = command.args(words).current_dir(folder).env("PATH", &programs).output();
        assert!(output.expect("the program starts").status.success(), "{words:?}");
        let (picture, shown) = (folder.join(picture), folder.join(format!("{picture}.shown")));
        // It is not waited for.
        while !shown.exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(std::fs::read(shown).expect("a picture"), std::fs::read(picture).expect("a picture"));
    };
    show(&["demo", "--open", "-o", "out"], "out/overlapping-storeys.svg");
    show(&["build", "hall.obj", "--svg", "hall.svg", "--open"], "hall.svg");
    let places = ["--from", "2,0,2", "--to", "18,0,2", "--svg", "path.svg", "--open"];
    show(&[&["path", "hall.wmesh"], &places[..]].concat(), "path.svg");
    show(&["diff", "hall.wmesh", "hall.wmesh", "--svg", "diff.svg", "--open"], "diff.svg");
    let judged = ["evaluate", "hall.obj", "--mesh", "hall.wmesh", "--svg", "judged.svg", "--open"];
    show(&judged, "judged.svg");
}

#[cfg(not(feature = "png"))]
#[test]
fn the_feature_of_png_is_named() {
    let folder = hall();
    let found = fail(folder.path(), 2, &["build", "hall.obj", "--png", "hall.png"]);
    assert!(found.contains("without the feature `png`"), "{found}");
}

#[cfg(feature = "png")]
#[test]
fn a_png_has_two_pixels_for_each_of_the_svg() {
    let folder = hall();
    let folder = folder.path();
    common::succeed(folder, &["build", "hall.obj", "--svg", "hall.svg", "--png", "hall.png"]);
    let found = fail(folder, 1, &["build", "hall.obj", "--png", "hall.jpg"]);
    assert!(found.contains("ends in .png"), "{found}");
    let png = std::fs::read(folder.join("hall.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 5_000, "{} bytes", png.len());
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    let svg = std::fs::read_to_string(folder.join("hall.svg")).expect("a picture");
    let start = svg.split_once('>').expect("the first tag").0;
    let of_svg = |name: &str| {
        let (_, rest) = start.split_once(&format!(" {name}=\"")).expect("a side");
        rest.split_once('"').expect("its end").0.parse::<f64>().expect("a number")
    };
    for (at, name) in [(16, "width"), (20, "height")] {
        assert!((f64::from(side(at)) - (2.0 * of_svg(name)).ceil()).abs() < 0.5, "{name}");
    }
}

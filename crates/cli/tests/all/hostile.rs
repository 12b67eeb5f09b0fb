//! Hostile options, files and disks, which the program must survive.

use crate::common;
use common::{fail, hall, run, succeed, text};

/// Runs the program in a shell after some other command.
#[cfg(unix)]
fn after(folder: &std::path::Path, before: &str, words: &str) -> std::process::Output {
    let line = format!("{before}; exec {} {words}", env!("CARGO_BIN_EXE_waymesh"));
    std::process::Command::new("sh").args(["-c", &line]).current_dir(folder).output().expect("a shell")
}

#[cfg(unix)]
#[test]
fn a_failed_write_leaves_the_old_files_and_no_others() {
    let folder = hall();
    let folder = folder.path();
    let outputs = ["hall.wmesh", "a.svg", "a.glb", "a.obj", "r.json", "hall.wmrun", "example.toml", "a.stl"];
    let bake = "build hall.obj --svg a.svg --glb a.glb --obj a.obj --report r.json";
    let pack = "pack hall.wmesh";
    let (example, scene) = ("plan --example example.toml", "scene terraces -o a.stl");
    for words in [bake, pack, example, scene] {
        succeed(folder, &words.split(' ').collect::<Vec<_>>());
    }
    let bytes = || outputs.map(|file| std::fs::read(folder.join(file)).expect(file));
    let old = bytes();
    let files = || std::fs::read_dir(folder).expect("a folder").count();
    let count = files();
    // A file may grow to 512 bytes: as on a full disk. With the signal ignored, writing fails.
    for words in [bake, pack, "build hall.obj -o hall.wmrun", example, scene] {
        let output = after(folder, "trap '' XFSZ; ulimit -f 1", words);
        assert_eq!(output.status.code(), Some(1), "{words}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("cannot write"), "{words}: {}", text(&output.stderr));
        assert!(bytes() == old, "{words}");
        assert_eq!(files(), count, "{words} leaves something behind");
    }
    // Without, the program dies in the middle of it.
    let output = after(folder, "ulimit -f 1", bake);
    assert_eq!(output.status.code(), None, "{}", text(&output.stderr));
    assert!(bytes() == old);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_permissions_and_links() {
    use std::os::unix::fs::PermissionsExt;

    let folder = hall();
    let folder = folder.path();
    std::fs::write(folder.join("real.wmesh"), "old").expect("a file");
    std::fs::set_permissions(folder.join("real.wmesh"), PermissionsExt::from_mode(0o640)).expect("a mode");
    std::os::unix::fs::symlink("real.wmesh", folder.join("link.wmesh")).expect("a link");
    succeed(folder, &["build", "hall.obj", "-o", "link.wmesh", "--svg", "/dev/null"]);
    assert!(folder.join("link.wmesh").is_symlink());
    let real = folder.join("real.wmesh").metadata().expect("a file");
    assert!(real.len() > 3 && real.permissions().mode() & 0o777 == 0o640, "{real:?}");
    // A new file is as any other program makes it.
    succeed(folder, &["build", "hall.obj", "-o", "new.wmesh"]);
    std::fs::write(folder.join("other"), "").expect("a file");
    let mode = |file: &str| folder.join(file).metadata().expect(file).permissions().mode();
    assert_eq!(mode("new.wmesh"), mode("other"));
}

#[test]
fn options_beyond_all_reason_are_refused_with_their_limit() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj", "--memory", "10MB"]);
    for (words, limit) in [
        (&["build", "hall.obj", "--threads", "70000"][..], "threads is 70000, but must be at most 1024"),
        (&["build", "hall.obj", "--level-height", "1e30"], "--level-height is"),
        (&["build", "hall.obj", "--cell-size", "1e30"], "--cell-size is"),
        (
            &["evaluate", "hall.obj", "--mesh", "hall.wmesh", "--samples", "18446744073709551615"],
            "1 to 10000000",
        ),
    ] {
        assert!(fail(folder, 1, words).contains(limit), "{words:?}");
    }
    for count in ["0", "10000001", "18446744073709551615"] {
        let output = run(folder, &["info", "hall.wmesh", "--queries", count]);
        assert_eq!(output.status.code(), Some(2), "{count}: {}", text(&output.stderr));
    }
}

//! Nothing is lost: programs that are killed at any time, two at once, folders that vanish.

#![cfg(unix)]

use crate::common;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use common::{fail, hall, run, succeed, text};
use waymesh::core::Random;

/// Programs killed for each command. `WAYMESH_KILL_ROUNDS` gives another number.
const ROUNDS: u32 = 10;

fn rounds() -> u32 {
    std::env::var("WAYMESH_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waymesh"));
    command.args(words.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn done(folder: &Path, words: &str) -> String {
    succeed(folder, &words.split(' ').collect::<Vec<_>>())
}

/// Runs a command and kills it after a share of `seconds` by chance.
fn killed(folder: &Path, words: &str, seconds: f64, random: &mut Random) {
    let mut program = command(folder, words).spawn().expect("the program starts");
    std::thread::sleep(std::time::Duration::from_secs_f64(seconds * random.unit_f64() * 1.2));
    program.kill().expect("a signal");
    program.wait().expect("the program ends");
}

/// Output files of a command, and its duration.
fn whole(folder: &Path, words: &str, file: &str) -> (Vec<u8>, f64) {
    let begin = Instant::now();
    done(folder, words);
    (std::fs::read(folder.join(file)).expect("a file"), begin.elapsed().as_secs_f64())
}

#[test]
fn a_killed_program_leaves_the_old_file_or_the_new_one() {
    let folder = hall();
    let folder = folder.path();
    let mut random = Random::new(21);
    done(folder, "build hall.obj -o fine.wmesh --cell-size 0.2");
    done(folder, "build hall.obj --tile 16 --tiles kept --cell-size 0.2");
    for (words, file) in [
        ("build hall.obj -o a.wmesh --cell-size 0.2 --svg a.svg", "a.wmesh"),
        ("build hall.obj -o a.wmesh --cell-size 0.2 --tile 16", "a.wmesh"),
        ("merge kept -o a.wmesh", "a.wmesh"),
        ("pack fine.wmesh -o a.wmrun", "a.wmrun"),
    ] {
        let old = b"the file as it was".to_vec();
        let (new, seconds) = whole(folder, words, file);
        for round in 0..rounds() {
            std::fs::write(folder.join(file), &old).expect("a file");
            killed(folder, words, seconds, &mut random);
            let found = std::fs::read(folder.join(file)).expect("a file");
            assert!(found == old || found == new, "round {round}: {words} leaves a torn file");
        }
        // Leftover files of killed programs do no harm.
        assert!(whole(folder, words, file).0 == new, "{words}");
    }
}

#[test]
fn killed_bakes_of_tiles_go_on_to_the_same_mesh() {
    let folder = hall();
    let folder = folder.path();
    let mut random = Random::new(22);
    let bake = "build hall.obj -o a.wmesh --cell-size 0.2 --tile 16 --tiles kept";
    let (expected, seconds) = whole(folder, bake, "a.wmesh");
    for round in 0..rounds() {
        std::fs::remove_dir_all(folder.join("kept")).expect("a folder");
        std::fs::remove_file(folder.join("a.wmesh")).expect("a file");
        for _ in 0..1 + round % 3 {
            killed(folder, bake, seconds, &mut random);
        }
        assert!(whole(folder, bake, "a.wmesh").0 == expected, "round {round}");
        assert!(whole(folder, "merge kept -o a.wmesh", "a.wmesh").0 == expected, "round {round}");
    }
}

#[test]
fn two_bakes_in_one_folder_give_their_meshes_or_say_why_not() {
    let folder = hall();
    let folder = folder.path();
    let bake = |name: &str, cell: &str| {
        format!("build hall.obj -o {name}.wmesh --cell-size {cell} --tile 16 --tiles kept")
    };
    let expected = ["0.2", "0.25"].map(|cell| {
        let mesh = whole(folder, &bake("a", cell), "a.wmesh").0;
        std::fs::remove_dir_all(folder.join("kept")).expect("a folder");
        mesh
    });
    for (cells, same) in [(["0.2", "0.2"], true), (["0.2", "0.25"], false)] {
        for round in 0..rounds().div_ceil(2) {
            let words = [("a", cells[0]), ("b", cells[1])].map(|(name, cell)| bake(name, cell));
            let programs =
                [0, 1].map(|one| command(folder, &words[one]).spawn().expect("the program starts"));
            let outputs = programs.map(|program| program.wait_with_output().expect("the program ends"));
            let mut finished = 0;
            for (index, output) in outputs.iter().enumerate() {
                let message = text(&output.stderr);
                if output.status.success() {
                    finished += 1;
                    let file = ["a.wmesh", "b.wmesh"][index];
                    let mesh = std::fs::read(folder.join(file)).expect("a file");
                    let of = if same { 0 } else { index };
                    assert!(mesh == expected[of], "round {round}: {} gives another mesh", words[index]);
                } else {
                    assert!(!same, "{message}");
                    let why = "another scene or of other settings";
                    assert!(message.contains(why) || message.contains("tile"), "{message}");
                    assert!(!message.contains("panicked"), "{message}");
                }
            }
            assert!(finished == 2 || !same, "round {round}");
            std::fs::remove_dir_all(folder.join("kept")).expect("a folder");
        }
    }
}

#[test]
fn a_folder_that_vanishes_or_cannot_be_written_is_an_error() {
    let folder = hall();
    let folder = folder.path();
    let bake = "build hall.obj -o a.wmesh --cell-size 0.2 --tile 16 --tiles kept";
    let (expected, _) = whole(folder, bake, "a.wmesh");
    for _ in 0..rounds() {
        let mut program = command(folder, bake).spawn().expect("the program starts");
        while program.try_wait().expect("a status").is_none() {
            let _ = std::fs::remove_dir_all(folder.join("kept"));
        }
        let output = program.wait_with_output().expect("the program ends");
        let message = text(&output.stderr);
        match output.status.code() {
            Some(0) => assert!(std::fs::read(folder.join("a.wmesh")).expect("a file") == expected),
            Some(1) => assert!(message.contains("kept") && !message.contains("panicked"), "{message}"),
            _ => panic!("{message}"),
        }
    }
    // A file is where the folder should be.
    let message = fail(folder, 1, &["build", "hall.obj", "--tile", "16", "--tiles", "hall.obj"]);
    assert!(message.contains("hall.obj"), "{message}");
    for words in [["build", "hall.obj", "-o", "no/a.wmesh"], ["build", "hall.obj", "-o", "hall.obj/a.wmesh"]]
    {
        assert!(fail(folder, 1, &words).contains("a.wmesh"), "{words:?}");
    }
}

#[test]
fn tiles_of_other_settings_scenes_and_versions_are_told() {
    let folder = hall();
    let folder = folder.path();
    done(folder, "build hall.obj --tile 16 --tiles kept");
    let other = ["--cell-size 0.25", "--agent-radius 0.4", "--scale 0.5"];
    for setting in other {
        let words = format!("build hall.obj --tile 16 --tiles kept {setting}");
        let message = fail(folder, 1, &words.split(' ').collect::<Vec<_>>());
        assert!(message.contains("another scene or of other settings"), "{setting}: {message}");
    }
    std::fs::write(folder.join("other.obj"), common::HALL.replace("v 10 3 0", "v 10 3.5 0")).expect("a file");
    let message = fail(folder, 1, &["build", "other.obj", "--tile", "16", "--tiles", "kept"]);
    assert!(message.contains("another scene or of other settings"), "{message}");
    assert!(message.contains("--update"), "{message}");
    let found = fail(folder, 2, &["build", "other.obj", "--update"]);
    assert!(found.contains("--tiles"), "{found}");
    done(folder, "build other.obj -o updated.wmesh --tile 16 --tiles kept --update");
    done(folder, "build other.obj -o whole.wmesh");
    let mesh = |name: &str| std::fs::read(folder.join(name)).expect("a mesh");
    assert!(mesh("updated.wmesh") == mesh("whole.wmesh"));
    done(folder, "build hall.obj --tile 16 --tiles kept --update");
    // The next version.
    let list = folder.join("kept/bake.txt");
    let text = std::fs::read_to_string(&list).expect("a file");
    std::fs::write(&list, text.replacen("tiles 1", "tiles 2", 1)).expect("a file");
    for words in [&["build", "hall.obj", "--tile", "16", "--tiles", "kept"][..], &["merge", "kept"]] {
        let message = fail(folder, 1, words);
        assert!(message.contains("bake.txt") && message.contains("version 2"), "{message}");
    }
    // A tile of the next version counts as missing.
    std::fs::write(&list, text).expect("a file");
    let tile = folder.join("kept/tile_1_1.bin");
    let whole = std::fs::read(&tile).expect("a tile");
    let mut newer = whole.clone();
    newer[7] += 1;
    std::fs::write(&tile, newer).expect("a file");
    assert_eq!(run(folder, &["merge", "kept"]).status.code(), Some(1));
    done(folder, "build hall.obj --tile 16 --tiles kept");
    assert!(std::fs::read(&tile).expect("a tile") == whole);
}

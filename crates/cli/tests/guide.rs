//! Runs the commands of the guide (`docs/book/src`), each page in a separate folder, in the order
//! of the page.
//!
//! - `$ waymesh ...` in a `console` block runs. Its exit code is 0, or the one after `# exit code`.
//!   Commands of other programs and `waymesh view`, which does not end, are left out.
//! - The lines below a command are lines of its output, in order; `...` matches any text.
//! - A block whose first line is `# file: NAME`, also as a comment of XML, is written to that file
//!   before the next command; without that line in JSON.
//! - With `WAYMESH_GUIDE_PICTURES`, pictures that a page writes and shows are copied there.

mod common;

use std::path::{Path, PathBuf};

/// A block of code: what follows the fence, and its lines.
struct Block<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some(Block { language, lines: Vec::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block of code has no end");
    blocks
}

/// Splits a command into words as a shell does: single quotes keep what is between them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for character in command.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(character),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Returns `true` if the line is the pattern, in which `...` matches any text.
fn matches(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Runs the commands of a block and compares what they print. Returns the number of commands.
fn run_block(folder: &Path, name: &str, block: &Block<'_>) -> usize {
    let mut count = 0;
    let mut lines = block.lines.iter().peekable();
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{name}: no command: {line}"));
        let shown: Vec<&str> =
            std::iter::from_fn(|| lines.next_if(|line| !line.starts_with("$ "))).copied().collect();
        let (command, comment) = command.split_once(" # ").unwrap_or((command, ""));
        let words = words(command);
        if words[0] != "waymesh" || words[1] == "view" {
            continue;
        }
        let code = comment.trim().strip_prefix("exit code ").map_or(0, |code| code.parse().expect("a code"));
        let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let output = common::run(folder, &words);
        let said = [output.stderr, output.stdout].map(|bytes| common::text(&bytes)).concat();
        assert_eq!(output.status.code(), Some(code), "{name}: {command}: {said}");
        let mut said_lines = said.lines();
        for expected in shown {
            let is_there = said_lines.any(|line| matches(line.trim(), expected.trim()));
            assert!(is_there, "{name}: {command}: no line `{expected}` in\n{said}");
        }
        count += 1;
    }
    count
}

/// Runs a page and returns the number of commands.
fn run_page(name: &str, page: &str) -> usize {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut count = 0;
    for block in blocks(page) {
        let file = block.lines.first().and_then(|line| {
            line.strip_prefix("# file: ").or_else(|| line.strip_prefix("<!-- file: ")?.strip_suffix(" -->"))
        });
        if let Some(file) = file {
            // JSON has no comments.
            let lines = &block.lines[usize::from(block.language == "json")..];
            std::fs::write(folder.path().join(file), lines.join("\n") + "\n").expect("a file");
        } else if block.language == "console" {
            count += run_block(folder.path(), name, &block);
        }
    }
    if let Some(pictures) = std::env::var_os("WAYMESH_GUIDE_PICTURES") {
        let shown = page.split("](pictures/").skip(1).filter_map(|rest| rest.split(')').next());
        for picture in shown.filter(|picture| folder.path().join(picture).exists()) {
            let to = Path::new(&pictures).join(picture);
            std::fs::copy(folder.path().join(picture), to).expect("a picture");
        }
    }
    count
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src");
    let files = std::fs::read_dir(folder).expect("the pages").map(|entry| entry.expect("a page").path());
    let mut pages: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "md")).collect();
    pages.sort();
    pages
}

#[test]
fn the_commands_of_the_guide_run_as_it_says() {
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let run = |file: PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let page = std::fs::read_to_string(&file).expect("a page");
            scope.spawn(move || run_page(&name, &page))
        };
        let pages: Vec<_> = pages().into_iter().map(run).collect();
        pages.into_iter().map(|page| page.join().expect("the page runs")).collect()
    });
    assert!(counts.iter().sum::<usize>() > 10, "commands of each page: {counts:?}");
}

#[test]
fn lines_are_compared_with_patterns() {
    for (line, pattern, is_match) in [
        ("44 polygons on 1 islands, 61 ms", "44 polygons on 1 islands, ... ms", true),
        ("44 polygons on 1 islands", "44 polygons", false),
        ("44 polygons on 1 islands", "... polygons ... islands", true),
        ("44 polygons on 1 islands", "... polygons ... doors", false),
        ("complete: 5 m", "complete...", true),
        ("partial: 5 m", "complete...", false),
    ] {
        assert_eq!(matches(line, pattern), is_match, "{line} / {pattern}");
    }
    assert_eq!(words("build a.stl --area '*mud*=mud:3'"), ["build", "a.stl", "--area", "*mud*=mud:3"]);
}

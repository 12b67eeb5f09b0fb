//! Links between the Markdown files of the project, and the list of pages of the guide.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folder of the guide's pages.
const PAGES: &str = "docs/book/src";

/// Address of a file of the project, for pages that are read elsewhere.
const REPOSITORY: &str = "https://github.com/waymesh/waymesh/blob/main/";

/// Page with the table of files.
const TABLE: &str = "files.md";

/// Largest picture of the guide, in bytes: what a page loads at once.
const MAX_PICTURE: u64 = 60_000;

/// Checks that relative links of all Markdown files name files that exist, and headings in them;
/// that SUMMARY.md names every page of the guide; and that every picture of the guide is shown.
pub(crate) fn check(root: &Path, files: &[PathBuf], faults: &mut Vec<String>) -> Result<()> {
    let pages = root.join(PAGES);
    let mut linked = BTreeSet::new();
    // The changelog names files as they were.
    let is_page =
        |path: &&PathBuf| path.extension().is_some_and(|it| it == "md") && !path.ends_with("CHANGELOG.md");
    for path in files.iter().filter(is_page) {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let folder = path.parent().unwrap_or(root);
        for link in links(&text) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file.strip_prefix(REPOSITORY) {
                Some(file) => root.join(file),
                None if file.is_empty() => path.clone(),
                None => folder.join(file),
            };
            let Ok(target) = target.canonicalize() else {
                faults.push(format!("{name} links to {link}, which does not exist"));
                continue;
            };
            if !heading.is_empty() && !headings(&fs::read_to_string(&target)?).contains(heading) {
                faults.push(format!("{name} links to {link}, which has no such heading"));
            }
            // Pages outside of the guide would not be in the book.
            let is_page = target.starts_with(pages.canonicalize()?) || file.starts_with(REPOSITORY);
            if path.starts_with(&pages) && !is_page {
                faults.push(format!("{name} links to {link}, which is no part of the guide"));
            }
            let is_picture = target.extension().is_some_and(|ending| ending == "svg" || ending == "png");
            if is_picture || path.ends_with("SUMMARY.md") {
                linked.insert(target);
            }
        }
    }
    let program = fs::read_to_string(root.join("docs/book/lib.rs"))?;
    for path in files.iter().filter(|path| path.starts_with(&pages) && !path.ends_with("SUMMARY.md")) {
        let name = path.strip_prefix(&pages).unwrap_or(path).display().to_string();
        if !linked.contains(&path.canonicalize()?) {
            faults.push(format!("nothing in {PAGES} names {name}"));
        }
        if path.extension().is_some_and(|ending| ending == "md") {
            let has_programs = fs::read_to_string(path)?.contains("```rust");
            if has_programs && !program.contains(&format!("\"src/{name}\"")) {
                faults.push(format!("docs/book/lib.rs does not test the programs of {name}"));
            }
        } else if path.metadata()?.len() > MAX_PICTURE {
            faults.push(format!("{name} has more than {MAX_PICTURE} bytes"));
        }
    }
    check_table(&pages, files, faults)
}

/// Checks that each row of the table of files names a way to read them and a picture that a command
/// of the guide or a Python test draws.
fn check_table(pages: &Path, files: &[PathBuf], faults: &mut Vec<String>) -> Result<()> {
    let draws = |path: &&PathBuf| path.starts_with(pages) || path.extension().is_some_and(|it| it == "py");
    let texts = files.iter().filter(draws).filter_map(|path| fs::read_to_string(path).ok());
    let programs: String = texts.collect();
    let page = fs::read_to_string(pages.join(TABLE))?;
    for row in page.lines().filter(|line| line.starts_with('|')).skip(2) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let picture = row.split("](pictures/").nth(1).and_then(|rest| rest.split(')').next());
        let is_drawn = picture.is_some_and(|it| {
            programs.contains(&format!("--svg {it}\n")) || programs.contains(&format!("picture(\"{it}\""))
        });
        if !is_drawn || cells.get(5).is_none_or(|how| !how.contains('`')) {
            faults.push(format!(
                "{TABLE}: row {:?} has no command or no picture that a test draws",
                cells.get(1)
            ));
        }
    }
    Ok(())
}

/// The lines outside of blocks of code, without spans of code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// The links of a page to files of the project.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let is_ours = |link: &&str| link.starts_with(REPOSITORY) || !link.contains(':');
    targets.filter(is_ours).map(str::to_owned).collect()
}

/// The names by which links reach the headings of a page.
fn headings(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut names = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|it| it.is_alphanumeric() || [' ', '-', '_'].contains(it));
            names.insert(kept.map(|it| if it == ' ' { '-' } else { it }).collect());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{headings, links};

    #[test]
    fn links_and_headings_of_a_page_are_found() {
        let page = "# Doors, and lifts\n[a](b.md#c) `[no](d.md)` ![p](e.svg)\n```text\n# no\n[no](f.md)\n```\n[x](https://g.h)";
        assert_eq!(links(page), ["b.md#c", "e.svg"]);
        assert_eq!(headings(page).into_iter().collect::<Vec<_>>(), ["doors-and-lifts"]);
    }
}

//! Arrows between the files of a crate: none leads back to where it came from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use crate::tidy::{files_under, read};

/// A file as its modules, from the root of its crate; empty for the root itself.
type Module = Vec<String>;

/// The rooms of `graph`, each of which may use those before it.
const ROOMS: [&str; 13] = [
    "geometry",
    "marks",
    "mesh",
    "locate",
    "surface",
    "path",
    "clearance",
    "hierarchy",
    "oracle",
    "source",
    "scratch",
    "query",
    "corridor",
];

/// Crates with arrows that lead in a circle still.
const CIRCULAR: &[&str] = &["bevy", "gpu"];

/// Lists the circles of a crate, and in `graph` each use of a later room.
pub(crate) fn check(root: &Path, name: &str, faults: &mut Vec<String>) -> Result<()> {
    let arrows = Arrows::of(&root.join("crates").join(name).join("src"))?;
    if !CIRCULAR.contains(&name) {
        for circle in arrows.circles() {
            let files: Vec<String> = circle.iter().map(|file| file.join("::")).collect();
            faults.push(format!("crates/{name}: files use each other in a circle: {}", files.join(", ")));
        }
    }
    if name == "graph" {
        let rank =
            |module: &Module| ROOMS.iter().position(|room| module.first().is_some_and(|of| of == room));
        for (from, to) in arrows.all().filter(|(from, to)| !from.is_empty() && rank(from) < rank(to)) {
            faults.push(format!("crates/graph: {} must not use {}", from.join("::"), to.join("::")));
        }
        for file in arrows.files.keys().filter(|file| !file.is_empty() && rank(file).is_none()) {
            faults.push(format!("crates/graph: {} is in no room (xtask/src/modules.rs)", file.join("::")));
        }
    }
    Ok(())
}

/// The files of a crate, each with the files that it uses.
#[derive(Default)]
struct Arrows {
    files: BTreeMap<Module, BTreeSet<Module>>,
}

/// The paths that a file imports, and whether it hands them on.
type Imports = Vec<(bool, Vec<String>)>;

impl Arrows {
    fn of(folder: &Path) -> Result<Self> {
        let mut sources = BTreeMap::new();
        for path in files_under(folder)?.iter().filter(|path| path.extension().is_some_and(|it| it == "rs")) {
            let file = path.strip_prefix(folder).unwrap_or(path).with_extension("");
            let mut module: Module = file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module
                .last()
                .is_some_and(|last| last == "mod" || (module.len() == 1 && (last == "lib" || last == "main")))
            {
                module.pop();
            }
            sources.insert(module, imports(&read(path)?));
        }
        Ok(Self::between(&sources))
    }

    fn between(sources: &BTreeMap<Module, Imports>) -> Self {
        // A facade that re-exports a name does not count as its user.
        let mut names: BTreeMap<(Module, String), Module> = BTreeMap::new();
        for _ in 0..4 {
            for (file, imports) in sources {
                for (_, path) in imports.iter().filter(|(hands_on, _)| *hands_on) {
                    if let (Some(to), Some(last)) = (resolve(file, path, sources, &names), path.last()) {
                        names.insert((file.clone(), last.clone()), to);
                    }
                }
            }
        }
        let uses = |file: &Module, imports: &Imports| {
            let own = imports.iter().filter_map(|(hands_on, path)| {
                let to = resolve(file, path, sources, &names)?;
                let is_facade = *hands_on && to.starts_with(file);
                (to != *file && !to.is_empty() && !is_facade).then_some(to)
            });
            own.collect()
        };
        Self { files: sources.iter().map(|(file, imports)| (file.clone(), uses(file, imports))).collect() }
    }

    fn all(&self) -> impl Iterator<Item = (&Module, &Module)> {
        self.files.iter().flat_map(|(from, uses)| uses.iter().map(move |to| (from, to)))
    }

    /// Sets of two and more files that all lead to each other.
    fn circles(&self) -> Vec<Vec<&Module>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.files.keys().map(|file| (file, self.reached(file))).collect();
        let mut circles: Vec<Vec<&Module>> = Vec::new();
        for file in self.files.keys().filter(|file| reached[file].contains(file)) {
            let is_with = |other: &Module| reached[file].contains(other) && reached[&other].contains(file);
            match circles.iter_mut().find(|circle| is_with(circle[0])) {
                Some(circle) => circle.push(file),
                None => circles.push(vec![file]),
            }
        }
        circles
    }

    fn reached<'a>(&'a self, from: &Module) -> BTreeSet<&'a Module> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Module> = self.files[from].iter().collect();
        while let Some(file) = open.pop() {
            if found.insert(file) {
                open.extend(&self.files[file]);
            }
        }
        found
    }
}

/// Returns the file that a path of another file leads to; `None` for another crate.
fn resolve(
    file: &Module,
    path: &[String],
    sources: &BTreeMap<Module, Imports>,
    names: &BTreeMap<(Module, String), Module>,
) -> Option<Module> {
    let (first, mut rest) = path.split_first()?;
    let mut at = match first.as_str() {
        "crate" => Module::new(),
        "super" => file[..file.len().checked_sub(1)?].to_vec(),
        "self" => file.clone(),
        _ => {
            rest = path;
            file.clone()
        }
    };
    let is_own = ["crate", "super", "self"].contains(&first.as_str());
    let start = at.len();
    for part in rest {
        if part == "super" {
            at.pop();
            continue;
        }
        at.push(part.clone());
        if !sources.contains_key(&at) {
            at.pop();
            return match names.get(&(at.clone(), part.clone())) {
                Some(to) => Some(to.clone()),
                None => (is_own || at.len() > start).then_some(at),
            };
        }
    }
    (is_own || at.len() > start).then_some(at)
}

/// Returns the paths that a source imports or names in full, without those of its tests.
fn imports(source: &str) -> Imports {
    let source = source.split("\nmod tests {").next().unwrap_or_default();
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    // A visibility is no use.
    let source = lines.collect::<Vec<_>>().join("\n").replace("pub(in crate::", "pub(in ");
    let mut found = Imports::new();
    let mut rest = source.as_str();
    let mut code = String::new();
    while let Some(at) = rest.find("use ") {
        let before = rest[..at].trim_end_matches([' ', '\t']);
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let hands_on = line.starts_with("pub");
        let after = &rest[at + 4..];
        let end = after.find(';').unwrap_or(after.len());
        code.push_str(&rest[..at]);
        if line.is_empty() || hands_on {
            expand(&after[..end], &[], &mut |path| found.push((hands_on, path)));
        } else {
            code.push_str(&after[..end]);
        }
        rest = &after[end..];
    }
    code.push_str(rest);
    for word in code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':')) {
        if word.starts_with("crate::") || word.starts_with("super::") {
            found.push((false, word.split("::").map(str::to_owned).collect()));
        }
    }
    found
}

/// Calls `each` with every path of a tree of imports.
fn expand(tree: &str, before: &[String], each: &mut impl FnMut(Vec<String>)) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        let (head, inner) = part.split_once('{').unwrap_or((part, ""));
        let head = head.split(" as ").next().unwrap_or_default();
        let names = head.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let path: Vec<String> = before.iter().cloned().chain(names).collect();
        match inner.rsplit_once('}') {
            Some((inner, _)) => expand(inner, &path, each),
            None => each(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(files: &[(&str, &str)]) -> Arrows {
        let module =
            |name: &str| name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Arrows::between(&files.iter().map(|(name, source)| (module(name), imports(source))).collect())
    }

    #[test]
    fn circles_are_found_through_facades_and_full_paths() {
        let facade = ("room", "mod a;\nmod b;\npub use a::One;\n");
        let a = ("room::a", "use super::b::{self, Two};\n");
        let other = "fn f() -> crate::room::One { todo() }\n";
        let found = arrows(&[facade, a, ("room::b", "use crate::other::Three;\n"), ("other", other)]);
        let circles = found.circles();
        assert_eq!(circles.len(), 1);
        assert_eq!(circles[0].len(), 3);
        assert!(!circles[0].iter().any(|file| file.len() == 1 && file[0] == "room"));
    }

    #[test]
    fn tests_comments_and_other_crates_are_no_arrows() {
        let a = "use std::a::B;\n// use crate::b;\npub(in crate::b) struct X;\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n    \
                 use crate::b::C;\n}\n";
        let found = arrows(&[("a", a), ("b", "use crate::a::X;\n")]);
        assert!(found.circles().is_empty());
        assert_eq!(found.all().count(), 1);
    }
}

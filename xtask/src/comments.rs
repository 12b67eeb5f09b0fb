//! Checks of comments in Rust, JavaScript and TypeScript.

/// Longest comment, from its slashes on. Code in docs, tables and addresses may be wider.
const MAX_WIDTH: usize = 100;

/// Widest line of Markdown outside of tables, code and links.
const MAX_MARKDOWN_WIDTH: usize = 120;

/// Beginnings of a doc comment that has no noun to begin with: "What a mesh keeps" is a cache.
const HEADLESS: [&str; 13] = [
    "What", "How", "Where", "Which", "Who", "Whose", "Whether", "Those", "The same", "Of", "In what", "Not",
    "Nowhere",
];

/// Names of constants that do not say what of.
const NOUNLESS: [&str; 6] = ["NONE", "MOST", "FEW", "LONG", "PORTION", "SAME"];

/// Doc comments of all sources: their number, and the places of those that begin with [`HEADLESS`].
#[derive(Debug, Default)]
pub(crate) struct Docs {
    count: usize,
    headless: Vec<String>,
}

impl Docs {
    /// Counts the doc comments of a source, and adds a fault for each constant without a noun.
    pub(crate) fn note(&mut self, name: &str, text: &str, faults: &mut Vec<String>) {
        let mut was_doc = false;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(words) = doc.filter(|_| !was_doc).map(str::trim_start) {
                self.count += 1;
                let begins = |start: &&str| {
                    let rest = words.strip_prefix(*start);
                    rest.is_some_and(|rest| rest.starts_with([' ', '.', ',']) && !rest.starts_with(" course"))
                };
                if HEADLESS.iter().any(begins) {
                    self.headless.push(format!("{name}:{}: {words}", index + 1));
                }
            }
            was_doc = doc.is_some();
            let item =
                if line.starts_with("pub") { line.split_once(' ').unwrap_or_default().1 } else { line };
            let constant = item.strip_prefix("const ").and_then(|rest| rest.split(':').next());
            if let Some(constant) = constant.filter(|constant| NOUNLESS.contains(constant)) {
                faults.push(format!("{name}:{}: the constant {constant} does not say what of", index + 1));
            }
        }
    }

    /// Adds a fault for each headless doc comment if they are more than 1 % of all.
    pub(crate) fn check(&self, faults: &mut Vec<String>) {
        if self.headless.len() * 100 > self.count {
            let places = self.headless.iter();
            faults
                .extend(places.map(|place| format!("{place}\n    begins without a noun; write what it is")));
        }
    }
}

/// Adds a fault for every line of Markdown that is too wide.
pub(crate) fn check_markdown(name: &str, text: &str, faults: &mut Vec<String>) {
    let mut is_code = false;
    for (index, line) in text.lines().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let is_free =
            is_code || line.trim_start().starts_with('|') || line.contains("](") || line.contains("://");
        let width = line.chars().count();
        if width > MAX_MARKDOWN_WIDTH && !is_free {
            faults
                .push(format!("{name}:{}: {width} characters, the limit is {MAX_MARKDOWN_WIDTH}", index + 1));
        }
        // A registry shows the README of a crate outside of its folder.
        if name.starts_with("crates/") && name.ends_with("README.md") && line.contains("](../") {
            faults.push(format!("{name}:{}: a link out of the crate; write the address", index + 1));
        }
    }
}

/// Adds a fault for every comment that is too wide, and for every sentence of a doc that starts
/// with "Whether".
pub(crate) fn check(name: &str, text: &str, faults: &mut Vec<String>) {
    let (mut is_code, mut is_block) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        is_block |= line.starts_with("/*");
        let is_comment = is_block || line.starts_with("//");
        is_block &= !line.ends_with("*/");
        if !is_comment {
            is_code = false;
            continue;
        }
        let words = line.trim_start_matches(['/', '!', '*']).trim_start();
        if words.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let place = format!("{name}:{}", index + 1);
            let width = line.chars().count();
            if width > MAX_WIDTH && !words.starts_with('|') && !words.contains("://") {
                faults.push(format!("{place} is a comment of {width} characters, the limit is {MAX_WIDTH}"));
            }
            if words.starts_with("Whether ") && (line.starts_with("///") || line.starts_with("//!")) {
                faults.push(format!("{place} starts with \"Whether\"; write \"`true` if ...\""));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Docs, check, check_markdown};

    fn faults(text: &str) -> usize {
        let mut faults = Vec::new();
        check("a.rs", text, &mut faults);
        faults.len()
    }

    #[test]
    fn wide_comments_are_found_but_for_code_tables_and_addresses() {
        let long = "word ".repeat(25);
        assert_eq!(faults(&format!("/// {long}\nfn f() {{}} // {long}\n//! {long}\n    // {long}")), 3);
        assert_eq!(faults(&format!("/// ```\n/// {long}\n/// ```\n/// | {long} |\n// https://{long}")), 0);
        assert_eq!(faults(&format!("/// ```text\nfn f() {{}}\n/// {long}")), 1);
    }

    #[test]
    fn comments_between_stars_are_looked_at() {
        let long = "word ".repeat(25);
        assert_eq!(faults(&format!("/** {long} */\nlet a; // {long}")), 1);
        assert_eq!(faults(&format!("/**\n * {long}\n */\nlet {long}")), 1);
    }

    #[test]
    fn docs_begin_with_a_noun_and_constants_say_what_of() {
        let (mut docs, mut faults) = (Docs::default(), Vec::new());
        docs.note("a.rs", "/// What it has.\n/// What else.\nstruct A;\n//! Notes.\n", &mut faults);
        docs.note("a.rs", "/// Of course.\n\n/// Not.\npub(crate) const NONE: u8 = 0;\n", &mut faults);
        docs.note("a.rs", "const MOST_POINTS: u8 = 1;\nlet a = NONE;\nconst SAME: f64 = 1.0;\n", &mut faults);
        assert_eq!((docs.count, docs.headless.len(), faults.len()), (4, 2, 2));
        docs.check(&mut faults);
        assert_eq!(faults.len(), 4);
        docs.count = 200;
        docs.check(&mut faults);
        assert_eq!(faults.len(), 4);
    }

    #[test]
    fn wide_markdown_and_links_out_of_crates_are_found() {
        let long = "word ".repeat(30);
        let mut faults = Vec::new();
        check_markdown(
            "a.md",
            &format!("{long}\n| {long} |\n[{long}](b)\n```\n{long}\n```\n{long}"),
            &mut faults,
        );
        assert_eq!(faults.len(), 2);
        check_markdown("crates/a/README.md", "[a](../../b.md) [b](b.md)", &mut faults);
        check_markdown("docs/a.md", "[a](../b.md)", &mut faults);
        assert_eq!(faults.len(), 3);
    }

    #[test]
    fn docs_do_not_start_with_whether() {
        assert_eq!(
            faults("/// Whether it is open.\n// Whether it is open decides.\n/// `true` if it is open."),
            1
        );
    }
}

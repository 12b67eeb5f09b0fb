//! Checks of comments in Rust, JavaScript and TypeScript.

/// Longest comment, from its slashes on. Code in docs, tables and addresses may be wider.
const MAX_WIDTH: usize = 100;

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
    use super::check;

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
    fn docs_do_not_start_with_whether() {
        assert_eq!(
            faults("/// Whether it is open.\n// Whether it is open decides.\n/// `true` if it is open."),
            1
        );
    }
}

//! Data files of words and phrases: `*.txt` files next to the module that uses them.
//!
//! A file has one entry per line. `[name]` begins a table; lines that start with `# ` and blank lines are ignored.
//! Blanks at the ends of a line are removed, except inside double quotes: `"order "` matches only before another word.
//! Quotes also protect an entry that starts with `[`, `#` or `"`.

use std::sync::LazyLock;

/// The entries of one table, parsed on first use.
pub(crate) type WordTable = LazyLock<Vec<&'static str>>;

/// Returns the entries of a table, in the order of the file. Panics if the file has no such table, which a test of each
/// module rules out.
pub(crate) fn table(file: &'static str, name: &str) -> Vec<&'static str> {
    let entries: Vec<&'static str> =
        entries(file).filter(|(table, _)| *table == name).map(|(_, entry)| entry).collect();
    assert!(!entries.is_empty(), "the word list must have the table [{name}]");
    entries
}

/// Returns each entry of a file with the name of its table.
fn entries(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut table = "";
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# ")).filter_map(move |line| {
        if let Some(name) = between(line, '[', ']') {
            table = name;
            return None;
        }
        Some((table, between(line, '"', '"').unwrap_or(line)))
    })
}

fn between(line: &str, open: char, close: char) -> Option<&str> {
    line.strip_prefix(open)?.strip_suffix(close)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All word lists of the crate.
    const FILES: [(&str, &str); 19] = [
        ("autoreply/subjects", include_str!("autoreply/subjects.txt")),
        ("bounce/phrases", include_str!("bounce/phrases.txt")),
        ("extract/labels", include_str!("extract/labels.txt")),
        ("extract/phrases", include_str!("extract/phrases.txt")),
        ("extract/signatures", include_str!("extract/signatures.txt")),
        ("parse/charset/words", include_str!("parse/charset/words.txt")),
        ("report/phrases", include_str!("report/phrases.txt")),
        ("thread/prefixes", include_str!("thread/prefixes.txt")),
        ("verification/words/african", include_str!("verification/words/african.txt")),
        ("verification/words/answers", include_str!("verification/words/answers.txt")),
        ("verification/words/asian", include_str!("verification/words/asian.txt")),
        ("verification/words/eastern", include_str!("verification/words/eastern.txt")),
        ("verification/words/european", include_str!("verification/words/european.txt")),
        ("verification/words/germanic", include_str!("verification/words/germanic.txt")),
        ("verification/words/links", include_str!("verification/words/links.txt")),
        ("verification/words/passwords", include_str!("verification/words/passwords.txt")),
        ("verification/words/romance", include_str!("verification/words/romance.txt")),
        ("verification/words/sentences", include_str!("verification/words/sentences.txt")),
        ("verification/words/slavic", include_str!("verification/words/slavic.txt")),
    ];

    #[test]
    fn tables_comments_and_quotes_are_parsed() {
        let file = "# A comment.\n\n[one]\n a phrase \n\"order \"\n#5.1.0\n[two]\n\"[bl21]\"\n\"\"quoted\"\"\n";
        assert_eq!(table(file, "one"), ["a phrase", "order ", "#5.1.0"]);
        assert_eq!(table(file, "two"), ["[bl21]", "\"quoted\""]);
    }

    #[test]
    fn every_entry_is_in_a_table_once_and_in_the_form_that_is_compared() {
        for (name, file) in FILES {
            let mut seen = std::collections::HashSet::new();
            let mut tables = std::collections::HashSet::new();
            for line in file.lines().filter_map(|line| between(line, '[', ']')) {
                assert!(tables.insert(line), "{name}.txt: [{line}] occurs twice");
                assert!(!table(file, line).is_empty(), "{name}.txt: [{line}]");
            }
            for (table, entry) in entries(file) {
                assert!(!table.is_empty(), "{name}.txt: {entry:?} is above the first table");
                assert!(seen.insert((table, entry)), "{name}.txt: [{table}] has {entry:?} twice");
                assert!(!entry.trim().is_empty(), "{name}.txt: [{table}] has an empty entry");
                let is_lower = entry.to_lowercase() == entry;
                assert!(is_lower || table == "closings", "{name}.txt: {entry:?} is not in lower case");
            }
        }
    }
}

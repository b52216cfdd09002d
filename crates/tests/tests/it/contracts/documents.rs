//! The documents hold what the code holds: the tables of errors, of bounces, of records and of SMTP replies, and links that
//! lead somewhere.
//!
//! The table of configuration keys is tested beside its source, the commands of the pages in `readme`.

use std::path::{Path, PathBuf};

use posthouse_domain::{error::Code, mail_domain::RecordKey};
use posthouse_mail::bounce::Class;
use posthouse_server::config::{Sources, load};
use posthouse_tests::dir::ScratchDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_table_of_errors_is_the_enum() {
    let mut table = "| Status | Code | Meaning | What to do |\n|---|---|---|---|\n".to_owned();
    for code in Code::ALL {
        table.push_str(&format!("| {} | `{}` | {} | {} |\n", code.status(), code.text(), code.meaning(), code.fix()));
    }
    let written = std::fs::read_to_string(root().join("docs/ERRORS.md")).unwrap_or_default();
    assert!(written.contains(&table), "docs/ERRORS.md does not hold the table of errors, which is now:\n\n{table}");
}

fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect(path)
}

/// The words in backquotes of the first cells of a page's tables.
fn first_cells(text: &str) -> Vec<String> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_class_of_bounces_stands_in_both_tables() {
    for path in ["docs/journeys/bounces.md", "docs/troubleshooting.md"] {
        let cells = first_cells(&page(path));
        for class in Class::ALL {
            assert!(cells.iter().any(|cell| cell == class.text()), "{path} has no row for {}", class.text());
        }
    }
}

#[test]
fn every_record_of_a_domain_stands_in_its_table() {
    let cells = first_cells(&page("docs/journeys/domain-checks.md"));
    for key in RecordKey::ALL {
        assert!(cells.iter().any(|cell| cell == key.text()), "no row for {}", key.text());
    }
}

/// The refusals that the sources of a folder say: code and enhanced code.
fn refusals(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("sources").map(|entry| entry.expect("sources").path()) {
        if entry.is_dir() {
            found.extend(refusals(&entry));
            continue;
        }
        let text = std::fs::read_to_string(&entry).expect("a source can be read");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (before, after) in text.match_indices(", EnhancedCode(").map(|(at, _)| text.split_at(at)) {
            let code = &before[before.len() - 3..];
            let digits = after.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a constant").0;
            let is_test = entry.file_stem().is_some_and(|name| name == "tests");
            if code.starts_with(['4', '5']) && code.bytes().all(|b| b.is_ascii_digit()) && !is_test {
                found.push((code.to_owned(), digits.replace(", ", ".")));
            }
        }
    }
    found
}

#[test]
fn every_refusal_of_smtp_is_explained() {
    let text = page("docs/troubleshooting.md");
    let (ours, _) = text.split_once("## What others answer").expect("two tables");
    let cells = first_cells(ours);
    let folders = ["../mail/src/smtp", "../server/src/smtp"];
    let said: Vec<(String, String)> =
        folders.iter().flat_map(|folder| refusals(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))).collect();
    assert!(said.len() > 20, "the replies are not where they were: {said:?}");
    for (code, enhanced) in said {
        let whole = format!("{code} {enhanced}");
        let is_explained = cells.iter().any(|cell| *cell == code || cell.starts_with(&whole));
        assert!(is_explained, "docs/troubleshooting.md has no row for {whole}");
    }
}

#[test]
fn links_between_the_documents_lead_somewhere() {
    let mut pages = Vec::new();
    for folder in ["", "docs", "docs/journeys"] {
        let listed = std::fs::read_dir(root().join(folder)).expect(folder);
        let paths = listed.map(|entry| entry.expect("a folder can be listed").path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    assert!(pages.len() > 10, "the documents are not where they were: {pages:?}");
    let mut broken = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page can be read");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let is_elsewhere = file.is_empty() || file.contains("://");
            if !is_elsewhere && !page.with_file_name(file).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to nowhere:\n{}", broken.join("\n"));
}

#[test]
fn configurations_in_the_documents_are_accepted() {
    let dir = ScratchDir::new();
    let mut count = 0;
    for page in ["README.md", "docs/OPERATING.md", "docs/CONFIGURATION.md", "docs/journeys/own-domain.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect(page);
        for block in text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let file = dir.path().join("posthouse.toml");
            std::fs::write(&file, block).expect("the directory can be written");
            let loaded = load(&Sources { file: Some(file), ..Sources::default() });
            assert!(
                loaded.is_ok(),
                "{page}: {}\nin:\n{block}",
                loaded.err().map(|e| e.to_string()).unwrap_or_default()
            );
            count += 1;
        }
    }
    assert!(count >= 3, "the documents show configurations: {count}");
}

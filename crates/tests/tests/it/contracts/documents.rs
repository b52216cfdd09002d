//! The documents match the code: the tables of errors, bounces, records and SMTP replies are complete.
//!
//! The page of configuration keys is tested beside its source, the commands of the pages in `readme`.

use std::path::{Path, PathBuf};

use posthouse_app::extraction::schemas::DataSchema;
use posthouse_domain::{error::ErrorCode, mail_domain::DnsRecordKey};
use posthouse_mail::bounce::BounceClass;
use posthouse_server::config::{Sources, load};
use posthouse_tests::dir::ScratchDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_error_table_matches_the_enum() {
    let mut table = "| Status | Code | Meaning | What to do |\n|---|---|---|---|\n".to_owned();
    for code in ErrorCode::ALL {
        table.push_str(&format!("| {} | `{}` | {} | {} |\n", code.status(), code.text(), code.meaning(), code.fix()));
    }
    let written = std::fs::read_to_string(root().join("docs/reference/errors.md")).unwrap_or_default();
    assert!(
        written.contains(&table),
        "docs/reference/errors.md does not contain the error table, which is:\n\n{table}"
    );
}

fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect(path)
}

/// Returns the code spans in the first cells of a page's tables.
fn first_cells(text: &str) -> Vec<String> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_bounce_class_has_a_row_in_both_tables() {
    for path in ["docs/guides/bounces.md", "docs/troubleshooting.md"] {
        let cells = first_cells(&page(path));
        for class in BounceClass::ALL {
            assert!(cells.iter().any(|cell| cell == class.text()), "{path} has no row for {}", class.text());
        }
    }
}

#[test]
fn every_domain_record_has_a_row_in_its_table() {
    let cells = first_cells(&page("docs/guides/domain-checks.md"));
    for key in DnsRecordKey::ALL {
        assert!(cells.iter().any(|cell| cell == key.text()), "no row for {}", key.text());
    }
}

/// Returns the code and enhanced code of each refusal in the sources of a folder.
fn refusals(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("sources").map(|entry| entry.expect("sources").path()) {
        if entry.is_dir() {
            found.extend(refusals(&entry));
            continue;
        }
        let text = std::fs::read_to_string(&entry).expect("a source can be read");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (before, after) in text.match_indices(", EnhancedStatusCode(").map(|(at, _)| text.split_at(at)) {
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
fn every_smtp_refusal_is_explained() {
    let text = page("docs/troubleshooting.md");
    let (ours, _) = text.split_once("## Replies of other servers").expect("two tables");
    let cells = first_cells(ours);
    let folders = ["../mail/src/smtp", "../server/src/smtp"];
    let replies: Vec<(String, String)> =
        folders.iter().flat_map(|folder| refusals(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))).collect();
    assert!(replies.len() > 20, "the search for replies finds too few: {replies:?}");
    for (code, enhanced) in replies {
        let whole = format!("{code} {enhanced}");
        let is_explained = cells.iter().any(|cell| *cell == code || cell.starts_with(&whole));
        assert!(is_explained, "docs/troubleshooting.md has no row for {whole}");
    }
}

#[test]
fn configurations_in_the_documents_are_accepted() {
    let dir = ScratchDir::new();
    let mut count = 0;
    for page in
        ["docs/tutorial.md", "docs/OPERATING.md", "docs/reference/configuration.md", "docs/guides/own-domain.md"]
    {
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
    assert!(count >= 3, "too few configurations in the documents: {count}");
}

/// Returns whether a path of a page exists: `domain/src/page.rs` below `crates`, or `app/jobs/index` below the crate's
/// `src` and without its ending.
fn names_a_file(span: &str, krate: &str, rest: &str) -> bool {
    let paths = [span.to_owned(), format!("{krate}/src/{rest}"), format!("{krate}/src/{rest}.rs")];
    paths.iter().any(|path| root().join("crates").join(path).exists())
}

#[test]
fn source_files_in_the_documents_exist() {
    const CRATES: &[&str] = &[
        "mail",
        "domain",
        "store",
        "api",
        "app",
        "call",
        "operations",
        "http",
        "mcp",
        "pages",
        "client",
        "server",
        "tests",
    ];
    let mut count = 0;
    for path in ["docs/ARCHITECTURE.md", "docs/FLOWS.md", "docs/STORAGE.md", "docs/LOGGING.md", "docs/THREAT_MODEL.md"]
    {
        for span in page(path).split('`').skip(1).step_by(2) {
            let is_pattern = span.contains(['<', ' ', '\n']) || span.contains("NNNN");
            let Some((krate, rest)) = span.split_once('/') else { continue };
            if CRATES.contains(&krate) && !is_pattern {
                assert!(names_a_file(span, krate, rest), "{path} names {span}, which doesn't exist");
                count += 1;
            }
        }
    }
    assert!(count > 60, "the search for source files finds too few: {count}");
}

/// Set to write the page of schemas instead of comparing it.
const WRITE: &str = "POSTHOUSE_WRITE_PAGES";

#[test]
fn the_page_of_schemas_has_the_built_in_ones() {
    let mut text =
        "# Schemas of structured data\n\nThe built-in schemas of [structured data](files.md#structured-data), as JSON \
        Schema. Every member is there, and null if the\ndocument doesn't have it. The page is generated.\n"
            .to_owned();
    for schema in [DataSchema::Invoice, DataSchema::Receipt, DataSchema::TaxForm] {
        let json = serde_json::to_string_pretty(&schema.json()).expect("JSON");
        text.push_str(&format!("\n## {}\n\n```json\n{json}\n```\n", schema.name()));
    }
    let path = "docs/reference/schemas.md";
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(root().join(path), &text).expect(path);
    }
    assert!(page(path) == text, "{path} differs: run the test with {WRITE}=1");
}

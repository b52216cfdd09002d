//! The documents hold what the code holds: the table of errors, and links that lead somewhere.
//!
//! The table of configuration keys is tested beside its source, the commands of the pages in `readme`.

use std::path::{Path, PathBuf};

use posthouse_domain::error::Code;
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
    for page in ["README.md", "docs/OPERATING.md", "docs/CONFIGURATION.md"] {
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

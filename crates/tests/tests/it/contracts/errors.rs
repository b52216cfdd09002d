//! Every error code appears in a test of this suite, or in the list of pending codes.
//!
//! A test covers a code with `.error("code")`; `.invalid_fields(…)` covers `invalid_request`. The list may only shrink.

use posthouse_domain::error::ErrorCode;
use std::{collections::BTreeSet, path::Path};

/// Codes without a test yet, each with its issue number.
const PENDING: &[(&str, u32)] = &[];
/// Codes of errors before routing, which tests read from a raw connection.
const RAW: &[&str] = &["header_too_large"];

/// Returns the codes that the suite covers.
fn covered_codes() -> BTreeSet<String> {
    let mut texts = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), &mut texts);
    let call = [".error", "(\""].concat();
    let mut covered_codes: BTreeSet<String> = RAW
        .iter()
        .filter(|code| texts.iter().any(|text| text.contains(&format!("\"431\", \"{code}\""))))
        .map(|code| (*code).to_owned())
        .collect();
    for text in &texts {
        let codes = text.split(&call).skip(1).filter_map(|rest| rest.split('"').next());
        covered_codes.extend(codes.map(str::to_owned));
        if text.contains(&[".invalid_fields", "("].concat()) {
            covered_codes.insert("invalid_request".to_owned());
        }
    }
    covered_codes
}

fn read(folder: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_error_code_is_covered_by_a_test_or_pending() {
    let covered_codes = covered_codes();
    for code in ErrorCode::ALL {
        let text = code.text();
        let pending = PENDING.iter().any(|(name, _)| *name == text);
        assert!(
            covered_codes.contains(text) || pending,
            "no test covers {text}: write one that ends with .error(\"{text}\")"
        );
    }
}

#[test]
fn pending_codes_exist() {
    for (name, issue) in PENDING {
        assert!(ErrorCode::ALL.iter().any(|code| code.text() == *name), "{name} (issue {issue}) is not in the table");
    }
}

/// A change that adds a test removes its code from the list. Only CI enforces this.
#[test]
fn covered_codes_are_not_pending() {
    let covered_codes = covered_codes();
    let stale: Vec<_> = PENDING.iter().filter(|(name, _)| covered_codes.contains(*name)).collect();
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        assert!(stale.is_empty(), "remove these from the list: {stale:?}");
    } else if !stale.is_empty() {
        eprintln!("remove these from the list: {stale:?}");
    }
}

/// People read the fix of an error in the dashboard. The API writes its own parts in backticks, and the dashboard replaces such
/// a fix.
#[test]
fn people_are_shown_no_parts_of_the_api() {
    let fixes = include_str!("../../../../../web/src/lib/fixes.ts");
    for code in ErrorCode::ALL.iter().filter(|code| code.fix().contains('`')) {
        let entry = format!("\n  {}:", code.text());
        assert!(fixes.contains(&entry), "web/src/lib/fixes.ts has no text for {}", code.text());
    }
    let table = fixes.split("};").next().unwrap();
    assert!(!table.contains('`'), "web/src/lib/fixes.ts has a text with parts of the API");
}

//! Every error of the table is met by a test of this suite, or named here with the issue that will bring one.
//!
//! A test meets a code by `.error("code")`; `.invalid_fields(…)` meets `invalid_request`. The list below only shrinks.

use posthouse_domain::error::Code;
use std::{collections::BTreeSet, path::Path};

/// Codes without a test yet, with their issue.
const PENDING: &[(&str, u32)] = &[];
/// Codes that come before any route, so that a test reads them from a raw connection.
const RAW: &[&str] = &["header_too_large"];

/// The codes that the suite meets.
fn met() -> BTreeSet<String> {
    let mut texts = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), &mut texts);
    let call = [".error", "(\""].concat();
    let mut met: BTreeSet<String> = RAW
        .iter()
        .filter(|code| texts.iter().any(|text| text.contains(&format!("\"431\", \"{code}\""))))
        .map(|code| (*code).to_owned())
        .collect();
    for text in &texts {
        let codes = text.split(&call).skip(1).filter_map(|rest| rest.split('"').next());
        met.extend(codes.map(str::to_owned));
        if text.contains(&[".invalid_fields", "("].concat()) {
            met.insert("invalid_request".to_owned());
        }
    }
    met
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
fn every_code_is_met_by_a_test_or_pending() {
    let met = met();
    for code in Code::ALL {
        let text = code.text();
        let pending = PENDING.iter().any(|(name, _)| *name == text);
        assert!(met.contains(text) || pending, "no test meets {text}: write one that ends with .error(\"{text}\")");
    }
}

#[test]
fn the_list_of_pending_codes_names_codes() {
    for (name, issue) in PENDING {
        assert!(Code::ALL.iter().any(|code| code.text() == *name), "{name} (issue {issue}) is not in the table");
    }
}

/// A change that brings a test takes its code off the list; the gate holds it to that.
#[test]
fn what_is_met_is_not_pending() {
    let met = met();
    let stale: Vec<_> = PENDING.iter().filter(|(name, _)| met.contains(*name)).collect();
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        assert!(stale.is_empty(), "take these off the list: {stale:?}");
    } else if !stale.is_empty() {
        eprintln!("take these off the list: {stale:?}");
    }
}

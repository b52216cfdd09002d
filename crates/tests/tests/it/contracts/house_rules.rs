//! The rules of the house, kept by reading the source tree: sizes, imports, homes, names, dependencies.
//!
//! Each rule is a row: a name, a check over one source file, what to do instead, and small samples that must and must
//! not be found. A rule without a sample that fails it is refused, so every rule is known to bite.
//! Source: `docs/ARCHITECTURE.md`, "Rules kept by a test".

mod dependencies;
mod homes;
mod layers;
mod names;
mod paths;
mod sizes;
mod source;
mod words;

use source::Source;
use std::path::{Path, PathBuf};

/// One rule over one source file.
struct Rule {
    /// Short name, as the message shows it.
    name: &'static str,
    /// What to do instead.
    advice: &'static str,
    /// Finds the offences in one file.
    check: fn(&Source) -> Vec<Hit>,
    /// Samples, as (path, text), in which the rule must find something.
    found_in: &'static [(&'static str, &'static str)],
    /// Samples in which the rule must find nothing.
    absent_in: &'static [(&'static str, &'static str)],
}

/// One offence: the line (from 1) and what stands there.
struct Hit {
    line: usize,
    what: String,
}

impl Hit {
    fn new(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { line, what }
    }
}

/// Every rule over single files.
fn rules() -> impl Iterator<Item = &'static Rule> {
    [sizes::RULES, layers::RULES, homes::RULES, names::RULES, words::RULES].into_iter().flatten()
}

/// The root of the repository.
fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}

/// Every Rust file of the repository, production and test.
fn sources() -> Vec<Source> {
    let root = repository();
    let mut files = Vec::new();
    for folder in ["crates", "fuzz", "bench"] {
        rust_files(&root.join(folder), &mut files);
    }
    files.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&path).unwrap();
        Source::read(&name, &text).unwrap_or_else(|why| panic!("{name}: {why}"))
    };
    files.into_iter().map(read).collect()
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap();
            if !["target", "node_modules", "corpus", "artifacts"].iter().any(|skipped| name == *skipped) {
                rust_files(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_source_file_keeps_every_rule() {
    let mut complaints = Vec::new();
    for source in sources() {
        for rule in rules() {
            for hit in (rule.check)(&source) {
                complaints
                    .push(format!("{}:{}: {} [{}]\n    {}", source.path, hit.line, hit.what, rule.name, rule.advice));
            }
        }
    }
    let count = complaints.len();
    assert!(complaints.is_empty(), "{count} offences against the rules of the house:\n{}", complaints.join("\n"));
}

#[test]
fn every_rule_finds_what_it_must_and_nothing_else() {
    for rule in rules() {
        assert!(!rule.found_in.is_empty(), "{} has no sample that fails it", rule.name);
        for (path, text) in rule.found_in {
            let source = Source::read(path, text).unwrap();
            assert!(!(rule.check)(&source).is_empty(), "{} finds nothing in {path}: {text}", rule.name);
        }
        for (path, text) in rule.absent_in {
            let source = Source::read(path, text).unwrap();
            let hit = (rule.check)(&source).pop().map(|hit| hit.what);
            assert_eq!(hit, None, "{} should find nothing in {path}: {text}", rule.name);
        }
    }
}

#[test]
fn rule_names_are_unique() {
    let mut names: Vec<_> = rules().map(|rule| rule.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

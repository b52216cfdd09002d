//! Layout rules, checked by reading the source tree: sizes, imports, allowed locations, names, dependencies.
//!
//! Each rule is a row: a name, a check over one source file, what to do instead, and small samples that must fail and
//! must pass. Every rule needs a failing sample, so that every rule is known to work. See `docs/ARCHITECTURE.md`,
//! "Rules kept by a test".

mod blocking_work;
mod dependencies;
mod docs;
mod error_page;
mod homes;
mod language;
mod layers;
mod module_graph;
mod names;
mod operation_paths;
mod parameters;
mod paths;
mod sizes;
mod source;
mod words;

use source::SourceFile;
use std::path::{Path, PathBuf};

/// One rule over one source file.
struct Rule {
    /// The short name in messages.
    name: &'static str,
    /// What to do instead.
    advice: &'static str,
    /// Finds the violations in one file.
    check: fn(&SourceFile) -> Vec<Violation>,
    /// Samples, as (path, text), that violate the rule.
    fails: &'static [(&'static str, &'static str)],
    /// Samples that don't violate the rule.
    passes: &'static [(&'static str, &'static str)],
}

/// A violation: its line, counted from 1, and a description.
struct Violation {
    line: usize,
    what: String,
}

impl Violation {
    fn new(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { line, what }
    }
}

/// Returns every rule over single files.
fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        sizes::RULES,
        layers::RULES,
        homes::RULES,
        names::RULES,
        docs::RULES,
        operation_paths::RULES,
        parameters::RULES,
        words::RULES,
    ]
    .into_iter()
    .flatten()
}

/// Returns the root of the repository.
fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}

/// Returns every Rust file of the repository, production and test.
fn sources() -> Vec<SourceFile> {
    let root = repository();
    let mut files = Vec::new();
    for folder in ["crates", "fuzz", "bench"] {
        rust_files(&root.join(folder), &mut files);
    }
    files.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&path).unwrap();
        SourceFile::read(&name, &text).unwrap_or_else(|why| panic!("{name}: {why}"))
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
fn every_source_file_follows_every_rule() {
    let mut violations = Vec::new();
    for source in sources() {
        for rule in rules() {
            for violation in (rule.check)(&source) {
                violations.push(format!(
                    "{}:{}: {} [{}]\n    {}",
                    source.path, violation.line, violation.what, rule.name, rule.advice
                ));
            }
        }
    }
    let count = violations.len();
    assert!(violations.is_empty(), "{count} violations of the layout rules:\n{}", violations.join("\n"));
}

#[test]
fn every_rule_rejects_its_failing_samples_and_accepts_the_others() {
    for rule in rules() {
        assert!(!rule.fails.is_empty(), "{} has no sample that fails it", rule.name);
        for (path, text) in rule.fails {
            let source = SourceFile::read(path, text).unwrap();
            assert!(!(rule.check)(&source).is_empty(), "{} finds nothing in {path}: {text}", rule.name);
        }
        for (path, text) in rule.passes {
            let source = SourceFile::read(path, text).unwrap();
            let violation = (rule.check)(&source).pop().map(|violation| violation.what);
            assert_eq!(violation, None, "{} should find nothing in {path}: {text}", rule.name);
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

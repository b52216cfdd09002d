//! Every use of the blocking pool is listed with its class in one place: the documentation of the pool, beside the bound of
//! each class.

use std::collections::BTreeSet;

use super::source::SourceFile;

const POOL: &str = "crates/app/src/limits/blocking_pool.rs";

/// A file that runs work of a class.
type Use = (String, String);

/// Returns the classes of work in a file: each `WorkClass::Name`, and work on mail from outside, which has one method.
fn uses_in(source: &SourceFile) -> BTreeSet<Use> {
    let file = source.path.trim_start_matches("crates/").to_owned();
    let tokens: Vec<_> = source.tokens.iter().filter(|token| !token.in_test).collect();
    let named = tokens.windows(3).filter(|part| part[0].is("WorkClass") && part[1].is("::"));
    let named = named.map(|part| part[2].text.clone());
    let receipts = tokens.windows(2).filter(|part| part[0].is("run_receipt") && part[1].is("("));
    named.chain(receipts.map(|_| "Receive".to_owned())).map(|class| (class, file.clone())).collect()
}

/// Returns the uses that a list names: `//! - Class: `file`, `file`,` with further lines below.
fn listed_in(text: &str) -> BTreeSet<Use> {
    let mut class = None;
    let mut listed = BTreeSet::new();
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        if let Some((name, _)) = line.strip_prefix(" - ").and_then(|item| item.split_once(": ")) {
            class = Some(name.to_owned());
        } else if !line.starts_with("   ") {
            class = None;
        }
        if let Some(class) = &class {
            listed.extend(line.split('`').skip(1).step_by(2).map(|file| (class.clone(), file.to_owned())));
        }
    }
    listed
}

#[test]
fn every_use_of_the_blocking_pool_is_listed_with_its_class() {
    let sources = super::sources();
    let pool = sources.iter().find(|source| source.path == POOL).expect("the pool");
    let is_product = |source: &&SourceFile| source.path.contains("/src/") && !source.path.starts_with("crates/tests/");
    let used: BTreeSet<Use> =
        sources.iter().filter(is_product).filter(|source| source.path != POOL).flat_map(uses_in).collect();
    let listed = listed_in(&pool.text);
    assert!(used.len() > 15, "{used:?}");
    let missing: Vec<_> = used.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&used).collect();
    assert!(missing.is_empty() && gone.is_empty(), "list in {POOL}: add {missing:?}, remove {gone:?}");
}

#[test]
fn a_use_that_is_not_listed_is_found() {
    let source =
        SourceFile::read("crates/app/src/x.rs", "fn f() { g(WorkClass::View); pool.run_receipt(1, w); }").unwrap();
    let found = uses_in(&source);
    let class = |name: &str| (name.to_owned(), "app/src/x.rs".to_owned());
    assert_eq!(found, BTreeSet::from([class("View"), class("Receive")]));
    assert_eq!(listed_in("//! - View: `app/src/x.rs`,\n//!   `b.rs`\n//!\n//! `c.rs`\n"), {
        BTreeSet::from([class("View"), ("View".to_owned(), "b.rs".to_owned())])
    });
}

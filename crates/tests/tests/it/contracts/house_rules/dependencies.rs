//! Dependencies and manifests: how many packages, from where, under which licences, and what every crate declares.

use super::repository;
use serde_json::Value;
use std::process::Command;

/// Packages the lock file may name, the workspace's own included.
const PACKAGES_MAX: usize = 399;
/// Licences we may depend on (SPDX). The same list is in `deny.toml`.
const LICENCES: &[&str] =
    &["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MPL-2.0", "Zlib", "Unicode-3.0"];
/// The only place packages come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifests() -> Vec<String> {
    ["mail", "domain", "store", "server", "tests"].map(|name| format!("crates/{name}/Cargo.toml")).to_vec()
}

#[test]
fn lock_file_stays_small_and_names_one_registry() {
    let lock = read("Cargo.lock");
    let packages = lock.lines().filter(|line| *line == "[[package]]").count();
    assert!(packages > 5, "the lock file was not understood");
    assert!(
        packages <= PACKAGES_MAX,
        "Cargo.lock names {packages} packages, at most {PACKAGES_MAX}: switch features off or do without"
    );
    for line in lock.lines().filter(|line| line.starts_with("source = ")) {
        assert_eq!(line, format!("source = \"{REGISTRY}\""), "packages come from crates.io only");
    }
}

#[test]
fn every_crate_takes_the_lints_and_the_package_fields_of_the_workspace() {
    let root = read("Cargo.toml");
    for line in [
        "unsafe_code = \"forbid\"",
        "missing_docs = \"warn\"",
        "unwrap_used = \"warn\"",
        "license = \"Apache-2.0 OR MIT\"",
    ] {
        assert!(root.contains(line), "Cargo.toml must say `{line}`");
    }
    for path in manifests() {
        let manifest = read(&path);
        for line in
            ["[lints]\nworkspace = true", "license.workspace = true", "publish.workspace = true", "description = \""]
        {
            assert!(manifest.contains(line), "{path} must say `{line}`");
        }
        let own_version = manifest.lines().find(|line| line.contains("version = \""));
        assert_eq!(own_version, None, "{path}: versions are named once, in the workspace's Cargo.toml");
    }
}

#[test]
fn licences_of_all_dependencies_are_allowed() {
    let host = host();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &host])
        .current_dir(repository());
    let output = command.output().unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "the metadata was not understood");
    let refused = |package: &&Value| !is_allowed(package["license"].as_str().unwrap_or_default());
    let refused: Vec<String> =
        packages.iter().filter(refused).map(|package| format!("{}: {}", package["name"], package["license"])).collect();
    assert!(refused.is_empty(), "licences outside {LICENCES:?}:\n{}", refused.join("\n"));
}

/// The target triple of this machine.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

/// Whether an SPDX expression can be met with the allowed licences. `/` is the old spelling of `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let allowed = any_of(&words, &mut at);
    allowed && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = all_of(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= all_of(words, at);
    }
    allowed
}

fn all_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = one_of(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= one_of(words, at);
    }
    allowed
}

fn one_of(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let allowed = any_of(words, at);
        let is_closed = words.get(*at) == Some(&")");
        *at += 1;
        return allowed && is_closed;
    }
    if words.get(*at) == Some(&"WITH") {
        // An exception changes the licence: it would have to be allowed by its whole name.
        *at += 2;
        return false;
    }
    LICENCES.contains(word)
}

#[test]
fn licence_expressions_are_judged() {
    let table = [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0-only", false),
        ("", false),
        ("Unlicense OR MIT", true),
        ("MIT AND GPL-2.0-only", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND OpenSSL", false),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("MIT OR", true),
        ("(MIT", false),
        ("MIT MIT", false),
    ];
    for (expression, allowed) in table {
        assert_eq!(is_allowed(expression), allowed, "{expression}");
    }
}

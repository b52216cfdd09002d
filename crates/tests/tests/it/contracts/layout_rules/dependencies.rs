//! Dependencies and manifests: how many packages, from which registry, and what every crate declares. `make lint` checks
//! licenses with cargo-deny (`deny.toml`).

use super::repository;

/// Maximum number of packages in the lock file, including the workspace's own.
const PACKAGES_MAX: usize = 495;
/// The only allowed registry.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifests() -> Vec<String> {
    let crates = std::fs::read_dir(repository().join("crates")).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    crates.map(|entry| format!("crates/{}/Cargo.toml", name(entry))).collect()
}

#[test]
fn lock_file_stays_small_and_names_one_registry() {
    let lock = read("Cargo.lock");
    let packages = lock.lines().filter(|line| *line == "[[package]]").count();
    assert!(packages > 5, "the lock file has an unknown format");
    assert!(
        packages <= PACKAGES_MAX,
        "Cargo.lock names {packages} packages, at most {PACKAGES_MAX}: turn features off or remove a dependency"
    );
    for line in lock.lines().filter(|line| line.starts_with("source = ")) {
        assert_eq!(line, format!("source = \"{REGISTRY}\""), "packages come from crates.io only");
    }
}

#[test]
fn every_crate_inherits_the_workspace_lints_and_package_fields() {
    let root = read("Cargo.toml");
    for line in [
        "unsafe_code = \"forbid\"",
        "unreachable_pub = \"warn\"",
        "unwrap_used = \"warn\"",
        "license = \"Apache-2.0 OR MIT\"",
    ] {
        assert!(root.contains(line), "Cargo.toml must contain `{line}`");
    }
    for path in manifests() {
        let manifest = read(&path);
        for line in
            ["[lints]\nworkspace = true", "license.workspace = true", "publish.workspace = true", "description = \""]
        {
            assert!(manifest.contains(line), "{path} must contain `{line}`");
        }
        let own_version = manifest.lines().find(|line| line.contains("version = \""));
        assert_eq!(own_version, None, "{path}: versions belong in the workspace's Cargo.toml");
    }
}

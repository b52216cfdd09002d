//! Test helpers of this crate: access to the test corpora. Tests of mail that more than one module reads.

mod reading;

use std::path::PathBuf;

/// Returns the path of a file or folder of the corpora. If it is missing, prints that and returns `None`; in CI,
/// panics.
pub(crate) fn corpus(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("POSTHOUSE_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let target = folder.join(path);
    if target.exists() {
        return Some(target);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", target.display());
    println!("{} is missing: nothing tested", target.display());
    None
}

/// Returns the content of a text file of the corpora.
pub(crate) fn corpus_text(path: &str) -> Option<String> {
    let target = corpus(path)?;
    Some(std::fs::read_to_string(&target).unwrap_or_else(|error| panic!("{}: {error}", target.display())))
}

//! What the tests of this crate share: the corpora that it is measured by.

use std::path::PathBuf;

/// A file or folder of the corpora; `None`, said aloud, where they are not there, which CI does not accept.
pub(crate) fn corpus(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("POSTHOUSE_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", found.display());
    println!("{} is missing: nothing tested", found.display());
    None
}

/// The text of a file of the corpora.
pub(crate) fn corpus_text(path: &str) -> Option<String> {
    let found = corpus(path)?;
    Some(std::fs::read_to_string(&found).unwrap_or_else(|error| panic!("{}: {error}", found.display())))
}

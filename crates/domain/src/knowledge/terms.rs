//! The terms of a text: hashes of its words, as message search normalizes them, and of pairs of neighbors in scripts
//! without spaces, whose single characters say little.

use crate::search::words::words;

/// The offset basis of FNV-1a.
const FNV_BASIS: u32 = 0x811c_9dc5;
/// The prime of FNV-1a.
const FNV_PRIME: u32 = 0x0100_0193;

/// Returns the terms of a text in order.
#[must_use]
pub fn terms(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    let mut before: Option<(String, usize)> = None;
    for word in words(text) {
        // Words touch only in scripts without spaces.
        if let Some((previous, end)) = &before
            && *end == word.at.start
        {
            out.push(hash(&[previous, &word.text]));
        }
        out.push(hash(&[&word.text]));
        before = Some((word.text, word.at.end));
    }
    out
}

/// Returns the distinct words of a text, to mark them in a snippet.
#[must_use]
pub fn words_of(text: &str) -> Vec<String> {
    let mut all: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn hash(parts: &[&str]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(FNV_BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME))
}

//! Canonicalization of header fields and bodies (RFC 6376 §3.4), and the hash of a body.
//!
//! Reads a body once and buffers at most one block; memory use does not depend on the message size.

use super::message::SignedField;
use aws_lc_rs::digest::{Context, SHA256};
use memchr::{memchr, memmem};

/// Bytes buffered before they are hashed.
const BLOCK_BYTES: usize = 16 * 1024;

/// A canonicalization algorithm: how much change in transit a signature tolerates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Canonicalization {
    /// Tolerates almost no change.
    Simple,
    /// Tolerates changes of white space.
    Relaxed,
}

/// Appends a header field in canonical form, with its CRLF.
pub(crate) fn push_field(field: &SignedField<'_>, canon: Canonicalization, out: &mut Vec<u8>) {
    match canon {
        Canonicalization::Simple => push_with_crlf(field.raw, out),
        Canonicalization::Relaxed => push_relaxed(field.name, field.value, out),
    }
    out.extend_from_slice(b"\r\n");
}

/// Appends text with every line end as CRLF.
fn push_with_crlf(text: &[u8], out: &mut Vec<u8>) {
    for (n, line) in text.split(|b| *b == b'\n').enumerate() {
        if n > 0 {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
    }
}

/// Appends `name:value` in relaxed form, without a line end (RFC 6376 §3.4.2).
pub(crate) fn push_relaxed(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend(name.iter().map(u8::to_ascii_lowercase));
    out.push(b':');
    let mut space = false;
    let mut started = false;
    for &byte in value {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            space = true;
            continue;
        }
        if space && started {
            out.push(b' ');
        }
        (space, started) = (false, true);
        out.push(byte);
    }
}

/// The hash of a body, and the length of its canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyHash {
    /// SHA-256 of the canonical body, or of its first `l=` bytes.
    pub(crate) sha256: Vec<u8>,
    /// Length of the whole canonical body in bytes.
    pub(crate) canonical_bytes: u64,
}

/// Hashes the canonical form of a body. `bytes_max` is the `l=` tag (RFC 6376 §3.4.3 to §3.4.5, §3.7).
pub(crate) fn hash_body(body: &[u8], canon: Canonicalization, bytes_max: Option<u64>) -> BodyHash {
    let mut hasher = BodyHasher {
        context: Context::new(&SHA256),
        block: Vec::with_capacity(BLOCK_BYTES + 2),
        hashed: 0,
        total: 0,
        bytes_max: bytes_max.unwrap_or(u64::MAX),
    };
    // Trailing empty lines are not part of the canonical body, so they are only added when a line follows.
    let mut empty_lines = 0_u64;
    let mut started = false;
    // Most bodies have neither tabs nor runs of spaces; then only a trailing space per line has to be removed.
    let has_no_white_space_runs = memchr(b'\t', body).is_none() && memmem::find(body, b"  ").is_none();
    for line in lines(body) {
        let is_empty = match canon {
            Canonicalization::Simple => line.is_empty(),
            Canonicalization::Relaxed => line.iter().all(|b| matches!(b, b' ' | b'\t')),
        };
        if is_empty {
            empty_lines += 1;
            continue;
        }
        for _ in 0..empty_lines {
            hasher.push(b"\r\n");
        }
        (empty_lines, started) = (0, true);
        match canon {
            Canonicalization::Simple => hasher.push(line),
            Canonicalization::Relaxed if has_no_white_space_runs => {
                hasher.push(line.strip_suffix(b" ").unwrap_or(line))
            }
            Canonicalization::Relaxed => hasher.push_relaxed(line),
        }
        hasher.push(b"\r\n");
    }
    if !started && canon == Canonicalization::Simple {
        hasher.push(b"\r\n");
    }
    hasher.finish()
}

/// Returns the lines of a body without their ends. A final line end does not start another line.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let (line, after) = match memchr(b'\n', rest) {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None if rest.is_empty() => return None,
            None => (rest, &rest[rest.len()..]),
        };
        rest = after;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// Buffers canonical text and hashes it up to `bytes_max`.
struct BodyHasher {
    context: Context,
    block: Vec<u8>,
    hashed: u64,
    total: u64,
    bytes_max: u64,
}

impl BodyHasher {
    fn push(&mut self, bytes: &[u8]) {
        if self.block.len() + bytes.len() > BLOCK_BYTES {
            self.flush();
        }
        if bytes.len() > BLOCK_BYTES {
            self.hash(bytes);
        } else {
            self.block.extend_from_slice(bytes);
        }
    }

    fn push_relaxed(&mut self, line: &[u8]) {
        let end = line.iter().rposition(|b| !matches!(b, b' ' | b'\t')).map_or(0, |last| last + 1);
        let mut rest = line.get(..end).unwrap_or_default();
        while !rest.is_empty() {
            let word = rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(rest.len());
            let (before, after) = rest.split_at(word);
            self.push(before);
            let space = after.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(after.len());
            if space > 0 {
                self.push(b" ");
            }
            rest = after.get(space..).unwrap_or_default();
        }
    }

    fn flush(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        self.hash(&block);
        block.clear();
        self.block = block;
    }

    fn hash(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let remaining = usize::try_from(self.bytes_max - self.hashed).unwrap_or(usize::MAX);
        let covered = bytes.get(..remaining.min(bytes.len())).unwrap_or_default();
        self.hashed += covered.len() as u64;
        self.context.update(covered);
    }

    fn finish(mut self) -> BodyHash {
        self.flush();
        BodyHash { sha256: self.context.finish().as_ref().to_vec(), canonical_bytes: self.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::digest::digest;

    #[test]
    fn bodies_hash_like_their_canonical_text() {
        for (body, canon, canonical) in [
            // RFC 6376 §3.4.5 and §3.4.3.
            (&b" C \r\nD \t E\r\n\r\n\r\n"[..], Canonicalization::Relaxed, &b" C\r\nD E\r\n"[..]),
            (b" C \r\nD \t E\r\n\r\n\r\n", Canonicalization::Simple, b" C \r\nD \t E\r\n"),
            (b"", Canonicalization::Simple, b"\r\n"),
            (b"", Canonicalization::Relaxed, b""),
            (b"\r\n\r\n", Canonicalization::Simple, b"\r\n"),
            (b" \r\n\t\r\n", Canonicalization::Relaxed, b""),
            (b"x", Canonicalization::Simple, b"x\r\n"),
            (b"x\n\n\ny", Canonicalization::Relaxed, b"x\r\n\r\n\r\ny\r\n"),
            (b" a b \r\n\r\n c\r", Canonicalization::Relaxed, b" a b\r\n\r\n c\r\n"),
            (b"a  b\n c \n", Canonicalization::Relaxed, b"a b\r\n c\r\n"),
        ] {
            let hash = hash_body(body, canon, None);
            assert_eq!(hash.sha256, digest(&SHA256, canonical).as_ref(), "{body:?} {canon:?}");
            assert_eq!(hash.canonical_bytes, canonical.len() as u64);
        }
    }

    #[test]
    fn long_lines_and_limits_are_hashed_in_pieces() {
        let body = [vec![b'x'; 3 * BLOCK_BYTES], b"\r\n".to_vec()].concat();
        for canon in [Canonicalization::Simple, Canonicalization::Relaxed] {
            let hash = hash_body(&body, canon, None);
            assert_eq!(hash.sha256, digest(&SHA256, &body).as_ref());
            let cut = hash_body(&body, canon, Some(17_000));
            assert_eq!(cut.sha256, digest(&SHA256, &body[..17_000]).as_ref());
            assert_eq!(cut.canonical_bytes, body.len() as u64);
        }
    }

    #[test]
    fn header_fields_canonicalize_as_in_rfc_6376_section_3_4_5() {
        let field = SignedField { name: b"B ".trim_ascii(), value: b" Y\t\r\n\tZ  ", raw: b"B : Y\t\r\n\tZ  " };
        let mut out = Vec::new();
        push_field(&field, Canonicalization::Relaxed, &mut out);
        push_field(&field, Canonicalization::Simple, &mut out);
        assert_eq!(out, b"b:Y Z\r\nB : Y\t\r\n\tZ  \r\n");
    }
}

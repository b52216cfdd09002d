//! Archive checksum: one hash over the names and bytes of all members, to detect damage.

use sha2::{Digest as _, Sha256};
use std::io::Read;

/// The running hash.
#[derive(Default)]
pub(super) struct ArchiveHash(Sha256);

impl ArchiveHash {
    /// Starts a member. Its content must be read through the returned reader.
    pub(super) fn member<R: Read>(&mut self, name: &str, content: R) -> HashingReader<'_, R> {
        self.0.update((name.len() as u64).to_be_bytes());
        self.0.update(name.as_bytes());
        HashingReader { hash: self, content, bytes: 0 }
    }

    /// Returns the hash in hex.
    pub(super) fn close(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Reader that hashes a member's content as it is read.
pub(super) struct HashingReader<'a, R> {
    hash: &'a mut ArchiveHash,
    content: R,
    bytes: u64,
}

impl<R: Read> Read for HashingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.hash.0.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<R> Drop for HashingReader<'_, R> {
    /// Appends the length after the content, so that bytes can't move from one member into the next unnoticed.
    fn drop(&mut self) {
        self.hash.0.update(self.bytes.to_be_bytes());
    }
}

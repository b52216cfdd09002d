//! What tells a whole archive from a damaged one: one hash over the names and bytes of its members.

use sha2::{Digest as _, Sha256};
use std::io::Read;

/// The hash so far.
#[derive(Default)]
pub(super) struct Seal(Sha256);

impl Seal {
    /// Begins a member. Its content goes through the returned reader.
    pub(super) fn member<R: Read>(&mut self, name: &str, content: R) -> Sealed<'_, R> {
        self.0.update((name.len() as u64).to_be_bytes());
        self.0.update(name.as_bytes());
        Sealed { seal: self, content, bytes: 0 }
    }

    /// The hash in hex.
    pub(super) fn close(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The content of a member on its way; what is read is hashed.
pub(super) struct Sealed<'a, R> {
    seal: &'a mut Seal,
    content: R,
    bytes: u64,
}

impl<R: Read> Read for Sealed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.seal.0.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<R> Drop for Sealed<'_, R> {
    /// The length stands behind the content, so that bytes cannot move from one member into the next unseen.
    fn drop(&mut self) {
        self.seal.0.update(self.bytes.to_be_bytes());
    }
}

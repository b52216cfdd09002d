//! Reading stored bytes in chunks, so that memory doesn't depend on their size.
//!
//! A [`BlobReader`] returns the stored bytes, a [`RawReader`] decompresses them.

use super::{Backend, BlobDigest, BlobStore, files::FileReader, s3::S3Bucket};
use crate::{Error, Result, contents::RawLocation};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use zstd::stream::raw::{Decoder, Operation as _};

/// Most bytes of a blob in a bucket that are read at once. Each chunk is a request, so that a slow reader doesn't exceed
/// the timeout of one.
const S3_CHUNK_BYTES: u64 = 1024 * 1024;
/// Most decompressed bytes that are returned at once.
pub const RAW_CHUNK_BYTES: usize = 64 * 1024;

/// Reads one blob in chunks.
struct BlobReader {
    source: BlobSource,
    bytes: u64,
    offset: u64,
}

enum BlobSource {
    Memory(Bytes),
    File(FileReader),
    S3(Arc<S3Bucket>, BlobDigest),
}

impl BlobReader {
    /// Returns the next chunk, or `None` at the end.
    async fn next_chunk(&mut self) -> Result<Option<Bytes>> {
        if self.offset >= self.bytes {
            return Ok(None);
        }
        let chunk = match &mut self.source {
            BlobSource::Memory(bytes) => bytes.clone(),
            BlobSource::File(file) => file.next_chunk().await?,
            BlobSource::S3(bucket, digest) => {
                let end = self.bytes.min(self.offset + S3_CHUNK_BYTES);
                bucket.get_range(digest, self.offset..end).await?.ok_or_else(|| missing(digest))?
            }
        };
        if chunk.is_empty() {
            return Err(Error::bad_content("a blob became shorter while it was read"));
        }
        self.offset += chunk.len() as u64;
        Ok(Some(chunk))
    }

    /// Continues at the first byte.
    async fn rewind(&mut self) -> Result<()> {
        self.offset = 0;
        match &mut self.source {
            BlobSource::File(file) => file.rewind().await,
            BlobSource::Memory(_) | BlobSource::S3(..) => Ok(()),
        }
    }
}

pub(super) fn missing(digest: &BlobDigest) -> Error {
    Error::bad_content(format_args!("blob {digest} is missing"))
}

/// Reads the raw bytes of a message or file in decompressed chunks.
pub struct RawReader {
    blob: BlobReader,
    /// The name of a blob, which the stored bytes must match; `None` if they were in the database.
    digest: Option<BlobDigest>,
    bytes: u64,
    decoder: Decoder<'static>,
    /// Stored bytes that are not decompressed yet.
    input: Bytes,
    /// Whether the zstd frame is complete.
    is_complete: bool,
    returned: u64,
}

impl RawReader {
    /// Returns the number of decompressed bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Checks that the bytes are intact, by reading all of them, and rewinds: the stored bytes must match the name of
    /// their blob, and the decompressed bytes must match `sha256` if it is given.
    ///
    /// # Errors
    /// Returns [`Error::ContentDamaged`] if they don't match or aren't complete; otherwise the same as
    /// [`BlobStore::put`].
    pub async fn verify(&mut self, sha256: Option<[u8; 32]>) -> Result<()> {
        if let Some(digest) = self.digest {
            let mut hash = Sha256::new();
            while let Some(chunk) = self.blob.next_chunk().await? {
                hash.update(&chunk);
            }
            if BlobDigest(hash.finalize().into()) != digest {
                return Err(Error::bad_content(format_args!("blob {digest} doesn't match its hash")));
            }
            self.rewind().await?;
        }
        // A zstd frame in the database has no other check than its own.
        if self.digest.is_none() || sha256.is_some() {
            let mut hash = Sha256::new();
            while let Some(chunk) = self.next_chunk().await? {
                hash.update(&chunk);
                tokio::task::yield_now().await;
            }
            if sha256.is_some_and(|expected| expected != <[u8; 32]>::from(hash.finalize())) {
                return Err(Error::bad_content("the bytes don't match their hash"));
            }
            self.rewind().await?;
        }
        Ok(())
    }

    /// Returns the next chunk of 1 to [`RAW_CHUNK_BYTES`] bytes, or `None` at the end.
    ///
    /// # Errors
    /// Returns [`Error::ContentDamaged`] if the stored bytes aren't a complete zstd frame or decompress to another
    /// number of bytes than expected; otherwise the same as [`BlobStore::put`].
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>> {
        let left = self.bytes - self.returned;
        // One byte more than expected, so that excess bytes are noticed.
        let mut chunk = vec![0; usize::try_from(left + 1).unwrap_or(usize::MAX).min(RAW_CHUNK_BYTES)];
        let mut filled = 0;
        while filled < chunk.len() && !self.is_complete {
            // The decoder may hold output even if there is no input left.
            let status = self.decoder.run_on_buffers(&self.input, &mut chunk[filled..]).map_err(super::raw::corrupt)?;
            let _ = self.input.split_to(status.bytes_read);
            filled += status.bytes_written;
            let has_progressed = status.bytes_read + status.bytes_written > 0;
            self.is_complete = status.remaining == 0 && has_progressed;
            if !has_progressed && !self.input.is_empty() {
                return Err(incomplete());
            }
            if self.input.is_empty() && filled < chunk.len() && !self.is_complete {
                self.input = self.blob.next_chunk().await?.ok_or_else(incomplete)?;
            }
        }
        chunk.truncate(filled);
        self.returned += filled as u64;
        if self.returned > self.bytes || (self.is_complete && self.returned < self.bytes) {
            let message = format_args!("stored raw message doesn't decompress to {} bytes", self.bytes);
            return Err(Error::bad_content(message));
        }
        Ok((!chunk.is_empty()).then(|| chunk.into()))
    }

    /// Continues at the first byte.
    async fn rewind(&mut self) -> Result<()> {
        self.blob.rewind().await?;
        self.decoder.reinit().map_err(super::raw::no_memory)?;
        (self.input, self.is_complete, self.returned) = (Bytes::new(), false, 0);
        Ok(())
    }
}

fn incomplete() -> Error {
    Error::bad_content("stored raw message: incomplete frame")
}

impl BlobStore {
    /// Opens raw bytes for reading in chunks; `bytes` is their decompressed size. Nothing is verified yet.
    ///
    /// # Errors
    /// Returns [`Error::ContentDamaged`] if the blob doesn't exist; otherwise the same as [`BlobStore::put`].
    pub async fn open_raw(&self, location: RawLocation, bytes: u64) -> Result<RawReader> {
        let (blob, digest) = match location {
            RawLocation::Inline(stored) => {
                let bytes = stored.len() as u64;
                (BlobReader { source: BlobSource::Memory(stored.into()), bytes, offset: 0 }, None)
            }
            RawLocation::Blob(name) => {
                let digest: BlobDigest = name.parse()?;
                (self.blob_reader(&digest).await?, Some(digest))
            }
        };
        let decoder = Decoder::new().map_err(super::raw::no_memory)?;
        Ok(RawReader { blob, digest, bytes, decoder, input: Bytes::new(), is_complete: false, returned: 0 })
    }

    async fn blob_reader(&self, digest: &BlobDigest) -> Result<BlobReader> {
        let (source, bytes) = match &self.backend {
            Backend::Files(folder) => {
                let (file, bytes) = folder.reader(digest).await?.ok_or_else(|| missing(digest))?;
                (BlobSource::File(file), bytes)
            }
            Backend::S3(bucket) => {
                let bytes = bucket.size(digest).await?.ok_or_else(|| missing(digest))?;
                (BlobSource::S3(Arc::clone(bucket), *digest), bytes)
            }
        };
        Ok(BlobReader { source, bytes, offset: 0 })
    }
}

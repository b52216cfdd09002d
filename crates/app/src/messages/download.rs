//! Downloads: raw mail and files, read in chunks if they are large.
//!
//! Stored bytes are verified before the first chunk is returned, so that damage is an error response and not a short
//! download.

use std::ops::Range;

use bytes::Bytes;
use posthouse_domain::Refusal;
use posthouse_mail::parse::TransferDecoder;
use posthouse_store::{Error, blobs::RawReader, contents::StoredRaw};

use crate::service::Service;

/// Largest raw mail or file that is read whole, in bytes.
pub(crate) const WHOLE_BYTES_MAX: u64 = 256 * 1024;

/// The bytes of a download. At most a few chunks are in memory at once.
pub struct Download {
    bytes: u64,
    /// Bytes that precede those of `rest`.
    head: Bytes,
    rest: Option<ChunkSource>,
}

/// Where the chunks of a download come from. Boxed, because the state of the decompression is large.
enum ChunkSource {
    Raw(Box<RawReader>),
    Part(Box<PartReader>),
}

/// Reads one part of a raw mail and decodes it.
struct PartReader {
    raw: RawReader,
    part: RawPart,
    has_finished: bool,
}

/// The position of a part in a raw mail, and the decoder of its content.
pub(super) struct RawPart {
    /// The position of the encoded content.
    pub(super) encoded: Range<usize>,
    /// Decodes it.
    pub(super) decoder: TransferDecoder,
    /// The number of decoded bytes.
    pub(super) bytes: u64,
}

impl PartReader {
    async fn next_chunk(&mut self) -> Result<Option<Bytes>, Refusal> {
        while !self.part.encoded.is_empty() {
            let incomplete = || Error::bad_content("the raw mail ends before its part");
            let chunk = self.raw.next_chunk().await?.ok_or_else(incomplete)?;
            let Range { start, end } = self.part.encoded;
            let piece = &chunk[start.min(chunk.len())..end.min(chunk.len())];
            self.part.encoded = start.saturating_sub(chunk.len())..end.saturating_sub(chunk.len());
            let decoded = self.part.decoder.decode(piece);
            if !decoded.is_empty() {
                return Ok(Some(decoded.into_owned().into()));
            }
        }
        let last = if self.has_finished { Vec::new() } else { self.part.decoder.finish() };
        self.has_finished = true;
        Ok((!last.is_empty()).then(|| last.into()))
    }
}

impl Download {
    /// Creates a download of bytes in memory.
    #[must_use]
    pub fn whole(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.len() as u64, head: bytes.into(), rest: None }
    }

    /// Opens stored bytes that must match `sha256`, if it is given.
    ///
    /// # Errors
    /// Returns `content_damaged` if the bytes are missing or altered, or an error if a store call fails.
    pub async fn open(service: &Service, raw: StoredRaw, sha256: Option<[u8; 32]>) -> Result<Self, Refusal> {
        let mut reader = service.blobs.open_raw(raw.place, raw.bytes).await?;
        reader.verify(sha256).await?;
        Ok(Self { bytes: raw.bytes, head: Bytes::new(), rest: Some(ChunkSource::Raw(Box::new(reader))) })
    }

    /// Opens a part of a raw mail that was verified when the part was found.
    pub(super) async fn open_part(service: &Service, raw: StoredRaw, part: RawPart) -> Result<Self, Refusal> {
        let reader = service.blobs.open_raw(raw.place, raw.bytes).await?;
        let bytes = part.bytes;
        let reader = PartReader { raw: reader, part, has_finished: false };
        Ok(Self { bytes, head: Bytes::new(), rest: Some(ChunkSource::Part(Box::new(reader))) })
    }

    /// Puts bytes in front.
    #[must_use]
    pub fn after(self, head: Vec<u8>) -> Self {
        let bytes = self.bytes + head.len() as u64;
        Self { bytes, head: [head.as_slice(), &self.head].concat().into(), rest: self.rest }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns all bytes if they are in memory.
    ///
    /// # Errors
    /// Returns the download itself if it is read in chunks.
    pub fn into_whole(self) -> Result<Bytes, Self> {
        if self.rest.is_none() { Ok(self.head) } else { Err(self) }
    }

    /// Returns the next chunk, or `None` at the end.
    ///
    /// # Errors
    /// Returns `content_damaged` if the bytes changed since they were verified, or an error if a store call fails.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, Refusal> {
        if !self.head.is_empty() {
            return Ok(Some(std::mem::take(&mut self.head)));
        }
        match &mut self.rest {
            Some(ChunkSource::Raw(raw)) => Ok(raw.next_chunk().await?),
            Some(ChunkSource::Part(part)) => part.next_chunk().await,
            None => Ok(None),
        }
    }
}

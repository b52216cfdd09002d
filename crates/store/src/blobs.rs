//! Blobs: large raw messages and attachments, named by the SHA-256 of their bytes, in files or in an S3 bucket.
//!
//! A blob is durable before [`BlobStore::put`] returns, so the transaction that references it comes afterward. A sweep
//! removes unreferenced blobs: it lists a shard, checks the database, and deletes. The content under a name never
//! changes.

mod files;
mod raw;
mod reader;
mod s3;

use crate::{Error, FromColumn, Result, ToValue, Value};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

pub use raw::{decompress, decompress_until};
pub use reader::{RAW_CHUNK_BYTES, RawReader};

/// The name of a blob: the SHA-256 of its bytes. Displayed as 64 hexadecimal digits, stored as 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobDigest(pub [u8; 32]);

impl BlobDigest {
    /// Hashes the bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        BlobDigest(Sha256::digest(bytes).into())
    }

    /// Returns the path below the root of a store: `ab/cd/abcd…`.
    pub(crate) fn path(&self) -> String {
        let hex = self.to_string();
        format!("{}/{}/{hex}", &hex[..2], &hex[2..4])
    }
}

impl fmt::Display for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BlobDigest {
    type Err = Error;

    /// Accepts lowercase digits only, so that a blob has exactly one name.
    fn from_str(text: &str) -> Result<Self> {
        let is_digit = |b: &u8| b.is_ascii_digit() || (b'a'..=b'f').contains(b);
        if text.len() != 64 || !text.as_bytes().iter().all(is_digit) {
            return Err(Error::corrupt("a blob's name must be 64 lowercase hexadecimal digits"));
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(Error::corrupt)?;
            *byte = u8::from_str_radix(pair, 16).map_err(Error::corrupt)?;
        }
        Ok(BlobDigest(digest))
    }
}

impl ToValue for BlobDigest {
    fn to_value(&self) -> Value<'_> {
        self.0.to_value()
    }
}

impl FromColumn for BlobDigest {
    fn from_column(value: Value<'_>) -> Result<Self> {
        <[u8; 32]>::from_column(value).map(BlobDigest)
    }
}

/// A blob store. Cloning is cheap.
#[derive(Clone)]
pub struct BlobStore {
    backend: Backend,
    zstd_pool: Arc<raw::ZstdPool>,
}

#[derive(Clone)]
enum Backend {
    Files(Arc<files::BlobFolder>),
    S3(Arc<s3::S3Bucket>),
}

impl BlobStore {
    /// Opens the store named by the setting `blob_url`: `file:///directory` or `s3://bucket/prefix`. `options` are the
    /// AWS environment variables (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, …); other names are ignored. Reads and
    /// writes nothing yet.
    ///
    /// # Errors
    /// Returns [`Error::Schema`] with a message for the operator if the URL or an option is invalid.
    pub fn open(url: &str, options: &[(String, String)]) -> Result<Self> {
        if let Some(path) = url.strip_prefix("file://") {
            if !path.starts_with('/') {
                return Err(Error::schema(
                    "blob_url: a file URL needs an absolute path, as in file:///var/lib/posthouse",
                ));
            }
            return Ok(Self::files(path));
        }
        if url.starts_with("s3://") {
            return Ok(Self::at(Backend::S3(Arc::new(s3::S3Bucket::open(url, options)?))));
        }
        Err(Error::schema("blob_url must begin with file:/// or s3://"))
    }

    /// Creates a store of files below a directory, which is created when needed.
    #[must_use]
    pub fn files(directory: impl Into<PathBuf>) -> Self {
        Self::at(Backend::Files(Arc::new(files::BlobFolder::new(directory.into()))))
    }

    fn at(backend: Backend) -> Self {
        BlobStore { backend, zstd_pool: Arc::default() }
    }

    /// Creates the blob directory and checks that it is writable. A bucket isn't checked, because its outage may be
    /// temporary.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn prepare(&self) -> Result<()> {
        match &self.backend {
            Backend::Files(folder) => folder.prepare().await,
            Backend::S3(_) => Ok(()),
        }
    }

    /// Returns the directory of the blobs, or `None` if they are in a bucket.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        match &self.backend {
            Backend::Files(folder) => Some(folder.root()),
            Backend::S3(_) => None,
        }
    }

    /// Returns whether the blobs are in a bucket rather than in local files.
    #[must_use]
    pub fn are_remote(&self) -> bool {
        matches!(self.backend, Backend::S3(_))
    }

    /// Writes, reads and deletes these bytes to check that the store works. No other blob may have the same bytes.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn probe(&self, bytes: Bytes) -> Result<()> {
        let digest = self.put(bytes.clone()).await?;
        let back = self.get(&digest).await?;
        self.delete(&digest).await?;
        if back == Some(bytes) { Ok(()) } else { Err(Error::blob("it returned other bytes than were written")) }
    }

    /// Compresses a raw message for storage: a zstd frame that records the length.
    ///
    /// # Errors
    /// Returns [`Error::Internal`] if zstd can't allocate memory.
    pub fn compress(&self, raw: &[u8]) -> Result<Vec<u8>> {
        self.zstd_pool.compress(raw)
    }

    /// Decompresses a raw message to at most `len_max` bytes, whatever length the frame declares.
    ///
    /// # Errors
    /// Returns [`Error::ContentDamaged`] if the bytes aren't a complete zstd frame or decompress to more than `len_max`.
    pub fn decompress(&self, compressed: &[u8], len_max: usize) -> Result<Vec<u8>> {
        self.zstd_pool.decompress(compressed, len_max)
    }

    /// Stores the bytes and returns their name once they are durable. Storing existing bytes again renews their age, so
    /// a running sweep doesn't delete them.
    ///
    /// # Errors
    /// Returns [`Error::StorageFull`] if the disk is full, and [`Error::BlobStore`] if the store fails.
    pub async fn put(&self, bytes: Bytes) -> Result<BlobDigest> {
        let digest = BlobDigest::of(&bytes);
        match &self.backend {
            Backend::Files(folder) => folder.put(&digest, &bytes).await?,
            Backend::S3(bucket) => bucket.put(&digest, bytes).await?,
        }
        Ok(digest)
    }

    /// Returns the bytes, or `None` if the blob doesn't exist.
    ///
    /// # Errors
    /// Returns [`Error::ContentDamaged`] if the bytes no longer match the name; otherwise the same as [`BlobStore::put`].
    pub async fn get(&self, digest: &BlobDigest) -> Result<Option<Bytes>> {
        let bytes = match &self.backend {
            Backend::Files(folder) => folder.get(digest).await?,
            Backend::S3(bucket) => bucket.get(digest).await?,
        };
        match &bytes {
            Some(bytes) if BlobDigest::of(bytes) != *digest => {
                Err(Error::bad_content(format_args!("blob {digest} doesn't match its hash")))
            }
            _ => Ok(bytes),
        }
    }

    /// Returns the bytes of a blob that must exist.
    ///
    /// # Errors
    /// Returns [`Error::ContentDamaged`] if the blob doesn't exist; otherwise the same as [`BlobStore::get`].
    pub async fn read(&self, digest: &BlobDigest) -> Result<Bytes> {
        self.get(digest).await?.ok_or_else(|| reader::missing(digest))
    }

    /// Returns whether the store holds any blob.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn any(&self) -> Result<bool> {
        match &self.backend {
            Backend::Files(folder) => folder.any().await,
            Backend::S3(bucket) => bucket.any().await,
        }
    }

    /// Returns whether the blob exists.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn exists(&self, digest: &BlobDigest) -> Result<bool> {
        match &self.backend {
            Backend::Files(folder) => folder.exists(digest).await,
            Backend::S3(bucket) => bucket.exists(digest).await,
        }
    }

    /// Deletes a blob. A missing blob isn't an error.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn delete(&self, digest: &BlobDigest) -> Result<()> {
        match &self.backend {
            Backend::Files(folder) => folder.delete(digest).await,
            Backend::S3(bucket) => bucket.delete(digest).await,
        }
    }

    /// Returns, in order, the blobs of one of the 256 shards (their first byte) that were last stored before
    /// `before_ms` (Unix time, milliseconds). A sweep goes through all shards and skips recent blobs, whose transaction
    /// may still be running.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<BlobDigest>> {
        let mut digests = match &self.backend {
            Backend::Files(folder) => folder.list(shard, before_ms).await?,
            Backend::S3(bucket) => bucket.list(shard, before_ms).await?,
        };
        digests.sort_unstable();
        Ok(digests)
    }

    /// Deletes partial files in a shard that a crash left behind before `before_ms` (Unix time, milliseconds); a bucket
    /// has none. Part of the sweep. Never pass the current time: a file may still be being written.
    ///
    /// # Errors
    /// See [`BlobStore::put`].
    pub async fn remove_partial(&self, shard: u8, before_ms: i64) -> Result<()> {
        match &self.backend {
            Backend::Files(folder) => folder.remove_partial(shard, before_ms).await,
            Backend::S3(_) => Ok(()),
        }
    }
}

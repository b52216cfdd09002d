//! Blobs: large raw mails and attachments, named by the SHA-256 of their bytes, in files or in an S3 bucket.
//!
//! A blob is on the disk before [`Blobs::put`] returns, so the transaction that names it comes after. A blob that nobody
//! names is removed by a sweep: list a shard, ask the database, delete. Content is never changed under its name.

mod files;
mod raw;
mod s3;

use crate::{Error, FromColumn, Result, ToValue, Value};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

pub use raw::decompress;

/// The name of a blob: the SHA-256 of its bytes. Shown as 64 hexadecimal digits, stored as 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The name these bytes have.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Digest(Sha256::digest(bytes).into())
    }

    /// Place below the root of a store: `ab/cd/abcd…`.
    pub(crate) fn path(&self) -> String {
        let hex = self.to_string();
        format!("{}/{}/{hex}", &hex[..2], &hex[2..4])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = Error;

    /// Takes lower-case digits only, so that a blob has one name.
    fn from_str(text: &str) -> Result<Self> {
        let is_digit = |b: &u8| b.is_ascii_digit() || (b'a'..=b'f').contains(b);
        if text.len() != 64 || !text.as_bytes().iter().all(is_digit) {
            return Err(Error::corrupt("a blob's name has 64 lower-case hexadecimal digits"));
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(Error::corrupt)?;
            *byte = u8::from_str_radix(pair, 16).map_err(Error::corrupt)?;
        }
        Ok(Digest(digest))
    }
}

impl ToValue for Digest {
    fn to_value(&self) -> Value<'_> {
        self.0.to_value()
    }
}

impl FromColumn for Digest {
    fn from_column(value: Value<'_>) -> Result<Self> {
        <[u8; 32]>::from_column(value).map(Digest)
    }
}

/// A blob store. Cloning is cheap.
#[derive(Clone)]
pub struct Blobs {
    place: Place,
    packers: Arc<raw::Packers>,
}

#[derive(Clone)]
enum Place {
    Files(Arc<files::Folder>),
    S3(Arc<s3::Bucket>),
}

impl Blobs {
    /// Opens the store of the setting `blob_url`: `file:///directory` or `s3://bucket/prefix`. `options` are the AWS
    /// variables of the environment as they stand (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, …); others are passed over.
    /// Nothing is read or written yet.
    ///
    /// # Errors
    /// [`Error::Schema`] with a text for the operator where the URL or an option is wrong.
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
            return Ok(Self::at(Place::S3(Arc::new(s3::Bucket::open(url, options)?))));
        }
        Err(Error::schema("blob_url must begin with file:/// or s3://"))
    }

    /// A store of files below a directory, which is made when it is needed.
    #[must_use]
    pub fn files(directory: impl Into<PathBuf>) -> Self {
        Self::at(Place::Files(Arc::new(files::Folder::new(directory.into()))))
    }

    fn at(place: Place) -> Self {
        Blobs { place, packers: Arc::default() }
    }

    /// Makes the directory of the files and sees that it can be written. A bucket is not asked: it may only be away.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn prepare(&self) -> Result<()> {
        match &self.place {
            Place::Files(folder) => folder.prepare().await,
            Place::S3(_) => Ok(()),
        }
    }

    /// Whether the blobs are in a bucket, somewhere else.
    #[must_use]
    pub fn are_remote(&self) -> bool {
        matches!(self.place, Place::S3(_))
    }

    /// Writes these bytes, which nobody else has, reads them and takes them away: whether the store works.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn probe(&self, bytes: Bytes) -> Result<()> {
        let digest = self.put(bytes.clone()).await?;
        let back = self.get(&digest).await?;
        self.delete(&digest).await?;
        if back == Some(bytes) { Ok(()) } else { Err(Error::blob("it does not give back what was written")) }
    }

    /// Compresses raw mail as it is kept: a zstd frame with the length in it.
    ///
    /// # Errors
    /// [`Error::Panicked`] where zstd has no memory.
    pub fn compress(&self, raw: &[u8]) -> Result<Vec<u8>> {
        self.packers.compress(raw)
    }

    /// Decompresses raw mail to at most `len_max` bytes, whatever the frame says of itself.
    ///
    /// # Errors
    /// [`Error::BadContent`] where the bytes are no whole zstd frame or hold more than `len_max`.
    pub fn decompress(&self, compressed: &[u8], len_max: usize) -> Result<Vec<u8>> {
        self.packers.decompress(compressed, len_max)
    }

    /// Stores the bytes and returns their name when they are on the disk. Storing them again makes them young again, so a
    /// sweep that is under way does not take them.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Blob`].
    pub async fn put(&self, bytes: Bytes) -> Result<Digest> {
        let digest = Digest::of(&bytes);
        match &self.place {
            Place::Files(folder) => folder.put(&digest, &bytes).await?,
            Place::S3(bucket) => bucket.put(&digest, bytes).await?,
        }
        Ok(digest)
    }

    /// The bytes, or `None` where there is no such blob.
    ///
    /// # Errors
    /// [`Error::BadContent`] where the bytes are no longer those of the name; otherwise as [`Blobs::put`].
    pub async fn get(&self, digest: &Digest) -> Result<Option<Bytes>> {
        let bytes = match &self.place {
            Place::Files(folder) => folder.get(digest).await?,
            Place::S3(bucket) => bucket.get(digest).await?,
        };
        match &bytes {
            Some(bytes) if Digest::of(bytes) != *digest => {
                Err(Error::bad_content(format_args!("blob {digest} has other bytes than its name says")))
            }
            _ => Ok(bytes),
        }
    }

    /// The bytes of a blob that something names.
    ///
    /// # Errors
    /// [`Error::BadContent`] where there is no such blob; otherwise as [`Blobs::get`].
    pub async fn read(&self, digest: &Digest) -> Result<Bytes> {
        let missing = || Error::bad_content(format_args!("blob {digest} is missing"));
        self.get(digest).await?.ok_or_else(missing)
    }

    /// Whether there is any blob at all.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn any(&self) -> Result<bool> {
        match &self.place {
            Place::Files(folder) => folder.any().await,
            Place::S3(bucket) => bucket.any().await,
        }
    }

    /// Whether there is such a blob.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn exists(&self, digest: &Digest) -> Result<bool> {
        match &self.place {
            Place::Files(folder) => folder.exists(digest).await,
            Place::S3(bucket) => bucket.exists(digest).await,
        }
    }

    /// Removes a blob; that there is none is no error.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn delete(&self, digest: &Digest) -> Result<()> {
        match &self.place {
            Place::Files(folder) => folder.delete(digest).await,
            Place::S3(bucket) => bucket.delete(digest).await,
        }
    }

    /// The blobs of one of the 256 shards (their first byte), last stored before `before_ms` (Unix time, milliseconds), in
    /// order. A sweep goes through all shards and lets young blobs alone, for their transaction may be under way.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<Digest>> {
        let mut found = match &self.place {
            Place::Files(folder) => folder.list(shard, before_ms).await?,
            Place::S3(bucket) => bucket.list(shard, before_ms).await?,
        };
        found.sort_unstable();
        Ok(found)
    }

    /// Removes what a crash left half-written in a shard before `before_ms` (Unix time, milliseconds); a bucket has nothing
    /// of the kind. Part of the sweep: never call it with the present, for a file may be being written.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    pub async fn remove_partial(&self, shard: u8, before_ms: i64) -> Result<()> {
        match &self.place {
            Place::Files(folder) => folder.remove_partial(shard, before_ms).await,
            Place::S3(_) => Ok(()),
        }
    }
}

//! Blobs in a bucket of S3 or of anything that speaks like it. A PUT that was answered is durable by the service's word.

use super::Digest;
use crate::{Error, Result};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore as _, ObjectStoreExt as _, RetryConfig};
use std::time::Duration;

/// How long one request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a request is sent again after a server's error, and how long that may go on.
const RETRIES_MAX: usize = 3;
/// See [`RETRIES_MAX`].
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct Bucket {
    store: AmazonS3,
    prefix: String,
}

impl Bucket {
    pub(super) fn open(url: &str, options: &[(String, String)]) -> Result<Self> {
        let wrong = |e: object_store::Error| Error::schema(format_args!("blob_url: {e}"));
        // One DELETE per object: the bulk form is not spoken by everything that speaks like S3, and hides what went wrong.
        let mut builder = AmazonS3Builder::new().with_url(url).with_disable_bulk_delete(true);
        for (name, value) in options {
            if let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>() {
                builder = builder.with_config(key, value);
            }
        }
        let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint).unwrap_or_default();
        let client = ClientOptions::new()
            .with_timeout(REQUEST_TIMEOUT)
            .with_connect_timeout(CONNECT_TIMEOUT)
            .with_allow_http(endpoint.starts_with("http://"));
        let retry =
            RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES_MAX, retry_timeout: RETRY_TIMEOUT };
        let store = builder.with_client_options(client).with_retry(retry).build().map_err(wrong)?;
        let rest = url.trim_start_matches("s3://").trim_end_matches('/');
        let prefix = rest.split_once('/').map_or(String::new(), |(_, prefix)| format!("{prefix}/"));
        Ok(Bucket { store, prefix })
    }

    fn path(&self, digest: &Digest) -> Path {
        Path::from(format!("{}{}", self.prefix, digest.path()))
    }

    pub(super) async fn put(&self, digest: &Digest, bytes: Bytes) -> Result<()> {
        self.store.put(&self.path(digest), bytes.into()).await.map(|_| ()).map_err(failed)
    }

    pub(super) async fn get(&self, digest: &Digest) -> Result<Option<Bytes>> {
        match found(self.store.get(&self.path(digest)).await)? {
            Some(reading) => found(reading.bytes().await),
            None => Ok(None),
        }
    }

    pub(super) async fn exists(&self, digest: &Digest) -> Result<bool> {
        Ok(found(self.store.head(&self.path(digest)).await)?.is_some())
    }

    pub(super) async fn delete(&self, digest: &Digest) -> Result<()> {
        found(self.store.delete(&self.path(digest)).await).map(|_| ())
    }

    pub(super) async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<Digest>> {
        let folder = Path::from(format!("{}{shard:02x}", self.prefix));
        let named = |meta: object_store::ObjectMeta| {
            let is_old = meta.last_modified.timestamp_millis() < before_ms;
            let digest = meta.location.filename().and_then(|name| name.parse::<Digest>().ok());
            std::future::ready(Ok(digest.filter(|_| is_old)))
        };
        self.store.list(Some(&folder)).try_filter_map(named).try_collect().await.map_err(failed)
    }
}

/// That there is no such object is an answer, not an error.
fn found<T>(result: object_store::Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: object_store::Error) -> Error {
    match error {
        object_store::Error::Generic { .. } => Error::unavailable(error),
        other => Error::blob(other),
    }
}

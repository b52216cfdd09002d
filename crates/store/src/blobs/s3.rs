//! Blobs in an S3 bucket or an S3-compatible service. The service guarantees that an acknowledged PUT is durable.

use super::BlobDigest;
use crate::{Error, Result};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore as _, ObjectStoreExt as _, RetryConfig};
use std::{ops::Range, time::Duration};

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of retries after a server error.
const RETRIES_MAX: usize = 3;
/// Total time allowed for retries.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct S3Bucket {
    store: AmazonS3,
    prefix: String,
    /// The URL without credentials, for error messages.
    display_url: String,
}

impl S3Bucket {
    pub(super) fn open(url: &str, options: &[(String, String)]) -> Result<Self> {
        let wrong = |e: object_store::Error| Error::schema(format_args!("blob_url: {e}"));
        // One DELETE per object: not every S3-compatible service supports bulk deletes, and they hide individual
        // errors.
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
        let display_url = format!("s3://{}", rest.rsplit_once('@').map_or(rest, |(_, host)| host));
        Ok(S3Bucket { store, prefix, display_url })
    }

    fn failed(&self, error: object_store::Error) -> Error {
        Error::blob(format_args!("{}: {}", self.display_url, cause(&error)))
    }

    /// Converts "not found" to `None`.
    fn optional<T>(&self, result: object_store::Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn path(&self, digest: &BlobDigest) -> Path {
        Path::from(format!("{}{}", self.prefix, digest.path()))
    }

    pub(super) async fn put(&self, digest: &BlobDigest, bytes: Bytes) -> Result<()> {
        self.store.put(&self.path(digest), bytes.into()).await.map(|_| ()).map_err(|error| self.failed(error))
    }

    pub(super) async fn get(&self, digest: &BlobDigest) -> Result<Option<Bytes>> {
        match self.optional(self.store.get(&self.path(digest)).await)? {
            Some(reading) => self.optional(reading.bytes().await),
            None => Ok(None),
        }
    }

    /// Returns the size of the blob in bytes, or `None` if it doesn't exist.
    pub(super) async fn size(&self, digest: &BlobDigest) -> Result<Option<u64>> {
        Ok(self.optional(self.store.head(&self.path(digest)).await)?.map(|meta| meta.size))
    }

    /// Returns a range of the bytes, or `None` if the blob doesn't exist.
    pub(super) async fn get_range(&self, digest: &BlobDigest, range: Range<u64>) -> Result<Option<Bytes>> {
        self.optional(self.store.get_range(&self.path(digest), range).await)
    }

    pub(super) async fn exists(&self, digest: &BlobDigest) -> Result<bool> {
        Ok(self.size(digest).await?.is_some())
    }

    pub(super) async fn any(&self) -> Result<bool> {
        let folder = Path::from(self.prefix.trim_end_matches('/'));
        let is_blob = |meta: &object_store::ObjectMeta| {
            meta.location.filename().is_some_and(|name| name.parse::<BlobDigest>().is_ok())
        };
        let mut objects = self.store.list(Some(&folder));
        while let Some(object) = objects.try_next().await.map_err(|error| self.failed(error))? {
            if is_blob(&object) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) async fn delete(&self, digest: &BlobDigest) -> Result<()> {
        self.optional(self.store.delete(&self.path(digest)).await).map(|_| ())
    }

    pub(super) async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<BlobDigest>> {
        let folder = Path::from(format!("{}{shard:02x}", self.prefix));
        let named = |meta: object_store::ObjectMeta| {
            let is_old = meta.last_modified.timestamp_millis() < before_ms;
            let digest = meta.location.filename().and_then(|name| name.parse::<BlobDigest>().ok());
            std::future::ready(Ok(digest.filter(|_| is_old)))
        };
        self.store.list(Some(&folder)).try_filter_map(named).try_collect().await.map_err(|error| self.failed(error))
    }
}

/// The AWS instance metadata address. An error that mentions it means that no credentials are configured.
const CREDENTIALS_HOST: &str = "169.254.169.254";
/// The S3 error code for a missing bucket.
const NO_BUCKET: &str = "NoSuchBucket";
/// Most characters of a service's error message that are kept.
const MESSAGE_CHARS_MAX: usize = 200;

/// Returns whether the object doesn't exist. A missing bucket has the same HTTP status but is an error.
fn is_absent(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { .. }) && !error.to_string().contains(NO_BUCKET)
}

/// Returns one line for the operator with the reason a request failed. Omits signed URLs, and keeps only the code and
/// message of the service's response, because the rest repeats the signed request.
fn cause(error: &object_store::Error) -> String {
    let text = error.to_string();
    let mut root: &dyn std::error::Error = error;
    while let Some(source) = root.source() {
        root = source;
    }
    let message = match (between(&text, "<Code>", "</Code>"), between(&text, "<Message>", "</Message>")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        // The response isn't an S3 error document: its first line has the status.
        _ => root.to_string().lines().next().unwrap_or_default().trim_end_matches([' ', ':']).to_owned(),
    };
    let message: String = message.chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS_MAX).collect();
    if text.contains(CREDENTIALS_HOST) {
        return format!(
            "there are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and the machine has none ({message})"
        );
    }
    message
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_bucket_is_not_a_missing_object() {
        let missing = |code: &str| object_store::Error::NotFound { path: "ab/cd".to_owned(), source: code.into() };
        assert!(is_absent(&missing("404: <Code>NoSuchKey</Code>")) && is_absent(&missing("404: ")));
        assert!(!is_absent(&missing("404: <Code>NoSuchBucket</Code>")));
    }

    #[test]
    fn error_text_has_the_code_and_message_and_nothing_signed() {
        let body = "Server returned non-2xx status code: 403 Forbidden: <Error><Code>SignatureDoesNotMatch</Code>\
                    <Message>Check your\nkey.</Message><StringToSign>AKIA-signed</StringToSign></Error>";
        let error = object_store::Error::Generic { store: "S3", source: body.into() };
        assert_eq!(cause(&error), "SignatureDoesNotMatch: Check yourkey.");
        let page = "Server returned non-2xx status code: 502 Bad Gateway: \n<html>";
        let error = object_store::Error::Generic { store: "S3", source: page.into() };
        assert_eq!(cause(&error), "Server returned non-2xx status code: 502 Bad Gateway");
        let away = "Error performing PUT http://169.254.169.254/latest/api/token in 3s - HTTP error";
        let error = object_store::Error::Generic { store: "S3", source: away.into() };
        assert!(cause(&error).starts_with("there are no credentials: AWS_ACCESS_KEY_ID"), "{}", cause(&error));
    }
}

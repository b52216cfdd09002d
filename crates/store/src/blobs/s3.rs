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
    /// The URL without what must not be shown.
    place: String,
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
        let place = format!("s3://{}", rest.rsplit_once('@').map_or(rest, |(_, place)| place));
        Ok(Bucket { store, prefix, place })
    }

    fn failed(&self, error: object_store::Error) -> Error {
        Error::blob(format_args!("{}: {}", self.place, cause(&error)))
    }

    /// That there is no such object is an answer, not an error.
    fn found<T>(&self, result: object_store::Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn path(&self, digest: &Digest) -> Path {
        Path::from(format!("{}{}", self.prefix, digest.path()))
    }

    pub(super) async fn put(&self, digest: &Digest, bytes: Bytes) -> Result<()> {
        self.store.put(&self.path(digest), bytes.into()).await.map(|_| ()).map_err(|error| self.failed(error))
    }

    pub(super) async fn get(&self, digest: &Digest) -> Result<Option<Bytes>> {
        match self.found(self.store.get(&self.path(digest)).await)? {
            Some(reading) => self.found(reading.bytes().await),
            None => Ok(None),
        }
    }

    pub(super) async fn exists(&self, digest: &Digest) -> Result<bool> {
        Ok(self.found(self.store.head(&self.path(digest)).await)?.is_some())
    }

    pub(super) async fn any(&self) -> Result<bool> {
        let folder = Path::from(self.prefix.trim_end_matches('/'));
        let is_blob = |meta: &object_store::ObjectMeta| {
            meta.location.filename().is_some_and(|name| name.parse::<Digest>().is_ok())
        };
        let mut objects = self.store.list(Some(&folder));
        while let Some(object) = objects.try_next().await.map_err(|error| self.failed(error))? {
            if is_blob(&object) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) async fn delete(&self, digest: &Digest) -> Result<()> {
        self.found(self.store.delete(&self.path(digest)).await).map(|_| ())
    }

    pub(super) async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<Digest>> {
        let folder = Path::from(format!("{}{shard:02x}", self.prefix));
        let named = |meta: object_store::ObjectMeta| {
            let is_old = meta.last_modified.timestamp_millis() < before_ms;
            let digest = meta.location.filename().and_then(|name| name.parse::<Digest>().ok());
            std::future::ready(Ok(digest.filter(|_| is_old)))
        };
        self.store.list(Some(&folder)).try_filter_map(named).try_collect().await.map_err(|error| self.failed(error))
    }
}

/// Where machines of AWS ask for credentials: who is told to look there was given none.
const CREDENTIALS_HOST: &str = "169.254.169.254";
/// What S3 calls a bucket that is not there.
const NO_BUCKET: &str = "NoSuchBucket";
/// Most characters of what a service says that are kept.
const SAID_CHARS_MAX: usize = 200;

/// Whether there is no such object. That there is no such bucket has the same status.
fn is_absent(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { .. }) && !error.to_string().contains(NO_BUCKET)
}

/// Why a request failed, in one line for the operator: no addresses that are signed, and of the service's answer its code and
/// message alone, for the rest repeats what the request was signed with.
fn cause(error: &object_store::Error) -> String {
    let text = error.to_string();
    let mut root: &dyn std::error::Error = error;
    while let Some(source) = root.source() {
        root = source;
    }
    let said = match (between(&text, "<Code>", "</Code>"), between(&text, "<Message>", "</Message>")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        // A page instead of an answer: its first line has the status.
        _ => root.to_string().lines().next().unwrap_or_default().trim_end_matches([' ', ':']).to_owned(),
    };
    let said: String = said.chars().filter(|c| !c.is_control()).take(SAID_CHARS_MAX).collect();
    if text.contains(CREDENTIALS_HOST) {
        return format!(
            "there are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and the machine has none ({said})"
        );
    }
    said
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_bucket_is_no_missing_object() {
        let missing = |code: &str| object_store::Error::NotFound { path: "ab/cd".to_owned(), source: code.into() };
        assert!(is_absent(&missing("404: <Code>NoSuchKey</Code>")) && is_absent(&missing("404: ")));
        assert!(!is_absent(&missing("404: <Code>NoSuchBucket</Code>")));
    }

    #[test]
    fn an_answer_gives_its_code_and_message_and_nothing_that_was_signed() {
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

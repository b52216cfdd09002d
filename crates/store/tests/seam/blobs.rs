//! Blob stores: the same behavior for files and a bucket.

use crate::s3_server::{LONG_AGO_MS, S3Server};
use crate::support::Dir;
use bytes::Bytes;
use hyper::StatusCode;
use posthouse_store::{BlobDigest, BlobStore, Error};

async fn on_each<F: AsyncFn(BlobStore)>(test: F) {
    let dir = Dir::new();
    test(BlobStore::open(&format!("file://{}", dir.path().join("deep/blobs").display()), &[]).unwrap()).await;
    let server = S3Server::start().await;
    let options = server.options("secret");
    test(BlobStore::open("s3://bucket", &options).unwrap()).await;
    test(BlobStore::open("s3://bucket/some/prefix/", &options).unwrap()).await;
}

#[tokio::test]
async fn blobs_are_stored_read_listed_and_deleted() {
    on_each(async |blobs| {
        let missing = BlobDigest::of(b"missing");
        assert!(!blobs.any().await.unwrap());
        let unread = blobs.read(&missing).await.unwrap_err();
        assert!(matches!(unread, Error::ContentDamaged(_)) && unread.internal().contains(&missing.to_string()));
        assert_eq!(blobs.get(&missing).await.unwrap(), None);
        assert!(!blobs.exists(&missing).await.unwrap());
        blobs.delete(&missing).await.unwrap();
        let contents: Vec<Bytes> = (0..40u8).map(|i| vec![i; usize::from(i) * 1000].into()).collect();
        let mut digests = Vec::new();
        for content in &contents {
            let digest = blobs.put(content.clone()).await.unwrap();
            assert_eq!(digest, BlobDigest::of(content));
            assert_eq!(digest, digest.to_string().parse().unwrap());
            digests.push(digest);
        }
        assert_eq!(blobs.put(contents[7].clone()).await.unwrap(), digests[7], "storing twice keeps one blob");
        assert!(blobs.any().await.unwrap());
        for (digest, content) in digests.iter().zip(&contents) {
            assert_eq!(blobs.get(digest).await.unwrap().as_ref(), Some(content));
            assert!(blobs.exists(digest).await.unwrap());
        }
        blobs.delete(&digests[0]).await.unwrap();
        let mut expected = digests[1..].to_vec();
        expected.sort_unstable();
        let (mut listed, mut old) = (Vec::new(), Vec::new());
        for shard in 0..=u8::MAX {
            listed.extend(blobs.list(shard, i64::MAX).await.unwrap());
            old.extend(blobs.list(shard, LONG_AGO_MS).await.unwrap());
        }
        assert_eq!(listed, expected);
        assert_eq!(old, [], "recent blobs are not listed");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writers_of_one_blob_do_not_interfere() {
    on_each(async |blobs| {
        let content = Bytes::from(vec![9; 100_000]);
        let puts: Vec<_> = (0..50)
            .map(|_| {
                let (blobs, content) = (blobs.clone(), content.clone());
                tokio::spawn(async move { blobs.put(content).await })
            })
            .collect();
        for put in puts {
            assert_eq!(put.await.unwrap().unwrap(), BlobDigest::of(&content));
        }
        assert_eq!(blobs.get(&BlobDigest::of(&content)).await.unwrap(), Some(content));
    })
    .await;
}

#[tokio::test]
async fn altered_bytes_are_never_returned() {
    let dir = Dir::new();
    let blobs = BlobStore::files(dir.path());
    let digest = blobs.put(Bytes::from_static(b"true")).await.unwrap();
    let hex = digest.to_string();
    std::fs::write(dir.path().join(&hex[..2]).join(&hex[2..4]).join(&hex), b"false").unwrap();
    assert!(matches!(blobs.get(&digest).await, Err(Error::ContentDamaged(_))));
}

#[tokio::test]
async fn partial_files_of_a_crash_are_removed() {
    let dir = Dir::new();
    let blobs = BlobStore::files(dir.path());
    let digest = blobs.put(Bytes::from_static(b"x")).await.unwrap();
    let hex = digest.to_string();
    let partial = dir.path().join(&hex[..2]).join(&hex[2..4]).join("1-2.partial");
    std::fs::write(&partial, b"half").unwrap();
    blobs.remove_partial(digest.0[0], 0).await.unwrap();
    assert_eq!(blobs.list(digest.0[0], i64::MAX).await.unwrap(), [digest]);
    assert!(partial.exists(), "recent: may still be being written");
    blobs.remove_partial(digest.0[0], i64::MAX).await.unwrap();
    assert!(!partial.exists() && blobs.exists(&digest).await.unwrap());
}

#[tokio::test]
async fn a_failing_bucket_is_unavailable_and_a_single_error_is_retried() {
    let server = S3Server::start().await;
    let blobs = BlobStore::open("s3://bucket", &server.options("secret")).unwrap();
    server.failures.lock().unwrap().push(StatusCode::SERVICE_UNAVAILABLE);
    let digest = blobs.put(Bytes::from_static(b"x")).await.unwrap();
    assert!(blobs.exists(&digest).await.unwrap());
    *server.failures.lock().unwrap() = vec![StatusCode::SERVICE_UNAVAILABLE; 20];
    let error = blobs.get(&digest).await.unwrap_err();
    assert!(matches!(&error, Error::BlobStore(cause) if cause.contains("503")), "{error:?}");
    assert!(error.is_transient() && !error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn a_bucket_rejects_requests_signed_with_another_secret() {
    let server = S3Server::start().await;
    let blobs = BlobStore::open("s3://bucket", &server.options("wrong")).unwrap();
    let error = blobs.put(Bytes::from_static(b"x")).await.unwrap_err();
    assert!(matches!(&error, Error::BlobStore(cause) if cause.contains("SignatureDoesNotMatch")), "{error:?}");
    assert!(!error.to_string().contains("127.0.0.1"), "{error}");
    let blobs = BlobStore::open("s3://bucket", &server.options("secret")).unwrap();
    assert!(!blobs.exists(&BlobDigest::of(b"x")).await.unwrap(), "nothing was stored");
}

#[tokio::test]
async fn an_unreachable_bucket_reports_the_blob_store_and_the_cause() {
    // A bound socket that doesn't listen rejects connections, and no other program can get its port.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let mut options = S3Server::start().await.options("secret");
    options[0].1 = format!("http://{}", closed.local_addr().unwrap());
    let blobs = BlobStore::open("s3://bucket/deep", &options).unwrap();
    blobs.prepare().await.unwrap();
    for error in [
        blobs.put(Bytes::from_static(b"x")).await.unwrap_err(),
        blobs.get(&BlobDigest::of(b"x")).await.unwrap_err(),
        blobs.list(0, i64::MAX).await.unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "the blob store is not available");
        let cause = error.internal();
        assert!(cause.starts_with("s3://bucket/deep: Connection refused") && !cause.contains("secret"), "{cause}");
    }
}

#[tokio::test]
async fn prepare_reports_a_directory_that_cannot_be_created() {
    let dir = Dir::new();
    let blobs = BlobStore::files(dir.path().join("deep/blobs"));
    blobs.prepare().await.unwrap();
    blobs.probe(Bytes::from_static(b"x")).await.unwrap();
    let left = std::fs::read_dir(dir.path().join("deep/blobs")).unwrap();
    assert!(left.map(|entry| entry.unwrap().path()).all(|path| path.is_dir()), "the probe left its file");
    std::fs::write(dir.path().join("file"), b"").unwrap();
    let error = BlobStore::files(dir.path().join("file/blobs")).prepare().await.unwrap_err();
    assert!(matches!(&error, Error::BlobStore(cause) if cause.contains("file/blobs: Not a directory")), "{error:?}");
}

#[test]
fn invalid_urls_are_rejected_with_a_reason() {
    for url in ["", "blobs", "file://relative", "gs://bucket", "s3://"] {
        let error = BlobStore::open(url, &[]).err().map(|e| e.to_string());
        assert!(error.as_ref().is_some_and(|text| text.starts_with("blob_url")), "{url}: {error:?}");
    }
}

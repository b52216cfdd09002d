//! Reading raw bytes in chunks: the same bytes as reading them whole, in bounded pieces, from every place.

use crate::s3_server::S3Server;
use crate::support::Dir;
use bytes::Bytes;
use posthouse_store::blobs::{RAW_CHUNK_BYTES, RawReader};
use posthouse_store::contents::RawLocation;
use posthouse_store::{BlobDigest, BlobStore, Error};

/// Returns bytes that zstd can't compress.
fn noise(bytes: usize) -> Vec<u8> {
    let blocks = (0u64..).flat_map(|n| BlobDigest::of(&n.to_be_bytes()).0);
    blocks.take(bytes).collect()
}

/// Contents of every kind: empty, tiny, compressible, incompressible, at and around the size of a chunk.
fn contents() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [0, 1, 100, RAW_CHUNK_BYTES - 1, RAW_CHUNK_BYTES, RAW_CHUNK_BYTES + 1, 3_000_000]
        .map(noise)
        .into_iter()
        .collect();
    all.push(vec![b'x'; 20 * RAW_CHUNK_BYTES]);
    all.push([noise(500_000), vec![0; 500_000], noise(77)].concat());
    all
}

/// Reads to the end and checks the size of every chunk.
async fn read_all(reader: &mut RawReader) -> Result<Vec<u8>, Error> {
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().await? {
        assert!((1..=RAW_CHUNK_BYTES).contains(&chunk.len()), "{}", chunk.len());
        all.extend_from_slice(&chunk);
    }
    Ok(all)
}

/// Stores compressed bytes in the blob store and returns their location.
async fn in_blob(blobs: &BlobStore, compressed: &[u8]) -> RawLocation {
    RawLocation::Blob(blobs.put(Bytes::copy_from_slice(compressed)).await.unwrap().to_string())
}

async fn check_each(blobs: BlobStore) {
    for content in contents() {
        let compressed = blobs.compress(&content).unwrap();
        let blob = in_blob(&blobs, &compressed).await;
        for location in [RawLocation::Inline(compressed), blob] {
            let mut reader = blobs.open_raw(location.clone(), content.len() as u64).await.unwrap();
            assert_eq!(reader.bytes(), content.len() as u64);
            reader.verify(Some(BlobDigest::of(&content).0)).await.unwrap();
            assert!(read_all(&mut reader).await.unwrap() == content, "{} bytes", content.len());
            assert_eq!(reader.next_chunk().await.unwrap(), None, "the end stays the end");
            let mut unverified = blobs.open_raw(location, content.len() as u64).await.unwrap();
            assert!(read_all(&mut unverified).await.unwrap() == content);
        }
    }
}

#[tokio::test]
async fn files_are_read_in_bounded_chunks() {
    let dir = Dir::new();
    check_each(BlobStore::files(dir.path())).await;
}

#[tokio::test]
async fn objects_of_a_bucket_are_read_in_bounded_chunks() {
    let server = S3Server::start().await;
    check_each(BlobStore::open("s3://bucket/prefix", &server.options("secret")).unwrap()).await;
}

#[tokio::test]
async fn damage_is_found_before_the_first_chunk() {
    let dir = Dir::new();
    let blobs = BlobStore::files(dir.path());
    let content = noise(400_000);
    let bytes = content.len() as u64;
    let compressed = blobs.compress(&content).unwrap();
    let RawLocation::Blob(name) = in_blob(&blobs, &compressed).await else { unreachable!("a blob") };
    let path = dir.path().join(&name[..2]).join(&name[2..4]).join(&name);
    let located = || RawLocation::Blob(name.clone());

    let mut reader = blobs.open_raw(located(), bytes).await.unwrap();
    let wrong = reader.verify(Some([0; 32])).await.unwrap_err();
    assert!(wrong.internal().contains("don't match their hash"), "{wrong:?}");
    let mut altered = compressed.clone();
    altered[compressed.len() / 2] ^= 1;
    for damaged in [&altered[..], &compressed[..compressed.len() - 1], b""] {
        std::fs::write(&path, damaged).unwrap();
        let mut reader = blobs.open_raw(located(), bytes).await.unwrap();
        let error = reader.verify(None).await.unwrap_err();
        assert!(matches!(error, Error::ContentDamaged(_)), "{error:?}");
        assert!(error.internal().contains(&format!("blob {name} doesn't match its hash")), "{error:?}");
        let inline = RawLocation::Inline(damaged.to_vec());
        let mut reader = blobs.open_raw(inline, bytes).await.unwrap();
        assert!(matches!(reader.verify(None).await, Err(Error::ContentDamaged(_))));
    }
    std::fs::remove_file(&path).unwrap();
    let error = blobs.open_raw(located(), bytes).await.err().unwrap();
    assert!(error.internal().contains(&format!("blob {name} is missing")), "{error:?}");
}

#[tokio::test]
async fn another_size_than_expected_is_an_error_and_never_more_bytes() {
    let dir = Dir::new();
    let blobs = BlobStore::files(dir.path());
    for content in contents() {
        let compressed = blobs.compress(&content).unwrap();
        for bytes in [content.len() as u64 + 1, (content.len() as u64).saturating_sub(1)] {
            if bytes == content.len() as u64 {
                continue;
            }
            let mut reader = blobs.open_raw(RawLocation::Inline(compressed.clone()), bytes).await.unwrap();
            assert!(matches!(read_all(&mut reader).await, Err(Error::ContentDamaged(_))), "{bytes}");
        }
    }
}

#[tokio::test]
async fn an_open_file_is_read_to_its_end_after_it_was_deleted() {
    let dir = Dir::new();
    let blobs = BlobStore::files(dir.path());
    let content = noise(500_000);
    let location = in_blob(&blobs, &blobs.compress(&content).unwrap()).await;
    let RawLocation::Blob(name) = &location else { unreachable!("a blob") };
    let digest = name.parse().unwrap();
    let mut reader = blobs.open_raw(location, content.len() as u64).await.unwrap();
    reader.verify(None).await.unwrap();
    blobs.delete(&digest).await.unwrap();
    assert!(read_all(&mut reader).await.unwrap() == content);
}

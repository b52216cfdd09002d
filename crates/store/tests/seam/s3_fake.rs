//! A bucket in memory that speaks enough of S3: PUT, GET, HEAD, DELETE and ListObjectsV2, path style, signed requests only.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

/// When every object was stored: 2024-01-01, in milliseconds.
pub(crate) const STORED_AT_MS: i64 = 1_704_067_200_000;

#[derive(Clone, Default)]
pub(crate) struct FakeS3 {
    pub(crate) objects: Arc<Mutex<BTreeMap<String, Bytes>>>,
    /// Answers to give before any other, to be taken from the end.
    pub(crate) failures: Arc<Mutex<Vec<StatusCode>>>,
}

impl FakeS3 {
    /// Listens on a free port; returns the options that lead there.
    pub(crate) async fn start(&self) -> Vec<(String, String)> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let fake = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = fake.clone();
                let serve = service_fn(move |request| {
                    let fake = fake.clone();
                    async move { Ok::<_, Infallible>(fake.answer(request).await) }
                });
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), serve));
            }
        });
        [
            ("AWS_ENDPOINT_URL", &*endpoint),
            ("AWS_ACCESS_KEY_ID", "k"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("HOME", "/root"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let respond = |status, body: Bytes| {
            let length = body.len();
            let mut response = Response::new(Full::new(body));
            *response.status_mut() = status;
            let headers = response.headers_mut();
            headers.insert("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT".parse().unwrap());
            headers.insert("etag", "\"e\"".parse().unwrap());
            headers.insert("content-length", length.into());
            response
        };
        let is_signed =
            request.headers().get("authorization").is_some_and(|value| value.as_bytes().starts_with(b"AWS4-"));
        if !is_signed {
            return respond(StatusCode::FORBIDDEN, Bytes::new());
        }
        if let Some(status) = self.failures.lock().unwrap().pop() {
            return respond(status, Bytes::new());
        }
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let query = request.uri().query().unwrap_or_default().replace("%2F", "/");
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let mut objects = self.objects.lock().unwrap();
        if method == Method::GET && query.contains("list-type=2") {
            let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
            return respond(StatusCode::OK, list(&objects, path.trim_matches('/'), prefix));
        }
        match (method, objects.get(&path)) {
            (Method::PUT, _) => {
                objects.insert(path, body);
                respond(StatusCode::OK, Bytes::new())
            }
            (Method::DELETE, _) => {
                objects.remove(&path);
                respond(StatusCode::NO_CONTENT, Bytes::new())
            }
            (Method::GET | Method::HEAD, Some(object)) => respond(StatusCode::OK, object.clone()),
            _ => respond(StatusCode::NOT_FOUND, Bytes::new()),
        }
    }
}

fn list(objects: &BTreeMap<String, Bytes>, bucket: &str, prefix: &str) -> Bytes {
    let full = format!("/{bucket}/{prefix}");
    let contents: String = objects
        .iter()
        .filter(|(path, _)| path.starts_with(&full))
        .map(|(path, object)| {
            let key = &path[bucket.len() + 2..];
            format!(
                "<Contents><Key>{key}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>e</ETag>\
                 <Size>{}</Size></Contents>",
                object.len()
            )
        })
        .collect();
    format!("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>")
        .into()
}

//! A real S3 server over a directory (s3s and s3s-fs) that checks the signature of every request and can inject
//! failures.

use crate::support::Dir;
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, body::Incoming};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

/// A time before all objects of a test: 2024-01-01, in milliseconds.
pub(crate) const LONG_AGO_MS: i64 = 1_704_067_200_000;

/// A server with one empty bucket, `bucket`.
pub(crate) struct S3Server {
    endpoint: String,
    /// Statuses to respond with before anything else, used from the end.
    pub(crate) failures: Arc<Mutex<Vec<StatusCode>>>,
    _objects: Dir,
}

impl S3Server {
    /// Starts a server on a free port.
    pub(crate) async fn start() -> Self {
        let objects = Dir::new();
        std::fs::create_dir(objects.path().join("bucket")).unwrap();
        let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(objects.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single("key", "secret"));
        let service = builder.build();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let failures = Arc::new(Mutex::new(Vec::new()));
        let answers = failures.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (service, failures) = (service.clone(), answers.clone());
                let serve = service_fn(move |request| answer(service.clone(), failures.clone(), request));
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), serve));
            }
        });
        Self { endpoint, failures, _objects: objects }
    }

    /// Returns the options for connecting to it, as environment variables.
    pub(crate) fn options(&self, secret: &str) -> Vec<(String, String)> {
        [
            ("AWS_ENDPOINT_URL", &*self.endpoint),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", secret),
            ("HOME", "/root"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }
}

type Answer = Response<http_body_util::combinators::BoxBody<Bytes, s3s::StdError>>;

async fn answer(
    service: S3Service,
    failures: Arc<Mutex<Vec<StatusCode>>>,
    request: Request<Incoming>,
) -> Result<Answer, Infallible> {
    let failure = failures.lock().unwrap().pop();
    if let Some(status) = failure {
        let mut response = Response::new(Empty::new().map_err(|never| match never {}).boxed());
        *response.status_mut() = status;
        return Ok(response);
    }
    let answered = service.call(request.map(s3s::Body::from)).await.unwrap();
    Ok(answered.map(|body| body.boxed()))
}

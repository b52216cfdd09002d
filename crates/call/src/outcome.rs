//! What an operation returns: a value, a document, a download or a stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use posthouse_api::views::RenderedPage;
use posthouse_app::{Service, limits::requests::RateLimitStatus, messages::download::Download};
use posthouse_domain::{ErrorCode, Page, Refusal};
use serde::Serialize;

/// The memory that producing a chunk of a download takes, in bytes.
const STEP_BYTES: u64 = 1 << 20;

/// The result of an operation.
#[derive(Debug)]
pub struct Outcome {
    /// The status, of RFC 9110: 200, 201, 202 or 204.
    pub status: u16,
    /// The content type of the body; `None` without a body.
    pub content_type: Option<String>,
    pub body: OutcomeBody,
    /// Whether it is the stored result of an earlier call with the same idempotency key.
    pub is_replayed: bool,
    /// Who may keep it, and how long.
    pub cache: Option<CacheRule>,
    /// Limits that the call counted for, beside the requests per minute.
    pub limits: Vec<RateLimitStatus>,
    /// Facts about the body that HTTP shows as fields.
    pub fields: Vec<(&'static str, String)>,
}

/// How long everyone may keep a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CacheRule {
    /// For how long, in seconds.
    pub seconds: u32,
    /// What equal bodies have in common, if their bytes differ.
    pub identity: Option<Vec<u8>>,
}

/// The body of a result.
#[derive(Debug)]
pub enum OutcomeBody {
    /// Bytes in memory.
    Bytes(Bytes),
    /// Chunks that are produced as fast as the client reads them.
    Stream(OutcomeStream),
}

/// The chunks of a body.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Bytes, Refusal>> + Send>>;

/// A body in chunks. Dropping it ends the work behind it, as when the client disconnects.
pub struct OutcomeStream {
    /// The number of bytes still to come, if it is known.
    pub bytes_left: Option<u64>,
    /// A chunk that is in memory already.
    pub first: Option<Bytes>,
    /// The memory that producing a chunk takes, in bytes.
    pub step_bytes: u64,
    /// The chunks after the first.
    pub chunks: ChunkStream,
    /// The span of the call, for log lines.
    span: tracing::Span,
}

impl OutcomeStream {
    /// Creates a body of a known size, or of an unknown one.
    pub fn new(bytes: Option<u64>, chunks: impl Stream<Item = Result<Bytes, Refusal>> + Send + 'static) -> Self {
        let span = tracing::Span::current();
        Self { bytes_left: bytes, first: None, step_bytes: STEP_BYTES, chunks: Box::pin(chunks), span }
    }

    /// Sets the first chunk, and the memory in bytes that producing each of the others takes.
    #[must_use]
    pub fn with_steps(self, first: Bytes, step_bytes: u64) -> Self {
        Self { first: Some(first), step_bytes, ..self }
    }
}

impl Stream for OutcomeStream {
    type Item = Result<Bytes, Refusal>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let next = match this.first.take() {
            Some(first) => Poll::Ready(Some(Ok(first))),
            None => {
                let span = this.span.clone();
                let _entered = span.enter();
                this.chunks.poll_next_unpin(context)
            }
        };
        if let Poll::Ready(Some(Ok(chunk))) = &next {
            this.bytes_left = this.bytes_left.map(|left| left.saturating_sub(chunk.len() as u64));
        }
        next
    }
}

impl std::fmt::Debug for OutcomeStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutcomeStream").field("bytes_left", &self.bytes_left).finish_non_exhaustive()
    }
}

/// Renders a page until it would exceed `bytes_max`. Call it where the page is read: rendering megabytes on a thread of
/// the runtime would delay other requests.
///
/// # Errors
/// Returns `internal_error` if a view cannot be serialized.
pub fn render_page<'a, T, V: Serialize>(
    page: &'a Page<T>,
    bytes_max: u64,
    view: impl Fn(&'a T) -> V,
) -> Result<RenderedPage, Refusal> {
    RenderedPage::of(page, bytes_max, view).map_err(|_| not_rendered())
}

/// Renders a view, like [`render_page`].
///
/// # Errors
/// Returns `internal_error` if the view cannot be serialized.
pub fn render_view<V: Serialize>(view: &V) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(view).map_err(|_| not_rendered())
}

fn not_rendered() -> Refusal {
    Refusal::new(ErrorCode::Internal, "The response couldn't be rendered.")
}

impl Outcome {
    /// Creates a value.
    ///
    /// # Errors
    /// Returns `internal_error` if the view cannot be serialized.
    pub fn json<T: Serialize>(status: u16, view: &T) -> Result<Self, Refusal> {
        Ok(Self::rendered_json(status, render_view(view)?))
    }

    /// Creates a page of a list, which ends early if it exceeds `limits.page_bytes`. For items of bounded size; pages of
    /// messages are rendered by [`render_page`] on a thread of the store.
    ///
    /// # Errors
    /// Returns `internal_error` if a view cannot be serialized.
    pub fn page<'a, T, V: Serialize>(
        service: &Service,
        page: &'a Page<T>,
        view: impl Fn(&'a T) -> V,
    ) -> Result<Self, Refusal> {
        Ok(Self::rendered_json(200, render_page(page, service.config.limits.page_bytes, view)?.into_json()))
    }

    /// Creates a value from rendered JSON.
    #[must_use]
    pub fn rendered_json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// Creates a document of another content type.
    #[must_use]
    pub fn typed(status: u16, content_type: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { status, content_type: Some(content_type.into()), body: OutcomeBody::Bytes(body.into()), ..Self::empty() }
    }

    /// Creates a value that everyone may keep for some seconds.
    ///
    /// # Errors
    /// Returns `internal_error` if the view cannot be serialized.
    pub fn cached_json<T: Serialize>(seconds: u32, view: &T) -> Result<Self, Refusal> {
        Ok(Self::json(200, view)?.cached(CacheRule { seconds, identity: None }))
    }

    /// Lets everyone keep the result.
    #[must_use]
    pub fn cached(self, cache: CacheRule) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Creates the result of an operation that returns nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            status: 204,
            content_type: None,
            body: OutcomeBody::Bytes(Bytes::new()),
            is_replayed: false,
            cache: None,
            limits: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// Creates a result in chunks.
    #[must_use]
    pub fn stream(content_type: impl Into<String>, stream: OutcomeStream) -> Self {
        Self { body: OutcomeBody::Stream(stream), ..Self::typed(200, content_type, Bytes::new()) }
    }

    /// Creates a download.
    #[must_use]
    pub fn download(content_type: impl Into<String>, download: Download) -> Self {
        let content_type = content_type.into();
        match download.into_whole() {
            Ok(bytes) => Self::typed(200, content_type, bytes),
            Err(chunked) => {
                let bytes = chunked.bytes();
                let next = |mut download: Download| async move {
                    let chunk = download.next_chunk().await?;
                    Ok(chunk.map(|chunk| (chunk, download)))
                };
                Self::stream(content_type, OutcomeStream::new(Some(bytes), stream::try_unfold(chunked, next)))
            }
        }
    }

    /// States the limits that the call counted for.
    #[must_use]
    pub fn with_limits(mut self, statuses: impl IntoIterator<Item = RateLimitStatus>) -> Self {
        self.limits.extend(statuses);
        self
    }

    /// Adds a fact that HTTP shows as a field.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }
}

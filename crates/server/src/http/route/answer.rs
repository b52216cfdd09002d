//! What a handler answers with when it succeeds.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use posthouse_domain::error::{Code, Refusal};
use serde::Serialize;

use crate::http::socket::Entrance;

/// An answer of success.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// Headers beside those that every response has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// Who goes on by WebSocket behind it.
    pub entrance: Option<Entrance>,
}

impl Answer {
    /// A JSON answer.
    ///
    /// # Errors
    /// `internal_error` if the view cannot be written, which no view of ours does.
    pub fn json<T: Serialize>(status: u16, view: &T) -> Result<Self, Refusal> {
        let body =
            serde_json::to_vec(view).map_err(|_| Refusal::new(Code::Internal, "The answer could not be written."))?;
        Ok(Self::written(status, body))
    }

    /// A JSON answer that is written already.
    #[must_use]
    pub fn written(status: u16, body: impl Into<Bytes>) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// An answer of another content type.
    #[must_use]
    pub fn typed(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        Self {
            status,
            headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(content_type))],
            body: body.into(),
            entrance: None,
        }
    }

    /// 101: from here on the connection is a WebSocket.
    #[must_use]
    pub fn switching(entrance: Entrance) -> Self {
        Self { status: StatusCode::SWITCHING_PROTOCOLS, entrance: Some(entrance), ..Self::empty() }
    }

    /// 204.
    #[must_use]
    pub fn empty() -> Self {
        Self { status: StatusCode::NO_CONTENT, headers: Vec::new(), body: Bytes::new(), entrance: None }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(in crate::http) fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        if let Some(entrance) = self.entrance {
            response.extensions_mut().insert(entrance);
        }
        response
    }
}

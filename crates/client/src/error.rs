//! Why a command did not succeed, with its exit code.

use std::fmt;

use serde_json::{Value, json};

/// Why a command did not succeed.
#[derive(Clone, Debug)]
pub(crate) enum ClientError {
    /// The arguments are invalid: exit code 2.
    Usage(String),
    /// The server refused the request: exit code 1.
    Api(Box<ApiError>),
    /// The server can't be reached, or does not answer in time: exit code 1.
    Unreachable(String),
    /// Anything else that failed: exit code 1.
    Failed(String),
    /// What the command waited for did not come: exit code 3.
    TimedOut(String),
    /// The reader of standard output stopped early, which is no failure: exit code 0.
    OutputClosed,
}

/// An error response of the server.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The error code, or `http_error` if the response has none.
    pub(crate) code: String,
    /// What is wrong.
    pub(crate) message: String,
    /// The next step.
    pub(crate) fix: Option<String>,
    /// Seconds after which the request may be repeated.
    pub(crate) retry_after_s: Option<u64>,
    /// The time of the response as the server states it.
    pub(crate) date: Option<jiff::Timestamp>,
    /// The `error` object as the server sent it, or null.
    pub(crate) body: Value,
}

impl ApiError {
    /// Reads an error object of the API. `message` is used if it has none.
    pub(crate) fn of(status: u16, error: &Value, message: &str) -> Self {
        let text = |member: &str| error[member].as_str().map(str::to_owned);
        Self {
            status,
            code: text("code").unwrap_or_else(|| "http_error".to_owned()),
            message: text("message").unwrap_or_else(|| message.to_owned()),
            fix: text("fix"),
            retry_after_s: error["details"]["retry_after_seconds"].as_u64(),
            date: None,
            body: error.clone(),
        }
    }
}

impl ClientError {
    /// Returns the exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Api(_) | Self::Unreachable(_) | Self::Failed(_) => 1,
            Self::TimedOut(_) => 3,
            Self::OutputClosed => 0,
        }
    }

    /// Returns the API's error code, or that of the client.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Usage(_) => "usage",
            Self::Api(error) => &error.code,
            Self::Unreachable(_) | Self::Failed(_) => "failed",
            Self::TimedOut(_) => "timeout",
            Self::OutputClosed => "output_closed",
        }
    }

    /// Returns what is wrong, and the next step if the message doesn't have it.
    pub(crate) fn lines(&self) -> (String, Option<String>) {
        match self {
            Self::Usage(text) | Self::Unreachable(text) | Self::Failed(text) | Self::TimedOut(text) => {
                (text.clone(), None)
            }
            Self::Api(error) => (format!("{} ({})", error.message, error.code), error.fix.clone()),
            Self::OutputClosed => ("standard output is closed".to_owned(), None),
        }
    }

    /// Returns whether the server answered with this status.
    pub(crate) fn has_status(&self, status: u16) -> bool {
        matches!(self, Self::Api(error) if error.status == status)
    }

    /// Returns the error as one JSON object, as the API would.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Api(error) if error.body.is_object() => json!({ "error": error.body }),
            other => json!({ "error": { "code": other.code(), "message": other.to_string() } }),
        }
    }
}

/// The message and the next step.
impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, fix) = self.lines();
        f.write_str(&message)?;
        fix.map_or(Ok(()), |fix| write!(f, " {fix}"))
    }
}

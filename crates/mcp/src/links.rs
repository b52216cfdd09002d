//! Links over which a file reaches a call, or leaves one, without passing through the model.

use posthouse_app::access::file_links;
use posthouse_domain::{ErrorCode, FileDirection, Refusal, Time, file_link::CALL_BYTES_MAX};
use serde_json::{Map, Value, json};

use crate::invoke::Invoker;

/// The operation that returns a file.
const DOWNLOAD: &str = "getAttachment";

/// A link for a client.
pub(crate) struct CreatedLink {
    /// The URL.
    pub(crate) url: String,
    /// When it expires.
    pub(crate) expires_at: Time,
}

/// The call that a link makes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StoredCall {
    /// The operation.
    pub(crate) operation: String,
    /// The parameters of the path.
    pub(crate) path: Vec<(String, String)>,
    /// The body, whose files have no content yet; null if the call has no body.
    pub(crate) body: Value,
    /// The idempotency key, so that the call is made once.
    pub(crate) idempotency_key: Option<String>,
    /// Which of the attachments get content: their positions.
    pub(crate) files: Vec<usize>,
}

/// Returns the call that downloads a file.
pub(crate) fn download(attachment: &str) -> StoredCall {
    StoredCall {
        operation: DOWNLOAD.to_owned(),
        path: vec![("id".to_owned(), attachment.to_owned())],
        body: Value::Null,
        idempotency_key: None,
        files: Vec::new(),
    }
}

impl StoredCall {
    fn text(&self) -> String {
        let path: Map<String, Value> = self.path.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let mut call = json!({ "operation": self.operation, "path": path });
        if !self.body.is_null() {
            call["body"] = self.body.clone();
            call["idempotency_key"] = json!(self.idempotency_key);
            call["files"] = json!(self.files);
        }
        call.to_string()
    }

    /// Reads a call that was stored.
    ///
    /// # Errors
    /// Returns `internal_error` if it isn't one.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
        let call: Value = serde_json::from_str(text).unwrap_or_default();
        let operation = call["operation"].as_str().map(str::to_owned);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let files = call["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(Self {
            operation: operation.ok_or_else(|| Refusal::new(ErrorCode::Internal, "The link has no call."))?,
            path: call["path"].as_object().into_iter().flatten().map(|(n, v)| (n.clone(), text(v))).collect(),
            body: call["body"].clone(),
            idempotency_key: call["idempotency_key"].as_str().map(str::to_owned),
            files: files.iter().filter_map(Value::as_u64).filter_map(|at| usize::try_from(at).ok()).collect(),
        })
    }
}

/// Creates a link for each call.
///
/// # Errors
/// Returns `body_too_large` for a call that is too large, or `rate_limited` if the workspace has too many links.
pub(crate) async fn create(
    invoker: &Invoker<'_>,
    direction: FileDirection,
    calls: Vec<StoredCall>,
) -> Result<Vec<CreatedLink>, Refusal> {
    let calls: Vec<String> = calls.iter().map(StoredCall::text).collect();
    if let Some(large) = calls.iter().map(String::len).find(|bytes| *bytes > CALL_BYTES_MAX) {
        let message =
            format!("The call has {large} bytes without its files; with a link, it may have {CALL_BYTES_MAX}.");
        let refusal = Refusal::new(ErrorCode::BodyTooLarge, message);
        return Err(refusal.with_fix("Shorten the text, or send the files in `content_base64`."));
    }
    let service = invoker.service;
    let issued = file_links::issue(service, invoker.caller.caller, direction, calls).await?;
    let base = service.config.base_url.trim_end_matches('/');
    let link = |issued: file_links::IssuedFileLink| CreatedLink {
        url: format!("{base}/mcp/files/{}", issued.token.reveal()),
        expires_at: issued.expires_at,
    };
    Ok(issued.into_iter().map(link).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_call_is_read_as_it_was() {
        let with_files = StoredCall {
            operation: "sendMessage".to_owned(),
            path: vec![("id".to_owned(), "1".to_owned())],
            body: json!({ "attachments": [{ "filename": "a" }] }),
            idempotency_key: Some("k".to_owned()),
            files: vec![0],
        };
        for call in [with_files, download("2")] {
            assert_eq!(StoredCall::read(&call.text()).unwrap(), call);
        }
        assert!(StoredCall::read("").is_err());
    }
}

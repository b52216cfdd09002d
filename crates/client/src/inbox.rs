//! Finds an inbox by its id or address.

use serde_json::Value;

use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
};

/// Inboxes on one page of the look-up.
const PAGE: u32 = 100;

/// An inbox as a command needs it.
pub(crate) struct InboxRef {
    /// The id.
    pub(crate) id: String,
    /// The address; `None` if the key may not read inboxes.
    pub(crate) address: Option<String>,
    /// The time at which the server answered.
    pub(crate) server_time: Option<jiff::Timestamp>,
}

impl InboxRef {
    /// Returns the address for a person, or the id if the address is not known.
    pub(crate) fn shown(&self) -> &str {
        self.address.as_deref().unwrap_or(&self.id)
    }

    /// Returns the address.
    ///
    /// # Errors
    /// Fails if the key may not read it.
    pub(crate) fn known_address(&self) -> Result<&str, ClientError> {
        self.address.as_deref().ok_or_else(|| {
            let id = &self.id;
            ClientError::Failed(format!(
                "the key may not read the address of inbox {id}; use a key with the permission inboxes:read"
            ))
        })
    }

    /// Returns the path of a resource below the inbox.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("/v1/inboxes/{}{below}", segment(&self.id))
    }
}

/// Finds the inbox with this id or address. An address is compared without case.
///
/// A key without the permission to read inboxes can use an id: the server checks it in the next request.
///
/// # Errors
/// Fails if the text is neither, or if the key can access no such inbox.
pub(crate) async fn find(api: &Api, text: &str) -> Result<InboxRef, ClientError> {
    let text = text.trim();
    if text.contains('@') {
        return by_address(api, text).await;
    }
    if !is_id(text) {
        return Err(ClientError::Usage(format!(
            "{text} is neither the id nor the address of an inbox; posthouse inboxes list shows both"
        )));
    }
    let id = text.to_owned();
    match api.call(Call::get(format!("/v1/inboxes/{}", segment(text)))).await {
        Ok(response) => {
            let address = response.body["address"].as_str().map(str::to_owned);
            Ok(InboxRef { id, address, server_time: response.date })
        }
        Err(ClientError::Api(error)) if error.status == 403 => {
            Ok(InboxRef { id, address: None, server_time: error.date })
        }
        Err(error) => Err(error),
    }
}

async fn by_address(api: &Api, address: &str) -> Result<InboxRef, ClientError> {
    let mut cursor: Option<String> = None;
    loop {
        let query = Query::default().with("include_temporary", true).with("limit", PAGE).maybe("cursor", cursor);
        let response = api.call(Call::get("/v1/inboxes").query(&query)).await?;
        let items = response.body["data"].as_array().map_or(&[][..], Vec::as_slice);
        let has_address = |inbox: &&Value| {
            inbox["address"].as_str().is_some_and(|found| found.to_lowercase() == address.to_lowercase())
        };
        if let Some(inbox) = items.iter().find(has_address) {
            let id = inbox["id"].as_str().unwrap_or_default().to_owned();
            let address = inbox["address"].as_str().map(str::to_owned);
            return Ok(InboxRef { id, address, server_time: response.date });
        }
        match response.body["next_cursor"].as_str().filter(|next| !next.is_empty()) {
            Some(next) => cursor = Some(next.to_owned()),
            None => {
                let text = format!("the key can access no inbox {address}; posthouse inboxes list shows all it can");
                return Err(ClientError::Failed(text));
            }
        }
    }
}

/// Returns whether a text has the form of an id: a UUID.
pub(crate) fn is_id(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scripted::{Reply, ScriptedServer};

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    #[tokio::test]
    async fn an_id_needs_no_permission_to_read_inboxes() {
        let error = json!({ "error": { "code": "forbidden", "message": "No." } }).to_string();
        let date = "date: Wed, 21 Oct 2026 07:28:00 GMT\r\n";
        for (status, is_found) in [(403, true), (404, false)] {
            let server = ScriptedServer::start(vec![Reply::Response(status, date, error.clone())]).await;
            let found = find(&server.session().api().unwrap(), ID).await;
            assert_eq!(found.is_ok(), is_found, "{status}");
            let Ok(inbox) = found else { continue };
            assert_eq!((inbox.id.as_str(), inbox.shown(), &inbox.address), (ID, ID, &None));
            assert!(inbox.server_time.is_some() && inbox.known_address().is_err());
        }
    }

    #[test]
    fn ids_are_uuids() {
        assert!(is_id("01890a5d-ac96-774b-bcce-b302099a8057") && is_id("01890A5D-AC96-774B-BCCE-B302099A8057"));
        for other in ["", "support", "01890a5dac96774bbcceb302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g"] {
            assert!(!is_id(other), "{other}");
        }
    }
}

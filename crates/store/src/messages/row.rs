//! The row of a message.

use posthouse_domain::{
    agent_message::disclosure::Disclosure,
    message::{Message, MessageVerification},
};
use serde::{Deserialize, Serialize};

use crate::{
    Json,
    message_signatures::{StoredAgentDelivery, StoredAuthorSignature},
};

/// The stored form of a verification.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredVerification {
    code: Option<String>,
    link: Option<String>,
    confidence: f64,
    auth_failed: bool,
}

impl From<&MessageVerification> for StoredVerification {
    fn from(v: &MessageVerification) -> Self {
        Self { code: v.code.clone(), link: v.link.clone(), confidence: v.confidence, auth_failed: v.auth_failed }
    }
}

impl From<StoredVerification> for MessageVerification {
    fn from(v: StoredVerification) -> Self {
        Self { code: v.code, link: v.link, confidence: v.confidence, auth_failed: v.auth_failed }
    }
}

crate::from_row!(Message {
    workspace = workspace_id,
    id,
    inbox = inbox_id,
    thread = thread_id,
    content = content_id,
    direction,
    status,
    channel,
    kind = type,
    rfc_message_id,
    in_reply_to,
    references = refs: Json<Vec<String>>,
    from = from_text,
    to = to_list: Json<Vec<String>>,
    cc = cc_list: Json<Vec<String>>,
    bcc = bcc_list: Json<Vec<String>>,
    reply_to,
    reply_to_unproven,
    author_proven,
    subject,
    labels: Json<Vec<String>>,
    is_read,
    auto_reply,
    size_bytes,
    trace,
    verification: Option<Json<StoredVerification>>,
    data,
    agent: Option<Json<StoredAgentDelivery>>,
    author: Option<Json<StoredAuthorSignature>>,
    disclosure: Option<Json<Disclosure>>,
    answers,
    contact_address,
    contact = contact_id,
    has_attachments,
    masked_links,
    held,
    released_at,
    status_at,
    sent_at,
    received_at,
    created_at,
} => Self {
    workspace,
    id,
    inbox,
    thread,
    content,
    direction,
    status,
    channel,
    kind,
    rfc_message_id,
    in_reply_to,
    references: references.0,
    from,
    to: to.0,
    cc: cc.0,
    bcc: bcc.0,
    reply_to,
    reply_to_unproven,
    author_proven,
    subject,
    labels: labels.0,
    is_read,
    auto_reply,
    size_bytes,
    trace,
    verification: verification.map(|stored| stored.0.into()),
    data,
    agent: agent.map(|stored| stored.0.delivery()).transpose()?,
    author: author.map(|stored| stored.0.signature()).transpose()?,
    disclosure: disclosure.map(|stored| stored.0),
    answers,
    contact_address,
    contact,
    has_attachments,
    masked_links,
    held,
    released_at,
    status_at,
    sent_at,
    received_at,
    created_at,
});

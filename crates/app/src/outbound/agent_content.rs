//! What an outgoing message says about its author, and what signatures of its copies cover. Pure.

use posthouse_domain::{
    agent_message::{
        author::{AuthorClaims, AuthoredContent},
        content::{SignedContent, address_set, attachment_entries, bare, body_hash, data_hash, hash},
        disclosure::{DEFAULT_LINE, DisclosureParties},
    },
    inbox::Inbox,
    send::OutgoingContent,
    workspace::{DisclosureLine, Workspace},
};
use posthouse_mail::{
    address::{Address, Mailbox},
    html, thread,
};
use sha2::{Digest, Sha256};

use super::compose::OutgoingMessage;
use crate::inbound::parse::ParsedMail;

/// Returns the parties that a message of an inbox names. `own` are the domains of the service; an inbox at another
/// domain acts for that domain.
pub(super) fn parties(workspace: &Workspace, inbox: &Inbox, own: &[String]) -> DisclosureParties {
    if !workspace.ai_disclosure.shares_name {
        return DisclosureParties::default();
    }
    let name = &workspace.name;
    let on_behalf_of = if own.contains(&inbox.domain) { name } else { &inbox.domain };
    DisclosureParties { on_behalf_of: Some(on_behalf_of.clone()), operator: Some(name.clone()) }.shown()
}

/// Adds the visible line of the workspace to the bodies. A message without a text body gets it in its HTML.
pub(super) fn add_visible_line(content: &mut OutgoingContent, workspace: &Workspace) {
    let disclosure = &workspace.ai_disclosure;
    let (in_text, in_html) = match disclosure.visible_line {
        DisclosureLine::Off => return,
        DisclosureLine::Text => (true, content.text.is_none()),
        DisclosureLine::Html => (true, true),
    };
    let line = disclosure.text.as_deref().unwrap_or(DEFAULT_LINE);
    if let Some(text) = content.text.as_mut().filter(|_| in_text) {
        let end = if text.ends_with('\n') { "\n" } else { "\n\n" };
        text.push_str(end);
        text.push_str(line);
    }
    if let Some(page) = content.html.as_mut().filter(|_| in_html) {
        let mut paragraph = String::new();
        html::push_escaped(&mut paragraph, line);
        // Before the end of the body, if the page has one.
        let lower = page.to_ascii_lowercase();
        let at = lower.rfind("</body").or_else(|| lower.rfind("</html")).unwrap_or(page.len());
        page.insert_str(at, &paragraph);
    }
}

/// Returns what the author of a request signs: its parts as the request has them.
pub(super) fn authored(outgoing: &OutgoingMessage, inbox: &Inbox, claims: &AuthorClaims) -> AuthoredContent {
    let shown = |list: &[Mailbox]| list.iter().map(|mailbox| mailbox.address().to_string()).collect();
    let content = &outgoing.content;
    let digests: Vec<[u8; 32]> = content.files.iter().map(|file| Sha256::digest(&file.bytes).into()).collect();
    AuthoredContent {
        from: inbox.address.clone(),
        to: shown(&outgoing.people.to),
        cc: shown(&outgoing.people.cc),
        has_handles: claims.has_handles(),
        subject_sha256: hash(outgoing.subject.as_bytes()),
        text_sha256: content.text.as_deref().map(body_hash),
        html_sha256: content.html.as_deref().map(body_hash),
        data_sha256: content.data_json.as_deref().map(data_hash),
        att: attachment_entries(&digests),
        kind: content.kind,
        in_reply_to: outgoing.answers().and_then(|original| thread::normalised_message_id(&original.rfc_message_id)),
    }
}

/// Returns what signatures of the copies cover: the parts as the copies show them. `None` if the author isn't the
/// sending inbox.
pub(super) fn signed(
    copy: &ParsedMail,
    sender: &Address,
    disclosure: Option<&DisclosureParties>,
    author: Option<&AuthorClaims>,
) -> Option<SignedContent> {
    let is_own = copy.author.as_ref().is_some_and(|author| author.address().without_tag() == sender.without_tag());
    if !is_own {
        return None;
    }
    Some(SignedContent {
        msg_id: copy.rfc_message_id.clone()?,
        from: bare(&copy.from),
        to: address_set(&copy.to),
        cc: address_set(&copy.cc),
        subject_sha256: copy.subject.as_deref().map(|subject| hash(subject.as_bytes())),
        text_sha256: copy.bodies.text.as_deref().map(body_hash),
        html_sha256: copy.bodies.html.as_deref().map(body_hash),
        data_sha256: copy.data.as_deref().map(data_hash),
        att: attachment_entries(copy.files.iter().map(|file| &file.sha256)),
        kind: copy.kind.text().to_owned(),
        in_reply_to: copy.in_reply_to.clone(),
        disclosure: disclosure.cloned(),
        author: author.map(AuthorClaims::signed),
    })
}

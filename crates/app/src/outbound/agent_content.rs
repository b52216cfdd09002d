//! What an outgoing message says about its author, and what signatures of its copies cover. Pure.

use posthouse_domain::agent_message::content::{
    address_set, attachment_entries, bare, body_hash, data_hash, hash, named_attachment_entry,
};
use posthouse_domain::agent_message::disclosure::{DEFAULT_LINE, PARTY_CHARS_MAX};
use posthouse_domain::{
    AuthorClaims, AuthoredContent, DisclosureLine, DisclosureParties, Inbox, OutgoingContent, SignedContent, Workspace,
};
use posthouse_mail::{address::Address, address::Mailbox, html, thread};
use sha2::{Digest, Sha256};

use super::compose::OutgoingMessage;
use crate::mailbox::parse::ParsedMail;

/// Returns the parties that a message of an inbox names. `own` are the domains of the service; an inbox at another
/// domain acts for that domain.
pub(super) fn parties(workspace: &Workspace, inbox: &Inbox, own: &[String]) -> DisclosureParties {
    if !workspace.ai_disclosure.shares_name {
        return DisclosureParties::default();
    }
    let name = &workspace.name;
    let on_behalf_of = if own.contains(&inbox.domain) { name } else { &inbox.domain };
    // A part of a domain would name another one.
    let is_cut = on_behalf_of == &inbox.domain && on_behalf_of.len() > PARTY_CHARS_MAX;
    let on_behalf_of = (!is_cut).then(|| on_behalf_of.clone());
    DisclosureParties { on_behalf_of, operator: Some(name.clone()) }.shown()
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
        add_to_page(page, line);
    }
}

/// Adds a line to the end of a page. If it isn't visible there, because the page ends in a comment, a style sheet or a hidden
/// element, it is added to the start.
fn add_to_page(page: &mut String, line: &str) {
    let mut paragraph = String::new();
    html::push_escaped(&mut paragraph, line);
    // Before the end of the body, if the page has one.
    let lower = page.to_ascii_lowercase();
    let at = lower.rfind("</body").or_else(|| lower.rfind("</html")).unwrap_or(page.len());
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let seen = |page: &str| words(&html::to_text(page)).matches(&words(line)).count();
    let before = seen(page);
    page.insert_str(at, &paragraph);
    if seen(page) <= before {
        page.replace_range(at..at + paragraph.len(), "");
        page.insert_str(0, &paragraph);
    }
}

/// Returns what the author of a request signs: its parts as the request has them.
pub(super) fn authored(
    outgoing: &OutgoingMessage,
    inbox: &Inbox,
    claims: &AuthorClaims,
    issuer: &str,
) -> AuthoredContent {
    let shown = |list: &[Mailbox]| list.iter().map(|mailbox| mailbox.address().to_string()).collect();
    let content = &outgoing.content;
    let digests: Vec<[u8; 32]> = content.files.iter().map(|file| Sha256::digest(&file.bytes).into()).collect();
    let with_names = content.files.iter().zip(&digests);
    let mut att_names: Vec<String> =
        with_names.map(|(file, sha256)| named_attachment_entry(sha256, &file.name, &file.content_type)).collect();
    att_names.sort_unstable();
    AuthoredContent {
        issuer: issuer.to_owned(),
        from: inbox.address.clone(),
        to: shown(&outgoing.people.to),
        cc: shown(&outgoing.people.cc),
        has_handles: claims.has_handles(),
        subject_sha256: hash(outgoing.subject.as_bytes()),
        text_sha256: content.text.as_deref().map(body_hash),
        html_sha256: content.html.as_deref().map(body_hash),
        data_sha256: content.data_json.as_deref().map(data_hash),
        att: attachment_entries(&digests),
        att_names,
        kind: content.kind,
        in_reply_to: outgoing.answers().and_then(|original| thread::normalised_message_id(&original.rfc_message_id)),
    }
}

/// Returns what signatures of the copies cover: the parts as the copies show them. `None` if the author isn't the
/// sending inbox.
pub(super) fn signed(
    copy: &ParsedMail,
    sender: &Address,
    disclosure: &DisclosureParties,
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
        disclosure: Some(disclosure.clone()),
        author: author.map(AuthorClaims::signed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_visible_on_every_page() {
        let pages = [
            "",
            "<p>x</p>",
            "<html><body><p>x</p></body></html>",
            "<p>x</p><!-- </body -->",
            "<p>x</p><!--",
            "<a title=\"</body>\">y</a>",
            "<style>p { color: red } </body>",
            "<p>x</p><style>",
            "<p>x</p><div style=\"display:none\">",
            "<p>x</p><div hidden></body></div>",
            "<p>By a bot.</p><!--",
            "<script>",
            "<p title='",
        ];
        for page in pages {
            let mut shown = page.to_owned();
            add_to_page(&mut shown, "By a  <bot>.");
            assert_eq!(html::to_text(&shown).matches("<bot>").count(), 1, "{page} {shown}");
        }
    }
}

//! Converts a draft to an outgoing message. Drafts may be incomplete until then.

use posthouse_domain::{
    Draft, FieldProblem, Message, MessageRecipients, OutgoingContent, OutgoingFile, Refusal, send::RECIPIENTS_MAX,
};
use posthouse_mail::address::Mailbox;
use posthouse_store::{Tx, draft_files, draft_files::DraftFileContent, messages};

use crate::{outbound::compose::OutgoingKind, outbound::compose::OutgoingMessage, service::Service};

/// The records needed to send a draft.
pub(super) struct DraftMaterial {
    pub(super) original: Option<Message>,
    pub(super) files: Vec<DraftFileContent>,
}

/// Reads the original message and the files of a draft.
///
/// # Errors
/// Returns `not_found` if the message that the draft replies to was deleted.
pub(super) fn load_material(tx: &mut Tx, draft: &Draft) -> Result<DraftMaterial, Refusal> {
    let original = match draft.answers {
        None => None,
        Some(id) => {
            let found = messages::get(tx, draft.workspace, id)?.filter(|message| message.inbox == draft.inbox);
            Some(found.ok_or_else(|| Refusal::not_found("message to reply to"))?)
        }
    };
    Ok(DraftMaterial { original, files: draft_files::contents(tx, draft.workspace, draft.id)? })
}

/// Returns the outgoing message.
///
/// # Errors
/// Returns `invalid_request` with all missing or invalid fields.
pub(super) fn outgoing_message(
    service: &Service,
    draft: &Draft,
    original: Option<Message>,
    files: Vec<OutgoingFile>,
) -> Result<OutgoingMessage, Refusal> {
    let (c, mut problems) = (&draft.content, Vec::new());
    let mut problem = |path: &str, text: String| {
        problems.push(FieldProblem { path: path.to_owned(), problem: text });
    };
    let mut read = |name: &str, list: &[String]| -> Vec<Mailbox> {
        let each = list.iter().enumerate().filter_map(|(at, text)| match Mailbox::parse(text) {
            Ok(mailbox) => Some(mailbox),
            Err(error) => {
                problem(&format!("{name}[{at}]"), format!("is not an address: {error}"));
                None
            }
        });
        each.take(RECIPIENTS_MAX).collect()
    };
    let people = MessageRecipients { to: read("to", &c.to), cc: read("cc", &c.cc), bcc: read("bcc", &c.bcc) };
    if let Some(text) = people.problem() {
        problem("to", text);
    }
    if c.subject.is_none() {
        problem("subject", "is required; it may be empty".to_owned());
    }
    if c.text.is_none() && c.html.is_none() && c.data_json.is_none() {
        problem("text", "is required, unless `html` or `data` is given; it must not be empty".to_owned());
    }
    if !problems.is_empty() {
        let refusal = Refusal::invalid(&problems);
        return Err(refusal.with_fix("Complete the draft with PATCH and send it again."));
    }
    let content = OutgoingContent {
        text: c.text.clone(),
        html: c.html.clone(),
        data_json: c.data_json.clone(),
        files,
        labels: draft.labels.clone(),
        kind: c.kind,
    };
    let origin = original.map_or(OutgoingKind::New, |original| OutgoingKind::Reply(Box::new(original)));
    Ok(OutgoingMessage::new(service.clock.ids().next(), people, c.subject.clone().unwrap_or_default())
        .with_content(content)
        .with_origin(origin))
}

//! From a draft to the message that it becomes. A draft may be incomplete until here.

use posthouse_domain::{
    draft::Draft,
    error::{FieldProblem, Refusal},
    message::Message,
    send::{Content, File, People, RECIPIENTS_MAX},
};
use posthouse_mail::address::Mailbox;
use posthouse_store::{
    Tx,
    draft_files::{self, FileContent},
    messages,
};

use crate::app::{
    App,
    compose::{Letter, Origin},
};

/// What is read of a draft to send it.
pub(super) struct Material {
    pub(super) original: Option<Message>,
    pub(super) files: Vec<FileContent>,
}

/// Reads what a draft is made of beside its row.
///
/// # Errors
/// `not_found` when the message that it answers is gone.
pub(super) fn material(tx: &mut Tx, draft: &Draft) -> Result<Material, Refusal> {
    let original = match draft.answers {
        None => None,
        Some(id) => {
            let found = messages::get(tx, draft.workspace, id)?.filter(|message| message.inbox == draft.inbox);
            Some(found.ok_or_else(|| Refusal::not_found("message to answer any more"))?)
        }
    };
    Ok(Material { original, files: draft_files::contents(tx, draft.workspace, draft.id)? })
}

/// The message, or everything that is missing.
///
/// # Errors
/// `invalid_request` with every problem.
pub(super) fn letter(app: &App, draft: &Draft, original: Option<Message>, files: Vec<File>) -> Result<Letter, Refusal> {
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
    let people = People { to: read("to", &c.to), cc: read("cc", &c.cc), bcc: read("bcc", &c.bcc) };
    if let Some(text) = people.problem() {
        problem("to", text);
    }
    if c.subject.is_none() {
        problem("subject", "is required; it may be empty".to_owned());
    }
    if c.text.is_none() && c.html.is_none() && c.data_json.is_none() {
        problem("text", "is required, unless html or data is given; it must not be empty".to_owned());
    }
    if !problems.is_empty() {
        let refusal = Refusal::invalid(&problems);
        return Err(refusal.with_fix("Complete the draft with PATCH and send it again."));
    }
    let content = Content {
        text: c.text.clone(),
        html: c.html.clone(),
        data_json: c.data_json.clone(),
        files,
        labels: draft.labels.clone(),
        kind: c.kind,
    };
    Ok(Letter {
        message: app.clock.ids().next(),
        people,
        subject: c.subject.clone().unwrap_or_default(),
        content,
        origin: original.map_or(Origin::New, |original| Origin::Answers(Box::new(original))),
    })
}

//! A mail that the service itself writes to a person: from an inbox of the workspace, where it is seen among the sent mail too,
//! and through the same gate as every other message. It says that a program wrote it (RFC 3834).

use std::sync::Arc;

use posthouse_domain::{
    auth::{Caller, Permissions, Scope},
    error::{Code, Refusal},
    id::{KeyId, MessageId},
    inbox::Inbox,
    send::People,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    autoreply::Marking,
    build::{self, Outgoing},
    thread,
};
use posthouse_store::messages::Record;
use uuid::Uuid;

use super::{
    App,
    compose::{self, Letter, Origin, Submitted},
    post,
    send::Order,
    submit::nothing_composed,
};

/// What is to be told.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Who is told.
    pub to: Address,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// Who is to be answered instead of the inbox.
    pub reply_to: Option<Address>,
}

/// Writes to a person from that inbox.
///
/// # Errors
/// What the gate refuses; the store's own.
pub async fn send(app: &Arc<App>, inbox: Inbox, notice: Notice) -> Result<(), Refusal> {
    let message: MessageId = app.clock.ids().next();
    let people = People { to: vec![Mailbox::cleaned(None, notice.to.clone())], cc: Vec::new(), bcc: Vec::new() };
    let raw = written(app, &notice, (&inbox, message, &people))?;
    let origin = Origin::Submitted(Submitted { raw, answers: None, token: None });
    let letter = Letter { message, people, subject: notice.subject, content: nothing_composed(), origin };
    let (workspace, key) = (inbox.workspace, KeyId(Uuid::nil()));
    let caller = Caller { workspace, key, scope: Scope::Org, permissions: Permissions::full() };
    let order = Order { caller, inbox: inbox.id, key: None, fence: None };
    post::post(app, order, (letter, inbox), Arc::new(|record: &Record| Ok(record.message.id.to_string()))).await?;
    Ok(())
}

fn written(
    app: &App,
    notice: &Notice,
    (inbox, message, people): (&Inbox, MessageId, &People),
) -> Result<Vec<u8>, Refusal> {
    let author = compose::author(inbox)?;
    let reply_to: Vec<Mailbox> = notice.reply_to.iter().map(|to| Mailbox::cleaned(None, to.clone())).collect();
    let built = build::build(&Outgoing {
        message_id: &thread::new_message_id(&message.to_string(), author.address().domain()),
        date_ms: app.clock.now().millis(),
        from: &author,
        to: &people.to,
        cc: &[],
        reply_to: &reply_to,
        subject: &notice.subject,
        text: Some(&notice.text),
        html: None,
        attachments: &[],
        in_reply_to: None,
        references: &[],
        extra: &Marking::Generated.fields(),
    });
    let unwritable = |_| Refusal::new(Code::Internal, "A notice to a person cannot be written.");
    Ok(built.map_err(unwritable)?.raw)
}

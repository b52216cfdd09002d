//! Mail with a link that only its recipient may follow (`keyring::sealed_link`): requests to confirm an address
//! or to claim a workspace. It appears among the sent mail of an inbox without the link.

use posthouse_domain::{
    error::{ErrorCode, Refusal},
    id::MessageId,
    inbox::Inbox,
    send::MessageRecipients,
};
use posthouse_mail::address::{Address, Mailbox};

use super::{
    compose::{self, ComposedMessage, OutgoingKind, OutgoingMessage},
    plain_mail::PlainMail,
};
use crate::{
    app::App,
    keyring::sealed_link::{self, TOKEN_PLACEHOLDER},
    outbound::submission::empty_content,
};

/// A mail with a link, before it is composed.
pub(crate) struct LinkMail {
    /// The recipient.
    pub(crate) to: Address,
    /// The subject, in ASCII.
    pub(crate) subject: &'static str,
    /// The path of the link, followed by the token.
    pub(crate) path: &'static str,
}

/// A composed mail with a link.
pub(crate) struct ComposedLinkMail {
    /// The message to queue.
    pub(crate) outgoing: OutgoingMessage,
    /// The SHA-256 of the token in the link, to store.
    pub(crate) token_sha256: [u8; 32],
}

/// Composes a mail from an inbox; `text` renders its text around the link.
///
/// # Errors
/// Returns `internal_error` if the mail can't be composed.
pub(crate) fn compose(
    app: &App,
    inbox: &Inbox,
    mail: LinkMail,
    text: impl FnOnce(&str) -> String,
) -> Result<ComposedLinkMail, Refusal> {
    let message: MessageId = app.clock.ids().next();
    let token = sealed_link::token(app, message)?;
    let broken = || Refusal::new(ErrorCode::Internal, "The confirmation mail couldn't be composed.");
    let token_sha256 = sealed_link::digest(&token).ok_or_else(broken)?;
    // In capture mode nothing leaves, so the stored mail shows the link to developers.
    let shown = if app.captures() { token.as_str() } else { TOKEN_PLACEHOLDER };
    let author = Mailbox::from(compose::author(inbox)?.into_address());
    let text = text(&format!("{}{}{shown}", app.config.base_url, mail.path));
    let plain = PlainMail { message, from: &author, to: &mail.to, subject: mail.subject, text: &text };
    let raw = plain.compose(app.clock.now()).ok_or_else(broken)?;
    let outgoing = OutgoingMessage {
        message,
        people: MessageRecipients { to: vec![Mailbox::from(mail.to)], cc: Vec::new(), bcc: Vec::new() },
        subject: mail.subject.to_owned(),
        content: empty_content(),
        origin: OutgoingKind::Submitted(ComposedMessage { raw, answers: None, token: Some(token), is_by_agent: false }),
        author: None,
    };
    Ok(ComposedLinkMail { outgoing, token_sha256 })
}

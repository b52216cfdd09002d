//! Mail with a link that only its recipient may follow (`keyring::sealed_link`): requests to confirm an address
//! or to claim a workspace. The stored copy has no link.

use posthouse_domain::{ErrorCode, MessageId, Refusal, ServiceMailKind, WorkspaceId};
use posthouse_mail::address::Address;

use super::{service_mail::ServiceMail, written_mail::WrittenMail};
use crate::{keyring::sealed_link, keyring::sealed_link::TOKEN_PLACEHOLDER, service::Service};

/// A mail with a link, before it is composed.
pub(crate) struct LinkMail {
    /// What it is about.
    pub(crate) kind: ServiceMailKind,
    /// The workspace that asks.
    pub(crate) workspace: WorkspaceId,
    /// The recipient.
    pub(crate) to: Address,
    /// The subject, in ASCII.
    pub(crate) subject: &'static str,
    /// The path of the link, followed by the token.
    pub(crate) path: &'static str,
}

/// A written mail with a link.
pub(crate) struct WrittenLinkMail {
    pub(crate) mail: ServiceMail,
    /// The SHA-256 of the token in the link, to store.
    pub(crate) token_sha256: [u8; 32],
}

/// Writes a mail with a link; `text` renders its text around the link.
///
/// # Errors
/// Returns `internal_error` if the link can't be created.
pub(crate) fn write(
    service: &Service,
    mail: LinkMail,
    text: impl FnOnce(&str) -> String,
) -> Result<WrittenLinkMail, Refusal> {
    let message: MessageId = service.clock.ids().next();
    let token = sealed_link::token(service, message)?;
    let broken = || Refusal::new(ErrorCode::Internal, "The mail with the link couldn't be written.");
    let token_sha256 = sealed_link::digest(&token).ok_or_else(broken)?;
    // In capture mode nothing leaves, so the stored mail shows the link to developers.
    let shown = if service.captures() { token.as_str() } else { TOKEN_PLACEHOLDER };
    let text = text(&format!("{}{}{shown}", service.config.base_url, mail.path));
    let written = WrittenMail::new(message, vec![mail.to], mail.subject, text).with_token(token);
    let mail = ServiceMail { kind: mail.kind, workspace: Some(mail.workspace), mail: written };
    Ok(WrittenLinkMail { mail, token_sha256 })
}

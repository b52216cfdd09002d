//! The check of received mail that needs no model. It runs before the mail is stored (`docs/guides/receiving.md`).

use posthouse_domain::{inbox::Inbox, label::DMARC_FAIL, message::HoldReason};
use posthouse_store::{Result, Tx, inboxes, workspaces};

use super::parse::ParsedMail;

/// Returns why a mail is held back from agents: it claims an inbox of this service as its author, and authentication
/// says that it isn't from there. Only in workspaces with screening.
///
/// # Errors
/// Returns an error if the database call fails.
pub(super) fn hold(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox) -> Result<Option<HoldReason>> {
    let has_failed = mail.labels.iter().any(|label| label == DMARC_FAIL);
    let Some(author) = mail.author.as_ref().filter(|_| has_failed) else { return Ok(None) };
    if inboxes::by_address(tx, author.address().without_tag().canonical_str())?.is_none() {
        return Ok(None);
    }
    let is_screened = workspaces::get(tx, inbox.workspace)?.is_none_or(|workspace| workspace.screening);
    Ok(is_screened.then_some(HoldReason::Phishing))
}

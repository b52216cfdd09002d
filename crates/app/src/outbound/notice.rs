//! Notices about the mail of an inbox, which are sent from it, appear among its sent mail and pass the same gate as other
//! messages.

use std::sync::Arc;

use posthouse_domain::{ErrorCode, Inbox, Record, Refusal};

use super::{accept, compose, send_context::SendContext, written_mail::WrittenMail};
use crate::service::Service;

/// Sends a notice from an inbox.
///
/// # Errors
/// Returns a refusal of the gate.
pub async fn send(service: &Arc<Service>, inbox: Inbox, notice: WrittenMail) -> Result<(), Refusal> {
    let author = compose::author(&inbox)?;
    let unwritable = || Refusal::new(ErrorCode::Internal, "The notice couldn't be composed.");
    let outgoing = notice.compose(&author, service.clock.now()).ok_or_else(unwritable)?;
    let context = SendContext::of_service(&inbox);
    accept::accept(service, context, outgoing, inbox, Arc::new(|record: &Record| Ok(record.message.id.to_string())))
        .await?;
    Ok(())
}

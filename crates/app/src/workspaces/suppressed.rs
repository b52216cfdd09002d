//! Records suppressions that failures and complaints cause.

use posthouse_domain::{Suppression, WorkspaceId};
use posthouse_store::{Result, Tx, service_mails, service_mails::WrittenFor, suppressions};

/// Records a suppression in the workspace of its message. A mail of the service fails for the workspace that it was written
/// for, which then asks or alerts the person no more.
pub(crate) fn record(tx: &mut Tx, suppression: &Suppression) -> Result<()> {
    suppressions::insert(tx, suppression)?;
    let of_service = suppression.message.filter(|_| suppression.workspace == WorkspaceId::SERVICE);
    let Some(message) = of_service else { return Ok(()) };
    if let Some(WrittenFor { workspace, kind }) = service_mails::of_message(tx, message)?
        && kind.is_suppressed_by_failure()
    {
        // The message is not one of the workspace.
        suppressions::insert(tx, &Suppression { workspace, message: None, ..suppression.clone() })?;
    }
    Ok(())
}

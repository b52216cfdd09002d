//! Recipients that a request names by handle. The stored message shows their addresses.

use posthouse_domain::{Caller, ErrorCode, MessageRecipients, NamedRecipients, Refusal};
use posthouse_mail::address::Address;
use posthouse_store::Tx;

use crate::{agents::handles, agents::switches, agents::view::AgentViewer, service::Service};

/// Returns the recipients with their addresses.
///
/// # Errors
/// Returns `directory_disabled`, `invalid_handle`, or `agent_not_found` for a handle that the caller can't find.
pub(crate) async fn resolve(
    service: &Service,
    caller: &Caller,
    named: NamedRecipients,
) -> Result<MessageRecipients, Refusal> {
    let unknown = |_: &str| Err(Refusal::new(ErrorCode::Internal, "A handle wasn't looked up."));
    if !named.has_handles() {
        return named.resolved(unknown);
    }
    switches::check(service)?;
    let (workspace, viewer) = (caller.workspace, AgentViewer::of(service));
    let load = move |tx: &mut Tx| {
        named.clone().resolved(|handle| {
            let address = handles::recipient(tx, workspace, handle, &viewer)?;
            Address::parse(&address).map_err(|_| Refusal::new(ErrorCode::Internal, "The agent has an invalid address."))
        })
    };
    service.read(workspace, load).await
}

//! The addresses of an inbox: added and asked, asked again, shown, taken away (contract §3.3).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    forwarding::{ADDRESSES_MAX, ForwardingAddress},
    id::{ForwardingAddressId, InboxId},
    inbox::Inbox,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, forwarding};

use super::invitation::{self, Asks};
use crate::app::{App, visible};

/// An address that somebody wants to be added.
#[derive(Clone, Debug)]
pub struct New {
    /// Where mail is to go.
    pub address: Address,
    /// Whether flagged mail stays; none is yes for a new address, and as it was for one that is there.
    pub skip_flagged: Option<bool>,
}

/// An address that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// As it is now.
    pub address: ForwardingAddress,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// The addresses of an inbox, oldest first.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn all(app: &App, caller: Caller, id: InboxId) -> Result<Vec<ForwardingAddress>, Refusal> {
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        Ok::<_, Refusal>(forwarding::of_inbox(tx, inbox.workspace, inbox.id)?)
    };
    app.store.read(work).await
}

/// Adds an address and asks its owner by mail. One that is there already is not asked again.
///
/// # Errors
/// `not_found`, `invalid_request` for the inbox itself or one address too many; what the gate refuses; the store's own.
pub async fn add(app: &Arc<App>, caller: Caller, id: InboxId, new: New) -> Result<Added, Refusal> {
    let read = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        let there = forwarding::of_inbox(tx, inbox.workspace, inbox.id)?;
        Ok::<_, Refusal>((inbox, there))
    };
    let (inbox, there) = app.store.read(read).await?;
    let canonical = new.address.canonical();
    if let Some(known) = there.iter().find(|known| known.address == canonical) {
        return Ok(Added { address: keep(app, known.clone(), new.skip_flagged).await?, is_new: false });
    }
    check(&inbox, &new.address, there.len())?;
    let now = app.clock.now();
    let address = ForwardingAddress {
        workspace: inbox.workspace,
        id: app.clock.ids().next(),
        inbox: inbox.id,
        address: canonical,
        skip_flagged: new.skip_flagged.unwrap_or(true),
        confirmed_at: None,
        confirmation_sent_at: now,
        last_forwarded_at: None,
        forwarded_count: 0,
        failure: None,
        created_at: now,
    };
    invitation::send(app, caller, (inbox, address.clone()), Asks::First).await?;
    Ok(Added { address, is_new: true })
}

/// Sends a new link; the ones before work no more. Who has agreed is not asked again.
///
/// # Errors
/// `not_found`; what the gate refuses; the store's own.
pub async fn ask_again(
    app: &Arc<App>,
    caller: Caller,
    (id, address): (InboxId, ForwardingAddressId),
) -> Result<ForwardingAddress, Refusal> {
    let (inbox, mut known) = app.store.read(move |tx| find(tx, &caller, id, address)).await?;
    if known.confirmed_at.is_none() {
        known.confirmation_sent_at = app.clock.now();
        invitation::send(app, caller, (inbox, known.clone()), Asks::Again).await?;
    }
    Ok(known)
}

/// Takes an address away, with what waited to be passed on to it.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn remove(app: &App, caller: Caller, (id, address): (InboxId, ForwardingAddressId)) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let (_, known) = find(tx, &caller, id, address)?;
        Ok::<_, Refusal>(forwarding::delete(tx, known.workspace, known.id)?)
    };
    app.store.write(work).await
}

fn find(
    tx: &mut Tx,
    caller: &Caller,
    id: InboxId,
    address: ForwardingAddressId,
) -> Result<(Inbox, ForwardingAddress), Refusal> {
    let inbox = visible::inbox(tx, caller, id)?;
    let known = forwarding::get(tx, inbox.workspace, address)?.filter(|known| known.inbox == inbox.id);
    Ok((inbox, known.ok_or_else(|| Refusal::not_found("forwarding address"))?))
}

/// An address that is there already: only what stays may change.
async fn keep(app: &App, mut known: ForwardingAddress, skip: Option<bool>) -> Result<ForwardingAddress, Refusal> {
    let Some(skip) = skip.filter(|skip| *skip != known.skip_flagged) else { return Ok(known) };
    known.skip_flagged = skip;
    let (workspace, id) = (known.workspace, known.id);
    app.store.write(move |tx| forwarding::set_skip_flagged(tx, workspace, id, skip)).await?;
    Ok(known)
}

fn check(inbox: &Inbox, address: &Address, count: usize) -> Result<(), Refusal> {
    let is_own = |other: &Address| other.canonical_str() == inbox.address;
    if is_own(address) || is_own(&address.without_tag()) {
        return Err(Refusal::invalid_field("address", "is the inbox itself, which has the mail already"));
    }
    if count >= ADDRESSES_MAX {
        return Err(too_many());
    }
    Ok(())
}

/// One address more than there may be.
pub(super) fn too_many() -> Refusal {
    let problem = format!("would be one more than the {ADDRESSES_MAX} addresses that an inbox may have");
    Refusal::invalid_field("address", problem)
        .with_fix("Remove an address first: DELETE /v1/inboxes/{id}/forwarding/{fid}.")
}

//! Lists, adds and removes the forwarding addresses of an inbox, and resends their confirmation mail.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::{
    Caller, ForwardingAddress, ForwardingAddressId, Inbox, InboxId, Refusal, forwarding::ADDRESSES_MAX,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, forwarding};

use super::confirmation_mail::{self, ConfirmationMailKind, ConfirmationRequested, too_many};
use crate::{access::visible, service::Service};

/// A request to add a forwarding address.
#[derive(Clone, Debug)]
pub struct NewForwardingAddress {
    /// The address to forward to.
    pub address: Address,
    /// Whether flagged mail is not forwarded. `None` means `true` for a new address, and no change for an existing
    /// one.
    pub skip_flagged: Option<bool>,
}

/// The result of adding a forwarding address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedForwardingAddress {
    pub address: ForwardingAddress,
    /// Whether the address is new.
    pub is_new: bool,
}

/// Returns the forwarding addresses of an inbox, oldest first.
///
/// # Errors
/// Returns `not_found`.
pub async fn all(service: &Service, caller: Caller, id: InboxId) -> Result<Vec<ForwardingAddress>, Refusal> {
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        Ok::<_, Refusal>(forwarding::of_inbox(tx, inbox.workspace, inbox.id)?)
    };
    service.read(caller.workspace, work).await
}

/// Adds an address and sends a confirmation mail to it. An existing address gets no second mail. `network` is the one that
/// counts as one client.
///
/// # Errors
/// Returns `not_found` or `invalid_request` if the address is the inbox itself or exceeds the limit, a refusal of the
/// gate.
pub async fn add(
    service: &Arc<Service>,
    caller: Caller,
    id: InboxId,
    new: NewForwardingAddress,
    network: IpAddr,
) -> Result<AddedForwardingAddress, Refusal> {
    let read = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        let there = forwarding::of_inbox(tx, inbox.workspace, inbox.id)?;
        Ok::<_, Refusal>((inbox, there))
    };
    let (inbox, there) = service.read(caller.workspace, read).await?;
    let canonical = new.address.canonical();
    if let Some(known) = there.iter().find(|known| known.address == canonical) {
        return Ok(AddedForwardingAddress {
            address: update_existing(service, known.clone(), new.skip_flagged).await?,
            is_new: false,
        });
    }
    check(&inbox, &new.address, there.len())?;
    let now = service.clock.now();
    let address = ForwardingAddress {
        workspace: inbox.workspace,
        id: service.clock.ids().next(),
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
    confirmation_mail::send(
        service,
        ConfirmationRequested { caller, network },
        inbox,
        address.clone(),
        ConfirmationMailKind::First,
    )
    .await?;
    Ok(AddedForwardingAddress { address, is_new: true })
}

/// Sends a new confirmation link and invalidates earlier ones. Does nothing for a confirmed address.
///
/// # Errors
/// Returns `not_found`, a refusal of the gate.
pub async fn resend_confirmation(
    service: &Arc<Service>,
    caller: Caller,
    id: InboxId,
    address: ForwardingAddressId,
    network: IpAddr,
) -> Result<ForwardingAddress, Refusal> {
    let (inbox, mut known) = service.read(caller.workspace, move |tx| find(tx, &caller, id, address)).await?;
    if known.confirmed_at.is_none() {
        known.confirmation_sent_at = service.clock.now();
        confirmation_mail::send(
            service,
            ConfirmationRequested { caller, network },
            inbox,
            known.clone(),
            ConfirmationMailKind::Again,
        )
        .await?;
    }
    Ok(known)
}

/// Removes an address and its pending forwards.
///
/// # Errors
/// Returns `not_found`.
pub async fn remove(
    service: &Service,
    caller: Caller,
    id: InboxId,
    address: ForwardingAddressId,
) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let (_, known) = find(tx, &caller, id, address)?;
        Ok::<_, Refusal>(forwarding::delete(tx, known.workspace, known.id)?)
    };
    service.write(work).await
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

/// Updates `skip_flagged` of an existing address.
async fn update_existing(
    service: &Service,
    mut known: ForwardingAddress,
    skip: Option<bool>,
) -> Result<ForwardingAddress, Refusal> {
    let Some(skip) = skip.filter(|skip| *skip != known.skip_flagged) else { return Ok(known) };
    known.skip_flagged = skip;
    let (workspace, id) = (known.workspace, known.id);
    service.write(move |tx| forwarding::set_skip_flagged(tx, workspace, id, skip)).await?;
    Ok(known)
}

fn check(inbox: &Inbox, address: &Address, count: usize) -> Result<(), Refusal> {
    let is_own = |other: &Address| other.canonical_str() == inbox.address;
    if is_own(address) || is_own(&address.without_tag()) {
        return Err(Refusal::invalid_field("address", "is the address of the inbox itself"));
    }
    if count >= ADDRESSES_MAX {
        return Err(too_many());
    }
    Ok(())
}

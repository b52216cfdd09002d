//! The link of a confirmation mail, followed by the owner of the address (decision 30): looking at the page uses nothing up,
//! pressing its button uses up the link.

use posthouse_domain::error::{Code, Refusal};
use posthouse_store::{Tx, forwarding, inboxes};

use crate::app::{App, sealed_link};

/// What somebody is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The address that is to get mail.
    pub address: String,
    /// The inbox whose mail it is.
    pub inbox: String,
    /// Whether the answer was given already.
    pub is_confirmed: bool,
}

/// What the link asks.
///
/// # Errors
/// `invalid_token`, or the store's own.
pub async fn asked(app: &App, token: &str) -> Result<Asked, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(over)?;
    let now = app.clock.now();
    app.store.read(move |tx| load(tx, &digest, now)).await
}

/// Agrees, and uses the link up.
///
/// # Errors
/// `invalid_token`, or the store's own.
pub async fn agree(app: &App, token: &str) -> Result<Asked, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(over)?;
    let now = app.clock.now();
    let work = move |tx: &mut Tx| {
        if !forwarding::confirm(tx, &digest, now)? {
            return Err(over());
        }
        load(tx, &digest, now)
    };
    app.store.write(work).await
}

fn load(tx: &mut Tx, digest: &[u8; 32], now: posthouse_domain::time::Time) -> Result<Asked, Refusal> {
    let found = forwarding::by_token(tx, digest, now)?.ok_or_else(over)?;
    let inbox = inboxes::get(tx, found.workspace, found.inbox)?.filter(|inbox| inbox.deleted_at.is_none());
    let inbox = inbox.ok_or_else(over)?.address;
    Ok(Asked { address: found.address, inbox, is_confirmed: found.confirmed_at.is_some() })
}

fn over() -> Refusal {
    Refusal::new(Code::InvalidToken, "This link was used already, was replaced by a newer one, or is too old.")
}

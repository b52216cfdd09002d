//! Suppressions made and lifted by callers (decision 15).

use posthouse_domain::{auth::Caller, error::Refusal};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx,
    suppressions::{self, Reason, Suppression},
};

use super::App;

/// A suppression that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppressed {
    /// As it is now.
    pub suppression: Suppression,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Suppresses an address; one that is suppressed already keeps its reason.
///
/// # Errors
/// The store's own.
pub async fn add(app: &App, caller: Caller, address: &Address) -> Result<Suppressed, Refusal> {
    let new = Suppression {
        workspace: caller.workspace,
        address: address.canonical(),
        reason: Reason::Manual,
        detail: None,
        message: None,
        created_at: app.clock.now(),
    };
    let work = move |tx: &mut Tx| {
        let is_new = suppressions::insert(tx, &new)?;
        let there = if is_new { None } else { suppressions::get(tx, new.workspace, &new.address)? };
        Ok::<_, Refusal>(Suppressed { suppression: there.unwrap_or_else(|| new.clone()), is_new })
    };
    app.store.write(work).await
}

/// Lifts the suppression of an address, written in any of its forms.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn remove(app: &App, caller: Caller, address: &str) -> Result<(), Refusal> {
    let missing = || Refusal::not_found("suppression");
    let address = Address::parse(address).map_err(|_| missing())?.canonical();
    let work = move |tx: &mut Tx| Ok::<_, Refusal>(suppressions::remove(tx, caller.workspace, &address)?);
    if app.store.write(work).await? { Ok(()) } else { Err(missing()) }
}

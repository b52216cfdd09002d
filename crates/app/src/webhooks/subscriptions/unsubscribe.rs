//! Ends a subscription on request.

use posthouse_domain::{Caller, Refusal, webhook::subscription::SubscriptionKey};
use posthouse_store::{Tx, webhook_deliveries as deliveries, webhooks};

use crate::service::Service;

/// The error of attempts that weren't made.
const ENDED: &str = "the client ended the subscription";

/// Ends the subscription with this key. Does nothing without such a subscription.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn unsubscribe(service: &Service, caller: Caller, key: SubscriptionKey) -> Result<(), Refusal> {
    let (workspace, id) = (caller.workspace, key.id());
    let work = move |tx: &mut Tx| {
        if webhooks::delete(tx, workspace, id)? {
            deliveries::cancel(tx, workspace, id, ENDED)?;
        }
        Ok::<_, Refusal>(())
    };
    service.write(work).await
}

//! Ends the access of connectors that were unused for long, or whose client never exchanged the code, and deletes expired
//! tokens and clients. Part of the reconciliation sweep.

use posthouse_domain::{ConnectorEnd, Time};
use posthouse_store::{Result, Tx, connector_clients, connectors};

use crate::access::connectors::ConnectorEnding;
use crate::service::Service;

/// Rows per transaction.
const STEP: u32 = 100;
/// Maximum transactions per sweep; the rest waits for the next sweep.
const STEPS_MAX: u32 = 50;

/// Ends what has expired.
pub async fn run(service: &Service, now: Time) -> Result<()> {
    for _ in 0..STEPS_MAX {
        let ending = ConnectorEnding { reason: ConnectorEnd::Expired, ids: service.clock.ids(), now };
        let work = move |tx: &mut Tx| -> Result<u64> {
            let ending = ending.clone();
            let mut ended = connectors::prune_tokens(tx, now, STEP)? + connector_clients::prune(tx, now, STEP)?;
            for found in connectors::expired(tx, now, STEP)? {
                ended += 1;
                // Its client may have refreshed it meanwhile.
                let locked = connectors::lock(tx, found.workspace, found.id)?;
                if let Some(connector) = locked.filter(|connector| connector.expires_at <= now) {
                    ending.end(tx, connector)?;
                }
            }
            Ok(ended)
        };
        if service.write(work).await? == 0 {
            break;
        }
    }
    Ok(())
}

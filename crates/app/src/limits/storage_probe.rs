//! Checks whether the database and the blob store work, for `/readyz`.

use posthouse_domain::{Detail, ErrorCode, Refusal, RefusalReason};
use posthouse_store::{Error, instance};

use crate::service::Service;

/// How long a probe of the blob store may take, in milliseconds: less than the timeout of common health checks.
const BLOB_PROBE_MS_MAX: i64 = 2_000;

/// Checks whether the database and the blob store work. Damage of the database isn't reported here: the store remembers
/// it.
///
/// # Errors
/// Returns `unavailable` with the reason.
pub async fn probe(service: &Service) -> Result<(), Refusal> {
    let unwritable = |reason, error: &Error| not_ready(reason, &format!("The database can't be written: {error}."));
    can_write(service).await.or_else(|error| match error {
        Error::DatabaseDamaged(_) => Ok(()),
        Error::StorageFull(_) => Err(unwritable(RefusalReason::StorageFull, &error)),
        _ => Err(unwritable(RefusalReason::Store, &error)),
    })?;
    if blobs_work(service).await {
        Ok(())
    } else {
        Err(not_ready(RefusalReason::BlobStore, "The blob store is not available."))
    }
}

/// Returns the refusal of a process that isn't ready.
#[must_use]
pub fn not_ready(reason: RefusalReason, message: &str) -> Refusal {
    Refusal::new(ErrorCode::Unavailable, message).detail(Detail::Reason(reason))
}

/// Checks that the store can write. A healthy store writes a few bytes; after `storage_full`, the store and the blob
/// store must have space for a whole mail.
async fn can_write(service: &Service) -> posthouse_store::Result<()> {
    if !service.storage_health.is_full() {
        return instance::probe(&service.store).await;
    }
    instance::probe_space(&service.store).await?;
    let blob = service.blobs.put(vec![0; instance::PROBE_BYTES].into()).await?;
    service.blobs.delete(&blob).await?;
    service.storage_health.record_space();
    Ok(())
}

/// Returns whether the blob store works. Probes it only after a failure, and at a limited rate.
async fn blobs_work(service: &Service) -> bool {
    if !service.storage_health.are_blobs_unknown() {
        return true;
    }
    if !service.storage_health.claim_blob_probe(service.clock.now()) {
        return false;
    }
    let bytes = service.clock.ids().next::<uuid::Uuid>().as_bytes().to_vec();
    let probed = tokio::select! {
        probed = service.blobs.probe(bytes.into()) => probed,
        () = service.clock.sleep_until(service.clock.now().plus_ms(BLOB_PROBE_MS_MAX)) => return false,
    };
    match probed {
        Ok(()) => service.storage_health.record_blobs_work(),
        Err(error) => tracing::warn!(cause = error.internal(), "blobs.unavailable"),
    }
    !service.storage_health.are_blobs_unknown()
}

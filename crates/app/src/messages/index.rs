//! Updates the full-text index, some time after mail is stored and before every search
//! (`docs/decisions/storage.md#0044-search-is-indexed-later`).
//!
//! Storing a message only queues it for indexing. Indexing is about a third of the work of receiving mail, so it runs
//! later, in batches.

use posthouse_domain::{IndexedText, Refusal, WorkspaceId, search};
use posthouse_store::{Error, search as store, search::PendingDocument};

use crate::{
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    service::ReadScope,
    service::Service,
};

/// Messages that may wait for indexing while mail arrives; the excess is indexed at once.
const LAG_MAX: u32 = 5_000;

/// The reason why a batch was not indexed.
enum NotIndexed {
    /// Writing the index failed.
    Write(Error),
    /// Any other failure.
    Other(Refusal),
}

impl<T: Into<Refusal>> From<T> for NotIndexed {
    fn from(refused: T) -> Self {
        Self::Other(refused.into())
    }
}

impl NotIndexed {
    fn refusal(self) -> Refusal {
        match self {
            Self::Write(error) => error.into(),
            Self::Other(refusal) => refusal,
        }
    }
}

/// Indexes the messages that a workspace has stored so far. If the disk is full or the database accepts no writes, the
/// index stays as it is, so that reads continue.
///
/// # Errors
/// Returns an error if a database read fails.
pub async fn catch_up(service: &Service, workspace: WorkspaceId) -> Result<(), Refusal> {
    if !service.read(ReadScope::Service, move |tx| store::has_pending(tx, workspace)).await? {
        return Ok(());
    }
    // One writer at a time; a caller that waited here usually finds the work done.
    let _guard = service.indexing.lock().await;
    loop {
        match batch(service, workspace).await {
            Ok(count) if count == u64::from(store::BATCH) => {}
            Ok(_) => return Ok(()),
            // The store logs damage once.
            Err(NotIndexed::Write(Error::DatabaseDamaged(_))) => return Ok(()),
            Err(NotIndexed::Write(error @ (Error::StorageFull(_) | Error::Unavailable(_)))) => {
                tracing::warn!(workspace_id = %workspace, cause = error.internal(), "search.not_indexed");
                return Ok(());
            }
            Err(failure) => return Err(failure.refusal()),
        }
    }
}

/// Returns the number of messages that wait for indexing, up to a bound.
pub async fn pending(service: &Service) -> Result<u64, Refusal> {
    Ok(service.read(ReadScope::Service, |tx| store::pending_count(tx, LAG_MAX * 2)).await?)
}

/// Indexes the waiting messages of all workspaces: all of them, or until the backlog is within its limit.
///
/// # Errors
/// Returns an error if a database call fails.
pub async fn index_pending(service: &Service, all: bool) -> Result<(), Refusal> {
    let enough = if all { 0 } else { u64::from(LAG_MAX) };
    while !service.lifecycle.is_draining() && pending(service).await? > enough {
        let Some(workspace) = service.read(ReadScope::Service, store::pending_somewhere).await? else { return Ok(()) };
        let _guard = service.indexing.lock().await;
        if batch(service, workspace).await.map_err(NotIndexed::refusal)? == 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Indexes up to [`store::BATCH`] messages of a workspace; returns how many were waiting in the batch.
async fn batch(service: &Service, workspace: WorkspaceId) -> Result<u64, NotIndexed> {
    let found = service.read(ReadScope::Service, move |tx| store::pending(tx, workspace)).await?;
    let count = found.len() as u64;
    if count == 0 {
        return Ok(0);
    }
    let tokenize = move |_: &WorkStop| -> Vec<(PendingDocument, IndexedText)> {
        let indexed = |pending: PendingDocument| {
            let tokens = search::index(&pending.source);
            (pending, tokens)
        };
        found.into_iter().map(indexed).collect()
    };
    let tokenized =
        service.blocking_pool.run_for(WorkOwner { class: WorkClass::Search, workspace }, 0, tokenize).await?;
    service
        .store
        .write_background(move |tx| store::insert(tx, workspace, &tokenized))
        .await
        .map_err(NotIndexed::Write)?;
    Ok(count)
}

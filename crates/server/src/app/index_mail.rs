//! Bringing the full-text index up to date (contract §7): some time after mail is stored, and before every search.
//!
//! Storing a mail only notes that it is to be indexed, for that costs as much as storing it. The index is a third of a
//! receipt's work, and is made when there is time for it, in batches.

use posthouse_domain::{
    error::Refusal,
    id::WorkspaceId,
    search::{self, Tokens},
};
use posthouse_store::{
    Error,
    search::{self as store, Pending},
};

use super::App;

/// How many messages may wait while mail keeps coming in. What is more is indexed at once.
const LAG_MAX: u32 = 5_000;

/// Why a batch was not indexed.
enum NotIndexed {
    /// The index could not be written.
    Unwritten(Error),
    /// Anything else.
    Refused(Refusal),
}

impl<T: Into<Refusal>> From<T> for NotIndexed {
    fn from(refused: T) -> Self {
        Self::Refused(refused.into())
    }
}

impl NotIndexed {
    fn refusal(self) -> Refusal {
        match self {
            Self::Unwritten(error) => error.into(),
            Self::Refused(refusal) => refusal,
        }
    }
}

/// Indexes what a workspace has stored until now. On a disk that is full, or a database that takes no writes, the index stays
/// as it is: reading goes on.
///
/// # Errors
/// The store's own.
pub async fn catch_up(app: &App, workspace: WorkspaceId) -> Result<(), Refusal> {
    if !app.store.read(move |tx| store::is_behind(tx, workspace)).await? {
        return Ok(());
    }
    // One at a time: who comes meanwhile finds the work done.
    let _turn = app.indexing.lock().await;
    loop {
        match batch(app, workspace).await {
            Ok(count) if count == u64::from(store::BATCH) => {}
            Ok(_) => return Ok(()),
            // Told once, by the store.
            Err(NotIndexed::Unwritten(Error::Damaged(_))) => return Ok(()),
            Err(NotIndexed::Unwritten(error @ (Error::Full(_) | Error::Unavailable(_)))) => {
                tracing::warn!(workspace_id = %workspace, cause = error.internal(), "search.not_indexed");
                return Ok(());
            }
            Err(failure) => return Err(failure.refusal()),
        }
    }
}

/// How much waits to be indexed, up to a bound.
///
/// # Errors
/// The store's own.
pub async fn lag(app: &App) -> Result<u64, Refusal> {
    Ok(app.store.read(|tx| store::pending_count(tx, LAG_MAX * 2)).await?)
}

/// Indexes what waits, of all workspaces: everything, or until no more waits than may.
///
/// # Errors
/// The store's own.
pub async fn work_off(app: &App, all: bool) -> Result<(), Refusal> {
    let enough = if all { 0 } else { u64::from(LAG_MAX) };
    while !app.life.is_draining() && lag(app).await? > enough {
        let Some(workspace) = app.store.read(store::pending_somewhere).await? else { return Ok(()) };
        let _turn = app.indexing.lock().await;
        if batch(app, workspace).await.map_err(NotIndexed::refusal)? == 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Indexes up to [`store::BATCH`] messages of a workspace; says how many it looked at.
async fn batch(app: &App, workspace: WorkspaceId) -> Result<u64, NotIndexed> {
    let found = app.store.read(move |tx| store::pending(tx, workspace)).await?;
    let count = found.len() as u64;
    if count == 0 {
        return Ok(0);
    }
    let words = move || -> Vec<(Pending, Tokens)> {
        let indexed = |pending: Pending| {
            let tokens = search::index(&pending.source);
            (pending, tokens)
        };
        found.into_iter().map(indexed).collect()
    };
    let words = app.apart.run(words).await?;
    app.store.write_aside(move |tx| store::put(tx, workspace, &words)).await.map_err(NotIndexed::Unwritten)?;
    Ok(count)
}

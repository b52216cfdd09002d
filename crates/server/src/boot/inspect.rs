//! Opens the store for `posthouse check`, which changes nothing on disk: no file is created or narrowed, no migration
//! runs, and every write fails.

use std::sync::Arc;

use posthouse_app::service::Service;

use crate::config::Configuration;
use posthouse_store::{
    DatabaseUrl, Store, StoreConfig,
    migrate::{self, MIGRATIONS},
};

use super::{BootError, configured_database, open_blobs, ports, store_identity::StoreIdentity};

/// The database as found.
pub enum DatabaseState {
    /// The schema is current.
    Current(Store),
    /// There is no database yet. The store is empty and in memory.
    Absent(Store),
    /// These migrations are not applied yet, so the statements of this version can't run.
    Outdated(Vec<&'static str>),
}

/// Returns the URL of the database. Unlike [`super::database_url`] it creates no directory.
///
/// # Errors
/// Returns an error if the URL is invalid.
pub fn database_url(config: &Configuration) -> Result<DatabaseUrl, BootError> {
    configured_database(config)
}

/// Opens the database if it is there and belongs to the data directory.
///
/// # Errors
/// Returns [`BootError::DatabaseLost`], [`BootError::OtherStore`], [`BootError::Damaged`], or an error if the database can't be
/// read or is newer than this version.
pub fn open_database(config: &Configuration) -> Result<DatabaseState, BootError> {
    let url = configured_database(config)?;
    let identity = StoreIdentity::inspect(config, &url)?;
    if migrate::inspect_read_only(&url)?.is_none() {
        return Ok(DatabaseState::Absent(Store::in_memory()?));
    }
    let pending = migrate::pending(&url, MIGRATIONS)?;
    if !pending.is_empty() {
        return Ok(DatabaseState::Outdated(pending));
    }
    let mark = Some(identity.mark());
    let store = Store::open(StoreConfig { mark, read_only: true, ..StoreConfig::new(url) })?;
    Ok(DatabaseState::Current(store))
}

/// Returns whether a process serves the store. Creates nothing.
///
/// # Errors
/// Returns an error if the database can't be reached.
pub fn is_served(config: &Configuration) -> Result<bool, BootError> {
    let url = configured_database(config)?;
    if migrate::inspect_read_only(&url)?.is_none() {
        return Ok(false);
    }
    Ok(posthouse_store::is_served(&url)?)
}

/// Builds the service on a store that [`open_database`] opened.
///
/// # Errors
/// Returns an error if the blob store or the resolver can't be set up.
pub fn program(config: &Configuration, store: Store) -> Result<Arc<Service>, BootError> {
    let (ports, _) = ports(config)?;
    Ok(Arc::new(Service::new(config.app.clone(), store, open_blobs(config)?, ports)))
}

//! Counts HTTP connections: by client address until a connection has authenticated, then by the workspace of its latest
//! authenticated request.
//!
//! Connections of trusted proxies carry requests of many clients. They count only while a request is in progress, by its
//! workspace.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_app::Service;
use posthouse_app::limits::client_network;
use posthouse_app::limits::shared_budget::{BudgetExceeded, BudgetShare, SharedBudget};
use posthouse_app::settings::network::Network;
use posthouse_domain::{ErrorCode, Limit, LimitName, Refusal, Workspace, WorkspaceId};
use tokio::sync::Semaphore;

use crate::connection::client;

/// When a client should connect again, in seconds.
const CONNECT_RETRY_S: u64 = 5;
/// Most connections that are being refused at once; more are closed without a response.
const REFUSALS_MAX: usize = 64;

/// What a connection counts as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ConnectionHolder {
    /// A connection from this network, without an authenticated request.
    Network(IpAddr),
    /// A connection of this workspace.
    Workspace(WorkspaceId),
    /// A connection of a trusted proxy, between two requests.
    Proxy,
}

/// The open connections of the process.
#[derive(Debug)]
pub(crate) struct Connections {
    open: SharedBudget<ConnectionHolder>,
    /// Connections that may be refused with a response.
    pub(crate) refusals: Arc<Semaphore>,
}

impl Default for Connections {
    fn default() -> Self {
        Self { open: SharedBudget::new(None), refusals: Arc::new(Semaphore::new(REFUSALS_MAX)) }
    }
}

impl Connections {
    /// Counts a new connection. `trusted` are the networks of trusted proxies.
    ///
    /// # Errors
    /// Returns `rate_limited` if its network has too many connections that have not authenticated.
    pub(crate) fn open(&self, service: &Service, trusted: &[Network], peer: IpAddr) -> Result<ConnectionSlot, Refusal> {
        let is_proxied = client::is_trusted(peer, trusted);
        let (holder, max) = if is_proxied {
            (ConnectionHolder::Proxy, None)
        } else {
            let max = service.config.limits.unauthenticated_connections_per_address;
            (ConnectionHolder::Network(client_network(peer)), max)
        };
        match self.open.take_one(holder, max) {
            Ok(share) => Ok(ConnectionSlot { open: self.open.clone(), is_proxied, share: Arc::new(Mutex::new(share)) }),
            Err(exceeded) => {
                let max = exceeded.max();
                let message = format!("This address has {max} connections without an authenticated request.");
                let refusal = Refusal::new(ErrorCode::RateLimited, message);
                let refusal = refusal.with_fix("Close idle connections, and send requests with a valid API key.");
                Err(refusal.at_limit(LimitName::UnauthenticatedConnections, max, CONNECT_RETRY_S))
            }
        }
    }

    /// Returns the open connections, and the most that were open.
    pub(crate) fn used(&self) -> (u64, u64) {
        (self.open.used(), self.open.peak())
    }
}

/// A connection in the count, until its last clone is dropped.
#[derive(Clone)]
pub struct ConnectionSlot {
    open: SharedBudget<ConnectionHolder>,
    is_proxied: bool,
    share: Arc<Mutex<BudgetShare<ConnectionHolder>>>,
}

impl ConnectionSlot {
    /// Counts the connection for the workspace that authenticated a request. For a proxy, it counts until the guard
    /// is dropped.
    ///
    /// # Errors
    /// Returns `rate_limited` if the workspace has too many connections; the connection then counts as before.
    pub fn authenticated(&self, service: &Service, workspace: &Workspace) -> Result<Option<ProxiedRequest>, Refusal> {
        let holder = ConnectionHolder::Workspace(workspace.id);
        let max: Limit = service.config.plans.of(workspace.plan).connections;
        let at_limit = |exceeded: BudgetExceeded| {
            let max = exceeded.max();
            let message = format!("This workspace has {max} open HTTP connections.");
            let refusal = Refusal::new(ErrorCode::RateLimited, message);
            let refusal = refusal.with_fix("Reuse connections, and close those that aren't needed.");
            refusal.at_limit(LimitName::Connections, max, CONNECT_RETRY_S)
        };
        if self.is_proxied {
            let share = self.open.take_one(holder, max).map_err(at_limit)?;
            return Ok(Some(ProxiedRequest { _share: share }));
        }
        let mut share = self.share();
        if share.key() != holder {
            *share = self.open.take_one(holder, max).map_err(at_limit)?;
        }
        Ok(None)
    }

    fn share(&self) -> MutexGuard<'_, BudgetShare<ConnectionHolder>> {
        self.share.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ConnectionSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConnectionSlot({:?})", self.share().key())
    }
}

/// A request in progress on a connection of a proxy, in the count of its workspace.
#[derive(Debug)]
pub struct ProxiedRequest {
    _share: BudgetShare<ConnectionHolder>,
}

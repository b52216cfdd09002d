//! [`Service`]: what all use cases need, built once at startup and passed by reference. There are no statics.
//!
//! Each use case gathers external facts, runs one transaction and sends a wakeup. Use cases don't depend on HTTP, SMTP,
//! jobs or adapters.

use std::sync::Arc;

use posthouse_domain::{DAY_MS, ErrorCode, Refusal, WorkspaceId};
use posthouse_store::{Error, Store, Tx, blobs::BlobStore};

use crate::keyring::instance_key::{AddressKey, InstanceKey};
use crate::keyring::{key_cache::KeyCache, service_keys::ServiceKeyCache, signer::DkimKeyCache};
use crate::limits::{
    blocking_pool::BlockingPool, connectors::ConnectorLimits, directory::DirectoryLimits, exhausted_log::ExhaustedLog,
    fixed_window::FixedWindow, in_flight::InFlightRequests, requests::RequestLimits, shared_budget::SharedBudget,
    sign_in::SignInLimits, smtp_content::SmtpContent, storage_health::StorageHealth, unknown_keys::UnknownKeys,
    uploads::UploadTurns,
};
use crate::local_model::LocalModel;
use crate::memory::{
    blocklists::BlocklistCache, contact_domains::ContactDomains, knowledge::KnowledgeIndexes, streams::Streams,
    waiters::InboxWaiters,
};
use crate::ports::{AcmeClient, Clock, Dns, FileReader, OutboundHttp, SmtpTransport};
use crate::settings::{AppConfig, DeliveryMode};
use crate::{lifecycle::Lifecycle, metrics::Metrics, throttle::capacity::DeliveryCapacity, tls::CertificateHolder};

pub use posthouse_store::ReadScope;

/// Most workspaces with a window at once; see [`FixedWindow`].
const WORKSPACES_MAX: usize = 100_000;

/// The service: its configuration, its store, the ports to the outside world, and what its features keep in memory.
/// Requests, jobs and listeners share one.
pub struct Service {
    /// The configuration.
    pub config: AppConfig,
    /// The database.
    pub store: Store,
    pub blobs: BlobStore,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// The DNS resolver.
    pub dns: Arc<dyn Dns>,
    /// The SMTP client.
    pub smtp_out: Arc<dyn SmtpTransport>,
    /// The HTTP client.
    pub http_out: Arc<dyn OutboundHttp>,
    pub authority: Arc<dyn AcmeClient>,
    pub file_reader: Arc<dyn FileReader>,
    /// The instance key.
    pub keys: KeyCache,
    /// The certificate of the listeners.
    pub tls: CertificateHolder,
    /// The opened DKIM keys.
    pub signer: DkimKeyCache,
    /// The opened signing keys of the service.
    pub service_keys: ServiceKeyCache,
    /// Changes of agents' handles by workspace, within 24 hours.
    pub agent_handles: FixedWindow<WorkspaceId>,
    /// Replies drafted by the model server for each workspace, within 24 hours.
    pub reply_drafts: FixedWindow<WorkspaceId>,
    /// When the budgets of the service's mail were last used up.
    pub service_mail_log: Arc<ExhaustedLog>,
    pub blocking_pool: BlockingPool,
    /// Prometheus metrics.
    pub metrics: Metrics,
    pub storage_health: StorageHealth,
    /// The stage of the process; waiting tasks end when it drains.
    pub lifecycle: Lifecycle,
    /// Delivery limits.
    pub capacity: DeliveryCapacity,
    /// Held by the writer of the full-text index: one batch at a time.
    pub indexing: tokio::sync::Mutex<()>,
    /// The local model of the categoriser.
    pub local_model: LocalModel,
    /// Pending long polls.
    pub waiters: InboxWaiters,
    /// Subscribers of the event stream.
    pub subscriptions: Streams,
    /// Recent answers of DNS blocklists about SMTP clients.
    pub blocklists: BlocklistCache,
    /// Domains that workspaces exchange mail with.
    pub contact_domains: ContactDomains,
    /// Indexes of knowledge documents.
    pub knowledge: KnowledgeIndexes,
    /// Turns of workspaces at reading uploaded files.
    pub uploads: UploadTurns,
    /// Message content that SMTP sessions buffer.
    pub smtp_content: SmtpContent,
    /// Open streams of each workspace.
    pub streams: SharedBudget<WorkspaceId>,
    /// Unknown credentials of each client address in the current minute.
    pub unknown_keys: UnknownKeys,
    /// Requests of each API key, person and workspace in the current minute.
    pub request_limits: RequestLimits,
    /// Requests to the directory in the current minute.
    pub directory_limits: DirectoryLimits,
    /// Idempotent requests in progress.
    pub in_flight: InFlightRequests,
    /// Limits of sign-in with an agent.
    pub sign_in_limits: SignInLimits,
    pub connector_limits: ConnectorLimits,
}

/// The adapters of the ports.
#[derive(Clone)]
pub struct Ports {
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// The DNS resolver.
    pub dns: Arc<dyn Dns>,
    /// The SMTP client.
    pub smtp_out: Arc<dyn SmtpTransport>,
    /// The HTTP client.
    pub http_out: Arc<dyn OutboundHttp>,
    pub authority: Arc<dyn AcmeClient>,
    pub file_reader: Arc<dyn FileReader>,
}

impl Service {
    /// Creates the service from its configuration, store and adapters.
    #[must_use]
    pub fn new(config: AppConfig, store: Store, blobs: BlobStore, ports: Ports) -> Self {
        Self {
            capacity: DeliveryCapacity::new(&config.delivery),
            smtp_content: SmtpContent::new(config.limits.smtp_content_bytes),
            uploads: UploadTurns::new(config.files.concurrency),
            config,
            store,
            blobs,
            clock: ports.clock,
            dns: ports.dns,
            smtp_out: ports.smtp_out,
            http_out: ports.http_out,
            authority: ports.authority,
            file_reader: ports.file_reader,
            keys: KeyCache::default(),
            tls: CertificateHolder::default(),
            signer: DkimKeyCache::default(),
            service_keys: ServiceKeyCache::default(),
            agent_handles: FixedWindow::new(DAY_MS, WORKSPACES_MAX),
            reply_drafts: FixedWindow::new(DAY_MS, WORKSPACES_MAX),
            service_mail_log: Arc::default(),
            blocking_pool: BlockingPool::default(),
            metrics: Metrics::default(),
            storage_health: StorageHealth::default(),
            lifecycle: Lifecycle::default(),
            indexing: tokio::sync::Mutex::default(),
            local_model: LocalModel::default(),
            waiters: InboxWaiters::default(),
            subscriptions: Streams::default(),
            blocklists: BlocklistCache::default(),
            contact_domains: ContactDomains::default(),
            knowledge: KnowledgeIndexes::default(),
            streams: SharedBudget::new(None),
            unknown_keys: UnknownKeys::default(),
            request_limits: RequestLimits::default(),
            directory_limits: DirectoryLimits::default(),
            in_flight: InFlightRequests::default(),
            sign_in_limits: SignInLimits::default(),
            connector_limits: ConnectorLimits::default(),
        }
    }

    /// Reads the store; see [`Store::read_in`]. The scope of a request is its workspace.
    ///
    /// # Errors
    /// Returns the error of `work`.
    pub async fn read<T, E>(
        &self,
        scope: impl Into<ReadScope>,
        work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.store.read_in(scope.into(), work).await
    }

    /// Runs `work` in a transaction and returns after its commit is durable; see [`Store::write`].
    ///
    /// # Errors
    /// Returns the error of `work`.
    pub async fn write<T, E>(&self, work: impl Fn(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.store.write(work).await
    }

    /// Returns the key that hashes the addresses of forgotten contacts.
    ///
    /// # Errors
    /// Returns `internal_error` if the instance key cannot be read.
    pub fn address_key(&self) -> Result<AddressKey, Refusal> {
        self.instance_key().map(InstanceKey::addresses)
    }

    /// Returns the instance key.
    ///
    /// # Errors
    /// Returns `internal_error` if it cannot be read.
    pub(crate) fn instance_key(&self) -> Result<&InstanceKey, Refusal> {
        self.keys.key(&self.config).map_err(|error| {
            tracing::error!(cause = %error, "instance key not readable");
            Refusal::new(ErrorCode::Internal, "The server's instance key couldn't be read.")
        })
    }

    /// Returns the public name of the instance; `None` if the instance key can't be read.
    #[must_use]
    pub fn instance_name(&self) -> Option<String> {
        self.keys.key(&self.config).map(InstanceKey::name).ok()
    }

    /// Returns whether mail to other domains is kept on this machine (`delivery.mode = "capture"`).
    #[must_use]
    pub fn captures(&self) -> bool {
        self.config.delivery.mode == DeliveryMode::Capture
    }
}

//! `App`: everything a use-case needs, built once at boot and passed by reference. There are no statics.
//!
//! Below it, one file a use-case, named by a verb: gather outside facts, one transaction, wake. Use-cases never know HTTP,
//! SMTP, the jobs or the adapters.

pub mod add_domain;
pub mod authenticate;
pub mod bounce_address;
pub mod change_contact;
pub mod change_domain;
pub mod change_inbox;
pub mod change_list;
pub mod change_message;
pub mod change_thread;
pub mod check_domain;
pub mod check_reputation;
pub mod claim;
pub mod compose;
pub mod create_inbox;
pub mod create_workspace;
pub mod delete_inbox;
pub mod deliver;
pub mod deliver_here;
pub mod draft;
pub mod expire_inbox;
pub mod file_mail;
pub mod forward;
pub mod forwarding;
pub mod index_mail;
pub mod inject;
pub mod judge_sending;
pub mod keep_certificate;
pub mod meet;
pub mod next_step;
pub mod notice;
pub mod obtain_certificate;
pub mod persist;
pub mod post;
pub mod read_events;
pub mod read_raw;
pub mod receive;
pub mod recognise;
pub mod relabel;
pub mod reply;
pub mod report_metrics;
mod report_source;
pub mod rotate_key;
pub mod screen_client;
pub mod screen_sender;
pub mod sealed_link;
pub mod search;
pub mod send;
pub mod settle_claim;
pub mod signing;
pub mod stop_workspace;
pub mod stream;
pub mod submit;
pub mod suppress;
mod take_report;
pub mod tell_postmaster;
pub mod understand;
pub mod visible;
pub mod wait;
pub mod webhooks;

use std::sync::Arc;

use posthouse_domain::error::{Code, Refusal};
use posthouse_store::{Store, blobs::Blobs};

use self::signing::{AddressKey, InstanceKey};
use crate::{
    apart::Apart,
    arrivals::Arrivals,
    config::{Config, DeliveryMode},
    in_flight::InFlight,
    metrics::Metrics,
    pacer::Pacer,
    ports::{Authority, Clock, Dns, HttpOut, SmtpOut},
    rate_limits::RateLimits,
    readiness::Readiness,
    shortage::Shortage,
    shutdown::Life,
    streams::Streams,
    tls::Keeper,
};

/// Value of `details.reason` in the refusal of a message whose header breaks RFC 5322 where its author depends on it.
pub const REASON_MALFORMED: &str = "malformed_header";

/// The running program.
pub struct App {
    /// The configuration.
    pub config: Config,
    /// The databases.
    pub store: Store,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// Names.
    pub dns: Arc<dyn Dns>,
    /// The way out for mail.
    pub smtp_out: Arc<dyn SmtpOut>,
    /// The way out for webhooks.
    pub http_out: Arc<dyn HttpOut>,
    /// Certificate authorities.
    pub authority: Arc<dyn Authority>,
    /// Large raw mail.
    pub blobs: Blobs,
    /// The key that secrets are sealed with.
    pub vault: signing::Vault,
    /// The certificate of the listeners.
    pub tls: Keeper,
    /// The DKIM keys of the default domain.
    pub signer: signing::Signer,
    /// What each destination gets at once.
    pub pacer: Pacer,
    /// Room in memory for mail on its way out.
    pub out_room: deliver::Room,
    /// A place for work that would hold up others.
    pub apart: Apart,
    /// Who waits for mail in which inbox.
    pub arrivals: Arrivals,
    /// Taken by who brings the full-text index up to date.
    pub indexing: tokio::sync::Mutex<()>,
    /// Who hears the events of which workspace.
    pub streams: Streams,
    /// Requests of each key in this minute.
    pub rate_limits: RateLimits,
    /// Idempotent requests that are being answered.
    pub in_flight: InFlight,
    /// What blocklists said of clients.
    pub listings: screen_client::Listings,
    /// Counts for the operator.
    pub metrics: Metrics,
    /// Whether the storage was found full, or the blobs out of order.
    pub shortage: Shortage,
    /// What the last check of readiness found.
    pub readiness: Readiness,
    /// The stage of the process: what waits ends when it drains.
    pub life: Life,
}

/// The outside world as the program meets it.
#[derive(Clone)]
pub struct Ports {
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// Names.
    pub dns: Arc<dyn Dns>,
    /// The way out for mail.
    pub smtp_out: Arc<dyn SmtpOut>,
    /// The way out for webhooks.
    pub http_out: Arc<dyn HttpOut>,
    /// Certificate authorities.
    pub authority: Arc<dyn Authority>,
}

impl App {
    /// The program over that configuration, store and outside world.
    #[must_use]
    pub fn new(config: Config, (store, blobs): (Store, Blobs), ports: Ports) -> Self {
        let pacer = Pacer::new(&config.delivery);
        Self {
            config,
            pacer,
            store,
            blobs,
            clock: ports.clock,
            dns: ports.dns,
            smtp_out: ports.smtp_out,
            http_out: ports.http_out,
            authority: ports.authority,
            vault: signing::Vault::default(),
            tls: Keeper::default(),
            signer: signing::Signer::default(),
            out_room: deliver::Room::default(),
            apart: Apart::default(),
            arrivals: Arrivals::default(),
            indexing: tokio::sync::Mutex::default(),
            streams: Streams::default(),
            rate_limits: RateLimits::default(),
            in_flight: InFlight::default(),
            listings: screen_client::Listings::default(),
            metrics: Metrics::default(),
            shortage: Shortage::default(),
            readiness: Readiness::default(),
            life: Life::default(),
        }
    }

    /// Hashes the addresses of forgotten contacts.
    ///
    /// # Errors
    /// `internal_error` where the key of the instance cannot be had.
    pub fn address_key(&self) -> Result<AddressKey, Refusal> {
        self.vault.key(self).map(InstanceKey::addresses).map_err(|error| {
            tracing::error!(cause = %error, "instance key not readable");
            Refusal::new(Code::Internal, "The key of this server cannot be read.")
        })
    }

    /// Whether mail to other domains is kept on this machine (`delivery.mode = "capture"`).
    #[must_use]
    pub fn captures(&self) -> bool {
        self.config.delivery.mode == DeliveryMode::Capture
    }
}

//! A running instance: the application and the state that its features share in memory.

use std::{ops::Deref, sync::Arc};

use crate::{
    app::App, events::subscriptions::Streams, identity::limits::IdentityLimits, inbound::screen_client::BlocklistCache,
    limits::smtp_content::SmtpContent, messages::index::SearchIndex, messages::waiters::InboxWaiters,
    outbound::capacity::DeliveryCapacity,
};

/// The application with the in-memory state of each feature. Requests, jobs and listeners share one.
pub struct Instance {
    /// The application.
    pub app: Arc<App>,
    /// Delivery limits.
    pub outbound: DeliveryCapacity,
    /// The full-text index.
    pub index: SearchIndex,
    /// Pending long polls.
    pub waiters: InboxWaiters,
    /// Subscribers of the event stream.
    pub subscriptions: Streams,
    /// Recent answers of DNS blocklists about SMTP clients.
    pub blocklist_cache: BlocklistCache,
    /// Message content that SMTP sessions buffer.
    pub smtp_content: SmtpContent,
    /// Limits of sign-in with an agent.
    pub identity_limits: IdentityLimits,
}

impl Instance {
    /// Creates an instance with empty in-memory state.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self {
            outbound: DeliveryCapacity::new(&app.config.delivery),
            index: SearchIndex::default(),
            waiters: InboxWaiters::default(),
            subscriptions: Streams::default(),
            blocklist_cache: BlocklistCache::default(),
            smtp_content: SmtpContent::new(app.config.limits.smtp_content_bytes),
            identity_limits: IdentityLimits::default(),
            app,
        }
    }
}

/// Lets code that holds the instance pass it to use cases, which expect the application.
impl Deref for Instance {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

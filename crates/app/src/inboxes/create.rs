//! Creates permanent and temporary inboxes, and identities, with a chosen or a generated address.
//!
//! Random names are generated before the transaction, several at once, because a transaction may run twice.

use posthouse_api::views::inbox::InboxView;
use posthouse_domain::inbox::{self, READABLE_RANDOM_BYTES, TEMPORARY_RANDOM_BYTES};
use posthouse_domain::{
    Caller, ClaimStatus, Detail, DomainStatus, ErrorCode, IdGenerator, Inbox, InboxId, InboxKind, JobId, JobKind,
    JobReason, Metadata, PlanLimits, Plans, Refusal, SECOND_MS, Time, Username, Workspace,
};
use posthouse_store::{Tx, inboxes, jobs, jobs::NewJob, mail_domains, workspaces};

use super::names::NameRules;
use crate::{inboxes::view, service::Service};

/// Generated names tried before the request fails; in a service with few inboxes, one in a million is in use.
const NAMES_TRIED_MAX: usize = 16;

/// An inbox or identity to create.
#[derive(Clone, Debug)]
pub struct NewInbox {
    /// An inbox or an identity. An identity is permanent.
    pub kind: InboxKind,
    /// Permanent or temporary, with the options of each.
    pub life: Lifespan,
    pub display_name: Option<String>,
    /// The caller's metadata; no value is null.
    pub metadata: Metadata,
}

/// The lifetime of an inbox, with the options for its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lifespan {
    /// Until it is deleted.
    Permanent {
        /// The local part; `None` generates a readable one.
        username: Option<Username>,
        /// The client's idempotency key.
        client_id: Option<String>,
        /// A verified domain of the workspace; `None` for the default domain of the service.
        domain: Option<String>,
    },
    /// Until it expires. A temporary inbox only receives, at the domain of temporary inboxes.
    Temporary {
        /// The lifetime in seconds.
        ttl_seconds: i64,
    },
}

/// An inbox or identity, and whether this request created it.
#[derive(Clone, Debug)]
pub struct CreatedInbox {
    pub inbox: Inbox,
    /// The inbox object.
    pub view: InboxView,
    /// False if an inbox with the same `client_id` exists.
    pub is_new: bool,
}

/// The inputs of the transaction that creates an inbox.
pub struct InboxCreation {
    caller: Caller,
    new: NewInbox,
    names: Vec<Username>,
    domain: String,
    default_domain: String,
    rules: NameRules,
    plans: Plans,
    ids: IdGenerator,
    now: Time,
}

/// Creates an inbox, or returns the inbox that was created with the same `client_id`.
///
/// # Errors
/// Returns `address_taken`, `plan_limit_inboxes`, `plan_limit_identities` or `temporary_inbox_limit`.
pub async fn create(service: &Service, caller: Caller, new: NewInbox) -> Result<CreatedInbox, Refusal> {
    let plan = plan(service, caller, new);
    service.write(move |tx| plan.execute(tx)).await
}

/// Prepares what [`create`] runs, for a transaction that creates more than the inbox.
#[must_use]
pub fn plan(service: &Service, caller: Caller, new: NewInbox) -> InboxCreation {
    let mail = &service.config.mail;
    let (names, domain) = match &new.life {
        Lifespan::Permanent { username, domain, .. } => (
            username.as_ref().map_or_else(|| readable_names(service), |chosen| vec![chosen.clone()]),
            domain.as_ref().unwrap_or(&mail.default_domain).clone(),
        ),
        Lifespan::Temporary { .. } => (temporary_names(service), mail.temporary_domain.clone()),
    };
    InboxCreation {
        caller,
        new,
        names,
        domain,
        default_domain: mail.default_domain.clone(),
        rules: NameRules::of(&service.config),
        plans: service.config.plans,
        ids: service.clock.ids(),
        now: service.clock.now(),
    }
}

fn readable_names(service: &Service) -> Vec<Username> {
    let mut random = [0; NAMES_TRIED_MAX * READABLE_RANDOM_BYTES];
    service.clock.random(&mut random);
    let (names, _) = random.as_chunks::<READABLE_RANDOM_BYTES>();
    names.iter().map(|bytes| Username::readable(*bytes)).collect()
}

fn temporary_names(service: &Service) -> Vec<Username> {
    let mut random = [0; NAMES_TRIED_MAX * TEMPORARY_RANDOM_BYTES];
    service.clock.random(&mut random);
    let (names, _) = random.as_chunks::<TEMPORARY_RANDOM_BYTES>();
    names.iter().map(|bytes| Username::temporary(*bytes)).collect()
}

impl InboxCreation {
    /// Creates the inbox.
    ///
    /// # Errors
    /// Returns the errors of [`create`].
    pub fn execute(&self, tx: &mut Tx) -> Result<CreatedInbox, Refusal> {
        let workspace = self.caller.workspace;
        inboxes::take_workspace(tx, workspace)?;
        let tenant = workspaces::get(tx, workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let limits = tenant.limits(&self.plans);
        match &self.new.life {
            Lifespan::Permanent { client_id, .. } => {
                let found = match client_id {
                    Some(client_id) => inboxes::by_client_id(tx, workspace, self.new.kind, client_id)?,
                    None => None,
                };
                if let Some(found) = found {
                    let view = view::load(tx, &found, &limits, self.now)?;
                    return Ok(CreatedInbox { inbox: found, view, is_new: false });
                }
                self.check_domain(tx, &tenant)?;
                self.check_limit(tx, &tenant, &limits)?;
            }
            Lifespan::Temporary { .. } => {
                inbox::may_create_temporary(&inboxes::temporary_use(tx, workspace, self.now)?, self.now)?;
            }
        }
        if let Some(name) = &self.new.display_name {
            self.rules.check_sender_name(tx, workspace, name)?;
        }
        let ids = self.ids.clone();
        let inbox = self.insert(tx, ids.next())?;
        if let Some(job) = expiry(ids.next(), &inbox, self.now) {
            jobs::enqueue(tx, &job)?;
        }
        Ok(CreatedInbox { view: view::load(tx, &inbox, &limits, self.now)?, inbox, is_new: true })
    }

    /// Checks the limit of inboxes or identities, which is lower in an unclaimed workspace.
    fn check_limit(&self, tx: &mut Tx, tenant: &Workspace, limits: &PlanLimits) -> Result<(), Refusal> {
        let kind = self.new.kind;
        let checked = match inbox::limit(kind, limits) {
            Some(most) => inbox::may_create(kind, inboxes::count(tx, tenant.id, kind, most)?, most),
            None => Ok(()),
        };
        checked.map_err(|refusal| match tenant.claim {
            ClaimStatus::Unclaimed => refusal.with_fix("Have a person claim the workspace: `POST /v1/signup/claim`."),
            ClaimStatus::Claimed | ClaimStatus::NotApplicable => refusal,
        })
    }

    /// Checks that the domain is the service's default domain or a verified domain of the workspace.
    fn check_domain(&self, tx: &mut Tx, tenant: &Workspace) -> Result<(), Refusal> {
        if self.domain == self.default_domain {
            return self.names.iter().try_for_each(|name| self.rules.check_username(tx, tenant, name));
        }
        match mail_domains::by_name(tx, self.caller.workspace, &self.domain)? {
            Some(domain) if domain.may_send() => Ok(()),
            Some(domain) if domain.status == DomainStatus::Disabled => {
                let message = format!("The operator of this server disabled the domain {}.", domain.name);
                Err(Refusal::new(ErrorCode::DomainNotVerified, message)
                    .with_fix("Ask the operator of this server to enable the domain."))
            }
            Some(domain) => {
                let message = format!("The domain {} is {}.", domain.name, domain.status.text());
                Err(Refusal::new(ErrorCode::DomainNotVerified, message))
            }
            None => {
                let problem = format!("must be a verified domain of the workspace, or {}", self.default_domain);
                Err(Refusal::invalid_field("domain", problem))
            }
        }
    }

    /// Stores the inbox under the first name that was never used.
    fn insert(&self, tx: &mut Tx, id: InboxId) -> Result<Inbox, Refusal> {
        for name in &self.names {
            let inbox = self.inbox(id, name);
            if inboxes::insert(tx, &inbox)? {
                return Ok(inbox);
            }
        }
        let address = self.names.first().map(|name| name.at(&self.domain)).unwrap_or_default();
        Err(Refusal::new(ErrorCode::AddressTaken, format!("The address {address} is or was an inbox."))
            .detail(Detail::Address(address)))
    }

    fn inbox(&self, id: InboxId, name: &Username) -> Inbox {
        let (client_id, ttl_seconds) = match &self.new.life {
            Lifespan::Permanent { client_id, .. } => (client_id.clone(), None),
            Lifespan::Temporary { ttl_seconds } => (None, Some(*ttl_seconds)),
        };
        Inbox {
            workspace: self.caller.workspace,
            id,
            kind: self.new.kind,
            address: name.at(&self.domain),
            username: name.as_str().to_owned(),
            domain: self.domain.clone(),
            display_name: self.new.display_name.clone(),
            client_id,
            metadata_json: serde_json::Value::Object(self.new.metadata.clone()).to_string(),
            temporary: ttl_seconds.is_some(),
            expires_at: ttl_seconds.map(|s| self.now.plus_ms(s.saturating_mul(SECOND_MS))),
            paused_at: None,
            paused_reason: None,
            promotions_filter: None,
            screening: None,
            identity_enabled: true,
            last_message_at: self.now,
            created_at: self.now,
            deleted_at: None,
        }
    }
}

/// Returns the job that expires a temporary inbox, or `None` for other inboxes. Enqueuing it again reschedules it.
#[must_use]
pub fn expiry(id: JobId, inbox: &Inbox, now: Time) -> Option<NewJob> {
    inbox.expires_at.map(|run_at| {
        NewJob::new(JobKind::InboxExpiry, JobReason::Expires, inbox.workspace, inbox.id.0, id, now).due_at(run_at)
    })
}

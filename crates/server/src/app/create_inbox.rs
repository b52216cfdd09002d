//! A new inbox: a chosen or made-up address at the default domain, or a temporary one (API document, Inboxes).
//!
//! Random names are drawn before the transaction, several at once, because a transaction may run twice.

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::{Ids, InboxId, JobId},
    inbox::{self, Inbox, READABLE_RANDOM_BYTES, TEMPORARY_RANDOM_BYTES, Username},
    metadata::Metadata,
    plan::Plans,
    time::{SECOND_MS, Time},
};
use posthouse_store::{
    Tx, inboxes,
    jobs::{self, NewJob},
    mail_domains, workspaces,
};

use super::App;
use crate::views::inbox::{self as view, InboxView};

/// Made-up names that are tried before giving up; one in a million is taken already in a service of a few inboxes.
const NAMES_TRIED_MAX: usize = 16;
/// How often the expiry of a temporary inbox is tried; each try is one transaction, so only a broken store fails it.
const EXPIRY_ATTEMPT_MAX: u32 = 100;

/// What the caller wants.
#[derive(Clone, Debug)]
pub struct NewInbox {
    /// Which address, for how long.
    pub life: Lifespan,
    /// The name that recipients see.
    pub display_name: Option<String>,
    /// The caller's own; no value is null.
    pub metadata: Metadata,
}

/// How long an inbox lives, and how it is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lifespan {
    /// Until it is deleted.
    Permanent {
        /// The chosen local part; none: a readable one is made up.
        username: Option<Username>,
        /// The caller's idempotency key.
        client_id: Option<String>,
        /// A verified domain of the workspace; none: the default domain of the service.
        domain: Option<String>,
    },
    /// Until it expires: it only receives, at the domain of temporary inboxes.
    Temporary {
        /// Its life in seconds.
        ttl_seconds: i64,
    },
}

/// An inbox, and whether this request made it.
#[derive(Clone, Debug)]
pub struct Created {
    /// The inbox object.
    pub view: InboxView,
    /// False when the `client_id` was used before.
    pub is_new: bool,
}

/// An inbox that is about to be made: everything that the transaction takes from outside.
pub struct Plan {
    caller: Caller,
    new: NewInbox,
    names: Vec<Username>,
    domain: String,
    default_domain: String,
    plans: Plans,
    ids: Ids,
    now: Time,
}

/// Makes an inbox, or gives the one that was made with the same `client_id`.
///
/// # Errors
/// `address_taken`, `plan_limit_inboxes`, `temporary_inbox_limit`, or the store's own.
pub async fn create(app: &App, caller: Caller, new: NewInbox) -> Result<Created, Refusal> {
    let plan = plan(app, caller, new);
    app.store.write(move |tx| plan.carry_out(tx)).await
}

/// What [`create`] carries out, for a transaction that makes more than the inbox.
#[must_use]
pub fn plan(app: &App, caller: Caller, new: NewInbox) -> Plan {
    let mail = &app.config.mail;
    let (names, domain) = match &new.life {
        Lifespan::Permanent { username, domain, .. } => (
            username.as_ref().map_or_else(|| readable_names(app), |chosen| vec![chosen.clone()]),
            domain.as_ref().unwrap_or(&mail.default_domain).clone(),
        ),
        Lifespan::Temporary { .. } => (temporary_names(app), mail.temporary_domain.clone()),
    };
    Plan {
        caller,
        new,
        names,
        domain,
        default_domain: mail.default_domain.clone(),
        plans: app.config.plans,
        ids: app.clock.ids(),
        now: app.clock.now(),
    }
}

fn readable_names(app: &App) -> Vec<Username> {
    let mut random = [0; NAMES_TRIED_MAX * READABLE_RANDOM_BYTES];
    app.clock.random(&mut random);
    let (names, _) = random.as_chunks::<READABLE_RANDOM_BYTES>();
    names.iter().map(|bytes| Username::readable(*bytes)).collect()
}

fn temporary_names(app: &App) -> Vec<Username> {
    let mut random = [0; NAMES_TRIED_MAX * TEMPORARY_RANDOM_BYTES];
    app.clock.random(&mut random);
    let (names, _) = random.as_chunks::<TEMPORARY_RANDOM_BYTES>();
    names.iter().map(|bytes| Username::temporary(*bytes)).collect()
}

impl Plan {
    /// Makes the inbox.
    ///
    /// # Errors
    /// As [`create`].
    pub fn carry_out(&self, tx: &mut Tx) -> Result<Created, Refusal> {
        let workspace = self.caller.workspace;
        inboxes::take_workspace(tx, workspace)?;
        let tenant = workspaces::get(tx, workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let limits = self.plans.of(tenant.plan);
        match &self.new.life {
            Lifespan::Permanent { client_id, .. } => {
                let found = match client_id {
                    Some(client_id) => inboxes::by_client_id(tx, workspace, client_id)?,
                    None => None,
                };
                if let Some(found) = found {
                    return Ok(Created { view: view::load(tx, &found, limits, self.now)?, is_new: false });
                }
                self.check_domain(tx)?;
                inbox::may_create(inboxes::count(tx, workspace)?, limits.inboxes)?;
            }
            Lifespan::Temporary { .. } => {
                inbox::may_create_temporary(&inboxes::temporary_use(tx, workspace, self.now)?, self.now)?;
            }
        }
        let ids = self.ids.clone();
        let made = self.insert(tx, ids.next())?;
        if let Some(job) = expiry(ids.next(), &made, self.now) {
            jobs::enqueue(tx, &job)?;
        }
        Ok(Created { view: view::load(tx, &made, limits, self.now)?, is_new: true })
    }

    /// The domain must be the service's default one or a verified one of the workspace.
    fn check_domain(&self, tx: &mut Tx) -> Result<(), Refusal> {
        if self.domain == self.default_domain {
            return self.check_owners_name(tx);
        }
        match mail_domains::by_name(tx, self.caller.workspace, &self.domain)? {
            Some(domain) if domain.may_send() => Ok(()),
            Some(domain) => {
                let message = format!("The domain {} is {}.", domain.name, domain.status.text());
                Err(Refusal::new(Code::DomainNotVerified, message))
            }
            None => {
                let problem = format!("must be a verified domain of the workspace or {}", self.default_domain);
                Err(Refusal::invalid_field("domain", problem))
            }
        }
    }

    /// At the domain that all workspaces share, the names of its owner are for the workspace that stands for them: the first.
    fn check_owners_name(&self, tx: &mut Tx) -> Result<(), Refusal> {
        match self.names.iter().find(|name| name.is_owners()) {
            Some(name) if workspaces::first(tx)? != Some(self.caller.workspace) => {
                let problem = format!(
                    "{} is kept for the owner of this server; it is free at a domain of your own",
                    name.at(&self.domain)
                );
                Err(Refusal::invalid_field("username", problem))
            }
            _ => Ok(()),
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
        Err(Refusal::new(Code::AddressTaken, format!("The address {address} is or was an inbox."))
            .detail("address", address))
    }

    fn inbox(&self, id: InboxId, name: &Username) -> Inbox {
        let (client_id, ttl_seconds) = match &self.new.life {
            Lifespan::Permanent { client_id, .. } => (client_id.clone(), None),
            Lifespan::Temporary { ttl_seconds } => (None, Some(*ttl_seconds)),
        };
        Inbox {
            workspace: self.caller.workspace,
            id,
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
            last_message_at: self.now,
            created_at: self.now,
            deleted_at: None,
        }
    }
}

/// The job that ends a temporary inbox when it expires; none for others. Making it again moves it.
#[must_use]
pub fn expiry(id: JobId, inbox: &Inbox, now: Time) -> Option<NewJob> {
    inbox.expires_at.map(|run_at| NewJob {
        id,
        kind: jobs::INBOX_EXPIRY,
        workspace: inbox.workspace,
        subject: inbox.id.0,
        lane: String::new(),
        run_at,
        attempt_max: EXPIRY_ATTEMPT_MAX,
        why: "expires",
        created_at: now,
    })
}

//! A new domain of a workspace's own: pending, with its records and its first DKIM key (API document, Domains).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::{DomainId, Ids},
    mail_domain::{MailDomain, Selector},
    plan::Plans,
    time::Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx,
    jobs::{self, NewJob},
    mail_domains::{self, SealedKey},
    workspaces,
};

use super::{App, signing};

/// Random bytes of the text that proves the ownership.
const TOKEN_BYTES: usize = 20;
/// Most characters of a domain in A-label form: a name in DNS has 253, and the longest below it begins with `_service-verify.`.
const NAME_BYTES_MAX: usize = 253 - "_service-verify.".len();
/// How often the check of a domain is tried; each is given back, so this counts broken ones only.
const CHECK_ATTEMPT_MAX: u32 = 1_000;

/// Adds a domain.
///
/// # Errors
/// `invalid_request` for what is no domain or belongs to this server; `plan_limit_domains`; `domain_taken`; the store's own.
pub async fn add(app: &Arc<App>, caller: Caller, name: &str, receiving: bool) -> Result<MailDomain, Refusal> {
    let name = parse(app, name)?;
    let (ids, now, plans) = (app.clock.ids(), app.clock.now(), app.config.plans);
    let mut domain = blank(app, &caller, name, receiving, ids.next());
    let key = new_key(app, domain.id, Selector::One).await?;
    domain.active.record.clone_from(&key.record);
    domain.active.ed25519 = key.ed25519.as_ref().map(|second| second.record.clone());
    let work = move |tx: &mut Tx| {
        insert(tx, &domain, &key, &plans)?;
        jobs::enqueue(tx, &job(&domain, &ids.clone(), now, "new"))?;
        Ok::<_, Refusal>(domain.clone())
    };
    app.store.write(work).await
}

fn insert(tx: &mut Tx, domain: &MailDomain, key: &SealedKey, plans: &Plans) -> Result<(), Refusal> {
    let tenant = workspaces::get(tx, domain.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    posthouse_store::inboxes::take_workspace(tx, domain.workspace)?;
    if mail_domains::by_name(tx, domain.workspace, &domain.name)?.is_some() {
        return Err(Refusal::new(Code::DomainTaken, format!("{} is in this workspace already.", domain.name))
            .with_fix("Read it with GET /v1/domains."));
    }
    let limit = plans.of(tenant.plan).domains;
    if limit.is_some_and(|limit| mail_domains::count(tx, domain.workspace).is_ok_and(|count| count >= limit)) {
        let message = format!("All {} domains of the plan are in use.", limit.unwrap_or(0));
        return Err(Refusal::new(Code::PlanLimitDomains, message).detail("max", limit.unwrap_or(0)));
    }
    if mail_domains::owner(tx, &domain.name)?.is_some_and(|owner| !owner.is_lost()) {
        return Err(Refusal::new(Code::DomainTaken, format!("Another workspace has verified {}.", domain.name)));
    }
    mail_domains::insert(tx, domain, key)?;
    Ok(())
}

/// A domain as it is stored: in A-label form and small letters, without the dot at its end.
///
/// # Errors
/// `invalid_request` for what is no domain.
pub fn canonical(text: &str) -> Result<String, Refusal> {
    let text = text.trim().trim_end_matches('.');
    let address = Address::parse(&format!("postmaster@{text}"));
    let name = address.map_err(|error| Refusal::invalid_field("domain", format!("must be a domain name ({error})")))?;
    Ok(name.domain().to_ascii_lowercase())
}

/// The name in A-label form. It must have a parent, and must not be one of this server's own.
fn parse(app: &App, text: &str) -> Result<String, Refusal> {
    let name = canonical(text)?;
    if !name.contains('.') || name.starts_with('[') {
        return Err(Refusal::invalid_field("domain", "must be a full domain name, such as mail.example.com"));
    }
    if name.len() > NAME_BYTES_MAX {
        let problem = format!("must have at most {NAME_BYTES_MAX} characters, so that names below it fit into DNS");
        return Err(Refusal::invalid_field("domain", problem));
    }
    let is_ours = |own: &str| name == own || name.ends_with(&format!(".{own}")) || own.ends_with(&format!(".{name}"));
    if is_ours(&app.config.mail.default_domain) || is_ours(&app.config.mail.temporary_domain) {
        return Err(Refusal::invalid_field("domain", "belongs to this server"));
    }
    Ok(name)
}

fn blank(app: &App, caller: &Caller, name: String, receiving: bool, id: DomainId) -> MailDomain {
    let now = app.clock.now();
    let mut random = [0; TOKEN_BYTES];
    app.clock.random(&mut random);
    let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
    MailDomain { receiving, ..MailDomain::new(caller.workspace, id, name, token, now) }
}

/// New keys of a selector, sealed. Made apart: an RSA key takes as long as many requests.
pub(super) async fn new_key(app: &Arc<App>, id: DomainId, selector: Selector) -> Result<SealedKey, Refusal> {
    let maker = Arc::clone(app);
    let made = app.apart.run(move || signing::new_key(&maker, id, selector)).await?;
    made.map_err(|error| {
        tracing::error!(cause = %error, "dkim key not made");
        Refusal::new(Code::Internal, "The DKIM key could not be made.")
    })
}

/// The job that checks a domain.
#[must_use]
pub fn job(domain: &MailDomain, ids: &Ids, run_at: Time, why: &'static str) -> NewJob {
    NewJob {
        id: ids.next(),
        kind: jobs::DOMAIN_CHECK,
        workspace: domain.workspace,
        subject: domain.id.0,
        lane: String::new(),
        run_at,
        attempt_max: CHECK_ATTEMPT_MAX,
        why,
        created_at: run_at,
    }
}

//! Adds a custom domain: pending, with its DNS records and its first DKIM key.

use std::sync::Arc;

use posthouse_domain::{
    Caller, ClaimStatus, Detail, DkimSelector, DomainId, ErrorCode, IdGenerator, JobKind, JobReason, MailDomain, Plans,
    Refusal, Time, WorkspaceId,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, jobs, jobs::NewJob, mail_domains, mail_domains::SealedDkimKey, workspaces};

use crate::{
    domains::dkim,
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    service::Service,
};

/// Random bytes of the ownership token.
const TOKEN_BYTES: usize = 20;
/// Maximum characters of a domain in A-label form: a DNS name has up to 253, and the longest prefix is
/// `_service-verify.`.
const NAME_BYTES_MAX: usize = 253 - "_service-verify.".len();

/// Adds a domain.
///
/// # Errors
/// Returns `invalid_request` if the name is not a domain or belongs to this server, `unclaimed_workspace`,
/// `plan_limit_domains`, or `domain_taken`.
pub async fn add(service: &Arc<Service>, caller: Caller, name: &str, receiving: bool) -> Result<MailDomain, Refusal> {
    let name = parse(service, name)?;
    let (ids, now, plans) = (service.clock.ids(), service.clock.now(), service.config.plans);
    let mut domain = blank(service, &caller, name, receiving, ids.next());
    let key = new_key(service, domain.workspace, domain.id, DkimSelector::One).await?;
    domain.active.record.clone_from(&key.record);
    domain.active.ed25519 = key.ed25519.as_ref().map(|second| second.record.clone());
    let work = move |tx: &mut Tx| {
        insert(tx, &domain, &key, &plans)?;
        jobs::enqueue(tx, &job(&domain, &ids.clone(), now, JobReason::Added))?;
        Ok::<_, Refusal>(domain.clone())
    };
    service.write(work).await
}

fn insert(tx: &mut Tx, domain: &MailDomain, key: &SealedDkimKey, plans: &Plans) -> Result<(), Refusal> {
    let tenant = workspaces::get(tx, domain.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    posthouse_store::inboxes::take_workspace(tx, domain.workspace)?;
    if mail_domains::by_name(tx, domain.workspace, &domain.name)?.is_some() {
        return Err(Refusal::new(ErrorCode::DomainTaken, format!("{} is already in this workspace.", domain.name))
            .with_fix("Read it with `GET /v1/domains`."));
    }
    if tenant.claim == ClaimStatus::Unclaimed {
        return Err(Refusal::new(ErrorCode::UnclaimedWorkspace, "An unclaimed workspace can't have custom domains.")
            .with_fix("Have a person claim the workspace first: `POST /v1/signup/claim`."));
    }
    let limit = plans.of(tenant.plan).domains;
    if limit.is_some_and(|limit| mail_domains::count(tx, domain.workspace).is_ok_and(|count| count >= limit)) {
        let max = limit.unwrap_or(0);
        let message = format!("The workspace uses {max} of the {max} domains it can have.");
        return Err(Refusal::new(ErrorCode::PlanLimitDomains, message).detail(Detail::Max(max)));
    }
    if mail_domains::owner(tx, &domain.name)?.is_some_and(|owner| !owner.is_expired_claim()) {
        return Err(Refusal::new(ErrorCode::DomainTaken, format!("Another workspace has verified {}.", domain.name)));
    }
    mail_domains::insert(tx, domain, key)?;
    Ok(())
}

/// Returns a domain name in canonical form: lower case, in A-labels, without a trailing dot.
///
/// # Errors
/// Returns `invalid_request` if the text is not a domain.
pub fn canonical(text: &str) -> Result<String, Refusal> {
    let text = text.trim().trim_end_matches('.');
    let address = Address::parse(&format!("postmaster@{text}"));
    let name = address.map_err(|error| Refusal::invalid_field("domain", format!("must be a domain name ({error})")))?;
    Ok(name.domain().to_ascii_lowercase())
}

/// Parses the name to A-label form. It must have a parent, and must not belong to this server.
fn parse(service: &Service, text: &str) -> Result<String, Refusal> {
    let name = canonical(text)?;
    if !name.contains('.') || name.starts_with('[') {
        return Err(Refusal::invalid_field("domain", "must be a full domain name, such as `mail.example.com`"));
    }
    if name.len() > NAME_BYTES_MAX {
        let problem = format!("must have at most {NAME_BYTES_MAX} characters, to leave room for record names below it");
        return Err(Refusal::invalid_field("domain", problem));
    }
    let is_ours = |own: &str| name == own || name.ends_with(&format!(".{own}")) || own.ends_with(&format!(".{name}"));
    if is_ours(&service.config.mail.default_domain) || is_ours(&service.config.mail.temporary_domain) {
        return Err(Refusal::invalid_field("domain", "belongs to this server"));
    }
    Ok(name)
}

fn blank(service: &Service, caller: &Caller, name: String, receiving: bool, id: DomainId) -> MailDomain {
    let now = service.clock.now();
    let mut random = [0; TOKEN_BYTES];
    service.clock.random(&mut random);
    let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
    MailDomain { receiving, ..MailDomain::new(caller.workspace, id, name, token, now) }
}

/// Generates the sealed keys of a selector, on the blocking pool because an RSA key takes as long as many requests.
pub(super) async fn new_key(
    service: &Arc<Service>,
    owner: WorkspaceId,
    id: DomainId,
    selector: DkimSelector,
) -> Result<SealedDkimKey, Refusal> {
    let maker = Arc::clone(service);
    let owner = WorkOwner { class: WorkClass::Keys, workspace: owner };
    let made = service.blocking_pool.run_for(owner, 0, move |_: &WorkStop| dkim::new_key(&maker, id, selector)).await?;
    made.map_err(|error| {
        tracing::error!(cause = %error, "DKIM key not generated");
        Refusal::new(ErrorCode::Internal, "The DKIM key couldn't be generated.")
    })
}

/// Returns the job that checks a domain.
#[must_use]
pub fn job(domain: &MailDomain, ids: &IdGenerator, run_at: Time, why: JobReason) -> NewJob {
    NewJob::new(JobKind::DomainCheck, why, domain.workspace, domain.id.0, ids.next(), run_at)
}

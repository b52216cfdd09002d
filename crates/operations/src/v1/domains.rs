//! `/v1/domains`: custom domains.

use posthouse_api::{views::domain::DomainView, views::domain::ZoneFileView, wire::DomainName};
use posthouse_app::domains::{add, change, check, read};
use posthouse_call::prelude::*;
use posthouse_domain::{DomainsManage, MailDomain, mail_domain};

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Post, "/v1/domains", "createDomain", DomainsManage)
            .summary("Adds a domain. It is pending until its DNS records are published.")
            .responds::<DomainView>(201)
            .errors(&[ErrorCode::UnclaimedWorkspace, ErrorCode::PlanLimitDomains, ErrorCode::DomainTaken])
            .workspace_wide()
            .handle(create),
        Operation::new(Method::Get, "/v1/domains", "listDomains", DomainsManage)
            .summary("Lists the domains of the workspace, newest first.")
            .responds::<PageView<DomainView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .workspace_wide()
            .handle(list),
        Operation::new(Method::Get, "/v1/domains/{id}", "getDomain", DomainsManage)
            .summary("Returns one domain, with the DNS records to publish.")
            .responds::<DomainView>(200)
            .errors(&[ErrorCode::NotFound])
            .workspace_wide()
            .handle(get),
        Operation::new(Method::Patch, "/v1/domains/{id}", "updateDomain", DomainsManage)
            .summary("Turns receiving mail on or off.")
            .responds::<DomainView>(200)
            .errors(&[ErrorCode::NotFound])
            .workspace_wide()
            .handle(update),
        Operation::new(Method::Delete, "/v1/domains/{id}", "deleteDomain", DomainsManage)
            .summary("Deletes a domain. With force=true, also deletes the inboxes on it.")
            .responds_with(204, None)
            .errors(&[ErrorCode::NotFound, ErrorCode::DomainInUse])
            .workspace_wide()
            .handle(delete),
        Operation::new(Method::Post, "/v1/domains/{id}/verify", "verifyDomain", DomainsManage)
            .summary("Checks the DNS records now; at most once every 10 seconds.")
            .responds::<DomainView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::DomainTaken, ErrorCode::RateLimited])
            .workspace_wide()
            .handle(verify),
        Operation::new(Method::Post, "/v1/domains/{id}/dkim/rotate", "rotateDomainKey", DomainsManage)
            .summary("Creates the next DKIM key. It starts signing once its DNS record is found.")
            .responds::<DomainView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::DkimRotationTooSoon])
            .workspace_wide()
            .handle(rotate),
        Operation::new(Method::Post, "/v1/domains/{id}/dkim/activate", "activateDomainKey", DomainsManage)
            .summary("Checks the DNS record of the next DKIM key and, if it is found, starts signing with the key.")
            .responds::<DomainView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::DkimRecordNotFound])
            .workspace_wide()
            .handle(activate),
        Operation::new(Method::Get, "/v1/domains/{id}/zone-file", "getDomainZoneFile", DomainsManage)
            .summary("Returns the DNS records to publish as a BIND zone file.")
            .responds::<ZoneFileView>(200)
            .errors(&[ErrorCode::NotFound])
            .workspace_wide()
            .handle(zone_file),
    ]
}

object! {
    /// A domain to add.
    struct CreateDomainBody {
        /// The domain name, such as `mail.example.com`.
        domain: DomainName,
        /// Whether the domain receives mail. Default: true.
        receiving: Option<bool>,
    }
}

object! {
    /// Changes to a domain.
    struct UpdateDomainBody {
        /// Whether the domain receives mail.
        receiving: bool,
    }
}

query! {
    /// Page of a list of domains.
    struct DomainListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of domains per page. Default: 25.
        limit: Limit,
    }
}

query! {
    /// How to delete a domain.
    struct DeleteDomainQuery {
        /// Whether to delete the inboxes on the domain, too.
        force: bool,
    }
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateDomainBody>) -> Result<Outcome, Refusal> {
    let body = input.body;
    let made = add::add(&service, input.caller, &body.domain.0, body.receiving.unwrap_or(true)).await?;
    domain_response(&service, 201, &made)
}

async fn list(service: Arc<Service>, input: Input<DomainListQuery>) -> Result<Outcome, Refusal> {
    let page = read::page(&service, input.caller, paging(input.query.cursor, input.query.limit)).await?;
    let (here, now) = (service.config.server_dns(), service.clock.now());
    Outcome::page(&service, &page, |domain| DomainView::of(domain, &here, now))
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let found = read::get(&service, input.caller, input.path.id("id", "domain")?).await?;
    domain_response(&service, 200, &found)
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateDomainBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "domain")?;
    domain_response(&service, 200, &change::set_receiving(&service, input.caller, id, input.body.receiving).await?)
}

async fn delete(service: Arc<Service>, input: Input<DeleteDomainQuery>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "domain")?;
    change::delete(&service, input.caller, id, input.query.force).await?;
    Ok(Outcome::empty())
}

async fn verify(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "domain")?;
    domain_response(&service, 200, &check::verify(&service, &input.caller, id).await?)
}

async fn rotate(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "domain")?;
    domain_response(&service, 200, &change::rotate(&service, input.caller, id).await?)
}

async fn activate(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "domain")?;
    domain_response(&service, 200, &change::activate(&service, &input.caller, id).await?)
}

async fn zone_file(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let found = read::get(&service, input.caller, input.path.id("id", "domain")?).await?;
    let content = mail_domain::zone_file(&found.expected(&service.config.server_dns()));
    Outcome::json(200, &ZoneFileView { filename: format!("{}.zone.txt", found.name), content })
}

fn domain_response(service: &Service, status: u16, domain: &MailDomain) -> Result<Outcome, Refusal> {
    Outcome::json(status, &DomainView::of(domain, &service.config.server_dns(), service.clock.now()))
}

//! `/v1/domains` (API document, Domains; contract §13.4).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission::DomainsManage},
    error::{Code, Refusal},
    id::DomainId,
    mail_domain::{self, MailDomain},
    page::{Paging, Position},
};
use posthouse_store::mail_domains;

use crate::{
    app::{App, add_domain, change_domain, check_domain},
    http::{
        route::{Answer, Input, Route},
        wire::{Cursor, Empty, Limit, Line, object, paging, query},
    },
    views::{
        PageView,
        domain::{DomainView, ZoneFileView},
    },
};

/// What cursors of the list are bound to.
const LIST: &str = "domains";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/v1/domains", "createDomain", DomainsManage)
            .summary("Adds a domain: pending until its records are published.")
            .answers::<DomainView>(201)
            .errors(&[Code::PlanLimitDomains, Code::DomainTaken])
            .workspace_wide()
            .handle(create),
        Route::new(Method::GET, "/v1/domains", "listDomains", DomainsManage)
            .summary("The domains of the workspace, newest first.")
            .answers::<PageView<DomainView>>(200)
            .errors(&[Code::InvalidCursor])
            .workspace_wide()
            .handle(list),
        Route::new(Method::GET, "/v1/domains/{id}", "getDomain", DomainsManage)
            .summary("One domain with the records to publish.")
            .answers::<DomainView>(200)
            .errors(&[Code::NotFound])
            .workspace_wide()
            .handle(read),
        Route::new(Method::PATCH, "/v1/domains/{id}", "updateDomain", DomainsManage)
            .summary("Turns receiving on or off.")
            .answers::<DomainView>(200)
            .errors(&[Code::NotFound])
            .workspace_wide()
            .handle(update),
        Route::new(Method::DELETE, "/v1/domains/{id}", "deleteDomain", DomainsManage)
            .summary("Deletes a domain; with force=true the inboxes on it too.")
            .answers_with(204, None)
            .errors(&[Code::NotFound, Code::DomainInUse])
            .workspace_wide()
            .handle(delete),
        Route::new(Method::POST, "/v1/domains/{id}/verify", "verifyDomain", DomainsManage)
            .summary("Checks the records now; at most once in 10 seconds.")
            .answers::<DomainView>(200)
            .errors(&[Code::NotFound, Code::DomainTaken, Code::RateLimited])
            .workspace_wide()
            .handle(verify),
        Route::new(Method::POST, "/v1/domains/{id}/dkim/rotate", "rotateDomainKey", DomainsManage)
            .summary("Makes the next DKIM key; it signs once its record is seen.")
            .answers::<DomainView>(200)
            .errors(&[Code::NotFound, Code::DkimRotationTooSoon])
            .workspace_wide()
            .handle(rotate),
        Route::new(Method::POST, "/v1/domains/{id}/dkim/activate", "activateDomainKey", DomainsManage)
            .summary("Looks for the next key's record now and lets the key sign.")
            .answers::<DomainView>(200)
            .errors(&[Code::NotFound, Code::DkimRecordNotFound])
            .workspace_wide()
            .handle(activate),
        Route::new(Method::GET, "/v1/domains/{id}/zone-file", "getDomainZoneFile", DomainsManage)
            .summary("The records to publish as a BIND zone file.")
            .answers::<ZoneFileView>(200)
            .errors(&[Code::NotFound])
            .workspace_wide()
            .handle(zone_file),
    ]
}

object! {
    /// A domain to add.
    struct CreateBody {
        /// The domain, such as mail.example.com.
        domain: Line<1, 253>,
        /// Whether it is to take mail; true when left out.
        receiving: Option<bool>,
    }
}

object! {
    /// A change of a domain.
    struct UpdateBody {
        /// Whether it is to take mail.
        receiving: bool,
    }
}

query! {
    /// Which page of the list.
    struct ListQuery {
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most domains of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

query! {
    /// How to delete.
    struct DeleteQuery {
        /// Delete the inboxes on the domain too.
        force: bool,
    }
}

async fn create(app: Arc<App>, input: Input<Empty, CreateBody>) -> Result<Answer, Refusal> {
    let body = input.body;
    let made = add_domain::add(&app, input.caller, &body.domain.0, body.receiving.unwrap_or(true)).await?;
    shown(&app, 201, &made)
}

async fn list(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let (workspace, query) = (input.caller.workspace, input.query);
    let paging: Paging = paging(LIST.to_owned(), query.cursor.as_ref(), query.limit)?;
    let page = paging.page();
    let mut found = app.store.read(move |tx| mail_domains::page(tx, workspace, &page)).await?;
    let next_cursor = paging.cut(&mut found, |d| Position { sort: d.created_at.millis(), id: d.id.0 });
    let (here, now) = (app.config.here(), app.clock.now());
    let data = found.iter().map(|domain| DomainView::of(domain, &here, now)).collect();
    Answer::json(200, &PageView { data, next_cursor })
}

async fn read(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let found = find(&app, &input.caller, input.path.id("id", "domain")?).await?;
    shown(&app, 200, &found)
}

async fn update(app: Arc<App>, input: Input<Empty, UpdateBody>) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "domain")?;
    shown(&app, 200, &change_domain::set_receiving(&app, input.caller, id, input.body.receiving).await?)
}

async fn delete(app: Arc<App>, input: Input<DeleteQuery>) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "domain")?;
    change_domain::delete(&app, input.caller, id, input.query.force).await?;
    Ok(Answer::empty())
}

async fn verify(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "domain")?;
    shown(&app, 200, &check_domain::verify(&app, &input.caller, id).await?)
}

async fn rotate(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "domain")?;
    shown(&app, 200, &change_domain::rotate(&app, input.caller, id).await?)
}

async fn activate(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "domain")?;
    shown(&app, 200, &change_domain::activate(&app, &input.caller, id).await?)
}

async fn zone_file(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let found = find(&app, &input.caller, input.path.id("id", "domain")?).await?;
    let content = mail_domain::zone_file(&found.expected(&app.config.here()));
    Answer::json(200, &ZoneFileView { filename: format!("{}.zone.txt", found.name), content })
}

async fn find(app: &App, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let workspace = caller.workspace;
    let found = app.store.read(move |tx| mail_domains::get(tx, workspace, id)).await?;
    found.ok_or_else(|| Refusal::not_found("domain"))
}

fn shown(app: &App, status: u16, domain: &MailDomain) -> Result<Answer, Refusal> {
    Answer::json(status, &DomainView::of(domain, &app.config.here(), app.clock.now()))
}

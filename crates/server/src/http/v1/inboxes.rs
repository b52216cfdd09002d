//! `/v1/inboxes` (API document, Inboxes; contract §3.2).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    id::InboxId,
    inbox::{self, Inbox, Username},
    list::domain_text,
    metadata,
    page::{Page, Paging, Position},
    plan::Plans,
    time::Time,
};
use posthouse_store::{
    Tx, inboxes,
    inboxes::list::{self, Lives},
    workspaces,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    app::{
        App,
        change_inbox::{self, Change},
        create_inbox::{self, Lifespan, NewInbox},
        delete_inbox, visible,
    },
    http::{
        route::{Answer, Input, Route},
        wire::{
            self, Cursor, Empty, Int, Limit, Line, Metadata, MetadataFilters, Patch, Problems, Text, Wire, member,
            object, paging, query,
        },
    },
    views::{
        PageView,
        inbox::{self as view, InboxView},
    },
};

/// Longest `client_id` and display name in characters.
const NAME_CHARS_MAX: usize = 255;
/// Longest reason of a pause in characters (contract §3.2).
const REASON_CHARS_MAX: usize = 500;

type Ttl = Int<{ inbox::TTL_SECONDS_MIN }, { inbox::TTL_SECONDS_MAX }>;

pub(crate) fn routes() -> Vec<Route> {
    use Permission::{InboxesRead, InboxesWrite};
    vec![
        Route::new(Method::POST, "/v1/inboxes", "createInbox", InboxesWrite)
            .workspace_wide()
            .summary("Makes an inbox; repeated with the same client_id it answers the one that is there.")
            .answers::<InboxView>(201)
            .answers::<InboxView>(200)
            .errors(&[Code::PlanLimitInboxes, Code::TemporaryInboxLimit, Code::AddressTaken, Code::DomainNotVerified])
            .handle(create),
        Route::new(Method::GET, "/v1/inboxes", "listInboxes", InboxesRead)
            .summary("The inboxes that the key can see, newest first.")
            .answers::<PageView<InboxView>>(200)
            .errors(&[Code::InvalidCursor])
            .handle(page),
        Route::new(Method::GET, "/v1/inboxes/{id}", "getInbox", InboxesRead)
            .summary("One inbox.")
            .answers::<InboxView>(200)
            .handle(read),
        Route::new(Method::PATCH, "/v1/inboxes/{id}", "updateInbox", InboxesWrite)
            .summary("Changes an inbox; metadata is merged, and null deletes a key of it.")
            .answers::<InboxView>(200)
            .handle(update),
        Route::new(Method::DELETE, "/v1/inboxes/{id}", "deleteInbox", InboxesWrite)
            .summary("Deletes an inbox for good; a temporary one is wiped. The address is never used again.")
            .answers_with(204, None)
            .handle(delete),
        Route::new(Method::POST, "/v1/inboxes/{id}/pause", "pauseInbox", InboxesWrite)
            .summary("Stops an inbox from sending and keeps its events back; it goes on receiving.")
            .answers::<InboxView>(200)
            .handle(pause),
        Route::new(Method::POST, "/v1/inboxes/{id}/resume", "resumeInbox", InboxesWrite)
            .summary("Ends a pause; the events kept back go out in the order of arrival.")
            .answers::<ResumedView>(200)
            .handle(resume),
    ]
}

object! {
    /// A new inbox: with an address of its own, or temporary with a life in seconds.
    struct CreateBody {
        /// The part of the address before the @; a readable one is made up when it is left out.
        username: Option<Username>,
        /// The name that recipients see.
        display_name: Option<Line<1, NAME_CHARS_MAX>>,
        /// The caller's own key: a repeated create with it answers the inbox that is there.
        client_id: Option<Line<1, NAME_CHARS_MAX>>,
        /// The caller's own data.
        metadata: Option<Metadata>,
        /// A verified domain of the workspace, or the default domain of the service.
        domain: Option<Line<1, 253>>,
        /// Makes the inbox temporary: it expires after so many seconds and only receives.
        ttl_seconds: Option<Ttl>,
    }
    check temporary_alone;
}

object! {
    /// A change of an inbox. What is left out stays.
    struct UpdateBody {
        /// The name that recipients see; null clears it.
        display_name: Patch<Line<1, NAME_CHARS_MAX>>,
        /// Merged into the metadata that is there; a null value deletes its key.
        metadata: Option<Metadata>,
        /// The life of a temporary inbox, counted from now, up to 24 hours after its creation.
        ttl_seconds: Option<Ttl>,
        /// Whether advertising is kept apart; null goes back to the default of the address.
        promotions_filter: Patch<bool>,
    }
}

object! {
    /// Why an inbox is paused.
    struct PauseBody {
        /// For people who look at the inbox.
        reason: Option<Text<1, REASON_CHARS_MAX>>,
    }
}

query! {
    /// Which inboxes.
    struct ListQuery {
        /// Where the last page ended.
        cursor: Option<Cursor>,
        /// Most items of the page; 25 when left out.
        limit: Option<Limit>,
        /// Lists temporary inboxes too.
        include_temporary: bool,
        /// Lists only temporary inboxes.
        temporary: bool,
        /// Only inboxes whose metadata has that value, compared as text; several must all match.
        metadata: MetadataFilters,
    }
}

/// An inbox whose pause has ended.
#[derive(Serialize, JsonSchema)]
struct ResumedView {
    #[serde(flatten)]
    inbox: InboxView,
    /// How many events were kept back and now go out.
    released_events: u64,
}

async fn create(app: Arc<App>, input: Input<Empty, CreateBody>) -> Result<Answer, Refusal> {
    let new = input.body.parse();
    let created = create_inbox::create(&app, input.caller, new).await?;
    Answer::json(if created.is_new { 201 } else { 200 }, &created.view)
}

async fn page(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let (plans, caller) = (app.config.plans, input.caller);
    let paging = paging(input.query.filters(&caller), input.query.cursor.as_ref(), input.query.limit)?;
    let query = input.query.parse(&caller, paging.page(), app.clock.now());
    let page = app.store.read(move |tx| shown_page(tx, &caller, &query, (&plans, &paging))).await?;
    Answer::json(200, &page)
}

/// The page as it is shown, with the cursor of the next one if there is more.
fn shown_page(
    tx: &mut Tx,
    caller: &Caller,
    query: &list::Query,
    (plans, paging): (&Plans, &Paging),
) -> Result<PageView<InboxView>, Refusal> {
    let mut found = visible_page(tx, caller, query)?;
    let next_cursor = paging.cut(&mut found, |i| Position { sort: i.created_at.millis(), id: i.id.0 });
    let tenant = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let data = view::load_all(tx, &found, plans.of(tenant.plan), query.now)?;
    Ok(PageView { data, next_cursor })
}

/// What of the page the caller can see: a key of one inbox sees that one.
fn visible_page(tx: &mut Tx, caller: &Caller, query: &list::Query) -> Result<Vec<Inbox>, Refusal> {
    let Some(own) = caller.scope.inbox() else { return Ok(list::page(tx, query)?) };
    let found = inboxes::live(tx, caller.workspace, own, query.now)?;
    let wanted = |inbox: &Inbox| match query.lives {
        Lives::Permanent => !inbox.temporary,
        Lives::Temporary => inbox.temporary,
        Lives::Both => true,
    };
    let matches = |inbox: &Inbox| metadata::matches(&metadata::read(&inbox.metadata_json), &query.metadata);
    Ok(found.filter(|inbox| query.page.after.is_none() && wanted(inbox) && matches(inbox)).into_iter().collect())
}

async fn read(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let (caller, plans, now) = (input.caller, app.config.plans, app.clock.now());
    let id: InboxId = input.path.id("id", "inbox")?;
    let view = app
        .store
        .read(move |tx| {
            let inbox = visible::inbox(tx, &caller, id)?;
            let tenant = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
            Ok::<_, Refusal>(view::load(tx, &inbox, plans.of(tenant.plan), now)?)
        })
        .await?;
    Answer::json(200, &view)
}

async fn update(app: Arc<App>, input: Input<Empty, UpdateBody>) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Answer::json(200, &change_inbox::change(&app, input.caller, id, input.body.parse()).await?)
}

async fn delete(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "inbox")?;
    delete_inbox::delete(&app, input.caller, id).await?;
    Ok(Answer::empty())
}

async fn pause(app: Arc<App>, input: Input<Empty, PauseBody>) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let reason = input.body.reason.map(|text| text.0);
    Answer::json(200, &change_inbox::pause(&app, input.caller, id, reason).await?)
}

async fn resume(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let resumed = change_inbox::resume(&app, input.caller, id).await?;
    Answer::json(200, &ResumedView { inbox: resumed.view, released_events: resumed.released_events })
}

/// What a temporary inbox cannot have.
fn temporary_alone(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    if is_given("ttl_seconds") {
        for name in ["username", "domain", "client_id"].into_iter().filter(|name| is_given(name)) {
            let problem = "cannot be combined with ttl_seconds: a temporary inbox gets a random address";
            problems.add::<()>(&member(path, name), problem);
        }
    }
}

impl CreateBody {
    fn parse(self) -> NewInbox {
        let life = match self.ttl_seconds {
            Some(ttl) => Lifespan::Temporary { ttl_seconds: ttl.0 },
            None => Lifespan::Permanent {
                username: self.username,
                client_id: self.client_id.map(|id| id.0),
                domain: self.domain.map(|domain| domain_text(&domain.0).unwrap_or(domain.0)),
            },
        };
        // Nulls delete keys, and there are none yet; the form allows no more keys than there may be.
        let given = self.metadata.unwrap_or_default().0;
        let metadata = metadata::merge(metadata::Metadata::new(), &given).unwrap_or_default();
        NewInbox { life, display_name: self.display_name.map(|name| name.0), metadata }
    }
}

impl UpdateBody {
    fn parse(self) -> Change {
        Change {
            display_name: changed(self.display_name).map(|name| name.map(|line| line.0)),
            metadata: self.metadata.unwrap_or_default().0,
            ttl_seconds: self.ttl_seconds.map(|ttl| ttl.0),
            promotions_filter: changed(self.promotions_filter),
        }
    }
}

fn changed<T>(patch: Patch<T>) -> Option<Option<T>> {
    match patch {
        Patch::Keep => None,
        Patch::Clear => Some(None),
        Patch::Set(value) => Some(Some(value)),
    }
}

impl ListQuery {
    fn lives(&self) -> Lives {
        match (self.temporary, self.include_temporary) {
            (true, _) => Lives::Temporary,
            (false, true) => Lives::Both,
            (false, false) => Lives::Permanent,
        }
    }

    /// What a cursor of this list is bound to.
    fn filters(&self, caller: &Caller) -> String {
        let mut metadata = self.metadata.0.clone();
        metadata.sort();
        format!("inboxes {} {:?} {:?} {metadata:?}", caller.workspace, caller.scope, self.lives())
    }

    /// The store's query.
    fn parse(self, caller: &Caller, page: Page, now: Time) -> list::Query {
        list::Query { workspace: caller.workspace, lives: self.lives(), page, metadata: self.metadata.0, now }
    }
}

impl Wire for Username {
    fn schema() -> Value {
        json!({
            "type": "string", "minLength": 1, "maxLength": 64,
            "pattern": "^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$",
        })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return wire::expected("a string", value, path, problems) };
        Username::parse(text).map_err(|problem| problems.add::<()>(path, problem)).ok()
    }
}

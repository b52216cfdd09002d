//! `/v1/suppressions`: addresses that nothing is sent to (decision 15).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    list::searched_text,
    page::{NamedPosition, Paging},
    time::Time,
};
use posthouse_store::{
    Tx,
    suppressions::{self, Filter, Reason, Suppression},
};

use crate::{
    app::{App, suppress},
    http::{
        route::{Answer, Input, Route},
        wire::{AddressText, Cursor, Empty, Limit, Line, choice, object, paging, query},
    },
    views::{PageView, suppression::SuppressionView},
};

pub(crate) fn routes() -> Vec<Route> {
    use Permission::{ContactsRead, ContactsWrite};
    vec![
        Route::new(Method::GET, "/v1/suppressions", "listSuppressions", ContactsRead)
            .summary("The addresses that sends are refused for, newest first.")
            .answers::<PageView<SuppressionView<'_>>>(200)
            .errors(&[Code::InvalidCursor])
            .handle(list),
        Route::new(Method::POST, "/v1/suppressions", "createSuppression", ContactsWrite)
            .workspace_wide()
            .summary("Suppresses an address; one that is suppressed already answers 200 and keeps its reason.")
            .answers::<SuppressionView<'_>>(201)
            .answers::<SuppressionView<'_>>(200)
            .handle(create),
        Route::new(Method::DELETE, "/v1/suppressions/{address}", "deleteSuppression", ContactsWrite)
            .workspace_wide()
            .summary("Lifts the suppression of an address, so that it can be written to again.")
            .answers_with(204, None)
            .errors(&[Code::NotFound])
            .handle(delete),
    ]
}

choice! {
    /// Why an address is suppressed.
    enum ReasonChoice {
        /// Its server refused for good.
        Bounce = "bounce",
        /// Its owner marked a message as spam.
        Complaint = "complaint",
        /// A caller asked for it.
        Manual = "manual",
    }
}

query! {
    /// What the list is narrowed to.
    struct ListQuery {
        /// A part of the address.
        q: Option<Line<1, 200>>,
        /// The reason.
        reason: Option<ReasonChoice>,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most suppressions of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

object! {
    /// An address to be suppressed.
    struct Create {
        /// The bare address.
        address: AddressText,
    }
}

async fn list(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let (caller, query) = (input.caller, input.query);
    let (found, next_cursor) = app.store.read(move |tx| read_page(tx, &caller, &query)).await?;
    Answer::json(200, &PageView { data: found.iter().map(SuppressionView::of).collect(), next_cursor })
}

fn read_page(tx: &mut Tx, caller: &Caller, query: &ListQuery) -> Result<(Vec<Suppression>, Option<String>), Refusal> {
    let filter = Filter {
        q: query.q.as_ref().map(|q| searched_text(&q.0)),
        reason: query.reason.and_then(|reason| Reason::parse(reason.text())),
    };
    let named = format!("suppressions of {}: {filter:?}", caller.workspace);
    let paging: Paging<NamedPosition> = paging(named, query.cursor.as_ref(), query.limit)?;
    let behind = paging.after.as_ref().map(|p| (Time::from_millis(p.sort), p.name.as_str()));
    let mut found = suppressions::page(tx, caller.workspace, &filter, behind, paging.fetched())?;
    let next = paging.cut(&mut found, |s| NamedPosition { sort: s.created_at.millis(), name: s.address.clone() });
    Ok((found, next))
}

async fn create(app: Arc<App>, input: Input<Empty, Create>) -> Result<Answer, Refusal> {
    let made = suppress::add(&app, input.caller, &input.body.address.0).await?;
    Answer::json(if made.is_new { 201 } else { 200 }, &SuppressionView::of(&made.suppression))
}

async fn delete(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    suppress::remove(&app, input.caller, input.path.text("address")).await?;
    Ok(Answer::empty())
}

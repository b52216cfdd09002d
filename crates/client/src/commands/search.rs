//! `posthouse search`.

use clap::Args;

use super::list::{self, List, Paging};
use crate::{
    api::Query,
    error::ClientError,
    inbox,
    output::{Column, column},
    session::Session,
};

const EXAMPLES: &str = "\
Examples:
  posthouse search invoice
  posthouse search '\"order 1042\" -refund' --inbox support@agents.example";

/// Options of `posthouse search`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Search {
    /// Words to find; \"quoted phrases\", -excluded words, or.
    #[arg(required = true)]
    query: Vec<String>,
    /// Id or address of an inbox; left out: every inbox of the key.
    #[arg(long, value_name = "INBOX")]
    inbox: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column] = &[
    column("Time", "created_at"),
    column("From", "from"),
    column("Subject", "subject"),
    column("Match", "snippet"),
    column("Id", "id"),
];

/// Prints the messages that match, the best first.
pub(crate) async fn run(session: &Session, given: Search) -> Result<(), ClientError> {
    let api = session.api()?;
    let inbox = match &given.inbox {
        Some(inbox) => Some(inbox::find(&api, inbox).await?.id),
        None => None,
    };
    let query = Query::default()
        .with("q", given.query.join(" "))
        .maybe("inbox_id", inbox)
        .maybe("view", session.output.is_table().then_some("summary"));
    list::print(session, &api, List { path: "/v1/search".into(), query, columns: COLUMNS }, &given.paging).await
}

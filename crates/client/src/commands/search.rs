//! `posthouse search`.

use clap::Args;

use super::list::{self, List, Paging};
use crate::{
    api::Query,
    error::ClientError,
    inbox,
    output::{Column, column, html_column},
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
    // Not the later words: they would take every option after them as words, too.
    #[arg(allow_hyphen_values = true, value_parser = word)]
    query: String,
    #[arg(hide = true)]
    more: Vec<String>,
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
    html_column("Match", "snippet"),
    column("Id", "id"),
];

/// Reads a word. An unknown option is an error.
fn word(text: &str) -> Result<String, String> {
    if text.starts_with("--") {
        return Err("is no option of search".to_owned());
    }
    Ok(text.to_owned())
}

/// Prints the messages that match, the best first.
pub(crate) async fn run(session: &Session, given: Search) -> Result<(), ClientError> {
    let api = session.api()?;
    let inbox = match &given.inbox {
        Some(inbox) => Some(inbox::find(&api, inbox).await?.id),
        None => None,
    };
    let words = [vec![given.query], given.more].concat().join(" ");
    let query = Query::default()
        .with("q", words)
        .maybe("inbox_id", inbox)
        .maybe("view", session.output.is_table().then_some("summary"));
    list::print(
        session,
        &api,
        List {
            path: "/v1/search".into(),
            query,
            columns: COLUMNS,
            untrusted: "other people wrote these subjects and matches",
        },
        &given.paging,
    )
    .await
}

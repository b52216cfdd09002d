//! Lists: pages by `--limit` and `--cursor`, or everything with `--all`.

use clap::Args;
use serde_json::Value;

use crate::{
    api::{Api, Call, Query},
    error::ClientError,
    output::Column,
    session::Session,
};

/// Items on a page with `--all`.
const PAGE_OF_ALL: u32 = 100;
/// Items of `--all` that a table may have: a table is built in memory. JSON has no limit.
const TABLE_ITEMS_MAX: usize = 100_000;

/// Which part of a list.
#[derive(Args, Clone, Debug)]
pub(crate) struct Paging {
    /// Items on a page, 1 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: Option<u32>,
    /// Continue after a page: the cursor that it printed.
    #[arg(long, value_name = "CURSOR", conflicts_with = "all")]
    cursor: Option<String>,
    /// Read every page.
    #[arg(long)]
    all: bool,
}

/// A list of the API and how a table shows it.
pub(crate) struct List<'a> {
    /// The path.
    pub(crate) path: String,
    /// Filters.
    pub(crate) query: Query,
    /// Columns of the table.
    pub(crate) columns: &'a [Column],
    /// What the items have that other people wrote; empty for none.
    pub(crate) untrusted: &'static str,
}

/// Prints a list.
///
/// # Errors
/// Fails as [`Api::call`] and the output do.
pub(crate) async fn print(session: &Session, api: &Api, list: List<'_>, paging: &Paging) -> Result<(), ClientError> {
    let mut cursor = paging.cursor.clone();
    let mut collected: Vec<Value> = Vec::new();
    loop {
        let limit = paging.limit.or(paging.all.then_some(PAGE_OF_ALL));
        let query = list.query.clone().maybe("limit", limit).maybe("cursor", cursor.as_ref());
        let mut page = api.json(Call::get(list.path.clone()).query(&query)).await?;
        let items = page["data"].as_array_mut().map(std::mem::take).unwrap_or_default();
        cursor = page["next_cursor"].as_str().filter(|next| !next.is_empty()).map(str::to_owned);
        if session.output.is_table() {
            collected.extend(items);
            if paging.all && cursor.is_some() {
                session.output.progress(&format!("Reading: {} items", collected.len()));
            }
        } else {
            session.output.items(&items, list.columns)?;
        }
        if cursor.is_none() || !paging.all || collected.len() >= TABLE_ITEMS_MAX {
            break;
        }
    }
    if session.output.is_table() {
        if paging.all {
            session.output.progress("");
        }
        if session.output.is_table_view() && !list.untrusted.is_empty() && !collected.is_empty() {
            session.output.banner(list.untrusted)?;
        }
        session.output.items(&collected, list.columns)?;
    }
    if let Some(next) = cursor {
        session.output.note(&format!("There is more: --cursor {next}"));
    }
    Ok(())
}

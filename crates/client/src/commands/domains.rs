//! `posthouse domains list | add | records | verify`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::list::{self, List, Paging};
use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
    inbox::is_id,
    output::{Column, column},
    session::Session,
};

/// Domains on one page of the look-up by name.
const PAGE: u32 = 100;

/// Commands for custom domains.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the domains of the workspace.
    List(ListOptions),
    /// Add a domain; prints the DNS records to publish.
    Add(Add),
    /// Show the DNS records of a domain with the results of the last check.
    Records(Records),
    /// Check the DNS records of a domain now.
    Verify(Verify),
}

/// Options of `posthouse domains list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

/// Options of `posthouse domains add`.
#[derive(Args, Debug)]
pub struct Add {
    /// Name of the domain.
    domain: String,
    /// Use the domain for sending only.
    #[arg(long)]
    no_receiving: bool,
}

/// Options of `posthouse domains records`.
#[derive(Args, Debug)]
pub struct Records {
    /// Name or id of the domain.
    domain: String,
    /// Print a zone file (RFC 1035).
    #[arg(long)]
    zone_file: bool,
}

/// Options of `posthouse domains verify`.
#[derive(Args, Debug)]
pub struct Verify {
    /// Name or id of the domain.
    domain: String,
}

const COLUMNS: &[Column] = &[
    column("Domain", "domain"),
    column("Status", "status"),
    column("Receiving", "receiving"),
    column("Checked", "last_checked_at"),
    column("Id", "id"),
];

const RECORDS: &[Column] = &[
    column("Status", "status"),
    column("Type", "type"),
    column("Name", "name"),
    column("Value", "value"),
    column("Required", "required"),
];

/// Runs a command for domains.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    let api = session.api()?;
    match command {
        Command::List(given) => {
            let list = List { path: "/v1/domains".into(), query: Query::default(), columns: COLUMNS, untrusted: "" };
            list::print(session, &api, list, &given.paging).await
        }
        Command::Add(given) => {
            let body = json!({ "domain": given.domain, "receiving": !given.no_receiving });
            let added = api.json(Call::post("/v1/domains").body(body)).await?;
            show(session, &added)?;
            session.output.note(&format!("Publish the records, then run posthouse domains verify {}", given.domain));
            Ok(())
        }
        Command::Records(given) => {
            let path = path(&api, &given.domain).await?;
            if given.zone_file {
                let zone = api.json(Call::get(path + "/zone-file")).await?;
                return session.output.single_text(zone["content"].as_str().unwrap_or_default(), &zone);
            }
            show(session, &api.json(Call::get(path)).await?)
        }
        Command::Verify(given) => {
            let path = path(&api, &given.domain).await? + "/verify";
            let checked = api.json(Call::post(path)).await?;
            show(session, &checked)?;
            match checked["status"].as_str() {
                Some("verified") => Ok(()),
                _ => {
                    let text = format!("{} is not verified; publish the records that are not ok", given.domain);
                    Err(ClientError::Failed(text))
                }
            }
        }
    }
}

/// Prints a domain: its records for a person, the object for a program.
fn show(session: &Session, domain: &Value) -> Result<(), ClientError> {
    session.output.object(domain, COLUMNS)?;
    if !session.output.is_table_view() {
        return Ok(());
    }
    session.output.line("")?;
    session.output.records(domain["records"].as_array().map_or(&[][..], Vec::as_slice), RECORDS)
}

/// Returns the path of the domain with this name or id.
async fn path(api: &Api, domain: &str) -> Result<String, ClientError> {
    if is_id(domain) {
        return Ok(format!("/v1/domains/{domain}"));
    }
    let mut cursor: Option<String> = None;
    loop {
        let query = Query::default().with("limit", PAGE).maybe("cursor", cursor);
        let page = api.json(Call::get("/v1/domains").query(&query)).await?;
        let is_wanted = |item: &&Value| item["domain"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(domain));
        let found = page["data"].as_array().into_iter().flatten().find(is_wanted);
        if let Some(id) = found.and_then(|item| item["id"].as_str()) {
            return Ok(format!("/v1/domains/{}", segment(id)));
        }
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            let text = format!("the workspace has no domain {domain}; posthouse domains list shows them");
            return Err(ClientError::Failed(text));
        }
    }
}

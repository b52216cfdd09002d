//! `posthouse keys list | create | revoke`.
//!
//! A person manages keys in the dashboard, the operator with `posthouse key`. A server may let a key do it, too; others
//! refuse, and the error then names these ways.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, json};

use super::list::{self, List, Paging};
use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
    inbox,
    output::{Column, column},
    session::Session,
};

const PATH: &str = "/platform/api-keys";

/// Commands for API keys.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the API keys of the workspace.
    List(ListOptions),
    /// Create an API key; prints it once.
    Create(Create),
    /// Revoke an API key for good.
    Revoke(Revoke),
}

/// Options of `posthouse keys list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

/// Options of `posthouse keys create`.
#[derive(Args, Debug)]
pub struct Create {
    /// Name of the key.
    #[arg(long, value_name = "TEXT")]
    name: String,
    /// Set of permissions.
    #[arg(long, value_enum, default_value_t = Preset::Agent)]
    preset: Preset,
    /// Id or address of the one inbox that the key is for.
    #[arg(long, value_name = "INBOX")]
    inbox: Option<String>,
}

/// A set of permissions.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Preset {
    /// Every permission.
    Full,
    /// What an agent needs that works with mail.
    Agent,
    /// Sends and drafts.
    SendOnly,
    /// Every permission that reads.
    ReadOnly,
    /// Reads and approves drafts.
    Approve,
}

/// Options of `posthouse keys revoke`.
#[derive(Args, Debug)]
pub struct Revoke {
    /// Id of the key.
    key: String,
}

const COLUMNS: &[Column] = &[
    column("Name", "name"),
    column("Prefix", "prefix"),
    column("Scope", "scope"),
    column("Last used", "last_used_at"),
    column("Revoked", "revoked_at"),
    column("Id", "id"),
];

/// Runs a command for keys.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    let api = session.api()?;
    let done = match command {
        Command::List(given) => {
            let list = List { path: PATH.into(), query: Query::default(), columns: COLUMNS, untrusted: "" };
            list::print(session, &api, list, &given.paging).await
        }
        Command::Create(given) => create(session, &api, given).await,
        Command::Revoke(given) => revoke(session, &api, given).await,
    };
    done.map_err(|error| explained(error, &api))
}

async fn create(session: &Session, api: &Api, given: Create) -> Result<(), ClientError> {
    let mut body = Map::new();
    body.insert("name".into(), given.name.into());
    let preset = given.preset.to_possible_value().map(|value| value.get_name().to_owned());
    body.insert("preset".into(), json!(preset));
    if let Some(inbox) = &given.inbox {
        body.insert("inbox_id".into(), inbox::find(api, inbox).await?.id.into());
    }
    let created = api.json(Call::post(PATH).body(body.into())).await?;
    session.output.single(created["key"].as_str().unwrap_or_default(), &created)?;
    session.output.note("Store the key: it is not shown again.");
    Ok(())
}

async fn revoke(session: &Session, api: &Api, given: Revoke) -> Result<(), ClientError> {
    api.call(Call::delete(format!("{PATH}/{}", segment(&given.key)))).await?;
    let id = &given.key;
    session.output.sentence(&format!("Revoked {id}."), &json!({ "id": id, "revoked": true }))
}

/// Names the ways that work if the server lets only people manage keys.
fn explained(error: ClientError, api: &Api) -> ClientError {
    match error {
        ClientError::Api(mut refused) if refused.code == "unauthorized" || refused.code == "forbidden" => {
            refused.message = "an API key can't manage API keys here: a person does".to_owned();
            refused.fix =
                Some(format!("Open {}/keys in the dashboard, or run posthouse admin key on the server.", api.base()));
            ClientError::Api(refused)
        }
        other => other,
    }
}

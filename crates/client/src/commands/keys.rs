//! `posthouse keys list | create | revoke`.
//!
//! A key can't make keys, or a stolen one would outlive its revocation. So a person manages them in the dashboard, and the
//! operator on the machine of the server: with `--data-dir` or `--config`, these commands work on its store. Otherwise
//! the server is asked, and the error of one that refuses names both ways.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

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

/// The store of a server on this machine.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "On the machine of the server")]
pub struct LocalStore {
    /// Data directory of the server; no API key is needed.
    #[arg(long, value_name = "DIR", display_order = 100)]
    pub data_dir: Option<PathBuf>,
    /// Configuration file of the server; no API key is needed.
    #[arg(long, value_name = "FILE", display_order = 101)]
    pub config: Option<PathBuf>,
    /// Id of the workspace, if the server has several.
    #[arg(long, value_name = "ID", display_order = 102)]
    pub workspace: Option<String>,
}

impl LocalStore {
    fn is_named(&self) -> bool {
        self.data_dir.is_some() || self.config.is_some()
    }
}

/// The keys of a server on this machine, read and changed in its store.
pub trait LocalKeys {
    /// Lists the keys of the workspace.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    fn list(&self, store: &LocalStore) -> Result<Vec<Value>, LocalKeysError>;

    /// Creates a key with a set of permissions, for the whole workspace or for the inbox with this id or address. Returns it
    /// as the API does: `api_key`, and the text `key`.
    ///
    /// # Errors
    /// Fails if the store can't be changed, or for an unknown inbox.
    fn create(
        &self,
        store: &LocalStore,
        name: &str,
        preset: &str,
        inbox: Option<&str>,
    ) -> Result<Value, LocalKeysError>;

    /// Revokes a key.
    ///
    /// # Errors
    /// Fails if the store can't be changed, or has no such key.
    fn revoke(&self, store: &LocalStore, key: &str) -> Result<(), LocalKeysError>;
}

/// Why a store couldn't be used.
#[derive(Debug)]
pub enum LocalKeysError {
    /// The arguments or the configuration are invalid.
    Usage(String),
    /// Anything else.
    Failed(String),
}

impl From<LocalKeysError> for ClientError {
    fn from(error: LocalKeysError) -> Self {
        match error {
            LocalKeysError::Usage(text) => Self::Usage(text),
            LocalKeysError::Failed(text) => Self::Failed(text),
        }
    }
}

/// Options of `posthouse keys list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    store: LocalStore,
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
    #[command(flatten)]
    store: LocalStore,
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
    #[command(flatten)]
    store: LocalStore,
}

const COLUMNS: &[Column] = &[
    column("Name", "name"),
    column("Prefix", "prefix"),
    column("Scope", "scope"),
    column("Last used", "last_used_at"),
    column("Revoked", "revoked_at"),
    column("Id", "id"),
];

impl Command {
    /// Returns the options that name a store, to complete them.
    pub(crate) fn store_mut(&mut self) -> &mut LocalStore {
        match self {
            Self::List(given) => &mut given.store,
            Self::Create(given) => &mut given.store,
            Self::Revoke(given) => &mut given.store,
        }
    }

    /// Returns whether the command works on a store.
    pub(crate) fn is_local(&self) -> bool {
        self.store().is_named()
    }

    /// Returns the options that name a store.
    fn store(&self) -> &LocalStore {
        match self {
            Self::List(given) => &given.store,
            Self::Create(given) => &given.store,
            Self::Revoke(given) => &given.store,
        }
    }
}

/// Runs a command for keys on the server.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    if command.store().workspace.is_some() {
        let problem = "--workspace is for the machine of the server; pass --data-dir, too";
        return Err(ClientError::Usage(problem.to_owned()));
    }
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

/// Runs a command for keys on a store of this machine.
pub(crate) fn run_on_store(session: &Session, command: Command, local: &dyn LocalKeys) -> Result<(), ClientError> {
    let store = command.store().clone();
    match command {
        Command::List(_) => session.output.items(&local.list(&store)?, COLUMNS),
        Command::Create(given) => {
            let created = local.create(&store, &given.name, &given.preset.name(), given.inbox.as_deref())?;
            show_created(session, &created)
        }
        Command::Revoke(given) => {
            local.revoke(&store, &given.key)?;
            show_revoked(session, &given.key)
        }
    }
}

impl Preset {
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

async fn create(session: &Session, api: &Api, given: Create) -> Result<(), ClientError> {
    let mut body = Map::new();
    body.insert("name".into(), given.name.into());
    body.insert("preset".into(), given.preset.name().into());
    if let Some(inbox) = &given.inbox {
        body.insert("inbox_id".into(), inbox::find(api, inbox).await?.id.into());
    }
    let created = api.json(Call::post(PATH).body(body.into())).await?;
    show_created(session, &created)
}

/// Prints the key alone, or with `--json` what the API returns.
fn show_created(session: &Session, created: &Value) -> Result<(), ClientError> {
    session.output.single(created["key"].as_str().unwrap_or_default(), created)?;
    session.output.note("Store the key: it is not shown again.");
    Ok(())
}

async fn revoke(session: &Session, api: &Api, given: Revoke) -> Result<(), ClientError> {
    api.call(Call::delete(format!("{PATH}/{}", segment(&given.key)))).await?;
    show_revoked(session, &given.key)
}

fn show_revoked(session: &Session, id: &str) -> Result<(), ClientError> {
    session.output.sentence(&format!("Revoked {id}."), &json!({ "id": id, "revoked": true }))
}

/// Names the ways that work if the server lets only people manage keys.
fn explained(error: ClientError, api: &Api) -> ClientError {
    match error {
        ClientError::Api(mut refused) if refused.code == "unauthorized" || refused.code == "forbidden" => {
            refused.message = "an API key can't manage API keys: a person does".to_owned();
            refused.fix = Some(format!(
                "Open {}/keys in the dashboard, or on the machine of the server add --data-dir DIR to this command.",
                api.base()
            ));
            ClientError::Api(refused)
        }
        other => other,
    }
}

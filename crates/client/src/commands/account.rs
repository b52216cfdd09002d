//! `posthouse login | logout | whoami`.

use clap::Args;
use serde_json::json;

use super::input;
use crate::{
    api::{Api, Call},
    error::ClientError,
    http::Http,
    output::{Column, column},
    profiles::{ConfigFile, Profile},
    session::Session,
};

/// Longest key that is accepted, in bytes.
const KEY_BYTES_MAX: usize = 1_024;

const LOGIN_EXAMPLES: &str = "\
Examples:
  Type or paste a key, which the terminal doesn't show:
    posthouse login
  A key for another server, from a file:
    posthouse login --base-url https://mail.example.com --profile work < key

The key is stored in posthouse/config.json in the configuration directory of
your system, which only you can read.";

/// Options of `posthouse login`.
#[derive(Args, Debug)]
#[command(after_help = LOGIN_EXAMPLES)]
pub struct Login {}

/// Options of `posthouse logout`.
#[derive(Args, Debug)]
pub struct Logout {}

/// Options of `posthouse whoami`.
#[derive(Args, Debug)]
pub struct Whoami {}

const ACCOUNT: &[Column] = &[
    column("Workspace", "workspace.name"),
    column("Workspace id", "workspace.id"),
    column("Plan", "workspace.plan"),
    column("Claim", "claim.status"),
    column("Key", "key.id"),
    column("Scope", "key.scope"),
    column("Inbox", "key.inbox_id"),
    column("Permissions", "key.permissions"),
];

/// Asks for a key, checks it at the server and stores it.
pub(crate) async fn login(session: &Session, _: Login) -> Result<(), ClientError> {
    let mut file = ConfigFile::read_for_login(&session.environment)?;
    let base = session.login_base(&file)?;
    let shown = base.as_str().trim_end_matches('/').to_owned();
    if base.scheme() == "http" && !is_loopback(&base) {
        session.output.warn(&format!("{shown} is not encrypted: others can read the key on its way. Use https://."));
    }
    let key = read_key(session, &shown)?;
    let api = Api::new(Http::new(base)?, Some(key.clone()));
    let account = match api.json(Call::get("/v1/account")).await {
        Ok(account) => Some(account),
        // The key works, but can't read the account.
        Err(error) if error.has_status(403) => None,
        Err(error) if error.has_status(401) => {
            let text =
                format!("{shown} refused the key; create one in the dashboard under API keys, or ask its operator");
            return Err(ClientError::Failed(text));
        }
        Err(error) => return Err(error),
    };
    file.store(&session.profile(), &Profile { api_key: Some(key), base_url: Some(shown.clone()) })?;
    if let Some(copy) = file.copy() {
        let (path, copy) = (file.path().display(), copy.display());
        session.output.warn(&format!("{path} was damaged, so it is written again. The old file is {copy}."));
    }
    let workspace = account.as_ref().and_then(|account| account["workspace"]["name"].as_str());
    let of = workspace.map(|name| format!(" for {name}")).unwrap_or_default();
    let text = format!("Stored the key{of} at {shown} in {}.", file.path().display());
    let workspace_id = account.as_ref().map(|account| account["workspace"]["id"].clone());
    session.output.sentence(
        &text,
        &json!({ "base_url": shown, "profile": session.profile(), "workspace_id": workspace_id, "workspace": workspace }),
    )
}

/// Removes the stored key.
pub(crate) fn logout(session: &Session, _: Logout) -> Result<(), ClientError> {
    let mut file = ConfigFile::read(&session.environment)?;
    let (name, known) = (session.profile(), file.names());
    if !file.remove(&name)? {
        let stored =
            if known.is_empty() { "none is stored".to_owned() } else { format!("stored: {}", known.join(", ")) };
        return Err(ClientError::Failed(format!("there is no stored key in the profile {name} ({stored})")));
    }
    let text = format!("Removed the key of the profile {name}. It stays valid: revoke it in the dashboard.");
    session.output.sentence(&text, &json!({ "profile": name, "removed": true }))
}

/// Shows the account.
pub(crate) async fn whoami(session: &Session, _: Whoami) -> Result<(), ClientError> {
    let api = session.api()?;
    let account = api.json(Call::get("/v1/account")).await?;
    if session.output.is_table() {
        session.output.line(&format!("Server        {}", api.base()))?;
    }
    session.output.object(&account, ACCOUNT)?;
    session.show_notice(&api);
    Ok(())
}

fn read_key(session: &Session, base: &str) -> Result<String, ClientError> {
    let text = if input::is_terminal() {
        session.output.prompt(&format!("API key for {base} (it is not shown): "));
        let line = input::hidden_line()?;
        session.output.note("");
        line
    } else {
        input::standard_input()?
    };
    let key = text.trim().to_owned();
    let is_usable = !key.is_empty() && key.len() <= KEY_BYTES_MAX && key.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_usable {
        let text = "standard input has no API key; paste one, or run posthouse login < FILE with a file that has one";
        return Err(ClientError::Usage(text.to_owned()));
    }
    Ok(key)
}

fn is_loopback(base: &url::Url) -> bool {
    match base.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

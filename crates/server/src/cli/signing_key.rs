//! `posthouse signing-key list | rotate | revoke`.

use posthouse_app::ReadScope;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use posthouse_app::{Service, signing::keys};
use posthouse_domain::signing_key::SigningPurpose;
use posthouse_store::{Tx, signing_keys, signing_keys::StoredSigningKey};
use serde_json::{Value, json};

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::runtime;
use crate::boot;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// List the keys, with retired and revoked ones.
    List(OutputOptions),
    /// Create the next key; it signs ten minutes later, when programs that verify know it.
    Rotate(Rotate),
    /// Revoke a key: its signatures from now on are invalid, and another key signs at once.
    Revoke {
        /// Id of the key (kid).
        // One in 64 ids begins with a hyphen.
        #[arg(allow_hyphen_values = true)]
        kid: String,
        #[command(flatten)]
        output: OutputOptions,
    },
}

/// Shown below the options.
const EXAMPLES: &str = "\
Example:
  posthouse signing-key rotate --purpose agent-messages

The service rotates its keys once a year by itself.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Rotate {
    /// The keys to rotate; both kinds without this option.
    #[arg(long, value_enum)]
    purpose: Option<PurposeName>,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PurposeName {
    #[value(alias = "agent_messages")]
    AgentMessages,
    Identity,
}

impl PurposeName {
    const fn purpose(self) -> SigningPurpose {
        match self {
            Self::AgentMessages => SigningPurpose::AgentMessages,
            Self::Identity => SigningPurpose::Identity,
        }
    }
}

pub(super) fn run(command: Command, options: &GlobalOptions) -> Result<(), CommandError> {
    let config = options.load_with_store()?;
    runtime()?.block_on(async {
        let service = boot::bare_program(&config)?;
        let done = match command {
            Command::List(output) => list(&service, &output).await,
            Command::Rotate(given) => rotate(&service, &given).await,
            Command::Revoke { kid, output } => revoke(&service, &kid, &output).await,
        };
        boot::close(service.store.clone()).await;
        done
    })
}

async fn list(service: &Arc<Service>, output: &OutputOptions) -> Result<(), CommandError> {
    let load = |tx: &mut Tx| -> posthouse_store::Result<Vec<StoredSigningKey>> {
        let mut all = Vec::new();
        for purpose in SigningPurpose::ALL {
            all.extend(signing_keys::all(tx, *purpose)?);
        }
        Ok(all)
    };
    let keys = service.read(ReadScope::Service, load).await?;
    let now = service.clock.now();
    let view = |key: &StoredSigningKey| {
        json!({
            "purpose": key.purpose.text(),
            "kid": key.kid,
            "status": key.times.status(now).text(),
            "created_at": key.times.created_at.to_string(),
            "signs_from": key.times.signs_from.to_string(),
            "retired_at": key.times.retired_at.map(|at| at.to_string()),
            "revoked_at": key.times.revoked_at.map(|at| at.to_string()),
        })
    };
    let views: Vec<Value> = keys.iter().map(view).collect();
    let line = |key: &StoredSigningKey| {
        let (purpose, status) = (key.purpose.text(), key.times.status(now).text());
        format!("{purpose:15} {status:8} {}  signs from {}", key.kid, key.times.signs_from)
    };
    let text = keys.iter().map(line).collect::<Vec<_>>().join("\n");
    print(output, &json!({ "keys": views }), &text, &CommandEffect::Nothing)
}

async fn rotate(service: &Arc<Service>, given: &Rotate) -> Result<(), CommandError> {
    let all = SigningPurpose::ALL.iter().copied();
    let purposes: Vec<SigningPurpose> =
        all.filter(|one| given.purpose.is_none_or(|name| name.purpose() == *one)).collect();
    let (mut views, mut lines) = (Vec::new(), Vec::new());
    for purpose in purposes {
        let rotated = keys::rotate(service, purpose).await.map_err(CommandError::failed)?;
        let (name, at) = (purpose.text(), rotated.signs_from);
        views.push(json!({ "purpose": name, "kid": rotated.kid, "signs_from": at.to_string() }));
        lines.push(format!("{name}: the key {} signs from {at}.", rotated.kid));
    }
    let text = lines.join("\n");
    print(&given.output, &json!({ "keys": views }), &text, &CommandEffect::This(text.clone()))
}

async fn revoke(service: &Arc<Service>, kid: &str, output: &OutputOptions) -> Result<(), CommandError> {
    let revoked = keys::revoke(service, kid).await.map_err(CommandError::failed)?;
    let Some(next) = revoked else {
        let why = format!("no signing key has the id {kid}; `posthouse signing-key list` shows the ids");
        return Err(CommandError::Failed(why));
    };
    let json = json!({ "revoked": kid, "kid": next.kid, "signs_from": next.signs_from.to_string() });
    let text = format!("Revoked {kid}. The newest key is {}.", next.kid);
    print(output, &json, &text, &CommandEffect::This(text.clone()))
}

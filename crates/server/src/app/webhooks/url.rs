//! Where a webhook may go: its URL by the rules, and what its name resolves to, at its making and again at each attempt.

use std::net::{IpAddr, SocketAddr};

use posthouse_domain::{
    delivery::is_special_purpose,
    error::{Code, Refusal},
    webhook::{Host, Target, UrlRules, parse_url},
};

use crate::app::{
    App,
    deliver::route::{Addresses, addresses},
};

fn rules(app: &App) -> UrlRules {
    UrlRules { http: app.config.webhooks.allow_http, private_networks: app.config.webhooks.allow_private_networks }
}

/// Judges the URL of a new webhook. A name that resolves to nothing now is fine: it may be about to. One that resolves to a
/// guarded address, be it beside others, is not.
///
/// # Errors
/// `invalid_webhook_url`.
pub(super) async fn judge(app: &App, url: &str) -> Result<(), Refusal> {
    let refused = |problem: String| Refusal::new(Code::InvalidWebhookUrl, format!("The URL {problem}."));
    let target = parse_url(url, rules(app)).map_err(refused)?;
    let (Host::Name(name), false) = (&target.host, app.config.webhooks.allow_private_networks) else { return Ok(()) };
    if let Addresses::Found(found) = addresses(app, name, false).await
        && let Some(inner) = found.iter().find(|address| is_special_purpose(**address))
    {
        return Err(refused(format!(
            "must be reachable from the internet; {name} is {inner}, which is not a public address"
        )));
    }
    Ok(())
}

/// Where to connect for an attempt, or why nowhere.
pub(super) async fn resolve(app: &App, url: &str) -> Result<(Target, Vec<SocketAddr>), String> {
    let rules = rules(app);
    let target = parse_url(url, rules).map_err(|problem| format!("the URL {problem}"))?;
    let found: Vec<IpAddr> = match &target.host {
        Host::Address(address) => vec![*address],
        Host::Name(name) => match addresses(app, name, !rules.private_networks).await {
            Addresses::Found(found) => found,
            Addresses::None { no_such_name: true } => return Err(format!("the name {name} does not exist")),
            Addresses::None { .. } | Addresses::OtherKind => return Err(format!("the name {name} has no address")),
            Addresses::Guarded => {
                return Err(format!("{name} is not reachable from the internet: it has no public address"));
            }
            Addresses::Failed => return Err(format!("the name {name} cannot be looked up now")),
        },
    };
    let places = found.into_iter().map(|address| SocketAddr::new(address, target.port)).collect();
    Ok((target, places))
}

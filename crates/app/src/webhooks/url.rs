//! Checks a webhook's URL: when it is created also its addresses; at each attempt the HTTP client checks these.

use posthouse_domain::{
    ErrorCode, IpPreference, Refusal, WebhookHost, WebhookUrlRules, delivery::is_special_purpose, webhook::parse_url,
};

use crate::{app::App, ports::HostAddresses, ports::NetworkScope, ports::host_addresses};

fn rules(app: &App) -> WebhookUrlRules {
    WebhookUrlRules {
        http: app.config.webhooks.allow_http,
        private_networks: app.config.webhooks.allow_private_networks,
    }
}

/// Checks the URL of a new webhook. A name that doesn't resolve yet is allowed; one with any special-purpose address is
/// not.
///
/// # Errors
/// Returns `invalid_webhook_url` if the URL is not allowed.
pub(super) async fn check_url(app: &App, url: &str) -> Result<(), Refusal> {
    let refused = |problem: String| Refusal::new(ErrorCode::InvalidWebhookUrl, format!("The URL {problem}."));
    let target = parse_url(url, rules(app)).map_err(refused)?;
    let (WebhookHost::Name(name), false) = (&target.host, app.config.webhooks.allow_private_networks) else {
        return Ok(());
    };
    if let HostAddresses::Found(found) = host_addresses(&*app.dns, name, false, IpPreference::PreferV4).await
        && let Some(inner) = found.iter().find(|address| is_special_purpose(**address))
    {
        return Err(refused(format!(
            "must be reachable from the internet; {name} is {inner}, which is not a public address"
        )));
    }
    Ok(())
}

/// Returns the URL of an attempt without its fragment and in ASCII, or the reason why the current rules exclude it.
pub(super) fn target(app: &App, url: &str) -> Result<String, String> {
    let target = parse_url(url, rules(app)).map_err(|problem| format!("the URL {problem}"))?;
    let scheme = if target.https { "https" } else { "http" };
    Ok(format!("{scheme}://{}{}", target.authority, target.path))
}

/// Returns the networks that an attempt may reach.
pub(super) fn networks(app: &App) -> NetworkScope {
    if app.config.webhooks.allow_private_networks { NetworkScope::All } else { NetworkScope::Public }
}

//! Checks a webhook's URL: when it is created also its addresses; at each attempt the HTTP client checks these.

use posthouse_domain::{
    ErrorCode, IpPreference, Refusal, WebhookHost, WebhookUrlRules, delivery::is_special_purpose, webhook::parse_url,
};

use crate::{ports::HostAddresses, ports::NetworkScope, ports::host_addresses, service::Service};

fn rules(service: &Service) -> WebhookUrlRules {
    WebhookUrlRules {
        http: service.config.webhooks.allow_http,
        private_networks: service.config.webhooks.allow_private_networks,
    }
}

/// Checks the URL of a new webhook. A name that doesn't resolve yet is allowed; one with any special-purpose address is
/// not.
///
/// # Errors
/// Returns `invalid_webhook_url` if the URL is not allowed.
pub(super) async fn check_url(service: &Service, url: &str) -> Result<(), Refusal> {
    let refused = |problem: String| Refusal::new(ErrorCode::InvalidWebhookUrl, format!("The URL {problem}."));
    let target = parse_url(url, rules(service)).map_err(refused)?;
    let (WebhookHost::Name(name), false) = (&target.host, service.config.webhooks.allow_private_networks) else {
        return Ok(());
    };
    if let HostAddresses::Found(found) = host_addresses(&*service.dns, name, false, IpPreference::PreferV4).await
        && let Some(inner) = found.iter().find(|address| is_special_purpose(**address))
    {
        return Err(refused(format!(
            "must be reachable from the internet; {name} is {inner}, which is not a public address"
        )));
    }
    Ok(())
}

/// Returns the URL of an attempt without its fragment and in ASCII, or the reason why the current rules exclude it.
pub(super) fn target(service: &Service, url: &str) -> Result<String, String> {
    let target = parse_url(url, rules(service)).map_err(|problem| format!("the URL {problem}"))?;
    let scheme = if target.https { "https" } else { "http" };
    Ok(format!("{scheme}://{}{}", target.authority, target.path))
}

/// Returns the networks that an attempt may reach.
pub(super) fn networks(service: &Service) -> NetworkScope {
    if service.config.webhooks.allow_private_networks { NetworkScope::All } else { NetworkScope::Public }
}

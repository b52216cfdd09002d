//! Checks this server's addresses against DNS blocklists (`dns.blocklists`).

use std::net::IpAddr;

use posthouse_domain::reputation::{BlocklistResult, BlocklistStatus};

use super::Finding;
use posthouse_app::{domains::reputation, service::Service, settings::DeliveryMode};

/// Returns one finding per list. `is_known` is false if the host name could not be looked up.
pub(super) async fn check(service: &Service, is_known: bool) -> Vec<Finding> {
    match service.config.delivery.mode {
        DeliveryMode::Capture => return Vec::new(),
        DeliveryMode::Relay(_) => {
            return vec![Finding::ok("blocklists: not checked, receivers see the relay's address")];
        }
        DeliveryMode::Direct => {}
    }
    let addresses = reputation::own_addresses(service).await;
    if addresses.is_empty() && !is_known {
        let what = format!("blocklists: not checked, {} could not be looked up", service.config.hostname);
        return vec![Finding::warning(what, "try again; check dns.nameservers")];
    }
    if addresses.is_empty() {
        return vec![Finding::ok("blocklists: not checked, this server has no public address")];
    }
    if service.config.blocklists.is_empty() {
        return vec![Finding::ok("blocklists: none configured (dns.blocklists)")];
    }
    let shown: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    let shown = shown.join(", ");
    reputation::query_lists(service, &addresses).await.iter().map(|answer| finding(answer, &shown)).collect()
}

fn finding(answer: &BlocklistResult, shown: &str) -> Finding {
    let list = &answer.name;
    match answer.status {
        BlocklistStatus::Clean => Finding::ok(format!("blocklist: {list} does not list {shown}")),
        BlocklistStatus::Listed => {
            let codes: Vec<String> = answer.codes.iter().map(ToString::to_string).collect();
            let what = format!("blocklist: {list} lists {shown} ({})", codes.join(", "));
            Finding::failed(what, "look up the reason on its website, fix it, then request removal there")
        }
        BlocklistStatus::Unknown => {
            let advice = "try again; remove it from dns.blocklists if it never answers";
            Finding::warning(format!("blocklist: {list} did not answer"), advice)
        }
        BlocklistStatus::Skipped => {
            let advice = "it refuses public resolvers: set dns.nameservers to your own resolver";
            Finding::warning(format!("blocklist: {list} does not answer these nameservers"), advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::check::Level;

    #[test]
    fn only_a_listing_is_a_failure() {
        let table = [
            (BlocklistStatus::Clean, Level::Ok, "does not list 192.0.2.1"),
            (BlocklistStatus::Listed, Level::Failed, "bl.example lists 192.0.2.1 (127.0.0.2)"),
            (BlocklistStatus::Unknown, Level::Warning, "did not answer"),
            (BlocklistStatus::Skipped, Level::Warning, "your own resolver"),
        ];
        for (status, level, text) in table {
            let codes = vec![std::net::Ipv4Addr::new(127, 0, 0, 2)];
            let found = finding(&BlocklistResult { name: "bl.example".to_owned(), status, codes }, "192.0.2.1");
            assert_eq!(found.level, level);
            assert!(found.line().contains(text), "{}", found.line());
        }
    }
}

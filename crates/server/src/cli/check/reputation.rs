//! What DNS blocklists say of our own address (`dns.blocklists`).

use std::net::IpAddr;

use posthouse_domain::reputation::{ListAnswer, Listing};

use super::Finding;
use crate::{
    app::{App, check_reputation},
    config::DeliveryMode,
};

/// One line a list. Whether our name could be looked up decides what having no address means.
pub(super) async fn check(app: &App, is_known: bool) -> Vec<Finding> {
    match app.config.delivery.mode {
        DeliveryMode::Capture => return Vec::new(),
        DeliveryMode::Relay(_) => {
            return vec![Finding::ok("blocklists: not asked, the relay's address is what receivers see")];
        }
        DeliveryMode::Direct => {}
    }
    let addresses = check_reputation::own_addresses(app).await;
    if addresses.is_empty() && !is_known {
        let what = format!("blocklists: not asked, {} could not be looked up", app.config.smtp.hostname);
        return vec![Finding::warning(what, "try again; check dns.nameservers")];
    }
    if addresses.is_empty() {
        return vec![Finding::ok("blocklists: not asked, this server has no public address")];
    }
    if app.config.blocklists.is_empty() {
        return vec![Finding::ok("blocklists: none is configured (dns.blocklists)")];
    }
    let shown: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    let shown = shown.join(", ");
    check_reputation::ask_lists(app, &addresses).await.iter().map(|answer| finding(answer, &shown)).collect()
}

fn finding(answer: &ListAnswer, shown: &str) -> Finding {
    let list = &answer.name;
    match answer.status {
        Listing::Clean => Finding::ok(format!("blocklist: {list} does not list {shown}")),
        Listing::Listed => {
            let codes: Vec<String> = answer.codes.iter().map(ToString::to_string).collect();
            let what = format!("blocklist: {list} lists {shown} ({})", codes.join(", "));
            Finding::failed(what, "find out why on its site, mend that, then ask there to be taken off")
        }
        Listing::Unknown => {
            let advice = "try again; take it out of dns.blocklists if it never does";
            Finding::warning(format!("blocklist: {list} did not answer"), advice)
        }
        Listing::Skipped => {
            let advice = "it refuses public name servers: set dns.nameservers to a resolver of your own";
            Finding::warning(format!("blocklist: {list} does not answer these name servers"), advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    #[test]
    fn being_listed_is_a_failure_and_silence_is_not() {
        let table = [
            (Listing::Clean, Level::Ok, "does not list 192.0.2.1"),
            (Listing::Listed, Level::Failed, "bl.example lists 192.0.2.1 (127.0.0.2)"),
            (Listing::Unknown, Level::Warning, "did not answer"),
            (Listing::Skipped, Level::Warning, "a resolver of your own"),
        ];
        for (status, level, text) in table {
            let codes = vec![std::net::Ipv4Addr::new(127, 0, 0, 2)];
            let found = finding(&ListAnswer { name: "bl.example".to_owned(), status, codes }, "192.0.2.1");
            assert_eq!(found.level, level);
            assert!(found.line().contains(text), "{}", found.line());
        }
    }
}

//! What DNS blocklists say of our own address (`dns.blocklists`).

use std::net::IpAddr;

use posthouse_domain::reputation::Listing;

use super::Finding;
use crate::{
    app::{App, check_reputation},
    config::DeliveryMode,
};

/// One line a list.
pub(super) async fn check(app: &App) -> Vec<Finding> {
    match app.config.delivery.mode {
        DeliveryMode::Capture => return Vec::new(),
        DeliveryMode::Relay(_) => {
            return vec![Finding::ok("blocklists: not asked, the relay's address is what receivers see")];
        }
        DeliveryMode::Direct => {}
    }
    let addresses = check_reputation::own_addresses(app).await;
    if addresses.is_empty() {
        return vec![Finding::ok("blocklists: not asked, this server has no public address")];
    }
    if app.config.blocklists.is_empty() {
        return vec![Finding::ok("blocklists: none is configured (dns.blocklists)")];
    }
    let shown: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    let shown = shown.join(", ");
    let answers = check_reputation::ask_lists(app, &addresses).await;
    answers
        .into_iter()
        .map(|answer| {
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
        })
        .collect()
}

//! What DNS blocklists say of our own address, asked at most once an hour (contract §13.3).

use std::{net::IpAddr, sync::Arc};

use futures_util::future::join_all;
use posthouse_domain::{
    delivery::is_special_purpose,
    error::Refusal,
    reputation::{self, Finding, ListAnswer, Listing},
    time::Time,
};
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use posthouse_store::instance;

use super::App;
use crate::ports::Dns;

/// Where the last finding is kept.
const NOTE: &str = "ip_reputation";
/// Addresses of ours that are asked about.
const ADDRESSES_MAX: usize = 16;

/// The last finding, or a new one where it is old. While no list answers, the last one that did is shown.
///
/// # Errors
/// The store's own.
pub async fn check(app: &Arc<App>) -> Result<Option<Finding>, Refusal> {
    let now = app.clock.now();
    let kept = app.store.read(|tx| instance::noted(tx, NOTE)).await?;
    let kept: Option<Finding> = kept.and_then(|text| serde_json::from_str(&text).ok());
    if kept.as_ref().is_some_and(|kept| kept.is_fresh(now)) {
        return Ok(kept);
    }
    let found = ask(app, now).await;
    if found.is_silent() {
        return Ok(kept.or(Some(found)).filter(|finding| !finding.lists.is_empty()));
    }
    let text = serde_json::to_string(&found).unwrap_or_default();
    app.store.write(move |tx| instance::note(tx, NOTE, &text)).await?;
    Ok(Some(found))
}

async fn ask(app: &App, now: Time) -> Finding {
    let addresses = own_addresses(app).await;
    Finding { checked_at_ms: now.millis(), lists: ask_lists(app, &addresses).await }
}

/// What each list says of these addresses; nothing without any.
pub async fn ask_lists(app: &App, addresses: &[IpAddr]) -> Vec<ListAnswer> {
    let lists = if addresses.is_empty() { &[] } else { app.config.blocklists.as_slice() };
    join_all(lists.iter().map(|list| ask_list(app, list, addresses))).await
}

/// The public addresses that mail leaves from: what is configured, else those that our name leads to.
pub async fn own_addresses(app: &App) -> Vec<IpAddr> {
    let sources = app.config.delivery.sources.iter().map(|source| source.address);
    let sources: Vec<IpAddr> = sources.filter(|address| !is_special_purpose(*address)).take(ADDRESSES_MAX).collect();
    if !sources.is_empty() {
        return sources;
    }
    let mut addresses = addresses(app.dns.as_ref(), &app.config.smtp.hostname).await;
    addresses.retain(|address| !is_special_purpose(*address));
    addresses.truncate(ADDRESSES_MAX);
    addresses
}

/// The addresses of a name, IPv4 first.
pub async fn addresses(dns: &dyn Dns, host: &str) -> Vec<IpAddr> {
    look_up(dns, host).await.unwrap_or_default()
}

/// The same; nothing where no name server says whether there are any.
pub async fn look_up(dns: &dyn Dns, host: &str) -> Option<Vec<IpAddr>> {
    let ask = |kind| dns.lookup(Question::new(host, kind));
    let (v4, v6) = tokio::join!(ask(QuestionKind::A), ask(QuestionKind::Aaaa));
    let mut addresses: Vec<IpAddr> = Vec::new();
    let mut has_failed = false;
    for answer in [v4, v6] {
        match answer {
            Answer::Records(Records::A(found)) => addresses.extend(found.into_iter().map(IpAddr::V4)),
            Answer::Records(Records::Aaaa(found)) => addresses.extend(found.into_iter().map(IpAddr::V6)),
            Answer::Failed => has_failed = true,
            _ => {}
        }
    }
    (!addresses.is_empty() || !has_failed).then_some(addresses)
}

async fn ask_list(app: &App, list: &str, addresses: &[IpAddr]) -> ListAnswer {
    let ask = |address: &IpAddr| app.dns.lookup(Question::new(&reputation::question(*address, list), QuestionKind::A));
    let (mut status, mut codes) = (Listing::Clean, Vec::new());
    for answer in join_all(addresses.iter().map(ask)).await {
        let said = match answer {
            Answer::NoSuchName | Answer::NoData => continue,
            Answer::Records(Records::A(found)) => {
                let said = reputation::judge(&found);
                codes.extend(found);
                said
            }
            _ => Listing::Unknown,
        };
        // Listed for one address is listed.
        if status != Listing::Listed {
            status = said;
        }
    }
    if status != Listing::Listed {
        codes.clear();
    }
    ListAnswer { name: list.to_owned(), status, codes }
}

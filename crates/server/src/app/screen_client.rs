//! Whether a client may hand mail to a recipient now: DNS blocklists (RFC 5782) and greylisting (RFC 6647), each a setting.
//!
//! Whatever cannot be found out is in the client's favour. Never asked about mail to postmaster and abuse, for a person must be
//! reachable who can mend a mistake; nor about this machine, the operator's own networks, or submission.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use posthouse_domain::{
    error::Refusal,
    greylist::{self as rules, Memory, Step},
    reputation::{self, Listing},
    time::{MINUTE_MS, Time},
};
use posthouse_mail::{
    address::Address,
    auth::{Answer, Question, QuestionKind, Records},
};
use posthouse_store::{Tx, contacts, greylist};

use super::{App, receive};

/// How long an answer of all lists is kept, in milliseconds.
const KEPT_MS: i64 = 5 * MINUTE_MS;
/// Most clients whose answers are kept.
const CLIENTS_MAX: usize = 10_000;

/// What blocklists said of clients, for a few minutes.
#[derive(Debug, Default)]
pub struct Listings(Mutex<HashMap<IpAddr, (Option<String>, Time)>>);

/// Who wants to hand mail over, from whom and to whom.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The client.
    pub client_ip: IpAddr,
    /// The envelope sender; none is the null sender.
    pub mail_from: Option<&'a Address>,
    /// The recipient, an inbox of this service.
    pub recipient: &'a Address,
}

/// What becomes of the offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Screening {
    /// It may go on.
    Welcome,
    /// The client is on that list.
    Listed(String),
    /// Nobody knows it: it has to come back.
    ComeBack,
}

/// Whether nothing is asked about the client: this machine and the operator's own networks.
#[must_use]
pub fn is_trusted(app: &App, client_ip: IpAddr) -> bool {
    client_ip.is_loopback() || app.config.smtp.policy.trusted_clients.iter().any(|network| network.contains(client_ip))
}

/// Screens an offer to a recipient that exists.
///
/// # Errors
/// The store's own.
pub async fn screen(app: &App, offer: Offer<'_>) -> Result<Screening, Refusal> {
    if receive::is_role(offer.recipient) || is_trusted(app, offer.client_ip) {
        return Ok(Screening::Welcome);
    }
    if let Some(list) = listed(app, offer.client_ip).await {
        return Ok(Screening::Listed(list));
    }
    if app.config.smtp.policy.greylisting && !is_known(app, offer).await? {
        return Ok(Screening::ComeBack);
    }
    Ok(Screening::Welcome)
}

/// The first list that has the client, of those that answer in time.
async fn listed(app: &App, client: IpAddr) -> Option<String> {
    let policy = &app.config.smtp.policy;
    if policy.dnsbl.is_empty() {
        return None;
    }
    let now = app.clock.now();
    if let Some(known) = app.listings.get(client, now) {
        return known;
    }
    let ask = |list: &String| {
        let question = Question::new(&reputation::question(client, list), QuestionKind::A);
        let list = list.clone();
        async move { (list, app.dns.lookup(question).await) }
    };
    let mut answers: FuturesUnordered<_> = policy.dnsbl.iter().map(ask).collect();
    let mut deadline = app.clock.sleep_until(now.plus_ms(policy.dnsbl_timeout_ms));
    let (mut found, mut all_answered) = (None, true);
    while found.is_none() {
        tokio::select! {
            biased;
            answer = answers.next() => match answer {
                Some((list, answer)) => match judged(&answer) {
                    Listing::Listed => found = Some(list),
                    Listing::Clean => {}
                    Listing::Unknown | Listing::Skipped => {
                        tracing::debug!(list, "smtp.blocklist_silent");
                        all_answered = false;
                    }
                },
                None => break,
            },
            () = &mut deadline => {
                tracing::debug!("smtp.blocklists_late");
                all_answered = false;
                break;
            }
        }
    }
    if all_answered || found.is_some() {
        app.listings.keep(client, found.clone(), now);
    }
    found
}

fn judged(answer: &Answer) -> Listing {
    match answer {
        Answer::NoSuchName | Answer::NoData => Listing::Clean,
        Answer::Records(Records::A(found)) => reputation::judge(found),
        _ => Listing::Unknown,
    }
}

/// Whether the sender is known, or has come back in time. Notices of other mail servers are never held up, nor is mail of people
/// whom the recipient's workspace writes with.
async fn is_known(app: &App, offer: Offer<'_>) -> Result<bool, Refusal> {
    let Some(sender) = offer.mail_from else { return Ok(true) };
    let keys = (rules::network_key(offer.client_ip), rules::triplet_key(offer.client_ip, sender, offer.recipient));
    let (now, delay_ms) = (app.clock.now(), app.config.smtp.policy.greylisting_delay_ms);
    let (sender, recipient, served) = (sender.clone(), offer.recipient.clone(), receive::served_domains(app));
    let found = app.store.glance(move |tx| {
        if let Some(inbox) = receive::resolve(tx, &recipient, &served, now)?
            && contacts::by_address(tx, inbox.workspace, sender.canonical_str())?.is_some()
        {
            return Ok(Step::Known);
        }
        Ok::<_, Refusal>(rules::step(greylist::get(tx, &keys.0)?, greylist::get(tx, &keys.1)?, delay_ms, now))
    });
    let step = found.await?;
    if !matches!(step, Step::Known | Step::Early) {
        app.store.write(move |tx| remember(tx, step, &keys, now)).await?;
    }
    Ok(!matches!(step, Step::Begin | Step::Early))
}

fn remember(tx: &mut Tx, step: Step, keys: &([u8; 32], [u8; 32]), now: Time) -> Result<(), Refusal> {
    let (network, triplet) = keys;
    if step == Step::Begin {
        let seen = Memory { seen_at: now, passed_at: None, expires_at: now.plus_ms(rules::RETURN_MS) };
        return Ok(greylist::put(tx, triplet, seen)?);
    }
    if step == Step::Pass {
        greylist::forget(tx, triplet)?;
    }
    let known = Memory { seen_at: now, passed_at: Some(now), expires_at: now.plus_ms(rules::KNOWN_MS) };
    Ok(greylist::put(tx, network, known)?)
}

impl Listings {
    /// What was found, if it is fresh: the list, or that there is none.
    fn get(&self, client: IpAddr, now: Time) -> Option<Option<String>> {
        self.clients().get(&client).filter(|(_, until)| now < *until).map(|(list, _)| list.clone())
    }

    fn keep(&self, client: IpAddr, list: Option<String>, now: Time) {
        let mut clients = self.clients();
        if clients.len() >= CLIENTS_MAX {
            clients.retain(|_, (_, until)| now < *until);
        }
        if clients.len() < CLIENTS_MAX {
            clients.insert(client, (list, now.plus_ms(KEPT_MS)));
        }
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<IpAddr, (Option<String>, Time)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

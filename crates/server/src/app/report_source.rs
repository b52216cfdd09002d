//! Who may report about sent mail (RFC 3464, RFC 5965), as far as it is not proven by the return path that the report came to.
//!
//! The Message-ID of a mail is known to everybody who got it, so a report that names one counts only from the side of the
//! recipient it is about, and only where authentication proves that:
//!
//! * a delivery report from the mail system of the recipient's domain, or of that of one of its mail exchangers. MX records are
//!   asked when the report comes rather than read from the delivery entry: a relay's entry names the relay, captured mail names
//!   nobody, and an exchanger is one whether or not the mail passed through it;
//! * a complaint with an aligned DKIM signature of a feedback source (`feedback.sources`) or of the recipient's own domain.

use posthouse_domain::{inbox::Inbox, message::Delivery, time::Time};
use posthouse_mail::{
    address::Address,
    auth::{Answer, Question, QuestionKind, Records},
    report::{self, News},
};
use posthouse_store::{Result as Stored, Tx};

use super::{App, receive, take_report, understand::Mail};

/// How long mail exchangers are asked for, all of them together, in milliseconds. Those not known by then report nothing.
const LOOK_UP_MS_MAX: i64 = 2_000;
/// Most domains whose mail exchangers are asked for because of one report.
const DOMAINS_MAX: usize = 10;

/// The author of a mail, proven by an aligned pass of SPF or DKIM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvenAuthor {
    /// The address of the From field.
    pub address: Address,
    /// The domains of the aligned DKIM signatures that passed.
    pub signers: Vec<String>,
    /// Whether SPF is aligned and passes, so that the client itself speaks for the domain.
    pub spf_aligned: bool,
}

/// A domain with its mail exchangers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchangers {
    /// The domain, in A-labels.
    pub domain: String,
    /// The hosts, in lower case.
    pub hosts: Vec<String>,
}

/// The recipients of a message that a report can be about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Coverage {
    /// The one at that position.
    Position(u32),
    /// Those at these domains.
    Domains(Vec<String>),
    /// Every one.
    All,
}

impl Coverage {
    /// Whether it includes a recipient.
    pub(super) fn includes(&self, entry: &Delivery) -> bool {
        match self {
            Self::Position(position) => entry.position == *position,
            Self::Domains(domains) => domain_of(entry).is_some_and(|own| domains.contains(&own)),
            Self::All => true,
        }
    }
}

/// The recipients that a delivery report from this author can be about; none where it proves nothing.
pub(super) fn of_delivery_report(
    mail: &Mail,
    recipient_domains: &[String],
    exchangers: &[Exchangers],
) -> Option<Coverage> {
    let author = mail_system(mail)?.address.domain();
    let speaks_for = |domain: &&String| {
        let mut hosts = exchangers.iter().filter(|of| of.domain == **domain).flat_map(|of| &of.hosts);
        author == **domain || hosts.any(|host| is_within(host, author))
    };
    let domains: Vec<String> = recipient_domains.iter().filter(speaks_for).cloned().collect();
    (!domains.is_empty()).then_some(Coverage::Domains(domains))
}

/// The recipients that a complaint from this author can be about; none where it proves nothing. `sources` are domains, which
/// include those below them, and addresses.
pub(super) fn of_complaint(mail: &Mail, recipient_domains: &[String], sources: &[String]) -> Option<Coverage> {
    let author = mail.proven_author.as_ref().filter(|author| !author.signers.is_empty())?;
    let domain = author.address.domain();
    // The key of a domain above the source speaks for the source; that of a neighbor below a common one does not.
    let signed = |source: &str| author.signers.iter().any(|d| is_within(d, source) || is_within(source, d));
    let is_source = |source: &String| match source.rsplit_once('@') {
        Some((_, at)) => author.address.canonical_str() == source && signed(at),
        None => is_within(domain, source) && signed(source),
    };
    if sources.iter().any(is_source) {
        return Some(Coverage::All);
    }
    let own = recipient_domains.iter().find(|own| *own == domain && signed(own))?;
    Some(Coverage::Domains(vec![own.clone()]))
}

/// The proven author, where a mail system wrote the mail and not one of its users: a user of the same provider could write
/// the same text, but neither under the name of the mail system nor (RFC 3464 §2) with an empty return path. The return path counts
/// only where SPF proves the client: whoever got hold of a signed mail can send it again with an empty one.
fn mail_system(mail: &Mail) -> Option<&ProvenAuthor> {
    let author = mail.proven_author.as_ref()?;
    let is_returned = mail.null_sender && author.spf_aligned;
    (is_returned || report::is_mail_system(&author.address)).then_some(author)
}

/// Whether a name is that domain or one below it. A name without a dot is nobody's domain.
fn is_within(name: &str, domain: &str) -> bool {
    let rest = name.strip_suffix(domain);
    domain.contains('.') && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The domain of a recipient, in A-labels.
pub(super) fn domain_of(entry: &Delivery) -> Option<String> {
    Some(Address::parse(&entry.address).ok()?.domain().to_owned())
}

/// The mail exchangers of the domains that a delivery report may be about: asked only where the answer can matter, which is for
/// a report of a proven mail system that names a sent message and came elsewhere than to its return path.
///
/// # Errors
/// The store's own.
pub(super) async fn exchangers(app: &App, mail: &Mail, named_only: Vec<Address>) -> Stored<Vec<Exchangers>> {
    let is_delivery = mail.report.as_ref().is_some_and(|report| matches!(report.news, News::Delivery(_)));
    let Some(author) = mail_system(mail).filter(|_| is_delivery && !named_only.is_empty()) else {
        return Ok(Vec::new());
    };
    let (served, now) = (receive::served_domains(app), app.clock.now());
    let original_ids = mail.report.as_ref().map(|report| report.original_ids.clone()).unwrap_or_default();
    let find = move |tx: &mut Tx| -> Stored<Vec<String>> {
        let mut domains = Vec::new();
        for address in &named_only {
            let Some(inbox) = receive::resolve(tx, address, &served, now)? else { continue };
            domains.extend(named_domains(tx, &original_ids, &inbox)?);
        }
        Ok(domains)
    };
    let mut domains = app.store.glance(find).await?;
    domains.sort_unstable();
    domains.dedup();
    domains.retain(|domain| domain != author.address.domain());
    domains.truncate(DOMAINS_MAX);
    Ok(look_up(app, domains, now).await)
}

/// The domains of the recipients of the message that a report names.
fn named_domains(tx: &mut Tx, original_ids: &[String], inbox: &Inbox) -> Stored<Vec<String>> {
    let Some(original) = take_report::named(tx, original_ids, inbox)? else { return Ok(Vec::new()) };
    let entries = take_report::entries(tx, &original)?;
    Ok(entries.iter().filter_map(domain_of).collect())
}

async fn look_up(app: &App, domains: Vec<String>, now: Time) -> Vec<Exchangers> {
    let ask = async |domain: String| match app.dns.lookup(Question::new(&domain, QuestionKind::Mx)).await {
        Answer::Records(Records::Mx(records)) => {
            let host = |(_, host): (u16, String)| host.trim_end_matches('.').to_ascii_lowercase();
            Some(Exchangers { domain, hosts: records.into_iter().map(host).collect() })
        }
        _ => None,
    };
    if domains.is_empty() {
        return Vec::new();
    }
    let deadline = app.clock.sleep_until(now.plus_ms(LOOK_UP_MS_MAX));
    tokio::select! {
        biased;
        found = futures_util::future::join_all(domains.into_iter().map(ask)) => found.into_iter().flatten().collect(),
        () = deadline => Vec::new(),
    }
}

#[cfg(test)]
mod tests;

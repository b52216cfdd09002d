//! Decides whether a report about sent mail counts (RFC 3464, RFC 5965), if it didn't arrive at a return path.
//!
//! Every recipient of a mail knows its Message-ID, so a report that names one counts only if authentication proves that
//! it is from the side of the recipient it is about (`docs/decisions/sending.md#0023-reports-by-message-id`):
//!
//! * a delivery report from the mail system of the recipient's domain or of one of its mail exchangers. MX records are
//!   looked up when the report arrives instead of read from the delivery entry: the entry of relayed mail names the
//!   relay, the entry of captured mail names no host, and a mail exchanger may report mail that didn't pass through it;
//! * a complaint with an aligned DKIM signature of a feedback source (`feedback.sources`) or of the recipient's domain. At a
//!   domain that strangers share, such as that of a large mailbox provider, an author is only one of them: the complaint is
//!   about the author's own mailbox, unless the mail system of the domain wrote it.

use posthouse_domain::{
    RecipientDelivery,
    party::{self, Party},
};
use posthouse_mail::{address::Address, report};

use crate::mailbox::parse::{ParsedMail, ProvenAuthor};

/// A domain and its mail exchangers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailExchangers {
    /// The domain, in A-labels.
    pub domain: String,
    /// The hosts, in lower case.
    pub hosts: Vec<String>,
}

/// The recipients of a message that a report may be about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ReportCoverage {
    /// The recipient at this position.
    Position(u32),
    /// The recipients at these domains.
    Domains(Vec<String>),
    /// The recipients that are this mailbox, in any of its spellings.
    Mailbox(Party),
    /// All recipients.
    All,
}

impl ReportCoverage {
    /// Returns true if a recipient is covered.
    pub(super) fn includes(&self, entry: &RecipientDelivery) -> bool {
        match self {
            Self::Position(position) => entry.position == *position,
            Self::Domains(domains) => domain_of(entry).is_some_and(|own| domains.contains(&own)),
            Self::Mailbox(own) => Party::mailbox(&entry.address) == *own,
            Self::All => true,
        }
    }
}

/// Returns the recipients that a delivery report from this author may be about; `None` if the author proves nothing.
pub(super) fn of_delivery_report(
    mail: &ParsedMail,
    recipient_domains: &[String],
    exchangers: &[MailExchangers],
) -> Option<ReportCoverage> {
    let author = mail_system(mail)?.address.domain();
    let speaks_for = |domain: &&String| {
        let mut hosts = exchangers.iter().filter(|of| of.domain == **domain).flat_map(|of| &of.hosts);
        author == **domain || hosts.any(|host| is_within(host, author))
    };
    let domains: Vec<String> = recipient_domains.iter().filter(speaks_for).cloned().collect();
    (!domains.is_empty()).then_some(ReportCoverage::Domains(domains))
}

/// Returns the recipients that a complaint from this author may be about; `None` if the author proves nothing.
/// `sources` contains addresses, and domains that include their subdomains.
pub(super) fn of_complaint(
    mail: &ParsedMail,
    recipient_domains: &[String],
    sources: &[String],
) -> Option<ReportCoverage> {
    let author = mail.proven_author.as_ref().filter(|author| !author.signers.is_empty())?;
    let domain = author.address.domain();
    // The key of a parent domain is valid for the source; the key of a sibling domain is not.
    let signed = |source: &str| author.signers.iter().any(|d| is_within(d, source) || is_within(source, d));
    let is_source = |source: &String| match source.rsplit_once('@') {
        Some((_, at)) => author.address.canonical_str() == source && signed(at),
        None => is_within(domain, source) && signed(source),
    };
    if sources.iter().any(is_source) {
        return Some(ReportCoverage::All);
    }
    if party::is_shared_domain(domain) && mail_system(mail).is_none() {
        return signed(domain).then(|| ReportCoverage::Mailbox(Party::mailbox(author.address.canonical_str())));
    }
    let own = recipient_domains.iter().find(|own| *own == domain && signed(own))?;
    Some(ReportCoverage::Domains(vec![own.clone()]))
}

/// Returns the proven author if a mail system wrote the mail, not one of its users. A user of the same provider can
/// write the same text, but neither under the name of the mail system nor with an empty return path (RFC 3464 §2). The
/// return path counts only if SPF authorizes the client, because a signed mail can be replayed with an empty one.
pub(super) fn mail_system(mail: &ParsedMail) -> Option<&ProvenAuthor> {
    let author = mail.proven_author.as_ref()?;
    let is_returned = mail.null_sender && author.spf_aligned;
    (is_returned || report::is_mail_system(&author.address)).then_some(author)
}

/// Returns true if a name is the domain or a subdomain of it. A name without a dot is no domain.
fn is_within(name: &str, domain: &str) -> bool {
    let rest = name.strip_suffix(domain);
    domain.contains('.') && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns the domain of a recipient, in A-labels.
pub(super) fn domain_of(entry: &RecipientDelivery) -> Option<String> {
    Some(Address::parse(&entry.address).ok()?.domain().to_owned())
}

#[cfg(test)]
mod tests;

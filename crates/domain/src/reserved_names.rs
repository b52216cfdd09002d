//! Names that speak for the service or for its operator: one list for the local parts of inboxes and identities, for
//! handles, for display names and for the service's own senders. Names are compared as people read them
//! ([`Reading`]). Pure.
//!
//! Local parts are reserved only at the domains that all workspaces share: at a workspace's own domain, `support@` speaks
//! for that workspace (`docs/decisions/agents.md#0100-reserved-names`).

use posthouse_mail::report;

use crate::{
    agent::lookalike::{Reading, marked_readings},
    party::organization_of,
};

/// The name of the service, which nobody else may have as a word of a name.
const SERVICE: &str = "posthouse";
/// The shortest name of the operator that is reserved, in characters. Shorter labels, such as `mx`, name nobody.
const OPERATOR_CHARS_MIN: usize = 3;

/// Why a name is reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NameKind {
    /// Mail systems write notices and get reports under it.
    MailSystem,
    /// The service or its operator writes mail under it that nobody answers.
    Sender,
    /// It represents the owner of a domain, for complaints and for domain validation by certificate authorities
    /// (RFC 2142; CA/Browser Forum Baseline Requirements §3.2.2.4.4).
    Owner,
    /// It stands for a role that would speak for the service.
    Role,
    /// Many agents have it, or software uses it. Reserved as the handle of a workspace only.
    Generic,
}

/// All names, beside those of the service and its operator.
const NAMES: &[(NameKind, &[&str])] = &[
    (
        NameKind::MailSystem,
        &["bounces", "mailer-daemon", "mail-daemon", "mail-delivery-system", "mail-delivery-subsystem"],
    ),
    (NameKind::Sender, &["do-not-reply", "no-reply"]),
    (
        NameKind::Owner,
        &["abuse", "admin", "administrator", "hostmaster", "postmaster", "root", "security", "webmaster"],
    ),
    (
        NameKind::Role,
        &[
            "billing",
            "compliance",
            "help",
            "helpdesk",
            "legal",
            "moderator",
            "official",
            "operator",
            "privacy",
            "service",
            "staff",
            "support",
            "system",
            "trust",
            "verified",
            "verify",
        ],
    ),
    (
        NameKind::Generic,
        &[
            "account",
            "accounts",
            "agent",
            "agents",
            "ai",
            "api",
            "app",
            "assistant",
            "auth",
            "bot",
            "dashboard",
            "directory",
            "docs",
            "everyone",
            "identity",
            "info",
            "login",
            "mail",
            "me",
            "notifications",
            "null",
            "oidc",
            "public",
            "sales",
            "self",
            "status",
            "team",
            "undefined",
            "www",
        ],
    ),
];

/// Who may have a local part at a domain that all workspaces share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalPartHolder {
    /// Every workspace.
    Anyone,
    /// The workspaces of the operator.
    Operator,
    /// The first workspace, which represents the owner of the server.
    FirstWorkspace,
    /// The service itself.
    Service,
}

/// The reserved names of one service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReservedNames {
    /// The names of the service and its operator, each as the skeletons of its words.
    own: Vec<Vec<String>>,
    /// The labels of the service's domains, as skeletons. As part of another name they are ordinary words.
    labels: Vec<String>,
}

impl Default for ReservedNames {
    fn default() -> Self {
        Self::new([], &[])
    }
}

impl ReservedNames {
    /// Creates the list of a service with these host names and domains, and further names of its operator.
    #[must_use]
    pub fn new<'a>(hosts: impl IntoIterator<Item = &'a str>, further: &[String]) -> Self {
        let mut names = Self { own: vec![words(SERVICE)], labels: Vec::new() };
        names.own.extend(further.iter().map(|name| words(name)).filter(|words| !words.is_empty()));
        for host in hosts.into_iter().filter(|host| host.parse::<std::net::IpAddr>().is_err()) {
            let organization = organization_of(host);
            // A name without a dot, such as `localhost`, is the whole domain.
            let Some((brand, suffix)) = organization.split_once('.') else { continue };
            let below = host.to_ascii_lowercase();
            let labels = below.strip_suffix(suffix).unwrap_or_default().split('.');
            let labels = labels.filter(|label| label.len() >= OPERATOR_CHARS_MIN).map(Reading::of);
            names.labels.extend(labels.map(|reading| reading.joined().to_owned()));
            let is_brand = brand.len() >= OPERATOR_CHARS_MIN && kind_of(&Reading::of(brand)).is_none();
            names.own.extend(is_brand.then(|| words(brand)));
        }
        names
    }

    /// Returns who may have a local part at a domain that all workspaces share.
    #[must_use]
    pub fn local_part(&self, text: &str) -> LocalPartHolder {
        let reading = Reading::of(text);
        match kind_of(&reading) {
            _ if is_mail_system(text) || reading.joined() == words(SERVICE).concat() => LocalPartHolder::Service,
            Some(NameKind::MailSystem | NameKind::Sender) => LocalPartHolder::Service,
            Some(NameKind::Owner) => LocalPartHolder::FirstWorkspace,
            Some(NameKind::Role) => LocalPartHolder::Operator,
            _ if self.is_own(&reading) || self.labels.iter().any(|label| label == reading.joined()) => {
                LocalPartHolder::Operator
            }
            Some(NameKind::Generic) | None => LocalPartHolder::Anyone,
        }
    }

    /// Returns whether no workspace can claim a handle.
    #[must_use]
    pub fn is_handle(&self, handle: &str) -> bool {
        let reading = Reading::of(handle);
        kind_of(&reading).is_some()
            || self.is_own(&reading)
            || self.labels.iter().any(|label| label == reading.joined())
    }

    /// Returns whether a public card with this name would speak for the service.
    #[must_use]
    pub fn is_card_name(&self, name: &str) -> bool {
        marked_readings(name)
            .iter()
            .any(|reading| kind_of(reading).is_some_and(|kind| kind != NameKind::Generic) || self.is_own(reading))
    }

    /// Returns whether the display name of a sender names the service, its operator or a mail system. A role alone, such as
    /// `Support`, names nobody: the address behind it shows whose it is.
    #[must_use]
    pub fn is_display_name(&self, name: &str) -> bool {
        marked_readings(name)
            .iter()
            .any(|reading| kind_of(reading) == Some(NameKind::MailSystem) || self.is_own(reading))
    }

    /// Returns whether a name has the service or its operator as one of its words, or beside a role.
    fn is_own(&self, reading: &Reading) -> bool {
        let is_known = |rest: &str| rest.is_empty() || kind_of_joined(rest).is_some();
        self.own.iter().any(|own| {
            let (own_joined, joined) = (own.concat(), reading.joined());
            let beside = [joined.strip_prefix(&own_joined), joined.strip_suffix(&own_joined)];
            reading.has_words(own) || beside.into_iter().flatten().any(is_known)
        })
    }
}

/// Returns the skeletons of the words of a name.
fn words(name: &str) -> Vec<String> {
    Reading::of(&name.to_lowercase()).words().to_vec()
}

/// Returns whether mail servers use the local part as the author of reports. Those that also represent an owner are
/// left to that rule.
fn is_mail_system(text: &str) -> bool {
    report::DAEMON_LOCAL_PARTS.contains(&text) && kind_of(&Reading::of(text)) != Some(NameKind::Owner)
}

fn kind_of(reading: &Reading) -> Option<NameKind> {
    kind_of_joined(reading.joined())
}

fn kind_of_joined(joined: &str) -> Option<NameKind> {
    let has = |names: &[&str]| names.iter().any(|name| Reading::of(name).joined() == joined);
    NAMES.iter().find(|(_, names)| has(names)).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spellings that people read as the same name.
    fn confusables(name: &str) -> Vec<String> {
        let replaced = |from: char, to: &str| name.contains(from).then(|| name.replacen(from, to, 1));
        let fullwidth = |c: char| char::from_u32(u32::from(c) + 0xfee0).filter(|_| c.is_ascii_graphic()).unwrap_or(c);
        let mut all = vec![
            name.to_uppercase(),
            name.chars().map(fullwidth).collect(),
            name.chars().flat_map(|c| [c, '\u{200b}']).collect(),
            name.chars().map(String::from).collect::<Vec<_>>().join("."),
        ];
        let letters = [
            ('o', "0"),
            ('o', "о"),
            ('e', "е"),
            ('a', "а"),
            ('l', "1"),
            ('i', "і"),
            ('s', "ѕ"),
            ('p', "р"),
            ('u', "ü"),
            ('o', "o\u{308}"),
            ('r', "ⓡ"),
            ('s', "ſ"),
            ('n', "ⁿ"),
            ('m', "rn"),
        ];
        all.extend(letters.iter().filter_map(|(from, to)| replaced(*from, to)));
        all
    }

    fn operator() -> ReservedNames {
        ReservedNames::new(["agents.brandco.example", "mx1.brandco.example", "127.0.0.1"], &["Acme Mail".to_owned()])
    }

    #[test]
    fn every_listed_name_reads_like_itself_only_once() {
        let mut seen = Vec::new();
        for name in NAMES.iter().flat_map(|(_, names)| *names) {
            let joined = Reading::of(name).joined().to_owned();
            assert!(!seen.contains(&joined), "{name}");
            seen.push(joined);
        }
        for name in report::DAEMON_LOCAL_PARTS {
            assert_ne!(ReservedNames::default().local_part(name), LocalPartHolder::Anyone, "{name}");
        }
    }

    #[test]
    fn each_name_and_its_look_alikes_are_reserved_in_every_place() {
        let names = operator();
        for (kind, listed) in NAMES {
            for name in *listed {
                for written in confusables(name).into_iter().chain([(*name).to_owned()]) {
                    let is_ascii =
                        written.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b));
                    if is_ascii && *kind != NameKind::Generic {
                        assert_ne!(names.local_part(&written), LocalPartHolder::Anyone, "{written}");
                    }
                    if is_ascii && !written.contains('.') {
                        assert!(names.is_handle(&written), "{written}");
                    }
                    assert_eq!(names.is_card_name(&written), *kind != NameKind::Generic, "{written}");
                    assert_eq!(names.is_display_name(&written), *kind == NameKind::MailSystem, "{written}");
                }
            }
        }
    }

    #[test]
    fn names_of_the_service_and_its_operator_are_reserved_in_every_place() {
        let names = operator();
        for own in ["posthouse", "brandco", "acme mail"] {
            for written in confusables(own).into_iter().chain([own.to_owned()]) {
                assert!(names.is_display_name(&written) && names.is_card_name(&written), "{written}");
            }
            for around in [format!("{own} support"), format!("Your {own} team"), format!("help @ {own}")] {
                assert!(names.is_display_name(&around), "{around}");
            }
            let joined = own.replace(' ', "-");
            for written in [joined.clone(), format!("{joined}-help"), format!("the-{joined}"), own.replace(' ', "")] {
                assert!(names.is_handle(&written), "{written}");
                assert_ne!(names.local_part(&written), LocalPartHolder::Anyone, "{written}");
            }
        }
        for free in
            ["Acme", "Mail from Acme", "Support", "Posthouses", "Post House Inn", "Brand & Co. KG", "Agents of X"]
        {
            assert!(!names.is_display_name(free), "{free}");
        }
    }

    #[test]
    fn a_local_part_of_the_shared_domain_has_one_kind_of_holder() {
        let names = operator();
        for (text, holder) in [
            ("mailer-daemon", LocalPartHolder::Service),
            ("mail-daemon", LocalPartHolder::Service),
            ("mail.delivery.system", LocalPartHolder::Service),
            ("bounces", LocalPartHolder::Service),
            ("noreply", LocalPartHolder::Service),
            ("no-reply", LocalPartHolder::Service),
            ("no.reply", LocalPartHolder::Service),
            ("n0-reply", LocalPartHolder::Service),
            ("posthouse", LocalPartHolder::Service),
            ("post.house", LocalPartHolder::Service),
            ("postmaster", LocalPartHolder::FirstWorkspace),
            ("abuse", LocalPartHolder::FirstWorkspace),
            ("security", LocalPartHolder::FirstWorkspace),
            ("support", LocalPartHolder::Operator),
            ("billing", LocalPartHolder::Operator),
            ("bi11ing", LocalPartHolder::Operator),
            ("sup_port", LocalPartHolder::Operator),
            ("posthouse-billing", LocalPartHolder::Operator),
            ("brandco", LocalPartHolder::Operator),
            ("agents", LocalPartHolder::Operator),
            ("mx1", LocalPartHolder::Operator),
            ("acme.mail", LocalPartHolder::Operator),
            ("ann", LocalPartHolder::Anyone),
            ("hello", LocalPartHolder::Anyone),
            ("info", LocalPartHolder::Anyone),
            ("supporter", LocalPartHolder::Anyone),
            ("acme-support", LocalPartHolder::Anyone),
        ] {
            assert_eq!(names.local_part(text), holder, "{text}");
        }
        assert_eq!(ReservedNames::default().local_part("brandco"), LocalPartHolder::Anyone);
    }
}

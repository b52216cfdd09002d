//! Names that speak for the service or for its operator: one list for the local parts of inboxes and identities, for
//! handles, for display names and for the service's own senders. Names are compared as people read them
//! ([`Reading`]). Pure.
//!
//! Local parts are reserved only at the domains that all workspaces share: at a workspace's own domain, `support@` speaks
//! for that workspace (`docs/decisions/agents.md#0100-reserved-names`).

use posthouse_mail::report;

use crate::{
    agent::lookalike::{self, Reading, is_read_as, loose_readings},
    party::organization_of,
};

mod role_words;

/// The name of the service, which nobody else may have as a word of a name, nor as the start or end of one.
const SERVICE: &str = "posthouse";
/// The shortest name that is reserved as the start or end of a word, too, in characters. Shorter ones begin other words.
const PART_CHARS_MIN: usize = 6;
/// What makes another word of a name: its plural.
const PLURAL: &str = "s";
/// Words that make a name of the service of its name, and the name of a role of a role.
const BESIDE: &[&str] =
    &["alert", "alerts", "and", "center", "department", "desk", "hq", "my", "notice", "notices", "team", "the", "your"];
/// Further words that go with a role, such as `sysadmin` and `customer-service`. With another of them or a region they name a
/// role, too; alone, agents may have them.
const ROLE_WORDS: &[&str] = &[
    "care",
    "client",
    "clients",
    "customer",
    "customers",
    "email",
    "it",
    "notification",
    "notifications",
    "online",
    "recovery",
    "reset",
    "safety",
    "ssl",
    "sys",
    "tech",
    "technical",
];
/// Words of [`BESIDE`] that name a role with a region or one of [`ROLE_WORDS`].
const ALERTS: &[&str] = &["alert", "alerts"];
/// Regions of a role, as words of their own. `in` and `it` are ordinary words.
const REGIONS: &[&str] = &[
    "africa",
    "america",
    "americas",
    "apac",
    "asia",
    "at",
    "au",
    "br",
    "ca",
    "ch",
    "cn",
    "dach",
    "de",
    "emea",
    "es",
    "eu",
    "europe",
    "fr",
    "global",
    "international",
    "intl",
    "jp",
    "kr",
    "latam",
    "na",
    "nl",
    "nz",
    "pl",
    "uk",
    "us",
    "usa",
];
/// The shortest name of the operator that is reserved, in characters. Shorter labels, such as `mx`, name nobody.
const OPERATOR_CHARS_MIN: usize = 3;

/// Why a name is reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NameKind {
    /// Mail systems write notices and get reports under it.
    MailSystem,
    /// Mail systems write notices under it, and other words beside it make it an ordinary name. As a display name it is
    /// reserved if it has several words.
    Notice,
    /// The service or its operator writes mail under it that nobody answers.
    Sender,
    /// It represents the owner of a domain, for complaints and for domain validation by certificate authorities
    /// (RFC 2142; CA/Browser Forum Baseline Requirements §3.2.2.4.4).
    Owner,
    /// It stands for a role that would speak for the service.
    Role,
    /// At a shared domain it reads like the help or security of the service, in some language. Reserved as a local part there,
    /// and as the handle of a workspace. Invoices and alerts are the work of many agents, so their words are free.
    SharedRole,
    /// Many agents have it, or software uses it. Reserved as the handle of a workspace only.
    Generic,
}

/// All names, beside those of the service and its operator.
const NAMES: &[(NameKind, &[&str])] = &[
    (
        NameKind::MailSystem,
        &[
            "bounces",
            "delivery-status-notification",
            "mail-daemon",
            "mail-delivery-failed",
            "mail-delivery-failure",
            "mail-delivery-subsystem",
            "mail-delivery-system",
            "mailer-daemon",
            "undelivered-mail",
        ],
    ),
    (
        NameKind::Notice,
        &[
            "bounce",
            "daemon",
            "delivery-failed",
            "delivery-failure",
            "delivery-notification",
            "delivery-report",
            "delivery-status",
            "delivery-subsystem",
            "delivery-system",
            "failure-notice",
            "mail-administrator",
            "mail-delivery",
            "mail-server",
            "mail-system",
            "mailer",
            "returned-mail",
            "returned-to-sender",
            "system-admin",
            "system-administrator",
            "undeliverable",
            "undeliverable-mail",
            "undelivered",
        ],
    ),
    (NameKind::Sender, &["do-not-reply", "dont-reply", "no-reply"]),
    (
        NameKind::Owner,
        &["abuse", "admin", "administrator", "hostmaster", "postmaster", "root", "security", "webmaster"],
    ),
    (
        NameKind::Role,
        &[
            "account",
            "accounts",
            "billing",
            "compliance",
            "help",
            "helpdesk",
            "legal",
            "login",
            "moderator",
            "official",
            "operator",
            "password",
            "privacy",
            "service",
            "sign-in",
            "staff",
            "support",
            "system",
            "trust",
            "verification",
            "verified",
            "verify",
        ],
    ),
    (
        NameKind::SharedRole,
        &[
            "aide",
            "assistenza",
            "atendimento",
            "ayuda",
            "destek",
            "hilfe",
            "klantenservice",
            "konto",
            "kundendienst",
            "kundenservice",
            "kundtjanst",
            "ondersteuning",
            "pomoc",
            "safety",
            "securite",
            "seguranca",
            "seguridad",
            "service-client",
            "servicio-al-cliente",
            "servizio-clienti",
            "sicherheit",
            "sicurezza",
            "soporte",
            "soutien",
            "suporte",
            "unterstutzung",
            "unterstuetzung",
        ],
    ),
    (
        NameKind::Generic,
        &[
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
            "mail",
            "me",
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

/// Who may have a local part at a domain that all workspaces share, the strictest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    /// The names of the service (first) and its operator, and its host names.
    own: Vec<Reading>,
    /// [`NAMES`].
    listed: Vec<ListedName>,
    /// [`BESIDE`].
    beside: Vec<Reading>,
    /// [`ROLE_WORDS`] and [`ALERTS`].
    role_words: Vec<Reading>,
    /// [`REGIONS`].
    regions: Vec<Reading>,
    /// The labels of the service's domains. As part of another name they are ordinary words.
    labels: Vec<Reading>,
}

/// A name of [`NAMES`].
#[derive(Clone, PartialEq, Eq, Debug)]
struct ListedName {
    kind: NameKind,
    name: Reading,
}

impl ListedName {
    fn is_role(&self) -> bool {
        matches!(self.kind, NameKind::Role | NameKind::Owner)
    }

    /// Returns whether every name that begins with this one is reserved, too: no other word does. As a local part, so is one
    /// that has it among its words.
    fn is_reserved_as_start(&self) -> bool {
        self.name.words().len() > 1 && matches!(self.kind, NameKind::MailSystem | NameKind::Sender)
    }
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
        let of_kind = |kind: NameKind, names: &[&str]| {
            names.iter().map(move |name| ListedName { kind, name: read(name) }).collect()
        };
        let listed: Vec<Vec<ListedName>> = NAMES.iter().map(|(kind, names)| of_kind(*kind, names)).collect();
        let words = |all: &[&str]| all.iter().map(|word| read(word)).collect();
        let mut names = Self {
            own: vec![read(SERVICE)],
            listed: listed.concat(),
            beside: words(BESIDE),
            role_words: words(&[ROLE_WORDS, ALERTS].concat()),
            regions: words(REGIONS),
            labels: Vec::new(),
        };
        names.own.extend(further.iter().map(|name| read(name)).filter(|name| !name.words().is_empty()));
        for host in hosts.into_iter().filter(|host| host.parse::<std::net::IpAddr>().is_err()) {
            // A name with the host in it reads like an address of the service.
            names.own.extend(Some(read(host)).filter(|name| name.words().len() > 1));
            let organization = organization_of(host);
            // A name without a dot, such as `localhost`, is the whole domain.
            let Some((brand, suffix)) = organization.split_once('.') else { continue };
            let below = host.to_ascii_lowercase();
            let labels = below.strip_suffix(suffix).unwrap_or_default().split('.');
            names.labels.extend(labels.filter(|label| label.len() >= OPERATOR_CHARS_MIN).map(read));
            let is_brand = brand.len() >= OPERATOR_CHARS_MIN && names.kind_of(&read(brand)).is_none();
            names.own.extend(is_brand.then(|| read(brand)));
        }
        names
    }

    /// Returns who may have a local part at a domain that all workspaces share.
    #[must_use]
    pub fn local_part(&self, text: &str) -> LocalPartHolder {
        if self.is_daemon(text) {
            return LocalPartHolder::Service;
        }
        let holders = loose_readings(text).into_iter().map(|reading| self.holder(&reading));
        holders.max().unwrap_or(LocalPartHolder::Anyone)
    }

    /// Returns whether no workspace can claim a handle.
    #[must_use]
    pub fn is_handle(&self, handle: &str) -> bool {
        self.kind_of(&Reading::of(handle).by_letters()).is_some()
            || loose_readings(handle)
                .iter()
                .any(|reading| self.speaks_for_the_service(reading) || self.is_label(reading))
    }

    /// Returns whether a public card with this name would speak for the service.
    #[must_use]
    pub fn is_card_name(&self, name: &str) -> bool {
        loose_readings(name).iter().any(|reading| self.speaks_for_the_service(reading))
    }

    /// Returns whether the display name of a sender names the service, its operator or a mail system. A role alone, such as
    /// `Support`, names nobody: the address behind it shows whose it is.
    #[must_use]
    pub fn is_display_name(&self, name: &str) -> bool {
        loose_readings(name).iter().any(|reading| self.names_mail_system(reading) || self.is_own(reading))
    }

    fn holder(&self, reading: &Reading) -> LocalPartHolder {
        match self.kind_of(reading) {
            _ if self.own.first().is_some_and(|service| is_read_as(reading.joined(), service.joined())) => {
                LocalPartHolder::Service
            }
            Some(NameKind::MailSystem | NameKind::Notice | NameKind::Sender) => LocalPartHolder::Service,
            _ if self.has_sender(reading) => LocalPartHolder::Service,
            Some(NameKind::Owner) => LocalPartHolder::FirstWorkspace,
            Some(NameKind::Role | NameKind::SharedRole) => LocalPartHolder::Operator,
            _ if self.is_own(reading) || self.is_label(reading) || self.is_made_of_roles(reading) => {
                LocalPartHolder::Operator
            }
            Some(NameKind::Generic) | None => LocalPartHolder::Anyone,
        }
    }

    /// Returns whether words of a name are those of a mail system or of mail that nobody answers, as in `the-no-reply`.
    fn has_sender(&self, reading: &Reading) -> bool {
        self.listed.iter().any(|name| name.is_reserved_as_start() && reading.has_run(name.name.joined()))
    }

    fn speaks_for_the_service(&self, reading: &Reading) -> bool {
        let speaks = |kind| !matches!(kind, NameKind::Generic | NameKind::SharedRole | NameKind::Notice);
        self.kind_of(reading).is_some_and(speaks) || self.is_notice(reading) || self.is_own(reading)
    }

    /// Returns whether a name is that of a mail system, or has one of several words in it.
    fn names_mail_system(&self, reading: &Reading) -> bool {
        let is_in = |name: &ListedName| name.is_reserved_as_start() && reading.has_words(name.name.words());
        self.kind_of(reading) == Some(NameKind::MailSystem)
            || self.is_notice(reading)
            || self.listed.iter().any(|name| name.kind == NameKind::MailSystem && is_in(name))
    }

    /// Returns whether a name is one of several words under which mail systems write notices.
    fn is_notice(&self, reading: &Reading) -> bool {
        let is_notice = |name: &&ListedName| name.kind == NameKind::Notice && name.name.words().len() > 1;
        self.listed.iter().filter(is_notice).any(|name| is_read_as(reading.joined(), name.name.joined()))
    }

    fn is_label(&self, reading: &Reading) -> bool {
        self.labels.iter().any(|label| label.joined() == reading.joined())
    }

    /// Returns whether a name has the service or its operator as one of its words, as a part of one, or beside a role.
    fn is_own(&self, reading: &Reading) -> bool {
        let is_known = |rest: &str| rest.is_empty() || self.is_beside(rest) || self.kind_of_joined(rest).is_some();
        self.own.iter().any(|own| {
            let joined = own.joined();
            let beside = [lookalike::after(reading.joined(), joined), lookalike::before(reading.joined(), joined)];
            reading.has_words(own.words())
                || beside.into_iter().flatten().any(is_known)
                || reading.words().iter().any(|word| has_part(word, joined))
        })
    }

    /// Returns whether a name is made of roles and words that go with them, such as `support-team` or `support-eu`. Any other
    /// word names somebody, as in `ana-support-team`.
    fn is_made_of_roles(&self, reading: &Reading) -> bool {
        let parts = role_words::RoleParts {
            roles: self.listed.iter().filter(|name| name.is_role()).map(|name| name.name.joined()).collect(),
            beside: self.beside.iter().map(Reading::joined).collect(),
            words: self.role_words.iter().map(Reading::joined).collect(),
            regions: self.regions.iter().map(Reading::joined).collect(),
        };
        parts.name_a_role(reading)
    }

    fn is_beside(&self, joined: &str) -> bool {
        self.beside.iter().any(|word| word.joined() == joined)
    }

    /// Returns whether mail servers use the local part as the author of reports. Those that also represent an owner are
    /// left to that rule.
    fn is_daemon(&self, text: &str) -> bool {
        report::DAEMON_LOCAL_PARTS.contains(&text) && self.kind_of(&read(text)) != Some(NameKind::Owner)
    }

    fn kind_of(&self, reading: &Reading) -> Option<NameKind> {
        self.kind_of_joined(reading.joined())
    }

    fn kind_of_joined(&self, joined: &str) -> Option<NameKind> {
        let is_named = |name: &&ListedName| {
            let after = lookalike::after(joined, name.name.joined());
            after.is_some_and(|rest| rest.is_empty() || name.is_reserved_as_start())
        };
        self.listed.iter().find(is_named).map(|name| name.kind)
    }
}

/// Returns whether a word begins or ends with a name. Its plural is another word.
fn has_part(word: &str, name: &str) -> bool {
    let is_other = |rest: &str| !rest.is_empty() && rest != PLURAL;
    name.chars().count() >= PART_CHARS_MIN
        && (lookalike::after(word, name).is_some_and(is_other) || lookalike::before(word, name).is_some_and(is_other))
}

/// Reads a name in small letters.
fn read(name: &str) -> Reading {
    Reading::of(&name.to_lowercase()).by_letters()
}

#[cfg(test)]
mod tests;

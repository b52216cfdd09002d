//! Which addresses count as one party: one person or one organization, however many addresses it writes from. Every rule
//! that counts distinct people counts parties. Pure.

use std::{collections::HashSet, fmt};

use icu_normalizer::ComposingNormalizerBorrowed;
use posthouse_mail::address::Address;
use psl::{Psl as _, Type};

use crate::contact::FREE_MAIL_DOMAINS;

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

/// Domains of [`FREE_MAIL_DOMAINS`] that give one person any number of addresses, so the domain is the party.
const ALIAS_DOMAINS: &[&str] = &["duck.com"];

/// Large mailbox providers beside [`FREE_MAIL_DOMAINS`].
const FURTHER_MAILBOX_PROVIDERS: &[&str] = &[
    "googlemail.com",
    "hotmail.ca",
    "hotmail.com.br",
    "live.ca",
    "live.com.au",
    "live.it",
    "mail.com",
    "outlook.at",
    "outlook.com.br",
    "outlook.jp",
    "rambler.ru",
    "sina.cn",
    "yahoo.at",
    "yahoo.co.id",
    "yahoo.com.ar",
    "yahoo.com.au",
    "yahoo.com.cn",
    "yahoo.com.hk",
    "yahoo.com.mx",
    "yahoo.com.sg",
    "yahoo.com.tw",
    "yahoo.com.vn",
    "yahoo.in",
    "yahoo.se",
    "yandex.by",
    "yandex.kz",
    "yandex.ua",
    "yeah.net",
];

/// Domains whose mailboxes are also reachable at another domain of the provider: the alias and the domain that counts.
const SAME_MAILBOXES: &[(&str, &str)] = &[
    ("googlemail.com", "gmail.com"),
    ("mac.com", "icloud.com"),
    ("me.com", "icloud.com"),
    ("pm.me", "proton.me"),
    ("protonmail.ch", "proton.me"),
    ("protonmail.com", "proton.me"),
    ("fastmail.fm", "fastmail.com"),
    ("ya.ru", "yandex.ru"),
    ("yandex.by", "yandex.ru"),
    ("yandex.com", "yandex.ru"),
    ("yandex.kz", "yandex.ru"),
    ("yandex.ua", "yandex.ru"),
];

/// Providers that ignore characters of the local part, and those characters.
const IGNORED_CHARACTERS: &[(&str, &[char])] =
    &[("gmail.com", &['.']), ("proton.me", &['.', '-', '_']), ("yandex.ru", &['.', '-'])];

/// Providers where a hyphen begins a tag, as in `name-tag@`.
const HYPHEN_TAGS: &[&str] = &["rocketmail.com", "ymail.com"];

/// Providers where a subdomain is the mailbox, as in `tag@name.fastmail.com`.
const SUBDOMAIN_MAILBOXES: &[&str] = &["fastmail.com"];

/// The text of [`Party::of_unproven_mail`], which no address has.
const UNPROVEN_MAIL: &str = "authors without proof";

/// One person or organization. Its text is an address at a large mailbox provider, and a domain everywhere else.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Party(String);

impl Party {
    /// Returns the party of an address. The parties of `a@x.example.com` and `b@example.com` are the same, and those of
    /// `a.b+tag@gmail.com` and `ab@gmail.com`.
    #[must_use]
    pub fn of(address: &Address) -> Self {
        let organization = organization_of(address.domain());
        mailbox_at_provider(address, &organization).map_or(Self(organization), Self)
    }

    /// Returns the party of an address in text form. A text that is no address is a party of its own.
    #[must_use]
    pub fn of_text(address: &str) -> Self {
        Address::parse(address).map_or_else(|_| Self(address.to_lowercase()), |address| Self::of(&address))
    }

    /// Returns the mailbox behind an address in text form, for limits that protect one person: as [`Party::of`] has it at
    /// large mailbox providers, and the address without tag everywhere else.
    #[must_use]
    pub fn mailbox(address: &str) -> Self {
        let Ok(address) = Address::parse(address) else { return Self(address.to_lowercase()) };
        let organization = organization_of(address.domain());
        mailbox_at_provider(&address, &organization).map_or_else(|| Self(address.without_tag().canonical()), Self)
    }

    /// Returns the one party of everyone whom mail without a proven author made a workspace write to, whatever the mail
    /// named and wherever it came from: one stranger has any number of names and networks.
    #[must_use]
    pub fn of_unproven_mail() -> Self {
        Self(UNPROVEN_MAIL.to_owned())
    }

    /// Returns the text, for comparisons, hashes and messages to people.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a proven author speaks for another address. [`Party::of`] says who may be one person, so that nobody
/// counts twice; this says who certainly is one owner: the same mailbox, and the same registrable domain, also by the
/// section of private registries. Below an unknown suffix it is the same domain.
#[must_use]
pub fn speaks_for(author: &Address, other: &Address) -> bool {
    let mailbox = |address: &Address| Party::mailbox(address.canonical_str());
    if mailbox(author) == mailbox(other) {
        return true;
    }
    let organization = organization_of(author.domain());
    let is_shared = ALIAS_DOMAINS.contains(&&*organization) || mailbox_at_provider(author, &organization).is_some();
    let owned = || registrable(author.domain()).zip(registrable(other.domain()));
    !is_shared && owned().is_some_and(|(author, other)| author == other)
}

/// Returns whether a domain is no one owner's: it belongs to a large mailbox provider, or is a public suffix or a name below a
/// suffix of a private registry, such as `one.github.io`, which anyone gets. Its mailboxes speak for themselves alone.
#[must_use]
pub fn is_shared_domain(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let organization = organization_of(&domain);
    let is_alias = |provider: &&str| SAME_MAILBOXES.iter().any(|(alias, _)| alias == provider);
    let is_provider = |provider: &str| is_mailbox_provider(provider) || ALIAS_DOMAINS.contains(&provider);
    let suffix = psl::List.suffix(domain.as_bytes()).filter(|suffix| suffix.is_known());
    is_provider(&organization)
        || Some(&*organization).filter(is_alias).is_some()
        || suffix.is_some_and(|suffix| suffix.typ() == Some(Type::Private) || suffix.as_bytes() == domain.as_bytes())
}

/// Returns the domain that somebody registered, by the whole public suffix list; `None` for a public suffix.
fn registrable(domain: &str) -> Option<String> {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let suffix = psl::List.suffix(domain.as_bytes()).filter(|suffix| suffix.is_known());
    let Some(suffix) = suffix else { return Some(domain) };
    let above = domain.strip_suffix(std::str::from_utf8(suffix.as_bytes()).ok()?)?.strip_suffix('.')?;
    let below = above.len() - above.rsplit('.').next().unwrap_or(above).len();
    Some(domain[below..].to_owned())
}

/// Returns each party once, and one party for each client network: people behind one address may be one person. Parties
/// without a network differ from each other.
#[must_use]
pub fn distinct(clients: impl IntoIterator<Item = (Party, Option<Vec<u8>>)>) -> Vec<Party> {
    let mut networks = HashSet::new();
    let mut parties: Vec<Party> = Vec::new();
    for (party, network) in clients {
        let is_new_network = network.is_none_or(|network| networks.insert(network));
        if is_new_network && !parties.contains(&party) {
            parties.push(party);
        }
    }
    parties
}

impl fmt::Display for Party {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Returns the one spelling of an address whose organizational domain is a large mailbox provider; `None` at others.
fn mailbox_at_provider(address: &Address, organization: &str) -> Option<String> {
    let same = SAME_MAILBOXES.iter().find(|(alias, _)| *alias == organization);
    let provider = same.map_or(organization, |(_, domain)| domain);
    is_mailbox_provider(provider).then(|| format!("{}@{provider}", mailbox_name(address, provider)))
}

/// Returns whether strangers share the domain, so that its mailboxes count one by one.
fn is_mailbox_provider(domain: &str) -> bool {
    let is_listed = FREE_MAIL_DOMAINS.contains(&domain) || FURTHER_MAILBOX_PROVIDERS.contains(&domain);
    is_listed && !ALIAS_DOMAINS.contains(&domain)
}

/// Returns the name of a mailbox at a provider: without tag and, where the provider ignores them, without punctuation.
fn mailbox_name(address: &Address, provider: &str) -> String {
    let subdomain = SUBDOMAIN_MAILBOXES
        .contains(&provider)
        .then(|| address.domain().strip_suffix(provider)?.strip_suffix('.')?.rsplit('.').next())
        .flatten();
    if let Some(name) = subdomain {
        return name.to_owned();
    }
    let untagged = address.without_tag();
    bare_name(untagged.local().trim_matches('"'), provider)
}

/// Returns the domains of large mailbox providers that have several spellings of one mailbox.
pub(crate) fn providers_with_spellings() -> impl Iterator<Item = &'static str> {
    let aliases = SAME_MAILBOXES.iter().flat_map(|(alias, domain)| [*alias, *domain]);
    aliases.chain(IGNORED_CHARACTERS.iter().map(|(domain, _)| *domain)).chain(HYPHEN_TAGS.iter().copied())
}

/// Returns the one spelling of a mailbox at one of [`providers_with_spellings`]. The local part has no tag.
pub(crate) fn one_spelling(local: &str, domain: &str) -> String {
    let provider = SAME_MAILBOXES.iter().find(|(alias, _)| *alias == domain).map_or(domain, |(_, domain)| domain);
    format!("{}@{provider}", bare_name(local, provider))
}

/// Returns a local part without what a provider ignores in it.
fn bare_name(local: &str, provider: &str) -> String {
    let mut name = NFKC.normalize(local).to_lowercase();
    if HYPHEN_TAGS.contains(&provider) || provider.starts_with("yahoo.") {
        name.truncate(name.find('-').filter(|at| *at > 0).unwrap_or(name.len()));
    }
    if let Some((_, ignored)) = IGNORED_CHARACTERS.iter().find(|(domain, _)| *domain == provider) {
        name.retain(|character| !ignored.contains(&character));
    }
    name
}

/// Returns the organizational domain by the section of the public suffix list that registries maintain. The section of
/// private registries is left out: anyone gets any number of free names below `github.io` or `duckdns.org`.
#[must_use]
pub fn organization_of(domain: &str) -> String {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let mut suffix = domain.as_str();
    while let Some(found) = psl::List.suffix(suffix.as_bytes()) {
        suffix = &suffix[suffix.len() - found.as_bytes().len()..];
        if found.typ() != Some(Type::Private) {
            break;
        }
        let Some((_, parent)) = suffix.split_once('.') else { break };
        suffix = parent;
    }
    let Some(above) = domain.strip_suffix(suffix).and_then(|labels| labels.strip_suffix('.')) else { return domain };
    let label = above.rsplit('.').next().unwrap_or(above);
    format!("{label}.{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(address: &str) -> String {
        Party::of_text(address).to_string()
    }

    #[test]
    fn an_organization_is_one_party() {
        for (address, expected) in [
            ("a@example.com", "example.com"),
            ("b+tag@EXAMPLE.com", "example.com"),
            ("c@deep.mail.example.com", "example.com"),
            ("a@example.co.uk", "example.co.uk"),
            ("a@mail.example.co.uk", "example.co.uk"),
            ("a@one.github.io", "github.io"),
            ("a@two.github.io", "github.io"),
            ("a@x.duckdns.org", "duckdns.org"),
            ("a@b.bücher.example", "xn--bcher-kva.example"),
            ("a@localhost", "localhost"),
            ("a@host.internal", "host.internal"),
            ("a@x@y", "a@x@y"),
        ] {
            assert_eq!(party(address), expected, "{address}");
        }
    }

    #[test]
    fn a_mailbox_at_a_large_provider_is_one_party() {
        for (address, expected) in [
            ("ann@gmail.com", "ann@gmail.com"),
            ("A.n.N+shop@googlemail.com", "ann@gmail.com"),
            ("a.nn@outlook.com", "a.nn@outlook.com"),
            ("ann+x+y@outlook.com", "ann@outlook.com"),
            ("\"ann\"@outlook.com", "ann@outlook.com"),
            ("ann-lists@yahoo.co.uk", "ann@yahoo.co.uk"),
            ("ann-b@gmx.de", "ann-b@gmx.de"),
            ("a-n_n.x+t@protonmail.com", "annx@proton.me"),
            ("ann@me.com", "ann@icloud.com"),
            ("shop@ann.fastmail.com", "ann@fastmail.com"),
            ("ann+shop@fastmail.fm", "ann@fastmail.com"),
            ("one@duck.com", "duck.com"),
            ("two@duck.com", "duck.com"),
        ] {
            assert_eq!(party(address), expected, "{address}");
        }
    }

    #[test]
    fn dots_tags_and_aliases_made_a_second_mailbox() {
        let providers = FREE_MAIL_DOMAINS.iter().chain(FURTHER_MAILBOX_PROVIDERS);
        for provider in providers.filter(|provider| !ALIAS_DOMAINS.contains(provider)) {
            for name in ["jane", "jane+1", "Jane+a.b", "JANE+x+y", "jane.doe", "J.a.n.e"] {
                let address = format!("{name}@{provider}");
                assert_eq!(Party::mailbox(&address), Party::of_text(&address), "{address}");
            }
        }
        for (alias, domain) in SAME_MAILBOXES {
            assert_eq!(
                Party::mailbox(&format!("jane+1@{alias}")),
                Party::mailbox(&format!("jane@{domain}")),
                "{alias}"
            );
        }
        for (provider, ignored) in IGNORED_CHARACTERS {
            for character in *ignored {
                let address = format!("ja{character}ne@{provider}");
                assert_eq!(Party::mailbox(&address), Party::mailbox(&format!("jane@{provider}")), "{address}");
            }
        }
        for (address, mailbox) in [
            ("Ann+x@company.example", "ann@company.example"),
            ("a.nn@company.example", "a.nn@company.example"),
            ("bob@mail.company.example", "bob@mail.company.example"),
            ("one+x@duck.com", "one@duck.com"),
            ("No Address", "no address"),
        ] {
            assert_eq!(Party::mailbox(address).as_str(), mailbox, "{address}");
        }
    }

    #[test]
    fn strangers_share_the_domains_of_providers_and_private_registries() {
        let providers = FREE_MAIL_DOMAINS.iter().chain(FURTHER_MAILBOX_PROVIDERS).chain(ALIAS_DOMAINS);
        let aliases = SAME_MAILBOXES.iter().flat_map(|(alias, domain)| [alias, domain]);
        for provider in providers.chain(aliases) {
            assert!(is_shared_domain(provider), "{provider}");
            assert!(is_shared_domain(&format!("Mail.{provider}.")), "{provider}");
            assert!(!is_shared_domain(&format!("not{provider}.example")), "{provider}");
        }
        for suffix in ["github.io", "duckdns.org", "uk.com", "eu.org", "blogspot.com", "herokuapp.com"] {
            for below in ["", "one.", "mail.one."] {
                assert!(is_shared_domain(&format!("{below}{suffix}")), "{below}{suffix}");
            }
        }
        for domain in ["acme.com", "mail.acme.co.uk", "acme.example", "localhost", "host.internal", "agents.acme.de"] {
            assert!(!is_shared_domain(domain), "{domain}");
        }
    }

    #[test]
    fn an_author_speaks_for_own_domains_only() {
        for (author, other, expected) in [
            ("al@acme.com", "help@mail.acme.com", true),
            ("al@mail.acme.co.uk", "help@acme.co.uk", true),
            ("al@acme.uk.com", "al+x@acme.uk.com", true),
            ("al@acme.uk.com", "help@mail.acme.uk.com", true),
            ("al@acme.uk.com", "x@evil.uk.com", false),
            ("al@good.github.io", "x@evil.github.io", false),
            ("al@good.eu.org", "x@evil.eu.org", false),
            ("al@github.io", "x@github.io", false),
            ("al@github.io", "x@evil.github.io", false),
            ("al@acme.com", "al@acme.org", false),
            ("al@acme.example", "help@acme.example", true),
            ("al@acme.example", "help@mail.acme.example", false),
            ("al@localhost", "help@localhost", true),
            ("a.l@gmail.com", "al+x@googlemail.com", true),
            ("al@gmail.com", "x@gmail.com", false),
            ("al@duck.com", "x@duck.com", false),
            ("al@duck.com", "al+x@duck.com", true),
        ] {
            let read = |text: &str| Address::parse(text).expect("an address");
            assert_eq!(speaks_for(&read(author), &read(other)), expected, "{author} {other}");
            assert_eq!(speaks_for(&read(other), &read(author)), expected, "{other} {author}");
        }
    }

    #[test]
    fn tags_and_dots_never_make_a_second_party() {
        for provider in ["gmail.com", "outlook.com", "yahoo.com", "icloud.com", "proton.me", "example.com"] {
            let one = party(&format!("jane.doe@{provider}"));
            for variant in ["jane.doe+1", "Jane.Doe+a.b", "JANE.DOE+x+y", "jane.doe+"] {
                assert_eq!(party(&format!("{variant}@{provider}")), one, "{variant}@{provider}");
            }
        }
        assert_ne!(party("jane@gmail.com"), party("john@gmail.com"));
    }
}

//! What addresses and links show by their form.

/// Top-level domains that throw-away sites prefer.
const CHEAP: [&str; 16] = [
    "xyz", "top", "click", "icu", "buzz", "live", "shop", "online", "site", "club", "info", "ru", "tk", "cf", "rest",
    "cfd",
];
const SHORTENERS: [&str; 9] =
    ["bit.ly", "tinyurl.com", "t.co", "goo.gl", "is.gd", "ow.ly", "cutt.ly", "rebrand.ly", "t.ly"];
const FREE_MAIL: [&str; 16] = [
    "gmail.com",
    "outlook.com",
    "hotmail.com",
    "yahoo.com",
    "icloud.com",
    "gmx.de",
    "gmx.net",
    "web.de",
    "aol.com",
    "proton.me",
    "protonmail.com",
    "qq.com",
    "163.com",
    "mail.ru",
    "live.com",
    "yahoo.co.jp",
];
const NO_REPLY: [&str; 9] = [
    "noreply",
    "no-reply",
    "no_reply",
    "donotreply",
    "do-not-reply",
    "notification",
    "notify",
    "mailer-daemon",
    "bounce",
];
const ROLES: [&str; 14] = [
    "support",
    "billing",
    "invoice",
    "news",
    "newsletter",
    "marketing",
    "hello",
    "info",
    "sales",
    "help",
    "security",
    "account",
    "team",
    "service",
];

/// The author of a mail.
pub(crate) struct Author<'a> {
    /// The display name, or empty.
    pub(crate) name: &'a str,
    pub(crate) domain: &'a str,
    pub(crate) no_reply: bool,
    pub(crate) role: bool,
    pub(crate) free_mail: bool,
}

pub(crate) fn author(from: &str) -> Author<'_> {
    let (name, address) = match from.rsplit_once('<') {
        Some((name, address)) => (name.trim().trim_matches('"'), address.trim_end_matches('>')),
        None => ("", from),
    };
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let starts = |word: &&str| local.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    Author {
        name,
        domain,
        no_reply: NO_REPLY.iter().any(starts),
        role: ROLES.iter().any(starts),
        free_mail: FREE_MAIL.iter().any(|free| domain.eq_ignore_ascii_case(free)),
    }
}

/// The domain without its subdomains, by a simple rule: two labels, three after a short second-level label.
pub(crate) fn registrable(host: &str) -> &str {
    let mut labels = host.rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), Some(second)) = (labels.next(), labels.next()) else { return host };
    if last - second > 4 {
        return &host[second + 1..];
    }
    labels.next().map_or(host, |third| &host[third + 1..])
}

/// Suspicious traits of a link.
#[derive(Default, Clone, Copy)]
pub(crate) struct Traits {
    pub(crate) odd_host: bool,
    pub(crate) cheap: bool,
    pub(crate) shortener: bool,
}

pub(crate) fn host(link: &str) -> &str {
    let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    authority.rsplit('@').next().unwrap_or("")
}

pub(crate) fn traits(link: &str) -> Traits {
    let host = host(link);
    let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
    let user = rest.split('/').next().is_some_and(|authority| authority.contains('@'));
    let numeric = !host.is_empty() && host.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b':');
    let last = host.rsplit('.').next().unwrap_or("");
    let hyphens = host.bytes().filter(|b| *b == b'-').count();
    let dots = host.bytes().filter(|b| *b == b'.').count();
    Traits {
        odd_host: user || numeric || host.contains("xn--") || host.contains(':') || hyphens >= 2 || dots >= 4,
        cheap: CHEAP.iter().any(|cheap| last.eq_ignore_ascii_case(cheap)),
        shortener: SHORTENERS.iter().any(|short| host.eq_ignore_ascii_case(short)),
    }
}

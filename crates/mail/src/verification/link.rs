//! Which of the links in a mail is the one to follow: by its address, its label and the words around it.

use super::page::{self, Link, Page};
use super::words::{self, Table};

/// Least score of a link.
const SCORE_MIN: i32 = 50;
/// Shortest part of a path or query that is a token by itself, in characters.
const TOKEN_CHARS_MIN: usize = 16;

/// Points of a URL with a long token.
const LONG: i32 = 20;
/// Points of a URL with a short one.
const SHORT: i32 = 8;

/// A link and how sure it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) url: String,
    pub(super) score: i32,
}

/// Words in a URL of verification.
const VERIFYING: [&str; 36] = [
    "verif",
    "confirm",
    "activat",
    "magic",
    "reset",
    "invit",
    "accept",
    "validate",
    "validation",
    "passwordless",
    "signin",
    "sign-in",
    "sign_in",
    "login",
    "log-in",
    "signup",
    "sign-up",
    "sign_up",
    "register",
    "registration",
    "recover",
    "unlock",
    "auth",
    "optin",
    "opt-in",
    "onboard",
    "join",
    "password",
    "otp",
    "email-link",
    "emaillink",
    "complete",
    "approve",
    "claim",
    "connexion",
    "anmeld",
];

/// Words in a URL that is made for one person, be the rest of it ever so short: nobody has a page named so for all.
const PERSONAL: [&str; 21] = [
    "verif",
    "confirm",
    "conferma",
    "activat",
    "activer",
    "activar",
    "ativar",
    "attiva",
    "aktivier",
    "aktiver",
    "aktywuj",
    "valid",
    "bestaetig",
    "bestatig",
    "bevestig",
    "bekraeft",
    "bekreft",
    "potwierd",
    "potvr",
    "magic",
    "/v/",
];

/// Words in a URL, its label or the text before it of links that are something else.
const ELSEWHERE: [&str; 44] = [
    "unsubscribe",
    "unsub",
    "opt-out",
    "optout",
    "opt_out",
    "preferences",
    "privacy",
    "terms",
    "/legal",
    "/help",
    "help center",
    "help centre",
    "/support",
    "support.",
    "contact us",
    "/contact",
    "/faq",
    "/docs",
    "/blog",
    "/about",
    "facebook.com",
    "twitter.com",
    "x.com/",
    "linkedin.com",
    "instagram.com",
    "youtube.com",
    "t.me/",
    "discord.gg",
    "apps.apple.com",
    "itunes.apple",
    "play.google.com",
    "w3.org",
    "schemas.microsoft",
    "view in browser",
    "view this email",
    "view online",
    "webversion",
    "web-version",
    "not-me",
    "notme",
    "wasnt-me",
    "report-abuse",
    "security-checkup",
    "not you",
];

/// Query keys that carry a token.
const TOKEN_KEYS: [&str; 17] = [
    "token",
    "code",
    "key",
    "otp",
    "oobcode",
    "t",
    "k",
    "ticket",
    "sig",
    "signature",
    "hash",
    "confirmation_token",
    "reset_password_token",
    "invitation_token",
    "token_hash",
    "nonce",
    "password",
];

/// Query keys of what a link brings along whoever follows it: the campaign, the language, the release.
const CARRIED_KEYS: [&str; 10] = ["ref", "src", "source", "campaign", "medium", "lang", "locale", "hl", "v", "page"];

/// Ends of files that are shown, not followed.
const FILES: [&str; 9] = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".css", ".ico", ".woff", ".webp"];

/// The best link of a page.
pub(super) fn find(page: &Page<'_>) -> Option<Found> {
    if page.links.is_empty() {
        return None;
    }
    let matter = page.matter();
    let mut best: Option<Found> = None;
    // A mail about an account that holds one personal link and no other was sent for that link.
    let personal: Vec<&str> =
        page.links.iter().filter(|link| is_personal(link)).map(|link| link.url.as_str()).collect();
    let sole = matter.is_account
        && !matter.is_trade
        && !matter.is_notice
        && personal.windows(2).all(|pair| pair[0] == pair[1]);
    for link in &page.links {
        let score = score(page, link, sole);
        if score >= SCORE_MIN && best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(Found { url: link.url.clone(), score });
        }
    }
    best
}

/// How well a link fits; 0 when it cannot be the one.
fn score(page: &Page<'_>, link: &Link, sole: bool) -> i32 {
    let matter = page.matter();
    let url = link.url.to_lowercase();
    let label = link.label.to_lowercase();
    let path = path(&url).unwrap_or("");
    let label_is_url = label.contains("://");
    let by_label = !label.is_empty() && !label_is_url && words::any(&label, Table::Action);
    let asked = by_label || asks_right_before(page, link.line);
    let identity = identity(&link.url).or_else(|| (asked && has_small_token(path)).then_some(SHORT));
    let Some(identity) = identity.filter(|_| !is_elsewhere(link)) else {
        return 0;
    };
    let by_url =
        VERIFYING.iter().any(|word| path.contains(word)) || asked && PERSONAL.iter().any(|word| path.contains(word));
    let by_text = acts_before(page, link.line);
    if leads_away(page, link) || matter.is_notice && !by_label {
        return 0;
    }
    let mut score = identity;
    score += if by_label { 25 } else { 0 };
    score += if by_url { 20 } else { 0 };
    score += if by_text { 15 } else { 0 };
    score += if sole && identity >= LONG { 20 } else { 0 };
    score += if matter.is_account { 12 } else { -25 };
    score += if words::any(&page.lines[0].to_lowercase(), Table::Action) { 8 } else { 0 };
    score -= if matter.is_trade { 25 } else { 0 };
    score -= if matter.is_notice { 40 } else { 0 };
    if by_label || by_url || by_text || sole { score } else { 0 }
}

/// True for a link that is made for one person and may be followed.
fn is_personal(link: &Link) -> bool {
    !is_elsewhere(link) && identity(&link.url).is_some_and(|identity| identity >= LONG)
}

/// True for links to help, terms, shops of apps, pictures, and the like.
fn is_elsewhere(link: &Link) -> bool {
    let url = link.url.to_lowercase();
    let label = link.label.to_lowercase();
    let file = url.split(['?', '#']).next().is_some_and(|path| FILES.iter().any(|file| path.ends_with(file)));
    file || ELSEWHERE.iter().any(|word| url.contains(word) || label.contains(word))
}

/// What is behind the host; `None` for a bare host.
fn path(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let at = rest.find(['/', '?', '#'])?;
    (rest[at..].len() > 1).then_some(&rest[at..])
}

/// How much the URL looks made for one person; `None` when nothing in it does (a login page, a help page).
fn identity(url: &str) -> Option<i32> {
    // Case matters for what a token looks like.
    let (route, query) = route_and_query(path(url)?);
    let keyed = pairs(query).any(|(key, value)| is_token_key(key) && value.len() >= 4);
    let values =
        query.split(['&', '?', '#']).filter(|pair| !pair.split_once('=').is_some_and(|(key, _)| is_carried(key)));
    let parts = || route.split('/').chain(values.clone()).flat_map(|part| part.split(['/', '=', '.', ':', '~']));
    let long = parts().any(|part| part.len() >= TOKEN_CHARS_MIN && is_random(part));
    let short = parts().any(|part| part.len() >= 5 && is_random(part));
    match (keyed, long, short) {
        (true, _, _) => Some(LONG + 2),
        (_, true, _) => Some(LONG),
        (_, _, true) => Some(SHORT),
        _ => None,
    }
}

/// True for a path of a word of verification with something behind it, however short: `/confirm/ab12`, `/verify?u=2`.
fn has_small_token(path: &str) -> bool {
    let (route, query) = route_and_query(path);
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let word = PERSONAL.iter().find_map(|word| route.find(word).map(|at| at + word.trim_end_matches('/').len()));
    let behind = word.and_then(|end| route[end..].split_once('/')).is_some_and(|(_, rest)| has_digit(rest));
    let login = || VERIFYING.iter().any(|word| route.contains(word));
    behind
        || word.is_some() && pairs(query).any(|(_, value)| has_digit(value))
        || (word.is_some() || login()) && pairs(query).any(|(key, value)| is_token_key(key) && !value.is_empty())
}

fn route_and_query(path: &str) -> (&str, &str) {
    path.find(['?', '#']).map_or((path, ""), |at| (&path[..at], &path[at + 1..]))
}

/// The keys and values of a query, but for those that every reader of the mail gets.
fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split(['&', '?', '#']).filter_map(|pair| pair.split_once('=')).filter(|(key, _)| !is_carried(key))
}

fn is_token_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    TOKEN_KEYS.contains(&key.as_str()) || key.ends_with("token")
}

fn is_carried(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.starts_with("utm_") || CARRIED_KEYS.contains(&key.as_str())
}

/// True for a part that no person wrote: digits and letters mixed, or digits alone, or odd capitals.
fn is_random(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    let inner_capitals = part.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    let small = part.bytes().any(|byte| byte.is_ascii_lowercase());
    let words = part
        .split(['-', '_'])
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        .count();
    digits >= 1 && letters >= 2 && words < 3
        || digits >= 5
        || inner_capitals >= 2 && small
        || part.len() >= 24 && words <= 1
}

/// True when the line of a link, or the text right above it, says what the link does.
fn acts_before(page: &Page<'_>, line: usize) -> bool {
    let from = line.saturating_sub(6).max(1);
    let above = page.lines[from.min(page.lines.len())..line.min(page.lines.len())]
        .iter()
        .rev()
        .filter(|line| !line.trim().is_empty())
        .take(3);
    let own = page.lines.get(line);
    above.chain(own).any(|line| words::any(&line.to_lowercase(), Table::Action))
}

/// True when the words beside a link, or else those of the line right above, ask for what such a link does.
fn asks_right_before(page: &Page<'_>, line: usize) -> bool {
    let lines = page.lines[..page.lines.len().min(line + 1)].iter().rev();
    let mut shown = lines.take(6).map(|line| page::without_urls(&line.to_lowercase())).filter(|line| !line.is_empty());
    shown.next().is_some_and(|line| words::any(&line, Table::Action))
}

/// True when the words of the link's line send it elsewhere: "To unsubscribe: …", "Need help? …".
fn leads_away(page: &Page<'_>, link: &Link) -> bool {
    let line = page.lines.get(link.line).map(|line| line.to_lowercase()).unwrap_or_default();
    let before = line.split("http").next().unwrap_or("");
    let above = || page.lines[..link.line.min(page.lines.len())].iter().rev().find(|line| !line.trim().is_empty());
    // An anchor speaks for itself.
    let text = if !link.label.is_empty() {
        link.label.to_lowercase()
    } else if before.trim().is_empty() {
        above().map(|line| line.to_lowercase()).unwrap_or_default()
    } else {
        before.to_owned()
    };
    const AWAY: [&str; 22] = [
        "unsubscribe",
        "privacy",
        "need help",
        "help center",
        "contact support",
        "terms of",
        "preferences",
        "view in browser",
        "wasn't you",
        "wasn’t you",
        "was not you",
        "abmelden von",
        "abbestellen",
        "datenschutz",
        "désabonner",
        "désinscrire",
        "cancelar suscripción",
        "darse de baja",
        "cancelar inscrição",
        "отписаться",
        "退订",
        "配信停止",
    ];
    AWAY.iter().any(|away| text.contains(away))
}

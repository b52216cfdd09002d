//! Selects the verification link among the links of a message by its URL, its label and the words around it.

use super::page::{self, PageLink, VerificationPage};
use super::words::{self, KeywordTable};

/// Minimum score of a link.
const SCORE_MIN: i32 = 50;
/// Minimum length of a part of a path or query that counts as a long token, in characters.
const TOKEN_CHARS_MIN: usize = 16;

/// Score of a URL with a long token.
const LONG_TOKEN_SCORE: i32 = 20;
/// Score of a URL with a short token.
const SHORT_TOKEN_SCORE: i32 = 8;

/// A detected link and its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DetectedLink {
    pub(super) url: String,
    pub(super) score: i32,
}

/// Words in URLs of verification links.
const VERIFICATION_WORDS: [&str; 36] = [
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

/// Words in URLs that are made for one person even if the rest is short: general pages don't have such names.
const PERSONAL_WORDS: [&str; 21] = [
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

/// Words in the URL or the label of other links.
const OTHER_PURPOSES: [&str; 44] = [
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

/// Query keys that usually contain a token.
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

/// Query keys that are the same for all recipients: campaign, language, version.
const SHARED_KEYS: [&str; 10] = ["ref", "src", "source", "campaign", "medium", "lang", "locale", "hl", "v", "page"];

/// File extensions of embedded resources.
const FILES: [&str; 9] = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".css", ".ico", ".woff", ".webp"];

/// Returns the link with the highest score on a page.
pub(super) fn find(page: &VerificationPage<'_>) -> Option<DetectedLink> {
    if page.links.is_empty() {
        return None;
    }
    let topic = page.topic();
    let mut best: Option<DetectedLink> = None;
    // If a message about an account has exactly one personal link, that link is its purpose.
    let personal: Vec<&str> =
        page.links.iter().filter(|link| is_personal(link)).map(|link| link.url.as_str()).collect();
    let sole =
        topic.is_account && !topic.is_trade && !topic.is_notice && personal.windows(2).all(|pair| pair[0] == pair[1]);
    for link in &page.links {
        let score = score(page, link, sole);
        if score >= SCORE_MIN && best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(DetectedLink { url: link.url.clone(), score });
        }
    }
    best
}

/// Returns the score of a link, or 0 if it can't be the verification link.
fn score(page: &VerificationPage<'_>, link: &PageLink, sole: bool) -> i32 {
    let topic = page.topic();
    let url = link.url.to_lowercase();
    let label = link.label.to_lowercase();
    let path = path(&url).unwrap_or("");
    let label_is_url = label.contains("://");
    let by_label = !label.is_empty() && !label_is_url && words::any(&label, KeywordTable::Action);
    let is_requested = by_label || action_is_adjacent(page, link.line);
    let token_score =
        token_score(&link.url).or_else(|| (is_requested && has_small_token(path)).then_some(SHORT_TOKEN_SCORE));
    let Some(token_score) = token_score.filter(|_| !has_other_purpose(link)) else {
        return 0;
    };
    let by_url = VERIFICATION_WORDS.iter().any(|word| path.contains(word))
        || is_requested && PERSONAL_WORDS.iter().any(|word| path.contains(word));
    let by_text = action_precedes(page, link.line);
    if context_has_other_purpose(page, link) || topic.is_notice && !by_label {
        return 0;
    }
    let mut score = token_score;
    score += if by_label { 25 } else { 0 };
    score += if by_url { 20 } else { 0 };
    score += if by_text { 15 } else { 0 };
    score += if sole && token_score >= LONG_TOKEN_SCORE { 20 } else { 0 };
    score += if topic.is_account { 12 } else { -25 };
    score += if words::any(&page.lines[0].to_lowercase(), KeywordTable::Action) { 8 } else { 0 };
    score -= if topic.is_trade { 25 } else { 0 };
    score -= if topic.is_notice { 40 } else { 0 };
    if by_label || by_url || by_text || sole { score } else { 0 }
}

/// Returns whether the link is made for one person and isn't excluded.
fn is_personal(link: &PageLink) -> bool {
    !has_other_purpose(link) && token_score(&link.url).is_some_and(|token_score| token_score >= LONG_TOKEN_SCORE)
}

/// Returns whether the link leads to help, terms, app stores, images or similar.
fn has_other_purpose(link: &PageLink) -> bool {
    let url = link.url.to_lowercase();
    let label = link.label.to_lowercase();
    let file = url.split(['?', '#']).next().is_some_and(|path| FILES.iter().any(|file| path.ends_with(file)));
    file || OTHER_PURPOSES.iter().any(|word| url.contains(word) || label.contains(word))
}

/// Returns the path and query of a URL, or `None` if it only has a host.
fn path(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let at = rest.find(['/', '?', '#'])?;
    (rest[at..].len() > 1).then_some(&rest[at..])
}

/// Returns the score of the tokens in a URL that make it personal, or `None` if it has none, as in a login page.
fn token_score(url: &str) -> Option<i32> {
    // Case matters for the detection of random tokens.
    let (route, query) = route_and_query(path(url)?);
    let keyed = pairs(query).any(|(key, value)| is_token_key(key) && value.len() >= 4);
    let values =
        query.split(['&', '?', '#']).filter(|pair| !pair.split_once('=').is_some_and(|(key, _)| is_shared_key(key)));
    let parts = || route.split('/').chain(values.clone()).flat_map(|part| part.split(['/', '=', '.', ':', '~']));
    let long = parts().any(|part| part.len() >= TOKEN_CHARS_MIN && is_random(part));
    let short = parts().any(|part| part.len() >= 5 && is_random(part));
    match (keyed, long, short) {
        (true, _, _) => Some(LONG_TOKEN_SCORE + 2),
        (_, true, _) => Some(LONG_TOKEN_SCORE),
        (_, _, true) => Some(SHORT_TOKEN_SCORE),
        _ => None,
    }
}

/// Returns whether the path has a verification word with a token after it, even a short one: `/confirm/ab12`,
/// `/verify?u=2`.
fn has_small_token(path: &str) -> bool {
    let (route, query) = route_and_query(path);
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let word = PERSONAL_WORDS.iter().find_map(|word| route.find(word).map(|at| at + word.trim_end_matches('/').len()));
    let behind = word.and_then(|end| route[end..].split_once('/')).is_some_and(|(_, rest)| has_digit(rest));
    let login = || VERIFICATION_WORDS.iter().any(|word| route.contains(word));
    behind
        || word.is_some() && pairs(query).any(|(_, value)| has_digit(value))
        || (word.is_some() || login()) && pairs(query).any(|(key, value)| is_token_key(key) && !value.is_empty())
}

fn route_and_query(path: &str) -> (&str, &str) {
    path.find(['?', '#']).map_or((path, ""), |at| (&path[..at], &path[at + 1..]))
}

/// Returns the keys and values of a query, except those that are the same for all recipients.
fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split(['&', '?', '#']).filter_map(|pair| pair.split_once('=')).filter(|(key, _)| !is_shared_key(key))
}

fn is_token_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    TOKEN_KEYS.contains(&key.as_str()) || key.ends_with("token")
}

fn is_shared_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.starts_with("utm_") || SHARED_KEYS.contains(&key.as_str())
}

/// Returns whether a part looks generated: digits and letters mixed, many digits, or capitals inside.
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

/// Returns whether the line of a link, or the text right above it, describes a verification action.
fn action_precedes(page: &VerificationPage<'_>, line: usize) -> bool {
    let from = line.saturating_sub(6).max(1);
    let above = page.lines[from.min(page.lines.len())..line.min(page.lines.len())]
        .iter()
        .rev()
        .filter(|line| !line.trim().is_empty())
        .take(3);
    let own = page.lines.get(line);
    above.chain(own).any(|line| words::any(&line.to_lowercase(), KeywordTable::Action))
}

/// Returns whether the words on the line of the link, or else on the line right above, describe a verification action.
fn action_is_adjacent(page: &VerificationPage<'_>, line: usize) -> bool {
    let lines = page.lines[..page.lines.len().min(line + 1)].iter().rev();
    let mut shown = lines.take(6).map(|line| page::without_urls(&line.to_lowercase())).filter(|line| !line.is_empty());
    shown.next().is_some_and(|line| words::any(&line, KeywordTable::Action))
}

/// Returns whether the words before a link describe another purpose: "To unsubscribe: …", "Need help? …".
fn context_has_other_purpose(page: &VerificationPage<'_>, link: &PageLink) -> bool {
    let line = page.lines.get(link.line).map(|line| line.to_lowercase()).unwrap_or_default();
    let before = line.split("http").next().unwrap_or("");
    let above = || page.lines[..link.line.min(page.lines.len())].iter().rev().find(|line| !line.trim().is_empty());
    // The label of an anchor takes precedence.
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

//! Selects the verification link among the links of a message by what it does: by its URL, its label and the words
//! around it.
//!
//! A link that refuses, reports, cancels or unsubscribes is never selected, nor one that is only for readers who didn't
//! act themselves.

use std::sync::LazyLock;

use super::VerificationReason;
use super::label;
use super::page::{self, PageLink, VerificationPage};
use super::shape::is_unspaced;
use super::words::{self, KeywordTable};
use crate::wordlist::{self, WordTable};

/// Minimum score of a link.
const SCORE_MIN: i32 = 50;
/// Minimum length of a part of a path or query that counts as a long token, in characters.
const TOKEN_CHARS_MIN: usize = 16;
/// Minimum length of a short one.
const SHORT_TOKEN_CHARS_MIN: usize = 5;

/// Score of a URL with a long token.
const LONG_TOKEN_SCORE: i32 = 20;
/// Score of a URL with a short token.
const SHORT_TOKEN_SCORE: i32 = 8;

/// A detected link and its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DetectedLink {
    pub(super) url: String,
    pub(super) score: i32,
    pub(super) reason: VerificationReason,
}

/// The data file of the word tables of URLs.
const WORDS: &str = include_str!("words/links.txt");

/// Parts of URLs of verification links.
static VERIFICATION_URLS: WordTable = LazyLock::new(|| wordlist::table(WORDS, "verification urls"));
/// Parts of URLs that are made for one person even if the rest is short.
static PERSONAL_URLS: WordTable = LazyLock::new(|| wordlist::table(WORDS, "personal urls"));
/// Hosts of pages for everybody.
static AWAY_HOSTS: WordTable = LazyLock::new(|| wordlist::table(WORDS, "away hosts"));
/// Words in paths and query values of links that refuse, report, cancel or unsubscribe, and of pages for everybody.
static AWAY_PATHS: WordTable = LazyLock::new(|| wordlist::table(WORDS, "away paths"));
/// Query keys that usually contain a token.
static TOKEN_KEYS: WordTable = LazyLock::new(|| wordlist::table(WORDS, "token keys"));
/// Query keys that are the same for all recipients.
static SHARED_KEYS: WordTable = LazyLock::new(|| wordlist::table(WORDS, "shared keys"));
/// Labels below a country under which a registrar gives out names.
static ZONES: WordTable = LazyLock::new(|| wordlist::table(WORDS, "zones"));
/// File extensions of embedded resources.
static FILES: WordTable = LazyLock::new(|| wordlist::table(WORDS, "files"));

/// Returns the link with the highest score on a page of a mail from this sender.
pub(super) fn find(page: &VerificationPage<'_>, from: &str) -> Option<DetectedLink> {
    // The topic reads all lines, which is most of the work, and most links are excluded without it.
    let candidates: Vec<LinkCandidate<'_>> =
        page.links.iter().filter_map(|link| LinkCandidate::of(link, from)).collect();
    let is_unlikely = || page.is_long() && !candidates.iter().any(|link| may_be_of_long_mail(page, link));
    if candidates.is_empty() || is_unlikely() || page.topic().is_meeting {
        return None;
    }
    let topic = page.topic();
    let mut best: Option<DetectedLink> = None;
    // If a message about an account has exactly one personal link, that link is its purpose.
    let mut personal = candidates.iter().filter(|link| link.token_score >= Some(LONG_TOKEN_SCORE));
    let first = personal.next();
    let sole = topic.is_account
        && !topic.is_trade
        && first.is_none_or(|first| personal.all(|other| other.link.url == first.link.url));
    let question = !topic.is_trade && !page.is_apart() && label::is_question(page);
    for candidate in &candidates {
        let Some((score, reason)) = score(page, candidate, sole, question) else { continue };
        if score >= SCORE_MIN && best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(DetectedLink { url: candidate.link.url.clone(), score, reason });
        }
    }
    best
}

/// A link that may be the verification link, as far as its URL and label say.
struct LinkCandidate<'p> {
    link: &'p PageLink,
    /// Its URL in lower case.
    url: String,
    /// The score of the tokens in its URL. Without any, it needs a small token and words that ask for an action.
    token_score: Option<i32>,
}

impl<'p> LinkCandidate<'p> {
    fn of(link: &'p PageLink, from: &str) -> Option<Self> {
        let token_score = token_score(&link.url);
        let url = link.url.to_lowercase();
        let is_possible = token_score.is_some() || has_small_token(path(&url).unwrap_or(""));
        (is_possible && !has_other_purpose(link, &url, from)).then_some(Self { link, url, token_score })
    }
}

/// Returns whether a link of a long mail about something else can be the verification link. That takes less work than
/// its score.
fn may_be_of_long_mail(page: &VerificationPage<'_>, candidate: &LinkCandidate<'_>) -> bool {
    let label = label::of(page, candidate.link);
    let path = path(&candidate.url).unwrap_or("");
    label::is_of_account(&label) || label::agrees(&label) || PERSONAL_URLS.iter().any(|word| path.contains(word))
}

/// Returns the score of a link and the clearest reason for it, or `None` if it can't be the verification link.
///
/// `sole` states that it is the only personal link of a mail about an account, `question` that the mail asks a question
/// that one of its links refuses.
fn score(
    page: &VerificationPage<'_>,
    candidate: &LinkCandidate<'_>,
    sole: bool,
    question: bool,
) -> Option<(i32, VerificationReason)> {
    let topic = page.topic();
    let link = candidate.link;
    let label = label::of(page, link);
    let path = path(&candidate.url).unwrap_or("");
    let label_is_url = label.contains("://");
    // "Verify your new device" asks for an action, and "Yes, sign me up" answers "Confirm your subscription".
    let is_asked = words::any(&page.lines[0].to_lowercase(), KeywordTable::Action);
    let is_answer = !label_is_url && (question && label::approves(&label) || is_asked && label::agrees(&label));
    // What a mail to many, or one of a conversation, links to is often behind a login.
    let is_apart = page.is_apart();
    let by_label = is_answer || !label_is_url && label::acts(&label) && (!is_apart || label::is_of_account(&label));
    // Advertising has such labels too: there must be a reason besides, such as a personal URL of an invitation.
    let is_invited = path.contains("/invit") && candidate.token_score >= Some(LONG_TOKEN_SCORE) && !topic.is_trade;
    if by_label && !is_answer && !is_invited && label::is_offer(&label) && !is_about_sign_in(page, link) {
        return None;
    }
    let is_requested = by_label || action_is_adjacent(page, link.line);
    let token_score = candidate.token_score.or_else(|| is_requested.then_some(SHORT_TOKEN_SCORE))?;
    let by_url = (by_label || !is_apart) && VERIFICATION_URLS.iter().any(|word| path.contains(word))
        || is_requested && PERSONAL_URLS.iter().any(|word| path.contains(word));
    // The footer of mail that is sent to many mentions accounts.
    let is_account = topic.is_account && (!topic.is_bulk || is_account_asked(page) || account_precedes(page, link))
        || by_label && label::acts_on_account(&label) && !label::is_offer(&label)
        || !topic.is_bulk && !label_is_url && label::joins(&label);
    let by_text = (is_account || !topic.is_bulk) && !is_apart && action_precedes(page, link.line);
    let is_notice = topic.is_notice && !is_asked && follows_notice(page, link.line);
    let sole = sole
        && is_account
        && (by_label || by_text || topic.is_subject)
        && !is_notice
        && token_score >= LONG_TOKEN_SCORE
        && (by_label || link.label.is_empty() && follows_sentence(page, link));
    if is_for_others(page, link) || is_notice && !is_answer {
        return None;
    }
    let mut score = token_score;
    score += if by_label { 25 } else { 0 };
    score += if by_url { 20 } else { 0 };
    score += if by_text { 15 } else { 0 };
    score += if sole { 20 } else { 0 };
    score += match is_account || is_answer {
        true => 12,
        false if by_label && by_url => 0,
        false => -25,
    };
    score += if is_asked { 8 } else { 0 };
    score -= if topic.is_trade { 25 } else { 0 };
    let is_other_offer = || !by_label && words::any(&label, KeywordTable::Offer) && !is_about_sign_in(page, link);
    if score >= SCORE_MIN && !is_answer && !label_is_url && (is_offered(page, link, &label) || is_other_offer()) {
        return None;
    }
    let reasons = [
        (is_answer, VerificationReason::LinkAnswer),
        (by_label, VerificationReason::LinkLabel),
        (by_url, VerificationReason::LinkUrl),
        (by_text || sole, VerificationReason::LinkText),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| (score, reason))
}

/// Returns whether a link activates an offer rather than an account: neither its label, nor the subject, nor the text above
/// names an account, or the label names what advertising offers.
fn is_offered(page: &VerificationPage<'_>, link: &PageLink, label: &str) -> bool {
    label::activates_something(label)
        && (label::advertises(label)
            || label::advertises(&page.lines[0].to_lowercase()) && !is_account_asked(page)
            || !account_precedes(page, link))
}

/// Returns whether the link refuses, reports, cancels or unsubscribes, leads to help, terms, app stores or images, or
/// has a label that names another host. `url` is its URL in lower case. The pages of a network are no footer in its own
/// mail.
fn has_other_purpose(link: &PageLink, url: &str, from: &str) -> bool {
    let label = link.label.to_lowercase();
    let file = url.split(['?', '#']).next().is_some_and(|path| FILES.iter().any(|file| path.ends_with(file)));
    let (route, query) = route_and_query(path(url).unwrap_or(""));
    let values = query.split(['&', '?', '#']).map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
    let is_below = |host: &str, away: &str| {
        host.strip_suffix(away).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            || away.ends_with('.') && host.starts_with(away)
    };
    let is_away = host(url).is_some_and(|host| AWAY_HOSTS.iter().any(|away| is_below(host, away)));
    file || is_away && !is_of_author(url, from)
        || std::iter::once(route).chain(values).any(has_away_word)
        || words::any(&label, KeywordTable::Away)
        || label::refuses(&label)
        || host(&label).is_some_and(|shown| host(url).is_none_or(|host| !is_same_site(shown, host)))
}

/// Returns whether a part of a URL has a word of [`AWAY_PATHS`].
fn has_away_word(part: &str) -> bool {
    /// Minimum length of a word that also counts at the start of a longer one.
    const STEM_CHARS_MIN: usize = 5;
    let mut words = part.split(|c: char| !c.is_ascii_alphanumeric());
    // A long part is a token, even if it happens to begin with a word.
    words.any(|word| {
        let is_short = word.len() < TOKEN_CHARS_MIN + 4;
        let is_away =
            |away: &&str| *away == word || is_short && away.len() >= STEM_CHARS_MIN && word.starts_with(*away);
        // Comparing a byte first is cheaper than comparing strings.
        AWAY_PATHS.iter().filter(|away| away.as_bytes().first() == word.as_bytes().first()).any(is_away)
    })
}

/// Returns the host of a URL in lower case, without user name and port.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#', '\\', ' ']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next().filter(|host| host.contains('.'))
}

/// Returns whether a link belongs to the domain of the author: the address or header form of the sender.
#[must_use]
pub fn is_of_author(url: &str, from: &str) -> bool {
    let url = url.to_lowercase();
    let author = from.rsplit_once('@').map(|(_, domain)| domain.trim_end_matches([' ', '>', '\t']).to_lowercase());
    match (host(&url), author) {
        (Some(host), Some(author)) => is_same_site(host, &author),
        _ => false,
    }
}

/// Returns whether two domains share the part that a registrar gives out: the last two labels, or three in zones such
/// as `co.uk`.
fn is_same_site(one: &str, other: &str) -> bool {
    fn site(domain: &str) -> &str {
        let dots: Vec<usize> = domain.rmatch_indices('.').map(|(at, _)| at).collect();
        let after = |dot: usize| dots.get(dot).map_or(0, |at| at + 1);
        let second = &domain[after(1)..];
        let is_zone = ZONES.iter().any(|zone| second.split_once('.').is_some_and(|(label, _)| label == *zone));
        &domain[after(if is_zone { 2 } else { 1 })..]
    }
    site(one.trim_end_matches('.')) == site(other.trim_end_matches('.'))
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
    if pairs(query).any(|(key, value)| value.len() >= 4 && is_token_key(key)) {
        return Some(LONG_TOKEN_SCORE + 2);
    }
    let values =
        query.split(['&', '?', '#']).filter(|pair| !pair.split_once('=').is_some_and(|(key, _)| is_shared_key(key)));
    let parts = std::iter::once(route).chain(values).flat_map(|part| part.split(['/', '=', '.', ':', '~']));
    let mut score = None;
    for part in parts.filter(|part| part.len() >= SHORT_TOKEN_CHARS_MIN && is_random(part)) {
        if part.len() >= TOKEN_CHARS_MIN {
            return Some(LONG_TOKEN_SCORE);
        }
        score = Some(SHORT_TOKEN_SCORE);
    }
    score
}

/// Returns whether the path has a verification word with a token after it, even a short one: `/confirm/ab12`,
/// `/verify?u=2`.
fn has_small_token(path: &str) -> bool {
    let (route, query) = route_and_query(path);
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let word = PERSONAL_URLS.iter().find_map(|word| route.find(word).map(|at| at + word.trim_end_matches('/').len()));
    let behind = word.and_then(|end| route[end..].split_once('/')).is_some_and(|(_, rest)| has_digit(rest));
    let login = || VERIFICATION_URLS.iter().any(|word| route.contains(word));
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
    key.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("utm_"))
        || SHARED_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key))
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

/// Returns whether a link is alone on its line, below a sentence.
fn follows_sentence(page: &VerificationPage<'_>, link: &PageLink) -> bool {
    /// Minimum length of a sentence in characters; scripts without spaces are more compact.
    const SENTENCE_CHARS_MIN: usize = 28;
    let is_alone = page.lines.get(link.line).is_some_and(|line| page::without_urls(line).is_empty());
    let above = page.lines[1..link.line.clamp(1, page.lines.len())].iter().rev();
    let paragraph = above.skip_while(|line| line.trim().is_empty()).take_while(|line| !line.trim().is_empty());
    let (chars, compact) = paragraph.take(2).fold((0, false), |(chars, compact), line| {
        (chars + line.chars().count(), compact || line.chars().any(is_unspaced))
    });
    is_alone && chars >= if compact { SENTENCE_CHARS_MIN / 2 } else { SENTENCE_CHARS_MIN }
}

/// Returns whether a line above a link, or its own line, reports an event. "Otherwise nothing will be changed" below a
/// link doesn't make the mail a notice.
fn follows_notice(page: &VerificationPage<'_>, line: usize) -> bool {
    (0..page.lines.len().min(line + 1)).any(|at| page.tables(at).contains(&KeywordTable::Notice))
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

/// Returns whether the subject asks for an action that mail about events doesn't ask for.
fn is_account_asked(page: &VerificationPage<'_>) -> bool {
    let subject = page.lines[0].to_lowercase();
    words::any(&subject, KeywordTable::Action) && !words::any(&subject, KeywordTable::Event)
}

/// Returns whether the subject, or the text above a link that isn't a label itself, is about an account: the words for
/// the action alone, such as "confirm", aren't.
fn account_precedes(page: &VerificationPage<'_>, link: &PageLink) -> bool {
    /// Maximum number of lines above the link.
    const LINES_MAX: usize = 24;
    let is_label = |at: usize| page.links.iter().any(|other| other.line == at && !other.label.is_empty());
    let above = (1..link.line.min(page.lines.len())).rev().take(LINES_MAX).filter(|at| !is_label(*at));
    std::iter::once(0).chain(above).any(|at| {
        let is_possible = |table: &KeywordTable| {
            matches!(table, KeywordTable::Account | KeywordTable::Strong | KeywordTable::Password)
        };
        page.tables(at).iter().any(is_possible) && label::names_account(&page.lines[at].to_lowercase())
    }) || label::names_account(&label::text_before(page, link))
}

/// Returns whether the subject of the mail, or the text above a link that isn't a label itself, describes a verification
/// action. In mail that is sent to many, only the subject counts.
fn is_about_sign_in(page: &VerificationPage<'_>, link: &PageLink) -> bool {
    /// Maximum number of lines above the link.
    const LINES_MAX: usize = 6;
    let acts = |text: &str| words::any(text, KeywordTable::Action);
    if acts(&page.lines[0].to_lowercase()) {
        return true;
    }
    let is_label = |at: &usize| page.links.iter().any(|other| other.line == *at && !other.label.is_empty());
    let above = (1..link.line.min(page.lines.len())).rev().take(LINES_MAX).filter(|at| !is_label(at));
    !page.topic().is_bulk
        && (acts(&label::text_before(page, link))
            || above.map(|at| page.lines[at].to_lowercase()).any(|line| acts(&line)))
}

/// Returns whether the words on the line of the link, or else on the line right above, describe a verification action.
fn action_is_adjacent(page: &VerificationPage<'_>, line: usize) -> bool {
    let lines = page.lines[..page.lines.len().min(line + 1)].iter().rev();
    let mut shown = lines.take(6).map(|line| page::without_urls(&line.to_lowercase())).filter(|line| !line.is_empty());
    shown.next().is_some_and(|line| words::any(&line, KeywordTable::Action))
}

/// Returns whether the words before a link make it one for readers who did not act, or who want to leave: "To
/// unsubscribe: …", "Not you? …".
fn is_for_others(page: &VerificationPage<'_>, link: &PageLink) -> bool {
    let before = label::text_before(page, link);
    let last = last_clause(&before);
    let denies = words::any(last, KeywordTable::Denial) && !last.trim_end().ends_with(['.', '!', '。', '！', '।']);
    let leaves = || words::any(last, KeywordTable::Away) || label::refuses(last);
    denies || link.label.is_empty() && leaves()
}

/// Returns the last sentence of a text, with a question in front of it: "Not you? Reset it".
fn last_clause(text: &str) -> &str {
    let open = text.trim_end().trim_end_matches(['.', '!', '。', '！', '।']);
    open.rmatch_indices(['.', '!', '。', '！', '।'])
        .find(|(at, dot)| dot.len() > 1 || open[at + dot.len()..].starts_with(' '))
        .map_or(text, |(at, dot)| &text[at + dot.len()..])
}

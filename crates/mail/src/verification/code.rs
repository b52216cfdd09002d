//! Selects the verification code among the candidates of a message by their layout, their form and the words around
//! them.
//!
//! Each candidate collects points: for its place (alone on a line, emphasized, after a colon), for the words in its
//! sentence or on the lines around it, and for its form. Words that make it something else rule it out. In a language
//! without word tables, a token that the layout shows alone is a code.

use std::cell::OnceCell;

use super::VerificationReason;
use super::cue::CodeCue;
use super::near::{self, NearPoints};
use super::page::{self, VerificationPage};
use super::plain;
use super::row;
use super::sentence::{self, CodeName, CodeSentence, SentenceStart};
use super::shape::{self, CodeCandidate, CodeForm};
use super::words::{self, KeywordTable};

/// Maximum number of candidates of a page that are examined. Codes are near the top.
const CANDIDATES_MAX: usize = 200;
/// Minimum number of different tokens of one length, each alone on its line, that are a list.
const LIST_LENGTH_MIN: usize = 3;
/// The score of a code that its mail binds to a host.
const ORIGIN_BOUND_SCORE: i32 = 90;
/// Minimum number of points of a code.
const POINTS_MIN: i32 = 5;

/// Maximum number of digits of a code that only its place shows.
const MAX_UNNAMED_DIGITS: usize = 9;

/// Maximum number of letters of an acronym such as "SMTP".
const ACRONYM_CHARS_MAX: usize = 5;

/// Points of a candidate that its sentence names, so that it wins over numbers of the same sentence.
const NAMED_POINTS: i32 = 2;

/// A detected code and its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DetectedCode {
    pub(super) code: String,
    pub(super) score: i32,
    /// Whether another candidate has as many points.
    pub(super) is_ambiguous: bool,
    pub(super) reason: VerificationReason,
}

/// A candidate and its line.
struct PlacedCandidate {
    line: usize,
    candidate: CodeCandidate,
    /// Computed on first use, because most candidates are ruled out without it.
    sentence: OnceCell<CodeSentence>,
}

impl PlacedCandidate {
    fn new(line: usize, candidate: CodeCandidate) -> Self {
        Self { line, candidate, sentence: OnceCell::new() }
    }

    /// Returns the sentence around the candidate.
    fn sentence(&self, page: &VerificationPage<'_>) -> &CodeSentence {
        self.sentence.get_or_init(|| sentence::around(page, self.line, &self.candidate))
    }

    /// Returns whether the layout shows it: alone on a line of the text, or emphasized.
    fn is_shown(&self) -> bool {
        self.candidate.alone && self.line > 0 || self.candidate.bold
    }

    /// Returns whether its own sentence names a code for signing in.
    fn is_announced(&self, page: &VerificationPage<'_>) -> bool {
        let sentence = self.sentence(page);
        sentence_cue(sentence, &self.candidate) == CodeCue::SignIn && !sentence.is_other()
    }
}

/// Returns the code with the most points on a page.
pub(super) fn find(page: &VerificationPage<'_>) -> Option<DetectedCode> {
    if let Some(code) = origin_bound(page) {
        let reason = VerificationReason::CodeBound;
        return Some(DetectedCode { code, score: ORIGIN_BOUND_SCORE, is_ambiguous: false, reason });
    }
    let mut candidates = candidates(page);
    let postal: Vec<String> = candidates.iter().filter(|placed| is_postal(page, placed)).map(code_of).collect();
    candidates.retain(|placed| !postal.contains(&placed.candidate.code));
    let mut best: Option<(i32, &PlacedCandidate)> = None;
    let mut is_ambiguous = false;
    for placed in &candidates {
        let points = points(page, placed, &candidates);
        let most = best.map_or(POINTS_MIN - 1, |(most, _)| most);
        if points > most {
            (best, is_ambiguous) = (Some((points, placed)), false);
        } else if points == most {
            is_ambiguous |= best.is_some_and(|(_, best)| best.candidate.code != placed.candidate.code);
        }
    }
    let (points, placed) = best.filter(|_| !page.topic().is_meeting)?;
    is_ambiguous |= candidates
        .iter()
        .any(|other| are_both_named(page, placed, other) && self::points(page, other, &candidates) >= POINTS_MIN);
    let is_named = sentence_cue(placed.sentence(page), &placed.candidate) >= CodeCue::Code;
    let reason = if is_named { VerificationReason::CodeNamed } else { VerificationReason::CodeShown };
    Some(DetectedCode { code: placed.candidate.code.clone(), score: 20 + 5 * points, is_ambiguous, reason })
}

/// Returns the code of a line such as `@example.com #747723`, which binds it to a host, so that only its pages can fill
/// it in (Origin-bound one-time codes, WICG).
fn origin_bound(page: &VerificationPage<'_>) -> Option<String> {
    let begins_otherwise = |line: &str| line.as_bytes().first().is_none_or(u8::is_ascii_alphanumeric);
    page.lines.iter().rev().filter(|line| !begins_otherwise(line)).find_map(|line| {
        let (host, rest) = line.trim().strip_prefix('@')?.split_once(" #")?;
        let code = rest.split(' ').next()?;
        let is_host =
            host.contains('.') && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let is_code = (shape::CODE_CHARS_MIN..=shape::CODE_CHARS_MAX).contains(&code.len())
            && code.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && code.bytes().any(|byte| byte.is_ascii_digit());
        let is_last = rest[code.len()..].is_empty() || rest[code.len()..].starts_with(" %");
        (is_host && is_code && is_last).then(|| code.to_owned())
    })
}

fn candidates(page: &VerificationPage<'_>) -> Vec<PlacedCandidate> {
    let mut all = Vec::new();
    for line in (0..page.lines.len()).filter(|line| shape::may_hold_code(&page.lines[*line], || page.plain(*line))) {
        for mut candidate in shape::candidates(page.plain(line)) {
            candidate.bold |= page.emphasizes(line, &candidate.code);
            candidate.alone &= !page.is_continued(line);
            all.push(PlacedCandidate::new(line, candidate));
        }
        all.extend(grouped(page, line));
        if all.len() >= CANDIDATES_MAX {
            break;
        }
    }
    all
}

/// Returns the candidate whose groups of two or three digits are alone on this line and on the next ones that show a
/// letter or digit.
fn grouped(page: &VerificationPage<'_>, line: usize) -> Option<PlacedCandidate> {
    const DIGITS: std::ops::RangeInclusive<usize> = 6..=8;
    let is_shown = |at: &usize| page.lines[*at].contains(char::is_alphanumeric);
    let group = |at: usize| {
        let text = page::shown(&page.lines[at]);
        ((2..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
    };
    let first = group(line)?;
    let like_first = |at: usize| group(at).filter(|text| text.len() == first.len());
    // More such lines are a list.
    if (1..line).rev().find(is_shown).and_then(like_first).is_some() {
        return None;
    }
    let groups = (line..page.lines.len()).filter(is_shown).map_while(like_first);
    let code: String = groups.take(1 + DIGITS.end() / first.len()).collect();
    let (from, to) = (0, first.len());
    // Sizes, prices and ages have two digits.
    let kind = if first.len() > 2 { CodeForm::Digits } else { CodeForm::Loose };
    let is_code = DIGITS.contains(&code.len());
    let candidate = CodeCandidate { code, from, to, kind, alone: true, bold: false, hashed: false };
    is_code.then(|| PlacedCandidate::new(line, candidate))
}

fn code_of(placed: &PlacedCandidate) -> String {
    placed.candidate.code.clone()
}

/// Returns whether a candidate is a postal code of India, the only ones that are called PIN: six digits behind a place,
/// or in mail that isn't about an account.
fn is_postal(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    const DIGITS: usize = 6;
    let code = &placed.candidate.code;
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    if placed.candidate.kind != CodeForm::Digits || digits != DIGITS || code.starts_with(['0', '9']) {
        return false;
    }
    let sentence = placed.sentence(page);
    sentence
        .before_pin()
        .is_some_and(|before| before.ends_with([',', ';', '-']) || before.is_empty() && !page.topic().is_account)
}

/// Returns whether its form, its sentence or the label above show that a candidate is something else.
fn is_something_else(page: &VerificationPage<'_>, placed: &PlacedCandidate, all: &[PlacedCandidate]) -> bool {
    let candidate = &placed.candidate;
    let is_word = candidate.kind == CodeForm::Letters && !(candidate.bold || is_below_blank(page, placed.line));
    if is_word || is_listed(placed, all) {
        return true;
    }
    let sentence = placed.sentence(page);
    candidate.hashed && !(sentence.names_before() || sentence.is_bare())
        || sentence.is_other()
        || is_pin_of_number(page, placed)
        || sentence.names_before() && is_item(page, placed, all)
        || candidate.alone && label_above(page, placed).is_some_and(names_other)
        || is_of_thing(page, placed)
}

/// Returns whether a candidate is the code of a thing in a table, or that of a payment.
fn is_of_thing(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    let label = match placed.candidate.alone {
        true => label_above(page, placed),
        false => placed.sentence(page).label().map(str::to_owned),
    };
    label.is_some_and(|label| {
        row::is_code_of_thing(page, placed.line, &label) || row::is_code_of_payment(page, placed.line, &label)
    })
}

/// Returns whether initials are in front of a number, as in numbers of payments.
fn has_initials(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    let candidate = &placed.candidate;
    let is_longer = candidate.kind == CodeForm::Digits && candidate.to - candidate.from > candidate.code.len();
    // One letter is the initial of a service: "W-482913".
    let letters = || page.plain(placed.line)[candidate.from..].iter().take_while(|c| c.is_alphabetic()).count();
    is_longer && letters() > 1
}

/// Returns whether two different candidates both have a name or a line of their own, as for two channels: "Email code: 482913,
/// SMS code: 111117".
fn are_both_named(page: &VerificationPage<'_>, one: &PlacedCandidate, other: &PlacedCandidate) -> bool {
    let is_named = |placed: &PlacedCandidate| {
        let sentence = placed.sentence(page);
        let is_labeled = || sentence.follows_colon() && sentence_cue(sentence, &placed.candidate) >= CodeCue::Code;
        placed.candidate.alone || sentence.names_before() || is_labeled()
    };
    one.candidate.code != other.candidate.code
        && one.candidate.kind == other.candidate.kind
        && one.candidate.code.len() == other.candidate.code.len()
        && is_named(one)
        && is_named(other)
}

/// Returns whether a candidate is the PIN of the booking or card whose number is on the line above.
fn is_pin_of_number(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    let is_number = |table: &KeywordTable| matches!(table, KeywordTable::Counted | KeywordTable::Trade);
    let above = || (1..placed.line).rev().find(|at| !plain::is_blank(&page.lines[*at]));
    placed.sentence(page).before_pin().is_some_and(str::is_empty)
        && above().is_some_and(|at| {
            let has_digit = page.lines[at].bytes().any(|byte| byte.is_ascii_digit());
            has_digit && page.tables(at).iter().any(is_number)
        })
}

/// Returns whether a candidate is an item of a list with the same words in front of each number.
fn is_item(page: &VerificationPage<'_>, placed: &PlacedCandidate, all: &[PlacedCandidate]) -> bool {
    let is_peer = |other: &&PlacedCandidate| {
        other.candidate.kind == placed.candidate.kind && placed.sentence(page).has_same_label(other.sentence(page))
    };
    let mut codes: Vec<&str> = all.iter().filter(is_peer).map(|other| other.candidate.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.len() >= LIST_LENGTH_MIN
}

/// Returns whether the topic of a mail makes it unlikely that a candidate with this cue is for signing in.
fn is_doubtful(page: &VerificationPage<'_>, placed: &PlacedCandidate, all: &[PlacedCandidate], cue: CodeCue) -> bool {
    let (topic, candidate, sentence) = (page.topic(), &placed.candidate, placed.sentence(page));
    let is_labeled = || candidate.alone && label_above(page, placed).is_some_and(|label| ends_with_code_name(&label));
    // A notice neither instructs to enter a number nor labels one as a code.
    let is_stated = || {
        sentence.follows_verb()
            || sentence.follows_colon() && name(sentence, candidate).is_some()
            || sentence.names_before()
            || is_labeled()
    };
    // "Use 482913 to confirm your address and see your booking."
    let is_purpose = || sentence.follows_verb() && sentence.has(&[KeywordTable::Account]);
    let is_other = topic.is_trade && !is_purpose() || topic.is_notice && !is_stated();
    // Numbers of bookings have letters.
    let is_booking = topic.is_trade && candidate.kind != CodeForm::Digits;
    // "Your parcel has arrived. Code: 8820." Another number of the line may be that of an order.
    let is_only = || {
        let is_other = |other: &&PlacedCandidate| other.line == placed.line && other.candidate.code != candidate.code;
        !all.iter().filter(is_other).any(|other| other.candidate.is_random())
    };
    let is_traded = cue == CodeCue::Code
        && !sentence.has(&[KeywordTable::Account, KeywordTable::Action])
        && page.tables(placed.line).iter().any(|table| matches!(table, KeywordTable::Trade | KeywordTable::Other))
        && is_only();
    let is_booked = is_booking && !sentence.has(&[KeywordTable::Strong]) && !is_purpose();
    is_other && cue < CodeCue::SignIn || is_traded || is_booked
}

/// Returns false if neither the words around a candidate nor its place can show that it is a code. That takes less work
/// than its sentence, and decides for most numbers of ordinary mail.
fn may_have_points(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    let near = near::words_around(page, placed.line);
    // Of a long mail about something else, only a sentence that names a code counts.
    if page.is_long() {
        return near.has_name;
    }
    if near.has_name || near.has_account && near.has_verb || is_means(page, placed) {
        return true;
    }
    let is_shown = placed.is_shown();
    let is_marked = || sentence::is_marked(page.plain(placed.line), placed.candidate.from);
    // "Sign in: 482913 (10 minutes)".
    if near.has_account && is_marked() {
        return true;
    }
    let topic = || page.topic();
    let is_clear = is_shown || placed.candidate.is_random() && is_marked();
    !page.is_conversation && is_clear && (!topic().is_known || is_shown && (topic().is_account || topic().is_code))
}

/// Returns the points of a candidate, or 0 if it is something else.
fn points(page: &VerificationPage<'_>, placed: &PlacedCandidate, all: &[PlacedCandidate]) -> i32 {
    if !may_have_points(page, placed) || is_something_else(page, placed, all) {
        return 0;
    }
    let candidate = &placed.candidate;
    let sentence = placed.sentence(page);
    let shown = placed.is_shown();
    let inline = sentence_cue(sentence, candidate);
    let is_typed = is_typed_letters(page, placed);
    let is_request =
        titles_sign_in(page, placed) || is_typed || is_means(page, placed) && is_about_sign_in(page, sentence);
    let inline = if is_request { inline.max(CodeCue::Requested) } else { inline };
    // Neither the lines around nor the topic count there.
    if page.is_conversation && inline < CodeCue::SignIn {
        return 0;
    }
    let near = near(page, placed, all, inline);
    // "We noticed a sign-in attempt. If it was you, enter 482913."
    let is_asked = near.cue == CodeCue::Account && is_instructed(sentence, candidate, inline);
    let inline = if is_asked { inline.max(CodeCue::Requested) } else { inline };
    let cue = inline.max(near.cue);
    if (candidate.hashed || has_initials(page, placed)) && cue < CodeCue::SignIn {
        return 0;
    }
    let sole = || {
        all.iter()
            .filter(|other| other.candidate.alone && other.candidate.is_random())
            .all(|other| other.candidate.code == candidate.code)
    };
    let clear = shown || sentence.follows_colon() && sentence.begins_or_ends();
    // The topic reads all lines, so it comes after what the nearest lines decide.
    if cue == CodeCue::None && !(shown || clear && candidate.is_random()) {
        return 0;
    }
    let topic = page.topic();
    if (page.is_apart() || topic.is_general && cue < CodeCue::Code) && inline < CodeCue::SignIn {
        return 0;
    }
    let only = || all.iter().all(|other| !other.candidate.is_random() || other.candidate.code == candidate.code);
    let unknown = cue == CodeCue::None && clear && candidate.is_random() && !topic.is_known && only();
    let by_page = shown && (topic.is_account || topic.is_code) && sole() || topic.is_account && cue >= CodeCue::Code;
    let is_hidden = cue == CodeCue::None && !unknown && !(by_page && shown);
    if is_hidden || is_doubtful(page, placed, all, cue) {
        return 0;
    }
    // A word for any kind of code names a code for the reader only with a verb or with words about an account.
    let is_named = name(sentence, candidate).is_some();
    let points = inline.points().max(near.points)
        + location_points(candidate, sentence, shown)
        + form_points(candidate, cue, is_typed || clear_form(candidate, sentence, shown, inline))
        + i32::from(by_page)
        + if unknown { 3 } else { 0 }
        + if is_named && cue >= CodeCue::Requested || is_typed { NAMED_POINTS } else { 0 }
        + i32::from(is_repeated(placed, all));
    if points >= POINTS_MIN && is_named_for_thing(page, placed) { 0 } else { points }
}

/// Returns whether the sentence of a candidate, or else the label above, names the code of a thing.
fn is_named_for_thing(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    let sentence = placed.sentence(page);
    match sentence.is_bare().then(|| label_above(page, placed)) {
        Some(label) => label.is_some_and(|label| row::is_named_for_thing(page, placed.line, &label)),
        None => row::is_named_for_thing(page, placed.line, sentence.text_before()),
    }
}

/// Returns whether a sentence without a name for the candidate asks to enter it: "Use 482913 within ten minutes. This is
/// your sign-in code."
fn is_instructed(sentence: &CodeSentence, candidate: &CodeCandidate, inline: CodeCue) -> bool {
    inline < CodeCue::Code && sentence.follows_verb() && candidate.kind == CodeForm::Digits
}

/// Returns whether a sentence begins with a candidate as the means of what it asks for, "Mit 482913 melden Sie sich an",
/// or says what it is valid for: "482913 is valid for your login".
fn is_means(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    const DIGITS: std::ops::RangeInclusive<usize> = 5..=8;
    let candidate = &placed.candidate;
    match sentence::start(page.plain(placed.line), candidate.from, candidate.to) {
        Some(SentenceStart::Means) => candidate.kind == CodeForm::Digits && DIGITS.contains(&candidate.code.len()),
        Some(SentenceStart::Candidate) => {
            let sentence = || placed.sentence(page);
            candidate.is_random()
                && page.tables(placed.line).contains(&KeywordTable::Validity)
                && sentence().has(&[KeywordTable::Validity])
                && sentence().has(&[KeywordTable::Account, KeywordTable::Action])
        }
        None => false,
    }
}

/// Returns whether a sentence about an account asks to enter capitals that are no word: "Enter XKCDB to sign in". The
/// mail must be about an account or a code.
fn is_typed_letters(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    const LETTERS: std::ops::RangeInclusive<usize> = 5..=8;
    let candidate = &placed.candidate;
    candidate.kind == CodeForm::Capitals
        && LETTERS.contains(&candidate.code.len())
        && !shape::is_acronym(&candidate.code)
        && placed.sentence(page).follows_verb()
        && placed.sentence(page).has(&[KeywordTable::Account, KeywordTable::Action])
        && page.topic().is_subject
        && !page.topic().is_trade
        && (shape::is_no_word(&candidate.code) || page.topic().is_code)
}

/// Returns whether a sentence, or the subject of its mail, is about signing in.
fn is_about_sign_in(page: &VerificationPage<'_>, sentence: &CodeSentence) -> bool {
    sentence.has(&[KeywordTable::Account, KeywordTable::Action]) || !page.is_conversation && page.topic().is_subject
}

/// Returns what the lines around a candidate say, if they may be about it.
fn near(page: &VerificationPage<'_>, placed: &PlacedCandidate, all: &[PlacedCandidate], inline: CodeCue) -> NearPoints {
    let (candidate, sentence) = (&placed.candidate, placed.sentence(page));
    // A label of its own, even an unknown one, says more than the lines around, which announce another candidate.
    let other_is_announced = || {
        all.iter().any(|other| {
            other.candidate.code != candidate.code && other.candidate.is_random() && other.is_announced(page)
        })
    };
    let is_labeled = sentence.follows_colon() && inline < CodeCue::Code;
    let is_bare = placed.line == 0 || sentence.is_bare();
    let is_introduced = is_labeled || is_instructed(sentence, candidate, inline);
    let is_placed = placed.is_shown() || is_introduced;
    if is_bare || is_placed && !(is_introduced && other_is_announced()) {
        near::points(page, placed.line)
    } else {
        NearPoints::default()
    }
}

/// Returns the points of the place of a candidate.
fn location_points(candidate: &CodeCandidate, sentence: &CodeSentence, shown: bool) -> i32 {
    if shown && candidate.alone {
        3
    } else if shown || sentence.follows_colon() {
        2
    } else {
        i32::from(sentence.begins_or_ends() || sentence.states_clause())
    }
}

/// Returns whether the place of a candidate is clear enough for a form that looks like something else. A word and a number
/// need the name of a sign-in code right in front of them: offers are also used "at sign-up".
fn clear_form(candidate: &CodeCandidate, sentence: &CodeSentence, shown: bool, inline: CodeCue) -> bool {
    match candidate.kind {
        CodeForm::Named if !(shown && candidate.alone) => {
            let is_labeled = sentence.name().is_some() || sentence.follows_colon();
            inline == CodeCue::SignIn && sentence.names_sign_in() && is_labeled
        }
        CodeForm::Loose => shown || inline == CodeCue::SignIn || sentence.names_before(),
        CodeForm::Year => {
            let is_stated = sentence.links_name() || inline == CodeCue::SignIn && sentence.begins_with_it();
            let is_owned = sentence.owner_behind() && (sentence.begins_with_it() || sentence.follows_verb());
            let is_requested = inline == CodeCue::SignIn && sentence.is_request() && sentence.names_before();
            shown || sentence.follows_colon() || is_stated || is_owned || is_requested
        }
        CodeForm::Capitals => shown || sentence.follows_colon() || candidate.is_random() && sentence.names_before(),
        CodeForm::Words => candidate.alone || sentence.names_before(),
        CodeForm::Digits if is_long_number(candidate) => inline >= CodeCue::Requested,
        _ => shown || sentence.follows_colon(),
    }
}

/// Returns whether a candidate has more digits without separators than a code that only its place shows.
fn is_long_number(candidate: &CodeCandidate) -> bool {
    let is_grouped = candidate.code.contains('-') || candidate.code.len() < candidate.to - candidate.from;
    candidate.code.len() > MAX_UNNAMED_DIGITS && !is_grouped
}

/// Returns the points of the form of a candidate. Forms that look like words need the clearest place.
fn form_points(candidate: &CodeCandidate, cue: CodeCue, clear: bool) -> i32 {
    const WORD: i32 = -6;
    let sign_in = cue >= CodeCue::Requested;
    let length = candidate.code.chars().filter(|c| *c != '-').count();
    match candidate.kind {
        CodeForm::Digits if length <= 8 => 1,
        // A longer number is usually a telephone number.
        CodeForm::Digits if is_long_number(candidate) && !clear => WORD,
        CodeForm::Loose if clear && cue >= CodeCue::Code => 1,
        CodeForm::Year if clear && cue >= CodeCue::Code => 1,
        CodeForm::Words if clear && cue == CodeCue::SignIn => -1,
        CodeForm::Digits | CodeForm::Mixed | CodeForm::Groups => 0,
        CodeForm::Named | CodeForm::Capitals | CodeForm::Long if clear && sign_in => -1,
        // Acronyms have few letters.
        CodeForm::Capitals if candidate.is_random() && (clear || length > ACRONYM_CHARS_MAX) => -1,
        CodeForm::Capitals if clear && cue >= CodeCue::Code && candidate.code.contains('-') => -1,
        CodeForm::Letters if candidate.alone && cue == CodeCue::SignIn && length >= 6 => -3,
        CodeForm::Year | CodeForm::Named | CodeForm::Loose => WORD,
        CodeForm::Capitals | CodeForm::Long | CodeForm::Letters | CodeForm::Words => WORD,
    }
}

/// Returns the name that the sentence gives to a candidate.
fn name(sentence: &CodeSentence, candidate: &CodeCandidate) -> Option<CodeName> {
    let is_number = matches!(candidate.kind, CodeForm::Digits | CodeForm::Loose | CodeForm::Year);
    sentence.name().filter(|name| is_number || *name != CodeName::Digits && candidate.is_random())
}

/// Returns the cue in the sentence of a candidate.
fn sentence_cue(sentence: &CodeSentence, candidate: &CodeCandidate) -> CodeCue {
    let cue = CodeCue::of(&sentence.tables());
    let name = name(sentence, candidate);
    if let Some(name) = name {
        return cue.max(if name == CodeName::Code { CodeCue::Code } else { CodeCue::SignIn });
    }
    let is_instruction = sentence.follows_verb() && cue == CodeCue::Account && candidate.is_random();
    match cue {
        // "Enter 482913 to sign in".
        CodeCue::Account if is_instruction || sentence.follows_colon() && sentence.is_request() => CodeCue::Requested,
        CodeCue::Account => CodeCue::None,
        cue => cue,
    }
}

/// Returns whether the subject of a short mail consists of the candidate and words about signing in.
fn titles_sign_in(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> bool {
    /// Maximum number of words of such a mail.
    const WORDS_MAX: usize = 60;
    let candidate = &placed.candidate;
    placed.line == 0
        && !candidate.hashed
        && candidate.kind == CodeForm::Digits
        && (6..=8).contains(&candidate.code.len())
        && placed.sentence(page).is_set_apart()
        && page.topic().words <= WORDS_MAX
}

/// Returns whether a line, in lower case, ends with a name of codes.
fn ends_with_code_name(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    words::hits(line).any(|hit| hit.to == line.len() && CodeName::of(hit.table).is_some())
}

/// Returns the nearest non-blank line above a candidate, in lower case.
fn label_above(page: &VerificationPage<'_>, placed: &PlacedCandidate) -> Option<String> {
    let above = page.lines[..placed.line].iter().rev().find(|line| !plain::is_blank(line));
    above.map(|line| {
        let mut lower = String::with_capacity(line.len());
        words::push_lower(&mut lower, line);
        lower
    })
}

/// Returns whether a blank line is above a line.
fn is_below_blank(page: &VerificationPage<'_>, line: usize) -> bool {
    line > 0 && plain::is_blank(&page.lines[line - 1])
}

/// Returns whether a label above a token makes it something else: "Tracking number", "Here is your discount code:".
fn names_other(label: String) -> bool {
    /// Maximum length of a label in characters; longer lines are sentences.
    const LABEL_CHARS_MAX: usize = 48;
    let (mut code, mut counted, mut other) = (false, false, false);
    for hit in words::hits(&label) {
        match hit.table {
            KeywordTable::Code | KeywordTable::Strong => code = true,
            KeywordTable::Counted | KeywordTable::Trade => counted = true,
            KeywordTable::Other | KeywordTable::Speech => other = true,
            _ => {}
        }
    }
    other || counted && !code && label.chars().count() <= LABEL_CHARS_MAX
}

/// Returns whether a candidate is an item of a list, such as backup codes.
fn is_listed(placed: &PlacedCandidate, all: &[PlacedCandidate]) -> bool {
    let code = &placed.candidate.code;
    if !placed.candidate.alone {
        return false;
    }
    // Words of one length, such as labels, aren't items of a list of codes.
    let is_word = |candidate: &CodeCandidate| candidate.kind == CodeForm::Letters;
    let is_peer = |other: &CodeCandidate| {
        other.alone && other.code.len() == code.len() && is_word(other) == is_word(&placed.candidate)
    };
    let peers = all.iter().filter(|other| is_peer(&other.candidate));
    let mut codes: Vec<&str> = peers.map(|other| other.candidate.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.len() >= LIST_LENGTH_MIN
}

/// Returns whether another line shows the same token.
fn is_repeated(placed: &PlacedCandidate, all: &[PlacedCandidate]) -> bool {
    all.iter().any(|other| other.line != placed.line && other.candidate.code == placed.candidate.code)
}

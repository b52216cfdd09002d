//! Puts the scan of a mail together.

use crate::html::{HtmlParts, Stream};
use crate::rules::{self, Match};
use crate::words::{Count, Hit, Words, position};
use crate::{
    Code, Content, FLAGGED_FROM, LocalScreen, Part, Place, REASONS_MAX, Reason, TEXT_BYTES_MAX, VERSION, WINDOW_CHARS,
    decode, disguise, html, links, look_alike, rounded, words,
};

/// Encodings within encodings that are decoded.
const DEPTH_MAX: usize = 3;
/// Weight of an instruction that is disguised, encoded or hidden.
const SECRETIVE: f32 = 0.68;
/// Weight from which a sign counts more in text that is disguised, encoded or hidden.
const STRONG_FROM: f32 = 0.3;
/// Score of a hidden text from which its signs count more.
const SUSPICIOUS_FROM: f32 = 0.5;
/// Reasons of one text.
const TEXT_REASONS_MAX: usize = 64;
/// Attachment names that are scanned.
const NAMES_MAX: usize = 100;
/// Names of recipients and of reply addresses that are scanned.
const OTHER_NAMES_MAX: usize = 2_000;

/// Scans a mail.
#[must_use]
pub fn scan(content: &Content<'_>) -> LocalScreen {
    let mut scan = Scan { complete: true, ..Scan::default() };
    scan.source(content.from_name, Part::From, Place::Visible);
    for name in content.other_names.iter().take(OTHER_NAMES_MAX) {
        scan.source(name, Part::Names, Place::Visible);
    }
    scan.complete &= content.other_names.len() <= OTHER_NAMES_MAX;
    scan.source(content.subject, Part::Subject, Place::Visible);
    if let Some(text) = content.text {
        scan.source(text, Part::Text, Place::Visible);
    }
    if let Some(source) = content.html {
        scan.html(source, content.text.is_some());
    }
    for name in content.attachment_names.iter().take(NAMES_MAX) {
        scan.source(name, Part::Attachment, Place::Attachment);
    }
    let mut found = scan.done();
    if let Some(brand) = look_alike::imitated_brand(content.from_domain) {
        found.add_look_alike(brand);
    }
    found
}

/// Scans the text of a file, and what the file hides from its readers. Offsets count in the text; those of hidden text are 0.
#[must_use]
pub fn scan_file_text(text: &str, hidden: &str) -> LocalScreen {
    let mut scan = Scan { complete: true, ..Scan::default() };
    scan.source(text, Part::File, Place::Attachment);
    scan.source(hidden, Part::File, Place::Hidden);
    scan.hidden_chars += hidden.chars().filter(|c| !c.is_whitespace()).count();
    let of_hidden = scan.reasons.iter_mut().filter(|reason| reason.place == Place::Hidden);
    of_hidden.for_each(|reason| (reason.start, reason.end) = (0, 0));
    scan.done()
}

#[derive(Default)]
struct Scan {
    score: f32,
    reasons: Vec<Reason>,
    hidden_chars: usize,
    complete: bool,
}

/// A text that is scanned, and where it is.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    place: Place,
    /// How it was decoded.
    encoding: Option<&'static str>,
    depth: usize,
}

/// What a text contains, with byte offsets in it.
#[derive(Default)]
struct Findings {
    score: f32,
    all: Vec<Found>,
    /// The concepts of its plain words.
    concepts: u32,
    /// Whether a part was read less thoroughly.
    is_cut: bool,
}

struct Found {
    code: Code,
    weight: f32,
    detail: String,
    start: u32,
    end: u32,
}

impl Findings {
    fn add(&mut self, code: Code, weight: f32, detail: &str, start: u32, end: u32) {
        if self.all.len() < TEXT_REASONS_MAX {
            self.all.push(Found { code, weight, detail: detail.to_owned(), start, end });
        }
    }
}

impl Scan {
    fn source(&mut self, text: &str, part: Part, place: Place) {
        let text = self.bounded(text);
        let findings = scan_text(Source { text, place, encoding: None, depth: 0 });
        self.hidden_chars += if text.is_ascii() { 0 } else { invisible(text) };
        self.add(findings, part, place, text, |at| at);
    }

    fn bounded<'a>(&mut self, text: &'a str) -> &'a str {
        self.complete &= text.len() <= TEXT_BYTES_MAX;
        &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
    }

    fn html(&mut self, source: &str, has_text: bool) {
        let source = self.bounded(source);
        let HtmlParts { visible, hidden, links } = html::read(source);
        self.hidden_chars += hidden.text.chars().filter(|c| !c.is_whitespace()).count();
        self.stream(&hidden, Place::Hidden, source);
        if !has_text || !visible.text.is_empty() {
            self.stream(&visible, Place::Visible, source);
        }
        for link in &links {
            if let Some((named, real)) = links::mismatch(&link.label, &link.target) {
                let detail = format!("{named} leads to {real}");
                let place = Place::Visible;
                let reason = Reason {
                    code: Code::LinkMismatch,
                    weight: 0.1,
                    place,
                    part: Part::Html,
                    detail,
                    start: link.start as usize,
                    end: link.end as usize,
                };
                self.push(reason, source);
                break;
            }
        }
    }

    fn stream(&mut self, stream: &Stream, place: Place, source: &str) {
        let findings = scan_text(Source { text: &stream.text, place, encoding: None, depth: 0 });
        self.add(findings, Part::Html, place, source, |at| stream.source(at));
    }

    fn add(&mut self, findings: Findings, part: Part, place: Place, source: &str, at: impl Fn(u32) -> u32) {
        self.score = self.score.max(findings.score);
        self.complete &= !findings.is_cut;
        for found in findings.all {
            let start = at(found.start) as usize;
            // The last byte rather than the end, which may be in another piece of the source.
            let end = (at(found.end.saturating_sub(1)) as usize + 1).max(start);
            let Found { code, weight, detail, .. } = found;
            self.push(Reason { code, weight, place, part, detail, start, end }, source);
        }
    }

    /// Keeps a reason whose offsets are bytes, unless the same was found in the other body.
    fn push(&mut self, mut reason: Reason, source: &str) {
        let is_known = |known: &Reason| {
            known.code == reason.code
                && known.part != reason.part
                && known.place != Place::Hidden
                && reason.place == Place::Visible
        };
        if self.reasons.iter().any(is_known) || self.reasons.len() >= TEXT_REASONS_MAX {
            return;
        }
        let start = source.floor_char_boundary(reason.start);
        let end = source.ceil_char_boundary(reason.end.min(source.len()));
        reason.start = source[..start].chars().count();
        reason.end = reason.start + source.get(start..end).map_or(0, |text| text.chars().count());
        if reason.place == Place::Visible && reason.part == Part::Text && reason.start > WINDOW_CHARS {
            reason.place = Place::BeyondWindow;
        }
        self.reasons.push(reason);
    }

    fn done(mut self) -> LocalScreen {
        self.reasons.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        self.reasons.truncate(REASONS_MAX);
        self.reasons.iter_mut().for_each(|reason| reason.weight = rounded(reason.weight));
        let score = rounded(self.score.min(1.0));
        LocalScreen {
            score,
            flagged: score >= FLAGGED_FROM,
            reasons: self.reasons,
            hidden_chars: self.hidden_chars,
            complete: self.complete,
            version: VERSION.to_owned(),
        }
    }
}

fn invisible(text: &str) -> usize {
    text.chars().filter(|c| matches!(crate::fold::fold(*c), crate::fold::Folded::Nothing(kind) if kind != crate::fold::Invisible::Mark)).count()
}

fn scan_text(source: Source<'_>) -> Findings {
    let mut findings = Findings::default();
    if source.text.is_empty() {
        return findings;
    }
    let mut words = words::read(source.text);
    findings.concepts = words.plain.iter().fold(0, |all, hit| all | hit.concepts & words::TELLING);
    findings.is_cut = words.is_cut;
    instructions(&source, &mut words.plain, &mut findings);
    ciphers(&source, &words, &mut findings);
    signs(&words, &mut findings);
    if source.depth < DEPTH_MAX {
        payloads(&source, &mut findings);
    }
    findings
}

/// Finds the instructions of a text and of its disguised words.
fn instructions(source: &Source<'_>, hits: &mut [Hit], findings: &mut Findings) {
    let mut matches = rules::find(hits, source.text);
    let is_hidden = source.place == Place::Hidden;
    let is_encoded = source.encoding.is_some();
    // A hidden text, such as a preview line, may be harmless, so that one weak sign doesn't count more in it.
    let is_suspicious = is_encoded || is_hidden && rules::score(&matches).0 >= SUSPICIOUS_FROM;
    for found in &mut matches {
        let is_strong = found.weight >= STRONG_FROM;
        if is_strong && (is_suspicious || found.is_disguised) {
            found.weight = found.weight.max(SECRETIVE);
        }
    }
    let mut turns = Vec::new();
    rules::forged_turns(source.text, &mut turns);
    let (score, range) = rules::score(&matches);
    let turn = turns.iter().map(|turn| turn.weight).fold(0.0, f32::max);
    let turn = if is_hidden || is_encoded { turn.max(SECRETIVE * turn.ceil()) } else { turn };
    findings.score = findings.score.max(1.0 - (1.0 - score) * (1.0 - turn));
    let mut reported: Vec<Match> = matches[range].to_vec();
    reported.extend(turns.into_iter().take(4));
    for found in reported {
        let detail = if found.is_disguised { "disguised" } else { "" };
        findings.add(found.code, found.weight, detail, found.start, found.end);
    }
    if is_hidden && score >= FLAGGED_FROM {
        findings.add(Code::HiddenText, 0.1, "", 0, position(source.text.len()));
    }
    disguised(hits, findings);
}

/// Counts words that are disguised near each other.
fn disguised(hits: &[Hit], findings: &mut Findings) {
    let all: Vec<&Hit> = hits.iter().filter(|hit| hit.is_disguised).collect();
    for (at, first) in all.iter().enumerate() {
        let near = all[at..].iter().take(12).take_while(|hit| hit.at - first.at <= 24);
        let (mut concepts, mut end, mut count) = (0, first.end, 0);
        for hit in near {
            concepts |= hit.concepts & words::TELLING;
            end = end.max(hit.end);
            count += 1;
        }
        if count >= 3 && concepts.count_ones() >= 2 {
            findings.score = findings.score.max(0.65);
            findings.add(Code::DisguisedText, 0.65, "", first.start, end);
            return;
        }
    }
}

/// Bytes around words in a cipher that are read in plain.
const CIPHER_BYTES_MAX: usize = 32 * 1024;
/// The same in a text that was decoded.
const INNER_CIPHER_BYTES_MAX: usize = 4 * 1024;
const CIPHER_CONTEXT: usize = 400;
/// The same around words with digits or signs for letters.
const LEET_CONTEXT: usize = 60;
/// Words between the first and the last of a group.
const GROUP_WORDS: u32 = 24;
/// Words from one with digits or signs for letters to the next.
const LEET_GAP: u32 = 12;

/// Looks for words in ciphers, and reads the text around them in plain.
fn ciphers(source: &Source<'_>, words: &Words, findings: &mut Findings) {
    if source.depth >= DEPTH_MAX {
        return;
    }
    let all = [
        ("rot13", first_group(&words.rot13)),
        ("atbash", first_group(&words.atbash)),
        ("reversed", first_group(&words.reversed)),
        ("leet", first_of_leet(&words.leet)),
    ];
    for (name, first) in all {
        let Some(first) = first else { continue };
        let text = source.text;
        let context = if name == "leet" { LEET_CONTEXT } else { CIPHER_CONTEXT };
        let start = text.floor_char_boundary((first.start as usize).saturating_sub(context));
        let max = if source.depth == 0 { CIPHER_BYTES_MAX } else { INNER_CIPHER_BYTES_MAX };
        // Plain words are beside those with digits, and have other ends.
        let end = if name == "leet" { first.end as usize + context } else { text.len() };
        let end = text.ceil_char_boundary(end.min(start + max).min(text.len()));
        let part = &text[start..end];
        let plains: Vec<String> = match name {
            "rot13" => vec![part.chars().map(rot13).collect()],
            "atbash" => vec![part.chars().map(atbash).collect()],
            "leet" => disguise::without_leet(part).into(),
            _ => vec![
                part.chars().rev().collect(),
                part.split(' ').map(|word| word.chars().rev().collect::<String>()).collect::<Vec<_>>().join(" "),
            ],
        };
        let inner = |text| Source { text, encoding: Some(name), depth: DEPTH_MAX, ..*source };
        let score = plains.iter().map(|plain| scan_text(inner(plain)).score).fold(0.0, f32::max);
        if score >= FLAGGED_FROM {
            findings.score = findings.score.max(score);
            findings.add(Code::DisguisedText, score, name, first.start, first.end);
        }
    }
}

/// Returns the first of three words near each other that stand for two things.
fn first_group(hits: &[Hit]) -> Option<Hit> {
    hits.windows(3).find_map(|three| {
        let concepts = three.iter().fold(0, |all, hit| all | hit.concepts);
        (three[2].at - three[0].at <= GROUP_WORDS && concepts.count_ones() >= 2).then_some(three[0])
    })
}

/// Returns the first of four words near each other with digits or signs for letters, one of which stands for something, up
/// to the last such word.
fn first_of_leet(hits: &[Hit]) -> Option<Hit> {
    let first = hits
        .windows(4)
        .position(|four| four[3].at - four[0].at <= GROUP_WORDS && four.iter().any(|hit| hit.concepts != 0))?;
    let all = &hits[first..];
    let pairs = all.windows(2).take_while(|two| two[1].at - two[0].at <= LEET_GAP);
    Some(Hit { end: pairs.last().map_or(all[0].end, |two| two[1].end), ..all[0] })
}

/// Returns the letter 13 places further in the alphabet (ROT13); any other character stays.
#[must_use]
pub fn rot13(c: char) -> char {
    match c {
        'a'..='z' => char::from((c as u8 - b'a' + 13) % 26 + b'a'),
        'A'..='Z' => char::from((c as u8 - b'A' + 13) % 26 + b'A'),
        c => c,
    }
}

fn atbash(c: char) -> char {
    if c.is_ascii_alphabetic() { char::from(b'z' - (c.to_ascii_lowercase() as u8 - b'a')) } else { c }
}

/// Counts characters that honest text rarely has.
fn signs(words: &Words, findings: &mut Findings) {
    let mut sign = |code, count: Count, steps: [(u32, f32); 2]| {
        if let Some((_, weight)) = steps.into_iter().rev().find(|(least, _)| count.number >= *least) {
            findings.score = 1.0 - (1.0 - findings.score) * (1.0 - weight);
            findings.add(code, weight, "", count.start, count.end);
        }
    };
    sign(Code::InvisibleCharacters, words.invisible, [(3, 0.2), (12, 0.4)]);
    sign(Code::MixedScripts, words.mixed, [(2, 0.2), (6, 0.4)]);
    sign(Code::TurnedText, words.turned, [(1, 0.2), (4, 0.35)]);
}

/// Decodes what is encoded in a text and scans it.
fn payloads(source: &Source<'_>, findings: &mut Findings) {
    for payload in decode::payloads(source.text) {
        let inner = Source { text: &payload.text, encoding: Some(payload.name), depth: source.depth + 1, ..*source };
        let found = scan_text(inner);
        let is_invisible = matches!(payload.name, "unicode_tags" | "variation_selectors" | "zero_width");
        let telling = found.concepts.count_ones();
        // Text that nobody sees has no honest reason, and encoded text that speaks to an assistant has none either.
        let floor = if is_invisible {
            0.7
        } else if telling >= 3 {
            0.65
        } else if telling >= 1 {
            0.3
        } else {
            0.1
        };
        let weight = found.score.max(floor);
        findings.score = findings.score.max(weight);
        if weight > 0.1 {
            findings.add(Code::EncodedText, weight, payload.name, payload.start, payload.end);
        }
        for found in found.all.into_iter().take(4) {
            findings.add(found.code, found.weight, payload.name, payload.start, payload.end);
        }
    }
}

#[cfg(test)]
mod tests;

//! The sentence around a candidate.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::page::VerificationPage;
use super::row;
use super::shape::{self, CodeCandidate};
use super::words::{self, KeywordHit, KeywordTable};
use crate::wordlist::{self, WordTable};

/// Maximum number of characters of a sentence before and after the candidate.
const SIDE_CHARS_MAX: usize = 160;
/// Maximum number of characters behind a candidate in which a new clause states its duration.
const CLAUSE_CHARS_MAX: usize = 20;
/// Maximum number of characters of a word between a name and its code, such as "is".
const LINK_CHARS_MAX: usize = 8;
/// Number of characters on each side of a line break that a phrase can have.
const SEAM_CHARS: usize = 32;
/// Minimum length of a line that continues on the next line, in characters.
const WRAPPED_CHARS_MIN: usize = 38;

/// Words that point at the number itself, or describe it.
const THESE: [&str; 10] =
    ["digit", "stellige", "this", "following", "diese", "folgende", "cette", "este", "questo", "deze"];

/// Signs that point at what follows.
const MARKS: [char; 13] = [':', '：', '-', '>', '→', '➜', '➡', '⇒', '|', '=', '–', '—', '»'];
/// Blanks, quotation marks and brackets that may be between a word or a mark and a candidate.
const OPENING: [char; 14] = [' ', '#', '"', '\'', '“', '„', '«', '*', '[', '(', '「', '『', '【', '`'];

/// Returns whether a mark is in front of a place in a line, or nothing, so that the line above can end with one.
pub(super) fn is_marked(line: &[char], at: usize) -> bool {
    line[..at].iter().rev().find(|c| !OPENING.contains(c)).is_none_or(|c| MARKS.contains(c))
}

/// Prepositions in front of what one does something with.
static MEANS: WordTable = LazyLock::new(|| wordlist::table(include_str!("words/sentences.txt"), "means"));

/// What a sentence of a line begins with, up to a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceStart {
    /// The candidate.
    Candidate,
    /// A preposition and the candidate, in front of a small letter or a comma, as in front of a verb.
    Means,
}

/// Returns what the sentence of a candidate begins with, if that is the candidate or a preposition.
pub(super) fn start(line: &[char], from: usize, to: usize) -> Option<SentenceStart> {
    let before = line[..from].iter().rev().skip_while(|c| **c == ' ');
    let word: String = before.clone().take_while(|c| c.is_alphabetic()).collect();
    let outside = before.skip(word.chars().count()).find(|c| **c != ' ');
    if outside.is_some_and(|c| !matches!(c, '.' | '!' | '?' | ':' | '*' | '。')) {
        return None;
    }
    if word.is_empty() {
        return Some(SentenceStart::Candidate);
    }
    let word: String = word.chars().rev().flat_map(char::to_lowercase).collect();
    let after = line[to..].iter().find(|c| **c != ' ');
    let is_means = after.is_some_and(|c| c.is_lowercase() || *c == ',') && MEANS.contains(&&*word);
    is_means.then_some(SentenceStart::Means)
}

/// The sentence around a candidate, in lower case.
pub(super) struct CodeSentence {
    /// Text before the candidate.
    before: String,
    /// Text after the candidate.
    after: String,
    before_hits: Vec<KeywordHit>,
    after_hits: Vec<KeywordHit>,
    /// Whether it ends with a question mark.
    is_question: bool,
}

/// The name that a sentence gives to a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CodeName {
    /// A word for any kind of code.
    Code,
    /// A name of codes of digits for signing in and for payments.
    Digits,
    /// A name of codes for signing in.
    SignIn,
}

impl CodeName {
    /// Returns the name that the keywords of a table are.
    pub(super) fn of(table: KeywordTable) -> Option<CodeName> {
        match table {
            KeywordTable::Code => Some(CodeName::Code),
            KeywordTable::Name => Some(CodeName::Digits),
            KeywordTable::Strong => Some(CodeName::SignIn),
            _ => None,
        }
    }
}

/// Returns the sentence around a candidate of line `at`. It can begin on the line above and end on the line below if
/// the text is wrapped.
pub(super) fn around(page: &VerificationPage<'_>, at: usize, candidate: &CodeCandidate) -> CodeSentence {
    let line = page.plain(at);
    let own_before = &line[candidate.from.saturating_sub(SIDE_CHARS_MAX)..candidate.from];
    let own_after = &line[candidate.to..line.len().min(candidate.to + SIDE_CHARS_MAX)];
    let neighbors = if candidate.alone { [None; 2] } else { wrapped_neighbors(page, at) };
    let mut before = Vec::new();
    if let Some(above) = neighbors[0] {
        before.extend_from_slice(&above[above.len().saturating_sub(SIDE_CHARS_MAX)..]);
        before.push(' ');
    }
    before.extend_from_slice(own_before);
    let mut after = own_after.to_vec();
    if let Some(below) = neighbors[1] {
        after.push(' ');
        after.extend_from_slice(&below[..below.len().min(SIDE_CHARS_MAX)]);
    }
    let start = (0..before.len()).rev().find(|at| ends_sentence(&before, *at)).map_or(0, |at| at + 1);
    let end = (0..after.len()).find(|at| ends_sentence(&after, *at));
    let is_question = end.is_some_and(|end| matches!(after[end], '?' | '？' | '؟' | '՞'));
    let (before, before_hits) = lower_with_hits(&before[start..]);
    let (after, after_hits) = lower_with_hits(&after[..end.unwrap_or(after.len())]);
    CodeSentence { before, after, before_hits, after_hits, is_question }
}

/// Returns the lines above and below line `at` that its sentence can begin and end on.
fn wrapped_neighbors<'p>(page: &'p VerificationPage<'_>, at: usize) -> [Option<&'p [char]>; 2] {
    let is_wrapped = |line: &[char]| line.len() >= WRAPPED_CHARS_MIN;
    let above = (at > 1).then(|| page.plain(at - 1)).filter(|above| is_wrapped(above));
    let has_below = at > 0 && at + 1 < page.lines.len() && is_wrapped(page.plain(at));
    [above, has_below.then(|| page.plain(at + 1))]
}

/// Returns the tables of the keywords that a sentence around a candidate of line `at` can have, and maybe more.
pub(super) fn possible_tables<'p>(page: &'p VerificationPage<'_>, at: usize) -> Cow<'p, [KeywordTable]> {
    let neighbors = wrapped_neighbors(page, at);
    let [above, below] = neighbors.map(Option::unwrap_or_default);
    let from = at - usize::from(neighbors[0].is_some());
    let to = at + usize::from(neighbors[1].is_some());
    let is_ascii = page.lines[from..=to].iter().all(|line| line.is_ascii());
    if from == to && is_ascii {
        return Cow::Borrowed(page.tables(at));
    }
    let hits = |text: &[char]| words::hits(&words::lower_names(text)).map(|hit| hit.table).collect::<Vec<_>>();
    if !is_ascii {
        return Cow::Owned(hits(&[above, page.plain(at), below].join(&' ')));
    }
    // The words of each line are known, but for phrases that go on below.
    let seam = |line: usize| {
        let (above, below) = (page.plain(line), page.plain(line + 1));
        hits(&[&above[above.len().saturating_sub(SEAM_CHARS)..], &below[..below.len().min(SEAM_CHARS)]].join(&' '))
    };
    let own = (from..=to).flat_map(|line| page.tables(line).iter().copied());
    Cow::Owned(own.chain((from..to).flat_map(seam)).collect())
}

/// Returns the lower-case text of normalized characters and its keywords. Names that also mean something else count in
/// capitals: "TAN", not "tan".
fn lower_with_hits(chars: &[char]) -> (String, Vec<KeywordHit>) {
    let text = words::lower_names(chars);
    let is_in_capitals = |hit: &KeywordHit| {
        let from = text[..hit.from].chars().count();
        chars[from..].iter().zip(text[hit.from..hit.to].chars()).all(|(c, _)| !c.is_lowercase())
    };
    let hits = words::hits(&text).filter(|hit| hit.table != KeywordTable::Name || is_in_capitals(hit)).collect();
    (text, hits)
}

/// Returns whether the character at `at` ends a sentence. A dot after a short word belongs to an abbreviation ("Nr.").
fn ends_sentence(text: &[char], at: usize) -> bool {
    /// Maximum number of letters of an abbreviation.
    const ABBREVIATION_CHARS_MAX: usize = 3;
    let ends_word = text.get(at + 1).is_none_or(|c| matches!(c, ' ' | '"' | '”' | '»' | ')' | '*'));
    match text[at] {
        '。' | '！' | '？' | '।' | '॥' | '؟' | '۔' | '։' | '።' | '။' => true,
        '!' | '?' => ends_word,
        '.' => {
            let letters = text[..at].iter().rev().take_while(|c| c.is_alphabetic()).count();
            // "Register now. Code: …"
            let is_word = letters > 1 && text[at - letters..at].iter().all(|c| c.is_lowercase());
            let begins = text[at + 1..].iter().find(|c| **c != ' ').is_some_and(|c| c.is_uppercase());
            ends_word && (!(1..=ABBREVIATION_CHARS_MAX).contains(&letters) || is_word && begins)
        }
        _ => false,
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

impl CodeSentence {
    /// Returns the tables of the keywords of the sentence.
    pub(super) fn tables(&self) -> Vec<KeywordTable> {
        self.before_hits.iter().chain(&self.after_hits).map(|hit| hit.table).collect()
    }

    /// Returns whether the sentence has a keyword of one of the tables.
    pub(super) fn has(&self, tables: &[KeywordTable]) -> bool {
        self.before_hits.iter().chain(&self.after_hits).any(|hit| tables.contains(&hit.table))
    }

    /// Returns whether the sentence shows that the candidate isn't a code for the reader.
    pub(super) fn is_other(&self) -> bool {
        let tables = self.tables();
        let has = |table| tables.contains(&table);
        let sign_in = has(KeywordTable::Strong)
            || has(KeywordTable::Account) && (has(KeywordTable::Code) || self.follows_verb())
            || self.name() > Some(CodeName::Code);
        self.is_question
            || has(KeywordTable::Other)
            || has(KeywordTable::Speech)
            || has(KeywordTable::Trade) && !sign_in
            || self.is_counted()
    }

    /// Returns whether the words next to the candidate count or name something else: "order 482913", "482913 visitors".
    fn is_counted(&self) -> bool {
        /// Maximum distance of such a word before the candidate, in characters.
        const BEFORE_CHARS_MAX: usize = 16;
        /// Maximum distance of such a word from the name of a code that it qualifies: "login code for order X: 1".
        const NAME_CHARS_MAX: usize = 12;
        let unit = self.after.trim_start_matches([' ', '-']);
        let after_start = self.after.len() - unit.len();
        // "TAN 482913 IBAN DE89…" has a label of the next number there.
        let is_unit = |hit: &KeywordHit| hit.table == KeywordTable::Counted && hit.from == after_start;
        if self.name_before().is_none() && self.after_hits.iter().any(is_unit) {
            return true;
        }
        let is_code = |hit: &&KeywordHit| CodeName::of(hit.table).is_some();
        let is_name = |hit: &&KeywordHit| is_code(hit) || hit.table == KeywordTable::Account;
        self.before_hits.iter().filter(|hit| hit.table == KeywordTable::Counted).any(|hit| {
            let gap = &self.before[hit.to..];
            let apart = gap.chars().count() > BEFORE_CHARS_MAX || gap.contains([',', ';', '，', '、']);
            let numbered = gap.chars().any(|c| c.is_ascii_digit());
            let start = self.before[..hit.from].trim_end();
            let is_unit = start.ends_with(|c: char| c.is_ascii_digit());
            // "Enter this number" names nothing.
            let is_pointed_at = THESE.iter().any(|this| start.ends_with(this));
            // The name of a number can end with a word for codes ("주문번호").
            let in_code_name = self.before_hits.iter().filter(is_code).any(|code| code.to > hit.to);
            let in_service_name = !gap.trim().is_empty()
                && self.before_hits.iter().filter(is_name).any(|name| {
                    let between = self.before.get(name.to..hit.from);
                    between.is_some_and(|text| !text.is_empty() && text.chars().count() <= NAME_CHARS_MAX)
                });
            !(apart || numbered || is_unit || is_pointed_at || in_code_name || in_service_name)
        })
    }

    /// Returns the name of the candidate: in the word before it ("with TAN 482913"), or else behind it.
    pub(super) fn name(&self) -> Option<CodeName> {
        self.name_before().or_else(|| self.name_behind())
    }

    /// Returns the name in the last word before the candidate.
    fn name_before(&self) -> Option<CodeName> {
        let before = self.before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let is_last = |hit: &&KeywordHit| (word..=before.len()).contains(&hit.to);
        self.before_hits.iter().filter(is_last).filter_map(|hit| CodeName::of(hit.table)).max()
    }

    /// Returns the text before the candidate, in lower case.
    pub(super) fn text_before(&self) -> &str {
        self.trimmed_before()
    }

    /// Returns the text before the candidate if nothing is behind it.
    pub(super) fn label(&self) -> Option<&str> {
        (!self.after.contains(char::is_alphanumeric)).then(|| self.trimmed_before())
    }

    /// Returns the text before the word "PIN" if that is the name of the candidate.
    pub(super) fn before_pin(&self) -> Option<&str> {
        let name = self.before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let name = name.strip_suffix("code").map_or(name, str::trim_end);
        let before = name.strip_suffix("pin")?;
        (!before.ends_with(char::is_alphanumeric)).then(|| before.trim_end())
    }

    /// Returns the name close behind the candidate ("482913 is your TAN"), unless it is the name of another number.
    fn name_behind(&self) -> Option<CodeName> {
        /// Maximum number of characters between the candidate and its name.
        const BEHIND_CHARS_MAX: usize = 16;
        let is_behind = |hit: &&KeywordHit| {
            let gap = &self.after[..hit.from];
            let rest = self.after[hit.to..].trim_start_matches(|c: char| !c.is_alphanumeric());
            let is_apart = gap.chars().count() > BEHIND_CHARS_MAX || gap.contains([',', ':', '，', '、', '：']);
            !is_apart && !gap.contains(is_digit) && !rest.starts_with(is_digit)
        };
        self.after_hits.iter().filter(is_behind).filter_map(|hit| CodeName::of(hit.table)).max()
    }

    /// Returns whether the words behind the candidate say whose code it is: "2019 is your Acme code", but not "2026 is your
    /// year to code".
    pub(super) fn owner_behind(&self) -> bool {
        let Some(name) = self.after_hits.iter().find(|hit| CodeName::of(hit.table).is_some()) else { return false };
        let mut words = self.after[..name.from].split_whitespace().rev();
        self.name_behind().is_some() && words.by_ref().take(2).any(row::is_owner)
    }

    /// Returns whether a colon, a dash or an arrow is right before the candidate.
    pub(super) fn follows_colon(&self) -> bool {
        self.trimmed_before().ends_with(MARKS)
    }

    /// Returns whether a verb such as "enter" is right before the candidate, or right behind it, as in languages that put
    /// it there.
    pub(super) fn follows_verb(&self) -> bool {
        /// Maximum number of characters between the candidate and a verb behind it.
        const GAP_CHARS_MAX: usize = 4;
        let end = self.trimmed_before().len();
        let is_behind = |hit: &KeywordHit| self.after[..hit.from].chars().count() <= GAP_CHARS_MAX;
        // "Gib zur Bestätigung 482913 ein."
        let is_split = || matches!(self.after.split_whitespace().next(), Some("ein" | "ein." | "ein," | "in."));
        let is_verb = |hit: &KeywordHit| hit.table == KeywordTable::Enter && (hit.to == end || is_split());
        self.before_hits.iter().any(is_verb)
            || self.after_hits.iter().any(|hit| hit.table == KeywordTable::Enter && is_behind(hit))
    }

    /// Returns whether the word right before the candidate names it.
    pub(super) fn names_before(&self) -> bool {
        self.name_before().is_some() || self.links_name()
    }

    /// Returns whether a name of codes and a word about an account stand together in front of the candidate:
    /// "verification code", "code de vérification".
    pub(super) fn names_sign_in(&self) -> bool {
        /// Maximum number of characters between the two words.
        const GAP_CHARS_MAX: usize = 5;
        let is_code = |hit: &&KeywordHit| hit.table == KeywordTable::Code;
        let is_near = |code: &KeywordHit, account: &KeywordHit| {
            let (from, to) = (code.to.min(account.to), code.from.max(account.from));
            from >= to || self.before[from..to].chars().count() <= GAP_CHARS_MAX
        };
        let of_account = || self.before_hits.iter().filter(|hit| hit.table == KeywordTable::Account);
        self.before_hits.iter().any(|hit| hit.table == KeywordTable::Strong)
            || self.before_hits.iter().filter(is_code).any(|code| of_account().any(|account| is_near(code, account)))
    }

    /// Returns whether the sentence begins with the candidate.
    pub(super) fn begins_with_it(&self) -> bool {
        self.trimmed_before().is_empty()
    }

    /// Returns whether the sentence asks to enter the candidate, or says how many minutes it lasts.
    pub(super) fn is_request(&self) -> bool {
        self.before_hits.iter().any(|hit| hit.table == KeywordTable::Enter) || self.lasts_minutes()
    }

    /// Returns whether a name of codes and one word such as "is" are in front of the candidate.
    pub(super) fn links_name(&self) -> bool {
        self.links_name_by(LINK_CHARS_MAX)
    }

    /// Returns whether the sentence begins as another one does, with words in front of the candidate.
    pub(super) fn has_same_label(&self, other: &CodeSentence) -> bool {
        !self.is_bare() && self.before == other.before && self.before.contains(char::is_alphabetic)
    }

    /// Returns whether the sentence goes on with a duration.
    pub(super) fn lasts(&self) -> bool {
        self.after.trim_start().chars().take(CLAUSE_CHARS_MAX).any(|c| c.is_ascii_digit())
    }

    /// Returns whether the sentence goes on with a number of minutes or seconds: "expires in 30 mins".
    pub(super) fn lasts_minutes(&self) -> bool {
        /// Maximum number of words up to the unit.
        const WORDS_MAX: usize = 6;
        let mut words = self.after.split_whitespace().take(WORDS_MAX).skip_while(|word| !word.starts_with(is_digit));
        let Some(number) = words.next() else { return false };
        let unit = Some(number.trim_start_matches(is_digit)).filter(|unit| !unit.is_empty()).or_else(|| words.next());
        unit.is_some_and(|unit| shape::DURATION_UNITS.iter().any(|known| unit.starts_with(known)))
    }

    /// Returns whether the sentence states the candidate and goes on with another clause: "Your code is 482913, valid for
    /// 10 minutes", "Dein Code lautet 482913 und gilt zehn Minuten".
    pub(super) fn states_clause(&self) -> bool {
        let after = self.after.trim_start();
        let is_apart = after.starts_with([',', ';', '，', '；', '、', '(', '（', '-', '|', ':'])
            || self
                .after_hits
                .iter()
                .any(|hit| hit.table == KeywordTable::Join && self.after[..hit.from].trim().is_empty());
        let is_named = || {
            let lasts = self.lasts();
            // "код подтверждения 482913, действует 10 минут": the word that follows the name belongs to it.
            self.name_before().is_some() && (self.follows_colon() || lasts)
                || lasts && self.links_name_by(SIDE_CHARS_MAX)
        };
        is_apart && (self.links_name() || is_named())
    }

    /// Returns whether a name and one word of at most so many characters, such as "is", are in front of the candidate.
    fn links_name_by(&self, chars_max: usize) -> bool {
        let before = self.trimmed_before().trim_end_matches([':', '：', ' ']);
        let link = before.rsplit(' ').next().unwrap_or_default();
        let rest = before[..before.len() - link.len()].trim_end();
        let is_word = !link.is_empty() && link.chars().count() <= chars_max && link.chars().all(char::is_alphabetic);
        // Endings may follow the name.
        let ends = |hit: &&KeywordHit| hit.to <= rest.len() && !rest[hit.to..].contains([' ', ',', ';', '.', ':']);
        is_word && self.before_hits.iter().filter(ends).any(|hit| CodeName::of(hit.table).is_some())
    }

    /// Returns whether the candidate is the first word, the last word or the last but one.
    pub(super) fn begins_or_ends(&self) -> bool {
        self.trimmed_before().is_empty() || self.after.split_whitespace().count() <= 1
    }

    /// Returns whether brackets, a colon or a dash set the candidate apart at the start or the end of a short text about
    /// an account: "(482913) Sign in", "Sign in: 482913".
    pub(super) fn is_set_apart(&self) -> bool {
        /// Maximum number of words of such a text.
        const WORDS_MAX: usize = 6;
        let marks = |c: char| "()[]【】|:：–—-·".contains(c);
        let (before, after) = (self.before.trim(), self.after.trim());
        let words = before.split_whitespace().chain(after.split_whitespace());
        let is_about = |table| matches!(table, KeywordTable::Account | KeywordTable::Action);
        (before.is_empty() || before.ends_with(marks))
            && (after.is_empty() || after.starts_with(marks))
            && (before.trim_matches(marks).is_empty() || after.trim_matches(marks).is_empty())
            && words.count() <= WORDS_MAX
            && self.tables().into_iter().any(is_about)
    }

    /// Returns whether the sentence has no word besides the candidate.
    pub(super) fn is_bare(&self) -> bool {
        !self.before.chars().chain(self.after.chars()).any(char::is_alphanumeric)
    }

    fn trimmed_before(&self) -> &str {
        self.before.trim_end_matches(OPENING)
    }
}

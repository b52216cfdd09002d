//! Which words near each other make an instruction to an assistant.

use crate::Code;
use crate::address;
use crate::lexicon::{
    ABORT, ACT, ADDRESS, ASSISTANT, CONCEAL, CONFIRM, Concepts, DATA, INSTRUCTION, META, NEGATE, ORDER, OUTPUT,
    OVERRIDE, PRIOR, PROMPT, READER, REVEAL, ROLE, SECRET, SEND, SYSTEM, TARGET, TOOL, TRIGGER, URGENT, USER, VOCATIVE,
    VOID,
};
use crate::words::{Hit, position};

/// Words from the first to the last of a match.
const NEAR: u32 = 18;
/// The same for words that belong together closely.
const CLOSE: u32 = 8;
/// Words before a word that are compared with it.
const LOOKBACK_MAX: usize = 20;
/// Words within which matches count together.
const CLUSTER: u32 = 60;
/// Matches before a match that count together with it.
const CLUSTER_MATCHES_MAX: usize = 40;
/// Matches of one text that are kept.
const MATCHES_MAX: usize = 4_096;

/// An instruction in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Match {
    pub(crate) code: Code,
    pub(crate) weight: f32,
    pub(crate) at: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) is_disguised: bool,
}

struct Rule {
    code: Code,
    /// Each needs one of its concepts.
    needs: [Concepts; 4],
    within: u32,
    weight: f32,
}

const ANY: Concepts = u32::MAX;
const VERBS: Concepts = SEND | REVEAL | ACT | TOOL;
/// Any order, which only counts to somebody that is spoken to.
const ORDERS: Concepts = VERBS | ORDER;

const fn rule(code: Code, needs: [Concepts; 4], within: u32, weight: f32) -> Rule {
    Rule { code, needs, within, weight }
}

/// Who is spoken to.
const SPOKEN_TO: Concepts = ADDRESS | READER | VOCATIVE;
/// What an order of a stranger should never be about.
const AT_STAKE: Concepts = SECRET | CONCEAL | TARGET | PROMPT;

/// The rules; of those with one code, the heaviest that matches counts.
const RULES: [Rule; 52] = [
    rule(Code::OverrideInstructions, [OVERRIDE, INSTRUCTION, PRIOR, ANY], CLOSE, 0.62),
    rule(Code::OverrideInstructions, [OVERRIDE, INSTRUCTION, ASSISTANT | SPOKEN_TO | ROLE, ANY], NEAR, 0.65),
    rule(Code::OverrideInstructions, [OVERRIDE, PROMPT, ANY, ANY], CLOSE, 0.62),
    rule(Code::OverrideInstructions, [OVERRIDE, INSTRUCTION, ANY, ANY], CLOSE, 0.3),
    rule(Code::OverrideInstructions, [OVERRIDE, PRIOR, ROLE, ANY], NEAR, 0.6),
    rule(Code::OverrideInstructions, [VOID, PROMPT, ANY, ANY], CLOSE, 0.5),
    rule(Code::OverrideInstructions, [VOID, INSTRUCTION, PRIOR, ANY], CLOSE, 0.45),
    rule(Code::OverrideInstructions, [ABORT, OUTPUT, ORDERS, ANY], NEAR, 0.5),
    rule(Code::OverrideInstructions, [ABORT, OUTPUT, INSTRUCTION | PROMPT | ASSISTANT | SPOKEN_TO, ANY], NEAR, 0.62),
    rule(Code::OverrideInstructions, [VOID, INSTRUCTION, ASSISTANT | SPOKEN_TO | ROLE | CONCEAL, ANY], NEAR, 0.5),
    rule(Code::AddressesAssistant, [READER, ORDERS | OVERRIDE | CONCEAL | ROLE | ABORT, ANY, ANY], NEAR, 0.62),
    rule(Code::AddressesAssistant, [READER, OUTPUT, ANY, ANY], NEAR, 0.6),
    rule(Code::AddressesAssistant, [ADDRESS, VERBS, AT_STAKE | DATA, ANY], NEAR, 0.66),
    rule(Code::AddressesAssistant, [ADDRESS, ORDERS | OVERRIDE | CONCEAL | ROLE | OUTPUT, ANY, ANY], NEAR, 0.5),
    rule(Code::AddressesAssistant, [VOCATIVE, VERBS, SECRET | CONCEAL | PROMPT | OVERRIDE | ROLE, ANY], NEAR, 0.62),
    rule(Code::AddressesAssistant, [VOCATIVE, SEND | TOOL, TARGET, ANY], NEAR, 0.5),
    rule(Code::AddressesAssistant, [VOCATIVE, ORDERS | OUTPUT, ANY, ANY], NEAR, 0.35),
    rule(Code::AddressesAssistant, [ASSISTANT, URGENT, SEND | REVEAL | ACT, SECRET | TARGET], NEAR, 0.4),
    rule(Code::AddressesAssistant, [ASSISTANT, SEND | REVEAL, SECRET | PROMPT, TARGET], NEAR, 0.5),
    rule(Code::AddressesAssistant, [ADDRESS | READER, ANY, ANY, ANY], CLOSE, 0.15),
    rule(Code::RoleChange, [ROLE, ASSISTANT | INSTRUCTION | SYSTEM, OVERRIDE | VERBS | CONCEAL, ANY], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, OVERRIDE | CONCEAL | PROMPT, ANY, ANY], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, VERBS, DATA | SECRET, TARGET], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, SPOKEN_TO, ANY, ANY], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, ASSISTANT | SYSTEM, ANY, ANY], CLOSE, 0.3),
    rule(Code::RevealsPrompt, [REVEAL | SEND, PROMPT, ANY, ANY], CLOSE, 0.5),
    rule(Code::AsksForSecret, [SEND, SECRET, TARGET, ANY], NEAR, 0.35),
    rule(Code::AsksForSecret, [REVEAL | SEND, SECRET, DATA, TARGET], NEAR, 0.5),
    rule(Code::AsksForSecret, [SEND, SECRET, CONCEAL, ANY], NEAR, 0.5),
    rule(Code::AsksForSecret, [SEND | REVEAL, SECRET, ANY, ANY], CLOSE, 0.15),
    rule(Code::ForwardsMail, [SEND, DATA, TARGET, ANY], NEAR, 0.2),
    rule(Code::ForwardsMail, [SEND, DATA, TARGET, PRIOR], NEAR, 0.25),
    rule(Code::ForwardsMail, [SEND, DATA, TARGET, CONCEAL], NEAR, 0.5),
    rule(Code::ForwardsMail, [SEND, DATA, TARGET, SPOKEN_TO | TRIGGER], NEAR, 0.5),
    rule(Code::Conceals, [CONCEAL, USER, VERBS, ANY], NEAR, 0.45),
    rule(Code::Conceals, [CONCEAL, ASSISTANT | SPOKEN_TO | ROLE | OVERRIDE | TRIGGER, ANY, ANY], NEAR, 0.45),
    rule(Code::Conceals, [CONCEAL, SEND | ACT, DATA | TARGET | SECRET, ANY], NEAR, 0.4),
    rule(Code::Conceals, [CONCEAL, USER | OUTPUT, ANY, ANY], CLOSE, 0.25),
    rule(Code::Conceals, [NEGATE, CONFIRM, ASSISTANT | SPOKEN_TO | OVERRIDE | TRIGGER | VOID, VERBS], NEAR, 0.45),
    rule(Code::Conceals, [NEGATE, CONFIRM, SEND | ACT | TOOL, DATA | TARGET], NEAR, 0.3),
    rule(Code::UsesTool, [TOOL, ASSISTANT | SPOKEN_TO | ROLE | CONCEAL, VERBS, TARGET | SECRET], NEAR, 0.35),
    rule(Code::ForwardsMail, [SEND | TOOL, TARGET, VOID | ABORT, INSTRUCTION | PROMPT | OUTPUT], NEAR, 0.35),
    rule(Code::UsesTool, [TOOL, SPOKEN_TO, INSTRUCTION | DATA | TARGET | SECRET, ANY], NEAR, 0.35),
    rule(Code::UsesTool, [TOOL, OVERRIDE, PRIOR | PROMPT, TARGET | SECRET], NEAR, 0.35),
    rule(Code::ConditionalTrigger, [TRIGGER, VERBS, AT_STAKE, ANY], NEAR, 0.4),
    rule(Code::ConditionalTrigger, [TRIGGER, OVERRIDE | ASSISTANT | ROLE | SPOKEN_TO, VERBS, ANY], NEAR, 0.4),
    rule(Code::ConditionalTrigger, [TRIGGER, SEND | TOOL, DATA, PRIOR], NEAR, 0.2),
    rule(Code::ConditionalTrigger, [OUTPUT, SPOKEN_TO | OVERRIDE | VOID, ORDERS, ANY], NEAR, 0.4),
    rule(Code::SensitiveAction, [ACT, DATA, SPOKEN_TO, ANY], NEAR, 0.4),
    rule(Code::SensitiveAction, [ACT, DATA, CONCEAL, USER | OVERRIDE | TRIGGER], NEAR, 0.4),
    rule(Code::SensitiveAction, [ACT, SPOKEN_TO | OVERRIDE, CONFIRM | URGENT | USER, ANY], NEAR, 0.4),
    rule(Code::SensitiveAction, [ACT, VOID, CONFIRM | CONCEAL | PROMPT, ANY], NEAR, 0.3),
];

/// The rules, as bits, that each concept is for: those whose first to fourth need it meets, and those with it as a word.
const FOR: [[u64; 5]; 32] = {
    let mut all = [[0; 5]; 32];
    let mut at = 0;
    while at < RULES.len() {
        let mut concept = 0;
        while concept < 32 {
            let mut need = 0;
            while need < 4 {
                all[concept][need] |= ((RULES[at].needs[need] >> concept & 1) as u64) << at;
                need += 1;
            }
            all[concept][4] |= ((RULES[at].words() >> concept & 1) as u64) << at;
            concept += 1;
        }
        at += 1;
    }
    all
};
/// The rules whose words belong together closely, as bits.
const CLOSE_RULES: u64 = {
    let (mut all, mut at) = (0, 0);
    while at < RULES.len() {
        all |= ((RULES[at].within == CLOSE) as u64) << at;
        at += 1;
    }
    all
};

impl Rule {
    /// Returns what its words stand for.
    const fn words(&self) -> Concepts {
        let (mut all, mut at) = (0, 0);
        while at < self.needs.len() {
            all |= if self.needs[at] == ANY { 0 } else { self.needs[at] };
            at += 1;
        }
        all
    }
}

/// Finds the instructions among the words of a text, in order.
pub(crate) fn find(hits: &mut [Hit], text: &str) -> Vec<Match> {
    hits.sort_by_key(|hit| hit.at);
    address::find(hits, text);
    let metas: Vec<u32> = hits.iter().filter(|hit| hit.concepts & META != 0).map(|hit| hit.sentence).collect();
    let mut matches: Vec<Match> = Vec::new();
    let mut is_empty = false;
    for last in 0..hits.len() {
        // The window of a word that stands for the same as the one before it has nothing that the window before lacks.
        if is_empty && hits[last].concepts == hits[last - 1].concepts {
            continue;
        }
        let window = Window::before(hits, last);
        let mut rules = window.rules();
        is_empty = rules == 0;
        while rules != 0 {
            let rule = &RULES[rules.trailing_zeros() as usize];
            rules &= rules - 1;
            keep(&mut matches, &Found { rule, hits, last, metas: &metas, text, window: &window });
        }
    }
    matches
}

/// What the words up to one stand for.
struct Window {
    last: Concepts,
    close: Concepts,
    near: Concepts,
    has_disguised: bool,
}

impl Window {
    fn before(hits: &[Hit], last: usize) -> Self {
        let hit = hits[last];
        let (last_of, has_disguised) = (hit.concepts, hit.is_disguised);
        let mut window = Self { last: last_of, close: last_of, near: last_of, has_disguised };
        for earlier in hits[..last].iter().rev().take(LOOKBACK_MAX) {
            let distance = hit.at - earlier.at;
            if distance > NEAR {
                break;
            }
            window.near |= earlier.concepts;
            window.close |= if distance <= CLOSE { earlier.concepts } else { 0 };
            window.has_disguised |= earlier.is_disguised;
        }
        window
    }

    /// Returns the rules that match with the last word as one of their words, as bits.
    fn rules(&self) -> u64 {
        let with_last = for_concepts(self.last)[4];
        let met = |concepts: Concepts, of: u64| {
            if of == 0 { 0 } else { for_concepts(concepts)[..4].iter().fold(of, |met, need| met & need) }
        };
        met(self.near, with_last & !CLOSE_RULES) | met(self.close, with_last & CLOSE_RULES)
    }
}

fn for_concepts(mut concepts: Concepts) -> [u64; 5] {
    let mut all = [0; 5];
    while concepts != 0 {
        let of = &FOR[concepts.trailing_zeros() as usize];
        (0..5).for_each(|need| all[need] |= of[need]);
        concepts &= concepts - 1;
    }
    all
}

/// A rule that matches the words up to one.
struct Found<'a> {
    rule: &'a Rule,
    hits: &'a [Hit],
    last: usize,
    /// The sentences with words about attacks.
    metas: &'a [u32],
    text: &'a str,
    window: &'a Window,
}

impl Found<'_> {
    /// The last words that the rule needs.
    fn words(&self) -> impl Iterator<Item = &Hit> {
        let hit = &self.hits[self.last];
        let mut missing = self.rule.needs.map(|need| if need == ANY { 0 } else { need });
        let near = self.hits[..=self.last].iter().rev().take(LOOKBACK_MAX + 1);
        near.take_while(|earlier| hit.at - earlier.at <= self.rule.within).filter(move |earlier| {
            let is_needed = missing.iter().any(|need| need & earlier.concepts != 0);
            missing.iter_mut().filter(|need| **need & earlier.concepts != 0).for_each(|need| *need = 0);
            is_needed
        })
    }

    fn as_match(&self) -> Match {
        let hit = &self.hits[self.last];
        let (start, is_disguised) =
            self.words().fold((hit.start, false), |(start, is), word| (start.min(word.start), is || word.is_disguised));
        let weight = self.rule.weight * if is_disguised { 1.0 } else { self.discount(start as usize) };
        Match { code: self.rule.code, weight, at: hit.at, start, end: hit.end, is_disguised }
    }

    /// Returns how much less an instruction counts in a sentence about instructions, which has words such as "attacker" or
    /// "for example" and describes it, or quotes it after such a sentence. A sentence that gives an order counts in full,
    /// whatever else it says.
    fn discount(&self, start: usize) -> f32 {
        let sentence = self.hits[self.last].sentence;
        let is_about = |sentence: u32| self.metas.binary_search(&sentence).is_ok();
        let before = self.text.get(..start).unwrap_or_default();
        let is_quoted = || before.chars().rev().take(QUOTE_CHARS).any(|c| QUOTES.contains(&c));
        let is_described = is_about(sentence);
        if !(is_described || sentence.checked_sub(1).is_some_and(is_about) && is_quoted()) {
            return 1.0;
        }
        let said = self.sentence();
        if said & CONCEAL != 0 || said & TARGET != 0 && said & SEND != 0 {
            1.0
        } else if is_quoted() {
            0.35
        } else if begins_clause(before) {
            1.0
        } else {
            0.6
        }
    }

    /// Returns what the words of the sentence near the match stand for.
    fn sentence(&self) -> Concepts {
        let of = self.hits[self.last].sentence;
        let is_same = |hit: &&Hit| hit.sentence == of;
        let before = self.hits[..=self.last].iter().rev().take(LOOKBACK_MAX + 1).take_while(is_same);
        let after = self.hits[self.last + 1..].iter().take(LOOKBACK_MAX).take_while(is_same);
        before.chain(after).fold(0, |all, hit| all | hit.concepts)
    }
}

/// Characters before an instruction in which a quote may begin.
const QUOTE_CHARS: usize = 24;
const QUOTES: [char; 8] = ['"', '\u{201c}', '\u{201e}', '\u{2018}', '\u{ab}', '\u{300c}', '`', '\''];

/// Returns whether what follows begins a clause, so that a verb there gives an order.
fn begins_clause(before: &str) -> bool {
    let trimmed = before.trim_end();
    let is_new_paragraph = before[trimmed.len()..].matches('\n').count() >= 2;
    is_new_paragraph || trimmed.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
}

/// Keeps the heaviest match of a code among near ones.
fn keep(matches: &mut Vec<Match>, found: &Found<'_>) {
    let hit = &found.hits[found.last];
    let near = matches.iter_mut().rev().take(16).take_while(|earlier| hit.at - earlier.at <= 20);
    for earlier in near {
        if earlier.code == found.rule.code {
            let may_be_heavier =
                found.rule.weight > earlier.weight || !earlier.is_disguised && found.window.has_disguised;
            let found = if may_be_heavier { found.as_match() } else { *earlier };
            if found.weight > earlier.weight || found.is_disguised && !earlier.is_disguised {
                let weight = found.weight.max(earlier.weight);
                *earlier = Match { at: earlier.at, weight, ..found };
            }
            return;
        }
    }
    if matches.len() < MATCHES_MAX {
        matches.push(found.as_match());
    }
}

/// Returns the highest score of matches near each other, and the range of matches that have it.
pub(crate) fn score(matches: &[Match]) -> (f32, std::ops::Range<usize>) {
    let mut best = (0.0, 0..0);
    for last in 0..matches.len() {
        let mut weights = [0.0f32; Code::COUNT];
        let mut first = last;
        for (index, found) in matches[..=last].iter().enumerate().rev().take(CLUSTER_MATCHES_MAX) {
            if matches[last].at.saturating_sub(found.at) > CLUSTER {
                break;
            }
            let weight = &mut weights[found.code as usize];
            *weight = weight.max(found.weight);
            first = index;
        }
        let score = 1.0 - weights.iter().fold(1.0, |rest, weight| rest * (1.0 - weight));
        if score > best.0 {
            best = (score, first..last + 1);
        }
    }
    best
}

/// Marks that only the protocols of language models have.
const TURNS: [(&str, f32); 22] = [
    ("<|im_start|>", 0.65),
    ("<|im_end|>", 0.65),
    ("<|system|>", 0.65),
    ("<|user|>", 0.6),
    ("<|assistant|>", 0.6),
    ("<|endoftext|>", 0.6),
    ("<|start_header_id|>", 0.65),
    ("<|eot_id|>", 0.6),
    ("<<sys>>", 0.65),
    ("[inst]", 0.5),
    ("[/inst]", 0.6),
    ("<system>", 0.45),
    ("</system>", 0.5),
    ("<system_prompt>", 0.5),
    ("</user_input>", 0.5),
    ("<tool_call>", 0.5),
    ("</tool_call>", 0.5),
    ("### system", 0.45),
    ("### instruction", 0.35),
    ("[system message]", 0.5),
    ("[system]", 0.35),
    ("<system-reminder>", 0.5),
];

/// Whether a byte is the third of a mark.
const IS_THIRD: [bool; 256] = {
    let (mut all, mut at) = ([false; 256], 0);
    while at < TURNS.len() {
        let third = TURNS[at].0.as_bytes()[2];
        all[third as usize] = true;
        all[third.to_ascii_uppercase() as usize] = true;
        at += 1;
    }
    all
};

/// Finds forged turns of a conversation with a language model.
pub(crate) fn forged_turns(text: &str, matches: &mut Vec<Match>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr3_iter(b'<', b'[', b'#', bytes).take(MATCHES_MAX * 8) {
        let Some(third) = bytes.get(at + 2).filter(|third| IS_THIRD[usize::from(**third)]) else { continue };
        let is_mark = |mark: &str| {
            mark.as_bytes()[2] == third.to_ascii_lowercase()
                && bytes.get(at..at + mark.len()).is_some_and(|here| here.eq_ignore_ascii_case(mark.as_bytes()))
        };
        if let Some((mark, weight)) = TURNS.iter().find(|(mark, _)| is_mark(mark)) {
            push_turn(matches, at, at + mark.len(), *weight);
            if matches.len() >= MATCHES_MAX {
                return;
            }
        }
    }
}

fn push_turn(matches: &mut Vec<Match>, start: usize, end: usize, weight: f32) {
    if matches.len() < MATCHES_MAX {
        let (start, end) = (position(start), position(end));
        matches.push(Match { code: Code::ForgedTurn, weight, at: 0, start, end, is_disguised: false });
    }
}

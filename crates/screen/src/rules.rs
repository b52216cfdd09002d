//! Which words near each other make an instruction to an assistant.

use crate::Code;
use crate::lexicon::{
    ACT, ADDRESS, ASSISTANT, CONCEAL, Concepts, DATA, INSTRUCTION, META, OVERRIDE, PRIOR, PROMPT, REVEAL, ROLE, SECRET,
    SEND, SYSTEM, TARGET, TOOL, TRIGGER, URGENT, USER,
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

const fn rule(code: Code, needs: [Concepts; 4], within: u32, weight: f32) -> Rule {
    Rule { code, needs, within, weight }
}

/// The rules; of those with one code, the heaviest that matches counts.
const RULES: [Rule; 30] = [
    rule(Code::OverrideInstructions, [OVERRIDE, INSTRUCTION, PRIOR, ANY], CLOSE, 0.62),
    rule(Code::OverrideInstructions, [OVERRIDE, INSTRUCTION, ASSISTANT | ADDRESS | ROLE, ANY], NEAR, 0.65),
    rule(Code::OverrideInstructions, [OVERRIDE, PROMPT, ANY, ANY], CLOSE, 0.62),
    rule(Code::OverrideInstructions, [OVERRIDE, INSTRUCTION, ANY, ANY], CLOSE, 0.3),
    rule(Code::OverrideInstructions, [OVERRIDE, PRIOR, ROLE, ANY], NEAR, 0.6),
    rule(Code::AddressesAssistant, [ADDRESS, VERBS, SECRET | DATA | CONCEAL | TARGET | PROMPT, ANY], NEAR, 0.66),
    rule(Code::AddressesAssistant, [ADDRESS, VERBS | OVERRIDE | CONCEAL | ROLE, ANY, ANY], NEAR, 0.5),
    rule(Code::AddressesAssistant, [ASSISTANT, URGENT, SEND | REVEAL | ACT, SECRET | TARGET], NEAR, 0.4),
    rule(Code::AddressesAssistant, [ASSISTANT, SEND | REVEAL, SECRET | PROMPT, TARGET], NEAR, 0.5),
    rule(Code::AddressesAssistant, [ADDRESS, ANY, ANY, ANY], CLOSE, 0.15),
    rule(Code::RoleChange, [ROLE, ASSISTANT | INSTRUCTION | SYSTEM, OVERRIDE | VERBS | CONCEAL, ANY], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, OVERRIDE | CONCEAL | PROMPT, ANY, ANY], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, VERBS, DATA | SECRET, TARGET], NEAR, 0.5),
    rule(Code::RoleChange, [ROLE, ASSISTANT | SYSTEM, ANY, ANY], CLOSE, 0.3),
    rule(Code::RevealsPrompt, [REVEAL | SEND, PROMPT, ANY, ANY], CLOSE, 0.5),
    rule(Code::AsksForSecret, [SEND, SECRET, TARGET, ANY], NEAR, 0.35),
    rule(Code::AsksForSecret, [REVEAL | SEND, SECRET, DATA, TARGET], NEAR, 0.5),
    rule(Code::AsksForSecret, [SEND, SECRET, CONCEAL, ANY], NEAR, 0.5),
    rule(Code::AsksForSecret, [SEND | REVEAL, SECRET, ANY, ANY], CLOSE, 0.15),
    rule(Code::ForwardsMail, [SEND, DATA, TARGET, PRIOR], NEAR, 0.25),
    rule(Code::ForwardsMail, [SEND, DATA, TARGET, CONCEAL], NEAR, 0.5),
    rule(Code::Conceals, [CONCEAL, USER, VERBS, ANY], NEAR, 0.45),
    rule(Code::Conceals, [CONCEAL, ASSISTANT | ADDRESS | ROLE | OVERRIDE | TRIGGER, ANY, ANY], NEAR, 0.45),
    rule(Code::Conceals, [CONCEAL, SEND | ACT, DATA | TARGET | SECRET, ANY], NEAR, 0.4),
    rule(Code::Conceals, [CONCEAL, USER, ANY, ANY], CLOSE, 0.25),
    rule(Code::UsesTool, [TOOL, ASSISTANT | ADDRESS | ROLE | CONCEAL, VERBS, TARGET | SECRET], NEAR, 0.35),
    rule(Code::ConditionalTrigger, [TRIGGER, VERBS, SECRET | TARGET | CONCEAL | PROMPT, ANY], NEAR, 0.4),
    rule(Code::ConditionalTrigger, [TRIGGER, OVERRIDE | ASSISTANT | ROLE | ADDRESS, VERBS, ANY], NEAR, 0.4),
    rule(Code::ConditionalTrigger, [TRIGGER, SEND | TOOL, DATA, PRIOR], NEAR, 0.2),
    rule(Code::SensitiveAction, [ACT, DATA, CONCEAL | ADDRESS, ANY], NEAR, 0.4),
];

/// Finds the instructions among the words of a text, in order.
pub(crate) fn find(hits: &mut [Hit], text: &str) -> Vec<Match> {
    hits.sort_by_key(|hit| hit.at);
    let metas: Vec<u32> = hits.iter().filter(|hit| hit.concepts & META != 0).map(|hit| hit.at).collect();
    let mut matches: Vec<Match> = Vec::new();
    for last in 0..hits.len() {
        let hit = hits[last];
        if hit.concepts & !(PRIOR | META | USER | URGENT) == 0 && hit.concepts & (PRIOR | USER | URGENT) == 0 {
            continue;
        }
        let window = Window::before(hits, last);
        for rule in &RULES {
            if window.meets(rule, hit.concepts) {
                let found = window.as_match(rule, hit, discount(&metas, &window, rule, hit, text));
                keep(&mut matches, found);
            }
        }
    }
    matches
}

/// The words up to one.
struct Window {
    close: Concepts,
    near: Concepts,
    first_close: u32,
    first_near: u32,
    is_disguised_close: bool,
    is_disguised_near: bool,
}

impl Window {
    fn before(hits: &[Hit], last: usize) -> Self {
        let hit = hits[last];
        let mut window = Self {
            close: hit.concepts,
            near: hit.concepts,
            first_close: hit.start,
            first_near: hit.start,
            is_disguised_close: hit.is_disguised,
            is_disguised_near: hit.is_disguised,
        };
        for earlier in hits[..last].iter().rev().take(LOOKBACK_MAX) {
            let distance = hit.at - earlier.at;
            if distance > NEAR {
                break;
            }
            if distance <= CLOSE {
                window.close |= earlier.concepts;
                window.first_close = window.first_close.min(earlier.start);
                window.is_disguised_close |= earlier.is_disguised;
            }
            window.near |= earlier.concepts;
            window.first_near = window.first_near.min(earlier.start);
            window.is_disguised_near |= earlier.is_disguised;
        }
        window
    }

    /// Returns whether a rule matches with the last word as one of its words.
    #[inline]
    fn meets(&self, rule: &Rule, last: Concepts) -> bool {
        let all = if rule.within == CLOSE { self.close } else { self.near };
        rule.needs.iter().all(|need| all & need != 0) && rule.needs.iter().any(|need| *need != ANY && last & need != 0)
    }

    fn as_match(&self, rule: &Rule, hit: Hit, factor: f32) -> Match {
        let (first, is_disguised) = if rule.within == CLOSE {
            (self.first_close, self.is_disguised_close)
        } else {
            (self.first_near, self.is_disguised_near)
        };
        Match {
            code: rule.code,
            weight: rule.weight * factor,
            at: hit.at,
            start: first.min(hit.start),
            end: hit.end,
            is_disguised,
        }
    }
}

/// Returns how much less an instruction counts where the text speaks about instructions: it quotes them, and words such
/// as "attack" or "example" are near.
fn discount(metas: &[u32], window: &Window, rule: &Rule, hit: Hit, text: &str) -> f32 {
    let after = metas.partition_point(|at| *at < hit.at);
    let is_meta = metas.get(after).is_some_and(|at| at - hit.at <= 40)
        || after.checked_sub(1).and_then(|at| metas.get(at)).is_some_and(|at| hit.at - at <= 40);
    if !is_meta || window.near & TARGET != 0 && window.near & SEND != 0 || hit.is_disguised {
        return 1.0;
    }
    let first = if rule.within == CLOSE { window.first_close } else { window.first_near } as usize;
    let before = text.get(..first).unwrap_or_default();
    let is_quoted = before
        .chars()
        .rev()
        .take(24)
        .any(|c| matches!(c, '"' | '\u{201c}' | '\u{201e}' | '\u{2018}' | '\u{ab}' | '\u{300c}' | '`' | '>'));
    if is_quoted { 0.35 } else { 0.6 }
}

/// Keeps the heaviest match of a code among near ones.
fn keep(matches: &mut Vec<Match>, found: Match) {
    let near = matches.iter_mut().rev().take(16).take_while(|earlier| found.at - earlier.at <= 20);
    for earlier in near {
        if earlier.code == found.code {
            if found.weight > earlier.weight || found.is_disguised && !earlier.is_disguised {
                let weight = found.weight.max(earlier.weight);
                *earlier = Match { at: earlier.at, weight, ..found };
            }
            return;
        }
    }
    if matches.len() < MATCHES_MAX {
        matches.push(found);
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

/// Finds forged turns of a conversation with a language model.
pub(crate) fn forged_turns(text: &str, matches: &mut Vec<Match>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr3_iter(b'<', b'[', b'#', bytes).take(MATCHES_MAX * 8) {
        let mut is_found = false;
        for (mark, weight) in TURNS {
            let end = at + mark.len();
            if bytes.get(at..end).is_some_and(|here| here.eq_ignore_ascii_case(mark.as_bytes())) {
                push_turn(matches, at, end, weight);
                is_found = true;
                break;
            }
        }
        if is_found && matches.len() >= MATCHES_MAX {
            return;
        }
    }
}

fn push_turn(matches: &mut Vec<Match>, start: usize, end: usize, weight: f32) {
    if matches.len() < MATCHES_MAX {
        let (start, end) = (position(start), position(end));
        matches.push(Match { code: Code::ForgedTurn, weight, at: 0, start, end, is_disguised: false });
    }
}

//! Why a delivery failed, from what a report tells of it: the words of the server that decided, and the text for people,
//! which often says what those do not.

use crate::{
    bounce::{self, Class, Said},
    smtp::client::Stage,
};

/// What is known of a failure.
pub(super) struct Facts<'f> {
    /// The server still tries.
    pub(super) is_delayed: bool,
    /// The enhanced code.
    pub(super) status: Option<&'f str>,
    /// The words of the server that decided.
    pub(super) words: &'f str,
    /// The text for people, which often says what the words do not.
    pub(super) said: &'f str,
}

/// Why it failed.
pub(super) fn of(facts: &Facts<'_>) -> Class {
    let code = reply_code(facts.words);
    let told = Said { code, enhanced: facts.status, words: facts.words, stage: stage(facts.words) };
    let class = bounce::classify(&told);
    if facts.is_delayed {
        return class;
    }
    // Codes that leave no doubt: what people are told beside them is of the mailer's own making.
    let is_clear = facts.status.is_some_and(|code| ["5.1.", "5.7."].iter().any(|class| code.starts_with(class)));
    let says_nothing = matches!(class, Class::Other | Class::System | Class::Network);
    let class = match bounce::by_prose(facts.said) {
        Some(prose) if says_nothing && !is_clear => prose,
        _ => class,
    };
    // What was given up although the server only asked to wait has run out of time.
    let is_temporary = match facts.status {
        Some(code) => code.starts_with('4'),
        None => code.or_else(|| reply_code(facts.said)).is_some_and(|code| code < 500),
    };
    if is_temporary && matches!(class, Class::Other | Class::Policy) { Class::Expired } else { class }
}

/// To which command it was said, as exim and Postfix tell; that the text was refused says nothing of what it was refused for.
fn stage(words: &str) -> Option<Stage> {
    let lower = words.to_ascii_lowercase();
    let to =
        |command: &str| lower.contains(&format!("after {command}")) || lower.contains(&format!("reply to {command}"));
    [("mail from", Stage::MailFrom), ("ehlo", Stage::Ehlo), ("helo", Stage::Ehlo)]
        .into_iter()
        .find_map(|(command, stage)| to(command).then_some(stage))
}

/// The first reply code: three digits alone, 400 to 599.
fn reply_code(text: &str) -> Option<u16> {
    let bare = |word: &'_ str| word.trim_matches(['-', ':', ',', ';', '(', ')', '[', ']', '"', '\'']).to_owned();
    let is_code = |digits: &String| {
        digits.len() == 3 && matches!(digits.as_bytes()[0], b'4' | b'5') && digits.bytes().all(|b| b.is_ascii_digit())
    };
    text.split_whitespace().map(bare).find(is_code).and_then(|digits| digits.parse().ok())
}

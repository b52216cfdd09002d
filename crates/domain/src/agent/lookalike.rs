//! Names that look alike (Unicode Technical Standard #39).

use icu_normalizer::{
    ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed, properties::CanonicalCombiningClassMapBorrowed,
};
use unicode_security::{MixedScript, skeleton as confusable_skeleton};

use super::{card_text::visible, letters};

/// Stands for a letter of another script in a word that also has letters from A to Z: it may be meant for any letter.
const UNREAD: char = '\u{fffd}';

/// Returns the form that look-alikes share: confusable characters are replaced by one of them, twice, because the
/// replacement may be a capital letter.
#[must_use]
pub fn skeleton(text: &str) -> String {
    let once: String = confusable_skeleton(text).collect();
    confusable_skeleton(&once.to_lowercase()).collect()
}

/// A name or handle as people read it, as skeletons.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reading {
    words: Vec<String>,
    joined: String,
}

impl Reading {
    /// Reads a text as it is written, in the compatible form (NFKC) and without invisible characters.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = compatible(text);
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(read_word).collect();
        Self { joined: words.concat(), words }
    }

    /// Returns the skeletons of the words.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns whether the text has words with these skeletons in a row.
    #[must_use]
    pub fn has_words(&self, skeletons: &[String]) -> bool {
        let has = |words: &[String]| words.iter().zip(skeletons).all(|(word, skeleton)| is_read_as(word, skeleton));
        !skeletons.is_empty() && self.words.windows(skeletons.len()).any(has)
    }

    /// Returns whether some words in a row, written together, read as the name with this skeleton.
    #[must_use]
    pub fn has_run(&self, skeleton: &str) -> bool {
        (0..self.words.len()).any(|first| {
            let mut run = String::new();
            self.words[first..].iter().any(|word| {
                run.push_str(word);
                is_read_as(&run, skeleton)
            })
        })
    }

    /// Returns the text without hyphens, blanks and other breaks. Texts that look alike have the same.
    #[must_use]
    pub fn joined(&self) -> &str {
        &self.joined
    }

    /// Returns the reading with `m` for `rn`, so that each letter of a name is one character.
    #[must_use]
    pub fn by_letters(self) -> Self {
        let fold = |text: &String| text.replace("rn", "m");
        Self { words: self.words.iter().map(fold).collect(), joined: fold(&self.joined) }
    }

    /// Returns the two parts of each handle `@workspace/agent` that the text could be taken for.
    pub fn halves(&self) -> impl Iterator<Item = (&str, &str)> {
        self.joined.char_indices().skip(1).map(|(at, _)| self.joined.split_at(at))
    }
}

/// Returns whether a word or name can be read as the one with this skeleton.
#[must_use]
pub fn is_read_as(text: &str, skeleton: &str) -> bool {
    after(text, skeleton).is_some_and(str::is_empty)
}

/// Returns what follows in a text that begins like the name with this skeleton.
#[must_use]
pub fn after<'t>(text: &'t str, skeleton: &str) -> Option<&'t str> {
    let (mut rest, mut same, mut all) = (text.chars(), 0, 0);
    for wanted in skeleton.chars() {
        let found = rest.next()?;
        same += usize::from(found == wanted);
        all += 1;
        if found != wanted && found != UNREAD {
            return None;
        }
    }
    (2 * same >= all).then_some(rest.as_str())
}

/// Returns what precedes in a text that ends like the name with this skeleton.
#[must_use]
pub fn before<'t>(text: &'t str, skeleton: &str) -> Option<&'t str> {
    let chars = skeleton.chars().count().checked_sub(1)?;
    let (at, _) = text.char_indices().rev().nth(chars)?;
    is_read_as(&text[at..], skeleton).then(|| &text[..at])
}

fn compatible(text: &str) -> String {
    let text = letters::symbols_as_letters(&visible(text));
    // The compatible form may be a sign again.
    letters::symbols_as_letters(&ComposingNormalizerBorrowed::new_nfkc().normalize(&text))
}

/// Returns the skeleton of a word, with [`UNREAD`] for the letters of other scripts beside letters from A to Z.
fn read_word(word: &str) -> String {
    let read = skeleton(word);
    if !word.contains(|c: char| c.is_ascii_alphabetic()) {
        return read;
    }
    read.chars().map(|c| if c.is_alphanumeric() && !c.is_ascii() { UNREAD } else { c }).collect()
}

/// Returns the ways to read a name. A capital I counts both as an i and as an l.
#[must_use]
pub fn readings(name: &str) -> Vec<Reading> {
    let mut readings = vec![Reading::of(name), Reading::of(&name.to_lowercase())];
    readings.retain(|reading| !reading.joined.is_empty());
    readings.dedup();
    readings
}

/// Returns the ways to read a name, also without its accents and other marks, without the digits at the ends of its words,
/// and with digits for letters: [by letters](Reading::by_letters).
#[must_use]
pub fn loose_readings(name: &str) -> Vec<Reading> {
    let name = compatible(name);
    let mut texts = Vec::new();
    for text in [without_marks(&name), name] {
        let trimmed = letters::without_end_digits(&text);
        texts.extend([letters::digits_as_letters(&text), letters::digits_as_letters(&trimmed), trimmed, text]);
    }
    texts.sort_unstable();
    texts.dedup();
    let mut all: Vec<Reading> = texts.iter().flat_map(|text| readings(text)).map(Reading::by_letters).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns a name without accents, strokes, hooks and other marks of its letters.
fn without_marks(name: &str) -> String {
    let classes = CanonicalCombiningClassMapBorrowed::new();
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(name);
    let bare: String = decomposed.chars().filter(|c| classes.get_u8(*c) == 0).collect();
    let plain = letters::plain_letters(&bare);
    let read = |word: &str| -> String {
        let bare =
            |c: char| confusable_skeleton(c.encode_utf8(&mut [0; 4])).filter(|c| classes.get_u8(*c) == 0).collect();
        let letter = |c: char| if c.is_ascii() { String::from(c) } else { bare(c) };
        if word.contains(|c: char| c.is_ascii_alphabetic()) {
            word.chars().map(letter).collect()
        } else {
            word.to_owned()
        }
    };
    plain.split_inclusive(|c: char| !c.is_alphanumeric()).map(read).collect()
}

/// Returns the part of a name that is read as the handle of a workspace: `acme` in `@acme`, `@acme/help` and `acme/help`.
#[must_use]
pub fn handle_in_name(name: &str) -> Option<&str> {
    let name = name.trim();
    match (name.strip_prefix(['@', '＠', '﹫']), name.split_once(['/', '／'])) {
        (Some(rest), _) => {
            rest.split(|c: char| c.is_whitespace() || c == '/' || c == '／').find(|part| !part.is_empty())
        }
        (None, Some((workspace, _))) if !name.contains(char::is_whitespace) => Some(workspace),
        (None, _) => None,
    }
}

/// Returns whether a word of the text mixes scripts, such as Latin and Cyrillic letters.
#[must_use]
pub fn has_mixed_word(text: &str) -> bool {
    text.split_whitespace().any(|word| !word.is_single_script())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn look_alikes_share_a_skeleton() {
        for (one, other) in
            [("acme", "аcme"), ("paypal", "paypa1"), ("google", "g00gle"), ("acme", "acrne"), ("ＡＣＭＥ", "acme")]
        {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        assert_ne!(skeleton("acme"), skeleton("acne"));
    }

    #[test]
    fn a_name_is_read_without_its_word_breaks() {
        let handle = Reading::of("paypal");
        for name in ["PayPal", "Pay Pal", "PаyPаl", "Pay-Pal!", "PayPaI", "p.a.y.p.a.l", "@PayPal"] {
            assert!(readings(name).iter().any(|one| one.joined() == handle.joined()), "{name}: {:?}", readings(name));
        }
        assert!(readings("Acme Support").iter().any(|one| one.joined() == Reading::of("acme-support").joined()));
        assert!(readings("!!!").is_empty());
    }

    #[test]
    fn some_names_are_read_as_handles() {
        for (name, workspace) in [
            ("@acme", Some("acme")),
            (" @acme/help", Some("acme")),
            ("＠acme help", Some("acme")),
            ("acme/help", Some("acme")),
            ("acme／help", Some("acme")),
            ("Acme Help", None),
            ("Sales and/or support", None),
            ("@", None),
        ] {
            assert_eq!(handle_in_name(name), workspace, "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_read_as_the_handle_that_it_spells(
            workspace in "[a-z0-9](-?[a-z0-9]){0,8}",
            part in "[a-z0-9](-?[a-z0-9]){1,8}",
            between in prop::sample::select(vec!["/", " ", "", "-", " / ", ": "]),
        ) {
            let (one, other) = (Reading::of(&workspace), Reading::of(&part));
            for name in [format!("@{workspace}{between}{part}"), format!("{workspace}{between}{part}").to_uppercase()] {
                let found = readings(&name);
                let has = found.iter().any(|one_way| one_way.halves().any(|halves| halves == (one.joined(), other.joined())));
                prop_assert!(has, "{name}: {found:?}");
            }
        }
    }

    #[test]
    fn scripts_mix_between_words_only() {
        assert!(!has_mixed_word("Яндекс Bot") && !has_mixed_word("日本語 テスト") && !has_mixed_word("Acme 24/7"));
        assert!(has_mixed_word("Аcme"));
    }
}

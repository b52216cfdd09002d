//! Names that look alike (Unicode Technical Standard #39).

use unicode_security::{MixedScript, skeleton as confusable_skeleton};

/// Returns the form that look-alikes share: confusable characters are replaced by one of them, twice, because the
/// replacement may be a capital letter.
#[must_use]
pub fn skeleton(text: &str) -> String {
    let once: String = confusable_skeleton(text).collect();
    confusable_skeleton(&once.to_lowercase()).collect()
}

/// Returns the handles that a name could be taken for, as skeletons: its words joined with hyphens, or with nothing. A
/// capital I counts both as an i and as an l.
#[must_use]
pub fn readings(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut readings: Vec<String> = [name, lower.as_str()]
        .into_iter()
        .flat_map(|text| {
            let is_part = |c: char| c.is_alphanumeric();
            let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
            [skeleton(&words.join("-")), skeleton(&words.concat())]
        })
        .filter(|reading| !reading.is_empty())
        .collect();
    readings.sort_unstable();
    readings.dedup();
    readings
}

/// Returns whether a word of the text mixes scripts, such as Latin and Cyrillic letters.
#[must_use]
pub fn has_mixed_word(text: &str) -> bool {
    text.split_whitespace().any(|word| !word.is_single_script())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_name_is_read_with_and_without_its_word_breaks() {
        let handle = skeleton("paypal");
        for name in ["PayPal", "Pay Pal", "PаyPаl", "Pay-Pal!", "PayPaI"] {
            assert!(readings(name).contains(&handle), "{name}: {:?}", readings(name));
        }
        assert!(readings("Acme Support").contains(&skeleton("acme-support")));
        assert!(readings("!!!").is_empty());
    }

    #[test]
    fn scripts_mix_between_words_only() {
        assert!(!has_mixed_word("Яндекс Bot") && !has_mixed_word("日本語 テスト") && !has_mixed_word("Acme 24/7"));
        assert!(has_mixed_word("Аcme"));
    }
}

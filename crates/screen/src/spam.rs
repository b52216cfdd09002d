//! Signs of unwanted bulk mail and fraud.

use crate::Content;

/// Signs from which a mail counts as spam.
const POINTS_MIN: u32 = 5;
/// Characters of a text that are read.
const TEXT_MAX: usize = 64 * 1024;

/// Phrases of spam in lower case, with points.
const PHRASES: [(&str, &str, u32); 44] = [
    ("you have won", "prize", 3),
    ("you've won", "prize", 3),
    ("lottery", "prize", 2),
    ("claim your prize", "prize", 3),
    ("million dollars", "advance_fee", 3),
    ("million usd", "advance_fee", 3),
    ("next of kin", "advance_fee", 4),
    ("late client", "advance_fee", 2),
    ("inheritance fund", "advance_fee", 4),
    ("transfer the fund", "advance_fee", 3),
    ("confidential business proposal", "advance_fee", 4),
    ("western union", "advance_fee", 2),
    ("beneficiary", "advance_fee", 1),
    ("i have recorded you", "extortion", 4),
    ("your webcam", "extortion", 3),
    ("bitcoin wallet", "extortion", 2),
    ("send bitcoin", "extortion", 3),
    ("viagra", "pharmacy", 4),
    ("cialis", "pharmacy", 4),
    ("online pharmacy", "pharmacy", 3),
    ("weight loss", "pharmacy", 2),
    ("no prescription", "pharmacy", 3),
    ("work from home", "easy_money", 2),
    ("earn extra cash", "easy_money", 3),
    ("make money fast", "easy_money", 4),
    ("get rich", "easy_money", 2),
    ("risk free", "easy_money", 1),
    ("risk-free", "easy_money", 1),
    ("double your", "easy_money", 2),
    ("guaranteed income", "easy_money", 3),
    ("no credit check", "loan", 3),
    ("lowest mortgage", "loan", 3),
    ("consolidate your debt", "loan", 3),
    ("loan offer", "loan", 2),
    ("100% free", "offer", 2),
    ("act now", "offer", 1),
    ("limited time offer", "offer", 1),
    ("click here now", "offer", 2),
    ("this is not spam", "offer", 4),
    ("you were selected", "prize", 2),
    ("dear friend", "advance_fee", 1),
    ("replica watches", "counterfeit", 4),
    ("hot singles", "adult", 4),
    ("adult dating", "adult", 4),
];

/// Returns why a mail is spam; `None` if it isn't.
#[must_use]
pub fn spam(content: &Content<'_>) -> Option<Vec<&'static str>> {
    let subject = content.subject;
    let mut text: String = content.text.unwrap_or_default().chars().take(TEXT_MAX).collect();
    text.insert(0, '\n');
    text.insert_str(0, subject);
    let text = text.to_lowercase();
    let mut points = 0;
    let mut reasons = Vec::new();
    for (phrase, reason, weight) in PHRASES {
        if text.contains(phrase) {
            points += weight;
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    let mut sign = |is_set: bool, reason, weight| {
        if is_set {
            points += weight;
            reasons.push(reason);
        }
    };
    let letters = subject.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = subject.chars().filter(|c| c.is_uppercase()).count();
    sign(letters >= 12 && capitals * 10 >= letters * 9, "capital_letters", 1);
    sign(subject.matches(['!', '$']).count() >= 3, "exclamations", 1);
    sign(content.is_authenticated == Some(false), "unauthenticated", 1);
    sign(content.is_reply_elsewhere, "reply_elsewhere", 1);
    (points >= POINTS_MIN).then_some(reasons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spam_has_reasons_and_ham_has_none() {
        let of = |subject, text| spam(&Content { subject, text: Some(text), ..Content::default() });
        let text =
            "Dear friend, I am the lawyer of a late client, his next of kin is unknown. 10 million dollars wait.";
        assert_eq!(of("Business", text), Some(vec!["advance_fee"]));
        assert_eq!(of("YOU HAVE WON!!!", "Claim your prize in the lottery."), Some(vec!["prize", "exclamations"]));
        assert_eq!(of("Lunch", "The lottery of who pays is today. Act now!"), None);
    }
}

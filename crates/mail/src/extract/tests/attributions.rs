//! Attributions of a name, a verb and a date without year or address, above quotes with the reply below or between.

use crate::extract::new_text;

/// Attributions with a name as `@` and a day as `%`.
const ATTRIBUTIONS: [&str; 40] = [
    "@ wrote on 4 August:",
    "@ wrote on 4 August 2026:",
    "@ wrote on 4 August at 10:07:",
    "@ wrote on Aug 4, 10:07 am:",
    "@ wrote on the 4th of August:",
    "@ wrote on 4/8:",
    "@ wrote on Tuesday:",
    "@ writes:",
    "@ wrote:",
    "On 4 August @ wrote:",
    "On Aug 4 at 10:07 AM @ wrote:",
    "4 August, @ wrote:",
    "Quoting @ (4 August):",
    "* @ wrote on 4 August:",
    "@ schrieb am 4. August:",
    "Am 4. August schrieb @:",
    "Am 4. August um 10:07 Uhr schrieb @:",
    "@ hat am 4. August geschrieben:",
    "Zitat von @ (4. August):",
    "@ a écrit le 4 août :",
    "Le 4 août, @ a écrit :",
    "@ escribió el 4 de agosto:",
    "El 4 de agosto, @ escribió:",
    "@ escreveu em 4 de agosto:",
    "Em 4 de agosto, @ escreveu:",
    "@ ha scritto il 4 agosto:",
    "Il 4 agosto @ ha scritto:",
    "@ schreef op 4 augustus:",
    "Op 4 augustus schreef @:",
    "@ skrev den 4 augusti:",
    "Den 4 augusti skrev @:",
    "@ skrifaði 4. ágúst:",
    "@ kirjoitti 4. elokuuta:",
    "@ a scris pe 4 august:",
    "@ napisała 4 sierpnia:",
    "Dne 4. srpna napsala @:",
    "@ написала 4 августа:",
    "4 августа @ написала:",
    "@ 4 Ağustos'ta yazdı:",
    "@ 于8月4日写道：",
];

const NAMES: [&str; 5] = ["Ana", "Ana Lopez", "Ana María van der Berg", "Анна", "安娜"];

const QUOTES: [&str; 2] = ["Can you come on Friday?", "Who brings the projector?"];
const ANSWERS: [&str; 2] = ["Yes, by noon.", "Paul has one in his office."];

/// Returns mails with an attribution, and their new text.
fn mails(attribution: &str) -> Vec<(String, String)> {
    let ([first, second], [answer, other]) = (QUOTES, ANSWERS);
    let mut all = Vec::new();
    for gap in ["\n", "\n\n"] {
        let quotes = format!("{attribution}{gap}> {first}");
        let replies = format!("{answer}\n\n{other}");
        all.push((format!("{quotes}\n> {second}\n\n{replies}\n"), replies.clone()));
        all.push((format!("{quotes}\n\n{answer}\n\n> {second}\n\n{other}\n"), replies.clone()));
        all.push((format!("Hi,\n\n{quotes}\n\n{answer}\n> {second}\n{other}\n"), format!("Hi,\n\n{replies}")));
        all.push((format!("{replies}\n\n{quotes}\n> {second}\n"), replies));
    }
    all
}

#[test]
fn the_attribution_goes_and_the_reply_stays() {
    let mut variants = 0;
    for attribution in ATTRIBUTIONS {
        for name in NAMES {
            for (mail, expected) in mails(&attribution.replace('@', name)) {
                assert_eq!(new_text(Some(&mail), None).unwrap().text, expected, "{mail}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 1000);
}

#[test]
fn a_wrapped_attribution_goes() {
    let mut variants = 0;
    // A verb in two parts is only found on one line.
    let attributions = ATTRIBUTIONS.iter().filter(|line| !line.contains("geschrieben"));
    for attribution in attributions.map(|line| line.replace('@', "Ana María Lopez")) {
        for (at, _) in attribution.match_indices(' ').filter(|(at, _)| attribution[at + 1..].len() > 3 && *at >= 20) {
            let wrapped = format!("{}\n{}", &attribution[..at], &attribution[at + 1..]);
            if !wrapped.contains("Ana María Lopez") {
                continue;
            }
            let mail = format!("{wrapped}\n> {}\n\n{}\n", QUOTES[0], ANSWERS[0]);
            assert_eq!(new_text(Some(&mail), None).unwrap().text, ANSWERS[0], "{mail}");
            variants += 1;
        }
    }
    assert!(variants >= 50);
}

#[test]
fn the_authors_own_words_above_a_quote_stay() {
    let mut variants = 0;
    for line in [
        "As you wrote on 4 August:",
        "I agree with what you said on 4 August:",
        "My comments on the plan of 4 August:",
        "See below:",
        "My answers are inline:",
        "Here is what I think about your question of 4 August:",
        "I wrote this to you last week:",
        "Dear Ana, you wrote on 4 August:",
        "Wie Sie am 4. August schrieben:",
        "Comme vous l'avez dit le 4 août :",
    ] {
        for gap in ["\n", "\n\n"] {
            let mail = format!("{line}{gap}> {}\n\n{}\n", QUOTES[0], ANSWERS[0]);
            assert_eq!(new_text(Some(&mail), None).unwrap().text, format!("{line}\n\n{}", ANSWERS[0]));
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_mail_with_words_is_never_empty() {
    let mut variants = 0;
    for attribution in ATTRIBUTIONS {
        for mail in ["@", "@\n", "@\n> ", "@\n> Quoted\n", "> Quoted\n@\n", "-- \n@\n> Quoted\n"] {
            let mail = mail.replace('@', &attribution.replace('@', "Ana"));
            let text = new_text(Some(&mail), None).unwrap().text;
            assert!(text.contains(char::is_alphanumeric), "{mail:?}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

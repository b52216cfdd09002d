//! The model in the binary on mails that were written one by one, which no training row resembles.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use posthouse_categoriser::{Answers, Mail, Model};

const CATEGORIES: [&str; 8] =
    ["support", "sales", "billing", "verification", "notification", "newsletter", "personal", "other"];
const LANGUAGES: [&str; 12] = ["ar", "de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "tr", "zh"];

/// A mail of `ml/data/measure.*.txt`.
struct Written {
    language: &'static str,
    /// A category, `attack` or `phishing`.
    kind: String,
    automatic: bool,
    from: String,
    subject: String,
    text: String,
}

fn written() -> Vec<Written> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ml/data");
    let mut found: Vec<Written> = Vec::new();
    for language in LANGUAGES {
        let file = std::fs::read_to_string(folder.join(format!("measure.{language}.txt"))).unwrap();
        for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let (mark, rest) = line.split_at(2);
            match mark {
                "= " => {
                    let [kind, _, automatic, from] =
                        rest.splitn(4, ' ').collect::<Vec<_>>().try_into().expect("four words");
                    found.push(Written {
                        language,
                        kind: kind.to_owned(),
                        automatic: automatic == "1",
                        from: from.to_owned(),
                        subject: String::new(),
                        text: String::new(),
                    });
                }
                "S:" => found.last_mut().unwrap().subject = rest.trim().to_owned(),
                _ => found.last_mut().unwrap().text = rest.trim().to_owned(),
            }
        }
    }
    found
}

fn answered() -> Vec<(Written, Answers)> {
    let model = Model::builtin();
    let answer = |mail: Written| {
        let found =
            model.answer(&Mail { from: &mail.from, subject: &mail.subject, text: &mail.text, ..Mail::default() });
        (mail, found)
    };
    written().into_iter().map(answer).collect()
}

fn share(right: usize, all: usize) -> f64 {
    right as f64 / all as f64
}

#[test]
fn ordinary_mail_of_every_language_gets_its_category() {
    let mails = answered();
    let ordinary = mails.iter().filter(|(mail, _)| CATEGORIES.contains(&mail.kind.as_str()) && !mail.automatic);
    let (mut right, mut all) = (0, 0);
    for (mail, answers) in ordinary {
        let best = (0..8).max_by(|a, b| answers.category[*a].total_cmp(&answers.category[*b])).unwrap();
        right += usize::from(CATEGORIES[best] == mail.kind);
        all += 1;
    }
    assert!(all >= 140, "{all} mails");
    assert!(share(right, all) >= 0.70, "{right} of {all}");
}

#[test]
fn attacks_in_mail_are_found_and_ordinary_mail_is_not_taken_for_one() {
    let mails = answered();
    let labeled = |attack: bool| {
        let chosen = mails.iter().filter(move |(mail, _)| (mail.kind == "attack") == attack);
        chosen.filter(|(_, answers)| answers.injection >= 0.8).map(|(mail, _)| (mail.language, mail.subject.as_str()))
    };
    let (found, alarms): (Vec<_>, Vec<_>) = (labeled(true).collect(), labeled(false).collect());
    let attacks = mails.iter().filter(|(mail, _)| mail.kind == "attack").count();
    assert!(share(found.len(), attacks) >= 0.55, "{} of {attacks}: {found:?}", found.len());
    assert!(alarms.len() <= 3, "{alarms:?}");
}

#[test]
fn scams_are_found_and_ordinary_mail_is_not_taken_for_one() {
    let mails = answered();
    let scams = mails.iter().filter(|(mail, _)| mail.kind == "phishing");
    let ordinary = mails.iter().filter(|(mail, _)| CATEGORIES.contains(&mail.kind.as_str()));
    let alarms: Vec<_> =
        ordinary.filter(|(_, answers)| answers.phishing >= 0.8).map(|(mail, _)| mail.subject.as_str()).collect();
    let (found, all) = (scams.clone().filter(|(_, answers)| answers.phishing >= 0.8).count(), scams.count());
    assert!(all >= 20, "{all} scams");
    assert!(share(found, all) >= 0.75, "{found} of {all}");
    assert!(alarms.is_empty(), "{alarms:?}");
}

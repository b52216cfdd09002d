//! Every line of every text is in exactly one part, whatever the texts and budgets are.

mod clients;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::{id::MessageId, page::CursorKey, time::Time};

/// A message: its text, and the new text.
#[derive(Clone, Debug)]
struct Mail {
    text: String,
    new_text: Option<String>,
}

fn id(number: usize) -> MessageId {
    MessageId(Uuid::from_u128(number as u128 + 1))
}

/// Reads a thread to its end in parts of a budget, as a reader does; returns the digests.
fn read(mails: &[Mail], budget: usize) -> Vec<Digest> {
    let mut digests = Vec::new();
    let mut writer = DigestWriter::new(budget);
    for kind in DigestKind::ALL {
        let mut known = QuoteIndex::default();
        for (number, mail) in (1..).zip(mails) {
            let source = DigestSource { text: &mail.text, new_text: mail.new_text.as_deref() };
            let lines = if *kind == DigestKind::File { Vec::new() } else { source.lines(*kind, &known) };
            let part = DigestPart { message: id(number), attachment: None, kind: *kind, from: 0, to: 0 };
            let mut offset = 0;
            while !lines.is_empty() {
                match writer.write(&format!("#{number} someone"), &part, &lines, offset) {
                    UnitEnd::Complete => break,
                    UnitEnd::At(next) => {
                        let full = std::mem::replace(&mut writer, DigestWriter::new(budget)).finish();
                        assert!(!full.text.is_empty(), "a part has something");
                        digests.push(full);
                        offset = next;
                    }
                }
            }
            known.add(u32::try_from(number).unwrap(), &mail.text);
        }
    }
    digests.push(writer.finish());
    digests
}

/// Checks that the parts of each message are its text, each character once, and that parts that aren't references are
/// what they say.
fn check(mails: &[Mail], budget: usize) {
    let digests = read(mails, budget);
    for digest in &digests {
        assert!(digest.tokens() <= budget, "{} of {budget}", digest.tokens());
    }
    let text: String = digests.iter().map(|digest| digest.text.as_str()).collect::<Vec<_>>().join("\n");
    for (number, mail) in (1..).zip(mails) {
        let mut ranges: Vec<(u32, u32)> = digests
            .iter()
            .flat_map(|digest| &digest.parts)
            .filter(|part| part.message == id(number) && part.from < part.to)
            .map(|part| (part.from, part.to))
            .collect();
        ranges.sort_unstable();
        let mut at = 0;
        for (from, to) in ranges {
            assert_eq!(from, at, "no gap and no overlap in message {number}");
            at = to;
        }
        assert_eq!(at as usize, mail.text.chars().count(), "the whole message {number}");
        for line in mail.text.lines().filter(|line| !line.trim().is_empty() && line.len() < 40) {
            let bare = line.trim_start_matches(['>', '|', ' ']);
            assert!(text.contains(line) || text.contains(bare), "{line:?} of message {number} is somewhere");
        }
    }
}

fn reply(new: &str, to: &Mail) -> Mail {
    let quoted: String = to.text.lines().map(|line| format!("> {line}\n")).collect();
    Mail { text: format!("{new}\n\nOn Monday, they wrote:\n{quoted}"), new_text: Some(new.to_owned()) }
}

#[test]
fn a_quotation_becomes_a_line_that_names_the_message() {
    let first = Mail { text: "The parcel is late.\nPlease say when it comes.\n".to_owned(), new_text: None };
    let second = reply("It comes on Friday, I am sorry.", &first);
    let third = reply("Thank you, that is fine.", &second);
    let mails = [first, second, third];
    check(&mails, 2_000);
    let digests = read(&mails, 2_000);
    assert_eq!(digests.len(), 1);
    let text = &digests[0].text;
    assert_eq!(text.matches("The parcel is late.").count(), 1, "{text}");
    assert_eq!(text.matches("On Monday, they wrote:").count(), 1, "{text}");
    assert!(
        text.contains("I am sorry.\n\nOn Monday, they wrote:\n[quotes #1]\n"),
        "an introduction keeps its place: {text}"
    );
    assert!(text.contains("Thank you, that is fine.\n\n[quotes #2]"), "{text}");
}

#[test]
fn a_quotation_that_was_wrapped_again_is_known() {
    let long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen\n";
    let first = Mail { text: long.to_owned(), new_text: None };
    let wrapped = "ok\n\n> one two three four five six seven\n> eight nine ten eleven twelve thirteen\n> fourteen fifteen sixteen\n";
    let second = Mail { text: wrapped.to_owned(), new_text: Some("ok".to_owned()) };
    let text = read(&[first, second], 2_000).remove(0).text;
    assert!(text.ends_with("ok\n\n[quotes #1]\n"), "{text}");
}

#[test]
fn signatures_and_footers_that_a_message_repeats_are_named() {
    let footer = "-- \nAda\nhttp://ada.example\n____\nList mailing list\nlist@list.example\n";
    let first = Mail { text: format!("The first.\n{footer}"), new_text: None };
    let second = Mail { text: format!("Something else.\n\n{footer}"), new_text: None };
    let other = Mail { text: "Thanks.\n\nAda\n".to_owned(), new_text: None };
    let mails = [first, second, other];
    check(&mails, 2_000);
    let text = read(&mails, 2_000).remove(0).text;
    assert!(text.contains("Something else.\n\n[quotes #1]\n#3"), "{text}");
    assert!(text.contains("Thanks.\n\nAda\n"), "a line by itself stays: {text}");
}

#[test]
fn inline_answers_keep_their_place_and_unknown_quotations_come_once() {
    let first = Mail { text: "Is it blue or red?\nWhen does it come?\n".to_owned(), new_text: None };
    let inline =
        "> Is it blue or red?\nBlue.\n> When does it come?\nOn Friday.\n> Something that nobody here wrote before.\n";
    let second = Mail { text: inline.to_owned(), new_text: Some("Blue.\nOn Friday.".to_owned()) };
    let text = read(&[first.clone(), second.clone()], 2_000).remove(0).text;
    assert!(text.contains("[quotes #1]\nBlue.\n[quotes #1]\nOn Friday.\n"), "{text}");
    let third = reply("Fine.", &second);
    check(&[first.clone(), second.clone(), third.clone()], 100);
    let text = read(&[first, second, third], 2_000).remove(0).text;
    assert_eq!(text.matches("nobody here wrote").count(), 1, "{text}");
}

#[test]
fn progress_round_trips() {
    let mut progress = DigestProgress::default();
    assert_eq!(DigestProgress::of_key(&progress.key()), Some(progress.clone()));
    progress.set_done(DigestKind::Quote, Time::from_millis(7));
    for number in 0..OPEN_MAX + 5 {
        progress.leave_open(OpenUnit { message: id(number), kind: DigestKind::File, file: 3, offset: 9 });
    }
    assert_eq!(progress.open.len(), OPEN_MAX);
    assert_eq!(DigestProgress::of_key(&progress.key()), Some(progress.clone()));
    progress.close(OpenUnit { message: id(10), kind: DigestKind::File, file: 3, offset: 0 });
    assert_eq!(progress.open.len(), OPEN_MAX - 1);
    let key = progress.key();
    assert!(
        (0..key.len()).filter(|cut| DigestProgress::of_key(&key[..*cut]).is_some()).all(|cut| (cut - 24) % 21 == 0)
    );
}

/// Makes threads of replies: new lines, quotations of any earlier mail, inline or below, with and without extraction.
fn threads() -> impl Strategy<Value = Vec<Mail>> {
    let line = prop_oneof![
        "[a-c]{1,3}( [a-c]{1,3}){0,6}",
        "[a-z]{3,9}( [a-z]{2,9}){3,30}",
        Just(String::new()),
        Just("> quoted by hand".to_owned()),
        Just("  ".to_owned()),
        "[退款是的]{1,300}",
    ];
    let mail = (prop::collection::vec(line, 0..8), any::<prop::sample::Index>(), 0..4_u8, any::<bool>());
    prop::collection::vec(mail, 1..7).prop_map(|all| {
        let mut mails: Vec<Mail> = Vec::new();
        for (lines, which, style, ends_open) in all {
            let new = lines.join("\n");
            let quoted = mails
                .get(which.index(mails.len().max(1)))
                .map_or_else(String::new, |mail| mail.text.lines().map(|line| format!("> {line}\n")).collect());
            let text = match style {
                0 => new.clone(),
                1 => format!("{new}\nThey wrote:\n{quoted}"),
                2 => format!("{quoted}{new}\n"),
                _ => format!("{new}\n{}", quoted.replace("> ", "")),
            };
            let text = if ends_open { text.trim_end().to_owned() } else { text };
            mails.push(Mail { text, new_text: (style > 0).then_some(new) });
        }
        mails
    })
}

proptest! {
    #[test]
    fn every_line_is_in_exactly_one_part(mails in threads(), budget in prop_oneof![100..200_usize, 1_000..4_000_usize]) {
        check(&mails, budget);
    }
}

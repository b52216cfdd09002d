//! Tables of recipients, replies and loops.

use super::*;

fn mailboxes(list: &[&str]) -> Vec<Mailbox> {
    list.iter().map(|text| Mailbox::parse(text).expect("a mailbox")).collect()
}

#[test]
fn duplicate_recipients_get_one_delivery() {
    let people = MessageRecipients {
        to: mailboxes(&["A <a@x.example>", "b@x.example"]),
        cc: mailboxes(&["A@X.example"]),
        bcc: mailboxes(&["b@x.example", "c@x.example"]),
    };
    assert_eq!(people.count(), 5);
    let each: Vec<String> = people.deliveries().iter().map(|address| address.canonical()).collect();
    assert_eq!(each, ["a@x.example", "b@x.example", "c@x.example"]);
}

#[test]
fn loop_rules_limit_replies_to_automatic_mail() {
    let none = ReplyFacts::default();
    let table = [
        (none, None),
        (ReplyFacts { answers: 5, ..none }, None),
        (ReplyFacts { automatic: true, ..none }, None),
        (ReplyFacts { automatic: true, answers: 1, ..none }, Some(LoopRule::AnsweredAutomaticReply)),
        (ReplyFacts { returned: true, ..none }, Some(LoopRule::OwnMessageReturned)),
        (ReplyFacts { recent_replies: REPLIES_IN_THREAD_MAX - 1, ..none }, None),
        (ReplyFacts { recent_replies: REPLIES_IN_THREAD_MAX, ..none }, Some(LoopRule::TooManyRepliesInThread)),
    ];
    for (answered, rule) in table {
        assert_eq!(loop_rule(&answered), rule, "{answered:?}");
    }
}

#[test]
fn replies_go_to_the_expected_recipients() {
    use Direction::{Inbound, Outbound};
    struct Case {
        direction: Direction,
        from: &'static str,
        reply_to: Option<&'static str>,
        to: &'static [&'static str],
        cc: &'static [&'static str],
        all: bool,
        expected_to: &'static [&'static str],
        expected_cc: &'static [&'static str],
    }
    let simple = Case {
        direction: Inbound,
        from: "Dana <dana@a.example>",
        reply_to: None,
        to: &["me@x.example", "eve@b.example"],
        cc: &["fay@c.example"],
        all: false,
        expected_to: &["Dana <dana@a.example>"],
        expected_cc: &[],
    };
    let table = [
        Case { ..simple },
        Case { all: true, expected_cc: &["eve@b.example", "fay@c.example"], ..simple },
        Case {
            reply_to: Some("desk@a.example, \"Q, R\" <q@a.example>"),
            expected_to: &["desk@a.example", "\"Q, R\" <q@a.example>"],
            ..simple
        },
        Case { reply_to: Some("not an address"), ..simple },
        Case { to: &["ME+tag@X.example", "dana@a.example"], cc: &[], all: true, ..simple },
        Case { from: "undisclosed", expected_to: &[], ..simple },
        Case {
            from: "me@x.example",
            to: &["me@x.example"],
            cc: &[],
            all: true,
            expected_to: &["me@x.example"],
            ..simple
        },
        Case { direction: Outbound, from: "me@x.example", expected_to: &["eve@b.example"], ..simple },
        Case {
            direction: Outbound,
            from: "me@x.example",
            all: true,
            expected_to: &["eve@b.example"],
            expected_cc: &["fay@c.example"],
            ..simple
        },
    ];
    let own = Address::parse("me@x.example").expect("an address");
    for (at, case) in table.iter().enumerate() {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let mut original = message();
        original.direction = case.direction;
        original.from = case.from.to_owned();
        original.reply_to = case.reply_to.map(str::to_owned);
        (original.to, original.cc) = (owned(case.to), owned(case.cc));
        let people = reply_people(&original, &own, case.all);
        assert_eq!(people.to, mailboxes(case.expected_to), "case {at}");
        assert_eq!(people.cc, mailboxes(case.expected_cc), "case {at}");
        assert!(people.bcc.is_empty());
    }
}

fn message() -> Message {
    use crate::{id::IdGenerator, message::MessageIds, time::Time};
    let (now, ids) = (Time::from_millis(0), IdGenerator::new(Time::from_millis(0), [0; 8]));
    let ids = MessageIds {
        workspace: ids.next(),
        message: ids.next(),
        inbox: ids.next(),
        thread: ids.next(),
        content: ids.next(),
    };
    Message { rfc_message_id: "<1@a.example>".to_owned(), size_bytes: 0, ..Message::new(ids, Direction::Inbound, now) }
}

//! Servers that say anything: the laws that hold in every dialogue.

use proptest::prelude::*;

use super::*;

const SAYINGS: [&str; 16] = [
    "220 hi\r\n",
    "250 ok\r\n",
    "250 ok\r\n",
    "250-x\r\n250-PIPELINING\r\n250 SIZE 0\r\n",
    "250-x\r\n250 STARTTLS\r\n",
    "354 go\r\n",
    "354 go\r\n",
    "235 in\r\n",
    "334 \r\n",
    "450 4.2.0 later\r\n",
    "550 5.1.1 no\r\n",
    "421 bye\r\n",
    "251 ok\r\n",
    "250-part",
    "\r\n",
    "\u{7f}garbage\n",
];

fn saying() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => prop::sample::select(&SAYINGS[..12]).prop_map(str::to_owned),
        1 => prop::sample::select(&SAYINGS[..]).prop_map(str::to_owned),
        1 => "[2-5][0-9]{2}[ -].{0,20}\r\n",
    ]
}

/// What the dialogue must show at its end.
struct Ending {
    wrote: Vec<u8>,
    outcomes: Vec<Vec<RecipientOutcome>>,
    sent: usize,
    failures: usize,
}

fn converse(config: Config, body: &str, sayings: &[String]) -> Ending {
    let mut session = ClientSession::new(config);
    let mut ending = Ending { wrote: Vec::new(), outcomes: Vec::new(), sent: 0, failures: 0 };
    let mut sayings = sayings.iter();
    for _ in 0..2_000 {
        match session.step() {
            Step::Write(bytes) => ending.wrote.extend(bytes),
            Step::NeedInput => match sayings.next() {
                Some(saying) => session.receive(saying.as_bytes()),
                None => session.lost("gone"),
            },
            Step::StartTls => session.tls_started(),
            Step::Ready if ending.sent < 3 => {
                ending.sent += 1;
                session.send(message(&["b@y.example", "c@y.example", "d@y.example"], body)).unwrap();
            }
            Step::Ready => session.quit(),
            Step::Done(outcomes) => ending.outcomes.push(outcomes),
            Step::Failed(_) => ending.failures += 1,
            Step::Closed => return ending,
        }
    }
    panic!("the dialogue has no end");
}

proptest! {
    #[test]
    fn every_recipient_gets_one_outcome_whatever_the_server_says(
        sayings in prop::collection::vec(saying(), 0..60),
        good_start in any::<bool>(),
        login in any::<bool>(),
        tls in prop::sample::select(vec![Tls::Off, Tls::Opportunistic, Tls::Required, Tls::Implicit]),
        body in prop::collection::vec(prop::sample::select(vec!["\r", "\n", ".", "a", "\0"]), 0..9),
    ) {
        let start = if good_start { vec![SAYINGS[0].to_owned(), SAYINGS[3].to_owned()] } else { vec![] };
        let config = if login { with_login(tls) } else { config(tls) };
        let ending = converse(config, &body.concat(), &[start, sayings].concat());
        prop_assert_eq!(ending.outcomes.len(), ending.sent);
        prop_assert!(ending.failures <= 1);
        for outcomes in &ending.outcomes {
            prop_assert_eq!(outcomes.len(), 3);
            for outcome in outcomes {
                let class = outcome.smtp_code.map(|code| code / 100);
                prop_assert_eq!(outcome.result == DeliveryResult::Delivered, class == Some(2) && outcome.stage == Stage::EndOfData);
                prop_assert!(outcome.result != DeliveryResult::Permanent || class == Some(5));
                prop_assert!(outcome.text.len() <= REPLY_TEXT_BYTES_MAX && !outcome.text.chars().any(char::is_control));
            }
        }
        prop_assert_eq!(normalise_line_ends(&ending.wrote).len(), ending.wrote.len(), "a bare CR, LF or NUL left");
        let delivered = ending.outcomes.iter().flatten().any(|outcome| outcome.result == DeliveryResult::Delivered);
        let text = String::from_utf8(ending.wrote).unwrap();
        prop_assert!(!delivered || text.contains("\r\n.\r\n"));
    }
}

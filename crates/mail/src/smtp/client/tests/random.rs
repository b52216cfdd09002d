//! Invariants that hold for every dialogue, whatever the server sends.

use proptest::prelude::*;

use super::*;

const SERVER_LINES: [&str; 16] = [
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

fn server_line() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => prop::sample::select(&SERVER_LINES[..12]).prop_map(str::to_owned),
        1 => prop::sample::select(&SERVER_LINES[..]).prop_map(str::to_owned),
        1 => "[2-5][0-9]{2}[ -].{0,20}\r\n",
    ]
}

/// The results of one session.
struct ClientRun {
    wrote: Vec<u8>,
    outcomes: Vec<Vec<RecipientOutcome>>,
    sent: usize,
    failures: usize,
}

fn converse(config: ClientConfig, body: &str, server_lines: &[String]) -> ClientRun {
    let mut session = ClientSession::new(config);
    let mut result = ClientRun { wrote: Vec::new(), outcomes: Vec::new(), sent: 0, failures: 0 };
    let mut server_lines = server_lines.iter();
    for _ in 0..2_000 {
        match session.step() {
            ClientStep::Write(bytes) => result.wrote.extend(bytes),
            ClientStep::NeedInput => match server_lines.next() {
                Some(server_line) => session.receive(server_line.as_bytes()),
                None => session.connection_lost("gone"),
            },
            ClientStep::StartTls => session.tls_started(),
            ClientStep::Ready if result.sent < 3 => {
                result.sent += 1;
                session.send(message(&["b@y.example", "c@y.example", "d@y.example"], body)).unwrap();
            }
            ClientStep::Ready => session.quit(),
            ClientStep::Done(outcomes) => result.outcomes.push(outcomes),
            ClientStep::Failed(_) => result.failures += 1,
            ClientStep::Closed => return result,
        }
    }
    panic!("the session does not end");
}

proptest! {
    #[test]
    fn every_recipient_gets_one_outcome_whatever_the_server_says(
        server_lines in prop::collection::vec(server_line(), 0..60),
        good_start in any::<bool>(),
        login in any::<bool>(),
        tls in prop::sample::select(vec![TlsPolicy::Off, TlsPolicy::Opportunistic, TlsPolicy::Required, TlsPolicy::Implicit]),
        body in prop::collection::vec(prop::sample::select(vec!["\r", "\n", ".", "a", "\0"]), 0..9),
    ) {
        let start = if good_start { vec![SERVER_LINES[0].to_owned(), SERVER_LINES[3].to_owned()] } else { vec![] };
        let config = if login { with_login(tls) } else { config(tls) };
        let result = converse(config, &body.concat(), &[start, server_lines].concat());
        prop_assert_eq!(result.outcomes.len(), result.sent);
        prop_assert!(result.failures <= 1);
        for outcomes in &result.outcomes {
            prop_assert_eq!(outcomes.len(), 3);
            for outcome in outcomes {
                let class = outcome.smtp_code.map(|code| code / 100);
                prop_assert_eq!(outcome.result == DeliveryResult::Delivered, class == Some(2) && outcome.stage == SmtpStage::EndOfData);
                prop_assert!(outcome.result != DeliveryResult::Permanent || class == Some(5));
                prop_assert!(outcome.text.len() <= REPLY_TEXT_BYTES_MAX && !outcome.text.chars().any(char::is_control));
            }
        }
        prop_assert_eq!(normalise_line_ends(&result.wrote).len(), result.wrote.len(), "a bare CR, LF or NUL left");
        let delivered = result.outcomes.iter().flatten().any(|outcome| outcome.result == DeliveryResult::Delivered);
        let text = String::from_utf8(result.wrote).unwrap();
        prop_assert!(!delivered || text.contains("\r\n.\r\n"));
    }
}

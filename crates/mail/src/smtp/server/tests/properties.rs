//! Invariants of the session for any input: splitting it does not matter, nothing panics, memory stays bounded.

use proptest::prelude::*;

use super::super::*;
use super::{config, drive};

/// Lines and fragments that sessions are built from, most of them valid.
const PIECES: &[&[u8]] = &[
    b"EHLO c.example\r\n",
    b"HELO c\r\n",
    b"STARTTLS\r\n",
    b"MAIL FROM:<a@b.example>\r\n",
    b"MAIL FROM:<> SIZE=20 SMTPUTF8\r\n",
    b"MAIL FROM:<unknown@b.example>\r\n",
    b"RCPT TO:<x@c.example>\r\n",
    b"RCPT TO:<unknown@c.example>\r\n",
    b"RCPT TO:<\"a b\"@[192.0.2.1]>\r\n",
    b"DATA\r\n",
    b"Subject: hi\r\n\r\n",
    b"..a line\r\n",
    b".\r\n",
    b"\r\n.\r\n",
    b"BDAT 5\r\n",
    b"BDAT 12 LAST\r\n",
    b"BDAT x\r\n",
    b"AUTH PLAIN AGFkYQBzZWNyZXQ=\r\n",
    b"AUTH LOGIN\r\n",
    b"YWRh\r\n",
    b"*\r\n",
    b"RSET\r\n",
    b"NOOP\r\n",
    b"\n",
    b"\r",
    b".",
    b"\0",
    b"\xff\xfe",
    b"QUIT\r\n",
];

fn sessions() -> impl Strategy<Value = Vec<u8>> {
    let transaction = Just(b"EHLO c\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<x@c.example>\r\nDATA\r\nbody\r\n".to_vec());
    let piece = prop::sample::select(PIECES).prop_map(<[u8]>::to_vec);
    let noise = prop::collection::vec(any::<u8>(), 0..40);
    let part = prop_oneof![1 => transaction, 12 => piece, 1 => noise];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

fn open_config() -> SmtpServerConfig {
    SmtpServerConfig { auth: AuthMode::Always, message_bytes_max: 60, ..config() }
}

proptest! {
    #[test]
    fn splitting_the_input_does_not_change_the_result(
        first in sessions(),
        second in sessions(),
        piece_bytes in 1_usize..50,
        login in any::<bool>(),
    ) {
        let config = if login { open_config() } else { config() };
        let segments: [&[u8]; 2] = [&first, &second];
        let whole = drive(config.clone(), &segments, usize::MAX);
        prop_assert_eq!(drive(config, &segments, piece_bytes), whole);
    }

    #[test]
    fn any_bytes_get_well_formed_replies(input in prop::collection::vec(any::<u8>(), 0..4000)) {
        let result = drive(config(), &[&input], 100);
        for line in result.written.split_inclusive("\r\n") {
            prop_assert!(line.len() <= 512 && line.ends_with("\r\n") && line.is_ascii());
            prop_assert!(line.as_bytes()[..3].iter().all(u8::is_ascii_digit));
        }
        prop_assert_eq!(result.messages.len(), 0);
    }

    #[test]
    fn a_message_arrives_as_it_was_sent(
        lines in prop::collection::vec("[ -~]{0,20}", 0..60),
        piece_bytes in 1_usize..200,
    ) {
        let head = "EHLO c\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<x@c.example>\r\n";
        let message: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let stuffed: String = lines.iter().map(|line| match line.starts_with('.') {
            true => format!(".{line}\r\n"),
            false => format!("{line}\r\n"),
        }).collect();
        let chunked = format!("{head}BDAT {} LAST\r\n{message}", message.len());
        for input in [format!("{head}DATA\r\n{stuffed}.\r\n"), chunked] {
            let result = drive(config(), &[input.as_bytes()], piece_bytes);
            prop_assert_eq!(result.messages.len(), 1);
            prop_assert_eq!(&result.messages[0].data, message.as_bytes());
        }
    }
}

//! Tables of command lines and the expected results.
#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn invalid_lines_get_the_right_reply() {
    let table = [
        ("", "500 5.5.1"),
        ("FOO", "500 5.5.1"),
        ("VERYLONGVERB", "500 5.5.1"),
        (" NOOP", "500 5.5.1"),
        ("NOOP\0", "500 5.5.2"),
        ("MAIL FROM:<a@\tb>", "500 5.5.2"),
        ("DATA x", "501 5.5.4"),
        ("QUIT now", "501 5.5.4"),
        ("STARTTLS x", "501 5.5.4"),
        ("EHLO", "501 5.5.4"),
        ("EHLO a b", "501 5.5.4"),
        ("EHLO  a b", "501 5.5.4"),
        ("EHLO   ", "501 5.5.4"),
        ("HELO a(b)", "501 5.5.4"),
        ("MAIL", "501 5.5.2"),
        ("MAIL TO:<a@b>", "501 5.5.2"),
        ("MAIL FROM:a@b", "501 5.1.7"),
        ("MAIL FROM:<postmaster>", "501 5.1.7"),
        ("MAIL FROM:<a@b> SIZE", "501 5.5.4"),
        ("MAIL FROM:<a@b> SIZE=", "501 5.5.4"),
        ("MAIL FROM:<a@b> SIZE=+5", "501 5.5.4"),
        ("MAIL FROM:<a@b> SIZE=5 size=5", "501 5.5.4"),
        ("MAIL FROM:<a@b>SIZE=5", "501 5.5.4"),
        ("MAIL FROM:<a@b> BODY=9BIT", "501 5.5.4"),
        ("MAIL FROM:<a@b> BODY=BINARYMIME", "555 5.5.4"),
        ("MAIL FROM:<a@b> SMTPUTF8=yes", "501 5.5.4"),
        ("MAIL FROM:<a@b> RET=HDRS", "555 5.5.4"),
        ("MAIL FROM:<ä@b>", "553 5.6.7"),
        ("RCPT TO:<>", "501 5.1.3"),
        ("RCPT TO:<a>", "501 5.1.3"),
        ("RCPT FROM:<a@b>", "501 5.5.2"),
        ("RCPT TO:<a@b> NOTIFY=NEVER", "555 5.5.4"),
        ("RCPT TO:<a@b> ORCPT=rfc822;a@b", "555 5.5.4"),
        ("AUTH", "501 5.5.4"),
        ("AUTH PLAIN a b", "501 5.5.4"),
    ];
    for (line, reply) in table {
        let refusal = SmtpCommand::parse(line.as_bytes()).unwrap_err().to_string();
        assert!(refusal.starts_with(reply), "{line}: {refusal}");
    }
    assert!(SmtpCommand::parse(b"NOOP \xff").is_err(), "not UTF-8");
}

#[test]
fn valid_lines_are_parsed() {
    let chunk = |bytes, last| SmtpCommand::Bdat(Some(ChunkHeader { bytes, last }));
    let table = [
        ("noop whatever", SmtpCommand::Noop),
        ("RSET  ", SmtpCommand::Rset),
        ("eHlO [192.0.2.1]", SmtpCommand::Ehlo("[192.0.2.1]".to_owned())),
        ("HELO my_pc", SmtpCommand::Helo("my_pc".to_owned())),
        ("EHLO  host.example  ", SmtpCommand::Ehlo("host.example".to_owned())),
        ("HELO   host.example", SmtpCommand::Helo("host.example".to_owned())),
        ("MAIL  FROM: <> ", SmtpCommand::Mail(MailCommand::default())),
        ("BDAT  10", chunk(10, false)),
        ("DATA  ", SmtpCommand::Data),
        ("LHLO x", SmtpCommand::Lhlo),
        ("BDAT 10", chunk(10, false)),
        ("bdat 0 last", chunk(0, true)),
        ("BDAT 99999999999999999999 LAST", chunk(u64::MAX, true)),
        ("BDAT", SmtpCommand::Bdat(None)),
        ("BDAT -1", SmtpCommand::Bdat(None)),
        ("BDAT 1 FIRST", SmtpCommand::Bdat(None)),
        ("GET / HTTP/1.1", SmtpCommand::HttpRequest),
        ("VRFY", SmtpCommand::Vrfy),
        ("MAIL FROM:<>", SmtpCommand::Mail(MailCommand::default())),
    ];
    for (line, command) in table {
        assert_eq!(SmtpCommand::parse(line.as_bytes()), Ok(command), "{line}");
    }
}

#[test]
fn mail_parameters_are_parsed() {
    let line = "mail from: <ä@b.example>  size=42 BODY=8bitmime SMTPUTF8 AUTH=<>";
    let Ok(SmtpCommand::Mail(mail)) = SmtpCommand::parse(line.as_bytes()) else {
        panic!("not understood");
    };
    assert_eq!(mail.from.as_ref().unwrap().to_string(), "ä@b.example");
    assert_eq!((mail.size, mail.body), (Some(42), Some(BodyType::EightBitMime)));
    assert!(mail.smtputf8 && mail.auth && mail.has_parameters());
}

#[test]
fn line_lengths_depend_on_the_verb() {
    let table =
        [("NOOP ", COMMAND_LINE_BYTES_MAX), ("RCPT TO:", PATH_LINE_BYTES_MAX), ("AUTH PLAIN ", AUTH_LINE_BYTES_MAX)];
    for (start, max) in table {
        let line = |bytes: usize| format!("{start}{}", "x".repeat(bytes - 2 - start.len()));
        assert_ne!(SmtpCommand::parse(line(max).as_bytes()), Err(TOO_LONG), "{start}");
        assert_eq!(SmtpCommand::parse(line(max + 1).as_bytes()), Err(TOO_LONG), "{start}");
    }
}

#[test]
fn a_password_is_never_shown() {
    let command = SmtpCommand::parse(b"AUTH PLAIN c2VjcmV0").unwrap();
    assert_eq!(format!("{command:?}"), "Auth(AuthCommand(PLAIN))");
}

//! Fuzzes the address parsers (RFC 5321 §4.1.2, RFC 5322 §3.4): accepted addresses parse to the same value again.

use posthouse_mail::address::{Address, Mailbox};
use posthouse_mail::smtp::command::SmtpCommand;

/// The maximum number of mailboxes parsed from one list.
const COUNT_MAX: usize = 50;

/// Parses the input as an address, a mailbox and a list of mailboxes.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for parse in [Address::parse, Address::parse_smtp] {
        let Ok(address) = parse(&text) else {
            continue;
        };
        let form = format!("{}@{}", address.local(), address.domain());
        let again = Address::parse_smtp(&form).expect("an accepted address can be parsed again");
        assert_eq!(address.canonical(), again.canonical(), "{form}");
    }
    // These must only not panic.
    let _ = Mailbox::parse(&text);
    let _ = Mailbox::parse_list(&text, COUNT_MAX);
    path(&text);
}

/// Checks that an envelope path parses to the same value after formatting.
fn path(text: &str) {
    let command = |path: &str| SmtpCommand::parse(format!("RCPT TO:<{path}>").as_bytes());
    let Ok(SmtpCommand::Rcpt(address)) = command(text) else {
        return;
    };
    let again = command(&address.to_string());
    // Quoting can make a path exceed the length limit. Only then may it be rejected.
    match again {
        Ok(SmtpCommand::Rcpt(again)) => assert_eq!(again, address),
        other => assert!(text.len() > 300, "{address} became {other:?}"),
    }
}

//! The readers of addresses (RFC 5321 §4.1.2, RFC 5322 §3.4): what they accept they read again as the same.

use posthouse_mail::address::{Address, Mailbox};
use posthouse_mail::smtp::command::Command;

/// Mailboxes of one list that are read.
const COUNT_MAX: usize = 50;

/// The input is an address, a mailbox or a list of them.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for read in [Address::parse, Address::parse_smtp] {
        let Ok(address) = read(&text) else {
            continue;
        };
        let form = format!("{}@{}", address.local(), address.domain());
        let again = Address::parse_smtp(&form).expect("an accepted address can be read again");
        assert_eq!(address.canonical(), again.canonical(), "{form}");
    }
    // Never panicking is all that is asked of these.
    let _ = Mailbox::parse(&text);
    let _ = Mailbox::parse_list(&text, COUNT_MAX);
    path(&text);
}

/// A path of the envelope, written again, is the same path.
fn path(text: &str) {
    let command = |path: &str| Command::parse(format!("RCPT TO:<{path}>").as_bytes());
    let Ok(Command::Rcpt(address)) = command(text) else {
        return;
    };
    let again = command(&address.to_string());
    // Quoting can make a path of the greatest length too long; then, and only then, it is refused.
    match again {
        Ok(Command::Rcpt(again)) => assert_eq!(again, address),
        other => assert!(text.len() > 300, "{address} became {other:?}"),
    }
}

//! Fuzzes the message parser (RFC 5322, 2045 to 2049): any bytes parse to a message, and always to the same one.

use posthouse_mail::parse::parse;

/// The input is a raw message.
pub fn run(data: &[u8]) {
    let (first, second) = (parse(data), parse(data));
    assert_eq!(first.attachments.len(), second.attachments.len());
    assert_eq!((first.subject, first.text, first.html), (second.subject, second.text, second.html));
}

//! The reader of messages (RFC 5322, 2045 to 2049): any bytes give some message, always the same one.

use posthouse_mail::parse::parse;

/// The input is a raw message.
pub fn run(data: &[u8]) {
    let (first, second) = (parse(data), parse(data));
    assert_eq!(first.attachments.len(), second.attachments.len());
    assert_eq!((first.subject, first.text, first.html), (second.subject, second.text, second.html));
}
